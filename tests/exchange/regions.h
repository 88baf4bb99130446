/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random regions, and what a region is, element by element.
 */
#ifndef TESTS_EXCHANGE_REGIONS_H
#define TESTS_EXCHANGE_REGIONS_H

#include <stddef.h>
#include <stdint.h>

#include "exchange/layout.h"

enum { REGIONS_ARENA = 4096, REGIONS_MOST_BYTES = 16384 };

/* Memory that random regions lie in. */
extern unsigned char regions_arena[REGIONS_ARENA];

/* A number from 0 to n - 1; the same ones after regions_seed(). */
uint32_t regions_draw(uint32_t n);
void regions_seed(uint32_t seed);

/* A region in the arena of 0 to 4 dimensions: strides of any size and sign, or
 * rows in rows as arrays have them. At most REGIONS_MOST_BYTES bytes. */
paulimpi_region regions_random(void);

/* The addresses of all its bytes, in order. Returns the number. */
int regions_list(const paulimpi_region *region, unsigned char **address);

/* Its layout; bails out if there is none. */
paulimpi__layout regions_layout(const paulimpi_region *region);

#endif /* TESTS_EXCHANGE_REGIONS_H */
