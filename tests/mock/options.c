/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mock runtime: options, the lock, counts of calls, failures on demand.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock/runtime.h"

enum { MOST_CALLS = 128, NAME = 48 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static mock_options options;
static int is_ready;
static _Thread_local cudaError_t last;

/* A function, how often it was called, and when it fails next. */
static struct call {
    char name[NAME];
    int64_t calls;
    int countdown;
    cudaError_t code;
} calls[MOST_CALLS];

static struct call *
find(const char *name)
{
    int i;

    for (i = 0; i < MOST_CALLS - 1; i++) {
        if (calls[i].name[0] == '\0') {
            snprintf(calls[i].name, NAME, "%s", name);
        }
        if (strcmp(calls[i].name, name) == 0) {
            break;
        }
    }
    return &calls[i];
}

static long long
number(const char *name, long long otherwise)
{
    const char *text = getenv(name);

    return text == NULL || text[0] == '\0' ? otherwise
                                           : strtoll(text, NULL, 0);
}

static int
order_of(const char *text)
{
    if (text != NULL && strcmp(text, "eager") == 0) {
        return EAGER;
    }
    return text != NULL && strcmp(text, "random") == 0 ? RANDOM : LAZY;
}

/* CUDA_VISIBLE_DEVICES: numbers up to the first that no device has. */
static void
read_visible(void)
{
    const char *text = getenv("CUDA_VISIBLE_DEVICES");
    char *end;
    int i;

    if (text == NULL) {
        options.n_devices = options.n_physical;
        for (i = 0; i < options.n_physical; i++) {
            options.physical[i] = i;
        }
        return;
    }
    while (options.n_devices < MOST_DEVICES) {
        long it = strtol(text, &end, 10);

        if (end == text || it < 0 || it >= options.n_physical) {
            break;
        }
        options.physical[options.n_devices++] = (int)it;
        text = end + (*end == ',');
    }
}

static void
read_peers(void)
{
    const char *text = getenv("PAULIMPI_MOCK_NO_PEER");
    int a, b, length;

    memset(options.reaches, text == NULL || strcmp(text, "all") != 0,
           sizeof options.reaches);
    while (text != NULL && sscanf(text, "%d-%d%n", &a, &b, &length) == 2) {
        if (a >= 0 && a < MOST_DEVICES && b >= 0 && b < MOST_DEVICES) {
            options.reaches[a][b] = 0;
            options.reaches[b][a] = 0;
        }
        text += length;
        text += *text == ',';
    }
}

static void
read_failures(void)
{
    const char *text = getenv("PAULIMPI_MOCK_FAIL");
    char name[NAME];
    int which, code, length;

    while (
        text != NULL
        && sscanf(text, "%47[A-Za-z0-9]:%d:%d%n", name, &which, &code, &length)
               == 3) {
        find(name)->countdown = which;
        find(name)->code = (cudaError_t)code;
        text += length;
        text += *text == ',';
    }
}

static void
read_options(void)
{
    is_ready = 1;
    options.n_physical = (int)number("PAULIMPI_MOCK_DEVICES", 2);
    if (options.n_physical > MOST_DEVICES) {
        options.n_physical = MOST_DEVICES;
    }
    options.memory = (size_t)number("PAULIMPI_MOCK_MEMORY", 1LL << 30);
    options.pinned = (size_t)number("PAULIMPI_MOCK_PINNED", 1LL << 40);
    options.order = order_of(getenv("PAULIMPI_MOCK_ORDER"));
    options.random = (uint64_t)number("PAULIMPI_MOCK_SEED", 1);
    options.no_ipc = (int)number("PAULIMPI_MOCK_NO_IPC", 0);
    options.no_pool = (int)number("PAULIMPI_MOCK_NO_POOL", 0);
    options.no_driver = (int)number("PAULIMPI_MOCK_NO_DRIVER", 0);
    options.reuse = (int)number("PAULIMPI_MOCK_REUSE", 0);
    read_visible();
    read_peers();
    read_failures();
}

void
mock_lock(void)
{
    pthread_mutex_lock(&lock);
    if (!is_ready) {
        read_options();
    }
}

void
mock_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

cudaError_t
mock_begin(const char *name)
{
    struct call *it;

    mock_lock();
    it = find(name);
    it->calls++;
    if (options.no_driver) {
        return cudaErrorInsufficientDriver;
    }
    return it->countdown > 0 && --it->countdown == 0 ? it->code : cudaSuccess;
}

cudaError_t
mock_end(cudaError_t code)
{
    pthread_mutex_unlock(&lock);
    if (code != cudaSuccess) {
        last = code;
    }
    return code;
}

mock_options *
mock_get_options(void)
{
    return &options;
}

/* splitmix64 */
uint64_t
mock_random(void)
{
    uint64_t z = options.random += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

EXPORT cudaError_t
cudaGetLastError(void)
{
    cudaError_t code = last;

    last = cudaSuccess;
    return code;
}

EXPORT cudaError_t
cudaPeekAtLastError(void)
{
    return last;
}

static const struct {
    cudaError_t code;
    const char *name;
} names[] = {
    { cudaSuccess, "cudaSuccess" },
    { cudaErrorInvalidValue, "cudaErrorInvalidValue" },
    { cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation" },
    { cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection" },
    { cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver" },
    { cudaErrorNoDevice, "cudaErrorNoDevice" },
    { cudaErrorInvalidDevice, "cudaErrorInvalidDevice" },
    { cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle" },
    { cudaErrorNotReady, "cudaErrorNotReady" },
    { cudaErrorIllegalAddress, "cudaErrorIllegalAddress" },
    { cudaErrorPeerAccessUnsupported, "cudaErrorPeerAccessUnsupported" },
    { cudaErrorNotSupported, "cudaErrorNotSupported" },
    { cudaErrorMapBufferObjectFailed, "cudaErrorMapBufferObjectFailed" },
};

EXPORT const char *
cudaGetErrorName(cudaError_t error)
{
    size_t i;

    for (i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].code == error) {
            return names[i].name;
        }
    }
    return "cudaErrorUnknown";
}

EXPORT const char *
cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess ? "no error" : "as the mock was told";
}

int64_t
mock_count_calls(const char *name)
{
    int64_t n;

    pthread_mutex_lock(&lock);
    n = find(name)->calls;
    pthread_mutex_unlock(&lock);
    return n;
}

void
mock_let_fail(const char *name, int which, int code)
{
    pthread_mutex_lock(&lock);
    find(name)->countdown = which;
    find(name)->code = (cudaError_t)code;
    pthread_mutex_unlock(&lock);
}

void
mock_set_order(const char *order, uint64_t seed)
{
    mock_lock();
    options.order = order_of(order);
    options.random = seed;
    mock_unlock();
}
