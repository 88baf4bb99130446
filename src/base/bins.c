/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Exact sums of many small values.
 *
 * A number below a power of two is cut into parts of 50 bits, a level each,
 * and the parts of a level are added up as integers. The cutting is free of
 * error: adding 1.5 * 2^52 units rounds a number to whole units and leaves
 * their count in the lowest bits of the result; taking the same away gives
 * what was rounded to, and the difference from that is a double again, the
 * number for the next level. What the last level leaves goes to the exact sum
 * as it is. Integers may be added in any order, so that compilers make vector
 * code of the loop.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "base/base.h"

enum {
    BLOCK = PAULIMPI__BINS_BLOCK,
    LEVELS = PAULIMPI__BINS_LEVELS,
    NORM_LEVELS = 2,
    SQUARE_LEVELS = LEVELS - NORM_LEVELS,
    LEVEL_BITS = 50,

    /* 2^12 parts of at most 2^50 stay below 2^63. */
    MOST_BLOCKS = (1 << 12) / BLOCK,

    /* Exponents of bounds. A sum of a level must be finite as a double, and
     * no unit below the smallest double. */
    SMALLEST = -1074,
    HIGHEST = 450,
    LOWEST_NORM = SMALLEST + NORM_LEVELS * LEVEL_BITS,
    LOWEST_SQUARE = (SMALLEST + SQUARE_LEVELS * LEVEL_BITS) / 2
};

#if defined(HAVE_TARGET_CLONES)
#define CLONES __attribute__((target_clones("default", "avx2")))
#else
#define CLONES
#endif

static inline uint64_t
bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The exponent of a power of two above the limit, if the levels go so far; 0
 * for no limit. */
static int
exponent_above(double limit, int lowest)
{
    int exponent;

    if (!(limit < ldexp(1.0, HIGHEST))) {
        return HIGHEST;
    }
    frexp(limit, &exponent);
    return exponent > lowest ? exponent : lowest;
}

static void
set_levels(paulimpi__bins *bins, int first, int n, int exponent)
{
    int k;

    for (k = first; k < first + n; k++) {
        exponent -= LEVEL_BITS;
        bins->unit[k] = ldexp(1.0, exponent);
        bins->shifter[k] = ldexp(1.5, 52 + exponent);
    }
}

void
paulimpi__bins_start(paulimpi__bins *bins, double limit)
{
    int norm = exponent_above(limit, LOWEST_NORM);
    int square = exponent_above(limit, LOWEST_SQUARE);

    memset(bins, 0, sizeof *bins);
    bins->bound = ldexp(1.0, norm);
    set_levels(bins, 0, NORM_LEVELS, norm);
    set_levels(bins, NORM_LEVELS, SQUARE_LEVELS, 2 * square);
}

/* Add a number's part for one level to the sum; return what is left. */
static inline double
cut(double number, double shifter, uint64_t *sum)
{
    double shifted = number + shifter;

    *sum += bits_of(shifted);
    return number - (shifted - shifter);
}

/* Add up the parts of a block. Return 0 if every value is below the bound and
 * nothing is left of any; otherwise parts of values from the bound on are
 * wrong. */
CLONES static uint64_t
sum_block(const paulimpi__bins *bins, const double *value,
          int64_t part[LEVELS])
{
    const double s0 = bins->shifter[0], s1 = bins->shifter[1],
                 s2 = bins->shifter[2], s3 = bins->shifter[3],
                 s4 = bins->shifter[4], bound = bins->bound;
    uint64_t sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0, sum4 = 0, misfits = 0;
    int i;

    for (i = 0; i < BLOCK; i++) {
        double norm = fabs(value[i]);
        double square = norm * norm;

        misfits |= ~bits_of(norm - bound) >> 63;
        norm = cut(cut(norm, s0, &sum0), s1, &sum1);
        square = cut(cut(cut(square, s2, &sum2), s3, &sum3), s4, &sum4);
        misfits |= bits_of(norm) | bits_of(square);
    }
    part[0] = (int64_t)(sum0 - BLOCK * bits_of(s0));
    part[1] = (int64_t)(sum1 - BLOCK * bits_of(s1));
    part[2] = (int64_t)(sum2 - BLOCK * bits_of(s2));
    part[3] = (int64_t)(sum3 - BLOCK * bits_of(s3));
    part[4] = (int64_t)(sum4 - BLOCK * bits_of(s4));
    return misfits;
}

