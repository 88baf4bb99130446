/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the Fortran modules need from C where the compiler hands arrays over
 * with a description.
 */
#ifndef PAULIMPI_FORTRAN_FSHIM_ARRAY_H
#define PAULIMPI_FORTRAN_FSHIM_ARRAY_H

#include <ISO_Fortran_binding.h>

#include "paulimpi/exchange.h"

/** The region of an array, without a copy. */
void paulimpi_f_region_of(const CFI_cdesc_t *array, paulimpi_region *region);

#endif /* PAULIMPI_FORTRAN_FSHIM_ARRAY_H */
