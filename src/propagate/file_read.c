/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading files of terms: every rank a part of the rows, which then travel to
 * their owners.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "comm/comm.h"
#include "propagate/file.h"
#include "propagate/file_ranks.h"

static const char first_words[] = "libpaulimpi file ";

static int
fail(const paulimpi__file_input *in, const char *reason)
{
    return paulimpi__error(PAULIMPI_ERR_IO, "%s: %s: %s", in->function,
                           in->path, reason);
}

/* Read bytes at a place of the file. */
static int
read_at(const paulimpi__file_input *in, int64_t at, void *data, size_t bytes)
{
    char *to = data;
    size_t done = 0;

    while (done < bytes) {
        ssize_t n = pread(in->fd, to + done, bytes - done,
                          (off_t)(at + (int64_t)done));

        if (n < 0 && errno != EINTR) {
            return fail(in, strerror(errno));
        }
        if (n == 0) {
            return fail(in, "it was cut off");
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return PAULIMPI_SUCCESS;
}

static int
read_words(const paulimpi__file_input *in, int64_t at, void *words, int64_t n)
{
    int rc = read_at(in, at, words, (size_t)n * sizeof(uint64_t));

    if (rc == PAULIMPI_SUCCESS) {
        paulimpi__swap_words(words, (size_t)n);
    }
    return rc;
}

int
paulimpi__file_is_ours(const char *path)
{
    char begin[sizeof first_words] = "";
    struct stat status;
    ssize_t n;
    int fd;

    /* A pipe gives its first bytes only once. */
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
        return 0;
    }
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    n = read(fd, begin, sizeof first_words - 1);
    close(fd);
    return n == (ssize_t)(sizeof first_words - 1)
           && strcmp(begin, first_words) == 0;
}

static int
open_here(paulimpi__file_input *in)
{
    char text[PAULIMPI__HEAD_BYTES];
    struct stat status;
    const char *reason;
    int rc;

    in->fd = open(in->path, O_RDONLY | O_CLOEXEC);
    if (in->fd < 0 || fstat(in->fd, &status) != 0) {
        return fail(in, strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return fail(in, S_ISDIR(status.st_mode) ? strerror(EISDIR)
                                                : "it is no file");
    }
    memset(text, 0, sizeof text);
    rc = read_at(in, 0, text,
                 status.st_size < (off_t)sizeof text ? (size_t)status.st_size
                                                     : sizeof text);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    reason = paulimpi__head_parse(text, (int64_t)status.st_size, &in->head);
    return reason == NULL ? PAULIMPI_SUCCESS : fail(in, reason);
}

int
paulimpi__file_open(paulimpi__file_input *in, paulimpi_context *ctx)
{
    in->fd = -1;
    return paulimpi__agree(ctx, open_here(in));
}

void
paulimpi__file_close(paulimpi__file_input *in)
{
    if (in->fd >= 0) {
        close(in->fd);
    }
    in->fd = -1;
}

int
paulimpi__file_read_state(const paulimpi__file_input *in,
                          paulimpi_context *ctx, uint64_t *state)
{
    int rc = read_words(in, in->head.state, state, in->head.n_state);

    if (rc == PAULIMPI_SUCCESS
        && paulimpi__checksum(0, state, in->head.n_state)
               != in->head.state_checksum) {
        rc = fail(in, "its state has another checksum than its head says: it "
                      "is damaged");
    }
    return paulimpi__agree(ctx, rc);
}

/* Whether the rows can be terms, whatever the fingerprint says later. */
static int
check_rows(const paulimpi__file_input *in, const paulimpi__rows *rows)
{
    int64_t n_qubits = in->head.n_qubits;
    int64_t i;

    for (i = 0; i < rows->n; i++) {
        if (!isfinite(rows->coefficient[i])
            || paulimpi__stray_bit(n_qubits, rows->x + i * rows->n_words) >= 0
            || paulimpi__stray_bit(n_qubits, rows->z + i * rows->n_words)
                   >= 0) {
            return fail(in, "its terms are damaged");
        }
    }
    return PAULIMPI_SUCCESS;
}

/* Read rows from number first on, a piece of them, none from `end` on. */
static int
read_rows(const paulimpi__file_input *in, int64_t first, int64_t end,
          paulimpi__rows *rows)
{
    int64_t row_bytes = 8 * rows->n_words;
    int64_t n = end - first < rows->most ? end - first : rows->most;
    int rc;

    rows->n = n > 0 ? n : 0;
    if (rows->n == 0) {
        return PAULIMPI_SUCCESS;
    }
    rc = read_words(in, in->head.x + first * row_bytes, rows->x,
                    n * rows->n_words);
    if (rc == PAULIMPI_SUCCESS) {
        rc = read_words(in, in->head.z + first * row_bytes, rows->z,
                        n * rows->n_words);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = read_words(in, in->head.coefficient + 8 * first,
                        rows->coefficient, n);
    }
    return rc == PAULIMPI_SUCCESS ? check_rows(in, rows) : rc;
}

/* Read this rank's part of the rows and add them. All ranks take as many steps,
 * also after a failure: each adds terms of all. */
static int
read_slice(const paulimpi__file_input *in, paulimpi_context *ctx,
           paulimpi__rows *rows, paulimpi_sum *sum, uint64_t *print_p)
{
    int64_t size = paulimpi_context_size(ctx);
    int64_t most = (in->head.n_terms + size - 1) / size;
    int64_t begin, end, done;
    int rc = PAULIMPI_SUCCESS;

    paulimpi__file_slice(ctx, in->head.n_terms, &begin, &end);
    for (done = 0; done < most && rc == PAULIMPI_SUCCESS; done += rows->most) {
        rc = paulimpi__agree(ctx, read_rows(in, begin + done, end, rows));
        if (rc == PAULIMPI_SUCCESS) {
            *print_p += paulimpi__rows_fingerprint(rows);
            rc = paulimpi__sum_add_distributed(sum, in->function, rows->n,
                                               rows->x, rows->z,
                                               rows->coefficient);
        }
    }
    return rc;
}

int
paulimpi__file_read_terms(const paulimpi__file_input *in,
                          paulimpi_context *ctx, paulimpi_sum **sum_p)
{
    paulimpi__rows rows;
    uint64_t print = 0;
    int rc = paulimpi__rows_alloc(&rows, in->function,
                                  paulimpi_pauli_words(in->head.n_qubits));

    *sum_p = NULL;
    rc = paulimpi__agree(ctx, rc);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_sum_create(ctx, in->head.n_qubits, sum_p);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = read_slice(in, ctx, &rows, *sum_p, &print);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__add_prints(ctx, in->function, &print);
    }
    if (rc == PAULIMPI_SUCCESS && print != in->head.fingerprint) {
        rc = fail(in, "its terms have another fingerprint than its head "
                      "says: it is damaged");
    }
    paulimpi__rows_free(&rows);
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi_sum_destroy(sum_p);
    }
    return rc;
}

void
paulimpi__sum_swap(paulimpi_sum *a, paulimpi_sum *b)
{
    paulimpi_sum held = *a;

    *a = *b;
    *b = held;
}
