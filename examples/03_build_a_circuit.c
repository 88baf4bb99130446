/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A circuit without a file: a kicked Ising chain, gate by gate, and how fast
 * its value settles as fewer terms are dropped.
 */
#include <stdio.h>
#include <stdlib.h>

#include <paulimpi.h>

enum { QUBITS = 10, STEPS = 20 };

static const double pi = 3.14159265358979323846;

static void
check(int rc)
{
    if (rc != PAULIMPI_SUCCESS) {
        fprintf(stderr, "%s\n", paulimpi_last_error());
        exit(1);
    }
}

/* Each step: RX on every qubit, then RZZ along the open chain. */
static void
build(paulimpi_circuit **circuit)
{
    int step, q;

    check(paulimpi_circuit_create(QUBITS, circuit));
    for (step = 0; step < STEPS; step++) {
        for (q = 0; q < QUBITS; q++) {
            check(paulimpi_circuit_rx(*circuit, q, pi / 6));
        }
        for (q = 0; q + 1 < QUBITS; q++) {
            check(paulimpi_circuit_rzz(*circuit, q, q + 1, -pi / 2));
        }
    }
}

int
main(int argc, char **argv)
{
    static const double eps[] = { 1e-1, 1e-2, 1e-3, 0.0 };
    paulimpi_context *ctx;
    paulimpi_circuit *circuit;
    int i;

    check(paulimpi_context_create_launched(&argc, &argv, &ctx));
    build(&circuit);

    for (i = 0; i < 4; i++) {
        paulimpi_propagation_options options =
            PAULIMPI_PROPAGATION_OPTIONS_INIT;
        paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
        paulimpi_sum *observable;
        double value;

        check(paulimpi_sum_create(ctx, QUBITS, &observable));
        check(paulimpi_sum_add_text(observable, "Z0 Z1", 1.0));
        options.truncation.min_abs = eps[i];
        check(paulimpi_propagate(observable, circuit, &options, &report));
        check(paulimpi_sum_expectation_product(observable, "0", &value));
        if (paulimpi_context_rank(ctx) == 0) {
            printf("eps %-6g <Z0 Z1> = %.10f, at most %lld terms\n", eps[i],
                   value, (long long)report.peak_terms);
        }
        paulimpi_sum_destroy(&observable);
    }
    paulimpi_circuit_destroy(&circuit);
    paulimpi_context_destroy(&ctx);
    return 0;
}
