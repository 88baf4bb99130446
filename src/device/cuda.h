/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files for CUDA share. It names no type of CUDA, so that it can be
 * read everywhere; codes are those of the runtime or of the driver.
 */
#ifndef PAULIMPI_SRC_DEVICE_CUDA_H
#define PAULIMPI_SRC_DEVICE_CUDA_H

#include "device/table.h"

/* The code and the sentence for a call of the runtime that failed, which is
 * taken off the list of what the program asks for by itself. function NULL:
 * nobody is interested. */
int paulimpi__cuda_error(const char *function, const char *call, int code);

/* A function of the driver, or NULL where it has none of that name. The
 * library does not link the driver: it would not even load without one. */
void *paulimpi__cuda_driver(const char *name);

/* Make a device current and remember which one was; 0 or an error. */
int paulimpi__cuda_enter(const char *function, int device, int *before_p);
void paulimpi__cuda_leave(int before);

/* The number here of the device with a name, -1 if it is not visible. */
int paulimpi__cuda_find(const paulimpi_device_uuid *uuid);

/* memory_cuda.c and ipc_cuda.c, for the table. */
int paulimpi__cuda_query(const char *function, const void *pointer,
                         paulimpi_memory *memory);
int paulimpi__cuda_create(const char *function, int *kind_p, size_t bytes,
                          void **memory_p);
void paulimpi__cuda_destroy(int kind, void *memory);
int paulimpi__cuda_copy(const char *function, void *to, const void *from,
                        size_t bytes, paulimpi_stream stream);
int paulimpi__cuda_copy_rows(const char *function, void *to, size_t to_pitch,
                             const void *from, size_t from_pitch, size_t width,
                             size_t rows, paulimpi_stream stream);
int paulimpi__cuda_ipc_export(const char *function, void *base,
                              paulimpi__ipc_key *key);
int paulimpi__cuda_ipc_open(const char *function, const paulimpi__ipc_key *key,
                            const paulimpi_device_uuid *uuid, void **base_p);
int paulimpi__cuda_ipc_close(const char *function, void *base);

/* grid_cuda.c, for the table, in builds with the kernel; and the kernel, as
 * CUDA's compiler made it for some kinds of devices. */
extern const unsigned char paulimpi__grid_image[];
int paulimpi__cuda_has_kernel(int device);
int paulimpi__cuda_launch(const char *function, int device,
                          const paulimpi__grid_move *move,
                          paulimpi_stream stream);

/* Whether memory of a device, an allocation with a number, seems to be
 * another process's: the driver does not export it. */
int paulimpi__cuda_seems_imported(const paulimpi_memory *memory);

#endif /* PAULIMPI_SRC_DEVICE_CUDA_H */
