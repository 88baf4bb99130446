/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parts of the in-place engine: what one thread works with, and the passes
 * over the sum.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_IN_PLACE_H
#define PAULIMPI_SRC_PROPAGATE_IN_PLACE_H

#include <string.h>

#include "propagate/engine.h"

enum {
    PAULIMPI__MOST_VIEWS = 4,
    PAULIMPI__WORKER_ALIGNMENT = 128 /* processors fetch lines in pairs */
};

/* A bucket laid open: its blocks by number, and the terms of it that matter to
 * the pass, as a word of bits for each block. Terms are numbered along the
 * chain. */
typedef struct {
    paulimpi__bucket *bucket;
    int64_t number;          /* of the bucket */
    paulimpi__block **block; /* block k holds terms 64 k to 64 k + 63 */
    int64_t n;               /* terms, with those appended */
    uint64_t *lead;          /* active terms with the pivot bit clear */
    uint64_t *follower;      /* active terms with the pivot bit set */
    uint64_t *lead_met;      /* those of them that may have a partner */
    uint64_t *follower_met;
    uint32_t *print; /* of each term, where it is needed */
    uint32_t *dead;  /* terms whose coefficient has become 0 */
    int64_t n_dead;
} paulimpi__view;

/* The strings that differ on the qubit of a map only, by letter I, X, Y, Z:
 * the view and number of the term, or view -1. */
typedef struct {
    uint32_t print; /* of the string with I on the qubit */
    int8_t view[4];
    uint32_t term[4];
} paulimpi__orbit;

/* What one thread works with, in cache lines of its own. */
typedef struct {
    _Alignas(PAULIMPI__WORKER_ALIGNMENT) paulimpi__purse purse;
    paulimpi__view view[PAULIMPI__MOST_VIEWS];
    uint64_t *table; /* open addressing: print << 32 | place + 1 */
    paulimpi__orbit *orbit;
    paulimpi__dropped dropped;
    int64_t most_terms; /* of a bucket that the scratch is made for */
    int64_t growth;     /* of the number of terms */
    int64_t active;
    int64_t term_gates;
} paulimpi__worker;

/* All threads', in run->workspace. */
typedef struct {
    paulimpi__worker *worker; /* run->n_threads of them */
    uint64_t *key;            /* of a generator */
    int has_maps;             /* scratch for orbits is needed, too */
    void *tile;               /* of the tile engine */
    void *few;                /* of the path for few terms */
    int64_t few_most;         /* terms that this path may go on with */
} paulimpi__workspace;

/** Call task with every bucket, in any order and on several threads if the
 * terms are many; then bring the number of terms and the tallies up to date. */
typedef void (*paulimpi__task)(const void *shared, paulimpi__worker *worker,
                               int64_t bucket);
void paulimpi__for_buckets(paulimpi__run *run, paulimpi__task task,
                           const void *shared);
/** The same for a pass that does more than a gate: at least so many terms times
 * gates. */
void paulimpi__share_buckets(paulimpi__run *run, paulimpi__task task,
                             const void *shared, int64_t term_gates);

/* How the terms of a pass are dropped; NULL pointers of this type: only exact
 * zeros are. */
typedef struct {
    double min_abs;
    int64_t max_weight;
    int64_t max_xy_weight;
    int has_weights; /* the limits can be reached */
} paulimpi__limits;

paulimpi__limits paulimpi__limits_of(const paulimpi__run *run);

/** Write the generator of an operation as a key of 2 n_words words. */
void paulimpi__write_key(const paulimpi__run *run,
                         const paulimpi__ready_op *op, uint64_t *key);

/* A rotation made ready for the store as it is. */
typedef struct {
    paulimpi__store *store;
    const paulimpi__ready_op *op;
    const paulimpi__limits *limits;
    const uint64_t *key; /* of the generator */
    uint32_t hash;
    uint32_t print;
    int64_t distance; /* between the buckets of partners */
    double cos_theta;
    double sin_theta;
    double least; /* magnitude that is kept; not 0 */
    paulimpi__worker *worker;
} paulimpi__rotation;

