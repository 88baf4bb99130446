/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plans by NCCL: which ones are, what they say of it, and that their bytes
 * arrive. The mock of NCCL moves them in the turn of a stream, lengths and
 * order of both ends must agree, and what is not in a group waits for ever.
 */
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "mock/mock.h"
#include "mock/mock_nccl.h"
#include "mock/shim.h"
#include "paulimpi/account.h"
#include "paulimpi/aware.h"
#include "paulimpi/exchange.h"
#include "tap/tap_mpi.h"

enum { MESSAGES = 4, MOST = 20000, ROUNDS = 4 };

static const size_t bytes_of[MESSAGES] = { MOST, 1, 0, 5000 };

static paulimpi_context *ctx;
static int rank, size;
static char image[MOST];

/* What goes to the next rank and comes from the one before, in an order of the
 * lists that differs from rank to rank. */
typedef struct {
    paulimpi_message send[MESSAGES + 1];
    paulimpi_message receive[MESSAGES + 1];
    char *from[MESSAGES];
    char *to[MESSAGES];
} ring;

static char *
create(size_t bytes)
{
    void *memory = NULL;

    if (paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, bytes, &memory)
        != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no memory: %s", paulimpi_last_error());
    }
    return memory;
}

/* The last message is the rank's own, the one before has no peer. */
static void
make_ring(ring *r, int is_reversed)
{
    int i;

    for (i = 0; i < MESSAGES; i++) {
        int j = is_reversed ? MESSAGES - 1 - i : i;

        r->from[i] = create(MOST);
        r->to[i] = create(MOST);
        r->send[j] =
            (paulimpi_message){ paulimpi_region_1d(r->from[i], bytes_of[i]),
                                (rank + 1) % size, 7 - i };
        r->receive[i] =
            (paulimpi_message){ paulimpi_region_1d(r->to[i], bytes_of[i]),
                                (rank + size - 1) % size, 7 - i };
    }
    r->send[MESSAGES] = (paulimpi_message){ .peer = PAULIMPI_PEER_NONE };
    r->receive[MESSAGES] = r->send[MESSAGES];
}

static void
free_ring(ring *r)
{
    int i;

    for (i = 0; i < MESSAGES; i++) {
        paulimpi_memory_destroy((void **)&r->from[i]);
        paulimpi_memory_destroy((void **)&r->to[i]);
    }
}

static void
fill_ring(const ring *r, int round)
{
    int i;

    for (i = 0; i < MESSAGES; i++) {
        memset(image, 16 * round + 4 * rank + i, MOST);
        paulimpi_memory_copy(r->from[i], image, MOST, NULL);
        paulimpi_stream_wait(NULL);
        memset(image, 0, MOST);
        paulimpi_memory_copy(r->to[i], image, MOST, NULL);
        paulimpi_stream_wait(NULL);
    }
}

/* Bytes that are not as they must be; all behind a message are 0. */
static int64_t
check_message(const ring *r, int i, size_t bytes, int round)
{
    int before = (rank + size - 1) % size;
    int64_t n_wrong = 0;
    size_t j;

    paulimpi_memory_copy(image, r->to[i], MOST, NULL);
    paulimpi_stream_wait(NULL);
    for (j = 0; j < MOST; j++) {
        n_wrong +=
            image[j] != (j < bytes ? (char)(16 * round + 4 * before + i) : 0);
    }
    return n_wrong;
}

static int64_t
check_ring(const ring *r, int round)
{
    int64_t n_wrong = 0;
    int i;

    for (i = 0; i < MESSAGES; i++) {
        n_wrong += check_message(r, i, bytes_of[i], round);
    }
    return n_wrong;
}

static paulimpi_plan *
plan_of(const ring *r)
{
    paulimpi_plan *plan = NULL;

    if (paulimpi_plan_create(ctx, MESSAGES + 1, r->send, MESSAGES + 1,
                             r->receive, NULL, &plan)
        != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no plan: %s", paulimpi_last_error());
    }
    return plan;
}

