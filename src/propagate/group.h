/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A group of gates that tiles can be taken through at once, and the hash that
 * makes them tiles.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_GROUP_H
#define PAULIMPI_SRC_PROPAGATE_GROUP_H

#include "propagate/in_place.h"
#include "propagate/span.h"

enum {
    PAULIMPI__GROUP_GATES = 1024, /* at most, of those that act */
    PAULIMPI__GROUP_ROWS = 32,    /* functions for the buckets, at most */
    PAULIMPI__MANY_ROWS = 10,     /* beyond so many one less than would make
                                     tiles: the cache no longer holds the lines
                                     that chains are at */
    /* Buckets that grow too large are split, and their parts again, by other
     * functions. */
    PAULIMPI__GROUP_SPLITS = 4,    /* one in another */
    PAULIMPI__SPLIT_FUNCTIONS = 3, /* of each */
    PAULIMPI__GROUP_SPLIT_ROWS =
        PAULIMPI__GROUP_SPLITS * PAULIMPI__SPLIT_FUNCTIONS
};

/* Operations `first` up to `end` of a run: rotations, turns, and channels that
 * multiply. Those that cannot move or change any term, since the sum has no
 * letters where they act, are passed over. */
typedef struct {
    int64_t most_gates;
    int64_t first;
    int64_t end;
    int64_t n_gates;                   /* that act */
    int64_t n_rotations;               /* of them */
    int64_t op[PAULIMPI__GROUP_GATES]; /* their numbers */
    int is_plain;                      /* as orbits want it */
    int is_mixed;                      /* not all rotations commute */
    int has_mixed_letters;             /* on some qubit */
    int64_t first_turn; /* the number of the first turn among the gates */
    uint64_t *used;     /* letters of generators, if there is one a qubit */
    uint64_t *key; /* of their generators as they are before the turns of the
                      group, 2 n_words words each; 0 if not a rotation */
    paulimpi__span span; /* of these */
    uint64_t *support;   /* bits that may be set in terms, after the group */
    uint32_t *hash_of;   /* the hash by which terms are in tiles */
    uint64_t *function;  /* that make the low bits of this hash */
    int n_functions;     /* of them, of which the last may not be used */
    uint64_t *split;     /* more functions that vanish on the group */
    int log2_buckets;
} paulimpi__group;

int paulimpi__group_init(paulimpi__group *group, const paulimpi__run *run);
void paulimpi__group_free(paulimpi__group *group);

/** Whether an operation, not a map, can change terms in which no other bits
 * than these are set. */
int paulimpi__support_is_met(const uint64_t *support, int64_t n_words,
                             const paulimpi__ready_op *op);
/** Add the bits that it may then set. */
void paulimpi__support_widen(uint64_t *support, int64_t n_words,
                             const paulimpi__ready_op *op);

/** Gather the group that begins with operation `first`: gates that commute, or
 * any gates as long as their rank is small; and few enough of them that
 * functions for 2^log2_buckets buckets are left which vanish on all. A plain
 * group has rotations that commute, with nothing else between them. support
 * holds the bits that may be set in the terms before. */
void paulimpi__group_gather(paulimpi__group *group, const paulimpi__run *run,
                            int64_t first, const uint64_t *support,
                            int log2_buckets, int is_plain);

/** Gather all operations that can be in a group from `first` on, for a sum that
 * is one tile: nothing has to vanish, and there is nothing to draw. */
void paulimpi__group_gather_all(paulimpi__group *group,
                                const paulimpi__run *run, int64_t first,
                                const uint64_t *support);

/** Draw the hash of the group, for a store with the hash that it has: the low
 * bits vanish on the group, the others stay. `draw` numbers the functions and
 * is moved on. */
void paulimpi__group_draw(paulimpi__group *group, const paulimpi__store *store,
                          uint64_t *draw);

/** The same, where the low bits are given: so many functions that vanish on
 * the group, and say how many buckets there are. */
void paulimpi__group_draw_given(paulimpi__group *group,
                                const paulimpi__store *store,
                                const uint64_t *function, int n_functions,
                                uint64_t *draw);

/** The key of generator k. */
static inline uint64_t *
paulimpi__group_key(const paulimpi__group *group, int64_t k)
{
    return group->key + k * 2 * group->span.n_words;
}

#endif /* PAULIMPI_SRC_PROPAGATE_GROUP_H */
