/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What was reported as wrong in other packages, as facts that hold here.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "propagate/support.h"

static const double pi = 3.14159265358979323846;
static paulimpi_context *ctx;

#define ALL_PAIRS                                                             \
    "1 II + 2 IX + 3 IY + 4 IZ + 5 XI + 6 XX + 7 XY + 8 XZ + 9 YI + 10 YX "   \
    "+ 11 YY + 12 YZ + 13 ZI + 14 ZX + 15 ZY + 16 ZZ"

/* Whether two circuits do the same to all strings of two qubits. */
static int
same_action(script *a, script *b, int picture)
{
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    paulimpi_sum *s = make_sum(ctx, 2, ALL_PAIRS);
    paulimpi_sum *t = make_sum(ctx, 2, ALL_PAIRS);
    int same;

    options.picture = picture;
    propagate_script(s, a, &options, NULL);
    propagate_script(t, b, &options, NULL);
    same = same_bits(s, t);
    paulimpi_sum_destroy(&s);
    paulimpi_sum_destroy(&t);
    return same;
}

static void
test_quarter_turn_of_zz(void)
{
    script *rzz = script_create(2);
    script *gates = script_create(2);
    int picture;

    script_two(rzz, "rzz", 0, 1, pi / 2);
    script_two(gates, "cz", 0, 1, 0);
    script_one(gates, "s", 0, 0);
    script_one(gates, "s", 1, 0);
    for (picture = 0; picture < 2; picture++) {
        tap_ok(same_action(rzz, gates, picture),
               "RZZ(pi/2) is CZ S S on all strings, in either picture");
    }
    script_destroy(rzz);
    script_destroy(gates);
}

static void
test_yzy(void)
{
    paulimpi_pauli *y, *z, *yz, *yzy;
    int first, second;

    check(paulimpi_pauli_create(1, "Y", &y));
    check(paulimpi_pauli_create(1, "Z", &z));
    check(paulimpi_pauli_multiply(y, z, &yz, &first));
    check(paulimpi_pauli_multiply(yz, y, &yzy, &second));
    tap_ok(paulimpi_pauli_equal(yzy, z) == 1 && (first + second) % 4 == 2,
           "Y Z Y is -Z");
    paulimpi_pauli_destroy(&y);
    paulimpi_pauli_destroy(&z);
    paulimpi_pauli_destroy(&yz);
    paulimpi_pauli_destroy(&yzy);
}

static void
test_overlap_has_no_power_of_two(void)
{
    paulimpi_sum *a = make_sum(ctx, 5, "3 X0 + 2 Z1 + I");
    paulimpi_sum *b = make_sum(ctx, 5, "5 X0 - 2 Z1 + 7 Y4");
    double value, norm;

    check(paulimpi_sum_overlap(a, b, &value));
    tap_is_bits(value, 11, "an overlap is trace(A B) / 2^n");
    check(paulimpi_sum_overlap(a, a, &value));
    check(paulimpi_sum_norm2(a, &norm));
    tap_is_near(norm * norm, value, 1e-13,
                "and that of a sum with itself its 2-norm squared");
    paulimpi_sum_destroy(&a);
    paulimpi_sum_destroy(&b);
}

