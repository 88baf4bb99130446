/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What carries messages: a table of a few functions. A wire is the state of a
 * transport for one plan; it has slots, each of which holds one message at a
 * time.
 */
#ifndef PAULIMPI_SRC_EXCHANGE_TRANSPORT_H
#define PAULIMPI_SRC_EXCHANGE_TRANSPORT_H

#include "paulimpi/context.h"

/* A message in one piece. A peer may be PAULIMPI_PEER_ANY in a receive. */
typedef struct {
    void *address;
    int bytes;
    int peer;
    int tag;
} paulimpi__post;

/* What became of the message in a slot. */
typedef struct {
    int slot;
    int peer;   /* of a receive: rank that sent it */
    int tag;    /* of a receive */
    int bytes;  /* of a receive: that came, or more if it did not fit */
    int is_cut; /* of a receive: more came than fits */
    int rc;     /* an error, of which paulimpi_last_error() tells */
} paulimpi__completion;

typedef struct paulimpi__wire paulimpi__wire;

enum { PAULIMPI__ALL_WELL = -1 };

typedef struct {
    const char *name;

    /* Make a wire of n_slots slots for messages on a context; and end it. Slots
     * must be empty by then, or the message is abandoned. */
    int (*open)(paulimpi_context *ctx, int n_slots, paulimpi__wire **wire_p);
    void (*close)(paulimpi__wire *wire);

    /* Begin a message in an empty slot. On failure the slot stays empty. */
    int (*receive)(paulimpi__wire *wire, int slot, const paulimpi__post *post);
    int (*send)(paulimpi__wire *wire, int slot, const paulimpi__post *post);

    /* Tell of messages that are complete, which leaves their slots empty. done
     * has room for all slots. */
    int (*test)(paulimpi__wire *wire, int *n_p, paulimpi__completion *done);
    /* Wait until all slots are empty, which were full, receives in the first
     * n_receives of them; or until a message failed. If all went well *n_p is
     * PAULIMPI__ALL_WELL and done[i] is of receive i; else both are as those of
     * test. */
    int (*wait)(paulimpi__wire *wire, int n_receives, int *n_p,
                paulimpi__completion *done);

    /* Ask that a receive be given up; test tells of it, as of any other, if
     * that works. */
    void (*cancel)(paulimpi__wire *wire, int slot);
    /* Forget the message in a slot, which MPI may still read or write. */
    void (*abandon)(paulimpi__wire *wire, int slot);
} paulimpi__transport;

extern const paulimpi__transport paulimpi__transport_mpi;

/* The transport that PAULIMPI_TRANSPORT names, MPI at first. */
int paulimpi__transport_choose(const char *function,
                               const paulimpi__transport **transport_p);

#endif /* PAULIMPI_SRC_EXCHANGE_TRANSPORT_H */
