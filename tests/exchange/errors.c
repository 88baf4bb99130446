/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What exchanges and plans refuse before anything is posted, in a serial
 * context: a code, a sentence and no side effect.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "paulimpi/exchange.h"
#include "tap/tap.h"

static paulimpi_context *ctx;
static char memory[4096];

static paulimpi_message
message(size_t at, size_t bytes, int peer, int tag)
{
    return (paulimpi_message){ paulimpi_region_1d(memory + at, bytes), peer,
                               tag };
}

/* Exchange one send and one receive. */
static int
try_pair(paulimpi_message send, paulimpi_message receive)
{
    return paulimpi_exchange(ctx, 1, &send, 1, &receive, NULL);
}

static void
refuses(int got, int code, const char *sentence, const char *fact)
{
    tap_is_status(got, code, "%s", fact);
    tap_contains(paulimpi_last_error(), sentence, "with a sentence");
}

static void
test_lists(void)
{
    paulimpi_message one = message(0, 8, 0, 1);

    refuses(paulimpi_exchange(NULL, 0, NULL, 0, NULL, NULL),
            PAULIMPI_ERR_ARGUMENT, "paulimpi_exchange: ctx is NULL",
            "no context is refused");
    refuses(paulimpi_exchange(ctx, -1, &one, 0, NULL, NULL),
            PAULIMPI_ERR_ARGUMENT, "n_sends is -1 and n_receives is 0",
            "fewer than 0 sends");
    refuses(paulimpi_exchange(ctx, 0, NULL, -2, &one, NULL),
            PAULIMPI_ERR_ARGUMENT, "n_receives is -2",
            "fewer than 0 receives");
    refuses(paulimpi_exchange(ctx, 1, NULL, 0, NULL, NULL),
            PAULIMPI_ERR_ARGUMENT, "sends is NULL", "sends without a list");
    refuses(paulimpi_exchange(ctx, 0, NULL, 1, NULL, NULL),
            PAULIMPI_ERR_ARGUMENT, "receives is NULL",
            "receives without a list");
    tap_is_status(paulimpi_exchange(ctx, 0, NULL, 0, NULL, NULL),
                  PAULIMPI_SUCCESS, "no messages at all are fine");
}

static void
test_messages(void)
{
    paulimpi_message good = message(0, 8, 0, 1);
    paulimpi_message bad[3];
    paulimpi_message odd = message(8, 8, 0, 1);

    refuses(try_pair(message(0, 8, 1, 1), odd), PAULIMPI_ERR_ARGUMENT,
            "paulimpi_exchange: sends[0]: peer is 1, but the context has "
            "ranks from 0 to 0",
            "a peer that is no rank");
    refuses(try_pair(good, message(8, 8, -77, 1)), PAULIMPI_ERR_ARGUMENT,
            "receives[0]: peer is -77", "a peer that is no rank either");
    refuses(try_pair(message(0, 8, PAULIMPI_PEER_ANY, 1), odd),
            PAULIMPI_ERR_ARGUMENT, "which is for receives",
            "a send to any rank");
    refuses(try_pair(message(0, 8, MPI_ANY_SOURCE, 1), odd),
            PAULIMPI_ERR_ARGUMENT, "which is for receives",
            "a send to MPI_ANY_SOURCE");
    refuses(try_pair(message(0, 8, 0, -1), odd), PAULIMPI_ERR_ARGUMENT,
            "tag is -1, but must be from 0 to 32767", "a negative tag");
    refuses(try_pair(good, message(8, 8, 0, 32768)), PAULIMPI_ERR_ARGUMENT,
            "receives[0]: tag is 32768", "a tag that is too large");
    bad[0] = good;
    bad[1] = message(16, 8, 0, 1);
    bad[2] = good;
    bad[2].region.element = 0;
    refuses(paulimpi_exchange(ctx, 3, bad, 0, NULL, NULL),
            PAULIMPI_ERR_ARGUMENT, "paulimpi_exchange: sends[2]",
            "a region that cannot be, by its name");
    bad[2].peer = PAULIMPI_PEER_NONE;
    bad[2].tag = -5;
    bad[0].peer = MPI_PROC_NULL;
    tap_is_status(paulimpi_exchange(ctx, 2,
                                    (paulimpi_message[]){ bad[0], bad[2] }, 0,
                                    NULL, NULL),
                  PAULIMPI_SUCCESS, "to nobody anything may be sent");
}

