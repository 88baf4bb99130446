/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the command-line tools share: options, sentences, numbers, output.
 */
#include "tool.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    SENTENCE_MOST = 2048,
    FIRST_CODE = 256,
    HELP_COLUMN = 26,
    VERSION_TEXT = 48
};

static char sentence[SENTENCE_MOST];
static int speaks_alone = 0; /* no word comes from other ranks */

int
tool_fail(int status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return status;
}

/* Skip "paulimpi_x_y: ": a user of a tool did not call that function. */
static const char *
without_function(const char *text)
{
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789");

    if (strncmp(text, "paulimpi_", 9) == 0
        && strncmp(text + length, ": ", 2) == 0) {
        return text + length + 2;
    }
    return text;
}

int
tool_fail_library(int status, const char *about)
{
    const char *text = without_function(paulimpi_last_error());

    /* Nothing but an allocation of a tool itself fails without a word. */
    if (text[0] == '\0') {
        text = paulimpi_strerror(PAULIMPI_ERR_MEMORY);
    }
    if (about == NULL) {
        return tool_fail(status, "%s", text);
    }
    return tool_fail(status, "%s: %s", about, text);
}

/* Set the lowest rank that failed, or the number of ranks. */
static int
find_failure(paulimpi_context *ctx, int status, int64_t *first_p)
{
    *first_p = status == TOOL_SUCCESS ? paulimpi_context_size(ctx)
                                      : paulimpi_context_rank(ctx);
    return paulimpi_allreduce(ctx, PAULIMPI_IN_PLACE, first_p, 1,
                              PAULIMPI_INT64, PAULIMPI_REDUCE_MIN, NULL);
}

int
tool_agree(paulimpi_context *ctx, int status)
{
    struct {
        int32_t status;
        char sentence[SENTENCE_MOST];
    } failure = { .status = status };
    int64_t first;
    int rc = find_failure(ctx, status, &first);

    if (rc == PAULIMPI_SUCCESS && first == paulimpi_context_size(ctx)) {
        return TOOL_SUCCESS;
    }
    if (rc == PAULIMPI_SUCCESS) {
        memcpy(failure.sentence, sentence, sizeof sentence);
        rc = paulimpi_broadcast(ctx, &failure, sizeof failure, PAULIMPI_BYTE,
                                (int)first, NULL);
    }
    if (rc != PAULIMPI_SUCCESS) {
        speaks_alone = 1;
        return status != TOOL_SUCCESS ? status
                                      : tool_fail_library(TOOL_FAILURE, NULL);
    }
    if (first == 0) {
        return tool_fail(failure.status, "%s", failure.sentence);
    }
    return tool_fail(failure.status, "rank %" PRId64 ": %s", first,
                     failure.sentence);
}

int
tool_speaks(const paulimpi_context *ctx)
{
    return ctx == NULL || speaks_alone || paulimpi_context_rank(ctx) == 0;
}

void
tool_complain(const char *tool)
{
    if (sentence[0] != '\0') {
        fprintf(stderr, "%s: %s\n", tool, sentence);
    }
}

int
tool_flush(void)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        return tool_fail(TOOL_FAILURE, "cannot write to standard output: %s",
                         errno != 0 ? strerror(errno) : "output error");
    }
    return TOOL_SUCCESS;
}

static int
bad_option(int code, char **argv)
{
    const char *word = argv[optind - 1];

    if (code == ':') {
        return tool_fail(TOOL_USAGE, "%s needs a value; see --help", word);
    }
    if (optopt >= FIRST_CODE) {
        return tool_fail(TOOL_USAGE, "%s: this option takes no value", word);
    }
    if (optopt != 0) {
        return tool_fail(TOOL_USAGE, "-%c: unknown option; see --help",
                         optopt);
    }
    return tool_fail(TOOL_USAGE, "%s: unknown option; see --help", word);
}

int
tool_parse(int argc, char **argv, const tool_option *table, void *settings,
           int *first_p)
{
    struct option option[TOOL_OPTIONS_MOST + 1];
    int n, code;

    memset(option, 0, sizeof option);
    for (n = 0; table[n].name != NULL; n++) {
        option[n].name = table[n].name;
        option[n].has_arg =
            table[n].argument != NULL ? required_argument : no_argument;
        option[n].val = FIRST_CODE + n;
    }

    opterr = 0;
    while ((code = getopt_long(argc, argv, ":", option, NULL)) != -1) {
        int status = code >= FIRST_CODE
                         ? table[code - FIRST_CODE].set(settings, optarg)
                         : bad_option(code, argv);

        if (status != TOOL_SUCCESS) {
            return status;
        }
    }
    *first_p = optind;
    return TOOL_SUCCESS;
}

void
tool_print_options(const tool_option *table)
{
    for (; table->name != NULL; table++) {
        const char *line = table->help;
        int column = printf("  --%s%s%s", table->name,
                            table->argument != NULL ? " " : "",
                            table->argument != NULL ? table->argument : "");

        /* Lines after the first begin under it. */
        while (*line != '\0') {
            int length = (int)strcspn(line, "\n");

            printf("%*s%.*s\n",
                   HELP_COLUMN > column ? HELP_COLUMN - column : 1, "", length,
                   line);
            line += length + (line[length] == '\n');
            column = 0;
        }
    }
}

