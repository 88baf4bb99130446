/* SPDX-License-Identifier: BSD-3-Clause
 *
 * paulimpi-bench: time and memory of the workloads of the documentation, and
 * of messages against those of MPI.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <paulimpi.h>

#include "../bench/exchange.h"
#include "../bench/memory.h"
#include "../bench/scaling.h"
#include "../bench/workloads.h"
#include "tool.h"

#define TOOL "paulimpi-bench"

enum {
    REPEATS_MOST = 1000,
    RUNS_MOST = 20, /* of a repeat */
    THREADS_MOST = 4096,
    VALUE_TEXT = 40
};

/* A repeat of fewer seconds runs again. */
static const double long_enough = 0.5;

typedef struct {
    int64_t threads; /* PAULIMPI_AUTOMATIC: the context knows */
    int64_t repeats;
    int engine;
    int transport;
    scaling_settings scaling;
    int json;
    int list;
    int help;
    int version;
} bench_settings;

/* What the repeats of a workload gave. */
typedef struct {
    double seconds[REPEATS_MOST];
    double first;   /* seconds of the first run */
    int64_t growth; /* of the resident memory in it */
    double value;
    paulimpi_propagation_report report;
} bench_result;

static int
set_threads(void *data, const char *value)
{
    if (!tool_read_integer(value, 1, THREADS_MOST,
                           &((bench_settings *)data)->threads)) {
        return tool_fail(TOOL_USAGE,
                         "--threads %s: expected a number from 1 to %d", value,
                         THREADS_MOST);
    }
    return TOOL_SUCCESS;
}

static int
set_repeat(void *data, const char *value)
{
    if (!tool_read_integer(value, 1, REPEATS_MOST,
                           &((bench_settings *)data)->repeats)) {
        return tool_fail(TOOL_USAGE,
                         "--repeat %s: expected a number from 1 to %d", value,
                         REPEATS_MOST);
    }
    return TOOL_SUCCESS;
}

static int
set_engine(void *data, const char *value)
{
    if (!tool_read_engine(value, &((bench_settings *)data)->engine)) {
        return tool_fail(TOOL_USAGE,
                         "--engine %s: expected automatic, in-place, "
                         "tile or orbit",
                         value);
    }
    return TOOL_SUCCESS;
}

static int
set_transport(void *data, const char *value)
{
    if (!tool_read_transport(value, &((bench_settings *)data)->transport)) {
        return tool_fail(TOOL_USAGE,
                         "--transport %s: expected auto, segment or mpi",
                         value);
    }
    return TOOL_SUCCESS;
}

static int
set_ranks(void *data, const char *value)
{
    char why[WORKLOAD_TEXT];

    return scaling_read_ranks(value, &((bench_settings *)data)->scaling, why)
               ? TOOL_SUCCESS
               : tool_fail(TOOL_USAGE, "%s", why);
}

static int
set_model(void *data, const char *value)
{
    char why[WORKLOAD_TEXT];

    return scaling_read_machine(value, &((bench_settings *)data)->scaling, why)
               ? TOOL_SUCCESS
               : tool_fail(TOOL_USAGE, "%s", why);
}

static int
set_json(void *data, const char *value)
{
    (void)value;
    ((bench_settings *)data)->json = 1;
    return TOOL_SUCCESS;
}

static int
set_list(void *data, const char *value)
{
    (void)value;
    ((bench_settings *)data)->list = 1;
    return TOOL_SUCCESS;
}

static int
set_help(void *data, const char *value)
{
    (void)value;
    ((bench_settings *)data)->help = 1;
    return TOOL_SUCCESS;
}

static int
set_version(void *data, const char *value)
{
    (void)value;
    ((bench_settings *)data)->version = 1;
    return TOOL_SUCCESS;
}

