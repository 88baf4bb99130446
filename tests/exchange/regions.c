/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random regions, and what a region is, element by element.
 */
#include "exchange/regions.h"

#include "base/base.h"
#include "tap/tap.h"

unsigned char regions_arena[REGIONS_ARENA];

static uint32_t seed, drawn;

void
regions_seed(uint32_t number)
{
    seed = number;
    drawn = 0;
}

uint32_t
regions_draw(uint32_t n)
{
    const uint32_t counter[4] = { drawn++, 0, 0, 0 };
    const uint32_t key[2] = { seed, 5 };
    uint32_t word[4];

    paulimpi__philox(counter, key, word);
    return word[0] % n;
}

static int64_t
draw_between(int64_t least, int64_t most)
{
    return least + (int64_t)regions_draw((uint32_t)(most - least + 1));
}

/* Rows in rows, each with a gap behind it at times, now and then from its
 * other end; or anything. */
static void
draw_strides(paulimpi_region *region)
{
    int is_nested = regions_draw(3) > 0;
    int64_t reach = (int64_t)region->element;
    int i;

    for (i = 0; i < region->dimensions; i++) {
        int64_t gap = regions_draw(2) == 0 ? 0 : draw_between(0, 20);

        region->stride[i] = is_nested ? reach + gap : draw_between(-60, 60);
        reach = region->stride[i] * region->extent[i];
        if (is_nested && regions_draw(4) == 0) {
            region->stride[i] = -region->stride[i];
        }
    }
}

/* Place a region in the arena; 0 if it is too large. */
static int
place(paulimpi_region *region)
{
    int64_t below = 0;
    int64_t above = (int64_t)region->element;
    int64_t bytes = (int64_t)region->element;
    int i;

    for (i = 0; i < region->dimensions; i++) {
        int64_t reach = (region->extent[i] - 1) * region->stride[i];

        bytes *= region->extent[i];
        if (region->extent[i] > 0 && reach < 0) {
            below += reach;
        } else if (region->extent[i] > 0) {
            above += reach;
        }
    }
    if (above - below > REGIONS_ARENA || bytes > REGIONS_MOST_BYTES) {
        return 0;
    }
    region->base = regions_arena - below
                   + draw_between(0, REGIONS_ARENA - (above - below));
    return 1;
}

paulimpi_region
regions_random(void)
{
    static const size_t element[] = { 1, 2, 4, 8, 16, 3, 7, 24, 40 };
    paulimpi_region region = { 0 };
    int i;

    do {
        region.element = element[regions_draw(9)];
        region.dimensions = (int)regions_draw(5);
        for (i = 0; i < region.dimensions; i++) {
            region.extent[i] = regions_draw(40) == 0 ? 0 : draw_between(1, 6);
        }
        draw_strides(&region);
    } while (!place(&region));
    return region;
}

int
regions_list(const paulimpi_region *region, unsigned char **address)
{
    int64_t index[PAULIMPI_REGION_DIMENSIONS] = { 0 };
    int n = 0;
    int i;
    size_t b;

    for (i = 0; i < region->dimensions; i++) {
        if (region->extent[i] == 0) {
            return 0;
        }
    }
    do {
        unsigned char *element = region->base;

        for (i = 0; i < region->dimensions; i++) {
            element += index[i] * region->stride[i];
        }
        for (b = 0; b < region->element; b++) {
            address[n++] = element + b;
        }
        for (i = 0; i < region->dimensions; i++) {
            if (++index[i] < region->extent[i]) {
                break;
            }
            index[i] = 0;
        }
    } while (i < region->dimensions);
    return n;
}

paulimpi__layout
regions_layout(const paulimpi_region *region)
{
    paulimpi__layout layout;

    if (paulimpi__layout_set(&layout, region, "test", "region")
        != PAULIMPI_SUCCESS) {
        tap_bail("a region has no layout: %s", paulimpi_last_error());
    }
    return layout;
}
