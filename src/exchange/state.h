/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the exchange module share among themselves.
 */
#ifndef PAULIMPI_SRC_EXCHANGE_STATE_H
#define PAULIMPI_SRC_EXCHANGE_STATE_H

#include <stdint.h>

#include "base/base.h"
#include "comm/comm.h"
#include "exchange/account.h"
#include "exchange/exchange.h"
#include "exchange/layout.h"
#include "exchange/transport.h"

/* What the module keeps with a context. */
typedef struct {
    /* Plans that have begun and may have something left to post, in the order
     * of their starts. */
    paulimpi_plan *under_way;
} paulimpi__kept;

/* Made at the first call; NULL without memory. */
paulimpi__kept *paulimpi__keep(paulimpi_context *ctx);

/* How a message goes. */
enum {
    PAULIMPI__PATH_NONE,   /* nowhere */
    PAULIMPI__PATH_SELF,   /* to this rank: a copy */
    PAULIMPI__PATH_DIRECT, /* MPI is given its memory */
    PAULIMPI__PATH_PACKED, /* by a block, from or to memory of the host */
    PAULIMPI__PATH_STAGED, /* by a block, from or to a device */
    PAULIMPI__PATH_BOUNCED /* the same for memory of another process */
};

/* The wire format: a message of at most whole bytes is one of MPI's, a longer
 * one comes in pieces. */
typedef struct {
    int64_t whole;
    int64_t piece;
} paulimpi__format;

/* A message: what does not change, then how far it is. */
typedef struct {
    paulimpi__layout layout;
    int is_receive;
    int index;     /* in the caller's list */
    int n_members; /* messages of the caller's that it carries; 0: it is one */
    int peer;      /* a rank, or PAULIMPI_PEER_NONE or _ANY */
    int tag;
    int kind;        /* of the memory */
    int device;      /* that owns it, -1 for the host */
    int path;        /* PAULIMPI__PATH_... */
    int in_ring;     /* its blocks are memory of a device */
    uint64_t number; /* of the allocation, 0 if not known */
    int partner;     /* of a message to this rank: its other end, an index */
    int lane;        /* of the device, -1 for memory of the host */
    int copier;   /* between the region and packed bytes: PAULIMPI__BY_... */
    int before;   /* message that must be posted before this one, or -1 */
    int is_whole; /* posted whole when the plan starts */
    int slot;     /* first of its slots */
    int n_slots;
    int64_t pieces; /* 0: nothing to do */

    int64_t begun;  /* pieces that have a slot, or had one */
    int64_t posted; /* pieces */
    int64_t done;   /* pieces */
    int64_t came;   /* bytes */
    int is_dead;    /* nothing more can be posted */
} paulimpi__message;

/* A message of the caller's that others carry, and its place in their block. */
typedef struct {
    paulimpi__message message;
    char *place;
} paulimpi__member;

/* A place for a piece on its way. */
enum {
    PAULIMPI__SLOT_FREE,
    PAULIMPI__SLOT_FILLING, /* a send is copied to the block */
    PAULIMPI__SLOT_POSTED,
    PAULIMPI__SLOT_ARRIVED, /* a receive is in the block */
    PAULIMPI__SLOT_EMPTYING /* and is copied to its place */
};
typedef struct {
    int message;
    int state;
    int is_void;    /* the bytes of a send could not be had */
    int is_counted; /* the message counts the piece as done */
    int64_t piece;
    int64_t bytes;        /* of a receive: that came and have a place */
    void *block;          /* NULL if MPI is given the memory itself, or none is
                      taken */
    paulimpi_event event; /* NULL if the host does the copies */
} paulimpi__slot;

/* Blocks of sends or of receives, in the host's memory or in that of a device:
 * then they are a ring. Either every slot has its own, or all share a few, each
 * of which holds the largest piece. */
enum { PAULIMPI__SHARES = 4 };
typedef struct {
    int is_shared;
    int is_closed; /* a message of lower order waits for a block */
    int n_blocks;
    int n_free;
    void **block; /* all of them, for the end */
    void **free;  /* those that are free, if they are shared */
} paulimpi__share;

/* Streams for the copies from and to a device. */
typedef struct {
    int device;
    paulimpi_stream out;
    paulimpi_stream in;
    paulimpi_event end; /* of the copies in */
} paulimpi__lane;

enum { PAULIMPI__MOST_LANES = 16 };

enum {
    PAULIMPI__PLAN_IDLE,
    PAULIMPI__PLAN_UNDER_WAY,
    PAULIMPI__PLAN_DONE, /* and nobody has waited */
    PAULIMPI__PLAN_BROKEN
};

