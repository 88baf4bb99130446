/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A pass of all tiles of a store through a group of gates.
 */
#include <string.h>

#include "propagate/tile_pass.h"

enum {
    BLOCK = PAULIMPI__BLOCK_TERMS,
    LANES = PAULIMPI__TILE_LANES,
    MOST_GATES = PAULIMPI__GROUP_GATES,
    DEAD_GATES = 192,  /* of a dead term that take as long as laying a living
                          one out anew */
    MOST_TILES = 6,    /* that the terms of a tile fill, before it is split */
    MOST_EXPECTED = 4, /* that they are expected to fill */
    FEW_PARTS = 32,    /* of a tile are too few terms to judge by */
    GROWTH_UNIT = 16,
    LOG2_PARTS = PAULIMPI__SPLIT_FUNCTIONS,
    N_PARTS = 1 << LOG2_PARTS,
    BLOCKS_AT_ONCE = 16
};

/* What a thread works with. */
typedef struct {
    paulimpi__tile_pass *pass;
    paulimpi__worker *worker;
    int64_t thread;
    paulimpi__tile *tile;
    int64_t bucket;
} hand;

static void
fail(const hand *h)
{
    atomic_store(&h->pass->has_failed, 1);
}

/* A block within the limit of memory, whose words that tiles leave out are 0,
 * or NULL. */
static paulimpi__block *
take_block(const hand *h)
{
    const paulimpi__run *run = h->pass->run;
    const paulimpi__tile_plan *plan = &h->pass->plan;
    paulimpi__block *block;

    if (h->worker->purse.free == NULL
        && !paulimpi__purse_fill(run->store, &h->worker->purse, BLOCKS_AT_ONCE,
                                 run->memory_limit - run->extra_bytes)
        && h->worker->purse.free == NULL) {
        fail(h);
        return NULL;
    }
    block = paulimpi__block_take(run->store, &h->worker->purse);
    if (plan->n_words < plan->n_store_words
        || (h->pass->regions.log2_now > 0
            && paulimpi__tile_has_words(plan->n_words))) {
        memset(block->word, 0,
               (size_t)plan->n_store_words * 2 * BLOCK * sizeof *block->word);
    }
    return block;
}

/* Extend the chain of a new bucket. Whether there was a block. */
static int
extend(const void *data, paulimpi__chain *chain)
{
    const hand *h = data;
    paulimpi__block *block = take_block(h);

    if (block != NULL) {
        paulimpi__deal_extend(&h->pass->deal, chain, block);
    }
    return block != NULL;
}

/* The same for the chain of a part of a tile. */
static int
extend_part(const void *data, paulimpi__chain *chain)
{
    paulimpi__block *block = take_block(data);

    if (block != NULL) {
        paulimpi__chain_extend(chain, block);
    }
    return block != NULL;
}

/* Deal the living terms of a tile out over the next buckets. Whether there was
 * memory. */
static int
deal_out(const hand *h, paulimpi__tile *tile)
{
    const paulimpi__tile_pass *pass = h->pass;
    paulimpi__chain *chains = paulimpi__deal_chains(&pass->deal, h->thread);
    paulimpi__tile_dealer dealer = {
        .chains = chains,
        .to = tile->next_hash,
        .mask = ((uint32_t)1 << pass->deal.log2_buckets) - 1,
        .extend = extend,
        .data = h,
        .support = pass->regions.log2_now > 0 ? tile->support : NULL
    };

    if (pass->next == NULL) {
        /* The bucket stays, but for the region. */
        dealer.chains += h->bucket & dealer.mask;
        dealer.mask = 0;
    } else if (pass->regions.log2_next > 0) {
        paulimpi__regions_find(&pass->regions, &pass->plan, tile,
                               dealer.support, pass->next->log2_buckets,
                               tile->partner);
        dealer.to = tile->partner; /* free between gates */
    }
    return pass->loops->deal(tile, &pass->plan, &dealer);
}

