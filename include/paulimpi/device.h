/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Devices: GPUs, kinds of memory, copies, streams and events.
 */
#ifndef PAULIMPI_DEVICE_H
#define PAULIMPI_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "paulimpi/export.h"
#include "paulimpi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Devices
 *
 * All functions here work in every build and on every machine: where the
 * library was built without CUDA, or there is no driver or no GPU, there are
 * 0 devices, all memory is the host's, and streams and events belong to the
 * host: what is asked of them is done at once. So a program needs no second
 * version for machines without a GPU.
 *
 * Devices are numbered from 0 as CUDA numbers them in this process. A thread
 * works with one of them at a time, the current one of CUDA; functions of the
 * library that go to another device come back to the caller's.
 *
 * Nothing here communicates: all functions are local.
 */

/** What a pointer points to. Numbers are never reused. */
enum {
    PAULIMPI_MEMORY_HOST = 0,    /**< ordinary memory */
    PAULIMPI_MEMORY_PINNED = 1,  /**< of the host, page-locked by CUDA */
    PAULIMPI_MEMORY_MANAGED = 2, /**< moves between host and device */
    PAULIMPI_MEMORY_DEVICE = 3,  /**< of a device, of this process */
    PAULIMPI_MEMORY_POOL = 4,    /**< of a device, from a stream's pool */
    PAULIMPI_MEMORY_VIRTUAL = 5, /**< of a device, mapped by hand */
    PAULIMPI_MEMORY_IMPORTED = 6 /**< of a device, of another process */
};
/** How many kinds there are. */
enum { PAULIMPI_MEMORY_KINDS = 7 };

/** A stream of a device: a cudaStream_t; NULL is CUDA's default stream. On
 * machines without a device it is never looked at. */
typedef void *paulimpi_stream;

/** A mark in a stream: a cudaEvent_t. */
typedef void *paulimpi_event;

/**
 * Count the devices that this process can use.
 *
 * @param count_p  set to the number, 0 where there is none
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT for NULL
 */
PAULIMPI_API int paulimpi_device_count(int *count_p);

/**
 * Tell in one line what there is: "2 devices: NVIDIA H200, ...", or why there
 * is none: "no GPU: built without CUDA", "no GPU: ...driver...".
 *
 * @param text_p  set to the line, for paulimpi_text_destroy()
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_device_describe(char **text_p);

/**
 * Make a device the calling thread's current one.
 *
 * @param device  from 0 to the number of devices - 1
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT for another number, with
 *         the number of devices and, if it is 0, the reason;
 *         PAULIMPI_ERR_DEVICE
 */
PAULIMPI_API int paulimpi_device_select(int device);

/** Tell the calling thread's current device, -1 where there is none. */
PAULIMPI_API int paulimpi_device_current(void);

/** The 16 bytes by which a device is known in all processes of a node,
 * whatever number it has in each. All are 0 where it is not known. */
typedef struct {
    unsigned char byte[16];
} paulimpi_device_uuid;

/**
 * Tell which device has a number.
 *
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_DEVICE
 */
PAULIMPI_API int paulimpi_device_identify(int device,
                                          paulimpi_device_uuid *uuid);

/**
 * Tell how many bytes a device has, and how many of them are free.
 *
 * @param free_p,total_p  either may be NULL
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_DEVICE
 */
PAULIMPI_API int paulimpi_device_memory(int device, int64_t *free_p,
                                        int64_t *total_p);

/**
 * Wait until all that was asked of a device is done, in any stream.
 *
 * @param device  from 0 to the number of devices - 1; -1, which
 *                paulimpi_device_current() gives where there is none, and then
 *                there is nothing to wait for
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_DEVICE
 */
PAULIMPI_API int paulimpi_device_wait(int device);

/** What is known of a pointer, filled by paulimpi_memory_describe(). */
typedef struct {
    size_t size;     /**< of this struct, set by the caller */
    int kind;        /**< PAULIMPI_MEMORY_... */
    int device;      /**< that owns it; -1 for the host's */
    void *base;      /**< first byte of the allocation; NULL if not known */
    size_t bytes;    /**< of the allocation; 0 if not known */
    uint64_t number; /**< of the allocation, another after it was freed
                             and its address is used again; 0 if not known */
} paulimpi_memory;

#define PAULIMPI_MEMORY_INIT                                                  \
    {                                                                         \
        sizeof(paulimpi_memory), 0, -1, NULL, 0, 0                            \
    }

