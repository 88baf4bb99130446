/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A shim between the library and MPI, for tests: its functions stand before
 * those of MPI in a program that has $(shim_sources) among its sources, and go
 * on by their PMPI names. So any MPI plays one that takes memory of the mock's
 * devices, or one with a particular vice. It is of use without the mock, too:
 * for the vices that ordinary memory knows.
 */
#ifndef TESTS_MOCK_SHIM_H
#define TESTS_MOCK_SHIM_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SHIM_OFF,     /* MPI as it is */
    SHIM_AWARE,   /* takes a device's memory, as do all below but UNAWARE */
    SHIM_UNAWARE, /* touches it at once, which is a fault */
    SHIM_SILENT,  /* sends zeros instead of it, and says that all is well */
    SHIM_LATE,  /* reads what is sent, and writes what comes, in MPI_Wait... */
    SHIM_EAGER, /* ends a receive in MPI_Irecv if its message is there */
    SHIM_SHORT, /* sends a byte less */
    SHIM_REJECT /* an error for memory of another process */
};
void shim_mode(int mode);

/* Let the which-th call from now on of a function, "MPI_Isend", return
 * MPI_ERR_OTHER without doing anything; 0: none. */
void shim_fail(const char *name, int which);
/* Let the next MPI_Waitall end all, but tell of the which-th request that it
 * failed; 0: none. */
void shim_fail_end(int which);
/* How often a function was called since the start. */
int64_t shim_calls(const char *name);

/* Vices are for messages of so many bytes or more only (1 at first). */
void shim_least(int64_t bytes);
/* These bytes count as memory of another process, without the mock. */
void shim_foreign(const void *base, size_t bytes);

/* What MPI was given since the last shim_reset(): buffers in memory of a
 * device and of another process, and the most bytes of messages that were
 * begun and not yet waited for. */
int64_t shim_device_buffers(void);
int64_t shim_foreign_buffers(void);
int64_t shim_most_in_flight(void);
void shim_reset(void);

#endif /* TESTS_MOCK_SHIM_H */
