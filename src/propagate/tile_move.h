/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Moving terms from blocks into a tile and back. Part of tile_loops.h.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_TILE_MOVE_H
#define PAULIMPI_SRC_PROPAGATE_TILE_MOVE_H

#include <string.h>

#include "propagate/tile_join.h"

enum {
    LINE_WORDS = 8,
    AHEAD = 8 /* terms whose places are asked for before they are written */
};

/* Ask for the columns of a block. */
ALWAYS_INLINE void
prefetch_block(const paulimpi__tile_plan *plan, const paulimpi__block *block,
               const int64_t n_words)
{
    int64_t w;
    int i;

    if (block == NULL) {
        return;
    }
    for (i = 0; i < BLOCK; i += LINE_WORDS) {
        __builtin_prefetch(&block->coefficient[i]);
        __builtin_prefetch(&block->hash[i]);
        for (w = 0; w < n_words; w++) {
            const uint64_t *x = &block->word[plan->word[w] * BLOCK + i];

            __builtin_prefetch(x);
            __builtin_prefetch(x + plan->n_store_words * BLOCK);
        }
    }
}

/* Rows out of the columns of a block; block k of the tile. */
ALWAYS_INLINE void
load_block(paulimpi__tile *tile, const paulimpi__tile_plan *plan, int64_t k,
           const paulimpi__block *block, const int64_t n_words)
{
    uint64_t *row = tile->key + k * BLOCK * 2 * n_words;
    int64_t w;
    int i;

    for (w = 0; w < n_words; w++) {
        const uint64_t *x = &block->word[plan->word[w] * BLOCK];
        const uint64_t *z = x + plan->n_store_words * BLOCK;

        for (i = 0; i < BLOCK; i++) {
            row[i * 2 * n_words + w] = x[i];
            row[i * 2 * n_words + n_words + w] = z[i];
        }
    }
    memcpy(tile->coefficient + k * BLOCK, block->coefficient,
           sizeof block->coefficient);
    memcpy(tile->hash + k * BLOCK, block->hash, sizeof block->hash);
}

ALWAYS_INLINE void
load_terms(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
           const paulimpi__chain *chain, int is_split, const int64_t n_words)
{
    const paulimpi__block *block = chain->head;
    int64_t n = chain->n_terms;
    int64_t n_blocks = (n + BLOCK - 1) / BLOCK;
    int64_t k, i;

    tile->n = n;
    tile->n_live = n;
    tile->n_turned = 0;
    for (k = 0; k < n_blocks; k++) {
        prefetch_block(plan, block->next, n_words);
        load_block(tile, plan, k, block, n_words);
        block = block->next;
    }
    turn_new(tile, n_words);
    for (k = 0; k < n_blocks && plan->n_functions > 0 && !is_split;
         k += LANES) {
        find_next_hash(tile, plan, k, n_words);
    }
    for (i = 0; i < n && plan->n_functions > 0; i++) {
        tile->next_hash[i] =
            is_split ? tile->hash[i] & plan->drawn : tile->next_hash[i];
        tile->hash[i] &= ~plan->drawn;
    }
    tile->log2_sets = 0; /* the table is made when there is a gate */
}

ALWAYS_INLINE int64_t
list_living(const paulimpi__tile *tile, uint32_t *list)
{
    const double *coefficient = tile->coefficient;
    int64_t n_terms = tile->n;
    int64_t n = 0;
    int64_t i;

    for (i = 0; i < n_terms; i++) {
        list[n] = (uint32_t)i;
        n += !is_zero(coefficient[i]);
    }
    return n;
}

/* Ask for the places that a term will be written to. */
ALWAYS_INLINE void
prefetch_place(const paulimpi__tile_plan *plan, const paulimpi__chain *chain,
               const int64_t n_words)
{
    int64_t slot = chain->n_terms % BLOCK;
    const paulimpi__block *block = chain->last;
    int64_t w;

    if (block == NULL) {
        return;
    }
    __builtin_prefetch(&block->coefficient[slot], 1);
    __builtin_prefetch(&block->hash[slot], 1);
    for (w = 0; w < n_words; w++) {
        const uint64_t *x = &block->word[plan->word[w] * BLOCK + slot];

        __builtin_prefetch(x, 1);
        __builtin_prefetch(x + plan->n_store_words * BLOCK, 1);
    }
}

/* Write a term to the end of a chain. */
ALWAYS_INLINE void
put(const paulimpi__tile *tile, const paulimpi__tile_plan *plan, uint32_t term,
    uint32_t hash, paulimpi__chain *chain, const int64_t n_words)
{
    const uint64_t *row = tile->key + (int64_t)term * 2 * n_words;
    paulimpi__block *block = chain->last;
    int64_t slot = chain->n_terms++ % BLOCK;
    int64_t w;

    block->coefficient[slot] = tile->coefficient[term];
    block->hash[slot] = hash;
    for (w = 0; w < n_words; w++) {
        uint64_t *x = &block->word[plan->word[w] * BLOCK + slot];

        x[0] = row[w];
        x[plan->n_store_words * BLOCK] = row[n_words + w];
    }
}

ALWAYS_INLINE void
deal_terms(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
           const paulimpi__tile_dealer *dealer, int *is_complete,
           const int64_t n_words)
{
    const uint32_t *listed = tile->listed;
    int64_t n = list_living(tile, tile->listed);
    int64_t i;

    for (i = 0; i < n; i++) {
        uint32_t hash =
            tile->hash[listed[i]] | (tile->next_hash[listed[i]] & plan->drawn);
        paulimpi__chain *chain =
            &dealer->chains[dealer->to[listed[i]] & dealer->mask];

        if (i + AHEAD < n) {
            prefetch_place(
                plan,
                &dealer->chains[dealer->to[listed[i + AHEAD]] & dealer->mask],
                n_words);
        }
        if (chain->n_terms % BLOCK == 0
            && !dealer->extend(dealer->data, chain)) {
            *is_complete = 0;
            return;
        }
        put(tile, plan, listed[i], hash, chain, n_words);
    }
    *is_complete = 1;
}

#endif /* PAULIMPI_SRC_PROPAGATE_TILE_MOVE_H */
