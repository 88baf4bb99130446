/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that the ranks of a node share.
 */
#ifndef PAULIMPI_SEGMENT_H
#define PAULIMPI_SEGMENT_H

#include <stddef.h>
#include <stdint.h>

#include "paulimpi/context.h"
#include "paulimpi/export.h"
#include "paulimpi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Segments
 *
 * A segment is memory of a node: each of its ranks owns a part, and reads and
 * writes the parts of the others like any memory of its own.
 *
 *     paulimpi_segment_create(ctx, n * sizeof *mine, NULL, &segment);
 *     paulimpi_segment_part(segment, place.node_rank, (void **)&mine, NULL);
 *     paulimpi_segment_part(segment, other, (void **)&theirs, &bytes);
 *     ... write to mine ...
 *     paulimpi_segment_sync(segment);
 *     ... read theirs ...
 *     paulimpi_segment_destroy(&segment);
 *
 * Nodes and the numbers of their ranks are those of
 * paulimpi_context_placement(). A rank that is alone on its node, as in a
 * serial context, has a part of private memory.
 *
 * The memory is a file without a name, which every rank of the node maps; or,
 * where the system forbids that, an MPI window
 * (MPI_Win_allocate_shared). The ranks of a node take the same way; the
 * environment variable PAULIMPI_SEGMENT names it: "mapping" or "window". The
 * parts lie in one piece in the order of the ranks, at different addresses in
 * different processes, and each begins on a page of its own. However the
 * processes end, nothing is left behind, as far as that is not MPI's matter.
 *
 * What is promised of memory: a segment that the node has no room for is
 * refused on all ranks before any of it is touched, with what was asked for
 * and what is there in the sentence of paulimpi_last_error(). What is there is
 * the memory that the node has available, or that the control group of a job
 * or container leaves if that is less; for a window also the free space of the
 * folder in which MPI keeps shared memory (/dev/shm). A later access never
 * ends in SIGBUS: either the pages are all there when the segment is made, or
 * they are ordinary memory, of which Linux may promise more than it has, as it
 * does for malloc(). No check can exclude that other programs take the memory
 * meanwhile, and that Linux then ends a process for lack of it.
 */
typedef struct paulimpi_segment paulimpi_segment;

/** Who touches a page first. The page lies in the NUMA domain of the thread
 * that does. */
enum {
    /** The owner, when the segment is made: its threads each touch one piece
     * of its part, in their order. */
    PAULIMPI_TOUCH_OWNER = 0,

    /** The user, later. Where pages can be refused then (windows; systems that
     * never promise more memory than they have), the owner touches them
     * nevertheless. */
    PAULIMPI_TOUCH_USER = 1
};

/** How a segment should be. Start from PAULIMPI_SEGMENT_OPTIONS_INIT. Ranks
 * may differ. */
typedef struct {
    size_t size; /**< of this struct */
    int touch;   /**< PAULIMPI_TOUCH_OWNER or PAULIMPI_TOUCH_USER, for this
                      rank's part */

    /** 1: ask for large pages, and begin all parts of the node at multiples of
     * 2 MiB if it is not a window. Whether the pages become large is up to the
     * system (/sys/kernel/mm/transparent_hugepage/shmem_enabled). 0: do not. */
    int huge_pages;
} paulimpi_segment_options;

#define PAULIMPI_SEGMENT_OPTIONS_INIT                                         \
    {                                                                         \
        sizeof(paulimpi_segment_options), PAULIMPI_TOUCH_OWNER, 0             \
    }

/**
 * Make a segment. All its bytes are 0. Collective.
 *
 * @param bytes      of this rank's part, from 0 up
 * @param options    NULL for the initial values
 * @param segment_p  set to the segment, or to NULL on failure
 * @return PAULIMPI_SUCCESS;
 *         PAULIMPI_ERR_ARGUMENT for a negative size, a bad option or variable
 *         (PAULIMPI_SEGMENT), also if that names different ways on a node;
 *         PAULIMPI_ERR_RANGE if the parts of a node have 2^62 bytes or more;
 *         PAULIMPI_ERR_MEMORY if there is no room, then on all ranks, or if
 *         the system refuses to map it;
 *         PAULIMPI_ERR_UNSUPPORTED if PAULIMPI_SEGMENT asks for a mapping and
 *         the system forbids it, or there is neither way;
 *         PAULIMPI_ERR_MPI; PAULIMPI_ERR_REMOTE
 */
PAULIMPI_API int
paulimpi_segment_create(paulimpi_context *ctx, int64_t bytes,
                        const paulimpi_segment_options *options,
                        paulimpi_segment **segment_p);

/**
 * Find the part of a rank of this node. Local.
 *
 * @param node_rank  from 0 to node_ranks - 1 of paulimpi_context_placement()
 * @param address_p  set to its first byte, or to NULL if it has none; NULL if
 *                   not wanted
 * @param bytes_p    set to its size as its owner gave it; NULL if not wanted
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT
 */
PAULIMPI_API int paulimpi_segment_part(const paulimpi_segment *segment,
                                       int node_rank, void **address_p,
                                       int64_t *bytes_p);

/**
 * Wait for the other ranks of the node, and let each see what the others wrote
 * before. Called by all ranks of the node.
 *
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT; PAULIMPI_ERR_STATE after
 *         MPI_Finalize; PAULIMPI_ERR_MPI
 */
PAULIMPI_API int paulimpi_segment_sync(paulimpi_segment *segment);

/**
 * Tell how the memory is shared, and why so: a line such as "node 0: 2 ranks,
 * 16384 bytes, a mapping (the default)". Local.
 *
 * @param text_p  set to the text, for paulimpi_text_destroy()
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_segment_explain(const paulimpi_segment *segment,
                                          char **text_p);

/**
 * Free a segment and forget it. Collective. NULL and a NULL segment are fine.
 * A segment must go before MPI_Finalize; after that a window is left to MPI.
 * Other ranks may still read the parts when this rank has returned.
 */
PAULIMPI_API void paulimpi_segment_destroy(paulimpi_segment **segment_p);

#ifdef __cplusplus
}
#endif

#endif /* PAULIMPI_SEGMENT_H */
