/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums as sets of terms: adding, scaling, looking up, walking, copying, and
 * what they refuse.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "propagate/support.h"

static paulimpi_context *ctx;

static void
test_create(void)
{
    paulimpi_sum *sum = NULL;

    paulimpi_sum_destroy(NULL);
    paulimpi_sum_destroy(&sum);
    tap_is_status(paulimpi_sum_create(NULL, 3, &sum), PAULIMPI_ERR_ARGUMENT,
                  "a sum needs a context");
    tap_is_status(paulimpi_sum_create(ctx, 3, NULL), PAULIMPI_ERR_ARGUMENT,
                  "and a place for its handle");
    tap_is_status(paulimpi_sum_create(ctx, 0, &sum), PAULIMPI_ERR_ARGUMENT,
                  "and a qubit");
    tap_is_status(paulimpi_sum_create(ctx, -1, &sum), PAULIMPI_ERR_ARGUMENT,
                  "not less than none");
    tap_is_status(paulimpi_sum_create(ctx, INT64_MAX, &sum),
                  PAULIMPI_ERR_RANGE, "nor as many as no memory holds");
    tap_ok(sum == NULL, "no handle is made");
    tap_is_status(paulimpi_sum_create(ctx, 3, &sum), PAULIMPI_SUCCESS,
                  "a sum can be made");
    tap_is_int(paulimpi_sum_terms(sum), 0, "a new sum is empty");
    tap_is_int(paulimpi_sum_qubits(sum), 3, "on its qubits");
    paulimpi_sum_destroy(&sum);
    tap_ok(sum == NULL, "destroy forgets the handle");
}

static void
test_no_sum(void)
{
    paulimpi_sum_position place = { 0, 0 };
    paulimpi_sum *copy = NULL;
    paulimpi_pauli *pauli;
    double value = 7;
    char *text = NULL;

    check(paulimpi_pauli_create(1, "X", &pauli));
    tap_is_int(paulimpi_sum_qubits(NULL), PAULIMPI_ERR_ARGUMENT,
               "no sum has no qubits");
    tap_is_int(paulimpi_sum_terms(NULL), PAULIMPI_ERR_ARGUMENT, "no terms");
    tap_is_status(paulimpi_sum_copy(NULL, &copy), PAULIMPI_ERR_ARGUMENT,
                  "no copy");
    tap_is_status(paulimpi_sum_add_text(NULL, "X", 1), PAULIMPI_ERR_ARGUMENT,
                  "takes no text");
    tap_is_status(paulimpi_sum_add_pauli(NULL, pauli, 1),
                  PAULIMPI_ERR_ARGUMENT, "no string");
    tap_is_status(paulimpi_sum_add_terms(NULL, 0, NULL, NULL, NULL),
                  PAULIMPI_ERR_ARGUMENT, "no arrays");
    tap_is_status(paulimpi_sum_scale(NULL, 1), PAULIMPI_ERR_ARGUMENT,
                  "is not scaled");
    tap_is_status(paulimpi_sum_coefficient(NULL, "X", &value),
                  PAULIMPI_ERR_ARGUMENT, "has no coefficients");
    tap_is_status(paulimpi_sum_identity(NULL, &value), PAULIMPI_ERR_ARGUMENT,
                  "no identity");
    tap_is_status(paulimpi_sum_norm1(NULL, &value), PAULIMPI_ERR_ARGUMENT,
                  "no 1-norm");
    tap_is_status(paulimpi_sum_norm2(NULL, &value), PAULIMPI_ERR_ARGUMENT,
                  "no 2-norm");
    tap_is_status(paulimpi_sum_text(NULL, &text), PAULIMPI_ERR_ARGUMENT,
                  "no text");
    tap_is_int(paulimpi_sum_next(NULL, &place, NULL, NULL, &value),
               PAULIMPI_ERR_ARGUMENT, "and no place to walk");
    tap_is_bits(value, 7, "nothing was written");
    paulimpi_pauli_destroy(&pauli);
}

