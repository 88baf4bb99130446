/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which ranks share a node and its processors, and how many threads each of
 * them should have.
 */
#include "config.h"

#include <sched.h>
#include <unistd.h>
#ifdef HAVE_OPENMP
#include <omp.h>
#endif

#include "comm/state.h"

#define CREATE "paulimpi_context_create"

enum { MOST_PROCESSORS = 64 * PAULIMPI__MASK_WORDS };

static int
count(const paulimpi__mask *mask)
{
    int n = 0;
    int i;

    for (i = 0; i < PAULIMPI__MASK_WORDS; i++) {
        n += paulimpi__popcount(mask->word[i]);
    }
    return n;
}

static int
meet(const paulimpi__mask *a, const paulimpi__mask *b)
{
    int i;

    for (i = 0; i < PAULIMPI__MASK_WORDS; i++) {
        if ((a->word[i] & b->word[i]) != 0) {
            return 1;
        }
    }
    return 0;
}

static void
unite(paulimpi__mask *mask, const paulimpi__mask *added)
{
    int i;

    for (i = 0; i < PAULIMPI__MASK_WORDS; i++) {
        mask->word[i] |= added->word[i];
    }
}

static void
set(paulimpi__mask *mask, long i)
{
    if (i >= 0 && i < MOST_PROCESSORS) {
        mask->word[i / 64] |= UINT64_C(1) << i % 64;
    }
}

static void
set_first(paulimpi__mask *mask, long n)
{
    long i;

    for (i = 0; i < n && i < MOST_PROCESSORS; i++) {
        set(mask, i);
    }
}

#ifdef HAVE_OPENMP

/* With OMP_PROC_BIND or OMP_PLACES the OpenMP library binds the first thread
 * to one of its places before main() begins. All the places together are what
 * the launcher left us. */
static void
add_places(paulimpi__mask *mask)
{
    int id[MOST_PROCESSORS];
    int place, i, n;

    for (place = 0; place < omp_get_num_places(); place++) {
        n = omp_get_place_num_procs(place);
        if (n <= MOST_PROCESSORS) {
            omp_get_place_proc_ids(place, id);
            for (i = 0; i < n; i++) {
                set(mask, id[i]);
            }
        }
    }
}

#else

static void
add_places(paulimpi__mask *mask)
{
    (void)mask;
}

#endif

void
paulimpi__topology_local(paulimpi_context *ctx)
{
    paulimpi_placement *place = &ctx->placement;

    ctx->mask = (paulimpi__mask){ { 0 } };
    if (sched_getaffinity(0, sizeof ctx->mask, (cpu_set_t *)&ctx->mask) != 0
        || count(&ctx->mask) == 0) {
        set_first(&ctx->mask, sysconf(_SC_NPROCESSORS_ONLN));
    }
    add_places(&ctx->mask);
    *place = (paulimpi_placement){
        .size = sizeof *place,
        .nodes = 1,
        .node_ranks = 1,
        .processors = count(&ctx->mask),
        .node_memory = paulimpi__available_memory(),
    };
    ctx->automatic_threads = place->processors > 0 ? place->processors : 1;
}

int
paulimpi__choose_threads(const paulimpi_context *ctx, int requested)
{
    int threads =
        requested == PAULIMPI_AUTOMATIC ? ctx->automatic_threads : requested;

    return threads < ctx->most_threads ? threads : ctx->most_threads;
}

/* Split off the ranks of this node, in their order. */
static int
split_node(const paulimpi_context *ctx, MPI_Comm *node_p)
{
    MPI_Comm shared = MPI_COMM_NULL;
    MPI_Comm part = MPI_COMM_NULL;
    int rank;
    int rc;

    rc = paulimpi__mpi_error(
        MPI_Comm_split_type(ctx->comm, MPI_COMM_TYPE_SHARED, ctx->rank,
                            MPI_INFO_NULL, &shared),
        CREATE, "MPI_Comm_split_type");
    if (rc != PAULIMPI_SUCCESS || ctx->test_node_size == 0) {
        *node_p = shared;
        return rc;
    }

    /* Cut it, so that tests have several nodes on one. */
    MPI_Comm_rank(shared, &rank);
    rc = paulimpi__mpi_error(
        MPI_Comm_split(shared, rank / ctx->test_node_size, rank, &part),
        CREATE, "MPI_Comm_split");
    MPI_Comm_free(&shared);
    *node_p = part;
    return rc;
}

/* Number the nodes in the order of their lowest ranks, and tell every rank
 * what the lowest rank of its node knows. */
