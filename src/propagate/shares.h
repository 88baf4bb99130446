/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which rank holds which string.
 *
 * A few linear functions of the string over GF(2) are the bits of the number
 * of its shard, and a table says which rank holds the shard. So the rank of a
 * term's partner under a rotation is known before the term is looked at: it is
 * the same one where the functions are 0 on the generator. There are more
 * shards than ranks, which need not be a power of 2 then.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_SHARES_H
#define PAULIMPI_SRC_PROPAGATE_SHARES_H

#include <stdint.h>

#include "pauli/pauli.h"
#include "paulimpi/context.h"

enum { PAULIMPI__SHARD_BITS = 24 }; /* of a shard's number, at most */

typedef struct {
    int n_ranks;
    int rank; /* this one */
    int64_t n_qubits;
    int64_t n_words;
    int log2_shards;      /* 0 on one rank */
    uint64_t *function;   /* of each bit of the shard, the lowest first: the
                           parity of what 2 n_words words have in common with
                           a key */
    int32_t *rank_of;     /* of each shard */
    const double *weight; /* of the part of each rank; NULL: equal parts */
} paulimpi__shares;

/** Make shares for the ranks of a context: random functions, and equal numbers
 * of shards. 0 or PAULIMPI_ERR_MEMORY; free it in either case. */
int paulimpi__shares_init(paulimpi__shares *shares,
                          const paulimpi_context *ctx, int64_t n_qubits);

/** The same for one of any number of ranks, which need not exist. */
int paulimpi__shares_init_for(paulimpi__shares *shares, int n_ranks, int rank,
                              int64_t n_qubits);

int paulimpi__shares_copy(paulimpi__shares *dst, const paulimpi__shares *src);
void paulimpi__shares_free(paulimpi__shares *shares);

/** Take the functions and the table of other shares of as many ranks. */
void paulimpi__shares_take(paulimpi__shares *dst, const paulimpi__shares *src);
int paulimpi__shares_are_same(const paulimpi__shares *a,
                              const paulimpi__shares *b);

/** Draw bit `bit` of the shard as random function number `draw`. */
void paulimpi__shares_draw(paulimpi__shares *shares, int bit, uint64_t draw);

/** Deal equal numbers of shards out over the ranks, or numbers by weight. */
void paulimpi__shares_deal(paulimpi__shares *shares);

/** Deal the shards out over the ranks in order, so that all have about as many
 * of the terms that were counted in each shard, or parts of them by weight. */
void paulimpi__shares_balance(paulimpi__shares *shares,
                              const int64_t *n_terms);

/** Terms of the rank that has most over the mean, by such counts; with weights,
 * of the rank that has most for its weight over its part. */
double paulimpi__shares_imbalance(const paulimpi__shares *shares,
                                  const int64_t *n_terms);

/** The rank that holds a string. */
int paulimpi__shares_rank(const paulimpi__shares *shares, const uint64_t *x,
                          const uint64_t *z);

/** The shards of all 64 terms of a block. */
void paulimpi__shares_of_block(const paulimpi__shares *shares,
                               const paulimpi__block *block, uint32_t *shard);

/* Fetch a block before it is read: its address is not known to the processor
 * before that of the one before it has been. */
static inline void
paulimpi__block_fetch(const paulimpi__block *block, int64_t n_words)
{
    int64_t n = (1 + 2 * n_words) * PAULIMPI__BLOCK_TERMS;
    int64_t w;

    for (w = 0; block != NULL && w < n; w += 8) {
        __builtin_prefetch((const uint64_t *)block->coefficient + w);
    }
}

/** Some linear functions of all 64 terms of a block, as bits of a number: of
 * each 2 n_words words, the lowest bit first. */
void paulimpi__block_functions(const paulimpi__block *block, int64_t n_words,
                               int n_functions, const uint64_t *function,
                               uint32_t *value);

/** Redefine the functions after a turn about a string by an odd number of
 * quarters, so that every image is in the shard of its term. */
void paulimpi__shares_follow(paulimpi__shares *shares, const uint64_t *key);

#endif /* PAULIMPI_SRC_PROPAGATE_SHARES_H */
