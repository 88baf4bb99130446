/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The in-place engine's memory: threads' scratch, and room for new terms.
 */
#include "propagate/in_place.h"

#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "propagate/few.h"

enum { BLOCK = PAULIMPI__BLOCK_TERMS, LEAST_SCRATCH = 64 };

/* Bring the number of terms and the tallies up to date after a pass. */
static void
gather(paulimpi__run *run, int n_workers)
{
    paulimpi__workspace *space = run->workspace;
    int i;

    for (i = 0; i < n_workers; i++) {
        paulimpi__worker *w = &space->worker[i];

        run->store->n_terms += w->growth;
        run->active_gates += w->active;
        run->term_gates += w->term_gates;
        w->growth = 0;
        w->active = 0;
        w->term_gates = 0;
    }
}

typedef struct {
    paulimpi__run *run;
    paulimpi__task task;
    const void *shared;
} bucket_task;

static void
do_bucket(void *data, int thread, int64_t bucket)
{
    const bucket_task *what = data;
    paulimpi__workspace *space = what->run->workspace;

    what->task(what->shared, &space->worker[thread], bucket);
}

void
paulimpi__for_buckets(paulimpi__run *run, paulimpi__task task,
                      const void *shared)
{
    paulimpi__share_buckets(run, task, shared, run->store->n_terms);
}

void
paulimpi__share_buckets(paulimpi__run *run, paulimpi__task task,
                        const void *shared, int64_t term_gates)
{
    paulimpi__workspace *space = run->workspace;
    int is_alone = term_gates < PAULIMPI__FEW_TERMS;
    bucket_task what = { run, task, shared };
    int i;

    paulimpi__team_share(is_alone ? NULL : run->team,
                         paulimpi__store_buckets(run->store), do_bucket,
                         &what);
    for (i = 0; i < (is_alone ? 1 : run->n_threads); i++) {
        paulimpi__purse_empty(run->store, &space->worker[i].purse);
    }
    gather(run, is_alone ? 1 : run->n_threads);
}

static void
free_scratch(paulimpi__worker *worker)
{
    int v;

    for (v = 0; v < PAULIMPI__MOST_VIEWS; v++) {
        paulimpi__free(worker->view[v].block);
        paulimpi__free(worker->view[v].lead);
        paulimpi__free(worker->view[v].follower);
        paulimpi__free(worker->view[v].lead_met);
        paulimpi__free(worker->view[v].follower_met);
        paulimpi__free(worker->view[v].print);
        paulimpi__free(worker->view[v].dead);
        worker->view[v] = (paulimpi__view){ .bucket = NULL };
    }
    paulimpi__free(worker->table);
    paulimpi__free(worker->orbit);
    worker->table = NULL;
    worker->orbit = NULL;
    worker->most_terms = 0;
}

/* Scratch for a bucket of n terms that may come to have n_alive. Whether there
 * is memory. */
static int
make_view(paulimpi__view *view, size_t n, size_t n_alive)
{
    size_t n_blocks = n / BLOCK + 1;

    view->block = paulimpi__alloc(n_alive / BLOCK + 2, sizeof *view->block);
    view->lead = paulimpi__alloc(n_blocks, sizeof *view->lead);
    view->follower = paulimpi__alloc(n_blocks, sizeof *view->follower);
    view->lead_met = paulimpi__alloc(n_blocks, sizeof *view->lead_met);
    view->follower_met = paulimpi__alloc(n_blocks, sizeof *view->follower_met);
    view->print = paulimpi__alloc(n_blocks, BLOCK * sizeof *view->print);
    view->dead = paulimpi__alloc(n_alive, sizeof *view->dead);
    return view->block != NULL && view->lead != NULL && view->follower != NULL
           && view->lead_met != NULL && view->follower_met != NULL
           && view->print != NULL && view->dead != NULL;
}

/* Scratch for buckets of n terms. A rotation opens two, each of which may get
 * as many terms as the other has; a map opens four. */
