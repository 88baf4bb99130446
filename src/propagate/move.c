/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Moving the terms of a sum between ranks.
 *
 * A store is dealt out in place: of each block, the terms that stay close up,
 * the others go to the end of a chain for their rank. What comes is dealt out
 * over the buckets by the hash of this rank's store, which need not be that of
 * another rank.
 *
 * Where all ranks have the same buckets, and each of them is in one shard,
 * whole buckets travel, and what comes is linked to those that are there.
 */
#include "propagate/move.h"

#include <string.h>

#include "comm/comm.h"
#include "propagate/rows.h"

enum { BLOCK = PAULIMPI__BLOCK_TERMS };

/* Dealing out what stays and what goes. */
typedef struct {
    paulimpi__store *store;
    const paulimpi__shares *shares;
    paulimpi__chain *out; /* NULL: what goes is dropped */
    paulimpi__purse purse;
} parting;

static void
append(parting *p, int rank, const paulimpi__block *block, int t)
{
    paulimpi__chain *chain = &p->out[rank];
    int slot = (int)(chain->n_terms++ % BLOCK);

    if (slot == 0) {
        paulimpi__chain_extend(chain,
                               paulimpi__block_take(p->store, &p->purse));
    }
    paulimpi__term_move(2 * p->store->n_words, block, t, chain->last, slot);
}

/* Where the next term that stays goes. */
typedef struct {
    paulimpi__block *block;
    int64_t n_terms;
} gap;

static void
keep(parting *p, gap *to, const paulimpi__block *block, int t)
{
    int slot = (int)(to->n_terms % BLOCK);

    if (slot == 0 && to->n_terms > 0) {
        to->block = to->block->next;
    }
    if (to->block != block || slot != t) {
        paulimpi__term_move(2 * p->store->n_words, block, t, to->block, slot);
    }
    to->n_terms++;
}

/* Give back the blocks behind the n_terms terms that are left. */
static void
shorten(parting *p, paulimpi__bucket *bucket, int64_t n_terms)
{
    int64_t n_blocks = (n_terms + BLOCK - 1) / BLOCK;
    paulimpi__block **end = &bucket->head;
    paulimpi__block *block;
    int64_t i;

    for (i = 0; i < n_blocks; i++) {
        end = &(*end)->next;
    }
    block = *end;
    *end = NULL;
    while (block != NULL) {
        paulimpi__block *next = block->next;

        paulimpi__block_give(p->store, &p->purse, block);
        block = next;
    }
    p->store->n_terms -= bucket->n_terms - n_terms;
    bucket->n_terms = n_terms;
    paulimpi__bucket_forget(p->store, bucket, n_blocks);
}

static void
part_bucket(parting *p, paulimpi__bucket *bucket)
{
    gap to = { bucket->head, 0 };
    paulimpi__block *block = bucket->head;
    int64_t rest = bucket->n_terms;
    uint32_t shard[BLOCK];

    for (; block != NULL; block = block->next, rest -= BLOCK) {
        int n = rest < BLOCK ? (int)rest : BLOCK;
        int t;

        paulimpi__block_fetch(block->next, p->store->n_words);
        paulimpi__shares_of_block(p->shares, block, shard);
        for (t = 0; t < n; t++) {
            int rank = p->shares->rank_of[shard[t]];

            if (rank == p->shares->rank) {
                keep(p, &to, block, t);
            } else if (p->out != NULL) {
                append(p, rank, block, t);
            }
        }
    }
    shorten(p, bucket, to.n_terms);
}

static void
part_store(paulimpi__store *store, const paulimpi__shares *shares,
           paulimpi__chain *out)
{
    parting p = { store, shares, out, { NULL, 0 } };
    int64_t n_buckets = paulimpi__store_buckets(store);
    int64_t b;

    for (b = 0; b < n_buckets; b++) {
        part_bucket(&p, &store->buckets[b]);
    }
    paulimpi__purse_empty(store, &p.purse);
}

void
paulimpi__leave_terms(paulimpi__store *store, const paulimpi__shares *shares)
{
    part_store(store, shares, NULL);
}

/* Taking in what comes. */
typedef struct {
    paulimpi__store *store;
    uint64_t *function;     /* the hash's bits that name the bucket */
    paulimpi__block **last; /* block of each bucket, or NULL */
    int64_t first_bucket;   /* of this rank, where buckets are in shards */
    paulimpi__purse purse;
} taking;

