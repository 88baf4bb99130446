/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAULIMPI_CHECK=collective: all ranks fail alike, before anything is posted,
 * and what ranks send is compared with what others receive.
 */
#include <stdlib.h>
#include <string.h>

#include "exchange/scarce.h"

static paulimpi_context *ctx;
static int rank;
static char memory[4096];

static paulimpi_message
message(size_t at, size_t bytes, int peer, int tag)
{
    return (paulimpi_message){ paulimpi_region_1d(memory + at, bytes), peer,
                               tag };
}

/* Rank 0 sends, rank 1 receives, rank 2 does nothing. One fails, the others
 * hear of it, in an exchange and when a plan is made. */
static void
test(int n_sends, const paulimpi_message *sends, int n_receives,
     const paulimpi_message *receives, int failing, int code,
     const char *sentence, const char *fact)
{
    int want = failing < 0       ? PAULIMPI_SUCCESS
               : failing == rank ? code
                                 : PAULIMPI_ERR_REMOTE;
    paulimpi_plan *plan;
    int i, rc;

    n_sends = rank == 0 ? n_sends : 0;
    n_receives = rank == 1 ? n_receives : 0;
    for (i = 0; i < 2; i++) {
        rc = i == 0 ? paulimpi_exchange(ctx, n_sends, sends, n_receives,
                                        receives, NULL)
                    : paulimpi_plan_create(ctx, n_sends, sends, n_receives,
                                           receives, NULL, &plan);
        tap_mpi_is_status(rc, want, "%s", fact);
        tap_mpi_ok(failing < 0
                       || strstr(paulimpi_last_error(), sentence) != NULL,
                   "with a sentence");
    }
    paulimpi_plan_destroy(&plan);
}

static void
test_ends(void)
{
    paulimpi_message sends[2] = { message(0, 8, 1, 3), message(8, 16, 1, 3) };
    paulimpi_message receives[2] = { message(100, 8, 0, 3),
                                     message(116, 16, 0, 3) };
    paulimpi_message changed[2];

    test(2, sends, 2, receives, -1, 0, NULL, "what fits is fine");
    test(2, sends, 1, receives, 1, PAULIMPI_ERR_MISMATCH,
         "sends[1] of rank 0 to rank 1, tag 3, 16 bytes: no receive there "
         "takes it",
         "a send without a receive");
    test(1, sends, 2, receives, 1, PAULIMPI_ERR_MISMATCH,
         "receives[1] of rank 1 from rank 0, tag 3, 16 bytes: no send there "
         "meets it",
         "a receive without a send");
    memcpy(changed, receives, sizeof changed);
    changed[0] = receives[1];
    changed[1] = receives[0];
    test(2, sends, 2, changed, 1, PAULIMPI_ERR_MISMATCH,
         "sends[0] of rank 0 to rank 1, tag 3, has 8 bytes, but receives[0] "
         "there, which takes it, has 16",
         "messages in another order");
    changed[0].peer = PAULIMPI_PEER_ANY;
    changed[0].region = receives[0].region;
    changed[1].region = receives[1].region;
    changed[1].peer = MPI_ANY_SOURCE;
    test(2, sends, 2, changed, -1, 0, NULL, "receives from any rank");
    changed[1].tag = 4;
    test(2, sends, 2, changed, 1, PAULIMPI_ERR_MISMATCH,
         "sends[1] of rank 0 to rank 1, tag 3", "another tag");
    test(1, sends, 2, changed, 1, PAULIMPI_ERR_MISMATCH,
         "receives[1] of rank 1 from any rank, tag 4",
         "one from any rank that nobody sends");
    changed[1].peer = 9;
    test(2, sends, 2, changed, 1, PAULIMPI_ERR_ARGUMENT,
         "receives[1]: peer is 9, but the context has ranks from 0 to 2",
         "a fault of one rank");
}

/* A message around all ranks. */
static int
make_ring(paulimpi_plan **plan_p)
{
    paulimpi_message send = message(0, 8, (rank + 1) % 3, 3);
    paulimpi_message receive = message(100, 8, (rank + 2) % 3, 3);

    return paulimpi_plan_create(ctx, 1, &send, 1, &receive, NULL, plan_p);
}

int
main(int argc, char **argv)
{
    int status;

    setenv("PAULIMPI_CHECK", "collective", 1);
    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    rank = paulimpi_context_rank(ctx);
    test_ends();
    test_scarce(rank, make_ring);
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
