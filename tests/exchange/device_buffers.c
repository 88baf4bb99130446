/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Single buffers of memory of devices: what MPI would be given, what is waited
 * for before, and what comes of what MPI writes. Streams are lazy: what nobody
 * waits for is not done.
 */
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "mock/mock.h"
#include "paulimpi/account.h"
#include "paulimpi/aware.h"
#include "paulimpi/exchange.h"
#include "tap/tap.h"

enum { BYTES = 256, WIDTH = 4, ROWS = 16, PITCH = 12, BROKEN = 999 };

static paulimpi_context *ctx;
static char *memory;
static char image[BYTES]; /* what a late write reads */
static char got[BYTES];

static char
byte_of(int round, int i)
{
    return (char)(round * 37 + i);
}

/* Ask a stream to write the memory; NULL: and wait for it. */
static void
write_memory(int round, paulimpi_stream stream)
{
    int i;

    for (i = 0; i < BYTES; i++) {
        image[i] = byte_of(round, i);
    }
    paulimpi_memory_copy(memory, image, BYTES, stream);
    if (stream == NULL) {
        paulimpi_stream_wait(NULL);
    }
}

static void
read_memory(void)
{
    paulimpi_memory_copy(got, memory, BYTES, NULL);
    paulimpi_stream_wait(NULL);
}

static int
is_written(const char *bytes, int round, int n)
{
    int i;

    for (i = 0; i < n && bytes[i] == byte_of(round, i); i++) {
    }
    return i == n;
}

static void
set_aware(int state)
{
    if (paulimpi_aware_set(ctx, PAULIMPI_AWARE_ALL, PAULIMPI_AWARE_ALL, state)
        != PAULIMPI_SUCCESS) {
        tap_bail("nothing set: %s", paulimpi_last_error());
    }
}

static void *
acquire(const paulimpi_region *region, int use,
        const paulimpi_exchange_options *options, paulimpi_buffer **buffer_p)
{
    void *address = NULL;

    if (paulimpi_buffer_acquire(ctx, region, use, options, buffer_p, &address)
        != PAULIMPI_SUCCESS) {
        tap_bail("no buffer: %s", paulimpi_last_error());
    }
    return address;
}

/* What MPI is given: the memory itself only where that is known to work. */
static void
test_ways(void)
{
    paulimpi_region all = paulimpi_region_1d(memory, BYTES);
    paulimpi_region rows = paulimpi_region_2d(memory, WIDTH, ROWS, PITCH);
    paulimpi_buffer *buffer;

    set_aware(PAULIMPI_AWARE_YES);
    tap_ok(acquire(&all, PAULIMPI_BUFFER_SEND, NULL, &buffer) == memory,
           "an MPI that takes the memory is given it");
    paulimpi_buffer_release(&buffer, 1);
    tap_ok(acquire(&rows, PAULIMPI_BUFFER_SEND, NULL, &buffer) != memory,
           "but not rows that lie apart");
    paulimpi_buffer_release(&buffer, 1);
    paulimpi_ipc_remember(memory, BYTES);
    tap_ok(acquire(&all, PAULIMPI_BUFFER_SEND, NULL, &buffer) != memory,
           "nor memory of another process");
    paulimpi_buffer_release(&buffer, 1);
    paulimpi_ipc_forget(memory);
    set_aware(PAULIMPI_AWARE_NO);
    tap_ok(acquire(&all, PAULIMPI_BUFFER_SEND, NULL, &buffer) != memory,
           "one that does not is given a block");
    paulimpi_buffer_release(&buffer, 1);
    set_aware(PAULIMPI_AWARE_UNKNOWN);
    tap_ok(acquire(&all, PAULIMPI_BUFFER_SEND, NULL, &buffer) != memory,
           "and so is one of which nothing is known");
    paulimpi_buffer_release(&buffer, 1);
}

/* Acquire while a write is under way: whether its bytes are there, and
 * whether all of the device was waited for. */
