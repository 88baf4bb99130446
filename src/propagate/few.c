/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plain path for sums of few terms: one bucket, one thread, no lists.
 *
 * With few terms a gate is over before the passes of the in-place engine have
 * made themselves ready. Here two things are made once, and follow the terms
 * from gate to gate: planes, which are the keys turned by 90 degrees, so that
 * one word tells which of 64 terms a gate moves; and a table from hashes to
 * terms. The terms stay in the blocks of the store, which every other pass can
 * go on with.
 *
 * Units of one rotation, and units of turns and scales, are done here; what is
 * met besides ends the path.
 */
#include "config.h"

#include <string.h>

#include "propagate/few.h"
#include "propagate/few_terms.h"

enum {
    MOST_TERMS_AT_FIRST = MOST_TERMS / 2,
    LEAST_UNITS = 16, /* below, the planes cost more than they bring */
    BITS_A_UNIT = 16, /* of a key, that a unit more must follow for */
    MOST_OPS = 4096,  /* at once, so that a callback is heard */
    PAUSE = 64        /* operations before the next try after one in vain */
};

/* Rotations. */

/* Add the planes of the bits set in a word of the generator. */
static inline void
add_planes(const uint64_t *plane, int64_t column, uint64_t bits,
           uint64_t odd[SHARE])
{
    int lane;

    for (; bits != 0; bits &= bits - 1) {
        const uint64_t *add =
            plane + (column * 64 + __builtin_ctzll(bits)) * SHARE;

        for (lane = 0; lane < SHARE; lane++) {
            odd[lane] ^= add[lane];
        }
    }
}

/* Find the active terms and count them. */
static inline int64_t
scan(few *f, const paulimpi__ready_op *op)
{
    int64_t n_words = f->n_bits / 128;
    int64_t n_active = 0;
    int64_t g, k;

    for (g = 0; g * SHARE < blocks_in_use(f); g++) {
        uint64_t odd[SHARE] = { 0 };

        for (k = 0; k < op->n_parts; k++) {
            const paulimpi__part *part = &op->parts[k];

            add_planes(f->plane[g], part->word, part->z, odd);
            add_planes(f->plane[g], n_words + part->word, part->x, odd);
        }
        for (k = 0; k < SHARE; k++) {
            f->active[g * SHARE + k] = odd[k];
            n_active += paulimpi__popcount(odd[k]);
        }
    }
    return n_active;
}

/* The partner of a term, or -1. */
static inline int64_t
find_partner(few *f, const paulimpi__rotation *r, int64_t term)
{
    const paulimpi__block *block = block_of(f, term);
    int t = slot_of(term);
    uint32_t hash = f->hash[term] ^ r->hash;
    int64_t i;

    for (i = *head_of(f, hash); i != 0; i = f->next[i - 1]) {
        const paulimpi__block *other = block_of(f, i - 1);
        int s = slot_of(i - 1);

        if (f->hash[i - 1] == hash
            && paulimpi__are_partners(r, block->word, t, other->word, s)) {
            return i - 1;
        }
    }
    return -1;
}

static inline double
signed_sine(const few *f, const paulimpi__rotation *r, int64_t term)
{
    return paulimpi__is_negative(r->op, block_of(f, term)->word,
                                 f->n_bits / 128, slot_of(term))
               ? -r->sin_theta
               : r->sin_theta;
}

/* Give a term its partner, unless that is too heavy. */
static inline int
bear(few *f, const paulimpi__rotation *r, int64_t term)
{
    int64_t place = next_place(f);
    const paulimpi__block *block = block_of(f, term);
    paulimpi__block *target = block_of(f, place);
    int t = slot_of(term);
    int s = slot_of(place);
    int64_t w;

    for (w = 0; w < f->n_bits / 64; w++) {
        target->word[w * BLOCK + s] = block->word[w * BLOCK + t] ^ r->key[w];
    }
    if (f->limits.has_weights
        && !paulimpi__weights_pass(target, s, f->n_bits / 128,
                                   f->limits.max_weight,
                                   f->limits.max_xy_weight)) {
        return 0;
    }
    f->hash[place] = f->hash[term] ^ r->hash;
    target->coefficient[s] = signed_sine(f, r, term) * block->coefficient[t];
    enter(f, place);
    f->n++;
    return 1;
}

static inline void
rotate_alone(few *f, const paulimpi__rotation *r, int64_t term)
{
    double c = *coefficient_of(f, term);
    double born = r->sin_theta * c;

    if (!paulimpi__passes(&f->limits, born) || !bear(f, r, term)) {
        paulimpi__drop_number(&f->worker->dropped, born);
    }
    set(f, term, r->cos_theta * c);
}

