/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Orbits of generators that do not depend on each other: lists of terms. Part
 * of tile_loops.h.
 *
 * Each generator belongs to one gate. A set of generators is a word with a bit
 * for each that matters, in the order of the gates. A gate joins two terms
 * whose sets differ by its own bit, which is above all bits that are set so
 * far: so the terms lie in lists in the order of their sets, one list for each
 * combination of generators of gates to come; the gate merges the lists that
 * it joins, and where there is nothing to be joined each term brings another.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_ORBIT_LISTS_H
#define PAULIMPI_SRC_PROPAGATE_ORBIT_LISTS_H

#include "propagate/orbit_places.h"

enum {
    MOST_LISTED = 2048, /* terms of a list, before it is taken in pieces */
    PIECE = 1024,
    FEW_LISTS = 16, /* that are sorted one by one; others by RADIX_BITS */
    RADIX_BITS = 6
};

/* Where an orbit has got to: the gates that are left. */
typedef struct {
    const uint64_t *mask;
    int64_t word;  /* of the mask */
    uint64_t rest; /* of it */
    int n_directions;
} path;

/* The next gate, or -1 if there is none. */
ALWAYS_INLINE int64_t
next_gate(const paulimpi__orbits *o, path *p)
{
    int64_t gate;

    while (p->rest == 0) {
        if (++p->word >= o->n_mask) {
            return -1;
        }
        p->rest = p->mask[p->word];
    }
    gate = 64 * p->word + __builtin_ctzll(p->rest);
    p->rest &= p->rest - 1;
    return gate;
}

/* Take a gate's generator as the next direction. */
ALWAYS_INLINE void
add_to_path(paulimpi__orbits *o, path *p, int64_t gate)
{
    const paulimpi__orbit_generator *step = &o->step[gate];
    const uint64_t *polar = o->polar + gate * o->n_mask;
    int n = p->n_directions++;
    paulimpi__orbit_direction *fresh = &o->direction[n];
    int i;

    fresh->gate = gate;
    fresh->key = step->key;
    fresh->hash = o->gate_hash[gate];
    fresh->is_negative =
        paulimpi__orbit_move(o->key, o->orbit.y, step, o->n_words);
    fresh->polar = 0;
    for (i = 0; i < n; i++) {
        paulimpi__orbit_direction *old = &o->direction[i];
        uint64_t odd = polar[old->gate / 64] >> old->gate % 64 & 1;

        fresh->polar |= odd << i;
        old->polar = (old->polar & ~((uint64_t)1 << n)) | odd << n;
    }
}

/* Write the terms of a list. */
ALWAYS_INLINE void
write_keys(paulimpi__orbits *o, const double *value, const uint64_t *set_of,
           int64_t n, const int64_t n_words)
{
    uint64_t *key = o->key + 2 * n_words;
    uint64_t hash = o->orbit.hash;
    uint32_t sign = (uint32_t)o->orbit.is_odd;
    uint64_t set = 0;
    place_to_write to;
    int64_t i, w;

    if (!make_room(o, n, 0, &to)) {
        return;
    }
    for (w = 0; w < 2 * n_words; w++) {
        key[w] = o->key[w];
    }
    for (i = 0; i < n; i++) {
        uint64_t *row = to.key + i * 2 * n_words;
        uint64_t change = set ^ set_of[i];

        for (; change != 0; change &= change - 1) {
            const paulimpi__orbit_direction *d =
                &o->direction[__builtin_ctzll(change)];

            for (w = 0; w < 2 * n_words; w++) {
                key[w] ^= d->key[w];
            }
            hash ^= d->hash;
            sign ^= (uint32_t)d->is_negative
                    ^ (uint32_t)paulimpi__parity(d->polar & set);
            set ^= change & -change;
        }
        for (w = 0; w < 2 * n_words; w++) {
            row[w] = key[w];
        }
        to.coefficient[i] = with_sign(
            value[i], sign ^ (uint32_t)paulimpi__orbit_is_odd(row, n_words));
        to.hash[i] = (uint32_t)hash;
        to.next_hash[i] = (uint32_t)(hash >> 32);
    }
}

static void
write_list(paulimpi__orbits *o, int64_t begin, int64_t n)
{
    const double *value = o->list_value[0] + begin;
    const uint64_t *set = o->list_set[0] + begin;

    FOR_WIDTHS(write_keys, o->n_words, o, value, set, n)
}

