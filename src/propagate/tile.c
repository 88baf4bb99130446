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
#include "propagate/in_place.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "propagate/planes.h"
#include "propagate/rehash.h"
#include "propagate/span.h"

enum {
    BLOCK = PAULIMPI__BLOCK_TERMS,
    MOST_GATES = 192, /* of a group */
    LEAST_GATES = 6,  /* below, moving the terms costs more than it brings */
    MOST_RANK = 12,   /* of a group whose gates do not all commute */
    TILE_TERMS = 2048,
    SPARE_ROWS = 4, /* more functions than are used, for a good draw */
    MOST_GROWTH = 8 /* of a group, to plan for */
};

typedef struct {
    paulimpi__span span; /* of the generators of the group */
    uint64_t *keys;      /* of the generators, 2 n_words words each */
    paulimpi__rotation rotation[MOST_GATES];
    int64_t n_gates;
    int64_t n_rotations; /* of them */
    uint32_t *hash_of;   /* the next hash */
    uint64_t *function;
    uint64_t n_draws;
    paulimpi__planes *planes; /* of each thread */
    int64_t *counts; /* terms before each gate and after the last, a thread */
    double growth;   /* of the last group */
    atomic_int has_failed;

    /* The store and the run at the first group: where to go back to when
     * memory runs out inside a group. */
    paulimpi__store store;
    paulimpi__run run;
    int has_checkpoint;
    int is_off; /* in place from now on */
} tile;

static tile *
tile_of(const paulimpi__run *run)
{
    const paulimpi__workspace *space = run->workspace;

    return space->tile;
}

static uint64_t *
key_of(const paulimpi__run *run, int64_t k)
{
    return tile_of(run)->keys + k * 2 * run->store->n_words;
}

/* Whether generator k of the group commutes with those before it. */
static int
commutes(const paulimpi__run *run, int64_t k)
{
    int64_t n_words = run->store->n_words;
    const uint64_t *b = key_of(run, k);
    int64_t i, w;

    for (i = 0; i < k; i++) {
        const uint64_t *a = key_of(run, i);
        uint64_t odd = 0;

        for (w = 0; w < n_words; w++) {
            odd ^= (a[w] & b[n_words + w]) ^ (a[n_words + w] & b[w]);
        }
        if (paulimpi__parity(odd)) {
            return 0;
        }
    }
    return 1;
}

/* An ordinary rotation, or a channel that multiplies, which is a truncation
 * unit of its own. */
static int
can_join(const paulimpi__run *run, int64_t i)
{
    const paulimpi__op *op = run->ops[i].op;
    int alone = PAULIMPI__UNIT_FIRST | PAULIMPI__UNIT_LAST;

    return (op->flags & alone) == alone
           && (op->kind == PAULIMPI__OP_SCALE
               || (op->kind == PAULIMPI__OP_ROTATION && op->n_sites > 0));
}

/* The buckets that the group should have, as a power of 2. */
static int
wanted_buckets(const paulimpi__run *run)
{
    double terms = (double)run->store->n_terms * tile_of(run)->growth;

    return paulimpi__log2_ceil((uint64_t)(terms / TILE_TERMS) + 1);
}

/* Gather the group that begins with the next operation: gates that commute,
 * or any gates as long as their rank is small; and few enough of them that
 * functions are left which vanish on all. Returns the end. */
static int64_t
gather_group(paulimpi__run *run)
{
    tile *t = tile_of(run);
    int64_t most_rank =
        2 * run->store->n_qubits - wanted_buckets(run) - SPARE_ROWS;
    size_t key_bytes = (size_t)run->store->n_words * 2 * sizeof *t->keys;
    int is_mixed = 0;
    int64_t i;

    t->n_rotations = 0;
    paulimpi__span_clear(&t->span);
    for (i = run->n_done; i < run->n_ops && can_join(run, i); i++) {
        int64_t k = i - run->n_done;
        int64_t rank;

        if (k == MOST_GATES) {
            break;
        }
        if (run->ops[i].op->kind == PAULIMPI__OP_SCALE) {
            memset(key_of(run, k), 0, key_bytes);
            continue;
        }
        paulimpi__write_key(run, &run->ops[i], key_of(run, k));
        rank =
            t->span.n_rows + paulimpi__span_is_new(&t->span, key_of(run, k));
        is_mixed = is_mixed || !commutes(run, k);
        if (rank > most_rank || (is_mixed && rank > MOST_RANK)) {
            break;
        }
        paulimpi__span_add(&t->span, key_of(run, k));
        t->n_rotations++;
    }
    t->n_gates = i - run->n_done;
    return i;
}

