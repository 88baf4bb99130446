/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What one gate does to one string.
 */
#include <math.h>
#include <string.h>

#include "propagate/support.h"

static paulimpi_context *ctx;

/* A gate in one line: "cx 0 1", "rx 0 (0.3)". */
typedef struct {
    const char *gate;
    int64_t qubits[2];
    double parameters[3];
    const char *before;
    const char *after;
} rule;

static paulimpi_sum *
act(const rule *r, int picture)
{
    const script_gate_kind *kind = script_find(r->gate);
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    paulimpi_sum *sum = make_sum(ctx, 2, r->before);
    paulimpi_circuit *circuit;

    check(paulimpi_circuit_create(2, &circuit));
    check(paulimpi_circuit_gate(circuit, r->gate, kind->n_qubits, r->qubits,
                                kind->n_angles + kind->n_probabilities,
                                r->parameters));
    options.picture = picture;
    propagate(sum, circuit, &options, NULL);
    paulimpi_circuit_destroy(&circuit);
    return sum;
}

static void
test_rules(const rule *rules, size_t n, int picture, double tolerance)
{
    size_t i;

    for (i = 0; i < n; i++) {
        paulimpi_sum *sum = act(&rules[i], picture);

        tap_ok(is_near_sum(sum, rules[i].after, tolerance),
               "%s takes %s to %s in the %s picture", rules[i].gate,
               rules[i].before, rules[i].after,
               picture == PAULIMPI_HEISENBERG ? "Heisenberg" : "Schroedinger");
        paulimpi_sum_destroy(&sum);
    }
}

/* clang-format off */
static const rule cliffords[] = {
    { "h", { 0 }, { 0 }, "X0 Z1", "Z0 Z1" },
    { "h", { 0 }, { 0 }, "Y0", "-Y0" },
    { "h", { 0 }, { 0 }, "Z0", "X0" },
    { "s", { 0 }, { 0 }, "X0", "-Y0" },
    { "s", { 0 }, { 0 }, "Y0", "X0" },
    { "s", { 0 }, { 0 }, "Z0", "Z0" },
    { "sdg", { 0 }, { 0 }, "X0", "Y0" },
    { "sdg", { 0 }, { 0 }, "Y0", "-X0" },
    { "sx", { 0 }, { 0 }, "X0", "X0" },
    { "sx", { 0 }, { 0 }, "Z0", "Y0" },
    { "sx", { 0 }, { 0 }, "Y0", "-Z0" },
    { "sxdg", { 0 }, { 0 }, "Z0", "-Y0" },
    { "sxdg", { 0 }, { 0 }, "Y0", "Z0" },
    { "x", { 1 }, { 0 }, "X0 X1 + 2 X0 Y1 + 3 X0 Z1",
      "X0 X1 - 2 X0 Y1 - 3 X0 Z1" },
    { "y", { 1 }, { 0 }, "X0 X1 + 2 X0 Y1 + 3 X0 Z1",
      "-X0 X1 + 2 X0 Y1 - 3 X0 Z1" },
    { "z", { 1 }, { 0 }, "X0 X1 + 2 X0 Y1 + 3 X0 Z1",
      "-X0 X1 - 2 X0 Y1 + 3 X0 Z1" },
    { "cx", { 0, 1 }, { 0 }, "XI", "XX" },
    { "cx", { 0, 1 }, { 0 }, "IZ", "ZZ" },
    { "cx", { 0, 1 }, { 0 }, "YI", "YX" },
    { "cx", { 0, 1 }, { 0 }, "IY", "ZY" },
    { "cx", { 0, 1 }, { 0 }, "YY", "-XZ" },
    { "cx", { 0, 1 }, { 0 }, "XZ", "-YY" },
    { "cx", { 0, 1 }, { 0 }, "XY", "YZ" },
    { "cx", { 0, 1 }, { 0 }, "YZ", "XY" },
    { "cx", { 0, 1 }, { 0 }, "ZI", "ZI" },
    { "cx", { 1, 0 }, { 0 }, "ZI", "ZZ" },
    { "cz", { 0, 1 }, { 0 }, "XI", "XZ" },
    { "cz", { 0, 1 }, { 0 }, "IX", "ZX" },
    { "cz", { 0, 1 }, { 0 }, "YI", "YZ" },
    { "cz", { 0, 1 }, { 0 }, "XX", "YY" },
    { "cz", { 0, 1 }, { 0 }, "YY", "XX" },
    { "cz", { 0, 1 }, { 0 }, "XY", "-YX" },
    { "cz", { 0, 1 }, { 0 }, "YX", "-XY" },
    { "cy", { 0, 1 }, { 0 }, "IX", "ZX" },
    { "cy", { 0, 1 }, { 0 }, "XI", "XY" },
    { "cy", { 0, 1 }, { 0 }, "XX", "-YZ" },
    { "swap", { 0, 1 }, { 0 }, "XY", "YX" },
    { "swap", { 0, 1 }, { 0 }, "IZ + 2 XI", "ZI + 2 IX" },
};

