/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the user wants of the functions that say which rank holds which term.
 *
 * In a stretch no term may go to another rank, so that functions which are not
 * 0 on all of its generators cannot be used there, whatever was wished for. Of
 * the wanted ones, and of their sums, those that are 0 come first; the rest is
 * drawn.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_WISH_H
#define PAULIMPI_SRC_PROPAGATE_WISH_H

#include "paulimpi/propagate.h"
#include "propagate/stretch.h"

typedef struct {
    int choice; /* PAULIMPI_ROWS_... */
    int64_t n_words;
    int64_t n_wanted; /* functions, of 2 n_words words each */
    uint64_t *wanted;
    uint64_t *excluded;   /* coordinates that no function looks at, or NULL */
    const double *weight; /* of each rank, or NULL */
    uint64_t *left;       /* of the wanted ones, what a stretch has left */
    paulimpi__span known; /* functions of a shard's number */
} paulimpi__wish;

/** Judge the rows and weights of some options for so many ranks. */
int paulimpi__wish_check(const paulimpi_propagation_options *options,
                         int64_t n_qubits, int n_ranks, const char *function);

/** A number by which ranks see whether they wish the same. */
uint64_t paulimpi__wish_print(const paulimpi_propagation_options *options,
                              int64_t n_qubits);

/** Take the wish out of options that were judged, whose weights must stay where
 * they are. 0 or PAULIMPI_ERR_MEMORY; free it in either case. */
int paulimpi__wish_init(paulimpi__wish *wish,
                        const paulimpi_propagation_options *options,
                        int64_t n_qubits, int n_ranks);
void paulimpi__wish_free(paulimpi__wish *wish);

/** Let a stretch heed what is excluded. 0 or PAULIMPI_ERR_MEMORY. */
int paulimpi__wish_exclude(const paulimpi__wish *wish,
                           paulimpi__stretch *stretch);

/** Find functions for a stretch: as paulimpi__stretch_draw(), but wanted ones
 * first. Returns how many are new. */
int paulimpi__wish_draw(paulimpi__wish *wish, const paulimpi__stretch *stretch,
                        paulimpi__shares *shares, uint64_t *draw);

#endif /* PAULIMPI_SRC_PROPAGATE_WISH_H */
