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

#include <float.h>
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

#define LIST_NEXT(i)                                                          \
    to[i] = first + lowest_bit(rest);                                         \
    rest &= rest - 1;

/* List the terms of a bitmap of n words. Those of a word are written `step` at
 * a time, whether they are there or not; with a step that is seldom too small,
 * nothing depends on their number. */
ALWAYS_INLINE int64_t
list_by(const uint64_t *bitmap, int64_t n, uint32_t *list, const int step)
{
    uint32_t *end = list;
    int64_t k;

    for (k = 0; k < n; k++) {
        uint32_t first = (uint32_t)k * BLOCK;
        uint64_t rest = bitmap[k];
        uint32_t *to = end;

        end += paulimpi__popcount(rest);
        do {
            LIST_NEXT(0)
            LIST_NEXT(1)
            LIST_NEXT(2)
            if (step > 3) {
                LIST_NEXT(3)
            }
            if (step > 4) {
                LIST_NEXT(4)
                LIST_NEXT(5)
            }
            if (step > 6) {
                LIST_NEXT(6)
                LIST_NEXT(7)
            }
            to += step;
        } while (to < end);
    }
    return end - list;
}

/* The same where many words are 0: these are passed over, 64 at a time. */
static int64_t
list_rare(const uint64_t *bitmap, int64_t n, uint32_t *list)
{
    uint32_t *end = list;
    int64_t k;

    for (k = 0; k < n; k += BLOCK) {
        int64_t n_here = n - k < BLOCK ? n - k : BLOCK;
        uint64_t words = 0;
        int64_t i;

        for (i = 0; i < n_here; i += QUAD) {
            quad_mask is_some = *(const quad_mask *)&bitmap[k + i] != 0;

            words |= (uint64_t)bits_of_quad(&is_some) << i;
        }
        words &= UINT64_MAX >> (BLOCK - n_here);
        for (; words != 0; words &= words - 1) {
            uint32_t word = (uint32_t)k + lowest_bit(words);
            uint32_t first = word * BLOCK;
            uint64_t rest = bitmap[word];
            uint32_t *to = end;

            end += paulimpi__popcount(rest);
            do {
                LIST_NEXT(0)
                LIST_NEXT(1)
                to += 2;
            } while (to < end);
        }
    }
    return end - list;
}

/* List the terms of a bitmap in tile->listed. Returns their number, and puts it
 * into *n_before, which holds that of the gate before: this one moves about as
 * many. Too small a step costs a wrong guess, too large a one a few writes. */
static int64_t
list_bits(const paulimpi__tile *tile, const uint64_t *bitmap,
          int64_t *n_before)
{
    int64_t n_blocks = (tile->n + BLOCK - 1) / BLOCK;
    int64_t n_bits = *n_before;

    if (n_bits < n_blocks) {
        *n_before = list_rare(bitmap, n_blocks, tile->listed);
    } else if (n_bits < 2 * n_blocks) {
        *n_before = list_by(bitmap, n_blocks, tile->listed, 3);
    } else if (n_bits < 3 * n_blocks) {
        *n_before = list_by(bitmap, n_blocks, tile->listed, 4);
    } else if (2 * n_bits < 9 * n_blocks) {
        *n_before = list_by(bitmap, n_blocks, tile->listed, 6);
    } else {
        *n_before = list_by(bitmap, n_blocks, tile->listed, 8);
    }
    return *n_before;
}

/* Split the leads into those whose partner may be there, and the others, which
 * are put at the front of the list. Returns the number of the latter. */
