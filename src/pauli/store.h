/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The local store of terms: buckets of blocks of 64 terms.
 *
 * A term is a key (n_words words of x, then n_words of z) and a coefficient
 * that is not 0. The low bits of a hash of 32 bits say in which bucket it lies.
 * The hash is linear over GF(2): hash(P Q) = hash(P) ^ hash(Q), so that the
 * bucket of a term's partner under a rotation is known before the term is
 * looked at. It is not kept: where terms have to be told apart it, or a
 * fingerprint, is found from the key.
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
    uint64_t word[]; /* word w of term t is word[w * 64 + t] */
};

typedef struct {
    paulimpi__block *head;
    int64_t n_terms;
} paulimpi__bucket;

/* The first blocks of a bucket's chain once more, as far as they are known, so
 * that a pass need not wait for one block to find the next. */
typedef struct {
    int64_t n;
    paulimpi__block *block[PAULIMPI__MOST_KNOWN];
} paulimpi__known;

typedef struct paulimpi__slab paulimpi__slab;

/* Blocks never used, for the next needs of a thread. They lie in one large page
 * of the system: if two threads touched it first at the same time, both would
 * get one, clear it, and one would throw it away. */
typedef struct {
    char *fresh;
    int64_t n;
    int is_zero;
} paulimpi__stock;

enum { PAULIMPI__STOCKS = 64 };

typedef struct {
    size_t block_bytes;
    uint64_t unused[16]; /* so that what any thread writes here is not in a
                            cache line with what all read in the store */
    paulimpi__slab *slabs;
    paulimpi__block *free; /* given back, chained by next */
    int64_t n_free;
    int64_t n_used; /* handed out */
    int64_t most_used;
    int64_t n_fresh; /* never used, in slabs and stocks */
    paulimpi__stock stock[PAULIMPI__STOCKS]; /* threads beyond share them */
} paulimpi__pool;

