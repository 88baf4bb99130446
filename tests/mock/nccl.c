/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mock of NCCL: communicators and groups.
 */
#include "mock/nccl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mock/mock.h"
#include "mock/mock_nccl.h"
#include "mock/nccl_boxes.h"

enum { MOST_CALLS = 32, NAME = 32, MOST_OPS = 1024, LOOKS = 3 };

typedef enum { READY, STARTING, LAUNCHING, ENDING, ENDED, ABORTED } stage;

typedef struct op {
    struct ncclComm *comm;
    cudaStream_t stream;
    int is_send;
    int peer;
    boxes_side side;
    int is_done;
} op;

typedef struct {
    struct ncclComm *comm;
    int n;
    op op[];
} group;

struct ncclComm {
    struct ncclComm *next;
    boxes *boxes;
    int rank;
    int n;
    int device;
    stage stage;
    int looks; /* until what is in progress is done */
    int n_running;
    group *group; /* to be launched */
};

static struct ncclComm *comms;
static int64_t bytes_sent;

static struct call {
    char name[NAME];
    int64_t calls;
    int countdown;
    int code;
} calls[MOST_CALLS];

/* The group that is open. */
static struct {
    int depth;
    int n;
    op op[MOST_OPS];
} open_group;

static struct call *
find(const char *name)
{
    int i;

    for (i = 0; i < MOST_CALLS - 1 && strcmp(calls[i].name, name) != 0; i++) {
        if (calls[i].name[0] == '\0') {
            snprintf(calls[i].name, NAME, "%s", name);
            break;
        }
    }
    return &calls[i];
}

static ncclResult_t
begin(const char *name)
{
    struct call *it = find(name);

    it->calls++;
    return it->countdown > 0 && --it->countdown == 0 ? (ncclResult_t)it->code
                                                     : ncclSuccess;
}

/* The body of a function after this is for calls that do not fail. */
#define BEGIN                                                                 \
    do {                                                                      \
        ncclResult_t begun = begin(__func__);                                 \
        if (begun != ncclSuccess) {                                           \
            return begun;                                                     \
        }                                                                     \
    } while (0)

int64_t
mock_nccl_calls(const char *name)
{
    return find(name)->calls;
}

void
mock_nccl_fail(const char *name, int which, int code)
{
    find(name)->countdown = which;
    find(name)->code = code;
}

int64_t
mock_nccl_live(void)
{
    const struct ncclComm *it;
    int64_t n = 0;

    for (it = comms; it != NULL; it = it->next) {
        n += it->stage != ENDED && it->stage != ABORTED;
    }
    return n;
}

int64_t
mock_nccl_bytes(void)
{
    return bytes_sent;
}

ncclResult_t
ncclGetVersion(int *version)
{
    BEGIN;
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

const char *
ncclGetErrorString(ncclResult_t code)
{
    static const char *const text[] = { "no error",
                                        "unhandled cuda error",
                                        "unhandled system error",
                                        "internal error",
                                        "invalid argument",
                                        "invalid usage",
                                        "remote process exited",
                                        "in progress" };

    return (size_t)code < sizeof text / sizeof text[0] ? text[code] : "?";
}

const char *
ncclGetLastError(ncclComm_t comm)
{
    return comm == NULL ? "" : "as the mock was told";
}

/* Communicators. */

ncclResult_t
ncclGetUniqueId(ncclUniqueId *id)
{
    BEGIN;
    return boxes_create(id->internal, sizeof id->internal) ? ncclSuccess
                                                           : ncclSystemError;
}

ncclResult_t
ncclCommInitRankConfig(ncclComm_t *comm_p, int n, ncclUniqueId id, int rank,
                       ncclConfig_t *config)
{
    struct ncclComm *it;
    int device = -1;

    BEGIN;
    if (config->blocking != 0 || cudaGetDevice(&device) != cudaSuccess) {
        return ncclInvalidArgument;
    }
    it = calloc(1, sizeof *it);
    it->boxes = boxes_open(id.internal);
    it->rank = rank;
    it->n = n;
    it->device = device;
    it->stage = STARTING;
    it->looks = LOOKS;
    it->next = comms;
    comms = it;
    if (it->boxes == NULL) {
        it->stage = ABORTED;
        return ncclSystemError;
    }
    boxes_enter(it->boxes, rank, device);
    *comm_p = it;
    return ncclInProgress;
}

static int step_group(void *data);

/* Put the group of a communicator into its stream. */
static ncclResult_t
launch(struct ncclComm *comm)
{
    group *it = comm->group;

    comm->group = NULL;
    comm->stage = READY;
    comm->n_running++;
    return mock_find()->ask(it->op[0].stream, step_group, it) == 0
               ? ncclSuccess
               : ncclUnhandledCudaError;
}

ncclResult_t
ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *state)
{
    BEGIN;
    *state = ncclSuccess;
    if (comm->stage >= ENDED) {
        return ncclInvalidArgument;
    }
    if (boxes_is_aborted(comm->boxes)) {
        *state = ncclRemoteError;
    } else if (comm->stage == STARTING
               && !boxes_are_entered(comm->boxes, comm->n)) {
        *state = ncclInProgress;
    } else if (comm->stage == STARTING
               && !boxes_differ(comm->boxes, comm->n)) {
        *state = ncclInvalidUsage;
    } else if (comm->stage != READY && comm->looks-- > 0) {
        *state = ncclInProgress;
    } else if (comm->stage == LAUNCHING) {
        *state = launch(comm);
    } else if (comm->stage == STARTING) {
        comm->stage = READY;
    }
    return ncclSuccess;
}

