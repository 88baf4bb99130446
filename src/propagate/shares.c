/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which rank holds which string.
 */
#include "config.h"

#include "propagate/shares.h"

#include <string.h>

#include "base/base.h"
#include "propagate/engine.h"
#include "propagate/span.h"

enum {
    BLOCK = PAULIMPI__BLOCK_TERMS,
    SPARE_BITS = 4 /* shards for each rank, as a power of 2 */
};

static size_t
table_length(const paulimpi__shares *shares)
{
    return (size_t)1 << shares->log2_shards;
}

static size_t
function_length(const paulimpi__shares *shares)
{
    return (size_t)shares->log2_shards * 2 * (size_t)shares->n_words;
}

/* Memory for functions and table. */
static int
allocate(paulimpi__shares *shares)
{
    shares->function =
        paulimpi__alloc(function_length(shares) + 1, sizeof(uint64_t));
    shares->rank_of =
        paulimpi__alloc_zero(table_length(shares), sizeof(int32_t));
    return shares->function == NULL || shares->rank_of == NULL
               ? PAULIMPI_ERR_MEMORY
               : PAULIMPI_SUCCESS;
}

static double
weight_of(const paulimpi__shares *shares, int rank)
{
    return shares->weight == NULL ? 1.0 : shares->weight[rank];
}

static double
total_weight(const paulimpi__shares *shares)
{
    double total = 0.0;
    int r;

    for (r = 0; r < shares->n_ranks; r++) {
        total += weight_of(shares, r);
    }
    return total;
}

/* Deal the shards out by sizes that add up to `total`, or by their number. The
 * middle of a shard says whose it is. */
static void
deal(paulimpi__shares *shares, const int64_t *size, double total)
{
    size_t n_shards = table_length(shares);
    double scale = total_weight(shares) / total;
    double end = weight_of(shares, 0); /* of the parts up to that of `rank` */
    double before = 0.0;
    int rank = 0;
    size_t s;

    for (s = 0; s < n_shards; s++) {
        double here = size == NULL ? 1.0 : (double)size[s];

        while (rank < shares->n_ranks - 1
               && (before + 0.5 * here) * scale >= end) {
            end += weight_of(shares, ++rank);
        }
        shares->rank_of[s] = rank;
        before += here;
    }
}

void
paulimpi__shares_deal(paulimpi__shares *shares)
{
    deal(shares, NULL, (double)table_length(shares));
}

int
paulimpi__shares_init(paulimpi__shares *shares, const paulimpi_context *ctx,
                      int64_t n_qubits)
{
    return paulimpi__shares_init_for(shares, paulimpi_context_size(ctx),
                                     paulimpi_context_rank(ctx), n_qubits);
}

int
paulimpi__shares_init_for(paulimpi__shares *shares, int n_ranks, int rank,
                          int64_t n_qubits)
{
    int bit;

    *shares = (paulimpi__shares){ .n_ranks = n_ranks,
                                  .rank = rank,
                                  .n_qubits = n_qubits,
                                  .n_words = paulimpi_pauli_words(n_qubits) };
    if (shares->n_ranks > 1) {
        shares->log2_shards =
            paulimpi__log2_ceil((uint64_t)shares->n_ranks) + SPARE_BITS;
    }
    if (shares->log2_shards > PAULIMPI__SHARD_BITS) {
        shares->log2_shards = PAULIMPI__SHARD_BITS;
    }
    if (allocate(shares) != PAULIMPI_SUCCESS) {
        return PAULIMPI_ERR_MEMORY;
    }
    for (bit = 0; bit < shares->log2_shards; bit++) {
        paulimpi__shares_draw(shares, bit, (uint64_t)bit);
    }
    paulimpi__shares_deal(shares);
    return PAULIMPI_SUCCESS;
}

int
paulimpi__shares_copy(paulimpi__shares *dst, const paulimpi__shares *src)
{
    *dst = *src;
    if (allocate(dst) != PAULIMPI_SUCCESS) {
        return PAULIMPI_ERR_MEMORY;
    }
    paulimpi__shares_take(dst, src);
    return PAULIMPI_SUCCESS;
}

void
paulimpi__shares_free(paulimpi__shares *shares)
{
    paulimpi__free(shares->function);
    paulimpi__free(shares->rank_of);
    shares->function = NULL;
    shares->rank_of = NULL;
}

void
paulimpi__shares_take(paulimpi__shares *dst, const paulimpi__shares *src)
{
    memcpy(dst->function, src->function,
           function_length(src) * sizeof *src->function);
    memcpy(dst->rank_of, src->rank_of,
           table_length(src) * sizeof *src->rank_of);
}

int
paulimpi__shares_are_same(const paulimpi__shares *a, const paulimpi__shares *b)
{
    return memcmp(a->function, b->function,
                  function_length(a) * sizeof *a->function)
               == 0
           && memcmp(a->rank_of, b->rank_of,
                     table_length(a) * sizeof *a->rank_of)
                  == 0;
}

