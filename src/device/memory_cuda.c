/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table for CUDA: memory and copies.
 */
#include "config.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <inttypes.h>
#include <limits.h>
#include <pthread.h>

#include "device/cuda.h"

#define TRY(function, call, arguments)                                        \
    paulimpi__cuda_error(function, #call, (int)call arguments)

/* What the driver is asked about a pointer, all in one call. */
enum {
    TYPE,
    IS_MANAGED,
    ORDINAL,
    BASE,
    BYTES,
    NUMBER,
    POOL,
    CAN_EXPORT,
    ATTRIBUTES
};
static CUpointer_attribute attribute[ATTRIBUTES] = {
    [TYPE] = CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
    [IS_MANAGED] = CU_POINTER_ATTRIBUTE_IS_MANAGED,
    [ORDINAL] = CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
    [BASE] = CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
    [BYTES] = CU_POINTER_ATTRIBUTE_RANGE_SIZE,
    [NUMBER] = CU_POINTER_ATTRIBUTE_BUFFER_ID,
    [POOL] = CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
    [CAN_EXPORT] = CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
};

/* Answers have 1 to 8 bytes; what is not written stays 0. */
typedef union {
    uint64_t wide;
    uint32_t word;
} answer;

static struct {
    CUresult (*get_attributes)(unsigned n, CUpointer_attribute *names,
                               void **answers, CUdeviceptr pointer);
    CUresult (*retain)(CUmemGenericAllocationHandle *handle, void *pointer);
    CUresult (*release)(CUmemGenericAllocationHandle handle);
} driver;
static pthread_once_t driver_once = PTHREAD_ONCE_INIT;

static void
find_driver(void)
{
    *(void **)&driver.get_attributes =
        paulimpi__cuda_driver("cuPointerGetAttributes");
    *(void **)&driver.retain =
        paulimpi__cuda_driver("cuMemRetainAllocationHandle");
    *(void **)&driver.release = paulimpi__cuda_driver("cuMemRelease");
}

/* Whether memory was mapped by hand: only then it has a handle. */
static int
is_virtual(const void *pointer)
{
    CUmemGenericAllocationHandle handle;

    if (driver.retain == NULL || driver.release == NULL
        || driver.retain(&handle, (void *)pointer) != CUDA_SUCCESS) {
        return 0;
    }
    (void)driver.release(handle);
    return 1;
}

/* The kind of a device's memory. */
static int
device_kind(const void *pointer, const answer got[ATTRIBUTES],
            const paulimpi_memory *memory)
{
    if (got[POOL].wide != 0) {
        return PAULIMPI_MEMORY_POOL;
    }
    if (got[CAN_EXPORT].word == 0 && is_virtual(pointer)) {
        return PAULIMPI_MEMORY_VIRTUAL;
    }
    return paulimpi__cuda_seems_imported(memory) ? PAULIMPI_MEMORY_IMPORTED
                                                 : PAULIMPI_MEMORY_DEVICE;
}

static void
fill(const void *pointer, const answer got[ATTRIBUTES],
     paulimpi_memory *memory)
{
    memory->base = (void *)(uintptr_t)got[BASE].wide;
    memory->bytes = (size_t)got[BYTES].wide;
    memory->number = got[NUMBER].wide;
    if (got[IS_MANAGED].word != 0) {
        memory->kind = PAULIMPI_MEMORY_MANAGED;
        memory->device = (int)got[ORDINAL].word;
    } else if (got[TYPE].word == CU_MEMORYTYPE_HOST) {
        memory->kind = PAULIMPI_MEMORY_PINNED;
    } else {
        memory->device = (int)got[ORDINAL].word;
        memory->kind = device_kind(pointer, got, memory);
    }
}

/* For a driver that does not tell more. */
static int
query_runtime(const char *function, const void *pointer,
              paulimpi_memory *memory)
{
    struct cudaPointerAttributes got;
    int rc = TRY(function, cudaPointerGetAttributes, (&got, pointer));

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (got.type == cudaMemoryTypeHost) {
        memory->kind = PAULIMPI_MEMORY_PINNED;
    } else if (got.type == cudaMemoryTypeManaged) {
        memory->kind = PAULIMPI_MEMORY_MANAGED;
        memory->device = got.device;
    } else if (got.type == cudaMemoryTypeDevice) {
        memory->kind = PAULIMPI_MEMORY_DEVICE;
        memory->device = got.device;
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi__cuda_query(const char *function, const void *pointer,
                     paulimpi_memory *memory)
{
    answer got[ATTRIBUTES] = { { 0 } };
    void *place[ATTRIBUTES];
    CUresult code;
    int i;

    memory->kind = PAULIMPI_MEMORY_HOST;
    if (pointer == NULL) {
        return PAULIMPI_SUCCESS;
    }
    pthread_once(&driver_once, find_driver);
    if (driver.get_attributes == NULL) {
        return query_runtime(function, pointer, memory);
    }
    for (i = 0; i < ATTRIBUTES; i++) {
        place[i] = &got[i];
    }
    code = driver.get_attributes(ATTRIBUTES, attribute, place,
                                 (CUdeviceptr)(uintptr_t)pointer);
    if (code == CUDA_ERROR_INVALID_VALUE) {
        /* Some attribute is younger than the driver. */
        return query_runtime(function, pointer, memory);
    }
    if (code != CUDA_SUCCESS) {
        return paulimpi__error(PAULIMPI_ERR_DEVICE,
                               "%s: cuPointerGetAttributes failed with code "
                               "%d",
                               function, (int)code);
    }
    if (got[TYPE].word != 0) {
        fill(pointer, got, memory);
    }
    return PAULIMPI_SUCCESS;
}

/* The error of an allocation of the current device. */
static int
no_device_memory(const char *function, const char *call, cudaError_t error,
                 size_t bytes)
{
    size_t n_free = 0, n_total = 0;

    if (error != cudaErrorMemoryAllocation) {
        return paulimpi__cuda_error(function, call, (int)error);
    }
    (void)cudaGetLastError();
    (void)TRY(NULL, cudaMemGetInfo, (&n_free, &n_total));
    return paulimpi__error(PAULIMPI_ERR_MEMORY,
                           "%s: no memory for %zu bytes more on the device, "
                           "of whose %zu bytes %zu are free",
                           function, bytes, n_total, n_free);
}

/* Memory of the pool may be used in any stream only when the default one has
 * come to it. */
static cudaError_t
allocate_in_pool(void **memory_p, size_t bytes, const char **call_p)
{
    cudaError_t error = cudaMallocAsync(memory_p, bytes, NULL);

    *call_p = "cudaMallocAsync";
    if (error != cudaSuccess) {
        return error;
    }
    *call_p = "cudaStreamSynchronize";
    error = cudaStreamSynchronize(NULL);
    if (error != cudaSuccess) {
        (void)cudaFreeAsync(*memory_p, NULL);
    }
    return error;
}

static int
create_on_device(const char *function, int *kind_p, size_t bytes,
                 void **memory_p)
{
    const char *call = "";
    cudaError_t error = cudaErrorNotSupported;

    if (*kind_p == PAULIMPI_MEMORY_MANAGED) {
        call = "cudaMallocManaged";
        error = cudaMallocManaged(memory_p, bytes, cudaMemAttachGlobal);
    } else if (*kind_p == PAULIMPI_MEMORY_POOL) {
        error = allocate_in_pool(memory_p, bytes, &call);
    }
    if (error == cudaErrorNotSupported) {
        call = "cudaMalloc";
        *kind_p = PAULIMPI_MEMORY_DEVICE;
        error = cudaMalloc(memory_p, bytes);
    }
    if (error != cudaSuccess) {
        *memory_p = NULL;
        return no_device_memory(function, call, error, bytes);
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi__cuda_create(const char *function, int *kind_p, size_t bytes,
                      void **memory_p)
{
    cudaError_t error;

    if (*kind_p != PAULIMPI_MEMORY_PINNED) {
        return create_on_device(function, kind_p, bytes, memory_p);
    }
    error = cudaMallocHost(memory_p, bytes);
    if (error == cudaSuccess) {
        return PAULIMPI_SUCCESS;
    }
    (void)cudaGetLastError();
    paulimpi__log(PAULIMPI__LOG_WARN,
                  "%s: %zu bytes could not be page-locked: %s; ordinary "
                  "memory is used, from and to which copies are slower",
                  function, bytes, cudaGetErrorString(error));
    *kind_p = PAULIMPI_MEMORY_HOST;
    return paulimpi__host_create(function, bytes, memory_p);
}

void
paulimpi__cuda_destroy(int kind, void *memory)
{
    cudaError_t error;

    if (kind == PAULIMPI_MEMORY_PINNED) {
        error = cudaFreeHost(memory);
    } else if (kind == PAULIMPI_MEMORY_POOL) {
        error = cudaFreeAsync(memory, NULL);
    } else {
        error = cudaFree(memory);
    }
    if (error != cudaSuccess) {
        (void)cudaGetLastError();
        paulimpi__log(
            PAULIMPI__LOG_ERROR, "%s memory at %p could not be freed: %s",
            paulimpi__memory_name(kind), memory, cudaGetErrorString(error));
    }
}

int
paulimpi__cuda_copy(const char *function, void *to, const void *from,
                    size_t bytes, paulimpi_stream stream)
{
    return TRY(function, cudaMemcpyAsync,
               (to, from, bytes, cudaMemcpyDefault, stream));
}

int
paulimpi__cuda_copy_rows(const char *function, void *to, size_t to_pitch,
                         const void *from, size_t from_pitch, size_t width,
                         size_t rows, paulimpi_stream stream)
{
    int rc = PAULIMPI_SUCCESS;
    size_t i;

    if (rows == 1 || (to_pitch == width && from_pitch == width)) {
        return paulimpi__cuda_copy(function, to, from, rows * width, stream);
    }
    /* The longest pitch that any device has. */
    if (to_pitch <= INT_MAX && from_pitch <= INT_MAX) {
        return TRY(function, cudaMemcpy2DAsync,
                   (to, to_pitch, from, from_pitch, width, rows,
                    cudaMemcpyDefault, stream));
    }
    for (i = 0; i < rows && rc == PAULIMPI_SUCCESS; i++) {
        rc = paulimpi__cuda_copy(function, (char *)to + i * to_pitch,
                                 (const char *)from + i * from_pitch, width,
                                 stream);
    }
    return rc;
}
