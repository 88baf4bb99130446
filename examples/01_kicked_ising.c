/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The magnetisation of qubit 62 after the 127-qubit kicked Ising circuit.
 *
 *     01_kicked_ising [CIRCUIT.qasm]
 */
#include <stdio.h>
#include <stdlib.h>

#include <paulimpi.h>

static void
check(int rc)
{
    if (rc != PAULIMPI_SUCCESS) {
        fprintf(stderr, "%s\n", paulimpi_last_error());
        exit(1);
    }
}

int
main(int argc, char **argv)
{
    paulimpi_context *ctx;
    paulimpi_circuit *circuit;
    paulimpi_sum *observable;
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    const char *path;
    double value;

    /* MPI under a launcher, serial otherwise. */
    check(paulimpi_context_create_launched(&argc, &argv, &ctx));
    path = argc > 1 ? argv[1] : "kicked_ising_127.qasm";
    check(paulimpi_circuit_read(path, &circuit));
    check(paulimpi_sum_create(ctx, paulimpi_circuit_qubits(circuit),
                              &observable));
    check(paulimpi_sum_add_text(observable, "Z62", 1.0));

    options.truncation.min_abs = 1e-4;
    options.truncation.max_weight = 8;
    check(paulimpi_propagate(observable, circuit, &options, &report));

    /* "0": every qubit begins in |0>. */
    check(paulimpi_sum_expectation_product(observable, "0", &value));

    if (paulimpi_context_rank(ctx) == 0) {
        printf("<Z62> = %.10f, %lld terms\n", value, (long long)report.terms);
    }
    paulimpi_sum_destroy(&observable);
    paulimpi_circuit_destroy(&circuit);
    paulimpi_context_destroy(&ctx);
    return 0;
}
