/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Terms of a store as rows, for files.
 */
#include <string.h>

#include "propagate/file.h"

enum { BLOCK = PAULIMPI__BLOCK_TERMS, PIECE_BYTES = 1 << 20 };

int
paulimpi__rows_alloc(paulimpi__rows *rows, const char *function,
                     int64_t n_words)
{
    int64_t row_bytes = 8 * (2 * n_words + 1);
    size_t key_bytes = (size_t)n_words * sizeof *rows->x;

    *rows = (paulimpi__rows){ .n_words = n_words };
    rows->most = PIECE_BYTES / row_bytes / BLOCK * BLOCK;
    if (rows->most < BLOCK) {
        rows->most = BLOCK;
    }
    rows->x = paulimpi__alloc((size_t)rows->most, key_bytes);
    rows->z = paulimpi__alloc((size_t)rows->most, key_bytes);
    rows->coefficient =
        paulimpi__alloc((size_t)rows->most, sizeof *rows->coefficient);
    if (rows->x == NULL || rows->z == NULL || rows->coefficient == NULL) {
        paulimpi__rows_free(rows);
        return paulimpi__no_memory(function,
                                   (size_t)rows->most * (size_t)row_bytes);
    }
    return PAULIMPI_SUCCESS;
}

void
paulimpi__rows_free(paulimpi__rows *rows)
{
    paulimpi__free(rows->x);
    paulimpi__free(rows->z);
    paulimpi__free(rows->coefficient);
    rows->x = NULL;
    rows->z = NULL;
    rows->coefficient = NULL;
}

uint64_t
paulimpi__rows_fingerprint(const paulimpi__rows *rows)
{
    uint64_t sum = 0;
    int64_t i;

    for (i = 0; i < rows->n; i++) {
        uint64_t bits;
        uint64_t print;

        memcpy(&bits, &rows->coefficient[i], sizeof bits);
        print =
            paulimpi__checksum(0, rows->x + i * rows->n_words, rows->n_words);
        print = paulimpi__checksum(print, rows->z + i * rows->n_words,
                                   rows->n_words);
        sum += paulimpi__checksum(print, &bits, 1);
    }
    return sum;
}

/* Append terms first to first + n - 1 of a block. */
static void
append(paulimpi__rows *rows, const paulimpi__block *block, int first, int n)
{
    int64_t n_words = rows->n_words;
    int64_t w;
    int i;

    for (i = 0; i < n; i++) {
        uint64_t *x = rows->x + (rows->n + i) * n_words;
        uint64_t *z = rows->z + (rows->n + i) * n_words;

        for (w = 0; w < n_words; w++) {
            x[w] = block->word[w * BLOCK + first + i];
            z[w] = block->word[(n_words + w) * BLOCK + first + i];
        }
        rows->coefficient[rows->n + i] = block->coefficient[first + i];
    }
    rows->n += n;
}

/* Terms of the block at the cursor that are left and for which there is room.
 */
static int
count_next(const paulimpi__rows *rows, const paulimpi__cursor *cursor)
{
    int64_t n = BLOCK - cursor->term;

    n = n < cursor->rest ? n : cursor->rest;
    return (int)(n < rows->most - rows->n ? n : rows->most - rows->n);
}

void
paulimpi__rows_fill(paulimpi__rows *rows, paulimpi__cursor *cursor)
{
    const paulimpi__store *store = cursor->store;
    int64_t n_buckets = paulimpi__store_buckets(store);

    rows->n = 0;
    while (cursor->bucket < n_buckets && rows->n < rows->most) {
        if (cursor->block == NULL) {
            cursor->block = store->buckets[cursor->bucket].head;
            cursor->rest = store->buckets[cursor->bucket].n_terms;
        }
        if (cursor->rest > 0) {
            int n = count_next(rows, cursor);

            append(rows, cursor->block, cursor->term, n);
            cursor->rest -= n;
            cursor->term += n;
        }
        if (cursor->rest == 0) {
            cursor->block = NULL;
            cursor->term = 0;
            cursor->bucket++;
        } else if (cursor->term == BLOCK) {
            cursor->block = cursor->block->next;
            cursor->term = 0;
        }
    }
}

int
paulimpi__store_fingerprint(const paulimpi__store *store, const char *function,
                            uint64_t *print_p)
{
    paulimpi__cursor cursor = { .store = store };
    paulimpi__rows rows;
    int rc = paulimpi__rows_alloc(&rows, function, store->n_words);

    *print_p = 0;
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    do {
        paulimpi__rows_fill(&rows, &cursor);
        *print_p += paulimpi__rows_fingerprint(&rows);
    } while (rows.n > 0);
    paulimpi__rows_free(&rows);
    return PAULIMPI_SUCCESS;
}
