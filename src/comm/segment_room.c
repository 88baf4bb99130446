/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether there is room for a segment, and touching it so that a lack of
 * memory is an error and not a signal.
 */
#include "config.h"

#include "comm/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define CREATE PAULIMPI__SEGMENT_CREATE

/* What MPI libraries add to a window for themselves, with ample margin. */
enum { WINDOW_EXTRA = 1 << 16, WINDOW_EXTRA_OF_RANK = 1 << 12 };

static int64_t
at_most(int64_t limit, int64_t value)
{
    return value < limit ? value : limit;
}

/* Agree on a lack that all ranks of a node know of. */
static int
agree(const paulimpi_segment *segment, int rc)
{
    rc = paulimpi__agree_in(segment->ctx, CREATE, rc);
    return rc == PAULIMPI_ERR_REMOTE ? PAULIMPI_ERR_MEMORY : rc;
}

/* The largest file that this process may make: shared memory is one, and a
 * larger one would end the process. */
static int64_t
file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_FSIZE, &limit) != 0
        || limit.rlim_cur > (rlim_t)INT64_MAX) {
        return INT64_MAX;
    }
    return (int64_t)limit.rlim_cur;
}

int
paulimpi__segment_room(paulimpi_segment *segment)
{
    const paulimpi_placement *place = &segment->ctx->placement;
    int64_t memory = INT64_MAX;
    int64_t file = place->node_ranks > 1 ? file_limit() : INT64_MAX;
    int rc = PAULIMPI_SUCCESS;
    int i;

    for (i = 0; i < place->node_ranks; i++) {
        memory = at_most(memory, segment->claim[i].memory);
    }
    if (segment->total > memory) {
        rc = paulimpi__error(PAULIMPI_ERR_MEMORY,
                             CREATE ": the parts of node %d need %" PRId64
                                    " bytes, but it has %" PRId64
                                    " bytes of memory available",
                             place->node, segment->total, memory);
    } else if (segment->total > file) {
        rc = paulimpi__error(PAULIMPI_ERR_MEMORY,
                             CREATE ": the parts of node %d need %" PRId64
                                    " bytes, but a file of rank %d may have "
                                    "%" PRId64 " bytes (ulimit -f)",
                             place->node, segment->total, segment->ctx->rank,
                             file);
    }
    return agree(segment, rc);
}

/* Where MPI keeps windows that are shared: Open MPI tells by a variable and
 * falls back to a folder of temporary files; MPICH knows one place only. */
static const char *
window_folder(void)
{
    static const char usual[] = "/dev/shm";
    const char *chosen = getenv("OMPI_MCA_osc_sm_backing_directory");

    if (chosen != NULL && chosen[0] != '\0') {
        return chosen;
    }
    if (access(usual, W_OK) == 0) {
        return usual;
    }
    chosen = getenv("TMPDIR");
    return chosen != NULL && chosen[0] != '\0' ? chosen : "/tmp";
}

/* Bytes that are free in a folder; INT64_MAX where that cannot be told. */
static int64_t
free_in(const char *folder)
{
    struct statvfs status;

    if (statvfs(folder, &status) != 0
        || status.f_bavail > (uint64_t)INT64_MAX / status.f_frsize) {
        return INT64_MAX;
    }
    return (int64_t)(status.f_bavail * status.f_frsize);
}

int
paulimpi__segment_window_room(paulimpi_segment *segment)
{
    const paulimpi_placement *place = &segment->ctx->placement;
    const char *folder = window_folder();
    int64_t needed = segment->total + WINDOW_EXTRA
                     + WINDOW_EXTRA_OF_RANK * (int64_t)place->node_ranks;
    int64_t there = free_in(folder);
    int rc = PAULIMPI_SUCCESS;

    if (segment->way == PAULIMPI__WAY_WINDOW && segment->total > 0
        && needed > there) {
        rc = paulimpi__error(PAULIMPI_ERR_MEMORY,
                             CREATE ": the parts of node %d need %" PRId64
                                    " bytes in %s, where %" PRId64
                                    " bytes are free",
                             place->node, needed, folder, there);
    }
    return agree(segment, rc);
}

/* Whether Linux takes back what it promised: with strict accounting it counts
 * a page of a file when the page is touched, and may refuse it then. */
static int
may_refuse_later(void)
{
    FILE *file = fopen("/proc/sys/vm/overcommit_memory", "r");
    int strict = file == NULL || fgetc(file) == '2';

    if (file != NULL) {
        fclose(file);
    }
    return strict;
}

static int
must_touch(const paulimpi_segment *segment)
{
    if (segment->options.touch == PAULIMPI_TOUCH_OWNER
        || segment->way == PAULIMPI__WAY_WINDOW) {
        return 1;
    }
    return segment->way == PAULIMPI__WAY_MAPPING && may_refuse_later();
}

/* Let the system write zeros: where there is no memory for a page it says so,
 * and sends no signal. Returns errno or 0. */
static int
write_zeros(int zeros, char *to, size_t bytes)
{
    while (bytes > 0) {
        ssize_t n = read(zeros, to, bytes);

        if (n == 0 || (n < 0 && errno != EINTR)) {
            return n == 0 ? EIO : errno;
        }
        if (n > 0) {
            to += n;
            bytes -= (size_t)n;
        }
    }
    return 0;
}

/* Each thread touches one piece, in their order. */
static int
touch_pieces(const paulimpi_segment *segment, int zeros)
{
    int rank = segment->ctx->placement.node_rank;
    int64_t bytes = segment->claim[rank].bytes;
    int64_t pages = bytes / segment->alignment + 1;
    char *part = segment->base + segment->offset[rank];
    int threads = segment->ctx->threads;
    int failed = 0;
    int i;

#ifdef HAVE_OPENMP
#pragma omp parallel for num_threads(threads) schedule(static)                \
    reduction(max                                                             \
              : failed)
#endif
    for (i = 0; i < threads; i++) {
        int64_t first =
            at_most(bytes, pages * i / threads * segment->alignment);
        int64_t end =
            at_most(bytes, pages * (i + 1) / threads * segment->alignment);
        int error = write_zeros(zeros, part + first, (size_t)(end - first));

        failed = error > failed ? error : failed;
    }
    return failed;
}

int
paulimpi__segment_touch(const paulimpi_segment *segment)
{
    int64_t bytes = segment->claim[segment->ctx->placement.node_rank].bytes;
    int failed = 0;
    int zeros;

    if (bytes == 0 || !must_touch(segment)) {
        return PAULIMPI_SUCCESS;
    }
    zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    if (zeros < 0) {
        failed = errno;
    } else {
        failed = touch_pieces(segment, zeros);
        close(zeros);
    }
    if (failed != 0) {
        return paulimpi__error(PAULIMPI_ERR_MEMORY,
                               CREATE ": touching the %" PRId64
                                      " bytes of this rank's part: %s",
                               bytes, strerror(failed));
    }
    return PAULIMPI_SUCCESS;
}

void
paulimpi__segment_describe(paulimpi__text *text)
{
    const char *folder = window_folder();
    int64_t there = free_in(folder);

    paulimpi__text_append(text,
                          "shared memory: %s (PAULIMPI_SEGMENT overrides), ",
                          paulimpi__segment_can_map() ? "mapping" : "window");
    if (there == INT64_MAX) {
        paulimpi__text_append(text, "%s unknown\n", folder);
    } else {
        paulimpi__text_append(text, "%" PRId64 " MB free in %s\n",
                              there / 1000000, folder);
    }
}
