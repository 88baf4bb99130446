/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of another process in exchanges: it bounces through the host, never
 * reaches MPI, even one that takes memory of devices, and stays open as long as
 * a plan uses it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
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

/* Each rank sends from its own memory's first half and receives into the
 * second half of the other's, which is where its own message would go. */
static void
test_bounce(int is_strided, int mode, const char *fact)
{
    paulimpi_message send = { paulimpi_region_1d(own, HALF), 1 - rank, 1 };
    paulimpi_message receive = { paulimpi_region_1d(theirs + HALF, HALF),
                                 1 - rank, 1 };
    paulimpi_counter *counter;
    int64_t n_bounced, n_bytes;
    paulimpi_plan *plan;
    char *text = NULL;
    void *again = theirs;
    int rc;

    if (is_strided) {
        send.region = paulimpi_region_2d(theirs, 4, HALF / 8, 8);
        receive.region = paulimpi_region_2d(theirs + HALF, 4, HALF / 8, 8);
    }
    shim_mode(mode);
    shim_reset();
    write_own(7 + rank);
    paulimpi_counter_create("bounce", &counter);
    rc = paulimpi_plan_create(ctx, 1, &send, 1, &receive, NULL, &plan);
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "%s: a plan is made", fact);
    paulimpi_plan_explain(plan, &text);
    tap_mpi_ok(strstr(text, "memory of another process") != NULL,
               "it tells that memory is another process's");
    paulimpi_text_destroy(&text);
    paulimpi_counter_begin(counter);
    rc = paulimpi_plan_start(plan, NULL);
    rc = rc == PAULIMPI_SUCCESS ? paulimpi_plan_wait(plan) : rc;
    paulimpi_counter_end(counter);
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "it runs");
    /* What rank 0 receives from rank 1 it puts into rank 1's memory; what it
     * sends is rank 1's where it is strided. */
    tap_mpi_ok(has(own, is_strided ? 7 + 1 - rank : 7 + rank, is_strided),
               "the bytes are where they must be");
    tap_mpi_is_int(shim_foreign_buffers(), 0, "MPI has not seen it");
    paulimpi_counter_get(counter, NULL, PAULIMPI_COUNT_BOUNCE, &n_bounced,
                         &n_bytes);
    tap_mpi_ok(n_bounced > 0, "the bounces are counted");

    tap_mpi_is_status(paulimpi_ipc_close(&again), PAULIMPI_ERR_STATE,
                      "it cannot be closed while a plan uses it");
    paulimpi_plan_destroy(&plan);
    paulimpi_counter_destroy(&counter);
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
    test_bounce(0, SHIM_UNAWARE, "not aware");
    test_bounce(1, SHIM_UNAWARE, "strided");
    paulimpi_aware_set(ctx, PAULIMPI_AWARE_ALL, PAULIMPI_AWARE_ALL,
                       PAULIMPI_AWARE_YES);
    test_bounce(0, SHIM_REJECT, "aware");
    test_bounce(1, SHIM_REJECT, "aware, strided");
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
