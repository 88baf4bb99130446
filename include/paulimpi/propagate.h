/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Propagation of a sum through a circuit.
 */
#ifndef PAULIMPI_PROPAGATE_H
#define PAULIMPI_PROPAGATE_H

#include <stddef.h>
#include <stdint.h>

#include "paulimpi/circuit.h"
#include "paulimpi/export.h"
#include "paulimpi/status.h"
#include "paulimpi/sum.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Propagation
 *
 * In the Heisenberg picture an observable O becomes U^dagger O U: the gates
 * act on it from the last to the first, and its expectation value in the
 * initial state is what the circuit would measure:
 *
 *     paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
 *     paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
 *
 *     options.truncation.min_abs = 1e-4;
 *     paulimpi_propagate(observable, circuit, &options, &report);
 *     paulimpi_sum_expectation_product(observable, "0", &value);
 *
 * In the Schroedinger picture a state's sum rho becomes U rho U^dagger: the
 * gates act from the first to the last.
 *
 * The sum is truncated once before the first gate, then after each gate or
 * truncation group. A circuit without gates changes nothing.
 *
 * Results have the same bits for any number of ranks and threads.
 */
enum {
    PAULIMPI_HEISENBERG = 0,  /**< O -> U^dagger O U, last gate first */
    PAULIMPI_SCHROEDINGER = 1 /**< rho -> U rho U^dagger, first gate first */
};

enum {
    PAULIMPI_ENGINE_AUTOMATIC = 0,
    PAULIMPI_ENGINE_IN_PLACE = 1, /**< gate by gate, over the whole sum */
    PAULIMPI_ENGINE_TILE = 2,     /**< groups of gates, over parts of the sum
                                       that stay in the caches */
    PAULIMPI_ENGINE_ORBIT = 3     /**< the same, but groups of rotations that
                                       commute are taken orbit by orbit: sets
                                       of terms that only move among
                                       themselves; what cannot be taken so
                                       (limits of weight, rotations that do
                                       not commute) as by the former */
};

/**
 * What says on which rank a term is, where there are several.
 *
 * A row is a linear function of a string's bits: the parity of some of its
 * coordinates, x and z bits of qubits. The values of all rows together name the
 * rank, so that a gate takes no term to another one if every row is 0 on the
 * strings that it multiplies terms by. The circuit is cut into stretches of
 * gates that leave so many rows, and between stretches, where rows change,
 * terms move. Whatever rows are asked for, results have the same bits.
 *
 * Rows that are wanted (blocks, given) are used where they can be: in each
 * stretch, those of them and of their sums that are 0 on all of its gates come
 * first, in the order in which they are given, as the rows that tell most about
 * the rank. The rest is drawn as by PAULIMPI_ROWS_PLANNED, but without a look
 * ahead.
 */
enum {
    /** Drawn so that they stay for long and all ranks have as many terms, by a
     * sample of the terms. */
    PAULIMPI_ROWS_PLANNED = 0,

    /** Drawn by rows_seed alone, without a look at the terms, of which a rank
     * may then have many more than others. */
    PAULIMPI_ROWS_RANDOM = 1,

    /** For a lattice that is cut in blocks of sites: for each block the parity
     * of its z bits, and that of its x bits. */
    PAULIMPI_ROWS_BLOCKS = 2,

    /** As planned, but no row has any of the coordinates in rows_x and rows_z.
     * The fewer are left, the shorter the stretches, and where a gate leaves no
     * row, one rank has all terms. */
    PAULIMPI_ROWS_EXCLUDE = 3,

    /** Those in rows_x and rows_z. */
    PAULIMPI_ROWS_GIVEN = 4
};

/** How terms move to another rank of the same node; those for other nodes go by
 * MPI. Results have the same bits. */
enum {
    /** Through a segment, see paulimpi_segment_create(), when there are enough
     * of them for the first time and all nodes have room for it; else by
     * MPI. */
    PAULIMPI_TRANSPORT_AUTOMATIC = 0,

    /** Through a segment. Where there is none to be had, the propagation ends
     * with the error of paulimpi_segment_create(). */
    PAULIMPI_TRANSPORT_SEGMENT = 1,

    /** By MPI. */
    PAULIMPI_TRANSPORT_MPI = 2
};

/** How far a propagation has come, for the callback. */
typedef struct {
    size_t size;        /**< of this struct */
    int64_t gates_done; /**< gates that have acted on the sum; goes back once
                             if memory runs out inside a group of gates */
    int64_t gates;      /**< of the circuit */
    int64_t terms;      /**< in the sum now */
    int64_t bytes;      /**< held by the terms now, on this rank */
    int64_t term_gates; /**< see paulimpi_propagation_report */
    double seconds;     /**< since the start */
} paulimpi_propagation_progress;

