/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Many strings at once, to be added to a store or looked up in it: by bucket,
 * through a table of its terms.
 */
#include <string.h>

#include "pauli/pauli.h"

enum {
    BLOCK = PAULIMPI__BLOCK_TERMS,
    FEW_TERMS = 4 /* looked up one by one, without a table */
};

/* Where a term stands. */
typedef struct {
    paulimpi__block *block; /* NULL: an empty entry of the table */
    uint32_t print;
    int term;
} entry;

typedef struct {
    const paulimpi__store *store;
    int64_t n;
    const uint64_t *x;
    const uint64_t *z;
    uint32_t *hash; /* of every string */
    int64_t *order; /* strings by bucket, each bucket's as they came */
    int64_t *start; /* of each bucket in order[], and the end */
    entry *table;   /* open addressing, never more than half full */
    int log2_table;
} batch;

static void
hash_all(batch *all)
{
    int64_t n_words = all->store->n_words;
    int64_t i;

    for (i = 0; i < all->n; i++) {
        all->hash[i] = paulimpi__store_hash(all->store, all->x + i * n_words,
                                            all->z + i * n_words);
    }
}

/* Sort the strings by bucket, stably, by counting. */
static void
sort_by_bucket(batch *all)
{
    int64_t n_buckets = paulimpi__store_buckets(all->store);
    uint32_t mask = (uint32_t)(n_buckets - 1);
    int64_t i;

    for (i = 0; i < all->n; i++) {
        all->start[(all->hash[i] & mask) + 1]++;
    }
    for (i = 0; i < n_buckets; i++) {
        all->start[i + 1] += all->start[i];
    }
    for (i = 0; i < all->n; i++) {
        all->order[all->start[all->hash[i] & mask]++] = i;
    }
    /* Each start has become the next bucket's: move them back. */
    memmove(all->start + 1, all->start,
            (size_t)n_buckets * sizeof *all->start);
    all->start[0] = 0;
}

/* What paulimpi__term_print() is of a term that has this key. */
static uint32_t
print_of(const uint64_t *x, const uint64_t *z, int64_t n_words)
{
    uint64_t print = paulimpi__print_add(0, x, n_words, 1);

    return paulimpi__print_end(paulimpi__print_add(print, z, n_words, 1));
}

/* The entry of a string, or the empty one where it belongs. */
static entry *
probe(const batch *all, const uint64_t *x, const uint64_t *z, uint32_t print)
{
    size_t mask = ((size_t)1 << all->log2_table) - 1;
    size_t slot = (size_t)(print * 0x9e3779b1u) >> (32 - all->log2_table);
    entry *e = &all->table[slot];

    while (e->block != NULL
           && (e->print != print
               || !paulimpi__term_is(all->store->n_words, e->block, e->term, x,
                                     z))) {
        slot = (slot + 1) & mask;
        e = &all->table[slot];
    }
    return e;
}

static void
enter_bucket(batch *all, const paulimpi__bucket *bucket)
{
    size_t mask = ((size_t)1 << all->log2_table) - 1;
    int64_t rest = bucket->n_terms;
    paulimpi__block *block;

    memset(all->table, 0, (mask + 1) * sizeof *all->table);
    for (block = bucket->head; block != NULL; block = block->next) {
        int n = rest < BLOCK ? (int)rest : BLOCK;
        int t;

        for (t = 0; t < n; t++) {
            uint32_t print =
                paulimpi__term_print(2 * all->store->n_words, block, t);
            size_t slot =
                (size_t)(print * 0x9e3779b1u) >> (32 - all->log2_table);

            while (all->table[slot].block != NULL) {
                slot = (slot + 1) & mask;
            }
            all->table[slot] = (entry){ block, print, t };
        }
        rest -= n;
    }
}

