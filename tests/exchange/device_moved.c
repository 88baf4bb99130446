/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of a device that is freed, and allocated anew at the same address,
 * while a plan names it; and what a plan says that it waits for.
 */
#include <stdlib.h>
#include <string.h>

#include "mock/mock.h"
#include "paulimpi/exchange.h"
#include "tap/tap_mpi.h"

enum { BYTES = 8000, LESS = 7900 };

static char *from, *to;
static char image[BYTES];

static void
create(int kind, size_t bytes, char **memory_p)
{
    if (paulimpi_memory_create(kind, bytes, (void **)memory_p)
        != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no memory: %s", paulimpi_last_error());
    }
}

static void
destroy(char **memory_p)
{
    paulimpi_memory_destroy((void **)memory_p);
    paulimpi_stream_wait(NULL);
}

/* Put another allocation in the place of what is sent. */
static void
replace(int kind, size_t bytes)
{
    const char *before = from;

    destroy(&from);
    create(kind, bytes, &from);
    tap_mpi_ok(from == before, "another allocation has the address");
}

/* Run the plan: whether a value arrives. */
static int
brings(paulimpi_plan *plan, int value)
{
    int rc;

    memset(image, value, BYTES);
    paulimpi_memory_copy(from, image, BYTES, NULL);
    rc = paulimpi_plan_start(plan, NULL);
    rc = rc == PAULIMPI_SUCCESS ? paulimpi_plan_wait(plan) : rc;
    memset(image, 0, BYTES);
    paulimpi_memory_copy(image, to, BYTES, NULL);
    paulimpi_stream_wait(NULL);
    return rc == PAULIMPI_SUCCESS && image[0] == value
           && image[BYTES - 1] == value;
}

static void
refused(paulimpi_plan *plan, const char *part, const char *fact)
{
    tap_mpi_is_status(paulimpi_plan_start(plan, NULL), PAULIMPI_ERR_STATE,
                      "%s: the plan does not start", fact);
    tap_mpi_ok(strstr(paulimpi_last_error(), "sends[0]") != NULL
                   && strstr(paulimpi_last_error(), part) != NULL,
               "and says: %s", part);
}

static void
test_words(const paulimpi_plan *plan, const char *part)
{
    char *text = NULL;

    paulimpi_plan_explain(plan, &text);
    tap_mpi_ok(text != NULL && strstr(text, part) != NULL, "it %s", part);
    paulimpi_text_destroy(&text);
}

/* What a plan waits for before it begins, as it tells. */
static void
test_order(paulimpi_context *ctx, const paulimpi_exchange_options *options,
           const char *part)
{
    paulimpi_message send = { paulimpi_region_1d(from, BYTES), 0, 1 };
    paulimpi_message receive = { paulimpi_region_1d(to, BYTES), 0, 1 };
    paulimpi_plan *plan;

    tap_mpi_is_status(
        paulimpi_plan_create(ctx, 1, &send, 1, &receive, options, &plan),
        PAULIMPI_SUCCESS, "a plan that waits");
    test_words(plan, part);
    paulimpi_plan_destroy(&plan);
}

static void
test_orders(paulimpi_context *ctx)
{
    paulimpi_stream stream;
    paulimpi_event event;

    paulimpi_stream_create(&stream);
    paulimpi_event_create(&event);
    test_order(ctx, PAULIMPI_EXCHANGE_OPTIONS(.after_stream = stream),
               "begins when what was asked of after_stream is done");
    test_order(ctx, PAULIMPI_EXCHANGE_OPTIONS(.after_default_stream = 1),
               "begins when what was asked of after_stream is done");
    test_order(ctx, PAULIMPI_EXCHANGE_OPTIONS(.after_event = event),
               "begins when after_event is done");
    paulimpi_event_destroy(&event);
    paulimpi_stream_destroy(&stream);
}

static void
test(paulimpi_context *ctx)
{
    paulimpi_message send, receive;
    paulimpi_plan *plan;

    create(PAULIMPI_MEMORY_DEVICE, BYTES, &from);
    create(PAULIMPI_MEMORY_DEVICE, BYTES, &to);
    send = (paulimpi_message){ paulimpi_region_1d(from, BYTES), 0, 1 };
    receive = (paulimpi_message){ paulimpi_region_1d(to, BYTES), 0, 1 };
    tap_mpi_is_status(
        paulimpi_plan_create(ctx, 1, &send, 1, &receive, NULL, &plan),
        PAULIMPI_SUCCESS, "a plan is made");
    tap_mpi_ok(brings(plan, 1), "and runs");
    test_words(plan, "begins when all that was asked of device 0 is done, as "
                     "neither a stream nor an event was given");
    test_orders(ctx);
    replace(PAULIMPI_MEMORY_DEVICE, BYTES);
    tap_mpi_ok(brings(plan, 2), "with another allocation of the same kind");
    replace(PAULIMPI_MEMORY_DEVICE, LESS);
    refused(plan, "7900 bytes, which will not do", "a shorter one");
    replace(PAULIMPI_MEMORY_POOL, BYTES);
    refused(plan, "of kind pool", "one of another kind");
    destroy(&from);
    refused(plan, "of kind host", "none");
    create(PAULIMPI_MEMORY_DEVICE, BYTES, &from);
    tap_mpi_ok(brings(plan, 3), "what will do again is taken");
    paulimpi_plan_destroy(&plan);
    destroy(&from);
    destroy(&to);
}

int
main(int argc, char **argv)
{
    paulimpi_context *ctx;
    int status;

    setenv("PAULIMPI_GPU_AWARE", "no", 1);
    setenv("PAULIMPI_MOCK_REUSE", "1", 1);
    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    if (!mock_is_here()) {
        tap_mpi_skip_all("there is no mock of CUDA");
    }
    paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
    test(ctx);
    paulimpi_context_destroy(&ctx);
    tap_mpi_is_int(mock_faults(), 0, "nothing was touched that must not be");
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
