/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What ranks that do not exist would send, and how long they would take.
 */
#ifndef BENCH_SCALING_H
#define BENCH_SCALING_H

#include "workloads.h"

enum { SCALING_MOST_COUNTS = 32 };

/* A machine to be imagined. */
typedef struct {
    double latency;   /* of a message, seconds */
    double bandwidth; /* of a node, bytes a second */
    double ranks_a_node;
    double cores;     /* that work for a rank */
    double term_gate; /* seconds of one core; 0: as measured */
    double terms;     /* of a rank, at its fullest, for weak scaling */
} scaling_machine;

typedef struct {
    int n_counts; /* of ranks */
    int count[SCALING_MOST_COUNTS];
    int has_machine;
    scaling_machine machine;
    int as_json;
} scaling_settings;

/** Read "16,64". @return 1, or 0 and the reason in why */
int scaling_read_ranks(const char *text, scaling_settings *settings,
                       char why[WORKLOAD_TEXT]);

/** Read "latency=1e-6,bandwidth=2e10,ranks-a-node=8". @return 1, or 0 and the
 * reason in why */
int scaling_read_machine(const char *text, scaling_settings *settings,
                         char why[WORKLOAD_TEXT]);

/** Count, and print what came of it. @return a code of the library */
int bench_scaling(const workload *w, const workload_problem *problem,
                  const scaling_settings *settings);

#endif /* BENCH_SCALING_H */
