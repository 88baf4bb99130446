/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A model of rows that stay.
 */
#include "crossing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "propagate/in_place.h"

enum { SAMPLE_TERMS = 16384 };

/* Terms of the rank that has most over the mean, at most; of rows of single
 * bits, which are less even. */
static const double balanced = 1.25;
static const double balanced_bits = 1.6;

int
crossing_init(crossing *c, const paulimpi_propagation_layer *layers,
              int64_t n_layers, int64_t most_borders)
{
    *c = (crossing){ .layers = layers,
                     .n_layers = n_layers,
                     .most_borders = most_borders };
    c->move = calloc((size_t)most_borders, sizeof *c->move);
    c->cross = calloc((size_t)most_borders, sizeof *c->cross);
    return c->move != NULL && c->cross != NULL;
}

void
crossing_free(crossing *c)
{
    free(c->move);
    free(c->cross);
    c->move = NULL;
    c->cross = NULL;
}

/* A string that terms are multiplied by, as it is before the turns. */
typedef struct {
    double active;
    uint64_t *key;
} pull;

/* What is looked at from one border. */
typedef struct {
    crossing *c;
    const paulimpi__run *run;
    int64_t n_words;
    int64_t n_pulls;
    pull *pulls;
    uint64_t *keys;
    uint64_t *turns; /* so far */
    int64_t n_turns;
    paulimpi__span span;
    paulimpi__shares shares;
    int64_t *of_shard;
} look;

static int
anticommute(const uint64_t *a, const uint64_t *b, int64_t n)
{
    uint64_t odd = 0;
    int64_t w;

    for (w = 0; w < n; w++) {
        odd ^= (a[w] & b[n + w]) ^ (a[n + w] & b[w]);
    }
    return paulimpi__parity(odd);
}

static void
turn_back(const look *l, uint64_t *key)
{
    int64_t n = l->n_words;
    int64_t k, w;

    for (k = l->n_turns - 1; k >= 0; k--) {
        const uint64_t *by = l->turns + k * 2 * n;

        if (anticommute(by, key, n)) {
            for (w = 0; w < 2 * n; w++) {
                key[w] ^= by[w];
            }
        }
    }
}

/* Gather the strings of the operations before `end`; those of a gate share its
 * active terms. */
static void
gather(look *l, int64_t end)
{
    const paulimpi__run *run = l->run;
    int64_t gate = run->gates;
    int64_t first = 0;
    int64_t i, k;

    l->n_pulls = 0;
    l->n_turns = 0;
    for (i = run->n_done; i < end; i++) {
        const paulimpi__op *op = run->ops[i].op;
        uint64_t *key = l->keys + l->n_pulls * 2 * l->n_words;

        if (op->kind == PAULIMPI__OP_ROTATION) {
            paulimpi__write_key(run, &run->ops[i], key);
            turn_back(l, key);
            l->pulls[l->n_pulls++].key = key;
        } else if (op->kind == PAULIMPI__OP_TURN && op->quarters % 2 == 1) {
            paulimpi__write_key(run, &run->ops[i],
                                l->turns + 2 * l->n_words * l->n_turns++);
        }
        if (paulimpi__ends_gate(run, i)) {
            for (k = first; k < l->n_pulls && gate < l->c->n_layers; k++) {
                l->pulls[k].active = (double)l->c->layers[gate].active
                                     / (double)(l->n_pulls - first);
            }
            first = l->n_pulls;
            gate++;
        }
    }
}

static int
by_active(const void *a, const void *b)
{
    double x = ((const pull *)a)->active;
    double y = ((const pull *)b)->active;

    return (x < y) - (x > y);
}

/* Draw rows that are 0 on the first strings, as far as there are enough. */
static void
draw(look *l, int64_t n_kept, uint64_t number)
{
    int64_t most = 2 * l->run->store->n_qubits - l->shares.log2_shards;
    int64_t i;
    int bit;

    paulimpi__span_clear(&l->span);
    for (i = 0; i < n_kept; i++) {
        if (l->span.n_rows < most) {
            paulimpi__span_add(&l->span, l->pulls[i].key);
        }
    }
    for (bit = 0; bit < l->shares.log2_shards; bit++) {
        paulimpi__span_draw(&l->span, number + (uint64_t)bit,
                            l->shares.function + bit * 2 * l->n_words);
    }
}

