/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Moving terms between ranks: one by one, and bucket by bucket where all ranks
 * have the same buckets.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "propagate/move.h"
#include "propagate/support.h"
#include "tap/tap_mpi.h"

enum { N_WORDS = 2, N_QUBITS = 100, MOST_TERMS = 60000, LOG2_TILES = 2 };

/* Terms that are numbered: their strings follow from the number. */
typedef struct {
    paulimpi__store store;
    paulimpi__shares shares;
    paulimpi__carrier carrier;
    int64_t n; /* on all ranks */
} moving;

static paulimpi_context *together;
static int node_size; /* ranks that the context takes for a node */
static int transport; /* PAULIMPI_TRANSPORT_... */

static void
key_of(int64_t number, uint64_t *key)
{
    static const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    int w;

    for (w = 0; w < 2 * N_WORDS; w++) {
        key[w] = ((uint64_t)number * 4 + (uint64_t)w + 1) * odd;
        key[w] ^= key[w] >> 29;
        if (w % N_WORDS == N_WORDS - 1) {
            key[w] &= ((uint64_t)1 << (N_QUBITS - 64)) - 1;
        }
    }
    key[0] = (uint64_t)number;
}

/* The highest bits of a bucket's number are those of the shard, the others are
 * any bits of the string. */
static void
set_hash(moving *m)
{
    uint32_t *hash_of = m->store.hash_of;
    int64_t q;
    int bit;

    for (q = 0; q < N_QUBITS; q++) {
        hash_of[2 * q] = (uint32_t)q % (1 << LOG2_TILES);
        hash_of[2 * q + 1] = (uint32_t)(q / 3) % (1 << LOG2_TILES);
        for (bit = 0; bit < m->shares.log2_shards; bit++) {
            const uint64_t *function = m->shares.function + bit * 2 * N_WORDS;

            hash_of[2 * q] |= (uint32_t)(function[q / 64] >> q % 64 & 1)
                              << (LOG2_TILES + bit);
            hash_of[2 * q + 1] |=
                (uint32_t)(function[N_WORDS + q / 64] >> q % 64 & 1)
                << (LOG2_TILES + bit);
        }
    }
}

static void
append(moving *m, paulimpi__deal *deal, int64_t number)
{
    paulimpi__purse purse = { NULL, 0 };
    uint64_t key[2 * N_WORDS];
    paulimpi__chain *chain;
    int64_t slot, w;

    key_of(number, key);
    chain = paulimpi__deal_chains(deal, 0)
            + (paulimpi__store_hash(&m->store, key, key + N_WORDS)
               & ((1u << deal->log2_buckets) - 1));
    slot = chain->n_terms++ % PAULIMPI__BLOCK_TERMS;
    if (slot == 0) {
        paulimpi__deal_extend(deal, chain,
                              paulimpi__block_take(&m->store, &purse));
    }
    chain->last->coefficient[slot] = (double)number;
    for (w = 0; w < 2 * N_WORDS; w++) {
        chain->last->word[w * PAULIMPI__BLOCK_TERMS + slot] = key[w];
    }
    m->store.n_terms++;
}

/* Put every n_holders-th of the terms on this rank, if it is one of the first
 * n_holders. */
static void
begin(moving *m, int64_t n, int n_holders)
{
    paulimpi__run run = { .store = &m->store, .n_threads = 1 };
    int rank = paulimpi_context_rank(together);
    paulimpi__deal deal;
    int64_t i;

    m->n = n;
    check(paulimpi__store_init(&m->store, N_QUBITS));
    check(paulimpi__shares_init(&m->shares, together, N_QUBITS));
    check(paulimpi__carrier_init(&m->carrier, together, "test", &m->store));
    m->carrier.transport = transport;
    set_hash(m);
    check(
        paulimpi__deal_begin(&deal, &run, m->shares.log2_shards + LOG2_TILES));
    check(paulimpi__store_reserve(
        &m->store,
        rank < n_holders
            ? n + ((int64_t)PAULIMPI__BLOCK_TERMS << deal.log2_buckets)
            : 0));
    for (i = rank; i < n && rank < n_holders; i += n_holders) {
        append(m, &deal, i);
    }
    paulimpi__deal_end(&deal);
}

static void
end(moving *m)
{
    paulimpi__carrier_free(&m->carrier);
    paulimpi__shares_free(&m->shares);
    paulimpi__store_free(&m->store);
}

/* Whether slot i of a block of bucket b belongs there and has the key of its
 * number. */
