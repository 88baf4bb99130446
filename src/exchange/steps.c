/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The steps of a plan under way. Each piece of a message goes through a slot:
 * a send is copied to the block of the slot and posted from there when the
 * copy is complete; a receive is posted into the block, and copied from it
 * when it is there. Without a block MPI is given the memory itself.
 */
#include "exchange/state.h"

void
paulimpi__news(paulimpi_plan *plan)
{
    plan->n_events++;
    plan->last_news = 0.0;
}

static paulimpi__slot *
slot_of(paulimpi_plan *plan, const paulimpi__message *message, int64_t piece)
{
    return &plan->slot[message->slot + piece % message->n_slots];
}

static int64_t
bytes_of(const paulimpi_plan *plan, const paulimpi__message *message,
         int64_t piece)
{
    return paulimpi__piece_bytes(&plan->format, message->layout.bytes, piece);
}

static int64_t
place_of(const paulimpi_plan *plan, int64_t piece)
{
    return piece * plan->format.piece;
}

/* Ends of pieces and of messages. */

static void
release(paulimpi_plan *plan, paulimpi__slot *slot)
{
    const paulimpi__message *message = &plan->message[slot->message];
    paulimpi__share *share = paulimpi__share_of(plan, message);

    if (share->is_shared && !message->is_whole && slot->block != NULL) {
        share->free[share->n_free++] = slot->block;
        slot->block = NULL;
    }
    slot->state = PAULIMPI__SLOT_FREE;
}

static void
count_done(paulimpi_plan *plan, paulimpi__message *message)
{
    paulimpi__news(plan);
    if (!message->is_dead && ++message->done == message->pieces) {
        plan->n_left--;
    }
}

static void
count_posted(paulimpi_plan *plan, paulimpi__message *message)
{
    paulimpi__news(plan);
    if (++message->posted == message->pieces) {
        plan->n_unposted--;
    }
}

/* MPI refuses the message for good. */
static void
bury(paulimpi_plan *plan, paulimpi__message *message)
{
    message->is_dead = 1;
    plan->n_unposted--;
    plan->n_left--;
    paulimpi__news(plan);
}

/* A piece could not be posted: the message is given a second chance, so that
 * the other rank need not wait for it. */
static void
fail_to_post(paulimpi_plan *plan, paulimpi__message *message, int rc)
{
    if (plan->rc == PAULIMPI_SUCCESS) {
        paulimpi__fail(plan, rc);
    } else {
        bury(plan, message);
    }
}

/* Copies on a device. */

/* Whether the copy of a slot is complete; on failure it counts as complete, as
 * there is nothing more to wait for. */
static int
is_copied(paulimpi_plan *plan, paulimpi__slot *slot)
{
    int is_done = 1;
    int rc;

    if (slot->event == NULL || slot->is_void) {
        return 1;
    }
    rc = paulimpi_event_test(slot->event, &is_done);
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi__fail(plan, rc);
        slot->is_void = 1;
        return 1;
    }
    return is_done;
}

static paulimpi_stream
stream_of(const paulimpi_plan *plan, const paulimpi__message *message)
{
    if (message->lane < 0) {
        return NULL;
    }
    return message->is_receive ? plan->lane[message->lane].in
                               : plan->lane[message->lane].out;
}

/* A bounce is counted besides the copy that it is. */
void
paulimpi__count_passage(const paulimpi__message *message, int64_t bytes)
{
    int block =
        message->in_ring ? PAULIMPI_MEMORY_DEVICE : PAULIMPI_MEMORY_PINNED;
    int kind = message->kind;

    if (message->path == PAULIMPI__PATH_PACKED) {
        paulimpi__count(PAULIMPI_COUNT_PACK, bytes);
    } else if (message->path == PAULIMPI__PATH_BOUNCED) {
        paulimpi__count(PAULIMPI_COUNT_BOUNCE, bytes);
        kind = PAULIMPI_MEMORY_DEVICE;
    }
    if (message->is_receive) {
        paulimpi__count_copy(kind, block, bytes);
    } else {
        paulimpi__count_copy(block, kind, bytes);
    }
}

/* Mark the end of a copy, so that is_copied() can tell. */
static int
mark_copy(const paulimpi_plan *plan, const paulimpi__message *message,
          paulimpi__slot *slot)
{
    return slot->event == NULL
               ? PAULIMPI_SUCCESS
               : paulimpi_event_record(slot->event, stream_of(plan, message));
}