typedef struct {
    int64_t n_qubits;
    int64_t n_words; /* of x, and of z */
    int64_t n_terms;
    uint32_t *hash_of; /* of X_q, then of Z_q, for every qubit */
    paulimpi__bucket *buckets;
    paulimpi__known *known; /* of each bucket; not touched before it is used */
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

/** Make nothing known of the blocks of n buckets: room for that, or NULL. */
paulimpi__known *paulimpi__known_alloc(size_t n_buckets);

/** The hash of a string. */
uint32_t paulimpi__store_hash(const paulimpi__store *store, const uint64_t *x,
                              const uint64_t *z);

/** The hash of a term of a block. */
uint32_t paulimpi__term_hash(const paulimpi__store *store,
                             const paulimpi__block *block, int64_t term);

/** Where the coefficient of a string is, or NULL. */
double *paulimpi__store_find(const paulimpi__store *store, const uint64_t *x,
                             const uint64_t *z);

/** The same of n strings, 0 or more: a look at the buckets in turn, not one for
 * each string. 0 or PAULIMPI_ERR_MEMORY. */
int paulimpi__store_find_all(const paulimpi__store *store, int64_t n,
                             const uint64_t *x, const uint64_t *z,
                             const double **place);

/** Add n terms; equal strings are added up in their order, sums that are 0 are
 * removed. Unchanged on failure. */
int paulimpi__store_add(paulimpi__store *store, int64_t n, const uint64_t *x,
                        const uint64_t *z, const double *coefficient);

/** The same, in agreement with others: what could fail is done, then agree is
 * called with the code, and nothing is added unless it returns 0. Returns what
 * it does. */
int paulimpi__store_add_if(paulimpi__store *store, int64_t n,
                           const uint64_t *x, const uint64_t *z,
                           const double *coefficient,
                           int (*agree)(void *data, int code), void *data);

/** Remove the terms of a bucket whose coefficient is 0, keeping no order. */
void paulimpi__bucket_compact(paulimpi__store *store, paulimpi__bucket *bucket,
                              paulimpi__purse *purse);

/** After a chain has become shorter, to n_blocks: forget the blocks that are
 * gone. */
static inline void
paulimpi__bucket_forget(const paulimpi__store *store,
                        const paulimpi__bucket *bucket, int64_t n_blocks)
{
    paulimpi__known *known = &store->known[bucket - store->buckets];

    if (known->n > n_blocks) {
        known->n = n_blocks;
    }
}

/** Double or halve the number of buckets until n_terms terms would fill them as
 * is best for the caches. Where memory is missing, nothing happens. */
void paulimpi__store_rebalance(paulimpi__store *store, int64_t n_terms);
/** Halve the number of buckets. 0, or PAULIMPI_ERR_MEMORY with the store as it
 * was, which cannot be if there is room for 128 more terms. */
int paulimpi__store_halve(paulimpi__store *store);
/** The part of it that halves. */
void paulimpi__store_join(paulimpi__store *store, int64_t n_terms);

/* Doubling the buckets, one by one and on several threads if that is wanted:
 * begin, each of the buckets that are there, end. Each thread has a purse. */
typedef struct {
    paulimpi__store *store;
    uint64_t *function; /* a bit of the hash as a key */
} paulimpi__doubling;

/** Whether n_terms terms are too many for the buckets that there are. */
int paulimpi__store_should_double(const paulimpi__store *store,
                                  int64_t n_terms);
/** 0, or PAULIMPI_ERR_MEMORY with the store as it was. */
int paulimpi__store_double_begin(paulimpi__store *store,
                                 paulimpi__doubling *doubling);
void paulimpi__store_double_bucket(const paulimpi__doubling *doubling,
                                   int64_t b, paulimpi__purse *purse);
void paulimpi__store_double_end(paulimpi__doubling *doubling);

/* Move term `from` of a block onto term `to` of another. */
static inline void
paulimpi__term_move(int64_t n_key, const paulimpi__block *source, int from,
                    paulimpi__block *target, int to)
{
    int64_t w;

    target->coefficient[to] = source->coefficient[from];
    for (w = 0; w < n_key; w++) {
        target->word[w * PAULIMPI__BLOCK_TERMS + to] =
            source->word[w * PAULIMPI__BLOCK_TERMS + from];
    }
}

/* The fingerprint of a key is a number by which strings can be told apart, most
 * often: linear over GF(2) like the hash, and fast to find, but it follows no
 * turns. Start with 0, add n words that are `stride` words apart, end. */
static inline uint64_t
paulimpi__print_round(uint64_t print)
{
    print ^= print << 15;
    print ^= print >> 16;
    return print ^ print << 22;
}

/* With one round, or other shifts, there are strings of three letters with the
 * fingerprint 0. */
static inline uint64_t
paulimpi__print_step(uint64_t print)
{
    return paulimpi__print_round(paulimpi__print_round(print));
}

static inline uint64_t
paulimpi__print_add(uint64_t print, const uint64_t *word, int64_t n,
                    int64_t stride)
{
    int64_t w;

    for (w = 0; w < n; w++) {
        print = paulimpi__print_step(print ^ word[w * stride]);
    }
    return print;
}

static inline uint32_t
paulimpi__print_end(uint64_t print)
{
    return (uint32_t)(print ^ print >> 32);
}

static inline uint32_t
paulimpi__key_print(int64_t n_key, const uint64_t *key)
{
    return paulimpi__print_end(paulimpi__print_add(0, key, n_key, 1));
}

static inline uint32_t
paulimpi__term_print(int64_t n_key, const paulimpi__block *block, int64_t term)
{
    return paulimpi__print_end(paulimpi__print_add(
        0, block->word + term, n_key, PAULIMPI__BLOCK_TERMS));
}

/** The fingerprints of all terms of a block. */
static inline void
paulimpi__block_prints(int64_t n_key, const paulimpi__block *block,
                       uint32_t *print)
{
    uint64_t sum[PAULIMPI__BLOCK_TERMS];
    int64_t w;
    int t;

    for (t = 0; t < PAULIMPI__BLOCK_TERMS; t++) {
        sum[t] = paulimpi__print_step(block->word[t]);
    }
    for (w = 1; w < n_key; w++) {
        const uint64_t *word = &block->word[w * PAULIMPI__BLOCK_TERMS];

        for (t = 0; t < PAULIMPI__BLOCK_TERMS; t++) {
            sum[t] = paulimpi__print_step(sum[t] ^ word[t]);
        }
    }
    for (t = 0; t < PAULIMPI__BLOCK_TERMS; t++) {
        print[t] = paulimpi__print_end(sum[t]);
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
