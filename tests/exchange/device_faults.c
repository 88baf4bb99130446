/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls of the device's runtime that fail while plans are made and run: each
 * in turn, on one rank. That rank gets a code; no rank hangs; nothing leaks;
 * later exchanges work. Only the mock can do that.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "mock/mock.h"
#include "paulimpi/exchange.h"
#include "tap/tap_mpi.h"

enum { MESSAGES = 3, BYTES = 3072, BROKEN = 999, NO_MEMORY = 2 };

static const char *const making[] = { "cudaStreamCreateWithFlags",
                                      "cudaEventCreateWithFlags",
                                      "cudaPointerGetAttributes" };
static const char *const running[] = {
    "cudaMemcpyAsync",       "cudaMemcpy2DAsync", "cuLaunchKernel",
    "cudaEventRecord",       "cudaEventQuery",    "cudaStreamWaitEvent",
    "cudaDeviceSynchronize",
};
/* Bytes of a row, of every second of which the messages are: as a kernel, and
 * as copies take them; or all bytes. */
enum { ALL = 0, THIN = 4, THICK = 64 };
static const int widths[] = { ALL, THIN, THICK };

static paulimpi_context *ctx;
static int rank;
static char *sent, *received; /* in a device's memory */
static char image[2 * BYTES * MESSAGES];
static paulimpi_stream stream;

static int
copy(void *to, const void *from)
{
    int rc = paulimpi_memory_copy(to, from, sizeof image, stream);

    return rc == PAULIMPI_SUCCESS ? paulimpi_stream_wait(stream) : rc;
}

static void
fill(void)
{
    int i;

    for (i = 0; i < MESSAGES; i++) {
        memset(image + 2 * BYTES * i, 10 * rank + i + 1, 2 * BYTES);
    }
    copy(sent, image);
    memset(image, 0, sizeof image);
    copy(received, image);
}

/* Receives that hold something must hold what was sent. */
static int
count_wrong(int width, int may_be_empty)
{
    int n_wrong = 0;
    int i, j;

    copy(image, received);
    for (i = 0; i < MESSAGES; i++) {
        char want = (char)(10 * (1 - rank) + i + 1);

        for (j = 0; j < BYTES; j++) {
            char got =
                image[2 * BYTES * i + (width > 0 ? 2 * j - j % width : j)];

            n_wrong += got != want && !(may_be_empty && got == 0);
        }
    }
    return n_wrong;
}

static paulimpi_region
region_of(char *memory, int width)
{
    return width > 0 ? paulimpi_region_2d(memory, (size_t)width, BYTES / width,
                                          2 * width)
                     : paulimpi_region_1d(memory, BYTES);
}

static int
make_plan(int width, int join, paulimpi_plan **plan_p)
{
    paulimpi_message sends[MESSAGES], receives[MESSAGES];
    int i;

    for (i = 0; i < MESSAGES; i++) {
        char *from = sent + 2 * BYTES * i;
        char *to = received + 2 * BYTES * i;

        sends[i].region = region_of(from, width);
        receives[i].region = region_of(to, width);
        sends[i].peer = receives[i].peer = 1 - rank;
        sends[i].tag = receives[i].tag = i;
    }
    return paulimpi_plan_create(ctx, MESSAGES, sends, MESSAGES, receives,
                                PAULIMPI_EXCHANGE_OPTIONS(.join = join),
                                plan_p);
}

static int
run(paulimpi_plan *plan, int after_stream)
{
    int rc = paulimpi_plan_start(
        plan, after_stream ? PAULIMPI_EXCHANGE_OPTIONS(.after_stream = stream)
                           : NULL);

    return rc == PAULIMPI_SUCCESS ? paulimpi_plan_wait(plan) : rc;
}

/* Whether all is as if nothing had failed. */
static int
still_works(int width, int join)
{
    paulimpi_plan *plan;
    int works;

    fill();
    works = make_plan(width, join, &plan) == PAULIMPI_SUCCESS
            && run(plan, 1) == PAULIMPI_SUCCESS && count_wrong(width, 0) == 0;
    paulimpi_plan_destroy(&plan);
    return works;
}

