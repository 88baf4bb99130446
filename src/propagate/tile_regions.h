/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tiles of terms that have their letters in one region.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_TILE_REGIONS_H
#define PAULIMPI_SRC_PROPAGATE_TILE_REGIONS_H

#include "propagate/group.h"
#include "propagate/tile.h"

/* Where gates act on few neighbours and terms have their letters close
 * together, a gate moves only terms of one region. Terms are dealt out over
 * regions then, as well as over buckets: a region is where a term has its first
 * letter among those that no gate of the group changes, so that the partners of
 * a term are in the same one. Regions are the highest bits of the number of a
 * bucket; the others are the hash. */
typedef struct {
    int log2_now;  /* regions of the store; 0: one, and a store like any other
                    */
    int log2_next; /* over which terms are dealt out */
    uint64_t *fixed;    /* bits of keys that the next group does not change */
    uint8_t *of_site;   /* the region of each qubit, */
    int64_t *n_on_site; /* and terms that have their first letter there */
} paulimpi__regions;

/** 0 or PAULIMPI_ERR_MEMORY; free it in any case. */
int paulimpi__regions_init(paulimpi__regions *regions,
                           const paulimpi__store *store);
void paulimpi__regions_free(paulimpi__regions *regions);

/** Choose regions for the terms of a store, which come to a group that could
 * have 2^log2_buckets buckets: 2^log2_next regions. */
void paulimpi__regions_choose(paulimpi__regions *regions,
                              const paulimpi__store *store,
                              const paulimpi__group *group, int log2_buckets);

/** Where the terms of a tile go: to the chain of their hash, in a region. Only
 * bits of support (NULL: any) may be set in their keys. */
void paulimpi__regions_find(const paulimpi__regions *regions,
                            const paulimpi__tile_plan *plan,
                            const paulimpi__tile *tile,
                            const uint64_t *support, int log2_hash,
                            uint32_t *to);

/** Whether a gate can move or change any term of a tile; then the bits that
 * may be set in its terms are brought up to date. */
int paulimpi__regions_touch(const paulimpi__tile_plan *plan,
                            const paulimpi__tile_gate *gate,
                            paulimpi__tile *tile);

#endif /* PAULIMPI_SRC_PROPAGATE_TILE_REGIONS_H */
