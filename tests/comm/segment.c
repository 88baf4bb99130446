/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Segments: memory that the ranks of a node share, in each of its ways, on
 * real and pretended nodes; and that they fail on all ranks or on none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "comm/comm.h"
#include "comm/traces.h"
#include "paulimpi/segment.h"
#include "tap/tap.h"
#include "tap/tap_mpi.h"

enum { HUGE_PAGE = 1 << 21 };

static int world_rank, world_size;

static const char *const ways[] = { "", "mapping", "window" };
enum { N_WAYS = sizeof ways / sizeof ways[0] };

static paulimpi_context *
make_context(MPI_Comm comm, const char *node_size, paulimpi_placement *place)
{
    paulimpi_context *ctx;

    if (node_size != NULL) {
        setenv("PAULIMPI_TEST_NODE_SIZE", node_size, 1);
    }
    if (paulimpi_context_create(comm, NULL, &ctx) != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no context: %s", paulimpi_last_error());
    }
    unsetenv("PAULIMPI_TEST_NODE_SIZE");
    *place = (paulimpi_placement)PAULIMPI_PLACEMENT_INIT;
    paulimpi_context_placement(ctx, place);
    return ctx;
}

/* Sizes as different as they come, one of them 0. */
static int64_t
bytes_of(int rank)
{
    static const int64_t bytes[] = { 4097, 0, 1, 100000 };

    return bytes[rank % 4];
}

static unsigned char
letter(int owner, int64_t i, int round)
{
    return (unsigned char)(owner * 31 + i * 7 + round);
}

/* Fill the own part with letters that tell the owner, the place and a
 * round. */
static void
fill(const paulimpi_segment *segment, int node_rank, int owner, int round)
{
    unsigned char *part;
    int64_t bytes, i;

    paulimpi_segment_part(segment, node_rank, (void **)&part, &bytes);
    for (i = 0; i < bytes; i++) {
        part[i] = letter(owner, i, round);
    }
}

/* Whether the parts of all ranks of the node are as their owners filled them;
 * the nodes are of consecutive ranks. */
static int
all_filled(const paulimpi_segment *segment, const paulimpi_placement *place,
           int rank, int round)
{
    int first = rank - place->node_rank;
    int owner;

    for (owner = 0; owner < place->node_ranks; owner++) {
        unsigned char *part;
        int64_t bytes, i;

        paulimpi_segment_part(segment, owner, (void **)&part, &bytes);
        if (bytes != bytes_of(first + owner) || (bytes == 0) != (part == NULL)
            || (uintptr_t)part % (uintptr_t)sysconf(_SC_PAGESIZE) != 0) {
            return 0;
        }
        for (i = 0; i < bytes; i++) {
            if (part[i] != letter(first + owner, i, round)) {
                return 0;
            }
        }
    }
    return 1;
}

static int
is_zero(const paulimpi_segment *segment, int node_rank)
{
    unsigned char *part;
    int64_t bytes, i;

    paulimpi_segment_part(segment, node_rank, (void **)&part, &bytes);
    for (i = 0; i < bytes; i++) {
        if (part[i] != 0) {
            return 0;
        }
    }
    return 1;
}

static int
explains(const paulimpi_segment *segment, const char *part)
{
    char *text = NULL;
    int found = 0;

    if (paulimpi_segment_explain(segment, &text) == PAULIMPI_SUCCESS) {
        found = strstr(text, part) != NULL;
        paulimpi_text_destroy(&text);
    }
    return found;
}

/* Write, sync, read, sync, several times over. */
static int
rounds_hold(paulimpi_segment *segment, const paulimpi_placement *place,
            int rank)
{
    int holds = 1;
    int round;

    /* To the end in any case: nobody else may wait for this rank in vain. */
    for (round = 1; round < 20; round++) {
        fill(segment, place->node_rank, rank, round);
        paulimpi_segment_sync(segment);
        holds = all_filled(segment, place, rank, round) && holds;
        holds = paulimpi_segment_sync(segment) == PAULIMPI_SUCCESS && holds;
    }
    return holds;
}

