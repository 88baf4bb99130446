/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Layouts: what regions become.
 */
#include <string.h>

#include "exchange/regions.h"
#include "tap/tap.h"

/* Any place that nothing is read from or written to. */
#define PLACE ((char *)(uintptr_t)(1 << 30))

static paulimpi_region
make(size_t element, int dimensions, const int64_t *extent,
     const int64_t *stride)
{
    paulimpi_region region = { .base = PLACE,
                               .element = element,
                               .dimensions = dimensions };
    int i;

    for (i = 0; i < dimensions; i++) {
        region.extent[i] = extent[i];
        region.stride[i] = stride[i];
    }
    return region;
}

static void
check(const paulimpi_region *region, int dimensions, int64_t run,
      int64_t extent, int64_t stride, const char *fact)
{
    paulimpi__layout layout = regions_layout(region);

    tap_ok(layout.dimensions == dimensions && layout.run == run
               && layout.extent[0] == extent && layout.stride[0] == stride,
           "%s: %d dimensions of runs of %d bytes", fact, layout.dimensions,
           (int)layout.run);
}

static void
test_joining(void)
{
    paulimpi_region region;

    region = make(8, 0, NULL, NULL);
    check(&region, 0, 8, 1, 0, "one element");
    region = make(8, 3, (int64_t[]){ 3, 4, 5 }, (int64_t[]){ 8, 24, 96 });
    check(&region, 0, 480, 1, 0, "a whole array");
    region = make(8, 2, (int64_t[]){ 3, 4 }, (int64_t[]){ 8, 40 });
    check(&region, 1, 24, 4, 40, "some rows of an array");
    region = make(8, 2, (int64_t[]){ 1, 4 }, (int64_t[]){ 8, 40 });
    check(&region, 1, 8, 4, 40, "a column");
    region = make(8, 3, (int64_t[]){ 1, 1, 1 }, (int64_t[]){ -7, 0, 9 });
    check(&region, 0, 8, 1, 0, "strides of one element do not matter");
    region = make(8, 3, (int64_t[]){ 2, 4, 3 }, (int64_t[]){ 16, 32, 128 });
    check(&region, 1, 8, 24, 16, "every second element");
    region = make(8, 3, (int64_t[]){ 2, 4, 3 }, (int64_t[]){ 16, 32, 136 });
    check(&region, 2, 8, 8, 16, "and of rows with a gap");
    region = make(8, 2, (int64_t[]){ 5, 4 }, (int64_t[]){ -8, -40 });
    check(&region, 1, 8, 20, -8, "an array from its end");
    region = make(8, 2, (int64_t[]){ 5, 4 }, (int64_t[]){ 8, -40 });
    check(&region, 1, 40, 4, -40, "its rows from the last one");
    region = make(8, 2, (int64_t[]){ 5, 4 }, (int64_t[]){ 32, 8 });
    check(&region, 2, 8, 5, 32, "a transposed one keeps its order");
    region = make(8, 2, (int64_t[]){ 5, 4 }, (int64_t[]){ 0, 0 });
    check(&region, 1, 8, 20, 0, "one element many times");
    region = make(8, 2, (int64_t[]){ 5, 0 }, (int64_t[]){ 8, 40 });
    check(&region, 0, 0, 1, 0, "no elements");
}

/* The same bytes in the same order, their range, and nothing left to join. */
static int
is_right(const paulimpi_region *region)
{
    static unsigned char *want[REGIONS_MOST_BYTES];
    static unsigned char *got[REGIONS_MOST_BYTES];
    paulimpi__layout layout = regions_layout(region);
    paulimpi_region grid = { .base = layout.base,
                             .element = (size_t)layout.run,
                             .dimensions = layout.dimensions };
    uintptr_t low = UINTPTR_MAX, high = 0;
    int n = regions_list(region, want);
    int i;

    for (i = 0; i < layout.dimensions; i++) {
        grid.extent[i] = layout.extent[i];
        grid.stride[i] = layout.stride[i];
        if (layout.extent[i] < 2
            || layout.stride[i]
                   == (i == 0 ? layout.run
                              : layout.stride[i - 1] * layout.extent[i - 1])) {
            return 0;
        }
    }
    for (i = 0; i < n; i++) {
        low = (uintptr_t)want[i] < low ? (uintptr_t)want[i] : low;
        high = (uintptr_t)want[i] >= high ? (uintptr_t)want[i] + 1 : high;
    }
    return layout.bytes == n && regions_list(&grid, got) == n
           && memcmp(got, want, (size_t)n * sizeof *got) == 0
           && (n == 0
               || ((uintptr_t)layout.low == low
                   && (uintptr_t)layout.high == high));
}

