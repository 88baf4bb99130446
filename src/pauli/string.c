/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Single Pauli strings: create, look at, multiply.
 */
#include <inttypes.h>
#include <string.h>

#include "pauli/pauli.h"

int64_t
paulimpi_pauli_words(int64_t n_qubits)
{
    return n_qubits > 0 ? (n_qubits - 1) / 64 + 1 : 0;
}

int64_t
paulimpi__stray_bit(int64_t n_qubits, const uint64_t *words)
{
    int64_t last = paulimpi_pauli_words(n_qubits) - 1;
    int64_t used = n_qubits - 64 * last;
    uint64_t stray = used < 64 ? words[last] >> used : 0;

    return stray == 0 ? -1 : n_qubits + __builtin_ctzll(stray);
}

static int
check(const paulimpi_pauli *pauli, const char *function, const char *argument)
{
    return paulimpi__handle_check(pauli, PAULIMPI__HANDLE_PAULI, function,
                                  argument);
}

/* Both live and on as many qubits. */
static int
check_pair(const paulimpi_pauli *a, const paulimpi_pauli *b,
           const char *function)
{
    int rc = check(a, function, "a");

    if (rc == PAULIMPI_SUCCESS) {
        rc = check(b, function, "b");
    }
    if (rc == PAULIMPI_SUCCESS && a->n_qubits != b->n_qubits) {
        rc = paulimpi__error(PAULIMPI_ERR_MISMATCH,
                             "%s: a has %" PRId64 " qubits, but b has"
                             " %" PRId64,
                             function, a->n_qubits, b->n_qubits);
    }
    return rc;
}

static int
check_qubits(int64_t n_qubits, const char *function)
{
    if (n_qubits < 1) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: n_qubits is %" PRId64
                               ", but must be at least 1",
                               function, n_qubits);
    }
    return PAULIMPI_SUCCESS;
}

static const uint64_t *
z_bits(const paulimpi_pauli *pauli)
{
    return pauli->bits + pauli->n_words;
}

/* Make the identity; the caller fills the bits in. */
static int
create(int64_t n_qubits, const char *function, paulimpi_pauli **pauli_p)
{
    int64_t n_words = paulimpi_pauli_words(n_qubits);
    paulimpi_pauli *pauli = paulimpi__alloc(1, sizeof *pauli);
    int rc;

    if (pauli == NULL) {
        return paulimpi__no_memory(function, sizeof *pauli);
    }
    *pauli = (paulimpi_pauli){ .n_qubits = n_qubits, .n_words = n_words };
    pauli->bits =
        paulimpi__alloc_zero((size_t)n_words, 2 * sizeof *pauli->bits);
    if (pauli->bits == NULL) {
        rc = paulimpi__no_memory(function,
                                 2 * sizeof *pauli->bits * (size_t)n_words);
        goto err_free;
    }
    rc = paulimpi__handle_enter(pauli, PAULIMPI__HANDLE_PAULI);
    if (rc != PAULIMPI_SUCCESS) {
        goto err_free;
    }
    *pauli_p = pauli;
    return PAULIMPI_SUCCESS;

err_free:
    paulimpi__free(pauli->bits);
    paulimpi__free(pauli);
    return rc;
}

int
paulimpi_pauli_create(int64_t n_qubits, const char *label,
                      paulimpi_pauli **pauli_p)
{
    paulimpi__label_error error;
    paulimpi_pauli *pauli;
    int rc;

    if (pauli_p == NULL) {
        return paulimpi__null("paulimpi_pauli_create", "pauli_p");
    }
    *pauli_p = NULL;
    if (label == NULL) {
        return paulimpi__null("paulimpi_pauli_create", "label");
    }
    rc = check_qubits(n_qubits, "paulimpi_pauli_create");
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = create(n_qubits, "paulimpi_pauli_create", &pauli);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = paulimpi__label_parse(label, strlen(label), n_qubits, pauli->bits,
                               pauli->bits + pauli->n_words, &error);
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi_pauli_destroy(&pauli);
        return paulimpi__error_at(rc, "paulimpi_pauli_create", label, &error);
    }
    *pauli_p = pauli;
    return PAULIMPI_SUCCESS;
}

