/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kernel for strided memory computes. A C compiler reads it as well as
 * CUDA's, so that a test proves it on a machine without a GPU.
 */
#ifndef PAULIMPI_SRC_DEVICE_GRID_H
#define PAULIMPI_SRC_DEVICE_GRID_H

#include <stdint.h>

#ifdef __CUDACC__
#define PAULIMPI__ON_BOTH __host__ __device__
#else
#define PAULIMPI__ON_BOTH
#endif

enum { PAULIMPI__GRID_DIMENSIONS = 4 };

/* The kernel's name, and how many threads it has in a block. */
#define PAULIMPI__GRID_KERNEL "paulimpi_move_grid"
enum { PAULIMPI__GRID_THREADS = 256 };

/* Words [first, first + words) of the packed order of a grid, to be copied from
 * it or to it. A run has words side by side; runs lie in up to four dimensions,
 * the fastest first. Everything is a multiple of the word: addresses, strides,
 * the run. */
typedef struct {
    char *base;
    char *packed; /* word first of the order is here */
    uint64_t first;
    uint64_t words;
    uint64_t run; /* words */
    uint64_t extent[PAULIMPI__GRID_DIMENSIONS];
    int64_t stride[PAULIMPI__GRID_DIMENSIONS]; /* bytes */
    int dimensions;                            /* from 1 up */
    int word;                                  /* bytes: 1, 2, 4, 8 or 16 */
    int to_grid;
} paulimpi__grid_move;

typedef uint16_t __attribute__((may_alias)) paulimpi__word2;
typedef uint32_t __attribute__((may_alias)) paulimpi__word4;
typedef uint64_t __attribute__((may_alias)) paulimpi__word8;
typedef struct __attribute__((may_alias, aligned(16))) {
    uint64_t half[2];
} paulimpi__word16;

/* Where a word of the packed order is, from the base. The last dimension needs
 * no division. */
static inline PAULIMPI__ON_BOTH int64_t
paulimpi__grid_offset(const paulimpi__grid_move *it, uint64_t word)
{
    uint64_t run = word / it->run;
    int64_t offset = (int64_t)(word % it->run) * it->word;
    int d;

    /* The bound is a constant so that the loop is unrolled. */
    for (d = 0; d < PAULIMPI__GRID_DIMENSIONS - 1; d++) {
        if (d == it->dimensions - 1) {
            return offset + (int64_t)run * it->stride[d];
        }
        offset += (int64_t)(run % it->extent[d]) * it->stride[d];
        run /= it->extent[d];
    }
    return offset + (int64_t)run * it->stride[d];
}

static inline PAULIMPI__ON_BOTH void
paulimpi__grid_copy_word(void *to, const void *from, int word)
{
    switch (word) {
    case 1:
        *(char *)to = *(const char *)from;
        break;
    case 2:
        *(paulimpi__word2 *)to = *(const paulimpi__word2 *)from;
        break;
    case 4:
        *(paulimpi__word4 *)to = *(const paulimpi__word4 *)from;
        break;
    case 8:
        *(paulimpi__word8 *)to = *(const paulimpi__word8 *)from;
        break;
    default:
        *(paulimpi__word16 *)to = *(const paulimpi__word16 *)from;
        break;
    }
}

/* What one of many threads does: all threads together copy each word once. */
static inline PAULIMPI__ON_BOTH void
paulimpi__grid_thread(const paulimpi__grid_move *it, uint64_t thread,
                      uint64_t threads)
{
    uint64_t i;

    for (i = thread; i < it->words; i += threads) {
        char *there = it->base + paulimpi__grid_offset(it, it->first + i);
        char *packed = it->packed + i * (uint64_t)it->word;

        paulimpi__grid_copy_word(it->to_grid ? there : packed,
                                 it->to_grid ? packed : there, it->word);
    }
}

#endif /* PAULIMPI_SRC_DEVICE_GRID_H */
