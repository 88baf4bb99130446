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
