/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The lists of messages and the options, as the caller gives them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device/device.h"
#include "exchange/state.h"

const char *
paulimpi__message_name(const paulimpi__message *message,
                       char name[PAULIMPI__NAME])
{
    const char *list = message->is_receive ? "receives" : "sends";

    if (message->n_members == 0) {
        snprintf(name, PAULIMPI__NAME, "%s[%d]", list, message->index);
    } else {
        snprintf(name, PAULIMPI__NAME, "%s[%d] and %d more", list,
                 message->index, message->n_members - 1);
    }
    return name;
}

static int
check_options(const char *function, const paulimpi_exchange_options *options)
{
    int n_marks = (options->after_stream != NULL)
                  + (options->after_event != NULL)
                  + (options->after_default_stream != 0);

    if (options->after_default_stream != 0
        && options->after_default_stream != 1) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: after_default_stream is %d, but must be 0 "
                               "or 1",
                               function, options->after_default_stream);
    }
    if (n_marks > 1) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: of after_stream, after_event and "
                               "after_default_stream only one may be given",
                               function);
    }
    if (options->join != 0 && options->join != 1) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: join is %d, but must be 0 or 1", function,
                               options->join);
    }
    if (!(options->timeout >= 0.0) || isinf(options->timeout)) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: timeout is %g, but must be a number of "
                               "seconds, 0 for PAULIMPI_TIMEOUT",
                               function, options->timeout);
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi__options_read(const char *function,
                       const paulimpi_exchange_options *given,
                       paulimpi_exchange_options *options)
{
    static const paulimpi_exchange_options initial =
        PAULIMPI_EXCHANGE_OPTIONS_INIT;

    *options = initial;
    if (given == NULL) {
        return PAULIMPI_SUCCESS;
    }
    if (given->size == 0) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: the size of options is 0: use "
                               "PAULIMPI_EXCHANGE_OPTIONS(...) or start from "
                               "PAULIMPI_EXCHANGE_OPTIONS_INIT",
                               function);
    }
    memcpy(options, given,
           given->size < sizeof *options ? given->size : sizeof *options);
    return check_options(function, options);
}

static int
check_peer(const char *function, const paulimpi__message *message, int size)
{
    char name[PAULIMPI__NAME];

    if (message->peer == PAULIMPI_PEER_ANY) {
        return message->is_receive
                   ? PAULIMPI_SUCCESS
                   : paulimpi__error(
                       PAULIMPI_ERR_ARGUMENT,
                       "%s: %s: peer is PAULIMPI_PEER_ANY, which "
                       "is for receives",
                       function, paulimpi__message_name(message, name));
    }
    if (message->peer < 0 || message->peer >= size) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: %s: peer is %d, but the context has ranks "
                               "from 0 to %d",
                               function, paulimpi__message_name(message, name),
                               message->peer, size - 1);
    }
    return PAULIMPI_SUCCESS;
}

static int
check_tag(const char *function, const paulimpi__message *message)
{
    char name[PAULIMPI__NAME];

    if (message->tag < 0 || message->tag > PAULIMPI_MOST_TAG) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: %s: tag is %d, but must be from 0 to %d",
                               function, paulimpi__message_name(message, name),
                               message->tag, PAULIMPI_MOST_TAG);
    }
    return PAULIMPI_SUCCESS;
}

/* Ask what the memory of a message is; all of it must be of one allocation of
 * a device. */
static int
find_memory(const char *function, paulimpi__message *message)
{
    const paulimpi__layout *layout = &message->layout;
    paulimpi_memory memory = PAULIMPI_MEMORY_INIT;
    char name[PAULIMPI__NAME];
    char *end;
    int rc;

    message->kind = PAULIMPI_MEMORY_HOST;
    message->device = -1;
    if (layout->bytes == 0) {
        return PAULIMPI_SUCCESS;
    }
    rc = paulimpi_memory_describe(layout->low, &memory);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    message->kind = memory.kind;
    message->device = memory.device;
    message->number = memory.number;
    end = (char *)memory.base + memory.bytes;
    if (memory.kind > PAULIMPI_MEMORY_PINNED && memory.bytes > 0
        && (layout->low < (char *)memory.base || layout->high > end)) {
        return paulimpi__error(
            PAULIMPI_ERR_ARGUMENT,
            "%s: %s: the region goes from %p to %p, but the memory of the "
            "device that it is in only from %p to %p",
            function, paulimpi__message_name(message, name),
            (void *)layout->low, (void *)layout->high, memory.base,
            (void *)end);
    }
    return PAULIMPI_SUCCESS;
}

