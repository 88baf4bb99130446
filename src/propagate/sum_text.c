/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums as text: "0.5 Z0 Z1 + X3 - 1e-3 Y2".
 */
#include "propagate/sum_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "comm/comm.h"
#include "propagate/sum.h"

void
paulimpi__terms_init(paulimpi__terms *terms, const char *function,
                     int64_t n_qubits)
{
    *terms = (paulimpi__terms){ .function = function,
                                .n_qubits = n_qubits,
                                .n_words = paulimpi_pauli_words(n_qubits) };
}

void
paulimpi__terms_free(paulimpi__terms *terms)
{
    paulimpi__free(terms->x);
    paulimpi__free(terms->z);
    paulimpi__free(terms->coefficient);
    paulimpi__terms_init(terms, terms->function, terms->n_qubits);
}

/* Make *array_p hold count elements; it stays as it was on failure. */
static int
grow(const char *function, void **array_p, size_t count, size_t size)
{
    void *array = paulimpi__realloc(*array_p, count, size);

    if (array == NULL) {
        return paulimpi__no_memory(
            function, count > SIZE_MAX / size ? SIZE_MAX : count * size);
    }
    *array_p = array;
    return PAULIMPI_SUCCESS;
}

int
paulimpi__terms_reserve(paulimpi__terms *terms, int64_t capacity)
{
    size_t key = (size_t)terms->n_words * sizeof *terms->x;
    void *x = terms->x;
    void *z = terms->z;
    void *coefficient = terms->coefficient;
    int rc;

    if (capacity <= terms->capacity) {
        return PAULIMPI_SUCCESS;
    }
    rc = grow(terms->function, &x, (size_t)capacity, key);
    if (rc == PAULIMPI_SUCCESS) {
        rc = grow(terms->function, &z, (size_t)capacity, key);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = grow(terms->function, &coefficient, (size_t)capacity,
                  sizeof *terms->coefficient);
    }
    terms->x = x;
    terms->z = z;
    terms->coefficient = coefficient;
    if (rc == PAULIMPI_SUCCESS) {
        terms->capacity = capacity;
    }
    return rc;
}

/* A place in a text, and what is read from it. */
typedef struct {
    const char *text;
    size_t at;
    double factor;
    paulimpi__terms *terms;
    paulimpi__label_error *error;
} reader;

static int fail(reader *r, size_t at, const char *format, ...)
    PAULIMPI__PRINTF(3, 4);

static int
fail(reader *r, size_t at, const char *format, ...)
{
    va_list arguments;

    r->error->at = at;
    va_start(arguments, format);
    vsnprintf(r->error->reason, sizeof r->error->reason, format, arguments);
    va_end(arguments);
    return PAULIMPI_ERR_SYNTAX;
}

static int
fail_complex(reader *r, size_t at)
{
    return fail(r, at,
                "coefficients are real numbers: complex ones and"
                " parentheses are not understood");
}

static int
is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int
is_sign(char c)
{
    return c == '+' || c == '-';
}

static int
is_alphanumeric(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z')
           || (c >= 'a' && c <= 'z');
}

static void
skip_blanks(reader *r)
{
    while (is_blank(r->text[r->at])) {
        r->at++;
    }
}

/* Whether one of the words that stand for a double that is no finite number
 * begins here, in whatever case. */
static int
is_not_finite(const char *text)
{
    static const char *const words[] = { "nan", "inf", "infinity" };
    size_t i, k;

    for (i = 0; i < sizeof words / sizeof *words; i++) {
        for (k = 0; words[i][k] != '\0' && (text[k] | 0x20) == words[i][k];
             k++) {
        }
        if (words[i][k] == '\0' && !is_alphanumeric(text[k])) {
            return 1;
        }
    }
    return 0;
}

/* Whether an imaginary unit of its own, or a parenthesis, begins here. */
static int
is_complex(const char *text)
{
    return text[0] == '(' || text[0] == ')'
           || ((text[0] == 'i' || text[0] == 'j')
               && !is_alphanumeric(text[1]));
}

