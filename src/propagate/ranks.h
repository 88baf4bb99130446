/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A propagation on several ranks.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_RANKS_H
#define PAULIMPI_SRC_PROPAGATE_RANKS_H

#include "propagate/checkpoint.h"
#include "propagate/engine.h"

/* A call of paulimpi_propagate(). */
typedef struct {
    const char *function;
    paulimpi_sum *sum;
    paulimpi__run *run;
    const paulimpi__engine *engine;
    const paulimpi_propagation_options *options;
    paulimpi__checkpoint *checkpoint;
    double start;
} paulimpi__job;

/** Tell the callback how far the run is, with so many terms and term-gates.
 * 0, or PAULIMPI_ERR_CANCELLED. */
int paulimpi__job_call_back(const paulimpi__job *job, int64_t n_terms,
                            int64_t term_gates);

/** Whether all ranks were given the same circuit and options. Collective. */
int paulimpi__ranks_check(const paulimpi__job *job);

/** Take the sum through all operations of the run, whose tallies are those of
 * all ranks afterwards. Collective. */
int paulimpi__ranks_run(paulimpi__job *job);

#endif /* PAULIMPI_SRC_PROPAGATE_RANKS_H */
