/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a plan does, in words.
 */
#include <inttypes.h>

#include "exchange/awareness.h"
#include "exchange/state.h"

static const char *const memory_name[PAULIMPI_MEMORY_KINDS] = {
    [PAULIMPI_MEMORY_HOST] = "the host",
    [PAULIMPI_MEMORY_PINNED] = "the host, pinned",
    [PAULIMPI_MEMORY_MANAGED] = "managed memory",
    [PAULIMPI_MEMORY_DEVICE] = "a device",
    [PAULIMPI_MEMORY_POOL] = "a device's pool",
    [PAULIMPI_MEMORY_VIRTUAL] = "a device, mapped by hand",
    [PAULIMPI_MEMORY_IMPORTED] = "another process's device",
};

static void
explain_peer(const paulimpi__message *message, paulimpi__text *text)
{
    const char *way = message->is_receive ? "receive" : "send";
    const char *to = message->is_receive ? "from" : "to";

    if (message->peer == PAULIMPI_PEER_NONE) {
        paulimpi__text_append(text, "%s %d %s nobody", way, message->index,
                              to);
    } else if (message->peer == PAULIMPI_PEER_ANY) {
        paulimpi__text_append(text, "%s %d %s any rank, tag %d", way,
                              message->index, to, message->tag);
    } else {
        paulimpi__text_append(text, "%s %d %s rank %d, tag %d", way,
                              message->index, to, message->peer, message->tag);
    }
}

static void
explain_region(const paulimpi__message *message, paulimpi__text *text)
{
    paulimpi__text_append(text, ": %" PRId64 " bytes", message->layout.bytes);
    if (message->layout.dimensions > 0) {
        paulimpi__text_append(text, " in runs of %" PRId64,
                              message->layout.run);
    }
    if (message->layout.bytes > 0) {
        paulimpi__text_append(text, " of %s", memory_name[message->kind]);
    }
}

/* Where the blocks of a message are. */
static const char *
blocks_of(const paulimpi__message *message)
{
    return message->in_ring ? ": through a ring in memory of this device, as "
                            : ": through pinned memory of the host, as ";
}

/* Why MPI is not given memory of this kind and device. */
static void
explain_refusal(const paulimpi_plan *plan, const paulimpi__message *message,
                paulimpi__text *text)
{
    int state = PAULIMPI_AWARE_UNKNOWN;
    char *reason = NULL;

    (void)paulimpi_aware(plan->ctx, message->kind, PAULIMPI_OPERATION_MESSAGE,
                         &state, &reason);
    if (state == PAULIMPI_AWARE_YES) {
        paulimpi__text_append(
            text, "%s was tried with memory of device %d, not of %d",
            plan->transport->name,
            paulimpi__aware_device(plan->ctx, message->kind), message->device);
    } else {
        paulimpi__text_append(
            text, "%s is not known to take memory of this kind (%s)",
            plan->transport->name, reason == NULL ? "no reason" : reason);
    }
    paulimpi_text_destroy(&reason);
}

/* Why memory of a device does not go to MPI as it is. */
static void
explain_staging(const paulimpi_plan *plan, const paulimpi__message *message,
                paulimpi__text *text)
{
    paulimpi__text_append(text, "%s", blocks_of(message));
    if (plan->transport->is_ordered
        || paulimpi__mpi_takes(plan->ctx, message->kind, message->device)) {
        paulimpi__text_append(text, "it is not contiguous");
        return;
    }
    explain_refusal(plan, message, text);
    if (message->layout.dimensions > 0) {
        paulimpi__text_append(text, "; it is not contiguous either");
    }
}

static void
explain_path(const paulimpi_plan *plan, const paulimpi__message *message,
             paulimpi__text *text)
{
    const char *name = plan->transport->name;
    const char *packed = message->is_receive ? "unpacked" : "packed";

    switch (message->path) {
    case PAULIMPI__PATH_SELF:
        paulimpi__text_append(text, ": copied here, %s %d",
                              message->is_receive ? "from send" : "to receive",
                              plan->message[message->partner].index);
        break;
    case PAULIMPI__PATH_DIRECT:
        paulimpi__text_append(text, ": %s is given the memory itself", name);
        break;
    case PAULIMPI__PATH_PACKED:
        paulimpi__text_append(text,
                              ": %s by the library, as it is not "
                              "contiguous; %s is given the block",
                              packed, name);
        break;
    case PAULIMPI__PATH_STAGED:
        explain_staging(plan, message, text);
        break;
    default:
        paulimpi__text_append(
            text, "%s%s cannot be trusted with memory of another process",
            blocks_of(message), name);
        break;
    }
}

