/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random numbers that do not depend on who draws them.
 */
#ifndef PAULIMPI_RANDOM_H
#define PAULIMPI_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include "paulimpi/export.h"
#include "paulimpi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Random numbers
 *
 * A number is a function of (seed, stream, index) and of nothing else: any
 * rank, thread or program that asks for index 17 gets the same bits, so a
 * field can be filled in pieces by any number of ranks:
 *
 *     paulimpi_random_uniform(seed, step, first, n_local, field);
 *
 * The generator is Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random
 * numbers: as easy as 1, 2, 3", SC11) with key = seed and counter = (index,
 * stream). Streams of one seed, and seeds, are independent of each other.
 */

/**
 * Fill value[i] with the uniform number of index first + i. Local.
 *
 * @param value  n numbers in [0, 1), multiples of 2^-53
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT if value is NULL and n is
 *         not 0; PAULIMPI_ERR_RANGE if first + n passes 2^64
 */
PAULIMPI_API int paulimpi_random_uniform(uint64_t seed, uint64_t stream,
                                         uint64_t first, size_t n,
                                         double *value);

/**
 * Fill value[i] with the normal number (mean 0, variance 1) of index
 * first + i. Local.
 *
 * The inverse of the normal distribution, taken at a uniform number by fixed
 * arithmetic that uses neither libm nor fused operations, so that the bits
 * agree on every machine with IEEE doubles; relative error of the inverse
 * below 1e-13. The method is named in the source.
 *
 * @return as paulimpi_random_uniform()
 */
PAULIMPI_API int paulimpi_random_normal(uint64_t seed, uint64_t stream,
                                        uint64_t first, size_t n,
                                        double *value);

#ifdef __cplusplus
}
#endif

#endif /* PAULIMPI_RANDOM_H */
