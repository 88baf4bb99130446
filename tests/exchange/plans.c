/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plans between two ranks: several at a time, messages of a wrong length, and
 * what is left after it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/base.h"
#include "exchange/graph.h"
#include "tap/tap_mpi.h"

enum { BYTES = 40000, PITCH = 8 };

static paulimpi_context *ctx;
static int rank;
static char sent[2][BYTES * 2];
static char received[2][BYTES * 2];

static void
fill(int round)
{
    int i, j;

    memset(received, 0, sizeof received);
    for (i = 0; i < 2; i++) {
        for (j = 0; j < BYTES * 2; j++) {
            sent[i][j] = (char)(rank * 31 + round * 7 + i * 3 + j % 101);
        }
    }
}

static int
is_right(int round, int i, size_t first, size_t bytes)
{
    size_t j;

    for (j = first; j < first + bytes; j++) {
        if (received[i][j]
            != (char)((1 - rank) * 31 + round * 7 + i * 3 + (int)j % 101)) {
            return 0;
        }
    }
    return 1;
}

/* A plan of one message each way; strided where it is not contiguous. */
static paulimpi_plan *
make_plan(int i, size_t n_sent, size_t n_received, int tag, int is_strided)
{
    paulimpi_message send = { paulimpi_region_1d(sent[i], n_sent), 1 - rank,
                              tag };
    paulimpi_message receive = { paulimpi_region_1d(received[i], n_received),
                                 1 - rank, tag };
    paulimpi_plan *plan;

    if (is_strided) {
        send.region = paulimpi_region_2d(sent[i], PITCH / 2,
                                         (int64_t)n_sent / PITCH * 2, PITCH);
        receive.region = paulimpi_region_2d(
            received[i], PITCH / 2, (int64_t)n_received / PITCH * 2, PITCH);
    }
    if (paulimpi_plan_create(ctx, 1, &send, 1, &receive, NULL, &plan)
        != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no plan: %s", paulimpi_last_error());
    }
    return plan;
}

/* Two plans whose messages MPI could mistake for each other: the second one
 * must wait until the first one has posted all of its pieces. */
static void
test_two(int is_strided, const char *fact)
{
    paulimpi_plan *plan[2] = { make_plan(0, BYTES, BYTES, 3, is_strided),
                               make_plan(1, BYTES, BYTES, 3, !is_strided) };
    int n_failed = 0;
    int round, last;

    for (round = 0; round < 6; round++) {
        last = (round ^ rank) & 1;
        fill(round);
        n_failed += paulimpi_plan_start(plan[0], NULL) != PAULIMPI_SUCCESS;
        n_failed += paulimpi_plan_start(plan[1], NULL) != PAULIMPI_SUCCESS;
        n_failed += paulimpi_plan_wait(plan[1 - last]) != PAULIMPI_SUCCESS;
        n_failed += paulimpi_plan_wait(plan[last]) != PAULIMPI_SUCCESS;
        n_failed += !is_right(round, is_strided, 0, BYTES);
        n_failed += !is_right(round, !is_strided, 0, PITCH / 2);
        n_failed +=
            !is_right(round, !is_strided, BYTES * 2 - PITCH, PITCH / 2);
    }
    tap_mpi_is_int(n_failed, 0, "%s", fact);
    paulimpi_plan_destroy(&plan[0]);
    paulimpi_plan_destroy(&plan[1]);
}

/* Other tags may be started in another order on each rank. */
static void
test_crossed(void)
{
    paulimpi_plan *plan[2] = { make_plan(0, BYTES, BYTES, 3, 1),
                               make_plan(1, BYTES, BYTES, 4, 1) };
    int n_failed = 0;
    int round;

    for (round = 0; round < 4; round++) {
        fill(round);
        n_failed += paulimpi_plan_start(plan[rank], NULL) != PAULIMPI_SUCCESS;
        n_failed +=
            paulimpi_plan_start(plan[1 - rank], NULL) != PAULIMPI_SUCCESS;
        n_failed += paulimpi_plan_wait(plan[rank]) != PAULIMPI_SUCCESS;
        n_failed += paulimpi_plan_wait(plan[1 - rank]) != PAULIMPI_SUCCESS;
        n_failed += !is_right(round, 0, 0, PITCH / 2);
        n_failed += !is_right(round, 1, BYTES * 2 - PITCH, PITCH / 2);
    }
    tap_mpi_is_int(n_failed, 0, "plans of other tags may cross");
    paulimpi_plan_destroy(&plan[0]);
    paulimpi_plan_destroy(&plan[1]);
}

