/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What nodes.sh runs: two ranks on each of two hosts are two nodes, and their
 * segments stay inside.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "paulimpi/segment.h"
#include "tap/tap_mpi.h"

static int rank;

static void
check_hosts(const paulimpi_placement *place)
{
    char name[4][MPI_MAX_PROCESSOR_NAME + 1];
    int length;

    memset(name, 0, sizeof name);
    MPI_Get_processor_name(name[rank], &length);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, name, sizeof name[0],
                  MPI_CHAR, MPI_COMM_WORLD);
    tap_mpi_ok(strcmp(name[0], name[1]) == 0 && strcmp(name[2], name[3]) == 0
                   && strcmp(name[0], name[2]) != 0,
               "the ranks are on two hosts");
    tap_mpi_ok(place->nodes == 2 && place->node == rank / 2
                   && place->node_ranks == 2 && place->node_rank == rank % 2,
               "each of which is a node");
}

static void
check_segment(paulimpi_context *ctx, const char *way)
{
    paulimpi_segment *segment = NULL;
    char *part;
    char *text = NULL;
    int64_t bytes;
    int i, rc;
    int holds = 1;

    setenv("PAULIMPI_SEGMENT", way, 1);
    rc = paulimpi_segment_create(ctx, 1000 + rank, NULL, &segment);
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "a segment on each: %s", way);
    paulimpi_segment_part(segment, rank % 2, (void **)&part, &bytes);
    memset(part, 1 + rank, (size_t)bytes);
    tap_mpi_is_status(paulimpi_segment_sync(segment), PAULIMPI_SUCCESS,
                      "waits for the other rank of the node");
    for (i = 0; i < 2; i++) {
        int owner = rank / 2 * 2 + i;

        paulimpi_segment_part(segment, i, (void **)&part, &bytes);
        holds = holds && bytes == 1000 + owner && part[0] == 1 + owner
                && part[bytes - 1] == 1 + owner;
    }
    tap_mpi_ok(holds, "and shows its part");
    paulimpi_segment_explain(segment, &text);
    tap_mpi_ok(
        text != NULL && strstr(text, way) != NULL
            && strstr(text, rank < 2 ? "node 0: 2 ranks" : "node 1: 2 ranks")
                   != NULL,
        "as it explains");
    paulimpi_text_destroy(&text);
    paulimpi_segment_destroy(&segment);
    unsetenv("PAULIMPI_SEGMENT");
}

static void
check_no_room(paulimpi_context *ctx)
{
    paulimpi_segment *segment = (paulimpi_segment *)&rank;
    int64_t much = INT64_C(1) << 55;

    tap_mpi_is_status(
        paulimpi_segment_create(ctx, rank == 3 ? much : 1, NULL, &segment),
        PAULIMPI_ERR_MEMORY, "what one host has no room for all refuse");
    tap_mpi_ok(segment == NULL
                   && strstr(paulimpi_last_error(), "the parts of node 1")
                          != NULL,
               "with its node");
}

int
main(int argc, char **argv)
{
    paulimpi_placement place = PAULIMPI_PLACEMENT_INIT;
    paulimpi_context *ctx;
    int provided, status;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    tap_mpi_begin(argv[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx)
        != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no context: %s", paulimpi_last_error());
    }
    paulimpi_context_placement(ctx, &place);
    check_hosts(&place);
    check_segment(ctx, "mapping");
    check_segment(ctx, "window");
    check_no_room(ctx);
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
