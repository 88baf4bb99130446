/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of another process: rank 0 exports, rank 1 opens. Holds on a GPU and
 * on the mock; failures are only asked of the mock.
 */
#include "mock/mock.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "device/device.h"
#include "device/imported.h"
#include "tap/tap_mpi.h"

enum { BYTES = 10000, PLACE = 100, KEY = 64 /* where CUDA's handle begins */ };
enum { LAZY_PEER = 1, BROKEN = 999 };

static int rank;
static char *memory; /* of rank 0 */
static paulimpi_ipc_handle handle;

static void
send_handle(const void *pointer)
{
    int rc = PAULIMPI_SUCCESS;

    if (rank == 0) {
        rc = paulimpi_ipc_export(pointer, &handle);
    }
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "memory is exported");
    MPI_Bcast(&handle, sizeof handle, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void
fill(unsigned char *byte, unsigned seed)
{
    int i;

    for (i = 0; i < BYTES; i++) {
        byte[i] = (unsigned char)((unsigned)i * 7 + seed);
    }
}

static int
copy(void *to, const void *from, size_t bytes)
{
    int rc = paulimpi_memory_copy(to, from, bytes, NULL);

    return rc == PAULIMPI_SUCCESS ? paulimpi_stream_wait(NULL) : rc;
}

static void
check_address(char *pointer)
{
    paulimpi_memory about = PAULIMPI_MEMORY_INIT;
    paulimpi_ipc_handle again;
    void *stray = pointer;

    paulimpi_memory_describe(pointer, &about);
    tap_mpi_is_int(about.kind,
                   rank == 0 ? PAULIMPI_MEMORY_HOST : PAULIMPI_MEMORY_IMPORTED,
                   "it is imported");
    tap_mpi_ok(rank == 0 || (char *)about.base == pointer - PLACE,
               "its base is known");
    tap_mpi_ok(is_imported(pointer) == rank
                   && is_imported(pointer - PLACE) == rank,
               "all of the allocation is");
    tap_mpi_is_status(paulimpi_ipc_export(pointer, &again),
                      PAULIMPI_ERR_ARGUMENT, "it is not exported again");
    paulimpi_memory_destroy(&stray);
    tap_mpi_ok(is_imported(pointer) == rank, "nor freed");
}

/* Bytes go both ways. On rank 0 the pointer is one of the host. */
static void
check_bytes(char *pointer)
{
    static unsigned char want[BYTES], got[BYTES];

    fill(want, 1);
    if (rank == 0) {
        copy(memory, want, BYTES);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        copy(got, pointer, BYTES - PLACE);
    }
    tap_mpi_ok(rank == 0 || memcmp(want + PLACE, got, BYTES - PLACE) == 0,
               "the other process reads what is there");
    fill(want, 2);
    if (rank == 1) {
        copy(pointer - PLACE, want, BYTES);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        copy(got, memory, BYTES);
    }
    tap_mpi_ok(rank == 1 || memcmp(want, got, BYTES) == 0, "and writes to it");
}

static void
check_close(void *pointer)
{
    void *again = NULL, *third = (char *)pointer + 50;
    int rc = PAULIMPI_SUCCESS;

    if (rank == 1) {
        rc = paulimpi_ipc_open(&handle, &again);
    }
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "it may be opened twice");
    tap_mpi_ok(rank == 0 || again == pointer, "at the same address");
    paulimpi__import_hold(pointer);
    rc = rank == 1 ? paulimpi_ipc_close(&again) : PAULIMPI_SUCCESS;
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "the first closing is allowed");
    tap_mpi_ok(again == NULL, "and forgets the pointer");
    again = pointer;
    rc = rank == 1 ? paulimpi_ipc_close(&again) : PAULIMPI_ERR_STATE;
    tap_mpi_is_status(rc, PAULIMPI_ERR_STATE,
                      "the last one is not while an exchange uses it");
    tap_mpi_ok(again == pointer && is_imported(pointer) == rank,
               "it stays open");
    paulimpi__import_release(pointer);
    rc = rank == 1 ? paulimpi_ipc_close(&third) : PAULIMPI_SUCCESS;
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS,
                      "then it is, by any address in it");
    tap_mpi_ok(!is_imported(pointer), "it is not imported now");
    rc = paulimpi_ipc_close(&again);
    tap_mpi_is_status(rc, PAULIMPI_ERR_ARGUMENT, "it is closed once only");
}

