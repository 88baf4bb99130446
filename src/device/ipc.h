/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands in the bytes that a process exports.
 */
#ifndef PAULIMPI_SRC_DEVICE_IPC_H
#define PAULIMPI_SRC_DEVICE_IPC_H

#include "device/table.h"

/* A process: its number, and a tag that tells it from others that have the
 * number later or in another namespace. */
typedef struct {
    uint32_t number;
    uint32_t tag;
} paulimpi__process;

paulimpi__process paulimpi__process_self(void);

/* An allocation of a process; another one at the same address has another
 * number. */
typedef struct {
    paulimpi__process process;
    uint64_t base;
    uint64_t number;
} paulimpi__origin;

typedef struct {
    char magic[3];
    unsigned char version;
    uint32_t checksum; /* of all other bytes */
    paulimpi__origin origin;
    uint64_t bytes;  /* of the allocation */
    uint64_t offset; /* of the pointer in it */
    paulimpi_device_uuid uuid;
    paulimpi__ipc_key key;
} paulimpi__ipc_content;

void paulimpi__ipc_encode(paulimpi__ipc_content *content,
                          paulimpi_ipc_handle *handle);
/* PAULIMPI_ERR_ARGUMENT and a sentence for bytes that are no handle. */
int paulimpi__ipc_decode(const char *function,
                         const paulimpi_ipc_handle *handle,
                         paulimpi__ipc_content *content);

#endif /* PAULIMPI_SRC_DEVICE_IPC_H */
