/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Orbits of many generators, in which those that have brought no term take no
 * place. Part of tile_loops.h.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_ORBIT_LARGE_H
#define PAULIMPI_SRC_PROPAGATE_ORBIT_LARGE_H

#include "propagate/orbit_places.h"

/* The directions of an orbit. */

/* Find the place of a set of generators. Whether it is there; what is left of
 * the set otherwise leads to it. */
ALWAYS_INLINE int
find_place(const paulimpi__orbit_state *orbit, uint64_t *set, uint32_t *place)
{
    int j;

    *place = 0;
    if ((*set & orbit->seen) == 0) {
        return *set == 0;
    }
    for (j = 0; j < orbit->n_dims; j++) {
        uint64_t is_set = -(uint64_t)((*set & orbit->pivot[j]) != 0);

        *set ^= orbit->reduced[j] & is_set;
        *place ^= orbit->place[j] & (uint32_t)is_set;
    }
    return *set == 0;
}

ALWAYS_INLINE void
add_direction(paulimpi__orbit_state *orbit, uint64_t set, uint64_t reduced,
              uint32_t place)
{
    int d = orbit->n_dims++;

    orbit->set[d] = set;
    orbit->reduced[d] = reduced;
    orbit->pivot[d] = reduced & -reduced;
    orbit->place[d] = place ^ (uint32_t)1 << d;
    orbit->seen |= set;
}

/* Find the directions in which members lie from the first one, `first`. Whether
 * they are not too many. */
static int
find_directions(paulimpi__orbits *o, int64_t first)
{
    const paulimpi__orbit_stack *stack = &o->stack;
    paulimpi__orbit_state *orbit = &o->orbit;
    int64_t i;

    for (i = stack->next[first]; i >= 0; i = stack->next[i]) {
        uint64_t set = stack->set[i] ^ stack->set[first];
        uint64_t rest = set;
        uint32_t place;

        orbit->n_live++;
        if (!find_place(orbit, &rest, &place)) {
            if (orbit->n_dims == DIMS) {
                return 0;
            }
            add_direction(orbit, set, rest, place);
        }
    }
    return 1;
}

/* Begin an orbit with the members from `first` on. Whether it is not too large
 * for the array. */
static int
begin_orbit(paulimpi__orbits *o, const paulimpi__syndrome *s, int64_t first)
{
    const paulimpi__orbit_stack *stack = &o->stack;
    paulimpi__orbit_state *orbit = &o->orbit;
    int64_t n_key = o->n_words * 2;
    uint64_t negative;
    int64_t i;

    memcpy(o->key, stack->key + first * n_key, (size_t)n_key * sizeof *o->key);
    orbit->hash = stack->hash[first] | (uint64_t)stack->next_hash[first] << 32;
    orbit->is_odd = paulimpi__orbit_is_odd(o->key, o->n_words);
    orbit->n_dims = 0;
    orbit->seen = 0;
    orbit->n_live = 1;
    if (!find_directions(o, first)) {
        return 0;
    }
    memset(o->value, 0,
           sizeof *o->value << (orbit->n_dims < 2 ? 2 : orbit->n_dims));
    o->value[0] = stack->coefficient[first];
    negative = find_negative(o, s, orbit->seen);
    for (i = stack->next[first]; i >= 0; i = stack->next[i]) {
        uint64_t set = stack->set[i] ^ stack->set[first];
        int sign =
            paulimpi__orbit_sign(s, set, negative) ^ orbit->is_odd
            ^ paulimpi__orbit_is_odd(stack->key + i * n_key, o->n_words);
        uint32_t place;

        find_place(orbit, &set, &place);
        o->value[place] = with_sign(stack->coefficient[i], (uint32_t)sign);
    }
    return 1;
}

/* Make a gate ready for the orbit. */
ALWAYS_INLINE void
begin_turn(const paulimpi__orbits *o, const paulimpi__orbit_gate *g, rotor *t)
{
    const paulimpi__orbit_state *orbit = &o->orbit;
    uint32_t sign = 0;
    int j;

    if ((g->set & orbit->seen) != 0) {
        for (j = 0; j < orbit->n_dims; j++) {
            sign |= (uint32_t)paulimpi__parity(orbit->set[j] & g->set) << j;
        }
    }
    begin_turn_at(o, g, sign, t);
}

/* What is left of a syndrome from a gate on, or before it. */
static paulimpi__syndrome *
part_of_syndrome(paulimpi__orbits *o, const paulimpi__syndrome *s,
                 int64_t number, int is_before, int64_t term)
{
    int64_t c;

    for (c = 0; c < o->n_mask; c++) {
        int64_t low = number - 64 * c;
        uint64_t before = low >= 64  ? UINT64_MAX
                          : low <= 0 ? 0
                                     : ((uint64_t)1 << low) - 1;

        o->cut[c] = s->mask[c] & (is_before ? before : ~before);
    }
    return paulimpi__orbits_find(
        o, o->cut, o->stack.key + (size_t)term * 2 * (size_t)o->n_words);
}

/* The rows of directions first to end - 1, of which `rows` has the one of place
 * 0. Signs and polar directions are of places below 2^LOW. */
