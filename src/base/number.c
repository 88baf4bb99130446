/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Floating-point numbers in texts, whatever the locale.
 */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The decimal numbers half-way between two doubles have at most 767
 * significant digits. So more digits than this matter only as "and a bit
 * more". */
enum { MOST_DIGITS = 780, MOST_EXPONENT = 100000 };

/* A number as digits times a power of ten. */
typedef struct {
    char digits[MOST_DIGITS + 32]; /* room for a sticky digit and "e-123456" */
    int n_digits;
    int has_more; /* a digit that is not 0 was left out */
    int64_t exponent;
} decimal;

static int
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Take the digits of one side of the point. Return how many there are. */
static size_t
take_digits(decimal *number, const char *text, int is_fraction)
{
    size_t n;

    for (n = 0; is_digit(text[n]); n++) {
        if (number->n_digits == MOST_DIGITS) {
            number->has_more |= text[n] != '0';
            number->exponent += !is_fraction;
        } else {
            if (number->n_digits != 0 || text[n] != '0') {
                number->digits[number->n_digits++] = text[n];
            }
            number->exponent -= is_fraction;
        }
    }
    return n;
}

/* Take "e-12"; without digits it is not part of the number. */
static size_t
take_exponent(decimal *number, const char *text)
{
    size_t n = 1;
    int is_negative;
    int64_t exponent = 0;

    if (text[0] != 'e' && text[0] != 'E') {
        return 0;
    }
    is_negative = text[1] == '-';
    if (is_negative || text[1] == '+') {
        n++;
    }
    if (!is_digit(text[n])) {
        return 0;
    }
    for (; is_digit(text[n]); n++) {
        if (exponent < INT64_MAX / 20) {
            exponent = 10 * exponent + (text[n] - '0');
        }
    }
    number->exponent += is_negative ? -exponent : exponent;
    return n;
}

/* A point would be read by the locale's rules: strtod gets digits and an
 * exponent only, and rounds them correctly. */
static double
to_double(decimal *number)
{
    int64_t exponent = number->exponent;

    if (number->n_digits == 0) {
        return 0.0;
    }
    if (number->has_more) {
        number->digits[number->n_digits++] = '1';
        exponent--;
    }
    exponent = exponent > MOST_EXPONENT ? MOST_EXPONENT : exponent;
    exponent = exponent < -MOST_EXPONENT ? -MOST_EXPONENT : exponent;
    snprintf(number->digits + number->n_digits,
             sizeof number->digits - (size_t)number->n_digits, "e%d",
             (int)exponent);
    return strtod(number->digits, NULL);
}

size_t
paulimpi__parse_double(const char *text, double *value_p)
{
    decimal number = { .n_digits = 0 };
    size_t n_whole = take_digits(&number, text, 0);
    size_t n_fraction = 0;
    size_t length = n_whole;

    if (text[length] == '.') {
        n_fraction = take_digits(&number, text + length + 1, 1);
        length += 1 + n_fraction;
    }
    if (n_whole + n_fraction == 0) {
        return 0;
    }
    length += take_exponent(&number, text + length);
    *value_p = to_double(&number);
    return length;
}

/* Letters, digits and signs of "%.17g"; all else is the locale's point. */
static int
is_plain(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '+';
}

void
paulimpi__format_double(double value, char text[PAULIMPI__DOUBLE_TEXT])
{
    char local[2 * PAULIMPI__DOUBLE_TEXT];
    size_t n = 0;
    size_t i;

    snprintf(local, sizeof local, "%.17g", value);
    for (i = 0; local[i] != '\0'; i++) {
        if (is_plain(local[i])) {
            text[n++] = local[i];
        } else if (is_plain(local[i + 1])) {
            text[n++] = '.'; /* once for a point of several bytes */
        }
    }
    text[n] = '\0';
}
