/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The ranges of addresses at which memory of other processes lies here. It is
 * memory of a device like any other, except that MPI must not have it, and
 * CUDA cannot tell it from the rest: so it is kept in a list.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>

#include "device/ipc.h"
#include "device/ranges.h"

typedef struct {
    paulimpi__origin origin;
    int64_t openings;    /* not closed yet */
    int is_remembered;   /* the program told of it */
    atomic_size_t holds; /* by exchanges that are under way */
} import;

static paulimpi__ranges imports;
/* What was opened in the process that owns it: it lies where it lay. */
static paulimpi__ranges own;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
/* The length of the first list, so that a process without imports, which is
 * most of them, never takes the lock. */
static atomic_size_t n_imports;

/* The import that an address lies in, or NULL, with the lock taken. */
static import *
find(const void *pointer)
{
    const paulimpi__range *range = paulimpi__ranges_find(&imports, pointer);

    return range == NULL ? NULL : range->what;
}

int
paulimpi__import_describe(const void *pointer, paulimpi_memory *memory)
{
    const paulimpi__range *range;

    if (atomic_load(&n_imports) == 0) {
        return 0;
    }
    pthread_rwlock_rdlock(&lock);
    range = paulimpi__ranges_find(&imports, pointer);
    if (range != NULL) {
        memory->kind = PAULIMPI_MEMORY_IMPORTED;
        memory->base = (void *)range->base;
        memory->bytes = range->bytes;
    }
    pthread_rwlock_unlock(&lock);
    return range != NULL;
}

void
paulimpi__import_hold(const void *pointer)
{
    import *it;

    if (atomic_load(&n_imports) == 0) {
        return;
    }
    pthread_rwlock_rdlock(&lock);
    it = find(pointer);
    if (it != NULL) {
        atomic_fetch_add(&it->holds, 1);
    }
    pthread_rwlock_unlock(&lock);
}

void
paulimpi__import_release(const void *pointer)
{
    import *it;
    size_t holds;

    if (atomic_load(&n_imports) == 0) {
        return;
    }
    pthread_rwlock_rdlock(&lock);
    it = find(pointer);
    /* A range that was forgotten and told of again has no holds of before. */
    holds = it == NULL ? 0 : atomic_load(&it->holds);
    while (holds > 0
           && !atomic_compare_exchange_weak(&it->holds, &holds, holds - 1)) {
        continue;
    }
    pthread_rwlock_unlock(&lock);
}

/* Enter a range into a list; there is room. NULL if there is no memory. */
static import *
enter(paulimpi__ranges *list, const void *base, size_t bytes)
{
    paulimpi__range range = { (uintptr_t)base, bytes, PAULIMPI_MEMORY_IMPORTED,
                              NULL };
    import *it;

    if (!paulimpi__ranges_reserve(list)) {
        return NULL;
    }
    it = paulimpi__alloc_zero(1, sizeof *it);
    if (it != NULL) {
        range.what = it;
        paulimpi__ranges_insert(list, range);
        atomic_store(&n_imports, imports.n);
    }
    return it;
}

/* Take a range off its list if nobody wants it any more. */
static void
leave(paulimpi__ranges *list, paulimpi__range *range)
{
    import *it = range->what;

    if (it->openings == 0 && !it->is_remembered) {
        paulimpi__free(it);
        paulimpi__ranges_remove(list, range);
        atomic_store(&n_imports, imports.n);
    }
}

static int
same_origin(const paulimpi__origin *a, const paulimpi__origin *b)
{
    return a->process.number == b->process.number
           && a->process.tag == b->process.tag && a->base == b->base
           && a->number == b->number;
}

/* The range of an allocation that is open already, or NULL. */
static paulimpi__range *
find_origin(const paulimpi__origin *origin)
{
    size_t i;

    for (i = 0; i < imports.n; i++) {
        const import *it = imports.range[i].what;

        if (it->openings > 0 && same_origin(&it->origin, origin)) {
            return &imports.range[i];
        }
    }
    return NULL;
}

