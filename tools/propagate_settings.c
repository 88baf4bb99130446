/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the command line of paulimpi-propagate asks for.
 */
#include "propagate_settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "observable.h"
#include "tool.h"

enum { THREADS_MOST = 4096 };

/* Take "1e-4", and "2^-12" as a power of a decimal number. */
static int
read_power(const char *text, double *value_p)
{
    const char *hat = strchr(text, '^');
    char base_text[TOOL_NUMBER_TEXT];
    int64_t exponent;
    double base;

    if (hat == NULL) {
        return tool_read_real(text, value_p);
    }
    if (hat - text >= (ptrdiff_t)sizeof base_text) {
        return 0;
    }
    memcpy(base_text, text, (size_t)(hat - text));
    base_text[hat - text] = '\0';
    if (!tool_read_real(base_text, &base)
        || !tool_read_integer(hat + 1, -9999, 9999, &exponent)) {
        return 0;
    }
    *value_p = pow(base, (double)exponent);
    return isfinite(*value_p);
}

/* Take "500000", "1.5G"; a K is 1024 bytes. */
static int
read_bytes(const char *text, int64_t *value_p)
{
    static const char suffix[] = "KMGT";
    size_t length = strlen(text);
    char number[TOOL_NUMBER_TEXT];
    const char *found = NULL;
    double value;

    if (length == 0 || length >= sizeof number) {
        return 0;
    }
    memcpy(number, text, length + 1);
    found = strchr(suffix, number[length - 1]);
    if (found != NULL) {
        number[length - 1] = '\0';
    }
    if (!tool_read_real(number, &value)) {
        return 0;
    }
    value = floor(
        ldexp(value, found != NULL ? 10 * (int)(found - suffix + 1) : 0));
    if (!(value >= 1.0 && value < 0x1p62)) {
        return 0;
    }
    *value_p = (int64_t)value;
    return 1;
}

static int
read_limit(const char *option, const char *value, int64_t *limit_p)
{
    if (!tool_read_integer(value, 0, INT64_MAX, limit_p)) {
        return tool_fail(TOOL_USAGE,
                         "--%s %s: expected a whole number from 0 up", option,
                         value);
    }
    return TOOL_SUCCESS;
}

static int
set_observable(void *data, const char *value)
{
    ((propagate_settings *)data)->observable = value;
    return TOOL_SUCCESS;
}

static int
set_eps(void *data, const char *value)
{
    propagate_settings *settings = data;
    double eps;

    if (!read_power(value, &eps) || eps < 0.0) {
        return tool_fail(TOOL_USAGE,
                         "--eps %s: expected a number from 0 up, such as 1e-4 "
                         "or 2^-12",
                         value);
    }
    settings->propagation.truncation.min_abs = eps;
    return TOOL_SUCCESS;
}

static int
set_max_weight(void *data, const char *value)
{
    propagate_settings *settings = data;

    return read_limit("max-weight", value,
                      &settings->propagation.truncation.max_weight);
}

static int
set_max_xy_weight(void *data, const char *value)
{
    propagate_settings *settings = data;

    return read_limit("max-xy-weight", value,
                      &settings->propagation.truncation.max_xy_weight);
}

static int
set_max_terms(void *data, const char *value)
{
    propagate_settings *settings = data;

    return read_limit("max-terms", value,
                      &settings->propagation.truncation.max_terms);
}

static int
set_choice(void *data, const char *value)
{
    propagate_settings *settings = data;

    settings->has_choice = 1;
    if (!tool_read_choice(value, &settings->propagation.truncation.choice)) {
        return tool_fail(TOOL_USAGE,
                         "--choice %s: expected largest, first, roughly or "
                         "random",
                         value);
    }
    return TOOL_SUCCESS;
}

static int
read_seed(const char *option, const char *value, int64_t *seed_p)
{
    if (!tool_read_integer(value, INT64_MIN, INT64_MAX, seed_p)) {
        return tool_fail(TOOL_USAGE, "--%s %s: expected a whole number",
                         option, value);
    }
    return TOOL_SUCCESS;
}

static int
set_seed(void *data, const char *value)
{
    propagate_settings *settings = data;

    settings->has_choice = 1;
    return read_seed("seed", value, &settings->propagation.truncation.seed);
}