enum { PAULIMPI__WHY_TRANSPORT = 400 };

struct paulimpi_plan {
    paulimpi_context *ctx;
    paulimpi__place place; /* that it was made at */
    paulimpi__kept *kept;
    int is_apart;  /* its messages are the library's own */
    int ends_meet; /* all ranks found out that their lists fit together */
    int rank;
    paulimpi__format format;
    double env_timeout; /* seconds; 0: no limit */
    paulimpi_exchange_options options;

    int n_receives;
    int n_messages;
    paulimpi__message *message; /* receives first */
    int *order; /* the messages in the order in which they get blocks */
    int n_members;
    paulimpi__member *member; /* receives first, by peer */
    char *member_block;

    int n_slots;
    paulimpi__slot *slot;
    paulimpi__completion *completion; /* room for all slots */
    paulimpi__share share[PAULIMPI__SHARES];
    void *self_block; /* for copies of this rank to itself, or NULL */
    int64_t self_bytes;
    int self_is_busy;
    int n_lanes;
    paulimpi__lane lane[PAULIMPI__MOST_LANES];
    int n_owners; /* devices in whose memory messages are */
    int owner[PAULIMPI__MOST_LANES];
    int holds_imports;
    int lacks_ring; /* there was no memory for it */

    const paulimpi__transport *transport;
    char why_transport[PAULIMPI__WHY_TRANSPORT];
    paulimpi__wire *wire; /* NULL if nothing leaves this rank */

    /* A plan of messages that MPI takes as they are needs no steps: slot i
     * holds post[i], receives first. */
    int is_simple;
    int has_self; /* messages of this rank to itself */
    int n_receive_posts;
    paulimpi__post *post; /* n_slots of them */

    /* The run. */
    int state; /* PAULIMPI__PLAN_... */
    int runs_simply;
    int is_quick;   /* the run before was simple, and by the plan's options */
    int n_left;     /* messages that are not complete */
    int n_unposted; /* messages that are not posted whole */
    int n_loose;    /* slots whose last copy nobody waits for */
    const char *function; /* that the caller called last */
    int has_device;       /* one in this process */
    paulimpi_event mark;  /* for an event of ours in the caller's stream */
    paulimpi_event after; /* what must be done before, NULL: nothing */
    int is_ready;         /* it is */
    int is_void;          /* it cannot be waited for: sends go empty */
    paulimpi_stream before_stream;
    int has_before_stream;
    paulimpi_arrival *arrivals;
    double timeout;
    double last_news; /* time of the last thing that happened, 0: not yet */
    int64_t n_events; /* things that happened */
    paulimpi_plan *next_under_way;
    int is_linked;
    int has_lost; /* messages that MPI still has were given up */
    int rc;       /* the first failure */
    char why[PAULIMPI__ERROR_TEXT];
};

/* The share that a message has blocks of: that of sends or of receives, and
 * the same in the ring. */
static inline int
paulimpi__share_index(const paulimpi__message *message)
{
    return message->is_receive + 2 * message->in_ring;
}

static inline paulimpi__share *
paulimpi__share_of(paulimpi_plan *plan, const paulimpi__message *message)
{
    return &plan->share[paulimpi__share_index(message)];
}

static inline int
paulimpi__has_block(const paulimpi__message *message)
{
    return message->path >= PAULIMPI__PATH_PACKED;
}

/* Whether the transport is given memory of a device. */
static inline int
paulimpi__is_given_device(const paulimpi__message *message)
{
    return paulimpi__has_block(message)
               ? message->in_ring
               : message->kind > PAULIMPI_MEMORY_PINNED;
}

static inline int
paulimpi__leaves(const paulimpi__message *message)
{
    return message->path >= PAULIMPI__PATH_DIRECT;
}

static inline int64_t
paulimpi__piece_bytes(const paulimpi__format *format, int64_t bytes,
                      int64_t piece)
{
    int64_t left;

    if (bytes <= format->whole) {
        return bytes;
    }
    left = bytes - piece * format->piece;
    return left < format->piece ? left : format->piece;
}

/* messages.c: read the options of a call over those that it begins with;
 * and the lists into messages, which have no path yet. */
int paulimpi__options_read(const char *function,
                           const paulimpi_exchange_options *given,
                           paulimpi_exchange_options *options);
int paulimpi__messages_read(const char *function, paulimpi_plan *plan,
                            const paulimpi_message *sends,
                            const paulimpi_message *receives);
/* Look whether memory of devices is what it was when the plan was made. */
int paulimpi__messages_recheck(const char *function, paulimpi_plan *plan);
/* "sends[3]", or "receives[3] and 2 more" for those that travel as one. */
enum { PAULIMPI__NAME = 48 };
const char *paulimpi__message_name(const paulimpi__message *message,
                                   char name[PAULIMPI__NAME]);

