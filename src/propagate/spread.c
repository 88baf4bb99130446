/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A propagation on several ranks: which rank has which terms.
 */
#include <math.h>
#include <string.h>

#include "comm/comm.h"
#include "propagate/group.h"
#include "propagate/spread.h"

enum {
    MOST_GROWTH = 8, /* in a stretch, to plan for */
    LEAST_PART = 64, /* of a tile, for a chain on each rank */
    SPARE = 2        /* more functions than are used, for a good draw */
};

/* Functions of tiles are numbered from here on, and those of rows, which do not
 * depend on how many tiles there are, from 0. */
static const uint64_t tile_draws = (uint64_t)1 << 63;

/* Sum a few numbers over the ranks; where every rank has all terms, one counts
 * for all. */
int
paulimpi__spread_add_up(paulimpi__spread *s, int64_t n, int64_t *values)
{
    if (s->is_copied) {
        return PAULIMPI_SUCCESS;
    }
    return paulimpi__reduce_int64(s->sum->ctx, s->job->function, PAULIMPI__SUM,
                                  n, values);
}

int
paulimpi__spread_count(paulimpi__spread *s)
{
    int64_t values[2] = { s->run->store->n_terms, s->run->term_gates };
    int rc = paulimpi__spread_add_up(s, 2, values);

    paulimpi__spread_note_counts(s, values[0], values[1]);
    return rc;
}

/* Keep the largest terms of all ranks. */
int
paulimpi__spread_choose(paulimpi__spread *s, paulimpi__dropped *dropped)
{
    int64_t n = s->run->store->n_terms;
    int rc;

    if (s->policy->max_terms == PAULIMPI_UNLIMITED) {
        return PAULIMPI_SUCCESS;
    }
    if (s->is_copied) {
        return paulimpi__choose(&s->run->chooser, NULL, s->run->store, n,
                                s->run->n_done, dropped);
    }
    rc = paulimpi__spread_add_up(s, 1, &n);
    return rc != PAULIMPI_SUCCESS
               ? rc
               : paulimpi__choose(&s->run->chooser, s->sum->ctx, s->run->store,
                                  n, s->run->n_done, dropped);
}

static int
add_counts(void *data, int64_t n, int64_t *counts)
{
    const paulimpi__spread *s = data;

    return paulimpi__reduce_int64(s->sum->ctx, s->job->function, PAULIMPI__SUM,
                                  n, counts);
}

/* Find functions and a table for the stretch. Whether anything is new. */
static int
draw_shares(paulimpi__spread *s, int *is_new)
{
    s->rows.add = add_counts;
    s->rows.data = s;
    return paulimpi__draw_rows(&s->rows, &s->stretch, NULL, &s->sum->shares,
                               s->n_terms, is_new);
}

int
paulimpi__spread_compare(paulimpi__spread *s)
{
    int64_t most[2] = { -paulimpi__tile_terms(s->run),
                        s->job->options->progress != NULL };
    int rc = paulimpi__reduce_int64(s->sum->ctx, s->job->function,
                                    PAULIMPI__MAX, 2, most);

    s->tile_terms = -most[0];
    s->is_watched = (int)most[1];
    return rc;
}

int
paulimpi__spread_is_stepwise(const paulimpi__spread *s)
{
    return s->is_careful
           || (!s->is_copied
               && (s->policy->max_terms != PAULIMPI_UNLIMITED
                   || s->run->n_layers > s->run->gates));
}

/* How many tiles there should be in each shard of the next stretch, as a power
 * of 2; -1 if terms are too few for that many chains on every rank. */
static int
log2_tiles(const paulimpi__spread *s)
{
    const paulimpi__shares *drawn = &s->rows.drawn;
    double growth = (double)s->n_terms / (double)s->n_begin;
    double n = (double)s->n_terms * fmin(fmax(growth, 1.0), MOST_GROWTH)
               * s->rows.largest;
    int64_t least = s->tile_terms / LEAST_PART + 1; /* terms of a chain */
    int64_t chains =
        (s->n_terms / drawn->n_ranks / least) >> drawn->log2_shards;
    int bits = paulimpi__log2_ceil((uint64_t)(n / (double)s->tile_terms) + 1);

    bits -= bits + drawn->log2_shards > PAULIMPI__MANY_ROWS;
    while (bits >= 0
           && (chains >> bits == 0
               || bits + drawn->log2_shards > PAULIMPI__MOST_ROWS)) {
        bits--;
    }
    return bits;
}

/* Ask the engine to deal terms out over the tiles of the next stretch, which
 * are parts of the shards that were drawn for it. */
