/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collective operations that only move: to all and between all.
 */
#include "exchange/collective.h"

#include <stdio.h>

#include "comm/comm.h"

/* What every rank has for, or gets from, each other: bytes and where. */
typedef struct {
    char *base;
    int64_t *bytes;
    int64_t *offset;
} table;

typedef struct {
    table send;
    table receive;
    int rank;
    int is_in_place; /* nothing goes to the rank itself */
} traffic;

static void
parts_of(const void *plan, int peer, paulimpi__part *send,
         paulimpi__part *receive)
{
    const traffic *all = plan;

    if (all->is_in_place && peer == all->rank) {
        *send = (paulimpi__part){ NULL, -1 };
        *receive = *send;
        return;
    }
    *send = (paulimpi__part){ all->send.base + all->send.offset[peer],
                              all->send.bytes[peer] };
    *receive = (paulimpi__part){ all->receive.base + all->receive.offset[peer],
                                 all->receive.bytes[peer] };
}

/* NULL must not be counted from. */
static char *
base_of(const void *buffer)
{
    static char nothing;

    return buffer != NULL ? (char *)buffer : &nothing;
}

static int
make_table(const paulimpi__joint *joint, const void *base, table *t)
{
    size_t n = (size_t)joint->size;

    t->base = base_of(base);
    t->bytes = paulimpi__alloc_zero(n, sizeof *t->bytes);
    t->offset = paulimpi__alloc_zero(n, sizeof *t->offset);
    return t->bytes == NULL || t->offset == NULL
               ? paulimpi__no_memory(joint->function, n * sizeof *t->bytes)
               : PAULIMPI_SUCCESS;
}

static void
free_traffic(traffic *all)
{
    paulimpi__free(all->send.bytes);
    paulimpi__free(all->send.offset);
    paulimpi__free(all->receive.bytes);
    paulimpi__free(all->receive.offset);
}

/* Read one count and displacement; without displacements a part begins where
 * the one before ended. */
static int
read_entry(const paulimpi__joint *joint, const char *name, int i,
           int64_t count, const int64_t *displacements, table *t)
{
    char argument[64];
    int64_t bytes, offset;

    snprintf(argument, sizeof argument, "%s_counts[%d]", name, i);
    bytes = paulimpi__joint_bytes(joint, argument, count);
    if (bytes < 0) {
        return (int)bytes;
    }
    if (displacements != NULL) {
        snprintf(argument, sizeof argument, "%s_displacements[%d]", name, i);
        offset = paulimpi__joint_bytes(joint, argument, displacements[i]);
    } else {
        snprintf(argument, sizeof argument, "the sum of %s_counts", name);
        offset = i == 0 ? 0 : t->offset[i - 1] + t->bytes[i - 1];
        offset =
            paulimpi__joint_bytes(joint, argument, offset / joint->element);
    }
    if (offset < 0) {
        return (int)offset;
    }
    t->bytes[i] = bytes;
    t->offset[i] = offset;
    return PAULIMPI_SUCCESS;
}

static int
read_table(const paulimpi__joint *joint, const char *name,
           const int64_t *counts, const int64_t *displacements, table *t)
{
    char argument[64];
    int rc = PAULIMPI_SUCCESS;
    int i;

    if (counts == NULL) {
        snprintf(argument, sizeof argument, "%s_counts", name);
        return paulimpi__null(joint->function, argument);
    }
    for (i = 0; i < joint->size && rc == PAULIMPI_SUCCESS; i++) {
        rc = read_entry(joint, name, i, counts[i], displacements, t);
    }
    return rc;
}

/* Bytes of the largest part. */
static int64_t
largest(const paulimpi__joint *joint, const table *t)
{
    int64_t most = 0;
    int i;

    for (i = 0; i < joint->size; i++) {
        most = t->bytes[i] > most ? t->bytes[i] : most;
    }
    return most;
}

/* The counts of what others send, one number from each. */
typedef struct {
    const int64_t *given;
    int64_t *got;
} numbers;

