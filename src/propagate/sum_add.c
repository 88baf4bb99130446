/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adding terms to a sum on several ranks: terms that all ranks know, of which
 * each adds its own, and terms that each rank brings, which travel.
 */
#include <string.h>

#include "comm/comm.h"
#include "propagate/file.h"
#include "propagate/move.h"

enum { BLOCK = PAULIMPI__BLOCK_TERMS };

/* Terms in arrays. */
typedef struct {
    uint64_t *x;
    uint64_t *z;
    double *coefficient;
    int64_t n;
} terms;

static int
allocate(terms *t, int64_t n, int64_t n_words)
{
    size_t key_bytes = (size_t)n_words * sizeof(uint64_t);

    t->x = paulimpi__alloc((size_t)n + 1, key_bytes);
    t->z = paulimpi__alloc((size_t)n + 1, key_bytes);
    t->coefficient = paulimpi__alloc((size_t)n + 1, sizeof *t->coefficient);
    return t->x == NULL || t->z == NULL || t->coefficient == NULL
               ? PAULIMPI_ERR_MEMORY
               : PAULIMPI_SUCCESS;
}

static void
release(terms *t)
{
    paulimpi__free(t->x);
    paulimpi__free(t->z);
    paulimpi__free(t->coefficient);
}

static void
put(terms *t, int64_t i, int64_t n_words, const uint64_t *x, const uint64_t *z,
    double coefficient)
{
    memcpy(t->x + i * n_words, x, (size_t)n_words * sizeof *x);
    memcpy(t->z + i * n_words, z, (size_t)n_words * sizeof *z);
    t->coefficient[i] = coefficient;
}

static int
agree(void *data, int code)
{
    return paulimpi__agree(data, code);
}

/* Add to the local store what all ranks can take, and count. */
static int
add_to_stores(paulimpi_sum *sum, const char *function, int64_t n,
              const uint64_t *x, const uint64_t *z, const double *coefficient)
{
    int64_t bytes = paulimpi__store_bytes_for(&sum->store, n);
    int rc = paulimpi__store_add_if(&sum->store, n, x, z, coefficient, agree,
                                    sum->ctx);

    if (rc == PAULIMPI_ERR_MEMORY) {
        rc = paulimpi__no_memory(function, (size_t)bytes);
    }
    return rc != PAULIMPI_SUCCESS ? rc : paulimpi__sum_count(sum, function);
}

/* A fingerprint of terms that does not depend on their order. */
static uint64_t
print_terms(const paulimpi_sum *sum, int64_t n, const uint64_t *x,
            const uint64_t *z, const double *coefficient)
{
    int64_t n_words = sum->store.n_words;
    uint64_t print = (uint64_t)n;
    int64_t i;

    for (i = 0; i < n; i++) {
        uint64_t term = paulimpi__checksum(0, x + i * n_words, n_words);
        uint64_t bits;

        memcpy(&bits, &coefficient[i], sizeof bits);
        term = paulimpi__checksum(term, z + i * n_words, n_words);
        print += paulimpi__checksum(term, &bits, 1);
    }
    return print;
}

int
paulimpi__sum_add_replicated(paulimpi_sum *sum, const char *function,
                             int64_t n, const uint64_t *x, const uint64_t *z,
                             const double *coefficient)
{
    int64_t n_words = sum->store.n_words;
    terms own = { NULL, NULL, NULL, 0 };
    int64_t i;
    int rc;

    if (sum->shares.n_ranks == 1) {
        return add_to_stores(sum, function, n, x, z, coefficient);
    }
    rc = paulimpi__agree_same(sum->ctx, function, "the list of terms to add",
                              print_terms(sum, n, x, z, coefficient));
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = allocate(&own, n, n_words) == PAULIMPI_SUCCESS
             ? PAULIMPI_SUCCESS
             : paulimpi__no_memory(function, (size_t)(n * n_words * 16));
    rc = paulimpi__agree(sum->ctx, rc);
    for (i = 0; i < n && rc == PAULIMPI_SUCCESS; i++) {
        const uint64_t *key_x = x + i * n_words;
        const uint64_t *key_z = z + i * n_words;

        if (paulimpi__shares_rank(&sum->shares, key_x, key_z)
            == sum->shares.rank) {
            put(&own, own.n++, n_words, key_x, key_z, coefficient[i]);
        }
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc =
            add_to_stores(sum, function, own.n, own.x, own.z, own.coefficient);
    }
    release(&own);
    return rc;
}

/* Terms on their way: what each rank gets, and what comes, by rank. */
typedef struct {
    paulimpi_sum *sum;
    paulimpi__carrier carrier;
    int32_t *rank;  /* of each term */
    int64_t *n_out; /* terms for each rank, also this one */
    int64_t *next;  /* place for the next term from each rank */
    terms in;
} delivery;

