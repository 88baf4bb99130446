/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each gate of qelib1.inc against its matrix, up to a global phase: both act
 * on the X and the Z of each qubit, which tells all of a unitary but its
 * phase. Bit k of a row or column is the state of the gate's k-th qubit.
 */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "propagate/circuit.h"
#include "tap/tap.h"

enum { MOST_QUBITS = 5, MOST_STATES = 1 << MOST_QUBITS, MOST_PARAMETERS = 4 };

typedef struct {
    int n; /* states */
    double complex at[MOST_STATES][MOST_STATES];
} matrix;

/* The parameters of every gate. */
#define P0 0.7
#define P1 -1.9
#define P2 2.3
#define P3 0.41
static const double parameters[MOST_PARAMETERS] = { P0, P1, P2, P3 };

static void
set_identity(matrix *a, int n_qubits)
{
    int i;

    memset(a, 0, sizeof *a);
    a->n = 1 << n_qubits;
    for (i = 0; i < a->n; i++) {
        a->at[i][i] = 1.0;
    }
}

/* c = a b, or with the adjoint of a. */
static void
multiply(const matrix *a, int is_adjoint, const matrix *b, matrix *c)
{
    int i, j, k;

    memset(c, 0, sizeof *c);
    c->n = a->n;
    for (i = 0; i < a->n; i++) {
        for (k = 0; k < a->n; k++) {
            double complex factor =
                is_adjoint ? conj(a->at[k][i]) : a->at[i][k];

            for (j = 0; j < a->n; j++) {
                c->at[i][j] += factor * b->at[k][j];
            }
        }
    }
}

/* A string with these bits of X and Z, as a matrix. */
static void
set_string(matrix *a, int n_qubits, int x, int z)
{
    int i;

    set_identity(a, n_qubits);
    for (i = 0; i < a->n; i++) {
        double complex factor = 1.0;
        int q;

        for (q = 0; q < n_qubits; q++) {
            int is_set = i >> q & 1;

            if (z >> q & 1) {
                factor *= is_set ? -1.0 : 1.0;
                factor *= x >> q & 1 ? I : 1.0;
            }
        }
        a->at[i][i] = 0.0;
        a->at[i ^ x][i] = factor;
    }
}

/* The matrices that the gates have by definition. */

/* u3 with a real first entry, times a phase gamma, on the last qubit if all
 * others are set. */
static void
set_u(matrix *a, int n_qubits, const double *v)
{
    double c = cos(v[0] / 2);
    double s = sin(v[0] / 2);
    double complex phase = cexp(I * v[3]);
    int on = (1 << (n_qubits - 1)) - 1;
    int target = 1 << (n_qubits - 1);

    set_identity(a, n_qubits);
    a->at[on][on] = phase * c;
    a->at[on][on | target] = -phase * cexp(I * v[2]) * s;
    a->at[on | target][on] = phase * cexp(I * v[1]) * s;
    a->at[on | target][on | target] = phase * cexp(I * (v[1] + v[2])) * c;
}

/* exp(-i theta P / 2). */
static void
set_rotation(matrix *a, int n_qubits, int x, int z, double theta)
{
    int i, j;

    set_string(a, n_qubits, x, z);
    for (i = 0; i < a->n; i++) {
        for (j = 0; j < a->n; j++) {
            a->at[i][j] *= -I * sin(theta / 2);
        }
        a->at[i][i] += cos(theta / 2);
    }
}

/* The same on the second qubit, if the first one is set. */
static void
set_controlled_rotation(matrix *a, int x, int z, double theta)
{
    matrix target;
    int i, j;

    set_rotation(&target, 1, x, z, theta);
    set_identity(a, 2);
    for (i = 0; i < 2; i++) {
        for (j = 0; j < 2; j++) {
            a->at[1 + 2 * i][1 + 2 * j] = target.at[i][j];
        }
    }
}

/* Two states are mixed, the others stay. */
static void
set_mixed(matrix *a, int n_qubits, int i, int j, const double *v)
{
    set_identity(a, n_qubits);
    a->at[i][i] = cos(v[2] / 2);
    a->at[j][j] = cos(v[2] / 2);
    a->at[i][j] = -I * sin(v[2] / 2) * cexp(-I * v[3]);
    a->at[j][i] = -I * sin(v[2] / 2) * cexp(I * v[3]);
}