/**
 * Tell what a pointer points to. Any address is fine, also one that no memory
 * is at: what no device knows counts as the host's.
 *
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT for a NULL memory or a size
 *         of 0; PAULIMPI_ERR_DEVICE
 */
PAULIMPI_API int paulimpi_memory_describe(const void *pointer,
                                          paulimpi_memory *memory);

/**
 * Allocate memory. PAULIMPI_MEMORY_DEVICE, MANAGED and POOL on the current
 * device; where there is no device all
 * kinds give ordinary memory, so that a program runs there too. PINNED gives
 * ordinary memory as well if it cannot be page-locked, which is logged.
 *
 * @param kind      HOST, PINNED, MANAGED, DEVICE or POOL
 * @param bytes     from 0 up; 0 gives a pointer that may be freed
 * @param memory_p  set to the memory, or to NULL on failure
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT; PAULIMPI_ERR_MEMORY with
 *         the bytes that are free; PAULIMPI_ERR_DEVICE
 */
PAULIMPI_API int paulimpi_memory_create(int kind, size_t bytes,
                                        void **memory_p);

/** Free what paulimpi_memory_create() gave and forget it. Nothing may use it
 * any more, except that POOL memory is freed when its turn comes in the default
 * stream. NULL and a pointer that is NULL are fine; any other address is
 * forgotten without being freed, with a sentence in the log. */
PAULIMPI_API void paulimpi_memory_destroy(void **memory_p);

/**
 * Copy bytes between memory of any kinds, which must not overlap.
 *
 * @param stream  the copy takes its turn there and may still be under way when
 *                the function returns; between host memories, HOST and PINNED,
 *                it is done at once and waits for nothing
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_OVERLAP,
 *         PAULIMPI_ERR_DEVICE
 */
PAULIMPI_API int paulimpi_memory_copy(void *to, const void *from, size_t bytes,
                                      paulimpi_stream stream);

/**
 * Copy rows of bytes: row i goes from from + i * from_pitch to to + i *
 * to_pitch. As paulimpi_memory_copy() otherwise, except that it is not found
 * out whether rows overlap.
 *
 * @param width              bytes of a row
 * @param to_pitch,from_pitch bytes from row to row, at least width
 */
PAULIMPI_API int paulimpi_memory_copy_rows(void *to, size_t to_pitch,
                                           const void *from, size_t from_pitch,
                                           size_t width, size_t rows,
                                           paulimpi_stream stream);

/**
 * Make a stream on the current device that does not wait for the default one;
 * a stream of the host where there is no device.
 *
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_MEMORY,
 *         PAULIMPI_ERR_DEVICE
 */
PAULIMPI_API int paulimpi_stream_create(paulimpi_stream *stream_p);

/** Wait for all work in a stream that paulimpi_stream_create() made, end it
 * and forget it. NULL and a NULL stream are fine. */
PAULIMPI_API void paulimpi_stream_destroy(paulimpi_stream *stream_p);

/** Wait until all that was asked of a stream is done.
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_DEVICE */
PAULIMPI_API int paulimpi_stream_wait(paulimpi_stream stream);

/** Let all later work in a stream wait for an event; returns at once.
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_DEVICE */
PAULIMPI_API int paulimpi_stream_wait_event(paulimpi_stream stream,
                                            paulimpi_event event);

/**
 * Make an event, which is done until it is recorded.
 *
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_MEMORY,
 *         PAULIMPI_ERR_DEVICE
 */
PAULIMPI_API int paulimpi_event_create(paulimpi_event *event_p);

/** Forget an event that paulimpi_event_create() made. NULL and a NULL event
 * are fine. */
PAULIMPI_API void paulimpi_event_destroy(paulimpi_event *event_p);

/** Mark with an event what has been asked of a stream so far; the last mark
 * counts.
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_DEVICE */
PAULIMPI_API int paulimpi_event_record(paulimpi_event event,
                                       paulimpi_stream stream);

/** Ask whether what an event marks is done: *done_p is 1 or 0.
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_DEVICE */
PAULIMPI_API int paulimpi_event_test(paulimpi_event event, int *done_p);

/** Wait until what an event marks is done.
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_DEVICE */
PAULIMPI_API int paulimpi_event_wait(paulimpi_event event);

/**
 * Staging
 *
 * What MPI cannot be given passes through blocks of memory: page-locked memory
 * of the host, or a ring in that of a device. To allocate them takes longer
 * than most copies, so that a pool of the process keeps those that are not in
 * use. Their bytes together have a limit: the environment variable
 * PAULIMPI_STAGING_MAX, else 512 MiB, which is respected exactly.
 */

