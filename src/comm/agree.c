/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Agreement between ranks, and errors of MPI as sentences.
 */
#include "comm/comm.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "comm/state.h"

int
paulimpi__mpi_error(int mpi_code, const char *function, const char *call)
{
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;

    if (mpi_code == MPI_SUCCESS) {
        return PAULIMPI_SUCCESS;
    }

    /* MPI has no words while it is not initialised. */
    if (paulimpi__mpi_is_active()) {
        MPI_Error_string(mpi_code, text, &length);
    } else {
        snprintf(text, sizeof text, "error code %d", mpi_code);
    }
    return paulimpi__error(PAULIMPI_ERR_MPI, "%s: %s: %s", function, call,
                           text);
}

/* Let every rank know the sentence of the one that failed. */
static int
hear_from(MPI_Comm comm, int failed, int code)
{
    char sentence[PAULIMPI__ERROR_TEXT];
    char text[PAULIMPI__ERROR_TEXT + sizeof "rank -2147483648: "];
    int rc;

    memset(sentence, 0, sizeof sentence);
    if (code != PAULIMPI_SUCCESS) {
        snprintf(sentence, sizeof sentence, "%s", paulimpi_last_error());
    }
    rc = paulimpi__mpi_error(
        MPI_Bcast(sentence, sizeof sentence, MPI_CHAR, failed, comm),
        "agreement between ranks", "MPI_Bcast");
    if (code != PAULIMPI_SUCCESS) {
        return code;
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }

    /* Not by paulimpi__error(): the rank on which it began has logged it. */
    snprintf(text, sizeof text, "rank %d: %s", failed, sentence);
    paulimpi__error_set_text(text);
    return PAULIMPI_ERR_REMOTE;
}

int
paulimpi__agree_on(MPI_Comm comm, int code)
{
    int rank, size, mine, failed;
    int rc;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);

    /* The lowest rank that failed; size if none did. */
    mine = code == PAULIMPI_SUCCESS ? size : rank;
    failed = size;
    rc = paulimpi__mpi_error(
        MPI_Allreduce(&mine, &failed, 1, MPI_INT, MPI_MIN, comm),
        "agreement between ranks", "MPI_Allreduce");
    if (rc != PAULIMPI_SUCCESS) {
        return code != PAULIMPI_SUCCESS ? code : rc;
    }
    return failed == size ? PAULIMPI_SUCCESS : hear_from(comm, failed, code);
}

int
paulimpi__agree(paulimpi_context *ctx, int code)
{
    return ctx->size == 1 ? code : paulimpi__agree_on(ctx->comm, code);
}

int
paulimpi__require_one_rank(const paulimpi_context *ctx, const char *function)
{
    if (ctx->size == 1) {
        return PAULIMPI_SUCCESS;
    }
    return paulimpi__error(PAULIMPI_ERR_UNSUPPORTED,
                           "%s: the context has %d ranks, but this version "
                           "works on one rank only: start one process, or "
                           "use paulimpi_context_create_serial()",
                           function, ctx->size);
}