/* A matrix of two states is put between others that stay. */
static void
set_block(matrix *a, int n_qubits, int i, int j, double complex ij,
          double complex ji)
{
    set_identity(a, n_qubits);
    a->at[i][i] = 0.0;
    a->at[j][j] = 0.0;
    a->at[i][j] = ij;
    a->at[j][i] = ji;
}

/* 01 (the second qubit first) to 11 to 10 to 01. */
static void
set_dcx(matrix *a)
{
    set_block(a, 2, 1, 2, 0.0, 1.0);
    a->at[3][3] = 0.0;
    a->at[3][2] = 1.0;
    a->at[1][3] = 1.0;
}

/* (X I - Y X) / sqrt(2), where the first letter is that of the first qubit. */
static void
set_ecr(matrix *a)
{
    matrix xi, yx;
    int i, j;

    set_string(&xi, 2, 1, 0);
    set_string(&yx, 2, 3, 1);
    set_identity(a, 2);
    for (i = 0; i < 4; i++) {
        for (j = 0; j < 4; j++) {
            a->at[i][j] = (xi.at[i][j] - yx.at[i][j]) * M_SQRT1_2;
        }
    }
}

/* Toffoli gates up to phases of single states. */
static void
set_rccx(matrix *a)
{
    set_block(a, 3, 3, 7, -I, I);
    a->at[5][5] = -1.0;
}

static void
set_rc3x(matrix *a)
{
    set_block(a, 4, 7, 15, 1.0, -1.0);
    a->at[3][3] = I;
    a->at[11][11] = -I;
}

typedef enum {
    U,          /* theta, phi, lambda, gamma */
    ROTATION,   /* bits of X, bits of Z, theta */
    C_ROTATION, /* likewise */
    MIX,        /* two states, theta, beta */
    EXCHANGE,   /* two states */
    OWN         /* has a function */
} matrix_kind;

typedef struct {
    const char *names; /* with blanks between */
    int n_parameters;
    int n_qubits;
    matrix_kind kind;
    double values[4];
    void (*set)(matrix *a);
} gate_row;

#define PHASE(phi)                                                            \
    {                                                                         \
        0, 0, phi, 0                                                          \
    }
#define FLIP                                                                  \
    {                                                                         \
        M_PI, 0, M_PI, 0                                                      \
    }
#define HADAMARD                                                              \
    {                                                                         \
        M_PI_2, 0, M_PI, 0                                                    \
    }
#define ROOT_OF_FLIP                                                          \
    {                                                                         \
        M_PI_2, -M_PI_2, M_PI_2, M_PI_4                                       \
    }

