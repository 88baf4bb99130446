/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A rotation, pair by pair, in place.
 *
 * The generator G pairs each string P that anticommutes with it with
 * G ^ P: c_P becomes cos c_P - t c_GP and c_GP becomes cos c_GP + t c_P, where
 * t is sin with the sign of i G P. Of each pair one is the lead: the one whose
 * pivot bit, which G flips, is clear. All partners of a bucket's terms lie in
 * one other bucket (or the same), since the hash is linear: pairs of buckets
 * are worked on independently.
 */
#include "config.h"

#include <string.h>

#include "propagate/in_place.h"

enum {
    BLOCK = PAULIMPI__BLOCK_TERMS,
    AHEAD = 4, /* blocks that are asked for before they are scanned */
    FEW_FOLLOWERS = 1024
};

/* List the leads and followers of a view. */
static void
scan(const paulimpi__rotation *r, paulimpi__view *view)
{
    int64_t begin;

    for (begin = 0; begin < view->n; begin += BLOCK) {
        const paulimpi__block *block = paulimpi__view_block(view, begin);
        int64_t n = view->n - begin < BLOCK ? view->n - begin : BLOCK;
        uint64_t active =
            paulimpi__scan_active(block, r->store->n_words, r->op)
            & (UINT64_MAX >> (BLOCK - n));

        if (begin + AHEAD * BLOCK < view->n) {
            paulimpi__prefetch_active(
                paulimpi__view_block(view, begin + AHEAD * BLOCK),
                r->store->n_words, r->op);
        }
        if (active != 0) {
            paulimpi__view_list(view, begin, active,
                                paulimpi__scan_tap(block, r->op->pivot));
        }
    }
}

/* sin with the sign of i G P for term P of a view. */
static double
signed_sine(const paulimpi__rotation *r, const paulimpi__view *view,
            int64_t term)
{
    return paulimpi__is_negative(r->op, paulimpi__view_block(view, term)->word,
                                 r->store->n_words, paulimpi__view_slot(term))
               ? -r->sin_theta
               : r->sin_theta;
}

/* Enter the followers of a view into the table; returns its size in bits. */
static int
enter_followers(const paulimpi__rotation *r, const paulimpi__view *view)
{
    /* Sparse, so that leads rarely meet a stranger, while it is small. */
    int bits = paulimpi__log2_ceil((uint64_t)view->n_follower + 1)
               + (view->n_follower < FEW_FOLLOWERS ? 2 : 1);
    size_t mask = ((size_t)1 << bits) - 1;
    uint64_t *table = r->worker->table;
    int64_t i;

    memset(table, 0, (mask + 1) * sizeof *table);
    memset(r->worker->matched, 0, (size_t)view->n_follower);
    for (i = 0; i < view->n_follower; i++) {
        int64_t term = view->follower[i];
        uint32_t hash =
            paulimpi__view_block(view, term)->hash[paulimpi__view_slot(term)];
        size_t slot = (size_t)(hash * 0x9e3779b1u) >> (32 - bits);

        while (table[slot] != 0) {
            slot = (slot + 1) & mask;
        }
        table[slot] = (uint64_t)hash << 32 | (uint64_t)(i + 1);
    }
    return bits;
}

/* The number, in the list of followers, of the partner of a lead; or -1. */
static int64_t
find_follower(const paulimpi__rotation *r, const paulimpi__view *leads,
              int64_t lead, const paulimpi__view *followers, int bits)
{
    const paulimpi__block *block = paulimpi__view_block(leads, lead);
    int t = paulimpi__view_slot(lead);
    size_t mask = ((size_t)1 << bits) - 1;
    const uint64_t *table = r->worker->table;
    uint32_t hash = block->hash[t] ^ r->hash;
    size_t slot = (size_t)(hash * 0x9e3779b1u) >> (32 - bits);

    for (; table[slot] != 0; slot = (slot + 1) & mask) {
        if ((uint32_t)(table[slot] >> 32) == hash) {
            int64_t i = (int64_t)(table[slot] & UINT32_MAX) - 1;
            int64_t term = followers->follower[i];

            if (paulimpi__are_partners(
                    r, block->word, t,
                    paulimpi__view_block(followers, term)->word,
                    paulimpi__view_slot(term))) {
                return i;
            }
        }
    }
    return -1;
}

