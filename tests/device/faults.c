/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls of CUDA that fail: each gives a code and a sentence that names the
 * call, changes nothing, leaks nothing, and leaves the next call alone.
 */
#include "mock/mock.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "device/device.h"
#include "tap/tap.h"

enum { BYTES = 5000, NO_MEMORY = 2, NOT_SUPPORTED = 801, BROKEN = 999 };

static char *device, *other;
static char field[BYTES];
static paulimpi_stream stream;
static paulimpi_event event;

/* Bytes of all blocks of the pool. */
static int64_t
pool_bytes(void)
{
    int64_t bytes = -1;

    paulimpi_staging_memory(&bytes, NULL);
    return bytes;
}

/* The program's own last error must not be touched. */
static int
last_error(void)
{
    int (*get)(void) = NULL;

    *(void **)&get = dlsym(RTLD_DEFAULT, "cudaGetLastError");
    return get == NULL ? 0 : get();
}

static int
select_device(void)
{
    return paulimpi_device_select(0);
}

static int
identify(void)
{
    paulimpi_device_uuid uuid;

    return paulimpi_device_identify(0, &uuid);
}

static int
ask_memory(void)
{
    int64_t n_free, n_total;

    return paulimpi_device_memory(1, &n_free, &n_total);
}

static int
wait_for_device(void)
{
    return paulimpi__device_wait("wait_for_device", 1);
}

static int
describe(void)
{
    paulimpi_memory about = PAULIMPI_MEMORY_INIT;

    return paulimpi_memory_describe(device, &about);
}

static int
create(int kind)
{
    void *memory = &memory;
    int rc = paulimpi_memory_create(kind, BYTES, &memory);

    if (rc != PAULIMPI_SUCCESS && memory != NULL) {
        tap_bail("a failure gave memory");
    }
    paulimpi_memory_destroy(&memory);
    return rc;
}

static int
create_device(void)
{
    return create(PAULIMPI_MEMORY_DEVICE);
}

static int
create_managed(void)
{
    return create(PAULIMPI_MEMORY_MANAGED);
}

static int
create_pool(void)
{
    return create(PAULIMPI_MEMORY_POOL);
}

static int
copy(void)
{
    return paulimpi_memory_copy(device, field, BYTES, stream);
}

static int
copy_rows(void)
{
    return paulimpi_memory_copy_rows(device, 200, field, 100, 50, 20, stream);
}

static int
stream_create(void)
{
    paulimpi_stream it = &it;
    int rc = paulimpi_stream_create(&it);

    if (rc != PAULIMPI_SUCCESS && it != NULL) {
        tap_bail("a failure gave a stream");
    }
    paulimpi_stream_destroy(&it);
    return rc;
}

static int
stream_wait(void)
{
    return paulimpi_stream_wait(stream);
}

static int
stream_wait_event(void)
{
    return paulimpi_stream_wait_event(stream, event);
}

static int
event_create(void)
{
    paulimpi_event it = &it;
    int rc = paulimpi_event_create(&it);

    if (rc != PAULIMPI_SUCCESS && it != NULL) {
        tap_bail("a failure gave an event");
    }
    paulimpi_event_destroy(&it);
    return rc;
}

static int
event_record(void)
{
    return paulimpi_event_record(event, stream);
}

static int
event_test(void)
{
    int done = -7;
    int rc = paulimpi_event_test(event, &done);

    if (rc != PAULIMPI_SUCCESS && done != -7) {
        tap_bail("a failure gave an answer");
    }
    return rc;
}

static int
event_wait(void)
{
    return paulimpi_event_wait(event);
}

static int export(void)
{
    paulimpi_ipc_handle handle;

    return paulimpi_ipc_export(device, &handle);
}

