/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy
 * as 1, 2, 3", SC11.
 */
#include "base/base.h"

enum { ROUNDS = 10 };

static const uint32_t multiplier[2] = { 0xD2511F53, 0xCD9E8D57 };

/* What is added to the key after each round: the golden ratio and
 * sqrt(3) - 1. */
static const uint32_t weyl[2] = { 0x9E3779B9, 0xBB67AE85 };

void
paulimpi__philox(const uint32_t counter[4], const uint32_t key[2],
                 uint32_t out[4])
{
    uint32_t c0 = counter[0], c1 = counter[1];
    uint32_t c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    int round;

    for (round = 0; round < ROUNDS; round++) {
        uint64_t left = (uint64_t)multiplier[0] * c0;
        uint64_t right = (uint64_t)multiplier[1] * c2;

        c0 = (uint32_t)(right >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)right;
        c2 = (uint32_t)(left >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)left;
        k0 += weyl[0];
        k1 += weyl[1];
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}
