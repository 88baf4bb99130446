/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random problems, to be solved in many ways with the same bits.
 */
#ifndef TESTS_PROPAGATE_PROBLEMS_H
#define TESTS_PROPAGATE_PROBLEMS_H

#include "propagate/support.h"

/* Terms of a random problem, about. */
enum { PROBLEM_TERMS = 6000, SMALL_PROBLEM_TERMS = 1000 };

/* A sum, and what acts on it. */
typedef struct {
    const char *name;
    uint64_t seed;
    paulimpi_sum *sum;
    paulimpi_circuit *circuit;
    paulimpi_propagation_options options;
    int sample;         /* of so many ways */
    int64_t most_terms; /* about */
} problem;

enum {
    SUM_FEW,     /* terms with coefficients of all sizes */
    SUM_ONE,     /* term */
    SUM_SMALL,   /* coefficients, whose squares are 0 */
    SUM_LARGE,   /* coefficients */
    SUM_MANY,    /* terms, for two threads; also the next ones */
    SUM_EQUAL,   /* coefficients */
    SUM_CLUSTER, /* terms that differ on the qubits of the circuit only */
    N_SUMS
};

/* A random problem on n qubits with a sum of such a kind. */
problem draw_problem(paulimpi_context *ctx, int64_t n, int kind,
                     uint64_t seed);
/* One of fewer terms, and of fewer gates. */
problem draw_small_problem(paulimpi_context *ctx, int64_t n, int kind,
                           uint64_t seed);
void problem_destroy(problem *p);

/* The exponent of the largest coefficients. */
int exponent_of(int kind);

/* Choose the least coefficient, a power of 2 below that of the exponent: small
 * enough for some terms to be left, but not for very many of them. */
void choose_min_abs(problem *p, int exponent);

/* Put a letter into the words of a string. */
void set_letter(uint64_t *x, uint64_t *z, int64_t q, char letter);

/* Add the local terms of a sum, keys and bits, to a checksum: its first word
 * adds up, the second one by exclusive or. */
void checksum_add(const paulimpi_sum *sum, uint64_t checksum[2]);

/* Whether two reports tell the same, but for time and bytes. */
int same_report(const paulimpi_propagation_report *r,
                const paulimpi_propagation_report *s);

#endif /* TESTS_PROPAGATE_PROBLEMS_H */
