/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Propagation: options, the loop over gates, the report.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "comm/comm.h"
#include "propagate/ranks.h"
#include "propagate/wish.h"

static const char function[] = "paulimpi_propagate";

/* The engines, the default first. */
static const paulimpi__engine *const engines[] = {
    &paulimpi__engine_tile,
    &paulimpi__engine_orbit,
    &paulimpi__engine_in_place,
};

enum {
    N_ENGINES = sizeof engines / sizeof engines[0],
    SURE_BYTES = 1 << 22 /* that a run may take without asking */
};

static const paulimpi__engine *
find_engine(int id)
{
    int i;

    for (i = 0; i < N_ENGINES; i++) {
        if (id == PAULIMPI_ENGINE_AUTOMATIC || engines[i]->id == id) {
            return engines[i];
        }
    }
    return NULL;
}

static int
check_sizes(const paulimpi_propagation_options *options,
            const paulimpi_propagation_report *report)
{
    if (options->size != sizeof *options) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: the options' size is %zu, not %zu: start "
                               "from PAULIMPI_PROPAGATION_OPTIONS_INIT",
                               function, options->size, sizeof *options);
    }
    if (report != NULL && report->size != sizeof *report) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: the report's size is %zu, not %zu: start "
                               "from PAULIMPI_PROPAGATION_REPORT_INIT",
                               function, report->size, sizeof *report);
    }
    return PAULIMPI_SUCCESS;
}

static int
check_options(const paulimpi_propagation_options *options)
{
    int rc = paulimpi__truncation_check(&options->truncation, function);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (options->picture != PAULIMPI_HEISENBERG
        && options->picture != PAULIMPI_SCHROEDINGER) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: picture is %d, but must be "
                               "PAULIMPI_HEISENBERG or PAULIMPI_SCHROEDINGER",
                               function, options->picture);
    }
    if (find_engine(options->engine) == NULL) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: there is no engine %d", function,
                               options->engine);
    }
    if (options->memory_limit < 0
        && options->memory_limit != PAULIMPI_AUTOMATIC) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: memory_limit is %" PRId64
                               ", but must be 0 or more, or "
                               "PAULIMPI_AUTOMATIC",
                               function, options->memory_limit);
    }
    if (options->n_layers < 0
        || (options->n_layers > 0 && options->layers == NULL)) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: n_layers is %" PRId64
                               ", but layers has no room for them",
                               function, options->n_layers);
    }
    if (options->transport < PAULIMPI_TRANSPORT_AUTOMATIC
        || options->transport > PAULIMPI_TRANSPORT_MPI) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: transport is %d, but must be one of "
                               "PAULIMPI_TRANSPORT_...",
                               function, options->transport);
    }
    return paulimpi__checkpoint_check(options, function);
}

static int
check_arguments(const paulimpi_sum *sum, const paulimpi_circuit *circuit,
                const paulimpi_propagation_options *options,
                const paulimpi_propagation_report *report)
{
    int rc = paulimpi__sum_check(sum, function, "sum");

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__handle_check(circuit, PAULIMPI__HANDLE_CIRCUIT,
                                    function, "circuit");
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = check_sizes(options, report);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = check_options(options);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (circuit->n_qubits != sum->store.n_qubits) {
        return paulimpi__error(
            PAULIMPI_ERR_MISMATCH,
            "%s: the circuit has %" PRId64 " qubits, the sum %" PRId64,
            function, circuit->n_qubits, sum->store.n_qubits);
    }
    rc = paulimpi__wish_check(options, circuit->n_qubits,
                              paulimpi_context_size(sum->ctx), function);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (circuit->is_in_group) {
        return paulimpi__error(PAULIMPI_ERR_STATE,
                               "%s: the circuit is inside a truncation group: "
                               "call paulimpi_circuit_group_end first",
                               function);
    }
    return PAULIMPI_SUCCESS;
}

/* The limit that was asked for; or, until more is needed, what the terms hold
 * and a little that is there in any case. */