/* One segment of uneven parts on a context, and everything about it. */
static int
segment_holds(paulimpi_context *ctx, const paulimpi_placement *place,
              const paulimpi_segment_options *options, const char *way)
{
    int rank = paulimpi_context_rank(ctx);
    paulimpi_segment *segment;
    int holds;

    if (paulimpi_segment_create(ctx, bytes_of(rank), options, &segment)
        != PAULIMPI_SUCCESS) {
        return 0;
    }
    holds = is_zero(segment, place->node_rank);
    paulimpi_segment_sync(segment);
    holds = holds && is_zero(segment, place->node_ranks - 1);
    paulimpi_segment_sync(segment);
    holds = rounds_hold(segment, place, rank) && holds;
    holds = explains(segment, place->node_ranks == 1 ? "private memory"
                              : way[0] == '\0'       ? "mapping (the default)"
                                                     : way)
            && holds;
    paulimpi_segment_destroy(&segment);
    return holds && segment == NULL;
}

static void
check_size(MPI_Comm comm, int size, int inside)
{
    paulimpi_segment_options options = PAULIMPI_SEGMENT_OPTIONS_INIT;
    paulimpi_context *ctx = NULL;
    paulimpi_placement place;
    int holds[N_WAYS] = { 1, 1, 1 };
    int i;

    if (inside) {
        ctx = make_context(comm, NULL, &place);
        for (i = 0; i < N_WAYS; i++) {
            setenv("PAULIMPI_SEGMENT", ways[i], 1);
            options.touch = PAULIMPI_TOUCH_OWNER;
            options.huge_pages = 0;
            holds[i] = segment_holds(ctx, &place, NULL, ways[i]);
            holds[i] =
                segment_holds(ctx, &place, &options, ways[i]) && holds[i];
            options.touch = PAULIMPI_TOUCH_USER;
            options.huge_pages = place.node_rank % 2;
            holds[i] =
                segment_holds(ctx, &place, &options, ways[i]) && holds[i];
        }
        paulimpi_context_destroy(&ctx);
        unsetenv("PAULIMPI_SEGMENT");
    }
    for (i = 0; i < N_WAYS; i++) {
        tap_mpi_ok(holds[i], "%d ranks read what the others wrote%s%s", size,
                   i == 0 ? "" : ": ", ways[i]);
    }
}

static void
test_pretended_nodes(void)
{
    static const char *const sizes[] = { "1", "2", "3" };
    paulimpi_placement place;
    paulimpi_context *ctx;
    size_t s;
    int i, holds;

    for (s = 0; s < 3; s++) {
        ctx = make_context(MPI_COMM_WORLD, sizes[s], &place);
        holds = 1;
        for (i = 0; i < N_WAYS; i++) {
            setenv("PAULIMPI_SEGMENT", ways[i], 1);
            holds = segment_holds(ctx, &place, NULL, ways[i]) && holds;
        }
        unsetenv("PAULIMPI_SEGMENT");
        tap_mpi_ok(holds, "segments stay inside nodes of %s", sizes[s]);
        paulimpi_context_destroy(&ctx);
    }
}

/* Nodes are asked for one by one: on one of them the ranks may take another
 * way. */
static void
test_ways_of_nodes(void)
{
    int node = world_rank / 2;
    paulimpi_placement place;
    paulimpi_context *ctx = make_context(MPI_COMM_WORLD, "2", &place);

    setenv("PAULIMPI_SEGMENT", ways[1 + node % 2], 1);
    tap_mpi_ok(segment_holds(ctx, &place, NULL, ways[1 + node % 2]),
               "each node goes its own way");
    unsetenv("PAULIMPI_SEGMENT");
    if (world_rank == 1) {
        setenv("PAULIMPI_SEGMENT", "window", 1);
    }
    tap_mpi_ok(segment_holds(ctx, &place, NULL,
                             node == 0 ? "window (PAULIMPI_SEGMENT)" : ""),
               "which any of its ranks may name");
    unsetenv("PAULIMPI_SEGMENT");
    paulimpi_context_destroy(&ctx);
}

