/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Quantum circuits: gates, channels, OpenQASM, builders.
 */
#ifndef PAULIMPI_CIRCUIT_H
#define PAULIMPI_CIRCUIT_H

#include <stdint.h>

#include "paulimpi/export.h"
#include "paulimpi/status.h"
#include "paulimpi/sum.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Circuits
 *
 * A circuit is a list of gates and channels in the order of time, on qubits
 * that are counted from 0:
 *
 *     paulimpi_circuit *circuit;
 *
 *     paulimpi_circuit_create(2, &circuit);
 *     paulimpi_circuit_h(circuit, 0);
 *     paulimpi_circuit_cx(circuit, 0, 1);
 *     paulimpi_circuit_rotation(circuit, "X0 Y1", 0.4);
 *     paulimpi_circuit_depolarizing(circuit, 1, 1e-3);
 *     paulimpi_circuit_destroy(&circuit);
 *
 * A circuit is replicated: every rank makes the same one. All functions are
 * local. A function that fails leaves the circuit as it was.
 *
 * Rotations are exp(-i theta P / 2). An angle within 4 ulp of a multiple of
 * pi/2 acts as that Clifford gate, with cos and sin exact.
 *
 * After each gate the sum is truncated (paulimpi/propagate.h), except inside a
 * truncation group, where that happens once at its end. A gate that is defined
 * in an OpenQASM file is one gate and one group.
 *
 * The appending functions share their codes: PAULIMPI_SUCCESS;
 * PAULIMPI_ERR_ARGUMENT for NULL, a qubit that is not there or named twice, a
 * parameter that is not finite or out of its range; PAULIMPI_ERR_MEMORY.
 */
typedef struct paulimpi_circuit paulimpi_circuit;

/**
 * Make an empty circuit.
 *
 * @param n_qubits   from 1 up
 * @param circuit_p  set to the circuit, or to NULL on failure
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_circuit_create(int64_t n_qubits,
                                         paulimpi_circuit **circuit_p);

/** Free a circuit and forget it. NULL and a NULL handle are fine. */
PAULIMPI_API void paulimpi_circuit_destroy(paulimpi_circuit **circuit_p);

/** Make a copy. @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT,
 * PAULIMPI_ERR_STATE inside a truncation group, PAULIMPI_ERR_MEMORY */
PAULIMPI_API int paulimpi_circuit_copy(const paulimpi_circuit *circuit,
                                       paulimpi_circuit **copy_p);

/** Count the qubits. @return PAULIMPI_ERR_ARGUMENT for NULL */
PAULIMPI_API int64_t paulimpi_circuit_qubits(const paulimpi_circuit *circuit);

/** Count the gates and channels; barriers and groups do not count.
 * @return PAULIMPI_ERR_ARGUMENT for NULL */
PAULIMPI_API int64_t paulimpi_circuit_gates(const paulimpi_circuit *circuit);

/**
 * Append all gates of another circuit on as many qubits (it may be the same
 * one).
 *
 * @return the codes above; PAULIMPI_ERR_MISMATCH for another number of qubits,
 *         PAULIMPI_ERR_STATE if other is inside a truncation group
 */
PAULIMPI_API int paulimpi_circuit_append(paulimpi_circuit *circuit,
                                         const paulimpi_circuit *other);

/**
 * Read an OpenQASM 2.0 file.
 *
 * The whole language is read, with the gates of qelib1.inc as the paper
 * (arXiv:1707.03429) lists them and the longer list that Qiskit writes.
 * Registers are numbered in the order of their declarations: the first qubit
 * of the first register is qubit 0. A measurement may stand anywhere after the
 * last gate of its qubit and has no effect.
 *
 * @param path       "-" is standard input
 * @param circuit_p  set to the circuit, or to NULL on failure
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT; PAULIMPI_ERR_IO;
 *         PAULIMPI_ERR_SYNTAX for a text that is not OpenQASM 2.0, with file,
 *         line, column and reason; PAULIMPI_ERR_UNSUPPORTED, likewise, for the
 *         use of an opaque gate, if, reset, a gate after its qubit was
 *         measured, and a text beyond a limit of the reader (2^20 qubits,
 *         10^8 operations, depth of nesting); PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_circuit_read(const char *path,
                                       paulimpi_circuit **circuit_p);

/** A value for an input of a text. */
typedef struct {
    const char *name;
    double value;
} paulimpi_input;

