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
    FEW_WORDS = PAULIMPI__TILE_FEW,
    MOST_DENSE = PAULIMPI__TILE_DENSE
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
        for (w = 0; w < n_words; w++) {
            const uint64_t *x = &block->word[plan->word[w] * BLOCK + i];

            __builtin_prefetch(x);
            __builtin_prefetch(x + plan->n_store_words * BLOCK);
        }
    }
}

/* The bits that are set in any of the first n words of a column. */
ALWAYS_INLINE uint64_t
bits_of_column(const uint64_t *column, int64_t n)
{
    vector bits = { 0 };
    uint64_t all = 0;
    int i;

    for (i = 0; i < n && n < BLOCK; i++) {
        all |= column[i];
    }
    if (n < BLOCK) {
        return all;
    }
    for (i = 0; i < BLOCK; i += (int)(sizeof bits / sizeof *column)) {
        vector next;

        memcpy(&next, column + i, sizeof next);
        bits |= next;
    }
    for (i = 0; i < (int)(sizeof bits / sizeof *column); i++) {
        all |= bits[i];
    }
    return all;
}

/* Rows out of the columns of a block with n terms; block k of the tile. The
 * bits that are set in each word of their keys are added to `support`. With
 * many words, those without any are passed over. */
ALWAYS_INLINE void
load_rows(paulimpi__tile *tile, const paulimpi__tile_plan *plan, int64_t k,
          const paulimpi__block *block, int64_t n, uint64_t *support,
          const int64_t n_words)
{
    uint64_t *row = tile->key + k * BLOCK * 2 * n_words;
    int64_t w;
    int i;

    if (n_words > MOST_DENSE) {
        memset(row, 0, (size_t)n_words * 2 * BLOCK * sizeof *row);
    }
    for (w = 0; w < n_words; w++) {
        const uint64_t *x = &block->word[plan->word[w] * BLOCK];
        const uint64_t *z = x + plan->n_store_words * BLOCK;
        uint64_t *to = row + w;
        uint64_t x_bits = bits_of_column(x, n);
        uint64_t z_bits = bits_of_column(z, n);

        support[w] |= x_bits;
        support[n_words + w] |= z_bits;
        if (n_words > MOST_DENSE && (x_bits | z_bits) == 0) {
            continue;
        }
        for (i = 0; i < BLOCK; i += 2) {
            to[0] = x[i];
            to[n_words] = z[i];
            to[2 * n_words] = x[i + 1];
            to[3 * n_words] = z[i + 1];
            to += 4 * n_words;
        }
    }
}

/* Planes out of a column of eight blocks. What is not there becomes 0. */
ALWAYS_INLINE void
load_planes(lanes *to, const paulimpi__block *const *block, int64_t column,
            const lanes *is_there)
{
    const uint64_t *from[LANES];
    uint64_t *word = (uint64_t *)to;
    int lane, i;

    for (lane = 0; lane < LANES; lane++) {
        from[lane] = &block[lane]->word[column * BLOCK];
    }
    for (i = 0; i < BLOCK; i++) {
        word[0] = from[0][i];
        word[1] = from[1][i];
        word[2] = from[2][i];
        word[3] = from[3][i];
        word[4] = from[4][i];
        word[5] = from[5][i];
        word[6] = from[6][i];
        word[7] = from[7][i];
        word += LANES;
    }
    transpose_lanes(to);
    for (i = 0; i < BLOCK && is_there != NULL; i++) {
        to[i] &= *is_there;
    }
}

/* Up to eight blocks of a chain, of which n terms are left, from block k of the
 * tile on. Returns the block after them. */
ALWAYS_INLINE const paulimpi__block *
load_lanes(paulimpi__tile *tile, const paulimpi__tile_plan *plan, int64_t k,
           const paulimpi__block *next, int64_t n, const int64_t n_words)
{
    const paulimpi__block *block[LANES];
    int is_full = n >= LANES * BLOCK;
    lanes is_there = { 0 };
    uint64_t *support = tile->support + 2 * n_words; /* of these blocks */
    int64_t lane, w;

    memset(support, 0, (size_t)n_words * 2 * sizeof *support);
    for (lane = 0; lane < LANES; lane++) {
        int64_t n_here = n - lane * BLOCK;

        block[lane] = next;
        if (n_here <= 0) {
            block[lane] = block[0];
            continue;
        }
        is_there[lane] =
            n_here >= BLOCK ? UINT64_MAX : ((uint64_t)1 << n_here) - 1;
        next = next->next;
        prefetch_block(plan, next, n_words);
        load_rows(tile, plan, k + lane, block[lane], n_here, support, n_words);
        memcpy(tile->coefficient + (k + lane) * BLOCK,
               block[lane]->coefficient, sizeof block[lane]->coefficient);
    }
    for (w = 0; w < 2 * n_words; w++) {
        lanes *to = (lanes *)paulimpi__tile_plane(tile, n_words, k, w * BLOCK);

        tile->support[w] |= support[w];
        if (support[w] == 0) {
            memset(to, 0, BLOCK * sizeof *to);
            continue;
        }
        load_planes(to, block, plan->start[w] / BLOCK,
                    is_full ? NULL : &is_there);
    }
    return next;
}

