/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Dealing the terms of a store out over new buckets.
 *
 * Each thread deals what it reads over chains of its own, one for each new
 * bucket; blocks are given back as they are read, so that nothing is there
 * twice. In the end the chains of all threads are joined.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_DEAL_H
#define PAULIMPI_SRC_PROPAGATE_DEAL_H

#include "propagate/in_place.h"

typedef struct {
    paulimpi__block *head;
    paulimpi__block *last;
    int64_t n_terms;
} paulimpi__chain;

typedef struct {
    paulimpi__store *store;
    paulimpi__team *team;
    int log2_buckets;
    int n_threads;
    paulimpi__purse *purses;   /* of each thread */
    paulimpi__chain *chains;   /* of each thread, one for each new bucket */
    paulimpi__block **before;  /* the one before the last, of each chain */
    paulimpi__bucket *buckets; /* the new ones */
    paulimpi__known *known;    /* theirs */
} paulimpi__deal;

/** Make chains for 2^log2_buckets buckets. 0 or PAULIMPI_ERR_MEMORY. */
int paulimpi__deal_begin(paulimpi__deal *deal, const paulimpi__run *run,
                         int log2_buckets);

/** The chains of a thread. */
static inline paulimpi__chain *
paulimpi__deal_chains(const paulimpi__deal *deal, int64_t thread)
{
    return deal->chains + (thread << deal->log2_buckets);
}

/** Put a block at the end of a chain that is full. */
static inline void
paulimpi__chain_extend(paulimpi__chain *chain, paulimpi__block *block)
{
    *(chain->last == NULL ? &chain->head : &chain->last->next) = block;
    chain->last = block;
}

/** The same for one of the deal's chains. */
static inline void
paulimpi__deal_extend(const paulimpi__deal *deal, paulimpi__chain *chain,
                      paulimpi__block *block)
{
    deal->before[chain - deal->chains] = chain->last;
    paulimpi__chain_extend(chain, block);
}

/** Join the chains of all threads to the buckets of the store, whose old ones
 * are empty by now. The hash is the caller's matter. */
void paulimpi__deal_end(paulimpi__deal *deal);

/** Forget a deal that has not begun, or has failed. */
void paulimpi__deal_free(paulimpi__deal *deal);

#endif /* PAULIMPI_SRC_PROPAGATE_DEAL_H */
