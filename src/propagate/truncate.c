/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Truncation: policies, and the part of them that looks at each term alone.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "comm/comm.h"
#include "propagate/sum.h"

enum { BLOCK = PAULIMPI__BLOCK_TERMS };

static int
check_limit(const char *function, const char *name, int64_t limit)
{
    if (limit < 0) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: %s is %" PRId64
                               ", but must be 0 or more; PAULIMPI_UNLIMITED "
                               "means no limit",
                               function, name, limit);
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi__truncation_check(const paulimpi_truncation *truncation,
                           const char *function)
{
    int rc;

    if (truncation->size != sizeof *truncation) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: the truncation's size is %zu, not %zu: "
                               "start from PAULIMPI_TRUNCATION_INIT",
                               function, truncation->size, sizeof *truncation);
    }
    if (!(truncation->min_abs >= 0.0)) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: min_abs is %g, but must be 0 or more",
                               function, truncation->min_abs);
    }
    rc = check_limit(function, "max_weight", truncation->max_weight);
    if (rc == PAULIMPI_SUCCESS) {
        rc = check_limit(function, "max_xy_weight", truncation->max_xy_weight);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = check_limit(function, "max_terms", truncation->max_terms);
    }
    if (rc == PAULIMPI_SUCCESS
        && (truncation->choice < PAULIMPI_KEEP_LARGEST
            || truncation->choice > PAULIMPI_KEEP_RANDOM)) {
        rc = paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                             "%s: choice is %d, but must be a number of the "
                             "kind PAULIMPI_KEEP_LARGEST",
                             function, truncation->choice);
    }
    return rc;
}

static void
drop(paulimpi__block *block, int t, paulimpi__dropped *dropped)
{
    double c = block->coefficient[t];

    paulimpi__exact_add(&dropped->norm1, fabs(c));
    paulimpi__exact_add(&dropped->square, c * c);
    block->coefficient[t] = 0.0;
}

static int
is_large(void *data, paulimpi__block *block, int t, int64_t n_words)
{
    const uint64_t *most_dropped = data;

    (void)n_words;
    return paulimpi__magnitude(block->coefficient[t]) > *most_dropped;
}

static int
is_within(void *data, paulimpi__block *block, int t, int64_t n_words)
{
    const paulimpi_truncation *const *truncation = data;
    const paulimpi_truncation *limits = *truncation;

    return fabs(block->coefficient[t]) >= limits->min_abs
           && paulimpi__weights_pass(block, t, n_words, limits->max_weight,
                                     limits->max_xy_weight);
}

/* Inline, so that it is compiled for each is_kept here. */
static inline void
drop_by(paulimpi__store *store, paulimpi__keeper is_kept, void *data,
        paulimpi__dropped *dropped)
{
    paulimpi__purse purse = { NULL, 0 };
    int64_t n_buckets = paulimpi__store_buckets(store);
    int64_t b;

    for (b = 0; b < n_buckets; b++) {
        paulimpi__bucket *bucket = &store->buckets[b];
        int64_t n_before = bucket->n_terms;
        int64_t rest = n_before;
        paulimpi__block *block;
        int n_dropped = 0;

        for (block = bucket->head; block != NULL; block = block->next) {
            int n = rest < BLOCK ? (int)rest : BLOCK;
            int t;

            for (t = 0; t < n; t++) {
                if (!is_kept(data, block, t, store->n_words)) {
                    drop(block, t, dropped);
                    n_dropped++;
                }
            }
            rest -= n;
        }
        if (n_dropped > 0) {
            paulimpi__bucket_compact(store, bucket, &purse);
            store->n_terms += bucket->n_terms - n_before;
        }
    }
    paulimpi__purse_empty(store, &purse);
}

void
paulimpi__store_sweep(paulimpi__store *store,
                      const paulimpi_truncation *truncation,
                      paulimpi__dropped *dropped)
{
    if (truncation->min_abs > 0.0 || truncation->max_weight < store->n_qubits
        || truncation->max_xy_weight < store->n_qubits) {
        drop_by(store, is_within, &truncation, dropped);
    }
}

void
paulimpi__store_drop_small(paulimpi__store *store, uint64_t most_dropped,
                           paulimpi__dropped *dropped)
{
    drop_by(store, is_large, &most_dropped, dropped);
}

void
paulimpi__store_drop_by(paulimpi__store *store, paulimpi__keeper is_kept,
                        void *data, paulimpi__dropped *dropped)
{
    drop_by(store, is_kept, data, dropped);
}

/* The limits as one number. */
static uint64_t
print_limits(const paulimpi_truncation *truncation)
{
    uint64_t word[6] = { 0,
                         (uint64_t)truncation->max_weight,
                         (uint64_t)truncation->max_xy_weight,
                         (uint64_t)truncation->max_terms,
                         (uint64_t)truncation->choice,
                         (uint64_t)truncation->seed };

    memcpy(&word[0], &truncation->min_abs, sizeof word[0]);
    return paulimpi__print_add(0, word, 6, 1);
}

static int
check_truncate(paulimpi_sum *sum, const char *function,
               const paulimpi_truncation *truncation,
               paulimpi__chooser *chooser)
{
    int rc = truncation == NULL
                 ? paulimpi__null(function, "truncation")
                 : paulimpi__truncation_check(truncation, function);

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__chooser_init(chooser, function, truncation,
                                    sum->store.n_words);
    }
    rc = paulimpi__agree(sum->ctx, rc);
    return rc != PAULIMPI_SUCCESS
               ? rc
               : paulimpi__agree_same(sum->ctx, function, "the truncation",
                                      print_limits(truncation));
}

static int
apply(paulimpi_sum *sum, const char *function,
      const paulimpi_truncation *truncation, const paulimpi__chooser *chooser)
{
    paulimpi__dropped dropped;
    int rc;

    paulimpi__exact_clear(&dropped.norm1);
    paulimpi__exact_clear(&dropped.square);
    paulimpi__store_sweep(&sum->store, truncation, &dropped);
    rc = paulimpi__sum_count(sum, function);
    if (rc == PAULIMPI_SUCCESS && sum->n_terms > truncation->max_terms) {
        rc = paulimpi__choose(chooser, sum->ctx, &sum->store, sum->n_terms, 0,
                              &dropped);
    }
    return rc == PAULIMPI_SUCCESS ? paulimpi__sum_count(sum, function) : rc;
}

int
paulimpi_sum_truncate(paulimpi_sum *sum, const paulimpi_truncation *truncation)
{
    static const char function[] = "paulimpi_sum_truncate";
    paulimpi__chooser chooser = { NULL, NULL, NULL };
    int rc = paulimpi__sum_check(sum, function, "sum");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = check_truncate(sum, function, truncation, &chooser);
    if (rc == PAULIMPI_SUCCESS) {
        rc = apply(sum, function, truncation, &chooser);
    }
    paulimpi__chooser_free(&chooser);
    return rc;
}
