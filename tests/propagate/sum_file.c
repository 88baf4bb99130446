/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums to files and back.
 */
#include <paulimpi/sum.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "tap/tap.h"

static paulimpi_context *ctx;

/* A folder of our own, and the file in it that all tests use. */
static char folder[] = "sum_file-XXXXXX";
static char path[64];

static paulimpi_sum *
make(int64_t n_qubits, const char *text)
{
    paulimpi_sum *sum;
    int rc = paulimpi_sum_create(ctx, n_qubits, &sum);

    if (rc == PAULIMPI_SUCCESS && text != NULL) {
        rc = paulimpi_sum_add_text(sum, text, 1.0);
    }
    if (rc != PAULIMPI_SUCCESS) {
        tap_bail("%s", paulimpi_last_error());
    }
    return sum;
}

/* What a sum is as text; the caller frees it. */
static char *
text_of(const paulimpi_sum *sum)
{
    char *text;

    if (paulimpi_sum_text(sum, &text) != PAULIMPI_SUCCESS) {
        tap_bail("%s", paulimpi_last_error());
    }
    return text;
}

static void
save(const char *text, size_t length)
{
    FILE *file = fopen(path, "w");

    if (file == NULL || fwrite(text, 1, length, file) != length
        || fclose(file) != 0) {
        tap_bail("%s cannot be written", path);
    }
}

static int
count_files(void)
{
    DIR *stream = opendir(folder);
    int n = 0;

    if (stream == NULL) {
        tap_bail("%s cannot be read", folder);
    }
    while (readdir(stream) != NULL) {
        n++;
    }
    closedir(stream);
    return n - 2; /* . and .. */
}

static void
test_format(void)
{
    static const char want[] = "# libpaulimpi sum 1: qubits 70, terms 3\n"
                               "-0.25 I\n"
                               "+1.0000000000000001e-05 Z2 Y69\n"
                               "+2 X0\n";
    paulimpi_sum *sum = make(70, "2 X0 + 1e-5 Y69 Z2 - 0.25");
    char *text;
    size_t length;

    tap_is_status(paulimpi_sum_write(sum, path), PAULIMPI_SUCCESS,
                  "a sum is written");
    if (paulimpi__read_file("test", path, 1000, &text, &length) != 0) {
        tap_bail("%s", paulimpi_last_error());
    }
    tap_is_text(text, want, "a header, then a term a line");
    tap_is_int(count_files(), 1, "and there is no other file");
    paulimpi_text_destroy(&text);
    paulimpi_sum_destroy(&sum);
}

static void
test_empty_sum(void)
{
    paulimpi_sum *sum = make(70, NULL);
    paulimpi_sum *again = make(70, "0.5 X0");
    char *text;

    tap_is_status(paulimpi_sum_write(sum, path), PAULIMPI_SUCCESS,
                  "an empty sum is written, over another");
    tap_is_status(paulimpi_sum_read(again, path), PAULIMPI_SUCCESS,
                  "and read");
    text = text_of(again);
    tap_is_text(text, "0.5 X0", "which adds nothing");
    paulimpi_text_destroy(&text);
    paulimpi_sum_destroy(&sum);
    paulimpi_sum_destroy(&again);
}

static void
becomes(int64_t n_qubits, const char *file, const char *want)
{
    paulimpi_sum *sum = make(n_qubits, NULL);
    char *got = NULL;

    save(file, strlen(file));
    if (paulimpi_sum_read(sum, path) == PAULIMPI_SUCCESS) {
        got = text_of(sum);
    }
    tap_is_text(got != NULL ? got : paulimpi_last_error(), want,
                "a file of %zu characters becomes %s", strlen(file), want);
    paulimpi_text_destroy(&got);
    paulimpi_sum_destroy(&sum);
}

