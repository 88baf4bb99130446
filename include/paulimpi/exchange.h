/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages between ranks, from and to memory of any kind.
 */
#ifndef PAULIMPI_EXCHANGE_H
#define PAULIMPI_EXCHANGE_H

#include <stddef.h>
#include <stdint.h>

#include "paulimpi/account.h"
#include "paulimpi/context.h"
#include "paulimpi/device.h"
#include "paulimpi/export.h"
#include "paulimpi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Regions
 *
 * What a message is read from or written to: elements of some bytes each, in a
 * grid of up to four dimensions, the first of which runs fastest. The bytes
 * travel in that order without gaps, whatever the strides, so that a column on
 * one rank may become a row on another. A region is a value: it owns nothing.
 */
enum { PAULIMPI_REGION_DIMENSIONS = 4 };

typedef struct {
    void *base;     /**< first element; NULL is fine if there are none */
    size_t element; /**< bytes of an element */
    int dimensions; /**< 0 (one element) to 4 */
    int64_t extent[PAULIMPI_REGION_DIMENSIONS]; /**< elements, from 0 up */
    int64_t stride[PAULIMPI_REGION_DIMENSIONS]; /**< bytes from one to the
                                                     next; may be negative */
} paulimpi_region;

/** Bytes that lie side by side. Local. What cannot be is refused by the
 * function that the region is given to. */
PAULIMPI_API paulimpi_region paulimpi_region_1d(const void *base,
                                                size_t bytes);

/** Rows of bytes, pitch bytes from one to the next. Local. */
PAULIMPI_API paulimpi_region paulimpi_region_2d(const void *base,
                                                size_t row_bytes, int64_t rows,
                                                int64_t pitch);

/**
 * Any region. Local.
 *
 * @param base        the element with all indices 0
 * @param element     bytes of an element, from 1 up
 * @param dimensions  0 to PAULIMPI_REGION_DIMENSIONS
 * @param extent      elements in each dimension, from 0 up
 * @param stride      bytes from one element to the next in each
 * @param region      is set
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT; PAULIMPI_ERR_RANGE if its
 *         bytes are 2^63 or more, its ends 2^62 or more from each other, or
 *         no addresses at all
 */
PAULIMPI_API int paulimpi_region_strided(const void *base, size_t element,
                                         int dimensions, const int64_t *extent,
                                         const int64_t *stride,
                                         paulimpi_region *region);

/** Count the bytes that travel. Local.
 * @return from 0 up; PAULIMPI_ERR_ARGUMENT or PAULIMPI_ERR_RANGE for what
 *         paulimpi_region_strided() would refuse */
PAULIMPI_API int64_t paulimpi_region_bytes(const paulimpi_region *region);

/**
 * Messages
 *
 * A send meets the receive of the other rank that has the same tag; of several
 * the first one that is left, in the order of the lists, and of plans in the
 * order of their starts. A message of 0 bytes is a message. A rank may send to
 * itself: such messages are copied here, and both ends must be in the same
 * exchange.
 *
 * How the bytes travel depends on nothing but their number: up to 16 MiB as
 * one message of MPI, more in pieces of 4 MiB. What memory they are in is
 * each rank's own business: MPI is given memory of the host that is
 * contiguous, and memory of a device if it is known to take that (see
 * paulimpi_aware()); all else goes through blocks: what a device has, through
 * blocks of that device, a ring, if MPI takes PAULIMPI_MEMORY_DEVICE and there
 * is memory for it, otherwise through pinned blocks of the host. Memory of
 * another process never reaches MPI (see paulimpi_ipc_open()). A kernel packs
 * strided memory of a device into the block, and unpacks it, if the library was
 * built with kernels (configure --with-cuda-arch) and rows are thinner than 64
 * bytes or would take many small copies; otherwise copies of rows do.
 *
 * Where the library was built with NCCL, a plan can go by it instead of MPI: if
 * all its messages, on all ranks, are in memory of the ranks' devices, from
 * named ranks, and meet within the plan; those that are not contiguous pass
 * blocks of the device, of at most 64 MiB together. The environment variable
 * PAULIMPI_TRANSPORT says whether it does: "auto" (the initial value), if MPI
 * is not known to take the memory; "nccl", in any case; "mpi", never. All ranks
 * choose together, and paulimpi_plan_explain() tells what and why. NCCL wants
 * each rank on a device of its own, and knows no tags: plans that go by it must
 * be started in the same order on all ranks of the context. If anything goes
 * wrong, also a time limit that is over, NCCL is given up there: plans that go
 * by it fail on all ranks, and those made later go by MPI.
 *
 * Only one thread at a time may exchange on a context.
 */
