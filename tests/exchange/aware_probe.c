/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Trying what MPI takes, with an MPI that does wrong in every way. Without a
 * device the memory is the host's, which the trial does not notice.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "exchange/awareness.h"
#include "tap/tap_mpi.h"

/* How the MPI of this program goes wrong, on rank 1. */
enum {
    RIGHT,
    SILENT_ZEROS, /* a message is zeros */
    LATE_ZEROS,   /* a message of more than 64 KiB is */
    BEYOND,       /* a byte behind the message is written */
    BEFORE,       /* or before it */
    LOST,         /* a message is not sent */
    SEND_FAILS,
    CRASH,
    PACK_ZEROS,
    PACK_FAILS,
    PACK_CRASHES,
    SUM_WRONG,
    BCAST_WRONG,
    ALLTOALL_WRONG,
    N_FAULTS
};

static int fault;
static int n_sends, n_packs, n_sums;
static int rank, size;
static char *forbidden; /* memory that nobody may touch */
static char zeros[4 << 20];

/* These stand before those of MPI. */

int
MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag,
          MPI_Comm comm, MPI_Request *request)
{
    n_sends++;
    if (rank == 1 && fault == CRASH) {
        forbidden[0] = 1;
    }
    if (rank == 1 && fault == LOST) {
        *request = MPI_REQUEST_NULL;
        return MPI_SUCCESS;
    }
    if (rank == 1 && fault == SEND_FAILS && count > 64) {
        PMPI_Isend(buffer, count, type, to, tag, comm, request);
        return MPI_ERR_OTHER;
    }
    if (rank == 1
        && (fault == SILENT_ZEROS || (fault == LATE_ZEROS && count > 65536))) {
        buffer = zeros;
    }
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int
MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag,
          MPI_Comm comm, MPI_Request *request)
{
    if (rank == 1 && fault == BEYOND && count == 64) {
        ((char *)buffer)[count + 8] = 1;
    }
    if (rank == 1 && fault == BEFORE && count == 64) {
        ((char *)buffer)[-1] = 1;
    }
    return PMPI_Irecv(buffer, count, type, from, tag, comm, request);
}

int
MPI_Pack(const void *from, int count, MPI_Datatype type, void *to, int room,
         int *position, MPI_Comm comm)
{
    n_packs++;
    if (rank == 1 && fault == PACK_CRASHES) {
        forbidden[0] = 1;
    }
    if (rank == 1 && fault == PACK_FAILS) {
        return MPI_ERR_OTHER;
    }
    if (rank == 1 && fault == PACK_ZEROS) {
        from = zeros;
    }
    return PMPI_Pack(from, count, type, to, room, position, comm);
}

int
MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type,
              MPI_Op op, MPI_Comm comm)
{
    int is_wrong = rank == 1 && fault == SUM_WRONG && type == MPI_INT64_T;

    n_sums += type == MPI_INT64_T;
    return PMPI_Allreduce(is_wrong ? zeros : from, to, count, type, op, comm);
}

int
MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rc = PMPI_Bcast(buffer, count, type, root, comm);

    if (rank == 1 && fault == BCAST_WRONG && type == MPI_BYTE) {
        memset(buffer, 0, (size_t)count);
    }
    return rc;
}

int
MPI_Alltoall(const void *from, int n, MPI_Datatype type, void *to, int m,
             MPI_Datatype other, MPI_Comm comm)
{
    return PMPI_Alltoall(rank == 1 && fault == ALLTOALL_WRONG ? zeros : from,
                         n, type, to, m, other, comm);
}

/* The first kind's outcome, and that of the last. */
static paulimpi__outcomes
probe(paulimpi_context *ctx, int how, double timeout, int *rc_p)
{
    paulimpi__outcomes outcomes;

    memset(&outcomes, 0xff, sizeof outcomes);
    fault = how;
    n_sends = n_packs = n_sums = 0;
    *rc_p = paulimpi__probe(ctx, 12345, timeout, &outcomes);
    fault = RIGHT;
    return outcomes;
}

