/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What goes wrong with NCCL: no rank waits for ever, all hear of it, and later
 * plans go by MPI.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "device/device.h"
#include "mock/mock.h"
#include "mock/mock_nccl.h"
#include "mock/nccl.h"
#include "mock/shim.h"
#include "paulimpi/exchange.h"
#include "tap/tap_mpi.h"

enum { BYTES = 10000 };

static paulimpi_context *ctx;
static int rank;
static char *from, *to;
static char image[BYTES];

/* A context of its own for each failure. */
static void
open_context(void)
{
    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
}

static int
create(paulimpi_plan **plan_p)
{
    paulimpi_message send = { paulimpi_region_1d(from, BYTES), 1 - rank, 1 };
    paulimpi_message receive = { paulimpi_region_1d(to, BYTES), 1 - rank, 1 };

    return paulimpi_plan_create(ctx, 1, &send, 1, &receive, NULL, plan_p);
}

static int
run(paulimpi_plan *plan, double timeout)
{
    int rc = paulimpi_plan_start(
        plan, PAULIMPI_EXCHANGE_OPTIONS(.timeout = timeout));

    return rc == PAULIMPI_SUCCESS ? paulimpi_plan_wait(plan) : rc;
}

static int
says(const paulimpi_plan *plan, const char *part)
{
    char *text = NULL;
    int is_said;

    paulimpi_plan_explain(plan, &text);
    is_said = text != NULL && strstr(text, part) != NULL;
    paulimpi_text_destroy(&text);
    return is_said;
}

static int
arrives(paulimpi_plan *plan)
{
    int i, n_wrong = 0;

    memset(image, 3 + rank, BYTES);
    paulimpi_memory_copy(from, image, BYTES, NULL);
    paulimpi_stream_wait(NULL);
    if (run(plan, 0.0) != PAULIMPI_SUCCESS) {
        return 0;
    }
    paulimpi_memory_copy(image, to, BYTES, NULL);
    paulimpi_stream_wait(NULL);
    for (i = 0; i < BYTES; i++) {
        n_wrong += image[i] != 4 - rank;
    }
    return n_wrong == 0;
}

/* A plan that is made now goes by MPI, and arrives. */
static void
goes_on(const char *why)
{
    paulimpi_plan *plan = NULL;

    tap_mpi_is_status(create(&plan), PAULIMPI_SUCCESS, "another plan is made");
    tap_mpi_ok(says(plan, "carried by MPI: ") && says(plan, why),
               "for MPI, as %s", why);
    tap_mpi_ok(arrives(plan), "and arrives");
    paulimpi_plan_destroy(&plan);
}

static void
close_context(void)
{
    paulimpi_context_destroy(&ctx);
    tap_mpi_is_int(mock_nccl_live(), 0, "no communicator is left");
}

/* A call that fails while a communicator is made, on one rank. */
static void
test_open(const char *name, int at, int wish)
{
    paulimpi_plan *plan = NULL;
    int rc;

    open_context();
    if (wish) {
        setenv("PAULIMPI_TRANSPORT", "nccl", 1);
    }
    if (rank == at) {
        mock_nccl_fail(name, 1, ncclSystemError);
    }
    rc = create(&plan);
    mock_nccl_fail(name, 0, 0);
    unsetenv("PAULIMPI_TRANSPORT");
    if (wish) {
        tap_mpi_is_status(
            rc, rank == at ? PAULIMPI_ERR_DEVICE : PAULIMPI_ERR_REMOTE,
            "%s fails where NCCL is wanted: an error", name);
        tap_mpi_ok(strstr(paulimpi_last_error(), name) != NULL
                       && strstr(paulimpi_last_error(), "system error")
                              != NULL,
                   "with what NCCL says");
    } else {
        tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "%s fails: a plan is made",
                          name);
        tap_mpi_ok(says(plan, "carried by MPI: ")
                       && says(plan, "unhandled system error"),
                   "it says why not by NCCL");
        tap_mpi_ok(arrives(plan), "and arrives");
        paulimpi_plan_destroy(&plan);
    }
    goes_on("NCCL failed before");
    close_context();
}