/* Whether the allocation that this process exported is still there. */
static int
check_own(const char *function, const paulimpi__ipc_content *content)
{
    void *base = (void *)(uintptr_t)content->origin.base;
    paulimpi_memory now = PAULIMPI_MEMORY_INIT;
    int rc = paulimpi__device()->query(function, base, &now);

    if (rc == PAULIMPI_SUCCESS
        && (now.kind != PAULIMPI_MEMORY_DEVICE || now.base != base
            || now.number != content->origin.number)) {
        rc = paulimpi__error(PAULIMPI_ERR_STATE,
                             "%s: this process has freed the memory that it "
                             "exported",
                             function);
    }
    return rc;
}

/* Open in the process that exported it. */
static int
open_own(const char *function, const paulimpi__ipc_content *content,
         void **base_p)
{
    void *base = (void *)(uintptr_t)content->origin.base;
    paulimpi__range *range;
    import *it;
    int rc = check_own(function, content);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    /* What was freed without being closed is forgotten here. */
    while ((range = paulimpi__ranges_overlap(&own, base, content->bytes))
           != NULL) {
        it = range->what;
        if (same_origin(&it->origin, &content->origin)) {
            break;
        }
        it->openings = 0;
        leave(&own, range);
    }
    it = range != NULL ? range->what : enter(&own, base, content->bytes);
    if (it == NULL) {
        return paulimpi__no_memory(function, sizeof *it);
    }
    it->origin = content->origin;
    it->openings++;
    *base_p = base;
    return PAULIMPI_SUCCESS;
}

/* Enter what was opened. The program may have opened the same memory itself,
 * which gives the same address, and told of it. */
static int
enter_opened(const char *function, const paulimpi__ipc_content *content,
             void *base)
{
    paulimpi__range *range =
        paulimpi__ranges_overlap(&imports, base, content->bytes);
    import *it;

    if (range != NULL && range->base != (uintptr_t)base) {
        return paulimpi__error(PAULIMPI_ERR_STATE,
                               "%s: the memory lies at %p, in the range of "
                               "%zu bytes at %p that paulimpi_ipc_remember() "
                               "was told of",
                               function, base, range->bytes,
                               (void *)range->base);
    }
    if (range != NULL) {
        it = range->what;
        range->bytes = content->bytes;
    } else {
        it = enter(&imports, base, content->bytes);
    }
    if (it == NULL) {
        return paulimpi__no_memory(function, sizeof *it);
    }
    it->origin = content->origin;
    it->openings = 1;
    return PAULIMPI_SUCCESS;
}

/* Open memory of another process, with the lock taken. */
static int
open_foreign(const char *function, const paulimpi__ipc_content *content,
             void **base_p)
{
    paulimpi__range *range = find_origin(&content->origin);
    void *base;
    int rc;

    if (range != NULL) {
        ((import *)range->what)->openings++;
        *base_p = (void *)range->base;
        return PAULIMPI_SUCCESS;
    }
    rc = paulimpi__device()->ipc_open(function, &content->key, &content->uuid,
                                      &base);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = enter_opened(function, content, base);
    if (rc != PAULIMPI_SUCCESS) {
        (void)paulimpi__device()->ipc_close(NULL, base);
        return rc;
    }
    *base_p = base;
    return PAULIMPI_SUCCESS;
}

int
paulimpi_ipc_open(const paulimpi_ipc_handle *handle, void **pointer_p)
{
    static const char function[] = "paulimpi_ipc_open";
    paulimpi__process self = paulimpi__process_self();
    paulimpi__ipc_content content;
    void *base = NULL;
    int rc;

    if (handle == NULL || pointer_p == NULL) {
        return paulimpi__null(function,
                              handle == NULL ? "handle" : "pointer_p");
    }
    *pointer_p = NULL;
    rc = paulimpi__ipc_decode(function, handle, &content);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    pthread_rwlock_wrlock(&lock);
    if (content.origin.process.number == self.number
        && content.origin.process.tag == self.tag) {
        rc = open_own(function, &content, &base);
    } else {
        rc = open_foreign(function, &content, &base);
    }
    pthread_rwlock_unlock(&lock);
    if (rc == PAULIMPI_SUCCESS) {
        *pointer_p = (char *)base + content.offset;
    }
    return rc;
}

