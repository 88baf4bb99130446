/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random graphs of messages, in one exchange and in plans, against what must
 * come of them.
 */
#include <stdlib.h>
#include <string.h>

#include "exchange/graph.h"
#include "tap/tap_mpi.h"

static graph g;
static paulimpi_arrival arrivals[2 * MOST_EDGES];

/* Count the arrivals that are not as they must be. */
static int
wrong_arrivals(void)
{
    int n_wrong = 0;
    int i;

    for (i = 0; i < g.n_receives; i++) {
        const paulimpi_arrival *a = &arrivals[i];
        const edge *e;

        if (g.receive_edge[i] < 0) {
            n_wrong += a->peer != PAULIMPI_PEER_NONE || a->bytes != 0;
        } else {
            e = &g.edge[g.receive_edge[i]];
            n_wrong +=
                a->peer != e->from || a->tag != e->tag || a->bytes != e->bytes;
        }
    }
    return n_wrong;
}

static void
test_exchange(paulimpi_context *ctx, int n_edges, int64_t largest, int64_t any,
              dice *d)
{
    int rc;

    memset(arrivals, 0x55, sizeof arrivals);
    graph_make(&g, &host_store, paulimpi_context_rank(ctx),
               paulimpi_context_size(ctx), n_edges, largest, any, d);
    graph_fill(&g, &host_store, 0);
    rc = paulimpi_exchange(ctx, g.n_sends, g.sends, g.n_receives, g.receives,
                           PAULIMPI_EXCHANGE_OPTIONS(.arrivals = arrivals));
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS,
                      "%d messages of at most %d bytes are exchanged", n_edges,
                      (int)largest);
    tap_mpi_is_int(graph_check(&g, &host_store, 0), 0, "their bytes arrive");
    tap_mpi_is_int(wrong_arrivals(), 0, "and are told of");
    graph_free(&g, &host_store);
}

/* Run a plan again and again: by wait, by test, with a time limit. */
static void
test_plan(paulimpi_context *ctx, int n_edges, int64_t largest, int64_t any,
          int join, dice *d)
{
    paulimpi_plan *plan;
    int64_t n_wrong = 0;
    int n_failed = 0;
    int round, done;

    graph_make(&g, &host_store, paulimpi_context_rank(ctx),
               paulimpi_context_size(ctx), n_edges, largest, any, d);
    tap_mpi_is_status(
        paulimpi_plan_create(ctx, g.n_sends, g.sends, g.n_receives, g.receives,
                             PAULIMPI_EXCHANGE_OPTIONS(.join = join), &plan),
        PAULIMPI_SUCCESS,
        "a plan of %d messages of at most %d "
        "bytes is made%s",
        n_edges, (int)largest, join ? ", which are joined" : "");
    for (round = 0; round < 4; round++) {
        graph_fill(&g, &host_store, round);
        n_failed +=
            paulimpi_plan_start(
                plan, round < 3
                          ? NULL
                          : PAULIMPI_EXCHANGE_OPTIONS(.timeout = 100.0,
                                                      .arrivals = arrivals))
            != PAULIMPI_SUCCESS;
        for (done = 0; round == 1 && !done;) {
            n_failed += paulimpi_plan_test(plan, &done) != PAULIMPI_SUCCESS;
        }
        n_failed += paulimpi_plan_wait(plan) != PAULIMPI_SUCCESS;
        n_wrong += graph_check(&g, &host_store, round);
    }
    tap_mpi_is_int(n_failed, 0, "it runs four times");
    tap_mpi_is_int(n_wrong, 0, "its bytes arrive each time");
    tap_mpi_is_int(wrong_arrivals(), 0, "and are told of");
    paulimpi_plan_destroy(&plan);
    graph_free(&g, &host_store);
}

static void
test_all(paulimpi_context *ctx, int64_t largest, int64_t any, dice *d)
{
    static const int sizes[] = { 0, 1, 2, 7, 40, 120 };
    size_t i;

    for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        test_exchange(ctx, sizes[i], largest, any, d);
        test_plan(ctx, sizes[i], largest, any, 0, d);
    }
}

/* Of messages that travel together, and some that are too large for it. */
static void
test_joined(paulimpi_context *ctx, dice *d)
{
    static const int sizes[] = { 0, 1, 2, 7, 40, 120 };
    size_t i;

    for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        test_plan(ctx, sizes[i], 30, -1, 1, d);
        test_plan(ctx, sizes[i], 12000, -1, 1, d);
    }
}

int
main(int argc, char **argv)
{
    int is_tight = strstr(argv[0], "tight") != NULL;
    paulimpi_context *ctx;
    dice d = { 2026 };
    int status;

    /* A block for sends, one for receives and one for copies: the least that
     * works. */
    if (is_tight) {
        setenv("PAULIMPI_STAGING_MAX", "12288", 1);
    }
    setenv("PAULIMPI_TIMEOUT", "60", 0);
    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    setenv("PAULIMPI_TEST_PIECE_BYTES", "1024", 1);
    test_all(ctx, 50000, is_tight ? -1 : 4096, &d);
    if (!is_tight) {
        setenv("PAULIMPI_TEST_PIECE_BYTES", "1", 1);
        test_all(ctx, 300, 4, &d);
        unsetenv("PAULIMPI_TEST_PIECE_BYTES");
        test_all(ctx, 20000, 20000, &d);
        test_exchange(ctx, 6, (int64_t)8 << 20, 1 << 20, &d);
        test_plan(ctx, 3, (int64_t)8 << 20, 1 << 20, 0, &d);
        test_joined(ctx, &d);
        setenv("PAULIMPI_CHECK", "collective", 1);
        test_exchange(ctx, 60, 30000, 30000, &d);
        test_plan(ctx, 60, 30000, 30000, 0, &d);
        test_plan(ctx, 60, 30000, -1, 1, &d);
    }
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