enum {
    PAULIMPI_PEER_NONE = -1001, /**< no message; MPI_PROC_NULL says the same */
    PAULIMPI_PEER_ANY = -1002,  /**< receive from any rank of the context, at
                                     most 16 MiB; MPI_ANY_SOURCE says the
                                     same */
    PAULIMPI_MOST_TAG = 32767   /**< tags go from 0 to this with every MPI */
};

typedef struct {
    paulimpi_region region; /**< without a peer it is not looked at */
    int peer;               /**< rank in the context, or PAULIMPI_PEER_... */
    int tag;                /**< from 0 to PAULIMPI_MOST_TAG */
} paulimpi_message;

/** What became of a receive. */
typedef struct {
    int peer;      /**< rank that sent it; PAULIMPI_PEER_NONE if nothing
                        came */
    int tag;       /**< of the message */
    int64_t bytes; /**< that came and have a place */
} paulimpi_arrival;

/** How an exchange should be. Every field that is 0 has its initial value. */
typedef struct {
    size_t size; /**< of this struct */

    /** What is asked of this stream before the exchange begins is done before
     * any buffer is read or written. Give the stream on which the buffers were
     * computed, or an event; only one of these three. Without any, all devices
     * that own a buffer of the exchange are waited for. Where there is no
     * device they are not looked at. */
    paulimpi_stream after_stream;
    paulimpi_event after_event;
    int after_default_stream; /**< 1: after_stream is NULL and meant so */

    /** Later work in this stream waits until the receives are complete. The
     * call that completes the exchange need not wait then for copies to
     * devices; memory of the host is complete when it returns. */
    paulimpi_stream before_stream;

    /** For the receives, in their order; or NULL. */
    paulimpi_arrival *arrivals;

    /** Seconds without any progress after which a rank that does not answer
     * is an error; 0 stands for the environment variable PAULIMPI_TIMEOUT, else
     * for no limit. The time runs while paulimpi_exchange() or
     * paulimpi_plan_wait() waits, and from one paulimpi_plan_test() to
     * another. */
    double timeout;

    /** 1: those messages of a plan between two ranks that have at most 8 KiB
     * each travel as one, through a block of the host's memory, which saves the
     * latency of all but one. All ranks must say so, receives must name their
     * rank, and all messages must meet within the plan, which is looked at when
     * it is made. paulimpi_plan_start() then waits until what must be done
     * before is done; and after a failure what was joined is not received, in
     * part or whole. Looked at by paulimpi_plan_create() only. */
    int join;
} paulimpi_exchange_options;

/** Options by name: PAULIMPI_EXCHANGE_OPTIONS(.after_stream = stream). */
#define PAULIMPI_EXCHANGE_OPTIONS(...)                                        \
    (&(paulimpi_exchange_options){ .size = sizeof(paulimpi_exchange_options), \
                                   __VA_ARGS__ })

#define PAULIMPI_EXCHANGE_OPTIONS_INIT                                        \
    {                                                                         \
        sizeof(paulimpi_exchange_options), NULL, NULL, 0, NULL, NULL, 0.0, 0  \
    }

/**
 * Send and receive a group of messages and wait for all of them. Collective
 * over the ranks that send to each other here; with the environment variable
 * PAULIMPI_CHECK=collective over all ranks of the context, which then fail
 * alike, and what some send is compared with what others receive before
 * anything is posted.
 *
 * All that one rank can see is checked before anything is posted: peers, tags,
 * regions, memory that is received into twice or also sent from. Then all
 * receives are posted, then all sends.
 *
 * A failure after that does not leave other ranks waiting: this one goes on
 * with its other messages, sends an empty message where bytes cannot be had,
 * which its receiver takes for a PAULIMPI_ERR_MISMATCH, and returns the first
 * failure at the end. When the time limit is over (5 seconds without progress
 * if there is none, after a failure), receives are cancelled and the rest is
 * left to MPI: memory that is named as missing may then still be read or
 * written, and messages that come late can be taken for later ones. After
 * PAULIMPI_ERR_TIMEOUT go on with other ranks or another context.
 *
 * MPICH hands errors of a wait, which a message that is too long for its
 * receive is, to the error handler of MPI_COMM_WORLD, which ends the job unless
 * the application has set it to MPI_ERRORS_RETURN. PAULIMPI_CHECK=collective
 * finds such messages earlier.
 *
 * @param ctx         the context; a serial one is fine, for messages of the
 *                    rank to itself
 * @param n_sends     from 0 up
 * @param sends       may overlap one another
 * @param n_receives  from 0 up
 * @param receives    may overlap nothing; to swap the contents of buffers in
 *                    place, see paulimpi_alltoallv()
 * @param options     NULL for the initial values
 * @return PAULIMPI_SUCCESS;
 *         PAULIMPI_ERR_ARGUMENT for a peer, tag, region, option or
 *         environment variable;
 *         PAULIMPI_ERR_RANGE for a region, or pieces beyond 2^30;
 *         PAULIMPI_ERR_UNSUPPORTED for a receive of more than 16 MiB from any
 *         rank, or memory of more than 16 devices;
 *         PAULIMPI_ERR_OVERLAP for memory that is used twice;
 *         PAULIMPI_ERR_MISMATCH if less came than the region holds, what came
 *         being in place; or more, after which the region holds anything; or,
 *         before anything is posted, for the two ends of a message to this rank
 *         itself;
 *         PAULIMPI_ERR_STATE for a message to this rank itself that does not
 *         meet its other end here, which would wait for ever, or a stream that
 *         is being captured;
 *         PAULIMPI_ERR_TIMEOUT with the ranks and messages that are missing;
 *         PAULIMPI_ERR_MEMORY, also beyond PAULIMPI_STAGING_MAX;
 *         PAULIMPI_ERR_DEVICE; PAULIMPI_ERR_MPI; PAULIMPI_ERR_REMOTE
 */
