/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The planes of a tile: turning keys, finding active terms and next hashes.
 * Part of tile_loops.h.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_TILE_PLANES_H
#define PAULIMPI_SRC_PROPAGATE_TILE_PLANES_H

#include <string.h>

#include "propagate/tile.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum {
    BLOCK = PAULIMPI__BLOCK_TERMS,
    LANES = PAULIMPI__TILE_LANES,
    FEW_ROWS = 8,   /* new terms that are cheaper one by one, for each word */
    MANY_ROWS = 192 /* that are cheaper by eight blocks */
};

/* A word of each of eight blocks. */
typedef uint64_t lanes __attribute__((vector_size(64)));

/* Transpose 64 words of 64 bits: squares of 32 bits off the diagonal change
 * places, then those of 16 in each square, and so on. With lanes for words,
 * that is done to eight blocks at once. */
#define SWAP_SQUARES(word, a, size, mask)                                     \
    for (base = 0; base < BLOCK; base += 2 * (size)) {                        \
        for (i = base; i < base + (size); i++) {                              \
            word swap = ((a)[i] >> (size) ^ (a)[i + (size)]) & (mask);        \
                                                                              \
            (a)[i] ^= swap << (size);                                         \
            (a)[i + (size)] ^= swap;                                          \
        }                                                                     \
    }
#define DEFINE_TRANSPOSE(name, word)                                          \
    ALWAYS_INLINE void name(word *a)                                          \
    {                                                                         \
        int base, i;                                                          \
                                                                              \
        SWAP_SQUARES(word, a, 32, UINT64_C(0x00000000ffffffff))               \
        SWAP_SQUARES(word, a, 16, UINT64_C(0x0000ffff0000ffff))               \
        SWAP_SQUARES(word, a, 8, UINT64_C(0x00ff00ff00ff00ff))                \
        SWAP_SQUARES(word, a, 4, UINT64_C(0x0f0f0f0f0f0f0f0f))                \
        SWAP_SQUARES(word, a, 2, UINT64_C(0x3333333333333333))                \
        SWAP_SQUARES(word, a, 1, UINT64_C(0x5555555555555555))                \
    }
DEFINE_TRANSPOSE(transpose, uint64_t)
DEFINE_TRANSPOSE(transpose_lanes, lanes)

/* Where the bits of word w of the keys of block k are; LANES words apart. */
ALWAYS_INLINE uint64_t *
bits_of_word(const paulimpi__tile *tile, int64_t k, int64_t w,
             const int64_t n_words)
{
    return paulimpi__tile_plane(tile, n_words, k - k % LANES, w * 64)
           + k % LANES;
}

/* Turn the keys of block k, of which n rows are there. */
ALWAYS_INLINE void
turn_block(paulimpi__tile *tile, int64_t k, int64_t n, const int64_t n_words)
{
    const uint64_t *row = tile->key + k * BLOCK * 2 * n_words;
    int64_t w;
    int i;

    for (w = 0; w < 2 * n_words; w++) {
        uint64_t *to = bits_of_word(tile, k, w, n_words);
        uint64_t square[BLOCK];

        for (i = 0; i < n; i++) {
            square[i] = row[i * 2 * n_words + w];
        }
        for (; i < BLOCK; i++) {
            square[i] = 0;
        }
        transpose(square);
        for (i = 0; i < BLOCK; i++) {
            to[i * LANES] = square[i];
        }
    }
}

/* Turn the keys of eight blocks, the first of which is given. */
ALWAYS_INLINE void
turn_lanes(paulimpi__tile *tile, int64_t block, const int64_t n_words)
{
    const uint64_t *row = tile->key + block * BLOCK * 2 * n_words;
    int64_t n = tile->n - block * BLOCK;
    int64_t w, term;
    int lane, i;

    for (w = 0; w < 2 * n_words; w++) {
        uint64_t *to = paulimpi__tile_plane(tile, n_words, block, w * 64);

        for (i = 0; i < BLOCK; i++) {
            for (lane = 0; lane < LANES; lane++) {
                term = lane * BLOCK + i;
                to[i * LANES + lane] =
                    term < n ? row[term * 2 * n_words + w] : 0;
            }
        }
        transpose_lanes((lanes *)to);
    }
}

/* Set the planes' bits of new terms of a block one by one. */
ALWAYS_INLINE void
turn_rows(paulimpi__tile *tile, int64_t first, int64_t end,
          const int64_t n_words)
{
    int64_t i, w;

    for (w = 0; w < 2 * n_words; w++) {
        uint64_t *to = bits_of_word(tile, first / BLOCK, w, n_words);

        for (i = 0; i < BLOCK && first % BLOCK == 0; i++) {
            to[i * LANES] = 0;
        }
        for (i = first; i < end; i++) {
            uint64_t bit = (uint64_t)1 << i % BLOCK;
            uint64_t rest = tile->key[i * 2 * n_words + w];

            for (; rest != 0; rest &= rest - 1) {
                to[__builtin_ctzll(rest) * LANES] |= bit;
            }
        }
    }
}

