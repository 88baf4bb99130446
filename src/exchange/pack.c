/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Copies between regions and packed bytes: a walk that cuts any part of the
 * packed order into blocks, and what copies a block; or a kernel, which copies
 * any part at once.
 */
#include "exchange/layout.h"

#include <string.h>

/* Runs in a grid of up to two dimensions, whose bytes are next in the packed
 * order. */
typedef struct {
    char *at;
    int64_t run;
    int64_t extent[2];
    int64_t stride[2];
} block;

/* Copies a block from or to packed bytes. */
typedef int (*mover)(const block *part, char *packed, paulimpi_stream stream);

/* A place in the packed order. */
typedef struct {
    const paulimpi__layout *layout;
    int64_t index[PAULIMPI_REGION_DIMENSIONS];
    char *run;    /* that it is in */
    int64_t past; /* bytes of the run before it */
} cursor;

static void
set_cursor(cursor *here, const paulimpi__layout *layout, int64_t first)
{
    int64_t runs = first / layout->run;
    int i;

    *here = (cursor){ .layout = layout,
                      .run = layout->base,
                      .past = first % layout->run };
    for (i = 0; runs > 0; i++) {
        here->index[i] = runs % layout->extent[i];
        runs /= layout->extent[i];
        here->run += here->index[i] * layout->stride[i];
    }
}

/* Go n runs on in a dimension. */
static void
go_on(cursor *here, int d, int64_t n)
{
    const paulimpi__layout *layout = here->layout;

    here->index[d] += n;
    here->run += n * layout->stride[d];
    while (here->index[d] == layout->extent[d]
           && d < PAULIMPI_REGION_DIMENSIONS - 1) {
        here->run +=
            layout->stride[d + 1] - layout->extent[d] * layout->stride[d];
        here->index[d] = 0;
        d++;
        here->index[d]++;
    }
}

static int64_t
lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Cut the next block out of the bytes that are left, and go past it. Its
 * bytes. */
static int64_t
next_block(cursor *here, int64_t left, block *part)
{
    const paulimpi__layout *layout = here->layout;
    int64_t runs = left / layout->run;

    *part = (block){ .at = here->run + here->past,
                     .run = layout->run,
                     .extent = { 1, 1 },
                     .stride = { layout->stride[0], layout->stride[1] } };
    if (here->past > 0 || runs == 0) {
        part->run = lesser(layout->run - here->past, left);
        here->past += part->run;
        if (here->past == layout->run) {
            here->past = 0;
            go_on(here, 0, 1);
        }
    } else if (here->index[0] > 0 || runs < layout->extent[0]) {
        part->extent[0] = lesser(layout->extent[0] - here->index[0], runs);
        go_on(here, 0, part->extent[0]);
    } else {
        part->extent[0] = layout->extent[0];
        part->extent[1] = lesser(layout->extent[1] - here->index[1],
                                 runs / layout->extent[0]);
        go_on(here, 1, part->extent[1]);
    }
    return part->run * part->extent[0] * part->extent[1];
}

static block
whole_block(const paulimpi__layout *layout)
{
    return (block){ .at = layout->base,
                    .run = layout->run,
                    .extent = { layout->extent[0], layout->extent[1] },
                    .stride = { layout->stride[0], layout->stride[1] } };
}

static int
walk(const paulimpi__layout *layout, int64_t first, int64_t bytes,
     char *packed, mover move, paulimpi_stream stream)
{
    cursor here;
    block part;
    int rc = PAULIMPI_SUCCESS;

    if (bytes == 0) {
        return rc;
    }
    if (bytes == layout->bytes && layout->dimensions <= 2) {
        part = whole_block(layout);
        return move(&part, packed, stream);
    }
    set_cursor(&here, layout, first);
    while (bytes > 0 && rc == PAULIMPI_SUCCESS) {
        int64_t moved = next_block(&here, bytes, &part);

        rc = move(&part, packed, stream);
        packed += moved;
        bytes -= moved;
    }
    return rc;
}

/* Copies of the host. Where the compiler knows how long a run is, it is a load
 * and a store; four of them in a round, because short loops take twice the
 * time where they happen to lie badly. */

static inline void
gather_runs(const block *part, char *packed, size_t run)
{
    const block b = *part; /* what is written cannot change */
    const int64_t step = b.stride[0];
    int64_t i, j;

    for (j = 0; j < b.extent[1]; j++) {
        const char *from = b.at + j * b.stride[1];

        for (i = b.extent[0]; i >= 4; i -= 4) {
            memcpy(packed, from, run);
            memcpy(packed + run, from + step, run);
            memcpy(packed + 2 * run, from + 2 * step, run);
            memcpy(packed + 3 * run, from + 3 * step, run);
            packed += 4 * run;
            from += 4 * step;
        }
        for (; i > 0; i--) {
            memcpy(packed, from, run);
            packed += run;
            from += step;
        }
    }
}