static int
set_rows(void *data, const char *value)
{
    propagate_settings *settings = data;

    return propagate_rows_set(&settings->rows, value,
                              &settings->propagation.rows);
}

static int
set_rows_seed(void *data, const char *value)
{
    propagate_settings *settings = data;

    return read_seed("rows-seed", value, &settings->propagation.rows_seed);
}

static int
set_weights(void *data, const char *value)
{
    propagate_settings *settings = data;

    return propagate_rows_set_weights(&settings->rows, value);
}

static int
set_transport(void *data, const char *value)
{
    propagate_settings *settings = data;

    if (!tool_read_transport(value, &settings->propagation.transport)) {
        return tool_fail(TOOL_USAGE,
                         "--transport %s: expected auto, segment or mpi",
                         value);
    }
    return TOOL_SUCCESS;
}

static int
set_state(void *data, const char *value)
{
    if (value[0] == '\0' || value[strspn(value, "01+-rl")] != '\0') {
        return tool_fail(TOOL_USAGE,
                         "--state %s: expected letters 0 1 + - r l, one for "
                         "all qubits or one each",
                         value);
    }
    ((propagate_settings *)data)->state = value;
    return TOOL_SUCCESS;
}

static int
set_picture(void *data, const char *value)
{
    propagate_settings *settings = data;

    if (strcmp(value, "heisenberg") == 0) {
        settings->propagation.picture = PAULIMPI_HEISENBERG;
    } else if (strcmp(value, "schroedinger") == 0) {
        settings->propagation.picture = PAULIMPI_SCHROEDINGER;
    } else {
        return tool_fail(TOOL_USAGE,
                         "--picture %s: expected heisenberg or schroedinger",
                         value);
    }
    return TOOL_SUCCESS;
}

static int
set_engine(void *data, const char *value)
{
    propagate_settings *settings = data;

    if (!tool_read_engine(value, &settings->propagation.engine)) {
        return tool_fail(TOOL_USAGE,
                         "--engine %s: expected automatic, in-place, "
                         "tile or orbit",
                         value);
    }
    return TOOL_SUCCESS;
}

static int
set_threads(void *data, const char *value)
{
    int64_t threads;

    if (!tool_read_integer(value, 1, THREADS_MOST, &threads)) {
        return tool_fail(TOOL_USAGE,
                         "--threads %s: expected a number from 1 to %d", value,
                         THREADS_MOST);
    }
    ((propagate_settings *)data)->threads = (int)threads;
    return TOOL_SUCCESS;
}

static int
set_memory_limit(void *data, const char *value)
{
    propagate_settings *settings = data;

    if (!read_bytes(value, &settings->propagation.memory_limit)) {
        return tool_fail(TOOL_USAGE,
                         "--memory-limit %s: expected bytes, such as 500M or "
                         "1.5G",
                         value);
    }
    return TOOL_SUCCESS;
}

static int
set_scan(void *data, const char *value)
{
    return propagate_scan_set(&((propagate_settings *)data)->scan, value);
}

static int
set_save(void *data, const char *value)
{
    ((propagate_settings *)data)->save = value;
    return TOOL_SUCCESS;
}

static int
set_stats(void *data, const char *value)
{
    ((propagate_settings *)data)->stats = value;
    return TOOL_SUCCESS;
}

static int
set_checkpoint(void *data, const char *value)
{
    ((propagate_settings *)data)->propagation.checkpoint_path = value;
    return TOOL_SUCCESS;
}

static int
set_restart(void *data, const char *value)
{
    ((propagate_settings *)data)->propagation.restart_path = value;
    return TOOL_SUCCESS;
}

/* Take "100", gates, and "90s", seconds. */
static int
set_checkpoint_every(void *data, const char *value)
{
    propagate_settings *settings = data;
    paulimpi_propagation_options *propagation = &settings->propagation;
    size_t length = strlen(value);
    char number[TOOL_NUMBER_TEXT];
    double seconds = 0.0;

    settings->has_every = 1;
    if (tool_read_integer(value, 1, INT64_MAX,
                          &propagation->checkpoint_gates)) {
        propagation->checkpoint_seconds = (double)INFINITY;
        return TOOL_SUCCESS;
    }
    if (length > 1 && length < sizeof number && value[length - 1] == 's') {
        memcpy(number, value, length);
        number[length - 1] = '\0';
        if (tool_read_real(number, &seconds) && seconds > 0.0) {
            propagation->checkpoint_seconds = seconds;
            propagation->checkpoint_gates = PAULIMPI_UNLIMITED;
            return TOOL_SUCCESS;
        }
    }
    return tool_fail(TOOL_USAGE,
                     "--checkpoint-every %s: expected gates or seconds, such "
                     "as 100 or 90s",
                     value);
}

