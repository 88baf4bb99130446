/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The circuits of the workloads.
 *
 * Rotations are exp(-i theta P / 2), listed in the order of time; the
 * observable is propagated in the Heisenberg picture, the last gate first.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads.h"

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

enum { LABEL_MOST = 8 * PAULIMPI_HEAVY_HEX_127_QUBITS };

/* Begin a problem: an empty circuit, no terms, all qubits in state 0. */
static int
begin(paulimpi_context *ctx, int64_t n, double eps, workload_problem *problem)
{
    int rc = paulimpi_circuit_create(n, &problem->circuit);

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_sum_create(ctx, n, &problem->observable);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    problem->ones = calloc((size_t)paulimpi_pauli_words(n), sizeof(uint64_t));
    problem->eps = eps;
    return problem->ones != NULL ? PAULIMPI_SUCCESS : PAULIMPI_ERR_MEMORY;
}

/* Add a string of one or two letters Z. */
static int
observe_z(workload_problem *problem, int64_t a, int64_t b)
{
    char text[64];

    if (a == b) {
        snprintf(text, sizeof text, "Z%lld", (long long)a);
    } else {
        snprintf(text, sizeof text, "Z%lld Z%lld", (long long)a, (long long)b);
    }
    return paulimpi_sum_add_text(problem->observable, text, 1.0);
}

/* Depolarizing noise on a qubit that a gate touched; none for p = 0. */
static int
add_noise(paulimpi_circuit *circuit, int64_t q, double p)
{
    return p > 0.0 ? paulimpi_circuit_depolarizing(circuit, q, p)
                   : PAULIMPI_SUCCESS;
}

static int
rx_all(paulimpi_circuit *circuit, int64_t n, double theta, double p)
{
    int rc = PAULIMPI_SUCCESS;
    int64_t q;

    for (q = 0; q < n && rc == PAULIMPI_SUCCESS; q++) {
        rc = paulimpi_circuit_rx(circuit, q, theta);
        if (rc == PAULIMPI_SUCCESS) {
            rc = add_noise(circuit, q, p);
        }
    }
    return rc;
}

static int
rz_all(paulimpi_circuit *circuit, int64_t n, double theta, double p)
{
    int rc = PAULIMPI_SUCCESS;
    int64_t q;

    for (q = 0; q < n && rc == PAULIMPI_SUCCESS; q++) {
        rc = paulimpi_circuit_rz(circuit, q, theta);
        if (rc == PAULIMPI_SUCCESS) {
            rc = add_noise(circuit, q, p);
        }
    }
    return rc;
}

static int
rzz_with_noise(paulimpi_circuit *circuit, int64_t a, int64_t b, double theta,
               double p)
{
    int rc = paulimpi_circuit_rzz(circuit, a, b, theta);

    if (rc == PAULIMPI_SUCCESS) {
        rc = add_noise(circuit, a, p);
    }
    return rc == PAULIMPI_SUCCESS ? add_noise(circuit, b, p) : rc;
}

/* RZZ on all bonds of a grid, row by row; of a site's two bonds the one to the
 * right or the one down comes first. */
static int
rzz_grid(paulimpi_circuit *circuit, int64_t side, int is_down_first,
         double theta, double p)
{
    int rc = PAULIMPI_SUCCESS;
    int64_t q;
    int turn;

    for (q = 0; q < side * side; q++) {
        for (turn = 0; turn < 2 && rc == PAULIMPI_SUCCESS; turn++) {
            int is_down = turn != is_down_first;

            if (is_down && q / side + 1 < side) {
                rc = rzz_with_noise(circuit, q, q + side, theta, p);
            } else if (!is_down && q % side + 1 < side) {
                rc = rzz_with_noise(circuit, q, q + 1, theta, p);
            }
        }
    }
    return rc;
}

/* RZZ along an open chain, from its end to its beginning. */
static int
rzz_chain_backwards(paulimpi_circuit *circuit, int64_t n, double theta)
{
    int rc = PAULIMPI_SUCCESS;
    int64_t q;

    for (q = n - 2; q >= 0 && rc == PAULIMPI_SUCCESS; q--) {
        rc = paulimpi_circuit_rzz(circuit, q, q + 1, theta);
    }
    return rc;
}

