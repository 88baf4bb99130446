/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages in memory of devices, by NCCL.
 *
 * NCCL knows no tags and no single messages: it does groups of them, one after
 * the other in a stream, which must hold on each rank what others expect of
 * it. So the messages of a plan are put down until all are there, which are a
 * group then. Groups take their turn in the order in which their plans were
 * started, which must be the same on all ranks.
 *
 * No call waits for another rank: the communicator is one that does not block,
 * and what it does is looked at from time to time. When something goes wrong
 * it is aborted, which ends what is under way on the device, and the other
 * ranks hear of it.
 */
#include "exchange/transport.h"

#include <nccl.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/comm.h"
#include "exchange/state.h"

/* Seconds that the end of a communicator may take before it is aborted. */
static const double patience = 5.0;
/* And its beginning, if the user has set no limit. */
static const double patience_at_start = 120.0;

/* What is kept with a context. */
typedef struct {
    int is_open;
    int device;
    ncclComm_t comm; /* NULL after it was aborted */
    paulimpi_stream stream;
    paulimpi__wire *queue; /* whose groups are not in the stream yet */
    char why[PAULIMPI__ERROR_TEXT / 2]; /* it was aborted */
} nccl;

enum {
    COLLECTING, /* posts, until all are there */
    QUEUED,
    LAUNCHING,
    RUNNING
};

struct paulimpi__wire {
    nccl *kept;
    paulimpi__wire *next; /* in the queue */
    int n_slots;
    int n_posts;
    int n_posted;
    int stage;
    int is_sorted;
    paulimpi_event end; /* of the group */
    struct entry {
        paulimpi__post post;
        int is_full;
        int is_send;
    } * entry; /* by slot */
    struct entry **order;
};

/* Errors. */

static int
fail(const char *function, const char *call, ncclResult_t code,
     ncclComm_t comm)
{
    const char *more = comm == NULL ? "" : ncclGetLastError(comm);

    if (code == ncclSuccess || code == ncclInProgress) {
        return PAULIMPI_SUCCESS;
    }
    return paulimpi__error(PAULIMPI_ERR_DEVICE, "%s: %s failed: %s%s%s",
                           function, call, ncclGetErrorString(code),
                           more == NULL || more[0] == '\0' ? "" : ": ",
                           more == NULL ? "" : more);
}

static void
abort_comm(nccl *kept)
{
    if (kept->comm != NULL) {
        (void)ncclCommAbort(kept->comm);
        kept->comm = NULL;
        kept->queue = NULL;
    }
}

static void
give_up(nccl *kept, const char *why)
{
    if (kept->comm != NULL) {
        snprintf(kept->why, sizeof kept->why, "%s", why);
        abort_comm(kept);
    }
}

static int
is_given_up(const nccl *kept)
{
    return paulimpi__error(PAULIMPI_ERR_DEVICE,
                           "NCCL was given up on this context: %s", kept->why);
}

/* The device of the communicator, for as long as it is needed. */
static int
enter(const nccl *kept)
{
    int before = paulimpi_device_current();

    if (before != kept->device) {
        (void)paulimpi_device_select(kept->device);
    }
    return before;
}

static void
leave(const nccl *kept, int before)
{
    if (before != kept->device && before >= 0) {
        (void)paulimpi_device_select(before);
    }
}

/* The communicator. */

static nccl *
find(const paulimpi_context *ctx)
{
    return paulimpi__context_kept_part(ctx, PAULIMPI__KEPT_TRANSPORT);
}

int
paulimpi__nccl_device(const paulimpi_context *ctx)
{
    const nccl *kept = find(ctx);

    return kept == NULL || !kept->is_open ? -1 : kept->device;
}

const char *
paulimpi__nccl_failure(const paulimpi_context *ctx)
{
    const nccl *kept = find(ctx);

    return kept == NULL || kept->why[0] == '\0' ? NULL : kept->why;
}