static inline void
rotate_lead(few *f, const paulimpi__rotation *r, int64_t lead)
{
    int64_t follower = find_partner(f, r, lead);
    double t, c_lead, c_follower;

    if (follower < 0) {
        rotate_alone(f, r, lead);
        return;
    }
    f->active[(uint64_t)follower / BLOCK] &=
        ~((uint64_t)1 << slot_of(follower));
    t = signed_sine(f, r, lead);
    c_lead = *coefficient_of(f, lead);
    c_follower = *coefficient_of(f, follower);
    set(f, lead, r->cos_theta * c_lead - t * c_follower);
    set(f, follower, r->cos_theta * c_follower + t * c_lead);
}

/* Leads first: then the followers that are still active have no partner. */
static inline void
rotate_active(few *f, const paulimpi__rotation *r)
{
    int64_t n_blocks = blocks_in_use(f);
    int64_t pivot = r->op->pivot.column * 64 + r->op->pivot.shift;
    uint64_t rest;
    int64_t k;

    for (k = 0; k < n_blocks; k++) {
        for (rest = f->active[k] & ~*plane_of(f, k, pivot); rest != 0;
             rest &= rest - 1) {
            rotate_lead(f, r, k * BLOCK + __builtin_ctzll(rest));
        }
    }
    for (k = 0; k < n_blocks; k++) {
        for (rest = f->active[k] & *plane_of(f, k, pivot); rest != 0;
             rest &= rest - 1) {
            rotate_alone(f, r, k * BLOCK + __builtin_ctzll(rest));
        }
    }
}

/* Keep the largest terms. */

static void
swap(uint64_t *a, uint64_t *b)
{
    uint64_t c = *a;

    *a = *b;
    *b = c;
}

/* The number that would have index `rank` if the numbers were in order. */
static uint64_t
select_number(uint64_t *number, int64_t n, int64_t rank)
{
    int64_t first = 0;
    int64_t last = n - 1;

    while (first < last) {
        uint64_t middle = number[first + (last - first) / 2];
        int64_t i = first;
        int64_t j = last;

        while (i <= j) {
            while (number[i] < middle) {
                i++;
            }
            while (number[j] > middle) {
                j--;
            }
            if (i <= j) {
                swap(&number[i++], &number[j--]);
            }
        }
        if (rank <= j) {
            last = j;
        } else if (rank >= i) {
            first = i;
        } else {
            return number[rank];
        }
    }
    return number[rank];
}

static inline uint64_t
magnitude_of(const few *f, int64_t term)
{
    uint64_t bits;

    memcpy(&bits, coefficient_of(f, term), sizeof bits);
    return bits & ~((uint64_t)1 << 63);
}

static void
keep_largest(few *f, int64_t max_terms)
{
    uint64_t most_dropped;
    int64_t i;

    for (i = 0; i < f->n; i++) {
        f->magnitude[i] = magnitude_of(f, i);
    }
    most_dropped = select_number(f->magnitude, f->n, f->n - 1 - max_terms);
    for (i = 0; i < f->n; i++) {
        if (magnitude_of(f, i) <= most_dropped) {
            drop(f, i, *coefficient_of(f, i));
        }
    }
    bury(f);
}

/* A unit of one rotation. Whether there is room for it. */
static inline int
rotate(few *f, const paulimpi__ready_op *op)
{
    paulimpi__run *run = f->run;
    paulimpi__workspace *space = run->workspace;
    int64_t n_before = f->n;
    int64_t n_active = scan(f, op);

    if (f->n + n_active > f->room && !reserve(f, n_active)) {
        return 0;
    }
    if (n_active > 0) {
        paulimpi__rotation r =
            paulimpi__rotation_of(run, op, &f->limits, space->key);

        rotate_active(f, &r);
        bury(f);
        if (f->n > run->truncation->max_terms) {
            keep_largest(f, run->truncation->max_terms);
        }
    }
    run->term_gates += n_before;
    run->active_gates += n_active;
    paulimpi__note_terms(run, run->n_done, f->n);
    run->gates++;
    return 1;
}

/* Turns and scales. */

static inline void
turn_term(few *f, const paulimpi__ready_op *op, int quarters,
          paulimpi__block *block, int t)
{
    int64_t n_words = f->n_bits / 128;
    int64_t k;

    if (quarters == 2
        || paulimpi__is_negative(op, block->word, n_words, t)
               == (quarters == 1)) {
        block->coefficient[t] = -block->coefficient[t];
    }
    for (k = 0; k < op->n_parts && quarters != 2; k++) {
        const paulimpi__part *g = &op->parts[k];

        block->word[g->word * BLOCK + t] ^= g->x;
        block->word[(n_words + g->word) * BLOCK + t] ^= g->z;
    }
}