/* Draw the next hash: low bits that vanish on the group, random ones above. */
static void
draw_hash(paulimpi__run *run, int bits)
{
    tile *t = tile_of(run);
    int64_t n_words = run->store->n_words;
    int64_t n = run->store->n_qubits;
    int64_t q;
    int bit;

    memset(t->hash_of, 0, (size_t)n * 2 * sizeof *t->hash_of);
    for (bit = 0; bit < 32; bit++) {
        if (bit == bits) {
            paulimpi__span_clear(&t->span);
        }
        paulimpi__span_draw(&t->span, t->n_draws++, t->function);
        for (q = 0; q < n; q++) {
            uint64_t x = t->function[q / 64] >> q % 64 & 1;
            uint64_t z = t->function[n_words + q / 64] >> q % 64 & 1;

            t->hash_of[2 * q] |= (uint32_t)x << bit;
            t->hash_of[2 * q + 1] |= (uint32_t)z << bit;
        }
    }
}

/* List the active terms of a bucket: most of them through the planes, those
 * of the last block by their keys. */
static void
list_active(paulimpi__planes *planes, const paulimpi__rotation *r,
            paulimpi__view *view)
{
    int64_t k;

    view->n_lead = 0;
    view->n_follower = 0;
    paulimpi__planes_scan(planes, r->op);
    for (k = 0; k < planes->n_blocks; k++) {
        if (planes->odd[k] != 0) {
            paulimpi__view_list(
                view, k * BLOCK, planes->odd[k],
                paulimpi__planes_bit(planes, view->block[k], k, r->op->pivot));
        }
    }
    paulimpi__rotation_scan(r, view, planes->n_blocks * BLOCK);
}

/* Make a bucket ready for the next gate. 0 if memory is missing. Dead terms
 * are removed when they are many, which moves others. */
static int
make_ready(const paulimpi__run *run, paulimpi__worker *worker,
           paulimpi__planes *planes)
{
    const paulimpi__workspace *space = run->workspace;
    paulimpi__view *view = &worker->view[0];

    if (view->n_kept > view->n / 4) {
        paulimpi__view_list_dead(view);
        paulimpi__view_bury(view, run->store, worker);
        view->keeps_dead = 1;
        planes->n_blocks = 0;
    }
    return paulimpi__grow_scratch(worker, view->n, space->has_maps)
               == PAULIMPI_SUCCESS
           && paulimpi__planes_update(planes, view, run->store->n_words)
                  == PAULIMPI_SUCCESS;
}

/* Multiply the terms of a block that have a letter. */
static void
scale_letter(const paulimpi__rotation *r, paulimpi__view *view, int64_t first,
             uint64_t terms, double factor)
{
    for (; factor != 1.0 && terms != 0; terms &= terms - 1) {
        int64_t term = first + __builtin_ctzll(terms);

        paulimpi__view_set(view, r->worker, r->limits, term,
                           factor * *paulimpi__view_coefficient(view, term));
    }
}

/* Take a bucket through a channel that multiplies. */
static void
scale(const paulimpi__planes *planes, const paulimpi__rotation *r,
      paulimpi__view *view)
{
    const double *factor = r->op->op->value;
    int64_t n_words = r->store->n_words;
    paulimpi__tap x_bit = { r->op->parts[0].word, r->op->pivot.shift };
    paulimpi__tap z_bit = { n_words + x_bit.column, x_bit.shift };
    int64_t begin;

    for (begin = 0; begin < view->n; begin += BLOCK) {
        const paulimpi__block *block = paulimpi__view_block(view, begin);
        int64_t n = view->n - begin < BLOCK ? view->n - begin : BLOCK;
        uint64_t there = UINT64_MAX >> (BLOCK - n);
        uint64_t x = paulimpi__planes_bit(planes, block, begin / BLOCK, x_bit);
        uint64_t z = paulimpi__planes_bit(planes, block, begin / BLOCK, z_bit);

        scale_letter(r, view, begin, x & ~z & there, factor[0]);
        scale_letter(r, view, begin, x & z & there, factor[1]);
        scale_letter(r, view, begin, z & ~x & there, factor[2]);
    }
}

