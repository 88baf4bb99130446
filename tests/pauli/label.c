/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Labels of Pauli strings: what is understood, and what is said of the rest.
 */
#include <paulimpi/pauli.h>

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "tap/tap.h"

static void
is_label(int64_t n, const char *label, int style, const char *want)
{
    paulimpi_pauli *pauli;
    char *text = NULL;

    if (paulimpi_pauli_create(n, label, &pauli) == PAULIMPI_SUCCESS) {
        paulimpi_pauli_label(pauli, style, &text);
    }
    tap_is_text(text != NULL ? text : paulimpi_last_error(), want,
                "a label of %zu characters becomes %s", strlen(label), want);
    paulimpi_text_destroy(&text);
    paulimpi_pauli_destroy(&pauli);
}

static void
refused(int64_t n, const char *label, int at, const char *reason)
{
    paulimpi_pauli *pauli;
    char place[80];

    tap_is_status(paulimpi_pauli_create(n, label, &pauli), PAULIMPI_ERR_SYNTAX,
                  "%d qubits, refused: %s", (int)n, reason);
    tap_ok(pauli == NULL, "there is no string then");
    snprintf(place, sizeof place, "paulimpi_pauli_create: character %d of \"",
             at);
    tap_contains(paulimpi_last_error(), place, "the place is told");
    tap_contains(paulimpi_last_error(), reason, "and the reason");
}

static void
test_dense(void)
{
    is_label(4, "XIZY", PAULIMPI_LABEL_SPARSE, "X0 Z2 Y3");
    is_label(4, " \tXIZY\n", PAULIMPI_LABEL_DENSE, "XIZY");
    is_label(1, "X", PAULIMPI_LABEL_SPARSE, "X0");
    is_label(1, "I", PAULIMPI_LABEL_DENSE, "I");
    is_label(3, "III", PAULIMPI_LABEL_SPARSE, "I");
    is_label(3, "I", PAULIMPI_LABEL_DENSE, "III");
    is_label(2, "I", PAULIMPI_LABEL_SPARSE, "I");
}

static void
test_sparse(void)
{
    is_label(4, "X0 Z2 Y3", PAULIMPI_LABEL_DENSE, "XIZY");
    is_label(4, "Y3  X0\t\nZ2 ", PAULIMPI_LABEL_DENSE, "XIZY");
    is_label(4, "Z003", PAULIMPI_LABEL_DENSE, "IIIZ");
    is_label(4, "I0 X1 I2", PAULIMPI_LABEL_SPARSE, "X1");
    is_label(1, "Y0", PAULIMPI_LABEL_DENSE, "Y");
    is_label(127, "Z62", PAULIMPI_LABEL_SPARSE, "Z62");
    is_label(300, "X299 Y63 Z64 X128 Y127", PAULIMPI_LABEL_SPARSE,
             "Y63 Z64 Y127 X128 X299");
    is_label(INT64_C(1000001), "X1000000", PAULIMPI_LABEL_SPARSE, "X1000000");
}

static void
test_wrong_letters(void)
{
    refused(3, "XQZ", 2, "'Q' is no Pauli letter (I, X, Y, Z)");
    refused(127, "Q3", 1, "'Q' is no Pauli letter");
    refused(3, "XyZ", 2, "letters are upper case: Y, not y");
    refused(3, "x0", 1, "letters are upper case: X, not x");
    refused(3, "i", 1, "letters are upper case: I, not i");
    refused(3, "X0 z2", 4, "letters are upper case: Z, not z");
    refused(3, "X\xc3\xa4", 2, "byte 0xC3 is no Pauli letter");
    refused(3, "X0, Z2", 3, "',' is no Pauli letter");
    refused(3, "0", 1, "a letter I, X, Y or Z must stand before the qubit");
    refused(3, "X0 2", 4, "a letter I, X, Y or Z must stand before the qubit");
    refused(3, "-X0", 1, "'-' is no Pauli letter");
}

static void
test_wrong_length(void)
{
    refused(3, "XYZX", 1, "a dense label of 4 letters for 3 qubits");
    refused(3, "XY", 1, "a dense label of 2 letters for 3 qubits");
    refused(127, "Z", 1, "a dense label of 1 letter for 127 qubits");
    refused(1, "ZZ", 1, "a dense label of 2 letters for 1 qubit (");
    refused(3, "", 1, "the label is empty");
    refused(3, " \n", 1, "the label is empty");
}

