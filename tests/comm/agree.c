/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Contexts on several ranks: they fail on all or on none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "comm/comm.h"
#include "tap/tap.h"
#include "tap/tap_mpi.h"

static int world_rank, world_size;

static int
sentence_is(const char *want)
{
    return strcmp(paulimpi_last_error(), want) == 0;
}

static void
check_size(MPI_Comm comm, int size, int inside)
{
    paulimpi_context *ctx = NULL;
    int rank = 0;
    int rc = PAULIMPI_SUCCESS;

    if (inside) {
        MPI_Comm_rank(comm, &rank);
        rc = paulimpi_context_create(comm, NULL, &ctx);
    }
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "a context on %d ranks", size);
    tap_mpi_ok(!inside || paulimpi_context_size(ctx) == size,
               "knows its size");
    tap_mpi_ok(!inside || paulimpi_context_rank(ctx) == rank, "and rank");
    if (inside) {
        rc = paulimpi__agree(ctx, PAULIMPI_SUCCESS);
    }
    tap_mpi_ok(!inside || rc == PAULIMPI_SUCCESS, "all is well on all ranks");
    if (inside) {
        rc = paulimpi__error(PAULIMPI_ERR_IO, "f: on rank %d", rank);
        rc = paulimpi__agree(ctx, rank == size - 1 ? rc : PAULIMPI_SUCCESS);
    }
    tap_mpi_ok(!inside
                   || rc
                          == (rank == size - 1 ? PAULIMPI_ERR_IO
                                               : PAULIMPI_ERR_REMOTE),
               "the last rank fails: on all");
    paulimpi_context_destroy(&ctx);
}

static void
test_two_failures(paulimpi_context *ctx)
{
    int rc = PAULIMPI_SUCCESS;

    if (world_rank == 1) {
        rc = paulimpi__error(PAULIMPI_ERR_IO, "f: the disk is full");
    } else if (world_rank == 2) {
        rc = paulimpi__error(PAULIMPI_ERR_INTERNAL, "f: a bug");
    }
    rc = paulimpi__agree(ctx, rc);
    tap_mpi_is_status(rc,
                      world_rank == 0   ? PAULIMPI_ERR_REMOTE
                      : world_rank == 1 ? PAULIMPI_ERR_IO
                                        : PAULIMPI_ERR_INTERNAL,
                      "each rank that fails keeps its own code");
    tap_mpi_ok(sentence_is(world_rank == 0   ? "rank 1: f: the disk is full"
                           : world_rank == 1 ? "f: the disk is full"
                                             : "f: a bug"),
               "and sentence; the others hear of the lowest");
}

/* What create() does when something is wrong on rank 1 only. */
static void
check_refused(const paulimpi_context_options *options, int own_code,
              const char *part, const char *fact)
{
    paulimpi_context *ctx = (paulimpi_context *)&world_rank;
    int rc = paulimpi_context_create(MPI_COMM_WORLD, options, &ctx);

    tap_mpi_is_status(rc, world_rank == 1 ? own_code : PAULIMPI_ERR_REMOTE,
                      "%s on one rank is refused on all", fact);
    tap_mpi_ok(ctx == NULL && strstr(paulimpi_last_error(), part) != NULL
                   && (strncmp(paulimpi_last_error(), "rank 1: ", 8) == 0)
                          == (world_rank != 1),
               "which all ranks know");
}

static void
test_one_rank_wrong(void)
{
    paulimpi_context_options options = PAULIMPI_CONTEXT_OPTIONS_INIT;
    paulimpi_context *ctx = NULL;
    int rc;

    options.threads = world_rank == 1 ? 0 : PAULIMPI_AUTOMATIC;
    check_refused(&options, PAULIMPI_ERR_ARGUMENT, "threads is 0",
                  "a bad option");
    options.threads = PAULIMPI_AUTOMATIC;
    options.size = world_rank == 1 ? 0 : sizeof options;
    check_refused(&options, PAULIMPI_ERR_ARGUMENT, "size of options",
                  "a bad size");
    setenv("PAULIMPI_THREADS", world_rank == 1 ? "x" : "1", 1);
    check_refused(NULL, PAULIMPI_ERR_ARGUMENT, "PAULIMPI_THREADS",
                  "a bad variable");
    unsetenv("PAULIMPI_THREADS");

    rc = paulimpi_context_create(MPI_COMM_WORLD, NULL,
                                 world_rank == 1 ? NULL : &ctx);
    tap_mpi_is_status(
        rc, world_rank == 1 ? PAULIMPI_ERR_ARGUMENT : PAULIMPI_ERR_REMOTE,
        "no place for the handle on one rank: likewise");
    tap_mpi_ok(ctx == NULL, "and no handle");
}

