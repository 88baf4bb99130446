/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The store of terms: fingerprints, and buckets that are doubled and joined.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "pauli/pauli.h"
#include "tap/tap.h"

enum { BLOCK = PAULIMPI__BLOCK_TERMS, MOST_KEY = 10 };

static void
draw(uint64_t *words, int64_t n)
{
    static const uint32_t key[2] = { 1, 2 };
    static uint32_t number;
    int64_t i;

    for (i = 0; i < n; i++) {
        uint32_t counter[4] = { number++, 0, 0, 0 };
        uint32_t out[4];

        paulimpi__philox(counter, key, out);
        words[i] = (uint64_t)out[0] << 32 | out[1];
    }
}

/* Fingerprints. */

static int
compare(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a;
    uint32_t right = *(const uint32_t *)b;

    return (left > right) - (left < right);
}

/* Whether a sum of up to four different bits of a key has the fingerprint 0:
 * then two sums of up to two bits have the same one. */
static void
test_short(int64_t n_key)
{
    int64_t n_bits = n_key * 64;
    uint32_t *print = malloc((size_t)(n_bits * n_bits) * sizeof *print);
    int64_t n = 0;
    int n_equal = 0;
    int64_t i, k;

    for (i = 0; i < n_bits; i++) {
        uint64_t key[MOST_KEY] = { 0 };

        key[i / 64] = (uint64_t)1 << i % 64;
        print[n++] = paulimpi__key_print(n_key, key);
    }
    for (i = 0; i < n_bits; i++) {
        for (k = 0; k < i; k++) {
            print[n++] = print[i] ^ print[k];
        }
    }
    print[n++] = 0;
    qsort(print, (size_t)n, sizeof *print, compare);
    for (i = 1; i < n; i++) {
        n_equal += print[i] == print[i - 1];
    }
    tap_is_int(n_equal, 0,
               "%d words: no key of up to four bits has the fingerprint 0",
               (int)n_key);
    free(print);
}

static void
test_prints(int64_t n_key)
{
    paulimpi__block *block =
        malloc(sizeof *block + (size_t)n_key * BLOCK * sizeof(uint64_t));
    uint32_t print[BLOCK];
    int n_wrong = 0;
    int64_t w;
    int t;

    draw(block->word, n_key * BLOCK);
    paulimpi__block_prints(n_key, block, print);
    for (t = 0; t < BLOCK; t++) {
        uint64_t key[MOST_KEY], sum[MOST_KEY];

        for (w = 0; w < n_key; w++) {
            key[w] = block->word[w * BLOCK + t];
            sum[w] = key[w] ^ block->word[w * BLOCK];
        }
        n_wrong += print[t] != paulimpi__key_print(n_key, key)
                   || print[t] != paulimpi__term_print(n_key, block, t)
                   || (print[t] ^ print[0]) != paulimpi__key_print(n_key, sum);
    }
    tap_is_int(n_wrong, 0,
               "%d words: fingerprints are linear, and the same by term, key "
               "and block",
               (int)n_key);
    free(block);
}

/* Buckets. */

/* Whether all terms are there, each in the bucket that its hash names. */
static int
is_in_order(const paulimpi__store *store, int64_t n, const uint64_t *key)
{
    int64_t n_words = store->n_words;
    int64_t n_terms = 0;
    int64_t b, i;

    for (b = 0; b < paulimpi__store_buckets(store); b++) {
        n_terms += store->buckets[b].n_terms;
    }
    for (i = 0; i < n; i++) {
        const double *c = paulimpi__store_find(
            store, key + 2 * n_words * i, key + 2 * n_words * i + n_words);

        if (c == NULL || *c != 1.0 + (double)i) {
            return 0;
        }
    }
    return n_terms == n && store->n_terms == n;
}

static int64_t
blocks_needed(const paulimpi__store *store)
{
    int64_t n = 0;
    int64_t b;

    for (b = 0; b < paulimpi__store_buckets(store); b++) {
        n += (store->buckets[b].n_terms + BLOCK - 1) / BLOCK;
    }
    return n;
}

static void
test_buckets(int64_t n_qubits, int64_t n)
{
    int64_t n_words = (n_qubits + 63) / 64;
    uint64_t *key = malloc((size_t)(2 * n_words * n) * sizeof *key);
    paulimpi__purse purse = { NULL, 0 };
    paulimpi__doubling doubling;
    paulimpi__store store;
    int n_failed = 0;
    int64_t i;

    draw(key, 2 * n_words * n);
    tap_is_status(paulimpi__store_init(&store, n_qubits), 0, "an empty store");
    for (i = 0; i < n; i++) {
        double c = 1.0 + (double)i;
        uint64_t *x = key + 2 * n_words * i;

        x[n_words - 1] >>= n_words * 64 - n_qubits;
        x[2 * n_words - 1] >>= n_words * 64 - n_qubits;
        n_failed += paulimpi__store_add(&store, 1, x, x + n_words, &c) != 0;
    }
    tap_ok(n_failed == 0 && is_in_order(&store, n, key),
           "%d terms on %d qubits", (int)n, (int)n_qubits);
    paulimpi__store_rebalance(&store, 64 * 4096);
    tap_ok(store.log2_buckets == 6 && is_in_order(&store, n, key)
               && store.pool.n_used == blocks_needed(&store),
           "are dealt out over 64 buckets, in as few blocks as can be");
    paulimpi__store_join(&store, 512);
    tap_ok(store.log2_buckets == 0 && is_in_order(&store, n, key)
               && store.pool.n_used == blocks_needed(&store),
           "and joined again");
    for (i = 1; i < 10; i++) {
        paulimpi__alloc_fail_at(i);
        if (paulimpi__store_double_begin(&store, &doubling) == 0) {
            break;
        }
        n_failed += store.log2_buckets != 0 || !is_in_order(&store, n, key);
    }
    paulimpi__alloc_fail_at(0);
    tap_ok(i > 3 && i < 10 && n_failed == 0,
           "where memory is missing they stay as they are");
    paulimpi__store_double_bucket(&doubling, 0, &purse);
    paulimpi__store_double_end(&doubling);
    paulimpi__purse_empty(&store, &purse);
    tap_ok(store.log2_buckets == 1 && is_in_order(&store, n, key),
           "otherwise they are doubled");
    paulimpi__store_free(&store);
    free(key);
}

int
main(void)
{
    int64_t n_key;

    for (n_key = 2; n_key <= MOST_KEY; n_key += 2) {
        test_prints(n_key);
    }
    for (n_key = 2; n_key <= 6; n_key += 2) {
        test_short(n_key);
    }
    test_buckets(20, 1500);
    test_buckets(64, 1);
    test_buckets(127, 3000);
    return tap_done();
}
