/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a plan needs while it runs: slots, blocks, streams, events and a wire.
 * Nothing is allocated later.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "device/device.h"
#include "exchange/state.h"

enum {
    MOST_DIRECT_SLOTS = 32, /* pieces of a message that MPI has at a time */
    MOST_BLOCK_SLOTS = 4,   /* that have a block at a time */
    MOST_SELF_BLOCK = 1 << 18,
    LEAST_SELF_BLOCK = 1 << 12
};

/* Bytes of blocks that a plan takes for its sends, or for its receives, unless
 * one piece needs more. */
#define MOST_SHARE ((size_t)64 << 20)
#define MOST_RING ((size_t)16 << 20)

static int
is_on_device(int kind)
{
    return kind > PAULIMPI_MEMORY_PINNED;
}

/* Streams. */

static int
open_lane(paulimpi__lane *lane, int device)
{
    int current = paulimpi_device_current();
    int rc = PAULIMPI_SUCCESS;

    lane->device = device;
    if (device != current) {
        rc = paulimpi_device_select(device);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_stream_create(&lane->out);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_stream_create(&lane->in);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_event_create(&lane->end);
    }
    if (device != current && current >= 0) {
        (void)paulimpi_device_select(current);
    }
    return rc;
}

/* Find the lane of a device, or open it; there are not more than owners. */
static int
find_lane(paulimpi_plan *plan, int device, int *lane_p)
{
    int i;

    for (i = 0; i < plan->n_lanes && plan->lane[i].device != device; i++) {
    }
    *lane_p = i;
    if (i < plan->n_lanes) {
        return PAULIMPI_SUCCESS;
    }
    plan->n_lanes++;
    return open_lane(&plan->lane[i], device);
}

/* The device whose stream copies a message, -1 for the host. */
static int
copying_device(const paulimpi_plan *plan, const paulimpi__message *message)
{
    int device = message->device;
    int kind = message->kind;

    if (message->in_ring) {
        return paulimpi_device_current();
    }
    if (message->path == PAULIMPI__PATH_SELF && !is_on_device(kind)) {
        kind = plan->message[message->partner].kind;
        device = plan->message[message->partner].device;
    } else if (message->path < PAULIMPI__PATH_STAGED
               && message->path != PAULIMPI__PATH_SELF) {
        return -1;
    }
    if (!is_on_device(kind)) {
        return -1;
    }
    return device >= 0 ? device : paulimpi_device_current();
}

/* Put down whose memory it is. */
static int
add_owner(const char *function, paulimpi_plan *plan,
          const paulimpi__message *message)
{
    int device =
        message->device >= 0 ? message->device : paulimpi_device_current();
    int i;

    if (message->path == PAULIMPI__PATH_NONE || !is_on_device(message->kind)) {
        return PAULIMPI_SUCCESS;
    }
    for (i = 0; i < plan->n_owners && plan->owner[i] != device; i++) {
    }
    if (i == PAULIMPI__MOST_LANES) {
        return paulimpi__error(PAULIMPI_ERR_UNSUPPORTED,
                               "%s: the messages are in the memory of more "
                               "than %d devices",
                               function, PAULIMPI__MOST_LANES);
    }
    plan->owner[i] = device;
    plan->n_owners += i == plan->n_owners;
    return PAULIMPI_SUCCESS;
}

/* Who packs and unpacks a message. The send of two that meet here has the lane
 * of the receive. */
static int
copier_of(const paulimpi_plan *plan, const paulimpi__message *message)
{
    int lane = message->lane;

    if (message->path == PAULIMPI__PATH_SELF && !message->is_receive
        && is_on_device(message->kind)) {
        lane = plan->message[message->partner].lane;
    }
    return lane < 0
               ? PAULIMPI__BY_HOST
               : paulimpi__device_copier(&message->layout, message->device,
                                         plan->lane[lane].device);
}

