/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Noise: how depolarizing errors wear a GHZ state down.
 */
#include <stdio.h>
#include <stdlib.h>

#include <paulimpi.h>

enum { QUBITS = 5 };

static void
check(int rc)
{
    if (rc != PAULIMPI_SUCCESS) {
        fprintf(stderr, "%s\n", paulimpi_last_error());
        exit(1);
    }
}

/* H and a ladder of CX make |00000> + |11111>; then an error on each qubit. */
static void
build(double p, paulimpi_circuit **circuit)
{
    int q;

    check(paulimpi_circuit_create(QUBITS, circuit));
    check(paulimpi_circuit_h(*circuit, 0));
    for (q = 0; q + 1 < QUBITS; q++) {
        check(paulimpi_circuit_cx(*circuit, q, q + 1));
    }
    for (q = 0; q < QUBITS; q++) {
        check(paulimpi_circuit_depolarizing(*circuit, q, p));
    }
}

static double
expectation(paulimpi_context *ctx, const paulimpi_circuit *circuit,
            const char *label)
{
    paulimpi_sum *observable;
    double value;

    check(paulimpi_sum_create(ctx, QUBITS, &observable));
    check(paulimpi_sum_add_text(observable, label, 1.0));
    check(paulimpi_propagate(observable, circuit, NULL, NULL));
    check(paulimpi_sum_expectation_product(observable, "0", &value));
    paulimpi_sum_destroy(&observable);
    return value;
}

int
main(int argc, char **argv)
{
    paulimpi_context *ctx;
    int i;

    check(paulimpi_context_create_launched(&argc, &argv, &ctx));
    for (i = 0; i <= 3; i++) {
        double p = 0.25 * i;
        paulimpi_circuit *circuit;
        double xs, zz;

        /* Each letter of a string costs a factor 1 - 4 p / 3. */
        build(p, &circuit);
        xs = expectation(ctx, circuit, "XXXXX");
        zz = expectation(ctx, circuit, "Z0 Z4");
        if (paulimpi_context_rank(ctx) == 0) {
            printf("p = %.2f  <XXXXX> = %.6f  <Z0 Z4> = %.6f\n", p, xs, zz);
        }
        paulimpi_circuit_destroy(&circuit);
    }
    paulimpi_context_destroy(&ctx);
    return 0;
}
