/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The gate table: one row a gate, and the functions that append gates.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "paulimpi/pauli.h"
#include "propagate/circuit.h"

enum {
    MOST_QUBITS = 2,
    MOST_STEPS = 3,
    EIGHTHS = -1 /* a step whose angle is fixed */
};

/* A rotation exp(-i angle P / 2) about P = letters. Its angle is a parameter
 * of the gate, or a number of eighths of a turn, that is, of pi/4. */
typedef struct {
    const char *letters;
    int parameter;
    int eighths;
} step;

/* A gate is a short product of rotations, in the order of time, or has a
 * function of its own. All are right up to a global phase. */
typedef struct {
    const char *name;
    int n_qubits;
    int n_parameters;
    step steps[MOST_STEPS];
    int (*append)(paulimpi_circuit *circuit, int64_t qubit,
                  const double *parameters);
} gate_row;

static int append_u3(paulimpi_circuit *circuit, int64_t qubit,
                     const double *parameters);
static int append_u2(paulimpi_circuit *circuit, int64_t qubit,
                     const double *parameters);
static int append_depolarizing(paulimpi_circuit *circuit, int64_t qubit,
                               const double *parameters);
static int append_dephasing(paulimpi_circuit *circuit, int64_t qubit,
                            const double *parameters);
static int append_pauli_noise(paulimpi_circuit *circuit, int64_t qubit,
                              const double *parameters);
static int append_amplitude_damping(paulimpi_circuit *circuit, int64_t qubit,
                                    const double *parameters);

#define FIXED(letters, eighths)                                               \
    {                                                                         \
        letters, EIGHTHS, eighths                                             \
    }
#define ANGLE(letters, parameter)                                             \
    {                                                                         \
        letters, parameter, 0                                                 \
    }

static const gate_row rows[] = {
    { "h", 1, 0, { FIXED("Z", 4), FIXED("Y", 2) }, NULL },
    { "s", 1, 0, { FIXED("Z", 2) }, NULL },
    { "sdg", 1, 0, { FIXED("Z", -2) }, NULL },
    { "sx", 1, 0, { FIXED("X", 2) }, NULL },
    { "sxdg", 1, 0, { FIXED("X", -2) }, NULL },
    { "x", 1, 0, { FIXED("X", 4) }, NULL },
    { "y", 1, 0, { FIXED("Y", 4) }, NULL },
    { "z", 1, 0, { FIXED("Z", 4) }, NULL },
    { "t", 1, 0, { FIXED("Z", 1) }, NULL },
    { "tdg", 1, 0, { FIXED("Z", -1) }, NULL },
    /* Controlled P: exp(i pi/4 (1 - Z)(1 - P)). */
    { "cx", 2, 0, { FIXED("ZX", -2), FIXED("ZI", 2), FIXED("IX", 2) }, NULL },
    { "cy", 2, 0, { FIXED("ZY", -2), FIXED("ZI", 2), FIXED("IY", 2) }, NULL },
    { "cz", 2, 0, { FIXED("ZZ", -2), FIXED("ZI", 2), FIXED("IZ", 2) }, NULL },
    /* exp(-i pi/4 (XX + YY + ZZ)). */
    { "swap", 2, 0, { FIXED("XX", 2), FIXED("YY", 2), FIXED("ZZ", 2) }, NULL },
    { "rx", 1, 1, { ANGLE("X", 0) }, NULL },
    { "ry", 1, 1, { ANGLE("Y", 0) }, NULL },
    { "rz", 1, 1, { ANGLE("Z", 0) }, NULL },
    { "rxx", 2, 1, { ANGLE("XX", 0) }, NULL },
    { "ryy", 2, 1, { ANGLE("YY", 0) }, NULL },
    { "rzz", 2, 1, { ANGLE("ZZ", 0) }, NULL },
    { "u1", 1, 1, { ANGLE("Z", 0) }, NULL },
    { "p", 1, 1, { ANGLE("Z", 0) }, NULL },
    { "u2", 1, 2, { { NULL, 0, 0 } }, append_u2 },
    { "u3", 1, 3, { { NULL, 0, 0 } }, append_u3 },
    { "depolarizing", 1, 1, { { NULL, 0, 0 } }, append_depolarizing },
    { "dephasing", 1, 1, { { NULL, 0, 0 } }, append_dephasing },
    { "pauli_noise", 1, 3, { { NULL, 0, 0 } }, append_pauli_noise },
    { "amplitude_damping",
      1,
      1,
      { { NULL, 0, 0 } },
      append_amplitude_damping },
};

