/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writing files of terms, in HDF5 or plain.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "comm/comm.h"
#include "propagate/file.h"
#include "propagate/file_ranks.h"

/* Plain files: the state and then the arrays, without gaps. */

static int
plain_create(paulimpi__writing *w)
{
    paulimpi__head *head = &w->head;
    int64_t row_bytes = 8 * paulimpi_pauli_words(head->n_qubits);
    int64_t i;
    int rc = PAULIMPI_SUCCESS;

    head->state = PAULIMPI__HEAD_BYTES;
    head->x = head->state + 8 * head->n_state;
    head->z = head->x + head->n_terms * row_bytes;
    head->coefficient = head->z + head->n_terms * row_bytes;
    for (i = 0; i < head->n_state && rc == PAULIMPI_SUCCESS; i++) {
        uint64_t word = w->file->state[i];

        paulimpi__swap_words(&word, 1);
        rc = paulimpi__output_write(&w->out, head->state + 8 * i, &word,
                                    sizeof word);
    }
    return rc;
}

static int
plain_put(paulimpi__writing *w, int64_t first)
{
    const paulimpi__rows *rows = &w->rows;
    size_t n_words = (size_t)(rows->n * rows->n_words);
    int64_t row_bytes = 8 * rows->n_words;
    int rc;

    paulimpi__swap_words(rows->x, n_words);
    paulimpi__swap_words(rows->z, n_words);
    paulimpi__swap_words(rows->coefficient, (size_t)rows->n);
    rc = paulimpi__output_write(&w->out, w->head.x + first * row_bytes,
                                rows->x, 8 * n_words);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__output_write(&w->out, w->head.z + first * row_bytes,
                                    rows->z, 8 * n_words);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__output_write(&w->out, w->head.coefficient + 8 * first,
                                    rows->coefficient, 8 * (size_t)rows->n);
    }
    return rc;
}

static int
plain_finish(paulimpi__writing *w)
{
    (void)w;
    return PAULIMPI_SUCCESS;
}

const paulimpi__format paulimpi__format_plain = { plain_create, plain_put,
                                                  plain_finish, 0 };

/* Both kinds. */

int
paulimpi__file_is_hdf5(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot != NULL
           && (strcasecmp(dot, ".h5") == 0 || strcasecmp(dot, ".hdf5") == 0);
}

/* Write the terms of this rank. */
static int
put_terms(paulimpi__writing *w, const paulimpi__format *format)
{
    int rank = paulimpi_context_rank(w->ctx);
    paulimpi__cursor cursor = { .store = w->store };
    int64_t first = 0;
    int64_t done;
    int rc = PAULIMPI_SUCCESS;
    int r;

    for (r = 0; r < rank; r++) {
        first += w->shares[r].n_terms;
    }
    for (done = 0; done < w->shares[rank].n_terms && rc == PAULIMPI_SUCCESS;
         done += w->rows.most) {
        paulimpi__rows_fill(&w->rows, &cursor);
        rc = format->put(w, first + done);
    }
    return rc;
}

/* Rank 0: the head, when all else is there. */
static int
put_head(paulimpi__writing *w)
{
    char text[PAULIMPI__HEAD_BYTES];
    struct stat status;

    if (fstat(w->out.fd, &status) != 0) {
        return paulimpi__output_fail(&w->out);
    }
    w->head.bytes = status.st_size > PAULIMPI__HEAD_BYTES
                        ? (int64_t)status.st_size
                        : PAULIMPI__HEAD_BYTES;
    paulimpi__head_format(&w->head, text);
    return paulimpi__output_write(&w->out, 0, text, sizeof text);
}

/* Make the file beside the name, on rank 0, and let all know how it is called.
 * What is no file cannot hold one of these. */
static int
open_output(paulimpi__writing *w)
{
    const paulimpi__file *file = w->file;
    int rc = PAULIMPI_SUCCESS;

    if (paulimpi_context_rank(w->ctx) == 0) {
        rc = paulimpi__output_open(&w->out, file->function, file->path);
        if (rc == PAULIMPI_SUCCESS && w->out.name == NULL) {
            rc = paulimpi__error(PAULIMPI_ERR_IO,
                                 "%s: %s: no file but a device or a pipe, "
                                 "which can only hold text",
                                 file->function, file->path);
        }
    }
    rc = paulimpi__agree(w->ctx, rc);
    return rc == PAULIMPI_SUCCESS ? paulimpi__share_name(w) : rc;
}

