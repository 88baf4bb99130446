/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reductions, in the order of the ranks. Each rank reduces a part of the
 * elements: it gets that part from all others, and the results go to whom they
 * are for. This happens a stretch of the elements at a time, so that the parts
 * of all ranks fit into memory of a fixed size. A few elements go to all ranks
 * at once, each of which does the same arithmetic.
 */
#include <string.h>

#include "comm/comm.h"
#include "exchange/collective.h"

enum { MOST_AT_ONCE = 1 << 16 };

typedef struct {
    const char *send;
    char *receive;
    int64_t count;
    int type;
    int op;
    int root;
    int is_for_all;
    int64_t element;
    int rank;
    int size;
    char *room;    /* the elements of all ranks */
    int64_t part;  /* elements of a part */
    int64_t begin; /* of the stretch */
} reduction;

static int
gets_result(const reduction *all, int rank)
{
    return all->is_for_all || all->root == rank;
}

/* Bytes of the elements of the stretch that a rank reduces, -1 for none. */
static int64_t
bytes_of(const reduction *all, int rank)
{
    int64_t left = all->count - all->begin - all->part * rank;

    return left <= 0 ? -1
                     : (left < all->part ? left : all->part) * all->element;
}

/* These elements in a buffer of all. */
static paulimpi__part
part_in(const reduction *all, const char *base, int rank)
{
    int64_t bytes = bytes_of(all, rank);
    int64_t begin = (all->begin + all->part * rank) * all->element;

    return (paulimpi__part){ bytes < 0 ? NULL : (char *)base + begin, bytes };
}

static void
collect(const void *plan, int peer, paulimpi__part *send,
        paulimpi__part *receive)
{
    const reduction *all = plan;

    *send = part_in(all, all->send, peer);
    *receive = (paulimpi__part){ all->room + peer * all->part * all->element,
                                 bytes_of(all, all->rank) };
}

static void
deliver(const void *plan, int peer, paulimpi__part *send,
        paulimpi__part *receive)
{
    const reduction *all = plan;
    const paulimpi__part none = { NULL, -1 };

    *send = none;
    *receive = none;
    if (gets_result(all, peer)) {
        *send = (paulimpi__part){ all->room, bytes_of(all, all->rank) };
    }
    if (gets_result(all, all->rank)) {
        *receive = part_in(all, all->receive, peer);
    }
}

/* Reduce n elements of each rank, which begin so many bytes from each other,
 * into the first. */
static void
combine(const reduction *all, int64_t n, int64_t distance)
{
    int i;

    for (i = 1; i < all->size; i++) {
        paulimpi__reduce_into(all->type, all->op, n, all->room,
                              all->room + i * distance);
    }
}

static int
reduce_stretches(paulimpi__joint *joint, reduction *all)
{
    int rc = PAULIMPI_SUCCESS;

    for (all->begin = 0; all->begin < all->count;
         all->begin += all->part * all->size) {
        int64_t n = bytes_of(all, all->rank);

        rc = paulimpi__joint_move(joint, rc, collect, all);
        if (rc == PAULIMPI_SUCCESS && n > 0) {
            combine(all, n / all->element, all->part * all->element);
        }
        rc = paulimpi__joint_move(joint, rc, deliver, all);
    }
    return rc;
}

/* All elements of this rank are in the room, behind those of all. */
static int
reduce_at_once(paulimpi__joint *joint, const reduction *all)
{
    int64_t bytes = all->count * all->element;
    int rc = paulimpi__gather_bytes(joint->ctx, joint->function,
                                    all->room + all->size * bytes, bytes,
                                    all->room);

    if (rc != PAULIMPI_SUCCESS || !gets_result(all, all->rank)) {
        return rc;
    }
    combine(all, all->count, bytes);
    return paulimpi__joint_copy(joint, all->receive, all->room, bytes);
}

static int
is_small(const reduction *all)
{
    return all->count * all->element <= MOST_AT_ONCE / all->size;
}

/* Elements of a part of a stretch, the same on all ranks. */
static int64_t
choose_part(const reduction *all)
{
    int64_t piece = INT64_C(4) << 20;
    int64_t part;

    (void)paulimpi__env_int64("PAULIMPI_TEST_PIECE_BYTES", 1, piece, &piece);
    part = 2 * piece / all->size / all->element;
    return part > 0 ? part : 1;
}

