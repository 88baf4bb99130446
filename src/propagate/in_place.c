/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The in-place engine: unit by unit, gate by gate, over buckets of terms.
 *
 * Each pass changes the sum where it lies. So that a pass cannot fail halfway,
 * the memory that it may need at most is reserved before it begins.
 */
#include "propagate/in_place.h"

#include <math.h>

#include "propagate/few.h"

enum {
    MOST_LOCAL = 4096,  /* operations in a pass, so that a callback is heard */
    MOST_DOUBLINGS = 8, /* of the terms in a unit, to plan for at once */
    /* By how much buckets may be larger than is best before a unit, since to
     * double them costs as much as a gate; and after one, when it is not known
     * whether another will come. */
    MOST_UNBALANCED = 2,
    MOST_LEFT = 4
};

static void
apply_op(paulimpi__run *run, int64_t i, const paulimpi__limits *limits)
{
    const paulimpi__ready_op *op = &run->ops[i];

    if (paulimpi__begins_gate(run, i) && paulimpi__offspring(op) > 0) {
        run->term_gates += run->store->n_terms;
    }
    switch (op->op->kind) {
    case PAULIMPI__OP_ROTATION:
        if (op->op->n_sites > 0) {
            paulimpi__pass_rotation(run, op, limits);
        }
        break;
    case PAULIMPI__OP_MAP:
        paulimpi__pass_map(run, op, limits);
        break;
    default:
        paulimpi__pass_local(run, i, i + 1, limits);
        break;
    }
}

static int
is_local(const paulimpi__run *run, int64_t first, int64_t end)
{
    int64_t i;

    for (i = first; i < end; i++) {
        if (paulimpi__offspring(&run->ops[i]) > 0) {
            return 0;
        }
    }
    return 1;
}

paulimpi__limits
paulimpi__limits_of(const paulimpi__run *run)
{
    const paulimpi_truncation *t = run->truncation;
    int64_t n = run->store->n_qubits;

    return (paulimpi__limits){ t->min_abs, t->max_weight, t->max_xy_weight,
                               t->max_weight < n || t->max_xy_weight < n };
}

/* What a gate found, for the layers of the report. */
typedef struct {
    double start;
    int64_t terms;
    int64_t active;
} gate_note;

static gate_note
note_gate(const paulimpi__run *run)
{
    return (gate_note){ run->n_layers > 0 ? paulimpi__seconds() : 0.0,
                        run->store->n_terms, run->active_gates };
}

/* Count a gate that has acted; fill its layer if one is wanted. */
static void
close_gate(paulimpi__run *run, const gate_note *note)
{
    paulimpi_propagation_layer *layer;
    paulimpi__dropped dropped;

    if (run->gates < run->n_layers) {
        paulimpi__exact_clear(&dropped.norm1);
        paulimpi__exact_clear(&dropped.square);
        paulimpi__take_dropped(run, &dropped);
        paulimpi__exact_merge(&run->dropped.norm1, &dropped.norm1);
        paulimpi__exact_merge(&run->dropped.square, &dropped.square);

        layer = &run->layers[run->gates];
        layer->gate = run->is_schroedinger
                          ? run->gates
                          : run->circuit->n_gates - 1 - run->gates;
        layer->terms_before = note->terms;
        layer->terms_after = run->store->n_terms;
        layer->active = run->active_gates - note->active;
        layer->dropped_norm1 = paulimpi__exact_value(&dropped.norm1);
        layer->dropped_norm2 = sqrt(paulimpi__exact_value(&dropped.square));
        layer->seconds = paulimpi__seconds() - note->start;
    }
    run->gates++;
}

static void
double_bucket(const void *shared, paulimpi__worker *worker, int64_t b)
{
    paulimpi__store_double_bucket(shared, b, &worker->purse);
}

/* Double the buckets if they are larger than is best by a factor, or join them
 * if they are too small. */
static void
rebalance(paulimpi__run *run, int64_t factor)
{
    paulimpi__store *store = run->store;
    paulimpi__doubling doubling;

    while (paulimpi__store_should_double(store, store->n_terms / factor)
           && paulimpi__store_double_begin(store, &doubling)
                  == PAULIMPI_SUCCESS) {
        paulimpi__for_buckets(run, double_bucket, &doubling);
        paulimpi__store_double_end(&doubling);
    }
    paulimpi__store_join(store, store->n_terms);
}

/* Truncate at the end of a unit. A single operation has dropped its own terms
 * already, except by number. */
static void
truncate_unit(paulimpi__run *run, int64_t end, int has_swept)
{
    paulimpi__workspace *space = run->workspace;
    paulimpi__dropped *dropped = &space->worker[0].dropped;

    if (!has_swept) {
        paulimpi__store_sweep(run->store, run->truncation, dropped);
    }
    if (run->store->n_terms > run->truncation->max_terms) {
        paulimpi__choose(&run->chooser, NULL, run->store, run->store->n_terms,
                         end, dropped);
    }
    rebalance(run, MOST_LEFT);
}

/* The most terms that the operations of a unit can make out of one, less that
 * one; or -1 if they are too many to plan for. */