/* A simple plan, started while nothing else is under way, is waited for while
 * another one is, or tested. */
static void
test_mixed(void)
{
    paulimpi_plan *plan[2] = { make_plan(0, 100, 100, 3, 0),
                               make_plan(1, BYTES, BYTES, 4, 1) };
    int n_failed = 0;
    int done = 0;

    fill(0);
    n_failed += paulimpi_plan_start(plan[0], NULL) != PAULIMPI_SUCCESS;
    n_failed += paulimpi_plan_start(plan[1], NULL) != PAULIMPI_SUCCESS;
    n_failed += paulimpi_plan_wait(plan[0]) != PAULIMPI_SUCCESS;
    n_failed += paulimpi_plan_wait(plan[1]) != PAULIMPI_SUCCESS;
    n_failed += !is_right(0, 0, 0, 100) || !is_right(0, 1, 0, PITCH / 2);
    fill(1);
    n_failed += paulimpi_plan_start(plan[0], NULL) != PAULIMPI_SUCCESS;
    while (!done) {
        n_failed += paulimpi_plan_test(plan[0], &done) != PAULIMPI_SUCCESS;
    }
    n_failed += paulimpi_plan_test(plan[0], &done) != PAULIMPI_SUCCESS;
    n_failed += !done || !is_right(1, 0, 0, 100);
    n_failed += paulimpi_plan_start(plan[0], NULL) != PAULIMPI_SUCCESS;
    n_failed += paulimpi_plan_wait(plan[0]) != PAULIMPI_SUCCESS;
    tap_mpi_is_int(n_failed, 0, "simple plans and others mix");
    paulimpi_plan_destroy(&plan[0]);
    paulimpi_plan_destroy(&plan[1]);
}

static void
test_destroy(void)
{
    paulimpi_plan *plan = make_plan(0, BYTES, BYTES, 5, 1);

    fill(0);
    paulimpi_plan_start(plan, NULL);
    paulimpi_plan_destroy(&plan);
    tap_mpi_ok(is_right(0, 0, 0, PITCH / 2)
                   && is_right(0, 0, BYTES * 2 - PITCH, PITCH / 2),
               "a plan that is destroyed under way comes to its end");
}

/* Nothing is allocated in a run. */
static void
test_allocation(void)
{
    paulimpi_plan *plan[2] = { make_plan(0, BYTES, BYTES, 3, 1),
                               make_plan(1, BYTES, BYTES, 4, 0) };
    int n_failed = 0;
    int round;

    paulimpi__alloc_fail_at(1);
    for (round = 0; round < 10; round++) {
        n_failed += paulimpi_plan_start(plan[0], NULL) != PAULIMPI_SUCCESS;
        n_failed += paulimpi_plan_start(plan[1], NULL) != PAULIMPI_SUCCESS;
        n_failed += paulimpi_plan_wait(plan[0]) != PAULIMPI_SUCCESS;
        n_failed += paulimpi_plan_wait(plan[1]) != PAULIMPI_SUCCESS;
    }
    n_failed += paulimpi__alloc(1, 1) != NULL;
    tap_mpi_is_int(n_failed, 0, "runs allocate nothing");
    paulimpi_plan_destroy(&plan[0]);
    paulimpi_plan_destroy(&plan[1]);
}

/* Rank 0 sends too few bytes, or too many; the other way all is well. */
static void
test_length(int is_strided, size_t n_sent, size_t n_received,
            const char *sentence, const char *fact)
{
    paulimpi_plan *plan = make_plan(0, rank == 0 ? n_sent : n_received,
                                    n_received, 3, is_strided);
    int rc;

    fill(0);
    rc = paulimpi_plan_start(plan, NULL);
    rc = rc == PAULIMPI_SUCCESS ? paulimpi_plan_wait(plan) : rc;
    tap_mpi_is_status(rc, rank == 0 ? PAULIMPI_SUCCESS : PAULIMPI_ERR_MISMATCH,
                      "%s", fact);
    tap_mpi_ok(rank == 0
                   || strstr(paulimpi_last_error(),
                             "paulimpi_plan_wait: receives[0] from rank 0, "
                             "tag 3: the region has ")
                          != NULL,
               "the sentence names the message");
    tap_mpi_ok(rank == 0 || strstr(paulimpi_last_error(), sentence) != NULL,
               "and tells what came");
    tap_mpi_ok(
        n_sent > n_received
            || is_right(0, 0, 0, n_sent < PITCH / 2 ? n_sent : PITCH / 2),
        "what came of a short one is in place");
    rc = rank == 0 ? PAULIMPI_ERR_STATE : paulimpi_plan_start(plan, NULL);
    tap_mpi_is_status(rc, PAULIMPI_ERR_STATE, "the plan is broken");
    tap_mpi_ok(rank == 0
                   || strstr(paulimpi_last_error(),
                             "paulimpi_plan_start: an earlier failure broke "
                             "the plan: paulimpi_plan_wait: receives[0]")
                          != NULL,
               "and says why");
    paulimpi_plan_destroy(&plan);
}

