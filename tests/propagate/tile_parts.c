/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parts of the tile engine: spans and their null functions, dealing terms
 * out, a pass that gives a store another hash.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "propagate/deal.h"
#include "propagate/span.h"
#include "propagate/support.h"
#include "propagate/tile_pass.h"

enum { MOST_WORDS = 5, N_STRINGS = 40, N_DRAWS = 200 };

/* A small generator, so that a failure can be repeated. */
static uint64_t
draw_word(void)
{
    static uint64_t state = 1;

    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return state ^ state >> 29;
}

/* A string on n qubits; every fourth one is the sum of two before it. */
static void
draw_key(uint64_t *keys, int64_t i, int64_t n_qubits)
{
    int64_t n_words = (n_qubits + 63) / 64;
    uint64_t *key = keys + i * 2 * n_words;
    int64_t w;

    for (w = 0; w < 2 * n_words; w++) {
        int64_t left = n_qubits - w % n_words * 64;

        key[w] = draw_word();
        if (left < 64) {
            key[w] &= ((uint64_t)1 << left) - 1;
        }
        if (i % 4 == 3) {
            key[w] = key[w - 2 * n_words] ^ key[w - 4 * n_words];
        }
    }
}

static int
product(const uint64_t *a, const uint64_t *b, int64_t n)
{
    uint64_t odd = 0;
    int64_t w;

    for (w = 0; w < n; w++) {
        odd ^= a[w] & b[w];
    }
    return paulimpi__parity(odd);
}

static void
test_span(int64_t n_qubits)
{
    int64_t n = (n_qubits + 63) / 64 * 2;
    uint64_t keys[N_STRINGS * 2 * MOST_WORDS];
    uint64_t function[2 * MOST_WORDS];
    uint64_t seen[2 * MOST_WORDS] = { 0 };
    paulimpi__span span;
    int vanish = 1;
    int are_inside = 1;
    int64_t i, k, w;

    tap_is_status(paulimpi__span_init(&span, n_qubits, N_STRINGS), 0,
                  "a span on %d qubits can be made", (int)n_qubits);
    for (i = 0; i < N_STRINGS; i++) {
        draw_key(keys, i, n_qubits);
        paulimpi__span_add(&span, keys + i * n);
    }
    for (i = 0; i < N_STRINGS; i++) {
        are_inside &= !paulimpi__span_is_new(&span, keys + i * n);
    }
    tap_ok(are_inside, "what was added is inside");
    tap_is_int(span.n_rows,
               N_STRINGS * 3 / 4 < 2 * n_qubits ? N_STRINGS * 3 / 4
                                                : 2 * n_qubits,
               "the rank is that of the independent ones");
    for (k = 0; k < N_DRAWS; k++) {
        paulimpi__span_draw(&span, (uint64_t)k, function);
        for (i = 0; i < N_STRINGS; i++) {
            vanish &= !product(function, keys + i * n, n);
        }
        for (w = 0; w < n; w++) {
            seen[w] |= function[w];
        }
    }
    tap_ok(vanish, "every function drawn vanishes on the span");
    tap_ok((seen[0] != 0) == (span.n_rows < 2 * n_qubits),
           "and is not 0, unless nothing is outside");
    paulimpi__span_clear(&span);
    tap_ok(paulimpi__span_is_new(&span, keys), "a span can be emptied");
    paulimpi__span_free(&span);
}

/* A store of random terms, and the run that passes need. */
static void
fill_store(paulimpi__store *store, int64_t n_qubits, int64_t n_terms)
{
    uint64_t keys[2 * MOST_WORDS];
    int64_t i;

    if (paulimpi__store_init(store, n_qubits) != 0) {
        tap_bail("no memory");
    }
    for (i = 0; i < n_terms; i++) {
        double c = 1.0 + (double)i;

        draw_key(keys, 0, n_qubits);
        if (paulimpi__store_add(store, 1, keys, keys + store->n_words, &c)
            != 0) {
            tap_bail("no memory");
        }
    }
}

