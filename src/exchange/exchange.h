/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The face of the exchange module: its public functions, and one for the
 * modules above it.
 */
#ifndef PAULIMPI_SRC_EXCHANGE_H
#define PAULIMPI_SRC_EXCHANGE_H

/* The library itself is no place in a program. */
#ifndef PAULIMPI_NO_PLACES
#define PAULIMPI_NO_PLACES
#endif

#include "comm/comm.h"
#include "paulimpi/account.h"
#include "paulimpi/aware.h"
#include "paulimpi/collective.h"
#include "paulimpi/exchange.h"

/** Trade numbers with all ranks as paulimpi__trade_numbers() does, and count a
 * message of the host to each other rank. Collective. */
int paulimpi__trade(paulimpi_context *ctx, const char *function,
                    const paulimpi__lists *give, paulimpi__lists *take);

#endif /* PAULIMPI_SRC_EXCHANGE_H */
