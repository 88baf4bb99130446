/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Nodes, processors and threads of ranks, on pretended nodes.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "comm/capture.h"
#include "comm/comm.h"
#include "tap/tap.h"
#include "tap/tap_mpi.h"

#ifdef _OPENMP
enum { HAS_THREADS = 1 };
#else
enum { HAS_THREADS = 0 };
#endif

static int world_rank, world_size;
static cpu_set_t original;
static int first_processor, second_processor;

/* Make a context on ranks per pretended node; what it writes to standard error
 * is kept in *log_p. */
static paulimpi_context *
make(MPI_Comm comm, const char *node_size, int threads,
     paulimpi_placement *place, const char **log_p)
{
    paulimpi_context_options options = PAULIMPI_CONTEXT_OPTIONS_INIT;
    paulimpi_context *ctx;

    options.threads = threads;
    setenv("PAULIMPI_TEST_NODE_SIZE", node_size, 1);
    capture_begin();
    if (paulimpi_context_create(comm, &options, &ctx) != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no context: %s", paulimpi_last_error());
    }
    *log_p = capture_end();
    *place = (paulimpi_placement)PAULIMPI_PLACEMENT_INIT;
    paulimpi_context_placement(ctx, place);
    return ctx;
}

static void
check_nodes(int node_size)
{
    const char text[2] = { (char)('0' + node_size), '\0' };
    int node = world_rank / node_size;
    int left = world_size - node * node_size;
    paulimpi_placement place;
    paulimpi_context *ctx;
    const char *log;

    ctx = make(MPI_COMM_WORLD, text, 1, &place, &log);
    tap_mpi_ok(place.nodes == (world_size + node_size - 1) / node_size
                   && place.node == node
                   && place.node_ranks == (left < node_size ? left : node_size)
                   && place.node_rank == world_rank % node_size,
               "%d ranks on nodes of %d", world_size, node_size);
    tap_mpi_ok(place.numa_domains >= 0 && place.processors >= 1
                   && place.node_memory > 0,
               "know their processors and memory");
    paulimpi_context_destroy(&ctx);
}

/* Nodes are numbered by the ranks of the context, not of the world. */
static void
test_reversed(void)
{
    paulimpi_placement place;
    paulimpi_context *ctx;
    MPI_Comm reversed;
    const char *log;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &reversed);
    ctx = make(reversed, "2", 1, &place, &log);
    tap_mpi_is_int(place.node, (world_size - 1 - world_rank) / 2,
                   "nodes are in the order of the ranks");
    paulimpi_context_destroy(&ctx);
    MPI_Comm_free(&reversed);
}

static void
bind_to(int processor)
{
    cpu_set_t mask;

    CPU_ZERO(&mask);
    CPU_SET(processor, &mask);
    sched_setaffinity(0, sizeof mask, &mask);
}

static void
test_shared_mask(void)
{
    int n = CPU_COUNT(&original);
    int share = n / world_size > 0 ? n / world_size : 1;
    paulimpi_placement place;
    paulimpi_context *ctx;
    const char *log;

    ctx = make(MPI_COMM_WORLD, "4", PAULIMPI_AUTOMATIC, &place, &log);
    tap_mpi_is_int(place.processors, n, "all ranks may use all processors");
    tap_mpi_is_int(paulimpi_context_threads(ctx), HAS_THREADS ? share : 1,
                   "and divide them");
    tap_mpi_is_int(place.ranks_overlap,
                   world_size * paulimpi_context_threads(ctx) > n,
                   "they overlap only if there are too few");
    paulimpi_context_set_threads(ctx, 3);
    paulimpi_context_set_threads(ctx, PAULIMPI_AUTOMATIC);
    tap_mpi_is_int(paulimpi_context_threads(ctx), HAS_THREADS ? share : 1,
                   "PAULIMPI_AUTOMATIC means the share");
    paulimpi_context_destroy(&ctx);

    if (HAS_THREADS) {
        ctx = make(MPI_COMM_WORLD, "4", n, &place, &log);
        tap_mpi_ok(place.ranks_overlap == 1
                       && paulimpi_context_threads(ctx) == n,
                   "too many threads are made, and noticed");
        paulimpi_context_destroy(&ctx);
    }
}

static void
test_bound(void)
{
    paulimpi_placement place;
    paulimpi_context *ctx;
    const char *log;

    bind_to(first_processor);
    ctx = make(MPI_COMM_WORLD, "2", PAULIMPI_AUTOMATIC, &place, &log);
    tap_mpi_ok(place.processors == 1 && place.ranks_overlap == 1
                   && paulimpi_context_threads(ctx) == 1,
               "two ranks on one processor overlap");
    tap_mpi_ok((strstr(log, "share processors") != NULL)
                   == (place.node_rank == 0),
               "the first rank of a node says so");
    paulimpi_context_destroy(&ctx);

    bind_to(world_rank % 2 == 0 ? first_processor : second_processor);
    ctx = make(MPI_COMM_WORLD, "2", PAULIMPI_AUTOMATIC, &place, &log);
    tap_mpi_ok(first_processor == second_processor
                   || (place.ranks_overlap == 0 && log[0] == '\0'
                       && paulimpi_context_threads(ctx) == 1),
               "two ranks on two processors do not");
    paulimpi_context_destroy(&ctx);

    /* On the other node nothing has changed. */
    bind_to(world_rank == 1 ? second_processor : first_processor);
    ctx = make(MPI_COMM_WORLD, "2", PAULIMPI_AUTOMATIC, &place, &log);
    tap_mpi_ok(first_processor == second_processor
                   || place.ranks_overlap == (world_rank >= 2),
               "each node is judged by itself");
    paulimpi_context_destroy(&ctx);
    sched_setaffinity(0, sizeof original, &original);
}

static void
find_processors(void)
{
    int i;

    sched_getaffinity(0, sizeof original, &original);
    for (i = 0; i < CPU_SETSIZE && !CPU_ISSET(i, &original); i++) {
    }
    first_processor = i;
    for (i++; i < CPU_SETSIZE && !CPU_ISSET(i, &original); i++) {
    }
    second_processor = i < CPU_SETSIZE ? i : first_processor;
}

int
main(int argc, char **argv)
{
    int provided, status;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    tap_mpi_begin(argv[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    setenv("PAULIMPI_LOG", "warn", 1);
    unsetenv("PAULIMPI_THREADS");
    find_processors();

    check_nodes(1);
    check_nodes(2);
    check_nodes(3);
    check_nodes(4);
    test_reversed();
    if (getenv("OMP_PROC_BIND") == NULL && getenv("OMP_PLACES") == NULL) {
        /* OpenMP leaves the masks to us. */
        test_shared_mask();
        test_bound();
    }
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
