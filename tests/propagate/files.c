/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files of terms, in HDF5 where the library has it and plain: what comes back,
 * and what is refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "propagate/file.h"
#include "propagate/problems.h"

static paulimpi_context *ctx;

/* A folder of our own, and the file in it that all tests use. */
static char folder[64] = "/dev/shm/paulimpi-files-XXXXXX";
static char path[80];

/* The format of the tests. */
static int is_hdf5;

static int
write_it(const paulimpi_sum *sum, const char *name)
{
    paulimpi__file file = { .function = "test",
                            .path = name,
                            .is_hdf5 = is_hdf5 };

    return paulimpi__file_write(&file, sum);
}

static char *
read_bytes(size_t *n)
{
    FILE *file = fopen(path, "r");
    struct stat status;
    char *bytes;

    if (file == NULL || fstat(fileno(file), &status) != 0) {
        tap_bail("%s cannot be read", path);
    }
    *n = (size_t)status.st_size;
    bytes = malloc(*n + 1);
    if (bytes == NULL || fread(bytes, 1, *n, file) != *n) {
        tap_bail("%s cannot be read", path);
    }
    fclose(file);
    return bytes;
}

static void
save(const char *bytes, size_t n)
{
    FILE *file = fopen(path, "w");

    if (file == NULL || fwrite(bytes, 1, n, file) != n || fclose(file) != 0) {
        tap_bail("%s cannot be written", path);
    }
}

static void
change_byte(size_t at, char byte)
{
    FILE *file = fopen(path, "r+");

    if (file == NULL || fseek(file, (long)at, SEEK_SET) != 0
        || fputc(byte, file) == EOF || fclose(file) != 0) {
        tap_bail("%s cannot be changed", path);
    }
}

/* A sum of n terms that all differ, on all words. */
static paulimpi_sum *
make_terms(int64_t n_qubits, int64_t n)
{
    size_t words = (size_t)paulimpi_pauli_words(n_qubits);
    uint64_t *key = calloc(2 * (size_t)n * words + 1, sizeof *key);
    double *c = calloc((size_t)n + 1, sizeof *c);
    paulimpi_sum *sum = make_sum(ctx, n_qubits, "0");
    uint64_t *x = key;
    uint64_t *z = key + (size_t)n * words;
    int64_t i, q;

    for (i = 0; i < n; i++) {
        for (q = 0; q < 20 && q < n_qubits; q++) {
            x[i * (int64_t)words] |= (uint64_t)(i >> q & 1) << q;
        }
        q = n_qubits - 1;
        z[i * (int64_t)words + q / 64] |= (uint64_t)(i & 1) << q % 64;
        c[i] = 1.0 / (double)(3 * i + 1);
    }
    check(paulimpi_sum_add_terms(sum, n, x, z, c));
    free(key);
    free(c);
    return sum;
}

static void
test_round_trips(void)
{
    static const struct {
        int64_t n_qubits, n_terms;
    } cases[] = { { 1, 2 },      { 5, 0 },       { 64, 63 },     { 65, 64 },
                  { 127, 1000 }, { 20, 100000 }, { 2000, 3000 }, { 70, 1 } };
    size_t i;

    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        paulimpi_sum *sum = make_terms(cases[i].n_qubits, cases[i].n_terms);
        paulimpi_sum *again = make_sum(ctx, cases[i].n_qubits, "0");

        tap_is_status(write_it(sum, path), PAULIMPI_SUCCESS,
                      "%d qubits: %d terms are written",
                      (int)cases[i].n_qubits, (int)cases[i].n_terms);
        tap_is_status(paulimpi_sum_read(again, path), PAULIMPI_SUCCESS,
                      "and read");
        tap_ok(same_bits(sum, again), "to the last bit");
        paulimpi_sum_destroy(&again);
        paulimpi_sum_destroy(&sum);
    }
}

static void
test_adding(void)
{
    paulimpi_sum *sum = make_sum(ctx, 3, "0.5 X0 - 2 Z1");
    paulimpi_sum *other = make_sum(ctx, 3, "0.25 X0 + Y2");

    check(write_it(sum, path));
    tap_is_status(paulimpi_sum_read(other, path), PAULIMPI_SUCCESS,
                  "a file is read into a sum that has terms");
    tap_ok(is_sum(other, "0.75 X0 + Y2 - 2 Z1"), "and added to it");
    paulimpi_sum_destroy(&other);
    paulimpi_sum_destroy(&sum);
}

/* Read what the file holds now. Whether that is an error that leaves the sum as
 * it was, or gives the sum that was written. */
static int
is_error_or_right(const paulimpi_sum *want, int *n_errors)
{
    paulimpi_sum *sum = make_sum(ctx, 70, "3 Y69");
    int rc = paulimpi_sum_read(sum, path);
    int is_right;

    if (rc != PAULIMPI_SUCCESS) {
        is_right = is_sum(sum, "3 Y69") && paulimpi_last_error()[0] != '\0';
        *n_errors += 1;
    } else {
        paulimpi_sum *both = make_sum(ctx, 70, "3 Y69");

        check(paulimpi_sum_add(both, want, 1.0));
        is_right = same_bits(sum, both);
        paulimpi_sum_destroy(&both);
    }
    paulimpi_sum_destroy(&sum);
    return is_right;
}

