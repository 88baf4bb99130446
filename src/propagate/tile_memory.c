/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The memory of a tile.
 */
#include <string.h>

#include "propagate/tile.h"

enum {
    STEP = PAULIMPI__BLOCK_TERMS * PAULIMPI__TILE_LANES,
    LINE = 64,
    SPARE = 8, /* a list may be written a little past its end */
    /* Times the terms that there is room for; what is not used is not touched.
     * The C library gives memory back to the system when more is free than
     * twice the largest piece: so that it keeps what a run needs for the next
     * one, a tile is more than all small slabs of blocks together. */
    SPARE_ROOM = 3
};

static int64_t
round_up(int64_t n)
{
    return (n + STEP - 1) / STEP * STEP;
}

/* Where an array of a slab begins, on a line of the cache; the end of the slab
 * moves on. With no slab, that is all. */
static void *
lay(char *slab, size_t *end, size_t n, size_t size)
{
    char *array = slab == NULL ? NULL : slab + *end;

    *end += (n * size + LINE - 1) / LINE * LINE;
    return array;
}

/* Lay all arrays into a slab, of which the size is returned. */
static size_t
lay_arrays(paulimpi__tile *tile, char *slab, size_t n, size_t n_key)
{
    size_t n_blocks = n / PAULIMPI__BLOCK_TERMS;
    size_t n_sets = (size_t)1 << (paulimpi__log2_ceil(n / 4 + 1) + 1);
    size_t end = 0;

    tile->key = lay(slab, &end, n, n_key * sizeof *tile->key);
    tile->coefficient = lay(slab, &end, n, sizeof *tile->coefficient);
    tile->hash = lay(slab, &end, n, sizeof *tile->hash);
    tile->next_hash = lay(slab, &end, n, sizeof *tile->next_hash);
    tile->support = lay(slab, &end, n_key, 2 * sizeof *tile->support);
    tile->plane = lay(slab, &end, n, n_key * sizeof *tile->plane);
    tile->lead = lay(slab, &end, n_blocks + STEP, sizeof *tile->lead);
    tile->follower = lay(slab, &end, n_blocks + STEP, sizeof *tile->follower);
    tile->sets =
        lay(slab, &end, n_sets, 2 * PAULIMPI__TILE_WAYS * sizeof *tile->sets);
    tile->fill = lay(slab, &end, n_sets, sizeof *tile->fill);
    tile->listed = lay(slab, &end, n + SPARE, sizeof *tile->listed);
    tile->met = lay(slab, &end, n + SPARE, sizeof *tile->met);
    tile->partner = lay(slab, &end, n + SPARE, sizeof *tile->partner);
    tile->born = lay(slab, &end, n + SPARE, sizeof *tile->born);
    tile->dropped = lay(slab, &end, n + SPARE, 3 * sizeof *tile->dropped);
    return end;
}

/* All arrays are one piece of memory: the C library keeps that for the next
 * tile, while it would give many pieces back to the system. */
static int
make_arrays(paulimpi__tile *tile, int64_t n_terms, int64_t n_words)
{
    size_t n_key = (size_t)n_words * 2;

    tile->most = n_terms;
    tile->n_words = n_words;
    tile->slab = paulimpi__alloc(
        1, lay_arrays(tile, NULL, (size_t)n_terms, n_key) + LINE);
    if (tile->slab == NULL) {
        return PAULIMPI_ERR_MEMORY;
    }
    lay_arrays(tile,
               (char *)tile->slab + (LINE - (uintptr_t)tile->slab % LINE),
               (size_t)n_terms, n_key);
    return PAULIMPI_SUCCESS;
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
    memcpy(tile->support, from->support,
           (size_t)from->n_words * 2 * sizeof *tile->support);
    tile->n = from->n;
    tile->n_live = from->n_live;
    tile->n_turned = 0;
    tile->log2_sets = 0;
}

int
paulimpi__tile_grow(paulimpi__tile *tile, int64_t n, int64_t n_words)
{
    paulimpi__tile fresh = { 0 };

    if (make_arrays(&fresh, round_up(n * SPARE_ROOM), n_words)
        != PAULIMPI_SUCCESS) {
        paulimpi__tile_free(&fresh);
        return PAULIMPI_ERR_MEMORY;
    }
    if (tile->n > 0) {
        take_terms(&fresh, tile);
    }
    fresh.active = tile->active;
    fresh.n_born = tile->n_born;
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
    paulimpi__free(tile->slab);
    memset(tile, 0, sizeof *tile);
}
