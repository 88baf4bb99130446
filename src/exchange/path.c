/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How each message goes.
 */
#include <inttypes.h>

#include "device/device.h"
#include "exchange/awareness.h"
#include "exchange/state.h"

/* Many an MPI works with one device of a process, the one that was current
 * first. */
static int
is_tried_with(paulimpi_context *ctx, int kind, int device)
{
    int tried = paulimpi__aware_device(ctx, kind);

    return tried < 0 || device < 0 || device == tried;
}

int
paulimpi__mpi_takes(paulimpi_context *ctx, int kind, int device)
{
    int state = PAULIMPI_AWARE_UNKNOWN;

    if (kind == PAULIMPI_MEMORY_HOST || kind == PAULIMPI_MEMORY_PINNED) {
        return 1;
    }
    return paulimpi_aware(ctx, kind, PAULIMPI_OPERATION_MESSAGE, &state, NULL)
               == PAULIMPI_SUCCESS
           && state == PAULIMPI_AWARE_YES && is_tried_with(ctx, kind, device);
}

static int
path_of(paulimpi_context *ctx, const paulimpi__transport *transport,
        const paulimpi__message *message)
{
    if (message->peer == PAULIMPI_PEER_NONE) {
        return PAULIMPI__PATH_NONE;
    }
    if (message->partner >= 0) {
        return PAULIMPI__PATH_SELF;
    }
    if (transport->is_ordered) {
        return message->layout.dimensions == 0 ? PAULIMPI__PATH_DIRECT
                                               : PAULIMPI__PATH_STAGED;
    }

    /* Memory of another process never reaches MPI, whatever it says. */
    if (message->kind == PAULIMPI_MEMORY_IMPORTED) {
        return PAULIMPI__PATH_BOUNCED;
    }
    if (message->layout.dimensions == 0
        && paulimpi__mpi_takes(ctx, message->kind, message->device)) {
        return PAULIMPI__PATH_DIRECT;
    }
    return message->kind <= PAULIMPI_MEMORY_PINNED ? PAULIMPI__PATH_PACKED
                                                   : PAULIMPI__PATH_STAGED;
}

/* What a device must copy goes through memory of a device if that is taken,
 * which saves the way by the host. */
static int
may_use_ring(const paulimpi_plan *plan, const paulimpi__message *message)
{
    return message->path >= PAULIMPI__PATH_STAGED
           && (plan->transport->is_ordered
               || paulimpi__mpi_takes(plan->ctx, PAULIMPI_MEMORY_DEVICE,
                                      paulimpi_device_current()));
}

/* Pieces of a message, 0 where there is nothing to do. */
static int64_t
pieces_of(const paulimpi__format *format, const paulimpi__message *message)
{
    int64_t bytes = message->layout.bytes;

    if (message->path == PAULIMPI__PATH_NONE) {
        return 0;
    }
    if (message->path == PAULIMPI__PATH_SELF) {
        return message->is_receive; /* which does the copy */
    }
    return bytes <= format->whole ? 1 : (bytes - 1) / format->piece + 1;
}

void
paulimpi__paths_begin(paulimpi_plan *plan)
{
    int i;

    for (i = 0; i < plan->n_messages; i++) {
        paulimpi__message *message = &plan->message[i];

        message->path = message->peer == PAULIMPI_PEER_NONE
                            ? PAULIMPI__PATH_NONE
                        : message->partner >= 0 ? PAULIMPI__PATH_SELF
                                                : PAULIMPI__PATH_DIRECT;
    }
}

int
paulimpi__paths_choose(const char *function, paulimpi_plan *plan)
{
    char name[PAULIMPI__NAME];
    int i;

    if (plan->transport->is_ordered) {
        plan->format.whole = INT64_MAX;
    }
    for (i = 0; i < plan->n_messages; i++) {
        paulimpi__message *message = &plan->message[i];

        message->path = path_of(plan->ctx, plan->transport, message);
        message->in_ring = may_use_ring(plan, message);
        message->pieces = pieces_of(&plan->format, message);
        if (message->peer == PAULIMPI_PEER_ANY && message->pieces > 1) {
            return paulimpi__error(
                PAULIMPI_ERR_UNSUPPORTED,
                "%s: %s: a message from any rank may have at most %" PRId64
                " bytes, but the region has %" PRId64
                ", which come in pieces: name the rank",
                function, paulimpi__message_name(message, name),
                plan->format.whole, message->layout.bytes);
        }
    }
    return PAULIMPI_SUCCESS;
}
