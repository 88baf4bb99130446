/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mock runtime: streams and events. A stream is a list of what was asked of
 * it. Turns are counted over all streams, and everything waits only for what
 * has an earlier turn, so that there is always something that can be done.
 */
#include <sched.h>
#include <stdlib.h>

#include "mock/runtime.h"

struct CUstream_st {
    struct CUstream_st *next;
    int physical;
    int is_default;  /* the others wait for it, and it for them */
    int is_blocking; /* takes part in that */
    int is_captured;
    int is_ended; /* nobody may use it, but it has something left to do */
    op *first, *last;
    uint64_t last_done; /* turn */
};

struct CUevent_st {
    struct CUevent_st *next;
    int physical;
    mark *mark; /* the last one; NULL before the first */
};

static cudaStream_t streams;
static struct CUstream_st default_stream[MOST_DEVICES];
static cudaEvent_t events;
static uint64_t turns;

/* All streams, those of the default kind first. */
static cudaStream_t
first_stream(void)
{
    int i;

    if (default_stream[0].next == NULL) {
        for (i = 0; i < MOST_DEVICES; i++) {
            default_stream[i].physical = i;
            default_stream[i].is_default = 1;
            default_stream[i].is_blocking = 1;
            default_stream[i].next =
                i + 1 < MOST_DEVICES ? &default_stream[i + 1] : NULL;
        }
    }
    default_stream[MOST_DEVICES - 1].next = streams;
    return default_stream;
}

/* The stream behind a handle, or NULL. */
static cudaStream_t
known(cudaStream_t stream)
{
    cudaStream_t it = first_stream();

    if (stream == NULL || stream == cudaStreamLegacy
        || stream == cudaStreamPerThread) {
        return &default_stream[mock_physical()];
    }
    while (it != NULL && it != stream) {
        it = it->next;
    }
    return it == NULL || it->is_ended ? NULL : it;
}

int
mock_stream_device(cudaStream_t stream)
{
    const struct CUstream_st *it = known(stream);

    return it == NULL ? -1 : it->physical;
}

/* Forget streams that have ended and have nothing left to do. */
static void
bury(void)
{
    cudaStream_t *link = &streams;

    while (*link != NULL) {
        cudaStream_t it = *link;

        if (it->is_ended && it->first == NULL) {
            *link = it->next;
            free(it);
        } else {
            link = &it->next;
        }
    }
}

static void
let_go(mark *it)
{
    if (it != NULL && --it->references == 0) {
        free(it);
    }
}

/* Whether what a stream is to do next waits for another stream's first. */
static int
waits_for(const struct CUstream_st *it, const struct CUstream_st *other)
{
    return other != it && other->first != NULL
           && other->first->turn < it->first->turn
           && other->physical == it->physical && it->is_blocking
           && other->is_blocking && (it->is_default || other->is_default);
}

/* The stream that must go first, or NULL if this one can go. */
static cudaStream_t
obstacle(const struct CUstream_st *it)
{
    cudaStream_t other;

    if (it->first->what == DO_WAIT && !it->first->mark->is_done) {
        return it->first->mark->stream;
    }
    for (other = first_stream(); other != NULL; other = other->next) {
        if (waits_for(it, other)) {
            return other;
        }
    }
    return NULL;
}

/* Do the first thing of a stream that nothing is in the way of; 0 if that is a
 * call that is not done yet. */
static int
do_first(cudaStream_t stream)
{
    op *it = stream->first;

    if (it->what == DO_CALL && !it->call(it->data)) {
        sched_yield();
        return 0;
    }
    stream->first = it->next;
    if (stream->first == NULL) {
        stream->last = NULL;
    }
    stream->last_done = it->turn;
    if (it->what == DO_RECORD) {
        it->mark->is_done = 1;
    }
    mock_do(it);
    let_go(it->mark);
    free(it);
    return 1;
}

/* Do one thing that a stream needs in order to get on. */
static void
step(cudaStream_t stream)
{
    cudaStream_t other;

    while ((other = obstacle(stream)) != NULL) {
        stream = other;
    }
    (void)do_first(stream);
}

static int
count_busy(cudaStream_t *busy, int wanted)
{
    cudaStream_t it;
    int n = 0;

    for (it = first_stream(); it != NULL; it = it->next) {
        if (it->first != NULL && obstacle(it) == NULL && n++ == wanted) {
            *busy = it;
        }
    }
    return n;
}

/* Do one thing of a stream chosen by chance; 0 if nothing is left, or it is a
 * call that is not done yet. */
