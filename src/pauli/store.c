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

paulimpi__known *
paulimpi__known_alloc(size_t n_buckets)
{
    return paulimpi__alloc_zero(n_buckets, sizeof(paulimpi__known));
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
    store->known = paulimpi__known_alloc(1);
    if (store->hash_of == NULL || store->buckets == NULL
        || store->known == NULL) {
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
    paulimpi__free(store->known);
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
    paulimpi__free(dst->known);
    dst->buckets =
        paulimpi__alloc_zero((size_t)n_buckets, sizeof *dst->buckets);
    dst->known = paulimpi__known_alloc((size_t)n_buckets);
    dst->log2_buckets = src->log2_buckets;
    if (dst->buckets == NULL || dst->known == NULL
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

/* The hash of the bits of half a string, whose words are `stride` apart. */
static uint32_t
hash_half(const uint32_t *hash_of, int64_t n_words, const uint64_t *words,
          int64_t stride)
{
    uint32_t hash = 0;
    int64_t w;

    for (w = 0; w < n_words; w++) {
        uint64_t rest;

        for (rest = words[w * stride]; rest != 0; rest &= rest - 1) {
            hash ^= hash_of[2 * (w * 64 + __builtin_ctzll(rest))];
        }
    }
    return hash;
}

uint32_t
paulimpi__store_hash(const paulimpi__store *store, const uint64_t *x,
                     const uint64_t *z)
{
    return hash_half(store->hash_of, store->n_words, x, 1)
           ^ hash_half(store->hash_of + 1, store->n_words, z, 1);
}

uint32_t
paulimpi__term_hash(const paulimpi__store *store, const paulimpi__block *block,
                    int64_t term)
{
    const uint64_t *x = block->word + term;
    const uint64_t *z = x + store->n_words * BLOCK;

    return hash_half(store->hash_of, store->n_words, x, BLOCK)
           ^ hash_half(store->hash_of + 1, store->n_words, z, BLOCK);
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
            if (paulimpi__term_is(store->n_words, block, t, x, z)) {
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
    paulimpi__bucket_forget(store, bucket, (n + BLOCK - 1) / BLOCK);
}

/* Write a bit of the hash as a key: the bit of a string is the parity of what
 * it has in common with it. */
static void
write_function(const paulimpi__store *store, int bit, uint64_t *function)
{
    int64_t n_words = store->n_words;
    int64_t q;

    memset(function, 0, (size_t)n_words * 2 * sizeof *function);
    for (q = 0; q < store->n_qubits; q++) {
        const uint32_t *hash = &store->hash_of[2 * q];

        function[q / 64] |= (uint64_t)(hash[0] >> bit & 1) << q % 64;
        function[n_words + q / 64] |= (uint64_t)(hash[1] >> bit & 1) << q % 64;
    }
}

/* The terms of a block at which a function is 1. */
static uint64_t
apply_function(const uint64_t *function, int64_t n_key,
               const paulimpi__block *block)
{
    uint64_t bits = 0;
    int64_t w;
    int t;

    for (t = 0; t < BLOCK; t++) {
        uint64_t odd = 0;

        for (w = 0; w < n_key; w++) {
            odd ^= function[w] & block->word[w * BLOCK + t];
        }
        bits |= (uint64_t)paulimpi__parity(odd) << t;
    }
    return bits;
}

/* A bucket that terms are put at the end of. */
typedef struct {
    paulimpi__bucket *bucket;
    paulimpi__block *last;
} tail;

/* Put the terms of a block that have their bits set at the end of a bucket,
 * column by column. */
static void
append_terms(paulimpi__store *store, const paulimpi__block *source,
             uint64_t bits, tail *to, paulimpi__purse *purse)
{
    uint8_t list[BLOCK];
    int n = 0;
    int first = 0;
    int64_t w;
    int i;

    for (; bits != 0; bits &= bits - 1) {
        list[n++] = (uint8_t)__builtin_ctzll(bits);
    }
    while (first < n) {
        int slot = (int)(to->bucket->n_terms % BLOCK);
        int n_here = n - first < BLOCK - slot ? n - first : BLOCK - slot;

        if (slot == 0) {
            paulimpi__block *block = paulimpi__block_take(store, purse);

            *(to->last == NULL ? &to->bucket->head : &to->last->next) = block;
            to->last = block;
        }
        for (i = 0; i < n_here; i++) {
            to->last->coefficient[slot + i] =
                source->coefficient[list[first + i]];
        }
        for (w = 0; w < 2 * store->n_words; w++) {
            const uint64_t *from = &source->word[w * BLOCK];
            uint64_t *word = &to->last->word[w * BLOCK + slot];

            for (i = 0; i < n_here; i++) {
                word[i] = from[list[first + i]];
            }
        }
        to->bucket->n_terms += n_here;
        first += n_here;
    }
}

static uint64_t
first_bits(int64_t n)
{
    return n < BLOCK ? ((uint64_t)1 << n) - 1 : UINT64_MAX;
}

/* Deal the terms of a bucket out over two, by a function of their keys, and
 * give its blocks back as they are read. */
static void
split_bucket(paulimpi__store *store, paulimpi__bucket *low,
             paulimpi__bucket *high, const uint64_t *function,
             paulimpi__purse *purse)
{
    int64_t rest = low->n_terms;
    paulimpi__block *source = low->head;
    tail half[2] = { { low, NULL }, { high, NULL } };

    *low = *high = (paulimpi__bucket){ .head = NULL };
    for (; source != NULL; rest -= BLOCK) {
        paulimpi__block *next = source->next;
        uint64_t side = apply_function(function, 2 * store->n_words, source);

        append_terms(store, source, first_bits(rest) & ~side, &half[0], purse);
        append_terms(store, source, first_bits(rest) & side, &half[1], purse);
        paulimpi__block_give(store, purse, source);
        source = next;
    }
}

/* Give the terms of one bucket to another: its full blocks in front, those of
 * the last one behind. */
static void
merge_bucket(paulimpi__store *store, paulimpi__bucket *low,
             const paulimpi__bucket *high, paulimpi__purse *purse)
{
    int64_t rest = high->n_terms;
    paulimpi__block *source = high->head;
    paulimpi__block *full = NULL;
    tail to = { low, low->head };

    while (to.last != NULL && to.last->next != NULL) {
        to.last = to.last->next;
    }
    for (; rest >= BLOCK; rest -= BLOCK) {
        full = source;
        source = source->next;
        low->n_terms += BLOCK;
    }
    if (rest > 0) {
        append_terms(store, source, first_bits(rest), &to, purse);
        paulimpi__block_give(store, purse, source);
    }
    if (full != NULL) {
        full->next = low->head;
        low->head = high->head;
        paulimpi__bucket_forget(store, low, 0);
    }
}

/* Make room for twice the buckets. */
static int
extend_buckets(paulimpi__store *store)
{
    size_t n = (size_t)paulimpi__store_buckets(store) * 2;
    paulimpi__known *known = paulimpi__known_alloc(n);
    paulimpi__bucket *buckets =
        known == NULL ? NULL
                      : paulimpi__realloc(store->buckets, n, sizeof *buckets);

    if (buckets == NULL) {
        paulimpi__free(known);
        return PAULIMPI_ERR_MEMORY;
    }
    paulimpi__free(store->known);
    store->known = known;
    store->buckets = buckets;
    return PAULIMPI_SUCCESS;
}

int
paulimpi__store_double_begin(paulimpi__store *store,
                             paulimpi__doubling *doubling)
{
    int64_t n_old = paulimpi__store_buckets(store);

    doubling->store = store;
    doubling->function =
        paulimpi__alloc((size_t)store->n_words, 2 * sizeof(uint64_t));
    /* A bucket's blocks are given back while its halves take others: two more
     * at a time, and one for each new bucket in the end. */
    if (doubling->function == NULL
        || paulimpi__store_reserve(store, 2 * n_old * BLOCK)
               != PAULIMPI_SUCCESS
        || extend_buckets(store) != PAULIMPI_SUCCESS) {
        paulimpi__free(doubling->function);
        return PAULIMPI_ERR_MEMORY;
    }
    write_function(store, store->log2_buckets, doubling->function);
    return PAULIMPI_SUCCESS;
}

void
paulimpi__store_double_bucket(const paulimpi__doubling *doubling, int64_t b,
                              paulimpi__purse *purse)
{
    paulimpi__store *store = doubling->store;
    paulimpi__bucket *low = &store->buckets[b];

    split_bucket(store, low, low + paulimpi__store_buckets(store),
                 doubling->function, purse);
}

void
paulimpi__store_double_end(paulimpi__doubling *doubling)
{
    doubling->store->log2_buckets++;
    paulimpi__free(doubling->function);
}

static int
double_buckets(paulimpi__store *store)
{
    paulimpi__purse purse = { NULL, 0 };
    int64_t n_old = paulimpi__store_buckets(store);
    paulimpi__doubling doubling;
    int64_t b;

    if (paulimpi__store_double_begin(store, &doubling) != PAULIMPI_SUCCESS) {
        return PAULIMPI_ERR_MEMORY;
    }
    for (b = 0; b < n_old; b++) {
        paulimpi__store_double_bucket(&doubling, b, &purse);
    }
    paulimpi__store_double_end(&doubling);
    paulimpi__purse_empty(store, &purse);
    return PAULIMPI_SUCCESS;
}

int
paulimpi__store_halve(paulimpi__store *store)
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

int
paulimpi__store_should_double(const paulimpi__store *store, int64_t n_terms)
{
    return n_terms >> store->log2_buckets > MOST_TERMS
           && store->log2_buckets < MOST_LOG2_BUCKETS;
}

void
paulimpi__store_rebalance(paulimpi__store *store, int64_t n_terms)
{
    int rc = PAULIMPI_SUCCESS;

    while (rc == PAULIMPI_SUCCESS
           && paulimpi__store_should_double(store, n_terms)) {
        rc = double_buckets(store);
    }
    paulimpi__store_join(store, n_terms);
}

void
paulimpi__store_join(paulimpi__store *store, int64_t n_terms)
{
    int rc = PAULIMPI_SUCCESS;

    while (rc == PAULIMPI_SUCCESS && store->log2_buckets > 0
           && n_terms >> store->log2_buckets < LEAST_TERMS) {
        rc = paulimpi__store_halve(store);
    }
}
