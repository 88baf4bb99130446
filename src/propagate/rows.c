/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Drawing the functions that say which rank holds which term.
 */
#include "propagate/rows.h"

#include <math.h>
#include <string.h>

#include "base/base.h"

enum {
    BLOCK = PAULIMPI__BLOCK_TERMS,
    SAMPLE_TERMS = 16384, /* a rank */
    MOST_DRAWS = 4 /* of functions, to find some that balance the ranks */
};

/* How far to look ahead: the rank of generators, not all of which commute. */
static const int64_t far_ranks[] = { INT64_MAX, 60, 36, 24 };
enum { N_FAR = sizeof far_ranks / sizeof far_ranks[0] };

/* Terms of the rank that has most over the mean: good enough to draw no
 * further, and bad enough to move terms for nothing else. */
static const double fair = 1.08;
static const double unfair = 1.3;
static const double far_fair = 1.15; /* to save a move */

int
paulimpi__drawing_init(paulimpi__drawing *rows, const paulimpi__run *run,
                       const paulimpi__shares *like, uint64_t draw)
{
    int rc_far = paulimpi__stretch_init(&rows->far, run);
    int rc = paulimpi__shares_copy(&rows->drawn, like);
    int rc_tried = paulimpi__shares_copy(&rows->tried, like);

    rows->sample = (paulimpi__sample){ NULL, 0, 0, 0 };
    rows->imbalance = 1.0;
    rows->n_draws = draw;
    rows->run = run;
    rows->of_shard = paulimpi__alloc((size_t)1 << like->log2_shards,
                                     sizeof *rows->of_shard);
    return rc != PAULIMPI_SUCCESS || rc_tried != PAULIMPI_SUCCESS
                   || rc_far != PAULIMPI_SUCCESS || rows->of_shard == NULL
               ? PAULIMPI_ERR_MEMORY
               : PAULIMPI_SUCCESS;
}

void
paulimpi__drawing_free(paulimpi__drawing *rows)
{
    paulimpi__shares_free(&rows->drawn);
    paulimpi__shares_free(&rows->tried);
    paulimpi__stretch_free(&rows->far);
    paulimpi__sample_free(&rows->sample);
    paulimpi__free(rows->of_shard);
    rows->of_shard = NULL;
}

/* Who adds the counts of the ranks up. */
typedef struct {
    paulimpi__count_adder add;
    void *data;
} adder;

/* Count the sample by the functions that are tried. */
static int
count_tried(paulimpi__drawing *rows, const adder *ranks)
{
    paulimpi__sample_shards(&rows->sample, &rows->tried, rows->of_shard);
    return ranks->add(ranks->data, (int64_t)1 << rows->tried.log2_shards,
                      rows->of_shard);
}

/* The same, and deal the shards out. */
static int
try_rows(paulimpi__drawing *rows, const adder *ranks, double *imbalance)
{
    int rc = count_tried(rows, ranks);

    if (rc == PAULIMPI_SUCCESS) {
        paulimpi__shares_balance(&rows->tried, rows->of_shard);
        *imbalance = paulimpi__shares_imbalance(&rows->tried, rows->of_shard);
    }
    return rc;
}

/* Draw functions that are 0 on several stretches, as many as possible if that
 * balances the ranks. Whether it does. */
