/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What rows may be wished for, and what becomes of it.
 */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "propagate/in_place.h"
#include "propagate/support.h"
#include "propagate/wish.h"
#include "tap/tap.h"

enum { N_QUBITS = 20, N_RANKS = 4 };

/* A stretch of a circuit, for what is wished. */
typedef struct {
    paulimpi__run run;
    paulimpi__store store; /* of no terms */
    paulimpi__wish wish;
    paulimpi__stretch stretch;
    paulimpi__shares shares;
} scene;

static void
scene_set(scene *s, const paulimpi_circuit *circuit,
          const paulimpi_propagation_options *options)
{
    memset(s, 0, sizeof *s);
    s->store.n_qubits = N_QUBITS;
    s->store.n_words = 1;
    s->run.store = &s->store;
    s->run.circuit = circuit;
    s->run.truncation = &options->truncation;
    s->run.is_schroedinger = 1;
    check(paulimpi__run_prepare(&s->run));
    check(paulimpi__stretch_init(&s->stretch, &s->run));
    check(paulimpi__wish_init(&s->wish, options, N_QUBITS, N_RANKS));
    check(paulimpi__wish_exclude(&s->wish, &s->stretch));
    check(paulimpi__shares_init_for(&s->shares, N_RANKS, 0, N_QUBITS));
    paulimpi__stretch_gather(&s->stretch, &s->run, 0, s->shares.log2_shards);
}

static void
scene_strike(scene *s)
{
    paulimpi__shares_free(&s->shares);
    paulimpi__stretch_free(&s->stretch);
    paulimpi__wish_free(&s->wish);
    paulimpi__run_free(&s->run);
}

/* The function that is so many below the highest. */
static const uint64_t *
function_of(const scene *s, int below)
{
    return s->shares.function + (s->shares.log2_shards - 1 - below) * 2;
}

static int
is_function(const scene *s, int below, uint64_t x, uint64_t z)
{
    return function_of(s, below)[0] == x && function_of(s, below)[1] == z;
}

/* All functions of the scene are 0 on its stretch, and independent. */
static int
is_sound(const scene *s)
{
    paulimpi__span span;
    int n_new = 0;
    int i;

    check(paulimpi__span_init(&span, N_QUBITS, PAULIMPI__SHARD_BITS));
    for (i = 0; i < s->shares.log2_shards; i++) {
        n_new += paulimpi__span_is_new(&span, function_of(s, i));
        paulimpi__span_add(&span, function_of(s, i));
    }
    paulimpi__span_free(&span);
    return n_new == i && paulimpi__stretch_allows(&s->stretch, &s->shares);
}

/* X on all qubits, ZZ on neighbours. */
static paulimpi_circuit *
make_layers(int has_x, int has_zz)
{
    paulimpi_circuit *circuit;
    int q;

    check(paulimpi_circuit_create(N_QUBITS, &circuit));
    for (q = 0; has_x && q < N_QUBITS; q++) {
        check(paulimpi_circuit_rx(circuit, q, 0.3));
    }
    for (q = 0; has_zz && q < N_QUBITS - 1; q++) {
        check(paulimpi_circuit_rzz(circuit, q, q + 1, 0.3));
    }
    return circuit;
}

