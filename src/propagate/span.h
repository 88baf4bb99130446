/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The span of a few strings over GF(2), and linear functions that vanish on
 * it.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_SPAN_H
#define PAULIMPI_SRC_PROPAGATE_SPAN_H

#include <stdint.h>

#include "base/base.h"

/** The parity of the bits that two vectors of n words have in common: the value
 * of one as a linear function at the other. */
static inline uint32_t
paulimpi__product(const uint64_t *a, const uint64_t *b, int64_t n)
{
    uint64_t odd = 0;
    int64_t w;

    for (w = 0; w < n; w++) {
        odd ^= a[w] & b[w];
    }
    return (uint32_t)paulimpi__parity(odd);
}

/** Whether two strings of 2 n_words words, x and then z, anticommute. */
static inline int
paulimpi__anticommute(const uint64_t *a, const uint64_t *b, int64_t n_words)
{
    return (int)(paulimpi__product(a, b + n_words, n_words)
                 ^ paulimpi__product(a + n_words, b, n_words));
}

/* Strings as vectors of 2 n_words words, x and then z, in reduced echelon
 * form: row i has a 1 in column pivot[i], where every other row has a 0. */
typedef struct {
    int64_t n_qubits;
    int64_t n_words;
    int64_t n_rows;
    int64_t most_rows;
    uint64_t *rows;
    int64_t *pivot;
    uint64_t *pivots; /* the same as a vector, */
    int64_t *row_of;  /* and the row of each column that is one */
    uint64_t *used;   /* bits that may be set in rows */
    uint64_t *spare;  /* one vector */
} paulimpi__span;

/** Make an empty span with room for most_rows strings that are independent.
 * 0 or PAULIMPI_ERR_MEMORY; free it in either case. */
int paulimpi__span_init(paulimpi__span *span, int64_t n_qubits,
                        int64_t most_rows);
void paulimpi__span_free(paulimpi__span *span);
void paulimpi__span_clear(paulimpi__span *span);

/** Whether a string is outside the span. */
int paulimpi__span_is_new(const paulimpi__span *span, const uint64_t *key);
/** Add a string, if it is outside; there must be room. */
void paulimpi__span_add(paulimpi__span *span, const uint64_t *key);

/** Draw number `draw` of the linear functions that are 0 on the span: the
 * parity of the bits that a key has in common with function[]. */
void paulimpi__span_draw(const paulimpi__span *span, uint64_t draw,
                         uint64_t *function);

#endif /* PAULIMPI_SRC_PROPAGATE_SPAN_H */