static int64_t
unit_offspring(const paulimpi__run *run, int64_t first, int64_t end)
{
    int64_t factor = 1;
    int64_t i;

    for (i = first; i < end; i++) {
        factor *= 1 + paulimpi__offspring(&run->ops[i]);
        if (factor > (int64_t)1 << MOST_DOUBLINGS) {
            return -1;
        }
    }
    return factor - 1;
}

/* The operations of one unit. If memory for them is planned for they cannot
 * fail; otherwise each is prepared on its own. */
static int
apply_ops(paulimpi__run *run, int64_t first, int64_t end, int is_planned)
{
    paulimpi__limits limits = paulimpi__limits_of(run);
    int is_single = end - first == 1;
    gate_note note = note_gate(run);
    int64_t i;

    for (i = first; i < end; i++) {
        int rc = is_planned ? PAULIMPI_SUCCESS
                            : paulimpi__prepare_op(run, &run->ops[i]);

        if (rc != PAULIMPI_SUCCESS) {
            return rc;
        }
        if (paulimpi__begins_gate(run, i)) {
            note = note_gate(run);
        }
        apply_op(run, i, is_single ? &limits : NULL);
        if (i + 1 == end) {
            truncate_unit(run, end, is_single);
            paulimpi__note_terms(run, i, run->store->n_terms);
        }
        if (paulimpi__ends_gate(run, i)) {
            close_gate(run, &note);
        }
    }
    run->n_done = end;
    return PAULIMPI_SUCCESS;
}

/* What a unit changes, to take it back. */
typedef struct {
    paulimpi__store store;
    paulimpi__run run;
} snapshot;

/* A unit whose later operations may lack memory when the first have acted: it
 * works on the sum, with a copy to go back to. */
static int
apply_with_copy(paulimpi__run *run, int64_t first, int64_t end)
{
    snapshot before = { .run = *run };
    int64_t bytes = paulimpi__store_bytes(run->store);
    int rc;

    paulimpi__find_limit(run);
    if (bytes > run->memory_limit - bytes
        || paulimpi__store_copy(&before.store, run->store)
               != PAULIMPI_SUCCESS) {
        return paulimpi__refuse(run, run->store->n_terms);
    }
    rc = apply_ops(run, first, end, 0);
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi__run_restore(run, &before.run, &before.store);
    } else {
        paulimpi__store_free(&before.store);
    }
    return rc;
}

/* Whether memory for all operations of a unit, whatever they do, is there. */
static int
plan_unit(paulimpi__run *run, int64_t first, int64_t end)
{
    int64_t factor = unit_offspring(run, first, end);

    return factor >= 0 && run->store->n_terms <= (INT64_MAX >> MOST_DOUBLINGS)
           && paulimpi__has_room(run, factor * run->store->n_terms)
           && paulimpi__fit_scratch(run, factor + 1) == PAULIMPI_SUCCESS;
}

static int
apply_unit(paulimpi__run *run, int64_t first, int64_t end)
{
    if (end - first == 1) {
        return apply_ops(run, first, end, 0);
    }
    if (plan_unit(run, first, end)) {
        return apply_ops(run, first, end, 1);
    }
    return apply_with_copy(run, first, end);
}

/* As many units of turns and scales as follow each other, in one pass. They
 * add no terms, so that max_terms needs no look. */
static int
apply_local_units(paulimpi__run *run, int64_t first, int64_t end)
{
    paulimpi__limits limits = paulimpi__limits_of(run);
    int64_t next = end;
    int64_t i;

    while (next < run->end && end - first < MOST_LOCAL) {
        next = paulimpi__end_of_unit(run, end);
        if (!is_local(run, end, next)) {
            break;
        }
        end = next;
    }
    paulimpi__pass_local(run, first, end, &limits);
    for (i = first; i < end; i++) {
        run->gates += paulimpi__ends_gate(run, i) != 0;
    }
    paulimpi__note_terms(run, end - 1, run->store->n_terms);
    run->n_done = end;
    return PAULIMPI_SUCCESS;
}

static int
advance(paulimpi__run *run)
{
    int64_t first = run->n_done;
    int64_t end;

    if (paulimpi__few_advance(run)) {
        return PAULIMPI_SUCCESS;
    }
    rebalance(run, MOST_UNBALANCED);
    end = paulimpi__end_of_unit(run, first);
    if (is_local(run, first, end) && run->n_layers <= run->gates) {
        return apply_local_units(run, first, end);
    }
    return apply_unit(run, first, end);
}

int
paulimpi__prepare_unit(paulimpi__run *run)
{
    int64_t first = run->n_done;
    int64_t end = paulimpi__end_of_unit(run, first);

    if (end - first == 1) {
        return paulimpi__prepare_op(run, &run->ops[first]);
    }
    return plan_unit(run, first, end)
               ? PAULIMPI_SUCCESS
               : paulimpi__refuse(run, run->store->n_terms);
}

const paulimpi__engine paulimpi__engine_in_place = {
    PAULIMPI_ENGINE_IN_PLACE, "in-place", paulimpi__workspace_begin, advance,
    paulimpi__workspace_end
};