static const gate_row rows[] = {
    { "u3 u U", 3, 1, U, { P0, P1, P2, 0 }, NULL },
    { "u2", 2, 1, U, { M_PI_2, P0, P1, 0 }, NULL },
    { "u1 p", 1, 1, U, PHASE(P0), NULL },
    { "id", 0, 1, U, PHASE(0), NULL },
    { "u0", 1, 1, U, PHASE(0), NULL },
    { "x", 0, 1, U, FLIP, NULL },
    { "y", 0, 1, U, { M_PI, M_PI_2, M_PI_2, 0 }, NULL },
    { "z", 0, 1, U, PHASE(M_PI), NULL },
    { "h", 0, 1, U, HADAMARD, NULL },
    { "s", 0, 1, U, PHASE(M_PI_2), NULL },
    { "sdg", 0, 1, U, PHASE(-M_PI_2), NULL },
    { "t", 0, 1, U, PHASE(M_PI_4), NULL },
    { "tdg", 0, 1, U, PHASE(-M_PI_4), NULL },
    { "sx", 0, 1, U, ROOT_OF_FLIP, NULL },
    { "sxdg", 0, 1, ROTATION, { 1, 0, -M_PI_2, 0 }, NULL },
    { "rx", 1, 1, ROTATION, { 1, 0, P0, 0 }, NULL },
    { "ry", 1, 1, ROTATION, { 1, 1, P0, 0 }, NULL },
    { "rz", 1, 1, ROTATION, { 0, 1, P0, 0 }, NULL },
    { "r", 2, 1, MIX, { 0, 1, P0, P1 }, NULL },
    { "cx CX", 0, 2, U, FLIP, NULL },
    { "cy", 0, 2, U, { M_PI, M_PI_2, M_PI_2, 0 }, NULL },
    { "cz", 0, 2, U, PHASE(M_PI), NULL },
    { "ch", 0, 2, U, HADAMARD, NULL },
    { "cs", 0, 2, U, PHASE(M_PI_2), NULL },
    { "csdg", 0, 2, U, PHASE(-M_PI_2), NULL },
    { "csx", 0, 2, U, ROOT_OF_FLIP, NULL },
    { "cu1 cp", 1, 2, U, PHASE(P0), NULL },
    { "cu3", 3, 2, U, { P0, P1, P2, 0 }, NULL },
    { "cu", 4, 2, U, { P0, P1, P2, P3 }, NULL },
    { "crx", 1, 2, C_ROTATION, { 1, 0, P0, 0 }, NULL },
    { "cry", 1, 2, C_ROTATION, { 1, 1, P0, 0 }, NULL },
    { "crz", 1, 2, C_ROTATION, { 0, 1, P0, 0 }, NULL },
    { "rxx", 1, 2, ROTATION, { 3, 0, P0, 0 }, NULL },
    { "ryy", 1, 2, ROTATION, { 3, 3, P0, 0 }, NULL },
    { "rzz", 1, 2, ROTATION, { 0, 3, P0, 0 }, NULL },
    { "rzx", 1, 2, ROTATION, { 2, 1, P0, 0 }, NULL },
    { "swap", 0, 2, EXCHANGE, { 1, 2, 0, 0 }, NULL },
    { "iswap", 0, 2, MIX, { 1, 2, -M_PI, 0 }, NULL },
    { "xx_minus_yy", 2, 2, MIX, { 0, 3, P0, P1 }, NULL },
    { "xx_plus_yy", 2, 2, MIX, { 1, 2, P0, P1 }, NULL },
    { "dcx", 0, 2, OWN, { 0 }, set_dcx },
    { "ecr", 0, 2, OWN, { 0 }, set_ecr },
    { "ccx", 0, 3, U, FLIP, NULL },
    { "ccz", 0, 3, U, PHASE(M_PI), NULL },
    { "cswap", 0, 3, EXCHANGE, { 3, 5, 0, 0 }, NULL },
    { "rccx", 0, 3, OWN, { 0 }, set_rccx },
    { "c3x", 0, 4, U, FLIP, NULL },
    { "c3sqrtx", 0, 4, U, ROOT_OF_FLIP, NULL },
    { "rc3x", 0, 4, OWN, { 0 }, set_rc3x },
    { "c4x", 0, 5, U, FLIP, NULL },
};

static void
set_matrix(matrix *a, const gate_row *row)
{
    const double *v = row->values;
    int i = (int)v[0];
    int j = (int)v[1];

    switch (row->kind) {
    case U:
        set_u(a, row->n_qubits, v);
        break;
    case ROTATION:
        set_rotation(a, row->n_qubits, i, j, v[2]);
        break;
    case C_ROTATION:
        set_controlled_rotation(a, i, j, v[2]);
        break;
    case MIX:
        set_mixed(a, row->n_qubits, i, j, v);
        break;
    case EXCHANGE:
        set_block(a, row->n_qubits, i, j, 1.0, 1.0);
        break;
    default:
        row->set(a);
        break;
    }
}

/* The operations of a circuit on a matrix, Heisenberg picture. */

static void
turn_back(const paulimpi_circuit *circuit, const paulimpi__op *op, matrix *o)
{
    static const double cosine[] = { 1, 0, -1, 0 };
    static const double sine[] = { 0, 1, 0, -1 };
    int is_turn = op->kind == PAULIMPI__OP_TURN;
    double c = is_turn ? cosine[op->quarters] : op->value[0];
    double s = is_turn ? sine[op->quarters] : op->value[1];
    double theta = atan2(s, c);
    matrix rotation, half;
    int x = 0, z = 0;
    int64_t i;

    if (op->n_sites == 0) {
        return;
    }
    for (i = op->first_site; i < op->first_site + op->n_sites; i++) {
        paulimpi__site site = circuit->sites[i];

        x |= paulimpi__site_x(site) << paulimpi__site_qubit(site);
        z |= paulimpi__site_z(site) << paulimpi__site_qubit(site);
    }
    set_rotation(&rotation, (int)circuit->n_qubits, x, z, theta);
    multiply(&rotation, 1, o, &half);
    multiply(&half, 0, &rotation, o);
}

