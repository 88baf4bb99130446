/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The circuit that a tool reads, on all ranks.
 */
#ifndef TOOLS_CIRCUIT_INPUT_H
#define TOOLS_CIRCUIT_INPUT_H

#include <paulimpi.h>

/** Read a circuit, with values of its inputs if it is in a file: each rank from
 * the file, or all from the standard input of rank 0, which other ranks do not
 * have. Collective.
 * @return an exit status, the same on all ranks; *circuit_p is NULL after a
 * failure, but where only others failed */
int circuit_input_read(paulimpi_context *ctx, const char *path,
                       int64_t n_inputs, const paulimpi_input *inputs,
                       paulimpi_circuit **circuit_p);

#endif /* TOOLS_CIRCUIT_INPUT_H */