/* Every term lies in the bucket that its hash names. */
static int
is_in_order(const paulimpi__store *store)
{
    int64_t n_buckets = paulimpi__store_buckets(store);
    int64_t n_terms = 0;
    int64_t b, i, w;

    for (b = 0; b < n_buckets; b++) {
        const paulimpi__block *block = store->buckets[b].head;

        for (i = 0; i < store->buckets[b].n_terms; i++) {
            uint64_t key[2 * MOST_WORDS];

            block = i > 0 && i % 64 == 0 ? block->next : block;
            for (w = 0; w < 2 * store->n_words; w++) {
                key[w] = block->word[w * 64 + i % 64];
            }
            if ((paulimpi__store_hash(store, key, key + store->n_words)
                 & (n_buckets - 1))
                != b) {
                return 0;
            }
            n_terms++;
        }
    }
    return n_terms == store->n_terms;
}

/* A pass without gates moves the terms to the buckets of the next group. */
static void
test_empty_pass(int64_t n_qubits, int log2_buckets)
{
    paulimpi_truncation truncation = PAULIMPI_TRUNCATION_INIT;
    uint64_t support[2 * MOST_WORDS];
    paulimpi__store store;
    paulimpi__run run = { .store = &store,
                          .n_threads = 1,
                          .memory_limit = INT64_MAX,
                          .truncation = &truncation };
    paulimpi__group group[2] = { { 0 } };
    paulimpi__tile_pass pass = { 0 };
    paulimpi__limits limits;
    uint64_t n_draws = 0;

    fill_store(&store, n_qubits, 3000);
    memset(support, 0xff, sizeof support);
    check(paulimpi__workspace_begin(&run));
    check(paulimpi__group_init(&group[0], &run));
    check(paulimpi__group_init(&group[1], &run));
    check(paulimpi__tile_pass_init(&pass, &run));
    limits = paulimpi__limits_of(&run);
    paulimpi__group_gather(&group[0], &run, 0, support, 0, 0);
    paulimpi__group_gather(&group[1], &run, 0, support, log2_buckets, 0);
    paulimpi__tile_pass_plan(&pass, &run, &group[0], &limits);
    paulimpi__group_draw(&group[1], &store, &n_draws);
    tap_is_status(paulimpi__tile_pass_do(&pass, &run, &group[1]), 0,
                  "3000 terms on %d qubits move to %d buckets", (int)n_qubits,
                  1 << log2_buckets);
    tap_is_int(store.n_terms, 3000, "none is lost");
    tap_is_int(paulimpi__tile_pass_count(&pass, 0), 3000, "all are counted");
    tap_ok(is_in_order(&store), "and each is where its hash says");
    paulimpi__tile_pass_free(&pass);
    paulimpi__group_free(&group[0]);
    paulimpi__group_free(&group[1]);
    paulimpi__workspace_end(&run);
    paulimpi__store_free(&store);
}

/* Dealing out. */

enum { MOST_THREADS = 3 };

/* Put n terms on a chain: string number `first` and the following ones. */
static void
fill_chain(const paulimpi__deal *deal, paulimpi__chain *chain, int64_t first,
           int64_t n)
{
    paulimpi__store *store = deal->store;
    paulimpi__purse purse = { NULL, 0 };
    int64_t w;

    for (; n > 0; n--, first++) {
        int64_t slot = chain->n_terms++ % PAULIMPI__BLOCK_TERMS;

        if (slot == 0) {
            paulimpi__deal_extend(deal, chain,
                                  paulimpi__block_take(store, &purse));
        }
        for (w = 0; w < 2 * store->n_words; w++) {
            chain->last->word[w * PAULIMPI__BLOCK_TERMS + slot] =
                (uint64_t)(first + w);
        }
        chain->last->coefficient[slot] = (double)first;
    }
}

/* Take the terms of a bucket off the list of those that are expected. Whether
 * each was on it, its columns belong together, and the blocks are full but for
 * the last. */