static int
all(int n)
{
    int most;

    MPI_Allreduce(&n, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

/* The which-th call of a function from here on fails on one rank while a plan
 * runs; whether there was one. */
static int
try_run(const char *name, int which, int where, int width, int join, int after,
        int *n_wrong)
{
    int64_t live = mock_live();
    int64_t calls;
    paulimpi_plan *plan;
    int reached = 0;
    int rc;

    *n_wrong += make_plan(width, join, &plan) != PAULIMPI_SUCCESS;
    fill();
    calls = mock_calls(name);
    if (rank == where) {
        mock_fail(name, which, BROKEN);
    }
    rc = run(plan, after);
    reached = rank == where && mock_calls(name) - calls >= which;
    mock_fail(name, 0, 0);
    if (reached) {
        *n_wrong += rc != PAULIMPI_SUCCESS && rc != PAULIMPI_ERR_DEVICE;
        *n_wrong +=
            rc == PAULIMPI_SUCCESS && strcmp(name, "cudaEventRecord") != 0;
    } else {
        *n_wrong += rc != PAULIMPI_SUCCESS && rc != PAULIMPI_ERR_MISMATCH;
    }
    *n_wrong += count_wrong(width, rc != PAULIMPI_SUCCESS) > 0;
    paulimpi_plan_destroy(&plan);
    *n_wrong += mock_live() != live;
    return all(reached);
}

static int
test_run(const char *name, int width, int join)
{
    int n_cases = 0;
    int n_wrong = 0;
    int where, which, reached;

    for (where = 0; where < 4; where++) {
        for (which = 1, reached = 1; reached && which <= 6; which++) {
            reached = try_run(name, which, where / 2, width, join, where % 2,
                              &n_wrong);
            n_wrong += !still_works(width, join);
            n_cases += reached;
        }
    }
    tap_mpi_is_int(n_wrong, 0, "%s fails in a run, %s memory%s", name,
                   width == ALL    ? "contiguous"
                   : width == THIN ? "strided"
                                   : "thickly strided",
                   join ? ", joined" : "");
    return n_cases;
}

/* The same while a plan is made: all ranks fail. */
static int
test_make(const char *name, int join)
{
    int64_t live = mock_live();
    paulimpi_plan *plan;
    int n_cases = 0;
    int n_wrong = 0;
    int which, rc;

    for (which = 1, rc = -1; rc != PAULIMPI_SUCCESS && which < 50; which++) {
        if (rank == 1) {
            mock_fail(name, which, BROKEN);
        }
        rc = make_plan(ALL, join, &plan);
        mock_fail(name, 0, 0);
        n_cases += rc != PAULIMPI_SUCCESS;
        n_wrong +=
            rc != PAULIMPI_SUCCESS
            && rc != (rank == 1 ? PAULIMPI_ERR_DEVICE : PAULIMPI_ERR_REMOTE);
        paulimpi_plan_destroy(&plan);
        n_wrong += mock_live() != live;
    }
    n_wrong += !still_works(ALL, join);
    tap_mpi_is_int(n_wrong, 0, "%s fails while a plan is made%s", name,
                   join ? ", joined" : "");
    return n_cases;
}

int
main(int argc, char **argv)
{
    int n_cases = 0;
    size_t i, j;
    int status;

    unsetenv("PAULIMPI_CHECK");
    setenv("PAULIMPI_TIMEOUT", "20", 1);
    setenv("PAULIMPI_TEST_PIECE_BYTES", "512", 1);
    setenv("PAULIMPI_GPU_AWARE", "no", 1);
    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    if (!mock_is_here()) {
        tap_mpi_skip_all("there is no mock of CUDA");
    }
    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    rank = paulimpi_context_rank(ctx);
    paulimpi_stream_create(&stream);
    paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, sizeof image,
                           (void **)&sent);
    paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, sizeof image,
                           (void **)&received);
    tap_mpi_ok(still_works(ALL, 0) && still_works(THIN, 0)
                   && still_works(ALL, 1),
               "all works at first");
    for (i = 0; i < sizeof making / sizeof making[0]; i++) {
        n_cases += test_make(making[i], 0) + test_make(making[i], 1);
    }
    for (i = 0; i < sizeof running / sizeof running[0]; i++) {
        for (j = 0; j < sizeof widths / sizeof widths[0]; j++) {
            n_cases += test_run(running[i], widths[j], 0)
                       + test_run(running[i], widths[j], 1);
        }
    }
    tap_mpi_ok(n_cases > 80, "these were %d cases", n_cases);
    tap_mpi_is_int(mock_faults(), 0, "nothing was touched that must not be");
    paulimpi_memory_destroy((void **)&sent);
    paulimpi_memory_destroy((void **)&received);
    paulimpi_stream_destroy(&stream);
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
