/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Exact sums.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "tap/tap.h"

__extension__ typedef __int128 wide;

enum { ROUNDS = 300, NUMBERS = 200 };

static uint64_t
draw(void)
{
    static uint64_t state = 1;

    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return state ^ state >> 29;
}

static double
sum_of(const double *value, int n)
{
    paulimpi__exact sum;
    int i;

    paulimpi__exact_clear(&sum);
    for (i = 0; i < n; i++) {
        paulimpi__exact_add(&sum, value[i]);
    }
    return paulimpi__exact_value(&sum);
}

#define SUM(...)                                                              \
    sum_of((const double[]){ __VA_ARGS__ },                                   \
           (int)(sizeof(double[]){ __VA_ARGS__ } / sizeof(double)))

static void
test_by_hand(void)
{
    const double ulp = 0x1p-52;

    tap_is_bits(sum_of(NULL, 0), 0.0, "no numbers: 0");
    tap_is_bits(SUM(-0.0), 0.0, "-0 counts as 0");
    tap_is_bits(SUM(0.1), 0.1, "one number is itself");
    tap_is_bits(SUM(-0.1), -0.1, "also a negative one");
    tap_is_bits(SUM(0.1, 0.2, 0.3, -0.3, -0.2, -0.1), 0.0,
                "what cancels is +0");
    tap_is_bits(SUM(1e300, 1.0, -1e300), 1.0, "huge numbers cancel");
    tap_is_bits(SUM(1e300, 0x1p-1074, -1e300), 0x1p-1074,
                "beside the smallest");
    tap_is_bits(SUM(-1e300, -1.0, 1e300), -1.0, "with the other sign too");

    tap_is_bits(SUM(1.0, ulp / 2), 1.0, "a tie goes to even");
    tap_is_bits(SUM(1.0 + ulp, ulp / 2), 1.0 + 2 * ulp, "up as well as down");
    tap_is_bits(SUM(1.0, ulp / 2, 0x1p-1074), 1.0 + ulp,
                "the smallest number decides a tie");
    tap_is_bits(SUM(1.0, ulp / 2, -0x1p-1074), 1.0, "both ways");
    tap_is_bits(SUM(-1.0, -ulp / 2, -0x1p-1074), -1.0 - ulp, "and below zero");
    tap_is_bits(SUM(2.0 - ulp, ulp / 2), 2.0, "rounding up may carry");
    tap_is_bits(SUM(0x1p53, 1.0, 1.0), 0x1p53 + 2.0,
                "two halves of a step are not lost");
}

static void
test_small(void)
{
    tap_is_bits(SUM(0x1p-1074, 0x1p-1074), 0x1p-1073, "subnormals add");
    tap_is_bits(SUM(0x1p-1022, -0x1p-1074), 0x1.ffffffffffffep-1023,
                "from normal to subnormal");
    tap_is_bits(SUM(0x1.ffffffffffffep-1023, 0x1p-1074), 0x1p-1022,
                "and back");
    tap_is_bits(SUM(0x1p-1021, 0x1p-1074), 0x1p-1021,
                "54 bits: a tie among the smallest");
    tap_is_bits(SUM(0x1p-1021, 0x1p-1074, 0x1p-1074, 0x1p-1074),
                0x1.0000000000002p-1021, "which rounds up as it should");
    tap_is_bits(SUM(-0x1p-1074), -0x1p-1074, "the smallest negative number");
}

static void
test_large(void)
{
    const double half_step = 0x1p970; /* half the last place of DBL_MAX */

    tap_is_bits(SUM(DBL_MAX, DBL_MAX), INFINITY, "too much is infinite");
    tap_is_bits(SUM(-DBL_MAX, -DBL_MAX), -INFINITY, "on either side");
    tap_is_bits(SUM(DBL_MAX, DBL_MAX, -DBL_MAX), DBL_MAX,
                "but not on the way");
    tap_is_bits(SUM(DBL_MAX, half_step), INFINITY,
                "half a step above the largest rounds to infinity");
    tap_is_bits(SUM(DBL_MAX, half_step, -0x1p-1074), DBL_MAX,
                "a little less does not");

    tap_is_bits(SUM(1.0, INFINITY, -DBL_MAX), INFINITY, "infinity wins");
    tap_is_bits(SUM(-INFINITY, 1.0, -INFINITY), -INFINITY,
                "twice the same is the same");
    tap_is_bits(SUM(INFINITY, -INFINITY, 1.0), NAN,
                "both infinities are no number");
    tap_is_bits(SUM(NAN, 1.0), NAN, "NaN wins");
    tap_is_bits(SUM(-INFINITY, NAN, INFINITY), NAN, "over infinities too");
    tap_ok(!signbit(SUM(INFINITY, -INFINITY)) && !signbit(SUM(-(double)NAN)),
           "there is one NaN");
}

/* Sums that fit 128 bits, at all heights from the smallest double up, against
 * the compiler's arithmetic and rounding. */
