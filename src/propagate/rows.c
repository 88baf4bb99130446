/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Drawing the functions that say which rank holds which term.
 */
#include "config.h"

#include "propagate/rows.h"

#include <math.h>
#include <string.h>

#include "base/base.h"

enum {
    BLOCK = PAULIMPI__BLOCK_TERMS,
    SAMPLE_TERMS = 4096, /* a rank */
    SAMPLE_GROWTH = 4,   /* of the terms, for another one */
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
                       const paulimpi__shares *like, paulimpi__wish *wish,
                       uint64_t draw)
{
    int rc_far = paulimpi__stretch_init(&rows->far, run);
    int rc = paulimpi__shares_copy(&rows->drawn, like);
    int rc_tried = paulimpi__shares_copy(&rows->tried, like);
    int rc_counted = paulimpi__shares_copy(&rows->counted, like);

    if (rc_far == PAULIMPI_SUCCESS) {
        rc_far = paulimpi__wish_exclude(wish, &rows->far);
    }
    rows->add = NULL;
    rows->data = NULL;
    rows->wish = wish;
    rows->tried.weight = wish->weight;
    rows->drawn.weight = wish->weight;
    rows->sample = (paulimpi__sample){ NULL, 0, 0, 0 };
    rows->n_sampled = 0;
    rows->imbalance = 1.0;
    rows->largest = 0.0;
    rows->n_draws = draw;
    rows->run = run;
    rows->of_shard = paulimpi__alloc((size_t)1 << like->log2_shards,
                                     sizeof *rows->of_shard);
    return rc != PAULIMPI_SUCCESS || rc_tried != PAULIMPI_SUCCESS
                   || rc_counted != PAULIMPI_SUCCESS
                   || rc_far != PAULIMPI_SUCCESS || rows->of_shard == NULL
               ? PAULIMPI_ERR_MEMORY
               : PAULIMPI_SUCCESS;
}

void
paulimpi__drawing_free(paulimpi__drawing *rows)
{
    paulimpi__shares_free(&rows->drawn);
    paulimpi__shares_free(&rows->tried);
    paulimpi__shares_free(&rows->counted);
    paulimpi__stretch_free(&rows->far);
    paulimpi__sample_free(&rows->sample);
    paulimpi__free(rows->of_shard);
    rows->of_shard = NULL;
}

/* Add the counts of the ranks up. */
static int
add_up(const paulimpi__drawing *rows, int64_t *of_shard)
{
    int64_t n = (int64_t)1 << rows->tried.log2_shards;

    return rows->add == NULL ? PAULIMPI_SUCCESS
                             : rows->add(rows->data, n, of_shard);
}

/* Count the sample by the functions that are tried. */
static int
count_tried(paulimpi__drawing *rows, const paulimpi__stretch *before)
{
    const paulimpi__shares *counted = &rows->tried;

    if (before != NULL && before->n_turns > 0) {
        paulimpi__shares_take(&rows->counted, &rows->tried);
        paulimpi__stretch_go_before(before, &rows->counted);
        counted = &rows->counted;
    }
    paulimpi__sample_shards(&rows->sample, counted, rows->of_shard);
    return add_up(rows, rows->of_shard);
}

/* The same, and deal the shards out. */
static int
try_rows(paulimpi__drawing *rows, const paulimpi__stretch *before,
         double *imbalance)
{
    int rc = count_tried(rows, before);

    if (rc == PAULIMPI_SUCCESS) {
        paulimpi__shares_balance(&rows->tried, rows->of_shard);
        *imbalance = paulimpi__shares_imbalance(&rows->tried, rows->of_shard);
    }
    return rc;
}

