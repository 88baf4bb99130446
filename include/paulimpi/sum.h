/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums of Pauli strings with real coefficients.
 */
#ifndef PAULIMPI_SUM_H
#define PAULIMPI_SUM_H

#include <stddef.h>
#include <stdint.h>

#include "paulimpi/context.h"
#include "paulimpi/export.h"
#include "paulimpi/pauli.h"
#include "paulimpi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Sums
 *
 * A sum holds each string once: what is added to a string that is there is
 * added to its coefficient, and a coefficient that becomes 0 is removed.
 *
 *     paulimpi_sum *sum;
 *     double value;
 *
 *     paulimpi_sum_create(ctx, 3, &sum);
 *     paulimpi_sum_add_text(sum, "0.5 Z0 Z1 + X2 - 1e-3 Y0", 1.0);
 *     paulimpi_sum_expectation_product(sum, "0", &value);     // 0.5
 *     paulimpi_sum_destroy(&sum);
 *
 * Coefficients are doubles; a text with a complex number is refused. Results
 * that add up many terms (norms, expectation values, overlaps) are exact sums
 * rounded once, so their bits do not depend on the order of the terms.
 *
 * On a context of several ranks each string is on one of them, which the
 * library chooses, and every term goes there when it is added. Results have the
 * same bits on any number of ranks. Collective functions are called by all
 * ranks of the context, with the same arguments but where it is said otherwise:
 * what is added, a factor and a policy are compared, and a difference is
 * PAULIMPI_ERR_MISMATCH; what is read out (a state, a label) is compared if
 * PAULIMPI_CHECK=collective. They fail on all ranks or on none, and leave the
 * sum as it was if they fail: PAULIMPI_ERR_REMOTE is an error on another rank,
 * whose number is in the sentence.
 *
 * A sum may be used by one thread at a time.
 */
typedef struct paulimpi_sum paulimpi_sum;

/** How max_terms terms are chosen. */
enum {
    /** Those of largest |coefficient|. Terms that tie at the cut are all
     * dropped, so that the result does not depend on any order and may be
     * smaller. */
    PAULIMPI_KEEP_LARGEST = 0,

    /** The same, but exactly max_terms: of those that tie at the cut the first
     * ones by dense label ("I" < "X" < "Y" < "Z", qubit 0 first) stay. */
    PAULIMPI_KEEP_FIRST = 1,

    /** The largest, roughly, which takes one round over the ranks and the terms
     * instead of six: terms tie, as above, whose |coefficient| is in the same
     * sixteenth of an octave, or below 2^-96, or from 2^32 up. */
    PAULIMPI_KEEP_ROUGHLY = 2,

    /** A random choice in which each coefficient keeps its expectation value
     * (priority sampling): large ones stay as they are, of the small ones some
     * are dropped and the others enlarged. What is dropped is then no bound of
     * the error. The seed makes the choice, the same one on any number of
     * ranks. */
    PAULIMPI_KEEP_RANDOM = 3
};

/** Which terms to keep. Start from PAULIMPI_TRUNCATION_INIT.
 *
 * Terms are tested after all contributions to a string have been added, in the
 * order of the fields. */
typedef struct {
    size_t size; /**< of this struct */

    /** Drop terms with |coefficient| < min_abs; one that is equal is kept.
     * 0 (initial): drop nothing. Negative or not a number: an error. */
    double min_abs;

    /** Drop strings with more letters other than I than this. Initially
     * PAULIMPI_UNLIMITED; 0 keeps only the identity; negative: an error. */
    int64_t max_weight;

    /** Drop strings with more letters X or Y than this; as max_weight. */
    int64_t max_xy_weight;

    /** Keep so many terms at most, which choice chooses. Initially
     * PAULIMPI_UNLIMITED; 0 drops everything; negative: an error. */
    int64_t max_terms;

    int choice;   /**< initially PAULIMPI_KEEP_LARGEST */
    int64_t seed; /**< of PAULIMPI_KEEP_RANDOM, initially 0 */
} paulimpi_truncation;

#define PAULIMPI_TRUNCATION_INIT                                              \
    {                                                                         \
        sizeof(paulimpi_truncation), 0.0, PAULIMPI_UNLIMITED,                 \
            PAULIMPI_UNLIMITED, PAULIMPI_UNLIMITED, PAULIMPI_KEEP_LARGEST, 0  \
    }

/**
 * Make an empty sum. Collective.
 *
 * @param n_qubits  from 1 up
 * @param sum_p     set to the sum, or to NULL on failure
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_RANGE if
 *         n_qubits is too large for the address space,
 *         PAULIMPI_ERR_MISMATCH if the ranks want other numbers of qubits,
 *         PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_sum_create(paulimpi_context *ctx, int64_t n_qubits,
                                     paulimpi_sum **sum_p);

/**
 * Make a copy of a sum, on the same context. Collective.
 *
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_sum_copy(const paulimpi_sum *sum,
                                   paulimpi_sum **copy_p);

/** Free a sum and forget it. Collective. NULL and a NULL handle are fine. */
PAULIMPI_API void paulimpi_sum_destroy(paulimpi_sum **sum_p);