/**
 * Read an OpenQASM 2.0 file with parameters.
 *
 * As in OpenQASM 3, a statement "input angle NAME;" (or float, float[64])
 * declares a parameter, which angles may use from there on, also those in
 * bodies of gates. Each needs a value, and each value is of one; without any it
 * is the same as paulimpi_circuit_read().
 *
 * @return the codes of paulimpi_circuit_read(), PAULIMPI_ERR_ARGUMENT also for
 *         a value that is not finite; PAULIMPI_ERR_SYNTAX for an input without
 *         a value; PAULIMPI_ERR_MISMATCH for a value without an input
 */
PAULIMPI_API int paulimpi_circuit_read_with(const char *path, int64_t n_inputs,
                                            const paulimpi_input *inputs,
                                            paulimpi_circuit **circuit_p);

/**
 * Read OpenQASM 2.0 from memory; as paulimpi_circuit_read().
 *
 * @param text  ends with a NUL character
 * @param name  stands for the file name in sentences; NULL for "text"
 */
PAULIMPI_API int paulimpi_circuit_parse(const char *text, const char *name,
                                        paulimpi_circuit **circuit_p);

/**
 * Append a gate by its name, in lower case as in OpenQASM.
 *
 * The names are those of the functions below.
 *
 * @param n_qubits,qubits      must fit the gate
 * @param n_parameters,parameters  likewise, in radians or probabilities
 * @return the codes above; PAULIMPI_ERR_ARGUMENT for an unknown name and for
 *         wrong numbers of qubits or parameters, with both numbers
 */
PAULIMPI_API int paulimpi_circuit_gate(paulimpi_circuit *circuit,
                                       const char *name, int64_t n_qubits,
                                       const int64_t *qubits,
                                       int64_t n_parameters,
                                       const double *parameters);

/* Clifford gates and T. */
PAULIMPI_API int paulimpi_circuit_h(paulimpi_circuit *circuit, int64_t q);
PAULIMPI_API int paulimpi_circuit_s(paulimpi_circuit *circuit, int64_t q);
PAULIMPI_API int paulimpi_circuit_sdg(paulimpi_circuit *circuit, int64_t q);
PAULIMPI_API int paulimpi_circuit_sx(paulimpi_circuit *circuit, int64_t q);
PAULIMPI_API int paulimpi_circuit_sxdg(paulimpi_circuit *circuit, int64_t q);
PAULIMPI_API int paulimpi_circuit_x(paulimpi_circuit *circuit, int64_t q);
PAULIMPI_API int paulimpi_circuit_y(paulimpi_circuit *circuit, int64_t q);
PAULIMPI_API int paulimpi_circuit_z(paulimpi_circuit *circuit, int64_t q);
PAULIMPI_API int paulimpi_circuit_t(paulimpi_circuit *circuit, int64_t q);
PAULIMPI_API int paulimpi_circuit_tdg(paulimpi_circuit *circuit, int64_t q);
PAULIMPI_API int paulimpi_circuit_cx(paulimpi_circuit *circuit,
                                     int64_t control, int64_t target);
PAULIMPI_API int paulimpi_circuit_cy(paulimpi_circuit *circuit,
                                     int64_t control, int64_t target);
PAULIMPI_API int paulimpi_circuit_cz(paulimpi_circuit *circuit, int64_t a,
                                     int64_t b);
PAULIMPI_API int paulimpi_circuit_swap(paulimpi_circuit *circuit, int64_t a,
                                       int64_t b);

/* Rotations by theta about the named letters. */
PAULIMPI_API int paulimpi_circuit_rx(paulimpi_circuit *circuit, int64_t q,
                                     double theta);
PAULIMPI_API int paulimpi_circuit_ry(paulimpi_circuit *circuit, int64_t q,
                                     double theta);
PAULIMPI_API int paulimpi_circuit_rz(paulimpi_circuit *circuit, int64_t q,
                                     double theta);
PAULIMPI_API int paulimpi_circuit_rxx(paulimpi_circuit *circuit, int64_t a,
                                      int64_t b, double theta);
PAULIMPI_API int paulimpi_circuit_ryy(paulimpi_circuit *circuit, int64_t a,
                                      int64_t b, double theta);
PAULIMPI_API int paulimpi_circuit_rzz(paulimpi_circuit *circuit, int64_t a,
                                      int64_t b, double theta);

/** A rotation about any Pauli string, given by its label. A rotation about the
 * identity has no effect. @return also PAULIMPI_ERR_SYNTAX */
PAULIMPI_API int paulimpi_circuit_rotation(paulimpi_circuit *circuit,
                                           const char *label, double theta);

/* General gates on one qubit as OpenQASM 2.0 defines them, up to a phase:
 * u3 = RZ(phi) RY(theta) RZ(lambda), u2 = u3(pi/2, phi, lambda),
 * u1 = p = RZ(lambda). */
