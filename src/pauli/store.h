/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The local store of terms: buckets of blocks of 64 terms.
 *
 * A term is a key (n_words words of x, then n_words of z), a coefficient that
 * is not 0, and a hash of 32 bits that is linear over GF(2):
 * hash(P Q) = hash(P) ^ hash(Q). The low bits of the hash name the bucket, so
 * that the bucket of a term's partner under a rotation is known before the
 * term is looked at.
 *
 * A block holds 64 terms by columns and never moves; a bucket is a chain of
 * blocks, all full but the last. Blocks come from the store's pool, which
 * grows by slabs and is only given back with the store.
 */
#ifndef PAULIMPI_SRC_PAULI_STORE_H
#define PAULIMPI_SRC_PAULI_STORE_H

#include <stddef.h>
#include <stdint.h>

enum { PAULIMPI__BLOCK_TERMS = 64, PAULIMPI__MOST_KNOWN = 64 };

typedef struct paulimpi__block paulimpi__block;
struct paulimpi__block {
    paulimpi__block *next;
    uint64_t unused[7]; /* the columns begin a cache line */
    double coefficient[PAULIMPI__BLOCK_TERMS];
    uint32_t hash[PAULIMPI__BLOCK_TERMS];
    uint64_t word[]; /* word w of term t is word[w * 64 + t] */
};

typedef struct {
    paulimpi__block *head;
    int64_t n_terms;
    /* The first blocks of the chain once more, as far as they are known, so
     * that a pass need not wait for one block to find the next. */
    int64_t n_known;
    paulimpi__block *known[PAULIMPI__MOST_KNOWN];
} paulimpi__bucket;

typedef struct paulimpi__slab paulimpi__slab;

typedef struct {
    size_t block_bytes;
    paulimpi__slab *slabs;
    paulimpi__block *free; /* given back, chained by next */
    int64_t n_free;
    int64_t n_used; /* handed out */
    int64_t most_used;
    int64_t n_fresh; /* never used, in slabs */
} paulimpi__pool;

typedef struct {
    int64_t n_qubits;
    int64_t n_words; /* of x, and of z */
    int64_t n_terms;
    uint32_t *hash_of; /* of X_q, then of Z_q, for every qubit */
    paulimpi__bucket *buckets;
    int log2_buckets;
    paulimpi__pool pool;
} paulimpi__store;

/* Blocks that one thread has emptied and may fill again without a lock. Start
 * from { NULL, 0 }. */
typedef struct {
    paulimpi__block *free;
    int64_t n_free;
} paulimpi__purse;

/** Make an empty store. 0 or PAULIMPI_ERR_MEMORY. */
int paulimpi__store_init(paulimpi__store *store, int64_t n_qubits);
void paulimpi__store_free(paulimpi__store *store);
/** Make dst, which is not initialised, a copy of src. */
int paulimpi__store_copy(paulimpi__store *dst, const paulimpi__store *src);

static inline int64_t
paulimpi__store_buckets(const paulimpi__store *store)
{
    return (int64_t)1 << store->log2_buckets;
}

/** Bytes held by terms now, and at most since the peak was forgotten. */
int64_t paulimpi__store_bytes(const paulimpi__store *store);
int64_t paulimpi__store_peak_bytes(const paulimpi__store *store);
void paulimpi__store_forget_peak(paulimpi__store *store);
/** Bytes that n more terms need at most, wherever they go. */
int64_t paulimpi__store_bytes_for(const paulimpi__store *store, int64_t n);

/** Make the pool hold enough blocks for n more terms, wherever they go; then
 * as many insertions cannot fail. Memory that is not used is not touched.
 * 0 or PAULIMPI_ERR_MEMORY. */
int paulimpi__store_reserve(paulimpi__store *store, int64_t n);

/** A block out of a purse, or out of the pool if that is empty; never NULL
 * after a reservation. Its columns are defined. */
paulimpi__block *paulimpi__block_take(paulimpi__store *store,
                                      paulimpi__purse *purse);
/** Fill a purse with n blocks out of the pool, which may grow as long as the
 * store takes at most most_bytes. Whether that worked. */
int paulimpi__purse_fill(paulimpi__store *store, paulimpi__purse *purse,
                         int64_t n, int64_t most_bytes);
void paulimpi__block_give(paulimpi__store *store, paulimpi__purse *purse,
                          paulimpi__block *block);
/** Give all blocks of a purse back to the pool. */
void paulimpi__purse_empty(paulimpi__store *store, paulimpi__purse *purse);

/** The hash of a string. */
uint32_t paulimpi__store_hash(const paulimpi__store *store, const uint64_t *x,
                              const uint64_t *z);

/** Where the coefficient of a string is, or NULL. */
double *paulimpi__store_find(const paulimpi__store *store, const uint64_t *x,
                             const uint64_t *z);

/** Add n terms; equal strings are added up in their order, sums that are 0 are
 * removed. Unchanged on failure. */
int paulimpi__store_add(paulimpi__store *store, int64_t n, const uint64_t *x,
                        const uint64_t *z, const double *coefficient);

/** Remove the terms of a bucket whose coefficient is 0, keeping no order. */
void paulimpi__bucket_compact(paulimpi__store *store, paulimpi__bucket *bucket,
                              paulimpi__purse *purse);

/** After a chain has become shorter, to n_blocks: forget the blocks that are
 * gone. */
static inline void
paulimpi__bucket_forget(paulimpi__bucket *bucket, int64_t n_blocks)
{
    if (bucket->n_known > n_blocks) {
        bucket->n_known = n_blocks;
    }
}

/** Double or halve the number of buckets until n_terms terms would fill them as
 * is best for the caches. Where memory is missing, nothing happens. */
void paulimpi__store_rebalance(paulimpi__store *store, int64_t n_terms);

/* Move term `from` of a block onto term `to` of another. */
static inline void
paulimpi__term_move(int64_t n_key, const paulimpi__block *source, int from,
                    paulimpi__block *target, int to)
{
    int64_t w;

    target->coefficient[to] = source->coefficient[from];
    target->hash[to] = source->hash[from];
    for (w = 0; w < n_key; w++) {
        target->word[w * PAULIMPI__BLOCK_TERMS + to] =
            source->word[w * PAULIMPI__BLOCK_TERMS + from];
    }
}

static inline int
paulimpi__term_is(int64_t n_words, const paulimpi__block *block, int term,
                  const uint64_t *x, const uint64_t *z)
{
    int64_t w;

    for (w = 0; w < n_words; w++) {
        if (block->word[w * PAULIMPI__BLOCK_TERMS + term] != x[w]
            || block->word[(n_words + w) * PAULIMPI__BLOCK_TERMS + term]
                   != z[w]) {
            return 0;
        }
    }
    return 1;
}

/* The pool's part of freeing a store. */
void paulimpi__pool_free(paulimpi__pool *pool);

#endif /* PAULIMPI_SRC_PAULI_STORE_H */
