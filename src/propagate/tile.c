/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tile engine: groups of gates over parts of the sum.
 *
 * Before a group the hash is chosen anew, so that its low bits are 0 on the
 * generators of all gates of the group. Then every bucket holds the partners
 * of its own terms for the whole group, and is taken through all gates at once
 * while it stays in the cache. See doc/design/tile.md.
 *
 * What the group cannot do (other operations, a limit on the number of terms,
 * a look at every gate) goes to the in-place engine, which leaves the store in
 * the same form.
 */
#include <math.h>
#include <string.h>

#include "propagate/group.h"
#include "propagate/tile_pass.h"

enum {
    BLOCK = PAULIMPI__BLOCK_TERMS,
    LEAST_TERMS = 1024, /* of a sum in tiles, */
    LEAST_WHOLE = 256,  /* and of one that is a tile */
    LEAST_TILES = 4,    /* that such a sum would fill in tiles before it is */
    MOST_TILES = 16,    /* dealt out over them, */
    TILE_GATES = 256,   /* times the gates of a group */
    SAMPLE_BLOCKS = 16,
    TILES_A_THREAD = 8,
    LEAST_TILE = 256, /* terms of a tile, to have so many */
    AMPLE_GATES = 24, /* that are worth it in any case */
    MOVE_COST = 40,   /* see is_worth_it() */
    READ_COST = 1,
    JOIN_COST = 20,
    FIRST_GROWTH = 8, /* of a group, to plan for as long as none is known, */
    MOST_GROWTH = 8   /* and at most */
};

typedef struct {
    paulimpi__group group[2];
    paulimpi__group *current; /* for which the store is in tiles, if it is */
    paulimpi__group *next;
    paulimpi__group nothing; /* a group of no gates */
    int is_ready;
    uint64_t n_draws;
    uint64_t *support;    /* bits that may be set in terms */
    int has_support;      /* that is known of the terms that there are */
    double growth;        /* of the last group; 0 before the first one */
    int64_t growth_gates; /* by which that was; 0: by that group */
    int64_t n_begin;      /* terms at the beginning */
    int64_t most_whole;   /* of the last time that the sum was one tile */
    paulimpi__tile_pass pass;

    /* The store and the run at the first group: where to go back to when
     * memory runs out inside a group. */
    paulimpi__store store;
    paulimpi__run run;
    int has_checkpoint;
    int is_lost; /* the store, with nothing to go back to here */
    int is_off;  /* in place from now on */
} tiles;

static tiles *
tiles_of(const paulimpi__run *run)
{
    const paulimpi__workspace *space = run->workspace;

    return space->tile;
}

/* The buckets that a group should have, as a power of 2. */
static int
wanted_buckets(const paulimpi__run *run)
{
    const tiles *t = tiles_of(run);
    double growth = t->growth == 0.0 ? FIRST_GROWTH : t->growth;
    double terms =
        (double)run->store->n_terms * fmin(fmax(growth, 1.0), MOST_GROWTH);
    double tile_terms = (double)t->pass.tile_terms;
    int bits = paulimpi__log2_ceil((uint64_t)(terms / tile_terms) + 1);

    bits -= bits > PAULIMPI__MANY_ROWS;

    /* Each thread should have several, however few terms there are. */
    while (run->n_threads > 1
           && (int64_t)1 << bits < TILES_A_THREAD * (int64_t)run->n_threads
           && run->store->n_terms >> bits >= LEAST_TILE) {
        bits++;
    }
    return bits < PAULIMPI__GROUP_ROWS ? bits : PAULIMPI__GROUP_ROWS - 1;
}

void
paulimpi__find_support(const paulimpi__store *store, uint64_t *support)
{
    int64_t n_buckets = paulimpi__store_buckets(store);
    int64_t b, w;

    memset(support, 0, (size_t)store->n_words * 2 * sizeof *support);
    for (b = 0; b < n_buckets; b++) {
        int64_t rest = store->buckets[b].n_terms;
        const paulimpi__block *block = store->buckets[b].head;

        for (; block != NULL; block = block->next) {
            int64_t n = rest < BLOCK ? rest : BLOCK;
            int64_t t;

            for (w = 0; w < 2 * store->n_words; w++) {
                for (t = 0; t < n; t++) {
                    support[w] |= block->word[w * BLOCK + t];
                }
            }
            rest -= n;
        }
    }
}

