/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions of ranks that are drawn a stretch ahead: across turns, by a sample,
 * with a table by counts, and as the buckets of the engine.
 */
#include <string.h>

#include "base/base.h"
#include "propagate/group.h"
#include "propagate/in_place.h"
#include "propagate/rows.h"
#include "propagate/support.h"
#include "tap/tap.h"

enum { N_QUBITS = 70, N_WORDS = 2, N_RANKS = 4, N_TURNS = 80, N_STRINGS = 50 };

/* A circuit made ready, and its first stretch. */
typedef struct {
    paulimpi__run run;
    paulimpi__store store;
    paulimpi__stretch stretch;
    paulimpi__shares shares;
} scene;

static dice chance = { 5 };

static void
scene_set(scene *s, const paulimpi_circuit *circuit,
          const paulimpi_truncation *truncation)
{
    memset(s, 0, sizeof *s);
    check(paulimpi__store_init(&s->store, N_QUBITS));
    s->run.store = &s->store;
    s->run.circuit = circuit;
    s->run.truncation = truncation;
    s->run.is_schroedinger = 1;
    check(paulimpi__run_prepare(&s->run));
    s->run.end = s->run.n_ops;
    check(paulimpi__stretch_init(&s->stretch, &s->run));
    check(paulimpi__shares_init_for(&s->shares, N_RANKS, 0, N_QUBITS));
    paulimpi__stretch_gather(&s->stretch, &s->run, 0, s->shares.log2_shards);
}

static void
scene_strike(scene *s)
{
    paulimpi__shares_free(&s->shares);
    paulimpi__stretch_free(&s->stretch);
    paulimpi__run_free(&s->run);
    paulimpi__store_free(&s->store);
}

static void
draw_string(uint64_t *key)
{
    int q;

    memset(key, 0, 2 * N_WORDS * sizeof *key);
    for (q = 0; q < 2 * N_QUBITS; q++) {
        key[q % 2 * N_WORDS + q / 128] |= (uint64_t)dice_below(&chance, 2)
                                          << q / 2 % 64;
    }
}

static paulimpi_circuit *
make_turns(void)
{
    paulimpi_circuit *circuit;
    int i;

    check(paulimpi_circuit_create(N_QUBITS, &circuit));
    for (i = 0; i < N_TURNS; i++) {
        int64_t a = dice_below(&chance, N_QUBITS);
        int64_t b = (a + 1 + dice_below(&chance, N_QUBITS - 1)) % N_QUBITS;

        switch (dice_below(&chance, 4)) {
        case 0:
            check(paulimpi_circuit_h(circuit, a));
            break;
        case 1:
            check(paulimpi_circuit_s(circuit, a));
            break;
        case 2:
            check(paulimpi_circuit_sx(circuit, a));
            break;
        default:
            check(paulimpi_circuit_cx(circuit, a, b));
            break;
        }
    }
    return circuit;
}

/* What a string becomes. */
static void
propagate_string(const paulimpi_circuit *circuit, uint64_t *key)
{
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    paulimpi_context *ctx = make_context(1);
    const double one = 1.0;
    paulimpi_sum *sum;
    term_list terms;

    options.picture = PAULIMPI_SCHROEDINGER;
    check(paulimpi_sum_create(ctx, N_QUBITS, &sum));
    check(paulimpi_sum_add_terms(sum, 1, key, key + N_WORDS, &one));
    propagate(sum, circuit, &options, NULL);
    terms = terms_of(sum);
    memcpy(key, terms.x, N_WORDS * sizeof *key);
    memcpy(key + N_WORDS, terms.z, N_WORDS * sizeof *key);
    term_list_free(&terms);
    paulimpi_sum_destroy(&sum);
    paulimpi_context_destroy(&ctx);
}

static uint32_t
shard_of(const paulimpi__shares *shares, const uint64_t *key)
{
    uint32_t shard = 0;
    int bit, w;

    for (bit = 0; bit < shares->log2_shards; bit++) {
        uint64_t odd = 0;

        for (w = 0; w < 2 * N_WORDS; w++) {
            odd ^= shares->function[bit * 2 * N_WORDS + w] & key[w];
        }
        shard |= (uint32_t)paulimpi__parity(odd) << bit;
    }
    return shard;
}

