/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers read out of a sum: norms, expectation values, overlap, histogram.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "propagate/sum.h"

enum { BLOCK = PAULIMPI__BLOCK_TERMS };

static int
check_output(const paulimpi_sum *sum, const char *function, const void *output,
             const char *name)
{
    int rc = paulimpi__sum_check(sum, function, "sum");

    if (rc == PAULIMPI_SUCCESS && output == NULL) {
        rc = paulimpi__null(function, name);
    }
    return rc;
}

static void
add_abs(const paulimpi__block *block, int n_terms, int64_t n_words, void *data)
{
    int t;

    (void)n_words;
    for (t = 0; t < n_terms; t++) {
        paulimpi__exact_add(data, fabs(block->coefficient[t]));
    }
}

static void
add_square(const paulimpi__block *block, int n_terms, int64_t n_words,
           void *data)
{
    int t;

    (void)n_words;
    for (t = 0; t < n_terms; t++) {
        double c = block->coefficient[t];

        paulimpi__exact_add(data, c * c);
    }
}

static double
visit_exact(const paulimpi_sum *sum, paulimpi__visitor visit)
{
    paulimpi__exact total;

    paulimpi__exact_clear(&total);
    paulimpi__store_visit(&sum->store, visit, &total);
    return paulimpi__exact_value(&total);
}

int
paulimpi_sum_norm1(const paulimpi_sum *sum, double *norm_p)
{
    int rc = check_output(sum, "paulimpi_sum_norm1", norm_p, "norm_p");

    if (rc == PAULIMPI_SUCCESS) {
        *norm_p = visit_exact(sum, add_abs);
    }
    return rc;
}

int
paulimpi_sum_norm2(const paulimpi_sum *sum, double *norm_p)
{
    int rc = check_output(sum, "paulimpi_sum_norm2", norm_p, "norm_p");

    if (rc == PAULIMPI_SUCCESS) {
        *norm_p = sqrt(visit_exact(sum, add_square));
    }
    return rc;
}

/* A product state: word by word, the qubits whose axis is X, Y, Z, and those
 * in the eigenstate -1. A string has an expectation value other than 0 if its
 * letters are I or the axis of their qubit. */
typedef struct {
    uint64_t x;
    uint64_t y;
    uint64_t z;
    uint64_t minus;
} state_word;

typedef struct {
    const state_word *word;
    paulimpi__exact total;
} expectation;

static void
add_expectation(const paulimpi__block *block, int n_terms, int64_t n_words,
                void *data)
{
    expectation *value = data;
    int t;

    for (t = 0; t < n_terms; t++) {
        uint64_t wrong = 0;
        uint64_t minus = 0;
        int64_t w;

        for (w = 0; w < n_words && wrong == 0; w++) {
            const state_word *state = &value->word[w];
            uint64_t x = block->word[w * BLOCK + t];
            uint64_t z = block->word[(n_words + w) * BLOCK + t];

            wrong = (x & ~z & ~state->x) | (x & z & ~state->y)
                    | (~x & z & ~state->z);
            minus ^= (x | z) & state->minus;
        }
        if (wrong == 0) {
            double c = block->coefficient[t];

            paulimpi__exact_add(&value->total,
                                paulimpi__parity(minus) ? -c : c);
        }
    }
}

static double
expect(const paulimpi_sum *sum, const state_word *word)
{
    expectation value = { .word = word };

    paulimpi__exact_clear(&value.total);
    paulimpi__store_visit(&sum->store, add_expectation, &value);
    return paulimpi__exact_value(&value.total);
}

/* Enter the state of a qubit; 0 if the letter is none. */
static int
enter_state(state_word *words, int64_t qubit, char letter)
{
    state_word *word = &words[qubit / 64];
    uint64_t bit = (uint64_t)1 << qubit % 64;

    switch (letter) {
    case '0':
    case '1':
        word->z |= bit;
        break;
    case '+':
    case '-':
        word->x |= bit;
        break;
    case 'r':
    case 'l':
        word->y |= bit;
        break;
    default:
        return 0;
    }
    if (letter == '1' || letter == '-' || letter == 'l') {
        word->minus |= bit;
    }
    return 1;
}