static int
rx_all_backwards(paulimpi_circuit *circuit, int64_t n, double theta)
{
    int rc = PAULIMPI_SUCCESS;
    int64_t q;

    for (q = n - 1; q >= 0 && rc == PAULIMPI_SUCCESS; q--) {
        rc = paulimpi_circuit_rx(circuit, q, theta);
    }
    return rc;
}

/* side, steps, eps */
static int
build_lattice_b(paulimpi_context *ctx, const double *value,
                workload_problem *problem)
{
    int64_t side = (int64_t)value[0];
    int64_t steps = (int64_t)value[1];
    int64_t n = side * side;
    int64_t centre = side / 2 * side + side / 2;
    int64_t step;
    int rc = begin(ctx, n, value[2], problem);

    for (step = 0; step < steps && rc == PAULIMPI_SUCCESS; step++) {
        rc = rzz_grid(problem->circuit, side, 0, 0.075, 0.0);
        if (rc == PAULIMPI_SUCCESS) {
            rc = rz_all(problem->circuit, n, 0.05, 0.0);
        }
        if (rc == PAULIMPI_SUCCESS) {
            rc = rx_all(problem->circuit, n, 0.05, 0.0);
        }
    }
    return rc == PAULIMPI_SUCCESS ? observe_z(problem, centre - 1, centre)
                                  : rc;
}

/* Lattice C, with depolarizing noise p on each qubit that a gate touches. */
static int
build_layers(paulimpi_context *ctx, int64_t layers, double eps, double p,
             workload_problem *problem)
{
    int64_t layer;
    int rc = begin(ctx, 36, eps, problem);

    for (layer = 0; layer < layers && rc == PAULIMPI_SUCCESS; layer++) {
        rc = rx_all(problem->circuit, 36, 0.1, p);
        if (rc == PAULIMPI_SUCCESS) {
            rc = rz_all(problem->circuit, 36, 0.1, p);
        }
        if (rc == PAULIMPI_SUCCESS) {
            rc = rzz_grid(problem->circuit, 6, 1, 0.05, p);
        }
    }
    return rc == PAULIMPI_SUCCESS ? observe_z(problem, 20, 21) : rc;
}

/* layers, eps */
static int
build_lattice_c(paulimpi_context *ctx, const double *value,
                workload_problem *problem)
{
    return build_layers(ctx, (int64_t)value[0], value[1], 0.0, problem);
}

/* layers, eps, p */
static int
build_noisy(paulimpi_context *ctx, const double *value,
            workload_problem *problem)
{
    return build_layers(ctx, (int64_t)value[0], value[1], value[2], problem);
}

/* n, steps, eps */
static int
build_chain_d(paulimpi_context *ctx, const double *value,
              workload_problem *problem)
{
    int64_t n = (int64_t)value[0];
    int64_t steps = (int64_t)value[1];
    int64_t step, q;
    int rc = begin(ctx, n, value[2], problem);

    for (step = 0; step < steps && rc == PAULIMPI_SUCCESS; step++) {
        rc = rzz_chain_backwards(problem->circuit, n, 0.2);
        if (rc == PAULIMPI_SUCCESS) {
            rc = rx_all_backwards(problem->circuit, n, 0.2);
        }
    }
    for (q = 0; q < n && rc == PAULIMPI_SUCCESS; q++) {
        rc = observe_z(problem, q, q);
    }
    return rc;
}

/* Append a rotation by theta about X_q after it was moved, towards later
 * times, through the given number of layers of RZZ(-pi/2) on all edges. Each
 * layer multiplies the string by -i Z_a Z_b for every edge (a, b) on q. */