static int
begin(delivery *d, const char *function, int64_t n)
{
    paulimpi_sum *sum = d->sum;
    size_t n_ranks = (size_t)sum->shares.n_ranks;
    int rc =
        paulimpi__carrier_init(&d->carrier, sum->ctx, function, &sum->store);

    d->rank = paulimpi__alloc((size_t)n + 1, sizeof *d->rank);
    d->n_out = paulimpi__alloc_zero(n_ranks, sizeof *d->n_out);
    d->next = paulimpi__alloc_zero(n_ranks, sizeof *d->next);
    if (rc != PAULIMPI_SUCCESS || d->rank == NULL || d->n_out == NULL
        || d->next == NULL) {
        return paulimpi__no_memory(function, (size_t)n * sizeof *d->rank);
    }
    return PAULIMPI_SUCCESS;
}

static void
end(delivery *d)
{
    release(&d->in);
    paulimpi__free(d->next);
    paulimpi__free(d->n_out);
    paulimpi__free(d->rank);
    paulimpi__carrier_free(&d->carrier);
}

/* Count the terms for each rank, and tell it; code is a failure before. */
static int
address(delivery *d, int code, int64_t n, const uint64_t *x, const uint64_t *z)
{
    int64_t n_words = d->sum->store.n_words;
    int64_t i;

    for (i = 0; i < n && code == PAULIMPI_SUCCESS; i++) {
        d->rank[i] = paulimpi__shares_rank(&d->sum->shares, x + i * n_words,
                                           z + i * n_words);
        d->n_out[d->rank[i]]++;
    }
    return paulimpi__carry_counts(&d->carrier, code, d->n_out);
}

/* Room for what comes, and for the chains of what goes. */
static int
make_room(delivery *d, const char *function)
{
    paulimpi__carrier *carrier = &d->carrier;
    int64_t n_own = d->n_out[carrier->rank];
    int64_t place = 0;
    int r;

    for (r = 0; r < carrier->n_ranks; r++) {
        d->next[r] = place;
        place += r == carrier->rank ? n_own : carrier->n_in[r];
    }
    d->in.n = place;
    if (allocate(&d->in, place, d->sum->store.n_words) != PAULIMPI_SUCCESS
        || paulimpi__store_reserve(
               &d->sum->store,
               carrier->n_terms_out + (int64_t)BLOCK * (carrier->n_ranks + 1))
               != PAULIMPI_SUCCESS) {
        return paulimpi__no_memory(
            function, (size_t)(place * d->sum->store.n_words * 16));
    }
    return paulimpi__carry_reserve(carrier);
}

/* Write a term at the end of a rank's chain. */
static void
load(delivery *d, paulimpi__purse *purse, int rank, const uint64_t *x,
     const uint64_t *z, double coefficient)
{
    paulimpi__chain *chain = &d->carrier.out[rank];
    int64_t n_words = d->sum->store.n_words;
    int slot = (int)(chain->n_terms++ % BLOCK);
    int64_t w;

    if (slot == 0) {
        paulimpi__chain_extend(chain,
                               paulimpi__block_take(&d->sum->store, purse));
    }
    chain->last->coefficient[slot] = coefficient;
    for (w = 0; w < n_words; w++) {
        chain->last->word[w * BLOCK + slot] = x[w];
        chain->last->word[(n_words + w) * BLOCK + slot] = z[w];
    }
}

/* Take this rank's own terms, and load the others. */
static void
sort_out(delivery *d, int64_t n, const uint64_t *x, const uint64_t *z,
         const double *coefficient)
{
    int64_t n_words = d->sum->store.n_words;
    paulimpi__purse purse = { NULL, 0 };
    int64_t i;

    for (i = 0; i < n; i++) {
        int r = d->rank[i];

        if (r == d->carrier.rank) {
            put(&d->in, d->next[r]++, n_words, x + i * n_words,
                z + i * n_words, coefficient[i]);
        } else {
            load(d, &purse, r, x + i * n_words, z + i * n_words,
                 coefficient[i]);
        }
    }
    paulimpi__purse_empty(&d->sum->store, &purse);
}

static int
receive(void *data, const paulimpi__arrival *arrival)
{
    delivery *d = data;
    const paulimpi__block *block = arrival->block;
    int64_t n_words = d->sum->store.n_words;
    int64_t w;
    int t;

    for (t = 0; t < arrival->n_terms; t++) {
        int64_t i = d->next[arrival->from]++;

        d->in.coefficient[i] = block->coefficient[t];
        for (w = 0; w < n_words; w++) {
            d->in.x[i * n_words + w] = block->word[w * BLOCK + t];
            d->in.z[i * n_words + w] = block->word[(n_words + w) * BLOCK + t];
        }
    }
    return 0;
}

int
paulimpi__sum_add_distributed(paulimpi_sum *sum, const char *function,
                              int64_t n, const uint64_t *x, const uint64_t *z,
                              const double *coefficient)
{
    delivery d = { .sum = sum };
    int rc;

    if (sum->shares.n_ranks == 1) {
        return add_to_stores(sum, function, n, x, z, coefficient);
    }
    rc = address(&d, begin(&d, function, n), n, x, z);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__agree(sum->ctx, make_room(&d, function));
    }
    if (rc == PAULIMPI_SUCCESS) {
        sort_out(&d, n, x, z, coefficient);
        rc = paulimpi__carry(&d.carrier, receive, &d);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = add_to_stores(sum, function, d.in.n, d.in.x, d.in.z,
                           d.in.coefficient);
    }
    end(&d);
    return rc;
}
