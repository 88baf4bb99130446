/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checkpoints: a file with the sum, the tallies, and what tells one propagation
 * from another.
 *
 * Whoever runs the gates calls, on all ranks alike,
 *
 *   - begin when the run is set up, with its tallies at 0, before anything
 *     depends on the sum (the limit of memory, the peaks, an engine);
 *   - if it says that the run goes on from a file, does not truncate the input;
 *   - first before the first gate, after the truncation of the input;
 *   - step after each advance and callback, with the code that ends the loop
 *     or 0, when every term is on one rank, or all are on every rank; is_copied
 *     says which. Tallies are added up over the ranks in the first case, and
 *     those of rank 0 count in the other. The number of terms after a
 *     truncation, which is one of all ranks, is in peak_terms if it is larger
 *     than what the run says.
 *
 * A run that goes on from a file has its tallies on every rank.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_CHECKPOINT_H
#define PAULIMPI_SRC_PROPAGATE_CHECKPOINT_H

#include <stdint.h>

#include "propagate/engine.h"

typedef struct {
    paulimpi_sum *sum;
    paulimpi__run *run;
    const paulimpi_propagation_options *options;
    int is_restart; /* the run goes on from a file */
    int is_copied;  /* the caller says: every rank has all terms */
    int64_t peak_terms;

    /* Of the sum that the run began with. */
    uint64_t input_print;
    int64_t input_terms;

    /* When the last one was written. */
    int64_t n_done;
    int64_t gates;
    double seconds;
} paulimpi__checkpoint;

/** The sentence for options that cannot be, or 0. Local. */
int paulimpi__checkpoint_check(const paulimpi_propagation_options *options,
                               const char *function);

/** Set it up. With options->restart_path: put the sum and the tallies of a file
 * in the place of those of the run; an error leaves both as they were. */
int paulimpi__checkpoint_begin(paulimpi__checkpoint *checkpoint,
                               paulimpi_sum *sum, paulimpi__run *run,
                               const paulimpi_propagation_options *options);

/** Write the first one, so that a name that cannot be written to is found out
 * at once; nothing without options->checkpoint_path. */
int paulimpi__checkpoint_first(paulimpi__checkpoint *checkpoint);

/** Write one if it is due, or if the run ends early, and return rc, or the
 * failure to write. */
int paulimpi__checkpoint_step(paulimpi__checkpoint *checkpoint, int rc);

/** The operation, from n_done on, after which to ask again whether a checkpoint
 * is due, where none of what is done before has to be asked for. Local. */
int64_t paulimpi__checkpoint_end(const paulimpi__checkpoint *checkpoint);

/* The parts of it. */
int paulimpi__checkpoint_due(const paulimpi__checkpoint *checkpoint);
int paulimpi__checkpoint_write(paulimpi__checkpoint *checkpoint);
int paulimpi__checkpoint_read(paulimpi__checkpoint *checkpoint);

/** A number that tells circuits apart: of all that propagation depends on. */
uint64_t paulimpi__circuit_print(const paulimpi_circuit *circuit);
/** The same of policies. */
uint64_t paulimpi__truncation_print(const paulimpi_truncation *truncation);

#endif /* PAULIMPI_SRC_PROPAGATE_CHECKPOINT_H */
