/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plans whose small messages travel as one: how many messages MPI has, what is
 * told of them, and what is refused. Rank 2 takes part and has no messages.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/scarce.h"
#include "paulimpi/account.h"

enum { SMALL = 12, MESSAGES = SMALL + 1, PLACE = 64, LARGE = 8193 };

static paulimpi_context *ctx;
static int rank;
static int peer;
static char sent[SMALL * PLACE + LARGE];
static char received[SMALL * PLACE + LARGE];
static paulimpi_message sends[MESSAGES], receives[MESSAGES];
static paulimpi_arrival arrivals[MESSAGES];

/* How often lists of messages were compared. */
static int n_compared;

int
MPI_Ialltoallv(const void *from, const int n_from[], const int from_at[],
               MPI_Datatype from_type, void *to, const int n_to[],
               const int to_at[], MPI_Datatype to_type, MPI_Comm comm,
               MPI_Request *request)
{
    n_compared++;
    return PMPI_Ialltoallv(from, n_from, from_at, from_type, to, n_to, to_at,
                           to_type, comm, request);
}

static int64_t
bytes_of(int tag)
{
    return tag == SMALL ? LARGE : tag * 5;
}

/* Small messages of 0 to 55 bytes and one that is too large to be joined; each
 * rank has them in an order of its own. */
static void
set_lists(void)
{
    int i;

    for (i = 0; i < MESSAGES; i++) {
        int tag = rank == 0 ? i : MESSAGES - 1 - i;
        size_t bytes = (size_t)bytes_of(tag);

        sends[i].region = paulimpi_region_1d(sent + PLACE * tag, bytes);
        receives[i].region = paulimpi_region_1d(received + PLACE * tag, bytes);
        sends[i].tag = receives[i].tag = tag;
        sends[i].peer = receives[i].peer = peer;
    }
}

static int
make(int n, const paulimpi_exchange_options *options, paulimpi_plan **plan_p)
{
    n = rank < 2 ? n : 0;
    return paulimpi_plan_create(ctx, n, sends, n, receives, options, plan_p);
}

static int
run(paulimpi_plan *plan)
{
    int rc = paulimpi_plan_start(plan, NULL);

    return rc == PAULIMPI_SUCCESS ? paulimpi_plan_wait(plan) : rc;
}

static int
is_right(void)
{
    int tag;

    for (tag = 0; tag < MESSAGES && rank < 2; tag++) {
        size_t bytes = (size_t)bytes_of(tag);
        const char *place = received + PLACE * tag;

        if (memcmp(place, sent + PLACE * tag, bytes) != 0
            || (tag < SMALL && place[bytes] != 0)) {
            return 0;
        }
    }
    return 1;
}

static int
are_told(void)
{
    int i;

    for (i = 0; i < MESSAGES && rank < 2; i++) {
        if (arrivals[i].peer != peer || arrivals[i].tag != receives[i].tag
            || arrivals[i].bytes != bytes_of(receives[i].tag)) {
            return 0;
        }
    }
    return 1;
}

/* How many messages MPI was given, and how many copies the library made. */
static void
test_messages(void)
{
    paulimpi_counter *counter;
    paulimpi_plan *plan;
    int64_t messages = -1, bytes = -1, packed = -1, packed_bytes = -1;

    tap_mpi_is_status(
        make(MESSAGES,
             PAULIMPI_EXCHANGE_OPTIONS(.join = 1, .arrivals = arrivals),
             &plan),
        PAULIMPI_SUCCESS, "a plan of small messages and a large one");
    paulimpi_counter_create("joined", &counter);
    paulimpi_counter_begin(counter);
    tap_mpi_is_status(run(plan), PAULIMPI_SUCCESS, "runs");
    paulimpi_counter_end(counter);
    paulimpi_counter_get(counter, NULL, PAULIMPI_COUNT_MPI_HOST, &messages,
                         &bytes);
    paulimpi_counter_get(counter, NULL, PAULIMPI_COUNT_PACK, &packed,
                         &packed_bytes);
    paulimpi_counter_destroy(&counter);
    tap_mpi_ok(is_right(), "the bytes arrive, and no others are touched");
    tap_mpi_ok(are_told(), "each of them is told of");
    tap_mpi_is_int(messages, rank < 2 ? 2 : 0, "MPI has two messages");

    /* Places of 16 bytes: 1 for 5 to 15, 2 for 20 to 30, 3 and 4 for the
     * rest; the message of none has none. */
    tap_mpi_is_int(bytes,
                   rank < 2 ? LARGE + 16 * (3 + 2 * 3 + 3 * 3 + 4 * 2) : 0,
                   "of as many bytes");
    tap_mpi_is_int(packed, rank < 2 ? 2 * (SMALL - 1) : 0,
                   "what is joined is copied");
    tap_mpi_is_int(packed_bytes, rank < 2 ? 2 * 5 * 66 : 0,
                   "its bytes are counted");
    paulimpi_plan_destroy(&plan);
}

