/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pool of blocks of a store.
 */
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "pauli/pauli.h"

enum {
    ALIGNMENT = 64,
    PURSE_BLOCKS = 16, /* kept by a thread for its next needs */
    LEAST_SLAB = 2     /* blocks; a sum of one term should stay small */
};

/* Memory for many blocks, of which the last n_fresh have not been given to a
 * stock yet. Blocks never used have not been touched, so that they cost address
 * space only. */
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

/* The stock of the calling thread. */
static paulimpi__stock *
own_stock(paulimpi__pool *pool)
{
#ifdef _OPENMP
    return &pool->stock[omp_get_thread_num() % PAULIMPI__STOCKS];
#else
    return &pool->stock[0];
#endif
}

/* Give an empty stock the blocks that begin in the next page of the oldest slab
 * that has some. Slabs are few, since each is larger than the ones before. */
static void
extend_stock(paulimpi__pool *pool, paulimpi__stock *stock)
{
    paulimpi__slab *oldest = NULL;
    paulimpi__slab *slab;
    size_t bytes;

    for (slab = pool->slabs; slab != NULL; slab = slab->next) {
        oldest = slab->n_fresh > 0 ? slab : oldest;
    }
    if (oldest == NULL) {
        return;
    }
    bytes = PAULIMPI__PAGE - (uintptr_t)oldest->fresh % PAULIMPI__PAGE;
    stock->is_zero = oldest->n_pages > 0;
    stock->fresh = oldest->fresh;
    stock->n = (int64_t)((bytes - 1) / pool->block_bytes + 1);
    stock->n = stock->n < oldest->n_fresh ? stock->n : oldest->n_fresh;
    oldest->fresh += (size_t)stock->n * pool->block_bytes;
    oldest->n_fresh -= stock->n;
}

/* A stock that has a block never used: the thread's own, if possible. */
static paulimpi__stock *
find_stock(paulimpi__pool *pool)
{
    paulimpi__stock *stock = own_stock(pool);
    int i;

    if (stock->n == 0) {
        extend_stock(pool, stock);
    }
    for (i = 0; i < PAULIMPI__STOCKS && stock->n == 0; i++) {
        stock = &pool->stock[i];
    }
    return stock;
}

/* A block never used, or NULL. */
static paulimpi__block *
take_fresh(paulimpi__pool *pool)
{
    paulimpi__stock *stock;
    paulimpi__block *block;

    if (pool->n_fresh == 0) {
        return NULL;
    }
    stock = find_stock(pool);
    block = (void *)stock->fresh;
    stock->fresh += pool->block_bytes;
    stock->n--;
    pool->n_fresh--;
    /* Vector code reads whole columns, also of terms that are not there. */
    if (!stock->is_zero) {
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

/* One block for a store that takes at most most_bytes; the pool may grow. */
static paulimpi__block *
take_within(paulimpi__store *store, int64_t most_bytes)
{
    paulimpi__pool *pool = &store->pool;
    int64_t bucket_bytes =
        paulimpi__store_buckets(store) * (int64_t)sizeof *store->buckets;
    int64_t most_blocks =
        (most_bytes - bucket_bytes) / (int64_t)pool->block_bytes;
    paulimpi__block *block;

    if (pool->n_used >= most_blocks) {
        return NULL;
    }
    block = take_one(pool);
    if (block == NULL
        && add_slab(pool, PURSE_BLOCKS + pool->n_used / 2)
               == PAULIMPI_SUCCESS) {
        block = take_one(pool);
    }
    return block;
}

int
paulimpi__purse_fill(paulimpi__store *store, paulimpi__purse *purse, int64_t n,
                     int64_t most_bytes)
{
    while (purse->n_free < n) {
        paulimpi__block *block;

#ifdef _OPENMP
#pragma omp critical(paulimpi_pool)
#endif
        block = take_within(store, most_bytes);
        if (block == NULL) {
            return 0;
        }
        /* Without the lock, since this may be the first touch of a page. */
        block->next = purse->free;
        purse->free = block;
        purse->n_free++;
    }
    return 1;
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
