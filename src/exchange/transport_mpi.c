/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages by MPI, two-sided.
 */
#include "exchange/transport.h"

#include <string.h>

#include "base/base.h"
#include "comm/comm.h"
#include "exchange/exchange.h"

struct paulimpi__wire {
    MPI_Comm comm;
    MPI_Comm apart;
    int n_slots;
    MPI_Request *request;
    MPI_Status *status;
    MPI_Status *known; /* of a receive that was as long as posted */
    int *index;
    int has_cancelled; /* receives */
};

static void
close_wire(paulimpi__wire *wire)
{
    if (wire != NULL) {
        paulimpi__free(wire->request);
        paulimpi__free(wire->status);
        paulimpi__free(wire->known);
        paulimpi__free(wire->index);
        paulimpi__free(wire);
    }
}

static int
open_wire(paulimpi_context *ctx, int n_slots, int n_posts,
          paulimpi__wire **wire_p)
{
    size_t n = (size_t)n_slots;
    paulimpi__wire *wire = paulimpi__alloc_zero(1, sizeof *wire);
    int i;

    (void)n_posts;
    if (wire == NULL) {
        return paulimpi__no_memory("transport", sizeof *wire);
    }
    wire->comm = paulimpi__context_comm(ctx);
    wire->apart = paulimpi__context_apart(ctx);
    wire->n_slots = n_slots;
    wire->request = paulimpi__alloc(n, sizeof *wire->request);
    wire->status = paulimpi__alloc_zero(n, sizeof *wire->status);
    wire->known = paulimpi__alloc(n, sizeof *wire->known);
    wire->index = paulimpi__alloc(n, sizeof *wire->index);
    if (wire->request == NULL || wire->status == NULL || wire->known == NULL
        || wire->index == NULL) {
        close_wire(wire);
        return paulimpi__no_memory("transport", n * sizeof *wire->status);
    }
    for (i = 0; i < n_slots; i++) {
        wire->request[i] = MPI_REQUEST_NULL;
    }

    /* No message has such a status. */
    memset(wire->known, 0xff, n * sizeof *wire->known);
    *wire_p = wire;
    return PAULIMPI_SUCCESS;
}

static void
go_apart(paulimpi__wire *wire)
{
    wire->comm = wire->apart;
}

static inline int
post_receive(MPI_Comm comm, const paulimpi__post *post, MPI_Request *request)
{
    int peer = post->peer == PAULIMPI_PEER_ANY ? MPI_ANY_SOURCE : post->peer;

    return MPI_Irecv(post->address, (int)post->bytes, MPI_BYTE, peer,
                     post->tag, comm, request);
}

static inline int
post_send(MPI_Comm comm, const paulimpi__post *post, MPI_Request *request)
{
    return MPI_Isend(post->address, (int)post->bytes, MPI_BYTE, post->peer,
                     post->tag, comm, request);
}

static int
fail_receive(paulimpi__wire *wire, int slot, int mpi_code)
{
    wire->request[slot] = MPI_REQUEST_NULL;
    return paulimpi__mpi_error(mpi_code, "receive of a message", "MPI_Irecv");
}

static int
fail_send(paulimpi__wire *wire, int slot, int mpi_code)
{
    wire->request[slot] = MPI_REQUEST_NULL;
    return paulimpi__mpi_error(mpi_code, "send of a message", "MPI_Isend");
}

static int
receive(paulimpi__wire *wire, int slot, const paulimpi__post *post)
{
    int rc = post_receive(wire->comm, post, &wire->request[slot]);

    return rc == MPI_SUCCESS ? PAULIMPI_SUCCESS : fail_receive(wire, slot, rc);
}

static int
send(paulimpi__wire *wire, int slot, const paulimpi__post *post)
{
    int rc = post_send(wire->comm, post, &wire->request[slot]);

    return rc == MPI_SUCCESS ? PAULIMPI_SUCCESS : fail_send(wire, slot, rc);
}

