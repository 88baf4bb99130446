/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks that copies of a device's memory pass through, when there is hardly
 * one: what arrives does not depend on it, no more than fits is under way, none
 * is made in a run, and strided memory takes a copy or a launch a piece, not
 * one a row.
 */
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "mock/mock.h"
#include "mock/shim.h"
#include "paulimpi/exchange.h"
#include "tap/tap_mpi.h"

enum {
    LONG = (3 << 20) + 1,
    BLOCK = 4096, /* the smallest that there is */
    ROWS = 512,
    RUNS = 1000
};

static paulimpi_context *ctx;
static int rank;
static char *host, *device;
static char *image;

static char
byte_of(int from, int i)
{
    return (char)(from * 17 + i % 251 + i / 4096);
}

static void
read_device(size_t bytes)
{
    paulimpi_memory_copy(image, device, bytes, NULL);
    paulimpi_stream_wait(NULL);
}

static void
fill_all(void)
{
    int i;

    for (i = 0; i < LONG; i++) {
        host[i] = byte_of(rank, i);
    }
    paulimpi_memory_copy(device, host, LONG, NULL);
    paulimpi_stream_wait(NULL);
}

/* One rank sends a long message from where MPI can be given it, the other
 * receives by blocks; or the reverse. */
static void
test_mixed(int sends_device, const char *fact)
{
    paulimpi_message send = {
        paulimpi_region_1d(sends_device ? device : host, LONG), 1, 3
    };
    paulimpi_message receive = {
        paulimpi_region_1d(sends_device ? host : device, LONG), 0, 3
    };
    int n_wrong = 0;
    int i, rc;

    fill_all();
    shim_reset();
    rc = paulimpi_exchange(ctx, rank == 0, &send, rank == 1, &receive, NULL);
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "%s", fact);
    if (rank == 1 && !sends_device) {
        read_device(LONG);
    } else {
        memcpy(image, host, LONG);
    }
    for (i = 0; i < LONG && rank == 1; i++) {
        n_wrong += image[i] != byte_of(0, i);
    }
    tap_mpi_is_int(n_wrong, 0, "its bytes arrive");
    tap_mpi_ok(rank == sends_device || shim_most_in_flight() <= BLOCK,
               "no more is under way than the one block holds");
}

static int64_t
copies_and_launches(void)
{
    return mock_calls("cudaMemcpy2DAsync") + mock_calls("cudaMemcpyAsync")
           + mock_calls("cuLaunchKernel");
}

/* Rows that lie apart: each way one thing for each piece. */
static void
test_copies(void)
{
    paulimpi_message send = { paulimpi_region_2d(device, 8, ROWS, 32),
                              1 - rank, 1 };
    paulimpi_message receive = {
        paulimpi_region_2d(device + 32 * ROWS, 8, ROWS, 32), 1 - rank, 1
    };
    int has_kernel = paulimpi__has_kernel(0);
    int64_t before = copies_and_launches();
    int64_t launches = mock_calls("cuLaunchKernel");
    int rc = paulimpi_exchange(ctx, 1, &send, 1, &receive, NULL);

    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "rows of 8 bytes are exchanged");
    tap_mpi_is_int(copies_and_launches() - before, 2,
                   "by one copy, or a launch, each way");
    tap_mpi_is_int(mock_calls("cuLaunchKernel") - launches, 2 * has_kernel,
                   "by a launch if there is a kernel");
}

/* Two messages of rows each way that travel as one: a launch for each end of
 * each, if there is a kernel. */
