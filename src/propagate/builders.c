/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Circuits that are built from a string, a lattice or a Hamiltonian.
 */
#include <inttypes.h>
#include <math.h>

#include "base/base.h"
#include "paulimpi/pauli.h"
#include "propagate/circuit.h"

/* The sites of a string given by its bits; returns their number. */
static int64_t
list_sites(int64_t n_qubits, const uint64_t *x, const uint64_t *z,
           paulimpi__site *sites)
{
    int64_t n_words = paulimpi_pauli_words(n_qubits);
    int64_t n_sites = 0;
    int64_t w;

    for (w = 0; w < n_words; w++) {
        uint64_t rest = x[w] | z[w];

        while (rest != 0) {
            int bit = __builtin_ctzll(rest);

            sites[n_sites++] = (w * 64 + bit) << 2
                               | (int64_t)(z[w] >> bit & 1) << 1
                               | (int64_t)(x[w] >> bit & 1);
            rest &= rest - 1;
        }
    }
    return n_sites;
}

/* Append a rotation as a gate of its own. */
static int
append_rotation(paulimpi_circuit *circuit, int64_t n_sites,
                const paulimpi__site *sites, double theta)
{
    int rc;

    paulimpi__circuit_gate_begin(circuit);
    rc = paulimpi__circuit_add_rotation(circuit, n_sites, sites, theta);
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi__circuit_gate_cancel(circuit);
        return rc;
    }
    return paulimpi__circuit_gate_end(circuit);
}

static int
check_finite(const char *function, const char *argument, double value)
{
    if (!isfinite(value)) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: %s is %g, but must be finite", function,
                               argument, value);
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi_circuit_rotation(paulimpi_circuit *circuit, const char *label,
                          double theta)
{
    static const char function[] = "paulimpi_circuit_rotation";
    int64_t n_words;
    int rc = paulimpi__circuit_check_qubit(circuit, function, 0);
    paulimpi_pauli *pauli = NULL;
    paulimpi__site *sites = NULL;
    uint64_t *bits = NULL;

    if (rc == PAULIMPI_SUCCESS) {
        rc = check_finite(function, "theta", theta);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_pauli_create(circuit->n_qubits, label, &pauli);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    n_words = paulimpi_pauli_words(circuit->n_qubits);
    bits = paulimpi__alloc((size_t)n_words, 2 * sizeof *bits);
    sites = paulimpi__alloc((size_t)paulimpi_pauli_weight(pauli) + 1,
                            sizeof *sites);
    if (bits == NULL || sites == NULL) {
        rc = paulimpi__no_memory(function, (size_t)n_words * 16);
    } else {
        paulimpi_pauli_bits(pauli, bits, bits + n_words);
        rc = append_rotation(
            circuit,
            list_sites(circuit->n_qubits, bits, bits + n_words, sites), sites,
            theta);
    }
    paulimpi__free(sites);
    paulimpi__free(bits);
    paulimpi_pauli_destroy(&pauli);
    return rc;
}

int
paulimpi_heavy_hex_127(int64_t *edges)
{
    /* Seven rows of consecutive qubits, first and last. */
    static const int row[][2] = { { 0, 13 },   { 18, 32 }, { 37, 51 },
                                  { 56, 70 },  { 75, 89 }, { 94, 108 },
                                  { 113, 126 } };
    /* Between two rows four qubits, consecutive as well, each joined to one
     * of the row above and one of the row below; the next bridge sits four
     * columns further right. First qubit above, first below, first bridge. */
    static const int bridge[][3] = { { 0, 18, 14 },  { 20, 39, 33 },
                                     { 37, 56, 52 }, { 58, 77, 71 },
                                     { 75, 94, 90 }, { 96, 114, 109 } };
    int64_t upper[PAULIMPI_HEAVY_HEX_127_QUBITS][3];
    int n_upper[PAULIMPI_HEAVY_HEX_127_QUBITS] = { 0 };
    int r, j, q, k;

    if (edges == NULL) {
        return paulimpi__null("paulimpi_heavy_hex_127", "edges");
    }
    /* upper[q]: the larger neighbours of q, in ascending order, since a row's
     * next qubit is smaller than any bridge below it. */
    for (r = 0; r < 7; r++) {
        for (q = row[r][0]; q < row[r][1]; q++) {
            upper[q][n_upper[q]++] = q + 1;
        }
        for (j = 0; r < 6 && j < 4; j++) {
            int above = bridge[r][0] + 4 * j;
            int middle = bridge[r][2] + j;

            upper[above][n_upper[above]++] = middle;
            upper[middle][n_upper[middle]++] = bridge[r][1] + 4 * j;
        }
    }
    for (q = 0; q < PAULIMPI_HEAVY_HEX_127_QUBITS; q++) {
        for (k = 0; k < n_upper[q]; k++) {
            *edges++ = q;
            *edges++ = upper[q][k];
        }
    }
    return PAULIMPI_SUCCESS;
}

static int
check_steps(const char *function, int64_t steps)
{
    if (steps < 0) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: steps is %" PRId64
                               ", but must not be negative",
                               function, steps);
    }
    return PAULIMPI_SUCCESS;
}

/* Append steps times the circuit `one` and free it: the end of the builders,
 * which leaves the circuit as it was if anything fails. */
