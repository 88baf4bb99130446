/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the shim share. Tests of MPI are single-threaded: there are
 * no locks.
 */
#ifndef TESTS_MOCK_PMPI_H
#define TESTS_MOCK_PMPI_H

#include "mock/shim.h"

/* Count a call; MPI_ERR_OTHER if it must fail. */
int pmpi_enter(const char *name);
/* The mode for a message of so many bytes: AWARE for those that vices leave
 * alone. */
int pmpi_mode_for(int64_t bytes);
int64_t pmpi_bytes(int64_t n, MPI_Datatype type);

/* What MPI gets instead of a buffer that it reads, or writes. */
int pmpi_read(const void **buffer, int64_t bytes);
int pmpi_write(void **buffer, int64_t bytes);

/* Messages that are under way. A late one has memory of its own until it is
 * waited for. */
typedef struct {
    MPI_Request request;
    int64_t bytes;
    int is_deferred;   /* a send that is begun by the first wait or test */
    int is_persistent; /* MPI does not forget it */
    void *late_to;     /* where what came goes at the end, or NULL */
    void *memory;
} pmpi_message;

void pmpi_add(const pmpi_message *message);
/* Begin what was deferred. */
void pmpi_begin(void);
/* A request that MPI may have ended: before was its handle. */
void pmpi_end(MPI_Request before, MPI_Request *now, int is_over);
int64_t pmpi_most(void);
void pmpi_forget_most(void);

/* The body of a function that only hands on. */
#define HAND_ON(call)                                                         \
    do {                                                                      \
        int code = pmpi_enter(__func__);                                      \
        return code != MPI_SUCCESS ? code : (call);                           \
    } while (0)

#endif /* TESTS_MOCK_PMPI_H */
