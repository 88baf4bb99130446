/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Small numbers and texts of all ranks: reduced, shared, gathered, traded.
 * What MPI reads and writes is the scratch of the context, piece by piece, so
 * that a call that is given up touches nothing of the caller's.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "comm/call.h"

static int64_t
least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int
size_of(const paulimpi__call *call)
{
    return call->is_node ? call->ctx->placement.node_ranks : call->ctx->size;
}

int
paulimpi__call_reduce(paulimpi__call *call, int64_t *values)
{
    enum { MOST = PAULIMPI__SCRATCH / 2 / sizeof *values };
    MPI_Op op = call->kind == PAULIMPI__CALL_SUM   ? MPI_SUM
                : call->kind == PAULIMPI__CALL_MAX ? MPI_MAX
                                                   : MPI_MIN;
    MPI_Request request = MPI_REQUEST_NULL;
    int64_t *given = call->ctx->scratch;
    int64_t n = call->a;
    int64_t begin;
    int n_now, code, rc;

    if (size_of(call) == 1) {
        return PAULIMPI_SUCCESS;
    }
    rc = paulimpi__call_begin(call);
    for (begin = 0; begin < n && rc == PAULIMPI_SUCCESS; begin += MOST) {
        n_now = (int)least(n - begin, MOST);
        memcpy(given, values + begin, (size_t)n_now * sizeof *values);
        code = MPI_Iallreduce(given, given + MOST, n_now, MPI_INT64_T, op,
                              paulimpi__call_comm(call), &request);
        rc = paulimpi__call_wait(call, code, "MPI_Iallreduce", &request);
        if (rc == PAULIMPI_SUCCESS) {
            memcpy(values + begin, given + MOST,
                   (size_t)n_now * sizeof *values);
        }
    }
    return rc;
}

int
paulimpi__reduce_int64(paulimpi_context *ctx, const char *function, int op,
                       int64_t n, int64_t *values)
{
    paulimpi__call call = {
        ctx, 0, function, PAULIMPI__CALL_SUM + op, n, 0, 0
    };

    return paulimpi__call_reduce(&call, values);
}

/* An exact sum as numbers that can be added: its limbs after their carries,
 * and how often it met an infinity of either sign or no number. */
enum { SPECIALS = 3, WORDS = PAULIMPI__EXACT_LIMBS + SPECIALS };

static void
carry(paulimpi__exact *sum)
{
    paulimpi__exact carried;

    paulimpi__exact_clear(&carried);
    paulimpi__exact_merge(&carried, sum);
    *sum = carried;
}

static void
to_words(const paulimpi__exact *sum, int64_t word[WORDS])
{
    paulimpi__exact carried = *sum;
    double special = carried.special;

    carry(&carried);
    memcpy(word, carried.limb, sizeof carried.limb);
    word[PAULIMPI__EXACT_LIMBS] = isinf(special) && special > 0.0;
    word[PAULIMPI__EXACT_LIMBS + 1] = isinf(special) && special < 0.0;
    word[PAULIMPI__EXACT_LIMBS + 2] = isnan(special);
}

static void
from_words(const int64_t word[WORDS], paulimpi__exact *sum)
{
    const int64_t *special = word + PAULIMPI__EXACT_LIMBS;

    paulimpi__exact_clear(sum);
    memcpy(sum->limb, word, sizeof sum->limb);
    if (special[2] > 0 || (special[0] > 0 && special[1] > 0)) {
        sum->special = (double)NAN;
    } else if (special[0] + special[1] > 0) {
        sum->special = special[0] > 0 ? HUGE_VAL : -HUGE_VAL;
    }
    carry(sum);
}

int
paulimpi__reduce_exact(paulimpi_context *ctx, const char *function, int64_t n,
                       paulimpi__exact *sums)
{
    enum { MOST = PAULIMPI__SCRATCH / 2 / (WORDS * sizeof(int64_t)) };
    int64_t word[MOST][WORDS];
    int64_t begin, i, n_now;
    int rc = PAULIMPI_SUCCESS;

    for (begin = 0; begin < n && rc == PAULIMPI_SUCCESS; begin += MOST) {
        n_now = least(n - begin, MOST);
        for (i = 0; i < n_now; i++) {
            to_words(&sums[begin + i], word[i]);
        }
        rc = paulimpi__reduce_int64(ctx, function, PAULIMPI__SUM,
                                    n_now * WORDS, word[0]);
        for (i = 0; i < n_now && rc == PAULIMPI_SUCCESS; i++) {
            from_words(word[i], &sums[begin + i]);
        }
    }
    return rc;
}

int
paulimpi__call_share(paulimpi__call *call, void *bytes)
{
    MPI_Comm comm = paulimpi__call_comm(call);
    MPI_Request request = MPI_REQUEST_NULL;
    char *room = call->ctx->scratch;
    int64_t n = call->a;
    int64_t begin;
    int rank, n_now, code, rc;

    if (size_of(call) == 1) {
        return PAULIMPI_SUCCESS;
    }
    MPI_Comm_rank(comm, &rank);
    rc = paulimpi__call_begin(call);
    for (begin = 0; begin < n && rc == PAULIMPI_SUCCESS;
         begin += PAULIMPI__SCRATCH) {
        char *piece = (char *)bytes + begin;

        n_now = (int)least(n - begin, PAULIMPI__SCRATCH);
        if (rank == (int)call->b) {
            memcpy(room, piece, (size_t)n_now);
        }
        code = MPI_Ibcast(room, n_now, MPI_BYTE, (int)call->b, comm, &request);
        rc = paulimpi__call_wait(call, code, "MPI_Ibcast", &request);
        if (rc == PAULIMPI_SUCCESS && rank != (int)call->b) {
            memcpy(piece, room, (size_t)n_now);
        }
    }
    return rc;
}

