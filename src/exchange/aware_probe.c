/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Trying whether MPI takes memory of devices: first by a call that can do no
 * harm, then by messages whose bytes are compared.
 */
#include <string.h>

#include "device/device.h"
#include "exchange/account.h"
#include "exchange/awareness.h"

#define PROBE "the search for GPU-aware MPI"

/* A message for each way in which MPIs send them, and the empty one. It begins
 * inside its allocation, where MPI has to find that out, and has bytes beside
 * it that must stay. */
static const size_t message_bytes[] = { 0, 64, 65536, (size_t)4 << 20 };
enum {
    N_SIZES = sizeof message_bytes / sizeof message_bytes[0],
    MOST_BYTES = 4 << 20,
    PACK_SIZE = 2, /* of the sizes, for MPI_Pack */
    OFFSET = 320,
    GUARD = 64,
    ROOM = OFFSET + MOST_BYTES + GUARD,
    GUARD_BYTE = 0xa5
};

const int paulimpi__tried_kind[PAULIMPI__TRIED_KINDS] = {
    PAULIMPI_MEMORY_DEVICE, PAULIMPI_MEMORY_MANAGED, PAULIMPI_MEMORY_POOL
};

enum { OUTCOME_TRIED = 100, OUTCOME_BYTES = 10 };

int
paulimpi__outcome(int tried, int bytes_index, int to)
{
    return tried * OUTCOME_TRIED + bytes_index * OUTCOME_BYTES + to;
}

int
paulimpi__outcome_tried(int outcome)
{
    return outcome / OUTCOME_TRIED;
}

int
paulimpi__outcome_to(int outcome)
{
    return outcome % OUTCOME_BYTES;
}

size_t
paulimpi__outcome_bytes(int outcome)
{
    return message_bytes[outcome / OUTCOME_BYTES % OUTCOME_BYTES];
}

/* Memory of one kind, with the host's memory to fill it from and to look at
 * it. */
typedef struct {
    void *send;
    void *receive;
    char *host; /* ROOM bytes */
} buffers;

/* As MPI_2INT has it. */
typedef struct {
    int value;
    int rank;
} pair;

/* The trial: what its steps share. What MPI may still write to after a failure
 * is never freed, but stays in a list. */
typedef struct attempt {
    struct attempt *next;
    MPI_Comm all;
    MPI_Comm node;  /* the ranks of this node */
    MPI_Comm other; /* one rank of every node that has so many */
    int nodes;
    int size;
    int rank;
    uint64_t nonce;
    double timeout;
    int i;                 /* the kind that is being tried */
    int is_silent;         /* nothing more comes from others in time */
    pair own[2], worst[2]; /* outcomes by operation, while ranks agree */
    buffers memory;
} attempt;

static attempt *abandoned;

/* Words that differ by sender, nonce and place. */
static uint64_t
key_of(const attempt *trial, int to, int sender)
{
    uint32_t counter[4] = { (uint32_t)sender, (uint32_t)to, (uint32_t)trial->i,
                            0 };
    uint32_t key[2] = { (uint32_t)trial->nonce,
                        (uint32_t)(trial->nonce >> 32) };
    uint32_t out[4];

    paulimpi__philox(counter, key, out);
    return (uint64_t)out[1] << 32 | out[0];
}

