/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What happened at each gate, as lines of JSON.
 */
#include "propagate_stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

static int
fail(const propagate_stats *stats)
{
    return tool_fail(TOOL_FAILURE, "--stats %s: %s", stats->path,
                     strerror(errno));
}

int
propagate_stats_open(propagate_stats *stats, const char *path, int64_t n,
                     int is_writer)
{
    int64_t i;

    *stats = (propagate_stats){ .path = path };
    stats->layer = malloc(((size_t)n + 1) * sizeof *stats->layer);
    if (stats->layer == NULL) {
        return fail(stats);
    }
    stats->n_layers = n;
    /* What no gate fills is not written. */
    for (i = 0; i < n; i++) {
        stats->layer[i] = (paulimpi_propagation_layer){ .gate = -1 };
    }
    if (is_writer) {
        stats->file = fopen(path, "w");
        return stats->file != NULL ? TOOL_SUCCESS : fail(stats);
    }
    return TOOL_SUCCESS;
}

static void
put_count(FILE *out, const char *key, int64_t count)
{
    fprintf(out, ", \"%s\": %" PRId64, key, count);
}

static void
put_real(FILE *out, const char *key, double value)
{
    fprintf(out, ", \"%s\": ", key);
    tool_json_real(out, value);
}

static void
put_layer(FILE *out, int64_t i, const paulimpi_propagation_layer *layer)
{
    fprintf(out, "{\"layer\": %" PRId64, i);
    put_count(out, "gate", layer->gate);
    put_count(out, "terms_before", layer->terms_before);
    put_count(out, "terms_after", layer->terms_after);
    put_count(out, "active", layer->active);
    put_real(out, "dropped_norm1", layer->dropped_norm1);
    put_real(out, "dropped_norm2", layer->dropped_norm2);
    put_real(out, "seconds", layer->seconds);
    fputs("}\n", out);
}

static void
put_total(FILE *out, const paulimpi_propagation_report *report)
{
    fprintf(out, "{\"total\": true");
    put_count(out, "gates", report->gates);
    put_count(out, "terms", report->terms);
    put_count(out, "peak_terms", report->peak_terms);
    put_count(out, "peak_bytes", report->peak_bytes);
    put_count(out, "term_gates", report->term_gates);
    put_count(out, "active_gates", report->active_gates);
    put_real(out, "dropped_norm1", report->dropped_norm1);
    put_real(out, "dropped_norm2", report->dropped_norm2);
    put_real(out, "error_bound", report->error_bound);
    put_real(out, "seconds", report->seconds);
    put_count(out, "threads", report->threads);
    put_count(out, "ranks", report->ranks);
    put_count(out, "stretches", report->stretches);
    put_count(out, "moves", report->moves);
    put_count(out, "terms_moved", report->terms_moved);
    put_count(out, "bytes_moved", report->bytes_moved);
    put_count(out, "bytes_segment", report->bytes_segment);
    put_real(out, "imbalance", report->imbalance);
    fprintf(out, ", \"engine\": \"%s\"}\n", tool_engine_name(report->engine));
}

int
propagate_stats_write(propagate_stats *stats,
                      const paulimpi_propagation_report *report)
{
    FILE *out = stats->file;
    int has_failed;
    int64_t i;

    if (out == NULL) {
        return TOOL_SUCCESS;
    }
    for (i = 0; i < stats->n_layers; i++) {
        if (stats->layer[i].gate >= 0) {
            put_layer(out, i, &stats->layer[i]);
        }
    }
    put_total(out, report);
    stats->file = NULL;
    errno = 0;
    has_failed = ferror(out);
    has_failed |= fclose(out);
    return has_failed ? fail(stats) : TOOL_SUCCESS;
}

void
propagate_stats_close(propagate_stats *stats)
{
    if (stats->file != NULL) {
        fclose(stats->file);
    }
    free(stats->layer);
    *stats = (propagate_stats){ NULL, NULL, NULL, 0 };
}
