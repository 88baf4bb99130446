/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adding many terms to a store: by bucket, through a table of its terms.
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
    paulimpi__store *store;
    int64_t n;
    const uint64_t *x;
    const uint64_t *z;
    const double *coefficient;
    uint32_t *hash; /* of every new term */
    int64_t *order; /* new terms by bucket, each bucket's as they came */
    int64_t *start; /* of each bucket in order[], and the end */
    entry *table;   /* open addressing, never more than half full */
    int log2_table;
} addition;

static void
hash_all(addition *add)
{
    int64_t n_words = add->store->n_words;
    int64_t i;

    for (i = 0; i < add->n; i++) {
        add->hash[i] = paulimpi__store_hash(add->store, add->x + i * n_words,
                                            add->z + i * n_words);
    }
}

/* Sort the new terms by bucket, stably, by counting. */
static void
sort_by_bucket(addition *add)
{
    int64_t n_buckets = paulimpi__store_buckets(add->store);
    uint32_t mask = (uint32_t)(n_buckets - 1);
    int64_t i;

    for (i = 0; i < add->n; i++) {
        add->start[(add->hash[i] & mask) + 1]++;
    }
    for (i = 0; i < n_buckets; i++) {
        add->start[i + 1] += add->start[i];
    }
    for (i = 0; i < add->n; i++) {
        add->order[add->start[add->hash[i] & mask]++] = i;
    }
    /* Each start has become the next bucket's: move them back. */
    memmove(add->start + 1, add->start,
            (size_t)n_buckets * sizeof *add->start);
    add->start[0] = 0;
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
probe(const addition *add, const uint64_t *x, const uint64_t *z,
      uint32_t print)
{
    size_t mask = ((size_t)1 << add->log2_table) - 1;
    size_t slot = (size_t)(print * 0x9e3779b1u) >> (32 - add->log2_table);
    entry *e = &add->table[slot];

    while (e->block != NULL
           && (e->print != print
               || !paulimpi__term_is(add->store->n_words, e->block, e->term, x,
                                     z))) {
        slot = (slot + 1) & mask;
        e = &add->table[slot];
    }
    return e;
}

static void
enter_bucket(addition *add, const paulimpi__bucket *bucket)
{
    size_t mask = ((size_t)1 << add->log2_table) - 1;
    int64_t rest = bucket->n_terms;
    paulimpi__block *block;

    memset(add->table, 0, (mask + 1) * sizeof *add->table);
    for (block = bucket->head; block != NULL; block = block->next) {
        int n = rest < BLOCK ? (int)rest : BLOCK;
        int t;

        for (t = 0; t < n; t++) {
            uint32_t print =
                paulimpi__term_print(2 * add->store->n_words, block, t);
            size_t slot =
                (size_t)(print * 0x9e3779b1u) >> (32 - add->log2_table);

            while (add->table[slot].block != NULL) {
                slot = (slot + 1) & mask;
            }
            add->table[slot] = (entry){ block, print, t };
        }
        rest -= n;
    }
}

/* Append a string with coefficient 0 to a bucket whose last block is *last
 * (NULL: none), and return its place. */
static entry
append(addition *add, paulimpi__bucket *bucket, paulimpi__block **last,
       const uint64_t *x, const uint64_t *z, uint32_t print)
{
    paulimpi__purse purse = { NULL, 0 };
    int term = (int)(bucket->n_terms++ % BLOCK);
    paulimpi__block *block = *last;
    int64_t n_words = add->store->n_words;
    int64_t w;

    if (term == 0) {
        block = paulimpi__block_take(add->store, &purse);
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

/* The place of a new term, made if there is none. */
static double *
place_of(addition *add, paulimpi__bucket *bucket, paulimpi__block **last,
         int64_t k, int has_table)
{
    const uint64_t *x = add->x + k * add->store->n_words;
    const uint64_t *z = add->z + k * add->store->n_words;
    double *place = NULL;
    entry e;

    if (has_table) {
        uint32_t print = print_of(x, z, add->store->n_words);
        entry *slot = probe(add, x, z, print);

        if (slot->block == NULL) {
            *slot = append(add, bucket, last, x, z, print);
        }
        e = *slot;
        return &e.block->coefficient[e.term];
    }
    place = paulimpi__store_find(add->store, x, z);
    if (place == NULL) {
        e = append(add, bucket, last, x, z, 0);
        place = &e.block->coefficient[e.term];
    }
    return place;
}

/* Add the new terms of bucket b. */
static void
add_to_bucket(addition *add, int64_t b)
{
    paulimpi__store *store = add->store;
    paulimpi__bucket *bucket = &store->buckets[b];
    paulimpi__purse purse = { NULL, 0 };
    int64_t n_before = bucket->n_terms;
    int has_table = add->start[b + 1] - add->start[b] > FEW_TERMS;
    paulimpi__block *last = bucket->head;
    int has_zero = 0;
    int64_t i;

    while (last != NULL && last->next != NULL) {
        last = last->next;
    }
    if (has_table) {
        enter_bucket(add, bucket);
    }
    for (i = add->start[b]; i < add->start[b + 1]; i++) {
        int64_t k = add->order[i];
        double *place = place_of(add, bucket, &last, k, has_table);

        *place += add->coefficient[k];
        has_zero |= *place == 0.0;
    }
    if (has_zero) {
        paulimpi__bucket_compact(store, bucket, &purse);
    }
    paulimpi__purse_empty(store, &purse);
    store->n_terms += bucket->n_terms - n_before;
}

/* Twice the terms that any bucket may come to hold. */
static int
log2_of_table(const addition *add)
{
    int64_t n_buckets = paulimpi__store_buckets(add->store);
    int64_t most = 1;
    int64_t b;

    for (b = 0; b < n_buckets; b++) {
        int64_t n =
            add->store->buckets[b].n_terms + add->start[b + 1] - add->start[b];

        most = n > most ? n : most;
    }
    return paulimpi__log2_ceil((uint64_t)most) + 1;
}

static int
prepare(addition *add)
{
    size_t n = (size_t)add->n;
    size_t n_buckets;

    paulimpi__store_rebalance(add->store, add->store->n_terms + add->n);
    n_buckets = (size_t)paulimpi__store_buckets(add->store);
    add->hash = paulimpi__alloc(n, sizeof *add->hash);
    add->order = paulimpi__alloc(n, sizeof *add->order);
    add->start = paulimpi__alloc_zero(n_buckets + 1, sizeof *add->start);
    if (add->hash == NULL || add->order == NULL || add->start == NULL) {
        return PAULIMPI_ERR_MEMORY;
    }
    hash_all(add);
    sort_by_bucket(add);
    add->log2_table = log2_of_table(add);
    add->table =
        paulimpi__alloc((size_t)1 << add->log2_table, sizeof *add->table);
    return add->table == NULL ? PAULIMPI_ERR_MEMORY
                              : paulimpi__store_reserve(add->store, add->n);
}

int
paulimpi__store_add_if(paulimpi__store *store, int64_t n, const uint64_t *x,
                       const uint64_t *z, const double *coefficient,
                       int (*agree)(void *data, int code), void *data)
{
    addition add = {
        .store = store, .n = n, .x = x, .z = z, .coefficient = coefficient
    };
    int64_t n_buckets, b;
    int rc = agree(data, n == 0 ? PAULIMPI_SUCCESS : prepare(&add));

    if (rc == PAULIMPI_SUCCESS && n > 0) {
        n_buckets = paulimpi__store_buckets(store);
        for (b = 0; b < n_buckets; b++) {
            if (add.start[b] < add.start[b + 1]) {
                add_to_bucket(&add, b);
            }
        }
    }
    paulimpi__free(add.table);
    paulimpi__free(add.start);
    paulimpi__free(add.order);
    paulimpi__free(add.hash);
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
