/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counters and budgets of several ranks.
 */
#include <string.h>

#include "base/base.h"
#include "exchange/account.h"
#include "tap/tap.h"
#include "tap/tap_mpi.h"

static int rank, size;

/* Rank r has r + 1 events of 10 bytes in the phase "halo". */
static paulimpi_counter *
count(void)
{
    paulimpi_counter *counter;
    int i;

    if (paulimpi_counter_create("c", &counter) != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no counter: %s", paulimpi_last_error());
    }
    paulimpi_counter_begin(counter);
    paulimpi_phase_begin("halo");
    for (i = 0; i <= rank; i++) {
        paulimpi__count(PAULIMPI_COUNT_MPI_HOST, 10);
    }
    paulimpi_phase_end();
    paulimpi_counter_end(counter);
    return counter;
}

static void
test_reduce(paulimpi_context *ctx, const paulimpi_counter *counter)
{
    paulimpi_count_of_ranks ranks = PAULIMPI_COUNT_OF_RANKS_INIT;

    tap_mpi_is_status(paulimpi_counter_reduce(ctx, counter, "halo",
                                              PAULIMPI_COUNT_MPI_HOST, &ranks),
                      PAULIMPI_SUCCESS, "counters of all ranks");
    tap_mpi_ok(ranks.least_events == 1 && ranks.least_bytes == 10,
               "the least is rank 0's");
    tap_mpi_ok(ranks.most_events == size && ranks.most_bytes == 10 * size,
               "the most the last one's");
    tap_mpi_ok(ranks.all_events == 6 && ranks.all_bytes == 60, "6 in all");
    tap_mpi_ok(ranks.size == sizeof ranks, "the size stays");
    tap_mpi_is_status(paulimpi_counter_reduce(ctx, counter, NULL,
                                              PAULIMPI_COUNT_TO_HOST, &ranks),
                      PAULIMPI_SUCCESS, "of another kind");
    tap_mpi_ok(ranks.least_events == 0 && ranks.most_events == 0
                   && ranks.all_bytes == 0,
               "there is nothing");
}

/* What is wrong on one rank fails on all. */
static void
test_refused(paulimpi_context *ctx, const paulimpi_counter *counter)
{
    paulimpi_count_of_ranks ranks = PAULIMPI_COUNT_OF_RANKS_INIT;
    int is_wrong = rank == 1;
    int want = is_wrong ? PAULIMPI_ERR_ARGUMENT : PAULIMPI_ERR_REMOTE;

    ranks.all_bytes = 77;
    tap_mpi_is_status(paulimpi_counter_reduce(ctx, is_wrong ? NULL : counter,
                                              NULL, 0, &ranks),
                      want, "no counter");
    tap_mpi_is_status(
        paulimpi_counter_reduce(ctx, counter, NULL, is_wrong ? 99 : 0, &ranks),
        want, "no such kind");
    tap_mpi_is_status(paulimpi_counter_reduce(ctx, counter, NULL, 0,
                                              is_wrong ? NULL : &ranks),
                      want, "no place");
    ranks.size = is_wrong ? 0 : sizeof ranks;
    tap_mpi_is_status(paulimpi_counter_reduce(ctx, counter, NULL, 0, &ranks),
                      want, "no size");
    tap_mpi_ok(strstr(paulimpi_last_error(), "the size of ranks is 0") != NULL,
               "which all ranks know");
    tap_mpi_ok(ranks.all_bytes == 77, "and nothing is written");
}

static void
test_budget(paulimpi_context *ctx, const paulimpi_counter *counter)
{
    paulimpi_budget *budget;

    if (paulimpi_budget_create(&budget) != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no budget: %s", paulimpi_last_error());
    }
    paulimpi_budget_allow(budget, "halo", PAULIMPI_COUNT_ANY, 3, 10, 30);
    tap_mpi_is_status(paulimpi_budget_check(budget, counter, ctx),
                      PAULIMPI_SUCCESS, "all ranks are within a budget");
    paulimpi_budget_allow(budget, "halo", PAULIMPI_COUNT_ANY, 2, 10, 30);
    tap_mpi_is_status(paulimpi_budget_check(budget, counter, ctx),
                      rank == 2 ? PAULIMPI_ERR_MISMATCH : PAULIMPI_ERR_REMOTE,
                      "one is not: none is");
    tap_mpi_ok(strstr(paulimpi_last_error(),
                      "in phase halo, MPI from host: 3 events, but at most 2 "
                      "are allowed")
                   != NULL,
               "and all know how much it was");
    tap_mpi_is_status(paulimpi_budget_check(budget, counter, NULL),
                      rank == 2 ? PAULIMPI_ERR_MISMATCH : PAULIMPI_SUCCESS,
                      "without a context it is each rank's own");
    tap_mpi_is_status(
        paulimpi_budget_check(rank == 1 ? NULL : budget, counter, ctx),
        rank == 1   ? PAULIMPI_ERR_ARGUMENT
        : rank == 2 ? PAULIMPI_ERR_MISMATCH
                    : PAULIMPI_ERR_REMOTE,
        "each rank that fails has its own code");
    paulimpi_budget_destroy(&budget);
}

static void
test_serial(const paulimpi_counter *counter)
{
    paulimpi_count_of_ranks ranks = PAULIMPI_COUNT_OF_RANKS_INIT;
    paulimpi_context *alone;

    if (paulimpi_context_create_serial(NULL, &alone) != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no context: %s", paulimpi_last_error());
    }
    tap_mpi_is_status(paulimpi_counter_reduce(alone, counter, NULL,
                                              PAULIMPI_COUNT_ANY, &ranks),
                      PAULIMPI_SUCCESS, "a serial context");
    tap_mpi_ok(ranks.all_events == rank + 1 && ranks.least_events == rank + 1
                   && ranks.most_bytes == 10 * (rank + 1),
               "has its own counter only");
    paulimpi_context_destroy(&alone);
}

int
main(int argc, char **argv)
{
    paulimpi_context *ctx;
    paulimpi_counter *counter;
    int status;

    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx)
        != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no context: %s", paulimpi_last_error());
    }
    counter = count();
    test_reduce(ctx, counter);
    test_refused(ctx, counter);
    test_budget(ctx, counter);
    test_serial(counter);
    paulimpi_counter_destroy(&counter);
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
