/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Contexts: making, holding, asking and destroying them.
 */
#include "config.h"

#include "paulimpi/context.h"

#include <inttypes.h>
#include <string.h>

#include "base/base.h"
#include "comm/call.h"
#include "comm/comm.h"

#define CREATE "paulimpi_context_create"

static int
check_threads(const char *function, int threads)
{
    if (threads != PAULIMPI_AUTOMATIC
        && (threads < 1 || threads > PAULIMPI__MOST_THREADS)) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: threads is %d, but must be from 1 to %d, "
                               "or PAULIMPI_AUTOMATIC",
                               function, threads, PAULIMPI__MOST_THREADS);
    }
    return PAULIMPI_SUCCESS;
}

/* Find the number of threads that is asked for: by the caller, else by the
 * environment, else PAULIMPI_AUTOMATIC. */
static int
read_threads(const char *function, const paulimpi_context_options *options,
             int *requested_p)
{
    paulimpi_context_options known = PAULIMPI_CONTEXT_OPTIONS_INIT;
    int64_t value = PAULIMPI_AUTOMATIC;
    int rc;

    if (options != NULL && options->size == 0) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: the size of options is 0: start from "
                               "PAULIMPI_CONTEXT_OPTIONS_INIT",
                               function);
    }
    if (options != NULL) {
        memcpy(&known, options,
               options->size < sizeof known ? options->size : sizeof known);
    }
    rc = check_threads(function, known.threads);
    if (rc == PAULIMPI_SUCCESS && known.threads == PAULIMPI_AUTOMATIC) {
        rc = paulimpi__env_int64("PAULIMPI_THREADS", 1, PAULIMPI__MOST_THREADS,
                                 &value);
        known.threads = (int)value;
    }
    *requested_p = known.threads;
    return rc;
}

/* A context of one rank, of which nothing is known yet; NULL without memory. */
static paulimpi_context *
allocate(void)
{
    paulimpi_context *ctx = paulimpi__alloc_zero(1, sizeof *ctx);

    if (ctx != NULL) {
        ctx->comm = MPI_COMM_NULL;
        ctx->apart = MPI_COMM_NULL;
        ctx->node = MPI_COMM_NULL;
        ctx->size = 1;
        atomic_init(&ctx->references, 1);
    }
    return ctx;
}

/* What a rank finds out by itself; *requested_p is read_threads' answer. ctx is
 * allocate()'s. */
static int
set_up(const char *function, const paulimpi_context_options *options,
       paulimpi_context **ctx_p, paulimpi_context *ctx, int *requested_p)
{
    int64_t node_size = 0;
    int rc;

    if (ctx_p == NULL) {
        return paulimpi__null(function, "ctx_p");
    }
    rc = read_threads(function, options, requested_p);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__env_int64("PAULIMPI_TEST_NODE_SIZE", 1, INT32_MAX,
                                 &node_size);
    }
    if (rc == PAULIMPI_SUCCESS && ctx == NULL) {
        rc = paulimpi__no_memory(function, sizeof *ctx + PAULIMPI__SCRATCH);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__handle_enter(ctx, PAULIMPI__HANDLE_CONTEXT);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    ctx->test_node_size = (int)node_size;
#ifdef HAVE_OPENMP
    ctx->most_threads = PAULIMPI__MOST_THREADS;
#else
    ctx->most_threads = 1;
#endif
    paulimpi__topology_local(ctx);
    return PAULIMPI_SUCCESS;
}

static void
free_local(paulimpi_context *ctx)
{
    if (ctx != NULL) {
        paulimpi__handle_leave(ctx);
        if (!ctx->is_lost) {
            paulimpi__free(ctx->scratch);
        }
        paulimpi__free(ctx);
    }
}

int
paulimpi_context_create_serial(const paulimpi_context_options *options,
                               paulimpi_context **ctx_p)
{
    paulimpi_context *ctx;
    int requested;
    int rc;

    if (ctx_p != NULL) {
        *ctx_p = NULL;
    }
    ctx = allocate();
    rc = set_up("paulimpi_context_create_serial", options, ctx_p, ctx,
                &requested);
    if (rc != PAULIMPI_SUCCESS) {
        free_local(ctx);
        return rc;
    }
    ctx->placement.numa_domains = paulimpi__numa_domains();
    ctx->threads = paulimpi__choose_threads(ctx, requested);
    *ctx_p = ctx;
    return PAULIMPI_SUCCESS;
}