/** Count the qubits. Local. @return PAULIMPI_ERR_ARGUMENT for NULL */
PAULIMPI_API int64_t paulimpi_sum_qubits(const paulimpi_sum *sum);

/** Count the terms of all ranks. Local. @return PAULIMPI_ERR_ARGUMENT for NULL
 */
PAULIMPI_API int64_t paulimpi_sum_terms(const paulimpi_sum *sum);

/** Count the terms that are on this rank. Local.
 * @return PAULIMPI_ERR_ARGUMENT for NULL */
PAULIMPI_API int64_t paulimpi_sum_local_terms(const paulimpi_sum *sum);

/**
 * Add factor times a sum that is written as text. Collective.
 *
 * The text is a list of terms joined by + and -, each a number (1 if it is
 * left out), then a label as in paulimpi/pauli.h; an optional * may stand
 * between number and label, and a number alone is a multiple of the identity:
 *
 *     0.5 Z0 Z1 + X3 - 1e-3 Y2 + 2*XIIZ - 4
 *
 * @param text    numbers are decimal, finite and real
 * @param factor  finite
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT; PAULIMPI_ERR_SYNTAX with
 *         the place in the text (character, from 1) and the reason;
 *         PAULIMPI_ERR_MISMATCH if the ranks give different terms;
 *         PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_sum_add_text(paulimpi_sum *sum, const char *text,
                                       double factor);

/**
 * Add coefficient times a string. Collective.
 *
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT for NULL or a coefficient
 *         that is not finite; PAULIMPI_ERR_MISMATCH if the numbers of qubits
 *         differ, or what the ranks give; PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_sum_add_pauli(paulimpi_sum *sum,
                                        const paulimpi_pauli *pauli,
                                        double coefficient);

/**
 * Add n terms from arrays, which are the same on all ranks. Collective.
 *
 * Terms with the same string are added to each other in the order in which
 * they stand.
 *
 * @param n            terms, from 0 up
 * @param x,z          n times paulimpi_pauli_words() words, a term after the
 *                     other, as in paulimpi/pauli.h
 * @param coefficient  n finite numbers
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT, also for a bit set from the
 *         number of qubits up; PAULIMPI_ERR_MISMATCH if the ranks give
 *         different terms; PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_sum_add_terms(paulimpi_sum *sum, int64_t n,
                                        const uint64_t *x, const uint64_t *z,
                                        const double *coefficient);

/**
 * Add terms of which each rank brings some, as in paulimpi_sum_add_terms(), to
 * the ranks where their strings are. Collective.
 *
 * Any rank may bring any strings, or none. Terms with the same string are added
 * to each other in the order of the ranks, on each in the order in which they
 * stand.
 *
 * @param n            terms of this rank, from 0 up
 * @param x,z          n times paulimpi_pauli_words() words
 * @param coefficient  n finite numbers
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT, also for a bit set from the
 *         number of qubits up; PAULIMPI_ERR_MEMORY; PAULIMPI_ERR_MPI
 */
PAULIMPI_API int paulimpi_sum_add_local_terms(paulimpi_sum *sum, int64_t n,
                                              const uint64_t *x,
                                              const uint64_t *z,
                                              const double *coefficient);

/**
 * Add factor times another sum on the same context; it may be the same sum.
 * Collective.
 *
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_MISMATCH,
 *         PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_sum_add(paulimpi_sum *sum, const paulimpi_sum *other,
                                  double factor);

/**
 * Multiply all coefficients by a finite factor; 0 empties the sum.
 * Collective.
 *
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_RANGE if a
 *         coefficient would pass the largest double
 */
PAULIMPI_API int paulimpi_sum_scale(paulimpi_sum *sum, double factor);

/**
 * Drop terms by a policy. Collective.
 *
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT; PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_sum_truncate(paulimpi_sum *sum,
                                       const paulimpi_truncation *truncation);

/**
 * Look a coefficient up by label; 0 if the string is not in the sum.
 * Collective.
 *
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_SYNTAX,
 *         PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_sum_coefficient(const paulimpi_sum *sum,
                                          const char *label,
                                          double *coefficient_p);

/** The coefficient of the identity, which is the trace over 2^n. Collective.
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_MEMORY */
PAULIMPI_API int paulimpi_sum_identity(const paulimpi_sum *sum,
                                       double *coefficient_p);

/** A place in a sum; all zero before the first term. */
typedef struct {
    int64_t bucket;
    int64_t term;
} paulimpi_sum_position;