static void
test_order(int round, paulimpi_stream writer,
           const paulimpi_exchange_options *options, int is_there,
           int waits_for_device, const char *fact)
{
    paulimpi_region all = paulimpi_region_1d(memory, BYTES);
    paulimpi_buffer *buffer;
    const char *address;
    int64_t before;

    write_memory(round, writer);
    if (options != NULL && options->after_event != NULL) {
        paulimpi_event_record(options->after_event, writer);
    }
    before = mock_calls("cudaDeviceSynchronize");
    address = acquire(&all, PAULIMPI_BUFFER_SEND, options, &buffer);
    tap_is_int(is_written(address, round, BYTES), is_there, "%s", fact);
    tap_is_int(mock_calls("cudaDeviceSynchronize") - before, waits_for_device,
               "%s is waited for",
               waits_for_device ? "the device" : "no more");
    paulimpi_buffer_release(&buffer, 1);
    paulimpi_stream_wait(writer);
}

static void
test_orders(void)
{
    paulimpi_stream writer, other;
    paulimpi_event event;

    paulimpi_stream_create(&writer);
    paulimpi_stream_create(&other);
    paulimpi_event_create(&event);
    set_aware(PAULIMPI_AWARE_NO);
    write_memory(0, NULL);
    test_order(1, writer, PAULIMPI_EXCHANGE_OPTIONS(.after_stream = writer), 1,
               0, "the stream that writes is waited for");
    test_order(2, writer, PAULIMPI_EXCHANGE_OPTIONS(.after_event = event), 1,
               0, "or an event in it");
    test_order(3, writer, NULL, 1, 1, "or, without both, the device");
    test_order(4, writer, PAULIMPI_EXCHANGE_OPTIONS(.after_stream = other), 0,
               0, "another stream does not help");
    paulimpi_event_destroy(&event);
    paulimpi_stream_destroy(&other);
    paulimpi_stream_destroy(&writer);
}

/* What MPI writes to a block. */
static void
test_receive(int commit)
{
    paulimpi_region all = paulimpi_region_1d(memory, BYTES);
    paulimpi_buffer *buffer;
    char *address;
    int i;

    write_memory(1, NULL);
    address = acquire(&all, PAULIMPI_BUFFER_RECEIVE, NULL, &buffer);
    for (i = 0; i < BYTES; i++) {
        address[i] = byte_of(9, i);
    }
    tap_is_status(paulimpi_buffer_release(&buffer, commit), PAULIMPI_SUCCESS,
                  "what came is %s", commit ? "kept" : "thrown away");
    read_memory();
    tap_ok(is_written(got, commit ? 9 : 1, BYTES), "as the memory shows");
}

/* Work in a stream that waits for what came. */
static void
test_before(void)
{
    paulimpi_region all = paulimpi_region_1d(memory, BYTES);
    paulimpi_stream reader;
    paulimpi_buffer *buffer;
    char *address;

    paulimpi_stream_create(&reader);
    write_memory(1, NULL);
    address =
        acquire(&all, PAULIMPI_BUFFER_RECEIVE,
                PAULIMPI_EXCHANGE_OPTIONS(.before_stream = reader), &buffer);
    memset(address, 5, BYTES);
    paulimpi_buffer_release(&buffer, 1);
    paulimpi_memory_copy(got, memory, BYTES, reader);
    paulimpi_stream_wait(reader);
    tap_ok(got[0] == 5 && got[BYTES - 1] == 5,
           "a stream that waits for the receive finds it");
    paulimpi_stream_destroy(&reader);
}

static int64_t
count_of(const paulimpi_counter *counter, int kind)
{
    int64_t events = -1, bytes;

    paulimpi_counter_get(counter, NULL, kind, &events, &bytes);
    return events;
}

/* Rows both ways, of the device or of another process, and what is counted. */
static void
test_rows(int is_foreign)
{
    paulimpi_region rows = paulimpi_region_2d(memory, WIDTH, ROWS, PITCH);
    paulimpi_counter *counter;
    paulimpi_buffer *buffer;
    int n_wrong = 0;
    char *address;
    int i;

    write_memory(2, NULL);
    if (is_foreign) {
        paulimpi_ipc_remember(memory, BYTES);
    }
    paulimpi_counter_create("rows", &counter);
    paulimpi_counter_begin(counter);
    address = acquire(&rows, PAULIMPI_BUFFER_SEND | PAULIMPI_BUFFER_RECEIVE,
                      NULL, &buffer);
    for (i = 0; i < WIDTH * ROWS; i++) {
        int at = i / WIDTH * PITCH + i % WIDTH;

        n_wrong += address[i] != byte_of(2, at);
        address[i] = byte_of(7, at);
    }
    paulimpi_buffer_release(&buffer, 1);
    paulimpi_counter_end(counter);
    if (is_foreign) {
        paulimpi_ipc_forget(memory);
    }
    read_memory();
    for (i = 0; i < PITCH * ROWS; i++) {
        n_wrong += got[i] != byte_of(i % PITCH < WIDTH ? 7 : 2, i);
    }
    tap_is_int(n_wrong, 0, "rows are packed and unpacked, and no gaps");
    tap_ok(count_of(counter, PAULIMPI_COUNT_TO_HOST) == 1
               && count_of(counter, PAULIMPI_COUNT_TO_DEVICE) == 1
               && count_of(counter, PAULIMPI_COUNT_WAIT) == 1,
           "a copy each way and a wait are counted");
    tap_is_int(count_of(counter, PAULIMPI_COUNT_BOUNCE), is_foreign ? 2 : 0,
               "bounces are those of another process");
    paulimpi_counter_destroy(&counter);
}