static void
try_noise(const char *name, double p, const char *after, const char *fact)
{
    paulimpi_sum *sum = make_sum(ctx, 1, "X + Y + Z + I");
    script *s = script_create(1);

    script_one(s, name, 0, p);
    propagate_script(sum, s, NULL, NULL);
    tap_ok(is_near_sum(sum, after, 1e-15), "%s", fact);
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

static void
test_noise_strengths(void)
{
    try_noise("amplitude_damping", 0.19, "0.9 X + 0.9 Y + 0.81 Z + 1.19 I",
              "amplitude damping: sqrt(1-g) for X and Y, 1-g for Z, g to I");
    try_noise("depolarizing", 0.75, "I", "p = 3/4 depolarizes fully");
    try_noise("depolarizing", 0.3, "0.6 X + 0.6 Y + 0.6 Z + I",
              "depolarizing multiplies by 1 - 4p/3, not 1 - p");
    try_noise("dephasing", 0.5, "Z + I", "p = 1/2 dephases fully");
    try_noise("dephasing", 0.1, "0.8 X + 0.8 Y + Z + I",
              "dephasing multiplies by 1 - 2p");
}

static void
test_wrong_numbers(void)
{
    static const int64_t qubits[3] = { 0, 1, 2 };
    static const double parameters[4] = { 0.1, 0.2, 0.3, 0.4 };
    paulimpi_circuit *c;

    check(paulimpi_circuit_create(3, &c));
    tap_is_status(paulimpi_circuit_gate(c, "u3", 1, qubits, 2, parameters),
                  PAULIMPI_ERR_ARGUMENT, "u3 with two parameters is refused");
    tap_contains(paulimpi_last_error(), "2", "the sentence has the number");
    tap_contains(paulimpi_last_error(), "3", "and the one that is right");
    tap_is_status(paulimpi_circuit_gate(c, "h", 1, qubits, 1, parameters),
                  PAULIMPI_ERR_ARGUMENT, "h with a parameter is refused");
    tap_is_status(paulimpi_circuit_gate(c, "rx", 1, qubits, 0, NULL),
                  PAULIMPI_ERR_ARGUMENT, "rx without one, too");
    tap_is_status(paulimpi_circuit_gate(c, "cx", 1, qubits, 0, NULL),
                  PAULIMPI_ERR_ARGUMENT, "cx on one qubit, too");
    tap_is_status(paulimpi_circuit_gate(c, "cx", 3, qubits, 0, NULL),
                  PAULIMPI_ERR_ARGUMENT, "and on three");
    tap_is_status(paulimpi_circuit_gate(c, "cx", -1, qubits, 0, NULL),
                  PAULIMPI_ERR_ARGUMENT, "and on -1");
    tap_is_int(paulimpi_circuit_gates(c), 0, "nothing was appended");
    paulimpi_circuit_destroy(&c);
}

static void
test_s_twice(void)
{
    script *twice = script_create(2);
    script *once = script_create(2);
    int picture;

    script_one(twice, "s", 1, 0);
    script_one(twice, "s", 1, 0);
    script_one(once, "z", 1, 0);
    for (picture = 0; picture < 2; picture++) {
        tap_ok(same_action(twice, once, picture),
               "S twice is Z in either picture");
    }
    script_destroy(twice);
    script_destroy(once);
}

static void
test_any_width(void)
{
    int all_right = 1;
    int64_t n;

    for (n = 1; n <= 200; n++) {
        dictionary_limits limits = DICTIONARY_KEEP_ALL;
        dictionary_report report = { 0 };
        dice d = { (uint64_t)n };
        dictionary *want = dictionary_create(n);
        paulimpi_sum *sum = make_random_sum(ctx, n, 8, 0, n, n, &d, want);
        script *s = script_create(n);
        double difference;

        script_draw(s, &d, 6, DRAW_ROTATIONS, 0, n);
        propagate_script(sum, s, NULL, NULL);
        dictionary_heisenberg(want, s, &limits, &report);
        all_right &= has_strings(sum, want, &difference) && difference == 0;
        paulimpi_sum_destroy(&sum);
        dictionary_destroy(want);
        script_destroy(s);
    }
    tap_ok(all_right, "1 to 200 qubits, each width, rotations of any weight");
}

static void
test_stray_bits(void)
{
    uint64_t x[2] = { 0, UINT64_C(1) << 1 };
    uint64_t z[2] = { 0, 0 };
    double coefficient = 1;
    double value;
    paulimpi_sum *sum = make_sum(ctx, 65, "Z0");

    tap_is_status(paulimpi_sum_add_terms(sum, 1, x, z, &coefficient),
                  PAULIMPI_ERR_ARGUMENT, "a bit beyond the last qubit");
    tap_is_status(paulimpi_sum_expectation_basis(sum, x, &value),
                  PAULIMPI_ERR_ARGUMENT, "is refused in a state, too");
    tap_ok(is_sum(sum, "Z0"), "the sum is as it was");
    paulimpi_sum_destroy(&sum);
}

static void
test_clifford_pulled_through(void)
{
    script *turned = script_create(2);
    script *direct = script_create(2);

    /* The Hadamard gates turn ZZ to XX, CX turns XX to XI. */
    script_one(turned, "h", 0, 0);
    script_one(turned, "h", 1, 0);
    script_two(turned, "rzz", 0, 1, 0.3);
    script_one(turned, "h", 0, 0);
    script_one(turned, "h", 1, 0);
    script_two(turned, "cx", 1, 0, 0);
    script_two(turned, "rxx", 0, 1, 0.4);
    script_two(turned, "cx", 1, 0, 0);
    script_two(direct, "rxx", 0, 1, 0.3);
    script_one(direct, "rx", 1, 0.4);
    tap_ok(same_action(turned, direct, PAULIMPI_HEISENBERG),
           "gates pulled through Cliffords are the conjugated ones");
    script_destroy(turned);
    script_destroy(direct);
}

static void
test_unlimited(void)
{
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;

    tap_ok(options.truncation.max_terms == PAULIMPI_UNLIMITED
               && options.truncation.max_weight == PAULIMPI_UNLIMITED
               && options.truncation.max_xy_weight == PAULIMPI_UNLIMITED
               && options.truncation.min_abs == 0,
           "no limit is what one starts from");
}

static void
test_empty_in_empty_out(void)
{
    paulimpi_sum *sum;
    script *s = script_create(2);
    double value;
    char *text;
    int picture;

    script_draw(s, &(dice){ 5 }, 40, DRAW_ALL, 0, 2);
    check(paulimpi_sum_create(ctx, 2, &sum));
    for (picture = 0; picture < 2; picture++) {
        paulimpi_propagation_options options =
            PAULIMPI_PROPAGATION_OPTIONS_INIT;

        options.picture = picture;
        propagate_script(sum, s, &options, NULL);
        tap_is_int(paulimpi_sum_terms(sum), 0, "empty in, empty out");
    }
    check(paulimpi_sum_overlap(sum, sum, &value));
    tap_is_bits(value, 0, "its overlap is 0");
    check(paulimpi_sum_text(sum, &text));
    tap_is_text(text, "0", "its text is 0");
    check(paulimpi_sum_get_terms(sum, 0, NULL, NULL, NULL));
    paulimpi_text_destroy(&text);
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

static void
test_all_pair_labels(void)
{
    int all_right = 1;
    int i;

    for (i = 1; i < 16; i++) {
        dictionary_limits limits = DICTIONARY_KEEP_ALL;
        dictionary_report report = { 0 };
        dice d = { (uint64_t)i };
        dictionary *want = dictionary_create(2);
        paulimpi_sum *sum = make_random_sum(ctx, 2, 9, 0, 2, 2, &d, want);
        script *s = script_create(2);
        char label[3] = { "IXYZ"[i / 4], "IXYZ"[i % 4], '\0' };
        double difference;

        script_rotation(s, label, 0.3);
        propagate_script(sum, s, NULL, NULL);
        dictionary_heisenberg(want, s, &limits, &report);
        all_right &= has_strings(sum, want, &difference) && difference == 0;
        paulimpi_sum_destroy(&sum);
        dictionary_destroy(want);
        script_destroy(s);
    }
    tap_ok(all_right, "rotations about all 15 strings of two qubits");
}

static void
test_weight_is_weight(void)
{
    int picture;

    for (picture = 0; picture < 2; picture++) {
        paulimpi_propagation_options options =
            PAULIMPI_PROPAGATION_OPTIONS_INIT;
        paulimpi_sum *sum =
            make_sum(ctx, 5, "ZZIII + 2 IIIIX + 3 XYZII + 4 YIIYI");
        script *s = script_create(5);

        script_one(s, "z", 2, 0);
        options.picture = picture;
        options.truncation.max_weight = 2;
        propagate_script(sum, s, &options, NULL);
        tap_ok(is_sum(sum, "ZZIII + 2 IIIIX + 4 YIIYI"),
               "weight counts letters, in either picture");
        paulimpi_sum_destroy(&sum);
        script_destroy(s);
    }
}

static void
test_phases(void)
{
    script *p = script_create(2);
    script *rz = script_create(2);

    script_one(p, "p", 0, 0.3);
    script_one(rz, "rz", 0, 0.3);
    tap_ok(same_action(p, rz, PAULIMPI_HEISENBERG),
           "a global phase has no effect on any term");
    script_destroy(p);
    script_destroy(rz);
}

static void
test_wide(void)
{
    static const int64_t widths[] = { 2048, 5000 };
    size_t i;

    for (i = 0; i < 2; i++) {
        int64_t n = widths[i];
        paulimpi_sum *sum;
        script *s = script_create(n);
        char text[64];

        snprintf(text, sizeof text, "Z%d + 2 X0 Y%d", (int)n - 1, (int)n - 1);
        sum = make_sum(ctx, n, text);
        script_two(s, "cx", 0, n - 1, 0);
        script_one(s, "h", n - 1, 0);
        script_two(s, "rzz", 0, n - 1, pi / 2);
        propagate_script(sum, s, NULL, NULL);
        snprintf(text, sizeof text, "X%d - 2 Y0 Z%d", (int)n - 1, (int)n - 1);
        tap_ok(is_sum(sum, text), "%d qubits are fine", (int)n);
        paulimpi_sum_destroy(&sum);
        script_destroy(s);
    }
}

static void
test_hash_of_neighbours(void)
{
    dice d = { 56 };
    dictionary *want = dictionary_create(56);
    paulimpi_sum *sum = make_random_sum(ctx, 56, 3000, 44, 12, 12, &d, want);
    double difference;

    tap_ok(has_strings(sum, want, &difference),
           "strings that differ in a few of 56 qubits are told apart");
    paulimpi_sum_destroy(&sum);
    dictionary_destroy(want);
}

static void
test_sum_first(void)
{
    paulimpi_propagation_options options = options_eps(0.5);
    paulimpi_sum *sum = make_sum(ctx, 1, "0.6 X + 0.6 Z");
    script *s = script_create(1);

    script_one(s, "ry", 0, pi / 4);
    propagate_script(sum, s, &options, NULL);
    tap_ok(is_near_sum(sum, "0.84852813742385703 Z", 2e-16),
           "two halves, each too small, are added before terms are dropped");
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

static void
test_sign_of_y(void)
{
    int all_right = 1;
    int n;

    for (n = 1; n <= 7; n++) {
        dictionary_limits limits = DICTIONARY_KEEP_ALL;
        dictionary_report report = { 0 };
        char label[8] = "";
        dictionary *want = dictionary_create(n);
        paulimpi_sum *sum;
        script *s = script_create(n);
        double difference;

        memset(label, 'Y', (size_t)n);
        dictionary_add(want, label, 1);
        sum = make_sum(ctx, n, label);
        label[0] = 'Z';
        script_rotation(s, label, 0.3);
        label[n - 1] = 'X';
        script_rotation(s, label, 0.4);
        propagate_script(sum, s, NULL, NULL);
        dictionary_heisenberg(want, s, &limits, &report);
        all_right &= has_strings(sum, want, &difference) && difference == 0;
        paulimpi_sum_destroy(&sum);
        dictionary_destroy(want);
        script_destroy(s);
    }
    tap_ok(all_right, "signs are right for 1 to 7 letters Y");
}

int
main(void)
{
    ctx = make_context(1);
    test_quarter_turn_of_zz();
    test_yzy();
    test_overlap_has_no_power_of_two();
    test_noise_strengths();
    test_wrong_numbers();
    test_s_twice();
    test_any_width();
    test_stray_bits();
    test_clifford_pulled_through();
    test_unlimited();
    test_empty_in_empty_out();
    test_all_pair_labels();
    test_weight_is_weight();
    test_phases();
    test_wide();
    test_hash_of_neighbours();
    test_sum_first();
    test_sign_of_y();
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
