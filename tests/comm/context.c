/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Contexts without MPI.
 */
#include "paulimpi/context.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "comm/comm.h"
#include "tap/tap.h"

#ifdef _OPENMP
enum { HAS_THREADS = 1 };
#else
enum { HAS_THREADS = 0 };
#endif

/* Make a context with a number of threads; 0 if that is refused. */
static int
threads_for(int requested)
{
    paulimpi_context_options options = PAULIMPI_CONTEXT_OPTIONS_INIT;
    paulimpi_context *ctx;
    int threads = 0;

    options.threads = requested;
    if (paulimpi_context_create_serial(&options, &ctx) == PAULIMPI_SUCCESS) {
        threads = paulimpi_context_threads(ctx);
        paulimpi_context_destroy(&ctx);
    }
    return threads;
}

static void
test_trivial_contract(void)
{
    paulimpi_context *ctx = NULL;
    paulimpi_placement place = PAULIMPI_PLACEMENT_INIT;

    paulimpi_context_destroy(NULL);
    paulimpi_context_destroy(&ctx);
    tap_ok(1, "destroying nothing is fine");
    tap_is_status(paulimpi_context_create_serial(NULL, NULL),
                  PAULIMPI_ERR_ARGUMENT, "create needs a place");
    tap_is_text(paulimpi_last_error(),
                "paulimpi_context_create_serial: ctx_p is NULL",
                "and says which");
    tap_is_status(paulimpi_context_rank(NULL), PAULIMPI_ERR_ARGUMENT,
                  "no context has no rank");
    tap_is_status(paulimpi_context_size(NULL), PAULIMPI_ERR_ARGUMENT,
                  "no size");
    tap_is_status(paulimpi_context_threads(NULL), PAULIMPI_ERR_ARGUMENT,
                  "no threads");
    tap_is_status(paulimpi_context_set_threads(NULL, 1), PAULIMPI_ERR_ARGUMENT,
                  "and gets none");
    tap_is_status(paulimpi_context_placement(NULL, &place),
                  PAULIMPI_ERR_ARGUMENT, "and is nowhere");
}

static void
test_serial(void)
{
    paulimpi_context *ctx;

    tap_is_status(paulimpi_context_create_serial(NULL, &ctx), PAULIMPI_SUCCESS,
                  "a context without MPI");
    tap_is_int(paulimpi_context_rank(ctx), 0, "has rank 0");
    tap_is_int(paulimpi_context_size(ctx), 1, "of 1");
    tap_ok(paulimpi_context_threads(ctx) >= 1, "and a thread");
    tap_is_status(paulimpi__agree(ctx, PAULIMPI_SUCCESS), PAULIMPI_SUCCESS,
                  "it agrees with itself");
    tap_is_status(paulimpi__agree(ctx, PAULIMPI_ERR_IO), PAULIMPI_ERR_IO,
                  "also on failure");
    paulimpi_context_destroy(&ctx);
    tap_ok(ctx == NULL, "destroy forgets the handle");
}

static void
test_lifetime(void)
{
    paulimpi_context *ctx, *held;

    paulimpi_context_create_serial(NULL, &ctx);
    held = ctx;
    paulimpi__context_retain(held);
    paulimpi_context_destroy(&ctx);
    tap_is_int(paulimpi_context_size(held), 1,
               "an object on a context keeps it alive");
    paulimpi__context_release(held);
}

static void
test_options(void)
{
    paulimpi_context_options options = PAULIMPI_CONTEXT_OPTIONS_INIT;
    paulimpi_context *ctx = (paulimpi_context *)&options;

    tap_is_int(threads_for(3), HAS_THREADS ? 3 : 1, "three threads");
    tap_is_int(threads_for(4096), HAS_THREADS ? 4096 : 1, "4096 threads");
    tap_is_int(threads_for(0), 0, "0 threads are refused");
    tap_is_int(threads_for(-2), 0, "-2 too");
    tap_is_int(threads_for(4097), 0, "4097 too");
    tap_contains(paulimpi_last_error(), "threads is 4097", "with the number");

    options.size = 0;
    tap_is_status(paulimpi_context_create_serial(&options, &ctx),
                  PAULIMPI_ERR_ARGUMENT, "options of no size are refused");
    tap_ok(ctx == NULL, "and give no handle");
    options.size = sizeof options.size;
    options.threads = 5000;
    tap_is_status(paulimpi_context_create_serial(&options, &ctx),
                  PAULIMPI_SUCCESS, "nothing is read beyond their size");
    paulimpi_context_destroy(&ctx);
}

