/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Taking the terms of a tile through a gate. Part of tile_loops.h.
 *
 * A rotation is done in five loops, each without branches that cannot be
 * foretold: scan the planes for active terms, probe the table for the partners
 * of the leads, rotate the pairs, rotate the terms without partner, enter the
 * terms that are born.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_TILE_JOIN_H
#define PAULIMPI_SRC_PROPAGATE_TILE_JOIN_H

#include <math.h>
#include <string.h>

#include "propagate/tile_table.h"

/* Whether a number is 0; of either sign. */
ALWAYS_INLINE int
is_zero(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits << 1 == 0;
}

/* The number of the lowest bit; of 0 anything. */
ALWAYS_INLINE uint32_t
lowest_bit(uint64_t word)
{
#if defined(__BMI__)
    return (uint32_t)_tzcnt_u64(word);
#else
    return (uint32_t)__builtin_ctzll(word | (uint64_t)1 << 63);
#endif
}

/* List the terms of n words of a bitmap, which are given by number. Those of a
 * word are written `step` at a time, whether they are there or not; with a step
 * that is seldom too small, nothing depends on their number. */
ALWAYS_INLINE int64_t
list_by(const uint64_t *bitmap, const uint32_t *word, int64_t n,
        uint32_t *list, const int step)
{
    uint32_t *end = list;
    int64_t k;

    for (k = 0; k < n; k++) {
        uint32_t first = word[k] * BLOCK;
        uint64_t rest = bitmap[word[k]];
        uint32_t *to = end;

        end += paulimpi__popcount(rest);
        do {
            int i;

            for (i = 0; i < step; i++) {
                *to++ = first + lowest_bit(rest);
                rest &= rest - 1;
            }
        } while (to < end);
    }
    return end - list;
}

/* List the terms of a bitmap in tile->listed. Returns their number. */
ALWAYS_INLINE int64_t
list_bits(const paulimpi__tile *tile, const uint64_t *bitmap)
{
    int64_t n_blocks = (tile->n + BLOCK - 1) / BLOCK;
    uint32_t *word = tile->partner; /* free at this time */
    int64_t n_bits = 0;
    int64_t n = 0;
    int64_t k;

    for (k = 0; k < n_blocks; k++) {
        word[n] = (uint32_t)k;
        n += bitmap[k] != 0;
        n_bits += paulimpi__popcount(bitmap[k]);
    }
    if (n_bits > 5 * n / 2) {
        return list_by(bitmap, word, n, tile->listed, 8);
    }
    return n_bits > 3 * n / 2 ? list_by(bitmap, word, n, tile->listed, 4)
                              : list_by(bitmap, word, n, tile->listed, 2);
}

/* Split the leads into those whose partner may be there, and the others, which
 * are put at the front of the list. Returns the number of the latter. */
ALWAYS_INLINE int64_t
probe(const paulimpi__tile *tile, const paulimpi__tile_gate *gate,
      int64_t n_leads, int64_t *n_met)
{
    const uint32_t *hash_of = tile->hash;
    uint32_t *listed = tile->listed;
    uint32_t *met = tile->met;
    uint32_t *partner = tile->partner;
    int64_t n_alone = 0;
    int64_t n = 0;
    int64_t i;

    for (i = 0; i < n_leads; i++) {
        uint32_t lead = listed[i];
        uint32_t hash = hash_of[lead] ^ gate->hash;
        size_t first = (size_t)set_of(tile, hash) * WAYS;
        const uint16_t *tags = tile->tag + first;
        uint32_t found = match(tags, tag_of(hash));
        int may_be_there = (found != 0) | (tags[WAYS - 1] != 0);

        met[n] = lead;
        partner[n] = tile->entry[first + __builtin_ctz(found | 1u << 15) / 2];
        n += may_be_there;
        listed[n_alone] = lead;
        n_alone += !may_be_there;
    }
    *n_met = n;
    return n_alone;
}

/* What the loops of a gate count. */
typedef struct {
    int64_t n_dropped;
    int64_t n_dead_before;
    int64_t n_dead_after;
} tally;

ALWAYS_INLINE tally
begin_tally(const paulimpi__tile *tile)
{
    return (tally){ tile->n_dropped, 0, 0 };
}