/* Whether the partner of a term passes the limits of weight. */
static int
partner_is_light(const paulimpi__rotation *r, const paulimpi__block *block,
                 int t)
{
    int64_t n_words = r->store->n_words;
    int64_t weight = 0;
    int64_t xy_weight = 0;
    int64_t w;

    if (r->limits == NULL || !r->limits->has_weights) {
        return 1;
    }
    for (w = 0; w < n_words; w++) {
        uint64_t x = block->word[w * BLOCK + t] ^ r->key[w];
        uint64_t z =
            block->word[(n_words + w) * BLOCK + t] ^ r->key[n_words + w];

        weight += paulimpi__popcount(x | z);
        xy_weight += paulimpi__popcount(x);
    }
    return weight <= r->limits->max_weight
           && xy_weight <= r->limits->max_xy_weight;
}

/* Give a term its partner in the other view. */
static void
bear(const paulimpi__rotation *r, const paulimpi__block *block, int t,
     double coefficient, paulimpi__view *to)
{
    int64_t place = paulimpi__view_append(to, r->store, r->worker);
    paulimpi__block *target = paulimpi__view_block(to, place);
    int s = paulimpi__view_slot(place);
    int64_t w;

    for (w = 0; w < 2 * r->store->n_words; w++) {
        target->word[w * BLOCK + s] = block->word[w * BLOCK + t] ^ r->key[w];
    }
    target->hash[s] = block->hash[t] ^ r->hash;
    target->coefficient[s] = coefficient;
}

/* Rotate a term without a partner: it bears one, unless that would be dropped
 * at once, which is the rule; the sign matters only if it is not. */
static void
rotate_alone(const paulimpi__rotation *r, paulimpi__view *from, int64_t term,
             paulimpi__view *to)
{
    const paulimpi__block *block = paulimpi__view_block(from, term);
    int t = paulimpi__view_slot(term);
    double c = block->coefficient[t];
    double born = r->sin_theta * c;

    if (c == 0.0) {
        return; /* dead, and kept */
    }
    r->worker->active++;
    if (paulimpi__passes(r->limits, born) && partner_is_light(r, block, t)) {
        bear(r, block, t, signed_sine(r, from, term) * c, to);
    } else {
        paulimpi__drop_number(&r->worker->dropped, born);
    }
    paulimpi__view_set(from, r->worker, r->limits, term, r->cos_theta * c);
}

static void
rotate_pair(const paulimpi__rotation *r, paulimpi__view *leads, int64_t lead,
            paulimpi__view *followers, int64_t k)
{
    int64_t follower = followers->follower[k];
    double t = signed_sine(r, leads, lead);
    double c_lead = *paulimpi__view_coefficient(leads, lead);
    double c_follower = *paulimpi__view_coefficient(followers, follower);

    r->worker->matched[k] = 1;
    r->worker->active += (c_lead != 0.0) + (c_follower != 0.0);
    paulimpi__view_set(leads, r->worker, r->limits, lead,
                       r->cos_theta * c_lead - t * c_follower);
    paulimpi__view_set(followers, r->worker, r->limits, follower,
                       r->cos_theta * c_follower + t * c_lead);
}

/* Look at the place of each lead's partner in the table: leads that find a
 * follower with the right hash there, those that find the place empty, and
 * the others. Which it will be cannot be foretold, so there are no branches. */
static void
probe(const paulimpi__rotation *r, const paulimpi__view *leads, int bits)
{
    paulimpi__worker *worker = r->worker;
    int64_t n_met = 0;
    int64_t n_alone = 0;
    int64_t n_unsure = 0;
    int64_t i;

    for (i = 0; i < leads->n_lead; i++) {
        uint32_t lead = leads->lead[i];
        uint32_t hash =
            paulimpi__view_block(leads, lead)->hash[paulimpi__view_slot(lead)]
            ^ r->hash;
        uint64_t entry =
            worker->table[(size_t)(hash * 0x9e3779b1u) >> (32 - bits)];
        int is_empty = entry == 0;
        int has_hash = !is_empty & ((uint32_t)(entry >> 32) == hash);

        worker->met[n_met] = (uint64_t)lead << 32 | (uint32_t)(entry - 1);
        worker->alone[n_alone] = lead;
        worker->unsure[n_unsure] = lead;
        n_met += has_hash;
        n_alone += is_empty;
        n_unsure += !is_empty & !has_hash;
    }
    worker->n_met = n_met;
    worker->n_alone = n_alone;
    worker->n_unsure = n_unsure;
}

/* A lead that needs the whole search. */
static void
settle(const paulimpi__rotation *r, paulimpi__view *leads, uint32_t lead,
       paulimpi__view *followers, int bits)
{
    int64_t k = find_follower(r, leads, lead, followers, bits);

    if (k >= 0) {
        rotate_pair(r, leads, lead, followers, k);
    } else {
        r->worker->alone[r->worker->n_alone++] = lead;
    }
}

