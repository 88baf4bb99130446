/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inputs that must be survived.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "propagate/support.h"

static const double pi = 3.14159265358979323846;
static paulimpi_context *ctx;

/* One step of the identity as a circuit with a gate: H on the last qubit,
 * where the sums of these tests have no letter. */
static void
pass_a_gate(paulimpi_sum *sum, const paulimpi_propagation_options *options)
{
    script *s = script_create(paulimpi_sum_qubits(sum));

    script_one(s, "h", s->n_qubits - 1, 0);
    propagate_script(sum, s, options, NULL);
    script_destroy(s);
}

static void
test_equal_strings(void)
{
    paulimpi_propagation_options options = options_eps(0.1);
    paulimpi_sum *sum = make_sum(ctx, 2, "0.07 X0 + 0.07 X0");

    pass_a_gate(sum, &options);
    tap_ok(is_sum(sum, "0.14 X0"),
           "a string given twice, each below eps, together above, is kept");
    paulimpi_sum_destroy(&sum);
    sum = make_sum(ctx, 2, "X0 + Z0 - X0");
    tap_ok(is_sum(sum, "Z0"), "equal strings that cancel are removed");
    paulimpi_sum_destroy(&sum);
}

static void
test_nothing(void)
{
    paulimpi_propagation_options options = options_eps(0.5);
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_sum *sum;
    script *s = script_create(2);

    script_one(s, "rx", 0, pi / 4);
    script_one(s, "ry", 0, pi / 4);
    script_one(s, "rx", 0, pi / 4);
    check(paulimpi_sum_create(ctx, 2, &sum));
    propagate_script(sum, s, &options, &report);
    tap_is_int(report.terms, 0, "no terms in, none out");
    tap_is_bits(value_in(sum, "0"), 0, "their value is 0");
    tap_is_int(report.gates, 3, "all gates acted");
    paulimpi_sum_destroy(&sum);
    sum = make_sum(ctx, 2, "0.6 Z0");
    propagate_script(sum, s, &options, &report);
    tap_is_int(paulimpi_sum_terms(sum), 0, "all can be truncated midway");
    tap_is_bits(value_in(sum, "01"), 0, "the value is 0 then, too");
    paulimpi_sum_destroy(&sum);
    sum = make_sum(ctx, 2, "0.6 I");
    propagate_script(sum, s, &options, NULL);
    tap_ok(is_sum(sum, "0.6 I"), "the identity alone stays");
    tap_is_bits(value_in(sum, "+-"), 0.6, "its value is its coefficient");
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

static void
test_no_gates(void)
{
    paulimpi_propagation_options options = options_eps(0.5);
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_sum *sum = make_sum(ctx, 2, "X0 + 0.1 Z1");
    paulimpi_circuit *circuit;
    static const int64_t edge[2] = { 0, 1 };

    check(paulimpi_circuit_create(2, &circuit));
    check(paulimpi_circuit_kicked_ising(circuit, 1, edge, 0, 0.3, 0.4));
    check(paulimpi_circuit_barrier(circuit));
    check(paulimpi_circuit_group_begin(circuit));
    check(paulimpi_circuit_group_end(circuit));
    tap_is_int(paulimpi_circuit_gates(circuit), 0,
               "no steps, a barrier and an empty group are no gates");
    propagate(sum, circuit, &options, &report);
    tap_ok(is_sum(sum, "X0 + 0.1 Z1"),
           "a circuit without gates changes nothing, truncates nothing");
    tap_is_int(report.terms, 2, "and reports the terms");
    tap_is_int(report.term_gates, 0, "and no term-gates");
    paulimpi_circuit_destroy(&circuit);
    paulimpi_sum_destroy(&sum);
}

static void
test_one_qubit(void)
{
    paulimpi_sum *sum = make_sum(ctx, 1, "Z + 2 I");
    script *s = script_create(1);

    script_one(s, "h", 0, 0);
    script_one(s, "s", 0, 0);
    propagate_script(sum, s, NULL, NULL);
    tap_ok(is_sum(sum, "X + 2 I"), "one qubit is enough");
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

static void
test_not_finite(void)
{
    static const double bad[] = { NAN, INFINITY, -INFINITY };
    static const uint64_t x = 1, z = 0;
    paulimpi_sum *sum = make_sum(ctx, 2, "X0 + Z1");
    paulimpi_pauli *pauli;
    paulimpi_circuit *circuit;
    size_t i;

    check(paulimpi_pauli_create(2, "XI", &pauli));
    check(paulimpi_circuit_create(2, &circuit));
    for (i = 0; i < 3; i++) {
        tap_is_status(paulimpi_circuit_rx(circuit, 0, bad[i]),
                      PAULIMPI_ERR_ARGUMENT, "theta = %g is refused", bad[i]);
        tap_is_status(paulimpi_circuit_rotation(circuit, "XX", bad[i]),
                      PAULIMPI_ERR_ARGUMENT, "of a rotation, too");
        tap_is_status(paulimpi_circuit_u3(circuit, 0, 0.1, bad[i], 0.2),
                      PAULIMPI_ERR_ARGUMENT, "and of u3");
        tap_is_status(paulimpi_circuit_depolarizing(circuit, 0, bad[i]),
                      PAULIMPI_ERR_ARGUMENT, "and a probability");
        tap_is_status(paulimpi_sum_add_pauli(sum, pauli, bad[i]),
                      PAULIMPI_ERR_ARGUMENT, "and a coefficient");
        tap_is_status(paulimpi_sum_add_terms(sum, 1, &x, &z, &bad[i]),
                      PAULIMPI_ERR_ARGUMENT, "in an array, too");
        tap_is_status(paulimpi_sum_add_text(sum, "X0", bad[i]),
                      PAULIMPI_ERR_ARGUMENT, "and a factor");
        tap_is_status(paulimpi_sum_scale(sum, bad[i]), PAULIMPI_ERR_ARGUMENT,
                      "and a scale");
        tap_is_status(paulimpi_sum_add(sum, sum, bad[i]),
                      PAULIMPI_ERR_ARGUMENT, "and a factor of a sum");
    }
    tap_is_int(paulimpi_circuit_gates(circuit), 0, "the circuit is as it was");
    tap_ok(is_sum(sum, "X0 + Z1"), "and so is the sum");
    paulimpi_pauli_destroy(&pauli);
    paulimpi_circuit_destroy(&circuit);
    paulimpi_sum_destroy(&sum);
}

static void
try_options(paulimpi_propagation_options options, const char *fact)
{
    paulimpi_sum *sum = make_sum(ctx, 2, "X0 + 0.5 Z1");
    paulimpi_circuit *circuit;

    check(paulimpi_circuit_create(2, &circuit));
    check(paulimpi_circuit_h(circuit, 0));
    tap_is_status(paulimpi_propagate(sum, circuit, &options, NULL),
                  PAULIMPI_ERR_ARGUMENT, "%s", fact);
    tap_ok(is_sum(sum, "X0 + 0.5 Z1"), "the sum is as it was");
    check(paulimpi_propagate(sum, circuit, NULL, NULL));
    tap_ok(is_sum(sum, "Z0 + 0.5 Z1"), "and usable");
    paulimpi_circuit_destroy(&circuit);
    paulimpi_sum_destroy(&sum);
}

static void
test_bad_options(void)
{
    paulimpi_propagation_options good = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    paulimpi_propagation_options bad = good;

    bad.truncation.min_abs = NAN;
    try_options(bad, "eps that is not a number is refused");
    bad.truncation.min_abs = -1e-9;
    try_options(bad, "a negative eps is refused");
    bad = good;
    bad.truncation.max_weight = -1;
    try_options(bad, "a negative weight is refused");
    bad = good;
    bad.truncation.max_xy_weight = -1;
    try_options(bad, "a negative X/Y weight is refused");
    bad = good;
    bad.truncation.max_terms = -1;
    try_options(bad, "a negative number of terms is refused");
    bad = good;
    bad.size = 0;
    try_options(bad, "options without a size are refused");
    bad = good;
    bad.truncation.size = 0;
    try_options(bad, "a truncation without a size is refused");
    bad = good;
    bad.picture = 2;
    try_options(bad, "a third picture is refused");
    bad = good;
    bad.engine = 99;
    try_options(bad, "an unknown engine is refused");
    bad = good;
    bad.memory_limit = -2;
    try_options(bad, "a negative memory limit is refused");
    bad = good;
    bad.n_layers = 5;
    try_options(bad, "layers without room are refused");
    bad = good;
    bad.n_layers = -1;
    try_options(bad, "a negative room for layers is refused");
}

/* What RX(theta) makes of Z, exactly. */
static void
try_angle(double theta, const char *after, const char *fact)
{
    paulimpi_sum *sum = make_sum(ctx, 1, "Z");
    script *s = script_create(1);

    script_one(s, "rx", 0, theta);
    propagate_script(sum, s, NULL, NULL);
    tap_ok(is_sum(sum, after), "theta = %s takes Z to %s exactly", fact,
           after);
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

static void
test_clifford_angles(void)
{
    double above = pi / 2;
    double below = pi / 2;
    int i;

    try_angle(0, "Z", "0");
    try_angle(-0.0, "Z", "-0");
    try_angle(pi / 2, "Y", "pi/2");
    try_angle(-pi / 2, "-Y", "-pi/2");
    try_angle(pi, "-Z", "pi");
    try_angle(-pi, "-Z", "-pi");
    try_angle(3 * pi / 2, "-Y", "3 pi/2");
    try_angle(2 * pi, "Z", "2 pi");
    try_angle(100 * pi, "Z", "100 pi");
    try_angle(101 * pi, "-Z", "101 pi");
    try_angle(1001 * pi / 2, "Y", "1001 pi/2");
    try_angle(-1001 * pi / 2, "-Y", "-1001 pi/2");
    for (i = 0; i < 3; i++) {
        above = nextafter(above, 4);
        below = nextafter(below, 0);
    }
    try_angle(above, "Y", "pi/2 and 3 ulp");
    try_angle(below, "Y", "pi/2 less 3 ulp");
}

static void
test_ordinary_angles(void)
{
    static const double angles[] = { 1e8, 1e-20, 1.5707963267949, 1e300 };
    size_t i;

    for (i = 0; i < 4; i++) {
        paulimpi_sum *sum = make_sum(ctx, 1, "Z");
        script *s = script_create(1);

        script_one(s, "rx", 0, angles[i]);
        propagate_script(sum, s, NULL, NULL);
        tap_is_bits(coefficient_of(sum, "Z"), cos(angles[i]),
                    "theta = %g is an ordinary rotation: cos", angles[i]);
        tap_is_bits(coefficient_of(sum, "Y"), sin(angles[i]), "sin");
        paulimpi_sum_destroy(&sum);
        script_destroy(s);
    }
}

static void
test_repeated_qubits(void)
{
    static const int64_t twice[2] = { 1, 1 };
    static const double theta = 0.1;
    paulimpi_circuit *circuit;
    paulimpi_sum *sum = make_sum(ctx, 3, "X0");

    check(paulimpi_circuit_create(3, &circuit));
    tap_is_status(paulimpi_circuit_cx(circuit, 1, 1), PAULIMPI_ERR_ARGUMENT,
                  "CX on one qubit twice is refused");
    tap_is_status(paulimpi_circuit_swap(circuit, 2, 2), PAULIMPI_ERR_ARGUMENT,
                  "SWAP, too");
    tap_is_status(paulimpi_circuit_rzz(circuit, 0, 0, 0.1),
                  PAULIMPI_ERR_ARGUMENT, "RZZ, too");
    tap_is_status(paulimpi_circuit_gate(circuit, "rxx", 2, twice, 1, &theta),
                  PAULIMPI_ERR_ARGUMENT, "RXX by name, too");
    tap_is_status(
        paulimpi_circuit_kicked_ising(circuit, 1, twice, 1, 0.1, 0.2),
        PAULIMPI_ERR_ARGUMENT, "and an edge from a qubit to itself");
    tap_is_status(paulimpi_circuit_rotation(circuit, "X0 Z0", 0.1),
                  PAULIMPI_ERR_SYNTAX, "X0 Z0 is no label");
    tap_is_status(paulimpi_sum_add_text(sum, "X0 Z0", 1), PAULIMPI_ERR_SYNTAX,
                  "and no term");
    tap_is_int(paulimpi_circuit_gates(circuit), 0, "nothing was appended");
    tap_ok(is_sum(sum, "X0"), "nothing was added");
    paulimpi_circuit_destroy(&circuit);
    paulimpi_sum_destroy(&sum);
}

static void
test_qubits_out_of_range(void)
{
    paulimpi_circuit *circuit;
    double value;
    paulimpi_sum *sum = make_sum(ctx, 3, "X0");

    check(paulimpi_circuit_create(3, &circuit));
    tap_is_status(paulimpi_circuit_h(circuit, -1), PAULIMPI_ERR_ARGUMENT,
                  "there is no qubit -1");
    tap_is_status(paulimpi_circuit_h(circuit, 3), PAULIMPI_ERR_ARGUMENT,
                  "and none of 3 has the number 3");
    tap_contains(paulimpi_last_error(), "3", "the sentence names it");
    tap_is_status(paulimpi_circuit_cx(circuit, 0, 3), PAULIMPI_ERR_ARGUMENT,
                  "not as a target either");
    tap_is_status(paulimpi_circuit_amplitude_damping(circuit, 64, 0.1),
                  PAULIMPI_ERR_ARGUMENT, "nor in a channel");
    tap_is_status(paulimpi_circuit_rotation(circuit, "X0 Z3", 0.1),
                  PAULIMPI_ERR_SYNTAX, "nor in a label");
    tap_is_status(paulimpi_sum_coefficient(sum, "X3", &value),
                  PAULIMPI_ERR_SYNTAX, "nor when it is looked up");
    tap_is_int(paulimpi_circuit_gates(circuit), 0, "nothing was appended");
    paulimpi_circuit_destroy(&circuit);
    paulimpi_sum_destroy(&sum);
}

/* X on qubit a goes to qubit b and back through every kind of pair gate. */
static void
test_across_words(void)
{
    static const int64_t places[] = { 0, 63, 64, 127, 128, 255, 256, 299 };
    size_t i, j;
    int all_agree = 1;

    for (i = 0; i < 8; i++) {
        for (j = 0; j < 8; j++) {
            dictionary_limits limits = DICTIONARY_KEEP_ALL;
            dictionary_report report = { 0 };
            dice d = { 8 * i + j };
            dictionary *want;
            paulimpi_sum *sum;
            script *s;
            double difference;

            if (i == j) {
                continue;
            }
            want = dictionary_create(300);
            sum = make_random_sum(ctx, 300, 10, 0, 300, 300, &d, want);
            s = script_create(300);
            script_two(s, "cx", places[i], places[j], 0);
            script_two(s, "cy", places[j], places[i], 0);
            script_two(s, "swap", places[i], places[j], 0);
            script_two(s, "rxx", places[i], places[j], 0.3);
            script_one(s, "h", places[i], 0);
            script_one(s, "t", places[j], 0);
            propagate_script(sum, s, NULL, NULL);
            dictionary_heisenberg(want, s, &limits, &report);
            all_agree &=
                has_strings(sum, want, &difference) && difference < 1e-15;
            dictionary_destroy(want);
            paulimpi_sum_destroy(&sum);
            script_destroy(s);
        }
    }
    tap_ok(all_agree, "gates on qubits 0, 63, 64, 127, 128, 255, 256 and 299");
}

static void
test_identity_rotation(void)
{
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_sum *sum = make_sum(ctx, 2, "XY + 2 I");
    script *s = script_create(2);

    script_rotation(s, "II", 0.7);
    propagate_script(sum, s, NULL, &report);
    tap_ok(is_sum(sum, "XY + 2 I"), "a rotation about the identity is none");
    tap_is_int(report.gates, 1, "but a gate");
    tap_is_int(report.term_gates, 2, "with its term-gates");
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

static void
test_labels(void)
{
    static const char *const bad[] = { "XX",  "XXXX", "xII", "x0",  "",
                                       "   ", "X",    "Q0",  "X 0", "X-1",
                                       "XI1", "X0Z1", "X1.0" };
    paulimpi_circuit *circuit;
    paulimpi_sum *sum = make_sum(ctx, 3, "X0");
    size_t i;

    check(paulimpi_circuit_create(3, &circuit));
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tap_is_status(paulimpi_circuit_rotation(circuit, bad[i], 0.1),
                      PAULIMPI_ERR_SYNTAX, "\"%s\" is no string of 3 qubits",
                      bad[i]);
        tap_is_status(paulimpi_sum_add_text(sum, bad[i], 1),
                      PAULIMPI_ERR_SYNTAX, "and no sum");
    }
    tap_is_int(paulimpi_circuit_gates(circuit), 0, "nothing was appended");
    tap_ok(is_sum(sum, "X0"), "nothing was added");
    paulimpi_circuit_destroy(&circuit);
    paulimpi_sum_destroy(&sum);
}

static void
test_unknown_names(void)
{
    static const char *const names[] = { "nosuch", "H",  "",    "depolarise",
                                         "cnot",   "IY", "rx ", "rotation" };
    static const int64_t qubits[2] = { 0, 1 };
    static const double parameters[3] = { 0.1, 0.1, 0.1 };
    paulimpi_circuit *circuit;
    size_t i;

    check(paulimpi_circuit_create(3, &circuit));
    for (i = 0; i < sizeof names / sizeof names[0]; i++) {
        tap_is_status(
            paulimpi_circuit_gate(circuit, names[i], 1, qubits, 1, parameters),
            PAULIMPI_ERR_ARGUMENT, "there is no gate \"%s\"", names[i]);
        tap_contains(paulimpi_last_error(), names[i], "the sentence names it");
    }
    tap_is_int(paulimpi_circuit_gates(circuit), 0, "nothing was appended");
    paulimpi_circuit_destroy(&circuit);
}

static void
test_leftmost_is_qubit_0(void)
{
    paulimpi_sum *sum = make_sum(ctx, 4, "XYIZ");

    tap_ok(is_sum(sum, "X0 Y1 Z3"), "the leftmost letter is qubit 0");
    tap_is_bits(value_in(sum, "+r01"), -1, "of a state, too");
    tap_is_bits(value_in(sum, "10r+"), 0, "not the rightmost");
    paulimpi_sum_destroy(&sum);
}

static void
test_probabilities(void)
{
    static const double bad[] = { -1e-9, 1.0000001, -0.5, 2 };
    paulimpi_circuit *c;
    size_t i;

    check(paulimpi_circuit_create(1, &c));
    for (i = 0; i < 4; i++) {
        tap_is_status(paulimpi_circuit_depolarizing(c, 0, bad[i]),
                      PAULIMPI_ERR_ARGUMENT, "depolarizing by %g is refused",
                      bad[i]);
        tap_is_status(paulimpi_circuit_dephasing(c, 0, bad[i]),
                      PAULIMPI_ERR_ARGUMENT, "dephasing, too");
        tap_is_status(paulimpi_circuit_amplitude_damping(c, 0, bad[i]),
                      PAULIMPI_ERR_ARGUMENT, "amplitude damping, too");
        tap_is_status(paulimpi_circuit_pauli_noise(c, 0, 0, bad[i], 0),
                      PAULIMPI_ERR_ARGUMENT, "Pauli noise, too");
    }
    tap_is_status(paulimpi_circuit_pauli_noise(c, 0, 0.5, 0.3, 0.3),
                  PAULIMPI_ERR_ARGUMENT,
                  "probabilities of 1.1 together are refused");
    tap_is_status(paulimpi_circuit_pauli_noise(c, 0, 0.5, 0.25, 0.25),
                  PAULIMPI_SUCCESS, "1 together is fine");
    tap_is_int(paulimpi_circuit_gates(c), 1, "only that was appended");
    paulimpi_circuit_destroy(&c);
}

static void
test_no_noise(void)
{
    static const char *const names[] = { "depolarizing", "dephasing",
                                         "pauli_noise", "amplitude_damping" };
    paulimpi_sum *sum = make_sum(ctx, 1, "X + 2 Y + 3 Z + 4 I");
    script *s = script_create(1);
    size_t i;

    for (i = 0; i < 4; i++) {
        script_one(s, names[i], 0, 0);
    }
    propagate_script(sum, s, NULL, NULL);
    tap_ok(is_sum(sum, "X + 2 Y + 3 Z + 4 I"),
           "noise of probability 0 is the identity");
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

static void
test_complex_numbers(void)
{
    static const char *const bad[] = { "1i X0",    "(1+2i) X0", "1j X0",
                                       "i X0",     "nan X0",    "inf X0",
                                       "1e999 X0", "0x10 X0",   "+ + X0",
                                       "X0 +",     "2 * * X0",  "1 2 X0" };
    paulimpi_sum *sum = make_sum(ctx, 3, "X0");
    size_t i;

    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tap_is_status(paulimpi_sum_add_text(sum, bad[i], 1),
                      PAULIMPI_ERR_SYNTAX, "\"%s\" is no real sum", bad[i]);
    }
    tap_ok(is_sum(sum, "X0"), "nothing was added");
    paulimpi_sum_destroy(&sum);
}

static void
test_mismatch(void)
{
    paulimpi_sum *sum = make_sum(ctx, 3, "X0");
    paulimpi_circuit *circuit;

    check(paulimpi_circuit_create(2, &circuit));
    tap_is_status(paulimpi_propagate(sum, circuit, NULL, NULL),
                  PAULIMPI_ERR_MISMATCH,
                  "a circuit on another number of qubits is refused");
    tap_is_status(paulimpi_propagate(NULL, circuit, NULL, NULL),
                  PAULIMPI_ERR_ARGUMENT, "and no sum");
    tap_is_status(paulimpi_propagate(sum, NULL, NULL, NULL),
                  PAULIMPI_ERR_ARGUMENT, "and no circuit");
    tap_ok(is_sum(sum, "X0"), "the sum is as it was");
    paulimpi_circuit_destroy(&circuit);
    paulimpi_sum_destroy(&sum);
}

int
main(void)
{
    ctx = make_context(1);
    test_equal_strings();
    test_nothing();
    test_no_gates();
    test_one_qubit();
    test_not_finite();
    test_bad_options();
    test_clifford_angles();
    test_ordinary_angles();
    test_repeated_qubits();
    test_qubits_out_of_range();
    test_across_words();
    test_identity_rotation();
    test_labels();
    test_unknown_names();
    test_leftmost_is_qubit_0();
    test_probabilities();
    test_no_noise();
    test_complex_numbers();
    test_mismatch();
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
