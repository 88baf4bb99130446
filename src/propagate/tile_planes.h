/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The planes of a tile: turning keys, finding active terms and hashes.
 * Part of tile_loops.h.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_TILE_PLANES_H
#define PAULIMPI_SRC_PROPAGATE_TILE_PLANES_H

#include <string.h>

#if defined(HAVE_BMI) || defined(__SSE2__)
#include <immintrin.h>
#endif

#include "propagate/tile.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))
/* A loop that the width of the keys does not matter to, which needs every
 * register for itself. */
#define BY_ITSELF static __attribute__((noinline))

/* Unroll the loop that comes next. Some compilers only do it when told. */
#if defined(__GNUC__) && !defined(__clang__)
#define AS_PRAGMA(text) _Pragma(#text)
#define UNROLL(n) AS_PRAGMA(GCC unroll n)
#else
#define UNROLL(n)
#endif

enum {
    BLOCK = PAULIMPI__BLOCK_TERMS,
    LANES = PAULIMPI__TILE_LANES,
    HASH_BITS = PAULIMPI__HASH_BITS,
    QUAD = 4,
    TURN_COST =
        500,        /* bits that cost as much as to turn a block of one word */
    MANY_ROWS = 192 /* new terms that are cheaper by eight blocks */
};

/* The number of the lowest bit; of 0 anything. */
ALWAYS_INLINE uint32_t
lowest_bit(uint64_t word)
{
#if defined(HAVE_BMI)
    return (uint32_t)_tzcnt_u64(word);
#else
    return (uint32_t)__builtin_ctzll(word | (uint64_t)1 << 63);
#endif
}

/* A word of each of eight blocks; and of as many of them as go into one
 * register, since compilers keep anything longer in memory. */
typedef uint64_t lanes __attribute__((vector_size(64)));
#if !defined(VECTOR_BYTES)
#define VECTOR_BYTES 16
#endif
typedef uint64_t vector __attribute__((vector_size(VECTOR_BYTES)));
enum { PARTS = 64 / VECTOR_BYTES };

/* Four numbers or words. How vectors are passed depends on the processor that
 * is compiled for, so they are handed over by their address. */
typedef double quad __attribute__((vector_size(32)));
typedef int64_t quad_mask __attribute__((vector_size(32)));

/* Four bits, of those lanes that are set. */
ALWAYS_INLINE int
bits_of_quad(const quad_mask *m)
{
#if defined(__AVX__)
    return _mm256_movemask_pd((__m256d)*m);
#elif defined(__SSE2__)
    const __m128d *half = (const __m128d *)m;

    return _mm_movemask_pd(half[0]) | _mm_movemask_pd(half[1]) << 2;
#else
    return (int)(((*m)[0] & 1) | ((*m)[1] & 2) | ((*m)[2] & 4)
                 | ((*m)[3] & 8));
#endif
}

/* Transpose 64 words of 64 bits: squares of 32 bits off the diagonal change
 * places, then those of 16 in each square, and so on. With vectors for words
 * that is done to several blocks at once. Three sizes in turn concern the same
 * eight words, which are `step` apart. */
#define SWAP_SQUARES(type, a, b, size, mask)                                  \
    {                                                                         \
        type swap = ((a) >> (size) ^ (b)) & (mask);                           \
                                                                              \
        (a) ^= swap << (size);                                                \
        (b) ^= swap;                                                          \
    }
#define SWAP_EIGHT(type, word, step, size, mask4, mask2, mask1)               \
    {                                                                         \
        type w0 = (word)[0], w1 = (word)[step], w2 = (word)[2 * (step)],      \
             w3 = (word)[3 * (step)], w4 = (word)[4 * (step)],                \
             w5 = (word)[5 * (step)], w6 = (word)[6 * (step)],                \
             w7 = (word)[7 * (step)];                                         \
                                                                              \
        SWAP_SQUARES(type, w0, w4, 4 * (size), UINT64_C(mask4))               \
        SWAP_SQUARES(type, w1, w5, 4 * (size), UINT64_C(mask4))               \
        SWAP_SQUARES(type, w2, w6, 4 * (size), UINT64_C(mask4))               \
        SWAP_SQUARES(type, w3, w7, 4 * (size), UINT64_C(mask4))               \
        SWAP_SQUARES(type, w0, w2, 2 * (size), UINT64_C(mask2))               \
        SWAP_SQUARES(type, w1, w3, 2 * (size), UINT64_C(mask2))               \
        SWAP_SQUARES(type, w4, w6, 2 * (size), UINT64_C(mask2))               \
        SWAP_SQUARES(type, w5, w7, 2 * (size), UINT64_C(mask2))               \
        SWAP_SQUARES(type, w0, w1, size, UINT64_C(mask1))                     \
        SWAP_SQUARES(type, w2, w3, size, UINT64_C(mask1))                     \
        SWAP_SQUARES(type, w4, w5, size, UINT64_C(mask1))                     \
        SWAP_SQUARES(type, w6, w7, size, UINT64_C(mask1))                     \
        (word)[0] = w0;                                                       \
        (word)[step] = w1;                                                    \
        (word)[2 * (step)] = w2;                                              \
        (word)[3 * (step)] = w3;                                              \
        (word)[4 * (step)] = w4;                                              \
        (word)[5 * (step)] = w5;                                              \
        (word)[6 * (step)] = w6;                                              \
        (word)[7 * (step)] = w7;                                              \
    }
