/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is found of an MPI between the library and the mock's devices, which
 * behaves as MPIs do.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "exchange/awareness.h"
#include "mock/mock.h"
#include "mock/shim.h"
#include "tap/tap_mpi.h"

static int rank, size;
static paulimpi_context *ctx;

/* Look once more, with an MPI of this mode, whose vices are for messages from
 * this size on. */
static void
look(int mode, int64_t least)
{
    paulimpi_context_destroy(&ctx);
    if (paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx)
        != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no context: %s", paulimpi_last_error());
    }
    shim_reset();
    shim_least(least);
    shim_mode(mode);
    if (paulimpi_aware_probe(ctx) != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no answer: %s", paulimpi_last_error());
    }
    shim_mode(SHIM_OFF);
}

static int
is_answer(int kind, int operation, int state, const char *part)
{
    char *reason = NULL;
    int got = 99;
    int is_right;

    paulimpi_aware(ctx, kind, operation, &got, &reason);
    is_right = got == state && strstr(reason, part) != NULL;
    if (!is_right) {
        tap_note("rank %d: %d, %s", rank, got, reason);
    }
    paulimpi_text_destroy(&reason);
    return is_right;
}

static void
test_auto(void)
{
    unsetenv("PAULIMPI_GPU_AWARE");
    look(SHIM_OFF, 1);
    tap_mpi_ok(
        is_answer(PAULIMPI_MEMORY_DEVICE, 0, PAULIMPI_AWARE_NO, " says no"),
        "an MPI that says no is believed");
    tap_mpi_is_int(shim_device_buffers(), 0, "and nothing is tried");
    setenv("PAULIMPI_GPU_AWARE", "probe", 1);
}

static void
test_good(void)
{
    static const int kinds[] = { PAULIMPI_MEMORY_DEVICE,
                                 PAULIMPI_MEMORY_MANAGED,
                                 PAULIMPI_MEMORY_POOL };
    int i;

    look(SHIM_AWARE, 1);
    for (i = 0; i < 3; i++) {
        tap_mpi_ok(is_answer(kinds[i], PAULIMPI_OPERATION_MESSAGE,
                             PAULIMPI_AWARE_YES, "the bytes were right")
                       && is_answer(kinds[i], PAULIMPI_OPERATION_COLLECTIVE,
                                    PAULIMPI_AWARE_YES, "the bytes were"),
                   "an MPI that takes %s memory is found out",
                   paulimpi__memory_name(kinds[i]));
    }
    tap_mpi_ok(shim_device_buffers() > 0, "by giving it some");
    look(SHIM_LATE, 1);
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_DEVICE, 0, PAULIMPI_AWARE_YES, ""),
               "one that does its work late is fine, too");
    mock_order("random", 3);
    look(SHIM_AWARE, 1);
    mock_order("lazy", 0);
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_POOL, 0, PAULIMPI_AWARE_YES, ""),
               "and streams may do theirs in any order");
}

/* A plan of a message around all ranks. */
static void
make_plan(int kind)
{
    void *memory[2];
    paulimpi_plan *plan;
    int i;

    for (i = 0; i < 2; i++) {
        if (paulimpi_memory_create(kind, 8, &memory[i]) != PAULIMPI_SUCCESS) {
            tap_mpi_bail("no memory: %s", paulimpi_last_error());
        }
    }
    {
        paulimpi_message send = { paulimpi_region_1d(memory[0], 8),
                                  (rank + 1) % size, 1 };
        paulimpi_message receive = { paulimpi_region_1d(memory[1], 8),
                                     (rank + size - 1) % size, 1 };

        /* One rank is enough. */
        i = kind == PAULIMPI_MEMORY_HOST || rank == 0;
        tap_mpi_is_status(
            paulimpi_plan_create(ctx, i, &send, i, &receive, NULL, &plan),
            PAULIMPI_SUCCESS, "a plan of %s memory",
            paulimpi__memory_name(kind));
    }
    paulimpi_plan_destroy(&plan);
    paulimpi_memory_destroy(&memory[0]);
    paulimpi_memory_destroy(&memory[1]);
}

/* What a plan of rows in memory of a device says of its way. */
static void
check_way(int state, const char *part)
{
    void *memory = NULL;
    paulimpi_message message = { .peer = (rank + 1) % size, .tag = 1 };
    paulimpi_plan *plan = NULL;
    char *text = NULL;

    paulimpi_aware_set(ctx, PAULIMPI_MEMORY_DEVICE, PAULIMPI_OPERATION_MESSAGE,
                       state);
    paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, 48, &memory);
    message.region = paulimpi_region_2d(memory, 8, 2, 32);
    paulimpi_plan_create(ctx, 1, &message, 0, NULL, NULL, &plan);
    paulimpi_plan_explain(plan, &text);
    tap_mpi_ok(text != NULL && strstr(text, part) != NULL,
               "a plan of rows says: %s", part);
    paulimpi_text_destroy(&text);
    paulimpi_plan_destroy(&plan);
    paulimpi_exchange_explain(ctx, 1, &message, 0, NULL, &text);
    tap_mpi_ok(text != NULL && strstr(text, part) != NULL,
               "so does an exchange");
    paulimpi_text_destroy(&text);
    paulimpi_memory_destroy(&memory);
    paulimpi_staging_trim();
}

