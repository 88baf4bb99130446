/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Another hash for all terms of a store, and the buckets that belong to it.
 *
 * Every thread deals the terms of the buckets that it reads out over chains of
 * its own, one for each new bucket; blocks are given back as they are read.
 * Then the chains of all threads are joined, bucket by bucket.
 */
#include "propagate/rehash.h"

#include <string.h>

enum { BLOCK = PAULIMPI__BLOCK_TERMS, N_BYTES = 8, N_VALUES = 256 };

typedef struct {
    paulimpi__block *head;
    paulimpi__block *last;
    int64_t n_terms;
} chain;

typedef struct {
    paulimpi__store *store;
    const uint32_t *table; /* the hash of every value of every byte of a key */
    chain *chains;         /* of each thread, one for each new bucket */
    const paulimpi__worker *workers;
    int log2_buckets;
    int n_threads;
    paulimpi__bucket *buckets; /* the new ones */
} rehash;

/* The hash of a byte is that of its lowest bit and of the rest. */
static void
fill_table(uint32_t *table, int64_t n_qubits, int64_t n_words,
           const uint32_t *hash_of)
{
    int64_t column, value;

    for (column = 0; column < 2 * n_words * N_BYTES; column++) {
        uint32_t *of = table + column * N_VALUES;
        int64_t half = column / (n_words * N_BYTES);
        int64_t first = column % (n_words * N_BYTES) * 8;

        of[0] = 0;
        for (value = 1; value < N_VALUES; value++) {
            int64_t q = first + __builtin_ctzll((uint64_t)value);

            of[value] = of[value & (value - 1)]
                        ^ (q < n_qubits ? hash_of[2 * q + half] : 0);
        }
    }
}

static void
hash_block(const uint32_t *table, const paulimpi__block *block, int64_t n_key,
           uint32_t hash[BLOCK])
{
    int64_t w;
    int byte, t;

    memset(hash, 0, BLOCK * sizeof *hash);
    for (w = 0; w < n_key; w++) {
        const uint64_t *column = &block->word[w * BLOCK];

        for (byte = 0; byte < N_BYTES; byte++) {
            const uint32_t *of = table + (w * N_BYTES + byte) * N_VALUES;

            for (t = 0; t < BLOCK; t++) {
                hash[t] ^= of[column[t] >> 8 * byte & (N_VALUES - 1)];
            }
        }
    }
}

static void
append(paulimpi__store *store, paulimpi__purse *purse, chain *to,
       const paulimpi__block *source, int t, uint32_t hash)
{
    int slot = (int)(to->n_terms++ % BLOCK);

    if (slot == 0) {
        paulimpi__block *block = paulimpi__block_take(store, purse);

        *(to->last == NULL ? &to->head : &to->last->next) = block;
        to->last = block;
    }
    paulimpi__term_move(2 * store->n_words, source, t, to->last, slot);
    to->last->hash[slot] = hash;
}

/* Deal out the terms of an old bucket. */
static void
deal_out(const void *shared, paulimpi__worker *worker, int64_t b)
{
    const rehash *r = shared;
    paulimpi__store *store = r->store;
    uint32_t mask = ((uint32_t)1 << r->log2_buckets) - 1;
    chain *own = r->chains + ((worker - r->workers) << r->log2_buckets);
    int64_t rest = store->buckets[b].n_terms;
    paulimpi__block *block = store->buckets[b].head;

    while (block != NULL) {
        paulimpi__block *next = block->next;
        int n = rest < BLOCK ? (int)rest : BLOCK;
        uint32_t hash[BLOCK];
        int t;

        hash_block(r->table, block, 2 * store->n_words, hash);
        for (t = 0; t < n; t++) {
            append(store, &worker->purse, &own[hash[t] & mask], block, t,
                   hash[t]);
        }
        rest -= n;
        paulimpi__block_give(store, &worker->purse, block);
        block = next;
    }
}

/* Join the threads' chains of new bucket b: whole blocks are linked, terms of
 * the last ones are moved together. */
static void
join_chains(const rehash *r, paulimpi__purse *purse, int64_t b)
{
    paulimpi__bucket *bucket = &r->buckets[b];
    chain rests = { NULL, NULL, 0 };
    paulimpi__block **end = &bucket->head;
    int i;

    for (i = 0; i < r->n_threads; i++) {
        chain *part = &r->chains[((int64_t)i << r->log2_buckets) + b];
        paulimpi__block *block = part->head;
        int64_t rest = part->n_terms;
        int t;

        for (; rest >= BLOCK; rest -= BLOCK) {
            *end = block;
            end = &block->next;
            block = block->next;
            bucket->n_terms += BLOCK;
        }
        for (t = 0; t < rest; t++) {
            append(r->store, purse, &rests, block, t, block->hash[t]);
        }
        if (rest > 0) {
            paulimpi__block_give(r->store, purse, block);
        }
    }
    *end = rests.head;
    bucket->n_terms += rests.n_terms;
}

static int
make_room(rehash *r, const uint32_t *hash_of)
{
    paulimpi__store *store = r->store;
    size_t n_buckets = (size_t)1 << r->log2_buckets;
    size_t n_columns = (size_t)store->n_words * 2 * N_BYTES;
    uint32_t *table = paulimpi__alloc(n_columns, N_VALUES * sizeof *table);

    r->table = table;
    r->chains = paulimpi__alloc_zero(n_buckets * (size_t)r->n_threads,
                                     sizeof *r->chains);
    r->buckets = paulimpi__alloc_zero(n_buckets, sizeof *r->buckets);
    if (table == NULL || r->chains == NULL || r->buckets == NULL) {
        return PAULIMPI_ERR_MEMORY;
    }
    fill_table(table, store->n_qubits, store->n_words, hash_of);

    /* Each chain may have a block that is not full; the blocks that are read
     * come back one by one. */
    return paulimpi__store_reserve(
        store, (int64_t)(n_buckets * (size_t)(r->n_threads + 1)) * BLOCK);
}

int
paulimpi__rehash(paulimpi__run *run, const uint32_t *hash_of, int log2_buckets)
{
    paulimpi__workspace *space = run->workspace;
    paulimpi__store *store = run->store;
    rehash r = { .store = store,
                 .workers = space->worker,
                 .log2_buckets = log2_buckets,
                 .n_threads = run->team == NULL ? 1 : run->n_threads };
    paulimpi__purse purse = { NULL, 0 };
    int rc = make_room(&r, hash_of);
    int64_t b;

    if (rc == PAULIMPI_SUCCESS) {
        paulimpi__for_buckets(run, deal_out, &r);
        for (b = 0; b < (int64_t)1 << log2_buckets; b++) {
            join_chains(&r, &purse, b);
        }
        paulimpi__purse_empty(store, &purse);
        memcpy(store->hash_of, hash_of,
               (size_t)store->n_qubits * 2 * sizeof *hash_of);
        paulimpi__free(store->buckets);
        store->buckets = r.buckets;
        store->log2_buckets = log2_buckets;
        r.buckets = NULL;
    }
    paulimpi__free(r.buckets);
    paulimpi__free(r.chains);
    paulimpi__free((void *)r.table);
    return rc;
}
