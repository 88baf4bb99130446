/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The loops over a tile, as they are compiled for each processor that this one
 * can stand for, against a plain list of terms.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "propagate/support.h"
#include "propagate/tile.h"
#include "propagate/tile_model.h"

enum {
    BLOCK = PAULIMPI__BLOCK_TERMS,
    N_SITES = 8, /* qubits on which terms have letters */
    N_FUNCTIONS = 7,
    HASH_BITS = PAULIMPI__HASH_BITS,
    LOG2_CHAINS = 3,
    N_GATES = 12,
    MOST_OPS = 2 * N_GATES
};

/* A tile, and the list that it must be. */
typedef struct {
    int64_t n_qubits;
    int64_t n_words; /* of the tile; one word of the store more is empty */
    int64_t site[N_SITES];
    paulimpi__store store;
    paulimpi__limits limits;
    script *s;
    paulimpi_circuit *circuit;
    paulimpi__run run;
    paulimpi__tile_plan plan;
    int64_t word[MODEL_WORDS];
    int64_t column[MODEL_WORDS];
    int64_t start[2 * MODEL_WORDS];
    string function[N_FUNCTIONS]; /* of terms in the end */
    string early[HASH_BITS]; /* the bits of both hashes, of terms before all */
    string generator[MOST_OPS];
    int is_turn[MOST_OPS]; /* by an odd number of quarters */
    paulimpi__tile tile;
    const paulimpi__tile_loops *loops;
} fixture;

static model list[2];
static model *before = &list[0], *after = &list[1];

/* The words of a string that a tile takes along. */
static void
narrow(const fixture *f, const string *key, uint64_t *to)
{
    int64_t n = f->n_words;
    int64_t w;

    for (w = 0; w < n; w++) {
        to[w] = key->word[f->word[w]];
        to[n + w] = key->word[f->store.n_words + f->word[w]];
    }
}

static void
widen(const fixture *f, const uint64_t *from, string *key)
{
    int64_t n = f->n_words;
    int64_t w;

    memset(key, 0, sizeof *key);
    for (w = 0; w < n; w++) {
        key->word[f->word[w]] = from[w];
        key->word[f->store.n_words + f->word[w]] = from[n + w];
    }
}

/* Take a string across the turns before operation i, back to what it was, or
 * across the turns from there to the end. */
static string
before_turns(const fixture *f, string key, int64_t i)
{
    while (i-- > 0) {
        if (f->is_turn[i]) {
            model_turn_string(&key, &f->generator[i], f->store.n_words);
        }
    }
    return key;
}

static string
after_turns(const fixture *f, string key, int64_t i)
{
    for (; i < f->run.n_ops; i++) {
        if (f->is_turn[i]) {
            model_turn_string(&key, &f->generator[i], f->store.n_words);
        }
    }
    return key;
}

/* The hash of a string as it is before operation i, but for the bits that are
 * drawn anew: that of what it was. */
static uint32_t
hash_of(const fixture *f, const string *now, int64_t i)
{
    string key = before_turns(f, *now, i);

    return paulimpi__store_hash(&f->store, key.word,
                                key.word + f->store.n_words)
           & ~f->plan.drawn;
}

/* The bits that are drawn anew: those of what it will be. */
static uint32_t
next_hash_of(const fixture *f, const string *now, int64_t op)
{
    string key = after_turns(f, *now, op);
    uint32_t hash = 0;
    int64_t w;
    int i;

    for (i = 0; i < N_FUNCTIONS; i++) {
        uint64_t odd = 0;

        for (w = 0; w < 2 * f->store.n_words; w++) {
            odd ^= f->function[i].word[w] & key.word[w];
        }
        hash |= (uint32_t)paulimpi__parity(odd) << i;
    }
    return hash;
}

