/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums from text and to text.
 */
#include <paulimpi/sum.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "tap/tap.h"

static paulimpi_context *ctx;

static paulimpi_sum *
make(int64_t n_qubits, const char *text)
{
    paulimpi_sum *sum;
    int rc = paulimpi_sum_create(ctx, n_qubits, &sum);

    if (rc == PAULIMPI_SUCCESS && text != NULL) {
        rc = paulimpi_sum_add_text(sum, text, 1.0);
    }
    if (rc != PAULIMPI_SUCCESS) {
        tap_bail("%s", paulimpi_last_error());
    }
    return sum;
}

/* What a sum is as text; the caller frees it. */
static char *
text_of(const paulimpi_sum *sum)
{
    char *text;

    if (paulimpi_sum_text(sum, &text) != PAULIMPI_SUCCESS) {
        tap_bail("%s", paulimpi_last_error());
    }
    return text;
}

/* A text that is understood, and what it is written as. */
static void
becomes(int64_t n_qubits, const char *text, double factor, const char *want)
{
    paulimpi_sum *sum = make(n_qubits, NULL);
    char *got = NULL;

    if (paulimpi_sum_add_text(sum, text, factor) == PAULIMPI_SUCCESS) {
        got = text_of(sum);
    }
    tap_is_text(got != NULL ? got : paulimpi_last_error(), want,
                "%zu characters times %g become %s", strlen(text), factor,
                want);
    paulimpi_text_destroy(&got);
    paulimpi_sum_destroy(&sum);
}

static void
test_terms(void)
{
    becomes(4, "Z0", 1, "1 Z0");
    becomes(4, "0.5 Z0 Z1 + X3 - 0.25 Y2", 1, "1 X3 - 0.25 Y2 + 0.5 Z0 Z1");
    becomes(4, "2*XIIZ", 1, "2 X0 Z3");
    becomes(4, "2 * XIIZ", 1, "2 X0 Z3");
    becomes(4, "2XIIZ", 1, "2 X0 Z3");
    becomes(4, "2X0 Z3", 1, "2 X0 Z3");
    becomes(4, "- Z0", 1, "-1 Z0");
    becomes(4, "+ Z0", 1, "1 Z0");
    becomes(4, "-Z0", 1, "-1 Z0");
    becomes(4, "-.5Z0", 1, "-0.5 Z0");
    becomes(4, "4", 1, "4 I");
    becomes(4, "-4", 1, "-4 I");
    becomes(4, "4 I", 1, "4 I");
    becomes(4, "I", 1, "1 I");
    becomes(4, "IIII - 0.5 I", 1, "0.5 I");
    becomes(4, "1e3", 1, "1000 I");
    becomes(4, "25e-2 Y2-1E+1X1", 1, "0.25 Y2 - 10 X1");
    becomes(4, "\n\tZ0\n- X1\n", 1, "-1 X1 + 1 Z0");
    becomes(1, "X + 2 Y - 3 Z + 4", 1, "4 I + 1 X0 + 2 Y0 - 3 Z0");
    becomes(1, "X-1", 1, "-1 I + 1 X0");
}

static void
test_merging(void)
{
    becomes(4, "Z0 + Z0", 1, "2 Z0");
    becomes(4, "Z0 - Z0", 1, "0");
    becomes(4, "0", 1, "0");
    becomes(4, "0 Z0 + X0", 1, "1 X0");
    becomes(4, "X0 Z1 + Z1 X0 - 3 XZII", 1, "-1 X0 Z1");
}

static void
test_factor(void)
{
    becomes(4, "0.5 Z0 - X0", 2, "-2 X0 + 1 Z0");
    becomes(4, "0.5 Z0 - X0", -2, "2 X0 - 1 Z0");
    becomes(4, "0.5 Z0 - X0", 0, "0");
}

static void
test_digits(void)
{
    becomes(1, "0.1 X", 1, "0.10000000000000001 X0");
    becomes(1, "1e-300 X", 1, "1e-300 X0");
    becomes(1, "4.9406564584124654e-324 X", 1, "4.9406564584124654e-324 X0");
    becomes(1, "1.7976931348623157e308 X", 1, "1.7976931348623157e+308 X0");
    becomes(1, "1e-999 X", 1, "0");
}

