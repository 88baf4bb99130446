/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers in texts.
 */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "tap/tap.h"

static uint64_t
draw(void)
{
    static uint64_t state = 1;

    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return state ^ state >> 29;
}

static void
check(const char *text, size_t taken, double want)
{
    double got = -7.0;
    size_t n = paulimpi__parse_double(text, &got);

    tap_ok(n == taken && got == want, "\"%.40s\": %zu characters, %.17g", text,
           n, got);
}

static void
test_syntax(void)
{
    check("0", 1, 0.0);
    check("12", 2, 12.0);
    check("1.5", 3, 1.5);
    check("1.", 2, 1.0);
    check(".5", 2, 0.5);
    check("1e3", 3, 1000.0);
    check("1E+3x", 4, 1000.0);
    check("25e-2", 5, 0.25);
    check("0.001e4", 7, 10.0);
    check("1e", 1, 1.0);
    check("1e+", 1, 1.0);
    check("1ex", 1, 1.0);
    check("1,5", 1, 1.0);
    check("1.5.5", 3, 1.5);
    check("0x10", 1, 0.0);
    check("000", 3, 0.0);
    check("0e99999999999999999999", 22, 0.0);

    /* None of these begins with a number; the value stays. */
    check("", 0, -7.0);
    check(".", 0, -7.0);
    check("-1", 0, -7.0);
    check("+1", 0, -7.0);
    check(" 1", 0, -7.0);
    check("e5", 0, -7.0);
    check("inf", 0, -7.0);
    check("nan", 0, -7.0);
}

static void
test_extremes(void)
{
    check("1e400", 5, INFINITY);
    check("1e99999999999999999999", 22, INFINITY);
    check("1e-400", 6, 0.0);
    check("1e-99999999999999999999", 23, 0.0);
    check("1.7976931348623157e308", 22, DBL_MAX);
    check("1.7976931348623159e308", 22, INFINITY);
    check("4.9e-324", 8, 0x1p-1074);
    check("2.4703282292062327e-324", 23, 0.0);
    check("2.4703282292062328e-324", 23, 0x1p-1074);
    check("9007199254740993", 16, 9007199254740992.0);
    check("9007199254740993.0000000000001", 30, 9007199254740994.0);
}

/* Half-way cases whose last digit stands far behind the point. */
static void
test_long_numbers(void)
{
    enum { ZEROS = 2000 };
    static char text[ZEROS + 100];
    size_t n = (size_t)snprintf(text, sizeof text, "9007199254740993.");
    double got;

    memset(text + n, '0', ZEROS);
    strcpy(text + n + ZEROS, "1");
    tap_ok(paulimpi__parse_double(text, &got) == n + ZEROS + 1
               && got == 9007199254740994.0,
           "a digit far behind decides a tie");
    text[n + ZEROS] = '0';
    tap_ok(paulimpi__parse_double(text, &got) == n + ZEROS + 1
               && got == 9007199254740992.0,
           "without it the tie goes to even");

    memset(text, '1', ZEROS);
    text[ZEROS] = '\0';
    strcat(text, "e-1999");
    paulimpi__parse_double(text, &got);
    tap_is_bits(got, 1.1111111111111112, "2000 digits are a number");

    text[0] = '.';
    memset(text + 1, '0', ZEROS);
    strcpy(text + 1 + ZEROS, "5e2001");
    paulimpi__parse_double(text, &got);
    tap_is_bits(got, 5.0, "2000 zeros behind the point too");
}

/* In the locale of C, strtod is the oracle. */
static void
test_random_numbers(void)
{
    char text[PAULIMPI__DOUBLE_TEXT], buffer[64];
    int parse_fails = 0;
    int trip_fails = 0;
    int i;

    for (i = 0; i < 30000; i++) {
        uint64_t bits = draw() & INT64_MAX;
        double value, back;

        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        paulimpi__format_double(value, text);
        paulimpi__parse_double(text, &back);
        trip_fails += back != value;

        snprintf(buffer, sizeof buffer, "%d.%de%d", (int)(draw() >> 40),
                 (int)(draw() >> 34), (int)(draw() % 640) - 320);
        paulimpi__parse_double(buffer, &back);
        parse_fails += back != strtod(buffer, NULL);
    }
    tap_is_int(trip_fails, 0, "30,000 doubles survive the way to text");
    tap_is_int(parse_fails, 0, "30,000 texts are rounded as by strtod");
}

static void
check_format(double value, const char *want)
{
    char text[PAULIMPI__DOUBLE_TEXT];

    paulimpi__format_double(value, text);
    tap_is_text(text, want, "%s", want);
}

static void
test_format(void)
{
    check_format(0.5, "0.5");
    check_format(-1234567.0, "-1234567");
    check_format(0.1, "0.10000000000000001");
    check_format(-DBL_MAX, "-1.7976931348623157e+308");
    check_format(0x1p-1074, "4.9406564584124654e-324");
    check_format(-0.0, "-0");
    check_format(INFINITY, "inf");
}

/* A locale with a comma, and one whose point has two bytes, where the machine
 * has them. */
static void
test_locales(void)
{
    static const char *const name[] = { "de_DE.UTF-8", "de_DE", "fr_FR.UTF-8",
                                        "ps_AF", "fa_IR" };
    size_t i;

    for (i = 0; i < sizeof name / sizeof name[0]; i++) {
        if (setlocale(LC_ALL, name[i]) != NULL) {
            tap_note("locale %s", name[i]);
            check("1.25e1", 6, 12.5);
            check("1,25", 1, 1.0);
            check_format(-12.5, "-12.5");
            check_format(1234567.25, "1234567.25");
        }
    }
    setlocale(LC_ALL, "C");
}

int
main(void)
{
    test_syntax();
    test_extremes();
    test_long_numbers();
    test_random_numbers();
    test_format();
    test_locales();
    return tap_done();
}