enum { N_ROWS = sizeof rows / sizeof rows[0] };

int
paulimpi__gate_find(const char *name, paulimpi__gate_shape *shape)
{
    int row;

    for (row = 0; row < N_ROWS; row++) {
        if (strcmp(rows[row].name, name) == 0) {
            if (shape != NULL) {
                shape->n_qubits = rows[row].n_qubits;
                shape->n_parameters = rows[row].n_parameters;
            }
            return row;
        }
    }
    return -1;
}

/* Entries that are meant to be 0 or +-1 become so, "within 4 ulp" of 1. */
static double
snap(double entry)
{
    double whole = nearbyint(entry);

    return fabs(entry - whole) <= 4 * 0x1p-52 ? whole : entry;
}

/* cos and sin, exact at multiples of pi/2 as in rotations. */
static void
cos_sin(double theta, double *cos_p, double *sin_p)
{
    *cos_p = snap(cos(theta));
    *sin_p = snap(sin(theta));
}

/* u3 = RZ(phi) RY(theta) RZ(lambda). In the Heisenberg picture RZ(phi) acts
 * first; RZ(a) takes X to cos a X - sin a Y and Y to cos a Y + sin a X, RY(a)
 * takes X to cos a X + sin a Z and Z to cos a Z - sin a X. */
static int
append_u3(paulimpi_circuit *circuit, int64_t qubit, const double *parameters)
{
    paulimpi__matrix map = { { { 0.0 } } };
    double(*m)[4] = map.heisenberg;
    double ct, st, cp, sp, cl, sl;
    int i, j;

    cos_sin(parameters[0], &ct, &st);
    cos_sin(parameters[1], &cp, &sp);
    cos_sin(parameters[2], &cl, &sl);

    m[0][0] = 1.0;
    /* X -> cp X - sp Y -> cp (ct X + st Z) - sp Y, and so on. */
    m[1][1] = cp * ct * cl - sp * sl;
    m[2][1] = -(cp * ct * sl) - sp * cl;
    m[3][1] = cp * st;
    m[1][2] = sp * ct * cl + cp * sl;
    m[2][2] = cp * cl - sp * ct * sl;
    m[3][2] = sp * st;
    m[1][3] = -(st * cl);
    m[2][3] = st * sl;
    m[3][3] = ct;
    for (i = 1; i < 4; i++) {
        for (j = 1; j < 4; j++) {
            m[i][j] = snap(m[i][j]);
        }
    }
    return paulimpi__circuit_add_map(circuit, qubit, &map);
}

static int
append_u2(paulimpi_circuit *circuit, int64_t qubit, const double *parameters)
{
    double of_u3[3] = { M_PI_2, parameters[0], parameters[1] };

    return append_u3(circuit, qubit, of_u3);
}

/* The sentence for a probability out of range, or 0. */
static int
check_probability(const char *name, double p)
{
    if (!(p >= 0.0 && p <= 1.0)) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: the probability %g is not from 0 to 1",
                               name, p);
    }
    return PAULIMPI_SUCCESS;
}

static int
append_depolarizing(paulimpi_circuit *circuit, int64_t qubit,
                    const double *parameters)
{
    double factor = 1.0 - 4.0 * parameters[0] / 3.0;
    int rc = check_probability("depolarizing", parameters[0]);

    return rc != PAULIMPI_SUCCESS ? rc
                                  : paulimpi__circuit_add_scale(
                                      circuit, qubit, factor, factor, factor);
}

static int
append_dephasing(paulimpi_circuit *circuit, int64_t qubit,
                 const double *parameters)
{
    double factor = 1.0 - 2.0 * parameters[0];
    int rc = check_probability("dephasing", parameters[0]);

    return rc != PAULIMPI_SUCCESS ? rc
                                  : paulimpi__circuit_add_scale(
                                      circuit, qubit, factor, factor, 1.0);
}

