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

#define SPREAD UINT32_C(0x9e3779b1)

ALWAYS_INLINE uint16_t
tag_of(uint32_t hash)
{
    return (uint16_t)(hash >> 16 | 1);
}

ALWAYS_INLINE uint32_t
set_of(const paulimpi__tile *tile, uint32_t hash)
{
    return (hash * SPREAD) >> (32 - tile->log2_sets);
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

/* Enter terms `first` to `end` - 1. */
static void
enter_terms(paulimpi__tile *tile, int64_t first, int64_t end)
{
    const uint32_t *hash_of = tile->hash;
    uint16_t *sets = tile->sets;
    uint8_t *fill = tile->fill;
    int shift = 32 - tile->log2_sets;
    size_t mask = ((size_t)1 << tile->log2_sets) - 1;
    int64_t i;

    for (i = first; i < end; i++) {
        uint32_t hash = hash_of[i];
        size_t set = (hash * SPREAD) >> shift;
        size_t place;

        while (fill[set] == WAYS) {
            set = (set + 1) & mask;
        }
        place = set * 2 * WAYS + fill[set]++;
        sets[place] = tag_of(hash);
        sets[place + WAYS] = (uint16_t)i;
    }
}

/* Make the table anew, half full. */
static void
enter_all(paulimpi__tile *tile)
{
    int bits = paulimpi__log2_ceil((uint64_t)(tile->n + 3) / 4);

    tile->log2_sets = bits < 2 ? 2 : bits;
    memset(tile->sets, 0, (sizeof *tile->sets * 2 * WAYS) << tile->log2_sets);
    memset(tile->fill, 0, sizeof *tile->fill << tile->log2_sets);
    enter_terms(tile, 0, tile->n);
}

ALWAYS_INLINE int
are_partners(const paulimpi__tile *tile, uint32_t a, uint32_t b,
             const uint64_t *generator, const int64_t n_words)
{
    const uint64_t *key_a = tile->key + (int64_t)a * 2 * n_words;
    const uint64_t *key_b = tile->key + (int64_t)b * 2 * n_words;
#if defined(__SSE4_1__)
    __m128i wrong = _mm_setzero_si128();
    int64_t w;

    for (w = 0; w < 2 * n_words; w += 2) {
        __m128i sum =
            _mm_xor_si128(_mm_loadu_si128((const void *)(key_a + w)),
                          _mm_loadu_si128((const void *)(key_b + w)));

        wrong = _mm_or_si128(
            wrong, _mm_xor_si128(
                       sum, _mm_loadu_si128((const void *)(generator + w))));
    }
    return _mm_testz_si128(wrong, wrong);
#else
    uint64_t wrong = 0;
    int64_t w;

    for (w = 0; w < 2 * n_words; w++) {
        wrong |= key_a[w] ^ key_b[w] ^ generator[w];
    }
    return wrong == 0;
#endif
}

/* The partner of a term if its number has the low 16 bits of `other`, or -1.
 * Few tiles have so many terms that there is more than one such number. */
static inline int64_t
find_among(const paulimpi__tile *tile, const paulimpi__tile_gate *gate,
           uint32_t term, int64_t other, int64_t n_words)
{
    for (; other < tile->n; other += 1 << 16) {
        if (are_partners(tile, term, (uint32_t)other, gate->key, n_words)) {
            return other;
        }
    }
    return -1;
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
        const uint16_t *tags = tile->sets + (size_t)set * 2 * WAYS;
        uint32_t found = match(tags, tag_of(hash));

        for (; found != 0; found &= found - 1, found &= found - 1) {
            int64_t other =
                find_among(tile, gate, term,
                           tags[WAYS + __builtin_ctz(found) / 2], n_words);

            if (other >= 0) {
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