/* Whether a bit of the key is set in any term that is in the planes. */
static int
is_in_planes(const paulimpi__tile *tile, int64_t bit)
{
    int64_t n_blocks = (tile->n_turned + BLOCK - 1) / BLOCK;
    uint64_t any = 0;
    int64_t k;

    for (k = 0; k < n_blocks; k++) {
        any |= paulimpi__tile_plane(tile, tile->n_words, k - k % LANES,
                                    bit)[k % LANES];
    }
    return any != 0;
}

/* Note the bits that are set in the keys of a tile, which is the whole sum. */
static void
note_seen(const hand *h, const paulimpi__tile *tile)
{
    const paulimpi__tile_pass *pass = h->pass;
    int64_t n_key = 2 * pass->plan.n_words;
    uint64_t *seen = pass->seen + h->thread * 2 * pass->plan.n_store_words;
    int64_t i, w;

    for (w = 0; w < n_key; w++) {
        uint64_t rest = pass->may_be_set[w] & ~seen[w];

        for (i = tile->n_turned; i < tile->n && rest != 0; i++) {
            seen[w] |= tile->key[i * n_key + w];
        }
        for (rest &= ~seen[w]; rest != 0; rest &= rest - 1) {
            int bit = __builtin_ctzll(rest);

            seen[w] |= (uint64_t)is_in_planes(tile, w * 64 + bit) << bit;
        }
    }
}

/* The terms of a chain, which is used up, before a gate of the group. They are
 * split as soon as they are more than `most`. */
typedef struct {
    paulimpi__chain chain;
    int64_t gate;
    int64_t most;
    int depth; /* how many times they have been split before */
} batch;

static void take_through(const hand *h, const batch *b);

/* The part that a key belongs to. */
static uint32_t
part_of(const uint64_t *function, const uint64_t *row, int64_t n_key)
{
    uint32_t part = 0;
    int f;

    for (f = 0; f < LOG2_PARTS; f++) {
        part |= paulimpi__product(function + f * n_key, row, n_key) << f;
    }
    return part;
}

/* Deal a tile that has become too large before gate k out over parts, by
 * functions that vanish on the group. Whether that worked. */
static int
deal_parts(const hand *h, const batch *b, int64_t k,
           paulimpi__chain parts[N_PARTS])
{
    const paulimpi__tile_pass *pass = h->pass;
    paulimpi__tile *tile = h->tile;
    int64_t n_key = 2 * pass->plan.n_words;
    uint64_t *function = pass->part + h->thread * LOG2_PARTS * n_key;
    uint32_t *to = tile->partner; /* free between gates */
    paulimpi__tile_dealer dealer = { .chains = parts,
                                     .to = to,
                                     .mask = N_PARTS - 1,
                                     .extend = extend_part,
                                     .data = h };
    int64_t i;

    paulimpi__tile_pass_split(pass, k, b->depth, function);
    for (i = 0; i < tile->n; i++) {
        to[i] = part_of(function, tile->key + i * n_key, n_key);
    }
    return pass->loops->deal(tile, &pass->plan, &dealer);
}

/* Take the terms of a tile, which come from batch b, through the rest of the
 * group in parts. A part that has kept most of the terms is nearly all of one
 * orbit, and may be larger; and so may parts of parts of parts. */
static void
split(const hand *h, const batch *b, int64_t gate)
{
    paulimpi__chain part[N_PARTS] = { { NULL, NULL, 0 } };
    int64_t n = h->tile->n_live;
    int i;

    if (!deal_parts(h, b, gate, part)) {
        return;
    }
    for (i = 0; i < N_PARTS && !atomic_load(&h->pass->has_failed); i++) {
        batch next = { part[i], gate, MOST_TILES * h->pass->tile_terms,
                       b->depth + 1 };

        if (next.depth == PAULIMPI__GROUP_SPLITS) {
            next.most = INT64_MAX;
        } else if (part[i].n_terms > n / 2) {
            next.most = 2 * b->most;
        }
        if (part[i].n_terms > 0) {
            take_through(h, &next);
        }
    }
}

