/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Regions in their simplest form.
 */
#include "exchange/layout.h"

#include <inttypes.h>

#include "base/base.h"

/* The distance of the ends of a region stays below this, so that those of two
 * can be added. */
#define MOST_REACH (INT64_MAX / 2)

static int
check_shape(const paulimpi_region *region, const char *function,
            const char *thing)
{
    int i;

    if (region->element == 0) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: %s: element is 0, but must be at least "
                               "1 byte",
                               function, thing);
    }
    if (region->dimensions < 0
        || region->dimensions > PAULIMPI_REGION_DIMENSIONS) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: %s: dimensions is %d, but must be from 0 "
                               "to %d",
                               function, thing, region->dimensions,
                               PAULIMPI_REGION_DIMENSIONS);
    }
    for (i = 0; i < region->dimensions; i++) {
        if (region->extent[i] < 0) {
            return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                                   "%s: %s: extent[%d] is %" PRId64
                                   ", but must be at least 0",
                                   function, thing, i, region->extent[i]);
        }
    }
    return PAULIMPI_SUCCESS;
}

static int
is_empty(const paulimpi_region *region)
{
    int i;

    for (i = 0; i < region->dimensions; i++) {
        if (region->extent[i] == 0) {
            return 1;
        }
    }
    return 0;
}

/* Add the dimensions, and join what lies side by side: with the run, or with
 * the dimension before. 0 if the bytes cannot be counted. */
static int
join_dimensions(paulimpi__layout *layout, const paulimpi_region *region)
{
    int d = 0;
    int i;

    for (i = 0; i < region->dimensions; i++) {
        int64_t extent = region->extent[i];
        int64_t stride = region->stride[i];
        int64_t next;

        if (__builtin_mul_overflow(layout->bytes, extent, &layout->bytes)) {
            return 0;
        }
        if (extent == 1) {
            continue;
        }
        if (d == 0 && stride == layout->run) {
            layout->run *= extent;
        } else if (d > 0
                   && !__builtin_mul_overflow(layout->stride[d - 1],
                                              layout->extent[d - 1], &next)
                   && stride == next) {
            layout->extent[d - 1] *= extent;
        } else {
            layout->extent[d] = extent;
            layout->stride[d] = stride;
            d++;
        }
    }
    layout->dimensions = d;
    for (; d < PAULIMPI_REGION_DIMENSIONS; d++) {
        layout->extent[d] = 1;
        layout->stride[d] = 0;
    }
    return 1;
}

/* Find the range of memory. 0 if it is too long, or passes an end of what
 * addresses can name. */
static int
find_range(paulimpi__layout *layout)
{
    uintptr_t base = (uintptr_t)layout->base;
    int64_t below = 0;
    int64_t above = layout->run;
    int64_t reach;
    int i;

    for (i = 0; i < layout->dimensions; i++) {
        if (__builtin_mul_overflow(layout->extent[i] - 1, layout->stride[i],
                                   &reach)
            || __builtin_add_overflow(reach < 0 ? below : above, reach,
                                      reach < 0 ? &below : &above)) {
            return 0;
        }
    }
    if (below < -MOST_REACH || above > MOST_REACH + below
        || base < (uintptr_t)-below || (uintptr_t)above > UINTPTR_MAX - base) {
        return 0;
    }

    /* By integers: the range may be that of no single object. */
    layout->low = (char *)(base - (uintptr_t)-below);
    layout->high = (char *)(base + (uintptr_t)above);
    return 1;
}

int
paulimpi__layout_set(paulimpi__layout *layout, const paulimpi_region *region,
                     const char *function, const char *thing)
{
    paulimpi__layout made = { .extent = { 1, 1, 1, 1 } };
    int rc;

    if (region == NULL) {
        return paulimpi__null(function, thing);
    }
    rc = check_shape(region, function, thing);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    made.base = region->base;
    made.low = made.base;
    made.high = made.base;
    if (!is_empty(region)) {
        if (region->base == NULL) {
            return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                                   "%s: %s: base is NULL, but there are "
                                   "elements",
                                   function, thing);
        }
        made.run = (int64_t)region->element;
        made.bytes = made.run;
        if (region->element > INT64_MAX || !join_dimensions(&made, region)
            || !find_range(&made)) {
            return paulimpi__error(PAULIMPI_ERR_RANGE,
                                   "%s: %s: more bytes, or further from end "
                                   "to end, than memory can be",
                                   function, thing);
        }
    }
    *layout = made;
    return PAULIMPI_SUCCESS;
}
