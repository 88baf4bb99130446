/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums: creation, addition, scaling.
 */
#include "propagate/sum.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "comm/comm.h"
#include "propagate/move.h"

enum { BLOCK = PAULIMPI__BLOCK_TERMS };

int
paulimpi__sum_check(const paulimpi_sum *sum, const char *function,
                    const char *argument)
{
    return paulimpi__handle_check(sum, PAULIMPI__HANDLE_SUM, function,
                                  argument);
}

void
paulimpi__store_visit(const paulimpi__store *store, paulimpi__visitor visit,
                      void *data)
{
    int64_t n_buckets = paulimpi__store_buckets(store);
    int64_t b;

    for (b = 0; b < n_buckets; b++) {
        int64_t rest = store->buckets[b].n_terms;
        const paulimpi__block *block = store->buckets[b].head;

        for (; block != NULL; block = block->next) {
            int n = rest < BLOCK ? (int)rest : BLOCK;

            visit(block, n, store->n_words, data);
            rest -= n;
        }
    }
}

static int
check_create(paulimpi_context *ctx, int64_t n_qubits)
{
    static const char function[] = "paulimpi_sum_create";
    int rc =
        paulimpi__handle_check(ctx, PAULIMPI__HANDLE_CONTEXT, function, "ctx");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (n_qubits < 1) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: n_qubits is %" PRId64
                               ", but must be at least 1",
                               function, n_qubits);
    }
    /* A block holds 64 keys of 2 bits a qubit, and must be addressable. */
    if (n_qubits > INT64_MAX / 64) {
        return paulimpi__error(PAULIMPI_ERR_RANGE,
                               "%s: %" PRId64 " qubits need terms larger than "
                               "the address space",
                               function, n_qubits);
    }
    return PAULIMPI_SUCCESS;
}

/* A sum without a store. */
static int
create_shell(paulimpi_context *ctx, const char *function, paulimpi_sum **sum_p)
{
    paulimpi_sum *sum = paulimpi__alloc_zero(1, sizeof *sum);
    int rc;

    if (sum == NULL) {
        return paulimpi__no_memory(function, sizeof *sum);
    }
    rc = paulimpi__handle_enter(sum, PAULIMPI__HANDLE_SUM);
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi__free(sum);
        return rc;
    }
    sum->ctx = ctx;
    paulimpi__context_retain(ctx);
    *sum_p = sum;
    return PAULIMPI_SUCCESS;
}

/* What can fail on one rank. */
static int
create_local(paulimpi_context *ctx, const char *function, int64_t n_qubits,
             paulimpi_sum **sum_p)
{
    int rc = check_create(ctx, n_qubits);

    if (rc == PAULIMPI_SUCCESS) {
        rc = create_shell(ctx, function, sum_p);
    }
    if (rc == PAULIMPI_SUCCESS
        && (paulimpi__store_init(&(*sum_p)->store, n_qubits)
                != PAULIMPI_SUCCESS
            || paulimpi__shares_init(&(*sum_p)->shares, ctx, n_qubits)
                   != PAULIMPI_SUCCESS)) {
        rc = paulimpi__no_memory(function, (size_t)n_qubits * 8);
    }
    return rc;
}

/* A new sum is there on all ranks, or on none. */
static int
agree_on_new(paulimpi_context *ctx, int code, paulimpi_sum **sum_p)
{
    int rc = paulimpi__agree(ctx, code);

    if (rc != PAULIMPI_SUCCESS) {
        paulimpi_sum_destroy(sum_p);
    }
    return rc;
}

int
paulimpi_sum_create(paulimpi_context *ctx, int64_t n_qubits,
                    paulimpi_sum **sum_p)
{
    static const char function[] = "paulimpi_sum_create";
    int rc;

    if (sum_p != NULL) {
        *sum_p = NULL;
    }
    rc =
        paulimpi__handle_check(ctx, PAULIMPI__HANDLE_CONTEXT, function, "ctx");
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = sum_p == NULL ? paulimpi__null(function, "sum_p")
                       : create_local(ctx, function, n_qubits, sum_p);
    rc = agree_on_new(ctx, rc, sum_p);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__agree_same(ctx, function, "the number of qubits",
                                  (uint64_t)n_qubits);
    }
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi_sum_destroy(sum_p);
    }
    return rc;
}