/* A text that is refused: the code, the place, the reason, the sum as it
 * was. */
static void
refused(const char *text, int at, const char *reason)
{
    paulimpi_sum *sum = make(4, "0.5 X0");
    char place[80];
    char *after;

    tap_is_status(paulimpi_sum_add_text(sum, text, 1.0), PAULIMPI_ERR_SYNTAX,
                  "refused: %s", reason);
    snprintf(place, sizeof place, "paulimpi_sum_add_text: character %d of \"",
             at);
    tap_contains(paulimpi_last_error(), place, "the place is told");
    tap_contains(paulimpi_last_error(), reason, "and the reason");
    after = text_of(sum);
    tap_is_text(after, "0.5 X0", "and the sum is as it was");
    paulimpi_text_destroy(&after);
    paulimpi_sum_destroy(&sum);
}

static void
test_wrong_signs(void)
{
    refused("", 1, "the text is empty");
    refused(" \n", 1, "the text is empty");
    refused("Z0 + + Z1", 6, "there is no term between two signs");
    refused("Z0 +- Z1", 5, "there is no term between two signs");
    refused("--Z1", 2, "there is no term between two signs");
    refused("Z0 +", 5, "there is no term after the last sign");
    refused("Z0 - ", 6, "there is no term after the last sign");
    refused("-", 2, "there is no term after the last sign");
    refused("0.5*", 5, "there is no label after the *");
    refused("0.5 * + X1", 7, "there is no label after the *");
    refused("* X1", 1, "there is no number before the *");
    refused("0.5 ** X1", 6, "'*' is no Pauli letter");
}

static void
test_wrong_numbers(void)
{
    refused("nan Z0", 1, "a coefficient must be finite");
    refused("X0 + NaN", 6, "a coefficient must be finite");
    refused("-inf X0", 2, "a coefficient must be finite");
    refused("Infinity*X0", 1, "a coefficient must be finite");
    refused("X0 - 1e999 Z0", 6, "the number is too large");
    refused("1 2 X0", 3, "a letter I, X, Y or Z must stand before the qubit");
    refused("1.5.2 X0", 4, "'.' is no Pauli letter");
    refused("1,5 X0", 2, "',' is no Pauli letter");
    refused("0x10 X0", 2, "letters are upper case: X, not x");
    refused("1e X0", 2, "'e' is no Pauli letter");
}

static void
test_complex_numbers(void)
{
    static const char reason[] = "coefficients are real numbers: complex ones";

    refused("0.5i Z0", 4, reason);
    refused("X0 + 2j*Z0", 7, reason);
    refused("2 i X0", 3, reason);
    refused("i*X0", 1, reason);
    refused("X0 - j", 6, reason);
    refused("3i", 2, reason);
    refused("(1+2j) X0", 1, reason);
    refused("X0 + (0.5) Z0", 6, reason);
    refused("2*(X0)", 3, reason);
}

static void
test_wrong_labels(void)
{
    refused("Q3", 1, "'Q' is no Pauli letter");
    refused("0.5 Z0 + Z500", 11, "there is no qubit 500: the last one of 4");
    refused("X0 Z0", 4, "qubit 0 is named twice");
    refused("Z0 + XYZ", 6, "a dense label of 3 letters for 4 qubits");
    refused("xxxx", 1, "letters are upper case");
    refused("ixyz", 1, "letters are upper case");
    refused("X0Z1", 3, "a blank is needed");
    refused("X0 * 3", 4, "'*' is no Pauli letter");
    refused("Z0 # X0", 4, "'#' is no Pauli letter");
}

static void
test_quote_of_a_long_text(void)
{
    refused("1 XXXX + 2 YYYY + 3 ZZZZ + 4 XYZI"
            " + 5 XQZI + 6 IIII + 7 ZZII + 8 I",
            40,
            "\"... + 3 ZZZZ + 4 XYZI + 5 XQZI + 6 IIII + 7 ZZII + ...\": 'Q'");
}

