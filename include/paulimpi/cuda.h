/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Streams and events of CUDA's runtime as those of the library, and back.
 *
 * paulimpi.h does not include this header: programs that use CUDA themselves
 * do. All of it is inline, so that it works with every build of the library;
 * with one that was built without CUDA, or on a machine without a device, the
 * library looks at no stream.
 */
#ifndef PAULIMPI_CUDA_H
#define PAULIMPI_CUDA_H

#include <stddef.h>

#include <cuda_runtime_api.h>

#include "paulimpi/device.h"
#include "paulimpi/exchange.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A stream of CUDA, for functions of the library. It stays the caller's:
 * paulimpi_stream_destroy() is for streams that the library made. */
static inline paulimpi_stream
paulimpi_stream_from_cuda(cudaStream_t stream)
{
    return (paulimpi_stream)stream;
}

/** A stream that paulimpi_stream_create() made, for calls of CUDA; only where
 * paulimpi_device_count() is not 0. */
static inline cudaStream_t
paulimpi_stream_to_cuda(paulimpi_stream stream)
{
    return (cudaStream_t)stream;
}

/** An event of CUDA, for functions of the library. It stays the caller's. */
static inline paulimpi_event
paulimpi_event_from_cuda(cudaEvent_t event)
{
    return (paulimpi_event)event;
}

/** An event that paulimpi_event_create() made, for calls of CUDA; only where
 * paulimpi_device_count() is not 0. */
static inline cudaEvent_t
paulimpi_event_to_cuda(paulimpi_event event)
{
    return (cudaEvent_t)event;
}

/** Let an exchange wait for a stream, also for CUDA's default one, whose handle
 * is 0: as an option that would mean none. */
static inline void
paulimpi_exchange_after_cuda(paulimpi_exchange_options *options,
                             cudaStream_t stream)
{
    options->after_stream = (paulimpi_stream)stream;
    options->after_event = NULL;
    options->after_default_stream = stream == NULL;
}

#ifdef __cplusplus
}
#endif

#endif /* PAULIMPI_CUDA_H */
