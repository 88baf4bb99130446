/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums on several ranks are refused, on all of them alike; on a context of one
 * rank each they work.
 */
#include <mpi.h>

#include <paulimpi.h>

#include "tap/tap_mpi.h"

static void
test_alone(void)
{
    paulimpi_context *ctx;
    paulimpi_sum *sum = NULL;
    paulimpi_circuit *circuit = NULL;
    double value = 0;

    tap_mpi_is_status(paulimpi_context_create(MPI_COMM_SELF, NULL, &ctx),
                      PAULIMPI_SUCCESS, "each rank has a context alone");
    tap_mpi_is_status(paulimpi_sum_create(ctx, 2, &sum), PAULIMPI_SUCCESS,
                      "and a sum");
    paulimpi_circuit_create(2, &circuit);
    paulimpi_circuit_h(circuit, 0);
    paulimpi_sum_add_text(sum, "0.5 Z0", 1);
    tap_mpi_is_status(paulimpi_propagate(sum, circuit, NULL, NULL),
                      PAULIMPI_SUCCESS, "which it propagates");
    paulimpi_sum_coefficient(sum, "X0", &value);
    tap_mpi_ok(value == 0.5, "to the right result");
    paulimpi_circuit_destroy(&circuit);
    paulimpi_sum_destroy(&sum);
    paulimpi_context_destroy(&ctx);
}

static void
test_together(void)
{
    paulimpi_context *ctx;
    paulimpi_sum *sum = NULL;

    tap_mpi_is_status(paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx),
                      PAULIMPI_SUCCESS, "the ranks have a context together");
    tap_mpi_is_status(paulimpi_sum_create(ctx, 2, &sum),
                      PAULIMPI_ERR_UNSUPPORTED, "but no sum yet");
    tap_mpi_ok(sum == NULL, "no handle is made");
    tap_mpi_ok(paulimpi_last_error()[0] != '\0', "and a sentence says so");
    paulimpi_context_destroy(&ctx);
}

int
main(int argc, char **argv)
{
    int status;

    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    test_alone();
    test_together();
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
