/* SPDX-License-Identifier: BSD-3-Clause
 *
 * OpenQASM texts with inputs.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "propagate/support.h"
#include "tap/tap.h"

#define HEAD "OPENQASM 2.0;\ninclude \"qelib1.inc\";\n"

static const char path[] = "qasm_inputs.qasm";

/* Read a text, which is in a file then, with some values. */
static int
read_with(const char *text, int64_t n, const paulimpi_input *inputs,
          paulimpi_circuit **circuit_p)
{
    FILE *file = fopen(path, "w");
    int rc;

    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
        tap_bail("%s cannot be written", path);
    }
    rc = paulimpi_circuit_read_with(path, n, inputs, circuit_p);
    unlink(path);
    return rc;
}

/* The value of Z0 after the circuit of a text. */
static double
value_of(const char *text, int64_t n, const paulimpi_input *inputs)
{
    paulimpi_context *ctx = make_context(1);
    paulimpi_circuit *circuit;
    paulimpi_sum *sum;
    double value;

    check(read_with(text, n, inputs, &circuit));
    sum = make_sum(ctx, paulimpi_circuit_qubits(circuit), "Z0");
    propagate(sum, circuit, NULL, NULL);
    value = value_in(sum, "0");
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
    paulimpi_context_destroy(&ctx);
    return value;
}

static void
test_values(void)
{
    static const paulimpi_input inputs[] = { { "theta", 0.7 },
                                             { "phi", 0.2 } };

    tap_is_near(value_of(HEAD "input angle theta;\nqreg q[1];\n"
                              "rx(theta) q[0];\n",
                         1, inputs),
                cos(0.7), 1e-15, "an angle");
    tap_is_near(value_of(HEAD "input float[64] theta; input float phi;\n"
                              "qreg q[1]; rx(2*theta - phi/2) q[0];\n",
                         2, inputs),
                cos(1.3), 1e-15, "two in an expression");
    tap_is_near(value_of(HEAD "input angle theta;\n"
                              "gate twice(phi) a { rx(phi+theta) a; }\n"
                              "qreg q[1]; twice(0.1) q[0];\n",
                         1, inputs),
                cos(0.8), 1e-15, "in a gate, whose parameter is its own");
    tap_is_near(value_of(HEAD "gate input a { x a; } qreg q[1];\n"
                              "input q[0];\n",
                         0, NULL),
                -1.0, 1e-15, "a gate may be called input");
}

static void
is_refused(const char *text, int64_t n, const paulimpi_input *inputs, int code,
           const char *why)
{
    paulimpi_circuit *circuit;

    tap_is_status(read_with(text, n, inputs, &circuit), code, "%s", why);
    tap_contains(paulimpi_last_error(), why, "and says so");
    tap_ok(circuit == NULL, "there is no circuit");
}

static void
test_refusals(void)
{
    static const char text[] = HEAD "input angle theta;\nqreg q[1];\n";
    paulimpi_input inputs[] = { { "theta", 0.7 }, { "theta", 0.1 } };
    paulimpi_circuit *circuit;

    is_refused(text, 0, NULL, PAULIMPI_ERR_SYNTAX,
               ":3:13: \"theta\" is an input, to which no value is given");
    is_refused(text, 2, inputs, PAULIMPI_ERR_MISMATCH,
               "a value for \"theta\", but no \"input angle theta;\", or");
    is_refused(HEAD "qreg q[1];\n", 1, inputs, PAULIMPI_ERR_MISMATCH,
               "a value for \"theta\"");
    is_refused(HEAD "input angle theta; input angle theta; qreg q[1];", 1,
               inputs, PAULIMPI_ERR_SYNTAX, "\"theta\" is declared on line 3");
    is_refused(HEAD "input bit theta; qreg q[1];", 1, inputs,
               PAULIMPI_ERR_SYNTAX, "\"angle\" or \"float\"");
    is_refused(HEAD "input float[x] theta; qreg q[1];", 1, inputs,
               PAULIMPI_ERR_SYNTAX, "a number of bits");
    is_refused(HEAD "input float[64 theta; qreg q[1];", 1, inputs,
               PAULIMPI_ERR_SYNTAX, "after the number of bits");
    is_refused(HEAD "input angle 3; qreg q[1];", 1, inputs,
               PAULIMPI_ERR_SYNTAX, "a name for the input");
    is_refused(HEAD "input angle theta qreg q[1];", 1, inputs,
               PAULIMPI_ERR_SYNTAX, "after the input");
    is_refused(HEAD "qreg q[1]; rx(theta) q[0]; input angle theta;", 1, inputs,
               PAULIMPI_ERR_SYNTAX, "\"theta\" is not a parameter");
    inputs[0].value = (double)NAN;
    is_refused(text, 1, inputs, PAULIMPI_ERR_ARGUMENT, "must be finite");
    inputs[0].name = NULL;
    is_refused(text, 1, inputs, PAULIMPI_ERR_ARGUMENT, "name of an input");
    is_refused(text, 1, NULL, PAULIMPI_ERR_ARGUMENT, "n_inputs is 1");
    is_refused(text, -1, inputs, PAULIMPI_ERR_ARGUMENT, "n_inputs is -1");
    tap_is_status(paulimpi_circuit_read_with(NULL, 0, NULL, &circuit),
                  PAULIMPI_ERR_ARGUMENT, "no path");
    tap_is_status(paulimpi_circuit_read_with(path, 0, NULL, NULL),
                  PAULIMPI_ERR_ARGUMENT, "nowhere to put the circuit");
    tap_is_status(paulimpi_circuit_read_with(path, 0, NULL, &circuit),
                  PAULIMPI_ERR_IO, "no file");
}

static void
test_memory(void)
{
    static const char text[] =
        "OPENQASM 2.0; input angle tau; qreg q[1]; U(tau,0,0) q[0];";
    static const paulimpi_input input = { "tau", 0.5 };
    paulimpi_circuit *circuit;
    int64_t n = 0;
    int rc;

    do {
        paulimpi__alloc_fail_at(++n);
        rc = read_with(text, 1, &input, &circuit);
        paulimpi__alloc_fail_at(0);
    } while (rc == PAULIMPI_ERR_MEMORY && circuit == NULL);
    tap_ok(rc == PAULIMPI_SUCCESS && n > 5, "memory is needed %d times",
           (int)n);
    paulimpi_circuit_destroy(&circuit);
}

int
main(void)
{
    test_values();
    test_refusals();
    test_memory();
    return tap_done();
}
