/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collective operations that go wrong: on all ranks, with a sentence, and
 * without a touch to any buffer. And a rank that stops in one.
 */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "paulimpi/collective.h"
#include "tap/tap_mpi.h"

enum { SIZE = 3, COUNT = 50000 };

static paulimpi_context *ctx;
static int rank;
static double sent[COUNT], got[COUNT];
static int64_t counts[SIZE], send_counts[SIZE];

/* What rank 1 gives; the others give what is right. */
typedef struct {
    const char *fact;
    int code; /* on rank 1 */
    const char *part;
    int64_t count;
    int type;
    int op;
    int root;
    const void *send;
    void *receive;
} wrong;

/* A context that breaks, of which MPI keeps what was under way. */
static __attribute__((noinline)) int
create_doomed(paulimpi_context **ctx_p)
{
    return paulimpi_context_create(MPI_COMM_WORLD, NULL, ctx_p);
}

static wrong
choose(const wrong *theirs)
{
    const wrong right = {
        NULL, 0, NULL, 8, PAULIMPI_FLOAT64, PAULIMPI_REDUCE_SUM, 0, sent, got
    };

    return rank == 1 ? *theirs : right;
}

static void
check_refused(int rc, const char *function, const wrong *theirs)
{
    int want = theirs->code == PAULIMPI_ERR_MISMATCH || rank == 1
                   ? theirs->code
                   : PAULIMPI_ERR_REMOTE;
    int i, n_touched = 0;

    for (i = 0; i < COUNT; i++) {
        n_touched += got[i] != -1.0;
    }
    tap_mpi_ok(rc == want
                   && strstr(paulimpi_last_error(), theirs->part) != NULL
                   && strstr(paulimpi_last_error(), function) != NULL
                   && n_touched == 0,
               "%s: %s", function, theirs->fact);
    if (rc != want) {
        tap_note("rank %d: %d: %s", rank, rc, paulimpi_last_error());
    }
}

static void
test_reduce(const wrong *theirs)
{
    wrong w = choose(theirs);

    check_refused(paulimpi_reduce(ctx, w.send, w.receive, w.count, w.type,
                                  w.op, w.root, NULL),
                  "paulimpi_reduce", theirs);
    check_refused(paulimpi_allreduce(ctx, w.send, w.receive, w.count, w.type,
                                     w.op, NULL),
                  "paulimpi_allreduce", theirs);
}

static const wrong reductions[] = {
    { "a count below 0", PAULIMPI_ERR_ARGUMENT, "count is -1", -1,
      PAULIMPI_FLOAT64, PAULIMPI_REDUCE_SUM, 0, sent, got },
    { "too many", PAULIMPI_ERR_RANGE, "must be fewer than", INT64_C(1) << 60,
      PAULIMPI_FLOAT64, PAULIMPI_REDUCE_SUM, 0, sent, got },
    { "no type", PAULIMPI_ERR_ARGUMENT, "type is 9", 8, 9, PAULIMPI_REDUCE_SUM,
      0, sent, got },
    { "no operation", PAULIMPI_ERR_ARGUMENT, "op is 0", 8, PAULIMPI_FLOAT64, 0,
      0, sent, got },
    { "bits of floats", PAULIMPI_ERR_ARGUMENT, "no reduction of float64", 8,
      PAULIMPI_FLOAT64, PAULIMPI_REDUCE_XOR, 0, sent, got },
    { "the least complex number", PAULIMPI_ERR_ARGUMENT,
      "no reduction of complex64", 8, PAULIMPI_COMPLEX64, PAULIMPI_REDUCE_MIN,
      0, sent, got },
    { "a sum of bytes", PAULIMPI_ERR_ARGUMENT, "no reduction of byte", 8,
      PAULIMPI_BYTE, PAULIMPI_REDUCE_SUM, 0, sent, got },
    { "no send buffer", PAULIMPI_ERR_ARGUMENT, "send is NULL", 8,
      PAULIMPI_FLOAT64, PAULIMPI_REDUCE_SUM, 0, NULL, got },
    { "another count", PAULIMPI_ERR_MISMATCH,
      "what is asked of rank 1 differs from that of ranks 0, 2", 7,
      PAULIMPI_FLOAT64, PAULIMPI_REDUCE_SUM, 0, sent, got },
    { "another operation", PAULIMPI_ERR_MISMATCH, "rank 1 differs", 8,
      PAULIMPI_FLOAT64, PAULIMPI_REDUCE_MAX, 0, sent, got },
};

