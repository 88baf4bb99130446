/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Packing from and to a device's memory, which the host cannot touch: any part
 * of any region, in few copies. Without a device the memory is the host's.
 */
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "exchange/regions.h"
#include "mock/mock.h"
#include "tap/tap.h"

static unsigned char *address[REGIONS_MOST_BYTES];
static unsigned char back[REGIONS_ARENA];
static char *device;          /* the arena in a device's memory */
static unsigned char *packed; /* page-locked */
static paulimpi_stream stream;

static int
copy_and_wait(void *to, const void *from, size_t bytes)
{
    return paulimpi_memory_copy(to, from, bytes, stream) == PAULIMPI_SUCCESS
           && paulimpi_stream_wait(stream) == PAULIMPI_SUCCESS;
}

/* A region of the arena, in the device's memory. */
static paulimpi__layout
layout_there(paulimpi_region region)
{
    region.base = device + ((unsigned char *)region.base - regions_arena);
    return regions_layout(&region);
}

static int
packs(const paulimpi__layout *layout, int by, int64_t first, int64_t bytes)
{
    int64_t i;

    memset(packed, 0xa5, REGIONS_MOST_BYTES);
    if (paulimpi__pack(layout, by, first, bytes, packed, stream)
            != PAULIMPI_SUCCESS
        || paulimpi_stream_wait(stream) != PAULIMPI_SUCCESS) {
        return 0;
    }
    for (i = 0; i < bytes; i++) {
        if (packed[i] != *address[first + i]) {
            return 0;
        }
    }
    return 1;
}

/* Unpack random bytes; whether they are there, and the rest is as it was. */
static int
unpacks(const paulimpi__layout *layout, int by, int64_t first, int64_t bytes)
{
    int64_t i;

    for (i = 0; i < bytes; i++) {
        packed[i] = (unsigned char)regions_draw(256);
        *address[first + i] = packed[i];
    }
    return paulimpi__unpack(layout, by, first, bytes, packed, stream)
               == PAULIMPI_SUCCESS
           && copy_and_wait(back, device, sizeof back)
           && memcmp(back, regions_arena, sizeof back) == 0;
}

static void
test_random(int by, uint32_t seed, const char *who)
{
    int n_wrong = 0;
    int i;

    regions_seed(seed);
    for (i = 0; i < REGIONS_ARENA; i++) {
        regions_arena[i] = (unsigned char)regions_draw(256);
    }
    n_wrong += !copy_and_wait(device, regions_arena, REGIONS_ARENA);
    for (i = 0; i < 300; i++) {
        paulimpi_region region = regions_random();
        paulimpi__layout layout = layout_there(region);
        int64_t first = regions_draw((uint32_t)layout.bytes + 1);
        int64_t bytes = regions_draw((uint32_t)(layout.bytes - first) + 1);

        regions_list(&region, address);
        n_wrong += !packs(&layout, by, 0, layout.bytes)
                   || !packs(&layout, by, first, bytes);
        n_wrong += !paulimpi__layout_repeats(&layout)
                   && (!unpacks(&layout, by, first, bytes)
                       || !unpacks(&layout, by, 0, layout.bytes));
    }
    tap_is_int(n_wrong, 0, "parts of 300 random regions, by %s", who);
    tap_is_int(mock_faults(), 0, "within their allocations");
}

/* What the device module hands to CUDA. */
static int64_t
copies(void)
{
    return mock_calls("cudaMemcpyAsync") + mock_calls("cudaMemcpy2DAsync");
}

static void
check_copies(paulimpi_region region, int64_t most, const char *fact)
{
    paulimpi__layout layout = layout_there(region);
    int64_t before = copies();
    int is_right;

    regions_list(&region, address);
    is_right = packs(&layout, PAULIMPI__BY_DEVICE, 0, layout.bytes);
    tap_ok(is_right && copies() - before == (mock_is_here() ? most : 0),
           "%s: %d copies", fact, (int)(copies() - before));
}

static void
test_few_copies(void)
{
    paulimpi_region region = { .base = regions_arena,
                               .element = 8,
                               .dimensions = 3,
                               .extent = { 5, 10, 3 },
                               .stride = { 8, 64, 1000 } };

    check_copies(region, 3, "rows in three planes");
    region.stride[0] = 16;
    region.stride[1] = 100;
    check_copies(region, 5, "combs whose rows go on from plane to plane");
    region.stride[2] = 1040;
    check_copies(region, 15, "combs of fewer teeth than rows");
    region.extent[0] = 20;
    region.stride[1] = 328;
    region.extent[1] = 6;
    region.extent[2] = 1;
    check_copies(region, 6, "of more teeth than rows");
    region.base = regions_arena + 19 * 16;
    region.stride[0] = -16;
    check_copies(region, 20, "of teeth in the other direction");
    region.base = regions_arena + 19 * 16 + 5 * 328;
    region.stride[1] = -328;
    check_copies(region, 120, "of both in the other direction");
    region = paulimpi_region_1d(regions_arena, 4000);
    check_copies(region, 1, "what is contiguous");
}

/* What is left to a kernel, and what to copies. */
static void
check_copier(paulimpi_region region, int is_thin, const char *fact)
{
    paulimpi__layout layout = layout_there(region);
    int by = paulimpi__device_copier(&layout, 0, 0);

    tap_is_int(by == PAULIMPI__BY_KERNEL, is_thin && paulimpi__has_kernel(0),
               "%s", fact);
    tap_is_int(paulimpi__device_copier(&layout, 0, 1), PAULIMPI__BY_DEVICE,
               "not in a stream of another device");
}

