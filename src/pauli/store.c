/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The local store of terms: buckets, hashes, look-up, addition.
 */
#include <string.h>

#include "pauli/pauli.h"

enum {
    BLOCK = PAULIMPI__BLOCK_TERMS,
    /* Terms a bucket holds on average: large enough that a gate's work on a
     * bucket outweighs its overhead, small enough that two buckets stay in the
     * second-level cache. See doc/design/engine.md. */
    MOST_TERMS = 4096,
    LEAST_TERMS = 512,
    MOST_LOG2_BUCKETS = 26 /* leaves bits of the hash to tell terms apart */
};

/* The hash of every X_q and Z_q: fixed random numbers, so that any set of
 * strings that is not made against them spreads over the buckets. */
static void
draw_hashes(paulimpi__store *store)
{
    static const uint32_t key[2] = { 0x70617561u, 0x6c697370u };
    int64_t i;

    for (i = 0; i < 2 * store->n_qubits; i += 4) {
        uint32_t counter[4] = { (uint32_t)i, (uint32_t)((uint64_t)i >> 32), 0,
                                0 };
        uint32_t out[4];
        int64_t j;

        paulimpi__philox(counter, key, out);
        for (j = 0; j < 4 && i + j < 2 * store->n_qubits; j++) {
            store->hash_of[i + j] = out[j];
        }
    }
}

int
paulimpi__store_init(paulimpi__store *store, int64_t n_qubits)
{
    int64_t n_words = paulimpi_pauli_words(n_qubits);

    memset(store, 0, sizeof *store);
    store->n_qubits = n_qubits;
    store->n_words = n_words;
    store->pool.block_bytes = sizeof(paulimpi__block)
                              + (size_t)n_words * 2 * BLOCK * sizeof(uint64_t);
    store->hash_of =
        paulimpi__alloc((size_t)n_qubits, 2 * sizeof *store->hash_of);
    store->buckets = paulimpi__alloc_zero(1, sizeof *store->buckets);
    if (store->hash_of == NULL || store->buckets == NULL) {
        paulimpi__store_free(store);
        return PAULIMPI_ERR_MEMORY;
    }
    draw_hashes(store);
    return PAULIMPI_SUCCESS;
}

void
paulimpi__store_free(paulimpi__store *store)
{
    paulimpi__pool_free(&store->pool);
    paulimpi__free(store->buckets);
    paulimpi__free(store->hash_of);
    memset(store, 0, sizeof *store);
}

static void
copy_bucket(paulimpi__store *store, paulimpi__bucket *dst,
            const paulimpi__bucket *src)
{
    paulimpi__purse purse = { NULL, 0 };
    paulimpi__block **end = &dst->head;
    const paulimpi__block *block;

    for (block = src->head; block != NULL; block = block->next) {
        paulimpi__block *copy = paulimpi__block_take(store, &purse);

        memcpy(copy, block, store->pool.block_bytes);
        copy->next = NULL;
        *end = copy;
        end = &copy->next;
    }
    dst->n_terms = src->n_terms;
}

int
paulimpi__store_copy(paulimpi__store *dst, const paulimpi__store *src)
{
    int64_t n_buckets = paulimpi__store_buckets(src);
    int64_t b;
    int rc = paulimpi__store_init(dst, src->n_qubits);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    paulimpi__free(dst->buckets);
    dst->buckets =
        paulimpi__alloc_zero((size_t)n_buckets, sizeof *dst->buckets);
    dst->log2_buckets = src->log2_buckets;
    if (dst->buckets == NULL
        || paulimpi__store_reserve(dst, src->n_terms) != PAULIMPI_SUCCESS) {
        paulimpi__store_free(dst);
        return PAULIMPI_ERR_MEMORY;
    }
    memcpy(dst->hash_of, src->hash_of,
           (size_t)src->n_qubits * 2 * sizeof *src->hash_of);
    for (b = 0; b < n_buckets; b++) {
        copy_bucket(dst, &dst->buckets[b], &src->buckets[b]);
    }
    dst->n_terms = src->n_terms;
    return PAULIMPI_SUCCESS;
}

/* The hash of the bits of half a string. */
static uint32_t
hash_half(const uint32_t *hash_of, int64_t n_words, const uint64_t *words)
{
    uint32_t hash = 0;
    int64_t w;

    for (w = 0; w < n_words; w++) {
        uint64_t rest;

        for (rest = words[w]; rest != 0; rest &= rest - 1) {
            hash ^= hash_of[2 * (w * 64 + __builtin_ctzll(rest))];
        }
    }
    return hash;
}

uint32_t
paulimpi__store_hash(const paulimpi__store *store, const uint64_t *x,
                     const uint64_t *z)
{
    return hash_half(store->hash_of, store->n_words, x)
           ^ hash_half(store->hash_of + 1, store->n_words, z);
}

double *
paulimpi__store_find(const paulimpi__store *store, const uint64_t *x,
                     const uint64_t *z)
{
    uint32_t hash = paulimpi__store_hash(store, x, z);
    int64_t b = hash & (paulimpi__store_buckets(store) - 1);
    int64_t rest = store->buckets[b].n_terms;
    paulimpi__block *block;

    for (block = store->buckets[b].head; block != NULL; block = block->next) {
        int n = rest < BLOCK ? (int)rest : BLOCK;
        int t;

        for (t = 0; t < n; t++) {
            if (block->hash[t] == hash
                && paulimpi__term_is(store->n_words, block, t, x, z)) {
                return &block->coefficient[t];
            }
        }
        rest -= n;
    }
    return NULL;
}