/* Move the terms of a batch into the tile. Whether that worked. */
static int
load(const hand *h, const batch *b)
{
    const paulimpi__tile_pass *pass = h->pass;
    paulimpi__block *block = b->chain.head;
    /* Room for what a tile may grow to is asked for at once; what is not used
     * of it is not touched. */
    int64_t least = 2 * MOST_TILES * pass->tile_terms;
    int64_t n = b->chain.n_terms > least ? b->chain.n_terms : least;

    n = n < 2 * pass->most_whole ? 2 * pass->most_whole : n;
    h->tile->n = 0; /* what is there has been dealt out */
    if (paulimpi__tile_reserve(h->tile, n, pass->plan.n_words)
        != PAULIMPI_SUCCESS) {
        fail(h);
        return 0;
    }
    pass->loops->load(h->tile, &pass->plan, &b->chain);
    pass->loops->hash(
        h->tile, &pass->plan,
        pass->regions.log2_now > 0
            ? paulimpi__tile_pass_functions_of(pass, h->thread,
                                               h->tile->support)
            : paulimpi__tile_pass_functions(pass, h->thread, b->gate));
    while (block != NULL) {
        paulimpi__block *next = block->next;

        paulimpi__block_give(pass->run->store, &h->worker->purse, block);
        block = next;
    }
    return 1;
}

/* Whether it pays to leave the dead behind. */
static int
is_worth_compacting(const paulimpi__tile *tile, int64_t n_gates)
{
    return (tile->n - tile->n_live) * n_gates > DEAD_GATES * tile->n_live;
}

/* The end of the turns that begin with gate k. */
static int64_t
end_of_turns(const paulimpi__tile_pass *pass, int64_t k)
{
    while (k < pass->plan.n_gates
           && pass->gate[k].op->op->kind == PAULIMPI__OP_TURN) {
        k++;
    }
    return k;
}

/* Take the tile through gate k, or through all turns that begin there. Returns
 * the gate that is next, or -1 if memory is missing. */
static int64_t
do_gates(const hand *h, paulimpi__tile *tile, int64_t k)
{
    const paulimpi__tile_pass *pass = h->pass;
    const paulimpi__tile_gate *gate = &pass->gate[k];
    int64_t end = end_of_turns(pass, k);

    if (is_worth_compacting(tile, pass->plan.n_gates - k)) {
        paulimpi__tile_compact(tile);
    }
    if (end > k) {
        pass->loops->turn(tile, &pass->plan, gate, end - k);
        return end;
    }
    if (gate->op->op->kind == PAULIMPI__OP_SCALE) {
        pass->loops->scale(tile, &pass->plan, gate);
    } else if (paulimpi__tile_reserve(tile, 2 * tile->n, pass->plan.n_words)
               != PAULIMPI_SUCCESS) {
        fail(h);
        return -1;
    } else {
        pass->loops->rotate(tile, &pass->plan, gate);
    }
    paulimpi__bins_add(&h->tile->bins, tile->dropped, tile->n_dropped,
                       &h->worker->dropped.norm1, &h->worker->dropped.square);
    tile->n_dropped = 0;
    return k + 1;
}

/* Take a tile through gates `first` to `end` - 1, which do not make terms.
 * Whether there was memory. */
static int
do_part(const hand *h, paulimpi__tile *tile, int64_t first, int64_t end)
{
    int64_t *count = h->pass->count + h->thread * (MOST_GATES + 1);
    int64_t k = first;

    while (k < end) {
        int64_t n = tile->n_live;
        int64_t next = do_gates(h, tile, k);

        if (next < 0) {
            return 0;
        }
        for (; k < next; k++) {
            count[k] += n;
        }
    }
    return 1;
}

/* Take terms that have come to gate k, with no rotation ahead, through the rest
 * of the group and deal them out. Whether there was memory. */
