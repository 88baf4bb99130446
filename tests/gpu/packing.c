/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How fast strided memory of a device is packed into pinned memory of the host
 * and unpacked from it: by copies of rows, by the kernel, and by the kernel
 * into memory of the device, which is then copied. The bytes are checked. The
 * table is in comments; an arrow is on the way that the library takes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/comm.h"
#include "device/device.h"
#include "exchange/layout.h"
#include "mock/mock.h"
#include "tap/tap.h"

enum { REPEATS = 5, COPIES = 0, KERNEL = 1, KERNEL_AND_COPY = 2, WAYS = 3 };
static const char *const name[WAYS] = { "copies", "kernel",
                                        "kernel, then a copy" };
static const int width[] = { 1, 4, 8, 16, 32, 64, 128, 256, 1024, 4096 };
enum { WIDTHS = sizeof width / sizeof width[0] };

static size_t n_bytes; /* of a message, in twice as many */
static char *device, *block, *pinned, *image;
static paulimpi_stream stream;

static int
pack(const paulimpi__layout *layout, int way)
{
    int by = way == COPIES ? PAULIMPI__BY_DEVICE : PAULIMPI__BY_KERNEL;
    void *packed = way == KERNEL_AND_COPY ? block : pinned;
    int rc = paulimpi__pack(layout, by, 0, layout->bytes, packed, stream);

    return rc != PAULIMPI_SUCCESS || way != KERNEL_AND_COPY
               ? rc
               : paulimpi_memory_copy(pinned, block, n_bytes, stream);
}

static int
unpack(const paulimpi__layout *layout, int way)
{
    int by = way == COPIES ? PAULIMPI__BY_DEVICE : PAULIMPI__BY_KERNEL;
    void *packed = way == KERNEL_AND_COPY ? block : pinned;
    int rc = way == KERNEL_AND_COPY
                 ? paulimpi_memory_copy(block, pinned, n_bytes, stream)
                 : PAULIMPI_SUCCESS;

    return rc != PAULIMPI_SUCCESS
               ? rc
               : paulimpi__unpack(layout, by, 0, layout->bytes, packed,
                                  stream);
}

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Seconds: the median of some runs, after one to get warm. */
static double
measure(const paulimpi__layout *layout, int way,
        int (*move)(const paulimpi__layout *, int))
{
    double seconds[REPEATS];
    int i, n_failed = 0;

    for (i = -1; i < REPEATS; i++) {
        double begin = paulimpi__seconds();

        n_failed += move(layout, way) != PAULIMPI_SUCCESS
                    || paulimpi_stream_wait(stream) != PAULIMPI_SUCCESS;
        if (i >= 0) {
            seconds[i] = paulimpi__seconds() - begin;
        }
    }
    tap_is_int(n_failed, 0, "%s", name[way]);
    qsort(seconds, REPEATS, sizeof seconds[0], compare);
    return seconds[REPEATS / 2];
}

static char
byte_of(size_t i, int salt)
{
    return (char)(i * 7 + i / 251 + (size_t)salt);
}

/* Rows, in every second of which the message is. */
static void
write_device(int rows_of, int salt)
{
    size_t i, w = (size_t)rows_of;

    memset(image, 0, 2 * n_bytes);
    for (i = 0; i < n_bytes; i++) {
        image[i / w * 2 * w + i % w] = byte_of(i, salt);
    }
    paulimpi_memory_copy(device, image, 2 * n_bytes, stream);
    paulimpi_stream_wait(stream);
    memset(pinned, 0, n_bytes);
}

static void
check_packed(int salt)
{
    size_t i, n_wrong = 0;

    for (i = 0; i < n_bytes; i++) {
        n_wrong += pinned[i] != byte_of(i, salt);
    }
    tap_is_int(n_wrong, 0, "the bytes are packed");
}

static void
check_unpacked(int rows_of, int salt)
{
    size_t i, w = (size_t)rows_of, n_wrong = 0;

    paulimpi_memory_copy(image, device, 2 * n_bytes, stream);
    paulimpi_stream_wait(stream);
    for (i = 0; i < 2 * n_bytes; i++) {
        n_wrong +=
            image[i] != (i / w % 2 ? 0 : byte_of(i / w / 2 * w + i % w, salt));
    }
    tap_is_int(n_wrong, 0, "and unpacked, and nothing else");
}

static void
test_width(int rows_of)
{
    const paulimpi_region region = paulimpi_region_2d(
        device, (size_t)rows_of, (int64_t)n_bytes / rows_of, 2 * rows_of);
    paulimpi__layout layout;
    int current = paulimpi_device_current();
    int way, by;

    if (paulimpi__layout_set(&layout, &region, "packing", "region")
        != PAULIMPI_SUCCESS) {
        tap_bail("no layout: %s", paulimpi_last_error());
    }
    by = paulimpi__device_copier(&layout, current, current);
    for (way = 0; way < (paulimpi__has_kernel(current) ? WAYS : 1); way++) {
        int is_ours = way == (by == PAULIMPI__BY_KERNEL ? KERNEL : COPIES);
        double out, in;

        write_device(rows_of, 3 * way);
        out = measure(&layout, way, pack);
        check_packed(3 * way);
        memset(image, 0, 2 * n_bytes);
        paulimpi_memory_copy(device, image, 2 * n_bytes, stream);
        in = measure(&layout, way, unpack);
        check_unpacked(rows_of, 3 * way);
        printf("# rows of %4d B  %-20s %9.3f GB/s out %9.3f GB/s in%s\n",
               rows_of, name[way], 1e-9 * (double)n_bytes / out,
               1e-9 * (double)n_bytes / in, is_ours ? "  <-" : "");
    }
}

int
main(void)
{
    int i, n_devices = 0;

    paulimpi_device_count(&n_devices);
    if (n_devices == 0) {
        tap_skip_all("there is no device");
    }
    n_bytes = mock_is_here() ? (size_t)1 << 16 : (size_t)1 << 24;
    image = malloc(2 * n_bytes);
    if (image == NULL
        || paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, 2 * n_bytes,
                                  (void **)&device)
               != PAULIMPI_SUCCESS
        || paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, n_bytes,
                                  (void **)&block)
               != PAULIMPI_SUCCESS
        || paulimpi_memory_create(PAULIMPI_MEMORY_PINNED, n_bytes,
                                  (void **)&pinned)
               != PAULIMPI_SUCCESS
        || paulimpi_stream_create(&stream) != PAULIMPI_SUCCESS) {
        tap_bail("no memory: %s", paulimpi_last_error());
    }
    if (!paulimpi__has_kernel(paulimpi_device_current())) {
        printf("# there is no kernel: see configure's CUDA kernels, or the "
               "log with PAULIMPI_LOG=warn\n");
    }
    for (i = 0; i < WIDTHS; i++) {
        test_width(width[i]);
    }
    paulimpi_stream_destroy(&stream);
    paulimpi_memory_destroy((void **)&pinned);
    paulimpi_memory_destroy((void **)&block);
    paulimpi_memory_destroy((void **)&device);
    free(image);
    return tap_done();
}
