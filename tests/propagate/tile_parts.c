/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parts of the tile engine: spans and their null functions, planes, and
 * another hash for a store.
 */
#include <string.h>

#include "base/base.h"
#include "propagate/planes.h"
#include "propagate/rehash.h"
#include "propagate/span.h"
#include "tap/tap.h"

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

static void
test_planes(int64_t n_qubits)
{
    paulimpi__planes planes = { NULL };
    paulimpi__block *blocks[64];
    paulimpi__view view = { .block = blocks };
    paulimpi__store store;
    int are_same = 1;
    int64_t i, bit;

    fill_store(&store, n_qubits, 1000);
    paulimpi__view_open(&view, &store, 0);
    tap_is_status(paulimpi__planes_update(&planes, &view, store.n_words), 0,
                  "planes of 1000 terms on %d qubits", (int)n_qubits);
    tap_is_int(planes.n_blocks, 1000 / 64, "hold the full blocks");
    for (i = 0; i < 1000; i++) {
        const paulimpi__block *block = paulimpi__view_block(&view, i);

        for (bit = 0; bit < 128 * store.n_words; bit++) {
            paulimpi__tap tap = { bit / 64, (int)(bit % 64) };
            uint64_t word = block->word[bit / 64 * 64 + i % 64];

            are_same &=
                (paulimpi__planes_bit(&planes, block, i / 64, tap) >> i % 64
                 & 1)
                == (word >> bit % 64 & 1);
        }
    }
    tap_ok(are_same, "every bit of every key is in its plane");
    paulimpi__planes_free(&planes);
    paulimpi__store_free(&store);
}

/* Every term lies in the bucket that its hash names, and has its hash. */
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
            if (block->hash[i % 64]
                    != paulimpi__store_hash(store, key, key + store->n_words)
                || (block->hash[i % 64] & (n_buckets - 1)) != b) {
                return 0;
            }
            n_terms++;
        }
    }
    return n_terms == store->n_terms;
}

static void
test_rehash(int64_t n_qubits, int log2_buckets)
{
    paulimpi__store store;
    paulimpi__run run = { .store = &store, .n_threads = 1 };
    uint32_t hash_of[2 * 64 * MOST_WORDS];
    int64_t q;

    fill_store(&store, n_qubits, 3000);
    if (paulimpi__workspace_begin(&run) != 0) {
        tap_bail("no memory");
    }
    for (q = 0; q < 2 * n_qubits; q++) {
        hash_of[q] = (uint32_t)draw_word();
    }
    tap_is_status(paulimpi__rehash(&run, hash_of, log2_buckets), 0,
                  "3000 terms on %d qubits move to %d buckets", (int)n_qubits,
                  1 << log2_buckets);
    tap_is_int(store.n_terms, 3000, "none is lost");
    tap_ok(is_in_order(&store), "and each is where its hash says");
    paulimpi__workspace_end(&run);
    paulimpi__store_free(&store);
}

static void
test_rehash_without_memory(void)
{
    paulimpi__store store;
    paulimpi__run run = { .store = &store, .n_threads = 1 };
    uint32_t hash_of[2 * 64] = { 0 };
    int all_are_whole = 1;
    int64_t n;

    fill_store(&store, 64, 3000);
    if (paulimpi__workspace_begin(&run) != 0) {
        tap_bail("no memory");
    }
    for (n = 1; n <= 3; n++) {
        paulimpi__alloc_fail_at(n);
        all_are_whole &=
            paulimpi__rehash(&run, hash_of, 3) == PAULIMPI_ERR_MEMORY
            && store.n_terms == 3000 && is_in_order(&store);
    }
    paulimpi__alloc_fail_at(0);
    tap_ok(all_are_whole, "without memory the store stays as it was");
    paulimpi__workspace_end(&run);
    paulimpi__store_free(&store);
}

int
main(void)
{
    static const int64_t sizes[] = { 20, 64, 65, 127, 300 };
    size_t i;

    test_span(8);
    for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        test_span(sizes[i]);
        test_planes(sizes[i]);
        test_rehash(sizes[i], (int)i);
    }
    test_rehash_without_memory();
    return tap_done();
}