static void
test_reductions(void)
{
    size_t i;
    int rc;

    for (i = 0; i < sizeof reductions / sizeof reductions[0]; i++) {
        test_reduce(&reductions[i]);
    }
    rc = paulimpi_reduce(ctx, sent, got, 8, PAULIMPI_FLOAT64,
                         PAULIMPI_REDUCE_SUM, rank == 1 ? 3 : 0, NULL);
    tap_mpi_ok(rc == (rank == 1 ? PAULIMPI_ERR_ARGUMENT : PAULIMPI_ERR_REMOTE)
                   && strstr(paulimpi_last_error(), "root is 3") != NULL,
               "no root");
    rc =
        paulimpi_reduce(ctx, rank == 1 ? PAULIMPI_IN_PLACE : (void *)sent, got,
                        8, PAULIMPI_FLOAT64, PAULIMPI_REDUCE_SUM, 0, NULL);
    tap_mpi_ok(rc == (rank == 1 ? PAULIMPI_ERR_ARGUMENT : PAULIMPI_ERR_REMOTE)
                   && strstr(paulimpi_last_error(), "not the root") != NULL,
               "in place beside the root");
    rc = paulimpi_allreduce(ctx, sent, rank == 1 ? sent + 7 : got, 8,
                            PAULIMPI_FLOAT64, PAULIMPI_REDUCE_SUM, NULL);
    tap_mpi_is_status(rc,
                      rank == 1 ? PAULIMPI_ERR_OVERLAP : PAULIMPI_ERR_REMOTE,
                      "buffers that overlap");
}

static void
test_moves(void)
{
    paulimpi_arrival arrival;
    paulimpi_exchange_options options = PAULIMPI_EXCHANGE_OPTIONS_INIT;
    int rc;

    rc = paulimpi_broadcast(ctx, got, 8, PAULIMPI_FLOAT64, rank == 2, NULL);
    tap_mpi_is_status(rc, PAULIMPI_ERR_MISMATCH, "two roots");
    rc = paulimpi_broadcast(ctx, rank == 1 ? NULL : got, 8, PAULIMPI_FLOAT64,
                            0, NULL);
    tap_mpi_is_status(rc,
                      rank == 1 ? PAULIMPI_ERR_ARGUMENT : PAULIMPI_ERR_REMOTE,
                      "nothing to broadcast");
    options.arrivals = rank == 1 ? &arrival : NULL;
    rc = paulimpi_allgather(ctx, sent, 8, PAULIMPI_FLOAT64, got, &options);
    tap_mpi_ok(rc == (rank == 1 ? PAULIMPI_ERR_ARGUMENT : PAULIMPI_ERR_REMOTE)
                   && strstr(paulimpi_last_error(), "arrivals") != NULL,
               "arrivals are refused");
    options.arrivals = NULL;
    options.size = rank == 1 ? 0 : options.size;
    rc = paulimpi_alltoall(ctx, sent, 8, PAULIMPI_FLOAT64, got, &options);
    tap_mpi_is_status(rc,
                      rank == 1 ? PAULIMPI_ERR_ARGUMENT : PAULIMPI_ERR_REMOTE,
                      "options without a size");
    rc = paulimpi_allgatherv(ctx, sent, PAULIMPI_FLOAT64, got,
                             rank == 1 ? NULL : counts, NULL, NULL);
    tap_mpi_ok(rc == (rank == 1 ? PAULIMPI_ERR_ARGUMENT : PAULIMPI_ERR_REMOTE)
                   && strstr(paulimpi_last_error(), "counts is NULL") != NULL,
               "no counts");
    counts[2] = rank == 1 ? 5 : 4;
    rc = paulimpi_allgatherv(ctx, sent, PAULIMPI_FLOAT64, got, counts, NULL,
                             NULL);
    tap_mpi_is_status(rc, PAULIMPI_ERR_MISMATCH, "other counts");
    counts[2] = 4;
    rc = paulimpi_allgather(ctx, sent, 8, PAULIMPI_FLOAT64,
                            rank == 1 ? sent : got, NULL);
    tap_mpi_is_status(rc,
                      rank == 1 ? PAULIMPI_ERR_OVERLAP : PAULIMPI_ERR_REMOTE,
                      "buffers that overlap");
}

