/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether MPI takes memory of devices: the answers, and how ranks come to the
 * same.
 */
#include "paulimpi/aware.h"

#include <stdio.h>
#include <string.h>

#include "device/device.h"
#include "exchange/awareness.h"

enum { SECONDS_AT_FIRST = 10, MOST_SECONDS = 86400 };

/* What a rank says at first, from bad to good; the lowest of all counts. */
enum {
    SAYS_NO,
    SAYS_UNKNOWN,
    SAYS_TRY,
    SAYS_YES,
    SAYS_NOTHING /* it has no device */
};

/* What is kept with a context. */
typedef struct {
    signed char set[PAULIMPI_MEMORY_KINDS][PAULIMPI_OPERATIONS];
    int is_found;
    int verdict;                       /* SAYS_..., of all ranks */
    char basis[PAULIMPI__REASON_TEXT]; /* why */
    int device; /* that was current, with which MPI is tried */
    paulimpi__outcomes outcomes;
} awareness;

static void
forget(void *kept)
{
    paulimpi__free(kept);
}

/* What is kept, made at the first call; NULL without memory. */
static awareness *
keep(paulimpi_context *ctx)
{
    awareness *known =
        paulimpi__context_kept_part(ctx, PAULIMPI__KEPT_AWARENESS);

    if (known == NULL) {
        known = paulimpi__alloc_zero(1, sizeof *known);
        if (known != NULL) {
            memset(known->set, PAULIMPI_AWARE_UNKNOWN, sizeof known->set);
            paulimpi__context_keep_part(ctx, PAULIMPI__KEPT_AWARENESS, known,
                                        forget);
        }
    }
    return known;
}

/* Write a reason, if anybody wants it. */
static void because(char reason[PAULIMPI__REASON_TEXT], const char *format,
                    ...) PAULIMPI__PRINTF(2, 3);

static void
because(char reason[PAULIMPI__REASON_TEXT], const char *format, ...)
{
    va_list arguments;

    if (reason != NULL) {
        va_start(arguments, format);
        vsnprintf(reason, PAULIMPI__REASON_TEXT, format, arguments);
        va_end(arguments);
    }
}

/* The answers. */

/* The row of outcomes of a kind, or -1 if it is not tried. */
static int
tried_row(int kind)
{
    int i;

    for (i = 0; i < PAULIMPI__TRIED_KINDS; i++) {
        if (paulimpi__tried_kind[i] == kind) {
            return i;
        }
    }
    return -1;
}

static const char *
whither(int to)
{
    switch (to) {
    case PAULIMPI__TO_SELF:
        return " of a rank to itself";
    case PAULIMPI__TO_NODE:
        return " between ranks of a node";
    case PAULIMPI__TO_OTHER:
        return " between nodes";
    default:
        return "";
    }
}

/* What a trial showed, as a sentence. */
static void
explain_outcome(const awareness *known, int row, int operation,
                char reason[PAULIMPI__REASON_TEXT])
{
    static const char *const what[] = {
        "it was tried, and the bytes were right",
        "it was not tried",
        "there was no memory to try it",
        "MPI_Pack gave other bytes",
        "MPI_Pack failed",
        "MPI_Pack touched it from the host",
        "other bytes came than were sent",
        "bytes beside the message were written",
        "MPI failed",
        "nothing came in time",
        "MPI crashed"
    };
    int outcome = known->outcomes.value[row][operation];
    int tried = paulimpi__outcome_tried(outcome);

    if (tried == PAULIMPI__TRIED_GOOD) {
        because(reason, "%s; %s", known->basis, what[tried]);
    } else if (tried < PAULIMPI__TRIED_WRONG) {
        because(reason, "%s; but %s", known->basis, what[tried]);
    } else {
        because(reason, "%s; but in a %s of %zu bytes%s, %s (rank %d)",
                known->basis,
                paulimpi__outcome_to(outcome) == PAULIMPI__TO_ALL
                    ? "collective operation"
                    : "message",
                paulimpi__outcome_bytes(outcome),
                whither(paulimpi__outcome_to(outcome)), what[tried],
                known->outcomes.rank[row][operation]);
    }
}

/* The answer of a trial, or what stands in its place. */
static int
answer_tried(const awareness *known, int kind, int operation,
             char reason[PAULIMPI__REASON_TEXT])
{
    int row = tried_row(kind);

    if (row < 0) {
        because(reason,
                "%s memory is not tried: paulimpi_aware_set() may say so",
                paulimpi__memory_name(kind));
        return PAULIMPI_AWARE_NO;
    }
    explain_outcome(known, row, operation, reason);
    return known->outcomes.value[row][operation] == 0 ? PAULIMPI_AWARE_YES
                                                      : PAULIMPI_AWARE_NO;
}

