/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random circuits with truncation on many qubits against the dictionary: the
 * same strings, the same counts, the same coefficients.
 */
#include <math.h>

#include "propagate/support.h"

static paulimpi_context *ctx;

/* A circuit of some kinds of gates on the span qubits from first, on a sum of
 * 20 terms there. */
typedef struct {
    const char *what;
    int64_t n_qubits;
    int64_t first;
    int64_t span;
    int64_t gates;
    int kinds;
    int picture;
    double tolerance;
    dictionary_limits limits;
} setting;

static void
test_report(const setting *t, const paulimpi_propagation_report *got,
            const dictionary_report *want, const paulimpi_sum *sum)
{
    tap_is_int(got->gates, t->gates, "and the number of gates");
    tap_is_int(got->terms, paulimpi_sum_terms(sum), "of terms");
    tap_is_int(got->peak_terms, want->peak_terms, "of peak terms");
    tap_is_int(got->term_gates, want->term_gates, "of term-gates");
    tap_is_near(got->dropped_norm1, want->dropped_norm1,
                1e-13 * want->dropped_norm1, "and the dropped 1-norm");
    tap_is_near(got->dropped_norm2, sqrt(want->dropped_square),
                1e-13 * sqrt(want->dropped_square), "and 2-norm");
}

/* Propagate a copy with one engine and compare. */
static void
test_engine(const setting *t, int engine, const paulimpi_sum *start,
            const script *s, const dictionary *want,
            const dictionary_report *report)
{
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    paulimpi_propagation_report got = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_sum *sum;
    double difference;

    options.truncation = truncation_of(&t->limits);
    options.picture = t->picture;
    options.engine = engine;
    check(paulimpi_sum_copy(start, &sum));
    propagate_script(sum, s, &options, &got);
    tap_ok(has_strings(sum, want, &difference),
           "%d qubits, %s, %s: the same %d strings", (int)t->n_qubits, t->what,
           engine == PAULIMPI_ENGINE_IN_PLACE ? "in place"
           : engine == PAULIMPI_ENGINE_TILE   ? "by tiles"
                                              : "by orbits",
           (int)dictionary_terms(want));
    tap_is_near(difference, 0, t->tolerance, "with the same coefficients");
    test_report(t, &got, report, sum);
    paulimpi_sum_destroy(&sum);
}

static void
test_setting(const setting *t, uint64_t seed)
{
    dice d = { seed };
    script *s = script_create(t->n_qubits);
    dictionary *want = dictionary_create(t->n_qubits);
    paulimpi_sum *sum =
        make_random_sum(ctx, t->n_qubits, 20, t->first, t->span, 6, &d, want);
    dictionary_report report = { 0 };

    script_draw(s, &d, t->gates, t->kinds, t->first, t->span);
    if (t->picture == PAULIMPI_HEISENBERG) {
        dictionary_heisenberg(want, s, &t->limits, &report);
    } else {
        dictionary_schroedinger(want, s, &t->limits, &report);
    }
    test_engine(t, PAULIMPI_ENGINE_IN_PLACE, sum, s, want, &report);
    test_engine(t, PAULIMPI_ENGINE_TILE, sum, s, want, &report);
    test_engine(t, PAULIMPI_ENGINE_ORBIT, sum, s, want, &report);
    paulimpi_sum_destroy(&sum);
    dictionary_destroy(want);
    script_destroy(s);
}

/* The qubits of a setting lie at the end of the register, across its last
 * word boundary where there is one. */
static void
test_width(int64_t n)
{
    const setting settings[] = {
        /* Rotations and Cliffords round alike on both sides: no difference
         * at all. */
        { "rotations, eps",
          n,
          n - 12,
          12,
          120,
          DRAW_ROTATIONS | DRAW_CLIFFORDS,
          PAULIMPI_HEISENBERG,
          0,
          { 1e-2, INT64_MAX, INT64_MAX, INT64_MAX } },
        { "rotations, weights",
          n,
          n - 12,
          12,
          60,
          DRAW_ROTATIONS | DRAW_CLIFFORDS,
          PAULIMPI_HEISENBERG,
          0,
          { 1e-3, 4, 3, INT64_MAX } },
        { "rotations, largest",
          n,
          n - 12,
          12,
          120,
          DRAW_ROTATIONS | DRAW_CLIFFORDS,
          PAULIMPI_SCHROEDINGER,
          0,
          { 0, INT64_MAX, INT64_MAX, 200 } },
        { "all gates",
          n,
          n - 12,
          12,
          100,
          DRAW_ALL,
          PAULIMPI_HEISENBERG,
          4e-15,
          { 1e-3, INT64_MAX, INT64_MAX, INT64_MAX } },
        { "all gates",
          n,
          n - 12,
          12,
          60,
          DRAW_ALL,
          PAULIMPI_SCHROEDINGER,
          4e-15,
          { 1e-4, 7, 6, INT64_MAX } },
        { "all gates, wide",
          n,
          0,
          n,
          80,
          DRAW_ALL,
          PAULIMPI_HEISENBERG,
          4e-15,
          { 1e-3, INT64_MAX, INT64_MAX, INT64_MAX } },
        { "all limits",
          n,
          n - 12,
          12,
          100,
          DRAW_ROTATIONS | DRAW_CLIFFORDS,
          PAULIMPI_HEISENBERG,
          0,
          { 1e-2, 8, 7, 150 } },
    };
    size_t i;

    for (i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        test_setting(&settings[i], (uint64_t)(n + (int64_t)i));
    }
}

int
main(void)
{
    static const int64_t widths[] = { 12, 31,  32,  33,  63, 64,
                                      65, 127, 128, 129, 300 };
    size_t i;

    ctx = make_context(1);
    for (i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        test_width(widths[i]);
    }
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
