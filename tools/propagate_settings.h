/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the command line of paulimpi-propagate asks for.
 */
#ifndef TOOLS_PROPAGATE_SETTINGS_H
#define TOOLS_PROPAGATE_SETTINGS_H

#include <paulimpi.h>

#include "propagate_rows.h"
#include "propagate_scan.h"

typedef enum { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER } progress_when;

typedef struct {
    const char *input;      /* file name, or "-" */
    const char *observable; /* text, or @ and a file name */
    const char *state;
    paulimpi_propagation_options propagation;
    propagate_rows_text rows; /* what belongs to propagation.rows */
    int threads;              /* PAULIMPI_AUTOMATIC: the context knows */
    progress_when progress;
    propagate_scan scan;
    const char *save;   /* file for the sum, or NULL */
    const char *stats;  /* file for the layers, or NULL */
    int has_every;      /* how often to write checkpoints was said, */
    int has_choice;     /* and how to choose terms */
    int64_t plan_ranks; /* to plan for, or 0 */
    int json;
    int help;
    int version;
} propagate_settings;

/** Read the command line and judge all of it that does not depend on a
 * circuit. @return an exit status */
int propagate_settings_read(int argc, char **argv,
                            propagate_settings *settings);

/** Print --help. */
void propagate_settings_help(void);

#endif /* TOOLS_PROPAGATE_SETTINGS_H */
