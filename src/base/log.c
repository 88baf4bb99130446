/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Logging to standard error: the only file of the library that prints.
 */
#include "base/base.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const level_name[] = { "none", "error", "warn", "info",
                                          "debug" };

enum { N_LEVELS = sizeof level_name / sizeof level_name[0], NOT_READ = -1 };

static atomic_int current_level = NOT_READ;

static void
print(int level, const char *format, va_list arguments)
{
    char text[PAULIMPI__ERROR_TEXT];

    vsnprintf(text, sizeof text, format, arguments);

    /* One call, so that the lines of several ranks do not mix. */
    fprintf(stderr, "libpaulimpi: %s: %s\n", level_name[level], text);
}

/* The level that PAULIMPI_LOG asks for. Who sets it to something else wants to
 * see something, and is told. */
static int
read_level(void)
{
    const char *value = getenv("PAULIMPI_LOG");
    int level;

    if (value == NULL || value[0] == '\0') {
        return PAULIMPI__LOG_NONE;
    }
    for (level = 0; level < N_LEVELS; level++) {
        if (strcmp(value, level_name[level]) == 0) {
            return level;
        }
    }
    fprintf(stderr,
            "libpaulimpi: warn: PAULIMPI_LOG is \"%s\", but must be "
            "none, error, warn, info or debug; warn is used\n",
            value);
    return PAULIMPI__LOG_WARN;
}

int
paulimpi__log_level(void)
{
    int level = atomic_load_explicit(&current_level, memory_order_relaxed);

    if (level == NOT_READ) {
        level = read_level();
        atomic_store(&current_level, level);
    }
    return level;
}

void
paulimpi__log(int level, const char *format, ...)
{
    va_list arguments;

    if (level > paulimpi__log_level()) {
        return;
    }
    va_start(arguments, format);
    print(level, format, arguments);
    va_end(arguments);
}
