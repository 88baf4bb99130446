/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tiles orbit by orbit leave what tiles gate by gate leave: the same bits of
 * all terms, and the same report; for groups of commuting rotations that
 * multiply the terms. So they do if an allocation fails on the way.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "propagate/support.h"

enum { MOST_LABEL = 601 };

static paulimpi_context *ctx;

/* A sum of random strings, and a circuit. */
typedef struct {
    const char *what;
    int64_t n;       /* qubits */
    int64_t terms;   /* at first */
    int64_t weight;  /* of these */
    int64_t gates;   /* of a layer */
    int64_t letters; /* of each generator, at most */
    int64_t span;    /* qubits that they lie on */
    double theta;    /* angles are up to that */
    double min_abs;
    int has_others; /* Clifford gates and channels before and after */
    int is_chain;   /* no generator depends on the others */
} growing;

/* Letters on the qubits from one on, each on the next. */
static void
put_chain(const growing *t, const char *basis, int64_t first, int64_t letters,
          char *label)
{
    int64_t q;

    memset(label, 'I', (size_t)t->n);
    label[t->n] = '\0';
    for (q = first; q < first + letters && q < t->span; q++) {
        label[t->n - t->span + q] = basis[q];
    }
}

/* Rotations with the letters of one basis on each qubit; in a chain the first
 * letter of each is on another qubit, otherwise every fifth one is the same as
 * the one before. */
static void
append_layer(script *s, dice *d, const growing *t)
{
    char basis[MOST_LABEL];
    char label[MOST_LABEL];
    int64_t i, k;

    for (k = 0; k < t->span; k++) {
        basis[k] = "XYZ"[dice_below(d, 3)];
    }
    for (i = 0; i < t->gates; i++) {
        int64_t letters = 1 + dice_below(d, t->letters);

        if (t->is_chain) {
            put_chain(t, basis, i, letters, label);
        } else if (i % 5 != 4) {
            memset(label, 'I', (size_t)t->n);
            label[t->n] = '\0';
            for (k = 0; k < letters; k++) {
                int64_t q = dice_below(d, t->span);

                label[t->n - t->span + q] = basis[q];
            }
        }
        script_rotation(s, label, dice_uniform(d, -t->theta, t->theta));
    }
}