static void
take_term(taking *in, uint32_t b, const paulimpi__block *block, int t)
{
    paulimpi__bucket *bucket = &in->store->buckets[b];
    int slot = (int)(bucket->n_terms++ % BLOCK);

    if (slot == 0) {
        paulimpi__block *fresh = paulimpi__block_take(in->store, &in->purse);

        fresh->next = NULL;
        *(in->last[b] == NULL ? &bucket->head : &in->last[b]->next) = fresh;
        in->last[b] = fresh;
    }
    paulimpi__term_move(2 * in->store->n_words, block, t, in->last[b], slot);
}

static int
take_block(void *data, const paulimpi__arrival *arrival)
{
    taking *in = data;
    uint32_t b[BLOCK];
    int t;

    paulimpi__block_functions(arrival->block, in->store->n_words,
                              in->store->log2_buckets, in->function, b);
    for (t = 0; t < arrival->n_terms; t++) {
        take_term(in, b[t], arrival->block, t);
    }
    in->store->n_terms += arrival->n_terms;
    return 0;
}

/* The same for terms of one bucket: a full block becomes its first one. */
static int
link_block(void *data, const paulimpi__arrival *arrival)
{
    taking *in = data;
    int64_t b = in->first_bucket + arrival->part;
    paulimpi__bucket *bucket = &in->store->buckets[b];
    int t;

    in->store->n_terms += arrival->n_terms;
    if (arrival->n_terms < BLOCK) {
        for (t = 0; t < arrival->n_terms; t++) {
            take_term(in, (uint32_t)b, arrival->block, t);
        }
        return 0;
    }
    arrival->block->next = bucket->head;
    bucket->head = arrival->block;
    bucket->n_terms += BLOCK;
    if (in->last[b] == NULL) {
        in->last[b] = arrival->block;
    }
    return 1;
}

/* Write the lowest bits of a store's hash as functions of keys. */
static void
write_hash(const paulimpi__store *store, uint64_t *function)
{
    int64_t n = store->n_words;
    int64_t q;
    int bit;

    memset(function, 0,
           (size_t)(store->log2_buckets * 2 * n) * sizeof *function);
    for (q = 0; q < store->n_qubits; q++) {
        const uint32_t *hash = &store->hash_of[2 * q];

        for (bit = 0; bit < store->log2_buckets; bit++) {
            uint64_t *words = function + bit * 2 * n;

            words[q / 64] |= (uint64_t)(hash[0] >> bit & 1) << q % 64;
            words[n + q / 64] |= (uint64_t)(hash[1] >> bit & 1) << q % 64;
        }
    }
}

static void
end_taking(taking *in)
{
    paulimpi__purse_empty(in->store, &in->purse);
    paulimpi__free(in->last);
    paulimpi__free(in->function);
}

/* Memory for taking n_terms terms in. 0 or PAULIMPI_ERR_MEMORY. */
static int
begin_taking(taking *in, paulimpi__store *store, int64_t n_terms)
{
    size_t n_buckets = (size_t)paulimpi__store_buckets(store);

    *in = (taking){ .store = store };
    in->function = paulimpi__alloc((size_t)store->log2_buckets + 1,
                                   (size_t)store->n_words * 16);
    in->last = paulimpi__alloc_zero(n_buckets, sizeof *in->last);
    return in->function == NULL || in->last == NULL
                   || paulimpi__store_reserve(store, n_terms)
                          != PAULIMPI_SUCCESS
               ? PAULIMPI_ERR_MEMORY
               : PAULIMPI_SUCCESS;
}

/* Find the ends of all buckets. */
static void
find_ends(taking *in)
{
    int64_t n_buckets = paulimpi__store_buckets(in->store);
    int64_t b;

    for (b = 0; b < n_buckets; b++) {
        paulimpi__block *block = in->store->buckets[b].head;

        while (block != NULL && block->next != NULL) {
            block = block->next;
        }
        in->last[b] = block;
    }
}

/* Count the terms for each rank and announce them. */
static int
announce(paulimpi__carrier *carrier, const paulimpi__shares *shares)
{
    size_t n_shards = (size_t)1 << shares->log2_shards;
    int64_t *of_shard = paulimpi__alloc_zero(n_shards, sizeof *of_shard);
    int64_t *of_rank =
        paulimpi__alloc_zero((size_t)shares->n_ranks, sizeof *of_rank);
    int rc = PAULIMPI_SUCCESS;
    size_t s;

    if (of_shard == NULL || of_rank == NULL
        || paulimpi__carrier_divide(carrier, NULL) != PAULIMPI_SUCCESS) {
        rc = paulimpi__no_memory(carrier->function,
                                 n_shards * sizeof *of_shard);
    }
    if (rc == PAULIMPI_SUCCESS) {
        paulimpi__count_by_shard(carrier->store, shares, of_shard);
        for (s = 0; s < n_shards; s++) {
            of_rank[shares->rank_of[s]] += of_shard[s];
        }
    }
    rc = paulimpi__carry_counts(carrier, rc, of_rank);
    paulimpi__free(of_shard);
    paulimpi__free(of_rank);
    return rc;
}

