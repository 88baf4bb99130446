/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums as files. Names that end in .h5 or .hdf5 are those of HDF5 files, see
 * file.h; all others are written as text:
 *
 *     # libpaulimpi sum 1: qubits 127, terms 2
 *     +0.5 Z0 Z1
 *     -0.001 Y2
 *
 * Without its first line it is a text of paulimpi_sum_add_text().
 */
#include <inttypes.h>
#include <string.h>

#include "comm/comm.h"
#include "propagate/file.h"
#include "propagate/sum_text.h"

static const char header_begin[] = "# libpaulimpi sum ";

/* Writing. */

enum { FLUSH_BYTES = 1 << 16 /* gather as much before each write */ };

static int
flush(const paulimpi__output *out, paulimpi__text *text)
{
    int rc;

    if (text->length == SIZE_MAX) {
        return paulimpi__error(PAULIMPI_ERR_MEMORY,
                               "%s: %s: no memory for the text", out->function,
                               out->path);
    }
    rc = paulimpi__output_write(out, -1, text->data, text->length);
    text->length = 0;
    return rc;
}

static int
write_terms(const paulimpi__output *out, const paulimpi__terms *terms)
{
    paulimpi__text text = PAULIMPI__TEXT_INIT;
    int rc = PAULIMPI_SUCCESS;
    int64_t i;

    paulimpi__text_append(&text,
                          "%s1: qubits %" PRId64 ", terms %" PRId64 "\n",
                          header_begin, terms->n_qubits, terms->n_terms);
    for (i = 0; i < terms->n_terms && rc == PAULIMPI_SUCCESS; i++) {
        paulimpi__text_append(&text, "%c",
                              terms->coefficient[i] < 0 ? '-' : '+');
        paulimpi__terms_append(terms, i, &text);
        paulimpi__text_append(&text, "\n");
        if (text.length >= FLUSH_BYTES) {
            rc = flush(out, &text);
        }
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = flush(out, &text);
    }
    paulimpi__free(text.data);
    return rc;
}

/* All ranks get all terms; rank 0 writes them. */
static int
write_text(const paulimpi_sum *sum, const char *function, const char *path)
{
    paulimpi__terms terms;
    paulimpi__output out;
    int rc;

    paulimpi__terms_init(&terms, function, paulimpi_sum_qubits(sum));
    rc = paulimpi__terms_get(&terms, sum);
    if (rc == PAULIMPI_SUCCESS && paulimpi_context_rank(sum->ctx) == 0) {
        rc = paulimpi__output_open(&out, function, path);
        if (rc == PAULIMPI_SUCCESS) {
            rc = write_terms(&out, &terms);
        }
        rc = paulimpi__output_close(&out, rc);
    }
    paulimpi__terms_free(&terms);
    return paulimpi__agree(sum->ctx, rc);
}

int
paulimpi_sum_write(const paulimpi_sum *sum, const char *path)
{
    static const char function[] = "paulimpi_sum_write";
    paulimpi__file file = { .function = function, .path = path, .is_hdf5 = 1 };
    int rc = paulimpi__sum_check(sum, function, "sum");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = paulimpi__agree(sum->ctx, path == NULL
                                       ? paulimpi__null(function, "path")
                                       : PAULIMPI_SUCCESS);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    return paulimpi__file_is_hdf5(path) ? paulimpi__file_write(&file, sum)
                                        : write_text(sum, function, path);
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

static int
mismatch(const char *name, int64_t n_read, int64_t n_qubits)
{
    return paulimpi__error(PAULIMPI_ERR_MISMATCH,
                           "paulimpi_sum_read: %s: a sum of %" PRId64
                           " qubits, but this one has %" PRId64,
                           name, n_read, n_qubits);
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
        return mismatch(in->name, in->n_qubits, n_qubits);
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

/* Rank 0 reads the text, which may be its standard input, and all ranks get
 * it. */
static int
share_text(paulimpi_context *ctx, const char *function, const char *path,
           input *in)
{
    int64_t length = 0;
    int rc = PAULIMPI_SUCCESS;

    if (paulimpi_context_rank(ctx) == 0) {
        rc = paulimpi__read_file(function, path, SIZE_MAX / 2, &in->text,
                                 &in->length);
        length = (int64_t)in->length;
    }
    rc = paulimpi__agree(ctx, rc);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__share_bytes(ctx, function, 0, &length, sizeof length);
    }
    if (rc != PAULIMPI_SUCCESS || paulimpi_context_size(ctx) == 1) {
        return rc;
    }
    if (paulimpi_context_rank(ctx) != 0) {
        in->length = (size_t)length;
        in->text = paulimpi__alloc_zero(in->length + 1, 1);
        if (in->text == NULL) {
            rc = paulimpi__no_memory(function, in->length + 1);
        }
    }
    rc = paulimpi__agree(ctx, rc);
    return rc == PAULIMPI_SUCCESS
               ? paulimpi__share_bytes(ctx, function, 0, in->text, length)
               : rc;
}

static int
read_text(paulimpi_sum *sum, const char *function, const char *path)
{
    paulimpi__terms terms;
    input in = { .name = path };
    int rc;

    if (strcmp(path, "-") == 0) {
        in.name = "standard input";
    }
    paulimpi__terms_init(&terms, function, paulimpi_sum_qubits(sum));
    rc = share_text(sum->ctx, function, path, &in);
    if (rc == PAULIMPI_SUCCESS) {
        rc = read_header(&in, terms.n_qubits);
        if (rc == PAULIMPI_SUCCESS) {
            rc = read_terms(&in, &terms);
        }
        rc = paulimpi__agree(sum->ctx, rc);
    }
    paulimpi__free(in.text);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_sum_add_terms(sum, terms.n_terms, terms.x, terms.z,
                                    terms.coefficient);
    }
    paulimpi__terms_free(&terms);
    return rc;
}

/* All is read and checked before the first term is added. */
static int
read_file(paulimpi_sum *sum, paulimpi__file_input *in)
{
    paulimpi_sum *terms = NULL;
    int rc = paulimpi__file_open(in, sum->ctx);

    if (rc == PAULIMPI_SUCCESS && in->head.n_qubits != sum->store.n_qubits) {
        rc = mismatch(in->path, in->head.n_qubits, sum->store.n_qubits);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__file_read_terms(in, sum->ctx, &terms);
    }
    if (rc == PAULIMPI_SUCCESS) {
        if (paulimpi_sum_terms(sum) == 0) {
            paulimpi__sum_swap(sum, terms);
        } else {
            rc = paulimpi_sum_add(sum, terms, 1.0);
        }
    }
    paulimpi_sum_destroy(&terms);
    paulimpi__file_close(in);
    return rc;
}

int
paulimpi_sum_read(paulimpi_sum *sum, const char *path)
{
    static const char function[] = "paulimpi_sum_read";
    paulimpi__file_input in = { .function = function, .path = path };
    char is_ours = 0;
    int rc = paulimpi__sum_check(sum, function, "sum");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = paulimpi__agree(sum->ctx, path == NULL
                                       ? paulimpi__null(function, "path")
                                       : PAULIMPI_SUCCESS);
    if (rc == PAULIMPI_SUCCESS) {
        is_ours = (char)paulimpi__file_is_ours(path);
        rc = paulimpi__share_bytes(sum->ctx, function, 0, &is_ours, 1);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    return is_ours ? read_file(sum, &in) : read_text(sum, function, path);
}
