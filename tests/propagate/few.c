/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plain path for few terms: the strings and bits of the dictionary, and
 * the bits and tallies of the passes that it stands in for. Those are had by
 * asking for a layer of every gate, which the path leaves to them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "propagate/support.h"

static paulimpi_context *ctx;

/* What a run leaves. */
typedef struct {
    int rc;
    paulimpi_sum *sum;
    paulimpi_propagation_report report;
    int64_t steps; /* that the callback saw */
} outcome;

static int
count_step(const paulimpi_propagation_progress *progress, void *data)
{
    (void)progress;
    *(int64_t *)data += 1;
    return 0;
}

/* Propagate a copy; `layers` keeps the path away from so many gates. */
static outcome
run(const paulimpi_sum *sum, const paulimpi_circuit *circuit,
    const paulimpi_propagation_options *given, int64_t layers)
{
    paulimpi_propagation_options options = *given;
    outcome o = { 0, NULL, PAULIMPI_PROPAGATION_REPORT_INIT, 0 };

    options.engine = PAULIMPI_ENGINE_IN_PLACE;
    options.progress = count_step;
    options.progress_data = &o.steps;
    options.n_layers = layers;
    options.layers = calloc((size_t)layers + 1, sizeof *options.layers);
    if (options.layers == NULL) {
        tap_bail("no memory for a test");
    }
    check(paulimpi_sum_copy(sum, &o.sum));
    o.rc = paulimpi_propagate(o.sum, circuit, &options, &o.report);
    free(options.layers);
    return o;
}

static int
same_outcomes(const outcome *a, const outcome *b)
{
    const paulimpi_propagation_report *r = &a->report;
    const paulimpi_propagation_report *s = &b->report;

    return a->rc == b->rc && same_bits(a->sum, b->sum) && r->gates == s->gates
           && r->terms == s->terms && r->peak_terms == s->peak_terms
           && r->term_gates == s->term_gates
           && r->active_gates == s->active_gates
           && r->dropped_norm1 == s->dropped_norm1
           && r->dropped_norm2 == s->dropped_norm2;
}

/* A random circuit on the last `span` qubits, on a sum of some terms there. */
typedef struct {
    const char *what;
    int64_t n;
    int64_t span;
    int64_t terms;
    int64_t gates;
    int kinds;
    int64_t map_every; /* 0, or a map after so many gates */
    int picture;
    double tolerance; /* of the dictionary's coefficients */
    dictionary_limits limits;
    int64_t least_peak; /* terms that the sum must have had */
    int64_t most_last;  /* and may have at the end */
} setting;

static script *
draw_circuit(const setting *t, dice *d)
{
    script *s = script_create(t->n);
    int64_t first = t->n - t->span;
    int64_t i;

    for (i = 0; i < t->gates; i++) {
        int is_map = t->map_every > 0 && i % t->map_every == 0;

        script_draw(s, d, 1, is_map ? DRAW_MAPS : t->kinds, first, t->span);
    }
    return s;
}

static void
test_dictionary(const setting *t, const outcome *o, const dictionary *want,
                const dictionary_report *report)
{
    double difference;

    tap_ok(has_strings(o->sum, want, &difference), "%s: %d strings", t->what,
           (int)o->report.terms);
    tap_is_near(difference, 0, t->tolerance, "with the same coefficients");
    tap_ok(o->report.gates == t->gates
               && o->report.peak_terms == report->peak_terms
               && o->report.term_gates == report->term_gates,
           "and the same counts");
    tap_is_near(o->report.dropped_norm1, report->dropped_norm1,
                1e-13 * report->dropped_norm1, "and dropped 1-norm");
    tap_is_near(o->report.dropped_norm2, sqrt(report->dropped_square),
                1e-13 * sqrt(report->dropped_square), "and 2-norm");
}

static void
test_setting(const setting *t)
{
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    dice d = { (uint64_t)(t->n + t->gates) };
    dictionary *want = dictionary_create(t->n);
    dictionary_report report = { 0 };
    paulimpi_sum *sum = make_random_sum(ctx, t->n, t->terms, t->n - t->span,
                                        t->span, 4, &d, want);
    script *s = draw_circuit(t, &d);
    paulimpi_circuit *circuit = make_circuit(s);
    outcome o, gate_by_gate, later;

    options.truncation = truncation_of(&t->limits);
    options.picture = t->picture;
    o = run(sum, circuit, &options, 0);
    gate_by_gate = run(sum, circuit, &options, t->gates);
    later = run(sum, circuit, &options, t->gates / 3);
    (t->picture == PAULIMPI_HEISENBERG
         ? dictionary_heisenberg
         : dictionary_schroedinger)(want, s, &t->limits, &report);
    test_dictionary(t, &o, want, &report);
    tap_ok(same_outcomes(&o, &gate_by_gate), "gate by gate: the same bits");
    tap_ok(same_outcomes(&o, &later), "from one gate on: the same bits");
    tap_ok(o.report.peak_terms >= t->least_peak
               && o.report.terms <= t->most_last,
           "%lld terms at the peak, %lld at the end",
           (long long)o.report.peak_terms, (long long)o.report.terms);
    tap_ok(3 * o.steps < 2 * gate_by_gate.steps, "%lld steps instead of %lld",
           (long long)o.steps, (long long)gate_by_gate.steps);
    paulimpi_sum_destroy(&later.sum);
    paulimpi_sum_destroy(&o.sum);
    paulimpi_sum_destroy(&gate_by_gate.sum);
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
    dictionary_destroy(want);
    script_destroy(s);
}

