/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of a segment in an MPI window.
 */
#include "comm/call.h"
#include "comm/segment.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CREATE PAULIMPI__SEGMENT_CREATE

/* Whether a condition holds on all ranks of the node; 0 too if MPI fails. */
static int
holds_everywhere(const paulimpi_segment *segment, int here)
{
    paulimpi__call call = {
        segment->ctx, 1, CREATE, PAULIMPI__CALL_MIN, 1, 0, 0
    };
    int64_t everywhere = here;

    return paulimpi__call_reduce(&call, &everywhere) == PAULIMPI_SUCCESS
           && everywhere;
}

/* Whether the addresses that all ranks need are there on each of them: Open
 * MPI 4.1 waits for ever where a window fails on the first rank only. */
static int
try_addresses(const paulimpi_segment *segment, size_t bytes)
{
    void *room = mmap(NULL, bytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const char *reason =
        room == MAP_FAILED ? strerror(errno) : "not on another rank";

    if (room != MAP_FAILED) {
        munmap(room, bytes);
    }
    if (holds_everywhere(segment, room != MAP_FAILED)) {
        return PAULIMPI_SUCCESS;
    }
    return paulimpi__error(PAULIMPI_ERR_MEMORY,
                           CREATE ": addresses for %zu bytes: %s", bytes,
                           reason);
}

/* Open MPI 4.1 knows the process that made the memory by its number, which
 * another process may have where each has a name space of its own. That one
 * would crash. */
static int
check_processes(const paulimpi_segment *segment)
{
#ifdef OPEN_MPI
    int i;

    for (i = 1; i < segment->ctx->placement.node_ranks; i++) {
        if (segment->claim[i].process == segment->claim[0].process) {
            return paulimpi__error(
                PAULIMPI_ERR_UNSUPPORTED,
                CREATE ": ranks of node %d have the same process number, "
                       "which Open MPI's windows do not bear (%s)",
                segment->ctx->placement.node, segment->reason);
        }
    }
#else
    (void)segment;
#endif
    return PAULIMPI_SUCCESS;
}

/* Let the first rank's memory be everybody's; it begins on a page. */
static int
attach(paulimpi_segment *segment)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *base = NULL;
    MPI_Aint bytes = 0;
    int unit = 0;
    int rc;

    rc = MPI_Win_set_errhandler(segment->window, MPI_ERRORS_RETURN);
    if (rc == MPI_SUCCESS) {
        rc = MPI_Win_shared_query(segment->window, 0, &bytes, &unit, &base);
    }
    if (rc == MPI_SUCCESS) {
        rc = MPI_Win_lock_all(MPI_MODE_NOCHECK, segment->window);
    }
    if (rc == MPI_SUCCESS) {
        /* Addresses differ between processes, but not those within a page. */
        segment->base = (char *)base + (page - (uintptr_t)base % page) % page;
    }
    return paulimpi__mpi_error(rc, CREATE, "attaching to a window");
}

int
paulimpi__segment_window_make(paulimpi_segment *segment)
{
    size_t bytes = (size_t)(segment->total + sysconf(_SC_PAGESIZE));
    int is_first = segment->ctx->placement.node_rank == 0;
    void *own = NULL;
    int rc;

    if (segment->total == 0) {
        return PAULIMPI_SUCCESS;
    }
    rc = check_processes(segment);
    if (rc == PAULIMPI_SUCCESS) {
        rc = try_addresses(segment, bytes);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = paulimpi__mpi_error(
        MPI_Win_allocate_shared(is_first ? (MPI_Aint)bytes : 0, 1,
                                MPI_INFO_NULL, segment->ctx->node, &own,
                                &segment->window),
        CREATE, "MPI_Win_allocate_shared");
    if (!holds_everywhere(segment, rc == PAULIMPI_SUCCESS)) {
        /* To free a window that not all have would wait for ever. */
        segment->window = MPI_WIN_NULL;
        return rc != PAULIMPI_SUCCESS
                   ? rc
                   : paulimpi__error(PAULIMPI_ERR_MPI,
                                     CREATE ": MPI_Win_allocate_shared failed "
                                            "on another rank of the node");
    }
    return attach(segment);
}

/* Freeing a window waits for all ranks of the node without an end: one that is
 * silent leaves it to MPI. */
void
paulimpi__segment_window_free(paulimpi_segment *segment)
{
    paulimpi__call call = { segment->ctx,
                            1,
                            "paulimpi_segment_destroy",
                            PAULIMPI__CALL_MEET,
                            0,
                            0,
                            0 };

    if (segment->window == MPI_WIN_NULL || !paulimpi__mpi_is_active()
        || paulimpi__call_meet(&call) != PAULIMPI_SUCCESS) {
        return;
    }
    if (segment->base != NULL) {
        MPI_Win_unlock_all(segment->window);
    }
    MPI_Win_free(&segment->window);
    segment->base = NULL;
}

int
paulimpi__segment_window_sync(paulimpi_segment *segment)
{
    if (segment->window == MPI_WIN_NULL) {
        return MPI_SUCCESS;
    }
    return MPI_Win_sync(segment->window);
}