/* Whether a plan says what carries it, and why. */
static void
says(const paulimpi_plan *plan, const char *line)
{
    char *text = NULL;

    paulimpi_plan_explain(plan, &text);
    tap_mpi_ok(text != NULL && strstr(text, line) != NULL, "it says: %.*s",
               (int)strcspn(line, "\n"), line);
    paulimpi_text_destroy(&text);
}

static int
run(paulimpi_plan *plan, const paulimpi_exchange_options *options)
{
    int rc = paulimpi_plan_start(plan, options);

    return rc == PAULIMPI_SUCCESS ? paulimpi_plan_wait(plan) : rc;
}

/* Simple plans, and with a time limit, which takes steps. */
static void
test_rounds(const char *order, uint64_t seed)
{
    int64_t n_isends, n_moved, n_groups, n_wrong = 0;
    int round, n_failed = 0;
    paulimpi_plan *plan;
    ring r;

    mock_order(order, seed);
    make_ring(&r, rank % 2);
    plan = plan_of(&r);
    says(plan, "carried by NCCL: all messages are in memory of devices, which "
               "MPI is not known to take\n");
    n_isends = shim_calls("MPI_Isend");
    n_moved = mock_nccl_bytes();
    n_groups = mock_nccl_calls("ncclGroupEnd");
    for (round = 0; round < ROUNDS; round++) {
        fill_ring(&r, round);
        n_failed +=
            run(plan,
                round % 2 ? PAULIMPI_EXCHANGE_OPTIONS(.timeout = 60.0) : NULL)
            != PAULIMPI_SUCCESS;
        n_wrong += check_ring(&r, round);
    }
    tap_mpi_is_int(n_failed, 0, "%s: it runs", order);
    tap_mpi_is_int(n_wrong, 0, "its bytes arrive");
    tap_mpi_is_int(shim_calls("MPI_Isend"), n_isends, "without MPI");
    tap_mpi_is_int(mock_nccl_bytes() - n_moved, ROUNDS * (MOST + 5001),
                   "by NCCL");
    tap_mpi_is_int(mock_nccl_calls("ncclGroupEnd") - n_groups, ROUNDS,
                   "in one group a run");
    paulimpi_plan_destroy(&plan);
    free_ring(&r);
    mock_order("lazy", 0);
}

/* What it looks like in a counter. */
static void
test_count(void)
{
    paulimpi_counter *counter;
    int64_t events, bytes;
    paulimpi_plan *plan;
    ring r;

    make_ring(&r, 0);
    plan = plan_of(&r);
    paulimpi_counter_create("nccl", &counter);
    paulimpi_counter_begin(counter);
    run(plan, NULL);
    paulimpi_counter_end(counter);
    paulimpi_counter_get(counter, NULL, PAULIMPI_COUNT_MPI_DEVICE, &events,
                         &bytes);
    tap_mpi_is_int(bytes, MOST + 5001, "messages count as a device's");
    paulimpi_counter_get(counter, NULL, PAULIMPI_COUNT_TO_HOST, &events,
                         &bytes);
    tap_mpi_is_int(events, 0, "and nothing passes the host");
    paulimpi_counter_destroy(&counter);
    paulimpi_plan_destroy(&plan);
    free_ring(&r);
}

/* What a plan of strided memory did in its runs. */
static void
check_strided(const paulimpi_counter *counter)
{
    int64_t events, bytes;

    paulimpi_counter_get(counter, NULL, PAULIMPI_COUNT_ON_DEVICE, &events,
                         &bytes);
    tap_mpi_is_int(events, 3 * ROUNDS, "it is packed and unpacked there");
    paulimpi_counter_get(counter, NULL, PAULIMPI_COUNT_TO_HOST, &events,
                         &bytes);
    tap_mpi_is_int(events, 0, "and nothing passes the host");
}

/* Strided memory goes through blocks of the device: rows that a kernel takes,
 * thicker ones, and rows from the last to the first. */