static int
finish(const hand *h, paulimpi__tile *tile, int64_t k)
{
    const paulimpi__tile_pass *pass = h->pass;
    int64_t *count = pass->count + h->thread * (MOST_GATES + 1);

    if (!do_part(h, tile, k, pass->plan.n_gates)) {
        return 0;
    }
    count[pass->plan.n_gates] += tile->n_live;
    h->worker->growth += tile->n_live;
    if (pass->most_whole > 0) {
        note_seen(h, tile);
    }
    return deal_out(h, tile);
}

/* What becomes of the terms that have been taken through all rotations. */
static int
finish_orbits(const void *data, paulimpi__tile *out)
{
    const hand *h = data;
    int is_done = finish(h, out, h->pass->end_orbit);

    h->tile->active += out->active;
    out->active = 0;
    return is_done;
}

/* Take the terms of the tile through the rest of the group by orbits. */
static void
take_orbits(const hand *h)
{
    const paulimpi__tile_pass *pass = h->pass;
    paulimpi__orbits *orbits = &pass->orbits[h->thread];

    orbits->hand_on = finish_orbits;
    orbits->data = h;
    orbits->dropped = &h->worker->dropped;
    orbits->count = pass->count + h->thread * (MOST_GATES + 1);
    if (!pass->loops->orbit(orbits, h->tile, pass->first_orbit,
                            pass->end_orbit)) {
        fail(h);
    }
}

/* Whether a batch will have to be split, if it grows as others have: then it is
 * better done at once, while there is little to move. */
static int
will_grow(const hand *h, const batch *b)
{
    const paulimpi__tile_pass *pass = h->pass;
    int64_t growth = atomic_load(&pass->growth);

    return pass->most_whole == 0 && pass->plan.n_gates > 0 && b->gate == 0
           && b->depth < PAULIMPI__GROUP_SPLITS && b->chain.n_terms >= N_PARTS
           && b->chain.n_terms
                  > MOST_EXPECTED * GROWTH_UNIT * pass->tile_terms / growth;
}

static void
take_through(const hand *h, const batch *b)
{
    paulimpi__tile_pass *pass = h->pass;
    int64_t *count = pass->count + h->thread * (MOST_GATES + 1);
    int64_t k;

    if (!load(h, b)) {
        return;
    }
    if (pass->first_orbit < pass->end_orbit) {
        if (do_part(h, h->tile, 0, pass->first_orbit)) {
            take_orbits(h);
        }
        return;
    }
    if (will_grow(h, b)) {
        split(h, b, 0);
        return;
    }
    for (k = b->gate; k < pass->plan.n_gates;) {
        int64_t n = h->tile->n_live;
        int64_t next;

        if (pass->most_whole > 0 && n > pass->most_whole) {
            pass->plan.n_gates = k;
            break;
        }
        if (pass->most_whole == 0 && n > b->most) {
            split(h, b, k);
            return;
        }
        next = pass->regions.log2_now == 0
                       || paulimpi__regions_touch(&pass->plan, &pass->gate[k],
                                                  h->tile)
                   ? do_gates(h, h->tile, k)
                   : k + 1;
        if (next < 0) {
            return;
        }
        for (; k < next; k++) {
            count[k] += n;
        }
    }
    finish(h, h->tile, k);
}

/* Note how many times a bucket has grown, unless it tells little. */
static void
note_growth(paulimpi__tile_pass *pass, int64_t n_before, int64_t n_after)
{
    int64_t growth = GROWTH_UNIT * n_after / n_before;

    if (FEW_PARTS * n_before > pass->tile_terms
        && growth > atomic_load(&pass->growth)) {
        atomic_store(&pass->growth, growth);
    }
}