/* Append a term with the label from the place to end; an empty one is the
 * identity. */
static int
push(reader *r, size_t end, double coefficient)
{
    paulimpi__terms *terms = r->terms;
    size_t key = (size_t)terms->n_words;
    size_t begin = r->at;
    uint64_t *x, *z;
    int rc = PAULIMPI_SUCCESS;

    if (terms->n_terms == terms->capacity) {
        rc = paulimpi__terms_reserve(terms, 2 * terms->capacity + 16);
        if (rc != PAULIMPI_SUCCESS) {
            return rc;
        }
    }
    x = terms->x + key * (size_t)terms->n_terms;
    z = terms->z + key * (size_t)terms->n_terms;
    memset(x, 0, key * sizeof *x);
    memset(z, 0, key * sizeof *z);
    if (begin < end) {
        rc = paulimpi__label_parse(r->text + begin, end - begin,
                                   terms->n_qubits, x, z, r->error);
    }
    if (rc != PAULIMPI_SUCCESS) {
        r->error->at += begin;
        return rc;
    }
    terms->coefficient[terms->n_terms++] = coefficient;
    r->at = end;
    return PAULIMPI_SUCCESS;
}

/* Read the number of a term and the * behind it, up to its label. */
static int
read_number(reader *r, double *number_p)
{
    size_t begin = r->at;
    size_t length;

    if (is_not_finite(r->text + begin)) {
        return fail(r, begin, "a coefficient must be finite");
    }
    *number_p = 1.0;
    length = paulimpi__parse_double(r->text + begin, number_p);
    if (length == 0) {
        return r->text[begin] != '*'
                   ? PAULIMPI_SUCCESS
                   : fail(r, begin, "there is no number before the *");
    }
    if (!isfinite(*number_p)) {
        return fail(r, begin, "the number is too large");
    }
    r->at += length;
    if (r->text[r->at] == 'i' || r->text[r->at] == 'j') {
        return fail_complex(r, r->at);
    }
    skip_blanks(r);
    if (r->text[r->at] == '*') {
        r->at++;
        skip_blanks(r);
        if (r->text[r->at] == '\0' || is_sign(r->text[r->at])) {
            return fail(r, r->at, "there is no label after the *");
        }
    }
    return PAULIMPI_SUCCESS;
}

/* Read a term behind its sign. */
static int
read_term(reader *r, double sign)
{
    size_t begin = r->at;
    double number, coefficient;
    size_t end;
    int rc;

    rc = read_number(r, &number);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (is_complex(r->text + r->at)) {
        return fail_complex(r, r->at);
    }
    coefficient = sign * number * r->factor;
    if (!isfinite(coefficient)) {
        fail(r, begin, "the number times factor is too large");
        return PAULIMPI_ERR_ARGUMENT;
    }
    end = r->at + strcspn(r->text + r->at, "+-");
    return push(r, end, coefficient);
}

int
paulimpi__terms_parse(paulimpi__terms *terms, const char *text, double factor,
                      paulimpi__label_error *error)
{
    reader r = {
        .text = text, .factor = factor, .terms = terms, .error = error
    };
    int rc = PAULIMPI_SUCCESS;

    skip_blanks(&r);
    while (rc == PAULIMPI_SUCCESS && text[r.at] != '\0') {
        double sign = 1.0;

        if (is_sign(text[r.at])) {
            sign = text[r.at] == '-' ? -1.0 : 1.0;
            r.at++;
            skip_blanks(&r);
        }
        if (text[r.at] == '\0') {
            rc = fail(&r, r.at, "there is no term after the last sign");
        } else if (is_sign(text[r.at])) {
            rc = fail(&r, r.at, "there is no term between two signs");
        } else {
            rc = read_term(&r, sign);
        }
    }
    return rc;
}

