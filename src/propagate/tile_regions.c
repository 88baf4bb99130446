/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tiles of terms that have their letters in one region.
 */
#include "propagate/tile_regions.h"

#include <string.h>

enum {
    LOG2_REGIONS = 4, /* at most */
    LEAST_GATES = 32,
    LOCAL = 4, /* times the sites of a term, that all have */
    SHARE = 3, /* times as many terms as it should have, in a region at most */
    SAMPLE_BUCKETS = 16,
    SAMPLE_STEP = 16,    /* from one term of a bucket to the next, */
    SAMPLE_TERMS = 1024, /* or more, if there would be more than these */
    BLOCK = PAULIMPI__BLOCK_TERMS
};

int
paulimpi__regions_init(paulimpi__regions *regions,
                       const paulimpi__store *store)
{
    size_t n = (size_t)store->n_qubits;

    *regions = (paulimpi__regions){ 0 };
    regions->fixed =
        paulimpi__alloc((size_t)store->n_words, 2 * sizeof *regions->fixed);
    regions->of_site = paulimpi__alloc(n, sizeof *regions->of_site);
    regions->n_on_site = paulimpi__alloc(n, sizeof *regions->n_on_site);
    return regions->fixed == NULL || regions->of_site == NULL
                   || regions->n_on_site == NULL
               ? PAULIMPI_ERR_MEMORY
               : PAULIMPI_SUCCESS;
}

void
paulimpi__regions_free(paulimpi__regions *regions)
{
    paulimpi__free(regions->n_on_site);
    paulimpi__free(regions->of_site);
    paulimpi__free(regions->fixed);
    *regions = (paulimpi__regions){ 0 };
}

/* Find the bits that no generator of the group has. */
static void
find_fixed(paulimpi__regions *regions, const paulimpi__group *group)
{
    int64_t n_key = 2 * group->span.n_words;
    int64_t k, w;

    memset(regions->fixed, 0xff, (size_t)n_key * sizeof *regions->fixed);
    for (k = 0; k < group->n_gates; k++) {
        const uint64_t *key = paulimpi__group_key(group, k);

        for (w = 0; w < n_key; w++) {
            regions->fixed[w] &= ~key[w];
        }
    }
}

/* The sites of the terms of a sample. */
typedef struct {
    int64_t n;      /* terms */
    int64_t length; /* from the first to the last letter, of all together */
    int64_t first;
    int64_t end;
} sample;

/* Add a term of a block to the sample, and to those of its site. */
static void
add_to_sample(paulimpi__regions *regions, const paulimpi__store *store,
              const uint64_t *word, sample *s)
{
    int64_t z = store->n_words * PAULIMPI__BLOCK_TERMS;
    int64_t first = -1, end = 0, site = -1;
    int64_t w;

    for (w = 0; w < store->n_words; w++, word += PAULIMPI__BLOCK_TERMS) {
        uint64_t letters = word[0] | word[z];
        uint64_t fixed = (word[0] & regions->fixed[w])
                         | (word[z] & regions->fixed[store->n_words + w]);

        if (letters != 0) {
            first = first < 0 ? w * 64 + __builtin_ctzll(letters) : first;
            end = w * 64 + 64 - __builtin_clzll(letters);
        }
        if (fixed != 0 && site < 0) {
            site = w * 64 + __builtin_ctzll(fixed);
        }
    }
    if (first < 0) {
        return;
    }
    regions->n_on_site[site < 0 ? 0 : site]++;
    s->n++;
    s->length += end - first;
    s->first = s->n == 1 || first < s->first ? first : s->first;
    s->end = end > s->end ? end : s->end;
}

static sample
take_sample(paulimpi__regions *regions, const paulimpi__store *store)
{
    int64_t n_buckets = paulimpi__store_buckets(store);
    int64_t step = n_buckets / SAMPLE_BUCKETS + 1;
    int64_t term_step = SAMPLE_STEP;
    sample s = { 0, 0, 0, 0 };
    int64_t b, n, t;

    while (term_step < BLOCK
           && store->n_terms / step / term_step > SAMPLE_TERMS) {
        term_step *= 2;
    }

    memset(regions->n_on_site, 0,
           (size_t)store->n_qubits * sizeof *regions->n_on_site);
    for (b = 0; b < n_buckets; b += step) {
        const paulimpi__block *block = store->buckets[b].head;

        /* Terms that have come from the same tile lie together. */
        for (n = store->buckets[b].n_terms; n > 0; n -= BLOCK) {
            for (t = 0; t < n && t < BLOCK; t += term_step) {
                add_to_sample(regions, store, block->word + t, &s);
            }
            block = block->next;
        }
    }
    return s;
}