/** What happened at one gate or channel (a layer), on request. */
typedef struct {
    int64_t gate;         /**< number in the circuit, from 0, order of time */
    int64_t terms_before; /**< terms when the gate was applied */
    int64_t terms_after;  /**< terms after it and its truncation */
    int64_t active;       /**< terms that anticommute, for each generator */
    double dropped_norm1; /**< sum of |c| that its truncation dropped */
    double dropped_norm2; /**< square root of the sum of c^2, likewise */
    double seconds;       /**< spent; neighbours that share a pass share it */
} paulimpi_propagation_layer;

/** Start from PAULIMPI_PROPAGATION_OPTIONS_INIT. */
typedef struct {
    size_t size;                    /**< of this struct */
    paulimpi_truncation truncation; /**< initially PAULIMPI_TRUNCATION_INIT */
    int picture;                    /**< initially PAULIMPI_HEISENBERG */
    int engine;                     /**< initially PAULIMPI_ENGINE_AUTOMATIC */

    /** Bytes that the terms of this rank may take. Initially
     * PAULIMPI_AUTOMATIC: the memory available on the node when the
     * terms begin to grow, divided by the ranks on it. A gate that might pass
     * the limit is not begun. */
    int64_t memory_limit;

    /** Called by the calling thread between gates, not necessarily after each
     * one; what it returns, if not 0, ends the propagation with
     * PAULIMPI_ERR_CANCELLED. Initially NULL. */
    int (*progress)(const paulimpi_propagation_progress *progress, void *data);
    void *progress_data; /**< handed to the callback */

    /** Room for one entry a gate, in the order in which they act on the sum;
     * n_layers of them are filled at most. Initially NULL and 0. */
    paulimpi_propagation_layer *layers;
    int64_t n_layers;

    /* On several ranks: where terms are. Results do not depend on it. */
    int rows;          /**< initially PAULIMPI_ROWS_PLANNED */
    int64_t rows_seed; /**< of what is drawn; initially 0 */

    /** Rows for PAULIMPI_ROWS_GIVEN, one after the other, each with as many
     * words as paulimpi_pauli_words() says: the coordinates of a row, x and z.
     * For PAULIMPI_ROWS_EXCLUDE, coordinates that no row has, which may be
     * spread over several. One of both pointers may be NULL: no bits. Initially
     * 0 and NULL. */
    int64_t n_rows;
    const uint64_t *rows_x;
    const uint64_t *rows_z;

    /** For PAULIMPI_ROWS_BLOCKS, the block of each qubit, a number from 0 to
     * that of qubits less one, or -1: in none. Initially 0 and NULL: as many
     * blocks as ranks, of neighbours. */
    int64_t n_blocks;
    const int64_t *blocks;

    /** Ranks of unequal speed or memory get terms by these weights: positive
     * numbers, one for each rank. Initially 0 and NULL: equal parts. */
    int64_t n_weights;
    const double *weights;

    int transport; /**< initially PAULIMPI_TRANSPORT_AUTOMATIC */

    /** A file to go on from if the process ends before the propagation does,
     * or NULL (initially). It holds the sum, what the report tells, and what
     * tells this propagation from others. It is written before the first gate,
     * then between gates when checkpoint_gates more of them are done or
     * checkpoint_seconds have passed since the last one, and when the callback
     * or a lack of memory ends the work. Each takes the place of the one before
     * when it is complete on the disk: whenever the process is killed, the
     * last one is there. A name that ends in .h5 or .hdf5 is written with HDF5;
     * see paulimpi_sum_write(). */
    const char *checkpoint_path;
    int64_t checkpoint_gates;  /**< from 1; initially PAULIMPI_UNLIMITED */
    double checkpoint_seconds; /**< from 0; initially 600 */

    /** A checkpoint to go on from, or NULL (initially): the sum is replaced by
     * the one in the file, and the gates that are done are left out. The
     * result has the bits of a propagation that was never interrupted; so have
     * the report, but for times and bytes, and those layers that the former
     * one was asked for. The circuit, the truncation and the picture must be
     * those of the former propagation, and the sum the one that it began with,
     * or empty; threads, ranks and the engine may be others. */
    const char *restart_path;
} paulimpi_propagation_options;

#define PAULIMPI_PROPAGATION_OPTIONS_INIT                                     \
    {                                                                         \
        sizeof(paulimpi_propagation_options), PAULIMPI_TRUNCATION_INIT,       \
            PAULIMPI_HEISENBERG, PAULIMPI_ENGINE_AUTOMATIC,                   \
            PAULIMPI_AUTOMATIC, NULL, NULL, NULL, 0, PAULIMPI_ROWS_PLANNED,   \
            0, 0, NULL, NULL, 0, NULL, 0, NULL, PAULIMPI_TRANSPORT_AUTOMATIC, \
            NULL, PAULIMPI_UNLIMITED, 600.0, NULL                             \
    }

