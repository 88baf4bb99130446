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
        uint64_t bits;

        set = stack->set[i];
        memcpy(&bits, &stack->coefficient[i], sizeof bits);
        bits ^= (uint64_t)(o->low.sign[set]
                           ^ (uint32_t)paulimpi__parity(set & *negative)
                           ^ (uint32_t)orbit->is_odd
                           ^ (uint32_t)paulimpi__orbit_is_odd(
                               stack->key + i * 2 * n_words, n_words))
                << 63;
        memcpy(&o->value[set], &bits, sizeof bits);
        orbit->n_live++;
    }
    return n_dims;
}

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
        uint64_t bits;

        for (w = 0; w < 2 * n_words; w++) {
            row[w] = base[w] ^ step[w];
        }
        memcpy(&bits, &o->value[place], sizeof bits);
        bits ^= (uint64_t)(o->low.sign[place]
                           ^ (uint32_t)paulimpi__parity(place & negative)
                           ^ (uint32_t)orbit->is_odd
                           ^ (uint32_t)paulimpi__orbit_is_odd(row, n_words))
                << 63;
        memcpy(&to.coefficient[i], &bits, sizeof bits);
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
        rotor t;

        begin_turn_at(o, g, (uint32_t)g->set, &t);
        if (g->set < n) {
            rotate_places(&t, o->value, n < QUAD ? QUAD : n, g->set);
        } else {
            open_places(o, n, &t);
            n_dims++;
        }
        end_turn(o, g, &t);
        if (orbit->n_live == 0) {
            return;
        }
    }
    write_small(o, n_dims, negative, to_stack, n_words);
}

/* Sort terms into small orbits. */
ALWAYS_INLINE int64_t
sort_small(paulimpi__orbits *o, const paulimpi__syndrome *s, int64_t begin,
           int64_t end, const int64_t n_words)
{
    paulimpi__orbit_stack *stack = &o->stack;
    int bits = paulimpi__log2_ceil((uint64_t)(end - begin)) + 1;
    int64_t last = -1;
    int64_t i, w;

    if (end - begin == 1) {
        find_set(o, s, begin, n_words);
        stack->next[begin] = -1;
        stack->next_orbit[begin] = -1;
        return begin;
    }
    if (!paulimpi__orbits_slots(o, (int64_t)1 << bits)) {
        return -1;
    }
    memset(o->slot, -1, sizeof *o->slot << bits);
    for (i = begin; i < end; i++) {
        uint64_t hash =
            find_set(o, s, i, n_words) * UINT64_C(0x9e3779b97f4a7c15);
        uint64_t slot = hash >> (64 - bits);
        int64_t other;

        while ((other = o->slot[slot]) >= 0) {
            const uint64_t *a = stack->key + i * 2 * n_words;
            const uint64_t *b = stack->key + other * 2 * n_words;
            const uint64_t *c =
                o->low.key
                + (int64_t)(stack->set[i] ^ stack->set[other]) * 2 * n_words;
            uint64_t wrong = 0;

            for (w = 0; w < 2 * n_words; w++) {
                wrong |= a[w] ^ b[w] ^ c[w];
            }
            if (wrong == 0) {
                break;
            }
            slot = (slot + 1) & (((uint64_t)1 << bits) - 1);
        }
        if (other >= 0) {
            stack->next[i] = stack->next[other];
            stack->next[other] = i;
            continue;
        }
        o->slot[slot] = i;
        stack->next[i] = -1;
        stack->next_orbit[i] = last;
        last = i;
    }
    return last;
}

ALWAYS_INLINE void
take_small_members(paulimpi__orbits *o, const paulimpi__syndrome *s,
                   int64_t begin, int64_t end, int to_stack,
                   const int64_t n_words)
{
    int64_t first;

    make_small_rows(o, s, n_words);
    first = sort_small(o, s, begin, end, n_words);
    while (first >= 0 && !o->has_failed) {
        int64_t next = o->stack.next_orbit[first];

        take_small(o, s, first, to_stack, n_words);
        first = next;
    }
}

#endif /* PAULIMPI_SRC_PROPAGATE_ORBIT_SMALL_H */