static void
test_damage(void)
{
    paulimpi_sum *sum = make_terms(70, 40);
    int n_wrong = 0;
    int n_errors = 0;
    size_t n, i;
    char *bytes;

    check(write_it(sum, path));
    bytes = read_bytes(&n);
    for (i = n - 1; i > 0; i -= i < 600 ? 1 : 7) {
        if (truncate(path, (off_t)i) != 0) {
            tap_bail("%s cannot be cut off", path);
        }
        n_wrong += !is_error_or_right(sum, &n_errors);
    }
    tap_is_int(n_wrong, 0, "wherever a file is cut off, that is noticed");
    tap_ok(n_errors > 600, "always");
    n_errors = 0;
    save(bytes, n);
    for (i = 0; i < n; i++) {
        change_byte(i, (char)(bytes[i] ^ 1 << i % 8));
        n_wrong += !is_error_or_right(sum, &n_errors);
        change_byte(i, bytes[i]);
    }
    tap_is_int(n_wrong, 0,
               "wherever a bit is another, it is noticed or has "
               "no effect");
    tap_ok(n_errors >= 512 + 40 * 40, "it is in the head and the terms");
    for (i = 0; i < 50; i++) {
        bytes[(i * 7919) % n] = (char)i;
    }
    save(bytes, n);
    tap_ok(is_error_or_right(sum, &n_errors), "a heap of bytes is no file");
    free(bytes);
    paulimpi_sum_destroy(&sum);
}

/* Refuse the file as it is now. */
static void
refused(int64_t n_qubits, int code, const char *sentence)
{
    paulimpi_sum *sum = make_sum(ctx, n_qubits, "2 X0");

    tap_is_status(paulimpi_sum_read(sum, path), code, "refused: %s", sentence);
    tap_contains(paulimpi_last_error(), path,
                 "the sentence has the name of the file");
    tap_contains(paulimpi_last_error(), sentence, "and the rest");
    tap_ok(is_sum(sum, "2 X0"), "and the sum is as it was");
    paulimpi_sum_destroy(&sum);
}

static void
test_refusals(void)
{
    static const char of_version_2[] = "libpaulimpi file 2: hdf5\nnew words\n";
    paulimpi_sum *sum = make_terms(70, 40);
    paulimpi__head head;
    char *bytes;
    size_t n;

    check(write_it(sum, path));
    refused(71, PAULIMPI_ERR_MISMATCH,
            "a sum of 70 qubits, but this one has 71");
    bytes = read_bytes(&n);
    save(bytes, n - 8);
    refused(70, PAULIMPI_ERR_IO, "it was cut off");
    save(bytes, 100);
    refused(70, PAULIMPI_ERR_IO, "its head is damaged");
    bytes[30] ^= 1;
    save(bytes, n);
    refused(70, PAULIMPI_ERR_IO, "its head is damaged");
    bytes[30] ^= 1;
    if (paulimpi__head_parse(bytes, (int64_t)n, &head) != NULL) {
        tap_bail("the head cannot be read");
    }
    bytes[head.coefficient + 9] ^= 16;
    save(bytes, n);
    refused(70, PAULIMPI_ERR_IO, "another fingerprint");
    save(of_version_2, sizeof of_version_2 - 1);
    refused(70, PAULIMPI_ERR_IO, "this version reads files of format 1 only");
    free(bytes);
    paulimpi_sum_destroy(&sum);
}

/* A head whose checksum holds, and which lies. */
static void
test_heads_that_lie(void)
{
    char text[PAULIMPI__HEAD_BYTES];
    paulimpi__head good = { .n_qubits = 3,
                            .n_terms = 2,
                            .bytes = 1000,
                            .x = 512,
                            .z = 528,
                            .coefficient = 544 };
    paulimpi__head head = good;
    paulimpi__head again;

    paulimpi__head_format(&head, text);
    tap_ok(paulimpi__head_parse(text, 1000, &again) == NULL,
           "a head is read again");
    head.n_terms = INT64_MAX / 4;
    paulimpi__head_format(&head, text);
    tap_ok(paulimpi__head_parse(text, 1000, &again) != NULL,
           "more terms than there can be are refused");
    head = good;
    head.z = 999;
    paulimpi__head_format(&head, text);
    tap_ok(paulimpi__head_parse(text, 1000, &again) != NULL,
           "so are terms behind the end");
    head.z = -8;
    paulimpi__head_format(&head, text);
    tap_ok(paulimpi__head_parse(text, 1000, &again) != NULL,
           "or before the beginning");
    head = good;
    head.n_qubits = 0;
    paulimpi__head_format(&head, text);
    tap_ok(paulimpi__head_parse(text, 1000, &again) != NULL, "and no qubits");
    head = good;
    head.n_state = 1;
    head.state = 4;
    paulimpi__head_format(&head, text);
    tap_ok(paulimpi__head_parse(text, 1000, &again) != NULL,
           "and a state in the head");
}