/* order.c: the order of the messages, and which must come before which. */
int paulimpi__order_set(const char *function, paulimpi_plan *plan);

/* path.c: choose the paths; only find out which messages leave this rank; and
 * whether MPI takes memory of a kind, of a device (-1: any), in a message. */
int paulimpi__paths_choose(const char *function, paulimpi_plan *plan);
void paulimpi__paths_begin(paulimpi_plan *plan);
int paulimpi__mpi_takes(paulimpi_context *ctx, int kind, int device);

/* join.c: let small messages between two ranks travel as one, if that is
 * wanted. Collective; rc is this rank's own failure so far, after which plan
 * may be NULL. */
int paulimpi__join(const char *function, paulimpi_context *ctx,
                   paulimpi_plan *plan, int rc);
/* Bring their bytes together when a run begins, which waits for what must be
 * done before; and to their places at its end, unless it failed. */
int paulimpi__members_pack(paulimpi_plan *plan);
int paulimpi__members_unpack(paulimpi_plan *plan);
void paulimpi__members_free(paulimpi_plan *plan);

/* ends.c: compare the two ends of all messages. Collective. */
int paulimpi__ends_compare(const char *function, const paulimpi_plan *plan);

/* reserve.c: everything that a plan needs while it runs; and give it back. */
int paulimpi__reserve(const char *function, paulimpi_plan *plan);
void paulimpi__unreserve(paulimpi_plan *plan);

/* transport.c: choose what carries the messages of a plan; MPI, if this is all
 * that the ranks do not do together. The second is collective, fails on all
 * ranks alike, and rc is this rank's own failure so far, after which plan may
 * be NULL. */
int paulimpi__transport_choose_alone(const char *function,
                                     paulimpi_plan *plan);
int paulimpi__transport_choose(const char *function, paulimpi_context *ctx,
                               paulimpi_plan *plan, int rc);

/* plan.c: make and end a plan. The first is local and enters no handle. */
int paulimpi__plan_make(const char *function, paulimpi_context *ctx,
                        int n_sends, const paulimpi_message *sends,
                        int n_receives, const paulimpi_message *receives,
                        const paulimpi_exchange_options *options,
                        paulimpi_plan **plan_p);
void paulimpi__plan_free(paulimpi_plan *plan);
/* The same for messages of the library's own, apart from those of users. It
 * has no time limit: who waits for it has. */
int paulimpi__plan_make_apart(const char *function, paulimpi_context *ctx,
                              int n_sends, const paulimpi_message *sends,
                              int n_receives, const paulimpi_message *receives,
                              const paulimpi_exchange_options *options,
                              paulimpi_plan **plan_p);

/* run.c: begin, push on, wait. */
int paulimpi__run_start(const char *function, paulimpi_plan *plan,
                        const paulimpi_exchange_options *options);
int paulimpi__run_test(const char *function, paulimpi_plan *plan, int *done_p);
int paulimpi__run_wait(const char *function, paulimpi_plan *plan);

/* steps.c: push a plan on as far as it goes now; and take note of messages
 * that the transport tells of. */
void paulimpi__step(paulimpi_plan *plan);
void paulimpi__step_complete(paulimpi_plan *plan, int n,
                             const paulimpi__completion *done);
/* Put down that something happened. */
void paulimpi__news(paulimpi_plan *plan);
/* Count a copy between a message's memory and a block. */
void paulimpi__count_passage(const paulimpi__message *message, int64_t bytes);

/* faults.c: take note of a failure of which paulimpi_last_error() tells, if it
 * is the first; of a silence; and end what can be ended. */
void paulimpi__fail(paulimpi_plan *plan, int rc);
void paulimpi__fail_silence(paulimpi_plan *plan, double seconds);
void paulimpi__give_up(paulimpi_plan *plan);
/* Take note of a receive, the last part of which should have had other bytes
 * than came. */
void paulimpi__fail_length(paulimpi_plan *plan,
                           const paulimpi__message *message, int64_t want,
                           const paulimpi__completion *done);

/* self.c: find the other ends of messages to this rank; and copy one, of
 * which the receive is given. */
int paulimpi__self_match(const char *function, paulimpi_plan *plan);
int paulimpi__self_copy(paulimpi_plan *plan, const paulimpi__message *receive);
/* Whether the copy needs plan->self_block. */
int paulimpi__self_needs_block(const paulimpi_plan *plan,
                               const paulimpi__message *receive);

#endif /* PAULIMPI_SRC_EXCHANGE_STATE_H */
