/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The engines give the same bits: strings, coefficients, and what the report
 * counts, on random circuits, for one thread and for two.
 *
 * There are more circuits if PAULIMPI_ENGINES_ROUNDS says so.
 */
#include <stdlib.h>
#include <string.h>

#include "propagate/support.h"

enum { MOST_LABEL = 301 };

/* How each circuit is run; the first is what the others are compared with. */
static const struct {
    const char *name;
    int engine;
    int threads;
} ways[] = {
    { "in place, one thread", PAULIMPI_ENGINE_IN_PLACE, 1 },
    { "by tiles, one thread", PAULIMPI_ENGINE_TILE, 1 },
    { "by tiles, two threads", PAULIMPI_ENGINE_TILE, 2 },
    { "by orbits, two threads", PAULIMPI_ENGINE_ORBIT, 2 },
    { "automatic, two threads", PAULIMPI_ENGINE_AUTOMATIC, 2 },
    { "in place, two threads", PAULIMPI_ENGINE_IN_PLACE, 2 },
};
enum { N_WAYS = sizeof ways / sizeof ways[0] };

/* A sum, and what acts on it. */
typedef struct {
    const paulimpi_sum *sum;
    const paulimpi_circuit *circuit;
    paulimpi_propagation_options options;
} problem;

/* What a run leaves. */
typedef struct {
    paulimpi_sum *sum;
    paulimpi_propagation_report report;
    int64_t steps; /* that the callback saw */
} outcome;

static paulimpi_context *ctx;

static int
count_step(const paulimpi_propagation_progress *progress, void *data)
{
    (void)progress;
    *(int64_t *)data += 1;
    return 0;
}

static outcome
run(const problem *p, int way)
{
    paulimpi_propagation_options options = p->options;
    outcome o = { NULL, PAULIMPI_PROPAGATION_REPORT_INIT, 0 };

    options.engine = ways[way].engine;
    options.progress = count_step;
    options.progress_data = &o.steps;
    check(paulimpi_sum_copy(p->sum, &o.sum));
    check(paulimpi_context_set_threads(ctx, ways[way].threads));
    propagate(o.sum, p->circuit, &options, &o.report);
    return o;
}

static int
same_reports(const paulimpi_propagation_report *a,
             const paulimpi_propagation_report *b)
{
    return a->gates == b->gates && a->terms == b->terms
           && a->peak_terms == b->peak_terms && a->term_gates == b->term_gates
           && a->active_gates == b->active_gates
           && a->dropped_norm1 == b->dropped_norm1
           && a->dropped_norm2 == b->dropped_norm2;
}

/* Run a problem in one way and compare; the steps taken, or -1 if something
 * is different. */
static int64_t
compare(const outcome *first, const problem *p, int way)
{
    outcome o = run(p, way);
    int64_t steps = o.steps;

    if (!same_bits(first->sum, o.sum)) {
        tap_note("%s: other terms", ways[way].name);
        steps = -1;
    }
    if (!same_reports(&first->report, &o.report)) {
        tap_note("%s: another report", ways[way].name);
        steps = -1;
    }
    paulimpi_sum_destroy(&o.sum);
    return steps;
}

/* Whether the first n_ways ways do the same. */
static int
agree(const problem *p, int n_ways)
{
    outcome first = run(p, 0);
    int same = 1;
    int way;

    for (way = 1; way < n_ways; way++) {
        same &= compare(&first, p, way) >= 0;
    }
    paulimpi_sum_destroy(&first.sum);
    return same;
}

/* Runs of rotations, which the tile engine takes as groups. */

enum {
    RUN_COMMUTING, /* letters of one basis on each qubit */
    RUN_FEW,       /* three strings, again and again */
    RUN_WIDE,      /* letters on all qubits */
    RUN_ANY,
    RUN_NOISE, /* rotations and channels */
    N_RUNS
};

/* Write a string: letters of the basis on some of the qubits first to
 * first + span - 1, I on the others. */
