/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Exact sums of many small values, against those of one value at a time.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "tap/tap.h"

enum { NUMBERS = 1500, ROUNDS = 12, BLOCK = PAULIMPI__BINS_BLOCK };

typedef struct {
    paulimpi__exact norm1;
    paulimpi__exact square;
} sums;

static void
clear(sums *sum)
{
    paulimpi__exact_clear(&sum->norm1);
    paulimpi__exact_clear(&sum->square);
}

static uint64_t
draw(void)
{
    static uint64_t state = 1;

    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return state ^ state >> 29;
}

/* A double with 53 bits and an exponent from lowest to lowest + n - 1. */
static double
draw_number(int lowest, int n)
{
    double mantissa = 1.0 + (double)(draw() >> 12) * 0x1p-52;
    int exponent = lowest + (int)(draw() % (uint64_t)n);

    return ldexp(draw() % 2 == 0 ? mantissa : -mantissa, exponent);
}

static void
add_plainly(sums *sum, const double *value, int n, double sign)
{
    int i;

    for (i = 0; i < n; i++) {
        paulimpi__exact_add(&sum->norm1, sign * fabs(value[i]));
        paulimpi__exact_add(&sum->square, sign * (value[i] * value[i]));
    }
}

/* Add values in batches of any size below most; flush now and then. */
static void
add_in_bins(sums *sum, double limit, const double *value, int n, int most)
{
    paulimpi__bins bins;
    int done = 0;

    paulimpi__bins_start(&bins, limit);
    while (done < n) {
        int batch = (int)(draw() % (uint64_t)most);

        batch = batch < n - done ? batch : n - done;
        paulimpi__bins_add(&bins, value + done, batch, &sum->norm1,
                           &sum->square);
        done += batch;
        if (draw() % 16 == 0) {
            paulimpi__bins_flush(&bins, &sum->norm1, &sum->square);
        }
    }
    paulimpi__bins_flush(&bins, &sum->norm1, &sum->square);
}

/* Whether the sums are the same to the last bit before rounding. */
static int
is_exact(double limit, const double *value, int n, int most)
{
    sums sum;

    clear(&sum);
    add_in_bins(&sum, limit, value, n, most);
    add_plainly(&sum, value, n, -1.0);
    return paulimpi__exact_value(&sum.norm1) == 0.0
           && paulimpi__exact_value(&sum.square) == 0.0;
}

static void
test_by_hand(void)
{
    const double value[] = { 0.25, -0.5, 0.0, -0.0 };
    paulimpi__bins bins;
    sums sum;

    clear(&sum);
    paulimpi__bins_start(&bins, 1.0);
    paulimpi__bins_flush(&bins, &sum.norm1, &sum.square);
    tap_is_bits(paulimpi__exact_value(&sum.norm1), 0.0, "nothing is 0");
    paulimpi__bins_add(&bins, NULL, 0, &sum.norm1, &sum.square);
    paulimpi__bins_add(&bins, value, 4, &sum.norm1, &sum.square);
    paulimpi__bins_flush(&bins, &sum.norm1, &sum.square);
    tap_is_bits(paulimpi__exact_value(&sum.norm1), 0.75,
                "magnitudes are added");
    tap_is_bits(paulimpi__exact_value(&sum.square), 0.3125,
                "and so are squares");
    paulimpi__bins_flush(&bins, &sum.norm1, &sum.square);
    tap_is_bits(paulimpi__exact_value(&sum.norm1), 0.75,
                "a flush leaves nothing behind");
    paulimpi__bins_add(&bins, value, 1, &sum.norm1, &sum.square);
    paulimpi__bins_flush(&bins, &sum.norm1, &sum.square);
    tap_is_bits(paulimpi__exact_value(&sum.norm1), 1.0,
                "and the next values come on top");
}

/* Numbers around the limit, far below and a few above it, of either sign, with
 * zeros and subnormals; no square overflows. */
static void
draw_values(double *value, int n, int exponent, int round)
{
    int i;

    for (i = 0; i < n; i++) {
        int kind = (int)(draw() % 64);

        value[i] = draw_number(exponent - 46, 46);
        if (round % 3 == 0 && kind < 7) {
            value[i] = kind == 0   ? draw_number(exponent, 2)
                       : kind == 1 ? draw_number(-1074, 1584)
                       : kind == 2 ? draw_number(exponent - 200, 190)
                       : kind == 3 ? ldexp(1.0, exponent)
                       : kind == 4 ? 0x0.0000000000001p-1022
                       : kind == 5 ? ldexp(1025.0, exponent - 80)
                                   : 0.0;
        } else if (round % 3 == 1) {
            value[i] = draw_number(-1074, 1584);
        }
    }
}

static void
test_all_sizes(void)
{
    static const double limit[] = { 0.0,    0x1p-1074, 1e-310,   0x1p-973,
                                    1e-290, 1e-200,    0x1p-464, 0x1p-463,
                                    1e-139, 1e-120,    1e-6,     0.5,
                                    1.0,    1e100,     0x1p449,  0x1p450,
                                    1e140,  0x1p508,   DBL_MAX,  INFINITY,
                                    NAN,    -1.0 };
    static double value[NUMBERS];
    size_t k;
    int round;

    for (k = 0; k < sizeof limit / sizeof limit[0]; k++) {
        int exponent = 0;
        int n_wrong = 0;

        if (isfinite(limit[k])) {
            frexp(limit[k], &exponent);
        }
        exponent = exponent < 508 ? exponent : 508;
        for (round = 0; round < ROUNDS; round++) {
            draw_values(value, NUMBERS, exponent, round);
            n_wrong += !is_exact(limit[k], value, NUMBERS,
                                 round % 2 == 0 ? 8 : 5 * BLOCK);
        }
        tap_is_int(n_wrong, 0, "numbers of all sizes, limit %g", limit[k]);
    }
}

