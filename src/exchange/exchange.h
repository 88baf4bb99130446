/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The face of the exchange module: its public functions.
 */
#ifndef PAULIMPI_SRC_EXCHANGE_H
#define PAULIMPI_SRC_EXCHANGE_H

/* The library itself is no place in a program. */
#ifndef PAULIMPI_NO_PLACES
#define PAULIMPI_NO_PLACES
#endif

#include "paulimpi/account.h"
#include "paulimpi/aware.h"
#include "paulimpi/collective.h"
#include "paulimpi/exchange.h"

#endif /* PAULIMPI_SRC_EXCHANGE_H */
