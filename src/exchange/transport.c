/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What carries the messages of a plan. The two ends of a message must have the
 * same, and ranks know only their own memory: so the ranks of a context choose
 * together, one transport for all messages of a plan. A rank that is alone in
 * what it does has MPI.
 */
#include "exchange/transport.h"

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/comm.h"
#include "device/device.h"
#include "exchange/state.h"

#ifdef HAVE_NCCL
enum { HAS_NCCL = 1 };
#else
enum { HAS_NCCL = 0 };
#endif

/* What PAULIMPI_TRANSPORT says. */
enum { WISH_MPI, WISH_AUTO, WISH_NCCL };

static int
read_wish(const char *function, int *wish_p)
{
    const char *name = getenv("PAULIMPI_TRANSPORT");

    *wish_p = WISH_AUTO;
    if (name == NULL || name[0] == '\0' || strcmp(name, "auto") == 0) {
        return PAULIMPI_SUCCESS;
    }
    if (strcmp(name, "mpi") == 0) {
        *wish_p = WISH_MPI;
        return PAULIMPI_SUCCESS;
    }
    if (strcmp(name, "nccl") != 0) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: the environment variable "
                               "PAULIMPI_TRANSPORT is \"%s\", but must be "
                               "auto, mpi or nccl",
                               function, name);
    }
    *wish_p = WISH_NCCL;
    return HAS_NCCL
               ? PAULIMPI_SUCCESS
               : paulimpi__error(PAULIMPI_ERR_UNSUPPORTED,
                                 "%s: the environment variable "
                                 "PAULIMPI_TRANSPORT is \"nccl\", but the "
                                 "library was built without NCCL (configure "
                                 "--with-nccl)",
                                 function);
}

int
paulimpi__transport_check(const char *function)
{
    int wish;

    return read_wish(function, &wish);
}

int
paulimpi__transport_choose_alone(const char *function, paulimpi_plan *plan)
{
    plan->transport = &paulimpi__transport_mpi;
    snprintf(plan->why_transport, sizeof plan->why_transport, "%s",
             HAS_NCCL ? "what is not a plan goes by MPI"
                      : "the library was built without NCCL");
    return paulimpi__transport_check(function);
}

#ifdef HAVE_NCCL

/* What a rank says, from bad to good: the worst of all counts. */
enum {
    SAYS_FAILED,
    SAYS_NO,
    SAYS_NO_DEVICE,
    SAYS_FROM_ANY,
    SAYS_HOST,
    SAYS_KIND,
    SAYS_STRIDED,
    SAYS_OTHER_DEVICE,
    SAYS_BROKEN,
    SAYS_AWARE,
    SAYS_YES,
    SAYS_NOTHING /* which nobody says, but comes of no messages */
};

/* Why, after "rank 3: ". */
static const char *const said[] = {
    [SAYS_FAILED] = "it could not make the plan",
    [SAYS_NO] = "PAULIMPI_TRANSPORT is mpi",
    [SAYS_NO_DEVICE] = "it has no device",
    [SAYS_FROM_ANY] = "a receive is from any rank",
    [SAYS_HOST] = "a message is in memory of the host",
    [SAYS_KIND] = "a message is in memory of another process, or mapped by "
                  "hand",
    [SAYS_STRIDED] = "its device has no blocks for all messages that are not "
                     "contiguous",
    [SAYS_OTHER_DEVICE] = "a message is in memory of another device than the "
                          "one that NCCL works with",
    [SAYS_BROKEN] = "NCCL failed before",
    [SAYS_AWARE] = "MPI takes memory of devices",
    [SAYS_YES] = "all messages are in memory of devices",
    [SAYS_NOTHING] = "no rank has a message for another"
};

