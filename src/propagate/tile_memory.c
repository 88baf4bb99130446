/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The memory of a tile.
 */
#include <string.h>

#include "propagate/tile.h"

enum {
    STEP = PAULIMPI__BLOCK_TERMS * PAULIMPI__TILE_LANES,
    LINE = 64,
    SPARE = 8 /* a list may be written a little past its end */
};

static int64_t
round_up(int64_t n)
{
    return (n + STEP - 1) / STEP * STEP;
}

static int
make_arrays(paulimpi__tile *tile, int64_t n_terms, int64_t n_words)
{
    size_t n = (size_t)n_terms;
    size_t n_key = (size_t)n_words * 2;
    size_t n_blocks = n / PAULIMPI__BLOCK_TERMS;
    size_t n_sets = (size_t)1 << (paulimpi__log2_ceil(n / 4 + 1) + 1);

    tile->key = paulimpi__alloc_zero(n, n_key * sizeof *tile->key);
    tile->coefficient = paulimpi__alloc_zero(n, sizeof *tile->coefficient);
    tile->hash = paulimpi__alloc_zero(n, sizeof *tile->hash);
    tile->next_hash = paulimpi__alloc_zero(n, sizeof *tile->next_hash);
    tile->plane =
        paulimpi__alloc_aligned(LINE, n, n_key * sizeof *tile->plane);
    tile->lead =
        paulimpi__alloc_aligned(LINE, n_blocks + STEP, sizeof *tile->lead);
    tile->follower =
        paulimpi__alloc_aligned(LINE, n_blocks + STEP, sizeof *tile->follower);
    tile->tag = paulimpi__alloc_aligned(
        LINE, n_sets, PAULIMPI__TILE_WAYS * sizeof *tile->tag);
    tile->entry = paulimpi__alloc_aligned(
        LINE, n_sets, PAULIMPI__TILE_WAYS * sizeof *tile->entry);
    tile->fill = paulimpi__alloc(n_sets, sizeof *tile->fill);
    tile->listed = paulimpi__alloc(n + SPARE, sizeof *tile->listed);
    tile->met = paulimpi__alloc(n + SPARE, sizeof *tile->met);
    tile->partner = paulimpi__alloc(n + SPARE, sizeof *tile->partner);
    tile->born = paulimpi__alloc(n + SPARE, sizeof *tile->born);
    tile->dropped = paulimpi__alloc(n + SPARE, 3 * sizeof *tile->dropped);
    tile->most = n_terms;
    tile->n_words = n_words;
    return tile->key == NULL || tile->coefficient == NULL || tile->hash == NULL
                   || tile->next_hash == NULL || tile->plane == NULL
                   || tile->lead == NULL || tile->follower == NULL
                   || tile->tag == NULL || tile->entry == NULL
                   || tile->fill == NULL || tile->listed == NULL
                   || tile->met == NULL || tile->partner == NULL
                   || tile->born == NULL || tile->dropped == NULL
               ? PAULIMPI_ERR_MEMORY
               : PAULIMPI_SUCCESS;
}

/* Take over the terms of another tile. Their planes and table are made anew. */
static void
take_terms(paulimpi__tile *tile, const paulimpi__tile *from)
{
    size_t n = (size_t)from->n;

    memcpy(tile->key, from->key,
           n * (size_t)from->n_words * 2 * sizeof *tile->key);
    memcpy(tile->coefficient, from->coefficient,
           n * sizeof *tile->coefficient);
    memcpy(tile->hash, from->hash, n * sizeof *tile->hash);
    memcpy(tile->next_hash, from->next_hash, n * sizeof *tile->next_hash);
    tile->n = from->n;
    tile->n_live = from->n_live;
    tile->n_turned = 0;
    tile->log2_sets = 0;
}

int
paulimpi__tile_grow(paulimpi__tile *tile, int64_t n, int64_t n_words)
{
    paulimpi__tile fresh = { 0 };

    if (make_arrays(&fresh, round_up(n + n / 2), n_words)
        != PAULIMPI_SUCCESS) {
        paulimpi__tile_free(&fresh);
        return PAULIMPI_ERR_MEMORY;
    }
    if (tile->n > 0) {
        take_terms(&fresh, tile);
    }
    fresh.active = tile->active;
    fresh.bins = tile->bins;
    paulimpi__tile_free(tile);
    *tile = fresh;
    return PAULIMPI_SUCCESS;
}

void
paulimpi__tile_compact(paulimpi__tile *tile)
{
    int64_t n_key = 2 * tile->n_words;
    int64_t n = 0;
    int64_t i;

    for (i = 0; i < tile->n; i++) {
        if (tile->coefficient[i] == 0.0) {
            continue;
        }
        memmove(tile->key + n * n_key, tile->key + i * n_key,
                (size_t)n_key * sizeof *tile->key);
        tile->coefficient[n] = tile->coefficient[i];
        tile->hash[n] = tile->hash[i];
        tile->next_hash[n] = tile->next_hash[i];
        n++;
    }
    tile->n = n;
    tile->n_turned = 0;
    tile->log2_sets = 0;
}

void
paulimpi__tile_free(paulimpi__tile *tile)
{
    paulimpi__free(tile->key);
    paulimpi__free(tile->coefficient);
    paulimpi__free(tile->hash);
    paulimpi__free(tile->next_hash);
    paulimpi__free(tile->plane);
    paulimpi__free(tile->lead);
    paulimpi__free(tile->follower);
    paulimpi__free(tile->tag);
    paulimpi__free(tile->entry);
    paulimpi__free(tile->fill);
    paulimpi__free(tile->listed);
    paulimpi__free(tile->met);
    paulimpi__free(tile->partner);
    paulimpi__free(tile->born);
    paulimpi__free(tile->dropped);
    memset(tile, 0, sizeof *tile);
}