/* Put what MPI says of a message into done. */
static void
tell(const paulimpi__wire *wire, int slot, const MPI_Status *status,
     int mpi_code, paulimpi__completion *done)
{
    int class = MPI_SUCCESS;
    int is_cancelled = 0;
    int bytes = 0;

    done->slot = slot;
    done->peer = status->MPI_SOURCE;
    done->tag = status->MPI_TAG;
    done->rc = PAULIMPI_SUCCESS;
    done->is_cut = 0;
    if (wire->has_cancelled) {
        MPI_Test_cancelled(status, &is_cancelled);
    }
    if (!is_cancelled) {
        MPI_Get_count(status, MPI_BYTE, &bytes);
    }
    done->bytes = bytes;
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

/* Tell of the n messages that MPI says have ended. */
static int
tell_some(paulimpi__wire *wire, int n, int mpi_code, const char *call,
          int *n_p, paulimpi__completion *done)
{
    int has_codes = is_in_status(mpi_code);
    int i;

    *n_p = 0;
    if (mpi_code != MPI_SUCCESS && !has_codes) {
        return paulimpi__mpi_error(mpi_code, "end of a message", call);
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

static int
test(paulimpi__wire *wire, int *n_p, paulimpi__completion *done)
{
    int n = 0;
    int rc = MPI_Testsome(wire->n_slots, wire->request, &n, wire->index,
                          wire->status);

    return tell_some(wire, n, rc, "MPI_Testsome", n_p, done);
}

static int
await(paulimpi__wire *wire, int *n_p, paulimpi__completion *done)
{
    int n = 0;
    int rc = MPI_Waitsome(wire->n_slots, wire->request, &n, wire->index,
                          wire->status);

    return tell_some(wire, n, rc, "MPI_Waitsome", n_p, done);
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
start(paulimpi__wire *wire, int n_receives, const paulimpi__post *post,
      int *n_p)
{
    MPI_Comm comm = wire->comm;
    MPI_Request *request = wire->request;
    int n = wire->n_slots;
    int i, rc;

    for (i = 0; i < n_receives; i++) {
        rc = post_receive(comm, &post[i], &request[i]);
        if (rc != MPI_SUCCESS) {
            *n_p = i;
            return fail_receive(wire, i, rc);
        }
    }
    for (; i < n; i++) {
        rc = post_send(comm, &post[i], &request[i]);
        if (rc != MPI_SUCCESS) {
            *n_p = i;
            return fail_send(wire, i, rc);
        }
    }
    *n_p = n;
    return PAULIMPI_SUCCESS;
}

/* Look at a receive whose status is not known; whether it is as long as
 * posted. */
static int
look_at(paulimpi__wire *wire, int slot, const paulimpi__post *post)
{
    int bytes = 0;

    MPI_Get_count(&wire->status[slot], MPI_BYTE, &bytes);
    if (bytes != post->bytes) {
        return 0;
    }
    wire->known[slot] = wire->status[slot];
    return 1;
}

/* Whether all receives are as long as posted. A status that equals, byte for
 * byte, one that was says the same, so that MPI need not be asked. */
static inline int
are_as_posted(paulimpi__wire *wire, int n_receives, const paulimpi__post *post)
{
    const MPI_Status *status = wire->status;
    const MPI_Status *known = wire->known;
    int i;

    for (i = 0; i < n_receives; i++) {
        if (memcmp(&status[i], &known[i], sizeof *status) != 0
            && !look_at(wire, i, &post[i])) {
            return 0;
        }
    }
    return 1;
}

static int
fail_end(paulimpi__wire *wire, int mpi_code, const char *call, int *n_p,
         paulimpi__completion *done)
{
    *n_p = is_in_status(mpi_code) ? tell_ended(wire, done) : 0;
    return *n_p > 0 ? PAULIMPI_SUCCESS
                    : paulimpi__mpi_error(mpi_code, "end of a message", call);
}

/* All messages have ended without an error. */
static int
tell_all(paulimpi__wire *wire, int n_receives, int *n_p,
         paulimpi__completion *done)
{
    int i;

    for (i = 0; i < n_receives; i++) {
        tell(wire, i, &wire->status[i], MPI_SUCCESS, &done[i]);
    }
    *n_p = PAULIMPI__ALL_WELL;
    return PAULIMPI_SUCCESS;
}

static int
test_all(paulimpi__wire *wire, int n_receives, const paulimpi__post *post,
         int *n_p, paulimpi__completion *done)
{
    int is_over = 0;
    int rc = MPI_Testall(wire->n_slots, wire->request, &is_over, wire->status);

    if (rc != MPI_SUCCESS) {
        return fail_end(wire, rc, "MPI_Testall", n_p, done);
    }
    *n_p = is_over ? PAULIMPI__AS_POSTED : 0;
    return !is_over || (post != NULL && are_as_posted(wire, n_receives, post))
               ? PAULIMPI_SUCCESS
               : tell_all(wire, n_receives, n_p, done);
}

static int
wait_all(paulimpi__wire *wire, int n_receives, const paulimpi__post *post,
         int *n_p, paulimpi__completion *done)
{
    int rc = MPI_Waitall(wire->n_slots, wire->request, wire->status);

    if (rc != MPI_SUCCESS) {
        return fail_end(wire, rc, "MPI_Waitall", n_p, done);
    }
    *n_p = PAULIMPI__AS_POSTED;
    return post != NULL && are_as_posted(wire, n_receives, post)
               ? PAULIMPI_SUCCESS
               : tell_all(wire, n_receives, n_p, done);
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
    .go_apart = go_apart,
    .receive = receive,
    .send = send,
    .test = test,
    .await = await,
    .start = start,
    .test_all = test_all,
    .wait_all = wait_all,
    .cancel = cancel,
    .abandon = abandon,
};