static inline void
scatter_runs(const block *part, const char *packed, size_t run)
{
    const block b = *part;
    const int64_t step = b.stride[0];
    int64_t i, j;

    for (j = 0; j < b.extent[1]; j++) {
        char *to = b.at + j * b.stride[1];

        for (i = b.extent[0]; i >= 4; i -= 4) {
            memcpy(to, packed, run);
            memcpy(to + step, packed + run, run);
            memcpy(to + 2 * step, packed + 2 * run, run);
            memcpy(to + 3 * step, packed + 3 * run, run);
            packed += 4 * run;
            to += 4 * step;
        }
        for (; i > 0; i--) {
            memcpy(to, packed, run);
            packed += run;
            to += step;
        }
    }
}

/* Up to four numbers of up to eight bytes are what halos are made of. */
#define FOR_RUN(copy_runs, part, packed)                                      \
    switch ((part)->run) {                                                    \
    case 1:                                                                   \
        copy_runs(part, packed, 1);                                           \
        break;                                                                \
    case 2:                                                                   \
        copy_runs(part, packed, 2);                                           \
        break;                                                                \
    case 4:                                                                   \
        copy_runs(part, packed, 4);                                           \
        break;                                                                \
    case 8:                                                                   \
        copy_runs(part, packed, 8);                                           \
        break;                                                                \
    case 12:                                                                  \
        copy_runs(part, packed, 12);                                          \
        break;                                                                \
    case 16:                                                                  \
        copy_runs(part, packed, 16);                                          \
        break;                                                                \
    case 24:                                                                  \
        copy_runs(part, packed, 24);                                          \
        break;                                                                \
    case 32:                                                                  \
        copy_runs(part, packed, 32);                                          \
        break;                                                                \
    default:                                                                  \
        copy_runs(part, packed, (size_t)(part)->run);                         \
    }

static int
gather(const block *part, char *packed, paulimpi_stream stream)
{
    (void)stream;
    FOR_RUN(gather_runs, part, packed)
    return PAULIMPI_SUCCESS;
}

static int
scatter(const block *part, char *packed, paulimpi_stream stream)
{
    (void)stream;
    FOR_RUN(scatter_runs, part, packed)
    return PAULIMPI_SUCCESS;
}

/* Copies of a device. */

static int
copy_rows(const block *part, int d, int64_t other, char *packed,
          int64_t packed_pitch, int is_gather, paulimpi_stream stream)
{
    char *at = part->at + other * part->stride[1 - d];
    size_t pitch = (size_t)part->stride[d];
    size_t run = (size_t)part->run;
    size_t rows = (size_t)part->extent[d];

    return is_gather ? paulimpi_memory_copy_rows(packed, (size_t)packed_pitch,
                                                 at, pitch, run, rows, stream)
                     : paulimpi_memory_copy_rows(at, pitch, packed,
                                                 (size_t)packed_pitch, run,
                                                 rows, stream);
}

static int
copy_runs_singly(const block *part, char *packed, int is_gather,
                 paulimpi_stream stream)
{
    int rc = PAULIMPI_SUCCESS;
    int64_t i, j;

    for (j = 0; j < part->extent[1]; j++) {
        for (i = 0; i < part->extent[0] && rc == PAULIMPI_SUCCESS; i++) {
            char *at = part->at + i * part->stride[0] + j * part->stride[1];

            rc = is_gather ? paulimpi_memory_copy(packed, at,
                                                  (size_t)part->run, stream)
                           : paulimpi_memory_copy(at, packed,
                                                  (size_t)part->run, stream);
            packed += part->run;
        }
    }
    return rc;
}

/* The dimension along which copies of rows are fewest, -1 if neither can be
 * copied so. */
static int
rows_along(const block *part)
{
    int can[2];
    int d;

    for (d = 0; d < 2; d++) {
        can[d] = part->extent[d] > 1 && part->stride[d] >= part->run;
    }
    if (can[0] && can[1]) {
        return part->extent[1] > part->extent[0];
    }
    return can[0] ? 0 : can[1] ? 1 : -1;
}

