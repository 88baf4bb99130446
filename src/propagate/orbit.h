/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tiles orbit by orbit, for groups whose gates commute and make many terms out
 * of few.
 *
 * Gates that commute never change which of them anticommute with a term: its
 * syndrome. The terms that those gates may turn into each other, an orbit, are
 * taken through all of them by themselves. If no generator depends on the
 * others that is done in lists (orbit_lists.h), or with few gates in arrays
 * (orbit_arrays.h); otherwise in an array with a place for each combination of
 * the generators that has been used so far (orbit_large.h). A term that is born
 * has its place; no table is searched, and its key is made when all gates are
 * done.
 *
 * With l for the set of generators, and Q_l = i^|l| (product of them) P for the
 * first term P of the orbit, a generator takes Q_l to + Q_(l + it) if it is not
 * in l. So coefficients in the array are those of Q_l, and all orbits of a
 * syndrome have the same signs.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_ORBIT_H
#define PAULIMPI_SRC_PROPAGATE_ORBIT_H

#include "propagate/span.h"
#include "propagate/tile.h"

enum {
    PAULIMPI__ORBIT_DIMS = 12, /* of the array: 2^12 places fill a cache */
    PAULIMPI__ORBIT_LOW = 8,   /* of them, whose rows are in one table */
    PAULIMPI__ORBIT_RANK = 64, /* of the gates of a syndrome: bits of a set */
    PAULIMPI__ORBIT_FEW = 12, /* gates, of which all products are in a table */
    PAULIMPI__ORBIT_WORDS = 8,   /* of keys of which orbits are lists */
    PAULIMPI__ORBIT_DEALT = 2048 /* terms that are handed on at a time */
};

/* A gate of a syndrome. */
typedef struct {
    uint64_t set; /* the generators of the basis whose product it is */
    int64_t number;
    int is_negative; /* it takes Q_0 to -Q_set */
} paulimpi__orbit_gate;

/* A generator of the basis of a syndrome, the gates that depend on none before
 * them; and a row of the reduced echelon form of the basis. */
typedef struct {
    const uint64_t *key;
    uint64_t hash;   /* and the next hash above */
    uint64_t polar;  /* generators that change the sign of its move */
    int is_even;     /* its letters Y */
    int is_negative; /* its move, of a term of which nothing else counts */
    int64_t word;    /* the row's pivot */
    int shift;
    uint64_t row_set;
    uint64_t row_hash;
} paulimpi__orbit_generator;

/* The gates that move a term. */
typedef struct paulimpi__syndrome {
    struct paulimpi__syndrome *next; /* with the same place in the table */
    struct paulimpi__syndrome *next_used;
    uint64_t *mask; /* a bit for each gate of the group */
    uint64_t hash;
    int64_t first; /* term of the tile; -1 */
    int64_t n_members;
    int64_t n_gates;
    int rank;
    int is_whole; /* otherwise gates are missing, since the rank is too high */
    paulimpi__orbit_gate *gate;
    paulimpi__orbit_generator *generator;
} paulimpi__syndrome;

/* Terms that lie one upon the other: members of an orbit are taken from below,
 * what becomes of them is put on top. */
typedef struct {
    int64_t n;
    int64_t most;
    uint64_t *key;
    double *coefficient;
    uint32_t *hash;
    uint32_t *next_hash;
    uint64_t *set;       /* of generators, from the orbit's canonical term */
    int64_t *next;       /* member of the orbit */
    int64_t *next_orbit; /* of the first member */
} paulimpi__orbit_stack;

/* An orbit under way. */
typedef struct {
    int n_dims;
    int64_t n_live;
    uint64_t seen;                          /* generators in any direction */
    uint64_t set[PAULIMPI__ORBIT_DIMS];     /* of each direction */
    uint64_t reduced[PAULIMPI__ORBIT_DIMS]; /* in echelon form, */
    uint64_t pivot[PAULIMPI__ORBIT_DIMS];   /* with the pivot's bit, */
    uint32_t place[PAULIMPI__ORBIT_DIMS];   /* and where that lies */
    uint64_t hash;                          /* of the first term */
    int is_odd;                             /* see is_odd() */
    int y;                                  /* the parity of its letters Y */
} paulimpi__orbit_state;

/* A generator that leads from one term of an orbit to another. */
typedef struct {
    const uint64_t *key;
    uint64_t hash;  /* and the next hash above */
    uint64_t polar; /* directions that change the sign of its move */
    int64_t gate;
    int is_negative; /* its move from the first term */
} paulimpi__orbit_direction;

/* Terms that lie one after the other, and share generators of gates to come. */
typedef struct {
    uint64_t set; /* of these */
    int64_t begin;
    int64_t n;
} paulimpi__orbit_list;

/* Keys of places: the row, and what they add to hash and sign. */
typedef struct {
    uint64_t *key;
    uint64_t *hash;
    uint32_t *polar;
    uint32_t *sign;
} paulimpi__orbit_rows;