static void
set_limit(paulimpi__run *run, const paulimpi_sum *sum, int64_t wanted)
{
    paulimpi_placement placement = PAULIMPI_PLACEMENT_INIT;

    run->memory_limit = wanted;
    if (wanted == PAULIMPI_AUTOMATIC) {
        paulimpi_context_placement(sum->ctx, &placement);
        run->node_ranks = placement.node_ranks > 0 ? placement.node_ranks : 1;
        run->memory_limit = paulimpi__store_bytes(run->store) + SURE_BYTES;
    }
}

/* What is held, and this rank's share of what the node can still give. */
int
paulimpi__find_limit(paulimpi__run *run)
{
    int64_t held = paulimpi__store_bytes(run->store) + run->extra_bytes;
    int64_t share;

    if (run->node_ranks == 0) {
        return 0;
    }
    share = paulimpi__available_memory() / run->node_ranks;
    run->memory_limit = share > INT64_MAX - held ? INT64_MAX : share + held;
    run->node_ranks = 0;
    return 1;
}

/* Truncate the input, as after a gate. */
static void
truncate_input(paulimpi__run *run)
{
    paulimpi__store_sweep(run->store, run->truncation, &run->dropped);
    paulimpi__choose(&run->chooser, NULL, run->store, run->store->n_terms, 0,
                     &run->dropped);
    run->peak_terms = run->store->n_terms;
}

int
paulimpi__job_call_back(const paulimpi__job *job, int64_t n_terms,
                        int64_t term_gates)
{
    const paulimpi_propagation_options *options = job->options;
    const paulimpi__run *run = job->run;
    paulimpi_propagation_progress progress = { .size = sizeof progress };

    if (options->progress == NULL) {
        return PAULIMPI_SUCCESS;
    }
    progress.gates_done = run->gates;
    progress.gates = run->circuit->n_gates;
    progress.terms = n_terms;
    progress.bytes = paulimpi__store_bytes(run->store);
    progress.term_gates = term_gates;
    progress.seconds = paulimpi__seconds() - job->start;
    if (options->progress(&progress, options->progress_data) == 0) {
        return PAULIMPI_SUCCESS;
    }
    return paulimpi__error(PAULIMPI_ERR_CANCELLED,
                           "%s: the progress callback asked to stop after "
                           "gate %" PRId64 " of %" PRId64,
                           function, run->gates, run->circuit->n_gates);
}

/* What the loop over the gates works with. */
typedef struct {
    const paulimpi__job *job;
    paulimpi__run *run;
    int status;
} loop;

static int
is_under_way(const loop *l)
{
    return l->status == PAULIMPI_SUCCESS && l->run->n_done < l->run->end;
}

static void
take_step(loop *l)
{
    l->status = l->job->engine->advance(l->run);
    if (l->status == PAULIMPI_SUCCESS) {
        l->status = paulimpi__job_call_back(l->job, l->run->store->n_terms,
                                            l->run->term_gates);
    }
    l->status = paulimpi__checkpoint_step(l->job->checkpoint, l->status);
}

/* The loop, from when the terms are many. */
static void
run_with_team(paulimpi__team *team, void *data)
{
    loop *l = data;

    l->run->team = team;
    while (is_under_way(l)) {
        take_step(l);
    }
    l->run->team = NULL;
}

static int
run_gates(const paulimpi__job *job)
{
    paulimpi__run *run = job->run;
    loop l = { job, run, PAULIMPI_SUCCESS };
    int rc = job->engine->begin(run);

    if (rc != PAULIMPI_SUCCESS) {
        job->engine->end(run);
        return rc == PAULIMPI_ERR_MEMORY
                   ? paulimpi__no_memory(function, sizeof *run)
                   : rc;
    }
    if (!job->checkpoint->is_restart) {
        truncate_input(run);
    }
    l.status = paulimpi__checkpoint_first(job->checkpoint);
    while (is_under_way(&l)
           && (run->n_threads == 1
               || run->store->n_terms < PAULIMPI__TEAM_TERMS)) {
        take_step(&l);
    }
    if (is_under_way(&l)) {
        paulimpi__team_run(run->n_threads, run_with_team, &l);
    }
    job->engine->end(run);
    return l.status;
}

/* Whether what was dropped bounds the error. */
static int
has_bound(const paulimpi__run *run)
{
    return !run->is_schroedinger
           && run->truncation->choice != PAULIMPI_KEEP_RANDOM;
}

