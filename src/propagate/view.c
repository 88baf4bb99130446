/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Buckets laid open, and the search for active terms in a block.
 */
#include "config.h"

#include "propagate/in_place.h"

enum { BLOCK = PAULIMPI__BLOCK_TERMS, LINE_WORDS = 8 };

/* Bit t of the result is bit 0 of odd[t]. */
static inline uint64_t
collect(const uint64_t *odd)
{
    uint64_t bits = 0;
    int t;

    for (t = 0; t < BLOCK; t++) {
        bits |= (odd[t] & 1) << t;
    }
    return bits;
}

PAULIMPI__CLONES uint64_t
paulimpi__scan_tap(const paulimpi__block *block, paulimpi__tap tap)
{
    const uint64_t *column = &block->word[tap.column * BLOCK];
    uint64_t bits = 0;
    int t;

    for (t = 0; t < BLOCK; t++) {
        bits |= (column[t] >> tap.shift & 1) << t;
    }
    return bits;
}

PAULIMPI__CLONES static uint64_t
scan_two_taps(const paulimpi__block *block, const paulimpi__tap *taps)
{
    const uint64_t *a = &block->word[taps[0].column * BLOCK];
    const uint64_t *b = &block->word[taps[1].column * BLOCK];
    uint64_t bits = 0;
    int t;

    for (t = 0; t < BLOCK; t++) {
        bits |= ((a[t] >> taps[0].shift ^ b[t] >> taps[1].shift) & 1) << t;
    }
    return bits;
}

PAULIMPI__CLONES static uint64_t
scan_taps(const paulimpi__block *block, const paulimpi__tap *taps, int n_taps)
{
    uint64_t odd[BLOCK] = { 0 };
    int i, t;

    for (i = 0; i < n_taps; i++) {
        const uint64_t *column = &block->word[taps[i].column * BLOCK];

        for (t = 0; t < BLOCK; t++) {
            odd[t] ^= column[t] >> taps[i].shift;
        }
    }
    return collect(odd);
}

/* For long generators: whole words at once, their parity folded at the end. */
PAULIMPI__CLONES static uint64_t
scan_parts(const paulimpi__block *block, int64_t n_words,
           const paulimpi__part *parts, int64_t n_parts)
{
    uint64_t odd[BLOCK] = { 0 };
    int64_t k;
    int t, fold;

    for (k = 0; k < n_parts; k++) {
        const uint64_t *x = &block->word[parts[k].word * BLOCK];
        const uint64_t *z = x + n_words * BLOCK;

        for (t = 0; t < BLOCK; t++) {
            odd[t] ^= (x[t] & parts[k].z) ^ (z[t] & parts[k].x);
        }
    }
    for (fold = 32; fold > 0; fold /= 2) {
        for (t = 0; t < BLOCK; t++) {
            odd[t] ^= odd[t] >> fold;
        }
    }
    return collect(odd);
}

void
paulimpi__prefetch_taps(const paulimpi__block *block,
                        const paulimpi__ready_op *op)
{
    int i, t;

    for (i = 0; i < op->n_taps; i++) {
        const uint64_t *column = &block->word[op->taps[i].column * BLOCK];

        for (t = 0; t < BLOCK; t += LINE_WORDS) {
            __builtin_prefetch(&column[t]);
        }
    }
}

uint64_t
paulimpi__scan_active(const paulimpi__block *block, int64_t n_words,
                      const paulimpi__ready_op *op)
{
    switch (op->n_taps) {
    case 0:
        return scan_parts(block, n_words, op->parts, op->n_parts);
    case 1:
        return paulimpi__scan_tap(block, op->taps[0]);
    case 2:
        return scan_two_taps(block, op->taps);
    default:
        return scan_taps(block, op->taps, op->n_taps);
    }
}