static void
test_given(void)
{
    static const uint64_t x[] = { 0, 0, 1, 0 };
    static const uint64_t z[] = { 5, 2, 0, 7 };
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    paulimpi_circuit *circuit = make_layers(1, 0);
    paulimpi_circuit *pairs = make_layers(0, 1);
    uint64_t draw = 0;
    scene s;

    options.rows = PAULIMPI_ROWS_GIVEN;
    options.n_rows = 4;
    options.rows_x = x;
    options.rows_z = z;
    scene_set(&s, circuit, &options);
    tap_is_int(paulimpi__wish_draw(&s.wish, &s.stretch, &s.shares, &draw),
               s.shares.log2_shards, "all functions are new");
    tap_ok(is_function(&s, 0, 0, 5) && is_function(&s, 1, 0, 2),
           "given ones that are 0 on the stretch come first");
    tap_ok(!is_function(&s, 2, 1, 0) && !is_function(&s, 2, 0, 7),
           "but none that is not, nor the sum of two again");
    tap_is_int((int64_t)draw, s.shares.log2_shards - 2, "the rest is drawn");
    tap_ok(is_sound(&s), "all are 0 on it");
    tap_is_int(paulimpi__wish_draw(&s.wish, &s.stretch, &s.shares, &draw), 0,
               "and stay");
    scene_strike(&s);

    scene_set(&s, pairs, &options);
    paulimpi__wish_draw(&s.wish, &s.stretch, &s.shares, &draw);
    tap_ok(is_function(&s, 0, 1, 0), "others are, of another stretch");
    tap_ok(is_sound(&s), "with new ones");
    scene_strike(&s);

    /* Z0, Z1 and Z2 are each 1 on some pair of the first four, and so is every
     * sum of them, but not that with Z3. */
    options.rows_x = NULL;
    options.rows_z = (const uint64_t[]){ 1, 2, 4, 0xffff8 };
    scene_set(&s, pairs, &options);
    paulimpi__wish_draw(&s.wish, &s.stretch, &s.shares, &draw);
    tap_ok(is_function(&s, 0, 0, 0xfffff), "a sum of given ones may be 0");
    tap_ok(is_sound(&s), "and so are the rest");
    scene_strike(&s);
    paulimpi_circuit_destroy(&pairs);
    paulimpi_circuit_destroy(&circuit);
}

static void
test_blocks(void)
{
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    paulimpi_circuit *circuit = make_layers(1, 0);
    paulimpi_circuit *pairs = make_layers(0, 1);
    int64_t block[N_QUBITS];
    uint64_t draw = 0;
    scene s;
    int q;

    options.rows = PAULIMPI_ROWS_BLOCKS;
    scene_set(&s, circuit, &options);
    paulimpi__wish_draw(&s.wish, &s.stretch, &s.shares, &draw);
    tap_ok(is_function(&s, 0, 0, 0x1f) && is_function(&s, 3, 0, 0xf8000),
           "a block for each rank: z bits where X acts");
    scene_strike(&s);
    for (q = 0; q < N_QUBITS; q++) {
        block[q] = q < 16 ? q % 2 : -1;
    }
    options.n_blocks = N_QUBITS;
    options.blocks = block;
    scene_set(&s, pairs, &options);
    paulimpi__wish_draw(&s.wish, &s.stretch, &s.shares, &draw);
    tap_ok(is_function(&s, 0, 0x5555, 0) && is_function(&s, 1, 0xaaaa, 0),
           "chosen blocks: x bits where ZZ acts");
    tap_ok(is_sound(&s), "and the rest is drawn");
    scene_strike(&s);
    paulimpi_circuit_destroy(&pairs);
    paulimpi_circuit_destroy(&circuit);
}

static void
test_excluded(void)
{
    static const uint64_t x[] = { 0xf, 0xf0 };
    static const uint64_t z[] = { 0, 0xfffff };
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    paulimpi_circuit *circuit = make_layers(1, 1);
    uint64_t draw = 0;
    int64_t end;
    int is_free = 1;
    scene s;
    int i;

    scene_set(&s, circuit, &options);
    end = s.stretch.end;
    scene_strike(&s);
    options.rows = PAULIMPI_ROWS_EXCLUDE;
    options.n_rows = 2;
    options.rows_x = x;
    options.rows_z = z;
    scene_set(&s, circuit, &options);
    paulimpi__wish_draw(&s.wish, &s.stretch, &s.shares, &draw);
    for (i = 0; i < s.shares.log2_shards; i++) {
        is_free &=
            (function_of(&s, i)[0] & 0xff) == 0 && function_of(&s, i)[1] == 0;
    }
    tap_ok(is_free, "no function looks at excluded coordinates");
    tap_ok(is_sound(&s) && s.stretch.n_excluded == 28, "all are sound");
    tap_ok(end == N_QUBITS && s.stretch.end == 10,
           "two more gates, and there would not be enough of them");
    scene_strike(&s);
    paulimpi_circuit_destroy(&circuit);
}

