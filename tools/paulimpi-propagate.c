/* SPDX-License-Identifier: BSD-3-Clause
 *
 * paulimpi-propagate: the value of an observable after a circuit.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <paulimpi.h>

#include "circuit_input.h"
#include "observable.h"
#include "progress.h"
#include "propagate_plan.h"
#include "propagate_report.h"
#include "propagate_save.h"
#include "propagate_settings.h"
#include "propagate_stats.h"
#include "tool.h"

#define TOOL "paulimpi-propagate"

/* What a run holds. */
typedef struct {
    paulimpi_circuit *circuit;
    paulimpi_sum *observable;
    propagate_rows rows;
    propagate_stats stats;
    propagate_result result;
} propagate_run;

static volatile sig_atomic_t caught_signal = 0;

static void
note_signal(int number)
{
    caught_signal = number;
}

/* The first signal asks the propagation to stop; a second one ends the process
 * at once. A signal that the caller chose to ignore stays ignored. */
static void
watch_signals(void)
{
    static const int watched[] = { SIGINT, SIGTERM };
    size_t i;

    for (i = 0; i < sizeof watched / sizeof watched[0]; i++) {
        struct sigaction old;
        struct sigaction action;

        memset(&action, 0, sizeof action);
        action.sa_handler = note_signal;
        action.sa_flags = (int)SA_RESETHAND;
        sigemptyset(&action.sa_mask);
        if (sigaction(watched[i], NULL, &old) == 0
            && old.sa_handler != SIG_IGN) {
            sigaction(watched[i], &action, NULL);
        }
    }
}

static int
on_progress(const paulimpi_propagation_progress *progress, void *data)
{
    progress_show(data, progress);
    return caught_signal != 0;
}

static int
read_input(paulimpi_context *ctx, const propagate_settings *settings,
           propagate_run *run)
{
    propagate_result *result = &run->result;
    int status = TOOL_SUCCESS;

    if (settings->threads != PAULIMPI_AUTOMATIC
        && paulimpi_context_set_threads(ctx, settings->threads)
               != PAULIMPI_SUCCESS) {
        status = tool_fail_library(TOOL_FAILURE, NULL);
    }
    status = tool_agree(ctx, status);
    if (status == TOOL_SUCCESS) {
        status = circuit_input_read(ctx, settings->input,
                                    result->input.name != NULL, &result->input,
                                    &run->circuit);
    }
    if (status != TOOL_SUCCESS) {
        return status;
    }
    result->qubits = paulimpi_circuit_qubits(run->circuit);
    result->gates = paulimpi_circuit_gates(run->circuit);
    if (paulimpi_sum_create(ctx, result->qubits, &run->observable)
        != PAULIMPI_SUCCESS) {
        return tool_fail_library(TOOL_FAILURE, NULL);
    }

    status = observable_add(run->observable, settings->observable);
    if (status != TOOL_SUCCESS) {
        return status;
    }
    result->input_terms = paulimpi_sum_terms(run->observable);
    if (paulimpi_sum_norm1(run->observable, &result->input_norm1)
        != PAULIMPI_SUCCESS) {
        return tool_fail_library(TOOL_FAILURE, NULL);
    }
    return TOOL_SUCCESS;
}

static int
read_value(const propagate_run *run, const char *state, double *value_p)
{
    if (paulimpi_sum_expectation_product(run->observable, state, value_p)
        != PAULIMPI_SUCCESS) {
        char about[64];

        snprintf(about, sizeof about, "--state %.40s%s", state,
                 strlen(state) > 40 ? "..." : "");
        return tool_fail_library(TOOL_FAILURE, about);
    }
    return TOOL_SUCCESS;
}

/* Whether files can be written is better known before a long run. */
static int
check_files(paulimpi_context *ctx, const propagate_settings *settings,
            propagate_run *run)
{
    int status = TOOL_SUCCESS;

    if (settings->save != NULL) {
        status = propagate_save_check(settings->save);
    }
    if (status == TOOL_SUCCESS && settings->stats != NULL) {
        status = propagate_stats_open(&run->stats, settings->stats,
                                      run->result.gates,
                                      paulimpi_context_rank(ctx) == 0);
    }
    return status;
}

/* The signal that any rank caught, as it stops all of them. */
static int
find_signal(paulimpi_context *ctx, int rc)
{
    int64_t number = rc == PAULIMPI_ERR_CANCELLED ? caught_signal : 0;

    return paulimpi_allreduce(ctx, PAULIMPI_IN_PLACE, &number, 1,
                              PAULIMPI_INT64, PAULIMPI_REDUCE_MAX, NULL)
                   == PAULIMPI_SUCCESS
               ? (int)number
               : 0;
}