static void
test_arguments(void)
{
    paulimpi_sum *sum = make(4, NULL);
    char *text = NULL;

    tap_is_status(paulimpi_sum_add_text(NULL, "X0", 1), PAULIMPI_ERR_ARGUMENT,
                  "text needs a sum");
    tap_contains(paulimpi_last_error(), "paulimpi_sum_add_text: sum is NULL",
                 "and says so");
    tap_is_status(paulimpi_sum_add_text(sum, NULL, 1), PAULIMPI_ERR_ARGUMENT,
                  "a sum needs text");
    tap_contains(paulimpi_last_error(), "text is NULL", "and says so");
    tap_is_status(paulimpi_sum_add_text(sum, "X0", (double)NAN),
                  PAULIMPI_ERR_ARGUMENT, "a factor is a number");
    tap_contains(paulimpi_last_error(), "factor is nan, but must be finite",
                 "and the sentence has it");
    tap_is_status(paulimpi_sum_add_text(sum, "X0", (double)-INFINITY),
                  PAULIMPI_ERR_ARGUMENT, "a factor is finite");
    tap_is_status(paulimpi_sum_add_text(sum, "X0 - 1e300 Z1", 1e10),
                  PAULIMPI_ERR_ARGUMENT, "number times factor is finite");
    tap_contains(paulimpi_last_error(),
                 "character 6 of \"X0 - 1e300 Z1\": the number times factor"
                 " is too large",
                 "and says so");
    tap_is_status(paulimpi_sum_text(NULL, &text), PAULIMPI_ERR_ARGUMENT,
                  "no sum, no text");
    tap_contains(paulimpi_last_error(), "paulimpi_sum_text: sum is NULL",
                 "and says so");
    tap_is_status(paulimpi_sum_text(sum, NULL), PAULIMPI_ERR_ARGUMENT,
                  "a text needs a place");
    tap_contains(paulimpi_last_error(), "text_p is NULL", "and says so");
    tap_is_int(paulimpi_sum_terms(sum), 0, "and the sum is empty still");
    paulimpi_sum_destroy(&sum);
}

/* Signs, digits and points do not depend on the user's language. */
static void
test_locale(void)
{
    static const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8" };
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        if (setlocale(LC_ALL, names[i]) != NULL) {
            becomes(1, "0.5 X", 1, "0.5 X0");
        } else {
            tap_note("locale %s is not installed", names[i]);
        }
        setlocale(LC_ALL, "C");
    }
}

