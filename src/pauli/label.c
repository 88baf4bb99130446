/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Labels of Pauli strings: "XIZY" and "X0 Z2 Y3" to bits and back.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "pauli/pauli.h"

static int
is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The letter as x + 2 z, or -1. */
static int
letter_bits(char c)
{
    switch (c) {
    case 'I':
        return 0;
    case 'X':
        return 1;
    case 'Z':
        return 2;
    case 'Y':
        return 3;
    default:
        return -1;
    }
}

static int fail(paulimpi__label_error *error, size_t at, const char *format,
                ...) PAULIMPI__PRINTF(3, 4);

static int
fail(paulimpi__label_error *error, size_t at, const char *format, ...)
{
    va_list arguments;

    error->at = at;
    va_start(arguments, format);
    vsnprintf(error->reason, sizeof error->reason, format, arguments);
    va_end(arguments);
    return PAULIMPI_ERR_SYNTAX;
}

/* Say why the character is no letter of a string. */
static int
fail_letter(paulimpi__label_error *error, size_t at, char c)
{
    if (c != '\0' && strchr("ixyz", c) != NULL) {
        return fail(error, at, "letters are upper case: %c, not %c",
                    c - 'a' + 'A', c);
    }
    if (is_digit(c)) {
        return fail(error, at,
                    "a letter I, X, Y or Z must stand before the qubit");
    }
    if (c < ' ' || c > '~') {
        return fail(error, at, "byte 0x%02X is no Pauli letter (I, X, Y, Z)",
                    (unsigned)(unsigned char)c);
    }
    return fail(error, at, "'%c' is no Pauli letter (I, X, Y, Z)", c);
}

static int
parse_dense(const char *label, size_t begin, size_t end, int64_t n_qubits,
            uint64_t *x, uint64_t *z, paulimpi__label_error *error)
{
    size_t n = end - begin;
    size_t i;

    for (i = begin; i < end; i++) {
        if (letter_bits(label[i]) < 0) {
            return fail_letter(error, i, label[i]);
        }
    }
    if (n == 1 && label[begin] == 'I') {
        return PAULIMPI_SUCCESS;
    }
    if (n != (uint64_t)n_qubits) {
        return fail(error, begin,
                    "a dense label of %zu letter%s for %" PRId64
                    " qubit%s (a sparse one names its qubits: \"X0 Z5\")",
                    n, n == 1 ? "" : "s", n_qubits, n_qubits == 1 ? "" : "s");
    }
    for (i = 0; i < n; i++) {
        uint64_t bits = (uint64_t)letter_bits(label[begin + i]);

        x[i / 64] |= (bits & 1) << (i % 64);
        z[i / 64] |= (bits >> 1) << (i % 64);
    }
    return PAULIMPI_SUCCESS;
}

/* Read the qubit at label[*at_p] and move behind it. */
static int
parse_qubit(const char *label, size_t *at_p, size_t end, int64_t n_qubits,
            int64_t *qubit_p, paulimpi__label_error *error)
{
    size_t begin = *at_p;
    size_t at = begin;
    int64_t qubit = 0;

    while (at < end && is_digit(label[at])) {
        int digit = label[at] - '0';

        /* Stay at n_qubits once there, however many digits follow. */
        if (qubit > (n_qubits - digit) / 10) {
            qubit = n_qubits;
        } else {
            qubit = 10 * qubit + digit;
        }
        at++;
    }
    if (at == begin) {
        return fail(error, begin,
                    "no qubit after the letter %c (a dense label has no"
                    " blanks inside, a sparse one a qubit after each letter)",
                    label[begin - 1]);
    }
    if (qubit >= n_qubits) {
        return fail(error, begin,
                    "there is no qubit %.*s%s: the last one of %" PRId64
                    " is %" PRId64,
                    (int)(at - begin < 20 ? at - begin : 20), label + begin,
                    at - begin <= 20 ? "" : "...", n_qubits, n_qubits - 1);
    }
    *at_p = at;
    *qubit_p = qubit;
    return PAULIMPI_SUCCESS;
}

/* Read the letter and qubit at label[*at_p] and move behind them. */
static int
parse_site(const char *label, size_t *at_p, size_t end, int64_t n_qubits,
           int *bits_p, int64_t *qubit_p, paulimpi__label_error *error)
{
    char next;
    int rc;

    *bits_p = letter_bits(label[*at_p]);
    if (*bits_p < 0) {
        return fail_letter(error, *at_p, label[*at_p]);
    }
    (*at_p)++;
    rc = parse_qubit(label, at_p, end, n_qubits, qubit_p, error);
    if (rc != PAULIMPI_SUCCESS || *at_p == end) {
        return rc;
    }
    next = label[*at_p];
    if (is_blank(next)) {
        return PAULIMPI_SUCCESS;
    }
    if (letter_bits(next) >= 0) {
        return fail(error, *at_p,
                    "a blank is needed between a qubit and the next letter"
                    " (\"X0 Z5\")");
    }
    return fail_letter(error, *at_p, next);
}

/* A sparse label takes two passes: the first one collects the named qubits in
 * x to find those that are named twice, with I as with any letter. */
