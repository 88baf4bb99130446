/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The result of paulimpi-propagate, as text and as JSON.
 */
#include "propagate_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

static const char *
plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

static const char *
input_name(const propagate_settings *settings)
{
    return strcmp(settings->input, "-") == 0 ? "standard input"
                                             : settings->input;
}

void
propagate_print_heading(const propagate_settings *settings,
                        const propagate_result *result)
{
    const paulimpi_propagation_report *report = &result->report;

    fprintf(stderr,
            "%s: %" PRId64 " qubit%s, %" PRId64
            " gate%s; %d rank%s x %d thread%s\n",
            input_name(settings), result->qubits, plural(result->qubits),
            result->gates, plural(result->gates), report->ranks,
            plural(report->ranks), report->threads, plural(report->threads));
}

/* "637,219 terms, 31 MB, 1.1 s" */
static void
print_cost(const paulimpi_propagation_report *report)
{
    char terms[TOOL_NUMBER_TEXT];
    char bytes[TOOL_NUMBER_TEXT];

    printf("%s term%s, %s, %.*f s\n", tool_thousands(report->terms, terms),
           plural(report->terms),
           tool_prefixed((double)report->peak_bytes, "B", bytes),
           report->seconds < 0.995 ? 3 : 1, report->seconds);
}

/* Three digits, not less than value, which is good up to rounding only: they
 * follow the words "at most". */
static double
round_up(double value)
{
    char text[TOOL_NUMBER_TEXT];
    double rounded;

    snprintf(text, sizeof text, "%.2e", value);
    rounded = strtod(text, NULL);
    if (rounded < value * (1.0 - 1e-12)) {
        rounded += pow(10.0, atoi(strchr(text, 'e') + 1) - 2);
    }
    return rounded;
}

static void
print_truncation(const propagate_settings *settings,
                 const propagate_result *result)
{
    const paulimpi_truncation *truncation = &settings->propagation.truncation;
    int is_random = truncation->choice == PAULIMPI_KEEP_RANDOM;
    const paulimpi_propagation_report *report = &result->report;
    double dropped = report->dropped_norm1;
    double bound = report->error_bound;

    if (result->input_terms == 0) {
        puts("  the observable has no terms");
    } else if (report->terms == 0) {
        printf("  every term was dropped, a 1-norm of %.3g: the value says "
               "nothing; truncate less\n",
               dropped);
    } else if (dropped == 0.0) {
        puts("  truncation dropped nothing: exact up to rounding");
    } else if (isnan(bound) && is_random) {
        printf("  truncation dropped a 1-norm of %.3g: there is no bound for "
               "a random choice; run several --seed to see how values "
               "scatter\n",
               dropped);
    } else if (isnan(bound)) {
        printf("  truncation dropped a 1-norm of %.3g: there is no bound in "
               "the Schroedinger picture; run several --eps to see how the "
               "value settles\n",
               dropped);
    } else if (bound > fabs(result->value) + result->input_norm1) {
        printf("  truncation dropped a 1-norm of %.3g: no useful bound; run "
               "several --eps to see how the value settles\n",
               dropped);
    } else {
        printf("  truncation dropped a 1-norm of %.3g: error at most %.3g\n",
               dropped, round_up(bound));
    }
}

static void
print_text(const propagate_settings *settings, const propagate_result *result)
{
    if (result->signal_number != 0) {
        printf("stopped by signal %d after %" PRId64 " of %" PRId64
               " gates    ",
               result->signal_number, result->report.gates, result->gates);
        print_cost(&result->report);
        printf("  truncation dropped a 1-norm of %.3g so far; there is no "
               "value\n",
               result->report.dropped_norm1);
        return;
    }
    if (result->input.name != NULL) {
        printf("%s = %.12g    ", result->input.name, result->input.value);
    }
    printf("<%s> = %.12f    ", settings->observable, result->value);
    print_cost(&result->report);
    print_truncation(settings, result);
}

static void
print_limit(const char *key, int64_t limit)
{
    if (limit == PAULIMPI_UNLIMITED) {
        printf(", \"%s\": null", key);
    } else {
        printf(", \"%s\": %" PRId64, key, limit);
    }
}

static void
print_real(const char *key, double value)
{
    printf(", \"%s\": ", key);
    tool_json_real(stdout, value);
}

static void
print_count(const char *key, int64_t count)
{
    printf(", \"%s\": %" PRId64, key, count);
}

static void
print_string(const char *key, const char *text)
{
    printf(", \"%s\": ", key);
    tool_json_text(stdout, text);
}

static void
print_json(const propagate_settings *settings, const propagate_result *result)
{
    const paulimpi_propagation_options *options = &settings->propagation;
    const paulimpi_propagation_report *report = &result->report;
    int is_heisenberg = options->picture == PAULIMPI_HEISENBERG;

    printf("{\"version\": \"%s\"", tool_version_text());
    print_string("input", settings->input);
    if (result->input.name != NULL) {
        print_string("scan", result->input.name);
        print_real("scan_value", result->input.value);
    }
    print_count("qubits", result->qubits);
    print_count("gates", result->gates);
    print_string("observable", settings->observable);
    print_real("eps", options->truncation.min_abs);
    print_limit("max_weight", options->truncation.max_weight);
    print_limit("max_terms", options->truncation.max_terms);
    print_string("choice", tool_choice_name(options->truncation.choice));
    print_count("seed", options->truncation.seed);
    print_string("picture", is_heisenberg ? "heisenberg" : "schroedinger");
    print_real("value", result->value);
    print_real("error_bound",
               result->signal_number != 0 ? (double)NAN : report->error_bound);
    print_real("dropped_norm1", report->dropped_norm1);
    print_count("terms", report->terms);
    print_count("peak_terms", report->peak_terms);
    print_count("term_gates", report->term_gates);
    print_real("seconds", report->seconds);
    print_count("peak_bytes", report->peak_bytes);
    print_count("ranks", report->ranks);
    print_count("threads", report->threads);
    print_string("rows", propagate_rows_name(options->rows));
    print_string("transport", tool_transport_name(options->transport));
    print_count("stretches", report->stretches);
    print_count("moves", report->moves);
    print_count("terms_moved", report->terms_moved);
    print_count("bytes_moved", report->bytes_moved);
    print_count("bytes_segment", report->bytes_segment);
    print_real("imbalance", report->imbalance);
    puts("}");
}

void
propagate_print_result(const propagate_settings *settings,
                       const propagate_result *result)
{
    if (settings->json) {
        print_json(settings, result);
    } else {
        print_text(settings, result);
    }
}
