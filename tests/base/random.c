/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random numbers.
 */
#include "paulimpi/random.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "tap/tap.h"

enum { MANY = 200000 };

static double sample[MANY];

/* The vectors that the authors of Philox publish. */
static void
test_known_answers(void)
{
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {
        { { 0, 0, 0, 0 },
          { 0, 0 },
          { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
        { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
          { 0xffffffff, 0xffffffff },
          { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
        { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
          { 0xa4093822, 0x299f31d0 },
          { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
    };
    uint32_t out[4];
    size_t i;

    for (i = 0; i < sizeof known / sizeof known[0]; i++) {
        paulimpi__philox(known[i].counter, known[i].key, out);
        tap_ok(memcmp(out, known[i].out, sizeof out) == 0,
               "Philox4x32-10, known answer %zu", i + 1);
    }
}

static void
test_layout(void)
{
    const uint32_t counter[4] = { 7, 1, 5, 2 };
    const uint32_t key[2] = { 11, 3 };
    uint32_t out[4];
    double value;

    paulimpi__philox(counter, key, out);
    paulimpi_random_uniform(UINT64_C(3) << 32 | 11, UINT64_C(2) << 32 | 5,
                            UINT64_C(1) << 32 | 7, 1, &value);
    tap_is_bits(value,
                (double)(((uint64_t)out[1] << 32 | out[0]) >> 11) * 0x1p-53,
                "the key is the seed, the counter is index and stream");
}

/* What this library has always given; another compiler or machine must too. */
static void
test_pinned(void)
{
    static const double uniform[4] = { 0x1.98fbfd3f7822ep-2,
                                       0x1.99aae1eebe654p-3,
                                       0x1.58a253fc9c242p-1,
                                       0x1.238b03a91932fp-1 };
    static const double normal[6] = {
        0x1.050575a865c12p-2,  0x1.aed98bd02a60ap-1,  -0x1.e2450bb1e0e7ep-1,
        -0x1.7ae975c13c8bcp+0, -0x1.4958054185838p+1, -0x1.0bfce6b398aap+0
    };
    double value[6];
    uint64_t hash = 0;
    uint64_t bits;
    int i;

    paulimpi_random_uniform(1, 2, 3, 4, value);
    for (i = 0; i < 4; i++) {
        tap_is_bits(value[i], uniform[i], "pinned uniform number %d", i);
    }
    paulimpi_random_normal(1, 2, 3, 6, value);
    for (i = 0; i < 6; i++) {
        tap_is_bits(value[i], normal[i], "pinned normal number %d", i);
    }
    paulimpi_random_normal(42, 0, 0, MANY, sample);
    for (i = 0; i < MANY; i++) {
        memcpy(&bits, &sample[i], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 31;
    }
    tap_ok(hash == UINT64_C(0xa2b6a0ca3a905c68),
           "200,000 normal numbers have the pinned bits");
    tap_is_bits(paulimpi__normal_quantile(0x1p-37), 0x1.b025b0b56a3a8p+2,
                "a number so far out does not come often: pinned");
    tap_is_bits(paulimpi__normal_quantile(0x1p-65), 0x1.24f82aa55eb15p+3,
                "the number that is furthest out: pinned");
}

static void
test_pieces(void)
{
    static double piece[MANY];
    size_t first = 0;
    size_t n = 1;

    paulimpi_random_normal(9, 4, 1000, 5000, sample);
    while (first < 5000) {
        size_t length = first + n <= 5000 ? n : 5000 - first;

        paulimpi_random_normal(9, 4, 1000 + first, length, piece + first);
        first += length;
        n = n * 2 + 1;
    }
    tap_ok(memcmp(sample, piece, 5000 * sizeof *piece) == 0,
           "pieces of any size give the same bits");
    paulimpi_random_normal(9, 5, 1000, 5000, piece);
    tap_ok(memcmp(sample, piece, 5000 * sizeof *piece) != 0,
           "another stream gives others");
    paulimpi_random_normal(10, 4, 1000, 5000, piece);
    tap_ok(memcmp(sample, piece, 5000 * sizeof *piece) != 0,
           "another seed too");
}

/* The mean of the k-th power of the sample. */
static double
moment(int k)
{
    double sum = 0.0;
    int i;

    for (i = 0; i < MANY; i++) {
        sum += pow(sample[i], k);
    }
    return sum / MANY;
}

/* Each within five standard deviations of its mean. */
static void
test_moments(void)
{
    const double root = sqrt((double)MANY);
    int is_inside = 1;
    int i;

    paulimpi_random_uniform(7, 0, 0, MANY, sample);
    for (i = 0; i < MANY; i++) {
        is_inside &= sample[i] >= 0.0 && sample[i] < 1.0
                     && sample[i] * 0x1p53 == floor(sample[i] * 0x1p53);
    }
    tap_ok(is_inside, "uniform numbers are multiples of 2^-53 in [0, 1)");
    tap_is_near(moment(1), 0.5, 5 * 0.29 / root, "uniform: mean 1/2");
    tap_is_near(moment(2), 1.0 / 3, 5 * 0.3 / root, "uniform: square 1/3");

    paulimpi_random_normal(7, 1, 0, MANY, sample);
    tap_is_near(moment(1), 0.0, 5 / root, "normal: mean 0");
    tap_is_near(moment(2), 1.0, 5 * sqrt(2.0) / root, "normal: variance 1");
    tap_is_near(moment(3), 0.0, 5 * sqrt(15.0) / root, "normal: not skewed");
    tap_is_near(moment(4), 3.0, 5 * sqrt(96.0) / root,
                "normal: fourth moment 3");
}

/* A relative error d of the quantile z changes the tail by z density(z) d, so
 * the tail that erfc gives tells the error of z. */
static double
quantile_error(double tail)
{
    double z = paulimpi__normal_quantile(tail);
    double density = exp(-z * z / 2) / sqrt(2 * acos(-1.0));

    return fabs(0.5 * erfc(z / sqrt(2.0)) - tail) / (density * z);
}

static void
test_inverse(void)
{
    double worst = 0.0;
    double tail, error;

    for (tail = 0x1p-65; tail < 0.4; tail *= 1.0037) {
        error = quantile_error(tail);
        worst = error > worst ? error : worst;
    }
    tap_ok(worst < 1e-13, "the inverse agrees with erfc to 1e-13: %.2g",
           worst);

    /* Near 1/2 the distance from it is what counts: z = x sqrt(2 pi)
     * (1 + pi x^2 / 3 + ...). */
    for (error = 0x1p-50; error < 1e-8; error *= 3) {
        double want = error * sqrt(2 * acos(-1.0));

        worst = fmax(worst,
                     fabs(paulimpi__normal_quantile(0.5 - error) / want - 1));
    }
    tap_ok(worst < 1e-13, "and close to the middle: %.2g", worst);
    tap_ok(paulimpi__normal_quantile(0.5) == 0.0, "the middle is 0");
    tap_is_near(paulimpi__normal_quantile(0.025), 1.959963984540054, 4e-15,
                "2.5%% lie above 1.95996398454005");
}

static void
test_refusals(void)
{
    double value = 3.0;

    tap_is_status(paulimpi_random_uniform(1, 1, 1, 0, NULL), PAULIMPI_SUCCESS,
                  "no numbers need no place");
    tap_is_status(paulimpi_random_uniform(1, 1, 1, 1, NULL),
                  PAULIMPI_ERR_ARGUMENT, "a number needs one");
    tap_contains(paulimpi_last_error(), "paulimpi_random_uniform: value",
                 "the sentence names function and argument");
    tap_is_status(paulimpi_random_normal(1, 1, 1, 1, NULL),
                  PAULIMPI_ERR_ARGUMENT, "also a normal one");
    tap_is_status(paulimpi_random_normal(1, 1, UINT64_MAX, 1, &value),
                  PAULIMPI_SUCCESS, "the last index can be used");
    value = 3.0;
    tap_is_status(paulimpi_random_normal(1, 1, UINT64_MAX, 2, &value),
                  PAULIMPI_ERR_RANGE, "none behind it can");
    tap_is_status(paulimpi_random_uniform(1, 1, 2, SIZE_MAX, &value),
                  PAULIMPI_ERR_RANGE, "however many there are");
    tap_ok(value == 3.0, "and nothing is written");
}

int
main(void)
{
    test_known_answers();
    test_layout();
    test_pinned();
    test_pieces();
    test_moments();
    test_inverse();
    test_refusals();
    return tap_done();
}