static void
check_other_process(void)
{
    void *pointer = &rank;
    int rc = PAULIMPI_SUCCESS;

    send_handle(memory + PLACE);
    if (rank == 1) {
        rc = paulimpi_ipc_open(&handle, &pointer);
    }
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "another process opens it");
    if (rc != PAULIMPI_SUCCESS) {
        return;
    }
    check_address(pointer);
    check_bytes(pointer);
    check_close(pointer);
}

static void
check_own_process(void)
{
    void *pointer = NULL, *again = NULL;
    int rc = PAULIMPI_SUCCESS;

    if (rank == 0) {
        rc = paulimpi_ipc_open(&handle, &pointer);
    }
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "the exporter may open it, too");
    tap_mpi_ok(rank == 1 || pointer == memory + PLACE,
               "at the address where it is");
    tap_mpi_ok(!is_imported(pointer), "which is not imported");
    rc = rank == 0 ? paulimpi_ipc_open(&handle, &again) : PAULIMPI_SUCCESS;
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "it may do so twice");
    rc = rank == 0 ? paulimpi_ipc_close(&again) : PAULIMPI_SUCCESS;
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "and closes it");
    rc = rank == 0 ? paulimpi_ipc_close(&pointer) : PAULIMPI_SUCCESS;
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "as often");
    paulimpi__alloc_fail_at(2);
    rc =
        rank == 0 ? paulimpi_ipc_open(&handle, &pointer) : PAULIMPI_ERR_MEMORY;
    paulimpi__alloc_fail_at(0);
    tap_mpi_is_status(rc, PAULIMPI_ERR_MEMORY, "if there is memory");
    pointer = memory == NULL ? (void *)&rank : memory;
    rc = paulimpi_ipc_close(&pointer);
    tap_mpi_is_status(rc, PAULIMPI_ERR_ARGUMENT, "and no oftener");
}

/* No byte of a handle may be another one. */
static void
check_damage(void)
{
    paulimpi_ipc_handle damaged;
    int i, refused = 0;
    void *pointer;

    for (i = 0; i < PAULIMPI_IPC_BYTES; i++) {
        damaged = handle;
        damaged.byte[i] ^= 0x10;
        refused +=
            paulimpi_ipc_open(&damaged, &pointer) == PAULIMPI_ERR_ARGUMENT
            && pointer == NULL;
    }
    tap_mpi_is_int(refused, PAULIMPI_IPC_BYTES,
                   "a handle with any damaged byte is refused");
    damaged = handle;
    damaged.byte[3] = 2;
    paulimpi_ipc_open(&damaged, &pointer);
    tap_mpi_ok(strstr(paulimpi_last_error(), "version 2") != NULL,
               "that of another version is named");
}

static int (*find_close(void))(void *)
{
    int (*close)(void *) = NULL;

    *(void **)&close = dlsym(RTLD_DEFAULT, "cudaIpcCloseMemHandle");
    return close;
}

/* The program opens memory by itself, with CUDA's handle. */
static void *
open_raw(void)
{
    typedef struct {
        char byte[64];
    } raw;
    int (*open)(void **, raw, unsigned) = NULL;
    void *pointer = NULL;
    raw it;

    memcpy(&it, handle.byte + KEY, sizeof it);
    *(void **)&open = dlsym(RTLD_DEFAULT, "cudaIpcOpenMemHandle");
    if (open == NULL || open(&pointer, it, LAZY_PEER) != 0) {
        tap_mpi_bail("the program cannot open it");
    }
    return pointer;
}

static void
check_raw(void)
{
    paulimpi_memory about = PAULIMPI_MEMORY_INIT;
    void *base = rank == 1 ? open_raw() : NULL;
    void *pointer = NULL;
    int good = 1;

    paulimpi_memory_describe(base, &about);
    tap_mpi_ok(rank == 0 || about.kind == PAULIMPI_MEMORY_IMPORTED,
               "what the program opened is found out without being told");
    if (rank == 1) {
        good &= paulimpi_ipc_remember(base, BYTES) == PAULIMPI_SUCCESS;
        good &= is_imported(base);
        good &= paulimpi_ipc_open(&handle, &pointer) == PAULIMPI_SUCCESS;
        good &= pointer == (char *)base + PLACE;
        good &= paulimpi_ipc_forget(base) == PAULIMPI_SUCCESS;
        good &= is_imported(base);
        good &= paulimpi_ipc_remember(base, BYTES) == PAULIMPI_SUCCESS;
        good &= paulimpi_ipc_close(&pointer) == PAULIMPI_SUCCESS;
        good &= is_imported(base);
        good &= paulimpi_ipc_forget(base) == PAULIMPI_SUCCESS;
        good &= !is_imported(base);
    }
    tap_mpi_ok(good, "told of and opened by the library it is both");
    if (rank == 1) {
        good =
            paulimpi_ipc_remember((char *)base + 10, 10) == PAULIMPI_SUCCESS;
        good &= paulimpi_ipc_open(&handle, &pointer) == PAULIMPI_SUCCESS
                || paulimpi_ipc_forget((char *)base + 10) == PAULIMPI_SUCCESS;
        good &= pointer == NULL;
        good &= find_close()(base) == 0;
    }
    tap_mpi_ok(good, "a part of it that was told of is in the way");
}

