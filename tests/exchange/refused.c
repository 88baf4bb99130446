/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is refused before anything is posted: memory that is used twice, of 64
 * bytes and of 4 MiB, a peer, a tag and a region that cannot be. Rank 0 is
 * without fault, and waits for nothing with PAULIMPI_CHECK=collective.
 */
#include <stdlib.h>
#include <string.h>

#include "mock/shim.h"
#include "paulimpi/exchange.h"
#include "tap/tap_mpi.h"

enum { MOST = 4 << 20, ROOM = 3 * MOST };

static paulimpi_context *ctx;
static int rank;
static char *memory;

static paulimpi_message
message(size_t at, size_t bytes, int tag)
{
    return (paulimpi_message){ paulimpi_region_1d(memory + at, bytes),
                               1 - rank, tag };
}

/* Messages that MPI was given. */
static int64_t
posts(void)
{
    return shim_calls("MPI_Isend") + shim_calls("MPI_Irecv");
}

/* Two receives and a send; those of rank 1 cannot be. */
static void
refuse(const paulimpi_message *send, const paulimpi_message *receives,
       int code, const char *part, const char *fact)
{
    int64_t before = posts();
    int want = rank == 1 ? code : PAULIMPI_ERR_REMOTE;
    paulimpi_plan *plan = NULL;
    int rc;

    if (rank == 1) {
        rc = paulimpi_exchange(ctx, 1, send, 2, receives, NULL);
    } else {
        rc = code;
    }
    tap_mpi_is_status(rc, code, "%s", fact);
    setenv("PAULIMPI_CHECK", "collective", 1);
    rc = paulimpi_exchange(ctx, 1, send, 2, receives, NULL);
    unsetenv("PAULIMPI_CHECK");
    tap_mpi_is_status(rc, want, "on all ranks, if all are asked");
    tap_mpi_ok(strstr(paulimpi_last_error(), part) != NULL,
               "with a sentence: %s", part);
    rc = paulimpi_plan_create(ctx, 1, send, 2, receives, NULL, &plan);
    tap_mpi_is_status(rc, want, "and in a plan");
    tap_mpi_ok(plan == NULL, "which there is not");
    tap_mpi_is_int(posts() - before, 0, "MPI was given nothing");
}

static void
test_overlap(size_t bytes)
{
    paulimpi_message send = message(2 * bytes, bytes, 1);
    paulimpi_message receives[2] = { message(0, bytes, 1),
                                     message(bytes, bytes, 2) };

    receives[1] = message(rank == 1 ? bytes - 1 : bytes, bytes, 2);
    refuse(&send, receives, PAULIMPI_ERR_OVERLAP, "use the same memory",
           bytes == MOST ? "two receives of 4 MiB that share a byte"
                         : "two receives that share a byte");
    receives[1] = message(rank == 1 ? 2 * bytes : bytes, bytes, 2);
    refuse(&send, receives, PAULIMPI_ERR_OVERLAP, "use the same memory",
           bytes == MOST ? "4 MiB that are sent and received into"
                         : "memory that is sent and received into");
}

static void
test_others(void)
{
    paulimpi_message send = message(128, 64, 1);
    paulimpi_message receives[2] = { message(0, 64, 1), message(64, 64, 2) };

    receives[1].peer = rank == 1 ? 2 : 1;
    refuse(&send, receives, PAULIMPI_ERR_ARGUMENT,
           "receives[1]: peer is 2, but the context has ranks from 0 to 1",
           "a peer that is none");
    receives[1] = message(64, 64, rank == 1 ? -3 : 2);
    refuse(&send, receives, PAULIMPI_ERR_ARGUMENT, "receives[1]: tag is -3",
           "a tag that is none");
    receives[1] = message(64, 64, 2);
    send.region.element = rank == 1 ? 0 : send.region.element;
    refuse(&send, receives, PAULIMPI_ERR_ARGUMENT, "sends[0]",
           "a region that is none");
}

int
main(int argc, char **argv)
{
    int status;

    unsetenv("PAULIMPI_CHECK");
    setenv("PAULIMPI_TIMEOUT", "60", 0);
    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    rank = paulimpi_context_rank(ctx);
    memory = malloc(ROOM);
    test_overlap(64);
    test_overlap(MOST);
    test_others();
    free(memory);
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
