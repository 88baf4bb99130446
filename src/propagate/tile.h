/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A tile: terms that hold the partners of each other for a whole group of
 * gates, laid out so that they are taken through it in the cache.
 *
 * Terms are numbered as they come and stay where they are. A term that dies
 * stays too, with coefficient 0, since a later gate may revive it. Keys lie by
 * rows, to compare two; and turned by 90 degrees, a word for each bit of the
 * key and each 64 terms (a plane), to find the terms that a gate moves. A table
 * of tags finds the term that has a key.
 *
 * Only those words of the keys are taken along in which the sum or the group
 * has a letter at all.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_TILE_H
#define PAULIMPI_SRC_PROPAGATE_TILE_H

#include "propagate/deal.h"

enum {
    PAULIMPI__TILE_LANES = 8, /* blocks of 64 terms that share a cache line for
                                 each bit */
    PAULIMPI__TILE_WAYS = 8,  /* terms of a set of the table */
    PAULIMPI__TILE_DENSE = 2, /* words of keys, of which none is likely to be
                                 without letters */
    PAULIMPI__TILE_FEW = 8,   /* words, for which there is room on a stack */
    PAULIMPI__HASH_BITS = 32
};

/* A gate of a group. */
typedef struct {
    const paulimpi__ready_op *op;
    const uint64_t *key; /* 2 n_words of the tile, x and then z */
    uint32_t hash;
    uint32_t next_hash; /* see paulimpi__tile */
    double cos_theta;
    double sin_theta;
    int quarters; /* of a turn */
} paulimpi__tile_gate;

/* Linear functions of keys, as sums of planes: function f adds up those whose
 * words begin at plane[begin[f]] to plane[begin[f + 1] - 1]. */
typedef struct {
    int64_t *begin;
    uint32_t *plane;
} paulimpi__tile_sums;

/* What a group is to its tiles. */
typedef struct {
    const paulimpi__limits *limits;
    const paulimpi__tile_gate *gate;
    int64_t n_gates;
    int64_t n_store_words; /* of x in the store, and of z */
    int64_t n_words;       /* in the tile */
    const int64_t *word;   /* the store's number of each of them */
    const int64_t *start;  /* of their columns in a block, x and then z */
    const int64_t *column; /* the tile's number of a word of the store */
    /* Of the 32 functions that make a term's hashes when it is loaded, the
     * lowest n_functions are the bits that the next hash has anew, and make
     * next_hash; the others make hash. */
    int n_functions;
    uint32_t drawn; /* bits of the hash: the lowest n_functions */
} paulimpi__tile_plan;

typedef struct {
    int64_t n;    /* terms, with the dead */
    int64_t most; /* a multiple of 512 */
    int64_t n_live;
    int64_t n_words;
    void *slab;    /* that holds the arrays */
    uint64_t *key; /* 2 n_words of each term */
    double *coefficient;
    /* The hash of a term is that of the string that it was before the turns of
     * the group. The bits that the next hash has anew are 0 here, and in
     * next_hash, where they are those of the string that it will be after the
     * turns. */
    uint32_t *hash;
    uint32_t *next_hash;
    uint64_t *support;  /* bits set in any key, when it is loaded; and
                           as many words to work with */
    uint64_t *plane;    /* see paulimpi__tile_plane() */
    int64_t n_turned;   /* terms that are in the planes */
    uint64_t *lead;     /* of each block, the active terms P for which i G P
                            is + G ^ P, */
    uint64_t *follower; /* and those for which it is - */

    /* Sets of up to 8 terms: tags, of which 0 is none, and as many numbers
     * modulo 2^16. */
    uint16_t *sets;
    uint8_t *fill;
    int log2_sets;

    /* Lists of a gate. */
    int64_t n_leads;     /* of the last gate, */
    int64_t n_followers; /* that were alone */
    uint32_t *listed;
    uint32_t *met;
    uint32_t *partner;
    double *born;
    double *dropped;
    int64_t n_dropped;
    int64_t active;
    int64_t n_born;      /* so far */
    paulimpi__bins bins; /* of what has been dropped */
} paulimpi__tile;

