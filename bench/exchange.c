/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plans of messages against plain MPI calls for the same messages. A sample is
 * a pair of runs, one of each right after the other, in turns which first; what
 * is told is the median of all samples, and the median of the differences of
 * pairs. On one rank the messages go to itself.
 */
#include "exchange.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../tools/tool.h"

enum {
    PAIRS = 41, /* samples for each repeat */
    MOST_MESSAGES = 8,
    MOST_RESULTS = 24,
    NAME = 64,
    ROWS = 4096,
    PITCH = 64, /* doubles */
    POOL_BLOCK = 1 << 20
};

/* The two sides of a comparison, and what they work on. */
typedef struct side side;
struct side {
    void (*raw)(side *s);
    int cycles; /* in a run */
    int peer;
    int n;        /* messages each way */
    size_t bytes; /* of one */
    int join;     /* the plan's messages travel as one */
    int width;    /* doubles of a column */
    char *from, *to;
    char *send, *receive; /* packed, or in the host's memory */
    paulimpi_stream stream;
    MPI_Comm comm;
    paulimpi_plan *plan;
};

typedef struct {
    const char *kind; /* contiguous, cycle, joined, columns, staging */
    int64_t messages;
    int64_t bytes;     /* of a message */
    int64_t row_bytes; /* of columns */
    double raw;        /* seconds */
    double plan;
    double difference; /* median of those of pairs */
    double limit;      /* of the difference */
} result;

typedef struct {
    paulimpi_context *ctx;
    MPI_Comm comm;
    int rank;
    int peer;
    int pairs;
    double *raw, *plan, *difference; /* a number for each pair */
    int n_devices;
    double probe; /* seconds */
    int answer;   /* PAULIMPI_AWARE_... */
    char *reason;
    int64_t pool_limit;
    int64_t pool_blocks; /* that fitted */
    int n_results;
    result results[MOST_RESULTS];
} bench;

static double
seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The sides. */

static void
exchange_by_mpi(side *s, char *from, char *to)
{
    MPI_Request request[2 * MOST_MESSAGES];
    int i;

    for (i = 0; i < s->n; i++) {
        MPI_Irecv(to + (size_t)i * s->bytes, (int)s->bytes, MPI_BYTE, s->peer,
                  i, s->comm, &request[i]);
    }
    for (i = 0; i < s->n; i++) {
        MPI_Isend(from + (size_t)i * s->bytes, (int)s->bytes, MPI_BYTE,
                  s->peer, i, s->comm, &request[s->n + i]);
    }
    MPI_Waitall(2 * s->n, request, MPI_STATUSES_IGNORE);
}

static void
run_contiguous(side *s)
{
    exchange_by_mpi(s, s->from, s->to);
}

static void
run_columns(side *s)
{
    const double *from = (const double *)s->from;
    double *to = (double *)s->to;
    double *send = (double *)s->send;
    const double *receive = (const double *)s->receive;
    int i, j;

    for (i = 0; i < ROWS; i++) {
        for (j = 0; j < s->width; j++) {
            send[i * s->width + j] = from[i * PITCH + j];
        }
    }
    exchange_by_mpi(s, s->send, s->receive);
    for (i = 0; i < ROWS; i++) {
        for (j = 0; j < s->width; j++) {
            to[i * PITCH + j] = receive[i * s->width + j];
        }
    }
}

static void
run_staging(side *s)
{
    paulimpi_memory_copy(s->send, s->from, s->bytes, s->stream);
    paulimpi_stream_wait(s->stream);
    exchange_by_mpi(s, s->send, s->receive);
    paulimpi_memory_copy(s->to, s->receive, s->bytes, s->stream);
    paulimpi_stream_wait(s->stream);
}

static void
run_plan(side *s)
{
    paulimpi_plan_start(s->plan, NULL);
    paulimpi_plan_wait(s->plan);
}

/* Samples. */

