/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Regions as users make them.
 */
#include <string.h>

#include "paulimpi/exchange.h"
#include "tap/tap.h"

static char memory[64];

static void
test_bytes(void)
{
    paulimpi_region region = paulimpi_region_1d(memory, 40);

    tap_is_int(paulimpi_region_bytes(&region), 40, "a region of 40 bytes");
    tap_ok(region.base == memory, "is where it is");
    region = paulimpi_region_1d(NULL, 0);
    tap_is_int(paulimpi_region_bytes(&region), 0, "nothing nowhere");
    region = paulimpi_region_1d(NULL, 1);
    tap_is_status((int)paulimpi_region_bytes(&region), PAULIMPI_ERR_ARGUMENT,
                  "a byte nowhere is refused");
    region = paulimpi_region_1d(memory, (size_t)INT64_MAX + 1);
    tap_is_status((int)paulimpi_region_bytes(&region), PAULIMPI_ERR_RANGE,
                  "so are 2^63 bytes");
    region = paulimpi_region_1d(memory, SIZE_MAX);
    tap_is_status((int)paulimpi_region_bytes(&region), PAULIMPI_ERR_RANGE,
                  "and 2^64 - 1");
    tap_is_status((int)paulimpi_region_bytes(NULL), PAULIMPI_ERR_ARGUMENT,
                  "and no region");
    tap_contains(paulimpi_last_error(), "paulimpi_region_bytes: region",
                 "with a sentence");
}

static void
test_rows(void)
{
    paulimpi_region region = paulimpi_region_2d(memory, 3, 4, 16);

    tap_is_int(paulimpi_region_bytes(&region), 12, "four rows of 3 bytes");
    region = paulimpi_region_2d(memory + 48, 3, 4, -16);
    tap_is_int(paulimpi_region_bytes(&region), 12, "from the last one");
    region = paulimpi_region_2d(NULL, 3, 0, 16);
    tap_is_int(paulimpi_region_bytes(&region), 0, "no rows");
    region = paulimpi_region_2d(NULL, 0, 4, 16);
    tap_is_int(paulimpi_region_bytes(&region), 0, "rows of nothing");
    region = paulimpi_region_2d(memory, 3, -1, 16);
    tap_is_status((int)paulimpi_region_bytes(&region), PAULIMPI_ERR_ARGUMENT,
                  "-1 rows are refused");
    region = paulimpi_region_2d(memory, 3, INT64_MAX, 16);
    tap_is_status((int)paulimpi_region_bytes(&region), PAULIMPI_ERR_RANGE,
                  "so are more than memory has");
}

static void
test_strided(void)
{
    const int64_t extent[2] = { 2, 3 };
    const int64_t stride[2] = { 8, 24 };
    paulimpi_region region = { .element = 77 };

    tap_is_status(
        paulimpi_region_strided(memory, 4, 2, extent, stride, &region),
        PAULIMPI_SUCCESS, "every second of 4 bytes, in 3 rows");
    tap_ok(region.base == memory && region.element == 4
               && region.dimensions == 2
               && memcmp(region.extent, extent, sizeof extent) == 0
               && memcmp(region.stride, stride, sizeof stride) == 0,
           "is as it was said");
    tap_is_int(paulimpi_region_bytes(&region), 24, "and has 24 bytes");
    tap_is_status(paulimpi_region_strided(memory, 4, 0, NULL, NULL, &region),
                  PAULIMPI_SUCCESS, "one element needs no strides");
    tap_is_int(paulimpi_region_bytes(&region), 4, "and has its bytes");
}

static void
refuse(const void *base, size_t element, int dimensions, const int64_t *extent,
       const int64_t *stride, int code, const char *part)
{
    paulimpi_region region = { .element = 77 };

    tap_is_status(paulimpi_region_strided(base, element, dimensions, extent,
                                          stride, &region),
                  code, "refused: %s", part);
    tap_contains(paulimpi_last_error(), part, "with that sentence");
    tap_is_int((int64_t)region.element, 77, "and no region");
}

static void
test_refused(void)
{
    const int64_t extent[2] = { 2, INT64_MAX / 2 };
    const int64_t negative[2] = { 2, -2 };
    const int64_t stride[2] = { 8, 24 };

    refuse(memory, 4, 1, NULL, stride, PAULIMPI_ERR_ARGUMENT,
           "paulimpi_region_strided: extent is NULL");
    refuse(memory, 4, 1, extent, NULL, PAULIMPI_ERR_ARGUMENT,
           "stride is NULL");
    refuse(memory, 0, 1, extent, stride, PAULIMPI_ERR_ARGUMENT,
           "element is 0");
    refuse(memory, 4, -1, extent, stride, PAULIMPI_ERR_ARGUMENT,
           "dimensions is -1");
    refuse(memory, 4, 5, extent, stride, PAULIMPI_ERR_ARGUMENT,
           "dimensions is 5");
    refuse(memory, 4, 2, negative, stride, PAULIMPI_ERR_ARGUMENT,
           "extent[1] is -2");
    refuse(NULL, 4, 1, extent, stride, PAULIMPI_ERR_ARGUMENT, "base is NULL");
    refuse(memory, 4, 2, extent, stride, PAULIMPI_ERR_RANGE, "more bytes");
    tap_is_status(paulimpi_region_strided(memory, 4, 1, extent, stride, NULL),
                  PAULIMPI_ERR_ARGUMENT, "no place for the region");
}

int
main(void)
{
    test_bytes();
    test_rows();
    test_strided();
    test_refused();
    return tap_done();
}
