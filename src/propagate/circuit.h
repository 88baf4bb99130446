/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a circuit is made of, for the engines and the readers.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_CIRCUIT_H
#define PAULIMPI_SRC_PROPAGATE_CIRCUIT_H

#include <stdint.h>

#include "paulimpi/circuit.h"

/* Every gate is lowered to a few operations when it is appended, so that an
 * engine knows four kinds only. */
typedef enum {
    /* A rotation by a multiple of pi/2 about a string: a Clifford. */
    PAULIMPI__OP_TURN,
    /* A rotation by any other angle. */
    PAULIMPI__OP_ROTATION,
    /* A channel on one qubit that multiplies X, Y and Z by a factor each. */
    PAULIMPI__OP_SCALE,
    /* Any other linear map on one qubit. */
    PAULIMPI__OP_MAP
} paulimpi__op_kind;

/* Where an operation stands in its gate and in its truncation unit (a gate, or
 * a group of gates). */
enum {
    PAULIMPI__GATE_FIRST = 1,
    PAULIMPI__GATE_LAST = 2,
    PAULIMPI__UNIT_FIRST = 4,
    PAULIMPI__UNIT_LAST = 8
};

typedef struct {
    paulimpi__op_kind kind;
    int flags;
    int quarters;       /* TURN: 0, 1, 2 or 3 times pi/2 */
    int64_t first_site; /* of the string, or the qubit, in sites[] */
    int64_t n_sites;    /* 0: the identity, no effect */
    /* ROTATION: cos, sin of theta. SCALE: factors of X, Y, Z.
     * MAP: value[0] is unused, the matrix is matrices[first_matrix]. */
    double value[3];
    int64_t first_matrix;
} paulimpi__op;

/* A letter of a generator on a qubit: qubit * 4 + x + 2 z. */
typedef int64_t paulimpi__site;
static inline int64_t
paulimpi__site_qubit(paulimpi__site site)
{
    return site >> 2;
}
static inline int
paulimpi__site_x(paulimpi__site site)
{
    return (int)(site & 1);
}
static inline int
paulimpi__site_z(paulimpi__site site)
{
    return (int)(site >> 1 & 1);
}

/* matrix[out][in] in the order I, X, Y, Z: the Heisenberg map takes the
 * coefficient of letter `in` to letter `out`. The Schroedinger map is its
 * transpose. */
typedef struct {
    double heisenberg[4][4];
} paulimpi__matrix;

/* A state of the lists below to go back to. */
typedef struct {
    int64_t n_ops;
    int64_t n_sites;
    int64_t n_matrices;
} paulimpi__circuit_mark;

struct paulimpi_circuit {
    int64_t n_qubits;
    int64_t n_gates;
    paulimpi__op *ops;
    int64_t n_ops, ops_capacity;
    paulimpi__site *sites;
    int64_t n_sites, sites_capacity;
    paulimpi__matrix *matrices;
    int64_t n_matrices, matrices_capacity;
    int gate_depth;              /* open gates: only the outermost counts */
    int is_in_group;             /* a truncation group of the user is open */
    paulimpi__circuit_mark gate; /* where the outermost open gate began */
    paulimpi__circuit_mark group;
};

/* Gates that are made of others: from begin to end everything that is appended
 * is one gate and, outside a group, one truncation unit. They nest. A gate
 * without operations counts too. cancel takes back everything since the
 * outermost begin, whatever the depth. */
void paulimpi__circuit_gate_begin(paulimpi_circuit *circuit);
int paulimpi__circuit_gate_end(paulimpi_circuit *circuit);
void paulimpi__circuit_gate_cancel(paulimpi_circuit *circuit);

/* Operations, without checks of their arguments; to be called between begin
 * and end. They return 0 or PAULIMPI_ERR_MEMORY. */
int paulimpi__circuit_add_rotation(paulimpi_circuit *circuit, int64_t n_sites,
                                   const paulimpi__site *sites, double theta);
int paulimpi__circuit_add_scale(paulimpi_circuit *circuit, int64_t qubit,
                                double x, double y, double z);
int paulimpi__circuit_add_map(paulimpi_circuit *circuit, int64_t qubit,
                              const paulimpi__matrix *matrix);

/* What the gate table knows of a name. */
typedef struct {
    int n_qubits;
    int n_parameters;
} paulimpi__gate_shape;

/** The row of a name, or -1 if there is no gate of that name. shape may be
 * NULL. */
int paulimpi__gate_find(const char *name, paulimpi__gate_shape *shape);

/** Append the gate of a row; function names the caller in sentences. The
 * arrays have as many entries as the row's shape says. */
int paulimpi__gate_append(paulimpi_circuit *circuit, const char *function,
                          int row, const int64_t *qubits,
                          const double *parameters);

/** 0 if circuit is alive and qubit is one of its; otherwise a sentence. */
int paulimpi__circuit_check_qubit(const paulimpi_circuit *circuit,
                                  const char *function, int64_t qubit);

#endif /* PAULIMPI_SRC_PROPAGATE_CIRCUIT_H */
