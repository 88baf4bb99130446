/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Small numbers and texts of all ranks: reduced, shared, gathered, compared.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "comm/call.h"
#include "tap/tap_mpi.h"

enum { MANY = 1500, BYTES = 20000 };

/* What rank has at i, of either sign. */
static int64_t
number_at(int rank, int64_t i)
{
    return (rank % 2 == 0 ? 1 : -1) * (i * 1000003 + rank * 7 + 1);
}

static int64_t
want_at(int op, int size, int64_t i)
{
    int64_t want = number_at(0, i);
    int rank;

    for (rank = 1; rank < size; rank++) {
        int64_t next = number_at(rank, i);

        want = op == PAULIMPI__SUM   ? want + next
               : op == PAULIMPI__MAX ? (next > want ? next : want)
                                     : (next < want ? next : want);
    }
    return want;
}

static int
reduces(paulimpi_context *ctx, int op, int64_t n)
{
    static int64_t values[MANY + 1];
    int rank = paulimpi_context_rank(ctx);
    int64_t i, n_wrong = 0;

    for (i = 0; i <= n; i++) {
        values[i] = number_at(rank, i);
    }
    if (paulimpi__reduce_int64(ctx, "f", op, n, values) != PAULIMPI_SUCCESS) {
        return 0;
    }
    for (i = 0; i < n; i++) {
        n_wrong += values[i] != want_at(op, paulimpi_context_size(ctx), i);
    }
    return n_wrong == 0 && values[n] == number_at(rank, n);
}

/* Terms of an exact sum, the i-th of all ranks together. */
static double
term_at(int i)
{
    static const double magnitude[4] = { 1e300, 1.0, 1e-300, 3.0 };

    return (i % 3 == 0 ? -1.0 : 1.0) * magnitude[i % 4] * (1.0 + i / 7.0);
}

static int
adds_exactly(paulimpi_context *ctx)
{
    enum { TERMS = 1000, SUMS = 17 };
    static paulimpi__exact sums[SUMS], all[SUMS];
    int size = paulimpi_context_size(ctx);
    int i;

    for (i = 0; i < SUMS; i++) {
        paulimpi__exact_clear(&sums[i]);
        paulimpi__exact_clear(&all[i]);
    }
    for (i = 0; i < TERMS; i++) {
        paulimpi__exact_add(&all[i % SUMS], term_at(i));
        if (i % size == paulimpi_context_rank(ctx)) {
            paulimpi__exact_add(&sums[i % SUMS], term_at(i));
        }
    }

    /* Reduced sums have carried: so must the one that they are compared with.
     */
    for (i = 0; i < SUMS; i++) {
        paulimpi__exact none;

        paulimpi__exact_clear(&none);
        paulimpi__exact_merge(&none, &all[i]);
        all[i] = none;
    }
    return paulimpi__reduce_exact(ctx, "f", SUMS, sums) == PAULIMPI_SUCCESS
           && memcmp(sums, all, sizeof sums) == 0;
}

/* The sum of what the first and the last rank have. */
static double
sum_of(paulimpi_context *ctx, double first, double last)
{
    paulimpi__exact sum;

    paulimpi__exact_clear(&sum);
    paulimpi__exact_add(&sum, 1.0);
    if (paulimpi_context_rank(ctx) == 0) {
        paulimpi__exact_add(&sum, first);
    }
    if (paulimpi_context_rank(ctx) == paulimpi_context_size(ctx) - 1) {
        paulimpi__exact_add(&sum, last);
    }
    (void)paulimpi__reduce_exact(ctx, "f", 1, &sum);
    return paulimpi__exact_value(&sum);
}

static unsigned char
byte_at(int rank, int64_t i)
{
    return (unsigned char)(i * 31 + rank * 101 + i / 256);
}

static int
shares(paulimpi_context *ctx, int root, int64_t n)
{
    static unsigned char bytes[BYTES + 1];
    int64_t i, n_wrong = 0;

    for (i = 0; i <= n; i++) {
        bytes[i] = byte_at(paulimpi_context_rank(ctx), i);
    }
    if (paulimpi__share_bytes(ctx, "f", root, bytes, n) != PAULIMPI_SUCCESS) {
        return 0;
    }
    for (i = 0; i < n; i++) {
        n_wrong += bytes[i] != byte_at(root, i);
    }
    return n_wrong == 0 && bytes[n] == byte_at(paulimpi_context_rank(ctx), n);
}

static int
gathers(paulimpi_context *ctx, int64_t n)
{
    static unsigned char mine[BYTES], all[4 * BYTES + 1];
    int size = paulimpi_context_size(ctx);
    int64_t i, n_wrong = 0;

    memset(all, 0, sizeof all);
    for (i = 0; i < n; i++) {
        mine[i] = byte_at(paulimpi_context_rank(ctx), i);
    }
    if (paulimpi__gather_bytes(ctx, "f", mine, n, all) != PAULIMPI_SUCCESS) {
        return 0;
    }
    for (i = 0; i < n * size; i++) {
        n_wrong += all[i] != byte_at((int)(i / n), i % n);
    }
    return n_wrong == 0 && all[n * size] == 0;
}

static int
sentence_is(const char *want)
{
    return strcmp(paulimpi_last_error(), want) == 0;
}

