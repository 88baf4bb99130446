/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which of the compiled loops are used here.
 */
#include "config.h"

#include "propagate/tile.h"

int
paulimpi__tile_loops_choose(const paulimpi__tile_loops **loops_p)
{
    static const paulimpi__tile_loops *const loops[] = {
        [PAULIMPI__SIMD_PORTABLE] = &paulimpi__tile_loops_portable,
#if defined(HAVE_X86_TARGETS)
        [PAULIMPI__SIMD_AVX2] = &paulimpi__tile_loops_avx2,
        [PAULIMPI__SIMD_AVX512] = &paulimpi__tile_loops_avx512,
#endif
    };
    int level;
    int rc = paulimpi__simd_choose(&level);

    if (rc == PAULIMPI_SUCCESS) {
        *loops_p = loops[level];
    }
    return rc;
}