/* Any bit may be set. */
static void
fill_support(const paulimpi__store *store, uint64_t *support)
{
    memset(support, 0xff, (size_t)store->n_words * 2 * sizeof *support);
}

/* Add the pass's counts to the tallies. Operations that were passed over found
 * as many terms as the next one that was not. */
static void
take_counts(paulimpi__run *run, const paulimpi__group *group)
{
    const tiles *t = tiles_of(run);
    int64_t i = group->first;
    int64_t k;

    for (k = 0; k <= group->n_gates; k++) {
        int64_t n = paulimpi__tile_pass_count(&t->pass, k);
        int64_t end = k < group->n_gates ? group->op[k] + 1 : group->end;

        run->term_gates += (end - i) * n;
        i = end;
        if (k > 0) {
            paulimpi__note_terms(run, group->op[k - 1], n);
        }
    }
    run->gates += group->end - run->n_done;
    run->n_done = group->end;
}

/* Keep a copy of the sum to go back to. It is taken while the sum is small,
 * and costs time, not memory, when it is needed. */
static int
take_checkpoint(paulimpi__run *run)
{
    tiles *t = tiles_of(run);

    if (t->has_checkpoint || run->has_net) {
        return 1;
    }
    if (!paulimpi__has_room(run, 2 * run->store->n_terms)
        || paulimpi__store_copy(&t->store, run->store) != PAULIMPI_SUCCESS) {
        return 0;
    }
    paulimpi__take_dropped(run, &run->dropped);
    t->run = *run;
    t->has_checkpoint = 1;
    run->extra_bytes = paulimpi__store_bytes(&t->store);
    return 1;
}

/* Memory ran out: inside a group, where some buckets are further than others;
 * or for a gate in place, which might fit beside no copy. Go back to the
 * checkpoint, and from there in place, where a gate that does not fit is not
 * begun. Nothing else changes, since all engines give the same bits. */
static void
go_back(paulimpi__run *run)
{
    tiles *t = tiles_of(run);

    t->is_lost = run->has_net;
    t->pass.regions.log2_now = 0;
    if (t->is_lost) {
        return;
    }
    paulimpi__run_restore(run, &t->run, &t->store);
    t->has_checkpoint = 0;
    t->is_off = 1;
    t->is_ready = 0;
}

/* Make the store one like any other. Whether there was memory, which is only
 * missing if it was when the terms were dealt out over regions. */
static int
leave_regions(paulimpi__run *run)
{
    paulimpi__regions *regions = &tiles_of(run)->pass.regions;

    for (; regions->log2_now > 0; regions->log2_now--) {
        if (paulimpi__store_halve(run->store) != PAULIMPI_SUCCESS) {
            go_back(run);
            return 0;
        }
    }
    return 1;
}

/* Whether the group may triple the terms, and the terms may be dealt out over
 * new buckets, each thread with a block of its own for each of them. */
static int
group_has_room(paulimpi__run *run, int bits)
{
    paulimpi__store *store = run->store;
    int64_t n_blocks = ((int64_t)run->n_threads + 1) << bits;
    int64_t bytes = n_blocks * (int64_t)store->pool.block_bytes
                    + ((int64_t)sizeof *store->buckets << bits);

    return paulimpi__has_room(run, 2 * store->n_terms)
           && bytes <= run->memory_limit - run->extra_bytes
                           - paulimpi__store_bytes(store);
}

/* Whether groups may be used at all. */
static int
may_use_groups(const paulimpi__run *run)
{
    return !tiles_of(run)->is_off && run->n_layers <= run->gates
           && run->truncation->max_terms == PAULIMPI_UNLIMITED
           && run->store->n_terms > 0;
}

/* Which share of the terms an operation acts on, by a sample of blocks. */
static double
active_share(const paulimpi__store *store, const paulimpi__ready_op *op)
{
    int64_t n_buckets = paulimpi__store_buckets(store);
    int64_t step = n_buckets / SAMPLE_BLOCKS + 1;
    int64_t n = 0;
    int64_t n_active = 0;
    int64_t b;

    for (b = 0; b < n_buckets; b += step) {
        int64_t n_terms = store->buckets[b].n_terms;

        if (n_terms > 0) {
            int64_t n_here = n_terms < BLOCK ? n_terms : BLOCK;
            uint64_t active = paulimpi__scan_active(store->buckets[b].head,
                                                    store->n_words, op);

            n += n_here;
            n_active +=
                paulimpi__popcount(active & (UINT64_MAX >> (BLOCK - n_here)));
        }
    }
    return n == 0 ? 0.0 : (double)n_active / (double)n;
}