#define SWAP_BITS(type, word, step)                                           \
    SWAP_EIGHT(type, word, step, 1, 0x0f0f0f0f0f0f0f0f, 0x3333333333333333,   \
               0x5555555555555555)
#define DEFINE_TRANSPOSE(name, type, step)                                    \
    static void name(type *a)                                                 \
    {                                                                         \
        int i;                                                                \
                                                                              \
        for (i = 0; i < 8; i++) {                                             \
            SWAP_EIGHT(type, a + i * (step), 8 * (step), 8,                   \
                       0x00000000ffffffff, 0x0000ffff0000ffff,                \
                       0x00ff00ff00ff00ff)                                    \
        }                                                                     \
        for (i = 0; i < 8; i++) {                                             \
            SWAP_BITS(type, a + 8 * i * (step), step)                         \
        }                                                                     \
    }
DEFINE_TRANSPOSE(transpose, uint64_t, 1)
DEFINE_TRANSPOSE(transpose_part, vector, PARTS)

ALWAYS_INLINE void
transpose_lanes(lanes *a)
{
    int part;

    for (part = 0; part < PARTS; part++) {
        transpose_part((vector *)a + part);
    }
}

/* Where the bits of word w of the keys of block k are; LANES words apart. */
ALWAYS_INLINE uint64_t *
bits_of_word(const paulimpi__tile *tile, int64_t k, int64_t w,
             const int64_t n_words)
{
    return paulimpi__tile_plane(tile, n_words, k - k % LANES, w * 64)
           + k % LANES;
}

/* Make the planes of eight blocks 0 when the first of them, block k, begins:
 * whatever is behind the terms that are there is 0. */
ALWAYS_INLINE void
clear_eight(paulimpi__tile *tile, int64_t k, const int64_t n_words)
{
    if (k % LANES == 0) {
        memset(paulimpi__tile_plane(tile, n_words, k, 0), 0,
               (size_t)n_words * 128 * LANES * sizeof *tile->plane);
    }
}

/* Turn the keys of block k, of which n rows are there. */
ALWAYS_INLINE void
turn_block(paulimpi__tile *tile, int64_t k, int64_t n, const int64_t n_words)
{
    const uint64_t *row = tile->key + k * BLOCK * 2 * n_words;
    int64_t w;
    int i;

    clear_eight(tile, k, n_words);
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

    if (first % BLOCK == 0) {
        clear_eight(tile, first / BLOCK, n_words);
    }
    for (w = 0; w < 2 * n_words; w++) {
        uint64_t *to = bits_of_word(tile, first / BLOCK, w, n_words);

        for (i = first; i < end; i++) {
            uint64_t bit = (uint64_t)1 << i % BLOCK;
            uint64_t rest = tile->key[i * 2 * n_words + w];

            for (; rest != 0; rest &= rest - 1) {
                to[lowest_bit(rest) * LANES] |= bit;
            }
        }
    }
}

/* Whether it costs less to set the bits of new terms one by one than to turn
 * their block; as many bits are taken to be in each as in the first. */