PAULIMPI_API int paulimpi_circuit_u3(paulimpi_circuit *circuit, int64_t q,
                                     double theta, double phi, double lambda);
PAULIMPI_API int paulimpi_circuit_u2(paulimpi_circuit *circuit, int64_t q,
                                     double phi, double lambda);
PAULIMPI_API int paulimpi_circuit_u1(paulimpi_circuit *circuit, int64_t q,
                                     double lambda);
PAULIMPI_API int paulimpi_circuit_p(paulimpi_circuit *circuit, int64_t q,
                                    double lambda);

/** Depolarizing channel: X, Y and Z on q are multiplied by 1 - 4p/3, each
 * Pauli error having probability p/3. p from 0 to 1; 3/4 mixes fully. */
PAULIMPI_API int paulimpi_circuit_depolarizing(paulimpi_circuit *circuit,
                                               int64_t q, double p);

/** Dephasing channel, a Z error with probability p: X and Y on q are
 * multiplied by 1 - 2p. p from 0 to 1; 1/2 dephases fully. */
PAULIMPI_API int paulimpi_circuit_dephasing(paulimpi_circuit *circuit,
                                            int64_t q, double p);

/** Pauli channel with the probabilities of X, Y and Z errors, each from 0 up,
 * together at most 1: X is multiplied by 1 - 2(py + pz), and so on in
 * cyclic order. */
PAULIMPI_API int paulimpi_circuit_pauli_noise(paulimpi_circuit *circuit,
                                              int64_t q, double px, double py,
                                              double pz);

/** Amplitude damping towards |0> with probability gamma, from 0 to 1. In the
 * Heisenberg picture X and Y are multiplied by sqrt(1 - gamma) and Z becomes
 * (1 - gamma) Z + gamma I. */
PAULIMPI_API int paulimpi_circuit_amplitude_damping(paulimpi_circuit *circuit,
                                                    int64_t q, double gamma);

/** A barrier: no effect on results. */
PAULIMPI_API int paulimpi_circuit_barrier(paulimpi_circuit *circuit);

/**
 * Begin a truncation group: the gates until its end are truncated once, after
 * the last of them (in the order in which they act on the sum). Groups do not
 * nest.
 *
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_STATE inside a
 *         group
 */
PAULIMPI_API int paulimpi_circuit_group_begin(paulimpi_circuit *circuit);

/** End a truncation group.
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_STATE outside
 *         a group */
PAULIMPI_API int paulimpi_circuit_group_end(paulimpi_circuit *circuit);

enum {
    PAULIMPI_HEAVY_HEX_127_QUBITS = 127,
    PAULIMPI_HEAVY_HEX_127_EDGES = 144
};

/**
 * Write the edges of the 127-qubit heavy-hex lattice (Kim et al., Nature 618,
 * 500, 2023), each as (smaller, larger) qubit, in ascending order.
 *
 * @param edges  room for 2 * PAULIMPI_HEAVY_HEX_127_EDGES numbers
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT
 */
PAULIMPI_API int paulimpi_heavy_hex_127(int64_t *edges);

/**
 * Append steps of the kicked Ising model: RX(theta_h) on every qubit in
 * ascending order, then RZZ(theta_zz) on every edge in the order given.
 *
 * @param n_edges   from 0 up
 * @param edges     2 n_edges qubits: edge e joins edges[2e] and edges[2e + 1]
 * @param steps     from 0 up
 * @param theta_zz  -pi/2 in the experiment of Kim et al.
 * @return the codes above
 */
PAULIMPI_API int paulimpi_circuit_kicked_ising(paulimpi_circuit *circuit,
                                               int64_t n_edges,
                                               const int64_t *edges,
                                               int64_t steps, double theta_h,
                                               double theta_zz);

/**
 * Append Trotter steps of exp(-i H t) for a Hamiltonian H that is a sum:
 * each step is, for order 1, a rotation by 2 c dt about each string of H with
 * coefficient c, in the order of paulimpi_sum_get_terms(); for order 2, half
 * of each in that order, then half of each in the reverse order.
 *
 * @param hamiltonian  on as many qubits; its identity part has no effect
 * @param dt           t / steps
 * @param steps        from 0 up
 * @param order        1 or 2
 * @return the codes above; PAULIMPI_ERR_MISMATCH for another number of qubits
 */
PAULIMPI_API int paulimpi_circuit_trotter(paulimpi_circuit *circuit,
                                          const paulimpi_sum *hamiltonian,
                                          double dt, int64_t steps, int order);

#ifdef __cplusplus
}
#endif

#endif /* PAULIMPI_CIRCUIT_H */
