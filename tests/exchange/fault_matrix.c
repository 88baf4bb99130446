/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The matrix of faults: every call on the way of a message, for the first, the
 * middle and the last of three messages, on either rank, whichever way they go.
 * The rank with the fault gets a code, no rank hangs, nothing leaks, and the
 * next exchange is right; with PAULIMPI_CHECK=collective all ranks fail or
 * none. Each cell is run or named with the reason why there is no such call.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "device/device.h"
#include "mock/mock.h"
#include "mock/shim.h"
#include "paulimpi/aware.h"
#include "paulimpi/exchange.h"
#include "tap/tap_mpi.h"

enum { MESSAGES = 3, BYTES = 3000, BROKEN = 999 };

/* Where the messages are: all on one device, or each on one of its own. */
enum { TOGETHER, APART, PLACES };

enum { DIRECT, STAGED, BOUNCED, PATHS };
static const char *const path_name[PATHS] = { "direct", "staged", "bounced" };

enum {
    ALLOCATE,
    TO_HOST,
    TO_DEVICE,
    RECORD,
    SYNCHRONISE,
    RECEIVE,
    SEND,
    END,
    CALLS
};

/* A call: its name where messages have blocks, and which time it is of the
 * first, middle and last message; the same for direct messages. 0: there is no
 * call of its own. Direct messages end in one call, which tells of each. */
typedef struct {
    const char *what;
    int is_mpi;
    const char *name;
    int which[MESSAGES];
    const char *direct_name;
    int direct_which[MESSAGES];
    const char *direct_reason;
    int place;
} call;

static const char one_for_all[] = "one mark serves all messages";
static const char no_copy[] = "MPI is given the memory itself";
static const call calls[CALLS] = {
    [ALLOCATE] = { "allocate pinned memory",
                   0,
                   "cudaMallocHost",
                   { 1, 3, 6 },
                   NULL,
                   { 0, 0, 0 },
                   no_copy,
                   TOGETHER },
    [TO_HOST] = { "copy to the host",
                  0,
                  "cudaMemcpyAsync",
                  { 1, 2, 3 },
                  NULL,
                  { 0, 0, 0 },
                  no_copy,
                  TOGETHER },
    [TO_DEVICE] = { "copy to the device",
                    0,
                    "cudaMemcpyAsync",
                    { 4, 5, 6 },
                    NULL,
                    { 0, 0, 0 },
                    no_copy,
                    TOGETHER },
    [RECORD] = { "record an event",
                 0,
                 "cudaEventRecord",
                 { 2, 4, 7 },
                 "cudaEventRecord",
                 { 1, 0, 0 },
                 one_for_all,
                 TOGETHER },
    [SYNCHRONISE] = { "wait for the device",
                      0,
                      "cudaDeviceSynchronize",
                      { 1, 2, 3 },
                      "cudaDeviceSynchronize",
                      { 1, 2, 3 },
                      NULL,
                      APART },
    [RECEIVE] = { "post a receive",
                  1,
                  "MPI_Irecv",
                  { 1, 2, 3 },
                  "MPI_Irecv",
                  { 1, 2, 3 },
                  NULL,
                  TOGETHER },
    [SEND] = { "post a send",
               1,
               "MPI_Isend",
               { 1, 2, 3 },
               "MPI_Isend",
               { 1, 2, 3 },
               NULL,
               TOGETHER },
    [END] = { "end messages",
              1,
              "MPI_Testsome",
              { 1, 2, 3 },
              "MPI_Waitall",
              { 1, 2, 3 },
              NULL,
              TOGETHER },
};

static paulimpi_context *ctx;
static int rank;
static paulimpi_stream stream;

/* A message that is sent, and behind it one that is received: memory of this
 * rank's devices, and of the other rank's. */
static char *own[PLACES][MESSAGES], *theirs[PLACES][MESSAGES];
static char image[2 * BYTES];

static void
copy(void *to, const void *from)
{
    paulimpi_memory_copy(to, from, sizeof image, stream);
    paulimpi_stream_wait(stream);
}

static void
fill(int place)
{
    int i;

    memset(image, 0, sizeof image);
    for (i = 0; i < MESSAGES; i++) {
        memset(image, 10 * rank + i + 1, BYTES);
        copy(own[place][i], image);
    }
    PMPI_Barrier(MPI_COMM_WORLD);
}

