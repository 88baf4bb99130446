/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls that fail while a segment is made: those of MPI on all ranks, those of
 * the system on one. The functions below stand before the real ones.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.h"
#include "comm/comm.h"
#include "comm/traces.h"
#include "paulimpi/segment.h"
#include "tap/tap_mpi.h"

/* Parts of this size tell our calls from those of MPI: two of them are PART
 * and a page each, rounded up. */
enum { PART = 1000001, PAGE = 4096, TOTAL = 2 * (PART / PAGE + 1) * PAGE };

static int world_rank;

/* MPI calls until the one that fails, 0: none does. */
static int mpi_fails_at;

#define FAIL_OR(call)                                                         \
    (mpi_fails_at > 0 && --mpi_fails_at == 0 ? MPI_ERR_OTHER : (call))

int
MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *part)
{
    return FAIL_OR(PMPI_Comm_split(comm, color, key, part));
}

int
MPI_Iallreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm, MPI_Request *request)
{
    return FAIL_OR(PMPI_Iallreduce(from, to, n, type, op, comm, request));
}

int
MPI_Ibcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm,
           MPI_Request *request)
{
    return FAIL_OR(PMPI_Ibcast(data, n, type, root, comm, request));
}

int
MPI_Iallgather(const void *from, int n_from, MPI_Datatype from_type, void *to,
               int n_to, MPI_Datatype to_type, MPI_Comm comm,
               MPI_Request *request)
{
    return FAIL_OR(PMPI_Iallgather(from, n_from, from_type, to, n_to, to_type,
                                   comm, request));
}

int
MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    return FAIL_OR(PMPI_Ibarrier(comm, request));
}

int
MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm,
                        void *base, MPI_Win *window)
{
    return FAIL_OR(
        PMPI_Win_allocate_shared(bytes, unit, info, comm, base, window));
}

int
MPI_Win_set_errhandler(MPI_Win window, MPI_Errhandler handler)
{
    return FAIL_OR(PMPI_Win_set_errhandler(window, handler));
}

int
MPI_Win_shared_query(MPI_Win window, int rank, MPI_Aint *bytes, int *unit,
                     void *base)
{
    return FAIL_OR(PMPI_Win_shared_query(window, rank, bytes, unit, base));
}

int
MPI_Win_lock_all(int assertion, MPI_Win window)
{
    return FAIL_OR(PMPI_Win_lock_all(assertion, window));
}

int
MPI_Win_sync(MPI_Win window)
{
    return FAIL_OR(PMPI_Win_sync(window));
}

/* The call of the system that fails, and with what. */
typedef enum {
    NO_CALL,
    CREATE_FILE,
    SIZE_FILE,
    OPEN_FILE,
    FIND_ADDRESSES,
    MAP_MEMORY,
    OPEN_ZEROS,
    READ_ZEROS
} call_of_system;

static call_of_system failing_call;
static int failing_errno;

static int
fails(call_of_system call, int is_ours)
{
    if (failing_call != call || !is_ours) {
        return 0;
    }
    errno = failing_errno;
    return 1;
}

int
memfd_create(const char *name, unsigned flags)
{
    if (fails(CREATE_FILE, 1)) {
        return -1;
    }
    return (int)syscall(SYS_memfd_create, name, flags);
}

int
ftruncate(int fd, off_t bytes)
{
    if (fails(SIZE_FILE, bytes == TOTAL)) {
        return -1;
    }
    return (int)syscall(SYS_ftruncate, fd, bytes);
}

