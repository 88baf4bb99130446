/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether all ranks have the same.
 */
#include <stdio.h>

#include "comm/call.h"

uint64_t
paulimpi__fingerprint(int64_t n, const int64_t *numbers)
{
    uint64_t print = UINT64_C(0xcbf29ce484222325) + (uint64_t)n;
    int64_t i;

    for (i = 0; i < n; i++) {
        print = (print ^ (uint64_t)numbers[i]) * UINT64_C(0x9e3779b97f4a7c15);
        print ^= print >> 32;
    }
    return print;
}

/* The fingerprint that most ranks have; of several the one of the lowest
 * rank. */
static uint64_t
most_common(const uint64_t *of, int n)
{
    int best = 0;
    int best_n = 0;
    int i, j, n_same;

    for (i = 0; i < n && best_n <= n / 2; i++) {
        n_same = 0;
        for (j = 0; j < n; j++) {
            n_same += of[j] == of[i];
        }
        if (n_same > best_n) {
            best = i;
            best_n = n_same;
        }
    }
    return of[best];
}

/* Say which ranks differ; is_in has room for all. */
static int
tell(const paulimpi_context *ctx, const char *function, const char *what,
     const uint64_t *of, unsigned char *is_in)
{
    char others[PAULIMPI__RANKS_TEXT];
    char most[PAULIMPI__RANKS_TEXT];
    uint64_t common = most_common(of, ctx->size);
    int i;

    for (i = 0; i < ctx->size; i++) {
        is_in[i] = of[i] != common;
    }
    paulimpi__ranks_describe(ctx->size, is_in, NULL, others);
    for (i = 0; i < ctx->size; i++) {
        is_in[i] = !is_in[i];
    }
    paulimpi__ranks_describe(ctx->size, is_in, NULL, most);
    return paulimpi__error(PAULIMPI_ERR_MISMATCH,
                           "%s: %s of %s differs from that of %s", function,
                           what, others, most);
}

/* They differ: find out who from whom. */
static int
find_out(paulimpi_context *ctx, const char *function, const char *what,
         uint64_t fingerprint)
{
    size_t n = (size_t)ctx->size;
    uint64_t *of = paulimpi__alloc(n, sizeof *of);
    unsigned char *is_in = paulimpi__alloc(n, 1);
    int rc = PAULIMPI_SUCCESS;

    if (of == NULL || is_in == NULL) {
        rc = paulimpi__no_memory(function, n * sizeof *of);
    }
    rc = paulimpi__agree_in(ctx, function, rc);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__gather_bytes(ctx, function, &fingerprint,
                                    sizeof fingerprint, of);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = tell(ctx, function, what, of, is_in);
    }
    paulimpi__free(of);
    paulimpi__free(is_in);
    return rc;
}

int
paulimpi__agree_same(paulimpi_context *ctx, const char *function,
                     const char *what, uint64_t fingerprint)
{
    /* In two parts, so that both signs of each fit. */
    int64_t high = (int64_t)(fingerprint >> 32);
    int64_t low = (int64_t)(fingerprint & UINT32_MAX);
    int64_t word[4] = { high, -high, low, -low };
    int rc = paulimpi__reduce_int64(ctx, function, PAULIMPI__MAX, 4, word);

    if (rc != PAULIMPI_SUCCESS
        || (word[0] == -word[1] && word[2] == -word[3])) {
        return rc;
    }
    return find_out(ctx, function, what, fingerprint);
}