/* Add to the exact sum what n levels leave of a number. */
static void
add_rest(double number, const double *shifter, int n, paulimpi__exact *sum)
{
    int k;

    for (k = 0; k < n; k++) {
        number -= (number + shifter[k]) - shifter[k];
    }
    if (number != 0.0) {
        paulimpi__exact_add(sum, number);
    }
}

/* Bring what does not fit the levels to the exact sums; keep the rest. */
static void
add_misfits(const paulimpi__bins *bins, const double *value,
            double kept[BLOCK], paulimpi__exact *norm1,
            paulimpi__exact *square)
{
    int i;

    for (i = 0; i < BLOCK; i++) {
        double v = fabs(value[i]);

        if (v < bins->bound) {
            add_rest(v, bins->shifter, NORM_LEVELS, norm1);
            add_rest(v * v, bins->shifter + NORM_LEVELS, SQUARE_LEVELS,
                     square);
            kept[i] = v;
        } else {
            paulimpi__exact_add(norm1, v);
            paulimpi__exact_add(square, v * v);
            kept[i] = 0.0;
        }
    }
}

/* Bring the sum of a level to the exact one, in halves that are doubles. */
static void
empty_level(paulimpi__bins *bins, int level, paulimpi__exact *sum)
{
    int64_t low = (int64_t)((uint64_t)bins->sum[level] & UINT32_MAX);
    int64_t high = bins->sum[level] - low;

    paulimpi__exact_add(sum, (double)low * bins->unit[level]);
    paulimpi__exact_add(sum, (double)high * bins->unit[level]);
    bins->sum[level] = 0;
}

static void
empty_levels(paulimpi__bins *bins, paulimpi__exact *norm1,
             paulimpi__exact *square)
{
    int k;

    for (k = 0; k < LEVELS; k++) {
        empty_level(bins, k, k < NORM_LEVELS ? norm1 : square);
    }
    bins->n_blocks = 0;
}

static void
add_block(paulimpi__bins *bins, const double *value, paulimpi__exact *norm1,
          paulimpi__exact *square)
{
    int64_t part[LEVELS];
    int k;

    if (sum_block(bins, value, part) != 0) {
        double kept[BLOCK];

        add_misfits(bins, value, kept, norm1, square);
        sum_block(bins, kept, part);
    }
    for (k = 0; k < LEVELS; k++) {
        bins->sum[k] += part[k];
    }
    bins->n_blocks++;
    if (bins->n_blocks == MOST_BLOCKS) {
        empty_levels(bins, norm1, square);
    }
}

void
paulimpi__bins_add(paulimpi__bins *bins, const double *value, int64_t n,
                   paulimpi__exact *norm1, paulimpi__exact *square)
{
    while (n > 0) {
        int64_t room = BLOCK - bins->n_waiting;
        int64_t taken = n < room ? n : room;

        if (taken == BLOCK) {
            add_block(bins, value, norm1, square);
        } else {
            memcpy(bins->waiting + bins->n_waiting, value,
                   (size_t)taken * sizeof *value);
            bins->n_waiting += (int)taken;
        }
        if (bins->n_waiting == BLOCK) {
            bins->n_waiting = 0;
            add_block(bins, bins->waiting, norm1, square);
        }
        value += taken;
        n -= taken;
    }
}

void
paulimpi__bins_flush(paulimpi__bins *bins, paulimpi__exact *norm1,
                     paulimpi__exact *square)
{
    /* Zeros fill the block up; they count for nothing. */
    if (bins->n_waiting > 0) {
        memset(bins->waiting + bins->n_waiting, 0,
               (size_t)(BLOCK - bins->n_waiting) * sizeof *bins->waiting);
        bins->n_waiting = 0;
        add_block(bins, bins->waiting, norm1, square);
    }
    empty_levels(bins, norm1, square);
}