/* Whether a group costs less in tiles than gate by gate. A term that has to be
 * moved for it costs MOVE_COST nanoseconds; in place each gate has to read it,
 * also one that is passed over in tiles, and if it is active, to join it. What
 * a gate costs in a tile is little beside that. */
static int
is_worth_it(const paulimpi__run *run, const paulimpi__group *group)
{
    double cost = READ_COST * (double)(group->end - group->first);
    int64_t k;

    if (run->is_forced || group->n_rotations >= AMPLE_GATES) {
        return group->n_rotations > 0;
    }
    for (k = 0; k < group->n_gates; k++) {
        const paulimpi__ready_op *op = &run->ops[group->op[k]];

        if (op->op->kind == PAULIMPI__OP_ROTATION) {
            cost += JOIN_COST * active_share(run->store, op);
        }
    }
    return cost > MOVE_COST;
}

/* Gather the group that begins with operation `first`. Whether it is one. */
static int
gather(const paulimpi__run *run, paulimpi__group *group, int64_t first,
       const uint64_t *support)
{
    const paulimpi__tile_pass *pass = &tiles_of(run)->pass;
    int bits = wanted_buckets(run);

    paulimpi__group_gather(group, run, first, support, bits,
                           run->engine == PAULIMPI_ENGINE_ORBIT);
    if (!run->is_forced
        && paulimpi__tile_pass_may_want_orbits(pass, group->n_rotations)) {
        paulimpi__group_gather(group, run, first, support, bits, 1);
        if (!paulimpi__tile_pass_wants_orbits(pass, run, group)) {
            paulimpi__group_gather(group, run, first, support, bits, 0);
        }
    }
    return is_worth_it(run, group);
}

/* Whether a group, however short, is the rest of a stretch at whose end terms
 * have to be dealt out, which is one more pass over them in any case. */
static int
ends_in_dealing(const paulimpi__run *run, const paulimpi__group *group)
{
    return run->rows != NULL && group->end == run->end;
}

/* Gather the group that comes next. Whether it is one, or such a rest. */
static int
gather_or_rest(const paulimpi__run *run, paulimpi__group *group)
{
    return gather(run, group, run->n_done, tiles_of(run)->support)
           || ends_in_dealing(run, group);
}

/* The same where it may not be known which letters the terms have: to find out
 * takes a look at all terms, which is not to be had in vain. */
static int
gather_first(paulimpi__run *run)
{
    tiles *t = tiles_of(run);

    if (!t->has_support) {
        fill_support(run->store, t->support);
        if (!gather_or_rest(run, t->current)) {
            return 0;
        }
        paulimpi__find_support(run->store, t->support);
    }
    if (!gather_or_rest(run, t->current)) {
        return 0;
    }
    if (t->growth_gates > 0) {
        t->growth = pow(t->growth, (double)t->current->n_rotations
                                       / (double)t->growth_gates);
        t->growth_gates = 0;
        t->current->log2_buckets = wanted_buckets(run);
    }
    return 1;
}

/* Deal the store out for a group by a pass that does nothing else. Whether that
 * worked; if memory ran out, the run has gone back. */
static int
deal_out(paulimpi__run *run, const paulimpi__group *group)
{
    tiles *t = tiles_of(run);
    paulimpi__limits limits = paulimpi__limits_of(run);

    memcpy(t->nothing.support, t->support,
           (size_t)run->store->n_words * 2 * sizeof *t->support);
    paulimpi__tile_pass_plan(&t->pass, run, &t->nothing, &limits);
    t->pass.regions.log2_next = 0;
    if (paulimpi__tile_pass_do(&t->pass, run, group) != PAULIMPI_SUCCESS) {
        go_back(run);
        return 0;
    }
    return 1;
}

/* Bring the store into tiles for the operations that come next. Whether that
 * worked. */
static int
get_ready(paulimpi__run *run)
{
    tiles *t = tiles_of(run);

    if (t->is_ready) {
        return 1;
    }
    if (!leave_regions(run)) {
        return 0;
    }
    if (t->growth == 0.0) {
        paulimpi__tile_pass_note_births(
            &t->pass, (double)run->store->n_terms / (double)t->n_begin - 1.0,
            run->n_done);
    }
    if (!gather_first(run)) {
        return 0;
    }
    t->has_support = 0;
    paulimpi__find_limit(run);
    if (!take_checkpoint(run)
        || !group_has_room(run, t->current->log2_buckets)) {
        return 0;
    }
    paulimpi__group_draw(t->current, run->store, &t->n_draws);
    t->is_ready = deal_out(run, t->current);
    return t->is_ready;
}