static int
make_room(paulimpi__joint *joint, reduction *all)
{
    int64_t bytes;

    all->part = is_small(all) ? all->count : choose_part(all);
    bytes = (all->size + is_small(all)) * all->part * all->element;
    all->room = paulimpi__alloc((size_t)bytes, 1);
    if (all->room == NULL) {
        return paulimpi__no_memory(joint->function, (size_t)bytes);
    }
    if (!is_small(all)) {
        return PAULIMPI_SUCCESS;
    }
    bytes = all->count * all->element;
    return paulimpi__joint_copy(joint, all->room + all->size * bytes,
                                all->send, bytes);
}

static int
check_operation(const paulimpi__joint *joint, const reduction *all)
{
    if (paulimpi__reduces(all->type, all->op)) {
        return PAULIMPI_SUCCESS;
    }
    return paulimpi__error(
        PAULIMPI_ERR_ARGUMENT, "%s: op is %d, which is no reduction of %s",
        joint->function, all->op, paulimpi_type_name(all->type));
}

/* Two buffers, as parts for the check of overlaps. */
static void
both(const void *plan, int peer, paulimpi__part *send, paulimpi__part *receive)
{
    const reduction *all = plan;
    int64_t bytes = peer == 0 && all->send != all->receive
                        ? all->count * all->element
                        : -1;

    *send = (paulimpi__part){ (char *)all->send, bytes };
    *receive = (paulimpi__part){ all->receive,
                                 gets_result(all, all->rank) ? bytes : -1 };
}

static int
check_buffers(paulimpi__joint *joint, const void *send, reduction *all)
{
    int64_t bytes = paulimpi__joint_bytes(joint, "count", all->count);
    int rc = bytes < 0 ? (int)bytes : PAULIMPI_SUCCESS;

    if (rc == PAULIMPI_SUCCESS && send == PAULIMPI_IN_PLACE
        && !gets_result(all, all->rank)) {
        rc = paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                             "%s: send is PAULIMPI_IN_PLACE, but this rank is "
                             "not the root",
                             joint->function);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__joint_buffer(joint, "send", send, bytes);
    }
    if (rc == PAULIMPI_SUCCESS && gets_result(all, all->rank)) {
        rc = paulimpi__joint_buffer(joint, "receive", all->receive, bytes);
    }
    all->send = send == PAULIMPI_IN_PLACE ? all->receive : send;
    return rc == PAULIMPI_SUCCESS ? paulimpi__joint_overlap(joint, both, all)
                                  : rc;
}

static int
check_all(paulimpi__joint *joint, const void *send, reduction *all)
{
    int rc = check_operation(joint, all);

    all->element = joint->element;
    if (rc == PAULIMPI_SUCCESS && !all->is_for_all) {
        rc = paulimpi__joint_root(joint, all->root);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = check_buffers(joint, send, all);
    }
    return rc == PAULIMPI_SUCCESS ? make_room(joint, all) : rc;
}

static int
reduce(paulimpi_context *ctx, const char *function, const void *send,
       const paulimpi_exchange_options *options, reduction *all)
{
    const int64_t said[4] = { all->count, all->type, all->op,
                              all->is_for_all ? 0 : all->root };
    paulimpi__joint joint;
    int rc = paulimpi__joint_begin(&joint, ctx, function, send, all->receive);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    all->rank = joint.rank;
    all->size = joint.size;
    rc = paulimpi__joint_read(&joint, options, all->type);

    /* Results go from memory of this call's own. */
    joint.options.before_stream = NULL;
    if (rc == PAULIMPI_SUCCESS) {
        rc = check_all(&joint, send, all);
    }
    rc = paulimpi__joint_agree(&joint, rc, 4, said);
    if (rc == PAULIMPI_SUCCESS) {
        rc = is_small(all) ? reduce_at_once(&joint, all)
                           : reduce_stretches(&joint, all);
        rc = paulimpi__joint_end(&joint, rc);
    }
    if (!joint.is_lost) {
        paulimpi__free(all->room);
    }
    return rc;
}

int
paulimpi_reduce(paulimpi_context *ctx, const void *send, void *receive,
                int64_t count, int type, int op, int root,
                const paulimpi_exchange_options *options)
{
    reduction all = { .receive = receive,
                      .count = count,
                      .type = type,
                      .op = op,
                      .root = root };

    return reduce(ctx, "paulimpi_reduce", send, options, &all);
}

int
paulimpi_allreduce(paulimpi_context *ctx, const void *send, void *receive,
                   int64_t count, int type, int op,
                   const paulimpi_exchange_options *options)
{
    reduction all = { .receive = receive,
                      .count = count,
                      .type = type,
                      .op = op,
                      .is_for_all = 1 };

    return reduce(ctx, "paulimpi_allreduce", send, options, &all);
}