static void
test_written_by_hand(void)
{
    becomes(3, "0.5 Z0 Z1 + X2", "1 X2 + 0.5 Z0 Z1");
    becomes(3, "# H\n0.5 Z0 Z1 # the bond\n   + X2\n", "1 X2 + 0.5 Z0 Z1");
    becomes(3, "0.5 Z0\r\n  Z1\r\n+X2\r\n", "1 X2 + 0.5 Z0 Z1");
    becomes(3, "# X0 + Y0\nZZZ#", "1 Z0 Z1 Z2");
    becomes(3, "0", "0");
    becomes(3, "# libpaulimpi sum 1: qubits 3, terms 2\r\n+1 X0\r\n+1 X0\r\n",
            "2 X0");
    becomes(3, "# libpaulimpi sum 1: qubits 3, terms 0 \n", "0");
}

static void
refused(int code, const char *file, const char *sentence)
{
    paulimpi_sum *sum = make(3, "0.5 X0");
    char *after;

    save(file, strlen(file));
    tap_is_status(paulimpi_sum_read(sum, path), code, "refused: %s", sentence);
    tap_contains(paulimpi_last_error(), "paulimpi_sum_read: sum_file-",
                 "the sentence has the name of the file");
    tap_contains(paulimpi_last_error(), sentence, "and the rest");
    after = text_of(sum);
    tap_is_text(after, "0.5 X0", "and the sum is as it was");
    paulimpi_text_destroy(&after);
    paulimpi_sum_destroy(&sum);
}

static void
test_wrong_texts(void)
{
    int code = PAULIMPI_ERR_SYNTAX;

    refused(code, "X0\n+ Q1\n", "sum:2:3: 'Q' is no Pauli letter");
    refused(code, "# +++\nX0\n\n - 2 Z1 Z7\n",
            "sum:4:10: there is no qubit 7");
    refused(code, "X0 +\n", "sum:2:1: there is no term after the last sign");
    refused(code, "0.5 # X0\n+ + X1", "sum:2:3: there is no term between");
    refused(code, "", "sum:1:1: there are no terms");
    refused(code, "# nothing\n\n", "sum:3:1: there are no terms");
    refused(code, "(1+1i) X0", "sum:1:1: coefficients are real numbers");
    refused(code, "nan X0", "sum:1:1: a coefficient must be finite");
    refused(code,
            "\x7f"
            "ELF",
            "sum:1:1: byte 0x7F is no Pauli letter");
}

static void
test_wrong_headers(void)
{
    int code = PAULIMPI_ERR_SYNTAX;

    refused(code, "# libpaulimpi sum of mine\nX0\n",
            "sum:1:19: the header has no number of its format");
    refused(code, "# libpaulimpi sum 2: qubits 3, terms 1\nX0\n",
            "sum:1:19: this version reads format 1 only");
    refused(code, "# libpaulimpi sum 1\nX0\n",
            "sum:1:20: a header says \"qubits N, terms N\"");
    refused(code, "# libpaulimpi sum 1: qubits 3, terms\nX0\n",
            "a header says \"qubits N, terms N\"");
    refused(code, "# libpaulimpi sum 1: qubits -3, terms 1\nX0\n",
            "a header says \"qubits N, terms N\"");
    refused(code, "# libpaulimpi sum 1: qubits 3, terms 1.5\nX0\n",
            "sum:1:39: a header says \"qubits N, terms N\"");
    refused(PAULIMPI_ERR_MISMATCH,
            "# libpaulimpi sum 1: qubits 4, terms 1\n+1 X3\n",
            "sum: a sum of 4 qubits, but this one has 3");
    refused(PAULIMPI_ERR_MISMATCH,
            "# libpaulimpi sum 1: qubits 99999999999999999999, terms 1\nX3\n",
            "sum: a sum of 9223372036854775807 qubits");
    refused(PAULIMPI_ERR_MISMATCH,
            "# libpaulimpi sum 1: qubits 3, terms 3\n+1 X0\n+1 X1\n",
            "sum: the header says 3 terms, but 2 follow");
    refused(PAULIMPI_ERR_MISMATCH,
            "# libpaulimpi sum 1: qubits 3, terms 0\n+1 X0\n",
            "sum: the header says 0 terms, but 1 follow");
}

