/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAULIMPI_CHECK=collective: a call that a rank leaves out is an error on all
 * ranks.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "comm/call.h"
#include "tap/tap_mpi.h"

static int rank;

static int
has(const char *part)
{
    return strstr(paulimpi_last_error(), part) != NULL;
}

/* Wait for all ranks. */
static int
meet(paulimpi_context *ctx, const char *function)
{
    paulimpi__call call = { ctx, 0, function, PAULIMPI__CALL_MEET, 0, 0, 0 };

    return paulimpi__call_meet(&call);
}

/* Rank 1 leaves out f and goes on to g. */
static void
test_left_out(void)
{
    paulimpi_context *ctx;
    int64_t one = 1;
    int rc;

    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    rc = meet(ctx, "before");
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "all are in step");
    rc = rank == 1 ? meet(ctx, "g")
                   : paulimpi__reduce_int64(ctx, "f", PAULIMPI__SUM, 1, &one);
    tap_mpi_is_status(rc, PAULIMPI_ERR_MISMATCH, "one leaves a call out");
    tap_mpi_ok(has("rank 1 is in g: meeting of ranks, but rank 0 in f: sum of "
                   "1 numbers (2 of 3 ranks)"),
               "the sentence names both");
    tap_mpi_is_int(one, 1, "nothing is reduced");
    rc = meet(ctx, "h");
    tap_mpi_is_status(rc, PAULIMPI_ERR_STATE, "later calls are refused");
    tap_mpi_ok(has("h: an earlier failure broke the context: rank 1 is in g"),
               "and say why");
    paulimpi_context_destroy(&ctx);
}

/* The same call with other numbers. */
static void
test_numbers(void)
{
    paulimpi_context *ctx;
    int64_t two[2] = { 1, 1 };
    int rc;

    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    rc = paulimpi__reduce_int64(ctx, "f", PAULIMPI__SUM, rank == 0 ? 2 : 1,
                                two);
    tap_mpi_is_status(rc, PAULIMPI_ERR_MISMATCH, "one gives two numbers");
    tap_mpi_ok(has("rank 0 is in f: sum of 2 numbers, but rank 1 in f: sum of "
                   "1 numbers (2 of 3 ranks)"),
               "the sentence says so");
    paulimpi_context_destroy(&ctx);
}

/* Rank 2 is through, the others are not. */
static void
test_end(void)
{
    paulimpi_context *ctx;
    int rc = PAULIMPI_ERR_MISMATCH;

    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    if (rank != 2) {
        rc = paulimpi__agree_in(ctx, "f", PAULIMPI_SUCCESS);
    }
    paulimpi_context_destroy(&ctx);
    tap_mpi_is_status(rc, PAULIMPI_ERR_MISMATCH, "the last call is left out");
    tap_mpi_ok(has("rank 2 is in paulimpi_context_destroy"),
               "which its end tells");
}

static void
test_variable(const char *name, const char *text)
{
    paulimpi_context *ctx;
    int rc;

    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    unsetenv("PAULIMPI_CHECK");
    if (rank == 1) {
        setenv(name, text, 1);
    }
    rc = paulimpi__agree_in(ctx, "f", PAULIMPI_SUCCESS);
    tap_mpi_is_status(rc,
                      rank == 1 ? PAULIMPI_ERR_ARGUMENT : PAULIMPI_ERR_REMOTE,
                      "%s=%s on one rank", name, text);
    tap_mpi_ok(has("f: the environment variable ") && has(name), "is named");
    rc = paulimpi__error(PAULIMPI_ERR_IO, "f: on rank 1");
    rc = paulimpi__agree_in(ctx, "f", rank == 1 ? rc : PAULIMPI_SUCCESS);
    tap_mpi_ok(rc == (rank == 1 ? PAULIMPI_ERR_IO : PAULIMPI_ERR_REMOTE)
                   && has("f: on rank 1"),
               "unless there is another failure");
    if (rank == 1) {
        unsetenv(name);
    }
    setenv("PAULIMPI_CHECK", "collective", 1);
    paulimpi_context_destroy(&ctx);
}

int
main(int argc, char **argv)
{
    int status;

    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    unsetenv("PAULIMPI_TIMEOUT");
    setenv("PAULIMPI_CHECK", "collective", 1);
    test_left_out();
    test_numbers();
    test_variable("PAULIMPI_CHECK", "all");
    test_variable("PAULIMPI_TIMEOUT", "soon");
    test_end();
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