static void
test_overlap(void)
{
    paulimpi_message receives[2] = { message(0, 64, 0, 1),
                                     message(32, 64, 0, 1) };
    paulimpi_message sends[2] = { message(200, 64, 0, 1),
                                  message(232, 64, 0, 1) };

    refuses(paulimpi_exchange(ctx, 2, sends, 2, receives, NULL),
            PAULIMPI_ERR_OVERLAP, "receives[1]",
            "memory that is received into twice");
    receives[1] = message(230, 64, 0, 1);
    refuses(paulimpi_exchange(ctx, 2, sends, 2, receives, NULL),
            PAULIMPI_ERR_OVERLAP, "receives[1]",
            "memory that is sent from and received into");
    receives[1] = message(64, 64, 0, 1);
    tap_is_status(paulimpi_exchange(ctx, 2, sends, 2, receives, NULL),
                  PAULIMPI_SUCCESS, "sends may overlap");
}

static void
test_self(void)
{
    paulimpi_message receives[2] = { message(0, 8, 0, 1),
                                     message(16, 8, PAULIMPI_PEER_ANY, 1) };
    paulimpi_message sends[2] = { message(32, 8, 0, 1), message(40, 8, 0, 1) };

    refuses(paulimpi_exchange(ctx, 2, sends, 1, receives, NULL),
            PAULIMPI_ERR_STATE,
            "sends[1], tag 1, is a send to rank 0 itself, where no receive",
            "a send to itself that nothing takes");
    refuses(paulimpi_exchange(ctx, 1, sends, 2, receives, NULL),
            PAULIMPI_ERR_STATE, "receives[1], tag 1, is a receive from",
            "a receive from itself that nothing meets");
    sends[1].tag = 2;
    refuses(paulimpi_exchange(ctx, 2, sends, 2, receives, NULL),
            PAULIMPI_ERR_STATE, "sends[1], tag 2", "another tag does not do");
    sends[1] = message(40, 9, 0, 1);
    refuses(paulimpi_exchange(ctx, 2, sends, 2, receives, NULL),
            PAULIMPI_ERR_MISMATCH,
            "sends[1] to rank 0 itself, tag 1, has 9 bytes, but receives[1], "
            "which it meets, has 8",
            "a length that does not fit");
    sends[1] = message(40, 8, 0, 1);
    memset(memory, 7, sizeof memory);
    memory[32] = 1;
    memory[40] = 2;
    tap_is_status(paulimpi_exchange(ctx, 2, sends, 2, receives, NULL),
                  PAULIMPI_SUCCESS, "what fits is copied");
    tap_ok(memory[0] == 1 && memory[16] == 2, "in the order of the lists");
}

static void
test_options(void)
{
    paulimpi_exchange_options none = { 0 };
    paulimpi_exchange_options old = { sizeof(size_t), memory, memory, 9,
                                      NULL,           NULL,   -1.0,   2 };
    char *mark = memory;

    refuses(paulimpi_exchange(ctx, 0, NULL, 0, NULL, &none),
            PAULIMPI_ERR_ARGUMENT, "the size of options is 0",
            "options without a size");
    refuses(paulimpi_exchange(ctx, 0, NULL, 0, NULL,
                              PAULIMPI_EXCHANGE_OPTIONS(.after_stream = mark,
                                                        .after_event = mark)),
            PAULIMPI_ERR_ARGUMENT, "only one may be given",
            "a stream and an event");
    refuses(paulimpi_exchange(
                ctx, 0, NULL, 0, NULL,
                PAULIMPI_EXCHANGE_OPTIONS(.after_default_stream = 2)),
            PAULIMPI_ERR_ARGUMENT, "after_default_stream is 2",
            "a default stream that is neither 0 nor 1");
    refuses(paulimpi_exchange(ctx, 0, NULL, 0, NULL,
                              PAULIMPI_EXCHANGE_OPTIONS(.timeout = -1.0)),
            PAULIMPI_ERR_ARGUMENT, "timeout is -1", "a negative time limit");
    refuses(
        paulimpi_exchange(ctx, 0, NULL, 0, NULL,
                          PAULIMPI_EXCHANGE_OPTIONS(.timeout = (double)NAN)),
        PAULIMPI_ERR_ARGUMENT, "timeout is", "one that is no number");
    refuses(paulimpi_exchange(
                ctx, 0, NULL, 0, NULL,
                PAULIMPI_EXCHANGE_OPTIONS(.timeout = (double)INFINITY)),
            PAULIMPI_ERR_ARGUMENT, "timeout is inf", "an infinite one");
    tap_is_status(paulimpi_exchange(ctx, 0, NULL, 0, NULL, &old),
                  PAULIMPI_SUCCESS, "fields beyond the size are not read");
}