/* The checks that come before any communication is possible. */
static int
check_communicator(MPI_Comm comm)
{
    int is_inter = 0;

    if (!paulimpi__mpi_is_active()) {
        return paulimpi__error(PAULIMPI_ERR_STATE,
                               CREATE ": MPI is not initialised, or already "
                                      "finalised");
    }
    if (comm == MPI_COMM_NULL) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               CREATE ": comm is MPI_COMM_NULL");
    }
    MPI_Comm_test_inter(comm, &is_inter);
    if (is_inter) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               CREATE ": comm is an inter-communicator, but "
                                      "must be an intra-communicator");
    }
    return PAULIMPI_SUCCESS;
}

/* Threads beside the one that calls MPI need a promise that plain MPI_Init
 * does not give. */
static void
respect_thread_level(paulimpi_context *ctx)
{
    int provided = MPI_THREAD_SINGLE;

    MPI_Query_thread(&provided);
    if (provided < MPI_THREAD_FUNNELED) {
        ctx->most_threads = 1;
        if (ctx->rank == 0) {
            paulimpi__log(PAULIMPI__LOG_WARN,
                          "MPI was initialised with MPI_THREAD_SINGLE: one "
                          "thread a rank; MPI_Init_thread with "
                          "MPI_THREAD_FUNNELED allows more");
        }
    }
}

/* Free the communicators, unless MPI still uses them. Collective. */
static void
free_communicators(paulimpi_context *ctx)
{
    if (ctx->is_lost) {
        return;
    }
    if (ctx->node != MPI_COMM_NULL) {
        MPI_Comm_free(&ctx->node);
    }
    if (ctx->comm != ctx->apart) {
        MPI_Comm_free(&ctx->comm);
    }
    MPI_Comm_free(&ctx->apart);
}

/* Let a context, or what stands for one on a rank without memory, be that of a
 * new communicator, for letters and for all else. */
static void
settle_in(paulimpi_context *ctx, MPI_Comm comm)
{
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    ctx->comm = comm;
    ctx->apart = comm;
    MPI_Comm_rank(comm, &ctx->rank);
    MPI_Comm_size(comm, &ctx->size);
}

/* A rank that has no context must not stay away. It takes part without a time
 * limit: nothing of its stack may be left to MPI. */
static int
agree_without(MPI_Comm comm, int rc)
{
    int64_t scratch[PAULIMPI__SCRATCH / sizeof(int64_t)];
    paulimpi_context stand_in = { .node = MPI_COMM_NULL, .scratch = scratch };

    settle_in(&stand_in, comm);
    stand_in.apart = MPI_COMM_NULL;
    return paulimpi__agree_in(&stand_in, CREATE, rc);
}

/* A communicator of its own keeps the library's messages apart from the
 * application's. It is made before ranks agree on anything because agreement
 * needs it. Until then a rank that does not come cannot be named. */
static int
enter(MPI_Comm comm, paulimpi_context *ctx, int rc)
{
    MPI_Comm alone = MPI_COMM_NULL;
    MPI_Comm *made = ctx != NULL ? &ctx->apart : &alone;
    MPI_Request request = MPI_REQUEST_NULL;
    double limit = ctx != NULL ? paulimpi__timeout() : 0.0;
    int code = MPI_Comm_idup(comm, made, &request);
    int waited =
        paulimpi__wait_alone(CREATE, limit, code, "MPI_Comm_idup", &request);

    if (waited != PAULIMPI_SUCCESS) {
        return waited;
    }
    if (ctx == NULL) {
        rc = agree_without(alone, rc);
        MPI_Comm_free(&alone);
        return rc;
    }
    settle_in(ctx, ctx->apart);
    return paulimpi__agree_in(ctx, CREATE, rc);
}