void
paulimpi__shares_draw(paulimpi__shares *shares, int bit, uint64_t draw)
{
    static const uint32_t key[2] = { 0x73686172u, 0x65730000u };
    uint64_t *function = shares->function + bit * 2 * shares->n_words;
    int64_t w;

    for (w = 0; w < 2 * shares->n_words; w++) {
        uint32_t counter[4] = { (uint32_t)w, (uint32_t)((uint64_t)w >> 32),
                                (uint32_t)draw, (uint32_t)(draw >> 32) };
        int64_t left = shares->n_qubits - w % shares->n_words * 64;
        uint32_t out[4];

        paulimpi__philox(counter, key, out);
        function[w] = (uint64_t)out[0] << 32 | out[1];
        if (left < 64) {
            function[w] &= ((uint64_t)1 << left) - 1;
        }
    }
}

void
paulimpi__shares_balance(paulimpi__shares *shares, const int64_t *n_terms)
{
    size_t n_shards = table_length(shares);
    double total = 0.0;
    size_t s;

    for (s = 0; s < n_shards; s++) {
        total += (double)n_terms[s];
    }
    if (total == 0.0) {
        paulimpi__shares_deal(shares);
    } else {
        deal(shares, n_terms, total);
    }
}

double
paulimpi__shares_imbalance(const paulimpi__shares *shares,
                           const int64_t *n_terms)
{
    size_t n_shards = table_length(shares);
    int64_t total = 0;
    int64_t here = 0;
    double most = 0.0;
    size_t s;

    /* The shards of a rank are neighbours. */
    for (s = 0; s < n_shards; s++) {
        double part;

        if (s > 0 && shares->rank_of[s] != shares->rank_of[s - 1]) {
            here = 0;
        }
        here += n_terms[s];
        total += n_terms[s];
        part = (double)here / weight_of(shares, shares->rank_of[s]);
        most = part > most ? part : most;
    }
    return total == 0 ? 1.0 : most * total_weight(shares) / (double)total;
}

int
paulimpi__shares_rank(const paulimpi__shares *shares, const uint64_t *x,
                      const uint64_t *z)
{
    int64_t n = shares->n_words;
    uint32_t shard = 0;
    int bit;

    for (bit = 0; bit < shares->log2_shards; bit++) {
        const uint64_t *function = shares->function + bit * 2 * n;

        shard |= (paulimpi__product(function, x, n)
                  ^ paulimpi__product(function + n, z, n))
                 << bit;
    }
    return shares->rank_of[shard];
}

/* Set a bit of 64 numbers to the parities of 64 words. */
static inline void
add_parities(const uint64_t *odd, int bit, uint64_t *sum)
{
    int t;

    for (t = 0; t < BLOCK; t++) {
        uint64_t fold = odd[t] ^ odd[t] >> 32;

        fold ^= fold >> 16;
        fold ^= fold >> 8;
        fold ^= fold >> 4;
        fold ^= fold >> 2;
        fold ^= fold >> 1;
        sum[t] |= (fold & 1) << bit;
    }
}

static inline void
add_product(const uint64_t *word, uint64_t mask, uint64_t *odd)
{
    int t;

    for (t = 0; t < BLOCK; t++) {
        odd[t] ^= word[t] & mask;
    }
}

/* The loops over 64 terms are such that a compiler makes vectors of them. */
PAULIMPI__CLONES void
paulimpi__block_functions(const paulimpi__block *block, int64_t n_words,
                          int n_functions, const uint64_t *function,
                          uint32_t *value)
{
    uint64_t sum[BLOCK] = { 0 };
    int bit, t;

    for (bit = 0; bit < n_functions; bit++) {
        const uint64_t *mask = function + bit * 2 * n_words;
        uint64_t odd[BLOCK] = { 0 };
        int64_t w;

        for (w = 0; w < 2 * n_words; w++) {
            if (mask[w] != 0) {
                add_product(&block->word[w * BLOCK], mask[w], odd);
            }
        }
        add_parities(odd, bit, sum);
    }
    for (t = 0; t < BLOCK; t++) {
        value[t] = (uint32_t)sum[t];
    }
}

void
paulimpi__shares_of_block(const paulimpi__shares *shares,
                          const paulimpi__block *block, uint32_t *shard)
{
    paulimpi__block_functions(block, shares->n_words, shares->log2_shards,
                              shares->function, shard);
}

/* With the turn T about G, a term P that anticommutes with G becomes P G, so
 * f(P) of the term is f(P') + f(G) of the image P'. */
void
paulimpi__shares_follow(paulimpi__shares *shares, const uint64_t *key)
{
    int64_t n = shares->n_words;
    int bit;

    for (bit = 0; bit < shares->log2_shards; bit++) {
        uint64_t *function = shares->function + bit * 2 * n;
        uint32_t is_odd = paulimpi__product(function, key, 2 * n);
        int64_t w;

        for (w = 0; w < n && is_odd; w++) {
            function[w] ^= key[n + w];
            function[n + w] ^= key[w];
        }
    }
}