static void
test_random(void)
{
    int n_wrong = 0;
    int i;

    regions_seed(1);
    for (i = 0; i < 5000; i++) {
        paulimpi_region region = regions_random();

        n_wrong += !is_right(&region);
    }
    tap_is_int(n_wrong, 0, "5000 random regions keep their bytes and order");
}

static void
refuse(paulimpi_region region, int code, const char *part, const char *fact)
{
    paulimpi__layout layout = { .bytes = 77 };

    tap_is_status(
        paulimpi__layout_set(&layout, &region, "paulimpi_x", "sends[3]"), code,
        "%s", fact);
    tap_contains(paulimpi_last_error(), part, "with a sentence");
    tap_is_int(layout.bytes, 77, "and no layout");
}

static void
test_refused(void)
{
    const int64_t large = INT64_MAX / 8;
    paulimpi_region region = make(8, 1, (int64_t[]){ 3 }, (int64_t[]){ 8 });
    paulimpi_region wrong = region;

    wrong.element = 0;
    refuse(wrong, PAULIMPI_ERR_ARGUMENT, "paulimpi_x: sends[3]: element is 0",
           "elements of no bytes");
    wrong = region;
    wrong.dimensions = 5;
    refuse(wrong, PAULIMPI_ERR_ARGUMENT, "dimensions is 5", "five dimensions");
    wrong.dimensions = -1;
    refuse(wrong, PAULIMPI_ERR_ARGUMENT, "dimensions is -1", "or -1");
    wrong = region;
    wrong.extent[0] = -1;
    refuse(wrong, PAULIMPI_ERR_ARGUMENT, "extent[0] is -1", "extent -1");
    wrong = region;
    wrong.base = NULL;
    refuse(wrong, PAULIMPI_ERR_ARGUMENT, "base is NULL", "no address");
    wrong = region;
    wrong.element = SIZE_MAX;
    refuse(wrong, PAULIMPI_ERR_RANGE, "more bytes", "an immense element");
    wrong = make(8, 2, (int64_t[]){ large, 2 }, (int64_t[]){ 0, 0 });
    refuse(wrong, PAULIMPI_ERR_RANGE, "more bytes", "2^63 bytes in one place");
    wrong = make(8, 2, (int64_t[]){ large / 2, 2 }, (int64_t[]){ 8, large });
    refuse(wrong, PAULIMPI_ERR_RANGE, "further", "too far from end to end");
    wrong = make(8, 1, (int64_t[]){ 3 }, (int64_t[]){ INT64_MIN });
    refuse(wrong, PAULIMPI_ERR_RANGE, "further", "a stride of -2^63");
    wrong =
        make(8, 2, (int64_t[]){ 2, 2 }, (int64_t[]){ INT64_MIN, INT64_MAX });
    refuse(wrong, PAULIMPI_ERR_RANGE, "further", "and one of 2^63 - 1");
    wrong = make(8, 1, (int64_t[]){ 2 }, (int64_t[]){ -((int64_t)1 << 31) });
    refuse(wrong, PAULIMPI_ERR_RANGE, "further", "addresses below 0");
    wrong = region;
    wrong.base = (void *)(UINTPTR_MAX - 20);
    refuse(wrong, PAULIMPI_ERR_RANGE, "further", "addresses above the last");
}

/* The numbers of large regions, of which no memory is touched. */
static void
test_large(void)
{
    const int64_t giga = (int64_t)1 << 30;
    paulimpi_region region = make(1, 2, (int64_t[]){ 6 * giga / 64, 64 },
                                  (int64_t[]){ 1, 3 * giga });
    paulimpi__layout layout = regions_layout(&region);

    tap_is_int(layout.bytes, 6 * giga, "6 GiB in 64 pieces");
    tap_is_int(layout.high - layout.low, 63 * 3 * giga + 6 * giga / 64,
               "far from each other");
    region = make(8, 2, (int64_t[]){ 0, INT64_MAX },
                  (int64_t[]){ INT64_MAX, INT64_MAX });
    region.base = NULL;
    layout = regions_layout(&region);
    tap_is_int(layout.bytes, 0, "none of many immense rows are no bytes");
    tap_ok(layout.base == NULL && layout.low == layout.high, "at no address");
}

int
main(void)
{
    test_joining();
    test_random();
    test_refused();
    test_large();
    return tap_done();
}
