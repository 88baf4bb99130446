/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Small messages of a plan that travel as one.
 *
 * Between two ranks a message costs its latency however few bytes it has. The
 * members of a joined message lie side by side in a block, in the order of
 * their tags and then of the list, which is the same on both sides: that all
 * messages meet, and how long they are, is compared when the plan is made.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "comm/comm.h"
#include "device/device.h"
#include "exchange/state.h"

enum {
    MOST_MEMBER = 8192, /* bytes of a message that is joined */
    ALIGNMENT = 16      /* of the members, for copies by words */
};

/* Which messages. */

static int
is_member(const paulimpi__message *message)
{
    return paulimpi__leaves(message) && message->layout.bytes <= MOST_MEMBER;
}

static int
compare(int a, int b)
{
    return (a > b) - (a < b);
}

/* Parts of one message are neighbours then, in the order of the block. */
static int
compare_members(const void *a, const void *b)
{
    const paulimpi__message *one = &((const paulimpi__member *)a)->message;
    const paulimpi__message *two = &((const paulimpi__member *)b)->message;
    int sign = compare(two->is_receive, one->is_receive);

    sign = sign != 0 ? sign : compare(one->peer, two->peer);
    sign = sign != 0 ? sign : compare(one->tag, two->tag);
    return sign != 0 ? sign : compare(one->index, two->index);
}

/* The order of a plan's messages. */
static int
compare_messages(const void *a, const void *b)
{
    const paulimpi__message *one = a;
    const paulimpi__message *two = b;
    int sign = compare(two->is_receive, one->is_receive);

    return sign != 0 ? sign : compare(one->index, two->index);
}

static int
travel_together(const paulimpi__member *one, const paulimpi__member *two)
{
    return one->message.is_receive == two->message.is_receive
           && one->message.peer == two->message.peer;
}

/* How many members, from one on, travel together. */
static int
count_together(const paulimpi_plan *plan, int first)
{
    int n = 1;

    while (
        first + n < plan->n_members
        && travel_together(&plan->member[first], &plan->member[first + n])) {
        n++;
    }
    return n;
}

/* Divide the messages: those that travel with others become members, in order;
 * the rest stay. */
static void
take_members(paulimpi_plan *plan)
{
    int n_candidates = 0, n_left = 0;
    int i, n;

    for (i = 0; i < plan->n_messages; i++) {
        if (is_member(&plan->message[i])) {
            plan->member[n_candidates++].message = plan->message[i];
        } else {
            plan->message[n_left++] = plan->message[i];
        }
    }
    qsort(plan->member, (size_t)n_candidates, sizeof *plan->member,
          compare_members);
    plan->n_members = n_candidates;
    n_candidates = 0;
    for (i = 0; i < plan->n_members; i += n) {
        n = count_together(plan, i);
        if (n == 1) {
            plan->message[n_left++] = plan->member[i].message;
        } else {
            memmove(&plan->member[n_candidates], &plan->member[i],
                    (size_t)n * sizeof *plan->member);
            n_candidates += n;
        }
    }
    plan->n_members = n_candidates;
    plan->n_messages = n_left;
}

/* The messages that carry them. */

static int64_t
place_bytes(const paulimpi__member *member)
{
    return (member->message.layout.bytes + ALIGNMENT - 1) / ALIGNMENT
           * ALIGNMENT;
}

/* How a member's bytes get into the block, or out of it. */
static int
path_of_member(int kind)
{
    if (kind == PAULIMPI_MEMORY_IMPORTED) {
        return PAULIMPI__PATH_BOUNCED;
    }
    return kind <= PAULIMPI_MEMORY_PINNED ? PAULIMPI__PATH_PACKED
                                          : PAULIMPI__PATH_STAGED;
}

static void
set_paths(paulimpi_plan *plan)
{
    int i;

    for (i = 0; i < plan->n_members; i++) {
        paulimpi__message *message = &plan->member[i].message;

        message->path = path_of_member(message->kind);
        message->pieces = message->layout.bytes > 0;
    }
}

/* One block for all members, in their order. */
static int
take_block(paulimpi_plan *plan)
{
    int64_t bytes = 0;
    int i;

    for (i = 0; i < plan->n_members; i++) {
        bytes += place_bytes(&plan->member[i]);
    }
    plan->member_block =
        paulimpi__staging_take(bytes > 0 ? (size_t)bytes : ALIGNMENT);
    if (plan->member_block == NULL) {
        return PAULIMPI_ERR_MEMORY;
    }
    memset(plan->member_block, 0, (size_t)bytes); /* the gaps travel, too */
    bytes = 0;
    for (i = 0; i < plan->n_members; i++) {
        plan->member[i].place = plan->member_block + bytes;
        bytes += place_bytes(&plan->member[i]);
    }
    return PAULIMPI_SUCCESS;
}

