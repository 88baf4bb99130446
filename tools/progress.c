/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The progress line: how far a propagation has come, on standard error.
 */
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>

#include "tool.h"

enum { LINE_MOST = 200, CLOCK_TEXT = 32 };

/* No more than ten lines a second: an eye sees no more, and a terminal at the
 * other end of a network should not slow the work down. */
static const double interval = 0.1;

/* "0:04", "1:02:03" */
static const char *
clock_text(double seconds, char text[CLOCK_TEXT])
{
    int64_t s = seconds < 1e12 ? (int64_t)(seconds + 0.5) : 0;

    if (s < 3600) {
        snprintf(text, CLOCK_TEXT, "%" PRId64 ":%02d", s / 60, (int)(s % 60));
    } else {
        snprintf(text, CLOCK_TEXT, "%" PRId64 ":%02d:%02d", s / 3600,
                 (int)(s / 60 % 60), (int)(s % 60));
    }
    return text;
}

static void
print_line(progress_line *line, const paulimpi_propagation_progress *p)
{
    char text[LINE_MOST];
    char terms[TOOL_NUMBER_TEXT];
    char rate[TOOL_NUMBER_TEXT];
    char elapsed[CLOCK_TEXT];
    char left[CLOCK_TEXT];
    double per_gate =
        p->gates_done > 0 ? p->seconds / (double)p->gates_done : 0.0;
    double speed = p->seconds > 0.0 ? (double)p->term_gates / p->seconds : 0.0;
    int width;

    width = snprintf(
        text, sizeof text,
        "  layer %" PRId64 "/%" PRId64
        "   %s term%s   %s   %s elapsed, %s left",
        p->gates_done, p->gates, tool_thousands(p->terms, terms),
        p->terms == 1 ? "" : "s", tool_prefixed(speed, " term-gates/s", rate),
        clock_text(p->seconds, elapsed),
        clock_text(per_gate * (double)(p->gates - p->gates_done), left));

    /* Blanks cover what a longer line before left on the screen. */
    if (line->is_terminal) {
        fprintf(stderr, "\r%s%*s", text,
                line->width > width ? line->width - width : 0, "");
        line->width = width;
    } else {
        fprintf(stderr, "%s\n", text);
    }
    fflush(stderr);
}

void
progress_show(progress_line *line,
              const paulimpi_propagation_progress *progress)
{
    if (line->is_shown && progress->seconds >= line->next) {
        line->next = progress->seconds + interval;
        print_line(line, progress);
    }
}

void
progress_end(progress_line *line, int64_t gates,
             const paulimpi_propagation_report *report)
{
    paulimpi_propagation_progress last = { .size = sizeof last };

    if (!line->is_shown) {
        return;
    }
    last.gates_done = report->gates;
    last.gates = gates;
    last.terms = report->terms;
    last.term_gates = report->term_gates;
    last.seconds = report->seconds;
    print_line(line, &last);
    if (line->is_terminal) {
        putc('\n', stderr);
    }
}
