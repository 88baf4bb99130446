/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Single buffers, for programs that make the MPI call themselves.
 */
#include "comm/comm.h"
#include "device/device.h"
#include "exchange/state.h"

struct paulimpi_buffer {
    paulimpi_context *ctx;
    paulimpi__place place; /* that it was acquired at */
    paulimpi__layout layout;
    int kind;
    int device; /* that has the memory */
    int copier;
    int use;
    void *block; /* NULL if MPI is given the memory itself */
    int has_before_stream;
    paulimpi_stream before_stream;
    paulimpi_stream stream; /* for the copies; NULL for memory of the host */
    paulimpi_event end;     /* of the copies, if a stream waits for them */
};

static int
is_on_device(const paulimpi_buffer *buffer)
{
    return buffer->kind > PAULIMPI_MEMORY_PINNED;
}

static void
free_buffer(paulimpi_buffer *buffer)
{
    if (buffer->kind == PAULIMPI_MEMORY_IMPORTED) {
        paulimpi__import_release(buffer->layout.low);
    }
    /* The end of the stream waits for the copies from and to the block. */
    paulimpi_stream_destroy(&buffer->stream);
    paulimpi_event_destroy(&buffer->end);
    if (buffer->block != NULL) {
        paulimpi__staging_give(buffer->block);
    }
    paulimpi__context_release(buffer->ctx);
    paulimpi__free(buffer);
}

/* Wait for what must be done before the memory is touched. */
static int
wait_before(const char *function, const paulimpi_buffer *buffer, int device,
            const paulimpi_exchange_options *options)
{
    int after_stream =
        options->after_stream != NULL || options->after_default_stream;

    if (options->after_event == NULL && !after_stream
        && !is_on_device(buffer)) {
        return PAULIMPI_SUCCESS;
    }
    paulimpi__count(PAULIMPI_COUNT_WAIT, 0);
    if (options->after_event != NULL) {
        return paulimpi_event_wait(options->after_event);
    }
    return after_stream ? paulimpi_stream_wait(options->after_stream)
                        : paulimpi__device_wait(function, device);
}

/* Count a copy between the region and the block. */
static void
count_passage(const paulimpi_buffer *buffer, int to_region)
{
    int64_t bytes = buffer->layout.bytes;

    if (!is_on_device(buffer)) {
        paulimpi__count(PAULIMPI_COUNT_PACK, bytes);
        return;
    }
    if (buffer->kind == PAULIMPI_MEMORY_IMPORTED) {
        paulimpi__count(PAULIMPI_COUNT_BOUNCE, bytes);
    }
    paulimpi__count(
        to_region ? PAULIMPI_COUNT_TO_DEVICE : PAULIMPI_COUNT_TO_HOST, bytes);
}

static int
copy_out(const paulimpi_buffer *buffer)
{
    int rc =
        paulimpi__pack(&buffer->layout, buffer->copier, 0,
                       buffer->layout.bytes, buffer->block, buffer->stream);

    if (rc == PAULIMPI_SUCCESS && is_on_device(buffer)) {
        rc = paulimpi_stream_wait(buffer->stream);
    }
    if (rc == PAULIMPI_SUCCESS) {
        count_passage(buffer, 0);
    }
    return rc;
}

/* Take a block, and fill it if MPI will read it. */
static int
take_block(const char *function, paulimpi_buffer *buffer)
{
    size_t bytes = (size_t)buffer->layout.bytes;
    int rc = PAULIMPI_SUCCESS;

    buffer->block = paulimpi__staging_take(bytes);
    if (buffer->block == NULL) {
        return paulimpi__error(
            PAULIMPI_ERR_MEMORY,
            "%s: no memory for a block of %zu bytes: the "
            "environment variable PAULIMPI_STAGING_MAX says "
            "how many the process may have",
            function, bytes);
    }
    if (is_on_device(buffer)) {
        rc = paulimpi_stream_create(&buffer->stream);
        buffer->copier = paulimpi__device_copier(
            &buffer->layout, buffer->device, paulimpi_device_current());
    }
    if (rc == PAULIMPI_SUCCESS && buffer->has_before_stream) {
        rc = paulimpi_event_create(&buffer->end);
    }
    if (rc == PAULIMPI_SUCCESS && (buffer->use & PAULIMPI_BUFFER_SEND)) {
        rc = copy_out(buffer);
    }
    return rc;
}

/* Find out what the memory is, and bring the bytes to where MPI takes them. */
static int
fill(const char *function, paulimpi_buffer *buffer,
     const paulimpi_region *region, const paulimpi_exchange_options *given)
{
    paulimpi_exchange_options options;
    paulimpi_memory memory = PAULIMPI_MEMORY_INIT;
    int rc = paulimpi__options_read(function, given, &options);

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__layout_set(&buffer->layout, region, function, "region");
    }
    if (rc == PAULIMPI_SUCCESS && buffer->layout.bytes > 0) {
        rc = paulimpi_memory_describe(buffer->layout.low, &memory);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    buffer->kind = memory.kind;
    buffer->device = memory.device;
    buffer->copier = PAULIMPI__BY_HOST;
    if (memory.kind == PAULIMPI_MEMORY_IMPORTED) {
        paulimpi__import_hold(buffer->layout.low);
    }
    buffer->before_stream = options.before_stream;
    buffer->has_before_stream =
        options.before_stream != NULL && is_on_device(buffer);
    rc = wait_before(function, buffer, memory.device, &options);
    if (rc == PAULIMPI_SUCCESS
        && (buffer->layout.dimensions > 0
            || !paulimpi__mpi_takes(buffer->ctx, buffer->kind,
                                    buffer->device))) {
        rc = take_block(function, buffer);
    }
    return rc;
}

