/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collective operations from and to memory of all kinds, against what plain
 * loops give, bit by bit. Without a device all memory is the host's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock/mock.h"
#include "mock/shim.h"
#include "paulimpi/aware.h"
#include "paulimpi/collective.h"
#include "tap/tap_mpi.h"

enum {
    MOST_RANKS = 8,
    MOST_COUNT = 3000,
    MOST_BYTES = 16 * MOST_RANKS * MOST_COUNT
};

enum {
    BROADCAST,
    ALLGATHER,
    ALLGATHERV,
    ALLTOALL,
    ALLTOALLV,
    REDUCE,
    ALLREDUCE,
    OPERATIONS
};

static const char *const name[OPERATIONS] = { "broadcast",  "allgather",
                                              "allgatherv", "alltoall",
                                              "alltoallv",  "reduce",
                                              "allreduce" };

static paulimpi_context *ctx;
static int rank, size, n_devices;
static paulimpi_stream producer, consumer;
static uint64_t state;

/* The same numbers on all ranks. */
static int
roll(int n)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (int)((state >> 33) % (uint64_t)n);
}

/* What a case is about, the same on all ranks but for what they may choose. */
typedef struct {
    int operation;
    int type;
    int op;
    int root;
    int is_in_place;
    int64_t count;
    int64_t counts[MOST_RANKS][MOST_RANKS]; /* [from][to] */
    int64_t gap; /* elements between parts on this rank, -1: none given */
    size_t element;
} trial;

/* The elements that a rank has, and what is left of a buffer. */
static unsigned char given[MOST_RANKS][MOST_BYTES];
static unsigned char want[MOST_BYTES], got[MOST_BYTES];

static void
fill_given(const trial *t)
{
    int r;
    size_t i;

    for (r = 0; r < size; r++) {
        uint64_t seed = (uint64_t)r * 77 + 5 + state;

        for (i = 0; i < MOST_BYTES / 8; i++) {
            uint64_t word;
            double number;
            float half[2];

            seed = seed * UINT64_C(6364136223846793005) + 99991;
            word = seed ^ seed >> 29;
            number = (double)(int64_t)(word >> 40) / 7.0 - 1e6;
            half[0] = (float)number;
            half[1] = (float)(word & 1023) / 3.0f - 100.0f;
            if (t->type == PAULIMPI_FLOAT64
                || t->type == PAULIMPI_COMPLEX128) {
                memcpy(&given[r][8 * i], &number, 8);
            } else if (t->type == PAULIMPI_FLOAT32
                       || t->type == PAULIMPI_COMPLEX64) {
                memcpy(&given[r][8 * i], half, 8);
            } else {
                memcpy(&given[r][8 * i], &word, 8);
            }
        }
    }
}

/* Memory. */

typedef struct {
    void *base;
    size_t bytes;
    void *written; /* what the producer reads */
} buffer;

static void
create(buffer *b, size_t bytes, const unsigned char *data)
{
    static const int kinds[] = {
        PAULIMPI_MEMORY_DEVICE, PAULIMPI_MEMORY_HOST,   PAULIMPI_MEMORY_POOL,
        PAULIMPI_MEMORY_HOST,   PAULIMPI_MEMORY_PINNED, PAULIMPI_MEMORY_MANAGED
    };
    static int n_created;

    if (paulimpi_memory_create(kinds[(n_created++ + 3 * rank) % 6], bytes,
                               &b->base)
        != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no memory: %s", paulimpi_last_error());
    }
    if (n_devices > 0) {
        paulimpi_stream_wait(NULL);
    }
    b->bytes = bytes;
    b->written = malloc(bytes + 1);
    memcpy(b->written, data, bytes);
    paulimpi_memory_copy(b->base, b->written, bytes, producer);
}

static void
take(buffer *b, unsigned char *data)
{
    paulimpi_memory_copy(data, b->base, b->bytes, consumer);
    paulimpi_stream_wait(consumer);
    paulimpi_stream_wait(producer);
    free(b->written);
    paulimpi_memory_destroy(&b->base);
}

/* Reductions by plain loops. */