static int
make_scratch(paulimpi__worker *worker, int64_t n_terms, int has_maps)
{
    size_t n = (size_t)n_terms;
    int n_views = has_maps ? PAULIMPI__MOST_VIEWS : 2;
    size_t n_alive = has_maps ? 5 : 2; /* times n, in a bucket afterwards */
    size_t n_table = (size_t)1
                     << (paulimpi__log2_ceil(n * (has_maps ? 4 : 1) + 1) + 2);
    int is_complete;
    int v;

    worker->table = paulimpi__alloc(n_table, sizeof *worker->table);
    is_complete = worker->table != NULL;
    if (has_maps) {
        worker->orbit = paulimpi__alloc(n, 4 * sizeof *worker->orbit);
        is_complete = is_complete && worker->orbit != NULL;
    }
    for (v = 0; v < n_views && is_complete; v++) {
        is_complete = make_view(&worker->view[v], n, n_alive * n);
    }
    worker->most_terms = is_complete ? n_terms : 0;
    return is_complete ? PAULIMPI_SUCCESS : PAULIMPI_ERR_MEMORY;
}

int
paulimpi__fit_scratch(paulimpi__run *run, int64_t growth)
{
    paulimpi__workspace *space = run->workspace;
    int64_t n_buckets = paulimpi__store_buckets(run->store);
    int64_t most = LEAST_SCRATCH;
    int rc = PAULIMPI_SUCCESS;
    int64_t b;
    int i;

    for (b = 0; b < n_buckets; b++) {
        int64_t n = run->store->buckets[b].n_terms;

        most = n > most ? n : most;
    }
    for (i = 0; i < run->n_threads; i++) {
        paulimpi__worker *worker = &space->worker[i];

        if (most * growth > worker->most_terms && rc == PAULIMPI_SUCCESS) {
            free_scratch(worker);
            rc = make_scratch(worker, (most + most / 2) * growth,
                              space->has_maps);
        }
    }
    return rc;
}

static paulimpi__worker *
alloc_workers(size_t n)
{
    paulimpi__worker *worker =
        paulimpi__alloc_aligned(PAULIMPI__WORKER_ALIGNMENT, n, sizeof *worker);

    if (worker != NULL) {
        memset(worker, 0, n * sizeof *worker);
    }
    return worker;
}

int
paulimpi__workspace_begin(paulimpi__run *run)
{
    paulimpi__workspace *space = paulimpi__alloc_zero(1, sizeof *space);
    int64_t i;

    run->workspace = space;
    if (space == NULL) {
        return PAULIMPI_ERR_MEMORY;
    }
    space->key = paulimpi__alloc_zero((size_t)run->store->n_words,
                                      2 * sizeof *space->key);
    space->worker = alloc_workers((size_t)run->n_threads);
    if (space->key == NULL || space->worker == NULL) {
        return PAULIMPI_ERR_MEMORY;
    }
    for (i = 0; i < run->n_threads; i++) {
        paulimpi__exact_clear(&space->worker[i].dropped.norm1);
        paulimpi__exact_clear(&space->worker[i].dropped.square);
    }
    space->few_most = INT64_MAX;
    space->has_maps = run->n_ops > 0 && run->circuit->n_matrices > 0;
    return PAULIMPI_SUCCESS;
}

void
paulimpi__take_dropped(paulimpi__run *run, paulimpi__dropped *dropped)
{
    paulimpi__workspace *space = run->workspace;
    int i;

    for (i = 0; i < run->n_threads; i++) {
        paulimpi__dropped *part = &space->worker[i].dropped;

        paulimpi__exact_merge(&dropped->norm1, &part->norm1);
        paulimpi__exact_merge(&dropped->square, &part->square);
        paulimpi__exact_clear(&part->norm1);
        paulimpi__exact_clear(&part->square);
    }
}

void
paulimpi__run_restore(paulimpi__run *run, const paulimpi__run *before,
                      const paulimpi__store *store)
{
    int64_t peak_bytes =
        paulimpi__store_peak_bytes(run->store) + run->extra_bytes;
    paulimpi__team *team = run->team;
    paulimpi__dropped ignored;

    paulimpi__exact_clear(&ignored.norm1);
    paulimpi__exact_clear(&ignored.square);
    paulimpi__take_dropped(run, &ignored);
    paulimpi__store_free(run->store);
    *run->store = *store;
    *run = *before;
    run->team = team;
    if (peak_bytes > run->peak_bytes) {
        run->peak_bytes = peak_bytes;
    }
}

