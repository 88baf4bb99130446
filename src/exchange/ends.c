/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compare what ranks say that they send with what others say that they
 * receive, before anything is posted. Each rank hears of the sends to it and
 * pairs them with its receives as MPI would.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "comm/comm.h"
#include "exchange/state.h"

/* A send, as the rank tells that posts it. */
typedef struct {
    int64_t peer; /* that sends; for sorting on the receiving side */
    int64_t tag;
    int64_t index;
    int64_t bytes;
} end;

enum { WORDS = sizeof(end) / sizeof(int64_t) };

/* The lists that go to, or come from, each rank. */
typedef struct {
    int n; /* ends in all */
    end *end;
    paulimpi__lists lists; /* the same in words */
} table;

static void
free_table(table *t)
{
    paulimpi__free(t->lists.count);
    paulimpi__free(t->lists.first);
    paulimpi__free(t->end);
}

static int
make_counts(const char *function, int size, table *t)
{
    size_t n = (size_t)size;

    t->lists.count = paulimpi__alloc_zero(n, sizeof *t->lists.count);
    t->lists.first = paulimpi__alloc_zero(n, sizeof *t->lists.first);
    return t->lists.count != NULL && t->lists.first != NULL
               ? PAULIMPI_SUCCESS
               : paulimpi__no_memory(function, n * sizeof *t->lists.count);
}

/* Find the places in the table from its counts. */
static int
make_ends(const char *function, int size, table *t)
{
    paulimpi__lists *lists = &t->lists;
    int i;

    for (i = 1; i < size; i++) {
        lists->first[i] = lists->first[i - 1] + lists->count[i - 1];
    }
    t->n = (lists->first[size - 1] + lists->count[size - 1]) / WORDS;
    t->end = paulimpi__alloc((size_t)t->n, sizeof *t->end);
    lists->number = (int64_t *)t->end;
    return t->end != NULL
               ? PAULIMPI_SUCCESS
               : paulimpi__no_memory(function, (size_t)t->n * sizeof(end));
}

/* The sends of this rank by receiver, in the order of the list. */
static int
list_sends(const char *function, const paulimpi_plan *plan, int size, table *t)
{
    int i, rc;
    int *at;

    rc = make_counts(function, size, t);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    for (i = plan->n_receives; i < plan->n_messages; i++) {
        if (paulimpi__leaves(&plan->message[i])) {
            t->lists.count[plan->message[i].peer] += WORDS;
        }
    }
    rc = make_ends(function, size, t);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    at = paulimpi__alloc_zero((size_t)size, sizeof *at);
    if (at == NULL) {
        return paulimpi__no_memory(function, (size_t)size * sizeof *at);
    }
    for (i = plan->n_receives; i < plan->n_messages; i++) {
        const paulimpi__message *message = &plan->message[i];

        if (paulimpi__leaves(message)) {
            t->end[t->lists.first[message->peer] / WORDS
                   + at[message->peer]++] =
                (end){ plan->rank, message->tag, message->index,
                       message->layout.bytes };
        }
    }
    paulimpi__free(at);
    return PAULIMPI_SUCCESS;
}

/* Hear of the sends to this rank. Collective; fails on all ranks alike but for
 * MPI. */
static int
hear_sends(const char *function, const paulimpi_plan *plan, int size,
           const table *to, table *from)
{
    int rc = make_counts(function, size, from);

    rc = paulimpi__agree_in(plan->ctx, function, rc);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = paulimpi__trade_counts(plan->ctx, function, &to->lists, &from->lists);
    if (rc == PAULIMPI_SUCCESS) {
        rc = make_ends(function, size, from);
    }
    rc = paulimpi__agree_in(plan->ctx, function, rc);
    return rc == PAULIMPI_SUCCESS ? paulimpi__trade_numbers(
               plan->ctx, function, &to->lists, &from->lists)
                                  : rc;
}

/* Pairs. */

