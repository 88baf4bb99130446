/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Circuits: the list of operations, and how gates and groups are marked in it.
 */
#include "propagate/circuit.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/base.h"

/* Make room for `more` items after n of them. */
#define RESERVE(circuit, list, n, capacity, more)                             \
    reserve((void **)&(circuit)->list, &(circuit)->capacity, (circuit)->n,    \
            (more), sizeof *(circuit)->list)

static int
reserve(void **list, int64_t *capacity, int64_t n, int64_t more, size_t size)
{
    int64_t wanted = n + more;
    void *grown;

    if (wanted <= *capacity) {
        return PAULIMPI_SUCCESS;
    }
    wanted += wanted / 2 + 8;
    grown = paulimpi__realloc(*list, (size_t)wanted, size);
    if (grown == NULL) {
        return paulimpi__no_memory("paulimpi_circuit", (size_t)wanted * size);
    }
    *list = grown;
    *capacity = wanted;
    return PAULIMPI_SUCCESS;
}

static paulimpi__circuit_mark
mark_of(const paulimpi_circuit *circuit)
{
    return (paulimpi__circuit_mark){ circuit->n_ops, circuit->n_sites,
                                     circuit->n_matrices };
}

static void
go_back(paulimpi_circuit *circuit, paulimpi__circuit_mark mark)
{
    circuit->n_ops = mark.n_ops;
    circuit->n_sites = mark.n_sites;
    circuit->n_matrices = mark.n_matrices;
}

static int
append_op(paulimpi_circuit *circuit, paulimpi__op op)
{
    int rc = RESERVE(circuit, ops, n_ops, ops_capacity, 1);

    if (rc == PAULIMPI_SUCCESS) {
        circuit->ops[circuit->n_ops++] = op;
    }
    return rc;
}

/* An operation without sites has no effect, but is counted as a gate. */
static paulimpi__op
no_effect(void)
{
    return (paulimpi__op){ .kind = PAULIMPI__OP_TURN };
}

/* Whether theta lies within 4 ulp of a multiple of pi/2; then *quarters_p is
 * that multiple modulo 4. */
static int
is_quarter_turn(double theta, int *quarters_p)
{
    double k = nearbyint(theta / M_PI_2);
    double ulp = nextafter(fabs(theta), INFINITY) - fabs(theta);

    /* Beyond 2^50 turns the multiples are not apart any more. */
    if (fabs(k) > 0x1p50) {
        return 0;
    }
    /* k pi/2 exactly: pi/2 = M_PI_2 + 6.123...e-17. The fma gives the error of
     * the first part without rounding. */
    if (fabs(fma(-k, M_PI_2, theta) - k * 6.123233995736766e-17) > 4 * ulp) {
        return 0;
    }
    *quarters_p = (int)(fmod(fmod(k, 4.0) + 4.0, 4.0));
    return 1;
}

int
paulimpi__circuit_add_rotation(paulimpi_circuit *circuit, int64_t n_sites,
                               const paulimpi__site *sites, double theta)
{
    paulimpi__op op = no_effect();
    int rc = RESERVE(circuit, sites, n_sites, sites_capacity, n_sites);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (!is_quarter_turn(theta, &op.quarters)) {
        op.kind = PAULIMPI__OP_ROTATION;
        op.value[0] = cos(theta);
        op.value[1] = sin(theta);
    } else if (op.quarters == 0) {
        n_sites = 0;
    }
    op.first_site = circuit->n_sites;
    op.n_sites = n_sites;
    rc = append_op(circuit, op);
    if (rc == PAULIMPI_SUCCESS) {
        if (n_sites > 0) {
            memcpy(circuit->sites + circuit->n_sites, sites,
                   (size_t)n_sites * sizeof *sites);
        }
        circuit->n_sites += n_sites;
    }
    return rc;
}

/* An operation on one qubit; the letter of its site does not matter. */
static int
add_on_qubit(paulimpi_circuit *circuit, paulimpi__op op, int64_t qubit)
{
    int rc = RESERVE(circuit, sites, n_sites, sites_capacity, 1);

    op.first_site = circuit->n_sites;
    op.n_sites = 1;
    if (rc == PAULIMPI_SUCCESS) {
        rc = append_op(circuit, op);
    }
    if (rc == PAULIMPI_SUCCESS) {
        circuit->sites[circuit->n_sites++] = qubit << 2;
    }
    return rc;
}

int
paulimpi__circuit_add_scale(paulimpi_circuit *circuit, int64_t qubit, double x,
                            double y, double z)
{
    return add_on_qubit(
        circuit,
        (paulimpi__op){ .kind = PAULIMPI__OP_SCALE, .value = { x, y, z } },
        qubit);
}