static void
test_empty(paulimpi_context *ctx)
{
    paulimpi_segment *segment;
    void *address = &address;
    int64_t bytes = -1;
    int i;

    for (i = 0; i < N_WAYS; i++) {
        setenv("PAULIMPI_SEGMENT", ways[i], 1);
        tap_mpi_is_status(paulimpi_segment_create(ctx, 0, NULL, &segment),
                          PAULIMPI_SUCCESS, "a segment of no bytes");
        tap_mpi_is_status(paulimpi_segment_part(segment, 1, &address, &bytes),
                          PAULIMPI_SUCCESS, "has parts");
        tap_mpi_ok(address == NULL && bytes == 0, "of no bytes");
        tap_mpi_is_status(paulimpi_segment_sync(segment), PAULIMPI_SUCCESS,
                          "and ranks that can wait for each other");
        paulimpi_segment_destroy(&segment);
    }
    unsetenv("PAULIMPI_SEGMENT");
}

static void
test_huge_pages(paulimpi_context *ctx)
{
    paulimpi_segment_options options = PAULIMPI_SEGMENT_OPTIONS_INIT;
    paulimpi_segment *segment;
    void *first = NULL;
    void *second = NULL;

    options.huge_pages = world_rank == 0;
    paulimpi_segment_create(ctx, 3 * HUGE_PAGE / 2, &options, &segment);
    paulimpi_segment_part(segment, 0, &first, NULL);
    paulimpi_segment_part(segment, 1, &second, NULL);
    tap_mpi_ok((uintptr_t)first % HUGE_PAGE == 0
                   && (char *)second == (char *)first + 2 * HUGE_PAGE,
               "if one rank wants large pages, all parts begin on one");
    paulimpi_segment_destroy(&segment);
}

/* What create() does when something is wrong on rank 1 only. */
static void
check_refused(paulimpi_context *ctx, int64_t bytes,
              const paulimpi_segment_options *options, int own_code,
              const char *part, const char *fact)
{
    paulimpi_segment *segment = (paulimpi_segment *)&world_rank;
    int rc = paulimpi_segment_create(ctx, bytes, options, &segment);

    tap_mpi_is_status(rc, world_rank == 1 ? own_code : PAULIMPI_ERR_REMOTE,
                      "%s on one rank is refused on all", fact);
    tap_mpi_ok(segment == NULL && strstr(paulimpi_last_error(), part) != NULL,
               "which all ranks know");
}

static void
test_one_rank_wrong(paulimpi_context *ctx)
{
    paulimpi_segment_options options = PAULIMPI_SEGMENT_OPTIONS_INIT;
    paulimpi_segment *segment = NULL;
    int rc;

    check_refused(ctx, world_rank == 1 ? -1 : 8, NULL, PAULIMPI_ERR_ARGUMENT,
                  "bytes is -1", "a negative size");
    options.size = world_rank == 1 ? 0 : sizeof options;
    check_refused(ctx, 8, &options, PAULIMPI_ERR_ARGUMENT, "size of options",
                  "a bad size of options");
    options.size = sizeof options;
    options.touch = world_rank == 1 ? 2 : 0;
    check_refused(ctx, 8, &options, PAULIMPI_ERR_ARGUMENT, "touch is 2",
                  "a bad touch");
    options.touch = 0;
    options.huge_pages = world_rank == 1 ? -1 : 0;
    check_refused(ctx, 8, &options, PAULIMPI_ERR_ARGUMENT, "huge_pages is -1",
                  "a bad huge_pages");
    setenv("PAULIMPI_SEGMENT", world_rank == 1 ? "windows" : "window", 1);
    check_refused(ctx, 8, NULL, PAULIMPI_ERR_ARGUMENT,
                  "PAULIMPI_SEGMENT is \"windows\"", "a bad variable");
    unsetenv("PAULIMPI_SEGMENT");
    rc = paulimpi_segment_create(ctx, 8, NULL,
                                 world_rank == 1 ? NULL : &segment);
    tap_mpi_is_status(
        rc, world_rank == 1 ? PAULIMPI_ERR_ARGUMENT : PAULIMPI_ERR_REMOTE,
        "no place for the handle on one rank: likewise");
    tap_mpi_ok(segment == NULL, "and no handle");
}

