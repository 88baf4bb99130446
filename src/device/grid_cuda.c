/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernel for grids: loaded once in a process, tried out on each device that
 * it is wanted on. All by functions of the driver, which are looked up.
 */
#include "config.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <pthread.h>

#include "device/cuda.h"

/* More blocks than any device runs at a time gain nothing: threads go on to
 * further words. */
enum { MOST_BLOCKS = 1024, MOST_DEVICES = 64 };

enum { NOT_TRIED, RUNS, FAILS };

static struct {
    pthread_mutex_t lock;
    int is_loaded;
    CUkernel kernel; /* NULL if it could not be loaded */
    int state[MOST_DEVICES];
    CUresult (*launch)(CUfunction function, unsigned blocks_x,
                       unsigned blocks_y, unsigned blocks_z,
                       unsigned threads_x, unsigned threads_y,
                       unsigned threads_z, unsigned shared, CUstream stream,
                       void **arguments, void **extra);
} loaded = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void
tell_failure(const char *what, int code)
{
    paulimpi__log(PAULIMPI__LOG_WARN,
                  "%s: %s; strided memory of devices is packed by copies, "
                  "which are slower where rows are thin",
                  what, cudaGetErrorString((cudaError_t)code));
}

/* The kernel, or NULL. */
static CUkernel
load(void)
{
    CUresult (*load_data)(CUlibrary *, const void *, CUjit_option *, void **,
                          unsigned, CUlibraryOption *, void **, unsigned);
    CUresult (*get_kernel)(CUkernel *, CUlibrary, const char *);
    CUlibrary library = NULL;
    CUkernel kernel = NULL;
    CUresult code;

    *(void **)&load_data = paulimpi__cuda_driver("cuLibraryLoadData");
    *(void **)&get_kernel = paulimpi__cuda_driver("cuLibraryGetKernel");
    *(void **)&loaded.launch = paulimpi__cuda_driver("cuLaunchKernel");
    if (load_data == NULL || get_kernel == NULL || loaded.launch == NULL) {
        tell_failure("the driver is older than CUDA 12",
                     cudaErrorInsufficientDriver);
        return NULL;
    }
    code = load_data(&library, paulimpi__grid_image, NULL, NULL, 0, NULL, NULL,
                     0);
    if (code != CUDA_SUCCESS) {
        tell_failure("cuLibraryLoadData failed", (int)code);
        return NULL;
    }
    code = get_kernel(&kernel, library, PAULIMPI__GRID_KERNEL);
    if (code != CUDA_SUCCESS) {
        tell_failure("cuLibraryGetKernel failed", (int)code);
        return NULL;
    }
    return kernel;
}

static CUresult
launch(const paulimpi__grid_move *move, cudaStream_t stream)
{
    paulimpi__grid_move copy = *move;
    void *arguments[] = { &copy };
    uint64_t blocks = move->words / PAULIMPI__GRID_THREADS + 1;

    blocks = blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS;
    return loaded.launch((CUfunction)loaded.kernel, (unsigned)blocks, 1, 1,
                         PAULIMPI__GRID_THREADS, 1, 1, 0, stream, arguments,
                         NULL);
}

/* Launch it without words, and wait: what was built for other devices shows
 * now, and no later launch has to wait for it to be loaded. */
static int
runs(void)
{
    static const paulimpi__grid_move nothing = { .run = 1,
                                                 .dimensions = 1,
                                                 .word = 1 };
    cudaStream_t stream;
    int code = (int)cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);

    if (code == cudaSuccess) {
        code = (int)launch(&nothing, stream);
        if (code == cudaSuccess) {
            code = (int)cudaStreamSynchronize(stream);
        }
        (void)cudaStreamDestroy(stream);
    }
    if (code != cudaSuccess) {
        (void)cudaGetLastError();
        tell_failure("the first launch of a kernel failed", code);
    }
    return code == cudaSuccess;
}

static int
try_out(int device)
{
    int before;
    int is_well;

    if (paulimpi__cuda_enter(NULL, device, &before) != PAULIMPI_SUCCESS) {
        return FAILS;
    }
    is_well = runs();
    paulimpi__cuda_leave(before);
    return is_well ? RUNS : FAILS;
}

int
paulimpi__cuda_has_kernel(int device)
{
    int state = FAILS;

    if (device >= MOST_DEVICES) {
        return 0;
    }
    pthread_mutex_lock(&loaded.lock);
    if (!loaded.is_loaded) {
        loaded.kernel = load();
        loaded.is_loaded = 1;
    }
    if (loaded.kernel != NULL) {
        if (loaded.state[device] == NOT_TRIED) {
            loaded.state[device] = try_out(device);
        }
        state = loaded.state[device];
    }
    pthread_mutex_unlock(&loaded.lock);
    return state == RUNS;
}

int
paulimpi__cuda_launch(const char *function, int device,
                      const paulimpi__grid_move *move, paulimpi_stream stream)
{
    int before;
    int rc = paulimpi__cuda_enter(function, device, &before);
    CUresult code;

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    code = launch(move, stream);
    /* A thread may have a device without the driver knowing of it yet. */
    if (code == CUDA_ERROR_INVALID_CONTEXT
        && cudaSetDevice(device) == cudaSuccess) {
        code = launch(move, stream);
    }
    rc = paulimpi__cuda_error(function, "cuLaunchKernel", (int)code);
    paulimpi__cuda_leave(before);
    return rc;
}