static void
ask_engine(paulimpi__spread *s)
{
    const paulimpi__shares *drawn = &s->rows.drawn;
    int64_t n_key = 2 * s->run->store->n_words;
    int64_t n_free = 2 * s->run->store->n_qubits - s->next_stretch.span.n_rows;
    int n_tiles, i;

    if (s->tile_terms == 0) {
        return;
    }
    n_tiles = log2_tiles(s);
    if (n_tiles < 0 || n_tiles + drawn->log2_shards + SPARE > n_free) {
        return;
    }
    for (i = 0; i < n_tiles; i++) {
        paulimpi__span_draw(&s->next_stretch.span, tile_draws + s->n_draws++,
                            s->functions + i * n_key);
    }
    memcpy(s->functions + n_tiles * n_key, drawn->function,
           (size_t)(drawn->log2_shards * n_key) * sizeof *drawn->function);
    s->run->rows = s->functions;
    s->run->n_rows = n_tiles + drawn->log2_shards;
}

/* Find shares for the next stretch before this one begins, so that its last
 * group of gates can deal the terms out accordingly. */
static int
look_ahead(paulimpi__spread *s)
{
    int rc;

    s->run->rows = NULL;
    s->run->has_dealt = 0;
    s->has_ahead = s->next_stretch.end > s->stretch.end
                   && !paulimpi__spread_is_stepwise(s);
    if (!s->has_ahead) {
        return PAULIMPI_SUCCESS;
    }
    paulimpi__shares_take(&s->then, &s->sum->shares);
    paulimpi__stretch_follow(&s->stretch, s->stretch.end, &s->then);
    rc = paulimpi__draw_rows(&s->rows, &s->next_stretch, &s->stretch, &s->then,
                             s->n_terms, &s->is_new);
    if (rc == PAULIMPI_SUCCESS && s->is_new) {
        ask_engine(s);
    }
    s->n_begin = s->n_terms;
    return rc;
}

/* Find shares for the stretch that begins. Whether they are new, and whether
 * the terms have been dealt out by them. */
static int
find_shares(paulimpi__spread *s, int *is_new, int *has_dealt)
{
    *is_new = s->is_new;
    *has_dealt = 0;
    if (s->has_ahead && !s->is_new) {
        return PAULIMPI_SUCCESS;
    }
    if (s->has_ahead && paulimpi__settle_rows(&s->rows, s->of_shard)) {
        *has_dealt = s->has_dealt;
        return PAULIMPI_SUCCESS;
    }
    return draw_shares(s, is_new);
}

/* The shares follow the turns of the stretch that have acted. */
void
paulimpi__spread_leave_stretch(paulimpi__spread *s)
{
    if (!s->is_copied) {
        paulimpi__stretch_follow(&s->stretch, s->run->n_done, &s->sum->shares);
    }
    s->stretch.n_turns = 0;
}

/* Note the bits that the operations of the stretch may set. */
static void
widen_bound(paulimpi__spread *s)
{
    int64_t n_words = s->run->store->n_words;
    int64_t i;

    for (i = s->stretch.first; i < s->stretch.end; i++) {
        const paulimpi__ready_op *op = &s->run->ops[i];

        if (op->op->kind == PAULIMPI__OP_MAP) {
            uint64_t qubit = (uint64_t)1 << op->pivot.shift;
            int64_t w = op->parts[0].word;

            s->bound[w] |= qubit;
            s->bound[n_words + w] |= qubit;
        } else if (paulimpi__support_is_met(s->bound, n_words, op)) {
            paulimpi__support_widen(s->bound, n_words, op);
        }
    }
}

/* The stretch that begins now, and where the one after it ends. */
static void
begin_stretch(paulimpi__spread *s)
{
    paulimpi__run *run = s->run;
    int n_functions = s->rows.drawn.log2_shards;

    if (s->next_stretch.first == run->n_done
        && s->next_stretch.end > run->n_done) {
        paulimpi__stretch now = s->stretch;

        s->stretch = s->next_stretch;
        s->next_stretch = now;
    } else {
        paulimpi__stretch_gather(&s->stretch, run, run->n_done, n_functions);
    }
    paulimpi__stretch_gather(&s->next_stretch, run, s->stretch.end,
                             n_functions);
    run->next_end = s->next_stretch.end;
    run->bound = s->bound;
    widen_bound(s);
    run->stretches++;
}

/* How uneven the drawn shares are, by the sample. */
static void
note_imbalance(paulimpi__spread *s)
{
    if (s->rows.imbalance > s->run->imbalance) {
        s->run->imbalance = s->rows.imbalance;
    }
}