/* Where a gate writes two lists: the terms without its generator, and n places
 * behind them those with it. */
typedef struct {
    double *value;
    uint64_t *set;
    int64_t n;
    int64_t n_first;
    int64_t n_second;
    uint64_t bit; /* of the generator */
    double least;
    double *dropped;
    int64_t n_dropped;
} two_lists;

ALWAYS_INLINE void
begin_lists(const paulimpi__orbits *o, uint64_t bit, double *to_value,
            uint64_t *to_set, int64_t n, two_lists *to)
{
    *to = (two_lists){ .value = to_value,
                       .set = to_set,
                       .n = n,
                       .bit = bit,
                       .least = o->least,
                       .dropped = o->list_dropped,
                       .n_dropped = o->n_list_dropped };
}

/* Write two terms if they are large enough. */
ALWAYS_INLINE void
put_both(two_lists *to, double first, double second, uint64_t set)
{
    int first_stays = fabs(first) >= to->least;
    int second_stays = fabs(second) >= to->least;

    to->value[to->n_first] = first;
    to->set[to->n_first] = set;
    to->n_first += first_stays;
    to->dropped[to->n_dropped] = first;
    to->n_dropped += !first_stays;
    to->value[to->n + to->n_second] = second;
    to->set[to->n + to->n_second] = set | to->bit;
    to->n_second += second_stays;
    to->dropped[to->n_dropped] = second;
    to->n_dropped += !second_stays;
}

#if defined(__AVX2__)
/* Write four of one list if they are large enough. Returns their number. */
ALWAYS_INLINE int
put_four(two_lists *to, int64_t place, const quad *value_p,
         const quad_mask *set)
{
    quad value = *value_p;
    quad least = { to->least, to->least, to->least, to->least };
    quad_mask stays = (quad)((quad_mask)value & INT64_MAX) >= least;
    int chosen = bits_of_quad(&stays);
    int n = paulimpi__popcount((uint64_t)chosen);

    put_chosen((const quad_mask *)&value, chosen, &to->value[place]);
    put_chosen(set, chosen, &to->set[place]);
    put_chosen((const quad_mask *)&value, 15 & ~chosen,
               &to->dropped[to->n_dropped]);
    to->n_dropped += QUAD - n;
    return n;
}

ALWAYS_INLINE void
put_both_four(two_lists *to, const quad *first, const quad *second,
              const uint64_t *set_p)
{
    quad_mask set;

    memcpy(&set, set_p, sizeof set);
    to->n_first += put_four(to, to->n_first, first, &set);
    set |= (int64_t)to->bit;
    to->n_second += put_four(to, to->n + to->n_second, second, &set);
}
#else
ALWAYS_INLINE void
put_both_four(two_lists *to, const quad *first, const quad *second,
              const uint64_t *set)
{
    int i;

    for (i = 0; i < QUAD; i++) {
        put_both(to, (*first)[i], (*second)[i], set[i]);
    }
}
#endif

/* Move the second list to the end of the first. Returns how many terms there
 * are. */
ALWAYS_INLINE int64_t
end_lists(paulimpi__orbits *o, const two_lists *to)
{
    if (to->n_first < to->n && to->n_second > 0) {
        memmove(to->value + to->n_first, to->value + to->n,
                (size_t)to->n_second * sizeof *to->value);
        memmove(to->set + to->n_first, to->set + to->n,
                (size_t)to->n_second * sizeof *to->set);
    }
    o->n_list_dropped = to->n_dropped;
    return to->n_first + to->n_second;
}

/* Multiply the values of a list by two factors, and write what becomes of them.
 * That may be where the list is. Returns the number of terms; n_second of them
 * are with the generator. */
ALWAYS_INLINE int64_t
branch(paulimpi__orbits *o, double first, double second, uint64_t bit,
       const double *value, const uint64_t *set, int64_t n, double *to_value,
       uint64_t *to_set, int64_t *n_second)
{
    two_lists to;
    int64_t i = 0;

    begin_lists(o, bit, to_value, to_set, n, &to);
    for (; i + QUAD <= n; i += QUAD) {
        quad old, a, b;

        memcpy(&old, value + i, sizeof old);
        a = first * old;
        b = second * old;
        put_both_four(&to, &a, &b, set + i);
    }
    for (; i < n; i++) {
        double old = value[i];

        put_both(&to, first * old, second * old, set[i]);
    }
    *n_second = to.n_second;
    o->tile->n_born += to.n_second;
    return end_lists(o, &to);
}

