/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checkpoints of a propagation.
 */
#include "propagate/checkpoint.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "comm/comm.h"
#include "propagate/file.h"
#include "propagate/file_ranks.h"
#include "propagate/in_place.h"

static const char function[] = "paulimpi_propagate";

/* The state as words of a file. Exact sums stand there as they are. */
enum {
    EXACT_WORDS = PAULIMPI__EXACT_LIMBS + 2,
    LAYER_WORDS = 7,
    STATE_VERSION = 1,
    MOST_UNWATCHED = 4096 /* operations without a look at the clock */
};

typedef enum {
    AT_VERSION,
    AT_CIRCUIT,
    AT_TRUNCATION,
    AT_PICTURE,
    AT_INPUT_PRINT,
    AT_INPUT_TERMS,
    AT_OPS,
    AT_DONE,
    AT_GATES,
    AT_TERM_GATES,
    AT_ACTIVE_GATES,
    AT_PEAK_TERMS,
    AT_PEAK_BYTES,
    AT_NORM1,
    AT_SQUARE = AT_NORM1 + EXACT_WORDS,
    AT_LAYERS = AT_SQUARE + EXACT_WORDS, /* their number, then they */
    STATE_WORDS
} state_place;

static uint64_t
bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double
real_of(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* What tells propagations apart. */

static uint64_t
mix_reals(uint64_t print, const double *value, int64_t n)
{
    int64_t i;

    for (i = 0; i < n; i++) {
        print = paulimpi__mix(print ^ bits_of(value[i]));
    }
    return print;
}

static uint64_t
mix_op(uint64_t print, const paulimpi_circuit *circuit, const paulimpi__op *op)
{
    const uint64_t words[] = { (uint64_t)op->kind, (uint64_t)op->flags,
                               (uint64_t)op->n_sites };
    const paulimpi__site *sites = circuit->sites + op->first_site;
    uint64_t quarters = (uint64_t)op->quarters;
    int64_t i;

    print = paulimpi__checksum(print, words, 3);
    for (i = 0; i < op->n_sites; i++) {
        print = paulimpi__mix(print ^ (uint64_t)sites[i]);
    }
    switch (op->kind) {
    case PAULIMPI__OP_TURN:
        return paulimpi__checksum(print, &quarters, 1);
    case PAULIMPI__OP_ROTATION:
        return mix_reals(print, op->value, 2);
    case PAULIMPI__OP_SCALE:
        return mix_reals(print, op->value, 3);
    case PAULIMPI__OP_MAP:
        return mix_reals(
            print, circuit->matrices[op->first_matrix].heisenberg[0], 16);
    }
    return print;
}

uint64_t
paulimpi__circuit_print(const paulimpi_circuit *circuit)
{
    const uint64_t words[] = { (uint64_t)circuit->n_qubits,
                               (uint64_t)circuit->n_gates,
                               (uint64_t)circuit->n_ops };
    uint64_t print = paulimpi__checksum(0, words, 3);
    int64_t i;

    for (i = 0; i < circuit->n_ops; i++) {
        print = mix_op(print, circuit, &circuit->ops[i]);
    }
    return print;
}

uint64_t
paulimpi__truncation_print(const paulimpi_truncation *truncation)
{
    const uint64_t words[] = {
        bits_of(fabs(truncation->min_abs)),  (uint64_t)truncation->max_weight,
        (uint64_t)truncation->max_xy_weight, (uint64_t)truncation->max_terms,
        (uint64_t)truncation->choice,        (uint64_t)truncation->seed
    };

    return paulimpi__checksum(0, words, 6);
}

/* The state of a run, to and from words. */

static void
pack_exact(const paulimpi__exact *sum, uint64_t *word)
{
    memcpy(word, sum->limb, sizeof sum->limb);
    word[PAULIMPI__EXACT_LIMBS] = (uint64_t)sum->pending;
    word[PAULIMPI__EXACT_LIMBS + 1] = bits_of(sum->special);
}

static void
unpack_exact(paulimpi__exact *sum, const uint64_t *word)
{
    memcpy(sum->limb, word, sizeof sum->limb);
    sum->pending = (int64_t)word[PAULIMPI__EXACT_LIMBS];
    sum->special = real_of(word[PAULIMPI__EXACT_LIMBS + 1]);
}

static void
pack_layer(const paulimpi_propagation_layer *layer, uint64_t *word)
{
    word[0] = (uint64_t)layer->gate;
    word[1] = (uint64_t)layer->terms_before;
    word[2] = (uint64_t)layer->terms_after;
    word[3] = (uint64_t)layer->active;
    word[4] = bits_of(layer->dropped_norm1);
    word[5] = bits_of(layer->dropped_norm2);
    word[6] = bits_of(layer->seconds);
}

static void
unpack_layer(paulimpi_propagation_layer *layer, const uint64_t *word)
{
    layer->gate = (int64_t)word[0];
    layer->terms_before = (int64_t)word[1];
    layer->terms_after = (int64_t)word[2];
    layer->active = (int64_t)word[3];
    layer->dropped_norm1 = real_of(word[4]);
    layer->dropped_norm2 = real_of(word[5]);
    layer->seconds = real_of(word[6]);
}

/* What a file must have for a run to go on from it. */
static void
pack_identity(const paulimpi__checkpoint *checkpoint, uint64_t *state)
{
    const paulimpi__run *run = checkpoint->run;

    state[AT_VERSION] = STATE_VERSION;
    state[AT_CIRCUIT] = paulimpi__circuit_print(run->circuit);
    state[AT_TRUNCATION] = paulimpi__truncation_print(run->truncation);
    state[AT_PICTURE] = (uint64_t)run->is_schroedinger;
    state[AT_INPUT_PRINT] = checkpoint->input_print;
    state[AT_INPUT_TERMS] = (uint64_t)checkpoint->input_terms;
    state[AT_OPS] = (uint64_t)run->circuit->n_ops;
}

/* Layers that a gate has filled. */
static int64_t
filled_layers(const paulimpi__run *run)
{
    return run->gates < run->n_layers ? run->gates : run->n_layers;
}

/* `all` has the tallies of all ranks. */
static void
pack(const paulimpi__checkpoint *checkpoint, const paulimpi__run *all,
     uint64_t *state)
{
    int64_t n_layers = filled_layers(all);
    int64_t i;

    pack_identity(checkpoint, state);
    state[AT_DONE] = (uint64_t)all->n_done;
    state[AT_GATES] = (uint64_t)all->gates;
    state[AT_TERM_GATES] = (uint64_t)all->term_gates;
    state[AT_ACTIVE_GATES] = (uint64_t)all->active_gates;
    state[AT_PEAK_TERMS] = (uint64_t)all->peak_terms;
    state[AT_PEAK_BYTES] = (uint64_t)all->peak_bytes;
    pack_exact(&all->dropped.norm1, state + AT_NORM1);
    pack_exact(&all->dropped.square, state + AT_SQUARE);
    state[AT_LAYERS] = (uint64_t)n_layers;
    for (i = 0; i < n_layers; i++) {
        pack_layer(&all->layers[i], state + STATE_WORDS + LAYER_WORDS * i);
    }
}

static void
unpack(const uint64_t *state, paulimpi__run *run)
{
    int64_t n_layers = (int64_t)state[AT_LAYERS];
    int64_t i;

    run->n_done = (int64_t)state[AT_DONE];
    run->gates = (int64_t)state[AT_GATES];
    run->term_gates = (int64_t)state[AT_TERM_GATES];
    run->active_gates = (int64_t)state[AT_ACTIVE_GATES];
    run->peak_terms = (int64_t)state[AT_PEAK_TERMS];
    run->peak_bytes = (int64_t)state[AT_PEAK_BYTES];
    unpack_exact(&run->dropped.norm1, state + AT_NORM1);
    unpack_exact(&run->dropped.square, state + AT_SQUARE);
    for (i = 0; i < n_layers && i < run->n_layers; i++) {
        unpack_layer(&run->layers[i], state + STATE_WORDS + LAYER_WORDS * i);
    }
}

/* Writing. */

int
paulimpi__checkpoint_due(const paulimpi__checkpoint *checkpoint)
{
    const paulimpi_propagation_options *options = checkpoint->options;
    const paulimpi__run *run = checkpoint->run;
    char is_due;

    if (options->checkpoint_path == NULL
        || run->n_done == checkpoint->n_done) {
        return 0;
    }
    if (run->gates - checkpoint->gates >= options->checkpoint_gates) {
        return 1;
    }
    if (isinf(options->checkpoint_seconds)) {
        return 0;
    }
    is_due = paulimpi__seconds() - checkpoint->seconds
             >= options->checkpoint_seconds;
    return paulimpi__share_bytes(checkpoint->sum->ctx, function, 0, &is_due, 1)
               == PAULIMPI_SUCCESS
           && is_due;
}

/* The tallies of all ranks, in a run that is a copy of this rank's. */
static int
add_up(const paulimpi__checkpoint *checkpoint, paulimpi__run *all)
{
    paulimpi_context *ctx = checkpoint->sum->ctx;
    int64_t sums[2] = { all->term_gates, all->active_gates };
    int64_t bytes = paulimpi__store_peak_bytes(all->store) + all->extra_bytes;
    paulimpi__exact dropped[2] = { all->dropped.norm1, all->dropped.square };
    int rc = PAULIMPI_SUCCESS;

    bytes = bytes > all->peak_bytes ? bytes : all->peak_bytes;
    if (!checkpoint->is_copied) {
        rc = paulimpi__reduce_int64(ctx, function, PAULIMPI__SUM, 2, sums);
        if (rc == PAULIMPI_SUCCESS) {
            rc = paulimpi__reduce_exact(ctx, function, 2, dropped);
        }
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__reduce_int64(ctx, function, PAULIMPI__MAX, 1, &bytes);
    }
    all->term_gates = sums[0];
    all->active_gates = sums[1];
    all->dropped.norm1 = dropped[0];
    all->dropped.square = dropped[1];
    all->peak_bytes = bytes;
    if (checkpoint->peak_terms > all->peak_terms) {
        all->peak_terms = checkpoint->peak_terms;
    }
    return rc;
}

/* Write the sum and the tallies of all ranks. */
static int
write_state(paulimpi__checkpoint *checkpoint, const paulimpi__run *all,
            uint64_t *state, int64_t n_state)
{
    double norm1 = paulimpi__exact_value(&all->dropped.norm1);
    const paulimpi__note notes[] = {
        { "gates", 0, all->circuit->n_gates, 0 },
        { "gates_done", 0, all->gates, 0 },
        { "term_gates", 0, all->term_gates, 0 },
        { "active_gates", 0, all->active_gates, 0 },
        { "peak_terms", 0, all->peak_terms, 0 },
        { "dropped_norm1", 1, 0, norm1 },
    };
    const char *path = checkpoint->options->checkpoint_path;
    paulimpi__file file = { .function = function,
                            .path = path,
                            .is_hdf5 = paulimpi__file_is_hdf5(path),
                            .state = state,
                            .n_state = n_state,
                            .notes = notes,
                            .n_notes = sizeof notes / sizeof notes[0],
                            .is_copied = checkpoint->is_copied };

    pack(checkpoint, all, state);
    return paulimpi__file_write(&file, checkpoint->sum);
}

int
paulimpi__checkpoint_write(paulimpi__checkpoint *checkpoint)
{
    paulimpi__run *run = checkpoint->run;
    int64_t n_state = STATE_WORDS + LAYER_WORDS * filled_layers(run);
    uint64_t *state = paulimpi__alloc_zero((size_t)n_state, sizeof *state);
    paulimpi__run all;
    int rc = state != NULL
                 ? PAULIMPI_SUCCESS
                 : paulimpi__no_memory(function, (size_t)n_state * 8);

    rc = paulimpi__agree(checkpoint->sum->ctx, rc);
    if (run->workspace != NULL) {
        paulimpi__take_dropped(run, &run->dropped);
    }
    all = *run;
    if (rc == PAULIMPI_SUCCESS) {
        rc = add_up(checkpoint, &all);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = write_state(checkpoint, &all, state, n_state);
    }
    if (rc == PAULIMPI_SUCCESS) {
        checkpoint->n_done = run->n_done;
        checkpoint->gates = run->gates;
        checkpoint->seconds = paulimpi__seconds();
    }
    paulimpi__free(state);
    return rc;
}

int
paulimpi__checkpoint_first(paulimpi__checkpoint *checkpoint)
{
    return checkpoint->options->checkpoint_path == NULL
               ? PAULIMPI_SUCCESS
               : paulimpi__checkpoint_write(checkpoint);
}

/* Whether a failure has left the sum whole, on all ranks. Where messages are
 * lost nothing more can be said. */
static int
ends_between_gates(const paulimpi__checkpoint *checkpoint, int rc)
{
    int64_t ends = rc == PAULIMPI_ERR_CANCELLED || rc == PAULIMPI_ERR_MEMORY;

    return rc != PAULIMPI_ERR_MPI && rc != PAULIMPI_ERR_TIMEOUT
           && paulimpi__reduce_int64(checkpoint->sum->ctx, function,
                                     PAULIMPI__MAX, 1, &ends)
                  == PAULIMPI_SUCCESS
           && ends;
}

/* A run that ends early leaves a checkpoint where it ends, if it can; why it
 * ends is what the caller has to know. */
int
paulimpi__checkpoint_step(paulimpi__checkpoint *checkpoint, int rc)
{
    if (rc == PAULIMPI_SUCCESS) {
        return paulimpi__checkpoint_due(checkpoint)
                   ? paulimpi__checkpoint_write(checkpoint)
                   : PAULIMPI_SUCCESS;
    }
    if (checkpoint->options->checkpoint_path != NULL
        && checkpoint->run->n_done != checkpoint->n_done
        && ends_between_gates(checkpoint, rc)) {
        char sentence[PAULIMPI__ERROR_TEXT];

        snprintf(sentence, sizeof sentence, "%s", paulimpi_last_error());
        (void)paulimpi__checkpoint_write(checkpoint);
        paulimpi__error_set_text(sentence);
    }
    return rc;
}

int64_t
paulimpi__checkpoint_end(const paulimpi__checkpoint *checkpoint)
{
    const paulimpi__run *run = checkpoint->run;
    int64_t most = checkpoint->options->checkpoint_gates;
    int64_t gates = run->gates - checkpoint->gates;
    int64_t watched = run->n_ops;
    int64_t i;

    if (checkpoint->options->checkpoint_path == NULL) {
        return run->n_ops;
    }
    if (!isinf(checkpoint->options->checkpoint_seconds)) {
        watched = run->n_done + MOST_UNWATCHED;
    }
    for (i = run->n_done; i < run->n_ops; i++) {
        gates += paulimpi__ends_gate(run, i) != 0;
        if ((gates >= most || i >= watched) && paulimpi__ends_unit(run, i)) {
            return i + 1;
        }
    }
    return run->n_ops;
}

/* Reading. */

static int
refuse(const paulimpi__checkpoint *checkpoint, int code, const char *reason)
{
    return paulimpi__error(code, "%s: %s: %s", function,
                           checkpoint->options->restart_path, reason);
}

/* Whether the words of a file are a state at all. */
static int
is_state(const uint64_t *state, int64_t n)
{
    return n >= STATE_WORDS && state[AT_DONE] <= state[AT_OPS]
           && state[AT_OPS] < INT64_MAX && state[AT_PEAK_TERMS] < INT64_MAX
           && state[AT_PEAK_BYTES] < INT64_MAX
           && state[AT_LAYERS] == (uint64_t)(n - STATE_WORDS) / LAYER_WORDS
           && (n - STATE_WORDS) % LAYER_WORDS == 0;
}

/* An empty sum stands for whatever the run began with. */
static int
check_state(const paulimpi__checkpoint *checkpoint, const uint64_t *state,
            int64_t n)
{
    uint64_t want[STATE_WORDS];

    if (state[AT_VERSION] != STATE_VERSION || !is_state(state, n)) {
        return refuse(checkpoint, PAULIMPI_ERR_IO,
                      state[AT_VERSION] == STATE_VERSION
                          ? "its state is damaged"
                          : "the checkpoint of another version");
    }
    pack_identity(checkpoint, want);
    if (state[AT_CIRCUIT] != want[AT_CIRCUIT]
        || state[AT_OPS] != want[AT_OPS]) {
        return refuse(checkpoint, PAULIMPI_ERR_MISMATCH,
                      "the checkpoint of another circuit: go on with the one "
                      "that it was written for");
    }
    if (state[AT_TRUNCATION] != want[AT_TRUNCATION]) {
        return refuse(checkpoint, PAULIMPI_ERR_MISMATCH,
                      "the checkpoint of a run with another truncation: go on "
                      "with the same min_abs, max_weight, max_xy_weight and "
                      "max_terms");
    }
    if (state[AT_PICTURE] != want[AT_PICTURE]) {
        return refuse(checkpoint, PAULIMPI_ERR_MISMATCH,
                      "the checkpoint of a run in the other picture");
    }
    if (checkpoint->input_terms != 0
        && (state[AT_INPUT_PRINT] != want[AT_INPUT_PRINT]
            || state[AT_INPUT_TERMS] != want[AT_INPUT_TERMS])) {
        return refuse(checkpoint, PAULIMPI_ERR_MISMATCH,
                      "the checkpoint of a run that began with another sum: "
                      "start with that one, or with an empty one");
    }
    return PAULIMPI_SUCCESS;
}

static int
read_state(const paulimpi__checkpoint *checkpoint,
           const paulimpi__file_input *in, uint64_t **state_p)
{
    paulimpi_context *ctx = checkpoint->sum->ctx;
    int64_t n = in->head.n_state;
    int rc = PAULIMPI_SUCCESS;

    if (n == 0) {
        return refuse(checkpoint, PAULIMPI_ERR_MISMATCH,
                      "a file of a sum, not a checkpoint");
    }
    *state_p = paulimpi__alloc_zero((size_t)n, sizeof **state_p);
    if (*state_p == NULL) {
        rc = paulimpi__no_memory(function, (size_t)n * sizeof **state_p);
    }
    rc = paulimpi__agree(ctx, rc);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__file_read_state(in, ctx, *state_p);
    }
    return rc == PAULIMPI_SUCCESS
               ? paulimpi__agree(ctx, check_state(checkpoint, *state_p, n))
               : rc;
}