int
paulimpi__circuit_add_map(paulimpi_circuit *circuit, int64_t qubit,
                          const paulimpi__matrix *matrix)
{
    paulimpi__op op = { .kind = PAULIMPI__OP_MAP,
                        .first_matrix = circuit->n_matrices };
    int rc = RESERVE(circuit, matrices, n_matrices, matrices_capacity, 1);

    if (rc == PAULIMPI_SUCCESS) {
        rc = add_on_qubit(circuit, op, qubit);
    }
    if (rc == PAULIMPI_SUCCESS) {
        circuit->matrices[circuit->n_matrices++] = *matrix;
    }
    return rc;
}

void
paulimpi__circuit_gate_begin(paulimpi_circuit *circuit)
{
    if (circuit->gate_depth++ == 0) {
        circuit->gate = mark_of(circuit);
    }
}

static void
flag_range(paulimpi_circuit *circuit, int64_t first, int first_flag,
           int last_flag)
{
    if (first < circuit->n_ops) {
        circuit->ops[first].flags |= first_flag;
        circuit->ops[circuit->n_ops - 1].flags |= last_flag;
    }
}

int
paulimpi__circuit_gate_end(paulimpi_circuit *circuit)
{
    int64_t first = circuit->gate.n_ops;
    int rc = PAULIMPI_SUCCESS;

    if (circuit->gate_depth > 1) {
        circuit->gate_depth--;
        return PAULIMPI_SUCCESS;
    }
    if (circuit->n_ops == first) {
        rc = append_op(circuit, no_effect());
    }
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi__circuit_gate_cancel(circuit);
        return rc;
    }
    circuit->gate_depth = 0;
    circuit->n_gates++;
    flag_range(circuit, first, PAULIMPI__GATE_FIRST, PAULIMPI__GATE_LAST);
    if (!circuit->is_in_group) {
        flag_range(circuit, first, PAULIMPI__UNIT_FIRST, PAULIMPI__UNIT_LAST);
    }
    return PAULIMPI_SUCCESS;
}

void
paulimpi__circuit_gate_cancel(paulimpi_circuit *circuit)
{
    if (circuit->gate_depth > 0) {
        go_back(circuit, circuit->gate);
        circuit->gate_depth = 0;
    }
}

static int
check(const paulimpi_circuit *circuit, const char *function,
      const char *argument)
{
    return paulimpi__handle_check(circuit, PAULIMPI__HANDLE_CIRCUIT, function,
                                  argument);
}

int
paulimpi__circuit_check_qubit(const paulimpi_circuit *circuit,
                              const char *function, int64_t qubit)
{
    int rc = check(circuit, function, "circuit");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (qubit < 0 || qubit >= circuit->n_qubits) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: qubit %" PRId64 " is not there: the "
                               "circuit has qubits 0 to %" PRId64,
                               function, qubit, circuit->n_qubits - 1);
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi_circuit_create(int64_t n_qubits, paulimpi_circuit **circuit_p)
{
    paulimpi_circuit *circuit;
    int rc;

    if (circuit_p == NULL) {
        return paulimpi__null("paulimpi_circuit_create", "circuit_p");
    }
    *circuit_p = NULL;
    /* Sites hold a qubit and two bits in 64. */
    if (n_qubits < 1 || n_qubits > INT64_MAX / 8) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "paulimpi_circuit_create: n_qubits is %" PRId64
                               ", but must be from 1 to 2^60 - 1",
                               n_qubits);
    }
    circuit = paulimpi__alloc_zero(1, sizeof *circuit);
    if (circuit == NULL) {
        return paulimpi__no_memory("paulimpi_circuit_create", sizeof *circuit);
    }
    circuit->n_qubits = n_qubits;
    rc = paulimpi__handle_enter(circuit, PAULIMPI__HANDLE_CIRCUIT);
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi__free(circuit);
        return rc;
    }
    *circuit_p = circuit;
    return PAULIMPI_SUCCESS;
}

void
paulimpi_circuit_destroy(paulimpi_circuit **circuit_p)
{
    if (circuit_p == NULL || *circuit_p == NULL
        || check(*circuit_p, "paulimpi_circuit_destroy", "circuit")
               != PAULIMPI_SUCCESS) {
        return;
    }
    paulimpi__handle_leave(*circuit_p);
    paulimpi__free((*circuit_p)->ops);
    paulimpi__free((*circuit_p)->sites);
    paulimpi__free((*circuit_p)->matrices);
    paulimpi__free(*circuit_p);
    *circuit_p = NULL;
}

static int
refuse_open_group(const paulimpi_circuit *circuit, const char *function)
{
    if (circuit->is_in_group) {
        return paulimpi__error(PAULIMPI_ERR_STATE,
                               "%s: the circuit is inside a truncation group: "
                               "call paulimpi_circuit_group_end first",
                               function);
    }
    return PAULIMPI_SUCCESS;
}

