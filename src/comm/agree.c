/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Agreement between ranks, and errors of MPI as sentences.
 */
#include "comm/comm.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "comm/call.h"

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

/* Put what this rank has to say where all hear it. */
static void
write_sentence(char sentence[PAULIMPI__ERROR_TEXT], int code)
{
    memset(sentence, 0, PAULIMPI__ERROR_TEXT);
    if (code != PAULIMPI_SUCCESS) {
        snprintf(sentence, PAULIMPI__ERROR_TEXT, "%s", paulimpi_last_error());
    }
}

/* The outcome, when the sentence of the rank that failed has come; rc says
 * whether it has. */
static int
settle(int failed, int code, int rc, const char *sentence)
{
    char text[PAULIMPI__ERROR_TEXT + sizeof "rank -2147483648: "];

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

/* Find the lowest rank that failed, and hear it. */
static int
agree_within(const paulimpi__call *call, int code)
{
    MPI_Comm comm = call->ctx->comm;
    MPI_Request request = MPI_REQUEST_NULL;
    int *mine = call->ctx->scratch;
    int *failed = mine + 1;
    char *sentence = (char *)(mine + 2);
    int code_of_mpi, rc;

    /* The size if none did. */
    *mine = code == PAULIMPI_SUCCESS ? call->ctx->size : call->ctx->rank;
    code_of_mpi =
        MPI_Iallreduce(mine, failed, 1, MPI_INT, MPI_MIN, comm, &request);
    rc = paulimpi__call_wait(call, code_of_mpi, "MPI_Iallreduce", &request);
    if (rc != PAULIMPI_SUCCESS) {
        return code != PAULIMPI_SUCCESS ? code : rc;
    }
    if (*failed == call->ctx->size) {
        return PAULIMPI_SUCCESS;
    }
    write_sentence(sentence, code);
    code_of_mpi = MPI_Ibcast(sentence, PAULIMPI__ERROR_TEXT, MPI_CHAR, *failed,
                             comm, &request);
    rc = paulimpi__call_wait(call, code_of_mpi, "MPI_Ibcast", &request);
    return settle(*failed, code, rc, sentence);
}

int
paulimpi__agree_in(paulimpi_context *ctx, const char *function, int code)
{
    paulimpi__call call = { ctx, 0, function, PAULIMPI__CALL_AGREE, 0, 0, 0 };
    double seconds;
    int is_checked;
    int rc;

    /* The sentence of code must stay. */
    if (ctx->size == 1 || (ctx->is_broken && code != PAULIMPI_SUCCESS)) {
        return code;
    }
    if (code == PAULIMPI_SUCCESS) {
        code = paulimpi__timeout_read(function, &seconds);
    }
    if (code == PAULIMPI_SUCCESS) {
        code = paulimpi__check_read(function, &is_checked);
    }
    rc = paulimpi__call_begin(&call);
    if (rc != PAULIMPI_SUCCESS) {
        return code != PAULIMPI_SUCCESS ? code : rc;
    }
    return agree_within(&call, code);
}