#define REDUCE_BY(T, x, y)                                                    \
    (t->op == PAULIMPI_REDUCE_SUM       ? (T)((x) + (y))                      \
     : t->op == PAULIMPI_REDUCE_PRODUCT ? (T)((x) * (y))                      \
     : t->op == PAULIMPI_REDUCE_MIN     ? ((y) < (x) ? (y) : (x))             \
                                        : ((y) > (x) ? (y) : (x)))

static void
reduce_complex(const trial *t, double *x, const double *y)
{
    double re =
        t->op == PAULIMPI_REDUCE_SUM ? x[0] + y[0] : x[0] * y[0] - x[1] * y[1];
    double im =
        t->op == PAULIMPI_REDUCE_SUM ? x[1] + y[1] : x[0] * y[1] + x[1] * y[0];

    x[0] = re;
    x[1] = im;
}

static void
reduce_complex_floats(const trial *t, float *x, const float *y)
{
    float a = x[0] * y[0], b = x[1] * y[1];
    float c = x[0] * y[1], d = x[1] * y[0];

    if (t->op == PAULIMPI_REDUCE_SUM) {
        x[0] += y[0];
        x[1] += y[1];
    } else {
        x[0] = a - b;
        x[1] = c + d;
    }
}

static void
reduce_one(const trial *t, void *into, const void *from)
{
    unsigned char *a = into;
    const unsigned char *b = from;
    size_t i;

    if (t->op >= PAULIMPI_REDUCE_AND) {
        for (i = 0; i < t->element; i++) {
            a[i] =
                (unsigned char)(t->op == PAULIMPI_REDUCE_AND  ? a[i] & b[i]
                                : t->op == PAULIMPI_REDUCE_OR ? a[i] | b[i]
                                                              : a[i] ^ b[i]);
        }
        return;
    }
    switch (t->type) {
    case PAULIMPI_INT32: {
        int32_t x, y;

        memcpy(&x, a, 4);
        memcpy(&y, b, 4);
        x = t->op <= PAULIMPI_REDUCE_PRODUCT
                ? (int32_t)REDUCE_BY(uint32_t, (uint32_t)x, (uint32_t)y)
                : REDUCE_BY(int32_t, (int64_t)x, (int64_t)y);
        memcpy(a, &x, 4);
        break;
    }
    case PAULIMPI_INT64: {
        int64_t x, y;

        memcpy(&x, a, 8);
        memcpy(&y, b, 8);
        if (t->op <= PAULIMPI_REDUCE_PRODUCT) {
            x = (int64_t)REDUCE_BY(uint64_t, (uint64_t)x, (uint64_t)y);
        } else {
            x = (t->op == PAULIMPI_REDUCE_MIN) == (y < x) ? y : x;
        }
        memcpy(a, &x, 8);
        break;
    }
    case PAULIMPI_UINT64: {
        uint64_t x, y;

        memcpy(&x, a, 8);
        memcpy(&y, b, 8);
        x = REDUCE_BY(uint64_t, x, y);
        memcpy(a, &x, 8);
        break;
    }
    case PAULIMPI_FLOAT32: {
        float x, y;

        memcpy(&x, a, 4);
        memcpy(&y, b, 4);
        x = REDUCE_BY(float, x, y);
        memcpy(a, &x, 4);
        break;
    }
    case PAULIMPI_FLOAT64: {
        double x, y;

        memcpy(&x, a, 8);
        memcpy(&y, b, 8);
        x = REDUCE_BY(double, x, y);
        memcpy(a, &x, 8);
        break;
    }
    case PAULIMPI_COMPLEX64: {
        float x[2], y[2];

        memcpy(x, a, 8);
        memcpy(y, b, 8);
        reduce_complex_floats(t, x, y);
        memcpy(a, x, 8);
        break;
    }
    default: {
        double x[2], y[2];

        memcpy(x, a, 16);
        memcpy(y, b, 16);
        reduce_complex(t, x, y);
        memcpy(a, x, 16);
    }
    }
}

/* One trial. */

