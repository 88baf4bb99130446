/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The terms of a sum, one by one, all in order, or by label.
 */
#include <inttypes.h>
#include <string.h>

#include "propagate/sum.h"

enum { BLOCK = PAULIMPI__BLOCK_TERMS };

int
paulimpi_sum_next(const paulimpi_sum *sum, paulimpi_sum_position *position,
                  uint64_t *x, uint64_t *z, double *coefficient_p)
{
    static const char function[] = "paulimpi_sum_next";
    const paulimpi__block *block;
    int64_t i, w, t;
    int rc = paulimpi__sum_check(sum, function, "sum");

    if (rc == PAULIMPI_SUCCESS && position == NULL) {
        rc = paulimpi__null(function, "position");
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    while (position->bucket < paulimpi__store_buckets(&sum->store)
           && position->term >= sum->store.buckets[position->bucket].n_terms) {
        position->bucket++;
        position->term = 0;
    }
    if (position->bucket >= paulimpi__store_buckets(&sum->store)) {
        return 0;
    }
    block = sum->store.buckets[position->bucket].head;
    for (i = position->term / BLOCK; i > 0; i--) {
        block = block->next;
    }
    t = position->term++ % BLOCK;
    for (w = 0; w < sum->store.n_words && x != NULL && z != NULL; w++) {
        x[w] = block->word[w * BLOCK + t];
        z[w] = block->word[(sum->store.n_words + w) * BLOCK + t];
    }
    if (coefficient_p != NULL) {
        *coefficient_p = block->coefficient[t];
    }
    return 1;
}

/* A term to be sorted: the letters of its first 32 qubits as a number whose
 * order is theirs, and its place. */
typedef struct {
    uint64_t prefix;
    const paulimpi__block *block;
    int term;
} sortable;

/* I, X, Y, Z as 0, 1, 2, 3. */
static uint64_t
letter_rank(uint64_t x, uint64_t z)
{
    return z << 1 | (x ^ z);
}

static uint64_t
prefix_of(uint64_t x, uint64_t z)
{
    uint64_t prefix = 0;
    int q;

    for (q = 0; q < 32; q++) {
        prefix = prefix << 2 | letter_rank(x >> q & 1, z >> q & 1);
    }
    return prefix;
}

static int
is_before(const sortable *a, const sortable *b, int64_t n_words)
{
    int64_t w;

    if (a->prefix != b->prefix) {
        return a->prefix < b->prefix;
    }
    for (w = 0; w < n_words; w++) {
        uint64_t ax = a->block->word[w * BLOCK + a->term];
        uint64_t bx = b->block->word[w * BLOCK + b->term];
        uint64_t az = a->block->word[(n_words + w) * BLOCK + a->term];
        uint64_t bz = b->block->word[(n_words + w) * BLOCK + b->term];
        uint64_t differ = (ax ^ bx) | (az ^ bz);

        if (differ != 0) {
            int q = __builtin_ctzll(differ);

            return letter_rank(ax >> q & 1, az >> q & 1)
                   < letter_rank(bx >> q & 1, bz >> q & 1);
        }
    }
    return 0;
}

/* Merge sort, from runs of 1 up; returns the array that holds the result. */
static sortable *
sort(sortable *from, sortable *to, int64_t n, int64_t n_words)
{
    int64_t run, begin;

    for (run = 1; run < n; run *= 2) {
        sortable *swap = from;

        for (begin = 0; begin < n; begin += 2 * run) {
            int64_t middle = begin + run < n ? begin + run : n;
            int64_t end = middle + run < n ? middle + run : n;
            int64_t left = begin;
            int64_t right = middle;
            int64_t k;

            for (k = begin; k < end; k++) {
                int from_right =
                    left == middle
                    || (right < end
                        && is_before(&from[right], &from[left], n_words));

                to[k] = from_right ? from[right++] : from[left++];
            }
        }
        from = to;
        to = swap;
    }
    return from;
}

typedef struct {
    sortable *term;
    int64_t n;
} listing;

static void
list_block(const paulimpi__block *block, int n_terms, int64_t n_words,
           void *data)
{
    listing *list = data;
    int t;

    for (t = 0; t < n_terms; t++) {
        list->term[list->n++] =
            (sortable){ prefix_of(block->word[t],
                                  block->word[n_words * BLOCK + t]),
                        block, t };
    }
}

static void
copy_out(const sortable *term, int64_t n, int64_t n_words, uint64_t *x,
         uint64_t *z, double *coefficient)
{
    int64_t i, w;

    for (i = 0; i < n; i++) {
        const paulimpi__block *block = term[i].block;

        for (w = 0; w < n_words; w++) {
            x[i * n_words + w] = block->word[w * BLOCK + term[i].term];
            z[i * n_words + w] =
                block->word[(n_words + w) * BLOCK + term[i].term];
        }
        coefficient[i] = block->coefficient[term[i].term];
    }
}

static int
check_room(const paulimpi_sum *sum, int64_t n, const uint64_t *x,
           const uint64_t *z, const double *coefficient)
{
    static const char function[] = "paulimpi_sum_get_terms";
    int rc = paulimpi__sum_check(sum, function, "sum");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (n < sum->store.n_terms) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: there is room for %" PRId64
                               " terms, but the sum has %" PRId64,
                               function, n, sum->store.n_terms);
    }
    if (sum->store.n_terms > 0
        && (x == NULL || z == NULL || coefficient == NULL)) {
        return paulimpi__null(function, x == NULL   ? "x"
                                        : z == NULL ? "z"
                                                    : "coefficient");
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi_sum_get_terms(const paulimpi_sum *sum, int64_t n, uint64_t *x,
                       uint64_t *z, double *coefficient)
{
    listing list = { NULL, 0 };
    sortable *spare;
    int rc = check_room(sum, n, x, z, coefficient);
    size_t n_terms;

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    n_terms = (size_t)sum->store.n_terms;
    list.term = paulimpi__alloc(n_terms + 1, sizeof *list.term);
    spare = paulimpi__alloc(n_terms + 1, sizeof *spare);
    if (list.term == NULL || spare == NULL) {
        rc = paulimpi__no_memory("paulimpi_sum_get_terms",
                                 2 * n_terms * sizeof *spare);
    } else {
        paulimpi__store_visit(&sum->store, list_block, &list);
        copy_out(sort(list.term, spare, list.n, sum->store.n_words), list.n,
                 sum->store.n_words, x, z, coefficient);
    }
    paulimpi__free(spare);
    paulimpi__free(list.term);
    return rc;
}

int
paulimpi_sum_coefficient(const paulimpi_sum *sum, const char *label,
                         double *coefficient_p)
{
    static const char function[] = "paulimpi_sum_coefficient";
    paulimpi_pauli *pauli = NULL;
    const double *c;
    int rc = paulimpi__sum_check(sum, function, "sum");

    if (rc == PAULIMPI_SUCCESS && coefficient_p == NULL) {
        rc = paulimpi__null(function, "coefficient_p");
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_pauli_create(sum->store.n_qubits, label, &pauli);
    }
    if (rc == PAULIMPI_SUCCESS) {
        c = paulimpi__store_find(&sum->store, pauli->bits,
                                 pauli->bits + pauli->n_words);
        *coefficient_p = c == NULL ? 0.0 : *c;
    }
    paulimpi_pauli_destroy(&pauli);
    return rc;
}

int
paulimpi_sum_identity(const paulimpi_sum *sum, double *coefficient_p)
{
    return paulimpi_sum_coefficient(sum, "I", coefficient_p);
}
