/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Orbits of few generators that do not depend on each other: arrays. Part of
 * tile_loops.h.
 *
 * All products of the generators are in a table, so that two terms are in one
 * orbit if they differ by the product that their coordinates differ by. A place
 * of the array is a set of generators, of which those by which the members
 * differ come first, and then the others as their gates bring terms. A gate
 * joins the places that differ by the bit of its generator alone, all with the
 * same sign.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_ORBIT_ARRAYS_H
#define PAULIMPI_SRC_PROPAGATE_ORBIT_ARRAYS_H

#include "propagate/orbit_places.h"

enum { MOST_IN_ARRAY = 8 /* gates of an orbit; those of more are lists */ };

/* An orbit in an array. */
typedef struct {
    const uint64_t *row; /* of its first term */
    uint64_t negative;   /* its moves that are */
    uint64_t differ;     /* generators by which members differ */
    size_t n;            /* places */
} array;

/* The product of a set of generators. */
ALWAYS_INLINE const uint64_t *
product_of(const paulimpi__orbits *o, uint64_t set, const int64_t n_words)
{
    return o->product + set * (uint64_t)paulimpi__orbit_stride(n_words);
}

/* The sign of the string of a set of generators against that of its place, in
 * the last bit. */
ALWAYS_INLINE uint32_t
sign_of_set(const paulimpi__orbits *o, uint64_t set, uint64_t negative,
            const uint64_t *row, const int64_t n_words)
{
    return (uint32_t)product_of(o, set, n_words)[2 * n_words + 1]
           ^ (uint32_t)paulimpi__popcount(set & negative)
           ^ (uint32_t)o->orbit.is_odd
           ^ (uint32_t)(paulimpi__orbit_letters_y(row, n_words) >> 1);
}

/* Add as many places as there are, whose sets have another generator. */
ALWAYS_INLINE void
add_generator(const paulimpi__orbits *o, array *a, uint64_t generator)
{
    uint32_t *set_of = o->set_of;
    size_t n = a->n;
    size_t i;

    a->n = 2 * n;
    for (i = 0; n < QUAD && i < n; i++) {
        set_of[n + i] = set_of[i] | (uint32_t)generator;
    }
    for (; i < n; i += QUAD) {
        *(four_places *)&set_of[n + i] =
            *(const four_places *)&set_of[i] | (uint32_t)generator;
    }
}

/* The moves of the gates of a term that are negative there. */
ALWAYS_INLINE uint64_t
find_negative_moves(const paulimpi__orbits *o, const uint64_t *row,
                    uint64_t mask, const int64_t n_words)
{
    int y = paulimpi__orbit_y(row, n_words);
    uint64_t negative = 0;

    for (; mask != 0; mask &= mask - 1) {
        int k = __builtin_ctzll(mask);

        negative |=
            (uint64_t)paulimpi__orbit_move(row, y, &o->step[k], n_words) << k;
    }
    return negative;
}

/* Put the members of an orbit into their places. */
ALWAYS_INLINE void
place_members(paulimpi__orbits *o, const paulimpi__tile *tile, int64_t first,
              array *a, const int64_t n_words)
{
    const uint64_t *key = tile->key;
    const int32_t *next = o->next;
    const uint64_t *coordinate = o->coordinate;
    uint64_t base = coordinate[first];
    uint64_t rest;
    size_t place;
    int64_t i;

    a->row = key + first * 2 * n_words;
    a->negative = find_negative_moves(o, a->row, o->mask[first], n_words);
    a->differ = 0;
    a->n = 1;
    for (i = next[first]; i >= 0; i = next[i]) {
        a->differ |= coordinate[i] ^ base;
    }
    o->set_of[0] = 0;
    for (rest = a->differ; rest != 0; rest &= rest - 1) {
        add_generator(o, a, rest & -rest);
    }
    for (place = 0; place < a->n; place++) {
        o->place_of[o->set_of[place]] = (uint16_t)place;
    }
    memset(o->value, 0, (a->n < QUAD ? QUAD : a->n) * sizeof *o->value);
    o->orbit.n_live = 0;
    for (i = first; i >= 0; i = next[i]) {
        uint64_t set = coordinate[i] ^ base;
        uint32_t sign =
            sign_of_set(o, set, a->negative, key + i * 2 * n_words, n_words);

        o->value[o->place_of[set]] = with_sign(tile->coefficient[i], sign);
        o->orbit.n_live++;
    }
}

/* Rotate places against those that are `distance` further on. */
ALWAYS_INLINE void
rotate_along(rotor *rotor_p, double sin_theta, double *value, size_t n,
             size_t distance)
{
    rotor t = *rotor_p;
    size_t base, i;

    for (base = 0; base < n; base += 2 * distance) {
        for (i = base; i < base + distance; i += QUAD) {
            quad a = *(const quad *)&value[i];
            quad b = *(const quad *)&value[i + distance];
            quad first = t.cos_theta * a + -sin_theta * b;
            quad second = t.cos_theta * b + sin_theta * a;

            keep(&t, &first, value + i);
            keep(&t, &second, value + i + distance);
        }
    }
    *rotor_p = t;
}

/* The same where they are in the same four, whose numbers differ by `change`.
 */