/* Rotations on 1 to all of the sites, turns, and channels. */
static script *
draw_gates(dice *d, const fixture *f)
{
    script *s = script_create(f->n_qubits);
    int64_t i, k;

    for (i = 0; i < N_GATES; i++) {
        char *part = dice_label(d, N_SITES, 1 + dice_below(d, N_SITES));
        char *label = dice_label(d, f->n_qubits, 0);
        int64_t q = f->site[dice_below(d, N_SITES)];
        int is_turn = !f->limits.has_weights && dice_below(d, 2) == 0;

        for (k = 0; k < N_SITES; k++) {
            label[f->site[k]] = part[k];
        }
        script_rotation(s, label,
                        is_turn ? (double)(1 + dice_below(d, 3)) * acos(0)
                                : dice_uniform(d, -3, 3));
        if (i % 3 == 2) {
            script_one(s, i % 2 == 0 ? "depolarizing" : "dephasing", q, 0.2);
        }
        free(part);
        free(label);
    }
    return s;
}

/* Sites in each of the words of the tile, the first and the last qubit among
 * them; the word in the middle of the store is empty, if there are several. */
static void
choose_words(dice *d, fixture *f)
{
    int64_t n = f->n_words;
    int64_t w, k;

    for (w = 0; w < n; w++) {
        f->word[w] = n > 1 && w >= n / 2 ? w + 1 : w;
        f->column[f->word[w]] = w;
    }
    for (w = 0; w < n; w++) {
        f->start[w] = f->word[w] * BLOCK;
        f->start[n + w] = (f->word[n - 1] + 1 + f->word[w]) * BLOCK;
    }
    f->n_qubits = 64 * f->word[n - 1] + 41;
    for (k = 0; k < N_SITES; k++) {
        f->site[k] = 64 * f->word[k % n] + 5 * (k / n) + dice_below(d, 5);
    }
    f->site[0] = 0;
    f->site[N_SITES - 1] = f->n_qubits - 1;
}

/* Make a function of the terms after operation k one of those before it: where
 * it is 1 on the generator, it changes on all strings that anticommute. */
static void
cross_turn(const fixture *f, string *function, int64_t k)
{
    const string *g = &f->generator[k];
    int64_t n = f->store.n_words;
    uint64_t odd = 0;
    int64_t w;

    for (w = 0; w < 2 * n; w++) {
        odd ^= function->word[w] & g->word[w];
    }
    for (w = 0; w < n && f->is_turn[k] && paulimpi__parity(odd); w++) {
        function->word[w] ^= g->word[n + w];
        function->word[n + w] ^= g->word[w];
    }
}

static void
draw_functions(dice *d, fixture *f)
{
    int64_t n_words = f->store.n_words;
    int64_t w, k;
    int i;

    for (i = 0; i < N_FUNCTIONS; i++) {
        for (w = 0; w < 2 * n_words; w++) {
            f->function[i].word[w] = dice_word(d);
        }
        f->early[i] = f->function[i];
        for (k = f->run.n_ops - 1; k >= 0; k--) {
            cross_turn(f, &f->early[i], k);
        }
    }
}

/* The other bits are those of the store's hash. */
static void
note_hash(fixture *f)
{
    int64_t n_words = f->store.n_words;
    int64_t q;
    int i;

    for (i = N_FUNCTIONS; i < HASH_BITS; i++) {
        for (q = 0; q < f->n_qubits; q++) {
            const uint32_t *hash = &f->store.hash_of[2 * q];

            f->early[i].word[q / 64] |= (uint64_t)(hash[0] >> i & 1) << q % 64;
            f->early[i].word[n_words + q / 64] |= (uint64_t)(hash[1] >> i & 1)
                                                  << q % 64;
        }
    }
}

static void
note_generators(fixture *f)
{
    int64_t i;

    for (i = 0; i < f->run.n_ops; i++) {
        const paulimpi__ready_op *op = &f->run.ops[i];

        paulimpi__write_key(&f->run, op, f->generator[i].word);
        f->is_turn[i] =
            op->op->kind == PAULIMPI__OP_TURN && op->op->quarters % 2 == 1;
    }
}

static const paulimpi_truncation keep_all = PAULIMPI_TRUNCATION_INIT;