/* The n-th call of a function fails while a buffer is acquired and released:
 * whether it was reached. */
static int
try_fault(const char *name, int n, int *n_wrong_p)
{
    paulimpi_region rows = paulimpi_region_2d(memory, WIDTH, ROWS, 8 * WIDTH);
    int64_t before = mock_calls(name);
    int64_t live = mock_live();
    paulimpi_buffer *buffer;
    void *address;
    int rc, is_reached;

    mock_fail(name, n, BROKEN);
    rc = paulimpi_buffer_acquire(
        ctx, &rows, PAULIMPI_BUFFER_SEND | PAULIMPI_BUFFER_RECEIVE, NULL,
        &buffer, &address);
    *n_wrong_p += rc != PAULIMPI_SUCCESS && buffer != NULL;
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_buffer_release(&buffer, 1);
    }
    is_reached = mock_calls(name) - before >= n;
    mock_fail(name, 0, 0);
    *n_wrong_p += is_reached && rc != PAULIMPI_ERR_DEVICE;
    *n_wrong_p += !is_reached && rc != PAULIMPI_SUCCESS;
    paulimpi_staging_trim();
    *n_wrong_p += mock_live() != live;
    return is_reached;
}

static void
test_faults(void)
{
    /* The end of a stream waits a third time, of which nobody is told. */
    static const struct {
        const char *name;
        int least, most; /* calls that there must be, and that are tried */
    } call[] = { { "cudaDeviceSynchronize", 1, 9 },
                 { "cudaStreamCreateWithFlags", 1, 9 },
                 { "cudaMemcpy2DAsync", 0, 9 },
                 { "cuLaunchKernel", 0, 9 },
                 { "cudaStreamSynchronize", 2, 2 } };
    size_t i;
    int n;

    paulimpi_staging_trim();
    for (i = 0; i < sizeof call / sizeof call[0]; i++) {
        int n_wrong = 0;

        for (n = 0;
             n < call[i].most && try_fault(call[i].name, n + 1, &n_wrong);
             n++) {
        }
        tap_ok(n_wrong == 0 && n >= call[i].least,
               "%s fails at %d places: a code, and nothing is left",
               call[i].name, n);
    }
}

/* The memory is of a device that is not the current one. */
static void
test_other_device(void)
{
    paulimpi_device_select(1);
    paulimpi_memory_destroy((void **)&memory);
    paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, BYTES, (void **)&memory);
    paulimpi_device_select(0);
    test_rows(0);
    test_receive(1);
    tap_is_int(paulimpi_device_current(), 0, "the current device stays");
}

int
main(void)
{
    setenv("PAULIMPI_GPU_AWARE", "no", 1);
    if (!mock_is_here()) {
        tap_skip_all("there is no mock of CUDA");
    }
    mock_order("lazy", 0);
    paulimpi_context_create_serial(NULL, &ctx);
    if (paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, 2 * BYTES,
                               (void **)&memory)
        != PAULIMPI_SUCCESS) {
        tap_bail("no memory: %s", paulimpi_last_error());
    }
    test_ways();
    test_orders();
    test_receive(1);
    test_receive(0);
    test_before();
    test_rows(0);
    test_rows(1);
    test_faults();
    test_other_device();
    tap_is_int(mock_faults(), 0, "nothing was touched that must not be");
    paulimpi_memory_destroy((void **)&memory);
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