/* Beginnings of pieces. */

/* Whether two messages could be mistaken for each other by MPI. */
static int
is_alike(const paulimpi__message *one, const paulimpi__message *two)
{
    return one->is_receive == two->is_receive && one->tag == two->tag
           && (one->peer == two->peer || one->peer == PAULIMPI_PEER_ANY
               || two->peer == PAULIMPI_PEER_ANY);
}

static int
is_posted(const paulimpi__message *message)
{
    return message->is_dead || message->posted == message->pieces;
}

/* Whether a plan that was started earlier has a message to post that must come
 * before. */
static int
is_behind(const paulimpi_plan *plan, const paulimpi__message *message)
{
    const paulimpi_plan *each;
    int i;

    for (each = plan->kept->under_way; each != plan && each != NULL;
         each = each->next_under_way) {
        for (i = 0; i < each->n_messages && each->n_unposted > 0; i++) {
            const paulimpi__message *other = &each->message[i];

            if (paulimpi__leaves(other) && !is_posted(other)
                && ((each->is_apart == plan->is_apart
                     && is_alike(message, other))
                    || (plan->transport->is_ordered
                        && each->transport->is_ordered))) {
                return 1;
            }
        }
    }
    return 0;
}

/* Whether it is the turn of a message. */
static int
is_next(const paulimpi_plan *plan, const paulimpi__message *message)
{
    if (message->begun > 0) {
        return 1;
    }
    return (message->before < 0 || is_posted(&plan->message[message->before]))
           && (plan->kept->under_way == plan || !is_behind(plan, message));
}

/* Give a slot the block that it needs, if there is one. */
static int
has_block(paulimpi_plan *plan, const paulimpi__message *message,
          paulimpi__slot *slot)
{
    paulimpi__share *share = paulimpi__share_of(plan, message);

    if (!paulimpi__has_block(message) || slot->block != NULL) {
        return 1;
    }
    if (share->is_closed || share->n_free == 0) {
        return 0;
    }
    slot->block = share->free[--share->n_free];
    return 1;
}

/* Take a slot for the next piece of a message; NULL if that has to wait. */
static paulimpi__slot *
take_slot(paulimpi_plan *plan, const paulimpi__message *message)
{
    paulimpi__slot *slot = slot_of(plan, message, message->begun);

    if (slot->state != PAULIMPI__SLOT_FREE || !is_next(plan, message)
        || !has_block(plan, message, slot)) {
        return NULL;
    }
    slot->piece = message->begun;
    slot->is_void = plan->is_void && !message->is_receive;
    slot->is_counted = 0;
    return slot;
}

static paulimpi__post
post_of(const paulimpi_plan *plan, const paulimpi__message *message,
        const paulimpi__slot *slot)
{
    paulimpi__post post = { slot->block, bytes_of(plan, message, slot->piece),
                            message->peer, message->tag, slot->is_void };

    if (slot->block == NULL && post.bytes > 0) {
        post.address = message->layout.base + place_of(plan, slot->piece);
    }
    if (slot->is_void) {
        post.bytes = 0;
    }
    return post;
}

/* Sends. */

/* Begin to copy a piece to its block. Where that fails an empty message will
 * go in its place, so that the other rank need not wait for ever. */
static void
fill(paulimpi_plan *plan, const paulimpi__message *message,
     paulimpi__slot *slot)
{
    int64_t bytes = bytes_of(plan, message, slot->piece);
    int rc;

    slot->state = PAULIMPI__SLOT_FILLING;
    if (!paulimpi__has_block(message) || slot->is_void) {
        return;
    }
    rc = paulimpi__pack(&message->layout, message->copier,
                        place_of(plan, slot->piece), bytes, slot->block,
                        stream_of(plan, message));
    if (rc == PAULIMPI_SUCCESS) {
        paulimpi__count_passage(message, bytes);
        rc = mark_copy(plan, message, slot);
    }
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi__fail(plan, rc);
        slot->is_void = 1;
    }
}

static void
post_filled(paulimpi_plan *plan, paulimpi__message *message)
{
    while (message->posted < message->begun && !message->is_dead) {
        paulimpi__slot *slot = slot_of(plan, message, message->posted);
        paulimpi__post post;
        int rc;

        if (!is_copied(plan, slot)) {
            return;
        }
        post = post_of(plan, message, slot);
        rc =
            plan->transport->send(plan->wire, (int)(slot - plan->slot), &post);
        if (rc != PAULIMPI_SUCCESS) {
            fail_to_post(plan, message, rc);
            return;
        }
        paulimpi__count(paulimpi__is_given_device(message)
                            ? PAULIMPI_COUNT_MPI_DEVICE
                            : PAULIMPI_COUNT_MPI_HOST,
                        post.bytes);
        slot->state = PAULIMPI__SLOT_POSTED;
        count_posted(plan, message);
    }
}

