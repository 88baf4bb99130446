/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mock runtime: what tests can ask it, and how the library finds functions
 * of the driver.
 */
#include <string.h>

#include "mock/mock.h"
#include "mock/runtime.h"

static const struct {
    const char *name;
    void (*function)(void);
} driver[] = {
    { "cuPointerGetAttributes", (void (*)(void))mock_get_attributes },
    { "cuMemRetainAllocationHandle", (void (*)(void))mock_retain },
    { "cuMemRelease", (void (*)(void))mock_release },
    { "cuIpcGetMemHandle", (void (*)(void))mock_get_handle },
    { "cuLibraryLoadData", (void (*)(void))mock_load },
    { "cuLibraryGetKernel", (void (*)(void))mock_get_kernel },
    { "cuLaunchKernel", (void (*)(void))mock_launch },
};

static cudaError_t
find(const char *name, void **entry_p,
     enum cudaDriverEntryPointQueryResult *result_p)
{
    size_t i;

    *result_p = cudaDriverEntryPointSymbolNotFound;
    *entry_p = NULL;
    for (i = 0; i < sizeof driver / sizeof driver[0]; i++) {
        if (strcmp(driver[i].name, name) == 0) {
            memcpy(entry_p, &driver[i].function, sizeof *entry_p);
            *result_p = cudaDriverEntryPointSuccess;
        }
    }
    return cudaSuccess;
}

EXPORT cudaError_t
cudaGetDriverEntryPoint(const char *name, void **entry_p,
                        unsigned long long flags,
                        enum cudaDriverEntryPointQueryResult *result_p)
{
    BEGIN;
    (void)flags;
    code = find(name, entry_p, result_p);
    END;
}

#if CUDART_VERSION >= 12050
EXPORT cudaError_t
cudaGetDriverEntryPointByVersion(
    const char *name, void **entry_p, unsigned version,
    unsigned long long flags, enum cudaDriverEntryPointQueryResult *result_p)
{
    BEGIN;
    (void)version;
    (void)flags;
    code = find(name, entry_p, result_p);
    END;
}
#endif

static void *
alias(const void *pointer)
{
    const block *it;
    void *at;

    mock_lock();
    it = mock_block(pointer);
    at = it == NULL ? (void *)pointer
                    : it->alias + ((const char *)pointer - it->base);
    mock_unlock();
    return at;
}

static int
is_imported(const void *pointer)
{
    const block *it;

    mock_lock();
    it = mock_block(pointer);
    mock_unlock();
    return it != NULL && it->kind == BLOCK_IMPORTED;
}

static int
device(const void *pointer)
{
    const block *it;

    mock_lock();
    it = mock_block(pointer);
    mock_unlock();
    return it == NULL || it->kind == BLOCK_PINNED ? -1 : it->physical;
}

EXPORT const mock_functions paulimpi_mock;
const mock_functions paulimpi_mock = {
    .calls = mock_count_calls,
    .fail = mock_let_fail,
    .order = mock_set_order,
    .pending = mock_count_pending,
    .live = mock_count_live,
    .faults = mock_count_faults,
    .alias = alias,
    .is_imported = is_imported,
    .virtual_create = mock_virtual_create,
    .virtual_destroy = mock_virtual_destroy,
    .capture = mock_set_capture,
    .ask = mock_ask_call,
    .device = device,
    .reach = mock_reach,
};
