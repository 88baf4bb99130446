/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The part of files of terms that needs other ranks. All of it is collective.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_FILE_RANKS_H
#define PAULIMPI_SRC_PROPAGATE_FILE_RANKS_H

#include "propagate/file.h"

/** What each rank brings, in a new array in the order of the ranks. */
int paulimpi__gather_shares(paulimpi_context *ctx, const char *function,
                            paulimpi__share mine, paulimpi__share **shares_p);
/** All of it together. Local. */
paulimpi__share paulimpi__add_shares(paulimpi_context *ctx,
                                     const paulimpi__share *shares);

/** Let all ranks know the name of the file that rank 0 has opened. */
int paulimpi__share_name(paulimpi__writing *w);

/** Write the terms of all ranks but 0 from rank 0, which is sent them in
 * pieces. code is how rank 0 has fared so far; after a failure the pieces are
 * sent for nothing. Returns code, or the failure. */
int paulimpi__put_others(paulimpi__writing *w, const paulimpi__format *format,
                         int code);

/** The rows of a file that this rank reads: from *begin_p to *end_p - 1.
 * Local. */
void paulimpi__file_slice(paulimpi_context *ctx, int64_t n_terms,
                          int64_t *begin_p, int64_t *end_p);

/** Add fingerprints of all ranks. */
int paulimpi__add_prints(paulimpi_context *ctx, const char *function,
                         uint64_t *print_p);

#endif /* PAULIMPI_SRC_PROPAGATE_FILE_RANKS_H */
