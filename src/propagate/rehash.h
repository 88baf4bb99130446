/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Another hash for all terms of a store.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_REHASH_H
#define PAULIMPI_SRC_PROPAGATE_REHASH_H

#include "propagate/in_place.h"

/** Give the store of a run another hash (of X_q, then of Z_q, for every
 * qubit) and 2^log2_buckets buckets. 0, or PAULIMPI_ERR_MEMORY with the store
 * as it was. */
int paulimpi__rehash(paulimpi__run *run, const uint32_t *hash_of,
                     int log2_buckets);

#endif /* PAULIMPI_SRC_PROPAGATE_REHASH_H */