/* Multiply the keys of the active terms of a block by the generator. */
static inline void
turn_planes(few *f, const paulimpi__ready_op *op, int64_t k)
{
    int64_t n_words = f->n_bits / 128;
    uint64_t rest;
    int64_t i;

    for (i = 0; i < op->n_parts; i++) {
        const paulimpi__part *g = &op->parts[i];

        for (rest = g->x; rest != 0; rest &= rest - 1) {
            *plane_of(f, k, g->word * 64 + __builtin_ctzll(rest)) ^=
                f->active[k];
        }
        for (rest = g->z; rest != 0; rest &= rest - 1) {
            *plane_of(f, k,
                      (n_words + g->word) * 64 + __builtin_ctzll(rest)) ^=
                f->active[k];
        }
    }
}

static inline void
turn(few *f, const paulimpi__ready_op *op)
{
    int quarters = paulimpi__quarters(f->run, op->op);
    int64_t n_blocks = blocks_in_use(f);
    uint64_t rest;
    int64_t k;

    if (op->op->n_sites == 0) {
        return;
    }
    f->run->active_gates += scan(f, op);
    for (k = 0; k < n_blocks; k++) {
        for (rest = f->active[k]; rest != 0; rest &= rest - 1) {
            turn_term(f, op, quarters, f->block[k], __builtin_ctzll(rest));
        }
        if (quarters != 2) {
            turn_planes(f, op, k);
            f->changed[k] |= f->limits.has_weights ? f->active[k] : 0;
        }
    }
    if (quarters % 2 == 1) {
        paulimpi__follow_turn(f->run->store, op);
    }
}

static inline void
scale(few *f, const paulimpi__ready_op *op)
{
    int64_t bit = op->parts[0].word * 64 + op->pivot.shift;
    int64_t k;
    int i;

    for (k = 0; k < blocks_in_use(f); k++) {
        uint64_t x = *plane_of(f, k, bit);
        uint64_t z = *plane_of(f, k, f->n_bits / 2 + bit);
        uint64_t letters[3] = { x & ~z, x & z, z & ~x };

        for (i = 0; i < 3; i++) {
            double factor = op->op->value[i];
            uint64_t rest = factor == 1.0 ? 0 : letters[i];

            f->changed[k] |= rest;
            for (; rest != 0; rest &= rest - 1) {
                f->block[k]->coefficient[__builtin_ctzll(rest)] *= factor;
            }
        }
    }
}

/* Drop what has been brought over a limit. */
static inline void
truncate_changed(few *f)
{
    int64_t n_blocks = blocks_in_use(f);
    int64_t k;

    for (k = 0; k < n_blocks; k++) {
        uint64_t rest = f->changed[k];

        f->changed[k] = 0;
        for (; rest != 0; rest &= rest - 1) {
            int t = __builtin_ctzll(rest);
            double c = f->block[k]->coefficient[t];

            if (!paulimpi__passes(&f->limits, c)
                || (f->limits.has_weights
                    && !paulimpi__weights_pass(f->block[k], t, f->n_bits / 128,
                                               f->limits.max_weight,
                                               f->limits.max_xy_weight))) {
                drop(f, k * BLOCK + t, c);
            }
        }
    }
    bury(f);
}

static inline void
apply_local(few *f, int64_t first, int64_t end)
{
    paulimpi__run *run = f->run;
    int64_t i;

    for (i = first; i < end; i++) {
        if (paulimpi__begins_gate(run, i)) {
            run->term_gates += f->n;
        }
        if (run->ops[i].op->kind == PAULIMPI__OP_TURN) {
            turn(f, &run->ops[i]);
        } else {
            scale(f, &run->ops[i]);
        }
        run->gates += paulimpi__ends_gate(run, i) != 0;
    }
    truncate_changed(f);
}

/* The path. */

/* One past the last operation of the unit that begins at i, or i if this path
 * cannot take it. */
static inline int64_t
end_of_simple_unit(const paulimpi__run *run, int64_t i)
{
    int64_t end;

    if (run->ops[i].op->kind == PAULIMPI__OP_ROTATION) {
        return paulimpi__ends_unit(run, i) ? i + 1 : i;
    }
    for (end = i;; end++) {
        paulimpi__op_kind kind = run->ops[end].op->kind;

        if (kind != PAULIMPI__OP_TURN && kind != PAULIMPI__OP_SCALE) {
            return i;
        }
        if (paulimpi__ends_unit(run, end)) {
            return end + 1;
        }
    }
}

