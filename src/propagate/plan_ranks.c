/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What ranks would do with a circuit, found without terms.
 */
#include "propagate/plan_ranks.h"

#include <inttypes.h>
#include <string.h>

#include "propagate/in_place.h"
#include "propagate/wish.h"

static const char function[] = "paulimpi_propagation_plan";

enum { MOST_RANKS = 1 << 20, N_SAMPLES = 1 << 16, MOST_LISTED = 200 };

typedef struct {
    paulimpi__run run;
    paulimpi__store store; /* of no terms: it tells the number of qubits */
    paulimpi__wish wish;
    paulimpi__stretch stretch;
    paulimpi__shares shares; /* where terms are */
    paulimpi__shares next;
    paulimpi__shares fixed; /* rows that stay */
    uint64_t *key;
    uint64_t n_draws;
    paulimpi__text text;

    int64_t n_stretches;
    int64_t n_gates; /* done */
    int64_t n_moves;
    double moved; /* times the sum */
    int most_partners;
    int64_t moving;   /* gates that multiply terms by strings, */
    int64_t crossing; /* and those that would cross fixed rows */
} plan;

static int
is_power_of_2(int n)
{
    return (n & (n - 1)) == 0;
}

/* The highest bits name the rank; those of both sides that differ are what
 * makes terms move, as far as they are independent. */
static int
move_of_halves(const paulimpi__shares *before, const paulimpi__shares *after,
               double *part, int *partners)
{
    int64_t n = 2 * before->n_words;
    int log2_ranks = paulimpi__log2_ceil((uint64_t)before->n_ranks);
    uint64_t *key = paulimpi__alloc((size_t)n, sizeof *key);
    paulimpi__span span;
    int rc = paulimpi__span_init(&span, before->n_qubits, log2_ranks + 1);
    int bit = before->log2_shards - log2_ranks;

    if (rc == PAULIMPI_SUCCESS && key != NULL) {
        for (; bit < before->log2_shards; bit++) {
            int64_t w;

            for (w = 0; w < n; w++) {
                key[w] = before->function[bit * n + w]
                         ^ after->function[bit * n + w];
            }
            paulimpi__span_add(&span, key);
        }
        *partners = (1 << span.n_rows) - 1;
        *part = (double)*partners / (1 << span.n_rows);
    }
    rc = key == NULL ? PAULIMPI_ERR_MEMORY : rc;
    paulimpi__span_free(&span);
    paulimpi__free(key);
    return rc;
}

static void
move_of_sample(const paulimpi__shares *before, const paulimpi__shares *after,
               uint32_t drawn, double *part, int *partners)
{
    static const uint32_t key[2] = { 0x706c616eu, 0x6d6f7665u };
    uint32_t mask = ((uint32_t)1 << before->log2_shards) - 1;
    int64_t n_moved = 0;
    uint32_t i;

    for (i = 0; i < N_SAMPLES; i++) {
        uint32_t counter[4] = { i, 0, 0, 0 };
        uint32_t out[4];
        uint32_t from, to;

        paulimpi__philox(counter, key, out);
        from = out[0] & mask;
        to = (from & ~drawn) | (out[1] & drawn & mask);
        n_moved += before->rank_of[from] != after->rank_of[to];
    }
    *part = (double)n_moved / N_SAMPLES;
    *partners = n_moved > 0 ? before->n_ranks - 1 : 0;
}

int
paulimpi__plan_move(const paulimpi__shares *before,
                    const paulimpi__shares *after, uint32_t drawn,
                    double *part, int *partners)
{
    if (is_power_of_2(before->n_ranks) && before->weight == NULL) {
        return move_of_halves(before, after, part, partners);
    }
    move_of_sample(before, after, drawn, part, partners);
    return PAULIMPI_SUCCESS;
}

int
paulimpi__shares_cross(const paulimpi__shares *shares, const uint64_t *key)
{
    uint32_t n_shards = (uint32_t)1 << shares->log2_shards;
    int64_t n = 2 * shares->n_words;
    uint32_t distance = 0;
    uint32_t s;
    int bit;

    for (bit = 0; bit < shares->log2_shards; bit++) {
        distance |= paulimpi__product(shares->function + bit * n, key, n)
                    << bit;
    }
    for (s = 0; distance != 0 && s < n_shards; s++) {
        if (shares->rank_of[s] != shares->rank_of[s ^ distance]) {
            return 1;
        }
    }
    return 0;
}

/* Whether an operation multiplies terms by a string. */
static int
moves_terms(const paulimpi__op *op)
{
    return op->kind == PAULIMPI__OP_ROTATION || op->kind == PAULIMPI__OP_MAP
           || (op->kind == PAULIMPI__OP_TURN && op->quarters % 2 == 1);
}