static int
draw_far(paulimpi__drawing *rows, const paulimpi__stretch *stretch,
         const paulimpi__shares *now, const adder *ranks, int *is_drawn)
{
    int64_t before = stretch->end;
    int i;

    *is_drawn = 0;
    for (i = 0; i < N_FAR; i++) {
        double imbalance;
        int rc;

        paulimpi__stretch_gather_far(&rows->far, rows->run, stretch->first,
                                     now->log2_shards, far_ranks[i]);
        if (rows->far.end <= stretch->end) {
            break;
        }
        if (rows->far.end == before) {
            continue;
        }
        before = rows->far.end;
        paulimpi__shares_take(&rows->tried, now);
        paulimpi__stretch_draw(&rows->far, &rows->tried, &rows->n_draws);
        rc = try_rows(rows, ranks, &imbalance);
        if (rc != PAULIMPI_SUCCESS) {
            return rc;
        }
        if (imbalance <= far_fair) {
            rows->imbalance = imbalance;
            paulimpi__shares_take(&rows->drawn, &rows->tried);
            *is_drawn = 1;
            break;
        }
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi__draw_rows(paulimpi__drawing *rows, const paulimpi__stretch *stretch,
                    const paulimpi__shares *now, int64_t n_terms,
                    paulimpi__count_adder add, void *data, int *is_new)
{
    const adder ranks = { add, data };
    double best = HUGE_VAL;
    int i;

    *is_new = 0;
    paulimpi__sample_take(&rows->sample, rows->run->store,
                          paulimpi__sample_step(n_terms, now->n_ranks));
    if (!paulimpi__stretch_allows(stretch, now)) {
        int rc = draw_far(rows, stretch, now, &ranks, is_new);

        if (rc != PAULIMPI_SUCCESS || *is_new) {
            return rc;
        }
    }
    for (i = 0; i < MOST_DRAWS && best > fair; i++) {
        double imbalance;
        int rc;

        paulimpi__shares_take(&rows->tried, now);
        if (paulimpi__stretch_draw(stretch, &rows->tried, &rows->n_draws)
            > 0) {
            *is_new = 1;
        } else if (i > 0) {
            break;
        }
        rc = count_tried(rows, &ranks);
        if (rc != PAULIMPI_SUCCESS) {
            return rc;
        }
        imbalance = paulimpi__shares_imbalance(&rows->tried, rows->of_shard);
        if (*is_new || imbalance > unfair) {
            paulimpi__shares_balance(&rows->tried, rows->of_shard);
            imbalance =
                paulimpi__shares_imbalance(&rows->tried, rows->of_shard);
            *is_new = 1;
        }
        if (imbalance < best) {
            best = imbalance;
            rows->imbalance = imbalance;
            paulimpi__shares_take(&rows->drawn, &rows->tried);
        }
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi__sample_step(int64_t n_terms, int n_ranks)
{
    int log2_step = 0;

    while (n_terms >> log2_step > (int64_t)SAMPLE_TERMS * n_ranks) {
        log2_step++;
    }
    return log2_step;
}

static void
count_block(const paulimpi__shares *shares, const paulimpi__block *block,
            int n_terms, int64_t *of_shard)
{
    uint32_t shard[BLOCK];
    int t;

    paulimpi__shares_of_block(shares, block, shard);
    for (t = 0; t < n_terms; t++) {
        of_shard[shard[t]]++;
    }
}

static paulimpi__block *
block_of(const paulimpi__sample *sample, int64_t term)
{
    return (paulimpi__block *)(sample->blocks
                               + (size_t)(term / BLOCK) * sample->block_bytes);
}

/* Room for 64 terms more. Whether there is. */
static int
extend(paulimpi__sample *sample)
{
    int64_t most = sample->most_terms + sample->most_terms / 2 + 64 * BLOCK;
    char *blocks;

    if (sample->n_terms + BLOCK <= sample->most_terms) {
        return 1;
    }
    blocks = paulimpi__alloc_zero((size_t)(most / BLOCK), sample->block_bytes);
    if (blocks == NULL) {
        return 0;
    }
    if (sample->n_terms > 0) {
        memcpy(blocks, sample->blocks,
               (size_t)((sample->n_terms + BLOCK - 1) / BLOCK)
                   * sample->block_bytes);
    }
    paulimpi__free(sample->blocks);
    sample->blocks = blocks;
    sample->most_terms = most / BLOCK * BLOCK;
    return 1;
}

/* Which terms of a block are in the sample. The fingerprint is linear in the
 * string, and the strings of a sum may all be the same to a linear function, so
 * it is multiplied to choose by. */
PAULIMPI__CLONES static uint64_t
choose_terms(int64_t n_key, const paulimpi__block *block, int log2_step)
{
    uint32_t print[BLOCK];
    uint64_t chosen = 0;
    int t;

    if (log2_step == 0) {
        return UINT64_MAX;
    }
    paulimpi__block_prints(n_key, block, print);
    for (t = 0; t < BLOCK; t++) {
        chosen |= (uint64_t)(print[t] * 0x9e3779b1u >> (32 - log2_step) == 0)
                  << t;
    }
    return chosen;
}

/* Add the chosen terms of a block. */
static void
take_terms(paulimpi__sample *sample, int64_t n_key,
           const paulimpi__block *block, uint64_t chosen)
{
    for (; chosen != 0; chosen &= chosen - 1) {
        int64_t to = sample->n_terms++;

        paulimpi__term_move(n_key, block, __builtin_ctzll(chosen),
                            block_of(sample, to), (int)(to % BLOCK));
    }
}

void
paulimpi__sample_take(paulimpi__sample *sample, const paulimpi__store *store,
                      int log2_step)
{
    int64_t n_buckets = paulimpi__store_buckets(store);
    int64_t b;

    sample->n_terms = 0;
    sample->block_bytes = store->pool.block_bytes;
    for (b = 0; b < n_buckets; b++) {
        const paulimpi__block *block = store->buckets[b].head;
        int64_t rest = store->buckets[b].n_terms;

        for (; block != NULL; block = block->next, rest -= BLOCK) {
            uint64_t chosen;

            paulimpi__block_fetch(block->next, store->n_words);
            chosen = choose_terms(2 * store->n_words, block, log2_step);

            if (rest < BLOCK) {
                chosen &= ((uint64_t)1 << rest) - 1;
            }
            if (chosen != 0 && !extend(sample)) {
                return;
            }
            take_terms(sample, 2 * store->n_words, block, chosen);
        }
    }
}

void
paulimpi__sample_free(paulimpi__sample *sample)
{
    paulimpi__free(sample->blocks);
    *sample = (paulimpi__sample){ NULL, 0, 0, 0 };
}

void
paulimpi__sample_shards(const paulimpi__sample *sample,
                        const paulimpi__shares *shares, int64_t *of_shard)
{
    int64_t i;

    memset(of_shard, 0, sizeof *of_shard << shares->log2_shards);
    for (i = 0; i < sample->n_terms; i += BLOCK) {
        int64_t n = sample->n_terms - i;

        count_block(shares, block_of(sample, i), n < BLOCK ? (int)n : BLOCK,
                    of_shard);
    }
}

void
paulimpi__count_by_shard(const paulimpi__store *store,
                         const paulimpi__shares *shares, int64_t *of_shard)
{
    int64_t n_buckets = paulimpi__store_buckets(store);
    int64_t b;

    memset(of_shard, 0, sizeof *of_shard << shares->log2_shards);
    for (b = 0; b < n_buckets; b++) {
        const paulimpi__block *block = store->buckets[b].head;
        int64_t rest = store->buckets[b].n_terms;

        for (; block != NULL; block = block->next, rest -= BLOCK) {
            paulimpi__block_fetch(block->next, store->n_words);
            count_block(shares, block, rest < BLOCK ? (int)rest : BLOCK,
                        of_shard);
        }
    }
}
