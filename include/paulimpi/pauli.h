/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One Pauli string: labels, bits, products.
 */
#ifndef PAULIMPI_PAULI_H
#define PAULIMPI_PAULI_H

#include <stdint.h>

#include "paulimpi/export.h"
#include "paulimpi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Pauli strings
 *
 * A string is one letter I, X, Y or Z a qubit, for any number of qubits. It is
 * a Hermitian operator with the sign +1. Two ways to write one:
 *
 *     "XIZY"        dense: qubit 0 is leftmost, one letter a qubit
 *     "X0 Z2 Y3"    sparse: a letter and a qubit, separated by blanks
 *
 * "I" is the identity on any number of qubits. Letters are upper case; a qubit
 * may be named once.
 *
 * In bits, qubit q is bit q % 64 of word q / 64 of two arrays x and z of
 * paulimpi_pauli_words(n) words: I = (0,0), X = (1,0), Z = (0,1), Y = (1,1).
 * Bits from n up are 0.
 *
 * All functions are local. A string never changes once it is made.
 */
typedef struct paulimpi_pauli paulimpi_pauli;

/** How to write a label. */
enum {
    PAULIMPI_LABEL_DENSE = 0, /**< "XIZY" */
    PAULIMPI_LABEL_SPARSE = 1 /**< "X0 Z2 Y3", "I" for the identity */
};

/** Count the 64-bit words that n_qubits qubits need in x, and in z:
 * ceil(n_qubits / 64); 0 for a negative number. */
PAULIMPI_API int64_t paulimpi_pauli_words(int64_t n_qubits);

/**
 * Make a string from a label.
 *
 * @param n_qubits  from 1 up
 * @param label     dense or sparse, blanks around it ignored
 * @param pauli_p   set to the string, or to NULL on failure
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT for NULL or n_qubits < 1;
 *         PAULIMPI_ERR_SYNTAX for a letter that is none, a lower-case letter,
 *         a dense label of another length than n_qubits, a qubit from
 *         n_qubits up, a qubit named twice, nothing at all;
 *         PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_pauli_create(int64_t n_qubits, const char *label,
                                       paulimpi_pauli **pauli_p);

/**
 * Make a string from bits.
 *
 * @param x,z  paulimpi_pauli_words(n_qubits) words each
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT for NULL, n_qubits < 1, or a
 *         bit set from n_qubits up; PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_pauli_create_bits(int64_t n_qubits,
                                            const uint64_t *x,
                                            const uint64_t *z,
                                            paulimpi_pauli **pauli_p);

/** Free a string and forget it. NULL and a NULL handle are fine. */
PAULIMPI_API void paulimpi_pauli_destroy(paulimpi_pauli **pauli_p);

/** Count the qubits. @return PAULIMPI_ERR_ARGUMENT for NULL */
PAULIMPI_API int64_t paulimpi_pauli_qubits(const paulimpi_pauli *pauli);

/** Count the letters that are not I. @return PAULIMPI_ERR_ARGUMENT for NULL */
PAULIMPI_API int64_t paulimpi_pauli_weight(const paulimpi_pauli *pauli);

/** Tell the letter of a qubit: 'I', 'X', 'Y' or 'Z'.
 * @return PAULIMPI_ERR_ARGUMENT for NULL or a qubit that is not there */
PAULIMPI_API int paulimpi_pauli_letter(const paulimpi_pauli *pauli,
                                       int64_t qubit);

/**
 * Copy the bits out.
 *
 * @param x,z  paulimpi_pauli_words() words each, written whole
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT
 */
PAULIMPI_API int paulimpi_pauli_bits(const paulimpi_pauli *pauli, uint64_t *x,
                                     uint64_t *z);

/**
 * Write the label.
 *
 * @param style   PAULIMPI_LABEL_DENSE or PAULIMPI_LABEL_SPARSE
 * @param text_p  set to the label, free it with paulimpi_text_destroy(); NULL
 *                on failure
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_pauli_label(const paulimpi_pauli *pauli, int style,
                                      char **text_p);

/**
 * Tell whether two strings commute.
 *
 * They do if the number of qubits on which their letters differ and neither is
 * I is even.
 *
 * @return 1, 0, PAULIMPI_ERR_ARGUMENT, or PAULIMPI_ERR_MISMATCH if their
 *         numbers of qubits differ
 */
PAULIMPI_API int paulimpi_pauli_commute(const paulimpi_pauli *a,
                                        const paulimpi_pauli *b);

/** Tell whether two strings are the same.
 * @return 1, 0, PAULIMPI_ERR_ARGUMENT, or PAULIMPI_ERR_MISMATCH */
PAULIMPI_API int paulimpi_pauli_equal(const paulimpi_pauli *a,
                                      const paulimpi_pauli *b);

/**
 * Multiply: a b = i^phase product.
 *
 * @param product_p  set to the product, or to NULL on failure
 * @param phase_p    0, 1, 2 or 3: the product's factor is 1, i, -1, -i
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_MISMATCH,
 *         PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_pauli_multiply(const paulimpi_pauli *a,
                                         const paulimpi_pauli *b,
                                         paulimpi_pauli **product_p,
                                         int *phase_p);

#ifdef __cplusplus
}
#endif

#endif /* PAULIMPI_PAULI_H */