static void
test_turns(void)
{
    paulimpi_truncation none = PAULIMPI_TRUNCATION_INIT;
    paulimpi_circuit *circuit = make_turns();
    paulimpi__shares before;
    int n_same = 0;
    scene s;
    int i;

    scene_set(&s, circuit, &none);
    tap_ok(s.stretch.n_turns >= N_TURNS / 2, "a stretch of turns");
    check(paulimpi__shares_copy(&before, &s.shares));
    paulimpi__stretch_go_before(&s.stretch, &before);
    for (i = 0; i < N_STRINGS; i++) {
        uint64_t key[2 * N_WORDS];
        uint32_t shard;

        draw_string(key);
        shard = shard_of(&before, key);
        propagate_string(circuit, key);
        n_same += shard_of(&s.shares, key) == shard;
    }
    tap_is_int(n_same, N_STRINGS,
               "functions after it are known before it, of any string");
    tap_ok(!paulimpi__shares_are_same(&before, &s.shares),
           "where they are others");
    paulimpi__stretch_follow(&s.stretch, s.stretch.end, &before);
    tap_ok(paulimpi__shares_are_same(&before, &s.shares), "and they go back");
    paulimpi__shares_free(&before);
    scene_strike(&s);
    paulimpi_circuit_destroy(&circuit);
}

/* Terms with two letters Z: to all functions of x they are the same. */
static void
fill_pairs(paulimpi__store *store, int is_backward)
{
    int64_t n = (int64_t)N_QUBITS * N_QUBITS;
    int64_t i;

    for (i = 0; i < n; i++) {
        int64_t pair = is_backward ? n - 1 - i : i;
        int64_t a = pair / N_QUBITS;
        int64_t b = pair % N_QUBITS;
        uint64_t key[2 * N_WORDS] = { 0 };
        double c = 1.0;

        if (a < b) {
            key[N_WORDS + a / 64] |= (uint64_t)1 << a % 64;
            key[N_WORDS + b / 64] |= (uint64_t)1 << b % 64;
            check(paulimpi__store_add(store, 1, key, key + N_WORDS, &c));
        }
    }
}

static void
test_sample(void)
{
    int64_t n_terms = (int64_t)N_QUBITS * (N_QUBITS - 1) / 2;
    paulimpi__sample sample[2] = { { NULL, 0, 0, 0 }, { NULL, 0, 0, 0 } };
    int64_t of_shard[2][1 << 6];
    paulimpi__shares shares;
    paulimpi__store store[2];
    int i;

    check(paulimpi__shares_init_for(&shares, N_RANKS, 0, N_QUBITS));
    for (i = 0; i < 2; i++) {
        check(paulimpi__store_init(&store[i], N_QUBITS));
        fill_pairs(&store[i], i);
        paulimpi__sample_take(&sample[i], &store[i], 3);
        paulimpi__sample_shards(&sample[i], &shares, of_shard[i]);
    }
    tap_ok(sample[0].n_terms > n_terms / 10 && sample[0].n_terms < n_terms / 6,
           "a sample of an eighth: %d of %d", (int)sample[0].n_terms,
           (int)n_terms);
    tap_ok(sample[0].n_terms == sample[1].n_terms
               && memcmp(of_shard[0], of_shard[1],
                         sizeof *of_shard[0] << shares.log2_shards)
                      == 0,
           "it does not matter where terms are stored");
    paulimpi__sample_take(&sample[0], &store[0], 0);
    tap_is_int(sample[0].n_terms, n_terms, "all of them");
    for (i = 0; i < 2; i++) {
        paulimpi__sample_free(&sample[i]);
        paulimpi__store_free(&store[i]);
    }
    paulimpi__shares_free(&shares);
}