static int
step_somewhere(void)
{
    cudaStream_t it = NULL;
    int n = count_busy(&it, -1);

    if (n == 0) {
        return 0;
    }
    count_busy(&it, (int)(mock_random() % (uint64_t)n));
    return do_first(it);
}

/* Go on until the turn of a stream is done. */
static void
advance(cudaStream_t stream, uint64_t turn)
{
    while (stream->first != NULL && stream->first->turn <= turn) {
        if (mock_get_options()->order == RANDOM) {
            (void)step_somewhere();
        } else {
            step(stream);
        }
    }
}

/* What happens at any call. */
static void
pass_time(void)
{
    int order = mock_get_options()->order;

    if (order == EAGER) {
        while (step_somewhere()) {
            continue;
        }
    } else if (order == RANDOM) {
        while (mock_random() % 4 == 0 && step_somewhere()) {
            continue;
        }
    }
}

cudaError_t
mock_ask(cudaStream_t stream, const op *wanted)
{
    cudaStream_t it = known(stream);
    op *copy;

    if (it == NULL) {
        return cudaErrorInvalidResourceHandle;
    }
    copy = malloc(sizeof *copy);
    if (copy == NULL) {
        return cudaErrorMemoryAllocation;
    }
    *copy = *wanted;
    copy->next = NULL;
    copy->turn = ++turns;
    if (copy->mark != NULL) {
        copy->mark->references++;
        if (copy->what == DO_RECORD) {
            copy->mark->stream = it;
            copy->mark->turn = copy->turn;
        }
    }
    if (it->last == NULL) {
        it->first = copy;
    } else {
        it->last->next = copy;
    }
    it->last = copy;
    pass_time();
    return cudaSuccess;
}

cudaError_t
mock_drain(cudaStream_t stream)
{
    const op nothing = { .what = DO_NOTHING };
    cudaError_t code = mock_ask(stream, &nothing);

    if (code == cudaSuccess) {
        advance(known(stream), turns);
    }
    return code;
}

void
mock_drain_device(int physical)
{
    cudaStream_t it;

    for (it = first_stream(); it != NULL; it = it->next) {
        if (it->physical == physical) {
            advance(it, turns);
        }
    }
}

EXPORT cudaError_t
cudaDeviceSynchronize(void)
{
    BEGIN;
    mock_drain_device(mock_physical());
    END;
}

EXPORT cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *stream_p, unsigned flags)
{
    cudaStream_t it;

    BEGIN;
    it = calloc(1, sizeof *it);
    if (it == NULL) {
        code = cudaErrorMemoryAllocation;
    } else {
        it->physical = mock_physical();
        it->is_blocking = flags != cudaStreamNonBlocking;
        it->next = streams;
        streams = it;
        *stream_p = it;
    }
    END;
}

EXPORT cudaError_t
cudaStreamCreate(cudaStream_t *stream_p)
{
    return cudaStreamCreateWithFlags(stream_p, cudaStreamDefault);
}

/* As with CUDA, what a stream was asked for may still be under way when this
 * returns. */
EXPORT cudaError_t
cudaStreamDestroy(cudaStream_t stream)
{
    BEGIN;
    if (known(stream) == NULL || known(stream)->is_default) {
        code = cudaErrorInvalidResourceHandle;
    } else {
        stream->is_ended = 1;
        bury();
    }
    END;
}

EXPORT cudaError_t
cudaStreamSynchronize(cudaStream_t stream)
{
    BEGIN;
    code = mock_drain(stream);
    END;
}

EXPORT cudaError_t
cudaStreamQuery(cudaStream_t stream)
{
    cudaStream_t it;

    BEGIN;
    it = known(stream);
    if (it == NULL) {
        code = cudaErrorInvalidResourceHandle;
    } else if (it->first != NULL) {
        step(it);
        code = it->first == NULL ? cudaSuccess : cudaErrorNotReady;
    }
    END;
}

EXPORT cudaError_t
cudaStreamIsCapturing(cudaStream_t stream,
                      enum cudaStreamCaptureStatus *status_p)
{
    cudaStream_t it;

    BEGIN;
    it = known(stream);
    if (it == NULL) {
        code = cudaErrorInvalidResourceHandle;
    } else {
        *status_p = it->is_captured ? cudaStreamCaptureStatusActive
                                    : cudaStreamCaptureStatusNone;
    }
    END;
}