static void
advance_send(paulimpi_plan *plan, paulimpi__message *message)
{
    while (message->begun < message->pieces
           && (plan->is_ready || message->lane >= 0)) {
        paulimpi__slot *slot = take_slot(plan, message);

        if (slot == NULL) {
            break;
        }
        fill(plan, message, slot);
        message->begun++;
    }
    post_filled(plan, message);
}

/* Receives. */

static void
post_receives(paulimpi_plan *plan, paulimpi__message *message)
{
    while (message->begun < message->pieces
           && (plan->is_ready || paulimpi__has_block(message))) {
        paulimpi__slot *slot = take_slot(plan, message);
        paulimpi__post post;
        int rc;

        if (slot == NULL) {
            return;
        }
        post = post_of(plan, message, slot);
        rc = plan->transport->receive(plan->wire, (int)(slot - plan->slot),
                                      &post);
        if (rc != PAULIMPI_SUCCESS) {
            release(plan, slot);
            fail_to_post(plan, message, rc);
            return;
        }
        slot->state = PAULIMPI__SLOT_POSTED;
        message->begun++;
        count_posted(plan, message);
    }
}

/* Begin to copy what has arrived to its place. */
static void
empty(paulimpi_plan *plan, paulimpi__message *message, paulimpi__slot *slot)
{
    int rc = paulimpi__unpack(&message->layout, message->copier,
                              place_of(plan, slot->piece), slot->bytes,
                              slot->block, stream_of(plan, message));

    if (rc == PAULIMPI_SUCCESS) {
        paulimpi__count_passage(message, slot->bytes);
        rc = mark_copy(plan, message, slot);
    }
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi__fail(plan, rc);
        slot->is_void = 1;
    }
    slot->state = PAULIMPI__SLOT_EMPTYING;
    if (plan->has_before_stream && slot->event != NULL) {
        /* The stream waits instead of this rank. */
        slot->is_counted = 1;
        plan->n_loose++;
        count_done(plan, message);
    }
}

static void
advance_slot(paulimpi_plan *plan, paulimpi__message *message,
             paulimpi__slot *slot)
{
    if (slot->state == PAULIMPI__SLOT_ARRIVED
        && (plan->is_ready || message->lane >= 0)) {
        empty(plan, message, slot);
    }
    if (slot->state == PAULIMPI__SLOT_EMPTYING && !slot->is_counted
        && is_copied(plan, slot)) {
        release(plan, slot);
        count_done(plan, message);
    }
}

static void
advance_receive(paulimpi_plan *plan, paulimpi__message *message)
{
    int i;

    for (i = 0; i < message->n_slots && paulimpi__has_block(message); i++) {
        advance_slot(plan, message, &plan->slot[message->slot + i]);
    }
    post_receives(plan, message);
}

/* Messages of this rank to itself. */

static void
begin_self(paulimpi_plan *plan, paulimpi__message *message)
{
    int rc = paulimpi__self_copy(plan, message);

    message->begun = 1;
    if (message->lane < 0) {
        count_done(plan, message);
    } else {
        paulimpi__slot *slot = &plan->slot[message->slot];

        if (rc == PAULIMPI_SUCCESS) {
            rc = mark_copy(plan, message, slot);
        }
        slot->is_void = rc != PAULIMPI_SUCCESS;
        slot->is_counted = 0;
        slot->state = PAULIMPI__SLOT_EMPTYING;
        plan->self_is_busy |= paulimpi__self_needs_block(plan, message);
    }
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi__fail(plan, rc);
    }
}

/* Copies on devices may share the block only one after the other. */
static int
may_begin_self(const paulimpi_plan *plan, const paulimpi__message *message)
{
    const paulimpi__message *send = &plan->message[message->partner];
    int touches_host = send->kind <= PAULIMPI_MEMORY_PINNED
                       || message->kind <= PAULIMPI_MEMORY_PINNED;

    return (plan->is_ready || !touches_host)
           && !(plan->self_is_busy
                && paulimpi__self_needs_block(plan, message));
}

