/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A pass of all tiles of a store through a group of gates.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_TILE_PASS_H
#define PAULIMPI_SRC_PROPAGATE_TILE_PASS_H

#include <stdatomic.h>

#include "propagate/deal.h"
#include "propagate/group.h"
#include "propagate/orbit.h"
#include "propagate/tile.h"

/* What the threads share, and what each of them has. */
typedef struct {
    const paulimpi__run *run;
    const paulimpi__tile_loops *loops;
    int64_t tile_terms; /* that a tile should have */
    int64_t most_whole; /* terms of a tile that is the whole sum, at which the
                           pass ends; 0 if it is not */
    const paulimpi__group *group;
    const paulimpi__group *next; /* NULL: the buckets stay */
    paulimpi__tile_plan plan;
    paulimpi__tile_gate *gate;
    uint64_t *key;      /* of the gates, in the tile's words */
    uint64_t *function; /* of the plan */
    uint64_t *crossed;  /* what becomes of them before a gate in the middle, of
                       each thread, */
    int64_t *crossed_to; /* which is this one; or -1 */
    uint64_t *part;      /* functions that deal a tile out over parts, of each
                       thread */
    uint64_t
        *may_be_set; /* bits of the group's support, in the tile's words */
    uint64_t *wide;  /* a key of the store */
    int64_t *word;   /* likewise */
    int64_t *column;
    paulimpi__deal deal;
    paulimpi__tile *tile; /* of each thread */
    int64_t first_orbit;  /* gates that tiles are taken through by orbits, */
    int64_t end_orbit;    /* if there are any; all rotations of the group */
    paulimpi__orbits *orbits; /* of each thread */
    int64_t *count;           /* of living terms before each gate and after the
                             last, of each thread */
    uint64_t *seen; /* bits set in terms afterwards, of each thread */
    atomic_int has_failed;
    atomic_int_fast64_t born; /* terms, whatever became of them */
    double births;            /* for each term that the last group found */
    /* The most that any bucket has grown so far, in sixteenths. */
    atomic_int_fast64_t growth;
} paulimpi__tile_pass;

/** Make what passes need. 0; PAULIMPI_ERR_MEMORY; or PAULIMPI_ERR_ARGUMENT if
 * the environment asks for what cannot be. Free it in any case. */
int paulimpi__tile_pass_init(paulimpi__tile_pass *pass,
                             const paulimpi__run *run);
void paulimpi__tile_pass_free(paulimpi__tile_pass *pass);

/** Get ready for a group, of which the buckets of the run's store are tiles.
 * The hash of the store follows the turns of the group from now on. */
void paulimpi__tile_pass_plan(paulimpi__tile_pass *pass, paulimpi__run *run,
                              const paulimpi__group *group,
                              const paulimpi__limits *limits);

/** Whether groups should go by orbits: if that engine was asked for; if none
 * was, when the last group has borne many terms. */
int paulimpi__tile_pass_wants_orbits(const paulimpi__tile_pass *pass,
                                     const paulimpi__run *run);
/** Choose whether the group that was planned for does: if it can. */
void paulimpi__tile_pass_choose(paulimpi__tile_pass *pass);

/** Take all buckets through the group, and deal the terms out over tiles of the
 * next one, if there is one (not NULL), which has been drawn since. 0; or
 * PAULIMPI_ERR_MEMORY with the store in no state to be used but to be freed. */
int paulimpi__tile_pass_do(paulimpi__tile_pass *pass, paulimpi__run *run,
                           const paulimpi__group *next);

/* For paulimpi__tile_pass_do(): plan for the next group; find the functions
 * that make the hashes of terms that are loaded before gate k, for a thread;
 * write those that split a tile before gate k, which has been split depth
 * times. */
void paulimpi__tile_pass_plan_next(paulimpi__tile_pass *pass,
                                   const paulimpi__group *next);
const uint64_t *paulimpi__tile_pass_functions(const paulimpi__tile_pass *pass,
                                              int64_t thread, int64_t k);
void paulimpi__tile_pass_split(const paulimpi__tile_pass *pass, int64_t k,
                               int depth, uint64_t *function);

/** The parity of what two keys have in common. */
static inline uint32_t
paulimpi__product(const uint64_t *a, const uint64_t *b, int64_t n)
{
    uint64_t odd = 0;
    int64_t w;

    for (w = 0; w < n; w++) {
        odd ^= a[w] & b[w];
    }
    return (uint32_t)paulimpi__parity(odd);
}

/** The number of terms before gate k of the last pass, or after all of them.
 */
int64_t paulimpi__tile_pass_count(const paulimpi__tile_pass *pass, int64_t k);

/** The bits that are set in any term after the last pass. */
void paulimpi__tile_pass_seen(const paulimpi__tile_pass *pass,
                              uint64_t *support);

#endif /* PAULIMPI_SRC_PROPAGATE_TILE_PASS_H */