/* Whether so many units that this path can take follow each other that the
 * planes are worth it. */
static int
is_worth_it(few *f)
{
    const paulimpi__run *run = f->run;
    int64_t rest = LEAST_UNITS + f->n_bits / BITS_A_UNIT;
    int64_t i = run->n_done;

    for (; rest > 0 && i < run->end; rest--) {
        int64_t end = end_of_simple_unit(run, i);

        if (end == i) {
            break;
        }
        i = end;
    }
    f->next_try = i;
    return rest == 0;
}

PAULIMPI__CLONES static void
apply_units(few *f)
{
    paulimpi__run *run = f->run;
    int64_t last = run->n_done + MOST_OPS;

    while (run->n_done < run->end && run->n_done < last && f->n <= f->most) {
        const paulimpi__ready_op *op = &run->ops[run->n_done];
        int64_t end = end_of_simple_unit(run, run->n_done);

        if (end == run->n_done) {
            break;
        }
        if (op->op->kind != PAULIMPI__OP_ROTATION) {
            apply_local(f, run->n_done, end);
            paulimpi__note_terms(run, end - 1, f->n);
        } else if (!rotate(f, op)) {
            break;
        }
        run->n_done = end;
    }
}

static int
open_bucket(few *f)
{
    const paulimpi__bucket *bucket = f->run->store->buckets;
    paulimpi__block *block;
    int64_t i;

    f->limits = paulimpi__limits_of(f->run);
    f->n = bucket->n_terms;
    f->n_blocks = 0;
    for (block = bucket->head; block != NULL; block = block->next) {
        f->block[f->n_blocks++] = block;
    }
    f->n_groups = 0;
    f->n_dead = 0;
    if (!reserve(f, 0)) {
        return 0;
    }
    memset(f->head, 0, sizeof f->head);
    memset(f->changed, 0, sizeof f->changed);
    for (i = 0; i < f->n; i++) {
        f->hash[i] =
            paulimpi__term_hash(f->run->store, block_of(f, i), slot_of(i));
        enter(f, i);
    }
    return 1;
}

static void
close_bucket(few *f)
{
    paulimpi__store *store = f->run->store;
    paulimpi__bucket *bucket = store->buckets;
    int64_t n_left = blocks_in_use(f);
    int64_t k;

    for (k = n_left; k < f->n_blocks; k++) {
        paulimpi__block_give(store, &f->worker->purse, f->block[k]);
    }
    *(n_left == 0 ? &bucket->head : &f->block[n_left - 1]->next) = NULL;
    paulimpi__bucket_forget(store, bucket, n_left);
    paulimpi__purse_empty(store, &f->worker->purse);
    bucket->n_terms = f->n;
    store->n_terms = f->n;
}

/* The state, made when it is first needed; NULL without memory. */
static few *
few_of(paulimpi__run *run)
{
    paulimpi__workspace *space = run->workspace;
    few *f = space->few;

    if (f == NULL) {
        f = paulimpi__alloc(1, sizeof *f);
        space->few = f;
        if (f == NULL) {
            return NULL;
        }
        memset(f->plane, 0, sizeof f->plane);
        f->n_bits = 128 * run->store->n_words;
        f->next_try = 0;
    }
    f->run = run;
    f->worker = &space->worker[0];
    f->most = space->few_most;
    return f;
}

int
paulimpi__few_advance(paulimpi__run *run)
{
    const paulimpi__workspace *space = run->workspace;
    int64_t first = run->n_done;
    few *f;

    if (run->store->n_terms > MOST_TERMS_AT_FIRST
        || run->store->n_terms > space->few_most || run->n_layers > run->gates
        || run->truncation->choice != PAULIMPI_KEEP_LARGEST) {
        return 0;
    }
    f = few_of(run);
    if (f == NULL || first < f->next_try || !is_worth_it(f)) {
        return 0;
    }
    paulimpi__store_rebalance(run->store, 0);
    if (run->store->log2_buckets == 0 && open_bucket(f)) {
        apply_units(f);
        close_bucket(f);
    }
    f->next_try = run->n_done == first ? first + PAUSE : run->n_done;
    return run->n_done > first;
}

void
paulimpi__few_free(paulimpi__workspace *space)
{
    few *f = space->few;
    size_t g;

    if (f != NULL) {
        for (g = 0; g < sizeof f->plane / sizeof f->plane[0]; g++) {
            paulimpi__free(f->plane[g]);
        }
        paulimpi__free(f);
    }
    space->few = NULL;
}
