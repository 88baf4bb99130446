/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The same bits for any number of threads, on sums of more than 10^5 terms.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "propagate/support.h"

enum { MAX_THREADS = 4, N = 70 };

#ifdef HAVE_OPENMP
enum { HAS_THREADS = 1 };
#else
enum { HAS_THREADS = 0 };
#endif

/* What a run leaves. */
typedef struct {
    paulimpi_sum *sum;
    paulimpi_propagation_report report;
    double readout[6];
} outcome;

static void
read_out(outcome *o)
{
    uint64_t ones[2] = { UINT64_C(0x123456789abcdef0), 5 };

    o->readout[0] = value_in(o->sum, "0");
    o->readout[1] = value_in(o->sum, "+");
    check(paulimpi_sum_expectation_basis(o->sum, ones, &o->readout[2]));
    check(paulimpi_sum_norm1(o->sum, &o->readout[3]));
    check(paulimpi_sum_norm2(o->sum, &o->readout[4]));
    check(paulimpi_sum_overlap(o->sum, o->sum, &o->readout[5]));
}

static outcome
run(int threads, const paulimpi_circuit *circuit,
    const paulimpi_propagation_options *options)
{
    paulimpi_context *ctx = make_context(threads);
    dice d = { 11 };
    outcome o = { NULL, PAULIMPI_PROPAGATION_REPORT_INIT, { 0 } };

    o.sum = make_random_sum(ctx, N, 60000, 40, 30, 8, &d, NULL);
    propagate(o.sum, circuit, options, &o.report);
    read_out(&o);
    paulimpi_context_destroy(&ctx);
    return o;
}

static void
compare(const outcome *a, const outcome *b, int threads, const char *what)
{
    tap_ok(same_bits(a->sum, b->sum), "%s: %d threads give the same bits",
           what, threads);
    tap_ok(memcmp(a->readout, b->readout, sizeof a->readout) == 0,
           "in every read-out, too");
    tap_ok(a->report.terms == b->report.terms
               && a->report.peak_terms == b->report.peak_terms
               && a->report.term_gates == b->report.term_gates
               && a->report.active_gates == b->report.active_gates
               && a->report.dropped_norm1 == b->report.dropped_norm1
               && a->report.dropped_norm2 == b->report.dropped_norm2,
           "and in the report");
    tap_is_int(b->report.threads, HAS_THREADS ? threads : 1,
               "which has the threads");
}

static void
test_threads(int kinds, const paulimpi_propagation_options *options,
             int64_t gates, const char *what)
{
    dice d = { 12 };
    script *s = script_create(N);
    paulimpi_circuit *circuit;
    outcome one, more;
    int threads;

    script_draw(s, &d, gates, kinds, 40, 30);
    circuit = make_circuit(s);
    one = run(1, circuit, options);
    tap_ok(one.report.peak_terms > 100000, "%s: %lld terms at the peak", what,
           (long long)one.report.peak_terms);
    for (threads = 2; threads <= MAX_THREADS; threads++) {
        more = run(threads, circuit, options);
        compare(&one, &more, threads, what);
        paulimpi_sum_destroy(&more.sum);
    }
    paulimpi_sum_destroy(&one.sum);
    paulimpi_circuit_destroy(&circuit);
    script_destroy(s);
}

int
main(void)
{
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;

    test_threads(DRAW_ROTATIONS | DRAW_CLIFFORDS | DRAW_SCALES, &options, 12,
                 "growing");
    options.truncation.min_abs = 0.02;
    test_threads(DRAW_ALL, &options, 18, "all gates, eps");
    options.truncation.min_abs = 0;
    options.truncation.max_terms = 110000;
    options.picture = PAULIMPI_SCHROEDINGER;
    test_threads(DRAW_ALL, &options, 16, "all gates, largest");
    return tap_done();
}
