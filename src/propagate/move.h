/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Moving the terms of a sum between ranks.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_MOVE_H
#define PAULIMPI_SRC_PROPAGATE_MOVE_H

#include "propagate/carry.h"
#include "propagate/shares.h"

/** Bring every term of the carrier's store to the rank that holds it by
 * `shares`, which are the same on all ranks. Each string must be on one rank
 * only. Collective; on failure before anything has moved (PAULIMPI_ERR_MEMORY,
 * also where more than most_bytes would be held) nothing has. */
int paulimpi__move_terms(paulimpi__carrier *carrier,
                         const paulimpi__shares *shares, int64_t most_bytes);

/** The same where all ranks have as many buckets, and the highest bits of a
 * bucket's number are that of the shard of its terms. */
int paulimpi__move_buckets(paulimpi__carrier *carrier,
                           const paulimpi__shares *shares, int64_t most_bytes);

/** Count the terms of such a store by shards. */
void paulimpi__count_buckets_by_shard(const paulimpi__store *store,
                                      int log2_shards, int64_t *of_shard);

/** Remove the terms that other ranks hold, which they have too. Local. */
void paulimpi__leave_terms(paulimpi__store *store,
                           const paulimpi__shares *shares);

/** Bring all terms to all ranks, which get copies of what the others have.
 * Collective; nothing has changed on failure. */
int paulimpi__copy_terms(paulimpi__carrier *carrier);

#endif /* PAULIMPI_SRC_PROPAGATE_MOVE_H */
