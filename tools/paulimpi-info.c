/* SPDX-License-Identifier: BSD-3-Clause
 *
 * paulimpi-info: what this copy of the library is and what it found.
 */
#include <stdio.h>

#include <paulimpi.h>

#include "tool.h"

#define TOOL "paulimpi-info"

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

static int
print_info(void)
{
    char *text;

    if (paulimpi_info(&text) != PAULIMPI_SUCCESS) {
        return tool_fail_library(TOOL_FAILURE, NULL);
    }
    fputs(text, stdout);
    paulimpi_text_destroy(&text);
    return TOOL_SUCCESS;
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
        status = print_info();
    }
    return status != TOOL_SUCCESS ? status : tool_flush();
}

int
main(int argc, char **argv)
{
    int status = run(argc, argv);

    tool_complain(TOOL);
    return status;
}