const char *
tool_version_text(void)
{
    static char text[VERSION_TEXT];
    int major = 0;
    int minor = 0;
    int patch = 0;

    paulimpi_version(&major, &minor, &patch);
    snprintf(text, sizeof text, "%d.%d.%d", major, minor, patch);
    return text;
}

void
tool_print_version(const char *tool)
{
    printf("%s %s\n", tool, tool_version_text());
}

int
tool_read_integer(const char *text, int64_t lowest, int64_t highest,
                  int64_t *value_p)
{
    const char *digits = text + (text[0] == '-');
    intmax_t value;

    if (digits[0] == '\0' || digits[strspn(digits, "0123456789")] != '\0') {
        return 0;
    }
    errno = 0;
    value = strtoimax(text, NULL, 10);
    if (errno != 0 || value < lowest || value > highest) {
        return 0;
    }
    *value_p = (int64_t)value;
    return 1;
}

int
tool_read_real(const char *text, double *value_p)
{
    char *end;
    double value;

    /* strtod alone would also take blanks, hexadecimal, "nan" and "inf". */
    if (text[0] == '\0' || text[strspn(text, "0123456789.eE+-")] != '\0') {
        return 0;
    }
    value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value)) {
        return 0;
    }
    *value_p = value;
    return 1;
}

static const struct {
    const char *name;
    int engine;
} engines[] = {
    { "automatic", PAULIMPI_ENGINE_AUTOMATIC },
    { "in-place", PAULIMPI_ENGINE_IN_PLACE },
    { "tile", PAULIMPI_ENGINE_TILE },
    { "orbit", PAULIMPI_ENGINE_ORBIT },
};
enum { N_ENGINES = sizeof engines / sizeof engines[0] };

int
tool_read_engine(const char *name, int *engine_p)
{
    int i;

    for (i = 0; i < N_ENGINES; i++) {
        if (strcmp(name, engines[i].name) == 0) {
            *engine_p = engines[i].engine;
            return 1;
        }
    }
    return 0;
}

const char *
tool_engine_name(int engine)
{
    int i = 0;

    while (i < N_ENGINES - 1 && engines[i].engine != engine) {
        i++;
    }
    return engines[i].name;
}

static const char *const choices[] = {
    [PAULIMPI_KEEP_LARGEST] = "largest",
    [PAULIMPI_KEEP_FIRST] = "first",
    [PAULIMPI_KEEP_ROUGHLY] = "roughly",
    [PAULIMPI_KEEP_RANDOM] = "random",
};
enum { N_CHOICES = sizeof choices / sizeof choices[0] };

int
tool_read_choice(const char *name, int *choice_p)
{
    int i;

    for (i = 0; i < N_CHOICES; i++) {
        if (strcmp(name, choices[i]) == 0) {
            *choice_p = i;
            return 1;
        }
    }
    return 0;
}

const char *
tool_choice_name(int choice)
{
    return choices[choice];
}

static const char *const transports[] = {
    [PAULIMPI_TRANSPORT_AUTOMATIC] = "auto",
    [PAULIMPI_TRANSPORT_SEGMENT] = "segment",
    [PAULIMPI_TRANSPORT_MPI] = "mpi",
};
enum { N_TRANSPORTS = sizeof transports / sizeof transports[0] };

int
tool_read_transport(const char *name, int *transport_p)
{
    int i;

    for (i = 0; i < N_TRANSPORTS; i++) {
        if (strcmp(name, transports[i]) == 0) {
            *transport_p = i;
            return 1;
        }
    }
    return 0;
}

const char *
tool_transport_name(int transport)
{
    return transports[transport];
}

const char *
tool_thousands(int64_t value, char text[TOOL_NUMBER_TEXT])
{
    char digits[TOOL_NUMBER_TEXT];
    int length = snprintf(digits, sizeof digits, "%" PRId64, value);
    int n = 0;
    int i;

    for (i = 0; i < length; i++) {
        text[n++] = digits[i];
        if (isdigit((unsigned char)digits[i]) && i + 1 < length
            && (length - 1 - i) % 3 == 0) {
            text[n++] = ',';
        }
    }
    text[n] = '\0';
    return text;
}

const char *
tool_prefixed(double value, const char *unit, char text[TOOL_NUMBER_TEXT])
{
    static const char *const prefix[] = { "", "k", "M", "G", "T", "P" };
    int i = 0;

    while (value >= 999.5 && i < 5) {
        value /= 1000.0;
        i++;
    }
    snprintf(text, TOOL_NUMBER_TEXT, "%.*f %s%s", value < 9.95 && i > 0, value,
             prefix[i], i == 0 && unit[0] == ' ' ? unit + 1 : unit);
    return text;
}

void
tool_json_text(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\') {
            fprintf(out, "\\%c", c);
        } else if (c < 0x20) {
            fprintf(out, "\\u%04x", c);
        } else {
            putc(c, out);
        }
    }
    putc('"', out);
}

void
tool_json_real(FILE *out, double value)
{
    if (isfinite(value)) {
        fprintf(out, "%.17g", value);
    } else {
        fputs("null", out);
    }
}