static void
number_for(const void *plan, int peer, paulimpi__part *send,
           paulimpi__part *receive)
{
    const numbers *all = plan;

    *send = (paulimpi__part){ (void *)&all->given[peer], sizeof *all->given };
    *receive = (paulimpi__part){ &all->got[peer], sizeof *all->got };
}

static int
check_got(const paulimpi__joint *joint, const table *receive,
          const int64_t *got)
{
    int i;

    for (i = 0; i < joint->size; i++) {
        if (got[i] != receive->bytes[i]) {
            return paulimpi__error(
                PAULIMPI_ERR_MISMATCH,
                "%s: rank %d sends %lld elements to rank %d, which wants to "
                "receive %lld",
                joint->function, i, (long long)(got[i] / joint->element),
                joint->rank, (long long)(receive->bytes[i] / joint->element));
        }
    }
    return PAULIMPI_SUCCESS;
}

/* Compare what is sent with what is received, everywhere. rc is a failure so
 * far. */
static int
check_ends(paulimpi__joint *joint, int rc, const traffic *all)
{
    paulimpi_exchange_options options = joint->options;
    int64_t *got = paulimpi__alloc_zero((size_t)joint->size, sizeof *got);
    numbers counts = { all->is_in_place ? all->receive.bytes : all->send.bytes,
                       got };

    if (rc == PAULIMPI_SUCCESS && got == NULL) {
        rc = paulimpi__no_memory(joint->function,
                                 (size_t)joint->size * sizeof *got);
    }
    joint->options = (paulimpi_exchange_options)PAULIMPI_EXCHANGE_OPTIONS_INIT;
    rc = paulimpi__joint_move(joint, rc, number_for, &counts);
    joint->options = options;
    if (rc == PAULIMPI_SUCCESS) {
        rc = check_got(joint, &all->receive, got);
    }
    if (!joint->is_lost) {
        paulimpi__free(got);
    }
    return paulimpi__joint_end(joint, rc);
}

/* In place. */

/* Bytes of a piece of an exchange in place. */
static int64_t
piece_of_copy(int64_t element)
{
    int64_t piece = INT64_C(4) << 20;

    (void)paulimpi__env_int64("PAULIMPI_TEST_PIECE_BYTES", 1, piece, &piece);
    return piece < element ? element : piece;
}

/* A part of what is exchanged with a peer, from begin on. */
static paulimpi__part
piece_from(const table *t, int peer, int64_t begin, int64_t most)
{
    int64_t left = t->bytes[peer] - begin;

    return left <= 0 ? (paulimpi__part){ NULL, -1 }
                     : (paulimpi__part){ t->base + t->offset[peer] + begin,
                                         left < most ? left : most };
}

/* Exchange with one peer after the other, piece by piece: a copy of the piece
 * is what is sent. */
static int
swap_all(paulimpi__joint *joint, const traffic *all, char *room, int64_t most,
         int64_t n_pieces)
{
    const paulimpi__part none = { NULL, -1 };
    int rc = PAULIMPI_SUCCESS;
    int64_t i;
    int round;

    for (round = 0; round < joint->size; round++) {
        int peer = (round - joint->rank + joint->size) % joint->size;

        for (i = 0; i < n_pieces; i++) {
            paulimpi__part mine =
                piece_from(&all->receive, peer, i * most, most);
            paulimpi__part copy = { room, mine.bytes };
            int is_other = peer != joint->rank && mine.bytes > 0;

            rc = paulimpi__joint_swap(joint, rc, is_other ? joint->rank : -1,
                                      mine, copy);
            rc = paulimpi__joint_swap(joint, rc, is_other ? peer : -1,
                                      is_other ? copy : none,
                                      is_other ? mine : none);
        }
    }
    return rc;
}

