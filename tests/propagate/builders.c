/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Circuits that are built, copied and appended, against gate by gate.
 */
#include <math.h>

#include "propagate/support.h"

static paulimpi_context *ctx;

#define OBSERVABLE "X0 Y1 + 2 Z0 X2 + 3 Y2 + 4 Z1 Z2 + 5 I"

/* Whether a circuit on three qubits does what a script does. */
static int
acts_like(const paulimpi_circuit *circuit, const script *s)
{
    paulimpi_sum *a = make_sum(ctx, 3, OBSERVABLE);
    paulimpi_sum *b = make_sum(ctx, 3, OBSERVABLE);
    int same;

    propagate(a, circuit, NULL, NULL);
    propagate_script(b, s, NULL, NULL);
    same = same_bits(a, b);
    paulimpi_sum_destroy(&a);
    paulimpi_sum_destroy(&b);
    return same;
}

/* H = 0.3 X0 + 0.5 Z0 Z1 - 0.2 Y2 + 0.7, in order of labels: IIY, XII, ZZI.
 * A step of order 1 rotates by 2 c dt about each; of order 2 by c dt, there
 * and back. */
static void
add_step(script *s, double dt, int order)
{
    static const char *const labels[3] = { "IIY", "XII", "ZZI" };
    static const double c[3] = { -0.2, 0.3, 0.5 };
    int i;

    for (i = 0; i < 3; i++) {
        script_rotation(s, labels[i], (order == 1 ? 2 : 1) * c[i] * dt);
    }
    for (i = 2; order == 2 && i >= 0; i--) {
        script_rotation(s, labels[i], c[i] * dt);
    }
}

static void
test_trotter(int order)
{
    paulimpi_sum *h = make_sum(ctx, 3, "0.3 X0 + 0.5 Z0 Z1 - 0.2 Y2 + 0.7");
    script *s = script_create(3);
    paulimpi_circuit *c;
    int step;

    check(paulimpi_circuit_create(3, &c));
    check(paulimpi_circuit_trotter(c, h, 0.25, 4, order));
    for (step = 0; step < 4; step++) {
        add_step(s, 0.25, order);
    }
    tap_ok(acts_like(c, s), "Trotter steps of order %d are those rotations",
           order);
    paulimpi_sum_destroy(&h);
    paulimpi_circuit_destroy(&c);
    script_destroy(s);
}

/* The error of n steps against very many of them. */
static double
trotter_value(int order, int64_t steps)
{
    paulimpi_sum *h = make_sum(ctx, 3, "0.3 X0 + 0.5 Z0 Z1 - 0.2 Y0 X2");
    paulimpi_sum *o = make_sum(ctx, 3, "X0 + Y0 Z1 + Z0 X2");
    paulimpi_circuit *c;
    double value;

    check(paulimpi_circuit_create(3, &c));
    check(paulimpi_circuit_trotter(c, h, 1.0 / (double)steps, steps, order));
    propagate(o, c, NULL, NULL);
    value = value_in(o, "r0+");
    paulimpi_sum_destroy(&h);
    paulimpi_sum_destroy(&o);
    paulimpi_circuit_destroy(&c);
    return value;
}

static void
test_trotter_converges(void)
{
    double exact = trotter_value(2, 2000);
    double coarse = fabs(trotter_value(1, 50) - exact);
    double fine = fabs(trotter_value(1, 100) - exact);

    tap_is_near(coarse / fine, 2, 0.2, "the error of order 1 falls as 1/n");
    coarse = fabs(trotter_value(2, 10) - exact);
    fine = fabs(trotter_value(2, 20) - exact);
    tap_is_near(coarse / fine, 4, 0.4, "that of order 2 as 1/n^2");
}

