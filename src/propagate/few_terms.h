/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The terms of the plain path, for few.c only: the blocks of the store's only
 * bucket, planes, and a table from hashes to terms, which follow each other.
 * The dead stay in all three until they are buried. Terms are numbered along
 * the blocks.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_FEW_TERMS_H
#define PAULIMPI_SRC_PROPAGATE_FEW_TERMS_H

#include <string.h>

#include "propagate/in_place.h"

enum {
    BLOCK = PAULIMPI__BLOCK_TERMS,
    MOST_BLOCKS = 64,
    MOST_TERMS = MOST_BLOCKS * BLOCK,
    HEAD_BITS = 11,
    SHARE = 8 /* blocks whose words share a cache line for each bit */
};

typedef struct {
    paulimpi__run *run;
    paulimpi__worker *worker;
    paulimpi__limits limits;
    int64_t n;        /* terms */
    int64_t most;     /* terms with which a gate may begin */
    int64_t room;     /* terms that there are planes and blocks for */
    int64_t n_blocks; /* in the chain; the last may hold no terms */
    paulimpi__block *block[MOST_BLOCKS];

    /* plane[g][8 b + k]: bit b of the keys of block 8 g + k; 0 for terms that
     * are not there. */
    uint64_t *plane[MOST_BLOCKS / SHARE];
    int64_t n_groups; /* of eight blocks, whose planes are valid */
    int64_t n_bits;   /* of a key */

    uint64_t active[MOST_BLOCKS];
    uint64_t changed[MOST_BLOCKS]; /* since the last truncation */

    uint32_t hash[MOST_TERMS];

    /* Chains of terms whose hashes share a head; 0 ends them, i + 1 is term
     * i. */
    uint16_t head[1 << HEAD_BITS];
    uint16_t next[MOST_TERMS];

    uint16_t dead[MOST_TERMS]; /* terms whose coefficient has become 0 */
    int64_t n_dead;
    uint64_t magnitude[MOST_TERMS];
    int64_t next_try; /* operation before which this path is not taken */
} few;

static inline paulimpi__block *
block_of(const few *f, uint64_t term)
{
    return f->block[term / BLOCK];
}

static inline int
slot_of(uint64_t term)
{
    return (int)(term % BLOCK);
}

static inline double *
coefficient_of(const few *f, uint64_t term)
{
    return &block_of(f, term)->coefficient[slot_of(term)];
}

static inline int64_t
blocks_in_use(const few *f)
{
    return (f->n + BLOCK - 1) / BLOCK;
}

static inline uint64_t *
plane_of(const few *f, uint64_t k, uint64_t bit)
{
    return &f->plane[k / SHARE][bit * SHARE + k % SHARE];
}

/* Enter a term's key into the planes, or take it out. */
static inline void
toggle(few *f, int64_t term)
{
    const paulimpi__block *block = block_of(f, term);
    uint64_t *plane = plane_of(f, term / BLOCK, 0);
    uint64_t bit = (uint64_t)1 << slot_of(term);
    int64_t n_key = f->n_bits / 64;
    int64_t w;

    for (w = 0; w < n_key; w++) {
        uint64_t rest = block->word[w * BLOCK + slot_of(term)];

        for (; rest != 0; rest &= rest - 1) {
            plane[(w * 64 + __builtin_ctzll(rest)) * SHARE] ^= bit;
        }
    }
}

static inline uint16_t *
head_of(few *f, uint32_t hash)
{
    return &f->head[(hash * 0x9e3779b1u) >> (32 - HEAD_BITS)];
}

static inline void
enter(few *f, int64_t term)
{
    uint16_t *head = head_of(f, f->hash[term]);

    toggle(f, term);
    f->next[term] = *head;
    *head = (uint16_t)(term + 1);
}

static inline void
remove_term(few *f, int64_t term)
{
    uint16_t *place = head_of(f, f->hash[term]);

    toggle(f, term);
    while (*place != term + 1) {
        place = &f->next[*place - 1];
    }
    *place = f->next[term];
}

static inline void
move_term(few *f, int64_t from, int64_t to)
{
    remove_term(f, from);
    paulimpi__term_move(f->n_bits / 64, block_of(f, from), slot_of(from),
                        block_of(f, to), slot_of(to));
    f->hash[to] = f->hash[from];
    enter(f, to);
}

/* A place at the end, not yet counted. */
static inline int64_t
next_place(few *f)
{
    int64_t k = f->n / BLOCK;

    if (k == f->n_blocks) {
        paulimpi__store *store = f->run->store;

        f->block[k] = paulimpi__block_take(store, &f->worker->purse);
        *(k == 0 ? &store->buckets[0].head : &f->block[k - 1]->next) =
            f->block[k];
        f->n_blocks++;
    }
    return f->n;
}

static inline void
drop(few *f, int64_t term, double coefficient)
{
    paulimpi__drop_number(&f->worker->dropped, coefficient);
    *coefficient_of(f, term) = 0.0;
    f->dead[f->n_dead++] = (uint16_t)term;
}

static inline void
set(few *f, int64_t term, double coefficient)
{
    if (paulimpi__passes(&f->limits, coefficient)) {
        *coefficient_of(f, term) = coefficient;
    } else {
        drop(f, term, coefficient);
    }
}

/* Let the terms at the end take the places of the dead. */
static inline void
bury(few *f)
{
    int64_t i;

    for (i = 0; i < f->n_dead; i++) {
        remove_term(f, f->dead[i]);
    }
    for (i = 0; i < f->n_dead; i++) {
        while (f->n > 0 && *coefficient_of(f, f->n - 1) == 0.0) {
            f->n--;
        }
        if (f->dead[i] < f->n) {
            move_term(f, --f->n, f->dead[i]);
        }
    }
    f->n_dead = 0;
}

/* Planes and blocks for n terms more, which other passes may not need. */
static inline int
reserve(few *f, int64_t n)
{
    int64_t room = f->n + n + BLOCK;

    if (room > MOST_TERMS || !paulimpi__has_room(f->run, n + BLOCK)) {
        return 0;
    }
    for (; f->n_groups * SHARE * BLOCK < room; f->n_groups++) {
        uint64_t **plane = &f->plane[f->n_groups];
        size_t n_words = (size_t)f->n_bits * SHARE;

        if (*plane == NULL) {
            *plane = paulimpi__alloc_aligned(64, n_words, sizeof **plane);
        }
        if (*plane == NULL) {
            return 0;
        }
        memset(*plane, 0, n_words * sizeof **plane);
    }
    f->room = room;
    return 1;
}

#endif /* PAULIMPI_SRC_PROPAGATE_FEW_TERMS_H */
