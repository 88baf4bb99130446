/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random graphs of messages from and to memory of all kinds. Streams of the
 * mock do nothing before somebody waits, or something in a random order, so
 * that a wait that is missing shows. Without a device all memory is the
 * host's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "exchange/graph.h"
#include "mock/mock.h"
#include "mock/shim.h"
#include "paulimpi/account.h"
#include "paulimpi/aware.h"
#include "tap/tap_mpi.h"

enum { MOST_KEPT = 4 * MOST_EDGES };

static paulimpi_context *ctx;
static graph g;
static paulimpi_stream producer[2], consumer; /* one of each device */
static paulimpi_event written[2];
static int is_tight; /* hardly a block */
static int n_created;
static int n_devices;
static int64_t most_any = 4000; /* bytes of a message from any rank */
static paulimpi_counter *counter;
static int64_t n_bounced;

/* What the producer still reads. */
static void *kept[MOST_KEPT];
static int n_kept;

static void
drop_kept(void)
{
    paulimpi_stream_wait(producer[0]);
    paulimpi_stream_wait(producer[1]);
    while (n_kept > 0) {
        free(kept[--n_kept]);
    }
}

static void *
create(size_t bytes)
{
    static const int kinds[] = {
        PAULIMPI_MEMORY_DEVICE,  PAULIMPI_MEMORY_HOST,
        PAULIMPI_MEMORY_DEVICE,  PAULIMPI_MEMORY_POOL,
        PAULIMPI_MEMORY_MANAGED, PAULIMPI_MEMORY_PINNED
    };
    void *memory;

    n_created++;
    if (n_devices > 1) {
        paulimpi_device_select(n_created / 7 % 2);
    }
    if (paulimpi_memory_create(kinds[n_created % 6], bytes, &memory)
        != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no memory: %s", paulimpi_last_error());
    }
    /* Some counts as that of another process. */
    if (n_created % 6 == 2 && n_created % 4 == 0) {
        paulimpi_ipc_remember(memory, bytes);
    }
    if (n_devices > 0) {
        paulimpi_stream_wait(NULL);
        paulimpi_device_select(0);
    }
    return memory;
}

static void
destroy(void *memory)
{
    (void)paulimpi_ipc_forget(memory);
    paulimpi_memory_destroy(&memory);
}

/* The device that owns memory, -1 for the host's. */
static int
owner(const void *memory)
{
    paulimpi_memory what = PAULIMPI_MEMORY_INIT;

    paulimpi_memory_describe(memory, &what);
    if (what.kind == PAULIMPI_MEMORY_HOST
        || what.kind == PAULIMPI_MEMORY_PINNED) {
        return -1;
    }
    return what.device < 0 ? 0 : what.device;
}

static void
write_late(void *to, const void *from, size_t bytes)
{
    int device = owner(to);

    if (device < 0) {
        memcpy(to, from, bytes);
        return;
    }
    if (n_kept == MOST_KEPT) {
        tap_mpi_bail("too many writes");
    }
    kept[n_kept] = malloc(bytes);
    memcpy(kept[n_kept], from, bytes);
    paulimpi_memory_copy(to, kept[n_kept++], bytes, producer[device]);
}

static void
read_in_turn(void *to, const void *from, size_t bytes)
{
    if (owner(from) < 0) {
        memcpy(to, from, bytes);
        return;
    }
    paulimpi_memory_copy(to, from, bytes, consumer);
    paulimpi_stream_wait(consumer);
}

static const store device_store = { create, destroy, write_late,
                                    read_in_turn };

/* What a run is told of the streams; each rank another thing. */
static void
set_options(paulimpi_exchange_options *options, int i)
{
    *options = (paulimpi_exchange_options)PAULIMPI_EXCHANGE_OPTIONS_INIT;
    if (i % 3 < 2) {
        paulimpi_event_record(written[1], producer[1]);
        paulimpi_stream_wait_event(producer[0], written[1]);
    }
    if (i % 3 == 0) {
        options->after_stream = producer[0];
    } else if (i % 3 == 1) {
        paulimpi_event_record(written[0], producer[0]);
        options->after_event = written[0];
    }
    if (i % 2 == 0) {
        options->before_stream = consumer;
    }
    if (i % 5 == 0) {
        options->timeout = 60.0;
    }
}

/* Run a plan; whether it counts other things than in its first run. Which waits
 * there are depends on the streams that it is told of. */
static int
run_counted(paulimpi_plan *plan, const paulimpi_exchange_options *options,
            int round, int *n_failed_p)
{
    static int64_t first[PAULIMPI_COUNT_KINDS][2];
    int n_other = 0;
    int kind;

    paulimpi_counter_reset(counter);
    paulimpi_counter_begin(counter);
    *n_failed_p += paulimpi_plan_start(plan, options) != PAULIMPI_SUCCESS;
    *n_failed_p += paulimpi_plan_wait(plan) != PAULIMPI_SUCCESS;
    paulimpi_counter_end(counter);
    for (kind = 0; kind < PAULIMPI_COUNT_KINDS; kind++) {
        int64_t now[2] = { -1, -1 };

        paulimpi_counter_get(counter, NULL, kind, &now[0], &now[1]);
        n_bounced += kind == PAULIMPI_COUNT_BOUNCE ? now[0] : 0;
        if (round == 0) {
            memcpy(first[kind], now, sizeof now);
        }
        n_other += kind != PAULIMPI_COUNT_WAIT
                   && memcmp(first[kind], now, sizeof now) != 0;
    }
    return n_other > 0;
}