/* What a thread works with. */
struct paulimpi__orbits {
    const paulimpi__tile_plan *plan;
    int is_ready; /* for the group */
    /* Gates are numbered from the first that goes by orbits. */
    const paulimpi__tile_gate *gate;
    int64_t n_gates;
    int64_t n_mask; /* words of a syndrome */
    int64_t n_words;
    paulimpi__syndrome **table; /* of syndromes */
    int log2_table;
    int64_t n_syndromes;
    paulimpi__syndrome *used; /* by terms of the tile */
    void *chunk;              /* memory of syndromes */
    size_t chunk_left;
    int64_t n_chunks;

    int64_t most; /* terms of a tile */
    uint64_t *mask;
    int32_t *next; /* term of the same syndrome */

    paulimpi__orbit_stack stack;
    paulimpi__orbit_state orbit;
    double *value;   /* of each place */
    uint32_t *alive; /* places */
    int32_t *slot;   /* table for the search of orbits */
    int64_t n_slots;
    uint64_t *scratch; /* rows of a basis that is being made */
    uint64_t *key;     /* of the first term, then of the directions */
    uint64_t *cut;     /* masks of two parts of a syndrome */
    paulimpi__orbit_rows low, high;

    paulimpi__tile_sums active; /* of each gate: 1 on terms that it moves */

    /* For generators that do not depend on each other. */
    int has_dual;                 /* they do not */
    paulimpi__tile_sums function; /* of each gate: 1 on its generator, 0 on
                                     others */
    int has_products;             /* for they are few, too */
    /* What each set of generators is the product of: its key, its hash with the
     * next hash above, and the sign of its move from a term at which those of
     * its generators are positive. */
    uint64_t *product;
    uint32_t *set_of;    /* of each place */
    uint16_t *place_of;  /* of each set, as far as members have it */
    uint64_t *gate_hash; /* of each gate, and the next hash above */
    uint64_t *polar;     /* gates that change the sign of its move */
    paulimpi__orbit_generator *step; /* of each gate; not its row */
    uint64_t *coordinate; /* of each term in the generators, like its mask */
    int32_t *next_orbit;  /* first term of another orbit */
    paulimpi__orbit_direction direction[PAULIMPI__ORBIT_RANK];
    int64_t most_listed;
    int64_t n_lists;
    paulimpi__orbit_list *list;
    paulimpi__orbit_list *sorted;
    double *list_value[2]; /* before and after a gate */
    uint64_t *list_set[2]; /* of the generators of gates done */
    double *list_dropped;
    int64_t n_list_dropped;

    paulimpi__tile out; /* terms that are done, until they are handed on */
    int (*hand_on)(const void *data, paulimpi__tile *out);
    const void *data;
    paulimpi__tile *tile; /* whose tallies are kept */
    paulimpi__dropped *dropped;
    double least;    /* magnitude that is kept; not 0 */
    int64_t *count;  /* of living terms before each gate */
    int64_t *change; /* of the number of terms, by each gate */
    int has_failed;
};

/** Begin a group. Start with zeros; free in any case. What is needed is made
 * by the thread that needs it, at its first tile. */
void paulimpi__orbits_begin(paulimpi__orbits *orbits,
                            const paulimpi__tile_plan *plan);
void paulimpi__orbits_free(paulimpi__orbits *orbits);

/* For the loops. */

/** Make ready for the tiles of the group, and for its gates `first` to
 * `end` - 1. 0 or PAULIMPI_ERR_MEMORY. */
int paulimpi__orbits_open(paulimpi__orbits *orbits, int64_t first,
                          int64_t end);
/** Room for a tile of n terms. 0 or PAULIMPI_ERR_MEMORY. */
int paulimpi__orbits_reserve(paulimpi__orbits *orbits, int64_t n);
/** Room for n more terms on the stack. Whether there is. */
int paulimpi__orbits_push(paulimpi__orbits *orbits, int64_t n);
/** Room for a search table with n slots. Whether there is. */
int paulimpi__orbits_slots(paulimpi__orbits *orbits, int64_t n);
/** Room for lists of n terms, before a gate and after it. Whether there is. */
int paulimpi__orbits_lists(paulimpi__orbits *orbits, int64_t n);
/** Make the functions that give a term's syndrome. Find out whether the
 * generators depend on each other; if not, make those that give its
 * coordinates, and if there are few, their products. 0 or PAULIMPI_ERR_MEMORY.
 */
int paulimpi__orbits_make_functions(paulimpi__orbits *orbits);
/** Make a syndrome and enter it. NULL without memory. `row` is a term that has
 * it. */
paulimpi__syndrome *paulimpi__orbits_add(paulimpi__orbits *orbits,
                                         const uint64_t *mask, uint64_t hash,
                                         const uint64_t *row);