ALWAYS_INLINE void
end_tally(paulimpi__tile *tile, const tally *t, int64_t n_active)
{
    tile->n_dropped = t->n_dropped;
    tile->n_live += t->n_dead_before - t->n_dead_after;
    tile->active += n_active - t->n_dead_before;
}

/* A value, or 0. Which it will be cannot be foretold, so there is no branch. */
ALWAYS_INLINE double
keep_if(double value, int stays)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    bits &= -(uint64_t)stays;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

/* What a coefficient becomes: the value, or 0 if that is too small. */
ALWAYS_INLINE double
truncated(double old, double value, double min_abs, double *dropped, tally *t)
{
    int stays = fabs(value) >= min_abs;
    double kept = keep_if(value, stays);

    dropped[t->n_dropped] = value;
    t->n_dropped += !stays;
    t->n_dead_before += is_zero(old);
    t->n_dead_after += is_zero(kept);
    return kept;
}

/* Rotate the pairs; leads that turn out to have no partner join those that are
 * alone. Returns the number of these. */
ALWAYS_INLINE int64_t
rotate_pairs(paulimpi__tile *tile, const paulimpi__tile_gate *gate,
             int64_t n_met, int64_t n_alone, double min_abs,
             const int64_t n_words)
{
    double cos_theta = gate->cos_theta;
    double sin_theta = gate->sin_theta;
    double *coefficient = tile->coefficient;
    double *dropped = tile->dropped;
    uint64_t *follower = tile->follower;
    int64_t n_alone_before = n_alone;
    tally t = begin_tally(tile);
    int64_t i;

    for (i = 0; i < n_met; i++) {
        uint32_t lead = tile->met[i];
        uint32_t other = tile->partner[i];
        double a, b;

        if (!are_partners(tile, lead, other, gate->key, n_words)) {
            int64_t found = find_partner(tile, gate, lead, n_words);

            if (found < 0) {
                tile->listed[n_alone++] = lead;
                continue;
            }
            other = (uint32_t)found;
        }
        a = coefficient[lead];
        b = coefficient[other];
        follower[other / BLOCK] &= ~((uint64_t)1 << other % BLOCK);
        coefficient[lead] =
            truncated(a, cos_theta * a - sin_theta * b, min_abs, dropped, &t);
        coefficient[other] =
            truncated(b, cos_theta * b + sin_theta * a, min_abs, dropped, &t);
    }
    end_tally(tile, &t, 2 * (n_met - (n_alone - n_alone_before)));
    return n_alone;
}

/* Rotate terms without a partner, and put those that bear one at the front of
 * the list. Returns the number of these. */
ALWAYS_INLINE int64_t
rotate_alone(paulimpi__tile *tile, double cos_theta, double sin_theta,
             int64_t n, int64_t n_born, double min_abs)
{
    const uint32_t *listed = tile->listed;
    double *coefficient = tile->coefficient;
    double *dropped = tile->dropped;
    double *born = tile->born;
    uint32_t *met = tile->met;
    tally t = begin_tally(tile);
    int64_t i;

    for (i = 0; i < n; i++) {
        uint32_t term = listed[i];
        double a = coefficient[term];
        double value = sin_theta * a;
        int lives = !is_zero(value) & (fabs(value) >= min_abs);

        coefficient[term] = truncated(a, cos_theta * a, min_abs, dropped, &t);
        met[n_born] = term;
        born[n_born] = value;
        n_born += lives;
        dropped[t.n_dropped] = value;
        t.n_dropped += !lives;
    }
    end_tally(tile, &t, n);
    return n_born;
}

/* Whether the partner of a term passes the limits of weight. */
ALWAYS_INLINE int
is_light(const uint64_t *row, const uint64_t *generator,
         const paulimpi__limits *limits, const int64_t n_words)
{
    int64_t weight = 0;
    int64_t xy_weight = 0;
    int64_t w;

    for (w = 0; w < n_words; w++) {
        uint64_t x = row[w] ^ generator[w];
        uint64_t z = row[n_words + w] ^ generator[n_words + w];

        weight += paulimpi__popcount(x | z);
        xy_weight += paulimpi__popcount(x);
    }
    return weight <= limits->max_weight && xy_weight <= limits->max_xy_weight;
}