static int
append_moved_rx(paulimpi_circuit *circuit, const int64_t *edge, int64_t q,
                int64_t layers, double theta)
{
    char z[PAULIMPI_HEAVY_HEX_127_QUBITS] = { 0 };
    char label[LABEL_MOST];
    int length = 0;
    int64_t power = 0; /* the string is i^power X_q times its letters Z */
    int64_t e, p;

    for (e = 0; e < PAULIMPI_HEAVY_HEX_127_EDGES; e++) {
        if (edge[2 * e] == q || edge[2 * e + 1] == q) {
            power += 3 * (layers % 4);
            z[edge[2 * e]] ^= (char)(layers % 2);
            z[edge[2 * e + 1]] ^= (char)(layers % 2);
        }
    }

    /* X Z is -i Y. */
    power += 3 * z[q];
    for (p = 0; p < PAULIMPI_HEAVY_HEX_127_QUBITS; p++) {
        if (p == q || z[p]) {
            length += snprintf(label + length, sizeof label - (size_t)length,
                               "%s%c%d", length > 0 ? " " : "",
                               p != q ? 'Z'
                               : z[q] ? 'Y'
                                      : 'X',
                               (int)p);
        }
    }
    return paulimpi_circuit_rotation(circuit, label,
                                     power % 4 == 0 ? theta : -theta);
}

/* The kicked Ising model without its Clifford gates: they are moved to the
 * end, where they change no value on a basis state. */
static int
append_kicked_frame(paulimpi_circuit *circuit, const int64_t *edge,
                    int64_t steps, double theta)
{
    int rc = PAULIMPI_SUCCESS;
    int64_t step, q;

    for (step = 0; step < steps; step++) {
        for (q = 0; q < PAULIMPI_HEAVY_HEX_127_QUBITS; q++) {
            if (rc == PAULIMPI_SUCCESS) {
                rc = append_moved_rx(circuit, edge, q, steps - step, theta);
            }
        }
    }
    return rc;
}

/* k, steps, log2eps, eps, weight, frame */
static int
build_kicked_ising(paulimpi_context *ctx, const double *value,
                   workload_problem *problem)
{
    int64_t edge[2 * PAULIMPI_HEAVY_HEX_127_EDGES];
    double theta = value[0] * M_PI / 32;
    int64_t steps = (int64_t)value[1];
    double eps = value[3] != 0.0 ? value[3] : exp2(value[2]);
    int rc = begin(ctx, PAULIMPI_HEAVY_HEX_127_QUBITS, eps, problem);

    if (value[4] != 0.0) {
        problem->max_weight = (int64_t)value[4];
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_heavy_hex_127(edge);
    }
    if (rc == PAULIMPI_SUCCESS && value[5] != 0.0) {
        rc = append_kicked_frame(problem->circuit, edge, steps, theta);
    } else if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_circuit_kicked_ising(problem->circuit,
                                           PAULIMPI_HEAVY_HEX_127_EDGES, edge,
                                           steps, theta, -M_PI / 2);
    }
    return rc == PAULIMPI_SUCCESS ? observe_z(problem, 62, 62) : rc;
}

/* XX, YY and ZZ rotations on a bond. */
static int
append_bond(paulimpi_circuit *circuit, int64_t q, const double theta[3])
{
    int rc = paulimpi_circuit_rxx(circuit, q, q + 1, theta[0]);

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_circuit_ryy(circuit, q, q + 1, theta[1]);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_circuit_rzz(circuit, q, q + 1, theta[2]);
    }
    return rc;
}

/* n, steps, jz, eps */
static int
build_xxz(paulimpi_context *ctx, const double *value,
          workload_problem *problem)
{
    int64_t n = (int64_t)value[0];
    int64_t steps = (int64_t)value[1];
    double theta[3] = { 0.2, 0.2, 0.2 * value[2] };
    int64_t half, q;
    int rc = begin(ctx, n, value[3], problem);

    /* Two half steps make a step: even bonds, then odd ones. */
    for (half = 0; half < 2 * steps; half++) {
        for (q = half % 2; q + 1 < n && rc == PAULIMPI_SUCCESS; q += 2) {
            rc = append_bond(problem->circuit, q, theta);
        }
    }
    for (q = n / 2; q < n && rc == PAULIMPI_SUCCESS; q++) {
        problem->ones[q / 64] |= UINT64_C(1) << (q % 64);
    }
    return rc == PAULIMPI_SUCCESS ? observe_z(problem, n / 2, n / 2) : rc;
}