ALWAYS_INLINE int
are_few_rows(const paulimpi__tile *tile, int64_t first, int64_t end,
             const int64_t n_words)
{
    const uint64_t *row = tile->key + first * 2 * n_words;
    int64_t n_bits = 0;
    int64_t w;

    for (w = 0; w < 2 * n_words; w++) {
        n_bits += paulimpi__popcount(row[w]);
    }
    return (end - first) * (n_bits + n_words) <= TURN_COST * n_words;
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
        } else if (are_few_rows(tile, i, end, n_words)) {
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
scan_part(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
          const paulimpi__ready_op *op, int64_t block, int part,
          int64_t n_words)
{
    vector odd = { 0 }, twos = { 0 }, minus = { 0 };
    int64_t k;

    for (k = 0; k < op->n_parts; k++) {
        const paulimpi__part *g = &op->parts[k];
        int64_t column = plan->column[g->word] * 64;
        const vector *x_plane =
            (const vector *)paulimpi__tile_plane(tile, n_words, block, column)
            + part;
        const vector *z_plane = x_plane + n_words * 64 * PARTS;
        uint64_t rest;

        for (rest = g->x & ~g->z; rest != 0; rest &= rest - 1) {
            vector x = x_plane[lowest_bit(rest) * PARTS];
            vector z = z_plane[lowest_bit(rest) * PARTS];

            twos ^= odd & z;
            odd ^= z;
            minus ^= z & ~x;
        }
        for (rest = g->x & g->z; rest != 0; rest &= rest - 1) {
            vector x = x_plane[lowest_bit(rest) * PARTS];
            vector z = z_plane[lowest_bit(rest) * PARTS];

            twos ^= odd & (x ^ z);
            odd ^= x ^ z;
            minus ^= x & ~z;
        }
        for (rest = g->z & ~g->x; rest != 0; rest &= rest - 1) {
            vector x = x_plane[lowest_bit(rest) * PARTS];
            vector z = z_plane[lowest_bit(rest) * PARTS];

            twos ^= odd & x;
            odd ^= x;
            minus ^= x & z;
        }
    }
    ((vector *)(tile->lead + block))[part] = odd & (twos ^ minus);
    ((vector *)(tile->follower + block))[part] = odd & ~(twos ^ minus);
}

/* The same for blocks `block` to `end` - 1, eight at a time. */
BY_ITSELF void
scan(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
     const paulimpi__ready_op *op, int64_t block, int64_t end)
{
    int part;

    for (; block < end; block += LANES) {
        for (part = 0; part < PARTS; part++) {
            scan_part(tile, plan, op, block, part, plan->n_words);
        }
    }
}

/* Apply a function to the terms of eight blocks. */
BY_ITSELF void
add_planes(const uint64_t *planes, const paulimpi__tile_sums *sums,
           int64_t function, vector sum[PARTS])
{
    const uint32_t *end = sums->plane + sums->begin[function + 1];
    const uint32_t *next = sums->plane + sums->begin[function];
    vector sum0 = { 0 }, sum1 = { 0 }, sum2 = { 0 }, sum3 = { 0 };

    UNROLL(4)
    for (; next < end; next++) {
        const vector *plane = (const vector *)(planes + *next);

        sum0 ^= plane[0];
        if (PARTS > 1) {
            sum1 ^= plane[1 % PARTS];
        }
        if (PARTS > 2) {
            sum2 ^= plane[2 % PARTS];
            sum3 ^= plane[3 % PARTS];
        }
    }
    sum[0] = sum0;
    sum[1 % PARTS] = PARTS > 1 ? sum1 : sum0;
    sum[2 % PARTS] = PARTS > 2 ? sum2 : sum0;
    sum[3 % PARTS] = PARTS > 2 ? sum3 : PARTS > 1 ? sum1 : sum0;
}

/* Transpose the squares of 32 bits of 32 words. */
ALWAYS_INLINE void
transpose_halves(vector *a)
{
    int i;

    for (i = 0; i < 8; i++) {
        vector w0 = a[i], w1 = a[i + 8], w2 = a[i + 16], w3 = a[i + 24];

        SWAP_SQUARES(vector, w0, w2, 16, UINT64_C(0x0000ffff0000ffff))
        SWAP_SQUARES(vector, w1, w3, 16, UINT64_C(0x0000ffff0000ffff))
        SWAP_SQUARES(vector, w0, w1, 8, UINT64_C(0x00ff00ff00ff00ff))
        SWAP_SQUARES(vector, w2, w3, 8, UINT64_C(0x00ff00ff00ff00ff))
        a[i] = w0;
        a[i + 8] = w1;
        a[i + 16] = w2;
        a[i + 24] = w3;
    }
    for (i = 0; i < 4; i++) {
        SWAP_BITS(vector, a + 8 * i, 1)
    }
}

/* Write the hashes of the terms of a part of eight blocks. */
ALWAYS_INLINE void
write_hashes(paulimpi__tile *tile, uint32_t drawn, const vector *value,
             int64_t first)
{
    int64_t lane, i;

    for (lane = 0; lane < LANES / PARTS; lane++) {
        for (i = 0; i < HASH_BITS; i++) {
            uint32_t low = (uint32_t)value[i][lane];
            uint32_t high = (uint32_t)(value[i][lane] >> HASH_BITS);

            tile->hash[first + i] = low & ~drawn;
            tile->hash[first + i + HASH_BITS] = high & ~drawn;
            tile->next_hash[first + i] = low & drawn;
            tile->next_hash[first + i + HASH_BITS] = high & drawn;
        }
        first += BLOCK;
    }
}

/* Find the hashes of the terms of eight blocks. */
ALWAYS_INLINE void
find_hashes(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
            const paulimpi__tile_sums *hash, int64_t block, int64_t n_words)
{
    const uint64_t *planes = paulimpi__tile_plane(tile, n_words, block, 0);
    vector value[PARTS][HASH_BITS];
    vector sum[PARTS];
    int f, part;

    for (f = 0; f < HASH_BITS; f++) {
        add_planes(planes, hash, f, sum);
        for (part = 0; part < PARTS; part++) {
            value[part][f] = sum[part];
        }
    }
    for (part = 0; part < PARTS; part++) {
        transpose_halves(value[part]);
        write_hashes(tile, plan->drawn, value[part],
                     (block + part * (LANES / PARTS)) * BLOCK);
    }
}

static void
hash_terms(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
           const paulimpi__tile_sums *hash)
{
    int64_t n_blocks = (tile->n + BLOCK - 1) / BLOCK;
    int64_t k;

    for (k = 0; k < n_blocks; k += LANES) {
        find_hashes(tile, plan, hash, k, plan->n_words);
    }
}

#endif /* PAULIMPI_SRC_PROPAGATE_TILE_PLANES_H */