/* The answer of what was found for all ranks. */
static int
answer_found(const awareness *known, int kind, int operation,
             char reason[PAULIMPI__REASON_TEXT])
{
    because(reason, "%s", known->basis);
    if (known->verdict == SAYS_UNKNOWN) {
        return PAULIMPI_AWARE_UNKNOWN;
    }
    if (known->verdict == SAYS_NO || known->verdict == SAYS_NOTHING) {
        return PAULIMPI_AWARE_NO;
    }
    if (operation > PAULIMPI_OPERATION_COLLECTIVE) {
        because(reason,
                "%s operations crash with many an MPI: "
                "paulimpi_aware_set() may say that they do not",
                operation == PAULIMPI_OPERATION_ONE_SIDED
                    ? "one-sided"
                    : "nonblocking collective");
        return PAULIMPI_AWARE_NO;
    }
    if (known->verdict == SAYS_YES) {
        return PAULIMPI_AWARE_YES;
    }
    return answer_tried(known, kind, operation, reason);
}

static int
answer(const awareness *known, int kind, int operation,
       char reason[PAULIMPI__REASON_TEXT])
{
    if (kind == PAULIMPI_MEMORY_HOST || kind == PAULIMPI_MEMORY_PINNED) {
        because(reason, "every MPI takes memory of the host");
        return PAULIMPI_AWARE_YES;
    }
    if (kind == PAULIMPI_MEMORY_IMPORTED) {
        because(reason, "memory of another process never reaches MPI");
        return PAULIMPI_AWARE_NO;
    }
    if (known != NULL
        && known->set[kind][operation] != PAULIMPI_AWARE_UNKNOWN) {
        because(reason, "paulimpi_aware_set() said so");
        return known->set[kind][operation];
    }
    if (known == NULL || !known->is_found) {
        because(reason,
                "nobody has looked yet: paulimpi_aware_probe() does, and so "
                "does the first plan with memory of a device");
        return PAULIMPI_AWARE_UNKNOWN;
    }
    return answer_found(known, kind, operation, reason);
}

static int
check(paulimpi_context *ctx, const char *function)
{
    return paulimpi__handle_check(ctx, PAULIMPI__HANDLE_CONTEXT, function,
                                  "ctx");
}

static int
check_kind(const char *function, int kind, int operation)
{
    if (kind < 0 || kind >= PAULIMPI_MEMORY_KINDS) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: kind is %d, but must be one of "
                               "PAULIMPI_MEMORY_...",
                               function, kind);
    }
    if (operation < 0 || operation >= PAULIMPI_OPERATIONS) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: operation is %d, but must be one of "
                               "PAULIMPI_OPERATION_...",
                               function, operation);
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi_aware(paulimpi_context *ctx, int kind, int operation, int *state_p,
               char **reason_p)
{
    static const char function[] = "paulimpi_aware";
    char reason[PAULIMPI__REASON_TEXT];
    int rc = check(ctx, function);
    int state;

    if (rc == PAULIMPI_SUCCESS) {
        rc = check_kind(function, kind, operation);
    }
    if (rc == PAULIMPI_SUCCESS && state_p == NULL) {
        rc = paulimpi__null(function, "state_p");
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    state = answer(paulimpi__context_kept_part(ctx, PAULIMPI__KEPT_AWARENESS),
                   kind, operation, reason_p == NULL ? NULL : reason);
    if (reason_p != NULL) {
        *reason_p = paulimpi__strdup(reason);
        if (*reason_p == NULL) {
            return paulimpi__no_memory(function, strlen(reason) + 1);
        }
    }
    *state_p = state;
    return PAULIMPI_SUCCESS;
}

/* Saying it. */

static int
check_set(const char *function, int kind, int operation, int state)
{
    int is_settable = kind == PAULIMPI_AWARE_ALL
                      || (kind >= PAULIMPI_MEMORY_MANAGED
                          && kind < PAULIMPI_MEMORY_IMPORTED);

    if (!is_settable) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: kind is %d, but must be one of "
                               "PAULIMPI_MEMORY_MANAGED, DEVICE, POOL and "
                               "VIRTUAL, or PAULIMPI_AWARE_ALL",
                               function, kind);
    }
    if (operation != PAULIMPI_AWARE_ALL
        && check_kind(function, 0, operation) != PAULIMPI_SUCCESS) {
        return PAULIMPI_ERR_ARGUMENT;
    }
    if (state < PAULIMPI_AWARE_UNKNOWN || state > PAULIMPI_AWARE_YES) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: state is %d, but must be "
                               "PAULIMPI_AWARE_YES, NO or UNKNOWN",
                               function, state);
    }
    return PAULIMPI_SUCCESS;
}