static void
write_label(char *label, dice *d, int64_t n, int64_t first, int64_t span,
            const char *basis, int64_t weight)
{
    int64_t i;

    memset(label, 'I', (size_t)n);
    label[n] = '\0';
    for (i = 0; i < weight; i++) {
        int64_t q = weight >= span ? i % span : dice_below(d, span);

        label[first + q] = basis != NULL ? basis[q] : "XYZ"[dice_below(d, 3)];
    }
}

static void
append_run(script *s, dice *d, int kind, int64_t gates, int64_t first,
           int64_t span)
{
    char basis[MOST_LABEL];
    char label[3][MOST_LABEL];
    int64_t i;

    for (i = 0; i < span; i++) {
        basis[i] = "XYZ"[dice_below(d, 3)];
    }
    for (i = 0; i < gates; i++) {
        if (kind != RUN_FEW || i < 3) {
            int64_t weight = kind == RUN_WIDE || dice_below(d, 8) == 0
                                 ? span
                                 : 1 + dice_below(d, 5);

            write_label(label[i % 3], d, s->n_qubits, first, span,
                        kind == RUN_COMMUTING ? basis : NULL, weight);
        }
        script_rotation(s, label[i % 3], dice_uniform(d, -1.5, 1.5));
        if (kind == RUN_NOISE && i % 2 == 0) {
            script_draw(s, d, 1, DRAW_SCALES, first, span);
        }
    }
}

/* Random circuits. */

enum { LIMIT_NONE, LIMIT_EPS, LIMIT_WEIGHT, LIMIT_XY, LIMIT_TERMS, LIMIT_ALL };

static void
set_limits(paulimpi_truncation *t, int kind)
{
    /* Without any limit the tests below stay on a few qubits. */
    t->min_abs = kind == LIMIT_NONE ? 0 : kind == LIMIT_EPS ? 0.03 : 0.01;
    if (kind == LIMIT_WEIGHT || kind == LIMIT_ALL) {
        t->max_weight = 4;
    }
    if (kind == LIMIT_XY || kind == LIMIT_ALL) {
        t->max_xy_weight = 2;
    }
    if (kind == LIMIT_TERMS || kind == LIMIT_ALL) {
        t->max_terms = 300;
    }
}

/* All gates, runs of rotations, a truncation group; letters on the qubits
 * first to first + span - 1. */
static script *
draw_circuit(dice *d, int64_t n, int64_t first, int64_t span)
{
    script *s = script_create(n);
    int kind;

    for (kind = 0; kind < N_RUNS; kind++) {
        script_draw(s, d, 5, DRAW_ALL, first, span);
        append_run(s, d, kind, 3 + dice_below(d, 12), first, span);
        if (kind == RUN_FEW) {
            script_mark(s, "group_begin");
            script_draw(s, d, 3, DRAW_ROTATIONS, first, span);
            script_mark(s, "group_end");
        }
        script_draw(s, d, 3, DRAW_CLIFFORDS, first, span);
        append_run(s, d, RUN_ANY, dice_below(d, 8), first, span);
    }
    return s;
}

static int
test_circuit(int64_t n, int limits, uint64_t seed)
{
    dice d = { seed };
    int64_t span = n < 9 || seed % 3 == 0 ? n : 9;
    script *s = draw_circuit(&d, n, n - span, span);
    paulimpi_circuit *circuit = make_circuit(s);
    paulimpi_sum *sum =
        make_random_sum(ctx, n, 12, n - span, span, 5, &d, NULL);
    problem p = { sum, circuit, PAULIMPI_PROPAGATION_OPTIONS_INIT };
    int same;

    set_limits(&p.options.truncation, limits);
    p.options.picture =
        seed % 2 == 0 ? PAULIMPI_HEISENBERG : PAULIMPI_SCHROEDINGER;
    same = agree(&p, 4);
    if (!same) {
        tap_note("%d qubits, limits %d, seed %d", (int)n, limits, (int)seed);
    }
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
    script_destroy(s);
    return same;
}

