/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Contexts where MPI promises nothing about threads.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "comm/capture.h"
#include "comm/comm.h"
#include "tap/tap_mpi.h"

int
main(int argc, char **argv)
{
    paulimpi_context_options options = PAULIMPI_CONTEXT_OPTIONS_INIT;
    paulimpi_context *ctx;
    const char *log;
    int provided = -1;
    int is_single, rank, status;

    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Query_thread(&provided);
    is_single = provided == MPI_THREAD_SINGLE;
    setenv("PAULIMPI_LOG", "warn", 1);

    options.threads = 2;
    capture_begin();
    status = paulimpi_context_create(MPI_COMM_WORLD, &options, &ctx);
    log = capture_end();
    tap_mpi_is_status(status, PAULIMPI_SUCCESS, "plain MPI_Init is enough");
    if (is_single) {
        tap_mpi_is_int(paulimpi_context_threads(ctx), 1, "for one thread");
        tap_mpi_ok((strstr(log, "MPI_THREAD_SINGLE") != NULL) == (rank == 0),
                   "as rank 0 says");
        tap_mpi_is_status(paulimpi_context_set_threads(ctx, 4),
                          PAULIMPI_SUCCESS, "asked for more");
        tap_mpi_is_int(paulimpi_context_threads(ctx), 1, "there is still one");
    }
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
