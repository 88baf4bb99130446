/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The terms of a sum, one by one, all in order, or by label.
 */
#include <inttypes.h>
#include <string.h>

#include "comm/comm.h"
#include "propagate/sum.h"

enum {
    BLOCK = PAULIMPI__BLOCK_TERMS,
    PIECE = 1 << 20 /* bytes that travel at once */
};

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

static uint64_t
prefix_of(uint64_t x, uint64_t z)
{
    uint64_t prefix = 0;
    int q;

    for (q = 0; q < 32; q++) {
        prefix = prefix << 2 | paulimpi__letter_rank(x >> q & 1, z >> q & 1);
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

            return paulimpi__letter_rank(ax >> q & 1, az >> q & 1)
                   < paulimpi__letter_rank(bx >> q & 1, bz >> q & 1);
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
check_room(const paulimpi_sum *sum, const char *function, int64_t n,
           const uint64_t *x, const uint64_t *z, const double *coefficient)
{
    if (n < sum->n_terms) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: there is room for %" PRId64
                               " terms, but the sum has %" PRId64,
                               function, n, sum->n_terms);
    }
    if (sum->n_terms > 0 && (x == NULL || z == NULL || coefficient == NULL)) {
        return paulimpi__null(function, x == NULL   ? "x"
                                        : z == NULL ? "z"
                                                    : "coefficient");
    }
    return PAULIMPI_SUCCESS;
}

/* The terms of all ranks on their way into the arrays of the caller: those of
 * each rank in order, one rank after the other, then all in order. */
typedef struct {
    const paulimpi_sum *sum;
    const char *function;
    uint64_t *x;
    uint64_t *z;
    double *coefficient;
    int64_t *first;    /* term of each rank, and of none */
    int64_t *place[2]; /* where the terms in order are, and room to merge */
    sortable *local;   /* this rank's terms */
    sortable *spare;
} collection;

static void
end_collection(collection *all)
{
    paulimpi__free(all->first);
    paulimpi__free(all->place[0]);
    paulimpi__free(all->place[1]);
    paulimpi__free(all->local);
    paulimpi__free(all->spare);
}

static int
begin_collection(collection *all)
{
    size_t n_ranks = (size_t)all->sum->shares.n_ranks;
    size_t n = (size_t)all->sum->store.n_terms;
    size_t n_places = n_ranks > 1 ? (size_t)all->sum->n_terms : 0;

    all->first = paulimpi__alloc(n_ranks + 1, sizeof *all->first);
    all->place[0] = paulimpi__alloc(n_places + 1, sizeof *all->place[0]);
    all->place[1] = paulimpi__alloc(n_places + 1, sizeof *all->place[1]);
    all->local = paulimpi__alloc(n + 1, sizeof *all->local);
    all->spare = paulimpi__alloc(n + 1, sizeof *all->spare);
    if (all->first == NULL || all->place[0] == NULL || all->place[1] == NULL
        || all->local == NULL || all->spare == NULL) {
        return paulimpi__no_memory(all->function,
                                   2 * n * sizeof *all->local + 16 * n_places);
    }
    return PAULIMPI_SUCCESS;
}

/* Copy this rank's terms to their places, in order. */
static int
collect_local(collection *all)
{
    const paulimpi_sum *sum = all->sum;
    int64_t n_words = sum->store.n_words;
    listing list = { all->local, 0 };
    int64_t first;
    int rc, r;

    rc = paulimpi__gather_bytes(sum->ctx, all->function, &sum->store.n_terms,
                                sizeof *all->first, all->first + 1);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    all->first[0] = 0;
    for (r = 0; r < sum->shares.n_ranks; r++) {
        all->first[r + 1] += all->first[r];
    }
    first = all->first[sum->shares.rank];
    paulimpi__store_visit(&sum->store, list_block, &list);
    copy_out(sort(list.term, all->spare, list.n, n_words), list.n, n_words,
             all->x + first * n_words, all->z + first * n_words,
             all->coefficient + first);
    return PAULIMPI_SUCCESS;
}

/* Give a part of an array to all ranks, in pieces of bounded size. */
static int
share(const collection *all, int root, void *array, int64_t first, int64_t n,
      size_t item)
{
    char *byte = (char *)array + (size_t)first * item;
    int64_t left = n * (int64_t)item;
    int rc = PAULIMPI_SUCCESS;

    while (left > 0 && rc == PAULIMPI_SUCCESS) {
        int64_t piece = left < PIECE ? left : PIECE;

        rc = paulimpi__share_bytes(all->sum->ctx, all->function, root, byte,
                                   piece);
        byte += piece;
        left -= piece;
    }
    return rc;
}

static int
share_all(const collection *all)
{
    size_t key_bytes = (size_t)all->sum->store.n_words * sizeof *all->x;
    int rc = PAULIMPI_SUCCESS;
    int r;

    for (r = 0; r < all->sum->shares.n_ranks && rc == PAULIMPI_SUCCESS; r++) {
        int64_t first = all->first[r];
        int64_t n = all->first[r + 1] - first;

        rc = share(all, r, all->x, first, n, key_bytes);
        if (rc == PAULIMPI_SUCCESS) {
            rc = share(all, r, all->z, first, n, key_bytes);
        }
        if (rc == PAULIMPI_SUCCESS) {
            rc = share(all, r, all->coefficient, first, n,
                       sizeof *all->coefficient);
        }
    }
    return rc;
}

