/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether MPI takes memory of a device.
 */
#ifndef PAULIMPI_AWARE_H
#define PAULIMPI_AWARE_H

#include "paulimpi/context.h"
#include "paulimpi/device.h"
#include "paulimpi/export.h"
#include "paulimpi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Awareness
 *
 * An MPI may take memory of a device in its calls, or may not: then it
 * crashes, or sends wrong bytes without a word. Nothing that can be asked
 * tells for certain which it is, so the library believes a "no", and a "yes"
 * only once it has been seen to work. Until something is known, memory of
 * devices is copied by the host, which is right with every MPI.
 *
 * For each context, kind of memory and operation the answer comes from the
 * first of these that has one:
 *
 *  1. paulimpi_aware_set();
 *  2. the environment variable PAULIMPI_GPU_AWARE: "yes" and "no" are taken
 *     as they are, "probe" tries whatever MPI says, "auto" (the initial value)
 *     goes on;
 *  3. what MPI says: its info key mpi_memory_alloc_kinds, its function
 *     MPIX_GPU_query_support() or MPIX_Query_cuda_support(), its switches in
 *     the environment (MPICH_GPU_SUPPORT_ENABLED and the GTL library,
 *     I_MPI_OFFLOAD, MV2_USE_CUDA, UCX_TLS). "No", and no answer, are final:
 *     nothing is tried;
 *  4. a trial, once for a context: MPI_Pack() of device memory, which can do
 *     no harm; then messages of 0 bytes to 4 MiB to the rank itself, to
 *     another of its node and to one of another node, received into spoilt
 *     memory and compared byte by byte; then reductions, broadcasts and
 *     all-to-alls. Nonblocking collective and one-sided operations are never
 *     tried, because many an MPI crashes there: they count as "no" unless
 *     paulimpi_aware_set() says otherwise. What is found holds for memory of
 *     the device that is current then: many an MPI works with one device of a
 *     process. Memory of another one is not given to MPI.
 *
 * All ranks of a context have the same answers: the worst of theirs. Where no
 * rank has a device nothing is asked and nothing is tried.
 *
 * What the trial cannot do: an MPI that says yes, packs device memory rightly
 * and then crashes in a message or a collective operation takes the process
 * along, at the worst. If the crash is in the process that owns the memory, it
 * is caught, and the ranks get PAULIMPI_ERR_MPI and PAULIMPI_ERR_TIMEOUT, with
 * which the program must end; MPICH over UCX ends the process that receives,
 * which nothing can catch, and its errors of MPI_Wait() go to the handler of
 * MPI_COMM_WORLD, which ends the job unless it is MPI_ERRORS_RETURN.
 * PAULIMPI_GPU_AWARE=no does without the trial.
 */

/** An answer. */
enum {
    PAULIMPI_AWARE_UNKNOWN = -1, /**< treated as no */
    PAULIMPI_AWARE_NO = 0,
    PAULIMPI_AWARE_YES = 1
};

/** What MPI would do with the memory. */
enum {
    PAULIMPI_OPERATION_MESSAGE = 0,    /**< from one rank to another */
    PAULIMPI_OPERATION_COLLECTIVE = 1, /**< blocking */
    PAULIMPI_OPERATION_NONBLOCKING_COLLECTIVE = 2,
    PAULIMPI_OPERATION_ONE_SIDED = 3
};
enum { PAULIMPI_OPERATIONS = 4 };

/** All kinds of memory, or all operations, for paulimpi_aware_set(). */
enum { PAULIMPI_AWARE_ALL = -1 };

/**
 * Tell whether MPI takes memory of a kind in an operation. Local. It is found
 * out by the first collective call on the context that needs it, such as
 * paulimpi_plan_create() with memory of a device on any rank, or by
 * paulimpi_aware_probe(); before that the answer is UNKNOWN for memory of
 * devices. paulimpi_exchange(), which not all ranks need call, does not find it
 * out: a program without plans calls paulimpi_aware_probe() once.
 *
 * @param kind       PAULIMPI_MEMORY_...
 * @param operation  PAULIMPI_OPERATION_...
 * @param state_p    set to PAULIMPI_AWARE_...; always YES for HOST and PINNED
 *                   memory, always NO for IMPORTED
 * @param reason_p   NULL, or set to a sentence that says whence it is known,
 *                   for paulimpi_text_destroy()
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_aware(paulimpi_context *ctx, int kind, int operation,
                                int *state_p, char **reason_p);

/**
 * Say whether MPI takes memory of a kind in an operation; from now on, for
 * this context. Nothing is tried. Collective: all ranks say the same. Plans
 * that were made before stay as they are.
 *
 * @param kind       PAULIMPI_MEMORY_DEVICE, MANAGED, POOL or VIRTUAL; or
 *                   PAULIMPI_AWARE_ALL for all of these
 * @param operation  PAULIMPI_OPERATION_..., or PAULIMPI_AWARE_ALL
 * @param state      PAULIMPI_AWARE_YES or NO; UNKNOWN takes back what was said
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT; PAULIMPI_ERR_MISMATCH if
 *         the ranks do not say the same; PAULIMPI_ERR_MEMORY;
 *         PAULIMPI_ERR_MPI; PAULIMPI_ERR_REMOTE
 */
PAULIMPI_API int paulimpi_aware_set(paulimpi_context *ctx, int kind,
                                    int operation, int state);

/**
 * Find out what MPI takes, unless it is known already. Collective. It takes
 * some hundredths of a second, or longer, up to PAULIMPI_PROBE_TIMEOUT seconds
 * (10 at first), if messages do not arrive.
 *
 * @return PAULIMPI_SUCCESS, also if it takes nothing; PAULIMPI_ERR_ARGUMENT
 *         for a variable PAULIMPI_GPU_AWARE or PAULIMPI_PROBE_TIMEOUT that
 *         cannot be; PAULIMPI_ERR_MPI or PAULIMPI_ERR_TIMEOUT if MPI crashed,
 *         here or on another rank; PAULIMPI_ERR_MEMORY; PAULIMPI_ERR_REMOTE
 */
PAULIMPI_API int paulimpi_aware_probe(paulimpi_context *ctx);

/**
 * Ask that MPI takes memory of PAULIMPI_MEMORY_DEVICE in messages, for
 * programs that hand it to MPI themselves. Collective; finds out as
 * paulimpi_aware_probe() if need be. Where no rank has a device there is
 * nothing to ask for.
 *
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_UNSUPPORTED on all ranks, with the
 *         version of MPI, what was found, and how to make this MPI take it; the
 *         codes of paulimpi_aware_probe()
 */
PAULIMPI_API int paulimpi_aware_require(paulimpi_context *ctx);

/**
 * Tell what is known of devices and MPI, one "name: value" a line: the
 * devices, what configure found, what MPI says here, where the two differ, what
 * can carry messages, and the variables of UCX. Local.
 *
 * @param ctx     NULL, or the context whose answers are told, too
 * @param text_p  set to the text, for paulimpi_text_destroy()
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_aware_describe(paulimpi_context *ctx, char **text_p);

#ifdef __cplusplus
}
#endif

#endif /* PAULIMPI_AWARE_H */