static int
reserve_lane(const char *function, paulimpi_plan *plan,
             paulimpi__message *message)
{
    int device = message->pieces == 0 ? -1 : copying_device(plan, message);
    int rc = add_owner(function, plan, message);

    return rc == PAULIMPI_SUCCESS && device >= 0
               ? find_lane(plan, device, &message->lane)
               : rc;
}

static int
reserve_lanes(const char *function, paulimpi_plan *plan)
{
    int count = 0;
    int i;
    int rc = paulimpi_device_count(&count);

    plan->has_device = count > 0;
    if (rc == PAULIMPI_SUCCESS && plan->has_device) {
        rc = paulimpi_event_create(&plan->mark);
    }
    for (i = 0; i < plan->n_messages && rc == PAULIMPI_SUCCESS; i++) {
        rc = reserve_lane(function, plan, &plan->message[i]);
    }
    for (i = 0; i < plan->n_members && rc == PAULIMPI_SUCCESS; i++) {
        rc = reserve_lane(function, plan, &plan->member[i].message);
    }
    for (i = 0; i < plan->n_messages && rc == PAULIMPI_SUCCESS; i++) {
        plan->message[i].copier = copier_of(plan, &plan->message[i]);
    }
    for (i = 0; i < plan->n_members && rc == PAULIMPI_SUCCESS; i++) {
        paulimpi__message *message = &plan->member[i].message;

        message->copier = copier_of(plan, message);
    }
    return rc;
}

/* Slots. */

static int64_t
slots_of(const paulimpi__message *message)
{
    int64_t most =
        paulimpi__has_block(message) ? MOST_BLOCK_SLOTS : MOST_DIRECT_SLOTS;

    if (message->path == PAULIMPI__PATH_SELF) {
        return message->lane >= 0;
    }
    return message->is_whole || message->pieces < most ? message->pieces
                                                       : most;
}

/* Events belong to the device that is current when they are made. */
static int
create_events(paulimpi_plan *plan, const paulimpi__message *message)
{
    int device = plan->lane[message->lane].device;
    int current = paulimpi_device_current();
    int rc = PAULIMPI_SUCCESS;
    int i;

    if (device != current) {
        rc = paulimpi_device_select(device);
    }
    for (i = 0; i < message->n_slots && rc == PAULIMPI_SUCCESS; i++) {
        rc = paulimpi_event_create(&plan->slot[message->slot + i].event);
    }
    if (device != current && current >= 0) {
        (void)paulimpi_device_select(current);
    }
    return rc;
}

static int
reserve_slots(const char *function, paulimpi_plan *plan)
{
    int64_t n = 0;
    int i, j, rc;

    for (i = 0; i < plan->n_messages; i++) {
        paulimpi__message *message = &plan->message[i];

        message->slot = (int)n;
        message->n_slots = (int)slots_of(message);
        n += message->n_slots;
        if (n > INT_MAX / 2) {
            return paulimpi__error(PAULIMPI_ERR_RANGE,
                                   "%s: the messages have too many pieces",
                                   function);
        }
    }
    plan->n_slots = (int)n;
    plan->slot = paulimpi__alloc_zero((size_t)n, sizeof *plan->slot);
    plan->completion = paulimpi__alloc((size_t)n, sizeof *plan->completion);
    if (plan->slot == NULL || plan->completion == NULL) {
        return paulimpi__no_memory(function, (size_t)n * sizeof *plan->slot);
    }
    for (i = 0; i < plan->n_messages; i++) {
        const paulimpi__message *message = &plan->message[i];

        for (j = 0; j < message->n_slots; j++) {
            plan->slot[message->slot + j].message = i;
        }
        if (message->lane >= 0) {
            rc = create_events(plan, message);
            if (rc != PAULIMPI_SUCCESS) {
                return rc;
            }
        }
    }
    return PAULIMPI_SUCCESS;
}

/* Blocks. */