/** The words of a product. */
static inline int64_t
paulimpi__orbit_stride(int64_t n_words)
{
    return 2 * n_words + 2;
}

/** The syndrome with a mask, or NULL without memory. */
static inline paulimpi__syndrome *
paulimpi__orbits_find(paulimpi__orbits *o, const uint64_t *mask,
                      const uint64_t *row)
{
    paulimpi__syndrome *s;
    uint64_t hash = 0;
    int64_t c;

    for (c = 0; c < o->n_mask; c++) {
        hash = (hash ^ mask[c]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    s = o->table[hash & (((uint64_t)1 << o->log2_table) - 1)];
    for (; s != NULL; s = s->next) {
        uint64_t other = s->hash ^ hash;

        for (c = 0; c < o->n_mask; c++) {
            other |= s->mask[c] ^ mask[c];
        }
        if (other == 0) {
            return s;
        }
    }
    return paulimpi__orbits_add(o, mask, hash, row);
}

static inline int
paulimpi__orbit_letters_y(const uint64_t *row, int64_t n_words)
{
    int n_y = 0;
    int64_t w;

    for (w = 0; w < n_words; w++) {
        n_y += paulimpi__popcount(row[w] & row[n_words + w]);
    }
    return n_y;
}

/** The second bit of the number of letters Y. A sign that changes with it makes
 * those of moves a linear function of the term. */
static inline int
paulimpi__orbit_is_odd(const uint64_t *row, int64_t n_words)
{
    return paulimpi__orbit_letters_y(row, n_words) >> 1 & 1;
}

/** The sign of Q_set, against that of its string up to is_odd of both: that of
 * the moves from the first term, and one for each two that are polar. Moves
 * that are negative at the first term are in `negative`. */
static inline int
paulimpi__orbit_sign(const paulimpi__syndrome *s, uint64_t set,
                     uint64_t negative)
{
    int sign = paulimpi__parity(set & negative);
    uint64_t rest;

    for (rest = set; rest != 0; rest &= rest - 1) {
        uint64_t polar = s->generator[__builtin_ctzll(rest)].polar;

        sign ^= paulimpi__parity(polar & (rest & (rest - 1)));
    }
    return sign;
}

/** The parity of the letters Y of a term. */
static inline int
paulimpi__orbit_y(const uint64_t *row, int64_t n_words)
{
    uint64_t y = 0;
    int64_t w;

    for (w = 0; w < n_words; w++) {
        y ^= row[w] & row[n_words + w];
    }
    return paulimpi__parity(y);
}

/** Whether a generator's move is negative at a term with y letters Y, up to
 * is_odd of the terms before and after: a linear function of the term, but for
 * y. */
static inline int
paulimpi__orbit_move(const uint64_t *row, int y,
                     const paulimpi__orbit_generator *g, int64_t n_words)
{
    uint64_t odd = 0;
    int64_t w;

    for (w = 0; w < n_words; w++) {
        odd ^= row[w] & g->key[n_words + w];
    }
    return g->is_negative ^ paulimpi__parity(odd) ^ (y & g->is_even);
}

/** Whether one generator changes the sign of the other's move. */
static inline int
paulimpi__orbit_are_polar(const paulimpi__orbit_generator *a,
                          const paulimpi__orbit_generator *b, int64_t n_words)
{
    return (int)paulimpi__product(a->key + n_words, b->key, n_words)
           ^ (a->is_even & b->is_even);
}

/** Whether i G P is -(G ^ P). */
static inline int
paulimpi__orbit_is_negative(const uint64_t *row, const uint64_t *generator,
                            int64_t n_words)
{
    int n_active = 0;
    int n_minus = 0;
    int64_t w;

    for (w = 0; w < n_words; w++) {
        uint64_t x = row[w], z = row[n_words + w];
        uint64_t gx = generator[w], gz = generator[n_words + w];

        n_active += paulimpi__popcount((x & gz) ^ (z & gx));
        n_minus += paulimpi__popcount((gx & ~gz & z & ~x) | (gx & gz & x & ~z)
                                      | (gz & ~gx & x & z));
    }
    return ((n_active >> 1 ^ n_minus) & 1) == 0;
}

/** The move of a gate at a term, up to is_odd of both. */
static inline int
paulimpi__orbit_move_of(const uint64_t *row, const uint64_t *key,
                        int64_t n_words)
{
    int n_before = 0;
    int n_after = 0;
    int64_t w;

    for (w = 0; w < n_words; w++) {
        uint64_t x = row[w] ^ key[w];
        uint64_t z = row[n_words + w] ^ key[n_words + w];

        n_before += paulimpi__popcount(row[w] & row[n_words + w]);
        n_after += paulimpi__popcount(x & z);
    }
    return paulimpi__orbit_is_negative(row, key, n_words) ^ (n_before >> 1 & 1)
           ^ (n_after >> 1 & 1);
}

#endif /* PAULIMPI_SRC_PROPAGATE_ORBIT_H */