static int
is_valid(const trial *t)
{
    int is_complex = t->type >= PAULIMPI_COMPLEX64;
    int is_float = t->type >= PAULIMPI_FLOAT32;

    if (t->operation < REDUCE) {
        return 1;
    }
    return !(t->op >= PAULIMPI_REDUCE_AND && is_float)
           && !(t->op <= PAULIMPI_REDUCE_MAX && t->type == PAULIMPI_BYTE)
           && !(t->op >= PAULIMPI_REDUCE_MIN && is_complex);
}

static int64_t
roll_count(int largest)
{
    return roll(4) == 0 ? roll(3) : roll(largest);
}

static void
make_trial(trial *t, int operation)
{
    int i, j;

    t->operation = operation;
    do {
        t->type = PAULIMPI_BYTE + roll(PAULIMPI_COMPLEX128);
        t->op = PAULIMPI_REDUCE_SUM + roll(PAULIMPI_REDUCE_XOR);
    } while (!is_valid(t));
    t->element = paulimpi_type_bytes(t->type);
    t->root = roll(size);
    t->is_in_place = roll(3) == 0;
    t->count = roll_count(MOST_COUNT);
    for (i = 0; i < MOST_RANKS; i++) {
        for (j = 0; j < MOST_RANKS; j++) {
            t->counts[i][j] = roll_count(MOST_COUNT / 2);
        }
    }
    for (i = 0; i < MOST_RANKS; i++) {
        for (j = 0; j < MOST_RANKS; j++) {
            if (operation == ALLTOALLV && t->is_in_place) {
                t->counts[i][j] = t->counts[j][i];
            } else if (operation == ALLGATHERV) {
                t->counts[i][j] = t->counts[i][0];
            } else if (operation != ALLTOALLV) {
                t->counts[i][j] = t->count;
            }
        }
    }
    t->gap = operation == ALLTOALLV || operation == ALLGATHERV
                 ? (roll(3) + rank) % 3 - 1
                 : -1;
    fill_given(t);
}

/* Where parts are on a rank: those from each other, or for each. */
static void
place(const trial *t, int r, int is_receive, int64_t counts[MOST_RANKS],
      int64_t at[MOST_RANKS])
{
    int64_t end = 0;
    int i;

    for (i = 0; i < size; i++) {
        counts[i] = is_receive ? t->counts[i][r] : t->counts[r][i];
        end += t->gap > 0 && r == rank ? t->gap : 0;
        at[i] = end;
        end += counts[i];
    }
}

/* Where in given[r] the part for a rank begins: the other ranks' gaps are not
 * known, so that what is given is as if there were none. */
static const unsigned char *
part_of(const trial *t, int r, int to)
{
    int64_t counts[MOST_RANKS], at[MOST_RANKS];
    int64_t gap = t->gap;
    trial plain = *t;

    (void)gap;
    plain.gap = -1;
    place(&plain, r, 0, counts, at);
    return t->operation >= ALLTOALL ? given[r] + (size_t)at[to] * t->element
                                    : given[r];
}

/* Fill want, which is the receive buffer before, with what comes; and, in
 * place, got with what stands there. */
static size_t
set_moves(const trial *t)
{
    int64_t counts[MOST_RANKS], at[MOST_RANKS];
    size_t end = 0;
    int i;

    place(t, rank, 1, counts, at);
    for (i = 0; i < size; i++) {
        size_t n = (size_t)counts[i] * t->element;
        size_t begin = (size_t)at[i] * t->element;

        if (t->is_in_place && (t->operation >= ALLTOALL || i == rank)) {
            memcpy(got + begin, part_of(t, rank, i), n);
        }
        memcpy(want + begin, part_of(t, i, rank), n);
        end = begin + n;
    }
    return end;
}

static void
set_reduction(const trial *t)
{
    size_t n = (size_t)t->count;
    size_t i;
    int r;

    if (t->is_in_place && (t->operation == ALLREDUCE || rank == t->root)) {
        memcpy(got, given[rank], n * t->element);
    }
    if (t->operation == REDUCE && rank != t->root) {
        return;
    }
    memcpy(want, given[0], n * t->element);
    for (r = 1; r < size; r++) {
        for (i = 0; i < n; i++) {
            reduce_one(t, want + i * t->element, given[r] + i * t->element);
        }
    }
}

