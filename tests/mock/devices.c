/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mock runtime: devices, and what it says of pointers.
 */
#include <stdio.h>
#include <string.h>

#include "mock/runtime.h"

static _Thread_local int current;

int
mock_current(void)
{
    return current;
}

int
mock_physical(void)
{
    return mock_get_options()->physical[current];
}

static int
is_device(int device)
{
    return device >= 0 && device < mock_get_options()->n_devices;
}

EXPORT cudaError_t
cudaGetDeviceCount(int *count_p)
{
    BEGIN;
    if (mock_get_options()->n_devices == 0) {
        code = cudaErrorNoDevice;
    } else {
        *count_p = mock_get_options()->n_devices;
    }
    END;
}

EXPORT cudaError_t
cudaDriverGetVersion(int *version_p)
{
    int without;

    (void)mock_begin(__func__);
    without = mock_get_options()->no_driver;
    *version_p = without == 0 ? CUDART_VERSION : without == 1 ? 0 : without;
    return mock_end(cudaSuccess);
}

EXPORT cudaError_t
cudaRuntimeGetVersion(int *version_p)
{
    *version_p = CUDART_VERSION;
    return cudaSuccess;
}

EXPORT cudaError_t
cudaSetDevice(int device)
{
    BEGIN;
    if (is_device(device)) {
        current = device;
    } else {
        code = cudaErrorInvalidDevice;
    }
    END;
}

EXPORT cudaError_t
cudaGetDevice(int *device_p)
{
    BEGIN;
    *device_p = current;
    END;
}

EXPORT cudaError_t
cudaGetDeviceProperties(struct cudaDeviceProp *of, int device)
{
    BEGIN;
    if (is_device(device)) {
        int physical = mock_get_options()->physical[device];

        memset(of, 0, sizeof *of);
        snprintf(of->name, sizeof of->name, "mock %d", physical);
        memcpy(&of->uuid, "mock-device-uuid", sizeof of->uuid);
        of->uuid.bytes[15] = (char)physical;
        of->totalGlobalMem = mock_get_options()->memory;
        of->pciBusID = 0x10 + 0x10 * physical;
    } else {
        code = cudaErrorInvalidDevice;
    }
    END;
}

EXPORT cudaError_t
cudaDeviceGetPCIBusId(char *text, int length, int device)
{
    BEGIN;
    if (is_device(device)) {
        snprintf(text, (size_t)length, "0000:%02x:00.0",
                 0x10 + 0x10 * mock_get_options()->physical[device]);
    } else {
        code = cudaErrorInvalidDevice;
    }
    END;
}

EXPORT cudaError_t
cudaDeviceCanAccessPeer(int *can_p, int device, int other)
{
    const mock_options *options = mock_get_options();

    BEGIN;
    if (is_device(device) && is_device(other)) {
        *can_p = device != other
                 && options->reaches[options->physical[device]]
                                    [options->physical[other]];
    } else {
        code = cudaErrorInvalidDevice;
    }
    END;
}

/* The number here of a physical device; the current one if it is not seen. */
static int
number_of(int physical)
{
    const mock_options *options = mock_get_options();
    int i;

    for (i = 0; i < options->n_devices; i++) {
        if (options->physical[i] == physical) {
            return i;
        }
    }
    return current;
}

EXPORT cudaError_t
cudaPointerGetAttributes(struct cudaPointerAttributes *of, const void *pointer)
{
    const block *it;

    BEGIN;
    it = mock_block(pointer);
    memset(of, 0, sizeof *of);
    of->type = cudaMemoryTypeUnregistered;
    of->device = -1;
    if (it != NULL) {
        of->type = it->kind == BLOCK_PINNED    ? cudaMemoryTypeHost
                   : it->kind == BLOCK_MANAGED ? cudaMemoryTypeManaged
                                               : cudaMemoryTypeDevice;
        of->device = number_of(it->physical);
        of->devicePointer = (void *)pointer;
        of->hostPointer = it->base == it->alias ? (void *)pointer : NULL;
    }
    END;
}

/* The driver's answers. */
static CUresult
get_attribute(CUpointer_attribute name, void *answer, const block *it)
{
    static const CUmemorytype type[] = {
        [BLOCK_DEVICE] = CU_MEMORYTYPE_DEVICE,
        [BLOCK_POOL] = CU_MEMORYTYPE_DEVICE,
        [BLOCK_VIRTUAL] = CU_MEMORYTYPE_DEVICE,
        [BLOCK_IMPORTED] = CU_MEMORYTYPE_DEVICE,
        [BLOCK_MANAGED] = CU_MEMORYTYPE_DEVICE,
        [BLOCK_PINNED] = CU_MEMORYTYPE_HOST,
    };

    switch (name) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)answer = it == NULL ? 0 : type[it->kind];
        break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(unsigned *)answer = it != NULL && it->kind == BLOCK_MANAGED;
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)answer = it == NULL ? -2 : number_of(it->physical);
        break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(void **)answer = it == NULL ? NULL : it->base;
        break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(size_t *)answer = it == NULL ? 0 : it->bytes;
        break;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        *(unsigned long long *)answer = it == NULL ? 0 : it->number;
        break;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        *(void **)answer =
            it != NULL && it->kind == BLOCK_POOL ? (void *)it : NULL;
        break;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        /* What a real driver says of imported memory is not known. */
        *(unsigned *)answer = it != NULL && it->kind == BLOCK_DEVICE;
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult
mock_get_attributes(unsigned n, CUpointer_attribute *names, void **answers,
                    CUdeviceptr pointer)
{
    cudaError_t code = mock_begin("cuPointerGetAttributes");
    const block *it = mock_block((void *)(uintptr_t)pointer);
    CUresult result = (CUresult)code;
    unsigned i;

    for (i = 0; i < n && result == CUDA_SUCCESS; i++) {
        result = get_attribute(names[i], answers[i], it);
    }
    mock_unlock();
    return result;
}

CUresult
mock_retain(CUmemGenericAllocationHandle *handle, void *pointer)
{
    cudaError_t code = mock_begin("cuMemRetainAllocationHandle");
    const block *it = mock_block(pointer);
    CUresult result = (CUresult)code;

    if (result == CUDA_SUCCESS && (it == NULL || it->kind != BLOCK_VIRTUAL)) {
        result = CUDA_ERROR_INVALID_VALUE;
    } else if (result == CUDA_SUCCESS) {
        *handle = it->number;
    }
    mock_unlock();
    return result;
}

CUresult
mock_release(CUmemGenericAllocationHandle handle)
{
    (void)mock_begin("cuMemRelease");
    mock_unlock();
    return handle == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
