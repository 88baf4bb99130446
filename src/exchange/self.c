/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages of a rank to itself: matched and copied here. MPI would do it too,
 * but not with memory of devices, and one that meets nothing would wait for
 * ever.
 */
#include <inttypes.h>

#include "exchange/state.h"

/* The first receive without a sender that meets a send to this rank. */
static int
find_receive(const paulimpi_plan *plan, int tag)
{
    int i;

    for (i = 0; i < plan->n_receives; i++) {
        const paulimpi__message *receive = &plan->message[i];

        if (receive->partner < 0 && receive->tag == tag
            && (receive->peer == plan->rank
                || receive->peer == PAULIMPI_PEER_ANY)) {
            break;
        }
    }
    return i;
}

static int
unmet(const char *function, const paulimpi__message *message, int rank)
{
    char name[PAULIMPI__NAME];

    return paulimpi__error(
        PAULIMPI_ERR_STATE,
        "%s: %s, tag %d, is %s rank %d itself, where no %s meets it: it "
        "would wait for ever",
        function, paulimpi__message_name(message, name), message->tag,
        message->is_receive ? "a receive from" : "a send to", rank,
        message->is_receive ? "send" : "receive");
}

static int
join(const char *function, paulimpi_plan *plan, int sent, int received)
{
    paulimpi__message *send = &plan->message[sent];
    paulimpi__message *receive = &plan->message[received];

    send->partner = received;
    receive->partner = sent;
    receive->peer = plan->rank;
    if (send->layout.bytes != receive->layout.bytes) {
        return paulimpi__error(
            PAULIMPI_ERR_MISMATCH,
            "%s: sends[%d] to rank %d itself, tag %d, has %" PRId64
            " bytes, but receives[%d], which it meets, has %" PRId64,
            function, send->index, plan->rank, send->tag, send->layout.bytes,
            receive->index, receive->layout.bytes);
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi__self_match(const char *function, paulimpi_plan *plan)
{
    int is_alone = paulimpi_context_size(plan->ctx) == 1;
    int i, received, rc;

    for (i = plan->n_receives; i < plan->n_messages; i++) {
        const paulimpi__message *send = &plan->message[i];

        if (send->peer != plan->rank) {
            continue;
        }
        received = find_receive(plan, send->tag);
        rc = received == plan->n_receives ? unmet(function, send, plan->rank)
                                          : join(function, plan, i, received);
        if (rc != PAULIMPI_SUCCESS) {
            return rc;
        }
    }
    for (i = 0; i < plan->n_receives; i++) {
        const paulimpi__message *receive = &plan->message[i];

        if (receive->partner < 0
            && (receive->peer == plan->rank
                || (is_alone && receive->peer == PAULIMPI_PEER_ANY))) {
            return unmet(function, receive, plan->rank);
        }
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi__self_needs_block(const paulimpi_plan *plan,
                           const paulimpi__message *receive)
{
    return receive->layout.dimensions > 0
           && plan->message[receive->partner].layout.dimensions > 0;
}

static int
is_on_host(const paulimpi__message *message)
{
    return message->kind <= PAULIMPI_MEMORY_PINNED;
}

static int
copier_of(const paulimpi__message *message)
{
    return is_on_host(message) ? PAULIMPI__BY_HOST : message->copier;
}

/* One part by the block. The two halves take turns in the stream if both
 * regions are on a device; the host does its half at once. */
static int
copy_part(paulimpi_plan *plan, const paulimpi__message *send,
          const paulimpi__message *receive, int64_t first, int64_t bytes,
          paulimpi_stream stream)
{
    int is_mixed = is_on_host(send) != is_on_host(receive);
    int rc = paulimpi__pack(&send->layout, copier_of(send), first, bytes,
                            plan->self_block, stream);

    if (rc == PAULIMPI_SUCCESS && is_mixed && is_on_host(receive)) {
        rc = paulimpi_stream_wait(stream);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__unpack(&receive->layout, copier_of(receive), first,
                              bytes, plan->self_block, stream);
    }
    if (rc == PAULIMPI_SUCCESS && is_mixed && is_on_host(send)) {
        rc = paulimpi_stream_wait(stream);
    }
    return rc;
}

static int
copy_by_block(paulimpi_plan *plan, const paulimpi__message *send,
              const paulimpi__message *receive, paulimpi_stream stream)
{
    int64_t all = send->layout.bytes;
    int64_t first, bytes;
    int rc = PAULIMPI_SUCCESS;

    for (first = 0; first < all && rc == PAULIMPI_SUCCESS; first += bytes) {
        bytes =
            all - first < plan->self_bytes ? all - first : plan->self_bytes;
        rc = copy_part(plan, send, receive, first, bytes, stream);
    }
    return rc;
}

int
paulimpi__self_copy(paulimpi_plan *plan, const paulimpi__message *receive)
{
    const paulimpi__message *send = &plan->message[receive->partner];
    const paulimpi__layout *from = &send->layout;
    const paulimpi__layout *to = &receive->layout;
    paulimpi_stream stream = NULL;
    int by = PAULIMPI__BY_HOST; /* if both are there; else a device copies */

    if (receive->lane >= 0) {
        stream = plan->lane[receive->lane].in;
        by = PAULIMPI__BY_DEVICE;
    }
    paulimpi__count(PAULIMPI_COUNT_SELF, from->bytes);
    paulimpi__count_copy(receive->kind, send->kind, from->bytes);
    if (from->bytes == 0) {
        return PAULIMPI_SUCCESS;
    }
    if (from->dimensions == 0) {
        return paulimpi__unpack(to, is_on_host(receive) ? by : receive->copier,
                                0, to->bytes, from->base, stream);
    }
    if (to->dimensions == 0) {
        return paulimpi__pack(from, is_on_host(send) ? by : send->copier, 0,
                              from->bytes, to->base, stream);
    }
    return copy_by_block(plan, send, receive, stream);
}
