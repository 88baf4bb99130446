/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The places of an orbit: rotating them, and writing what is there. Part of
 * tile_loops.h.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_ORBIT_PLACES_H
#define PAULIMPI_SRC_PROPAGATE_ORBIT_PLACES_H

#include "propagate/orbit.h"
#include "propagate/tile_join.h"

enum {
    DIMS = PAULIMPI__ORBIT_DIMS,
    LOW = PAULIMPI__ORBIT_LOW,
    MOST_WORDS = PAULIMPI__ORBIT_WORDS,
    DROPPED_AT_ONCE = 1024
};

/* Exchange lanes whose numbers differ by `change`. */
ALWAYS_INLINE void
permute(quad *v_p, const int change)
{
    quad v = *v_p;

    switch (change) {
    case 1:
        *v_p = (quad){ v[1], v[0], v[3], v[2] };
        break;
    case 2:
        *v_p = (quad){ v[2], v[3], v[0], v[1] };
        break;
    case 3:
        *v_p = (quad){ v[3], v[2], v[1], v[0] };
        break;
    default:
        break;
    }
}

/* How a gate acts on the places of an orbit. */
typedef struct {
    double cos_theta;
    double least;  /* magnitude that is kept; not 0 */
    quad sine[2];  /* with their signs; at places whose sign is even or odd */
    uint32_t sign; /* bits of the place that make it so */
    double *dropped;
    int64_t n_dropped;
    int64_t n_live;
} rotor;

/* Write values to places, 0 for those that are too small. */
ALWAYS_INLINE void
keep(rotor *t, const quad *value_p, double *to)
{
    quad value = *value_p;
    quad least = { t->least, t->least, t->least, t->least };
    quad magnitude = (quad)((quad_mask)value & INT64_MAX);
    quad_mask stays = magnitude >= least;
    int bits = bits_of_quad(&stays);

    t->n_live += paulimpi__popcount((uint64_t)bits);
    if (bits != 15) {
        quad_mask is_there = value != 0.0;
        int lost = bits_of_quad(&is_there) & ~bits;
        int i;

        for (i = 0; lost != 0 && i < QUAD; i++) {
            t->dropped[t->n_dropped] = value[i];
            t->n_dropped += lost >> i & 1;
        }
    }
    *(quad *)to = (quad)((quad_mask)value & stays);
}

/* Rotate four places by what their partners hold, which are lanes of `b` with
 * other numbers. */
ALWAYS_INLINE void
rotate_quad(rotor *t, const quad *a, const quad *b, const int change,
            size_t place, double *value)
{
    quad other = *b;
    quad rotated;

    permute(&other, change);
    rotated =
        t->cos_theta * *a + t->sine[paulimpi__parity(place & t->sign)] * other;
    keep(t, &rotated, value + place);
}

/* Rotate places and those whose numbers differ by `distance`, of which `change`
 * are the low bits. */
ALWAYS_INLINE void
rotate_far(rotor *rotor_p, double *value, size_t n, size_t distance,
           const int change)
{
    rotor t = *rotor_p;
    size_t high = distance & ~(size_t)3;
    size_t top = (size_t)1 << (63 - __builtin_clzll(high));
    size_t base, i;

    for (base = 0; base < n; base += 2 * top) {
        for (i = base; i < base + top; i += QUAD) {
            size_t k = i ^ high;
            quad a = *(const quad *)&value[i];
            quad b = *(const quad *)&value[k];

            rotate_quad(&t, &a, &b, change, i, value);
            rotate_quad(&t, &b, &a, change, k, value);
        }
    }
    *rotor_p = t;
}

ALWAYS_INLINE void
rotate_near(rotor *rotor_p, double *value, size_t n, const int change)
{
    rotor t = *rotor_p;
    size_t i;

    for (i = 0; i < n; i += QUAD) {
        quad a = *(const quad *)&value[i];

        rotate_quad(&t, &a, &a, change, i, value);
    }
    *rotor_p = t;
}

static void
rotate_places(rotor *t, double *value, size_t n, size_t distance)
{
    switch (distance < QUAD ? distance : QUAD + distance % QUAD) {
    case 1:
        rotate_near(t, value, n, 1);
        break;
    case 2:
        rotate_near(t, value, n, 2);
        break;
    case 3:
        rotate_near(t, value, n, 3);
        break;
    case QUAD:
        rotate_far(t, value, n, distance, 0);
        break;
    case QUAD + 1:
        rotate_far(t, value, n, distance, 1);
        break;
    case QUAD + 2:
        rotate_far(t, value, n, distance, 2);
        break;
    default:
        rotate_far(t, value, n, distance, 3);
    }
}

/* Rotate n places, whose partners are not there, into n more. Returns how many
 * of the latter are alive. */