/* Take a bucket through one gate. 0 if memory is missing. */
static int
do_gate(const paulimpi__run *run, paulimpi__worker *worker,
        paulimpi__planes *planes, const paulimpi__rotation *shared)
{
    paulimpi__view *view = &worker->view[0];
    paulimpi__rotation r = *shared;
    int64_t most_new;

    if (!make_ready(run, worker, planes)) {
        return 0;
    }
    r.worker = worker;
    if (r.op->op->kind == PAULIMPI__OP_SCALE) {
        scale(planes, &r, view);
        return 1;
    }
    list_active(planes, &r, view);
    most_new = (view->n_lead + view->n_follower) / BLOCK + 2;
    if (!paulimpi__purse_fill(run->store, &worker->purse, most_new,
                              run->memory_limit - run->extra_bytes)) {
        return 0;
    }
    paulimpi__rotation_join(&r, view);
    return 1;
}

/* Take a bucket through the group. */
static void
do_tile(const void *shared, paulimpi__worker *worker, int64_t b)
{
    const paulimpi__run *run = shared;
    const paulimpi__workspace *space = run->workspace;
    tile *t = space->tile;
    int64_t thread = worker - space->worker;
    int64_t *count = t->counts + thread * (MOST_GATES + 1);
    paulimpi__view *view = &worker->view[0];
    int64_t k;

    if (atomic_load(&t->has_failed)) {
        return;
    }
    paulimpi__view_open(view, run->store, b);
    view->keeps_dead = 1;
    t->planes[thread].n_blocks = 0;
    for (k = 0; k < t->n_gates; k++) {
        count[k] += view->n - view->n_kept;
        if (!do_gate(run, worker, &t->planes[thread], &t->rotation[k])) {
            atomic_store(&t->has_failed, 1);
            break;
        }
    }
    count[k] += view->n - view->n_kept;
    paulimpi__view_list_dead(view);
    paulimpi__view_close(view, run->store, worker);
}

/* Add the threads' counts to the tallies, and clear them. */
static void
gather_counts(paulimpi__run *run)
{
    tile *t = tile_of(run);
    int64_t k;
    int i;

    for (k = 0; k <= t->n_gates; k++) {
        int64_t n = 0;

        for (i = 0; i < run->n_threads; i++) {
            n += t->counts[i * (MOST_GATES + 1) + k];
        }
        run->term_gates += k < t->n_gates ? n : 0;
        if (k > 0 && n > run->peak_terms) {
            run->peak_terms = n;
        }
    }
    memset(t->counts, 0,
           (size_t)run->n_threads * (MOST_GATES + 1) * sizeof *t->counts);
}

/* Keep a copy of the sum to go back to. It is taken while the sum is small,
 * and costs time, not memory, when it is needed. */