static void
test_random(uint64_t rounds)
{
    static const int64_t widths[] = { 1, 2,  3,  4,  5,   6,   7,
                                      8, 63, 64, 65, 127, 130, 300 };
    size_t i;
    int limits;
    uint64_t round;

    for (i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        int64_t n = widths[i];
        int n_wrong = 0;

        for (limits = n < 5 ? LIMIT_NONE : LIMIT_EPS; limits <= LIMIT_ALL;
             limits++) {
            for (round = 0; round < rounds; round++) {
                n_wrong +=
                    !test_circuit(n, limits, 6 * round + (uint64_t)limits);
            }
        }
        tap_is_int(n_wrong, 0, "%d qubits: random circuits", (int)n);
    }
}

/* One run of rotations on a random sum. */
typedef struct {
    const char *what;
    int64_t n;
    int64_t terms;
    int64_t weight;
    int kind;
    int64_t gates;
    int64_t span; /* of the gates, the last qubits */
    double min_abs;
    int n_ways;
} long_run;

static void
test_run(const long_run *t)
{
    dice d = { 77 };
    script *s = script_create(t->n);
    paulimpi_circuit *circuit;
    paulimpi_sum *sum =
        make_random_sum(ctx, t->n, t->terms, 0, t->n, t->weight, &d, NULL);
    problem p = { sum, NULL, options_eps(t->min_abs) };

    append_run(s, &d, t->kind, t->gates, t->n - t->span, t->span);
    p.circuit = circuit = make_circuit(s);
    tap_ok(agree(&p, t->n_ways), "%s", t->what);
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
    script_destroy(s);
}

static void
test_runs(void)
{
    static const long_run runs[] = {
        { "hundreds of gates that commute", 130, 20, 8, RUN_COMMUTING, 450,
          130, 0.05, 4 },
        { "the same, on two qubits", 2, 5, 2, RUN_COMMUTING, 400, 2, 0, 4 },
        { "hundreds of gates about three strings", 64, 20, 8, RUN_FEW, 400, 10,
          0.01, 4 },
        { "strings of full width", 65, 20, 65, RUN_WIDE, 60, 65, 0.02, 4 },
        { "gates that do not commute", 127, 20, 8, RUN_ANY, 120, 12, 0.03, 4 },
        { "noise between the gates", 33, 20, 8, RUN_NOISE, 200, 12, 0.01, 4 },
    };
    size_t i;

    for (i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        test_run(&runs[i]);
    }
}

/* All strings of eight qubits: there are fewer linear functions than a group
 * would like to have. */
static void
test_all_strings(int kind)
{
    dice d = { 5 };
    script *s = script_create(8);
    paulimpi_circuit *circuit;
    paulimpi_sum *sum;
    problem p = { NULL, NULL, PAULIMPI_PROPAGATION_OPTIONS_INIT };
    static uint64_t x[1 << 16], z[1 << 16];
    static double coefficient[1 << 16];
    int i;

    for (i = 0; i < 1 << 16; i++) {
        x[i] = (uint64_t)i & 255;
        z[i] = (uint64_t)i >> 8;
        coefficient[i] = dice_uniform(&d, -1, 1);
    }
    check(paulimpi_sum_create(ctx, 8, &sum));
    check(paulimpi_sum_add_terms(sum, 1 << 16, x, z, coefficient));
    append_run(s, &d, kind, 10, 0, 8);
    p.sum = sum;
    p.circuit = circuit = make_circuit(s);
    tap_ok(agree(&p, 4), "all strings of eight qubits, %s",
           kind == RUN_COMMUTING ? "gates that commute"
           : kind == RUN_ANY     ? "any rotations"
                                 : "rotations and channels");
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
    script_destroy(s);
}

