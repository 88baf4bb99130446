/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the mock runtime share. One lock guards everything: every
 * function of CUDA takes it at BEGIN and gives it back at END.
 */
#ifndef TESTS_MOCK_RUNTIME_H
#define TESTS_MOCK_RUNTIME_H

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <stddef.h>
#include <stdint.h>

#include "device/grid.h"

#define EXPORT __attribute__((visibility("default")))

/* options.c: what the environment says, and calls. */
enum { MOST_DEVICES = 16 };
enum { LAZY, EAGER, RANDOM };
typedef struct {
    int n_physical;
    int n_devices;              /* visible ones */
    int physical[MOST_DEVICES]; /* of the visible ones */
    size_t memory;
    size_t pinned;
    int order;
    uint64_t random;
    char reaches[MOST_DEVICES][MOST_DEVICES];
    int no_ipc;
    int no_pool;
    int no_driver;
    int reuse;
} mock_options;

/* Count a call and take the lock; 0, or the code with which it must fail. */
cudaError_t mock_begin(const char *name);
/* Give the lock back, and keep the code as the last error. */
cudaError_t mock_end(cudaError_t code);
void mock_lock(void);
void mock_unlock(void);
mock_options *mock_get_options(void);
uint64_t mock_random(void);
int64_t mock_count_calls(const char *name);
void mock_let_fail(const char *name, int which, int code);
void mock_set_order(const char *order, uint64_t seed);

/* The body of a function between BEGIN and END sets code. */
#define BEGIN                                                                 \
    cudaError_t code = mock_begin(__func__);                                  \
    if (code != cudaSuccess) {                                                \
        return mock_end(code);                                                \
    }
#define END return mock_end(code)

/* devices.c: the calling thread's device, and that device's physical number. */
int mock_current(void);
int mock_physical(void);

/* memory.c */
typedef enum {
    BLOCK_DEVICE,
    BLOCK_POOL,
    BLOCK_VIRTUAL,
    BLOCK_IMPORTED,
    BLOCK_MANAGED,
    BLOCK_PINNED
} block_kind;

typedef struct block {
    struct block *next;
    block_kind kind;
    char *base;   /* where the program sees it */
    char *alias;  /* where its bytes can be touched */
    size_t bytes; /* that were asked for */
    size_t mapped;
    int physical; /* device */
    int fd;       /* of its memory file, -1 for none or another process's */
    uint64_t number;
    /* Of imported memory: whose it is, and how often it is open. */
    int owner;
    uint64_t owner_number;
    int openings;
} block;

/* The block that an address lies in, or NULL. */
block *mock_block(const void *pointer);
/* Where a copy finds n bytes: NULL if they pass the end of their block. */
void *mock_reach(const void *pointer, size_t n);
/* Make a block of a memory file: NULL if the system refuses. */
block *mock_map(block_kind kind, size_t bytes, int fd);
block *mock_blocks(void);
void mock_unmap(block *it);
/* Free memory of a pool, when a stream comes to it. */
cudaError_t mock_free(void *memory);
void mock_fault(const char *text, const void *where);
int64_t mock_count_faults(void);
int64_t mock_live_blocks(void);
void *mock_virtual_create(size_t bytes);
void mock_virtual_destroy(void *memory);

/* streams.c */
typedef struct mark {
    int references;
    int is_done;
    cudaStream_t stream;
    uint64_t turn;
} mark;

typedef enum {
    DO_NOTHING,
    DO_COPY,
    DO_SET,
    DO_RECORD,
    DO_WAIT,
    DO_FREE,
    DO_LAUNCH,
    DO_CALL
} what;
typedef struct op {
    struct op *next;
    uint64_t turn; /* over all streams */
    what what;
    char *to;
    const char *from;
    size_t to_pitch, from_pitch, width, rows;
    int value;
    mark *mark;
    /* Of a launch: what the kernel was told, its threads, its device. */
    paulimpi__grid_move move;
    uint64_t threads;
    int physical;
    /* Of a call: tells whether it is done; if not it is called again. */
    int (*call)(void *data);
    void *data;
} op;

/* Append to a stream; takes a copy. Unknown streams give a code. */
cudaError_t mock_ask(cudaStream_t stream, const op *wanted);
/* Do what a stream has to do, and what it waits for. */
cudaError_t mock_drain(cudaStream_t stream);
/* Do all that any stream of a device has to do. */
void mock_drain_device(int physical);
int64_t mock_count_pending(void);
int64_t mock_count_live(void);
void mock_set_capture(void *stream, int on);
int mock_ask_call(void *stream, int (*call)(void *data), void *data);

/* The physical number of a stream's device, -1 for an unknown stream. */
int mock_stream_device(cudaStream_t stream);

/* kernels.c: do what a launch asked for. */
void mock_run_kernel(const op *it);

/* copy.c: do what a stream was asked for. */
void mock_do(const op *it);

/* The driver's functions, in devices.c, ipc.c and kernels.c. */
CUresult mock_get_attributes(unsigned n, CUpointer_attribute *names,
                             void **answers, CUdeviceptr pointer);
CUresult mock_retain(CUmemGenericAllocationHandle *handle, void *pointer);
CUresult mock_release(CUmemGenericAllocationHandle handle);
CUresult mock_load(CUlibrary *library, const void *image,
                   CUjit_option *options, void **values, unsigned n,
                   CUlibraryOption *others, void **their_values,
                   unsigned n_others);
CUresult mock_get_kernel(CUkernel *kernel, CUlibrary library,
                         const char *name);
CUresult mock_launch(CUfunction function, unsigned blocks_x, unsigned blocks_y,
                     unsigned blocks_z, unsigned threads_x, unsigned threads_y,
                     unsigned threads_z, unsigned shared, CUstream stream,
                     void **arguments, void **extra);
CUresult mock_get_handle(CUipcMemHandle *handle, CUdeviceptr pointer);

#endif /* TESTS_MOCK_RUNTIME_H */