/* Receives that hold something must hold what was sent. */
static int
is_wrong(int place, int may_be_empty)
{
    int n_wrong = 0;
    int i, j;

    PMPI_Barrier(MPI_COMM_WORLD);
    for (i = 0; i < MESSAGES; i++) {
        copy(image, own[place][i]);
        for (j = 0; j < BYTES; j++) {
            char got = image[BYTES + j];

            n_wrong +=
                got != 10 * (1 - rank) + i + 1 && !(may_be_empty && !got);
        }
    }
    return n_wrong > 0;
}

static void
make_messages(int path, int place, paulimpi_message *sends,
              paulimpi_message *receives)
{
    int i;

    for (i = 0; i < MESSAGES; i++) {
        char *memory = path == BOUNCED ? theirs[place][i] : own[place][i];

        sends[i] = (paulimpi_message){ paulimpi_region_1d(memory, BYTES),
                                       1 - rank, i };
        receives[i] =
            (paulimpi_message){ paulimpi_region_1d(memory + BYTES, BYTES),
                                1 - rank, i };
    }
}

/* By a plan; or at once, with all ranks asked. */
static int
run(int path, int place, int after_stream, int is_asked)
{
    paulimpi_message sends[MESSAGES], receives[MESSAGES];
    const paulimpi_exchange_options *options =
        after_stream ? PAULIMPI_EXCHANGE_OPTIONS(.after_stream = stream)
                     : NULL;
    paulimpi_plan *plan;
    int rc;

    make_messages(path, place, sends, receives);
    if (is_asked) {
        setenv("PAULIMPI_CHECK", "collective", 1);
        rc = paulimpi_exchange(ctx, MESSAGES, sends, MESSAGES, receives,
                               options);
        unsetenv("PAULIMPI_CHECK");
        return rc;
    }
    rc = paulimpi_plan_create(ctx, MESSAGES, sends, MESSAGES, receives,
                              options, &plan);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_plan_start(plan, NULL);
        rc = rc == PAULIMPI_SUCCESS ? paulimpi_plan_wait(plan) : rc;
    }
    paulimpi_plan_destroy(&plan);
    return rc;
}

static int64_t
count_calls(const call *c, const char *name)
{
    return c->is_mpi ? shim_calls(name) : mock_calls(name);
}

/* Whether a fault is of a message that MPI_Waitall ends. */
static int
is_end_of_one(const char *name)
{
    return strcmp(name, "MPI_Waitall") == 0;
}

static void
set_fault(const call *c, const char *name, int which)
{
    if (is_end_of_one(name)) {
        shim_fail_end(which);
    } else if (c->is_mpi) {
        shim_fail(name, which);
    } else {
        mock_fail(name, which, which == 0 ? 0 : BROKEN);
    }
}

/* Whether the codes of a rank can be: they are not of the rank with the fault
 * if it has none. */
static int
is_code(const call *c, int has_fault, int rc)
{
    if (rc == PAULIMPI_SUCCESS) {
        /* Ordinary memory does instead of pinned, a wait instead of an
         * event. */
        return !has_fault || c == &calls[ALLOCATE] || c == &calls[RECORD];
    }
    if (has_fault) {
        return rc == (c->is_mpi ? PAULIMPI_ERR_MPI : PAULIMPI_ERR_DEVICE);
    }
    return rc == PAULIMPI_ERR_MISMATCH || rc == PAULIMPI_ERR_REMOTE;
}