static const tool_option options[] = {
    { "threads", "N", set_threads, "threads to work with" },
    { "repeat", "N", set_repeat, "repeats (default 1)" },
    { "engine", "NAME", set_engine,
      "automatic (default), in-place, tile, orbit" },
    { "transport", "NAME", set_transport,
      "how terms move to other ranks of the node: auto\n"
      "(default), segment, mpi" },
    { "ranks", "R[,R...]", set_ranks,
      "scaling: numbers of ranks to count for (default 2)" },
    { "model", "KEY=N[,...]", set_model,
      "scaling: predict times of a machine with this latency,\n"
      "bandwidth, ranks-a-node, cores, term-gate, terms" },
    { "json", NULL, set_json, "print JSON, which propagate always does" },
    { "list", NULL, set_list, "print all workloads and their parameters" },
    { "help", NULL, set_help, "print this text" },
    { "version", NULL, set_version, "print the version" },
    { NULL, NULL, NULL, NULL },
};

/* Propagate a fresh copy of the observable once. */
static int
run_once(const workload_problem *problem, const bench_settings *settings,
         int is_first, bench_result *result)
{
    paulimpi_propagation_options how = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    paulimpi_sum *sum;
    int64_t before;
    int rc = paulimpi_sum_copy(problem->observable, &sum);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    how.truncation.min_abs = problem->eps;
    how.truncation.max_weight = problem->max_weight;
    how.engine = settings->engine;
    how.transport = settings->transport;

    memory_forget_peak();
    before = memory_resident("VmRSS:");
    rc = paulimpi_propagate(sum, problem->circuit, &how, &result->report);
    if (is_first) {
        result->growth = memory_resident("VmHWM:") - before;
        result->first = result->report.seconds;
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc =
            paulimpi_sum_expectation_basis(sum, problem->ones, &result->value);
    }
    paulimpi_sum_destroy(&sum);
    return rc;
}

/* A repeat: a run that is short runs again, and the best counts. The clock of
 * rank 0 is that of all. */
static int
measure(paulimpi_context *ctx, const workload_problem *problem,
        const bench_settings *settings, int repeat, bench_result *result)
{
    double together = 0.0;
    double best = 0.0;
    int n = 0;
    int rc;

    do {
        rc = run_once(problem, settings, repeat == 0 && n == 0, result);
        if (rc == PAULIMPI_SUCCESS) {
            double seconds = result->report.seconds;

            best = n == 0 || seconds < best ? seconds : best;
            together += seconds;
            n++;
            rc = paulimpi_broadcast(ctx, &together, 1, PAULIMPI_FLOAT64, 0,
                                    NULL);
        }
    } while (rc == PAULIMPI_SUCCESS && together < long_enough
             && n < RUNS_MOST);
    result->seconds[repeat] = best;
    return rc;
}

static int
compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static void
print_seconds(bench_result *result, int n)
{
    double *s = result->seconds;

    qsort(s, (size_t)n, sizeof *s, compare_seconds);
    printf("\"seconds\": {\"min\": ");
    tool_json_real(stdout, s[0]);
    printf(", \"median\": ");
    tool_json_real(stdout,
                   n % 2 == 1 ? s[n / 2] : 0.5 * (s[n / 2 - 1] + s[n / 2]));
    printf(", \"max\": ");
    tool_json_real(stdout, s[n - 1]);
    printf(", \"first_call\": ");
    tool_json_real(stdout, result->first);
    printf("}");
}

