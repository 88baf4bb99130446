/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Choosing a device: what its files share.
 */
#ifndef PAULIMPI_SRC_EXCHANGE_BIND_H
#define PAULIMPI_SRC_EXCHANGE_BIND_H

#include "base/base.h"
#include "comm/comm.h"
#include "device/device.h"
#include "paulimpi/launch.h"

enum { PAULIMPI__MOST_DEVICES = 64 };

/* What a process knows when it chooses. */
typedef struct {
    int policy;        /* PAULIMPI_BIND_NEAREST, ROUND_ROBIN or BLOCK */
    int n;             /* devices, at least 1 */
    const int *domain; /* of NUMA of each device, -1 if not known */
    int own;           /* domain of this process, -1 if not known */
    int rank;          /* on the node */
    int size;          /* of the node's ranks, 0 if not known */
} paulimpi__choice;

/* bind_choose.c: put the devices in the order in which this process wants
 * them, and count those at the front that are as good as each other. */
void paulimpi__bind_order(const paulimpi__choice *choice, int *order,
                          int *n_near_p);
/* How many processes of the node should have the same device at most. */
int paulimpi__bind_share(const paulimpi__choice *choice);

/* What a rank tells of itself. Bytes, for MPI. */
typedef struct {
    int node;
    int node_rank;  /* by MPI */
    int local_rank; /* by the launcher */
    int n_devices;
    int device;        /* -1: none */
    int is_bound;      /* by paulimpi_device_bind() */
    int is_bound_late; /* after MPI_Init */
    paulimpi_device_uuid uuid;
    char pci[PAULIMPI__PCI_ADDRESS];
    char source[48]; /* of local_rank, "" for none */
    char host[64];
    char missing[128]; /* why there is no device */
} paulimpi__bound;

/* bind.c: fill in what concerns the device. */
int paulimpi__bind_tell(paulimpi__bound *bound);

/* bind_report.c: a line for each rank, then what is wrong. */
void paulimpi__bind_describe(paulimpi__text *text, int n,
                             const paulimpi__bound *bound);

#endif /* PAULIMPI_SRC_EXCHANGE_BIND_H */
