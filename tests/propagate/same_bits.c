/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The same bits and the same report from every engine, for any number of
 * threads, size of the tiles and of the groups of gates, and with all
 * instructions of the processor.
 *
 * A problem is run in a few ways that are drawn; in all of them, and there are
 * more and larger problems, if PAULIMPI_SAME_BITS_ROUNDS is set.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../bench/workloads.h"
#include "base/base.h"
#include "propagate/problems.h"

enum { SAMPLE = 6 /* ways */ };

static paulimpi_context *ctx;
static int64_t rounds; /* 0: only a sample */
static int64_t n_runs;
static int n_alive; /* random problems that leave terms */
static dice choice = { 2026 };

/* How a problem is run. What stands in the environment is a name or number, or
 * NULL. */
typedef struct {
    int engine;
    int threads;
    const char *tile_terms;
    const char *group_gates;
    const char *simd;
} way;

static const way reference = { PAULIMPI_ENGINE_IN_PLACE, 1, NULL, NULL, NULL };

/* All other ways; the variables matter to tiles only. */
enum { MOST_WAYS = 1 + 2 * 3 * 3 * 4 * PAULIMPI__SIMD_LEVELS };
static way ways[MOST_WAYS];
static int n_ways;

static void
add_ways(int engine, int threads, const char *simd)
{
    static const char *const terms[] = { "16", "256", "2048" };
    static const char *const gates[] = { "1", "7", "64", "192" };
    size_t i, k;

    for (i = 0; i < sizeof terms / sizeof terms[0]; i++) {
        for (k = 0; k < sizeof gates / sizeof gates[0]; k++) {
            ways[n_ways++] =
                (way){ engine, threads, terms[i], gates[k], simd };
        }
    }
}

static void
list_ways(void)
{
    int level, threads;

    ways[n_ways++] = (way){ PAULIMPI_ENGINE_IN_PLACE, 2, NULL, NULL, NULL };
    for (level = paulimpi__simd_best(); level >= 0; level--) {
        const char *simd = paulimpi__simd_name(level);

        for (threads = 1; threads <= 2; threads++) {
            add_ways(PAULIMPI_ENGINE_TILE, threads, simd);
            add_ways(PAULIMPI_ENGINE_ORBIT, threads, simd);
            add_ways(PAULIMPI_ENGINE_AUTOMATIC, threads, simd);
        }
    }
}

static void
note_way(const way *how)
{
    tap_note("engine %d, %d threads, tiles of %s terms, groups of %s gates, "
             "%s",
             how->engine, how->threads, how->tile_terms, how->group_gates,
             how->simd);
}

/* What a run leaves. */
typedef struct {
    uint64_t checksum[2]; /* over keys and bits, in any order */
    paulimpi_propagation_report report;
} outcome;

static void
set_or_unset(const char *name, const char *value)
{
    if (value == NULL) {
        unsetenv(name);
    } else {
        setenv(name, value, 1);
    }
}

static outcome
run(const problem *p, const way *how)
{
    paulimpi_propagation_options options = p->options;
    outcome o = { { 0, 0 }, PAULIMPI_PROPAGATION_REPORT_INIT };
    paulimpi_sum *sum;

    set_or_unset("PAULIMPI_TEST_TILE_TERMS", how->tile_terms);
    set_or_unset("PAULIMPI_TEST_GROUP_GATES", how->group_gates);
    set_or_unset("PAULIMPI_SIMD", how->simd);
    options.engine = how->engine;
    check(paulimpi_context_set_threads(ctx, how->threads));
    check(paulimpi_sum_copy(p->sum, &sum));
    check(paulimpi_propagate(sum, p->circuit, &options, &o.report));
    checksum_add(sum, o.checksum);
    paulimpi_sum_destroy(&sum);
    n_runs++;
    return o;
}

static int
is_same(const outcome *a, const outcome *b)
{
    int same_terms = memcmp(a->checksum, b->checksum, sizeof a->checksum) == 0;
    int same_reports = same_report(&a->report, &b->report);

    if (!same_terms || !same_reports) {
        tap_note("%s%sdiffer", same_terms ? "" : "terms ",
                 same_reports ? "" : "reports ");
    }
    return same_terms && same_reports;
}

/* Whether a problem comes out the same in all ways, or in some that are
 * drawn. */
static int
is_same_everywhere(const problem *p, outcome *first)
{
    int n = rounds == 0 ? p->sample : n_ways;
    int same = 1;
    int i;

    *first = run(p, &reference);
    for (i = 0; i < n; i++) {
        const way *how = &ways[rounds == 0 ? dice_below(&choice, n_ways) : i];
        outcome o = run(p, how);

        if (!is_same(first, &o)) {
            tap_note("%s, seed %d:", p->name, (int)p->seed);
            note_way(how);
            same = 0;
        }
    }
    return same;
}

