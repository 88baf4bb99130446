/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An exchange at once: a plan that is used one time.
 */
#include "comm/comm.h"
#include "exchange/state.h"

/* Make the plan; with PAULIMPI_CHECK=collective all ranks of the context fail
 * alike here. */
static int
prepare(const char *function, paulimpi_context *ctx, int is_collective, int rc,
        paulimpi_plan *plan)
{
    if (!is_collective) {
        return rc;
    }
    rc = paulimpi__agree(ctx, rc);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__ends_compare(function, plan);
        rc = paulimpi__agree(ctx, rc);
    }
    return rc;
}

int
paulimpi_exchange(paulimpi_context *ctx, int n_sends,
                  const paulimpi_message *sends, int n_receives,
                  const paulimpi_message *receives,
                  const paulimpi_exchange_options *options)
{
    static const char function[] = "paulimpi_exchange";
    paulimpi__place place = paulimpi__place_take();
    paulimpi_plan *plan = NULL;
    int is_collective = 0;
    int rc =
        paulimpi__handle_check(ctx, PAULIMPI__HANDLE_CONTEXT, function, "ctx");

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__check_read(function, &is_collective);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = paulimpi__plan_make(function, ctx, n_sends, sends, n_receives,
                             receives, options, &plan);
    rc = prepare(function, ctx, is_collective, rc, plan);
    if (rc == PAULIMPI_SUCCESS) {
        plan->place = place;
        rc = paulimpi__run_start(function, plan, NULL);
        if (rc == PAULIMPI_SUCCESS) {
            rc = paulimpi__run_wait(function, plan);
        }
        if (is_collective) {
            rc = paulimpi__agree(ctx, rc);
        }
    }
    if (plan != NULL) {
        paulimpi__plan_free(plan);
    }
    return rc;
}
