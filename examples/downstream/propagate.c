/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One qubit turned by 60 degrees: <Z> = cos(60 degrees) = 1/2.
 */
#include <math.h>
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
    paulimpi_sum *z;
    double value;

    check(paulimpi_context_create_launched(&argc, &argv, &ctx));
    check(paulimpi_circuit_create(1, &circuit));
    check(paulimpi_circuit_rx(circuit, 0, acos(0.5)));
    check(paulimpi_sum_create(ctx, 1, &z));
    check(paulimpi_sum_add_text(z, "Z0", 1.0));
    check(paulimpi_propagate(z, circuit, NULL, NULL));
    check(paulimpi_sum_expectation_product(z, "0", &value));
    printf("<Z0> = %.12f\n", value);

    paulimpi_sum_destroy(&z);
    paulimpi_circuit_destroy(&circuit);
    paulimpi_context_destroy(&ctx);
    return fabs(value - 0.5) > 1e-14;
}
