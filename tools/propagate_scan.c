/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --scan of paulimpi-propagate.
 */
#include "propagate_scan.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "tool.h"

enum { MOST_POINTS = 1000000 };

/* Take the text up to a character out of another one. Whether it is there. */
static int
take_part(const char **text_p, char end, char part[TOOL_NUMBER_TEXT])
{
    const char *found = strchr(*text_p, end);
    size_t length = found == NULL ? 0 : (size_t)(found - *text_p);

    if (found == NULL || length >= TOOL_NUMBER_TEXT) {
        return 0;
    }
    memcpy(part, *text_p, length);
    part[length] = '\0';
    *text_p = found + 1;
    return 1;
}

/* Take what stands before pi: nothing, a sign, or a number and "*". */
static int
read_factor(const char *text, size_t length, double *factor_p)
{
    char number[TOOL_NUMBER_TEXT];

    *factor_p = length == 1 && text[0] == '-' ? -1.0 : 1.0;
    if (length == 0 || (length == 1 && text[0] == '-')) {
        return 1;
    }
    memcpy(number, text, length);
    number[length - 1] = '\0';
    return text[length - 1] == '*' && tool_read_real(number, factor_p);
}

/* Take "0.3", "pi", "-pi/2", "3*pi/4". */
static int
read_angle(const char *text, double *angle_p)
{
    const char *pi = strstr(text, "pi");
    double divisor = 1.0;
    double factor;

    if (pi == NULL) {
        return tool_read_real(text, angle_p);
    }
    if (!read_factor(text, (size_t)(pi - text), &factor)
        || (pi[2] != '\0'
            && (pi[2] != '/' || !tool_read_real(pi + 3, &divisor)))) {
        return 0;
    }
    *angle_p = factor * acos(-1.0) / divisor;
    return isfinite(*angle_p);
}

static int
is_name(const char *name)
{
    size_t i;

    for (i = 0; name[i] != '\0'; i++) {
        if (!isalnum((unsigned char)name[i]) && name[i] != '_') {
            return 0;
        }
    }
    return i > 0 && !isdigit((unsigned char)name[0]);
}

static int
read_scan(propagate_scan *scan, const char *value)
{
    char part[TOOL_NUMBER_TEXT];

    if (!take_part(&value, '=', part) || !is_name(part)) {
        return 0;
    }
    strcpy(scan->name, part);
    return take_part(&value, ':', part) && read_angle(part, &scan->first)
           && take_part(&value, ':', part) && read_angle(part, &scan->last)
           && tool_read_integer(value, 1, MOST_POINTS, &scan->n_points);
}

int
propagate_scan_set(propagate_scan *scan, const char *value)
{
    return read_scan(scan, value)
               ? TOOL_SUCCESS
               : tool_fail(TOOL_USAGE,
                           "--scan %.80s: expected NAME=A:B:N, such as "
                           "theta=0:pi/2:17, with up to %d points",
                           value, MOST_POINTS);
}

paulimpi_input
propagate_scan_input(const propagate_scan *scan, int64_t point)
{
    double step = scan->n_points > 1 ? (scan->last - scan->first)
                                           / (double)(scan->n_points - 1)
                                     : 0.0;

    return (paulimpi_input){ scan->name[0] == '\0' ? NULL : scan->name,
                             point == scan->n_points - 1 && point > 0
                                 ? scan->last
                                 : scan->first + step * (double)point };
}