static void
test_ways_differ(paulimpi_context *ctx)
{
    paulimpi_segment *segment = (paulimpi_segment *)&world_rank;

    setenv("PAULIMPI_SEGMENT", ways[1 + (world_rank == 1)], 1);
    tap_mpi_is_status(paulimpi_segment_create(ctx, 8, NULL, &segment),
                      PAULIMPI_ERR_ARGUMENT,
                      "two ways on one node are refused on all ranks");
    tap_mpi_ok(segment == NULL
                   && strstr(paulimpi_last_error(),
                             "mapping on rank 0 of node 0, but window on "
                             "rank 1 of it")
                          != NULL,
               "with a sentence");
    unsetenv("PAULIMPI_SEGMENT");
}

/* More than any machine has: the same error on all ranks of all nodes, though
 * only rank 1 asks for it. */
static void
test_no_room(const char *node_size)
{
    paulimpi_segment *segment = (paulimpi_segment *)&world_rank;
    int64_t much = INT64_C(1) << 55;
    paulimpi_placement place;
    paulimpi_context *ctx = make_context(MPI_COMM_WORLD, node_size, &place);
    int64_t bytes = world_rank == 1 ? much : 1;
    char number[32];
    int i;

    snprintf(number, sizeof number, "%lld", (long long)(much / 1000000));
    number[5] = '\0';
    for (i = 0; i < N_WAYS; i++) {
        setenv("PAULIMPI_SEGMENT", ways[i], 1);
        tap_mpi_is_status(paulimpi_segment_create(ctx, bytes, NULL, &segment),
                          PAULIMPI_ERR_MEMORY,
                          "too much is refused on all ranks, nodes of %s",
                          node_size);
        tap_mpi_ok(
            segment == NULL && strstr(paulimpi_last_error(), number) != NULL
                && strstr(paulimpi_last_error(), "bytes of memory available")
                       != NULL,
            "with both numbers");
    }
    unsetenv("PAULIMPI_SEGMENT");
    paulimpi_context_destroy(&ctx);
}

static void
test_overflow(paulimpi_context *ctx)
{
    static const int64_t most[] = { INT64_MAX, (INT64_C(1) << 62) - 4096,
                                    INT64_C(1) << 61 };
    paulimpi_segment *segment = (paulimpi_segment *)&world_rank;
    size_t i;

    for (i = 0; i < sizeof most / sizeof most[0]; i++) {
        tap_mpi_is_status(
            paulimpi_segment_create(ctx, most[i], NULL, &segment),
            PAULIMPI_ERR_RANGE, "sizes that overflow together are refused");
        tap_mpi_ok(segment == NULL
                       && strstr(paulimpi_last_error(), "2^62") != NULL,
                   "with a sentence");
    }
}

/* Let the n-th allocation fail on one rank, for all n. */
static void
test_no_memory(paulimpi_context *ctx)
{
    paulimpi_segment *segment;
    traces before = traces_now();
    int n_wrong = 0;
    int64_t n = 0;
    int rc;

    do {
        n++;
        segment = (paulimpi_segment *)&n;
        paulimpi__alloc_fail_at(world_rank == 1 ? n : 0);
        rc = paulimpi_segment_create(ctx, 10000, NULL, &segment);
        n_wrong += rc != PAULIMPI_SUCCESS
                   && (segment != NULL
                       || rc
                              != (world_rank == 1 ? PAULIMPI_ERR_MEMORY
                                                  : PAULIMPI_ERR_REMOTE));
    } while (rc != PAULIMPI_SUCCESS && n < 100);
    paulimpi__alloc_fail_at(0);
    tap_mpi_ok(n > 3 && n_wrong == 0,
               "wherever memory runs out on one rank: codes on all");
    paulimpi_segment_destroy(&segment);
    tap_mpi_ok(traces_same(before, traces_now()), "and nothing is left");
}

