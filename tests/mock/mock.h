/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A mock of the CUDA runtime, for tests on machines without a GPU. It stands in
 * the place of libcudart where the loader finds it first, and the library runs
 * on it as it is.
 *
 * Memory of its devices cannot be touched by the host: that is a SIGSEGV, and
 * "Bad address" in calls of the system. Copies go to the same bytes at another
 * address. What is freed is never mapped again, so that late uses are found.
 *
 * Streams do nothing before somebody waits (lazy, the first setting), do all at
 * once (eager), or something at any call, by a seed (random). Even copies from
 * and to ordinary memory are late, although CUDA would do some of them at once.
 *
 * The environment, which is read at the first call:
 *
 *   PAULIMPI_MOCK_DEVICES   how many there are (2)
 *   PAULIMPI_MOCK_MEMORY    bytes of each device (2^30)
 *   PAULIMPI_MOCK_PINNED    bytes that may be page-locked (2^40)
 *   PAULIMPI_MOCK_ORDER     lazy, eager or random
 *   PAULIMPI_MOCK_SEED      for random
 *   PAULIMPI_MOCK_NO_PEER   pairs that do not reach each other: 0-1,2-3; or all
 *   PAULIMPI_MOCK_NO_IPC    1: nothing can be exported
 *   PAULIMPI_MOCK_NO_POOL   1: there are no pools
 *   PAULIMPI_MOCK_NO_DRIVER 1: as on a machine without a driver; 12040: with
 *                           one for CUDA 12.4, as if that were too old
 *   PAULIMPI_MOCK_REUSE     1: addresses are used again
 *   PAULIMPI_MOCK_FAIL      calls that fail: cudaMalloc:2:2,cudaIpcGet...:1:1
 *                           is name:which:code, where which counts from 1
 *   CUDA_VISIBLE_DEVICES    numbers, as of CUDA
 *
 * A test finds the functions below at run time, so that it links and runs
 * without the mock, too: then mock_is_here() is 0 and the others do nothing.
 */
#ifndef TESTS_MOCK_MOCK_H
#define TESTS_MOCK_MOCK_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

/* What the mock exports to tests. */
typedef struct {
    /* How often a function was called since the start. */
    int64_t (*calls)(const char *name);
    /* Let the which-th call from now on fail with a code of CUDA; 0: none. */
    void (*fail)(const char *name, int which, int code);
    void (*order)(const char *order, uint64_t seed);
    /* What was asked of streams and not done yet. */
    int64_t (*pending)(void);
    /* Allocations, streams and events that were not given back. */
    int64_t (*live)(void);
    /* Writes beside allocations and uses of freed memory by copies. */
    int64_t (*faults)(void);
    /* Where the bytes of a device's memory can be touched; other addresses as
     * they are. */
    void *(*alias)(const void *pointer);
    /* Whether an address is in memory of another process. */
    int (*is_imported)(const void *pointer);
    /* Memory that is mapped by hand. */
    void *(*virtual_create)(size_t bytes);
    void (*virtual_destroy)(void *memory);
    /* Begin or end to capture a stream. */
    void (*capture)(void *stream, int on);
    /* Ask a call of a stream, which is made again until it returns 1; 0, or a
     * code of CUDA. It must not call CUDA. */
    int (*ask)(void *stream, int (*call)(void *data), void *data);
    /* The number of a device's memory, -1 for other memory; without the lock,
     * for calls of streams: where its bytes can be touched. */
    int (*device)(const void *pointer);
    void *(*reach)(const void *pointer, size_t bytes);
} mock_functions;

static inline const mock_functions *
mock_find(void)
{
    return (const mock_functions *)dlsym(RTLD_DEFAULT, "paulimpi_mock");
}

static inline int
mock_is_here(void)
{
    return mock_find() != NULL;
}

static inline int64_t
mock_calls(const char *name)
{
    return mock_is_here() ? mock_find()->calls(name) : 0;
}

static inline void
mock_fail(const char *name, int which, int code)
{
    if (mock_is_here()) {
        mock_find()->fail(name, which, code);
    }
}

static inline void
mock_order(const char *order, uint64_t seed)
{
    if (mock_is_here()) {
        mock_find()->order(order, seed);
    }
}

static inline int64_t
mock_pending(void)
{
    return mock_is_here() ? mock_find()->pending() : 0;
}

static inline int64_t
mock_live(void)
{
    return mock_is_here() ? mock_find()->live() : 0;
}

static inline int64_t
mock_faults(void)
{
    return mock_is_here() ? mock_find()->faults() : 0;
}

static inline void *
mock_alias(const void *pointer)
{
    return mock_is_here() ? mock_find()->alias(pointer) : (void *)pointer;
}

#endif /* TESTS_MOCK_MOCK_H */