/* Wherever a file is cut off, that is noticed. */
static void
test_truncated_files(void)
{
    paulimpi_sum *sum = make(300, "2 X0 Z1 - 0.25 Y299 + 1e-7 Z17");
    paulimpi_sum *again = make(300, NULL);
    size_t length, n;
    int n_read = 0;
    char *text;

    paulimpi_sum_write(sum, path);
    if (paulimpi__read_file("test", path, 1000, &text, &length) != 0) {
        tap_bail("%s", paulimpi_last_error());
    }
    /* Up to "# libpaulimpi sum" it is an ordinary comment. */
    for (n = 0; n < length; n++) {
        save(text, n);
        n_read += paulimpi_sum_read(again, path) == PAULIMPI_SUCCESS;
    }
    tap_is_int(n_read, 0, "none of %zu beginnings of a file is read", length);
    tap_is_int(paulimpi_sum_terms(again), 0, "and nothing is added");
    paulimpi_text_destroy(&text);
    paulimpi_sum_destroy(&sum);
    paulimpi_sum_destroy(&again);
}

static void
test_bytes_that_are_no_text(void)
{
    paulimpi_sum *sum = make(3, NULL);

    save("X0\0Y0", 5);
    tap_is_status(paulimpi_sum_read(sum, path), PAULIMPI_ERR_IO,
                  "a NUL byte is no text");
    tap_contains(paulimpi_last_error(), path, "and the file is named");
    paulimpi_sum_destroy(&sum);
}

static void
test_arguments(void)
{
    paulimpi_sum *sum = make(3, "X0");

    tap_is_status(paulimpi_sum_write(NULL, path), PAULIMPI_ERR_ARGUMENT,
                  "write needs a sum");
    tap_contains(paulimpi_last_error(), "paulimpi_sum_write: sum is NULL",
                 "and says so");
    tap_is_status(paulimpi_sum_write(sum, NULL), PAULIMPI_ERR_ARGUMENT,
                  "and a path");
    tap_contains(paulimpi_last_error(), "paulimpi_sum_write: path is NULL",
                 "and says so");
    tap_is_status(paulimpi_sum_read(NULL, path), PAULIMPI_ERR_ARGUMENT,
                  "read needs a sum");
    tap_contains(paulimpi_last_error(), "paulimpi_sum_read: sum is NULL",
                 "and says so");
    tap_is_status(paulimpi_sum_read(sum, NULL), PAULIMPI_ERR_ARGUMENT,
                  "and a path");
    tap_contains(paulimpi_last_error(), "paulimpi_sum_read: path is NULL",
                 "and says so");
    paulimpi_sum_destroy(&sum);
}

static void
no_file(const char *name, const char *reason)
{
    paulimpi_sum *sum = make(3, "X0");

    tap_is_status(paulimpi_sum_write(sum, name), PAULIMPI_ERR_IO,
                  "writing: %s", reason);
    tap_contains(paulimpi_last_error(), name, "the file is named");
    tap_contains(paulimpi_last_error(), reason, "and the reason");
    tap_is_status(paulimpi_sum_read(sum, name), PAULIMPI_ERR_IO, "reading: %s",
                  reason);
    tap_contains(paulimpi_last_error(), name, "the file is named");
    tap_contains(paulimpi_last_error(), reason, "and the reason");
    tap_is_int(paulimpi_sum_terms(sum), 1, "the sum is as it was");
    paulimpi_sum_destroy(&sum);
}

static void
test_files_that_are_none(void)
{
    char name[sizeof path + 300];

    save("X0", 2);
    no_file("", "No such file or directory");
    no_file(folder, "Is a directory");
    snprintf(name, sizeof name, "%s/missing/file", folder);
    no_file(name, "No such file or directory");
    snprintf(name, sizeof name, "%s/file", path);
    no_file(name, "Not a directory");
    memset(name, 'x', 299);
    name[299] = '\0';
    no_file(name, "File name too long");
    tap_is_int(count_files(), 1, "nothing is left behind");
}

