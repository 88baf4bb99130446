/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers between all ranks where everybody knows how many come: no agreement
 * comes first, so that it costs one latency.
 */
#include "exchange/account.h"
#include "exchange/exchange.h"

int
paulimpi__trade(paulimpi_context *ctx, const char *function,
                const paulimpi__lists *give, paulimpi__lists *take)
{
    int rc = paulimpi__trade_numbers(ctx, function, give, take);
    int self = paulimpi_context_rank(ctx);
    int i;

    for (i = 0; i < paulimpi_context_size(ctx) && rc == PAULIMPI_SUCCESS;
         i++) {
        if (i != self) {
            paulimpi__count(PAULIMPI_COUNT_MPI_HOST,
                            (int64_t)sizeof *give->number * give->count[i]);
        }
    }
    return rc;
}