static int
copy_local(const paulimpi_sum *sum, const char *function,
           paulimpi_sum **copy_p)
{
    int rc = create_shell(sum->ctx, function, copy_p);

    if (rc == PAULIMPI_SUCCESS) {
        (*copy_p)->n_terms = sum->n_terms;
    }
    if (rc == PAULIMPI_SUCCESS
        && (paulimpi__store_copy(&(*copy_p)->store, &sum->store)
                != PAULIMPI_SUCCESS
            || paulimpi__shares_copy(&(*copy_p)->shares, &sum->shares)
                   != PAULIMPI_SUCCESS)) {
        rc = paulimpi__no_memory(function,
                                 (size_t)paulimpi__store_bytes(&sum->store));
    }
    return rc;
}

int
paulimpi_sum_copy(const paulimpi_sum *sum, paulimpi_sum **copy_p)
{
    static const char function[] = "paulimpi_sum_copy";
    int rc;

    if (copy_p != NULL) {
        *copy_p = NULL;
    }
    rc = paulimpi__sum_check(sum, function, "sum");
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = copy_p == NULL ? paulimpi__null(function, "copy_p")
                        : copy_local(sum, function, copy_p);
    return agree_on_new(sum->ctx, rc, copy_p);
}

int
paulimpi__sum_copy_as(const paulimpi_sum *sum, const char *function,
                      const paulimpi__shares *shares, paulimpi_sum **copy_p)
{
    paulimpi__carrier carrier;
    paulimpi_sum *copy;
    int rc;

    *copy_p = NULL;
    rc = agree_on_new(sum->ctx, copy_local(sum, function, copy_p), copy_p);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    copy = *copy_p;
    rc = paulimpi__carrier_init(&carrier, sum->ctx, function, &copy->store);
    if (rc != PAULIMPI_SUCCESS) {
        rc = paulimpi__no_memory(function, sizeof carrier);
    }
    rc = paulimpi__agree(sum->ctx, rc);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__move_terms(&carrier, shares, INT64_MAX);
    }
    paulimpi__carrier_free(&carrier);
    if (rc == PAULIMPI_SUCCESS) {
        paulimpi__shares_take(&copy->shares, shares);
    } else {
        paulimpi_sum_destroy(copy_p);
    }
    return rc;
}

void
paulimpi_sum_destroy(paulimpi_sum **sum_p)
{
    if (sum_p == NULL || *sum_p == NULL
        || paulimpi__sum_check(*sum_p, "paulimpi_sum_destroy", "sum")
               != PAULIMPI_SUCCESS) {
        return;
    }
    paulimpi__handle_leave(*sum_p);
    paulimpi__store_free(&(*sum_p)->store);
    paulimpi__shares_free(&(*sum_p)->shares);
    paulimpi__context_release((*sum_p)->ctx);
    paulimpi__free(*sum_p);
    *sum_p = NULL;
}

int64_t
paulimpi_sum_qubits(const paulimpi_sum *sum)
{
    int rc = paulimpi__sum_check(sum, "paulimpi_sum_qubits", "sum");

    return rc != PAULIMPI_SUCCESS ? rc : sum->store.n_qubits;
}

int64_t
paulimpi_sum_terms(const paulimpi_sum *sum)
{
    int rc = paulimpi__sum_check(sum, "paulimpi_sum_terms", "sum");

    return rc != PAULIMPI_SUCCESS ? rc : sum->n_terms;
}

int64_t
paulimpi_sum_local_terms(const paulimpi_sum *sum)
{
    int rc = paulimpi__sum_check(sum, "paulimpi_sum_local_terms", "sum");

    return rc != PAULIMPI_SUCCESS ? rc : sum->store.n_terms;
}

int
paulimpi__sum_count(paulimpi_sum *sum, const char *function)
{
    sum->n_terms = sum->store.n_terms;
    return paulimpi__reduce_int64(sum->ctx, function, PAULIMPI__SUM, 1,
                                  &sum->n_terms);
}

static int
check_finite(const char *function, const char *what, int64_t number,
             double value)
{
    if (isfinite(value)) {
        return PAULIMPI_SUCCESS;
    }
    return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                           "%s: %s %" PRId64 " is %g, but must be finite",
                           function, what, number, value);
}

static int
check_terms(const paulimpi_sum *sum, const char *function, int64_t n,
            const uint64_t *x, const uint64_t *z, const double *coefficient)
{
    int64_t n_words = sum->store.n_words;
    int rc = PAULIMPI_SUCCESS;
    int64_t i;

    if (n < 0) {
        return paulimpi__error(
            PAULIMPI_ERR_ARGUMENT,
            "%s: n is %" PRId64 ", but must not be negative", function, n);
    }
    if (n > 0 && (x == NULL || z == NULL || coefficient == NULL)) {
        return paulimpi__null(function, x == NULL   ? "x"
                                        : z == NULL ? "z"
                                                    : "coefficient");
    }
    for (i = 0; i < n && rc == PAULIMPI_SUCCESS; i++) {
        int64_t bit =
            paulimpi__stray_bit(sum->store.n_qubits, x + i * n_words);

        if (bit < 0) {
            bit = paulimpi__stray_bit(sum->store.n_qubits, z + i * n_words);
        }
        if (bit >= 0) {
            return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                                   "%s: term %" PRId64 " has bit %" PRId64
                                   " set, but the sum has %" PRId64 " qubits",
                                   function, i, bit, sum->store.n_qubits);
        }
        rc = check_finite(function, "coefficient", i, coefficient[i]);
    }
    return rc;
}

