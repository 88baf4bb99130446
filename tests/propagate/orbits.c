/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tiles orbit by orbit leave what tiles gate by gate leave: the same bits of
 * all terms, and the same report; for groups of commuting rotations that
 * multiply the terms.
 */
#include <stdlib.h>
#include <string.h>

#include "propagate/support.h"

enum { MOST_LABEL = 301 };

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
} growing;

/* Rotations with the letters of one basis on each qubit; every fifth one is the
 * same as the one before. */
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

        if (i % 5 != 4) {
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

static void
run(const growing *t, const paulimpi_sum *sum, const paulimpi_circuit *circuit,
    const char *choice, int threads, paulimpi_sum **sum_p,
    paulimpi_propagation_report *report)
{
    paulimpi_propagation_options options = options_eps(t->min_abs);

    setenv("PAULIMPI_TEST_ORBITS", choice, 1);
    options.engine = PAULIMPI_ENGINE_TILE;
    check(paulimpi_context_set_threads(ctx, threads));
    check(paulimpi_sum_copy(sum, sum_p));
    propagate(*sum_p, circuit, &options, report);
    unsetenv("PAULIMPI_TEST_ORBITS");
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

static void
test_growing(const growing *t)
{
    dice d = { 31 };
    script *s = script_create(t->n);
    paulimpi_sum *sum =
        make_random_sum(ctx, t->n, t->terms, 0, t->n, t->weight, &d, NULL);
    paulimpi_circuit *circuit;
    paulimpi_propagation_report want = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_sum *joined;
    int64_t n_before;
    int layer, threads;

    for (layer = 0; layer < 2; layer++) {
        if (t->has_others) {
            script_draw(s, &d, 6, DRAW_CLIFFORDS | DRAW_SCALES, 0, t->n);
        }
        append_layer(s, &d, t);
    }
    circuit = make_circuit(s);
    run(t, sum, circuit, "0", 1, &joined, &want);
    n_before = paulimpi_sum_terms(sum);
    tap_ok(want.peak_terms > 2 * n_before, "%s: %d terms become %d", t->what,
           (int)n_before, (int)want.terms);
    for (threads = 1; threads <= 2; threads++) {
        paulimpi_propagation_report got = PAULIMPI_PROPAGATION_REPORT_INIT;
        paulimpi_sum *by_orbits;

        run(t, sum, circuit, "2", threads, &by_orbits, &got);
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

int
main(void)
{
    static const growing tests[] = {
        { "few qubits, nothing dropped", 6, 3, 4, 12, 3, 6, 1.5, 0, 0 },
        { "the same, truncated", 6, 30, 4, 12, 3, 6, 1.5, 0.01, 0 },
        { "orbits as large as the array", 30, 3, 30, 13, 1, 14, 1.5, 0, 0 },
        { "larger ones, truncated", 40, 3, 40, 40, 2, 30, 1.5, 1e-3, 0 },
        { "many terms of an orbit", 40, 40, 20, 30, 4, 12, 1.5, 1e-3, 0 },
        { "two words", 70, 20, 30, 30, 2, 20, 0.9, 1e-2, 0 },
        { "more generators than a set holds", 130, 4, 130, 200, 1, 130, 0.3,
          0.02, 0 },
        { "wide keys", 300, 10, 100, 60, 5, 40, 0.9, 0.01, 0 },
        { "other gates about", 33, 20, 12, 20, 2, 12, 1.5, 1e-3, 1 },
        { "small angles", 20, 200, 12, 40, 3, 20, 0.1, 1e-3, 0 },
    };
    size_t i;

    ctx = make_context(1);
    for (i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        test_growing(&tests[i]);
    }
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