static uint64_t
word_of(uint64_t key, size_t i)
{
    return key ^ (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static void
fill(char *memory, size_t bytes, uint64_t key)
{
    size_t i;

    for (i = 0; i < bytes / sizeof key; i++) {
        uint64_t word = word_of(key, i);

        memcpy(memory + i * sizeof word, &word, sizeof word);
    }
}

static int
is_filled(const char *memory, size_t bytes, uint64_t key)
{
    uint64_t wrong = 0;
    size_t i;

    for (i = 0; i < bytes / sizeof key; i++) {
        uint64_t word;

        memcpy(&word, memory + i * sizeof word, sizeof word);
        wrong |= word ^ word_of(key, i);
    }
    return wrong == 0;
}

static int
is_guard(const char *memory)
{
    int i;

    for (i = 0; i < GUARD && (unsigned char)memory[i] == GUARD_BYTE; i++) {
    }
    return i == GUARD;
}

/* A copy to or from the tried memory that is over when it returns. */
static int
copy(void *to, const void *from, size_t bytes)
{
    int rc = paulimpi_memory_copy(to, from, bytes, NULL);

    return rc != PAULIMPI_SUCCESS
               ? rc
               : paulimpi__device_wait(PROBE, paulimpi_device_current());
}

/* Make the message to send. */
static int
put_message(const buffers *memory, size_t bytes, uint64_t key)
{
    fill(memory->host, bytes, key);
    return copy((char *)memory->send + OFFSET, memory->host, bytes);
}

/* Spoil the place for what comes: no byte is what it will be. */
static int
put_poison(const buffers *memory, size_t bytes, uint64_t key)
{
    memset(memory->host, GUARD_BYTE, GUARD);
    fill(memory->host + GUARD, bytes, ~key);
    memset(memory->host + GUARD + bytes, GUARD_BYTE, GUARD);
    return copy((char *)memory->receive + OFFSET - GUARD, memory->host,
                bytes + 2 * (size_t)GUARD);
}

/* PAULIMPI__TRIED_... by what came. */
static int
look(const buffers *memory, size_t bytes, uint64_t key)
{
    if (copy(memory->host, (char *)memory->receive + OFFSET - GUARD,
             bytes + 2 * (size_t)GUARD)
        != PAULIMPI_SUCCESS) {
        return PAULIMPI__TRIED_FAILED;
    }
    if (!is_filled(memory->host + GUARD, bytes, key)) {
        return PAULIMPI__TRIED_WRONG;
    }
    return is_guard(memory->host) && is_guard(memory->host + GUARD + bytes)
               ? PAULIMPI__TRIED_GOOD
               : PAULIMPI__TRIED_BEYOND;
}

/* Keep the worst. */
static void
note(attempt *trial, int operation, int tried, int bytes_index, int to)
{
    int *value = &trial->own[operation].value;
    int outcome = tried == PAULIMPI__TRIED_GOOD
                      ? 0
                      : paulimpi__outcome(tried, bytes_index, to);

    *value = outcome > *value ? outcome : *value;
}

/* A receive that is not cancelled would take the next message. */
static void
give_up(attempt *trial, MPI_Request request[2])
{
    int i;

    trial->is_silent = 1;
    if (request[0] != MPI_REQUEST_NULL) {
        MPI_Cancel(&request[0]);
    }
    for (i = 0; i < 2; i++) {
        if (request[i] != MPI_REQUEST_NULL) {
            MPI_Request_free(&request[i]);
        }
    }
}

/* Wait for both requests, but not longer than the limit. */
static int
wait_for(attempt *trial, MPI_Request request[2])
{
    double begin = paulimpi__seconds();
    MPI_Status status[2];
    int rc = MPI_SUCCESS;
    int is_done = 0;

    while (rc == MPI_SUCCESS && !is_done
           && paulimpi__seconds() - begin < trial->timeout) {
        rc = MPI_Testall(2, request, &is_done, status);
    }
    if (request[0] != MPI_REQUEST_NULL || request[1] != MPI_REQUEST_NULL) {
        give_up(trial, request);
    }
    return rc != MPI_SUCCESS ? PAULIMPI__TRIED_FAILED
           : is_done         ? PAULIMPI__TRIED_GOOD
                             : PAULIMPI__TRIED_SILENT;
}

/* Pass a message on around a communicator. Whatever fails here, the neighbours
 * wait for theirs: both are posted. */
static int
pass(attempt *trial, MPI_Comm comm, int to, size_t bytes)
{
    const buffers *memory = &trial->memory;
    MPI_Request request[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    int rank, size, left, right, n_failed, tried;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    left = to == PAULIMPI__TO_SELF ? rank : (rank + size - 1) % size;
    right = to == PAULIMPI__TO_SELF ? rank : (rank + 1) % size;
    n_failed = put_message(memory, bytes, key_of(trial, to, rank)) != 0;
    n_failed += put_poison(memory, bytes, key_of(trial, to, left)) != 0;
    n_failed += MPI_Irecv((char *)memory->receive + OFFSET, (int)bytes,
                          MPI_BYTE, left, 0, comm, &request[0])
                != MPI_SUCCESS;
    n_failed += MPI_Isend((char *)memory->send + OFFSET, (int)bytes, MPI_BYTE,
                          right, 0, comm, &request[1])
                != MPI_SUCCESS;
    paulimpi__count(PAULIMPI_COUNT_PROBE, (int64_t)bytes);
    tried = wait_for(trial, request);
    if (n_failed > 0) {
        return PAULIMPI__TRIED_FAILED;
    }
    return tried != PAULIMPI__TRIED_GOOD
               ? tried
               : look(memory, bytes, key_of(trial, to, left));
}

/* Other kinds than the first are not sent in all ways, which would take its
 * time: not to the rank itself, and the largest message only to the farthest
 * rank that there is. */
static int
is_spared(const attempt *trial, int to, int bytes_index)
{
    return trial->i > 0
           && (to == PAULIMPI__TO_SELF
               || (to == PAULIMPI__TO_NODE && trial->nodes > 1
                   && bytes_index == N_SIZES - 1));
}

static void
try_messages(void *data)
{
    attempt *trial = data;
    const struct {
        MPI_Comm comm;
        int to;
        int least; /* ranks that it takes */
    } ways[] = { { trial->node, PAULIMPI__TO_SELF, 1 },
                 { trial->node, PAULIMPI__TO_NODE, 2 },
                 { trial->other, PAULIMPI__TO_OTHER, 2 } };
    int way, i, size;

    for (way = 0; way < (int)(sizeof ways / sizeof ways[0]); way++) {
        MPI_Comm_size(ways[way].comm, &size);
        for (i = 0; size >= ways[way].least && i < N_SIZES; i++) {
            if (!trial->is_silent && !is_spared(trial, ways[way].to, i)) {
                note(trial, PAULIMPI_OPERATION_MESSAGE,
                     pass(trial, ways[way].comm, ways[way].to,
                          message_bytes[i]),
                     i, ways[way].to);
            }
        }
    }
}

/* Word i of rank r is i (r + 1): PAULIMPI__TRIED_... by the sum of all. */
static int
try_sum(attempt *trial, size_t bytes)
{
    const buffers *memory = &trial->memory;
    int64_t *word = (int64_t *)memory->host;
    size_t n = bytes / sizeof *word;
    int64_t ranks = trial->size;
    size_t i;

    for (i = 0; i < n; i++) {
        word[i] = (int64_t)i * (trial->rank + 1);
    }
    copy((char *)memory->send + OFFSET, word, bytes);
    memset(word, GUARD_BYTE, bytes);
    copy((char *)memory->receive + OFFSET, word, bytes);
    if (MPI_Allreduce((char *)memory->send + OFFSET,
                      (char *)memory->receive + OFFSET, (int)n, MPI_INT64_T,
                      MPI_SUM, trial->all)
            != MPI_SUCCESS
        || copy(word, (char *)memory->receive + OFFSET, bytes)
               != PAULIMPI_SUCCESS) {
        return PAULIMPI__TRIED_FAILED;
    }
    for (i = 0; i < n; i++) {
        if (word[i] != (int64_t)i * (ranks * (ranks + 1) / 2)) {
            return PAULIMPI__TRIED_WRONG;
        }
    }
    return PAULIMPI__TRIED_GOOD;
}

/* A block for every rank, of as much as there is room for. */
static int
try_alltoall(attempt *trial, size_t bytes)
{
    const buffers *memory = &trial->memory;
    uint64_t own = key_of(trial, PAULIMPI__TO_ALL, trial->rank);
    int n = trial->size;
    int i;

    for (i = 0; i < n; i++) {
        fill(memory->host + i * bytes, bytes, own + (uint64_t)i);
    }
    copy((char *)memory->send + OFFSET, memory->host, n * bytes);
    memset(memory->host, GUARD_BYTE, n * bytes);
    copy((char *)memory->receive + OFFSET, memory->host, n * bytes);
    if (MPI_Alltoall((char *)memory->send + OFFSET, (int)bytes, MPI_BYTE,
                     (char *)memory->receive + OFFSET, (int)bytes, MPI_BYTE,
                     trial->all)
            != MPI_SUCCESS
        || copy(memory->host, (char *)memory->receive + OFFSET, n * bytes)
               != PAULIMPI_SUCCESS) {
        return PAULIMPI__TRIED_FAILED;
    }
    for (i = 0; i < n; i++) {
        if (!is_filled(memory->host + i * bytes, bytes,
                       key_of(trial, PAULIMPI__TO_ALL, i)
                           + (uint64_t)trial->rank)) {
            return PAULIMPI__TRIED_WRONG;
        }
    }
    return PAULIMPI__TRIED_GOOD;
}

static int
try_bcast(attempt *trial, size_t bytes)
{
    const buffers *memory = &trial->memory;
    uint64_t key = key_of(trial, PAULIMPI__TO_ALL, -1);

    fill(memory->host, bytes, trial->rank == 0 ? key : ~key);
    copy((char *)memory->receive + OFFSET, memory->host, bytes);
    if (MPI_Bcast((char *)memory->receive + OFFSET, (int)bytes, MPI_BYTE, 0,
                  trial->all)
            != MPI_SUCCESS
        || copy(memory->host, (char *)memory->receive + OFFSET, bytes)
               != PAULIMPI_SUCCESS) {
        return PAULIMPI__TRIED_FAILED;
    }
    return is_filled(memory->host, bytes, key) ? PAULIMPI__TRIED_GOOD
                                               : PAULIMPI__TRIED_WRONG;
}

static void
try_collectives(void *data)
{
    attempt *trial = data;
    int i;

    for (i = 1; i < N_SIZES - 1; i++) {
        note(trial, PAULIMPI_OPERATION_COLLECTIVE,
             try_sum(trial, message_bytes[i]), i, PAULIMPI__TO_ALL);
        note(trial, PAULIMPI_OPERATION_COLLECTIVE,
             try_bcast(trial, message_bytes[i]), i, PAULIMPI__TO_ALL);
        if (message_bytes[i] <= MOST_BYTES / (size_t)trial->size) {
            note(trial, PAULIMPI_OPERATION_COLLECTIVE,
                 try_alltoall(trial, message_bytes[i]), i, PAULIMPI__TO_ALL);
        }
    }
}

/* Packing is local and holds no lock: an MPI that touches what it must not is
 * found out here, and goes on. */
static void
try_pack(void *data)
{
    attempt *trial = data;
    const buffers *memory = &trial->memory;
    size_t bytes = message_bytes[PACK_SIZE];
    uint64_t key = key_of(trial, PAULIMPI__TO_SELF, trial->rank);
    int position = 0;
    int tried = PAULIMPI__TRIED_PACK_FAILED;

    if (put_message(memory, bytes, key) == PAULIMPI_SUCCESS) {
        fill(memory->host, bytes, ~key);
        if (MPI_Pack((char *)memory->send + OFFSET, (int)bytes, MPI_BYTE,
                     memory->host, (int)bytes, &position, trial->all)
            == MPI_SUCCESS) {
            tried = is_filled(memory->host, bytes, key)
                        ? PAULIMPI__TRIED_GOOD
                        : PAULIMPI__TRIED_PACK_WRONG;
        }
    }
    note(trial, PAULIMPI_OPERATION_MESSAGE, tried, PACK_SIZE,
         PAULIMPI__TO_SELF);
}

/* Take the worst outcomes of all ranks. */
static int
agree(attempt *trial)
{
    MPI_Request request = MPI_REQUEST_NULL;
    double begin = paulimpi__seconds();
    int is_done = 0;
    int rc;

    if (trial->is_silent) {
        note(trial, PAULIMPI_OPERATION_MESSAGE, PAULIMPI__TRIED_SILENT, 0, 0);
    }
    trial->own[0].rank = trial->own[1].rank = trial->rank;
    rc = MPI_Iallreduce(trial->own, trial->worst, 2, MPI_2INT, MPI_MAXLOC,
                        trial->all, &request);
    while (rc == MPI_SUCCESS && !is_done) {
        rc = MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
        if (!is_done && paulimpi__seconds() - begin > 2 * trial->timeout) {
            trial->is_silent = 1;
            return paulimpi__error(
                PAULIMPI_ERR_TIMEOUT,
                PROBE ": not all ranks answered within %g seconds: MPI may "
                      "have crashed on one of them; PAULIMPI_GPU_AWARE=no "
                      "does without the search",
                2 * trial->timeout);
        }
    }
    trial->own[0].value = trial->worst[0].value;
    trial->own[1].value = trial->worst[1].value;
    if (paulimpi__outcome_tried(trial->own[0].value)
        == PAULIMPI__TRIED_SILENT) {
        trial->is_silent = 1;
    }
    return paulimpi__mpi_error(rc, PROBE, "MPI_Iallreduce");
}

/* What was found of packing and messages holds for all else. */
static void
hand_on(attempt *trial)
{
    if (trial->own[1].value < trial->own[0].value) {
        trial->own[1].value = trial->own[0].value;
    }
}

static void
prepare(attempt *trial)
{
    int kind = paulimpi__tried_kind[trial->i];
    buffers *memory = &trial->memory;

    if (memory->host == NULL) {
        memory->host = paulimpi__alloc(1, ROOM);
    }
    if (memory->host == NULL
        || paulimpi_memory_create(kind, ROOM, &memory->send)
               != PAULIMPI_SUCCESS
        || paulimpi_memory_create(kind, ROOM, &memory->receive)
               != PAULIMPI_SUCCESS) {
        note(trial, 0, PAULIMPI__TRIED_NO_MEMORY, 0, 0);
    }
}

/* Call a step that may crash: without one that is handed on, MPI cannot be
 * used any more. */
static int
step(attempt *trial, void (*try)(void *trial))
{
    if (paulimpi__guarded(try, trial) == 0) {
        hand_on(trial);
        return agree(trial);
    }
    trial->is_silent = 1;
    return paulimpi__error(
        PAULIMPI_ERR_MPI,
        PROBE ": MPI said that it takes %s memory, packed some, and crashed "
              "on a %s: it must not be used any more in this process; "
              "PAULIMPI_GPU_AWARE=no does without the search",
        paulimpi__memory_name(paulimpi__tried_kind[trial->i]),
        try == try_messages ? "message" : "collective operation");
}

static int
try_kind(attempt *trial)
{
    int rc;

    trial->own[0].value = trial->own[1].value = 0;
    prepare(trial);
    hand_on(trial);
    rc = agree(trial);
    if (rc == PAULIMPI_SUCCESS && trial->own[0].value == 0) {
        if (paulimpi__guarded(try_pack, trial) != 0) {
            note(trial, 0, PAULIMPI__TRIED_PACK_CRASHED, PACK_SIZE, 0);
        }
        hand_on(trial);
        rc = agree(trial);
    }
    if (rc == PAULIMPI_SUCCESS && trial->own[0].value == 0) {
        rc = step(trial, try_messages);
    }
    if (rc == PAULIMPI_SUCCESS && trial->own[0].value == 0) {
        rc = step(trial, try_collectives);
    }
    if (!trial->is_silent) {
        paulimpi_memory_destroy(&trial->memory.send);
        paulimpi_memory_destroy(&trial->memory.receive);
    }
    return rc;
}

/* The communicators of the trial. */
static int
split(paulimpi_context *ctx, attempt *trial)
{
    paulimpi_placement place = PAULIMPI_PLACEMENT_INIT;
    int rc;

    paulimpi_context_placement(ctx, &place);
    trial->nodes = place.nodes;
    trial->all = paulimpi__context_comm(ctx);
    MPI_Comm_rank(trial->all, &trial->rank);
    MPI_Comm_size(trial->all, &trial->size);
    rc = MPI_Comm_split(trial->all, place.node, trial->rank, &trial->node);
    if (rc == MPI_SUCCESS) {
        rc = MPI_Comm_split(trial->all, place.node_rank, trial->rank,
                            &trial->other);
    }
    return paulimpi__agree(ctx,
                           paulimpi__mpi_error(rc, PROBE, "MPI_Comm_split"));
}

static void
end(attempt *trial)
{
    if (trial->is_silent) {
        trial->next = abandoned;
        abandoned = trial;
        return;
    }
    if (trial->node != MPI_COMM_NULL) {
        MPI_Comm_free(&trial->node);
    }
    if (trial->other != MPI_COMM_NULL) {
        MPI_Comm_free(&trial->other);
    }
    paulimpi__free(trial->memory.host);
    paulimpi__free(trial);
}

int
paulimpi__probe(paulimpi_context *ctx, uint64_t nonce, double timeout,
                paulimpi__outcomes *outcomes)
{
    attempt *trial = paulimpi__alloc_zero(1, sizeof *trial);
    int rc = trial == NULL ? paulimpi__no_memory(PROBE, sizeof *trial) : 0;
    int i, j;

    rc = paulimpi__agree(ctx, rc);
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi__free(trial);
        return rc;
    }
    trial->node = trial->other = MPI_COMM_NULL;
    trial->nonce = nonce;
    trial->timeout = timeout;
    rc = split(ctx, trial);
    for (i = 0; rc == PAULIMPI_SUCCESS && i < PAULIMPI__TRIED_KINDS; i++) {
        trial->i = i;
        if (!trial->is_silent) {
            rc = try_kind(trial);
        }
        for (j = 0; j < 2; j++) {
            outcomes->value[i][j] = trial->worst[j].value;
            outcomes->rank[i][j] = trial->worst[j].rank;
        }
    }
    end(trial);
    return rc;
}