static double
time_of(void (*run)(side *s), side *s)
{
    double start;
    int i;

    MPI_Barrier(s->comm);
    start = seconds();
    for (i = 0; i < s->cycles; i++) {
        run(s);
    }
    return (seconds() - start) / s->cycles;
}

static int
compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double
median(double *value, int n)
{
    qsort(value, (size_t)n, sizeof *value, compare_doubles);
    return value[n / 2];
}

static void
compare(bench *b, side *s, result *r)
{
    int i;

    time_of(s->raw, s);
    time_of(run_plan, s);
    for (i = 0; i < b->pairs; i++) {
        if (i % 2 == 0) {
            b->raw[i] = time_of(s->raw, s);
        }
        b->plan[i] = time_of(run_plan, s);
        if (i % 2 == 1) {
            b->raw[i] = time_of(s->raw, s);
        }
        b->difference[i] = b->plan[i] - b->raw[i];
    }
    r->raw = median(b->raw, b->pairs);
    r->plan = median(b->plan, b->pairs);
    r->difference = median(b->difference, b->pairs);
}

static int
cycles_for(size_t bytes)
{
    return bytes <= 4096 ? 100 : bytes <= 262144 ? 10 : 1;
}

static result *
add_result(bench *b, const char *kind, const side *s)
{
    result *r = &b->results[b->n_results++];

    *r =
        (result){ .kind = kind, .messages = s->n, .bytes = (int64_t)s->bytes };
    return r;
}

/* Make the plan of a side, whose regions are given, and compare. */
static int
compare_with_plan(bench *b, side *s, const paulimpi_message *sends,
                  const paulimpi_message *receives, result *r)
{
    int rc = paulimpi_plan_create(b->ctx, s->n, sends, s->n, receives,
                                  PAULIMPI_EXCHANGE_OPTIONS(.join = s->join),
                                  &s->plan);

    if (rc == PAULIMPI_SUCCESS) {
        compare(b, s, r);
        paulimpi_plan_destroy(&s->plan);
    }
    return rc;
}

/* The cases. */

static int
bench_contiguous(bench *b, const char *kind, int n, size_t bytes, int join)
{
    paulimpi_message sends[MOST_MESSAGES], receives[MOST_MESSAGES];
    side s = { .raw = run_contiguous,
               .cycles = cycles_for(bytes),
               .peer = b->peer,
               .n = n,
               .bytes = bytes,
               .join = join,
               .comm = b->comm };
    result *r = add_result(b, kind, &s);
    int rc = PAULIMPI_ERR_MEMORY;
    int i;

    s.from = calloc((size_t)n, bytes);
    s.to = calloc((size_t)n, bytes);
    if (s.from != NULL && s.to != NULL) {
        for (i = 0; i < n; i++) {
            size_t at = (size_t)i * bytes;

            sends[i] =
                (paulimpi_message){ paulimpi_region_1d(s.from + at, bytes),
                                    b->peer, i };
            receives[i] =
                (paulimpi_message){ paulimpi_region_1d(s.to + at, bytes),
                                    b->peer, i };
        }
        rc = compare_with_plan(b, &s, sends, receives, r);
    }
    free(s.from);
    free(s.to);
    r->limit = 0.05 * r->raw > 1e-7 ? 0.05 * r->raw : 1e-7;
    return rc;
}

static int
bench_columns(bench *b, int width)
{
    size_t row = (size_t)width * sizeof(double);
    size_t pitch = PITCH * sizeof(double);
    side s = { .raw = run_columns,
               .cycles = 4,
               .peer = b->peer,
               .n = 1,
               .bytes = ROWS * row,
               .width = width,
               .comm = b->comm };
    result *r = add_result(b, "columns", &s);
    int rc = PAULIMPI_ERR_MEMORY;

    r->row_bytes = (int64_t)row;
    s.from = calloc(ROWS, pitch);
    s.to = calloc(ROWS, pitch);
    s.send = calloc(ROWS, row);
    s.receive = calloc(ROWS, row);
    if (s.from != NULL && s.to != NULL && s.send != NULL
        && s.receive != NULL) {
        paulimpi_message send = {
            paulimpi_region_2d(s.from, row, ROWS, (int64_t)pitch), b->peer, 0
        };
        paulimpi_message receive = {
            paulimpi_region_2d(s.to, row, ROWS, (int64_t)pitch), b->peer, 0
        };

        rc = compare_with_plan(b, &s, &send, &receive, r);
    }
    free(s.from);
    free(s.to);
    free(s.send);
    free(s.receive);
    r->limit = 0.25 * r->raw; /* 0.8 times the speed */
    return rc;
}

