/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a sum is made of, and how to walk over its terms.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_SUM_H
#define PAULIMPI_SRC_PROPAGATE_SUM_H

#include <stdint.h>

#include "base/base.h"
#include "pauli/pauli.h"
#include "paulimpi/sum.h"

struct paulimpi_sum {
    paulimpi_context *ctx; /* retained */
    paulimpi__store store;
};

/** 0 if sum is alive; otherwise a sentence. */
int paulimpi__sum_check(const paulimpi_sum *sum, const char *function,
                        const char *argument);

/** Call visit with each block of the sum and its number of terms. */
typedef void (*paulimpi__visitor)(const paulimpi__block *block, int n_terms,
                                  int64_t n_words, void *data);
void paulimpi__store_visit(const paulimpi__store *store,
                           paulimpi__visitor visit, void *data);

/* Truncation. */

/** What was dropped, exactly. */
typedef struct {
    paulimpi__exact norm1;
    paulimpi__exact square;
} paulimpi__dropped;

/** The sentence for a policy that cannot be, or 0. */
int paulimpi__truncation_check(const paulimpi_truncation *truncation,
                               const char *function);

/** Drop terms by coefficient and weights. */
void paulimpi__store_sweep(paulimpi__store *store,
                           const paulimpi_truncation *truncation,
                           paulimpi__dropped *dropped);

/** Keep the max_terms largest terms, no tie cut. */
void paulimpi__store_keep_largest(paulimpi__store *store, int64_t max_terms,
                                  paulimpi__dropped *dropped);

/** Whether the weights of term t of a block pass the limits. */
static inline int
paulimpi__weights_pass(const paulimpi__block *block, int t, int64_t n_words,
                       int64_t max_weight, int64_t max_xy_weight)
{
    int64_t weight = 0;
    int64_t xy_weight = 0;
    int64_t w;

    for (w = 0; w < n_words; w++) {
        uint64_t x = block->word[w * PAULIMPI__BLOCK_TERMS + t];
        uint64_t z = block->word[(n_words + w) * PAULIMPI__BLOCK_TERMS + t];

        weight += paulimpi__popcount(x | z);
        xy_weight += paulimpi__popcount(x);
    }
    return weight <= max_weight && xy_weight <= max_xy_weight;
}

#endif /* PAULIMPI_SRC_PROPAGATE_SUM_H */
