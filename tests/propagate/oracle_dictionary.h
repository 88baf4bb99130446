/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Circuits on a plain hash map from labels to coefficients, gate by gate:
 * contributions are added first, then terms are dropped. Without any code of
 * the library.
 */
#ifndef TESTS_PROPAGATE_ORACLE_DICTIONARY_H
#define TESTS_PROPAGATE_ORACLE_DICTIONARY_H

#include "propagate/script.h"

typedef struct dictionary dictionary;

/* What to keep; DICTIONARY_KEEP_ALL keeps everything. */
typedef struct {
    double min_abs;
    int64_t max_weight;
    int64_t max_xy_weight;
    int64_t max_terms;
} dictionary_limits;
#define DICTIONARY_KEEP_ALL                                                   \
    {                                                                         \
        0.0, INT64_MAX, INT64_MAX, INT64_MAX                                  \
    }

/* What happened; of one gate where an array is given. */
typedef struct {
    int64_t gates;
    int64_t peak_terms;
    int64_t term_gates;
    double dropped_norm1;
    double dropped_square; /* the sum of c^2 of the dropped terms */
    int64_t *terms_after;  /* NULL, or room for a number a gate */
} dictionary_report;

dictionary *dictionary_create(int64_t n_qubits);
void dictionary_destroy(dictionary *d);

/* Add to the coefficient of a dense label; a sum of 0 removes it. */
void dictionary_add(dictionary *d, const char *label, double coefficient);

int64_t dictionary_terms(const dictionary *d);
double dictionary_get(const dictionary *d, const char *label);
/* Term i of dictionary_terms(), in no particular order. */
const char *dictionary_term(const dictionary *d, int64_t i,
                            double *coefficient);

void dictionary_truncate(dictionary *d, const dictionary_limits *limits,
                         dictionary_report *report);
void dictionary_heisenberg(dictionary *d, const script *circuit,
                           const dictionary_limits *limits,
                           dictionary_report *report);
void dictionary_schroedinger(dictionary *d, const script *circuit,
                             const dictionary_limits *limits,
                             dictionary_report *report);

/* The value in a product state of one of 0 1 + - r l a qubit. */
double dictionary_expectation(const dictionary *d, const char *state);

#endif /* TESTS_PROPAGATE_ORACLE_DICTIONARY_H */