static const char *const refusal[] = {
    "", "", "f: the circuit of rank 1 differs from that of rank 0",
    "f: the circuit of rank 2 differs from that of ranks 0, 1",
    "f: the circuit of rank 3 differs from that of ranks 0, 1, 2"
};

/* Wait for all ranks. */
static int
meet(paulimpi_context *ctx, const char *function)
{
    paulimpi__call call = { ctx, 0, function, PAULIMPI__CALL_MEET, 0, 0, 0 };

    return paulimpi__call_meet(&call);
}

static void
test_all(paulimpi_context *ctx, int inside, int size)
{
    int is_last = inside && paulimpi_context_rank(ctx) == size - 1;
    int op;

    for (op = PAULIMPI__SUM; op <= PAULIMPI__MIN; op++) {
        tap_mpi_ok(!inside
                       || (reduces(ctx, op, 0) && reduces(ctx, op, 1)
                           && reduces(ctx, op, MANY)),
                   "operation %d on %d ranks", op, size);
    }
    tap_mpi_ok(!inside || adds_exactly(ctx), "exact sums, bit by bit");
    tap_mpi_ok(!inside
                   || (isinf(sum_of(ctx, HUGE_VAL, 0.0))
                       && sum_of(ctx, 0.0, -HUGE_VAL) == -HUGE_VAL
                       && isnan(sum_of(ctx, HUGE_VAL, -HUGE_VAL))
                       && isnan(sum_of(ctx, (double)NAN, 1.0))
                       && sum_of(ctx, 0.0, 0.0) == size),
               "infinities and NaN win");
    tap_mpi_ok(!inside
                   || (shares(ctx, 0, 0) && shares(ctx, 0, 1)
                       && shares(ctx, size - 1, BYTES)),
               "bytes of a rank");
    tap_mpi_ok(
        !inside || (gathers(ctx, 0) && gathers(ctx, 1) && gathers(ctx, BYTES)),
        "bytes of all ranks");
    tap_mpi_ok(!inside
                   || paulimpi__agree_same(ctx, "f", "the circuit",
                                           UINT64_C(0x8000000000000001))
                          == PAULIMPI_SUCCESS,
               "all have the same");
    tap_mpi_ok(
        !inside
            || paulimpi__agree_same(ctx, "f", "the circuit", is_last ? 7 : 8)
                   == (size == 1 ? PAULIMPI_SUCCESS : PAULIMPI_ERR_MISMATCH),
        "one has another: refused on all");
    tap_mpi_ok(!inside || size == 1 || sentence_is(refusal[size]),
               "with its rank");
    tap_mpi_ok(!inside || meet(ctx, "f") == PAULIMPI_SUCCESS, "all meet");
}

static void
check_size(MPI_Comm comm, int size, int inside)
{
    paulimpi_context *ctx = NULL;

    if (inside) {
        paulimpi_context_create(comm, NULL, &ctx);
    }
    test_all(ctx, inside, size);
    paulimpi_context_destroy(&ctx);
}

/* All differ, and those of the fingerprints that differ in a half only. */
static void
test_differences(int rank)
{
    paulimpi_context *ctx;
    uint64_t own = (uint64_t)rank << 32;

    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    tap_mpi_is_status(paulimpi__agree_same(ctx, "f", "it", own),
                      PAULIMPI_ERR_MISMATCH, "four things");
    tap_mpi_ok(
        sentence_is("f: it of ranks 1, 2, 3 differs from that of rank 0"),
        "differ from the first");
    tap_mpi_is_status(paulimpi__agree_same(ctx, "f", "it", rank == 0),
                      PAULIMPI_ERR_MISMATCH, "the first one is another");
    tap_mpi_ok(
        sentence_is("f: it of rank 0 differs from that of ranks 1, 2, 3"),
        "than most");
    paulimpi_context_destroy(&ctx);
}

/* The n-th allocation fails on one rank. */
static void
test_no_memory(int rank)
{
    paulimpi_context *ctx;
    int64_t n = 0;
    int n_wrong = 0;
    int rc;

    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    do {
        n++;
        paulimpi__alloc_fail_at(rank == 1 ? n : 0);
        rc = paulimpi__agree_same(ctx, "f", "it", rank == 2);
        n_wrong +=
            rc != PAULIMPI_ERR_MISMATCH
            && rc != (rank == 1 ? PAULIMPI_ERR_MEMORY : PAULIMPI_ERR_REMOTE);
    } while (rc != PAULIMPI_ERR_MISMATCH && n < 100);
    paulimpi__alloc_fail_at(0);
    tap_mpi_ok(n > 2 && n_wrong == 0,
               "wherever memory runs out on one rank: codes on all");
    tap_mpi_is_status(paulimpi__agree(ctx, PAULIMPI_SUCCESS), PAULIMPI_SUCCESS,
                      "and the context goes on");
    paulimpi_context_destroy(&ctx);
}

int
main(int argc, char **argv)
{
    paulimpi_context *serial;
    int rank, status;

    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    unsetenv("PAULIMPI_CHECK");
    unsetenv("PAULIMPI_TIMEOUT");
    paulimpi_context_create_serial(NULL, &serial);
    test_all(serial, 1, 1);
    paulimpi_context_destroy(&serial);
    tap_mpi_each_size(check_size);
    setenv("PAULIMPI_CHECK", "collective", 1);
    setenv("PAULIMPI_TIMEOUT", "100", 1);
    tap_mpi_each_size(check_size);
    test_differences(rank);
    test_no_memory(rank);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