ncclResult_t
ncclCommFinalize(ncclComm_t comm)
{
    BEGIN;
    if (comm->stage != READY) {
        return ncclInvalidUsage;
    }
    comm->stage = ENDING;
    comm->looks = LOOKS;
    return ncclInProgress;
}

/* Memory of communicators stays, so that late uses are found. */
ncclResult_t
ncclCommDestroy(ncclComm_t comm)
{
    BEGIN;
    if (comm->stage != ENDING || comm->n_running > 0) {
        return ncclInvalidUsage;
    }
    comm->stage = ENDED;
    boxes_close(comm->boxes);
    return ncclSuccess;
}

ncclResult_t
ncclCommAbort(ncclComm_t comm)
{
    BEGIN;
    if (comm->stage >= ENDED) {
        return ncclInvalidUsage;
    }
    comm->stage = ABORTED;
    free(comm->group);
    comm->group = NULL;
    boxes_abort(comm->boxes);
    return ncclSuccess;
}

/* Groups. */

ncclResult_t
ncclGroupStart(void)
{
    BEGIN;
    open_group.depth++;
    return ncclSuccess;
}

static ncclResult_t
close_group(void)
{
    struct ncclComm *comm = open_group.op[0].comm;
    size_t bytes = sizeof(group) + (size_t)open_group.n * sizeof(op);
    group *it;

    if (open_group.n == 0) {
        return ncclSuccess;
    }
    it = malloc(bytes);
    it->comm = comm;
    it->n = open_group.n;
    memcpy(it->op, open_group.op, (size_t)open_group.n * sizeof(op));
    open_group.n = 0;
    comm->group = it;
    comm->stage = LAUNCHING;
    comm->looks = LOOKS;
    return ncclInProgress;
}

ncclResult_t
ncclGroupEnd(void)
{
    ncclResult_t code = begin(__func__);

    if (--open_group.depth > 0) {
        return ncclSuccess;
    }
    if (code != ncclSuccess) {
        open_group.n = 0;
        return code;
    }
    return close_group();
}

static ncclResult_t
add(const op *wanted)
{
    const struct ncclComm *comm = wanted->comm;

    if (comm->stage != READY || open_group.n == MOST_OPS
        || (open_group.n > 0 && open_group.op[0].comm != comm)) {
        return ncclInvalidUsage;
    }
    if (wanted->peer < 0 || wanted->peer >= comm->n
        || wanted->peer == comm->rank
        || mock_find()->device(wanted->side.memory) != comm->device) {
        return ncclInvalidArgument;
    }
    open_group.op[open_group.n++] = *wanted;
    return open_group.depth > 0 ? ncclSuccess : close_group();
}

ncclResult_t
ncclSend(const void *from, size_t n, ncclDataType_t type, int peer,
         ncclComm_t comm, cudaStream_t stream)
{
    const op wanted = { comm, stream, 1, peer, { (char *)from, n, 0 }, 0 };

    BEGIN;
    return type == ncclInt8 && n > 0 ? add(&wanted) : ncclInvalidArgument;
}

ncclResult_t
ncclRecv(void *to, size_t n, ncclDataType_t type, int peer, ncclComm_t comm,
         cudaStream_t stream)
{
    const op wanted = { comm, stream, 0, peer, { to, n, 0 }, 0 };

    BEGIN;
    return type == ncclInt8 && n > 0 ? add(&wanted) : ncclInvalidArgument;
}

/* Push one operation on. */
static int
step(op *it)
{
    boxes *all = it->comm->boxes;
    int rank = it->comm->rank;

    if (it->is_send) {
        it->is_done = boxes_send(all, rank, it->peer, &it->side);
        bytes_sent += it->is_done ? (int64_t)it->side.bytes : 0;
    } else {
        it->is_done = boxes_receive(all, it->peer, rank, &it->side);
    }
    return it->is_done;
}

/* Push a group on, in the turn of its stream: 1 when it is complete. Of the
 * operations with a peer one way the first must be done before the next. */
static int
step_group(void *data)
{
    group *it = data;
    char busy[2][MOST_BOXED] = { { 0 } };
    int n_left = 0;
    int i;

    for (i = 0; i < it->n && !boxes_is_aborted(it->comm->boxes); i++) {
        op *one = &it->op[i];

        if (!one->is_done && !busy[one->is_send][one->peer] && !step(one)) {
            busy[one->is_send][one->peer] = 1;
        }
        n_left += !one->is_done;
    }
    if (n_left > 0 && !boxes_is_aborted(it->comm->boxes)) {
        return 0;
    }
    it->comm->n_running--;
    free(it);
    return 1;
}