/* Whoever wants an allocation to fail takes that wish back. */
static int
run(const growing *t, const paulimpi_sum *sum, const paulimpi_circuit *circuit,
    int engine, int threads, int64_t fail_at, paulimpi_sum **sum_p,
    paulimpi_propagation_report *report)
{
    paulimpi_propagation_options options = options_eps(t->min_abs);
    const paulimpi_propagation_report initial =
        PAULIMPI_PROPAGATION_REPORT_INIT;

    *report = initial;
    options.engine = engine;
    check(paulimpi_context_set_threads(ctx, threads));
    check(paulimpi_sum_copy(sum, sum_p));
    paulimpi__alloc_fail_at(fail_at);
    return paulimpi_propagate(*sum_p, circuit, &options, report);
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

static script *
draw_growing(const growing *t, dice *d)
{
    script *s = script_create(t->n);
    int layer;

    for (layer = 0; layer < 2; layer++) {
        if (t->has_others) {
            script_draw(s, d, 6, DRAW_CLIFFORDS | DRAW_SCALES, 0, t->n);
        }
        append_layer(s, d, t);
    }
    return s;
}

static void
test_growing(const growing *t)
{
    dice d = { 31 };
    script *s;
    paulimpi_sum *sum =
        make_random_sum(ctx, t->n, t->terms, 0, t->n, t->weight, &d, NULL);
    paulimpi_circuit *circuit;
    paulimpi_propagation_report want, got;
    paulimpi_sum *joined, *by_orbits;
    int64_t n_before;
    int threads;

    s = draw_growing(t, &d);
    circuit = make_circuit(s);
    check(run(t, sum, circuit, PAULIMPI_ENGINE_TILE, 1, 0, &joined, &want));
    n_before = paulimpi_sum_terms(sum);
    tap_ok(want.peak_terms > 2 * n_before, "%s: %d terms become %d", t->what,
           (int)n_before, (int)want.terms);
    for (threads = 1; threads <= 2; threads++) {
        check(run(t, sum, circuit, PAULIMPI_ENGINE_ORBIT, threads, 0,
                  &by_orbits, &got));
        tap_ok(same_bits(joined, by_orbits), "by orbits the same, %d threads",
               threads);
        tap_ok(same_reports(&want, &got), "with the same report");
        paulimpi_sum_destroy(&by_orbits);
    }
    paulimpi_sum_destroy(&joined);
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
    script_destroy(s);
}

/* How many allocations a run makes: what is left until one fails that was to be
 * far behind them. */
static int64_t
count_allocations(const growing *t, const paulimpi_sum *sum,
                  const paulimpi_circuit *circuit, int engine)
{
    enum { FAR = 100000 };
    paulimpi_propagation_report report;
    paulimpi_sum *copy;
    void *memory;
    int64_t n = FAR;

    check(run(t, sum, circuit, engine, 1, FAR, &copy, &report));
    while ((memory = paulimpi__alloc(1, 1)) != NULL) {
        paulimpi__free(memory);
        n--;
    }
    paulimpi__alloc_fail_at(0);
    paulimpi_sum_destroy(&copy);
    return n;
}

/* Let each allocation fail. One that fails inside a group sends the run back to
 * where it goes on in place. */
static void
test_failures(const growing *t, int engine)
{
    dice d = { 31 };
    script *s;
    paulimpi_sum *sum =
        make_random_sum(ctx, t->n, t->terms, 0, t->n, t->weight, &d, NULL);
    paulimpi_circuit *circuit;
    paulimpi_propagation_report want, got;
    paulimpi_sum *whole, *copy;
    int64_t n_wrong = 0;
    int64_t n_refused = 0;
    int64_t n_all, n;

    s = draw_growing(t, &d);
    circuit = make_circuit(s);
    check(run(t, sum, circuit, PAULIMPI_ENGINE_IN_PLACE, 1, 0, &whole, &want));
    n_all = count_allocations(t, sum, circuit, engine);
    for (n = 1; n <= n_all; n++) {
        int rc = run(t, sum, circuit, engine, 1, n, &copy, &got);

        paulimpi__alloc_fail_at(0);
        n_refused += rc == PAULIMPI_ERR_MEMORY;
        n_wrong += rc == PAULIMPI_SUCCESS
                       ? !same_bits(copy, whole) || !same_reports(&want, &got)
                       : rc != PAULIMPI_ERR_MEMORY || got.gates != 0
                             || !same_bits(copy, sum);
        paulimpi_sum_destroy(&copy);
    }
    tap_ok(n_refused > 0 && n_refused < n_all,
           "%s: %d of %d failing allocations are refused", t->what,
           (int)n_refused, (int)n_all);
    tap_is_int(n_wrong, 0, "with the sum as it was, and others cost no bit");
    paulimpi_sum_destroy(&whole);
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
    script_destroy(s);
}

int
main(void)
{
    static const growing tests[] = {
        { "few qubits, nothing dropped", 6, 3, 4, 12, 3, 6, 1.5, 0, 0, 0 },
        { "the same, truncated", 6, 30, 4, 12, 3, 6, 1.5, 0.01, 0, 0 },
        { "orbits as large as the array", 30, 3, 30, 13, 1, 14, 1.5, 0, 0, 0 },
        { "larger ones, truncated", 40, 3, 40, 40, 2, 30, 1.5, 1e-3, 0, 0 },
        { "many terms of an orbit", 40, 40, 20, 30, 4, 12, 1.5, 1e-3, 0, 0 },
        { "two words", 70, 20, 30, 30, 2, 20, 0.9, 1e-2, 0, 0 },
        { "more generators than a set holds", 130, 4, 130, 200, 1, 130, 0.3,
          0.02, 0, 0 },
        { "wide keys", 300, 10, 100, 60, 5, 40, 0.9, 0.01, 0, 0 },
        { "other gates about", 33, 20, 12, 20, 2, 12, 1.5, 1e-3, 1, 0 },
        { "small angles", 20, 200, 12, 40, 3, 20, 0.1, 1e-3, 0, 0 },
        { "chain, long lists", 30, 1, 30, 22, 1, 30, 1.5, 1e-3, 0, 1 },
        { "chain, truncated", 70, 60, 40, 60, 2, 70, 0.9, 5e-3, 0, 1 },
        { "chain, many terms of an orbit", 16, 2500, 16, 16, 1, 16, 1.2, 2e-2,
          0, 1 },
        { "chain, nothing dropped", 9, 30, 9, 9, 2, 9, 1.5, 0, 0, 1 },
        { "chain, more generators than a set holds", 130, 4, 130, 110, 1, 130,
          0.3, 0.02, 0, 1 },
        { "chain, wide keys", 300, 10, 100, 60, 3, 60, 0.9, 0.01, 0, 1 },
        { "chain, keys too wide for lists", 600, 6, 100, 50, 2, 50, 0.9, 0.02,
          0, 1 },
        { "chain, other gates about", 33, 20, 12, 20, 2, 20, 1.5, 1e-3, 1, 1 },
        { "few of a chain, nothing dropped", 10, 60, 10, 7, 2, 8, 1.5, 0, 0,
          1 },
        { "few of a chain, large orbits", 14, 400, 14, 12, 1, 12, 1.5, 1e-3, 0,
          1 },
        { "few of a chain, two words", 70, 200, 60, 10, 3, 14, 0.9, 5e-3, 1,
          1 },
        { "few of a chain, wide keys", 300, 40, 200, 11, 2, 12, 0.9, 5e-3, 0,
          1 },
    };
    static const growing failing[] = {
        { "few places", 30, 40, 12, 16, 2, 12, 1.5, 1e-2, 0, 0 },
        { "orbits that are cut", 30, 3, 30, 20, 1, 20, 1.5, 1e-2, 0, 0 },
        { "syndromes that are cut", 130, 4, 130, 100, 1, 130, 0.2, 0.03, 0,
          0 },
        { "many syndromes", 70, 400, 30, 30, 2, 20, 0.5, 0.05, 1, 0 },
        { "chain", 30, 40, 30, 20, 2, 20, 1.5, 1e-2, 0, 1 },
        { "few of a chain", 30, 100, 30, 9, 2, 10, 1.5, 1e-2, 0, 1 },
    };
    size_t i;

    ctx = make_context(1);
    for (i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        test_growing(&tests[i]);
    }
    for (i = 0; i < sizeof failing / sizeof failing[0]; i++) {
        test_failures(&failing[i], PAULIMPI_ENGINE_ORBIT);
        test_failures(&failing[i], PAULIMPI_ENGINE_TILE);
    }
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
