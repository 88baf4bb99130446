/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A propagation on several ranks: its state, and where the terms are.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_SPREAD_H
#define PAULIMPI_SRC_PROPAGATE_SPREAD_H

#include "propagate/in_place.h"
#include "propagate/move.h"
#include "propagate/ranks.h"
#include "propagate/rows.h"
#include "propagate/stretch.h"
#include "propagate/wish.h"

enum { PAULIMPI__MOST_ROWS = 24 /* by which terms are dealt out */ };

typedef struct {
    const paulimpi__job *job;
    paulimpi__run *run;
    paulimpi_sum *sum;
    const paulimpi_truncation *policy; /* of all ranks together */
    paulimpi_truncation alone;         /* of each for itself */
    paulimpi__carrier carrier;
    paulimpi__stretch stretch;
    paulimpi__stretch next_stretch;
    uint64_t *bound; /* bits that may be set in any term */
    paulimpi__wish wish;
    paulimpi__drawing rows; /* for the next stretch */
    paulimpi__shares then;  /* the shares after the stretch, if they stay */
    uint64_t *functions;    /* by which the engine deals terms out for the next
                               stretch */
    uint64_t n_draws;       /* of these, as far as they are not the rows' */
    int64_t tile_terms;     /* least of all ranks; 0: one has no tiles */
    int has_ahead;          /* the next stretch has been looked at, */
    int is_new;             /* and wants other shares */
    int64_t n_begin;        /* terms at the beginning of the stretch */
    int64_t *said;     /* memory of what ranks say after a stretch, with */
    int64_t *of_shard; /* the terms of each shard that was drawn ahead, and */
    int64_t *trace;    /* those after each operation */
    int has_dealt;     /* by these shards, on all ranks */
    int is_watched;    /* on some rank, by a progress callback */
    int64_t most_copied;
    int is_copied; /* every rank has all terms */
    int64_t n_terms;
    int64_t peak_terms;
    int64_t term_gates; /* of all ranks, for the callback */

    /* To go back to. */
    int has_net;
    int net_is_copied;
    paulimpi__store net;
    paulimpi__shares net_shares;
    paulimpi__run net_run;
    int is_careful; /* since memory ran out */
} paulimpi__spread;

/** Add up a few numbers over the ranks; where every rank has all terms, one
 * counts for all. Collective, like all of these that return a code. */
int paulimpi__spread_add_up(paulimpi__spread *s, int64_t n, int64_t *values);
/** Count the terms and term-gates of all ranks. */
int paulimpi__spread_count(paulimpi__spread *s);
/** Note how many they are. Local. */
void paulimpi__spread_note_counts(paulimpi__spread *s, int64_t n_terms,
                                  int64_t term_gates);
/** Keep as many terms of all ranks as the policy says. */
int paulimpi__spread_choose(paulimpi__spread *s, paulimpi__dropped *dropped);

/** Find out how large tiles are, and whether anybody watches. */
int paulimpi__spread_compare(paulimpi__spread *s);

/** Whether every unit is a step of its own. */
int paulimpi__spread_is_stepwise(const paulimpi__spread *s);

/** What this rank has dropped so far, in the run's tally. Local. */
void paulimpi__collect_dropped(paulimpi__run *run);

/** After all ranks had all terms: from now on their tallies are added up.
 * Local. */
void paulimpi__spread_leave_tallies(paulimpi__spread *s);

/** Gather the stretch that comes next, and move the terms to where it wants
 * them. */
int paulimpi__spread_move(paulimpi__spread *s);
/** The shares follow what has been done of the stretch. Local. */
void paulimpi__spread_leave_stretch(paulimpi__spread *s);

/** Give every rank all terms; let every rank keep its share of what all have.
 */
int paulimpi__spread_copy(paulimpi__spread *s);
int paulimpi__spread_part(paulimpi__spread *s);

/** Keep a copy of the sum to go back to, if all ranks can afford it; without
 * one the run is careful. */
int paulimpi__spread_keep_copy(paulimpi__spread *s);
/** Back to the copy, on all ranks, and careful from there. Local. */
void paulimpi__spread_go_back(paulimpi__spread *s);

/* hear.c: how a step went on the worst rank. */
enum { PAULIMPI__WENT_WELL, PAULIMPI__RAN_OUT, PAULIMPI__FAILED };

/** Memory for what is said after a stretch. 0 or PAULIMPI_ERR_MEMORY. Local. */
int paulimpi__spread_make_lists(paulimpi__spread *s);
/** Hear how a step went; code is what came of it here. What can be mended by
 * going back is no failure. */
int paulimpi__spread_hear(paulimpi__spread *s, int code, int *went_p);
/** Start to note how many terms there are after operations of the stretch.
 * Local. */
void paulimpi__spread_begin_trace(paulimpi__spread *s);
/** Hear how the stretch went, which began with n_before terms here; if it went
 * well, also of the terms, the shards that were drawn ahead, and the largest
 * number of terms of all ranks after any operation. */
int paulimpi__spread_hear_stretch(paulimpi__spread *s, int code,
                                  int64_t n_before, int *went_p);

#endif /* PAULIMPI_SRC_PROPAGATE_SPREAD_H */