/* Random problems. */

static int
test_problem(int64_t n, int kind, uint64_t seed)
{
    problem p = draw_problem(ctx, n, kind, seed);
    outcome o;
    int same;

    p.sample = SAMPLE;
    choose_min_abs(&p, exponent_of(kind));
    same = is_same_everywhere(&p, &o);
    n_alive += o.report.terms > 0;
    problem_destroy(&p);
    return same;
}

/* The sum of problem k of width i. Few are large. In a sample, k is 0 or 1. */
static int
kind_of(int64_t k, int64_t i)
{
    int kind = (int)((k + 2 * i) % N_SUMS);

    if (rounds == 0) {
        return (int)(k == 1 && i < N_SUMS - SUM_MANY ? SUM_MANY + i
                                                     : (k + 2 * i) % SUM_MANY);
    }
    return (k + i) % 3 == 0 ? kind : kind % SUM_MANY;
}

static void
test_random(void)
{
    /* 1, 2, 3, 4, 5, 8 and 9 words. */
    static const int64_t widths[] = { 20, 100, 150, 250, 300, 510, 570 };
    int64_t n_problems = rounds == 0 ? 2 : rounds * N_SUMS;
    int64_t n = 0;
    int64_t i, k;

    for (i = 0; i < (int64_t)(sizeof widths / sizeof widths[0]); i++) {
        int n_wrong = 0;

        for (k = 0; k < n_problems; k++) {
            n_wrong += !test_problem(widths[i], kind_of(k, i),
                                     (uint64_t)(1000 * i + k));
        }
        n += n_problems;
        tap_is_int(n_wrong, 0, "%d qubits: random circuits and sums",
                   (int)widths[i]);
    }
    tap_ok(n_alive > n / 2, "%d of them leave any terms", n_alive);
}

/* Sums and circuits that are hard on tiles. */

static void
test_script(const char *name, script *s, paulimpi_sum *sum, double min_abs,
            int64_t want_terms)
{
    paulimpi_circuit *circuit = make_circuit(s);
    problem p = { name, 0, sum, circuit, options_eps(min_abs), 4 * SAMPLE, 0 };
    outcome first;
    int same;

    same = is_same_everywhere(&p, &first);
    tap_ok(same, "%s: %d terms", name, (int)first.report.terms);
    if (want_terms >= 0) {
        tap_is_int(first.report.terms, want_terms, "it comes out right");
    }
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
    script_destroy(s);
}

/* One string that doubles with each gate of one group: all that comes of it is
 * in one tile, which no function can split. */
static void
test_growth(int64_t doublings)
{
    script *s = script_create(70);
    char text[8 * 70] = "";
    int64_t q;

    for (q = 0; q < doublings; q++) {
        sprintf(text + strlen(text), "X%d ", (int)(3 * q));
        script_one(s, "rz", 3 * q, 0.3 + 0.01 * (double)q);
    }
    test_script("a string that becomes very many in one tile", s,
                make_sum(ctx, 70, text), 0, (int64_t)1 << doublings);
}

/* The same for many strings, of which a tile holds several until it is split;
 * and back, down to the first ones. */
static void
test_growth_of_many(int64_t doublings, int64_t n_terms)
{
    dice d = { 3 };
    script *s = script_create(70);
    paulimpi_sum *sum;
    int64_t i, q;

    check(paulimpi_sum_create(ctx, 70, &sum));
    for (i = 0; i < n_terms; i++) {
        char *label = dice_label(&d, 70, 70);
        uint64_t x[2] = { 0 }, z[2] = { 0 };
        double one = 1;

        for (q = 0; q < 70; q++) {
            set_letter(x, z, q, q % 3 == 0 ? 'X' : label[q]);
        }
        check(paulimpi_sum_add_terms(sum, 1, x, z, &one));
        free(label);
    }
    for (i = 0; i < 4 * doublings; i++) {
        double sign = i / doublings % 2 == 0 ? 1 : -1;

        script_one(s, "rz", 3 * (i % doublings), sign * 0.3);
    }
    test_script("strings that become many, and few again", s, sum, 1e-9,
                n_terms);
}

/* Rotations and turns on a few qubits, in any order: one group, in which a
 * tile holds several strings until it is split between turns. */
