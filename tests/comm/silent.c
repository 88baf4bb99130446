/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks that do not come to a call: the others are told who, within the time
 * limit, and nobody hangs.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "comm/call.h"
#include "tap/tap_mpi.h"

enum { SIZE = 4 };

static int rank;
static int pid[SIZE];

/* A context that breaks, of which MPI keeps what was under way. */
static __attribute__((noinline)) int
create_doomed(paulimpi_context **ctx_p)
{
    return paulimpi_context_create(MPI_COMM_WORLD, NULL, ctx_p);
}

static int
has(const char *part)
{
    return strstr(paulimpi_last_error(), part) != NULL;
}

static void
pause_for(int milliseconds)
{
    struct timespec time = { milliseconds / 1000,
                             milliseconds % 1000 * 1000000L };

    nanosleep(&time, NULL);
}

static int
is_in(const char *ranks, int which)
{
    return strchr(ranks, '0' + which) != NULL;
}

/* Wait for all ranks. */
static int
meet(paulimpi_context *ctx, const char *function)
{
    paulimpi__call call = { ctx, 0, function, PAULIMPI__CALL_MEET, 0, 0, 0 };

    return paulimpi__call_meet(&call);
}

/* What later calls say, and that there is a way on. */
static void
check_after(paulimpi_context **ctx_p)
{
    int rc = paulimpi__agree_in(*ctx_p, "g", PAULIMPI_SUCCESS);

    tap_mpi_is_status(rc, PAULIMPI_ERR_STATE, "later calls are refused");
    tap_mpi_ok(has("g: an earlier failure broke the context: f: agreement"),
               "and say why");
    rc = paulimpi__error(PAULIMPI_ERR_IO, "g: own failure");
    tap_mpi_is_status(paulimpi__agree_in(*ctx_p, "g", rc), PAULIMPI_ERR_IO,
                      "unless there is a failure of their own");
    paulimpi_context_destroy(ctx_p);
    MPI_Barrier(MPI_COMM_WORLD);
    rc = paulimpi_context_create(MPI_COMM_WORLD, NULL, ctx_p);
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "a new context");
    tap_mpi_is_status(paulimpi__agree_in(*ctx_p, "g", rc), PAULIMPI_SUCCESS,
                      "works");
    paulimpi_context_destroy(ctx_p);
}

/* The ranks in a list stop themselves before the call; one that is not stopped
 * lets them go on once it has given up. */
static void
test_stopped(const char *ranks, int waker, const char *sentence)
{
    paulimpi_context *ctx;
    int i, rc;

    create_doomed(&ctx);
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_in(ranks, rank)) {
        raise(SIGSTOP);
    }
    rc = paulimpi__agree_in(ctx, "f", PAULIMPI_SUCCESS);
    for (i = 0; i < SIZE; i++) {
        if (rank == waker && is_in(ranks, i)) {
            kill(pid[i], SIGCONT);
        }
    }
    tap_mpi_is_status(rc, PAULIMPI_ERR_TIMEOUT, "stopped: %s", ranks);
    tap_mpi_ok(has(sentence), "the sentence names it on all ranks");
    check_after(&ctx);
}

/* Rank 3 comes when all others have given up, however long that takes them:
 * they say so. */
static int
agree_but_3(paulimpi_context *ctx)
{
    int rc, i;

    for (i = 0; i < 3 && rank == 3; i++) {
        MPI_Recv(NULL, 0, MPI_BYTE, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    rc = paulimpi__agree_in(ctx, "f", PAULIMPI_SUCCESS);
    if (rank != 3) {
        MPI_Send(NULL, 0, MPI_BYTE, 3, 0, MPI_COMM_WORLD);
    }
    return rc;
}

/* A rank that comes when the limit of another is nearly over has time of its
 * own, but is not taken for silent. */
static void
test_late(void)
{
    paulimpi_context *ctx;
    int rc;

    create_doomed(&ctx);
    MPI_Barrier(MPI_COMM_WORLD);
    pause_for(rank == 1 ? 320 : 0);
    rc = agree_but_3(ctx);
    tap_mpi_is_status(rc, PAULIMPI_ERR_TIMEOUT, "one late, one too late");
    tap_mpi_ok(has("f: agreement between ranks: no answer for 0.6 seconds "
                   "from rank 3"),
               "only the latter is named");
    check_after(&ctx);

    create_doomed(&ctx);
    pause_for(rank == 2 ? 200 : 0);
    rc = meet(ctx, "f");
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "late, but within the limit");
    paulimpi_context_destroy(&ctx);
}

static int
never(void *what)
{
    (void)what;
    return 0;
}

/* A rank waits, but for something else. */
static void
test_elsewhere(void)
{
    paulimpi_context *ctx;
    int rc;

    create_doomed(&ctx);
    rc = rank == 2 ? paulimpi__wait_together(ctx, "elsewhere", 0.6, NULL,
                                             never, NULL)
                   : paulimpi__agree_in(ctx, "f", PAULIMPI_SUCCESS);
    tap_mpi_is_status(rc, PAULIMPI_ERR_TIMEOUT, "a rank waits elsewhere");
    tap_mpi_ok(has("not complete within 0.6 seconds"), "which is told");
    paulimpi_context_destroy(&ctx);

    MPI_Barrier(MPI_COMM_WORLD);
    create_doomed(&ctx);
    rc = paulimpi__wait_together(ctx, "f", 0.6, NULL, never, NULL);
    tap_mpi_is_status(rc, PAULIMPI_ERR_TIMEOUT, "all wait for nothing");
    tap_mpi_ok(has("though all ranks answer"), "which is told");
    paulimpi_context_destroy(&ctx);
}

/* Without memory for a roll call nobody is named, but nobody hangs. */
static void
test_no_memory(void)
{
    paulimpi_context *ctx;
    int rc;

    MPI_Barrier(MPI_COMM_WORLD);
    create_doomed(&ctx);
    MPI_Barrier(MPI_COMM_WORLD);
    paulimpi__alloc_fail_at(rank == 1 ? 1 : 0);
    rc = agree_but_3(ctx);
    paulimpi__alloc_fail_at(0);
    tap_mpi_is_status(rc, PAULIMPI_ERR_TIMEOUT, "no memory for a roll call");
    paulimpi_context_destroy(&ctx);
}

int
main(int argc, char **argv)
{
    int own = (int)getpid();
    int status;

    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allgather(&own, 1, MPI_INT, pid, 1, MPI_INT, MPI_COMM_WORLD);
    unsetenv("PAULIMPI_CHECK");
    setenv("PAULIMPI_TIMEOUT", "0.6", 1);
    test_stopped("2", 0,
                 "f: agreement between ranks: no answer for 0.6 "
                 "seconds from rank 2");
    test_stopped("0,3", 2, "no answer for 0.6 seconds from ranks 0, 3");
    test_late();
    test_elsewhere();
    test_no_memory();
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
