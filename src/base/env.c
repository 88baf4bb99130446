/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading environment variables.
 */
#include "base/base.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

int
paulimpi__env_int64(const char *name, int64_t lowest, int64_t highest,
                    int64_t *value_p)
{
    const char *text = getenv(name);
    int64_t value;
    char *end;

    if (text == NULL || text[0] == '\0') {
        return PAULIMPI_SUCCESS;
    }
    errno = 0;
    value = strtoimax(text, &end, 10);
    if (isspace((unsigned char)text[0]) || end == text || *end != '\0'
        || errno != 0 || value < lowest || value > highest) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "the environment variable %s is \"%s\", but "
                               "must be an integer from %" PRId64
                               " to %" PRId64,
                               name, text, lowest, highest);
    }
    *value_p = value;
    return PAULIMPI_SUCCESS;
}
