/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI calls that fail while a plan is under way: each in turn, on one rank.
 * That rank gets a code; no rank hangs; what has arrived is right; and later
 * exchanges work. The functions below stand before those of MPI, which go on
 * by their PMPI names.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "device/device.h"
#include "paulimpi/exchange.h"
#include "tap/tap_mpi.h"

enum {
    CALL_IRECV,
    CALL_ISEND,
    CALL_TESTSOME,
    CALL_WAITALL,
    CALL_TESTALL,
    CALL_WAITSOME,
    CALLS
};
static const char *const call_name[CALLS] = { "MPI_Irecv",    "MPI_Isend",
                                              "MPI_Testsome", "MPI_Waitall",
                                              "MPI_Testall",  "MPI_Waitsome" };
static int failing = -1; /* the call that fails */
static int fail_at;      /* calls until then */
static int fail_for;     /* calls that fail from then on */
static int n_failed;

static int
fails(int call)
{
    if (call != failing || fail_at == 0 || --fail_at > 0) {
        return 0;
    }
    n_failed++;
    fail_at = --fail_for > 0;
    return 1;
}

int
MPI_Irecv(void *to, int n, MPI_Datatype type, int source, int tag,
          MPI_Comm comm, MPI_Request *request)
{
    return fails(CALL_IRECV)
               ? MPI_ERR_OTHER
               : PMPI_Irecv(to, n, type, source, tag, comm, request);
}

int
MPI_Isend(const void *from, int n, MPI_Datatype type, int dest, int tag,
          MPI_Comm comm, MPI_Request *request)
{
    return fails(CALL_ISEND)
               ? MPI_ERR_OTHER
               : PMPI_Isend(from, n, type, dest, tag, comm, request);
}

int
MPI_Testsome(int n, MPI_Request *request, int *n_done, int *index,
             MPI_Status *status)
{
    return fails(CALL_TESTSOME)
               ? MPI_ERR_OTHER
               : PMPI_Testsome(n, request, n_done, index, status);
}

int
MPI_Waitall(int n, MPI_Request *request, MPI_Status *status)
{
    return fails(CALL_WAITALL) ? MPI_ERR_OTHER
                               : PMPI_Waitall(n, request, status);
}

int
MPI_Testall(int n, MPI_Request *request, int *flag, MPI_Status *status)
{
    return fails(CALL_TESTALL) ? MPI_ERR_OTHER
                               : PMPI_Testall(n, request, flag, status);
}

int
MPI_Waitsome(int n, MPI_Request *request, int *n_done, int *index,
             MPI_Status *status)
{
    return fails(CALL_WAITSOME)
               ? MPI_ERR_OTHER
               : PMPI_Waitsome(n, request, n_done, index, status);
}

enum { MESSAGES = 3, BYTES = 3000 };

static paulimpi_context *ctx;
static int rank;
static char sent[MESSAGES][2 * BYTES];
static char received[MESSAGES][2 * BYTES];

static void
fill(void)
{
    int i;

    for (i = 0; i < MESSAGES; i++) {
        memset(sent[i], 10 * rank + i + 1, sizeof sent[i]);
        memset(received[i], 0, sizeof received[i]);
    }
}

/* Receives that hold something must hold what was sent. */
static int
count_wrong(int is_strided, int may_be_empty)
{
    int n_wrong = 0;
    int i, j;

    for (i = 0; i < MESSAGES; i++) {
        char want = (char)(10 * (1 - rank) + i + 1);

        for (j = 0; j < BYTES; j++) {
            char got = received[i][is_strided ? 2 * j - j % 4 : j];

            n_wrong += got != want && !(may_be_empty && got == 0);
        }
    }
    return n_wrong;
}

static paulimpi_plan *
make_plan(int is_strided)
{
    paulimpi_message sends[MESSAGES], receives[MESSAGES];
    paulimpi_plan *plan = NULL;
    int i;

    for (i = 0; i < MESSAGES; i++) {
        sends[i] = (paulimpi_message){ paulimpi_region_1d(sent[i], BYTES),
                                       1 - rank, i };
        receives[i] =
            (paulimpi_message){ paulimpi_region_1d(received[i], BYTES),
                                1 - rank, i };
        if (is_strided) {
            sends[i].region = paulimpi_region_2d(sent[i], 4, BYTES / 4, 8);
            receives[i].region =
                paulimpi_region_2d(received[i], 4, BYTES / 4, 8);
        }
    }
    if (paulimpi_plan_create(ctx, MESSAGES, sends, MESSAGES, receives, NULL,
                             &plan)
        != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no plan: %s", paulimpi_last_error());
    }
    return plan;
}

