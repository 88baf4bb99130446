/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Exact sums of doubles.
 *
 * The sum is an integer times 2^-1074, the smallest double. Its limbs hold 32
 * bits each in a signed word of 64, so that carries can wait: an addition
 * touches three neighbouring limbs and nothing else.
 */
#include "base/base.h"

#include <math.h>
#include <string.h>

enum {
    LIMBS = PAULIMPI__EXACT_LIMBS,
    MANTISSA_BITS = 52,
    EXPONENT_ALL_ONES = 0x7ff,

    /* One addition changes a limb by less than 2^33, so this many, on a limb
     * of 32 bits, stay below 2^63. */
    MOST_PENDING = 1 << 29
};

#define LIMB_MASK UINT64_C(0xffffffff)

void
paulimpi__exact_clear(paulimpi__exact *sum)
{
    memset(sum, 0, sizeof *sum);
}

/* Bring every limb but the highest, which keeps the sign, to 0 .. 2^32 - 1. */
static void
carry(paulimpi__exact *sum)
{
    int64_t up = 0;
    int i;

    for (i = 0; i < LIMBS - 1; i++) {
        int64_t limb = sum->limb[i] + up;
        int64_t low = (int64_t)((uint64_t)limb & LIMB_MASK);

        up = (limb - low) / (INT64_C(1) << 32);
        sum->limb[i] = low;
    }
    sum->limb[LIMBS - 1] += up;
    sum->pending = 0;
}

void
paulimpi__exact_add(paulimpi__exact *sum, double value)
{
    uint64_t bits, mantissa, low, high;
    int64_t sign;
    int exponent, shift;
    int64_t *limb;

    memcpy(&bits, &value, sizeof bits);
    exponent = (int)(bits >> MANTISSA_BITS) & EXPONENT_ALL_ONES;
    mantissa = bits & ((UINT64_C(1) << MANTISSA_BITS) - 1);
    if (exponent == EXPONENT_ALL_ONES) {
        sum->special += value;
        return;
    }

    /* Numbers without the hidden bit have the exponent of those with it. */
    mantissa |= (uint64_t)(exponent != 0) << MANTISSA_BITS;
    shift = exponent - (exponent != 0);
    sign = -(int64_t)(bits >> 63);

    if (sum->pending == MOST_PENDING) {
        carry(sum);
    }
    sum->pending++;

    low = (mantissa & LIMB_MASK) << (shift & 31);
    high = (mantissa >> 32) << (shift & 31);
    limb = sum->limb + (shift >> 5);
    limb[0] += ((int64_t)(low & LIMB_MASK) ^ sign) - sign;
    limb[1] += ((int64_t)((low >> 32) + (high & LIMB_MASK)) ^ sign) - sign;
    limb[2] += ((int64_t)(high >> 32) ^ sign) - sign;
}

void
paulimpi__exact_merge(paulimpi__exact *sum, const paulimpi__exact *other)
{
    paulimpi__exact carried = *other;
    int i;

    carry(&carried);
    carry(sum);
    for (i = 0; i < LIMBS; i++) {
        sum->limb[i] += carried.limb[i];
    }
    sum->special += carried.special;
    sum->pending = 1;
}

/* Make a carried sum its own magnitude; return whether it was negative. */
static int
take_sign(paulimpi__exact *sum)
{
    int i;

    if (sum->limb[LIMBS - 1] >= 0) {
        return 0;
    }
    for (i = 0; i < LIMBS; i++) {
        sum->limb[i] = -sum->limb[i];
    }
    carry(sum);
    return 1;
}

/* 32 bits from bit first on; those beyond either end are 0. */
static uint64_t
bits_from(const paulimpi__exact *sum, int first)
{
    int i = first >> 5;
    uint64_t low = (uint64_t)sum->limb[i];
    uint64_t high = i + 1 < LIMBS ? (uint64_t)sum->limb[i + 1] : 0;

    return ((high << 32 | low) >> (first & 31)) & LIMB_MASK;
}

/* Whether a bit below end is set. */
static int
any_below(const paulimpi__exact *sum, int end)
{
    int i;

    for (i = 0; i < end >> 5; i++) {
        if (sum->limb[i] != 0) {
            return 1;
        }
    }
    return (end & 31) != 0
           && ((uint64_t)sum->limb[i] & ((UINT64_C(1) << (end & 31)) - 1))
                  != 0;
}

/* The number of bits of a magnitude. */
static int
bit_length(const paulimpi__exact *sum)
{
    int i = LIMBS - 1;

    while (i >= 0 && sum->limb[i] == 0) {
        i--;
    }
    return i < 0 ? 0 : 32 * i + 64 - __builtin_clzll((uint64_t)sum->limb[i]);
}

/* The double nearest to a magnitude, ties to even, as bits. A magnitude of up
 * to 53 bits is its own pattern. Above, the pattern is the first 53 bits, with
 * the hidden one adding 1 to the exponent, as rounding up may do again. */
static uint64_t
round_magnitude(const paulimpi__exact *sum)
{
    const uint64_t infinity = (uint64_t)EXPONENT_ALL_ONES << MANTISSA_BITS;
    int shift = bit_length(sum) - (MANTISSA_BITS + 1);
    uint64_t bits;

    if (shift <= 0) {
        return bits_from(sum, 32) << 32 | bits_from(sum, 0);
    }
    bits = bits_from(sum, shift + 32) << 32 | bits_from(sum, shift);
    if ((bits_from(sum, shift - 1) & 1) != 0
        && ((bits & 1) != 0 || any_below(sum, shift - 1))) {
        bits++;
    }
    bits += (uint64_t)shift << MANTISSA_BITS;
    return bits < infinity ? bits : infinity;
}

double
paulimpi__exact_value(const paulimpi__exact *sum)
{
    paulimpi__exact magnitude = *sum;
    uint64_t bits;
    double value;

    if (sum->special != 0.0) {
        /* One NaN for all: which one an addition gives depends on the order
         * of the operands. */
        return isnan(sum->special) ? (double)NAN : sum->special;
    }
    carry(&magnitude);
    bits = (uint64_t)take_sign(&magnitude) << 63;
    bits |= round_magnitude(&magnitude);
    memcpy(&value, &bits, sizeof value);
    return value;
}