int
open(const char *path, int flags, ...)
{
    va_list arguments;
    int mode;

    va_start(arguments, flags);
    mode = (flags & O_CREAT) != 0 ? va_arg(arguments, int) : 0;
    va_end(arguments);
    if (fails(OPEN_FILE,
              strncmp(path, "/proc/", 6) == 0 && strstr(path, "/fd/") != NULL)
        || fails(OPEN_ZEROS, strcmp(path, "/dev/zero") == 0)) {
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

ssize_t
read(int fd, void *to, size_t bytes)
{
    if (fails(READ_ZEROS, bytes > 0 && bytes <= PART && bytes > PART / 8)) {
        return -1;
    }
    return syscall(SYS_read, fd, to, bytes);
}

void *
mmap(void *at, size_t bytes, int rights, int flags, int fd, off_t offset)
{
    if (fails(FIND_ADDRESSES, bytes == TOTAL + PAGE && rights == PROT_NONE)
        || fails(MAP_MEMORY, bytes == TOTAL && (flags & MAP_FIXED) != 0)) {
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, at, bytes, rights, flags, fd, offset);
}

/* Whichever call of MPI fails on all ranks. */
static void
test_mpi(const char *way)
{
    paulimpi_segment *segment = NULL;
    paulimpi_context *ctx;
    int n_wrong = 0;
    int n = 0;
    int rc;

    setenv("PAULIMPI_SEGMENT", way, 1);
    do {
        n++;
        paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
        segment = (paulimpi_segment *)&n;
        mpi_fails_at = n;
        rc = paulimpi_segment_create(ctx, PART, NULL, &segment);
        n_wrong += rc != PAULIMPI_SUCCESS
                   && ((rc != PAULIMPI_ERR_MPI && rc != PAULIMPI_ERR_MEMORY)
                       || segment != NULL || paulimpi_last_error()[0] == '\0');
        mpi_fails_at = 0;
        paulimpi_context_destroy(&ctx);
    } while (rc != PAULIMPI_SUCCESS && n < 100);
    tap_mpi_ok(n > 7 && n_wrong == 0,
               "whichever call of MPI fails: a code and no handle: %s", way);
    if (rc == PAULIMPI_SUCCESS) {
        for (n = 1; n <= (strcmp(way, "window") == 0 ? 3 : 1); n++) {
            mpi_fails_at = n;
            rc = paulimpi_segment_sync(segment);
            tap_mpi_is_status(rc, PAULIMPI_ERR_MPI, "also for sync, call %d",
                              n);
        }
        mpi_fails_at = 0;
        paulimpi_segment_destroy(&segment);
    }
    unsetenv("PAULIMPI_SEGMENT");
}

static const struct {
    call_of_system call;
    int code; /* errno */
    int rank;
    const char *part; /* of the sentence */
} shortages[] = {
    { CREATE_FILE, EMFILE, 0, "memfd_create" },
    { SIZE_FILE, EFBIG, 0, "ftruncate" },
    { OPEN_FILE, ENFILE, 1, "/fd/" },
    { FIND_ADDRESSES, ENOMEM, 0, "mmap" },
    { FIND_ADDRESSES, ENOMEM, 1, "mmap" },
    { MAP_MEMORY, ENOMEM, 0, "mmap" },
    { MAP_MEMORY, ENOMEM, 1, "mmap" },
    { OPEN_ZEROS, ENOENT, 1, "touching the 1000001 bytes" },
    { READ_ZEROS, EFAULT, 0, "touching the 1000001 bytes" },
    { READ_ZEROS, EFAULT, 1, "touching the 1000001 bytes" },
};
enum { N_SHORTAGES = sizeof shortages / sizeof shortages[0] };

/* A lack of something on one rank: an error on all, and nothing is left. */
static void
test_shortage(paulimpi_context *ctx, int i)
{
    paulimpi_segment *segment = (paulimpi_segment *)&i;
    int here = world_rank == shortages[i].rank;
    traces before = traces_now();
    int rc;

    failing_call = here ? shortages[i].call : NO_CALL;
    failing_errno = shortages[i].code;
    rc = paulimpi_segment_create(ctx, PART, NULL, &segment);
    failing_call = NO_CALL;
    tap_mpi_is_status(rc, here ? PAULIMPI_ERR_MEMORY : PAULIMPI_ERR_REMOTE,
                      "%s: %s on rank %d fails on all", shortages[i].part,
                      strerror(shortages[i].code), shortages[i].rank);
    tap_mpi_ok(
        segment == NULL && traces_same(before, traces_now())
            && strstr(paulimpi_last_error(), shortages[i].part) != NULL
            && strstr(paulimpi_last_error(), strerror(shortages[i].code))
                   != NULL,
        "and leaves nothing but a sentence");
}

/* The window needs the same addresses, and touches its memory, too. */
static void
test_window(paulimpi_context *ctx)
{
    static const call_of_system call[] = { FIND_ADDRESSES, READ_ZEROS };
    paulimpi_segment *segment;
    traces before;
    size_t i;
    int rc;

    setenv("PAULIMPI_SEGMENT", "window", 1);
    paulimpi_segment_create(ctx, PART, NULL, &segment);
    paulimpi_segment_destroy(&segment);
    for (i = 0; i < 2; i++) {
        before = traces_now();
        failing_call = world_rank == 1 ? call[i] : NO_CALL;
        failing_errno = ENOMEM;
        rc = paulimpi_segment_create(ctx, PART, NULL, &segment);
        failing_call = NO_CALL;
        tap_mpi_ok(rc
                       == (world_rank == 1 || i == 0 ? PAULIMPI_ERR_MEMORY
                                                     : PAULIMPI_ERR_REMOTE),
                   "no memory for a window on one rank fails on all");
        tap_mpi_ok(segment == NULL && traces_same(before, traces_now()),
                   "and leaves nothing");
    }
    unsetenv("PAULIMPI_SEGMENT");
}

static const struct {
    call_of_system call;
    int code; /* errno */
    int rank;
    const char *part; /* of the reason */
} refusals[] = {
    { CREATE_FILE, ENOSYS, 0, "window (no mapping: memfd_create: " },
    { CREATE_FILE, EPERM, 0, "window (no mapping: memfd_create: " },
    { OPEN_FILE, EACCES, 1, "window (no mapping: /proc/" },
};
enum { N_REFUSALS = sizeof refusals / sizeof refusals[0] };

/* What the system forbids on one rank makes all of the node take the other
 * way, unless the first was asked for. */
static void
test_refusal(paulimpi_context *ctx, int i)
{
    paulimpi_segment *segment = NULL;
    traces before = traces_now();
    char *text = NULL;
    char *part;
    int rc;

    failing_call = world_rank == refusals[i].rank ? refusals[i].call : NO_CALL;
    failing_errno = refusals[i].code;
    rc = paulimpi_segment_create(ctx, PART, NULL, &segment);
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "%s on rank %d: another way",
                      strerror(refusals[i].code), refusals[i].rank);
    paulimpi_segment_explain(segment, &text);
    tap_mpi_ok(text != NULL && strstr(text, refusals[i].part) != NULL
                   && strstr(text, strerror(refusals[i].code)) != NULL,
               "for a reason that all ranks know");
    paulimpi_text_destroy(&text);
    paulimpi_segment_part(segment, world_rank, (void **)&part, NULL);
    part[PART - 1] = (char)(5 + world_rank);
    paulimpi_segment_sync(segment);
    paulimpi_segment_part(segment, 1 - world_rank, (void **)&part, NULL);
    tap_mpi_is_int(part[PART - 1], 5 + 1 - world_rank, "which works");
    paulimpi_segment_destroy(&segment);

    setenv("PAULIMPI_SEGMENT", "mapping", 1);
    rc = paulimpi_segment_create(ctx, PART, NULL, &segment);
    tap_mpi_is_status(rc, PAULIMPI_ERR_UNSUPPORTED,
                      "unless the mapping is asked for");
    tap_mpi_ok(segment == NULL
                   && strstr(paulimpi_last_error(), "no mapping: ") != NULL,
               "then there is a sentence");
    tap_mpi_ok(traces_same(before, traces_now()), "and nothing is left");
    unsetenv("PAULIMPI_SEGMENT");
    failing_call = NO_CALL;
}

/* A file that is larger than a process may make would end it by SIGXFSZ. */
static void
test_file_limit(paulimpi_context *ctx)
{
    paulimpi_segment *segment = (paulimpi_segment *)&ctx;
    struct rlimit old, low;
    int way;

    getrlimit(RLIMIT_FSIZE, &old);
    low = old;
    low.rlim_cur = 1 << 20;
    for (way = 0; way < 2; way++) {
        setenv("PAULIMPI_SEGMENT", way == 0 ? "mapping" : "window", 1);
        setrlimit(RLIMIT_FSIZE, world_rank == 0 ? &low : &old);
        tap_mpi_is_status(paulimpi_segment_create(ctx, PART, NULL, &segment),
                          PAULIMPI_ERR_MEMORY,
                          "a limit for files is found before it strikes");
        setrlimit(RLIMIT_FSIZE, &old);
        tap_mpi_ok(segment == NULL
                       && strstr(paulimpi_last_error(),
                                 "may have 1048576 bytes (ulimit -f)")
                              != NULL,
                   "with its number");
    }
    unsetenv("PAULIMPI_SEGMENT");
}

int
main(int argc, char **argv)
{
    paulimpi_context *ctx;
    int provided, status, i;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    tap_mpi_begin(argv[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    unsetenv("PAULIMPI_TEST_NODE_SIZE");
    unsetenv("PAULIMPI_SEGMENT");
    setenv("PAULIMPI_THREADS", "2", 1);
    if (sysconf(_SC_PAGESIZE) != PAGE) {
        tap_mpi_bail("written for pages of %d bytes", PAGE);
    }
    test_mpi("mapping");
    test_mpi("window");

    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    paulimpi_context_set_threads(ctx, 1);
    for (i = 0; i < N_SHORTAGES; i++) {
        test_shortage(ctx, i);
    }
    test_window(ctx);
    for (i = 0; i < N_REFUSALS; i++) {
        test_refusal(ctx, i);
    }
    test_file_limit(ctx);
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
