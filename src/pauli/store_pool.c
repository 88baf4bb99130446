/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pool of blocks of a store.
 */
#include <string.h>

#include "pauli/pauli.h"

enum {
    ALIGNMENT = 64,
    PURSE_BLOCKS = 16, /* kept by a thread for its next needs */
    LEAST_SLAB = 2     /* blocks; a sum of one term should stay small */
};

/* Memory for many blocks, of which the last n_fresh have never been used nor
 * touched, so that they cost address space only. */
struct paulimpi__slab {
    paulimpi__slab *next;
    void *memory;
    size_t n_pages; /* 0: allocated like anything else, and not all 0 */
    char *fresh;
    int64_t n_fresh;
};

/* Whole pages for n_blocks blocks or some more, whose number is put there. */
static void
alloc_pages(const paulimpi__pool *pool, paulimpi__slab *slab,
            int64_t *n_blocks)
{
    size_t block_bytes = pool->block_bytes;

    if ((size_t)*n_blocks >= PTRDIFF_MAX / block_bytes) {
        return;
    }
    slab->n_pages = ((size_t)*n_blocks * block_bytes - 1) / PAULIMPI__PAGE + 1;
    slab->memory = paulimpi__pages_alloc(slab->n_pages);
    *n_blocks = (int64_t)(slab->n_pages * PAULIMPI__PAGE / block_bytes);
}

static int
add_slab(paulimpi__pool *pool, int64_t n_blocks)
{
    paulimpi__slab *slab = paulimpi__alloc_zero(1, sizeof *slab);

    if (slab == NULL) {
        return PAULIMPI_ERR_MEMORY;
    }
    if ((size_t)n_blocks > PAULIMPI__PAGE / pool->block_bytes) {
        alloc_pages(pool, slab, &n_blocks);
    } else {
        slab->memory = paulimpi__alloc_aligned(ALIGNMENT, (size_t)n_blocks,
                                               pool->block_bytes);
    }
    if (slab->memory == NULL) {
        paulimpi__free(slab);
        return PAULIMPI_ERR_MEMORY;
    }
    slab->next = pool->slabs;
    slab->fresh = slab->memory;
    slab->n_fresh = n_blocks;
    pool->slabs = slab;
    pool->n_fresh += n_blocks;
    return PAULIMPI_SUCCESS;
}

/* A block never used, or NULL. The oldest slab is used up first. Slabs are few,
 * since each is larger than the ones before. */
static paulimpi__block *
take_fresh(paulimpi__pool *pool)
{
    paulimpi__slab *oldest = NULL;
    paulimpi__slab *slab;
    paulimpi__block *block;

    for (slab = pool->slabs; slab != NULL; slab = slab->next) {
        oldest = slab->n_fresh > 0 ? slab : oldest;
    }
    if (oldest == NULL) {
        return NULL;
    }
    block = (void *)oldest->fresh;
    oldest->fresh += pool->block_bytes;
    oldest->n_fresh--;
    pool->n_fresh--;
    /* Vector code reads whole columns, also of terms that are not there. */
    if (oldest->n_pages == 0) {
        memset(block, 0, pool->block_bytes);
    }
    return block;
}

void
paulimpi__pool_free(paulimpi__pool *pool)
{
    while (pool->slabs != NULL) {
        paulimpi__slab *slab = pool->slabs;

        pool->slabs = slab->next;
        if (slab->n_pages > 0) {
            paulimpi__pages_free(slab->memory, slab->n_pages);
        } else {
            paulimpi__free(slab->memory);
        }
        paulimpi__free(slab);
    }
}

/* Blocks for n terms: buckets may each have one that is not full. */
static int64_t
blocks_for(const paulimpi__store *store, int64_t n)
{
    int64_t n_buckets = paulimpi__store_buckets(store);

    return n / PAULIMPI__BLOCK_TERMS + (n < n_buckets ? n : n_buckets);
}

int64_t
paulimpi__store_bytes_for(const paulimpi__store *store, int64_t n)
{
    return blocks_for(store, n) * (int64_t)store->pool.block_bytes;
}

int64_t
paulimpi__store_bytes(const paulimpi__store *store)
{
    return store->pool.n_used * (int64_t)store->pool.block_bytes
           + paulimpi__store_buckets(store) * (int64_t)sizeof *store->buckets;
}

