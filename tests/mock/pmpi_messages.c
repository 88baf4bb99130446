/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The shim: messages between two ranks.
 */
#include <stdlib.h>
#include <string.h>

#include "mock/pmpi.h"

/* How often an eager receive looks whether its message is there. */
enum { LOOKS = 1000 };

/* The count that is sent. */
static int
shorten(int n, int64_t bytes)
{
    return pmpi_mode_for(bytes) == SHIM_SHORT && n > 0 ? n - 1 : n;
}

int
MPI_Isend(const void *buffer, int n, MPI_Datatype type, int peer, int tag,
          MPI_Comm comm, MPI_Request *request)
{
    pmpi_message message = { .bytes = pmpi_bytes(n, type) };
    int kind = pmpi_mode_for(message.bytes);
    int code = pmpi_enter(__func__);

    if (code == MPI_SUCCESS) {
        code = pmpi_read(&buffer, message.bytes);
    }
    if (code != MPI_SUCCESS) {
        return code;
    }
    n = shorten(n, message.bytes);
    if (kind == SHIM_LATE) {
        message.is_deferred = 1;
        message.is_persistent = 1;
        code = PMPI_Send_init(buffer, n, type, peer, tag, comm, request);
    } else {
        pmpi_begin();
        code = PMPI_Isend(buffer, n, type, peer, tag, comm, request);
    }
    message.request = *request;
    if (code == MPI_SUCCESS) {
        pmpi_add(&message);
    }
    return code;
}

/* Give a receive the time to end, without forgetting it. */
static void
hurry(MPI_Request request)
{
    int i, is_over = 0;

    for (i = 0; i < LOOKS && !is_over; i++) {
        PMPI_Request_get_status(request, &is_over, MPI_STATUS_IGNORE);
    }
}

int
MPI_Irecv(void *buffer, int n, MPI_Datatype type, int peer, int tag,
          MPI_Comm comm, MPI_Request *request)
{
    pmpi_message message = { .bytes = pmpi_bytes(n, type) };
    int kind = pmpi_mode_for(message.bytes);
    int code = pmpi_enter(__func__);

    if (code == MPI_SUCCESS) {
        code = pmpi_write(&buffer, message.bytes);
    }
    if (code != MPI_SUCCESS) {
        return code;
    }
    if (kind == SHIM_LATE && message.bytes > 0) {
        message.late_to = buffer;
        message.memory = malloc((size_t)message.bytes);
        if (message.memory == NULL) {
            return MPI_ERR_NO_MEM;
        }
        /* What does not come is left as it is. */
        memcpy(message.memory, buffer, (size_t)message.bytes);
        buffer = message.memory;
    }
    code = PMPI_Irecv(buffer, n, type, peer, tag, comm, request);
    message.request = *request;
    if (code != MPI_SUCCESS) {
        free(message.memory);
        return code;
    }
    pmpi_add(&message);
    if (kind == SHIM_EAGER) {
        hurry(*request);
    }
    return code;
}

int
MPI_Send(const void *buffer, int n, MPI_Datatype type, int peer, int tag,
         MPI_Comm comm)
{
    int64_t bytes = pmpi_bytes(n, type);
    int code = pmpi_enter(__func__);

    if (code == MPI_SUCCESS) {
        code = pmpi_read(&buffer, bytes);
    }
    return code != MPI_SUCCESS
               ? code
               : PMPI_Send(buffer, shorten(n, bytes), type, peer, tag, comm);
}

int
MPI_Recv(void *buffer, int n, MPI_Datatype type, int peer, int tag,
         MPI_Comm comm, MPI_Status *status)
{
    int code = pmpi_enter(__func__);

    if (code == MPI_SUCCESS) {
        code = pmpi_write(&buffer, pmpi_bytes(n, type));
    }
    return code != MPI_SUCCESS
               ? code
               : PMPI_Recv(buffer, n, type, peer, tag, comm, status);
}

int
MPI_Sendrecv(const void *from, int n_from, MPI_Datatype from_type, int to_peer,
             int to_tag, void *to, int n_to, MPI_Datatype to_type,
             int from_peer, int from_tag, MPI_Comm comm, MPI_Status *status)
{
    int64_t bytes = pmpi_bytes(n_from, from_type);
    int code = pmpi_enter(__func__);

    if (code == MPI_SUCCESS) {
        code = pmpi_read(&from, bytes);
    }
    if (code == MPI_SUCCESS) {
        code = pmpi_write(&to, pmpi_bytes(n_to, to_type));
    }
    return code != MPI_SUCCESS
               ? code
               : PMPI_Sendrecv(from, shorten(n_from, bytes), from_type,
                               to_peer, to_tag, to, n_to, to_type, from_peer,
                               from_tag, comm, status);
}

int
MPI_Pack(const void *from, int n, MPI_Datatype type, void *to, int size,
         int *position, MPI_Comm comm)
{
    int code = pmpi_enter(__func__);

    if (code == MPI_SUCCESS) {
        code = pmpi_read(&from, pmpi_bytes(n, type));
    }
    if (code == MPI_SUCCESS) {
        code = pmpi_write(&to, size);
    }
    return code != MPI_SUCCESS
               ? code
               : PMPI_Pack(from, n, type, to, size, position, comm);
}

int
MPI_Unpack(const void *from, int size, int *position, void *to, int n,
           MPI_Datatype type, MPI_Comm comm)
{
    int code = pmpi_enter(__func__);

    if (code == MPI_SUCCESS) {
        code = pmpi_read(&from, size);
    }
    if (code == MPI_SUCCESS) {
        code = pmpi_write(&to, pmpi_bytes(n, type));
    }
    return code != MPI_SUCCESS
               ? code
               : PMPI_Unpack(from, size, position, to, n, type, comm);
}
