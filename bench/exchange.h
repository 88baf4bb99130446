/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plans of messages against plain MPI calls for the same messages.
 */
#ifndef BENCH_EXCHANGE_H
#define BENCH_EXCHANGE_H

#include <paulimpi.h>

/** Initialise MPI, which raw calls need, and make a context on all ranks.
 * Before the library reads it the environment is set as bench_exchange() wants
 * it.
 *
 * @return as paulimpi_context_create() */
int bench_exchange_begin(int *argc, char ***argv, paulimpi_context **ctx_p);

/** Run all of it on one or two ranks, and print on rank 0 what came of it.
 * Collective.
 *
 * @param repeats  the more, the more pairs of runs are compared
 * @return the code of the function of the library that failed, or
 *         PAULIMPI_ERR_MEMORY */
int bench_exchange(paulimpi_context *ctx, int repeats, int as_json);

/** Forget the context and finalise MPI. */
void bench_exchange_end(paulimpi_context **ctx_p);

#endif /* BENCH_EXCHANGE_H */
