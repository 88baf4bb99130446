/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Dealing the terms of a store out over new buckets.
 */
#include "propagate/deal.h"

#include <string.h>

enum {
    BLOCK = PAULIMPI__BLOCK_TERMS,
    ALONE = 32 /* buckets are joined by one thread if there are fewer */
};

int
paulimpi__deal_begin(paulimpi__deal *deal, const paulimpi__run *run,
                     int log2_buckets)
{
    size_t n_buckets = (size_t)1 << log2_buckets;
    size_t n_threads = (size_t)(run->team == NULL ? 1 : run->n_threads);

    deal->store = run->store;
    deal->team = run->team;
    deal->log2_buckets = log2_buckets;
    deal->n_threads = (int)n_threads;
    deal->chains =
        paulimpi__alloc_zero(n_buckets, n_threads * sizeof *deal->chains);
    deal->before =
        paulimpi__alloc_zero(n_buckets, n_threads * sizeof *deal->before);
    deal->buckets = paulimpi__alloc_zero(n_buckets, sizeof *deal->buckets);
    deal->known = paulimpi__known_alloc(n_buckets);
    deal->purses = paulimpi__alloc_zero(n_threads, sizeof *deal->purses);
    if (deal->chains == NULL || deal->buckets == NULL || deal->known == NULL
        || deal->before == NULL || deal->purses == NULL) {
        paulimpi__deal_free(deal);
        return PAULIMPI_ERR_MEMORY;
    }
    return PAULIMPI_SUCCESS;
}

/* Move n terms of a block, from `first` on, to another one, from `to` on. */
static void
move_terms(const paulimpi__store *store, const paulimpi__block *from,
           int64_t first, paulimpi__block *target, int64_t to, int64_t n)
{
    int64_t w;

    for (w = 0; w < 2 * store->n_words; w++) {
        memcpy(target->word + w * BLOCK + to, from->word + w * BLOCK + first,
               (size_t)n * sizeof *target->word);
    }
    memcpy(target->coefficient + to, from->coefficient + first,
           (size_t)n * sizeof *target->coefficient);
}

/* The end of a bucket that is being joined: `end` is where the next full block
 * is linked, `rest` a block with n terms that comes last, or NULL. */
typedef struct {
    paulimpi__block **end;
    paulimpi__block *rest;
    int64_t n;
} tail;

/* Add a block with n terms, which is not full, to the rest: what the emptier of
 * the two has goes to the other one, as far as there is room. */
static void
add_rest(paulimpi__deal *deal, paulimpi__purse *purse, tail *t,
         paulimpi__block *block, int64_t n)
{
    paulimpi__block *fuller = n > t->n ? block : t->rest;
    paulimpi__block *emptier = n > t->n ? t->rest : block;
    int64_t n_most = n > t->n ? n : t->n;
    int64_t n_least = n + t->n - n_most;
    int64_t n_moved = BLOCK - n_most < n_least ? BLOCK - n_most : n_least;

    if (emptier == NULL) {
        *t = (tail){ t->end, fuller, n_most };
        return;
    }
    move_terms(deal->store, emptier, n_least - n_moved, fuller, n_most,
               n_moved);
    *t = (tail){ t->end, fuller, n_most + n_moved };
    if (t->n == BLOCK) {
        *t->end = fuller;
        *t = (tail){ &fuller->next, emptier, n_least - n_moved };
    }
    if (n_moved == n_least) {
        paulimpi__block_give(deal->store, purse, emptier);
        t->rest = t->rest == emptier ? NULL : t->rest;
    }
}

/* Join the threads' chains of new bucket b: whole blocks are linked, terms of
 * the last ones are moved together. */
static void
join_chains(void *shared, int thread, int64_t b)
{
    paulimpi__deal *deal = shared;
    paulimpi__bucket *bucket = &deal->buckets[b];
    tail t = { &bucket->head, NULL, 0 };
    int64_t i;

    for (i = 0; i < deal->n_threads; i++) {
        int64_t number = (i << deal->log2_buckets) + b;
        const paulimpi__chain *part = &deal->chains[number];
        int64_t rest = part->n_terms % BLOCK;
        paulimpi__block *full = rest == 0 ? part->last : deal->before[number];

        if (full != NULL) {
            *t.end = part->head;
            t.end = &full->next;
        }
        if (rest > 0) {
            add_rest(deal, &deal->purses[thread], &t, part->last, rest);
        }
        bucket->n_terms += part->n_terms;
    }
    *t.end = t.rest;
}

void
paulimpi__deal_end(paulimpi__deal *deal)
{
    paulimpi__store *store = deal->store;
    int64_t n_buckets = (int64_t)1 << deal->log2_buckets;
    int i;

    paulimpi__team_share(n_buckets < ALONE ? NULL : deal->team, n_buckets,
                         join_chains, deal);
    for (i = 0; i < deal->n_threads; i++) {
        paulimpi__purse_empty(store, &deal->purses[i]);
    }
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
    paulimpi__free(deal->purses);
    paulimpi__free(deal->known);
    paulimpi__free(deal->buckets);
    paulimpi__free(deal->before);
    paulimpi__free(deal->chains);
    deal->purses = NULL;
    deal->before = NULL;
    deal->known = NULL;
    deal->buckets = NULL;
    deal->chains = NULL;
}