/* Take what has been tried, as it was counted. */
static void
take_tried(paulimpi__drawing *rows, double imbalance)
{
    int64_t n_shards = (int64_t)1 << rows->tried.log2_shards;
    int64_t total = 0;
    int64_t most = 0;
    int64_t i;

    for (i = 0; i < n_shards; i++) {
        int64_t n = rows->of_shard[i];

        total += n;
        most = n > most ? n : most;
    }
    rows->imbalance = imbalance;
    rows->largest = total == 0 ? 0.0 : (double)most / (double)total;
    paulimpi__shares_take(&rows->drawn, &rows->tried);
}

/* Draw functions that are 0 on several stretches, as many as possible if that
 * balances the ranks. Whether it does. */
static int
draw_far(paulimpi__drawing *rows, const paulimpi__stretch *stretch,
         const paulimpi__stretch *before, const paulimpi__shares *now,
         int *is_drawn)
{
    int64_t end_before = stretch->end;
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
        if (rows->far.end == end_before) {
            continue;
        }
        end_before = rows->far.end;
        paulimpi__shares_take(&rows->tried, now);
        paulimpi__stretch_draw(&rows->far, &rows->tried, &rows->n_draws);
        rc = try_rows(rows, before, &imbalance);
        if (rc != PAULIMPI_SUCCESS) {
            return rc;
        }
        if (imbalance <= far_fair) {
            take_tried(rows, imbalance);
            *is_drawn = 1;
            break;
        }
    }
    return PAULIMPI_SUCCESS;
}

/* Draw functions and deal the shards out, whatever the terms are. */
static int
draw_blindly(paulimpi__drawing *rows, const paulimpi__stretch *stretch,
             const paulimpi__stretch *before, const paulimpi__shares *now)
{
    int rc;

    paulimpi__shares_take(&rows->tried, now);
    paulimpi__wish_draw(rows->wish, stretch, &rows->tried, &rows->n_draws);
    paulimpi__shares_deal(&rows->tried);
    rc = count_tried(rows, before);
    if (rc == PAULIMPI_SUCCESS) {
        take_tried(rows,
                   paulimpi__shares_imbalance(&rows->tried, rows->of_shard));
    }
    return rc;
}

/* Draw functions until some balance the ranks, and take the best. */
static int
draw_fair(paulimpi__drawing *rows, const paulimpi__stretch *stretch,
          const paulimpi__stretch *before, const paulimpi__shares *now)
{
    double best = HUGE_VAL;
    int i;

    for (i = 0; i < MOST_DRAWS && best > fair; i++) {
        uint64_t n_before = rows->n_draws;
        double imbalance;
        int n_new;
        int rc;

        paulimpi__shares_take(&rows->tried, now);
        n_new = paulimpi__wish_draw(rows->wish, stretch, &rows->tried,
                                    &rows->n_draws);
        if (i > 0 && rows->n_draws == n_before) {
            break;
        }
        rc = count_tried(rows, before);
        if (rc != PAULIMPI_SUCCESS) {
            return rc;
        }
        imbalance = paulimpi__shares_imbalance(&rows->tried, rows->of_shard);
        if (n_new > 0 || imbalance > unfair) {
            paulimpi__shares_balance(&rows->tried, rows->of_shard);
            imbalance =
                paulimpi__shares_imbalance(&rows->tried, rows->of_shard);
        }
        if (imbalance < best) {
            best = imbalance;
            take_tried(rows, imbalance);
        }
    }
    return PAULIMPI_SUCCESS;
}

/* Take a sample, unless the last one will do: it does as long as terms do not
 * become many more or fewer, and settling shows nothing else. */
static void
find_sample(paulimpi__drawing *rows, const paulimpi__shares *now,
            int64_t n_terms)
{
    if (n_terms > SAMPLE_GROWTH * rows->n_sampled
        || n_terms < rows->n_sampled / SAMPLE_GROWTH) {
        paulimpi__sample_take(&rows->sample, rows->run->store,
                              paulimpi__sample_step(n_terms, now->n_ranks));
        rows->n_sampled = n_terms;
    }
}

