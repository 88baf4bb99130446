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

static int64_t limit = FIRST_LIMIT;
static int limit_rc;
static pthread_once_t limit_once = PTHREAD_ONCE_INIT;

static void
read_limit(void)
{
    limit_rc =
        paulimpi__env_int64("PAULIMPI_STAGING_MAX", 0, PTRDIFF_MAX, &limit);
}

size_t
paulimpi__staging_limit(void)
{
    pthread_once(&limit_once, read_limit);
    return (size_t)limit;
}

size_t
paulimpi__staging_bytes(void)
{
    size_t bytes;

    pthread_mutex_lock(&pool.lock);
    bytes = pool.bytes;
    pthread_mutex_unlock(&pool.lock);
    return bytes;
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
trim(void)
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
        trim();
    }
    if (bytes <= (size_t)limit && pool.bytes <= (size_t)limit - bytes) {
        return 1;
    }
    (void)paulimpi__error(PAULIMPI_ERR_MEMORY,
                          "%s: a block of %zu bytes besides %zu bytes in use "
                          "is more than the limit of %" PRId64 " bytes, which "
                          "the environment variable PAULIMPI_STAGING_MAX can "
                          "change",
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
    block *it;

    pthread_once(&limit_once, read_limit);
    if (limit_rc != PAULIMPI_SUCCESS) {
        /* Once more, for the sentence. */
        (void)paulimpi__env_int64("PAULIMPI_STAGING_MAX", 0, PTRDIFF_MAX,
                                  &limit);
        return NULL;
    }
    while (class < CLASSES - 1 && class_bytes(class) < bytes) {
        class ++;
    }
    pthread_mutex_lock(&pool.lock);
    it = take(class, device);
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

void
paulimpi__staging_trim(void)
{
    pthread_mutex_lock(&pool.lock);
    trim();
    pthread_mutex_unlock(&pool.lock);
}