static int
move_in_place(paulimpi__joint *joint, const traffic *all)
{
    int64_t most = piece_of_copy(joint->element);
    int64_t n_pieces = 0;
    char *room = paulimpi__alloc((size_t)most, 1);
    int rc = PAULIMPI_SUCCESS;
    int i;

    for (i = 0; i < joint->size; i++) {
        int64_t n = (all->receive.bytes[i] + most - 1) / most;

        n_pieces = n > n_pieces && i != joint->rank ? n : n_pieces;
    }
    if (room == NULL) {
        rc = paulimpi__no_memory(joint->function, (size_t)most);
    }
    rc = paulimpi__joint_end(joint, rc);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__reduce_int64(joint->ctx, joint->function, PAULIMPI__MAX,
                                    1, &n_pieces);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = swap_all(joint, all, room, most, n_pieces);
    }
    if (!joint->is_lost) {
        paulimpi__free(room);
    }
    return rc;
}

/* What this rank can see of an exchange between all. */
static int
check_alltoallv(paulimpi__joint *joint, const void *send, const void *receive,
                traffic *all)
{
    int rc = all->is_in_place
                 ? PAULIMPI_SUCCESS
                 : paulimpi__joint_buffer(joint, "send", send,
                                          largest(joint, &all->send));

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__joint_buffer(joint, "receive", receive,
                                    largest(joint, &all->receive));
    }
    return rc == PAULIMPI_SUCCESS
               ? paulimpi__joint_overlap(joint, parts_of, all)
               : rc;
}

/* Read what all of these operations have. */
static int
read_all(paulimpi__joint *joint, const paulimpi_exchange_options *options,
         int type, const void *send, const void *receive, traffic *all)
{
    int rc = paulimpi__joint_read(joint, options, type);

    all->rank = joint->rank;
    if (rc == PAULIMPI_SUCCESS) {
        rc = make_table(joint, send, &all->send);
    }
    return rc == PAULIMPI_SUCCESS ? make_table(joint, receive, &all->receive)
                                  : rc;
}

/* The ranks have agreed on it. */
static int
act(paulimpi__joint *joint, const traffic *all)
{
    int rc = all->is_in_place ? move_in_place(joint, all)
                              : paulimpi__joint_move(joint, PAULIMPI_SUCCESS,
                                                     parts_of, all);

    return paulimpi__joint_end(joint, rc);
}

int
paulimpi_alltoallv(paulimpi_context *ctx, const void *send,
                   const int64_t *send_counts,
                   const int64_t *send_displacements, int type, void *receive,
                   const int64_t *receive_counts,
                   const int64_t *receive_displacements,
                   const paulimpi_exchange_options *options)
{
    paulimpi__joint joint;
    traffic all = { { 0 }, { 0 }, 0, send == PAULIMPI_IN_PLACE };
    int64_t said[2];
    int rc = paulimpi__joint_begin(&joint, ctx, "paulimpi_alltoallv", send,
                                   receive);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    all.rank = joint.rank;
    rc = read_all(&joint, options, type, send, receive, &all);
    if (rc == PAULIMPI_SUCCESS && !all.is_in_place) {
        rc = read_table(&joint, "send", send_counts, send_displacements,
                        &all.send);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = read_table(&joint, "receive", receive_counts,
                        receive_displacements, &all.receive);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = check_alltoallv(&joint, send, receive, &all);
    }
    said[0] = joint.element;
    said[1] = all.is_in_place;
    rc = paulimpi__joint_agree(&joint, rc, 2, said);
    if (rc == PAULIMPI_SUCCESS) {
        rc = check_ends(&joint, rc, &all);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = act(&joint, &all);
    }
    free_traffic(&all);
    return rc;
}

/* Parts of equal size. */
static int
read_equal(const paulimpi__joint *joint, int64_t count, table *t)
{
    int64_t bytes = paulimpi__joint_bytes(joint, "count", count);
    int i;

    if (bytes >= 0
        && paulimpi__joint_bytes(joint, "count", count * joint->size) < 0) {
        return PAULIMPI_ERR_RANGE;
    }
    for (i = 0; i < joint->size && bytes >= 0; i++) {
        t->bytes[i] = bytes;
        t->offset[i] = bytes * i;
    }
    return bytes < 0 ? (int)bytes : PAULIMPI_SUCCESS;
}

