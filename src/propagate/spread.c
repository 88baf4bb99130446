/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A propagation on several ranks: which rank has which terms.
 */
#include <string.h>

#include "comm/comm.h"
#include "propagate/spread.h"

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

    s->n_terms = values[0];
    s->term_gates = values[1];
    s->peak_terms = s->n_terms > s->peak_terms ? s->n_terms : s->peak_terms;
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
    return paulimpi__draw_rows(&s->rows, &s->stretch, &s->sum->shares,
                               s->n_terms, add_counts, s, is_new);
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
    int64_t i, k;

    for (i = s->stretch.first; i < s->stretch.end; i++) {
        const paulimpi__ready_op *op = &s->run->ops[i];

        for (k = 0; k < op->n_parts; k++) {
            const paulimpi__part *g = &op->parts[k];
            uint64_t bits = op->op->kind == PAULIMPI__OP_MAP
                                ? (uint64_t)1 << op->pivot.shift
                                : g->x | g->z;

            s->bound[g->word] |= bits;
            s->bound[n_words + g->word] |= bits;
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

/* Move the terms to where the next stretch wants them. */
int
paulimpi__spread_move(paulimpi__spread *s)
{
    int is_new;
    int rc;

    paulimpi__spread_leave_stretch(s);
    begin_stretch(s);
    rc = draw_shares(s, &is_new);
    if (rc != PAULIMPI_SUCCESS || !is_new) {
        return rc;
    }
    paulimpi__find_limit(s->run);
    rc = paulimpi__move_terms(&s->carrier, &s->rows.drawn,
                              s->run->memory_limit - s->run->extra_bytes);
    if (rc == PAULIMPI_SUCCESS) {
        paulimpi__shares_take(&s->sum->shares, &s->rows.drawn);
        s->run->moves++;
        s->run->terms_moved += s->carrier.n_terms_out;
        note_imbalance(s);
    }
    return rc;
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
    return PAULIMPI_SUCCESS;
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
    memset(s->bound, 0xff, (size_t)run->store->n_words * 16);
    s->is_copied = s->net_is_copied;
    run->truncation = s->is_copied ? s->policy : &s->alone;
    s->has_net = 0;
    s->is_careful = 1;
}