static void
test_settle(void)
{
    paulimpi_truncation none = PAULIMPI_TRUNCATION_INIT;
    paulimpi_circuit *circuit = make_turns();
    paulimpi__drawing rows;
    paulimpi__wish wish = { 0 };
    int64_t of_shard[1 << 6];
    int is_fair, i;
    scene s;

    scene_set(&s, circuit, &none);
    check(paulimpi__drawing_init(&rows, &s.run, &s.shares, &wish, 0));
    for (i = 0; i < 1 << s.shares.log2_shards; i++) {
        of_shard[i] = i < 16 ? 100 : 1;
    }
    is_fair = paulimpi__settle_rows(&rows, of_shard);
    tap_ok(is_fair && rows.drawn.rank_of[0] == 0
               && rows.drawn.rank_of[15] == N_RANKS - 1,
           "the table follows the counts");
    memset(of_shard, 0, sizeof of_shard);
    of_shard[7] = 1000;
    is_fair = paulimpi__settle_rows(&rows, of_shard);
    tap_ok(!is_fair, "which one shard of all terms cannot balance");
    paulimpi__drawing_free(&rows);
    scene_strike(&s);
    paulimpi_circuit_destroy(&circuit);
}

/* The engine's hash, of which some bits are given. */
static void
test_given_hash(void)
{
    paulimpi_truncation none = PAULIMPI_TRUNCATION_INIT;
    paulimpi_circuit *circuit = make_turns();
    paulimpi__group group = { 0 };
    uint64_t support[2 * N_WORDS];
    uint64_t draw = 0;
    int n_same = 0;
    uint32_t mask;
    scene s;
    int i;

    scene_set(&s, circuit, &none);
    mask = (1u << s.shares.log2_shards) - 1;
    check(paulimpi__group_init(&group, &s.run));
    memset(support, 0xff, sizeof support);
    paulimpi__group_gather(&group, &s.run, 0, support, 3, 0);
    paulimpi__group_draw_given(&group, &s.store, s.shares.function,
                               s.shares.log2_shards, &draw);
    tap_is_int(group.log2_buckets, s.shares.log2_shards,
               "given functions say how many buckets there are");
    memcpy(s.store.hash_of, group.hash_of,
           2 * N_QUBITS * sizeof *group.hash_of);
    for (i = 0; i < N_STRINGS; i++) {
        uint64_t key[2 * N_WORDS];

        draw_string(key);
        n_same += (paulimpi__store_hash(&s.store, key, key + N_WORDS) & mask)
                  == shard_of(&s.shares, key);
    }
    tap_is_int(n_same, N_STRINGS, "and which one a string is in");
    paulimpi__group_free(&group);
    scene_strike(&s);
    paulimpi_circuit_destroy(&circuit);
}

/* n rotations about one letter each, from qubit q on. */
static void
add_rotations(paulimpi_circuit *circuit, int64_t q, int64_t n, int is_z)
{
    int64_t end = q + n;

    for (; q < end; q++) {
        check(is_z ? paulimpi_circuit_rz(circuit, q, 0.1)
                   : paulimpi_circuit_rx(circuit, q, 0.1));
    }
}

/* The first stretch of a layer of rotations, a layer of turns from qubit q to
 * the last but one, which commute with the rotations about X before, and n
 * rotations of the next layer, of which the first commute with all before. */
static void
check_layers(int64_t n, int64_t end, const char *what)
{
    paulimpi_truncation none = PAULIMPI_TRUNCATION_INIT;
    paulimpi_circuit *circuit;
    scene s;

    check(paulimpi_circuit_create(N_QUBITS, &circuit));
    add_rotations(circuit, 0, N_QUBITS / 2, 0);
    check(paulimpi_circuit_s(circuit, N_QUBITS - 1));
    add_rotations(circuit, N_QUBITS / 2, n, 0);
    add_rotations(circuit, 0, N_QUBITS / 2, 1);
    scene_set(&s, circuit, &none);
    tap_is_int(s.stretch.end, end, "%s", what);
    tap_ok(s.stretch.n_generators
               == s.stretch.end - (s.stretch.end > N_QUBITS / 2),
           "and has their generators alone");
    scene_strike(&s);
    paulimpi_circuit_destroy(&circuit);
}

static void
test_layers(void)
{
    check_layers(5, N_QUBITS / 2 + 1,
                 "a stretch leaves a few rotations to the next layer");
    check_layers(30, N_QUBITS / 2 + 31, "but not many");
}

