/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Orbits: the functions that give the syndrome of a term, and its coordinates
 * in the generators of a group that do not depend on each other; and the
 * products of these.
 */
#include "propagate/orbit.h"

#include <string.h>

/* Generators under elimination: what is left of each, and which generators it
 * is the product of. */
typedef struct {
    int64_t n_key;
    int64_t n_mask;
    uint64_t *key;
    uint64_t *product;
    int64_t *pivot; /* a column, in which the others are 0 */
} elimination;

static int
has_bit(const uint64_t *word, int64_t bit)
{
    return word[bit / 64] >> bit % 64 & 1;
}

static void
set_bit(uint64_t *word, int64_t bit)
{
    word[bit / 64] |= (uint64_t)1 << bit % 64;
}

static void
add_row(const elimination *e, int64_t target, int64_t source)
{
    int64_t w;

    for (w = 0; w < e->n_key; w++) {
        e->key[target * e->n_key + w] ^= e->key[source * e->n_key + w];
    }
    for (w = 0; w < e->n_mask; w++) {
        e->product[target * e->n_mask + w] ^=
            e->product[source * e->n_mask + w];
    }
}

/* Bring row i, which is new, into the rows before it. Whether it does not
 * depend on them. */
static int
reduce_row(const elimination *e, int64_t i)
{
    const uint64_t *row = e->key + i * e->n_key;
    int64_t w = 0;
    int64_t k;

    for (k = 0; k < i; k++) {
        if (has_bit(row, e->pivot[k])) {
            add_row(e, i, k);
        }
    }
    while (w < e->n_key && row[w] == 0) {
        w++;
    }
    if (w == e->n_key) {
        return 0;
    }
    e->pivot[i] = 64 * w + __builtin_ctzll(row[w]);
    for (k = 0; k < i; k++) {
        if (has_bit(e->key + k * e->n_key, e->pivot[i])) {
            add_row(e, k, i);
        }
    }
    return 1;
}

/* With the rows reduced, a product of generators has row k in it if it has a
 * letter in the pivot's column; and with row k those that this is made of. */
static int
write_functions(const elimination *e, int64_t n, paulimpi__tile_sums *function)
{
    int64_t n_planes = 0;
    int64_t i, k;

    for (k = 0; k < n * e->n_mask; k++) {
        n_planes += paulimpi__popcount(e->product[k]);
    }
    paulimpi__free(function->plane);
    function->plane =
        paulimpi__alloc((size_t)n_planes, sizeof *function->plane);
    if (function->plane == NULL) {
        return PAULIMPI_ERR_MEMORY;
    }
    n_planes = 0;
    for (i = 0; i < n; i++) {
        function->begin[i] = n_planes;
        for (k = 0; k < n; k++) {
            if (has_bit(e->product + k * e->n_mask, i)) {
                function->plane[n_planes++] =
                    (uint32_t)(e->pivot[k] * PAULIMPI__TILE_LANES);
            }
        }
    }
    function->begin[n] = n_planes;
    return PAULIMPI_SUCCESS;
}

/* Whether the generators do not depend on each other. */
static int
reduce(const paulimpi__orbits *o, const elimination *e)
{
    int64_t n = o->n_gates;
    int64_t i;

    memset(e->product, 0, (size_t)(n * e->n_mask) * sizeof *e->product);
    for (i = 0; i < n; i++) {
        memcpy(e->key + i * e->n_key, o->gate[i].key,
               (size_t)e->n_key * sizeof *e->key);
        set_bit(e->product + i * e->n_mask, i);
        if (!reduce_row(e, i)) {
            return 0;
        }
    }
    return 1;
}

/* Write a string of one letter that anticommutes with a generator. */
static void
write_active(const uint64_t *generator, int64_t n_words, uint64_t *row)
{
    int64_t n_key = 2 * n_words;
    int64_t w = 0;

    memset(row, 0, (size_t)n_key * sizeof *row);
    while (generator[w] == 0) {
        w++;
    }
    row[(w + n_words) % n_key] = generator[w] & -generator[w];
}

