/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Uniform and normal random numbers by seed, stream and index.
 *
 * The inverse of the normal distribution is PPND16 of algorithm AS 241
 * (M. J. Wichura, Applied Statistics 37, 477, 1988): rational approximations
 * on three intervals. It needs a logarithm, which is made here from +, -, *
 * and / in a fixed order, and a square root, which IEEE 754 defines to the
 * last bit. So the results do not depend on the mathematical library.
 */
#include "paulimpi/random.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/base.h"

enum { DEGREE = 7 };

/* Lowest power first. */
static const double centre_above[DEGREE + 1] = {
    3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
    1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
    3.3430575583588128105e4, 2.5090809287301226727e3
};
static const double centre_below[DEGREE + 1] = { 1.0,
                                                 4.2313330701600911252e1,
                                                 6.8718700749205790830e2,
                                                 5.3941960214247511077e3,
                                                 2.1213794301586595867e4,
                                                 3.9307895800092710610e4,
                                                 2.8729085735721942674e4,
                                                 5.2264952788528545610e3 };
static const double near_above[DEGREE + 1] = {
    1.42343711074968357734e0,  4.63033784615654529590e0,
    5.76949722146069140550e0,  3.64784832476320460504e0,
    1.27045825245236838258e0,  2.41780725177450611770e-1,
    2.27238449892691845833e-2, 7.74545014278341407640e-4
};
static const double near_below[DEGREE + 1] = { 1.0,
                                               2.05319162663775882187e0,
                                               1.67638483018380384940e0,
                                               6.89767334985100004550e-1,
                                               1.48103976427480074590e-1,
                                               1.51986665636164571966e-2,
                                               5.47593808499534494600e-4,
                                               1.05075007164441684324e-9 };
static const double far_above[DEGREE + 1] = {
    6.65790464350110377720e0,  5.46378491116411436990e0,
    1.78482653991729133580e0,  2.96560571828504891230e-1,
    2.65321895265761230930e-2, 1.24266094738807843860e-3,
    2.71155556874348757815e-5, 2.01033439929228813265e-7
};
static const double far_below[DEGREE + 1] = { 1.0,
                                              5.99832206555887937690e-1,
                                              1.36929880922735805310e-1,
                                              1.48753612908506148525e-2,
                                              7.86869131145613259100e-4,
                                              1.84631831751005468180e-5,
                                              1.42151175831644588870e-7,
                                              2.04426310338993978564e-15 };

static double
ratio(const double above[DEGREE + 1], const double below[DEGREE + 1], double x)
{
    double a = above[DEGREE];
    double b = below[DEGREE];
    int i;

    for (i = DEGREE - 1; i >= 0; i--) {
        a = a * x + above[i];
        b = b * x + below[i];
    }
    return a / b;
}

/* The natural logarithm of a normal double from 0 to 1: log(2^e m) with m
 * between sqrt(1/2) and sqrt(2), and log m = 2 artanh((m - 1) / (m + 1)) by
 * its series, whose next term is below 1e-18 of the first. */
static double
logarithm(double x)
{
    const double ln2_high = 0x1.62e42fee00000p-1; /* times e is exact */
    const double ln2_low = 0x1.a39ef35793c76p-33;
    const uint64_t mantissa_mask = (UINT64_C(1) << 52) - 1;
    const uint64_t exponent_of_one = UINT64_C(1023) << 52;
    uint64_t bits;
    double m, s, square;
    double series = 0.0;
    int exponent, k;

    memcpy(&bits, &x, sizeof bits);
    exponent = (int)(bits >> 52) - 1023;
    bits = (bits & mantissa_mask) | exponent_of_one;
    memcpy(&m, &bits, sizeof m);
    if (m > 0x1.6a09e667f3bcdp+0) { /* sqrt(2) */
        m *= 0.5;
        exponent++;
    }
    s = (m - 1.0) / (m + 1.0);
    square = s * s;
    for (k = 21; k >= 3; k -= 2) {
        series = (series + 1.0 / k) * square;
    }
    return exponent * ln2_high
           + (2.0 * s + (2.0 * s * series + exponent * ln2_low));
}

double
paulimpi__normal_quantile(double tail)
{
    double centre = 0.5 - tail;
    double r;

    if (centre <= 0.425) {
        return centre
               * ratio(centre_above, centre_below, 0.180625 - centre * centre);
    }
    r = sqrt(-logarithm(tail));
    return r <= 5.0 ? ratio(near_above, near_below, r - 1.6)
                    : ratio(far_above, far_below, r - 5.0);
}

/* 64 random bits that belong to an index. */
static uint64_t
draw(uint64_t seed, uint64_t stream, uint64_t index)
{
    const uint32_t key[2] = { (uint32_t)seed, (uint32_t)(seed >> 32) };
    const uint32_t counter[4] = { (uint32_t)index, (uint32_t)(index >> 32),
                                  (uint32_t)stream, (uint32_t)(stream >> 32) };
    uint32_t out[4];

    paulimpi__philox(counter, key, out);
    return (uint64_t)out[1] << 32 | out[0];
}

static double
uniform(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

/* The highest bit is the sign. The others are a probability from 0 to 1/2 in
 * steps of 2^-64, taken at half a step, so that it is never 0 and the tails
 * are fine: numbers up to 9 come. */
static double
normal(uint64_t bits)
{
    double tail = (double)(bits << 1 | 1) * 0x1p-65;
    double value = paulimpi__normal_quantile(tail);

    return bits >> 63 != 0 ? -value : value;
}

static int
fill(const char *function, double (*shape)(uint64_t), const uint64_t seed[2],
     uint64_t first, size_t n, double *value)
{
    size_t i;

    if (n == 0) {
        return PAULIMPI_SUCCESS;
    }
    if (value == NULL) {
        return paulimpi__null(function, "value");
    }
    if (first > UINT64_MAX - (n - 1)) {
        return paulimpi__error(PAULIMPI_ERR_RANGE,
                               "%s: first is %" PRIu64 " and n is %zu, but "
                               "indices end at 2^64 - 1",
                               function, first, n);
    }
    for (i = 0; i < n; i++) {
        value[i] = shape(draw(seed[0], seed[1], first + i));
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi_random_uniform(uint64_t seed, uint64_t stream, uint64_t first,
                        size_t n, double *value)
{
    return fill("paulimpi_random_uniform", uniform,
                (uint64_t[]){ seed, stream }, first, n, value);
}

int
paulimpi_random_normal(uint64_t seed, uint64_t stream, uint64_t first,
                       size_t n, double *value)
{
    return fill("paulimpi_random_normal", normal, (uint64_t[]){ seed, stream },
                first, n, value);
}