static int64_t
largest_bucket(const paulimpi__store *store)
{
    int64_t n_buckets = paulimpi__store_buckets(store);
    int64_t most = 0;
    int64_t b;

    for (b = 0; b < n_buckets; b++) {
        int64_t n = store->buckets[b].n_terms;

        most = n > most ? n : most;
    }
    return most;
}

/* Terms that have to find room beside those that are there: each chain begins
 * a block before one is given back, and a bucket gives its blocks back when all
 * of it has been dealt out. */
static int64_t
extra_terms(const paulimpi__carrier *carrier)
{
    return BLOCK * (paulimpi__carry_room(carrier) + carrier->n_ranks + 1)
           + largest_bucket(carrier->store);
}

/* Hold to a limit of memory, in agreement. */
static int
begin_move(paulimpi__carrier *carrier, taking *in, int64_t n_terms,
           int64_t bytes, int64_t most_bytes)
{
    paulimpi__store *store = carrier->store;
    int rc = paulimpi__carry_reserve(carrier);

    if (rc == PAULIMPI_SUCCESS
        && (bytes > most_bytes - paulimpi__store_bytes(store)
            || begin_taking(in, store, n_terms) != PAULIMPI_SUCCESS)) {
        rc = paulimpi__no_memory(carrier->function, (size_t)bytes);
    }
    return paulimpi__agree(carrier->ctx, rc);
}

int
paulimpi__move_terms(paulimpi__carrier *carrier,
                     const paulimpi__shares *shares, int64_t most_bytes)
{
    paulimpi__store *store = carrier->store;
    taking in = { NULL };
    int64_t n;
    int rc = announce(carrier, shares);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    n = extra_terms(carrier);
    rc = begin_move(carrier, &in, n, paulimpi__store_bytes_for(store, n),
                    most_bytes);
    if (rc == PAULIMPI_SUCCESS) {
        part_store(store, shares, carrier->out);
        write_hash(store, in.function);
        find_ends(&in);
        rc = paulimpi__carry(carrier, take_block, &in);
    }
    end_taking(&in);
    return rc;
}

/* The terms of each bucket, as they are in the store. */
static void
count_buckets(const paulimpi__store *store, int64_t *n_terms)
{
    int64_t n_buckets = paulimpi__store_buckets(store);
    int64_t b;

    for (b = 0; b < n_buckets; b++) {
        n_terms[b] = store->buckets[b].n_terms;
    }
}

void
paulimpi__count_buckets_by_shard(const paulimpi__store *store, int log2_shards,
                                 int64_t *of_shard)
{
    int64_t n_buckets = paulimpi__store_buckets(store);
    int log2_each = store->log2_buckets - log2_shards;
    int64_t b;

    memset(of_shard, 0, sizeof *of_shard << log2_shards);
    for (b = 0; b < n_buckets; b++) {
        of_shard[b >> log2_each] += store->buckets[b].n_terms;
    }
}

/* Divide the carrier's load by buckets, and announce it. */
static int
announce_buckets(paulimpi__carrier *carrier, const paulimpi__shares *shares)
{
    const paulimpi__store *store = carrier->store;
    int64_t n_shards = (int64_t)1 << shares->log2_shards;
    int log2_each = store->log2_buckets - shares->log2_shards;
    size_t n_buckets = (size_t)paulimpi__store_buckets(store);
    int64_t *n_terms = paulimpi__alloc(n_buckets, sizeof *n_terms);
    int64_t *first =
        paulimpi__alloc((size_t)shares->n_ranks + 1, sizeof *first);
    int rc = PAULIMPI_SUCCESS;
    int64_t s;
    int r = 0;

    for (s = 0; first != NULL && s < n_shards; s++) {
        for (; r <= shares->rank_of[s]; r++) {
            first[r] = s << log2_each;
        }
    }
    for (; first != NULL && r <= shares->n_ranks; r++) {
        first[r] = n_shards << log2_each;
    }
    if (n_terms == NULL || first == NULL
        || paulimpi__carrier_divide(carrier, first) != PAULIMPI_SUCCESS) {
        rc = paulimpi__no_memory(carrier->function,
                                 n_buckets * sizeof *n_terms);
    }
    if (rc == PAULIMPI_SUCCESS) {
        count_buckets(store, n_terms);
    }
    rc = paulimpi__carry_counts(carrier, rc, n_terms);
    paulimpi__free(n_terms);
    paulimpi__free(first);
    return rc;
}