static int64_t
probe(const paulimpi__tile *tile, uint32_t generator_hash, int64_t n_leads)
{
    const uint32_t *hash_of = tile->hash;
    const uint16_t *sets = tile->sets;
    int shift = 32 - tile->log2_sets;
    uint32_t *listed = tile->listed;
    uint32_t *met = tile->met;
    uint32_t *partner = tile->partner;
    int64_t n = 0;
    int64_t i;

    for (i = 0; i < n_leads; i++) {
        uint32_t lead = listed[i];
        uint32_t hash = hash_of[lead] ^ generator_hash;
        size_t set = (hash * SPREAD) >> shift;
        const uint16_t *tags = sets + set * 2 * WAYS;
        uint32_t found = match(tags, tag_of(hash));
        size_t at = (size_t)__builtin_ctz(found | 1u << 14);
        uint16_t number;

        met[n] = lead;
        /* There are two bits for each way, and two bytes. */
        memcpy(&number, (const char *)(tags + WAYS) + at, sizeof number);
        partner[n] = number;
        listed[i - n] = lead;
        n += (found | tags[WAYS - 1]) != 0;
    }
    return n;
}

/* The numbers of the bits that are set, for each choice of four. */
typedef uint32_t four_places __attribute__((vector_size(16)));
static const four_places places_of_bits[16] = {
    { 0 },    { 0 },       { 1 },       { 0, 1 },      { 2 },    { 0, 2 },
    { 1, 2 }, { 0, 1, 2 }, { 3 },       { 0, 3 },      { 1, 3 }, { 0, 1, 3 },
    { 2, 3 }, { 0, 2, 3 }, { 1, 2, 3 }, { 0, 1, 2, 3 }
};

#if defined(__AVX2__)
/* For each choice of four lanes, these first: as halves of them. */
static const uint32_t chosen_lanes[16][8] = {
    { 0, 1, 2, 3, 4, 5, 6, 7 }, { 0, 1, 2, 3, 4, 5, 6, 7 },
    { 2, 3, 0, 1, 4, 5, 6, 7 }, { 0, 1, 2, 3, 4, 5, 6, 7 },
    { 4, 5, 0, 1, 2, 3, 6, 7 }, { 0, 1, 4, 5, 2, 3, 6, 7 },
    { 2, 3, 4, 5, 0, 1, 6, 7 }, { 0, 1, 2, 3, 4, 5, 6, 7 },
    { 6, 7, 0, 1, 2, 3, 4, 5 }, { 0, 1, 6, 7, 2, 3, 4, 5 },
    { 2, 3, 6, 7, 0, 1, 4, 5 }, { 0, 1, 2, 3, 6, 7, 4, 5 },
    { 4, 5, 6, 7, 0, 1, 2, 3 }, { 0, 1, 4, 5, 6, 7, 2, 3 },
    { 2, 3, 4, 5, 6, 7, 0, 1 }, { 0, 1, 2, 3, 4, 5, 6, 7 }
};

/* Write the chosen ones of four words, and anything behind them. */
ALWAYS_INLINE void
put_chosen(const quad_mask *words, int chosen, void *to)
{
    __m256i lanes_of = _mm256_loadu_si256((const void *)chosen_lanes[chosen]);

    _mm256_storeu_si256(
        to, _mm256_permutevar8x32_epi32((__m256i)*words, lanes_of));
}
#endif

/* Two coefficients that are found and truncated together. */
typedef double two __attribute__((vector_size(16)));
typedef int64_t two_mask __attribute__((vector_size(16)));

/* Note those that are 0: one is subtracted for each. */
ALWAYS_INLINE void
count_dead(const two *old, two_mask *dead)
{
    *dead += *old == (two){ 0.0, 0.0 };
}

/* Keep those whose magnitude is `least` or more, which is not 0; the others
 * become 0 and are put at the end of a list. Which it will be cannot be
 * foretold, so there are no branches. The result has -1 for each that stays. */
ALWAYS_INLINE two_mask
truncate_two(two *value, double least, double *dropped, int64_t *n_dropped)
{
    two_mask magnitude = (two_mask)*value & INT64_MAX;
    two_mask stays = (two)magnitude >= (two){ least, least };

    dropped[*n_dropped] = (*value)[0];
    *n_dropped += 1 + stays[0];
    dropped[*n_dropped] = (*value)[1];
    *n_dropped += 1 + stays[1];
    *value = (two)((two_mask)*value & stays);
    return stays;
}