static void
begin(fixture *f, dice *d, int64_t n_words, const paulimpi__limits *limits)
{
    memset(f, 0, sizeof *f);
    f->n_words = n_words;
    f->limits = *limits;
    choose_words(d, f);
    check(paulimpi__store_init(&f->store, f->n_qubits));
    f->s = draw_gates(d, f);
    f->circuit = make_circuit(f->s);
    f->run = (paulimpi__run){ .store = &f->store,
                              .circuit = f->circuit,
                              .truncation = &keep_all,
                              .is_schroedinger = 1,
                              .n_threads = 1 };
    check(paulimpi__run_prepare(&f->run));
    note_generators(f);
    draw_functions(d, f);
    note_hash(f);
    f->plan = (paulimpi__tile_plan){ .limits = &f->limits,
                                     .n_store_words = f->store.n_words,
                                     .n_words = n_words,
                                     .word = f->word,
                                     .column = f->column,
                                     .start = f->start,
                                     .n_functions = N_FUNCTIONS,
                                     .drawn = (1 << N_FUNCTIONS) - 1 };
    check(paulimpi__tile_loops_choose(&f->loops));
}

static void
end(fixture *f)
{
    paulimpi__tile_free(&f->tile);
    paulimpi__run_free(&f->run);
    paulimpi_circuit_destroy(&f->circuit);
    script_destroy(f->s);
    paulimpi__store_free(&f->store);
}

/* Another n terms with letters on the sites. */
static void
draw_terms(dice *d, const fixture *f, model *m, int64_t n)
{
    model_clear(m, f->store.n_words);
    m->n_active = 0;
    m->n_dropped = 0;
    while (m->n < n) {
        string key;
        int64_t k;

        memset(&key, 0, sizeof key);
        for (k = 0; k < N_SITES; k++) {
            int64_t q = f->site[k];
            uint64_t letter = dice_word(d) & 3;

            key.word[q / 64] |= (letter & 1) << q % 64;
            key.word[m->n_words + q / 64] |= letter >> 1 << q % 64;
        }
        if (model_find(m, &key) < 0
            && model_is_light(&key, m->n_words, &f->limits)) {
            model_add(m, &key, dice_uniform(d, -1, 1));
        }
    }
}

/* Chains of blocks. */

/* Give a chain an empty block, as long as there are some left. */
typedef struct {
    paulimpi__store *store;
    int64_t n_left;
} supply;

static int
extend(const void *data, paulimpi__chain *chain)
{
    const supply *s = data;
    paulimpi__purse purse = { NULL, 0 };
    paulimpi__block *block;

    if (s->n_left == 0) {
        return 0;
    }
    ((supply *)data)->n_left--;
    block = paulimpi__block_take(s->store, &purse);
    memset(block->word, 0,
           (size_t)s->store->n_words * 2 * BLOCK * sizeof *block->word);
    paulimpi__chain_extend(chain, block);
    return 1;
}

static void
put_terms(fixture *f, const model *m, paulimpi__chain *chain)
{
    supply s = { &f->store, INT64_MAX };
    int64_t i, w;

    check(paulimpi__store_reserve(&f->store, m->n));
    for (i = 0; i < m->n; i++) {
        int64_t slot = chain->n_terms++ % BLOCK;

        if (slot == 0) {
            extend(&s, chain);
        }
        for (w = 0; w < 2 * f->store.n_words; w++) {
            chain->last->word[w * BLOCK + slot] = m->key[i].word[w];
        }
        chain->last->coefficient[slot] = m->coefficient[i];
    }
}

static void
give_back(fixture *f, paulimpi__chain *chain)
{
    paulimpi__purse purse = { NULL, 0 };
    paulimpi__block *block = chain->head;

    while (block != NULL) {
        paulimpi__block *next = block->next;

        paulimpi__block_give(&f->store, &purse, block);
        block = next;
    }
    paulimpi__purse_empty(&f->store, &purse);
    memset(chain, 0, sizeof *chain);
}

/* Comparisons. */

/* Whether what the tile has dropped is what the list has. */
static int
has_dropped(fixture *f, model *m)
{
    static double dropped[2 * MODEL_TERMS];
    int64_t n = 0;
    int64_t i;

    for (i = 0; i < f->tile.n_dropped; i++) {
        if (f->tile.dropped[i] != 0) {
            dropped[n++] = f->tile.dropped[i];
        }
    }
    f->tile.n_dropped = 0;
    return model_has_dropped(m, dropped, n);
}

/* Whether the living terms of the tile before operation `op` are those of the
 * list, with their hashes. */