/* Make the communicator for all but letters. What came by the first one too
 * late stays there. Collective. */
static int
make_main(paulimpi_context *ctx)
{
    paulimpi__call call = { ctx, 0, CREATE, PAULIMPI__CALL_MEET, 0, 0, 0 };
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm *made = ctx->scratch;
    MPI_Comm comm = MPI_COMM_NULL;
    int rc = paulimpi__call_begin(&call);
    int code;

    if (rc == PAULIMPI_SUCCESS) {
        code = MPI_Comm_idup(ctx->apart, made, &request);
        rc = paulimpi__call_wait(&call, code, "MPI_Comm_idup", &request);
    }
    if (rc == PAULIMPI_SUCCESS) {
        comm = *made;
    }
    rc = paulimpi__agree_in(ctx, CREATE, rc);
    if (comm == MPI_COMM_NULL) {
        return rc;
    }
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (rc == PAULIMPI_SUCCESS) {
        ctx->comm = comm;
    } else if (!ctx->is_lost) {
        MPI_Comm_free(&comm);
    }
    return rc;
}

/* Find this rank's place. Collective. */
static int
join(paulimpi_context *ctx, int requested)
{
    int rc = make_main(ctx);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    ctx->uses_mpi = 1;
    respect_thread_level(ctx);
    rc = paulimpi__topology_nodes(ctx, requested);
    rc = paulimpi__agree_in(ctx, CREATE, rc);
    if (rc == PAULIMPI_SUCCESS) {
        paulimpi__launch_verify(ctx);
    }
    return rc;
}

/* Forget a context that could not be made on MPI. Collective, unless a rank is
 * silent. */
static void
abandon(paulimpi_context *ctx)
{
    if (ctx == NULL) {
        return;
    }
    if (ctx->comm != MPI_COMM_NULL) {
        paulimpi__letters_forget(ctx);
        free_communicators(ctx);
    }
    free_local(ctx);
}

/* A context with room for what collective calls read and write. */
static paulimpi_context *
allocate_with_scratch(void)
{
    paulimpi_context *ctx = allocate();

    if (ctx != NULL) {
        ctx->scratch = paulimpi__alloc_zero(PAULIMPI__SCRATCH, 1);
        if (ctx->scratch == NULL) {
            paulimpi__free(ctx);
            ctx = NULL;
        }
    }
    return ctx;
}

int
paulimpi_context_create(MPI_Comm comm, const paulimpi_context_options *options,
                        paulimpi_context **ctx_p)
{
    int requested = PAULIMPI_AUTOMATIC;
    paulimpi_context *ctx;
    int rc;

    if (ctx_p != NULL) {
        *ctx_p = NULL;
    }
    rc = check_communicator(comm);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    ctx = allocate_with_scratch();
    rc = set_up(CREATE, options, ctx_p, ctx, &requested);
    rc = enter(comm, ctx, rc);
    if (rc == PAULIMPI_ERR_TIMEOUT && ctx != NULL
        && ctx->comm == MPI_COMM_NULL) {
        /* MPI will still write the communicator into it. */
        paulimpi__handle_leave(ctx);
        return rc;
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = join(ctx, requested);
    }
    if (rc != PAULIMPI_SUCCESS) {
        abandon(ctx);
        return rc;
    }
    paulimpi__mpi_enter();
    *ctx_p = ctx;
    return PAULIMPI_SUCCESS;
}

void
paulimpi__context_retain(paulimpi_context *ctx)
{
    atomic_fetch_add(&ctx->references, 1);
}

MPI_Comm
paulimpi__context_comm(const paulimpi_context *ctx)
{
    return ctx->comm;
}

MPI_Comm
paulimpi__context_apart(const paulimpi_context *ctx)
{
    return ctx->apart;
}

int
paulimpi__context_is_lost(const paulimpi_context *ctx)
{
    return ctx->is_lost;
}

void *
paulimpi__context_kept_part(const paulimpi_context *ctx, int part)
{
    return ctx->part[part].kept;
}

void
paulimpi__context_keep_part(paulimpi_context *ctx, int part, void *kept,
                            void (*forget)(void *kept))
{
    ctx->part[part].kept = kept;
    ctx->part[part].forget = forget;
}

