/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keys turned by 90 degrees: a word for each bit of the key and each block of
 * 64 terms. To find the terms that a gate moves takes one operation for 64 of
 * them and each letter of the generator.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_PLANES_H
#define PAULIMPI_SRC_PROPAGATE_PLANES_H

#include "propagate/in_place.h"

/* Eight blocks share a cache line for each bit. */
enum { PAULIMPI__PLANE_BLOCKS = 8 };

typedef struct {
    uint64_t *plane; /* see paulimpi__plane() */
    uint64_t *odd;   /* of the blocks: which terms are active */
    int64_t n_bits;  /* of a key, 128 n_words */
    int64_t most_blocks;
    int64_t n_blocks; /* the first blocks of the view, all of them full */
} paulimpi__planes;

/** Bring the planes up to date with the full blocks of a view, of which those
 * known before have not changed. 0 or PAULIMPI_ERR_MEMORY. */
int paulimpi__planes_update(paulimpi__planes *planes,
                            const paulimpi__view *view, int64_t n_words);

/** Compute odd[] for a generator. */
void paulimpi__planes_scan(paulimpi__planes *planes,
                           const paulimpi__ready_op *op);

/** The words of a bit for eight blocks, of which `block` is the first. */
static inline uint64_t *
paulimpi__plane(const paulimpi__planes *planes, int64_t block, int64_t bit)
{
    return planes->plane + block * planes->n_bits
           + bit * PAULIMPI__PLANE_BLOCKS;
}

/** The terms of block k of the view, which is given, that have a bit set. */
static inline uint64_t
paulimpi__planes_bit(const paulimpi__planes *planes,
                     const paulimpi__block *block, int64_t k,
                     paulimpi__tap tap)
{
    int64_t lane = k % PAULIMPI__PLANE_BLOCKS;

    return k < planes->n_blocks ? paulimpi__plane(
               planes, k - lane, tap.column * 64 + tap.shift)[lane]
                                : paulimpi__scan_tap(block, tap);
}

void paulimpi__planes_free(paulimpi__planes *planes);

#endif /* PAULIMPI_SRC_PROPAGATE_PLANES_H */