static int
append_pauli_noise(paulimpi_circuit *circuit, int64_t qubit,
                   const double *parameters)
{
    double px = parameters[0];
    double py = parameters[1];
    double pz = parameters[2];
    int rc = check_probability("pauli_noise", px);

    if (rc == PAULIMPI_SUCCESS) {
        rc = check_probability("pauli_noise", py);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = check_probability("pauli_noise", pz);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    /* Three probabilities that are meant to add up to 1 may miss it by the
     * rounding of decimal fractions. */
    if (px + py + pz > 1.0 + 4 * 0x1p-52) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "pauli_noise: the probabilities %g, %g and %g "
                               "add up to more than 1",
                               px, py, pz);
    }
    return paulimpi__circuit_add_scale(circuit, qubit, 1.0 - 2.0 * (py + pz),
                                       1.0 - 2.0 * (pz + px),
                                       1.0 - 2.0 * (px + py));
}

static int
append_amplitude_damping(paulimpi_circuit *circuit, int64_t qubit,
                         const double *parameters)
{
    double gamma = parameters[0];
    paulimpi__matrix map = { { { 0.0 } } };
    int rc = check_probability("amplitude_damping", gamma);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    map.heisenberg[0][0] = 1.0;
    map.heisenberg[1][1] = sqrt(1.0 - gamma);
    map.heisenberg[2][2] = map.heisenberg[1][1];
    map.heisenberg[3][3] = 1.0 - gamma;
    map.heisenberg[0][3] = gamma;
    return paulimpi__circuit_add_map(circuit, qubit, &map);
}

static int
check_arguments(const paulimpi_circuit *circuit, const char *function,
                const gate_row *row, const int64_t *qubits,
                const double *parameters)
{
    int rc = PAULIMPI_SUCCESS;
    int i;

    for (i = 0; i < row->n_qubits && rc == PAULIMPI_SUCCESS; i++) {
        rc = paulimpi__circuit_check_qubit(circuit, function, qubits[i]);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (row->n_qubits == 2 && qubits[0] == qubits[1]) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: qubit %" PRId64 " is named twice",
                               function, qubits[0]);
    }
    for (i = 0; i < row->n_parameters; i++) {
        if (!isfinite(parameters[i])) {
            return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                                   "%s: parameter %d is %g, but must be "
                                   "finite",
                                   function, i + 1, parameters[i]);
        }
    }
    return PAULIMPI_SUCCESS;
}

static int
append_steps(paulimpi_circuit *circuit, const gate_row *row,
             const int64_t *qubits, const double *parameters)
{
    int rc = PAULIMPI_SUCCESS;
    int i, q;

    for (i = 0; i < MOST_STEPS && row->steps[i].letters != NULL
                && rc == PAULIMPI_SUCCESS;
         i++) {
        const step *s = &row->steps[i];
        paulimpi__site sites[MOST_QUBITS];
        int64_t n_sites = 0;

        for (q = 0; q < row->n_qubits; q++) {
            char letter = s->letters[q];
            int x = letter == 'X' || letter == 'Y';
            int z = letter == 'Z' || letter == 'Y';

            if (x || z) {
                sites[n_sites++] = qubits[q] << 2 | z << 1 | x;
            }
        }
        rc = paulimpi__circuit_add_rotation(circuit, n_sites, sites,
                                            s->parameter == EIGHTHS
                                                ? s->eighths * M_PI_4
                                                : parameters[s->parameter]);
    }
    return rc;
}

int
paulimpi__gate_append(paulimpi_circuit *circuit, const char *function, int row,
                      const int64_t *qubits, const double *parameters)
{
    const gate_row *gate = &rows[row];
    int rc = check_arguments(circuit, function, gate, qubits, parameters);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    paulimpi__circuit_gate_begin(circuit);
    rc = gate->append != NULL
             ? gate->append(circuit, qubits[0], parameters)
             : append_steps(circuit, gate, qubits, parameters);
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi__circuit_gate_cancel(circuit);
        return rc;
    }
    return paulimpi__circuit_gate_end(circuit);
}