/* Propagate, with the progress line; a signal is no failure here. */
static int
propagate(paulimpi_context *ctx, const propagate_settings *settings,
          propagate_run *run)
{
    paulimpi_propagation_options options = settings->propagation;
    propagate_result *result = &run->result;
    progress_line line = { .is_terminal = isatty(STDERR_FILENO) };
    int status =
        tool_agree(ctx, propagate_rows_take(&run->rows, &settings->rows,
                                            result->qubits, &options));
    int rc;

    if (status != TOOL_SUCCESS) {
        return status;
    }

    result->report.ranks = paulimpi_context_size(ctx);
    result->report.threads = paulimpi_context_threads(ctx);
    line.is_shown =
        paulimpi_context_rank(ctx) == 0
        && (settings->progress == PROGRESS_ALWAYS
            || (settings->progress == PROGRESS_AUTO && line.is_terminal));
    if (line.is_shown) {
        propagate_print_heading(settings, result);
    }

    options.progress = on_progress;
    options.progress_data = &line;
    options.layers = run->stats.layer;
    options.n_layers = run->stats.n_layers;
    watch_signals();
    rc = paulimpi_propagate(run->observable, run->circuit, &options,
                            &result->report);
    progress_end(&line, result->gates, &result->report);

    if (rc == PAULIMPI_SUCCESS) {
        return TOOL_SUCCESS;
    }
    status = tool_fail_library(TOOL_FAILURE, NULL);
    result->signal_number = find_signal(ctx, rc);
    return result->signal_number == 0 ? status : TOOL_SUCCESS;
}

/* Everything after the input was read. A state that does not fit the circuit
 * should not cost a long propagation: the value is also read beforehand. */
static int
work(paulimpi_context *ctx, const propagate_settings *settings,
     propagate_run *run)
{
    propagate_result *result = &run->result;
    int status = read_value(run, settings->state, &result->value);

    if (status == TOOL_SUCCESS) {
        status = tool_agree(ctx, check_files(ctx, settings, run));
    }
    if (status == TOOL_SUCCESS) {
        status = propagate(ctx, settings, run);
    }
    if (status == TOOL_SUCCESS && result->signal_number == 0) {
        status = read_value(run, settings->state, &result->value);
    } else {
        result->value = (double)NAN;
    }
    if (status == TOOL_SUCCESS && paulimpi_context_rank(ctx) == 0) {
        propagate_print_result(settings, result);
        status = tool_flush();
    }
    if (status == TOOL_SUCCESS) {
        status = propagate_stats_write(&run->stats, &result->report);
    }
    status = tool_agree(ctx, status);
    if (status == TOOL_SUCCESS && settings->save != NULL
        && result->signal_number == 0
        && paulimpi_sum_write(run->observable, settings->save)
               != PAULIMPI_SUCCESS) {
        status = tool_fail_library(TOOL_FAILURE, "--save");
    }

    /* As a shell says it of a process that a signal ended. */
    if (status == TOOL_SUCCESS && result->signal_number != 0) {
        const char *path = settings->propagation.checkpoint_path;

        status = tool_fail(128 + result->signal_number,
                           "stopped by signal %d before the end%s%s",
                           result->signal_number,
                           path == NULL ? "" : "; go on with --restart ",
                           path == NULL ? "" : path);
    }
    return status;
}

/* One propagation, of the only point or of that of a scan. */
static int
run_point(paulimpi_context *ctx, const propagate_settings *settings,
          int64_t point)
{
    propagate_run run = { NULL,
                          NULL,
                          { NULL, NULL, NULL, NULL },
                          { NULL, NULL, NULL, 0 },
                          { .report = PAULIMPI_PROPAGATION_REPORT_INIT } };
    int status;

    run.result.input = propagate_scan_input(&settings->scan, point);
    status = read_input(ctx, settings, &run);
    if (status == TOOL_SUCCESS) {
        status = work(ctx, settings, &run);
    }
    propagate_stats_close(&run.stats);
    propagate_rows_free(&run.rows);
    paulimpi_sum_destroy(&run.observable);
    paulimpi_circuit_destroy(&run.circuit);
    return status;
}

static int
run_on(paulimpi_context *ctx, const propagate_settings *settings)
{
    int status = TOOL_SUCCESS;
    int64_t i;

    for (i = 0; i < settings->scan.n_points && status == TOOL_SUCCESS; i++) {
        status = tool_agree(ctx, run_point(ctx, settings, i));
    }
    return status;
}

int
main(int argc, char **argv)
{
    propagate_settings settings;
    paulimpi_context *ctx = NULL;
    int status = propagate_settings_read(argc, argv, &settings);

    if (status == TOOL_SUCCESS && (settings.help || settings.version)) {
        if (settings.help) {
            propagate_settings_help();
        } else {
            tool_print_version(TOOL);
        }
        status = tool_flush();
        tool_complain(TOOL);
        return status;
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
        status = settings.plan_ranks == 0          ? run_on(ctx, &settings)
                 : paulimpi_context_rank(ctx) == 0 ? propagate_plan(&settings)
                                                   : TOOL_SUCCESS;
        status = tool_agree(ctx, status);
    }
    if (tool_speaks(ctx)) {
        tool_complain(TOOL);
    }
    paulimpi_context_destroy(&ctx);
    return status;
}
