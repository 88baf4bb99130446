/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A propagation on several ranks.
 *
 * Each rank takes its share of the terms through a stretch of operations that
 * moves none of them to another rank, with the engine that works on one rank;
 * then the terms move to where the next stretch wants them. As long as the
 * terms are few, every rank has all of them and there is nothing to move.
 *
 * No rank knows what the others do inside a stretch. If memory runs out on one,
 * all go back to an early copy of the sum, and from there step by step, where
 * no unit is begun before all ranks have room for it.
 */
#include <math.h>
#include <string.h>

#include "comm/comm.h"
#include "propagate/spread.h"

enum {
    MOST_COPIED = 4096, /* terms that all ranks have at the beginning, */
    GROWTH_COPIED = 2   /* and times as many later on */
};

/* The checkpoint, told what it has to know of the ranks. */
static paulimpi__checkpoint *
checkpoint_of(const paulimpi__spread *s)
{
    paulimpi__checkpoint *checkpoint = s->job->checkpoint;

    checkpoint->is_copied = s->is_copied;
    checkpoint->peak_terms = s->peak_terms;
    return checkpoint;
}

/* Begin where a checkpoint was written, with its tallies. */
static int
take_up(paulimpi__spread *s)
{
    s->peak_terms = s->run->peak_terms;
    if (!s->is_copied) {
        paulimpi__spread_leave_tallies(s);
    }
    return paulimpi__spread_count(s);
}

static int
truncate_input(paulimpi__spread *s)
{
    int rc;

    paulimpi__store_sweep(s->run->store, s->policy, &s->run->dropped);
    rc = paulimpi__spread_choose(s, &s->run->dropped);
    s->run->peak_terms = s->run->store->n_terms;
    return rc == PAULIMPI_SUCCESS ? paulimpi__spread_count(s) : rc;
}

/* Take this rank's terms up to operation `end`, or, if all ranks have all,
 * until they are many. */
static int
advance(paulimpi__spread *s, int64_t end)
{
    const paulimpi__engine *engine =
        s->is_careful ? &paulimpi__engine_in_place : s->job->engine;
    paulimpi__run *run = s->run;
    int rc = PAULIMPI_SUCCESS;

    run->end = end;
    while (rc == PAULIMPI_SUCCESS && run->n_done < end
           && (!s->is_copied
               || run->store->n_terms <= GROWTH_COPIED * s->most_copied)) {
        rc = engine->advance(run);
        if (rc == PAULIMPI_SUCCESS && s->is_copied) {
            rc = paulimpi__job_call_back(s->job, run->store->n_terms,
                                         run->term_gates);
        }
    }
    return rc;
}

/* Bring all ranks to the same operation, after they have worked on the same
 * terms, each in its own strides. */
static int
catch_up(paulimpi__spread *s)
{
    int64_t end = s->run->n_done;
    int rc = paulimpi__reduce_int64(s->sum->ctx, s->job->function,
                                    PAULIMPI__MAX, 1, &end);

    s->run->end = end;
    while (rc == PAULIMPI_SUCCESS && s->run->n_done < end) {
        rc = s->job->engine->advance(s->run);
    }
    return rc;
}

/* What a unit adds to the layers of its gates: numbers of all ranks. */
typedef struct {
    int64_t first_gate;
    paulimpi__dropped before; /* the unit */
} layer_note;

static void
begin_layers(paulimpi__spread *s, layer_note *note)
{
    paulimpi__run *run = s->run;

    note->first_gate = run->gates;
    paulimpi__collect_dropped(run);
    note->before = run->dropped;
    paulimpi__exact_clear(&run->dropped.norm1);
    paulimpi__exact_clear(&run->dropped.square);
}