/* The message of n members: it has the tag and the place of the first, so that
 * it is the same in the order of those with this tag on both sides. */
static int
make_carrier(const char *function, paulimpi_plan *plan,
             const paulimpi__member *member, int n, int kind)
{
    paulimpi__message *carrier = &plan->message[plan->n_messages++];
    int64_t bytes = 0;
    paulimpi_region region;
    int i;

    for (i = 0; i < n; i++) {
        bytes += place_bytes(&member[i]);
    }
    region = paulimpi_region_1d(member->place, (size_t)bytes);
    *carrier = member->message;
    carrier->n_members = n;
    carrier->kind = kind;
    carrier->device = -1;
    carrier->number = 0;
    return paulimpi__layout_set(&carrier->layout, &region, function,
                                "members");
}

static int
make_carriers(const char *function, paulimpi_plan *plan)
{
    paulimpi_memory memory = PAULIMPI_MEMORY_INIT;
    int rc = paulimpi_memory_describe(plan->member_block, &memory);
    int i, n;

    for (i = 0; i < plan->n_members && rc == PAULIMPI_SUCCESS; i += n) {
        n = count_together(plan, i);
        rc = make_carrier(function, plan, &plan->member[i], n, memory.kind);
    }
    return rc;
}

/* Put all in order and find the ends of messages to this rank again, whose
 * numbers have changed. */
static int
renumber(const char *function, paulimpi_plan *plan)
{
    int i;

    qsort(plan->message, (size_t)plan->n_messages, sizeof *plan->message,
          compare_messages);
    plan->n_receives = 0;
    for (i = 0; i < plan->n_messages; i++) {
        plan->message[i].partner = -1;
        plan->n_receives += plan->message[i].is_receive;
    }
    return paulimpi__self_match(function, plan);
}

static int
join_messages(const char *function, paulimpi_plan *plan)
{
    size_t n = (size_t)plan->n_messages;
    int rc = PAULIMPI_SUCCESS;

    plan->member = paulimpi__alloc_zero(n, sizeof *plan->member);
    if (plan->member == NULL) {
        return paulimpi__no_memory(function, n * sizeof *plan->member);
    }
    take_members(plan);
    if (plan->n_members > 0) {
        set_paths(plan);
        rc = take_block(plan);
        if (rc == PAULIMPI_SUCCESS) {
            rc = make_carriers(function, plan);
        }
    }
    return rc == PAULIMPI_SUCCESS ? renumber(function, plan) : rc;
}

/* What all ranks do. */

static int
check_peers(const char *function, const paulimpi_plan *plan)
{
    char name[PAULIMPI__NAME];
    int i;

    for (i = 0; i < plan->n_receives; i++) {
        if (plan->message[i].peer == PAULIMPI_PEER_ANY) {
            return paulimpi__error(
                PAULIMPI_ERR_ARGUMENT,
                "%s: %s: peer is PAULIMPI_PEER_ANY, but messages that are "
                "joined come from ranks that are known: name the rank, or "
                "leave options.join 0",
                function, paulimpi__message_name(&plan->message[i], name));
        }
    }
    return PAULIMPI_SUCCESS;
}

/* Whether all join; nobody does if a rank has failed before. */
static int
agree_to_join(const char *function, paulimpi_context *ctx, int joins, int rc,
              int *all_join_p)
{
    int64_t word[3] = { rc != PAULIMPI_SUCCESS, joins, -joins };
    int failed = rc;

    *all_join_p = joins && rc == PAULIMPI_SUCCESS;
    if (paulimpi__context_comm(ctx) == MPI_COMM_NULL) {
        return rc;
    }
    rc = paulimpi__reduce_int64(ctx, function, PAULIMPI__MAX, 3, word);
    if (failed != PAULIMPI_SUCCESS || rc != PAULIMPI_SUCCESS) {
        return failed != PAULIMPI_SUCCESS ? failed : rc;
    }
    *all_join_p = joins && word[0] == 0;
    return word[0] != 0 || word[1] == -word[2]
               ? PAULIMPI_SUCCESS
               : paulimpi__agree_same(ctx, function, "options.join",
                                      (uint64_t)joins);
}

