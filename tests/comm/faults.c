/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI calls that fail while a context is made: each in turn, on all ranks. The
 * functions below stand before those of MPI, which go on by their PMPI names.
 */
#include <stdlib.h>

#include "base/base.h"
#include "comm/comm.h"
#include "tap/tap_mpi.h"

static int fail_at; /* calls until the one that fails, 0: none does */

#define FAIL_OR(call) (fail_at > 0 && --fail_at == 0 ? MPI_ERR_OTHER : (call))

int
MPI_Comm_idup(MPI_Comm comm, MPI_Comm *copy, MPI_Request *request)
{
    return FAIL_OR(PMPI_Comm_idup(comm, copy, request));
}

int
MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                    MPI_Comm *part)
{
    return FAIL_OR(PMPI_Comm_split_type(comm, type, key, info, part));
}

int
MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *part)
{
    return FAIL_OR(PMPI_Comm_split(comm, color, key, part));
}

int
MPI_Iexscan(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op,
            MPI_Comm comm, MPI_Request *request)
{
    return FAIL_OR(PMPI_Iexscan(from, to, n, type, op, comm, request));
}

int
MPI_Iallreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm, MPI_Request *request)
{
    return FAIL_OR(PMPI_Iallreduce(from, to, n, type, op, comm, request));
}

int
MPI_Ibcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm,
           MPI_Request *request)
{
    return FAIL_OR(PMPI_Ibcast(data, n, type, root, comm, request));
}

int
MPI_Iallgather(const void *from, int n_from, MPI_Datatype from_type, void *to,
               int n_to, MPI_Datatype to_type, MPI_Comm comm,
               MPI_Request *request)
{
    return FAIL_OR(PMPI_Iallgather(from, n_from, from_type, to, n_to, to_type,
                                   comm, request));
}

static void
test_create(const char *node_size, const char *fact)
{
    paulimpi_context *ctx;
    int n_wrong = 0;
    int n = 0;
    int rc;

    if (node_size != NULL) {
        setenv("PAULIMPI_TEST_NODE_SIZE", node_size, 1);
    }
    do {
        n++;
        ctx = (paulimpi_context *)&n;
        fail_at = n;
        rc = paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
        n_wrong += rc != PAULIMPI_SUCCESS
                   && (rc != PAULIMPI_ERR_MPI || ctx != NULL
                       || paulimpi_last_error()[0] == '\0');
    } while (rc != PAULIMPI_SUCCESS && n < 100);
    fail_at = 0;
    tap_mpi_ok(n > 8 && n_wrong == 0, "%s: a code and no handle", fact);
    paulimpi_context_destroy(&ctx);
}

/* The sentence of the rank that failed does not come through. */
static void
test_silence(void)
{
    paulimpi_context *ctx;
    int rank, rc;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    rc = rank == 0 ? PAULIMPI_SUCCESS : PAULIMPI_ERR_IO;
    fail_at = 2;
    rc = paulimpi__agree(ctx, rc);
    tap_mpi_is_status(rc, rank == 0 ? PAULIMPI_ERR_MPI : PAULIMPI_ERR_IO,
                      "no word from the rank that failed is a failure");
    fail_at = 1;
    rc = paulimpi__agree(ctx, rank == 0 ? PAULIMPI_SUCCESS : PAULIMPI_ERR_IO);
    tap_mpi_is_status(rc, rank == 0 ? PAULIMPI_ERR_MPI : PAULIMPI_ERR_IO,
                      "no agreement too");
    paulimpi_context_destroy(&ctx);
}

int
main(int argc, char **argv)
{
    int provided, status;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    tap_mpi_begin(argv[0]);
    unsetenv("PAULIMPI_TEST_NODE_SIZE");
    test_create(NULL, "whichever call of MPI fails");
    test_create("1", "also when nodes are cut");
    unsetenv("PAULIMPI_TEST_NODE_SIZE");
    test_silence();
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
