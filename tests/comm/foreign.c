/* SPDX-License-Identifier: BSD-3-Clause
 *
 * create_launched() under the launcher of another MPI, which starts many
 * processes that each believe to be alone.
 */
#include <stdlib.h>

#include "paulimpi/context.h"
#include "tap/tap.h"

int
main(int argc, char **argv)
{
    paulimpi_context *ctx = (paulimpi_context *)&argc;
    int is_finalised = 0;

    setenv("OMPI_COMM_WORLD_RANK", "0", 1);
    setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    tap_is_status(paulimpi_context_create_launched(&argc, &argv, &ctx),
                  PAULIMPI_ERR_STATE, "a launcher of another MPI is refused");
    tap_ok(ctx == NULL, "without a handle");
    tap_contains(paulimpi_last_error(),
                 "started 4 processes, but MPI finds only this one",
                 "with a sentence");
    MPI_Finalized(&is_finalised);
    tap_is_int(is_finalised, 1, "and MPI is ended, as it was begun");
    tap_is_status(paulimpi_context_create_launched(&argc, &argv, &ctx),
                  PAULIMPI_ERR_STATE, "it cannot be begun again");
    tap_contains(paulimpi_last_error(), "already finalised",
                 "which is said too");
    return tap_done();
}
