/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The helpers of paulimpi/cuda.h: work that a program asks of CUDA, on streams
 * of its own and of the library, comes before what the library does.
 */
#include "paulimpi/cuda.h"

#include "tap/tap.h"

enum { BYTES = 100 };

static char image[BYTES];

/* A stream of the library's in calls of CUDA. */
static void
test_to_cuda(char *memory)
{
    paulimpi_stream stream = NULL;
    paulimpi_event event = NULL;

    paulimpi_stream_create(&stream);
    paulimpi_event_create(&event);
    tap_ok(cudaMemsetAsync(memory, 5, BYTES, paulimpi_stream_to_cuda(stream))
                   == cudaSuccess
               && cudaEventRecord(paulimpi_event_to_cuda(event),
                                  paulimpi_stream_to_cuda(stream))
                      == cudaSuccess,
           "CUDA takes streams and events of the library");
    tap_is_status(paulimpi_event_wait(event), PAULIMPI_SUCCESS,
                  "and the library waits for what it was asked");
    paulimpi_memory_copy(image, memory, BYTES, stream);
    paulimpi_stream_wait(stream);
    tap_is_int(image[BYTES - 1], 5, "which is done then");
    paulimpi_event_destroy(&event);
    paulimpi_stream_destroy(&stream);
}

/* A stream of CUDA's in calls of the library. */
static void
test_from_cuda(char *memory)
{
    cudaStream_t stream;
    cudaEvent_t event;

    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaMemsetAsync(memory, 6, BYTES, stream);
    paulimpi_event_record(paulimpi_event_from_cuda(event),
                          paulimpi_stream_from_cuda(stream));
    tap_is_status(paulimpi_event_wait(paulimpi_event_from_cuda(event)),
                  PAULIMPI_SUCCESS,
                  "the library takes streams and events of CUDA");
    paulimpi_memory_copy(image, memory, BYTES,
                         paulimpi_stream_from_cuda(stream));
    paulimpi_stream_wait(paulimpi_stream_from_cuda(stream));
    tap_is_int(image[0], 6, "what they were asked is done");
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
}

static void
test_options(char *memory)
{
    paulimpi_exchange_options options = PAULIMPI_EXCHANGE_OPTIONS_INIT;
    paulimpi_message send = { paulimpi_region_1d(memory, BYTES), 0, 1 };
    paulimpi_message receive = { paulimpi_region_1d(image, BYTES), 0, 1 };
    paulimpi_context *ctx;
    cudaStream_t stream;

    paulimpi_context_create_serial(NULL, &ctx);
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMemsetAsync(memory, 7, BYTES, stream);
    paulimpi_exchange_after_cuda(&options, stream);
    tap_is_status(paulimpi_exchange(ctx, 1, &send, 1, &receive, &options),
                  PAULIMPI_SUCCESS, "an exchange after a stream of CUDA");
    tap_is_int(image[0], 7, "has what it wrote");
    cudaMemsetAsync(memory, 8, BYTES, NULL);
    paulimpi_exchange_after_cuda(&options, NULL);
    tap_is_status(paulimpi_exchange(ctx, 1, &send, 1, &receive, &options),
                  PAULIMPI_SUCCESS, "an exchange after the default stream");
    tap_is_int(image[0], 8, "has what that wrote");
    cudaStreamDestroy(stream);
    paulimpi_context_destroy(&ctx);
}

int
main(void)
{
    void *memory = NULL;
    int n = 0;

    paulimpi_device_count(&n);
    if (n == 0) {
        tap_skip_all("there is no device");
    }
    paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, BYTES, &memory);
    test_to_cuda(memory);
    test_from_cuda(memory);
    test_options(memory);
    paulimpi_memory_destroy(&memory);
    return tap_done();
}