static void
test_devices(void)
{
    paulimpi_sum *sum = make(3, "X0");
    struct stat status;

    if (stat("/dev/full", &status) == 0 && S_ISCHR(status.st_mode)) {
        tap_is_status(paulimpi_sum_write(sum, "/dev/full"), PAULIMPI_ERR_IO,
                      "a full device is an error");
        tap_contains(paulimpi_last_error(),
                     "paulimpi_sum_write: /dev/full: No space left",
                     "which says so");
        tap_ok(stat("/dev/full", &status) == 0 && S_ISCHR(status.st_mode),
               "and it is a device still");
    } else {
        tap_note("there is no /dev/full here");
    }
    tap_is_status(paulimpi_sum_write(sum, "/dev/null"), PAULIMPI_SUCCESS,
                  "a device is written to");
    tap_ok(stat("/dev/null", &status) == 0 && S_ISCHR(status.st_mode),
           "and not replaced");
    paulimpi_sum_destroy(&sum);
}

/* A file that cannot be replaced stays, and nothing is left beside it. */
static void
test_names_that_are_taken(void)
{
    paulimpi_sum *sum = make(3, "X0");
    char name[sizeof path + 40];
    int i, n = 0;

    for (i = 0; i < 100; i++) {
        FILE *file;

        snprintf(name, sizeof name, "%s.%ld-%d.tmp", path, (long)getpid(), i);
        file = fopen(name, "w");
        n += file != NULL;
        if (file != NULL) {
            fclose(file);
        }
        if (i == 0) {
            tap_is_status(paulimpi_sum_write(sum, path), PAULIMPI_SUCCESS,
                          "a name that is taken is passed over");
        }
    }
    save("Z2", 2);
    tap_is_status(paulimpi_sum_write(sum, path), PAULIMPI_ERR_IO,
                  "%d names that are taken are too many", n);
    tap_contains(paulimpi_last_error(), "File exists", "which says so");
    tap_is_status(paulimpi_sum_read(sum, path), PAULIMPI_SUCCESS,
                  "and the file is as it was");
    tap_is_int(paulimpi_sum_terms(sum), 2, "with its term");
    for (i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "%s.%ld-%d.tmp", path, (long)getpid(), i);
        unlink(name);
    }
    paulimpi_sum_destroy(&sum);
}

static void
test_standard_input(void)
{
    paulimpi_sum *sum = make(3, NULL);

    save("2 X0\n - ZZ Z\n", 13);
    if (freopen(path, "r", stdin) == NULL) {
        tap_bail("standard input cannot be set");
    }
    tap_is_status(paulimpi_sum_read(sum, "-"), PAULIMPI_ERR_SYNTAX,
                  "standard input is read");
    tap_contains(paulimpi_last_error(),
                 "paulimpi_sum_read: standard input:2:5: no qubit",
                 "and has a name in sentences");
    save("2 X0\n - ZZZ\n", 12);
    if (freopen(path, "r", stdin) == NULL) {
        tap_bail("standard input cannot be set");
    }
    tap_is_status(paulimpi_sum_read(sum, "-"), PAULIMPI_SUCCESS,
                  "it is read when it is right");
    tap_is_int(paulimpi_sum_terms(sum), 2, "with both terms");
    paulimpi_sum_destroy(&sum);
}

static unsigned
draw(unsigned below)
{
    static uint64_t state = 1;

    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

/* Any finite double that is not 0. */
static double
draw_coefficient(void)
{
    double value;

    do {
        uint64_t bits = (uint64_t)draw(1u << 31) << 33
                        ^ (uint64_t)draw(1u << 31) << 11 ^ draw(2048);

        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value) || value == 0);
    return value;
}

/* Strings that all differ, with as many letters as there are bits in i and
 * one letter more at the end. */
