/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A run of a plan: start, test, wait.
 */
#include <sched.h>

#include "device/device.h"
#include "exchange/state.h"

enum { IDLE_BEFORE_YIELD = 64 };

/* A rank that has failed waits so long for others, in seconds, if no other
 * limit is set. */
static const double patience_after_failure = 5.0;

/* Plans under way. */

static void
link_plan(paulimpi_plan *plan)
{
    paulimpi_plan **end = &plan->kept->under_way;

    while (*end != NULL) {
        end = &(*end)->next_under_way;
    }
    *end = plan;
    plan->next_under_way = NULL;
    plan->is_linked = 1;
}

static void
unlink_plan(paulimpi_plan *plan)
{
    paulimpi_plan **link = &plan->kept->under_way;

    if (plan->is_linked) {
        while (*link != plan) {
            link = &(*link)->next_under_way;
        }
        *link = plan->next_under_way;
        plan->is_linked = 0;
    }
}

/* What must be done before. */

/* Let the copies of this run wait for an event. */
static int
hold_lanes(paulimpi_plan *plan, paulimpi_event event)
{
    int rc = PAULIMPI_SUCCESS;
    int i;

    for (i = 0; i < plan->n_lanes && rc == PAULIMPI_SUCCESS; i++) {
        rc = paulimpi_stream_wait_event(plan->lane[i].out, event);
        if (rc == PAULIMPI_SUCCESS) {
            rc = paulimpi_stream_wait_event(plan->lane[i].in, event);
        }
    }
    return rc;
}

static int
wait_for_stream(const char *function, paulimpi_plan *plan,
                paulimpi_stream stream)
{
    if (paulimpi__stream_is_captured(stream)) {
        return paulimpi__error(PAULIMPI_ERR_STATE,
                               "%s: after_stream is being captured into a "
                               "graph, so that nothing may wait for it",
                               function);
    }
    paulimpi__count(PAULIMPI_COUNT_WAIT, 0);
    if (paulimpi_event_record(plan->mark, stream) == PAULIMPI_SUCCESS) {
        plan->after = plan->mark;
        return PAULIMPI_SUCCESS;
    }

    /* An event of one device cannot be put into a stream of another. */
    return paulimpi_stream_wait(stream);
}

/* Nobody says what the memory waits for: all that its devices do. */
static int
wait_for_owners(const char *function, const paulimpi_plan *plan)
{
    int rc = PAULIMPI_SUCCESS;
    int i;

    for (i = 0; i < plan->n_owners && rc == PAULIMPI_SUCCESS; i++) {
        paulimpi__count(PAULIMPI_COUNT_WAIT, 0);
        rc = paulimpi__device_wait(function, plan->owner[i]);
    }
    return rc;
}

static int
set_after(const char *function, paulimpi_plan *plan,
          const paulimpi_exchange_options *options)
{
    int rc = PAULIMPI_SUCCESS;

    plan->after = NULL;
    if (!plan->has_device) {
        return PAULIMPI_SUCCESS;
    }
    if (options->after_event != NULL) {
        paulimpi__count(PAULIMPI_COUNT_WAIT, 0);
        plan->after = options->after_event;
    } else if (options->after_stream != NULL
               || options->after_default_stream) {
        rc = wait_for_stream(function, plan, options->after_stream);
    } else {
        rc = wait_for_owners(function, plan);
    }
    if (rc == PAULIMPI_SUCCESS && plan->after != NULL) {
        rc = hold_lanes(plan, plan->after);
    }
    return rc;
}

/* What is known of arrivals before anything comes: a receive without a sender
 * brings nothing. */
static void
set_arrivals(paulimpi_plan *plan)
{
    int i;

    for (i = 0; i < plan->n_receives; i++) {
        const paulimpi__message *receive = &plan->message[i];
        paulimpi_arrival *arrival = &plan->arrivals[i];

        arrival->peer = PAULIMPI_PEER_NONE;
        arrival->tag = receive->tag;
        arrival->bytes = 0;
        if (receive->path == PAULIMPI__PATH_SELF) {
            arrival->peer = plan->rank;
            arrival->bytes = receive->layout.bytes;
        }
    }
}