static int
check_stray(int64_t n_qubits, const uint64_t *words, const char *function,
            const char *argument)
{
    int64_t bit = paulimpi__stray_bit(n_qubits, words);

    if (bit >= 0) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: bit %" PRId64 " of %s is set, but there"
                               " are %" PRId64 " qubits",
                               function, bit, argument, n_qubits);
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi_pauli_create_bits(int64_t n_qubits, const uint64_t *x,
                           const uint64_t *z, paulimpi_pauli **pauli_p)
{
    static const char function[] = "paulimpi_pauli_create_bits";
    paulimpi_pauli *pauli;
    size_t bytes;
    int rc;

    if (pauli_p == NULL) {
        return paulimpi__null(function, "pauli_p");
    }
    *pauli_p = NULL;
    if (x == NULL || z == NULL) {
        return paulimpi__null(function, x == NULL ? "x" : "z");
    }
    rc = check_qubits(n_qubits, function);
    if (rc == PAULIMPI_SUCCESS) {
        rc = check_stray(n_qubits, x, function, "x");
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = check_stray(n_qubits, z, function, "z");
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = create(n_qubits, function, &pauli);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    bytes = (size_t)pauli->n_words * sizeof *x;
    memcpy(pauli->bits, x, bytes);
    memcpy(pauli->bits + pauli->n_words, z, bytes);
    *pauli_p = pauli;
    return PAULIMPI_SUCCESS;
}

void
paulimpi_pauli_destroy(paulimpi_pauli **pauli_p)
{
    if (pauli_p == NULL || *pauli_p == NULL) {
        return;
    }
    /* A dead handle is forgotten, not freed again. */
    if (check(*pauli_p, "paulimpi_pauli_destroy", "pauli")
        == PAULIMPI_SUCCESS) {
        paulimpi__handle_leave(*pauli_p);
        paulimpi__free((*pauli_p)->bits);
        paulimpi__free(*pauli_p);
    }
    *pauli_p = NULL;
}

int64_t
paulimpi_pauli_qubits(const paulimpi_pauli *pauli)
{
    int rc = check(pauli, "paulimpi_pauli_qubits", "pauli");

    return rc != PAULIMPI_SUCCESS ? rc : pauli->n_qubits;
}

int64_t
paulimpi_pauli_weight(const paulimpi_pauli *pauli)
{
    int rc = check(pauli, "paulimpi_pauli_weight", "pauli");
    int64_t weight = 0;
    int64_t i;

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    for (i = 0; i < pauli->n_words; i++) {
        weight += paulimpi__popcount(pauli->bits[i] | z_bits(pauli)[i]);
    }
    return weight;
}

int
paulimpi_pauli_letter(const paulimpi_pauli *pauli, int64_t qubit)
{
    int rc = check(pauli, "paulimpi_pauli_letter", "pauli");
    uint64_t x, z;

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (qubit < 0 || qubit >= pauli->n_qubits) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "paulimpi_pauli_letter: qubit is %" PRId64
                               ", but must be from 0 to %" PRId64,
                               qubit, pauli->n_qubits - 1);
    }
    x = pauli->bits[qubit / 64] >> (qubit % 64) & 1;
    z = z_bits(pauli)[qubit / 64] >> (qubit % 64) & 1;
    return "IXZY"[x + 2 * z];
}

int
paulimpi_pauli_bits(const paulimpi_pauli *pauli, uint64_t *x, uint64_t *z)
{
    int rc = check(pauli, "paulimpi_pauli_bits", "pauli");
    size_t bytes;

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (x == NULL || z == NULL) {
        return paulimpi__null("paulimpi_pauli_bits", x == NULL ? "x" : "z");
    }
    bytes = (size_t)pauli->n_words * sizeof *x;
    memcpy(x, pauli->bits, bytes);
    memcpy(z, z_bits(pauli), bytes);
    return PAULIMPI_SUCCESS;
}

