/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Streams and events.
 */
#include "device/table.h"

int
paulimpi_stream_create(paulimpi_stream *stream_p)
{
    static const char function[] = "paulimpi_stream_create";

    if (stream_p == NULL) {
        return paulimpi__null(function, "stream_p");
    }
    *stream_p = NULL;
    return paulimpi__device()->stream_create(function, stream_p);
}

void
paulimpi_stream_destroy(paulimpi_stream *stream_p)
{
    if (stream_p != NULL && *stream_p != NULL) {
        paulimpi__device()->stream_destroy(*stream_p);
        *stream_p = NULL;
    }
}

int
paulimpi_stream_wait(paulimpi_stream stream)
{
    return paulimpi__device()->stream_wait("paulimpi_stream_wait", stream);
}

int
paulimpi_stream_wait_event(paulimpi_stream stream, paulimpi_event event)
{
    static const char function[] = "paulimpi_stream_wait_event";

    if (event == NULL) {
        return paulimpi__null(function, "event");
    }
    return paulimpi__device()->stream_wait_event(function, stream, event);
}

int
paulimpi__stream_is_captured(paulimpi_stream stream)
{
    return paulimpi__device()->stream_is_captured(stream);
}

int
paulimpi_event_create(paulimpi_event *event_p)
{
    static const char function[] = "paulimpi_event_create";

    if (event_p == NULL) {
        return paulimpi__null(function, "event_p");
    }
    *event_p = NULL;
    return paulimpi__device()->event_create(function, event_p);
}

void
paulimpi_event_destroy(paulimpi_event *event_p)
{
    if (event_p != NULL && *event_p != NULL) {
        paulimpi__device()->event_destroy(*event_p);
        *event_p = NULL;
    }
}

int
paulimpi_event_record(paulimpi_event event, paulimpi_stream stream)
{
    static const char function[] = "paulimpi_event_record";

    if (event == NULL) {
        return paulimpi__null(function, "event");
    }
    return paulimpi__device()->event_record(function, event, stream);
}

int
paulimpi_event_test(paulimpi_event event, int *done_p)
{
    static const char function[] = "paulimpi_event_test";

    if (event == NULL || done_p == NULL) {
        return paulimpi__null(function, event == NULL ? "event" : "done_p");
    }
    return paulimpi__device()->event_test(function, event, done_p);
}

int
paulimpi_event_wait(paulimpi_event event)
{
    static const char function[] = "paulimpi_event_wait";

    if (event == NULL) {
        return paulimpi__null(function, "event");
    }
    return paulimpi__device()->event_wait(function, event);
}