/* SplitMix64: a counter and a mixing function. */
static uint64_t
next_word(uint64_t *state)
{
    uint64_t z;

    *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (*state ^ *state >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* From 0 to 1. */
static double
next_uniform(uint64_t *state)
{
    return (double)next_word(state) / 0x1p64;
}

/* Random Euler angles on a qubit: Z, X, Z. */
static int
append_random_turn(paulimpi_circuit *circuit, int64_t q, uint64_t *state)
{
    double theta[3];
    int rc, i;

    for (i = 0; i < 3; i++) {
        theta[i] = M_PI * (2 * next_uniform(state) - 1);
    }
    rc = paulimpi_circuit_rz(circuit, q, theta[0]);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_circuit_rx(circuit, q, theta[1]);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_circuit_rz(circuit, q, theta[2]);
    }
    return rc;
}

static int
append_random_block(paulimpi_circuit *circuit, int64_t q, uint64_t *state)
{
    double theta[3];
    int rc = append_random_turn(circuit, q, state);
    int i;

    if (rc == PAULIMPI_SUCCESS) {
        rc = append_random_turn(circuit, q + 1, state);
    }
    for (i = 0; i < 3; i++) {
        theta[i] = 0.5 * M_PI * next_uniform(state);
    }
    return rc == PAULIMPI_SUCCESS ? append_bond(circuit, q, theta) : rc;
}

/* n, depth, eps */
static int
build_brickwork(paulimpi_context *ctx, const double *value,
                workload_problem *problem)
{
    int64_t n = (int64_t)value[0];
    int64_t depth = (int64_t)value[1];
    uint64_t state = 2026;
    int64_t layer, q;
    int rc = begin(ctx, n, value[2], problem);

    for (layer = 0; layer < depth; layer++) {
        for (q = layer % 2; q + 1 < n && rc == PAULIMPI_SUCCESS; q += 2) {
            rc = append_random_block(problem->circuit, q, &state);
        }
    }
    return rc == PAULIMPI_SUCCESS ? observe_z(problem, n / 2, n / 2) : rc;
}

/* A random SU(4) gate and how many numbers of its stream are used up: three by
 * a turn of a qubit, four by a try of the interaction. */
typedef struct {
    uint64_t seed;
    uint64_t stream;
    uint64_t used;
} haar_gate;

static int
next_uniforms(haar_gate *gate, size_t n, double *u)
{
    int rc =
        paulimpi_random_uniform(gate->seed, gate->stream, gate->used, n, u);

    gate->used += n;
    return rc;
}

/* A random element of SU(2) as Z, Y, Z: cos of the middle angle is uniform. */
static int
append_haar_turn(paulimpi_circuit *circuit, int64_t q, haar_gate *gate)
{
    double u[3];
    int rc = next_uniforms(gate, 3, u);

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_circuit_rz(circuit, q, 2 * M_PI * u[0]);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_circuit_ry(circuit, q, acos(1 - 2 * u[1]));
    }
    return rc == PAULIMPI_SUCCESS
               ? paulimpi_circuit_rz(circuit, q, 2 * M_PI * u[2])
               : rc;
}

/* The angles of XX, YY and ZZ. With c = cos 2 theta their density under the
 * Haar measure goes as |(c0 - c1)(c1 - c2)(c2 - c0)|, at most 2 (Watts,
 * O'Connor, Vala, Entropy 15, 1963, 2013); uniform angles are accepted with
 * that probability over its maximum. */
static int
draw_interaction(haar_gate *gate, double theta[3])
{
    double u[4], c[3];
    double density;
    int rc, i;

    do {
        rc = next_uniforms(gate, 4, u);
        for (i = 0; i < 3 && rc == PAULIMPI_SUCCESS; i++) {
            theta[i] = M_PI * u[i];
            c[i] = cos(2 * theta[i]);
        }
        if (rc != PAULIMPI_SUCCESS) {
            return rc;
        }
        density = fabs((c[0] - c[1]) * (c[1] - c[2]) * (c[2] - c[0]));
    } while (2 * u[3] >= density);
    return PAULIMPI_SUCCESS;
}