int
paulimpi__share_bytes(paulimpi_context *ctx, const char *function, int root,
                      void *bytes, int64_t n)
{
    paulimpi__call call = {
        ctx, 0, function, PAULIMPI__CALL_SHARE, n, root, 0
    };

    return paulimpi__call_share(&call, bytes);
}

/* Gather by pieces of at most so many bytes; room is for those of all ranks and
 * one more. */
static int
gather_by(paulimpi__call *call, char *room, int64_t most, const char *mine,
          char *all)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int size = size_of(call);
    int64_t n = call->a;
    int64_t begin;
    int n_now, i, code;
    int rc = paulimpi__call_begin(call);

    for (begin = 0; begin < n && rc == PAULIMPI_SUCCESS; begin += most) {
        n_now = (int)least(n - begin, most);
        memcpy(room, mine + begin, (size_t)n_now);
        code = MPI_Iallgather(room, n_now, MPI_BYTE, room + most, n_now,
                              MPI_BYTE, paulimpi__call_comm(call), &request);
        rc = paulimpi__call_wait(call, code, "MPI_Iallgather", &request);
        for (i = 0; i < size && rc == PAULIMPI_SUCCESS; i++) {
            memcpy(all + i * n + begin, room + most + (int64_t)i * n_now,
                   (size_t)n_now);
        }
    }
    return rc;
}

int
paulimpi__call_gather(paulimpi__call *call, const void *mine, void *all)
{
    int64_t piece = PAULIMPI__SCRATCH / ((int64_t)size_of(call) + 1);

    if (size_of(call) == 1) {
        memcpy(all, mine, (size_t)call->a);
        return PAULIMPI_SUCCESS;
    }
    if (piece == 0) {
        return paulimpi__error(PAULIMPI_ERR_UNSUPPORTED,
                               "%s: a node with %d ranks", call->function,
                               size_of(call));
    }
    return gather_by(call, call->ctx->scratch, piece, mine, all);
}

int
paulimpi__gather_bytes(paulimpi_context *ctx, const char *function,
                       const void *mine, int64_t n, void *all)
{
    /* Pieces that are worth a message. */
    enum { LEAST_PIECE = 64, GREATEST_PIECE = 1 << 12 };
    paulimpi__call call = { ctx, 0, function, PAULIMPI__CALL_GATHER, n, 0, 0 };
    int64_t piece = PAULIMPI__SCRATCH / ((int64_t)ctx->size + 1);
    size_t ranks = (size_t)ctx->size + 1;
    char *room;
    int rc;

    if (ctx->size == 1 || piece >= n || piece >= LEAST_PIECE) {
        return paulimpi__call_gather(&call, mine, all);
    }
    piece = least(n, GREATEST_PIECE);
    room = paulimpi__alloc(ranks, (size_t)piece);
    rc = paulimpi__agree_in(
        ctx, function,
        room != NULL ? PAULIMPI_SUCCESS
                     : paulimpi__no_memory(function, ranks * (size_t)piece));
    if (rc == PAULIMPI_SUCCESS) {
        rc = gather_by(&call, room, piece, mine, all);
    }
    if (!ctx->is_lost) {
        paulimpi__free(room);
    }
    return rc;
}

int
paulimpi__call_meet(paulimpi__call *call)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code, rc;

    if (size_of(call) == 1) {
        return PAULIMPI_SUCCESS;
    }
    rc = paulimpi__call_begin(call);
    if (rc == PAULIMPI_SUCCESS) {
        code = MPI_Ibarrier(paulimpi__call_comm(call), &request);
        rc = paulimpi__call_wait(call, code, "MPI_Ibarrier", &request);
    }
    return rc;
}

int
paulimpi__trade_counts(paulimpi_context *ctx, const char *function,
                       const paulimpi__lists *give, paulimpi__lists *take)
{
    paulimpi__call call = { ctx, 0, function, PAULIMPI__CALL_MOVE, 0, 0, 0 };
    MPI_Request request = MPI_REQUEST_NULL;
    int rc = paulimpi__call_begin(&call);
    int code;

    if (rc == PAULIMPI_SUCCESS) {
        code = MPI_Ialltoall(give->count, 1, MPI_INT, take->count, 1, MPI_INT,
                             ctx->comm, &request);
        rc = paulimpi__call_wait(&call, code, "MPI_Ialltoall", &request);
    }
    return rc;
}

int
paulimpi__trade_numbers(paulimpi_context *ctx, const char *function,
                        const paulimpi__lists *give, paulimpi__lists *take)
{
    paulimpi__call call = { ctx, 0, function, PAULIMPI__CALL_MOVE, 0, 0, 0 };
    MPI_Request request = MPI_REQUEST_NULL;
    int rc = paulimpi__call_begin(&call);
    int code;

    if (rc == PAULIMPI_SUCCESS) {
        code = MPI_Ialltoallv(give->number, give->count, give->first,
                              MPI_INT64_T, take->number, take->count,
                              take->first, MPI_INT64_T, ctx->comm, &request);
        rc = paulimpi__call_wait(&call, code, "MPI_Ialltoallv", &request);
    }
    return rc;
}