/* A call that fails in a run, on one rank: both hear of it. */
static void
test_run(const char *name, int which, int has_limit)
{
    paulimpi_plan *plan = NULL;
    int rc;

    open_context();
    create(&plan);
    tap_mpi_ok(says(plan, "carried by NCCL: ") && arrives(plan),
               "a plan by NCCL");
    if (rank == 1) {
        mock_nccl_fail(name, which, ncclInternalError);
    }
    rc = run(plan, has_limit ? 60.0 : 0.0);
    mock_nccl_fail(name, 0, 0);
    tap_mpi_is_status(rc, PAULIMPI_ERR_DEVICE, "%s, call %d, fails", name,
                      which);
    tap_mpi_ok(strstr(paulimpi_last_error(),
                      rank == 1 ? "internal error" : "remote process exited")
                   != NULL,
               "each rank says how it heard of it");
    tap_mpi_is_status(paulimpi_plan_start(plan, NULL), PAULIMPI_ERR_STATE,
                      "the plan is broken");
    paulimpi_plan_destroy(&plan);
    goes_on("NCCL failed before");
    close_context();
}

/* A device that fails at the start: there are no empty messages. */
static void
test_device(void)
{
    paulimpi_plan *plan = NULL;
    int rc;

    open_context();
    create(&plan);
    if (rank == 0) {
        mock_fail("cudaDeviceSynchronize", 1, 700);
    }
    rc = run(plan, 0.0);
    mock_fail("cudaDeviceSynchronize", 0, 0);
    tap_mpi_is_status(rc, PAULIMPI_ERR_DEVICE, "a device that fails");
    tap_mpi_ok(strstr(paulimpi_last_error(),
                      rank == 0 ? "cudaDeviceSynchronize" : "remote process")
                   != NULL,
               "is told of on both ranks");
    paulimpi_plan_destroy(&plan);
    close_context();
}

/* Rows that cannot be packed on one rank: nor is there an empty message. */
static void
test_packing(void)
{
    const char *name =
        paulimpi__has_kernel(0) ? "cuLaunchKernel" : "cudaMemcpy2DAsync";
    paulimpi_message send = { paulimpi_region_2d(from, 4, BYTES / 8, 8),
                              1 - rank, 1 };
    paulimpi_message receive = { paulimpi_region_1d(to, BYTES / 8 * 4),
                                 1 - rank, 1 };
    paulimpi_plan *plan = NULL;
    int rc;

    open_context();
    paulimpi_plan_create(ctx, 1, &send, 1, &receive, NULL, &plan);
    tap_mpi_ok(says(plan, "carried by NCCL: ")
                   && run(plan, 0.0) == PAULIMPI_SUCCESS,
               "a plan of rows by NCCL");
    if (rank == 0) {
        mock_fail(name, 1, 700);
    }
    rc = run(plan, 0.0);
    mock_fail(name, 0, 0);
    tap_mpi_is_status(rc, PAULIMPI_ERR_DEVICE, "packing that fails");
    tap_mpi_ok(
        strstr(paulimpi_last_error(), rank == 0 ? name : "remote process")
            != NULL,
        "is told of on both ranks");
    paulimpi_plan_destroy(&plan);
    goes_on("NCCL failed before");
    close_context();
}