static void
test_bad_trotter(void)
{
    paulimpi_sum *h = make_sum(ctx, 3, "X0");
    paulimpi_sum *wide = make_sum(ctx, 4, "X0");
    paulimpi_circuit *c;

    check(paulimpi_circuit_create(3, &c));
    tap_is_status(paulimpi_circuit_trotter(c, h, 0.1, 1, 3),
                  PAULIMPI_ERR_ARGUMENT, "there is no order 3");
    tap_is_status(paulimpi_circuit_trotter(c, h, 0.1, -1, 1),
                  PAULIMPI_ERR_ARGUMENT, "nor -1 steps");
    tap_is_status(paulimpi_circuit_trotter(c, h, NAN, 1, 1),
                  PAULIMPI_ERR_ARGUMENT, "a step is a number");
    tap_is_status(paulimpi_circuit_trotter(c, NULL, 0.1, 1, 1),
                  PAULIMPI_ERR_ARGUMENT, "a Hamiltonian is needed");
    tap_is_status(paulimpi_circuit_trotter(c, wide, 0.1, 1, 1),
                  PAULIMPI_ERR_MISMATCH, "of the same width");
    tap_is_status(paulimpi_circuit_trotter(c, h, 0.1, 0, 1), PAULIMPI_SUCCESS,
                  "no steps are fine");
    tap_is_int(paulimpi_circuit_gates(c), 0, "nothing was appended");
    paulimpi_sum_destroy(&h);
    paulimpi_sum_destroy(&wide);
    paulimpi_circuit_destroy(&c);
}

static void
test_kicked_ising(void)
{
    static const int64_t edges[][2] = { { 2, 1 }, { 0, 1 } };
    script *s = script_create(3);
    paulimpi_circuit *c;
    int step, q;

    check(paulimpi_circuit_create(3, &c));
    check(paulimpi_circuit_kicked_ising(c, 2, edges[0], 3, 0.3, 0.4));
    for (step = 0; step < 3; step++) {
        for (q = 0; q < 3; q++) {
            script_one(s, "rx", q, 0.3);
        }
        script_two(s, "rzz", 2, 1, 0.4);
        script_two(s, "rzz", 0, 1, 0.4);
    }
    tap_ok(acts_like(c, s), "kicked Ising: RX on all, then RZZ on the edges");
    tap_is_int(paulimpi_circuit_gates(c), 15, "five gates a step");
    paulimpi_circuit_destroy(&c);
    script_destroy(s);
}

static void
test_bad_kicked_ising(void)
{
    static const int64_t edges[][2] = { { 0, 1 }, { 1, 3 } };
    paulimpi_circuit *c;

    check(paulimpi_circuit_create(3, &c));
    tap_is_status(paulimpi_circuit_kicked_ising(c, 2, edges[0], 1, 0.3, 0.4),
                  PAULIMPI_ERR_ARGUMENT,
                  "an edge to a qubit that is not there");
    tap_is_status(paulimpi_circuit_kicked_ising(c, -1, edges[0], 1, 0.3, 0.4),
                  PAULIMPI_ERR_ARGUMENT, "-1 edges");
    tap_is_status(paulimpi_circuit_kicked_ising(c, 1, edges[0], -1, 0.3, 0.4),
                  PAULIMPI_ERR_ARGUMENT, "-1 steps");
    tap_is_status(paulimpi_circuit_kicked_ising(c, 1, edges[0], 1, NAN, 0.4),
                  PAULIMPI_ERR_ARGUMENT, "an angle that is none");
    tap_is_status(
        paulimpi_circuit_kicked_ising(c, 1, edges[0], 1, 0.3, INFINITY),
        PAULIMPI_ERR_ARGUMENT, "or infinite");
    tap_is_status(paulimpi_circuit_kicked_ising(c, 1, NULL, 1, 0.3, 0.4),
                  PAULIMPI_ERR_ARGUMENT, "no edges");
    tap_is_int(paulimpi_circuit_gates(c), 0, "are all refused");
    tap_is_status(paulimpi_circuit_kicked_ising(c, 0, NULL, 1, 0.3, 0.4),
                  PAULIMPI_SUCCESS, "0 edges need no array");
    tap_is_int(paulimpi_circuit_gates(c), 3, "only the kicks");
    tap_is_status(paulimpi_heavy_hex_127(NULL), PAULIMPI_ERR_ARGUMENT,
                  "edges need room");
    paulimpi_circuit_destroy(&c);
}

static void
test_append(void)
{
    dice d = { 31 };
    script *a = script_create(3);
    script *b = script_create(3);
    script *both = script_create(3);
    paulimpi_circuit *c, *e, *copy;

    script_draw(a, &d, 15, DRAW_ALL, 0, 3);
    script_draw(b, &d, 15, DRAW_ALL, 0, 3);
    c = make_circuit(a);
    e = make_circuit(b);
    check(paulimpi_circuit_copy(c, &copy));
    check(paulimpi_circuit_append(c, e));
    tap_is_int(paulimpi_circuit_gates(c), 30, "circuits can be appended");
    script_append(both, a, 0, 15);
    script_append(both, b, 0, 15);
    tap_ok(acts_like(c, both), "they act one after the other");
    tap_ok(acts_like(copy, a), "a copy made before is as it was");
    check(paulimpi_circuit_append(copy, copy));
    script_append(a, a, 0, 15);
    tap_ok(acts_like(copy, a), "a circuit can be appended to itself");
    paulimpi_circuit_destroy(&c);
    paulimpi_circuit_destroy(&e);
    paulimpi_circuit_destroy(&copy);
    script_destroy(a);
    script_destroy(b);
    script_destroy(both);
}

