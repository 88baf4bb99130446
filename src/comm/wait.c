/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls that ranks make together: their beginning, and their end within the
 * time limit.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>

#include "comm/call.h"

enum { IDLE_BEFORE_YIELD = 64 };

void
paulimpi__call_describe(const paulimpi__call *call,
                        char text[PAULIMPI__CALL_TEXT])
{
    char what[PAULIMPI__CALL_TEXT / 2] = "agreement between ranks";

    switch (call->kind) {
    case PAULIMPI__CALL_SUM:
    case PAULIMPI__CALL_MAX:
    case PAULIMPI__CALL_MIN:
        snprintf(what, sizeof what, "%s of %" PRId64 " numbers",
                 call->kind == PAULIMPI__CALL_SUM   ? "sum"
                 : call->kind == PAULIMPI__CALL_MAX ? "maximum"
                                                    : "minimum",
                 call->a);
        break;
    case PAULIMPI__CALL_SHARE:
        snprintf(what, sizeof what, "%" PRId64 " bytes from rank %" PRId64,
                 call->a, call->b);
        break;
    case PAULIMPI__CALL_GATHER:
        snprintf(what, sizeof what, "%" PRId64 " bytes of each rank", call->a);
        break;
    case PAULIMPI__CALL_MEET:
        snprintf(what, sizeof what, "meeting of ranks");
        break;
    case PAULIMPI__CALL_MOVE:
        snprintf(what, sizeof what, "messages between all ranks");
        break;
    default:
        break;
    }
    snprintf(text, PAULIMPI__CALL_TEXT, "%.60s: %s", call->function, what);
}

int
paulimpi__call_break(paulimpi_context *ctx, int code, int is_lost,
                     const char *sentence)
{
    snprintf(ctx->why, sizeof ctx->why, "%s", sentence);
    ctx->is_broken = 1;
    ctx->is_lost |= is_lost;
    return paulimpi__error(code, "%s", sentence);
}

int
paulimpi__call_begin(paulimpi__call *call)
{
    paulimpi_context *ctx = call->ctx;

    if (ctx->is_broken) {
        return paulimpi__error(PAULIMPI_ERR_STATE,
                               "%s: an earlier failure broke the context: %s",
                               call->function, ctx->why);
    }
    call->number = ++ctx->n_calls[call->is_node];
    return ctx->size > 1 && paulimpi__check_is_collective()
               ? paulimpi__call_compare(call)
               : PAULIMPI_SUCCESS;
}

/* Wait for something; the context is broken if it does not come. */
static int
wait_for(const paulimpi__call *call, double limit, const int64_t *progress,
         paulimpi__is_over *ask, void *what)
{
    char sentence[PAULIMPI__VERDICT_TEXT];
    paulimpi__patience patience = { 0.0, 0.0, limit };
    int64_t seen = progress != NULL ? *progress : 0;
    int n_idle = 0;
    int found = 0;

    while (found == 0 && !ask(what)) {
        if (progress != NULL && *progress != seen) {
            seen = *progress;
            patience.start = 0.0;
            n_idle = 0;
        } else if (++n_idle > IDLE_BEFORE_YIELD) {
            sched_yield();
            found = paulimpi__call_look(call, &patience, ask, what, sentence);
        }
    }
    if (found >= 0) {
        found = paulimpi__call_look_back(call, sentence);
    }
    return found < 0 ? paulimpi__call_break(call->ctx, found, 1, sentence)
                     : PAULIMPI_SUCCESS;
}

int
paulimpi__wait_together(paulimpi_context *ctx, const char *function,
                        double limit, const int64_t *progress,
                        int (*is_over)(void *what), void *what)
{
    paulimpi__call call = { ctx, 0, function, PAULIMPI__CALL_MOVE, 0, 0, 0 };
    int rc = paulimpi__call_begin(&call);

    return rc == PAULIMPI_SUCCESS
               ? wait_for(&call, limit, progress, is_over, what)
               : rc;
}

/* Whether a request is over: one that fails is. */
typedef struct {
    MPI_Request *request;
    int code;
} question;

static int
is_over(void *what)
{
    question *asked = what;
    int is_done = 0;

    asked->code = MPI_Test(asked->request, &is_done, MPI_STATUS_IGNORE);
    return is_done || asked->code != MPI_SUCCESS;
}

int
paulimpi__call_wait(const paulimpi__call *call, int mpi_code,
                    const char *mpi_name, MPI_Request *request)
{
    question asked = { request, mpi_code };
    int rc = PAULIMPI_SUCCESS;

    if (mpi_code == MPI_SUCCESS) {
        rc = wait_for(call, paulimpi__timeout(), NULL, is_over, &asked);
    }
    return rc == PAULIMPI_SUCCESS
               ? paulimpi__mpi_error(asked.code, call->function, mpi_name)
               : rc;
}

int
paulimpi__wait_alone(const char *function, double limit, int mpi_code,
                     const char *mpi_name, MPI_Request *request)
{
    question asked = { request, mpi_code };
    double end = paulimpi__seconds() + limit;

    while (mpi_code == MPI_SUCCESS && !is_over(&asked)) {
        sched_yield();
        if (limit > 0.0 && paulimpi__seconds() > end) {
            return paulimpi__error(PAULIMPI_ERR_TIMEOUT,
                                   "%s: not complete within %g seconds: some "
                                   "rank of the communicator does not answer, "
                                   "or has not called it",
                                   function, limit);
        }
    }
    return paulimpi__mpi_error(asked.code, function, mpi_name);
}