/* Where the terms of a tile go: term i to chain number to[i] & mask. */
typedef struct {
    paulimpi__chain *chains;
    const uint32_t *to;
    uint32_t mask;
    /* Give a chain another block, in which words that tiles leave out are 0.
     * Whether there was one. */
    int (*extend)(const void *data, paulimpi__chain *chain);
    const void *data;
    /* Bits that may be set in the keys; NULL: any. With keys of
     * paulimpi__tile_has_words(), a word without any is not written. */
    const uint64_t *support;
} paulimpi__tile_dealer;

/** Whether keys have so many words that some may be without letters, and so few
 * that these are looked for. */
static inline int
paulimpi__tile_has_words(int64_t n_words)
{
    return n_words > PAULIMPI__TILE_DENSE && n_words <= PAULIMPI__TILE_FEW;
}

/** Make room for n terms with n_words words; those that are there stay. 0 or
 * PAULIMPI_ERR_MEMORY with the tile as it was. */
int paulimpi__tile_grow(paulimpi__tile *tile, int64_t n, int64_t n_words);
static inline int
paulimpi__tile_reserve(paulimpi__tile *tile, int64_t n, int64_t n_words)
{
    return n <= tile->most && n_words == tile->n_words
               ? PAULIMPI_SUCCESS
               : paulimpi__tile_grow(tile, n, n_words);
}
/** Leave the dead behind. Planes and table are made anew when they are needed.
 */
void paulimpi__tile_compact(paulimpi__tile *tile);
void paulimpi__tile_free(paulimpi__tile *tile);

typedef struct paulimpi__orbits paulimpi__orbits; /* see orbit.h */

/* The loops, compiled for several processors. */
typedef struct {
    const char *name;
    /** Lay out the terms of a chain of blocks, for which there is room; and
     * find their hashes, which may be done later. */
    void (*load)(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
                 const paulimpi__chain *chain);
    void (*hash)(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
                 const paulimpi__tile_sums *hash);
    /** Take all terms through a gate; there must be room for twice as many. */
    void (*rotate)(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
                   const paulimpi__tile_gate *gate);
    /** Turn all terms by some gates, one after the other. */
    void (*turn)(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
                 const paulimpi__tile_gate *gate, int64_t n_gates);
    void (*scale)(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
                  const paulimpi__tile_gate *gate);
    /** Write the living terms to chains. Whether there were blocks for all. */
    int (*deal)(paulimpi__tile *tile, const paulimpi__tile_plan *plan,
                const paulimpi__tile_dealer *dealer);
    /** Take all terms through gates `first` to `end` - 1, orbit by orbit, and
     * hand them on. Whether there was memory. */
    int (*orbit)(paulimpi__orbits *orbits, paulimpi__tile *tile, int64_t first,
                 int64_t end);
} paulimpi__tile_loops;

extern const paulimpi__tile_loops paulimpi__tile_loops_portable;
extern const paulimpi__tile_loops paulimpi__tile_loops_avx2;
extern const paulimpi__tile_loops paulimpi__tile_loops_avx512;

/** The best loops for this processor, or those named by PAULIMPI_SIMD. 0, or
 * PAULIMPI_ERR_ARGUMENT if it cannot run them. */
int paulimpi__tile_loops_choose(const paulimpi__tile_loops **loops_p);

/** The words of a bit of the key for eight blocks, of which the first is
 * `block`. */
static inline uint64_t *
paulimpi__tile_plane(const paulimpi__tile *tile, int64_t n_words,
                     int64_t block, int64_t bit)
{
    return tile->plane + block * n_words * 128 + bit * PAULIMPI__TILE_LANES;
}

#endif /* PAULIMPI_SRC_PROPAGATE_TILE_H */