/* Close one opening of a range, with the lock taken. */
static int
close_foreign(const char *function, paulimpi__range *range)
{
    import *it = range->what;
    int rc = PAULIMPI_SUCCESS;

    if (it->openings == 1 && atomic_load(&it->holds) > 0) {
        return paulimpi__error(PAULIMPI_ERR_STATE,
                               "%s: the memory at %p is in use by an exchange "
                               "that is under way, or by a plan; wait for the "
                               "one and destroy the other first",
                               function, (void *)range->base);
    }
    it->openings--;
    if (it->openings == 0) {
        rc = paulimpi__device()->ipc_close(function, (void *)range->base);
        leave(&imports, range);
    }
    return rc;
}

static int
close_pointer(const char *function, const void *pointer)
{
    paulimpi__range *range = paulimpi__ranges_find(&imports, pointer);

    if (range != NULL && ((import *)range->what)->openings > 0) {
        return close_foreign(function, range);
    }
    range = paulimpi__ranges_find(&own, pointer);
    if (range != NULL) {
        ((import *)range->what)->openings--;
        leave(&own, range);
        return PAULIMPI_SUCCESS;
    }
    return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                           "%s: %p lies in no memory that "
                           "paulimpi_ipc_open() opened, or it is closed "
                           "already",
                           function, pointer);
}

int
paulimpi_ipc_close(void **pointer_p)
{
    static const char function[] = "paulimpi_ipc_close";
    int rc;

    if (pointer_p == NULL) {
        return paulimpi__null(function, "pointer_p");
    }
    if (*pointer_p == NULL) {
        return PAULIMPI_SUCCESS;
    }
    pthread_rwlock_wrlock(&lock);
    rc = close_pointer(function, *pointer_p);
    pthread_rwlock_unlock(&lock);
    if (rc == PAULIMPI_SUCCESS || rc == PAULIMPI_ERR_DEVICE) {
        *pointer_p = NULL;
    }
    return rc;
}

/* Remember a range, with the lock taken. */
static int
remember(const char *function, const void *base, size_t bytes)
{
    paulimpi__range *range = paulimpi__ranges_overlap(&imports, base, bytes);
    import *it;

    if (range == NULL) {
        it = enter(&imports, base, bytes);
        if (it == NULL) {
            return paulimpi__no_memory(function, sizeof *it);
        }
        it->is_remembered = 1;
        return PAULIMPI_SUCCESS;
    }
    it = range->what;
    if (it->is_remembered || range->base != (uintptr_t)base) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: the %zu bytes at %p overlap the %zu bytes "
                               "at %p, which are known already",
                               function, bytes, base, range->bytes,
                               (void *)range->base);
    }
    it->is_remembered = 1;
    return PAULIMPI_SUCCESS;
}

int
paulimpi_ipc_remember(const void *base, size_t bytes)
{
    static const char function[] = "paulimpi_ipc_remember";
    int rc;

    if (base == NULL) {
        return paulimpi__null(function, "base");
    }
    if (bytes == 0 || bytes - 1 > UINTPTR_MAX - (uintptr_t)base) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: there are no %zu bytes at %p", function,
                               bytes, base);
    }
    pthread_rwlock_wrlock(&lock);
    rc = remember(function, base, bytes);
    pthread_rwlock_unlock(&lock);
    return rc;
}

int
paulimpi_ipc_forget(const void *base)
{
    static const char function[] = "paulimpi_ipc_forget";
    paulimpi__range *range;
    int is_known;

    pthread_rwlock_wrlock(&lock);
    range = paulimpi__ranges_find(&imports, base);
    is_known = range != NULL && range->base == (uintptr_t)base
               && ((import *)range->what)->is_remembered;
    if (is_known) {
        ((import *)range->what)->is_remembered = 0;
        leave(&imports, range);
    }
    pthread_rwlock_unlock(&lock);
    if (!is_known) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: %p is the base of no range that "
                               "paulimpi_ipc_remember() was told of",
                               function, base);
    }
    return PAULIMPI_SUCCESS;
}
