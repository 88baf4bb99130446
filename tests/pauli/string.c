/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pauli strings against strings of letters that are multiplied one by one.
 */
#include <paulimpi/pauli.h>

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "tap/tap.h"

enum { MOST_QUBITS = 5000, MOST_WORDS = 79, ROUNDS = 20 };

static const int64_t sizes[] = { 1, 2, 63, 64, 65, 127, 128, 129, 300, 5000 };
enum { N_SIZES = sizeof sizes / sizeof *sizes };

/* A small generator, so that a failure can be repeated. */
static unsigned
draw(unsigned below)
{
    static uint64_t state = 1;

    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

static void
draw_letters(int64_t n, char *letters)
{
    unsigned density = 1 + draw(4);
    int64_t i;

    for (i = 0; i < n; i++) {
        letters[i] = draw(4) < density ? "IXYZ"[draw(4)] : 'I';
    }
    letters[n] = '\0';
}

static paulimpi_pauli *
make(int64_t n, const char *label)
{
    paulimpi_pauli *pauli;

    if (paulimpi_pauli_create(n, label, &pauli) != PAULIMPI_SUCCESS) {
        tap_bail("%s", paulimpi_last_error());
    }
    return pauli;
}

/* The product of two letters by the multiplication table, with the power of i
 * that stands before it. */
static char
multiply_letters(char a, char b, int *phase_p)
{
    static const struct {
        char a, b, product;
        int phase;
    } table[] = {
        { 'X', 'Y', 'Z', 1 }, { 'Y', 'Z', 'X', 1 }, { 'Z', 'X', 'Y', 1 },
        { 'Y', 'X', 'Z', 3 }, { 'Z', 'Y', 'X', 3 }, { 'X', 'Z', 'Y', 3 },
    };
    int i;

    *phase_p = 0;
    if (a == 'I' || b == 'I') {
        return a == 'I' ? b : a;
    }
    for (i = 0; i < 6; i++) {
        if (table[i].a == a && table[i].b == b) {
            *phase_p = table[i].phase;
            return table[i].product;
        }
    }
    return 'I';
}

static int
reference_product(const char *a, const char *b, char *product)
{
    int phase = 0;
    int letter_phase;
    size_t i;

    for (i = 0; a[i] != '\0'; i++) {
        product[i] = multiply_letters(a[i], b[i], &letter_phase);
        phase += letter_phase;
    }
    product[i] = '\0';
    return phase % 4;
}

static int
has_label(const paulimpi_pauli *pauli, int style, const char *want)
{
    char *text;
    int is_equal;

    if (paulimpi_pauli_label(pauli, style, &text) != PAULIMPI_SUCCESS) {
        return 0;
    }
    is_equal = strcmp(text, want) == 0;
    paulimpi_text_destroy(&text);
    return is_equal;
}

static void
test_nothing(void)
{
    paulimpi_pauli *pauli = NULL;

    paulimpi_pauli_destroy(NULL);
    paulimpi_pauli_destroy(&pauli);
    tap_ok(1, "destroying nothing is fine");
    tap_is_int(paulimpi_pauli_words(0), 0, "no qubits need no words");
    tap_is_int(paulimpi_pauli_words(-5), 0, "nor does a negative number");
    tap_is_int(paulimpi_pauli_words(1), 1, "one qubit needs one");
    tap_is_int(paulimpi_pauli_words(64), 1, "64 need one");
    tap_is_int(paulimpi_pauli_words(65), 2, "65 need two");
    tap_is_int(paulimpi_pauli_words(INT64_MAX), INT64_C(1) << 57,
               "the most qubits need 2^57");
    pauli = make(2, "XY");
    paulimpi_pauli_destroy(&pauli);
    tap_ok(pauli == NULL, "destroy forgets the handle");
}

/* A call that has to fail with ERR_ARGUMENT and a part of its sentence. */
static void
refused(int64_t got, const char *sentence)
{
    tap_is_status((int)got, PAULIMPI_ERR_ARGUMENT, "an error: %s", sentence);
    tap_contains(paulimpi_last_error(), sentence, "and its sentence");
}

static void
test_arguments_of_create(void)
{
    paulimpi_pauli *const other = make(1, "X");
    paulimpi_pauli *pauli = other;
    uint64_t bits[2] = { 0, 0 };

    refused(paulimpi_pauli_create(1, "X", NULL),
            "paulimpi_pauli_create: pauli_p is NULL");
    refused(paulimpi_pauli_create(1, NULL, &pauli),
            "paulimpi_pauli_create: label is NULL");
    tap_ok(pauli == NULL, "a handle is NULL after a failure");
    refused(paulimpi_pauli_create(0, "X", &pauli),
            "paulimpi_pauli_create: n_qubits is 0, but must be at least 1");
    refused(paulimpi_pauli_create_bits(1, bits, bits, NULL),
            "paulimpi_pauli_create_bits: pauli_p is NULL");
    refused(paulimpi_pauli_create_bits(1, NULL, bits, &pauli),
            "paulimpi_pauli_create_bits: x is NULL");
    refused(paulimpi_pauli_create_bits(1, bits, NULL, &pauli),
            "paulimpi_pauli_create_bits: z is NULL");
    refused(paulimpi_pauli_create_bits(-1, bits, bits, &pauli),
            "n_qubits is -1");
    bits[1] = 4;
    refused(paulimpi_pauli_create_bits(66, bits, bits, &pauli),
            "bit 66 of x is set, but there are 66 qubits");
    refused(paulimpi_pauli_create_bits(66, (uint64_t[]){ 0, 0 }, bits, &pauli),
            "bit 66 of z is set");
    tap_is_status(paulimpi_pauli_create_bits(67, bits, bits, &pauli),
                  PAULIMPI_SUCCESS, "bit 66 of 67 is fine");
    tap_is_int(paulimpi_pauli_letter(pauli, 66), 'Y', "and makes a Y");
    paulimpi_pauli_destroy(&pauli);
    pauli = other;
    paulimpi_pauli_destroy(&pauli);
}

static void
test_arguments_of_the_rest(void)
{
    paulimpi_pauli *pauli = make(3, "XYZ");
    paulimpi_pauli *product = pauli;
    uint64_t bits[1];
    char *text = NULL;
    int phase = 7;

    refused(paulimpi_pauli_qubits(NULL), "qubits: pauli is NULL");
    refused(paulimpi_pauli_weight(NULL), "weight: pauli is NULL");
    refused(paulimpi_pauli_letter(NULL, 0), "letter: pauli is NULL");
    refused(paulimpi_pauli_letter(pauli, -1),
            "qubit is -1, but must be from 0 to 2");
    refused(paulimpi_pauli_letter(pauli, 3), "qubit is 3");
    refused(paulimpi_pauli_bits(NULL, bits, bits), "bits: pauli is NULL");
    refused(paulimpi_pauli_bits(pauli, NULL, bits), "x is NULL");
    refused(paulimpi_pauli_bits(pauli, bits, NULL), "z is NULL");
    refused(paulimpi_pauli_label(pauli, 0, NULL), "text_p is NULL");
    refused(paulimpi_pauli_label(NULL, 0, &text), "label: pauli is NULL");
    refused(paulimpi_pauli_label(pauli, 2, &text), "style is 2");
    refused(paulimpi_pauli_commute(NULL, pauli), "commute: a is NULL");
    refused(paulimpi_pauli_commute(pauli, NULL), "commute: b is NULL");
    refused(paulimpi_pauli_equal(NULL, pauli), "equal: a is NULL");
    refused(paulimpi_pauli_equal(pauli, NULL), "equal: b is NULL");
    refused(paulimpi_pauli_multiply(pauli, pauli, NULL, &phase),
            "product_p is NULL");
    refused(paulimpi_pauli_multiply(pauli, pauli, &product, NULL),
            "phase_p is NULL");
    tap_ok(product == NULL, "no product then");
    refused(paulimpi_pauli_multiply(NULL, pauli, &product, &phase),
            "multiply: a is NULL");
    refused(paulimpi_pauli_multiply(pauli, NULL, &product, &phase),
            "multiply: b is NULL");
    tap_is_int(phase, 7, "and the phase is not touched");
    paulimpi_pauli_destroy(&pauli);
}

static void
test_mismatch(void)
{
    paulimpi_pauli *a = make(64, "X0");
    paulimpi_pauli *b = make(65, "X0");
    paulimpi_pauli *product;
    int phase;

    tap_is_status(paulimpi_pauli_commute(a, b), PAULIMPI_ERR_MISMATCH,
                  "strings on 64 and 65 qubits do not commute or not");
    tap_contains(paulimpi_last_error(),
                 "paulimpi_pauli_commute: a has 64 qubits, but b has 65",
                 "and the sentence has both numbers");
    tap_is_status(paulimpi_pauli_equal(a, b), PAULIMPI_ERR_MISMATCH,
                  "nor are they equal or not");
    tap_is_status(paulimpi_pauli_multiply(a, b, &product, &phase),
                  PAULIMPI_ERR_MISMATCH, "nor have they a product");
    tap_ok(product == NULL, "which is NULL");
    paulimpi_pauli_destroy(&a);
    paulimpi_pauli_destroy(&b);
}

static void
test_order_of_qubits(void)
{
    paulimpi_pauli *pauli = make(5, "XIZYI");
    uint64_t x, z;

    tap_is_int(paulimpi_pauli_qubits(pauli), 5, "XIZYI has five qubits");
    tap_is_int(paulimpi_pauli_weight(pauli), 3, "and three letters");
    tap_is_int(paulimpi_pauli_letter(pauli, 0), 'X', "qubit 0 is leftmost");
    tap_is_int(paulimpi_pauli_letter(pauli, 3), 'Y', "qubit 3 has the Y");
    paulimpi_pauli_bits(pauli, &x, &z);
    tap_is_int((int64_t)x, 1 + 8, "x has the bits 0 and 3");
    tap_is_int((int64_t)z, 4 + 8, "z has the bits 2 and 3");
    tap_ok(has_label(pauli, PAULIMPI_LABEL_SPARSE, "X0 Z2 Y3"),
           "the sparse label is X0 Z2 Y3");
    paulimpi_pauli_destroy(&pauli);
}

static void
test_letters_of_any_number_of_qubits(void)
{
    static char letters[MOST_QUBITS + 1];
    uint64_t x[MOST_WORDS], z[MOST_WORDS];
    int s, round;

    for (s = 0; s < N_SIZES; s++) {
        int64_t n = sizes[s];
        int64_t i, weight;
        int is_right = 1;

        for (round = 0; round < ROUNDS; round++) {
            paulimpi_pauli *pauli, *again;

            draw_letters(n, letters);
            pauli = make(n, letters);
            weight = 0;
            for (i = 0; i < n; i++) {
                weight += letters[i] != 'I';
                is_right &= paulimpi_pauli_letter(pauli, i) == letters[i];
            }
            is_right &= paulimpi_pauli_weight(pauli) == weight;
            is_right &= has_label(pauli, PAULIMPI_LABEL_DENSE, letters);
            is_right &= paulimpi_pauli_bits(pauli, x, z) == 0;
            is_right &= paulimpi_pauli_create_bits(n, x, z, &again) == 0;
            is_right &= paulimpi_pauli_equal(pauli, again) == 1;
            paulimpi_pauli_destroy(&pauli);
            paulimpi_pauli_destroy(&again);
        }
        tap_ok(is_right, "%d qubits: letters, weight, bits and label agree",
               (int)n);
    }
}

static void
test_product_against_table(void)
{
    static char a[MOST_QUBITS + 1], b[MOST_QUBITS + 1], c[MOST_QUBITS + 1];
    int s, round;

    for (s = 0; s < N_SIZES; s++) {
        int is_right = 1;
        int commutes_right = 1;

        for (round = 0; round < ROUNDS; round++) {
            paulimpi_pauli *pa, *pb, *ab, *ba;
            int phase_ab, phase_ba;

            draw_letters(sizes[s], a);
            draw_letters(sizes[s], b);
            pa = make(sizes[s], a);
            pb = make(sizes[s], b);
            is_right &= paulimpi_pauli_multiply(pa, pb, &ab, &phase_ab) == 0;
            is_right &= phase_ab == reference_product(a, b, c);
            is_right &= has_label(ab, PAULIMPI_LABEL_DENSE, c);
            is_right &= paulimpi_pauli_multiply(pb, pa, &ba, &phase_ba) == 0;
            is_right &= paulimpi_pauli_equal(ab, ba) == 1;
            commutes_right &=
                paulimpi_pauli_commute(pa, pb) == (phase_ab == phase_ba);
            paulimpi_pauli_destroy(&pa);
            paulimpi_pauli_destroy(&pb);
            paulimpi_pauli_destroy(&ab);
            paulimpi_pauli_destroy(&ba);
        }
        tap_ok(is_right, "%d qubits: products are those of the letters",
               (int)sizes[s]);
        tap_ok(commutes_right, "%d qubits: ab = ba exactly where they commute",
               (int)sizes[s]);
    }
}

static void
test_known_products(void)
{
    static const struct {
        const char *a, *b, *product;
        int phase;
    } known[] = {
        { "X", "Y", "Z", 1 },       { "Y", "X", "Z", 3 },
        { "Z", "Z", "I", 0 },       { "XX", "YY", "ZZ", 2 },
        { "XZ", "ZX", "YY", 0 },    { "YI", "IY", "YY", 0 },
        { "YYY", "XXX", "ZZZ", 1 },
    };
    paulimpi_pauli *y = make(1, "Y");
    paulimpi_pauli *z = make(1, "Z");
    paulimpi_pauli *yz, *yzy;
    int first, second;
    size_t i;

    for (i = 0; i < sizeof known / sizeof *known; i++) {
        int64_t n = (int64_t)strlen(known[i].a);
        paulimpi_pauli *a = make(n, known[i].a);
        paulimpi_pauli *b = make(n, known[i].b);
        paulimpi_pauli *product;
        int phase;

        paulimpi_pauli_multiply(a, b, &product, &phase);
        tap_ok(has_label(product, PAULIMPI_LABEL_DENSE, known[i].product)
                   && phase == known[i].phase,
               "%s times %s is i^%d %s", known[i].a, known[i].b,
               known[i].phase, known[i].product);
        paulimpi_pauli_destroy(&a);
        paulimpi_pauli_destroy(&b);
        paulimpi_pauli_destroy(&product);
    }

    paulimpi_pauli_multiply(y, z, &yz, &first);
    paulimpi_pauli_multiply(yz, y, &yzy, &second);
    tap_ok(paulimpi_pauli_equal(yzy, z) == 1 && (first + second) % 4 == 2,
           "Y Z Y is -Z");
    paulimpi_pauli_destroy(&y);
    paulimpi_pauli_destroy(&z);
    paulimpi_pauli_destroy(&yz);
    paulimpi_pauli_destroy(&yzy);
}

static void
test_equal(void)
{
    paulimpi_pauli *a = make(300, "X0 Z299");
    paulimpi_pauli *b = make(300, "X0 Y299");
    paulimpi_pauli *c = make(300, "Z299 X0");

    tap_is_int(paulimpi_pauli_equal(a, a), 1, "a string equals itself");
    tap_is_int(paulimpi_pauli_equal(a, b), 0, "and not one with a Y for a Z");
    tap_is_int(paulimpi_pauli_equal(a, c), 1,
               "and one that was written in another order");
    paulimpi_pauli_destroy(&a);
    paulimpi_pauli_destroy(&b);
    paulimpi_pauli_destroy(&c);
}

static void
test_without_memory(void)
{
    paulimpi_pauli *a = make(300, "X0 Z299");
    uint64_t bits[5] = { 0 };
    paulimpi_pauli *made;
    char *text;
    int phase, n, rc;

    for (n = 1, rc = PAULIMPI_ERR_MEMORY; rc == PAULIMPI_ERR_MEMORY; n++) {
        paulimpi__alloc_fail_at(n);
        rc = paulimpi_pauli_create(300, "X0", &made);
        tap_ok((rc == PAULIMPI_ERR_MEMORY) == (made == NULL),
               "create, failure %d: a handle or a code", n);
    }
    paulimpi_pauli_destroy(&made);
    for (n = 1, rc = PAULIMPI_ERR_MEMORY; rc == PAULIMPI_ERR_MEMORY; n++) {
        paulimpi__alloc_fail_at(n);
        rc = paulimpi_pauli_create_bits(300, bits, bits, &made);
        tap_ok((rc == PAULIMPI_ERR_MEMORY) == (made == NULL),
               "create_bits, failure %d: a handle or a code", n);
    }
    paulimpi_pauli_destroy(&made);
    for (n = 1, rc = PAULIMPI_ERR_MEMORY; rc == PAULIMPI_ERR_MEMORY; n++) {
        paulimpi__alloc_fail_at(n);
        rc = paulimpi_pauli_multiply(a, a, &made, &phase);
        tap_ok((rc == PAULIMPI_ERR_MEMORY) == (made == NULL),
               "multiply, failure %d: a handle or a code", n);
    }
    paulimpi_pauli_destroy(&made);
    for (n = 1, rc = PAULIMPI_ERR_MEMORY; rc == PAULIMPI_ERR_MEMORY; n++) {
        paulimpi__alloc_fail_at(n);
        rc = paulimpi_pauli_label(a, PAULIMPI_LABEL_DENSE, &text);
        tap_ok((rc == PAULIMPI_ERR_MEMORY) == (text == NULL),
               "label, failure %d: a text or a code", n);
    }
    paulimpi_text_destroy(&text);
    paulimpi__alloc_fail_at(1);
    tap_is_status(paulimpi_pauli_label(a, PAULIMPI_LABEL_SPARSE, &text),
                  PAULIMPI_ERR_MEMORY, "a sparse label needs memory too");
    tap_contains(paulimpi_last_error(), "no memory for the label of 300",
                 "and says so");
    paulimpi__alloc_fail_at(0);
    tap_is_status(paulimpi_pauli_create(INT64_MAX, "I", &made),
                  PAULIMPI_ERR_MEMORY, "2^63 - 1 qubits are too many");
    paulimpi_pauli_destroy(&a);
}

int
main(void)
{
    test_nothing();
    test_arguments_of_create();
    test_arguments_of_the_rest();
    test_mismatch();
    test_order_of_qubits();
    test_letters_of_any_number_of_qubits();
    test_product_against_table();
    test_known_products();
    test_equal();
    test_without_memory();
    return tap_done();
}