#if defined(__AVX2__)
/* The same with four. The result has a bit for each that stays. */
ALWAYS_INLINE int
truncate_four(quad *value, double least, double *dropped, int64_t *n_dropped)
{
    quad magnitude = (quad)((quad_mask)*value & INT64_MAX);
    quad_mask stays = magnitude >= (quad){ least, least, least, least };
    int bits = bits_of_quad(&stays);

    int lost = 15 ^ bits;

    put_chosen((const quad_mask *)value, lost, dropped + *n_dropped);
    *n_dropped += paulimpi__popcount((uint64_t)lost);
    *value = (quad)((quad_mask)*value & stays);
    return bits;
}

ALWAYS_INLINE void
count_four_dead(const quad *old, two_mask *dead)
{
    quad_mask is_dead = *old == (quad){ 0.0, 0.0, 0.0, 0.0 };
    const two_mask *half = (const two_mask *)&is_dead;

    *dead += half[0] + half[1];
}
#endif

/* Bring the tallies up to date after n_active terms, of which some were dead
 * before and n_dead are now. */
ALWAYS_INLINE void
take_tally(paulimpi__tile *tile, int64_t n_active, const two_mask *dead_before,
           int64_t n_dead)
{
    int64_t n_before = -((*dead_before)[0] + (*dead_before)[1]);

    tile->n_live += n_before - n_dead;
    tile->active += n_active - n_before;
}

/* See whether leads that may have a partner have one. Those that have none join
 * the n_alone others. Returns the number of pairs. */
ALWAYS_INLINE int64_t
check_pairs(paulimpi__tile *tile, const paulimpi__tile_gate *gate,
            int64_t n_met, int64_t n_alone, const int64_t n_words)
{
    uint32_t *met = tile->met;
    uint32_t *partner = tile->partner;
    int64_t i = 0;

    while (i < n_met) {
        int64_t found;

        if (are_partners(tile, met[i], partner[i], gate->key, n_words)) {
            i++;
            continue;
        }
        found = find_partner(tile, gate, met[i], n_words);
        if (found < 0) {
            tile->listed[n_alone++] = met[i];
            n_met--;
            met[i] = met[n_met];
            partner[i] = partner[n_met];
        } else {
            partner[i++] = (uint32_t)found;
        }
    }
    return n_met;
}

/* What the loops over pairs and over terms that are alone have in common. */
typedef struct {
    double cos_theta;
    double sin_theta;
    double least; /* magnitude that is kept */
    double *coefficient;
    double *dropped;
    int64_t n_dropped;
    two_mask dead; /* terms before: one is subtracted for each */
} rotation;

ALWAYS_INLINE rotation
begin_rotation(const paulimpi__tile *tile, double cos_theta, double sin_theta,
               double least)
{
    rotation r = { cos_theta,     sin_theta,       least,   tile->coefficient,
                   tile->dropped, tile->n_dropped, { 0, 0 } };

    return r;
}

/* Whoever is met is not alone. */
ALWAYS_INLINE void
strike_out(uint64_t *follower, uint32_t term)
{
    follower[term / BLOCK] &= ~((uint64_t)1 << term % BLOCK);
}

ALWAYS_INLINE void
rotate_pair(rotation *r, uint32_t lead, uint32_t other)
{
    double *coefficient = r->coefficient;
    two cosines = { r->cos_theta, r->cos_theta };
    two sines = { -r->sin_theta, r->sin_theta };
    two old = { coefficient[lead], coefficient[other] };
    two crossed = { old[1], old[0] };
    two value = cosines * old + sines * crossed;

    count_dead(&old, &r->dead);
    truncate_two(&value, r->least, r->dropped, &r->n_dropped);
    coefficient[lead] = value[0];
    coefficient[other] = value[1];
}

