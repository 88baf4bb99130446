/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tiles and orbits at the memory limit, which may be reached in the middle of a
 * group: they leave what the in-place engine leaves, or go on to the end.
 */
#include "propagate/support.h"

enum { N = 40 };

/* A sum, the gates that make it grow, how it is truncated. */
typedef struct {
    const char *what;
    script *s;
    paulimpi_sum *sum;
    double min_abs;
    int n_limits;
    int engine; /* that is compared with the one in place */
} problem;

static paulimpi_context *ctx;

/* Gates act from the last on: those that are left are the first in time. */
static paulimpi_circuit *
rest_of(const script *s, int64_t gates_done)
{
    script *rest = script_create(s->n_qubits);
    paulimpi_circuit *circuit;

    script_append(rest, s, 0, s->n_gates - gates_done);
    circuit = make_circuit(rest);
    script_destroy(rest);
    return circuit;
}

static int
propagate_within(const problem *p, int engine, int64_t limit,
                 paulimpi_sum **sum_p, paulimpi_propagation_report *report)
{
    paulimpi_propagation_options options = options_eps(p->min_abs);
    paulimpi_circuit *circuit = make_circuit(p->s);
    int rc;

    *report = (paulimpi_propagation_report)PAULIMPI_PROPAGATION_REPORT_INIT;
    options.engine = engine;
    options.memory_limit = limit;
    check(paulimpi_sum_copy(p->sum, sum_p));
    rc = paulimpi_propagate(*sum_p, circuit, &options, report);
    paulimpi_circuit_destroy(&circuit);
    return rc;
}

/* Whether the rest of the circuit gives what all of it gave at once. */
static int
goes_on(const problem *p, paulimpi_sum *sum, int64_t gates_done,
        const paulimpi_sum *whole)
{
    paulimpi_propagation_options options = options_eps(p->min_abs);
    paulimpi_circuit *rest = rest_of(p->s, gates_done);

    options.engine = p->engine;
    propagate(sum, rest, &options, NULL);
    paulimpi_circuit_destroy(&rest);
    return same_bits(sum, whole);
}

/* Both engines within a limit. */
static int
stop_alike(const problem *p, int64_t limit, const paulimpi_sum *whole,
           int *n_stopped)
{
    paulimpi_propagation_report want, got;
    paulimpi_sum *in_place, *tile;
    int rc_want =
        propagate_within(p, PAULIMPI_ENGINE_IN_PLACE, limit, &in_place, &want);
    int rc_got = propagate_within(p, p->engine, limit, &tile, &got);
    /* In groups what is needed is taken as it goes; a gate in place may be
     * refused for what it would need at most. */
    int goes_further = rc_want == PAULIMPI_ERR_MEMORY
                       && rc_got == PAULIMPI_SUCCESS
                       && got.peak_bytes <= limit;
    int same = goes_further
               || (rc_want == rc_got && same_bits(in_place, tile)
                   && want.gates == got.gates && want.terms == got.terms
                   && want.peak_terms == got.peak_terms
                   && want.term_gates == got.term_gates
                   && want.active_gates == got.active_gates
                   && want.dropped_norm1 == got.dropped_norm1
                   && want.dropped_norm2 == got.dropped_norm2);
    int fits = want.peak_bytes <= limit
                   ? got.peak_bytes <= limit
                   : got.peak_bytes == want.peak_bytes; /* the input's */
    int right = rc_got == PAULIMPI_SUCCESS || rc_got == PAULIMPI_ERR_MEMORY;

    if (!same || !fits) {
        tap_note("limit %lld: codes %d and %d, gates %lld and %lld, "
                 "peaks %lld and %lld",
                 (long long)limit, rc_want, rc_got, (long long)want.gates,
                 (long long)got.gates, (long long)want.peak_bytes,
                 (long long)got.peak_bytes);
    }
    *n_stopped += rc_got == PAULIMPI_ERR_MEMORY;
    same &= right && goes_on(p, tile, got.gates, whole);
    paulimpi_sum_destroy(&in_place);
    paulimpi_sum_destroy(&tile);
    return same && fits;
}