static double
imbalance(look *l)
{
    const paulimpi__store *store = l->run->store;
    paulimpi__sample sample = { NULL, 0, 0, 0 };

    paulimpi__sample_take(
        &sample, store,
        paulimpi__sample_step(store->n_terms, l->shares.n_ranks));
    paulimpi__sample_shards(&sample, &l->shares, l->of_shard);
    paulimpi__sample_free(&sample);
    paulimpi__shares_balance(&l->shares, l->of_shard);
    return paulimpi__shares_imbalance(&l->shares, l->of_shard);
}

/* The part of the terms that a string takes to another rank. */
static double
crossing_part(const look *l, const uint64_t *key)
{
    const paulimpi__shares *shares = &l->shares;
    uint32_t n_shards = (uint32_t)1 << shares->log2_shards;
    int64_t n = 2 * l->n_words;
    uint32_t d = 0;
    double crosses = 0;
    double all = 0;
    uint32_t s;
    int bit;

    for (bit = 0; bit < shares->log2_shards; bit++) {
        uint64_t odd = 0;
        int64_t w;

        for (w = 0; w < n; w++) {
            odd ^= shares->function[bit * n + w] & key[w];
        }
        d |= (uint32_t)paulimpi__parity(odd) << bit;
    }
    for (s = 0; s < n_shards && d != 0; s++) {
        double terms = (double)l->of_shard[s];

        all += terms;
        crosses += shares->rank_of[s] != shares->rank_of[s ^ d] ? terms : 0;
    }
    return all > 0 ? crosses / all : 0;
}

static crossing_cost
cost_of(const look *l)
{
    crossing_cost cost = { 0, 0, 0 };
    int64_t i;

    for (i = 0; i < l->n_pulls; i++) {
        double part = crossing_part(l, l->pulls[i].key);

        cost.terms += part * l->pulls[i].active;
        cost.messages += part > 0;
    }
    cost.crossed = cost.terms;
    return cost;
}

/* How often the bit of a key is set in a sample, as a number that is the
 * smaller the nearer to a half that is. */
static int64_t
unevenness(const paulimpi__store *store, int64_t word, int shift)
{
    int64_t n_buckets = paulimpi__store_buckets(store);
    int64_t all = 0;
    int64_t set = 0;
    int64_t b;

    for (b = 0; b < n_buckets && all < SAMPLE_TERMS; b++) {
        const paulimpi__block *block = store->buckets[b].head;
        int64_t n = store->buckets[b].n_terms;
        int64_t t;

        n = n < PAULIMPI__BLOCK_TERMS ? n : PAULIMPI__BLOCK_TERMS;
        for (t = 0; t < n; t++) {
            set += block->word[word * PAULIMPI__BLOCK_TERMS + t] >> shift & 1;
        }
        all += n;
    }
    return 2 * set > all ? 2 * set - all : all - 2 * set;
}

/* Make rows of the single bits that halve the terms best. */
static void
draw_bits(look *l)
{
    const paulimpi__store *store = l->run->store;
    int64_t n = 2 * l->n_words;
    int64_t n_bits = 2 * store->n_qubits;
    int64_t *least = calloc((size_t)n_bits, sizeof *least);
    int64_t i;
    int bit;

    for (i = 0; i < n_bits && least != NULL; i++) {
        int64_t q = i / 2;

        least[i] =
            unevenness(store, i % 2 * l->n_words + q / 64, (int)(q % 64));
    }
    for (bit = l->shares.log2_shards - 1; bit >= 0 && least != NULL; bit--) {
        uint64_t *row = l->shares.function + bit * n;
        int64_t best = 0;

        for (i = 1; i < n_bits; i++) {
            best = least[i] < least[best] ? i : best;
        }
        memset(row, 0, (size_t)n * sizeof *row);
        row[best % 2 * l->n_words + best / 2 / 64] = (uint64_t)1
                                                     << best / 2 % 64;
        least[best] = INT64_MAX;
    }
    free(least);
}

