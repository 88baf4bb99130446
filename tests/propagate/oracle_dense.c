/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Circuits on dense matrices.
 */
#include "propagate/oracle_dense.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tap/tap.h"

typedef double complex number;

struct dense {
    int n_qubits;
    int dimension;
    number *entry; /* entry[row * dimension + column] */
};

/* A matrix on a few qubits: bit i of a row or column is the state of
 * qubit[i]. */
typedef struct {
    int n_qubits;
    int qubit[8];
    number *entry;
} local;

/* A gate is up to four of them. */
typedef struct {
    int n;
    local matrix[4];
} kraus;

static number *
zeros(int dimension)
{
    number *entry =
        calloc((size_t)dimension * (size_t)dimension, sizeof *entry);

    if (entry == NULL) {
        tap_bail("no memory for a dense matrix");
    }
    return entry;
}

dense *
dense_create(int n_qubits)
{
    dense *matrix = malloc(sizeof *matrix);

    if (matrix == NULL) {
        tap_bail("no memory for a dense matrix");
    }
    matrix->n_qubits = n_qubits;
    matrix->dimension = 1 << n_qubits;
    matrix->entry = zeros(matrix->dimension);
    return matrix;
}

void
dense_destroy(dense *matrix)
{
    free(matrix->entry);
    free(matrix);
}

/* The matrix of one letter. */
static number
letter_entry(char letter, int row, int column)
{
    switch (letter) {
    case 'X':
        return row != column;
    case 'Y':
        return row == column ? 0 : row == 0 ? -I : I;
    case 'Z':
        return row != column ? 0 : row == 0 ? 1 : -1;
    default:
        return row == column;
    }
}

/* The column in which a row of a string has its only entry. */
static int
string_column(int n, const char *label, int row)
{
    int q;

    for (q = 0; q < n; q++) {
        if (label[q] == 'X' || label[q] == 'Y') {
            row ^= 1 << q;
        }
    }
    return row;
}

static number
string_entry(int n, const char *label, int row, int column)
{
    number product = 1;
    int q;

    for (q = 0; q < n; q++) {
        product *= letter_entry(label[q], row >> q & 1, column >> q & 1);
    }
    return product;
}

void
dense_add(dense *matrix, const char *label, double coefficient)
{
    int row;

    for (row = 0; row < matrix->dimension; row++) {
        int column = string_column(matrix->n_qubits, label, row);

        matrix->entry[row * matrix->dimension + column] +=
            coefficient * string_entry(matrix->n_qubits, label, row, column);
    }
}

static void
conjugate_transpose(dense *matrix)
{
    int d = matrix->dimension;
    int i, j;

    for (i = 0; i < d; i++) {
        for (j = 0; j <= i; j++) {
            number below = matrix->entry[i * d + j];

            matrix->entry[i * d + j] = conj(matrix->entry[j * d + i]);
            matrix->entry[j * d + i] = conj(below);
        }
    }
}

/* The bits of row on the qubits of k, and row with other bits there. */
static int
local_bits(const local *k, int row)
{
    int bits = 0;
    int i;

    for (i = 0; i < k->n_qubits; i++) {
        bits |= (row >> k->qubit[i] & 1) << i;
    }
    return bits;
}

static int
with_local_bits(const local *k, int row, int bits)
{
    int i;

    for (i = 0; i < k->n_qubits; i++) {
        row &= ~(1 << k->qubit[i]);
        row |= (bits >> i & 1) << k->qubit[i];
    }
    return row;
}

/* O -> K O. */
static void
multiply_left(dense *matrix, const local *k)
{
    int d = matrix->dimension;
    int size = 1 << k->n_qubits;
    number *result = zeros(d);
    int row, bits, column;

    for (row = 0; row < d; row++) {
        for (bits = 0; bits < size; bits++) {
            number factor = k->entry[local_bits(k, row) * size + bits];
            const number *from =
                matrix->entry + with_local_bits(k, row, bits) * d;

            for (column = 0; factor != 0 && column < d; column++) {
                result[row * d + column] += factor * from[column];
            }
        }
    }
    free(matrix->entry);
    matrix->entry = result;
}

