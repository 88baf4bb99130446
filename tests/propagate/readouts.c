/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Read-outs against the oracles.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "propagate/oracle_dense.h"
#include "propagate/support.h"

static paulimpi_context *ctx;

static void
test_letters(void)
{
    static const char letters[] = "01+-rl";
    static const double want[6][3] = {
        { 0, 0, 1 },  { 0, 0, -1 }, { 1, 0, 0 },
        { -1, 0, 0 }, { 0, 1, 0 },  { 0, -1, 0 }
    };
    int state, letter;

    for (state = 0; state < 6; state++) {
        for (letter = 0; letter < 3; letter++) {
            char label[2] = { "XYZ"[letter], '\0' };
            char text[2] = { letters[state], '\0' };
            paulimpi_sum *sum = make_sum(ctx, 1, label);

            tap_is_bits(value_in(sum, text), want[state][letter], "<%s|%s|%s>",
                        text, label, text);
            paulimpi_sum_destroy(&sum);
        }
    }
}

/* Random sums of all letters in random states, dense and by dictionary. */
static void
test_product_states(void)
{
    static const char letters[] = "01+-rl";
    double worst = 0;
    uint64_t seed;
    int q;

    for (seed = 1; seed <= 20; seed++) {
        dice d = { seed };
        dictionary *as_dictionary = dictionary_create(5);
        paulimpi_sum *sum =
            make_random_sum(ctx, 5, 400, 0, 5, 5, &d, as_dictionary);
        dense *as_dense = dense_create(5);
        term_list list = terms_of(sum);
        char state[6] = "";
        int64_t i;

        for (i = 0; i < list.n; i++) {
            dense_add(as_dense, term_label(&list, 5, i), list.coefficient[i]);
        }
        for (q = 0; q < 5; q++) {
            state[q] = letters[dice_below(&d, 6)];
        }
        worst = fmax(worst, fabs(value_in(sum, state)
                                 - dense_expectation(as_dense, state)));
        worst =
            fmax(worst, fabs(value_in(sum, state)
                             - dictionary_expectation(as_dictionary, state)));
        term_list_free(&list);
        dense_destroy(as_dense);
        dictionary_destroy(as_dictionary);
        paulimpi_sum_destroy(&sum);
    }
    tap_is_near(worst, 0, 1e-13, "values in 20 random product states");
}

static void
test_many_qubits(int64_t n)
{
    static const char letters[] = "01+-rl";
    dice d = { (uint64_t)n };
    dictionary *same = dictionary_create(n);
    paulimpi_sum *sum = make_random_sum(ctx, n, 500, 0, n, 3, &d, same);
    char *state = calloc((size_t)n + 1, 1);
    uint64_t ones[8] = { 0 };
    double value;
    int64_t q;

    for (q = 0; q < n; q++) {
        state[q] = letters[dice_below(&d, 6)];
    }
    tap_is_near(value_in(sum, state), dictionary_expectation(same, state),
                1e-13, "%d qubits: a product state", (int)n);
    for (q = 0; q < n; q++) {
        state[q] = letters[dice_below(&d, 2)];
        ones[q / 64] |= (uint64_t)(state[q] == '1') << (q % 64);
    }
    check(paulimpi_sum_expectation_basis(sum, ones, &value));
    tap_is_near(value, dictionary_expectation(same, state), 1e-13,
                "a basis state");
    tap_is_bits(value_in(sum, state), value, "which is a product state, too");
    memset(state, '+', (size_t)n);
    tap_is_bits(value_in(sum, "+"), value_in(sum, state),
                "one letter stands for all qubits");
    dictionary_destroy(same);
    paulimpi_sum_destroy(&sum);
    free(state);
}

static void
test_bad_states(void)
{
    static const char *const bad[] = { "",    "00", "0000", "0x0",
                                       "R++", "2",  " 000", "000 " };
    paulimpi_sum *sum = make_sum(ctx, 3, "Z0");
    double value = 7;
    size_t i;

    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tap_is_status(paulimpi_sum_expectation_product(sum, bad[i], &value),
                      PAULIMPI_ERR_SYNTAX, "\"%s\" is no state of 3 qubits",
                      bad[i]);
    }
    tap_is_status(paulimpi_sum_expectation_product(sum, NULL, &value),
                  PAULIMPI_ERR_ARGUMENT, "a state is needed");
    tap_is_status(paulimpi_sum_expectation_product(NULL, "0", &value),
                  PAULIMPI_ERR_ARGUMENT, "and a sum");
    tap_is_status(paulimpi_sum_expectation_product(sum, "0", NULL),
                  PAULIMPI_ERR_ARGUMENT, "and a place for the value");
    tap_is_bits(value, 7, "nothing was written");
    paulimpi_sum_destroy(&sum);
}

