/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which terms are kept: each policy, their order, ties, groups, and what is
 * said about the dropped ones.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "propagate/oracle_dense.h"
#include "propagate/support.h"

static paulimpi_context *ctx;

/* Truncate the sum of one text and compare with another. */
static void
try_truncation(paulimpi_truncation truncation, const char *before,
               const char *after, const char *fact)
{
    paulimpi_sum *sum = make_sum(ctx, 4, before);

    check(paulimpi_sum_truncate(sum, &truncation));
    tap_ok(is_sum(sum, after), "%s", fact);
    paulimpi_sum_destroy(&sum);
}

#define WEIGHTS "5 I + 4 X0 + 3 X0 Y1 + 2 Z0 Z1 Z2 + 1 X0 X1 X2 Z3"

static void
test_min_abs(void)
{
    paulimpi_truncation t = PAULIMPI_TRUNCATION_INIT;

    try_truncation(t, "1e-300 X0 + Z0", "1e-300 X0 + Z0",
                   "eps 0 keeps everything");
    t.min_abs = 0.25;
    try_truncation(t, "0.25 X0 - 0.25 Y0 + 0.24999999999999997 Z0",
                   "0.25 X0 - 0.25 Y0", "a coefficient equal to eps is kept");
    try_truncation(t, "0.2 I + Z0", "Z0", "the identity may go, too");
    t.min_abs = INFINITY;
    try_truncation(t, "1e300 I + Z0", "0", "an infinite eps drops all");
}

static void
test_weights(void)
{
    paulimpi_truncation t = PAULIMPI_TRUNCATION_INIT;

    t.max_weight = 0;
    try_truncation(t, WEIGHTS, "5 I", "weight 0 keeps the identity");
    t.max_weight = 2;
    try_truncation(t, WEIGHTS, "5 I + 4 X0 + 3 X0 Y1", "weight 2");
    t.max_weight = 4;
    try_truncation(t, WEIGHTS, WEIGHTS, "weight n keeps all");
    t.max_weight = 1000;
    try_truncation(t, WEIGHTS, WEIGHTS, "and so does more than n");
    t = (paulimpi_truncation)PAULIMPI_TRUNCATION_INIT;
    t.max_xy_weight = 0;
    try_truncation(t, WEIGHTS, "5 I + 2 Z0 Z1 Z2", "no X or Y at all");
    t.max_xy_weight = 2;
    try_truncation(t, WEIGHTS, "5 I + 4 X0 + 3 X0 Y1 + 2 Z0 Z1 Z2",
                   "two letters X or Y");
    t.max_weight = 1;
    try_truncation(t, WEIGHTS, "5 I + 4 X0", "and weight 1");
}

static void
test_max_terms(void)
{
    paulimpi_truncation t = PAULIMPI_TRUNCATION_INIT;

    t.max_terms = 0;
    try_truncation(t, WEIGHTS, "0", "no terms are allowed: none is left");
    t.max_terms = 1;
    try_truncation(t, "X0 - 3 Y0 + 2 Z0", "-3 Y0", "the largest one");
    t.max_terms = 3;
    try_truncation(t, "X0 - 3 Y0 + 2 Z0", "X0 - 3 Y0 + 2 Z0",
                   "as many as there are");
    t.max_terms = 100;
    try_truncation(t, WEIGHTS, WEIGHTS, "more than there are");
}

static void
test_ties(void)
{
    paulimpi_truncation t = PAULIMPI_TRUNCATION_INIT;

    t.max_terms = 2;
    try_truncation(t, "3 X0 + 2 X1 - 2 X2 + X3", "3 X0",
                   "terms that tie at the cut all go");
    try_truncation(t, "3 X0 - 3 X1 + 2 X2 + 2 X3", "3 X0 - 3 X1",
                   "a tie above the cut is none at the cut");
    try_truncation(t, "2 X0 + 2 X1 + 2 X2 + 2 X3", "0",
                   "if all tie, nothing is left");
    t.max_terms = 3;
    try_truncation(t, "3 X0 + 2 X1 - 2 X2 + X3", "3 X0 + 2 X1 - 2 X2",
                   "a tie that fits stays");
    t.max_terms = 4;
    try_truncation(t, "2 X0 + 2 X1 + 2 X2 + 2 X3", "2 X0 + 2 X1 + 2 X2 + 2 X3",
                   "all of them, too");
}

