/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Terms as text, for strings and files.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_SUM_TEXT_H
#define PAULIMPI_SRC_PROPAGATE_SUM_TEXT_H

#include <stdint.h>

#include "pauli/pauli.h"
#include "paulimpi/sum.h"

/* Terms in the arrays that paulimpi_sum_add_terms() and
 * paulimpi_sum_get_terms() know. */
typedef struct {
    const char *function; /* names the caller in sentences */
    int64_t n_qubits;
    int64_t n_words;
    int64_t n_terms;
    int64_t capacity;
    uint64_t *x, *z;
    double *coefficient;
} paulimpi__terms;

void paulimpi__terms_init(paulimpi__terms *terms, const char *function,
                          int64_t n_qubits);
/** Make room for a number of terms; PAULIMPI_ERR_MEMORY and its sentence. */
int paulimpi__terms_reserve(paulimpi__terms *terms, int64_t capacity);
/** Copy all terms of a sum, in order. */
int paulimpi__terms_get(paulimpi__terms *terms, const paulimpi_sum *sum);
void paulimpi__terms_free(paulimpi__terms *terms);

/** Append factor times the terms of a text, none of them for a text of blanks.
 * PAULIMPI_ERR_SYNTAX, or PAULIMPI_ERR_ARGUMENT where factor makes a number
 * overflow: the place and reason are in error and there is no sentence yet;
 * PAULIMPI_ERR_MEMORY and its sentence. */
int paulimpi__terms_parse(paulimpi__terms *terms, const char *text,
                          double factor, paulimpi__label_error *error);

/** Append the term i as "0.5 X0 Z5", its coefficient replaced by its absolute
 * value. */
void paulimpi__terms_append(const paulimpi__terms *terms, int64_t i,
                            paulimpi__text *text);

#endif /* PAULIMPI_SRC_PROPAGATE_SUM_TEXT_H */
