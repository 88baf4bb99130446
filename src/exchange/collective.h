/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the collective operations share: moves, of which all of them are made.
 */
#ifndef PAULIMPI_SRC_EXCHANGE_COLLECTIVE_H
#define PAULIMPI_SRC_EXCHANGE_COLLECTIVE_H

#include "exchange/state.h"
#include "paulimpi/collective.h"

/* A collective operation. */
typedef struct {
    paulimpi_context *ctx;
    const char *function;
    int rank;
    int size;
    int64_t element; /* bytes */
    double limit;    /* seconds without progress, 0: none */
    int is_lost;     /* MPI may still use what was sent and received */
    paulimpi_exchange_options options;
} paulimpi__joint;

/* What a rank has for another, or gets from it. bytes is -1 where there is no
 * message. */
typedef struct {
    void *base;
    int64_t bytes;
} paulimpi__part;

/* The parts for a peer and from it, of which the caller knows. */
typedef void paulimpi__parts(const void *plan, int peer, paulimpi__part *send,
                             paulimpi__part *receive);

/* Begin: find out about devices, which is collective, if either address is in
 * the memory of one. */
int paulimpi__joint_begin(paulimpi__joint *joint, paulimpi_context *ctx,
                          const char *function, const void *a, const void *b);
/* Read the options, and the type unless it is 0. Local. */
int paulimpi__joint_read(paulimpi__joint *joint,
                         const paulimpi_exchange_options *options, int type);
/* The bytes of count elements, which argument is said to be; -1 with a sentence
 * if they cannot be. */
int64_t paulimpi__joint_bytes(const paulimpi__joint *joint,
                              const char *argument, int64_t count);
/* Refuse a buffer that is NULL, unless it has no elements. */
int paulimpi__joint_buffer(const paulimpi__joint *joint, const char *argument,
                           const void *base, int64_t bytes);
int paulimpi__joint_root(const paulimpi__joint *joint, int root);
/* Copy between memory of any kinds of this rank. Local. */
int paulimpi__joint_copy(paulimpi__joint *joint, void *to, const void *from,
                         int64_t bytes);
/* Refuse parts that lie on one another, or where no memory can be. */
int paulimpi__joint_overlap(const paulimpi__joint *joint,
                            paulimpi__parts *parts, const void *plan);

/* The end of the checks. Fails on all ranks if rc is a failure on one, or if
 * they do not say the same n numbers. Collective. */
int paulimpi__joint_agree(const paulimpi__joint *joint, int rc, int64_t n,
                          const int64_t *said);

/* Send and receive parts, of eight peers at a time. rc is a failure of this
 * rank before, of which all others hear before the next step, and do not take
 * it. A failure of the last step is known to those only that had it.
 * Collective. */
int paulimpi__joint_move(paulimpi__joint *joint, int rc,
                         paulimpi__parts *parts, const void *plan);
/* The same for one peer, or none if it is -1. */
int paulimpi__joint_swap(paulimpi__joint *joint, int rc, int peer,
                         paulimpi__part send, paulimpi__part receive);
/* The last agreement, after which nothing comes. */
int paulimpi__joint_end(const paulimpi__joint *joint, int rc);

/* collective_loops.c: into[i] = into[i] op from[i]. The operation is one of the
 * type's. */
int paulimpi__reduces(int type, int op);
void paulimpi__reduce_into(int type, int op, int64_t count, void *into,
                           const void *from);

#endif /* PAULIMPI_SRC_EXCHANGE_COLLECTIVE_H */
