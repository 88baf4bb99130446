/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The shim: collective calls, and what MPI says of itself.
 */
#include "mock/pmpi.h"

#include "mock/mock.h"

/* Both buffers of a call. */
static int
both(const char *name, const void **from, int64_t from_bytes, void **to,
     int64_t to_bytes)
{
    int code = pmpi_enter(name);

    if (code == MPI_SUCCESS) {
        code = pmpi_read(from, from_bytes);
    }
    return code == MPI_SUCCESS ? pmpi_write(to, to_bytes) : code;
}

static int
size_of(MPI_Comm comm)
{
    int size;

    PMPI_Comm_size(comm, &size);
    return size;
}

/* The bytes from the beginning to the end of the last part. */
static int64_t
extent(const int *n, const int *at, MPI_Datatype type, MPI_Comm comm)
{
    int i, size = size_of(comm);
    int64_t end, last = 0;

    for (i = 0; i < size; i++) {
        end = n[i] == 0 ? 0 : (int64_t)at[i] + n[i];
        last = end > last ? end : last;
    }
    return pmpi_bytes(last, type);
}

int
MPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    const void *from = data;
    int64_t bytes = pmpi_bytes(n, type);
    int rank, code;

    PMPI_Comm_rank(comm, &rank);
    code = pmpi_enter(__func__);
    if (code == MPI_SUCCESS) {
        code =
            rank == root ? pmpi_read(&from, bytes) : pmpi_write(&data, bytes);
    }
    if (code != MPI_SUCCESS) {
        return code;
    }
    return PMPI_Bcast(rank == root ? (void *)from : data, n, type, root, comm);
}

int
MPI_Reduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op,
           int root, MPI_Comm comm)
{
    int64_t bytes = pmpi_bytes(n, type);
    int rank, code;

    PMPI_Comm_rank(comm, &rank);
    code = both(__func__, &from, bytes, &to, rank == root ? bytes : 0);
    return code != MPI_SUCCESS
               ? code
               : PMPI_Reduce(from, to, n, type, op, root, comm);
}

int
MPI_Allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm)
{
    int64_t bytes = pmpi_bytes(n, type);
    int code = both(__func__, &from, bytes, &to, bytes);

    return code != MPI_SUCCESS ? code
                               : PMPI_Allreduce(from, to, n, type, op, comm);
}

int
MPI_Allgather(const void *from, int n_from, MPI_Datatype from_type, void *to,
              int n_to, MPI_Datatype to_type, MPI_Comm comm)
{
    int code = both(__func__, &from, pmpi_bytes(n_from, from_type), &to,
                    pmpi_bytes((int64_t)n_to * size_of(comm), to_type));

    return code != MPI_SUCCESS ? code
                               : PMPI_Allgather(from, n_from, from_type, to,
                                                n_to, to_type, comm);
}

int
MPI_Allgatherv(const void *from, int n_from, MPI_Datatype from_type, void *to,
               const int n_to[], const int to_at[], MPI_Datatype to_type,
               MPI_Comm comm)
{
    int code = both(__func__, &from, pmpi_bytes(n_from, from_type), &to,
                    extent(n_to, to_at, to_type, comm));

    return code != MPI_SUCCESS ? code
                               : PMPI_Allgatherv(from, n_from, from_type, to,
                                                 n_to, to_at, to_type, comm);
}

int
MPI_Alltoall(const void *from, int n_from, MPI_Datatype from_type, void *to,
             int n_to, MPI_Datatype to_type, MPI_Comm comm)
{
    int size = size_of(comm);
    int code =
        both(__func__, &from, pmpi_bytes((int64_t)n_from * size, from_type),
             &to, pmpi_bytes((int64_t)n_to * size, to_type));

    return code != MPI_SUCCESS ? code
                               : PMPI_Alltoall(from, n_from, from_type, to,
                                               n_to, to_type, comm);
}

int
MPI_Alltoallv(const void *from, const int n_from[], const int from_at[],
              MPI_Datatype from_type, void *to, const int n_to[],
              const int to_at[], MPI_Datatype to_type, MPI_Comm comm)
{
    int code = both(__func__, &from, extent(n_from, from_at, from_type, comm),
                    &to, extent(n_to, to_at, to_type, comm));

    return code != MPI_SUCCESS
               ? code
               : PMPI_Alltoallv(from, n_from, from_at, from_type, to, n_to,
                                to_at, to_type, comm);
}

/* Open MPI's and MPICH's words for whether they take a device's memory. A MPI
 * that is silent or rejects some says that it does; Open MPI does not declare
 * the function where it is not asked for. */
int MPIX_Query_cuda_support(void);

int
MPIX_Query_cuda_support(void)
{
    int kind = pmpi_mode_for(INT64_MAX);

    return mock_is_here() && kind != SHIM_OFF && kind != SHIM_UNAWARE;
}

#ifdef MPIX_GPU_SUPPORT_CUDA
int
MPIX_GPU_query_support(int type, int *answer)
{
    *answer = type == MPIX_GPU_SUPPORT_CUDA && MPIX_Query_cuda_support();
    return MPI_SUCCESS;
}
#endif
