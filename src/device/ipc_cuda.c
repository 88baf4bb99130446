/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table for CUDA: memory of other processes.
 */
#include "config.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "device/cuda.h"

_Static_assert(sizeof(cudaIpcMemHandle_t) == PAULIMPI__IPC_KEY,
               "the key is CUDA's handle");

#define TRY(function, call, arguments)                                        \
    paulimpi__cuda_error(function, #call, (int)call arguments)

int
paulimpi__cuda_ipc_export(const char *function, void *base,
                          paulimpi__ipc_key *key)
{
    cudaIpcMemHandle_t handle;
    int rc = TRY(function, cudaIpcGetMemHandle, (&handle, base));

    if (rc == PAULIMPI_SUCCESS) {
        memcpy(key, &handle, sizeof *key);
    }
    return rc;
}

/* Whether the current device reaches another one, with a sentence if not.
 * Memory of a device that this process does not see may be reachable all the
 * same: opening it tells. */
static int
check_reach(const char *function, int owner)
{
    int device, can = 1;
    int rc = TRY(function, cudaGetDevice, (&device));

    if (rc == PAULIMPI_SUCCESS && owner >= 0 && owner != device) {
        rc = TRY(function, cudaDeviceCanAccessPeer, (&can, device, owner));
    }
    if (rc == PAULIMPI_SUCCESS && can == 0) {
        rc = paulimpi__error(PAULIMPI_ERR_UNSUPPORTED,
                             "%s: the memory is device %d's, which the "
                             "current device %d cannot reach; select device "
                             "%d first",
                             function, owner, device, owner);
    }
    return rc;
}

/* What it means that a handle cannot be opened. */
static int
not_opened(const char *function, cudaError_t error)
{
    switch (error) {
    case cudaErrorInvalidValue:
    case cudaErrorInvalidResourceHandle:
    case cudaErrorMapBufferObjectFailed:
        (void)cudaGetLastError();
        return paulimpi__error(PAULIMPI_ERR_STATE,
                               "%s: the memory is not there any more: the "
                               "process that exported it has freed it or "
                               "ended, or cannot be seen from here, as from "
                               "another container (%s)",
                               function, cudaGetErrorName(error));
    case cudaErrorMemoryAllocation:
        (void)cudaGetLastError();
        return paulimpi__error(PAULIMPI_ERR_MEMORY,
                               "%s: the driver has no memory to map it",
                               function);
    case cudaErrorPeerAccessUnsupported:
    case cudaErrorTooManyPeers:
    case cudaErrorInvalidDevice:
    case cudaErrorNotSupported:
        (void)cudaGetLastError();
        return paulimpi__error(PAULIMPI_ERR_UNSUPPORTED,
                               "%s: the current device cannot reach the "
                               "memory: %s (%s)",
                               function, cudaGetErrorString(error),
                               cudaGetErrorName(error));
    default:
        return paulimpi__cuda_error(function, "cudaIpcOpenMemHandle",
                                    (int)error);
    }
}

int
paulimpi__cuda_ipc_open(const char *function, const paulimpi__ipc_key *key,
                        const paulimpi_device_uuid *uuid, void **base_p)
{
    cudaIpcMemHandle_t handle;
    cudaError_t error;
    int rc = check_reach(function, paulimpi__cuda_find(uuid));

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    memcpy(&handle, key, sizeof handle);
    error =
        cudaIpcOpenMemHandle(base_p, handle, cudaIpcMemLazyEnablePeerAccess);
    return error == cudaSuccess ? PAULIMPI_SUCCESS
                                : not_opened(function, error);
}

int
paulimpi__cuda_ipc_close(const char *function, void *base)
{
    return TRY(function, cudaIpcCloseMemHandle, (base));
}

/* Allocations that the driver exports, and others that it does not, by their
 * numbers, which it never uses again: a place can only be overwritten, not be
 * wrong. */
enum { PLACES = 256 };
static atomic_uint_fast64_t exportable[PLACES];
static atomic_uint_fast64_t refused[PLACES];

static CUresult (*get_handle)(CUipcMemHandle *handle, CUdeviceptr pointer);
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
find_driver(void)
{
    *(void **)&get_handle = paulimpi__cuda_driver("cuIpcGetMemHandle");
}

/* The driver's function leaves no trace in the runtime's last error. */
static int
can_export(const void *pointer)
{
    CUipcMemHandle handle;

    return get_handle(&handle, (CUdeviceptr)(uintptr_t)pointer)
           == CUDA_SUCCESS;
}

/* Whether the driver refuses this memory although it exports memory that is
 * certainly this process's. On some machines it exports none at all, and in a
 * thread that has not used the device yet neither. */
static int
is_refused(const paulimpi_memory *memory)
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    void *other = NULL;
    int before, answer = 0;

    if (paulimpi__cuda_enter(NULL, memory->device, &before)
        != PAULIMPI_SUCCESS) {
        return 0;
    }
    /* A program that is capturing a stream must not be disturbed. */
    (void)TRY(NULL, cudaThreadExchangeStreamCaptureMode, (&mode));
    if (TRY(NULL, cudaMalloc, (&other, 1)) == PAULIMPI_SUCCESS) {
        answer = can_export(other) && !can_export(memory->base);
        (void)TRY(NULL, cudaFree, (other));
    }
    (void)TRY(NULL, cudaThreadExchangeStreamCaptureMode, (&mode));
    paulimpi__cuda_leave(before);
    return answer;
}

int
paulimpi__cuda_seems_imported(const paulimpi_memory *memory)
{
    size_t place = memory->number % PLACES;

    pthread_once(&once, find_driver);
    if (get_handle == NULL || memory->base == NULL) {
        return 0;
    }
    if (memory->number != 0
        && atomic_load(&exportable[place]) == memory->number) {
        return 0;
    }
    if (memory->number != 0
        && atomic_load(&refused[place]) == memory->number) {
        return 1;
    }
    if (can_export(memory->base)) {
        atomic_store(&exportable[place], memory->number);
        return 0;
    }
    if (!is_refused(memory)) {
        return 0;
    }
    atomic_store(&refused[place], memory->number);
    return 1;
}