int
paulimpi_alltoall(paulimpi_context *ctx, const void *send, int64_t count,
                  int type, void *receive,
                  const paulimpi_exchange_options *options)
{
    paulimpi__joint joint;
    traffic all = { { 0 }, { 0 }, 0, send == PAULIMPI_IN_PLACE };
    int64_t said[3];
    int rc =
        paulimpi__joint_begin(&joint, ctx, "paulimpi_alltoall", send, receive);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = read_all(&joint, options, type, send, receive, &all);
    if (rc == PAULIMPI_SUCCESS) {
        rc = read_equal(&joint, count, &all.send);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = read_equal(&joint, count, &all.receive);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = check_alltoallv(&joint, send, receive, &all);
    }
    said[0] = joint.element;
    said[1] = all.is_in_place;
    said[2] = count;
    rc = paulimpi__joint_agree(&joint, rc, 3, said);
    if (rc == PAULIMPI_SUCCESS) {
        rc = act(&joint, &all);
    }
    free_traffic(&all);
    return rc;
}

/* This rank sends its part to all. */
static void
send_to_all(const paulimpi__joint *joint, traffic *all)
{
    int i;

    if (all->is_in_place) {
        all->send.base = all->receive.base + all->receive.offset[joint->rank];
    }
    for (i = 0; i < joint->size; i++) {
        all->send.bytes[i] = all->receive.bytes[joint->rank];
        all->send.offset[i] = 0;
    }
}

/* The end of both kinds of gathering: rc is what reading gave. */
static int
gather(paulimpi__joint *joint, int rc, const void *send, const void *receive,
       traffic *all, int64_t n, const int64_t *said)
{
    if (rc == PAULIMPI_SUCCESS) {
        send_to_all(joint, all);
        rc = check_alltoallv(joint, send, receive, all);
    }
    rc = paulimpi__joint_agree(joint, rc, n, said);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = paulimpi__joint_move(joint, rc, parts_of, all);
    return paulimpi__joint_end(joint, rc);
}

int
paulimpi_allgather(paulimpi_context *ctx, const void *send, int64_t count,
                   int type, void *receive,
                   const paulimpi_exchange_options *options)
{
    paulimpi__joint joint;
    traffic all = { { 0 }, { 0 }, 0, send == PAULIMPI_IN_PLACE };
    int64_t said[2];
    int rc = paulimpi__joint_begin(&joint, ctx, "paulimpi_allgather", send,
                                   receive);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = read_all(&joint, options, type, send, receive, &all);
    if (rc == PAULIMPI_SUCCESS) {
        rc = read_equal(&joint, count, &all.receive);
    }
    said[0] = joint.element;
    said[1] = count;
    rc = gather(&joint, rc, send, receive, &all, 2, said);
    free_traffic(&all);
    return rc;
}

int
paulimpi_allgatherv(paulimpi_context *ctx, const void *send, int type,
                    void *receive, const int64_t *counts,
                    const int64_t *displacements,
                    const paulimpi_exchange_options *options)
{
    paulimpi__joint joint;
    traffic all = { { 0 }, { 0 }, 0, send == PAULIMPI_IN_PLACE };
    int rc = paulimpi__joint_begin(&joint, ctx, "paulimpi_allgatherv", send,
                                   receive);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = read_all(&joint, options, type, send, receive, &all);
    if (rc == PAULIMPI_SUCCESS) {
        rc =
            read_table(&joint, "receive", counts, displacements, &all.receive);
    }

    /* The bytes of each rank, of the same type, are what all must say. */
    rc = gather(&joint, rc, send, receive, &all,
                rc == PAULIMPI_SUCCESS ? joint.size : 0, all.receive.bytes);
    free_traffic(&all);
    return rc;
}
