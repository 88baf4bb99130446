/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of a segment that is mapped: private memory, or a file without a name
 * (memfd_create), which goes with the last process that has it, however that
 * process ends.
 */
#include "config.h"

#include "comm/call.h"
#include "comm/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CREATE PAULIMPI__SEGMENT_CREATE

/* Newer than the headers of many systems. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

enum { PATH_ROOM = 64 };

/* How it went on a rank; the worst rank counts for the node. */
typedef enum { DONE, REFUSED, FAILED } outcome;

/* Where the others find the file of the first rank of the node. */
typedef struct {
    int64_t process;
    int64_t fd;     /* -1 if there is none */
    int64_t device; /* this and the next one name a file on any system */
    int64_t inode;
} ticket;

static int
fail(const char *call, int64_t bytes)
{
    return paulimpi__error(PAULIMPI_ERR_MEMORY,
                           CREATE ": %s of %" PRId64 " bytes: %s", call, bytes,
                           strerror(errno));
}

/* Map the whole segment: a file, or private memory for -1. */
static int
map(paulimpi_segment *segment, int fd)
{
    int kind = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    size_t bytes = (size_t)segment->total;
    size_t alignment = (size_t)segment->alignment;
    size_t before;
    char *room;

    /* First addresses, more than are needed, so that one of them is at a
     * multiple of the alignment; then the memory itself over them. */
    room = mmap(NULL, bytes + alignment, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
        return fail("mmap", segment->total);
    }
    before = alignment - (uintptr_t)room % alignment;
    if (mmap(room + before, bytes, PROT_READ | PROT_WRITE, kind | MAP_FIXED,
             fd, 0)
        == MAP_FAILED) {
        int rc = fail("mmap", segment->total);

        munmap(room, bytes + alignment);
        return rc;
    }
    munmap(room, before);
    if (before < alignment) {
        munmap(room + before + bytes, alignment - before);
    }
    segment->base = room + before;
#ifdef MADV_HUGEPAGE
    if (segment->alignment >= PAULIMPI__HUGE_PAGE) {
        /* A wish: a refusal does no harm. */
        (void)madvise(segment->base, bytes, MADV_HUGEPAGE);
    }
#endif
    return PAULIMPI_SUCCESS;
}

int
paulimpi__segment_map_private(paulimpi_segment *segment)
{
    return segment->total == 0 ? PAULIMPI_SUCCESS : map(segment, -1);
}

void
paulimpi__segment_unmap(paulimpi_segment *segment)
{
    if (segment->base != NULL) {
        munmap(segment->base, (size_t)segment->total);
        segment->base = NULL;
    }
}

/* A descriptor, or -1 with errno. */
static int
make_file(void)
{
#ifdef HAVE_MEMFD_CREATE
    int fd = memfd_create("paulimpi",
                          MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

    /* Linux before 6.3 does not know the last flag; newer systems may insist
     * on it. */
    if (fd < 0 && errno == EINVAL) {
        fd = memfd_create("paulimpi", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    }
    return fd;
#else
    errno = ENOSYS;
    return -1;
#endif
}

int
paulimpi__segment_can_map(void)
{
    int fd = make_file();

    if (fd >= 0) {
        close(fd);
    }
    return fd >= 0;
}

/* The system says no to a call: for lack of something that no other way would
 * do without, or because it forbids this way. */
static outcome
judge(paulimpi_segment *segment, const char *call)
{
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
        fail(call, segment->total);
        return FAILED;
    }
    snprintf(segment->reason, sizeof segment->reason, "no mapping: %s: %s",
             call, strerror(errno));
    return REFUSED;
}

/* On the first rank of the node: make the file. Its size is sealed, so that
 * nobody can cut it short under the others. */
static outcome
offer(paulimpi_segment *segment, ticket *words, int *fd_p)
{
    struct stat status;
    int fd = make_file();

    *fd_p = fd;
    if (fd < 0) {
        return judge(segment, "memfd_create");
    }
    if (ftruncate(fd, (off_t)segment->total) != 0 || fstat(fd, &status) != 0) {
        fail("ftruncate", segment->total);
        return FAILED;
    }
#ifdef F_ADD_SEALS
    (void)fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
#endif
    *words = (ticket){ getpid(), fd, (int64_t)status.st_dev,
                       (int64_t)status.st_ino };
    return DONE;
}

/* On another rank: open it. Where processes do not see each other's numbers,
 * the path leads to nothing or to something else, which is left alone. */
static outcome
accept_file(paulimpi_segment *segment, const ticket *words, int *fd_p)
{
    char path[PATH_ROOM];
    struct stat status;

    snprintf(path, sizeof path, "/proc/%" PRId64 "/fd/%" PRId64,
             words->process, words->fd);
    if (stat(path, &status) != 0) {
        return judge(segment, path);
    }
    if ((int64_t)status.st_dev != words->device
        || (int64_t)status.st_ino != words->inode) {
        errno = ESTALE;
        return judge(segment, path);
    }
    *fd_p = open(path, O_RDWR | O_CLOEXEC);
    if (*fd_p < 0) {
        return judge(segment, path);
    }
    return DONE;
}

/* Join the outcomes of the ranks of a node; the reason of the lowest rank that
 * was refused becomes everybody's. */
static int
settle(paulimpi_segment *segment, outcome *outcome_p)
{
    int size = segment->ctx->placement.node_ranks;
    int64_t worst =
        (int)*outcome_p * size + size - 1 - segment->ctx->placement.node_rank;
    paulimpi__call reduce = {
        segment->ctx, 1, CREATE, PAULIMPI__CALL_MAX, 1, 0, 0
    };
    paulimpi__call share = {
        segment->ctx,           1, CREATE, PAULIMPI__CALL_SHARE,
        sizeof segment->reason, 0, 0
    };
    int rc = paulimpi__call_reduce(&reduce, &worst);

    *outcome_p = rc == PAULIMPI_SUCCESS ? (outcome)(worst / size) : FAILED;
    if (*outcome_p == REFUSED) {
        share.b = size - 1 - worst % size;
        rc = paulimpi__call_share(&share, segment->reason);
    }
    return rc;
}

int
paulimpi__segment_map_shared(paulimpi_segment *segment, int *is_refused_p)
{
    ticket words = { 0, -1, 0, 0 };
    paulimpi__call call = { segment->ctx, 1, CREATE, PAULIMPI__CALL_SHARE,
                            sizeof words, 0, 0 };
    outcome result = DONE;
    int fd = -1;
    int rc, joined;

    *is_refused_p = 0;
    if (segment->total == 0) {
        return PAULIMPI_SUCCESS;
    }
    if (segment->ctx->placement.node_rank == 0) {
        result = offer(segment, &words, &fd);
    }
    rc = paulimpi__call_share(&call, &words);
    if (rc == PAULIMPI_SUCCESS && fd < 0 && words.fd >= 0) {
        result = accept_file(segment, &words, &fd);
    }
    if (rc == PAULIMPI_SUCCESS && result == DONE && fd >= 0) {
        rc = map(segment, fd);
    }
    if (rc != PAULIMPI_SUCCESS) {
        result = FAILED;
    } else if (result == FAILED) {
        rc = PAULIMPI_ERR_MEMORY;
    }

    /* The first rank keeps its descriptor until all have opened the file. */
    joined = settle(segment, &result);
    if (fd >= 0) {
        close(fd);
    }
    if (result != DONE || joined != PAULIMPI_SUCCESS) {
        paulimpi__segment_unmap(segment);
    }
    *is_refused_p = result == REFUSED;
    return rc != PAULIMPI_SUCCESS ? rc : joined;
}