static void
explain_kernel(const paulimpi__message *message, paulimpi__text *text)
{
    if (message->path >= PAULIMPI__PATH_STAGED
        && message->copier == PAULIMPI__BY_KERNEL) {
        paulimpi__text_append(text, "; a kernel %s it",
                              message->is_receive ? "unpacks" : "packs");
    }
}

static void
explain(const paulimpi_plan *plan, const paulimpi__message *message,
        paulimpi__text *text)
{
    explain_peer(message, text);
    if (message->path != PAULIMPI__PATH_NONE) {
        explain_region(message, text);
        explain_path(plan, message, text);
    }
    explain_kernel(message, text);
    if (plan->lacks_ring && message->path >= PAULIMPI__PATH_STAGED) {
        paulimpi__text_append(text,
                              "; the device has no memory left for a ring");
    }
    if (message->pieces > 1) {
        paulimpi__text_append(text, ", in %" PRId64 " pieces",
                              message->pieces);
    }
    paulimpi__text_append(text, "\n");
}

static void
explain_member(const paulimpi__message *message, paulimpi__text *text)
{
    explain_peer(message, text);
    explain_region(message, text);
    paulimpi__text_append(text,
                          ": joined with others %s this rank, through "
                          "a block of the host",
                          message->is_receive ? "from" : "to");
    explain_kernel(message, text);
    paulimpi__text_append(text, "\n");
}

/* All sends, or all receives; those that carry others are the library's. */
static void
explain_list(const paulimpi_plan *plan, int is_receive, paulimpi__text *text)
{
    int i;

    for (i = 0; i < plan->n_messages; i++) {
        const paulimpi__message *message = &plan->message[i];

        if (message->is_receive == is_receive && message->n_members == 0) {
            explain(plan, message, text);
        }
    }
    for (i = 0; i < plan->n_members; i++) {
        if (plan->member[i].message.is_receive == is_receive) {
            explain_member(&plan->member[i].message, text);
        }
    }
}

/* What is waited for before memory of devices is touched, if no start says
 * otherwise. */
static void
explain_order(const paulimpi_plan *plan, paulimpi__text *text)
{
    const paulimpi_exchange_options *options = &plan->options;
    int i;

    if (!plan->has_device || plan->n_owners == 0) {
        return;
    }
    if (options->after_event != NULL) {
        paulimpi__text_append(text, "begins when after_event is done\n");
        return;
    }
    if (options->after_stream != NULL || options->after_default_stream) {
        paulimpi__text_append(
            text, "begins when what was asked of after_stream is done\n");
        return;
    }
    for (i = 0; i < plan->n_owners; i++) {
        paulimpi__text_append(
            text, "%s %d",
            i > 0 ? "," : "begins when all that was asked of device",
            plan->owner[i]);
    }
    paulimpi__text_append(
        text, " is done, as neither a stream nor an event was given\n");
}

static int
explain_all(const char *function, const paulimpi_plan *plan, int has_options,
            char **text_p)
{
    paulimpi__text text = PAULIMPI__TEXT_INIT;

    explain_list(plan, 0, &text);
    explain_list(plan, 1, &text);
    if (has_options) {
        explain_order(plan, &text);
    }
    if (plan->wire != NULL) {
        paulimpi__text_append(&text, "carried by %s: %s\n",
                              plan->transport->name, plan->why_transport);
    }
    *text_p = paulimpi__text_take(&text);
    return *text_p != NULL ? PAULIMPI_SUCCESS
                           : paulimpi__no_memory(function, text.capacity);
}

int
paulimpi_plan_explain(const paulimpi_plan *plan, char **text_p)
{
    static const char function[] = "paulimpi_plan_explain";
    int rc =
        paulimpi__handle_check(plan, PAULIMPI__HANDLE_PLAN, function, "plan");

    if (text_p != NULL) {
        *text_p = NULL;
    }
    if (rc == PAULIMPI_SUCCESS && text_p == NULL) {
        rc = paulimpi__null(function, "text_p");
    }
    return rc == PAULIMPI_SUCCESS ? explain_all(function, plan, 1, text_p)
                                  : rc;
}

int
paulimpi_exchange_explain(paulimpi_context *ctx, int n_sends,
                          const paulimpi_message *sends, int n_receives,
                          const paulimpi_message *receives, char **text_p)
{
    static const char function[] = "paulimpi_exchange_explain";
    paulimpi_plan *plan = NULL;
    int rc =
        paulimpi__handle_check(ctx, PAULIMPI__HANDLE_CONTEXT, function, "ctx");

    if (text_p != NULL) {
        *text_p = NULL;
    }
    if (rc == PAULIMPI_SUCCESS && text_p == NULL) {
        rc = paulimpi__null(function, "text_p");
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__plan_make(function, ctx, n_sends, sends, n_receives,
                                 receives, NULL, &plan);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = explain_all(function, plan, 0, text_p);
        paulimpi__plan_free(plan);
    }
    return rc;
}