/* Drop those of the new terms that are too heavy. Returns what is left. */
ALWAYS_INLINE int64_t
drop_heavy(paulimpi__tile *tile, const paulimpi__tile_gate *gate,
           int64_t n_born, const paulimpi__limits *limits,
           const int64_t n_words)
{
    int64_t n = 0;
    int64_t i;

    for (i = 0; i < n_born; i++) {
        uint32_t parent = tile->met[i];
        double value = tile->born[i];
        int lives = is_light(tile->key + (int64_t)parent * 2 * n_words,
                             gate->key, limits, n_words);

        tile->met[n] = parent;
        tile->born[n] = value;
        n += lives;
        tile->dropped[tile->n_dropped] = value;
        tile->n_dropped += !lives;
    }
    return n;
}

/* Enter the new terms. */
ALWAYS_INLINE void
bear(paulimpi__tile *tile, const paulimpi__tile_gate *gate, int64_t n_born,
     const int64_t n_words)
{
    int64_t n = tile->n;
    int64_t i, w;

    tile->n += n_born;
    tile->n_live += n_born;
    for (i = 0; i < n_born; i++, n++) {
        uint32_t parent = tile->met[i];
        const uint64_t *row = tile->key + (int64_t)parent * 2 * n_words;
        uint64_t *to = tile->key + n * 2 * n_words;

        for (w = 0; w < 2 * n_words; w++) {
            to[w] = row[w] ^ gate->key[w];
        }
        tile->coefficient[n] = tile->born[i];
        tile->hash[n] = tile->hash[parent] ^ gate->hash;
        tile->next_hash[n] = tile->next_hash[parent] ^ gate->next_hash;
    }
    if (tile->n > (int64_t)6 << tile->log2_sets) {
        enter_all(tile);
        return;
    }
    for (n = tile->n - n_born; n < tile->n; n++) {
        enter(tile, tile->hash[n], (uint32_t)n);
    }
}

ALWAYS_INLINE void
rotate_terms(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
             const paulimpi__tile_gate *gate, const int64_t n_words)
{
    double min_abs = plan->limits->min_abs;
    int64_t n_met, n_alone, n_born;

    if (tile->log2_sets == 0) {
        enter_all(tile);
    }
    scan(tile, plan, gate, n_words);
    n_alone = probe(tile, gate, list_bits(tile, tile->lead), &n_met);
    n_alone = rotate_pairs(tile, gate, n_met, n_alone, min_abs, n_words);
    n_born = rotate_alone(tile, gate->cos_theta, gate->sin_theta, n_alone, 0,
                          min_abs);
    n_alone = list_bits(tile, tile->follower);
    n_born = rotate_alone(tile, gate->cos_theta, -gate->sin_theta, n_alone,
                          n_born, min_abs);
    if (plan->limits->has_weights) {
        n_born = drop_heavy(tile, gate, n_born, plan->limits, n_words);
    }
    bear(tile, gate, n_born, n_words);
}

/* A channel that multiplies. */

ALWAYS_INLINE void
scale_letter(paulimpi__tile *tile, int64_t k, uint64_t terms, double factor,
             double min_abs, tally *t)
{
    for (; factor != 1.0 && terms != 0; terms &= terms - 1) {
        double *place = &tile->coefficient[k * BLOCK + __builtin_ctzll(terms)];

        *place = truncated(*place, factor * *place, min_abs, tile->dropped, t);
    }
}

ALWAYS_INLINE void
scale_terms(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
            const paulimpi__tile_gate *gate, const int64_t n_words)
{
    const double *factor = gate->op->op->value;
    double min_abs = plan->limits->min_abs;
    int64_t bit =
        plan->column[gate->op->parts[0].word] * 64 + gate->op->pivot.shift;
    int64_t n_blocks = (tile->n + BLOCK - 1) / BLOCK;
    tally t = begin_tally(tile);
    int64_t k;

    turn_new(tile, n_words);
    for (k = 0; k < n_blocks; k++) {
        const uint64_t *plane =
            paulimpi__tile_plane(tile, n_words, k - k % LANES, bit)
            + k % LANES;
        uint64_t x = plane[0];
        uint64_t z = plane[n_words * 64 * LANES];

        scale_letter(tile, k, x & ~z, factor[0], min_abs, &t);
        scale_letter(tile, k, x & z, factor[1], min_abs, &t);
        scale_letter(tile, k, z & ~x, factor[2], min_abs, &t);
    }
    end_tally(tile, &t, t.n_dead_before);
}

#endif /* PAULIMPI_SRC_PROPAGATE_TILE_JOIN_H */
