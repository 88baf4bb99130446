/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums as files:
 *
 *     # libpaulimpi sum 1: qubits 127, terms 2
 *     +0.5 Z0 Z1
 *     -0.001 Y2
 *
 * Without its first line it is a text of paulimpi_sum_add_text().
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "propagate/sum_text.h"

static const char header_begin[] = "# libpaulimpi sum ";

/* Writing. */

enum {
    FLUSH_BYTES = 1 << 16, /* gather as much before each write */
    NAME_TRIES = 100       /* names that a crash may have left behind */
};

/* A file that is being written. */
typedef struct {
    const char *path; /* for sentences */
    char *name;       /* the file beside it, or NULL if path is written to */
    int fd;
    paulimpi__text text; /* not yet written */
} output;

/* The sentence for errno. */
static int
fail_write(const output *out)
{
    return paulimpi__error(PAULIMPI_ERR_IO, "paulimpi_sum_write: %s: %s",
                           out->path, strerror(errno));
}

static int
fail_memory(const output *out)
{
    return paulimpi__error(PAULIMPI_ERR_MEMORY,
                           "paulimpi_sum_write: %s: no memory for the text",
                           out->path);
}

/* Create a file beside the path, under a name that is not taken. */
static int
open_beside(output *out)
{
    int i;

    for (i = 0; i < NAME_TRIES; i++) {
        paulimpi__text name = PAULIMPI__TEXT_INIT;

        paulimpi__text_append(&name, "%s.%ld-%d.tmp", out->path,
                              (long)getpid(), i);
        out->name = paulimpi__text_take(&name);
        if (out->name == NULL) {
            return fail_memory(out);
        }
        out->fd =
            open(out->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (out->fd >= 0) {
            return PAULIMPI_SUCCESS;
        }
        paulimpi__free(out->name);
        out->name = NULL;
        if (errno != EEXIST) {
            break;
        }
    }
    return fail_write(out);
}

/* A device or a pipe is written to; renaming would put a file in its place. */
static int
open_output(output *out, const char *path)
{
    struct stat status;

    *out = (output){ .path = path, .fd = -1, .text = PAULIMPI__TEXT_INIT };
    if (stat(path, &status) != 0 || S_ISREG(status.st_mode)) {
        return open_beside(out);
    }
    out->fd = open(path, O_WRONLY | O_CLOEXEC);
    return out->fd >= 0 ? PAULIMPI_SUCCESS : fail_write(out);
}

static int
flush(output *out)
{
    size_t done = 0;

    if (out->text.length == SIZE_MAX) {
        return fail_memory(out);
    }
    while (done < out->text.length) {
        ssize_t n =
            write(out->fd, out->text.data + done, out->text.length - done);

        if (n < 0 && errno != EINTR) {
            return fail_write(out);
        }
        done += n > 0 ? (size_t)n : 0;
    }
    out->text.length = 0;
    return PAULIMPI_SUCCESS;
}

static int
write_terms(output *out, const paulimpi__terms *terms)
{
    int rc = PAULIMPI_SUCCESS;
    int64_t i;

    paulimpi__text_append(&out->text,
                          "%s1: qubits %" PRId64 ", terms %" PRId64 "\n",
                          header_begin, terms->n_qubits, terms->n_terms);
    for (i = 0; i < terms->n_terms && rc == PAULIMPI_SUCCESS; i++) {
        paulimpi__text_append(&out->text, "%c",
                              terms->coefficient[i] < 0 ? '-' : '+');
        paulimpi__terms_append(terms, i, &out->text);
        paulimpi__text_append(&out->text, "\n");
        if (out->text.length >= FLUSH_BYTES) {
            rc = flush(out);
        }
    }
    return rc == PAULIMPI_SUCCESS ? flush(out) : rc;
}

/* Close the file and give it its name, or take it away after a failure. */
static int
close_output(output *out, int rc)
{
    if (rc == PAULIMPI_SUCCESS && out->name != NULL && fsync(out->fd) != 0) {
        rc = fail_write(out);
    }
    if (out->fd >= 0 && close(out->fd) != 0 && rc == PAULIMPI_SUCCESS) {
        rc = fail_write(out);
    }
    if (out->name != NULL) {
        if (rc == PAULIMPI_SUCCESS && rename(out->name, out->path) != 0) {
            rc = fail_write(out);
        }
        if (rc != PAULIMPI_SUCCESS) {
            unlink(out->name);
        }
    }
    paulimpi__free(out->name);
    paulimpi__free(out->text.data);
    return rc;
}

int
paulimpi_sum_write(const paulimpi_sum *sum, const char *path)
{
    static const char function[] = "paulimpi_sum_write";
    paulimpi__terms terms;
    output out;
    int rc;

    rc = paulimpi__handle_check(sum, PAULIMPI__HANDLE_SUM, function, "sum");
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (path == NULL) {
        return paulimpi__null(function, "path");
    }
    paulimpi__terms_init(&terms, function, paulimpi_sum_qubits(sum));
    rc = paulimpi__terms_get(&terms, sum);
    if (rc == PAULIMPI_SUCCESS) {
        rc = open_output(&out, path);
        if (rc == PAULIMPI_SUCCESS) {
            rc = write_terms(&out, &terms);
        }
        rc = close_output(&out, rc);
    }
    paulimpi__terms_free(&terms);
    return rc;
}

/* Reading. */

/* A file in memory. */
typedef struct {
    const char *name; /* for sentences */
    char *text;
    size_t length;
    int has_header;
    int64_t n_qubits, n_terms; /* as the header says */
} input;

/* The sentence for a place: "FILE:LINE:COLUMN: reason". */
static int
fail_place(const input *in, int code, size_t at, const char *reason)
{
    size_t line = 1;
    size_t begin = 0;
    size_t i;

    for (i = 0; i < at; i++) {
        if (in->text[i] == '\n') {
            line++;
            begin = i + 1;
        }
    }
    return paulimpi__error(code, "paulimpi_sum_read: %s:%zu:%zu: %s", in->name,
                           line, at - begin + 1, reason);
}

/* Take words and then a number at *at_p; one that is too large becomes
 * INT64_MAX. */
static int
take_number(const char *text, size_t *at_p, const char *words,
            int64_t *number_p)
{
    size_t at = *at_p;
    size_t begin;

    if (strncmp(text + at, words, strlen(words)) != 0) {
        return 0;
    }
    at += strlen(words);
    *number_p = 0;
    for (begin = at; text[at] >= '0' && text[at] <= '9'; at++) {
        int digit = text[at] - '0';

        *number_p = *number_p > (INT64_MAX - digit) / 10
                        ? INT64_MAX
                        : 10 * *number_p + digit;
    }
    *at_p = at;
    return at > begin;
}

/* Read the first line if it is a header. */
static int
read_header(input *in, int64_t n_qubits)
{
    size_t at = 0;
    int64_t version;

    in->has_header =
        strncmp(in->text, header_begin, strlen(header_begin)) == 0;
    if (!in->has_header) {
        return PAULIMPI_SUCCESS;
    }
    if (!take_number(in->text, &at, header_begin, &version)) {
        return fail_place(in, PAULIMPI_ERR_SYNTAX, at,
                          "the header has no number of its format");
    }
    if (version != 1) {
        return fail_place(in, PAULIMPI_ERR_SYNTAX, strlen(header_begin),
                          "this version reads format 1 only");
    }
    if (!take_number(in->text, &at, ": qubits ", &in->n_qubits)
        || !take_number(in->text, &at, ", terms ", &in->n_terms)
        || strchr(" \t\r\n", in->text[at]) == NULL) {
        return fail_place(in, PAULIMPI_ERR_SYNTAX, at,
                          "a header says \"qubits N, terms N\"");
    }
    if (in->n_qubits != n_qubits) {
        return paulimpi__error(PAULIMPI_ERR_MISMATCH,
                               "paulimpi_sum_read: %s: a sum of %" PRId64
                               " qubits, but this one has %" PRId64,
                               in->name, in->n_qubits, n_qubits);
    }
    /* A number that was cut off may look like a shorter one, and a label
     * too. */
    if (in->text[in->length - 1] != '\n') {
        return fail_place(in, PAULIMPI_ERR_SYNTAX, in->length,
                          "the last line has no end: the file was cut off");
    }
    return PAULIMPI_SUCCESS;
}

static void
blank_comments(char *text)
{
    char *comment = text;

    while ((comment = strchr(comment, '#')) != NULL) {
        size_t length = strcspn(comment, "\n");

        memset(comment, ' ', length);
        comment += length;
    }
}

/* Read the terms and compare their number with the header's. */
static int
read_terms(const input *in, paulimpi__terms *terms)
{
    paulimpi__label_error error;
    int rc;

    blank_comments(in->text);
    rc = paulimpi__terms_parse(terms, in->text, 1.0, &error);
    if (rc == PAULIMPI_ERR_MEMORY) {
        return rc;
    }
    if (rc != PAULIMPI_SUCCESS) {
        return fail_place(in, rc, error.at, error.reason);
    }
    if (in->has_header && terms->n_terms != in->n_terms) {
        return paulimpi__error(
            PAULIMPI_ERR_MISMATCH,
            "paulimpi_sum_read: %s: the header says %" PRId64
            " terms, but %" PRId64 " follow",
            in->name, in->n_terms, terms->n_terms);
    }
    if (!in->has_header && terms->n_terms == 0) {
        return fail_place(in, PAULIMPI_ERR_SYNTAX, in->length,
                          "there are no terms");
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi_sum_read(paulimpi_sum *sum, const char *path)
{
    static const char function[] = "paulimpi_sum_read";
    paulimpi__terms terms;
    input in = { .name = path };
    int rc;

    rc = paulimpi__handle_check(sum, PAULIMPI__HANDLE_SUM, function, "sum");
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (path == NULL) {
        return paulimpi__null(function, "path");
    }
    if (strcmp(path, "-") == 0) {
        in.name = "standard input";
    }
    rc = paulimpi__read_file(function, path, SIZE_MAX / 2, &in.text,
                             &in.length);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    paulimpi__terms_init(&terms, function, paulimpi_sum_qubits(sum));
    rc = read_header(&in, terms.n_qubits);
    if (rc == PAULIMPI_SUCCESS) {
        rc = read_terms(&in, &terms);
    }
    paulimpi__free(in.text);
    if (rc == PAULIMPI_SUCCESS && terms.n_terms > 0) {
        rc = paulimpi_sum_add_terms(sum, terms.n_terms, terms.x, terms.z,
                                    terms.coefficient);
    }
    paulimpi__terms_free(&terms);
    return rc;
}