static int
set_progress(void *data, const char *value)
{
    static const struct {
        const char *name;
        progress_when when;
    } choice[] = { { "auto", PROGRESS_AUTO },
                   { "always", PROGRESS_ALWAYS },
                   { "never", PROGRESS_NEVER } };
    size_t i;

    for (i = 0; i < sizeof choice / sizeof choice[0]; i++) {
        if (strcmp(value, choice[i].name) == 0) {
            ((propagate_settings *)data)->progress = choice[i].when;
            return TOOL_SUCCESS;
        }
    }
    return tool_fail(TOOL_USAGE,
                     "--progress %s: expected auto, always or never", value);
}

static int
set_plan(void *data, const char *value)
{
    if (!tool_read_integer(value, 1, 1 << 20,
                           &((propagate_settings *)data)->plan_ranks)) {
        return tool_fail(TOOL_USAGE,
                         "--plan %s: expected a number of ranks from 1 to %d",
                         value, 1 << 20);
    }
    return TOOL_SUCCESS;
}

static int
set_json(void *data, const char *value)
{
    (void)value;
    ((propagate_settings *)data)->json = 1;
    return TOOL_SUCCESS;
}

static int
set_help(void *data, const char *value)
{
    (void)value;
    ((propagate_settings *)data)->help = 1;
    return TOOL_SUCCESS;
}

static int
set_version(void *data, const char *value)
{
    (void)value;
    ((propagate_settings *)data)->version = 1;
    return TOOL_SUCCESS;
}

static const tool_option options[] = {
    { "observable", "SUM", set_observable,
      "what to measure: \"Z62\", \"0.5 Z0 Z1 + X3\", or @FILE;\n"
      "qubits count from 0" },
    { "eps", "NUMBER", set_eps,
      "drop terms with |coefficient| < NUMBER: 1e-4, 2^-12" },
    { "max-weight", "N", set_max_weight,
      "drop strings with more than N letters" },
    { "max-xy-weight", "N", set_max_xy_weight,
      "drop strings with more than N letters X or Y" },
    { "max-terms", "N", set_max_terms, "keep the N largest terms" },
    { "choice", "NAME", set_choice,
      "how they are chosen: largest (default; ties go), first\n"
      "(ties by label), roughly, random (without bias)" },
    { "seed", "N", set_seed, "of the random choice (default 0)" },
    { "state", "LETTERS", set_state,
      "product state: one of 0 1 + - r l for all qubits,\n"
      "or one each, qubit 0 leftmost (default 0)" },
    { "picture", "NAME", set_picture, "heisenberg (default) or schroedinger" },
    { "engine", "NAME", set_engine,
      "automatic (default), in-place, tile, orbit" },
    { "threads", "N", set_threads, "threads of each rank" },
    { "memory-limit", "BYTES", set_memory_limit,
      "most memory for the terms of a rank: 500M, 1.5G\n"
      "(default: what the node has left)" },
    { "rows", "ROWS", set_rows,
      "what says on which rank a term is: planned (default),\n"
      "random, blocks[=N,N,...], exclude=STRING,...,\n"
      "given=STRING,...; the result is the same" },
    { "rows-seed", "N", set_rows_seed,
      "of what is drawn for that (default 0)" },
    { "weights", "W,W,...", set_weights,
      "give each rank terms by its weight" },
    { "transport", "NAME", set_transport,
      "how terms move to other ranks of the node: auto\n"
      "(default), segment (shared memory), mpi" },
    { "checkpoint", "FILE", set_checkpoint,
      "keep a file to go on from; HDF5 if it ends in .h5" },
    { "checkpoint-every", "N", set_checkpoint_every,
      "write it every N gates, or Ns: seconds (default 600s)" },
    { "restart", "FILE", set_restart, "go on from a checkpoint" },
    { "save", "FILE", set_save,
      "write the sum at the end; HDF5 if it ends in .h5" },
    { "scan", "NAME=A:B:N", set_scan,
      "give an input of the circuit N values from A to B, such\n"
      "as theta=0:pi/2:17, and propagate for each" },
    { "stats", "FILE", set_stats, "write a line of JSON for each gate" },
    { "progress", "WHEN", set_progress,
      "auto (default: on a terminal), always or never" },
    { "plan", "RANKS", set_plan,
      "tell how so many ranks would share the work; run nothing" },
    { "json", NULL, set_json, "print one JSON object" },
    { "help", NULL, set_help, "print this text" },
    { "version", NULL, set_version, "print the version" },
    { NULL, NULL, NULL, NULL },
};