static int
take_checkpoint(paulimpi__run *run)
{
    tile *t = tile_of(run);

    if (t->has_checkpoint) {
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
    tile *t = tile_of(run);
    int64_t peak_bytes =
        paulimpi__store_peak_bytes(run->store) + run->extra_bytes;
    paulimpi__dropped ignored;

    paulimpi__exact_clear(&ignored.norm1);
    paulimpi__exact_clear(&ignored.square);
    paulimpi__take_dropped(run, &ignored);
    paulimpi__store_free(run->store);
    *run->store = t->store;
    t->run.team = run->team;
    *run = t->run;
    run->peak_bytes = peak_bytes;
    t->has_checkpoint = 0;
    t->is_off = 1;
}

/* Whether the group may triple the terms, and the terms may be dealt out over
 * new buckets before, each thread with a block of its own for each of them. */
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

/* Get the store ready for the group. Whether that worked; if not, nothing has
 * changed but the hash. */
static int
prepare_group(paulimpi__run *run, const paulimpi__limits *limits)
{
    tile *t = tile_of(run);
    int bits = wanted_buckets(run);
    int64_t k;

    if (!take_checkpoint(run) || !group_has_room(run, bits)) {
        return 0;
    }
    draw_hash(run, bits);
    if (paulimpi__rehash(run, t->hash_of, bits) != PAULIMPI_SUCCESS
        || paulimpi__fit_scratch(run, 1) != PAULIMPI_SUCCESS) {
        return 0;
    }
    for (k = 0; k < t->n_gates; k++) {
        t->rotation[k] = paulimpi__rotation_of(run, &run->ops[run->n_done + k],
                                               limits, key_of(run, k));
    }
    return 1;
}

static int
do_group(paulimpi__run *run, int64_t end)
{
    tile *t = tile_of(run);
    int64_t n_before = run->store->n_terms;

    paulimpi__for_buckets(run, do_tile, run);
    if (atomic_load(&t->has_failed)) {
        go_back(run);
        return PAULIMPI_SUCCESS;
    }
    gather_counts(run);
    t->growth = (double)run->store->n_terms / (double)n_before;
    t->growth = fmin(fmax(t->growth, 1.0), MOST_GROWTH);
    run->gates += end - run->n_done;
    run->n_done = end;
    return PAULIMPI_SUCCESS;
}

/* Whether groups are worth it, and may be used at all. */
static int
may_use_groups(const paulimpi__run *run)
{
    const paulimpi__store *store = run->store;

    return !tile_of(run)->is_off && run->n_layers <= run->gates
           && run->truncation->max_terms == PAULIMPI_UNLIMITED
           && store->n_terms >= (run->is_forced ? 1 : PAULIMPI__FEW_TERMS);
}

static int
advance(paulimpi__run *run)
{
    paulimpi__limits limits = paulimpi__limits_of(run);
    int rc;

    if (may_use_groups(run)) {
        int64_t end = gather_group(run);

        if (tile_of(run)->n_rotations >= (run->is_forced ? 1 : LEAST_GATES)
            && prepare_group(run, &limits)) {
            return do_group(run, end);
        }
    }
    rc = paulimpi__engine_in_place.advance(run);
    if (rc == PAULIMPI_ERR_MEMORY && tile_of(run)->has_checkpoint) {
        go_back(run);
        rc = PAULIMPI_SUCCESS;
    }
    return rc;
}

static int
make_tile(paulimpi__run *run)
{
    paulimpi__workspace *space = run->workspace;
    size_t n = (size_t)run->store->n_qubits;
    size_t n_key = (size_t)run->store->n_words * 2;
    tile *t = paulimpi__alloc_zero(1, sizeof *t);

    space->tile = t;
    if (t == NULL
        || paulimpi__span_init(&t->span, (int64_t)n, MOST_GATES)
               != PAULIMPI_SUCCESS) {
        return PAULIMPI_ERR_MEMORY;
    }
    t->growth = 1.0;
    t->keys = paulimpi__alloc(MOST_GATES, n_key * sizeof *t->keys);
    t->hash_of = paulimpi__alloc(n, 2 * sizeof *t->hash_of);
    t->function = paulimpi__alloc(n_key, sizeof *t->function);
    t->planes =
        paulimpi__alloc_zero((size_t)run->n_threads, sizeof *t->planes);
    t->counts = paulimpi__alloc_zero((size_t)run->n_threads,
                                     (MOST_GATES + 1) * sizeof *t->counts);
    return t->keys == NULL || t->hash_of == NULL || t->function == NULL
                   || t->planes == NULL || t->counts == NULL
               ? PAULIMPI_ERR_MEMORY
               : PAULIMPI_SUCCESS;
}

static int
begin(paulimpi__run *run)
{
    int rc = paulimpi__engine_in_place.begin(run);

    return rc != PAULIMPI_SUCCESS ? rc : make_tile(run);
}

static void
end(paulimpi__run *run)
{
    paulimpi__workspace *space = run->workspace;
    tile *t = space == NULL ? NULL : space->tile;
    int i;

    if (t != NULL) {
        if (t->has_checkpoint) {
            paulimpi__store_free(&t->store);
        }
        for (i = 0; i < run->n_threads && t->planes != NULL; i++) {
            paulimpi__planes_free(&t->planes[i]);
        }
        paulimpi__free(t->planes);
        paulimpi__free(t->counts);
        paulimpi__free(t->function);
        paulimpi__free(t->hash_of);
        paulimpi__free(t->keys);
        paulimpi__span_free(&t->span);
        paulimpi__free(t);
    }
    paulimpi__engine_in_place.end(run);
}

const paulimpi__engine paulimpi__engine_tile = { PAULIMPI_ENGINE_TILE, "tile",
                                                 begin, advance, end };
