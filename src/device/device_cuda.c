/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table for CUDA: devices, streams and events.
 */
#include "config.h"

#include <cuda_runtime_api.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda.h"

int
paulimpi__cuda_error(const char *function, const char *call, int code)
{
    cudaError_t error = (cudaError_t)code;

    if (error == cudaSuccess) {
        return PAULIMPI_SUCCESS;
    }
    (void)cudaGetLastError();
    if (function == NULL) {
        return PAULIMPI_ERR_DEVICE;
    }
    return paulimpi__error(PAULIMPI_ERR_DEVICE, "%s: %s failed: %s (%s)",
                           function, call, cudaGetErrorString(error),
                           cudaGetErrorName(error));
}

/* A call with its name for the sentence. */
#define TRY(function, call, arguments)                                        \
    paulimpi__cuda_error(function, #call, (int)call arguments)

void *
paulimpi__cuda_driver(const char *name)
{
    enum cudaDriverEntryPointQueryResult found =
        cudaDriverEntryPointSymbolNotFound;
    void *entry = NULL;
    cudaError_t error;

#if CUDART_VERSION >= 12050
    /* The interface of CUDA 12.0, whatever the toolkit is. */
    error = cudaGetDriverEntryPointByVersion(name, &entry, 12000,
                                             cudaEnableDefault, &found);
#else
    error = cudaGetDriverEntryPoint(name, &entry, cudaEnableDefault, &found);
#endif
    if (error != cudaSuccess) {
        (void)cudaGetLastError();
        return NULL;
    }
    return found == cudaDriverEntryPointSuccess ? entry : NULL;
}

/* Why the runtime counts no device. */
static void
explain(cudaError_t error, char reason[PAULIMPI__REASON])
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    int version = 0;

    if (error == cudaErrorInsufficientDriver
        && cudaDriverGetVersion(&version) == cudaSuccess && version == 0) {
        snprintf(reason, PAULIMPI__REASON,
                 "no GPU: there is no NVIDIA driver on this machine");
    } else if (error == cudaErrorInsufficientDriver) {
        snprintf(
            reason, PAULIMPI__REASON,
            "no GPU: the NVIDIA driver is for CUDA %d.%d, but the library "
            "was built with CUDA %d.%d",
            version / 1000, version % 1000 / 10, CUDART_VERSION / 1000,
            CUDART_VERSION % 1000 / 10);
    } else if ((error == cudaErrorNoDevice || error == cudaSuccess)
               && visible != NULL) {
        snprintf(reason, PAULIMPI__REASON,
                 "no GPU: the NVIDIA driver shows none, and "
                 "CUDA_VISIBLE_DEVICES is \"%.99s\"",
                 visible);
    } else if (error == cudaErrorNoDevice || error == cudaSuccess) {
        snprintf(reason, PAULIMPI__REASON,
                 "no GPU: the NVIDIA driver finds none");
    } else {
        snprintf(reason, PAULIMPI__REASON,
                 "no GPU: cudaGetDeviceCount failed: %.99s (%.60s)",
                 cudaGetErrorString(error), cudaGetErrorName(error));
    }
}

int
paulimpi__cuda_count(char reason[PAULIMPI__REASON])
{
    int n = 0; /* which a call that fails leaves as it is */
    cudaError_t error = cudaGetDeviceCount(&n);

    if (error == cudaSuccess && n > 0) {
        return n;
    }
    (void)cudaGetLastError();
    explain(error, reason);
    return 0;
}

/* What the runtime tells of a device: a call that takes long. */
static int
properties(const char *function, int device, struct cudaDeviceProp *of)
{
    return TRY(function, cudaGetDeviceProperties, (of, device));
}

static void
append_names(paulimpi__text *text)
{
    struct cudaDeviceProp of;
    int i, n = paulimpi__n_devices();

    for (i = 0; i < n; i++) {
        int rc = properties(NULL, i, &of);

        paulimpi__text_append(text, "%s%.255s", i == 0 ? "" : ", ",
                              rc == PAULIMPI_SUCCESS ? of.name : "unknown");
    }
}

static int
select_device(const char *function, int device)
{
    return TRY(function, cudaSetDevice, (device));
}

static int
current(void)
{
    int device = -1;

    return TRY(NULL, cudaGetDevice, (&device)) == PAULIMPI_SUCCESS ? device
                                                                   : -1;
}

int
paulimpi__cuda_enter(const char *function, int device, int *before_p)
{
    int rc = TRY(function, cudaGetDevice, (before_p));

    if (rc == PAULIMPI_SUCCESS && *before_p != device) {
        rc = TRY(function, cudaSetDevice, (device));
    }
    return rc;
}

void
paulimpi__cuda_leave(int before)
{
    (void)TRY(NULL, cudaSetDevice, (before));
}

static int
identify(const char *function, int device, paulimpi_device_uuid *uuid)
{
    struct cudaDeviceProp of;
    int rc = properties(function, device, &of);

    _Static_assert(sizeof of.uuid == sizeof *uuid, "16 bytes");
    if (rc == PAULIMPI_SUCCESS) {
        memcpy(uuid, &of.uuid, sizeof *uuid);
    }
    return rc;
}

