/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A rank that hangs in the middle of a propagation: the others say which one.
 */
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "propagate/support.h"
#include "tap/tap_mpi.h"

enum { SILENT = 1, TAG = 5 };

static int rank;

/* A context that breaks, of which MPI keeps what was under way. */
static __attribute__((noinline)) int
create_doomed(paulimpi_context **ctx_p)
{
    return paulimpi_context_create(MPI_COMM_WORLD, NULL, ctx_p);
}

/* Rank 1 does not come back before the others have given up. */
static int
hang(const paulimpi_propagation_progress *progress, void *data)
{
    int *is_told = data;
    int i;

    if (rank == SILENT && progress->terms > 100 && !*is_told) {
        for (i = 0; i < 2; i++) {
            MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        }
        *is_told = 1;
    }
    return 0;
}

static void
test_silence(void)
{
    paulimpi_propagation_options options = options_eps(1e-6);
    paulimpi_context *ctx;
    paulimpi_circuit *circuit;
    paulimpi_sum *sum;
    script *s = script_create(20);
    dice d = { 3 };
    int is_told = 0;
    int rc;

    script_draw(s, &d, 400, DRAW_ROTATIONS, 0, 20);
    circuit = make_circuit(s);
    check(create_doomed(&ctx));
    check(paulimpi_sum_create(ctx, 20, &sum));
    check(paulimpi_sum_add_text(sum, "Z3 + X7 + Y11", 1));
    options.progress = hang;
    options.progress_data = &is_told;
    options.truncation.max_terms = 3000;
    rc = paulimpi_propagate(sum, circuit, &options, NULL);
    if (rank != SILENT) {
        MPI_Send(NULL, 0, MPI_BYTE, SILENT, TAG, MPI_COMM_WORLD);
    }
    tap_mpi_ok(rank == SILENT || rc == PAULIMPI_ERR_TIMEOUT
                   || rc == PAULIMPI_ERR_REMOTE,
               "the others get an error");
    tap_mpi_ok(rank == SILENT
                   || strstr(paulimpi_last_error(), "rank 1") != NULL,
               "which names the rank that is silent");
    tap_mpi_ok(rc != PAULIMPI_SUCCESS, "so does that one");
    tap_mpi_ok(paulimpi_sum_scale(sum, 2) != PAULIMPI_SUCCESS,
               "what is called next fails, and does not wait");
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
    paulimpi_context_destroy(&ctx);
    script_destroy(s);
}

int
main(int argc, char **argv)
{
    int status;

    setenv("PAULIMPI_TIMEOUT", "2", 1);
    setenv("PAULIMPI_TEST_COPIED_TERMS", "50", 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    tap_mpi_begin(argv[0]);
    test_silence();
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
