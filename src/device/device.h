/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The face of the device module: its public functions, and what only the
 * library needs of it.
 */
#ifndef PAULIMPI_SRC_DEVICE_H
#define PAULIMPI_SRC_DEVICE_H

#include "device/grid.h"
#include "paulimpi/device.h"

/* "host", "pinned", "managed", "device", "pool", "virtual", "imported". */
const char *paulimpi__memory_name(int kind);

/* Wait for all that was asked of a device, in any stream; nothing for -1. */
int paulimpi__device_wait(const char *function, int device);

/* The address of a device on the PCI bus, "0000:1b:00.0", or "". */
enum { PAULIMPI__PCI_TEXT = 32 };
void paulimpi__device_pci(int device, char text[PAULIMPI__PCI_TEXT]);

/* Whether work asked of a stream goes into a graph instead of being done, so
 * that nothing may wait for it. */
int paulimpi__stream_is_captured(paulimpi_stream stream);

/* Whether a device has the kernel for grids, which is tried out when it is
 * first asked for: that takes long. */
int paulimpi__has_kernel(int device);

/* Take the widest word that everything in a move is a multiple of; it has
 * another one, or bytes. */
void paulimpi__grid_widen(paulimpi__grid_move *move);

/* Ask a stream to copy between a grid, in memory of the device that the stream
 * belongs to, and packed bytes, by one kernel. *is_asked_p is 0, and nothing
 * was done, where the kernel cannot reach the packed bytes: that of a device
 * reaches its own memory and what is page-locked. */
int paulimpi__grid_ask(const paulimpi__grid_move *move, paulimpi_stream stream,
                       int *is_asked_p);

/* Keep the imported range around an address open, and let go of it again;
 * nothing for any other address. */
void paulimpi__import_hold(const void *pointer);
void paulimpi__import_release(const void *pointer);

/* Memory that copies pass through: pinned where there is a device. Blocks of a
 * size come from a pool; paulimpi__staging_take() allocates only if it has no
 * block of the size class, a power of two from 4 KiB up. NULL and a sentence if
 * that would exceed the limit even after all that is not in use was freed, or
 * there is no memory. */
void *paulimpi__staging_take(size_t bytes);
/* The same in memory of the current device; such blocks count as well. */
void *paulimpi__staging_take_on_device(size_t bytes);
void paulimpi__staging_give(void *block);

#endif /* PAULIMPI_SRC_DEVICE_H */
