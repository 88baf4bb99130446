/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kicked Ising experiment on 127 qubits (Kim et al., Nature 618, 500,
 * 2023): counts and values that other programs have reproduced, and published
 * values (Begusic, Gray, Chan, Science Advances 10, 2024).
 */
#include <math.h>
#include <string.h>

#include "propagate/models.h"
#include "propagate/support.h"

static const double pi = 3.14159265358979323846;
static paulimpi_context *ctx;

static paulimpi_circuit *
kicked_ising(double theta_h, int steps)
{
    int64_t edges[2 * PAULIMPI_HEAVY_HEX_127_EDGES];
    paulimpi_circuit *circuit;

    check(paulimpi_heavy_hex_127(edges));
    check(paulimpi_circuit_create(127, &circuit));
    check(paulimpi_circuit_kicked_ising(circuit, PAULIMPI_HEAVY_HEX_127_EDGES,
                                        edges, steps, theta_h, -pi / 2));
    return circuit;
}

static void
test_lattice(void)
{
    int64_t got[PAULIMPI_HEAVY_HEX_127_EDGES][2];
    int64_t want[HEAVY_HEX_EDGES][2];

    check(paulimpi_heavy_hex_127(got[0]));
    model_heavy_hex(want);
    tap_ok(memcmp(got, want, sizeof want) == 0,
           "the heavy-hex lattice has its 144 edges, in ascending order");
}

static void
test_builder(void)
{
    paulimpi_propagation_options options = options_eps(0x1p-5);
    paulimpi_circuit *circuit = kicked_ising(0.4, 2);
    script *s = model_kicked_ising(0.4, 2);
    paulimpi_sum *a = make_sum(ctx, 127, "Z62");
    paulimpi_sum *b = make_sum(ctx, 127, "Z62");

    tap_is_int(paulimpi_circuit_gates(circuit), 542, "a step has 271 gates");
    propagate(a, circuit, &options, NULL);
    propagate_script(b, s, &options, NULL);
    tap_ok(same_bits(a, b), "the builder makes them in the order stated");
    paulimpi_circuit_destroy(&circuit);
    script_destroy(s);
    paulimpi_sum_destroy(&a);
    paulimpi_sum_destroy(&b);
}

static void
test_by_eps(double min_abs, int64_t terms, int64_t peak, double value)
{
    paulimpi_propagation_options options = options_eps(min_abs);
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_circuit *circuit = kicked_ising(5 * pi / 16, 5);
    paulimpi_sum *sum = make_sum(ctx, 127, "Z62");

    propagate(sum, circuit, &options, &report);
    tap_is_int(report.terms, terms, "5 steps, eps %g: terms", min_abs);
    tap_is_int(report.peak_terms, peak, "peak terms");
    tap_is_near(value_in(sum, "0"), value, 5e-13, "value");
    paulimpi_circuit_destroy(&circuit);
    paulimpi_sum_destroy(&sum);
}

static void
test_exact_steps(void)
{
    static const struct {
        int64_t terms;
        double value;
        double average;
    } rows[] = { { 2, 0.707106781187, 0.707106781187 },
                 { 10, 0.5, 0.675196850394 },
                 { 48, 0.530330085890, 0.537811776734 } };
    paulimpi_propagation_options options = options_eps(1e-13);
    paulimpi_circuit *circuit = kicked_ising(pi / 4, 1);
    paulimpi_sum *one = make_sum(ctx, 127, "Z62");
    paulimpi_sum *all = make_letters(ctx, 127, 'Z');
    int step;

    for (step = 1; step <= 3; step++) {
        propagate(one, circuit, &options, NULL);
        propagate(all, circuit, &options, NULL);
        tap_is_int(paulimpi_sum_terms(one), rows[step - 1].terms,
                   "theta_h pi/4, %d steps, exact: terms", step);
        tap_is_near(value_in(one, "0"), rows[step - 1].value, 5e-13, "Z62");
        tap_is_near(value_in(all, "0") / 127, rows[step - 1].average, 5e-13,
                    "average Z");
    }
    propagate(one, circuit, &options, NULL);
    tap_is_int(paulimpi_sum_terms(one), 2582, "4 steps, exact: terms");
    tap_is_near(value_in(one, "0"), 0.48828125, 5e-13, "Z62");
    paulimpi_circuit_destroy(&circuit);
    paulimpi_sum_destroy(&one);
    paulimpi_sum_destroy(&all);
}

static void
test_all_dropped(void)
{
    paulimpi_propagation_options options = options_eps(1e-4);
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_circuit *circuit = kicked_ising(12 * pi / 32, 20);
    paulimpi_sum *sum = make_sum(ctx, 127, "Z62");

    options.truncation.max_weight = 8;
    propagate(sum, circuit, &options, &report);
    tap_is_int(report.terms, 0, "theta_h 12 pi/32, 20 steps: no term is left");
    tap_is_bits(value_in(sum, "0"), 0, "and the value is 0");
    tap_is_int(report.gates, 20 * 271, "all gates are done all the same");
    paulimpi_circuit_destroy(&circuit);
    paulimpi_sum_destroy(&sum);
}

static void
test_published(const char *figure, int k, int steps, const char *text,
               double min_abs, double value, double tolerance)
{
    paulimpi_propagation_options options = options_eps(min_abs);
    paulimpi_circuit *circuit = kicked_ising(k * pi / 32, steps);
    paulimpi_sum *sum =
        text == NULL ? make_letters(ctx, 127, 'Z') : make_sum(ctx, 127, text);

    propagate(sum, circuit, &options, NULL);
    tap_is_near(value_in(sum, "0") / (text == NULL ? 127 : 1), value,
                tolerance, "published: figure %s, theta_h %d pi/32", figure,
                k);
    paulimpi_circuit_destroy(&circuit);
    paulimpi_sum_destroy(&sum);
}

#define FIGURE_4B "X13 X29 X31 Y9 Y30 Z8 Z12 Z17 Z28 Z32"

int
main(void)
{
    ctx = make_context(1);
    test_lattice();
    test_builder();
    test_by_eps(0x1p-6, 408, 517, 0.214009147118);
    test_exact_steps();
    test_all_dropped();
    test_published("4a", 1, 5, NULL, 3e-5, 0.9951313489849707, 5e-5);
    test_published("4a", 16, 5, NULL, 1e-4, 0, 0);
    test_published("4b", 16, 5, FIGURE_4B, 1e-4, 1, 0);
    test_published("5b", 16, 20, "Z62", 1e-4, 0, 0);
    test_published("4b", 1, 5, FIGURE_4B, 1e-7, -2.4830256949696e-5, 1e-6);
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