/* cos 0.3 and sin 0.3. */
#define C "0.95533648912560598"
#define S "0.29552020666133955"
static const rule rotations[] = {
    { "rx", { 0 }, { 0.3 }, "Z0", C " Z0 + " S " Y0" },
    { "rx", { 0 }, { 0.3 }, "Y0", C " Y0 - " S " Z0" },
    { "rx", { 0 }, { 0.3 }, "X0", "X0" },
    { "ry", { 0 }, { 0.3 }, "X0", C " X0 + " S " Z0" },
    { "ry", { 0 }, { 0.3 }, "Z0", C " Z0 - " S " X0" },
    { "rz", { 0 }, { 0.3 }, "Y0", C " Y0 + " S " X0" },
    { "rz", { 0 }, { 0.3 }, "X0", C " X0 - " S " Y0" },
    { "p", { 0 }, { 0.3 }, "X0", C " X0 - " S " Y0" },
    { "u1", { 0 }, { 0.3 }, "X0", C " X0 - " S " Y0" },
    { "rxx", { 0, 1 }, { 0.3 }, "ZI", C " ZI + " S " YX" },
    { "rxx", { 1, 0 }, { 0.3 }, "ZI", C " ZI + " S " YX" },
    { "ryy", { 0, 1 }, { 0.3 }, "XI", C " XI + " S " ZY" },
    { "rzz", { 0, 1 }, { 0.3 }, "YI", C " YI + " S " XZ" },
    { "rzz", { 0, 1 }, { 0.3 }, "XX", "XX" },
};

static const rule backward_rotations[] = {
    { "rx", { 0 }, { 0.3 }, "Z0", C " Z0 - " S " Y0" },
    { "ry", { 0 }, { 0.3 }, "X0", C " X0 - " S " Z0" },
    { "rz", { 0 }, { 0.3 }, "Y0", C " Y0 - " S " X0" },
    { "rxx", { 0, 1 }, { 0.3 }, "ZI", C " ZI - " S " YX" },
    { "s", { 0 }, { 0 }, "X0", "Y0" },
    { "sx", { 0 }, { 0 }, "Z0", "-Y0" },
    { "h", { 0 }, { 0 }, "Y0", "-Y0" },
    { "cx", { 0, 1 }, { 0 }, "XZ", "-YY" },
};

#define R "0.70710678118654752"
static const rule maps[] = {
    { "t", { 0 }, { 0 }, "X0", R " X0 - " R " Y0" },
    { "t", { 0 }, { 0 }, "Y0", R " X0 + " R " Y0" },
    { "tdg", { 0 }, { 0 }, "X0", R " X0 + " R " Y0" },
    { "tdg", { 0 }, { 0 }, "Z0", "Z0" },
    { "u3", { 0 }, { 0.3, 0, 0 }, "X0", C " X0 + " S " Z0" },
    { "u3", { 0 }, { 0, 0.3, 0 }, "X0", C " X0 - " S " Y0" },
    { "u3", { 0 }, { 0, 0, 0.3 }, "X0", C " X0 - " S " Y0" },
    { "u2", { 0 }, { 0, 0 }, "X0", "Z0" },
    { "u2", { 0 }, { 0, 0 }, "Z0", "-X0" },
};