void
paulimpi__nccl_version(char text[PAULIMPI__NCCL_VERSION])
{
    int version = 0;

    (void)ncclGetVersion(&version);
    snprintf(text, PAULIMPI__NCCL_VERSION, "%d.%d.%d", version / 10000,
             version % 10000 / 100, version % 100);
}

/* Wait for what a communicator does, for so many seconds, 0: without limit. */
static int
settle(const char *function, const char *call, ncclComm_t comm, double limit)
{
    double begin = paulimpi__seconds();
    ncclResult_t state = ncclInProgress;
    ncclResult_t code = ncclSuccess;

    while (code == ncclSuccess && state == ncclInProgress) {
        code = ncclCommGetAsyncError(comm, &state);
        if (limit > 0.0 && paulimpi__seconds() - begin > limit) {
            return paulimpi__error(PAULIMPI_ERR_TIMEOUT,
                                   "%s: %s was not done after %g seconds",
                                   function, call, limit);
        }
        sched_yield();
    }
    return code != ncclSuccess
               ? fail(function, "ncclCommGetAsyncError", code, comm)
               : fail(function, call, state, comm);
}

static void
forget(void *data)
{
    nccl *kept = data;

    if (kept->comm != NULL) {
        ncclResult_t code = ncclCommFinalize(kept->comm);

        if (fail("NCCL", "ncclCommFinalize", code, NULL) == PAULIMPI_SUCCESS
            && settle("NCCL", "ncclCommFinalize", kept->comm, patience)
                   == PAULIMPI_SUCCESS) {
            (void)ncclCommDestroy(kept->comm);
        } else {
            give_up(kept, "the end");
        }
    }
    paulimpi_stream_destroy(&kept->stream);
    paulimpi__free(kept);
}

/* NCCL refuses two ranks on one device, and says little. Collective. */
static int
check_devices(const char *function, paulimpi_context *ctx, int device)
{
    size_t n = (size_t)paulimpi_context_size(ctx);
    paulimpi_device_uuid *all = paulimpi__alloc(n, sizeof *all);
    paulimpi_device_uuid own;
    size_t i, j;
    int rc = all == NULL ? paulimpi__no_memory(function, n * sizeof *all)
                         : paulimpi_device_identify(device, &own);

    rc = paulimpi__agree(ctx, rc);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__gather_bytes(ctx, function, &own, sizeof own, all);
    }
    for (i = 0; i < n && rc == PAULIMPI_SUCCESS; i++) {
        for (j = 0; j < i && rc == PAULIMPI_SUCCESS; j++) {
            if (memcmp(&all[i], &all[j], sizeof own) == 0) {
                rc = paulimpi__error(PAULIMPI_ERR_UNSUPPORTED,
                                     "%s: ranks %zu and %zu use the same "
                                     "device, which NCCL refuses",
                                     function, j, i);
            }
        }
    }
    paulimpi__free(all);
    return rc;
}

/* The number by which ranks find each other. Collective. */
static int
share_id(const char *function, paulimpi_context *ctx, ncclUniqueId *id)
{
    int rc = PAULIMPI_SUCCESS;

    memset(id, 0, sizeof *id);
    if (paulimpi_context_rank(ctx) == 0) {
        rc = fail(function, "ncclGetUniqueId", ncclGetUniqueId(id), NULL);
    }
    rc = paulimpi__agree(ctx, rc);
    return rc != PAULIMPI_SUCCESS
               ? rc
               : paulimpi__share_bytes(ctx, function, 0, id, sizeof *id);
}

/* Begin to make a communicator, which waits for nobody. */
static int
begin_comm(const char *function, paulimpi_context *ctx, nccl *kept,
           const ncclUniqueId *id)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    int rc = paulimpi_stream_create(&kept->stream);

    config.blocking = 0;
    return rc == PAULIMPI_SUCCESS
               ? fail(function, "ncclCommInitRankConfig",
                      ncclCommInitRankConfig(
                          &kept->comm, paulimpi_context_size(ctx), *id,
                          paulimpi_context_rank(ctx), &config),
                      NULL)
               : rc;
}