static size_t
block_bytes(const paulimpi_plan *plan, const paulimpi__message *message)
{
    return (size_t)paulimpi__piece_bytes(&plan->format, message->layout.bytes,
                                         0);
}

static void
give_blocks(paulimpi__share *share)
{
    while (share->n_blocks > 0) {
        paulimpi__staging_give(share->block[--share->n_blocks]);
    }
    share->n_free = 0;
}

static int
is_ring(const paulimpi_plan *plan, const paulimpi__share *share)
{
    return share >= &plan->share[2];
}

/* Take one more block into a share. */
static int
take_block(const paulimpi_plan *plan, paulimpi__share *share, size_t bytes)
{
    void *block = is_ring(plan, share)
                      ? paulimpi__staging_take_on_device(bytes)
                      : paulimpi__staging_take(bytes);

    if (block == NULL) {
        return 0;
    }
    share->block[share->n_blocks++] = block;
    return 1;
}

/* What the messages of a share need: blocks in all and their bytes, and the
 * bytes of the largest. */
typedef struct {
    int n_slots;
    size_t bytes;
    size_t largest;
    int n_whole; /* slots of receives that cannot share */
} need;

static need
need_of(const paulimpi_plan *plan, int index)
{
    need all = { 0, 0, 0, 0 };
    int i;

    for (i = 0; i < plan->n_messages; i++) {
        const paulimpi__message *message = &plan->message[i];
        size_t bytes = block_bytes(plan, message);

        if (paulimpi__share_index(message) != index
            || !paulimpi__has_block(message)) {
            continue;
        }
        all.n_slots += message->n_slots;
        all.bytes += (size_t)message->n_slots * bytes;
        if (message->is_whole) {
            all.n_whole += message->n_slots;
        } else if (bytes > all.largest) {
            all.largest = bytes;
        }
    }
    return all;
}

/* Give the slots of a share blocks of their own: all, or those of messages
 * that must not share. Whether that worked. */
static int
give_own_blocks(paulimpi_plan *plan, int index, int only_whole)
{
    paulimpi__share *share = &plan->share[index];
    int i, j;

    for (i = 0; i < plan->n_messages; i++) {
        const paulimpi__message *message = &plan->message[i];

        if (paulimpi__share_index(message) != index
            || !paulimpi__has_block(message)
            || (only_whole && !message->is_whole)) {
            continue;
        }
        for (j = 0; j < message->n_slots; j++) {
            if (!take_block(plan, share, block_bytes(plan, message))) {
                return 0;
            }
            plan->slot[message->slot + j].block =
                share->block[share->n_blocks - 1];
        }
    }
    return 1;
}

/* Let go of all blocks. */
static void
drop_blocks(paulimpi_plan *plan)
{
    int i;

    for (i = 0; i < PAULIMPI__SHARES; i++) {
        give_blocks(&plan->share[i]);
    }
    for (i = 0; i < plan->n_slots; i++) {
        plan->slot[i].block = NULL;
    }
}

static int
too_little(const char *function, const need all[PAULIMPI__SHARES])
{
    char why[PAULIMPI__ERROR_TEXT / 2];

    snprintf(why, sizeof why, "%s", paulimpi_last_error());
    return paulimpi__error(PAULIMPI_ERR_MEMORY,
                           "%s: no memory for blocks that messages are copied "
                           "through, at least %zu bytes for sends and %zu for "
                           "receives: %s",
                           function, all[0].largest, all[1].largest, why);
}

static int
needs_self_block(const paulimpi_plan *plan)
{
    int i;

    for (i = 0; i < plan->n_receives; i++) {
        if (plan->message[i].path == PAULIMPI__PATH_SELF
            && paulimpi__self_needs_block(plan, &plan->message[i])) {
            return 1;
        }
    }
    return 0;
}

/* Take a block for copies of this rank to itself, if there are any: a smaller
 * one does, too. Whether that worked. */