static int
largest(int n)
{
    int most;

    PMPI_Allreduce(&n, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

/* One fault; the number of things that are not as they must be. */
static int
try_fault(const call *c, int path, int which, int where, int is_asked)
{
    const char *name = path == DIRECT ? c->direct_name : c->name;
    int n_wrong = 0;
    int64_t live, n_before;
    int has_fault, rc;

    paulimpi_staging_trim();
    live = mock_live();
    fill(c->place);
    n_before = count_calls(c, name);
    if (rank == where) {
        set_fault(c, name, which);
    }
    rc = run(path, c->place, c == &calls[RECORD], is_asked);
    has_fault = rank == where
                && count_calls(c, name) - n_before
                       >= (is_end_of_one(name) ? 1 : which);
    set_fault(c, name, 0);
    n_wrong += !is_code(c, has_fault, rc);
    n_wrong += is_wrong(c->place, largest(rc != PAULIMPI_SUCCESS));
    n_wrong +=
        is_asked && largest(rc != PAULIMPI_SUCCESS) && rc == PAULIMPI_SUCCESS;
    paulimpi_staging_trim();
    n_wrong += mock_live() != live;
    n_wrong += !largest(has_fault); /* the call was not reached */

    fill(c->place);
    n_wrong +=
        run(path, c->place, 0, 0) != PAULIMPI_SUCCESS || is_wrong(c->place, 0);
    return n_wrong;
}

/* The cells of a call and a path; how many were run. */
static int
test_cells(const call *c, int path)
{
    const int *which = path == DIRECT ? c->direct_which : c->which;
    const char *reason = path == DIRECT ? c->direct_reason : NULL;
    int n_cells = 0;
    int n_wrong = 0;
    int i, where;

    shim_mode(path == DIRECT ? SHIM_AWARE : SHIM_UNAWARE);
    paulimpi_aware_set(ctx, PAULIMPI_AWARE_ALL, PAULIMPI_OPERATION_MESSAGE,
                       path == DIRECT ? PAULIMPI_AWARE_YES
                                      : PAULIMPI_AWARE_NO);
    for (i = 0; i < MESSAGES; i++) {
        for (where = 0; where < 2 && which[i] > 0; where++) {
            n_wrong += try_fault(c, path, which[i], where, 0);
            n_wrong += try_fault(c, path, which[i], where, 1);
            n_cells++;
        }
    }
    tap_mpi_is_int(
        n_wrong, 0, "%s, %s: %d cells%s%s", c->what, path_name[path], n_cells,
        reason == NULL ? "" : ", no others: ", reason == NULL ? "" : reason);
    return n_cells;
}

static void
swap_handles(char *mine, char **other_p)
{
    paulimpi_ipc_handle sent, got;

    if (paulimpi_ipc_export(mine, &sent) != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no handle: %s", paulimpi_last_error());
    }
    PMPI_Sendrecv(&sent, sizeof sent, MPI_BYTE, 1 - rank, 0, &got, sizeof got,
                  MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (paulimpi_ipc_open(&got, (void **)other_p) != PAULIMPI_SUCCESS) {
        tap_mpi_bail("not opened: %s", paulimpi_last_error());
    }
}

static void
make_memory(void)
{
    int place, i;

    for (place = 0; place < PLACES; place++) {
        for (i = 0; i < MESSAGES; i++) {
            paulimpi_device_select(place == APART ? i : 0);
            paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, sizeof image,
                                   (void **)&own[place][i]);
            swap_handles(own[place][i], &theirs[place][i]);
        }
    }
    paulimpi_device_select(0);
}

static void
free_memory(void)
{
    int place, i;

    for (place = 0; place < PLACES; place++) {
        for (i = 0; i < MESSAGES; i++) {
            paulimpi_ipc_close((void **)&theirs[place][i]);
            PMPI_Barrier(MPI_COMM_WORLD);
            paulimpi_memory_destroy((void **)&own[place][i]);
        }
    }
}

static void
test_all(void)
{
    enum { CELLS = CALLS * PATHS * MESSAGES * 2 };
    int n_cells = 0;
    int i, path;

    for (i = 0; i < CALLS; i++) {
        for (path = 0; path < PATHS; path++) {
            n_cells += test_cells(&calls[i], path);
        }
    }
    tap_mpi_is_int(n_cells, 122,
                   "of %d cells these were %d, each in a plan and at once",
                   CELLS, n_cells);
}

int
main(int argc, char **argv)
{
    int status;

    unsetenv("PAULIMPI_CHECK");
    unsetenv("PAULIMPI_TEST_PIECE_BYTES");
    setenv("PAULIMPI_TIMEOUT", "0", 1);
    setenv("PAULIMPI_GPU_AWARE", "no", 1);
    setenv("PAULIMPI_MOCK_DEVICES", "3", 1);
    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    if (!mock_is_here()) {
        tap_mpi_skip_all("there is no mock of CUDA");
    }
    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    rank = paulimpi_context_rank(ctx);
    mock_order("lazy", 0);
    paulimpi_stream_create(&stream);
    make_memory();
    test_all();
    tap_mpi_is_int(mock_faults(), 0, "nothing was touched that must not be");
    free_memory();
    paulimpi_stream_destroy(&stream);
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