static int
append_haar_turns(paulimpi_circuit *circuit, int64_t q, haar_gate *gate)
{
    int rc = append_haar_turn(circuit, q, gate);

    return rc == PAULIMPI_SUCCESS ? append_haar_turn(circuit, q + 1, gate)
                                  : rc;
}

/* Turns, interaction, turns. The group makes them one gate, which is truncated
 * once. */
static int
append_haar_gate(paulimpi_circuit *circuit, int64_t q, haar_gate gate)
{
    double theta[3];
    int rc = paulimpi_circuit_group_begin(circuit);

    if (rc == PAULIMPI_SUCCESS) {
        rc = append_haar_turns(circuit, q, &gate);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = draw_interaction(&gate, theta);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = append_bond(circuit, q, theta);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = append_haar_turns(circuit, q, &gate);
    }
    return rc == PAULIMPI_SUCCESS ? paulimpi_circuit_group_end(circuit) : rc;
}

/* n, depth, eps, seed */
static int
build_su4(paulimpi_context *ctx, const double *value,
          workload_problem *problem)
{
    int64_t n = (int64_t)value[0];
    int64_t depth = (int64_t)value[1];
    haar_gate gate = { .seed = (uint64_t)value[3] };
    int64_t layer, q;
    int rc = begin(ctx, n, value[2], problem);

    for (layer = 0; layer < depth; layer++) {
        for (q = layer % 2; q + 1 < n && rc == PAULIMPI_SUCCESS; q += 2) {
            rc = append_haar_gate(problem->circuit, q, gate);
            gate.stream++;
        }
    }
    return rc == PAULIMPI_SUCCESS ? observe_z(problem, n / 2, n / 2) : rc;
}

/* n, steps, eps */
static int
build_growth(paulimpi_context *ctx, const double *value,
             workload_problem *problem)
{
    int64_t n = (int64_t)value[0];
    int64_t steps = (int64_t)value[1];
    int64_t step;
    int rc = begin(ctx, n, value[2], problem);

    for (step = 0; step < steps && rc == PAULIMPI_SUCCESS; step++) {
        rc = rx_all_backwards(problem->circuit, n, 0.7);
        if (rc == PAULIMPI_SUCCESS) {
            rc = rzz_chain_backwards(problem->circuit, n, 0.3);
        }
    }
    return rc == PAULIMPI_SUCCESS ? observe_z(problem, n / 2, n / 2) : rc;
}

/* Draw a string: each word of the stream holds 32 letters of two bits, the
 * lowest first, in the order I X Y Z. */
static void
draw_string(int64_t n, uint64_t *state, uint64_t *x, uint64_t *z)
{
    uint64_t word = 0;
    int64_t q;

    for (q = 0; q < n; q++) {
        uint64_t letter;

        if (q % 32 == 0) {
            word = next_word(state);
        }
        letter = word >> 2 * (q % 32) & 3;
        x[q / 64] |= (letter == 1 || letter == 2 ? UINT64_C(1) : 0) << q % 64;
        z[q / 64] |= (letter >= 2 ? UINT64_C(1) : 0) << q % 64;
    }
}

static int
observe_random(workload_problem *problem, int64_t n, int64_t terms,
               uint64_t state)
{
    int64_t words = paulimpi_pauli_words(n);
    uint64_t *x = calloc((size_t)(terms * words), sizeof *x);
    uint64_t *z = calloc((size_t)(terms * words), sizeof *z);
    double *coefficient = malloc((size_t)terms * sizeof *coefficient);
    int rc = PAULIMPI_ERR_MEMORY;
    int64_t t;

    if (x != NULL && z != NULL && coefficient != NULL) {
        for (t = 0; t < terms; t++) {
            draw_string(n, &state, x + t * words, z + t * words);
            coefficient[t] = 2 * next_uniform(&state) - 1;
        }
        rc = paulimpi_sum_add_terms(problem->observable, terms, x, z,
                                    coefficient);
    }
    free(coefficient);
    free(z);
    free(x);
    return rc;
}

