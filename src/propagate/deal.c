/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Dealing the terms of a store out over new buckets.
 */
#include "propagate/deal.h"

enum { BLOCK = PAULIMPI__BLOCK_TERMS };

int
paulimpi__deal_begin(paulimpi__deal *deal, const paulimpi__run *run,
                     int log2_buckets)
{
    size_t n_buckets = (size_t)1 << log2_buckets;
    size_t n_threads = (size_t)(run->team == NULL ? 1 : run->n_threads);

    deal->store = run->store;
    deal->log2_buckets = log2_buckets;
    deal->n_threads = (int)n_threads;
    deal->chains =
        paulimpi__alloc_zero(n_buckets, n_threads * sizeof *deal->chains);
    deal->buckets = paulimpi__alloc_zero(n_buckets, sizeof *deal->buckets);
    deal->known = paulimpi__known_alloc(n_buckets);
    if (deal->chains == NULL || deal->buckets == NULL || deal->known == NULL) {
        paulimpi__deal_free(deal);
        return PAULIMPI_ERR_MEMORY;
    }
    return PAULIMPI_SUCCESS;
}

/* Move the first n terms of a block to the end of a chain. */
static void
move_terms(paulimpi__deal *deal, paulimpi__purse *purse, paulimpi__chain *to,
           paulimpi__block *block, int64_t n)
{
    paulimpi__store *store = deal->store;
    int64_t t;

    for (t = 0; t < n; t++) {
        int slot = (int)(to->n_terms++ % BLOCK);

        if (slot == 0) {
            paulimpi__chain_extend(to, paulimpi__block_take(store, purse));
        }
        paulimpi__term_move(2 * store->n_words, block, (int)t, to->last, slot);
    }
    paulimpi__block_give(store, purse, block);
}

/* Join the threads' chains of new bucket b: whole blocks are linked, terms of
 * the last ones are moved together. */
static void
join_chains(paulimpi__deal *deal, paulimpi__purse *purse, int64_t b)
{
    paulimpi__bucket *bucket = &deal->buckets[b];
    paulimpi__chain rests = { NULL, NULL, 0 };
    paulimpi__block **end = &bucket->head;
    int i;

    if (deal->n_threads == 1) {
        const paulimpi__chain *whole = paulimpi__deal_chains(deal, 0) + b;

        bucket->head = whole->head;
        bucket->n_terms = whole->n_terms;
        return;
    }
    for (i = 0; i < deal->n_threads; i++) {
        paulimpi__chain *part = paulimpi__deal_chains(deal, i) + b;
        paulimpi__block *block = part->head;
        int64_t rest = part->n_terms;

        for (; rest >= BLOCK; rest -= BLOCK) {
            *end = block;
            end = &block->next;
            block = block->next;
            bucket->n_terms += BLOCK;
        }
        if (rest == 0) {
            continue;
        }
        if (rests.head == NULL) {
            rests = (paulimpi__chain){ block, block, rest };
        } else {
            move_terms(deal, purse, &rests, block, rest);
        }
    }
    *end = rests.head;
    bucket->n_terms += rests.n_terms;
}

void
paulimpi__deal_end(paulimpi__deal *deal)
{
    paulimpi__store *store = deal->store;
    paulimpi__purse purse = { NULL, 0 };
    int64_t b;

    for (b = 0; b < (int64_t)1 << deal->log2_buckets; b++) {
        join_chains(deal, &purse, b);
    }
    paulimpi__purse_empty(store, &purse);
    paulimpi__free(store->buckets);
    paulimpi__free(store->known);
    store->buckets = deal->buckets;
    store->known = deal->known;
    store->log2_buckets = deal->log2_buckets;
    deal->buckets = NULL;
    deal->known = NULL;
    paulimpi__deal_free(deal);
}

void
paulimpi__deal_free(paulimpi__deal *deal)
{
    paulimpi__free(deal->known);
    paulimpi__free(deal->buckets);
    paulimpi__free(deal->chains);
    deal->known = NULL;
    deal->buckets = NULL;
    deal->chains = NULL;
}
