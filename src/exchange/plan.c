/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plans: making and destroying them.
 */
#include <limits.h>
#include <string.h>

#include "comm/comm.h"
#include "device/device.h"
#include "exchange/awareness.h"
#include "exchange/state.h"

static void
forget(void *kept)
{
    paulimpi__free(kept);
}

paulimpi__kept *
paulimpi__keep(paulimpi_context *ctx)
{
    paulimpi__kept *kept = paulimpi__context_kept(ctx);

    if (kept == NULL) {
        kept = paulimpi__alloc_zero(1, sizeof *kept);
        if (kept != NULL) {
            paulimpi__context_keep(ctx, kept, forget);
        }
    }
    return kept;
}

/* The lists themselves. */
static int
check_lists(const char *function, int n_sends, const paulimpi_message *sends,
            int n_receives, const paulimpi_message *receives)
{
    if (n_sends < 0 || n_receives < 0 || n_sends > INT_MAX - n_receives) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: n_sends is %d and n_receives is %d, but "
                               "both must be at least 0, and at most %d "
                               "together",
                               function, n_sends, n_receives, INT_MAX);
    }
    if (n_sends > 0 && sends == NULL) {
        return paulimpi__null(function, "sends");
    }
    if (n_receives > 0 && receives == NULL) {
        return paulimpi__null(function, "receives");
    }
    return PAULIMPI_SUCCESS;
}

/* Pieces as small as a test asks for; the same number on all ranks. */
static int
read_format(paulimpi__format *format)
{
    int64_t piece = INT64_C(4) << 20;
    int rc =
        paulimpi__env_int64("PAULIMPI_TEST_PIECE_BYTES", 1, piece, &piece);

    format->piece = piece;
    format->whole = 4 * piece;
    return rc;
}

static int
read_environment(const char *function, paulimpi_plan *plan)
{
    int rc = read_format(&plan->format);

    return rc == PAULIMPI_SUCCESS
               ? paulimpi__timeout_read(function, &plan->env_timeout)
               : rc;
}

/* Imported ranges stay open as long as a plan uses them. */
static void
hold_import(const paulimpi__message *message, void (*hold)(const void *))
{
    if (message->kind == PAULIMPI_MEMORY_IMPORTED) {
        hold(message->layout.low);
    }
}

static void
hold_imports(const paulimpi_plan *plan, void (*hold)(const void *))
{
    int i;

    for (i = 0; i < plan->n_messages; i++) {
        hold_import(&plan->message[i], hold);
    }
    for (i = 0; i < plan->n_members; i++) {
        hold_import(&plan->member[i].message, hold);
    }
}

static int
fill(const char *function, paulimpi_plan *plan, const paulimpi_message *sends,
     const paulimpi_message *receives)
{
    int rc = paulimpi__messages_read(function, plan, sends, receives);

    return rc == PAULIMPI_SUCCESS ? paulimpi__self_match(function, plan) : rc;
}

/* The second half, once it is known what carries the messages. */
static int
finish(const char *function, paulimpi_plan *plan)
{
    int rc = paulimpi__paths_choose(function, plan);

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__order_set(function, plan);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__reserve(function, plan);
    }
    if (rc == PAULIMPI_SUCCESS) {
        hold_imports(plan, paulimpi__import_hold);
        plan->holds_imports = 1;
        plan->is_simple = plan->is_simple && plan->n_members == 0;
    }
    return rc;
}

/* The first half: all that the lists say. */
static int
begin(const char *function, paulimpi_context *ctx, int n_sends,
      const paulimpi_message *sends, int n_receives,
      const paulimpi_message *receives,
      const paulimpi_exchange_options *options, paulimpi_plan **plan_p)
{
    paulimpi_plan *plan;
    int rc = check_lists(function, n_sends, sends, n_receives, receives);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    plan = paulimpi__alloc_zero(1, sizeof *plan);
    if (plan == NULL) {
        return paulimpi__no_memory(function, sizeof *plan);
    }
    plan->ctx = ctx;
    paulimpi__context_retain(ctx);
    plan->rank = paulimpi_context_rank(ctx);
    plan->n_receives = n_receives;
    plan->n_messages = n_sends + n_receives;
    plan->kept = paulimpi__keep(ctx);
    plan->message =
        paulimpi__alloc_zero((size_t)plan->n_messages, sizeof *plan->message);
    if (plan->kept == NULL || plan->message == NULL) {
        rc = paulimpi__no_memory(function, (size_t)plan->n_messages
                                               * sizeof *plan->message);
        goto err_free_plan;
    }
    rc = read_environment(function, plan);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__options_read(function, options, &plan->options);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = fill(function, plan, sends, receives);
    }
    if (rc != PAULIMPI_SUCCESS) {
        goto err_free_plan;
    }
    *plan_p = plan;
    return PAULIMPI_SUCCESS;

err_free_plan:
    paulimpi__plan_free(plan);
    return rc;
}

