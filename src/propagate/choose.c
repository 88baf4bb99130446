/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Truncation to a number of terms, chosen from those of all ranks.
 *
 * The cut is found by a radix selection: the terms are counted by the top digit
 * of the number that they are chosen by, which names the digit of the cut; then
 * those with this digit by the next one, and so on. Counts of ranks add up, so
 * that no term has to travel.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "comm/comm.h"
#include "propagate/sum.h"

enum {
    BLOCK = PAULIMPI__BLOCK_TERMS,
    DIGIT_BITS = 11, /* a histogram of 2^11 counters fits the first cache */
    N_DIGITS = 1 << DIGIT_BITS,
    TOP_SHIFT = 5 * DIGIT_BITS, /* six digits make 66 bits */

    /* Bins of a rough selection, 16 an octave: 2^11 of them, from 2^-96 up. */
    BIN_SHIFT = 48,
    FIRST_BIN = (1023 - 96) * 16
};

/* A selection under way: a histogram of one digit of the numbers that begin
 * like prefix. */
typedef struct {
    paulimpi_context *ctx; /* NULL: this rank alone */
    const char *function;
    paulimpi__store *store;
    const paulimpi_truncation *truncation;
    int64_t max_terms;
    int64_t layer; /* a part of what random numbers are made from */
    uint64_t prefix;
    uint64_t prefix_mask;
    int shift;
    int64_t count[N_DIGITS];
} selection;

static inline void
count_number(selection *s, uint64_t number)
{
    if ((number & s->prefix_mask) == s->prefix) {
        s->count[number >> s->shift & (N_DIGITS - 1)]++;
    }
}

static void
count_magnitudes(const paulimpi__block *block, int n_terms, int64_t n_words,
                 void *data)
{
    int t;

    (void)n_words;
    for (t = 0; t < n_terms; t++) {
        count_number(data, paulimpi__magnitude(block->coefficient[t]));
    }
}

static int
add_up(const selection *s, int64_t n, int64_t *count)
{
    return s->ctx == NULL ? PAULIMPI_SUCCESS
                          : paulimpi__reduce_int64(s->ctx, s->function,
                                                   PAULIMPI__SUM, n, count);
}

static int
count_terms(selection *s, paulimpi__visitor count)
{
    memset(s->count, 0, sizeof s->count);
    paulimpi__store_visit(s->store, count, s);
    return add_up(s, N_DIGITS, s->count);
}

/* Find the cut: those above it are kept, and n_tied_p of those that are equal
 * to it. With is_exact it is the number of a term; otherwise it may be any one
 * up to the next term if n_tied_p is 0. */
static int
find_cut(selection *s, paulimpi__visitor count, int is_exact, uint64_t *cut_p,
         int64_t *n_tied_p)
{
    int64_t rank = s->max_terms;

    for (s->shift = TOP_SHIFT; s->shift >= 0; s->shift -= DIGIT_BITS) {
        int digit = N_DIGITS - 1;
        int rc = count_terms(s, count);

        if (rc != PAULIMPI_SUCCESS) {
            return rc;
        }
        while (digit > 0 && rank >= s->count[digit]) {
            rank -= s->count[digit--];
        }
        s->prefix |= (uint64_t)digit << s->shift;
        s->prefix_mask |= (uint64_t)(N_DIGITS - 1) << s->shift;
        if (rank == 0 && !is_exact) {
            break;
        }
    }
    *cut_p = s->prefix | ~s->prefix_mask;
    *n_tied_p = rank;
    return PAULIMPI_SUCCESS;
}

static int
keep_largest(selection *s, paulimpi__dropped *dropped)
{
    uint64_t cut;
    int64_t n_tied;
    int rc = find_cut(s, count_magnitudes, 0, &cut, &n_tied);

    if (rc == PAULIMPI_SUCCESS) {
        paulimpi__store_drop_small(s->store, cut, dropped);
    }
    return rc;
}

/* The bin of a magnitude; the first and the last one are open. */
static void
count_bins(const paulimpi__block *block, int n_terms, int64_t n_words,
           void *data)
{
    selection *s = data;
    int t;

    (void)n_words;
    for (t = 0; t < n_terms; t++) {
        uint64_t bits = paulimpi__magnitude(block->coefficient[t]);
        int64_t bin = (int64_t)(bits >> BIN_SHIFT) - FIRST_BIN;

        bin = bin < 0 ? 0 : bin;
        s->count[bin < N_DIGITS ? bin : N_DIGITS - 1]++;
    }
}

static int
keep_bins(selection *s, paulimpi__dropped *dropped)
{
    int64_t rest = s->max_terms;
    int64_t bin = N_DIGITS - 1;
    uint64_t cut;
    int rc = count_terms(s, count_bins);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    while (bin > 0 && rest >= s->count[bin]) {
        rest -= s->count[bin--];
    }
    cut = bin == N_DIGITS - 1
              ? UINT64_MAX
              : ((uint64_t)(bin + 1 + FIRST_BIN) << BIN_SHIFT) - 1;
    paulimpi__store_drop_small(s->store, cut, dropped);
    return PAULIMPI_SUCCESS;
}