static void
print_result(const workload *w, int n, bench_result *result)
{
    const workload_parameter *p = w->kind->parameter;
    const paulimpi_propagation_report *report = &result->report;
    char text[WORKLOAD_TEXT];
    int i;

    workload_full_name(w, text);
    printf("{\"workload\": \"%s\", \"parameters\": {", text);
    for (i = 0; p[i].name != NULL; i++) {
        char value[VALUE_TEXT];

        workload_value_text(w, i, value);
        printf("%s\"%s\": %s", i > 0 ? ", " : "", p[i].name, value);
    }
    printf("}, \"engine\": \"%s\", \"threads\": %d, \"repeats\": %d, ",
           tool_engine_name(report->engine), report->threads, n);
    print_seconds(result, n);
    printf(", \"final_terms\": %" PRId64 ", \"peak_terms\": %" PRId64,
           report->terms, report->peak_terms);
    printf(", \"value\": ");
    tool_json_real(stdout, result->value);
    printf(", \"term_gates\": %" PRId64 ", \"active_gates\": %" PRId64,
           report->term_gates, report->active_gates);
    printf(", \"peak_rss_bytes\": %" PRId64 ", \"peak_bytes\": %" PRId64,
           result->growth > 0 ? result->growth : 0, report->peak_bytes);
    printf(", \"version\": \"%s\"}\n", tool_version_text());
}

static int
run_workload(paulimpi_context *ctx, const bench_settings *settings,
             const workload *w)
{
    bench_result result = { .report = PAULIMPI_PROPAGATION_REPORT_INIT };
    int n = (int)settings->repeats;
    workload_problem problem;
    int rc = PAULIMPI_SUCCESS;
    int i;

    if (settings->threads != PAULIMPI_AUTOMATIC) {
        rc = paulimpi_context_set_threads(ctx, (int)settings->threads);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = workload_build(w, ctx, &problem);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return tool_fail_library(TOOL_FAILURE, NULL);
    }
    for (i = 0; i < n && rc == PAULIMPI_SUCCESS; i++) {
        rc = measure(ctx, &problem, settings, i, &result);
    }
    workload_problem_destroy(&problem);
    if (rc != PAULIMPI_SUCCESS) {
        return tool_fail_library(TOOL_FAILURE, NULL);
    }
    if (paulimpi_context_rank(ctx) == 0) {
        print_result(w, n, &result);
    }
    return tool_flush();
}

/* "scaling WORKLOAD": ranks that do not exist, on one that does. */
static int
run_scaling(paulimpi_context *ctx, const bench_settings *settings,
            const workload *w)
{
    scaling_settings how = settings->scaling;
    workload_problem problem;
    int rc;

    if (paulimpi_context_size(ctx) > 1) {
        return tool_fail(TOOL_USAGE, "scaling counts on one rank");
    }
    how.as_json = settings->json;
    if (how.n_counts == 0) {
        how.count[how.n_counts++] = 2;
    }
    rc = paulimpi_context_set_threads(ctx, 1);
    if (rc == PAULIMPI_SUCCESS) {
        rc = workload_build(w, ctx, &problem);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return tool_fail_library(TOOL_FAILURE, NULL);
    }
    rc = bench_scaling(w, &problem, &how);
    workload_problem_destroy(&problem);
    return rc == PAULIMPI_SUCCESS ? tool_flush()
                                  : tool_fail_library(TOOL_FAILURE, NULL);
}

static void
print_list(void)
{
    const workload_kind *kind;

    for (kind = workload_kinds; kind->name != NULL; kind++) {
        workload initial;
        char text[WORKLOAD_TEXT];

        workload_parse(kind->name, &initial, text);
        workload_full_name(&initial, text);
        printf("%s\n    %s\n", text, kind->about);
    }
}

/* --help, --version and --list, which need no context.
 * @return 1 if one of them was asked for */
static int
print_texts(const bench_settings *settings)
{
    if (settings->help) {
        puts("Usage: paulimpi-bench propagate WORKLOAD [OPTION]...\n"
             "   or: paulimpi-bench scaling WORKLOAD [OPTION]...\n"
             "   or: mpirun -n 2 paulimpi-bench exchange [OPTION]...\n"
             "Run a workload and print one line of JSON, or count what ranks "
             "would send for\nit, or compare messages with those of MPI.\n"
             "WORKLOAD is NAME or NAME:KEY=VALUE,KEY=VALUE...\n");
        tool_print_options(options);
    } else if (settings->version) {
        tool_print_version(TOOL);
    } else if (settings->list) {
        print_list();
    }
    return settings->help || settings->version || settings->list;
}