static int
read_all(paulimpi__checkpoint *checkpoint, const paulimpi__file_input *in,
         uint64_t **state_p)
{
    paulimpi_sum *sum = checkpoint->sum;
    paulimpi_sum *terms = NULL;
    int rc;

    if (in->head.n_qubits != sum->store.n_qubits) {
        return paulimpi__error(PAULIMPI_ERR_MISMATCH,
                               "%s: %s: the checkpoint of a sum of %" PRId64
                               " qubits, but this one has %" PRId64,
                               function, in->path, in->head.n_qubits,
                               sum->store.n_qubits);
    }
    rc = read_state(checkpoint, in, state_p);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__file_read_terms(in, sum->ctx, &terms);
    }
    if (rc == PAULIMPI_SUCCESS) {
        paulimpi__sum_swap(sum, terms);
        unpack(*state_p, checkpoint->run);
        checkpoint->input_print = (*state_p)[AT_INPUT_PRINT];
        checkpoint->input_terms = (int64_t)(*state_p)[AT_INPUT_TERMS];
    }
    paulimpi_sum_destroy(&terms);
    return rc;
}

int
paulimpi__checkpoint_read(paulimpi__checkpoint *checkpoint)
{
    paulimpi__file_input in = { .function = function,
                                .path = checkpoint->options->restart_path };
    uint64_t *state = NULL;
    int rc = paulimpi__file_open(&in, checkpoint->sum->ctx);

    if (rc == PAULIMPI_SUCCESS) {
        rc = read_all(checkpoint, &in, &state);
    }
    paulimpi__free(state);
    paulimpi__file_close(&in);
    return rc;
}

