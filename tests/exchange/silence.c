/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks that do not answer in time: the others are told who is missing, do not
 * hang, and may go on.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "paulimpi/exchange.h"
#include "tap/tap_mpi.h"

enum { LARGE = 1 << 20, SILENT = 2 };

static paulimpi_context *ctx;
static int rank;
static char *sent, *received;

static void
sleep_a_little(void)
{
    struct timespec pause = { 0, 20000000 };

    nanosleep(&pause, NULL);
}

/* Rank 0 waits for ranks 1 and 2; the latter says nothing until it hears that
 * rank 0 has given up. */
static void
test_missing_send(size_t bytes, int is_strided, const char *fact)
{
    paulimpi_region region =
        is_strided ? paulimpi_region_2d(received, 4, (int64_t)bytes / 4, 8)
                   : paulimpi_region_1d(received, bytes);
    paulimpi_message receives[2] = {
        { paulimpi_region_1d(received + LARGE, 8), 1, 7 },
        { region, SILENT, 9 },
    };
    paulimpi_message send = { paulimpi_region_1d(sent, 8), 0, 7 };
    int rc = PAULIMPI_ERR_TIMEOUT;

    if (rank == 0) {
        rc = paulimpi_exchange(ctx, 0, NULL, 2, receives,
                               PAULIMPI_EXCHANGE_OPTIONS(.timeout = 0.5));
    } else if (rank == 1) {
        rc = paulimpi_exchange(ctx, 1, &send, 0, NULL, NULL);
        rc = rc == PAULIMPI_SUCCESS ? PAULIMPI_ERR_TIMEOUT : rc;
    }
    tap_mpi_is_status(rc, PAULIMPI_ERR_TIMEOUT, "%s", fact);
    tap_mpi_ok(rank != 0
                   || strstr(paulimpi_last_error(),
                             "paulimpi_exchange: nothing came for 0.5 "
                             "seconds; missing: receive from rank 2, tag 9")
                          != NULL,
               "the sentence names it");
    tap_mpi_ok(rank != 0 || strstr(paulimpi_last_error(), "rank 1") == NULL,
               "and nobody else");
}

/* Nobody takes a send; it has no way to end before MPI. */
static void
test_missing_receive(void)
{
    paulimpi_message send = { paulimpi_region_1d(sent, LARGE), SILENT, 11 };
    paulimpi_message receive = { paulimpi_region_1d(received, LARGE), 0, 11 };
    paulimpi_plan *plan = NULL;
    int rc = PAULIMPI_ERR_TIMEOUT;

    setenv("PAULIMPI_TIMEOUT", "0.5", 1);
    paulimpi_plan_create(ctx, rank == 0, &send, 0, NULL, NULL, &plan);
    if (rank == 0) {
        paulimpi_plan_start(plan, NULL);
        rc = paulimpi_plan_wait(plan);
    }
    tap_mpi_is_status(rc, PAULIMPI_ERR_TIMEOUT, "a receiver is missing");
    tap_mpi_ok(rank != 0
                   || strstr(paulimpi_last_error(), "send to rank 2, tag 11")
                          != NULL,
               "the sentence names it");
    rc = rank == 0 ? paulimpi_plan_start(plan, NULL) : PAULIMPI_ERR_STATE;
    tap_mpi_is_status(rc, PAULIMPI_ERR_STATE, "the plan is broken");
    paulimpi_plan_destroy(&plan);

    /* Late, but then it comes. */
    setenv("PAULIMPI_TIMEOUT", "60", 1);
    rc = rank == SILENT ? paulimpi_exchange(ctx, 0, NULL, 1, &receive, NULL)
                        : PAULIMPI_SUCCESS;
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "a late receiver gets it");
}

/* A rank that is silent for less than the limit does no harm. */
static void
test_late(void)
{
    paulimpi_message send = { paulimpi_region_1d(sent, LARGE), (rank + 1) % 3,
                              1 };
    paulimpi_message receive = { paulimpi_region_1d(received, LARGE),
                                 (rank + 2) % 3, 1 };

    if (rank == SILENT) {
        sleep_a_little();
    }
    tap_mpi_is_status(
        paulimpi_exchange(ctx, 1, &send, 1, &receive,
                          PAULIMPI_EXCHANGE_OPTIONS(.timeout = 60.0)),
        PAULIMPI_SUCCESS, "a rank may be late");
}

/* Many are missing: the sentence has an end. */
static void
test_many(void)
{
    static paulimpi_message receives[300];
    int rc = PAULIMPI_ERR_TIMEOUT;
    int i;

    for (i = 0; i < 300; i++) {
        receives[i] =
            (paulimpi_message){ paulimpi_region_1d(received + 8 * i, 8),
                                SILENT, 100 + i };
    }
    if (rank == 0) {
        rc = paulimpi_exchange(ctx, 0, NULL, 300, receives,
                               PAULIMPI_EXCHANGE_OPTIONS(.timeout = 0.02));
    }
    tap_mpi_is_status(rc, PAULIMPI_ERR_TIMEOUT, "300 messages are missing");
    tap_mpi_ok(rank != 0
                   || strstr(paulimpi_last_error(), "; and 292 more") != NULL,
               "the sentence names some");
}

int
main(int argc, char **argv)
{
    int status;

    unsetenv("PAULIMPI_CHECK");
    unsetenv("PAULIMPI_TIMEOUT");
    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    rank = paulimpi_context_rank(ctx);
    sent = calloc(2 * LARGE, 1);
    received = calloc(2 * LARGE, 1);
    test_missing_send(8, 0, "a sender is missing");
    test_missing_send(LARGE / 2, 1, "one of strided memory");
    setenv("PAULIMPI_TEST_PIECE_BYTES", "1000", 1);
    test_missing_send(100000, 1, "one in pieces");
    unsetenv("PAULIMPI_TEST_PIECE_BYTES");
    test_late();
    test_many();
    test_missing_receive();
    test_late();
    free(sent);
    free(received);
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
