/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The face of the comm module: contexts, agreement between ranks, node
 * topology, launch detection.
 */
#ifndef PAULIMPI_SRC_COMM_H
#define PAULIMPI_SRC_COMM_H

#include <stdint.h>

#include "paulimpi/context.h"

/* Objects hold the context that they were made on. */
void paulimpi__context_retain(paulimpi_context *ctx);
void paulimpi__context_release(paulimpi_context *ctx);

/* The communicator of the library, MPI_COMM_NULL without MPI. Tags of messages
 * between two ranks on it belong to the exchange module. */
MPI_Comm paulimpi__context_comm(const paulimpi_context *ctx);

/* What the exchange module keeps with a context, NULL at first; forget is
 * called with it when the context goes. It has two parts: what is known of
 * MPI and devices, and all else, which is what the shorter names mean. */
enum {
    PAULIMPI__KEPT_EXCHANGE,
    PAULIMPI__KEPT_AWARENESS,
    PAULIMPI__KEPT_PARTS
};
void *paulimpi__context_kept_part(const paulimpi_context *ctx, int part);
void paulimpi__context_keep_part(paulimpi_context *ctx, int part, void *kept,
                                 void (*forget)(void *kept));
void *paulimpi__context_kept(const paulimpi_context *ctx);
void paulimpi__context_keep(paulimpi_context *ctx, void *kept,
                            void (*forget)(void *kept));

/* The NUMA domain of each of n devices, which their addresses on the PCI bus
 * name ("0000:1b:00.0"), and that of the processors that this process may run
 * on; -1 where that is not known, or more than one. */
enum { PAULIMPI__PCI_ADDRESS = 32 };
void paulimpi__numa_of_devices(int n, char (*pci)[PAULIMPI__PCI_ADDRESS],
                               int *domain, int *own_p);

/* Claim a name among the processes of the job on this node, for as long as
 * this process lives: 1 if it has it now, 0 if another one does. Where claims
 * are not possible every process has what it wants. */
int paulimpi__claim(const char *name);

/* The communicator of this rank's node, its ranks numbered as in the placement;
 * MPI_COMM_NULL without MPI. Made when it is first asked for, which is
 * collective; it goes with the context. For collective calls only. */
int paulimpi__context_node_comm(paulimpi_context *ctx, const char *function,
                                MPI_Comm *node_p);

/* Validate, agree, act: the end of the first part of a collective function.
 * Returns code where it is not 0, PAULIMPI_ERR_REMOTE with the sentence of the
 * lowest failing rank where another rank's is not, and 0 where all are 0. */
int paulimpi__agree(paulimpi_context *ctx, int code);

/* The error for an object that cannot be on several ranks yet:
 * PAULIMPI_ERR_UNSUPPORTED with a sentence, or 0 on one rank. */
int paulimpi__require_one_rank(const paulimpi_context *ctx,
                               const char *function);

/* PAULIMPI_ERR_MPI with MPI's own text, or 0 for MPI_SUCCESS. */
int paulimpi__mpi_error(int mpi_code, const char *function, const char *call);

#endif /* PAULIMPI_SRC_COMM_H */
