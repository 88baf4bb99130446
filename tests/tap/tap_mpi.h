/* SPDX-License-Identifier: BSD-3-Clause
 *
 * TAP for programs on several ranks. All ranks call each check, in the same
 * order; it holds if it holds on all of them. Only rank 0 speaks, because the
 * lines of different ranks arrive in any order.
 */
#ifndef TESTS_TAP_MPI_H
#define TESTS_TAP_MPI_H

#include <mpi.h>

#include "tap/tap.h"

/* Begin, after MPI_Init. Bails out if the world is not of the size that the
 * _npN.t in the name of the program asks for: a launcher of another MPI starts
 * N worlds of 1 rank each. */
void tap_mpi_begin(const char *program);
/* Collective. The diagnosis names the ranks on which the condition failed. */
int tap_mpi_ok(int condition, const char *fact, ...) TAP_PRINTF(2, 3);
int tap_mpi_is_int(int64_t got, int64_t want, const char *fact, ...)
    TAP_PRINTF(3, 4);
int tap_mpi_is_status(int got, int want, const char *fact, ...)
    TAP_PRINTF(3, 4);
/* Run check on a communicator of each size from 1 to that of the world, with
 * the ranks that are in it; the others wait. Checks within are on world. */
void tap_mpi_each_size(void (*check)(MPI_Comm comm, int size, int inside));
/* Nothing can be tested here; ends MPI and does not return. Collective, before
 * any check. */
void tap_mpi_skip_all(const char *reason);
/* Nothing more can be tested, on whichever rank; does not return. */
void tap_mpi_bail(const char *format, ...) TAP_PRINTF(1, 2);
/* Print the plan; the exit status of main, the same on all ranks. Before
 * MPI_Finalize. */
int tap_mpi_done(void);

#endif /* TESTS_TAP_MPI_H */
