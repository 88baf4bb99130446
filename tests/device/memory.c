/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of all kinds: allocation, what a pointer points to, copies. Holds with
 * any number of devices, 0 too.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "device/device.h"
#include "mock/mock.h"
#include "tap/tap.h"

static const int kinds[] = { PAULIMPI_MEMORY_HOST, PAULIMPI_MEMORY_PINNED,
                             PAULIMPI_MEMORY_MANAGED, PAULIMPI_MEMORY_DEVICE,
                             PAULIMPI_MEMORY_POOL };
enum { N_KINDS = 5, BYTES = 1000 };

static int n_devices;

/* What memory that was asked for as a kind is. */
static int
real_kind(int kind)
{
    return n_devices == 0 ? PAULIMPI_MEMORY_HOST : kind;
}

static void *
make(int kind, size_t bytes)
{
    void *memory;

    if (paulimpi_memory_create(kind, bytes, &memory) != PAULIMPI_SUCCESS) {
        tap_bail("no %s memory: %s", paulimpi__memory_name(kind),
                 paulimpi_last_error());
    }
    return memory;
}

static void
check_create(int kind)
{
    const char *name = paulimpi__memory_name(kind);
    paulimpi_memory about = PAULIMPI_MEMORY_INIT;
    char *memory = make(kind, BYTES);

    tap_ok((uintptr_t)memory % 64 == 0, "%s memory is aligned", name);
    tap_is_status(paulimpi_memory_describe(memory + 17, &about),
                  PAULIMPI_SUCCESS, "%s memory is described", name);
    tap_is_int(about.kind, real_kind(kind), "its kind is right");
    tap_is_int(about.size, sizeof about, "the size stays");
    if (about.kind == PAULIMPI_MEMORY_HOST) {
        tap_is_int(about.device, -1, "it belongs to no device");
    } else {
        tap_is_int(about.device, kind == PAULIMPI_MEMORY_PINNED ? -1 : 0,
                   "it belongs to the current device, or to the host");
    }
    /* What a real driver says of a pool's memory is its own matter. */
    if (about.kind != PAULIMPI_MEMORY_HOST
        && (about.kind != PAULIMPI_MEMORY_POOL || mock_is_here())) {
        tap_ok(about.base == memory, "its base is known from within");
        tap_ok(about.bytes >= BYTES, "so is its size");
        tap_ok(about.number != 0, "it has a number");
    }
    paulimpi_memory_destroy((void **)&memory);
    tap_ok(memory == NULL, "the pointer is NULL when %s memory is freed",
           name);
    memory = make(kind, 0);
    tap_ok(memory != NULL, "0 bytes of %s memory are a pointer", name);
    paulimpi_memory_destroy((void **)&memory);
}

/* An address that is used again is another allocation. */
static void
check_number(void)
{
    paulimpi_memory first = PAULIMPI_MEMORY_INIT,
                    second = PAULIMPI_MEMORY_INIT;
    void *memory = make(PAULIMPI_MEMORY_DEVICE, BYTES);

    paulimpi_memory_describe(memory, &first);
    paulimpi_memory_destroy(&memory);
    memory = make(PAULIMPI_MEMORY_DEVICE, BYTES);
    paulimpi_memory_describe(memory, &second);
    paulimpi_memory_destroy(&memory);
    tap_ok(n_devices == 0 ? second.number == 0 : second.number != first.number,
           "the number of an allocation is not used again");
}

static void
check_bad_create(void)
{
    static const int bad[] = { -1, PAULIMPI_MEMORY_VIRTUAL,
                               PAULIMPI_MEMORY_IMPORTED, 7 };
    void *memory = &memory;
    int i;

    tap_is_status(paulimpi_memory_create(PAULIMPI_MEMORY_HOST, 8, NULL),
                  PAULIMPI_ERR_ARGUMENT, "memory needs a place");
    for (i = 0; i < 4; i++) {
        memory = &memory;
        tap_is_status(paulimpi_memory_create(bad[i], 8, &memory),
                      PAULIMPI_ERR_ARGUMENT, "kind %d is refused", bad[i]);
        tap_ok(memory == NULL, "and gives NULL");
    }
    for (i = 0; i < N_KINDS; i++) {
        if (kinds[i] == PAULIMPI_MEMORY_MANAGED && n_devices > 0
            && !mock_is_here()) {
            continue; /* too much of it can hang a real GPU */
        }
        tap_is_status(paulimpi_memory_create(kinds[i], PTRDIFF_MAX, &memory),
                      PAULIMPI_ERR_MEMORY, "too much %s memory is refused",
                      paulimpi__memory_name(kinds[i]));
        tap_ok(memory == NULL, "and gives NULL");
        tap_is_status(paulimpi_memory_create(kinds[i], 8, &memory),
                      PAULIMPI_SUCCESS, "and nothing is broken");
        paulimpi_memory_destroy(&memory);
    }
}