static void
test_round_trip(int64_t n_qubits, int n_terms)
{
    size_t n_words = (size_t)paulimpi_pauli_words(n_qubits);
    size_t n = (size_t)n_terms;
    uint64_t *bits = calloc(4 * n * n_words, sizeof *bits);
    double *c = calloc(2 * n, sizeof *c);
    paulimpi_sum *sum = make(n_qubits, NULL);
    paulimpi_sum *again = make(n_qubits, NULL);
    size_t key = n * n_words;
    size_t last = (size_t)n_qubits - 1;
    size_t i;

    for (i = 0; i < n; i++) {
        bits[i * n_words] = i;
        bits[key + i * n_words + last / 64] |= UINT64_C(1) << (last % 64);
        c[i] = draw_coefficient();
    }
    paulimpi_sum_add_terms(sum, n_terms, bits, bits + key, c);
    tap_is_status(paulimpi_sum_write(sum, path), PAULIMPI_SUCCESS,
                  "%d qubits: %d terms are written", (int)n_qubits, n_terms);
    tap_is_status(paulimpi_sum_read(again, path), PAULIMPI_SUCCESS,
                  "and read");
    paulimpi_sum_get_terms(sum, n_terms, bits, bits + key, c);
    paulimpi_sum_get_terms(again, n_terms, bits + 2 * key, bits + 3 * key,
                           c + n);
    tap_is_int(paulimpi_sum_terms(again), n_terms, "all of them");
    tap_ok(memcmp(bits, bits + 2 * key, 2 * key * sizeof *bits) == 0
               && memcmp(c, c + n, n * sizeof *c) == 0,
           "to the last bit");
    paulimpi_sum_destroy(&sum);
    paulimpi_sum_destroy(&again);
    free(bits);
    free(c);
}

static void
test_without_memory(void)
{
    paulimpi_sum *sum = make(130, "2 Z129 + Y64 - X0");
    paulimpi_sum *again;
    int n, rc;

    unlink(path);
    for (n = 1, rc = PAULIMPI_ERR_MEMORY; rc == PAULIMPI_ERR_MEMORY; n++) {
        paulimpi__alloc_fail_at(n);
        rc = paulimpi_sum_write(sum, path);
        paulimpi__alloc_fail_at(0);
        tap_is_int(count_files(), rc == PAULIMPI_SUCCESS,
                   "write, failure %d: a file or none", n);
    }
    tap_is_status(rc, PAULIMPI_SUCCESS, "write fails for memory only");
    for (n = 1, rc = PAULIMPI_ERR_MEMORY; rc == PAULIMPI_ERR_MEMORY; n++) {
        again = make(130, NULL);
        paulimpi__alloc_fail_at(n);
        rc = paulimpi_sum_read(again, path);
        paulimpi__alloc_fail_at(0);
        tap_is_int(paulimpi_sum_terms(again), rc == PAULIMPI_SUCCESS ? 3 : 0,
                   "read, failure %d: all or nothing", n);
        paulimpi_sum_destroy(&again);
    }
    tap_is_status(rc, PAULIMPI_SUCCESS, "read fails for memory only");
    paulimpi_sum_destroy(&sum);
}

int
main(void)
{
    static const int64_t sizes[] = { 63, 64, 65, 127, 128, 129, 300 };
    size_t i;

    if (mkdtemp(folder) == NULL) {
        tap_bail("there is no place for files here");
    }
    snprintf(path, sizeof path, "%s/sum", folder);
    if (paulimpi_context_create_serial(NULL, &ctx) != PAULIMPI_SUCCESS) {
        tap_bail("%s", paulimpi_last_error());
    }
    test_format();
    test_empty_sum();
    test_written_by_hand();
    test_wrong_texts();
    test_wrong_headers();
    test_truncated_files();
    test_bytes_that_are_no_text();
    test_arguments();
    test_files_that_are_none();
    test_devices();
    test_names_that_are_taken();
    test_standard_input();
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        test_round_trip(sizes[i], 3000);
    }
    test_round_trip(5000, 200);
    test_round_trip(1, 2);
    test_without_memory();
    paulimpi_context_destroy(&ctx);
    unlink(path);
    rmdir(folder);
    return tap_done();
}
