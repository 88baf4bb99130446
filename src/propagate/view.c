/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Buckets laid open, and the search for active terms in a block.
 */
#include "config.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "propagate/in_place.h"

enum {
    BLOCK = PAULIMPI__BLOCK_TERMS,
    LINE_WORDS = 8,
    /* For up to this many letters it is faster to collect bit by bit than to
     * mask words and fold their parity. */
    MOST_SITES = 4
};

/* Bit t of the result is bit `shift` of word t of a column. Compilers do not
 * find a good way on their own, and every gate looks at every block. */
#if defined(__SSE2__)

/* Four words to 32 bits each, of which the first is the bit. */
static inline __m128i
lift_four(const uint64_t *word, int is_high, __m128i shift)
{
    __m128 a = _mm_load_ps((const float *)word);
    __m128 b = _mm_load_ps((const float *)(word + 2));
    __m128 half = is_high ? _mm_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1))
                          : _mm_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0));

    return _mm_sll_epi32(_mm_castps_si128(half), shift);
}

/* Narrowing with saturation keeps the sign, which is the bit. */
static inline uint64_t
collect_half(const uint64_t *column, int is_high, int shift)
{
    __m128i up = _mm_cvtsi32_si128(31 - shift);
    uint64_t bits = 0;
    int t;

    for (t = 0; t < BLOCK; t += 16) {
        const uint64_t *word = column + t;
        __m128i low = _mm_packs_epi32(lift_four(word, is_high, up),
                                      lift_four(word + 4, is_high, up));
        __m128i high = _mm_packs_epi32(lift_four(word + 8, is_high, up),
                                       lift_four(word + 12, is_high, up));

        bits |= (uint64_t)_mm_movemask_epi8(_mm_packs_epi16(low, high)) << t;
    }
    return bits;
}

static inline uint64_t
collect(const uint64_t *column, int shift)
{
    return shift < 32 ? collect_half(column, 0, shift)
                      : collect_half(column, 1, shift - 32);
}

#else

static inline uint64_t
collect(const uint64_t *column, int shift)
{
    uint64_t bits = 0;
    int t;

    for (t = 0; t < BLOCK; t++) {
        bits |= (column[t] >> shift & 1) << t;
    }
    return bits;
}

#endif

uint64_t
paulimpi__scan_tap(const paulimpi__block *block, paulimpi__tap tap)
{
    return collect(&block->word[tap.column * BLOCK], tap.shift);
}

/* The parity of a few bits of a column. */
static uint64_t
scan_bits(const paulimpi__block *block, int64_t column, uint64_t bits)
{
    uint64_t odd = 0;

    for (; bits != 0; bits &= bits - 1) {
        odd ^= collect(&block->word[column * BLOCK], __builtin_ctzll(bits));
    }
    return odd;
}

/* For long generators: whole words at once, their parity folded at the end. */
PAULIMPI__CLONES static uint64_t
scan_parts(const paulimpi__block *block, int64_t n_words,
           const paulimpi__part *parts, int64_t n_parts)
{
    _Alignas(16) uint64_t odd[BLOCK] = { 0 };
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
    return collect(odd, 0);
}

static void
prefetch_column(const paulimpi__block *block, int64_t column)
{
    int t;

    for (t = 0; t < BLOCK; t += LINE_WORDS) {
        __builtin_prefetch(&block->word[column * BLOCK + t]);
    }
}

void
paulimpi__prefetch_active(const paulimpi__block *block, int64_t n_words,
                          const paulimpi__ready_op *op)
{
    int64_t k;

    for (k = 0; k < op->n_parts && op->op->n_sites <= MOST_SITES; k++) {
        if (op->parts[k].z != 0) {
            prefetch_column(block, op->parts[k].word);
        }
        if (op->parts[k].x != 0) {
            prefetch_column(block, n_words + op->parts[k].word);
        }
    }
}

/* A letter X of the generator asks for the z bit of the term, and so on. */
uint64_t
paulimpi__scan_active(const paulimpi__block *block, int64_t n_words,
                      const paulimpi__ready_op *op)
{
    uint64_t odd = 0;
    int64_t k;

    if (op->op->n_sites > MOST_SITES) {
        return scan_parts(block, n_words, op->parts, op->n_parts);
    }
    for (k = 0; k < op->n_parts; k++) {
        const paulimpi__part *g = &op->parts[k];

        odd ^= scan_bits(block, g->word, g->z)
               ^ scan_bits(block, n_words + g->word, g->x);
    }
    return odd;
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

/* The new hash of a unit string E is the old one of the string that becomes E,
 * which is E, or G ^ E if it anticommutes with G. */
void
paulimpi__follow_turn(paulimpi__store *store, const paulimpi__ready_op *op)
{
    uint32_t hash = paulimpi__generator_hash(store, op);
    int64_t k;

    for (k = 0; k < op->n_parts; k++) {
        const paulimpi__part *g = &op->parts[k];
        uint32_t *hash_of = &store->hash_of[2 * 64 * g->word];
        uint64_t rest;

        for (rest = g->z; rest != 0; rest &= rest - 1) {
            hash_of[2 * __builtin_ctzll(rest)] ^= hash;
        }
        for (rest = g->x; rest != 0; rest &= rest - 1) {
            hash_of[2 * __builtin_ctzll(rest) + 1] ^= hash;
        }
    }
}

void
paulimpi__view_open(paulimpi__view *view, paulimpi__store *store,
                    int64_t number)
{
    paulimpi__bucket *bucket = &store->buckets[number];
    paulimpi__known *known = &store->known[number];
    paulimpi__block *block;
    int64_t k;

    view->number = number;
    view->bucket = bucket;
    view->n = bucket->n_terms;
    view->n_dead = 0;
    for (k = 0; k < known->n; k++) {
        view->block[k] = known->block[k];
    }
    block = k == 0 ? bucket->head : known->block[k - 1]->next;
    for (; block != NULL; block = block->next) {
        view->block[k] = block;
        if (k < PAULIMPI__MOST_KNOWN) {
            known->block[k] = block;
            known->n = k + 1;
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

/* Remove the dead. */
static void
bury(paulimpi__view *view, paulimpi__store *store, paulimpi__worker *worker)
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
    paulimpi__bucket_forget(store, view->bucket, n_left);
    view->n_dead = 0;
}

void
paulimpi__view_close(paulimpi__view *view, paulimpi__store *store,
                     paulimpi__worker *worker)
{
    bury(view, store, worker);
    worker->growth += view->n - view->bucket->n_terms;
    view->bucket->n_terms = view->n;
}