/* What a rank says of one of its messages. */
static int
say_of(paulimpi_context *ctx, const paulimpi__message *message, int wish,
       int device)
{
    int kind = message->kind;

    if (message->peer == PAULIMPI_PEER_NONE || message->partner >= 0) {
        return SAYS_YES;
    }
    if (message->peer == PAULIMPI_PEER_ANY) {
        return SAYS_FROM_ANY;
    }
    if (message->layout.bytes == 0) {
        return SAYS_YES;
    }
    if (kind <= PAULIMPI_MEMORY_PINNED) {
        return SAYS_HOST;
    }
    if (kind != PAULIMPI_MEMORY_DEVICE && kind != PAULIMPI_MEMORY_POOL
        && kind != PAULIMPI_MEMORY_MANAGED) {
        return SAYS_KIND;
    }
    if (message->device != device) {
        return SAYS_OTHER_DEVICE;
    }
    return wish == WISH_AUTO && paulimpi__mpi_takes(ctx, kind, device)
               ? SAYS_AWARE
               : SAYS_YES;
}

/* Bytes of such blocks that a plan may have. */
#define MOST_BLOCKS ((int64_t)64 << 20)

/* Whether a message passes a block of the device on its way. */
static int
wants_block(const paulimpi__message *message)
{
    return message->layout.dimensions > 0 && message->peer >= 0
           && message->partner < 0;
}

/* Whether the device, which must be the current one, has a block for each
 * message that wants one. They go back to the pool, where the plan finds
 * them. */
static int
has_blocks(const paulimpi_plan *plan, int device)
{
    void **block = paulimpi__alloc((size_t)plan->n_messages, sizeof *block);
    int has_all = block != NULL;
    int64_t bytes = 0;
    int n = 0;
    int i;

    for (i = 0; i < plan->n_messages && has_all; i++) {
        const paulimpi__message *message = &plan->message[i];

        if (wants_block(message)) {
            bytes += message->layout.bytes;
            has_all =
                bytes <= MOST_BLOCKS && device == paulimpi_device_current();
            block[n] = !has_all ? NULL
                                : paulimpi__staging_take_on_device(
                                    (size_t)message->layout.bytes);
            has_all = block[n] != NULL;
            n += has_all;
        }
    }
    while (n > 0) {
        paulimpi__staging_give(block[--n]);
    }
    paulimpi__free(block);
    return has_all;
}

/* What a rank says; whether it has anything to send or to receive. */
static int
say(paulimpi_context *ctx, const paulimpi_plan *plan, int wish, int *has_any_p)
{
    int device = paulimpi__nccl_device(ctx);
    int worst = SAYS_YES;
    int i, one;

    if (wish == WISH_MPI) {
        return SAYS_NO;
    }
    device = device >= 0 ? device : paulimpi_device_current();
    if (device < 0) {
        return SAYS_NO_DEVICE;
    }
    if (paulimpi__nccl_failure(ctx) != NULL) {
        return SAYS_BROKEN;
    }
    for (i = 0; i < plan->n_messages; i++) {
        const paulimpi__message *message = &plan->message[i];

        one = say_of(ctx, message, wish, device);
        worst = one < worst ? one : worst;
        *has_any_p |= message->peer >= 0 && message->partner < 0;
    }
    return worst == SAYS_YES && !has_blocks(plan, device) ? SAYS_STRIDED
                                                          : worst;
}

/* A word of a rank. */
typedef struct {
    int says;
    int rank;
} vote;

/* The worst that is said, by the lowest rank that says so. Where no rank has a
 * message nobody need carry any. */
static int
count_votes(const char *function, paulimpi_context *ctx, int says, int has_any,
            vote *worst)
{
    int64_t size = paulimpi_context_size(ctx);
    int64_t word[2] = { says * size + paulimpi_context_rank(ctx), !has_any };
    int rc = paulimpi__reduce_int64(ctx, function, PAULIMPI__MIN, 2, word);

    worst->says = (int)(word[0] / size);
    worst->rank = (int)(word[0] % size);
    if (word[1] != 0 && worst->says == SAYS_YES) {
        worst->says = SAYS_NOTHING;
    }
    return rc;
}

/* The messages of each pair of ranks must meet one by one, as NCCL knows no
 * tags and no lengths; those that meet in another plan are for MPI. */
static int
find_whether_ends_meet(const char *function, paulimpi_plan *plan, int *meet_p)
{
    int rc = PAULIMPI_SUCCESS;

    paulimpi__paths_begin(plan);
    if (!plan->ends_meet) {
        rc =
            paulimpi__agree(plan->ctx, paulimpi__ends_compare(function, plan));
    }
    plan->ends_meet = rc == PAULIMPI_SUCCESS;
    *meet_p = plan->ends_meet;
    return rc == PAULIMPI_ERR_MISMATCH || rc == PAULIMPI_ERR_REMOTE
               ? PAULIMPI_SUCCESS
               : rc;
}