static void
check_no_memory(void)
{
    void *memory = NULL;
    int n;

    for (n = 1; n < 10; n++) {
        int rc;

        paulimpi__alloc_fail_at(n);
        rc = paulimpi_memory_create(PAULIMPI_MEMORY_HOST, 8, &memory);
        paulimpi__alloc_fail_at(0);
        if (rc == PAULIMPI_SUCCESS) {
            break;
        }
        tap_is_status(rc, PAULIMPI_ERR_MEMORY, "allocation %d may fail", n);
        tap_ok(memory == NULL, "and gives NULL");
    }
    tap_is_int(n, 3, "there are two allocations");
    paulimpi_memory_destroy(&memory);
}

static void
check_destroy(void)
{
    char *memory = make(PAULIMPI_MEMORY_HOST, 8);
    void *inside = memory + 1, *nothing = NULL, *foreign = malloc(8);
    void *again = memory;
    void *kept = foreign;

    paulimpi_memory_destroy(NULL);
    paulimpi_memory_destroy(&nothing);
    tap_ok(nothing == NULL, "NULL may be freed");
    paulimpi_memory_destroy(&inside);
    memcpy(memory, "abcdefg", 8);
    tap_is_text(memory, "abcdefg", "an address inside frees nothing");
    paulimpi_memory_destroy((void **)&memory);
    paulimpi_memory_destroy(&again);
    tap_ok(again == NULL, "memory is freed once only");
    paulimpi_memory_destroy(&foreign);
    memset(kept, 0, 8);
    tap_ok(foreign == NULL, "memory of others is left alone");
    free(kept);
}

static void
check_describe(void)
{
    paulimpi_memory about = PAULIMPI_MEMORY_INIT;
    struct {
        size_t size;
        int kind;
    } old = { sizeof old, -1 };
    int local = 0;

    tap_is_status(paulimpi_memory_describe(&local, NULL),
                  PAULIMPI_ERR_ARGUMENT, "a description needs a place");
    about.size = 0;
    tap_is_status(paulimpi_memory_describe(&local, &about),
                  PAULIMPI_ERR_ARGUMENT, "with its size");
    about.size = sizeof about;
    tap_is_status(paulimpi_memory_describe(&local, &about), PAULIMPI_SUCCESS,
                  "a variable is described");
    tap_is_int(about.kind, PAULIMPI_MEMORY_HOST, "it is the host's");
    about.kind = -1;
    tap_is_status(paulimpi_memory_describe(NULL, &about), PAULIMPI_SUCCESS,
                  "so is NULL");
    tap_is_int(about.kind, PAULIMPI_MEMORY_HOST, "it is the host's");
    about.kind = -1;
    tap_is_status(paulimpi_memory_describe((void *)0x7777, &about),
                  PAULIMPI_SUCCESS, "so is an address without memory");
    tap_is_int(about.kind, PAULIMPI_MEMORY_HOST, "it is the host's");
    tap_is_status(paulimpi_memory_describe(&local, (paulimpi_memory *)&old),
                  PAULIMPI_SUCCESS, "a shorter description is possible");
    tap_is_int((int64_t)old.size, sizeof old, "its size stays");
    tap_is_int(old.kind, PAULIMPI_MEMORY_HOST, "what it has is filled");
}

static void
fill(unsigned char *byte, size_t n, unsigned seed)
{
    size_t i;

    for (i = 0; i < n; i++) {
        byte[i] = (unsigned char)(i * 7 + seed);
    }
}

/* There and back through memory of two kinds, from odd addresses. */
static void
check_copy(int kind, int other)
{
    unsigned char start[BYTES], end[BYTES];
    char *a = make(kind, BYTES + 10), *b = make(other, BYTES + 10);
    paulimpi_stream stream;

    fill(start, BYTES, 3);
    memset(end, 0, sizeof end);
    paulimpi_stream_create(&stream);
    tap_is_status(paulimpi_memory_copy(a + 1, start, BYTES, stream),
                  PAULIMPI_SUCCESS, "host to %s memory",
                  paulimpi__memory_name(kind));
    /* Between host memories a copy does not wait for the stream. */
    paulimpi_stream_wait(stream);
    tap_is_status(paulimpi_memory_copy(b + 3, a + 1, BYTES, stream),
                  PAULIMPI_SUCCESS, "to %s memory",
                  paulimpi__memory_name(other));
    paulimpi_stream_wait(stream);
    tap_is_status(paulimpi_memory_copy(end, b + 3, BYTES, stream),
                  PAULIMPI_SUCCESS, "and back");
    tap_is_status(paulimpi_stream_wait(stream), PAULIMPI_SUCCESS,
                  "the stream is waited for");
    tap_ok(memcmp(start, end, BYTES) == 0, "the bytes are the same");
    paulimpi_stream_destroy(&stream);
    paulimpi_memory_destroy((void **)&a);
    paulimpi_memory_destroy((void **)&b);
}

enum { ROWS = 5, WIDTH = 7, PITCH = 12 };

