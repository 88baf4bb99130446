/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the command-line tools share: options, sentences, numbers, output.
 */
#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

#include <stdint.h>
#include <stdio.h>

#include <paulimpi.h>

#if defined(__GNUC__)
#define TOOL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TOOL_PRINTF(text, first)
#endif

/* Exit statuses. Usage is what is wrong whatever the files hold. */
enum { TOOL_SUCCESS = 0, TOOL_FAILURE = 1, TOOL_USAGE = 2 };

/* Sentences.
 *
 * The function that finds out what is wrong keeps one sentence and returns an
 * exit status; main() prints the sentence, on one rank only. */

/** Keep a sentence and return status. */
int tool_fail(int status, const char *format, ...) TOOL_PRINTF(2, 3);

/** Keep what the library said last, without the name of its function, after
 * "ABOUT: " unless about is NULL; return status. */
int tool_fail_library(int status, const char *about);

/** The end of something that each rank does for itself: the status of the
 * lowest rank that failed on all of them, with its sentence, or TOOL_SUCCESS.
 * Collective. */
int tool_agree(paulimpi_context *ctx, int status);

/** Whether this rank prints the sentence: rank 0, and every rank if they could
 * not agree. ctx may be NULL. */
int tool_speaks(const paulimpi_context *ctx);

/** Print "TOOL: SENTENCE" on standard error if a sentence was kept. */
void tool_complain(const char *tool);

/** Flush standard output. @return TOOL_SUCCESS, or TOOL_FAILURE and a sentence
 * if something could not be written */
int tool_flush(void);

/* Options: a table that ends with a NULL name. */
typedef struct {
    const char *name;     /* without the dashes */
    const char *argument; /* what --help calls its value; NULL: it has none */
    int (*set)(void *settings, const char *value); /* an exit status */
    const char *help;                              /* lines */
} tool_option;

enum { TOOL_OPTIONS_MOST = 32 };

/** Take the options out of argv; what remains stands in
 * argv[*first_p .. argc - 1]. @return an exit status */
int tool_parse(int argc, char **argv, const tool_option *table, void *settings,
               int *first_p);

/** Print the part of --help about the options. */
void tool_print_options(const tool_option *table);

/** The version of the library that runs: "0.1.0". */
const char *tool_version_text(void);
/** Print "TOOL VERSION". */
void tool_print_version(const char *tool);

/* Numbers. The readers return 1 if all of text is such a number. */
int tool_read_integer(const char *text, int64_t lowest, int64_t highest,
                      int64_t *value_p);
/** A finite decimal number. */
int tool_read_real(const char *text, double *value_p);

/* Engines, by name: automatic, in-place, tile, orbit. */

/** @return 1, or 0 if no engine is called so */
int tool_read_engine(const char *name, int *engine_p);
const char *tool_engine_name(int engine);

/* Choices of a number of terms, by name: largest, first, roughly, random. */

/** @return 1, or 0 if no choice is called so */
int tool_read_choice(const char *name, int *choice_p);
const char *tool_choice_name(int choice);

/* Transports of a propagation, by name: auto, segment, mpi. */

/** @return 1, or 0 if no transport is called so */
int tool_read_transport(const char *name, int *transport_p);
const char *tool_transport_name(int transport);

enum { TOOL_NUMBER_TEXT = 40 };

/** Write 637219 as 637,219. @return text */
const char *tool_thousands(int64_t value, char text[TOOL_NUMBER_TEXT]);
/** Write 31000000 bytes as "31 MB": two or three digits, a decimal prefix, a
 * short unit. @return text */
const char *tool_prefixed(double value, const char *unit,
                          char text[TOOL_NUMBER_TEXT]);

/* JSON. */

/** Print text as a JSON string. */
void tool_json_text(FILE *out, const char *text);
/** Print a double so that it reads back the same; null if not finite. */
void tool_json_real(FILE *out, double value);

#endif /* TOOLS_TOOL_H */
