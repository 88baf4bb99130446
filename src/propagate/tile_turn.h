/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turning the terms of a tile by multiples of pi/2. Part of tile_loops.h.
 *
 * A run of turns is done on the planes alone, eight blocks at a time; then the
 * rows are made from them.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_TILE_TURN_H
#define PAULIMPI_SRC_PROPAGATE_TILE_TURN_H

#include <string.h>

#include "propagate/tile_join.h"

/* The living terms of eight blocks. */
ALWAYS_INLINE void
find_living(const paulimpi__tile *tile, int64_t block, lanes *living)
{
    int lane;
    int64_t i;

    for (lane = 0; lane < LANES; lane++) {
        int64_t first = (block + lane) * BLOCK;
        int64_t n = tile->n - first < BLOCK ? tile->n - first : BLOCK;
        uint64_t bits = 0;

        for (i = 0; i < n; i++) {
            bits |= (uint64_t)!is_zero(tile->coefficient[first + i]) << i;
        }
        (*living)[lane] = bits;
    }
}

/* P becomes i G P with one quarter, -P with two, -i G P with three. Note whose
 * coefficients change their signs. */
ALWAYS_INLINE void
turn_by(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
        const paulimpi__tile_gate *gate, int64_t block, const lanes *living,
        lanes *flipped, const int64_t n_words)
{
    lanes lead, follower, active;
    int64_t w;
    int lane;

    scan(tile, plan, gate->op, block, block + LANES);
    memcpy(&lead, tile->lead + block, sizeof lead);
    memcpy(&follower, tile->follower + block, sizeof follower);
    active = lead | follower;
    *flipped ^=
        gate->quarters == 1 ? follower : (gate->quarters == 3 ? lead : active);
    for (lane = 0; lane < LANES; lane++) {
        tile->active += paulimpi__popcount((active & *living)[lane]);
    }
    for (w = 0; w < 2 * n_words && gate->quarters != 2; w++) {
        uint64_t rest = gate->key[w];

        for (; rest != 0; rest &= rest - 1) {
            *(lanes *)paulimpi__tile_plane(tile, n_words, block,
                                           w * 64 + __builtin_ctzll(rest)) ^=
                active;
        }
    }
}

/* Make the rows of eight blocks from their planes. */
ALWAYS_INLINE void
make_rows(paulimpi__tile *tile, int64_t block, const int64_t n_words)
{
    uint64_t *row = tile->key + block * BLOCK * 2 * n_words;
    int64_t w, term;
    int lane, i;

    for (w = 0; w < 2 * n_words; w++) {
        lanes word[BLOCK];

        memcpy(word, paulimpi__tile_plane(tile, n_words, block, w * 64),
               sizeof word);
        transpose_lanes(word);
        for (i = 0; i < BLOCK; i++) {
            for (lane = 0; lane < LANES; lane++) {
                term = lane * BLOCK + i;
                row[term * 2 * n_words + w] = word[i][lane];
            }
        }
    }
}

ALWAYS_INLINE void
flip_signs(double *coefficient, uint64_t flipped)
{
    int i;

    for (i = 0; i < BLOCK; i++) {
        coefficient[i] = flipped >> i & 1 ? -coefficient[i] : coefficient[i];
    }
}

/* Turn all terms, which keep their hashes. */
ALWAYS_INLINE void
turn_terms(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
           const paulimpi__tile_gate *gate, int64_t n_gates,
           const int64_t n_words)
{
    int64_t n_blocks = (tile->n + BLOCK - 1) / BLOCK;
    int64_t block, k;

    turn_new(tile, n_words);
    for (block = 0; block < n_blocks; block += LANES) {
        lanes living = { 0 }, flipped = { 0 };

        find_living(tile, block, &living);
        for (k = 0; k < n_gates; k++) {
            turn_by(tile, plan, &gate[k], block, &living, &flipped, n_words);
        }
        make_rows(tile, block, n_words);
        for (k = 0; k < LANES && block + k < n_blocks; k++) {
            flip_signs(tile->coefficient + (block + k) * BLOCK, flipped[k]);
        }
    }
}

#endif /* PAULIMPI_SRC_PROPAGATE_TILE_TURN_H */
