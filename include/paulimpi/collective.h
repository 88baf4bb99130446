/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operations of all ranks together, on memory of any kind.
 */
#ifndef PAULIMPI_COLLECTIVE_H
#define PAULIMPI_COLLECTIVE_H

#include <stdint.h>

#include "paulimpi/context.h"
#include "paulimpi/exchange.h"
#include "paulimpi/export.h"
#include "paulimpi/status.h"
#include "paulimpi/type.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Collective operations
 *
 * What MPI's functions of these names do, for memory of the host and of
 * devices with every MPI, counts beyond 2^31, and an end in any case. Each
 * rank's memory may be of another kind. The bytes travel as in
 * paulimpi_exchange(), and never meet the messages of an exchange that is under
 * way.
 *
 * All are collective over the context. What a rank can see is wrong, and what
 * the ranks say of the same thing, is checked before anything moves; then all
 * ranks fail, or none. A failure after that leaves the receive buffers with
 * anything in them.
 *
 * Counts are in elements of a type, PAULIMPI_BYTE to PAULIMPI_COMPLEX128 (see
 * paulimpi/type.h). A send buffer of PAULIMPI_IN_PLACE means that what this
 * rank gives stands in the receive buffer. Otherwise buffers must not overlap.
 * A buffer without elements may be NULL. In sentences "sends[3]" is the part
 * for rank 3 and "receives[3]" that from it.
 *
 * options may be NULL. after_stream, after_event and after_default_stream are
 * as for paulimpi_exchange(); so is before_stream, except that reductions are
 * complete on return. arrivals must be NULL. After timeout seconds without any
 * progress (0: PAULIMPI_TIMEOUT seconds) the ranks that are still there find
 * out which are not; they all return PAULIMPI_ERR_TIMEOUT with a sentence that
 * names those. MPI may then still touch the buffers, and the context is good
 * for nothing more that is collective.
 *
 * Codes: PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT for a count, displacement,
 * type, operation, root, option or buffer; PAULIMPI_ERR_RANGE for bytes beyond
 * 2^62; PAULIMPI_ERR_OVERLAP; PAULIMPI_ERR_MISMATCH, on all ranks, if they do
 * not say the same; PAULIMPI_ERR_STATE for a stream that is being captured, or
 * a context that an earlier failure broke; PAULIMPI_ERR_TIMEOUT;
 * PAULIMPI_ERR_MEMORY; PAULIMPI_ERR_DEVICE; PAULIMPI_ERR_MPI;
 * PAULIMPI_ERR_REMOTE if another rank failed.
 */

#define PAULIMPI_IN_PLACE ((void *)1)

/** Give the elements of one rank to all. On the root data is read, elsewhere
 * it is written. count, type and root are the same on all ranks. */
PAULIMPI_API int paulimpi_broadcast(paulimpi_context *ctx, void *data,
                                    int64_t count, int type, int root,
                                    const paulimpi_exchange_options *options);

/** Bring count elements of each rank to all, in the order of the ranks. In
 * place they stand in receive at rank times count. count and type are the same
 * on all ranks. */
PAULIMPI_API int paulimpi_allgather(paulimpi_context *ctx, const void *send,
                                    int64_t count, int type, void *receive,
                                    const paulimpi_exchange_options *options);

/**
 * Bring elements of each rank to all, as many of each as it has.
 *
 * @param counts         elements of each rank, the same on all ranks; this
 *                       rank sends the one of its own
 * @param displacements  where they go, in elements from receive; NULL: one
 *                       after the other. Those of this rank are its own
 *                       choice.
 */
PAULIMPI_API int paulimpi_allgatherv(paulimpi_context *ctx, const void *send,
                                     int type, void *receive,
                                     const int64_t *counts,
                                     const int64_t *displacements,
                                     const paulimpi_exchange_options *options);

/** Send count elements to each rank, those for rank i from i times count on;
 * and receive as many from each, in the same order. count and type are the
 * same on all ranks. */
PAULIMPI_API int paulimpi_alltoall(paulimpi_context *ctx, const void *send,
                                   int64_t count, int type, void *receive,
                                   const paulimpi_exchange_options *options);

/**
 * Send elements to each rank, and receive from each, as many as are told. What
 * a rank sends to another must be as much as that one says to receive.
 *
 * A rank has messages with at most eight others at a time, receives first; no
 * more memory is taken than blocks for memory of devices.
 *
 * @param send                   in place: each two ranks exchange
 *                               as many elements either way, the send counts
 *                               and displacements are not looked at, and a
 *                               copy of a part of the elements is made
 * @param send_counts            elements for each rank
 * @param send_displacements     where they begin, in elements from send; NULL:
 *                               one after the other
 * @param receive_counts         elements from each rank
 * @param receive_displacements  likewise from receive
 */
PAULIMPI_API int paulimpi_alltoallv(paulimpi_context *ctx, const void *send,
                                    const int64_t *send_counts,
                                    const int64_t *send_displacements,
                                    int type, void *receive,
                                    const int64_t *receive_counts,
                                    const int64_t *receive_displacements,
                                    const paulimpi_exchange_options *options);

/**
 * Reductions
 *
 * Elements at the same place of all ranks become one, in the order of the
 * ranks: ((x0 + x1) + x2) + x3. Each step is rounded as the type's own
 * arithmetic, by the host. So the bits of a result depend on the number of
 * ranks and on what each gives, but on nothing else: not on where the memory
 * is, nor on the MPI, nor on the count.
 *
 * Integers wrap around. MIN and MAX of floats are NaN if one of them is; of
 * zeros the first one stands. A product of complex numbers is (ac - bd) +
 * (ad + bc)i, whatever is infinite.
 */
enum {
    PAULIMPI_REDUCE_SUM = 1,
    PAULIMPI_REDUCE_PRODUCT = 2,
    PAULIMPI_REDUCE_MIN = 3, /**< not of complex numbers */
    PAULIMPI_REDUCE_MAX = 4, /**< likewise */
    PAULIMPI_REDUCE_AND = 5, /**< bit by bit, of integers and bytes */
    PAULIMPI_REDUCE_OR = 6,
    PAULIMPI_REDUCE_XOR = 7
};

/** Reduce to one rank. receive is written on the root only, where send may be
 * PAULIMPI_IN_PLACE. count, type, op and root are the same on all ranks. Bytes
 * know AND, OR and XOR only. */
PAULIMPI_API int paulimpi_reduce(paulimpi_context *ctx, const void *send,
                                 void *receive, int64_t count, int type,
                                 int op, int root,
                                 const paulimpi_exchange_options *options);

/** Reduce and give the result to all. count, type and op are the same on all
 * ranks. */
PAULIMPI_API int paulimpi_allreduce(paulimpi_context *ctx, const void *send,
                                    void *receive, int64_t count, int type,
                                    int op,
                                    const paulimpi_exchange_options *options);

#ifdef __cplusplus
}
#endif

#endif /* PAULIMPI_COLLECTIVE_H */
