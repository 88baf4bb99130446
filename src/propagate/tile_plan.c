/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Planning a pass of all tiles through a group of gates.
 *
 * A turn takes every term to another one. Functions of terms are brought across
 * it: with the turn T, f after T is a function of terms before it.
 */
#include <math.h>
#include <string.h>

#include "propagate/tile_pass.h"

enum {
    MOST_GATES = PAULIMPI__GROUP_GATES,
    LOG2_PARTS = PAULIMPI__SPLIT_FUNCTIONS,
    TILE_TERMS = 2048, /* for keys of up to MOST_WORDS: what the cache holds */
    MOST_WORDS = 4,
    LEAST_TILE = 256,
    LEAST_BIRTHS = 1, /* a term, for orbits to be faster than joins, */
    MANY_BIRTHS = 2   /* whatever the generators are */
};

/* Number the words in which there is any letter, before or after. */
static void
choose_words(paulimpi__tile_pass *pass, const uint64_t *support)
{
    paulimpi__tile_plan *plan = &pass->plan;
    int64_t w;

    plan->n_words = 0;
    for (w = 0; w < plan->n_store_words; w++) {
        pass->column[w] = plan->n_words;
        if ((support[w] | support[plan->n_store_words + w]) != 0) {
            pass->word[plan->n_words++] = w;
        }
    }
    for (w = 0; w < plan->n_words; w++) {
        int64_t x = pass->word[w] * PAULIMPI__BLOCK_TERMS;

        pass->start[w] = x;
        pass->start[plan->n_words + w] =
            plan->n_store_words * PAULIMPI__BLOCK_TERMS + x;
    }
}

/* Write a key of the store with the words of the tile. */
static void
write_narrow(const paulimpi__tile_plan *plan, const uint64_t *key,
             uint64_t *narrow)
{
    int64_t w;

    for (w = 0; w < plan->n_words; w++) {
        narrow[w] = key[plan->word[w]];
        narrow[plan->n_words + w] = key[plan->n_store_words + plan->word[w]];
    }
}

/* Make a function of the terms after a turn one of those before it, or the
 * other way round. A string that anticommutes with the generator is multiplied
 * by it. */
static void
cross_turn(const paulimpi__tile_pass *pass, const paulimpi__tile_gate *gate,
           uint64_t *function)
{
    int64_t n_words = pass->plan.n_words;
    int64_t w;

    if (gate->op->op->kind != PAULIMPI__OP_TURN || gate->quarters == 2
        || !paulimpi__product(function, gate->key, 2 * n_words)) {
        return;
    }
    for (w = 0; w < n_words; w++) {
        function[w] ^= gate->key[n_words + w];
        function[n_words + w] ^= gate->key[w];
    }
}

/* A gate of the group; the hash of the store is that of terms before it. */
static paulimpi__tile_gate
gate_of(const paulimpi__tile_pass *pass, const paulimpi__ready_op *op,
        uint64_t *key)
{
    const paulimpi__run *run = pass->run;
    paulimpi__tile_gate gate = { .op = op, .key = key };

    paulimpi__write_key(run, op, pass->wide);
    write_narrow(&pass->plan, pass->wide, key);
    if (op->op->kind == PAULIMPI__OP_ROTATION) {
        gate.hash = paulimpi__generator_hash(run->store, op);
        gate.cos_theta = op->op->value[0];
        gate.sin_theta = paulimpi__sine(run, op->op);
    } else if (op->op->kind == PAULIMPI__OP_TURN) {
        gate.quarters = paulimpi__quarters(run, op->op);
    }
    return gate;
}

/* Write functions as sums of planes. Those of bits that are set in no term are
 * left out. */
static void
write_sums(const paulimpi__tile_pass *pass, const uint64_t *function,
           const uint64_t *may_be_set, paulimpi__tile_sums *sums)
{
    int64_t n_key = 2 * pass->plan.n_words;
    int64_t n = 0;
    int64_t f, w;

    for (f = 0; f < PAULIMPI__HASH_BITS; f++) {
        sums->begin[f] = n;
        for (w = 0; w < n_key; w++) {
            uint64_t rest = function[f * n_key + w] & may_be_set[w];

            for (; rest != 0; rest &= rest - 1) {
                int64_t bit = w * 64 + __builtin_ctzll(rest);

                sums->plane[n++] = (uint32_t)(bit * PAULIMPI__TILE_LANES);
            }
        }
    }
    sums->begin[f] = n;
}

