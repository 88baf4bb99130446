/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Streams and events. Holds with any number of devices, 0 too.
 */
#include <string.h>

#include "base/base.h"
#include "device/device.h"
#include "tap/tap.h"

enum { BYTES = 1 << 16 };

static void
check_arguments(void)
{
    paulimpi_stream stream = NULL;
    paulimpi_event event = NULL;
    int done;

    tap_is_status(paulimpi_stream_create(NULL), PAULIMPI_ERR_ARGUMENT,
                  "a stream needs a place");
    tap_is_status(paulimpi_event_create(NULL), PAULIMPI_ERR_ARGUMENT,
                  "an event needs a place");
    tap_is_status(paulimpi_stream_wait_event(NULL, NULL),
                  PAULIMPI_ERR_ARGUMENT, "a stream waits for an event");
    tap_is_status(paulimpi_event_record(NULL, NULL), PAULIMPI_ERR_ARGUMENT,
                  "an event is recorded");
    tap_is_status(paulimpi_event_test(NULL, &done), PAULIMPI_ERR_ARGUMENT,
                  "an event is asked");
    tap_is_status(paulimpi_event_wait(NULL), PAULIMPI_ERR_ARGUMENT,
                  "an event is waited for");
    paulimpi_stream_destroy(NULL);
    paulimpi_stream_destroy(&stream);
    paulimpi_event_destroy(NULL);
    paulimpi_event_destroy(&event);
    tap_ok(stream == NULL && event == NULL, "NULL may be forgotten");
    tap_is_status(paulimpi_stream_wait(NULL), PAULIMPI_SUCCESS,
                  "the default stream may be waited for");
    tap_ok(!paulimpi__stream_is_captured(NULL), "it is not captured");
}

static void
check_event(void)
{
    paulimpi_event event;
    int done = -1;

    tap_is_status(paulimpi_event_create(&event), PAULIMPI_SUCCESS,
                  "an event is made");
    tap_ok(event != NULL, "it is something");
    tap_is_status(paulimpi_event_test(event, NULL), PAULIMPI_ERR_ARGUMENT,
                  "the answer needs a place");
    tap_is_status(paulimpi_event_test(event, &done), PAULIMPI_SUCCESS,
                  "it may be asked");
    tap_is_int(done, 1, "it is done before it is recorded");
    tap_is_status(paulimpi_event_wait(event), PAULIMPI_SUCCESS,
                  "and waited for");
    paulimpi_event_destroy(&event);
    tap_ok(event == NULL, "and forgotten");
}

/* Bytes that pass through two streams, of which the second waits for the
 * first by an event. */
static void
check_order(void)
{
    static unsigned char start[BYTES], end[BYTES];
    paulimpi_stream first, second;
    paulimpi_event event;
    void *a, *b;
    int done = -1;

    memset(start, 0x5a, sizeof start);
    tap_is_status(paulimpi_stream_create(&first), PAULIMPI_SUCCESS,
                  "a stream is made");
    paulimpi_stream_create(&second);
    paulimpi_event_create(&event);
    paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, BYTES, &a);
    paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, BYTES, &b);
    paulimpi_memory_copy(a, start, BYTES, first);
    tap_is_status(paulimpi_event_record(event, first), PAULIMPI_SUCCESS,
                  "an event is recorded");
    tap_is_status(paulimpi_stream_wait_event(second, event), PAULIMPI_SUCCESS,
                  "another stream waits for it");
    paulimpi_memory_copy(b, a, BYTES, second);
    paulimpi_memory_copy(end, b, BYTES, second);
    tap_is_status(paulimpi_stream_wait(second), PAULIMPI_SUCCESS,
                  "and is waited for");
    tap_ok(memcmp(start, end, BYTES) == 0, "the bytes passed through");
    tap_is_status(paulimpi_event_test(event, &done), PAULIMPI_SUCCESS,
                  "the event may be asked");
    tap_is_int(done, 1, "it is done");
    tap_is_status(paulimpi_event_record(event, second), PAULIMPI_SUCCESS,
                  "it is recorded again");
    tap_is_status(paulimpi_event_wait(event), PAULIMPI_SUCCESS,
                  "and waited for");
    paulimpi_memory_destroy(&a);
    paulimpi_memory_destroy(&b);
    paulimpi_event_destroy(&event);
    paulimpi_stream_destroy(&first);
    paulimpi_stream_destroy(&second);
    tap_ok(first == NULL && second == NULL, "streams are forgotten");
}

static void
check_no_memory(void)
{
    paulimpi_stream stream = &stream;
    paulimpi_event event = &event;
    int n_devices;

    paulimpi_device_count(&n_devices);
    if (n_devices > 0) {
        return;
    }
    paulimpi__alloc_fail_at(1);
    tap_is_status(paulimpi_stream_create(&stream), PAULIMPI_ERR_MEMORY,
                  "without memory there is no stream");
    paulimpi__alloc_fail_at(1);
    tap_is_status(paulimpi_event_create(&event), PAULIMPI_ERR_MEMORY,
                  "nor an event");
    paulimpi__alloc_fail_at(0);
    tap_ok(stream == NULL && event == NULL, "they are NULL");
}

int
main(void)
{
    check_arguments();
    check_event();
    check_order();
    check_no_memory();
    return tap_done();
}