static void
fill_report(const paulimpi__job *job, paulimpi_propagation_report *report)
{
    const paulimpi__run *run = job->run;
    double dropped = paulimpi__exact_value(&run->dropped.norm1);
    int64_t bytes = paulimpi__store_peak_bytes(run->store) + run->extra_bytes;
    int64_t term_bytes = (1 + 2 * run->store->n_words) * 8;

    *report = (paulimpi_propagation_report){
        .size = sizeof *report,
        .gates = run->gates,
        .terms = job->sum->n_terms,
        .peak_terms = run->peak_terms,
        .peak_bytes = bytes > run->peak_bytes ? bytes : run->peak_bytes,
        .term_gates = run->term_gates,
        .active_gates = run->active_gates,
        .dropped_norm1 = dropped,
        .dropped_norm2 = sqrt(paulimpi__exact_value(&run->dropped.square)),
        .error_bound = has_bound(run) ? dropped : NAN,
        .seconds = paulimpi__seconds() - job->start,
        .threads = run->n_threads,
        .ranks = paulimpi_context_size(job->sum->ctx),
        .engine = job->engine->id,
        .stretches = run->stretches,
        .moves = run->moves,
        .terms_moved = run->terms_moved,
        .bytes_moved = run->terms_moved * term_bytes,
        .bytes_segment = run->terms_shared * term_bytes,
        .imbalance = run->imbalance
    };
}

/* Begin a run of the sum through all of the circuit. */
static void
set_up(paulimpi__run *run, paulimpi_sum *sum, const paulimpi_circuit *circuit,
       const paulimpi_propagation_options *options)
{
    run->store = &sum->store;
    run->circuit = circuit;
    run->truncation = &options->truncation;
    run->is_schroedinger = options->picture == PAULIMPI_SCHROEDINGER;
    run->engine = options->engine;
    run->is_forced = options->engine != PAULIMPI_ENGINE_AUTOMATIC;
    run->n_threads = paulimpi_context_threads(sum->ctx);
    set_limit(run, sum, options->memory_limit);
    run->layers = options->layers;
    run->n_layers = options->n_layers;
    run->peak_terms = sum->n_terms;
    paulimpi__store_forget_peak(&sum->store);
    paulimpi__exact_clear(&run->dropped.norm1);
    paulimpi__exact_clear(&run->dropped.square);
}

/* All gates, with every rank of the sum. */
static int
run_job(paulimpi__job *job)
{
    int is_alone = job->sum->shares.n_ranks == 1;
    int rc = paulimpi__agree(job->sum->ctx, paulimpi__run_prepare(job->run));

    if (rc == PAULIMPI_SUCCESS && !is_alone) {
        rc = paulimpi__ranks_check(job);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__checkpoint_begin(job->checkpoint, job->sum, job->run,
                                        job->options);
    }
    if (rc == PAULIMPI_SUCCESS && job->run->n_ops > 0) {
        rc = is_alone ? run_gates(job) : paulimpi__ranks_run(job);
    }
    if (is_alone) {
        job->sum->n_terms = job->sum->store.n_terms;
    }
    return rc;
}

int
paulimpi_propagate(paulimpi_sum *sum, const paulimpi_circuit *circuit,
                   const paulimpi_propagation_options *options,
                   paulimpi_propagation_report *report)
{
    static const paulimpi_propagation_options initial =
        PAULIMPI_PROPAGATION_OPTIONS_INIT;
    paulimpi__run run = { NULL };
    paulimpi__checkpoint checkpoint;
    paulimpi__job job = { .function = function,
                          .sum = sum,
                          .run = &run,
                          .options = options == NULL ? &initial : options,
                          .checkpoint = &checkpoint,
                          .start = paulimpi__seconds() };
    int rc = paulimpi__sum_check(sum, function, "sum");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = paulimpi__agree(sum->ctx,
                         check_arguments(sum, circuit, job.options, report));
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    job.engine = find_engine(job.options->engine);
    set_up(&run, sum, circuit, job.options);
    rc = run_job(&job);
    paulimpi__run_free(&run);
    if (report != NULL) {
        fill_report(&job, report);
    }
    return rc;
}