static void
test_missing_arguments(void)
{
    paulimpi_sum *sum = make_sum(ctx, 2, "X0");
    uint64_t x = 1, z = 0;
    double c = 1;

    tap_is_status(paulimpi_sum_add_text(sum, NULL, 1), PAULIMPI_ERR_ARGUMENT,
                  "a text is needed");
    tap_is_status(paulimpi_sum_add_pauli(sum, NULL, 1), PAULIMPI_ERR_ARGUMENT,
                  "a string");
    tap_is_status(paulimpi_sum_add(sum, NULL, 1), PAULIMPI_ERR_ARGUMENT,
                  "another sum");
    tap_is_status(paulimpi_sum_add_terms(sum, 1, NULL, &z, &c),
                  PAULIMPI_ERR_ARGUMENT, "x bits");
    tap_is_status(paulimpi_sum_add_terms(sum, 1, &x, NULL, &c),
                  PAULIMPI_ERR_ARGUMENT, "z bits");
    tap_is_status(paulimpi_sum_add_terms(sum, 1, &x, &z, NULL),
                  PAULIMPI_ERR_ARGUMENT, "coefficients");
    tap_is_status(paulimpi_sum_add_terms(sum, -1, &x, &z, &c),
                  PAULIMPI_ERR_ARGUMENT, "not -1 of them");
    tap_is_status(paulimpi_sum_add_terms(sum, 0, NULL, NULL, NULL),
                  PAULIMPI_SUCCESS, "none need no arrays");
    tap_is_status(paulimpi_sum_get_terms(sum, 0, &x, &z, &c),
                  PAULIMPI_ERR_ARGUMENT, "room for all terms is needed");
    tap_is_status(paulimpi_sum_get_terms(sum, 1, NULL, &z, &c),
                  PAULIMPI_ERR_ARGUMENT, "for x");
    tap_is_status(paulimpi_sum_coefficient(sum, NULL, &c),
                  PAULIMPI_ERR_ARGUMENT, "a label");
    tap_is_status(paulimpi_sum_coefficient(sum, "X0", NULL),
                  PAULIMPI_ERR_ARGUMENT, "and a place for the coefficient");
    tap_is_int(paulimpi_sum_next(sum, NULL, NULL, NULL, &c),
               PAULIMPI_ERR_ARGUMENT, "a position");
    tap_is_status(paulimpi_sum_copy(sum, NULL), PAULIMPI_ERR_ARGUMENT,
                  "a place for a copy");
    tap_ok(is_sum(sum, "X0"), "the sum is as it was");
    paulimpi_sum_destroy(&sum);
}

static void
test_add(void)
{
    paulimpi_sum *sum = make_sum(ctx, 2, "X0 + 2 Z1");
    paulimpi_sum *other = make_sum(ctx, 2, "X0 - 4 Z1 + 8 Y0 Y1");
    paulimpi_sum *wide = make_sum(ctx, 3, "X0");
    paulimpi_pauli *pauli;

    check(paulimpi_sum_add(sum, other, 0.5));
    tap_ok(is_sum(sum, "1.5 X0 + 4 Y0 Y1"), "sums add, what cancels is gone");
    check(paulimpi_sum_add(sum, sum, 1));
    tap_ok(is_sum(sum, "3 X0 + 8 Y0 Y1"), "a sum adds to itself");
    check(paulimpi_sum_add(sum, sum, -1));
    tap_is_int(paulimpi_sum_terms(sum), 0, "and cancels itself");
    check(paulimpi_sum_add(sum, other, 0));
    tap_is_int(paulimpi_sum_terms(sum), 0, "nothing times a sum is nothing");
    tap_is_status(paulimpi_sum_add(sum, wide, 1), PAULIMPI_ERR_MISMATCH,
                  "sums of two widths do not add");
    check(paulimpi_pauli_create(3, "XYZ", &pauli));
    tap_is_status(paulimpi_sum_add_pauli(sum, pauli, 1), PAULIMPI_ERR_MISMATCH,
                  "nor does a string");
    check(paulimpi_sum_add_pauli(wide, pauli, -2));
    check(paulimpi_sum_add_pauli(wide, pauli, 0));
    tap_ok(is_sum(wide, "X0 - 2 X0 Y1 Z2"), "one of its width does");
    paulimpi_pauli_destroy(&pauli);
    paulimpi_sum_destroy(&sum);
    paulimpi_sum_destroy(&other);
    paulimpi_sum_destroy(&wide);
}

static void
test_scale_and_copy(void)
{
    paulimpi_sum *sum = make_sum(ctx, 2, "X0 + 2 Z1");
    paulimpi_sum *copy;

    check(paulimpi_sum_copy(sum, &copy));
    check(paulimpi_sum_scale(sum, -0.5));
    tap_ok(is_sum(sum, "-0.5 X0 - Z1"), "a sum can be scaled");
    tap_ok(is_sum(copy, "X0 + 2 Z1"), "a copy does not follow");
    check(paulimpi_sum_scale(sum, 1e-320));
    check(paulimpi_sum_scale(sum, 1e-10));
    tap_is_int(paulimpi_sum_terms(sum), 0, "what underflows to 0 is removed");
    check(paulimpi_sum_scale(copy, 0));
    tap_is_int(paulimpi_sum_terms(copy), 0, "a factor of 0 empties it");
    check(paulimpi_sum_add_text(copy, "Y1", 1));
    tap_ok(is_sum(copy, "Y1"), "and it can be filled again");
    paulimpi_sum_destroy(&sum);
    paulimpi_sum_destroy(&copy);
}

/* The order in which equal strings stand is the one of the additions: 1e16 +
 * 1 - 1e16 is 0, 1e16 - 1e16 + 1 is 1. */
