/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages by MPI, two-sided.
 */
#include "exchange/transport.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "comm/comm.h"
#include "exchange/exchange.h"

struct paulimpi__wire {
    MPI_Comm comm;
    int n_slots;
    MPI_Request *request;
    MPI_Status *status;
    int *index;
    int has_cancelled; /* receives */
};

static void
close_wire(paulimpi__wire *wire)
{
    if (wire != NULL) {
        paulimpi__free(wire->request);
        paulimpi__free(wire->status);
        paulimpi__free(wire->index);
        paulimpi__free(wire);
    }
}

static int
open_wire(paulimpi_context *ctx, int n_slots, paulimpi__wire **wire_p)
{
    size_t n = (size_t)n_slots;
    paulimpi__wire *wire = paulimpi__alloc_zero(1, sizeof *wire);
    int i;

    if (wire == NULL) {
        return paulimpi__no_memory("transport", sizeof *wire);
    }
    wire->comm = paulimpi__context_comm(ctx);
    wire->n_slots = n_slots;
    wire->request = paulimpi__alloc(n, sizeof *wire->request);
    wire->status = paulimpi__alloc(n, sizeof *wire->status);
    wire->index = paulimpi__alloc(n, sizeof *wire->index);
    if (wire->request == NULL || wire->status == NULL || wire->index == NULL) {
        close_wire(wire);
        return paulimpi__no_memory("transport", n * sizeof *wire->status);
    }
    for (i = 0; i < n_slots; i++) {
        wire->request[i] = MPI_REQUEST_NULL;
    }
    *wire_p = wire;
    return PAULIMPI_SUCCESS;
}

static int
receive(paulimpi__wire *wire, int slot, const paulimpi__post *post)
{
    int peer = post->peer == PAULIMPI_PEER_ANY ? MPI_ANY_SOURCE : post->peer;
    int rc = MPI_Irecv(post->address, post->bytes, MPI_BYTE, peer, post->tag,
                       wire->comm, &wire->request[slot]);

    if (rc != MPI_SUCCESS) {
        wire->request[slot] = MPI_REQUEST_NULL;
        return paulimpi__mpi_error(rc, "receive of a message", "MPI_Irecv");
    }
    return PAULIMPI_SUCCESS;
}

static int
send(paulimpi__wire *wire, int slot, const paulimpi__post *post)
{
    int rc = MPI_Isend(post->address, post->bytes, MPI_BYTE, post->peer,
                       post->tag, wire->comm, &wire->request[slot]);

    if (rc != MPI_SUCCESS) {
        wire->request[slot] = MPI_REQUEST_NULL;
        return paulimpi__mpi_error(rc, "send of a message", "MPI_Isend");
    }
    return PAULIMPI_SUCCESS;
}

/* Put what MPI says of a message into done. */
static void
tell(const paulimpi__wire *wire, int slot, const MPI_Status *status,
     int mpi_code, paulimpi__completion *done)
{
    int class = MPI_SUCCESS;
    int is_cancelled = 0;

    done->slot = slot;
    done->peer = status->MPI_SOURCE;
    done->tag = status->MPI_TAG;
    done->rc = PAULIMPI_SUCCESS;
    done->is_cut = 0;
    done->bytes = 0;
    if (wire->has_cancelled) {
        MPI_Test_cancelled(status, &is_cancelled);
    }
    if (!is_cancelled) {
        MPI_Get_count(status, MPI_BYTE, &done->bytes);
    }
    if (mpi_code != MPI_SUCCESS) {
        MPI_Error_class(mpi_code, &class);
        done->is_cut = class == MPI_ERR_TRUNCATE;
        if (!done->is_cut) {
            done->rc =
                paulimpi__mpi_error(mpi_code, "end of a message", "MPI_Wait");
        }
    }
}

static int
is_in_status(int mpi_code)
{
    int class = MPI_SUCCESS;

    if (mpi_code != MPI_SUCCESS) {
        MPI_Error_class(mpi_code, &class);
    }
    return class == MPI_ERR_IN_STATUS;
}

static int
test(paulimpi__wire *wire, int *n_p, paulimpi__completion *done)
{
    int n = 0;
    int rc = MPI_Testsome(wire->n_slots, wire->request, &n, wire->index,
                          wire->status);
    int has_codes = is_in_status(rc);
    int i;

    *n_p = 0;
    if (rc != MPI_SUCCESS && !has_codes) {
        return paulimpi__mpi_error(rc, "end of a message", "MPI_Testsome");
    }
    if (n == MPI_UNDEFINED) {
        return PAULIMPI_SUCCESS;
    }
    for (i = 0; i < n; i++) {
        tell(wire, wire->index[i], &wire->status[i],
             has_codes ? wire->status[i].MPI_ERROR : MPI_SUCCESS, &done[i]);
    }
    *n_p = n;
    return PAULIMPI_SUCCESS;
}

/* Tell of those that a wait with failures has ended. */
static int
tell_ended(paulimpi__wire *wire, paulimpi__completion *done)
{
    int n = 0;
    int i;

    for (i = 0; i < wire->n_slots; i++) {
        int code = wire->status[i].MPI_ERROR;
        int class = MPI_SUCCESS;

        if (code != MPI_SUCCESS) {
            MPI_Error_class(code, &class);
        }
        if (class != MPI_ERR_PENDING) {
            tell(wire, i, &wire->status[i], code, &done[n++]);
        }
    }
    return n;
}

static int
wait(paulimpi__wire *wire, int n_receives, int *n_p,
     paulimpi__completion *done)
{
    int rc = MPI_Waitall(wire->n_slots, wire->request, wire->status);
    int i;

    if (rc != MPI_SUCCESS) {
        *n_p = is_in_status(rc) ? tell_ended(wire, done) : 0;
        return *n_p > 0 ? PAULIMPI_SUCCESS
                        : paulimpi__mpi_error(rc, "end of a message",
                                              "MPI_Waitall");
    }
    for (i = 0; i < n_receives; i++) {
        const MPI_Status *status = &wire->status[i];

        done[i] = (paulimpi__completion){
            i, status->MPI_SOURCE, status->MPI_TAG, 0, 0, 0
        };
        MPI_Get_count(status, MPI_BYTE, &done[i].bytes);
    }
    *n_p = PAULIMPI__ALL_WELL;
    return PAULIMPI_SUCCESS;
}

static void
cancel(paulimpi__wire *wire, int slot)
{
    if (wire->request[slot] != MPI_REQUEST_NULL) {
        wire->has_cancelled = 1;
        MPI_Cancel(&wire->request[slot]);
    }
}

static void
abandon(paulimpi__wire *wire, int slot)
{
    if (wire->request[slot] != MPI_REQUEST_NULL) {
        MPI_Request_free(&wire->request[slot]);
    }
}

const paulimpi__transport paulimpi__transport_mpi = {
    .name = "MPI",
    .open = open_wire,
    .close = close_wire,
    .receive = receive,
    .send = send,
    .test = test,
    .wait = wait,
    .cancel = cancel,
    .abandon = abandon,
};

int
paulimpi__transport_choose(const char *function,
                           const paulimpi__transport **transport_p)
{
    const char *name = getenv("PAULIMPI_TRANSPORT");

    *transport_p = &paulimpi__transport_mpi;
    if (name != NULL && name[0] != '\0' && strcmp(name, "mpi") != 0) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: the environment variable "
                               "PAULIMPI_TRANSPORT is \"%s\", but must be mpi",
                               function, name);
    }
    return PAULIMPI_SUCCESS;
}