/* Gather the group after another one. If it begins the next stretch, terms of
 * other ranks come before it. Whether it is one. */
static int
gather_next(paulimpi__run *run, const paulimpi__group *group)
{
    tiles *t = tiles_of(run);
    int64_t end = run->end;
    int is_last = group->end == end && end < run->next_end;
    int has_next;

    run->end = is_last ? run->next_end : end;
    has_next = gather(run, t->next, group->end,
                      is_last ? run->bound : group->support);
    run->end = end;
    return has_next || (!is_last && ends_in_dealing(run, t->next));
}

/* Draw the hash by which terms are dealt out after a group: by the rows that
 * are given for the next stretch, if the group ends this one, or for the next
 * group. */
static void
draw_next(paulimpi__run *run, int is_last)
{
    tiles *t = tiles_of(run);

    if (is_last) {
        paulimpi__group_draw_given(t->next, run->store, run->rows, run->n_rows,
                                   &t->n_draws);
    } else {
        paulimpi__group_draw(t->next, run->store, &t->n_draws);
    }
}

/* The terms have been dealt out for the next group, if there is one. */
static void
go_on(tiles *t, int has_next)
{
    paulimpi__group *group = t->current;

    t->current = t->next;
    t->next = group;
    t->is_ready = has_next;
}

/* Take the store through the group for which it is ready, and make it ready for
 * the next one. */
static void
do_group(paulimpi__run *run)
{
    tiles *t = tiles_of(run);
    paulimpi__group *group = t->current;
    paulimpi__limits limits = paulimpi__limits_of(run);
    int64_t n_before = run->store->n_terms;
    int has_next = gather_next(run, group);
    int is_last = run->rows != NULL && group->end == run->end;
    int deals = is_last || has_next;

    paulimpi__tile_pass_plan(&t->pass, run, group, &limits);
    paulimpi__tile_pass_choose(&t->pass);
    t->pass.regions.log2_next = 0;
    if (deals) {
        if (!is_last && !run->has_net
            && run->engine != PAULIMPI_ENGINE_ORBIT) {
            paulimpi__regions_choose(&t->pass.regions, run->store, t->next,
                                     t->next->log2_buckets);
            t->next->log2_buckets -= t->pass.regions.log2_next;
        }
        draw_next(run, is_last);
    }
    if (paulimpi__tile_pass_do(&t->pass, run, deals ? t->next : NULL)
        != PAULIMPI_SUCCESS) {
        go_back(run);
        return;
    }
    run->has_dealt = is_last;
    take_counts(run, group);
    t->growth = (double)run->store->n_terms / (double)n_before;
    paulimpi__tile_pass_note_births(
        &t->pass, (double)atomic_load(&t->pass.born) / (double)n_before,
        group->n_rotations);
    go_on(t, has_next);
    /* So that the regions can be left. */
    if (t->pass.regions.log2_now > 0
        && paulimpi__store_reserve(run->store, 2 * BLOCK)
               != PAULIMPI_SUCCESS) {
        go_back(run);
    }
}

/* The mean number of rotations of the next two groups for terms with letters
 * everywhere. */
static int64_t
gates_a_group(const paulimpi__run *run, paulimpi__group *group)
{
    tiles *t = tiles_of(run);
    int64_t n;

    fill_support(run->store, t->support);
    paulimpi__group_gather(group, run, run->n_done, t->support, 0, 0);
    n = group->n_rotations;
    paulimpi__group_gather(group, run, group->end, group->support, 0, 0);
    return group->n_rotations > 0 ? (n + group->n_rotations) / 2 : n;
}

/* How many terms a sum that is one tile may have. With few gates a group it
 * costs more to deal them out for each than to work outside of the cache. */
static int64_t
most_whole(const paulimpi__run *run, int64_t n_gates)
{
    int64_t n_tiles = TILE_GATES / (n_gates > 0 ? n_gates : 1);

    n_tiles = n_tiles < LEAST_TILES ? LEAST_TILES : n_tiles;
    n_tiles = n_tiles > MOST_TILES ? MOST_TILES : n_tiles;
    return n_tiles * tiles_of(run)->pass.tile_terms;
}

