/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Orbits of few generators. Part of tile_loops.h.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_ORBIT_SMALL_H
#define PAULIMPI_SRC_PROPAGATE_ORBIT_SMALL_H

#include "propagate/orbit_places.h"

/* Small orbits: every set of generators has its place, and a row that is made
 * once for the syndrome. */

ALWAYS_INLINE int
is_small(const paulimpi__syndrome *s)
{
    return s->rank <= LOW && s->is_whole;
}

/* Make the rows of all sets, if they are not there. */
ALWAYS_INLINE void
make_small_rows(paulimpi__orbits *o, const paulimpi__syndrome *s,
                const int64_t n_words)
{
    paulimpi__orbit_rows *rows = &o->low;
    int d;

    if (o->rows_of == s) {
        return;
    }
    o->rows_of = s;
    memset(rows->key, 0, (size_t)n_words * 2 * sizeof *rows->key);
    rows->hash[0] = 0;
    rows->sign[0] = 0;
    for (d = 0; d < s->rank; d++) {
        const paulimpi__orbit_generator *g = &s->generator[d];
        int64_t n = (int64_t)1 << d;
        int64_t i, w;

        for (i = 0; i < n; i++) {
            for (w = 0; w < 2 * n_words; w++) {
                rows->key[(n + i) * 2 * n_words + w] =
                    rows->key[i * 2 * n_words + w] ^ g->key[w];
            }
            rows->hash[n + i] = rows->hash[i] ^ g->hash;
            rows->sign[n + i] =
                rows->sign[i]
                ^ (uint32_t)paulimpi__parity((uint64_t)i & g->polar);
        }
    }
}

/* The sign of the string at a place against that of the array. */
ALWAYS_INLINE uint32_t
small_sign(const paulimpi__orbits *o, uint64_t place, uint64_t negative,
           const uint64_t *row, const int64_t n_words)
{
    return o->low.sign[place] ^ (uint32_t)paulimpi__parity(place & negative)
           ^ (uint32_t)o->orbit.is_odd
           ^ (uint32_t)paulimpi__orbit_is_odd(row, n_words);
}

/* Put the members into their places. Returns the number of directions among
 * them. */
ALWAYS_INLINE int
place_members(paulimpi__orbits *o, const paulimpi__syndrome *s, int64_t first,
              uint64_t *negative, const int64_t n_words)
{
    const paulimpi__orbit_stack *stack = &o->stack;
    paulimpi__orbit_state *orbit = &o->orbit;
    uint64_t set = stack->set[first];
    uint64_t seen = 0;
    int64_t i, w;
    int n_dims;

    for (w = 0; w < 2 * n_words; w++) {
        o->key[w] = stack->key[first * 2 * n_words + w]
                    ^ o->low.key[(int64_t)set * 2 * n_words + w];
    }
    orbit->hash =
        (stack->hash[first] | (uint64_t)stack->next_hash[first] << 32)
        ^ o->low.hash[set];
    orbit->is_odd = paulimpi__orbit_is_odd(o->key, n_words);
    orbit->n_live = 0;
    *negative = find_negative(o, s, ((uint64_t)1 << s->rank) - 1);
    for (i = first; i >= 0; i = stack->next[i]) {
        seen |= stack->set[i];
    }
    n_dims = seen == 0 ? 0 : 64 - __builtin_clzll(seen);
    memset(o->value, 0, sizeof *o->value << (n_dims < 2 ? 2 : n_dims));
    for (i = first; i >= 0; i = stack->next[i]) {
        const uint64_t *row = stack->key + i * 2 * n_words;

        set = stack->set[i];
        o->value[set] = with_sign(stack->coefficient[i],
                                  small_sign(o, set, *negative, row, n_words));
        orbit->n_live++;
    }
    return n_dims;
}

/* Write the living terms of the orbit. */
ALWAYS_INLINE void
write_small(paulimpi__orbits *o, int n_dims, uint64_t negative, int to_stack,
            const int64_t n_words)
{
    const paulimpi__orbit_state *orbit = &o->orbit;
    uint64_t key[2 * MOST_WORDS];
    place_to_write to;
    int64_t n, i, w;

    n = list_places(o->value, (size_t)1 << n_dims, o->alive);
    if (!make_room(o, n, to_stack, &to)) {
        return;
    }
    for (w = 0; w < 2 * n_words && n_words <= MOST_WORDS; w++) {
        key[w] = o->key[w];
    }
    for (i = 0; i < n; i++) {
        uint32_t place = o->alive[i];
        const uint64_t *step = o->low.key + (int64_t)place * 2 * n_words;
        const uint64_t *base = n_words <= MOST_WORDS ? key : o->key;
        uint64_t *row = to.key + i * 2 * n_words;
        uint64_t hash = orbit->hash ^ o->low.hash[place];

        for (w = 0; w < 2 * n_words; w++) {
            row[w] = base[w] ^ step[w];
        }
        to.coefficient[i] = with_sign(
            o->value[place], small_sign(o, place, negative, row, n_words));
        to.hash[i] = (uint32_t)hash;
        to.next_hash[i] = (uint32_t)(hash >> 32);
    }
}

/* Take an orbit through all gates of its syndrome. */
ALWAYS_INLINE void
take_small(paulimpi__orbits *o, const paulimpi__syndrome *s, int64_t first,
           int to_stack, const int64_t n_words)
{
    paulimpi__orbit_state *orbit = &o->orbit;
    uint64_t negative;
    int n_dims = place_members(o, s, first, &negative, n_words);
    int64_t i;

    for (i = 0; i < s->n_gates; i++) {
        const paulimpi__orbit_gate *g = &s->gate[i];
        size_t n = (size_t)1 << n_dims;
        int64_t n_born = 0;
        rotor t;

        begin_turn_at(o, g, (uint32_t)g->set, &t);
        if (g->set < n) {
            rotate_places(&t, o->value, n < QUAD ? QUAD : n, g->set);
        } else {
            n_born = open_places(o, n, &t);
            n_dims++;
        }
        end_turn(o, g, &t, n_born);
        if (orbit->n_live == 0) {
            return;
        }
    }
    write_small(o, n_dims, negative, to_stack, n_words);
}

ALWAYS_INLINE void
take_small_members(paulimpi__orbits *o, const paulimpi__syndrome *s,
                   int64_t begin, int64_t end, int to_stack,
                   const int64_t n_words)
{
    int64_t first;

    make_small_rows(o, s, n_words);
    first = sort_members(o, s, begin, end, 1, n_words);
    while (first >= 0 && !o->has_failed) {
        int64_t next = o->stack.next_orbit[first];

        take_small(o, s, first, to_stack, n_words);
        first = next;
    }
}

#endif /* PAULIMPI_SRC_PROPAGATE_ORBIT_SMALL_H */