static int
is_right(const moving *m, const paulimpi__block *block, int64_t i, int64_t b)
{
    uint64_t key[2 * N_WORDS];
    int64_t mask = paulimpi__store_buckets(&m->store) - 1;
    int64_t w;

    key_of((int64_t)block->coefficient[i], key);
    for (w = 0; w < 2 * N_WORDS; w++) {
        if (block->word[w * PAULIMPI__BLOCK_TERMS + i] != key[w]) {
            return 0;
        }
    }
    return (paulimpi__store_hash(&m->store, key, key + N_WORDS) & mask) == b;
}

/* Mark the terms of this rank. Whether all are right, blocks are full but for
 * the last, and the store counts them. */
static int
mark(const moving *m, char *marks, int *are_home)
{
    int64_t n_buckets = paulimpi__store_buckets(&m->store);
    int rank = paulimpi_context_rank(together);
    int64_t n = 0;
    int64_t b, i;

    *are_home = 1;
    for (b = 0; b < n_buckets; b++) {
        const paulimpi__block *block = m->store.buckets[b].head;
        int64_t left = m->store.buckets[b].n_terms;

        for (; left > 0 && block != NULL; block = block->next) {
            int64_t n_here =
                left < PAULIMPI__BLOCK_TERMS ? left : PAULIMPI__BLOCK_TERMS;

            for (i = 0; i < n_here; i++) {
                uint64_t key[2 * N_WORDS];

                key_of((int64_t)block->coefficient[i], key);
                marks[(int64_t)block->coefficient[i]]++;
                *are_home &=
                    paulimpi__shares_rank(&m->shares, key, key + N_WORDS)
                    == rank;
                if (!is_right(m, block, i, b)) {
                    return 0;
                }
            }
            left -= n_here;
            n += n_here;
        }
        if (left != 0 || block != NULL) {
            return 0;
        }
    }
    return n == m->store.n_terms;
}

/* Whether every term is on n_each ranks. */
static void
expect(const moving *m, const char *what, int n_each, int at_home)
{
    static char marks[MOST_TERMS];
    int are_home;
    int64_t n = 0;
    int64_t i;

    memset(marks, 0, sizeof marks);
    tap_mpi_ok(mark(m, marks, &are_home), "%s: each is where its hash says",
               what);
    tap_mpi_ok(are_home || !at_home, "%s: and on the rank that holds it",
               what);
    MPI_Allreduce(MPI_IN_PLACE, marks, (int)m->n, MPI_CHAR, MPI_SUM,
                  MPI_COMM_WORLD);
    for (i = 0; i < m->n; i++) {
        n += marks[i] == n_each;
    }
    tap_mpi_is_int(n, m->n, "%s: each is there %d times", what, n_each);
}

/* Deal the shards out by the terms that there are, as before a move. */
static void
balance(moving *m)
{
    int64_t of_shard[1 << 12];
    int n = 1 << m->shares.log2_shards;

    paulimpi__count_buckets_by_shard(&m->store, m->shares.log2_shards,
                                     of_shard);
    MPI_Allreduce(MPI_IN_PLACE, of_shard, n, MPI_INT64_T, MPI_SUM,
                  MPI_COMM_WORLD);
    paulimpi__shares_balance(&m->shares, of_shard);
}

/* The terms of this rank that belong to another one of its node. */
static int64_t
count_inside(const moving *m, int n_holders)
{
    int rank = paulimpi_context_rank(together);
    int64_t n = 0;
    int64_t i;

    for (i = rank; i < m->n && rank < n_holders; i += n_holders) {
        uint64_t key[2 * N_WORDS];
        int to;

        key_of(i, key);
        to = paulimpi__shares_rank(&m->shares, key, key + N_WORDS);
        n += to != rank && to / node_size == rank / node_size;
    }
    return n;
}