static void
test_graph(int n_edges, int64_t largest, int join, dice *d, const char *fact)
{
    int rank = paulimpi_context_rank(ctx);
    paulimpi_exchange_options options;
    paulimpi_plan *plan;
    int64_t n_wrong = 0;
    int n_failed = 0;
    int n_other = 0;
    int round;

    graph_make(&g, &device_store, rank, paulimpi_context_size(ctx), n_edges,
               largest, join ? -1 : most_any, d);
    if (paulimpi_plan_create(ctx, g.n_sends, g.sends, g.n_receives, g.receives,
                             PAULIMPI_EXCHANGE_OPTIONS(.join = join), &plan)
        != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no plan: %s", paulimpi_last_error());
    }
    for (round = 0; round < 6; round++) {
        graph_fill(&g, &device_store, round);
        set_options(&options, round + rank);
        n_other += run_counted(plan, &options, round, &n_failed);
        n_wrong += graph_check(&g, &device_store, round);
        drop_kept();
    }
    paulimpi_plan_destroy(&plan);
    for (; round < 9; round++) {
        graph_fill(&g, &device_store, round);
        set_options(&options, round + rank);
        n_failed += paulimpi_exchange(ctx, g.n_sends, g.sends, g.n_receives,
                                      g.receives, &options)
                    != PAULIMPI_SUCCESS;
        n_wrong += graph_check(&g, &device_store, round);
        drop_kept();
    }
    tap_mpi_is_int(n_failed, 0, "%s: %d messages%s", fact, n_edges,
                   join ? ", joined" : "");
    tap_mpi_is_int(n_wrong, 0, "%s: their bytes arrive", fact);
    tap_mpi_is_int(n_other, 0, "%s: each run counts the same", fact);
    graph_free(&g, &device_store);
}

static void
test_order(const char *order, uint64_t seed, dice *d)
{
    char fact[64];

    snprintf(fact, sizeof fact, "%s, seed %d", order, (int)seed);
    mock_order(order, seed);
    test_graph(3, 3000, 0, d, fact);
    test_graph(30, 40000, 0, d, fact);
    if (!is_tight) {
        test_graph(50, 12000, 1, d, fact);
    }
}

/* Pieces of a byte, and as they are without a test. */
static void
test_pieces(dice *d)
{
    setenv("PAULIMPI_TEST_PIECE_BYTES", "1", 1);
    most_any = 4;
    mock_order("random", 5);
    test_graph(20, 300, 0, d, "pieces of a byte");
    unsetenv("PAULIMPI_TEST_PIECE_BYTES");
    most_any = 100000;
    mock_order("lazy", 0);
    test_graph(4, (int64_t)8 << 20, 0, d, "pieces of 4 MiB");
    setenv("PAULIMPI_TEST_PIECE_BYTES", "1024", 1);
    most_any = 4000;
}

static void
test_orders(dice *d)
{
    uint64_t seed;

    test_order("lazy", 0, d);
    test_order("eager", 0, d);
    for (seed = 1; seed < 4; seed++) {
        test_order("random", seed, d);
    }
}

static int
setting(paulimpi_context *context, int state)
{
    return paulimpi_aware_set(context, PAULIMPI_AWARE_ALL,
                              PAULIMPI_OPERATION_MESSAGE, state);
}

static void
open_producer(int i)
{
    if (n_devices > 1) {
        paulimpi_device_select(i);
    }
    paulimpi_stream_create(&producer[i]);
    paulimpi_event_create(&written[i]);
    if (n_devices > 1) {
        paulimpi_device_select(0);
    }
}

int
main(int argc, char **argv)
{
    dice d = { 7 };
    int status;

    setenv("PAULIMPI_TIMEOUT", "60", 0);
    setenv("PAULIMPI_TEST_PIECE_BYTES", "1024", 1);
    setenv("PAULIMPI_GPU_AWARE", "no", 1);
    /* A block for sends, one for receives and one for copies: the least that
     * works. */
    is_tight = strstr(argv[0], "tight") != NULL;
    if (is_tight) {
        setenv("PAULIMPI_STAGING_MAX", "12288", 1);
        most_any = -1;
    }
    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    paulimpi_device_count(&n_devices);
    paulimpi_stream_create(&consumer);
    open_producer(0);
    open_producer(1);

    paulimpi_counter_create("run", &counter);

    test_orders(&d);
    if (paulimpi_context_size(ctx) == 2) {
        test_pieces(&d);
    }
    tap_mpi_is_int(shim_device_buffers(), 0, "MPI has seen no device");
    tap_mpi_ok(n_bounced > 0, "memory of another process was among it");
    tap_mpi_ok(!mock_is_here() || !paulimpi__has_kernel(0)
                   || mock_calls("cuLaunchKernel") > 10,
               "thin rows went by a kernel, if there is one");
    /* An MPI that does not take real memory of a device would crash. */
    if (!is_tight && (n_devices == 0 || mock_is_here())) {
        shim_mode(SHIM_AWARE);
        tap_mpi_is_status(setting(ctx, PAULIMPI_AWARE_YES), PAULIMPI_SUCCESS,
                          "now MPI takes memory of devices");
        test_orders(&d);
        tap_mpi_ok(n_devices == 0 || shim_device_buffers() > 0,
                   "and has been given it");
        shim_mode(SHIM_LATE);
        test_order("lazy", 0, &d);
        shim_mode(SHIM_EAGER);
        test_order("random", 9, &d);
    }
    tap_mpi_is_int(mock_faults(), 0, "nothing was touched that must not be");

    paulimpi_counter_destroy(&counter);
    paulimpi_event_destroy(&written[0]);
    paulimpi_event_destroy(&written[1]);
    paulimpi_stream_destroy(&producer[0]);
    paulimpi_stream_destroy(&producer[1]);
    paulimpi_stream_destroy(&consumer);
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
