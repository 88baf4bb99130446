/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Broadcast. A few bytes go as a broadcast of MPI. Many are dealt out by the
 * root, a part to each rank, and then go from each to all others, so that no
 * rank sends more than twice the whole.
 */
#include <string.h>

#include "comm/comm.h"
#include "exchange/collective.h"

enum { MOST_AT_ONCE = 1 << 16, ROUND_TO = 64 };

typedef struct {
    char *data;
    int64_t bytes;
    int64_t each; /* bytes of a part, but for the last ones */
    int rank;
    int root;
} broadcast;

static paulimpi__part
part_of(const broadcast *all, int rank)
{
    int64_t begin = all->each * rank;
    int64_t left = all->bytes - begin;

    if (left <= 0) {
        return (paulimpi__part){ NULL, -1 };
    }
    return (paulimpi__part){ all->data + begin,
                             left < all->each ? left : all->each };
}

static void
deal(const void *plan, int peer, paulimpi__part *send, paulimpi__part *receive)
{
    const broadcast *all = plan;
    const paulimpi__part none = { NULL, -1 };
    int is_root = all->rank == all->root;

    *send = is_root && peer != all->root ? part_of(all, peer) : none;
    *receive = !is_root && peer == all->root ? part_of(all, all->rank) : none;
}

static void
spread(const void *plan, int peer, paulimpi__part *send,
       paulimpi__part *receive)
{
    const broadcast *all = plan;
    const paulimpi__part none = { NULL, -1 };

    *send = peer != all->rank && peer != all->root ? part_of(all, all->rank)
                                                   : none;
    *receive = peer != all->rank && all->rank != all->root ? part_of(all, peer)
                                                           : none;
}

static int
send_many(paulimpi__joint *joint, broadcast *all)
{
    paulimpi_stream before = joint->options.before_stream;
    int64_t each = (all->bytes + joint->size - 1) / joint->size;
    int rc;

    all->each = (each + ROUND_TO - 1) / ROUND_TO * ROUND_TO;

    /* What is dealt out must be there before it goes on. */
    joint->options.before_stream = NULL;
    rc = paulimpi__joint_move(joint, PAULIMPI_SUCCESS, deal, all);
    joint->options.before_stream = before;
    return paulimpi__joint_move(joint, rc, spread, all);
}

/* By way of room, which the root has filled. */
static int
send_few(paulimpi__joint *joint, const broadcast *all, void *room)
{
    int rc = paulimpi__share_bytes(joint->ctx, joint->function, all->root,
                                   room, all->bytes);

    if (rc != PAULIMPI_SUCCESS || all->rank == all->root) {
        return rc;
    }
    return paulimpi__joint_copy(joint, all->data, room, all->bytes);
}

/* Memory for a few bytes, with those of the root. */
static int
fill_room(paulimpi__joint *joint, const broadcast *all, void **room_p)
{
    if (all->bytes > MOST_AT_ONCE) {
        return PAULIMPI_SUCCESS;
    }
    *room_p = paulimpi__alloc((size_t)all->bytes, 1);
    if (*room_p == NULL) {
        return paulimpi__no_memory(joint->function, (size_t)all->bytes);
    }
    return all->rank == all->root
               ? paulimpi__joint_copy(joint, *room_p, all->data, all->bytes)
               : PAULIMPI_SUCCESS;
}

int
paulimpi_broadcast(paulimpi_context *ctx, void *data, int64_t count, int type,
                   int root, const paulimpi_exchange_options *options)
{
    const int64_t said[3] = { count, type, root };
    broadcast all = { data, 0, 0, 0, root };
    paulimpi__joint joint;
    void *room = NULL;
    int rc =
        paulimpi__joint_begin(&joint, ctx, "paulimpi_broadcast", data, NULL);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    all.rank = joint.rank;
    rc = paulimpi__joint_read(&joint, options, type);
    if (rc == PAULIMPI_SUCCESS) {
        all.bytes = paulimpi__joint_bytes(&joint, "count", count);
        rc = all.bytes < 0 ? (int)all.bytes : PAULIMPI_SUCCESS;
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__joint_root(&joint, root);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__joint_buffer(&joint, "data", data, all.bytes);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = fill_room(&joint, &all, &room);
    }
    rc = paulimpi__joint_agree(&joint, rc, 3, said);
    if (rc == PAULIMPI_SUCCESS && joint.size > 1) {
        rc = room != NULL ? send_few(&joint, &all, room)
                          : send_many(&joint, &all);
        rc = paulimpi__joint_end(&joint, rc);
    }
    paulimpi__free(room);
    return rc;
}
