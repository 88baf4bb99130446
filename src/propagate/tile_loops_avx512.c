/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The loops over a tile for x86-64 processors with AVX-512.
 */
#include "config.h"

#if defined(HAVE_X86_TARGETS)

/* Headers come first: their functions are for any processor. */
#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "propagate/tile.h"

#if defined(__clang__)
#pragma clang attribute push(                                                 \
    __attribute__((                                                           \
        target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2,popcnt"))),       \
    apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2,popcnt")
#endif

#define LOOPS paulimpi__tile_loops_avx512
#define HAVE_BMI /* clang does not say so here */
#define VECTOR_BYTES 64
#define NAME "avx512"

#include "propagate/tile_loops.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