/* Move the terms to the shares that were found. */
static int
move(paulimpi__spread *s, int has_dealt)
{
    int64_t most_bytes;
    int rc;

    paulimpi__find_limit(s->run);
    most_bytes = s->run->memory_limit - s->run->extra_bytes;
    rc = has_dealt
             ? paulimpi__move_buckets(&s->carrier, &s->rows.drawn, most_bytes)
             : paulimpi__move_terms(&s->carrier, &s->rows.drawn, most_bytes);
    if (rc == PAULIMPI_SUCCESS) {
        paulimpi__shares_take(&s->sum->shares, &s->rows.drawn);
        s->run->moves++;
        s->run->terms_moved += s->carrier.n_terms_out;
        s->run->terms_shared += s->carrier.n_terms_shared;
        note_imbalance(s);
    }
    return rc;
}

int
paulimpi__spread_move(paulimpi__spread *s)
{
    int is_new, has_dealt;
    int rc;

    paulimpi__spread_leave_stretch(s);
    begin_stretch(s);
    rc = find_shares(s, &is_new, &has_dealt);
    if (rc == PAULIMPI_SUCCESS && is_new) {
        rc = move(s, has_dealt);
    }
    return rc == PAULIMPI_SUCCESS ? look_ahead(s) : rc;
}

/* What has been dropped so far, by this rank. */
void
paulimpi__collect_dropped(paulimpi__run *run)
{
    if (run->workspace != NULL) {
        paulimpi__take_dropped(run, &run->dropped);
    }
}

/* From now on the tallies of all ranks are added up. */
void
paulimpi__spread_leave_tallies(paulimpi__spread *s)
{
    paulimpi__run *run = s->run;

    paulimpi__collect_dropped(run);
    if (s->sum->shares.rank != 0) {
        run->term_gates = 0;
        run->active_gates = 0;
        paulimpi__exact_clear(&run->dropped.norm1);
        paulimpi__exact_clear(&run->dropped.square);
    }
}

/* Every rank keeps its share of what all have. */
int
paulimpi__spread_part(paulimpi__spread *s)
{
    int is_new;
    int rc;

    paulimpi__find_support(s->run->store, s->bound);
    if (s->run->n_done < s->run->n_ops) {
        begin_stretch(s);
    }
    rc = draw_shares(s, &is_new);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    paulimpi__shares_take(&s->sum->shares, &s->rows.drawn);
    paulimpi__leave_terms(s->run->store, &s->sum->shares);
    paulimpi__spread_leave_tallies(s);
    s->is_copied = 0;
    s->run->truncation = &s->alone;
    if (s->run->n_done == s->run->n_ops) {
        return PAULIMPI_SUCCESS;
    }
    s->n_begin = s->n_terms;
    return look_ahead(s);
}

/* Give every rank all terms. */
int
paulimpi__spread_copy(paulimpi__spread *s)
{
    int rc = paulimpi__copy_terms(&s->carrier);

    if (rc == PAULIMPI_SUCCESS) {
        s->is_copied = 1;
        s->run->truncation = s->policy;
    }
    return rc;
}

/* Keep a copy of the sum to go back to, if all ranks can afford it. */
int
paulimpi__spread_keep_copy(paulimpi__spread *s)
{
    paulimpi__run *run = s->run;
    int64_t cannot =
        !paulimpi__has_room(run, 2 * run->store->n_terms)
        || paulimpi__store_copy(&s->net, run->store) != PAULIMPI_SUCCESS;
    int64_t any = cannot;
    int rc = paulimpi__reduce_int64(s->sum->ctx, s->job->function,
                                    PAULIMPI__MAX, 1, &any);

    if (rc != PAULIMPI_SUCCESS || any) {
        if (!cannot) {
            paulimpi__store_free(&s->net);
        }
        s->is_careful = 1;
        return rc;
    }
    paulimpi__collect_dropped(run);
    paulimpi__shares_take(&s->net_shares, &s->sum->shares);
    s->net_run = *run;
    s->net_is_copied = s->is_copied;
    s->has_net = 1;
    run->extra_bytes = paulimpi__store_bytes(&s->net);
    return PAULIMPI_SUCCESS;
}

/* Back to the copy, on all ranks. */
void
paulimpi__spread_go_back(paulimpi__spread *s)
{
    paulimpi__run *run = s->run;

    paulimpi__run_restore(run, &s->net_run, &s->net);
    paulimpi__shares_take(&s->sum->shares, &s->net_shares);
    s->stretch.end = 0;
    s->next_stretch.end = 0;
    s->has_ahead = 0;
    memset(s->bound, 0xff, (size_t)run->store->n_words * 16);
    s->is_copied = s->net_is_copied;
    run->rows = NULL;
    run->truncation = s->is_copied ? s->policy : &s->alone;
    s->has_net = 0;
    s->is_careful = 1;
}
