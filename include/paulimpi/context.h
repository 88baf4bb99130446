/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The context: the ranks that work together, and the threads of each.
 */
#ifndef PAULIMPI_CONTEXT_H
#define PAULIMPI_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "paulimpi/export.h"
#include "paulimpi/status.h"
#include "paulimpi/version.h"

#if defined(OPEN_MPI) && !defined(PAULIMPI_MPI_FAMILY_OPENMPI)
#error "this libpaulimpi was not built with Open MPI: use its own mpicc"
#elif defined(MPICH_VERSION) && !defined(PAULIMPI_MPI_FAMILY_MPICH)
#error "this libpaulimpi was not built with MPICH: use its own mpicc"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Contexts
 *
 * Everything hangs on a context. A program that may run with or without a
 * launcher says
 *
 *     paulimpi_context *ctx;
 *
 *     paulimpi_context_create_launched(&argc, &argv, &ctx);
 *     ...
 *     paulimpi_context_destroy(&ctx);
 *
 * and one that has its own communicator
 *
 *     paulimpi_context_create(comm, NULL, &ctx);
 *
 * The communicator is duplicated and errors of MPI come back as codes. MPI
 * belongs to the application: only paulimpi_context_create_launched() may
 * initialise it. Objects made on a context keep it alive: destroying the
 * handle early is fine.
 *
 * A context that was made on MPI must be gone before MPI_Finalize; what is
 * left then is freed without any MPI call.
 */
typedef struct paulimpi_context paulimpi_context;

/**
 * Ranks that do not come
 *
 * Collective functions wait for all ranks. With the environment variable
 * PAULIMPI_TIMEOUT, a number of seconds, they do not wait for ever: when the
 * time is over the ranks that are there find out which are not, and all of
 * them return PAULIMPI_ERR_TIMEOUT with a sentence that names those: "no
 * answer for 30 seconds from rank 3". A rank that computes for longer than
 * that, or is stopped, counts as silent; when it comes to the call it gets the
 * same sentence.
 *
 * The making of a context is such a call, too; but before the first
 * communicator is there nobody can be named, and after a rank did not come to
 * that MPI may be good for nothing more. Without a limit are functions of MPI
 * that cannot be given up: MPI_Init and MPI_Finalize, the splitting of ranks
 * into nodes (when a context is made), the making of a window (of a segment
 * that is one), and the collective operations by which
 * paulimpi_aware_probe() tries MPI out. Right before each of them, but the
 * first, all ranks have met.
 *
 * With PAULIMPI_CHECK=collective, the same on all ranks, a collective function
 * that a rank leaves out, or calls in another order, is PAULIMPI_ERR_MISMATCH
 * on all of them, with a sentence that names both functions. The end of a
 * context counts as such a function then.
 *
 * Either failure breaks the context: its collective functions return
 * PAULIMPI_ERR_STATE from then on. MPI may still use what was under way, so
 * that some memory of the context is never freed.
 */

/** How a context should be. Start from
 * PAULIMPI_CONTEXT_OPTIONS_INIT. */
typedef struct {
    size_t size; /**< of this struct */

    /** Threads of each rank, from 1 up, or PAULIMPI_AUTOMATIC: as many as the
     * environment variable PAULIMPI_THREADS says; where it is not set, the
     * number of processors in the affinity mask that the launcher left this
     * rank, divided by the ranks that share them. This option wins over the
     * variable. Without OpenMP there is one. */
    int threads;
} paulimpi_context_options;

#define PAULIMPI_CONTEXT_OPTIONS_INIT                                         \
    {                                                                         \
        sizeof(paulimpi_context_options), PAULIMPI_AUTOMATIC                  \
    }

