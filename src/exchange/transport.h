/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What carries messages: a table of a few functions. A wire is the state of a
 * transport for one plan; it has slots, each of which holds one message at a
 * time.
 */
#ifndef PAULIMPI_SRC_EXCHANGE_TRANSPORT_H
#define PAULIMPI_SRC_EXCHANGE_TRANSPORT_H

#include "base/base.h"
#include "paulimpi/context.h"

/* A message in one piece. A peer may be PAULIMPI_PEER_ANY in a receive. */
typedef struct {
    void *address;
    int64_t bytes;
    int peer;
    int tag;
    int is_void; /* of a send: its bytes could not be had, and bytes is 0 */
} paulimpi__post;

/* What became of the message in a slot. */
typedef struct {
    int slot;
    int peer;      /* of a receive: rank that sent it */
    int tag;       /* of a receive */
    int64_t bytes; /* of a receive: that came, or more if it did not fit */
    int is_cut;    /* of a receive: more came than fits */
    int rc;        /* an error, of which paulimpi_last_error() tells */
} paulimpi__completion;

typedef struct paulimpi__wire paulimpi__wire;

/* What the end of all messages says instead of how many have ended. */
enum {
    PAULIMPI__ALL_WELL = -1,
    PAULIMPI__AS_POSTED = -2 /* and all receives are as long as posted */
};

typedef struct {
    const char *name;
    /* It takes messages of any length in one piece; but only in the order in
     * which plans were started, all of one before those of the next. */
    int is_ordered;

    /* Make a wire of n_slots slots for messages on a context, n_posts of which
     * get a message in a run of the plan; and end it. Slots must be empty by
     * then, or the message is abandoned. */
    int (*open)(paulimpi_context *ctx, int n_slots, int n_posts,
                paulimpi__wire **wire_p);
    void (*close)(paulimpi__wire *wire);
    /* Keep the messages of a new wire apart from all others; NULL where they
     * are anyway. */
    void (*go_apart)(paulimpi__wire *wire);

    /* Begin a message in an empty slot. On failure the slot stays empty. */
    int (*receive)(paulimpi__wire *wire, int slot, const paulimpi__post *post);
    int (*send)(paulimpi__wire *wire, int slot, const paulimpi__post *post);

    /* Tell of messages that are complete, which leaves their slots empty. done
     * has room for all slots. */
    int (*test)(paulimpi__wire *wire, int *n_p, paulimpi__completion *done);
    /* The same, but wait for one if there are any. May be NULL. */
    int (*await)(paulimpi__wire *wire, int *n_p, paulimpi__completion *done);

    /* All three or none, for plans that MPI does at once. Begin the messages of
     * all slots, which are empty: receives in the first n_receives of them.
     * *n_p of them have begun, all unless it fails. */
    int (*start)(paulimpi__wire *wire, int n_receives,
                 const paulimpi__post *post, int *n_p);
    /* Wait until all slots are empty or a message failed; or only look, and
     * tell of nothing if they are not. If all went well *n_p is
     * PAULIMPI__ALL_WELL and done[i] is of receive i; or PAULIMPI__AS_POSTED,
     * if post is not NULL and the lengths in it came; else both are as those of
     * test. */
    int (*wait_all)(paulimpi__wire *wire, int n_receives,
                    const paulimpi__post *post, int *n_p,
                    paulimpi__completion *done);
    int (*test_all)(paulimpi__wire *wire, int n_receives,
                    const paulimpi__post *post, int *n_p,
                    paulimpi__completion *done);

    /* Ask that a receive be given up; test tells of it, as of any other, if
     * that works. */
    void (*cancel)(paulimpi__wire *wire, int slot);
    /* Forget the message in a slot, which MPI may still read or write. */
    void (*abandon)(paulimpi__wire *wire, int slot);
} paulimpi__transport;

extern const paulimpi__transport paulimpi__transport_mpi;

/* transport_nccl.c: a second one, for memory of devices, in builds with
 * NCCL. */
extern const paulimpi__transport paulimpi__transport_nccl;

/* Make what it needs on a context, unless that was done. Collective: fails on
 * all ranks alike. */
int paulimpi__nccl_open(const char *function, paulimpi_context *ctx);
/* The device that it works with, -1 before it was opened; whether it failed
 * since then, with the sentence. */
int paulimpi__nccl_device(const paulimpi_context *ctx);
const char *paulimpi__nccl_failure(const paulimpi_context *ctx);
/* "2.21.5" */
enum { PAULIMPI__NCCL_VERSION = 32 };
void paulimpi__nccl_version(char text[PAULIMPI__NCCL_VERSION]);

/* transport.c: see whether PAULIMPI_TRANSPORT can be. */
int paulimpi__transport_check(const char *function);
/* Append what there is to choose from. */
void paulimpi__transport_describe(paulimpi__text *text);

#endif /* PAULIMPI_SRC_EXCHANGE_TRANSPORT_H */