/**
 * Walk over the terms that are on this rank, in no particular order. Local.
 *
 *     paulimpi_sum_position place = { 0, 0 };
 *
 *     while (paulimpi_sum_next(sum, &place, x, z, &coefficient) == 1) {
 *         ...
 *     }
 *
 * The sum must not change meanwhile.
 *
 * @param x,z  paulimpi_pauli_words() words each; both may be NULL
 * @return 1 if there was a term, 0 at the end, PAULIMPI_ERR_ARGUMENT
 */
PAULIMPI_API int paulimpi_sum_next(const paulimpi_sum *sum,
                                   paulimpi_sum_position *position,
                                   uint64_t *x, uint64_t *z,
                                   double *coefficient_p);

/**
 * Copy the terms of all ranks out on every rank, in order of their dense labels
 * ("I" < "X" < "Y" < "Z", qubit 0 first). Collective.
 *
 * @param n    room in the arrays, in terms; at least paulimpi_sum_terms()
 * @param x,z  n times paulimpi_pauli_words() words
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_sum_get_terms(const paulimpi_sum *sum, int64_t n,
                                        uint64_t *x, uint64_t *z,
                                        double *coefficient);

/**
 * The 1-norm, sum of |c|. Collective.
 *
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT
 */
PAULIMPI_API int paulimpi_sum_norm1(const paulimpi_sum *sum, double *norm_p);

/**
 * The 2-norm, square root of the sum of c^2, each square rounded once: the
 * Frobenius norm over 2^(n/2). Collective.
 *
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT
 */
PAULIMPI_API int paulimpi_sum_norm2(const paulimpi_sum *sum, double *norm_p);

/**
 * The expectation value in a product state. Collective.
 *
 * @param state  one of 0 1 + - r l for every qubit, leftmost qubit 0, or a
 *               single one for all: eigenstates of Z (0: +1, 1: -1), of X
 *               (+, -) and of Y (r: +1, l: -1)
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT; PAULIMPI_ERR_SYNTAX for
 *         another letter or length; PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_sum_expectation_product(const paulimpi_sum *sum,
                                                  const char *state,
                                                  double *value_p);

/**
 * The expectation value in a computational basis state. Collective.
 *
 * @param ones  paulimpi_pauli_words() words: bit q is the state of qubit q
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT, also for a bit set from the
 *         number of qubits up; PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_sum_expectation_basis(const paulimpi_sum *sum,
                                                const uint64_t *ones,
                                                double *value_p);

/**
 * The overlap of two sums: sum over strings of a's times b's coefficient,
 * which is trace(A B) / 2^n. Each product is rounded once. Collective.
 *
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_MISMATCH,
 *         PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_sum_overlap(const paulimpi_sum *a,
                                      const paulimpi_sum *b, double *value_p);

/**
 * Count terms by weight. Collective.
 *
 * @param n        room in both arrays, at least qubits + 1
 * @param count    count[w]: terms of weight w; the rest is set to 0
 * @param square   square[w]: sum of their c^2; may be NULL, on some ranks, too
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_sum_weight_histogram(const paulimpi_sum *sum,
                                               int64_t n, int64_t *count,
                                               double *square);

/**
 * Write the sum as text that paulimpi_sum_add_text() reads: terms in the order
 * of paulimpi_sum_get_terms(), coefficients with 17 digits, sparse labels; "0"
 * if there are none. Collective.
 *
 * @param text_p  set to the text, free it with paulimpi_text_destroy(); NULL
 *                on failure
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_sum_text(const paulimpi_sum *sum, char **text_p);

/**
 * Write a file. Collective. It appears whole or not at all: it is written
 * under another name beside it, brought to the disk, and renamed.
 *
 * A name that ends in .h5 or .hdf5 becomes an HDF5 file with the datasets x and
 * z (terms by words) and coefficient; all ranks write to it at once if the
 * library of HDF5 can do that. Any other becomes a text, one term a line, with
 * a header that holds the number of qubits and of terms.
 *
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_IO,
 *         PAULIMPI_ERR_MEMORY, PAULIMPI_ERR_UNSUPPORTED for HDF5 from a library
 *         that was built without it
 */
PAULIMPI_API int paulimpi_sum_write(const paulimpi_sum *sum, const char *path);

/**
 * Add the terms of a file: one that paulimpi_sum_write() made, the checkpoint
 * of a propagation, or any text of paulimpi_sum_add_text() with line breaks as
 * blanks and comments from # to the end of the line. Collective. The content
 * tells which of them it is, not the name. HDF5 is not needed to read what it
 * wrote: the file says where the terms lie, and each rank reads a part.
 *
 * @param path  "-" is standard input, of rank 0
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_IO,
 *         PAULIMPI_ERR_SYNTAX with line and column, PAULIMPI_ERR_MISMATCH for
 *         a header with another number of qubits or of terms than follow,
 *         PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_sum_read(paulimpi_sum *sum, const char *path);

#ifdef __cplusplus
}
#endif

#endif /* PAULIMPI_SUM_H */
