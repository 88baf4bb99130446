/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Moves: parts of buffers from all ranks to all ranks, some at a time. Each
 * step is a plan that all ranks make, agree on and run, so that a rank that
 * cannot does not leave others waiting.
 */
#include "exchange/collective.h"

#include <inttypes.h>

#include "comm/comm.h"
#include "device/device.h"
#include "exchange/awareness.h"

enum { MOST_PEERS = 8 };

/* Beginning. */

int
paulimpi__joint_begin(paulimpi__joint *joint, paulimpi_context *ctx,
                      const char *function, const void *a, const void *b)
{
    paulimpi_message ends[2] = {
        { .region = { .base = a == PAULIMPI_IN_PLACE ? NULL : (void *)a } },
        { .region = { .base = (void *)b } }
    };
    int rc =
        paulimpi__handle_check(ctx, PAULIMPI__HANDLE_CONTEXT, function, "ctx");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    *joint = (paulimpi__joint){ .ctx = ctx,
                                .function = function,
                                .rank = paulimpi_context_rank(ctx),
                                .size = paulimpi_context_size(ctx),
                                .element = 1 };
    return paulimpi__aware_find_if(ctx, paulimpi__names_device(2, ends));
}

static int
read_options(paulimpi__joint *joint, const paulimpi_exchange_options *given)
{
    double env_limit = 0.0;
    int rc = paulimpi__options_read(joint->function, given, &joint->options);

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__timeout_read(joint->function, &env_limit);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    joint->limit =
        joint->options.timeout > 0.0 ? joint->options.timeout : env_limit;
    if (joint->options.arrivals != NULL) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: arrivals must be NULL", joint->function);
    }

    /* Once the ranks have agreed nobody may refuse to go on. */
    if (joint->options.after_stream != NULL
        && paulimpi__stream_is_captured(joint->options.after_stream)) {
        return paulimpi__error(PAULIMPI_ERR_STATE,
                               "%s: after_stream is being captured into a "
                               "graph, so that nothing may wait for it",
                               joint->function);
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi__joint_read(paulimpi__joint *joint,
                     const paulimpi_exchange_options *options, int type)
{
    joint->element = (int64_t)paulimpi_type_bytes(type);
    if (joint->element == 0) {
        joint->element = 1;
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: type is %d, but must be from "
                               "PAULIMPI_BYTE to PAULIMPI_COMPLEX128",
                               joint->function, type);
    }
    return read_options(joint, options);
}

int64_t
paulimpi__joint_bytes(const paulimpi__joint *joint, const char *argument,
                      int64_t count)
{
    const int64_t most = (INT64_C(1) << 62) / joint->element;

    if (count >= 0 && count < most) {
        return count * joint->element;
    }
    if (count < 0) {
        (void)paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                              "%s: %s is %" PRId64 ", but must be at least 0",
                              joint->function, argument, count);
    } else {
        (void)paulimpi__error(PAULIMPI_ERR_RANGE,
                              "%s: %s is %" PRId64 ", but elements of %" PRId64
                              " bytes must be fewer than %" PRId64,
                              joint->function, argument, count, joint->element,
                              most);
    }
    return count < 0 ? PAULIMPI_ERR_ARGUMENT : PAULIMPI_ERR_RANGE;
}

int
paulimpi__joint_buffer(const paulimpi__joint *joint, const char *argument,
                       const void *base, int64_t bytes)
{
    return base != NULL || bytes <= 0
               ? PAULIMPI_SUCCESS
               : paulimpi__null(joint->function, argument);
}

int
paulimpi__joint_root(const paulimpi__joint *joint, int root)
{
    if (root >= 0 && root < joint->size) {
        return PAULIMPI_SUCCESS;
    }
    return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                           "%s: root is %d, but the context has ranks from 0 "
                           "to %d",
                           joint->function, root, joint->size - 1);
}

/* Bring a part into the list of uses. */
static int
add_use(const paulimpi__joint *joint, const paulimpi__part *part,
        int is_receive, int peer, paulimpi__layout *layout, paulimpi__use *use,
        int *n_p)
{
    paulimpi_region region =
        paulimpi_region_1d(part->base, (size_t)part->bytes);
    int rc;

    if (part->bytes <= 0) {
        return PAULIMPI_SUCCESS;
    }
    rc = paulimpi__layout_set(&layout[*n_p], &region, joint->function,
                              is_receive ? "receive" : "send");
    use[*n_p] = (paulimpi__use){ &layout[*n_p], is_receive, peer };
    ++*n_p;
    return rc;
}

int
paulimpi__joint_overlap(const paulimpi__joint *joint, paulimpi__parts *parts,
                        const void *plan)
{
    size_t n = 2 * (size_t)joint->size;
    paulimpi__layout *layout = paulimpi__alloc(n, sizeof *layout);
    paulimpi__use *use = paulimpi__alloc(n, sizeof *use);
    paulimpi__part send, receive;
    int rc = PAULIMPI_SUCCESS;
    int n_uses = 0;
    int i;

    if (layout == NULL || use == NULL) {
        rc = paulimpi__no_memory(joint->function, n * sizeof *layout);
    }
    for (i = 0; i < joint->size && rc == PAULIMPI_SUCCESS; i++) {
        parts(plan, i, &send, &receive);
        rc = add_use(joint, &send, 0, i, layout, use, &n_uses);
        if (rc == PAULIMPI_SUCCESS) {
            rc = add_use(joint, &receive, 1, i, layout, use, &n_uses);
        }
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__check_overlap(joint->function, n_uses, use);
    }
    paulimpi__free(layout);
    paulimpi__free(use);
    return rc;
}