ALWAYS_INLINE void
load_terms(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
           const paulimpi__chain *chain, const int64_t n_words)
{
    const paulimpi__block *block = chain->head;
    int64_t n = chain->n_terms;
    int64_t n_blocks = (n + BLOCK - 1) / BLOCK;
    int64_t k;

    tile->n = n;
    tile->n_live = n;
    tile->n_turned = n;
    memset(tile->support, 0, (size_t)n_words * 2 * sizeof *tile->support);
    for (k = 0; k < n_blocks; k += LANES) {
        block = load_lanes(tile, plan, k, block, n - k * BLOCK, n_words);
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

/* Deal the listed terms out. Returns how many there were blocks for. */
ALWAYS_INLINE int64_t
deal_listed(const paulimpi__tile *tile, const paulimpi__tile_dealer *dealer,
            const int64_t *start, int64_t n, const int64_t n_words)
{
    const uint32_t *listed = tile->listed;
    const uint32_t *to = dealer->to;
    const uint64_t *key = tile->key;
    const double *coefficient = tile->coefficient;
    paulimpi__chain *chains = dealer->chains;
    uint32_t mask = dealer->mask;
    int64_t i, w;

    for (i = 0; i < n; i++) {
        size_t term = listed[i];
        paulimpi__chain *chain = &chains[to[term] & mask];
        size_t slot = (size_t)chain->n_terms % BLOCK;
        const uint64_t *row = key + term * 2 * (size_t)n_words;
        paulimpi__block *block;

        if (slot == 0 && !dealer->extend(dealer->data, chain)) {
            return i;
        }
        chain->n_terms++;
        block = chain->last;
        block->coefficient[slot] = coefficient[term];
        UNROLL(16)
        for (w = 0; w < 2 * n_words; w++) {
            block->word[slot + (size_t)start[w]] = row[w];
        }
    }
    return n;
}

/* The same for some words of the keys: the others are 0 in the blocks. */
ALWAYS_INLINE int64_t
deal_words(const paulimpi__tile *tile, const paulimpi__tile_dealer *dealer,
           const int64_t *word, const int64_t *place, int64_t n, int64_t n_key,
           const int64_t n_some)
{
    const uint32_t *listed = tile->listed;
    const uint32_t *to = dealer->to;
    const uint64_t *key = tile->key;
    const double *coefficient = tile->coefficient;
    paulimpi__chain *chains = dealer->chains;
    uint32_t mask = dealer->mask;
    int64_t i, w;

    for (i = 0; i < n; i++) {
        size_t term = listed[i];
        paulimpi__chain *chain = &chains[to[term] & mask];
        size_t slot = (size_t)chain->n_terms % BLOCK;
        const uint64_t *row = key + term * (size_t)n_key;
        paulimpi__block *block;

        if (slot == 0 && !dealer->extend(dealer->data, chain)) {
            return i;
        }
        chain->n_terms++;
        block = chain->last;
        block->coefficient[slot] = coefficient[term];
        UNROLL(4)
        for (w = 0; w < n_some; w++) {
            block->word[slot + (size_t)place[w]] = row[word[w]];
        }
    }
    return n;
}

/* Choose the words that may have letters. */
BY_ITSELF int64_t
deal_some_words(const paulimpi__tile *tile,
                const paulimpi__tile_dealer *dealer, const int64_t *start,
                int64_t n, int64_t n_key)
{
    int64_t place[2 * FEW_WORDS], word[2 * FEW_WORDS];
    int64_t n_some = 0;
    int64_t w;

    for (w = 0; w < n_key; w++) {
        if (dealer->support[w] != 0) {
            place[n_some] = start[w];
            word[n_some++] = w;
        }
    }
    if (n_some == 2) {
        return deal_words(tile, dealer, word, place, n, n_key, 2);
    }
    return deal_words(tile, dealer, word, place, n, n_key, n_some);
}

ALWAYS_INLINE void
deal_terms(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
           const paulimpi__tile_dealer *dealer, int *is_complete,
           const int64_t n_words)
{
    int64_t n = list_living(tile, tile->listed);
    int64_t few[2 * FEW_WORDS];
    const int64_t *start = plan->start;
    int64_t w;

    if (paulimpi__tile_has_words(n_words) && dealer->support != NULL) {
        *is_complete =
            deal_some_words(tile, dealer, start, n, 2 * n_words) == n;
        return;
    }
    /* Those of few words are kept in registers. */
    for (w = 0; n_words <= FEW_WORDS && w < 2 * n_words; w++) {
        few[w] = start[w];
    }
    *is_complete = deal_listed(tile, dealer,
                               n_words <= FEW_WORDS ? few : start, n, n_words)
                   == n;
}

#endif /* PAULIMPI_SRC_PROPAGATE_TILE_MOVE_H */
