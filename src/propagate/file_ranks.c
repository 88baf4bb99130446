/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files of terms on several ranks: who writes and reads which rows.
 */
#include "propagate/file_ranks.h"

#include <string.h>

#include "comm/comm.h"
#include "exchange/exchange.h"

enum {
    SUFFIX_BYTES = 64, /* of a name beside another */
    PARTS = 3          /* of a piece: x, z, coefficients */
};

int
paulimpi__gather_shares(paulimpi_context *ctx, const char *function,
                        paulimpi__share mine, paulimpi__share **shares_p)
{
    size_t size = (size_t)paulimpi_context_size(ctx);
    paulimpi__share *shares = paulimpi__alloc(size, sizeof *shares);
    int rc = PAULIMPI_SUCCESS;

    if (shares == NULL) {
        rc = paulimpi__no_memory(function, size * sizeof *shares);
    }
    rc = paulimpi__agree(ctx, rc);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__gather_bytes(ctx, function, &mine, sizeof mine, shares);
    }
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi__free(shares);
        shares = NULL;
    }
    *shares_p = shares;
    return rc;
}

paulimpi__share
paulimpi__add_shares(paulimpi_context *ctx, const paulimpi__share *shares)
{
    paulimpi__share all = { 0, 0 };
    int r;

    for (r = 0; r < paulimpi_context_size(ctx); r++) {
        all.n_terms += shares[r].n_terms;
        all.print += shares[r].print;
    }
    return all;
}

/* The name is the path and a suffix, which rank 0 alone knows. */
int
paulimpi__share_name(paulimpi__writing *w)
{
    const paulimpi__file *file = w->file;
    paulimpi__text name = PAULIMPI__TEXT_INIT;
    char suffix[SUFFIX_BYTES] = "";
    int rc;

    if (w->out.name != NULL) {
        strncpy(suffix, w->out.name + strlen(file->path), sizeof suffix - 1);
    }
    rc = paulimpi__share_bytes(w->ctx, file->function, 0, suffix,
                               sizeof suffix);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    paulimpi__text_append(&name, "%s%s", file->path, suffix);
    w->name = paulimpi__text_take(&name);
    if (w->name == NULL) {
        rc = paulimpi__no_memory(file->function, strlen(file->path));
    }
    return paulimpi__agree(w->ctx, rc);
}

/* Bring the rows of the piece from a rank to rank 0. */
static int
bring(paulimpi__writing *w, int from, int64_t n)
{
    int rank = paulimpi_context_rank(w->ctx);
    paulimpi__rows *rows = &w->rows;
    size_t key_bytes = (size_t)(8 * n * rows->n_words);
    const paulimpi_message parts[PARTS] = {
        { paulimpi_region_1d(rows->x, key_bytes), rank == 0 ? from : 0, 0 },
        { paulimpi_region_1d(rows->z, key_bytes), rank == 0 ? from : 0, 1 },
        { paulimpi_region_1d(rows->coefficient, 8 * (size_t)n),
          rank == 0 ? from : 0, 2 },
    };

    rows->n = n;
    return paulimpi_exchange(w->ctx, rank == from ? PARTS : 0, parts,
                             rank == 0 ? PARTS : 0, parts, NULL);
}

/* All ranks take part in each exchange, most of them with nothing: where calls
 * are checked they must. */
int
paulimpi__put_others(paulimpi__writing *w, const paulimpi__format *format,
                     int code)
{
    int size = paulimpi_context_size(w->ctx);
    int rank = paulimpi_context_rank(w->ctx);
    paulimpi__cursor cursor = { .store = w->store };
    int64_t first = w->shares[0].n_terms;
    int r;

    for (r = 1; r < size; r++) {
        int64_t n = w->shares[r].n_terms;
        int64_t done;

        for (done = 0; done < n; done += w->rows.most) {
            int64_t rest = n - done;
            int rc;

            if (rank == r) {
                paulimpi__rows_fill(&w->rows, &cursor);
            }
            rc = bring(w, r, rest < w->rows.most ? rest : w->rows.most);
            if (rc == PAULIMPI_SUCCESS && code == PAULIMPI_SUCCESS
                && rank == 0) {
                rc = format->put(w, first + done);
            }
            code = code == PAULIMPI_SUCCESS ? rc : code;
        }
        first += n;
    }
    return code;
}

void
paulimpi__file_slice(paulimpi_context *ctx, int64_t n_terms, int64_t *begin_p,
                     int64_t *end_p)
{
    int64_t size = paulimpi_context_size(ctx);
    int64_t rank = paulimpi_context_rank(ctx);
    int64_t share = n_terms / size;
    int64_t rest = n_terms % size;

    *begin_p = rank * share + (rank < rest ? rank : rest);
    *end_p = *begin_p + share + (rank < rest);
}

int
paulimpi__add_prints(paulimpi_context *ctx, const char *function,
                     uint64_t *print_p)
{
    /* Halves, so that no sum passes 63 bits. */
    int64_t half[2] = { (int64_t)(*print_p & UINT32_MAX),
                        (int64_t)(*print_p >> 32) };
    int rc = paulimpi__reduce_int64(ctx, function, PAULIMPI__SUM, 2, half);

    *print_p = (uint64_t)half[0] + ((uint64_t)half[1] << 32);
    return rc;
}
