/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the comm module share among themselves.
 */
#ifndef PAULIMPI_SRC_COMM_STATE_H
#define PAULIMPI_SRC_COMM_STATE_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/base.h"
#include "comm/comm.h"

/* The processors that a rank may run on: one bit each. Linux knows at most
 * 8192. */
enum { PAULIMPI__MASK_WORDS = 128, PAULIMPI__MOST_THREADS = 4096 };
typedef struct {
    uint64_t word[PAULIMPI__MASK_WORDS];
} paulimpi__mask;

typedef struct paulimpi__letters paulimpi__letters;

/* Bytes of the memory that small collective operations read and write. */
enum { PAULIMPI__SCRATCH = 8192, PAULIMPI__BROKEN_TEXT = 512 };

struct paulimpi_context {
    MPI_Comm comm;  /* the library's own; MPI_COMM_NULL without MPI */
    MPI_Comm apart; /* likewise, for PAULIMPI__TAG_... */
    MPI_Comm node;  /* of this rank's node, likewise */
    int uses_mpi;
    int rank;
    int size;
    int threads;
    int automatic_threads; /* what PAULIMPI_AUTOMATIC stands for */
    int most_threads;      /* 1 without OpenMP or with MPI_THREAD_SINGLE */
    int test_node_size;    /* 0, or ranks of a pretended node */
    paulimpi__mask mask;
    paulimpi_placement placement;
    atomic_int references;

    /* Calls that ranks make together, see call.h. */
    int64_t n_calls[2]; /* of all ranks, and of those of the node */
    int64_t n_rolls;
    void *scratch; /* PAULIMPI__SCRATCH bytes */
    paulimpi__letters *letters;
    int is_broken; /* by a call that failed; why tells */
    int is_lost;   /* MPI may still use the scratch and communicators */
    char why[PAULIMPI__BROKEN_TEXT];
    struct {
        void *kept; /* by the exchange module, see paulimpi__context_keep() */
        void (*forget)(void *kept);
    } part[PAULIMPI__KEPT_PARTS];
};

/* topology.c: find the processors, memory and NUMA domains of this process;
 * then its place among the ranks, which is collective. The second sets
 * automatic_threads and threads too; requested is a number or
 * PAULIMPI_AUTOMATIC. */
void paulimpi__topology_local(paulimpi_context *ctx);
int paulimpi__topology_nodes(paulimpi_context *ctx, int requested);
/* The number of threads that a request means in a context. */
int paulimpi__choose_threads(const paulimpi_context *ctx, int requested);

/* topo_hwloc.c: NUMA domains of the node, 0 where hwloc is missing or fails;
 * and one line about hwloc for paulimpi_info(). */
int paulimpi__numa_domains(void);
void paulimpi__hwloc_describe(paulimpi__text *text);

/* launch_local.c: the number from 0 up that a variable holds and nothing else;
 * -1 if it does not. */
int paulimpi__launch_number(const char *variable);

/* launch.c: log where what the launcher said does not fit what MPI found, if
 * a context is on all processes. Local. */
void paulimpi__launch_verify(const paulimpi_context *ctx);
/* Count a context that uses MPI; and forget it, with MPI itself if it was the
 * last and the library began MPI. */
void paulimpi__mpi_enter(void);
void paulimpi__mpi_leave(void);
/* Whether MPI calls are possible now. */
int paulimpi__mpi_is_active(void);

#endif /* PAULIMPI_SRC_COMM_STATE_H */
