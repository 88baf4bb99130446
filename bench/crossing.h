/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The other way to work on several ranks, as a model: rows stay for longer than
 * a stretch, and ranks exchange the active terms of the gates that cross them.
 *
 * At every border between stretches rows are looked for that could serve the
 * next few stretches: 0 on as many generators as possible, those with the most
 * active terms first, as long as the terms that are there are balanced over the
 * ranks; or single bits of the strings, as of a lattice cut in blocks. How many
 * terms are active in each gate is known from another run. At the end the
 * cheapest way through all borders is taken. So the model knows
 * more than a planner could.
 */
#ifndef BENCH_CROSSING_H
#define BENCH_CROSSING_H

#include <paulimpi.h>

#include "propagate/rows.h"

enum { CROSSING_SPANS = 4 }; /* 2, 4, 8 and 16 stretches */

/* What it costs to get from a border to another one. */
typedef struct {
    double terms;    /* sent by all ranks, */
    double crossed;  /* of them, by gates that cross */
    double messages; /* of a rank, one after another */
} crossing_cost;

typedef struct crossing {
    const paulimpi_propagation_layer *layers; /* one a gate that acts */
    int64_t n_layers;
    int64_t n_borders;
    int64_t most_borders;
    crossing_cost *move; /* of terms, at each border */
    crossing_cost (*cross)[CROSSING_SPANS];
} crossing;

/** Make room for so many borders. @return 1, or 0 without memory */
int crossing_init(crossing *c, const paulimpi_propagation_layer *layers,
                  int64_t n_layers, int64_t most_borders);
void crossing_free(crossing *c);

/** Look for rows at a border, at which `moved` terms would move to one of
 * `partners` ranks. 0 or PAULIMPI_ERR_MEMORY. */
int crossing_look(crossing *c, const paulimpi__run *run,
                  const paulimpi__shares *like, int64_t moved,
                  double partners);

/** The cheapest way, if a term costs `term` seconds and a message `message`.
 * @return its seconds; what is sent in total */
double crossing_best(const crossing *c, double term, double message,
                     crossing_cost *total);

#endif /* BENCH_CROSSING_H */
