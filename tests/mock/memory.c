/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mock runtime: allocations. A device's memory is a memory file that is
 * mapped where nobody is told of it; the address that the program gets is
 * reserved, without access rights.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mock/runtime.h"

enum { PAGE = 4096, FRESH = 0xa5, SLACK = 0xfb };

static block *blocks;
static uint64_t numbers;
static size_t used[MOST_DEVICES];
static size_t pinned;
static int64_t faults;

/* Addresses of memory that was freed, for PAULIMPI_MOCK_REUSE. */
static struct {
    char *base;
    size_t mapped;
} reusable;

void
mock_fault(const char *text, const void *where)
{
    faults++;
    fprintf(stderr, "mock: %s at %p\n", text, where);
}

int64_t
mock_count_faults(void)
{
    int64_t n;

    mock_lock();
    n = faults;
    mock_unlock();
    return n;
}

block *
mock_blocks(void)
{
    return blocks;
}

block *
mock_block(const void *pointer)
{
    block *it;

    for (it = blocks; it != NULL; it = it->next) {
        if ((uintptr_t)pointer - (uintptr_t)it->base < it->bytes) {
            break;
        }
    }
    return it;
}

void *
mock_reach(const void *pointer, size_t n)
{
    block *it = mock_block(pointer);
    size_t offset;

    if (it == NULL) {
        return (void *)pointer;
    }
    offset = (size_t)((const char *)pointer - it->base);
    return n > it->bytes - offset ? NULL : it->alias + offset;
}

/* Addresses without access, with a page on either side that stays so. */
static char *
reserve(size_t mapped)
{
    char *base = mmap(NULL, mapped + 2 * PAGE, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return base == MAP_FAILED ? NULL : base + PAGE;
}

static char *
reserve_or_reuse(size_t mapped)
{
    char *base = reusable.base;

    if (mock_get_options()->reuse && base != NULL
        && reusable.mapped == mapped) {
        reusable.base = NULL;
        return base;
    }
    return reserve(mapped);
}

static int
is_on_host(block_kind kind)
{
    return kind == BLOCK_MANAGED || kind == BLOCK_PINNED;
}

block *
mock_map(block_kind kind, size_t bytes, int fd)
{
    size_t mapped = (bytes + PAGE - 1) / PAGE * PAGE;
    block *it = calloc(1, sizeof *it);
    char *alias = reserve(mapped);

    if (it == NULL || alias == NULL
        || mmap(alias, mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                fd, 0)
               == MAP_FAILED) {
        free(it);
        return NULL;
    }
    it->kind = kind;
    it->bytes = bytes;
    it->mapped = mapped;
    it->alias = alias;
    it->base = is_on_host(kind) ? alias : reserve_or_reuse(mapped);
    it->fd = fd;
    it->physical = mock_physical();
    it->number = ++numbers;
    it->next = blocks;
    blocks = it;
    return it;
}

void
mock_unmap(block *it)
{
    block **link = &blocks;
    size_t i;

    for (i = it->bytes; it->kind != BLOCK_IMPORTED && i < it->mapped; i++) {
        if ((unsigned char)it->alias[i] != SLACK) {
            mock_fault("bytes were written behind an allocation", it->base);
            break;
        }
    }
    while (*link != it) {
        link = &(*link)->next;
    }
    *link = it->next;
    /* The addresses stay reserved, so that a late use is a fault. */
    mmap(it->alias, it->mapped, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (it->fd >= 0) {
        close(it->fd);
    }
    if (!is_on_host(it->kind)) {
        reusable.base = it->base;
        reusable.mapped = it->mapped;
    }
    free(it);
}

/* What an allocation counts for, and what there may be of it. */
static size_t *
account(block_kind kind, int physical, size_t *most_p)
{
    const mock_options *options = mock_get_options();

    *most_p = kind == BLOCK_PINNED ? options->pinned : options->memory;
    return kind == BLOCK_PINNED ? &pinned : &used[physical];
}

static cudaError_t
allocate(block_kind kind, size_t bytes, void **memory_p)
{
    size_t most, mapped = (bytes + PAGE - 1) / PAGE * PAGE;
    size_t *account_of = account(kind, mock_physical(), &most);
    char name[64];
    block *it;
    int fd;

    if (bytes > most || mapped > most - *account_of) {
        return cudaErrorMemoryAllocation;
    }
    /* The name tells a process that opens the file by its number whether it
     * still is the one that was meant. */
    snprintf(name, sizeof name, "mock-%d-%llu", (int)getpid(),
             (unsigned long long)numbers + 1);
    fd = memfd_create(name, MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)mapped) != 0) {
        return cudaErrorMemoryAllocation;
    }
    it = mock_map(kind, bytes, fd);
    if (it == NULL) {
        close(fd);
        return cudaErrorMemoryAllocation;
    }
    memset(it->alias, FRESH, bytes);
    memset(it->alias + bytes, SLACK, mapped - bytes);
    *account_of += mapped;
    *memory_p = it->base;
    return cudaSuccess;
}