/* Shards of 4 ranks, dealt out by the weights 1, 2, 4 and 1. */
static void
test_weights(void)
{
    static const double weight[] = { 1.0, 2.0, 4.0, 1.0 };
    int64_t of_rank[N_RANKS] = { 0 };
    int64_t of_shard[64];
    paulimpi__shares shares;
    int s;

    check(paulimpi__shares_init_for(&shares, N_RANKS, 0, N_QUBITS));
    shares.weight = weight;
    paulimpi__shares_deal(&shares);
    for (s = 0; s < 64; s++) {
        of_rank[shares.rank_of[s]]++;
        of_shard[s] = s < 32 ? 1 : 3;
    }
    tap_ok(of_rank[0] == 8 && of_rank[1] == 16 && of_rank[2] == 32
               && of_rank[3] == 8,
           "ranks get shards by weight");
    tap_is_near(paulimpi__shares_imbalance(&shares, of_shard), 1.5, 1e-12,
                "terms are uneven");
    paulimpi__shares_balance(&shares, of_shard);
    tap_is_near(paulimpi__shares_imbalance(&shares, of_shard), 1.0, 0.1,
                "and balanced by weight");
    paulimpi__shares_free(&shares);
}

static const paulimpi_circuit *some_circuit;
static paulimpi_sum *some_sum;

static void
is_refused(const paulimpi_propagation_options *options, const char *why,
           const char *fact)
{
    char *text;

    tap_is_status(paulimpi_propagate(some_sum, some_circuit, options, NULL),
                  PAULIMPI_ERR_ARGUMENT, "%s", fact);
    tap_contains(paulimpi_last_error(), why, "%s", fact);
    tap_is_status(paulimpi_propagation_plan(some_circuit, options, 1, &text),
                  PAULIMPI_ERR_ARGUMENT, "in a plan, too");
}

static void
test_bad_rows(void)
{
    static const uint64_t all = 0xfffff, stray = 0x100000, none = 0;
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;

    options.rows = 5;
    is_refused(&options, "rows is 5", "no such rows");
    options.rows = -1;
    is_refused(&options, "rows is -1", "nor such");
    options.rows = PAULIMPI_ROWS_GIVEN;
    is_refused(&options, "n_rows is 0", "no rows");
    options.n_rows = 1;
    is_refused(&options, "n_rows is 1", "no pointers to rows");
    options.rows_z = &stray;
    is_refused(&options, "qubits from 20 on", "bits of no qubit");
    options.rows_z = NULL;
    options.rows_x = &stray;
    is_refused(&options, "qubits from 20 on", "in x");
    options.rows_x = &none;
    is_refused(&options, "row 0 of rows_x and rows_z has no", "a row of 0");
    options.rows = PAULIMPI_ROWS_EXCLUDE;
    options.rows_x = &all;
    options.rows_z = &all;
    is_refused(&options, "exclude all", "nothing left");
    options.rows = PAULIMPI_ROWS_RANDOM;
    is_refused(&options, "neither PAULIMPI_ROWS_GIVEN", "rows for nothing");
    options.rows_x = options.rows_z = NULL;
    is_refused(&options, "neither PAULIMPI_ROWS_GIVEN", "a number of them");
}