static void
do_bucket(const void *shared, paulimpi__worker *worker, int64_t b)
{
    paulimpi__tile_pass *pass = *(paulimpi__tile_pass *const *)shared;
    const paulimpi__workspace *space = pass->run->workspace;
    const paulimpi__bucket *bucket = &pass->run->store->buckets[b];
    int64_t thread = worker - space->worker;
    int64_t n = bucket->n_terms;
    hand h = { pass, worker, thread, &pass->tile[thread], b };
    batch all = {
        { bucket->head, NULL, n }, 0, MOST_TILES * pass->tile_terms, 0
    };

    if (n > 0 && !atomic_load(&pass->has_failed)) {
        int64_t growth_before = worker->growth;

        h.tile->active = 0;
        h.tile->n_born = 0;
        take_through(&h, &all);
        worker->active += h.tile->active;
        atomic_fetch_add(&pass->born, h.tile->n_born);
        note_growth(pass, n, worker->growth - growth_before);
        worker->growth -= n;
    }
}

static void
clear_notes(paulimpi__tile_pass *pass)
{
    const paulimpi__limits *limits = pass->plan.limits;
    size_t n = (size_t)pass->run->n_threads;
    size_t i;

    memset(pass->count, 0, n * (MOST_GATES + 1) * sizeof *pass->count);
    memset(pass->seen, 0,
           n * (size_t)pass->plan.n_store_words * 2 * sizeof *pass->seen);
    for (i = 0; i < n; i++) {
        /* What is dropped for its weight may be large. */
        paulimpi__bins_start(&pass->tile[i].bins,
                             limits->has_weights ? 0.0 : limits->min_abs);
        pass->crossed_to[i] = -1;
    }
    atomic_store(&pass->has_failed, 0);
    atomic_store(&pass->born, 0);
    atomic_store(&pass->growth, GROWTH_UNIT);
}

static void
take_dropped(paulimpi__tile_pass *pass)
{
    paulimpi__workspace *space = pass->run->workspace;
    int i;

    for (i = 0; i < pass->run->n_threads; i++) {
        paulimpi__dropped *dropped = &space->worker[i].dropped;

        paulimpi__bins_flush(&pass->tile[i].bins, &dropped->norm1,
                             &dropped->square);
    }
}

int
paulimpi__tile_pass_do(paulimpi__tile_pass *pass, paulimpi__run *run,
                       const paulimpi__group *next)
{
    paulimpi__store *store = run->store;

    clear_notes(pass);
    paulimpi__tile_pass_plan_next(pass, next);
    if (paulimpi__deal_begin(
            &pass->deal, run,
            next == NULL ? store->log2_buckets - pass->regions.log2_now
                         : next->log2_buckets + pass->regions.log2_next)
        != PAULIMPI_SUCCESS) {
        return PAULIMPI_ERR_MEMORY;
    }
    paulimpi__share_buckets(run, do_bucket, &pass,
                            store->n_terms * (pass->plan.n_gates + 1));
    take_dropped(pass);
    if (atomic_load(&pass->has_failed)) {
        paulimpi__deal_free(&pass->deal);
        return PAULIMPI_ERR_MEMORY;
    }
    paulimpi__deal_end(&pass->deal);
    pass->regions.log2_now = next == NULL ? 0 : pass->regions.log2_next;
    if (next != NULL) {
        memcpy(store->hash_of, next->hash_of,
               (size_t)store->n_qubits * 2 * sizeof *store->hash_of);
    }
    return PAULIMPI_SUCCESS;
}

int64_t
paulimpi__tile_pass_count(const paulimpi__tile_pass *pass, int64_t k)
{
    int64_t n = 0;
    int i;

    for (i = 0; i < pass->run->n_threads; i++) {
        n += pass->count[i * (MOST_GATES + 1) + k];
    }
    return n;
}

void
paulimpi__tile_pass_seen(const paulimpi__tile_pass *pass, uint64_t *support)
{
    const paulimpi__tile_plan *plan = &pass->plan;
    int64_t w;
    int i;

    memset(support, 0, (size_t)plan->n_store_words * 2 * sizeof *support);
    for (i = 0; i < pass->run->n_threads; i++) {
        const uint64_t *seen = pass->seen + i * 2 * plan->n_store_words;

        for (w = 0; w < plan->n_words; w++) {
            support[plan->word[w]] |= seen[w];
            support[plan->n_store_words + plan->word[w]] |=
                seen[plan->n_words + w];
        }
    }
}