static int
cross_off(const paulimpi__store *store, int64_t b, char *expected)
{
    const paulimpi__bucket *bucket = &store->buckets[b];
    const paulimpi__block *block = bucket->head;
    int64_t i, w;

    for (i = 0; i < bucket->n_terms; i++) {
        int64_t slot = i % PAULIMPI__BLOCK_TERMS;
        int64_t number;

        block = i > 0 && slot == 0 ? block->next : block;
        if (block == NULL) {
            return 0;
        }
        number = (int64_t)block->coefficient[slot];
        if (expected[number] != 1) {
            return 0;
        }
        for (w = 0; w < 2 * store->n_words; w++) {
            if (block->word[w * PAULIMPI__BLOCK_TERMS + slot]
                != (uint64_t)(number + w)) {
                return 0;
            }
        }
        expected[number] = 0;
    }
    return block == NULL || block->next == NULL;
}

/* Deal from n_threads threads to the buckets; thread i puts sizes[i] terms into
 * the last of them, and fewer and fewer into those before, and so for each
 * eight buckets. */
static void
test_deal(int64_t n_qubits, int n_threads, paulimpi__team *team,
          int log2_buckets, const int64_t sizes[MOST_THREADS])
{
    static char expected[64][2048];
    paulimpi__store store;
    paulimpi__run run = { .store = &store,
                          .n_threads = n_threads,
                          .team = team };
    paulimpi__deal deal;
    int64_t n_buckets = (int64_t)1 << log2_buckets;
    int64_t n_blocks = 0;
    int64_t n_terms = 0;
    int is_right = 1;
    int64_t b;
    int i;

    memset(expected, 0, sizeof expected);
    check(paulimpi__store_init(&store, n_qubits));
    check(paulimpi__store_reserve(&store, 40000));
    check(paulimpi__deal_begin(&deal, &run, log2_buckets));
    for (b = 0; b < n_buckets; b++) {
        int64_t first = 0;

        for (i = 0; i < n_threads; i++) {
            int64_t n = sizes[i] >> (n_buckets - 1 - b) % 8;

            fill_chain(&deal, paulimpi__deal_chains(&deal, i) + b, first, n);
            memset(expected[b] + first, 1, (size_t)n);
            first += n;
        }
        n_terms += first;
        n_blocks +=
            (first + PAULIMPI__BLOCK_TERMS - 1) / PAULIMPI__BLOCK_TERMS;
    }
    paulimpi__deal_end(&deal);
    for (b = 0; b < n_buckets; b++) {
        is_right &= cross_off(&store, b, expected[b])
                    && memchr(expected[b], 1, sizeof expected[b]) == NULL;
    }
    tap_ok(is_right && store.log2_buckets == log2_buckets
               && store.pool.n_used == n_blocks,
           "%d threads deal %d terms out over %d buckets: each is there once, "
           "where it was put, in as few blocks as can be",
           n_threads, (int)n_terms, (int)n_buckets);
    store.n_terms = n_terms;
    paulimpi__store_free(&store);
}

enum { MOST_ITEMS = 40, SHARES = 2000 };

static void
count_item(void *shared, int thread, int64_t item)
{
    int *counts = shared;

    counts[item * MOST_THREADS + thread]++;
}

/* Whether each of n items has been done once. */
static int
is_done_once(const int *counts, int64_t n)
{
    int is_right = 1;
    int64_t i;
    int k;

    for (i = 0; i < MOST_ITEMS; i++) {
        int sum = 0;

        for (k = 0; k < MOST_THREADS; k++) {
            sum += counts[i * MOST_THREADS + k];
        }
        is_right &= sum == (i < n);
    }
    return is_right;
}

/* Shares one after the other, so short that threads come too late for many. */
static void
test_shares(paulimpi__team *team, void *data)
{
    int64_t i;
    int is_right = 1;

    (void)data;
    for (i = 0; i < SHARES; i++) {
        int counts[MOST_ITEMS * MOST_THREADS] = { 0 };

        paulimpi__team_share(team, i % (MOST_ITEMS + 1), count_item, counts);
        is_right &= is_done_once(counts, i % (MOST_ITEMS + 1));
    }
    tap_ok(is_right, "%d shares: each item is done once, before the end",
           SHARES);
}

