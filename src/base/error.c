/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Status codes and their texts, and the last error of each thread.
 */
#include "base/base.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The one place where codes, names and texts stand together. */
static const struct {
    int code;
    const char *name;
    const char *text;
} status_table[] = {
    { PAULIMPI_SUCCESS, "PAULIMPI_SUCCESS", "success" },
    { PAULIMPI_ERR_ARGUMENT, "PAULIMPI_ERR_ARGUMENT", "invalid argument" },
    { PAULIMPI_ERR_STATE, "PAULIMPI_ERR_STATE", "not possible now" },
    { PAULIMPI_ERR_MEMORY, "PAULIMPI_ERR_MEMORY", "not enough memory" },
    { PAULIMPI_ERR_RANGE, "PAULIMPI_ERR_RANGE",
      "a size or count is too large" },
    { PAULIMPI_ERR_MISMATCH, "PAULIMPI_ERR_MISMATCH",
      "objects do not fit together" },
    { PAULIMPI_ERR_UNSUPPORTED, "PAULIMPI_ERR_UNSUPPORTED", "not supported" },
    { PAULIMPI_ERR_SYNTAX, "PAULIMPI_ERR_SYNTAX", "syntax error" },
    { PAULIMPI_ERR_IO, "PAULIMPI_ERR_IO", "input or output failed" },
    { PAULIMPI_ERR_MPI, "PAULIMPI_ERR_MPI", "an MPI call failed" },
    { PAULIMPI_ERR_REMOTE, "PAULIMPI_ERR_REMOTE", "another rank failed" },
    { PAULIMPI_ERR_CANCELLED, "PAULIMPI_ERR_CANCELLED",
      "cancelled by a callback" },
    { PAULIMPI_ERR_VERSION, "PAULIMPI_ERR_VERSION",
      "another version of the library" },
    { PAULIMPI_ERR_INTERNAL, "PAULIMPI_ERR_INTERNAL",
      "internal error of the library: please report it" },
    { PAULIMPI_ERR_DEVICE, "PAULIMPI_ERR_DEVICE", "a GPU call failed" },
    { PAULIMPI_ERR_OVERLAP, "PAULIMPI_ERR_OVERLAP",
      "memory would be used twice" },
    { PAULIMPI_ERR_TIMEOUT, "PAULIMPI_ERR_TIMEOUT",
      "another rank did not answer in time" },
};

enum { N_STATUS = sizeof status_table / sizeof status_table[0] };

/* Room of a fixed size, because an error may be that there is no memory. */
static _Thread_local char last_error[PAULIMPI__ERROR_TEXT];

const char *
paulimpi_strerror(int code)
{
    int i;

    for (i = 0; i < N_STATUS; i++) {
        if (status_table[i].code == code) {
            return status_table[i].text;
        }
    }
    return "unknown status code";
}

const char *
paulimpi_error_name(int code)
{
    int i;

    for (i = 0; i < N_STATUS; i++) {
        if (status_table[i].code == code) {
            return status_table[i].name;
        }
    }
    return "PAULIMPI_ERR_?";
}

const char *
paulimpi_last_error(void)
{
    return last_error;
}

/* Mark a sentence that did not fit; length is what it would have had. */
static void
mark_cut(char text[PAULIMPI__ERROR_TEXT], int length)
{
    static const char mark[] = "...";

    if (length >= PAULIMPI__ERROR_TEXT) {
        memcpy(text + PAULIMPI__ERROR_TEXT - sizeof mark, mark, sizeof mark);
    }
}

int
paulimpi__error(int code, const char *format, ...)
{
    /* Formatted beside its place: an argument may be the last error itself,
     * as the cause of this one. */
    char text[PAULIMPI__ERROR_TEXT];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    mark_cut(text, length);
    memcpy(last_error, text, sizeof text);
    paulimpi__log(PAULIMPI__LOG_INFO, "%s: %s", paulimpi_error_name(code),
                  last_error);
    return code;
}

int
paulimpi__null(const char *function, const char *argument)
{
    return paulimpi__error(PAULIMPI_ERR_ARGUMENT, "%s: %s is NULL", function,
                           argument);
}

int
paulimpi__no_memory(const char *function, size_t bytes)
{
    if (bytes == SIZE_MAX) {
        return paulimpi__error(PAULIMPI_ERR_MEMORY,
                               "%s: the memory needed is more than can be "
                               "addressed",
                               function);
    }
    return paulimpi__error(PAULIMPI_ERR_MEMORY,
                           "%s: no memory for %zu bytes more", function,
                           bytes);
}

void
paulimpi__error_set_text(const char *text)
{
    char copy[PAULIMPI__ERROR_TEXT];

    mark_cut(copy, snprintf(copy, sizeof copy, "%s", text));
    memcpy(last_error, copy, sizeof copy);
}
