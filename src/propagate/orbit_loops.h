/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Taking a tile through gates orbit by orbit: its terms are sorted by their
 * syndromes. Part of tile_loops.h.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_ORBIT_LOOPS_H
#define PAULIMPI_SRC_PROPAGATE_ORBIT_LOOPS_H

#include <float.h>
#include <string.h>

#include "propagate/orbit_large.h"
#include "propagate/orbit_small.h"
#include "propagate/tile_planes.h"

/* Syndromes of a tile. */

ALWAYS_INLINE void
find_active(const paulimpi__tile *tile, const paulimpi__tile_plan *plan,
            const paulimpi__ready_op *op, int64_t block, lanes *active,
            const int64_t n_words)
{
    lanes odd = { 0 };
    int64_t k;

    for (k = 0; k < op->n_parts; k++) {
        const paulimpi__part *g = &op->parts[k];
        const lanes *x = (const lanes *)paulimpi__tile_plane(
            tile, n_words, block, plan->column[g->word] * 64);
        const lanes *z = x + n_words * 64;
        uint64_t rest;

        for (rest = g->x; rest != 0; rest &= rest - 1) {
            odd ^= z[__builtin_ctzll(rest)];
        }
        for (rest = g->z; rest != 0; rest &= rest - 1) {
            odd ^= x[__builtin_ctzll(rest)];
        }
    }
    *active = odd;
}

ALWAYS_INLINE void
find_masks(const paulimpi__orbits *o, const paulimpi__tile *tile,
           int64_t first, int64_t end, const int64_t n_words)
{
    const paulimpi__tile_plan *plan = o->plan;
    int64_t n_blocks = (tile->n + BLOCK - 1) / BLOCK;
    int64_t block, c;

    for (block = 0; block < n_blocks; block += LANES) {
        for (c = 0; c < o->n_mask; c++) {
            lanes active[BLOCK];
            int64_t k;
            int lane, i;

            memset(active, 0, sizeof active);
            for (k = first > 64 * c ? first : 64 * c;
                 k < 64 * (c + 1) && k < end; k++) {
                find_active(tile, plan, plan->gate[k].op, block,
                            &active[k % 64], n_words);
            }
            transpose_lanes(active);
            for (lane = 0; lane < LANES && block + lane < n_blocks; lane++) {
                uint64_t *to =
                    o->mask + (block + lane) * BLOCK * o->n_mask + c;

                for (i = 0; i < BLOCK; i++) {
                    to[i * o->n_mask] = active[i][lane];
                }
            }
        }
    }
}

/* Write a term of the tile. */
ALWAYS_INLINE void
copy_term(const paulimpi__orbits *o, const paulimpi__tile *tile, int64_t i,
          const place_to_write *to, int64_t k, const int64_t n_words)
{
    int64_t w;

    for (w = 0; w < 2 * n_words; w++) {
        to->key[k * 2 * n_words + w] = tile->key[i * 2 * n_words + w];
    }
    to->coefficient[k] = tile->coefficient[i];
    to->hash[k] = tile->hash[i];
    to->next_hash[k] = o->plan->n_functions > 0 ? tile->next_hash[i] : 0;
}

/* Put the terms into lists of the same syndrome. Those that no gate moves are
 * done. */
ALWAYS_INLINE void
sort_by_syndrome(paulimpi__orbits *o, const paulimpi__tile *tile,
                 const int64_t n_words)
{
    int64_t i, c;

    for (i = 0; i < tile->n; i++) {
        const uint64_t *mask = o->mask + i * o->n_mask;
        uint64_t any = 0;
        paulimpi__syndrome *s;

        if (is_zero(tile->coefficient[i])) {
            continue;
        }
        for (c = 0; c < o->n_mask; c++) {
            any |= mask[c];
        }
        if (any == 0) {
            place_to_write to;

            if (make_room(o, 1, 0, &to)) {
                copy_term(o, tile, i, &to, 0, n_words);
            }
            continue;
        }
        s = paulimpi__orbits_find(o, mask, tile->key + i * 2 * n_words);
        if (s == NULL) {
            return;
        }
        if (s->first < 0) {
            s->n_members = 0;
            s->next_used = o->used;
            o->used = s;
        }
        o->next[i] = s->first;
        s->n_members++;
        s->first = i;
    }
}

ALWAYS_INLINE void
take_orbits(paulimpi__orbits *o, paulimpi__tile *tile, int64_t first,
            int64_t end, const int64_t n_words)
{
    paulimpi__syndrome *s;
    int64_t n_live = tile->n_live;
    int64_t k;

    if (paulimpi__orbits_reserve(o, tile->n) != PAULIMPI_SUCCESS) {
        o->has_failed = 1;
        return;
    }
    o->tile = tile;
    o->has_failed = 0;
    o->out.n = 0;
    o->out.n_dropped = 0;
    o->least = o->plan->limits->min_abs;
    o->least = o->least > 0.0 ? o->least : DBL_TRUE_MIN;
    memset(o->change, 0, (size_t)o->plan->n_gates * sizeof *o->change);
    turn_new(tile, n_words);
    find_masks(o, tile, first, end, n_words);
    sort_by_syndrome(o, tile, n_words);
    for (s = o->used; s != NULL && !o->has_failed; s = s->next_used) {
        place_to_write to;
        int64_t i;

        o->stack.n = 0;
        if (make_room(o, s->n_members, 1, &to)) {
            for (i = s->first, k = 0; i >= 0; i = o->next[i], k++) {
                copy_term(o, tile, i, &to, k, n_words);
            }
        }
        s->first = -1;
        if (!o->has_failed) {
            take_members(o, s, 0, o->stack.n, 0);
        }
    }
    if (!o->has_failed) {
        hand_on(o);
    }
    for (k = first; k < end; k++) {
        o->count[k] += n_live;
        n_live += o->change[k];
    }
}

#endif /* PAULIMPI_SRC_PROPAGATE_ORBIT_LOOPS_H */
