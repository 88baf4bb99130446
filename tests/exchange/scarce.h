/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plans where one rank has too little memory, wherever it runs out.
 */
#ifndef TESTS_EXCHANGE_SCARCE_H
#define TESTS_EXCHANGE_SCARCE_H

#include "base/base.h"
#include "paulimpi/exchange.h"
#include "tap/tap_mpi.h"

/* Make a plan again and again, while the first, second, ... allocation of rank
 * 1 fails, until there are no more. */
static inline void
test_scarce(int rank, int (*make)(paulimpi_plan **plan_p))
{
    int want = rank == 1 ? PAULIMPI_ERR_MEMORY : PAULIMPI_ERR_REMOTE;
    paulimpi_plan *plan;
    int n_wrong = 0;
    int n = 0;
    int rc;

    do {
        n++;
        paulimpi__alloc_fail_at(rank == 1 ? n : 0);
        rc = make(&plan);
        n_wrong += rc != PAULIMPI_SUCCESS && (rc != want || plan != NULL);
        paulimpi_plan_destroy(&plan);
    } while (rc != PAULIMPI_SUCCESS && n < 200);
    paulimpi__alloc_fail_at(0);
    tap_mpi_ok(n > 20 && n_wrong == 0, "no memory on one rank: all fail");
}

#endif /* TESTS_EXCHANGE_SCARCE_H */