/* Whether all ranks said the same. */
static int
check_same(paulimpi_context *ctx, const char *function, const int said[3])
{
    int64_t most[6];
    int i;
    int rc;

    for (i = 0; i < 3; i++) {
        most[i] = said[i];
        most[3 + i] = -said[i];
    }
    rc = paulimpi__reduce_int64(ctx, function, PAULIMPI__MAX, 6, most);
    for (i = 0; rc == PAULIMPI_SUCCESS && i < 3; i++) {
        if (most[i] != -most[3 + i]) {
            rc = paulimpi__error(PAULIMPI_ERR_MISMATCH,
                                 "%s: the ranks give different arguments: "
                                 "here kind is %d, operation %d and state %d",
                                 function, said[0], said[1], said[2]);
        }
    }
    return rc;
}

int
paulimpi_aware_set(paulimpi_context *ctx, int kind, int operation, int state)
{
    static const char function[] = "paulimpi_aware_set";
    const int said[3] = { kind, operation, state };
    awareness *known = NULL;
    int rc = check(ctx, function);
    int i, j;

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = check_set(function, kind, operation, state);
    if (rc == PAULIMPI_SUCCESS) {
        known = keep(ctx);
        rc = known == NULL ? paulimpi__no_memory(function, sizeof *known) : 0;
    }
    rc = paulimpi__agree(ctx, rc);
    if (rc == PAULIMPI_SUCCESS) {
        rc = check_same(ctx, function, said);
    }
    for (i = PAULIMPI_MEMORY_MANAGED;
         rc == PAULIMPI_SUCCESS && i < PAULIMPI_MEMORY_IMPORTED; i++) {
        for (j = 0; j < PAULIMPI_OPERATIONS; j++) {
            if ((kind == PAULIMPI_AWARE_ALL || kind == i)
                && (operation == PAULIMPI_AWARE_ALL || operation == j)) {
                known->set[i][j] = (signed char)state;
            }
        }
    }
    return rc;
}

/* Finding it out. */

/* What this rank says, and why. */
static int
say(const paulimpi__hints *hints, char reason[PAULIMPI__REASON_TEXT])
{
    if (hints->n_devices == 0) {
        because(reason, "there is no device");
        return SAYS_NOTHING;
    }
    switch (hints->wish) {
    case PAULIMPI__WISH_NO:
        because(reason, "PAULIMPI_GPU_AWARE is no");
        return SAYS_NO;
    case PAULIMPI__WISH_YES:
        because(reason, "PAULIMPI_GPU_AWARE is yes");
        return SAYS_YES;
    case PAULIMPI__WISH_PROBE:
        because(reason, "PAULIMPI_GPU_AWARE is probe");
        return SAYS_TRY;
    default:
        switch (paulimpi__hints_decide(hints, reason)) {
        case PAULIMPI_AWARE_YES:
            return SAYS_TRY;
        case PAULIMPI_AWARE_NO:
            return SAYS_NO;
        default:
            return SAYS_UNKNOWN;
        }
    }
}

/* What decides on all ranks is what the lowest rank says of those that say the
 * worst; it also gives the number that tells trials apart. */
static int
settle(paulimpi_context *ctx, awareness *known, uint64_t *nonce)
{
    static const char function[] = "paulimpi_aware_probe";
    int64_t size = paulimpi_context_size(ctx);
    int64_t worst = known->verdict * size + paulimpi_context_rank(ctx);
    int rc = paulimpi__reduce_int64(ctx, function, PAULIMPI__MIN, 1, &worst);

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__share_bytes(ctx, function, (int)(worst % size),
                                   known->basis, sizeof known->basis);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__share_bytes(ctx, function, 0, nonce, sizeof *nonce);
    }
    known->verdict = (int)(worst / size);
    return rc;
}

/* A number that no earlier trial had. */
static uint64_t
make_nonce(void)
{
    double now = paulimpi__seconds();
    uint64_t bits;

    memcpy(&bits, &now, sizeof bits);
    return bits;
}

/* After all ranks have said what they know. */
static int
find_together(paulimpi_context *ctx, awareness *known, double timeout)
{
    uint64_t nonce = make_nonce();
    double begin = paulimpi__seconds();
    int rc = settle(ctx, known, &nonce);

    if (rc == PAULIMPI_SUCCESS && known->verdict == SAYS_TRY) {
        rc = paulimpi__probe(ctx, nonce, timeout, &known->outcomes);
        if (rc != PAULIMPI_SUCCESS) {
            known->verdict = SAYS_NO;
            snprintf(known->basis, sizeof known->basis,
                     "the search for GPU-aware MPI failed");
        }
    }
    paulimpi__log(PAULIMPI__LOG_INFO, "GPU-aware MPI: %s; took %.3f seconds",
                  known->basis, paulimpi__seconds() - begin);
    return rc;
}

