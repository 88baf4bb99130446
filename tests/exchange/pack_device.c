/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Packing from and to a device's memory, which the host cannot touch: any part
 * of any region, in few copies. Without a device the memory is the host's.
 */
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
packs(const paulimpi__layout *layout, int64_t first, int64_t bytes)
{
    int64_t i;

    memset(packed, 0xa5, REGIONS_MOST_BYTES);
    if (paulimpi__pack(layout, PAULIMPI__BY_DEVICE, first, bytes, packed,
                       stream)
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
unpacks(const paulimpi__layout *layout, int64_t first, int64_t bytes)
{
    int64_t i;

    for (i = 0; i < bytes; i++) {
        packed[i] = (unsigned char)regions_draw(256);
        *address[first + i] = packed[i];
    }
    return paulimpi__unpack(layout, PAULIMPI__BY_DEVICE, first, bytes, packed,
                            stream)
               == PAULIMPI_SUCCESS
           && copy_and_wait(back, device, sizeof back)
           && memcmp(back, regions_arena, sizeof back) == 0;
}

static void
test_random(void)
{
    int n_wrong = 0;
    int i;

    regions_seed(6);
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
        n_wrong +=
            !packs(&layout, 0, layout.bytes) || !packs(&layout, first, bytes);
        n_wrong += !paulimpi__layout_repeats(&layout)
                   && (!unpacks(&layout, first, bytes)
                       || !unpacks(&layout, 0, layout.bytes));
    }
    tap_is_int(n_wrong, 0, "parts of 300 random regions");
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
    is_right = packs(&layout, 0, layout.bytes);
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
    test_random();
    test_few_copies();
    paulimpi_stream_destroy(&stream);
    paulimpi_memory_destroy((void **)&packed);
    paulimpi_memory_destroy((void **)&device);
    return tap_done();
}
