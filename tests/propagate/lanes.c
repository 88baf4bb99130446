/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lanes between the ranks of a node.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "propagate/carry.h"
#include "propagate/support.h"
#include "tap/tap_mpi.h"

enum { WORDS = 5, N_PIECES = 1000, SILENT = 1, TAG = 5, N_TERMS = 200000 };

static int rank;
static int size;

static paulimpi_context *
make_nodes(int node_size)
{
    paulimpi_context *ctx;
    char text[16];

    snprintf(text, sizeof text, "%d", node_size);
    setenv("PAULIMPI_TEST_NODE_SIZE", text, 1);
    check(paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx));
    unsetenv("PAULIMPI_TEST_NODE_SIZE");
    return ctx;
}

/* Whether lanes lead to the other ranks of the node, and to no one else. */
static int
lead_to_mates(const paulimpi__lanes *lanes, int node_size)
{
    int n = 0;
    int r;

    for (r = 0; r < size; r++) {
        int is_mate = r != rank && r / node_size == rank / node_size;

        if (paulimpi__lanes_reach(lanes, r) != is_mate
            || (is_mate && lanes->mate[lanes->mate_of[r]].rank != r)) {
            return 0;
        }
        n += is_mate;
    }
    return n == lanes->n_mates;
}

static void
test_nodes(int node_size)
{
    paulimpi_context *ctx = make_nodes(node_size);
    paulimpi__lanes lanes = { .segment = NULL };
    int rc;

    tap_mpi_ok(paulimpi__lanes_are_possible(ctx) == (node_size > 1),
               "nodes of %d: lanes are possible if ranks share them",
               node_size);
    rc = paulimpi__lanes_open(&lanes, ctx, "test", WORDS);
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "they are opened in any case");
    tap_mpi_ok(lead_to_mates(&lanes, node_size), "and lead to mates only");
    paulimpi__lanes_close(&lanes);
    tap_mpi_ok(lanes.segment == NULL && !paulimpi__lanes_reach(&lanes, 0),
               "closed: there are none");
    paulimpi__lanes_close(&lanes);
    paulimpi_context_destroy(&ctx);
}

/* Word w of a piece. */
static uint64_t
word_of(int from, int to, uint64_t piece, int w)
{
    return piece << 16 | (uint64_t)(from << 12 | to << 8 | w);
}

static void
fill(uint64_t *room, int to, uint64_t piece)
{
    int w;

    for (w = 0; w < WORDS; w++) {
        room[w] = word_of(rank, to, piece, w);
    }
}

static int
is_piece(const uint64_t *words, int from, uint64_t piece)
{
    int w;

    for (w = 0; w < WORDS && words[w] == word_of(from, rank, piece, w); w++) {
    }
    return w == WORDS;
}

/* Nobody takes anything: there is room for so many pieces. */
static int
count_room(paulimpi__lanes *lanes, paulimpi__mate *mate)
{
    uint64_t *room = paulimpi__lane_room(lanes, mate);
    int n;

    for (n = 0; room != NULL && n < N_PIECES; n++) {
        fill(room, mate->rank, mate->n_sent);
        paulimpi__lane_send(mate);
        room = paulimpi__lane_room(lanes, mate);
    }
    return n;
}

/* Pieces go and come as there is room for them. */
static int
run_through(paulimpi__lanes *lanes)
{
    int n_open = 2 * lanes->n_mates;
    int is_right = 1;
    int i;

    while (n_open > 0) {
        n_open = 0;
        for (i = 0; i < lanes->n_mates; i++) {
            paulimpi__mate *mate = &lanes->mate[i];
            uint64_t *room = paulimpi__lane_room(lanes, mate);
            const uint64_t *piece = paulimpi__lane_piece(lanes, mate);

            if (room != NULL && mate->n_sent < N_PIECES) {
                fill(room, mate->rank, mate->n_sent);
                paulimpi__lane_send(mate);
            }
            if (piece != NULL) {
                is_right &= is_piece(piece, mate->rank, mate->n_taken);
                paulimpi__lane_take(mate);
            }
            n_open += (mate->n_sent < N_PIECES) + (mate->n_taken < N_PIECES);
        }
    }
    return is_right;
}

static void
test_pieces(void)
{
    paulimpi_context *ctx = make_nodes(size);
    paulimpi__lanes lanes = { .segment = NULL };
    int is_full = 1;
    int is_empty = 1;
    int i;

    check(paulimpi__lanes_open(&lanes, ctx, "test", WORDS));
    for (i = 0; i < lanes.n_mates; i++) {
        is_empty &= paulimpi__lane_piece(&lanes, &lanes.mate[i]) == NULL;
    }
    tap_mpi_ok(is_empty, "at first there is no piece");
    MPI_Barrier(MPI_COMM_WORLD);
    for (i = 0; i < lanes.n_mates; i++) {
        is_full &= count_room(&lanes, &lanes.mate[i]) == PAULIMPI__LANE_SLOTS;
    }
    tap_mpi_ok(is_full, "and room for as many as there are slots");
    MPI_Barrier(MPI_COMM_WORLD);
    tap_mpi_ok(run_through(&lanes), "all come in their order");
    MPI_Barrier(MPI_COMM_WORLD);
    paulimpi__lanes_close(&lanes);
    paulimpi_context_destroy(&ctx);
}

