/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers read out of a sum: norms, expectation values, overlap, histogram.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "comm/comm.h"
#include "propagate/sum.h"

enum {
    BLOCK = PAULIMPI__BLOCK_TERMS,
    AT_ONCE = 128,       /* weights whose sums are added up together */
    OVERLAP_TERMS = 4096 /* looked up at once, at least */
};

int
paulimpi__sum_agree(const paulimpi_sum *sum, const char *function, int code,
                    const char *what, const uint64_t *words, int64_t n)
{
    int is_compared = 0;
    int rc = code;

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__check_read(function, &is_compared);
    }
    rc = paulimpi__agree(sum->ctx, rc);
    return rc != PAULIMPI_SUCCESS || !is_compared
               ? rc
               : paulimpi__agree_same(sum->ctx, function, what,
                                      paulimpi__print_add(0, words, n, 1));
}

/* Whether there is a place for the result; the same answer on all ranks. */
static int
agree_on_output(const paulimpi_sum *sum, const char *function,
                const void *output, const char *name)
{
    int rc = paulimpi__sum_check(sum, function, "sum");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    return paulimpi__agree(sum->ctx, output == NULL
                                         ? paulimpi__null(function, name)
                                         : PAULIMPI_SUCCESS);
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

/* An exact sum over the terms of all ranks. */
static int
add_up(const paulimpi_sum *sum, const char *function, paulimpi__visitor visit,
       double *value_p)
{
    paulimpi__exact total;
    int rc;

    paulimpi__exact_clear(&total);
    paulimpi__store_visit(&sum->store, visit, &total);
    rc = paulimpi__reduce_exact(sum->ctx, function, 1, &total);
    if (rc == PAULIMPI_SUCCESS) {
        *value_p = paulimpi__exact_value(&total);
    }
    return rc;
}

int
paulimpi_sum_norm1(const paulimpi_sum *sum, double *norm_p)
{
    static const char function[] = "paulimpi_sum_norm1";
    int rc = agree_on_output(sum, function, norm_p, "norm_p");

    return rc != PAULIMPI_SUCCESS ? rc
                                  : add_up(sum, function, add_abs, norm_p);
}

int
paulimpi_sum_norm2(const paulimpi_sum *sum, double *norm_p)
{
    static const char function[] = "paulimpi_sum_norm2";
    double square = 0.0;
    int rc = agree_on_output(sum, function, norm_p, "norm_p");

    if (rc == PAULIMPI_SUCCESS) {
        rc = add_up(sum, function, add_square, &square);
    }
    if (rc == PAULIMPI_SUCCESS) {
        *norm_p = sqrt(square);
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

static int
expect(const paulimpi_sum *sum, const char *function, const state_word *word,
       double *value_p)
{
    expectation value = { .word = word };
    int rc;

    paulimpi__exact_clear(&value.total);
    paulimpi__store_visit(&sum->store, add_expectation, &value);
    rc = paulimpi__reduce_exact(sum->ctx, function, 1, &value.total);
    if (rc == PAULIMPI_SUCCESS) {
        *value_p = paulimpi__exact_value(&value.total);
    }
    return rc;
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

static int
alloc_words(const paulimpi_sum *sum, const char *function,
            state_word **words_p)
{
    size_t n = (size_t)sum->store.n_words;

    *words_p = paulimpi__alloc_zero(n, sizeof **words_p);
    return *words_p == NULL
               ? paulimpi__no_memory(function, n * sizeof **words_p)
               : PAULIMPI_SUCCESS;
}

/* The expectation value in a state that was found out with the code rc. */
static int
agree_and_expect(const paulimpi_sum *sum, const char *function, int rc,
                 const state_word *words, double *value_p)
{
    rc = paulimpi__sum_agree(sum, function, rc, "the state",
                             (const uint64_t *)words, 4 * sum->store.n_words);
    return rc != PAULIMPI_SUCCESS ? rc : expect(sum, function, words, value_p);
}

int
paulimpi_sum_expectation_product(const paulimpi_sum *sum, const char *state,
                                 double *value_p)
{
    static const char function[] = "paulimpi_sum_expectation_product";
    state_word *words = NULL;
    int rc = paulimpi__sum_check(sum, function, "sum");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = value_p == NULL || state == NULL
             ? paulimpi__null(function, value_p == NULL ? "value_p" : "state")
             : alloc_words(sum, function, &words);
    if (rc == PAULIMPI_SUCCESS) {
        rc = parse_state(state, sum->store.n_qubits, words);
    }
    rc = agree_and_expect(sum, function, rc, words, value_p);
    paulimpi__free(words);
    return rc;
}

static int
enter_ones(const paulimpi_sum *sum, const char *function, const uint64_t *ones,
           state_word *words)
{
    int64_t stray = paulimpi__stray_bit(sum->store.n_qubits, ones);
    int64_t w;

    if (stray >= 0) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: bit %" PRId64
                               " is set, but the sum has %" PRId64 " qubits",
                               function, stray, sum->store.n_qubits);
    }
    for (w = 0; w < sum->store.n_words; w++) {
        words[w].z = UINT64_MAX;
        words[w].minus = ones[w];
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi_sum_expectation_basis(const paulimpi_sum *sum, const uint64_t *ones,
                               double *value_p)
{
    static const char function[] = "paulimpi_sum_expectation_basis";
    state_word *words = NULL;
    int rc = paulimpi__sum_check(sum, function, "sum");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = value_p == NULL || ones == NULL
             ? paulimpi__null(function, value_p == NULL ? "value_p" : "ones")
             : alloc_words(sum, function, &words);
    if (rc == PAULIMPI_SUCCESS) {
        rc = enter_ones(sum, function, ones, words);
    }
    rc = agree_and_expect(sum, function, rc, words, value_p);
    paulimpi__free(words);
    return rc;
}

/* Products of coefficients of equal strings: the terms of one sum are looked
 * up in the other, many at once. */
typedef struct {
    const paulimpi__store *other;
    int64_t room; /* for terms, of which there are n */
    int64_t n;
    uint64_t *x;
    uint64_t *z;
    double *coefficient;
    const double **place; /* in the other sum */
    int status;
    paulimpi__exact total;
} overlap;

static int
overlap_init(overlap *with, const paulimpi__store *other, int64_t n_terms)
{
    size_t n_words = (size_t)other->n_words;
    int64_t part = other->n_terms / 4;
    size_t n;

    /* Each time the other sum is read, so that it is read five times at most,
     * for less memory than either sum takes. */
    part = part < OVERLAP_TERMS ? OVERLAP_TERMS : part;
    n = (size_t)(part < n_terms ? part : n_terms) + 1;
    with->other = other;
    with->room = (int64_t)n;
    with->x = paulimpi__alloc(n, n_words * sizeof *with->x);
    with->z = paulimpi__alloc(n, n_words * sizeof *with->z);
    with->coefficient = paulimpi__alloc(n, sizeof *with->coefficient);
    with->place = paulimpi__alloc(n, sizeof *with->place);
    return with->x == NULL || with->z == NULL || with->coefficient == NULL
                   || with->place == NULL
               ? PAULIMPI_ERR_MEMORY
               : PAULIMPI_SUCCESS;
}

static void
overlap_free(overlap *with)
{
    paulimpi__free(with->x);
    paulimpi__free(with->z);
    paulimpi__free(with->coefficient);
    paulimpi__free(with->place);
}

/* Look up the terms that there are. */
static void
add_products(overlap *with)
{
    int64_t i;

    if (with->status == PAULIMPI_SUCCESS) {
        with->status = paulimpi__store_find_all(with->other, with->n, with->x,
                                                with->z, with->place);
    }
    for (i = 0; i < with->n && with->status == PAULIMPI_SUCCESS; i++) {
        if (with->place[i] != NULL) {
            paulimpi__exact_add(&with->total,
                                *with->place[i] * with->coefficient[i]);
        }
    }
    with->n = 0;
}

static void
take_terms(const paulimpi__block *block, int n_terms, int64_t n_words,
           void *data)
{
    overlap *with = data;
    int64_t w;
    int t;

    for (t = 0; t < n_terms; t++) {
        for (w = 0; w < n_words; w++) {
            with->x[with->n * n_words + w] = block->word[w * BLOCK + t];
            with->z[with->n * n_words + w] =
                block->word[(n_words + w) * BLOCK + t];
        }
        with->coefficient[with->n++] = block->coefficient[t];
        if (with->n == with->room) {
            add_products(with);
        }
    }
}

/* The overlap of this rank's parts of sums that share alike. */
static int
overlap_parts(overlap *with, const char *function, const paulimpi__store *a,
              const paulimpi__store *b)
{
    const paulimpi__store *smaller = a->n_terms > b->n_terms ? b : a;

    with->status = overlap_init(with, smaller == a ? b : a, smaller->n_terms);
    if (with->status == PAULIMPI_SUCCESS) {
        paulimpi__store_visit(smaller, take_terms, with);
        add_products(with);
    }
    overlap_free(with);
    return with->status == PAULIMPI_SUCCESS
               ? PAULIMPI_SUCCESS
               : paulimpi__no_memory(function, (size_t)with->room * 32);
}

/* The smaller sum moves to where the terms of the larger one are. */
static int
overlap_sums(overlap *with, const char *function, const paulimpi_sum *a,
             const paulimpi_sum *b)
{
    paulimpi_sum *moved = NULL;
    int rc = PAULIMPI_SUCCESS;

    if (!paulimpi__shares_are_same(&a->shares, &b->shares)) {
        const paulimpi_sum *smaller = a->n_terms > b->n_terms ? b : a;

        b = smaller == a ? b : a;
        rc = paulimpi__sum_copy_as(smaller, function, &b->shares, &moved);
        a = moved;
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__agree(
            a->ctx, overlap_parts(with, function, &a->store, &b->store));
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__reduce_exact(a->ctx, function, 1, &with->total);
    }
    paulimpi_sum_destroy(&moved);
    return rc;
}

int
paulimpi_sum_overlap(const paulimpi_sum *a, const paulimpi_sum *b,
                     double *value_p)
{
    static const char function[] = "paulimpi_sum_overlap";
    int rc = paulimpi__sum_check(a, function, "a");
    overlap with = { .n = 0 };

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = value_p == NULL ? paulimpi__null(function, "value_p")
                         : paulimpi__sums_check(a, b, function, "b");
    rc = paulimpi__agree(a->ctx, rc);
    if (rc == PAULIMPI_SUCCESS) {
        paulimpi__exact_clear(&with.total);
        rc = overlap_sums(&with, function, a, b);
    }
    if (rc == PAULIMPI_SUCCESS) {
        *value_p = paulimpi__exact_value(&with.total);
    }
    return rc;
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

static int
check_room(const paulimpi_sum *sum, const char *function, int64_t n,
           const int64_t *count)
{
    if (count == NULL) {
        return paulimpi__null(function, "count");
    }
    if (n <= sum->store.n_qubits) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: n is %" PRId64 ", but %" PRId64
                               " weights are possible",
                               function, n, sum->store.n_qubits + 1);
    }
    return PAULIMPI_SUCCESS;
}

/* Memory for the squares, where any rank wants them. */
static int
begin_squares(const paulimpi_sum *sum, const char *function, int is_wanted,
              weights *by)
{
    int64_t n_weights = sum->store.n_qubits + 1;
    int64_t any = is_wanted;
    int64_t w;
    int rc =
        paulimpi__reduce_int64(sum->ctx, function, PAULIMPI__MAX, 1, &any);

    if (rc != PAULIMPI_SUCCESS || !any) {
        return rc;
    }
    by->square = paulimpi__alloc((size_t)n_weights, sizeof *by->square);
    if (by->square == NULL) {
        rc = paulimpi__no_memory(function,
                                 (size_t)n_weights * sizeof *by->square);
    }
    for (w = 0; w < n_weights && by->square != NULL; w++) {
        paulimpi__exact_clear(&by->square[w]);
    }
    return paulimpi__agree(sum->ctx, rc);
}

/* Add up what the ranks have counted. */
static int
reduce_weights(const paulimpi_sum *sum, const char *function, weights *by)
{
    int64_t n_weights = sum->store.n_qubits + 1;
    int rc = PAULIMPI_SUCCESS;
    int64_t w;

    for (w = 0; w < n_weights && rc == PAULIMPI_SUCCESS; w += AT_ONCE) {
        int64_t n = n_weights - w < AT_ONCE ? n_weights - w : AT_ONCE;

        rc = paulimpi__reduce_int64(sum->ctx, function, PAULIMPI__SUM, n,
                                    by->count + w);
        if (rc == PAULIMPI_SUCCESS && by->square != NULL) {
            rc = paulimpi__reduce_exact(sum->ctx, function, n, by->square + w);
        }
    }
    return rc;
}

int
paulimpi_sum_weight_histogram(const paulimpi_sum *sum, int64_t n,
                              int64_t *count, double *square)
{
    static const char function[] = "paulimpi_sum_weight_histogram";
    weights by = { count, NULL };
    int rc = paulimpi__sum_check(sum, function, "sum");
    int64_t w;

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = paulimpi__agree(sum->ctx, check_room(sum, function, n, count));
    if (rc == PAULIMPI_SUCCESS) {
        rc = begin_squares(sum, function, square != NULL, &by);
    }
    if (rc == PAULIMPI_SUCCESS) {
        memset(count, 0, (size_t)n * sizeof *count);
        paulimpi__store_visit(&sum->store, count_weights, &by);
        rc = reduce_weights(sum, function, &by);
    }
    for (w = 0; rc == PAULIMPI_SUCCESS && w < n && square != NULL; w++) {
        square[w] = w <= sum->store.n_qubits
                        ? paulimpi__exact_value(&by.square[w])
                        : 0.0;
    }
    paulimpi__free(by.square);
    return rc;
}
