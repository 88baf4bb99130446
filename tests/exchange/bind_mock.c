/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks that choose among the mock's devices before MPI_Init.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/bind.h"
#include "mock/mock.h"
#include "tap/tap_mpi.h"

static int rank, size;

/* How many ranks have each device. */
static void
count(int device, int n_devices, int *n_ranks)
{
    int of[8];
    int i;

    MPI_Allgather(&device, 1, MPI_INT, of, 1, MPI_INT, MPI_COMM_WORLD);
    memset(n_ranks, 0, (size_t)n_devices * sizeof *n_ranks);
    for (i = 0; i < size; i++) {
        if (of[i] >= 0 && of[i] < n_devices) {
            n_ranks[of[i]]++;
        }
    }
}

/* The report on rank 0 has a part, or not. */
static int
reports(paulimpi_context *ctx, const char *part)
{
    char *text = NULL;
    int is_there;

    if (paulimpi_device_report(ctx, &text) != PAULIMPI_SUCCESS) {
        return 0;
    }
    is_there = rank != 0 || strstr(text, part) != NULL;
    if (!is_there) {
        tap_note("%s", text);
    }
    paulimpi_text_destroy(&text);
    return is_there;
}

static void
test_report(paulimpi_context *ctx, int n_devices)
{
    tap_mpi_ok(reports(ctx, "bound before MPI_Init"),
               "the report says when it was chosen");
    if (size <= n_devices) {
        tap_mpi_ok(reports(ctx, "every rank has a device of its own"),
                   "and that all is well");
    } else {
        tap_mpi_ok(reports(ctx, "collision: ranks ")
                       && reports(ctx, "more ranks than devices"),
                   "and that there are too few devices");
    }

    /* Back to the device that CUDA begins with. */
    paulimpi_device_select(n_devices - 1);
    tap_mpi_ok(reports(ctx, size > 1 ? "collision: ranks 0, 1" : "rank 0"),
               "ranks that chose another one are found out");
    tap_mpi_ok(reports(ctx, "no device was bound"), "and why they have it");
}

int
main(int argc, char **argv)
{
    paulimpi_context *ctx;
    int n_ranks[8];
    int device = -9, again = -9;
    int n_devices = 0;
    int rc, provided, status, i;
    int n_wrong = 0;

    /* Before everything else, as programs should. */
    unsetenv("PAULIMPI_BIND");
    rc = paulimpi_device_bind(&device);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    tap_mpi_begin(argv[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!mock_is_here()) {
        tap_mpi_skip_all("there is no mock of CUDA");
    }
    unsetenv("PAULIMPI_TEST_NODE_SIZE");
    paulimpi_device_count(&n_devices);
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "a device is chosen");
    tap_mpi_is_int(paulimpi_device_current(), device, "which is current");
    count(device, n_devices, n_ranks);
    for (i = 0; i < n_devices; i++) {
        n_wrong += n_ranks[i] > (size + n_devices - 1) / n_devices;
    }
    tap_mpi_is_int(n_wrong, 0, "no device has more ranks than need be");
    paulimpi_device_select(0);
    tap_mpi_is_status(paulimpi_device_bind_by(PAULIMPI_BIND_BLOCK, &again),
                      PAULIMPI_SUCCESS, "choosing again");
    tap_mpi_ok(again == device && paulimpi_device_current() == device,
               "gives the same device");
    if (paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx)
        != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no context: %s", paulimpi_last_error());
    }
    test_report(ctx, n_devices);
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