/* Append the operations of another circuit, which may be the same one. Room is
 * made first, so that nothing is half done, and so that the other's lists do
 * not move while they are read. */
static int
append_all(paulimpi_circuit *circuit, const paulimpi_circuit *other)
{
    const paulimpi__circuit_mark from = mark_of(other);
    const paulimpi__circuit_mark to = mark_of(circuit);
    int64_t n_gates = other->n_gates;
    int64_t i;
    int rc;

    rc = RESERVE(circuit, ops, n_ops, ops_capacity, from.n_ops);
    if (rc == PAULIMPI_SUCCESS) {
        rc = RESERVE(circuit, sites, n_sites, sites_capacity, from.n_sites);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = RESERVE(circuit, matrices, n_matrices, matrices_capacity,
                     from.n_matrices);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    for (i = 0; i < from.n_ops; i++) {
        paulimpi__op op = other->ops[i];

        op.first_site += to.n_sites;
        op.first_matrix += to.n_matrices;
        if (circuit->is_in_group) {
            op.flags &= ~(PAULIMPI__UNIT_FIRST | PAULIMPI__UNIT_LAST);
        }
        circuit->ops[to.n_ops + i] = op;
    }
    for (i = 0; i < from.n_sites; i++) {
        circuit->sites[to.n_sites + i] = other->sites[i];
    }
    for (i = 0; i < from.n_matrices; i++) {
        circuit->matrices[to.n_matrices + i] = other->matrices[i];
    }
    circuit->n_ops += from.n_ops;
    circuit->n_sites += from.n_sites;
    circuit->n_matrices += from.n_matrices;
    circuit->n_gates += n_gates;
    return PAULIMPI_SUCCESS;
}

int
paulimpi_circuit_append(paulimpi_circuit *circuit,
                        const paulimpi_circuit *other)
{
    static const char function[] = "paulimpi_circuit_append";
    int rc = check(circuit, function, "circuit");

    if (rc == PAULIMPI_SUCCESS) {
        rc = check(other, function, "other");
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = refuse_open_group(other, function);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (circuit->n_qubits != other->n_qubits) {
        return paulimpi__error(PAULIMPI_ERR_MISMATCH,
                               "%s: the circuits have %" PRId64 " and %" PRId64
                               " qubits",
                               function, circuit->n_qubits, other->n_qubits);
    }
    return append_all(circuit, other);
}

int
paulimpi_circuit_copy(const paulimpi_circuit *circuit,
                      paulimpi_circuit **copy_p)
{
    static const char function[] = "paulimpi_circuit_copy";
    int rc;

    if (copy_p == NULL) {
        return paulimpi__null(function, "copy_p");
    }
    *copy_p = NULL;
    rc = check(circuit, function, "circuit");
    if (rc == PAULIMPI_SUCCESS) {
        rc = refuse_open_group(circuit, function);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_circuit_create(circuit->n_qubits, copy_p);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = append_all(*copy_p, circuit);
        if (rc != PAULIMPI_SUCCESS) {
            paulimpi_circuit_destroy(copy_p);
        }
    }
    return rc;
}

int64_t
paulimpi_circuit_qubits(const paulimpi_circuit *circuit)
{
    int rc = check(circuit, "paulimpi_circuit_qubits", "circuit");

    return rc != PAULIMPI_SUCCESS ? rc : circuit->n_qubits;
}

int64_t
paulimpi_circuit_gates(const paulimpi_circuit *circuit)
{
    int rc = check(circuit, "paulimpi_circuit_gates", "circuit");

    return rc != PAULIMPI_SUCCESS ? rc : circuit->n_gates;
}

int
paulimpi_circuit_barrier(paulimpi_circuit *circuit)
{
    return check(circuit, "paulimpi_circuit_barrier", "circuit");
}

int
paulimpi_circuit_group_begin(paulimpi_circuit *circuit)
{
    static const char function[] = "paulimpi_circuit_group_begin";
    int rc = check(circuit, function, "circuit");

    if (rc == PAULIMPI_SUCCESS) {
        rc = refuse_open_group(circuit, function);
    }
    if (rc == PAULIMPI_SUCCESS) {
        circuit->is_in_group = 1;
        circuit->group = mark_of(circuit);
    }
    return rc;
}

int
paulimpi_circuit_group_end(paulimpi_circuit *circuit)
{
    static const char function[] = "paulimpi_circuit_group_end";
    int rc = check(circuit, function, "circuit");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (!circuit->is_in_group) {
        return paulimpi__error(PAULIMPI_ERR_STATE,
                               "%s: no truncation group is open", function);
    }
    circuit->is_in_group = 0;
    flag_range(circuit, circuit->group.n_ops, PAULIMPI__UNIT_FIRST,
               PAULIMPI__UNIT_LAST);
    return PAULIMPI_SUCCESS;
}