static void
rotate_met(const paulimpi__rotation *r, paulimpi__view *leads,
           paulimpi__view *followers, int bits)
{
    paulimpi__worker *worker = r->worker;
    int64_t i;

    for (i = 0; i < worker->n_met; i++) {
        uint32_t lead = (uint32_t)(worker->met[i] >> 32);
        uint32_t k = (uint32_t)worker->met[i];
        uint32_t follower = followers->follower[k];

        if (paulimpi__are_partners(
                r, paulimpi__view_block(leads, lead)->word,
                paulimpi__view_slot(lead),
                paulimpi__view_block(followers, follower)->word,
                paulimpi__view_slot(follower))) {
            rotate_pair(r, leads, lead, followers, k);
        } else {
            settle(r, leads, lead, followers, bits);
        }
    }
    for (i = 0; i < worker->n_unsure; i++) {
        settle(r, leads, worker->unsure[i], followers, bits);
    }
}

/* Rotate the pairs whose lead is in one view and follower in the other. */
static void
join(const paulimpi__rotation *r, paulimpi__view *leads,
     paulimpi__view *followers)
{
    paulimpi__worker *worker = r->worker;
    int bits = enter_followers(r, followers);
    int64_t n_alone = 0;
    int64_t i;

    probe(r, leads, bits);
    rotate_met(r, leads, followers, bits);
    for (i = 0; i < worker->n_alone; i++) {
        rotate_alone(r, leads, worker->alone[i], followers);
    }
    for (i = 0; i < followers->n_follower; i++) {
        worker->alone[n_alone] = followers->follower[i];
        n_alone += !worker->matched[i];
    }
    for (i = 0; i < n_alone; i++) {
        rotate_alone(r, followers, worker->alone[i], leads);
    }
}

static int64_t
n_active(const paulimpi__view *view)
{
    return view->n_lead + view->n_follower;
}

/* Rotate all pairs with a member in bucket b, if it is the lower of two. */
PAULIMPI__CLONES static void
rotate_bucket(const void *shared, paulimpi__worker *worker, int64_t b)
{
    paulimpi__rotation r = *(const paulimpi__rotation *)shared;
    paulimpi__view *low = &worker->view[0];
    paulimpi__view *high = r.distance == 0 ? low : &worker->view[1];

    if (b > (b ^ r.distance)) {
        return;
    }
    r.worker = worker;
    paulimpi__view_open(low, r.store, b);
    scan(&r, low);
    if (high != low) {
        paulimpi__view_open(high, r.store, b ^ r.distance);
        scan(&r, high);
    }
    if (n_active(low) + n_active(high) == 0) {
        return;
    }
    if (high != low) {
        join(&r, high, low);
    }
    join(&r, low, high);
    paulimpi__view_close(low, r.store, worker);
    if (high != low) {
        paulimpi__view_close(high, r.store, worker);
    }
}

void
paulimpi__write_key(const paulimpi__run *run, const paulimpi__ready_op *op,
                    uint64_t *key)
{
    int64_t n_words = run->store->n_words;
    int64_t k;

    memset(key, 0, (size_t)n_words * 2 * sizeof *key);
    for (k = 0; k < op->n_parts; k++) {
        key[op->parts[k].word] = op->parts[k].x;
        key[n_words + op->parts[k].word] = op->parts[k].z;
    }
}

paulimpi__rotation
paulimpi__rotation_of(const paulimpi__run *run, const paulimpi__ready_op *op,
                      const paulimpi__limits *limits, uint64_t *key)
{
    paulimpi__rotation r = { .store = run->store,
                             .op = op,
                             .limits = limits,
                             .key = key,
                             .hash = paulimpi__generator_hash(run->store, op),
                             .cos_theta = op->op->value[0],
                             .sin_theta = paulimpi__sine(run, op->op) };

    paulimpi__write_key(run, op, key);
    r.distance = r.hash & (paulimpi__store_buckets(run->store) - 1);
    return r;
}

void
paulimpi__pass_rotation(paulimpi__run *run, const paulimpi__ready_op *op,
                        const paulimpi__limits *limits)
{
    paulimpi__workspace *space = run->workspace;
    paulimpi__rotation r = paulimpi__rotation_of(run, op, limits, space->key);

    paulimpi__for_buckets(run, rotate_bucket, &r);
}
