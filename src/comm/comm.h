/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The face of the comm module: contexts, agreement between ranks, node
 * topology, launch detection.
 */
#ifndef PAULIMPI_SRC_COMM_H
#define PAULIMPI_SRC_COMM_H

#include <stdint.h>

#include "base/base.h"
#include "paulimpi/context.h"

/* Objects hold the context that they were made on. */
void paulimpi__context_retain(paulimpi_context *ctx);
void paulimpi__context_release(paulimpi_context *ctx);

/* The communicator of the library, MPI_COMM_NULL without MPI. Tags of messages
 * between two ranks on it belong to the exchange module. */
MPI_Comm paulimpi__context_comm(const paulimpi_context *ctx);

/* Another one, for messages that are not the user's: by these tags. */
enum {
    PAULIMPI__TAG_LETTER = 1, /* roll calls: the comm module's */
    PAULIMPI__TAG_COLLECTIVE  /* the exchange module's */
};
MPI_Comm paulimpi__context_apart(const paulimpi_context *ctx);

/* What the exchange module keeps with a context, NULL at first; forget is
 * called with it when the context goes. It has parts: what is known of MPI and
 * devices, what a transport keeps, and all else, which is what the shorter
 * names mean. */
enum {
    PAULIMPI__KEPT_EXCHANGE,
    PAULIMPI__KEPT_AWARENESS,
    PAULIMPI__KEPT_TRANSPORT,
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

/* Calls that all ranks of a context make together. On one rank they need no
 * MPI. function is what the user called, a name that stays.
 *
 * None waits for ever if PAULIMPI_TIMEOUT says so: PAULIMPI_ERR_TIMEOUT with
 * the ranks that are silent breaks the context, and later calls return
 * PAULIMPI_ERR_STATE. With PAULIMPI_CHECK=collective a call that not all ranks
 * make is PAULIMPI_ERR_MISMATCH on all of them, and breaks it, too. */

/* Validate, agree, act: the end of the first part of a collective function.
 * Returns code where it is not 0, PAULIMPI_ERR_REMOTE with the sentence of the
 * lowest failing rank where another rank's is not, and 0 where all are 0. */
int paulimpi__agree_in(paulimpi_context *ctx, const char *function, int code);
#define paulimpi__agree(ctx, code) paulimpi__agree_in(ctx, __func__, code)

/* Reduce n numbers, each over all ranks, in place. No more than a few
 * thousand: they are copied. */
enum { PAULIMPI__SUM, PAULIMPI__MAX, PAULIMPI__MIN };
int paulimpi__reduce_int64(paulimpi_context *ctx, const char *function, int op,
                           int64_t n, int64_t *values);

/* Add n sums over all ranks, in place; all bits of the results are the same
 * for the same terms on any number of ranks, up to 2^20. */
int paulimpi__reduce_exact(paulimpi_context *ctx, const char *function,
                           int64_t n, paulimpi__exact *sums);

/* Give n bytes of the rank root to all. */
int paulimpi__share_bytes(paulimpi_context *ctx, const char *function,
                          int root, void *bytes, int64_t n);

/* Gather n bytes of each rank on all, in the order of the ranks. */
int paulimpi__gather_bytes(paulimpi_context *ctx, const char *function,
                           const void *mine, int64_t n, void *all);

/* Numbers for each rank, or from each: count[i] of them from number[first[i]]
 * on. */
typedef struct {
    int *count;
    int *first;
    int64_t *number;
} paulimpi__lists;

/* Tell each rank how many numbers there are for it, and hear it of each; then
 * the numbers. All is on the heap, and MPI's if paulimpi__context_is_lost()
 * after a failure. */
int paulimpi__trade_counts(paulimpi_context *ctx, const char *function,
                           const paulimpi__lists *give, paulimpi__lists *take);
int paulimpi__trade_numbers(paulimpi_context *ctx, const char *function,
                            const paulimpi__lists *give,
                            paulimpi__lists *take);
int paulimpi__context_is_lost(const paulimpi_context *ctx);

/* Compare something that all ranks should have alike, by a fingerprint.
 * PAULIMPI_ERR_MISMATCH on all ranks if they do not: "FUNCTION: WHAT of rank 2
 * differs from that of ranks 0, 1, 3". */
int paulimpi__agree_same(paulimpi_context *ctx, const char *function,
                         const char *what, uint64_t fingerprint);

/* Wait for something that all ranks do together; is_over says whether it is
 * done. limit is in seconds without progress, which is a number that changes,
 * or NULL; 0 is no limit. On failure the context is broken, and memory that MPI
 * has then is lost. */
int paulimpi__wait_together(paulimpi_context *ctx, const char *function,
                            double limit, const int64_t *progress,
                            int (*is_over)(void *what), void *what);

/* A fingerprint of n numbers, for paulimpi__agree_same(). */
uint64_t paulimpi__fingerprint(int64_t n, const int64_t *numbers);

/* Seconds that PAULIMPI_TIMEOUT says, 0 if it does not; and whether
 * PAULIMPI_CHECK asks for collective checks. */
int paulimpi__timeout_read(const char *function, double *seconds_p);
int paulimpi__check_read(const char *function, int *is_collective_p);

/* PAULIMPI_ERR_MPI with MPI's own text, or 0 for MPI_SUCCESS. */
int paulimpi__mpi_error(int mpi_code, const char *function, const char *call);

#endif /* PAULIMPI_SRC_COMM_H */