/* Memory of a side that stages; whether there is enough. */
static int
make_staging(side *s)
{
    return paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, s->bytes,
                                  (void **)&s->from)
               == PAULIMPI_SUCCESS
           && paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, s->bytes,
                                     (void **)&s->to)
                  == PAULIMPI_SUCCESS
           && paulimpi_memory_create(PAULIMPI_MEMORY_PINNED, s->bytes,
                                     (void **)&s->send)
                  == PAULIMPI_SUCCESS
           && paulimpi_memory_create(PAULIMPI_MEMORY_PINNED, s->bytes,
                                     (void **)&s->receive)
                  == PAULIMPI_SUCCESS
           && paulimpi_stream_create(&s->stream) == PAULIMPI_SUCCESS;
}

static int
bench_staging(bench *b, size_t bytes)
{
    side s = { .raw = run_staging,
               .cycles = cycles_for(bytes),
               .peer = b->peer,
               .n = 1,
               .bytes = bytes,
               .comm = b->comm };
    result *r = add_result(b, "staging", &s);
    int rc = PAULIMPI_ERR_MEMORY;

    if (make_staging(&s)) {
        paulimpi_message send = { paulimpi_region_1d(s.from, bytes), b->peer,
                                  0 };
        paulimpi_message receive = { paulimpi_region_1d(s.to, bytes), b->peer,
                                     0 };

        memset(s.send, 0, bytes);
        paulimpi_memory_copy(s.from, s.send, bytes, s.stream);
        paulimpi_stream_wait(s.stream);
        rc = compare_with_plan(b, &s, &send, &receive, r);
    }
    paulimpi_stream_destroy(&s.stream);
    paulimpi_memory_destroy((void **)&s.from);
    paulimpi_memory_destroy((void **)&s.to);
    paulimpi_memory_destroy((void **)&s.send);
    paulimpi_memory_destroy((void **)&s.receive);
    r->limit = 0.15 * r->raw;
    return rc;
}

static int
bench_probe(bench *b)
{
    double start;
    int rc;

    MPI_Barrier(b->comm);
    start = seconds();
    rc = paulimpi_aware_probe(b->ctx);
    b->probe = seconds() - start;
    return rc == PAULIMPI_SUCCESS
               ? paulimpi_aware(b->ctx, PAULIMPI_MEMORY_DEVICE,
                                PAULIMPI_OPERATION_MESSAGE, &b->answer,
                                &b->reason)
               : rc;
}

/* Take blocks until the pool is full. */
static int
bench_pool(bench *b)
{
    enum { HALF = POOL_BLOCK / 2 };
    const char *text = getenv("PAULIMPI_STAGING_MAX");
    int64_t most;
    char *memory = malloc(2 * POOL_BLOCK);
    paulimpi_region region = paulimpi_region_2d(memory, HALF, 2, POOL_BLOCK);
    paulimpi_buffer **buffer;
    int rc = PAULIMPI_SUCCESS;
    void *address;

    b->pool_limit = text == NULL ? 0 : strtoll(text, NULL, 10);
    most = b->pool_limit / POOL_BLOCK + 1;
    buffer = calloc((size_t)most, sizeof *buffer);
    if (memory == NULL || buffer == NULL) {
        free(memory);
        free(buffer);
        return PAULIMPI_ERR_MEMORY;
    }
    while (b->pool_blocks < most && rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_buffer_acquire(b->ctx, &region, PAULIMPI_BUFFER_RECEIVE,
                                     NULL, &buffer[b->pool_blocks], &address);
        b->pool_blocks += rc == PAULIMPI_SUCCESS;
    }
    while (most > 0) {
        paulimpi_buffer_release(&buffer[--most], 0);
    }
    free(memory);
    free(buffer);
    return rc == PAULIMPI_ERR_MEMORY ? PAULIMPI_SUCCESS : rc;
}

