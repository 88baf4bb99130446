/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a sum is made of, and how to walk over its terms.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_SUM_H
#define PAULIMPI_SRC_PROPAGATE_SUM_H

#include <stdint.h>
#include <string.h>

#include "base/base.h"
#include "pauli/pauli.h"
#include "paulimpi/sum.h"
#include "propagate/shares.h"

/* Each string is on one rank, the one that the shares name. */
struct paulimpi_sum {
    paulimpi_context *ctx; /* retained */
    paulimpi__store store; /* this rank's terms */
    paulimpi__shares shares;
    int64_t n_terms; /* of all ranks, when a collective call has ended */
};

/** 0 if sum is alive; otherwise a sentence. */
int paulimpi__sum_check(const paulimpi_sum *sum, const char *function,
                        const char *argument);

/** 0 if b is alive and a sum like a; otherwise a sentence. */
int paulimpi__sums_check(const paulimpi_sum *a, const paulimpi_sum *b,
                         const char *function, const char *argument);

/** Count the terms of all ranks anew. Collective. */
int paulimpi__sum_count(paulimpi_sum *sum, const char *function);

/** Add terms that all ranks give alike, which is checked. Collective; nothing
 * has changed on failure. */
int paulimpi__sum_add_replicated(paulimpi_sum *sum, const char *function,
                                 int64_t n, const uint64_t *x,
                                 const uint64_t *z, const double *coefficient);

/** Add terms of which each rank brings some, any of them: equal strings are
 * added up in the order of the ranks, then of the arrays. Collective; nothing
 * has changed on failure, but for one of MPI on the way. */
int paulimpi__sum_add_distributed(paulimpi_sum *sum, const char *function,
                                  int64_t n, const uint64_t *x,
                                  const uint64_t *z,
                                  const double *coefficient);

/** The end of the checks of a collective function: agree on the code, and with
 * PAULIMPI_CHECK=collective compare n words of an argument, which `what` names.
 */
int paulimpi__sum_agree(const paulimpi_sum *sum, const char *function,
                        int code, const char *what, const uint64_t *words,
                        int64_t n);

/** Make copy a sum with the same terms as `sum`, held as `shares` say.
 * Collective. */
int paulimpi__sum_copy_as(const paulimpi_sum *sum, const char *function,
                          const paulimpi__shares *shares,
                          paulimpi_sum **copy_p);

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

/** Drop terms whose magnitudes are at most most_dropped. */
void paulimpi__store_drop_small(paulimpi__store *store, uint64_t most_dropped,
                                paulimpi__dropped *dropped);

/** Drop terms that is_kept, which may change coefficients, does not keep. */
typedef int (*paulimpi__keeper)(void *data, paulimpi__block *block, int t,
                                int64_t n_words);
void paulimpi__store_drop_by(paulimpi__store *store, paulimpi__keeper is_kept,
                             void *data, paulimpi__dropped *dropped);

/* How max_terms terms are chosen from those of all ranks. */
typedef struct {
    const char *function; /* of the caller, for sentences */
    const paulimpi_truncation *truncation;
    uint64_t *letter; /* room for a string, or NULL */
} paulimpi__chooser;

/** 0, or PAULIMPI_ERR_MEMORY and its sentence; free it in either case. */
int paulimpi__chooser_init(paulimpi__chooser *chooser, const char *function,
                           const paulimpi_truncation *truncation,
                           int64_t n_words);
void paulimpi__chooser_free(paulimpi__chooser *chooser);

/** Choose from the terms of all ranks of ctx, n_all of them: this rank drops
 * its part. Without ctx (NULL) this rank has all terms, and nothing can fail;
 * else it is collective and MPI can, with the terms as they were. layer numbers
 * the truncations of a propagation, for random numbers: 0 is the input, or a
 * truncation alone. */
int paulimpi__choose(const paulimpi__chooser *chooser, paulimpi_context *ctx,
                     paulimpi__store *store, int64_t n_all, int64_t layer,
                     paulimpi__dropped *dropped);

/** I, X, Y, Z as 0, 1, 2, 3. */
static inline uint64_t
paulimpi__letter_rank(uint64_t x, uint64_t z)
{
    return z << 1 | (x ^ z);
}

/** The magnitude of a double as an integer in the same order. */
static inline uint64_t
paulimpi__magnitude(double c)
{
    uint64_t bits;

    memcpy(&bits, &c, sizeof bits);
    return bits & ~((uint64_t)1 << 63);
}

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