static void
test_keep_first(void)
{
    paulimpi_truncation t = PAULIMPI_TRUNCATION_INIT;

    t.choice = PAULIMPI_KEEP_FIRST;
    t.max_terms = 2;
    try_truncation(t, "3 X0 + 2 X1 - 2 X2 + X3", "3 X0 - 2 X2",
                   "of two terms that tie the first one stays: IIXI < IXII");
    try_truncation(t, "2 X3 - 2 Y3 + 2 Z3 - 2 I", "-2 I + 2 X3",
                   "in the order I, X, Y, Z");
    try_truncation(t, "3 X0 - 3 X1 + 2 X2 + 2 X3", "3 X0 - 3 X1",
                   "a tie above the cut is none at the cut");
    t.max_terms = 0;
    try_truncation(t, "X0 + X1", "0", "0 terms are none");
}

/* How many of the terms are larger than term i, or as large and before it. */
static int64_t
place_of(const term_list *terms, int64_t i)
{
    double c = fabs(terms->coefficient[i]);
    int64_t place = 0;
    int64_t j;

    for (j = 0; j < terms->n; j++) {
        double other = fabs(terms->coefficient[j]);

        place += other > c || (other == c && j < i);
    }
    return place;
}

/* A random sum whose coefficients are a few numbers. */
static paulimpi_sum *
draw_ties(int64_t n_qubits, uint64_t seed)
{
    dice d = { seed };
    paulimpi_sum *sum =
        make_random_sum(ctx, n_qubits, 300, 0, n_qubits, 3, &d, NULL);
    term_list terms = terms_of(sum);
    int64_t i;

    for (i = 0; i < terms.n; i++) {
        terms.coefficient[i] = (double)dice_below(&d, 9) - 4;
    }
    check(paulimpi_sum_scale(sum, 0));
    check(paulimpi_sum_add_terms(sum, terms.n, terms.x, terms.z,
                                 terms.coefficient));
    term_list_free(&terms);
    return sum;
}

/* The terms that a sort would keep. */
static int
keeps_first(int64_t n_qubits, int64_t keep)
{
    paulimpi_truncation t = PAULIMPI_TRUNCATION_INIT;
    paulimpi_sum *sum = draw_ties(n_qubits, 3);
    paulimpi_sum *want;
    term_list terms = terms_of(sum);
    int64_t words = terms.words;
    int64_t i;
    int same;

    check(paulimpi_sum_create(ctx, n_qubits, &want));
    for (i = 0; i < terms.n; i++) {
        if (place_of(&terms, i) < keep) {
            check(paulimpi_sum_add_terms(want, 1, terms.x + i * words,
                                         terms.z + i * words,
                                         &terms.coefficient[i]));
        }
    }
    t.choice = PAULIMPI_KEEP_FIRST;
    t.max_terms = keep;
    check(paulimpi_sum_truncate(sum, &t));
    same = same_bits(sum, want)
           && paulimpi_sum_terms(sum) == (keep < terms.n ? keep : terms.n);
    term_list_free(&terms);
    paulimpi_sum_destroy(&sum);
    paulimpi_sum_destroy(&want);
    return same;
}

static void
test_keep_first_of_many(void)
{
    static const int64_t qubits[] = { 4, 63, 64, 65, 131 };
    int i;

    for (i = 0; i < 5; i++) {
        int all_agree = 1;
        int64_t keep;

        for (keep = 0; keep < 310; keep += 23) {
            all_agree &= keeps_first(qubits[i], keep);
        }
        tap_ok(all_agree, "the first ones stay, with %d qubits",
               (int)qubits[i]);
    }
}