/* Write the bits of the store's hash as functions of keys. */
static void
write_hash(const paulimpi__tile_pass *pass)
{
    const paulimpi__tile_plan *plan = &pass->plan;
    const paulimpi__store *store = pass->run->store;
    int64_t w;
    int f;

    for (f = 0; f < PAULIMPI__HASH_BITS; f++) {
        uint64_t *function = pass->function + f * 2 * plan->n_words;

        for (w = 0; w < plan->n_words; w++) {
            int64_t first = plan->word[w] * 64;
            int64_t n = store->n_qubits - first;
            uint64_t x = 0, z = 0;
            int64_t i;

            for (i = 0; i < 64 && i < n; i++) {
                const uint32_t *hash = &store->hash_of[2 * (first + i)];

                x |= (uint64_t)(hash[0] >> f & 1) << i;
                z |= (uint64_t)(hash[1] >> f & 1) << i;
            }
            function[w] = x;
            function[plan->n_words + w] = z;
        }
    }
}

void
paulimpi__tile_pass_plan(paulimpi__tile_pass *pass, paulimpi__run *run,
                         const paulimpi__group *group,
                         const paulimpi__limits *limits)
{
    paulimpi__tile_plan *plan = &pass->plan;
    int64_t k;

    pass->run = run;
    pass->group = group;
    plan->limits = limits;
    choose_words(pass, group->support);
    write_narrow(plan, group->support, pass->may_be_set);
    write_hash(pass);
    plan->n_gates = group->n_gates;
    pass->first_orbit = plan->n_gates; /* none, unless they are chosen */
    pass->end_orbit = plan->n_gates;
    for (k = 0; k < plan->n_gates; k++) {
        const paulimpi__ready_op *op = &run->ops[group->op[k]];

        pass->gate[k] = gate_of(pass, op, pass->key + k * 2 * plan->n_words);
        if (op->op->kind == PAULIMPI__OP_TURN && op->op->quarters % 2 == 1) {
            paulimpi__follow_turn(run->store, op);
        }
    }
}

/* Find the gates from the first rotation to the last. Whether there is nothing
 * else among them. */
static int
find_rotations(paulimpi__tile_pass *pass)
{
    const paulimpi__tile_plan *plan = &pass->plan;
    int64_t n = 0;
    int64_t first = 0;
    int64_t end = 0;
    int64_t k;

    for (k = 0; k < plan->n_gates; k++) {
        if (plan->gate[k].op->op->kind == PAULIMPI__OP_ROTATION) {
            first = n == 0 ? k : first;
            end = k + 1;
            n++;
        }
    }
    if (n == 0 || end - first != n) {
        return 0;
    }
    pass->first_orbit = first;
    pass->end_orbit = end;
    return 1;
}

void
paulimpi__tile_pass_note_births(paulimpi__tile_pass *pass, double births,
                                int64_t n_rotations)
{
    if (n_rotations > 0 && births >= 0.0) {
        pass->log_births = log1p(births) / (double)n_rotations;
    }
}

static double
expected_births(const paulimpi__tile_pass *pass, int64_t n_rotations)
{
    return expm1(pass->log_births * (double)n_rotations);
}

int
paulimpi__tile_pass_may_want_orbits(const paulimpi__tile_pass *pass,
                                    int64_t n_rotations)
{
    return expected_births(pass, n_rotations) >= LEAST_BIRTHS;
}

/* Where generators depend on each other, orbits are arrays that are mostly
 * empty, unless the sum grows much. */
int
paulimpi__tile_pass_wants_orbits(const paulimpi__tile_pass *pass,
                                 const paulimpi__run *run,
                                 const paulimpi__group *group)
{
    double births = expected_births(pass, group->n_rotations);

    if (group->is_mixed || paulimpi__limits_of(run).has_weights) {
        return 0;
    }
    if (run->is_forced) {
        return run->engine == PAULIMPI_ENGINE_ORBIT;
    }
    return births >= MANY_BIRTHS
           || (births >= LEAST_BIRTHS
               && group->span.n_rows == group->n_rotations);
}

void
paulimpi__tile_pass_choose(paulimpi__tile_pass *pass)
{
    int i;

    if (pass->regions.log2_now > 0
        || !paulimpi__tile_pass_wants_orbits(pass, pass->run, pass->group)
        || !find_rotations(pass)) {
        return;
    }
    for (i = 0; i < pass->run->n_threads; i++) {
        paulimpi__orbits_begin(&pass->orbits[i], &pass->plan);
    }
}

