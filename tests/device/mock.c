/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mock of CUDA's runtime keeps what other tests trust it with: it finds
 * touches of a device's memory, missing waits, late uses.
 */
#include "mock/mock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/device.h"
#include "tap/tap.h"

enum { BYTES = 5000 };

static void *
make(int kind)
{
    void *memory;

    if (paulimpi_memory_create(kind, BYTES, &memory) != PAULIMPI_SUCCESS) {
        tap_bail("no memory: %s", paulimpi_last_error());
    }
    return memory;
}

/* The signal that ends a process which touches an address. */
static int
signal_of_touch(volatile char *address, int writes)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        if (writes) {
            *address = 1;
        } else {
            (void)*address;
        }
        _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void
check_touch(void)
{
    char *memory = make(PAULIMPI_MEMORY_DEVICE);
    char *managed = make(PAULIMPI_MEMORY_MANAGED);
    char *freed = memory;
    int null = open("/dev/null", O_WRONLY);
    int pipes[2];

    tap_is_int(signal_of_touch(memory, 0), SIGSEGV,
               "the host cannot read a device's memory");
    tap_is_int(signal_of_touch(memory + BYTES - 1, 1), SIGSEGV,
               "nor write to it");
    tap_is_int(signal_of_touch(managed, 1), 0, "it may touch managed memory");
    if (pipe(pipes) != 0) {
        tap_bail("no pipe");
    }
    tap_ok(write(pipes[1], memory, 8) == -1 && errno == EFAULT,
           "the system cannot read it either");
    close(pipes[0]);
    close(pipes[1]);
    close(null);
    paulimpi_memory_destroy((void **)&memory);
    tap_is_int(signal_of_touch(freed, 0), SIGSEGV,
               "memory that was freed stays out of reach");
    paulimpi_memory_destroy((void **)&managed);
}

static void
check_red_zone(void)
{
    char *memory = make(PAULIMPI_MEMORY_DEVICE);
    char *alias = mock_alias(memory + BYTES - 1);
    int64_t before = mock_faults();

    tap_ok(alias != memory + BYTES - 1, "its bytes are at another address");
    alias[0] = 1;
    paulimpi_memory_destroy((void **)&memory);
    tap_is_int(mock_faults(), before, "the last byte may be written");
    memory = make(PAULIMPI_MEMORY_DEVICE);
    alias = mock_alias(memory + BYTES - 1);
    alias[1] = 1;
    paulimpi_memory_destroy((void **)&memory);
    tap_is_int(mock_faults(), before + 1, "the byte behind it may not");
}

static void
check_bounds(void)
{
    char *memory = make(PAULIMPI_MEMORY_DEVICE);
    static char field[2 * BYTES];

    tap_is_status(paulimpi_memory_copy(memory + 1, field, BYTES, NULL),
                  PAULIMPI_ERR_DEVICE, "a copy past the end is refused");
    tap_contains(paulimpi_last_error(), "cudaErrorInvalidValue",
                 "with CUDA's code");
    tap_is_status(
        paulimpi_memory_copy_rows(field, 10, memory, BYTES / 2, 10, 3, NULL),
        PAULIMPI_ERR_DEVICE, "so are rows past the end");
    paulimpi_memory_destroy((void **)&memory);
}

/* Whether bytes that a stream was asked for are there. */
static int
arrived(const char *bytes)
{
    return bytes[0] == 7 && bytes[BYTES - 1] == 7;
}

static void
check_late(void)
{
    static char from[BYTES], to[BYTES];
    char *memory = make(PAULIMPI_MEMORY_DEVICE);
    paulimpi_stream stream;
    paulimpi_event event;
    int done = -1, asked = 0;

    memset(from, 7, sizeof from);
    paulimpi_stream_create(&stream);
    paulimpi_event_create(&event);
    paulimpi_memory_copy(memory, from, BYTES, stream);
    paulimpi_memory_copy(to, memory, BYTES, stream);
    tap_ok(!arrived(to), "lazy: nothing is done before somebody waits");
    tap_is_int(mock_pending(), 2, "it is pending");
    paulimpi_stream_wait(NULL);
    tap_ok(!arrived(to), "to wait for another stream does not help");
    paulimpi_event_record(event, stream);
    while (paulimpi_event_test(event, &done) == PAULIMPI_SUCCESS && !done) {
        asked++;
    }
    tap_ok(arrived(to) && asked == 2,
           "to ask an event does, a step at a time");
    memset(to, 0, sizeof to);
    paulimpi_memory_copy(to, memory, BYTES, stream);
    paulimpi_event_wait(event);
    tap_ok(!arrived(to), "an event does not wait for what comes after it");
    paulimpi_stream_destroy(&stream);
    tap_ok(arrived(to), "the end of a stream waits for all");
    paulimpi_event_destroy(&event);
    paulimpi_memory_destroy((void **)&memory);
}

static void
check_eager(void)
{
    static char from[BYTES], to[BYTES];
    char *memory = make(PAULIMPI_MEMORY_DEVICE);

    mock_order("eager", 0);
    memset(from, 7, sizeof from);
    paulimpi_memory_copy(memory, from, BYTES, NULL);
    paulimpi_memory_copy(to, memory, BYTES, NULL);
    tap_ok(arrived(to) && mock_pending() == 0, "eager: all is done at once");
    mock_order("lazy", 0);
    paulimpi_memory_destroy((void **)&memory);
}

/* A mark counts from when it was set: a later one does not move it for who
 * waits already, but does for who asks then. */
