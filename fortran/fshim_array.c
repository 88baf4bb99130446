/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arrays as Fortran compilers describe them.
 */
#include "fshim_array.h"

/* Join dimensions: an array may have fifteen. What cannot be a region becomes
 * one that is refused where it is used. */
void
paulimpi_f_region_of(const CFI_cdesc_t *array, paulimpi_region *region)
{
    int n = 0;
    int i;

    /* An address is not what anybody wants to send. */
    *region = (paulimpi_region){
        .base = array->base_addr,
        .element = array->type == CFI_type_cptr ? 0 : array->elem_len,
    };
    for (i = 0; i < array->rank; i++) {
        int64_t extent = array->dim[i].extent; /* -1 of an array a(*) */
        int64_t stride = array->dim[i].sm;

        if (extent == 0) {
            region->dimensions = 1;
            region->extent[0] = 0;
            return;
        }
        if (extent == 1) {
            continue;
        }
        if (n > 0 && n <= PAULIMPI_REGION_DIMENSIONS && extent > 0
            && stride == region->stride[n - 1] * region->extent[n - 1]) {
            region->extent[n - 1] *= extent;
            continue;
        }
        if (n < PAULIMPI_REGION_DIMENSIONS) {
            region->extent[n] = extent;
            region->stride[n] = stride;
        }
        n++;
    }
    region->dimensions = n;
}