/* O -> K O K^dagger. */
static void
sandwich(dense *matrix, const local *k)
{
    multiply_left(matrix, k);
    conjugate_transpose(matrix);
    multiply_left(matrix, k);
    conjugate_transpose(matrix);
}

static local *
add_kraus(kraus *gate, int n_qubits, const int64_t *qubit)
{
    local *k = &gate->matrix[gate->n];
    int i;

    gate->n++;
    k->n_qubits = n_qubits;
    for (i = 0; i < n_qubits; i++) {
        k->qubit[i] = (int)qubit[i];
    }
    k->entry = zeros(1 << n_qubits);
    return k;
}

static void
add_one(kraus *gate, const int64_t *qubit, number a, number b, number c,
        number d)
{
    local *k = add_kraus(gate, 1, qubit);

    k->entry[0] = a;
    k->entry[1] = b;
    k->entry[2] = c;
    k->entry[3] = d;
}

/* A gate that applies [a b; c d] to the second qubit if the first is 1. */
static void
add_controlled(kraus *gate, const int64_t *qubit, number a, number b, number c,
               number d)
{
    local *k = add_kraus(gate, 2, qubit);

    k->entry[0 * 4 + 0] = 1;
    k->entry[2 * 4 + 2] = 1;
    k->entry[1 * 4 + 1] = a;
    k->entry[1 * 4 + 3] = b;
    k->entry[3 * 4 + 1] = c;
    k->entry[3 * 4 + 3] = d;
}

/* cos(theta/2) - i sin(theta/2) P. */
static void
add_rotation(kraus *gate, int n, const int64_t *qubit, const char *letters,
             double theta)
{
    local *k = add_kraus(gate, n, qubit);
    int size = 1 << n;
    int row;

    for (row = 0; row < size; row++) {
        int column = string_column(n, letters, row);

        k->entry[row * size + row] += cos(theta / 2);
        k->entry[row * size + column] -=
            I * sin(theta / 2) * string_entry(n, letters, row, column);
    }
}

static void
add_long_rotation(kraus *gate, const char *label, double theta)
{
    int64_t qubit[8];
    char letters[8];
    int n = 0;
    int q;

    for (q = 0; label[q] != '\0'; q++) {
        if (label[q] != 'I') {
            qubit[n] = q;
            letters[n] = label[q];
            n++;
        }
    }
    add_rotation(gate, n, qubit, letters, theta);
}

static void
add_u3(kraus *gate, const int64_t *qubit, double theta, double phi,
       double lambda)
{
    add_one(gate, qubit, cos(theta / 2), -cexp(I * lambda) * sin(theta / 2),
            cexp(I * phi) * sin(theta / 2),
            cexp(I * (phi + lambda)) * cos(theta / 2));
}

static void
add_pauli_errors(kraus *gate, const int64_t *qubit, double px, double py,
                 double pz)
{
    number none = sqrt(1 - px - py - pz);
    number x = sqrt(px);
    number y = sqrt(py);
    number z = sqrt(pz);

    add_one(gate, qubit, none, 0, 0, none);
    add_one(gate, qubit, 0, x, x, 0);
    add_one(gate, qubit, 0, -I * y, I * y, 0);
    add_one(gate, qubit, z, 0, 0, -z);
}