static int
copy_block(const block *part, char *packed, int is_gather,
           paulimpi_stream stream)
{
    int d = rows_along(part);
    int rc = PAULIMPI_SUCCESS;
    int64_t step, pitch;
    int64_t i;

    if (d < 0) {
        return copy_runs_singly(part, packed, is_gather, stream);
    }
    step = d == 0 ? part->extent[0] * part->run : part->run;
    pitch = d == 0 ? part->run : part->extent[0] * part->run;
    for (i = 0; i < part->extent[1 - d] && rc == PAULIMPI_SUCCESS; i++) {
        rc =
            copy_rows(part, d, i, packed + i * step, pitch, is_gather, stream);
    }
    return rc;
}

static int
gather_by_device(const block *part, char *packed, paulimpi_stream stream)
{
    return copy_block(part, packed, 1, stream);
}

static int
scatter_by_device(const block *part, char *packed, paulimpi_stream stream)
{
    return copy_block(part, packed, 0, stream);
}

/* A kernel of a device. */

/* A row thinner than that keeps the copy engine longer than its bytes do. */
enum { THIN = 64 };
/* In the time that it takes to ask for a copy about so many bytes are
 * copied. */
#define SMALL_COPY ((int64_t)1 << 16)

/* Whether copies of rows would take longer than they need to. */
static int
is_slow_in_rows(const paulimpi__layout *layout)
{
    block part = whole_block(layout);
    int d = rows_along(&part);
    int64_t bytes = part.run * (d < 0 ? 1 : part.extent[d]);

    return layout->run < THIN || (bytes < layout->bytes && bytes < SMALL_COPY);
}

int
paulimpi__device_copier(const paulimpi__layout *layout, int device,
                        int stream_device)
{
    return layout->dimensions > 0 && device == stream_device
                   && is_slow_in_rows(layout) && paulimpi__has_kernel(device)
               ? PAULIMPI__BY_KERNEL
               : PAULIMPI__BY_DEVICE;
}

paulimpi__grid_move
paulimpi__grid_of(const paulimpi__layout *layout, int64_t first, int64_t bytes,
                  const void *packed, int to_region)
{
    /* It is not written to unless it may be. */
    paulimpi__grid_move move = { .base = layout->base,
                                 .packed = (char *)(uintptr_t)packed,
                                 .first = (uint64_t)first,
                                 .words = (uint64_t)bytes,
                                 .run = (uint64_t)layout->run,
                                 .dimensions = layout->dimensions,
                                 .word = 1,
                                 .to_grid = to_region };
    int d;

    _Static_assert((int)PAULIMPI__GRID_DIMENSIONS
                       == (int)PAULIMPI_REGION_DIMENSIONS,
                   "the kernel has as many dimensions as regions");
    for (d = 0; d < PAULIMPI_REGION_DIMENSIONS; d++) {
        move.extent[d] = (uint64_t)layout->extent[d];
        move.stride[d] = layout->stride[d];
    }
    if (move.dimensions == 0) {
        move.dimensions = 1;
    }
    return move;
}

static int
move_by_kernel(const paulimpi__layout *layout, int64_t first, int64_t bytes,
               const void *packed, int to_region, paulimpi_stream stream,
               int *is_asked_p)
{
    paulimpi__grid_move move =
        paulimpi__grid_of(layout, first, bytes, packed, to_region);

    *is_asked_p = bytes == 0;
    return bytes == 0 ? PAULIMPI_SUCCESS
                      : paulimpi__grid_ask(&move, stream, is_asked_p);
}

int
paulimpi__pack(const paulimpi__layout *layout, int by, int64_t first,
               int64_t bytes, void *packed, paulimpi_stream stream)
{
    if (by == PAULIMPI__BY_KERNEL) {
        int is_asked;
        int rc =
            move_by_kernel(layout, first, bytes, packed, 0, stream, &is_asked);

        if (rc != PAULIMPI_SUCCESS || is_asked) {
            return rc;
        }
    }
    return walk(layout, first, bytes, packed,
                by == PAULIMPI__BY_HOST ? gather : gather_by_device, stream);
}

int
paulimpi__unpack(const paulimpi__layout *layout, int by, int64_t first,
                 int64_t bytes, const void *packed, paulimpi_stream stream)
{
    if (by == PAULIMPI__BY_KERNEL) {
        int is_asked;
        int rc =
            move_by_kernel(layout, first, bytes, packed, 1, stream, &is_asked);

        if (rc != PAULIMPI_SUCCESS || is_asked) {
            return rc;
        }
    }
    /* Which way the copies go is the mover's: it does not write there. */
    return walk(layout, first, bytes, (char *)(uintptr_t)packed,
                by == PAULIMPI__BY_HOST ? scatter : scatter_by_device, stream);
}
