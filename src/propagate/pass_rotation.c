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

#include <float.h>
#include <math.h>
#include <string.h>

#include "propagate/in_place.h"

enum {
    BLOCK = PAULIMPI__BLOCK_TERMS,
    AHEAD = 4,       /* blocks that are asked for before they are scanned */
    MANY_ACTIVE = 8, /* terms of a block, which are in most of its lines */
    LINE_WORDS = 8,
    FILTER_BITS = 5
};

/* Ask for all columns of a block whose terms will be rotated soon. */
static void
prefetch_all(const paulimpi__block *block, int64_t n_key)
{
    int64_t i;

    for (i = 0; i < BLOCK; i += LINE_WORDS) {
        __builtin_prefetch(&block->coefficient[i], 1);
    }
    for (i = 0; i < n_key * BLOCK; i += LINE_WORDS) {
        __builtin_prefetch(&block->word[i]);
    }
}

/* Find the leads and followers of a view. Returns how many there are. */
static int64_t
scan(const paulimpi__rotation *r, paulimpi__view *view)
{
    int64_t n_active = 0;
    int64_t k;

    for (k = 0; k * BLOCK < view->n; k++) {
        const paulimpi__block *block = view->block[k];
        int64_t n = view->n - k * BLOCK;
        uint64_t active =
            paulimpi__scan_active(block, r->store->n_words, r->op)
            & (UINT64_MAX >> (n < BLOCK ? BLOCK - n : 0));
        uint64_t pivot = paulimpi__scan_tap(block, r->op->pivot);

        if ((k + AHEAD) * BLOCK < view->n) {
            paulimpi__prefetch_active(view->block[k + AHEAD],
                                      r->store->n_words, r->op);
        }
        if (paulimpi__popcount(active) >= MANY_ACTIVE) {
            prefetch_all(block, 2 * r->store->n_words);
        }
        view->lead[k] = active & ~pivot;
        view->follower[k] = active & pivot;
        n_active += paulimpi__popcount(active);
    }
    return n_active;
}

/* Find the fingerprints of active terms; those of the others in their blocks
 * come along. */
static void
find_prints(const paulimpi__rotation *r, paulimpi__view *view,
            int64_t n_blocks)
{
    int64_t k;

    for (k = 0; k < n_blocks; k++) {
        if ((view->lead[k] | view->follower[k]) != 0) {
            paulimpi__block_prints(2 * r->store->n_words, view->block[k],
                                   view->print + k * BLOCK);
        }
    }
}

/* Which fingerprints have been marked, and some others: a bit for each, with
 * 32 bits or more for each that will be marked. */
typedef struct {
    uint64_t *word;
    int shift;
} filter;

static filter
make_filter(const paulimpi__rotation *r, int64_t n)
{
    /* At least a word. */
    int bits = paulimpi__log2_ceil((uint64_t)n + 2) + FILTER_BITS;

    bits = bits < 32 ? bits : 31;
    memset(r->worker->table, 0, (size_t)1 << (bits - 3));
    return (filter){ r->worker->table, 32 - bits };
}

static uint32_t
place_of(uint32_t print, int shift)
{
    return print * 0x9e3779b1u >> shift;
}

static int64_t
count_bits(const uint64_t *bits, int64_t n_blocks)
{
    int64_t n = 0;
    int64_t k;

    for (k = 0; k < n_blocks; k++) {
        n += paulimpi__popcount(bits[k]);
    }
    return n;
}

/* Mark the fingerprints of terms; `flip` makes them those of partners. */
static void
mark(filter f, const uint32_t *print, const uint64_t *terms, int64_t n_blocks,
     uint32_t flip)
{
    int64_t k;

    for (k = 0; k < n_blocks; k++, print += BLOCK) {
        uint64_t rest;

        for (rest = terms[k]; rest != 0; rest &= rest - 1) {
            uint32_t place =
                place_of(print[__builtin_ctzll(rest)] ^ flip, f.shift);

            f.word[place / 64] |= (uint64_t)1 << place % 64;
        }
    }
}

/* Move terms whose fingerprint is marked from one set to another. */
static void
sift(filter f, const uint32_t *print, uint64_t *terms, uint64_t *met,
     int64_t n_blocks, uint32_t flip)
{
    int64_t k;

    for (k = 0; k < n_blocks; k++, print += BLOCK) {
        uint64_t marked = 0;
        uint64_t rest;

        for (rest = terms[k]; rest != 0; rest &= rest - 1) {
            int t = __builtin_ctzll(rest);
            uint32_t place = place_of(print[t] ^ flip, f.shift);

            marked |= (f.word[place / 64] >> place % 64 & 1) << t;
        }
        met[k] = marked;
        terms[k] &= ~marked;
    }
}