int
paulimpi__cuda_find(const paulimpi_device_uuid *uuid)
{
    paulimpi_device_uuid of;
    int i, n = paulimpi__n_devices();

    for (i = 0; i < n; i++) {
        if (identify(NULL, i, &of) == PAULIMPI_SUCCESS
            && memcmp(&of, uuid, sizeof of) == 0) {
            return i;
        }
    }
    return -1;
}

static int
memory_of(const char *function, int device, int64_t *free_p, int64_t *total_p)
{
    size_t n_free, n_total;
    int before;
    int rc = paulimpi__cuda_enter(function, device, &before);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = TRY(function, cudaMemGetInfo, (&n_free, &n_total));
    paulimpi__cuda_leave(before);
    if (rc == PAULIMPI_SUCCESS) {
        *free_p = (int64_t)n_free;
        *total_p = (int64_t)n_total;
    }
    return rc;
}

static int
wait_for_device(const char *function, int device)
{
    int before;
    int rc = paulimpi__cuda_enter(function, device, &before);

    if (rc == PAULIMPI_SUCCESS) {
        rc = TRY(function, cudaDeviceSynchronize, ());
        paulimpi__cuda_leave(before);
    }
    return rc;
}

static void
pci(int device, char text[PAULIMPI__PCI_TEXT])
{
    if (TRY(NULL, cudaDeviceGetPCIBusId, (text, PAULIMPI__PCI_TEXT, device))
        != PAULIMPI_SUCCESS) {
        text[0] = '\0';
    }
}

static int
stream_create(const char *function, paulimpi_stream *stream_p)
{
    cudaStream_t stream;
    int rc = TRY(function, cudaStreamCreateWithFlags,
                 (&stream, cudaStreamNonBlocking));

    if (rc == PAULIMPI_SUCCESS) {
        *stream_p = stream;
    }
    return rc;
}

static void
stream_destroy(paulimpi_stream stream)
{
    (void)TRY(NULL, cudaStreamSynchronize, (stream));
    (void)TRY(NULL, cudaStreamDestroy, (stream));
}

static int
stream_wait(const char *function, paulimpi_stream stream)
{
    return TRY(function, cudaStreamSynchronize, (stream));
}

static int
stream_wait_event(const char *function, paulimpi_stream stream,
                  paulimpi_event event)
{
    return TRY(function, cudaStreamWaitEvent, (stream, event, 0));
}

/* A default stream that cannot say because another one is captured counts as
 * captured, too: to wait for it would spoil the capture. */
static int
stream_is_captured(paulimpi_stream stream)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;

    return TRY(NULL, cudaStreamIsCapturing, (stream, &status))
               != PAULIMPI_SUCCESS
           || status != cudaStreamCaptureStatusNone;
}

static int
event_create(const char *function, paulimpi_event *event_p)
{
    cudaEvent_t event;
    int rc = TRY(function, cudaEventCreateWithFlags,
                 (&event, cudaEventDisableTiming));

    if (rc == PAULIMPI_SUCCESS) {
        *event_p = event;
    }
    return rc;
}

static void
event_destroy(paulimpi_event event)
{
    (void)TRY(NULL, cudaEventDestroy, (event));
}

static int
event_record(const char *function, paulimpi_event event,
             paulimpi_stream stream)
{
    return TRY(function, cudaEventRecord, (event, stream));
}

static int
event_test(const char *function, paulimpi_event event, int *done_p)
{
    cudaError_t error = cudaEventQuery(event);

    if (error == cudaErrorNotReady) {
        (void)cudaGetLastError();
        *done_p = 0;
        return PAULIMPI_SUCCESS;
    }
    if (error == cudaSuccess) {
        *done_p = 1;
    }
    return paulimpi__cuda_error(function, "cudaEventQuery", (int)error);
}

static int
event_wait(const char *function, paulimpi_event event)
{
    return TRY(function, cudaEventSynchronize, (event));
}

const paulimpi__device_table paulimpi__device_cuda = {
    .append_names = append_names,
    .select = select_device,
    .current = current,
    .identify = identify,
    .memory = memory_of,
    .wait = wait_for_device,
    .pci = pci,
    .query = paulimpi__cuda_query,
    .create = paulimpi__cuda_create,
    .destroy = paulimpi__cuda_destroy,
    .copy = paulimpi__cuda_copy,
    .copy_rows = paulimpi__cuda_copy_rows,
#ifdef HAVE_CUDA_KERNELS
    .has_kernel = paulimpi__cuda_has_kernel,
    .launch = paulimpi__cuda_launch,
#endif
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .stream_wait = stream_wait,
    .stream_wait_event = stream_wait_event,
    .stream_is_captured = stream_is_captured,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .event_test = event_test,
    .event_wait = event_wait,
    .ipc_export = paulimpi__cuda_ipc_export,
    .ipc_open = paulimpi__cuda_ipc_open,
    .ipc_close = paulimpi__cuda_ipc_close,
};
