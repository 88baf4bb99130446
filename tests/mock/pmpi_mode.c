/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The shim: what it is asked to do, and what it does to buffers.
 */
#include "mock/pmpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock/mock.h"

enum { MOST_CALLS = 64, NAME = 48, MOST_FOREIGN = 8 };

static int mode = SHIM_OFF;
static int64_t least = 1;
static int64_t device_buffers;
static int64_t foreign_buffers;

static struct call {
    char name[NAME];
    int64_t calls;
    int countdown;
} calls[MOST_CALLS];

static struct {
    const char *base;
    size_t bytes;
} foreign[MOST_FOREIGN];
static int n_foreign;

static struct call *
find(const char *name)
{
    int i;

    for (i = 0; i < MOST_CALLS - 1 && strcmp(calls[i].name, name) != 0; i++) {
        if (calls[i].name[0] == '\0') {
            snprintf(calls[i].name, NAME, "%s", name);
            break;
        }
    }
    return &calls[i];
}

int
pmpi_enter(const char *name)
{
    struct call *it = find(name);

    it->calls++;
    return it->countdown > 0 && --it->countdown == 0 ? MPI_ERR_OTHER
                                                     : MPI_SUCCESS;
}

void
shim_mode(int wanted)
{
    mode = wanted;
}

void
shim_fail(const char *name, int which)
{
    find(name)->countdown = which;
}

int64_t
shim_calls(const char *name)
{
    return find(name)->calls;
}

void
shim_least(int64_t bytes)
{
    least = bytes;
}

void
shim_foreign(const void *base, size_t bytes)
{
    if (n_foreign < MOST_FOREIGN) {
        foreign[n_foreign].base = base;
        foreign[n_foreign++].bytes = bytes;
    }
}

int64_t
shim_device_buffers(void)
{
    return device_buffers;
}

int64_t
shim_foreign_buffers(void)
{
    return foreign_buffers;
}

int64_t
shim_most_in_flight(void)
{
    return pmpi_most();
}

void
shim_reset(void)
{
    device_buffers = 0;
    foreign_buffers = 0;
    pmpi_forget_most();
}

int
pmpi_mode_for(int64_t bytes)
{
    return mode == SHIM_OFF || bytes >= least ? mode : SHIM_AWARE;
}

int64_t
pmpi_bytes(int64_t n, MPI_Datatype type)
{
    int size = 0;

    PMPI_Type_size(type, &size);
    return n * size;
}

static int
is_foreign(const void *buffer)
{
    int i;

    for (i = 0; i < n_foreign; i++) {
        if ((uintptr_t)buffer - (uintptr_t)foreign[i].base
            < foreign[i].bytes) {
            return 1;
        }
    }
    return mock_is_here() && mock_find()->is_imported(buffer);
}

/* Count a buffer, and let one of another process be an error where that is
 * the mode. */
static int
look_at(const void *buffer, int64_t bytes)
{
    device_buffers += mock_alias(buffer) != buffer;
    if (!is_foreign(buffer)) {
        return MPI_SUCCESS;
    }
    foreign_buffers++;
    return pmpi_mode_for(bytes) == SHIM_REJECT ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

static int
is_none(const void *buffer, int64_t bytes)
{
    return bytes == 0 || buffer == MPI_BOTTOM || buffer == MPI_IN_PLACE;
}

/* Zeros, as many as were ever needed; older ones may still be read. */
static void *
zeros(int64_t bytes)
{
    static void *memory;
    static int64_t size;

    if (bytes > size) {
        memory = calloc((size_t)bytes, 1);
        size = bytes;
    }
    return memory;
}

int
pmpi_read(const void **buffer, int64_t bytes)
{
    int kind = pmpi_mode_for(bytes);
    int code;

    if (is_none(*buffer, bytes)) {
        return MPI_SUCCESS;
    }
    code = look_at(*buffer, bytes);
    if (kind == SHIM_UNAWARE) {
        const volatile char *byte = *buffer;

        (void)byte[0];
        (void)byte[bytes - 1];
    } else if (kind == SHIM_SILENT && mock_alias(*buffer) != *buffer) {
        *buffer = zeros(bytes);
    } else if (kind != SHIM_OFF) {
        *buffer = mock_alias(*buffer);
    }
    return code;
}

int
pmpi_write(void **buffer, int64_t bytes)
{
    int kind = pmpi_mode_for(bytes);
    int code;

    if (is_none(*buffer, bytes)) {
        return MPI_SUCCESS;
    }
    code = look_at(*buffer, bytes);
    if (kind == SHIM_UNAWARE) {
        volatile char *byte = *buffer;

        byte[0] = byte[0];
        byte[bytes - 1] = byte[bytes - 1];
    } else if (kind != SHIM_OFF) {
        *buffer = mock_alias(*buffer);
    }
    return code;
}