static void
test_wrong_qubits(void)
{
    refused(127, "Z127", 2,
            "there is no qubit 127: the last one of 127 is"
            " 126");
    refused(127, "X0 Z500", 5, "there is no qubit 500");
    refused(1, "Z1", 2, "there is no qubit 1: the last one of 1 is 0");
    refused(3, "Z10", 2, "there is no qubit 10");
    refused(3, "Z18446744073709551616", 2,
            "there is no qubit 18446744073709551616: ");
    refused(3, "Z184467440737095516160000000000000", 2,
            "there is no qubit 18446744073709551616...: ");
    refused(INT64_C(5000), "Z9223372036854775808", 2, "there is no qubit");
    refused(3, "X0 Z0", 4, "qubit 0 is named twice");
    refused(3, "X0 X0", 4, "qubit 0 is named twice");
    refused(3, "I2 X1 Y2", 7, "qubit 2 is named twice");
    refused(300, "X299 Y64 X299", 10, "qubit 299 is named twice");
}

static void
test_missing_blanks_and_qubits(void)
{
    refused(9, "X0Z5", 3, "a blank is needed between a qubit and the next");
    refused(9, "XY3", 2, "no qubit after the letter X");
    refused(9, "X 0", 2, "no qubit after the letter X");
    refused(4, "XI ZY", 2, "a dense label has no blanks inside");
    refused(9, "X0 Z", 5, "no qubit after the letter Z");
    refused(9, "X-1 Y2", 2, "no qubit after the letter X");
    refused(3, "X0*Z1", 3, "'*' is no Pauli letter");
}

static void
test_long_labels(void)
{
    static char label[5001];
    static char sparse[40000];
    paulimpi_pauli *pauli;
    char *text = NULL;
    size_t length = 0;
    int i;

    memset(label, 'X', 5000);
    label[4000] = 'q';
    refused(5000, label, 4001, "'q' is no Pauli letter");
    tap_contains(paulimpi_last_error(),
                 "of \"...XXXXXXXXXXXXXXXXXXXXXXXXq"
                 "XXXXXXXXXXXXXXXXXXXXXXX...\"",
                 "only what is around the place is quoted");
    label[4000] = 'Y';
    for (i = 0; i < 5000; i++) {
        length += (size_t)sprintf(sparse + length, i == 0 ? "%c%d" : " %c%d",
                                  label[i], i);
    }
    tap_is_status(paulimpi_pauli_create(5000, sparse, &pauli),
                  PAULIMPI_SUCCESS, "5000 letters can be named one by one");
    paulimpi_pauli_label(pauli, PAULIMPI_LABEL_DENSE, &text);
    tap_ok(text != NULL && strcmp(text, label) == 0, "and come out dense");
    paulimpi_text_destroy(&text);
    paulimpi_pauli_label(pauli, PAULIMPI_LABEL_SPARSE, &text);
    tap_ok(text != NULL && strcmp(text, sparse) == 0, "and sparse");
    paulimpi_text_destroy(&text);
    paulimpi_pauli_destroy(&pauli);
}

/* What is quoted of a long text begins and ends with whole characters. */
static void
test_quotes(void)
{
    char label[201];
    int i;

    for (i = 0; i < 100; i++) {
        memcpy(label + 2 * i, "\xc3\xa4", 2);
    }
    label[200] = '\0';
    refused(3, label, 1, "of \"\xc3\xa4");
    label[0] = label[1] = 'X';
    refused(3, label, 3, "byte 0xC3");
    tap_contains(paulimpi_last_error(),
                 "\xc3\xa4...\": ", "the quote ends with a whole character");
    refused(3, "X0\nQ1", 4, "of \"X0 Q1\": ");
}

int
main(void)
{
    test_dense();
    test_sparse();
    test_wrong_letters();
    test_wrong_length();
    test_wrong_qubits();
    test_missing_blanks_and_qubits();
    test_long_labels();
    test_quotes();
    return tap_done();
}