int64_t
paulimpi__store_peak_bytes(const paulimpi__store *store)
{
    return store->pool.most_used * (int64_t)store->pool.block_bytes
           + paulimpi__store_buckets(store) * (int64_t)sizeof *store->buckets;
}

void
paulimpi__store_forget_peak(paulimpi__store *store)
{
    store->pool.most_used = store->pool.n_used;
}

int
paulimpi__store_reserve(paulimpi__store *store, int64_t n)
{
    paulimpi__pool *pool = &store->pool;
    int64_t missing = blocks_for(store, n) - pool->n_free - pool->n_fresh;
    int64_t ample = missing + pool->n_used / 4;

    if (missing <= 0) {
        return PAULIMPI_SUCCESS;
    }
    if (ample > LEAST_SLAB && add_slab(pool, ample) == PAULIMPI_SUCCESS) {
        return PAULIMPI_SUCCESS;
    }
    return add_slab(pool, missing > LEAST_SLAB ? missing : LEAST_SLAB);
}

/* One block out of the pool, used ones first, or NULL. */
static paulimpi__block *
take_one(paulimpi__pool *pool)
{
    paulimpi__block *block = pool->free;

    if (block != NULL) {
        pool->free = block->next;
        pool->n_free--;
    } else {
        block = take_fresh(pool);
    }
    if (block != NULL) {
        pool->n_used++;
        if (pool->n_used > pool->most_used) {
            pool->most_used = pool->n_used;
        }
    }
    return block;
}

paulimpi__block *
paulimpi__block_take(paulimpi__store *store, paulimpi__purse *purse)
{
    paulimpi__block *block;

    if (purse->free != NULL) {
        block = purse->free;
        purse->free = block->next;
        purse->n_free--;
    } else {
#ifdef _OPENMP
#pragma omp critical(paulimpi_pool)
#endif
        block = take_one(&store->pool);
    }
    if (block != NULL) {
        block->next = NULL;
    }
    return block;
}

static void
fill(paulimpi__store *store, paulimpi__purse *purse, int64_t n,
     int64_t most_bytes)
{
    paulimpi__pool *pool = &store->pool;
    int64_t bucket_bytes =
        paulimpi__store_buckets(store) * (int64_t)sizeof *store->buckets;
    int64_t most_blocks =
        (most_bytes - bucket_bytes) / (int64_t)pool->block_bytes;

    while (purse->n_free < n && pool->n_used < most_blocks) {
        paulimpi__block *block = take_one(pool);

        if (block == NULL) {
            if (add_slab(pool, PURSE_BLOCKS + pool->n_used / 2)
                != PAULIMPI_SUCCESS) {
                return;
            }
            continue;
        }
        block->next = purse->free;
        purse->free = block;
        purse->n_free++;
    }
}

int
paulimpi__purse_fill(paulimpi__store *store, paulimpi__purse *purse, int64_t n,
                     int64_t most_bytes)
{
    if (purse->n_free < n) {
#ifdef _OPENMP
#pragma omp critical(paulimpi_pool)
#endif
        fill(store, purse, n, most_bytes);
    }
    return purse->n_free >= n;
}

static void
give_back(paulimpi__store *store, paulimpi__purse *purse, int64_t n_kept)
{
    while (purse->n_free > n_kept) {
        paulimpi__block *block = purse->free;

        purse->free = block->next;
        purse->n_free--;
        block->next = store->pool.free;
        store->pool.free = block;
        store->pool.n_free++;
        store->pool.n_used--;
    }
}

void
paulimpi__purse_empty(paulimpi__store *store, paulimpi__purse *purse)
{
    if (purse->n_free > 0) {
#ifdef _OPENMP
#pragma omp critical(paulimpi_pool)
#endif
        give_back(store, purse, 0);
    }
}

void
paulimpi__block_give(paulimpi__store *store, paulimpi__purse *purse,
                     paulimpi__block *block)
{
    block->next = purse->free;
    purse->free = block;
    purse->n_free++;
    if (purse->n_free > 2 * PURSE_BLOCKS) {
#ifdef _OPENMP
#pragma omp critical(paulimpi_pool)
#endif
        give_back(store, purse, PURSE_BLOCKS);
    }
}