static void
give_list_dropped(paulimpi__orbits *o)
{
    paulimpi__bins_add(&o->tile->bins, o->list_dropped, o->n_list_dropped,
                       &o->dropped->norm1, &o->dropped->square);
    o->n_list_dropped = 0;
}

ALWAYS_INLINE void
note_gate(paulimpi__orbits *o, int64_t gate, int64_t n_before, int64_t n_after)
{
    o->tile->active += n_before;
    o->change[gate] += n_after - n_before;
    if (o->n_list_dropped > DROPPED_AT_ONCE) {
        give_list_dropped(o);
    }
}

/* Take a list, the last one that lies in the first buffer, through the gates
 * that are left. */
static void grow_list(paulimpi__orbits *o, path p, int64_t begin, int64_t n);

/* Take a list that is too long in pieces, from its end. */
static void
grow_pieces(paulimpi__orbits *o, const path *p, int64_t begin, int64_t n)
{
    while (n > 0 && !o->has_failed) {
        int64_t piece = (n - 1) % PIECE + 1;

        n -= piece;
        grow_list(o, *p, begin + n, piece);
    }
}

static void
grow_list(paulimpi__orbits *o, path p, int64_t begin, int64_t n)
{
    for (;;) {
        const paulimpi__tile_gate *gate;
        int64_t k, n_after, n_born;
        double *value;
        uint64_t *set;

        if (n > MOST_LISTED) {
            grow_pieces(o, &p, begin, n);
            return;
        }
        k = next_gate(o, &p);
        if (k < 0) {
            break;
        }
        if (!paulimpi__orbits_lists(o, begin + 2 * n)) {
            return;
        }
        gate = &o->gate[k];
        value = o->list_value[0] + begin;
        set = o->list_set[0] + begin;
        n_after = branch(o, gate->cos_theta, gate->sin_theta,
                         (uint64_t)1 << p.n_directions, value, set, n, value,
                         set, &n_born);
        note_gate(o, k, n, n_after);
        n = n_after;
        if (n == 0) {
            return;
        }
        if (n_born > 0) {
            add_to_path(o, &p, k);
        }
    }
    write_list(o, begin, n);
}

/* Whether two lists have the same sets. */
ALWAYS_INLINE int
have_same_sets(const paulimpi__orbits *o, const paulimpi__orbit_list *a,
               const paulimpi__orbit_list *b)
{
    const uint64_t *set_a = o->list_set[0] + a->begin;
    const uint64_t *set_b = o->list_set[0] + b->begin;
    int64_t i = 0;

    if (a->n != b->n) {
        return 0;
    }
    while (i < a->n && set_a[i] == set_b[i]) {
        i++;
    }
    return i == a->n;
}

/* Rotate the terms of two lists that have the same sets. */
ALWAYS_INLINE int64_t
rotate_lists(paulimpi__orbits *o, const paulimpi__tile_gate *gate,
             uint64_t bit, const paulimpi__orbit_list *a,
             const paulimpi__orbit_list *b, double *to_value, uint64_t *to_set)
{
    double cos_theta = gate->cos_theta;
    double sin_theta = gate->sin_theta;
    const double *value_a = o->list_value[0] + a->begin;
    const double *value_b = o->list_value[0] + b->begin;
    const uint64_t *set = o->list_set[0] + a->begin;
    two_lists to;
    int64_t i = 0;

    begin_lists(o, bit, to_value, to_set, a->n, &to);
    for (; i + QUAD <= a->n; i += QUAD) {
        quad x, y, first, second;

        memcpy(&x, value_a + i, sizeof x);
        memcpy(&y, value_b + i, sizeof y);
        first = cos_theta * x + -sin_theta * y;
        second = cos_theta * y + sin_theta * x;
        put_both_four(&to, &first, &second, set + i);
    }
    for (; i < a->n; i++) {
        double x = value_a[i];
        double y = value_b[i];

        put_both(&to, cos_theta * x + -sin_theta * y,
                 cos_theta * y + sin_theta * x, set[i]);
    }
    return end_lists(o, &to);
}

