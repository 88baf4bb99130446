/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The shim: the ends of messages.
 */
#include <stdlib.h>
#include <string.h>

#include "mock/pmpi.h"

enum { MOST_MESSAGES = 8192 };

static pmpi_message messages[MOST_MESSAGES];
static int n_messages;
static int64_t in_flight;
static int64_t most;

void
pmpi_add(const pmpi_message *message)
{
    if (n_messages < MOST_MESSAGES) {
        messages[n_messages++] = *message;
        in_flight += message->bytes;
        most = in_flight > most ? in_flight : most;
    }
}

int64_t
pmpi_most(void)
{
    return most;
}

void
pmpi_forget_most(void)
{
    most = in_flight;
}

void
pmpi_begin(void)
{
    int i;

    for (i = 0; i < n_messages; i++) {
        if (messages[i].is_deferred) {
            messages[i].is_deferred = 0;
            PMPI_Start(&messages[i].request);
        }
    }
}

static pmpi_message *
find(MPI_Request request)
{
    int i;

    for (i = 0; i < n_messages; i++) {
        if (messages[i].request == request) {
            return &messages[i];
        }
    }
    return NULL;
}

/* Take a message off the list. The others keep their order, in which those that
 * are late begin: MPI's messages do not overtake each other. */
static void
leave(pmpi_message *it)
{
    in_flight -= it->bytes;
    free(it->memory);
    n_messages--;
    memmove(it, it + 1, (size_t)(&messages[n_messages] - it) * sizeof *it);
}

void
pmpi_end(MPI_Request before, MPI_Request *now, int is_over)
{
    pmpi_message *it = before == MPI_REQUEST_NULL ? NULL : find(before);

    if (it == NULL || !is_over) {
        return;
    }
    if (it->late_to != NULL) {
        memcpy(it->late_to, it->memory, (size_t)it->bytes);
    }
    if (it->is_persistent) {
        PMPI_Request_free(now);
    }
    leave(it);
}

/* The handles before a call that may end them. Room for those of any test. */
static MPI_Request *
keep(int n, const MPI_Request *request)
{
    static MPI_Request kept[MOST_MESSAGES];

    if (n > 0 && n <= MOST_MESSAGES) {
        memcpy(kept, request, (size_t)n * sizeof *request);
    }
    return kept;
}

/* Requests that MPI has forgotten, or would have if it could. */
static void
end_all(int n, const MPI_Request *before, MPI_Request *now)
{
    int i;

    for (i = 0; i < n; i++) {
        pmpi_end(before[i], &now[i], 1);
    }
}

int
MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    MPI_Request before = *request;
    int code = pmpi_enter(__func__);

    if (code == MPI_SUCCESS) {
        pmpi_begin();
        code = PMPI_Wait(request, status);
        pmpi_end(before, request, 1);
    }
    return code;
}

static int end_that_fails;

void
shim_fail_end(int which)
{
    end_that_fails = which;
}

/* Say of one request that it failed. */
static int
spoil_end(int n, MPI_Status status[])
{
    int which = end_that_fails;
    int i;

    end_that_fails = 0;
    if (which == 0 || which > n || status == MPI_STATUSES_IGNORE) {
        return MPI_SUCCESS;
    }
    for (i = 0; i < n; i++) {
        status[i].MPI_ERROR = i + 1 == which ? MPI_ERR_OTHER : MPI_SUCCESS;
    }
    return MPI_ERR_IN_STATUS;
}

int
MPI_Waitall(int n, MPI_Request request[], MPI_Status status[])
{
    const MPI_Request *before = keep(n, request);
    int code = pmpi_enter(__func__);
    int i;

    if (code != MPI_SUCCESS) {
        return code;
    }
    pmpi_begin();
    code = PMPI_Waitall(n, request, status);
    for (i = 0; i < n; i++) {
        int is_left = code != MPI_SUCCESS && status != MPI_STATUSES_IGNORE
                      && status[i].MPI_ERROR == MPI_ERR_PENDING;

        pmpi_end(before[i], &request[i], !is_left);
    }
    return code == MPI_SUCCESS ? spoil_end(n, status) : code;
}

int
MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    MPI_Request before = *request;
    int code = pmpi_enter(__func__);

    if (code == MPI_SUCCESS) {
        pmpi_begin();
        code = PMPI_Test(request, flag, status);
        pmpi_end(before, request, *flag);
    }
    return code;
}

int
MPI_Testall(int n, MPI_Request request[], int *flag, MPI_Status status[])
{
    const MPI_Request *before = keep(n, request);
    int code = pmpi_enter(__func__);

    if (code == MPI_SUCCESS) {
        pmpi_begin();
        code = PMPI_Testall(n, request, flag, status);
        if (*flag) {
            end_all(n, before, request);
        }
    }
    return code;
}

/* MPI_Testsome and MPI_Waitsome have ended those of the list. */
static void
end_some(int n, const int index[], const MPI_Request *before,
         MPI_Request request[])
{
    int i;

    for (i = 0; n != MPI_UNDEFINED && i < n; i++) {
        pmpi_end(before[index[i]], &request[index[i]], 1);
    }
}

int
MPI_Testsome(int n, MPI_Request request[], int *n_over, int index[],
             MPI_Status status[])
{
    const MPI_Request *before = keep(n, request);
    int code = pmpi_enter(__func__);

    if (code == MPI_SUCCESS) {
        pmpi_begin();
        code = PMPI_Testsome(n, request, n_over, index, status);
        end_some(*n_over, index, before, request);
    }
    return code;
}

int
MPI_Waitsome(int n, MPI_Request request[], int *n_over, int index[],
             MPI_Status status[])
{
    const MPI_Request *before = keep(n, request);
    int code = pmpi_enter(__func__);

    if (code == MPI_SUCCESS) {
        pmpi_begin();
        code = PMPI_Waitsome(n, request, n_over, index, status);
        end_some(*n_over, index, before, request);
    }
    return code;
}

int
MPI_Cancel(MPI_Request *request)
{
    pmpi_message *it = find(*request);

    if (it != NULL && it->is_deferred) {
        pmpi_begin();
    }
    HAND_ON(PMPI_Cancel(request));
}

/* A late receive that is forgotten keeps its memory, in which MPI may write. */
int
MPI_Request_free(MPI_Request *request)
{
    pmpi_message *it = find(*request);
    int code = pmpi_enter(__func__);

    if (code != MPI_SUCCESS) {
        return code;
    }
    if (it != NULL) {
        it->memory = NULL;
        leave(it);
    }
    return PMPI_Request_free(request);
}