int
paulimpi__join(const char *function, paulimpi_context *ctx,
               paulimpi_plan *plan, int rc)
{
    int joins = rc == PAULIMPI_SUCCESS && plan->options.join;

    if (joins) {
        rc = check_peers(function, plan);
    }
    rc = agree_to_join(function, ctx, joins, rc, &joins);
    if (rc != PAULIMPI_SUCCESS || !joins) {
        return rc;
    }
    paulimpi__paths_begin(plan);
    rc = paulimpi__agree_in(ctx, function,
                            paulimpi__ends_compare(function, plan));
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    plan->ends_meet = 1;
    return join_messages(function, plan);
}

/* A run. */

/* A copy between a member's memory and its place in the block. */
static int
copy_member(paulimpi_plan *plan, const paulimpi__member *member)
{
    const paulimpi__message *message = &member->message;
    const paulimpi__layout *layout = &message->layout;
    paulimpi_stream stream = NULL;
    int by = message->copier;

    if (layout->bytes == 0) {
        return PAULIMPI_SUCCESS;
    }
    if (message->lane >= 0) {
        const paulimpi__lane *lane = &plan->lane[message->lane];

        stream = message->is_receive ? lane->in : lane->out;
    }
    paulimpi__count_passage(message, layout->bytes);
    return message->is_receive ? paulimpi__unpack(layout, by, 0, layout->bytes,
                                                  member->place, stream)
                               : paulimpi__pack(layout, by, 0, layout->bytes,
                                                member->place, stream);
}

static int
copy_members(paulimpi_plan *plan, int is_receive)
{
    int rc = PAULIMPI_SUCCESS;
    int i;

    for (i = 0; i < plan->n_members && rc == PAULIMPI_SUCCESS; i++) {
        if (plan->member[i].message.is_receive == is_receive) {
            rc = copy_member(plan, &plan->member[i]);
        }
    }
    return rc;
}

static int
wait_for_lanes(const paulimpi_plan *plan, int is_receive)
{
    int rc = PAULIMPI_SUCCESS;
    int i;

    for (i = 0; i < plan->n_lanes && rc == PAULIMPI_SUCCESS; i++) {
        rc = paulimpi_stream_wait(is_receive ? plan->lane[i].in
                                             : plan->lane[i].out);
    }
    return rc;
}

int
paulimpi__members_pack(paulimpi_plan *plan)
{
    int rc;

    if (plan->n_members == 0) {
        return PAULIMPI_SUCCESS;
    }

    /* The last copies of the run before may still read the block. */
    rc = wait_for_lanes(plan, 1);
    if (rc == PAULIMPI_SUCCESS && plan->after != NULL) {
        rc = paulimpi_event_wait(plan->after);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = copy_members(plan, 0);
    }
    return rc == PAULIMPI_SUCCESS ? wait_for_lanes(plan, 0) : rc;
}

/* Tell what came of the members: all of them or none. */
static void
set_arrivals(paulimpi_plan *plan, int have_come)
{
    int i;

    for (i = 0; i < plan->n_members; i++) {
        const paulimpi__message *message = &plan->member[i].message;

        if (message->is_receive) {
            plan->arrivals[message->index] = (paulimpi_arrival){
                .peer = have_come ? message->peer : PAULIMPI_PEER_NONE,
                .tag = message->tag,
                .bytes = have_come ? message->layout.bytes : 0,
            };
        }
    }
}

int
paulimpi__members_unpack(paulimpi_plan *plan)
{
    int have_come = plan->rc == PAULIMPI_SUCCESS;
    int rc = PAULIMPI_SUCCESS;

    if (plan->n_members == 0) {
        return PAULIMPI_SUCCESS;
    }
    if (have_come) {
        paulimpi__place_enter(&plan->place);
        rc = copy_members(plan, 1);
        paulimpi__place_enter(NULL);
        if (rc == PAULIMPI_SUCCESS && !plan->has_before_stream) {
            rc = wait_for_lanes(plan, 1);
        }
    }
    if (plan->arrivals != NULL) {
        set_arrivals(plan, have_come && rc == PAULIMPI_SUCCESS);
    }
    return rc;
}

void
paulimpi__members_free(paulimpi_plan *plan)
{
    if (plan->member_block != NULL) {
        paulimpi__staging_give(plan->member_block);
    }
    paulimpi__free(plan->member);
}
