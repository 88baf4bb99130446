/* SPDX-License-Identifier: BSD-3-Clause
 *
 * create_launched() under a launcher: the library begins MPI and ends it with
 * the last context.
 */
#include "paulimpi/context.h"

#include "base/base.h"
#include "comm/comm.h"
#include "tap/tap.h"
#include "tap/tap_mpi.h"

static int
is_active(void)
{
    int is_initialised = 0;
    int is_finalised = 0;

    MPI_Initialized(&is_initialised);
    MPI_Finalized(&is_finalised);
    return is_initialised && !is_finalised;
}

/* Facts about the world, which a launcher made. */
static void
check_first(paulimpi_context *ctx, int rank, int size)
{
    int level = -1;

    MPI_Query_thread(&level);
    tap_mpi_ok(level >= MPI_THREAD_FUNNELED, "MPI has a thread level");
    tap_mpi_is_int(paulimpi_context_size(ctx), size,
                   "the context has all ranks");
    tap_mpi_is_int(paulimpi_context_rank(ctx), rank, "in their order");
}

int
main(int argc, char **argv)
{
    paulimpi_context *first, *second, *third, *held;
    int rank, size;
    int rc;

    rc = paulimpi_context_create_launched(&argc, &argv, &first);
    if (rc != PAULIMPI_SUCCESS) {
        tap_bail("%s", paulimpi_last_error());
    }
    if (!is_active()) {
        tap_skip_all("no launcher");
    }
    tap_mpi_begin(argv[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check_first(first, rank, size);

    tap_mpi_is_status(paulimpi_context_create_launched(NULL, NULL, &second),
                      PAULIMPI_SUCCESS, "a second context can be made");
    paulimpi__alloc_fail_at(rank == 0 ? 1 : 0);
    tap_mpi_is_status(paulimpi_context_create_launched(NULL, NULL, &third),
                      rank == 0 ? PAULIMPI_ERR_MEMORY : PAULIMPI_ERR_REMOTE,
                      "one that fails");
    tap_mpi_ok(is_active() && third == NULL, "does not end MPI");
    tap_mpi_is_status(paulimpi_context_create(MPI_COMM_SELF, NULL, &third),
                      PAULIMPI_SUCCESS, "a third one is on this rank alone");
    paulimpi_context_destroy(&first);
    tap_mpi_ok(is_active(), "the first is gone, MPI is not");
    held = second;
    paulimpi__context_retain(held);
    paulimpi_context_destroy(&second);
    paulimpi_context_destroy(&third);
    tap_mpi_ok(is_active(), "an object keeps its context, and so MPI");

    /* From here on only rank 0 goes on: there is no MPI any more. */
    paulimpi__context_release(held);
    if (rank != 0) {
        return is_active();
    }
    tap_ok(!is_active(), "with the last object MPI ends");
    tap_is_status(paulimpi_context_create_launched(NULL, NULL, &first),
                  PAULIMPI_ERR_STATE, "and cannot begin again");
    return tap_done();
}