/* The bytes of the receive buffer. */
static size_t
set_want(const trial *t)
{
    size_t bytes = (size_t)t->count * t->element;

    memset(want, 0xee, sizeof want);
    memset(got, 0xee, sizeof got);
    if (t->operation == BROADCAST) {
        memcpy(want, given[t->root], bytes);
        if (rank == t->root) {
            memcpy(got, given[rank], bytes);
        }
        return bytes;
    }
    if (t->operation < REDUCE) {
        return set_moves(t);
    }
    set_reduction(t);
    return bytes;
}

static int
call(const trial *t, const void *send, void *receive,
     const int64_t *send_counts, const int64_t *send_at,
     const int64_t *receive_counts, const int64_t *receive_at,
     const paulimpi_exchange_options *options)
{
    switch (t->operation) {
    case BROADCAST:
        return paulimpi_broadcast(ctx, receive, t->count, t->type, t->root,
                                  options);
    case ALLGATHER:
        return paulimpi_allgather(ctx, send, t->count, t->type, receive,
                                  options);
    case ALLGATHERV:
        return paulimpi_allgatherv(ctx, send, t->type, receive, receive_counts,
                                   receive_at, options);
    case ALLTOALL:
        return paulimpi_alltoall(ctx, send, t->count, t->type, receive,
                                 options);
    case ALLTOALLV:
        return paulimpi_alltoallv(ctx, send, send_counts, send_at, t->type,
                                  receive, receive_counts, receive_at,
                                  options);
    case REDUCE:
        return paulimpi_reduce(ctx, send, receive, t->count, t->type, t->op,
                               t->root, options);
    default:
        return paulimpi_allreduce(ctx, send, receive, t->count, t->type, t->op,
                                  options);
    }
}

/* Bring what this rank sends into its place, with gaps as they are. */
static size_t
set_send(const trial *t, unsigned char *data)
{
    int64_t counts[MOST_RANKS], at[MOST_RANKS];
    size_t end = (size_t)t->count * t->element;
    int i;

    if (t->operation == ALLGATHERV) {
        end = (size_t)t->counts[rank][0] * t->element;
    }
    memcpy(data, given[rank], end);
    if (t->operation == ALLTOALL || t->operation == ALLTOALLV) {
        place(t, rank, 0, counts, at);
        for (i = 0; i < size; i++) {
            size_t begin = (size_t)at[i] * t->element;

            end = begin + (size_t)counts[i] * t->element;
            memcpy(data + begin, part_of(t, rank, i), end - begin);
        }
    }
    return end;
}

static void
set_options(paulimpi_exchange_options *options, int i)
{
    *options = (paulimpi_exchange_options)PAULIMPI_EXCHANGE_OPTIONS_INIT;
    options->after_stream = producer;
    if (i % 2 == 0) {
        options->before_stream = consumer;
    }
    if (i % 3 == 0) {
        options->timeout = 60.0;
    }
}

/* Whether all went well. */
static int
is_right(int operation, int i)
{
    static unsigned char sent[MOST_BYTES];
    int64_t send_counts[MOST_RANKS], send_at[MOST_RANKS];
    int64_t receive_counts[MOST_RANKS], receive_at[MOST_RANKS];
    paulimpi_exchange_options options;
    buffer send, receive;
    trial t;
    int is_in_place, has_at, rc;

    make_trial(&t, operation);
    has_at = t.gap >= 0;
    is_in_place = t.is_in_place && (operation != REDUCE || rank == t.root);
    create(&receive, set_want(&t), got);
    create(&send, set_send(&t, sent), sent);
    place(&t, rank, 0, send_counts, send_at);
    place(&t, rank, 1, receive_counts, receive_at);
    set_options(&options, i + rank);
    rc = call(&t, is_in_place ? PAULIMPI_IN_PLACE : send.base, receive.base,
              send_counts, has_at ? send_at : NULL, receive_counts,
              has_at ? receive_at : NULL, n_devices > 0 ? &options : NULL);
    take(&send, sent);
    take(&receive, got);
    if (rc == PAULIMPI_SUCCESS && memcmp(got, want, receive.bytes) == 0) {
        return 1;
    }
    tap_note("rank %d, trial %d: %s, type %d, op %d, root %d, count %d%s: %s",
             rank, i, name[operation], t.type, t.op, t.root, (int)t.count,
             is_in_place ? ", in place" : "",
             rc == PAULIMPI_SUCCESS ? "wrong bytes" : paulimpi_last_error());
    return 0;
}