static void
test_settings(void)
{
#define ALL INT64_MAX
#define UNITARY (DRAW_ROTATIONS | DRAW_CLIFFORDS)
#define NOISY (UNITARY | DRAW_SCALES)
#define HEISENBERG PAULIMPI_HEISENBERG
#define SCHROEDINGER PAULIMPI_SCHROEDINGER
    static const setting settings[] = {
        /* Grows over 64, 512 and 4096 terms, and falls below again. */
        { "rotations",
          64,
          10,
          20,
          300,
          DRAW_ROTATIONS,
          0,
          HEISENBERG,
          0,
          { 0.008, ALL, ALL, ALL },
          4200,
          500 },
        { "rotations and turns",
          65,
          10,
          20,
          300,
          UNITARY,
          0,
          SCHROEDINGER,
          0,
          { 0.01, ALL, ALL, ALL },
          4200,
          2000 },
        { "a sum of many terms",
          33,
          12,
          20000,
          150,
          UNITARY,
          0,
          HEISENBERG,
          0,
          { 0.4, ALL, ALL, ALL },
          4200,
          1000 },
        { "one qubit",
          1,
          1,
          3,
          100,
          DRAW_ROTATIONS,
          0,
          HEISENBERG,
          0,
          { 0, ALL, ALL, ALL },
          4,
          4 },
        { "turns only",
          70,
          10,
          200,
          100,
          DRAW_CLIFFORDS,
          0,
          HEISENBERG,
          0,
          { 0, 6, 5, ALL },
          100,
          99 },
        { "all strings of four qubits",
          4,
          4,
          3,
          200,
          UNITARY,
          0,
          HEISENBERG,
          0,
          { 0, ALL, ALL, ALL },
          255,
          255 },
        { "weights",
          127,
          10,
          20,
          200,
          UNITARY,
          0,
          HEISENBERG,
          0,
          { 1e-3, 4, 3, ALL },
          65,
          600 },
        { "the 100 largest",
          130,
          12,
          20,
          200,
          UNITARY,
          0,
          SCHROEDINGER,
          0,
          { 0, ALL, ALL, 100 },
          90,
          100 },
        { "the three largest",
          20,
          12,
          20,
          200,
          UNITARY,
          0,
          HEISENBERG,
          0,
          { 0, ALL, ALL, 3 },
          1,
          3 },
        { "none at all",
          20,
          12,
          20,
          200,
          UNITARY,
          0,
          HEISENBERG,
          0,
          { 0, ALL, ALL, 0 },
          0,
          0 },
        { "all limits",
          128,
          12,
          20,
          200,
          UNITARY,
          0,
          HEISENBERG,
          0,
          { 1e-2, 8, 7, 150 },
          100,
          150 },
        { "noise",
          64,
          10,
          100,
          150,
          NOISY,
          0,
          HEISENBERG,
          4e-15,
          { 3e-3, ALL, ALL, ALL },
          2100,
          ALL },
        { "noise and weights",
          300,
          12,
          50,
          150,
          NOISY,
          0,
          SCHROEDINGER,
          4e-15,
          { 1e-4, 5, 4, ALL },
          65,
          ALL },
        { "noise only",
          70,
          10,
          1000,
          200,
          DRAW_SCALES,
          0,
          HEISENBERG,
          4e-15,
          { 1e-2, ALL, ALL, ALL },
          500,
          10 },
        { "maps between",
          63,
          10,
          50,
          300,
          UNITARY,
          50,
          HEISENBERG,
          4e-15,
          { 3e-2, ALL, ALL, ALL },
          500,
          ALL },
        { "long strings",
          300,
          300,
          10,
          250,
          UNITARY,
          0,
          HEISENBERG,
          0,
          { 3e-2, ALL, ALL, ALL },
          65,
          ALL },
    };
    size_t i;

    for (i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        test_setting(&settings[i]);
    }
}

/* Random gates on what a run before has left. */
static void
go_on(outcome *o, uint64_t seed, int kinds, int64_t layers)
{
    paulimpi_propagation_layer layer[40];
    paulimpi_propagation_options options = options_eps(0.02);
    dice d = { seed };
    script *s = script_create(40);
    paulimpi_circuit *circuit;

    script_draw(s, &d, 40, kinds, 0, 10);
    circuit = make_circuit(s);
    options.engine = PAULIMPI_ENGINE_IN_PLACE;
    options.layers = layer;
    options.n_layers = layers;
    o->rc = paulimpi_propagate(o->sum, circuit, &options, &o->report);
    paulimpi_circuit_destroy(&circuit);
    script_destroy(s);
}