int
paulimpi__draw_rows(paulimpi__drawing *rows, const paulimpi__stretch *stretch,
                    const paulimpi__stretch *before,
                    const paulimpi__shares *now, int64_t n_terms, int *is_new)
{
    int is_planned = rows->wish->n_wanted == 0;
    int is_drawn = 0;
    int rc = PAULIMPI_SUCCESS;

    if (before == NULL) {
        rows->n_sampled = 0;
    }
    find_sample(rows, now, n_terms);
    if (rows->wish->choice == PAULIMPI_ROWS_RANDOM) {
        rc = draw_blindly(rows, stretch, before, now);
        is_drawn = 1;
    } else if (is_planned && !paulimpi__stretch_allows(stretch, now)) {
        rc = draw_far(rows, stretch, before, now, &is_drawn);
    }
    if (rc == PAULIMPI_SUCCESS && !is_drawn) {
        rc = draw_fair(rows, stretch, before, now);
    }
    if (before != NULL && before->n_turns > 0) {
        rows->n_sampled = 0; /* the turns make other strings of all */
    }
    *is_new = !paulimpi__shares_are_same(&rows->drawn, now);
    return rc;
}

int
paulimpi__settle_rows(paulimpi__drawing *rows, const int64_t *of_shard)
{
    int is_random = rows->wish->choice == PAULIMPI_ROWS_RANDOM;

    if (!is_random) {
        paulimpi__shares_balance(&rows->drawn, of_shard);
    }
    rows->imbalance = paulimpi__shares_imbalance(&rows->drawn, of_shard);
    if (rows->imbalance > far_fair) {
        rows->n_sampled = 0;
    }
    return rows->imbalance <= unfair || rows->wish->n_wanted > 0 || is_random;
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

/* List the terms of a block that are in the sample, one in 2^log2_step. The
 * strings of a sum may all be the same to a linear function, so each step
 * multiplies. Returns how many they are. */
PAULIMPI__CLONES static int
choose_terms(int64_t n_key, const paulimpi__block *block, int n_terms,
             int log2_step, uint8_t *list)
{
    uint64_t mixed[BLOCK] = { 0 };
    uint32_t number[BLOCK];
    uint32_t most = UINT32_MAX >> log2_step;
    int64_t w;
    int n = 0;
    int t;

    for (w = 0; w < n_key; w++) {
        const uint64_t *word = &block->word[w * BLOCK];

        for (t = 0; t < BLOCK; t++) {
            uint64_t sum = mixed[t] ^ word[t];

            mixed[t] = (sum >> 32) + (uint64_t)(uint32_t)sum * 0x9e3779b1u;
        }
    }
    for (t = 0; t < BLOCK; t++) {
        number[t] = (uint32_t)(mixed[t] ^ mixed[t] >> 32) * 0x85ebca6bu;
    }
    for (t = 0; t < n_terms; t++) {
        list[n] = (uint8_t)t;
        n += number[t] <= most;
    }
    return n;
}

void
paulimpi__sample_take(paulimpi__sample *sample, const paulimpi__store *store,
                      int log2_step)
{
    int64_t n_key = 2 * store->n_words;
    int64_t n_buckets = paulimpi__store_buckets(store);
    uint8_t list[BLOCK];
    int64_t b;
    int i;

    sample->n_terms = 0;
    sample->block_bytes = store->pool.block_bytes;
    for (b = 0; b < n_buckets; b++) {
        const paulimpi__block *block = store->buckets[b].head;
        int64_t rest = store->buckets[b].n_terms;

        for (; block != NULL; block = block->next, rest -= BLOCK) {
            int n = rest < BLOCK ? (int)rest : BLOCK;

            paulimpi__block_fetch(block->next, store->n_words);
            n = choose_terms(n_key, block, n, log2_step, list);
            if (!extend(sample)) {
                return;
            }
            for (i = 0; i < n; i++) {
                int64_t to = sample->n_terms++;

                paulimpi__term_move(n_key, block, list[i],
                                    block_of(sample, to), (int)(to % BLOCK));
            }
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
