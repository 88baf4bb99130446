/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The face of the pauli module: single strings, labels, and the local store of
 * terms.
 */
#ifndef PAULIMPI_SRC_PAULI_H
#define PAULIMPI_SRC_PAULI_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "pauli/store.h"
#include "paulimpi/pauli.h"

/* Strings: n_words words of x, then as many of z. */
struct paulimpi_pauli {
    int64_t n_qubits;
    int64_t n_words;
    uint64_t *bits;
};

/** What is wrong with a label, for the sentence of the caller. */
typedef struct {
    size_t at; /* character of the label, from 0 */
    char reason[160];
} paulimpi__label_error;

/** Parse a dense or sparse label of length characters (blanks around it are
 * ignored) into bits of n_qubits qubits, which the caller has cleared.
 * PAULIMPI_ERR_SYNTAX with the reason, or 0. Sets no last error. */
int paulimpi__label_parse(const char *label, size_t length, int64_t n_qubits,
                          uint64_t *x, uint64_t *z,
                          paulimpi__label_error *error);

/** The sentence for a text that cannot be understood, "FUNCTION: character 7
 * of "TEXT": REASON", with what is around the place of a long text. Returns
 * code. */
int paulimpi__error_at(int code, const char *function, const char *text,
                       const paulimpi__label_error *error);

/** Append the label of a string to a text. */
void paulimpi__label_append(paulimpi__text *text, int64_t n_qubits,
                            const uint64_t *x, const uint64_t *z, int style);

/** The first bit set from n_qubits up in a string of words, or -1. */
int64_t paulimpi__stray_bit(int64_t n_qubits, const uint64_t *words);

#endif /* PAULIMPI_SRC_PAULI_H */