/* "exchange", on the ranks that there are. */
static int
run_exchange(int argc, char **argv, int n_words,
             const bench_settings *settings)
{
    paulimpi_context *ctx = NULL;
    int rc = bench_exchange_begin(&argc, &argv, &ctx);
    int status = TOOL_SUCCESS;

    if (n_words > 1) {
        status = tool_fail(TOOL_USAGE, "exchange takes no workload");
    } else if (rc == PAULIMPI_SUCCESS && paulimpi_context_size(ctx) > 2) {
        status = tool_fail(TOOL_USAGE,
                           "exchange needs one rank or two, but there are %d",
                           paulimpi_context_size(ctx));
    } else if (rc == PAULIMPI_SUCCESS) {
        rc = bench_exchange(ctx, (int)settings->repeats, settings->json);
    }
    if (rc != PAULIMPI_SUCCESS && status == TOOL_SUCCESS) {
        status = tool_fail_library(TOOL_FAILURE, NULL);
    }
    if (status == TOOL_SUCCESS) {
        status = tool_flush();
    }
    if (ctx == NULL || paulimpi_context_rank(ctx) == 0) {
        tool_complain(TOOL);
    }
    bench_exchange_end(&ctx);
    return status;
}

/* "propagate WORKLOAD", "scaling WORKLOAD" */
static int
read_words(int n, char **word, workload *w)
{
    char why[WORKLOAD_TEXT];

    if (n < 1) {
        return tool_fail(TOOL_USAGE, "what is to be run? See --help");
    }
    if (strcmp(word[0], "propagate") != 0 && strcmp(word[0], "scaling") != 0) {
        return tool_fail(TOOL_USAGE,
                         "%s: expected propagate, scaling or exchange",
                         word[0]);
    }
    if (n != 2) {
        return tool_fail(TOOL_USAGE, "%s needs one workload; --list shows all",
                         word[0]);
    }
    if (!workload_parse(word[1], w, why)) {
        return tool_fail(TOOL_USAGE, "%s", why);
    }
    return TOOL_SUCCESS;
}

int
main(int argc, char **argv)
{
    bench_settings settings = { PAULIMPI_AUTOMATIC,
                                1,
                                PAULIMPI_ENGINE_AUTOMATIC,
                                PAULIMPI_TRANSPORT_AUTOMATIC,
                                { 0 },
                                0,
                                0,
                                0,
                                0 };
    paulimpi_context *ctx = NULL;
    workload w;
    int first;
    int status = tool_parse(argc, argv, options, &settings, &first);

    if (status == TOOL_SUCCESS && print_texts(&settings)) {
        status = tool_flush();
        tool_complain(TOOL);
        return status;
    }
    if (status == TOOL_SUCCESS && argc > first
        && strcmp(argv[first], "exchange") == 0) {
        return run_exchange(argc, argv, argc - first, &settings);
    }
    if (status == TOOL_SUCCESS) {
        status = read_words(argc - first, argv + first, &w);
    }

    /* The context tells which of the ranks speaks. */
    if (paulimpi_context_create_launched(&argc, &argv, &ctx)
            != PAULIMPI_SUCCESS
        && status == TOOL_SUCCESS) {
        status = tool_fail_library(TOOL_FAILURE, NULL);
    }
    if (ctx != NULL) {
        status = tool_agree(ctx, status);
    }
    if (status == TOOL_SUCCESS) {
        status = strcmp(argv[first], "scaling") == 0
                     ? run_scaling(ctx, &settings, &w)
                     : run_workload(ctx, &settings, &w);
        status = tool_agree(ctx, status);
    }
    if (tool_speaks(ctx)) {
        tool_complain(TOOL);
    }
    paulimpi_context_destroy(&ctx);
    return status;
}
