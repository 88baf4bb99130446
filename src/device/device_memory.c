/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of all kinds: what it is, its allocation, copies.
 */
#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "device/ranges.h"
#include "device/table.h"

/* What paulimpi_memory_create() gave and was not given back. */
static paulimpi__ranges created;
static pthread_mutex_t created_lock = PTHREAD_MUTEX_INITIALIZER;

const char *
paulimpi__memory_name(int kind)
{
    static const char *const name[PAULIMPI_MEMORY_KINDS] = {
        "host", "pinned", "managed", "device", "pool", "virtual", "imported"
    };

    return kind >= 0 && kind < PAULIMPI_MEMORY_KINDS ? name[kind] : "unknown";
}

static int
describe(const char *function, const void *pointer, paulimpi_memory *memory)
{
    const paulimpi_memory unknown = PAULIMPI_MEMORY_INIT;
    int rc;

    *memory = unknown;
    rc = paulimpi__device()->query(function, pointer, memory);
    if (rc == PAULIMPI_SUCCESS) {
        (void)paulimpi__import_describe(pointer, memory);
    }
    return rc;
}

int
paulimpi_memory_describe(const void *pointer, paulimpi_memory *memory)
{
    static const char function[] = "paulimpi_memory_describe";
    paulimpi_memory known;
    size_t size;
    int rc;

    if (memory == NULL) {
        return paulimpi__null(function, "memory");
    }
    size = memory->size;
    if (size == 0) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: the size of memory is 0: start from "
                               "PAULIMPI_MEMORY_INIT",
                               function);
    }
    rc = describe(function, pointer, &known);
    if (rc == PAULIMPI_SUCCESS) {
        memcpy(memory, &known, size < sizeof known ? size : sizeof known);
        memory->size = size;
    }
    return rc;
}

static int
check_kind(const char *function, int kind)
{
    switch (kind) {
    case PAULIMPI_MEMORY_HOST:
    case PAULIMPI_MEMORY_PINNED:
    case PAULIMPI_MEMORY_MANAGED:
    case PAULIMPI_MEMORY_DEVICE:
    case PAULIMPI_MEMORY_POOL:
        return PAULIMPI_SUCCESS;
    default:
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: kind is %d, but must be "
                               "PAULIMPI_MEMORY_HOST, PINNED, MANAGED, DEVICE "
                               "or POOL",
                               function, kind);
    }
}

/* Create memory and enter it, with the list locked. */
static int
create_and_enter(const char *function, int kind, size_t bytes, void **memory_p)
{
    int rc;

    if (!paulimpi__ranges_reserve(&created)) {
        return paulimpi__no_memory(function, sizeof *created.range);
    }
    rc = kind == PAULIMPI_MEMORY_HOST
             ? paulimpi__host_create(function, bytes, memory_p)
             : paulimpi__device()->create(function, &kind, bytes, memory_p);
    if (rc == PAULIMPI_SUCCESS) {
        paulimpi__range range = { (uintptr_t)*memory_p, bytes, kind, NULL };

        paulimpi__ranges_insert(&created, range);
    }
    return rc;
}

int
paulimpi_memory_create(int kind, size_t bytes, void **memory_p)
{
    static const char function[] = "paulimpi_memory_create";
    int rc;

    if (memory_p == NULL) {
        return paulimpi__null(function, "memory_p");
    }
    *memory_p = NULL;
    rc = check_kind(function, kind);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    pthread_mutex_lock(&created_lock);
    rc = create_and_enter(function, kind, bytes == 0 ? 1 : bytes, memory_p);
    pthread_mutex_unlock(&created_lock);
    return rc;
}

/* Take memory off the list: its kind, or -1 if it does not stand there. */
static int
leave(const void *memory)
{
    paulimpi__range *range;
    int kind = -1;

    pthread_mutex_lock(&created_lock);
    range = paulimpi__ranges_find(&created, memory);
    if (range != NULL && range->base == (uintptr_t)memory) {
        kind = range->kind;
        paulimpi__ranges_remove(&created, range);
    }
    pthread_mutex_unlock(&created_lock);
    return kind;
}