static void
test_strided(const char *order, uint64_t seed)
{
    int64_t n_isends, n_moved, n_groups, n_wrong = 0;
    int round, n_failed = 0;
    paulimpi_counter *counter;
    paulimpi_plan *plan;
    ring r;

    mock_order(order, seed);
    make_ring(&r, 0);
    r.send[0].region = paulimpi_region_2d(r.from[0], 10, MOST / 20, 20);
    r.receive[0].region = paulimpi_region_1d(r.to[0], MOST / 2);
    r.send[3].region = paulimpi_region_2d(r.from[3] + 1000, 100, 50, 200);
    r.receive[3].region = paulimpi_region_2d(r.to[3] + 4990, 10, 500, -10);
    plan = plan_of(&r);
    says(plan, "carried by NCCL: all messages are in memory of devices, which "
               "MPI is not known to take\n");
    says(plan, "through a ring in memory of this device, as it is not "
               "contiguous");
    says(plan, "NCCL is given the memory itself");
    n_isends = shim_calls("MPI_Isend");
    n_moved = mock_nccl_bytes();
    n_groups = mock_nccl_calls("ncclGroupEnd");
    paulimpi_counter_create("strided", &counter);
    for (round = 0; round < ROUNDS; round++) {
        fill_ring(&r, round);
        paulimpi_counter_begin(counter);
        n_failed +=
            run(plan,
                round % 2 ? PAULIMPI_EXCHANGE_OPTIONS(.timeout = 60.0) : NULL)
            != PAULIMPI_SUCCESS;
        paulimpi_counter_end(counter);
        n_wrong += check_message(&r, 0, MOST / 2, round);
        n_wrong += check_message(&r, 3, 5000, round);
    }
    tap_mpi_is_int(n_failed, 0, "%s: strided memory is exchanged", order);
    tap_mpi_is_int(n_wrong, 0, "its bytes arrive");
    tap_mpi_is_int(shim_calls("MPI_Isend"), n_isends, "without MPI");
    tap_mpi_is_int(mock_nccl_bytes() - n_moved, ROUNDS * (MOST / 2 + 5001),
                   "by NCCL");
    tap_mpi_is_int(mock_nccl_calls("ncclGroupEnd") - n_groups, ROUNDS,
                   "in one group a run");
    check_strided(counter);
    paulimpi_counter_destroy(&counter);
    paulimpi_plan_destroy(&plan);
    free_ring(&r);
    mock_order("lazy", 0);
}

/* Several plans under way, waited for in another order than they began; the
 * first has to wait on one rank before it can be posted. */
static void
test_several(void)
{
    paulimpi_exchange_options options = PAULIMPI_EXCHANGE_OPTIONS_INIT;
    paulimpi_plan *plan[3];
    int i, j, n_failed = 0;
    int64_t n_wrong = 0;
    ring r[3];

    paulimpi_stream_create(&options.after_stream);
    for (i = 0; i < 3; i++) {
        make_ring(&r[i], rank % 2);
        for (j = 0; j < MESSAGES; j++) {
            r[i].send[j].tag += 10 * i; /* so that MPI would not mind */
            r[i].receive[j].tag += 10 * i;
        }
        plan[i] = plan_of(&r[i]);
        fill_ring(&r[i], i);
    }
    for (i = 0; i < 30; i++) {
        paulimpi_memory_copy(r[0].to[0], r[0].from[0], 1,
                             options.after_stream);
    }
    for (i = 0; i < 3; i++) {
        n_failed +=
            paulimpi_plan_start(plan[i], i == 0 && rank == 0 ? &options : NULL)
            != PAULIMPI_SUCCESS;
    }
    for (i = 2; i >= 0; i--) {
        j = (i + rank) % 3;
        n_failed += paulimpi_plan_wait(plan[j]) != PAULIMPI_SUCCESS;
        n_wrong += check_ring(&r[j], j);
    }
    tap_mpi_is_int(n_failed, 0, "three plans are under way");
    tap_mpi_is_int(n_wrong, 0, "the bytes of all arrive");
    for (i = 0; i < 3; i++) {
        paulimpi_plan_destroy(&plan[i]);
        free_ring(&r[i]);
    }
    paulimpi_stream_destroy(&options.after_stream);
}

