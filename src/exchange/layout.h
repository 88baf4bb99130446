/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Regions in their simplest form, and copies between them and packed bytes.
 */
#ifndef PAULIMPI_SRC_EXCHANGE_LAYOUT_H
#define PAULIMPI_SRC_EXCHANGE_LAYOUT_H

#include <stdint.h>

#include "device/device.h"
#include "exchange/exchange.h"

/* A region as runs of bytes that lie side by side, in a grid of as few
 * dimensions as say the same, none of which has one element only. The packed
 * bytes are those of the region in its order. A region without bytes has no
 * dimensions and a run of 0. */
typedef struct {
    char *base;     /* first byte of the packed order */
    int64_t bytes;  /* in all */
    int64_t run;    /* side by side */
    int dimensions; /* of the grid of runs; 0: one run */
    int64_t extent[PAULIMPI_REGION_DIMENSIONS]; /* fastest first; 1 beyond */
    int64_t stride[PAULIMPI_REGION_DIMENSIONS]; /* and 0 */
    char *low; /* the range of memory that it touches is [low, high) */
    char *high;
} paulimpi__layout;

/* Bring a region to that form; PAULIMPI_ERR_ARGUMENT or _RANGE with a sentence
 * that begins with the name of the function and of the thing ("sends[3]"). */
int paulimpi__layout_set(paulimpi__layout *layout,
                         const paulimpi_region *region, const char *function,
                         const char *thing);

/* Who makes the copies between a region and packed bytes. */
enum {
    PAULIMPI__BY_HOST,   /* it can read and write both; done on return */
    PAULIMPI__BY_DEVICE, /* copies of the device module, which take their turn
                            in the stream */
    PAULIMPI__BY_KERNEL  /* one kernel, which does; copies where it does not
                            reach the packed bytes. The stream is of the device
                            that has the region */
};

/* Who copies a region best that is in the memory of a device, in a stream of a
 * device. May take long when it is first asked for a device. */
int paulimpi__device_copier(const paulimpi__layout *layout, int device,
                            int stream_device);

/* Packed bytes [first, first + bytes) of a region, as the kernel is told. */
paulimpi__grid_move paulimpi__grid_of(const paulimpi__layout *layout,
                                      int64_t first, int64_t bytes,
                                      const void *packed, int to_region);

/* Copy packed bytes [first, first + bytes) of a region from it, or to it, by
 * PAULIMPI__BY_... A device makes one copy for each row of runs, or fewer, if
 * a stride is not negative and does not let runs overlap. What is counted is
 * the caller's to count. */
int paulimpi__pack(const paulimpi__layout *layout, int by, int64_t first,
                   int64_t bytes, void *packed, paulimpi_stream stream);
int paulimpi__unpack(const paulimpi__layout *layout, int by, int64_t first,
                     int64_t bytes, const void *packed,
                     paulimpi_stream stream);

/* Whether two layouts have a byte in common: 1 or 0; -1 where finding out
 * would take too long, which takes strides of several dimensions that are not
 * multiples of each other and rows that reach far past the next ones. */
int paulimpi__layouts_meet(const paulimpi__layout *a,
                           const paulimpi__layout *b);

/* Whether a layout has a byte twice, likewise. */
int paulimpi__layout_repeats(const paulimpi__layout *layout);

/* One of the layouts of an exchange, and how a sentence calls it. */
typedef struct {
    const paulimpi__layout *layout;
    int is_receive;
    int index;
} paulimpi__use;

/* PAULIMPI_ERR_OVERLAP with both names if a byte that one receive writes is
 * touched by another use, or written twice. Exact, also for interleaved grids;
 * where it would be too dear to find out it is an error, too. Takes
 * O(n log n) steps and one for each two uses that interleave.
 * PAULIMPI_ERR_MEMORY. */
int paulimpi__check_overlap(const char *function, int n_uses,
                            const paulimpi__use *uses);

#endif /* PAULIMPI_SRC_EXCHANGE_LAYOUT_H */