/* The counts of both ends. */
static void
test_ends(void)
{
    int rc;

    send_counts[1] = rank == 2 ? 3 : 4;
    rc = paulimpi_alltoallv(ctx, sent, send_counts, NULL, PAULIMPI_FLOAT64,
                            got, counts, NULL, NULL);
    tap_mpi_ok(rc == (rank == 1 ? PAULIMPI_ERR_MISMATCH : PAULIMPI_ERR_REMOTE)
                   && strstr(paulimpi_last_error(),
                             "rank 2 sends 3 elements to rank 1, which wants "
                             "to receive 4")
                          != NULL,
               "ends that do not fit together");
    send_counts[1] = 4;
    counts[0] = rank == 1 ? -4 : 4;
    rc = paulimpi_alltoallv(ctx, sent, send_counts, NULL, PAULIMPI_FLOAT64,
                            got, counts, NULL, NULL);
    tap_mpi_ok(rc == (rank == 1 ? PAULIMPI_ERR_ARGUMENT : PAULIMPI_ERR_REMOTE)
                   && strstr(paulimpi_last_error(), "receive_counts[0] is -4")
                          != NULL,
               "a count below 0");
    counts[0] = 4;
    rc = paulimpi_alltoallv(ctx, rank == 1 ? PAULIMPI_IN_PLACE : (void *)sent,
                            send_counts, NULL, PAULIMPI_FLOAT64, got, counts,
                            NULL, NULL);
    tap_mpi_is_status(rc, PAULIMPI_ERR_MISMATCH, "in place on one rank only");
}

/* The n-th allocation fails on one rank. */
static void
test_no_memory(void)
{
    int n_wrong = 0;
    int64_t n = 0;
    int rc;

    do {
        n++;
        paulimpi__alloc_fail_at(rank == 1 ? n : 0);
        rc = paulimpi_allreduce(ctx, sent, got, n % 2 == 0 ? COUNT : 4,
                                PAULIMPI_FLOAT64, PAULIMPI_REDUCE_SUM, NULL);
        paulimpi__alloc_fail_at(0);
        n_wrong +=
            rc != PAULIMPI_SUCCESS
            && rc != (rank == 1 ? PAULIMPI_ERR_MEMORY : PAULIMPI_ERR_REMOTE);
    } while (n < 80);
    tap_mpi_is_int(n_wrong, 0, "wherever memory runs out: codes on all");
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "and then it works");
}

static void
test_numbers(void)
{
    double x[3] = { rank == 1 ? (double)NAN : 1.0, rank,
                    rank == 2 ? 0.0 : -0.0 };
    int32_t most = INT32_MAX;

    paulimpi_allreduce(ctx, PAULIMPI_IN_PLACE, x, 3, PAULIMPI_FLOAT64,
                       PAULIMPI_REDUCE_MIN, NULL);
    tap_mpi_ok(isnan(x[0]) && x[1] == 0.0 && signbit(x[2]),
               "NaN wins, and the first of zeros");
    paulimpi_allreduce(ctx, PAULIMPI_IN_PLACE, &most, 1, PAULIMPI_INT32,
                       PAULIMPI_REDUCE_SUM, NULL);
    tap_mpi_is_int(most, INT32_MAX - 2, "integers wrap around");
    tap_mpi_ok(paulimpi_type_bytes(PAULIMPI_COMPLEX128) == 16
                   && paulimpi_type_bytes(0) == 0
                   && strcmp(paulimpi_type_name(PAULIMPI_UINT64), "uint64")
                          == 0
                   && strcmp(paulimpi_type_name(-1), "?") == 0,
               "types have sizes and names");
}

/* Rank 2 stops before an operation; rank 0 lets it go on when it has given
 * up. */
static void
test_stopped(int64_t count)
{
    int own = (int)getpid();
    int pid[SIZE];
    int rc;

    MPI_Allgather(&own, 1, MPI_INT, pid, 1, MPI_INT, MPI_COMM_WORLD);
    paulimpi_context_destroy(&ctx);
    create_doomed(&ctx);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2) {
        raise(SIGSTOP);
    }
    rc = paulimpi_allgather(ctx, sent, count, PAULIMPI_FLOAT64, got, NULL);
    if (rank == 0) {
        kill(pid[2], SIGCONT);
    }
    tap_mpi_is_status(rc, PAULIMPI_ERR_TIMEOUT, "a rank stops");
    tap_mpi_ok(
        strstr(paulimpi_last_error(), "no answer for 0.6 seconds from rank 2")
            != NULL,
        "the sentence names it");
    rc = paulimpi_allgather(ctx, sent, count, PAULIMPI_FLOAT64, got, NULL);
    tap_mpi_is_status(rc, PAULIMPI_ERR_STATE, "the context is broken");
}

int
main(int argc, char **argv)
{
    int i, status;

    unsetenv("PAULIMPI_CHECK");
    unsetenv("PAULIMPI_TIMEOUT");
    unsetenv("PAULIMPI_TEST_PIECE_BYTES");
    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    create_doomed(&ctx);
    rank = paulimpi_context_rank(ctx);
    for (i = 0; i < COUNT; i++) {
        got[i] = -1.0;
        sent[i] = i;
    }
    for (i = 0; i < SIZE; i++) {
        counts[i] = send_counts[i] = 4;
    }
    test_reductions();
    test_moves();
    test_ends();
    test_no_memory();
    test_numbers();
    setenv("PAULIMPI_TIMEOUT", "0.6", 1);
    test_stopped(8);
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