static const rule channels[] = {
    { "depolarizing", { 0 }, { 0.3 }, "4 I + XI + 2 YZ + 3 ZI + IX",
      "4 I + 0.6 XI + 1.2 YZ + 1.8 ZI + IX" },
    { "depolarizing", { 0 }, { 0.75 }, "4 I + XI + 2 YZ + 3 ZI + IX",
      "4 I + IX" },
    { "depolarizing", { 0 }, { 1 }, "XI + IX",
      "-0.33333333333333333 XI + IX" },
    { "dephasing", { 1 }, { 0.1 }, "XX + 2 ZY + 3 YZ",
      "0.8 XX + 1.6 ZY + 3 YZ" },
    { "dephasing", { 1 }, { 0.5 }, "XX + 2 ZY + 3 YZ", "3 YZ" },
    { "dephasing", { 1 }, { 1 }, "XX + 2 ZY + 3 YZ", "-XX - 2 ZY + 3 YZ" },
    { "pauli_noise", { 0 }, { 0.1, 0.2, 0.3 }, "XI + YI + ZI",
      "0 I + 0.2 YI + 0.4 ZI" },
    { "pauli_noise", { 0 }, { 0.05, 0.1, 0.15 }, "XI + YI + ZI",
      "0.5 XI + 0.6 YI + 0.7 ZI" },
    { "amplitude_damping", { 0 }, { 0.36 }, "X0 + 2 Y0", "0.8 X0 + 1.6 Y0" },
};

static const rule damping[] = {
    { "amplitude_damping", { 0 }, { 0.36 }, "Z0 X1",
      "0.64 Z0 X1 + 0.36 X1" },
    { "amplitude_damping", { 0 }, { 0.36 }, "I", "I" },
    { "amplitude_damping", { 0 }, { 1 }, "X0 + Y0 + Z0", "I" },
    { "amplitude_damping", { 0 }, { 0 }, "X0 + Y0 + Z0", "X0 + Y0 + Z0" },
};

static const rule backward_damping[] = {
    { "amplitude_damping", { 0 }, { 0.36 }, "I", "I + 0.36 Z0" },
    { "amplitude_damping", { 0 }, { 0.36 }, "Z0", "0.64 Z0" },
    { "amplitude_damping", { 0 }, { 0.36 }, "Y0 Z1", "0.8 Y0 Z1" },
    { "amplitude_damping", { 0 }, { 1 }, "I + Z0", "I + Z0" },
};
/* clang-format on */

#define TEST(rules, picture, tolerance)                                       \
    test_rules(rules, sizeof(rules) / sizeof(rules)[0], picture, tolerance)

/* The function of a gate without parameters. */
static void
test_named_functions(void)
{
    static const struct {
        const char *name;
        int (*one)(paulimpi_circuit *, int64_t);
        int (*two)(paulimpi_circuit *, int64_t, int64_t);
    } gates[] = {
        { "h", paulimpi_circuit_h, NULL },
        { "s", paulimpi_circuit_s, NULL },
        { "sdg", paulimpi_circuit_sdg, NULL },
        { "sx", paulimpi_circuit_sx, NULL },
        { "sxdg", paulimpi_circuit_sxdg, NULL },
        { "x", paulimpi_circuit_x, NULL },
        { "y", paulimpi_circuit_y, NULL },
        { "z", paulimpi_circuit_z, NULL },
        { "t", paulimpi_circuit_t, NULL },
        { "tdg", paulimpi_circuit_tdg, NULL },
        { "cx", NULL, paulimpi_circuit_cx },
        { "cy", NULL, paulimpi_circuit_cy },
        { "cz", NULL, paulimpi_circuit_cz },
        { "swap", NULL, paulimpi_circuit_swap },
    };
    static const int64_t qubits[2] = { 2, 0 };
    size_t i;

    for (i = 0; i < sizeof gates / sizeof gates[0]; i++) {
        paulimpi_sum *a = make_sum(ctx, 3, "XYZ + 2 ZIX + 3 YZY + 4 IIZ");
        paulimpi_sum *b = make_sum(ctx, 3, "XYZ + 2 ZIX + 3 YZY + 4 IIZ");
        paulimpi_circuit *by_function, *by_name;

        check(paulimpi_circuit_create(3, &by_function));
        check(paulimpi_circuit_create(3, &by_name));
        check(gates[i].one != NULL ? gates[i].one(by_function, 2)
                                   : gates[i].two(by_function, 2, 0));
        check(paulimpi_circuit_gate(by_name, gates[i].name,
                                    gates[i].one != NULL ? 1 : 2, qubits, 0,
                                    NULL));
        propagate(a, by_function, NULL, NULL);
        propagate(b, by_name, NULL, NULL);
        tap_ok(same_bits(a, b), "the function of %s is the gate of that name",
               gates[i].name);
        paulimpi_circuit_destroy(&by_function);
        paulimpi_circuit_destroy(&by_name);
        paulimpi_sum_destroy(&a);
        paulimpi_sum_destroy(&b);
    }
}