/* Twice the terms that any bucket may come to hold. */
static int
log2_of_table(const batch *all)
{
    int64_t n_buckets = paulimpi__store_buckets(all->store);
    int64_t most = 1;
    int64_t b;

    for (b = 0; b < n_buckets; b++) {
        int64_t n =
            all->store->buckets[b].n_terms + all->start[b + 1] - all->start[b];

        most = n > most ? n : most;
    }
    return paulimpi__log2_ceil((uint64_t)most) + 1;
}

/* Sort the strings for the buckets that there are, and make room for a table. 0
 * or PAULIMPI_ERR_MEMORY; free it in either case. */
static int
batch_sort(batch *all)
{
    size_t n = (size_t)all->n;
    size_t n_buckets = (size_t)paulimpi__store_buckets(all->store);

    all->hash = paulimpi__alloc(n, sizeof *all->hash);
    all->order = paulimpi__alloc(n, sizeof *all->order);
    all->start = paulimpi__alloc_zero(n_buckets + 1, sizeof *all->start);
    if (all->hash == NULL || all->order == NULL || all->start == NULL) {
        return PAULIMPI_ERR_MEMORY;
    }
    hash_all(all);
    sort_by_bucket(all);
    all->log2_table = log2_of_table(all);
    all->table =
        paulimpi__alloc((size_t)1 << all->log2_table, sizeof *all->table);
    return all->table == NULL ? PAULIMPI_ERR_MEMORY : PAULIMPI_SUCCESS;
}

static void
batch_free(batch *all)
{
    paulimpi__free(all->table);
    paulimpi__free(all->start);
    paulimpi__free(all->order);
    paulimpi__free(all->hash);
}

/* Whether so many strings of bucket b are worth a table of its terms. */
static int
is_worth_table(const batch *all, int64_t b)
{
    return all->start[b + 1] - all->start[b] > FEW_TERMS;
}

static const uint64_t *
x_of(const batch *all, int64_t k)
{
    return all->x + k * all->store->n_words;
}

static const uint64_t *
z_of(const batch *all, int64_t k)
{
    return all->z + k * all->store->n_words;
}

/* Where strings of bucket b are, or NULL. */
static void
find_in_bucket(batch *all, int64_t b, const double **place)
{
    int has_table = is_worth_table(all, b);
    int64_t i;

    if (has_table) {
        enter_bucket(all, &all->store->buckets[b]);
    }
    for (i = all->start[b]; i < all->start[b + 1]; i++) {
        int64_t k = all->order[i];
        const uint64_t *x = x_of(all, k);
        const uint64_t *z = z_of(all, k);

        if (has_table) {
            const entry *e =
                probe(all, x, z, print_of(x, z, all->store->n_words));

            place[k] =
                e->block == NULL ? NULL : &e->block->coefficient[e->term];
        } else {
            place[k] = paulimpi__store_find(all->store, x, z);
        }
    }
}

int
paulimpi__store_find_all(const paulimpi__store *store, int64_t n,
                         const uint64_t *x, const uint64_t *z,
                         const double **place)
{
    batch all = { .store = store, .n = n, .x = x, .z = z };
    int64_t n_buckets = n == 0 ? 0 : paulimpi__store_buckets(store);
    int rc = n == 0 ? PAULIMPI_SUCCESS : batch_sort(&all);
    int64_t b;

    for (b = 0; rc == PAULIMPI_SUCCESS && b < n_buckets; b++) {
        if (all.start[b] < all.start[b + 1]) {
            find_in_bucket(&all, b, place);
        }
    }
    batch_free(&all);
    return rc;
}

/* Append a string with coefficient 0 to a bucket whose last block is *last
 * (NULL: none), and return its place. */
