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
#include "propagate/tile_regions.h"

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
    uint64_t *function; /* 32 keys, that make the hashes of the terms before
                           the group; */
    paulimpi__tile_sums hash; /* the same */
    /* What becomes of them before a gate in the middle, of each thread. */
    paulimpi__tile_sums *crossed;
    int64_t *crossed_to; /* this gate, or -1 */
    uint64_t *crossing;  /* keys on the way */
    uint64_t *part;      /* functions that deal a tile out over parts, of each
                       thread */
    uint64_t
        *may_be_set; /* bits of the group's support, in the tile's words */
    uint64_t *wide;  /* a key of the store */
    int64_t *word;   /* likewise */
    int64_t *column;
    int64_t *start;
    paulimpi__deal deal;
    paulimpi__regions regions;
    paulimpi__tile *tile; /* of each thread */
    int64_t first_orbit;  /* gates that tiles are taken through by orbits, */
    int64_t end_orbit;    /* if there are any; all rotations of the group */
    paulimpi__orbits *orbits; /* of each thread */
    int64_t *count;           /* of living terms before each gate and after the
                             last, of each thread */
    uint64_t *seen; /* bits set in terms afterwards, of each thread; if the sum
                       is one tile */
    atomic_int has_failed;
    atomic_int_fast64_t born; /* terms, whatever became of them */
    double log_births;        /* see paulimpi__tile_pass_note_births() */
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

/** Note how many terms some rotations have borne for each that they found. */
void paulimpi__tile_pass_note_births(paulimpi__tile_pass *pass, double births,
                                     int64_t n_rotations);
/** Whether n rotations are expected to bear so many terms that orbits are to be
 * thought of. */
int paulimpi__tile_pass_may_want_orbits(const paulimpi__tile_pass *pass,
                                        int64_t n_rotations);
/** Whether a group should go by orbits, as far as that was asked for or is
 * faster. */
int paulimpi__tile_pass_wants_orbits(const paulimpi__tile_pass *pass,
                                     const paulimpi__run *run,
                                     const paulimpi__group *group);
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
const paulimpi__tile_sums *
paulimpi__tile_pass_functions(const paulimpi__tile_pass *pass, int64_t thread,
                              int64_t k);
void paulimpi__tile_pass_split(const paulimpi__tile_pass *pass, int64_t k,
                               int depth, uint64_t *function);
/** The functions that make the hashes of terms in which no other bits are set,
 * in a group without turns; until the thread asks again. */
const paulimpi__tile_sums *
paulimpi__tile_pass_functions_of(const paulimpi__tile_pass *pass,
                                 int64_t thread, const uint64_t *support);

/** The number of terms before gate k of the last pass, or after all of them.
 */
int64_t paulimpi__tile_pass_count(const paulimpi__tile_pass *pass, int64_t k);

/** The bits that are set in any term after the last pass, in which the sum was
 * one tile. */
void paulimpi__tile_pass_seen(const paulimpi__tile_pass *pass,
                              uint64_t *support);

#endif /* PAULIMPI_SRC_PROPAGATE_TILE_PASS_H */