/* Leads of one view and followers of another, by bits: in `met` those that may
 * have a partner there, in the others those that have none. */
typedef struct {
    paulimpi__view *leads;
    paulimpi__view *followers;
    int64_t n_lead_blocks;
    int64_t n_follower_blocks;
} pairing;

static void
sift_both(const paulimpi__rotation *r, const pairing *p)
{
    paulimpi__view *leads = p->leads;
    paulimpi__view *followers = p->followers;
    filter f =
        make_filter(r, count_bits(followers->follower, p->n_follower_blocks));

    mark(f, followers->print, followers->follower, p->n_follower_blocks, 0);
    sift(f, leads->print, leads->lead, leads->lead_met, p->n_lead_blocks,
         r->print);
    f = make_filter(r, count_bits(leads->lead_met, p->n_lead_blocks));
    mark(f, leads->print, leads->lead_met, p->n_lead_blocks, r->print);
    sift(f, followers->print, followers->follower, followers->follower_met,
         p->n_follower_blocks, 0);
}

/* Enter the followers that may have a partner into a table; returns its size in
 * bits. */
static int
enter_followers(const paulimpi__rotation *r, const pairing *p)
{
    const paulimpi__view *view = p->followers;
    int64_t n = count_bits(view->follower_met, p->n_follower_blocks);
    int bits = paulimpi__log2_ceil((uint64_t)n + 1) + 1;
    size_t mask = ((size_t)1 << bits) - 1;
    uint64_t *table = r->worker->table;
    int64_t k;

    memset(table, 0, (mask + 1) * sizeof *table);
    for (k = 0; k < p->n_follower_blocks; k++) {
        uint64_t rest;

        for (rest = view->follower_met[k]; rest != 0; rest &= rest - 1) {
            int64_t term = k * BLOCK + __builtin_ctzll(rest);
            uint32_t print = view->print[term];
            size_t slot = place_of(print, 32 - bits);

            while (table[slot] != 0) {
                slot = (slot + 1) & mask;
            }
            table[slot] = (uint64_t)print << 32 | (uint64_t)(term + 1);
        }
    }
    return bits;
}

/* The follower that is the partner of a lead, or -1. */
static int64_t
find_follower(const paulimpi__rotation *r, const pairing *p, int64_t lead,
              int bits)
{
    const paulimpi__block *block = paulimpi__view_block(p->leads, lead);
    size_t mask = ((size_t)1 << bits) - 1;
    const uint64_t *table = r->worker->table;
    uint32_t print = p->leads->print[lead] ^ r->print;
    size_t slot = place_of(print, 32 - bits);

    for (; table[slot] != 0; slot = (slot + 1) & mask) {
        if ((uint32_t)(table[slot] >> 32) == print) {
            int64_t term = (int64_t)(table[slot] & UINT32_MAX) - 1;

            if (paulimpi__are_partners(
                    r, block->word, paulimpi__view_slot(lead),
                    paulimpi__view_block(p->followers, term)->word,
                    paulimpi__view_slot(term))) {
                return term;
            }
        }
    }
    return -1;
}

static void
rotate_pair(const paulimpi__rotation *r, paulimpi__view *leads, int64_t lead,
            paulimpi__view *followers, int64_t follower)
{
    /* sin with the sign of i G P. */
    double t = paulimpi__negate_if(
        paulimpi__is_negative(r->op, paulimpi__view_block(leads, lead)->word,
                              r->store->n_words, paulimpi__view_slot(lead)),
        r->sin_theta);
    double c_lead = *paulimpi__view_coefficient(leads, lead);
    double c_follower = *paulimpi__view_coefficient(followers, follower);

    r->worker->active += (c_lead != 0.0) + (c_follower != 0.0);
    paulimpi__view_set(leads, r->worker, r->limits, lead,
                       r->cos_theta * c_lead - t * c_follower);
    paulimpi__view_set(followers, r->worker, r->limits, follower,
                       r->cos_theta * c_follower + t * c_lead);
}

/* Rotate the pairs; terms that turn out to have no partner join those that are
 * alone. */