int
paulimpi_circuit_gate(paulimpi_circuit *circuit, const char *name,
                      int64_t n_qubits, const int64_t *qubits,
                      int64_t n_parameters, const double *parameters)
{
    static const char function[] = "paulimpi_circuit_gate";
    paulimpi__gate_shape shape;
    int row;

    if (name == NULL) {
        return paulimpi__null(function, "name");
    }
    row = paulimpi__gate_find(name, &shape);
    if (row < 0) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: there is no gate \"%s\"", function, name);
    }
    if (n_qubits != shape.n_qubits || n_parameters != shape.n_parameters) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: %s takes %d qubits and %d parameters, not "
                               "%" PRId64 " and %" PRId64,
                               function, name, shape.n_qubits,
                               shape.n_parameters, n_qubits, n_parameters);
    }
    if (qubits == NULL || (parameters == NULL && n_parameters > 0)) {
        return paulimpi__null(function,
                              qubits == NULL ? "qubits" : "parameters");
    }
    return paulimpi__gate_append(circuit, function, row, qubits, parameters);
}

/* The named functions. */
#define APPEND(name, qubits, ...)                                             \
    paulimpi__gate_append(                                                    \
        circuit, "paulimpi_circuit_" name, paulimpi__gate_find(name, NULL),   \
        (const int64_t[])qubits, (const double[]){ __VA_ARGS__ })
#define ONE(a)                                                                \
    {                                                                         \
        a                                                                     \
    }
#define TWO(a, b)                                                             \
    {                                                                         \
        a, b                                                                  \
    }

#define DEFINE_1Q(gate)                                                       \
    int paulimpi_circuit_##gate(paulimpi_circuit *circuit, int64_t q)         \
    {                                                                         \
        return APPEND(#gate, ONE(q), 0.0);                                    \
    }
#define DEFINE_2Q(gate)                                                       \
    int paulimpi_circuit_##gate(paulimpi_circuit *circuit, int64_t a,         \
                                int64_t b)                                    \
    {                                                                         \
        return APPEND(#gate, TWO(a, b), 0.0);                                 \
    }
#define DEFINE_1Q_PARAMETER(gate)                                             \
    int paulimpi_circuit_##gate(paulimpi_circuit *circuit, int64_t q,         \
                                double parameter)                             \
    {                                                                         \
        return APPEND(#gate, ONE(q), parameter);                              \
    }
#define DEFINE_2Q_PARAMETER(gate)                                             \
    int paulimpi_circuit_##gate(paulimpi_circuit *circuit, int64_t a,         \
                                int64_t b, double parameter)                  \
    {                                                                         \
        return APPEND(#gate, TWO(a, b), parameter);                           \
    }

DEFINE_1Q(h)
DEFINE_1Q(s)
DEFINE_1Q(sdg)
DEFINE_1Q(sx)
DEFINE_1Q(sxdg)
DEFINE_1Q(x)
DEFINE_1Q(y)
DEFINE_1Q(z)
DEFINE_1Q(t)
DEFINE_1Q(tdg)
DEFINE_2Q(cx)
DEFINE_2Q(cy)
DEFINE_2Q(cz)
DEFINE_2Q(swap)
DEFINE_1Q_PARAMETER(rx)
DEFINE_1Q_PARAMETER(ry)
DEFINE_1Q_PARAMETER(rz)
DEFINE_2Q_PARAMETER(rxx)
DEFINE_2Q_PARAMETER(ryy)
DEFINE_2Q_PARAMETER(rzz)
DEFINE_1Q_PARAMETER(u1)
DEFINE_1Q_PARAMETER(p)
DEFINE_1Q_PARAMETER(depolarizing)
DEFINE_1Q_PARAMETER(dephasing)
DEFINE_1Q_PARAMETER(amplitude_damping)

int
paulimpi_circuit_u3(paulimpi_circuit *circuit, int64_t q, double theta,
                    double phi, double lambda)
{
    return APPEND("u3", ONE(q), theta, phi, lambda);
}

int
paulimpi_circuit_u2(paulimpi_circuit *circuit, int64_t q, double phi,
                    double lambda)
{
    return APPEND("u2", ONE(q), phi, lambda);
}

int
paulimpi_circuit_pauli_noise(paulimpi_circuit *circuit, int64_t q, double px,
                             double py, double pz)
{
    return APPEND("pauli_noise", ONE(q), px, py, pz);
}