static void
test_identity(void)
{
    paulimpi_sum *sum = make_sum(ctx, 130, "0.25 I + X0 + Z129");
    double value;

    check(paulimpi_sum_identity(sum, &value));
    tap_is_bits(value, 0.25, "the coefficient of the identity");
    check(paulimpi_sum_add_text(sum, "-0.25 I", 1));
    check(paulimpi_sum_identity(sum, &value));
    tap_is_bits(value, 0, "is 0 where there is none");
    tap_is_bits(coefficient_of(sum, "Z129"), 1, "others by their label");
    paulimpi_sum_destroy(&sum);
}

static double
slow_overlap(const paulimpi_sum *a, const dictionary *b)
{
    term_list list = terms_of(a);
    double value = 0;
    int64_t i;

    for (i = 0; i < list.n; i++) {
        value +=
            list.coefficient[i]
            * dictionary_get(b, term_label(&list, paulimpi_sum_qubits(a), i));
    }
    term_list_free(&list);
    return value;
}

static void
test_overlap(void)
{
    dice d = { 21 };
    dictionary *same = dictionary_create(80);
    paulimpi_sum *a = make_random_sum(ctx, 80, 7000, 60, 6, 6, &d, NULL);
    paulimpi_sum *b = make_random_sum(ctx, 80, 5000, 60, 6, 6, &d, same);
    paulimpi_sum *other = make_sum(ctx, 81, "X0");
    double value, swapped;

    check(paulimpi_sum_overlap(a, b, &value));
    check(paulimpi_sum_overlap(b, a, &swapped));
    tap_is_near(value, slow_overlap(a, same), 1e-11, "an overlap");
    tap_is_bits(swapped, value, "does not depend on the order");
    tap_is_status(paulimpi_sum_overlap(a, other, &value),
                  PAULIMPI_ERR_MISMATCH, "sums of one width are needed");
    dictionary_destroy(same);
    paulimpi_sum_destroy(&a);
    paulimpi_sum_destroy(&b);
    paulimpi_sum_destroy(&other);
}

static void
test_norms(void)
{
    paulimpi_sum *sum = make_sum(ctx, 3, "3 X0 - 4 Y1");
    double value;

    check(paulimpi_sum_norm1(sum, &value));
    tap_is_bits(value, 7, "the 1-norm");
    check(paulimpi_sum_norm2(sum, &value));
    tap_is_bits(value, 5, "the 2-norm");
    check(paulimpi_sum_scale(sum, 0));
    check(paulimpi_sum_norm1(sum, &value));
    tap_is_bits(value, 0, "are 0 for an empty sum");
    paulimpi_sum_destroy(&sum);
}

/* 1e16 - 1e16 in any order loses what is between, unless the sum is exact. */
static void
test_exact_sums(void)
{
    paulimpi_sum *sum =
        make_sum(ctx, 4, "1e16 Z0 + 1 Z1 - 1e16 Z2 + 1e-16 Z3 - 1 Z0 Z1");

    tap_is_bits(value_in(sum, "0"), 1e-16, "values are exact sums");
    paulimpi_sum_destroy(&sum);
}

static void
test_histogram(void)
{
    paulimpi_sum *sum =
        make_sum(ctx, 4, "5 I + 4 X0 + Y3 + 3 X0 Y1 + 2 X0 Y1 Z2 Z3");
    int64_t count[6] = { 9, 9, 9, 9, 9, 9 };
    double square[6] = { 9, 9, 9, 9, 9, 9 };

    check(paulimpi_sum_weight_histogram(sum, 6, count, square));
    tap_ok(count[0] == 1 && count[1] == 2 && count[2] == 1 && count[3] == 0
               && count[4] == 1 && count[5] == 0,
           "terms by weight");
    tap_ok(square[0] == 25 && square[1] == 17 && square[2] == 9
               && square[3] == 0 && square[4] == 4 && square[5] == 0,
           "and their squares");
    count[5] = 9;
    check(paulimpi_sum_weight_histogram(sum, 5, count, NULL));
    tap_ok(count[4] == 1 && count[5] == 9, "squares may be left out");
    tap_is_status(paulimpi_sum_weight_histogram(sum, 4, count, square),
                  PAULIMPI_ERR_ARGUMENT, "room for every weight is needed");
    tap_is_status(paulimpi_sum_weight_histogram(sum, 6, NULL, square),
                  PAULIMPI_ERR_ARGUMENT, "and for the counts");
    paulimpi_sum_destroy(&sum);
}

int
main(void)
{
    ctx = make_context(1);
    test_letters();
    test_product_states();
    test_many_qubits(64);
    test_many_qubits(127);
    test_many_qubits(300);
    test_bad_states();
    test_identity();
    test_overlap();
    test_norms();
    test_exact_sums();
    test_histogram();
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