static void
test_places(void)
{
    paulimpi_sum *sum = make_sum(ctx, 3, "2 X0");
    char name[sizeof path + 300];

    snprintf(name, sizeof name, "%s/missing/file", folder);
    tap_is_status(write_it(sum, name), PAULIMPI_ERR_IO,
                  "a folder that is not there");
    tap_contains(paulimpi_last_error(), "No such file or directory",
                 "is the reason");
    tap_is_status(write_it(sum, folder), PAULIMPI_ERR_IO,
                  "a folder is no file");
    tap_is_status(write_it(sum, "/dev/null"), PAULIMPI_ERR_IO,
                  "nor is a device");
    tap_contains(paulimpi_last_error(), "can only hold text", "which says so");
    paulimpi_sum_destroy(&sum);
}

/* A file or none, a sum or none. */
static void
test_without_memory(void)
{
    paulimpi_sum *sum = make_terms(70, 40);
    int n_wrong = 0;
    int n, rc;

    unlink(path);
    for (n = 1, rc = PAULIMPI_ERR_MEMORY; rc != PAULIMPI_SUCCESS && n < 500;
         n++) {
        paulimpi__alloc_fail_at(n);
        rc = write_it(sum, path);
        paulimpi__alloc_fail_at(0);
        n_wrong += (access(path, R_OK) == 0) != (rc == PAULIMPI_SUCCESS);
    }
    tap_is_int(n_wrong, 0, "without memory there is no file");
    tap_is_status(rc, PAULIMPI_SUCCESS, "with it there is one");
    for (n = 1, rc = PAULIMPI_ERR_MEMORY; rc != PAULIMPI_SUCCESS && n < 500;
         n++) {
        paulimpi_sum *again = make_sum(ctx, 70, "3 Y69");

        paulimpi__alloc_fail_at(n);
        rc = paulimpi_sum_read(again, path);
        paulimpi__alloc_fail_at(0);
        n_wrong +=
            paulimpi_sum_terms(again) != (rc == PAULIMPI_SUCCESS ? 41 : 1);
        paulimpi_sum_destroy(&again);
    }
    tap_is_int(n_wrong, 0, "without memory there is no sum");
    tap_is_status(rc, PAULIMPI_SUCCESS, "with it there is one");
    paulimpi_sum_destroy(&sum);
}

/* The name chooses, the content tells. */
static void
test_names(void)
{
    static const char *const names[] = { "a.h5", "a.HDF5", "a.h5.txt", "h5" };
    static const int wants[] = { 1, 1, 0, 0 };
    paulimpi_sum *sum = make_sum(ctx, 3, "2 X0");
    char name[sizeof path + 20];
    size_t i;

    for (i = 0; i < sizeof names / sizeof names[0]; i++) {
        int wanted = wants[i] && paulimpi__format_hdf5 == NULL
                         ? PAULIMPI_ERR_UNSUPPORTED
                         : PAULIMPI_SUCCESS;

        snprintf(name, sizeof name, "%s/%s", folder, names[i]);
        tap_is_status(paulimpi_sum_write(sum, name), wanted,
                      "%s can be written if there is HDF5", names[i]);
        if (wanted == PAULIMPI_SUCCESS) {
            paulimpi_sum *again = make_sum(ctx, 3, "0");

            tap_is_int(paulimpi__file_is_ours(name), wants[i],
                       "its format is the one of its name");
            rename(name, path);
            check(paulimpi_sum_read(again, path));
            tap_ok(same_bits(sum, again), "and under another it is read too");
            paulimpi_sum_destroy(&again);
        } else {
            tap_contains(paulimpi_last_error(), "--with-hdf5",
                         "and it says what to do");
        }
    }
    paulimpi_sum_destroy(&sum);
}

int
main(void)
{
    /* In memory, where there is such a place: a disk takes long. */
    if (mkdtemp(folder) == NULL) {
        strcpy(folder, "files-XXXXXX");
        if (mkdtemp(folder) == NULL) {
            tap_bail("there is no place for files here");
        }
    }
    snprintf(path, sizeof path, "%s/terms", folder);
    ctx = make_context(1);
    for (is_hdf5 = 0; is_hdf5 <= (paulimpi__format_hdf5 != NULL); is_hdf5++) {
        tap_note(is_hdf5 ? "HDF5" : "plain");
        test_round_trips();
        test_adding();
        test_damage();
        test_refusals();
        test_places();
        test_without_memory();
    }
    test_heads_that_lie();
    test_names();
    paulimpi_context_destroy(&ctx);
    unlink(path);
    tap_ok(rmdir(folder) == 0, "no other file is left");
    return tap_done();
}