static int
has_terms(const fixture *f, const model *m, int64_t op)
{
    static char seen[MODEL_TERMS];
    const paulimpi__tile *tile = &f->tile;
    int64_t n_live = 0;
    int64_t i;

    memset(seen, 0, sizeof seen);
    for (i = 0; i < tile->n; i++) {
        string key;

        widen(f, tile->key + i * 2 * f->n_words, &key);
        if (tile->hash[i] != hash_of(f, &key, op)
            || (tile->next_hash[i] & f->plan.drawn)
                   != next_hash_of(f, &key, op)) {
            return 0;
        }
        if (tile->coefficient[i] != 0) {
            n_live++;
            if (!model_has(m, &key, tile->coefficient[i], seen)) {
                return 0;
            }
        }
    }
    return n_live == m->n && tile->n_live == n_live;
}

/* Whether chains hold the terms of the list, each where its next hash says. */
static int
have_terms(const fixture *f, const paulimpi__chain *chains, const model *m)
{
    static char seen[MODEL_TERMS];
    int64_t n_ops = f->run.n_ops;
    int64_t n = 0;
    int64_t b, i, w;

    memset(seen, 0, sizeof seen);
    for (b = 0; b < 1 << LOG2_CHAINS; b++) {
        const paulimpi__block *block = chains[b].head;

        for (i = 0; i < chains[b].n_terms; i++, n++) {
            int64_t slot = i % BLOCK;
            string key;

            block = i > 0 && slot == 0 ? block->next : block;
            memset(&key, 0, sizeof key);
            for (w = 0; w < 2 * f->store.n_words; w++) {
                key.word[w] = block->word[w * BLOCK + slot];
            }
            if (!model_has(m, &key, block->coefficient[slot], seen)
                || (next_hash_of(f, &key, n_ops) & ((1 << LOG2_CHAINS) - 1))
                       != b) {
                return 0;
            }
        }
    }
    return n == m->n;
}

/* Gates. */

/* Gate i for the tile, with room for its key. */
static paulimpi__tile_gate
gate_of(const fixture *f, int64_t i, uint64_t *key)
{
    const paulimpi__op *op = f->run.ops[i].op;
    const string *g = &f->generator[i];

    narrow(f, g, key);
    return (paulimpi__tile_gate){ .op = &f->run.ops[i],
                                  .key = key,
                                  .hash = hash_of(f, g, i),
                                  .next_hash = next_hash_of(f, g, i),
                                  .cos_theta = op->value[0],
                                  .sin_theta = paulimpi__sine(&f->run, op),
                                  .quarters =
                                      paulimpi__quarters(&f->run, op) };
}

static void
swap_lists(void)
{
    model *spare = before;

    before = after;
    after = spare;
}

/* Each of these takes list and tile through operation i, and returns the next
 * one. */

static int64_t
rotate(fixture *f, int64_t i)
{
    uint64_t key[2 * MODEL_WORDS];
    paulimpi__tile_gate gate = gate_of(f, i, key);

    check(paulimpi__tile_reserve(&f->tile, 2 * f->tile.n, f->n_words));
    model_rotate(before, after, &f->generator[i], gate.cos_theta,
                 gate.sin_theta, &f->limits);
    swap_lists();
    f->loops->rotate(&f->tile, &f->plan, &gate);
    return i + 1;
}

/* All turns that follow each other are one call. */
static int64_t
turn(fixture *f, int64_t i)
{
    uint64_t key[MOST_OPS][2 * MODEL_WORDS];
    paulimpi__tile_gate gate[MOST_OPS];
    int64_t n = 0;

    for (; i < f->run.n_ops && f->run.ops[i].op->kind == PAULIMPI__OP_TURN;
         i++) {
        gate[n] = gate_of(f, i, key[n]);
        model_turn(before, after, &f->generator[i], gate[n].quarters);
        swap_lists();
        n++;
    }
    f->loops->turn(&f->tile, &f->plan, gate, n);
    return i;
}

static int64_t
scale(fixture *f, int64_t i)
{
    const paulimpi__op *op = f->run.ops[i].op;
    paulimpi__tile_gate gate = { .op = &f->run.ops[i] };

    model_scale(before, after,
                paulimpi__site_qubit(f->circuit->sites[op->first_site]),
                op->value, &f->limits);
    swap_lists();
    f->loops->scale(&f->tile, &f->plan, &gate);
    return i + 1;
}