/* Whether term i of the arrays comes before term j. */
static int
comes_before(const collection *all, int64_t i, int64_t j)
{
    int64_t n_words = all->sum->store.n_words;
    const uint64_t *ix = all->x + i * n_words, *iz = all->z + i * n_words;
    const uint64_t *jx = all->x + j * n_words, *jz = all->z + j * n_words;
    int64_t w;

    for (w = 0; w < n_words; w++) {
        uint64_t differ = (ix[w] ^ jx[w]) | (iz[w] ^ jz[w]);

        if (differ != 0) {
            int q = __builtin_ctzll(differ);

            return paulimpi__letter_rank(ix[w] >> q & 1, iz[w] >> q & 1)
                   < paulimpi__letter_rank(jx[w] >> q & 1, jz[w] >> q & 1);
        }
    }
    return 0;
}

/* Merge two runs that are neighbours. */
static void
merge(const collection *all, const int64_t *from, int64_t *to, int64_t begin,
      int64_t middle, int64_t end)
{
    int64_t left = begin;
    int64_t right = middle;
    int64_t k;

    for (k = begin; k < end; k++) {
        int from_right =
            left == middle
            || (right < end && comes_before(all, from[right], from[left]));

        to[k] = from_right ? from[right++] : from[left++];
    }
}

/* Merge the runs of all ranks; place[0] says then where each term is. */
static void
merge_all(collection *all)
{
    int n_ranks = all->sum->shares.n_ranks;
    int64_t i;
    int width, r;

    for (i = 0; i < all->sum->n_terms; i++) {
        all->place[0][i] = i;
    }
    for (width = 1; width < n_ranks; width *= 2) {
        int64_t *swap = all->place[0];

        for (r = 0; r < n_ranks; r += 2 * width) {
            int middle = r + width < n_ranks ? r + width : n_ranks;
            int end = middle + width < n_ranks ? middle + width : n_ranks;

            merge(all, all->place[0], all->place[1], all->first[r],
                  all->first[middle], all->first[end]);
        }
        all->place[0] = all->place[1];
        all->place[1] = swap;
    }
}

static void
swap_terms(const collection *all, int64_t i, int64_t j)
{
    int64_t n_words = all->sum->store.n_words;
    double c = all->coefficient[i];
    int64_t w;

    all->coefficient[i] = all->coefficient[j];
    all->coefficient[j] = c;
    for (w = 0; w < n_words; w++) {
        uint64_t x = all->x[i * n_words + w];
        uint64_t z = all->z[i * n_words + w];

        all->x[i * n_words + w] = all->x[j * n_words + w];
        all->z[i * n_words + w] = all->z[j * n_words + w];
        all->x[j * n_words + w] = x;
        all->z[j * n_words + w] = z;
    }
}

/* Bring the terms in order, cycle by cycle. */
static void
put_in_order(const collection *all)
{
    int64_t *place = all->place[0];
    int64_t i;

    for (i = 0; i < all->sum->n_terms; i++) {
        int64_t at = i;

        while (place[at] != i) {
            int64_t next = place[at];

            swap_terms(all, at, next);
            place[at] = at;
            at = next;
        }
        place[at] = at;
    }
}

int
paulimpi_sum_get_terms(const paulimpi_sum *sum, int64_t n, uint64_t *x,
                       uint64_t *z, double *coefficient)
{
    static const char function[] = "paulimpi_sum_get_terms";
    collection all = { .sum = sum,
                       .function = function,
                       .x = x,
                       .z = z,
                       .coefficient = coefficient };
    int rc = paulimpi__sum_check(sum, function, "sum");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = check_room(sum, function, n, x, z, coefficient);
    if (rc == PAULIMPI_SUCCESS) {
        rc = begin_collection(&all);
    }
    rc = paulimpi__agree(sum->ctx, rc);
    if (rc == PAULIMPI_SUCCESS) {
        rc = collect_local(&all);
    }
    if (rc == PAULIMPI_SUCCESS && sum->shares.n_ranks > 1) {
        rc = share_all(&all);
        if (rc == PAULIMPI_SUCCESS) {
            merge_all(&all);
            put_in_order(&all);
        }
    }
    end_collection(&all);
    return rc;
}

/* The coefficient of a string on the rank that holds it, 0 on the others. */
static int
find_coefficient(const paulimpi_sum *sum, const char *function,
                 const paulimpi_pauli *pauli, double *coefficient_p)
{
    const double *c = paulimpi__store_find(&sum->store, pauli->bits,
                                           pauli->bits + pauli->n_words);
    int64_t bits = 0;
    int rc;

    if (c != NULL) {
        memcpy(&bits, c, sizeof bits);
    }
    rc = paulimpi__reduce_int64(sum->ctx, function, PAULIMPI__SUM, 1, &bits);
    if (rc == PAULIMPI_SUCCESS) {
        memcpy(coefficient_p, &bits, sizeof bits);
    }
    return rc;
}

int
paulimpi_sum_coefficient(const paulimpi_sum *sum, const char *label,
                         double *coefficient_p)
{
    static const char function[] = "paulimpi_sum_coefficient";
    paulimpi_pauli *pauli = NULL;
    int rc = paulimpi__sum_check(sum, function, "sum");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = coefficient_p == NULL
             ? paulimpi__null(function, "coefficient_p")
             : paulimpi_pauli_create(sum->store.n_qubits, label, &pauli);
    rc = paulimpi__sum_agree(sum, function, rc, "the label",
                             pauli == NULL ? NULL : pauli->bits,
                             pauli == NULL ? 0 : 2 * pauli->n_words);
    if (rc == PAULIMPI_SUCCESS) {
        rc = find_coefficient(sum, function, pauli, coefficient_p);
    }
    paulimpi_pauli_destroy(&pauli);
    return rc;
}

int
paulimpi_sum_identity(const paulimpi_sum *sum, double *coefficient_p)
{
    return paulimpi_sum_coefficient(sum, "I", coefficient_p);
}
