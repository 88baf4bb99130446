/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kernel for strided memory computes, done by the processor from the
 * same source: any part of any region, in words of any width, by any number of
 * threads, as the host packs it.
 */
#include <string.h>

#include "exchange/regions.h"
#include "tap/tap.h"

enum { GUARD = 16, FILL = 0xa5, REGIONS = 1500, WIDEST = 16 };

typedef struct {
    _Alignas(64) unsigned char byte[REGIONS_ARENA * WIDEST];
} arena;
typedef struct {
    _Alignas(64) unsigned char byte[REGIONS_MOST_BYTES * WIDEST + 2 * GUARD];
} room;

static arena memory, other;
static room packed, wanted;
static int n_of[WIDEST + 1]; /* moves in words of so many bytes */

static void
fill(unsigned char *byte, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        byte[i] = (unsigned char)regions_draw(256);
    }
}

/* A random region whose numbers are all multiples of a width. */
static paulimpi_region
draw_region(int width)
{
    paulimpi_region region = regions_random();
    int64_t offset = (unsigned char *)region.base - regions_arena;
    int d;

    region.base = memory.byte + offset * width;
    region.element *= (size_t)width;
    for (d = 0; d < region.dimensions; d++) {
        region.stride[d] *= width;
    }
    return region;
}

/* Let some threads do a move, in the widest words or in bytes. */
static void
run(paulimpi__grid_move move)
{
    static const uint64_t many[] = { 1, 2, 3, 64, 1000 };
    uint64_t threads = many[regions_draw(5)];
    uint64_t i;

    if (regions_draw(4) > 0) {
        paulimpi__grid_widen(&move);
    }
    n_of[move.word]++;
    for (i = 0; i < threads; i++) {
        paulimpi__grid_thread(&move, i, threads);
    }
}

/* Pack a part; whether it is as the host packs it, and no other byte was
 * written. */
static int
packs(const paulimpi__layout *layout, int64_t first, int64_t bytes)
{
    memset(&packed, FILL, sizeof packed);
    memset(&wanted, FILL, sizeof wanted);
    paulimpi__pack(layout, PAULIMPI__BY_HOST, first, bytes,
                   wanted.byte + GUARD, NULL);
    run(paulimpi__grid_of(layout, first, bytes, packed.byte + GUARD, 0));
    return memcmp(&packed, &wanted, (size_t)bytes + 2 * GUARD) == 0;
}

/* The same for random bytes that are unpacked. */
static int
unpacks(const paulimpi__layout *layout, int64_t first, int64_t bytes)
{
    fill(packed.byte + GUARD, (size_t)bytes);
    memcpy(&other, &memory, sizeof other);
    run(paulimpi__grid_of(layout, first, bytes, packed.byte + GUARD, 1));
    memcpy(&wanted, &memory, sizeof memory);
    memcpy(&memory, &other, sizeof memory);
    paulimpi__unpack(layout, PAULIMPI__BY_HOST, first, bytes,
                     packed.byte + GUARD, NULL);
    return memcmp(&wanted, &memory, sizeof memory) == 0;
}

static void
test_random(int width)
{
    int n_wrong = 0;
    int i;

    regions_seed((uint32_t)(40 + width));
    fill(memory.byte, sizeof memory.byte);
    for (i = 0; i < REGIONS; i++) {
        paulimpi_region region = draw_region(width);
        paulimpi__layout layout = regions_layout(&region);
        int64_t n = layout.bytes / width;
        int64_t first = regions_draw((uint32_t)n + 1);
        int64_t bytes = regions_draw((uint32_t)(n - first) + 1) * width;

        first *= width;
        n_wrong +=
            !packs(&layout, 0, layout.bytes) || !packs(&layout, first, bytes);
        n_wrong += !paulimpi__layout_repeats(&layout)
                   && (!unpacks(&layout, first, bytes)
                       || !unpacks(&layout, 0, layout.bytes));
    }
    tap_is_int(n_wrong, 0, "parts of %d random regions of multiples of %d",
               REGIONS, width);
}

/* Places that no memory is large enough for. */
static void
test_far(void)
{
    const int64_t giga = (int64_t)1 << 30;
    paulimpi_region region = { .element = 8,
                               .dimensions = 4,
                               .extent = { giga, 1 << 20, 4, 3 },
                               .stride = { 16, 16 * giga + 32, -8, 24 } };
    paulimpi__layout layout;
    paulimpi__grid_move move;
    int64_t first = ((int64_t)3 << 53) + 5 * (giga << 3) + 8 * 7;

    region.base = (void *)((uintptr_t)1 << 40);
    layout = regions_layout(&region);
    move = paulimpi__grid_of(&layout, first + ((int64_t)1 << 56), 8, NULL, 0);
    paulimpi__grid_widen(&move);
    tap_is_int(move.word, 8, "words of 8 bytes");
    tap_is_int(paulimpi__grid_offset(&move, move.first),
               7 * 16 + 5 * (16 * giga + 32) - 3 * 8 + 2 * 24,
               "the place of one behind the first 80 PiB");
}

/* A width that one number alone forbids. */
static void
test_widths(void)
{
    const paulimpi__grid_move all = { .base = (char *)&memory,
                                      .packed = (char *)&packed,
                                      .first = 48,
                                      .words = 64,
                                      .run = 32,
                                      .extent = { 5, 7, 1, 1 },
                                      .stride = { -96, 160 },
                                      .dimensions = 2,
                                      .word = 1 };
    int width;

    for (width = 1; width <= WIDEST; width *= 2) {
        int by = width == WIDEST ? 0 : width;
        paulimpi__grid_move odd[7] = { all, all, all, all, all, all, all };
        int i, n_wrong = 0;

        odd[0].base += by;
        odd[1].packed += by;
        odd[2].first += (uint64_t)by;
        odd[3].words += (uint64_t)by;
        odd[4].run += (uint64_t)by;
        odd[5].stride[0] -= by;
        odd[6].stride[1] += by;
        for (i = 0; i < 7; i++) {
            paulimpi__grid_move move = odd[i];

            paulimpi__grid_widen(&move);
            n_wrong += move.word != width;
            n_wrong += move.first * (uint64_t)width != odd[i].first
                       || move.words * (uint64_t)width != odd[i].words
                       || move.run * (uint64_t)width != odd[i].run;
        }
        tap_is_int(n_wrong, 0, "the widest word is %d", width);
    }
}

int
main(void)
{
    int width;

    for (width = 1; width <= WIDEST; width *= 2) {
        test_random(width);
    }
    for (width = 1; width <= WIDEST; width *= 2) {
        tap_ok(n_of[width] > 300, "words of %d bytes: %d times", width,
               n_of[width]);
    }
    test_far();
    test_widths();
    return tap_done();
}