/* Note that the pass has ended before gate k of the group. The hash, which has
 * followed the turns of the whole group, has been hash_of before. */
static void
shorten(const paulimpi__run *run, paulimpi__group *group, int64_t k,
        const uint32_t *hash_of)
{
    paulimpi__store *store = run->store;
    int64_t i;

    if (k == group->n_gates) {
        return;
    }
    group->end = group->op[k];
    group->n_gates = k;
    memcpy(store->hash_of, hash_of,
           (size_t)store->n_qubits * 2 * sizeof *hash_of);
    for (i = 0; i < k; i++) {
        const paulimpi__ready_op *op = &run->ops[group->op[i]];

        if (op->op->kind == PAULIMPI__OP_TURN && op->op->quarters % 2 == 1) {
            paulimpi__follow_turn(store, op);
        }
    }
}

/* Note how many times the terms have grown by the last gates of the pass, as
 * many as there are in the group that comes next. */
static void
note_late_growth(const paulimpi__run *run, paulimpi__group *group)
{
    tiles *t = tiles_of(run);
    int64_t end = t->pass.plan.n_gates;
    int64_t n;

    paulimpi__tile_pass_seen(&t->pass, t->support);
    /* At the end of a stretch terms of other ranks may come. */
    t->has_support = run->n_done < run->end;
    paulimpi__group_gather(group, run, run->n_done, t->support, 0, 0);
    n = group->n_rotations < end ? group->n_rotations : end;
    t->growth = (double)paulimpi__tile_pass_count(&t->pass, end)
                / (double)paulimpi__tile_pass_count(&t->pass, end - n);
    t->growth_gates = n;
    paulimpi__tile_pass_note_births(&t->pass, t->growth - 1.0, n);
}

/* Gather all operations that can be in a group, for a sum that will be one
 * tile. Whether that is worth it and there is room. */
static int
gather_whole(paulimpi__run *run, paulimpi__group *group)
{
    const tiles *t = tiles_of(run);
    paulimpi__store *store = run->store;

    paulimpi__find_support(store, t->support);
    paulimpi__group_gather_all(group, run, run->n_done, t->support);
    if (!is_worth_it(run, group) || !take_checkpoint(run)
        || !group_has_room(run, 0)) {
        return 0;
    }
    paulimpi__store_rebalance(store, 0);
    memcpy(group->hash_of, store->hash_of,
           (size_t)store->n_qubits * 2 * sizeof *store->hash_of);
    return store->log2_buckets == 0;
}

/* Take a sum of few terms as one tile as far as that goes. Whether it did. */
static int
do_whole(paulimpi__run *run)
{
    tiles *t = tiles_of(run);
    paulimpi__group *group = t->next;
    paulimpi__limits limits = paulimpi__limits_of(run);
    int64_t n_gates;
    int rc;

    if (2 * run->store->n_terms > t->most_whole) {
        return 0;
    }
    if (!leave_regions(run)) {
        return 1;
    }
    n_gates = gates_a_group(run, group);
    t->most_whole = most_whole(run, n_gates);
    paulimpi__expect(run, 2 * t->most_whole);
    if (2 * run->store->n_terms > t->most_whole || !gather_whole(run, group)) {
        return 0;
    }
    t->is_ready = 0;
    paulimpi__tile_pass_plan(&t->pass, run, group, &limits);
    t->pass.most_whole = t->most_whole;
    rc = paulimpi__tile_pass_do(&t->pass, run, NULL);
    t->pass.most_whole = 0;
    if (rc != PAULIMPI_SUCCESS) {
        go_back(run);
        return 1;
    }
    shorten(run, group, t->pass.plan.n_gates, group->hash_of);
    take_counts(run, group);
    note_late_growth(run, t->current);
    return 1;
}

/* The least number of terms for a tile. */
static int64_t
least_terms(const paulimpi__run *run, int64_t n)
{
    return run->is_forced ? 1 : n;
}

/* Take the sum through a group of gates. Whether it was one. */
static int
advance_in_tiles(paulimpi__run *run)
{
    tiles *t = tiles_of(run);
    int64_t n = run->store->n_terms;

    if (run->engine != PAULIMPI_ENGINE_ORBIT
        && n >= least_terms(run, LEAST_WHOLE) && do_whole(run)) {
        return 1;
    }
    if (n >= least_terms(run, LEAST_TERMS) && get_ready(run)
        && group_has_room(run, t->current->log2_buckets
                                   + t->pass.regions.log2_now)) {
        do_group(run);
        return 1;
    }
    return 0;
}