/* Merge two lists that a gate joins. Returns the number of terms. */
ALWAYS_INLINE int64_t
merge_lists(paulimpi__orbits *o, const paulimpi__tile_gate *gate, uint64_t bit,
            const paulimpi__orbit_list *a, const paulimpi__orbit_list *b,
            double *to_value, uint64_t *to_set)
{
    double cos_theta = gate->cos_theta;
    double sin_theta = gate->sin_theta;
    const double *value_a = o->list_value[0] + a->begin;
    const double *value_b = o->list_value[0] + b->begin;
    const uint64_t *set_a = o->list_set[0] + a->begin;
    const uint64_t *set_b = o->list_set[0] + b->begin;
    two_lists to;
    int64_t i = 0;
    int64_t k = 0;

    if (have_same_sets(o, a, b)) {
        return rotate_lists(o, gate, bit, a, b, to_value, to_set);
    }
    begin_lists(o, bit, to_value, to_set, a->n + b->n, &to);
    while (i < a->n || k < b->n) {
        uint64_t next_a = i < a->n ? set_a[i] : UINT64_MAX;
        uint64_t next_b = k < b->n ? set_b[k] : UINT64_MAX;
        int has_a = next_a <= next_b;
        int has_b = next_b <= next_a;
        double x = has_a ? value_a[i] : 0.0;
        double y = has_b ? value_b[k] : 0.0;

        i += has_a;
        k += has_b;
        put_both(&to, cos_theta * x + -sin_theta * y,
                 cos_theta * y + sin_theta * x, has_a ? next_a : next_b);
    }
    return end_lists(o, &to);
}

/* Take all lists through a gate. Returns the number of terms. */
static int64_t
take_gate(paulimpi__orbits *o, path *p, int64_t gate_number, int joins)
{
    const paulimpi__tile_gate *gate = &o->gate[gate_number];
    uint64_t bit = (uint64_t)1 << p->n_directions;
    paulimpi__orbit_list *list = o->list;
    int64_t n_lists = 0;
    int64_t n_born = 0;
    int64_t end = 0;
    int64_t i = 0;

    while (i < o->n_lists) {
        const paulimpi__orbit_list *a = &list[i];
        double *to_value = o->list_value[1] + end;
        uint64_t *to_set = o->list_set[1] + end;
        uint64_t set = a->set;
        int64_t n;

        if (joins && i + 1 < o->n_lists && (set ^ list[i + 1].set) == 1) {
            n = merge_lists(o, gate, bit, a, &list[i + 1], to_value, to_set);
            i += 2;
        } else {
            int is_set = joins && (set & 1) != 0;
            int64_t n_second;

            n = branch(o, is_set ? -gate->sin_theta : gate->cos_theta,
                       is_set ? gate->cos_theta : gate->sin_theta, bit,
                       o->list_value[0] + a->begin, o->list_set[0] + a->begin,
                       a->n, to_value, to_set, &n_second);
            n_born += n_second;
            i++;
        }
        if (n > 0) {
            list[n_lists++] =
                (paulimpi__orbit_list){ joins ? set >> 1 : set, end, n };
            end += n;
        }
    }
    o->n_lists = n_lists;
    if (joins || n_born > 0) {
        add_to_path(o, p, gate_number);
    }
    return end;
}

/* Sort lists by their sets of so many generators. */
static void
sort_lists(paulimpi__orbits *o, int64_t n, int n_bits)
{
    paulimpi__orbit_list *list = o->list;
    int64_t i, k;
    int bit;

    if (n <= FEW_LISTS) {
        for (i = 1; i < n; i++) {
            paulimpi__orbit_list member = list[i];

            for (k = i; k > 0 && list[k - 1].set > member.set; k--) {
                list[k] = list[k - 1];
            }
            list[k] = member;
        }
        return;
    }
    for (bit = 0; bit < n_bits; bit += RADIX_BITS) {
        int64_t end[1 << RADIX_BITS] = { 0 };
        int64_t digits = (1 << RADIX_BITS) - 1;

        for (i = 0; i < n; i++) {
            end[list[i].set >> bit & (uint64_t)digits]++;
        }
        for (i = 1; i <= digits; i++) {
            end[i] += end[i - 1];
        }
        for (i = n - 1; i >= 0; i--) {
            o->sorted[--end[list[i].set >> bit & (uint64_t)digits]] = list[i];
        }
        o->list = o->sorted;
        o->sorted = list;
        list = o->list;
    }
}

/* Give the members of an orbit their values and their sets, of the directions
 * in which they differ, and sort them into lists. Returns the number of these
 * directions. */