uint32_t
paulimpi__generator_hash(const paulimpi__store *store,
                         const paulimpi__ready_op *op)
{
    uint32_t hash = 0;
    int64_t k;

    for (k = 0; k < op->n_parts; k++) {
        const uint32_t *hash_of = &store->hash_of[2 * 64 * op->parts[k].word];
        uint64_t rest;

        for (rest = op->parts[k].x; rest != 0; rest &= rest - 1) {
            hash ^= hash_of[2 * __builtin_ctzll(rest)];
        }
        for (rest = op->parts[k].z; rest != 0; rest &= rest - 1) {
            hash ^= hash_of[2 * __builtin_ctzll(rest) + 1];
        }
    }
    return hash;
}

void
paulimpi__view_open(paulimpi__view *view, paulimpi__store *store,
                    int64_t number)
{
    paulimpi__bucket *bucket = &store->buckets[number];
    paulimpi__block *block;
    int64_t k;

    view->number = number;
    view->bucket = bucket;
    view->n = bucket->n_terms;
    view->n_lead = 0;
    view->n_follower = 0;
    view->n_dead = 0;
    view->keeps_dead = 0;
    view->n_kept = 0;
    for (k = 0; k < bucket->n_known; k++) {
        view->block[k] = bucket->known[k];
    }
    block = k == 0 ? bucket->head : bucket->known[k - 1]->next;
    for (; block != NULL; block = block->next) {
        view->block[k] = block;
        if (k < PAULIMPI__MOST_KNOWN) {
            bucket->known[k] = block;
            bucket->n_known = k + 1;
        }
        k++;
    }
}

int64_t
paulimpi__view_append(paulimpi__view *view, paulimpi__store *store,
                      paulimpi__worker *worker)
{
    int64_t k = view->n / BLOCK;

    if (view->n % BLOCK == 0) {
        view->block[k] = paulimpi__block_take(store, &worker->purse);
        *(k == 0 ? &view->bucket->head : &view->block[k - 1]->next) =
            view->block[k];
    }
    return view->n++;
}

void
paulimpi__view_list_dead(paulimpi__view *view)
{
    int64_t i;

    view->n_dead = 0;
    for (i = 0; i < view->n; i++) {
        if (*paulimpi__view_coefficient(view, i) == 0.0) {
            view->dead[view->n_dead++] = (uint32_t)i;
        }
    }
    view->keeps_dead = 0;
    view->n_kept = 0;
}

void
paulimpi__view_bury(paulimpi__view *view, paulimpi__store *store,
                    paulimpi__worker *worker)
{
    int64_t n_blocks = (view->n + BLOCK - 1) / BLOCK;
    int64_t n_left, i;

    /* The last term that lives takes the place of each dead one. */
    for (i = 0; i < view->n_dead; i++) {
        int64_t dead = view->dead[i];

        while (view->n > 0
               && *paulimpi__view_coefficient(view, view->n - 1) == 0.0) {
            view->n--;
        }
        if (dead < view->n) {
            view->n--;
            paulimpi__term_move(
                2 * store->n_words, paulimpi__view_block(view, view->n),
                paulimpi__view_slot(view->n), paulimpi__view_block(view, dead),
                paulimpi__view_slot(dead));
        }
    }
    while (view->n > 0
           && *paulimpi__view_coefficient(view, view->n - 1) == 0.0) {
        view->n--;
    }
    n_left = (view->n + BLOCK - 1) / BLOCK;
    for (i = n_left; i < n_blocks; i++) {
        paulimpi__block_give(store, &worker->purse, view->block[i]);
    }
    if (n_left < n_blocks) {
        *(n_left == 0 ? &view->bucket->head : &view->block[n_left - 1]->next) =
            NULL;
    }
    paulimpi__bucket_forget(view->bucket, n_left);
    view->n_dead = 0;
}

void
paulimpi__view_close(paulimpi__view *view, paulimpi__store *store,
                     paulimpi__worker *worker)
{
    paulimpi__view_bury(view, store, worker);
    worker->growth += view->n - view->bucket->n_terms;
    view->bucket->n_terms = view->n;
}
