/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What any number of ranks would send, counted on one.
 *
 * One rank holds all terms and takes them through the circuit stretch by
 * stretch; where ranks would move terms it draws the same functions as they
 * would, and counts which term would go from where to where.
 */
#ifndef BENCH_VIRTUAL_RANKS_H
#define BENCH_VIRTUAL_RANKS_H

#include <paulimpi.h>

enum { VIRTUAL_RANKS_MOST = 1024 };

/* From one move of terms to the next. */
typedef struct {
    int64_t first_gate; /* in the order in which gates act on the sum */
    int64_t gates;
    int64_t terms;     /* at the beginning, of all ranks */
    int64_t moved;     /* of them, to another rank */
    int64_t pairs;     /* of ranks, between which terms went */
    int64_t most_out;  /* terms that one rank sent */
    int64_t most_here; /* terms of the rank that had most afterwards */
    int64_t term_gates;
    int64_t active;
    double seconds; /* of the stretch, on one rank */
    int is_copied;  /* every rank had all terms */
} virtual_stretch;

typedef struct {
    int n_ranks;
    int64_t n_words;
    int64_t n_stretches;
    virtual_stretch *stretch;
    int64_t *pair; /* terms from rank i to rank j in pair[i * n_ranks + j] */

    /* As in the report of those ranks. */
    int64_t stretches;
    int64_t moves;
    int64_t terms_moved;
    double imbalance; /* by samples */

    int64_t messages;      /* with terms, at least, and with their counts */
    double true_imbalance; /* by all terms, at the worst move */
    int64_t terms;
    int64_t peak_terms;
    int64_t term_gates;
    int64_t active_gates;
} virtual_run;

struct crossing;

/** Propagate a copy of a sum that one rank holds as n_ranks would.
 * @param crossing  NULL, or to look at every border
 * @return a code of the library; free the run in either case */
int virtual_ranks_run(const paulimpi_sum *sum, const paulimpi_circuit *circuit,
                      const paulimpi_propagation_options *options, int n_ranks,
                      struct crossing *crossing, virtual_run *run);
void virtual_run_free(virtual_run *run);

/* What ranks would send whose rows are drawn at random once and stay. */
typedef struct {
    int64_t gates;     /* that move terms, */
    int64_t crossing;  /* some of them to another rank */
    double terms;      /* sent, all in all */
    int64_t rotations; /* the same without the gates that are only turns by
                          quarters, which the rows could follow */
    int64_t crossing_rotations;
    double rotation_terms;
} virtual_random_rows;

/** Count it from what the layers of a run say. */
int virtual_random_rows_count(const paulimpi_circuit *circuit, int n_ranks,
                              const paulimpi_propagation_layer *layers,
                              int64_t n_layers, virtual_random_rows *random);

/** Bytes of a term as it travels. */
int64_t virtual_term_bytes(int64_t n_words);

#endif /* BENCH_VIRTUAL_RANKS_H */