/* A plan that went well some times, or never, gets a message that is shorter:
 * what is known of earlier runs must not hide it. */
static void
test_later_length(int rounds, size_t n_sent)
{
    paulimpi_plan *plan = make_plan(0, 800, 800, 0, 0);
    paulimpi_plan *other = make_plan(1, rank == 0 ? n_sent : 800, 800, 0, 0);
    paulimpi_plan *last = rank == 0 ? other : plan;
    int n_failed = 0;
    int round, rc;

    for (round = 0; round < rounds; round++) {
        n_failed += paulimpi_plan_start(plan, NULL) != PAULIMPI_SUCCESS;
        n_failed += paulimpi_plan_wait(plan) != PAULIMPI_SUCCESS;
    }
    rc = paulimpi_plan_start(last, NULL);
    rc = rc == PAULIMPI_SUCCESS ? paulimpi_plan_wait(last) : rc;
    n_failed += rc != (rank == 0 ? PAULIMPI_SUCCESS : PAULIMPI_ERR_MISMATCH);
    tap_mpi_is_int(n_failed, 0,
                   "%d bytes instead of 800 are found after %d runs",
                   (int)n_sent, rounds);
    paulimpi_plan_destroy(&plan);
    paulimpi_plan_destroy(&other);
}

static void
test_lengths(void)
{
    test_length(0, 800, 1000, "has 1000 bytes, but only 800 came",
                "a short message is an error");
    test_length(1, 800, 1600, "has 1600 bytes, but only 800 came",
                "also one that is unpacked");
    test_length(0, 1600, 800, "has 800 bytes, but more came",
                "a message that is too long is an error");
    test_length(1, 1600, 800, "has 800 bytes, but more came",
                "also one that is unpacked");
    test_length(0, 0, 800, "but only 0 came", "an empty one is short, too");
    test_later_length(3, 799);
    test_later_length(3, 0);
    test_later_length(0, 0);
}

/* Memory that nobody touches: only the count is of interest. */
static void
test_large(void)
{
    const size_t bytes = ((size_t)6 << 30) + 1;
    char *memory = mmap(NULL, 2 * bytes, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    paulimpi_message send = { paulimpi_region_1d(memory, bytes), 1 - rank, 1 };
    paulimpi_message receive = { paulimpi_region_1d(memory + bytes, bytes),
                                 1 - rank, 1 };
    paulimpi_plan *plan;
    char *text = NULL;
    int rc = paulimpi_plan_create(ctx, 1, &send, 1, &receive, NULL, &plan);

    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "a plan of 6 GiB is made");
    paulimpi_plan_explain(plan, &text);
    tap_mpi_ok(text != NULL
                   && strstr(text, ": 6442450945 bytes of the host: MPI is "
                                   "given the memory itself, in 1537 pieces")
                          != NULL,
               "it has pieces of 4 MiB");
    paulimpi_text_destroy(&text);
    paulimpi_plan_destroy(&plan);
    receive.peer = PAULIMPI_PEER_ANY;
    receive.region = paulimpi_region_1d(memory, (16 << 20) + 1);
    rc = paulimpi_plan_create(ctx, 0, NULL, 1, &receive, NULL, &plan);
    tap_mpi_is_status(rc, PAULIMPI_ERR_UNSUPPORTED,
                      "more than 16 MiB from any rank are refused");
    munmap(memory, 2 * bytes);
}

int
main(int argc, char **argv)
{
    int status;

    setenv("PAULIMPI_TIMEOUT", "0", 1);
    unsetenv("PAULIMPI_TEST_PIECE_BYTES");
    unsetenv("PAULIMPI_CHECK");
    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    /* MPICH tells of errors in waits to this handler, whatever that of the
     * communicator is. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    rank = paulimpi_context_rank(ctx);
    test_large();
    setenv("PAULIMPI_TEST_PIECE_BYTES", "512", 1);
    test_two(1, "two plans at once, packed before direct");
    test_two(0, "two plans at once, direct before packed");
    test_crossed();
    test_mixed();
    test_destroy();
    test_allocation();
    test_lengths();
    setenv("PAULIMPI_TIMEOUT", "50", 1);
    test_lengths();
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
