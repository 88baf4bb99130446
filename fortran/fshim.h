/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the Fortran modules need from C beyond the public functions: not for
 * users.
 */
#ifndef PAULIMPI_FORTRAN_FSHIM_H
#define PAULIMPI_FORTRAN_FSHIM_H

#include "paulimpi/context.h"

/** paulimpi_context_create() on a communicator of the Fortran program. */
int paulimpi_f_context_create(MPI_Fint comm,
                              const paulimpi_context_options *options,
                              paulimpi_context **ctx_p);

/** Keep a sentence of the Fortran modules, cut if it is too long, as this
 * thread's last error. */
void paulimpi_f_refuse(const char *sentence);

/** A function of the C library failed: its sentence is the last error. */
void paulimpi_f_forget_refusal(void);

/** The last error, of the Fortran modules or of the C library. */
const char *paulimpi_f_last_error(void);

/** Abort the job if MPI runs; return if it does not. */
void paulimpi_f_abort(void);

#endif /* PAULIMPI_FORTRAN_FSHIM_H */