ALWAYS_INLINE void
make_row_table(const paulimpi__orbits *o, const paulimpi__syndrome *s,
               uint64_t negative, const uint32_t *polar, int first, int end,
               paulimpi__orbit_rows *rows, const int64_t n_words)
{
    const paulimpi__orbit_state *orbit = &o->orbit;
    int d;

    for (d = first; d < end; d++) {
        int64_t n = (int64_t)1 << (d - first);
        uint64_t *step = o->key + 2 * n_words;
        uint64_t hash = 0;
        uint64_t rest;
        uint32_t sign =
            (uint32_t)paulimpi__orbit_sign(s, orbit->set[d], negative);
        int64_t i, w;

        memset(step, 0, (size_t)n_words * 2 * sizeof *step);
        for (rest = orbit->set[d]; rest != 0; rest &= rest - 1) {
            const paulimpi__orbit_generator *g =
                &s->generator[__builtin_ctzll(rest)];

            for (w = 0; w < 2 * n_words; w++) {
                step[w] ^= g->key[w];
            }
            hash ^= g->hash;
        }
        for (i = 0; i < n; i++) {
            for (w = 0; w < 2 * n_words; w++) {
                rows->key[(n + i) * 2 * n_words + w] =
                    rows->key[i * 2 * n_words + w] ^ step[w];
            }
            rows->hash[n + i] = rows->hash[i] ^ hash;
            rows->sign[n + i] =
                rows->sign[i] ^ sign
                ^ (uint32_t)paulimpi__parity((uint64_t)i << first & polar[d]);
            rows->polar[n + i] =
                rows->polar[i] ^ (polar[d] & ((1 << LOW) - 1));
        }
    }
}

/* For each direction those before it that are polar to it. */
ALWAYS_INLINE void
find_polar(const paulimpi__orbits *o, const paulimpi__syndrome *s,
           uint32_t *polar)
{
    const paulimpi__orbit_state *orbit = &o->orbit;
    int d, j;

    for (d = 0; d < orbit->n_dims; d++) {
        uint64_t all = 0;
        uint64_t rest;

        for (rest = orbit->set[d]; rest != 0; rest &= rest - 1) {
            all ^= s->generator[__builtin_ctzll(rest)].polar;
        }
        polar[d] = 0;
        for (j = 0; j < d; j++) {
            polar[d] |= (uint32_t)paulimpi__parity(orbit->set[j] & all) << j;
        }
    }
}

/* Make the tables of rows: of the low directions from the first term on, and of
 * the others. */
ALWAYS_INLINE void
make_rows_of_places(paulimpi__orbits *o, const paulimpi__syndrome *s,
                    const int64_t n_words)
{
    const paulimpi__orbit_state *orbit = &o->orbit;
    int n_low = orbit->n_dims < LOW ? orbit->n_dims : LOW;
    uint64_t negative = find_negative(o, s, orbit->seen);
    uint32_t polar[DIMS];

    find_polar(o, s, polar);
    memcpy(o->low.key, o->key, (size_t)n_words * 2 * sizeof *o->key);
    memset(o->high.key, 0, (size_t)n_words * 2 * sizeof *o->key);
    o->low.hash[0] = orbit->hash;
    o->high.hash[0] = 0;
    o->low.sign[0] = (uint32_t)orbit->is_odd;
    o->high.sign[0] = 0;
    o->low.polar[0] = 0;
    o->high.polar[0] = 0;
    make_row_table(o, s, negative, polar, 0, n_low, &o->low, n_words);
    make_row_table(o, s, negative, polar, n_low, orbit->n_dims, &o->high,
                   n_words);
}

/* Write the living terms of the orbit. */
static void
write_terms(paulimpi__orbits *o, const paulimpi__syndrome *s, int to_stack,
            const int64_t n_words)
{
    int64_t n = list_places(o->value, (size_t)1 << o->orbit.n_dims, o->alive);
    place_to_write to;
    int64_t i, w;

    if (!make_room(o, n, to_stack, &to)) {
        return;
    }
    make_rows_of_places(o, s, n_words);
    for (i = 0; i < n; i++) {
        uint32_t place = o->alive[i];
        uint32_t low = place & ((1 << LOW) - 1);
        uint32_t high = place >> LOW;
        const uint64_t *a = o->low.key + (int64_t)low * 2 * n_words;
        const uint64_t *b = o->high.key + (int64_t)high * 2 * n_words;
        uint64_t *row = to.key + i * 2 * n_words;
        uint64_t hash = o->low.hash[low] ^ o->high.hash[high];
        uint32_t sign;

        for (w = 0; w < 2 * n_words; w++) {
            row[w] = a[w] ^ b[w];
        }
        sign = o->low.sign[low] ^ o->high.sign[high]
               ^ (uint32_t)paulimpi__parity(low & o->high.polar[high])
               ^ (uint32_t)paulimpi__orbit_is_odd(row, n_words);
        to.coefficient[i] = with_sign(o->value[place], sign);
        to.hash[i] = (uint32_t)hash;
        to.next_hash[i] = (uint32_t)(hash >> 32);
    }
}

