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
    QUAD = 4, /* places that are taken at a time */
    DIMS = PAULIMPI__ORBIT_DIMS,
    LOW = PAULIMPI__ORBIT_LOW,
    MOST_WORDS = 8,
    DROPPED_AT_ONCE = 1024
};

/* Functions with vectors are inlined, so that it does not matter how they would
 * be passed. */
#pragma GCC diagnostic ignored "-Wpsabi"

typedef double quad __attribute__((vector_size(32)));
typedef int64_t quad_mask __attribute__((vector_size(32)));

/* Four bits, of those lanes that are set. */
ALWAYS_INLINE int
bits_of_quad(quad_mask m)
{
#if defined(__AVX__)
    return _mm256_movemask_pd((__m256d)m);
#elif defined(__SSE2__)
    union {
        quad_mask all;
        __m128d half[2];
    } u = { m };

    return _mm_movemask_pd(u.half[0]) | _mm_movemask_pd(u.half[1]) << 2;
#else
    return (int)((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8));
#endif
}

ALWAYS_INLINE quad_mask
magnitude_of(quad value)
{
    return (quad_mask)value & INT64_MAX;
}

/* The lanes with another number. */
ALWAYS_INLINE quad
permuted(quad v, const int change)
{
    switch (change) {
    case 1:
        return (quad){ v[1], v[0], v[3], v[2] };
    case 2:
        return (quad){ v[2], v[3], v[0], v[1] };
    case 3:
        return (quad){ v[3], v[2], v[1], v[0] };
    default:
        return v;
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

/* Set what is too small to 0. */
ALWAYS_INLINE quad
keep(rotor *t, quad value)
{
    quad least = { t->least, t->least, t->least, t->least };
    quad_mask stays = (quad)magnitude_of(value) >= least;
    int bits = bits_of_quad(stays);

    t->n_live += paulimpi__popcount((uint64_t)bits);
    if (bits != 15) {
        int lost = bits_of_quad(value != 0.0) & ~bits;
        int i;

        for (i = 0; lost != 0 && i < QUAD; i++) {
            t->dropped[t->n_dropped] = value[i];
            t->n_dropped += lost >> i & 1;
        }
    }
    return (quad)((quad_mask)value & stays);
}

ALWAYS_INLINE quad
sine_at(const rotor *t, size_t place)
{
    return t->sine[paulimpi__parity(place & t->sign)];
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

            *(quad *)&value[i] = keep(
                &t, t.cos_theta * a + sine_at(&t, i) * permuted(b, change));
            *(quad *)&value[k] = keep(
                &t, t.cos_theta * b + sine_at(&t, k) * permuted(a, change));
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

        *(quad *)&value[i] =
            keep(&t, t.cos_theta * a + sine_at(&t, i) * permuted(a, change));
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
        int64_t before = t.n_live;

        *(quad *)&value[i] = keep(&t, t.cos_theta * a);
        n_old += t.n_live - before;
        *(quad *)&value[n + i] = keep(&t, -sine_at(&t, i) * a);
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
    const paulimpi__tile_gate *gate = &o->plan->gate[g->number];
    double s = g->is_negative ? gate->sin_theta : -gate->sin_theta;
    double one = sign & 1 ? -s : s;
    double two = sign & 2 ? -s : s;
    double three = paulimpi__parity(sign & 3) ? -s : s;

    t->sine[0] = (quad){ s, one, two, three };
    t->sine[1] = -t->sine[0];
    t->sign = sign & ~(uint32_t)3;
    t->cos_theta = gate->cos_theta;
    t->least = o->least;
    t->dropped = o->out.dropped;
    t->n_dropped = o->out.n_dropped;
    t->n_live = 0;
}

/* Take what a gate has done into the tallies. */
ALWAYS_INLINE void
end_turn(paulimpi__orbits *o, const paulimpi__orbit_gate *g, const rotor *t)
{
    paulimpi__orbit_state *orbit = &o->orbit;

    o->tile->active += orbit->n_live;
    o->change[g->number] += t->n_live - orbit->n_live;
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
    quad sine = t->sine[0];

    if (n >= QUAD) {
        return rotate_apart(t, o->value, n);
    }
    if (n == 1) {
        sine[1] = -sine[0];
        a = t->cos_theta * a + sine * permuted(a, 1);
    } else {
        sine[2] = -sine[0];
        sine[3] = -sine[1];
        a = t->cos_theta * a + sine * permuted(a, 2);
    }
    *(quad *)o->value = keep(t, a);
    return !is_zero(o->value[n]) + (n == 2 && !is_zero(o->value[3]));
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
    int k;

    for (i = 0; i < n; i += QUAD) {
        int bits = bits_of_quad(*(const quad *)&value[i] != 0.0);

        for (k = 0; k < QUAD; k++) {
            list[n_listed] = (uint32_t)i + (uint32_t)k;
            n_listed += bits >> k & 1;
        }
    }
    return n_listed;
}

/* Find which generators lead to a term from the canonical one of its orbit, and
 * the hash of that. */
ALWAYS_INLINE uint64_t
find_set(const paulimpi__orbits *o, const paulimpi__syndrome *s, int64_t term,
         const int64_t n_words)
{
    paulimpi__orbit_stack *stack = (paulimpi__orbit_stack *)&o->stack;
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

#endif /* PAULIMPI_SRC_PROPAGATE_ORBIT_PLACES_H */
