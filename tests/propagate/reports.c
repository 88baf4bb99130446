/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a propagation says about itself: report, layers, progress; how it is
 * cancelled, and what happens at the memory limit.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "propagate/support.h"

enum { N = 40, GATES = 120 };

static paulimpi_context *ctx;
static int engine;

/* A circuit under which a sum of 20 terms grows to some thousands; with a
 * group of two gates among every six if that is asked for. */
static script *
growing_script(int is_grouped)
{
    script *s = script_create(N);
    dice d = { 3 };
    int i;

    for (i = 0; i < GATES / 6; i++) {
        script_draw(s, &d, 4, DRAW_ALL, 0, 9);
        if (is_grouped) {
            script_mark(s, "group_begin");
        }
        script_draw(s, &d, 2, DRAW_ROTATIONS, 0, 9);
        if (is_grouped) {
            script_mark(s, "group_end");
        }
    }
    return s;
}

static paulimpi_sum *
growing_sum(dictionary *same)
{
    dice d = { 4 };

    return make_random_sum(ctx, N, 20, 0, 9, 9, &d, same);
}

static void
test_layers(int picture)
{
    dictionary_limits limits = { 1e-3, INT64_MAX, INT64_MAX, INT64_MAX };
    paulimpi_propagation_layer layer[GATES];
    int64_t after[GATES] = { 0 };
    paulimpi_propagation_options options = options_eps(1e-3);
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    dictionary_report want = { .terms_after = after };
    dictionary *d = dictionary_create(N);
    paulimpi_sum *sum = growing_sum(d);
    script *s = growing_script(1);
    int right_gates = 1, right_terms = 1;
    int64_t before = 0, active = 0;
    double dropped = 0, square = 0;
    int i;

    options.picture = picture;
    options.layers = layer;
    options.n_layers = GATES;
    propagate_script(sum, s, &options, &report);
    if (picture == PAULIMPI_HEISENBERG) {
        dictionary_heisenberg(d, s, &limits, &want);
    } else {
        dictionary_schroedinger(d, s, &limits, &want);
    }
    for (i = 0; i < GATES; i++) {
        int64_t gate = picture == PAULIMPI_HEISENBERG ? GATES - 1 - i : i;

        right_gates &= layer[i].gate == gate;
        right_terms &= layer[i].terms_after == after[i] && layer[i].active >= 0
                       && (i == 0 || layer[i].terms_before == after[i - 1]);
        before += layer[i].terms_before;
        active += layer[i].active;
        dropped += layer[i].dropped_norm1;
        square += layer[i].dropped_norm2 * layer[i].dropped_norm2;
    }
    tap_ok(right_gates, "layers stand in the order in which gates act");
    tap_ok(right_terms, "with the terms before and after each");
    tap_is_int(before, report.term_gates, "together the term-gates");
    tap_is_int(active, report.active_gates, "and the active ones");
    tap_is_near(dropped, report.dropped_norm1, 1e-12 * dropped,
                "and the dropped 1-norm");
    tap_is_near(sqrt(square), report.dropped_norm2, 1e-12,
                "and the dropped 2-norm");
    dictionary_destroy(d);
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

static void
test_few_layers(void)
{
    paulimpi_propagation_layer layer[4];
    paulimpi_propagation_options options = options_eps(1e-3);
    paulimpi_sum *sum = growing_sum(NULL);
    script *s = growing_script(0);

    memset(layer, 0, sizeof layer);
    layer[3].gate = -7;
    options.layers = layer;
    options.n_layers = 3;
    propagate_script(sum, s, &options, NULL);
    tap_is_int(layer[2].gate, GATES - 3, "room for three layers: the first");
    tap_is_int(layer[3].gate, -7, "and no more are written");
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

static void
test_active(void)
{
    paulimpi_propagation_layer layer[2];
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_sum *sum = make_sum(ctx, 2, "X0 + Z0 + Z1 + I");
    script *s = script_create(2);

    script_one(s, "rx", 0, 0.3);
    script_one(s, "rz", 0, 0.3);
    options.layers = layer;
    options.n_layers = 2;
    propagate_script(sum, s, &options, &report);
    tap_is_int(layer[0].active, 1, "one term anticommutes with the RZ");
    tap_is_int(layer[1].active, 2, "then two with the RX");
    tap_is_int(report.active_gates, 3, "three active term-gates");
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

static void
test_report(void)
{
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_sum *sum = growing_sum(NULL);
    script *s = growing_script(0);
    paulimpi_propagation_options options = options_eps(1e-3);

    propagate_script(sum, s, &options, &report);
    tap_is_int(report.gates, GATES, "the report has the gates");
    tap_is_int(report.terms, paulimpi_sum_terms(sum), "the terms");
    tap_ok(report.peak_terms >= report.terms, "the peak");
    tap_ok(report.peak_bytes >= 24 * report.peak_terms, "the bytes");
    tap_ok(report.seconds >= 0, "the seconds");
    tap_is_int(report.threads, 1, "the threads");
    tap_is_int(report.ranks, 1, "the ranks");
    tap_is_int(report.engine, engine, "the engine");
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

static void
test_report_without_size(void)
{
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_sum *sum = make_sum(ctx, 2, "X0");
    paulimpi_circuit *c;

    check(paulimpi_circuit_create(2, &c));
    check(paulimpi_circuit_h(c, 0));
    report.size = 0;
    tap_is_status(paulimpi_propagate(sum, c, NULL, &report),
                  PAULIMPI_ERR_ARGUMENT, "a report without a size is refused");
    tap_ok(is_sum(sum, "X0"), "the sum is as it was");
    paulimpi_circuit_destroy(&c);
    paulimpi_sum_destroy(&sum);
}

/* What a callback saw. */
typedef struct {
    int64_t calls;
    int64_t stop_at; /* gates done, or -1 */
    int is_ordered;
    paulimpi_propagation_progress last;
} witness;

static int
watch(const paulimpi_propagation_progress *progress, void *data)
{
    witness *w = data;

    w->calls++;
    w->is_ordered &= progress->gates_done >= w->last.gates_done
                     && progress->term_gates >= w->last.term_gates
                     && progress->seconds >= w->last.seconds
                     && progress->gates_done <= progress->gates
                     && progress->size == sizeof *progress;
    w->last = *progress;
    return w->stop_at >= 0 && progress->gates_done >= w->stop_at;
}

static void
test_progress(void)
{
    witness w = { 0, -1, 1, { 0 } };
    paulimpi_propagation_options options = options_eps(1e-3);
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_sum *sum = growing_sum(NULL);
    script *s = growing_script(0);

    options.progress = watch;
    options.progress_data = &w;
    propagate_script(sum, s, &options, &report);
    tap_ok(w.calls > 0 && w.is_ordered, "the callback sees progress");
    tap_is_int(w.last.gates, GATES, "with all gates");
    tap_ok(w.last.gates_done <= GATES, "of which some are done");
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

/* What the last n acting gates left are: the others of the script. */
static script *
rest_of(const script *s, int64_t gates_done)
{
    script *rest = script_create(s->n_qubits);
    int64_t i, n = 0;

    /* Gates act from the last one on; keep what comes before, in time. */
    for (i = s->n_gates; i > 0 && n < gates_done; i--) {
        n += script_find(s->gate[i - 1].name) != NULL;
    }
    /* A group's begin belongs to the gates that were done. */
    while (i > 0 && strcmp(s->gate[i - 1].name, "group_begin") == 0) {
        i--;
    }
    script_append(rest, s, 0, i);
    return rest;
}

/* After a run that stopped: the sum is the one of the gates done, and going on
 * gives what an uninterrupted run gives. */
static void
check_stopped(paulimpi_sum *sum, const script *s, int64_t gates_done,
              const char *how)
{
    paulimpi_propagation_options options = options_eps(1e-3);
    paulimpi_sum *whole = growing_sum(NULL);
    paulimpi_sum *part = growing_sum(NULL);
    script *rest = rest_of(s, gates_done);
    script *done = script_create(N);

    script_append(done, s, rest->n_gates, s->n_gates - rest->n_gates);
    propagate_script(part, done, &options, NULL);
    tap_ok(same_bits(sum, part),
           "%s: the sum is as it was after %d of %d gates", how,
           (int)gates_done, GATES);
    propagate_script(whole, s, &options, NULL);
    propagate_script(sum, rest, &options, NULL);
    tap_ok(same_bits(sum, whole), "going on gives the uninterrupted result");
    paulimpi_sum_destroy(&whole);
    paulimpi_sum_destroy(&part);
    script_destroy(rest);
    script_destroy(done);
}

static void
test_cancel(int is_grouped, int64_t stop_at)
{
    witness w = { 0, stop_at, 1, { 0 } };
    paulimpi_propagation_options options = options_eps(1e-3);
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_sum *sum = growing_sum(NULL);
    script *s = growing_script(is_grouped);
    paulimpi_circuit *circuit = make_circuit(s);

    options.engine = engine;
    options.progress = watch;
    options.progress_data = &w;
    tap_is_status(paulimpi_propagate(sum, circuit, &options, &report),
                  PAULIMPI_ERR_CANCELLED, "a callback can cancel");
    tap_ok(report.gates >= stop_at && report.gates < GATES, "after %d gates",
           (int)report.gates);
    tap_is_int(report.gates, w.last.gates_done, "those it was told");
    tap_is_int(report.terms, paulimpi_sum_terms(sum), "terms are reported");
    check_stopped(sum, s, report.gates, "cancelled");
    paulimpi_circuit_destroy(&circuit);
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

static void
test_memory_limit(int is_grouped, int64_t part)
{
    paulimpi_propagation_options options = options_eps(1e-3);
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_sum *sum = growing_sum(NULL);
    script *s = growing_script(is_grouped);
    paulimpi_circuit *circuit = make_circuit(s);

    propagate(sum, circuit, &options, &report);
    paulimpi_sum_destroy(&sum);
    sum = growing_sum(NULL);
    options.engine = engine;
    options.memory_limit = report.peak_bytes / part;
    tap_is_status(paulimpi_propagate(sum, circuit, &options, &report),
                  PAULIMPI_ERR_MEMORY, "1/%d of the memory is not enough",
                  (int)part);
    tap_ok(report.gates < GATES, "it ends early");
    tap_ok(report.peak_bytes <= options.memory_limit,
           "without having passed the limit");
    check_stopped(sum, s, report.gates, "out of memory");
    paulimpi_circuit_destroy(&circuit);
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

static void
test_no_memory_at_all(void)
{
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_sum *sum = make_sum(ctx, 2, "X0 + 0.5 Z1");
    paulimpi_circuit *c;

    check(paulimpi_circuit_create(2, &c));
    check(paulimpi_circuit_rz(c, 0, 0.3));
    options.memory_limit = 0;
    tap_is_status(paulimpi_propagate(sum, c, &options, &report),
                  PAULIMPI_ERR_MEMORY, "a memory limit of 0 is one");
    tap_is_int(report.gates, 0, "no gate is begun");
    tap_ok(is_sum(sum, "X0 + 0.5 Z1"), "the sum is as it was");
    options.memory_limit = PAULIMPI_UNLIMITED;
    check(paulimpi_propagate(sum, c, &options, &report));
    tap_is_int(paulimpi_sum_terms(sum), 3, "without a limit it goes on");
    paulimpi_circuit_destroy(&c);
    paulimpi_sum_destroy(&sum);
}

/* Without a limit the library finds one, but not before the terms take some
 * megabytes. Here they take more. */
static void
test_automatic_limit(void)
{
    enum { N_QUBITS = 18, SOME_MEGABYTES = 6 << 20 };
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_sum *sum = make_sum(ctx, N_QUBITS, "XXXXXXXXXXXXXXXXXX");
    paulimpi_circuit *c;
    int q;

    check(paulimpi_circuit_create(N_QUBITS, &c));
    for (q = 0; q < N_QUBITS; q++) {
        check(paulimpi_circuit_rz(c, q, 0.3));
    }
    options.engine = engine;
    check(paulimpi_propagate(sum, c, &options, &report));
    tap_ok(report.terms == 1 << N_QUBITS && report.gates == N_QUBITS
               && report.peak_bytes > SOME_MEGABYTES,
           "without a limit a sum may grow to %d bytes",
           (int)report.peak_bytes);
    paulimpi_circuit_destroy(&c);
    paulimpi_sum_destroy(&sum);
}

/* What each engine has to do. */
static void
test_engine(int which)
{
    engine = which;
    use_engine(engine);
    test_layers(PAULIMPI_HEISENBERG);
    test_layers(PAULIMPI_SCHROEDINGER);
    test_few_layers();
    test_active();
    test_report();
    test_progress();
    test_cancel(0, 0);
    test_cancel(0, 57);
    test_cancel(1, 58);
    test_memory_limit(0, 2);
    test_memory_limit(0, 5);
    test_memory_limit(1, 2);
    test_automatic_limit();
}

static void
test_automatic(void)
{
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_sum *sum = growing_sum(NULL);
    script *s = growing_script(0);
    paulimpi_propagation_options options = options_eps(0.5);

    use_engine(PAULIMPI_ENGINE_AUTOMATIC);
    propagate_script(sum, s, &options, &report);
    tap_is_int(report.engine, PAULIMPI_ENGINE_TILE,
               "the automatic choice is the tile engine");
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

int
main(void)
{
    ctx = make_context(1);
    test_engine(PAULIMPI_ENGINE_IN_PLACE);
    test_engine(PAULIMPI_ENGINE_TILE);
    test_engine(PAULIMPI_ENGINE_ORBIT);
    test_automatic();
    test_report_without_size();
    test_no_memory_at_all();
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