ALWAYS_INLINE void
rotate_within(rotor *rotor_p, const quad *sine, double *value, size_t n,
              const int change)
{
    rotor t = *rotor_p;
    size_t i;

    for (i = 0; i < n; i += QUAD) {
        quad a = *(const quad *)&value[i];
        quad b = a;

        permute(&b, change);
        a = t.cos_theta * a + *sine * b;
        keep(&t, &a, value + i);
    }
    *rotor_p = t;
}

ALWAYS_INLINE void
rotate_array(rotor *t, double s, double *value, size_t n, size_t distance)
{
    quad near = { -s, s, -s, s };
    quad far = { -s, -s, s, s };

    if (distance == 1) {
        rotate_within(t, &near, value, n, 1);
    } else if (distance == 2) {
        rotate_within(t, &far, value, n, 2);
    } else {
        rotate_along(t, s, value, n, distance);
    }
}

/* Rotate n places, whose partners are not there, into n more. Returns how many
 * of the latter are alive. */
ALWAYS_INLINE int64_t
branch_array(rotor *rotor_p, double s, double *value, size_t n)
{
    rotor t = *rotor_p;
    double c = t.cos_theta;
    int64_t n_born = 0;
    size_t i;

    if (n < QUAD) {
        quad both = n == 1 ? (quad){ c * value[0], s * value[0], 0.0, 0.0 }
                           : (quad){ c * value[0], c * value[1], s * value[0],
                                     s * value[1] };

        keep(rotor_p, &both, value);
        return !is_zero(value[n]) + (n == 2 && !is_zero(value[3]));
    }
    for (i = 0; i < n; i += QUAD) {
        quad old = *(const quad *)&value[i];
        quad stays = c * old;
        quad born = s * old;

        keep(&t, &stays, value + i);
        n_born -= t.n_live;
        keep(&t, &born, value + n + i);
        n_born += t.n_live;
    }
    *rotor_p = t;
    return n_born;
}

/* Take the array through all gates. Whether anything is left. */
static int
rotate_gates(paulimpi__orbits *o, array *a, uint64_t mask)
{
    for (; mask != 0 && o->orbit.n_live > 0; mask &= mask - 1) {
        uint64_t generator = mask & -mask;
        int64_t k = __builtin_ctzll(mask);
        double s = o->gate[k].sin_theta;
        int64_t n_born = 0;
        rotor t = { .cos_theta = o->gate[k].cos_theta,
                    .least = o->least,
                    .dropped = o->out.dropped,
                    .n_dropped = o->out.n_dropped };

        if ((generator & a->differ) != 0) {
            rotate_array(
                &t, s, o->value, a->n,
                (size_t)1 << paulimpi__popcount(a->differ & (generator - 1)));
        } else {
            n_born = branch_array(&t, s, o->value, a->n);
            if (n_born > 0) {
                add_generator(o, a, generator);
            }
        }
        end_turn(o, k, &t, n_born);
    }
    return o->orbit.n_live > 0;
}

/* Write the terms of the n places that are alive. */
ALWAYS_INLINE void
write_places(const paulimpi__orbits *o, const array *a, int64_t n,
             const place_to_write *to, const int64_t n_words)
{
    const uint32_t *alive = o->alive;
    const uint32_t *set_of = o->set_of;
    const double *value = o->value;
    uint64_t negative = a->negative;
    uint64_t base_hash = o->orbit.hash;
    uint32_t base_sign = (uint32_t)o->orbit.is_odd;
    uint64_t *row = to->key;
    uint64_t base[2 * MOST_WORDS];
    int64_t i, w;

    for (w = 0; w < 2 * n_words; w++) {
        base[w] = a->row[w];
    }
    for (i = 0; i < n; i++, row += 2 * n_words) {
        size_t place = alive[i];
        size_t set = set_of[place];
        const uint64_t *change = product_of(o, set, n_words);
        uint64_t hash = base_hash ^ change[2 * n_words];
        uint32_t sign = base_sign ^ (uint32_t)change[2 * n_words + 1]
                        ^ (uint32_t)paulimpi__popcount(set & negative);

        for (w = 0; w < 2 * n_words; w++) {
            row[w] = base[w] ^ change[w];
        }
        sign ^= (uint32_t)(paulimpi__orbit_letters_y(row, n_words) >> 1);
        to->coefficient[i] = with_sign(value[place], sign);
        to->hash[i] = (uint32_t)hash;
        to->next_hash[i] = (uint32_t)(hash >> 32);
    }
}

/* Take the orbit of term `first` of the tile through all gates. */
static void
take_array(paulimpi__orbits *o, const paulimpi__tile *tile, int64_t first)
{
    place_to_write to;
    int64_t n;
    array a;

    begin_orbit_at(o, tile, first, o->n_words);
    FOR_WIDTHS(place_members, o->n_words, o, tile, first, &a)
    if (!rotate_gates(o, &a, o->mask[first])) {
        return;
    }
    n = list_places(o->value, a.n, o->alive);
    if (make_room(o, n, 0, &to)) {
        FOR_WIDTHS(write_places, o->n_words, o, &a, n, &to)
    }
}

#endif /* PAULIMPI_SRC_PROPAGATE_ORBIT_ARRAYS_H */
