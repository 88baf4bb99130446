/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The loops over a tile for any processor that the compiler was told of.
 */
#define LOOPS paulimpi__tile_loops_portable
#if defined(__ARM_NEON)
#define NAME "neon"
#else
#define NAME "portable"
#endif

#include "propagate/tile_loops.h"