void
paulimpi__tile_pass_plan_next(paulimpi__tile_pass *pass,
                              const paulimpi__group *next)
{
    paulimpi__tile_plan *plan = &pass->plan;
    int64_t n_key = 2 * plan->n_words;
    int64_t k;
    int f;

    pass->next = next;
    plan->n_functions = next == NULL ? 0 : next->n_functions;
    plan->drawn = (uint32_t)(((uint64_t)1 << plan->n_functions) - 1);
    for (f = 0; f < plan->n_functions; f++) {
        write_narrow(plan, next->function + f * 2 * plan->n_store_words,
                     pass->function + f * n_key);
    }
    for (k = plan->n_gates - 1; k >= 0; k--) {
        paulimpi__tile_gate *gate = &pass->gate[k];

        gate->hash &= ~plan->drawn;
        gate->next_hash = 0;
        for (f = 0; f < plan->n_functions; f++) {
            uint64_t *function = pass->function + f * n_key;

            gate->next_hash |= paulimpi__product(function, gate->key, n_key)
                               << f;
            cross_turn(pass, gate, function);
        }
    }
    write_sums(pass, pass->function, pass->may_be_set, &pass->hash);
}

const paulimpi__tile_sums *
paulimpi__tile_pass_functions(const paulimpi__tile_pass *pass, int64_t thread,
                              int64_t k)
{
    const paulimpi__tile_plan *plan = &pass->plan;
    int64_t n_key = 2 * plan->n_words;
    uint64_t *function =
        pass->crossing
        + thread * PAULIMPI__HASH_BITS * 2 * plan->n_store_words;
    int64_t i;
    int f;

    if (k <= pass->group->first_turn) {
        return &pass->hash;
    }
    if (pass->crossed_to[thread] != k) {
        memcpy(function, pass->function,
               (size_t)n_key * PAULIMPI__HASH_BITS * sizeof *function);
        for (i = 0; i < k; i++) {
            for (f = 0; f < PAULIMPI__HASH_BITS; f++) {
                cross_turn(pass, &pass->gate[i], function + f * n_key);
            }
        }
        write_sums(pass, function, pass->may_be_set, &pass->crossed[thread]);
        pass->crossed_to[thread] = k;
    }
    return &pass->crossed[thread];
}

const paulimpi__tile_sums *
paulimpi__tile_pass_functions_of(const paulimpi__tile_pass *pass,
                                 int64_t thread, const uint64_t *support)
{
    write_sums(pass, pass->function, support, &pass->crossed[thread]);
    return &pass->crossed[thread];
}

void
paulimpi__tile_pass_split(const paulimpi__tile_pass *pass, int64_t k,
                          int depth, uint64_t *function)
{
    const paulimpi__tile_plan *plan = &pass->plan;
    int64_t n_key = 2 * plan->n_words;
    int64_t i;
    int f;

    for (f = 0; f < LOG2_PARTS; f++) {
        write_narrow(plan,
                     pass->group->split
                         + (depth * LOG2_PARTS + f) * 2 * plan->n_store_words,
                     function + f * n_key);
        for (i = 0; i < k; i++) {
            cross_turn(pass, &pass->gate[i], function + f * n_key);
        }
    }
}

/* Room for 32 functions, which may have all planes. */
static int
make_sums(paulimpi__tile_sums *sums, int64_t n_words)
{
    size_t n = (size_t)n_words * 128 * PAULIMPI__HASH_BITS;

    sums->begin =
        paulimpi__alloc(PAULIMPI__HASH_BITS + 1, sizeof *sums->begin);
    sums->plane = paulimpi__alloc(n, sizeof *sums->plane);
    return sums->begin != NULL && sums->plane != NULL;
}

/* The same for all threads. */
static int
make_all_sums(paulimpi__tile_pass *pass)
{
    int64_t n_words = pass->plan.n_store_words;
    int is_there = pass->crossed != NULL && make_sums(&pass->hash, n_words);
    int i;

    for (i = 0; is_there && i < pass->run->n_threads; i++) {
        is_there = make_sums(&pass->crossed[i], n_words);
    }
    return is_there;
}

static void
free_sums(paulimpi__tile_sums *sums)
{
    paulimpi__free(sums->begin);
    paulimpi__free(sums->plane);
}

