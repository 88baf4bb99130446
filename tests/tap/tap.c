/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A small TAP library.
 */
#include "tap/tap.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paulimpi/status.h"

static int n_checks = 0;
static int n_failed = 0;

/* Write a line at once: several ranks may share an output without a buffer. */
static void
say(const char *begin, const char *format, va_list arguments)
{
    char line[4096];

    vsnprintf(line, sizeof line, format, arguments);
    printf("%s%s\n", begin, line);
    fflush(stdout);
}

static int
report(int condition, const char *fact, va_list arguments)
{
    char begin[32];

    n_checks++;
    n_failed += !condition;
    snprintf(begin, sizeof begin, "%sok %d - ", condition ? "" : "not ",
             n_checks);
    say(begin, fact, arguments);
    return condition;
}

/* The body of a check: report it, then the diagnosis if it failed. */
#define REPORT(condition, ...)                                                \
    do {                                                                      \
        va_list arguments;                                                    \
        int holds = (condition);                                              \
        va_start(arguments, fact);                                            \
        report(holds, fact, arguments);                                       \
        va_end(arguments);                                                    \
        if (!holds) {                                                         \
            tap_note(__VA_ARGS__);                                            \
        }                                                                     \
        return holds;                                                         \
    } while (0)

int
tap_ok(int condition, const char *fact, ...)
{
    va_list arguments;

    va_start(arguments, fact);
    condition = report(condition != 0, fact, arguments);
    va_end(arguments);
    return condition;
}

int
tap_is_int(int64_t got, int64_t want, const char *fact, ...)
{
    REPORT(got == want, "got %" PRId64 ", want %" PRId64, got, want);
}

int
tap_is_near(double got, double want, double tolerance, const char *fact, ...)
{
    REPORT(fabs(got - want) <= tolerance, "got %.17g, want %.17g within %g",
           got, want, tolerance);
}

int
tap_is_bits(double got, double want, const char *fact, ...)
{
    REPORT(memcmp(&got, &want, sizeof got) == 0 || (isnan(got) && isnan(want)),
           "got %.17g (%a), want %.17g (%a)", got, got, want, want);
}

int
tap_is_text(const char *got, const char *want, const char *fact, ...)
{
    REPORT(got != NULL && want != NULL && strcmp(got, want) == 0,
           "got \"%s\", want \"%s\"", got == NULL ? "(NULL)" : got,
           want == NULL ? "(NULL)" : want);
}

int
tap_contains(const char *text, const char *part, const char *fact, ...)
{
    REPORT(text != NULL && strstr(text, part) != NULL,
           "\"%s\" is not in \"%s\"", part, text == NULL ? "(NULL)" : text);
}

int
tap_is_status(int got, int want, const char *fact, ...)
{
    REPORT(got == want, "got %s, want %s; last error: %s",
           paulimpi_error_name(got), paulimpi_error_name(want),
           paulimpi_last_error());
}

void
tap_note(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say("# ", format, arguments);
    va_end(arguments);
}

void
tap_skip_all(const char *reason)
{
    printf("1..0 # SKIP %s\n", reason);
    exit(0);
}

void
tap_bail(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    printf("Bail out! ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    exit(99);
}

int
tap_done(void)
{
    printf("1..%d\n", n_checks);
    return n_failed != 0;
}
