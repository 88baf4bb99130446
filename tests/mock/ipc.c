/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mock runtime: memory of other processes, opened by the number of its
 * file there, so that nothing is left when a process ends in whatever way.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mock/runtime.h"

/* What is in a handle. */
typedef struct {
    int owner;
    int fd;
    int physical;
    uint64_t number;
    size_t bytes;
} content;

_Static_assert(sizeof(content) <= sizeof(cudaIpcMemHandle_t), "it fits");

static cudaError_t
make_handle(void *handle, const void *pointer)
{
    const block *it = mock_block(pointer);
    content of;

    memset(handle, 0, sizeof(cudaIpcMemHandle_t));
    if (it == NULL || it->kind != BLOCK_DEVICE || mock_get_options()->no_ipc) {
        return cudaErrorInvalidValue;
    }
    memset(&of, 0, sizeof of);
    of.owner = (int)getpid();
    of.fd = it->fd;
    of.physical = it->physical;
    of.number = it->number;
    of.bytes = it->bytes;
    memcpy(handle, &of, sizeof of);
    return cudaSuccess;
}

EXPORT cudaError_t
cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *pointer)
{
    BEGIN;
    code = make_handle(handle, pointer);
    END;
}

CUresult
mock_get_handle(CUipcMemHandle *handle, CUdeviceptr pointer)
{
    cudaError_t code = mock_begin("cuIpcGetMemHandle");

    if (code == cudaSuccess) {
        code = make_handle(handle, (void *)(uintptr_t)pointer);
    }
    mock_unlock();
    return (CUresult)code;
}

/* The memory that is open already, or NULL. */
static block *
find_open(const content *of)
{
    block *it;

    for (it = mock_blocks(); it != NULL; it = it->next) {
        if (it->kind == BLOCK_IMPORTED && it->owner == of->owner
            && it->owner_number == of->number) {
            break;
        }
    }
    return it;
}

/* The file, if it still is the one of the allocation; -1 otherwise. */
static int
open_file(const content *of)
{
    char path[64], want[64], got[64] = "";

    snprintf(path, sizeof path, "/proc/%d/fd/%d", of->owner, of->fd);
    snprintf(want, sizeof want, "/memfd:mock-%d-%llu (deleted)", of->owner,
             (unsigned long long)of->number);
    if (readlink(path, got, sizeof got - 1) < 0 || strcmp(want, got) != 0) {
        return -1;
    }
    return open(path, O_RDWR | O_CLOEXEC);
}

static cudaError_t
map(const content *of, void **memory_p)
{
    int fd = open_file(of);
    block *it;

    if (fd < 0) {
        return cudaErrorInvalidResourceHandle;
    }
    it = mock_map(BLOCK_IMPORTED, of->bytes, fd);
    close(fd);
    if (it == NULL) {
        return cudaErrorMemoryAllocation;
    }
    it->fd = -1;
    it->physical = of->physical;
    it->owner = of->owner;
    it->owner_number = of->number;
    it->openings = 1;
    *memory_p = it->base;
    return cudaSuccess;
}

EXPORT cudaError_t
cudaIpcOpenMemHandle(void **memory_p, cudaIpcMemHandle_t handle,
                     unsigned flags)
{
    content of;
    block *it;

    BEGIN;
    memcpy(&of, &handle, sizeof of);
    it = find_open(&of);
    if (flags != cudaIpcMemLazyEnablePeerAccess) {
        code = cudaErrorInvalidValue;
    } else if (of.owner == (int)getpid()) {
        code = cudaErrorDeviceUninitialized;
    } else if (of.physical != mock_physical()
               && !mock_get_options()->reaches[mock_physical()]
                                              [of.physical % MOST_DEVICES]) {
        code = cudaErrorPeerAccessUnsupported;
    } else if (it != NULL) {
        it->openings++;
        *memory_p = it->base;
    } else {
        code = map(&of, memory_p);
    }
    END;
}

EXPORT cudaError_t
cudaIpcCloseMemHandle(void *memory)
{
    block *it;

    BEGIN;
    it = mock_block(memory);
    if (it == NULL || it->kind != BLOCK_IMPORTED || it->base != memory) {
        code = cudaErrorInvalidValue;
    } else if (--it->openings == 0) {
        mock_drain_device(mock_physical());
        mock_unmap(it);
    }
    END;
}
