/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The progress line: how far a propagation has come, on standard error.
 */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include <paulimpi.h>

typedef struct {
    int is_shown;
    int is_terminal; /* one line is written again and again */
    double next;     /* seconds at which the next line is due */
    int width;       /* characters of the line on the screen */
} progress_line;

/** Show the line if it is due. */
void progress_show(progress_line *line,
                   const paulimpi_propagation_progress *progress);

/** Show where the propagation ended, and leave the line. */
void progress_end(progress_line *line, int64_t gates,
                  const paulimpi_propagation_report *report);

#endif /* TOOLS_PROGRESS_H */
