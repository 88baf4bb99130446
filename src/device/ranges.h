/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranges of addresses that do not overlap, in order. Who uses a list locks it.
 */
#ifndef PAULIMPI_SRC_DEVICE_RANGES_H
#define PAULIMPI_SRC_DEVICE_RANGES_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uintptr_t base;
    size_t bytes; /* from 1 up */
    int kind;     /* of memory */
    void *what;   /* whatever the owner of the list keeps with it */
} paulimpi__range;

typedef struct {
    paulimpi__range *range;
    size_t n;
    size_t capacity;
} paulimpi__ranges;

/* The range that an address lies in, or NULL. */
paulimpi__range *paulimpi__ranges_find(const paulimpi__ranges *ranges,
                                       const void *pointer);
/* The first range that has a byte in common with this one, or NULL. */
paulimpi__range *paulimpi__ranges_overlap(const paulimpi__ranges *ranges,
                                          const void *base, size_t bytes);
/* Make room for one range more; 0 if there is no memory. */
int paulimpi__ranges_reserve(paulimpi__ranges *ranges);
/* Insert a range, which overlaps none, into room that was reserved. */
void paulimpi__ranges_insert(paulimpi__ranges *ranges, paulimpi__range range);
/* Remove a range that one of the functions above returned. */
void paulimpi__ranges_remove(paulimpi__ranges *ranges, paulimpi__range *range);

#endif /* PAULIMPI_SRC_DEVICE_RANGES_H */
