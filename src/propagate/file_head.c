/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The head of a file of terms:
 *
 *     libpaulimpi file 1: hdf5
 *     qubits 127
 *     terms 637219
 *     bytes 25491816
 *     x 2560
 *     z 10198064
 *     coefficient 20393568
 *     state 0 0 0000000000000000
 *     fingerprint 8f0c6a2d11e7b354
 *     checksum 1b7d4c09a8e2f653
 *
 * Its checksum is that of the lines before it, as words of 8 bytes.
 */
#include "propagate/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char first_words[] = "libpaulimpi file ";

/* The checksum of a text in a buffer of 0 bytes. */
static uint64_t
checksum_of(const char text[PAULIMPI__HEAD_BYTES])
{
    uint64_t word[PAULIMPI__HEAD_BYTES / sizeof(uint64_t)];

    memcpy(word, text, sizeof word);
    paulimpi__swap_words(word, sizeof word / sizeof word[0]);
    return paulimpi__checksum(0, word, sizeof word / sizeof word[0]);
}

void
paulimpi__head_format(const paulimpi__head *head,
                      char text[PAULIMPI__HEAD_BYTES])
{
    int length;

    memset(text, 0, PAULIMPI__HEAD_BYTES);
    length = snprintf(text, PAULIMPI__HEAD_BYTES,
                      "%s%d: %s\nqubits %" PRId64 "\nterms %" PRId64
                      "\nbytes %" PRId64 "\nx %" PRId64 "\nz %" PRId64
                      "\ncoefficient %" PRId64 "\nstate %" PRId64 " %" PRId64
                      " %016" PRIx64 "\nfingerprint %016" PRIx64 "\n",
                      first_words, PAULIMPI__HEAD_VERSION,
                      head->is_hdf5 ? "hdf5" : "plain", head->n_qubits,
                      head->n_terms, head->bytes, head->x, head->z,
                      head->coefficient, head->state, head->n_state,
                      head->state_checksum, head->fingerprint);
    snprintf(text + length, (size_t)(PAULIMPI__HEAD_BYTES - length),
             "checksum %016" PRIx64 "\n", checksum_of(text));
}

/* Whether n rows of so many bytes lie in the file from a place on. */
static int
fits(const paulimpi__head *head, int64_t at, int64_t n, int64_t row_bytes)
{
    return n == 0
           || (at >= PAULIMPI__HEAD_BYTES && at <= head->bytes
               && n <= (head->bytes - at) / row_bytes);
}

const char *
paulimpi__head_parse(const char text[PAULIMPI__HEAD_BYTES], int64_t file_bytes,
                     paulimpi__head *head)
{
    char copy[PAULIMPI__HEAD_BYTES + 1];
    char kind[8] = "";
    int version = 0;
    int64_t row_bytes;

    memcpy(copy, text, PAULIMPI__HEAD_BYTES);
    copy[PAULIMPI__HEAD_BYTES] = '\0';
    *head = (paulimpi__head){ 0 };
    if (sscanf(copy, "libpaulimpi file %9d", &version) != 1) {
        return "it does not begin as a file of libpaulimpi";
    }
    if (version != PAULIMPI__HEAD_VERSION) {
        return "this version reads files of format 1 only";
    }
    sscanf(copy,
           "libpaulimpi file %9d: %7[a-z5]\nqubits %19" SCNd64
           "\nterms %19" SCNd64 "\nbytes %19" SCNd64 "\nx %19" SCNd64
           "\nz %19" SCNd64 "\ncoefficient %19" SCNd64 "\nstate %19" SCNd64
           " %19" SCNd64 " %16" SCNx64 "\nfingerprint %16" SCNx64,
           &version, kind, &head->n_qubits, &head->n_terms, &head->bytes,
           &head->x, &head->z, &head->coefficient, &head->state,
           &head->n_state, &head->state_checksum, &head->fingerprint);
    head->is_hdf5 = strcmp(kind, "hdf5") == 0;

    /* What was read, written again, is the same to the last byte. */
    paulimpi__head_format(head, copy);
    if (memcmp(copy, text, PAULIMPI__HEAD_BYTES) != 0) {
        return "its head is damaged";
    }
    if (head->bytes != file_bytes) {
        return file_bytes < head->bytes ? "it was cut off"
                                        : "it is longer than it should be";
    }
    row_bytes = paulimpi_pauli_words(head->n_qubits);
    row_bytes = row_bytes > 0 ? 8 * row_bytes : -1;
    if (row_bytes < 0 || head->n_terms < 0 || head->n_state < 0
        || !fits(head, head->x, head->n_terms, row_bytes)
        || !fits(head, head->z, head->n_terms, row_bytes)
        || !fits(head, head->coefficient, head->n_terms, 8)
        || !fits(head, head->state, head->n_state, 8)) {
        return "its head is damaged";
    }
    return NULL;
}