static void
check_marks(void)
{
    static char from[BYTES], first_to[BYTES], second_to[BYTES], third_to[8];
    char *memory = make(PAULIMPI_MEMORY_DEVICE);
    paulimpi_stream first, second, third;
    paulimpi_event event;

    memset(from, 7, sizeof from);
    paulimpi_stream_create(&first);
    paulimpi_stream_create(&second);
    paulimpi_stream_create(&third);
    paulimpi_event_create(&event);
    paulimpi_memory_copy(memory, from, BYTES, first);
    paulimpi_stream_wait(first);
    paulimpi_memory_copy(first_to, memory, BYTES, first);
    paulimpi_event_record(event, first);
    paulimpi_stream_wait_event(third, event);
    paulimpi_memory_copy(second_to, memory, BYTES, second);
    paulimpi_event_record(event, second);
    paulimpi_memory_copy(third_to, memory, 8, third);
    paulimpi_stream_wait(third);
    tap_ok(arrived(first_to) && !arrived(second_to),
           "who waits for a mark waits for what it was then");
    memset(first_to, 0, sizeof first_to);
    paulimpi_memory_copy(first_to, memory, BYTES, first);
    paulimpi_event_wait(event);
    tap_ok(!arrived(first_to) && arrived(second_to),
           "the last mark of an event counts");
    paulimpi_event_destroy(&event);
    paulimpi_stream_destroy(&first);
    paulimpi_stream_destroy(&second);
    paulimpi_stream_destroy(&third);
    paulimpi_memory_destroy((void **)&memory);
}

/* Bytes that are handed from stream to stream by events arrive in whatever
 * order streams go; without the events they do not always. */
static int
relay(int seed, int with_events)
{
    static char from[BYTES], to[BYTES];
    void *a = make(PAULIMPI_MEMORY_DEVICE), *b = make(PAULIMPI_MEMORY_DEVICE);
    paulimpi_stream first, second;
    paulimpi_event event;

    mock_order("random", (uint64_t)seed);
    memset(from, 7, sizeof from);
    memset(to, 0, sizeof to);
    paulimpi_stream_create(&first);
    paulimpi_stream_create(&second);
    paulimpi_event_create(&event);
    paulimpi_memory_copy(a, from, BYTES, first);
    paulimpi_event_record(event, first);
    if (with_events) {
        paulimpi_stream_wait_event(second, event);
    }
    paulimpi_memory_copy(b, a, BYTES, second);
    paulimpi_memory_copy(to, b, BYTES, second);
    paulimpi_stream_wait(second);
    paulimpi_event_destroy(&event);
    paulimpi_stream_destroy(&first);
    paulimpi_stream_destroy(&second);
    paulimpi_memory_destroy(&a);
    paulimpi_memory_destroy(&b);
    return arrived(to);
}

static void
check_random(void)
{
    int seed, with = 0, without = 0, again = 0;

    for (seed = 1; seed <= 100; seed++) {
        with += relay(seed, 1);
        without += relay(seed, 0);
    }
    for (seed = 1; seed <= 100; seed++) {
        again += relay(seed, 0);
    }
    mock_order("lazy", 0);
    tap_is_int(with, 100, "random: what is ordered arrives with every seed");
    tap_ok(0 < without && without < 100,
           "what is not arrives with some, here %d of 100", without);
    tap_is_int(again, without, "the same ones each time");
}

static void
check_kinds(void)
{
    paulimpi_memory about = PAULIMPI_MEMORY_INIT;
    char *memory = mock_find()->virtual_create(BYTES);

    paulimpi_memory_describe(memory + 1, &about);
    tap_is_int(about.kind, PAULIMPI_MEMORY_VIRTUAL,
               "memory that was mapped by hand is told from other memory");
    tap_ok(about.base == memory && about.bytes == BYTES,
           "and its bounds are known");
    mock_find()->virtual_destroy(memory);
}

static void
check_capture(void)
{
    paulimpi_stream stream;

    paulimpi_stream_create(&stream);
    tap_ok(!paulimpi__stream_is_captured(stream), "a stream is not captured");
    mock_find()->capture(stream, 1);
    tap_ok(paulimpi__stream_is_captured(stream), "unless it is");
    mock_find()->capture(stream, 0);
    paulimpi_stream_destroy(&stream);
}

static void
check_calls(void)
{
    char from[8] = "abcdefg", to[8] = "";
    int64_t before = mock_calls("cudaMemcpyAsync");
    void *block;

    paulimpi_memory_copy(to, from, 8, NULL);
    tap_is_int(mock_calls("cudaMemcpyAsync"), before,
               "a copy between host memories is not CUDA's");
    tap_is_text(to, "abcdefg", "and done at once");
    paulimpi__staging_give(paulimpi__staging_take(100));
    before = mock_calls("cudaMallocHost");
    block = paulimpi__staging_take(4096);
    paulimpi__staging_give(block);
    tap_is_int(mock_calls("cudaMallocHost"), before,
               "nothing is page-locked where a block is left");
    paulimpi_staging_trim();
}

int
main(void)
{
    int n_devices;

    if (!mock_is_here()) {
        tap_skip_all("not on the mock");
    }
    paulimpi_device_count(&n_devices);
    tap_is_int(n_devices, 2, "the mock has two devices");
    check_touch();
    check_red_zone();
    check_bounds();
    check_late();
    check_eager();
    check_marks();
    check_random();
    check_kinds();
    check_capture();
    check_calls();
    tap_is_int(mock_live(), 0, "everything was given back");
    return tap_done();
}