void
paulimpi__workspace_end(paulimpi__run *run)
{
    paulimpi__workspace *space = run->workspace;
    int i;

    if (space == NULL) {
        return;
    }
    if (space->worker != NULL) {
        paulimpi__take_dropped(run, &run->dropped);
        for (i = 0; i < run->n_threads; i++) {
            free_scratch(&space->worker[i]);
        }
    }
    paulimpi__few_free(space);
    paulimpi__free(space->worker);
    paulimpi__free(space->key);
    paulimpi__free(space);
    run->workspace = NULL;
}

/* How many new terms an active term can bring. */
int64_t
paulimpi__offspring(const paulimpi__ready_op *op)
{
    switch (op->op->kind) {
    case PAULIMPI__OP_ROTATION:
        return 1;
    case PAULIMPI__OP_MAP:
        return 3;
    default:
        return 0;
    }
}

/* The terms that can have offspring; of a map, all terms are taken to. */
static int64_t
count_active(const paulimpi__run *run, const paulimpi__ready_op *op)
{
    const paulimpi__store *store = run->store;
    int64_t n_buckets = paulimpi__store_buckets(store);
    int64_t n_active = 0;
    int64_t b;

    if (op->op->kind == PAULIMPI__OP_MAP) {
        return store->n_terms;
    }
    for (b = 0; b < n_buckets; b++) {
        int64_t rest = store->buckets[b].n_terms;
        const paulimpi__block *block = store->buckets[b].head;

        for (; block != NULL; block = block->next) {
            int64_t n = rest < BLOCK ? rest : BLOCK;

            n_active += paulimpi__popcount(
                paulimpi__scan_active(block, store->n_words, op)
                & (UINT64_MAX >> (BLOCK - n)));
            rest -= n;
        }
    }
    return n_active;
}

static int
is_within_limit(const paulimpi__run *run, int64_t n)
{
    int64_t bytes = paulimpi__store_bytes(run->store) + run->extra_bytes;

    return bytes <= run->memory_limit
           && paulimpi__store_bytes_for(run->store, n)
                  <= run->memory_limit - bytes;
}

void
paulimpi__expect(paulimpi__run *run, int64_t n)
{
    if (!is_within_limit(run, n)) {
        paulimpi__find_limit(run);
    }
}

/* Whether n more terms stay within the limit, and memory for them is there. */
int
paulimpi__has_room(paulimpi__run *run, int64_t n)
{
    return (is_within_limit(run, n)
            || (paulimpi__find_limit(run) && is_within_limit(run, n)))
           && paulimpi__store_reserve(run->store, n) == PAULIMPI_SUCCESS;
}

int
paulimpi__refuse(const paulimpi__run *run, int64_t n)
{
    return paulimpi__error(
        PAULIMPI_ERR_MEMORY,
        "paulimpi_propagate: gate %" PRId64 " may need %" PRId64
        " bytes more, but %" PRId64 " of %" PRId64
        " are in use: raise memory_limit, or truncate more",
        run->gates, paulimpi__store_bytes_for(run->store, n),
        paulimpi__store_bytes(run->store) + run->extra_bytes,
        run->memory_limit);
}

/* Make sure that an operation cannot fail. Most often the terms could double
 * and still fit; otherwise they are counted. */
int
paulimpi__prepare_op(paulimpi__run *run, const paulimpi__ready_op *op)
{
    int64_t factor = paulimpi__offspring(op);
    int64_t n;

    if (paulimpi__fit_scratch(run, 1) != PAULIMPI_SUCCESS) {
        return paulimpi__no_memory("paulimpi_propagate",
                                   (size_t)run->store->n_terms);
    }
    if (factor == 0 || paulimpi__has_room(run, factor * run->store->n_terms)) {
        return PAULIMPI_SUCCESS;
    }
    n = factor * count_active(run, op);
    return paulimpi__has_room(run, n) ? PAULIMPI_SUCCESS
                                      : paulimpi__refuse(run, n);
}