#if defined(__AVX2__)
ALWAYS_INLINE void
rotate_two_pairs(rotation *r, const uint32_t *lead, const uint32_t *other)
{
    double *coefficient = r->coefficient;
    double c = r->cos_theta;
    double s = r->sin_theta;
    quad old = { coefficient[lead[0]], coefficient[other[0]],
                 coefficient[lead[1]], coefficient[other[1]] };
    quad crossed = (quad)_mm256_permute_pd((__m256d)old, 5);
    quad value = (quad){ c, c, c, c } * old + (quad){ -s, s, -s, s } * crossed;

    count_four_dead(&old, &r->dead);
    truncate_four(&value, r->least, r->dropped, &r->n_dropped);
    coefficient[lead[0]] = value[0];
    coefficient[other[0]] = value[1];
    coefficient[lead[1]] = value[2];
    coefficient[other[1]] = value[3];
}
#endif

static void
rotate_pairs(paulimpi__tile *tile, double cos_theta, double sin_theta,
             int64_t n, double least)
{
    rotation r = begin_rotation(tile, cos_theta, sin_theta, least);
    const uint32_t *lead = tile->met;
    const uint32_t *other = tile->partner;
    uint64_t *follower = tile->follower;
    int64_t i = 0;

#if defined(__AVX2__)
    for (; i + 2 <= n; i += 2) {
        strike_out(follower, other[i]);
        strike_out(follower, other[i + 1]);
        rotate_two_pairs(&r, lead + i, other + i);
    }
#endif
    for (; i < n; i++) {
        strike_out(follower, other[i]);
        rotate_pair(&r, lead[i], other[i]);
    }
    take_tally(tile, 2 * n, &r.dead, r.n_dropped - tile->n_dropped);
    tile->n_dropped = r.n_dropped;
}

/* Rotate a term without a partner. Returns -1 if it bears one, with *born. */
ALWAYS_INLINE int64_t
rotate_one(rotation *r, uint32_t term, double *born)
{
    two old = { r->coefficient[term], r->coefficient[term] };
    two value = (two){ r->cos_theta, r->sin_theta } * old;
    two_mask stays;

    old[1] = 1.0; /* it is one term */
    count_dead(&old, &r->dead);
    stays = truncate_two(&value, r->least, r->dropped, &r->n_dropped);
    r->coefficient[term] = value[0];
    *born = value[1];
    return stays[1];
}

#if defined(__AVX2__)
/* Rotate four of them. The result has a bit for each that bears one. */
ALWAYS_INLINE int
rotate_four(rotation *r, const uint32_t *term, quad *born)
{
    double *coefficient = r->coefficient;
    double c = r->cos_theta;
    double s = r->sin_theta;
    quad old = { coefficient[term[0]], coefficient[term[1]],
                 coefficient[term[2]], coefficient[term[3]] };
    quad value = (quad){ c, c, c, c } * old;

    *born = (quad){ s, s, s, s } * old;
    count_four_dead(&old, &r->dead);
    truncate_four(&value, r->least, r->dropped, &r->n_dropped);
    coefficient[term[0]] = value[0];
    coefficient[term[1]] = value[1];
    coefficient[term[2]] = value[2];
    coefficient[term[3]] = value[3];
    return truncate_four(born, r->least, r->dropped, &r->n_dropped);
}

/* Write the chosen ones of four numbers, and anything behind them. */
ALWAYS_INLINE void
put_chosen_numbers(const uint32_t *number, int chosen, uint32_t *to)
{
    __m128i places = (__m128i)places_of_bits[chosen];

    _mm_storeu_ps(
        (float *)(void *)to,
        _mm_permutevar_ps(_mm_loadu_ps((const float *)(const void *)number),
                          places));
}
#endif

/* Rotate terms without a partner, and put those that bear one behind n_born
 * others. Returns the number of all these. */
