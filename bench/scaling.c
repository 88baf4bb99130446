/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What ranks that do not exist would send, and how long they would take.
 */
#include "scaling.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crossing.h"
#include "scaling_model.h"
#include "virtual_ranks.h"

/* A number at the start of a text, and what comes after it; NULL if there is
 * none. */
static const char *
read_number(const char *text, double *value)
{
    size_t length = strspn(text, "0123456789.eE+-");
    char copy[40];
    char *end;

    if (length == 0 || length >= sizeof copy) {
        return NULL;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    *value = strtod(copy, &end);
    return *end == '\0' ? text + length : NULL;
}

int
scaling_read_ranks(const char *text, scaling_settings *settings,
                   char why[WORKLOAD_TEXT])
{
    const char *at = text;
    double value;

    settings->n_counts = 0;
    while (settings->n_counts < SCALING_MOST_COUNTS) {
        at = read_number(at, &value);
        if (at == NULL || value < 1 || value > VIRTUAL_RANKS_MOST
            || value != floor(value)) {
            break;
        }
        settings->count[settings->n_counts++] = (int)value;
        if (*at == '\0') {
            return 1;
        }
        if (*at++ != ',') {
            break;
        }
    }
    snprintf(why, WORKLOAD_TEXT,
             "--ranks %.80s: expected up to %d numbers from 1 to %d, as in "
             "16,64",
             text, SCALING_MOST_COUNTS, VIRTUAL_RANKS_MOST);
    return 0;
}

/* One KEY=VALUE of a machine; what comes after it, or NULL. */
static const char *
read_property(const char *text, scaling_machine *machine)
{
    const struct {
        const char *name;
        double *value;
    } property[] = { { "latency=", &machine->latency },
                     { "bandwidth=", &machine->bandwidth },
                     { "ranks-a-node=", &machine->ranks_a_node },
                     { "cores=", &machine->cores },
                     { "term-gate=", &machine->term_gate },
                     { "terms=", &machine->terms } };
    size_t i;

    for (i = 0; i < sizeof property / sizeof property[0]; i++) {
        size_t length = strlen(property[i].name);

        if (strncmp(text, property[i].name, length) == 0) {
            text = read_number(text + length, property[i].value);
            return text != NULL && *property[i].value > 0 ? text : NULL;
        }
    }
    return NULL;
}

int
scaling_read_machine(const char *text, scaling_settings *settings,
                     char why[WORKLOAD_TEXT])
{
    const char *at = text;

    settings->has_machine = 1;
    settings->machine = scaling_usual_machine;
    for (;;) {
        at = read_property(at, &settings->machine);
        if (at != NULL && *at == '\0') {
            return 1;
        }
        if (at == NULL || *at++ != ',') {
            break;
        }
    }
    snprintf(why, WORKLOAD_TEXT,
             "--model %.60s: expected latency=, bandwidth=, ranks-a-node=, "
             "cores=, term-gate= or terms= with numbers above 0, and commas "
             "between them",
             text);
    return 0;
}

/* A run of all gates on one rank that notes them one by one. */
static int
run_layers(const workload_problem *problem,
           const paulimpi_propagation_options *options,
           paulimpi_propagation_layer *layers, int64_t n)
{
    paulimpi_propagation_options how = *options;
    paulimpi_sum *sum;
    int rc = paulimpi_sum_copy(problem->observable, &sum);

    how.layers = layers;
    how.n_layers = n;
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_propagate(sum, problem->circuit, &how, NULL);
    }
    paulimpi_sum_destroy(&sum);
    return rc;
}

static void
print_stretches(const virtual_run *run)
{
    int64_t i;

    printf(", \"stretch\": [");
    for (i = 0; i < run->n_stretches; i++) {
        const virtual_stretch *v = &run->stretch[i];

        printf("%s{\"first_gate\": %" PRId64 ", \"gates\": %" PRId64
               ", \"copied\": %s, \"terms\": %" PRId64 ", \"moved\": %" PRId64
               ", \"pairs\": %" PRId64 ", \"most_out\": %" PRId64
               ", \"most_here\": %" PRId64 ", \"term_gates\": %" PRId64
               ", \"active_gates\": %" PRId64 ", \"seconds\": %.6g}",
               i == 0 ? "" : ", ", v->first_gate, v->gates,
               v->is_copied ? "true" : "false", v->terms, v->moved, v->pairs,
               v->most_out, v->most_here, v->term_gates, v->active,
               v->seconds);
    }
    printf("]");
}