int
paulimpi__tile_pass_init(paulimpi__tile_pass *pass, const paulimpi__run *run)
{
    size_t n_words = (size_t)run->store->n_words;
    size_t n_threads = (size_t)run->n_threads;
    size_t key_bytes = n_words * 2 * sizeof(uint64_t);

    int rc = paulimpi__tile_loops_choose(&pass->loops);

    pass->run = run;
    pass->tile_terms = run->store->n_words <= MOST_WORDS
                           ? TILE_TERMS
                           : TILE_TERMS * MOST_WORDS / run->store->n_words;
    if (pass->tile_terms < LEAST_TILE) {
        pass->tile_terms = LEAST_TILE;
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__env_int64("PAULIMPI_TEST_TILE_TERMS", 1, INT32_MAX,
                                 &pass->tile_terms);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    pass->plan.n_store_words = run->store->n_words;
    pass->gate = paulimpi__alloc(MOST_GATES, sizeof *pass->gate);
    pass->key = paulimpi__alloc(MOST_GATES, key_bytes);
    pass->function = paulimpi__alloc(PAULIMPI__HASH_BITS, key_bytes);
    pass->crossing =
        paulimpi__alloc(n_threads * PAULIMPI__HASH_BITS, key_bytes);
    pass->crossed = paulimpi__alloc_zero(n_threads, sizeof *pass->crossed);
    pass->crossed_to = paulimpi__alloc(n_threads, sizeof *pass->crossed_to);
    pass->part = paulimpi__alloc(n_threads * LOG2_PARTS, key_bytes);
    pass->may_be_set = paulimpi__alloc(1, key_bytes);
    pass->wide = paulimpi__alloc(1, key_bytes);
    pass->word = paulimpi__alloc(n_words, sizeof *pass->word);
    pass->column = paulimpi__alloc(n_words, sizeof *pass->column);
    pass->start = paulimpi__alloc(n_words, 2 * sizeof *pass->start);
    pass->tile = paulimpi__alloc_zero(n_threads, sizeof *pass->tile);
    pass->orbits = paulimpi__alloc_zero(n_threads, sizeof *pass->orbits);
    pass->count =
        paulimpi__alloc(n_threads, (MOST_GATES + 1) * sizeof *pass->count);
    pass->seen = paulimpi__alloc(n_threads, key_bytes);
    rc = paulimpi__regions_init(&pass->regions, run->store);
    pass->plan.gate = pass->gate;
    pass->plan.word = pass->word;
    pass->plan.column = pass->column;
    pass->plan.start = pass->start;
    return rc != PAULIMPI_SUCCESS || pass->gate == NULL || pass->key == NULL
                   || pass->function == NULL || pass->crossing == NULL
                   || pass->crossed_to == NULL || !make_all_sums(pass)
                   || pass->part == NULL || pass->wide == NULL
                   || pass->may_be_set == NULL || pass->word == NULL
                   || pass->column == NULL || pass->start == NULL
                   || pass->tile == NULL || pass->orbits == NULL
                   || pass->count == NULL || pass->seen == NULL
               ? PAULIMPI_ERR_MEMORY
               : PAULIMPI_SUCCESS;
}

void
paulimpi__tile_pass_free(paulimpi__tile_pass *pass)
{
    int i;

    for (i = 0; pass->tile != NULL && i < pass->run->n_threads; i++) {
        paulimpi__tile_free(&pass->tile[i]);
    }
    for (i = 0; pass->orbits != NULL && i < pass->run->n_threads; i++) {
        paulimpi__orbits_free(&pass->orbits[i]);
    }
    for (i = 0; pass->crossed != NULL && i < pass->run->n_threads; i++) {
        free_sums(&pass->crossed[i]);
    }
    paulimpi__regions_free(&pass->regions);
    paulimpi__free(pass->orbits);
    paulimpi__free(pass->seen);
    paulimpi__free(pass->count);
    paulimpi__free(pass->tile);
    paulimpi__free(pass->start);
    paulimpi__free(pass->column);
    paulimpi__free(pass->word);
    paulimpi__free(pass->wide);
    paulimpi__free(pass->may_be_set);
    paulimpi__free(pass->part);
    paulimpi__free(pass->crossed_to);
    paulimpi__free(pass->crossed);
    paulimpi__free(pass->crossing);
    free_sums(&pass->hash);
    paulimpi__free(pass->function);
    paulimpi__free(pass->key);
    paulimpi__free(pass->gate);
}
