/* SPDX-License-Identifier: BSD-3-Clause
 *
 * libpaulimpi: table of contents.
 */
#ifndef PAULIMPI_H
#define PAULIMPI_H

#include "paulimpi/account.h"    /* what was copied and sent */
#include "paulimpi/aware.h"      /* what MPI does with memory of devices */
#include "paulimpi/circuit.h"    /* gates, channels, OpenQASM, builders */
#include "paulimpi/collective.h" /* broadcast, reduce, all to all */
#include "paulimpi/context.h"    /* ranks and threads */
#include "paulimpi/device.h"     /* GPUs, memory, streams */
#include "paulimpi/exchange.h"   /* regions, messages, plans */
#include "paulimpi/launch.h"     /* what is known before MPI_Init */
#include "paulimpi/pauli.h"      /* one Pauli string */
#include "paulimpi/propagate.h"  /* a sum through a circuit */
#include "paulimpi/random.h"     /* numbers that any rank can repeat */
#include "paulimpi/segment.h"    /* memory that ranks of a node share */
#include "paulimpi/status.h"     /* error codes and sentences */
#include "paulimpi/sum.h"        /* sums of strings, read-outs, files */
#include "paulimpi/type.h"       /* types of elements */
#include "paulimpi/version.h"    /* version of the library and its MPI */

#endif /* PAULIMPI_H */