/* Take the sum through a group or a gate. */
static int
advance_one(paulimpi__run *run)
{
    tiles *t = tiles_of(run);
    paulimpi__workspace *space = run->workspace;
    int rc;

    space->few_most = INT64_MAX;
    if (may_use_groups(run)) {
        int has_advanced = advance_in_tiles(run);

        if (t->is_lost || has_advanced) {
            return t->is_lost ? PAULIMPI_ERR_MEMORY : PAULIMPI_SUCCESS;
        }
        if (run->store->n_terms < LEAST_WHOLE) {
            space->few_most = LEAST_WHOLE;
        }
    }
    if (!leave_regions(run)) {
        return t->is_lost ? PAULIMPI_ERR_MEMORY : PAULIMPI_SUCCESS;
    }
    t->is_ready = 0;
    t->has_support = 0;
    rc = paulimpi__engine_in_place.advance(run);
    if (rc == PAULIMPI_ERR_MEMORY && t->has_checkpoint) {
        go_back(run);
        rc = PAULIMPI_SUCCESS;
    }
    return rc;
}

/* Deal the terms out for the next stretch where no group has done so, as then
 * they need not be moved one by one. */
static void
deal_at_end(paulimpi__run *run)
{
    tiles *t = tiles_of(run);
    int has_next;

    if (run->rows == NULL || run->has_dealt || run->n_done < run->end
        || run->store->n_terms < LEAST_TERMS || !may_use_groups(run)) {
        return;
    }
    paulimpi__find_limit(run);
    if (!take_checkpoint(run) || !group_has_room(run, run->n_rows)) {
        return;
    }
    t->nothing.end = run->end;
    has_next = gather_next(run, &t->nothing);
    draw_next(run, 1);
    paulimpi__find_support(run->store, t->support);
    if (deal_out(run, t->next)) {
        run->has_dealt = 1;
        go_on(t, has_next);
    }
}

static int
advance(paulimpi__run *run)
{
    int rc = advance_one(run);

    if (rc == PAULIMPI_SUCCESS) {
        deal_at_end(run);
    }
    return tiles_of(run)->is_lost ? PAULIMPI_ERR_MEMORY : rc;
}

static int
begin(paulimpi__run *run)
{
    paulimpi__workspace *space;
    int rc = paulimpi__engine_in_place.begin(run);
    tiles *t;

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    space = run->workspace;
    t = paulimpi__alloc_zero(1, sizeof *t);
    space->tile = t;
    if (t == NULL) {
        return PAULIMPI_ERR_MEMORY;
    }
    t->n_begin = run->store->n_terms;
    t->current = &t->group[0];
    t->next = &t->group[1];
    t->support =
        paulimpi__alloc((size_t)run->store->n_words, 2 * sizeof *t->support);
    rc = t->support == NULL ? PAULIMPI_ERR_MEMORY : PAULIMPI_SUCCESS;
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__group_init(&t->group[0], run);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__group_init(&t->group[1], run);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__group_init(&t->nothing, run);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__tile_pass_init(&t->pass, run);
        t->most_whole = MOST_TILES * t->pass.tile_terms;
    }
    return rc;
}

static void
end(paulimpi__run *run)
{
    paulimpi__workspace *space = run->workspace;
    tiles *t = space == NULL ? NULL : space->tile;

    if (t != NULL) {
        leave_regions(run);
        if (t->has_checkpoint) {
            paulimpi__store_free(&t->store);
        }
        paulimpi__tile_pass_free(&t->pass);
        paulimpi__group_free(&t->group[0]);
        paulimpi__group_free(&t->group[1]);
        paulimpi__group_free(&t->nothing);
        paulimpi__free(t->support);
        paulimpi__free(t);
    }
    paulimpi__engine_in_place.end(run);
}

int64_t
paulimpi__tile_terms(const paulimpi__run *run)
{
    return tiles_of(run) == NULL ? 0 : tiles_of(run)->pass.tile_terms;
}

const paulimpi__engine paulimpi__engine_tile = { PAULIMPI_ENGINE_TILE, "tile",
                                                 begin, advance, end };

/* The same, but for what paulimpi__tile_pass_choose() makes of run->engine. */
const paulimpi__engine paulimpi__engine_orbit = { PAULIMPI_ENGINE_ORBIT,
                                                  "orbit", begin, advance,
                                                  end };