int
paulimpi__joint_copy(paulimpi__joint *joint, void *to, const void *from,
                     int64_t bytes)
{
    paulimpi_message ends[2] = {
        { paulimpi_region_1d(from, (size_t)bytes), joint->rank, 0 },
        { paulimpi_region_1d(to, (size_t)bytes), joint->rank, 0 }
    };
    paulimpi_plan *plan = NULL;
    int rc =
        paulimpi__plan_make_apart(joint->function, joint->ctx, 1, &ends[0], 1,
                                  &ends[1], &joint->options, &plan);

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__run_start(joint->function, plan, NULL);
        if (rc == PAULIMPI_SUCCESS) {
            rc = paulimpi__run_wait(joint->function, plan);
        }
        paulimpi__plan_free(plan);
    }
    return rc;
}

int
paulimpi__joint_agree(const paulimpi__joint *joint, int rc, int64_t n,
                      const int64_t *said)
{
    rc = paulimpi__agree_in(joint->ctx, joint->function, rc);
    return rc == PAULIMPI_SUCCESS
               ? paulimpi__agree_same(joint->ctx, joint->function,
                                      "what is asked",
                                      paulimpi__fingerprint(n, said))
               : rc;
}

int
paulimpi__joint_end(const paulimpi__joint *joint, int rc)
{
    return paulimpi__agree_in(joint->ctx, joint->function, rc);
}

/* Steps. */

/* The messages of a step. */
typedef struct {
    int n_sends;
    int n_receives;
    paulimpi_message send[MOST_PEERS];
    paulimpi_message receive[MOST_PEERS];
} step;

static void
add_message(int *n_p, paulimpi_message *list, const paulimpi__part *part,
            int peer)
{
    if (part->bytes >= 0) {
        list[(*n_p)++] =
            (paulimpi_message){ paulimpi_region_1d(part->base,
                                                   (size_t)part->bytes),
                                peer, PAULIMPI__TAG_COLLECTIVE };
    }
}

/* A plan under way. */
typedef struct {
    paulimpi_plan *plan;
    const char *function;
    int rc;
} course;

static int
is_over(void *what)
{
    course *run = what;
    int is_done = 0;

    run->rc = paulimpi__run_test(run->function, run->plan, &is_done);
    return is_done || run->rc != PAULIMPI_SUCCESS;
}

static int
run_plan(const paulimpi__joint *joint, paulimpi_plan *plan)
{
    course run = { plan, joint->function, PAULIMPI_SUCCESS };
    int rc = paulimpi__run_start(joint->function, plan, NULL);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = paulimpi__wait_together(joint->ctx, joint->function, joint->limit,
                                 &plan->n_events, is_over, &run);
    if (rc != PAULIMPI_SUCCESS) {
        /* The others have given up, too. */
        paulimpi__fail(plan, rc);
        paulimpi__give_up(plan);
        (void)is_over(&run);
        return rc;
    }
    return run.rc;
}

/* Take a step, unless a rank has failed before: then 0 is returned on all. */
static int
take_step(paulimpi__joint *joint, int *rc_p, const step *now)
{
    paulimpi_plan *plan = NULL;
    int is_taken;
    int rc = *rc_p;

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__plan_make_apart(
            joint->function, joint->ctx, now->n_sends, now->send,
            now->n_receives, now->receive, &joint->options, &plan);
    }
    rc = paulimpi__agree_in(joint->ctx, joint->function, rc);
    is_taken = rc == PAULIMPI_SUCCESS;
    if (is_taken) {
        rc = run_plan(joint, plan);
    }
    if (plan != NULL) {
        joint->is_lost |= plan->has_lost;
        paulimpi__plan_free(plan);
    }
    *rc_p = rc;
    return is_taken;
}

int
paulimpi__joint_move(paulimpi__joint *joint, int rc, paulimpi__parts *parts,
                     const void *plan)
{
    int first, distance, to, from;

    for (first = 0; first < joint->size; first += MOST_PEERS) {
        step now = { 0, 0, { { { 0 }, 0, 0 } }, { { { 0 }, 0, 0 } } };

        for (distance = first;
             distance < joint->size && distance < first + MOST_PEERS;
             distance++) {
            paulimpi__part send, receive, unused;

            to = (joint->rank + distance) % joint->size;
            from = (joint->rank - distance + joint->size) % joint->size;
            parts(plan, to, &send, &unused);
            parts(plan, from, &unused, &receive);
            add_message(&now.n_sends, now.send, &send, to);
            add_message(&now.n_receives, now.receive, &receive, from);
        }
        if (!take_step(joint, &rc, &now)) {
            break;
        }
    }
    return rc;
}

int
paulimpi__joint_swap(paulimpi__joint *joint, int rc, int peer,
                     paulimpi__part send, paulimpi__part receive)
{
    step now = { 0, 0, { { { 0 }, 0, 0 } }, { { { 0 }, 0, 0 } } };

    if (peer >= 0) {
        add_message(&now.n_sends, now.send, &send, peer);
        add_message(&now.n_receives, now.receive, &receive, peer);
    }
    (void)take_step(joint, &rc, &now);
    return rc;
}