static void take_members(paulimpi__orbits *o, const paulimpi__syndrome *s,
                         int64_t begin, int64_t end, int to_stack);

/* The number of the first gate by which the rank is more than that of the
 * array; or past the end of a syndrome that is not whole. */
static int64_t
gate_to_cut(const paulimpi__syndrome *s)
{
    int64_t i;

    for (i = 0; i < s->n_gates; i++) {
        if (s->gate[i].set >> DIMS != 0) {
            break;
        }
    }
    return i < s->n_gates ? s->gate[i].number : s->gate[i - 1].number + 1;
}

/* Take terms first through as many gates as the array can hold whatever the
 * terms are; then through the others. */
static void
take_in_two(paulimpi__orbits *o, const paulimpi__syndrome *s, int64_t begin,
            int64_t end, int to_stack)
{
    int64_t number = gate_to_cut(s);
    int64_t top = o->stack.n;
    const paulimpi__syndrome *part;

    part = part_of_syndrome(o, s, number, 1, begin);
    if (part == NULL) {
        return;
    }
    take_members(o, part, begin, end, 1);
    if (o->stack.n > top && !o->has_failed) {
        part = part_of_syndrome(o, s, number, 0, top);
        if (part != NULL) {
            take_members(o, part, top, o->stack.n, to_stack);
        }
    }
    o->stack.n = top;
}

/* Copy the members of an orbit to the top of the stack and take them in two
 * parts. */
static void
take_large_orbit(paulimpi__orbits *o, const paulimpi__syndrome *s,
                 int64_t first, int to_stack)
{
    paulimpi__orbit_stack *stack = &o->stack;
    int64_t begin = stack->n;
    int64_t i;

    for (i = first; i >= 0; i = stack->next[i]) {
        place_to_write to;

        if (!make_room(o, 1, 1, &to)) {
            return;
        }
        memcpy(to.key, stack->key + i * 2 * o->n_words,
               (size_t)o->n_words * 2 * sizeof *to.key);
        *to.coefficient = stack->coefficient[i];
        *to.hash = stack->hash[i];
        *to.next_hash = stack->next_hash[i];
    }
    take_in_two(o, s, begin, stack->n, to_stack);
    stack->n = begin;
}

/* The orbit needs more places than there are: go on with its terms, which may
 * be in smaller orbits of the gates from here on. */
static void
take_rest(paulimpi__orbits *o, const paulimpi__syndrome *s, int64_t gate,
          int to_stack)
{
    int64_t begin = o->stack.n;
    const paulimpi__syndrome *part;

    write_terms(o, s, 1, o->n_words);
    if (!o->has_failed) {
        part = part_of_syndrome(o, s, s->gate[gate].number, 0, begin);
        if (part != NULL) {
            take_members(o, part, begin, o->stack.n, to_stack);
        }
    }
    o->stack.n = begin;
}

/* Take an orbit through all gates of its syndrome. */
static void
take_orbit(paulimpi__orbits *o, const paulimpi__syndrome *s, int64_t first,
           int to_stack)
{
    paulimpi__orbit_state *orbit = &o->orbit;
    int64_t i;

    if (!begin_orbit(o, s, first)) {
        take_large_orbit(o, s, first, to_stack);
        return;
    }
    for (i = 0; i < s->n_gates; i++) {
        const paulimpi__orbit_gate *g = &s->gate[i];
        uint64_t rest = g->set;
        uint32_t place;
        int is_there = find_place(orbit, &rest, &place);
        int64_t n_born = 0;
        rotor t;

        if (!is_there && orbit->n_dims == DIMS) {
            if (i == 0) {
                take_large_orbit(o, s, first, to_stack);
            } else {
                take_rest(o, s, i, to_stack);
            }
            return;
        }
        begin_turn(o, g, &t);
        if (is_there) {
            size_t n = (size_t)1 << orbit->n_dims;

            rotate_places(&t, o->value, n < QUAD ? QUAD : n, place);
        } else {
            n_born = open_places(o, (size_t)1 << orbit->n_dims, &t);
            if (n_born > 0) {
                add_direction(orbit, g->set, rest, place);
            }
        }
        end_turn(o, g->number, &t, n_born);
        if (t.n_live == 0) {
            return;
        }
    }
    write_terms(o, s, to_stack, o->n_words);
}

static void
take_large_members(paulimpi__orbits *o, const paulimpi__syndrome *s,
                   int64_t begin, int64_t end, int to_stack)
{
    int64_t first = sort_members(o, s, begin, end, o->n_words);

    while (first >= 0 && !o->has_failed) {
        int64_t next = o->stack.next_orbit[first];

        take_orbit(o, s, first, to_stack);
        first = next;
    }
}

static void
take_members(paulimpi__orbits *o, const paulimpi__syndrome *s, int64_t begin,
             int64_t end, int to_stack)
{
    if (!s->is_whole) {
        take_in_two(o, s, begin, end, to_stack);
    } else {
        take_large_members(o, s, begin, end, to_stack);
    }
}

#endif /* PAULIMPI_SRC_PROPAGATE_ORBIT_LARGE_H */
