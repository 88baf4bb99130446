/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Circuits on dense matrices: slow, obvious, and without any code of the
 * library.
 */
#ifndef TESTS_PROPAGATE_ORACLE_DENSE_H
#define TESTS_PROPAGATE_ORACLE_DENSE_H

#include "propagate/script.h"

/* An operator on up to 8 qubits as a matrix of 2^n x 2^n numbers; bit q of a
 * row or column is the state of qubit q. */
typedef struct dense dense;

dense *dense_create(int n_qubits);
void dense_destroy(dense *matrix);

/* Add coefficient times the string of a dense label. */
void dense_add(dense *matrix, const char *label, double coefficient);

/* Apply a circuit: the sum over its Kraus operators of K^dagger O K from the
 * last gate to the first, or of K O K^dagger from the first to the last. */
void dense_heisenberg(dense *matrix, const script *circuit);
void dense_schroedinger(dense *matrix, const script *circuit);

/* The real part of trace(P O) / 2^n for all 4^n strings P; that of a label
 * stands at the number whose base-4 digits are its letters (I = 0, X = 1,
 * Y = 2, Z = 3), qubit 0 lowest. Free it. */
double *dense_coefficients(const dense *matrix);

/* trace(rho O), where rho is the product state of the letters 0 1 + - r l. */
double dense_expectation(const dense *matrix, const char *state);

#endif /* TESTS_PROPAGATE_ORACLE_DENSE_H */
