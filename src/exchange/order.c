/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The order in which messages are posted.
 *
 * MPI pairs messages between two ranks with the same tag in the order in which
 * they are posted, which must be that of the lists. And where blocks are few,
 * those who wait for one must not wait for each other around a circle of
 * ranks: messages get their blocks in one order that all ranks share, by
 * sender, receiver and tag, so that the first of all unfinished messages has a
 * block on both sides. Receives from any rank, whose sender nobody knows, and
 * receives that such a one could take a message from, stand outside of that:
 * they have blocks of their own and are posted whole at the start.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/state.h"

/* Mark the receives that must be posted whole. */
static void
mark_whole(paulimpi_plan *plan)
{
    unsigned char has_any[PAULIMPI_MOST_TAG / CHAR_BIT + 1];
    int i;

    memset(has_any, 0, sizeof has_any);
    for (i = 0; i < plan->n_receives; i++) {
        const paulimpi__message *message = &plan->message[i];

        if (message->peer == PAULIMPI_PEER_ANY) {
            has_any[message->tag / CHAR_BIT] |=
                (unsigned char)(1 << message->tag % CHAR_BIT);
        }
    }
    for (i = 0; i < plan->n_receives; i++) {
        paulimpi__message *message = &plan->message[i];

        message->is_whole =
            paulimpi__leaves(message)
            && (has_any[message->tag / CHAR_BIT] >> message->tag % CHAR_BIT
                & 1)
                   != 0;
    }
}

/* The parts of the order: receives before sends, copies last. */
static int
part_of(const paulimpi__message *message)
{
    if (!paulimpi__leaves(message)) {
        return 3;
    }
    return message->is_receive ? !message->is_whole : 2;
}

static int
compare_ints(int a, int b)
{
    return (a > b) - (a < b);
}

static int
compare(const void *a, const void *b)
{
    const paulimpi__message *one = *(const paulimpi__message *const *)a;
    const paulimpi__message *two = *(const paulimpi__message *const *)b;
    int sign = compare_ints(part_of(one), part_of(two));

    if (sign == 0 && !one->is_whole) {
        sign = compare_ints(one->peer, two->peer);
    }
    if (sign == 0) {
        sign = compare_ints(one->tag, two->tag);
    }
    return sign != 0 ? sign : compare_ints(one->index, two->index);
}

/* Whether the second of two neighbours in the order must wait for the first. */
static int
is_before(const paulimpi__message *one, const paulimpi__message *two)
{
    return part_of(one) == part_of(two) && paulimpi__leaves(one)
           && one->tag == two->tag
           && (one->is_whole || one->peer == two->peer);
}

int
paulimpi__order_set(const char *function, paulimpi_plan *plan)
{
    size_t n = (size_t)plan->n_messages;
    paulimpi__message **sorted = paulimpi__alloc(n, sizeof *sorted);
    int i;

    plan->order = paulimpi__alloc(n, sizeof *plan->order);
    if (sorted == NULL || plan->order == NULL) {
        paulimpi__free(sorted);
        return paulimpi__no_memory(function, n * sizeof *sorted);
    }
    mark_whole(plan);
    for (i = 0; i < plan->n_messages; i++) {
        sorted[i] = &plan->message[i];
    }
    qsort(sorted, n, sizeof *sorted, compare);
    for (i = 0; i < plan->n_messages; i++) {
        plan->order[i] = (int)(sorted[i] - plan->message);
        if (i > 0 && is_before(sorted[i - 1], sorted[i])) {
            sorted[i]->before = plan->order[i - 1];
        }
    }
    paulimpi__free(sorted);
    return PAULIMPI_SUCCESS;
}
