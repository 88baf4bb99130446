/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values of small circuits that other programs have reproduced: the number of
 * terms first, then the value to the digits known.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "propagate/models.h"
#include "propagate/support.h"

static const double pi = 3.14159265358979323846;
static paulimpi_context *ctx;

static void
test_added_first_then_dropped(void)
{
    paulimpi_propagation_options options = options_eps(1e-4);
    paulimpi_sum *sum = make_sum(ctx, 1, "Z0 + Y0");
    script *s = script_create(1);

    script_one(s, "rx", 0, 1e-5);
    propagate_script(sum, s, &options, NULL);
    tap_is_near(coefficient_of(sum, "Z"), 0.99998999995, 1e-14,
                "a small branch is added to Z before anything is dropped");
    tap_is_near(coefficient_of(sum, "Y"), 1.00000999995, 1e-14, "and to Y");
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

static void
test_no_stray_terms(void)
{
    paulimpi_sum *sum = make_sum(ctx, 2, "XI");
    script *s = script_create(2);

    script_two(s, "rzz", 0, 1, -pi / 2);
    propagate_script(sum, s, NULL, NULL);
    tap_ok(is_sum(sum, "YZ"), "ZZ(-pi/2) leaves no term of 6e-17");
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

static void
test_two_qubits(void)
{
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    paulimpi_sum *sum = make_sum(ctx, 2, "ZZ");
    script *s = script_create(2);

    script_one(s, "ry", 0, 3 * pi / 8);
    script_one(s, "rx", 0, 3 * pi / 8);
    script_two(s, "rzz", 0, 1, pi / 2);
    propagate_script(sum, s, NULL, NULL);
    tap_ok(is_near_sum(sum,
                       "-0.3535533905932738 XZ + 0.9238795325112867 YZ"
                       " + 0.1464466094067263 ZZ",
                       2e-16),
           "RY, RX, RZZ in the Heisenberg picture");
    paulimpi_sum_destroy(&sum);
    sum = make_sum(ctx, 2, "ZZ");
    options.picture = PAULIMPI_SCHROEDINGER;
    propagate_script(sum, s, &options, NULL);
    tap_ok(is_near_sum(sum, "0.35355339 XI + 0.92387953 YI + 0.14644661 ZZ",
                       1e-8),
           "RY, RX, RZZ in the Schroedinger picture");
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

/* Gates were pushed in Heisenberg order: turn them round. */
static script *
reversed(script *s)
{
    script *r = script_create(s->n_qubits);
    int64_t i;

    for (i = s->n_gates - 1; i >= 0; i--) {
        script_append(r, s, i, 1);
    }
    script_destroy(s);
    return r;
}

static void
set_letters(char *label, int64_t n, const char *last_five)
{
    memset(label, 'I', (size_t)n);
    label[n] = '\0';
    memcpy(label + n - 5, last_five, 5);
}

static void
test_word_boundary(int64_t n)
{
    char *label = malloc((size_t)n + 1);
    paulimpi_sum *sum;
    script *s = script_create(n);
    int64_t q;
    int round;

    for (round = 0; round < 4; round++) {
        for (q = n - 5; q < n - 1; q++) {
            script_two(s, "rzz", q, q + 1, 0.3);
        }
        for (q = n - 5; q < n; q++) {
            script_one(s, "rx", q, 0.7);
        }
        set_letters(label, n, "XIYZX");
        script_rotation(s, label, 0.4);
    }
    s = reversed(s);
    set_letters(label, n, "IIIZY");
    sum = make_sum(ctx, n, label);
    propagate_script(sum, s, NULL, NULL);
    tap_is_int(paulimpi_sum_terms(sum), 255,
               "255 terms at the end of a register of %d", (int)n);
    tap_is_near(value_in(sum, "0"), 0.099431537573811, 1e-14, "their value");
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
    free(label);
}

static void
test_chain(int64_t n)
{
    paulimpi_sum *sum;
    script *s = script_create(n);
    char text[24];
    int64_t q;
    int step;

    for (step = 0; step < 3; step++) {
        for (q = 0; q < n - 1; q++) {
            script_two(s, "rzz", q, q + 1, 0.3);
        }
        for (q = 0; q < n; q++) {
            script_one(s, "rx", q, 0.7);
        }
    }
    s = reversed(s);
    snprintf(text, sizeof text, "Z%d", (int)n / 2);
    sum = make_sum(ctx, n, text);
    propagate_script(sum, s, NULL, NULL);
    tap_is_int(paulimpi_sum_terms(sum), 132, "132 terms in a chain of %d",
               (int)n);
    tap_is_near(value_in(sum, "0"), -0.305235767026262, 1e-14, "their value");
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

/* The last of three observables takes longer than all else here. */
static void
test_kicked_chain(int n_rows)
{
    static const struct {
        const char *text;
        double value;
    } rows[] = {
        { "Z0", 0.863862037658697 },
        { "Z0 Z1", 0.772945895456364 },
        { "0.1 Z0 + 0.1 Z1 + 0.1 Z2 + 0.1 Z3 + 0.1 Z4 + 0.1 Z5 + 0.1 Z6"
          " + 0.1 Z7 + 0.1 Z8 + 0.1 Z9",
          0.777074938196625 },
    };
    int64_t edges[9][2];
    paulimpi_circuit *circuit;
    int i;

    for (i = 0; i < 9; i++) {
        edges[i][0] = i;
        edges[i][1] = i + 1;
    }
    check(paulimpi_circuit_create(10, &circuit));
    check(paulimpi_circuit_kicked_ising(circuit, 9, edges[0], 20, pi / 6,
                                        -pi / 2));
    for (i = 0; i < n_rows; i++) {
        paulimpi_sum *sum = make_sum(ctx, 10, rows[i].text);

        propagate(sum, circuit, NULL, NULL);
        tap_is_near(value_in(sum, "0"), rows[i].value, 1e-13,
                    "kicked Ising chain of 10, 20 steps: %.6s", rows[i].text);
        paulimpi_sum_destroy(&sum);
    }
    paulimpi_circuit_destroy(&circuit);
}

static void
test_ring(void)
{
    paulimpi_propagation_options options = options_eps(1e-4);
    paulimpi_sum *sum = make_sum(ctx, 32, "Z15");
    script *s = script_create(32);
    int layer, q, parity;

    for (layer = 0; layer < 32; layer++) {
        for (q = 0; q < 32; q++) {
            script_one(s, "rx", q, 0.1);
        }
        for (parity = 0; parity < 2; parity++) {
            for (q = parity; q < 32; q += 2) {
                script_two(s, "rzz", q, (q + 1) % 32, 0.1);
            }
        }
    }
    s = reversed(s);
    options.truncation.max_weight = 6;
    propagate_script(sum, s, &options, NULL);
    tap_is_int(paulimpi_sum_terms(sum), 1671,
               "1671 terms in a ring of 32 with weight at most 6");
    tap_is_near(value_in(sum, "0"), 0.154596728241425, 1e-14, "their value");
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

static void
test_free_fermions(void)
{
    paulimpi_sum *sum = make_sum(ctx, 24, "Z12");
    script *s = model_xxz(24, 0);
    int step;

    for (step = 1; step <= 6; step++) {
        propagate_script(sum, s, NULL, NULL);
        tap_is_int(paulimpi_sum_terms(sum), 16 * step * step,
                   "a free chain has 16 s^2 terms after %d steps", step);
    }
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

static void
test_xxz(int64_t n, double jz, double min_abs, int64_t terms, double value)
{
    paulimpi_propagation_options options = options_eps(min_abs);
    paulimpi_sum *sum;
    script *s = model_xxz(n, jz);
    char text[24];
    char *state = malloc((size_t)n + 1);
    int64_t q;
    int step;

    for (q = 0; q < n; q++) {
        state[q] = q < n / 2 ? '0' : '1';
    }
    state[n] = '\0';
    snprintf(text, sizeof text, "Z%d", (int)n / 2);
    sum = make_sum(ctx, n, text);
    for (step = 0; step < 6; step++) {
        propagate_script(sum, s, &options, NULL);
    }
    tap_is_int(paulimpi_sum_terms(sum), terms, "XXZ chain of %d, Jz %g: terms",
               (int)n, jz);
    tap_is_near(value_in(sum, state), value, 5e-13,
                "its value in a domain wall");
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
    free(state);
}

static void
test_lattice_b(void)
{
    static const int64_t terms[] = { 120,  430,  832,   1767,
                                     3507, 6469, 11892, 20924 };
    static const double value[] = { 0.9975020826390130, 0.9903354444404695,
                                    0.9794361767419920, 0.9661809649164091,
                                    0.9522199951963056, 0.9392112109453806 };
    paulimpi_propagation_options options = options_eps(1e-6);
    paulimpi_sum *sum = make_sum(ctx, 36, "Z20 Z21");
    script *s = model_lattice_b(6);
    int step;

    for (step = 1; step <= 6; step++) {
        propagate_script(sum, s, &options, NULL);
        tap_is_int(paulimpi_sum_terms(sum), terms[step - 1],
                   "lattice B, step %d: terms", step);
        tap_is_near(value_in(sum, "0"), value[step - 1], 2e-15, "its value");
    }
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

static void
test_lattice_c(void)
{
    static const int64_t terms[] = { 4, 334, 855, 2153, 4754, 9665 };
    paulimpi_propagation_options options = options_eps(0x1p-20);
    paulimpi_sum *sum = make_sum(ctx, 36, "Z20 Z21");
    script *s = model_lattice_c();
    int layer;

    for (layer = 1; layer <= 6; layer++) {
        propagate_script(sum, s, &options, NULL);
        tap_is_int(paulimpi_sum_terms(sum), terms[layer - 1],
                   "lattice C, layer %d: terms", layer);
    }
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

static void
test_chain_d(int64_t n, int64_t terms, double value, int64_t term_gates)
{
    paulimpi_propagation_options options = options_eps(1e-6);
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_sum *sum = make_letters(ctx, n, 'Z');
    script *one = model_chain_d(n);
    script *s = script_create(n);
    int step;

    for (step = 0; step < 10; step++) {
        script_append(s, one, 0, one->n_gates);
    }
    propagate_script(sum, s, &options, &report);
    tap_is_int(report.terms, terms, "chain D of %d: terms", (int)n);
    tap_is_int(report.term_gates, term_gates, "its term-gates");
    tap_is_near(value_in(sum, "0"), value, 1e-13, "its value");
    paulimpi_sum_destroy(&sum);
    script_destroy(one);
    script_destroy(s);
}

static void
test_engine(int engine)
{
    static const int64_t widths[] = { 5, 32, 33, 63, 64, 65, 127, 128, 300 };
    size_t i;

    use_engine(engine);
    test_added_first_then_dropped();
    test_no_stray_terms();
    test_two_qubits();
    for (i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        test_word_boundary(widths[i]);
    }
    test_chain(9);
    test_chain(65);
    test_kicked_chain(engine == PAULIMPI_ENGINE_IN_PLACE ? 2 : 3);
    test_ring();
    test_free_fermions();
    test_xxz(24, 0.5, 1e-4, 9918, 0.026769547578);
    test_xxz(40, 0, 1e-6, 257, 0.129334931568);
    test_lattice_b();
    test_lattice_c();
    test_chain_d(8, 4701, 1.888902953056839, 207435);
    test_chain_d(16, 19529, 4.604444042273254, 1487547);
}

int
main(void)
{
    ctx = make_context(1);
    test_engine(PAULIMPI_ENGINE_IN_PLACE);
    test_engine(PAULIMPI_ENGINE_TILE);
    test_engine(PAULIMPI_ENGINE_ORBIT);
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