static const struct {
    const char *call;
    int which;
    int code;
    int (*function)(void);
    int want;
} fault[] = {
    { "cudaSetDevice", 1, BROKEN, select_device, PAULIMPI_ERR_DEVICE },
    { "cudaGetDeviceProperties", 1, BROKEN, identify, PAULIMPI_ERR_DEVICE },
    { "cudaGetDevice", 1, BROKEN, ask_memory, PAULIMPI_ERR_DEVICE },
    { "cudaSetDevice", 1, BROKEN, ask_memory, PAULIMPI_ERR_DEVICE },
    { "cudaMemGetInfo", 1, BROKEN, ask_memory, PAULIMPI_ERR_DEVICE },
    { "cudaGetDevice", 1, BROKEN, wait_for_device, PAULIMPI_ERR_DEVICE },
    { "cudaSetDevice", 1, BROKEN, wait_for_device, PAULIMPI_ERR_DEVICE },
    { "cudaDeviceSynchronize", 1, BROKEN, wait_for_device,
      PAULIMPI_ERR_DEVICE },
    { "cuPointerGetAttributes", 1, BROKEN, describe, PAULIMPI_ERR_DEVICE },
    { "cudaMalloc", 1, BROKEN, create_device, PAULIMPI_ERR_DEVICE },
    { "cudaMallocManaged", 1, BROKEN, create_managed, PAULIMPI_ERR_DEVICE },
    { "cudaMallocAsync", 1, BROKEN, create_pool, PAULIMPI_ERR_DEVICE },
    { "cudaStreamSynchronize", 1, BROKEN, create_pool, PAULIMPI_ERR_DEVICE },
    { "cuPointerGetAttributes", 1, BROKEN, copy, PAULIMPI_ERR_DEVICE },
    { "cudaMemcpyAsync", 1, BROKEN, copy, PAULIMPI_ERR_DEVICE },
    { "cuPointerGetAttributes", 1, BROKEN, copy_rows, PAULIMPI_ERR_DEVICE },
    { "cudaMemcpy2DAsync", 1, BROKEN, copy_rows, PAULIMPI_ERR_DEVICE },
    { "cudaStreamCreateWithFlags", 1, BROKEN, stream_create,
      PAULIMPI_ERR_DEVICE },
    { "cudaStreamSynchronize", 1, BROKEN, stream_wait, PAULIMPI_ERR_DEVICE },
    { "cudaStreamWaitEvent", 1, BROKEN, stream_wait_event,
      PAULIMPI_ERR_DEVICE },
    { "cudaEventCreateWithFlags", 1, BROKEN, event_create,
      PAULIMPI_ERR_DEVICE },
    { "cudaEventRecord", 1, BROKEN, event_record, PAULIMPI_ERR_DEVICE },
    { "cudaEventQuery", 1, BROKEN, event_test, PAULIMPI_ERR_DEVICE },
    { "cudaEventSynchronize", 1, BROKEN, event_wait, PAULIMPI_ERR_DEVICE },
    { "cuPointerGetAttributes", 1, BROKEN, export, PAULIMPI_ERR_DEVICE },
    { "cudaIpcGetMemHandle", 1, BROKEN, export, PAULIMPI_ERR_DEVICE },
    { "cudaGetDeviceProperties", 1, BROKEN, export, PAULIMPI_ERR_DEVICE },
};
enum { N_FAULTS = sizeof fault / sizeof fault[0] };

static void
check_fault(int i)
{
    int before = paulimpi_device_current();
    int64_t live;

    paulimpi_stream_wait(NULL); /* which frees memory of the pool */
    live = mock_live();
    mock_fail(fault[i].call, fault[i].which, fault[i].code);
    tap_is_status(fault[i].function(), fault[i].want, "%s may fail, case %d",
                  fault[i].call, i);
    tap_contains(paulimpi_last_error(), fault[i].call, "it is named");
    mock_fail(fault[i].call, 0, 0);
    tap_is_int(last_error(), 0, "the program does not see it");
    paulimpi_stream_wait(NULL);
    tap_is_int(mock_live(), live, "nothing is left behind");
    tap_is_int(paulimpi_device_current(), before,
               "the current device is what it was");
    tap_is_status(fault[i].function(), PAULIMPI_SUCCESS,
                  "afterwards it works");
}