/* Add up what the ranks have noted for a gate. */
static int
add_layer(paulimpi__spread *s, int64_t gate, const paulimpi__dropped *dropped)
{
    paulimpi_propagation_layer *layer = &s->run->layers[gate];
    int64_t values[3] = { layer->terms_before, layer->terms_after,
                          layer->active };
    paulimpi__exact sums[2] = { dropped->norm1, dropped->square };
    int rc = paulimpi__spread_add_up(s, 3, values);

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__reduce_exact(s->sum->ctx, s->job->function, 2, sums);
    }
    layer->terms_before = values[0];
    layer->terms_after = values[1];
    layer->active = values[2];
    layer->dropped_norm1 = paulimpi__exact_value(&sums[0]);
    layer->dropped_norm2 = sqrt(paulimpi__exact_value(&sums[1]));
    return rc;
}

/* The terms are dropped at the end of the unit: by its last gate. */
static int
end_layers(paulimpi__spread *s, layer_note *note)
{
    paulimpi__run *run = s->run;
    int64_t last = run->gates - 1;
    int rc = PAULIMPI_SUCCESS;
    int64_t g;

    paulimpi__collect_dropped(run);
    for (g = note->first_gate;
         g <= last && g < run->n_layers && rc == PAULIMPI_SUCCESS; g++) {
        paulimpi__dropped dropped = run->dropped;

        if (g < last) {
            paulimpi__exact_clear(&dropped.norm1);
            paulimpi__exact_clear(&dropped.square);
        } else {
            run->layers[g].terms_after = run->store->n_terms;
        }
        rc = add_layer(s, g, &dropped);
    }
    paulimpi__exact_merge(&run->dropped.norm1, &note->before.norm1);
    paulimpi__exact_merge(&run->dropped.square, &note->before.square);
    return rc;
}

