/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of the propagation module share.
 */
#ifndef TESTS_PROPAGATE_SUPPORT_H
#define TESTS_PROPAGATE_SUPPORT_H

#include <paulimpi.h>

#include "propagate/oracle_dictionary.h"
#include "propagate/script.h"
#include "tap/tap.h"

/* Give up unless a call that must not fail has not failed. */
void check(int rc);

/* A serial context with some threads. */
paulimpi_context *make_context(int threads);

/* A sum from text. */
paulimpi_sum *make_sum(paulimpi_context *ctx, int64_t n, const char *text);

/* A random sum of up to so many terms, each with letters on at most weight of
 * the qubits first to first + span - 1; the same one in a dictionary unless
 * that is NULL. */
paulimpi_sum *make_random_sum(paulimpi_context *ctx, int64_t n,
                              int64_t n_terms, int64_t first, int64_t span,
                              int64_t weight, dice *d, dictionary *same);

/* Sum q = 0 .. n - 1 of a letter on qubit q. */
paulimpi_sum *make_letters(paulimpi_context *ctx, int64_t n, char letter);

/* A circuit from a script; the script survives. */
paulimpi_circuit *make_circuit(const script *s);

/* Initial options with a least coefficient. */
paulimpi_propagation_options options_eps(double min_abs);

/* From now on propagate() uses this engine if the options leave the choice. */
void use_engine(int engine);
/* Propagate; give up on an error. */
void propagate(paulimpi_sum *sum, const paulimpi_circuit *circuit,
               const paulimpi_propagation_options *options,
               paulimpi_propagation_report *report);
/* The same for a script. */
void propagate_script(paulimpi_sum *sum, const script *s,
                      const paulimpi_propagation_options *options,
                      paulimpi_propagation_report *report);

/* The terms of a sum, in order. */
typedef struct {
    int64_t n;
    int64_t words;
    uint64_t *x;
    uint64_t *z;
    double *coefficient;
} term_list;
term_list terms_of(const paulimpi_sum *sum);
void term_list_free(term_list *list);
/* The dense label of term i, in a buffer that the next call writes. */
const char *term_label(const term_list *list, int64_t n_qubits, int64_t i);

/* Whether two sums have the same strings with the same bits. */
int same_bits(const paulimpi_sum *a, const paulimpi_sum *b);
/* Whether a sum is the one of a text, in all bits. */
int is_sum(paulimpi_sum *sum, const char *text);
/* Whether it has the strings of a text, with nearly its coefficients. */
int is_near_sum(paulimpi_sum *sum, const char *text, double tolerance);
/* Whether a sum has the strings of a dictionary; the largest difference of
 * coefficients relative to the larger of 1 and the coefficient. */
int has_strings(const paulimpi_sum *sum, const dictionary *d,
                double *difference_p);

double value_in(const paulimpi_sum *sum, const char *state);
double coefficient_of(const paulimpi_sum *sum, const char *label);

/* The same limits for the library and the dictionary. */
paulimpi_truncation truncation_of(const dictionary_limits *limits);

#endif /* TESTS_PROPAGATE_SUPPORT_H */