/* Make a plan of this rank alone. */
static int
make(const char *function, paulimpi_context *ctx, int is_apart, int n_sends,
     const paulimpi_message *sends, int n_receives,
     const paulimpi_message *receives,
     const paulimpi_exchange_options *options, paulimpi_plan **plan_p)
{
    paulimpi_plan *plan = NULL;
    int rc = begin(function, ctx, n_sends, sends, n_receives, receives,
                   options, &plan);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    plan->is_apart = is_apart;
    rc = paulimpi__transport_choose_alone(function, plan);
    if (rc == PAULIMPI_SUCCESS) {
        rc = finish(function, plan);
    }
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi__plan_free(plan);
        return rc;
    }
    *plan_p = plan;
    return PAULIMPI_SUCCESS;
}

int
paulimpi__plan_make(const char *function, paulimpi_context *ctx, int n_sends,
                    const paulimpi_message *sends, int n_receives,
                    const paulimpi_message *receives,
                    const paulimpi_exchange_options *options,
                    paulimpi_plan **plan_p)
{
    return make(function, ctx, 0, n_sends, sends, n_receives, receives,
                options, plan_p);
}

int
paulimpi__plan_make_apart(const char *function, paulimpi_context *ctx,
                          int n_sends, const paulimpi_message *sends,
                          int n_receives, const paulimpi_message *receives,
                          const paulimpi_exchange_options *options,
                          paulimpi_plan **plan_p)
{
    int rc = make(function, ctx, 1, n_sends, sends, n_receives, receives,
                  options, plan_p);

    if (rc == PAULIMPI_SUCCESS) {
        (*plan_p)->env_timeout = 0.0;
        (*plan_p)->options.timeout = 0.0;
        (*plan_p)->is_simple = 0; /* it is only ever tested */
    }
    return rc;
}

void
paulimpi__plan_free(paulimpi_plan *plan)
{
    if (plan->holds_imports) {
        hold_imports(plan, paulimpi__import_release);
    }
    paulimpi__unreserve(plan);
    paulimpi__members_free(plan);
    paulimpi__free(plan->order);
    paulimpi__free(plan->message);
    paulimpi__context_release(plan->ctx);
    paulimpi__free(plan);
}

/* What all ranks find out together once each has checked its own part. */
static int
agree(const char *function, paulimpi_context *ctx, paulimpi_plan *plan, int rc)
{
    int is_collective = 0;

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__check_read(function, &is_collective);
    }
    rc = paulimpi__agree(ctx, rc);
    if (rc == PAULIMPI_SUCCESS && is_collective && !plan->ends_meet) {
        rc = paulimpi__ends_compare(function, plan);
        rc = paulimpi__agree(ctx, rc);
    }
    return rc;
}

int
paulimpi_plan_create(paulimpi_context *ctx, int n_sends,
                     const paulimpi_message *sends, int n_receives,
                     const paulimpi_message *receives,
                     const paulimpi_exchange_options *options,
                     paulimpi_plan **plan_p)
{
    static const char function[] = "paulimpi_plan_create";
    paulimpi__place place = paulimpi__place_take();
    paulimpi_plan *plan = NULL;
    int rc =
        paulimpi__handle_check(ctx, PAULIMPI__HANDLE_CONTEXT, function, "ctx");

    if (plan_p != NULL) {
        *plan_p = NULL;
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = paulimpi__aware_find_if(
        ctx, paulimpi__names_device(n_sends, sends)
                 || paulimpi__names_device(n_receives, receives));
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = plan_p == NULL ? paulimpi__null(function, "plan_p")
                        : begin(function, ctx, n_sends, sends, n_receives,
                                receives, options, &plan);
    rc = paulimpi__join(function, ctx, plan, rc);
    rc = paulimpi__transport_choose(function, ctx, plan, rc);
    if (rc == PAULIMPI_SUCCESS) {
        rc = finish(function, plan);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__handle_enter(plan, PAULIMPI__HANDLE_PLAN);
    }
    rc = agree(function, ctx, plan, rc);
    if (rc == PAULIMPI_SUCCESS) {
        plan->place = place;
        *plan_p = plan;
    } else if (plan != NULL) {
        paulimpi__handle_leave(plan);
        paulimpi__plan_free(plan);
    }
    return rc;
}

void
paulimpi_plan_destroy(paulimpi_plan **plan_p)
{
    static const char function[] = "paulimpi_plan_destroy";
    paulimpi_plan *plan;
    int is_finalised = 0;

    if (plan_p == NULL || *plan_p == NULL) {
        return;
    }
    plan = *plan_p;
    *plan_p = NULL;
    if (paulimpi__handle_check(plan, PAULIMPI__HANDLE_PLAN, function,
                               "*plan_p")
        != PAULIMPI_SUCCESS) {
        return;
    }
    MPI_Finalized(&is_finalised);
    if (plan->state == PAULIMPI__PLAN_UNDER_WAY && !is_finalised) {
        (void)paulimpi__run_wait(function, plan);
    }
    paulimpi__handle_leave(plan);
    paulimpi__plan_free(plan);
}