static void
check_no_memory(void)
{
    mock_fail("cudaMalloc", 1, NO_MEMORY);
    tap_is_status(create_device(), PAULIMPI_ERR_MEMORY,
                  "a device without memory is an error of memory");
    tap_contains(paulimpi_last_error(), "are free",
                 "the sentence tells what is free");
    mock_fail("cudaMallocManaged", 1, NO_MEMORY);
    tap_is_status(create_managed(), PAULIMPI_ERR_MEMORY,
                  "so it is for managed memory");
    mock_fail("cudaMallocAsync", 1, NO_MEMORY);
    tap_is_status(create_pool(), PAULIMPI_ERR_MEMORY,
                  "and for that of a pool");
    tap_is_int(last_error(), 0, "the program does not see it");
}

static int
kind_of(const void *pointer)
{
    paulimpi_memory about = PAULIMPI_MEMORY_INIT;

    paulimpi_memory_describe(pointer, &about);
    return about.kind;
}

/* What is not there is replaced where that is allowed. */
static void
check_replaced(void)
{
    void *memory;

    mock_fail("cudaMallocAsync", 1, NOT_SUPPORTED);
    tap_is_status(paulimpi_memory_create(PAULIMPI_MEMORY_POOL, BYTES, &memory),
                  PAULIMPI_SUCCESS, "a device without pools has other memory");
    tap_is_int(kind_of(memory), PAULIMPI_MEMORY_DEVICE, "which is told");
    paulimpi_memory_destroy(&memory);
    mock_fail("cudaMallocHost", 1, NO_MEMORY);
    tap_is_status(
        paulimpi_memory_create(PAULIMPI_MEMORY_PINNED, BYTES, &memory),
        PAULIMPI_SUCCESS, "what cannot be page-locked is ordinary memory");
    tap_is_int(kind_of(memory), PAULIMPI_MEMORY_HOST, "which is told");
    paulimpi_memory_destroy(&memory);
    mock_fail("cudaMallocHost", 1, NO_MEMORY);
    memory = paulimpi__staging_take(BYTES);
    tap_ok(memory != NULL && kind_of(memory) == PAULIMPI_MEMORY_HOST,
           "so it is for copies");
    paulimpi__staging_give(memory);
    paulimpi_staging_trim();
    mock_fail("cudaMallocHost", 1, NO_MEMORY);
    paulimpi__alloc_fail_at(3);
    tap_ok(paulimpi__staging_take(BYTES) == NULL,
           "without ordinary memory there is none");
    paulimpi__alloc_fail_at(0);
    tap_is_int(pool_bytes(), 0, "and none counts");
    tap_is_int(last_error(), 0, "the program does not see it");
}

/* A driver that does not know all questions. */
static void
check_old_driver(void)
{
    void *pinned, *managed;

    paulimpi_memory_create(PAULIMPI_MEMORY_PINNED, BYTES, &pinned);
    paulimpi_memory_create(PAULIMPI_MEMORY_MANAGED, BYTES, &managed);
    mock_fail("cuPointerGetAttributes", 1, 1);
    tap_is_int(kind_of(device), PAULIMPI_MEMORY_DEVICE,
               "the runtime tells a device's memory");
    mock_fail("cuPointerGetAttributes", 1, 1);
    tap_is_int(kind_of(pinned), PAULIMPI_MEMORY_PINNED, "pinned memory");
    mock_fail("cuPointerGetAttributes", 1, 1);
    tap_is_int(kind_of(managed), PAULIMPI_MEMORY_MANAGED, "managed memory");
    mock_fail("cuPointerGetAttributes", 1, 1);
    tap_is_int(kind_of(field), PAULIMPI_MEMORY_HOST, "and the host's");
    mock_fail("cuPointerGetAttributes", 1, 1);
    mock_fail("cudaPointerGetAttributes", 1, BROKEN);
    tap_is_status(describe(), PAULIMPI_ERR_DEVICE, "if it can");
    tap_contains(paulimpi_last_error(), "cudaPointerGetAttributes",
                 "it is named");
    paulimpi_memory_destroy(&pinned);
    paulimpi_memory_destroy(&managed);
}