/* Make a communicator. No rank waits for one that could not begin.
 * Collective. */
static int
make_comm(const char *function, paulimpi_context *ctx, nccl *kept,
          const ncclUniqueId *id)
{
    double limit = 0.0;
    int rc = paulimpi__timeout_read(function, &limit);

    if (rc == PAULIMPI_SUCCESS) {
        rc = begin_comm(function, ctx, kept, id);
    }
    rc = paulimpi__agree(ctx, rc);
    if (rc == PAULIMPI_SUCCESS) {
        rc = settle(function, "ncclCommInitRankConfig", kept->comm,
                    limit > 0.0 ? limit : patience_at_start);
    }
    return paulimpi__agree(ctx, rc);
}

int
paulimpi__nccl_open(const char *function, paulimpi_context *ctx)
{
    nccl *kept = find(ctx);
    ncclUniqueId id;
    int rc;

    if (kept != NULL && kept->is_open) {
        return PAULIMPI_SUCCESS;
    }
    if (kept == NULL) {
        kept = paulimpi__alloc_zero(1, sizeof *kept);
        if (kept != NULL) {
            paulimpi__context_keep_part(ctx, PAULIMPI__KEPT_TRANSPORT, kept,
                                        forget);
        }
    }
    rc = paulimpi__agree(ctx, kept == NULL
                                  ? paulimpi__no_memory(function, sizeof *kept)
                                  : PAULIMPI_SUCCESS);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    kept->device = paulimpi_device_current();
    rc = check_devices(function, ctx, kept->device);
    if (rc == PAULIMPI_SUCCESS) {
        rc = share_id(function, ctx, &id);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = make_comm(function, ctx, kept, &id);
    }
    kept->is_open = rc == PAULIMPI_SUCCESS;
    if (rc != PAULIMPI_SUCCESS) {
        snprintf(kept->why, sizeof kept->why, "%s", paulimpi_last_error());
        abort_comm(kept);
        paulimpi_stream_destroy(&kept->stream);
    }
    return rc;
}

/* Wires. */

static void
leave_queue(paulimpi__wire *wire)
{
    paulimpi__wire **link = &wire->kept->queue;

    while (*link != NULL && *link != wire) {
        link = &(*link)->next;
    }
    if (*link != NULL) {
        *link = wire->next;
    }
}

static void
close_wire(paulimpi__wire *wire)
{
    if (wire != NULL) {
        if (wire->stage != COLLECTING) {
            give_up(wire->kept, "a plan ended while it was under way");
        }
        leave_queue(wire);
        paulimpi_event_destroy(&wire->end);
        paulimpi__free(wire->entry);
        paulimpi__free(wire->order);
        paulimpi__free(wire);
    }
}

static int
open_wire(paulimpi_context *ctx, int n_slots, int n_posts,
          paulimpi__wire **wire_p)
{
    paulimpi__wire *wire = paulimpi__alloc_zero(1, sizeof *wire);
    int before, rc;

    if (wire == NULL) {
        return paulimpi__no_memory("transport", sizeof *wire);
    }
    wire->kept = find(ctx);
    wire->n_slots = n_slots;
    wire->n_posts = n_posts;
    wire->entry = paulimpi__alloc_zero((size_t)n_slots, sizeof *wire->entry);
    wire->order = paulimpi__alloc((size_t)n_posts, sizeof *wire->order);
    if (wire->entry == NULL || wire->order == NULL) {
        close_wire(wire);
        return paulimpi__no_memory("transport",
                                   (size_t)n_slots * sizeof *wire->entry);
    }
    before = enter(wire->kept);
    rc = paulimpi_event_create(&wire->end);
    leave(wire->kept, before);
    if (rc != PAULIMPI_SUCCESS) {
        close_wire(wire);
        return rc;
    }
    *wire_p = wire;
    return PAULIMPI_SUCCESS;
}