static entry
append(paulimpi__store *store, paulimpi__bucket *bucket,
       paulimpi__block **last, const uint64_t *x, const uint64_t *z,
       uint32_t print)
{
    paulimpi__purse purse = { NULL, 0 };
    int term = (int)(bucket->n_terms++ % BLOCK);
    paulimpi__block *block = *last;
    int64_t n_words = store->n_words;
    int64_t w;

    if (term == 0) {
        block = paulimpi__block_take(store, &purse);
        *(*last == NULL ? &bucket->head : &(*last)->next) = block;
        *last = block;
    }
    block->coefficient[term] = 0.0;
    for (w = 0; w < n_words; w++) {
        block->word[w * BLOCK + term] = x[w];
        block->word[(n_words + w) * BLOCK + term] = z[w];
    }
    return (entry){ block, print, term };
}

/* The place of string k, made if there is none. */
static double *
place_of(batch *all, paulimpi__store *store, paulimpi__bucket *bucket,
         paulimpi__block **last, int64_t k)
{
    const uint64_t *x = x_of(all, k);
    const uint64_t *z = z_of(all, k);
    double *place;
    entry e;

    if (is_worth_table(all, bucket - store->buckets)) {
        uint32_t print = print_of(x, z, store->n_words);
        entry *slot = probe(all, x, z, print);

        if (slot->block == NULL) {
            *slot = append(store, bucket, last, x, z, print);
        }
        return &slot->block->coefficient[slot->term];
    }
    place = paulimpi__store_find(store, x, z);
    if (place == NULL) {
        e = append(store, bucket, last, x, z, 0);
        place = &e.block->coefficient[e.term];
    }
    return place;
}

/* Add the terms of bucket b. */
static void
add_to_bucket(batch *all, paulimpi__store *store, int64_t b,
              const double *coefficient)
{
    paulimpi__bucket *bucket = &store->buckets[b];
    paulimpi__purse purse = { NULL, 0 };
    int64_t n_before = bucket->n_terms;
    paulimpi__block *last = bucket->head;
    int has_zero = 0;
    int64_t i;

    while (last != NULL && last->next != NULL) {
        last = last->next;
    }
    if (is_worth_table(all, b)) {
        enter_bucket(all, bucket);
    }
    for (i = all->start[b]; i < all->start[b + 1]; i++) {
        int64_t k = all->order[i];
        double *place = place_of(all, store, bucket, &last, k);

        *place += coefficient[k];
        has_zero |= *place == 0.0;
    }
    if (has_zero) {
        paulimpi__bucket_compact(store, bucket, &purse);
    }
    paulimpi__purse_empty(store, &purse);
    store->n_terms += bucket->n_terms - n_before;
}

/* Do all that could fail. */
static int
prepare(batch *all, paulimpi__store *store)
{
    int rc;

    if (all->n == 0) {
        return PAULIMPI_SUCCESS;
    }
    paulimpi__store_rebalance(store, store->n_terms + all->n);
    rc = batch_sort(all);
    return rc == PAULIMPI_SUCCESS ? paulimpi__store_reserve(store, all->n)
                                  : rc;
}

int
paulimpi__store_add_if(paulimpi__store *store, int64_t n, const uint64_t *x,
                       const uint64_t *z, const double *coefficient,
                       int (*agree)(void *data, int code), void *data)
{
    batch all = { .store = store, .n = n, .x = x, .z = z };
    int rc = agree(data, prepare(&all, store));
    int64_t n_buckets, b;

    if (rc == PAULIMPI_SUCCESS && n > 0) {
        n_buckets = paulimpi__store_buckets(store);
        for (b = 0; b < n_buckets; b++) {
            if (all.start[b] < all.start[b + 1]) {
                add_to_bucket(&all, store, b, coefficient);
            }
        }
    }
    batch_free(&all);
    return rc;
}

static int
go_ahead(void *data, int code)
{
    (void)data;
    return code;
}

int
paulimpi__store_add(paulimpi__store *store, int64_t n, const uint64_t *x,
                    const uint64_t *z, const double *coefficient)
{
    return paulimpi__store_add_if(store, n, x, z, coefficient, go_ahead, NULL);
}
