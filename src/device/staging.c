/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that copies pass through. To page-lock memory, or to allocate a
 * device's, takes longer than most copies, so blocks are kept; their sizes are
 * powers of two so that one serves for many.
 */
#include <inttypes.h>
#include <pthread.h>

#include "device/ranges.h"
#include "device/table.h"

enum { SMALLEST = 4096, CLASSES = 48 };
#define FIRST_LIMIT ((int64_t)512 << 20)

static const char function[] = "staging memory";

/* A block, which is on the list of its class while nobody uses it. */
typedef struct block {
    struct block *next;
    void *memory;
    int class;
    int kind;   /* ordinary memory where none can be page-locked */
    int device; /* whose memory it is, -1 for the host's */
} block;

static struct {
    pthread_mutex_t lock;
    block *idle[CLASSES];
    paulimpi__ranges blocks; /* all of them, to find one by its address */
    size_t bytes;            /* of all blocks */
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int64_t limit = FIRST_LIMIT; /* with the lock, once it is read */
static int limit_rc;                /* of a variable that cannot be */
static pthread_once_t limit_once = PTHREAD_ONCE_INIT;

static int
read_variable(void)
{
    return paulimpi__env_int64("PAULIMPI_STAGING_MAX", 0, PTRDIFF_MAX, &limit);
}

static void
read_limit(void)
{
    limit_rc = read_variable();
}

static size_t
class_bytes(int class)
{
    return (size_t)SMALLEST << class;
}

static void
free_block(block *it)
{
    paulimpi__ranges_remove(&pool.blocks,
                            paulimpi__ranges_find(&pool.blocks, it->memory));
    pool.bytes -= class_bytes(it->class);
    if (it->kind == PAULIMPI_MEMORY_HOST) {
        paulimpi__free(it->memory);
    } else {
        paulimpi__device()->destroy(it->kind, it->memory);
    }
    paulimpi__free(it);
}

/* Free all idle blocks, with the lock taken. */
static void
free_idle(void)
{
    int class;

    for (class = 0; class < CLASSES; class ++) {
        while (pool.idle[class] != NULL) {
            block *it = pool.idle[class];

            pool.idle[class] = it->next;
            free_block(it);
        }
    }
}

/* A new block, entered, with the lock taken; NULL and a sentence if there is
 * no memory. */
static block *
create(int class, int device)
{
    size_t bytes = class_bytes(class);
    paulimpi__range range = { 0, bytes, 0, NULL };
    block *it = paulimpi__alloc_zero(1, sizeof *it);

    if (it == NULL || !paulimpi__ranges_reserve(&pool.blocks)) {
        (void)paulimpi__no_memory(function, sizeof *it);
        paulimpi__free(it);
        return NULL;
    }
    it->class = class;
    it->device = device;
    it->kind = device < 0 ? PAULIMPI_MEMORY_PINNED : PAULIMPI_MEMORY_DEVICE;
    if (paulimpi__device()->create(function, &it->kind, bytes, &it->memory)
        != PAULIMPI_SUCCESS) {
        paulimpi__free(it);
        return NULL;
    }
    range.base = (uintptr_t)it->memory;
    range.what = it;
    paulimpi__ranges_insert(&pool.blocks, range);
    pool.bytes += bytes;
    return it;
}

/* Whether a block more of a class is allowed; idle ones make room. */
static int
is_allowed(int class)
{
    size_t bytes = class_bytes(class);

    if (bytes <= (size_t)limit && pool.bytes > (size_t)limit - bytes) {
        free_idle();
    }
    if (bytes <= (size_t)limit && pool.bytes <= (size_t)limit - bytes) {
        return 1;
    }
    (void)paulimpi__error(PAULIMPI_ERR_MEMORY,
                          "%s: a block of %zu bytes besides %zu bytes in use "
                          "is more than the limit of %" PRId64 " bytes, which "
                          "the environment variable PAULIMPI_STAGING_MAX, or "
                          "paulimpi_staging_set_limit(), can change",
                          function, bytes, pool.bytes, limit);
    return 0;
}

static block *
take(int class, int device)
{
    block **link = &pool.idle[class];
    block *it;

    while (*link != NULL && (*link)->device != device) {
        link = &(*link)->next;
    }
    it = *link;
    if (it != NULL) {
        *link = it->next;
        return it;
    }
    return is_allowed(class) ? create(class, device) : NULL;
}

static void *
take_bytes(size_t bytes, int device)
{
    int class = 0;
    block *it = NULL;

    while (class < CLASSES - 1 && class_bytes(class) < bytes) {
        class ++;
    }
    pthread_once(&limit_once, read_limit);
    pthread_mutex_lock(&pool.lock);
    if (limit_rc != PAULIMPI_SUCCESS) {
        (void)read_variable(); /* once more, for the sentence */
    } else {
        it = take(class, device);
    }
    pthread_mutex_unlock(&pool.lock);
    return it == NULL ? NULL : it->memory;
}

void *
paulimpi__staging_take(size_t bytes)
{
    return take_bytes(bytes, -1);
}

void *
paulimpi__staging_take_on_device(size_t bytes)
{
    return take_bytes(bytes, paulimpi_device_current());
}

void
paulimpi__staging_give(void *memory)
{
    paulimpi__range *range;

    if (memory == NULL) {
        return;
    }
    pthread_mutex_lock(&pool.lock);
    range = paulimpi__ranges_find(&pool.blocks, memory);
    if (range != NULL) {
        block *it = range->what;

        it->next = pool.idle[it->class];
        pool.idle[it->class] = it;
    }
    pthread_mutex_unlock(&pool.lock);
}

int
paulimpi_staging_memory(int64_t *bytes_p, int64_t *limit_p)
{
    int rc;

    pthread_once(&limit_once, read_limit);
    pthread_mutex_lock(&pool.lock);
    rc = limit_rc != PAULIMPI_SUCCESS ? read_variable() : PAULIMPI_SUCCESS;
    if (rc == PAULIMPI_SUCCESS && bytes_p != NULL) {
        *bytes_p = (int64_t)pool.bytes;
    }
    if (rc == PAULIMPI_SUCCESS && limit_p != NULL) {
        *limit_p = limit;
    }
    pthread_mutex_unlock(&pool.lock);
    return rc;
}

int
paulimpi_staging_set_limit(int64_t bytes)
{
    if (bytes < 0) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "paulimpi_staging_set_limit: bytes is %" PRId64
                               ", but must be at least 0",
                               bytes);
    }
    pthread_once(&limit_once, read_limit);
    pthread_mutex_lock(&pool.lock);
    limit = bytes < PTRDIFF_MAX ? bytes : PTRDIFF_MAX;
    limit_rc = PAULIMPI_SUCCESS;
    if (pool.bytes > (size_t)limit) {
        free_idle();
    }
    pthread_mutex_unlock(&pool.lock);
    return PAULIMPI_SUCCESS;
}

int64_t
paulimpi_staging_trim(void)
{
    size_t before, after;

    pthread_mutex_lock(&pool.lock);
    before = pool.bytes;
    free_idle();
    after = pool.bytes;
    pthread_mutex_unlock(&pool.lock);
    return (int64_t)(before - after);
}