static int
check(const char *function, const paulimpi_context *ctx,
      const paulimpi_region *region, int use)
{
    int rc =
        paulimpi__handle_check(ctx, PAULIMPI__HANDLE_CONTEXT, function, "ctx");

    if (rc == PAULIMPI_SUCCESS && region == NULL) {
        rc = paulimpi__null(function, "region");
    }
    if (rc == PAULIMPI_SUCCESS
        && (use < PAULIMPI_BUFFER_SEND
            || use > (PAULIMPI_BUFFER_SEND | PAULIMPI_BUFFER_RECEIVE))) {
        rc = paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                             "%s: use is %d, but must be "
                             "PAULIMPI_BUFFER_SEND, PAULIMPI_BUFFER_RECEIVE "
                             "or both joined by |",
                             function, use);
    }
    return rc;
}

static int
make(const char *function, paulimpi_context *ctx,
     const paulimpi_region *region, int use,
     const paulimpi_exchange_options *options, paulimpi_buffer **buffer_p)
{
    paulimpi_buffer *buffer = paulimpi__alloc_zero(1, sizeof *buffer);
    int rc;

    if (buffer == NULL) {
        return paulimpi__no_memory(function, sizeof *buffer);
    }
    buffer->ctx = ctx;
    buffer->use = use;
    paulimpi__context_retain(ctx);
    rc = fill(function, buffer, region, options);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__handle_enter(buffer, PAULIMPI__HANDLE_BUFFER);
    }
    if (rc != PAULIMPI_SUCCESS) {
        free_buffer(buffer);
        return rc;
    }
    *buffer_p = buffer;
    return PAULIMPI_SUCCESS;
}

int
paulimpi_buffer_acquire(paulimpi_context *ctx, const paulimpi_region *region,
                        int use, const paulimpi_exchange_options *options,
                        paulimpi_buffer **buffer_p, void **address_p)
{
    static const char function[] = "paulimpi_buffer_acquire";
    paulimpi__place place = paulimpi__place_take();
    int rc;

    if (buffer_p != NULL) {
        *buffer_p = NULL;
    }
    rc = check(function, ctx, region, use);
    if (rc == PAULIMPI_SUCCESS && buffer_p == NULL) {
        rc = paulimpi__null(function, "buffer_p");
    }
    if (rc == PAULIMPI_SUCCESS && address_p == NULL) {
        rc = paulimpi__null(function, "address_p");
    }
    if (rc == PAULIMPI_SUCCESS) {
        paulimpi__place_enter(&place);
        rc = make(function, ctx, region, use, options, buffer_p);
        paulimpi__place_enter(NULL);
    }
    if (rc == PAULIMPI_SUCCESS) {
        (*buffer_p)->place = place;
        *address_p = (*buffer_p)->block != NULL ? (*buffer_p)->block
                                                : (*buffer_p)->layout.base;
    }
    return rc;
}

/* Bring what MPI received to the region. */
static int
copy_in(const paulimpi_buffer *buffer)
{
    int rc =
        paulimpi__unpack(&buffer->layout, buffer->copier, 0,
                         buffer->layout.bytes, buffer->block, buffer->stream);

    if (rc == PAULIMPI_SUCCESS) {
        count_passage(buffer, 1);
    }
    if (rc == PAULIMPI_SUCCESS && buffer->has_before_stream) {
        rc = paulimpi_event_record(buffer->end, buffer->stream);
        if (rc == PAULIMPI_SUCCESS) {
            rc =
                paulimpi_stream_wait_event(buffer->before_stream, buffer->end);
        }
    }
    if (rc == PAULIMPI_SUCCESS && is_on_device(buffer)) {
        rc = paulimpi_stream_wait(buffer->stream);
    }
    return rc;
}

int
paulimpi_buffer_release(paulimpi_buffer **buffer_p, int commit)
{
    static const char function[] = "paulimpi_buffer_release";
    paulimpi_buffer *buffer;
    int rc;

    if (buffer_p == NULL || *buffer_p == NULL) {
        return PAULIMPI_SUCCESS;
    }
    buffer = *buffer_p;
    *buffer_p = NULL;
    rc = paulimpi__handle_check(buffer, PAULIMPI__HANDLE_BUFFER, function,
                                "*buffer_p");
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (commit && buffer->block != NULL
        && (buffer->use & PAULIMPI_BUFFER_RECEIVE)) {
        paulimpi__place_enter(&buffer->place);
        rc = copy_in(buffer);
        paulimpi__place_enter(NULL);
    }
    paulimpi__handle_leave(buffer);
    free_buffer(buffer);
    return rc;
}