static void
test_variable(const char *name, const char *bad, const char *good)
{
    setenv(name, bad, 1);
    refuses(paulimpi_exchange(ctx, 0, NULL, 0, NULL, NULL),
            PAULIMPI_ERR_ARGUMENT, name, name);
    setenv(name, good, 1);
    tap_is_status(paulimpi_exchange(ctx, 0, NULL, 0, NULL, NULL),
                  PAULIMPI_SUCCESS, "%s=%s is fine", name, good);
    unsetenv(name);
}

static void
test_variables(void)
{
    test_variable("PAULIMPI_TIMEOUT", "soon", "0.5");
    test_variable("PAULIMPI_TIMEOUT", "-1", "0");
    test_variable("PAULIMPI_TIMEOUT", "1e999", "");
    test_variable("PAULIMPI_CHECK", "all", "collective");
    test_variable("PAULIMPI_TEST_PIECE_BYTES", "0", "7");
    test_variable("PAULIMPI_TRANSPORT", "pigeon", "mpi");
}

static void
test_plans(void)
{
    paulimpi_message send = message(0, 8, 0, 1);
    paulimpi_message receive = message(8, 8, 0, 1);
    paulimpi_plan *plan = (paulimpi_plan *)memory;
    char *text = memory;
    int done;

    refuses(paulimpi_plan_create(NULL, 0, NULL, 0, NULL, NULL, &plan),
            PAULIMPI_ERR_ARGUMENT, "paulimpi_plan_create: ctx is NULL",
            "a plan without a context is refused");
    tap_ok(plan == NULL, "and there is no plan");
    refuses(paulimpi_plan_create(ctx, 0, NULL, 0, NULL, NULL, NULL),
            PAULIMPI_ERR_ARGUMENT, "plan_p is NULL", "no place for the plan");
    refuses(paulimpi_plan_create(ctx, 1, &send, 0, NULL, NULL, &plan),
            PAULIMPI_ERR_STATE, "paulimpi_plan_create: sends[0]",
            "a plan of messages that cannot be");
    refuses(paulimpi_plan_start(NULL, NULL), PAULIMPI_ERR_ARGUMENT,
            "paulimpi_plan_start: plan is NULL", "no plan to start");
    refuses(paulimpi_plan_wait(NULL), PAULIMPI_ERR_ARGUMENT,
            "paulimpi_plan_wait: plan is NULL", "to wait for");
    refuses(paulimpi_plan_test(NULL, &done), PAULIMPI_ERR_ARGUMENT,
            "paulimpi_plan_test: plan is NULL", "to test");
    refuses(paulimpi_plan_explain(NULL, &text), PAULIMPI_ERR_ARGUMENT,
            "paulimpi_plan_explain: plan is NULL", "or to explain");
    tap_ok(text == NULL, "and there is no text");
    paulimpi_plan_destroy(NULL);
    paulimpi_plan_destroy(&plan);
    tap_ok(1, "to destroy none is fine");

    paulimpi_plan_create(ctx, 1, &send, 1, &receive, NULL, &plan);
    refuses(paulimpi_plan_test(plan, NULL), PAULIMPI_ERR_ARGUMENT,
            "done_p is NULL", "no place for the answer");
    refuses(paulimpi_plan_wait(plan), PAULIMPI_ERR_STATE,
            "paulimpi_plan_wait: the plan was not started",
            "to wait before the start");
    refuses(paulimpi_plan_test(plan, &done), PAULIMPI_ERR_STATE,
            "was not started", "to test before the start");
    refuses(
        paulimpi_plan_start(plan, PAULIMPI_EXCHANGE_OPTIONS(.timeout = -1.0)),
        PAULIMPI_ERR_ARGUMENT, "paulimpi_plan_start: timeout is -1",
        "bad options at the start");
    tap_is_status(paulimpi_plan_start(plan, NULL), PAULIMPI_SUCCESS,
                  "all that left it as it was");
    refuses(paulimpi_plan_start(plan, NULL), PAULIMPI_ERR_STATE,
            "the plan is under way", "to start twice");
    tap_is_status(paulimpi_plan_wait(plan), PAULIMPI_SUCCESS,
                  "it can be waited for");
    refuses(paulimpi_plan_wait(plan), PAULIMPI_ERR_STATE, "was not started",
            "once");
    refuses(paulimpi_plan_explain(plan, NULL), PAULIMPI_ERR_ARGUMENT,
            "text_p is NULL", "no place for the text");
    paulimpi_plan_destroy(&plan);
    tap_ok(plan == NULL, "a destroyed plan is forgotten");
}

