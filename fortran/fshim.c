/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the Fortran modules need from C: communicators, a last error of their
 * own, and the end of a job that asked for no error codes.
 */
#include "fshim.h"

#include <stdio.h>
#include <time.h>

/* The checks that only Fortran can make (shapes of arrays) fail outside of the
 * C library, which keeps its own last error. Empty: the C library's is the
 * newer one. */
static _Thread_local char refusal[256];

static int
mpi_runs(void)
{
    int initialized = 0;
    int finalized = 0;

    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    return initialized && !finalized;
}

int
paulimpi_f_context_create(MPI_Fint comm,
                          const paulimpi_context_options *options,
                          paulimpi_context **ctx_p)
{
    /* MPI_Comm_f2c may abort where MPI does not run; then the C function
     * refuses whatever it is given. */
    return paulimpi_context_create(
        mpi_runs() ? MPI_Comm_f2c(comm) : MPI_COMM_NULL, options, ctx_p);
}

void
paulimpi_f_refuse(const char *sentence)
{
    snprintf(refusal, sizeof refusal, "%s", sentence);
}

void
paulimpi_f_forget_refusal(void)
{
    refusal[0] = '\0';
}

const char *
paulimpi_f_last_error(void)
{
    return refusal[0] != '\0' ? refusal : paulimpi_last_error();
}

void
paulimpi_f_abort(void)
{
    /* The whole world: not every object knows a communicator, the one that a
     * context was made on may be freed by now, and a job that lost one rank
     * of it cannot go on. */
    if (mpi_runs()) {
        /* A launcher may end before it has read what this rank wrote: Hydra
         * was seen to lose the sentence now and then. */
        nanosleep(&(struct timespec){ 0, 200000000 }, NULL);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}