/* Random strings in the store of a scene. */
static void
fill_store(scene *s, int64_t n)
{
    int64_t i;

    for (i = 0; i < n; i++) {
        uint64_t key[2 * N_WORDS];
        double c = 1.0;

        draw_string(key);
        check(paulimpi__store_add(&s->store, 1, key, key + N_WORDS, &c));
    }
}

/* The terms that are in the bucket that is the number of their shard. */
static int64_t
count_dealt(const scene *s)
{
    const paulimpi__store *store = &s->store;
    int64_t n_dealt = 0;
    int64_t b, t;
    int w;

    for (b = 0; b < paulimpi__store_buckets(store); b++) {
        const paulimpi__block *block = store->buckets[b].head;

        for (t = 0; t < store->buckets[b].n_terms; t++) {
            uint64_t key[2 * N_WORDS];
            int64_t i = t % PAULIMPI__BLOCK_TERMS;

            for (w = 0; w < 2 * N_WORDS; w++) {
                key[w] = block->word[w * PAULIMPI__BLOCK_TERMS + i];
            }
            n_dealt += shard_of(&s->shares, key) == b;
            block = i == PAULIMPI__BLOCK_TERMS - 1 ? block->next : block;
        }
    }
    return n_dealt;
}

/* Take n terms through the operations before `end`, after which they are to be
 * dealt out for all others. */
static void
check_dealing(paulimpi_circuit *circuit, int64_t end, int64_t n, int is_dealt,
              const char *what)
{
    const paulimpi__engine *engine = &paulimpi__engine_tile;
    paulimpi_truncation no_births = PAULIMPI_TRUNCATION_INIT;
    uint64_t bound[2 * N_WORDS];
    uint64_t draw = 1;
    scene s;

    no_births.min_abs = 0.5;
    scene_set(&s, circuit, &no_births);
    fill_store(&s, n);
    paulimpi__stretch_gather(&s.stretch, &s.run, end, s.shares.log2_shards);
    paulimpi__stretch_draw(&s.stretch, &s.shares, &draw);
    memset(bound, 0xff, sizeof bound);
    s.run.n_threads = 1;
    s.run.memory_limit = INT64_MAX;
    s.run.end = end;
    s.run.next_end = s.stretch.end;
    s.run.bound = bound;
    s.run.rows = s.shares.function;
    s.run.n_rows = s.shares.log2_shards;
    check(engine->begin(&s.run));
    while (s.run.n_done < s.run.end) {
        check(engine->advance(&s.run));
    }
    tap_is_int(s.run.has_dealt, is_dealt, "%s", what);
    tap_ok((count_dealt(&s) == s.store.n_terms) == is_dealt,
           "all terms are in the buckets of their shards: %s",
           is_dealt ? "yes" : "no");
    s.run.rows = NULL;
    s.run.end = s.run.n_ops;
    while (s.run.n_done < s.run.end) {
        check(engine->advance(&s.run));
    }
    engine->end(&s.run);
    scene_strike(&s);
}

static void
test_dealing(void)
{
    enum { MANY = 3000, FEW = 500, N_ROTATIONS = 40 };
    paulimpi_circuit *circuit;

    check(paulimpi_circuit_create(N_QUBITS, &circuit));
    add_rotations(circuit, 0, N_ROTATIONS, 0);
    check(paulimpi_circuit_amplitude_damping(circuit, 0, 0.01));
    add_rotations(circuit, 0, N_ROTATIONS, 1);
    check_dealing(circuit, N_ROTATIONS, MANY, 1,
                  "terms are dealt out after a group");
    check_dealing(circuit, 2, MANY, 1,
                  "after two rotations, which are no group of their own");
    check_dealing(circuit, N_ROTATIONS + 1, MANY, 1, "after a gate in place");
    check_dealing(circuit, N_ROTATIONS, FEW, 0, "but not a few terms");
    paulimpi_circuit_destroy(&circuit);
}

int
main(void)
{
    test_turns();
    test_layers();
    test_dealing();
    test_sample();
    test_settle();
    test_given_hash();
    return tap_done();
}
