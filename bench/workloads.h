/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The workloads that speed and memory are measured with.
 */
#ifndef BENCH_WORKLOADS_H
#define BENCH_WORKLOADS_H

#include <stdint.h>

#include <paulimpi.h>

/**
 * Workloads
 *
 * A workload is written NAME or NAME:KEY=VALUE,KEY=VALUE; what is left out has
 * its initial value:
 *
 *     workload w;
 *     workload_problem problem;
 *
 *     workload_parse("lattice-b:steps=7", &w, why);
 *     workload_build(&w, ctx, &problem);
 *     ...
 *     workload_problem_destroy(&problem);
 */
enum { WORKLOAD_PARAMETERS_MOST = 6, WORKLOAD_TEXT = 256 };

typedef struct {
    const char *name; /* NULL after the last one */
    int is_integer;
    double initial;
    double lowest;
    double highest;
} workload_parameter;

/** A circuit, what is measured after it, and how it is truncated. */
typedef struct {
    paulimpi_circuit *circuit;
    paulimpi_sum *observable;
    uint64_t *ones; /* bit q: qubit q starts in state 1 */
    double eps;
    int64_t max_weight;
} workload_problem;

typedef struct {
    const char *name;
    const char *about;
    workload_parameter parameter[WORKLOAD_PARAMETERS_MOST + 1];
    /* Fill a problem whose fields are empty, from the values. */
    int (*build)(paulimpi_context *ctx, const double *value,
                 workload_problem *problem);
} workload_kind;

typedef struct {
    const workload_kind *kind;
    double value[WORKLOAD_PARAMETERS_MOST];
} workload;

/** All workloads; the name after the last one is NULL. */
extern const workload_kind workload_kinds[];

/** Read NAME[:KEY=VALUE,...]. @return 1, or 0 and the reason in why */
int workload_parse(const char *text, workload *w, char why[WORKLOAD_TEXT]);

/** Write the name with all parameters. */
void workload_full_name(const workload *w, char text[WORKLOAD_TEXT]);

/** Write the value of a parameter: 6, 0.5, 1e-06; the shortest text that reads
 * back the same. */
void workload_value_text(const workload *w, int parameter, char text[40]);

/** Build circuit and observable. @return a code of the library; after a
 * failure the problem is empty */
int workload_build(const workload *w, paulimpi_context *ctx,
                   workload_problem *problem);

/** Free what a problem holds. */
void workload_problem_destroy(workload_problem *problem);

#endif /* BENCH_WORKLOADS_H */