static void
test_explain(void)
{
    paulimpi_message sends[2] = { message(0, 8, 0, 1),
                                  message(0, 8, MPI_PROC_NULL, 1) };
    paulimpi_message receive = { paulimpi_region_2d(memory + 100, 4, 2, 10), 0,
                                 1 };
    paulimpi_plan *plan;
    char *text, *again;
    int n_wrong = 0;
    int n, rc;

    paulimpi_plan_create(ctx, 2, sends, 1, &receive, NULL, &plan);
    paulimpi_plan_explain(plan, &text);
    tap_is_text(text,
                "send 0 to rank 0, tag 1: 8 bytes of the host: copied here, "
                "to receive 0\n"
                "send 1 to nobody\n"
                "receive 0 from rank 0, tag 1: 8 bytes in runs of 4 of the "
                "host: copied here, from send 0\n",
                "a plan explains itself");
    paulimpi_exchange_explain(ctx, 2, sends, 1, &receive, &again);
    tap_is_text(again, text, "so does an exchange");
    paulimpi_text_destroy(&again);
    paulimpi_text_destroy(&text);
    paulimpi_plan_destroy(&plan);
    refuses(paulimpi_exchange_explain(NULL, 2, sends, 1, &receive, &again),
            PAULIMPI_ERR_ARGUMENT, "paulimpi_exchange_explain: ctx is NULL",
            "not without a context");
    refuses(paulimpi_exchange_explain(ctx, 2, sends, 1, &receive, NULL),
            PAULIMPI_ERR_ARGUMENT, "text_p is NULL", "or a place");
    again = memory;
    refuses(paulimpi_exchange_explain(ctx, 1, sends, 0, NULL, &again),
            PAULIMPI_ERR_STATE, "paulimpi_exchange_explain: sends[0]",
            "nor one that cannot be");
    tap_ok(again == NULL, "then there is no text");
    for (n = 1; again == NULL && n < 100; n++) {
        paulimpi__alloc_fail_at(n);
        rc = paulimpi_exchange_explain(ctx, 2, sends, 1, &receive, &again);
        paulimpi__alloc_fail_at(0);
        n_wrong += again == NULL && rc != PAULIMPI_ERR_MEMORY;
    }
    tap_ok(n > 3 && n < 100 && n_wrong == 0,
           "nor where memory runs out, at any of %d places", n - 2);
    paulimpi_text_destroy(&again);
}

/* Without memory nothing is made, wherever it fails. */
static void
test_memory(void)
{
    paulimpi_message send = { paulimpi_region_2d(memory, 4, 8, 16), 0, 1 };
    paulimpi_message receive = { paulimpi_region_2d(memory + 500, 8, 4, 16), 0,
                                 1 };
    paulimpi_plan *plan;
    int n_wrong = 0;
    int n = 0;
    int rc;

    do {
        plan = (paulimpi_plan *)memory;
        paulimpi__alloc_fail_at(++n);
        rc = paulimpi_plan_create(ctx, 1, &send, 1, &receive, NULL, &plan);
        n_wrong += rc != PAULIMPI_SUCCESS
                   && (rc != PAULIMPI_ERR_MEMORY || plan != NULL);
    } while (rc != PAULIMPI_SUCCESS && n < 100);
    tap_ok(n > 5 && n_wrong == 0, "no memory: a code and no plan");

    paulimpi__alloc_fail_at(1);
    n_wrong = paulimpi_plan_start(plan, NULL) + paulimpi_plan_wait(plan)
              + paulimpi_plan_start(plan, NULL) + paulimpi_plan_wait(plan);
    tap_is_int(n_wrong, 0, "a run allocates nothing");
    tap_ok(paulimpi__alloc(1, 1) == NULL, "so that the next to do so fails");
    paulimpi_plan_destroy(&plan);
}

int
main(void)
{
    unsetenv("PAULIMPI_TIMEOUT");
    unsetenv("PAULIMPI_CHECK");
    paulimpi_context_create_serial(NULL, &ctx);
    test_lists();
    test_messages();
    test_overlap();
    test_self();
    test_options();
    test_variables();
    test_plans();
    test_explain();
    test_memory();
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
