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
has_mark(const paulimpi_exchange_options *options)
{
    return options->after_event != NULL || options->after_stream != NULL
           || options->after_default_stream;
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
        paulimpi_arrival *arrival = &plan->arrivals[receive->index];

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
                     && plan->n_owners == 0 && !has_mark(options)
                     && options->before_stream == NULL
                     && plan->arrivals == NULL && plan->timeout == 0.0;
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
step(paulimpi_plan *plan)
{
    paulimpi__place_enter(&plan->place);
    paulimpi__step(plan);
    paulimpi__place_enter(NULL);
}

static void
start_by_steps(paulimpi_plan *plan)
{
    reset(plan);
    link_plan(plan);
    step(plan);
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
count_sends(const paulimpi_plan *plan, int n_posted)
{
    int i;

    for (i = plan->n_receive_posts; i < n_posted; i++) {
        paulimpi__count(plan->n_owners > 0
                                && paulimpi__is_given_device(
                                    &plan->message[plan->slot[i].message])
                            ? PAULIMPI_COUNT_MPI_DEVICE
                            : PAULIMPI_COUNT_MPI_HOST,
                        plan->post[i].bytes);
    }
}

/* What comes after the posts of a simple plan, if there is anything. */
static void
go_on_simply(paulimpi_plan *plan, int n_posted, int rc)
{
    paulimpi__place_enter(&plan->place);
    if (paulimpi__is_counting()) {
        count_sends(plan, n_posted);
    }
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi__fail(plan, rc);
        go_by_steps(plan, n_posted);
    } else if (plan->has_self) {
        copy_to_self(plan);
    }
    paulimpi__place_enter(NULL);
}

static inline void
start_simply(const char *function, paulimpi_plan *plan)
{
    int rc = PAULIMPI_SUCCESS;
    int n_posted = 0;

    plan->function = function;
    plan->state = PAULIMPI__PLAN_UNDER_WAY;
    plan->runs_simply = 1;
    plan->n_left = 1; /* until all have ended */
    if (plan->n_slots > 0) {
        rc = plan->transport->start(plan->wire, plan->n_receive_posts,
                                    plan->post, &n_posted);
    }
    if (rc != PAULIMPI_SUCCESS || plan->has_self || paulimpi__is_counting()) {
        go_on_simply(plan, n_posted, rc);
    }
}

/* Whether receives are as long as their regions; puts them into the
 * arrivals. */
static int
took_all(paulimpi_plan *plan)
{
    const paulimpi__completion *done = plan->completion;
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

/* The messages did not all go well: steps tell of those that ended, n of
 * them. */
static void
end_by_steps(paulimpi_plan *plan, int n, int rc)
{
    int i;

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
    paulimpi__place_enter(&plan->place);
    paulimpi__step_complete(plan, n, plan->completion);
    paulimpi__place_enter(NULL);
}

/* What the transport said of all messages of a simple plan; what went wrong is
 * left to steps. Whether all went well. */
static int
hear_simply(paulimpi_plan *plan, int n, int rc)
{
    if (n == PAULIMPI__AS_POSTED
        || (n == PAULIMPI__ALL_WELL && took_all(plan))) {
        plan->n_left = 0;
        return 1;
    }
    if (n != 0 || rc != PAULIMPI_SUCCESS) {
        end_by_steps(plan, n, rc);
    }
    return 0;
}

/* End all at once. */
static inline int
wait_simply(paulimpi_plan *plan)
{
    const paulimpi__post *post = plan->arrivals == NULL ? plan->post : NULL;
    int n = PAULIMPI__AS_POSTED;
    int rc = PAULIMPI_SUCCESS;

    if (plan->n_slots > 0) {
        rc = plan->transport->wait_all(plan->wire, plan->n_receive_posts, post,
                                       &n, plan->completion);
    }
    return n == PAULIMPI__AS_POSTED || hear_simply(plan, n, rc);
}

/* Look whether all have ended. */
static void
test_simply(paulimpi_plan *plan)
{
    const paulimpi__post *post = plan->arrivals == NULL ? plan->post : NULL;
    int n = PAULIMPI__AS_POSTED;
    int rc = PAULIMPI_SUCCESS;

    if (plan->n_slots > 0) {
        rc = plan->transport->test_all(plan->wire, plan->n_receive_posts, post,
                                       &n, plan->completion);
    }
    (void)hear_simply(plan, n, rc);
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
    int rc = paulimpi__members_unpack(plan);

    if (rc == PAULIMPI_SUCCESS) {
        rc = hold_stream(plan);
    }
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
        step(each);
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

/* Whether a plan that nothing happens in waits for the transport alone: then
 * that may wait as it likes to, and no other plan needs a push. */
static int
waits_for_messages(const paulimpi_plan *plan)
{
    int i;

    if (plan->wire == NULL || plan->transport->await == NULL || !plan->is_ready
        || plan->timeout > 0.0 || plan->rc != PAULIMPI_SUCCESS
        || plan->kept->under_way != plan || plan->next_under_way != NULL) {
        return 0;
    }
    for (i = 0; i < plan->n_slots; i++) {
        if (plan->slot[i].state != PAULIMPI__SLOT_FREE
            && plan->slot[i].state != PAULIMPI__SLOT_POSTED) {
            return 0;
        }
    }
    return 1;
}

static void
await_message(paulimpi_plan *plan)
{
    int n = 0;
    int rc = plan->transport->await(plan->wire, &n, plan->completion);

    if (rc != PAULIMPI_SUCCESS) {
        paulimpi__fail(plan, rc);
    }
    paulimpi__place_enter(&plan->place);
    paulimpi__step_complete(plan, n, plan->completion);
    paulimpi__place_enter(NULL);
}

static void
wait_by_steps(paulimpi_plan *plan)
{
    int n_idle = 0;

    while (plan->n_left > 0) {
        n_idle = go_round(plan) ? 0 : n_idle + 1;
        if (n_idle == 1 && waits_for_messages(plan)) {
            await_message(plan);
            n_idle = 0;
        } else if (n_idle > IDLE_BEFORE_YIELD) {
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
    rc = paulimpi__messages_recheck(function, plan);
    if (rc == PAULIMPI_SUCCESS) {
        paulimpi__place_enter(&plan->place);
        rc = set_after(function, plan, options);
        if (rc == PAULIMPI_SUCCESS) {
            rc = paulimpi__members_pack(plan);
        }
        paulimpi__place_enter(NULL);
    }
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

    if (rc == PAULIMPI_SUCCESS) {
        rc = set_up(function, plan, options);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (plan->is_simple && plan->is_ready && !plan->is_void
        && plan->timeout == 0.0 && plan->kept->under_way == NULL) {
        start_simply(function, plan);
    } else {
        plan->function = function;
        plan->state = PAULIMPI__PLAN_UNDER_WAY;
        start_by_steps(plan);
    }
    return plan->rc == PAULIMPI_SUCCESS ? PAULIMPI_SUCCESS
                                        : paulimpi__run_wait(function, plan);
}

/* Whether the messages can be ended all at once. */
static int
ends_simply(const paulimpi_plan *plan)
{
    return plan->state == PAULIMPI__PLAN_UNDER_WAY && plan->runs_simply
           && plan->kept->under_way == NULL;
}

int
paulimpi__run_test(const char *function, paulimpi_plan *plan, int *done_p)
{
    int rc = check_state(function, plan);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    plan->function = function;
    if (ends_simply(plan)) {
        test_simply(plan);
    } else if (plan->state == PAULIMPI__PLAN_UNDER_WAY) {
        if (plan->runs_simply) {
            go_by_steps(plan, plan->n_slots);
        }
        (void)go_round(plan);
    }
    if (plan->state == PAULIMPI__PLAN_UNDER_WAY && plan->n_left == 0) {
        rc = finish(plan);
    }
    if (rc == PAULIMPI_SUCCESS) {
        *done_p = plan->state == PAULIMPI__PLAN_DONE;
    }
    return rc;
}

/* Wait for what does not end all at once, or needs more than that. */
static int
wait_on(const char *function, paulimpi_plan *plan)
{
    int rc = check_state(function, plan);

    if (rc == PAULIMPI_SUCCESS && plan->state == PAULIMPI__PLAN_UNDER_WAY) {
        if (plan->runs_simply && plan->n_left > 0) {
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

/* A simple plan without more to it ends here. */
static inline int
ends_well(paulimpi_plan *plan)
{
    return ends_simply(plan) && wait_simply(plan)
           && plan->rc == PAULIMPI_SUCCESS && !plan->has_before_stream;
}

int
paulimpi__run_wait(const char *function, paulimpi_plan *plan)
{
    plan->function = function;
    if (ends_well(plan)) {
        plan->state = PAULIMPI__PLAN_IDLE;
        return PAULIMPI_SUCCESS;
    }
    return wait_on(function, plan);
}

static int
check(const paulimpi_plan *plan, const char *function)
{
    return paulimpi__handle_check(plan, PAULIMPI__HANDLE_PLAN, function,
                                  "plan");
}

/* Whether nothing is to be set before a run. */
static int
is_set_up(const paulimpi_plan *plan, const paulimpi_exchange_options *options)
{
    return options == NULL && plan->is_quick
           && plan->state == PAULIMPI__PLAN_IDLE
           && plan->kept->under_way == NULL;
}

int
paulimpi_plan_start(paulimpi_plan *plan,
                    const paulimpi_exchange_options *options)
{
    static const char function[] = "paulimpi_plan_start";
    int rc = check(plan, function);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (!is_set_up(plan, options)) {
        return paulimpi__run_start(function, plan, options);
    }
    start_simply(function, plan);
    return plan->rc == PAULIMPI_SUCCESS ? PAULIMPI_SUCCESS
                                        : paulimpi__run_wait(function, plan);
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