static void
test_buckets(int64_t n, int n_holders)
{
    moving m;
    int64_t inside;
    int64_t out = 0;

    begin(&m, n, n_holders);
    balance(&m);
    inside = count_inside(&m, n_holders);
    tap_mpi_is_status(paulimpi__move_buckets(&m.carrier, &m.shares, INT64_MAX),
                      PAULIMPI_SUCCESS,
                      "%d terms on %d of the ranks move by buckets", (int)n,
                      n_holders);
    expect(&m, "by buckets", 1, 1);
    tap_mpi_is_int(m.carrier.n_terms_shared,
                   transport == PAULIMPI_TRANSPORT_SEGMENT ? inside : 0,
                   "so many through lanes");
    out = m.carrier.n_terms_out - m.carrier.n_terms_in;
    MPI_Allreduce(MPI_IN_PLACE, &out, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    tap_mpi_is_int(out, 0, "as many come as go");
    check(paulimpi__move_buckets(&m.carrier, &m.shares, INT64_MAX));
    tap_mpi_is_int(m.carrier.n_terms_out, 0, "once more: none moves");
    expect(&m, "once more", 1, 1);
    end(&m);
}

/* The library chooses lanes where there are many terms. */
static void
test_choice(int64_t n, int is_large)
{
    moving m;
    int64_t inside;

    transport = PAULIMPI_TRANSPORT_AUTOMATIC;
    begin(&m, n, 1);
    balance(&m);
    inside = count_inside(&m, 1);
    check(paulimpi__move_buckets(&m.carrier, &m.shares, INT64_MAX));
    expect(&m, "as the library chooses", 1, 1);
    tap_mpi_is_int(m.carrier.n_terms_shared, is_large ? inside : 0,
                   "%d terms: %s through lanes", (int)n,
                   is_large ? "all of a node" : "none");
    end(&m);
}

/* A variable that cannot be is an error, whoever chooses. */
static void
test_variable(void)
{
    int is_last =
        paulimpi_context_rank(together) == paulimpi_context_size(together) - 1;
    moving m;
    int rc;

    transport = PAULIMPI_TRANSPORT_AUTOMATIC;
    begin(&m, MOST_TERMS, 1);
    balance(&m);
    if (is_last) {
        setenv("PAULIMPI_SEGMENT", "fish", 1);
    }
    rc = paulimpi__move_buckets(&m.carrier, &m.shares, INT64_MAX);
    unsetenv("PAULIMPI_SEGMENT");
    tap_mpi_is_status(rc,
                      is_last ? PAULIMPI_ERR_ARGUMENT : PAULIMPI_ERR_REMOTE,
                      "a bad PAULIMPI_SEGMENT on one rank: an error on all");
    expect(&m, "and nothing has moved", 1, 0);
    end(&m);
}

/* All ways with one carrier. */
static void
test_ways(void)
{
    int n_ranks = paulimpi_context_size(together);
    moving m;
    int bit;

    begin(&m, 5000, n_ranks);
    check(paulimpi__move_buckets(&m.carrier, &m.shares, INT64_MAX));
    for (bit = 0; bit < m.shares.log2_shards; bit++) {
        paulimpi__shares_draw(&m.shares, bit, (uint64_t)(100 + bit));
    }
    check(paulimpi__move_terms(&m.carrier, &m.shares, INT64_MAX));
    expect(&m, "one by one, by other functions", 1, 1);
    check(paulimpi__copy_terms(&m.carrier));
    expect(&m, "copied", n_ranks, 0);
    paulimpi__leave_terms(&m.store, &m.shares);
    expect(&m, "parted", 1, 1);
    end(&m);
}

/* There is no room on one rank. */
static void
test_no_room(void)
{
    int is_last =
        paulimpi_context_rank(together) == paulimpi_context_size(together) - 1;
    moving m;
    int rc;

    begin(&m, 9000, 1);
    rc = paulimpi__move_buckets(&m.carrier, &m.shares,
                                is_last ? 100000 : INT64_MAX);
    tap_mpi_is_status(rc, is_last ? PAULIMPI_ERR_MEMORY : PAULIMPI_ERR_REMOTE,
                      "no room on the last rank: an error on all");
    expect(&m, "and nothing has moved", 1, 0);
    check(paulimpi__move_buckets(&m.carrier, &m.shares, INT64_MAX));
    expect(&m, "with room", 1, 1);
    end(&m);
}

/* By messages, by lanes, and by both. */
static void
test_transports(int n_node)
{
    char text[16];

    node_size = n_node;
    snprintf(text, sizeof text, "%d", n_node);
    setenv("PAULIMPI_TEST_NODE_SIZE", text, 1);
    check(paulimpi_context_create(MPI_COMM_WORLD, NULL, &together));
    for (transport = PAULIMPI_TRANSPORT_SEGMENT;
         transport <= PAULIMPI_TRANSPORT_MPI; transport++) {
        test_buckets(0, 1);
        test_buckets(1, 1);
        test_buckets(640, 2);
        test_buckets(20000, 3);
        test_buckets(20000, 1);      /* blocks in several parts */
        test_buckets(MOST_TERMS, 1); /* in several rounds */
        test_ways();
        test_no_room();
    }
    test_choice(640, 0);
    test_choice(MOST_TERMS, 1);
    test_variable();
    paulimpi_context_destroy(&together);
}

int
main(int argc, char **argv)
{
    int status;

    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    test_transports(3);
    test_transports(2);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