static void
check_failures(void)
{
    static const struct {
        int code, want;
    } of[] = {
        { 1, PAULIMPI_ERR_STATE },         { 400, PAULIMPI_ERR_STATE },
        { 205, PAULIMPI_ERR_STATE },       { 2, PAULIMPI_ERR_MEMORY },
        { 217, PAULIMPI_ERR_UNSUPPORTED }, { 801, PAULIMPI_ERR_UNSUPPORTED },
        { BROKEN, PAULIMPI_ERR_DEVICE }
    };
    int64_t live = mock_live();
    void *pointer = NULL, *base = NULL;
    int i, rc, good = 1;
    int (*close)(void *);

    for (i = 0; rank == 1 && i < 7; i++) {
        mock_fail("cudaIpcOpenMemHandle", 1, of[i].code);
        rc = paulimpi_ipc_open(&handle, &pointer);
        good &= rc == of[i].want && pointer == NULL;
    }
    tap_mpi_ok(good, "each failure of opening has its code");
    for (i = 1; rank == 1 && i < 10; i++) {
        paulimpi__alloc_fail_at(i);
        rc = paulimpi_ipc_open(&handle, &pointer);
        paulimpi__alloc_fail_at(0);
        if (rc == PAULIMPI_SUCCESS) {
            break;
        }
        good &= rc == PAULIMPI_ERR_MEMORY && mock_live() == live;
    }
    tap_mpi_ok(good && (rank == 0 || i == 3),
               "without memory it is not left open");
    if (rank == 1) {
        base = (char *)pointer - PLACE;
        mock_fail("cudaIpcCloseMemHandle", 1, BROKEN);
        good = paulimpi_ipc_close(&pointer) == PAULIMPI_ERR_DEVICE
               && pointer == NULL;
    }
    tap_mpi_ok(good, "a closing that fails is one");
    if (rank == 1) {
        /* CUDA thinks that it is open. */
        close = find_close();
        close(base);
    }
}

/* Device 1 does not reach device 0, see main(). */
static void
check_reach(void)
{
    void *pointer = NULL;
    int rc = PAULIMPI_ERR_UNSUPPORTED;

    if (rank == 1) {
        paulimpi_device_select(1);
        rc = paulimpi_ipc_open(&handle, &pointer);
        paulimpi_device_select(0);
    }
    tap_mpi_is_status(rc, PAULIMPI_ERR_UNSUPPORTED,
                      "a device that does not reach the memory is told");
    tap_mpi_ok(rank == 0
                   || strstr(paulimpi_last_error(), "select device 0") != NULL,
               "with what to do");
}

static void
check_freed(void)
{
    void *pointer;

    if (rank == 0) {
        paulimpi_memory_destroy((void **)&memory);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    tap_mpi_is_status(paulimpi_ipc_open(&handle, &pointer), PAULIMPI_ERR_STATE,
                      "memory that was freed cannot be opened");
    tap_mpi_ok(pointer == NULL, "and gives NULL");
}

int
main(int argc, char **argv)
{
    int n_devices, status;

    setenv("PAULIMPI_MOCK_NO_PEER", "0-1", 1);
    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    paulimpi_device_count(&n_devices);
    if (n_devices == 0) {
        tap_mpi_ok(1, "nothing to do without a device");
    } else {
        if (rank == 0) {
            paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, BYTES,
                                   (void **)&memory);
        }
        check_other_process();
        check_own_process();
        check_damage();
        check_raw();
        if (mock_is_here()) {
            check_failures();
            check_reach();
            check_freed();
        }
    }
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