/* To its end by waiting, or by tests. */
static int
run(paulimpi_plan *plan, int by_tests)
{
    int rc = paulimpi_plan_start(plan, NULL);
    int done = 0;

    while (rc == PAULIMPI_SUCCESS && by_tests && !done) {
        rc = paulimpi_plan_test(plan, &done);
    }
    return rc == PAULIMPI_SUCCESS ? paulimpi_plan_wait(plan) : rc;
}

/* Fail a call on one rank; whether it was reached. */
static int
try_fault(int call, int at, int times, int where, int is_strided, int *n_wrong)
{
    paulimpi_plan *plan = make_plan(is_strided);
    int reached, rc;

    fill();
    n_failed = 0;
    failing = rank == where ? call : -1;
    fail_at = at;
    fail_for = times;
    rc = run(plan, call == CALL_TESTALL);
    failing = -1;
    if (n_failed > 0) {
        *n_wrong += rc != PAULIMPI_ERR_MPI
                    || strstr(paulimpi_last_error(), call_name[call]) == NULL
                    || paulimpi_plan_start(plan, NULL) != PAULIMPI_ERR_STATE;
    } else {
        *n_wrong += rc != PAULIMPI_SUCCESS && rc != PAULIMPI_ERR_TIMEOUT;
    }
    *n_wrong += count_wrong(is_strided, rc != PAULIMPI_SUCCESS) > 0;
    paulimpi_plan_destroy(&plan);
    MPI_Allreduce(&n_failed, &reached, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return reached > 0;
}

/* One call fails, wherever it is; the exchange after it is right. */
static int
test_call(int call, int is_strided)
{
    int n_cases = 0;
    int n_wrong = 0;
    int where, at, reached;

    for (where = 0; where < 2; where++) {
        for (at = 1, reached = 1; reached && at <= 12; at++) {
            paulimpi_plan *plan;

            reached = try_fault(call, at, 1, where, is_strided, &n_wrong);
            n_cases += reached;
            plan = make_plan(is_strided);
            fill();
            n_wrong += run(plan, 0) != PAULIMPI_SUCCESS
                       || count_wrong(is_strided, 0) > 0;
            paulimpi_plan_destroy(&plan);
        }
    }
    tap_mpi_is_int(n_wrong, 0, "%s fails, %s memory", call_name[call],
                   is_strided ? "strided" : "contiguous");
    return n_cases;
}

/* A call that fails for good: the other rank hears of it in time. */
static void
test_for_good(int call, int is_strided)
{
    paulimpi_context *own = ctx;
    int n_wrong = 0;

    /* To make a context may take longer, under sanitizers. */
    setenv("PAULIMPI_TIMEOUT", "0", 1);
    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    setenv("PAULIMPI_TIMEOUT", "0.1", 1);
    try_fault(call, 2, 1000, 1, is_strided, &n_wrong);
    tap_mpi_is_int(n_wrong, 0, "%s fails for good, %s memory", call_name[call],
                   is_strided ? "strided" : "contiguous");
    paulimpi_context_destroy(&ctx);
    ctx = own;
}

int
main(int argc, char **argv)
{
    int n_cases = 0;
    int status, call;

    unsetenv("PAULIMPI_CHECK");
    setenv("PAULIMPI_TIMEOUT", "0", 1);
    setenv("PAULIMPI_TEST_PIECE_BYTES", "512", 1);
    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    rank = paulimpi_context_rank(ctx);
    for (call = 0; call < CALLS; call++) {
        n_cases += test_call(call, 0) + test_call(call, 1);
    }
    setenv("PAULIMPI_TEST_PIECE_BYTES", "4096", 1);
    for (call = 0; call < CALLS; call++) {
        n_cases += test_call(call, 0) + test_call(call, 1);
    }
    tap_mpi_ok(n_cases > 80, "these were %d cases", n_cases);
    for (call = 0; call <= CALL_TESTSOME; call++) {
        test_for_good(call, 0);
        test_for_good(call, 1);
    }
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
