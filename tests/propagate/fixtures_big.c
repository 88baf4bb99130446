/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The long ones of the reproduced and published values; part of
 * `make check-big`.
 */
#include <math.h>
#include <stdlib.h>

#include "propagate/models.h"
#include "propagate/support.h"

static const double pi = 3.14159265358979323846;
static paulimpi_context *ctx;

static paulimpi_circuit *
kicked_ising(double theta_h, int steps)
{
    script *s = model_kicked_ising(theta_h, steps);
    paulimpi_circuit *circuit = make_circuit(s);

    script_destroy(s);
    return circuit;
}

static void
test_by_eps(double min_abs, int64_t terms, int64_t peak, double value)
{
    paulimpi_propagation_options options = options_eps(min_abs);
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_circuit *circuit = kicked_ising(5 * pi / 16, 5);
    paulimpi_sum *sum = make_sum(ctx, 127, "Z62");

    propagate(sum, circuit, &options, &report);
    tap_is_int(report.terms, terms, "kicked Ising, eps %g: terms", min_abs);
    tap_is_int(report.peak_terms, peak, "peak terms");
    tap_is_near(value_in(sum, "0"), value, 5e-13, "value");
    paulimpi_circuit_destroy(&circuit);
    paulimpi_sum_destroy(&sum);
}

static void
test_weight_cut(void)
{
    paulimpi_propagation_options options = options_eps(1e-4);
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_circuit *circuit = kicked_ising(pi / 4, 20);
    paulimpi_sum *sum = make_sum(ctx, 127, "Z62");

    options.truncation.max_weight = 8;
    propagate(sum, circuit, &options, &report);
    tap_is_int(report.terms, 24136, "kicked Ising, weight 8: terms");
    tap_is_int(report.peak_terms, 53130, "peak terms");
    tap_is_near(value_in(sum, "0"), 0.2613396760532209, 1e-14, "value");
    paulimpi_circuit_destroy(&circuit);
    paulimpi_sum_destroy(&sum);
}

/* A published value, from the sum of a text, or the average Z. */
static void
test_published(const char *figure, int k, int steps, const char *text,
               double min_abs, double low, double high)
{
    paulimpi_propagation_options options = options_eps(min_abs);
    paulimpi_circuit *circuit = kicked_ising(k * pi / 32, steps);
    paulimpi_sum *sum =
        text == NULL ? make_letters(ctx, 127, 'Z') : make_sum(ctx, 127, text);
    double value;

    propagate(sum, circuit, &options, NULL);
    value = value_in(sum, "0") / (text == NULL ? 127 : 1);
    tap_ok(value >= low && value <= high,
           "published: figure %s, theta_h %d pi/32: %.9f", figure, k, value);
    paulimpi_circuit_destroy(&circuit);
    paulimpi_sum_destroy(&sum);
}

#define FIGURE_4B "X13 X29 X31 Y9 Y30 Z8 Z12 Z17 Z28 Z32"
#define NEAR(value, tolerance) (value) - (tolerance), (value) + (tolerance)

static void
test_lattices(void)
{
    static const int64_t b_terms[] = { 120,   430,   832,    1767,
                                       3507,  6469,  11892,  20924,
                                       36784, 62461, 103654, 167490 };
    static const int64_t c_terms[] = { 4,    334,   855,   2153,  4754,
                                       9665, 19883, 38032, 70743, 127503 };
    paulimpi_propagation_options b_options = options_eps(1e-6);
    paulimpi_propagation_options c_options = options_eps(0x1p-20);
    script *b = model_lattice_b(6);
    script *c = model_lattice_c();
    paulimpi_sum *b_sum = make_sum(ctx, 36, "Z20 Z21");
    paulimpi_sum *c_sum = make_sum(ctx, 36, "Z20 Z21");
    int step;

    for (step = 1; step <= 12; step++) {
        propagate_script(b_sum, b, &b_options, NULL);
        tap_is_int(paulimpi_sum_terms(b_sum), b_terms[step - 1],
                   "lattice B, step %d", step);
    }
    for (step = 1; step <= 10; step++) {
        propagate_script(c_sum, c, &c_options, NULL);
        tap_is_int(paulimpi_sum_terms(c_sum), c_terms[step - 1],
                   "lattice C, layer %d", step);
    }
    paulimpi_sum_destroy(&b_sum);
    paulimpi_sum_destroy(&c_sum);
    script_destroy(b);
    script_destroy(c);
}

static void
test_long_chain(int64_t n)
{
    paulimpi_propagation_options options = options_eps(1e-6);
    paulimpi_sum *sum = make_letters(ctx, n, 'Z');
    script *s = model_chain_d(n);
    int64_t more = (n - 16) / 8;
    int step;

    for (step = 0; step < 10; step++) {
        propagate_script(sum, s, &options, NULL);
    }
    tap_is_int(paulimpi_sum_terms(sum), 19529 + more * 14824,
               "chain D of %d: 14,824 more terms for 8 more sites", (int)n);
    tap_is_near(value_in(sum, "0"),
                4.604444042273254 + (double)more * 2.71554108921642, 1e-11,
                "and as much more value");
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

/* A product trace of more than 2^20 terms against a slow loop. */
static void
test_large_overlap(void)
{
    dice d = { 51 };
    paulimpi_sum *a = make_random_sum(ctx, 64, 1300000, 0, 64, 20, &d, NULL);
    paulimpi_sum *b;
    paulimpi_sum_position place = { 0, 0 };
    double coefficient, value;
    double slow = 0;

    check(paulimpi_sum_copy(a, &b));
    check(paulimpi_sum_scale(b, -0.5));
    check(paulimpi_sum_overlap(a, b, &value));
    while (paulimpi_sum_next(a, &place, NULL, NULL, &coefficient) == 1) {
        slow -= 0.5 * coefficient * coefficient;
    }
    tap_ok(paulimpi_sum_terms(a) > 1 << 20, "more than 2^20 terms");
    tap_is_near(value, slow, 1e-9 * fabs(slow), "no summand is lost");
    paulimpi_sum_destroy(&a);
    paulimpi_sum_destroy(&b);
}

int
main(void)
{
    ctx = make_context(PAULIMPI_AUTOMATIC);
    test_by_eps(0x1p-10, 72352, 79029, 0.239287701518);
    test_by_eps(0x1p-12, 637219, 637219, 0.235570091821);
    test_weight_cut();
    test_published("4a", 4, 5, NULL, 1e-3, NEAR(0.9048427074671951, 2e-3));
    test_published("4a", 8, 5, NULL, 1e-3, NEAR(0.45280386917341503, 2e-3));
    test_published("4b", 4, 5, FIGURE_4B, 1e-5,
                   NEAR(-0.007714801813112025, 2e-3));
    test_published("4b", 8, 5, FIGURE_4B, 7e-5,
                   NEAR(-0.012840895482336079, 2e-3));
    test_published("5b", 1, 20, "Z62", 1e-4, 0.995585 - 5e-5, 0.99597 + 5e-5);
    test_lattices();
    test_long_chain(24);
    test_long_chain(64);
    test_large_overlap();
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