static void
test_keep_roughly(void)
{
    paulimpi_truncation t = PAULIMPI_TRUNCATION_INIT;

    t.choice = PAULIMPI_KEEP_ROUGHLY;
    t.max_terms = 1;
    try_truncation(t, "1.07 X0 + X1", "1.07 X0",
                   "more than a sixteenth of an octave is told apart");
    try_truncation(t, "1.06 X0 - X1", "0", "and less is a tie");
    try_truncation(t, "1e300 X0 + 1e200 X1 + Z0", "0", "as huge numbers are");
    t.max_terms = 2;
    try_truncation(t, "1e300 X0 + 1e200 X1 + Z0", "1e300 X0 + 1e200 X1",
                   "which are large all the same");
    try_truncation(t, "Z0 + 1e-300 X0 + 1e-200 X1", "Z0",
                   "and tiny ones tie, too");
    t.max_terms = 0;
    try_truncation(t, "Z0 + 1e-300 X0", "0", "0 terms are none");
}

/* Over many seeds the mean of each coefficient is what it was. */
static void
test_keep_random(void)
{
    static const char text[] = "100 X0 - 3 X1 + 2 X2 - X3 + 1 Y0 + 0.5 Y1 "
                               "- 0.5 Y2 + 0.25 Y3 + 0.125 Z0 - 0.125 Z1";
    static const char *const labels[] = { "X0", "X1", "X2", "X3", "Y0",
                                          "Y1", "Y2", "Y3", "Z0", "Z1" };
    static const double want[] = { 100, -3,   2,    -1,    1,
                                   0.5, -0.5, 0.25, 0.125, -0.125 };
    enum { N = 10, SEEDS = 4000, KEEP = 5 };
    paulimpi_truncation t = PAULIMPI_TRUNCATION_INIT;
    double total[N] = { 0 };
    int all_five = 1, is_whole = 1, is_near = 1, differ = 0;
    int i;

    t.choice = PAULIMPI_KEEP_RANDOM;
    t.max_terms = KEEP;
    for (t.seed = 0; t.seed < SEEDS; t.seed++) {
        paulimpi_sum *sum = make_sum(ctx, 4, text);

        check(paulimpi_sum_truncate(sum, &t));
        all_five &= paulimpi_sum_terms(sum) == KEEP;
        is_whole &= coefficient_of(sum, "X0") == 100;
        differ |= coefficient_of(sum, "Z0") != 0;
        for (i = 0; i < N; i++) {
            total[i] += coefficient_of(sum, labels[i]);
        }
        paulimpi_sum_destroy(&sum);
    }
    for (i = 0; i < N; i++) {
        is_near &= fabs(total[i] / SEEDS - want[i]) < 0.06;
    }
    tap_ok(all_five, "a random choice has as many terms as it may");
    tap_ok(is_whole, "a large one is always there");
    tap_ok(differ, "a small one sometimes");
    tap_ok(is_near, "and the mean is right");
    t.max_terms = 10;
    try_truncation(t, text, text, "as many as there are stay as they are");
    t.max_terms = 0;
    try_truncation(t, text, "0", "0 terms are none");
}

/* A circuit of n rotations, from gate `first` on. */
static paulimpi_circuit *
draw_rotations(int64_t first, int64_t n)
{
    dice d = { 5 };
    paulimpi_circuit *circuit;
    int64_t i;

    check(paulimpi_circuit_create(6, &circuit));
    for (i = 0; i < first + n; i++) {
        char *label = dice_label(&d, 6, 3);

        if (i >= first) {
            check(paulimpi_circuit_rotation(circuit, label, 0.7));
        }
        free(label);
    }
    return circuit;
}

static paulimpi_sum *
propagate_by(const paulimpi_truncation *truncation, int64_t stride,
             paulimpi_propagation_report *report)
{
    enum { GATES = 24 };
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    paulimpi_sum *sum = make_letters(ctx, 6, 'Z');
    int64_t first;

    options.truncation = *truncation;
    for (first = GATES - stride; first >= 0; first -= stride) {
        paulimpi_circuit *circuit = draw_rotations(first, stride);

        propagate(sum, circuit, &options, report);
        paulimpi_circuit_destroy(&circuit);
    }
    return sum;
}