static void
set_run(paulimpi_plan *plan, const paulimpi_exchange_options *options)
{
    plan->timeout =
        options->timeout > 0.0 ? options->timeout : plan->env_timeout;
    plan->arrivals = options->arrivals;
    plan->before_stream = options->before_stream;
    plan->has_before_stream =
        plan->has_device && options->before_stream != NULL;
    plan->is_ready = plan->after == NULL;

    /* What a run with the options of the plan finds as the last one left it
     * need not be set again. */
    plan->is_quick = options == &plan->options && plan->is_simple
                     && !plan->has_device && plan->arrivals == NULL
                     && plan->timeout == 0.0;
    if (plan->arrivals != NULL) {
        set_arrivals(plan);
    }
}

/* Start by steps: nothing is posted yet. */

static void
reset(paulimpi_plan *plan)
{
    int i;

    plan->runs_simply = 0;
    plan->last_news = 0.0;
    plan->n_left = 0;
    plan->n_unposted = 0;
    for (i = 0; i < plan->n_messages; i++) {
        paulimpi__message *message = &plan->message[i];

        message->begun = 0;
        message->posted = 0;
        message->done = 0;
        message->came = 0;
        message->is_dead = 0;
        plan->n_left += message->pieces > 0;
        plan->n_unposted += paulimpi__leaves(message);
    }
}

static void
start_by_steps(paulimpi_plan *plan)
{
    reset(plan);
    link_plan(plan);
    paulimpi__step(plan);
}

/* Simple plans. */

/* From here on take steps. The first slots are posted, and messages of this
 * rank to itself are copied if all are. */
static void
go_by_steps(paulimpi_plan *plan, int n_posted)
{
    int i;

    reset(plan);
    for (i = 0; i < n_posted; i++) {
        paulimpi__message *message = &plan->message[plan->slot[i].message];

        message->begun = 1;
        message->posted = 1;
        plan->slot[i].state = PAULIMPI__SLOT_POSTED;
        plan->slot[i].piece = 0;
        plan->n_unposted--;
    }
    for (i = 0; i < plan->n_receives && n_posted == plan->n_slots; i++) {
        if (plan->message[i].path == PAULIMPI__PATH_SELF) {
            plan->message[i].done = 1;
            plan->n_left--;
        }
    }
    link_plan(plan);
}

static void
copy_to_self(paulimpi_plan *plan)
{
    int i, rc;

    for (i = 0; i < plan->n_receives; i++) {
        if (plan->message[i].path == PAULIMPI__PATH_SELF) {
            rc = paulimpi__self_copy(plan, &plan->message[i]);
            if (rc != PAULIMPI_SUCCESS) {
                paulimpi__fail(plan, rc);
            }
        }
    }
}

static void
start_simply(paulimpi_plan *plan)
{
    const paulimpi__transport *transport = plan->transport;
    int rc = PAULIMPI_SUCCESS;
    int i = 0;

    plan->runs_simply = 1;
    for (; i < plan->n_receive_posts && rc == PAULIMPI_SUCCESS; i++) {
        rc = transport->receive(plan->wire, i, &plan->post[i]);
    }
    for (; i < plan->n_slots && rc == PAULIMPI_SUCCESS; i++) {
        paulimpi__count(PAULIMPI_COUNT_MPI_HOST, plan->post[i].bytes);
        rc = transport->send(plan->wire, i, &plan->post[i]);
    }
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi__fail(plan, rc);
        go_by_steps(plan, i - 1);
    } else if (plan->has_self) {
        copy_to_self(plan);
    }
}

/* Whether receives are as long as their regions; puts them into the
 * arrivals. */
static int
took_all(paulimpi_plan *plan, const paulimpi__completion *done)
{
    int i;

    for (i = 0; i < plan->n_receive_posts; i++) {
        if (done[i].bytes != plan->post[i].bytes) {
            return 0;
        }
        if (plan->arrivals != NULL) {
            plan->arrivals[plan->message[plan->slot[i].message].index] =
                (paulimpi_arrival){ done[i].peer, done[i].tag, done[i].bytes };
        }
    }
    return 1;
}

