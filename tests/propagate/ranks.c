/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums on a context of one rank each, and on one of all ranks.
 */
#include <mpi.h>

#include <paulimpi.h>

#include "tap/tap_mpi.h"

/* Propagate 0.5 Z0 through a gate H on the qubit. */
static void
try_context(MPI_Comm comm, const char *whose)
{
    paulimpi_context *ctx;
    paulimpi_sum *sum = NULL;
    paulimpi_circuit *circuit = NULL;
    double value = 0;

    tap_mpi_is_status(paulimpi_context_create(comm, NULL, &ctx),
                      PAULIMPI_SUCCESS, "%s have a context", whose);
    tap_mpi_is_status(paulimpi_sum_create(ctx, 2, &sum), PAULIMPI_SUCCESS,
                      "and a sum");
    paulimpi_circuit_create(2, &circuit);
    paulimpi_circuit_h(circuit, 0);
    paulimpi_sum_add_text(sum, "0.5 Z0", 1);
    tap_mpi_is_int(paulimpi_sum_terms(sum), 1, "of one term");
    tap_mpi_is_status(paulimpi_propagate(sum, circuit, NULL, NULL),
                      PAULIMPI_SUCCESS, "which they propagate");
    paulimpi_sum_coefficient(sum, "X0", &value);
    tap_mpi_ok(value == 0.5, "to the right result");
    paulimpi_circuit_destroy(&circuit);
    paulimpi_sum_destroy(&sum);
    paulimpi_context_destroy(&ctx);
}

int
main(int argc, char **argv)
{
    int status;

    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    try_context(MPI_COMM_SELF, "the ranks alone");
    try_context(MPI_COMM_WORLD, "all ranks together");
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
