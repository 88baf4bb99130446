/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checked allocation, with a hook that makes one allocation fail.
 */
#include "base/base.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 1 << 21, LEAST_HUGE = HUGE_PAGE };

/* How many allocations are left until the one that fails; 0 or less: none
 * fails. */
static atomic_int_fast64_t countdown;

void
paulimpi__alloc_fail_at(int64_t n)
{
    atomic_store(&countdown, n);
}

static int
fails_now(void)
{
    /* The load keeps the ordinary case free of writes to a shared line. */
    return atomic_load_explicit(&countdown, memory_order_relaxed) > 0
           && atomic_fetch_sub(&countdown, 1) == 1;
}

/* Set *bytes_p to count * size, at least 1 so that NULL always means failure;
 * return 0 if the product overflows, is more than any object can have, or the
 * hook strikes. */
static int
may_allocate(size_t count, size_t size, size_t *bytes_p)
{
    if (size != 0 && count > PTRDIFF_MAX / size) {
        return 0;
    }
    *bytes_p = count * size == 0 ? 1 : count * size;
    return !fails_now();
}

void *
paulimpi__alloc(size_t count, size_t size)
{
    size_t bytes;

    return may_allocate(count, size, &bytes) ? malloc(bytes) : NULL;
}

void *
paulimpi__alloc_zero(size_t count, size_t size)
{
    size_t bytes;

    return may_allocate(count, size, &bytes) ? calloc(1, bytes) : NULL;
}

void *
paulimpi__alloc_aligned(size_t alignment, size_t count, size_t size)
{
    void *memory = NULL;
    size_t bytes;

    if (!may_allocate(count, size, &bytes)) {
        return NULL;
    }
    if (bytes >= LEAST_HUGE && alignment < HUGE_PAGE) {
        alignment = HUGE_PAGE;
    }
    if (posix_memalign(&memory, alignment, bytes) != 0) {
        return NULL;
    }
#ifdef MADV_HUGEPAGE
    if (bytes >= LEAST_HUGE) {
        /* Terms are reached in no order: with small pages most of them would
         * miss the processor's list of pages. A refusal does no harm. */
        (void)madvise(memory, bytes, MADV_HUGEPAGE);
    }
#endif
    return memory;
}

void *
paulimpi__realloc(void *old, size_t count, size_t size)
{
    size_t bytes;

    return may_allocate(count, size, &bytes) ? realloc(old, bytes) : NULL;
}

char *
paulimpi__strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = paulimpi__alloc(bytes, 1);

    return copy == NULL ? NULL : memcpy(copy, text, bytes);
}

void
paulimpi__free(void *memory)
{
    free(memory);
}
