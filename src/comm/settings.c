/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the environment says of calls that several ranks make together.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "comm/call.h"

/* The text of a variable, NULL if it says nothing. */
static const char *
text_of(const char *name)
{
    const char *text = getenv(name);

    return text == NULL || text[0] == '\0' ? NULL : text;
}

/* Seconds, 0 for no limit; -1 for what is no number of them. */
static double
read_seconds(const char *text)
{
    double seconds = 0.0;
    size_t length;

    if (text == NULL) {
        return 0.0;
    }
    length = paulimpi__parse_double(text, &seconds);
    return length == 0 || text[length] != '\0' || !isfinite(seconds) ? -1.0
                                                                     : seconds;
}

double
paulimpi__timeout(void)
{
    double seconds = read_seconds(text_of("PAULIMPI_TIMEOUT"));

    return seconds > 0.0 ? seconds : 0.0;
}

int
paulimpi__check_is_collective(void)
{
    const char *text = text_of("PAULIMPI_CHECK");

    return text != NULL && strcmp(text, "collective") == 0;
}

int
paulimpi__timeout_read(const char *function, double *seconds_p)
{
    const char *text = text_of("PAULIMPI_TIMEOUT");

    *seconds_p = paulimpi__timeout();
    if (read_seconds(text) < 0.0) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: the environment variable PAULIMPI_TIMEOUT "
                               "is \"%s\", but must be a number of seconds, 0 "
                               "for no limit",
                               function, text);
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi__check_read(const char *function, int *is_collective_p)
{
    const char *text = text_of("PAULIMPI_CHECK");

    *is_collective_p = paulimpi__check_is_collective();
    if (text != NULL && !*is_collective_p) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: the environment variable PAULIMPI_CHECK "
                               "is \"%s\", but must be collective",
                               function, text);
    }
    return PAULIMPI_SUCCESS;
}
