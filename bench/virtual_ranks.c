/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What any number of ranks would send, counted on one.
 */
#include "virtual_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "crossing.h"
#include "propagate/in_place.h"
#include "propagate/rows.h"

enum {
    BLOCK = PAULIMPI__BLOCK_TERMS,
    MOST_COPIED = 4096, /* as on ranks that there are */
    GROWTH_COPIED = 2
};

static const char function[] = "paulimpi-bench scaling";

typedef struct {
    virtual_run *out;
    crossing *crossing; /* or NULL */
    paulimpi__run run;
    paulimpi__store store;
    paulimpi__stretch stretch;
    paulimpi__stretch next_stretch;
    paulimpi__shares shares;
    paulimpi__shares then; /* after the stretch, if they stay */
    paulimpi__wish wish;   /* for nothing */
    paulimpi__drawing rows;
    int has_ahead; /* the next stretch has been looked at, */
    int is_new;    /* and wants other shares */
    int64_t most_copied;
    int is_copied;
    int64_t *pair; /* of one move */
    int64_t *here; /* terms of each rank */
} spread;

int64_t
virtual_term_bytes(int64_t n_words)
{
    return 8 * (2 * n_words + 1);
}

static virtual_stretch *
last_stretch(spread *s)
{
    return &s->out->stretch[s->out->n_stretches - 1];
}

/* Begin to note a stretch; room for one per operation and one more was made. */
static void
note_begin(spread *s)
{
    virtual_stretch *v = &s->out->stretch[s->out->n_stretches++];

    *v = (virtual_stretch){ .first_gate = s->run.gates,
                            .terms = s->store.n_terms,
                            .term_gates = -s->run.term_gates,
                            .active = -s->run.active_gates,
                            .seconds = -paulimpi__seconds(),
                            .is_copied = s->is_copied };
}

static void
note_end(spread *s)
{
    virtual_stretch *v = last_stretch(s);

    v->gates = s->run.gates - v->first_gate;
    v->term_gates += s->run.term_gates;
    v->active += s->run.active_gates;
    v->seconds += paulimpi__seconds();
}

static void
count_pairs(spread *s)
{
    int n_ranks = s->out->n_ranks;
    const paulimpi__shares *to = &s->rows.drawn;
    int64_t n_buckets = paulimpi__store_buckets(&s->store);
    uint32_t before[BLOCK];
    uint32_t after[BLOCK];
    int64_t b;

    memset(s->pair, 0, sizeof *s->pair * (size_t)(n_ranks * n_ranks));
    for (b = 0; b < n_buckets; b++) {
        const paulimpi__block *block = s->store.buckets[b].head;
        int64_t rest = s->store.buckets[b].n_terms;

        for (; block != NULL; block = block->next, rest -= BLOCK) {
            int n = rest < BLOCK ? (int)rest : BLOCK;
            int t;

            paulimpi__shares_of_block(&s->shares, block, before);
            paulimpi__shares_of_block(to, block, after);
            for (t = 0; t < n; t++) {
                s->pair[s->shares.rank_of[before[t]] * n_ranks
                        + to->rank_of[after[t]]]++;
            }
        }
    }
}

/* Add what one rank sends. */
static void
note_rank(spread *s, virtual_stretch *v, int from)
{
    int n_ranks = s->out->n_ranks;
    int64_t out = 0;
    int to;

    for (to = 0; to < n_ranks; to++) {
        int64_t n = s->pair[from * n_ranks + to];

        s->here[to] += n;
        if (to != from) {
            out += n;
            v->pairs += n > 0;
            s->out->pair[from * n_ranks + to] += n;
        }
    }
    v->moved += out;
    v->most_out = out > v->most_out ? out : v->most_out;
}