/* Wait for all at once; what goes wrong is left to steps. */
static void
wait_simply(paulimpi_plan *plan)
{
    int n = PAULIMPI__ALL_WELL;
    int rc = PAULIMPI_SUCCESS;
    int i;

    if (plan->n_slots > 0) {
        rc = plan->transport->wait(plan->wire, plan->n_receive_posts, &n,
                                   plan->completion);
    }
    if (n == PAULIMPI__ALL_WELL && took_all(plan, plan->completion)) {
        plan->n_left = 0;
        return;
    }
    go_by_steps(plan, plan->n_slots);
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi__fail(plan, rc);
    }
    if (n == PAULIMPI__ALL_WELL) {
        n = plan->n_slots;
        for (i = plan->n_receive_posts; i < n; i++) {
            plan->completion[i] = (paulimpi__completion){ .slot = i };
        }
    }
    paulimpi__step_complete(plan, n, plan->completion);
}

/* The end. */

/* Let the caller's stream wait for the copies. */
static int
hold_stream(paulimpi_plan *plan)
{
    int rc = PAULIMPI_SUCCESS;
    int i;

    if (!plan->has_before_stream) {
        return PAULIMPI_SUCCESS;
    }
    for (i = 0; i < plan->n_lanes && rc == PAULIMPI_SUCCESS; i++) {
        rc = paulimpi_event_record(plan->lane[i].end, plan->lane[i].in);
        if (rc == PAULIMPI_SUCCESS) {
            rc = paulimpi_stream_wait_event(plan->before_stream,
                                            plan->lane[i].end);
        }
    }
    return rc;
}

static int
finish(paulimpi_plan *plan)
{
    int rc = hold_stream(plan);

    if (rc != PAULIMPI_SUCCESS) {
        paulimpi__fail(plan, rc);
    }
    unlink_plan(plan);
    if (plan->rc != PAULIMPI_SUCCESS) {
        plan->state = PAULIMPI__PLAN_BROKEN;
        paulimpi__error_set_text(plan->why);
        return plan->rc;
    }
    plan->state = PAULIMPI__PLAN_DONE;
    return PAULIMPI_SUCCESS;
}

/* Push on everything of the context that is under way. */
static void
step_all(paulimpi_plan *plan)
{
    paulimpi_plan *each;

    for (each = plan->kept->under_way; each != NULL;
         each = each->next_under_way) {
        paulimpi__step(each);
    }
}

/* Nothing happened: see how long that has been so. */
static void
look_at_clock(paulimpi_plan *plan)
{
    double limit = plan->timeout;
    double now;

    if (plan->rc != PAULIMPI_SUCCESS && limit == 0.0) {
        limit = patience_after_failure;
    }
    if (limit == 0.0) {
        return;
    }
    now = paulimpi__seconds();
    if (plan->last_news == 0.0) {
        plan->last_news = now;
    } else if (now - plan->last_news > limit) {
        paulimpi__fail_silence(plan, limit);
        paulimpi__give_up(plan);
    }
}

/* One round; whether anything happened. */
static int
go_round(paulimpi_plan *plan)
{
    int64_t n_events = plan->n_events;

    step_all(plan);
    if (plan->n_left > 0 && plan->n_events == n_events) {
        look_at_clock(plan);
        return 0;
    }
    return 1;
}

static void
wait_by_steps(paulimpi_plan *plan)
{
    int n_idle = 0;

    while (plan->n_left > 0) {
        n_idle = go_round(plan) ? 0 : n_idle + 1;
        if (n_idle > IDLE_BEFORE_YIELD) {
            sched_yield();
        }
    }
}

/* The checks of start, test and wait. */

static int
check_state(const char *function, const paulimpi_plan *plan)
{
    if (plan->state == PAULIMPI__PLAN_BROKEN) {
        return paulimpi__error(PAULIMPI_ERR_STATE,
                               "%s: an earlier failure broke the plan: %s",
                               function, plan->why);
    }
    if (plan->state == PAULIMPI__PLAN_IDLE) {
        return paulimpi__error(PAULIMPI_ERR_STATE,
                               "%s: the plan was not started", function);
    }
    return PAULIMPI_SUCCESS;
}

static int
check_start(const char *function, const paulimpi_plan *plan)
{
    if (plan->state == PAULIMPI__PLAN_UNDER_WAY) {
        return paulimpi__error(PAULIMPI_ERR_STATE,
                               "%s: the plan is under way: "
                               "paulimpi_plan_wait() comes first",
                               function);
    }
    return plan->state == PAULIMPI__PLAN_BROKEN ? check_state(function, plan)
                                                : PAULIMPI_SUCCESS;
}

