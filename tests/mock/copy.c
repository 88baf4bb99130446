/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mock runtime: copies.
 */
#include <string.h>

#include "mock/runtime.h"

static int
is_device(const void *pointer)
{
    const block *it = mock_block(pointer);

    return it != NULL && it->kind != BLOCK_PINNED;
}

/* Whether the ends of a copy are what its direction says. */
static int
fits(enum cudaMemcpyKind kind, const void *to, const void *from)
{
    switch (kind) {
    case cudaMemcpyHostToHost:
        return !is_device(to) && !is_device(from);
    case cudaMemcpyHostToDevice:
        return is_device(to) && !is_device(from);
    case cudaMemcpyDeviceToHost:
        return !is_device(to) && is_device(from);
    case cudaMemcpyDeviceToDevice:
        return is_device(to) && is_device(from);
    default:
        return 1;
    }
}

static size_t
span(size_t pitch, size_t width, size_t rows)
{
    return rows == 0 ? 0 : (rows - 1) * pitch + width;
}

/* Ask a copy of a stream. */
static cudaError_t
ask(const op *it, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    if (!fits(kind, it->to, it->from)) {
        return cudaErrorInvalidMemcpyDirection;
    }
    if (it->width == 0 || it->rows == 0) {
        return cudaSuccess;
    }
    if (mock_reach(it->to, span(it->to_pitch, it->width, it->rows)) == NULL
        || mock_reach(it->from, span(it->from_pitch, it->width, it->rows))
               == NULL) {
        return cudaErrorInvalidValue;
    }
    return mock_ask(stream, it);
}

EXPORT cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t n, enum cudaMemcpyKind kind,
                cudaStream_t stream)
{
    const op wanted = { .what = DO_COPY,
                        .to = to,
                        .from = from,
                        .to_pitch = n,
                        .from_pitch = n,
                        .width = n,
                        .rows = 1 };

    BEGIN;
    code = ask(&wanted, kind, stream);
    END;
}

EXPORT cudaError_t
cudaMemcpy(void *to, const void *from, size_t n, enum cudaMemcpyKind kind)
{
    cudaError_t error = cudaMemcpyAsync(to, from, n, kind, NULL);

    return error != cudaSuccess ? error : cudaStreamSynchronize(NULL);
}

EXPORT cudaError_t
cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                  size_t from_pitch, size_t width, size_t rows,
                  enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const op wanted = { .what = DO_COPY,
                        .to = to,
                        .from = from,
                        .to_pitch = to_pitch,
                        .from_pitch = from_pitch,
                        .width = width,
                        .rows = rows };

    BEGIN;
    code = to_pitch < width || from_pitch < width || to_pitch > INT32_MAX
                   || from_pitch > INT32_MAX
               ? cudaErrorInvalidValue
               : ask(&wanted, kind, stream);
    END;
}

EXPORT cudaError_t
cudaMemsetAsync(void *to, int value, size_t n, cudaStream_t stream)
{
    const op wanted = { .what = DO_SET, .to = to, .width = n, .value = value };

    BEGIN;
    code = !is_device(to) || mock_reach(to, n) == NULL
               ? cudaErrorInvalidValue
               : mock_ask(stream, &wanted);
    END;
}

EXPORT cudaError_t
cudaMemset(void *to, int value, size_t n)
{
    return cudaMemsetAsync(to, value, n, NULL);
}

/* Bytes may overlap, which real hardware does not allow, but then the result
 * would not be the same in every run. */
static void
copy(const op *it)
{
    char *to = mock_reach(it->to, span(it->to_pitch, it->width, it->rows));
    const char *from =
        mock_reach(it->from, span(it->from_pitch, it->width, it->rows));
    size_t i;

    if (to == NULL || from == NULL) {
        mock_fault("a copy passes the end of an allocation", it->to);
        return;
    }
    for (i = 0; i < it->rows; i++) {
        memmove(to + i * it->to_pitch, from + i * it->from_pitch, it->width);
    }
}

void
mock_do(const op *it)
{
    switch (it->what) {
    case DO_COPY:
        copy(it);
        break;
    case DO_SET:
        memset(mock_reach(it->to, it->width), it->value, it->width);
        break;
    case DO_FREE:
        (void)mock_free(it->to);
        break;
    case DO_LAUNCH:
        mock_run_kernel(it);
        break;
    default:
        break;
    }
}
