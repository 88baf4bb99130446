/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A stretch of operations that take no term to another rank.
 *
 * Between stretches the functions that name the ranks are drawn anew, so that
 * they are 0 on the generators of the next one, and the terms move, as the data
 * of a distributed Fourier transform do between its dimensions.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_STRETCH_H
#define PAULIMPI_SRC_PROPAGATE_STRETCH_H

#include "propagate/engine.h"
#include "propagate/shares.h"
#include "propagate/span.h"

typedef struct {
    int64_t first;
    int64_t end;
    int64_t n_words;
    int is_mixed;         /* not all generators commute */
    int64_t most_mixed;   /* the largest rank of such */
    int64_t n_generators; /* of rotations and maps, as they are before the
                             turns */
    uint64_t *generator;
    int64_t n_turns;     /* by odd numbers of quarters */
    uint64_t *turn;      /* their strings */
    int64_t *turn_op;    /* the operation that each is */
    paulimpi__span span; /* of the generators, and of some that follow, and of
                            what is excluded */
    const uint64_t *excluded; /* coordinates, or NULL */
    int64_t n_excluded;
} paulimpi__stretch;

/** Make room for any stretch of a run. 0 or PAULIMPI_ERR_MEMORY; free it in
 * either case. */
int paulimpi__stretch_init(paulimpi__stretch *stretch,
                           const paulimpi__run *run);
void paulimpi__stretch_free(paulimpi__stretch *stretch);

/** Let no function look at some coordinates of the strings, from the next
 * gather on; they must stay where they are. 0 or PAULIMPI_ERR_MEMORY. */
int paulimpi__stretch_exclude(paulimpi__stretch *stretch,
                              const uint64_t *coordinates);

/** Gather the truncation units of a run from operation `first` on whose
 * generators commute, or have a small rank, and leave n_functions functions
 * that are 0 on all; at least one unit. The same on all ranks. */
void paulimpi__stretch_gather(paulimpi__stretch *stretch,
                              const paulimpi__run *run, int64_t first,
                              int n_functions);

/** The same with another limit to the rank of generators that do not all
 * commute, to look beyond the end of a stretch. */
void paulimpi__stretch_gather_far(paulimpi__stretch *stretch,
                                  const paulimpi__run *run, int64_t first,
                                  int n_functions, int64_t most_mixed);

/** Whether a function is 0 on the generators. */
int paulimpi__stretch_vanishes(const paulimpi__stretch *stretch,
                               const uint64_t *function);
/** Whether all functions of the shares are 0 on the generators. */
int paulimpi__stretch_allows(const paulimpi__stretch *stretch,
                             const paulimpi__shares *shares);

/** Draw anew the functions of the shares that are not 0 on the generators;
 * `draw` numbers them and is moved on. Returns how many that were. */
int paulimpi__stretch_draw(const paulimpi__stretch *stretch,
                           paulimpi__shares *shares, uint64_t *draw);

/** Let the shares follow the turns, of which those before operation `end` have
 * acted. */
void paulimpi__stretch_follow(const paulimpi__stretch *stretch, int64_t end,
                              paulimpi__shares *shares);

/** The other way: functions of terms after all turns become functions of terms
 * before them. */
void paulimpi__stretch_go_before(const paulimpi__stretch *stretch,
                                 paulimpi__shares *shares);

#endif /* PAULIMPI_SRC_PROPAGATE_STRETCH_H */