/** The rotation of an operation; key is room for 2 n_words words. */
paulimpi__rotation paulimpi__rotation_of(const paulimpi__run *run,
                                         const paulimpi__ready_op *op,
                                         const paulimpi__limits *limits,
                                         uint64_t *key);
/* The bits of the active terms of a block, of the terms whose pivot bit is
 * set, and so on. */
uint64_t paulimpi__scan_active(const paulimpi__block *block, int64_t n_words,
                               const paulimpi__ready_op *op);
uint64_t paulimpi__scan_tap(const paulimpi__block *block, paulimpi__tap tap);
/** Ask for the columns of a block that will be scanned soon. */
void paulimpi__prefetch_active(const paulimpi__block *block, int64_t n_words,
                               const paulimpi__ready_op *op);
uint32_t paulimpi__generator_hash(const paulimpi__store *store,
                                  const paulimpi__ready_op *op);
/** After a turn by an odd number of quarters: redefine the hash so that each
 * image has the hash of its term. */
void paulimpi__follow_turn(paulimpi__store *store,
                           const paulimpi__ready_op *op);

/* Whether the keys of two terms differ by the generator. */
static inline int
paulimpi__are_partners(const paulimpi__rotation *r, const uint64_t *a, int ta,
                       const uint64_t *b, int tb)
{
    int64_t n_key = 2 * r->store->n_words;
    uint64_t wrong = 0;
    int64_t w;

    for (w = 0; w < n_key; w++) {
        wrong |= a[w * PAULIMPI__BLOCK_TERMS + ta]
                 ^ b[w * PAULIMPI__BLOCK_TERMS + tb] ^ r->key[w];
    }
    return wrong == 0;
}

/* What the letters of a generator in one word, and those of a term there, add
 * to the exponent e below. */
static inline int
paulimpi__part_exponent(const paulimpi__part *g, uint64_t x, uint64_t z)
{
    return paulimpi__popcount(x & z)
           - paulimpi__popcount((x ^ g->x) & (z ^ g->z))
           + 2 * paulimpi__popcount(g->z & x);
}

/* Whether i G P is -(G ^ P) for the generator G and a term P that anticommutes
 * with it. */
static inline int
paulimpi__is_negative(const paulimpi__ready_op *op, const uint64_t *word,
                      int64_t n_words, int64_t t)
{
    /* P = i^|x z| X^x Z^z, so i G P = i^e (G ^ P) with e = 1 + |Y of G|
     * + |Y of P| - |Y of G ^ P| + 2 |gz x|; letters that G leaves alone drop
     * out of the difference. e is even. */
    int e = 1 + op->n_y;
    int64_t k;

    for (k = 0; k < op->n_parts; k++) {
        const paulimpi__part *g = &op->parts[k];
        uint64_t x = word[g->word * PAULIMPI__BLOCK_TERMS + t];
        uint64_t z = word[(n_words + g->word) * PAULIMPI__BLOCK_TERMS + t];

        e += paulimpi__part_exponent(g, x, z);
    }
    return e >> 1 & 1;
}

/* A number, or its negative. Signs follow no pattern that a processor could
 * guess: no branch. */