/* A plan that waits for a stream on one rank only. */
static void
test_after(void)
{
    paulimpi_stream stream;
    paulimpi_plan *plan;
    char late[MOST];
    ring r;

    paulimpi_stream_create(&stream);
    make_ring(&r, 0);
    plan = plan_of(&r);
    fill_ring(&r, 1);
    memset(late, 16 * 1 + 4 * rank, MOST);
    paulimpi_memory_copy(r.from[0], image, MOST, NULL);
    paulimpi_stream_wait(NULL);
    paulimpi_memory_copy(r.from[0], late, MOST, stream);
    tap_mpi_is_status(
        run(plan, PAULIMPI_EXCHANGE_OPTIONS(.after_stream = stream)),
        PAULIMPI_SUCCESS, "after what a stream does");
    tap_mpi_is_int(check_ring(&r, 1), 0, "what it wrote last arrives");
    paulimpi_plan_destroy(&plan);
    free_ring(&r);
    paulimpi_stream_destroy(&stream);
}

/* A plan that is not for NCCL, and why; it runs all the same. */
static void
by_mpi(const ring *r, const char *why)
{
    paulimpi_plan *plan = plan_of(r);

    says(plan, why);
    fill_ring(r, 2);
    tap_mpi_ok(run(plan, NULL) == PAULIMPI_SUCCESS && check_ring(r, 2) == 0,
               "and runs");
    paulimpi_plan_destroy(&plan);
}

static void
test_choice(void)
{
    char host[MOST];
    paulimpi_message kept;
    ring r;

    make_ring(&r, 0);
    kept = r.send[3];
    if (rank == 1) {
        memset(host, 16 * 2 + 4 * rank + 3, MOST);
        r.send[3].region.base = host;
    }
    by_mpi(&r, "carried by MPI: rank 1: a message is in memory of the host\n");
    r.send[3] = kept;
    if (rank == 2) {
        r.send[3].region = paulimpi_region_2d(r.from[3], 10, 500, 20);
        paulimpi_staging_trim();
        mock_fail("cudaMalloc", 1, 2);
    }
    by_mpi(&r, "carried by MPI: rank 2: its device has no blocks for all "
               "messages that are not contiguous\n");
    r.send[3] = kept;
    r.receive[3].peer = PAULIMPI_PEER_ANY;
    by_mpi(&r, "carried by MPI: rank 0: a receive is from any rank\n");
    free_ring(&r);
}

/* What is sent by one plan and received by another. */
static void
test_two_halves(void)
{
    paulimpi_plan *sends = NULL, *receives = NULL;
    int rc;
    ring r;

    make_ring(&r, 0);
    paulimpi_plan_create(ctx, MESSAGES, r.send, 0, NULL, NULL, &sends);
    paulimpi_plan_create(ctx, 0, NULL, MESSAGES, r.receive, NULL, &receives);
    says(sends, "carried by MPI: not all messages meet within the plan\n");
    fill_ring(&r, 3);
    rc = paulimpi_plan_start(receives, NULL);
    rc = rc == PAULIMPI_SUCCESS ? run(sends, NULL) : rc;
    rc = rc == PAULIMPI_SUCCESS ? paulimpi_plan_wait(receives) : rc;
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "it is for MPI");
    tap_mpi_is_int(check_ring(&r, 3), 0, "and arrives");
    paulimpi_plan_destroy(&sends);
    paulimpi_plan_destroy(&receives);
    rc = paulimpi_plan_create(ctx, 0, NULL, 0, NULL, NULL, &sends);
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "a plan without messages");
    paulimpi_plan_destroy(&sends);
    free_ring(&r);
}