/* Each gate is followed by a choice. */
static void
test_choices_of_gates(void)
{
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_truncation t = PAULIMPI_TRUNCATION_INIT;
    paulimpi_sum *whole, *parts, *largest;

    for (t.choice = PAULIMPI_KEEP_FIRST; t.choice <= PAULIMPI_KEEP_ROUGHLY;
         t.choice++) {
        paulimpi_truncation plain = PAULIMPI_TRUNCATION_INIT;

        /* All six terms tie at first. */
        t.max_terms = t.choice == PAULIMPI_KEEP_FIRST ? 4 : 20;
        plain.max_terms = t.max_terms;
        largest = propagate_by(&plain, 24, &report);
        whole = propagate_by(&t, 24, &report);
        parts = propagate_by(&t, 1, &report);
        tap_ok(same_bits(whole, parts) && !same_bits(whole, largest),
               "choice %d comes after each gate", t.choice);
        paulimpi_sum_destroy(&whole);
        paulimpi_sum_destroy(&parts);
        paulimpi_sum_destroy(&largest);
    }
    t.choice = PAULIMPI_KEEP_RANDOM;
    whole = propagate_by(&t, 24, &report);
    tap_ok(isnan(report.error_bound), "a random choice bounds no error");
    parts = propagate_by(&t, 24, &report);
    tap_ok(paulimpi_sum_terms(whole) == 20 && same_bits(whole, parts),
           "it is the same one each time");
    paulimpi_sum_destroy(&parts);
    t.seed = 1;
    parts = propagate_by(&t, 24, &report);
    tap_ok(!same_bits(whole, parts), "but not with another seed");
    paulimpi_sum_destroy(&parts);
    paulimpi_sum_destroy(&whole);
}

static void
test_order_of_policies(void)
{
    paulimpi_truncation t = PAULIMPI_TRUNCATION_INIT;

    t.max_weight = 1;
    t.max_terms = 2;
    try_truncation(t, "9 X0 X1 + 8 X1 X2 + 3 X0 + 2 X1 + X2", "3 X0 + 2 X1",
                   "the largest are chosen from what the weights leave");
    t.min_abs = 2.5;
    try_truncation(t, "9 X0 X1 + 8 X1 X2 + 3 X0 + 2 X1 + X2", "3 X0",
                   "and from what eps leaves");
    t.max_terms = 1;
    t.min_abs = 2;
    try_truncation(t, "9 X0 X1 + 2 X0 + 1.5 X1", "2 X0",
                   "terms that eps drops do not tie");
}

static void
test_bad_truncation(void)
{
    paulimpi_truncation t = PAULIMPI_TRUNCATION_INIT;
    paulimpi_sum *sum = make_sum(ctx, 4, WEIGHTS);

    tap_is_status(paulimpi_sum_truncate(sum, NULL), PAULIMPI_ERR_ARGUMENT,
                  "a truncation is needed");
    tap_is_status(paulimpi_sum_truncate(NULL, &t), PAULIMPI_ERR_ARGUMENT,
                  "and a sum");
    t.max_terms = -1;
    tap_is_status(paulimpi_sum_truncate(sum, &t), PAULIMPI_ERR_ARGUMENT,
                  "-1 terms are refused");
    t = (paulimpi_truncation)PAULIMPI_TRUNCATION_INIT;
    t.choice = PAULIMPI_KEEP_RANDOM + 1;
    tap_is_status(paulimpi_sum_truncate(sum, &t), PAULIMPI_ERR_ARGUMENT,
                  "a choice that there is not, too");
    t = (paulimpi_truncation)PAULIMPI_TRUNCATION_INIT;
    t.min_abs = NAN;
    tap_is_status(paulimpi_sum_truncate(sum, &t), PAULIMPI_ERR_ARGUMENT,
                  "eps that is not a number, too");
    tap_ok(is_sum(sum, WEIGHTS), "the sum is as it was");
    paulimpi_sum_destroy(&sum);
}

static void
test_many_ties(void)
{
    dictionary_limits limits = DICTIONARY_KEEP_ALL;
    int64_t keep;
    int all_agree = 1;

    for (keep = 0; keep < 3100; keep += 61) {
        dictionary *want = dictionary_create(40);
        dictionary_report report = { 0 };
        dice d = { 7 };
        paulimpi_sum *sum = make_random_sum(ctx, 40, 3000, 0, 40, 6, &d, want);
        paulimpi_truncation t;
        double difference;

        limits.max_terms = keep;
        t = truncation_of(&limits);
        check(paulimpi_sum_truncate(sum, &t));
        dictionary_truncate(want, &limits, &report);
        all_agree &= has_strings(sum, want, &difference) && difference == 0;
        paulimpi_sum_destroy(&sum);
        dictionary_destroy(want);
    }
    tap_ok(all_agree, "the largest 0 to 3,050 of 3,000 terms");
}

