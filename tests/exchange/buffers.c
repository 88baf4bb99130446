/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Single buffers, for programs that make the MPI call themselves.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "paulimpi/exchange.h"
#include "tap/tap.h"

static paulimpi_context *ctx;
static char memory[256];

static void
fill(void)
{
    int i;

    for (i = 0; i < (int)sizeof memory; i++) {
        memory[i] = (char)i;
    }
}

static void
refuses(int got, const char *sentence, const char *fact)
{
    tap_is_status(got, PAULIMPI_ERR_ARGUMENT, "%s", fact);
    tap_contains(paulimpi_last_error(), sentence, "with a sentence");
}

static void
test_arguments(void)
{
    paulimpi_region region = paulimpi_region_1d(memory, 8);
    paulimpi_region odd = region;
    paulimpi_buffer *buffer = (paulimpi_buffer *)memory;
    void *address;

    refuses(paulimpi_buffer_acquire(NULL, &region, 1, NULL, &buffer, &address),
            "paulimpi_buffer_acquire: ctx is NULL", "no context is refused");
    tap_ok(buffer == NULL, "and there is no buffer");
    refuses(paulimpi_buffer_acquire(ctx, NULL, 1, NULL, &buffer, &address),
            "region is NULL", "no region");
    refuses(paulimpi_buffer_acquire(ctx, &region, 0, NULL, &buffer, &address),
            "use is 0", "no use");
    refuses(paulimpi_buffer_acquire(ctx, &region, 4, NULL, &buffer, &address),
            "use is 4", "another use");
    refuses(paulimpi_buffer_acquire(ctx, &region, 1, NULL, NULL, &address),
            "buffer_p is NULL", "no place for the buffer");
    refuses(paulimpi_buffer_acquire(ctx, &region, 1, NULL, &buffer, NULL),
            "address_p is NULL", "no place for the address");
    odd.dimensions = 9;
    refuses(paulimpi_buffer_acquire(ctx, &odd, 1, NULL, &buffer, &address),
            "paulimpi_buffer_acquire: region", "a region that cannot be");
    refuses(paulimpi_buffer_acquire(ctx, &region, 1,
                                    PAULIMPI_EXCHANGE_OPTIONS(.timeout = -1),
                                    &buffer, &address),
            "timeout is -1", "bad options");
    tap_is_status(paulimpi_buffer_release(NULL, 1), PAULIMPI_SUCCESS,
                  "to release none is fine");
    tap_is_status(paulimpi_buffer_release(&buffer, 1), PAULIMPI_SUCCESS,
                  "NULL too");
}

static void
test_contiguous(void)
{
    paulimpi_region region = paulimpi_region_1d(memory + 8, 16);
    paulimpi_buffer *buffer;
    void *address;

    fill();
    tap_is_status(paulimpi_buffer_acquire(ctx, &region, PAULIMPI_BUFFER_SEND,
                                          NULL, &buffer, &address),
                  PAULIMPI_SUCCESS, "contiguous memory is acquired");
    tap_ok(address == memory + 8, "as it is");
    tap_is_status(paulimpi_buffer_release(&buffer, 1), PAULIMPI_SUCCESS,
                  "and released");
    tap_ok(buffer == NULL && memory[8] == 8, "and is as it was");
    region = paulimpi_region_1d(NULL, 0);
    tap_is_status(paulimpi_buffer_acquire(ctx, &region, PAULIMPI_BUFFER_SEND,
                                          NULL, &buffer, &address),
                  PAULIMPI_SUCCESS, "no bytes at all are fine");
    paulimpi_buffer_release(&buffer, 1);
}

