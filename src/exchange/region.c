/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Regions: the public constructors.
 */
#include "paulimpi/exchange.h"

#include "base/base.h"
#include "exchange/layout.h"

/* Rows of bytes as a region. More bytes than an extent can say stay what they
 * are, an element, so that whoever takes the region refuses it. */
static paulimpi_region
rows_of_bytes(const void *base, size_t row_bytes, int64_t rows, int64_t pitch)
{
    paulimpi_region region = {
        .base = (void *)(uintptr_t)base,
        .element = 1,
        .dimensions = 2,
        .extent = { (int64_t)row_bytes, rows, 1, 1 },
        .stride = { 1, pitch, 0, 0 },
    };

    if (row_bytes > INT64_MAX) {
        region.element = row_bytes;
        region.extent[0] = 1;
    }
    return region;
}

paulimpi_region
paulimpi_region_1d(const void *base, size_t bytes)
{
    return rows_of_bytes(base, bytes, 1, 0);
}

paulimpi_region
paulimpi_region_2d(const void *base, size_t row_bytes, int64_t rows,
                   int64_t pitch)
{
    return rows_of_bytes(base, row_bytes, rows, pitch);
}

int
paulimpi_region_strided(const void *base, size_t element, int dimensions,
                        const int64_t *extent, const int64_t *stride,
                        paulimpi_region *region)
{
    const char *const function = "paulimpi_region_strided";
    paulimpi_region made = { .base = (void *)(uintptr_t)base,
                             .element = element,
                             .dimensions = dimensions };
    paulimpi__layout layout;
    int rc;
    int i;

    if (region == NULL) {
        return paulimpi__null(function, "region");
    }
    if (dimensions > 0 && (extent == NULL || stride == NULL)) {
        return paulimpi__null(function, extent == NULL ? "extent" : "stride");
    }
    for (i = 0; i < PAULIMPI_REGION_DIMENSIONS; i++) {
        made.extent[i] = 1;
    }
    if (dimensions <= PAULIMPI_REGION_DIMENSIONS) {
        for (i = 0; i < dimensions; i++) {
            made.extent[i] = extent[i];
            made.stride[i] = stride[i];
        }
    }
    rc = paulimpi__layout_set(&layout, &made, function, "region");
    if (rc == PAULIMPI_SUCCESS) {
        *region = made;
    }
    return rc;
}

int64_t
paulimpi_region_bytes(const paulimpi_region *region)
{
    paulimpi__layout layout;
    int rc = paulimpi__layout_set(&layout, region, "paulimpi_region_bytes",
                                  "region");

    return rc == PAULIMPI_SUCCESS ? layout.bytes : rc;
}