static void
test_limits(const problem *p, int threads)
{
    paulimpi_propagation_report report;
    paulimpi_sum *whole;
    int n_stopped = 0;
    int n_wrong = 0;
    int i;

    check(paulimpi_context_set_threads(ctx, threads));
    check(propagate_within(p, PAULIMPI_ENGINE_IN_PLACE, PAULIMPI_UNLIMITED,
                           &whole, &report));
    for (i = 1; i <= p->n_limits; i++) {
        int64_t limit = 3 * report.peak_bytes * i / p->n_limits;

        n_wrong += !stop_alike(p, limit, whole, &n_stopped);
    }
    tap_is_int(
        n_wrong, 0,
        "%s, engine %d, %d threads: none passes the limit or loses a bit",
        p->what, p->engine, threads);
    tap_ok(n_stopped > 0 && n_stopped < p->n_limits, "%d of %d limits are low",
           n_stopped, p->n_limits);
    paulimpi_sum_destroy(&whole);
}

/* Kicks and bonds of a chain, from the middle of which a string grows. */
static void
append_chain(script *s, dice *d)
{
    int step, q;

    for (step = 0; step < 3; step++) {
        for (q = N / 2 - 4; q < N / 2 + 4; q++) {
            script_two(s, "rzz", q, q + 1, 0.3);
        }
        for (q = N / 2 - 4; q <= N / 2 + 4; q++) {
            script_one(s, "rx", q, dice_uniform(d, 0.5, 1.0));
        }
    }
}

/* Groups of bonds, with other gates between them. */
static void
append_bonds(script *s, dice *d)
{
    int i;

    for (i = 0; i < 72; i++) {
        double angle = dice_uniform(d, -1.0, 1.0);
        int64_t b = 10 + dice_below(d, 10);
        int64_t a = dice_below(d, 10);

        script_two(s, "rzz", a, b, angle);
        if (i % 3 == 2) {
            angle = dice_uniform(d, -1.0, 1.0);
            script_one(s, "rx", dice_below(d, 20), angle);
        }
        if (i % 18 == 17) {
            script_draw(s, d, 2, DRAW_CLIFFORDS | DRAW_MAPS, 0, 20);
        }
    }
    /* Acts first, in place: terms are dropped before the first group. */
    script_one(s, "amplitude_damping", 3, 0.95);
}

/* A group that makes the sum grow many times, then one that finds nothing to
 * do: buckets for more growth must not pass the limit either. */
static void
append_burst(script *s, dice *d)
{
    int q;

    for (q = 0; q < 8; q++) {
        script_one(s, "rx", 20 + q, dice_uniform(d, 0.5, 1.0));
    }
    script_one(s, "h", 39, 0);
    for (q = 0; q < 7; q++) {
        script_one(s, "rx", q, dice_uniform(d, 0.5, 1.0));
    }
}

/* Two groups on a sum that is large enough for threads. */
static void
append_few(script *s, dice *d)
{
    int q;

    for (q = 0; q < 6; q++) {
        script_one(s, "rx", q, dice_uniform(d, 0.5, 1.0));
    }
    script_one(s, "h", 30, 0);
    for (q = 0; q < 6; q++) {
        script_two(s, "rzz", q, q + 1, dice_uniform(d, 0.5, 1.0));
    }
}

static void
test_problem(const char *what, void (*append)(script *, dice *),
             int64_t n_terms, int64_t weight, double min_abs, int n_limits)
{
    dice d = { 6 };
    problem p = { what, script_create(N), NULL, min_abs, n_limits, 0 };

    p.sum = make_random_sum(ctx, N, n_terms, 0, 20, weight, &d, NULL);
    append(p.s, &d);
    for (p.engine = PAULIMPI_ENGINE_TILE; p.engine <= PAULIMPI_ENGINE_ORBIT;
         p.engine++) {
        if (n_terms < 1000) {
            test_limits(&p, 1);
        }
        test_limits(&p, 2);
    }
    paulimpi_sum_destroy(&p.sum);
    script_destroy(p.s);
}

int
main(void)
{
    ctx = make_context(1);
    test_problem("a chain, nothing dropped", append_chain, 10, 20, 0, 24);
    test_problem("groups and other gates", append_bonds, 100, 6, 0.02, 24);
    test_problem("a burst", append_burst, 40, 12, 0, 24);
    test_problem("many terms", append_few, 21000, 8, 0.2, 6);
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