static void
test_right(paulimpi_context *ctx)
{
    paulimpi__outcomes outcomes;
    int n_wrong = 0;
    int rc, i;

    outcomes = probe(ctx, RIGHT, 10, &rc);
    for (i = 0; i < PAULIMPI__TRIED_KINDS; i++) {
        n_wrong += outcomes.value[i][0] != 0;
        n_wrong += outcomes.value[i][1] != 0;
    }
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "an MPI that does right is tried");
    tap_mpi_is_int(n_wrong, 0, "and found good in all ways");
    tap_mpi_ok(n_packs == PAULIMPI__TRIED_KINDS && n_sums > 0 && n_sends > 0,
               "by packing, messages and collective operations");
}

/* One fault: what is found, of which operation, in a message to whom. */
static void
test_fault(paulimpi_context *ctx, int how, int operation, int tried, int to,
           size_t bytes, const char *fact)
{
    paulimpi__outcomes outcomes;
    int outcome, rc;

    outcomes = probe(ctx, how, 10, &rc);
    outcome = outcomes.value[0][operation];
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "%s", fact);
    tap_mpi_ok(paulimpi__outcome_tried(outcome) == tried
                   && paulimpi__outcome_to(outcome) == to
                   && paulimpi__outcome_bytes(outcome) == bytes,
               "is found out (%d, %d, %zu)", paulimpi__outcome_tried(outcome),
               paulimpi__outcome_to(outcome),
               paulimpi__outcome_bytes(outcome));
    tap_mpi_ok(operation == 0 ? outcomes.value[0][1] == outcome
                              : outcomes.value[0][0] == 0,
               "for the operations that it concerns");
    tap_mpi_ok(outcomes.rank[0][operation] >= 0
                   && outcomes.rank[0][operation] < size,
               "by a rank");
    if (tried <= PAULIMPI__TRIED_PACK_CRASHED) {
        tap_mpi_is_int(n_sends, 0, "before any message");
    }
}

static void
test_faults(paulimpi_context *ctx)
{
    const int last = size > 2 ? PAULIMPI__TO_OTHER : PAULIMPI__TO_NODE;
    const size_t large = (size_t)4 << 20;

    test_fault(ctx, SILENT_ZEROS, 0, PAULIMPI__TRIED_WRONG,
               size > 3 ? last : PAULIMPI__TO_NODE, large,
               "an MPI that sends zeros");
    test_fault(ctx, LATE_ZEROS, 0, PAULIMPI__TRIED_WRONG,
               size > 3 ? last : PAULIMPI__TO_NODE, large,
               "an MPI that sends zeros in large messages");
    test_fault(ctx, BEYOND, 0, PAULIMPI__TRIED_BEYOND,
               size > 3 ? last : PAULIMPI__TO_NODE, 64,
               "an MPI that writes behind a message");
    test_fault(ctx, BEFORE, 0, PAULIMPI__TRIED_BEYOND,
               size > 3 ? last : PAULIMPI__TO_NODE, 64,
               "an MPI that writes before a message");
    test_fault(ctx, SEND_FAILS, 0, PAULIMPI__TRIED_FAILED,
               size > 3 ? last : PAULIMPI__TO_NODE, large,
               "an MPI that gives an error");
    test_fault(ctx, PACK_ZEROS, 0, PAULIMPI__TRIED_PACK_WRONG,
               PAULIMPI__TO_SELF, 65536, "an MPI that packs zeros");
    test_fault(ctx, PACK_FAILS, 0, PAULIMPI__TRIED_PACK_FAILED,
               PAULIMPI__TO_SELF, 65536, "an MPI that cannot pack");
    test_fault(ctx, PACK_CRASHES, 0, PAULIMPI__TRIED_PACK_CRASHED,
               PAULIMPI__TO_SELF, 65536, "an MPI that crashes when it packs");
    test_fault(ctx, SUM_WRONG, 1, PAULIMPI__TRIED_WRONG, PAULIMPI__TO_ALL,
               65536, "an MPI that adds zeros");
    test_fault(ctx, BCAST_WRONG, 1, PAULIMPI__TRIED_WRONG, PAULIMPI__TO_ALL,
               65536, "an MPI that broadcasts zeros");
    test_fault(ctx, ALLTOALL_WRONG, 1, PAULIMPI__TRIED_WRONG, PAULIMPI__TO_ALL,
               65536, "an MPI that exchanges zeros");
}