static int
parse_sparse(const char *label, size_t begin, size_t end, int64_t n_qubits,
             uint64_t *x, uint64_t *z, paulimpi__label_error *error)
{
    int pass;

    for (pass = 0; pass < 2; pass++) {
        size_t at = begin;

        while (at < end) {
            size_t first = at;
            uint64_t bit;
            int64_t qubit = 0;
            int bits = 0;
            int rc =
                parse_site(label, &at, end, n_qubits, &bits, &qubit, error);

            if (rc != PAULIMPI_SUCCESS) {
                return rc;
            }
            bit = UINT64_C(1) << (qubit % 64);
            if (pass == 0) {
                if ((x[qubit / 64] & bit) != 0) {
                    return fail(error, first,
                                "qubit %" PRId64 " is named twice", qubit);
                }
                x[qubit / 64] |= bit;
            } else {
                x[qubit / 64] &= (bits & 1) != 0 ? UINT64_MAX : ~bit;
                z[qubit / 64] |= (bits & 2) != 0 ? bit : 0;
            }
            while (at < end && is_blank(label[at])) {
                at++;
            }
        }
    }
    return PAULIMPI_SUCCESS;
}

/* One word of letters without a number in it. */
static int
is_dense(const char *label, size_t begin, size_t end)
{
    size_t i;

    for (i = begin; i < end; i++) {
        if (is_blank(label[i]) || is_digit(label[i])) {
            return 0;
        }
    }
    return 1;
}

int
paulimpi__label_parse(const char *label, size_t length, int64_t n_qubits,
                      uint64_t *x, uint64_t *z, paulimpi__label_error *error)
{
    size_t begin = 0;
    size_t end = length;

    while (begin < end && is_blank(label[begin])) {
        begin++;
    }
    while (end > begin && is_blank(label[end - 1])) {
        end--;
    }
    if (begin == end) {
        return fail(error, 0, "the label is empty (\"I\" is the identity)");
    }
    if (is_dense(label, begin, end)) {
        return parse_dense(label, begin, end, n_qubits, x, z, error);
    }
    return parse_sparse(label, begin, end, n_qubits, x, z, error);
}

enum {
    QUOTE_WHOLE = 60, /* characters of a text that is quoted whole */
    QUOTE_SIDE = 24   /* quoted on either side of the place otherwise */
};

/* Characters of UTF-8 are not cut in their middle. */
static int
is_continuation(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

int
paulimpi__error_at(int code, const char *function, const char *text,
                   const paulimpi__label_error *error)
{
    size_t length = strlen(text);
    char quote[QUOTE_WHOLE + 1];
    size_t begin = 0;
    size_t end = length;
    size_t i;

    if (length > QUOTE_WHOLE) {
        begin = error->at > QUOTE_SIDE ? error->at - QUOTE_SIDE : 0;
        end =
            error->at < length - QUOTE_SIDE ? error->at + QUOTE_SIDE : length;
        while (begin < end && is_continuation(text[begin])) {
            begin++;
        }
        while (end > begin && is_continuation(text[end])) {
            end--;
        }
    }
    for (i = begin; i < end; i++) {
        quote[i - begin] = text[i];
        if ((unsigned char)text[i] < ' ') {
            quote[i - begin] = ' ';
        }
    }
    quote[end - begin] = '\0';
    return paulimpi__error(code, "%s: character %zu of \"%s%s%s\": %s",
                           function, error->at + 1, begin > 0 ? "..." : "",
                           quote, end < length ? "..." : "", error->reason);
}

/* The letters of up to 64 qubits, word by word. */
static void
append_dense(paulimpi__text *text, int64_t n_qubits, const uint64_t *x,
             const uint64_t *z)
{
    int64_t word;

    for (word = 0; word < paulimpi_pauli_words(n_qubits); word++) {
        int64_t left = n_qubits - 64 * word;
        int n = left < 64 ? (int)left : 64;
        char letters[64];
        int i;

        for (i = 0; i < n; i++) {
            letters[i] = "IXZY"[(x[word] >> i & 1) + 2 * (z[word] >> i & 1)];
        }
        paulimpi__text_append(text, "%.*s", n, letters);
    }
}

/* Write " X17" and return its length, 22 at most; printf would take most of
 * the time of writing a large sum. */
static size_t
put_site(char *out, char letter, int64_t qubit)
{
    char digits[20];
    size_t length = 0;
    int n = 0;

    do {
        digits[n++] = (char)('0' + qubit % 10);
        qubit /= 10;
    } while (qubit > 0);
    out[length++] = ' ';
    out[length++] = letter;
    while (n > 0) {
        out[length++] = digits[--n];
    }
    return length;
}

static void
append_sparse(paulimpi__text *text, int64_t n_qubits, const uint64_t *x,
              const uint64_t *z)
{
    int skip = 1; /* the blank before the first letter */
    int64_t word;

    for (word = 0; word < paulimpi_pauli_words(n_qubits); word++) {
        uint64_t left = x[word] | z[word];
        char sites[64 * 22];
        size_t length = 0;

        while (left != 0) {
            int i = __builtin_ctzll(left);
            char letter = "IXZY"[(x[word] >> i & 1) + 2 * (z[word] >> i & 1)];

            length += put_site(sites + length, letter, 64 * word + i);
            left &= left - 1;
        }
        if (length > 0) {
            paulimpi__text_append(text, "%.*s", (int)length - skip,
                                  sites + skip);
            skip = 0;
        }
    }
    if (skip) {
        paulimpi__text_append(text, "I");
    }
}

void
paulimpi__label_append(paulimpi__text *text, int64_t n_qubits,
                       const uint64_t *x, const uint64_t *z, int style)
{
    if (style == PAULIMPI_LABEL_DENSE) {
        append_dense(text, n_qubits, x, z);
    } else {
        append_sparse(text, n_qubits, x, z);
    }
}
