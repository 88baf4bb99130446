/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of another process in exchanges: it bounces through a ring in memory
 * of this device where MPI takes that, through the host where it does not; it
 * never reaches MPI, and stays open as long as a plan uses it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "device/device.h"
#include "mock/mock.h"
#include "mock/shim.h"
#include "paulimpi/account.h"
#include "paulimpi/aware.h"
#include "paulimpi/exchange.h"
#include "tap/tap_mpi.h"

enum { BYTES = 30000, HALF = BYTES / 2 };

static paulimpi_context *ctx;
static int rank;
static char *own;    /* memory of this rank's device */
static char *theirs; /* that of the other rank, opened here */
static char image[BYTES];
static paulimpi_stream stream;

static void
swap_handles(void)
{
    paulimpi_ipc_handle mine, other;
    int rc = paulimpi_ipc_export(own, &mine);

    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "memory is exported");
    PMPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, 1 - rank, 0, &other,
                  sizeof other, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE);
    rc = paulimpi_ipc_open(&other, (void **)&theirs);
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "and opened");
}

static void
write_own(int value)
{
    memset(image, value, HALF);
    memset(image + HALF, 0, HALF);
    paulimpi_memory_copy(own, image, BYTES, stream);
    paulimpi_stream_wait(stream);
    PMPI_Barrier(MPI_COMM_WORLD);
}

/* Whether the second half has a value; strided: in every other four bytes. */
static int
has(const char *memory, int value, int is_strided)
{
    int i;

    PMPI_Barrier(MPI_COMM_WORLD);
    paulimpi_memory_copy(image, memory, BYTES, stream);
    paulimpi_stream_wait(stream);
    for (i = HALF; i < BYTES; i++) {
        if (image[i] != (is_strided && (i - HALF) / 4 % 2 ? 0 : value)) {
            return 0;
        }
    }
    return 1;
}

static void
make_messages(paulimpi_message *send, paulimpi_message *receive,
              int is_strided)
{
    *send = (paulimpi_message){ paulimpi_region_1d(own, HALF), 1 - rank, 1 };
    *receive = (paulimpi_message){ paulimpi_region_1d(theirs + HALF, HALF),
                                   1 - rank, 1 };
    if (is_strided) {
        send->region = paulimpi_region_2d(theirs, 4, HALF / 8, 8);
        receive->region = paulimpi_region_2d(theirs + HALF, 4, HALF / 8, 8);
    }
}

static int64_t
count_of(const paulimpi_counter *counter, int kind)
{
    int64_t events = -1, bytes;

    paulimpi_counter_get(counter, NULL, kind, &events, &bytes);
    return events;
}

/* What a plan says of its way, and what the counters say. */
static void
check_way(const paulimpi_plan *plan, const paulimpi_counter *counter,
          int in_ring, int64_t n_copies)
{
    char *text = NULL;

    paulimpi_plan_explain(plan, &text);
    tap_mpi_ok(strstr(text, "memory of another process") != NULL
                   && (strstr(text, "through a ring in memory of this device")
                       != NULL)
                          == in_ring,
               "the plan says that it goes %s",
               in_ring ? "by the ring" : "by the host");
    paulimpi_text_destroy(&text);
    tap_mpi_is_int(count_of(counter, PAULIMPI_COUNT_BOUNCE), n_copies,
                   "the bounces are counted");
    tap_mpi_ok((count_of(counter, PAULIMPI_COUNT_TO_HOST) == 0) == in_ring
                   && (count_of(counter, PAULIMPI_COUNT_TO_DEVICE) == 0)
                          == in_ring,
               "%s passes the host", in_ring ? "nothing" : "all of it");
    tap_mpi_ok((shim_device_buffers() > 0) == in_ring,
               "MPI has seen %s memory of a device", in_ring ? "" : "no");
    tap_mpi_is_int(shim_foreign_buffers(), 0, "and none of another process");
}

/* Each rank sends from its own memory's first half and receives into the
 * second half of the other's, which is where its own message would go. */
static void
test_bounce(int is_strided, int mode, int in_ring, const char *fact)
{
    int pieces = (is_strided ? HALF / 2 : HALF) / 1024 + 1;
    paulimpi_message send, receive;
    paulimpi_counter *counter;
    paulimpi_plan *plan;
    void *again = theirs;
    int64_t n_mallocs, launches;
    int rc;

    make_messages(&send, &receive, is_strided);
    shim_mode(mode);
    shim_reset();
    write_own(7 + rank);
    paulimpi_counter_create("bounce", &counter);
    rc = paulimpi_plan_create(ctx, 1, &send, 1, &receive, NULL, &plan);
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "%s: a plan is made", fact);
    n_mallocs = mock_calls("cudaMalloc") + mock_calls("cudaMallocHost");
    launches = mock_calls("cuLaunchKernel");
    paulimpi_counter_begin(counter);
    rc = paulimpi_plan_start(plan, NULL);
    rc = rc == PAULIMPI_SUCCESS ? paulimpi_plan_wait(plan) : rc;
    paulimpi_counter_end(counter);
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "it runs");
    tap_mpi_is_int(mock_calls("cudaMalloc") + mock_calls("cudaMallocHost"),
                   n_mallocs, "and allocates nothing");
    tap_mpi_is_int(mock_calls("cuLaunchKernel") - launches,
                   is_strided && paulimpi__has_kernel(0) ? 2 * pieces : 0,
                   "a kernel takes thin rows, if there is one");
    /* What rank 0 receives from rank 1 it puts into rank 1's memory; what it
     * sends is rank 1's where it is strided. */
    tap_mpi_ok(has(own, is_strided ? 7 + 1 - rank : 7 + rank, is_strided),
               "the bytes are where they must be");
    /* Its own memory, where it is not strided, is sent another way. */
    check_way(plan, counter, in_ring, is_strided ? 2 * pieces : pieces);

    tap_mpi_is_status(paulimpi_ipc_close(&again), PAULIMPI_ERR_STATE,
                      "it cannot be closed while a plan uses it");
    paulimpi_plan_destroy(&plan);
    paulimpi_counter_destroy(&counter);
    shim_mode(SHIM_OFF);
}

