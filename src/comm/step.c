/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether all ranks are in the same call, for PAULIMPI_CHECK=collective. What
 * is sent here has the same form in all calls, so that two different ones can
 * meet.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "comm/call.h"

/* Ranks are in one of two camps: those in the call with the greatest key, and
 * all others. */
typedef struct {
    int first[2]; /* lowest rank of each camp */
    int n[2];     /* ranks in each */
} camps;

/* A number that differs for different calls. */
static uint64_t
key_of(const char *text, int64_t number)
{
    uint64_t key = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)number;

    for (; *text != '\0'; text++) {
        key = (key ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    }
    return key;
}

/* Find the camps; mine is 0 or 1. */
static int
count_camps(const paulimpi__call *call, int mine, camps *found)
{
    MPI_Comm comm = paulimpi__call_comm(call);
    MPI_Request request = MPI_REQUEST_NULL;
    int *given = call->ctx->scratch;
    int *got = given + 4;
    int rank, size, i, code, rc;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (i = 0; i < 2; i++) {
        given[i] = i == mine ? rank : size;
        given[2 + i] = i == mine;
    }
    code = MPI_Iallreduce(given, got, 2, MPI_INT, MPI_MIN, comm, &request);
    rc = paulimpi__call_wait(call, code, "MPI_Iallreduce", &request);
    if (rc == PAULIMPI_SUCCESS) {
        code = MPI_Iallreduce(given + 2, got + 2, 2, MPI_INT, MPI_SUM, comm,
                              &request);
        rc = paulimpi__call_wait(call, code, "MPI_Iallreduce", &request);
    }
    memcpy(found->first, got, sizeof found->first);
    memcpy(found->n, got + 2, sizeof found->n);
    return rc;
}

/* Hear what the first rank of a camp is in. */
static int
hear(const paulimpi__call *call, int rank, const char *mine,
     char text[PAULIMPI__CALL_TEXT])
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code, rc;

    memcpy(call->ctx->scratch, mine, PAULIMPI__CALL_TEXT);
    code = MPI_Ibcast(call->ctx->scratch, PAULIMPI__CALL_TEXT, MPI_CHAR, rank,
                      paulimpi__call_comm(call), &request);
    rc = paulimpi__call_wait(call, code, "MPI_Ibcast", &request);
    memcpy(text, call->ctx->scratch, PAULIMPI__CALL_TEXT);
    return rc;
}

/* All ranks say the same of who is where. */
static int
tell(const paulimpi__call *call, const char *mine, int camp)
{
    char text[2][PAULIMPI__CALL_TEXT];
    char sentence[PAULIMPI__VERDICT_TEXT];
    camps found;
    int odd;
    int rc = count_camps(call, camp, &found);

    if (rc == PAULIMPI_SUCCESS) {
        rc = hear(call, found.first[0], mine, text[0]);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = hear(call, found.first[1], mine, text[1]);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    odd = found.n[0] < found.n[1]
                  || (found.n[0] == found.n[1]
                      && found.first[0] > found.first[1])
              ? 0
              : 1;
    snprintf(sentence, sizeof sentence,
             "rank %d%s is in %.120s, but rank %d in %.120s (%d of %d "
             "ranks): "
             "a collective call was left out on some rank, or made in "
             "another order or with other numbers",
             found.first[odd], call->is_node ? " of the node" : "", text[odd],
             found.first[!odd], text[!odd], found.n[!odd],
             found.n[0] + found.n[1]);
    return paulimpi__call_break(call->ctx, PAULIMPI_ERR_MISMATCH, 0, sentence);
}

int
paulimpi__call_compare(const paulimpi__call *call)
{
    char text[PAULIMPI__CALL_TEXT] = "";
    uint64_t *given = call->ctx->scratch;
    uint64_t *most = given + 2;
    MPI_Request request = MPI_REQUEST_NULL;
    int code, rc;

    paulimpi__call_describe(call, text);
    given[0] = key_of(text, call->number);
    given[1] = ~given[0];
    code = MPI_Iallreduce(given, most, 2, MPI_UINT64_T, MPI_MAX,
                          paulimpi__call_comm(call), &request);
    rc = paulimpi__call_wait(call, code, "MPI_Iallreduce", &request);
    if (rc != PAULIMPI_SUCCESS || most[0] == ~most[1]) {
        return rc;
    }
    return tell(call, text, given[0] == most[0]);
}