static void
advance_self(paulimpi_plan *plan, paulimpi__message *message)
{
    if (message->begun == 0 && may_begin_self(plan, message)) {
        begin_self(plan, message);
    }
    if (message->begun == 1 && message->lane >= 0) {
        advance_slot(plan, message, &plan->slot[message->slot]);
        if (message->done == 1 && paulimpi__self_needs_block(plan, message)) {
            plan->self_is_busy = 0;
        }
    }
}

/* What the transport tells. */

static void
note_arrival(paulimpi_plan *plan, paulimpi__message *message,
             const paulimpi__completion *done, int64_t bytes)
{
    message->came += bytes;
    if (plan->arrivals != NULL) {
        plan->arrivals[message->index] =
            (paulimpi_arrival){ done->peer, done->tag, message->came };
    }
}

static void
complete_receive(paulimpi_plan *plan, paulimpi__message *message,
                 paulimpi__slot *slot, const paulimpi__completion *done)
{
    int64_t want = bytes_of(plan, message, slot->piece);
    int is_cut = done->is_cut || done->bytes > want;
    int64_t came = is_cut ? 0 : done->bytes; /* MPI may have put nothing */

    if (done->rc == PAULIMPI_SUCCESS) {
        note_arrival(plan, message, done, came);
        if (came != want || is_cut) {
            paulimpi__fail_length(plan, message, want, done);
        }
    }
    if (slot->block == NULL || done->rc != PAULIMPI_SUCCESS
        || message->is_dead) {
        release(plan, slot);
        count_done(plan, message);
        return;
    }
    slot->bytes = came;
    slot->state = PAULIMPI__SLOT_ARRIVED;
    advance_slot(plan, message, slot);
}

void
paulimpi__step_complete(paulimpi_plan *plan, int n,
                        const paulimpi__completion *done)
{
    int i;

    for (i = 0; i < n; i++) {
        paulimpi__slot *slot = &plan->slot[done[i].slot];
        paulimpi__message *message = &plan->message[slot->message];

        if (done[i].rc != PAULIMPI_SUCCESS) {
            paulimpi__fail(plan, done[i].rc);
        }
        if (message->is_receive) {
            complete_receive(plan, message, slot, &done[i]);
        } else {
            release(plan, slot);
            count_done(plan, message);
        }
    }
}

/* Slots whose last copy nobody waits for. */
static void
settle(paulimpi_plan *plan)
{
    int i;

    for (i = 0; i < plan->n_slots && plan->n_loose > 0; i++) {
        paulimpi__slot *slot = &plan->slot[i];

        if (slot->state == PAULIMPI__SLOT_EMPTYING && slot->is_counted
            && is_copied(plan, slot)) {
            release(plan, slot);
            plan->n_loose--;
        }
    }
}

static void
look_whether_ready(paulimpi_plan *plan)
{
    int is_done = 0;
    int rc;

    if (!plan->is_ready) {
        rc = paulimpi_event_test(plan->after, &is_done);
        if (rc != PAULIMPI_SUCCESS) {
            paulimpi__fail(plan, rc);
            plan->is_void = 1;
        }
        plan->is_ready = is_done || rc != PAULIMPI_SUCCESS;
        if (plan->is_ready) {
            paulimpi__news(plan);
        }
    }
}

static void
hear(paulimpi_plan *plan)
{
    int n = 0;
    int rc;

    if (plan->wire != NULL) {
        rc = plan->transport->test(plan->wire, &n, plan->completion);
        if (rc != PAULIMPI_SUCCESS) {
            paulimpi__fail(plan, rc);
        }
        paulimpi__step_complete(plan, n, plan->completion);
    }
}

void
paulimpi__step(paulimpi_plan *plan)
{
    int i;

    hear(plan);
    look_whether_ready(plan);
    settle(plan);
    for (i = 0; i < PAULIMPI__SHARES; i++) {
        plan->share[i].is_closed = 0;
    }
    for (i = 0; i < plan->n_messages; i++) {
        paulimpi__message *message = &plan->message[plan->order[i]];

        if (message->done == message->pieces || message->is_dead) {
            continue;
        }
        if (message->path == PAULIMPI__PATH_SELF) {
            advance_self(plan, message);
        } else if (message->is_receive) {
            advance_receive(plan, message);
        } else {
            advance_send(plan, message);
        }
        if (message->begun < message->pieces && paulimpi__has_block(message)
            && !message->is_whole) {
            paulimpi__share_of(plan, message)->is_closed = 1;
        }
    }
}