/* Whether it would take terms to other ranks if rows stayed as they are. */
static int
crosses(plan *p, const paulimpi__ready_op *op)
{
    int64_t n = p->store.n_words;
    int64_t qubit;
    int is_z;

    if (op->op->kind != PAULIMPI__OP_MAP) {
        paulimpi__write_key(&p->run, op, p->key);
        return paulimpi__shares_cross(&p->fixed, p->key);
    }
    qubit = paulimpi__site_qubit(p->run.circuit->sites[op->op->first_site]);
    for (is_z = 0; is_z < 2; is_z++) {
        memset(p->key, 0, (size_t)(2 * n) * sizeof *p->key);
        p->key[is_z * n + qubit / 64] = (uint64_t)1 << qubit % 64;
        if (paulimpi__shares_cross(&p->fixed, p->key)) {
            return 1;
        }
    }
    return 0;
}

/* Count the gates of the stretch, and those of them that move terms. */
static int64_t
count_gates(plan *p, int64_t *n_moving)
{
    int64_t n_gates = 0;
    int moves = 0;
    int is_crossing = 0;
    int64_t i;

    *n_moving = 0;
    for (i = p->stretch.first; i < p->stretch.end; i++) {
        const paulimpi__ready_op *op = &p->run.ops[i];

        if (moves_terms(op->op)) {
            moves = 1;
            is_crossing = is_crossing || crosses(p, op);
        }
        if (paulimpi__ends_gate(&p->run, i)) {
            n_gates++;
            *n_moving += moves;
            p->moving += moves;
            p->crossing += is_crossing;
            moves = 0;
            is_crossing = 0;
        }
    }
    return n_gates;
}

/* The bits of the shard whose functions are not the same. */
static uint32_t
changed_bits(const paulimpi__shares *a, const paulimpi__shares *b)
{
    int64_t n = 2 * a->n_words;
    uint32_t changed = 0;
    int bit;

    for (bit = 0; bit < a->log2_shards; bit++) {
        changed |=
            (uint32_t)(memcmp(a->function + bit * n, b->function + bit * n,
                              (size_t)n * sizeof *a->function)
                       != 0)
            << bit;
    }
    return changed;
}

/* A gate's number in the circuit. */
static int64_t
number(const plan *p, int64_t n_done)
{
    return p->run.is_schroedinger ? n_done
                                  : p->run.circuit->n_gates - 1 - n_done;
}

static void
describe(plan *p, int64_t n_gates, int64_t n_moving, int n_drawn, double part,
         int partners)
{
    if (p->n_stretches > MOST_LISTED) {
        return;
    }
    paulimpi__text_append(
        &p->text,
        "%6" PRId64 " %8" PRId64 " %8" PRId64 " %7" PRId64 " %7" PRId64
        " %6" PRId64 " %6d %6d %8.4f %8d\n",
        p->n_stretches, number(p, p->n_gates),
        number(p, p->n_gates + n_gates - 1), n_gates, n_moving,
        p->stretch.span.n_rows - p->stretch.n_excluded,
        p->shares.log2_shards - n_drawn, n_drawn, part, partners);
}

static int
add_stretch(plan *p)
{
    int64_t n_gates, n_moving;
    double part = 0.0;
    int partners = 0;
    int n_drawn;
    int rc = PAULIMPI_SUCCESS;

    paulimpi__stretch_gather(&p->stretch, &p->run, p->stretch.end,
                             p->shares.log2_shards);
    paulimpi__shares_take(&p->next, &p->shares);
    n_drawn =
        paulimpi__wish_draw(&p->wish, &p->stretch, &p->next, &p->n_draws);
    p->n_stretches++;
    /* Terms are where the first stretch wants them when they are dealt out. */
    if (p->n_stretches > 1 && n_drawn > 0) {
        rc = paulimpi__plan_move(&p->shares, &p->next,
                                 changed_bits(&p->shares, &p->next), &part,
                                 &partners);
        p->n_moves += part > 0.0;
        p->moved += part;
        p->most_partners =
            partners > p->most_partners ? partners : p->most_partners;
    }
    n_gates = count_gates(p, &n_moving);
    describe(p, n_gates, n_moving, n_drawn, part, partners);
    p->n_gates += n_gates;
    paulimpi__shares_take(&p->shares, &p->next);
    paulimpi__stretch_follow(&p->stretch, p->stretch.end, &p->shares);
    return rc;
}

static void
describe_head(plan *p)
{
    paulimpi__text_append(&p->text,
                          "%d ranks, %d rows for %" PRId64 " shards, %" PRId64
                          " qubits, %" PRId64 " gates, %s\n",
                          p->shares.n_ranks, p->shares.log2_shards,
                          (int64_t)1 << p->shares.log2_shards,
                          p->store.n_qubits, p->run.circuit->n_gates,
                          p->run.is_schroedinger ? "the first acts first"
                                                 : "the last acts first");
    paulimpi__text_append(&p->text,
                          "                                       "
                          "         rows     terms that  ranks\n"
                          "stretch   from       to   gates  moving   rank   "
                          "kept    new    move  sent to\n");
}

static void
describe_end(plan *p)
{
    if (p->n_stretches > MOST_LISTED) {
        paulimpi__text_append(&p->text, "   ... %" PRId64 " more\n",
                              p->n_stretches - MOST_LISTED);
    }
    paulimpi__text_append(
        &p->text,
        "%" PRId64 " stretches. Terms move %" PRId64 " times, in all %.4g "
        "times the sum; a rank sends to at most %d others.\n",
        p->n_stretches, p->n_moves, p->moved, p->most_partners);
    paulimpi__text_append(&p->text,
                          "With random rows that stay, %" PRId64 " of %" PRId64
                          " gates that move terms would cross.\n",
                          p->crossing, p->moving);
}