/* A rank that does not take part. */
static void
test_silence(void)
{
    paulimpi_plan *plan = NULL, *other = NULL;
    int rc;

    open_context();
    create(&plan);
    create(&other);
    if (rank == 0) {
        rc = run(plan, 0.2);
        tap_mpi_is_status(rc, PAULIMPI_ERR_TIMEOUT, "a silent rank");
        tap_mpi_ok(strstr(paulimpi_last_error(), "receive from rank 1, tag 1")
                       != NULL,
                   "is named");
    } else {
        tap_mpi_is_status(PAULIMPI_ERR_TIMEOUT, PAULIMPI_ERR_TIMEOUT,
                          "a silent rank");
        tap_mpi_ok(1, "is named");
    }
    PMPI_Barrier(MPI_COMM_WORLD);
    rc = run(rank == 0 ? other : plan, 0.0);
    tap_mpi_is_status(rc, PAULIMPI_ERR_DEVICE,
                      "what comes too late is an error, and does not wait");
    paulimpi_plan_destroy(&plan);
    paulimpi_plan_destroy(&other);
    goes_on("NCCL failed before");
    close_context();
}

/* Two ranks on one device. */
static void
test_one_device(void)
{
    char *own_from = from, *own_to = to;

    paulimpi_device_select(0);
    paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, BYTES, (void **)&from);
    paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, BYTES, (void **)&to);
    open_context();
    goes_on("ranks 0 and 1 use the same device, which NCCL refuses");
    setenv("PAULIMPI_TRANSPORT", "nccl", 1);
    goes_on("NCCL failed before");
    unsetenv("PAULIMPI_TRANSPORT");
    close_context();
    paulimpi_memory_destroy((void **)&from);
    paulimpi_memory_destroy((void **)&to);
    from = own_from;
    to = own_to;
    paulimpi_device_select(rank);
}

/* No memory, for anything that is allocated. */
static void
test_no_memory(void)
{
    paulimpi_plan *plan = NULL;
    int n, rc = PAULIMPI_ERR_MEMORY;
    int n_odd = 0;

    open_context();
    for (n = 1; rc != PAULIMPI_SUCCESS && n < 100; n++) {
        if (rank == 0) {
            paulimpi__alloc_fail_at(n);
        }
        rc = create(&plan);
        paulimpi__alloc_fail_at(0);
        n_odd +=
            rc != PAULIMPI_SUCCESS
            && rc != (rank == 0 ? PAULIMPI_ERR_MEMORY : PAULIMPI_ERR_REMOTE);
    }
    tap_mpi_ok(n > 5 && n < 100 && n_odd == 0,
               "every allocation may fail, and both ranks hear of it");
    tap_mpi_ok(arrives(plan), "until there is memory");
    paulimpi_plan_destroy(&plan);
    close_context();
}

int
main(int argc, char **argv)
{
    int status;

    unsetenv("PAULIMPI_CHECK");
    unsetenv("PAULIMPI_TRANSPORT");
    unsetenv("PAULIMPI_TIMEOUT");
    setenv("PAULIMPI_GPU_AWARE", "no", 1);
    setenv("PAULIMPI_MOCK_DEVICES", "2", 1);
    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    if (!mock_is_here()) {
        tap_mpi_skip_all("there is no mock of CUDA");
    }
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    paulimpi_device_select(rank);
    paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, BYTES, (void **)&from);
    paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, BYTES, (void **)&to);
    test_open("ncclGetUniqueId", 0, 0);
    test_open("ncclCommInitRankConfig", 1, 0);
    test_open("ncclCommInitRankConfig", 0, 1);
    test_run("ncclGroupStart", 1, 0);
    test_run("ncclSend", 1, 1);
    test_run("ncclRecv", 1, 0);
    test_run("ncclGroupEnd", 1, 1);
    test_run("ncclCommGetAsyncError", 1, 0);
    test_run("ncclCommGetAsyncError", 4, 1);
    test_device();
    test_packing();
    test_silence();
    test_one_device();
    test_no_memory();
    paulimpi_memory_destroy((void **)&from);
    paulimpi_memory_destroy((void **)&to);
    paulimpi_staging_trim();
    tap_mpi_is_int(mock_live(), 0, "nothing is left on the device");
    tap_mpi_is_int(mock_faults(), 0, "nothing was touched that must not be");
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
