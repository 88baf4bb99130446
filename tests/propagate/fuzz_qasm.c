/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Mutated OpenQASM texts: each one is read, or refused with a code and a
 * sentence. The mutations are seeded, so that a failure can be repeated; there
 * are more of them if PAULIMPI_FUZZ_ROUNDS says so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paulimpi/circuit.h"
#include "tap/tap.h"

enum { ROUNDS = 3000, MOST_TEXT = 1 << 13, MOST_MUTATIONS = 3 };

static const char *const names[] = {
    "adder.qasm",       "broadcast.qasm", "exported.qasm",
    "expressions.qasm", "included.inc",   "including.qasm",
};
enum { N_NAMES = sizeof names / sizeof names[0] };

/* What a blind change of bytes would seldom hit. */
static const char *const pieces[] = {
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "->",
    "^",
    "/",
    "-",
    "*",
    "//",
    "/*",
    "\"",
    "pi",
    "sin(",
    "q",
    "[0]",
    "[99]",
    "0",
    "1e99",
    "1e999",
    "gate ",
    "opaque ",
    "qreg ",
    "creg ",
    "measure ",
    "barrier ",
    "if(c==1)",
    "reset ",
    "U(0,0,0) ",
    "CX ",
    "include \"qelib1.inc\";",
    "OPENQASM 2.0;",
    "c4x ",
    "rz(",
    "id ",
    "\n",
    "\xff",
};
enum { N_PIECES = sizeof pieces / sizeof pieces[0] };

typedef struct {
    char data[MOST_TEXT];
    size_t length;
} text;

static uint64_t state;

/* SplitMix64. */
static size_t
draw(size_t below)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (size_t)((z ^ z >> 31) % below);
}

static void
load(const char *name, text *t)
{
    const char *source = getenv("srcdir");
    char path[1024];
    FILE *file;

    snprintf(path, sizeof path, "%s/tests/data/qasm/%s",
             source == NULL ? "." : source, name);
    file = fopen(path, "r");
    if (file == NULL) {
        tap_bail("%s cannot be opened", path);
    }
    t->length = fread(t->data, 1, MOST_TEXT / 2, file);
    t->data[t->length] = '\0';
    fclose(file);
}

static void delete (text *t, size_t at, size_t n)
{
    memmove(t->data + at, t->data + at + n, t->length - at - n + 1);
    t->length -= n;
}

static void
insert(text *t, size_t at, const char *piece, size_t n)
{
    if (t->length + n < MOST_TEXT) {
        memmove(t->data + at + n, t->data + at, t->length - at + 1);
        memcpy(t->data + at, piece, n);
        t->length += n;
    }
}

/* Take out a piece and put it in elsewhere, perhaps without taking it out. */
static void
move(text *t, int is_copy)
{
    char piece[64];
    size_t at = draw(t->length);
    size_t n = 1 + draw(sizeof piece - 1);

    n = n < t->length - at ? n : t->length - at;
    memcpy(piece, t->data + at, n);
    if (!is_copy) {
        delete (t, at, n);
    }
    insert(t, draw(t->length + 1), piece, n);
}

static void
mutate(text *t)
{
    size_t at = draw(t->length + 1);
    const char *piece = pieces[draw(N_PIECES)];

    if (t->length < 2) {
        return;
    }
    switch (draw(7)) {
    case 0:
        at = draw(t->length);
        t->data[at] = (char)(t->data[at] ^ 1 << draw(8));
        break;
    case 1:
        t->data[draw(t->length)] = (char)(1 + draw(255));
        break;
    case 2:
        delete (t, at, draw(t->length - at + 1) % 20);
        break;
    case 3:
        insert(t, at, piece, strlen(piece));
        break;
    case 4:
        move(t, 0);
        break;
    case 5:
        move(t, 1);
        break;
    default:
        /* Cut off the end, but not too often. */
        if (draw(4) == 0) {
            delete (t, at, t->length - at);
        }
        break;
    }
    /* A flipped byte may have become the end. */
    t->length = strlen(t->data);
}

/* Whether the reader does what it promises for any text. */
static int
holds(const text *t, long *n_read)
{
    paulimpi_circuit *circuit = NULL;
    int rc = paulimpi_circuit_parse(t->data, "mutant", &circuit);
    int is_right;

    if (rc == PAULIMPI_SUCCESS) {
        *n_read += 1;
        is_right = circuit != NULL && paulimpi_circuit_qubits(circuit) > 0;
    } else {
        is_right =
            circuit == NULL
            && (rc == PAULIMPI_ERR_SYNTAX || rc == PAULIMPI_ERR_UNSUPPORTED
                || rc == PAULIMPI_ERR_IO)
            && strncmp(paulimpi_last_error(), "mutant:", 7) == 0;
    }
    if (!is_right) {
        tap_note("%s: %s", paulimpi_error_name(rc), paulimpi_last_error());
        tap_note("%s", t->data);
    }
    paulimpi_circuit_destroy(&circuit);
    return is_right;
}

int
main(void)
{
    const char *wish = getenv("PAULIMPI_FUZZ_ROUNDS");
    long n_rounds = wish == NULL ? ROUNDS : strtol(wish, NULL, 10);
    static text originals[N_NAMES];
    static text mutant;
    long round, n_read = 0, n_wrong = 0;
    size_t i;

    for (i = 0; i < N_NAMES; i++) {
        load(names[i], &originals[i]);
    }
    for (round = 0; round < n_rounds; round++) {
        state = (uint64_t)round;
        mutant = originals[draw(N_NAMES)];
        for (i = draw(MOST_MUTATIONS) + 1; i > 0; i--) {
            mutate(&mutant);
        }
        n_wrong += !holds(&mutant, &n_read);
    }
    tap_is_int(n_wrong, 0, "%ld mutated texts are read or refused", n_rounds);
    tap_ok(n_read > 0 && n_read < n_rounds, "some of them each (%ld read)",
           n_read);
    return tap_done();
}