static int
append_steps(paulimpi_circuit *circuit, paulimpi_circuit **one, int64_t steps,
             int rc)
{
    paulimpi_circuit *all = NULL;
    int64_t i;

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_circuit_create(circuit->n_qubits, &all);
    }
    for (i = 0; i < steps && rc == PAULIMPI_SUCCESS; i++) {
        rc = paulimpi_circuit_append(all, *one);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_circuit_append(circuit, all);
    }
    paulimpi_circuit_destroy(&all);
    paulimpi_circuit_destroy(one);
    return rc;
}

int
paulimpi_circuit_kicked_ising(paulimpi_circuit *circuit, int64_t n_edges,
                              const int64_t *edges, int64_t steps,
                              double theta_h, double theta_zz)
{
    static const char function[] = "paulimpi_circuit_kicked_ising";
    paulimpi_circuit *one = NULL;
    int64_t i;
    int rc = paulimpi__circuit_check_qubit(circuit, function, 0);

    if (rc == PAULIMPI_SUCCESS) {
        rc = check_steps(function, steps);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (n_edges < 0 || (n_edges > 0 && edges == NULL)) {
        return n_edges < 0 ? paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                                             "%s: n_edges is %" PRId64
                                             ", but must not be negative",
                                             function, n_edges)
                           : paulimpi__null(function, "edges");
    }
    rc = paulimpi_circuit_create(circuit->n_qubits, &one);
    for (i = 0; i < circuit->n_qubits && rc == PAULIMPI_SUCCESS; i++) {
        rc = paulimpi_circuit_rx(one, i, theta_h);
    }
    for (i = 0; i < n_edges && rc == PAULIMPI_SUCCESS; i++) {
        rc = paulimpi_circuit_rzz(one, edges[2 * i], edges[2 * i + 1],
                                  theta_zz);
    }
    return append_steps(circuit, &one, steps, rc);
}

/* One Trotter step; order 2 runs forth and back with half the angles. */
static int
trotter_step(paulimpi_circuit *one, int64_t n_terms, const uint64_t *x,
             const uint64_t *z, const double *coefficient, double dt,
             int order, paulimpi__site *sites)
{
    int64_t n_words = paulimpi_pauli_words(one->n_qubits);
    int rc = PAULIMPI_SUCCESS;
    int64_t i;

    for (i = 0; i < order * n_terms && rc == PAULIMPI_SUCCESS; i++) {
        int64_t t = i < n_terms ? i : 2 * n_terms - 1 - i;
        int64_t n_sites =
            list_sites(one->n_qubits, x + t * n_words, z + t * n_words, sites);
        double theta = 2.0 * coefficient[t] * dt / order;

        rc = check_finite("paulimpi_circuit_trotter", "an angle", theta);
        if (rc == PAULIMPI_SUCCESS && n_sites > 0) {
            rc = append_rotation(one, n_sites, sites, theta);
        }
    }
    return rc;
}

static int
check_trotter(const paulimpi_circuit *circuit, const paulimpi_sum *hamiltonian,
              double dt, int64_t steps, int order)
{
    static const char function[] = "paulimpi_circuit_trotter";
    int64_t n_qubits;
    int rc = paulimpi__circuit_check_qubit(circuit, function, 0);

    if (rc == PAULIMPI_SUCCESS) {
        n_qubits = paulimpi_sum_qubits(hamiltonian);
        if (n_qubits < 0) {
            return (int)n_qubits;
        }
        if (n_qubits != circuit->n_qubits) {
            return paulimpi__error(PAULIMPI_ERR_MISMATCH,
                                   "%s: the Hamiltonian has %" PRId64
                                   " qubits, the circuit %" PRId64,
                                   function, n_qubits, circuit->n_qubits);
        }
        rc = check_finite(function, "dt", dt);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = check_steps(function, steps);
    }
    if (rc == PAULIMPI_SUCCESS && order != 1 && order != 2) {
        rc = paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                             "%s: order is %d, but must be 1 or 2", function,
                             order);
    }
    return rc;
}

int
paulimpi_circuit_trotter(paulimpi_circuit *circuit,
                         const paulimpi_sum *hamiltonian, double dt,
                         int64_t steps, int order)
{
    paulimpi_circuit *one = NULL;
    paulimpi__site *sites;
    uint64_t *bits;
    double *coefficient;
    size_t n_terms, n_words;
    int rc = check_trotter(circuit, hamiltonian, dt, steps, order);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    n_terms = (size_t)paulimpi_sum_terms(hamiltonian);
    n_words = (size_t)paulimpi_pauli_words(circuit->n_qubits);
    bits = paulimpi__alloc(n_terms + 1, 2 * n_words * sizeof *bits);
    coefficient = paulimpi__alloc(n_terms + 1, sizeof *coefficient);
    sites = paulimpi__alloc((size_t)circuit->n_qubits, sizeof *sites);
    if (bits == NULL || coefficient == NULL || sites == NULL) {
        rc = paulimpi__no_memory("paulimpi_circuit_trotter",
                                 n_terms * n_words * 16);
    } else {
        rc = paulimpi_sum_get_terms(hamiltonian, (int64_t)n_terms, bits,
                                    bits + n_terms * n_words, coefficient);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_circuit_create(circuit->n_qubits, &one);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc =
            trotter_step(one, (int64_t)n_terms, bits, bits + n_terms * n_words,
                         coefficient, dt, order, sites);
    }
    paulimpi__free(sites);
    paulimpi__free(coefficient);
    paulimpi__free(bits);
    return append_steps(circuit, &one, steps, rc);
}
