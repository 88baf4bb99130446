/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of a tile, by which the partner of a term is found. Part of
 * tile_loops.h.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_TILE_TABLE_H
#define PAULIMPI_SRC_PROPAGATE_TILE_TABLE_H

#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "propagate/tile_planes.h"

enum { WAYS = PAULIMPI__TILE_WAYS };

ALWAYS_INLINE uint16_t
tag_of(uint32_t hash)
{
    return (uint16_t)(hash >> 16 | 1);
}

ALWAYS_INLINE uint32_t
set_of(const paulimpi__tile *tile, uint32_t hash)
{
    return (hash * UINT32_C(0x9e3779b1)) >> (32 - tile->log2_sets);
}

/* Two bits for each of the eight tags that is equal. */
ALWAYS_INLINE uint32_t
match(const uint16_t *tags, uint16_t tag)
{
#if defined(__SSE2__)
    __m128i all = _mm_load_si128((const void *)tags);
    __m128i equal = _mm_cmpeq_epi16(all, _mm_set1_epi16((short)tag));

    return (uint32_t)_mm_movemask_epi8(equal);
#elif defined(__aarch64__)
    static const uint16_t pair[WAYS] = { 0x0003, 0x000c, 0x0030, 0x00c0,
                                         0x0300, 0x0c00, 0x3000, 0xc000 };
    uint16x8_t equal = vceqq_u16(vld1q_u16(tags), vdupq_n_u16(tag));

    return vaddvq_u16(vandq_u16(equal, vld1q_u16(pair)));
#else
    uint32_t bits = 0;
    int i;

    for (i = 0; i < WAYS; i++) {
        bits |= (tags[i] == tag ? 3u : 0u) << 2 * i;
    }
    return bits;
#endif
}

ALWAYS_INLINE void
enter(paulimpi__tile *tile, uint32_t hash, uint32_t term)
{
    uint32_t mask = ((uint32_t)1 << tile->log2_sets) - 1;
    uint32_t set = set_of(tile, hash);

    while (tile->fill[set] == WAYS) {
        set = (set + 1) & mask;
    }
    tile->tag[set * WAYS + tile->fill[set]] = tag_of(hash);
    tile->entry[set * WAYS + tile->fill[set]] = term;
    tile->fill[set]++;
}

/* Make the table anew, half full. */
static void
enter_all(paulimpi__tile *tile)
{
    int64_t i;
    int bits = paulimpi__log2_ceil((uint64_t)(tile->n + 3) / 4);

    tile->log2_sets = bits < 2 ? 2 : bits;
    memset(tile->tag, 0, (sizeof *tile->tag * WAYS) << tile->log2_sets);
    memset(tile->fill, 0, sizeof *tile->fill << tile->log2_sets);
    for (i = 0; i < tile->n; i++) {
        enter(tile, tile->hash[i], (uint32_t)i);
    }
}

ALWAYS_INLINE int
are_partners(const paulimpi__tile *tile, uint32_t a, uint32_t b,
             const uint64_t *generator, const int64_t n_words)
{
    const uint64_t *key_a = tile->key + (int64_t)a * 2 * n_words;
    const uint64_t *key_b = tile->key + (int64_t)b * 2 * n_words;
    uint64_t wrong = 0;
    int64_t w;

    for (w = 0; w < 2 * n_words; w++) {
        wrong |= key_a[w] ^ key_b[w] ^ generator[w];
    }
    return wrong == 0;
}

/* The partner of a term by the whole search, or -1. */
static int64_t
find_partner(const paulimpi__tile *tile, const paulimpi__tile_gate *gate,
             uint32_t term, int64_t n_words)
{
    uint32_t mask = ((uint32_t)1 << tile->log2_sets) - 1;
    uint32_t hash = tile->hash[term] ^ gate->hash;
    uint32_t set = set_of(tile, hash);

    for (;;) {
        uint32_t found = match(tile->tag + set * WAYS, tag_of(hash));

        for (; found != 0; found &= found - 1, found &= found - 1) {
            uint32_t other =
                tile->entry[set * WAYS + __builtin_ctz(found) / 2];

            if (are_partners(tile, term, other, gate->key, n_words)) {
                return other;
            }
        }
        if (tile->fill[set] < WAYS) {
            return -1;
        }
        set = (set + 1) & mask;
    }
}

#endif /* PAULIMPI_SRC_PROPAGATE_TILE_TABLE_H */