/* n, terms, passes, seed */
static int
build_dense(paulimpi_context *ctx, const double *value,
            workload_problem *problem)
{
    int64_t n = (int64_t)value[0];
    int64_t passes = (int64_t)value[2];
    int64_t bond[3] = { n / 2, 2, n - 8 };
    int64_t gate;
    int rc = begin(ctx, n, 0.0, problem);

    for (gate = 0; gate < 3 * passes && rc == PAULIMPI_SUCCESS; gate++) {
        int64_t q = bond[gate % 3];

        rc = paulimpi_circuit_rzz(problem->circuit, q, q + 1, 0.3);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    return observe_random(problem, n, (int64_t)value[1], (uint64_t)value[3]);
}

/* Lowest and highest values that several workloads share. */
#define QUBITS 1, 100000
#define STEPS 0, 1000000
#define EPS 0, 1

const workload_kind workload_kinds[] = {
    { "lattice-b",
      "Z Z on a bond of a square lattice, small angles",
      { { "side", 1, 6, 2, 100 },
        { "steps", 1, 12, STEPS },
        { "eps", 0, 1e-6, EPS } },
      build_lattice_b },
    { "lattice-c",
      "Z Z on a bond of a 6 x 6 lattice",
      { { "layers", 1, 14, STEPS }, { "eps", 0, 0x1p-20, EPS } },
      build_lattice_c },
    { "noisy",
      "lattice-c with depolarizing noise p on each qubit that a gate touches",
      { { "layers", 1, 14, STEPS },
        { "eps", 0, 0x1p-20, EPS },
        { "p", 0, 1e-3, 0, 1 } },
      build_noisy },
    { "chain-d",
      "the sum of Z on a transverse-field Ising chain",
      { { "n", 1, 64, QUBITS },
        { "steps", 1, 10, STEPS },
        { "eps", 0, 1e-6, EPS } },
      build_chain_d },
    { "kicked-ising",
      "Z62 of the 127-qubit experiment, theta_h = k pi/32",
      { { "k", 1, 10, -1000, 1000 },
        { "steps", 1, 5, STEPS },
        { "log2eps", 1, -12, -1000, 0 },
        { "eps", 0, 0, EPS },
        { "weight", 1, 0, 0, 127 },
        { "frame", 1, 0, 0, 1 } },
      build_kicked_ising },
    { "xxz",
      "Z in the middle of an XXZ chain that starts as a domain wall",
      { { "n", 1, 40, QUBITS },
        { "steps", 1, 6, STEPS },
        { "jz", 0, 0.5, -100, 100 },
        { "eps", 0, 1e-6, EPS } },
      build_xxz },
    { "brickwork",
      "Z after random two-qubit blocks",
      { { "n", 1, 36, QUBITS },
        { "depth", 1, 8, STEPS },
        { "eps", 0, 1e-4, EPS } },
      build_brickwork },
    { "su4",
      "Z after random SU(4) gates on pairs of neighbours",
      { { "n", 1, 36, QUBITS },
        { "depth", 1, 6, STEPS },
        { "eps", 0, 1e-3, EPS },
        { "seed", 1, 1, 0, 0x1p53 } },
      build_su4 },
    { "growth",
      "Z spreading along a kicked chain, nothing dropped",
      { { "n", 1, 64, QUBITS },
        { "steps", 1, 6, STEPS },
        { "eps", 0, 0, EPS } },
      build_growth },
    { "dense",
      "random strings through three ZZ rotations a pass",
      { { "n", 1, 64, 8, 100000 },
        { "terms", 1, 1000000, 1, 1e9 },
        { "passes", 1, 1, STEPS },
        { "seed", 1, 1, 0, 0x1p53 } },
      build_dense },
    { NULL, NULL, { { NULL, 0, 0, 0, 0 } }, NULL },
};
