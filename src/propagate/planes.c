/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keys turned by 90 degrees.
 */
#include "propagate/planes.h"

#include "config.h"

#include <string.h>

enum {
    BLOCK = PAULIMPI__BLOCK_TERMS,
    SHARE = PAULIMPI__PLANE_BLOCKS,
    LEAST_BLOCKS = 32
};

/* Let squares of `size` bits off the diagonal change places; size is a constant
 * where this is called, so that the loops become vector code. */
static inline void
swap_squares(uint64_t *a, int size, uint64_t mask)
{
    int base, i;

    for (base = 0; base < BLOCK; base += 2 * size) {
        for (i = base; i < base + size; i++) {
            uint64_t swap = (a[i] >> size ^ a[i + size]) & mask;

            a[i] ^= swap << size;
            a[i + size] ^= swap;
        }
    }
}

/* Transpose 64 words of 64 bits. */
PAULIMPI__CLONES static void
transpose(uint64_t *a)
{
    swap_squares(a, 32, UINT64_C(0x00000000ffffffff));
    swap_squares(a, 16, UINT64_C(0x0000ffff0000ffff));
    swap_squares(a, 8, UINT64_C(0x00ff00ff00ff00ff));
    swap_squares(a, 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
    swap_squares(a, 2, UINT64_C(0x3333333333333333));
    swap_squares(a, 1, UINT64_C(0x5555555555555555));
}

static void
turn_block(paulimpi__planes *planes, int64_t k, const paulimpi__block *block)
{
    int64_t lane = k % SHARE;
    int64_t column;
    int bit;

    for (column = 0; column < planes->n_bits / 64; column++) {
        uint64_t *to = paulimpi__plane(planes, k - lane, column * 64) + lane;
        uint64_t square[BLOCK];

        memcpy(square, &block->word[column * BLOCK], sizeof square);
        transpose(square);
        for (bit = 0; bit < 64; bit++) {
            to[bit * SHARE] = square[bit];
        }
    }
}

/* Room for n blocks; what was there is made again. */
static int
reserve(paulimpi__planes *planes, int64_t n)
{
    n += n / 2 > LEAST_BLOCKS ? n / 2 : LEAST_BLOCKS;
    n += -n & (SHARE - 1);
    paulimpi__free(planes->plane);
    paulimpi__free(planes->odd);
    planes->most_blocks = 0;
    planes->n_blocks = 0;
    planes->plane = paulimpi__alloc_aligned(
        64, (size_t)n, (size_t)planes->n_bits * sizeof *planes->plane);
    planes->odd = paulimpi__alloc((size_t)n, sizeof *planes->odd);
    if (planes->plane == NULL || planes->odd == NULL) {
        return PAULIMPI_ERR_MEMORY;
    }
    planes->most_blocks = n;
    return PAULIMPI_SUCCESS;
}

int
paulimpi__planes_update(paulimpi__planes *planes, const paulimpi__view *view,
                        int64_t n_words)
{
    int64_t n = view->n / BLOCK;

    planes->n_bits = 128 * n_words;
    if (n > planes->most_blocks && reserve(planes, n) != PAULIMPI_SUCCESS) {
        return PAULIMPI_ERR_MEMORY;
    }
    for (; planes->n_blocks < n; planes->n_blocks++) {
        turn_block(planes, planes->n_blocks, view->block[planes->n_blocks]);
    }
    return PAULIMPI_SUCCESS;
}

/* Add the planes of the bits set in a word of the generator, for eight blocks
 * from `block` on. */
static void
add_planes(const paulimpi__planes *planes, int64_t block, int64_t column,
           uint64_t bits, uint64_t odd[SHARE])
{
    int lane;

    for (; bits != 0; bits &= bits - 1) {
        const uint64_t *plane = paulimpi__plane(
            planes, block, column * 64 + __builtin_ctzll(bits));

        for (lane = 0; lane < SHARE; lane++) {
            odd[lane] ^= plane[lane];
        }
    }
}

PAULIMPI__CLONES void
paulimpi__planes_scan(paulimpi__planes *planes, const paulimpi__ready_op *op)
{
    int64_t n_words = planes->n_bits / 128;
    int64_t block, k;

    for (block = 0; block < planes->n_blocks; block += SHARE) {
        uint64_t odd[SHARE] = { 0 };

        for (k = 0; k < op->n_parts; k++) {
            const paulimpi__part *g = &op->parts[k];

            add_planes(planes, block, g->word, g->z, odd);
            add_planes(planes, block, n_words + g->word, g->x, odd);
        }
        memcpy(&planes->odd[block], odd, sizeof odd);
    }
}

void
paulimpi__planes_free(paulimpi__planes *planes)
{
    paulimpi__free(planes->plane);
    paulimpi__free(planes->odd);
    memset(planes, 0, sizeof *planes);
}