static void
note_move(spread *s)
{
    virtual_run *out = s->out;
    virtual_stretch *v = last_stretch(s);
    double imbalance;
    int r;

    memset(s->here, 0, sizeof *s->here * (size_t)out->n_ranks);
    for (r = 0; r < out->n_ranks; r++) {
        note_rank(s, v, r);
    }
    for (r = 0; r < out->n_ranks; r++) {
        v->most_here = s->here[r] > v->most_here ? s->here[r] : v->most_here;
    }
    imbalance = s->store.n_terms == 0 ? 1.0
                                      : (double)v->most_here * out->n_ranks
                                            / (double)s->store.n_terms;
    if (imbalance > out->true_imbalance) {
        out->true_imbalance = imbalance;
    }
    if (s->rows.imbalance > out->imbalance) {
        out->imbalance = s->rows.imbalance;
    }
    out->moves++;
    out->terms_moved += v->moved;
    out->messages +=
        v->pairs + (int64_t)out->n_ranks * (int64_t)(out->n_ranks - 1);
}

/* Find shares for the stretch, as ranks do. Whether they are new. */
static int
find_shares(spread *s, int *is_new)
{
    int is_fair = 0;

    *is_new = s->is_new;
    if (s->has_ahead && !s->is_new) {
        return PAULIMPI_SUCCESS;
    }
    if (s->has_ahead) {
        paulimpi__count_by_shard(&s->store, &s->rows.drawn, s->rows.of_shard);
        is_fair = paulimpi__settle_rows(&s->rows, s->rows.of_shard);
    }
    return is_fair ? PAULIMPI_SUCCESS
                   : paulimpi__draw_rows(&s->rows, &s->stretch, NULL,
                                         &s->shares, s->store.n_terms, is_new);
}

/* Find shares for the stretch after the one that begins, as ranks do. */
static int
look_ahead(spread *s)
{
    paulimpi__stretch_gather(&s->next_stretch, &s->run, s->stretch.end,
                             s->shares.log2_shards);
    s->has_ahead = s->next_stretch.end > s->stretch.end;
    if (!s->has_ahead) {
        return PAULIMPI_SUCCESS;
    }
    paulimpi__shares_take(&s->then, &s->shares);
    paulimpi__stretch_follow(&s->stretch, s->stretch.end, &s->then);
    return paulimpi__draw_rows(&s->rows, &s->next_stretch, &s->stretch,
                               &s->then, s->store.n_terms, &s->is_new);
}

/* The next stretch, with what has to move before it. */
static int
next_stretch(spread *s)
{
    int was_copied = s->is_copied;
    int is_new;
    int rc;

    if (!was_copied) {
        paulimpi__stretch_follow(&s->stretch, s->run.n_done, &s->shares);
    }
    paulimpi__stretch_gather(&s->stretch, &s->run, s->run.n_done,
                             s->shares.log2_shards);
    s->out->stretches++;
    s->is_copied = 0;
    note_begin(s);
    rc = find_shares(s, &is_new);
    if (rc == PAULIMPI_SUCCESS && is_new && !was_copied) {
        count_pairs(s);
        note_move(s);
    }
    if (rc == PAULIMPI_SUCCESS && s->crossing != NULL && !was_copied) {
        rc = crossing_look(s->crossing, &s->run, &s->shares,
                           last_stretch(s)->moved,
                           (double)last_stretch(s)->pairs / s->out->n_ranks);
    }
    if (is_new) {
        paulimpi__shares_take(&s->shares, &s->rows.drawn);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = look_ahead(s);
    }
    last_stretch(s)->seconds = -paulimpi__seconds();
    return rc;
}

static int
is_few(const spread *s)
{
    return s->store.n_terms <= GROWTH_COPIED * s->most_copied;
}

static int
propagate(spread *s)
{
    paulimpi__run *run = &s->run;
    int rc = PAULIMPI_SUCCESS;

    note_begin(s);
    while (rc == PAULIMPI_SUCCESS && run->n_done < run->n_ops) {
        if (s->is_copied ? !is_few(s) : run->n_done >= s->stretch.end) {
            note_end(s);
            rc = next_stretch(s);
        }
        run->end = s->is_copied ? run->n_ops : s->stretch.end;
        while (rc == PAULIMPI_SUCCESS && run->n_done < run->end
               && (!s->is_copied || is_few(s))) {
            rc = paulimpi__engine_tile.advance(run);
        }
    }
    note_end(s);
    return rc;
}