static void
test_deals(paulimpi__team *team, void *data)
{
    /* With few buckets it only matters whether there is a team. */
    paulimpi__team *any = data;
    static const int64_t sizes[][MOST_THREADS] = {
        { 0, 0, 0 },    { 1, 0, 0 },     { 64, 64, 64 },    { 63, 1, 1 },
        { 65, 63, 64 }, { 0, 100, 300 }, { 40, 40, 40 },    { 500, 20, 50 },
        { 0, 0, 128 },  { 63, 63, 63 },  { 600, 700, 701 },
    };
    paulimpi__store store;
    paulimpi__run run = { .store = &store, .n_threads = 1 };
    paulimpi__deal deal;
    size_t i;
    int64_t n;

    for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        test_deal(100, 3, any, 0, sizes[i]);
        test_deal(20, 2, any, 3, sizes[i]);
        test_deal(300, 1, NULL, 1, sizes[i]);
        if (team != NULL) {
            test_deal(130, MOST_THREADS, team, 6, sizes[i]);
        }
    }
    check(paulimpi__store_init(&store, 20));
    for (n = 1; n <= 5; n++) {
        paulimpi__alloc_fail_at(n);
        tap_is_status(paulimpi__deal_begin(&deal, &run, 2),
                      PAULIMPI_ERR_MEMORY, "a deal without memory");
    }
    paulimpi__alloc_fail_at(0);
    check(paulimpi__deal_begin(&deal, &run, 2));
    paulimpi__deal_free(&deal);
    tap_ok(deal.chains == NULL && deal.buckets == NULL,
           "a deal can be forgotten");
    paulimpi__store_free(&store);
}

/* paulimpi_propagate() with variables that ask for what cannot be. */
static void
test_environment(void)
{
    static const struct {
        const char *name;
        const char *value;
        const char *sentence;
    } wrong[] = {
        { "PAULIMPI_SIMD", "sse9",
          "the environment variable PAULIMPI_SIMD is \"sse9\", but this "
          "processor can do: " },
        { "PAULIMPI_TEST_TILE_TERMS", "0",
          "PAULIMPI_TEST_TILE_TERMS is \"0\"" },
        { "PAULIMPI_TEST_GROUP_GATES", "0",
          "PAULIMPI_TEST_GROUP_GATES is \"0\"" },
    };
    paulimpi_context *ctx = make_context(1);
    paulimpi_sum *sum = make_sum(ctx, 3, "0.5 X0 + 0.25 Z1");
    script *s = script_create(3);
    paulimpi_circuit *circuit;
    size_t i;

    script_one(s, "rz", 0, 0.3);
    circuit = make_circuit(s);
    for (i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        setenv(wrong[i].name, wrong[i].value, 1);
        tap_is_status(paulimpi_propagate(sum, circuit, NULL, NULL),
                      PAULIMPI_ERR_ARGUMENT, "%s=%s is refused", wrong[i].name,
                      wrong[i].value);
        tap_contains(paulimpi_last_error(), wrong[i].sentence, "by name");
        tap_ok(is_sum(sum, "0.5 X0 + 0.25 Z1"), "the sum is as it was");
        unsetenv(wrong[i].name);
    }
    paulimpi_circuit_destroy(&circuit);
    script_destroy(s);
    paulimpi_sum_destroy(&sum);
    paulimpi_context_destroy(&ctx);
}

int
main(void)
{
    static const int64_t sizes[] = { 20, 64, 65, 127, 300 };
    size_t i;

    test_span(8);
    for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        test_span(sizes[i]);
        test_empty_pass(sizes[i], (int)i);
    }
    paulimpi__team_run(MOST_THREADS, test_shares, NULL);
    paulimpi__team_run(MOST_THREADS, test_deals, &i);
    test_environment();
    return tap_done();
}