/**
 * Tell how much the pool has.
 *
 * @param bytes_p  NULL, or set to the bytes of all blocks, in use or not
 * @param limit_p  NULL, or set to the most that they may have
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT for a variable
 *         PAULIMPI_STAGING_MAX that is no number of bytes
 */
PAULIMPI_API int paulimpi_staging_memory(int64_t *bytes_p, int64_t *limit_p);

/**
 * Limit the pool, whatever the environment says. Blocks in use stay.
 *
 * @param bytes  from 0 up; PAULIMPI_UNLIMITED
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT
 */
PAULIMPI_API int paulimpi_staging_set_limit(int64_t bytes);

/** Free all blocks that are not in use, such as before a phase of the program
 * that needs the memory and exchanges nothing.
 * @return the bytes that were freed */
PAULIMPI_API int64_t paulimpi_staging_trim(void);

/**
 * Memory of other processes
 *
 * A process exports memory of a device, sends the block of bytes to other
 * processes of its node by any way, and these open it. An opened range may be
 * copied to and from, and given to paulimpi_exchange().
 *
 * MPI cannot be trusted with such memory: whether it takes it depends on the
 * network, the size and the driver, and what goes wrong is a crash or wrong
 * bytes. What the library promises of it:
 *
 *  - Memory that was opened here, that the program told of
 *    (paulimpi_ipc_remember()), or that the driver will not export although it
 *    exports other memory of the device, is never given to MPI. Only memory of
 *    another process's pool that the program opened by CUDA looks like its own:
 *    tell of it.
 *  - The bytes are right all the same. They bounce through memory of this
 *    process: of its device where MPI takes that, of the host otherwise, and
 *    always for a buffer of paulimpi_buffer_acquire().
 *    paulimpi_plan_explain() says which, PAULIMPI_COUNT_BOUNCE counts it.
 *  - A range stays open while an exchange or a plan uses it. A handle of memory
 *    that was freed is refused, also if its address is in use again, and the
 *    process that exported the memory gets its own pointer, not a second
 *    address.
 *  - Where nothing can be exported or opened that is an error of these
 *    functions, and never one of an exchange of other memory.
 *
 * The exporter must not free the memory before all others have closed it.
 */
enum { PAULIMPI_IPC_BYTES = 128 };
typedef struct {
    unsigned char byte[PAULIMPI_IPC_BYTES];
} paulimpi_ipc_handle;

/**
 * Export the allocation that a pointer of kind PAULIMPI_MEMORY_DEVICE points
 * into; the place of the pointer within it travels along.
 *
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT for other memory;
 *         PAULIMPI_ERR_UNSUPPORTED where there is no device;
 *         PAULIMPI_ERR_DEVICE
 */
PAULIMPI_API int paulimpi_ipc_export(const void *pointer,
                                     paulimpi_ipc_handle *handle);

/**
 * Open memory that another process exported, on the current device. Opening it
 * again gives the same address; each opening wants a closing. In the process
 * that exported it the address is the original one.
 *
 * @param pointer_p  set to the byte that the exporter's pointer named
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT for bytes that are no handle
 *         of this version; PAULIMPI_ERR_UNSUPPORTED where there is no device,
 *         or the current one cannot reach that memory; PAULIMPI_ERR_STATE if
 *         the exporter has freed it; PAULIMPI_ERR_MEMORY; PAULIMPI_ERR_DEVICE
 */
PAULIMPI_API int paulimpi_ipc_open(const paulimpi_ipc_handle *handle,
                                   void **pointer_p);

/**
 * Close what paulimpi_ipc_open() opened and forget the pointer.
 *
 * @param pointer_p  any address in the opened range; NULL is fine in it, and is
 *                   what it is set to
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT for another address;
 *         PAULIMPI_ERR_STATE if this is the last closing and an exchange uses
 *         the range, which then stays open; PAULIMPI_ERR_DEVICE, after which
 *         the range counts as closed
 */
PAULIMPI_API int paulimpi_ipc_close(void **pointer_p);

/** Tell the library of memory that the program itself opened by CUDA, so that
 * it never reaches MPI; until paulimpi_ipc_forget(). On machines without a
 * device the library believes it, too.
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT, also for a range that
 *         overlaps a known one; PAULIMPI_ERR_MEMORY */
PAULIMPI_API int paulimpi_ipc_remember(const void *base, size_t bytes);

/** Take paulimpi_ipc_remember() back.
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT for another base */
PAULIMPI_API int paulimpi_ipc_forget(const void *base);

#ifdef __cplusplus
}
#endif

#endif /* PAULIMPI_DEVICE_H */