/* A unit, with what all ranks have to do together after it. */
static int
do_unit(paulimpi__spread *s, int *went)
{
    paulimpi__run *run = s->run;
    paulimpi__dropped *dropped = &run->dropped;
    int has_layers = !s->is_copied && run->n_layers > run->gates;
    layer_note note;
    int rc = PAULIMPI_SUCCESS;

    run->end = paulimpi__end_of_unit(run, run->n_done);
    run->next_end = run->end; /* nothing is made ready beyond it */
    if (s->is_careful) {
        rc = paulimpi__agree(s->sum->ctx, paulimpi__prepare_unit(run));
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (has_layers) {
        begin_layers(s, &note);
    }
    rc = paulimpi__spread_hear(s, advance(s, run->end), went);
    if (rc != PAULIMPI_SUCCESS || *went != PAULIMPI__WENT_WELL) {
        return rc;
    }
    if (!s->is_copied) {
        rc = paulimpi__spread_choose(s, dropped);
    }
    if (rc == PAULIMPI_SUCCESS && has_layers) {
        rc = end_layers(s, &note);
    }
    return rc == PAULIMPI_SUCCESS ? paulimpi__spread_count(s) : rc;
}

/* All operations of the stretch, each rank for itself. */
static int
do_stretch(paulimpi__spread *s, int *went)
{
    int64_t n_before = s->run->store->n_terms;

    paulimpi__spread_begin_trace(s);
    return paulimpi__spread_hear_stretch(s, advance(s, s->stretch.end),
                                         n_before, went);
}

/* As far as the terms are few, on every rank. When one has been told to stop,
 * all stop after the same operation. */
static int
do_copied(paulimpi__spread *s, int *went)
{
    int rc = paulimpi__spread_hear(
        s, advance(s, paulimpi__checkpoint_end(s->job->checkpoint)), went);

    if (*went != PAULIMPI__RAN_OUT) {
        int later = catch_up(s);

        rc = rc != PAULIMPI_SUCCESS ? rc : later;
    }
    if (s->run->peak_terms > s->peak_terms) {
        s->peak_terms = s->run->peak_terms;
    }
    return rc == PAULIMPI_SUCCESS ? paulimpi__spread_count(s) : rc;
}

/* The next operations: one stretch, or a unit of it. */
static int
take_step(paulimpi__spread *s)
{
    paulimpi__run *run = s->run;
    int went = PAULIMPI__WENT_WELL;
    int rc = PAULIMPI_SUCCESS;

    if (s->is_copied && s->n_terms > GROWTH_COPIED * s->most_copied) {
        rc = paulimpi__spread_part(s);
    } else if (!s->is_copied && run->n_done >= s->stretch.end) {
        rc = paulimpi__spread_move(s);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__spread_is_stepwise(s) ? do_unit(s, &went)
             : s->is_copied                  ? do_copied(s, &went)
                                             : do_stretch(s, &went);
    }
    if (rc == PAULIMPI_SUCCESS && went == PAULIMPI__RAN_OUT) {
        paulimpi__spread_go_back(s);
        return PAULIMPI_SUCCESS;
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (s->is_watched && (!s->is_copied || s->is_careful)) {
        rc = paulimpi__agree(
            s->sum->ctx,
            paulimpi__job_call_back(s->job, s->n_terms, s->term_gates));
    }
    return rc;
}

static int
is_lost(int code)
{
    return code == PAULIMPI_ERR_MPI || code == PAULIMPI_ERR_TIMEOUT;
}

/* The tallies of all ranks. */
static int
add_up_tallies(paulimpi__spread *s)
{
    paulimpi__run *run = s->run;
    int64_t sums[4] = { run->term_gates, run->active_gates, run->terms_moved,
                        run->terms_shared };
    int64_t bytes = paulimpi__store_peak_bytes(run->store) + run->extra_bytes;
    paulimpi__exact dropped[2] = { run->dropped.norm1, run->dropped.square };
    int rc = paulimpi__spread_add_up(s, 4, sums);

    bytes = bytes > run->peak_bytes ? bytes : run->peak_bytes;
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__reduce_exact(s->sum->ctx, s->job->function, 2, dropped);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__reduce_int64(s->sum->ctx, s->job->function,
                                    PAULIMPI__MAX, 1, &bytes);
    }
    run->term_gates = sums[0];
    run->active_gates = sums[1];
    run->terms_moved = sums[2];
    run->terms_shared = sums[3];
    run->dropped.norm1 = dropped[0];
    run->dropped.square = dropped[1];
    run->peak_bytes = bytes;
    run->peak_terms = s->peak_terms;
    return rc == PAULIMPI_SUCCESS
               ? paulimpi__sum_count(s->sum, s->job->function)
               : rc;
}

/* Leave the sum as sums are between calls: each term on one rank. */
static int
finish(paulimpi__spread *s, int code)
{
    int rc;

    if (is_lost(code)) {
        return code;
    }
    paulimpi__spread_leave_stretch(s);
    rc = s->is_copied ? paulimpi__spread_part(s) : PAULIMPI_SUCCESS;
    paulimpi__collect_dropped(s->run);
    if (rc == PAULIMPI_SUCCESS) {
        rc = add_up_tallies(s);
    }
    return code != PAULIMPI_SUCCESS ? code : rc;
}

static int
make_stretch(const paulimpi__spread *s, paulimpi__stretch *stretch)
{
    int rc = paulimpi__stretch_init(stretch, s->run);

    return rc == PAULIMPI_SUCCESS ? paulimpi__wish_exclude(&s->wish, stretch)
                                  : rc;
}

static int
begin(paulimpi__spread *s)
{
    const paulimpi__job *job = s->job;
    int rc = paulimpi__carrier_init(&s->carrier, s->sum->ctx, job->function,
                                    s->run->store);
    size_t key_bytes = (size_t)s->run->store->n_words * 16;

    s->carrier.transport = job->options->transport;
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__wish_init(&s->wish, job->options,
                                 s->run->store->n_qubits,
                                 s->sum->shares.n_ranks);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc =
            paulimpi__drawing_init(&s->rows, s->run, &s->sum->shares, &s->wish,
                                   (uint64_t)job->options->rows_seed << 32);
    }
    s->bound = paulimpi__alloc(1, key_bytes);
    if (rc == PAULIMPI_SUCCESS) {
        rc = make_stretch(s, &s->stretch);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = make_stretch(s, &s->next_stretch);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__shares_copy(&s->net_shares, &s->sum->shares);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__shares_copy(&s->then, &s->sum->shares);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__spread_make_lists(s);
    }
    s->functions = paulimpi__alloc(PAULIMPI__MOST_ROWS, key_bytes);
    if (rc != PAULIMPI_SUCCESS || s->bound == NULL || s->functions == NULL) {
        return paulimpi__no_memory(job->function, sizeof *s);
    }
    memset(s->bound, 0xff, key_bytes);
    s->most_copied = MOST_COPIED;
    return paulimpi__env_int64("PAULIMPI_TEST_COPIED_TERMS", 0, INT32_MAX,
                               &s->most_copied);
}