static int
allocate(spread *s, int64_t n_qubits)
{
    virtual_run *out = s->out;
    size_t n_ranks = (size_t)out->n_ranks;
    int rc = paulimpi__run_prepare(&s->run);

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__stretch_init(&s->stretch, &s->run);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__stretch_init(&s->next_stretch, &s->run);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__shares_init_for(&s->shares, out->n_ranks, 0, n_qubits);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__shares_copy(&s->then, &s->shares);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc =
            paulimpi__drawing_init(&s->rows, &s->run, &s->shares, &s->wish, 0);
    }
    out->stretch = calloc((size_t)s->run.n_ops + 2, sizeof *out->stretch);
    out->pair = calloc(n_ranks * n_ranks, sizeof *out->pair);
    s->pair = calloc(n_ranks * n_ranks, sizeof *s->pair);
    s->here = calloc(n_ranks, sizeof *s->here);
    return rc != PAULIMPI_SUCCESS || out->stretch == NULL || out->pair == NULL
                   || s->pair == NULL || s->here == NULL
               ? paulimpi__no_memory(function, n_ranks * n_ranks * 8)
               : PAULIMPI_SUCCESS;
}

static void
set_up(spread *s, const paulimpi_circuit *circuit,
       const paulimpi_propagation_options *options)
{
    paulimpi__run *run = &s->run;

    run->store = &s->store;
    run->circuit = circuit;
    run->truncation = &options->truncation;
    run->is_schroedinger = options->picture == PAULIMPI_SCHROEDINGER;
    run->n_threads = 1;
    run->memory_limit = INT64_MAX;
    run->has_net = 1;
    paulimpi__exact_clear(&run->dropped.norm1);
    paulimpi__exact_clear(&run->dropped.square);
}

static int
run_all(spread *s)
{
    paulimpi__run *run = &s->run;
    int rc;

    s->most_copied = MOST_COPIED;
    rc = paulimpi__env_int64("PAULIMPI_TEST_COPIED_TERMS", 0, INT32_MAX,
                             &s->most_copied);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    s->is_copied = s->store.n_terms <= s->most_copied;
    rc = paulimpi__engine_tile.begin(run);
    if (rc == PAULIMPI_SUCCESS) {
        paulimpi__store_sweep(&s->store, run->truncation, &run->dropped);
        rc = propagate(s);
    }
    paulimpi__engine_tile.end(run);
    s->out->terms = s->store.n_terms;
    s->out->peak_terms = run->peak_terms;
    s->out->term_gates = run->term_gates;
    s->out->active_gates = run->active_gates;
    return rc == PAULIMPI_ERR_MEMORY ? paulimpi__no_memory(function, 0) : rc;
}

int
virtual_ranks_run(const paulimpi_sum *sum, const paulimpi_circuit *circuit,
                  const paulimpi_propagation_options *options, int n_ranks,
                  struct crossing *stay, virtual_run *run)
{
    spread s = { .out = run, .crossing = stay };
    int rc = paulimpi__store_copy(&s.store, &sum->store);

    *run = (virtual_run){ .n_ranks = n_ranks,
                          .n_words = sum->store.n_words,
                          .imbalance = 0.0 };
    if (rc != PAULIMPI_SUCCESS) {
        return paulimpi__no_memory(function, 0);
    }
    set_up(&s, circuit, options);
    rc = allocate(&s, sum->store.n_qubits);
    if (rc == PAULIMPI_SUCCESS) {
        rc = run_all(&s);
    }
    free(s.pair);
    free(s.here);
    paulimpi__drawing_free(&s.rows);
    paulimpi__shares_free(&s.then);
    paulimpi__shares_free(&s.shares);
    paulimpi__stretch_free(&s.next_stretch);
    paulimpi__stretch_free(&s.stretch);
    paulimpi__run_free(&s.run);
    paulimpi__store_free(&s.store);
    return rc;
}

