/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How long an exchange between the devices of two ranks takes by each way that
 * the library has: the message itself to MPI, through pinned memory of the
 * host, to and from memory of another process through a ring or through the
 * host, and by NCCL. What arrives is checked. The table is in comments.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock/mock.h"
#include "paulimpi/aware.h"
#include "paulimpi/exchange.h"
#include "paulimpi/launch.h"
#include "tap/tap_mpi.h"
#ifdef WITH_SHIM
#include "mock/shim.h"
#endif

enum { REPEATS = 5, MOST_CYCLES = 1000 };

static const size_t sizes[] = {
    8, 1 << 10, 1 << 16, 1 << 20, 1 << 24, 1 << 26
};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static paulimpi_context *ctx;
static int rank;
static size_t most; /* bytes */
static char *own;   /* of this rank: sent, then received */
static char *theirs;
static char *image; /* of the host */

/* A way, and what a plan says that takes it. */
typedef struct {
    const char *name;
    const char *transport; /* PAULIMPI_TRANSPORT */
    int aware;
    int is_foreign;
    const char *says;
} way;

static const way ways[] = {
    { "direct", "mpi", PAULIMPI_AWARE_YES, 0, "MPI is given the memory" },
    { "staged", "mpi", PAULIMPI_AWARE_NO, 0, "through pinned memory" },
    { "bounced, ring", "mpi", PAULIMPI_AWARE_YES, 1, "through a ring" },
    { "bounced, host", "mpi", PAULIMPI_AWARE_NO, 1, "through pinned memory" },
    { "NCCL", "auto", PAULIMPI_AWARE_NO, 0, "carried by NCCL" },
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static paulimpi_plan *
make_plan(const way *w, size_t bytes)
{
    char *to = w->is_foreign ? theirs + most : own + most;
    paulimpi_message send = { paulimpi_region_1d(own, bytes), 1 - rank, 1 };
    paulimpi_message receive = { paulimpi_region_1d(to, bytes), 1 - rank, 1 };
    paulimpi_plan *plan = NULL;

    if (paulimpi_plan_create(ctx, 1, &send, 1, &receive, NULL, &plan)
        != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no plan: %s", paulimpi_last_error());
    }
    return plan;
}

static int
takes(const paulimpi_plan *plan, const way *w)
{
    char *text = NULL;
    int is_so;

    paulimpi_plan_explain(plan, &text);
    is_so = text != NULL && strstr(text, w->says) != NULL;
    if (!is_so && text != NULL && rank == 0) {
        const char *why = strstr(text, "carried by ");

        printf("# %-14s is not offered here: %.*s\n", w->name,
               (int)strcspn(why, "\n"), why);
    }
    paulimpi_text_destroy(&text);
    return is_so;
}

static int
run(paulimpi_plan *plan, int cycles)
{
    int rc = PAULIMPI_SUCCESS;

    while (cycles-- > 0 && rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_plan_start(plan, NULL);
        rc = rc == PAULIMPI_SUCCESS ? paulimpi_plan_wait(plan) : rc;
    }
    return rc;
}

/* Seconds of an exchange: the median of some runs; the same number on both
 * ranks. */
static double
measure(paulimpi_plan *plan, size_t bytes)
{
    int cycles = (int)(((size_t)1 << 26) / (bytes + (1 << 16)));
    double seconds[REPEATS];
    int i, n_failed = 0;

    cycles = mock_is_here() ? 2 : cycles < 4 ? 4 : cycles;
    cycles = cycles > MOST_CYCLES ? MOST_CYCLES : cycles;
    n_failed += run(plan, 2) != PAULIMPI_SUCCESS;
    for (i = 0; i < REPEATS; i++) {
        double begin;

        MPI_Barrier(MPI_COMM_WORLD);
        begin = MPI_Wtime();
        n_failed += run(plan, cycles) != PAULIMPI_SUCCESS;
        seconds[i] = (MPI_Wtime() - begin) / cycles;
    }
    tap_mpi_is_int(n_failed, 0, "exchanges of %zu bytes", bytes);
    qsort(seconds, REPEATS, sizeof seconds[0], compare);
    MPI_Bcast(&seconds[REPEATS / 2], 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return seconds[REPEATS / 2];
}

static void
write_own(size_t bytes, int value)
{
    memset(image, value, bytes);
    paulimpi_memory_copy(own, image, bytes, NULL);
    paulimpi_stream_wait(NULL);
    memset(image, 0, bytes);
    paulimpi_memory_copy(own + most, image, bytes, NULL);
    paulimpi_stream_wait(NULL);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* What rank 0 receives it may have put into the memory of rank 1. */
static void
check_bytes(const way *w, size_t bytes, int value)
{
    int64_t n_wrong = 0;
    size_t i;

    MPI_Barrier(MPI_COMM_WORLD);
    paulimpi_memory_copy(image, own + most, bytes, NULL);
    paulimpi_stream_wait(NULL);
    value += w->is_foreign ? rank : 1 - rank;
    for (i = 0; i < bytes; i++) {
        n_wrong += image[i] != (char)value;
    }
    tap_mpi_is_int(n_wrong, 0, "%s: the bytes are right", w->name);
}

static void
print(const char *name, size_t bytes, double seconds)
{
    if (rank == 0) {
        printf("# %-14s %10zu B %12.2f us %9.3f GB/s\n", name, bytes,
               1e6 * seconds, 1e-9 * (double)bytes / seconds);
    }
}

static void
test_way(int number)
{
    const way *w = &ways[number];
    int i;

    setenv("PAULIMPI_TRANSPORT", w->transport, 1);
    paulimpi_aware_set(ctx, PAULIMPI_AWARE_ALL, PAULIMPI_OPERATION_MESSAGE,
                       w->aware);
    for (i = 0; i < SIZES && sizes[i] <= most; i++) {
        paulimpi_plan *plan = make_plan(w, sizes[i]);

        if (!takes(plan, w)) {
            i = SIZES;
        } else {
            write_own(sizes[i], 16 * number + 2 * i + rank);
            print(w->name, sizes[i], measure(plan, sizes[i]));
            check_bytes(w, sizes[i], 16 * number + 2 * i);
        }
        paulimpi_plan_destroy(&plan);
    }
}

/* MPI must have shown that it takes memory of devices: it might crash. */
static int
is_aware(void)
{
    int state = PAULIMPI_AWARE_UNKNOWN;
    char *reason = NULL;

#ifdef WITH_SHIM
    shim_mode(SHIM_AWARE);
    setenv("PAULIMPI_GPU_AWARE", "probe", 1);
#endif
    paulimpi_aware_probe(ctx);
    paulimpi_aware(ctx, PAULIMPI_MEMORY_DEVICE, PAULIMPI_OPERATION_MESSAGE,
                   &state, &reason);
    if (rank == 0) {
        printf("# MPI %s memory of devices: %s\n",
               state == PAULIMPI_AWARE_YES ? "takes" : "does not take",
               reason);
    }
    paulimpi_text_destroy(&reason);
    return state == PAULIMPI_AWARE_YES;
}

static void
swap_handles(void)
{
    paulimpi_ipc_handle mine, other;

    if (paulimpi_ipc_export(own, &mine) != PAULIMPI_SUCCESS) {
        memset(&mine, 0, sizeof mine);
    }
    MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, 1 - rank, 0, &other,
                 sizeof other, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (paulimpi_ipc_open(&other, (void **)&theirs) != PAULIMPI_SUCCESS) {
        theirs = NULL;
    }
}

/* Whether both ranks have opened the other's memory. */
static int
is_open(void)
{
    int own_answer = theirs != NULL;
    int both;

    MPI_Allreduce(&own_answer, &both, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!both && rank == 0) {
        printf("# memory of another process is not offered here: %s\n",
               own_answer ? "see the other rank" : paulimpi_last_error());
    }
    return both;
}

static void
test_ways(void)
{
    int takes_device = is_aware();
    int has_foreign;
    int i;

    most = mock_is_here() ? (size_t)1 << 20 : (size_t)1 << 26;
    image = malloc(most);
    if (image == NULL
        || paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, 2 * most,
                                  (void **)&own)
               != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no memory: %s", paulimpi_last_error());
    }
    swap_handles();
    has_foreign = is_open();
    for (i = 0; i < WAYS; i++) {
        if ((takes_device || ways[i].aware != PAULIMPI_AWARE_YES)
            && (has_foreign || !ways[i].is_foreign)) {
            test_way(i);
        } else if (rank == 0) {
            printf("# %-14s is not offered here\n", ways[i].name);
        }
    }
    if (theirs != NULL) {
        paulimpi_ipc_close((void **)&theirs);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    paulimpi_memory_destroy((void **)&own);
    free(image);
}

int
main(int argc, char **argv)
{
    int device = -1, n_devices = 0;
    int status;

    paulimpi_device_bind(&device);
    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    paulimpi_device_count(&n_devices);
    if (n_devices == 0) {
        tap_mpi_skip_all("there is no device");
    }
    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    rank = paulimpi_context_rank(ctx);
    test_ways();
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