/* Memory is missing on one rank, at each place where it is asked for. */
static void
test_memory(void)
{
    paulimpi_context *ctx = make_nodes(size);
    paulimpi__lanes lanes = { .segment = NULL };
    int rc = PAULIMPI_ERR_MEMORY;
    int64_t n;

    for (n = 1; rc != PAULIMPI_SUCCESS && n < 100; n++) {
        paulimpi__alloc_fail_at(rank == size - 1 ? n : 0);
        rc = paulimpi__lanes_open(&lanes, ctx, "test", WORDS);
        paulimpi__alloc_fail_at(0);
        if (rc != PAULIMPI_SUCCESS
            && (lanes.segment != NULL
                || rc
                       != (rank == size - 1 ? PAULIMPI_ERR_MEMORY
                                            : PAULIMPI_ERR_REMOTE))) {
            break;
        }
    }
    tap_mpi_ok(rc == PAULIMPI_SUCCESS && n > 2,
               "no memory on one rank: no lanes on any");
    paulimpi__lanes_close(&lanes);
    paulimpi_context_destroy(&ctx);
}

/* A context that breaks, of which MPI keeps what was under way. */
static __attribute__((noinline)) int
create_doomed(paulimpi_context **ctx_p)
{
    return paulimpi_context_create(MPI_COMM_WORLD, NULL, ctx_p);
}

/* A rank that is silent does not come back before the others have given up. */
static int
hang(void *data, const paulimpi__arrival *arrival)
{
    int *is_told = data;
    int i;

    (void)arrival;
    for (i = 0; i < size - 1 && rank == SILENT && !*is_told; i++) {
        MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    *is_told = 1;
    return 0;
}

/* Chains of as many terms for each of the others. */
static void
load(paulimpi__carrier *carrier, int64_t *n_out)
{
    paulimpi__purse purse = { NULL, 0 };
    int64_t n;
    int r;

    check(paulimpi__store_reserve(carrier->store, 2 * N_TERMS * size));
    for (r = 0; r < size; r++) {
        paulimpi__chain *chain = &carrier->out[r];

        n_out[r] = r == rank ? 0 : N_TERMS;
        for (n = 0; n < n_out[r]; n += PAULIMPI__BLOCK_TERMS) {
            paulimpi__chain_extend(
                chain, paulimpi__block_take(carrier->store, &purse));
        }
        chain->n_terms = n_out[r];
    }
    paulimpi__purse_empty(carrier->store, &purse);
}

static void
test_silence(void)
{
    paulimpi_context *ctx;
    int64_t n_out[8];
    paulimpi__carrier carrier;
    paulimpi__store store;
    int is_told = 0;
    int rc;

    check(create_doomed(&ctx));
    check(paulimpi__store_init(&store, 60));
    check(paulimpi__carrier_init(&carrier, ctx, "test", &store));
    carrier.transport = PAULIMPI_TRANSPORT_SEGMENT;
    load(&carrier, n_out);
    check(paulimpi__carry_counts(&carrier, PAULIMPI_SUCCESS, n_out));
    check(paulimpi__carry_reserve(&carrier));
    tap_mpi_is_int(carrier.n_terms_shared, N_TERMS * (size - 1),
                   "all terms are to go through lanes");
    setenv("PAULIMPI_TIMEOUT", "0.5", 1);
    rc = paulimpi__carry(&carrier, hang, &is_told);
    if (rank != SILENT) {
        MPI_Send(NULL, 0, MPI_BYTE, SILENT, TAG, MPI_COMM_WORLD);
    }
    tap_mpi_is_status(rc, PAULIMPI_ERR_TIMEOUT,
                      "a rank is silent: all get an error");
    tap_mpi_ok(strstr(paulimpi_last_error(), "rank 1") != NULL,
               "that names it");
    unsetenv("PAULIMPI_TIMEOUT");
    paulimpi__carrier_free(&carrier);
    paulimpi__store_free(&store);
    paulimpi_context_destroy(&ctx);
}

int
main(int argc, char **argv)
{
    int status, n;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    tap_mpi_begin(argv[0]);
    for (n = 1; n <= size; n++) {
        test_nodes(n);
    }
    test_pieces();
    test_memory();
    test_silence();
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