static void
test_words(void)
{
    paulimpi_plan *plan;
    char *text = NULL;
    int i = rank == 0 ? 3 : MESSAGES - 1 - 3;
    char want[80];

    make(MESSAGES, PAULIMPI_EXCHANGE_OPTIONS(.join = 1), &plan);
    paulimpi_plan_explain(plan, &text);
    snprintf(want, sizeof want,
             "send %d to rank %d, tag 3: 15 bytes of the host: joined", i,
             peer);
    tap_mpi_ok(text != NULL && (rank == 2 || strstr(text, want) != NULL),
               "a plan tells which messages are joined");
    tap_mpi_ok(rank == 2
                   || strstr(text, "tag 12: 8193 bytes of the host: MPI is "
                                   "given the memory itself")
                          != NULL,
               "and which one is not");
    paulimpi_text_destroy(&text);
    paulimpi_plan_destroy(&plan);
}

/* With all ranks asked, lists are compared once all the same. */
static void
test_compared(void)
{
    paulimpi_plan *plan;

    setenv("PAULIMPI_CHECK", "collective", 1);
    n_compared = 0;
    tap_mpi_is_status(
        make(MESSAGES, PAULIMPI_EXCHANGE_OPTIONS(.join = 1), &plan),
        PAULIMPI_SUCCESS, "a plan for which all ranks are asked");
    tap_mpi_is_int(n_compared, 1, "compares lists once");
    paulimpi_plan_destroy(&plan);
    unsetenv("PAULIMPI_CHECK");
}

/* What one rank asks for, and what it is told; the others are told that it
 * failed. */
static void
test_refused(int n, const paulimpi_exchange_options *options, int failing,
             int code, const char *sentence, const char *fact)
{
    paulimpi_plan *plan;
    int want = failing < 0 || failing == rank ? code : PAULIMPI_ERR_REMOTE;

    tap_mpi_is_status(make(n, options, &plan), want, "%s", fact);
    tap_mpi_ok(want == PAULIMPI_ERR_REMOTE
                   || strstr(paulimpi_last_error(), sentence) != NULL,
               "with a sentence");
}

static void
test_errors(void)
{
    const paulimpi_exchange_options *join =
        PAULIMPI_EXCHANGE_OPTIONS(.join = 1);
    const paulimpi_exchange_options *differ =
        PAULIMPI_EXCHANGE_OPTIONS(.join = rank == 1);
    const paulimpi_exchange_options *wrong =
        PAULIMPI_EXCHANGE_OPTIONS(.join = rank == 1 ? 2 : 1);

    test_refused(MESSAGES, wrong, 1, PAULIMPI_ERR_ARGUMENT,
                 "join is 2, but must be 0 or 1", "another number than 1");
    test_refused(MESSAGES, differ, -1, PAULIMPI_ERR_MISMATCH,
                 "options.join of rank 1 differs from that of ranks 0, 2",
                 "a rank that differs");
    if (rank == 1) {
        receives[4].peer = PAULIMPI_PEER_ANY;
    }
    test_refused(MESSAGES, join, 1, PAULIMPI_ERR_ARGUMENT,
                 "receives[4]: peer is PAULIMPI_PEER_ANY", "any rank");
    set_lists();
    if (rank == 1) {
        receives[4].tag = 99;
    }
    test_refused(MESSAGES, join, 1, PAULIMPI_ERR_MISMATCH, "tag 8, 40 bytes",
                 "a message that meets no other");
    set_lists();
}

static int
make_joined(paulimpi_plan **plan_p)
{
    return make(MESSAGES, PAULIMPI_EXCHANGE_OPTIONS(.join = 1), plan_p);
}

/* Without memory on one rank, wherever it fails; and beyond the limit. */
static void
test_memory(void)
{
    test_scarce(rank, make_joined);
    if (rank == 1) {
        paulimpi_staging_set_limit(1024);
    }
    test_refused(MESSAGES, PAULIMPI_EXCHANGE_OPTIONS(.join = 1), 1,
                 PAULIMPI_ERR_MEMORY, "PAULIMPI_STAGING_MAX",
                 "a limit that is too low");
    paulimpi_staging_set_limit(1 << 20);
}

int
main(int argc, char **argv)
{
    size_t i;
    int status;

    setenv("PAULIMPI_TIMEOUT", "60", 0);
    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    rank = paulimpi_context_rank(ctx);
    peer = 1 - rank;
    for (i = 0; i < sizeof sent; i++) {
        sent[i] = (char)(1 + i % 101);
    }
    set_lists();

    test_messages();
    test_words();
    test_compared();
    test_errors();
    test_memory();

    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