/** What a propagation did. Start from PAULIMPI_PROPAGATION_REPORT_INIT. */
typedef struct {
    size_t size;        /**< of this struct, set by the caller */
    int64_t gates;      /**< gates that acted, all unless it ended early */
    int64_t terms;      /**< at the end */
    int64_t peak_terms; /**< largest number after a truncation */
    int64_t peak_bytes; /**< most bytes that the terms took on a rank */
    int64_t term_gates; /**< sum over gates of the terms before the gate */
    /** Sum over gates of the terms that anticommute with its generator, added
     * up over the generators of a gate that has several; none for an angle
     * of 0. */
    int64_t active_gates;
    double dropped_norm1; /**< sum of |c| over all dropped terms */
    double dropped_norm2; /**< square root of the sum of their c^2 */

    /** The truncation error of any expectation value with a state is at most
     * this, up to rounding: in the Heisenberg picture gates and channels do
     * not enlarge the operator norm, which the dropped 1-norm bounds. Not a
     * number in the Schroedinger picture or with PAULIMPI_KEEP_RANDOM, where no
     * such bound holds. */
    double error_bound;

    double seconds; /**< of wall time */
    int threads;    /**< of this rank */
    int ranks;      /**< of the context */
    int engine;     /**< PAULIMPI_ENGINE_..., the one that ran */

    /* On several ranks; 0 on one. */
    int64_t stretches;   /**< parts of the circuit that took no term to another
                              rank */
    int64_t moves;       /**< times that terms moved, between stretches */
    int64_t terms_moved; /**< terms that moved to another rank, in all */
    int64_t bytes_moved; /**< likewise */
    int64_t bytes_segment; /**< those of them that went through segments; the
                                others went by MPI */
    double imbalance; /**< terms of the rank that had most after a move over
                              the mean, or, with weights, of the one that had
                              most for its weight over its part; at the worst
                              move of a sum that is not on all ranks */
} paulimpi_propagation_report;

#define PAULIMPI_PROPAGATION_REPORT_INIT                                      \
    {                                                                         \
        sizeof(paulimpi_propagation_report), 0, 0, 0, 0, 0, 0, 0.0, 0.0, 0.0, \
            0.0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0                                  \
    }

/**
 * Propagate a sum through a circuit, in place. Collective.
 *
 * @param sum      changed; after an error that stopped the work between two
 *                 gates it is as it was before the next gate (or truncation
 *                 group), after any other error as it was at the call
 * @param options  NULL for the initial values
 * @param report   NULL, or filled, also after an error that stopped the work
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT for NULL, an option out of
 *         range, min_abs not a number or negative, or a variable
 *         (PAULIMPI_SIMD) that asks for what the processor cannot do;
 *         PAULIMPI_ERR_MISMATCH for another number of qubits, or a checkpoint
 *         of another propagation, naming what differs;
 *         PAULIMPI_ERR_STATE inside a truncation group; PAULIMPI_ERR_MEMORY at
 *         the limit or without memory, PAULIMPI_ERR_CANCELLED, and
 *         PAULIMPI_ERR_IO for a checkpoint that cannot be written, all of
 *         which stop between gates; PAULIMPI_ERR_IO for one that cannot be
 *         read, or that is damaged; PAULIMPI_ERR_UNSUPPORTED for one in HDF5
 *         from a library without it
 */
PAULIMPI_API int
paulimpi_propagate(paulimpi_sum *sum, const paulimpi_circuit *circuit,
                   const paulimpi_propagation_options *options,
                   paulimpi_propagation_report *report);

/**
 * Tell what any number of ranks would do with a circuit, without running it.
 * Local.
 *
 * Ranks work alone through stretches of the circuit whose gates take no term to
 * another rank; between them terms move. The text has a line a stretch: the
 * gates from and to (numbers in the circuit), how many, how many of them
 * multiply terms by strings, the rank over GF(2) of these strings, how many of
 * the linear functions (rows) that say where a term is are kept and how many
 * are new, the part of the terms that moves before the stretch if they are
 * spread evenly (from a sample unless n_ranks is a power of 2), and to how
 * many ranks each sends. The end adds all up, and says how many gates would
 * take terms to other ranks if rows were drawn at random and stayed.
 *
 * The plan is of a sum that is spread over the ranks from the first gate on;
 * as long as terms are few all ranks have all of them and none moves. What is
 * drawn in a run depends on the terms, too.
 *
 * @param options  NULL for the initial values; picture, rows and what belongs
 *                 to it, and weights, of n_ranks ranks, count
 * @param n_ranks  from 1 to 2^20
 * @param text_p   set to the text, for paulimpi_text_destroy(); NULL on failure
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_STATE inside a
 *         truncation group, or PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int
paulimpi_propagation_plan(const paulimpi_circuit *circuit,
                          const paulimpi_propagation_options *options,
                          int n_ranks, char **text_p);

#ifdef __cplusplus
}
#endif

#endif /* PAULIMPI_PROPAGATE_H */