static int
number_nodes(paulimpi_context *ctx, MPI_Comm node)
{
    paulimpi_placement *place = &ctx->placement;
    int is_first, numbers[2];
    int before = 0;
    int rc;

    MPI_Comm_rank(node, &place->node_rank);
    MPI_Comm_size(node, &place->node_ranks);
    is_first = place->node_rank == 0;

    rc = MPI_Allreduce(&is_first, &place->nodes, 1, MPI_INT, MPI_SUM,
                       ctx->comm);
    if (rc == MPI_SUCCESS) {
        rc = MPI_Exscan(&is_first, &before, 1, MPI_INT, MPI_SUM, ctx->comm);
    }

    /* MPI_Exscan leaves rank 0's result undefined. hwloc takes a while to
     * look at a large node: once is enough. */
    numbers[0] = ctx->rank == 0 ? 0 : before;
    numbers[1] = is_first ? paulimpi__numa_domains() : 0;
    if (rc == MPI_SUCCESS) {
        rc = MPI_Bcast(numbers, 2, MPI_INT, 0, node);
    }
    if (rc == MPI_SUCCESS) {
        rc = MPI_Bcast(&place->node_memory, 1, MPI_INT64_T, 0, node);
    }
    place->node = numbers[0];
    place->numa_domains = numbers[1];
    return paulimpi__mpi_error(rc, CREATE, "numbering the nodes");
}

/* Divide the processors of this rank by the ranks that share any of them. */
static void
share_processors(paulimpi_context *ctx, const paulimpi__mask *masks)
{
    int sharers = 0;
    int i;

    for (i = 0; i < ctx->placement.node_ranks; i++) {
        sharers += meet(&ctx->mask, &masks[i]);
    }
    if (sharers > 1) {
        ctx->automatic_threads = ctx->placement.processors / sharers;
    }
    if (ctx->automatic_threads < 1) {
        ctx->automatic_threads = 1;
    }
}

/* Whether this rank and those that share processors with it have more threads
 * than processors. */
static int
is_crowded(const paulimpi_context *ctx, const paulimpi__mask *masks,
           const int *threads)
{
    paulimpi__mask all = { { 0 } };
    int sharers = 0;
    int total = 0;
    int i;

    for (i = 0; i < ctx->placement.node_ranks; i++) {
        if (meet(&ctx->mask, &masks[i])) {
            unite(&all, &masks[i]);
            sharers++;
            total += threads[i];
        }
    }
    return sharers > 1 && total > count(&all);
}

static int
settle_threads(paulimpi_context *ctx, MPI_Comm node, int requested,
               paulimpi__mask *masks, int *threads)
{
    int is_here;
    int rc;

    rc = MPI_Allgather(&ctx->mask, PAULIMPI__MASK_WORDS, MPI_UINT64_T, masks,
                       PAULIMPI__MASK_WORDS, MPI_UINT64_T, node);
    if (rc == MPI_SUCCESS) {
        share_processors(ctx, masks);
        ctx->threads = paulimpi__choose_threads(ctx, requested);
        rc = MPI_Allgather(&ctx->threads, 1, MPI_INT, threads, 1, MPI_INT,
                           node);
    }
    if (rc == MPI_SUCCESS) {
        is_here = is_crowded(ctx, masks, threads);
        rc = MPI_Allreduce(&is_here, &ctx->placement.ranks_overlap, 1, MPI_INT,
                           MPI_MAX, node);
    }
    if (rc == MPI_SUCCESS && ctx->placement.ranks_overlap
        && ctx->placement.node_rank == 0) {
        paulimpi__log(PAULIMPI__LOG_WARN,
                      "ranks of the node of rank %d share processors and "
                      "have more threads than there are of these: start "
                      "fewer, or let the launcher bind each rank to "
                      "processors of its own",
                      ctx->rank);
    }
    return paulimpi__mpi_error(rc, CREATE, "sharing out the processors");
}

int
paulimpi__topology_nodes(paulimpi_context *ctx, int requested)
{
    paulimpi__mask *masks = NULL;
    int *threads = NULL;
    size_t n;
    MPI_Comm node;
    int rc;

    rc = split_node(ctx, &node);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = number_nodes(ctx, node);
    if (rc == PAULIMPI_SUCCESS) {
        n = (size_t)ctx->placement.node_ranks;
        masks = paulimpi__alloc(n, sizeof *masks);
        threads = paulimpi__alloc(n, sizeof *threads);
        if (masks == NULL || threads == NULL) {
            rc = paulimpi__no_memory(CREATE,
                                     n * (sizeof *masks + sizeof *threads));
        }
    }
    rc = paulimpi__agree_in(ctx, CREATE, rc);
    if (rc == PAULIMPI_SUCCESS) {
        rc = settle_threads(ctx, node, requested, masks, threads);
    }
    paulimpi__free(threads);
    paulimpi__free(masks);
    MPI_Comm_free(&node);
    return rc;
}

int
paulimpi__context_node_comm(paulimpi_context *ctx, const char *function,
                            MPI_Comm *node_p)
{
    MPI_Comm made = MPI_COMM_NULL;
    int rc = PAULIMPI_SUCCESS;

    if (ctx->comm != MPI_COMM_NULL && ctx->node == MPI_COMM_NULL) {
        rc = paulimpi__mpi_error(
            MPI_Comm_split(ctx->comm, ctx->placement.node, ctx->rank, &made),
            function, "MPI_Comm_split");
        rc = paulimpi__agree_in(ctx, function, rc);
        if (rc == PAULIMPI_SUCCESS) {
            ctx->node = made;
        }
    }
    *node_p = ctx->node;
    return rc;
}