static int
fixed_gate(kraus *gate, const script_gate *g)
{
    const int64_t *q = g->qubit;
    number root = sqrt(0.5);

    if (strcmp(g->name, "h") == 0) {
        add_one(gate, q, root, root, root, -root);
    } else if (strcmp(g->name, "s") == 0) {
        add_one(gate, q, 1, 0, 0, I);
    } else if (strcmp(g->name, "sdg") == 0) {
        add_one(gate, q, 1, 0, 0, -I);
    } else if (strcmp(g->name, "sx") == 0) {
        add_one(gate, q, (1 + I) / 2, (1 - I) / 2, (1 - I) / 2, (1 + I) / 2);
    } else if (strcmp(g->name, "sxdg") == 0) {
        add_one(gate, q, (1 - I) / 2, (1 + I) / 2, (1 + I) / 2, (1 - I) / 2);
    } else if (strcmp(g->name, "x") == 0) {
        add_one(gate, q, 0, 1, 1, 0);
    } else if (strcmp(g->name, "y") == 0) {
        add_one(gate, q, 0, -I, I, 0);
    } else if (strcmp(g->name, "z") == 0) {
        add_one(gate, q, 1, 0, 0, -1);
    } else if (strcmp(g->name, "t") == 0) {
        add_one(gate, q, 1, 0, 0, root * (1 + I));
    } else if (strcmp(g->name, "tdg") == 0) {
        add_one(gate, q, 1, 0, 0, root * (1 - I));
    } else if (strcmp(g->name, "cx") == 0) {
        add_controlled(gate, q, 0, 1, 1, 0);
    } else if (strcmp(g->name, "cy") == 0) {
        add_controlled(gate, q, 0, -I, I, 0);
    } else if (strcmp(g->name, "cz") == 0) {
        add_controlled(gate, q, 1, 0, 0, -1);
    } else if (strcmp(g->name, "swap") == 0) {
        local *k = add_kraus(gate, 2, q);

        k->entry[0 * 4 + 0] = 1;
        k->entry[1 * 4 + 2] = 1;
        k->entry[2 * 4 + 1] = 1;
        k->entry[3 * 4 + 3] = 1;
    }
    return gate->n > 0;
}

static int
turning_gate(kraus *gate, const script_gate *g)
{
    const int64_t *q = g->qubit;
    double a = g->parameter[0];

    if (strcmp(g->name, "rx") == 0) {
        add_rotation(gate, 1, q, "X", a);
    } else if (strcmp(g->name, "ry") == 0) {
        add_rotation(gate, 1, q, "Y", a);
    } else if (strcmp(g->name, "rz") == 0) {
        add_rotation(gate, 1, q, "Z", a);
    } else if (strcmp(g->name, "rxx") == 0) {
        add_rotation(gate, 2, q, "XX", a);
    } else if (strcmp(g->name, "ryy") == 0) {
        add_rotation(gate, 2, q, "YY", a);
    } else if (strcmp(g->name, "rzz") == 0) {
        add_rotation(gate, 2, q, "ZZ", a);
    } else if (strcmp(g->name, "rotation") == 0) {
        add_long_rotation(gate, g->label, a);
    } else if (strcmp(g->name, "u3") == 0) {
        add_u3(gate, q, a, g->parameter[1], g->parameter[2]);
    } else if (strcmp(g->name, "u2") == 0) {
        add_u3(gate, q, acos(-1.0) / 2, a, g->parameter[1]);
    } else if (strcmp(g->name, "u1") == 0 || strcmp(g->name, "p") == 0) {
        add_one(gate, q, 1, 0, 0, cexp(I * a));
    }
    return gate->n > 0;
}

static void
channel(kraus *gate, const script_gate *g)
{
    const int64_t *q = g->qubit;
    double p = g->parameter[0];

    if (strcmp(g->name, "depolarizing") == 0) {
        add_pauli_errors(gate, q, p / 3, p / 3, p / 3);
    } else if (strcmp(g->name, "dephasing") == 0) {
        add_pauli_errors(gate, q, 0, 0, p);
    } else if (strcmp(g->name, "pauli_noise") == 0) {
        add_pauli_errors(gate, q, p, g->parameter[1], g->parameter[2]);
    } else if (strcmp(g->name, "amplitude_damping") == 0) {
        add_one(gate, q, 1, 0, 0, sqrt(1 - p));
        add_one(gate, q, 0, sqrt(p), 0, 0);
    }
}

/* The Kraus operators of a gate; none for a mark that has no effect. */
static void
kraus_of(kraus *gate, const script_gate *g)
{
    gate->n = 0;
    if (!fixed_gate(gate, g) && !turning_gate(gate, g)) {
        channel(gate, g);
    }
    if (gate->n == 0 && script_find(g->name) != NULL) {
        tap_bail("the dense oracle does not know %s", g->name);
    }
}