static void
test_input_is_truncated_once(void)
{
    paulimpi_propagation_options options = options_eps(0.5);
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_sum *sum = make_sum(ctx, 4, "X0 + 0.4 Y0 + 0.3 Z1");
    script *s = script_create(4);

    script_one(s, "h", 3, 0);
    script_one(s, "h", 3, 0);
    propagate_script(sum, s, &options, &report);
    tap_ok(is_sum(sum, "X0"), "the input is truncated");
    tap_is_int(report.term_gates, 2, "before the first gate");
    tap_is_int(report.peak_terms, 1, "the peak is taken after that");
    tap_is_bits(report.dropped_norm1, 0.7, "what is dropped then counts");
    tap_is_near(report.dropped_norm2, 0.5, 1e-16, "in the 2-norm, too");
    tap_is_bits(report.error_bound, 0.7, "and bounds the error");
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

/* RXX and RYY with one angle conserve the number of flipped spins; dropping
 * terms between them does not. */
static void
test_groups(void)
{
    int is_grouped;

    for (is_grouped = 0; is_grouped < 2; is_grouped++) {
        paulimpi_propagation_options options = options_eps(0.2);
        paulimpi_sum *sum = make_sum(ctx, 4, "Z0 + Z1");
        script *s = script_create(4);

        if (is_grouped) {
            script_mark(s, "group_begin");
        }
        script_two(s, "rxx", 0, 1, 0.19);
        script_two(s, "ryy", 0, 1, 0.19);
        if (is_grouped) {
            script_mark(s, "group_end");
        }
        propagate_script(sum, s, &options, NULL);
        if (is_grouped) {
            tap_ok(is_near_sum(sum, "Z0 + Z1", 2e-16),
                   "a group conserves the charge");
        } else {
            tap_ok(!is_near_sum(sum, "Z0 + Z1", 1e-3),
                   "without the group it leaks");
        }
        paulimpi_sum_destroy(&sum);
        script_destroy(s);
    }
}

static void
test_group_states(void)
{
    paulimpi_circuit *c, *copy;
    paulimpi_sum *sum = make_sum(ctx, 4, "X0");

    check(paulimpi_circuit_create(4, &c));
    tap_is_status(paulimpi_circuit_group_end(c), PAULIMPI_ERR_STATE,
                  "a group that was not begun cannot end");
    check(paulimpi_circuit_group_begin(c));
    tap_is_status(paulimpi_circuit_group_begin(c), PAULIMPI_ERR_STATE,
                  "groups do not nest");
    check(paulimpi_circuit_h(c, 0));
    tap_is_status(paulimpi_propagate(sum, c, NULL, NULL), PAULIMPI_ERR_STATE,
                  "a circuit in an open group cannot be applied");
    tap_is_status(paulimpi_circuit_copy(c, &copy), PAULIMPI_ERR_STATE,
                  "nor copied");
    tap_ok(copy == NULL, "no handle is made");
    tap_ok(is_sum(sum, "X0"), "the sum is as it was");
    check(paulimpi_circuit_group_end(c));
    check(paulimpi_propagate(sum, c, NULL, NULL));
    tap_ok(is_sum(sum, "Z0"), "once the group has ended, it can");
    paulimpi_circuit_destroy(&c);
    paulimpi_sum_destroy(&sum);
}

/* Random circuits cut into groups of random lengths. */
static void
test_random_groups(int picture)
{
    dictionary_limits limits = { 1e-2, 9, INT64_MAX, 300 };
    uint64_t seed;

    for (seed = 1; seed <= 6; seed++) {
        dice d = { seed };
        dictionary *want = dictionary_create(70);
        dictionary_report report = { 0 };
        paulimpi_sum *sum = make_random_sum(ctx, 70, 15, 58, 12, 12, &d, want);
        paulimpi_propagation_options options =
            PAULIMPI_PROPAGATION_OPTIONS_INIT;
        paulimpi_propagation_report got = PAULIMPI_PROPAGATION_REPORT_INIT;
        script *s = script_create(70);
        double difference;
        int group;

        for (group = 0; group < 20; group++) {
            script_mark(s, "group_begin");
            script_draw(s, &d, dice_below(&d, 6),
                        DRAW_ROTATIONS | DRAW_CLIFFORDS, 58, 12);
            script_mark(s, "group_end");
            script_draw(s, &d, dice_below(&d, 3),
                        DRAW_ROTATIONS | DRAW_CLIFFORDS, 58, 12);
            script_mark(s, "barrier");
        }
        options.truncation = truncation_of(&limits);
        options.picture = picture;
        propagate_script(sum, s, &options, &got);
        if (picture == PAULIMPI_HEISENBERG) {
            dictionary_heisenberg(want, s, &limits, &report);
        } else {
            dictionary_schroedinger(want, s, &limits, &report);
        }
        tap_ok(has_strings(sum, want, &difference) && difference == 0,
               "groups, circuit %d: the same %d terms", (int)seed,
               (int)dictionary_terms(want));
        tap_is_int(got.gates, report.gates, "gates");
        tap_is_int(got.term_gates, report.term_gates, "term-gates");
        tap_is_int(got.peak_terms, report.peak_terms, "peak terms");
        tap_is_near(got.dropped_norm1, report.dropped_norm1,
                    1e-13 * report.dropped_norm1, "dropped 1-norm");
        paulimpi_sum_destroy(&sum);
        dictionary_destroy(want);
        script_destroy(s);
    }
}

/* The bound against dense matrices: the exact value may not be further. */
static void
test_error_bound(void)
{
    static const char state[] = "0r-+1l";
    int holds = 1;
    uint64_t seed;

    for (seed = 1; seed <= 40; seed++) {
        dice d = { seed };
        paulimpi_propagation_options options =
            options_eps(seed % 2 == 0 ? 0.05 : 0.2);
        paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
        paulimpi_sum *sum = make_random_sum(ctx, 6, 4, 0, 6, 6, &d, NULL);
        dense *exact = dense_create(6);
        script *s = script_create(6);
        term_list list = terms_of(sum);
        int64_t i;

        for (i = 0; i < list.n; i++) {
            dense_add(exact, term_label(&list, 6, i), list.coefficient[i]);
        }
        term_list_free(&list);
        script_draw(s, &d, 25, DRAW_ALL, 0, 6);
        options.truncation.max_weight = 4;
        propagate_script(sum, s, &options, &report);
        dense_heisenberg(exact, s);
        holds &=
            report.error_bound > 0
            && fabs(value_in(sum, state) - dense_expectation(exact, state))
                   <= report.error_bound + 1e-12;
        dense_destroy(exact);
        paulimpi_sum_destroy(&sum);
        script_destroy(s);
    }
    tap_ok(holds, "the error bound holds on 40 random circuits");
}

static void
test_no_bound_for_states(void)
{
    paulimpi_propagation_options options = options_eps(0.5);
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_sum *sum = make_sum(ctx, 2, "X0 + 0.25 Z1");
    script *s = script_create(2);

    script_one(s, "h", 0, 0);
    options.picture = PAULIMPI_SCHROEDINGER;
    propagate_script(sum, s, &options, &report);
    tap_ok(isnan(report.error_bound), "no bound in the Schroedinger picture");
    tap_is_bits(report.dropped_norm1, 0.25, "but a dropped 1-norm");
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

int
main(void)
{
    ctx = make_context(1);
    test_min_abs();
    test_weights();
    test_max_terms();
    test_ties();
    test_keep_first();
    test_keep_first_of_many();
    test_keep_roughly();
    test_keep_random();
    test_choices_of_gates();
    test_order_of_policies();
    test_bad_truncation();
    test_many_ties();
    test_input_is_truncated_once();
    test_groups();
    test_group_states();
    test_random_groups(PAULIMPI_HEISENBERG);
    test_random_groups(PAULIMPI_SCHROEDINGER);
    test_error_bound();
    test_no_bound_for_states();
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
