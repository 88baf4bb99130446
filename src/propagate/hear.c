/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What ranks tell each other after a step: how it went, and at the end of a
 * stretch all that has to be added up, in one sum, for each costs the latency
 * of the network.
 */
#include <string.h>

#include "comm/comm.h"
#include "propagate/spread.h"

/* At the end of a stretch: these, the terms of each shard that was drawn ahead,
 * and those after each operation. */
enum { N_FAILED, N_RAN_OUT, N_NOT_DEALT, N_TERMS, N_TERM_GATES, N_NUMBERS };

static int64_t
count_shards(const paulimpi__spread *s)
{
    return (int64_t)1 << s->rows.drawn.log2_shards;
}

int
paulimpi__spread_make_lists(paulimpi__spread *s)
{
    int64_t n = N_NUMBERS + count_shards(s) + s->run->n_ops;

    s->said = paulimpi__alloc_zero((size_t)n, sizeof *s->said);
    if (s->said == NULL) {
        return PAULIMPI_ERR_MEMORY;
    }
    s->of_shard = s->said + N_NUMBERS;
    s->trace = s->of_shard + count_shards(s);
    return PAULIMPI_SUCCESS;
}

static int
went(const paulimpi__spread *s, int code)
{
    return code == PAULIMPI_SUCCESS                    ? PAULIMPI__WENT_WELL
           : code == PAULIMPI_ERR_MEMORY && s->has_net ? PAULIMPI__RAN_OUT
                                                       : PAULIMPI__FAILED;
}

/* All ranks know that one has failed: hear how. */
static int
hear_sentence(const paulimpi__spread *s, int code)
{
    return paulimpi__agree_in(s->sum->ctx, s->job->function, code);
}

int
paulimpi__spread_hear(paulimpi__spread *s, int code, int *went_p)
{
    int64_t worst = went(s, code);
    int rc = paulimpi__reduce_int64(s->sum->ctx, s->job->function,
                                    PAULIMPI__MAX, 1, &worst);

    *went_p = (int)worst;
    return rc != PAULIMPI_SUCCESS || worst != PAULIMPI__FAILED
               ? rc
               : hear_sentence(s, code);
}

void
paulimpi__spread_begin_trace(paulimpi__spread *s)
{
    int64_t n = s->stretch.end - s->run->n_done;
    int64_t i;

    for (i = 0; i < n; i++) {
        s->trace[i] = -1;
    }
    s->run->trace = s->trace;
    s->run->trace_first = s->run->n_done;
}

/* An operation that was passed over here has changed nothing here. */
static void
fill_trace(paulimpi__spread *s, int64_t n, int64_t n_before)
{
    int64_t i;

    for (i = 0; i < n; i++) {
        s->trace[i] = s->trace[i] < 0 ? n_before : s->trace[i];
        n_before = s->trace[i];
    }
}

/* Count the terms by the shards that were drawn ahead. */
static void
count_ahead(paulimpi__spread *s)
{
    const paulimpi__run *run = s->run;
    const paulimpi__shares *drawn = &s->rows.drawn;

    if (!s->has_ahead || !s->is_new) {
        memset(s->of_shard, 0, (size_t)count_shards(s) * sizeof *s->of_shard);
    } else if (run->has_dealt) {
        paulimpi__count_buckets_by_shard(run->store, drawn->log2_shards,
                                         s->of_shard);
    } else {
        paulimpi__count_by_shard(run->store, drawn, s->of_shard);
    }
}

/* What this rank says. Nobody reads the lists if one has failed. */
static void
fill_lists(paulimpi__spread *s, int how, int64_t n_trace, int64_t n_before)
{
    const paulimpi__run *run = s->run;

    s->said[N_FAILED] = how == PAULIMPI__FAILED;
    s->said[N_RAN_OUT] = how == PAULIMPI__RAN_OUT;
    s->said[N_NOT_DEALT] = !run->has_dealt;
    s->said[N_TERMS] = run->store->n_terms;
    s->said[N_TERM_GATES] = run->term_gates;
    if (how == PAULIMPI__WENT_WELL) {
        count_ahead(s);
        fill_trace(s, n_trace, n_before);
    }
}

void
paulimpi__spread_note_counts(paulimpi__spread *s, int64_t n_terms,
                             int64_t term_gates)
{
    s->n_terms = n_terms;
    s->term_gates = term_gates;
    s->peak_terms = n_terms > s->peak_terms ? n_terms : s->peak_terms;
}

int
paulimpi__spread_hear_stretch(paulimpi__spread *s, int code, int64_t n_before,
                              int *went_p)
{
    int64_t n = s->stretch.end - s->run->trace_first;
    int64_t i;
    int rc;

    s->run->trace = NULL;
    fill_lists(s, went(s, code), n, n_before);
    rc = paulimpi__reduce_int64(s->sum->ctx, s->job->function, PAULIMPI__SUM,
                                N_NUMBERS + count_shards(s) + n, s->said);
    if (rc != PAULIMPI_SUCCESS || s->said[N_FAILED] > 0) {
        *went_p = PAULIMPI__FAILED;
        return rc != PAULIMPI_SUCCESS ? rc : hear_sentence(s, code);
    }
    if (s->said[N_RAN_OUT] > 0) {
        *went_p = PAULIMPI__RAN_OUT;
        return PAULIMPI_SUCCESS;
    }
    *went_p = PAULIMPI__WENT_WELL;
    s->has_dealt = s->said[N_NOT_DEALT] == 0;
    for (i = 0; i < n; i++) {
        s->peak_terms =
            s->trace[i] > s->peak_terms ? s->trace[i] : s->peak_terms;
    }
    paulimpi__spread_note_counts(s, s->said[N_TERMS], s->said[N_TERM_GATES]);
    return PAULIMPI_SUCCESS;
}