static int
take_self_block(paulimpi_plan *plan)
{
    int64_t bytes = MOST_SELF_BLOCK;

    if (!needs_self_block(plan)) {
        return 1;
    }
    do {
        plan->self_block = paulimpi__staging_take((size_t)bytes);
        plan->self_bytes = bytes;
        bytes /= 2;
    } while (plan->self_block == NULL && bytes >= LEAST_SELF_BLOCK);
    return plan->self_block != NULL;
}

/* One block for each share that needs one. */
static int
share_least(paulimpi_plan *plan, const need all[PAULIMPI__SHARES])
{
    int i;

    if (!give_own_blocks(plan, 1, 1) || !give_own_blocks(plan, 3, 1)) {
        return 0;
    }
    for (i = 0; i < PAULIMPI__SHARES; i++) {
        plan->share[i].is_shared = 1;
        if (all[i].largest > 0
            && !take_block(plan, &plan->share[i], all[i].largest)) {
            return 0;
        }
    }
    return 1;
}

/* And more, as long as there are some. */
static void
share_more(const paulimpi_plan *plan, paulimpi__share *share, const need *all)
{
    size_t most = is_ring(plan, share) ? MOST_RING : MOST_SHARE;
    int n_own = all->n_whole;

    while (all->largest > 0 && share->n_blocks < all->n_slots
           && (size_t)(share->n_blocks - n_own + 1) * all->largest <= most
           && take_block(plan, share, all->largest)) {
    }
    for (; n_own < share->n_blocks; n_own++) {
        share->free[share->n_free++] = share->block[n_own];
    }
}

static int
make_shares(const char *function, paulimpi_plan *plan,
            const need all[PAULIMPI__SHARES])
{
    int i;

    for (i = 0; i < PAULIMPI__SHARES; i++) {
        size_t n = (size_t)all[i].n_slots;

        paulimpi__free(plan->share[i].block);
        paulimpi__free(plan->share[i].free);
        plan->share[i].block = paulimpi__alloc(n, sizeof(void *));
        plan->share[i].free = paulimpi__alloc(n, sizeof(void *));
        if (plan->share[i].block == NULL || plan->share[i].free == NULL) {
            return paulimpi__no_memory(function, n * sizeof(void *));
        }
    }
    return PAULIMPI_SUCCESS;
}

/* A block for every slot. Whether that worked. */
static int
own_all(paulimpi_plan *plan, const need all[PAULIMPI__SHARES])
{
    int i;

    for (i = 0; i < PAULIMPI__SHARES; i++) {
        size_t most = is_ring(plan, &plan->share[i]) ? MOST_RING : MOST_SHARE;

        if ((all[i].bytes > most && !plan->transport->is_ordered)
            || !give_own_blocks(plan, i, 0)) {
            return 0;
        }
    }
    return take_self_block(plan);
}

static int
take_blocks(const char *function, paulimpi_plan *plan)
{
    need all[PAULIMPI__SHARES];
    int i, rc;

    for (i = 0; i < PAULIMPI__SHARES; i++) {
        all[i] = need_of(plan, i);
        plan->share[i].is_shared = 0;
    }
    rc = make_shares(function, plan, all);
    if (rc != PAULIMPI_SUCCESS || own_all(plan, all)) {
        return rc;
    }
    drop_blocks(plan);
    /* Where all messages must be there before any begins, none may wait for a
     * block. */
    if (plan->transport->is_ordered || !share_least(plan, all)
        || !take_self_block(plan)) {
        return too_little(function, all);
    }
    for (i = 0; i < PAULIMPI__SHARES; i++) {
        share_more(plan, &plan->share[i], &all[i]);
    }
    return PAULIMPI_SUCCESS;
}

/* Let what would go through the ring go by the host. Whether there is any. */
static int
leave_ring(paulimpi_plan *plan)
{
    int n = 0;
    int i;

    for (i = 0; i < plan->n_messages; i++) {
        n += plan->message[i].in_ring;
        plan->message[i].in_ring = 0;
    }
    plan->lacks_ring = n > 0;
    return n > 0;
}