/* The functions with parameters, all in one circuit. */
static void
test_functions_with_parameters(void)
{
    static const char *text = "XYZ + 2 ZIX + 3 YZY + 4 IIZ";
    paulimpi_sum *a = make_sum(ctx, 3, text);
    paulimpi_sum *b = make_sum(ctx, 3, text);
    paulimpi_circuit *c;
    script *s = script_create(3);

    check(paulimpi_circuit_create(3, &c));
    check(paulimpi_circuit_rx(c, 0, 0.1));
    check(paulimpi_circuit_ry(c, 1, 0.2));
    check(paulimpi_circuit_rz(c, 2, 0.3));
    check(paulimpi_circuit_rxx(c, 0, 1, 0.4));
    check(paulimpi_circuit_ryy(c, 1, 2, 0.5));
    check(paulimpi_circuit_rzz(c, 2, 0, 0.6));
    check(paulimpi_circuit_rotation(c, "X2 Y0", 0.7));
    check(paulimpi_circuit_u1(c, 2, 0.8));
    check(paulimpi_circuit_p(c, 1, 0.9));
    check(paulimpi_circuit_depolarizing(c, 0, 0.11));
    check(paulimpi_circuit_dephasing(c, 1, 0.12));
    check(paulimpi_circuit_amplitude_damping(c, 2, 0.13));
    script_one(s, "rx", 0, 0.1);
    script_one(s, "ry", 1, 0.2);
    script_one(s, "rz", 2, 0.3);
    script_two(s, "rxx", 0, 1, 0.4);
    script_two(s, "ryy", 1, 2, 0.5);
    script_two(s, "rzz", 2, 0, 0.6);
    script_rotation(s, "YIX", 0.7);
    script_one(s, "u1", 2, 0.8);
    script_one(s, "p", 1, 0.9);
    script_one(s, "depolarizing", 0, 0.11);
    script_one(s, "dephasing", 1, 0.12);
    script_one(s, "amplitude_damping", 2, 0.13);
    propagate(a, c, NULL, NULL);
    propagate_script(b, s, NULL, NULL);
    tap_ok(same_bits(a, b), "functions with one parameter are those gates");
    paulimpi_circuit_destroy(&c);
    script_destroy(s);
    paulimpi_sum_destroy(&a);
    paulimpi_sum_destroy(&b);
}

static void
test_functions_with_several_parameters(void)
{
    static const int64_t qubit = 1;
    static const double angles[3] = { 0.4, 0.5, 0.6 };
    static const double noise[3] = { 0.1, 0.2, 0.3 };
    paulimpi_sum *a = make_sum(ctx, 2, "XX + 2 ZY + 3 YZ");
    paulimpi_sum *b = make_sum(ctx, 2, "XX + 2 ZY + 3 YZ");
    paulimpi_circuit *c, *e;

    check(paulimpi_circuit_create(2, &c));
    check(paulimpi_circuit_create(2, &e));
    check(paulimpi_circuit_u3(c, 1, 0.4, 0.5, 0.6));
    check(paulimpi_circuit_u2(c, 1, 0.4, 0.5));
    check(paulimpi_circuit_pauli_noise(c, 1, 0.1, 0.2, 0.3));
    check(paulimpi_circuit_gate(e, "u3", 1, &qubit, 3, angles));
    check(paulimpi_circuit_gate(e, "u2", 1, &qubit, 2, angles));
    check(paulimpi_circuit_gate(e, "pauli_noise", 1, &qubit, 3, noise));
    propagate(a, c, NULL, NULL);
    propagate(b, e, NULL, NULL);
    tap_ok(same_bits(a, b), "u3, u2 and pauli_noise are the gates so named");
    paulimpi_circuit_destroy(&c);
    paulimpi_circuit_destroy(&e);
    paulimpi_sum_destroy(&a);
    paulimpi_sum_destroy(&b);
}

int
main(void)
{
    ctx = make_context(1);
    TEST(cliffords, PAULIMPI_HEISENBERG, 0);
    TEST(rotations, PAULIMPI_HEISENBERG, 1e-16);
    TEST(backward_rotations, PAULIMPI_SCHROEDINGER, 1e-16);
    TEST(maps, PAULIMPI_HEISENBERG, 2e-16);
    TEST(channels, PAULIMPI_HEISENBERG, 1e-15);
    TEST(channels, PAULIMPI_SCHROEDINGER, 1e-15);
    TEST(damping, PAULIMPI_HEISENBERG, 1e-15);
    TEST(backward_damping, PAULIMPI_SCHROEDINGER, 1e-15);
    test_named_functions();
    test_functions_with_parameters();
    test_functions_with_several_parameters();
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