static void
test_joined(void)
{
    paulimpi_message sends[2], receives[2];
    int n_each = 4 * paulimpi__has_kernel(0);
    int64_t copies, launches;
    paulimpi_plan *plan;
    char *text = NULL;
    int n_wrong = 0;
    int i, rc;

    fill_all();
    for (i = 0; i < 2; i++) {
        sends[i] = (paulimpi_message){
            paulimpi_region_2d(device + 4096 * i, 8, ROWS / 8, 32), 1 - rank, i
        };
        receives[i] =
            (paulimpi_message){ paulimpi_region_2d(device + 4096 * (2 + i), 8,
                                                   ROWS / 8, 32),
                                1 - rank, i };
    }
    rc = paulimpi_plan_create(ctx, 2, sends, 2, receives,
                              PAULIMPI_EXCHANGE_OPTIONS(.join = 1), &plan);
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "rows are joined");
    paulimpi_plan_explain(plan, &text);
    tap_mpi_ok(
        (strstr(text, "a block of the host; a kernel unpacks it\n") != NULL)
            == paulimpi__has_kernel(0),
        "as the plan tells");
    paulimpi_text_destroy(&text);
    copies = copies_and_launches();
    launches = mock_calls("cuLaunchKernel");
    rc = paulimpi_plan_start(plan, NULL);
    rc = rc == PAULIMPI_SUCCESS ? paulimpi_plan_wait(plan) : rc;
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "and exchanged");
    tap_mpi_is_int(copies_and_launches() - copies, 4,
                   "by a copy or a launch for each end");
    tap_mpi_is_int(mock_calls("cuLaunchKernel") - launches, n_each,
                   "by launches if there is a kernel");
    paulimpi_plan_destroy(&plan);
    read_device(4 * 4096);
    for (i = 0; i < 2 * 4096; i++) {
        int from = i % 32 < 8 && i % 4096 < 32 * (ROWS / 8) ? 1 - rank : rank;
        int at = from == rank ? 2 * 4096 + i : i;

        n_wrong += image[2 * 4096 + i] != byte_of(from, at);
    }
    tap_mpi_is_int(n_wrong, 0, "their bytes arrive, and no others");
}

/* After the first run nothing is allocated any more. */
static void
test_runs(void)
{
    paulimpi_message send = { paulimpi_region_1d(device, 3000), 1 - rank, 1 };
    paulimpi_message receive = { paulimpi_region_1d(device + 4096, 3000),
                                 1 - rank, 1 };
    paulimpi_plan *plan;
    int64_t n_pinned = 0;
    int64_t n_live = 0;
    int n_failed = 0;
    int i;

    if (paulimpi_plan_create(ctx, 1, &send, 1, &receive, NULL, &plan)
        != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no plan: %s", paulimpi_last_error());
    }
    for (i = 0; i <= RUNS; i++) {
        n_failed += paulimpi_plan_start(plan, NULL) != PAULIMPI_SUCCESS;
        n_failed += paulimpi_plan_wait(plan) != PAULIMPI_SUCCESS;
        if (i == 0) {
            n_pinned = mock_calls("cudaMallocHost");
            n_live = mock_live();
        }
    }
    tap_mpi_is_int(n_failed, 0, "%d runs of a plan", RUNS);
    tap_mpi_is_int(mock_calls("cudaMallocHost") - n_pinned, 0,
                   "page-lock nothing after the first");
    tap_mpi_is_int(mock_live() - n_live, 0, "and make nothing else");
    paulimpi_plan_destroy(&plan);
    for (i = 0; i < RUNS / 10; i++) {
        n_failed += paulimpi_exchange(ctx, 1, &send, 1, &receive, NULL)
                    != PAULIMPI_SUCCESS;
    }
    tap_mpi_is_int(n_failed, 0, "exchanges without a plan");
    tap_mpi_is_int(mock_calls("cudaMallocHost") - n_pinned, 0,
                   "take their blocks from the pool");
}

int
main(int argc, char **argv)
{
    int status;

    unsetenv("PAULIMPI_CHECK");
    setenv("PAULIMPI_TIMEOUT", "60", 0);
    setenv("PAULIMPI_GPU_AWARE", "no", 1);
    setenv("PAULIMPI_TEST_PIECE_BYTES", "1024", 1);
    setenv("PAULIMPI_STAGING_MAX", "8192", 1);
    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    if (!mock_is_here()) {
        tap_mpi_skip_all("there is no mock of CUDA");
    }
    mock_order("eager", 0);
    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    rank = paulimpi_context_rank(ctx);
    host = malloc(LONG);
    image = malloc(LONG);
    paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, LONG, (void **)&device);
    test_mixed(0, "a message from the host to a device");
    test_mixed(1, "a message from a device to the host");
    setenv("PAULIMPI_TEST_PIECE_BYTES", "4096", 1);
    test_copies();
    test_joined();
    test_runs();
    tap_mpi_is_int(mock_faults(), 0, "nothing was touched that must not be");
    paulimpi_memory_destroy((void **)&device);
    free(host);
    free(image);
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