int
paulimpi_pauli_label(const paulimpi_pauli *pauli, int style, char **text_p)
{
    paulimpi__text text = PAULIMPI__TEXT_INIT;
    int rc;

    if (text_p == NULL) {
        return paulimpi__null("paulimpi_pauli_label", "text_p");
    }
    *text_p = NULL;
    rc = check(pauli, "paulimpi_pauli_label", "pauli");
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (style != PAULIMPI_LABEL_DENSE && style != PAULIMPI_LABEL_SPARSE) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "paulimpi_pauli_label: style is %d, but must be"
                               " PAULIMPI_LABEL_DENSE or"
                               " PAULIMPI_LABEL_SPARSE",
                               style);
    }
    paulimpi__label_append(&text, pauli->n_qubits, pauli->bits, z_bits(pauli),
                           style);
    *text_p = paulimpi__text_take(&text);
    if (*text_p == NULL) {
        return paulimpi__error(PAULIMPI_ERR_MEMORY,
                               "paulimpi_pauli_label: no memory for the label"
                               " of %" PRId64 " qubits",
                               pauli->n_qubits);
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi_pauli_commute(const paulimpi_pauli *a, const paulimpi_pauli *b)
{
    int rc = check_pair(a, b, "paulimpi_pauli_commute");
    uint64_t differ = 0;
    int64_t i;

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    /* Only the parity of the number of anticommuting qubits counts, so that
     * the words may be folded together first. */
    for (i = 0; i < a->n_words; i++) {
        differ ^= (a->bits[i] & z_bits(b)[i]) ^ (z_bits(a)[i] & b->bits[i]);
    }
    return !paulimpi__parity(differ);
}

int
paulimpi_pauli_equal(const paulimpi_pauli *a, const paulimpi_pauli *b)
{
    int rc = check_pair(a, b, "paulimpi_pauli_equal");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    return memcmp(a->bits, b->bits, 2 * (size_t)a->n_words * sizeof *a->bits)
           == 0;
}

/* Fill the product's bits in and return the phase.
 *
 * A string is i^y X^x Z^z, where y counts its letters Y. In a b the Z of a
 * pass the X of b, which gives -1 for each qubit that has both. */
static int
multiply(const paulimpi_pauli *a, const paulimpi_pauli *b,
         paulimpi_pauli *product)
{
    unsigned phase = 0; /* wraps around a multiple of 4 */
    int64_t i;

    for (i = 0; i < a->n_words; i++) {
        uint64_t x = a->bits[i] ^ b->bits[i];
        uint64_t z = z_bits(a)[i] ^ z_bits(b)[i];

        phase += (unsigned)paulimpi__popcount(a->bits[i] & z_bits(a)[i]);
        phase += (unsigned)paulimpi__popcount(b->bits[i] & z_bits(b)[i]);
        phase += 2 * (unsigned)paulimpi__popcount(z_bits(a)[i] & b->bits[i]);
        phase -= (unsigned)paulimpi__popcount(x & z);
        product->bits[i] = x;
        product->bits[product->n_words + i] = z;
    }
    return (int)(phase % 4);
}

int
paulimpi_pauli_multiply(const paulimpi_pauli *a, const paulimpi_pauli *b,
                        paulimpi_pauli **product_p, int *phase_p)
{
    int rc;

    if (product_p == NULL) {
        return paulimpi__null("paulimpi_pauli_multiply", "product_p");
    }
    *product_p = NULL;
    if (phase_p == NULL) {
        return paulimpi__null("paulimpi_pauli_multiply", "phase_p");
    }
    rc = check_pair(a, b, "paulimpi_pauli_multiply");
    if (rc == PAULIMPI_SUCCESS) {
        rc = create(a->n_qubits, "paulimpi_pauli_multiply", product_p);
    }
    if (rc == PAULIMPI_SUCCESS) {
        *phase_p = multiply(a, b, *product_p);
    }
    return rc;
}