int
paulimpi__aware_find_by(paulimpi_context *ctx, const paulimpi__hints *hints)
{
    static const char function[] = "paulimpi_aware_probe";
    awareness *known = keep(ctx);
    int64_t timeout = SECONDS_AT_FIRST;
    int rc;

    rc = known == NULL ? paulimpi__no_memory(function, sizeof *known)
                       : PAULIMPI_SUCCESS;
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__env_int64("PAULIMPI_PROBE_TIMEOUT", 1, MOST_SECONDS,
                                 &timeout);
    }
    rc = paulimpi__agree(ctx, rc);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    known->verdict = say(hints, known->basis);
    known->device = paulimpi_device_current();
    if (paulimpi__context_comm(ctx) == MPI_COMM_NULL) {
        known->verdict = SAYS_NOTHING;
        snprintf(known->basis, sizeof known->basis,
                 "the context does without MPI");
    } else {
        rc = find_together(ctx, known, (double)timeout);
    }
    known->is_found = 1;
    return rc;
}

int
paulimpi__aware_device(paulimpi_context *ctx, int kind)
{
    const awareness *known =
        paulimpi__context_kept_part(ctx, PAULIMPI__KEPT_AWARENESS);
    int is_tried = known != NULL && known->is_found
                   && known->verdict == SAYS_TRY
                   && known->set[kind][PAULIMPI_OPERATION_MESSAGE]
                          == PAULIMPI_AWARE_UNKNOWN;

    return is_tried ? known->device : -1;
}

int
paulimpi__aware_find(paulimpi_context *ctx)
{
    const awareness *known =
        paulimpi__context_kept_part(ctx, PAULIMPI__KEPT_AWARENESS);
    paulimpi__hints hints;
    int rc;

    if (known != NULL && known->is_found) {
        return PAULIMPI_SUCCESS;
    }
    rc = paulimpi__agree(
        ctx, paulimpi__hints_collect(paulimpi__context_comm(ctx), &hints));
    return rc == PAULIMPI_SUCCESS ? paulimpi__aware_find_by(ctx, &hints) : rc;
}

int
paulimpi__names_device(int n, const paulimpi_message *messages)
{
    paulimpi_memory memory = PAULIMPI_MEMORY_INIT;
    int n_devices = 0;
    int i;

    paulimpi_device_count(&n_devices);
    for (i = 0; n_devices > 0 && messages != NULL && i < n; i++) {
        if (paulimpi_memory_describe(messages[i].region.base, &memory)
                == PAULIMPI_SUCCESS
            && memory.kind > PAULIMPI_MEMORY_PINNED) {
            return 1;
        }
    }
    return 0;
}

int
paulimpi__aware_find_if(paulimpi_context *ctx, int is_needed)
{
    enum { HAS_NONE, HAS_DEVICE, NEEDS_IT };
    const awareness *known =
        paulimpi__context_kept_part(ctx, PAULIMPI__KEPT_AWARENESS);
    int n_devices = 0;
    int64_t most;
    int rc;

    if ((known != NULL && known->is_found)
        || paulimpi__context_comm(ctx) == MPI_COMM_NULL) {
        return PAULIMPI_SUCCESS;
    }
    paulimpi_device_count(&n_devices);
    most = is_needed ? NEEDS_IT : n_devices > 0 ? HAS_DEVICE : HAS_NONE;
    rc = paulimpi__reduce_int64(ctx, "paulimpi_aware_probe", PAULIMPI__MAX, 1,
                                &most);
    return rc != PAULIMPI_SUCCESS || most == HAS_DEVICE
               ? rc
               : paulimpi__aware_find(ctx);
}

int
paulimpi_aware_probe(paulimpi_context *ctx)
{
    int rc = check(ctx, "paulimpi_aware_probe");

    return rc == PAULIMPI_SUCCESS ? paulimpi__aware_find(ctx) : rc;
}

int
paulimpi_aware_require(paulimpi_context *ctx)
{
    static const char function[] = "paulimpi_aware_require";
    char reason[PAULIMPI__REASON_TEXT];
    paulimpi__hints hints;
    const awareness *known;
    int rc = check(ctx, function);

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__aware_find(ctx);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    known = paulimpi__context_kept_part(ctx, PAULIMPI__KEPT_AWARENESS);
    if (known->verdict == SAYS_NOTHING
        || answer(known, PAULIMPI_MEMORY_DEVICE, PAULIMPI_OPERATION_MESSAGE,
                  reason)
               == PAULIMPI_AWARE_YES) {
        return PAULIMPI_SUCCESS;
    }
    (void)paulimpi__hints_collect(MPI_COMM_NULL, &hints);
    return paulimpi__error(PAULIMPI_ERR_UNSUPPORTED,
                           "%s: MPI does not take memory of devices: %s. MPI "
                           "is \"%s\": %s; or give the memory to "
                           "paulimpi_exchange(), which works with every MPI",
                           function, reason, hints.version,
                           paulimpi__mpi_advice(hints.family));
}