static int
read_message(const char *function, const paulimpi_message *given, int size,
             paulimpi__message *message)
{
    char name[PAULIMPI__NAME];
    int rc;

    message->peer = given->peer == MPI_PROC_NULL    ? PAULIMPI_PEER_NONE
                    : given->peer == MPI_ANY_SOURCE ? PAULIMPI_PEER_ANY
                                                    : given->peer;
    message->tag = given->tag;
    message->partner = -1;
    message->lane = -1;
    message->before = -1;
    message->device = -1;
    if (message->peer == PAULIMPI_PEER_NONE) {
        return PAULIMPI_SUCCESS;
    }
    rc = check_peer(function, message, size);
    if (rc == PAULIMPI_SUCCESS) {
        rc = check_tag(function, message);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__layout_set(&message->layout, &given->region, function,
                                  paulimpi__message_name(message, name));
    }
    return rc == PAULIMPI_SUCCESS ? find_memory(function, message) : rc;
}

static int
check_overlap(const char *function, const paulimpi_plan *plan)
{
    size_t n = (size_t)plan->n_messages;
    paulimpi__use *use = paulimpi__alloc(n, sizeof *use);
    int n_uses = 0;
    int i, rc;

    if (use == NULL) {
        return paulimpi__no_memory(function, n * sizeof *use);
    }
    for (i = 0; i < plan->n_messages; i++) {
        const paulimpi__message *message = &plan->message[i];

        if (message->peer != PAULIMPI_PEER_NONE && message->layout.bytes > 0) {
            use[n_uses++] =
                (paulimpi__use){ &message->layout, message->is_receive,
                                 message->index };
        }
    }
    rc = paulimpi__check_overlap(function, n_uses, use);
    paulimpi__free(use);
    return rc;
}

int
paulimpi__messages_read(const char *function, paulimpi_plan *plan,
                        const paulimpi_message *sends,
                        const paulimpi_message *receives)
{
    int size = paulimpi_context_size(plan->ctx);
    int i, rc;

    for (i = 0; i < plan->n_messages; i++) {
        paulimpi__message *message = &plan->message[i];

        message->is_receive = i < plan->n_receives;
        message->index = message->is_receive ? i : i - plan->n_receives;
        rc = read_message(function,
                          message->is_receive ? &receives[message->index]
                                              : &sends[message->index],
                          size, message);
        if (rc != PAULIMPI_SUCCESS) {
            return rc;
        }
    }
    return check_overlap(function, plan);
}

static int
moved(const char *function, const paulimpi__message *message,
      const paulimpi_memory *now)
{
    char name[PAULIMPI__NAME];

    return paulimpi__error(
        PAULIMPI_ERR_STATE,
        "%s: %s: the memory of the region was freed after the plan was made; "
        "what is at %p now is another allocation, of kind %s, device %d and "
        "%zu bytes, which will not do: make the plan anew",
        function, paulimpi__message_name(message, name),
        (void *)message->layout.low, paulimpi__memory_name(now->kind),
        now->device, now->bytes);
}

/* Another allocation at the same place will do if the message may go the same
 * way. */
static int
recheck(const char *function, paulimpi__message *message)
{
    const paulimpi__layout *layout = &message->layout;
    paulimpi_memory now = PAULIMPI_MEMORY_INIT;
    int rc;

    if (message->kind <= PAULIMPI_MEMORY_PINNED || message->number == 0) {
        return PAULIMPI_SUCCESS;
    }
    rc = paulimpi_memory_describe(layout->low, &now);
    if (rc != PAULIMPI_SUCCESS || now.number == message->number) {
        return rc;
    }
    if (now.kind != message->kind || now.device != message->device
        || layout->low < (char *)now.base
        || layout->high > (char *)now.base + now.bytes) {
        return moved(function, message, &now);
    }
    paulimpi__log(
        PAULIMPI__LOG_DEBUG,
        "%s: %zu bytes at %p were freed and allocated anew since the "
        "plan was made",
        function, now.bytes, now.base);
    message->number = now.number;
    return PAULIMPI_SUCCESS;
}

int
paulimpi__messages_recheck(const char *function, paulimpi_plan *plan)
{
    int rc = PAULIMPI_SUCCESS;
    int i;

    if (plan->n_owners == 0) {
        return PAULIMPI_SUCCESS;
    }
    for (i = 0; i < plan->n_messages && rc == PAULIMPI_SUCCESS; i++) {
        rc = recheck(function, &plan->message[i]);
    }
    for (i = 0; i < plan->n_members && rc == PAULIMPI_SUCCESS; i++) {
        rc = recheck(function, &plan->member[i].message);
    }
    return rc;
}
