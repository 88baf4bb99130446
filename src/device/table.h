/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What devices do, as a table of functions: one table for machines without a
 * device, one for CUDA. Which it is is decided once in a process.
 */
#ifndef PAULIMPI_SRC_DEVICE_TABLE_H
#define PAULIMPI_SRC_DEVICE_TABLE_H

#include "base/base.h"
#include "device/device.h"

/* What the runtime wants in order to open memory of another process. */
enum { PAULIMPI__IPC_KEY = 64 };
typedef struct {
    unsigned char byte[PAULIMPI__IPC_KEY];
} paulimpi__ipc_key;

/* Arguments have been checked. Functions that return int return a code and
 * have said what went wrong, in the name of the public function that is named
 * first. */
typedef struct {
    /* Devices, numbered from 0. */
    void (*append_names)(paulimpi__text *text);
    int (*select)(const char *function, int device);
    int (*current)(void);
    int (*identify)(const char *function, int device,
                    paulimpi_device_uuid *uuid);
    int (*memory)(const char *function, int device, int64_t *free_p,
                  int64_t *total_p);
    int (*wait)(const char *function, int device);
    /* The address on the PCI bus as text, or "". */
    void (*pci)(int device, char text[PAULIMPI__PCI_TEXT]);

    /* Memory. query knows nothing of imported ranges that it cannot tell from
     * others; create may give another kind than was wanted, and says so. */
    int (*query)(const char *function, const void *pointer,
                 paulimpi_memory *memory);
    int (*create)(const char *function, int *kind_p, size_t bytes,
                  void **memory_p);
    void (*destroy)(int kind, void *memory);
    int (*copy)(const char *function, void *to, const void *from, size_t bytes,
                paulimpi_stream stream);
    int (*copy_rows)(const char *function, void *to, size_t to_pitch,
                     const void *from, size_t from_pitch, size_t width,
                     size_t rows, paulimpi_stream stream);

    /* The kernel for grids; both NULL where the library has none. Whether a
     * device runs it, and a launch on the device that the stream belongs to. */
    int (*has_kernel)(int device);
    int (*launch)(const char *function, int device,
                  const paulimpi__grid_move *move, paulimpi_stream stream);

    /* Streams and events. */
    int (*stream_create)(const char *function, paulimpi_stream *stream_p);
    void (*stream_destroy)(paulimpi_stream stream);
    int (*stream_wait)(const char *function, paulimpi_stream stream);
    int (*stream_wait_event)(const char *function, paulimpi_stream stream,
                             paulimpi_event event);
    int (*stream_is_captured)(paulimpi_stream stream);
    int (*event_create)(const char *function, paulimpi_event *event_p);
    void (*event_destroy)(paulimpi_event event);
    int (*event_record)(const char *function, paulimpi_event event,
                        paulimpi_stream stream);
    int (*event_test)(const char *function, paulimpi_event event, int *done_p);
    int (*event_wait)(const char *function, paulimpi_event event);

    /* Memory of other processes. uuid names the device that owns it. */
    int (*ipc_export)(const char *function, void *base,
                      paulimpi__ipc_key *key);
    int (*ipc_open)(const char *function, const paulimpi__ipc_key *key,
                    const paulimpi_device_uuid *uuid, void **base_p);
    int (*ipc_close)(const char *function, void *base);
} paulimpi__device_table;

/* It lacks what is never called without a device. */
extern const paulimpi__device_table paulimpi__device_host;

/* The table of this process, which is that of the host where there is no
 * device. */
const paulimpi__device_table *paulimpi__device(void);
int paulimpi__n_devices(void);
/* "no GPU: " and why; "" where there is one. */
enum { PAULIMPI__REASON = 256 };
const char *paulimpi__no_device(void);

#ifdef HAVE_CUDA
extern const paulimpi__device_table paulimpi__device_cuda;
/* Count the devices; reason tells why there is none. */
int paulimpi__cuda_count(char reason[PAULIMPI__REASON]);
#endif

/* Ordinary memory, which does for every kind where there is no device. */
int paulimpi__host_create(const char *function, size_t bytes, void **memory_p);
void paulimpi__host_copy_rows(void *to, size_t to_pitch, const void *from,
                              size_t from_pitch, size_t width, size_t rows);

/* The imported range that an address lies in: 1, with kind, base and bytes of
 * memory set, or 0. */
int paulimpi__import_describe(const void *pointer, paulimpi_memory *memory);

#endif /* PAULIMPI_SRC_DEVICE_TABLE_H */