static void
test_order_of_additions(void)
{
    static const uint64_t x[3] = { 1, 1, 1 };
    static const uint64_t z[3] = { 0, 0, 0 };
    static const double lost[3] = { 1e16, 1, -1e16 };
    static const double kept[3] = { 1e16, -1e16, 1 };
    paulimpi_sum *sum;

    check(paulimpi_sum_create(ctx, 2, &sum));
    check(paulimpi_sum_add_terms(sum, 3, x, z, kept));
    tap_ok(is_sum(sum, "X0"), "equal strings are added in their order");
    check(paulimpi_sum_scale(sum, 0));
    check(paulimpi_sum_add_terms(sum, 3, x, z, lost));
    tap_is_int(paulimpi_sum_terms(sum), 0, "whatever that loses");
    paulimpi_sum_destroy(&sum);
}

/* 20,000 terms through a dictionary: merged, in order, found again. */
static void
test_many_terms(int64_t n)
{
    static const char rank[] = "IXYZ";
    dice d = { (uint64_t)n };
    dictionary *want = dictionary_create(n);
    paulimpi_sum *sum = make_random_sum(ctx, n, 20000, 0, n, 3, &d, want);
    term_list list = terms_of(sum);
    char *before = malloc((size_t)n + 1);
    double difference;
    int is_ordered = 1, are_found = 1;
    int64_t i;

    tap_ok(has_strings(sum, want, &difference) && difference == 0,
           "%d qubits: %d terms are merged", (int)n, (int)list.n);
    for (i = 0; i < list.n; i++) {
        const char *label = term_label(&list, n, i);
        size_t q = 0;

        while (i > 0 && label[q] == before[q]) {
            q++;
        }
        is_ordered &=
            i == 0 || strchr(rank, label[q]) > strchr(rank, before[q]);
        if (i % 100 == 0) {
            are_found &= coefficient_of(sum, label) == list.coefficient[i];
        }
        memcpy(before, label, (size_t)n + 1);
    }
    tap_ok(is_ordered, "they come out in the order of their labels");
    tap_ok(are_found, "and are found by them");
    free(before);
    term_list_free(&list);
    dictionary_destroy(want);
    paulimpi_sum_destroy(&sum);
}

static void
test_walk(void)
{
    paulimpi_sum_position place = { 0, 0 };
    dice d = { 61 };
    paulimpi_sum *sum = make_random_sum(ctx, 70, 5000, 0, 70, 70, &d, NULL);
    paulimpi_sum *again;
    uint64_t x[2], z[2];
    double c;
    int64_t n = 0;

    check(paulimpi_sum_create(ctx, 70, &again));
    while (paulimpi_sum_next(sum, &place, x, z, &c) == 1) {
        check(paulimpi_sum_add_terms(again, 1, x, z, &c));
        n++;
    }
    tap_is_int(n, paulimpi_sum_terms(sum), "a walk meets every term once");
    tap_ok(same_bits(sum, again), "with its bits");
    tap_is_int(paulimpi_sum_next(sum, &place, x, z, &c), 0,
               "its end stays the end");
    paulimpi_sum_destroy(&sum);
    paulimpi_sum_destroy(&again);
}

static void
test_context_lives_on(void)
{
    paulimpi_context *own = make_context(1);
    paulimpi_sum *sum = make_sum(own, 2, "X0");
    script *s = script_create(2);

    paulimpi_context_destroy(&own);
    script_one(s, "h", 0, 0);
    propagate_script(sum, s, NULL, NULL);
    tap_ok(is_sum(sum, "Z0"), "a sum keeps its context alive");
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

static void
test_overflow(void)
{
    paulimpi_sum *sum = make_sum(ctx, 2, "1e308 Z0 + Z1");
    double value;

    tap_is_status(paulimpi_sum_scale(sum, 10), PAULIMPI_ERR_RANGE,
                  "a factor that makes a coefficient overflow is refused");
    tap_contains(paulimpi_last_error(), "too large for a double",
                 "with a sentence");
    tap_ok(is_sum(sum, "1e308 Z0 + Z1"), "and the sum is as it was");
    check(paulimpi_sum_add_text(sum, "1e308 X0 + 1e308 X1", 1.0));
    check(paulimpi_sum_norm1(sum, &value));
    tap_is_bits(value, INFINITY, "a norm that overflows is infinite");
    paulimpi_sum_destroy(&sum);
}

int
main(void)
{
    ctx = make_context(1);
    test_create();
    test_no_sum();
    test_missing_arguments();
    test_add();
    test_scale_and_copy();
    test_order_of_additions();
    test_many_terms(3);
    test_many_terms(64);
    test_many_terms(65);
    test_many_terms(300);
    test_walk();
    test_context_lives_on();
    test_overflow();
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