static void
test_turns(int64_t n_qubits, int64_t gates, int64_t n_terms)
{
    dice d = { 4 };
    script *s = script_create(70);
    int64_t i, q;

    for (i = 0; i < gates; i++) {
        char *part = dice_label(&d, n_qubits, 1 + dice_below(&d, n_qubits));
        char *label = dice_label(&d, 70, 0);

        for (q = 0; q < n_qubits; q++) {
            label[9 * q] = part[q];
        }
        script_rotation(s, label, i % 3 == 0 ? 0.3 : acos(0));
        free(part);
        free(label);
    }
    test_script("rotations and turns", s,
                make_random_sum(ctx, 70, n_terms, 0, 70, 70, &d, NULL), 1e-6,
                -1);
}

/* X on qubit 0 times cos(theta) and Y times sin(theta), beside each of some
 * strings. */
static paulimpi_sum *
make_pairs(int64_t n_pairs, double theta)
{
    paulimpi_sum *sum;
    int64_t i;

    check(paulimpi_sum_create(ctx, 40, &sum));
    for (i = 0; i < n_pairs; i++) {
        uint64_t x[2] = { (uint64_t)i << 2 | 1, (uint64_t)i << 2 | 1 };
        uint64_t z[2] = { 0, 1 };
        double c[2] = { cos(theta), sin(theta) };

        check(paulimpi_sum_add_terms(sum, 2, x, z, c));
    }
    return sum;
}

/* A rotation leaves exactly one of each pair, and another brings the other one
 * back, or does not. Nothing is truncated. */
static void
test_exact_zeros(int64_t n_pairs)
{
    script *s = script_create(40);
    double theta = 0.7;
    int64_t i;

    script_one(s, "rz", 0, 0.4);
    script_one(s, "rz", 1, 0.4);
    for (i = 0; i < 12; i++) {
        script_one(s, "rz", 20 + i % 3, 0.4);
    }
    script_one(s, "rz", 0, theta);
    test_script("pairs of which one becomes exactly 0", s,
                make_pairs(n_pairs, theta), 0, 2 * n_pairs);
    s = script_create(40);
    script_one(s, "rz", 1, 0.4);
    script_one(s, "rz", 0, theta);
    test_script("and stays so", s, make_pairs(n_pairs, theta), 0, n_pairs);
}

/* The circuits that speed is measured with. */
static void
test_workload(const char *text)
{
    workload w;
    workload_problem built;
    char why[WORKLOAD_TEXT];
    problem p = { text,   0, NULL, NULL, PAULIMPI_PROPAGATION_OPTIONS_INIT,
                  SAMPLE, 0 };
    outcome first;
    int same;

    if (!workload_parse(text, &w, why)) {
        tap_bail("%s: %s", text, why);
    }
    check(workload_build(&w, ctx, &built));
    p.sum = built.observable;
    p.circuit = built.circuit;
    p.options.truncation.min_abs = built.eps;
    p.options.truncation.max_weight = built.max_weight;
    same = is_same_everywhere(&p, &first);
    tap_ok(same, "%s: %d terms", text, (int)first.report.terms);
    workload_problem_destroy(&built);
}

static void
test_workloads(void)
{
    static const char *const sample[] = {
        "lattice-c:layers=5",
        "chain-d:n=24,steps=4",
        "kicked-ising:steps=3,log2eps=-9",
        "xxz:n=16,steps=2,eps=1e-4",
        "su4:n=12,depth=3",
        "noisy:layers=4,eps=1e-5",
    };
    static const char *const big[] = {
        "lattice-c:layers=6",
        "chain-d:n=40,steps=6",
        "kicked-ising:steps=4,log2eps=-10",
        "kicked-ising:steps=5,log2eps=-9,weight=8",
        "xxz:n=20,steps=3,eps=1e-5",
        "lattice-b:steps=8",
        "su4:n=16,depth=4",
        "brickwork:n=16,depth=4",
        "noisy:layers=6",
        "growth:n=20,steps=4",
        "dense:terms=30000,passes=8",
    };
    size_t n = rounds == 0 ? sizeof sample / sizeof sample[0]
                           : sizeof big / sizeof big[0];
    size_t i;

    for (i = 0; i < n; i++) {
        test_workload(rounds == 0 ? sample[i] : big[i]);
    }
}

int
main(void)
{
    const char *wish = getenv("PAULIMPI_SAME_BITS_ROUNDS");

    rounds = wish == NULL ? 0 : strtoll(wish, NULL, 10);
    ctx = make_context(1);
    list_ways();
    test_random();
    test_growth(rounds == 0 ? 12 : 16);
    test_growth_of_many(rounds == 0 ? 5 : 8, rounds == 0 ? 60 : 300);
    test_turns(rounds == 0 ? 4 : 5, 60, rounds == 0 ? 40 : 60);
    test_exact_zeros(rounds == 0 ? 500 : 9000);
    test_workloads();
    tap_note("%d ways, %d runs", n_ways, (int)n_runs);
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