static void
test_order(void)
{
    static double value[NUMBERS];
    int n_wrong = 0;
    int round, i;
    sums want, got;

    for (round = 0; round < ROUNDS; round++) {
        draw_values(value, NUMBERS, -20, round);
        clear(&want);
        add_plainly(&want, value, NUMBERS, 1.0);
        for (i = NUMBERS - 1; i > 0; i--) {
            int j = (int)(draw() % (uint64_t)(i + 1));
            double kept = value[i];

            value[i] = value[j];
            value[j] = kept;
        }
        clear(&got);
        add_in_bins(&got, 0x1p-20, value, NUMBERS, 2 + 100 * round);
        n_wrong += paulimpi__exact_value(&got.norm1)
                       != paulimpi__exact_value(&want.norm1)
                   || paulimpi__exact_value(&got.square)
                          != paulimpi__exact_value(&want.square);
    }
    tap_is_int(n_wrong, 0, "neither order nor batches matter");
}

/* One odd value among small ones. */
static void
check_odd_value(double odd, double limit, const char *fact)
{
    double value[3 * BLOCK];
    sums want, got;

    draw_values(value, 3 * BLOCK, -20, 2);
    value[BLOCK + draw() % BLOCK] = odd;
    clear(&want);
    add_plainly(&want, value, 3 * BLOCK, 1.0);
    clear(&got);
    add_in_bins(&got, limit, value, 3 * BLOCK, 3 * BLOCK);
    tap_is_bits(paulimpi__exact_value(&got.norm1),
                paulimpi__exact_value(&want.norm1), "%s: magnitudes", fact);
    tap_is_bits(paulimpi__exact_value(&got.square),
                paulimpi__exact_value(&want.square), "%s: squares", fact);
}

static void
test_odd_values(void)
{
    check_odd_value(INFINITY, 0x1p-20, "infinity");
    check_odd_value(-INFINITY, INFINITY, "infinity, no limit");
    check_odd_value(NAN, 0x1p-20, "NaN");
    check_odd_value(NAN, INFINITY, "NaN, no limit");
    check_odd_value(-DBL_MAX, 0x1p-20, "a square that overflows");
    check_odd_value(DBL_MAX, INFINITY, "a square that overflows, no limit");
    check_odd_value(DBL_MIN, 0x1p-20, "a square that underflows");
}

/* Whether many equal pairs of values add up, without a flush between them. */
static int
adds_up(double limit, double even, double odd)
{
    static double value[3 << 12];
    const int n = 3 << 12;
    paulimpi__bins bins;
    sums sum;
    int i;

    for (i = 0; i < n; i += 2) {
        value[i] = even;
        value[i + 1] = odd;
    }
    clear(&sum);
    add_plainly(&sum, value, n, -1.0);
    paulimpi__bins_start(&bins, limit);
    paulimpi__bins_add(&bins, value, n, &sum.norm1, &sum.square);
    paulimpi__bins_flush(&bins, &sum.norm1, &sum.square);
    return paulimpi__exact_value(&sum.norm1) == 0.0
           && paulimpi__exact_value(&sum.square) == 0.0;
}

static void
test_many(void)
{
    const double below_1 = 0x1.fffffffffffffp-1;

    tap_ok(adds_up(0.75, below_1, below_1),
           "more of the largest values than a level can hold");
    tap_ok(adds_up(0.75, 0x1.ffffffffffff7p-4, 0x1.ffffffffffff7p-4),
           "also with parts below zero");
    tap_ok(adds_up(INFINITY, 0x1.fffffffffffffp449, 0x1.fffp507),
           "and if the sum of squares is more than a double");
}

/* Values from the limit down to 2^-47 of it leave the exact sums alone. */
static void
test_fast(void)
{
    static const int exponent[] = { -480, -400, -20, 0, 100, 448 };
    int n_slow = 0;
    size_t k;
    int i;

    for (k = 0; k < sizeof exponent / sizeof exponent[0]; k++) {
        double value[10 * BLOCK];
        paulimpi__bins bins;
        sums sum;

        clear(&sum);
        for (i = 0; i < 10 * BLOCK; i++) {
            value[i] = draw_number(exponent[k] - 47, 47);
        }
        value[0] = ldexp(0x1.fffffffffffffp0, exponent[k] - 47);
        value[1] = ldexp(0x1.fffffffffffffp0, exponent[k] - 1);
        value[2] = 0.0;
        paulimpi__bins_start(&bins, ldexp(1.0, exponent[k]));
        paulimpi__bins_add(&bins, value, 10 * BLOCK, &sum.norm1, &sum.square);
        n_slow += sum.norm1.pending + sum.square.pending != 0;
    }
    tap_is_int(n_slow, 0, "values down to 2^-47 of the limit are fast");
}

int
main(void)
{
    test_by_hand();
    test_all_sizes();
    test_order();
    test_odd_values();
    test_many();
    test_fast();
    return tap_done();
}