EXPORT cudaError_t
cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    static _Thread_local enum cudaStreamCaptureMode current =
        cudaStreamCaptureModeGlobal;
    enum cudaStreamCaptureMode before = current;

    BEGIN;
    current = *mode;
    *mode = before;
    END;
}

/* The event behind a handle, or NULL. */
static cudaEvent_t
known_event(cudaEvent_t event)
{
    cudaEvent_t it = events;

    while (it != NULL && it != event) {
        it = it->next;
    }
    return it;
}

EXPORT cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *event_p, unsigned flags)
{
    cudaEvent_t it;

    BEGIN;
    (void)flags;
    it = calloc(1, sizeof *it);
    if (it == NULL) {
        code = cudaErrorMemoryAllocation;
    } else {
        it->physical = mock_physical();
        it->next = events;
        events = it;
        *event_p = it;
    }
    END;
}

EXPORT cudaError_t
cudaEventDestroy(cudaEvent_t event)
{
    cudaEvent_t *link = &events;

    BEGIN;
    while (*link != NULL && *link != event) {
        link = &(*link)->next;
    }
    if (*link == NULL) {
        code = cudaErrorInvalidResourceHandle;
    } else {
        *link = event->next;
        let_go(event->mark);
        free(event);
    }
    END;
}

/* Give an event a new mark in a stream. */
static cudaError_t
record(cudaEvent_t event, cudaStream_t stream)
{
    op wanted = { .what = DO_RECORD };
    cudaError_t code;

    wanted.mark = calloc(1, sizeof *wanted.mark);
    if (wanted.mark == NULL) {
        return cudaErrorMemoryAllocation;
    }
    wanted.mark->references = 1;
    code = mock_ask(stream, &wanted);
    if (code != cudaSuccess) {
        let_go(wanted.mark);
        return code;
    }
    let_go(event->mark);
    event->mark = wanted.mark;
    return cudaSuccess;
}

EXPORT cudaError_t
cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    BEGIN;
    if (known_event(event) == NULL || known(stream) == NULL
        || known(stream)->physical != event->physical) {
        code = cudaErrorInvalidResourceHandle;
    } else {
        code = record(event, stream);
    }
    END;
}

EXPORT cudaError_t
cudaEventQuery(cudaEvent_t event)
{
    BEGIN;
    if (known_event(event) == NULL) {
        code = cudaErrorInvalidResourceHandle;
    } else if (event->mark != NULL && !event->mark->is_done) {
        step(event->mark->stream);
        code = event->mark->is_done ? cudaSuccess : cudaErrorNotReady;
    }
    END;
}

EXPORT cudaError_t
cudaEventSynchronize(cudaEvent_t event)
{
    BEGIN;
    if (known_event(event) == NULL) {
        code = cudaErrorInvalidResourceHandle;
    } else if (event->mark != NULL && !event->mark->is_done) {
        advance(event->mark->stream, event->mark->turn);
    }
    END;
}

EXPORT cudaError_t
cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    op wanted = { .what = DO_WAIT };

    BEGIN;
    (void)flags;
    if (known_event(event) == NULL) {
        code = cudaErrorInvalidResourceHandle;
    } else if (event->mark != NULL) {
        wanted.mark = event->mark;
        code = mock_ask(stream, &wanted);
    } else if (known(stream) == NULL) {
        code = cudaErrorInvalidResourceHandle;
    }
    END;
}

int
mock_ask_call(void *stream, int (*call)(void *data), void *data)
{
    const op wanted = { .what = DO_CALL, .call = call, .data = data };
    cudaError_t code;

    mock_lock();
    code = mock_ask(stream, &wanted);
    mock_unlock();
    return (int)code;
}

int64_t
mock_count_pending(void)
{
    cudaStream_t it;
    const op *one;
    int64_t n = 0;

    mock_lock();
    for (it = first_stream(); it != NULL; it = it->next) {
        for (one = it->first; one != NULL; one = one->next) {
            n++;
        }
    }
    mock_unlock();
    return n;
}

int64_t
mock_count_live(void)
{
    cudaStream_t stream;
    cudaEvent_t event;
    int64_t n;

    mock_lock();
    bury();
    n = mock_live_blocks();
    for (stream = streams; stream != NULL; stream = stream->next) {
        n++;
    }
    for (event = events; event != NULL; event = event->next) {
        n++;
    }
    mock_unlock();
    return n;
}

void
mock_set_capture(void *stream, int on)
{
    cudaStream_t it;

    mock_lock();
    it = known(stream);
    if (it != NULL) {
        it->is_captured = on;
    }
    mock_unlock();
}