static int
run_all(bench *b)
{
    static const size_t sizes[] = { 8,     64,     512,     4096,
                                    32768, 262144, 2097152, 8388608 };
    static const size_t staged[] = { 65536, 1048576, 16777216, 67108864 };
    static const int widths[] = { 1, 4, 32 };
    int rc = bench_probe(b);
    size_t i;

    for (i = 0; i < sizeof sizes / sizeof sizes[0] && rc == PAULIMPI_SUCCESS;
         i++) {
        rc = bench_contiguous(b, "contiguous", 1, sizes[i], 0);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = bench_contiguous(b, "cycle", MOST_MESSAGES, 8, 0);
        b->results[b->n_results - 1].limit = 5e-7;
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = bench_contiguous(b, "joined", MOST_MESSAGES, 8, 1);
        b->results[b->n_results - 1].limit = 0.0;
    }
    for (i = 0; i < sizeof widths / sizeof widths[0] && rc == PAULIMPI_SUCCESS;
         i++) {
        rc = bench_columns(b, widths[i]);
    }
    if (rc == PAULIMPI_SUCCESS && b->n_devices > 0) {
        rc = paulimpi_aware_set(b->ctx, PAULIMPI_AWARE_ALL,
                                PAULIMPI_OPERATION_MESSAGE, PAULIMPI_AWARE_NO);
    }
    for (i = 0; i < sizeof staged / sizeof staged[0] && b->n_devices > 0
                && rc == PAULIMPI_SUCCESS;
         i++) {
        rc = bench_staging(b, staged[i]);
    }
    return rc == PAULIMPI_SUCCESS ? bench_pool(b) : rc;
}

/* What came of it. */

static const double probe_limit = 0.05;

static int
is_met(const result *r)
{
    return r->difference <= r->limit;
}

static int
is_pool_exact(const bench *b)
{
    return b->pool_blocks == b->pool_limit / POOL_BLOCK;
}

static const char *
met(int is_met_)
{
    return is_met_ ? "met" : "MISSED";
}

static const char *
answer_name(const bench *b)
{
    return b->answer == PAULIMPI_AWARE_YES  ? "yes"
           : b->answer == PAULIMPI_AWARE_NO ? "no"
                                            : "unknown";
}

static void
print_real(const char *name, double value)
{
    printf(", \"%s\": ", name);
    tool_json_real(stdout, value);
}

static void
print_json_result(const result *r)
{
    printf("{\"case\": \"%s\", \"messages\": %lld, \"bytes\": %lld", r->kind,
           (long long)r->messages, (long long)r->bytes);
    if (r->row_bytes > 0) {
        printf(", \"row_bytes\": %lld", (long long)r->row_bytes);
    }
    print_real("raw_seconds", r->raw);
    print_real("plan_seconds", r->plan);
    print_real("difference_seconds", r->difference);
    print_real("ratio", (r->raw + r->difference) / r->raw);
    print_real("most_difference_seconds", r->limit);
    printf(", \"met\": %s}", is_met(r) ? "true" : "false");
}