int
paulimpi_sum_add_terms(paulimpi_sum *sum, int64_t n, const uint64_t *x,
                       const uint64_t *z, const double *coefficient)
{
    static const char function[] = "paulimpi_sum_add_terms";
    int rc = paulimpi__sum_check(sum, function, "sum");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = paulimpi__agree(sum->ctx,
                         check_terms(sum, function, n, x, z, coefficient));
    return rc != PAULIMPI_SUCCESS ? rc
                                  : paulimpi__sum_add_replicated(
                                      sum, function, n, x, z, coefficient);
}

int
paulimpi_sum_add_local_terms(paulimpi_sum *sum, int64_t n, const uint64_t *x,
                             const uint64_t *z, const double *coefficient)
{
    static const char function[] = "paulimpi_sum_add_local_terms";
    int rc = paulimpi__sum_check(sum, function, "sum");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = paulimpi__agree(sum->ctx,
                         check_terms(sum, function, n, x, z, coefficient));
    return rc != PAULIMPI_SUCCESS ? rc
                                  : paulimpi__sum_add_distributed(
                                      sum, function, n, x, z, coefficient);
}

static int
check_pauli(const paulimpi_sum *sum, const char *function,
            const paulimpi_pauli *pauli, double coefficient)
{
    int rc = paulimpi__handle_check(pauli, PAULIMPI__HANDLE_PAULI, function,
                                    "pauli");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (pauli->n_qubits != sum->store.n_qubits) {
        return paulimpi__error(PAULIMPI_ERR_MISMATCH,
                               "%s: the string has %" PRId64
                               " qubits, the sum %" PRId64,
                               function, pauli->n_qubits, sum->store.n_qubits);
    }
    return check_finite(function, "coefficient", 0, coefficient);
}

int
paulimpi_sum_add_pauli(paulimpi_sum *sum, const paulimpi_pauli *pauli,
                       double coefficient)
{
    static const char function[] = "paulimpi_sum_add_pauli";
    int rc = paulimpi__sum_check(sum, function, "sum");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = paulimpi__agree(sum->ctx,
                         check_pauli(sum, function, pauli, coefficient));
    return rc != PAULIMPI_SUCCESS
               ? rc
               : paulimpi__sum_add_replicated(sum, function, 1, pauli->bits,
                                              pauli->bits + pauli->n_words,
                                              &coefficient);
}

/* Terms copied out of a store, for an addition. */
typedef struct {
    uint64_t *x;
    uint64_t *z;
    double *coefficient;
    double factor;
    int64_t n;
} gathered;

static void
gather(const paulimpi__block *block, int n_terms, int64_t n_words, void *data)
{
    gathered *terms = data;
    int64_t w;
    int t;

    for (t = 0; t < n_terms; t++) {
        for (w = 0; w < n_words; w++) {
            terms->x[terms->n * n_words + w] = block->word[w * BLOCK + t];
            terms->z[terms->n * n_words + w] =
                block->word[(n_words + w) * BLOCK + t];
        }
        terms->coefficient[terms->n] = terms->factor * block->coefficient[t];
        terms->n++;
    }
}

/* Copy the terms of a sum out, times a factor. */
static int
gather_all(gathered *terms, const char *function, const paulimpi_sum *sum)
{
    size_t n = (size_t)sum->store.n_terms + 1;
    size_t key_bytes = (size_t)sum->store.n_words * sizeof(uint64_t);

    terms->x = paulimpi__alloc(n, key_bytes);
    terms->z = paulimpi__alloc(n, key_bytes);
    terms->coefficient = paulimpi__alloc(n, sizeof *terms->coefficient);
    if (terms->x == NULL || terms->z == NULL || terms->coefficient == NULL) {
        return paulimpi__no_memory(function, n * (2 * key_bytes + 8));
    }
    paulimpi__store_visit(&sum->store, gather, terms);
    return check_terms(sum, function, terms->n, terms->x, terms->z,
                       terms->coefficient);
}

