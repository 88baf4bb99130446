/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The loops over the terms of a tile, to be compiled for one processor and
 * several widths of the keys: a file that includes this sets what the compiler
 * may use, and LOOPS and NAME.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_TILE_LOOPS_H
#define PAULIMPI_SRC_PROPAGATE_TILE_LOOPS_H

#include "propagate/tile_join.h"
#include "propagate/tile_move.h"
#include "propagate/tile_planes.h"
#include "propagate/tile_table.h"
#include "propagate/tile_turn.h"

/* The widths that are compiled by themselves: none with sanitizers, where each
 * takes a quarter of a minute. */
#ifdef PAULIMPI_ANY_WIDTH
#define FOR_WIDTHS(function, n_words, ...) function(__VA_ARGS__, n_words);
#else
#define FOR_WIDTHS(function, n_words, ...)                                    \
    switch (n_words) {                                                        \
    case 1:                                                                   \
        function(__VA_ARGS__, 1);                                             \
        break;                                                                \
    case 2:                                                                   \
        function(__VA_ARGS__, 2);                                             \
        break;                                                                \
    case 4:                                                                   \
        function(__VA_ARGS__, 4);                                             \
        break;                                                                \
    case 8:                                                                   \
        function(__VA_ARGS__, 8);                                             \
        break;                                                                \
    default:                                                                  \
        function(__VA_ARGS__, n_words);                                       \
    }
#endif

/* This needs the widths. */
#include "propagate/orbit_loops.h"

static void
load(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
     const paulimpi__chain *chain)
{
    FOR_WIDTHS(load_terms, plan->n_words, tile, plan, chain)
}

static void
hash(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
     const paulimpi__tile_sums *sums)
{
    hash_terms(tile, plan, sums);
}

static void
rotate(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
       const paulimpi__tile_gate *gate)
{
    FOR_WIDTHS(rotate_terms, plan->n_words, tile, plan, gate)
}

static void
turn(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
     const paulimpi__tile_gate *gate, int64_t n_gates)
{
    FOR_WIDTHS(turn_terms, plan->n_words, tile, plan, gate, n_gates)
}

static void
scale(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
      const paulimpi__tile_gate *gate)
{
    FOR_WIDTHS(scale_terms, plan->n_words, tile, plan, gate)
}

static int
deal(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
     const paulimpi__tile_dealer *dealer)
{
    int is_complete = 0;

    FOR_WIDTHS(deal_terms, plan->n_words, tile, plan, dealer, &is_complete)
    return is_complete;
}

static int
orbit(paulimpi__orbits *orbits, paulimpi__tile *tile, int64_t first,
      int64_t end)
{
    FOR_WIDTHS(take_orbits, orbits->plan->n_words, orbits, tile, first, end)
    return !orbits->has_failed;
}

const paulimpi__tile_loops LOOPS = { NAME, load,  hash, rotate,
                                     turn, scale, deal, orbit };

#endif /* PAULIMPI_SRC_PROPAGATE_TILE_LOOPS_H */