/* Take list and tile through operation i, or several. Returns the next one, or
 * -1 if they are no longer the same. */
static int64_t
do_gates(fixture *f, int64_t i)
{
    int kind = f->run.ops[i].op->kind;
    int64_t next;

    f->tile.n_dropped = 0;
    before->n_dropped = 0;
    after->n_dropped = 0;
    next = kind == PAULIMPI__OP_SCALE  ? scale(f, i)
           : kind == PAULIMPI__OP_TURN ? turn(f, i)
                                       : rotate(f, i);
    if (!has_terms(f, before, next) || !has_dropped(f, before)
        || f->tile.active != before->n_active) {
        tap_note("operations %d to %d", (int)i, (int)next - 1);
        return -1;
    }
    return next;
}

/* Load terms as they are before operation op. */
static void
load(fixture *f, const paulimpi__chain *chain, int64_t op)
{
    uint64_t function[2 * MODEL_WORDS];
    uint32_t plane[HASH_BITS * 128 * MODEL_WORDS];
    int64_t begin[HASH_BITS + 1];
    paulimpi__tile_sums sums = { begin, plane };
    int64_t n = 0;
    int64_t k;
    int i;

    for (i = 0; i < HASH_BITS; i++) {
        string now = f->early[i];

        for (k = 0; k < op; k++) {
            cross_turn(f, &now, k);
        }
        narrow(f, &now, function);
        begin[i] = n;
        for (k = 0; k < 128 * f->n_words; k++) {
            plane[n] = (uint32_t)(k * PAULIMPI__TILE_LANES);
            n += (int64_t)(function[k / 64] >> k % 64 & 1);
        }
    }
    begin[HASH_BITS] = n;
    f->tile.n = 0;
    check(paulimpi__tile_reserve(&f->tile, chain->n_terms, f->n_words));
    f->loops->load(&f->tile, &f->plan, chain);
    f->loops->hash(&f->tile, &f->plan, &sums);
}

/* Write the tile to chains by its next hash. Whether that worked. */
static int
deal(fixture *f, paulimpi__chain *chains, uint32_t mask)
{
    supply s = { &f->store, INT64_MAX };
    paulimpi__tile_dealer dealer = { .chains = chains,
                                     .to = f->tile.next_hash,
                                     .mask = mask,
                                     .extend = extend,
                                     .data = &s };

    check(paulimpi__store_reserve(&f->store,
                                  f->tile.n + (BLOCK << LOG2_CHAINS)));
    return f->loops->deal(&f->tile, &f->plan, &dealer);
}

/* Write the tile to one chain and load it again, in the middle of a group;
 * dead terms are gone then. */
static int
deal_and_load(fixture *f, int64_t i)
{
    paulimpi__chain chain = { NULL, NULL, 0 };
    int is_right = deal(f, &chain, 0);

    load(f, &chain, i);
    give_back(f, &chain);
    if (!is_right || !has_terms(f, before, i)) {
        tap_note("loading in the middle");
        return 0;
    }
    return 1;
}

/* Deal the tile out in the end. */
static int
deal_out(fixture *f)
{
    paulimpi__chain chains[1 << LOG2_CHAINS] = { { NULL, NULL, 0 } };
    int is_right = deal(f, chains, (1 << LOG2_CHAINS) - 1)
                   && have_terms(f, chains, before);
    int64_t b;

    for (b = 0; b < 1 << LOG2_CHAINS; b++) {
        give_back(f, &chains[b]);
    }
    if (!is_right) {
        tap_note("dealing out");
    }
    return is_right;
}

