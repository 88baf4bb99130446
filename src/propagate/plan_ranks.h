/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What ranks would do with a circuit, found without terms.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_PLAN_RANKS_H
#define PAULIMPI_SRC_PROPAGATE_PLAN_RANKS_H

#include "propagate/stretch.h"

/** Of terms that are spread evenly: the part that is on another rank by `after`
 * than by `before`, of which the bits in `drawn` are new; and how many ranks
 * one rank sends to. Exact if the ranks are a power of 2 and have equal parts,
 * and otherwise by a sample. 0 or PAULIMPI_ERR_MEMORY. */
int paulimpi__plan_move(const paulimpi__shares *before,
                        const paulimpi__shares *after, uint32_t drawn,
                        double *part, int *partners);

/** Whether some terms change their rank when they are multiplied by a string.
 */
int paulimpi__shares_cross(const paulimpi__shares *shares,
                           const uint64_t *key);

#endif /* PAULIMPI_SRC_PROPAGATE_PLAN_RANKS_H */