/* All ranks would have it. */
static int
take_nccl(const char *function, paulimpi_plan *plan, int wish)
{
    int meet = 0;
    int rc = find_whether_ends_meet(function, plan, &meet);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (!meet) {
        snprintf(plan->why_transport, sizeof plan->why_transport,
                 "not all messages meet within the plan");
        return PAULIMPI_SUCCESS;
    }
    rc = paulimpi__nccl_open(function, plan->ctx);
    if (rc == PAULIMPI_SUCCESS) {
        plan->transport = &paulimpi__transport_nccl;
        snprintf(plan->why_transport, sizeof plan->why_transport, "%s%s",
                 said[SAYS_YES],
                 wish == WISH_NCCL ? ", and PAULIMPI_TRANSPORT is nccl"
                                   : ", which MPI is not known to take");
        return PAULIMPI_SUCCESS;
    }
    snprintf(plan->why_transport, sizeof plan->why_transport, "%.300s",
             paulimpi_last_error());
    return wish == WISH_NCCL ? rc : PAULIMPI_SUCCESS;
}

int
paulimpi__transport_choose(const char *function, paulimpi_context *ctx,
                           paulimpi_plan *plan, int rc)
{
    vote worst = { SAYS_NOTHING, 0 };
    int wish = WISH_MPI, has_any = 0, says = SAYS_FAILED;
    int failed = rc;

    if (rc == PAULIMPI_SUCCESS) {
        rc = read_wish(function, &wish);
        plan->transport = &paulimpi__transport_mpi;
        if (rc == PAULIMPI_SUCCESS) {
            says = say(ctx, plan, wish, &has_any);
        }
        failed = rc;
    }
    if (paulimpi__context_comm(ctx) != MPI_COMM_NULL) {
        rc = count_votes(function, ctx, says, has_any, &worst);
    }
    if (failed != PAULIMPI_SUCCESS || rc != PAULIMPI_SUCCESS) {
        return failed != PAULIMPI_SUCCESS ? failed : rc;
    }
    if (worst.says == SAYS_YES) {
        return take_nccl(function, plan, wish);
    }
    snprintf(plan->why_transport, sizeof plan->why_transport, "rank %d: %s",
             worst.rank, said[worst.says]);
    return PAULIMPI_SUCCESS;
}

void
paulimpi__transport_describe(paulimpi__text *text)
{
    char version[PAULIMPI__NCCL_VERSION];
    int wish = WISH_MPI;

    paulimpi__nccl_version(version);
    if (read_wish("paulimpi_aware_describe", &wish) != PAULIMPI_SUCCESS) {
        paulimpi__text_append(text, "transports: %s\n", paulimpi_last_error());
        return;
    }
    paulimpi__text_append(
        text, "transports: MPI; NCCL %s %s\n", version,
        wish == WISH_AUTO
            ? "for plans all of whose messages are in memory of devices that "
              "MPI is not known to take"
        : wish == WISH_NCCL
            ? "for plans all of whose messages are in memory of devices, as "
              "PAULIMPI_TRANSPORT is nccl"
            : "is not used, as PAULIMPI_TRANSPORT is mpi");
}

#else

int
paulimpi__transport_choose(const char *function, paulimpi_context *ctx,
                           paulimpi_plan *plan, int rc)
{
    (void)ctx;
    return rc != PAULIMPI_SUCCESS
               ? rc
               : paulimpi__transport_choose_alone(function, plan);
}

void
paulimpi__transport_describe(paulimpi__text *text)
{
    if (paulimpi__transport_check("paulimpi_aware_describe")
        == PAULIMPI_SUCCESS) {
        paulimpi__text_append(text, "transports: MPI; the library was built "
                                    "without NCCL\n");
    } else {
        paulimpi__text_append(text, "transports: %s\n", paulimpi_last_error());
    }
}

#endif /* HAVE_NCCL */
