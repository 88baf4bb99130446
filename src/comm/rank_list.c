/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists of ranks in sentences.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "comm/call.h"

enum { MOST_NAMED = 8 };

void
paulimpi__ranks_describe(int64_t n, const unsigned char *is_in,
                         const int *rank_of, char text[PAULIMPI__RANKS_TEXT])
{
    size_t length;
    int64_t n_in = 0;
    int64_t named = 0;
    int64_t i;

    for (i = 0; i < n; i++) {
        n_in += is_in[i] != 0;
    }
    snprintf(text, PAULIMPI__RANKS_TEXT, n_in == 1 ? "rank" : "ranks");
    for (i = 0; i < n && named < MOST_NAMED; i++) {
        if (is_in[i]) {
            length = strlen(text);
            snprintf(text + length, PAULIMPI__RANKS_TEXT - length,
                     "%s %" PRId64, named > 0 ? "," : "",
                     rank_of != NULL ? rank_of[i] : i);
            named++;
        }
    }
    if (named < n_in) {
        length = strlen(text);
        snprintf(text + length, PAULIMPI__RANKS_TEXT - length,
                 " and %" PRId64 " more", n_in - named);
    }
}