static int
parse_state(const char *state, int64_t n_qubits, state_word *words)
{
    int64_t length = (int64_t)strlen(state);
    int64_t q;

    if (length != 1 && length != n_qubits) {
        return paulimpi__error(PAULIMPI_ERR_SYNTAX,
                               "paulimpi_sum_expectation_product: the state "
                               "has %" PRId64 " letters, but must have 1 or "
                               "%" PRId64,
                               length, n_qubits);
    }
    for (q = 0; q < n_qubits; q++) {
        char letter = state[length == 1 ? 0 : q];

        if (!enter_state(words, q, letter)) {
            return paulimpi__error(PAULIMPI_ERR_SYNTAX,
                                   "paulimpi_sum_expectation_product: letter "
                                   "%" PRId64
                                   " of the state is '%c', but must "
                                   "be one of 0 1 + - r l",
                                   length == 1 ? 0 : q, letter);
        }
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi_sum_expectation_product(const paulimpi_sum *sum, const char *state,
                                 double *value_p)
{
    static const char function[] = "paulimpi_sum_expectation_product";
    state_word *words;
    int rc = check_output(sum, function, value_p, "value_p");

    if (rc == PAULIMPI_SUCCESS && state == NULL) {
        rc = paulimpi__null(function, "state");
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    words = paulimpi__alloc_zero((size_t)sum->store.n_words, sizeof *words);
    if (words == NULL) {
        return paulimpi__no_memory(function,
                                   (size_t)sum->store.n_words * sizeof *words);
    }
    rc = parse_state(state, sum->store.n_qubits, words);
    if (rc == PAULIMPI_SUCCESS) {
        *value_p = expect(sum, words);
    }
    paulimpi__free(words);
    return rc;
}

int
paulimpi_sum_expectation_basis(const paulimpi_sum *sum, const uint64_t *ones,
                               double *value_p)
{
    static const char function[] = "paulimpi_sum_expectation_basis";
    int rc = check_output(sum, function, value_p, "value_p");
    state_word *words;
    int64_t stray, w;

    if (rc == PAULIMPI_SUCCESS && ones == NULL) {
        rc = paulimpi__null(function, "ones");
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    stray = paulimpi__stray_bit(sum->store.n_qubits, ones);
    if (stray >= 0) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: bit %" PRId64
                               " is set, but the sum has %" PRId64 " qubits",
                               function, stray, sum->store.n_qubits);
    }
    words = paulimpi__alloc_zero((size_t)sum->store.n_words, sizeof *words);
    if (words == NULL) {
        return paulimpi__no_memory(function,
                                   (size_t)sum->store.n_words * sizeof *words);
    }
    for (w = 0; w < sum->store.n_words; w++) {
        words[w].z = UINT64_MAX;
        words[w].minus = ones[w];
    }
    *value_p = expect(sum, words);
    paulimpi__free(words);
    return PAULIMPI_SUCCESS;
}

/* Products of coefficients of equal strings: the terms of one sum are looked
 * up in the other. */
typedef struct {
    const paulimpi__store *other;
    uint64_t *key;
    paulimpi__exact total;
} overlap;

static void
add_products(const paulimpi__block *block, int n_terms, int64_t n_words,
             void *data)
{
    overlap *with = data;
    int64_t w;
    int t;

    for (t = 0; t < n_terms; t++) {
        const double *c;

        for (w = 0; w < 2 * n_words; w++) {
            with->key[w] = block->word[w * BLOCK + t];
        }
        c = paulimpi__store_find(with->other, with->key, with->key + n_words);
        if (c != NULL) {
            paulimpi__exact_add(&with->total, *c * block->coefficient[t]);
        }
    }
}

int
paulimpi_sum_overlap(const paulimpi_sum *a, const paulimpi_sum *b,
                     double *value_p)
{
    static const char function[] = "paulimpi_sum_overlap";
    int rc = check_output(a, function, value_p, "value_p");
    overlap with;

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__sum_check(b, function, "b");
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (a->store.n_qubits != b->store.n_qubits) {
        return paulimpi__error(PAULIMPI_ERR_MISMATCH,
                               "%s: the sums have %" PRId64 " and %" PRId64
                               " qubits",
                               function, a->store.n_qubits, b->store.n_qubits);
    }
    if (a->store.n_terms > b->store.n_terms) {
        const paulimpi_sum *larger = a;

        a = b;
        b = larger;
    }
    with.other = &b->store;
    with.key = paulimpi__alloc((size_t)a->store.n_words, 2 * sizeof *with.key);
    if (with.key == NULL) {
        return paulimpi__no_memory(function, (size_t)a->store.n_words * 16);
    }
    paulimpi__exact_clear(&with.total);
    paulimpi__store_visit(&a->store, add_products, &with);
    *value_p = paulimpi__exact_value(&with.total);
    paulimpi__free(with.key);
    return PAULIMPI_SUCCESS;
}

typedef struct {
    int64_t *count;
    paulimpi__exact *square; /* NULL: not asked for */
} weights;

static void
count_weights(const paulimpi__block *block, int n_terms, int64_t n_words,
              void *data)
{
    weights *by = data;
    int t;

    for (t = 0; t < n_terms; t++) {
        double c = block->coefficient[t];
        int64_t weight = 0;
        int64_t w;

        for (w = 0; w < n_words; w++) {
            weight +=
                paulimpi__popcount(block->word[w * BLOCK + t]
                                   | block->word[(n_words + w) * BLOCK + t]);
        }
        by->count[weight]++;
        if (by->square != NULL) {
            paulimpi__exact_add(&by->square[weight], c * c);
        }
    }
}

int
paulimpi_sum_weight_histogram(const paulimpi_sum *sum, int64_t n,
                              int64_t *count, double *square)
{
    static const char function[] = "paulimpi_sum_weight_histogram";
    int rc = check_output(sum, function, count, "count");
    weights by = { count, NULL };
    int64_t n_weights, w;

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    n_weights = sum->store.n_qubits + 1;
    if (n < n_weights) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: n is %" PRId64 ", but %" PRId64
                               " weights are possible",
                               function, n, n_weights);
    }
    if (square != NULL) {
        by.square = paulimpi__alloc((size_t)n_weights, sizeof *by.square);
        if (by.square == NULL) {
            return paulimpi__no_memory(function,
                                       (size_t)n_weights * sizeof *by.square);
        }
    }
    memset(count, 0, (size_t)n * sizeof *count);
    for (w = 0; w < n_weights && square != NULL; w++) {
        paulimpi__exact_clear(&by.square[w]);
    }
    paulimpi__store_visit(&sum->store, count_weights, &by);
    for (w = 0; w < n && square != NULL; w++) {
        square[w] = w < n_weights ? paulimpi__exact_value(&by.square[w]) : 0.0;
    }
    paulimpi__free(by.square);
    return PAULIMPI_SUCCESS;
}