/* A linear map on one qubit, block by block. */
static void
map_back(const paulimpi_circuit *circuit, const paulimpi__op *op, matrix *o)
{
    const paulimpi__matrix *map = &circuit->matrices[op->first_matrix];
    int bit = 1 << paulimpi__site_qubit(circuit->sites[op->first_site]);
    int i, j, in, out;

    for (i = 0; i < o->n; i++) {
        for (j = 0; j < o->n; j++) {
            double complex b00 = o->at[i][j];
            double complex b01, b10, b11;
            double complex from[4], to[4] = { 0 };

            if ((i & bit) != 0 || (j & bit) != 0) {
                continue;
            }
            b01 = o->at[i][j | bit];
            b10 = o->at[i | bit][j];
            b11 = o->at[i | bit][j | bit];
            from[0] = (b00 + b11) / 2;
            from[1] = (b01 + b10) / 2;
            from[2] = I * (b01 - b10) / 2;
            from[3] = (b00 - b11) / 2;
            for (in = 0; in < 4; in++) {
                for (out = 0; out < 4; out++) {
                    to[out] += map->heisenberg[out][in] * from[in];
                }
            }
            o->at[i][j] = to[0] + to[3];
            o->at[i][j | bit] = to[1] - I * to[2];
            o->at[i | bit][j] = to[1] + I * to[2];
            o->at[i | bit][j | bit] = to[0] - to[3];
        }
    }
}

static double
distance(const paulimpi_circuit *circuit, const matrix *unitary, int x, int z)
{
    int n_qubits = (int)circuit->n_qubits;
    matrix got, want, half;
    double most = 0.0;
    int64_t k;
    int i, j;

    set_string(&got, n_qubits, x, z);
    multiply(unitary, 1, &got, &half);
    multiply(&half, 0, unitary, &want);
    for (k = circuit->n_ops - 1; k >= 0; k--) {
        if (circuit->ops[k].kind == PAULIMPI__OP_MAP) {
            map_back(circuit, &circuit->ops[k], &got);
        } else {
            turn_back(circuit, &circuit->ops[k], &got);
        }
    }
    for (i = 0; i < got.n; i++) {
        for (j = 0; j < got.n; j++) {
            most = fmax(most, cabs(got.at[i][j] - want.at[i][j]));
        }
    }
    return most;
}

/* One call of the gate on all qubits of a register, in order. */
static paulimpi_circuit *
parse_call(const char *name, int n_parameters, int n_qubits)
{
    paulimpi_circuit *circuit = NULL;
    paulimpi__text text = PAULIMPI__TEXT_INIT;
    char *taken;
    int i;

    paulimpi__text_append(&text,
                          "OPENQASM 2.0; include \"qelib1.inc\";"
                          "qreg q[%d]; %s",
                          n_qubits, name);
    for (i = 0; i < n_parameters; i++) {
        paulimpi__text_append(&text, "%s%.17g%s", i == 0 ? "(" : ",",
                              parameters[i], i + 1 == n_parameters ? ")" : "");
    }
    for (i = 0; i < n_qubits; i++) {
        paulimpi__text_append(&text, "%s q[%d]", i == 0 ? "" : ",", i);
    }
    paulimpi__text_append(&text, ";");
    taken = paulimpi__text_take(&text);
    tap_is_status(paulimpi_circuit_parse(taken, NULL, &circuit), 0,
                  "%s is read", name);
    paulimpi__free(taken);
    return circuit;
}

static void
test_gate(const char *name, const gate_row *row)
{
    paulimpi_circuit *circuit =
        parse_call(name, row->n_parameters, row->n_qubits);
    matrix unitary;
    double most = 0.0;
    int i;

    if (circuit == NULL) {
        return;
    }
    set_matrix(&unitary, row);
    for (i = 0; i < row->n_qubits; i++) {
        most = fmax(most, distance(circuit, &unitary, 1 << i, 0));
        most = fmax(most, distance(circuit, &unitary, 0, 1 << i));
    }
    tap_is_near(most, 0.0, 1e-14, "%s is its matrix", name);
    tap_is_int(paulimpi_circuit_gates(circuit), 1, "%s is one gate", name);
    paulimpi_circuit_destroy(&circuit);
}

int
main(void)
{
    size_t i;

    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char names[32];
        char *rest = names;
        char *name;

        snprintf(names, sizeof names, "%s", rows[i].names);
        while ((name = strtok_r(rest, " ", &rest)) != NULL) {
            test_gate(name, &rows[i]);
        }
    }
    return tap_done();
}