void
propagate_settings_help(void)
{
    puts("Usage: paulimpi-propagate CIRCUIT --observable SUM [OPTION]...\n"
         "Propagate an observable through an OpenQASM 2.0 circuit and print "
         "its value.\n"
         "CIRCUIT is a file, or - for standard input.\n");
    tool_print_options(options);
    puts("\nExit status: 0; 1 after a failure; 2 for a command line that is "
         "wrong for any\ncircuit; 128 + N after signal N, with a partial "
         "report.");
}

/* What is for one propagation cannot be had for several. */
static int
check_scan(const propagate_settings *settings)
{
    const paulimpi_propagation_options *propagation = &settings->propagation;

    if (settings->scan.name[0] == '\0') {
        return TOOL_SUCCESS;
    }
    if (strcmp(settings->input, "-") == 0) {
        return tool_fail(TOOL_USAGE, "--scan: standard input can be read only "
                                     "once; give it a file");
    }
    if (settings->save != NULL || settings->stats != NULL
        || propagation->checkpoint_path != NULL
        || propagation->restart_path != NULL) {
        return tool_fail(TOOL_USAGE,
                         "--scan with --save, --stats, --checkpoint or "
                         "--restart: several propagations cannot share a "
                         "file");
    }
    return TOOL_SUCCESS;
}

/* What no single option can tell. */
static int
check_settings(const propagate_settings *settings, int n_inputs,
               const char *second)
{
    if (n_inputs < 1) {
        return tool_fail(TOOL_USAGE, "no circuit is given; see --help");
    }
    if (n_inputs > 1) {
        return tool_fail(TOOL_USAGE, "%s: one circuit at a time; see --help",
                         second);
    }
    if (check_scan(settings) != TOOL_SUCCESS) {
        return TOOL_USAGE;
    }
    if (settings->observable == NULL && settings->plan_ranks > 0) {
        return TOOL_SUCCESS;
    }
    if (settings->observable == NULL) {
        return tool_fail(TOOL_USAGE,
                         "--observable is missing; for example --observable "
                         "Z0");
    }
    if (settings->has_every && settings->propagation.checkpoint_path == NULL) {
        return tool_fail(TOOL_USAGE, "--checkpoint-every without --checkpoint "
                                     "FILE: there is no file to write");
    }
    if (settings->has_choice
        && settings->propagation.truncation.max_terms == PAULIMPI_UNLIMITED) {
        return tool_fail(TOOL_USAGE, "--choice or --seed without --max-terms "
                                     "N: there is nothing to choose");
    }
    if (strcmp(settings->input, "-") == 0
        && strcmp(settings->observable, "@-") == 0) {
        return tool_fail(TOOL_USAGE,
                         "standard input cannot hold both the circuit and the "
                         "observable");
    }
    return observable_check(settings->observable);
}

int
propagate_settings_read(int argc, char **argv, propagate_settings *settings)
{
    static const paulimpi_propagation_options initial =
        PAULIMPI_PROPAGATION_OPTIONS_INIT;
    int first;
    int status;

    *settings = (propagate_settings){ .state = "0",
                                      .propagation = initial,
                                      .scan = PROPAGATE_SCAN_INIT,
                                      .threads = PAULIMPI_AUTOMATIC };
    status = tool_parse(argc, argv, options, settings, &first);
    if (status != TOOL_SUCCESS || settings->help || settings->version) {
        return status;
    }
    settings->input = argv[first];
    return check_settings(settings, argc - first,
                          argc - first > 1 ? argv[first + 1] : NULL);
}