static int64_t
rotate_alone(paulimpi__tile *tile, double cos_theta, double sin_theta,
             int64_t n, int64_t n_born, double least)
{
    rotation r = begin_rotation(tile, cos_theta, sin_theta, least);
    const uint32_t *listed = tile->listed;
    uint32_t *met = tile->met;
    double *born = tile->born;
    int64_t n_born_before = n_born;
    int64_t i = 0;

#if defined(__AVX2__)
    for (; i + QUAD <= n; i += QUAD) {
        quad value;
        int bears = rotate_four(&r, listed + i, &value);

        put_chosen((const quad_mask *)&value, bears, born + n_born);
        put_chosen_numbers(listed + i, bears, met + n_born);
        n_born += paulimpi__popcount((uint64_t)bears);
    }
#endif
    for (; i < n; i++) {
        met[n_born] = listed[i];
        n_born -= rotate_one(&r, listed[i], born + n_born);
    }
    take_tally(tile, n, &r.dead,
               r.n_dropped - tile->n_dropped - (n - (n_born - n_born_before)));
    tile->n_dropped = r.n_dropped;
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
    tile->n_born += n_born;
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
    enter_terms(tile, tile->n - n_born, tile->n);
}

/* The least magnitude that is kept. */
ALWAYS_INLINE double
least_kept(const paulimpi__limits *limits)
{
    return limits->min_abs > 0.0 ? limits->min_abs : DBL_TRUE_MIN;
}

ALWAYS_INLINE void
rotate_terms(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
             const paulimpi__tile_gate *gate, const int64_t n_words)
{
    double least = least_kept(plan->limits);
    int64_t n_leads, n_met, n_pairs, n_alone, n_born;

    if (tile->log2_sets == 0) {
        enter_all(tile);
    }
    turn_new(tile, n_words);
    scan(tile, plan, gate->op, 0, (tile->n + BLOCK - 1) / BLOCK);
    n_leads = list_bits(tile, tile->lead, &tile->n_leads);
    n_met = probe(tile, gate->hash, n_leads);
    n_pairs = check_pairs(tile, gate, n_met, n_leads - n_met, n_words);
    rotate_pairs(tile, gate->cos_theta, gate->sin_theta, n_pairs, least);
    n_alone = n_leads - n_pairs;
    n_born = rotate_alone(tile, gate->cos_theta, gate->sin_theta, n_alone, 0,
                          least);
    n_alone = list_bits(tile, tile->follower, &tile->n_followers);
    n_born = rotate_alone(tile, gate->cos_theta, -gate->sin_theta, n_alone,
                          n_born, least);
    if (plan->limits->has_weights) {
        n_born = drop_heavy(tile, gate, n_born, plan->limits, n_words);
    }
    bear(tile, gate, n_born, n_words);
}

/* A channel that multiplies. */

ALWAYS_INLINE void
scale_letter(paulimpi__tile *tile, int64_t k, uint64_t terms, double factor,
             double least)
{
    for (; factor != 1.0 && terms != 0; terms &= terms - 1) {
        double *place = &tile->coefficient[k * BLOCK + __builtin_ctzll(terms)];
        double value = factor * *place;
        int was_dead = is_zero(*place);
        int stays = fabs(value) >= least;

        *place = stays ? value : 0.0;
        tile->n_live += was_dead - !stays;
        tile->dropped[tile->n_dropped] = value;
        tile->n_dropped += !stays;
    }
}

ALWAYS_INLINE void
scale_terms(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
            const paulimpi__tile_gate *gate, const int64_t n_words)
{
    const double *factor = gate->op->op->value;
    double least = least_kept(plan->limits);
    int64_t bit =
        plan->column[gate->op->parts[0].word] * 64 + gate->op->pivot.shift;
    int64_t n_blocks = (tile->n + BLOCK - 1) / BLOCK;
    int64_t k;

    turn_new(tile, n_words);
    for (k = 0; k < n_blocks; k++) {
        const uint64_t *plane =
            paulimpi__tile_plane(tile, n_words, k - k % LANES, bit)
            + k % LANES;
        uint64_t x = plane[0];
        uint64_t z = plane[n_words * 64 * LANES];

        scale_letter(tile, k, x & ~z, factor[0], least);
        scale_letter(tile, k, x & z, factor[1], least);
        scale_letter(tile, k, z & ~x, factor[2], least);
    }
}

#endif /* PAULIMPI_SRC_PROPAGATE_TILE_JOIN_H */
