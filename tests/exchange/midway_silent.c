/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A rank that stays away in the middle of what all ranks do together: while a
 * context is made, lists are compared, a window is freed.
 * The others are told which within the time limit. The functions below stand
 * before those of MPI, which go on by their PMPI names.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "paulimpi/exchange.h"
#include "paulimpi/segment.h"
#include "tap/tap_mpi.h"

static int rank;
static const char *paused_call = ""; /* of rank 1 */
static int n_before;                 /* calls of it that are not paused */
static int has_paused;

/* The others wait at the same barrier when they have given up. */
static void
pause_in(const char *name)
{
    if (rank == 1 && strcmp(name, paused_call) == 0 && n_before-- == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        has_paused = 1;
    }
}

int
MPI_Comm_idup(MPI_Comm comm, MPI_Comm *copy, MPI_Request *request)
{
    pause_in("MPI_Comm_idup");
    return PMPI_Comm_idup(comm, copy, request);
}

int
MPI_Iallgather(const void *from, int n_from, MPI_Datatype from_type, void *to,
               int n_to, MPI_Datatype to_type, MPI_Comm comm,
               MPI_Request *request)
{
    pause_in("MPI_Iallgather");
    return PMPI_Iallgather(from, n_from, from_type, to, n_to, to_type, comm,
                           request);
}

int
MPI_Ialltoallv(const void *from, const int n_from[], const int from_at[],
               MPI_Datatype from_type, void *to, const int n_to[],
               const int to_at[], MPI_Datatype to_type, MPI_Comm comm,
               MPI_Request *request)
{
    pause_in("MPI_Ialltoallv");
    return PMPI_Ialltoallv(from, n_from, from_at, from_type, to, n_to, to_at,
                           to_type, comm, request);
}

int
MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    pause_in("MPI_Ibarrier");
    return PMPI_Ibarrier(comm, request);
}

/* What MPI keeps of these is named to the leak checkers: a context that breaks,
 * or is never whole, and what was under way on it. */
static __attribute__((noinline)) int
create_doomed(paulimpi_context **ctx_p)
{
    return paulimpi_context_create(MPI_COMM_WORLD, NULL, ctx_p);
}

static __attribute__((noinline)) int
create_doomed_exchange(paulimpi_context *ctx, const paulimpi_message *send,
                       const paulimpi_message *receive)
{
    return paulimpi_exchange(ctx, 1, send, 1, receive, NULL);
}

static __attribute__((noinline)) void
create_doomed_end(paulimpi_segment **segment_p)
{
    paulimpi_segment_destroy(segment_p);
}

/* Let rank 1 pause in the n-th call of a function from now on. */
static void
pause_at(const char *name, int n)
{
    MPI_Barrier(MPI_COMM_WORLD);
    paused_call = name;
    n_before = n;
    has_paused = 0;
}

/* All ranks have the same code and sentence, from which a part is known. */
static void
check(int rc, const char *part, const char *fact)
{
    paused_call = "";
    if (!has_paused) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    tap_mpi_is_status(rc, PAULIMPI_ERR_TIMEOUT, "%s", fact);
    tap_mpi_ok(strstr(paulimpi_last_error(), part) != NULL,
               "which the sentence tells");
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 1 is not there when the others wait for the first communicator; when it
 * comes, they are not. */
static void
test_first(void)
{
    paulimpi_context *ctx = NULL;
    int rc;

    pause_at("MPI_Comm_idup", 0);
    rc = create_doomed(&ctx);
    check(rc,
          rank == 1 ? "no answer for 0.3 seconds from ranks 0, 2"
                    : "some rank of the communicator does not answer",
          "a context that a rank does not come to");
    tap_mpi_ok(ctx == NULL, "is none");
}

static void
test_create(const char *name, int n, const char *fact)
{
    paulimpi_context *ctx = NULL;
    int rc;

    pause_at(name, n);
    rc = create_doomed(&ctx);
    check(rc, "no answer for 0.3 seconds from rank 1", fact);
    tap_mpi_ok(ctx == NULL, "there is no context");
}

/* Each rank sends to the next, and all lists are compared. */
static void
test_ends(void)
{
    char from[8] = "", to[8] = "";
    paulimpi_message send = { paulimpi_region_1d(from, 8), (rank + 1) % 3, 0 };
    paulimpi_message receive = { paulimpi_region_1d(to, 8), (rank + 2) % 3,
                                 0 };
    paulimpi_context *ctx;
    int rc;

    create_doomed(&ctx);
    setenv("PAULIMPI_CHECK", "collective", 1);
    pause_at("MPI_Ialltoallv", 0);
    rc = create_doomed_exchange(ctx, &send, &receive);
    unsetenv("PAULIMPI_CHECK");
    check(rc, "no answer for 0.3 seconds from rank 1",
          "the lists of what ranks send");
    paulimpi_context_destroy(&ctx);
}

/* The end of a window, in which a rank is silent, leaves it to MPI. */
static void
test_window(void)
{
    paulimpi_segment *segment = NULL;
    paulimpi_context *ctx;
    int rc;

    create_doomed(&ctx);
    setenv("PAULIMPI_SEGMENT", "window", 1);
    rc = paulimpi_segment_create(ctx, 64, NULL, &segment);
    unsetenv("PAULIMPI_SEGMENT");
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "a window");
    pause_at("MPI_Ibarrier", 0);
    create_doomed_end(&segment);
    check(PAULIMPI_ERR_TIMEOUT, "paulimpi_segment_destroy: meeting of ranks",
          "that a rank does not give up");
    paulimpi_context_destroy(&ctx);
}

int
main(int argc, char **argv)
{
    paulimpi_context *ctx;
    int status;

    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    unsetenv("PAULIMPI_CHECK");
    unsetenv("PAULIMPI_TEST_NODE_SIZE");
    setenv("PAULIMPI_TIMEOUT", "0.3", 1);
    test_first();
    test_create("MPI_Comm_idup", 1, "the second communicator");
    test_create("MPI_Iallgather", 0, "the processors of a node");
    test_ends();
    test_window();
    tap_mpi_is_status(paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx),
                      PAULIMPI_SUCCESS, "the next context works");
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
