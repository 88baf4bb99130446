/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mock runtime: kernels. It knows the library's one by name, and does on
 * the processor what its threads do, by the same source.
 */
#include <string.h>

#include "mock/runtime.h"

/* The word that an image for devices begins with. */
#define FATBIN UINT32_C(0xba55ed50)

static int library, kernel; /* of which only the addresses matter */

CUresult
mock_load(CUlibrary *library_p, const void *image, CUjit_option *options,
          void **values, unsigned n, CUlibraryOption *others,
          void **their_values, unsigned n_others)
{
    cudaError_t code = mock_begin("cuLibraryLoadData");

    (void)options;
    (void)values;
    (void)others;
    (void)their_values;
    if (code == cudaSuccess
        && (n != 0 || n_others != 0 || (uintptr_t)image % 8 != 0
            || *(const uint32_t *)image != FATBIN)) {
        code = cudaErrorInvalidKernelImage;
    }
    if (code == cudaSuccess) {
        *library_p = (CUlibrary)&library;
    }
    return (CUresult)mock_end(code);
}

CUresult
mock_get_kernel(CUkernel *kernel_p, CUlibrary from, const char *name)
{
    cudaError_t code = mock_begin("cuLibraryGetKernel");

    if (code == cudaSuccess
        && (from != (CUlibrary)&library
            || strcmp(name, PAULIMPI__GRID_KERNEL) != 0)) {
        code = cudaErrorSymbolNotFound;
    }
    if (code == cudaSuccess) {
        *kernel_p = (CUkernel)&kernel;
    }
    return (CUresult)mock_end(code);
}

/* Append a launch to a stream, which must be one of the current device. */
static cudaError_t
ask(const void *function, uint64_t threads, cudaStream_t stream,
    const paulimpi__grid_move *move)
{
    op wanted = { .what = DO_LAUNCH,
                  .move = *move,
                  .threads = threads,
                  .physical = mock_physical() };

    if (function != &kernel || mock_stream_device(stream) != mock_physical()) {
        return cudaErrorInvalidResourceHandle;
    }
    return threads == 0 ? cudaErrorInvalidConfiguration
                        : mock_ask(stream, &wanted);
}

CUresult
mock_launch(CUfunction function, unsigned blocks_x, unsigned blocks_y,
            unsigned blocks_z, unsigned threads_x, unsigned threads_y,
            unsigned threads_z, unsigned shared, CUstream stream,
            void **arguments, void **extra)
{
    cudaError_t code = mock_begin("cuLaunchKernel");

    if (code == cudaSuccess
        && (blocks_y * blocks_z * threads_y * threads_z != 1
            || threads_x > 1024 || shared != 0 || extra != NULL)) {
        code = cudaErrorInvalidConfiguration;
    }
    if (code == cudaSuccess) {
        code = ask(function, (uint64_t)blocks_x * threads_x, stream,
                   arguments[0]);
    }
    return (CUresult)mock_end(code);
}

/* Where the bytes can be touched that a kernel on a device sees at an address,
 * with n more behind it and below bytes before it; NULL if it does not reach
 * them. */
static char *
reach(int physical, const char *pointer, uint64_t below, uint64_t n)
{
    const block *it = mock_block(pointer);
    uint64_t offset;

    if (it == NULL || (it->kind != BLOCK_PINNED && it->physical != physical)) {
        return NULL;
    }
    offset = (uint64_t)(pointer - it->base);
    return below > offset || n > it->bytes - offset ? NULL
                                                    : it->alias + offset;
}

static char *
reach_grid(int physical, const paulimpi__grid_move *move)
{
    uint64_t below = 0;
    uint64_t n = move->run * (uint64_t)move->word;
    int d;

    for (d = 0; d < move->dimensions; d++) {
        int64_t last = (int64_t)(move->extent[d] - 1) * move->stride[d];

        below += last < 0 ? (uint64_t)-last : 0;
        n += last < 0 ? 0 : (uint64_t)last;
    }
    return reach(physical, move->base, below, n);
}

static int
is_aligned(const paulimpi__grid_move *move)
{
    uint64_t all = (uintptr_t)move->base | (uintptr_t)move->packed;
    int d;

    for (d = 0; d < move->dimensions; d++) {
        all |= (uint64_t)move->stride[d];
    }
    return all % (uint64_t)move->word == 0;
}

/* The last thread first: which one comes when is nobody's business. */
void
mock_run_kernel(const op *it)
{
    paulimpi__grid_move move = it->move;
    uint64_t i;

    if (move.words == 0) {
        return;
    }
    move.base = reach_grid(it->physical, &it->move);
    move.packed = reach(it->physical, it->move.packed, 0,
                        move.words * (uint64_t)move.word);
    if (move.base == NULL || move.packed == NULL || !is_aligned(&it->move)) {
        mock_fault("a kernel touches what its device does not reach, or words "
                   "that are not aligned",
                   it->move.base);
        return;
    }
    for (i = it->threads; i > 0; i--) {
        paulimpi__grid_thread(&move, i - 1, it->threads);
    }
}