static int
add_scaled(paulimpi_sum *sum, const char *function, const paulimpi_sum *other,
           double factor)
{
    gathered terms = { .factor = factor };
    int rc = paulimpi__agree(sum->ctx, gather_all(&terms, function, other));

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__sum_add_distributed(sum, function, terms.n, terms.x,
                                           terms.z, terms.coefficient);
    }
    paulimpi__free(terms.coefficient);
    paulimpi__free(terms.z);
    paulimpi__free(terms.x);
    return rc;
}

/* Whether two sums can be added, or compared. */
int
paulimpi__sums_check(const paulimpi_sum *a, const paulimpi_sum *b,
                     const char *function, const char *argument)
{
    int rc = paulimpi__sum_check(b, function, argument);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (a->store.n_qubits != b->store.n_qubits) {
        return paulimpi__error(PAULIMPI_ERR_MISMATCH,
                               "%s: the sums have %" PRId64 " and %" PRId64
                               " qubits",
                               function, a->store.n_qubits, b->store.n_qubits);
    }
    if (a->ctx != b->ctx && a->shares.n_ranks + b->shares.n_ranks > 2) {
        return paulimpi__error(PAULIMPI_ERR_MISMATCH,
                               "%s: the sums are on different contexts: make "
                               "both on the same one",
                               function);
    }
    return PAULIMPI_SUCCESS;
}

static int
agree_on_factor(paulimpi_sum *sum, const char *function, int code,
                double factor)
{
    uint64_t bits;
    int rc = paulimpi__agree(sum->ctx, code);

    memcpy(&bits, &factor, sizeof bits);
    return rc != PAULIMPI_SUCCESS
               ? rc
               : paulimpi__agree_same(sum->ctx, function, "the factor", bits);
}

int
paulimpi_sum_add(paulimpi_sum *sum, const paulimpi_sum *other, double factor)
{
    static const char function[] = "paulimpi_sum_add";
    int rc = paulimpi__sum_check(sum, function, "sum");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = paulimpi__sums_check(sum, other, function, "other");
    if (rc == PAULIMPI_SUCCESS) {
        rc = check_finite(function, "factor", 1, factor);
    }
    rc = agree_on_factor(sum, function, rc, factor);
    return rc != PAULIMPI_SUCCESS ? rc
                                  : add_scaled(sum, function, other, factor);
}

/* Multiply the terms of a bucket; returns whether one became 0. */
static int
scale_bucket(paulimpi__bucket *bucket, double factor)
{
    int64_t rest = bucket->n_terms;
    paulimpi__block *block;
    int has_zero = 0;

    for (block = bucket->head; block != NULL; block = block->next) {
        int n = rest < BLOCK ? (int)rest : BLOCK;
        int t;

        for (t = 0; t < n; t++) {
            block->coefficient[t] *= factor;
            has_zero |= block->coefficient[t] == 0.0;
        }
        rest -= n;
    }
    return has_zero;
}

static void
find_largest(const paulimpi__block *block, int n_terms, int64_t n_words,
             void *data)
{
    double *largest = data;
    int t;

    (void)n_words;
    for (t = 0; t < n_terms; t++) {
        *largest = fmax(*largest, fabs(block->coefficient[t]));
    }
}

/* Whether no coefficient overflows, before any is changed. */
static int
check_scale(const paulimpi_sum *sum, const char *function, double factor)
{
    double largest = 0.0;

    paulimpi__store_visit(&sum->store, find_largest, &largest);
    if (!isfinite(largest * factor)) {
        return paulimpi__error(PAULIMPI_ERR_RANGE,
                               "%s: the coefficient %g times %g is too large "
                               "for a double",
                               function, largest, factor);
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi_sum_scale(paulimpi_sum *sum, double factor)
{
    static const char function[] = "paulimpi_sum_scale";
    paulimpi__purse purse = { NULL, 0 };
    int64_t n_buckets, b;
    int rc = paulimpi__sum_check(sum, function, "sum");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = check_finite(function, "factor", 1, factor);
    if (rc == PAULIMPI_SUCCESS) {
        rc = check_scale(sum, function, factor);
    }
    rc = agree_on_factor(sum, function, rc, factor);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    n_buckets = paulimpi__store_buckets(&sum->store);
    for (b = 0; b < n_buckets; b++) {
        paulimpi__bucket *bucket = &sum->store.buckets[b];
        int64_t n_before = bucket->n_terms;

        if (scale_bucket(bucket, factor)) {
            paulimpi__bucket_compact(&sum->store, bucket, &purse);
            sum->store.n_terms += bucket->n_terms - n_before;
        }
    }
    paulimpi__purse_empty(&sum->store, &purse);
    return paulimpi__sum_count(sum, function);
}