/* What the process holds before and after. */
static void
test_nothing_left(paulimpi_context *ctx, const paulimpi_placement *place)
{
    traces before, after;
    int i, round;
    int holds = 1;

    for (i = 0; i < N_WAYS; i++) {
        setenv("PAULIMPI_SEGMENT", ways[i], 1);
        segment_holds(ctx, place, NULL, ways[i]);
        MPI_Barrier(MPI_COMM_WORLD);
        before = traces_now();
        MPI_Barrier(MPI_COMM_WORLD);
        for (round = 0; round < 5; round++) {
            holds = segment_holds(ctx, place, NULL, ways[i]) && holds;
        }
        MPI_Barrier(MPI_COMM_WORLD);
        after = traces_now();
        MPI_Barrier(MPI_COMM_WORLD);
        tap_mpi_ok(holds && traces_same(before, after),
                   "segments leave nothing behind%s%s", i == 0 ? "" : ": ",
                   ways[i]);
    }
    unsetenv("PAULIMPI_SEGMENT");
}

/* While it lives, a mapping costs no descriptor and has no name. */
static void
test_live(paulimpi_context *ctx)
{
    traces before = traces_now();
    traces during;
    paulimpi_segment *segment;

    MPI_Barrier(MPI_COMM_WORLD);
    paulimpi_segment_create(ctx, 10000, NULL, &segment);
    during = traces_now();
    tap_mpi_ok(during.descriptors == before.descriptors
                   && during.names == before.names
                   && during.mappings > before.mappings,
               "a mapping holds no descriptor and has no name");
    paulimpi_segment_sync(segment);
    paulimpi_segment_destroy(&segment);
}

/* The segment keeps its context; a window may outlive MPI. */
static void
test_lifetime(void)
{
    paulimpi_placement place;
    paulimpi_context *ctx = make_context(MPI_COMM_WORLD, NULL, &place);
    paulimpi_segment *segment;

    paulimpi_segment_create(ctx, 10, NULL, &segment);
    paulimpi_context_destroy(&ctx);
    tap_mpi_is_status(paulimpi_segment_sync(segment), PAULIMPI_SUCCESS,
                      "a segment keeps its context alive");
    paulimpi_segment_destroy(&segment);
}

/* A function of its own, which the lists of known leaks name: what outlives
 * MPI is MPI's to free. */
static void
create_survivor(paulimpi_segment **mapping_p, paulimpi_segment **window_p)
{
    paulimpi_placement place;
    paulimpi_context *ctx = make_context(MPI_COMM_WORLD, NULL, &place);

    paulimpi_segment_create(ctx, 10, NULL, mapping_p);
    setenv("PAULIMPI_SEGMENT", "window", 1);
    paulimpi_segment_create(ctx, 10, NULL, window_p);
    unsetenv("PAULIMPI_SEGMENT");
    paulimpi_context_destroy(&ctx);
}

int
main(int argc, char **argv)
{
    paulimpi_segment *mapping, *window;
    paulimpi_placement place;
    paulimpi_context *ctx;
    int provided, rc;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    tap_mpi_begin(argv[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    unsetenv("PAULIMPI_TEST_NODE_SIZE");
    unsetenv("PAULIMPI_SEGMENT");
    setenv("PAULIMPI_THREADS", "3", 1);
    tap_mpi_each_size(check_size);
    test_pretended_nodes();
    test_ways_of_nodes();

    ctx = make_context(MPI_COMM_WORLD, NULL, &place);
    test_empty(ctx);
    test_huge_pages(ctx);
    test_one_rank_wrong(ctx);
    test_ways_differ(ctx);
    test_overflow(ctx);
    test_no_memory(ctx);
    test_nothing_left(ctx, &place);
    test_live(ctx);
    paulimpi_context_destroy(&ctx);
    test_no_room("1");
    test_no_room("4");
    test_lifetime();

    create_survivor(&mapping, &window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    rc = paulimpi_segment_sync(mapping);
    paulimpi_segment_destroy(&mapping);
    paulimpi_segment_destroy(&window);
    if (world_rank != 0) {
        return 0;
    }
    tap_is_status(rc, PAULIMPI_ERR_STATE,
                  "there is no sync after MPI_Finalize");
    tap_ok(mapping == NULL && window == NULL, "but segments can be destroyed");
    return tap_done();
}
