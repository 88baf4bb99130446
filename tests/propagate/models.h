/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The circuits of published and reproduced values, as scripts.
 */
#ifndef TESTS_PROPAGATE_MODELS_H
#define TESTS_PROPAGATE_MODELS_H

#include "propagate/script.h"

enum { HEAVY_HEX_EDGES = 144 };

/* The lattice of the 127-qubit processor, in ascending order. */
void model_heavy_hex(int64_t edges[HEAVY_HEX_EDGES][2]);

/* Steps of RX(theta_h) on all qubits, then RZZ(-pi/2) on all edges. */
script *model_kicked_ising(double theta_h, int steps);

/* One step each on an open grid or chain, in the order of time. */
script *model_lattice_b(int side);
script *model_lattice_c(void);
script *model_chain_d(int64_t n);
script *model_xxz(int64_t n, double jz);

#endif /* TESTS_PROPAGATE_MODELS_H */