static int64_t
rotate_apart(rotor *rotor_p, double *value, size_t n)
{
    rotor t = *rotor_p;
    int64_t n_old = 0;
    size_t i;

    for (i = 0; i < n; i += QUAD) {
        quad a = *(const quad *)&value[i];
        quad stays = t.cos_theta * a;
        quad born = -t.sine[paulimpi__parity(i & t.sign)] * a;
        int64_t before = t.n_live;

        keep(&t, &stays, value + i);
        n_old += t.n_live - before;
        keep(&t, &born, value + n + i);
    }
    *rotor_p = t;
    return t.n_live - n_old;
}

/* The moves of generators in a set that are negative at the first term. */
static uint64_t
find_negative(const paulimpi__orbits *o, const paulimpi__syndrome *s,
              uint64_t set)
{
    int y = paulimpi__orbit_y(o->key, o->n_words);
    uint64_t negative = 0;
    uint64_t rest;

    for (rest = set; rest != 0; rest &= rest - 1) {
        int i = __builtin_ctzll(rest);

        negative |= (uint64_t)paulimpi__orbit_move(o->key, y, &s->generator[i],
                                                   o->n_words)
                    << i;
    }
    return negative;
}

static void
give_dropped(paulimpi__orbits *o)
{
    paulimpi__tile *out = &o->out;

    paulimpi__bins_add(&o->tile->bins, out->dropped, out->n_dropped,
                       &o->dropped->norm1, &o->dropped->square);
    out->n_dropped = 0;
}

/* Make a gate ready, with the places at which its sign changes. */
ALWAYS_INLINE void
begin_turn_at(const paulimpi__orbits *o, const paulimpi__orbit_gate *g,
              uint32_t sign, rotor *t)
{
    const paulimpi__tile_gate *gate = &o->gate[g->number];
    double s = g->is_negative ? gate->sin_theta : -gate->sin_theta;
    double odd = sign & 1 ? -s : s;
    double high = sign & 2 ? -s : s;
    double both = paulimpi__parity(sign & 3) ? -s : s;

    t->sine[0] = (quad){ s, odd, high, both };
    t->sine[1] = -t->sine[0];
    t->sign = sign & ~(uint32_t)3;
    t->cos_theta = gate->cos_theta;
    t->least = o->least;
    t->dropped = o->out.dropped;
    t->n_dropped = o->out.n_dropped;
    t->n_live = 0;
}

/* Take what a gate has done into the tallies; with n_born terms that are known
 * to be new, otherwise they are as many as there are more. */
ALWAYS_INLINE void
end_turn(paulimpi__orbits *o, int64_t gate, const rotor *t, int64_t n_born)
{
    paulimpi__orbit_state *orbit = &o->orbit;
    int64_t n_more = t->n_live - orbit->n_live;

    o->tile->n_born += n_more > n_born ? n_more : n_born;
    o->tile->active += orbit->n_live;
    o->change[gate] += t->n_live - orbit->n_live;
    orbit->n_live = t->n_live;
    o->out.n_dropped = t->n_dropped;
    if (t->n_dropped > DROPPED_AT_ONCE) {
        give_dropped(o);
    }
}

/* Rotate n places into n more. Those in lanes of the first four are there
 * already, and 0. Returns how many of the latter are alive. */
ALWAYS_INLINE int64_t
open_places(const paulimpi__orbits *o, size_t n, rotor *t)
{
    quad a = *(const quad *)o->value;
    quad b = a;
    quad sine = t->sine[0];

    if (n >= QUAD) {
        return rotate_apart(t, o->value, n);
    }
    if (n == 1) {
        sine[1] = -sine[0];
        permute(&b, 1);
    } else {
        sine[2] = -sine[0];
        sine[3] = -sine[1];
        permute(&b, 2);
    }
    a = t->cos_theta * a + sine * b;
    keep(t, &a, o->value);
    return !is_zero(o->value[n]) + (n == 2 && !is_zero(o->value[3]));
}

/* A coefficient with another sign, if the last bit of `sign` is set. */
ALWAYS_INLINE double
with_sign(double coefficient, uint32_t sign)
{
    uint64_t bits;

    memcpy(&bits, &coefficient, sizeof bits);
    bits ^= (uint64_t)sign << 63;
    memcpy(&coefficient, &bits, sizeof bits);
    return coefficient;
}

/* Where terms are written to. */
typedef struct {
    uint64_t *key;
    double *coefficient;
    uint32_t *hash;
    uint32_t *next_hash;
} place_to_write;

/* Hand the terms that are done on. Whether there was memory. */
static int
hand_on(paulimpi__orbits *o)
{
    paulimpi__tile *out = &o->out;

    give_dropped(o);
    out->n_live = out->n;
    out->n_turned = 0;
    if (out->n > 0 && !o->hand_on(o->data, out)) {
        o->has_failed = 1;
        return 0;
    }
    out->n = 0;
    return 1;
}

/* Room for n terms more, on the stack or among those to be dealt out. Whether
 * there is. */