/* Take the buckets of other ranks out of the store. */
static void
hand_over(paulimpi__carrier *carrier)
{
    paulimpi__store *store = carrier->store;
    int64_t n_buckets = paulimpi__store_buckets(store);
    int64_t b;

    for (b = 0; b < n_buckets; b++) {
        paulimpi__bucket *bucket = &store->buckets[b];

        paulimpi__bucket_forget(store, bucket, 0);
        if (b < carrier->first[carrier->rank]
            || b >= carrier->first[carrier->rank + 1]) {
            carrier->out[b] =
                (paulimpi__chain){ bucket->head, NULL, bucket->n_terms };
            store->n_terms -= bucket->n_terms;
            *bucket = (paulimpi__bucket){ NULL, 0 };
        }
    }
}

int
paulimpi__move_buckets(paulimpi__carrier *carrier,
                       const paulimpi__shares *shares, int64_t most_bytes)
{
    paulimpi__store *store = carrier->store;
    taking in = { NULL };
    int64_t n_blocks;
    int rc = announce_buckets(carrier, shares);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    n_blocks = paulimpi__carry_room(carrier);
    rc = begin_move(carrier, &in, n_blocks * BLOCK,
                    n_blocks * (int64_t)store->pool.block_bytes, most_bytes);
    if (rc == PAULIMPI_SUCCESS) {
        in.first_bucket = carrier->first[carrier->rank];
        hand_over(carrier);
        find_ends(&in);
        rc = paulimpi__carry(carrier, link_block, &in);
    }
    end_taking(&in);
    return rc;
}

/* Fill the chains for all other ranks with copies of all terms. */
static void
copy_out(paulimpi__carrier *carrier)
{
    const paulimpi__store *store = carrier->store;
    parting p = { carrier->store, NULL, carrier->out, { NULL, 0 } };
    int64_t n_buckets = paulimpi__store_buckets(store);
    int64_t b;

    for (b = 0; b < n_buckets; b++) {
        const paulimpi__block *block = store->buckets[b].head;
        int64_t rest = store->buckets[b].n_terms;

        for (; block != NULL; block = block->next, rest -= BLOCK) {
            int n = rest < BLOCK ? (int)rest : BLOCK;
            int t, r;

            for (r = 0; r < carrier->n_ranks; r++) {
                for (t = 0; t < n && r != carrier->rank; t++) {
                    append(&p, r, block, t);
                }
            }
        }
    }
    paulimpi__purse_empty(p.store, &p.purse);
}

int
paulimpi__copy_terms(paulimpi__carrier *carrier)
{
    paulimpi__store *store = carrier->store;
    size_t n_ranks = (size_t)carrier->n_ranks;
    int64_t *n_out = paulimpi__alloc(n_ranks, sizeof *n_out);
    taking in = { NULL };
    int64_t n;
    int rc, r;

    for (r = 0; n_out != NULL && r < carrier->n_ranks; r++) {
        n_out[r] = r == carrier->rank ? 0 : store->n_terms;
    }
    rc = n_out == NULL
                 || paulimpi__carrier_divide(carrier, NULL) != PAULIMPI_SUCCESS
             ? paulimpi__no_memory(carrier->function, n_ranks * sizeof *n_out)
             : PAULIMPI_SUCCESS;
    rc = paulimpi__carry_counts(carrier, rc, n_out);
    paulimpi__free(n_out);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    n = carrier->n_terms_in + carrier->n_terms_out
        + (int64_t)BLOCK * carrier->n_ranks;
    rc = paulimpi__carry_reserve(carrier);
    if (rc == PAULIMPI_SUCCESS
        && begin_taking(&in, store, n) != PAULIMPI_SUCCESS) {
        rc = paulimpi__no_memory(carrier->function,
                                 (size_t)paulimpi__store_bytes_for(store, n));
    }
    rc = paulimpi__agree(carrier->ctx, rc);
    if (rc == PAULIMPI_SUCCESS) {
        copy_out(carrier);
        write_hash(store, in.function);
        find_ends(&in);
        rc = paulimpi__carry(carrier, take_block, &in);
    }
    end_taking(&in);
    return rc;
}
