/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table for machines without a device: all memory is the host's, and what
 * is asked of a stream is done at once.
 */
#include <string.h>

#include "device/table.h"

enum { ALIGNMENT = 256 /* as CUDA's */ };

/* Objects of their own, so that a leak is found and a failure can be had. */
typedef struct {
    char unused;
} mark;

static int
current(void)
{
    return -1;
}

static void
pci(int device, char text[PAULIMPI__PCI_TEXT])
{
    (void)device;
    text[0] = '\0';
}

static int
query(const char *function, const void *pointer, paulimpi_memory *memory)
{
    (void)function;
    (void)pointer;
    memory->kind = PAULIMPI_MEMORY_HOST;
    return PAULIMPI_SUCCESS;
}

int
paulimpi__host_create(const char *function, size_t bytes, void **memory_p)
{
    *memory_p = paulimpi__alloc_aligned(ALIGNMENT, bytes, 1);
    return *memory_p == NULL ? paulimpi__no_memory(function, bytes)
                             : PAULIMPI_SUCCESS;
}

static int
create(const char *function, int *kind_p, size_t bytes, void **memory_p)
{
    *kind_p = PAULIMPI_MEMORY_HOST;
    return paulimpi__host_create(function, bytes, memory_p);
}

void
paulimpi__host_copy_rows(void *to, size_t to_pitch, const void *from,
                         size_t from_pitch, size_t width, size_t rows)
{
    size_t i;

    if (to_pitch == width && from_pitch == width) {
        memcpy(to, from, rows * width);
        return;
    }
    for (i = 0; i < rows; i++) {
        memcpy((char *)to + i * to_pitch, (const char *)from + i * from_pitch,
               width);
    }
}

static int
create_mark(const char *function, void **mark_p)
{
    *mark_p = paulimpi__alloc_zero(1, sizeof(mark));
    return *mark_p == NULL ? paulimpi__no_memory(function, sizeof(mark))
                           : PAULIMPI_SUCCESS;
}

static int
wait_for(const char *function, void *what)
{
    (void)function;
    (void)what;
    return PAULIMPI_SUCCESS;
}

static int
relate(const char *function, void *one, void *other)
{
    (void)function;
    (void)one;
    (void)other;
    return PAULIMPI_SUCCESS;
}

static int
is_captured(paulimpi_stream stream)
{
    (void)stream;
    return 0;
}

static int
test(const char *function, paulimpi_event event, int *done_p)
{
    (void)function;
    (void)event;
    *done_p = 1;
    return PAULIMPI_SUCCESS;
}

static int
no_export(const char *function, void *base, paulimpi__ipc_key *key)
{
    (void)base;
    (void)key;
    return paulimpi__error(PAULIMPI_ERR_UNSUPPORTED,
                           "%s: there is no memory of a device here: %s",
                           function, paulimpi__no_device());
}

static int
no_open(const char *function, const paulimpi__ipc_key *key,
        const paulimpi_device_uuid *uuid, void **base_p)
{
    (void)uuid;
    (void)base_p;
    return no_export(function, NULL, (paulimpi__ipc_key *)key);
}

/* What takes a device, or memory of one, is never called. */
const paulimpi__device_table paulimpi__device_host = {
    .current = current,
    .pci = pci,
    .query = query,
    .create = create,
    .stream_create = create_mark,
    .stream_destroy = paulimpi__free,
    .stream_wait = wait_for,
    .stream_wait_event = relate,
    .stream_is_captured = is_captured,
    .event_create = create_mark,
    .event_destroy = paulimpi__free,
    .event_record = relate,
    .event_test = test,
    .event_wait = wait_for,
    .ipc_export = no_export,
    .ipc_open = no_open,
};