/* Between the opening and the closing of the output. */
static int
write_body(paulimpi__writing *w, const paulimpi__format *format)
{
    int is_root = paulimpi_context_rank(w->ctx) == 0;
    int writes = is_root || w->is_parallel;
    int rc = paulimpi__agree(w->ctx, writes ? format->create(w) : 0);
    int finished = PAULIMPI_SUCCESS;

    if (rc == PAULIMPI_SUCCESS) {
        rc = writes ? put_terms(w, format) : PAULIMPI_SUCCESS;
        rc = w->is_parallel ? rc : paulimpi__put_others(w, format, rc);
        rc = paulimpi__agree(w->ctx, rc);
    }
    if (writes) {
        finished = format->finish(w);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = finished;
    }
    if (rc == PAULIMPI_SUCCESS && is_root) {
        rc = put_head(w);
    }
    return paulimpi__agree(w->ctx, rc);
}

static int
write_file(paulimpi__writing *w, const paulimpi__format *format)
{
    int rc = open_output(w);

    if (rc == PAULIMPI_SUCCESS) {
        rc = write_body(w, format);
    }
    if (paulimpi_context_rank(w->ctx) == 0) {
        rc = paulimpi__output_close(&w->out, rc);
    }
    return paulimpi__agree(w->ctx, rc);
}

/* All ranks write where the format can do that, but where a test wants rank 0
 * to write. */
static int
choose_writers(paulimpi__writing *w, const paulimpi__format *format)
{
    int64_t by_root = 0;
    int rc =
        paulimpi__env_int64("PAULIMPI_TEST_FILES_BY_ROOT", 0, 1, &by_root);

    w->is_parallel = format->is_parallel && by_root == 0
                     && paulimpi_context_size(w->ctx) > 1;
    return rc;
}

/* Find out who brings what, and what the file as a whole will be. */
static int
count_terms(paulimpi__writing *w, const paulimpi__format *format)
{
    const paulimpi__file *file = w->file;
    paulimpi__share mine = { w->store->n_terms, 0 };
    paulimpi__share all;
    int rc = choose_writers(w, format);

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__rows_alloc(&w->rows, file->function, w->store->n_words);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc =
            paulimpi__store_fingerprint(w->store, file->function, &mine.print);
    }
    rc = paulimpi__agree(w->ctx, rc);
    if (file->is_copied && paulimpi_context_rank(w->ctx) != 0) {
        mine = (paulimpi__share){ 0, 0 };
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__gather_shares(w->ctx, file->function, mine, &w->shares);
    }
    if (rc == PAULIMPI_SUCCESS) {
        all = paulimpi__add_shares(w->ctx, w->shares);
        w->head.n_terms = all.n_terms;
        w->head.fingerprint = all.print;
        w->head.state_checksum =
            paulimpi__checksum(0, file->state, file->n_state);
        rc = paulimpi__share_bytes(w->ctx, file->function, 0,
                                   &w->head.state_checksum,
                                   sizeof w->head.state_checksum);
    }
    return rc;
}

int
paulimpi__file_write(const paulimpi__file *file, const paulimpi_sum *sum)
{
    const paulimpi__format *format =
        file->is_hdf5 ? paulimpi__format_hdf5 : &paulimpi__format_plain;
    paulimpi__writing w = { .file = file,
                            .ctx = sum->ctx,
                            .store = &sum->store,
                            .out = { .fd = -1 } };
    int rc;

    if (format == NULL) {
        return paulimpi__error(
            PAULIMPI_ERR_UNSUPPORTED,
            "%s: %s: this library was built without HDF5: configure it "
            "--with-hdf5, or take a name that does not end in .h5 or .hdf5",
            file->function, file->path);
    }
    w.head.is_hdf5 = file->is_hdf5;
    w.head.n_qubits = sum->store.n_qubits;
    w.head.n_state = file->n_state;
    rc = count_terms(&w, format);
    if (rc == PAULIMPI_SUCCESS) {
        rc = write_file(&w, format);
    }
    paulimpi__free(w.name);
    paulimpi__free(w.shares);
    paulimpi__rows_free(&w.rows);
    return rc;
}