static void
release(block *it)
{
    size_t most;

    *account(it->kind, it->physical, &most) -= it->mapped;
    mock_unmap(it);
}

EXPORT cudaError_t
cudaMalloc(void **memory_p, size_t bytes)
{
    BEGIN;
    *memory_p = NULL;
    code = bytes == 0 ? cudaSuccess : allocate(BLOCK_DEVICE, bytes, memory_p);
    END;
}

EXPORT cudaError_t
cudaMallocManaged(void **memory_p, size_t bytes, unsigned flags)
{
    BEGIN;
    code = flags == cudaMemAttachGlobal && bytes > 0
               ? allocate(BLOCK_MANAGED, bytes, memory_p)
               : cudaErrorInvalidValue;
    END;
}

EXPORT cudaError_t
cudaMallocHost(void **memory_p, size_t bytes)
{
    BEGIN;
    code = allocate(BLOCK_PINNED, bytes, memory_p);
    END;
}

EXPORT cudaError_t
cudaMallocAsync(void **memory_p, size_t bytes, cudaStream_t stream)
{
    const op nothing = { .what = DO_NOTHING };

    BEGIN;
    code = mock_get_options()->no_pool ? cudaErrorNotSupported
                                       : mock_ask(stream, &nothing);
    if (code == cudaSuccess) {
        code = allocate(BLOCK_POOL, bytes, memory_p);
    }
    END;
}

/* Free a block whose base is the address, if it is of a kind; work that was
 * asked of the device is done first, as CUDA does. */
static cudaError_t
free_of(const void *memory, int (*is_of)(block_kind))
{
    block *it = mock_block(memory);

    if (it == NULL || it->base != memory || !is_of(it->kind)) {
        return cudaErrorInvalidValue;
    }
    mock_drain_device(it->physical);
    release(it);
    return cudaSuccess;
}

static int
is_of_free(block_kind kind)
{
    return kind == BLOCK_DEVICE || kind == BLOCK_POOL || kind == BLOCK_MANAGED;
}

static int
is_of_free_host(block_kind kind)
{
    return kind == BLOCK_PINNED;
}

static int
is_of_virtual(block_kind kind)
{
    return kind == BLOCK_VIRTUAL;
}

EXPORT cudaError_t
cudaFree(void *memory)
{
    BEGIN;
    code = memory == NULL ? cudaSuccess : free_of(memory, is_of_free);
    END;
}

EXPORT cudaError_t
cudaFreeHost(void *memory)
{
    BEGIN;
    code = memory == NULL ? cudaSuccess : free_of(memory, is_of_free_host);
    END;
}

EXPORT cudaError_t
cudaFreeAsync(void *memory, cudaStream_t stream)
{
    const op wanted = { .what = DO_FREE, .to = memory };
    const block *it;

    BEGIN;
    it = mock_block(memory);
    code = it == NULL || it->base != memory || !is_of_free(it->kind)
               ? cudaErrorInvalidValue
               : mock_ask(stream, &wanted);
    END;
}

cudaError_t
mock_free(void *memory)
{
    block *it = mock_block(memory);

    if (it == NULL) {
        return cudaErrorInvalidValue;
    }
    release(it);
    return cudaSuccess;
}

EXPORT cudaError_t
cudaMemGetInfo(size_t *free_p, size_t *total_p)
{
    BEGIN;
    *total_p = mock_get_options()->memory;
    *free_p = *total_p - used[mock_physical()];
    END;
}

int64_t
mock_live_blocks(void)
{
    const block *it;
    int64_t n = 0;

    for (it = blocks; it != NULL; it = it->next) {
        n++;
    }
    return n;
}

void *
mock_virtual_create(size_t bytes)
{
    void *memory = NULL;

    mock_lock();
    (void)allocate(BLOCK_VIRTUAL, bytes, &memory);
    mock_unlock();
    return memory;
}

void
mock_virtual_destroy(void *memory)
{
    mock_lock();
    (void)free_of(memory, is_of_virtual);
    mock_unlock();
}