static void
test_variable(void)
{
    static const char *const bad[] = { "0", "-1", "two", "4097", "1.5" };
    size_t i;

    setenv("PAULIMPI_THREADS", "2", 1);
    tap_is_int(threads_for(PAULIMPI_AUTOMATIC), HAS_THREADS ? 2 : 1,
               "PAULIMPI_THREADS counts");
    tap_is_int(threads_for(3), HAS_THREADS ? 3 : 1, "the option wins");
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        setenv("PAULIMPI_THREADS", bad[i], 1);
        tap_is_int(threads_for(PAULIMPI_AUTOMATIC), 0,
                   "PAULIMPI_THREADS=%s is refused", bad[i]);
    }
    tap_contains(paulimpi_last_error(), "PAULIMPI_THREADS is \"1.5\"",
                 "with a sentence");
    tap_is_int(threads_for(1), 1, "unless the option wins");
    setenv("PAULIMPI_THREADS", "", 1);
    tap_ok(threads_for(PAULIMPI_AUTOMATIC) >= 1, "empty is as not set");
    unsetenv("PAULIMPI_THREADS");

    setenv("PAULIMPI_TEST_NODE_SIZE", "0", 1);
    tap_is_int(threads_for(1), 0, "PAULIMPI_TEST_NODE_SIZE=0 is refused");
    unsetenv("PAULIMPI_TEST_NODE_SIZE");
}

static void
test_set_threads(void)
{
    paulimpi_context *ctx;
    int automatic;

    paulimpi_context_create_serial(NULL, &ctx);
    automatic = paulimpi_context_threads(ctx);
    tap_is_status(paulimpi_context_set_threads(ctx, 7), PAULIMPI_SUCCESS,
                  "threads can be set");
    tap_is_int(paulimpi_context_threads(ctx), HAS_THREADS ? 7 : 1, "to 7");
    tap_is_status(paulimpi_context_set_threads(ctx, 0), PAULIMPI_ERR_ARGUMENT,
                  "not to 0");
    tap_is_status(paulimpi_context_set_threads(ctx, 4097),
                  PAULIMPI_ERR_ARGUMENT, "nor above 4096");
    tap_is_int(paulimpi_context_threads(ctx), HAS_THREADS ? 7 : 1,
               "they stay as they were");
    paulimpi_context_set_threads(ctx, PAULIMPI_AUTOMATIC);
    tap_is_int(paulimpi_context_threads(ctx), automatic,
               "PAULIMPI_AUTOMATIC takes it back");
    paulimpi_context_destroy(&ctx);
}

static void
test_placement(void)
{
    paulimpi_placement place = PAULIMPI_PLACEMENT_INIT;
    paulimpi_context *ctx;

    paulimpi_context_create_serial(NULL, &ctx);
    tap_is_status(paulimpi_context_placement(ctx, NULL), PAULIMPI_ERR_ARGUMENT,
                  "a placement needs a place");
    tap_is_status(paulimpi_context_placement(ctx, &place), PAULIMPI_SUCCESS,
                  "a context knows where it is");
    tap_ok(place.size == sizeof place && place.nodes == 1 && place.node == 0
               && place.node_ranks == 1 && place.node_rank == 0
               && place.ranks_overlap == 0,
           "alone on one node");
    tap_ok(place.processors >= 1 && place.numa_domains >= 0
               && place.node_memory > 0,
           "with a processor and memory");

    place.size = 0;
    tap_is_status(paulimpi_context_placement(ctx, &place),
                  PAULIMPI_ERR_ARGUMENT, "a size of 0 is refused");
    memset(&place, -1, sizeof place);
    place.size = offsetof(paulimpi_placement, node);
    paulimpi_context_placement(ctx, &place);
    tap_ok(place.size == offsetof(paulimpi_placement, node) && place.nodes == 1
               && place.node == -1,
           "nothing is written beyond the size");
    paulimpi_context_destroy(&ctx);
}

static void
test_no_memory(void)
{
    paulimpi_context *ctx;
    int64_t n = 0;
    int rc, n_wrong = 0;

    do {
        n++;
        ctx = (paulimpi_context *)&n;
        paulimpi__alloc_fail_at(n);
        rc = paulimpi_context_create_serial(NULL, &ctx);
        n_wrong += rc != PAULIMPI_SUCCESS
                   && (rc != PAULIMPI_ERR_MEMORY || ctx != NULL);
    } while (rc != PAULIMPI_SUCCESS && n < 100);
    paulimpi__alloc_fail_at(0);
    tap_ok(n > 1 && n_wrong == 0,
           "wherever memory runs out: a code and no handle");
    paulimpi_context_destroy(&ctx);
}

#ifdef PAULIMPI_DEBUG

static void
test_dead(void)
{
    paulimpi_context *ctx, *dead;

    paulimpi_context_create_serial(NULL, &ctx);
    dead = ctx;
    paulimpi_context_destroy(&ctx);
    tap_is_status(paulimpi_context_rank(dead), PAULIMPI_ERR_STATE,
                  "a dead handle is found out");
    paulimpi_context_destroy(&dead);
    tap_ok(dead == NULL, "and not destroyed twice");
}

#else

static void
test_dead(void)
{
}

#endif

int
main(void)
{
    int is_initialised = -1;

    unsetenv("PAULIMPI_THREADS");
    unsetenv("PAULIMPI_TEST_NODE_SIZE");
    test_trivial_contract();
    test_serial();
    test_lifetime();
    test_options();
    test_variable();
    test_set_threads();
    test_placement();
    test_no_memory();
    test_dead();
    MPI_Initialized(&is_initialised);
    tap_is_int(is_initialised, 0, "nobody has initialised MPI");
    return tap_done();
}
