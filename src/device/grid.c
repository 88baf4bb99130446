/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Copies between strided memory and packed bytes by a kernel.
 */
#include "device/table.h"

static const char function[] = "packing by a kernel";

int
paulimpi__has_kernel(int device)
{
    const paulimpi__device_table *table = paulimpi__device();

    return table->has_kernel != NULL && device >= 0
           && device < paulimpi__n_devices() && table->has_kernel(device);
}

void
paulimpi__grid_widen(paulimpi__grid_move *move)
{
    uint64_t now = (uint64_t)move->word;
    uint64_t all = 16 | (uintptr_t)move->base | (uintptr_t)move->packed
                   | move->first * now | move->words * now | move->run * now;
    uint64_t word;
    int d;

    for (d = 0; d < move->dimensions; d++) {
        all |= (uint64_t)move->stride[d];
    }
    word = all & (~all + 1);
    move->first = move->first * now / word;
    move->words = move->words * now / word;
    move->run = move->run * now / word;
    move->word = (int)word;
}

static int
can_reach(int device, const paulimpi_memory *memory)
{
    return memory->kind == PAULIMPI_MEMORY_PINNED
           || (memory->kind > PAULIMPI_MEMORY_PINNED
               && memory->device == device);
}

int
paulimpi__grid_ask(const paulimpi__grid_move *move, paulimpi_stream stream,
                   int *is_asked_p)
{
    paulimpi_memory grid = PAULIMPI_MEMORY_INIT;
    paulimpi_memory packed = PAULIMPI_MEMORY_INIT;
    paulimpi__grid_move wide = *move;
    int rc = paulimpi_memory_describe(move->base, &grid);

    *is_asked_p = 0;
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_memory_describe(move->packed, &packed);
    }
    if (rc != PAULIMPI_SUCCESS || grid.kind <= PAULIMPI_MEMORY_PINNED
        || !can_reach(grid.device, &packed)
        || !paulimpi__has_kernel(grid.device)) {
        return rc;
    }
    *is_asked_p = 1;
    paulimpi__grid_widen(&wide);
    return paulimpi__device()->launch(function, grid.device, &wide, stream);
}