/* Whose memory it is may not be found out, but then it is nobody else's. */
static void
check_suspicion(void)
{
    void *memory;

    paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, BYTES, &memory);
    mock_fail("cuIpcGetMemHandle", 1, BROKEN);
    tap_is_int(kind_of(memory), PAULIMPI_MEMORY_DEVICE,
               "a driver that refuses once is asked again");
    mock_fail("cuIpcGetMemHandle", 1, BROKEN);
    mock_fail("cudaMalloc", 1, BROKEN);
    tap_is_int(kind_of(other), PAULIMPI_MEMORY_DEVICE,
               "one that cannot be compared is believed");
    mock_fail("cuIpcGetMemHandle", 0, 0);
    mock_fail("cudaMalloc", 0, 0);
    paulimpi_memory_destroy(&memory);
}

/* Ends are not told of failures, and go on. */
static void
check_ends(void)
{
    int64_t live = mock_live();
    paulimpi_stream it;
    void *memory;

    paulimpi_stream_create(&it);
    mock_fail("cudaStreamSynchronize", 1, BROKEN);
    paulimpi_stream_destroy(&it);
    tap_is_int(mock_live(), live, "a stream ends even if its work failed");
    paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, BYTES, &memory);
    mock_fail("cudaFree", 1, BROKEN);
    paulimpi_memory_destroy(&memory);
    tap_ok(memory == NULL, "memory that cannot be freed is forgotten");
    tap_is_int(last_error(), 0, "the program does not see it");
    mock_fail("cudaGetDevice", 1, BROKEN);
    tap_is_int(paulimpi_device_current(), -1,
               "a device that cannot be told is -1");
    mock_fail("cudaStreamIsCapturing", 1, BROKEN);
    tap_ok(paulimpi__stream_is_captured(NULL),
           "a stream that cannot tell counts as captured");
}

/* Rows that are farther apart than CUDA's own function takes. */
static void
check_long_pitch(void)
{
    size_t pitch = (size_t)3 << 30;
    int64_t rows = mock_calls("cudaMemcpy2DAsync");
    int64_t copies = mock_calls("cudaMemcpyAsync");

    mock_fail("cudaMemcpyAsync", 2, BROKEN);
    tap_is_status(
        paulimpi_memory_copy_rows(device, pitch, field, 8, 8, 9, stream),
        PAULIMPI_ERR_DEVICE, "of rows 3 GiB apart the second fails");
    tap_is_int(mock_calls("cudaMemcpy2DAsync"), rows,
               "they are not given to CUDA as rows");
    tap_is_int(mock_calls("cudaMemcpyAsync"), copies + 2,
               "but one by one, up to the failure");
}

int
main(void)
{
    int64_t live;
    int i;

    if (!mock_is_here()) {
        tap_skip_all("not on the mock");
    }
    live = mock_live();
    paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, BYTES, (void **)&device);
    paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, BYTES, (void **)&other);
    paulimpi_stream_create(&stream);
    paulimpi_event_create(&event);
    for (i = 0; i < N_FAULTS; i++) {
        check_fault(i);
    }
    check_no_memory();
    check_replaced();
    check_old_driver();
    check_suspicion();
    check_long_pitch();
    paulimpi_event_destroy(&event);
    paulimpi_stream_destroy(&stream);
    paulimpi_memory_destroy((void **)&device);
    paulimpi_memory_destroy((void **)&other);
    tap_is_int(mock_live(), live, "everything was given back");
    check_ends();
    return tap_done();
}