ALWAYS_INLINE int
make_lists(paulimpi__orbits *o, const paulimpi__tile *tile, int64_t first,
           uint64_t *differ, const int64_t n_words)
{
    const uint64_t *mask = o->mask + first * o->n_mask;
    const uint64_t *base = o->coordinate + first * o->n_mask;
    path p = { mask, 0, 0, 0 };
    int64_t n = 0;
    int64_t i, c, k;

    for (i = first; i >= 0; i = o->next[i]) {
        for (c = 0; c < o->n_mask; c++) {
            differ[c] |=
                (o->coordinate[i * o->n_mask + c] ^ base[c]) & mask[c];
        }
        n++;
    }
    if (!paulimpi__orbits_lists(o, n)) {
        return 0;
    }
    for (c = 0; c < o->n_mask; c++) {
        uint64_t rest;

        for (rest = differ[c]; rest != 0; rest &= rest - 1) {
            add_to_path(o, &p, 64 * c + __builtin_ctzll(rest));
        }
    }
    for (i = first, k = 0; i >= 0; i = o->next[i], k++) {
        const uint64_t *coordinate = o->coordinate + i * o->n_mask;
        const uint64_t *row = tile->key + i * 2 * n_words;
        uint32_t sign =
            (uint32_t)(o->orbit.is_odd ^ paulimpi__orbit_is_odd(row, n_words));
        paulimpi__orbit_list member = { 0, k, 1 };
        int d = 0;

        for (c = 0; c < o->n_mask; c++) {
            uint64_t rest;

            for (rest = differ[c]; rest != 0; rest &= rest - 1, d++) {
                uint64_t is_set =
                    (coordinate[c] ^ base[c]) >> __builtin_ctzll(rest) & 1;

                sign ^= (uint32_t)is_set
                        & (uint32_t)(o->direction[d].is_negative
                                     ^ paulimpi__parity(o->direction[d].polar
                                                        & member.set));
                member.set |= is_set << d;
            }
        }
        o->list_value[0][k] = with_sign(tile->coefficient[i], sign);
        o->list_set[0][k] = 0;
        o->list[k] = member;
    }
    sort_lists(o, n, p.n_directions);
    o->n_lists = n;
    return p.n_directions;
}

ALWAYS_INLINE void
swap_buffers(paulimpi__orbits *o)
{
    double *value = o->list_value[0];
    uint64_t *set = o->list_set[0];

    o->list_value[0] = o->list_value[1];
    o->list_set[0] = o->list_set[1];
    o->list_value[1] = value;
    o->list_set[1] = set;
}

/* Take the orbit of term `first` of the tile through all gates. */
ALWAYS_INLINE void
take_listed(paulimpi__orbits *o, const paulimpi__tile *tile, int64_t first,
            const int64_t n_words)
{
    const uint64_t *row = tile->key + first * 2 * n_words;
    const uint64_t *mask = o->mask + first * o->n_mask;
    path p = { mask, 0, mask[0], 0 };
    int64_t n, w;
    int n_joining;

    for (w = 0; w < 2 * n_words; w++) {
        o->key[w] = row[w];
    }
    begin_orbit_at(o, tile, first, n_words);
    o->orbit.y = paulimpi__orbit_y(row, n_words);
    if (o->next[first] < 0) {
        o->list_value[0][0] = tile->coefficient[first];
        o->list_set[0][0] = 0;
        grow_list(o, p, 0, 1);
        return;
    }
    memset(o->cut, 0, (size_t)o->n_mask * sizeof *o->cut);
    n_joining = make_lists(o, tile, first, o->cut, n_words);
    n = o->n_lists;
    while (n_joining > 0 && !o->has_failed) {
        int64_t gate = next_gate(o, &p);
        int joins = o->cut[gate / 64] >> gate % 64 & 1;
        int64_t n_after;

        if (!paulimpi__orbits_lists(o, 2 * n)) {
            return;
        }
        n_after = take_gate(o, &p, gate, joins);
        note_gate(o, gate, n, n_after);
        swap_buffers(o);
        n = n_after;
        n_joining -= joins;
        if (n == 0) {
            return;
        }
    }
    if (!o->has_failed) {
        grow_list(o, p, 0, n);
    }
}

#endif /* PAULIMPI_SRC_PROPAGATE_ORBIT_LISTS_H */