/* What a program does not use is not tried for it. */
static void
test_plans(void)
{
    paulimpi_context_destroy(&ctx);
    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    shim_reset();
    shim_mode(SHIM_AWARE);
    make_plan(PAULIMPI_MEMORY_HOST);
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_DEVICE, 0, PAULIMPI_AWARE_UNKNOWN,
                         "nobody has looked")
                   && shim_device_buffers() == 0,
               "looks for nothing");
    make_plan(PAULIMPI_MEMORY_DEVICE);
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_DEVICE, 0, PAULIMPI_AWARE_YES,
                         "the bytes were right"),
               "finds out, for all ranks");
    shim_mode(SHIM_OFF);
    check_way(PAULIMPI_AWARE_YES,
              "a ring in memory of this device, as it is not contiguous");
    check_way(PAULIMPI_AWARE_NO, "is not known to take memory of this kind (");
    check_way(PAULIMPI_AWARE_NO, "); it is not contiguous either");
    if (paulimpi__has_kernel(0)) {
        check_way(PAULIMPI_AWARE_NO, " either; a kernel packs it\n");
        check_way(PAULIMPI_AWARE_YES, "contiguous; a kernel packs it\n");
    }
}

/* Send memory of a device around all ranks, and see whether it is copied. */
static void
check_device(int device, int64_t n_copies, const char *part)
{
    char *memory = NULL;
    paulimpi_message send = { .peer = (rank + 1) % size, .tag = 1 };
    paulimpi_message receive = { .peer = (rank + size - 1) % size, .tag = 1 };
    char *text = NULL;
    char got[8] = "";
    int64_t before;

    paulimpi_device_select(device);
    paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, 16, (void **)&memory);
    paulimpi_memory_copy(memory, rank % 2 ? "message" : "another", 8, NULL);
    send.region = paulimpi_region_1d(memory, 8);
    receive.region = paulimpi_region_1d(memory + 8, 8);
    paulimpi_device_select(0);
    paulimpi_exchange_explain(ctx, 1, &send, 0, NULL, &text);
    tap_mpi_ok(text != NULL && strstr(text, part) != NULL,
               "memory of device %d: %s", device, part);
    paulimpi_text_destroy(&text);
    shim_mode(SHIM_AWARE);
    before = mock_calls("cudaMemcpyAsync");
    tap_mpi_is_status(paulimpi_exchange(ctx, 1, &send, 1, &receive, NULL),
                      PAULIMPI_SUCCESS, "is exchanged");
    shim_mode(SHIM_OFF);
    tap_mpi_is_int(mock_calls("cudaMemcpyAsync") - before, n_copies,
                   "with %d copies", (int)n_copies);
    paulimpi_device_select(device);
    paulimpi_memory_copy(got, memory + 8, sizeof got, NULL);
    (void)paulimpi__device_wait("test", device);
    tap_mpi_ok(strcmp(got, rank % 2 ? "another" : "message") == 0,
               "its bytes arrive");
    paulimpi_memory_destroy((void **)&memory);
    paulimpi_device_select(0);
    paulimpi_staging_trim();
}

/* What was found of the device that was current does not hold for another,
 * unless somebody says so; rings are memory of the current device. */
static void
test_devices(void)
{
    look(SHIM_AWARE, 1);
    check_device(0, 0, "MPI is given the memory itself");
    check_device(1, 2,
                 "through a ring in memory of this device, as MPI was tried "
                 "with memory of device 0, not of 1\n");
    paulimpi_aware_set(ctx, PAULIMPI_MEMORY_DEVICE, PAULIMPI_OPERATION_MESSAGE,
                       PAULIMPI_AWARE_YES);
    check_device(1, 0, "MPI is given the memory itself");
}

static void
test_bad(void)
{
    look(SHIM_UNAWARE, 1);
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_DEVICE, 0, PAULIMPI_AWARE_NO,
                         "MPI_Pack touched it from the host"),
               "an MPI that would crash is found out before it does");
    tap_mpi_ok(
        is_answer(PAULIMPI_MEMORY_DEVICE, 1, PAULIMPI_AWARE_NO, "MPI_Pack"),
        "for all operations");
    look(SHIM_SILENT, 1);
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_DEVICE, 0, PAULIMPI_AWARE_NO,
                         "MPI_Pack gave other bytes"),
               "one that reads zeros");
    look(SHIM_SILENT, 65537);
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_DEVICE, 0, PAULIMPI_AWARE_NO,
                         "in a message of 4194304 bytes between ranks of a "
                         "node, other bytes came"),
               "one that does so in large messages");
    look(SHIM_SHORT, 65537);
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_DEVICE, 0, PAULIMPI_AWARE_NO,
                         "other bytes came"),
               "one that sends less");
}

static void
test_failures(void)
{
    if (rank == size - 1) {
        mock_fail("cudaMalloc", 1, 2);
    }
    look(SHIM_AWARE, 1);
    mock_fail("cudaMalloc", 0, 0);
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_DEVICE, 0, PAULIMPI_AWARE_NO,
                         "no memory to try it"),
               "no memory on a device of one rank");
    if (rank == 0) {
        shim_fail("MPI_Isend", 3);
    }
    setenv("PAULIMPI_PROBE_TIMEOUT", "1", 1);
    look(SHIM_AWARE, 1);
    shim_fail("MPI_Isend", 0);
    unsetenv("PAULIMPI_PROBE_TIMEOUT");
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_DEVICE, 0, PAULIMPI_AWARE_NO,
                         "nothing came in time"),
               "a send that fails");
}

int
main(int argc, char **argv)
{
    int provided, status;
    int64_t live;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    tap_mpi_begin(argv[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!mock_is_here()) {
        tap_mpi_skip_all("there is no mock of CUDA");
    }
    unsetenv("PAULIMPI_TEST_NODE_SIZE");
    test_auto();
    live = mock_live();
    test_good();
    test_bad();
    test_plans();
    test_devices();
    /* Memory of pools is freed when its stream comes to it. */
    (void)paulimpi__device_wait("test", paulimpi_device_current());
    tap_mpi_is_int(mock_live(), live, "everything is given back");
    test_failures();
    tap_mpi_is_int(mock_faults(), 0, "and nothing was touched beside it");
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