/* Cut the sites into regions of as many terms. Whether that works. */
static int
cut(paulimpi__regions *regions, int64_t n_sites, int64_t n_terms, int log2)
{
    int64_t n_before = 0;
    int64_t n_here = 0;
    int64_t i;

    for (i = 0; i < n_sites; i++) {
        regions->of_site[i] = (uint8_t)((n_before << log2) / (n_terms + 1));
        n_before += regions->n_on_site[i];
        if (i > 0 && regions->of_site[i] != regions->of_site[i - 1]) {
            n_here = 0;
        }
        n_here += regions->n_on_site[i];
        if (n_here << log2 > SHARE * n_terms) {
            return 0;
        }
    }
    return 1;
}

void
paulimpi__regions_choose(paulimpi__regions *regions,
                         const paulimpi__store *store,
                         const paulimpi__group *group, int log2_buckets)
{
    int log2 = log2_buckets < LOG2_REGIONS ? log2_buckets : LOG2_REGIONS;
    sample s;

    regions->log2_next = 0;
    if (group->n_rotations < LEAST_GATES || group->first_turn < group->n_gates
        || log2 == 0) {
        return;
    }
    find_fixed(regions, group);
    s = take_sample(regions, store);
    if (s.n > 0 && LOCAL * s.length <= s.n * (s.end - s.first)
        && cut(regions, store->n_qubits, s.n, log2)) {
        regions->log2_next = log2;
    }
}

/* The same for terms with letters in words `first` to `end` - 1. */
static inline void
find_in_words(const paulimpi__regions *regions,
              const paulimpi__tile_plan *plan, const paulimpi__tile *tile,
              int64_t first, int64_t end, int log2_hash, uint32_t *to)
{
    uint32_t mask = ((uint32_t)1 << log2_hash) - 1;
    int64_t n_words = plan->n_words;
    int64_t i, w;

    for (i = 0; i < tile->n; i++) {
        const uint64_t *row = tile->key + i * 2 * n_words;
        int64_t site = 0;

        /* Which word it is cannot be foretold: no branches. */
        for (w = end - 1; w >= first; w--) {
            const uint64_t *fixed = regions->fixed + plan->word[w];
            uint64_t bits = (row[w] & fixed[0])
                            | (row[n_words + w] & fixed[plan->n_store_words]);
            int64_t here =
                plan->word[w] * 64 + __builtin_ctzll(bits | (uint64_t)1 << 63);

            site = bits != 0 ? here : site;
        }
        to[i] = (tile->next_hash[i] & mask)
                | (uint32_t)regions->of_site[site] << log2_hash;
    }
}

void
paulimpi__regions_find(const paulimpi__regions *regions,
                       const paulimpi__tile_plan *plan,
                       const paulimpi__tile *tile, const uint64_t *support,
                       int log2_hash, uint32_t *to)
{
    int64_t n_words = plan->n_words;
    int64_t first = 0;
    int64_t end = n_words;

    while (support != NULL && first + 1 < end
           && (support[first] | support[n_words + first]) == 0) {
        first++;
    }
    while (support != NULL && first + 1 < end
           && (support[end - 1] | support[n_words + end - 1]) == 0) {
        end--;
    }
    if (end == first + 1) {
        find_in_words(regions, plan, tile, first, first + 1, log2_hash, to);
    } else {
        find_in_words(regions, plan, tile, first, end, log2_hash, to);
    }
}

int
paulimpi__regions_touch(const paulimpi__tile_plan *plan,
                        const paulimpi__tile_gate *gate, paulimpi__tile *tile)
{
    const paulimpi__ready_op *op = gate->op;
    uint64_t *x = tile->support;
    uint64_t *z = tile->support + plan->n_words;
    uint64_t meets = 0;
    int64_t k;

    if (op->op->kind != PAULIMPI__OP_ROTATION) {
        return 1;
    }
    for (k = 0; k < op->n_parts; k++) {
        int64_t w = plan->column[op->parts[k].word];

        meets |= (op->parts[k].x & z[w]) | (op->parts[k].z & x[w]);
    }
    for (k = 0; k < op->n_parts && meets != 0; k++) {
        int64_t w = plan->column[op->parts[k].word];

        x[w] |= op->parts[k].x;
        z[w] |= op->parts[k].z;
    }
    return meets != 0;
}