static void
dagger(local *k)
{
    dense as_dense = { k->n_qubits, 1 << k->n_qubits, k->entry };

    conjugate_transpose(&as_dense);
}

static void
apply(dense *matrix, const script_gate *g, int is_heisenberg)
{
    size_t size = (size_t)matrix->dimension * (size_t)matrix->dimension;
    number *sum;
    kraus gate;
    size_t j;
    int i;

    kraus_of(&gate, g);
    if (gate.n == 0) {
        return;
    }
    sum = zeros(matrix->dimension);
    for (i = 0; i < gate.n; i++) {
        dense part = *matrix;

        part.entry = zeros(matrix->dimension);
        memcpy(part.entry, matrix->entry, size * sizeof *part.entry);
        if (is_heisenberg) {
            dagger(&gate.matrix[i]);
        }
        sandwich(&part, &gate.matrix[i]);
        for (j = 0; j < size; j++) {
            sum[j] += part.entry[j];
        }
        free(part.entry);
        free(gate.matrix[i].entry);
    }
    free(matrix->entry);
    matrix->entry = sum;
}

void
dense_heisenberg(dense *matrix, const script *circuit)
{
    int64_t i;

    for (i = circuit->n_gates - 1; i >= 0; i--) {
        apply(matrix, &circuit->gate[i], 1);
    }
}

void
dense_schroedinger(dense *matrix, const script *circuit)
{
    int64_t i;

    for (i = 0; i < circuit->n_gates; i++) {
        apply(matrix, &circuit->gate[i], 0);
    }
}

/* Take the four entries of one qubit's 2 x 2 matrix, step numbers apart, to
 * its coefficients of I, X, Y and Z. */
static void
to_letters(number *entry, int step)
{
    number a = entry[0];
    number b = entry[step];
    number c = entry[2 * step];
    number d = entry[3 * step];

    entry[0] = (a + d) / 2;
    entry[step] = (b + c) / 2;
    entry[2 * step] = I * (b - c) / 2;
    entry[3 * step] = (a - d) / 2;
}

/* Where the entry (row, column) stands if the digit of qubit q in base 4 is
 * 2 row_q + column_q. */
static int
by_qubits(int n, int row, int column)
{
    int place = 0;
    int q;

    for (q = 0; q < n; q++) {
        place |= (2 * (row >> q & 1) + (column >> q & 1)) << 2 * q;
    }
    return place;
}

double *
dense_coefficients(const dense *matrix)
{
    int d = matrix->dimension;
    int n_strings = d * d;
    number *entry = zeros(d);
    double *values = calloc((size_t)n_strings, sizeof *values);
    int row, column, step, i;

    if (values == NULL) {
        tap_bail("no memory for coefficients");
    }
    for (row = 0; row < d; row++) {
        for (column = 0; column < d; column++) {
            entry[by_qubits(matrix->n_qubits, row, column)] =
                matrix->entry[row * d + column];
        }
    }
    for (step = 1; step < n_strings; step *= 4) {
        for (i = 0; i < n_strings; i++) {
            if (i / step % 4 == 0) {
                to_letters(entry + i, step);
            }
        }
    }
    for (i = 0; i < n_strings; i++) {
        values[i] = creal(entry[i]);
    }
    free(entry);
    return values;
}

/* The amplitude of the state of one letter on 0 or 1. */
static number
amplitude(char letter, int bit)
{
    number root = sqrt(0.5);

    switch (letter) {
    case '0':
        return !bit;
    case '1':
        return bit;
    case '+':
        return root;
    case '-':
        return bit ? -root : root;
    case 'r':
        return bit ? I * root : root;
    default:
        return bit ? -I * root : root;
    }
}

double
dense_expectation(const dense *matrix, const char *state)
{
    int d = matrix->dimension;
    number value = 0;
    int row, column, q;

    for (row = 0; row < d; row++) {
        for (column = 0; column < d; column++) {
            number product = matrix->entry[row * d + column];

            for (q = 0; q < matrix->n_qubits; q++) {
                product *= conj(amplitude(state[q], row >> q & 1))
                           * amplitude(state[q], column >> q & 1);
            }
            value += product;
        }
    }
    return creal(value);
}