static void
test_trials(const char *fact, int n)
{
    int operation, i, n_wrong;

    for (operation = 0; operation < OPERATIONS; operation++) {
        n_wrong = 0;
        for (i = 0; i < n; i++) {
            n_wrong += !is_right(operation, i);
        }
        tap_mpi_is_int(n_wrong, 0, "%s, %s", name[operation], fact);
    }
}

/* A receive of the user's is under way, with any tag that an operation could
 * have, and nothing for it has been sent. */
static void
test_apart(void)
{
    double mine = 100 + rank, came[8] = { 0 }, all[MOST_RANKS];
    paulimpi_message sends[8], receives[8];
    paulimpi_plan *sending, *receiving;
    int i, n_wrong = 0;
    int rc = PAULIMPI_SUCCESS;

    for (i = 0; i < 8; i++) {
        sends[i] = (paulimpi_message){ paulimpi_region_1d(&mine, sizeof mine),
                                       (rank + 1) % size, i };
        receives[i] =
            (paulimpi_message){ paulimpi_region_1d(&came[i], sizeof mine),
                                PAULIMPI_PEER_ANY, i };
    }
    paulimpi_plan_create(ctx, 0, NULL, 8, receives, NULL, &receiving);
    paulimpi_plan_create(ctx, 8, sends, 0, NULL, NULL, &sending);
    paulimpi_plan_start(receiving, NULL);
    rc = paulimpi_allgather(ctx, &mine, 1, PAULIMPI_FLOAT64, all, NULL);
    paulimpi_plan_start(sending, NULL);
    paulimpi_plan_wait(sending);
    paulimpi_plan_wait(receiving);
    for (i = 0; i < 8; i++) {
        n_wrong += came[i] != 100 + (rank + size - 1) % size;
    }
    tap_mpi_ok(rc == PAULIMPI_SUCCESS && n_wrong == 0,
               "messages of users are left alone");
    paulimpi_plan_destroy(&sending);
    paulimpi_plan_destroy(&receiving);
}

/* On a context without MPI. */
static void
test_serial(void)
{
    paulimpi_context *with_mpi = ctx;

    paulimpi_context_create_serial(NULL, &ctx);
    test_trials("without MPI", 6);
    paulimpi_context_destroy(&ctx);
    ctx = with_mpi;
}

int
main(int argc, char **argv)
{
    int status;

    setenv("PAULIMPI_TIMEOUT", "60", 0);
    setenv("PAULIMPI_GPU_AWARE", "no", 1);
    unsetenv("PAULIMPI_TEST_PIECE_BYTES");
    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    rank = paulimpi_context_rank(ctx);
    size = paulimpi_context_size(ctx);
    paulimpi_device_count(&n_devices);
    paulimpi_stream_create(&producer);
    paulimpi_stream_create(&consumer);

    if (size > 1) {
        test_apart();
    } else {
        test_serial();
    }
    test_trials("lazy streams", 6);
    setenv("PAULIMPI_TEST_PIECE_BYTES", "1000", 1);
    mock_order("random", 5);
    test_trials("small pieces", 6);
    tap_mpi_is_int(shim_device_buffers(), 0, "MPI has seen no device");
    setenv("PAULIMPI_CHECK", "collective", 1);
    shim_mode(SHIM_AWARE);
    tap_mpi_is_status(paulimpi_aware_set(ctx, PAULIMPI_AWARE_ALL,
                                         PAULIMPI_OPERATION_MESSAGE,
                                         PAULIMPI_AWARE_YES),
                      PAULIMPI_SUCCESS, "now MPI takes memory of devices");
    test_trials("to devices", 6);
    tap_mpi_ok(n_devices == 0 || size == 1 || shim_device_buffers() > 0,
               "and has been given it");
    tap_mpi_is_int(mock_faults(), 0, "nothing was touched that must not be");

    paulimpi_stream_destroy(&producer);
    paulimpi_stream_destroy(&consumer);
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