/* The variable, and what MPI takes. */
static void
test_wishes(void)
{
    paulimpi_plan *plan = NULL;
    char *text = NULL;
    int rc;
    ring r;

    make_ring(&r, 0);
    if (rank == 0) {
        setenv("PAULIMPI_TRANSPORT", "mpi", 1);
    }
    by_mpi(&r, "carried by MPI: rank 0: PAULIMPI_TRANSPORT is mpi\n");
    unsetenv("PAULIMPI_TRANSPORT");
    paulimpi_aware_set(ctx, PAULIMPI_AWARE_ALL, PAULIMPI_AWARE_ALL,
                       PAULIMPI_AWARE_YES);
    shim_mode(SHIM_AWARE);
    by_mpi(&r, "carried by MPI: rank 0: MPI takes memory of devices\n");
    setenv("PAULIMPI_TRANSPORT", "nccl", 1);
    plan = plan_of(&r);
    says(plan, "carried by NCCL: all messages are in memory of devices, and "
               "PAULIMPI_TRANSPORT is nccl\n");
    paulimpi_plan_destroy(&plan);
    paulimpi_aware_describe(ctx, &text);
    tap_mpi_ok(strstr(text, "transports: MPI; NCCL 2.19.0 for plans ") != NULL,
               "the report tells of NCCL");
    paulimpi_text_destroy(&text);
    paulimpi_aware_set(ctx, PAULIMPI_AWARE_ALL, PAULIMPI_AWARE_ALL,
                       PAULIMPI_AWARE_UNKNOWN);
    shim_mode(SHIM_OFF);
    setenv("PAULIMPI_TRANSPORT", rank == 1 ? "pigeon" : "auto", 1);
    rc = paulimpi_plan_create(ctx, MESSAGES, r.send, MESSAGES, r.receive, NULL,
                              &plan);
    tap_mpi_is_status(rc,
                      rank == 1 ? PAULIMPI_ERR_ARGUMENT : PAULIMPI_ERR_REMOTE,
                      "another name is an error on all ranks");
    tap_mpi_ok(strstr(paulimpi_last_error(), "must be auto, mpi or nccl")
                   != NULL,
               "which says what there is");
    unsetenv("PAULIMPI_TRANSPORT");
    free_ring(&r);
}

/* What is not collective over the context goes by MPI. */
static void
test_exchange(void)
{
    int64_t n_moved = mock_nccl_bytes();
    ring r;

    make_ring(&r, 0);
    fill_ring(&r, 1);
    tap_mpi_is_status(
        paulimpi_exchange(ctx, MESSAGES, r.send, MESSAGES, r.receive, NULL),
        PAULIMPI_SUCCESS, "an exchange at once");
    tap_mpi_ok(check_ring(&r, 1) == 0 && mock_nccl_bytes() == n_moved,
               "goes by MPI");
    free_ring(&r);
}

int
main(int argc, char **argv)
{
    int status;

    unsetenv("PAULIMPI_CHECK");
    unsetenv("PAULIMPI_TRANSPORT");
    unsetenv("PAULIMPI_TIMEOUT");
    setenv("PAULIMPI_GPU_AWARE", "no", 1);
    setenv("PAULIMPI_MOCK_DEVICES", "4", 1);
    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    if (!mock_is_here()) {
        tap_mpi_skip_all("there is no mock of CUDA");
    }
    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    rank = paulimpi_context_rank(ctx);
    size = paulimpi_context_size(ctx);
    paulimpi_device_select(rank);
    test_rounds("lazy", 0);
    test_rounds("random", 5);
    test_count();
    test_strided("lazy", 0);
    test_strided("eager", 0);
    test_strided("random", 3);
    test_several();
    test_after();
    test_choice();
    test_two_halves();
    test_wishes();
    test_exchange();
    tap_mpi_is_int(mock_nccl_calls("ncclCommInitRankConfig"), 1,
                   "all plans share a communicator");
    paulimpi_context_destroy(&ctx);
    tap_mpi_is_int(mock_nccl_live(), 0, "which goes with the context");
    tap_mpi_is_int(mock_nccl_calls("ncclCommAbort"), 0, "in peace");
    paulimpi_staging_trim();
    tap_mpi_is_int(mock_live(), 0, "nothing is left on the device");
    tap_mpi_is_int(mock_faults(), 0, "nothing was touched that must not be");
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