/* The order of a group: by peer and tag, and then that of the slots, which is
 * that of the lists. So both ends of a pair of ranks name their messages in
 * the same order. */
static int
compare(const void *a, const void *b)
{
    const struct entry *one = *(struct entry *const *)a;
    const struct entry *two = *(struct entry *const *)b;

    if (one->post.peer != two->post.peer) {
        return one->post.peer < two->post.peer ? -1 : 1;
    }
    if (one->post.tag != two->post.tag) {
        return one->post.tag < two->post.tag ? -1 : 1;
    }
    return (one > two) - (one < two);
}

static void
sort(paulimpi__wire *wire)
{
    int n = 0;
    int i;

    for (i = 0; i < wire->n_slots && !wire->is_sorted; i++) {
        if (wire->entry[i].is_full) {
            wire->order[n++] = &wire->entry[i];
        }
    }
    if (!wire->is_sorted) {
        qsort(wire->order, (size_t)n, sizeof(struct entry *), compare);
        wire->is_sorted = 1;
    }
}

/* Messages without bytes need no carrier: both ends know of them. */
static ncclResult_t
give(const nccl *kept, const struct entry *it)
{
    size_t bytes = (size_t)it->post.bytes;

    if (bytes == 0) {
        return ncclSuccess;
    }
    return it->is_send ? ncclSend(it->post.address, bytes, ncclInt8,
                                  it->post.peer, kept->comm, kept->stream)
                       : ncclRecv(it->post.address, bytes, ncclInt8,
                                  it->post.peer, kept->comm, kept->stream);
}

static int
launch(paulimpi__wire *wire)
{
    const nccl *kept = wire->kept;
    ncclResult_t code = ncclGroupStart();
    ncclResult_t end;
    int i;

    if (code != ncclSuccess) {
        return fail("send and receive", "ncclGroupStart", code, kept->comm);
    }
    for (i = 0;
         i < wire->n_posts && (code == ncclSuccess || code == ncclInProgress);
         i++) {
        code = give(kept, wire->order[i]);
    }
    /* A group that was begun must be ended. */
    end = ncclGroupEnd();
    if (code == ncclSuccess || code == ncclInProgress) {
        code = end;
    }
    return fail("send and receive", "a group", code, kept->comm);
}

/* Push the first of the queue on; 1 if it is in the stream now. */
static int
push(paulimpi__wire *wire, int *rc_p)
{
    nccl *kept = wire->kept;
    ncclResult_t state = ncclSuccess;
    int before = enter(kept);

    if (wire->stage == QUEUED) {
        *rc_p = launch(wire);
        wire->stage = LAUNCHING;
    }
    if (*rc_p == PAULIMPI_SUCCESS) {
        *rc_p = fail("send and receive", "ncclCommGetAsyncError",
                     ncclCommGetAsyncError(kept->comm, &state), kept->comm);
    }
    if (*rc_p == PAULIMPI_SUCCESS) {
        *rc_p = fail("send and receive", "a group", state, kept->comm);
    }
    if (*rc_p == PAULIMPI_SUCCESS && state == ncclSuccess) {
        *rc_p = paulimpi_event_record(wire->end, kept->stream);
        wire->stage = RUNNING;
    }
    leave(kept, before);
    return *rc_p == PAULIMPI_SUCCESS && wire->stage == RUNNING;
}

static void
push_on(nccl *kept)
{
    int rc = PAULIMPI_SUCCESS;

    while (kept->queue != NULL && push(kept->queue, &rc)) {
        kept->queue = kept->queue->next;
    }
    if (rc != PAULIMPI_SUCCESS) {
        give_up(kept, paulimpi_last_error());
    }
}