/* The first receive that could take a send and has none yet. A receive has one
 * if has[i] is not 0. */
static int
find_receive(const paulimpi_plan *plan, const end *sent,
             const unsigned char *has)
{
    int i;

    for (i = 0; i < plan->n_receives; i++) {
        const paulimpi__message *receive = &plan->message[i];

        if (!has[i] && paulimpi__leaves(receive) && receive->tag == sent->tag
            && (receive->peer == sent->peer
                || receive->peer == PAULIMPI_PEER_ANY)) {
            break;
        }
    }
    return i;
}

static int
pair(const char *function, const paulimpi_plan *plan, const end *sent,
     unsigned char *has)
{
    int i = find_receive(plan, sent, has);
    const paulimpi__message *receive = &plan->message[i];

    if (i == plan->n_receives) {
        return paulimpi__error(PAULIMPI_ERR_MISMATCH,
                               "%s: sends[%" PRId64 "] of rank %" PRId64
                               " to rank %d, tag %" PRId64 ", %" PRId64
                               " bytes: no receive there takes it",
                               function, sent->index, sent->peer, plan->rank,
                               sent->tag, sent->bytes);
    }
    has[i] = 1;
    if (receive->layout.bytes != sent->bytes) {
        return paulimpi__error(
            PAULIMPI_ERR_MISMATCH,
            "%s: sends[%" PRId64 "] of rank %" PRId64
            " to rank %d, tag %" PRId64 ", has %" PRId64
            " bytes, but receives[%d] there, which takes it, has %" PRId64,
            function, sent->index, sent->peer, plan->rank, sent->tag,
            sent->bytes, receive->index, receive->layout.bytes);
    }
    return PAULIMPI_SUCCESS;
}

static int
check_met(const char *function, const paulimpi_plan *plan,
          const unsigned char *has)
{
    char peer[32] = "any rank";
    int i;

    for (i = 0; i < plan->n_receives; i++) {
        const paulimpi__message *receive = &plan->message[i];

        if (paulimpi__leaves(receive) && !has[i]) {
            if (receive->peer >= 0) {
                snprintf(peer, sizeof peer, "rank %d", receive->peer);
            }
            return paulimpi__error(
                PAULIMPI_ERR_MISMATCH,
                "%s: receives[%d] of rank %d from %s, tag %d, %" PRId64
                " bytes: no send there meets it",
                function, receive->index, plan->rank, peer, receive->tag,
                receive->layout.bytes);
        }
    }
    return PAULIMPI_SUCCESS;
}

static int
pair_all(const char *function, const paulimpi_plan *plan, const table *from)
{
    size_t n = (size_t)plan->n_receives;
    unsigned char *has = paulimpi__alloc_zero(n, 1);
    int rc = PAULIMPI_SUCCESS;
    int i;

    if (has == NULL) {
        return paulimpi__no_memory(function, n);
    }
    for (i = 0; i < from->n && rc == PAULIMPI_SUCCESS; i++) {
        rc = pair(function, plan, &from->end[i], has);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = check_met(function, plan, has);
    }
    paulimpi__free(has);
    return rc;
}

int
paulimpi__ends_compare(const char *function, const paulimpi_plan *plan)
{
    int size = paulimpi_context_size(plan->ctx);
    table to = { 0, NULL, { NULL, NULL, NULL } };
    table from = { 0, NULL, { NULL, NULL, NULL } };
    int rc;

    if (size == 1) {
        return PAULIMPI_SUCCESS;
    }
    rc = paulimpi__agree_in(plan->ctx, function,
                            list_sends(function, plan, size, &to));
    if (rc == PAULIMPI_SUCCESS) {
        rc = hear_sends(function, plan, size, &to, &from);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = pair_all(function, plan, &from);
    }
    if (!paulimpi__context_is_lost(plan->ctx)) {
        free_table(&to);
        free_table(&from);
    }
    return rc;
}