static unsigned
draw(unsigned below)
{
    static uint64_t state = 1;

    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

/* Some term with few letters and any bits in its coefficient. */
static void
draw_term(int64_t n_qubits, uint64_t *x, uint64_t *z, double *coefficient_p)
{
    int64_t n_words = paulimpi_pauli_words(n_qubits);
    uint64_t bits;
    int i;

    memset(x, 0, (size_t)n_words * sizeof *x);
    memset(z, 0, (size_t)n_words * sizeof *z);
    for (i = 0; i < 4; i++) {
        unsigned q = draw((unsigned)n_qubits);

        x[q / 64] |= (uint64_t)draw(2) << (q % 64);
        z[q / 64] |= (uint64_t)draw(2) << (q % 64);
    }
    do {
        bits = (uint64_t)draw(1u << 31) << 33 ^ (uint64_t)draw(1u << 31) << 11
               ^ draw(2048);
        memcpy(coefficient_p, &bits, sizeof bits);
    } while (!isfinite(*coefficient_p) || fabs(*coefficient_p) > 1e300);
}

static void
test_round_trip(int64_t n_qubits)
{
    enum { N = 200, MOST_WORDS = 79 };
    static uint64_t x[N * MOST_WORDS], z[N * MOST_WORDS];
    static uint64_t again_x[N * MOST_WORDS], again_z[N * MOST_WORDS];
    static double c[N], again_c[N];
    paulimpi_sum *sum = make(n_qubits, NULL);
    paulimpi_sum *again = make(n_qubits, NULL);
    size_t n_words = (size_t)paulimpi_pauli_words(n_qubits);
    size_t n, i;
    char *text;

    for (i = 0; i < N; i++) {
        draw_term(n_qubits, x + i * n_words, z + i * n_words, &c[i]);
    }
    paulimpi_sum_add_terms(sum, N, x, z, c);
    text = text_of(sum);
    n = (size_t)paulimpi_sum_terms(sum);
    if (paulimpi_sum_add_text(again, text, 1.0) != PAULIMPI_SUCCESS) {
        tap_note("%s", paulimpi_last_error());
    }
    tap_is_int(paulimpi_sum_terms(again), (int64_t)n,
               "%d qubits: %zu terms through text", (int)n_qubits, n);
    paulimpi_sum_get_terms(sum, N, x, z, c);
    paulimpi_sum_get_terms(again, N, again_x, again_z, again_c);
    tap_ok(memcmp(x, again_x, n * n_words * sizeof *x) == 0
               && memcmp(z, again_z, n * n_words * sizeof *z) == 0
               && memcmp(c, again_c, n * sizeof *c) == 0,
           "and they are the same, to the last bit");
    paulimpi_text_destroy(&text);
    paulimpi_sum_destroy(&sum);
    paulimpi_sum_destroy(&again);
}

/* A text of many terms, so that the arrays grow more than once. */
static void
test_many_terms(void)
{
    paulimpi__text text = PAULIMPI__TEXT_INIT;
    paulimpi_sum *sum = make(5000, NULL);
    double value;
    char *taken;
    int i;

    for (i = 0; i < 5000; i++) {
        paulimpi__text_append(&text, " - %d X%d", i + 1, i);
    }
    taken = paulimpi__text_take(&text);
    tap_is_status(paulimpi_sum_add_text(sum, taken, 0.5), PAULIMPI_SUCCESS,
                  "a text of 5000 terms is read");
    tap_is_int(paulimpi_sum_terms(sum), 5000, "all of them");
    paulimpi_sum_coefficient(sum, "X4999", &value);
    tap_is_bits(value, -2500.0, "the last one too");
    paulimpi_text_destroy(&taken);
    paulimpi_sum_destroy(&sum);
}

static void
test_without_memory(void)
{
    paulimpi_sum *sum = make(130, "0.5 X0");
    paulimpi_sum *grown;
    char *text;
    int n, rc;

    for (n = 1, rc = PAULIMPI_ERR_MEMORY; rc == PAULIMPI_ERR_MEMORY; n++) {
        paulimpi_sum_copy(sum, &grown);
        paulimpi__alloc_fail_at(n);
        rc = paulimpi_sum_add_text(grown, "2 Z129 + Y64 - X0", 1.0);
        paulimpi__alloc_fail_at(0);
        text = text_of(grown);
        tap_is_text(text,
                    rc == PAULIMPI_SUCCESS ? "2 Z129 + 1 Y64 - 0.5 X0"
                                           : "0.5 X0",
                    "add_text, failure %d: all or nothing", n);
        paulimpi_text_destroy(&text);
        paulimpi_sum_destroy(&grown);
    }
    tap_is_status(rc, PAULIMPI_SUCCESS, "add_text fails for memory only");
    for (n = 1, rc = PAULIMPI_ERR_MEMORY; rc == PAULIMPI_ERR_MEMORY; n++) {
        paulimpi__alloc_fail_at(n);
        rc = paulimpi_sum_text(sum, &text);
        paulimpi__alloc_fail_at(0);
        tap_ok((rc == PAULIMPI_ERR_MEMORY) == (text == NULL),
               "text, failure %d: a text or a code", n);
    }
    tap_is_text(text, "0.5 X0", "text fails for memory only");
    paulimpi_text_destroy(&text);
    paulimpi_sum_destroy(&sum);
}

int
main(void)
{
    static const int64_t sizes[] = { 1, 63, 64, 65, 127, 128, 129, 300, 5000 };
    size_t i;

    if (paulimpi_context_create_serial(NULL, &ctx) != PAULIMPI_SUCCESS) {
        tap_bail("%s", paulimpi_last_error());
    }
    test_terms();
    test_merging();
    test_factor();
    test_digits();
    test_wrong_signs();
    test_wrong_numbers();
    test_complex_numbers();
    test_wrong_labels();
    test_quote_of_a_long_text();
    test_arguments();
    test_locale();
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        test_round_trip(sizes[i]);
    }
    test_many_terms();
    test_without_memory();
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
