/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Taking a tile through gates orbit by orbit: its terms are sorted by their
 * syndromes. Part of tile_loops.h.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_ORBIT_LOOPS_H
#define PAULIMPI_SRC_PROPAGATE_ORBIT_LOOPS_H

#include <float.h>
#include <string.h>

#include "propagate/orbit_arrays.h"
#include "propagate/orbit_large.h"
#include "propagate/orbit_lists.h"
#include "propagate/tile_planes.h"

enum { HALF = 32, FEW_BITS = 0xffff };

/* The syndromes and the coordinates of terms. */

/* Turn the bits of 64 gates and eight blocks into word c of the terms. */
ALWAYS_INLINE void
turn_bits(const paulimpi__orbits *o, lanes *bits, int64_t block,
          int64_t n_blocks, int64_t c, uint64_t *word)
{
    int lane, i;

    transpose_lanes(bits);
    for (lane = 0; lane < LANES && block + lane < n_blocks; lane++) {
        uint64_t *to = word + (block + lane) * BLOCK * o->n_mask + c;

        for (i = 0; i < BLOCK; i++) {
            to[i * o->n_mask] = bits[i][lane];
        }
    }
}

/* Apply a function of each gate to all terms. */
ALWAYS_INLINE void
find_bits(const paulimpi__orbits *o, const paulimpi__tile *tile,
          const paulimpi__tile_sums *function, uint64_t *word,
          const int64_t n_words)
{
    int64_t n_blocks = (tile->n + BLOCK - 1) / BLOCK;
    int64_t block, c;

    for (block = 0; block < n_blocks; block += LANES) {
        const uint64_t *planes = paulimpi__tile_plane(tile, n_words, block, 0);

        for (c = 0; c < o->n_mask; c++) {
            lanes bits[BLOCK];
            int64_t k;

            memset(bits, 0, sizeof bits);
            for (k = 64 * c; k < 64 * (c + 1) && k < o->n_gates; k++) {
                add_planes(planes, function, k, (vector *)&bits[k % 64]);
            }
            turn_bits(o, bits, block, n_blocks, c, word);
        }
    }
}

/* Write the syndromes and the coordinates of the terms of a part of eight
 * blocks. */
ALWAYS_INLINE void
write_few_bits(const paulimpi__orbits *o, const vector *bits, int64_t first)
{
    int64_t lane, i;

    for (lane = 0; lane < LANES / PARTS; lane++) {
        uint64_t *coordinate = o->coordinate + first + lane * BLOCK;
        uint64_t *mask = o->mask + first + lane * BLOCK;

        for (i = 0; i < HALF; i++) {
            uint64_t both = bits[i][lane];

            coordinate[i] = both & FEW_BITS;
            mask[i] = both >> 16 & FEW_BITS;
            coordinate[i + HALF] = both >> 32 & FEW_BITS;
            mask[i + HALF] = both >> 48;
        }
    }
}

/* Find the syndromes and the coordinates of all terms, where both are a few
 * bits. */