static inline double
paulimpi__negate_if(int is_negative, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    bits ^= (uint64_t)is_negative << 63;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

/* Views. */
static inline paulimpi__block *
paulimpi__view_block(const paulimpi__view *view, int64_t term)
{
    return view->block[term / PAULIMPI__BLOCK_TERMS];
}
static inline int
paulimpi__view_slot(int64_t term)
{
    return (int)(term % PAULIMPI__BLOCK_TERMS);
}
static inline double *
paulimpi__view_coefficient(const paulimpi__view *view, int64_t term)
{
    return &paulimpi__view_block(view, term)
                ->coefficient[paulimpi__view_slot(term)];
}
void paulimpi__view_open(paulimpi__view *view, paulimpi__store *store,
                         int64_t number);
/** Make room for a term at the end; its columns are to be filled. */
int64_t paulimpi__view_append(paulimpi__view *view, paulimpi__store *store,
                              paulimpi__worker *worker);
/** Remove the dead and write the bucket back. */
void paulimpi__view_close(paulimpi__view *view, paulimpi__store *store,
                          paulimpi__worker *worker);

static inline int
paulimpi__passes(const paulimpi__limits *limits, double coefficient)
{
    return coefficient != 0.0
           && (limits == NULL
               || __builtin_fabs(coefficient) >= limits->min_abs);
}

static inline void
paulimpi__drop_number(paulimpi__dropped *dropped, double coefficient)
{
    if (coefficient != 0.0) {
        paulimpi__exact_add(&dropped->norm1, __builtin_fabs(coefficient));
        paulimpi__exact_add(&dropped->square, coefficient * coefficient);
    }
}

/** Set a term's coefficient, or let it die by the limits. */
static inline void
paulimpi__view_set(paulimpi__view *view, paulimpi__worker *worker,
                   const paulimpi__limits *limits, int64_t term,
                   double coefficient)
{
    double *place = paulimpi__view_coefficient(view, term);

    if (paulimpi__passes(limits, coefficient)) {
        *place = coefficient;
        return;
    }
    paulimpi__drop_number(&worker->dropped, coefficient);
    *place = 0.0;
    view->dead[view->n_dead++] = (uint32_t)term;
}

/* Passes over the whole sum. Memory for them has been reserved. */

/** A rotation by an ordinary angle. */
void paulimpi__pass_rotation(paulimpi__run *run, const paulimpi__ready_op *op,
                             const paulimpi__limits *limits);
/** A linear map on one qubit. */
void paulimpi__pass_map(paulimpi__run *run, const paulimpi__ready_op *op,
                        const paulimpi__limits *limits);
/** Turns and scales: operations `first` up to `end` in order of action, one
 * truncation at each end of a unit if limits are given. */
void paulimpi__pass_local(paulimpi__run *run, int64_t first, int64_t end,
                          const paulimpi__limits *limits);

/* Memory. */
int paulimpi__workspace_begin(paulimpi__run *run);
void paulimpi__workspace_end(paulimpi__run *run);
/** Add what the threads have dropped to a tally, and clear theirs. */
void paulimpi__take_dropped(paulimpi__run *run, paulimpi__dropped *dropped);
/** Make a run what it was before, with a store that was copied then; but for
 * its team, and the most bytes that it has held. */
void paulimpi__run_restore(paulimpi__run *run, const paulimpi__run *before,
                           const paulimpi__store *store);
/** Make every thread's scratch large enough for `growth` times the largest
 * bucket; what is not used of it is not touched. 0 or PAULIMPI_ERR_MEMORY. */
int paulimpi__fit_scratch(paulimpi__run *run, int64_t growth);
/** Find the bits that are set in any term of the store. */
void paulimpi__find_support(const paulimpi__store *store, uint64_t *support);
/** How many new terms an active term can bring. */
int64_t paulimpi__offspring(const paulimpi__ready_op *op);
/** Find out the limit if n more terms might pass what it is taken to be. */
void paulimpi__expect(paulimpi__run *run, int64_t n);
/** Whether n more terms stay within the limit; then memory is reserved. */
int paulimpi__has_room(paulimpi__run *run, int64_t n);
/** The sentence for n terms for which there is no room. */
int paulimpi__refuse(const paulimpi__run *run, int64_t n);
/** Reserve what the unit that comes next needs at most, so that it cannot fail
 * in place. 0 or PAULIMPI_ERR_MEMORY with its sentence. */
int paulimpi__prepare_unit(paulimpi__run *run);
/** Reserve what an operation needs at most. 0 or PAULIMPI_ERR_MEMORY. */
int paulimpi__prepare_op(paulimpi__run *run, const paulimpi__ready_op *op);

#endif /* PAULIMPI_SRC_PROPAGATE_IN_PLACE_H */
