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

#include "comm/call.h"

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

/* Split off the ranks of this node, in their order. MPI has no such function
 * that could be given up: ranks have agreed right before. */
static int
split_node(paulimpi_context *ctx)
{
    MPI_Comm shared = MPI_COMM_NULL;
    int rank;
    int rc;

    rc = paulimpi__mpi_error(
        MPI_Comm_split_type(ctx->comm, MPI_COMM_TYPE_SHARED, ctx->rank,
                            MPI_INFO_NULL, &shared),
        CREATE, "MPI_Comm_split_type");
    if (rc != PAULIMPI_SUCCESS || ctx->test_node_size == 0) {
        ctx->node = shared;
        return rc;
    }

    /* Cut it, so that tests have several nodes on one. */
    MPI_Comm_rank(shared, &rank);
    rc = paulimpi__mpi_error(
        MPI_Comm_split(shared, rank / ctx->test_node_size, rank, &ctx->node),
        CREATE, "MPI_Comm_split");
    MPI_Comm_free(&shared);
    return rc;
}

/* Count the nodes, and those before this rank's: *mine_p, on the first rank of
 * it. */
static int
count_nodes(paulimpi_context *ctx, int64_t *mine_p)
{
    paulimpi__call call = { ctx, 0, CREATE, PAULIMPI__CALL_SUM, 1, 0, 0 };
    MPI_Request request = MPI_REQUEST_NULL;
    int64_t is_first = ctx->placement.node_rank == 0;
    int64_t nodes = is_first;
    int64_t *given = ctx->scratch;
    int code;
    int rc = paulimpi__call_reduce(&call, &nodes);

    ctx->placement.nodes = (int)nodes;
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__call_begin(&call);
    }
    if (rc == PAULIMPI_SUCCESS) {
        given[0] = is_first;
        given[1] = 0;
        code = MPI_Iexscan(given, given + 1, 1, MPI_INT64_T, MPI_SUM,
                           ctx->comm, &request);
        rc = paulimpi__call_wait(&call, code, "MPI_Iexscan", &request);
    }

    /* MPI leaves the result of rank 0 undefined. */
    *mine_p = ctx->rank == 0 ? 0 : given[1];
    return rc;
}

/* Number the nodes in the order of their lowest ranks, and tell every rank
 * what the lowest rank of its node knows. */
static int
number_nodes(paulimpi_context *ctx)
{
    paulimpi_placement *place = &ctx->placement;
    int64_t known[3] = { 0, 0, place->node_memory };
    paulimpi__call call = { ctx,          1, CREATE, PAULIMPI__CALL_SHARE,
                            sizeof known, 0, 0 };
    int rc;

    MPI_Comm_set_errhandler(ctx->node, MPI_ERRORS_RETURN);
    MPI_Comm_rank(ctx->node, &place->node_rank);
    MPI_Comm_size(ctx->node, &place->node_ranks);
    rc = count_nodes(ctx, &known[0]);

    /* hwloc takes a while to look at a large node: once is enough. */
    if (rc == PAULIMPI_SUCCESS && place->node_rank == 0) {
        known[1] = paulimpi__numa_domains();
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__call_share(&call, known);
    }
    place->node = (int)known[0];
    place->numa_domains = (int)known[1];
    place->node_memory = known[2];
    return rc;
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

/* Tell the ranks of the node something, and hear the same of them. */
static int
hear_node(paulimpi_context *ctx, const void *mine, size_t bytes, void *all)
{
    paulimpi__call call = {
        ctx, 1, CREATE, PAULIMPI__CALL_GATHER, (int64_t)bytes, 0, 0
    };

    return paulimpi__call_gather(&call, mine, all);
}

static int
settle_threads(paulimpi_context *ctx, int requested, paulimpi__mask *masks,
               int *threads)
{
    paulimpi__call call = { ctx, 1, CREATE, PAULIMPI__CALL_MAX, 1, 0, 0 };
    int64_t overlap = 0;
    int rc = hear_node(ctx, &ctx->mask, sizeof ctx->mask, masks);

    if (rc == PAULIMPI_SUCCESS) {
        share_processors(ctx, masks);
        ctx->threads = paulimpi__choose_threads(ctx, requested);
        rc = hear_node(ctx, &ctx->threads, sizeof ctx->threads, threads);
    }
    if (rc == PAULIMPI_SUCCESS) {
        overlap = is_crowded(ctx, masks, threads);
        rc = paulimpi__call_reduce(&call, &overlap);
    }
    ctx->placement.ranks_overlap = (int)overlap;
    if (rc == PAULIMPI_SUCCESS && overlap && ctx->placement.node_rank == 0) {
        paulimpi__log(PAULIMPI__LOG_WARN,
                      "ranks of the node of rank %d share processors and "
                      "have more threads than there are of these: start "
                      "fewer, or let the launcher bind each rank to "
                      "processors of its own",
                      ctx->rank);
    }
    return rc;
}

int
paulimpi__topology_nodes(paulimpi_context *ctx, int requested)
{
    paulimpi__mask *masks = NULL;
    int *threads = NULL;
    size_t n;
    int rc = paulimpi__agree_in(ctx, CREATE, split_node(ctx));

    if (rc == PAULIMPI_SUCCESS) {
        rc = number_nodes(ctx);
    }
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
        rc = settle_threads(ctx, requested, masks, threads);
    }
    paulimpi__free(threads);
    paulimpi__free(masks);
    return rc;
}