static void
test_against_integers(void)
{
    int n_wrong = 0;
    int round, i;

    for (round = 0; round < ROUNDS; round++) {
        int height = -1074 + round * 6; /* up to 720 */
        double value[NUMBERS];
        wide sum = 0;

        for (i = 0; i < NUMBERS; i++) {
            int64_t mantissa = (int64_t)(draw() >> 11);
            int shift = (int)(draw() % 64);

            mantissa = draw() % 2 == 0 ? mantissa : -mantissa;
            value[i] = ldexp((double)mantissa, height + shift);
            sum += (wide)mantissa * ((wide)1 << shift);
        }
        /* A sum of 53 bits or less is exact, one of more is normal: it is
         * rounded once, by the conversion. */
        n_wrong += sum_of(value, NUMBERS) != ldexp((double)sum, height);
    }
    tap_is_int(n_wrong, 0, "300 sums agree with integers of 128 bits");
}

/* Doubles of any size, but finite. */
static double
draw_any(void)
{
    uint64_t bits;
    double value;

    do {
        bits = draw();
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return value;
}

static void
shuffle(double *value, int n)
{
    int i;

    for (i = n - 1; i > 0; i--) {
        int j = (int)(draw() % (uint64_t)(i + 1));
        double kept = value[i];

        value[i] = value[j];
        value[j] = kept;
    }
}

static void
test_order(void)
{
    int n_wrong = 0;
    int n_left = 0;
    int round, i, cut;

    for (round = 0; round < ROUNDS; round++) {
        double value[2 * NUMBERS];
        paulimpi__exact left, right;
        double want;

        /* Half of the rounds cancel but for two numbers. */
        for (i = 0; i < NUMBERS; i++) {
            value[i] = draw_any();
            value[NUMBERS + i] =
                round % 2 == 0 || i < 2 ? draw_any() : -value[i];
        }
        want = sum_of(value, 2 * NUMBERS);
        n_left += want != 0.0;
        shuffle(value, 2 * NUMBERS);
        n_wrong += sum_of(value, 2 * NUMBERS) != want;

        cut = (int)(draw() % (2 * NUMBERS + 1));
        paulimpi__exact_clear(&left);
        paulimpi__exact_clear(&right);
        for (i = 0; i < 2 * NUMBERS; i++) {
            paulimpi__exact_add(i < cut ? &left : &right, value[i]);
        }
        paulimpi__exact_merge(&left, &right);
        n_wrong += paulimpi__exact_value(&left) != want;
    }
    tap_is_int(n_wrong, 0, "neither order nor grouping matters");
    tap_is_int(n_left, ROUNDS, "and something was left to compare");
}

/* A sum as it is after n additions of one number. */
static paulimpi__exact
repeated(double value, int64_t n)
{
    paulimpi__exact sum;
    int i;

    paulimpi__exact_clear(&sum);
    paulimpi__exact_add(&sum, value);
    for (i = 0; i < PAULIMPI__EXACT_LIMBS; i++) {
        sum.limb[i] *= n;
    }
    sum.pending = n;
    return sum;
}

static void
test_carries(void)
{
    static const double sample[] = { DBL_MAX,
                                     -DBL_MAX,
                                     0x1.fffffffffffffp-1,
                                     -0x1.fffffffffffffp20,
                                     0x0.fffffffffffffp-1022,
                                     1.0 / 3 };
    const int64_t many = (INT64_C(1) << 29) - 2;
    int n_wrong = 0;
    size_t i;
    int k;

    for (i = 0; i < sizeof sample / sizeof sample[0]; i++) {
        paulimpi__exact sum = repeated(sample[i], many);
        paulimpi__exact twice = sum;

        for (k = 0; k < 6; k++) {
            paulimpi__exact_add(&sum, sample[i]);
        }
        n_wrong +=
            paulimpi__exact_value(&sum) != (double)(many + 6) * sample[i];

        paulimpi__exact_merge(&twice, &sum);
        paulimpi__exact_merge(&twice, &sum);
        paulimpi__exact_add(&twice, sample[i]);
        n_wrong += paulimpi__exact_value(&twice)
                   != (double)(3 * many + 13) * sample[i];
    }
    tap_is_int(n_wrong, 0, "2^29 additions and more do not overflow a limb");
}

static void
test_merge_special(void)
{
    paulimpi__exact a, b;

    paulimpi__exact_clear(&a);
    paulimpi__exact_clear(&b);
    paulimpi__exact_merge(&a, &b);
    tap_is_bits(paulimpi__exact_value(&a), 0.0, "nothing and nothing is 0");
    paulimpi__exact_add(&a, 1.0);
    paulimpi__exact_add(&b, INFINITY);
    paulimpi__exact_merge(&a, &b);
    tap_is_bits(paulimpi__exact_value(&a), INFINITY,
                "infinity comes with a merged sum");
    paulimpi__exact_clear(&b);
    paulimpi__exact_add(&b, -INFINITY);
    paulimpi__exact_merge(&a, &b);
    tap_is_bits(paulimpi__exact_value(&a), NAN, "and meets the other one");
}

int
main(void)
{
    test_by_hand();
    test_small();
    test_large();
    test_against_integers();
    test_order();
    test_carries();
    test_merge_special();
    return tap_done();
}
