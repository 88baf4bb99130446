/* SPDX-License-Identifier: BSD-3-Clause
 *
 * paulimpi-info: what this copy of the library is and what it found.
 */
#include <stdio.h>

#include <paulimpi.h>

#include "tool.h"

#define TOOL "paulimpi-info"

/* The rank that prints. */
static int speaks = 1;

typedef struct {
    int help;
    int version;
} info_settings;

static int
set_help(void *settings, const char *value)
{
    (void)value;
    ((info_settings *)settings)->help = 1;
    return TOOL_SUCCESS;
}

static int
set_version(void *settings, const char *value)
{
    (void)value;
    ((info_settings *)settings)->version = 1;
    return TOOL_SUCCESS;
}

static const tool_option options[] = {
    { "help", NULL, set_help, "print this text" },
    { "version", NULL, set_version, "print the version" },
    { NULL, NULL, NULL, NULL },
};

/* Print a text that the library made, if it did. */
static int
print_text(int rc, char *text)
{
    if (rc != PAULIMPI_SUCCESS) {
        return tool_fail_library(TOOL_FAILURE, NULL);
    }
    fputs(text, stdout);
    paulimpi_text_destroy(&text);
    return TOOL_SUCCESS;
}

/* What only ranks together find out. It is printed step by step: an MPI that
 * crashes when it is tried must not take the rest along. */
static int
print_ranks(paulimpi_context *ctx)
{
    char *report = NULL;
    char *answers = NULL;
    int rc;

    fflush(stdout);
    if (paulimpi_aware_probe(ctx) != PAULIMPI_SUCCESS) {
        return tool_fail_library(TOOL_FAILURE, NULL);
    }
    rc = paulimpi_device_report(ctx, &report);
    if (print_text(rc, report) != TOOL_SUCCESS || !speaks) {
        return rc == PAULIMPI_SUCCESS ? TOOL_SUCCESS : TOOL_FAILURE;
    }
    rc = paulimpi_aware_describe(ctx, &answers);
    return print_text(rc, answers);
}

static int
print_info(void)
{
    char *text = NULL;
    int rc = paulimpi_info(&text);

    return print_text(rc, text);
}

/* Under a launcher rank 0 speaks for all ranks. What goes wrong with them is
 * told after what is known without them. */
static int
print_all(int *argc, char ***argv)
{
    paulimpi_context *ctx = NULL;
    int status = TOOL_SUCCESS;

    if (paulimpi_context_create_launched(argc, argv, &ctx)
        != PAULIMPI_SUCCESS) {
        status = tool_fail_library(TOOL_FAILURE, NULL);
        (void)print_info();
        return status;
    }
    speaks = paulimpi_context_rank(ctx) == 0;
    if (speaks) {
        status = print_info();
    }
    if (print_ranks(ctx) != TOOL_SUCCESS) {
        status = TOOL_FAILURE;
    }
    paulimpi_context_destroy(&ctx);
    return status;
}

static int
run(int argc, char **argv)
{
    info_settings settings = { 0, 0 };
    int first;
    int status = tool_parse(argc, argv, options, &settings, &first);

    if (status != TOOL_SUCCESS) {
        return status;
    }
    if (first < argc) {
        return tool_fail(TOOL_USAGE,
                         "%s: there is nothing to give; see --help",
                         argv[first]);
    }

    if (settings.help) {
        puts("Usage: paulimpi-info [OPTION]\n"
             "Describe this copy of libpaulimpi and what it found here.\n");
        tool_print_options(options);
    } else if (settings.version) {
        tool_print_version(TOOL);
    } else {
        status = print_all(&argc, &argv);
    }
    return status != TOOL_SUCCESS ? status : tool_flush();
}

int
main(int argc, char **argv)
{
    int status = run(argc, argv);

    if (speaks) {
        tool_complain(TOOL);
    }
    return status;
}
