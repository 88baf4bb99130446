/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The names and parameters of the workloads, as text.
 */
#include "workloads.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_TEXT = 40 };

/* Find a name that ends at one of the characters of stop, or with the text. */
static int
is_name(const char *name, const char *text, const char *stop)
{
    size_t length = strcspn(text, stop);

    return strlen(name) == length && strncmp(name, text, length) == 0;
}

static int
parse_value(const char *text, const workload_parameter *p, double *value_p)
{
    size_t length = strcspn(text, ",");
    char copy[VALUE_TEXT];
    char *end;

    if (length == 0 || length >= sizeof copy
        || strspn(text, "0123456789.eE+-") < length) {
        return 0;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    *value_p = strtod(copy, &end);
    return *end == '\0' && *value_p >= p->lowest && *value_p <= p->highest
           && (!p->is_integer || *value_p == floor(*value_p));
}

/* Read KEY=VALUE at the start of text. */
static int
parse_parameter(const char *text, workload *w, char why[WORKLOAD_TEXT])
{
    const workload_parameter *p = w->kind->parameter;
    int length = (int)strcspn(text, ",");
    int i;

    for (i = 0; p[i].name != NULL; i++) {
        if (is_name(p[i].name, text, "=,")) {
            break;
        }
    }
    if (p[i].name == NULL) {
        snprintf(why, WORKLOAD_TEXT, "%.*s: %s has no such parameter",
                 length < 80 ? length : 80, text, w->kind->name);
        return 0;
    }
    text += strlen(p[i].name);
    if (*text != '=' || !parse_value(text + 1, &p[i], &w->value[i])) {
        snprintf(why, WORKLOAD_TEXT,
                 "%s:%s: expected %s from %.10g to %.10g, as in %s=%.10g",
                 w->kind->name, p[i].name,
                 p[i].is_integer ? "a whole number" : "a number", p[i].lowest,
                 p[i].highest, p[i].name, p[i].initial);
        return 0;
    }
    return 1;
}

int
workload_parse(const char *text, workload *w, char why[WORKLOAD_TEXT])
{
    const workload_kind *kind = workload_kinds;
    int i;

    while (kind->name != NULL && !is_name(kind->name, text, ":")) {
        kind++;
    }
    if (kind->name == NULL) {
        snprintf(why, WORKLOAD_TEXT,
                 "%.80s: unknown workload; --list shows all", text);
        return 0;
    }

    *w = (workload){ .kind = kind };
    for (i = 0; kind->parameter[i].name != NULL; i++) {
        w->value[i] = kind->parameter[i].initial;
    }
    text += strlen(kind->name);
    while (*text != '\0') {
        text++; /* the colon, or a comma */
        if (*text != '\0' && !parse_parameter(text, w, why)) {
            return 0;
        }
        text += strcspn(text, ",");
    }
    return 1;
}

void
workload_value_text(const workload *w, int parameter, char text[40])
{
    double value = w->value[parameter];
    int digits = 1;
    int exponent;

    if (w->kind->parameter[parameter].is_integer) {
        snprintf(text, VALUE_TEXT, "%.0f", value);
        return;
    }

    /* The fewest digits that read back the same; small and large numbers with
     * an exponent, the others with a point. */
    do {
        snprintf(text, VALUE_TEXT, "%.*e", digits - 1, value);
        digits++;
    } while (strtod(text, NULL) != value && digits <= 17);
    digits--;
    exponent = atoi(strchr(text, 'e') + 1);
    if (exponent >= -4 && exponent < 16) {
        int decimals = digits - 1 - exponent;

        snprintf(text, VALUE_TEXT, "%.*f", decimals < 1 ? 1 : decimals, value);
    }
}

void
workload_full_name(const workload *w, char text[WORKLOAD_TEXT])
{
    const workload_parameter *p = w->kind->parameter;
    int length = snprintf(text, WORKLOAD_TEXT, "%s", w->kind->name);
    int i;

    for (i = 0; p[i].name != NULL; i++) {
        char value[VALUE_TEXT];

        workload_value_text(w, i, value);
        length += snprintf(text + length, (size_t)(WORKLOAD_TEXT - length),
                           "%c%s=%s", i == 0 ? ':' : ',', p[i].name, value);
    }
}

int
workload_build(const workload *w, paulimpi_context *ctx,
               workload_problem *problem)
{
    int rc;

    *problem = (workload_problem){ .max_weight = PAULIMPI_UNLIMITED };
    rc = w->kind->build(ctx, w->value, problem);
    if (rc != PAULIMPI_SUCCESS) {
        workload_problem_destroy(problem);
    }
    return rc;
}

void
workload_problem_destroy(workload_problem *problem)
{
    paulimpi_sum_destroy(&problem->observable);
    paulimpi_circuit_destroy(&problem->circuit);
    free(problem->ones);
    problem->ones = NULL;
}
