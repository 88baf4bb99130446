/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The span of a few strings over GF(2), and linear functions that vanish on
 * it.
 */
#include "propagate/span.h"

#include <string.h>

int
paulimpi__span_init(paulimpi__span *span, int64_t n_qubits, int64_t most_rows)
{
    size_t n_words = (size_t)(n_qubits + 63) / 64;

    memset(span, 0, sizeof *span);
    span->n_qubits = n_qubits;
    span->n_words = (int64_t)n_words;
    span->most_rows = most_rows;
    span->rows =
        paulimpi__alloc((size_t)most_rows, 2 * n_words * sizeof *span->rows);
    span->pivot = paulimpi__alloc((size_t)most_rows, sizeof *span->pivot);
    span->pivots = paulimpi__alloc_zero(2 * n_words, sizeof *span->pivots);
    span->used = paulimpi__alloc_zero(2 * n_words, sizeof *span->used);
    span->row_of = paulimpi__alloc(128 * n_words, sizeof *span->row_of);
    span->spare = paulimpi__alloc(2 * n_words, sizeof *span->spare);
    return span->rows == NULL || span->pivot == NULL || span->pivots == NULL
                   || span->used == NULL || span->row_of == NULL
                   || span->spare == NULL
               ? PAULIMPI_ERR_MEMORY
               : PAULIMPI_SUCCESS;
}

void
paulimpi__span_free(paulimpi__span *span)
{
    paulimpi__free(span->spare);
    paulimpi__free(span->row_of);
    paulimpi__free(span->used);
    paulimpi__free(span->pivots);
    paulimpi__free(span->pivot);
    paulimpi__free(span->rows);
    memset(span, 0, sizeof *span);
}

void
paulimpi__span_clear(paulimpi__span *span)
{
    span->n_rows = 0;
    memset(span->pivots, 0, (size_t)span->n_words * 2 * sizeof *span->pivots);
    memset(span->used, 0, (size_t)span->n_words * 2 * sizeof *span->used);
}

static int
has_bit(const uint64_t *vector, int64_t column)
{
    return (int)(vector[column / 64] >> column % 64 & 1);
}

static void
add_to(uint64_t *target, const uint64_t *vector, int64_t n)
{
    int64_t w;

    for (w = 0; w < n; w++) {
        target[w] ^= vector[w];
    }
}

/* Leave in span->spare what is left of a string beside the span. */
static void
reduce(const paulimpi__span *span, const uint64_t *key)
{
    int64_t n = 2 * span->n_words;
    int64_t w;

    memcpy(span->spare, key, (size_t)n * sizeof *key);
    for (w = 0; w < n; w++) {
        uint64_t rest = key[w] & span->pivots[w];

        for (; rest != 0; rest &= rest - 1) {
            int64_t row = span->row_of[w * 64 + __builtin_ctzll(rest)];

            add_to(span->spare, span->rows + row * n, n);
        }
    }
}

/* The first column with a 1 in span->spare, if possible one in which no row has
 * one, or -1. */
static int64_t
find_pivot(const paulimpi__span *span)
{
    int64_t any = -1;
    int64_t w;

    for (w = 0; w < 2 * span->n_words; w++) {
        uint64_t bits = span->spare[w];
        uint64_t alone = bits & ~span->used[w];

        if (alone != 0) {
            return w * 64 + __builtin_ctzll(alone);
        }
        if (bits != 0 && any < 0) {
            any = w * 64 + __builtin_ctzll(bits);
        }
    }
    return any;
}

int
paulimpi__span_is_new(const paulimpi__span *span, const uint64_t *key)
{
    reduce(span, key);
    return find_pivot(span) >= 0;
}

void
paulimpi__span_add(paulimpi__span *span, const uint64_t *key)
{
    int64_t n = 2 * span->n_words;
    int64_t pivot, i;

    reduce(span, key);
    pivot = find_pivot(span);
    if (pivot < 0) {
        return;
    }
    for (i = 0; i < span->n_rows && has_bit(span->used, pivot); i++) {
        if (has_bit(span->rows + i * n, pivot)) {
            add_to(span->rows + i * n, span->spare, n);
        }
    }
    for (i = 0; i < n; i++) {
        span->used[i] |= span->spare[i];
    }
    memcpy(span->rows + span->n_rows * n, span->spare,
           (size_t)n * sizeof *key);
    span->pivots[pivot / 64] |= (uint64_t)1 << pivot % 64;
    span->row_of[pivot] = span->n_rows;
    span->pivot[span->n_rows++] = pivot;
}

/* Random bits for every column that belongs to a qubit. */
static void
draw_bits(const paulimpi__span *span, uint64_t draw, uint64_t *function)
{
    static const uint32_t key[2] = { 0x726f7773u, 0x6e756c6cu };
    int64_t n = 2 * span->n_words;
    int64_t w;

    for (w = 0; w < n; w++) {
        uint32_t counter[4] = { (uint32_t)w, (uint32_t)((uint64_t)w >> 32),
                                (uint32_t)draw, (uint32_t)(draw >> 32) };
        int64_t left = span->n_qubits - w % span->n_words * 64;
        uint32_t out[4];

        paulimpi__philox(counter, key, out);
        function[w] = (uint64_t)out[0] << 32 | out[1];
        if (left < 64) {
            function[w] &= ((uint64_t)1 << left) - 1;
        }
    }
}

void
paulimpi__span_draw(const paulimpi__span *span, uint64_t draw,
                    uint64_t *function)
{
    int64_t n = 2 * span->n_words;
    int64_t i;

    draw_bits(span, draw, function);
    for (i = 0; i < span->n_rows; i++) {
        int64_t p = span->pivot[i];

        function[p / 64] &= ~((uint64_t)1 << p % 64);
    }
    /* Each row has one pivot, which makes up for the rest of its product. */
    for (i = 0; i < span->n_rows; i++) {
        const uint64_t *row = span->rows + i * n;
        int64_t p = span->pivot[i];

        /* The pivots of other rows are 0 in this one. */
        function[p / 64] |= (uint64_t)paulimpi__product(row, function, n)
                            << p % 64;
    }
}