static void
check_copy_rows(int kind)
{
    unsigned char start[ROWS * PITCH], end[ROWS * WIDTH + 1];
    char *memory = make(kind, ROWS * PITCH);
    int i, good = 1;

    fill(start, sizeof start, 5);
    memset(end, 99, sizeof end);
    paulimpi_memory_copy(memory, start, sizeof start, NULL);
    paulimpi_stream_wait(NULL);
    tap_is_status(paulimpi_memory_copy_rows(end, WIDTH, memory + 2, PITCH,
                                            WIDTH, ROWS, NULL),
                  PAULIMPI_SUCCESS, "rows of %s memory",
                  paulimpi__memory_name(kind));
    paulimpi_stream_wait(NULL);
    for (i = 0; i < ROWS * WIDTH; i++) {
        good &= end[i] == start[i / WIDTH * PITCH + i % WIDTH + 2];
    }
    tap_ok(good, "the rows are side by side");
    tap_is_int(end[ROWS * WIDTH], 99, "nothing is written behind them");
    paulimpi_memory_copy_rows(end, WIDTH, memory, PITCH, WIDTH, 1, NULL);
    paulimpi_memory_copy_rows(end + WIDTH, WIDTH, memory, WIDTH, WIDTH, 2,
                              NULL);
    paulimpi_stream_wait(NULL);
    tap_ok(memcmp(end, start, WIDTH) == 0
               && memcmp(end + WIDTH, start, (size_t)2 * WIDTH) == 0,
           "one row, and rows side by side");
    memset(start, 0, sizeof start);
    paulimpi_memory_copy(memory, start, sizeof start, NULL);
    paulimpi_memory_copy_rows(memory + 2, PITCH, end, WIDTH, WIDTH, ROWS,
                              NULL);
    paulimpi_memory_copy(start, memory, sizeof start, NULL);
    paulimpi_stream_wait(NULL);
    for (good = 1, i = 0; i < ROWS * PITCH; i++) {
        int column = i % PITCH - 2;
        int inside = column >= 0 && column < WIDTH;

        good &= start[i] == (inside ? end[i / PITCH * WIDTH + column] : 0);
    }
    tap_ok(good, "back at a distance, with nothing between them");
    paulimpi_memory_destroy((void **)&memory);
}

static void
check_bad_copies(void)
{
    char byte[17] = "0123456789abcdef";

    tap_is_status(paulimpi_memory_copy(NULL, NULL, 0, NULL), PAULIMPI_SUCCESS,
                  "0 bytes may be nowhere");
    tap_is_status(paulimpi_memory_copy(NULL, byte, 1, NULL),
                  PAULIMPI_ERR_ARGUMENT, "a byte may not go nowhere");
    tap_is_status(paulimpi_memory_copy(byte, NULL, 1, NULL),
                  PAULIMPI_ERR_ARGUMENT, "nor come from there");
    tap_is_status(paulimpi_memory_copy(byte + 7, byte, 8, NULL),
                  PAULIMPI_ERR_OVERLAP, "memory may not overlap");
    tap_is_status(paulimpi_memory_copy(byte, byte + 7, 8, NULL),
                  PAULIMPI_ERR_OVERLAP, "in the other order neither");
    tap_is_status(paulimpi_memory_copy(byte + 8, byte, 8, NULL),
                  PAULIMPI_SUCCESS, "but be side by side");
    tap_is_status(paulimpi_memory_copy_rows(NULL, 0, NULL, 0, 0, 1, NULL),
                  PAULIMPI_SUCCESS, "rows without bytes may be nowhere");
    tap_is_status(paulimpi_memory_copy_rows(NULL, 0, NULL, 0, 1, 0, NULL),
                  PAULIMPI_SUCCESS, "so may no rows");
    tap_is_status(paulimpi_memory_copy_rows(NULL, 1, byte, 1, 1, 1, NULL),
                  PAULIMPI_ERR_ARGUMENT, "a row may not");
    tap_is_status(paulimpi_memory_copy_rows(byte, 3, byte + 8, 4, 4, 2, NULL),
                  PAULIMPI_ERR_ARGUMENT, "to_pitch is at least the width");
    tap_is_status(paulimpi_memory_copy_rows(byte, 4, byte + 8, 3, 4, 2, NULL),
                  PAULIMPI_ERR_ARGUMENT, "from_pitch is at least the width");
    tap_is_status(
        paulimpi_memory_copy_rows(byte, SIZE_MAX / 2, byte + 8, 4, 4, 3, NULL),
        PAULIMPI_ERR_ARGUMENT, "rows end within the address space");
    tap_is_text(byte, "0123456701234567", "failures copy nothing");
}

int
main(void)
{
    int i, j;

    paulimpi_device_count(&n_devices);
    for (i = 0; i < N_KINDS; i++) {
        check_create(kinds[i]);
        check_copy_rows(kinds[i]);
        for (j = 0; j < N_KINDS; j++) {
            check_copy(kinds[i], kinds[j]);
        }
    }
    check_number();
    check_bad_create();
    check_no_memory();
    check_destroy();
    check_describe();
    check_bad_copies();
    return tap_done();
}