/* Let the n-th allocation fail on one rank, for all n. */
static void
test_no_memory(void)
{
    paulimpi_context *ctx;
    int n_wrong = 0;
    int64_t n = 0;
    int rc;

    do {
        n++;
        ctx = (paulimpi_context *)&n;
        paulimpi__alloc_fail_at(world_rank == 1 ? n : 0);
        rc = paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
        n_wrong += rc != PAULIMPI_SUCCESS
                   && (ctx != NULL
                       || rc
                              != (world_rank == 1 ? PAULIMPI_ERR_MEMORY
                                                  : PAULIMPI_ERR_REMOTE));
    } while (rc != PAULIMPI_SUCCESS && n < 100);
    paulimpi__alloc_fail_at(0);
    tap_mpi_ok(n > 3 && n_wrong == 0,
               "wherever memory runs out on one rank: codes on all");
    paulimpi_context_destroy(&ctx);
}

static void
test_communicators(void)
{
    paulimpi_context *ctx = (paulimpi_context *)&world_rank;
    MPI_Comm half, inter;

    tap_mpi_is_status(paulimpi_context_create(MPI_COMM_NULL, NULL, &ctx),
                      PAULIMPI_ERR_ARGUMENT, "MPI_COMM_NULL is refused");
    tap_mpi_ok(ctx == NULL && strstr(paulimpi_last_error(), "comm is") != NULL,
               "with a sentence");

    MPI_Comm_split(MPI_COMM_WORLD, world_rank == 0, world_rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, world_rank == 0, 7, &inter);
    tap_mpi_is_status(paulimpi_context_create(inter, NULL, &ctx),
                      PAULIMPI_ERR_ARGUMENT,
                      "an inter-communicator is refused");
    tap_mpi_ok(strstr(paulimpi_last_error(), "inter-communicator") != NULL,
               "with a sentence");
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static void
test_mpi_error(void)
{
    tap_mpi_is_status(paulimpi__mpi_error(MPI_SUCCESS, "f", "MPI_X"),
                      PAULIMPI_SUCCESS, "success of MPI is success");
    tap_mpi_is_status(paulimpi__mpi_error(MPI_ERR_TRUNCATE, "f", "MPI_X"),
                      PAULIMPI_ERR_MPI, "an error of MPI has a code");
    tap_mpi_ok(strncmp(paulimpi_last_error(), "f: MPI_X: ", 10) == 0
                   && strlen(paulimpi_last_error()) > 15,
               "and MPI's own words");
}

static void
test_application_owns(void)
{
    paulimpi_context *ctx;
    int is_finalised = -1;

    tap_mpi_is_status(paulimpi_context_create_launched(NULL, NULL, &ctx),
                      PAULIMPI_SUCCESS, "launched, with MPI already there");
    tap_mpi_is_int(paulimpi_context_size(ctx), world_size, "is on all ranks");
    paulimpi_context_destroy(&ctx);
    MPI_Finalized(&is_finalised);
    tap_mpi_is_int(is_finalised, 0, "and leaves MPI to who began it");
}

/* A function of its own, which the lists of known leaks name: the communicator
 * of a context that outlives MPI is MPI's to free. */
static void
create_survivor(paulimpi_context **ctx_p)
{
    paulimpi_context_create(MPI_COMM_WORLD, NULL, ctx_p);
}

int
main(int argc, char **argv)
{
    paulimpi_context *ctx;
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    tap_mpi_begin(argv[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    unsetenv("PAULIMPI_THREADS");
    unsetenv("PAULIMPI_TEST_NODE_SIZE");
    tap_mpi_each_size(check_size);

    create_survivor(&ctx);
    test_two_failures(ctx);
    test_one_rank_wrong();
    test_no_memory();
    test_communicators();
    test_mpi_error();
    test_application_owns();
    MPI_Barrier(MPI_COMM_WORLD);

    /* The context outlives MPI, which is allowed. */
    MPI_Finalize();
    paulimpi_context_destroy(&ctx);
    if (world_rank != 0) {
        return 0;
    }
    tap_ok(1, "a context can be destroyed after MPI_Finalize");
    tap_is_status(paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx),
                  PAULIMPI_ERR_STATE, "but not made");
    return tap_done();
}
