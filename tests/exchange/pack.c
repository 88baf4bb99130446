/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Packing and unpacking: any part of any region, by the host and by the
 * copies of the device module.
 */
#include <string.h>

#include "exchange/regions.h"
#include "tap/tap.h"

enum { GUARD = 16, FILL = 0xa5 };

static unsigned char *address[REGIONS_MOST_BYTES];
static unsigned char packed[REGIONS_MOST_BYTES + 2 * GUARD];
static unsigned char before[REGIONS_ARENA];

static void
fill_arena(void)
{
    int i;

    for (i = 0; i < REGIONS_ARENA; i++) {
        regions_arena[i] = (unsigned char)regions_draw(256);
    }
    memcpy(before, regions_arena, sizeof before);
}

/* Pack a part of a region; whether its bytes came, and no others. */
static int
packs(const paulimpi__layout *layout, int by, int64_t first, int64_t bytes)
{
    int64_t i;

    memset(packed, FILL, sizeof packed);
    if (paulimpi__pack(layout, by, first, bytes, packed + GUARD, NULL)
        != PAULIMPI_SUCCESS) {
        return 0;
    }
    for (i = 0; i < GUARD; i++) {
        if (packed[i] != FILL || packed[GUARD + bytes + i] != FILL) {
            return 0;
        }
    }
    for (i = 0; i < bytes; i++) {
        if (packed[GUARD + i] != *address[first + i]) {
            return 0;
        }
    }
    return 1;
}

/* Unpack random bytes into a part of a region that has no byte twice; whether
 * they are there, and the rest of the arena as it was. */
static int
unpacks(const paulimpi__layout *layout, int by, int64_t first, int64_t bytes)
{
    int64_t i;
    int is_right;

    for (i = 0; i < bytes; i++) {
        packed[i] = (unsigned char)regions_draw(256);
        before[address[first + i] - regions_arena] = packed[i];
    }
    is_right = paulimpi__unpack(layout, by, first, bytes, packed, NULL)
                   == PAULIMPI_SUCCESS
               && memcmp(before, regions_arena, sizeof before) == 0;
    memcpy(before, regions_arena, sizeof before);
    return is_right;
}

/* Some parts of a region, all of it among them. */
static int
check_parts(const paulimpi__layout *layout, int by)
{
    int has_twice = paulimpi__layout_repeats(layout);
    int i;

    for (i = 0; i < 8; i++) {
        int64_t first = i == 0 ? 0 : regions_draw((uint32_t)layout->bytes + 1);
        int64_t left = layout->bytes - first;
        int64_t bytes = i == 0 ? left : regions_draw((uint32_t)left + 1);

        if (!packs(layout, by, first, bytes)
            || (!has_twice && !unpacks(layout, by, first, bytes))) {
            return 0;
        }
    }
    return 1;
}

static void
test_random(int by, const char *who)
{
    int n_wrong = 0;
    int i;

    regions_seed(2);
    fill_arena();
    for (i = 0; i < 1000; i++) {
        paulimpi_region region = regions_random();
        paulimpi__layout layout = regions_layout(&region);

        regions_list(&region, address);
        n_wrong += !check_parts(&layout, by);
    }
    tap_is_int(n_wrong, 0, "parts of 1000 random regions, by %s", who);
}

/* Every part of a region whose runs have a length: the lengths that have loops
 * of their own, and some that have not. */
static void
test_runs(int by, const char *who)
{
    static const int run[] = { 1,  2,  3,  4,  5,  7,  8,  9,
                               12, 15, 16, 17, 24, 31, 32, 33 };
    size_t r;

    fill_arena();
    for (r = 0; r < sizeof run / sizeof run[0]; r++) {
        paulimpi_region region = { .base = regions_arena + 2000,
                                   .element = (size_t)run[r],
                                   .dimensions = 3,
                                   .extent = { 2, 3, 2 },
                                   .stride = { -40, 90, 300 } };
        paulimpi__layout layout = regions_layout(&region);
        int64_t first, bytes;
        int n_wrong = 0;

        regions_list(&region, address);
        for (first = 0; first <= layout.bytes; first += 1 + first / 16) {
            for (bytes = 0; bytes <= layout.bytes - first;
                 bytes += 1 + bytes / 16) {
                n_wrong += !packs(&layout, by, first, bytes)
                           || !unpacks(&layout, by, first, bytes);
            }
        }
        tap_is_int(n_wrong, 0, "parts of runs of %d bytes, by %s", run[r],
                   who);
    }
}

/* A region far larger than the memory that is touched: the place of a part is
 * found without walking there. */
static void
test_far(void)
{
    const int64_t giga = (int64_t)1 << 30;
    paulimpi_region region = { .element = 8,
                               .dimensions = 3,
                               .extent = { giga, 1 << 20, 4 },
                               .stride = { 16, 16 * giga + 32, -8 } };
    paulimpi__layout layout;
    int64_t first = ((int64_t)3 << 53) + 5 * (giga << 3) + 8 * 7 + 2;

    region.base = regions_arena + 1000;
    region.base = (void *)((uintptr_t)region.base + 3 * 8
                           - 5 * (uintptr_t)region.stride[1] - 7 * 16);
    layout = regions_layout(&region);
    memset(packed, FILL, sizeof packed);
    paulimpi__pack(&layout, PAULIMPI__BY_HOST, first, 20, packed, NULL);
    tap_ok(memcmp(packed, regions_arena + 1002, 6) == 0
               && memcmp(packed + 6, regions_arena + 1016, 8) == 0
               && memcmp(packed + 14, regions_arena + 1032, 6) == 0
               && packed[20] == FILL,
           "20 bytes from the middle of 32 PiB");
}

int
main(void)
{
    test_random(PAULIMPI__BY_HOST, "the host");
    test_random(PAULIMPI__BY_DEVICE, "copies");
    test_runs(PAULIMPI__BY_HOST, "the host");
    test_runs(PAULIMPI__BY_DEVICE, "copies");
    test_far();
    return tap_done();
}
