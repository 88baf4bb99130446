/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checked allocation, with a hook that makes one allocation fail.
 */
#include "base/base.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = PAULIMPI__PAGE };

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

/* Terms are reached in no order: with small pages most of them would miss the
 * processor's list of pages. A refusal does no harm. */
static void
ask_for_large_pages(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    (void)madvise(memory, bytes, MADV_HUGEPAGE);
#else
    (void)memory;
    (void)bytes;
#endif
}

void *
paulimpi__alloc_aligned(size_t alignment, size_t count, size_t size)
{
    void *memory = NULL;
    size_t bytes;

    if (!may_allocate(count, size, &bytes)) {
        return NULL;
    }
    if (bytes >= PAGE && alignment < PAGE) {
        alignment = PAGE;
    }
    if (posix_memalign(&memory, alignment, bytes) != 0) {
        return NULL;
    }
    if (bytes >= PAGE) {
        ask_for_large_pages(memory, bytes);
    }
    return memory;
}

void *
paulimpi__pages_alloc(size_t n)
{
    size_t bytes, before;
    char *memory;

    if (n >= PTRDIFF_MAX / PAGE - 1 || !may_allocate(n, PAGE, &bytes)) {
        return NULL;
    }
    /* One more, so that there are n from the first address that is a multiple
     * of a large page; what is left over is given back. */
    memory = mmap(NULL, bytes + PAGE, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return NULL;
    }
    before = (size_t)(-(uintptr_t)memory % PAGE);
    if (before > 0) {
        munmap(memory, before);
    }
    memory += before;
    munmap(memory + bytes, PAGE - before);
    ask_for_large_pages(memory, bytes);
    return memory;
}

void
paulimpi__pages_free(void *memory, size_t n)
{
    munmap(memory, n * PAGE);
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