/* Ties: a cut in the order of dense labels, found letter by letter, a few at a
 * time. */
enum { LETTERS = 5, N_GROUPS = 1 << 2 * LETTERS };

typedef struct {
    uint64_t magnitude; /* of the terms that tie */
    int64_t n_qubits;
    int64_t n_known;  /* letters of the cut that are known; no term that ties
                         is kept if it begins like it */
    uint64_t *letter; /* of the cut: words of x, then of z */
    int64_t count[N_GROUPS];
} tie_cut;

/* Whether a term comes before the cut, and whether it begins like it, as far as
 * that is known. */
static int
is_before_cut(const tie_cut *cut, const paulimpi__block *block, int t,
              int64_t n_words, int *is_like_p)
{
    int64_t w;

    *is_like_p = 0;
    for (w = 0; w * 64 < cut->n_known; w++) {
        int64_t left = cut->n_known - w * 64;
        uint64_t known = left < 64 ? ((uint64_t)1 << left) - 1 : UINT64_MAX;
        uint64_t x = block->word[w * BLOCK + t];
        uint64_t z = block->word[(n_words + w) * BLOCK + t];
        const uint64_t *cut_x = &cut->letter[w];
        const uint64_t *cut_z = &cut->letter[n_words + w];
        uint64_t differ = ((x ^ *cut_x) | (z ^ *cut_z)) & known;

        if (differ != 0) {
            int q = __builtin_ctzll(differ);

            return paulimpi__letter_rank(x >> q & 1, z >> q & 1)
                   < paulimpi__letter_rank(*cut_x >> q & 1, *cut_z >> q & 1);
        }
    }
    *is_like_p = 1;
    return 0;
}

static void
count_letters(const paulimpi__block *block, int n_terms, int64_t n_words,
              void *data)
{
    tie_cut *cut = data;
    int t, is_like;

    for (t = 0; t < n_terms; t++) {
        uint64_t group = 0;
        int64_t q;

        if (paulimpi__magnitude(block->coefficient[t]) != cut->magnitude) {
            continue;
        }
        is_before_cut(cut, block, t, n_words, &is_like);
        for (q = cut->n_known; is_like && q < cut->n_known + LETTERS; q++) {
            group <<= 2;
            if (q < cut->n_qubits) {
                group |= paulimpi__letter_rank(
                    block->word[q / 64 * BLOCK + t] >> q % 64 & 1,
                    block->word[(n_words + q / 64) * BLOCK + t] >> q % 64 & 1);
            }
        }
        cut->count[group] += is_like;
    }
}

/* Write the letters of a group behind those that are known. */
static void
append_letters(tie_cut *cut, int64_t n_words, uint64_t group)
{
    int i;

    for (i = LETTERS - 1; i >= 0 && cut->n_known < cut->n_qubits; i--) {
        uint64_t rank = group >> 2 * i & 3;
        int64_t q = cut->n_known++;

        cut->letter[q / 64] |= ((rank ^ rank >> 1) & 1) << q % 64;
        cut->letter[n_words + q / 64] |= (rank >> 1) << q % 64;
    }
}

static int
find_tie_cut(selection *s, tie_cut *cut, int64_t n_tied)
{
    while (n_tied > 0) {
        int group = 0;
        int rc;

        memset(cut->count, 0, sizeof cut->count);
        paulimpi__store_visit(s->store, count_letters, cut);
        rc = add_up(s, N_GROUPS, cut->count);
        if (rc != PAULIMPI_SUCCESS) {
            return rc;
        }
        while (group < N_GROUPS - 1 && n_tied >= cut->count[group]) {
            n_tied -= cut->count[group++];
        }
        if (cut->n_known == cut->n_qubits) {
            break;
        }
        append_letters(cut, s->store->n_words, (uint64_t)group);
    }
    return PAULIMPI_SUCCESS;
}

static int
is_above_tie_cut(void *data, paulimpi__block *block, int t, int64_t n_words)
{
    const tie_cut *cut = data;
    uint64_t magnitude = paulimpi__magnitude(block->coefficient[t]);
    int is_like;

    return magnitude > cut->magnitude
           || (magnitude == cut->magnitude
               && is_before_cut(cut, block, t, n_words, &is_like));
}

static int
keep_first(selection *s, uint64_t *letter, paulimpi__dropped *dropped)
{
    size_t n_key = 2 * (size_t)s->store->n_words;
    tie_cut cut = { .n_qubits = s->store->n_qubits, .letter = letter };
    int64_t n_tied = 0;
    int rc = find_cut(s, count_magnitudes, 0, &cut.magnitude, &n_tied);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (n_tied == 0) {
        paulimpi__store_drop_small(s->store, cut.magnitude, dropped);
        return PAULIMPI_SUCCESS;
    }
    memset(letter, 0, n_key * sizeof *letter);
    rc = find_tie_cut(s, &cut, n_tied);
    if (rc == PAULIMPI_SUCCESS) {
        paulimpi__store_drop_by(s->store, is_above_tie_cut, &cut, dropped);
    }
    return rc;
}

