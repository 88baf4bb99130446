/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What goes wrong while a plan is under way.
 *
 * The first failure is kept for the end. Until then the plan goes on as well
 * as it can, so that no other rank waits for this one: messages whose bytes
 * cannot be had go empty, what arrives is taken. Only where nothing happens for
 * too long is the rest given up.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "exchange/state.h"

enum { MOST_NAMED = 8 };

/* Seconds that MPI has to end messages that were given up. */
static const double patience = 0.2;

void
paulimpi__fail(paulimpi_plan *plan, int rc)
{
    if (plan->rc == PAULIMPI_SUCCESS) {
        plan->rc = rc;
        snprintf(plan->why, sizeof plan->why, "%s", paulimpi_last_error());
        paulimpi__news(plan);
    }
}

void
paulimpi__fail_length(paulimpi_plan *plan, const paulimpi__message *message,
                      int64_t want, const paulimpi__completion *done)
{
    const char *function = plan->function;
    char name[PAULIMPI__NAME];
    int rc;

    if (plan->rc != PAULIMPI_SUCCESS) {
        return;
    }
    (void)paulimpi__message_name(message, name);
    if (done->is_cut || done->bytes > want) {
        rc = paulimpi__error(
            PAULIMPI_ERR_MISMATCH,
            "%s: %s from rank %d, tag %d: the region has %" PRId64
            " bytes, but more came, and the rest is lost",
            function, name, done->peer, message->tag, message->layout.bytes);
    } else {
        rc = paulimpi__error(
            PAULIMPI_ERR_MISMATCH,
            "%s: %s from rank %d, tag %d: the region has %" PRId64
            " bytes, but only %" PRId64 " came%s",
            function, name, done->peer, message->tag, message->layout.bytes,
            message->came,
            done->bytes == 0 ? ", as if that rank had failed" : "");
    }
    paulimpi__fail(plan, rc);
}

/* Append to a text of limited size. */
static size_t
append(char *text, size_t size, size_t length, const char *what)
{
    int n = snprintf(text + length, size - length, "%s", what);

    return length + (size_t)n < size ? length + (size_t)n : size - 1;
}

static void
name_missing(const paulimpi__message *message, char *text, size_t size)
{
    char name[PAULIMPI__NAME];
    char peer[32] = "any rank";

    if (message->peer >= 0) {
        snprintf(peer, sizeof peer, "rank %d", message->peer);
    }
    snprintf(text, size, "%s %s, tag %d, %" PRId64 " bytes (%s)",
             message->is_receive ? "receive from" : "send to", peer,
             message->tag, message->layout.bytes,
             paulimpi__message_name(message, name));
}

void
paulimpi__fail_silence(paulimpi_plan *plan, double seconds)
{
    char text[PAULIMPI__ERROR_TEXT / 2] = "";
    char one[160];
    size_t length = 0;
    int n_missing = 0;
    int i;

    if (plan->rc != PAULIMPI_SUCCESS) {
        return;
    }
    for (i = 0; i < plan->n_messages; i++) {
        const paulimpi__message *message = &plan->message[i];

        if (message->done == message->pieces || message->is_dead) {
            continue;
        }
        if (++n_missing <= MOST_NAMED) {
            name_missing(message, one, sizeof one);
            length =
                append(text, sizeof text, length, n_missing == 1 ? "" : "; ");
            length = append(text, sizeof text, length, one);
        }
    }
    if (n_missing > MOST_NAMED) {
        snprintf(one, sizeof one, "; and %d more", n_missing - MOST_NAMED);
        append(text, sizeof text, length, one);
    }
    paulimpi__fail(plan, paulimpi__error(PAULIMPI_ERR_TIMEOUT,
                                         "%s: nothing came for %g seconds; "
                                         "missing: %s",
                                         plan->function, seconds, text));
}

/* The block stays with MPI, which may still use it. */
static void
lose_block(paulimpi_plan *plan, paulimpi__slot *slot)
{
    paulimpi__share *share =
        paulimpi__share_of(plan, &plan->message[slot->message]);
    int i;

    for (i = 0; i < share->n_blocks; i++) {
        if (share->block[i] == slot->block) {
            share->block[i] = share->block[--share->n_blocks];
            break;
        }
    }
}

/* Whether some message is still with the transport. */
static int
has_posted(const paulimpi_plan *plan)
{
    int i;

    for (i = 0; i < plan->n_slots; i++) {
        if (plan->slot[i].state == PAULIMPI__SLOT_POSTED) {
            return 1;
        }
    }
    return 0;
}

static void
cancel_receives(paulimpi_plan *plan)
{
    int i;

    for (i = 0; i < plan->n_slots; i++) {
        if (plan->slot[i].state == PAULIMPI__SLOT_POSTED
            && plan->message[plan->slot[i].message].is_receive) {
            plan->transport->cancel(plan->wire, i);
        }
    }
}

void
paulimpi__give_up(paulimpi_plan *plan)
{
    double end = paulimpi__seconds() + patience;
    struct timespec pause = { 0, 100000 };
    int n, i;

    cancel_receives(plan);
    while (has_posted(plan) && paulimpi__seconds() < end) {
        n = 0;
        (void)plan->transport->test(plan->wire, &n, plan->completion);
        for (i = 0; i < n; i++) {
            plan->slot[plan->completion[i].slot].state = PAULIMPI__SLOT_FREE;
        }
        if (n == 0) {
            nanosleep(&pause, NULL);
        }
    }
    for (i = 0; i < plan->n_slots; i++) {
        if (plan->slot[i].state == PAULIMPI__SLOT_POSTED) {
            plan->transport->abandon(plan->wire, i);
            plan->has_lost = 1;
            lose_block(plan, &plan->slot[i]);
            plan->slot[i].state = PAULIMPI__SLOT_FREE;
        }
    }
    plan->n_left = 0;
    plan->n_unposted = 0;
}