static void
print_json(const char *name, const virtual_run *run,
           const virtual_random_rows *random)
{
    double bytes = (double)virtual_term_bytes(run->n_words);

    printf("{\"workload\": \"%s\", \"ranks\": %d, \"stretches\": %" PRId64
           ", \"moves\": %" PRId64 ", \"terms_moved\": %" PRId64
           ", \"bytes_moved\": %.0f, \"messages\": %" PRId64
           ", \"imbalance\": %.17g, \"sampled_imbalance\": %.17g",
           name, run->n_ranks, run->stretches, run->moves, run->terms_moved,
           (double)run->terms_moved * bytes, run->messages,
           run->true_imbalance, run->imbalance);
    printf(", \"final_terms\": %" PRId64 ", \"peak_terms\": %" PRId64
           ", \"term_gates\": %" PRId64,
           run->terms, run->peak_terms, run->term_gates);
    print_stretches(run);
    printf(", \"random_rows\": {\"gates\": %" PRId64 ", \"crossing\": %" PRId64
           ", \"bytes\": %.0f, \"rotations\": %" PRId64
           ", \"crossing_rotations\": %" PRId64
           ", \"rotation_bytes\": %.0f}}\n",
           random->gates, random->crossing, random->terms * bytes,
           random->rotations, random->crossing_rotations,
           random->rotation_terms * bytes);
}

static void
print_table(const virtual_run *run, const virtual_random_rows *random)
{
    double bytes = (double)virtual_term_bytes(run->n_words);
    double moved = (double)run->terms_moved * bytes;

    printf("%6d %5" PRId64 " %12" PRId64 " %11.4g %9" PRId64
           " %6.3f | %5" PRId64 "/%-5" PRId64 " %11.4g %6.3f | %5" PRId64
           "/%-5" PRId64 " %11.4g %6.3f\n",
           run->n_ranks, run->moves, run->terms_moved, moved, run->messages,
           run->true_imbalance, random->crossing, random->gates,
           random->terms * bytes, moved / (random->terms * bytes),
           random->crossing_rotations, random->rotations,
           random->rotation_terms * bytes,
           moved / (random->rotation_terms * bytes));
}

static void
print_pairs(const virtual_run *run)
{
    int i, j;

    for (i = 0; i < run->n_ranks && run->n_ranks <= 8; i++) {
        printf("%s", i == 0 ? "       terms from rank i to rank j:\n" : "");
        for (j = 0; j < run->n_ranks; j++) {
            printf(" %12" PRId64, run->pair[i * run->n_ranks + j]);
        }
        printf("\n");
    }
}

static void
print_head(const char *name)
{
    printf("%s\n"
           "                                                       | random "
           "rows, every gate           | turns followed\n"
           " ranks moves  terms moved       bytes  messages imbal. | crossing "
           "         bytes  ratio | crossing         bytes  ratio\n",
           name);
}

static int
run_ranks(const char *name, const workload_problem *problem,
          const paulimpi_propagation_options *options,
          const scaling_settings *settings, int n_ranks,
          const paulimpi_propagation_layer *layers, int64_t n_layers)
{
    virtual_random_rows random;
    virtual_run run = { 0 };
    crossing stay;
    int rc;

    if (!crossing_init(&stay, layers, n_layers, 256)) {
        return PAULIMPI_ERR_MEMORY;
    }
    rc =
        virtual_ranks_run(problem->observable, problem->circuit, options,
                          n_ranks, settings->has_machine ? &stay : NULL, &run);

    if (rc == PAULIMPI_SUCCESS) {
        rc = virtual_random_rows_count(problem->circuit, n_ranks, layers,
                                       n_layers, &random);
    }
    if (rc == PAULIMPI_SUCCESS && settings->as_json) {
        print_json(name, &run, &random);
    } else if (rc == PAULIMPI_SUCCESS) {
        print_table(&run, &random);
        print_pairs(&run);
    }
    if (rc == PAULIMPI_SUCCESS && settings->has_machine) {
        scaling_predict(&run, &stay, &settings->machine, settings->as_json);
    }
    crossing_free(&stay);
    virtual_run_free(&run);
    return rc;
}

int
bench_scaling(const workload *w, const workload_problem *problem,
              const scaling_settings *settings)
{
    paulimpi_propagation_options how = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    int64_t n_layers = paulimpi_circuit_gates(problem->circuit);
    paulimpi_propagation_layer *layers =
        calloc((size_t)n_layers + 1, sizeof *layers);
    char name[WORKLOAD_TEXT];
    int rc, i;

    if (layers == NULL) {
        return PAULIMPI_ERR_MEMORY;
    }
    workload_full_name(w, name);
    how.truncation.min_abs = problem->eps;
    how.truncation.max_weight = problem->max_weight;
    rc = run_layers(problem, &how, layers, n_layers);
    if (rc == PAULIMPI_SUCCESS && !settings->as_json) {
        print_head(name);
    }
    for (i = 0; rc == PAULIMPI_SUCCESS && i < settings->n_counts; i++) {
        rc = run_ranks(name, problem, &how, settings, settings->count[i],
                       layers, n_layers);
    }
    free(layers);
    return rc;
}