void
paulimpi__bucket_compact(paulimpi__store *store, paulimpi__bucket *bucket,
                         paulimpi__purse *purse)
{
    int64_t n_key = 2 * store->n_words;
    int64_t n_read = bucket->n_terms;
    paulimpi__block *target = bucket->head;
    paulimpi__block *source;
    int64_t n = 0;

    /* Write behind the reading: the target is never ahead of the source. */
    for (source = bucket->head; source != NULL; source = source->next) {
        int in_source = n_read < BLOCK ? (int)n_read : BLOCK;
        int t;

        for (t = 0; t < in_source; t++) {
            if (source->coefficient[t] != 0.0) {
                if (n > 0 && n % BLOCK == 0) {
                    target = target->next;
                }
                paulimpi__term_move(n_key, source, t, target,
                                    (int)(n % BLOCK));
                n++;
            }
        }
        n_read -= in_source;
    }
    source = n > 0 ? target->next : bucket->head;
    if (n > 0) {
        target->next = NULL;
    } else {
        bucket->head = NULL;
    }
    while (source != NULL) {
        paulimpi__block *next = source->next;

        paulimpi__block_give(store, purse, source);
        source = next;
    }
    bucket->n_terms = n;
    paulimpi__bucket_forget(bucket, (n + BLOCK - 1) / BLOCK);
}

/* Deal the terms of a bucket out over two, by bit `bit` of their hashes, and
 * give its blocks back as they are read. */
static void
split_bucket(paulimpi__store *store, paulimpi__bucket *low,
             paulimpi__bucket *high, int bit, paulimpi__purse *purse)
{
    int64_t rest = low->n_terms;
    paulimpi__block *source = low->head;
    paulimpi__bucket *half[2] = { low, high };
    paulimpi__block **end[2] = { &low->head, &high->head };
    paulimpi__block *last[2] = { NULL, NULL };

    *low = *high = (paulimpi__bucket){ .head = NULL };
    while (source != NULL) {
        paulimpi__block *next = source->next;
        int n = rest < BLOCK ? (int)rest : BLOCK;
        int t;

        for (t = 0; t < n; t++) {
            int side = (int)(source->hash[t] >> bit & 1);
            int to = (int)(half[side]->n_terms++ % BLOCK);

            if (to == 0) {
                last[side] = paulimpi__block_take(store, purse);
                *end[side] = last[side];
                end[side] = &last[side]->next;
            }
            paulimpi__term_move(2 * store->n_words, source, t, last[side], to);
        }
        rest -= n;
        paulimpi__block_give(store, purse, source);
        source = next;
    }
}

/* Append the terms of one bucket to another. */
static void
merge_bucket(paulimpi__store *store, paulimpi__bucket *low,
             const paulimpi__bucket *high, paulimpi__purse *purse)
{
    int64_t rest = high->n_terms;
    paulimpi__block *source = high->head;
    paulimpi__block **end = &low->head;

    while (*end != NULL && (*end)->next != NULL) {
        end = &(*end)->next;
    }
    while (source != NULL) {
        paulimpi__block *next = source->next;
        int n = rest < BLOCK ? (int)rest : BLOCK;
        int t;

        for (t = 0; t < n; t++) {
            int to = (int)(low->n_terms++ % BLOCK);

            if (to == 0) {
                end = *end == NULL ? end : &(*end)->next;
                *end = paulimpi__block_take(store, purse);
            }
            paulimpi__term_move(2 * store->n_words, source, t, *end, to);
        }
        rest -= n;
        paulimpi__block_give(store, purse, source);
        source = next;
    }
}

static int
double_buckets(paulimpi__store *store)
{
    paulimpi__purse purse = { NULL, 0 };
    int64_t n_old = paulimpi__store_buckets(store);
    paulimpi__bucket *buckets;
    int64_t b;

    /* A bucket's blocks are given back while its halves take others: two more
     * at a time, and one for each new bucket in the end. */
    if (paulimpi__store_reserve(store, 2 * n_old * BLOCK)
        != PAULIMPI_SUCCESS) {
        return PAULIMPI_ERR_MEMORY;
    }
    buckets =
        paulimpi__realloc(store->buckets, (size_t)n_old * 2, sizeof *buckets);
    if (buckets == NULL) {
        return PAULIMPI_ERR_MEMORY;
    }
    store->buckets = buckets;
    for (b = 0; b < n_old; b++) {
        split_bucket(store, &buckets[b], &buckets[n_old + b],
                     store->log2_buckets, &purse);
    }
    store->log2_buckets++;
    paulimpi__purse_empty(store, &purse);
    return PAULIMPI_SUCCESS;
}

static int
halve_buckets(paulimpi__store *store)
{
    paulimpi__purse purse = { NULL, 0 };
    int64_t n_new = paulimpi__store_buckets(store) / 2;
    int64_t b;

    if (paulimpi__store_reserve(store, 2 * BLOCK) != PAULIMPI_SUCCESS) {
        return PAULIMPI_ERR_MEMORY;
    }
    for (b = 0; b < n_new; b++) {
        merge_bucket(store, &store->buckets[b], &store->buckets[n_new + b],
                     &purse);
    }
    store->log2_buckets--;
    paulimpi__purse_empty(store, &purse);
    return PAULIMPI_SUCCESS;
}

void
paulimpi__store_rebalance(paulimpi__store *store, int64_t n_terms)
{
    int rc = PAULIMPI_SUCCESS;

    while (rc == PAULIMPI_SUCCESS
           && n_terms >> store->log2_buckets > MOST_TERMS
           && store->log2_buckets < MOST_LOG2_BUCKETS) {
        rc = double_buckets(store);
    }
    while (rc == PAULIMPI_SUCCESS && store->log2_buckets > 0
           && n_terms >> store->log2_buckets < LEAST_TERMS) {
        rc = halve_buckets(store);
    }
}