int
paulimpi__checkpoint_check(const paulimpi_propagation_options *options,
                           const char *caller)
{
    if (options->checkpoint_gates < 1) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: checkpoint_gates is %" PRId64
                               ", but must be 1 or more",
                               caller, options->checkpoint_gates);
    }
    if (!(options->checkpoint_seconds >= 0)) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: checkpoint_seconds is %g, but must be 0 "
                               "or more",
                               caller, options->checkpoint_seconds);
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi__checkpoint_begin(paulimpi__checkpoint *checkpoint, paulimpi_sum *sum,
                           paulimpi__run *run,
                           const paulimpi_propagation_options *options)
{
    paulimpi__share mine = { sum->store.n_terms, 0 };
    paulimpi__share *shares = NULL;
    paulimpi__share all;
    int rc;

    *checkpoint = (paulimpi__checkpoint){
        .sum = sum,
        .run = run,
        .options = options,
        .is_restart = options->restart_path != NULL,
        .n_done = -1,
    };
    if (options->checkpoint_path == NULL && options->restart_path == NULL) {
        return PAULIMPI_SUCCESS;
    }
    rc = paulimpi__agree(sum->ctx, paulimpi__store_fingerprint(
                                       &sum->store, function, &mine.print));
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__gather_shares(sum->ctx, function, mine, &shares);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    all = paulimpi__add_shares(sum->ctx, shares);
    checkpoint->input_print = all.print;
    checkpoint->input_terms = all.n_terms;
    paulimpi__free(shares);
    return checkpoint->is_restart ? paulimpi__checkpoint_read(checkpoint)
                                  : PAULIMPI_SUCCESS;
}