/* Priority sampling (Duffield, Lund, Thorup): those of largest |c| / u stay, u
 * uniform, and |c| is raised to the largest priority of those that go. Each
 * coefficient keeps its expectation value. */

/* A number from (0, 1] that the seed, the layer and the string determine. */
static double
uniform(const selection *s, const paulimpi__block *block, int t,
        int64_t n_words)
{
    uint64_t seed = (uint64_t)s->truncation->seed;
    uint64_t layer = (uint64_t)s->layer;
    uint32_t key[2] = { (uint32_t)seed, (uint32_t)(seed >> 32) };
    uint32_t word[4] = { (uint32_t)layer, (uint32_t)(layer >> 32), 0, 0 };
    int64_t w;

    paulimpi__philox(word, key, word);
    for (w = 0; w < n_words; w++) {
        uint64_t x = block->word[w * BLOCK + t];
        uint64_t z = block->word[(n_words + w) * BLOCK + t];

        word[0] ^= (uint32_t)x;
        word[1] ^= (uint32_t)(x >> 32);
        word[2] ^= (uint32_t)z;
        word[3] ^= (uint32_t)(z >> 32);
        paulimpi__philox(word, key, word);
    }
    return ((double)(((uint64_t)word[0] << 32 | word[1]) >> 11) + 1.0)
           * 0x1p-53;
}

static double
priority(const selection *s, const paulimpi__block *block, int t,
         int64_t n_words)
{
    return fmin(fabs(block->coefficient[t]) / uniform(s, block, t, n_words),
                DBL_MAX);
}

static void
count_priorities(const paulimpi__block *block, int n_terms, int64_t n_words,
                 void *data)
{
    int t;

    for (t = 0; t < n_terms; t++) {
        count_number(data,
                     paulimpi__magnitude(priority(data, block, t, n_words)));
    }
}

typedef struct {
    const selection *selection;
    double cut;
} draw;

/* Raises the coefficient, too. */
static int
is_drawn(void *data, paulimpi__block *block, int t, int64_t n_words)
{
    const draw *d = data;
    double *c = &block->coefficient[t];

    if (priority(d->selection, block, t, n_words) <= d->cut) {
        return 0;
    }
    *c = copysign(fmax(fabs(*c), d->cut), *c);
    return 1;
}

static int
keep_drawn(selection *s, paulimpi__dropped *dropped)
{
    draw d = { s, 0.0 };
    uint64_t cut;
    int64_t n_tied;
    int rc = find_cut(s, count_priorities, 1, &cut, &n_tied);

    if (rc == PAULIMPI_SUCCESS) {
        memcpy(&d.cut, &cut, sizeof cut);
        paulimpi__store_drop_by(s->store, is_drawn, &d, dropped);
    }
    return rc;
}

int
paulimpi__chooser_init(paulimpi__chooser *chooser, const char *function,
                       const paulimpi_truncation *truncation, int64_t n_words)
{
    *chooser = (paulimpi__chooser){ function, truncation, NULL };
    if (truncation->choice == PAULIMPI_KEEP_FIRST) {
        chooser->letter =
            paulimpi__alloc((size_t)n_words, 2 * sizeof *chooser->letter);
        if (chooser->letter == NULL) {
            return paulimpi__no_memory(function, (size_t)n_words * 16);
        }
    }
    return PAULIMPI_SUCCESS;
}

void
paulimpi__chooser_free(paulimpi__chooser *chooser)
{
    paulimpi__free(chooser->letter);
    chooser->letter = NULL;
}

int
paulimpi__choose(const paulimpi__chooser *chooser, paulimpi_context *ctx,
                 paulimpi__store *store, int64_t n_all, int64_t layer,
                 paulimpi__dropped *dropped)
{
    const paulimpi_truncation *truncation = chooser->truncation;
    selection s = { .ctx = ctx,
                    .function = chooser->function,
                    .store = store,
                    .truncation = truncation,
                    .max_terms = truncation->max_terms,
                    .layer = layer };

    if (n_all <= truncation->max_terms) {
        return PAULIMPI_SUCCESS;
    }
    switch (truncation->choice) {
    case PAULIMPI_KEEP_FIRST:
        return keep_first(&s, chooser->letter, dropped);
    case PAULIMPI_KEEP_ROUGHLY:
        return keep_bins(&s, dropped);
    case PAULIMPI_KEEP_RANDOM:
        return keep_drawn(&s, dropped);
    default:
        return keep_largest(&s, dropped);
    }
}