static int
check(const paulimpi_circuit *circuit,
      const paulimpi_propagation_options *options, int n_ranks,
      char *const *text_p)
{
    int rc = paulimpi__handle_check(circuit, PAULIMPI__HANDLE_CIRCUIT,
                                    function, "circuit");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (text_p == NULL) {
        return paulimpi__null(function, "text_p");
    }
    if (options != NULL && options->size != sizeof *options) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: the options' size is %zu, not %zu: start "
                               "from PAULIMPI_PROPAGATION_OPTIONS_INIT",
                               function, options->size, sizeof *options);
    }
    if (options != NULL && options->picture != PAULIMPI_HEISENBERG
        && options->picture != PAULIMPI_SCHROEDINGER) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: picture is %d, but must be "
                               "PAULIMPI_HEISENBERG or PAULIMPI_SCHROEDINGER",
                               function, options->picture);
    }
    if (n_ranks < 1 || n_ranks > MOST_RANKS) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: n_ranks is %d, but must be from 1 to %d",
                               function, n_ranks, MOST_RANKS);
    }
    if (circuit->is_in_group) {
        return paulimpi__error(PAULIMPI_ERR_STATE,
                               "%s: the circuit is inside a truncation group: "
                               "call paulimpi_circuit_group_end first",
                               function);
    }
    return options == NULL ? PAULIMPI_SUCCESS
                           : paulimpi__wish_check(options, circuit->n_qubits,
                                                  n_ranks, function);
}

/* Where terms are before the first stretch. */
static int
set_up_shares(plan *p, int64_t n_qubits, int n_ranks)
{
    int rc = paulimpi__shares_init_for(&p->shares, n_ranks, 0, n_qubits);

    if (rc == PAULIMPI_SUCCESS) {
        p->shares.weight = p->wish.weight;
        paulimpi__shares_deal(&p->shares);
        rc = paulimpi__shares_copy(&p->next, &p->shares);
    }
    return rc == PAULIMPI_SUCCESS
               ? paulimpi__shares_copy(&p->fixed, &p->shares)
               : rc;
}

static int
set_up(plan *p, const paulimpi_circuit *circuit,
       const paulimpi_propagation_options *options, int n_ranks)
{
    int rc;

    p->run.truncation = &options->truncation;
    p->run.is_schroedinger = options->picture == PAULIMPI_SCHROEDINGER;
    p->n_draws = (uint64_t)options->rows_seed << 32;
    p->store.n_qubits = circuit->n_qubits;
    p->store.n_words = paulimpi_pauli_words(circuit->n_qubits);
    p->run.store = &p->store;
    p->run.circuit = circuit;
    p->key = paulimpi__alloc((size_t)p->store.n_words, 2 * sizeof *p->key);
    rc = paulimpi__run_prepare(&p->run);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__stretch_init(&p->stretch, &p->run);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc =
            paulimpi__wish_init(&p->wish, options, circuit->n_qubits, n_ranks);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__wish_exclude(&p->wish, &p->stretch);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = set_up_shares(p, circuit->n_qubits, n_ranks);
    }
    return rc != PAULIMPI_SUCCESS || p->key == NULL
               ? paulimpi__no_memory(function, sizeof *p)
               : PAULIMPI_SUCCESS;
}

static void
tear_down(plan *p)
{
    paulimpi__shares_free(&p->fixed);
    paulimpi__shares_free(&p->next);
    paulimpi__shares_free(&p->shares);
    paulimpi__stretch_free(&p->stretch);
    paulimpi__wish_free(&p->wish);
    paulimpi__run_free(&p->run);
    paulimpi__free(p->key);
}

int
paulimpi_propagation_plan(const paulimpi_circuit *circuit,
                          const paulimpi_propagation_options *options,
                          int n_ranks, char **text_p)
{
    static const paulimpi_propagation_options initial =
        PAULIMPI_PROPAGATION_OPTIONS_INIT;
    plan p = { .text = PAULIMPI__TEXT_INIT };
    int rc;

    if (text_p != NULL) {
        *text_p = NULL;
    }
    rc = check(circuit, options, n_ranks, text_p);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    options = options == NULL ? &initial : options;
    rc = set_up(&p, circuit, options, n_ranks);
    if (rc == PAULIMPI_SUCCESS) {
        describe_head(&p);
    }
    while (rc == PAULIMPI_SUCCESS && p.stretch.end < p.run.n_ops) {
        rc = add_stretch(&p);
    }
    describe_end(&p);
    tear_down(&p);
    *text_p = paulimpi__text_take(&p.text);
    if (rc == PAULIMPI_SUCCESS && *text_p == NULL) {
        rc = PAULIMPI_ERR_MEMORY;
    }
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi_text_destroy(text_p);
        return paulimpi__no_memory(function, sizeof p);
    }
    return PAULIMPI_SUCCESS;
}