PAULIMPI_API int paulimpi_exchange(paulimpi_context *ctx, int n_sends,
                                   const paulimpi_message *sends,
                                   int n_receives,
                                   const paulimpi_message *receives,
                                   const paulimpi_exchange_options *options);

/**
 * Tell how each message of an exchange would go, and why, without sending it.
 * Local. See paulimpi_plan_explain(), which tells it of a plan: an exchange
 * always goes by MPI. Until paulimpi_aware_probe(), or a plan, has found out
 * what MPI takes, memory of devices is staged, which is told, too.
 *
 * @param n_sends,sends,n_receives,receives  as for paulimpi_exchange()
 * @param text_p  set to the text, for paulimpi_text_destroy()
 * @return the codes of paulimpi_exchange() for what is refused before anything
 *         is posted
 */
PAULIMPI_API int paulimpi_exchange_explain(paulimpi_context *ctx, int n_sends,
                                           const paulimpi_message *sends,
                                           int n_receives,
                                           const paulimpi_message *receives,
                                           char **text_p);

/**
 * Plans
 *
 * The same exchange many times: what can be found out once is. The memory must
 * stay where it is until the plan is destroyed. Of a device's memory each start
 * looks whether it does: another allocation at the same address is taken if it
 * is of the same kind and device and holds the region.
 *
 *     paulimpi_plan_create(ctx, 2, send, 2, recv, NULL, &plan);
 *     for (step = 0; step < steps; step++) {
 *         paulimpi_plan_start(plan, NULL);
 *         ... what needs no halo ...
 *         paulimpi_plan_wait(plan);
 *     }
 *     paulimpi_plan_destroy(&plan);
 *
 * Between start and wait the sends must not be written to, the receives not
 * touched. Nothing is allocated there: a plan takes its blocks, streams and
 * requests when it is made. The blocks count towards PAULIMPI_STAGING_MAX, at
 * most 64 MiB each for its sends and its receives, and 16 MiB each for those
 * that pass through memory of the device, or one block if a piece is larger.
 *
 * Several plans may be under way at a time; any call for one of them pushes
 * all of the context on.
 */
typedef struct paulimpi_plan paulimpi_plan;

/**
 * Make a plan. Collective over the context: each rank gives its own lists,
 * which may be empty. With PAULIMPI_CHECK=collective what ranks send is
 * compared with what others receive.
 *
 * @param options  as for paulimpi_exchange(), and join; arrivals and the
 *                 streams are the initial values of paulimpi_plan_start()
 * @param plan_p   set to the plan, or to NULL on failure
 * @return the codes of paulimpi_exchange() and paulimpi_aware_probe();
 *         PAULIMPI_ERR_MISMATCH also if some ranks join messages and others do
 *         not
 */
PAULIMPI_API int paulimpi_plan_create(paulimpi_context *ctx, int n_sends,
                                      const paulimpi_message *sends,
                                      int n_receives,
                                      const paulimpi_message *receives,
                                      const paulimpi_exchange_options *options,
                                      paulimpi_plan **plan_p);

/**
 * Begin: post all receives, then the sends, as far as blocks and the stream
 * or event allow now. Local.
 *
 * @param options  NULL for those of paulimpi_plan_create()
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_STATE if it was begun already, an
 *         earlier failure broke it, after_stream is being captured, or memory
 *         of a device is not what it was when the plan was made, after which
 *         nothing has been posted;
 *         PAULIMPI_ERR_ARGUMENT; PAULIMPI_ERR_DEVICE and PAULIMPI_ERR_MPI,
 *         after which the plan is broken if a message had been posted
 */