ALWAYS_INLINE void
find_few_bits(const paulimpi__orbits *o, const paulimpi__tile *tile,
              const int64_t n_words)
{
    int64_t block, k;
    int part;

    for (block = 0; block * BLOCK < tile->n; block += LANES) {
        const uint64_t *planes = paulimpi__tile_plane(tile, n_words, block, 0);
        vector bits[PARTS][HALF];
        vector sum[PARTS];

        memset(bits, 0, sizeof bits);
        for (k = 0; k < o->n_gates; k++) {
            add_planes(planes, &o->function, k, sum);
            for (part = 0; part < PARTS; part++) {
                bits[part][k] = sum[part];
            }
            add_planes(planes, &o->active, k, sum);
            for (part = 0; part < PARTS; part++) {
                bits[part][HALF / 2 + k] = sum[part];
            }
        }
        for (part = 0; part < PARTS; part++) {
            transpose_halves(bits[part]);
            write_few_bits(o, bits[part],
                           (block + part * (LANES / PARTS)) * BLOCK);
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

/* Put a term into the list of its syndrome. */
ALWAYS_INLINE void
add_to_syndrome(paulimpi__orbits *o, const paulimpi__tile *tile, int64_t i,
                const int64_t n_words)
{
    paulimpi__syndrome *s = paulimpi__orbits_find(o, o->mask + i * o->n_mask,
                                                  tile->key + i * 2 * n_words);

    if (s == NULL) {
        return;
    }
    if (s->first < 0) {
        s->n_members = 0;
        s->next_used = o->used;
        o->used = s;
    }
    o->next[i] = (int32_t)s->first;
    s->n_members++;
    s->first = i;
}

/* Whether two terms of the same syndrome are in one orbit, of generators that
 * do not depend on each other: no gate but those of the syndrome lies between
 * them. */
ALWAYS_INLINE int
share_orbit(const paulimpi__orbits *o, const paulimpi__tile *tile, int64_t a,
            int64_t b, const int64_t n_words)
{
    const uint64_t *key_a = tile->key + a * 2 * n_words;
    const uint64_t *key_b = tile->key + b * 2 * n_words;
    const uint64_t *mask_a = o->mask + a * o->n_mask;
    const uint64_t *mask_b = o->mask + b * o->n_mask;
    const uint64_t *at_a = o->coordinate + a * o->n_mask;
    const uint64_t *at_b = o->coordinate + b * o->n_mask;
    uint64_t between[2 * MOST_WORDS];
    uint64_t wrong = 0;
    int64_t c, w;

    for (c = 0; c < o->n_mask; c++) {
        wrong |= (mask_a[c] ^ mask_b[c]) | ((at_a[c] ^ at_b[c]) & ~mask_a[c]);
    }
    if (wrong != 0) {
        return 0;
    }
    for (w = 0; w < 2 * n_words; w++) {
        between[w] = key_a[w] ^ key_b[w];
    }
    for (c = 0; c < o->n_mask; c++) {
        uint64_t rest = at_a[c] ^ at_b[c];

        for (; rest != 0; rest &= rest - 1) {
            const uint64_t *key = o->gate[64 * c + __builtin_ctzll(rest)].key;

            for (w = 0; w < 2 * n_words; w++) {
                between[w] ^= key[w];
            }
        }
    }
    for (w = 0; w < 2 * n_words; w++) {
        wrong |= between[w];
    }
    return wrong == 0;
}

/* The hash of the canonical term of the orbit, with the next hash above. */
ALWAYS_INLINE uint64_t
hash_of_orbit(const paulimpi__orbits *o, const paulimpi__tile *tile, int64_t i)
{
    const uint64_t *mask = o->mask + i * o->n_mask;
    const uint64_t *at = o->coordinate + i * o->n_mask;
    uint64_t hash = tile->hash[i];
    int64_t c;

    if (o->plan->n_functions > 0) {
        hash |= (uint64_t)tile->next_hash[i] << 32;
    }
    for (c = 0; c < o->n_mask; c++) {
        uint64_t rest = at[c] & mask[c];

        for (; rest != 0; rest &= rest - 1) {
            hash ^= o->gate_hash[64 * c + __builtin_ctzll(rest)];
        }
    }
    return hash * UINT64_C(0x9e3779b97f4a7c15);
}

/* Put a term into the orbit of the term in a slot, if there is one; otherwise
 * it is the first one of another, before the one that was `last` so far. */
ALWAYS_INLINE void
join_orbit(paulimpi__orbits *o, int64_t i, uint64_t slot, int64_t *last)
{
    int64_t other = o->slot[slot];

    if (other >= 0) {
        o->next[i] = o->next[other];
        o->next[other] = (int32_t)i;
        return;
    }
    o->slot[slot] = (int32_t)i;
    o->next[i] = -1;
    o->next_orbit[i] = (int32_t)*last;
    *last = i;
}

/* Put a term into its orbit. */
ALWAYS_INLINE void
add_to_orbit(paulimpi__orbits *o, const paulimpi__tile *tile, int64_t i,
             int bits, int64_t *last, const int64_t n_words)
{
    uint64_t slot = hash_of_orbit(o, tile, i) >> (64 - bits);

    while (o->slot[slot] >= 0
           && !share_orbit(o, tile, i, o->slot[slot], n_words)) {
        slot = (slot + 1) & (((uint64_t)1 << bits) - 1);
    }
    join_orbit(o, i, slot, last);
}

/* Write a term that no gate moves. */
ALWAYS_INLINE void
pass_on(paulimpi__orbits *o, const paulimpi__tile *tile, int64_t i,
        const int64_t n_words)
{
    place_to_write to;

    if (make_room(o, 1, 0, &to)) {
        copy_term(o, tile, i, &to, 0, n_words);
    }
}

/* Make an empty table for the search of orbits. Its size is 2^bits; 0 without
 * memory. */
static int
begin_slots(paulimpi__orbits *o, int64_t n)
{
    int bits = paulimpi__log2_ceil((uint64_t)n + 1) + 1;

    if (!paulimpi__orbits_slots(o, (int64_t)1 << bits)) {
        return 0;
    }
    memset(o->slot, -1, sizeof *o->slot << bits);
    return bits;
}

/* Sort the terms: by their orbits, where that is possible, otherwise by their
 * syndromes. Those that no gate moves are done. Returns where the list of
 * orbits begins. */
ALWAYS_INLINE int64_t
sort_terms(paulimpi__orbits *o, const paulimpi__tile *tile, int has_orbits,
           const int64_t n_words)
{
    int bits = has_orbits ? begin_slots(o, tile->n) : 0;
    int64_t last = -1;
    int64_t i, c;

    for (i = 0; i < tile->n && !o->has_failed; i++) {
        const uint64_t *mask = o->mask + i * o->n_mask;
        int rank = 0;

        if (is_zero(tile->coefficient[i])) {
            continue;
        }
        for (c = 0; c < o->n_mask; c++) {
            rank += paulimpi__popcount(mask[c]);
        }
        if (rank == 0) {
            pass_on(o, tile, i, n_words);
        } else if (has_orbits && rank <= PAULIMPI__ORBIT_RANK) {
            add_to_orbit(o, tile, i, bits, &last, n_words);
        } else {
            add_to_syndrome(o, tile, i, n_words);
        }
    }
    return last;
}

/* Whether two terms differ by generators that move the first, of which all
 * products are in a table. */
ALWAYS_INLINE int
share_few_orbit(const paulimpi__orbits *o, const paulimpi__tile *tile,
                int64_t a, int64_t b, const int64_t n_words)
{
    const uint64_t *key_a = tile->key + a * 2 * n_words;
    const uint64_t *key_b = tile->key + b * 2 * n_words;
    uint64_t set = o->coordinate[a] ^ o->coordinate[b];
    const uint64_t *key = product_of(o, set, n_words);
    uint64_t wrong = set & ~o->mask[a];
    int64_t w;

    for (w = 0; w < 2 * n_words; w++) {
        wrong |= key_a[w] ^ key_b[w] ^ key[w];
    }
    return wrong == 0;
}

/* Sort the terms by their orbits, where all products are in a table. Puts into
 * *last_p where the list of orbits begins. */
ALWAYS_INLINE void
sort_terms_of_few(paulimpi__orbits *o, const paulimpi__tile *tile, int bits,
                  int64_t *last_p, const int64_t n_words)
{
    const uint64_t *coordinate = o->coordinate;
    const int32_t *slots = o->slot;
    int64_t last = -1;
    int64_t i;

    for (i = 0; i < tile->n && !o->has_failed; i++) {
        uint64_t mask = o->mask[i];
        uint64_t hash = tile->hash[i] | (uint64_t)tile->next_hash[i] << 32;
        uint64_t slot;

        if (is_zero(tile->coefficient[i])) {
            continue;
        }
        if (mask == 0) {
            pass_on(o, tile, i, n_words);
            continue;
        }
        hash ^= product_of(o, coordinate[i] & mask, n_words)[2 * n_words];
        slot = hash * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits);
        while (slots[slot] >= 0
               && !share_few_orbit(o, tile, i, slots[slot], n_words)) {
            slot = (slot + 1) & (((uint64_t)1 << bits) - 1);
        }
        join_orbit(o, i, slot, &last);
    }
    *last_p = last;
}

static int64_t
sort_few_terms(paulimpi__orbits *o, const paulimpi__tile *tile)
{
    int bits = begin_slots(o, tile->n);
    int64_t last = -1;

    FOR_WIDTHS(sort_terms_of_few, o->n_words, o, tile, bits, &last)
    return last;
}

/* Take the terms that have been sorted by their syndromes through the gates. */
ALWAYS_INLINE void
take_syndromes(paulimpi__orbits *o, const paulimpi__tile *tile,
               const int64_t n_words)
{
    paulimpi__syndrome *s;

    for (s = o->used; s != NULL && !o->has_failed; s = s->next_used) {
        place_to_write to;
        int64_t i, k;

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
}

/* Make ready for a tile. Whether there was memory. */
ALWAYS_INLINE int
begin_tile(paulimpi__orbits *o, paulimpi__tile *tile, int64_t first,
           int64_t end)
{
    if (!o->is_ready
        && (paulimpi__orbits_open(o, first, end) != PAULIMPI_SUCCESS
            || paulimpi__orbits_make_functions(o) != PAULIMPI_SUCCESS)) {
        return 0;
    }
    o->is_ready = 1;
    o->tile = tile;
    o->has_failed = 0;
    o->out.n = 0;
    o->out.n_dropped = 0;
    o->n_list_dropped = 0;
    o->least = o->plan->limits->min_abs;
    o->least = o->least > 0.0 ? o->least : DBL_TRUE_MIN;
    memset(o->change, 0, (size_t)o->n_gates * sizeof *o->change);
    return paulimpi__orbits_reserve(o, tile->n) == PAULIMPI_SUCCESS
           && paulimpi__orbits_lists(o, 1);
}

ALWAYS_INLINE void
take_one_orbit(paulimpi__orbits *o, const paulimpi__tile *tile, int64_t first,
               const int64_t n_words)
{
    if (o->has_products
        && paulimpi__popcount(o->mask[first]) <= MOST_IN_ARRAY) {
        take_array(o, tile, first);
    } else {
        take_listed(o, tile, first, n_words);
    }
}

ALWAYS_INLINE void
take_orbits(paulimpi__orbits *o, paulimpi__tile *tile, int64_t first,
            int64_t end, const int64_t n_words)
{
    int64_t n_live = tile->n_live;
    int64_t orbit, k;
    int has_orbits;

    if (!begin_tile(o, tile, first, end)) {
        o->has_failed = 1;
        return;
    }
    has_orbits = o->has_dual && n_words <= MOST_WORDS;
    turn_new(tile, n_words);
    if (o->has_products) {
        find_few_bits(o, tile, n_words);
        orbit = sort_few_terms(o, tile);
    } else {
        find_bits(o, tile, &o->active, o->mask, n_words);
        if (has_orbits) {
            find_bits(o, tile, &o->function, o->coordinate, n_words);
        }
        orbit = sort_terms(o, tile, has_orbits, n_words);
    }
    while (orbit >= 0 && !o->has_failed) {
        take_one_orbit(o, tile, orbit, n_words);
        orbit = o->next_orbit[orbit];
    }
    take_syndromes(o, tile, n_words);
    if (!o->has_failed) {
        give_list_dropped(o);
        hand_on(o);
    }
    for (k = first; k < end; k++) {
        o->count[k] += n_live;
        n_live += o->change[k - first];
    }
}

#endif /* PAULIMPI_SRC_PROPAGATE_ORBIT_LOOPS_H */