static void
end(paulimpi__spread *s)
{
    if (s->has_net) {
        paulimpi__store_free(&s->net);
    }
    paulimpi__free(s->said);
    paulimpi__shares_free(&s->net_shares);
    paulimpi__shares_free(&s->then);
    paulimpi__free(s->functions);
    paulimpi__drawing_free(&s->rows);
    paulimpi__wish_free(&s->wish);
    paulimpi__stretch_free(&s->next_stretch);
    paulimpi__stretch_free(&s->stretch);
    paulimpi__free(s->bound);
    paulimpi__carrier_free(&s->carrier);
}

/* Copy the terms if they are few, truncate them, and keep a copy to go back
 * to. */
static int
prepare(paulimpi__spread *s)
{
    int rc = PAULIMPI_SUCCESS;

    if (s->sum->n_terms <= s->most_copied) {
        rc = paulimpi__spread_copy(s);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = s->job->engine->begin(s->run);
        if (rc == PAULIMPI_ERR_MEMORY) {
            rc = paulimpi__no_memory(s->job->function, sizeof *s->run);
        }
        rc = paulimpi__agree(s->sum->ctx, rc);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__spread_compare(s);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = s->job->checkpoint->is_restart ? take_up(s) : truncate_input(s);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__checkpoint_first(checkpoint_of(s));
    }
    return rc == PAULIMPI_SUCCESS ? paulimpi__spread_keep_copy(s) : rc;
}

/* What the threads' team is called for. */
typedef struct {
    paulimpi__spread *spread;
    int status;
} steps;

static void
take_steps(paulimpi__team *team, void *data)
{
    steps *to = data;
    paulimpi__spread *s = to->spread;

    s->run->team = team;
    while (to->status == PAULIMPI_SUCCESS && s->run->n_done < s->run->n_ops) {
        to->status = take_step(s);
        to->status = paulimpi__checkpoint_step(checkpoint_of(s), to->status);
    }
    s->run->team = NULL;
}

int
paulimpi__ranks_run(paulimpi__job *job)
{
    paulimpi__spread s = { .job = job,
                           .run = job->run,
                           .sum = job->sum,
                           .policy = job->run->truncation,
                           .alone = *job->run->truncation };
    steps to = { &s, PAULIMPI_SUCCESS };
    int rc = paulimpi__agree(job->sum->ctx, begin(&s));

    s.alone.max_terms = PAULIMPI_UNLIMITED;
    job->run->has_net = 1;
    job->run->truncation = &s.alone;
    if (rc == PAULIMPI_SUCCESS) {
        rc = prepare(&s);
        to.status = rc;
        if (rc == PAULIMPI_SUCCESS) {
            paulimpi__team_run(job->run->n_threads, take_steps, &to);
        }
        rc = finish(&s, to.status);
        job->engine->end(job->run);
    }
    job->run->truncation = s.policy;
    end(&s);
    return rc;
}
