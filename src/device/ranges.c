/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranges of addresses that do not overlap, in order.
 */
#include "device/ranges.h"

#include <string.h>

#include "base/base.h"

/* How many ranges begin at an address or before it. */
static size_t
count_up_to(const paulimpi__ranges *ranges, uintptr_t address)
{
    size_t low = 0, high = ranges->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (ranges->range[middle].base <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

paulimpi__range *
paulimpi__ranges_find(const paulimpi__ranges *ranges, const void *pointer)
{
    return paulimpi__ranges_overlap(ranges, pointer, 1);
}

paulimpi__range *
paulimpi__ranges_overlap(const paulimpi__ranges *ranges, const void *base,
                         size_t bytes)
{
    uintptr_t address = (uintptr_t)base;
    size_t i = count_up_to(ranges, address);

    if (i > 0
        && address - ranges->range[i - 1].base < ranges->range[i - 1].bytes) {
        return &ranges->range[i - 1];
    }
    if (i < ranges->n && ranges->range[i].base - address < bytes) {
        return &ranges->range[i];
    }
    return NULL;
}

int
paulimpi__ranges_reserve(paulimpi__ranges *ranges)
{
    size_t capacity = ranges->capacity == 0 ? 16 : 2 * ranges->capacity;
    paulimpi__range *more;

    if (ranges->n < ranges->capacity) {
        return 1;
    }
    more = paulimpi__realloc(ranges->range, capacity, sizeof *more);
    if (more == NULL) {
        return 0;
    }
    ranges->range = more;
    ranges->capacity = capacity;
    return 1;
}

void
paulimpi__ranges_insert(paulimpi__ranges *ranges, paulimpi__range range)
{
    size_t i = count_up_to(ranges, range.base);

    memmove(&ranges->range[i + 1], &ranges->range[i],
            (ranges->n - i) * sizeof range);
    ranges->range[i] = range;
    ranges->n++;
}

void
paulimpi__ranges_remove(paulimpi__ranges *ranges, paulimpi__range *range)
{
    size_t after = ranges->n - (size_t)(range - ranges->range) - 1;

    memmove(range, range + 1, after * sizeof *range);
    ranges->n--;
    if (ranges->n == 0) {
        paulimpi__free(ranges->range);
        memset(ranges, 0, sizeof *ranges);
    }
}