/* What the moves of the generators do to signs. */
static void
make_steps(const paulimpi__orbits *o)
{
    int64_t n_words = o->n_words;
    int64_t k, i;

    memset(o->polar, 0, (size_t)(o->n_gates * o->n_mask) * sizeof *o->polar);
    for (k = 0; k < o->n_gates; k++) {
        const paulimpi__tile_gate *gate = &o->gate[k];
        paulimpi__orbit_generator *step = &o->step[k];

        o->gate_hash[k] = gate->hash | (uint64_t)gate->next_hash << 32;
        step->key = gate->key;
        step->is_even = !paulimpi__orbit_y(gate->key, n_words);
        step->is_negative = 0;
        write_active(gate->key, n_words, o->key);
        step->is_negative =
            paulimpi__orbit_move_of(o->key, gate->key, n_words)
            ^ paulimpi__orbit_move(o->key, paulimpi__orbit_y(o->key, n_words),
                                   step, n_words);
        for (i = 0; i < k; i++) {
            if (paulimpi__orbit_are_polar(&o->step[i], step, n_words)) {
                set_bit(o->polar + i * o->n_mask, k);
                set_bit(o->polar + k * o->n_mask, i);
            }
        }
    }
}

/* A term is moved by a gate if it has a letter x where the gate has z, an odd
 * number of times. */
static int
make_active(paulimpi__orbits *o)
{
    paulimpi__tile_sums *active = &o->active;
    int64_t n_key = 2 * o->n_words;
    int64_t n_planes = 0;
    int64_t k, w;

    for (k = 0; k < o->n_gates; k++) {
        for (w = 0; w < n_key; w++) {
            n_planes += paulimpi__popcount(o->gate[k].key[w]);
        }
    }
    paulimpi__free(active->plane);
    active->plane = paulimpi__alloc((size_t)n_planes, sizeof *active->plane);
    if (active->plane == NULL) {
        return PAULIMPI_ERR_MEMORY;
    }
    n_planes = 0;
    for (k = 0; k < o->n_gates; k++) {
        active->begin[k] = n_planes;
        for (w = 0; w < n_key; w++) {
            int64_t word = (w + o->n_words) % n_key;
            uint64_t rest = o->gate[k].key[w];

            for (; rest != 0; rest &= rest - 1) {
                active->plane[n_planes++] =
                    (uint32_t)((64 * word + __builtin_ctzll(rest))
                               * PAULIMPI__TILE_LANES);
            }
        }
    }
    active->begin[o->n_gates] = n_planes;
    return PAULIMPI_SUCCESS;
}

/* What all sets of generators are the product of. */
static void
write_products(const paulimpi__orbits *o)
{
    int64_t n_key = 2 * o->n_words;
    int64_t stride = paulimpi__orbit_stride(o->n_words);
    int64_t k, i, w;

    memset(o->product, 0, (size_t)stride * sizeof *o->product);
    for (k = 0; k < o->n_gates; k++) {
        int64_t n = (int64_t)1 << k;

        for (i = 0; i < n; i++) {
            const uint64_t *from = o->product + i * stride;
            uint64_t *to = o->product + (n + i) * stride;

            for (w = 0; w < n_key; w++) {
                to[w] = from[w] ^ o->gate[k].key[w];
            }
            to[n_key] = from[n_key] ^ o->gate_hash[k];
            to[n_key + 1] =
                from[n_key + 1]
                ^ (uint64_t)paulimpi__parity((uint64_t)i & o->polar[k]);
        }
    }
}

/* Make the table of products, if there are few generators. */
static void
make_products(paulimpi__orbits *o)
{
    o->has_products = o->has_dual && o->n_gates <= PAULIMPI__ORBIT_FEW
                      && o->n_words <= PAULIMPI__ORBIT_WORDS;
    if (o->has_products) {
        write_products(o);
    }
}

static int
make_dual(paulimpi__orbits *o)
{
    elimination e = { .n_key = 2 * o->n_words, .n_mask = o->n_mask };
    size_t n = (size_t)o->n_gates;
    int rc = PAULIMPI_ERR_MEMORY;

    e.key = paulimpi__alloc(n, (size_t)e.n_key * sizeof *e.key);
    e.product = paulimpi__alloc(n, (size_t)e.n_mask * sizeof *e.product);
    e.pivot = paulimpi__alloc(n, sizeof *e.pivot);
    if (e.key != NULL && e.product != NULL && e.pivot != NULL) {
        o->has_dual = reduce(o, &e);
        rc = o->has_dual ? write_functions(&e, o->n_gates, &o->function)
                         : PAULIMPI_SUCCESS;
    }
    if (o->has_dual && rc == PAULIMPI_SUCCESS) {
        make_steps(o);
    }
    paulimpi__free(e.pivot);
    paulimpi__free(e.product);
    paulimpi__free(e.key);
    return rc;
}

int
paulimpi__orbits_make_functions(paulimpi__orbits *o)
{
    int rc = make_active(o);

    if (rc == PAULIMPI_SUCCESS) {
        rc = make_dual(o);
    }
    if (rc == PAULIMPI_SUCCESS) {
        make_products(o);
    }
    return rc;
}
