/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the Fortran module of collective operations needs from C where the
 * compiler hands arrays over with a description.
 */
#ifndef PAULIMPI_FORTRAN_FSHIM_COLLECTIVE_H
#define PAULIMPI_FORTRAN_FSHIM_COLLECTIVE_H

#include <ISO_Fortran_binding.h>
#include <stdint.h>

#include "paulimpi/exchange.h"

/** An array as collective operations take it. */
typedef struct {
    paulimpi_buffer *copy; /**< of its elements; NULL: it is taken itself */
    void *address;         /**< of either; NULL after a failure */
    int64_t elements;      /**< -1: not known */
    int64_t bytes;         /**< likewise */
    int type;              /**< PAULIMPI_BYTE...; 0: none of these */
    int code;              /**< of the failure */
    int use;
    int describes_target;
} paulimpi_f_loan;

/** How the compiler describes a scalar type(c_ptr): 1 if by what it points to,
 * 0 if by where it is.
 *
 * @param nowhere  c_null_ptr, come through a dummy argument type(*) */
int paulimpi_f_describes_target(const CFI_cdesc_t *nowhere);

/** Lend an array. A scalar type(c_ptr) is an address, and lends what is there.
 * Elements that do not lie side by side are copied. Local.
 *
 * @param loan     its use is set: PAULIMPI_BUFFER_SEND or also RECEIVE; and
 *                 its describes_target
 * @param options  whose streams and events a copy waits for */
void paulimpi_f_lend(const CFI_cdesc_t *array, paulimpi_context *ctx,
                     const paulimpi_exchange_options *options,
                     paulimpi_f_loan *loan);

/** Make a loan fail with a sentence: a collective call must be made
 * nevertheless, so that it fails on all ranks. */
void paulimpi_f_spoil(paulimpi_f_loan *loan, const char *sentence);

/** Give the loan back; with commit what came into a copy goes to its place.
 * @return as paulimpi_buffer_release() */
int paulimpi_f_give_back(paulimpi_f_loan *loan, int commit);

#endif /* PAULIMPI_FORTRAN_FSHIM_COLLECTIVE_H */