/* Begin a run that is not like those before. */
static int
set_up(const char *function, paulimpi_plan *plan,
       const paulimpi_exchange_options *options)
{
    paulimpi_exchange_options read;
    int rc = PAULIMPI_SUCCESS;

    if (options == NULL) {
        options = &plan->options;
    } else {
        rc = paulimpi__options_read(function, options, &read);
        options = &read;
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = set_after(function, plan, options);
    if (rc == PAULIMPI_ERR_STATE) {
        return rc;
    }
    set_run(plan, options);

    /* A device that fails now must not leave other ranks waiting: they get
     * empty messages. */
    plan->is_void = rc != PAULIMPI_SUCCESS;
    if (plan->is_void) {
        plan->is_ready = 1;
        paulimpi__fail(plan, rc);
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi__run_start(const char *function, paulimpi_plan *plan,
                    const paulimpi_exchange_options *options)
{
    int rc = check_start(function, plan);

    if (rc == PAULIMPI_SUCCESS && !(plan->is_quick && options == NULL)) {
        rc = set_up(function, plan, options);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    plan->function = function;
    plan->state = PAULIMPI__PLAN_UNDER_WAY;
    if (plan->is_simple && plan->is_ready && !plan->is_void
        && plan->timeout == 0.0 && plan->kept->under_way == NULL) {
        start_simply(plan);
    } else {
        start_by_steps(plan);
    }
    return plan->rc == PAULIMPI_SUCCESS ? PAULIMPI_SUCCESS
                                        : paulimpi__run_wait(function, plan);
}

int
paulimpi__run_test(const char *function, paulimpi_plan *plan, int *done_p)
{
    int rc = check_state(function, plan);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (plan->state == PAULIMPI__PLAN_UNDER_WAY) {
        plan->function = function;
        if (plan->runs_simply) {
            go_by_steps(plan, plan->n_slots);
        }
        (void)go_round(plan);
        if (plan->n_left == 0) {
            rc = finish(plan);
        }
    }
    if (rc == PAULIMPI_SUCCESS) {
        *done_p = plan->state == PAULIMPI__PLAN_DONE;
    }
    return rc;
}

int
paulimpi__run_wait(const char *function, paulimpi_plan *plan)
{
    int rc = check_state(function, plan);

    if (rc == PAULIMPI_SUCCESS && plan->state == PAULIMPI__PLAN_UNDER_WAY) {
        plan->function = function;
        if (plan->runs_simply && plan->kept->under_way == NULL) {
            wait_simply(plan);
        } else if (plan->runs_simply) {
            go_by_steps(plan, plan->n_slots);
        }
        wait_by_steps(plan);
        rc = finish(plan);
    }
    if (rc == PAULIMPI_SUCCESS) {
        plan->state = PAULIMPI__PLAN_IDLE;
    }
    return rc;
}

static int
check(const paulimpi_plan *plan, const char *function)
{
    return paulimpi__handle_check(plan, PAULIMPI__HANDLE_PLAN, function,
                                  "plan");
}

int
paulimpi_plan_start(paulimpi_plan *plan,
                    const paulimpi_exchange_options *options)
{
    int rc = check(plan, "paulimpi_plan_start");

    return rc == PAULIMPI_SUCCESS
               ? paulimpi__run_start("paulimpi_plan_start", plan, options)
               : rc;
}

int
paulimpi_plan_test(paulimpi_plan *plan, int *done_p)
{
    int rc = check(plan, "paulimpi_plan_test");

    if (rc == PAULIMPI_SUCCESS && done_p == NULL) {
        rc = paulimpi__null("paulimpi_plan_test", "done_p");
    }
    return rc == PAULIMPI_SUCCESS
               ? paulimpi__run_test("paulimpi_plan_test", plan, done_p)
               : rc;
}

int
paulimpi_plan_wait(paulimpi_plan *plan)
{
    int rc = check(plan, "paulimpi_plan_wait");

    return rc == PAULIMPI_SUCCESS
               ? paulimpi__run_wait("paulimpi_plan_wait", plan)
               : rc;
}
