/* SPDX-License-Identifier: BSD-3-Clause
 *
 * TAP for programs on several ranks.
 */
#include "tap/tap_mpi.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paulimpi/status.h"

enum { DIAGNOSIS = 512 };

static int n_failed = 0;

/* Join the verdicts, and let rank 0 print them with the diagnosis of the
 * lowest rank that failed. */
static int
report(int condition, const char *fact, va_list arguments,
       const char *diagnosis)
{
    char text[DIAGNOSIS];
    char words[DIAGNOSIS];
    int rank;
    int size;
    int first;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    first = condition ? size : rank;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first < size) {
        snprintf(text, sizeof text, "%s", diagnosis);
        MPI_Bcast(text, sizeof text, MPI_CHAR, first, MPI_COMM_WORLD);
        n_failed++;
    }
    if (rank == 0) {
        vsnprintf(words, sizeof words, fact, arguments);
        tap_ok(first == size, "%s", words);
        if (first < size) {
            tap_note("rank %d: %s", first, text);
        }
    }
    return first == size;
}

int
tap_mpi_ok(int condition, const char *fact, ...)
{
    va_list arguments;

    va_start(arguments, fact);
    condition = report(condition != 0, fact, arguments, "does not hold");
    va_end(arguments);
    return condition;
}

int
tap_mpi_is_int(int64_t got, int64_t want, const char *fact, ...)
{
    va_list arguments;
    char diagnosis[DIAGNOSIS];
    int holds;

    snprintf(diagnosis, sizeof diagnosis, "got %" PRId64 ", want %" PRId64,
             got, want);
    va_start(arguments, fact);
    holds = report(got == want, fact, arguments, diagnosis);
    va_end(arguments);
    return holds;
}

int
tap_mpi_is_status(int got, int want, const char *fact, ...)
{
    va_list arguments;
    char diagnosis[DIAGNOSIS];
    int holds;

    snprintf(diagnosis, sizeof diagnosis, "got %s, want %s; last error: %s",
             paulimpi_error_name(got), paulimpi_error_name(want),
             paulimpi_last_error());
    va_start(arguments, fact);
    holds = report(got == want, fact, arguments, diagnosis);
    va_end(arguments);
    return holds;
}

void
tap_mpi_begin(const char *program)
{
    const char *np = NULL;
    const char *next;
    int size;

    for (next = program; (next = strstr(next, "_np")) != NULL; next += 3) {
        np = next;
    }
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (np != NULL && size != atoi(np + 3)) {
        tap_mpi_bail("the world has %d ranks, not %d: the launcher is of "
                     "another MPI",
                     size, atoi(np + 3));
    }
}

void
tap_mpi_skip_all(const char *reason)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    if (rank == 0) {
        tap_skip_all(reason);
    }
    exit(0);
}

void
tap_mpi_each_size(void (*check)(MPI_Comm comm, int size, int inside))
{
    MPI_Comm comm;
    int rank;
    int most;
    int size;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &most);
    for (size = 1; size <= most; size++) {
        MPI_Comm_split(MPI_COMM_WORLD, rank < size ? 0 : MPI_UNDEFINED, rank,
                       &comm);
        check(comm, size, rank < size);
        if (comm != MPI_COMM_NULL) {
            MPI_Comm_free(&comm);
        }
    }
}

void
tap_mpi_bail(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    printf("Bail out! ");
    vprintf(format, arguments);
    printf("\n");
    fflush(stdout);
    va_end(arguments);
    MPI_Abort(MPI_COMM_WORLD, 99);
    exit(99);
}

int
tap_mpi_done(void)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        tap_done();
    }
    return n_failed != 0;
}