/* Without memory for a ring blocks of the host do as well. */
static int
reserve_blocks(const char *function, paulimpi_plan *plan)
{
    int rc = take_blocks(function, plan);

    if (rc == PAULIMPI_ERR_MEMORY && !plan->transport->is_ordered) {
        drop_blocks(plan);
        if (leave_ring(plan)) {
            rc = take_blocks(function, plan);
        }
    }
    return rc;
}

/* Messages that need no steps. */

static int
is_simple(const paulimpi__message *message)
{
    return message->lane < 0 && message->pieces <= 1
           && !paulimpi__has_block(message);
}

static int
reserve_posts(const char *function, paulimpi_plan *plan)
{
    size_t n = (size_t)plan->n_slots;
    int i;

    for (i = 0; i < plan->n_messages; i++) {
        if (!is_simple(&plan->message[i])) {
            return PAULIMPI_SUCCESS;
        }
        plan->has_self |= plan->message[i].path == PAULIMPI__PATH_SELF;
    }
    plan->is_simple = 1;
    plan->post = paulimpi__alloc(n, sizeof *plan->post);
    if (plan->post == NULL) {
        return paulimpi__no_memory(function, n * sizeof *plan->post);
    }
    for (i = 0; i < plan->n_slots; i++) {
        const paulimpi__message *message =
            &plan->message[plan->slot[i].message];

        plan->n_receive_posts += message->is_receive;
        plan->post[i] =
            (paulimpi__post){ message->layout.base, message->layout.bytes,
                              message->peer, message->tag, 0 };
    }
    return PAULIMPI_SUCCESS;
}

static int
reserve_wire(paulimpi_plan *plan)
{
    int n_posts = 0;
    int i, rc;

    plan->is_simple = plan->is_simple && plan->transport->start != NULL;
    for (i = 0; i < plan->n_messages; i++) {
        n_posts +=
            paulimpi__leaves(&plan->message[i]) ? plan->message[i].n_slots : 0;
    }
    if (n_posts == 0) {
        return PAULIMPI_SUCCESS;
    }
    rc = plan->transport->open(plan->ctx, plan->n_slots, n_posts, &plan->wire);
    if (rc == PAULIMPI_SUCCESS && plan->is_apart
        && plan->transport->go_apart != NULL) {
        plan->transport->go_apart(plan->wire);
    }
    return rc;
}

int
paulimpi__reserve(const char *function, paulimpi_plan *plan)
{
    int rc = reserve_lanes(function, plan);

    if (rc == PAULIMPI_SUCCESS) {
        rc = reserve_slots(function, plan);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = reserve_blocks(function, plan);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = reserve_posts(function, plan);
    }
    return rc == PAULIMPI_SUCCESS ? reserve_wire(plan) : rc;
}

void
paulimpi__unreserve(paulimpi_plan *plan)
{
    int i;

    /* The end of a stream waits for the copies in it: blocks come later. */
    for (i = 0; i < plan->n_lanes; i++) {
        paulimpi_stream_destroy(&plan->lane[i].out);
        paulimpi_stream_destroy(&plan->lane[i].in);
        paulimpi_event_destroy(&plan->lane[i].end);
    }
    for (i = 0; plan->slot != NULL && i < plan->n_slots; i++) {
        paulimpi_event_destroy(&plan->slot[i].event);
    }
    paulimpi_event_destroy(&plan->mark);
    if (plan->wire != NULL) {
        plan->transport->close(plan->wire);
    }
    for (i = 0; i < PAULIMPI__SHARES; i++) {
        give_blocks(&plan->share[i]);
        paulimpi__free(plan->share[i].block);
        paulimpi__free(plan->share[i].free);
    }
    if (plan->self_block != NULL) {
        paulimpi__staging_give(plan->self_block);
    }
    paulimpi__free(plan->slot);
    paulimpi__free(plan->completion);
    paulimpi__free(plan->post);
}