/* Streams in any order, with rings that are used many times. */
static void
test_orders(void)
{
    paulimpi_message send, receive;
    paulimpi_plan *plan;
    int seed, n_bad = 0;

    shim_mode(SHIM_REJECT);
    make_messages(&send, &receive, 1);
    paulimpi_plan_create(ctx, 1, &send, 1, &receive, NULL, &plan);
    for (seed = 1; seed < 9; seed++) {
        mock_order("random", (uint64_t)seed);
        write_own(seed + 16 * rank);
        n_bad += paulimpi_plan_start(plan, NULL) != PAULIMPI_SUCCESS
                 || paulimpi_plan_wait(plan) != PAULIMPI_SUCCESS;
        n_bad += !has(own, seed + 16 * (1 - rank), 1);
    }
    mock_order("lazy", 0);
    tap_mpi_is_int(n_bad, 0, "the bytes are right in every order of streams");
    paulimpi_plan_destroy(&plan);
    shim_mode(SHIM_OFF);
}

/* Where the device has no memory for a ring, on one rank or both. */
static void
test_no_ring(int both)
{
    paulimpi_message send, receive;
    paulimpi_plan *plan;
    char *text = NULL;
    int64_t n_free = 0;
    void *rest = NULL;
    int rc;

    shim_mode(SHIM_REJECT);
    make_messages(&send, &receive, 1);
    write_own(3 + rank);
    paulimpi_staging_trim();
    if (both || rank == 0) {
        paulimpi_device_memory(0, &n_free, NULL);
        paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, (size_t)n_free, &rest);
    }
    rc = paulimpi_plan_create(ctx, 1, &send, 1, &receive, NULL, &plan);
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "a plan without its ring");
    paulimpi_plan_explain(plan, &text);
    tap_mpi_ok((strstr(text, "no memory left for a ring") != NULL)
                   == (both || rank == 0),
               "it says so");
    paulimpi_text_destroy(&text);
    rc = paulimpi_plan_start(plan, NULL);
    rc = rc == PAULIMPI_SUCCESS ? paulimpi_plan_wait(plan) : rc;
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "it runs");
    tap_mpi_ok(has(own, 3 + 1 - rank, 1), "the bytes are right");
    tap_mpi_is_int(shim_foreign_buffers(), 0,
                   "MPI has not seen memory of another process");
    paulimpi_plan_destroy(&plan);
    paulimpi_memory_destroy(&rest);
    shim_mode(SHIM_OFF);
}

int
main(int argc, char **argv)
{
    int status;

    unsetenv("PAULIMPI_CHECK");
    setenv("PAULIMPI_TIMEOUT", "60", 0);
    setenv("PAULIMPI_TEST_PIECE_BYTES", "1024", 1);
    setenv("PAULIMPI_GPU_AWARE", "no", 1);
    setenv("PAULIMPI_MOCK_MEMORY", "1048576", 1);
    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    if (!mock_is_here()) {
        tap_mpi_skip_all("there is no mock of CUDA");
    }
    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    rank = paulimpi_context_rank(ctx);
    paulimpi_stream_create(&stream);
    paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, BYTES, (void **)&own);
    swap_handles();
    test_bounce(0, SHIM_UNAWARE, 0, "not aware");
    test_bounce(1, SHIM_UNAWARE, 0, "strided");
    paulimpi_aware_set(ctx, PAULIMPI_AWARE_ALL, PAULIMPI_AWARE_ALL,
                       PAULIMPI_AWARE_YES);
    test_bounce(0, SHIM_REJECT, 1, "aware");
    test_bounce(1, SHIM_REJECT, 1, "aware, strided");
    test_orders();
    test_no_ring(1);
    test_no_ring(0);
    tap_mpi_is_status(paulimpi_ipc_close((void **)&theirs), PAULIMPI_SUCCESS,
                      "it is closed");
    PMPI_Barrier(MPI_COMM_WORLD);
    tap_mpi_is_int(mock_faults(), 0, "nothing was touched that must not be");
    paulimpi_memory_destroy((void **)&own);
    paulimpi_stream_destroy(&stream);
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