static int
make_room(paulimpi__orbits *o, int64_t n, int to_stack, place_to_write *to)
{
    paulimpi__orbit_stack *stack = &o->stack;
    paulimpi__tile *out = &o->out;

    if (to_stack) {
        if (!paulimpi__orbits_push(o, n)) {
            return 0;
        }
        *to = (place_to_write){ stack->key + stack->n * 2 * o->n_words,
                                stack->coefficient + stack->n,
                                stack->hash + stack->n,
                                stack->next_hash + stack->n };
        stack->n += n;
        return 1;
    }
    if (out->n + n > PAULIMPI__ORBIT_DEALT && !hand_on(o)) {
        return 0;
    }
    *to = (place_to_write){ out->key + out->n * 2 * o->n_words,
                            out->coefficient + out->n, out->hash + out->n,
                            out->next_hash + out->n };
    out->n += n;
    return 1;
}

/* List the places that are not 0. */
ALWAYS_INLINE int64_t
list_places(const double *value, size_t n, uint32_t *list)
{
    int64_t n_listed = 0;
    size_t i;

    for (i = 0; i < n; i += QUAD) {
        quad_mask is_there = *(const quad *)&value[i] != 0.0;
        int bits = bits_of_quad(&is_there);
        four_places here = places_of_bits[bits] + (uint32_t)i;

        memcpy(&list[n_listed], &here, sizeof here);
        n_listed += paulimpi__popcount((uint64_t)bits);
    }
    return n_listed;
}

/* Begin the orbit of a term of the tile. */
ALWAYS_INLINE void
begin_orbit_at(paulimpi__orbits *o, const paulimpi__tile *tile, int64_t first,
               const int64_t n_words)
{
    o->orbit.hash = tile->hash[first];
    if (o->plan->n_functions > 0) {
        o->orbit.hash |= (uint64_t)tile->next_hash[first] << 32;
    }
    o->orbit.is_odd =
        paulimpi__orbit_is_odd(tile->key + first * 2 * n_words, n_words);
}

/* Find which generators lead to a term from the canonical one of its orbit, and
 * the hash of that. */
ALWAYS_INLINE uint64_t
find_set(const paulimpi__orbits *o, const paulimpi__syndrome *s, int64_t term,
         const int64_t n_words)
{
    const paulimpi__orbit_stack *stack = &o->stack;
    const uint64_t *row = stack->key + term * 2 * n_words;
    uint64_t hash = stack->hash[term] | (uint64_t)stack->next_hash[term] << 32;
    uint64_t set = 0;
    int i;

    for (i = 0; i < s->rank; i++) {
        const paulimpi__orbit_generator *g = &s->generator[i];
        uint64_t is_set = -(row[g->word] >> g->shift & 1);

        set ^= g->row_set & is_set;
        hash ^= g->row_hash & is_set;
    }
    stack->set[term] = set;
    return hash;
}

/* Whether two terms that have the same hash by find_set() are in one orbit. */
ALWAYS_INLINE int
are_in_orbit(const paulimpi__orbits *o, const paulimpi__syndrome *s, int64_t a,
             int64_t b, const int64_t n_words)
{
    const paulimpi__orbit_stack *stack = &o->stack;
    const uint64_t *key_a = stack->key + a * 2 * n_words;
    const uint64_t *key_b = stack->key + b * 2 * n_words;
    uint64_t set = stack->set[a] ^ stack->set[b];
    uint64_t wrong = 0;
    int64_t w;

    for (w = 0; w < 2 * n_words; w++) {
        uint64_t word = key_a[w] ^ key_b[w];
        uint64_t rest;

        for (rest = set; rest != 0; rest &= rest - 1) {
            word ^= s->generator[__builtin_ctzll(rest)].key[w];
        }
        wrong |= word;
    }
    return wrong == 0;
}

/* Sort terms into orbits: lists of their members, and one of the first of
 * these. Returns where the latter begins, or -1 without memory. */
static int64_t
sort_members(paulimpi__orbits *o, const paulimpi__syndrome *s, int64_t begin,
             int64_t end, const int64_t n_words)
{
    paulimpi__orbit_stack *stack = &o->stack;
    int bits = paulimpi__log2_ceil((uint64_t)(end - begin)) + 1;
    int64_t last = -1;
    int64_t i;

    if (end - begin == 1) {
        stack->set[begin] = 0; /* it may be its own canonical term */
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

        while ((other = o->slot[slot]) >= 0
               && !are_in_orbit(o, s, i, other, n_words)) {
            slot = (slot + 1) & (((uint64_t)1 << bits) - 1);
        }
        if (other >= 0) {
            stack->next[i] = stack->next[other];
            stack->next[other] = i;
            continue;
        }
        o->slot[slot] = (int32_t)i;
        stack->next[i] = -1;
        stack->next_orbit[i] = last;
        last = i;
    }
    return last;
}

#endif /* PAULIMPI_SRC_PROPAGATE_ORBIT_PLACES_H */