void
virtual_run_free(virtual_run *run)
{
    free(run->stretch);
    free(run->pair);
    run->stretch = NULL;
    run->pair = NULL;
}

/* The part of all shards whose terms change their rank when they are multiplied
 * by a string. */
static double
crossing_part(const paulimpi__shares *shares, const paulimpi__run *run,
              const paulimpi__ready_op *op, uint64_t *key)
{
    uint32_t n_shards = (uint32_t)1 << shares->log2_shards;
    int64_t n = 2 * shares->n_words;
    uint32_t d = 0;
    int64_t n_crossing = 0;
    uint32_t i;
    int64_t w;

    paulimpi__write_key(run, op, key);
    for (i = 0; i < (uint32_t)shares->log2_shards; i++) {
        uint64_t odd = 0;

        for (w = 0; w < n; w++) {
            odd ^= shares->function[i * n + w] & key[w];
        }
        d |= (uint32_t)paulimpi__parity(odd) << i;
    }
    for (i = 0; i < n_shards; i++) {
        n_crossing += shares->rank_of[i] != shares->rank_of[i ^ d];
    }
    return (double)n_crossing / n_shards;
}

/* A gate's operations that move terms, and how many of them cross. */
typedef struct {
    int64_t n;
    int64_t n_rotations;
    double crossing;
} gate_moves;

static void
add_gate(const gate_moves *gate, const paulimpi_propagation_layer *layer,
         virtual_random_rows *random)
{
    double terms;

    if (gate->n == 0) {
        return;
    }
    terms = (double)layer->active * gate->crossing / (double)gate->n;
    random->gates++;
    random->crossing += gate->crossing > 0.0;
    random->terms += terms;
    if (gate->n_rotations > 0) {
        random->rotations++;
        random->crossing_rotations += gate->crossing > 0.0;
        random->rotation_terms += terms;
    }
}

static void
add_gates(const paulimpi__shares *shares, const paulimpi__run *run,
          uint64_t *key, const paulimpi_propagation_layer *layers,
          int64_t n_layers, virtual_random_rows *random)
{
    gate_moves gate = { 0, 0, 0.0 };
    int64_t g = 0;
    int64_t i;

    for (i = 0; i < run->n_ops && g < n_layers; i++) {
        const paulimpi__op *op = run->ops[i].op;

        if (op->kind == PAULIMPI__OP_ROTATION
            || (op->kind == PAULIMPI__OP_TURN && op->quarters % 2 == 1)) {
            gate.n++;
            gate.n_rotations += op->kind == PAULIMPI__OP_ROTATION;
            gate.crossing += crossing_part(shares, run, &run->ops[i], key);
        }
        if (paulimpi__ends_gate(run, i)) {
            add_gate(&gate, &layers[g++], random);
            gate = (gate_moves){ 0, 0, 0.0 };
        }
    }
}

int
virtual_random_rows_count(const paulimpi_circuit *circuit, int n_ranks,
                          const paulimpi_propagation_layer *layers,
                          int64_t n_layers, virtual_random_rows *random)
{
    paulimpi__store store = { .n_qubits = circuit->n_qubits,
                              .n_words =
                                  paulimpi_pauli_words(circuit->n_qubits) };
    paulimpi_truncation none = PAULIMPI_TRUNCATION_INIT;
    paulimpi__run run = { .store = &store,
                          .circuit = circuit,
                          .truncation = &none };
    paulimpi__shares shares;
    uint64_t *key = calloc((size_t)store.n_words, 16);
    int rc = paulimpi__shares_init_for(&shares, n_ranks, 0, circuit->n_qubits);

    *random = (virtual_random_rows){ 0 };
    if (rc == PAULIMPI_SUCCESS && key != NULL) {
        rc = paulimpi__run_prepare(&run);
    }
    if (rc == PAULIMPI_SUCCESS && key != NULL) {
        add_gates(&shares, &run, key, layers, n_layers, random);
    } else {
        rc = paulimpi__no_memory(function, 0);
    }
    free(key);
    paulimpi__run_free(&run);
    paulimpi__shares_free(&shares);
    return rc;
}
