/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The report of devices on several ranks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/bind.h"
#include "tap/tap_mpi.h"

static int rank, size;

static void
test_report(paulimpi_context *ctx)
{
    char line[64];
    char *text = NULL;

    tap_mpi_is_status(paulimpi_device_report(ctx, &text), PAULIMPI_SUCCESS,
                      "the devices of all ranks are told");
    snprintf(line, sizeof line, "\nrank %d: node 0 (", size - 1);
    tap_mpi_ok(rank == 0 ? strncmp(text, "rank 0: node 0 (", 16) == 0
                               && strstr(text, line) != NULL
                         : text[0] == '\0',
               "on rank 0, with a line for each");
    tap_mpi_ok(rank != 0 || strstr(text, "local rank is not") == NULL,
               "and the launcher is right");
    paulimpi_text_destroy(&text);

    if (rank == size - 1) {
        setenv("PAULIMPI_LOCAL_RANK", "0", 1);
    }
    paulimpi_device_report(ctx, &text);
    snprintf(line, sizeof line, "warning: rank %d: the launcher's local",
             size - 1);
    tap_mpi_ok(rank != 0 || strstr(text, line) != NULL,
               "or the warning says that it is not");
    paulimpi_text_destroy(&text);
    unsetenv("PAULIMPI_LOCAL_RANK");
}

static void
test_failures(paulimpi_context *ctx)
{
    int last = size - 1;
    char *text = NULL;
    int n, rc;
    int n_wrong = 0;

    tap_mpi_is_status(paulimpi_device_report(NULL, &text),
                      PAULIMPI_ERR_ARGUMENT, "a context is needed");
    tap_mpi_is_status(paulimpi_device_report(ctx, rank == last ? NULL : &text),
                      rank == last ? PAULIMPI_ERR_ARGUMENT
                                   : PAULIMPI_ERR_REMOTE,
                      "and a place on all ranks");
    if (rank == last) {
        setenv("PAULIMPI_LOCAL_RANK", "many", 1);
    }
    tap_mpi_is_status(paulimpi_device_report(ctx, &text),
                      rank == last ? PAULIMPI_ERR_ARGUMENT
                                   : PAULIMPI_ERR_REMOTE,
                      "and numbers that are some");
    unsetenv("PAULIMPI_LOCAL_RANK");

    /* Whichever allocation fails on rank 0, all ranks know, or none. */
    for (n = 1; n < 6; n++) {
        if (rank == 0) {
            paulimpi__alloc_fail_at(n);
        }
        rc = paulimpi_device_report(ctx, &text);
        paulimpi__alloc_fail_at(0);
        n_wrong += (rc == PAULIMPI_SUCCESS) != (text != NULL);
        n_wrong += n == 1 && rc == PAULIMPI_SUCCESS;
        n_wrong +=
            rc != PAULIMPI_SUCCESS
            && rc != (rank == 0 ? PAULIMPI_ERR_MEMORY : PAULIMPI_ERR_REMOTE);
        paulimpi_text_destroy(&text);
    }
    tap_mpi_is_int(n_wrong, 0, "wherever memory runs out all ranks fail");
}

/* A rank by itself. */
static void
test_serial(void)
{
    paulimpi_context *ctx;
    char *text = NULL;

    paulimpi_context_create_serial(NULL, &ctx);
    tap_mpi_is_status(paulimpi_device_report(ctx, &text), PAULIMPI_SUCCESS,
                      "a context without MPI has a report, too");
    tap_mpi_ok(strncmp(text, "rank 0: node 0 (", 16) == 0, "of one line");
    paulimpi_text_destroy(&text);
    paulimpi_context_destroy(&ctx);
}

int
main(int argc, char **argv)
{
    paulimpi_context *ctx;
    int provided, status;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    tap_mpi_begin(argv[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    unsetenv("PAULIMPI_TEST_NODE_SIZE");
    unsetenv("PAULIMPI_LOCAL_RANK");
    if (paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx)
        != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no context: %s", paulimpi_last_error());
    }
    test_report(ctx);
    test_failures(ctx);
    test_serial();
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