/**
 * Make a context on the ranks of a communicator. Collective over comm.
 *
 * @param comm     an intra-communicator; it stays the caller's
 * @param options  NULL for the initial values
 * @param ctx_p    set to the context, or to NULL on failure
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT for a bad communicator,
 *         option or variable (PAULIMPI_THREADS); PAULIMPI_ERR_STATE if MPI is
 *         not initialised or already finalised; PAULIMPI_ERR_TIMEOUT if a rank
 *         does not come within PAULIMPI_TIMEOUT; PAULIMPI_ERR_MEMORY;
 *         PAULIMPI_ERR_MPI; PAULIMPI_ERR_REMOTE
 */
PAULIMPI_API int
paulimpi_context_create(MPI_Comm comm, const paulimpi_context_options *options,
                        paulimpi_context **ctx_p);

/**
 * Make a context of one rank that never calls MPI. Local.
 *
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int
paulimpi_context_create_serial(const paulimpi_context_options *options,
                               paulimpi_context **ctx_p);

/**
 * Make a context on all ranks if an MPI launcher started this process
 * (paulimpi_launcher() tells; the environment variable PAULIMPI_MPI, yes or no,
 * overrides it) or MPI is already initialised, and a serial one otherwise.
 * Collective over the processes of the job.
 *
 * MPI is initialised (with MPI_THREAD_FUNNELED) if nobody did so yet; then
 * the destruction of the last object on this context finalises it, unless
 * a rank did not answer in time (PAULIMPI_TIMEOUT): then that would not end.
 *
 * @param argc,argv  those of main(), for MPI to take its arguments out; both
 *                   may be NULL
 * @param ctx_p      set to the context, or to NULL on failure
 * @return the codes of paulimpi_context_create()
 */
PAULIMPI_API int paulimpi_context_create_launched(int *argc, char ***argv,
                                                  paulimpi_context **ctx_p);

/**
 * Give the context up and forget the handle; it goes when the last object on
 * it does. Collective if MPI is in use. NULL and a NULL handle are fine.
 */
PAULIMPI_API void paulimpi_context_destroy(paulimpi_context **ctx_p);

/** Tell this rank, from 0. Local. @return PAULIMPI_ERR_ARGUMENT for NULL */
PAULIMPI_API int paulimpi_context_rank(const paulimpi_context *ctx);

/** Count the ranks. Local. @return PAULIMPI_ERR_ARGUMENT for NULL */
PAULIMPI_API int paulimpi_context_size(const paulimpi_context *ctx);

/** Count the threads that this rank works with. Local.
 * @return from 1 up; PAULIMPI_ERR_ARGUMENT for NULL */
PAULIMPI_API int paulimpi_context_threads(const paulimpi_context *ctx);

/**
 * Set the number of threads that this rank works with from now on. Local.
 *
 * @param threads  from 1 to 4096, or PAULIMPI_AUTOMATIC
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT
 */
PAULIMPI_API int paulimpi_context_set_threads(paulimpi_context *ctx,
                                              int threads);

/** Where this rank sits, filled by paulimpi_context_placement(). */
typedef struct {
    size_t size;         /**< of this struct, set by the caller */
    int nodes;           /**< nodes that the ranks of the context are on */
    int node;            /**< this rank's, from 0, in order of lowest rank */
    int node_ranks;      /**< ranks of the context on this node */
    int node_rank;       /**< this rank's number among them, from 0 */
    int processors;      /**< in the affinity mask of this rank */
    int numa_domains;    /**< of the node; 0 where hwloc is missing */
    int ranks_overlap;   /**< 1 if ranks of the node share processors while
                              there is not one for every thread */
    int64_t node_memory; /**< bytes available on the node at creation */
} paulimpi_placement;

#define PAULIMPI_PLACEMENT_INIT                                               \
    {                                                                         \
        sizeof(paulimpi_placement), 0, 0, 0, 0, 0, 0, 0, 0                    \
    }

/**
 * Tell where this rank sits. Local; found when the context was made.
 *
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT for NULL or a size of 0
 */
PAULIMPI_API int paulimpi_context_placement(const paulimpi_context *ctx,
                                            paulimpi_placement *placement);

#ifdef __cplusplus
}
#endif

#endif /* PAULIMPI_CONTEXT_H */