PAULIMPI_API int paulimpi_plan_start(paulimpi_plan *plan,
                                     const paulimpi_exchange_options *options);

/**
 * Push the exchange on and ask whether it is complete. Local.
 *
 * @param done_p  set to 1 or 0. After 1 the plan may be started again and
 *                paulimpi_plan_wait() returns at once.
 * @return as paulimpi_plan_wait()
 */
PAULIMPI_API int paulimpi_plan_test(paulimpi_plan *plan, int *done_p);

/**
 * Wait until all messages of a plan are complete. Local. A failure, which is
 * told once, breaks the plan: it can only be destroyed.
 *
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_STATE if it was not begun or is
 *         broken; PAULIMPI_ERR_MISMATCH, PAULIMPI_ERR_TIMEOUT,
 *         PAULIMPI_ERR_DEVICE, PAULIMPI_ERR_MPI as paulimpi_exchange()
 */
PAULIMPI_API int paulimpi_plan_wait(paulimpi_plan *plan);

/** Forget a plan. If it is under way it is waited for first, unless MPI is
 * finalised. NULL and a NULL plan are fine. Local, but for the end of the
 * context if the plan is the last that holds it. */
PAULIMPI_API void paulimpi_plan_destroy(paulimpi_plan **plan_p);

/**
 * Tell how each message of a plan goes, and why: a line each, as "send 0 to
 * rank 3, tag 1: 80000 bytes in runs of 8 of the host: packed by the library,
 * as it is not contiguous; MPI is given the block"; of memory of devices, what
 * is waited for before, by the options of the plan; and in a last line what
 * carries them: "carried by MPI: rank 1: a message is in memory of the host".
 * Local.
 *
 * @param text_p  set to the text, for paulimpi_text_destroy()
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_plan_explain(const paulimpi_plan *plan,
                                       char **text_p);

/**
 * Single buffers
 *
 * For a program that makes the MPI call itself: acquire gives an address that
 * MPI takes, with the region's bytes side by side behind it, release gives it
 * back and, for a receive, brings what came to the region. Acquire waits for
 * after_stream, after_event or, without both, the device that owns the region.
 */
typedef struct paulimpi_buffer paulimpi_buffer;

enum {
    PAULIMPI_BUFFER_SEND = 1,   /**< MPI reads it */
    PAULIMPI_BUFFER_RECEIVE = 2 /**< MPI writes it; both may be joined by | */
};

/**
 * Acquire a buffer. Local.
 *
 * @param use         PAULIMPI_BUFFER_SEND, RECEIVE or both
 * @param options     after_stream, after_event and before_stream are looked
 *                    at; NULL for the initial values
 * @param buffer_p    set to the buffer, or to NULL on failure
 * @param address_p   set to the region's base where MPI can be given it, else
 *                    to other memory
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT; PAULIMPI_ERR_RANGE;
 *         PAULIMPI_ERR_MEMORY, also for more than PAULIMPI_STAGING_MAX bytes
 *         that need a block; PAULIMPI_ERR_DEVICE
 */
PAULIMPI_API int
paulimpi_buffer_acquire(paulimpi_context *ctx, const paulimpi_region *region,
                        int use, const paulimpi_exchange_options *options,
                        paulimpi_buffer **buffer_p, void **address_p);

/**
 * Release a buffer and forget it. Local. NULL and a NULL buffer are fine.
 *
 * @param commit  0: what MPI received is thrown away, and a region that MPI
 *                did not write to directly is untouched
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_DEVICE; the buffer is gone in any case
 */
PAULIMPI_API int paulimpi_buffer_release(paulimpi_buffer **buffer_p,
                                         int commit);

#ifdef __cplusplus
}
#endif

/* So that counters know whence an exchange came: see paulimpi_called_from(). */
#ifndef PAULIMPI_NO_PLACES
#define paulimpi_exchange(...)                                                \
    (paulimpi_called_from(__FILE__, __LINE__), paulimpi_exchange(__VA_ARGS__))
#define paulimpi_plan_create(...)                                             \
    (paulimpi_called_from(__FILE__, __LINE__),                                \
     paulimpi_plan_create(__VA_ARGS__))
#define paulimpi_buffer_acquire(...)                                          \
    (paulimpi_called_from(__FILE__, __LINE__),                                \
     paulimpi_buffer_acquire(__VA_ARGS__))
#endif

#endif /* PAULIMPI_EXCHANGE_H */
