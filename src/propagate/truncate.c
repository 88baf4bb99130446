/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Truncation: by coefficient and weight, and to the largest terms.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "propagate/sum.h"

enum {
    BLOCK = PAULIMPI__BLOCK_TERMS,
    DIGIT_BITS = 11, /* a histogram of 2^11 counters fits the first cache */
    N_DIGITS = 1 << DIGIT_BITS,
    TOP_SHIFT = 5 * DIGIT_BITS /* six digits make 66 bits */
};

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

/* The magnitude of a double as an integer in the same order. */
static uint64_t
magnitude(double c)
{
    uint64_t bits;

    memcpy(&bits, &c, sizeof bits);
    return bits & ~((uint64_t)1 << 63);
}

/* What a pass over all terms drops. */
typedef struct {
    const paulimpi_truncation *truncation; /* NULL: only by most_dropped */
    uint64_t most_dropped;                 /* magnitudes up to this go */
} policy;

static int
is_kept(const policy *by, const paulimpi__block *block, int t, int64_t n_words)
{
    const paulimpi_truncation *limits = by->truncation;

    if (limits == NULL) {
        return magnitude(block->coefficient[t]) > by->most_dropped;
    }
    return fabs(block->coefficient[t]) >= limits->min_abs
           && paulimpi__weights_pass(block, t, n_words, limits->max_weight,
                                     limits->max_xy_weight);
}

static void
drop_by(paulimpi__store *store, const policy *by, paulimpi__dropped *dropped)
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
                if (!is_kept(by, block, t, store->n_words)) {
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
    policy by = { truncation, 0 };

    if (truncation->min_abs > 0.0 || truncation->max_weight < store->n_qubits
        || truncation->max_xy_weight < store->n_qubits) {
        drop_by(store, &by, dropped);
    }
}

/* A histogram of one digit of the magnitudes that begin like prefix. */
typedef struct {
    uint64_t prefix;
    uint64_t prefix_mask;
    int shift;
    int64_t count[N_DIGITS];
} histogram;

static void
count_block(const paulimpi__block *block, int n_terms, int64_t n_words,
            void *data)
{
    histogram *digits = data;
    int t;

    (void)n_words;
    for (t = 0; t < n_terms; t++) {
        uint64_t bits = magnitude(block->coefficient[t]);

        if ((bits & digits->prefix_mask) == digits->prefix) {
            digits->count[bits >> digits->shift & (N_DIGITS - 1)]++;
        }
    }
}

/* The magnitude with `rank` others above it (ties in any order): a radix
 * selection from the top digit down. */
static uint64_t
select_magnitude(const paulimpi__store *store, int64_t rank)
{
    histogram digits = { .shift = TOP_SHIFT };

    for (; digits.shift >= 0; digits.shift -= DIGIT_BITS) {
        int64_t digit = N_DIGITS - 1;

        memset(digits.count, 0, sizeof digits.count);
        paulimpi__store_visit(store, count_block, &digits);
        while (rank >= digits.count[digit]) {
            rank -= digits.count[digit--];
        }
        digits.prefix |= (uint64_t)digit << digits.shift;
        digits.prefix_mask |= (uint64_t)(N_DIGITS - 1) << digits.shift;
    }
    return digits.prefix;
}

void
paulimpi__store_keep_largest(paulimpi__store *store, int64_t max_terms,
                             paulimpi__dropped *dropped)
{
    policy by = { NULL, 0 };

    if (store->n_terms > max_terms) {
        by.most_dropped = select_magnitude(store, max_terms);
        drop_by(store, &by, dropped);
    }
}

int
paulimpi_sum_truncate(paulimpi_sum *sum, const paulimpi_truncation *truncation)
{
    static const char function[] = "paulimpi_sum_truncate";
    paulimpi__dropped dropped;
    int rc = paulimpi__sum_check(sum, function, "sum");

    if (rc == PAULIMPI_SUCCESS && truncation == NULL) {
        rc = paulimpi__null(function, "truncation");
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__truncation_check(truncation, function);
    }
    if (rc == PAULIMPI_SUCCESS) {
        paulimpi__exact_clear(&dropped.norm1);
        paulimpi__exact_clear(&dropped.square);
        paulimpi__store_sweep(&sum->store, truncation, &dropped);
        paulimpi__store_keep_largest(&sum->store, truncation->max_terms,
                                     &dropped);
    }
    return rc;
}