/* Take n_terms terms through random gates, in a tile of n_words words. */
static void
test_tile(int64_t n_words, int64_t n_terms, const paulimpi__limits *limits,
          const char *what)
{
    dice d = { (uint64_t)(100000 * n_words + n_terms) };
    paulimpi__chain chain = { NULL, NULL, 0 };
    fixture f;
    int is_right;
    int64_t i;

    begin(&f, &d, n_words, limits);
    draw_terms(&d, &f, before, n_terms);
    put_terms(&f, before, &chain);
    load(&f, &chain, 0);
    give_back(&f, &chain);
    is_right = has_terms(&f, before, 0);
    if (!is_right) {
        tap_note("loading");
    }
    for (i = 0; i >= 0 && i < f.run.n_ops && is_right;) {
        is_right = i < f.run.n_ops / 2 || deal_and_load(&f, i);
        i = do_gates(&f, i);
    }
    is_right = is_right && i >= 0;
    is_right = is_right && deal_out(&f);
    tap_ok(is_right, "%s: %d words, %d terms become %d, %s", f.loops->name,
           (int)n_words, (int)n_terms, (int)before->n, what);
    end(&f);
}

static void
test_sizes(void)
{
    static const paulimpi__limits eps = { 0.1, 0, 0, 0 };
    static const paulimpi__limits none = { 0, 0, 0, 0 };
    static const paulimpi__limits weights = { 0.03, 5, 3, 1 };
    static const int64_t sizes[] = { 1, 63, 64, 65, 200, 511, 512, 513, 1500 };
    int64_t n_words;
    size_t i;

    for (n_words = 1; n_words < MODEL_WORDS; n_words++) {
        for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            if (n_words < 4 || i % 3 == 2) {
                test_tile(n_words, sizes[i], &eps, "eps");
            }
        }
        test_tile(n_words, 100, &weights, "eps and weights");
        test_tile(n_words, 3, &none, "without limits");
    }
}

/* Blocks run out while a tile is dealt out. */
static void
test_no_blocks(void)
{
    static const paulimpi__limits none = { 0, 0, 0, 0 };
    dice d = { 5 };
    paulimpi__chain chain = { NULL, NULL, 0 };
    fixture f;
    int n_wrong = 0;
    int64_t n;

    begin(&f, &d, 2, &none);
    draw_terms(&d, &f, before, 300);
    put_terms(&f, before, &chain);
    load(&f, &chain, 0);
    check(paulimpi__store_reserve(&f.store, 300));
    for (n = 0; n <= 5; n++) {
        paulimpi__chain to = { NULL, NULL, 0 };
        supply s = { &f.store, n };
        paulimpi__tile_dealer dealer = {
            .chains = &to, .to = f.tile.next_hash, .extend = extend, .data = &s
        };
        int is_complete = f.loops->deal(&f.tile, &f.plan, &dealer);

        n_wrong += is_complete != (n == 5) || to.n_terms > BLOCK * n;
        give_back(&f, &to);
    }
    tap_is_int(n_wrong, 0, "%s: a tile that finds no blocks says so",
               f.loops->name);
    give_back(&f, &chain);
    end(&f);
}

static void
test_no_memory(void)
{
    paulimpi__tile tile = { 0 };
    paulimpi__tile was;
    int n_wrong = 0;
    int64_t n;
    int rc;

    check(paulimpi__tile_reserve(&tile, 100, 2));
    tile.n = 100;
    was = tile;
    for (n = 1; n < 100; n++) {
        paulimpi__alloc_fail_at(n);
        rc = paulimpi__tile_reserve(&tile, 2000, 2);
        if (rc == PAULIMPI_SUCCESS) {
            break;
        }
        n_wrong += rc != PAULIMPI_ERR_MEMORY || tile.key != was.key
                   || tile.most != was.most;
    }
    paulimpi__alloc_fail_at(0);
    tap_ok(n > 1 && n < 100 && n_wrong == 0 && tile.n == 100
               && tile.most >= 2000,
           "wherever memory runs out for a tile, it stays as it was");
    paulimpi__tile_free(&tile);
    tap_ok(tile.key == NULL && tile.most == 0, "a tile can be freed");
}

int
main(void)
{
    int level;

    for (level = 0; level <= paulimpi__simd_best(); level++) {
        const paulimpi__tile_loops *loops;

        setenv("PAULIMPI_SIMD", paulimpi__simd_name(level), 1);
        check(paulimpi__tile_loops_choose(&loops));
        tap_is_text(loops->name, paulimpi__simd_name(level),
                    "loops that are asked for");
        test_sizes();
        test_no_blocks();
    }
    unsetenv("PAULIMPI_SIMD");
    test_no_memory();
    return tap_done();
}