static void
test_bad_blocks_and_weights(void)
{
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    int64_t block[N_QUBITS] = { 0 };
    double weight = 1.0;

    options.blocks = block;
    is_refused(&options, "there are blocks", "blocks for nothing");
    options.blocks = NULL;
    options.n_blocks = 1;
    is_refused(&options, "there are blocks", "a number of them");
    options.rows = PAULIMPI_ROWS_BLOCKS;
    is_refused(&options, "n_blocks is 1", "a number and no blocks");
    options.blocks = block;
    is_refused(&options, "n_blocks is 1", "one block of a qubit only");
    options.n_blocks = N_QUBITS;
    block[3] = -2;
    is_refused(&options, "qubit 3 is in block -2", "a block below -1");
    block[3] = N_QUBITS;
    is_refused(&options, "qubit 3 is in block 20", "a block too far");
    block[3] = -1;
    options.n_weights = 2;
    options.weights = &weight;
    is_refused(&options, "n_weights is 2", "weights of other ranks");
    options.n_weights = 0;
    is_refused(&options, "n_weights is 0", "weights without a number");
    options.weights = NULL;
    options.n_weights = 1;
    is_refused(&options, "n_weights is 1", "a number without weights");
    options.weights = &weight;
    weight = 0.0;
    is_refused(&options, "weight of rank 0 is 0", "a weight of 0");
    weight = (double)INFINITY;
    is_refused(&options, "weight of rank 0 is inf", "an infinite weight");
    weight = (double)NAN;
    is_refused(&options, "weight of rank 0 is", "a weight that is none");
    weight = 0.5;
    tap_is_status(paulimpi_propagate(some_sum, some_circuit, &options, NULL),
                  PAULIMPI_SUCCESS, "and now it is right");
}

/* Ranks that wish for different things see it. */
static void
test_print(void)
{
    static const uint64_t bits[] = { 1, 2 };
    static const double weights[] = { 1.0, 2.0 };
    paulimpi_propagation_options options[7];
    int n_same = 0;
    int i, k;

    for (i = 0; i < 7; i++) {
        options[i] = options_eps(0.0);
    }
    options[1].rows = PAULIMPI_ROWS_RANDOM;
    options[2].rows_seed = 1;
    options[3].n_rows = options[4].n_rows = 1;
    options[3].rows_x = bits;
    options[4].rows_z = bits;
    options[5].n_weights = 2;
    options[5].weights = weights;
    options[6].n_blocks = 2;
    options[6].blocks = (const int64_t[]){ 1, 2 };
    for (i = 0; i < 7; i++) {
        for (k = 0; k < i; k++) {
            n_same += paulimpi__wish_print(&options[i], N_QUBITS)
                      == paulimpi__wish_print(&options[k], N_QUBITS);
        }
    }
    tap_is_int(n_same, 0, "different wishes have different fingerprints");
}

static void
test_memory(void)
{
    static const uint64_t bits = 3;
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    int choice;

    for (choice = PAULIMPI_ROWS_BLOCKS; choice <= PAULIMPI_ROWS_GIVEN;
         choice++) {
        int64_t n = 0;
        char *text;
        int rc;

        options.rows = choice;
        options.n_rows = choice != PAULIMPI_ROWS_BLOCKS;
        options.rows_x = options.n_rows > 0 ? &bits : NULL;
        do {
            paulimpi__alloc_fail_at(++n);
            rc = paulimpi_propagation_plan(some_circuit, &options, 4, &text);
            paulimpi__alloc_fail_at(0);
        } while (rc == PAULIMPI_ERR_MEMORY && text == NULL);
        tap_ok(rc == PAULIMPI_SUCCESS && n > 6,
               "rows of kind %d need memory %d times", choice, (int)n);
        paulimpi_text_destroy(&text);
    }
}

int
main(void)
{
    paulimpi_context *ctx = make_context(1);
    paulimpi_circuit *circuit = make_layers(1, 1);

    some_circuit = circuit;
    some_sum = make_sum(ctx, N_QUBITS, "Z0");
    test_given();
    test_blocks();
    test_excluded();
    test_weights();
    test_bad_rows();
    test_bad_blocks_and_weights();
    test_print();
    test_memory();
    paulimpi_sum_destroy(&some_sum);
    paulimpi_circuit_destroy(&circuit);
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