/* The cheapest rows for the operations before `end` that balance the ranks. */
static crossing_cost
find_rows(look *l, int64_t end)
{
    crossing_cost best = { HUGE_VAL, 0, HUGE_VAL };
    int i;

    gather(l, end);
    qsort(l->pulls, (size_t)l->n_pulls, sizeof *l->pulls, by_active);
    for (i = 20; i >= 0; i--) {
        crossing_cost cost;

        draw(l, l->n_pulls * i / 20, (uint64_t)(i + 1) << 32);
        if (imbalance(l) > balanced && i > 0) {
            continue;
        }
        cost = cost_of(l);
        if (cost.terms < best.terms) {
            best = cost;
        }
    }
    draw_bits(l);
    if (imbalance(l) <= balanced_bits) {
        crossing_cost cost = cost_of(l);

        best = cost.terms < best.terms ? cost : best;
    }
    return best;
}

static int
look_on(look *l, crossing_cost *cross, int64_t moved, double partners)
{
    const paulimpi__run *run = l->run;
    int64_t end = run->n_done;
    paulimpi__stretch stretch;
    int n = 0;
    int k = 0;
    int rc = paulimpi__stretch_init(&stretch, run);

    while (rc == PAULIMPI_SUCCESS && k < CROSSING_SPANS) {
        if (end < run->n_ops) {
            paulimpi__stretch_gather(&stretch, run, end,
                                     l->shares.log2_shards);
            end = stretch.end;
        }
        if (++n == 2 << k) {
            cross[k] = find_rows(l, end);
            cross[k].terms += (double)moved;
            cross[k].messages += partners;
            k++;
        }
    }
    paulimpi__stretch_free(&stretch);
    return rc;
}

int
crossing_look(crossing *c, const paulimpi__run *run,
              const paulimpi__shares *like, int64_t moved, double partners)
{
    int64_t n_words = run->store->n_words;
    size_t n = (size_t)(run->n_ops - run->n_done) + 1;
    look l = { .c = c, .run = run, .n_words = n_words };
    int64_t b = c->n_borders;
    int rc = paulimpi__span_init(&l.span, run->store->n_qubits,
                                 2 * run->store->n_qubits);

    if (b == c->most_borders) {
        paulimpi__span_free(&l.span);
        return PAULIMPI_SUCCESS;
    }
    c->n_borders++;
    c->move[b] = (crossing_cost){ (double)moved, 0, partners };
    l.pulls = calloc(n, sizeof *l.pulls);
    l.keys = calloc(n, (size_t)n_words * 16);
    l.turns = calloc(n, (size_t)n_words * 16);
    l.of_shard = calloc((size_t)1 << like->log2_shards, sizeof *l.of_shard);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__shares_copy(&l.shares, like);
    }
    if (l.pulls == NULL || l.keys == NULL || l.turns == NULL
        || l.of_shard == NULL) {
        rc = PAULIMPI_ERR_MEMORY;
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = look_on(&l, c->cross[b], moved, partners);
    }
    free(l.pulls);
    free(l.keys);
    free(l.turns);
    free(l.of_shard);
    paulimpi__shares_free(&l.shares);
    paulimpi__span_free(&l.span);
    return rc;
}

double
crossing_best(const crossing *c, double term, double message,
              crossing_cost *total)
{
    double *best = calloc((size_t)c->n_borders + 1, sizeof *best);
    crossing_cost *sum = calloc((size_t)c->n_borders + 1, sizeof *sum);
    double seconds = HUGE_VAL;
    int64_t b;

    *total = (crossing_cost){ HUGE_VAL, 0, HUGE_VAL };
    for (b = c->n_borders - 1; best != NULL && sum != NULL && b >= 0; b--) {
        int k;

        best[b] = HUGE_VAL;
        for (k = -1; k < CROSSING_SPANS; k++) {
            const crossing_cost *way = k < 0 ? &c->move[b] : &c->cross[b][k];
            int64_t next = b + (k < 0 ? 1 : 2 << k);
            double cost = way->terms * term + way->messages * message;

            next = next < c->n_borders ? next : c->n_borders;
            if (cost + best[next] < best[b]) {
                best[b] = cost + best[next];
                sum[b].terms = way->terms + sum[next].terms;
                sum[b].crossed = way->crossed + sum[next].crossed;
                sum[b].messages = way->messages + sum[next].messages;
            }
        }
    }
    if (best != NULL && sum != NULL) {
        seconds = c->n_borders > 0 ? best[0] : 0;
        *total = sum[0];
    }
    free(best);
    free(sum);
    return seconds;
}