/* Bring the planes up to date with the terms. */
ALWAYS_INLINE void
turn_new(paulimpi__tile *tile, const int64_t n_words)
{
    int64_t i = tile->n_turned;

    while (i < tile->n) {
        int64_t begin = i - i % BLOCK;
        int64_t end = begin + BLOCK < tile->n ? begin + BLOCK : tile->n;

        if (i % (LANES * BLOCK) == 0 && tile->n - i >= MANY_ROWS) {
            turn_lanes(tile, i / BLOCK, n_words);
            end = i + LANES * BLOCK < tile->n ? i + LANES * BLOCK : tile->n;
        } else if (end - i <= FEW_ROWS * n_words) {
            turn_rows(tile, i, end, n_words);
        } else {
            turn_block(tile, begin / BLOCK, end - begin, n_words);
        }
        i = end;
    }
    tile->n_turned = tile->n;
}

/* Find the active terms of eight blocks. Letters of G and P that anticommute
 * multiply to i or -i times a letter; with a of them, of which m give -i, the
 * product is i^(a - 2 m) G ^ P up to a factor of i, and i G P is negative if a
 * is 1 modulo 4 and m even, or a 3 and m odd. */
ALWAYS_INLINE void
scan_lanes(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
           const paulimpi__ready_op *op, int64_t block, const int64_t n_words)
{
    lanes odd = { 0 }, twos = { 0 }, minus = { 0 };
    int64_t k;

    for (k = 0; k < op->n_parts; k++) {
        const paulimpi__part *g = &op->parts[k];
        int64_t column = plan->column[g->word] * 64;
        const lanes *x_plane =
            (const lanes *)paulimpi__tile_plane(tile, n_words, block, column);
        const lanes *z_plane = x_plane + n_words * 64;
        uint64_t rest;

        for (rest = g->x & ~g->z; rest != 0; rest &= rest - 1) {
            lanes x = x_plane[__builtin_ctzll(rest)];
            lanes z = z_plane[__builtin_ctzll(rest)];

            twos ^= odd & z;
            odd ^= z;
            minus ^= z & ~x;
        }
        for (rest = g->x & g->z; rest != 0; rest &= rest - 1) {
            lanes x = x_plane[__builtin_ctzll(rest)];
            lanes z = z_plane[__builtin_ctzll(rest)];

            twos ^= odd & (x ^ z);
            odd ^= x ^ z;
            minus ^= x & ~z;
        }
        for (rest = g->z & ~g->x; rest != 0; rest &= rest - 1) {
            lanes x = x_plane[__builtin_ctzll(rest)];
            lanes z = z_plane[__builtin_ctzll(rest)];

            twos ^= odd & x;
            odd ^= x;
            minus ^= x & z;
        }
    }
    *(lanes *)(tile->lead + block) = odd & (twos ^ minus);
    *(lanes *)(tile->follower + block) = odd & ~(twos ^ minus);
}

ALWAYS_INLINE void
scan(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
     const paulimpi__tile_gate *gate, const int64_t n_words)
{
    int64_t n_blocks = (tile->n + BLOCK - 1) / BLOCK;
    int64_t block;

    turn_new(tile, n_words);
    for (block = 0; block < n_blocks; block += LANES) {
        scan_lanes(tile, plan, gate->op, block, n_words);
    }
}

/* The planes of a function of the keys, of eight blocks. */
ALWAYS_INLINE void
apply_function(const paulimpi__tile *tile, int64_t block,
               const uint64_t *function, const int64_t n_words, lanes *value)
{
    lanes odd = { 0 };
    int64_t w;

    for (w = 0; w < 2 * n_words; w++) {
        uint64_t rest = function[w];

        for (; rest != 0; rest &= rest - 1) {
            odd ^= *(const lanes *)paulimpi__tile_plane(
                tile, n_words, block, w * 64 + __builtin_ctzll(rest));
        }
    }
    *value = odd;
}

/* The next hash of the terms of eight blocks. */
ALWAYS_INLINE void
find_next_hash(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
               int64_t block, const int64_t n_words)
{
    lanes value[BLOCK];
    int f, lane, i;

    memset(value, 0, sizeof value);
    for (f = 0; f < plan->n_functions; f++) {
        apply_function(tile, block, plan->function + f * 2 * n_words, n_words,
                       &value[f]);
    }
    transpose_lanes(value);
    for (lane = 0; lane < LANES; lane++) {
        uint32_t *to = tile->next_hash + (block + lane) * BLOCK;

        for (i = 0; i < BLOCK; i++) {
            to[i] = (uint32_t)value[i][lane];
        }
    }
}

#endif /* PAULIMPI_SRC_PROPAGATE_TILE_PLANES_H */
