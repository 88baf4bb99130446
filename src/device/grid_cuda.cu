/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernel that copies between strided memory and packed bytes. It is
 * compiled for devices alone: what launches it is grid_cuda.c.
 */
#include "device/grid.h"

/* Neighbouring threads have neighbouring words of the packed order, so that
 * they fill whole lines of it. */
extern "C" __global__ void
paulimpi_move_grid(const paulimpi__grid_move it)
{
    paulimpi__grid_thread(
        &it, blockIdx.x * (uint64_t)blockDim.x + threadIdx.x,
        (uint64_t)gridDim.x * blockDim.x);
}
