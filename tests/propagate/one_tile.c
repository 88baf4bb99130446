/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A sum of few terms as one tile: passes over gates of all kinds, which end
 * where the terms become too many, also between turns; and tiles with more
 * terms than the numbers in their table can tell apart. Bits and tallies are
 * those of the in-place engine.
 */
#include <stdlib.h>

#include "base/base.h"
#include "propagate/support.h"

enum { N_QUBITS = 10, WEIGHT = 3 };

static const double pi = 3.14159265358979323846;

static paulimpi_context *ctx;

/* What a run leaves. */
typedef struct {
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

static outcome
run(const paulimpi_sum *sum, const paulimpi_circuit *circuit,
    const paulimpi_propagation_options *given, int engine)
{
    paulimpi_propagation_options options = *given;
    outcome o = { NULL, PAULIMPI_PROPAGATION_REPORT_INIT, 0 };

    options.engine = engine;
    options.progress = count_step;
    options.progress_data = &o.steps;
    check(paulimpi_sum_copy(sum, &o.sum));
    check(paulimpi_propagate(o.sum, circuit, &options, &o.report));
    return o;
}

static int
same_outcomes(const outcome *a, const outcome *b)
{
    const paulimpi_propagation_report *r = &a->report;
    const paulimpi_propagation_report *s = &b->report;

    return same_bits(a->sum, b->sum) && r->gates == s->gates
           && r->terms == s->terms && r->peak_terms == s->peak_terms
           && r->term_gates == s->term_gates
           && r->active_gates == s->active_gates
           && r->dropped_norm1 == s->dropped_norm1
           && r->dropped_norm2 == s->dropped_norm2;
}

/* Rotations; every third is a turn if there are turns. */
static paulimpi_circuit *
draw_circuit(uint64_t seed, int64_t gates, int has_turns)
{
    dice d = { seed };
    paulimpi_circuit *circuit;
    int64_t i;

    check(paulimpi_circuit_create(N_QUBITS, &circuit));
    for (i = 0; i < gates; i++) {
        int is_turn = has_turns && dice_below(&d, 3) == 0;
        char *label = dice_label(&d, N_QUBITS, WEIGHT);

        check(paulimpi_circuit_rotation(
            circuit, label,
            is_turn ? pi / 2 * (double)(1 + dice_below(&d, 3))
                    : dice_uniform(&d, -1, 1)));
        free(label);
    }
    return circuit;
}

static paulimpi_sum *
draw_sum(int64_t n_terms)
{
    dice d = { 5 };

    return make_random_sum(ctx, N_QUBITS, n_terms, 0, N_QUBITS, N_QUBITS, &d,
                           NULL);
}

/* Sums that grow and shrink, with tiles so small that passes end at many
 * gates. */
static void
test_ends(int picture)
{
    static const char *const tile_terms[] = { "1", "3", "20", "100", "1000" };
    paulimpi_propagation_options options = options_eps(0.01);
    paulimpi_sum *sum = draw_sum(30);
    paulimpi_circuit *circuit = draw_circuit((uint64_t)picture, 300, 1);
    outcome want;
    size_t i;

    options.picture = picture;
    want = run(sum, circuit, &options, PAULIMPI_ENGINE_IN_PLACE);
    tap_ok(want.report.peak_terms > 1000 && want.report.terms > 0,
           "%lld terms at the peak", (long long)want.report.peak_terms);
    for (i = 0; i < sizeof tile_terms / sizeof tile_terms[0]; i++) {
        outcome o;

        setenv("PAULIMPI_TEST_TILE_TERMS", tile_terms[i], 1);
        o = run(sum, circuit, &options, PAULIMPI_ENGINE_TILE);
        unsetenv("PAULIMPI_TEST_TILE_TERMS");
        tap_ok(same_outcomes(&o, &want),
               "tiles of %s terms: the same bits, in %lld steps",
               tile_terms[i], (long long)o.steps);
        paulimpi_sum_destroy(&o.sum);
    }
    paulimpi_sum_destroy(&want.sum);
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
}

/* Gates that do not commute, while the sum is small, are one pass. */
static void
test_steps(void)
{
    paulimpi_propagation_options options = options_eps(0.2);
    paulimpi_sum *sum = draw_sum(1000);
    paulimpi_circuit *circuit = draw_circuit(7, 300, 1);
    outcome o = run(sum, circuit, &options, PAULIMPI_ENGINE_TILE);

    tap_is_int(o.steps, 1, "300 rotations of up to %d terms are a step",
               (int)o.report.peak_terms);
    paulimpi_sum_destroy(&o.sum);
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
}

/* More terms than there are numbers of 16 bits. */
static void
test_many_terms(void)
{
    paulimpi_propagation_options options = options_eps(0);
    paulimpi_sum *sum = draw_sum(150000);
    paulimpi_circuit *circuit = draw_circuit(11, 12, 1);
    outcome want = run(sum, circuit, &options, PAULIMPI_ENGINE_IN_PLACE);
    outcome o;

    setenv("PAULIMPI_TEST_TILE_TERMS", "1000000", 1);
    o = run(sum, circuit, &options, PAULIMPI_ENGINE_TILE);
    unsetenv("PAULIMPI_TEST_TILE_TERMS");
    tap_ok(same_outcomes(&o, &want), "a tile of %lld terms: the same bits",
           (long long)o.report.terms);
    tap_is_int(o.steps, 1, "in one step");
    paulimpi_sum_destroy(&o.sum);
    paulimpi_sum_destroy(&want.sum);
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
}

int
main(void)
{
    ctx = make_context(1);
    test_ends(PAULIMPI_HEISENBERG);
    test_ends(PAULIMPI_SCHROEDINGER);
    test_steps();
    test_many_terms();
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