void *
paulimpi__context_kept(const paulimpi_context *ctx)
{
    return paulimpi__context_kept_part(ctx, PAULIMPI__KEPT_EXCHANGE);
}

void
paulimpi__context_keep(paulimpi_context *ctx, void *kept,
                       void (*forget)(void *kept))
{
    paulimpi__context_keep_part(ctx, PAULIMPI__KEPT_EXCHANGE, kept, forget);
}

/* The end of a context is a call of all ranks, too: with collective checks it
 * tells those that are still in another one. */
static void
leave_together(paulimpi_context *ctx)
{
    paulimpi__call call = {
        ctx, 0, "paulimpi_context_destroy", PAULIMPI__CALL_MEET, 0, 0, 0
    };

    if (ctx->size > 1 && !ctx->is_broken) {
        (void)paulimpi__call_begin(&call);
    }
    paulimpi__letters_forget(ctx);
    free_communicators(ctx);
}

void
paulimpi__context_release(paulimpi_context *ctx)
{
    int i;

    if (atomic_fetch_sub(&ctx->references, 1) != 1) {
        return;
    }
    for (i = 0; i < PAULIMPI__KEPT_PARTS; i++) {
        if (ctx->part[i].forget != NULL) {
            ctx->part[i].forget(ctx->part[i].kept);
        }
    }
    if (ctx->uses_mpi) {
        if (paulimpi__mpi_is_active()) {
            leave_together(ctx);
        }
        /* With a rank that is silent, the end of MPI would never come. */
        if (!ctx->is_broken) {
            paulimpi__mpi_leave();
        }
    }
    free_local(ctx);
}

void
paulimpi_context_destroy(paulimpi_context **ctx_p)
{
    if (ctx_p == NULL || *ctx_p == NULL) {
        return;
    }
    if (paulimpi__handle_check(*ctx_p, PAULIMPI__HANDLE_CONTEXT,
                               "paulimpi_context_destroy", "*ctx_p")
        == PAULIMPI_SUCCESS) {
        paulimpi__context_release(*ctx_p);
    }
    *ctx_p = NULL;
}

static int
check(const paulimpi_context *ctx, const char *function)
{
    return paulimpi__handle_check(ctx, PAULIMPI__HANDLE_CONTEXT, function,
                                  "ctx");
}

int
paulimpi_context_rank(const paulimpi_context *ctx)
{
    int rc = check(ctx, "paulimpi_context_rank");

    return rc == PAULIMPI_SUCCESS ? ctx->rank : rc;
}

int
paulimpi_context_size(const paulimpi_context *ctx)
{
    int rc = check(ctx, "paulimpi_context_size");

    return rc == PAULIMPI_SUCCESS ? ctx->size : rc;
}

int
paulimpi_context_threads(const paulimpi_context *ctx)
{
    int rc = check(ctx, "paulimpi_context_threads");

    return rc == PAULIMPI_SUCCESS ? ctx->threads : rc;
}

int
paulimpi_context_set_threads(paulimpi_context *ctx, int threads)
{
    int rc = check(ctx, "paulimpi_context_set_threads");

    if (rc == PAULIMPI_SUCCESS) {
        rc = check_threads("paulimpi_context_set_threads", threads);
    }
    if (rc == PAULIMPI_SUCCESS) {
        ctx->threads = paulimpi__choose_threads(ctx, threads);
    }
    return rc;
}

int
paulimpi_context_placement(const paulimpi_context *ctx,
                           paulimpi_placement *placement)
{
    int rc = check(ctx, "paulimpi_context_placement");
    size_t size;

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (placement == NULL) {
        return paulimpi__null("paulimpi_context_placement", "placement");
    }
    size = placement->size;
    if (size == 0) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "paulimpi_context_placement: the size of "
                               "placement is 0: start from "
                               "PAULIMPI_PLACEMENT_INIT");
    }
    memcpy(placement, &ctx->placement,
           size < sizeof *placement ? size : sizeof *placement);
    placement->size = size;
    return PAULIMPI_SUCCESS;
}