static void
test_strided(void)
{
    paulimpi_region region = paulimpi_region_2d(memory, 2, 4, 8);
    paulimpi_buffer *buffer;
    void *address;

    fill();
    paulimpi_buffer_acquire(ctx, &region, PAULIMPI_BUFFER_SEND, NULL, &buffer,
                            &address);
    tap_ok(memcmp(address, (char[]){ 0, 1, 8, 9, 16, 17, 24, 25 }, 8) == 0,
           "strided memory is packed for a send");
    memset(address, 99, 8);
    paulimpi_buffer_release(&buffer, 1);
    tap_ok(memory[0] == 0 && memory[25] == 25, "and stays as it is");

    paulimpi_buffer_acquire(ctx, &region,
                            PAULIMPI_BUFFER_SEND | PAULIMPI_BUFFER_RECEIVE,
                            NULL, &buffer, &address);
    memset(address, 99, 4);
    paulimpi_buffer_release(&buffer, 0);
    tap_ok(memory[0] == 0, "what was received can be thrown away");
    paulimpi_buffer_acquire(ctx, &region,
                            PAULIMPI_BUFFER_SEND | PAULIMPI_BUFFER_RECEIVE,
                            NULL, &buffer, &address);
    memset(address, 99, 4);
    tap_is_status(paulimpi_buffer_release(&buffer, 1), PAULIMPI_SUCCESS,
                  "or kept");
    tap_ok(memory[0] == 99 && memory[9] == 99 && memory[2] == 2
               && memory[16] == 16 && memory[25] == 25,
           "in its place");
}

/* A copy each way; nothing is there to be waited for. */
static void
test_counts(void)
{
    paulimpi_region region = paulimpi_region_2d(memory, 2, 4, 8);
    int64_t packed = -1, waits = -1;
    paulimpi_counter *counter;
    paulimpi_buffer *buffer;
    void *address;

    paulimpi_counter_create("buffer", &counter);
    paulimpi_counter_begin(counter);
    paulimpi_buffer_acquire(ctx, &region,
                            PAULIMPI_BUFFER_SEND | PAULIMPI_BUFFER_RECEIVE,
                            NULL, &buffer, &address);
    paulimpi_buffer_release(&buffer, 1);
    paulimpi_counter_end(counter);
    paulimpi_counter_get(counter, NULL, PAULIMPI_COUNT_PACK, &packed, NULL);
    paulimpi_counter_get(counter, NULL, PAULIMPI_COUNT_WAIT, &waits, NULL);
    tap_ok(packed == 2 && waits == 0, "packing is counted, and no wait");
    paulimpi_counter_destroy(&counter);
}

static void
test_memory(void)
{
    paulimpi_region region = paulimpi_region_2d(memory, 2, 4, 8);
    paulimpi_buffer *buffer;
    void *address;
    int n_wrong = 0;
    int n = 0;
    int rc;

    do {
        paulimpi__alloc_fail_at(++n);
        rc = paulimpi_buffer_acquire(ctx, &region, PAULIMPI_BUFFER_SEND, NULL,
                                     &buffer, &address);
        n_wrong += rc != PAULIMPI_SUCCESS
                   && (rc != PAULIMPI_ERR_MEMORY || buffer != NULL);
    } while (rc != PAULIMPI_SUCCESS && n < 100);
    paulimpi__alloc_fail_at(0);
    tap_ok(n > 1 && n_wrong == 0, "no memory: a code and no buffer");
    paulimpi_buffer_release(&buffer, 1);
    region = paulimpi_region_2d(memory, 2, INT64_C(1) << 40, 0);
    tap_is_status(paulimpi_buffer_acquire(ctx, &region, PAULIMPI_BUFFER_SEND,
                                          NULL, &buffer, &address),
                  PAULIMPI_ERR_MEMORY, "more than the limit of staging");
    tap_contains(paulimpi_last_error(), "PAULIMPI_STAGING_MAX",
                 "the sentence names the variable");
}

int
main(void)
{
    paulimpi_context_create_serial(NULL, &ctx);
    test_arguments();
    test_contiguous();
    test_strided();
    test_counts();
    test_memory();
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