/* Read all terms of a text, before the first one is added. */
static int
read_text(paulimpi__terms *terms, const char *text, double factor)
{
    paulimpi__label_error error;
    int rc;

    if (text == NULL) {
        return paulimpi__null(terms->function, "text");
    }
    if (!isfinite(factor)) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: factor is %g, but must be finite",
                               terms->function, factor);
    }
    rc = paulimpi__terms_parse(terms, text, factor, &error);
    if (rc == PAULIMPI_SUCCESS && terms->n_terms == 0) {
        error =
            (paulimpi__label_error){ .at = 0, .reason = "the text is empty" };
        rc = PAULIMPI_ERR_SYNTAX;
    }
    return rc == PAULIMPI_SUCCESS || rc == PAULIMPI_ERR_MEMORY
               ? rc
               : paulimpi__error_at(rc, terms->function, text, &error);
}

int
paulimpi_sum_add_text(paulimpi_sum *sum, const char *text, double factor)
{
    static const char function[] = "paulimpi_sum_add_text";
    paulimpi__terms terms;
    int rc = paulimpi__sum_check(sum, function, "sum");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    paulimpi__terms_init(&terms, function, paulimpi_sum_qubits(sum));
    rc = paulimpi__agree(sum->ctx, read_text(&terms, text, factor));
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__sum_add_replicated(sum, function, terms.n_terms,
                                          terms.x, terms.z, terms.coefficient);
    }
    paulimpi__terms_free(&terms);
    return rc;
}

void
paulimpi__terms_append(const paulimpi__terms *terms, int64_t i,
                       paulimpi__text *text)
{
    char number[PAULIMPI__DOUBLE_TEXT];

    paulimpi__format_double(fabs(terms->coefficient[i]), number);
    paulimpi__text_append(text, "%s ", number);
    paulimpi__label_append(
        text, terms->n_qubits, terms->x + terms->n_words * i,
        terms->z + terms->n_words * i, PAULIMPI_LABEL_SPARSE);
}

int
paulimpi__terms_get(paulimpi__terms *terms, const paulimpi_sum *sum)
{
    int64_t n = paulimpi_sum_terms(sum);
    int rc = paulimpi__agree(sum->ctx, paulimpi__terms_reserve(terms, n));

    if (rc == PAULIMPI_SUCCESS && n > 0) {
        rc = paulimpi_sum_get_terms(sum, n, terms->x, terms->z,
                                    terms->coefficient);
    }
    if (rc == PAULIMPI_SUCCESS) {
        terms->n_terms = n;
    }
    return rc;
}

static int
write_terms(const paulimpi__terms *terms, char **text_p)
{
    paulimpi__text text = PAULIMPI__TEXT_INIT;
    int64_t i;

    for (i = 0; i < terms->n_terms; i++) {
        const char *plus = i == 0 ? "" : " + ";
        const char *minus = i == 0 ? "-" : " - ";

        paulimpi__text_append(&text, "%s",
                              terms->coefficient[i] < 0 ? minus : plus);
        paulimpi__terms_append(terms, i, &text);
    }
    if (terms->n_terms == 0) {
        paulimpi__text_append(&text, "0");
    }
    *text_p = paulimpi__text_take(&text);
    return *text_p != NULL
               ? PAULIMPI_SUCCESS
               : paulimpi__error(PAULIMPI_ERR_MEMORY,
                                 "%s: no memory for the text of %" PRId64
                                 " terms",
                                 terms->function, terms->n_terms);
}

int
paulimpi_sum_text(const paulimpi_sum *sum, char **text_p)
{
    static const char function[] = "paulimpi_sum_text";
    paulimpi__terms terms;
    int rc;

    if (text_p != NULL) {
        *text_p = NULL;
    }
    rc = paulimpi__sum_check(sum, function, "sum");
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    paulimpi__terms_init(&terms, function, paulimpi_sum_qubits(sum));
    rc = paulimpi__agree(sum->ctx, text_p == NULL
                                       ? paulimpi__null(function, "text_p")
                                       : PAULIMPI_SUCCESS);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__terms_get(&terms, sum);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__agree(sum->ctx, write_terms(&terms, text_p));
    }
    if (rc != PAULIMPI_SUCCESS && text_p != NULL) {
        paulimpi_text_destroy(text_p);
    }
    paulimpi__terms_free(&terms);
    return rc;
}