static void
test_no_memory(paulimpi_context *ctx)
{
    paulimpi__outcomes outcomes;
    int rc;

    if (rank == 1) {
        paulimpi__alloc_fail_at(1);
    }
    probe(ctx, RIGHT, 10, &rc);
    tap_mpi_is_status(rc,
                      rank == 1 ? PAULIMPI_ERR_MEMORY : PAULIMPI_ERR_REMOTE,
                      "without memory for the trial all ranks fail");
    if (rank == 1) {
        paulimpi__alloc_fail_at(2);
    }
    outcomes = probe(ctx, RIGHT, 10, &rc);
    paulimpi__alloc_fail_at(0);
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "without memory to try");
    tap_mpi_is_int(paulimpi__outcome_tried(outcomes.value[0][0]),
                   PAULIMPI__TRIED_NO_MEMORY, "nothing is tried");
    tap_mpi_is_int(outcomes.rank[0][0], 1, "as the rank says");
    tap_mpi_is_int(outcomes.value[1][0], 0, "of this kind");
}

/* These leave memory behind, on purpose: MPI may still write to it. */
static void
test_lost(paulimpi_context *ctx)
{
    paulimpi__outcomes outcomes;
    int rc;

    /* All ranks have to come in twice this time, however busy the machine. */
    outcomes = probe(ctx, LOST, 2, &rc);
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "an MPI that loses a message");
    tap_mpi_is_int(paulimpi__outcome_tried(outcomes.value[0][0]),
                   PAULIMPI__TRIED_SILENT, "is found out in time");
    tap_mpi_is_int(paulimpi__outcome_tried(outcomes.value[2][1]),
                   PAULIMPI__TRIED_SILENT, "and nothing else is tried");
}

static void
test_crash(paulimpi_context *ctx)
{
    int rc;

    probe(ctx, CRASH, 0.1, &rc);
    tap_mpi_is_status(rc, rank == 1 ? PAULIMPI_ERR_MPI : PAULIMPI_ERR_TIMEOUT,
                      "an MPI that crashes is an error");
    tap_mpi_ok(strstr(paulimpi_last_error(),
                      rank == 1 ? "crashed on a message"
                                : "may have crashed on one of them")
                   != NULL,
               "as the sentences say");

    /* What the others wait for, so that MPI can end; and time for them to
     * take it. */
    if (rank == 1) {
        int own[4] = { 0 }, all[4];
        MPI_Request request;

        MPI_Iallreduce(own, all, 2, MPI_2INT, MPI_MAXLOC,
                       paulimpi__context_comm(ctx), &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

int
main(int argc, char **argv)
{
    paulimpi_context *ctx, *last;
    int provided, status;

    /* On a mock of CUDA there would be devices. */
    setenv("PAULIMPI_MOCK_NO_DRIVER", "1", 1);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    tap_mpi_begin(argv[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    forbidden =
        mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    /* Two ranks a node. */
    setenv("PAULIMPI_TEST_NODE_SIZE", "2", 1);
    if (paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx) != PAULIMPI_SUCCESS
        || paulimpi_context_create(MPI_COMM_WORLD, NULL, &last)
               != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no context: %s", paulimpi_last_error());
    }
    test_right(ctx);
    test_faults(ctx);
    test_no_memory(ctx);
    test_lost(ctx);
    test_crash(last);
    paulimpi_context_destroy(&last);
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
