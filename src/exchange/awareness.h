/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether MPI takes memory of devices: what the files that find out share.
 */
#ifndef PAULIMPI_SRC_EXCHANGE_AWARENESS_H
#define PAULIMPI_SRC_EXCHANGE_AWARENESS_H

#include <stddef.h>

#include "base/base.h"
#include "comm/comm.h"
#include "exchange/exchange.h"
#include "paulimpi/aware.h"

enum { PAULIMPI__REASON_TEXT = 512 };

/* The MPIs that have switches of their own. */
enum {
    PAULIMPI__MPI_OTHER,
    PAULIMPI__MPI_OPENMPI,
    PAULIMPI__MPI_SPECTRUM,
    PAULIMPI__MPI_MPICH,
    PAULIMPI__MPI_CRAY,
    PAULIMPI__MPI_INTEL,
    PAULIMPI__MPI_MVAPICH
};

/* What PAULIMPI_GPU_AWARE asks for. */
enum {
    PAULIMPI__WISH_AUTO,
    PAULIMPI__WISH_YES,
    PAULIMPI__WISH_NO,
    PAULIMPI__WISH_PROBE
};

/* What can be known without trying. Texts are those of the environment, NULL
 * where a variable is not set. */
typedef struct {
    int n_devices;
    int wish;
    int family;
    char version[256];    /* first line of MPI's own version text */
    int is_active;        /* MPI can be asked: it is initialised */
    int query;            /* what MPI answers: 1, 0, or -1 if not asked */
    const char *query_by; /* the function that answered; NULL: there is none */
    char kinds[256];      /* mpi_memory_alloc_kinds of MPI, "" without it */
    int has_gtl;          /* the library that Cray's MPI needs is loaded */
    const char *gpu_support_enabled; /* MPICH_GPU_SUPPORT_ENABLED */
    const char *enable_gpu;          /* MPIR_CVAR_ENABLE_GPU */
    const char *use_cuda;            /* MV2_USE_CUDA, or MVP_USE_CUDA */
    const char *offload;             /* I_MPI_OFFLOAD */
    const char *ucx_tls;             /* UCX_TLS */
} paulimpi__hints;

/* aware_hints.c: collect them; PAULIMPI_ERR_ARGUMENT for a variable
 * PAULIMPI_GPU_AWARE that cannot be. */
int paulimpi__hints_collect(MPI_Comm comm, paulimpi__hints *hints);
/* The family that a version text names. */
int paulimpi__mpi_family(const char *version);
/* What follows from the hints: PAULIMPI_AWARE_..., with a reason. YES is to be
 * checked. The wish is not looked at. */
int paulimpi__hints_decide(const paulimpi__hints *hints,
                           char reason[PAULIMPI__REASON_TEXT]);
/* How to make this MPI take memory of devices. */
const char *paulimpi__mpi_advice(int family);

/* What trying a kind of memory in an operation showed, from good to bad. The
 * worst of all ranks counts. */
enum {
    PAULIMPI__TRIED_GOOD,
    PAULIMPI__TRIED_NOT,          /* not tried */
    PAULIMPI__TRIED_NO_MEMORY,    /* none for the trial */
    PAULIMPI__TRIED_PACK_WRONG,   /* MPI_Pack gave other bytes */
    PAULIMPI__TRIED_PACK_FAILED,  /* or an error */
    PAULIMPI__TRIED_PACK_CRASHED, /* or touched memory that it must not */
    PAULIMPI__TRIED_WRONG,        /* other bytes came than were sent */
    PAULIMPI__TRIED_BEYOND,       /* memory beside the message was written */
    PAULIMPI__TRIED_FAILED,       /* MPI gave an error */
    PAULIMPI__TRIED_SILENT,       /* nothing came in time */
    PAULIMPI__TRIED_CRASHED
};

/* Who a message of the trial went to. */
enum {
    PAULIMPI__TO_SELF,
    PAULIMPI__TO_NODE,  /* another rank of this node */
    PAULIMPI__TO_OTHER, /* a rank of another node */
    PAULIMPI__TO_ALL    /* a collective operation */
};

/* One number that orders outcomes, so that ranks can agree on the worst; the
 * upper digits are PAULIMPI__TRIED_... */
int paulimpi__outcome(int tried, int bytes_index, int to);
int paulimpi__outcome_tried(int outcome);
int paulimpi__outcome_to(int outcome);
size_t paulimpi__outcome_bytes(int outcome);

/* The kinds that are tried. */
enum { PAULIMPI__TRIED_KINDS = 3 };
extern const int paulimpi__tried_kind[PAULIMPI__TRIED_KINDS];

/* Outcomes of this rank, or the worst ones, by tried kind; for
 * PAULIMPI_OPERATION_MESSAGE and COLLECTIVE. */
typedef struct {
    int value[PAULIMPI__TRIED_KINDS][2];
    int rank[PAULIMPI__TRIED_KINDS][2]; /* that saw it */
} paulimpi__outcomes;

/* aware_probe.c: try. Collective; timeout is in seconds. The outcomes are the
 * worst of all ranks. PAULIMPI_ERR_MPI on a rank on which MPI crashed, after
 * which it must not be used there; PAULIMPI_ERR_TIMEOUT if others did not
 * answer. */
int paulimpi__probe(paulimpi_context *ctx, uint64_t nonce, double timeout,
                    paulimpi__outcomes *outcomes);

/* aware_guard.c: call a function that may touch memory that it must not.
 * Returns 0 if it came back and 1 if a signal ended it; what it had begun stays
 * as it was then. One thread at a time. */
int paulimpi__guarded(void (*function)(void *data), void *data);

/* aware.c: find out, unless this was done. Collective; cheap from the second
 * time on. */
int paulimpi__aware_find(paulimpi_context *ctx);
/* The same if any rank needs it, for calls that may do without. Collective;
 * cheap where no rank has a device. So programs that send memory of the host
 * only never touch a device. */
int paulimpi__aware_find_if(paulimpi_context *ctx, int is_needed);
/* The device for whose memory of a kind the answer holds in messages, as MPI
 * was tried with that one; -1: for that of any. Local. */
int paulimpi__aware_device(paulimpi_context *ctx, int kind);
/* Whether messages name memory of a device. n and the list may be wrong. */
int paulimpi__names_device(int n, const paulimpi_message *messages);
/* As paulimpi__aware_find() with hints that are given. */
int paulimpi__aware_find_by(paulimpi_context *ctx,
                            const paulimpi__hints *hints);

#endif /* PAULIMPI_SRC_EXCHANGE_AWARENESS_H */
