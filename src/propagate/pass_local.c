/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operations that need no partner: turns by multiples of pi/2, which take
 * every term to one other, and channels that multiply.
 *
 * A turn maps keys linearly. Instead of moving terms to other buckets, the
 * hash follows: it is redefined so that the image of a term has the hash that
 * the term had. So a run of any length is one pass over the blocks, each of
 * which stays in the first-level cache for the whole run.
 */
#include "config.h"

#include <math.h>

#include "propagate/in_place.h"

enum { BLOCK = PAULIMPI__BLOCK_TERMS };

typedef struct {
    const paulimpi__run *run;
    const paulimpi__limits *limits;
    int64_t first;
    int64_t end;
    paulimpi__worker *worker;
} local;

/* A block under way. */
typedef struct {
    paulimpi__block *block;
    int64_t n_words;
    uint64_t alive;
    uint64_t rescaled; /* since the last truncation */
    uint64_t rewritten;
} state;

static void
turn(const local *l, state *s, const paulimpi__ready_op *op)
{
    int quarters = paulimpi__quarters(l->run, op->op);
    uint64_t active, rest;

    if (op->op->n_sites == 0) {
        return;
    }
    active = paulimpi__scan_active(s->block, s->n_words, op) & s->alive;
    l->worker->active += paulimpi__popcount(active);
    if (quarters != 2) {
        s->rewritten |= active;
    }
    for (rest = active; rest != 0; rest &= rest - 1) {
        int t = __builtin_ctzll(rest);
        int64_t k;
        int is_negative =
            quarters == 2
            || paulimpi__is_negative(op, s->block->word, s->n_words, t)
                   == (quarters == 1);

        s->block->coefficient[t] =
            paulimpi__negate_if(is_negative, s->block->coefficient[t]);
        for (k = 0; k < op->n_parts && quarters != 2; k++) {
            const paulimpi__part *g = &op->parts[k];

            s->block->word[g->word * BLOCK + t] ^= g->x;
            s->block->word[(s->n_words + g->word) * BLOCK + t] ^= g->z;
        }
    }
}

static void
scale(state *s, const paulimpi__ready_op *op)
{
    paulimpi__tap x_bit = { op->parts[0].word, op->pivot.shift };
    paulimpi__tap z_bit = { s->n_words + x_bit.column, x_bit.shift };
    uint64_t x = paulimpi__scan_tap(s->block, x_bit) & s->alive;
    uint64_t z = paulimpi__scan_tap(s->block, z_bit) & s->alive;
    uint64_t letters[3] = { x & ~z, x & z, z & ~x };
    int i;

    for (i = 0; i < 3; i++) {
        double factor = op->op->value[i];
        uint64_t rest;

        for (rest = factor == 1.0 ? 0 : letters[i]; rest != 0;
             rest &= rest - 1) {
            s->block->coefficient[__builtin_ctzll(rest)] *= factor;
        }
        s->rescaled |= factor == 1.0 ? 0 : letters[i];
    }
}

/* Let the terms die that the operations since the last truncation have brought
 * over a limit, or to 0. */
static void
truncate_block(const local *l, state *s)
{
    int has_weights = l->limits != NULL && l->limits->has_weights;
    uint64_t rest = s->rescaled | (has_weights ? s->rewritten : 0);

    for (; rest != 0; rest &= rest - 1) {
        int t = __builtin_ctzll(rest);
        double c = s->block->coefficient[t];

        if (!paulimpi__passes(l->limits, c)
            || (has_weights
                && !paulimpi__weights_pass(s->block, t, s->n_words,
                                           l->limits->max_weight,
                                           l->limits->max_xy_weight))) {
            paulimpi__drop_number(&l->worker->dropped, c);
            s->block->coefficient[t] = 0.0;
            s->alive &= ~((uint64_t)1 << t);
        }
    }
    s->rescaled = 0;
    s->rewritten = 0;
}

/* Returns whether a term has died. */
PAULIMPI__CLONES static int
apply_to_block(const local *l, paulimpi__block *block, int n)
{
    state s = { .block = block,
                .n_words = l->run->store->n_words,
                .alive = UINT64_MAX >> (BLOCK - n) };
    uint64_t before = s.alive;
    int64_t i;

    for (i = l->first; i < l->end; i++) {
        const paulimpi__ready_op *op = &l->run->ops[i];

        if (paulimpi__begins_gate(l->run, i)) {
            l->worker->term_gates += paulimpi__popcount(s.alive);
        }
        if (op->op->kind == PAULIMPI__OP_TURN) {
            turn(l, &s, op);
        } else {
            scale(&s, op);
        }
        if (paulimpi__ends_unit(l->run, i) && l->limits != NULL) {
            truncate_block(l, &s);
        }
    }
    if (s.rescaled != 0) {
        truncate_block(l, &s); /* exact zeros, inside a unit */
    }
    return s.alive != before;
}

static void
apply_to_bucket(const void *shared, paulimpi__worker *worker, int64_t b)
{
    local l = *(const local *)shared;
    paulimpi__bucket *bucket = &l.run->store->buckets[b];
    int64_t n_before = bucket->n_terms;
    int64_t rest = n_before;
    paulimpi__block *block;
    int has_dead = 0;

    l.worker = worker;
    for (block = bucket->head; block != NULL; block = block->next) {
        int n = rest < BLOCK ? (int)rest : BLOCK;

        has_dead |= apply_to_block(&l, block, n);
        rest -= n;
    }
    if (has_dead) {
        paulimpi__bucket_compact(l.run->store, bucket, &worker->purse);
        worker->growth += bucket->n_terms - n_before;
    }
}

void
paulimpi__pass_local(paulimpi__run *run, int64_t first, int64_t end,
                     const paulimpi__limits *limits)
{
    local l = { run, limits, first, end, NULL };
    int64_t i;

    paulimpi__for_buckets(run, apply_to_bucket, &l);
    for (i = first; i < end; i++) {
        const paulimpi__op *op = run->ops[i].op;

        if (op->kind == PAULIMPI__OP_TURN && op->quarters % 2 == 1) {
            paulimpi__follow_turn(run->store, &run->ops[i]);
        }
    }
}