void
paulimpi_memory_destroy(void **memory_p)
{
    int kind;

    if (memory_p == NULL || *memory_p == NULL) {
        return;
    }
    kind = leave(*memory_p);
    if (kind == -1) {
        paulimpi__log(PAULIMPI__LOG_ERROR,
                      "paulimpi_memory_destroy: %p was not made by "
                      "paulimpi_memory_create(), or is freed already",
                      *memory_p);
    } else if (kind == PAULIMPI_MEMORY_HOST) {
        paulimpi__free(*memory_p);
    } else {
        paulimpi__device()->destroy(kind, *memory_p);
    }
    *memory_p = NULL;
}

/* Whether memory is the host's for a copy: -1, with the sentence, on
 * failure. */
static int
is_host(const char *function, const void *pointer)
{
    paulimpi_memory memory;

    if (describe(function, pointer, &memory) != PAULIMPI_SUCCESS) {
        return -1;
    }
    return memory.kind == PAULIMPI_MEMORY_HOST
           || memory.kind == PAULIMPI_MEMORY_PINNED;
}

/* 1 if both are the host's, 0 if one is not, or -1 on failure. */
static int
are_host(const char *function, const void *to, const void *from)
{
    int answer = paulimpi__n_devices() == 0 ? 1 : is_host(function, to);

    return answer != 1 || paulimpi__n_devices() == 0 ? answer
                                                     : is_host(function, from);
}

static int
check_copy(const char *function, const void *to, const void *from)
{
    if (to == NULL || from == NULL) {
        return paulimpi__null(function, to == NULL ? "to" : "from");
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi_memory_copy(void *to, const void *from, size_t bytes,
                     paulimpi_stream stream)
{
    static const char function[] = "paulimpi_memory_copy";
    uintptr_t a = (uintptr_t)to, b = (uintptr_t)from;
    int rc, host;

    if (bytes == 0) {
        return PAULIMPI_SUCCESS;
    }
    rc = check_copy(function, to, from);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if ((a > b ? a - b : b - a) < bytes) {
        return paulimpi__error(PAULIMPI_ERR_OVERLAP,
                               "%s: %zu bytes to %p and from %p overlap",
                               function, bytes, to, from);
    }
    host = are_host(function, to, from);
    if (host == 1) {
        memcpy(to, from, bytes);
        return PAULIMPI_SUCCESS;
    }
    return host < 0
               ? PAULIMPI_ERR_DEVICE
               : paulimpi__device()->copy(function, to, from, bytes, stream);
}

static int
check_pitch(const char *function, const char *name, size_t pitch, size_t width,
            size_t rows)
{
    if (pitch < width) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: %s is %zu, but must be at least the width "
                               "%zu",
                               function, name, pitch, width);
    }
    if (pitch > PTRDIFF_MAX / rows) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: %zu rows with %s %zu are more than can be "
                               "addressed",
                               function, rows, name, pitch);
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi_memory_copy_rows(void *to, size_t to_pitch, const void *from,
                          size_t from_pitch, size_t width, size_t rows,
                          paulimpi_stream stream)
{
    static const char function[] = "paulimpi_memory_copy_rows";
    int rc, host;

    if (width == 0 || rows == 0) {
        return PAULIMPI_SUCCESS;
    }
    rc = check_copy(function, to, from);
    if (rc == PAULIMPI_SUCCESS) {
        rc = check_pitch(function, "to_pitch", to_pitch, width, rows);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = check_pitch(function, "from_pitch", from_pitch, width, rows);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    host = are_host(function, to, from);
    if (host == 1) {
        paulimpi__host_copy_rows(to, to_pitch, from, from_pitch, width, rows);
        return PAULIMPI_SUCCESS;
    }
    return host < 0 ? PAULIMPI_ERR_DEVICE
                    : paulimpi__device()->copy_rows(function, to, to_pitch,
                                                    from, from_pitch, width,
                                                    rows, stream);
}
