/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Drawing the functions that say which rank holds which term.
 *
 * What is drawn depends on the terms of all ranks and on nothing else: not on
 * how they are stored, nor on threads. So the same is drawn again in the next
 * run, and where many ranks are only counted with on one.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_ROWS_H
#define PAULIMPI_SRC_PROPAGATE_ROWS_H

#include "propagate/wish.h"

/** Add up counts over all ranks. 0 or a code. */
typedef int (*paulimpi__count_adder)(void *data, int64_t n, int64_t *counts);

/* A sample that is counted many times: its strings, in blocks. Start from
 * { NULL }. */
typedef struct {
    char *blocks;
    size_t block_bytes;
    int64_t most_terms; /* for which there is room */
    int64_t n_terms;
} paulimpi__sample;

typedef struct {
    paulimpi__count_adder add; /* NULL: all terms are here */
    void *data;                /* for it */
    paulimpi__shares drawn;    /* what came of it */
    double imbalance;          /* by what has been counted */
    double largest;            /* part of the terms in one shard, by the sample
                                */
    paulimpi__shares tried;
    paulimpi__shares counted; /* the same, as functions of the sample */
    paulimpi__sample sample;
    int64_t n_sampled; /* terms that it was taken of; 0: it is of no use */
    int64_t *of_shard;
    uint64_t n_draws; /* so far, which numbers them */
    const paulimpi__run *run;
    paulimpi__wish *wish;
    paulimpi__stretch far; /* with some that follow */
} paulimpi__drawing;

/** Make room for shares like these, for a run and what is wished for it; the
 * first draw is number `draw`. 0 or PAULIMPI_ERR_MEMORY; free it in either
 * case. */
int paulimpi__drawing_init(paulimpi__drawing *rows, const paulimpi__run *run,
                           const paulimpi__shares *like, paulimpi__wish *wish,
                           uint64_t draw);
void paulimpi__drawing_free(paulimpi__drawing *rows);

/** Find functions and a table for a stretch, by a sample of the n_terms terms
 * that there are, or of some earlier: those of `now` as far as they can stay,
 * and new ones, as the wish says: without one, they are good for the stretches
 * after it, too, if that balances the ranks. If `before` is not NULL, the terms
 * have that stretch before them still. Whether anything is new. 0 or the
 * adder's code. */
int paulimpi__draw_rows(paulimpi__drawing *rows,
                        const paulimpi__stretch *stretch,
                        const paulimpi__stretch *before,
                        const paulimpi__shares *now, int64_t n_terms,
                        int *is_new);

/** When the terms have come to the stretch that was drawn for: deal its shards
 * out, by counts of all terms of all ranks. Whether the ranks are as even as
 * the wish lets them be, or nearly so. */
int paulimpi__settle_rows(paulimpi__drawing *rows, const int64_t *of_shard);

/** Of so many terms on so many ranks, one in how many is a sample; as a power
 * of 2. */
int paulimpi__sample_step(int64_t n_terms, int n_ranks);

/** Take a sample of a store. Where memory runs out it is smaller. */
void paulimpi__sample_take(paulimpi__sample *sample,
                           const paulimpi__store *store, int log2_step);
void paulimpi__sample_free(paulimpi__sample *sample);
/** Count it by shards. */
void paulimpi__sample_shards(const paulimpi__sample *sample,
                             const paulimpi__shares *shares,
                             int64_t *of_shard);

/** Count all terms of a store by shards. */
void paulimpi__count_by_shard(const paulimpi__store *store,
                              const paulimpi__shares *shares,
                              int64_t *of_shard);

#endif /* PAULIMPI_SRC_PROPAGATE_ROWS_H */