static void
rotate_pairs(const paulimpi__rotation *r, const pairing *p)
{
    paulimpi__view *leads = p->leads;
    paulimpi__view *followers = p->followers;
    int bits = enter_followers(r, p);
    int64_t k;

    for (k = 0; k < p->n_lead_blocks; k++) {
        uint64_t rest;

        for (rest = leads->lead_met[k]; rest != 0; rest &= rest - 1) {
            int64_t lead = k * BLOCK + __builtin_ctzll(rest);
            int64_t follower = find_follower(r, p, lead, bits);

            if (follower >= 0) {
                followers->follower_met[follower / BLOCK] &=
                    ~((uint64_t)1 << follower % BLOCK);
                rotate_pair(r, leads, lead, followers, follower);
            } else {
                leads->lead[k] |= rest & -rest;
            }
        }
    }
    for (k = 0; k < p->n_follower_blocks; k++) {
        followers->follower[k] |= followers->follower_met[k];
    }
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

/* Terms of a block that bear a partner, by number. */
typedef struct {
    const paulimpi__block *block;
    int n;
    uint8_t slot[BLOCK];
    double born[BLOCK]; /* coefficients, but for the sign */
} parents;

/* Write the coefficients of the partners of n terms of a block: `born`, with
 * the sign. Most generators have all letters in one word. */
static void
write_coefficients(const paulimpi__rotation *r, const uint64_t *word,
                   const uint8_t *slot, const double *born, int n, double *to)
{
    paulimpi__part g = *r->op->parts;
    const uint64_t *x = word + g.word * BLOCK;
    const uint64_t *z = x + r->store->n_words * BLOCK;
    int first = 1 + r->op->n_y;
    int i;

    for (i = 0; i < n && r->op->n_parts == 1; i++) {
        int e = first + paulimpi__part_exponent(&g, x[slot[i]], z[slot[i]]);

        to[i] = paulimpi__negate_if(e >> 1 & 1, born[i]);
    }
    for (; i < n; i++) {
        to[i] = paulimpi__negate_if(
            paulimpi__is_negative(r->op, word, r->store->n_words, slot[i]),
            born[i]);
    }
}

/* Write the partners of n parents, from the first one on, to the end of a block
 * that has s terms. */
static void
write_partners(const paulimpi__rotation *r, const parents *from, int first,
               int n, paulimpi__block *target, int s)
{
    const uint8_t *slot = from->slot + first;
    const double *born = from->born + first;
    int64_t w;
    int i;

    write_coefficients(r, from->block->word, slot, born, n,
                       target->coefficient + s);
    for (w = 0; w < 2 * r->store->n_words; w++) {
        const uint64_t *word = &from->block->word[w * BLOCK];
        uint64_t *to = &target->word[w * BLOCK + s];
        uint64_t flip = r->key[w];

        for (i = 0; i < n; i++) {
            to[i] = word[slot[i]] ^ flip;
        }
    }
}

/* Put the partners of parents at the end of a view. */
static void
bear(const paulimpi__rotation *r, const parents *from, paulimpi__view *to)
{
    int first = 0;

    while (first < from->n) {
        int64_t place = paulimpi__view_append(to, r->store, r->worker);
        int s = paulimpi__view_slot(place);
        int n = from->n - first < BLOCK - s ? from->n - first : BLOCK - s;

        write_partners(r, from, first, n, paulimpi__view_block(to, place), s);
        to->n += n - 1;
        first += n;
    }
}

/* List terms as parents, unless some die or bear none for its magnitude.
 * Returns whether they are listed. */
static int
list_all(const paulimpi__rotation *r, uint64_t terms, const double *turned,
         const double *born, parents *bearing)
{
    int n = 0;

    for (; terms != 0; terms &= terms - 1) {
        int t = __builtin_ctzll(terms);

        if (!(fabs(turned[t]) >= r->least) || !(fabs(born[t]) >= r->least)) {
            return 0;
        }
        bearing->slot[n] = (uint8_t)t;
        bearing->born[n] = born[t];
        n++;
    }
    bearing->n = n;
    return 1;
}

/* Rotate terms of which some die or bear none. */
static void
rotate_some(const paulimpi__rotation *r, paulimpi__view *from, int64_t k,
            uint64_t terms, const double *turned, const double *born,
            parents *bearing)
{
    paulimpi__block *block = from->block[k];
    int has_weights = r->limits != NULL && r->limits->has_weights;
    int n = 0;

    for (; terms != 0; terms &= terms - 1) {
        int t = __builtin_ctzll(terms);

        if (block->coefficient[t] == 0.0) {
            continue; /* dead, and kept */
        }
        r->worker->active++;
        bearing->slot[n] = (uint8_t)t;
        bearing->born[n] = born[t];
        if (fabs(born[t]) >= r->least
            && (!has_weights || partner_is_light(r, block, t))) {
            n++;
        } else {
            paulimpi__drop_number(&r->worker->dropped, born[t]);
        }
        block->coefficient[t] = turned[t];
        if (!(fabs(turned[t]) >= r->least)) {
            paulimpi__drop_number(&r->worker->dropped, turned[t]);
            block->coefficient[t] = 0.0;
            from->dead[from->n_dead++] = (uint32_t)(k * BLOCK + t);
        }
    }
    bearing->n = n;
}

/* Rotate the terms of block k that have no partner: each bears one, unless that
 * would be dropped at once, which is the rule; the sign matters only if it is
 * not. */
static void
rotate_block(const paulimpi__rotation *r, paulimpi__view *from, int64_t k,
             uint64_t terms, parents *bearing)
{
    paulimpi__block *block = from->block[k];
    double turned[BLOCK], born[BLOCK];
    int has_weights = r->limits != NULL && r->limits->has_weights;
    int i, t;

    for (t = 0; t < BLOCK; t++) {
        turned[t] = r->cos_theta * block->coefficient[t];
        born[t] = r->sin_theta * block->coefficient[t];
    }
    bearing->block = block;
    if (has_weights || !list_all(r, terms, turned, born, bearing)) {
        rotate_some(r, from, k, terms, turned, born, bearing);
        return;
    }
    for (i = 0; i < bearing->n; i++) {
        t = bearing->slot[i];
        block->coefficient[t] = turned[t];
    }
    r->worker->active += bearing->n;
}

static void
rotate_alone(const paulimpi__rotation *r, paulimpi__view *from,
             const uint64_t *terms, int64_t n_blocks, paulimpi__view *to)
{
    parents bearing;
    int64_t k;

    for (k = 0; k < n_blocks; k++) {
        if (terms[k] != 0) {
            rotate_block(r, from, k, terms[k], &bearing);
            bear(r, &bearing, to);
        }
    }
}

/* Rotate the leads of one view and the followers of the other. New terms are
 * put behind the blocks that were there in the beginning, or at the end of the
 * last of them. */
static void
join(const paulimpi__rotation *r, paulimpi__view *leads, int64_t n_lead_blocks,
     paulimpi__view *followers, int64_t n_follower_blocks)
{
    pairing p = { leads, followers, n_lead_blocks, n_follower_blocks };

    sift_both(r, &p);
    rotate_pairs(r, &p);
    rotate_alone(r, leads, leads->lead, n_lead_blocks, followers);
    rotate_alone(r, followers, followers->follower, n_follower_blocks, leads);
}

static int64_t
blocks_of(const paulimpi__view *view)
{
    return (view->n + BLOCK - 1) / BLOCK;
}

/* Rotate all pairs with a member in bucket b, if it is the lower of two. */
PAULIMPI__CLONES static void
rotate_bucket(const void *shared, paulimpi__worker *worker, int64_t b)
{
    paulimpi__rotation r = *(const paulimpi__rotation *)shared;
    paulimpi__view *low = &worker->view[0];
    paulimpi__view *high = r.distance == 0 ? low : &worker->view[1];
    int64_t n_active, n_low, n_high;

    if (b > (b ^ r.distance)) {
        return;
    }
    r.worker = worker;
    paulimpi__view_open(low, r.store, b);
    n_active = scan(&r, low);
    if (high != low) {
        paulimpi__view_open(high, r.store, b ^ r.distance);
        n_active += scan(&r, high);
    }
    if (n_active == 0) {
        return;
    }
    n_low = blocks_of(low);
    n_high = blocks_of(high);
    find_prints(&r, low, n_low);
    if (high != low) {
        find_prints(&r, high, n_high);
        join(&r, high, n_high, low, n_low);
    }
    join(&r, low, n_low, high, n_high);
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
    r.print = paulimpi__key_print(2 * run->store->n_words, key);
    r.least = limits != NULL && limits->min_abs > 0.0 ? limits->min_abs
                                                      : DBL_TRUE_MIN;
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