/* A sum that is large enough for threads, and for groups to be chosen. */
static void
test_large(int64_t n, int kind, int64_t gates, double min_abs)
{
    dice d = { 9 };
    script *s = script_create(n);
    paulimpi_circuit *circuit;
    paulimpi_sum *sum = make_random_sum(ctx, n, 22000, 0, n, 9, &d, NULL);
    problem p = { sum, NULL, options_eps(min_abs) };
    outcome first;
    int64_t steps[N_WAYS];
    int way;

    append_run(s, &d, kind, gates, n - 12, 12);
    p.circuit = circuit = make_circuit(s);
    first = run(&p, 0);
    for (way = 1; way < N_WAYS; way++) {
        steps[way] = compare(&first, &p, way);
        tap_ok(steps[way] > 0, "%d qubits, %d terms: %s", (int)n,
               (int)first.report.terms, ways[way].name);
    }
    tap_ok(steps[2] < first.steps && steps[4] < first.steps,
           "in groups it takes fewer steps");
    paulimpi_sum_destroy(&first.sum);
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
    script_destroy(s);
}

/* A sum that is small goes gate by gate unless tiles are asked for. */
static void
test_choice(void)
{
    dice d = { 10 };
    script *s = script_create(20);
    paulimpi_circuit *circuit;
    paulimpi_sum *sum = make_random_sum(ctx, 20, 100, 0, 20, 5, &d, NULL);
    problem p = { sum, NULL, options_eps(0.1) };
    outcome few;

    append_run(s, &d, RUN_COMMUTING, 12, 0, 20);
    p.circuit = circuit = make_circuit(s);
    few = run(&p, 1);
    tap_is_int(few.steps, 1, "tiles that are asked for: one group");
    tap_is_int(few.report.engine, PAULIMPI_ENGINE_TILE, "the report says so");
    paulimpi_sum_destroy(&few.sum);
    few = run(&p, 4);
    tap_is_int(few.steps, 12, "a small sum goes gate by gate");
    paulimpi_sum_destroy(&few.sum);
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
    script_destroy(s);
}

/* Layers are filled with both engines, and are the same but for the time. */
static void
test_layers(int64_t n_layers)
{
    enum { MOST = 40 };
    paulimpi_propagation_layer layer[2][MOST];
    dice d = { 12 };
    script *s = script_create(30);
    paulimpi_circuit *circuit;
    paulimpi_sum *sum = make_random_sum(ctx, 30, 50, 0, 30, 5, &d, NULL);
    problem p = { sum, NULL, options_eps(0.05) };
    outcome o[2];
    int way, i;

    append_run(s, &d, RUN_ANY, MOST, 0, 10);
    p.circuit = circuit = make_circuit(s);
    memset(layer, 0, sizeof layer);
    for (way = 0; way < 2; way++) {
        p.options.layers = layer[way];
        p.options.n_layers = n_layers;
        o[way] = run(&p, way);
        for (i = 0; i < MOST; i++) {
            layer[way][i].seconds = 0;
        }
    }
    tap_ok(same_bits(o[0].sum, o[1].sum)
               && same_reports(&o[0].report, &o[1].report),
           "%d layers: the same bits", (int)n_layers);
    tap_ok(memcmp(layer[0], layer[1], sizeof layer[0]) == 0,
           "and the same layers");
    for (way = 0; way < 2; way++) {
        paulimpi_sum_destroy(&o[way].sum);
    }
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
    script_destroy(s);
}

int
main(void)
{
    const char *wish = getenv("PAULIMPI_ENGINES_ROUNDS");

    ctx = make_context(1);
    test_random(wish == NULL ? 1 : strtoull(wish, NULL, 10));
    test_runs();
    test_all_strings(RUN_COMMUTING);
    test_all_strings(RUN_ANY);
    test_all_strings(RUN_NOISE);
    test_large(70, RUN_COMMUTING, 14, 0.1);
    test_large(40, RUN_ANY, 9, 0.05);
    test_large(65, RUN_NOISE, 14, 0.05);
    test_choice();
    test_layers(40);
    test_layers(7);
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