/* One sum through the path, where it falls, and the passes, where it grows, in
 * turn. */
static void
test_turns(void)
{
    dice d = { 31 };
    outcome a = { .report = PAULIMPI_PROPAGATION_REPORT_INIT };
    outcome b = a;
    int n_wrong = 0;
    uint64_t round;

    a.sum = make_random_sum(ctx, 40, 100, 0, 10, 4, &d, NULL);
    check(paulimpi_sum_copy(a.sum, &b.sum));
    for (round = 0; round < 6; round++) {
        int grows = round % 2 == 0;
        int kinds = grows ? DRAW_ROTATIONS : DRAW_SCALES;

        go_on(&a, round, kinds, grows ? 40 : 0);
        go_on(&b, round, kinds, 40);
        n_wrong += !same_outcomes(&a, &b);
    }
    tap_is_int(n_wrong, 0, "the path and the passes in turn");
    paulimpi_sum_destroy(&a.sum);
    paulimpi_sum_destroy(&b.sum);
}

/* Memory. */

static paulimpi_circuit *
draw_rotations(int64_t n, int64_t gates)
{
    dice d = { 8 };
    script *s = script_create(n);
    paulimpi_circuit *circuit;

    script_draw(s, &d, gates, DRAW_ROTATIONS, 0, 10);
    circuit = make_circuit(s);
    script_destroy(s);
    return circuit;
}

/* At a limit the path stops where the passes stop. */
static void
test_limits(void)
{
    enum { N_LIMITS = 32 };
    paulimpi_propagation_options options = options_eps(0.01);
    paulimpi_circuit *circuit = draw_rotations(40, 100);
    dice d = { 9 };
    paulimpi_sum *sum = make_random_sum(ctx, 40, 20, 0, 10, 4, &d, NULL);
    outcome whole = run(sum, circuit, &options, 0);
    int n_wrong = 0;
    int n_stopped = 0;
    int i;

    for (i = 1; i <= N_LIMITS; i++) {
        outcome a, b;

        options.memory_limit = 3 * whole.report.peak_bytes * i / N_LIMITS;
        a = run(sum, circuit, &options, 0);
        b = run(sum, circuit, &options, 100);
        n_wrong += !same_outcomes(&a, &b)
                   || a.report.peak_bytes > options.memory_limit;
        n_stopped += a.rc == PAULIMPI_ERR_MEMORY;
        paulimpi_sum_destroy(&a.sum);
        paulimpi_sum_destroy(&b.sum);
    }
    tap_is_int(n_wrong, 0, "at each of %d limits it stops at the same gate",
               N_LIMITS);
    tap_ok(n_stopped > 0 && n_stopped < N_LIMITS, "%d of them are too low",
           n_stopped);
    paulimpi_sum_destroy(&whole.sum);
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
}

/* Without memory for itself the path is not taken; nothing else changes. */
static void
test_failures(void)
{
    enum { ALLOCATIONS = 60 };
    paulimpi_propagation_options options = options_eps(0.01);
    paulimpi_circuit *circuit = draw_rotations(40, 60);
    dice d = { 9 };
    paulimpi_sum *sum = make_random_sum(ctx, 40, 20, 0, 10, 4, &d, NULL);
    outcome whole = run(sum, circuit, &options, 0);
    int n_wrong = 0;
    int n_slower = 0;
    int n;

    for (n = 1; n <= ALLOCATIONS; n++) {
        outcome o = { .report = PAULIMPI_PROPAGATION_REPORT_INIT };

        check(paulimpi_sum_copy(sum, &o.sum));
        options.progress = count_step;
        options.progress_data = &o.steps;
        options.engine = PAULIMPI_ENGINE_IN_PLACE;
        paulimpi__alloc_fail_at(n);
        o.rc = paulimpi_propagate(o.sum, circuit, &options, &o.report);
        paulimpi__alloc_fail_at(0);
        n_wrong += o.rc == PAULIMPI_SUCCESS ? !same_outcomes(&o, &whole)
                                            : o.rc != PAULIMPI_ERR_MEMORY;
        n_slower += o.rc == PAULIMPI_SUCCESS && o.steps > whole.steps;
        paulimpi_sum_destroy(&o.sum);
    }
    tap_is_int(n_wrong, 0, "with allocations that fail: the same bits");
    tap_ok(n_slower > 0, "%d of %d failures keep it from the path", n_slower,
           ALLOCATIONS);
    paulimpi_sum_destroy(&whole.sum);
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
}

/* A callback is heard every few thousand gates at least. */
static void
test_callback(void)
{
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    paulimpi_circuit *circuit = draw_rotations(20, 9000);
    paulimpi_sum *sum = make_sum(ctx, 20, "X19");
    outcome o = run(sum, circuit, &options, 0);

    tap_ok(o.steps >= 3 && o.steps < 100, "9000 gates: %lld calls back",
           (long long)o.steps);
    paulimpi_sum_destroy(&o.sum);
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
}

int
main(void)
{
    ctx = make_context(1);
    test_settings();
    test_turns();
    test_limits();
    test_failures();
    test_callback();
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