static void
test_copier(void)
{
    paulimpi_region region = { .base = regions_arena,
                               .element = 63,
                               .dimensions = 2,
                               .extent = { 1, 40 },
                               .stride = { 63, 100 } };

    check_copier(region, 1, "rows of 63 bytes are for a kernel");
    region.element = 64;
    check_copier(region, 0, "rows of 64 are not");
    region.stride[1] = -100;
    region.base = regions_arena + 39 * 100;
    check_copier(region, 1, "unless no copy takes them at once");
    region.extent[1] = 1;
    check_copier(region, 0, "what is contiguous is not");
    region = (paulimpi_region){ .base = regions_arena,
                                .element = 64,
                                .dimensions = 3,
                                .extent = { 3, 4, 2 },
                                .stride = { 100, 400, 2000 } };
    check_copier(region, 1, "nor many small copies for the copy engine");
    region.extent[0] = 1 << 10;
    region.stride[1] = 100 << 10;
    check_copier(region, 0, "nor few large ones for a kernel");
}

/* A kernel does it at once; where it cannot reach the packed bytes copies
 * do. */
static void
test_launches(void)
{
    paulimpi_region region = { .base = regions_arena,
                               .element = 8,
                               .dimensions = 3,
                               .extent = { 5, 10, 3 },
                               .stride = { -16, 100, 1040 } };
    paulimpi__layout layout;
    unsigned char *pinned = packed;
    int64_t launches = mock_calls("cuLaunchKernel");
    int64_t before = copies();
    int has_kernel = paulimpi__has_kernel(0);

    region.base = regions_arena + 5 * 16;
    layout = layout_there(region);
    regions_list(&region, address);
    launches = mock_calls("cuLaunchKernel");
    tap_ok(packs(&layout, PAULIMPI__BY_KERNEL, 0, layout.bytes),
           "rows in three planes from back to front");
    if (has_kernel) {
        tap_is_int(mock_calls("cuLaunchKernel") - launches, mock_is_here(),
                   "by one launch");
        tap_is_int(copies() - before, 0, "and no copy");
    }
    packed = malloc(REGIONS_MOST_BYTES);
    launches = mock_calls("cuLaunchKernel");
    tap_ok(packs(&layout, PAULIMPI__BY_KERNEL, 3, layout.bytes - 7),
           "and to memory that a device does not reach");
    tap_is_int(mock_calls("cuLaunchKernel") - launches, 0, "by copies");
    free(packed);
    packed = pinned;
    tap_is_int(mock_faults(), 0, "within their allocations");
}

/* A launch that fails is an error, and does nothing. */
static void
test_failure(void)
{
    enum { INVALID_IMAGE = 200, INVALID_CONTEXT = 201 };
    paulimpi_region region = paulimpi_region_2d(regions_arena, 8, 40, 24);
    paulimpi__layout layout = layout_there(region);

    if (!mock_is_here() || !paulimpi__has_kernel(0)) {
        return;
    }
    memset(packed, 0x11, REGIONS_MOST_BYTES);
    memset(back, 0x11, REGIONS_ARENA);
    mock_fail("cuLaunchKernel", 1, INVALID_IMAGE);
    tap_is_int(paulimpi__pack(&layout, PAULIMPI__BY_KERNEL, 0, layout.bytes,
                              packed, stream),
               PAULIMPI_ERR_DEVICE, "a launch that fails is an error");
    tap_ok(strstr(paulimpi_last_error(), "cuLaunchKernel failed") != NULL,
           "with its name: %s", paulimpi_last_error());
    paulimpi_stream_wait(stream);
    tap_ok(memcmp(packed, back, (size_t)layout.bytes) == 0,
           "and nothing was written");
    regions_list(&region, address);
    tap_ok(packs(&layout, PAULIMPI__BY_KERNEL, 0, layout.bytes),
           "the next one works");
    mock_fail("cuLaunchKernel", 1, INVALID_CONTEXT);
    tap_ok(packs(&layout, PAULIMPI__BY_KERNEL, 0, layout.bytes),
           "a thread that the driver does not know is no failure");
}

int
main(void)
{
    int count = 0;

    paulimpi_device_count(&count);
    if (paulimpi_memory_create(count > 0 ? PAULIMPI_MEMORY_DEVICE
                                         : PAULIMPI_MEMORY_HOST,
                               REGIONS_ARENA, (void **)&device)
            != PAULIMPI_SUCCESS
        || paulimpi_memory_create(PAULIMPI_MEMORY_PINNED, REGIONS_MOST_BYTES,
                                  (void **)&packed)
               != PAULIMPI_SUCCESS
        || paulimpi_stream_create(&stream) != PAULIMPI_SUCCESS) {
        tap_bail("no memory: %s", paulimpi_last_error());
    }
    test_random(PAULIMPI__BY_DEVICE, 6, "copies");
    test_random(PAULIMPI__BY_KERNEL, 7, "a kernel, or copies without one");
    test_few_copies();
    test_copier();
    test_launches();
    test_failure();
    paulimpi_stream_destroy(&stream);
    paulimpi_memory_destroy((void **)&packed);
    paulimpi_memory_destroy((void **)&device);
    return tap_done();
}
