/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plain path for sums of few terms.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_FEW_H
#define PAULIMPI_SRC_PROPAGATE_FEW_H

#include "propagate/in_place.h"

/** Take the run through as many units as follow each other that this path
 * can take. Whether it was any; if not, nothing has changed. */
int paulimpi__few_advance(paulimpi__run *run);

/** Free what the runs above have kept. */
void paulimpi__few_free(paulimpi__workspace *space);

#endif /* PAULIMPI_SRC_PROPAGATE_FEW_H */
