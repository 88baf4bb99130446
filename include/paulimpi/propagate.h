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
 * Results have the same bits for any number of threads.
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
} paulimpi_propagation_options;

#define PAULIMPI_PROPAGATION_OPTIONS_INIT                                     \
    {                                                                         \
        sizeof(paulimpi_propagation_options), PAULIMPI_TRUNCATION_INIT,       \
            PAULIMPI_HEISENBERG, PAULIMPI_ENGINE_AUTOMATIC,                   \
            PAULIMPI_AUTOMATIC, NULL, NULL, NULL, 0                           \
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
     * number in the Schroedinger picture, where no such bound holds. */
    double error_bound;

    double seconds; /**< of wall time */
    int threads;    /**< of this rank */
    int ranks;      /**< of the context */
    int engine;     /**< PAULIMPI_ENGINE_..., the one that ran */
} paulimpi_propagation_report;

#define PAULIMPI_PROPAGATION_REPORT_INIT                                      \
    {                                                                         \
        sizeof(paulimpi_propagation_report), 0, 0, 0, 0, 0, 0, 0.0, 0.0, 0.0, \
            0.0, 0, 0, 0                                                      \
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
 *         PAULIMPI_ERR_MISMATCH for another number of qubits;
 *         PAULIMPI_ERR_STATE inside a truncation group; PAULIMPI_ERR_MEMORY at
 *         the limit or without memory, and PAULIMPI_ERR_CANCELLED, both of
 *         which stop between gates
 */
PAULIMPI_API int
paulimpi_propagate(paulimpi_sum *sum, const paulimpi_circuit *circuit,
                   const paulimpi_propagation_options *options,
                   paulimpi_propagation_report *report);

#ifdef __cplusplus
}
#endif

#endif /* PAULIMPI_PROPAGATE_H */