static void
join_queue(paulimpi__wire *wire)
{
    paulimpi__wire **end = &wire->kept->queue;

    sort(wire);
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = wire;
    wire->next = NULL;
    wire->stage = QUEUED;
    push_on(wire->kept);
}

static int
put_down(paulimpi__wire *wire, int slot, const paulimpi__post *post,
         int is_send)
{
    if (post->is_void) {
        give_up(wire->kept, "the bytes of a send could not be had");
    }
    if (wire->kept->comm == NULL) {
        return is_given_up(wire->kept);
    }
    wire->entry[slot] = (struct entry){ *post, 1, is_send };
    if (++wire->n_posted == wire->n_posts) {
        join_queue(wire);
    }
    return PAULIMPI_SUCCESS;
}

static int
receive(paulimpi__wire *wire, int slot, const paulimpi__post *it)
{
    return put_down(wire, slot, it, 0);
}

static int
send(paulimpi__wire *wire, int slot, const paulimpi__post *it)
{
    return put_down(wire, slot, it, 1);
}

/* Tell of all that was posted, and begin anew. */
static int
tell(paulimpi__wire *wire, int rc, paulimpi__completion *done)
{
    int n = 0;
    int i;

    for (i = 0; i < wire->n_slots; i++) {
        struct entry *it = &wire->entry[i];

        if (it->is_full) {
            done[n++] = (paulimpi__completion){ .slot = i,
                                                .peer = it->post.peer,
                                                .tag = it->post.tag,
                                                .bytes = it->post.bytes,
                                                .rc = rc };
            it->is_full = 0;
        }
    }
    wire->n_posted = 0;
    wire->stage = COLLECTING;
    return n;
}

/* Whether the group is complete. An error of the communicator may concern any
 * group. */
static int
look(paulimpi__wire *wire, int *is_done_p)
{
    nccl *kept = wire->kept;
    ncclResult_t state = ncclSuccess;
    int rc = paulimpi_event_test(wire->end, is_done_p);

    if (rc == PAULIMPI_SUCCESS && !*is_done_p) {
        rc = fail("send and receive", "ncclCommGetAsyncError",
                  ncclCommGetAsyncError(kept->comm, &state), kept->comm);
        if (rc == PAULIMPI_SUCCESS) {
            rc = fail("send and receive", "a group", state, kept->comm);
        }
    }
    return rc;
}

static int
test(paulimpi__wire *wire, int *n_p, paulimpi__completion *done)
{
    nccl *kept = wire->kept;
    int is_done = 0;

    *n_p = 0;
    if (kept->comm != NULL) {
        push_on(kept);
    }
    if (kept->comm != NULL && wire->stage == RUNNING
        && look(wire, &is_done) != PAULIMPI_SUCCESS) {
        give_up(kept, paulimpi_last_error());
    }
    if (kept->comm == NULL && wire->n_posted > 0) {
        *n_p = tell(wire, is_given_up(kept), done);
    } else if (is_done) {
        *n_p = tell(wire, PAULIMPI_SUCCESS, done);
    }
    return PAULIMPI_SUCCESS;
}

/* One message cannot be given up without all others. */
static void
cancel(paulimpi__wire *wire, int slot)
{
    if (wire->entry[slot].is_full) {
        give_up(wire->kept, "a rank did not answer in time");
    }
}

static void
abandon(paulimpi__wire *wire, int slot)
{
    cancel(wire, slot);
    if (wire->entry[slot].is_full) {
        wire->entry[slot].is_full = 0;
        wire->n_posted--;
        wire->stage = COLLECTING;
    }
}

const paulimpi__transport paulimpi__transport_nccl = {
    .name = "NCCL",
    .is_ordered = 1,
    .open = open_wire,
    .close = close_wire,
    .receive = receive,
    .send = send,
    .test = test,
    .cancel = cancel,
    .abandon = abandon,
};
