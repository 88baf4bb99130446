/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The shim between the library and MPI keeps what other tests trust it with.
 */
#include "mock/shim.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/device.h"
#include "mock/mock.h"
#include "tap/tap_mpi.h"

enum { N = 100000 };

static int rank;
static char from[N], to[N];

static void
prepare(void)
{
    memset(from, 1 + rank, N);
    memset(to, 9, N);
    shim_reset();
}

/* Whether the first n bytes are the other rank's, and the rest is as it was. */
static int
has_come(int n)
{
    int i, good = 1;

    for (i = 0; i < N; i++) {
        good &= to[i] == (i < n ? 2 - rank : 9);
    }
    return good;
}

/* Swap n bytes with the other rank; look at them just before the end. */
static int
swap(int n, int spoil, int *early_p)
{
    MPI_Request request[2];
    MPI_Status status[2];
    int got;

    MPI_Isend(from, n, MPI_BYTE, 1 - rank, 5, MPI_COMM_WORLD, &request[1]);
    PMPI_Barrier(MPI_COMM_WORLD);
    MPI_Irecv(to, n, MPI_BYTE, 1 - rank, 5, MPI_COMM_WORLD, &request[0]);
    PMPI_Barrier(MPI_COMM_WORLD);
    *early_p = to[0] != 9;
    if (spoil) {
        memset(from, 7, N);
    }
    MPI_Waitall(2, request, status);
    PMPI_Get_count(&status[0], MPI_BYTE, &got);
    return got;
}

static void
check_modes(void)
{
    int early;

    prepare();
    tap_mpi_is_int(swap(N, 0, &early), N, "off: all comes");
    tap_mpi_ok(has_come(N), "as it was sent");
    tap_mpi_is_int(shim_most_in_flight(), 2 * N,
                   "what is under way is counted");
    shim_mode(SHIM_LATE);
    prepare();
    tap_mpi_is_int(swap(N, 0, &early), N, "late: all comes");
    tap_mpi_ok(!early && has_come(N), "not before it is waited for");
    prepare();
    swap(8, 1, &early);
    tap_mpi_is_int(to[0], 7, "what is sent is read late, too");
    shim_mode(SHIM_EAGER);
    prepare();
    tap_mpi_is_int(swap(8, 0, &early), 8, "eager: all comes");
    tap_mpi_ok(early && has_come(8), "before it is waited for");
    shim_mode(SHIM_SHORT);
    prepare();
    tap_mpi_is_int(swap(N, 0, &early), N - 1, "short: a byte is missing");
    tap_mpi_ok(has_come(N - 1), "the last one");
    shim_least(100);
    prepare();
    tap_mpi_is_int(swap(99, 0, &early), 99, "small messages may be spared");
    shim_least(1);
    shim_mode(SHIM_OFF);
}

static void
check_failures(void)
{
    int64_t before = shim_calls("MPI_Isend");
    MPI_Request request = MPI_REQUEST_NULL;

    shim_fail("MPI_Isend", 2);
    tap_mpi_is_int(
        MPI_Isend(from, 1, MPI_BYTE, rank, 6, MPI_COMM_WORLD, &request),
        MPI_SUCCESS, "the first call works");
    PMPI_Recv(to, 1, MPI_BYTE, rank, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tap_mpi_is_int(
        MPI_Isend(from, 1, MPI_BYTE, rank, 6, MPI_COMM_WORLD, &request),
        MPI_ERR_OTHER, "the second fails");
    tap_mpi_is_int(shim_calls("MPI_Isend"), before + 2, "both are counted");
}

static void
check_foreign(void)
{
    int early;

    shim_foreign(from + 10, 10);
    prepare();
    swap(N, 0, &early);
    tap_mpi_is_int(shim_foreign_buffers(), 0,
                   "a buffer begins in memory of its own process");
    shim_mode(SHIM_REJECT);
    tap_mpi_is_int(MPI_Send(from + 10, 1, MPI_BYTE, rank, 6, MPI_COMM_WORLD),
                   MPI_ERR_BUFFER, "or is rejected");
    tap_mpi_is_int(shim_foreign_buffers(), 1, "and counted");
    shim_mode(SHIM_OFF);
}

/* MPI_Pack of a device's memory: the bytes, or -1 if it is a fault. */
static int
pack(const void *memory)
{
    char out[8] = "";
    int status, position = 0;
    pid_t child = fork();

    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* MPI would say a lot */
        MPI_Pack(memory, 8, MPI_BYTE, out, 8, &position, MPI_COMM_SELF);
        _exit(out[7]);
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? -1 : WEXITSTATUS(status);
}

static void
check_device(void)
{
    void *memory;

    paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, 8, &memory);
    memset(mock_alias(memory), 77, 8);
    shim_reset();
    shim_mode(SHIM_UNAWARE);
    tap_mpi_is_int(pack(memory), -1, "unaware: a device's memory is a fault");
    shim_mode(SHIM_AWARE);
    tap_mpi_is_int(pack(memory), 77, "aware: it is read");
    MPI_Unpack(from, 8, &(int){ 0 }, memory, 8, MPI_BYTE, MPI_COMM_SELF);
    tap_mpi_is_int(*(char *)mock_alias(memory), from[0], "and written");
    tap_mpi_is_int(shim_device_buffers(), 1, "and counted");
    shim_mode(SHIM_SILENT);
    tap_mpi_is_int(pack(memory), 0, "silent: zeros are read instead");
    shim_mode(SHIM_OFF);
    paulimpi_memory_destroy(&memory);
}

int
main(int argc, char **argv)
{
    int status;

    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    check_modes();
    check_failures();
    check_foreign();
    if (mock_is_here()) {
        check_device();
    }
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