static void
print_json(const bench *b)
{
    int all_met = b->probe <= probe_limit && is_pool_exact(b);
    int i;

    printf("{\"bench\": \"exchange\", \"ranks\": %d, \"pairs\": %d, "
           "\"devices\": %d, \"results\": [",
           paulimpi_context_size(b->ctx), b->pairs, b->n_devices);
    for (i = 0; i < b->n_results; i++) {
        printf(i > 0 ? ", " : "");
        print_json_result(&b->results[i]);
        all_met = all_met && is_met(&b->results[i]);
    }
    printf("]");
    print_real("probe_seconds", b->probe);
    print_real("most_probe_seconds", probe_limit);
    printf(", \"mpi_takes_device_memory\": \"%s\", \"reason\": ",
           answer_name(b));
    tool_json_text(stdout, b->reason);
    printf(", \"pool_limit_bytes\": %lld, \"pool_blocks\": %lld, "
           "\"pool_block_bytes\": %d, \"pool_exact\": %s, \"all_met\": %s, "
           "\"version\": \"%s\"}\n",
           (long long)b->pool_limit, (long long)b->pool_blocks, POOL_BLOCK,
           is_pool_exact(b) ? "true" : "false", all_met ? "true" : "false",
           tool_version_text());
}

static void
print_text_result(const result *r)
{
    printf("%-10s %lld x %8lld B  raw %10.3f us  plan %10.3f us  difference "
           "%+9.3f us, at most %8.3f: %s\n",
           r->kind, (long long)r->messages, (long long)r->bytes, 1e6 * r->raw,
           1e6 * r->plan, 1e6 * r->difference, 1e6 * r->limit, met(is_met(r)));
}

static void
print_text(const bench *b)
{
    int i;

    printf("%d rank%s, medians of %d pairs\n", paulimpi_context_size(b->ctx),
           paulimpi_context_size(b->ctx) == 1 ? "" : "s", b->pairs);
    for (i = 0; i < b->n_results; i++) {
        print_text_result(&b->results[i]);
    }
    if (b->n_devices == 0) {
        printf("staging    not measured: there is no device\n");
    }
    printf(
        "probe      %.3f ms, at most %.0f: %s; MPI takes a device's memory: "
        "%s, %s\n",
        1e3 * b->probe, 1e3 * probe_limit, met(b->probe <= probe_limit),
        answer_name(b), b->reason);
    printf("pool       %lld blocks of %d bytes within %lld bytes: %s\n",
           (long long)b->pool_blocks, POOL_BLOCK, (long long)b->pool_limit,
           is_pool_exact(b) ? "exact" : "MISSED");
}

int
bench_exchange_begin(int *argc, char ***argv, paulimpi_context **ctx_p)
{
    /* All but one byte of a block more than the pool may hold. */
    setenv("PAULIMPI_STAGING_MAX", "135266303", 0);
    MPI_Init(argc, argv);
    return paulimpi_context_create(MPI_COMM_WORLD, NULL, ctx_p);
}

void
bench_exchange_end(paulimpi_context **ctx_p)
{
    paulimpi_context_destroy(ctx_p);
    MPI_Finalize();
}

int
bench_exchange(paulimpi_context *ctx, int repeats, int as_json)
{
    size_t n = (size_t)(PAIRS * repeats);
    bench b = { .ctx = ctx, .pairs = PAIRS * repeats };
    int rc = PAULIMPI_ERR_MEMORY;

    b.rank = paulimpi_context_rank(ctx);
    b.peer = paulimpi_context_size(ctx) - 1 - b.rank;
    b.raw = calloc(n, sizeof *b.raw);
    b.plan = calloc(n, sizeof *b.plan);
    b.difference = calloc(n, sizeof *b.difference);
    MPI_Comm_dup(MPI_COMM_WORLD, &b.comm);
    if (b.raw != NULL && b.plan != NULL && b.difference != NULL) {
        paulimpi_device_count(&b.n_devices);
        rc = run_all(&b);
    }
    if (rc == PAULIMPI_SUCCESS && b.rank == 0) {
        if (as_json) {
            print_json(&b);
        } else {
            print_text(&b);
        }
    }
    MPI_Comm_free(&b.comm);
    free(b.raw);
    free(b.plan);
    free(b.difference);
    paulimpi_text_destroy(&b.reason);
    return rc;
}
