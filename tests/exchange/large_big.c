/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A message of more than 2^31 bytes, each way at a time.
 */
#include <stdlib.h>

#include "paulimpi/exchange.h"
#include "tap/tap_mpi.h"

static const size_t bytes = (size_t)2200 << 20;

static unsigned char
value(size_t i, int rank)
{
    return (unsigned char)(i * 7 + (i >> 22) * 31 + (size_t)rank);
}

int
main(int argc, char **argv)
{
    int64_t n_wrong = 0;
    paulimpi_context *ctx;
    unsigned char *sent, *received;
    int status, rank;
    size_t i;

    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    rank = paulimpi_context_rank(ctx);
    sent = malloc(bytes);
    received = calloc(bytes, 1);
    if (sent == NULL || received == NULL) {
        tap_mpi_bail("no memory for %zu bytes", 2 * bytes);
    }
    for (i = 0; i < bytes; i++) {
        sent[i] = value(i, rank);
    }
    tap_mpi_is_status(
        paulimpi_exchange(
            ctx, 1,
            &(paulimpi_message){ paulimpi_region_1d(sent, bytes), 1 - rank,
                                 1 },
            1,
            &(paulimpi_message){ paulimpi_region_1d(received, bytes), 1 - rank,
                                 1 },
            NULL),
        PAULIMPI_SUCCESS, "a message of %zu bytes is exchanged", bytes);
    for (i = 0; i < bytes; i++) {
        n_wrong += received[i] != value(i, 1 - rank);
    }
    tap_mpi_is_int(n_wrong, 0, "its bytes arrive");
    free(sent);
    free(received);
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
