/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What happened at each gate, as lines of JSON.
 */
#ifndef TOOLS_PROPAGATE_STATS_H
#define TOOLS_PROPAGATE_STATS_H

#include <stdio.h>

#include <paulimpi.h>

typedef struct {
    const char *path;
    FILE *file; /* on the rank that writes */
    paulimpi_propagation_layer *layer;
    int64_t n_layers;
} propagate_stats;

/** Make room for n layers and open the file, where is_writer says so. To be
 * closed in any case. @return an exit status */
int propagate_stats_open(propagate_stats *stats, const char *path, int64_t n,
                         int is_writer);

/** Write a line for each layer and one for the total.
 * @return an exit status */
int propagate_stats_write(propagate_stats *stats,
                          const paulimpi_propagation_report *report);

void propagate_stats_close(propagate_stats *stats);

#endif /* TOOLS_PROPAGATE_STATS_H */
