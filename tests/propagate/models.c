/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The circuits of published and reproduced values.
 */
#include "propagate/models.h"

#include <math.h>
#include <stdlib.h>

/* Rows of consecutive qubits, and bridges: a qubit and its two neighbours. */
static const int rows[][2] = { { 0, 13 },   { 18, 32 }, { 37, 51 },
                               { 56, 70 },  { 75, 89 }, { 94, 108 },
                               { 113, 126 } };
static const int bridges[][3] = {
    { 14, 0, 18 },    { 15, 4, 22 },     { 16, 8, 26 },     { 17, 12, 30 },
    { 33, 20, 39 },   { 34, 24, 43 },    { 35, 28, 47 },    { 36, 32, 51 },
    { 52, 37, 56 },   { 53, 41, 60 },    { 54, 45, 64 },    { 55, 49, 68 },
    { 71, 58, 77 },   { 72, 62, 81 },    { 73, 66, 85 },    { 74, 70, 89 },
    { 90, 75, 94 },   { 91, 79, 98 },    { 92, 83, 102 },   { 93, 87, 106 },
    { 109, 96, 114 }, { 110, 100, 118 }, { 111, 104, 122 }, { 112, 108, 126 },
};

static void
set_edge(int64_t edge[2], int a, int b)
{
    edge[0] = a < b ? a : b;
    edge[1] = a < b ? b : a;
}

static int
ascending(const void *a, const void *b)
{
    const int64_t *x = a;
    const int64_t *y = b;
    int64_t order = x[0] != y[0] ? x[0] - y[0] : x[1] - y[1];

    return (order > 0) - (order < 0);
}

void
model_heavy_hex(int64_t edges[HEAVY_HEX_EDGES][2])
{
    size_t i;
    int n = 0;
    int q;

    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (q = rows[i][0]; q < rows[i][1]; q++) {
            set_edge(edges[n++], q, q + 1);
        }
    }
    for (i = 0; i < sizeof bridges / sizeof bridges[0]; i++) {
        set_edge(edges[n++], bridges[i][0], bridges[i][1]);
        set_edge(edges[n++], bridges[i][0], bridges[i][2]);
    }
    qsort(edges, HEAVY_HEX_EDGES, sizeof edges[0], ascending);
}

/* One gate on each qubit, ascending. */
static void
on_all(script *s, const char *name, double theta)
{
    int64_t q;

    for (q = 0; q < s->n_qubits; q++) {
        script_one(s, name, q, theta);
    }
}

script *
model_kicked_ising(double theta_h, int steps)
{
    int64_t edges[HEAVY_HEX_EDGES][2];
    script *s = script_create(127);
    int step, e;

    model_heavy_hex(edges);
    for (step = 0; step < steps; step++) {
        on_all(s, "rx", theta_h);
        for (e = 0; e < HEAVY_HEX_EDGES; e++) {
            script_two(s, "rzz", edges[e][0], edges[e][1], -acos(0.0));
        }
    }
    return s;
}

/* RZZ from every site to its right and its lower neighbour. */
static void
on_grid(script *s, int side, int is_down_first, double theta)
{
    int q, turn;

    for (q = 0; q < side * side; q++) {
        for (turn = 0; turn < 2; turn++) {
            if (turn == is_down_first && q % side < side - 1) {
                script_two(s, "rzz", q, q + 1, theta);
            }
            if (turn != is_down_first && q / side < side - 1) {
                script_two(s, "rzz", q, q + side, theta);
            }
        }
    }
}

script *
model_lattice_b(int side)
{
    script *s = script_create((int64_t)side * side);

    on_grid(s, side, 0, 0.075);
    on_all(s, "rz", 0.05);
    on_all(s, "rx", 0.05);
    return s;
}

script *
model_lattice_c(void)
{
    script *s = script_create(36);

    on_all(s, "rx", 0.1);
    on_all(s, "rz", 0.1);
    on_grid(s, 6, 1, 0.05);
    return s;
}

script *
model_chain_d(int64_t n)
{
    script *s = script_create(n);
    int64_t q;

    for (q = n - 2; q >= 0; q--) {
        script_two(s, "rzz", q, q + 1, 0.2);
    }
    for (q = n - 1; q >= 0; q--) {
        script_one(s, "rx", q, 0.2);
    }
    return s;
}

script *
model_xxz(int64_t n, double jz)
{
    script *s = script_create(n);
    int64_t parity, q;

    for (parity = 0; parity < 2; parity++) {
        for (q = parity; q < n - 1; q += 2) {
            script_two(s, "rxx", q, q + 1, 0.2);
            script_two(s, "ryy", q, q + 1, 0.2);
            if (jz != 0) {
                script_two(s, "rzz", q, q + 1, 0.2 * jz);
            }
        }
    }
    return s;
}