static void
test_bad_append(void)
{
    paulimpi_circuit *c, *wide;

    check(paulimpi_circuit_create(3, &c));
    check(paulimpi_circuit_create(4, &wide));
    tap_is_status(paulimpi_circuit_append(c, wide), PAULIMPI_ERR_MISMATCH,
                  "circuits of two widths do not go together");
    tap_is_status(paulimpi_circuit_append(c, NULL), PAULIMPI_ERR_ARGUMENT,
                  "one is needed");
    tap_is_status(paulimpi_circuit_append(NULL, c), PAULIMPI_ERR_ARGUMENT,
                  "two are");
    paulimpi_circuit_destroy(&wide);
    check(paulimpi_circuit_create(3, &wide));
    check(paulimpi_circuit_group_begin(wide));
    check(paulimpi_circuit_h(wide, 0));
    tap_is_status(paulimpi_circuit_append(c, wide), PAULIMPI_ERR_STATE,
                  "an open group cannot be appended");
    tap_is_int(paulimpi_circuit_gates(c), 0, "nothing was appended");
    paulimpi_circuit_destroy(&c);
    paulimpi_circuit_destroy(&wide);
}

static void
test_handles(void)
{
    paulimpi_circuit *c = NULL;

    paulimpi_circuit_destroy(NULL);
    paulimpi_circuit_destroy(&c);
    tap_is_status(paulimpi_circuit_create(0, &c), PAULIMPI_ERR_ARGUMENT,
                  "no qubits make no circuit");
    tap_ok(c == NULL, "and no handle");
    tap_is_status(paulimpi_circuit_create(3, NULL), PAULIMPI_ERR_ARGUMENT,
                  "a place for the handle is needed");
    tap_is_int(paulimpi_circuit_qubits(NULL), PAULIMPI_ERR_ARGUMENT,
               "NULL has no qubits");
    tap_is_int(paulimpi_circuit_gates(NULL), PAULIMPI_ERR_ARGUMENT,
               "no gates");
    tap_is_status(paulimpi_circuit_copy(NULL, &c), PAULIMPI_ERR_ARGUMENT,
                  "no copy");
    tap_is_status(paulimpi_circuit_h(NULL, 0), PAULIMPI_ERR_ARGUMENT,
                  "and takes no gate");
    tap_is_status(paulimpi_circuit_rotation(NULL, "X", 0.1),
                  PAULIMPI_ERR_ARGUMENT, "no rotation");
    tap_is_status(paulimpi_circuit_barrier(NULL), PAULIMPI_ERR_ARGUMENT,
                  "no barrier");
    tap_is_status(paulimpi_circuit_group_begin(NULL), PAULIMPI_ERR_ARGUMENT,
                  "no group");
    tap_is_status(paulimpi_circuit_group_end(NULL), PAULIMPI_ERR_ARGUMENT,
                  "nor its end");
    check(paulimpi_circuit_create(3, &c));
    tap_is_status(paulimpi_circuit_rotation(c, NULL, 0.1),
                  PAULIMPI_ERR_ARGUMENT, "a label is needed");
    tap_is_status(paulimpi_circuit_gate(c, NULL, 0, NULL, 0, NULL),
                  PAULIMPI_ERR_ARGUMENT, "and a name");
    tap_is_status(paulimpi_circuit_gate(c, "h", 1, NULL, 0, NULL),
                  PAULIMPI_ERR_ARGUMENT, "and its qubits");
    paulimpi_circuit_destroy(&c);
    tap_ok(c == NULL, "destroy forgets the handle");
}

int
main(void)
{
    ctx = make_context(1);
    test_trotter(1);
    test_trotter(2);
    test_trotter_converges();
    test_bad_trotter();
    test_kicked_ising();
    test_bad_kicked_ising();
    test_append();
    test_bad_append();
    test_handles();
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
