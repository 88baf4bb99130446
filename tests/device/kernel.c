/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernel for grids where it cannot be had: an old driver, an image that
 * the driver refuses, a device that it was not built for. Then nobody uses it,
 * and nothing fails. What is found out holds for the process, so that each case
 * has a child of its own. Only the mock can do that.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "device/device.h"
#include "mock/mock.h"
#include "tap/tap.h"

enum { ROWS = 100, WIDTH = 8, PITCH = 24 };

static char *device, *packed;
static paulimpi_stream stream;

/* Ask for every third word of the device's memory; whether that was asked. */
static int
ask(int *rc_p)
{
    paulimpi__grid_move move = { .base = device,
                                 .packed = packed,
                                 .words = ROWS * WIDTH,
                                 .run = WIDTH,
                                 .extent = { ROWS, 1, 1, 1 },
                                 .stride = { PITCH },
                                 .dimensions = 1,
                                 .word = 1 };
    int is_asked = 7;

    *rc_p = paulimpi__grid_ask(&move, stream, &is_asked);
    return is_asked;
}

static void
open_memory(void)
{
    if (paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, ROWS * PITCH,
                               (void **)&device)
            != PAULIMPI_SUCCESS
        || paulimpi_memory_create(PAULIMPI_MEMORY_PINNED, ROWS * WIDTH,
                                  (void **)&packed)
               != PAULIMPI_SUCCESS
        || paulimpi_stream_create(&stream) != PAULIMPI_SUCCESS) {
        exit(10);
    }
}

static void
close_memory(void)
{
    paulimpi_stream_destroy(&stream);
    paulimpi_memory_destroy((void **)&packed);
    paulimpi_memory_destroy((void **)&device);
}

/* In a child whose calls fail as it is said: 0, or what is wrong. */
static int
look_without(const char *failures)
{
    int64_t calls, live;
    int rc, is_asked;

    setenv("PAULIMPI_MOCK_FAIL", failures, 1);
    open_memory();
    live = mock_live();
    if (paulimpi__has_kernel(0)) {
        return 1;
    }
    is_asked = ask(&rc);
    if (is_asked != 0 || rc != PAULIMPI_SUCCESS) {
        return 2;
    }
    calls = mock_calls("cuLaunchKernel") + mock_calls("cuLibraryLoadData");
    if (paulimpi__has_kernel(0)
        || mock_calls("cuLaunchKernel") + mock_calls("cuLibraryLoadData")
               != calls) {
        return 3; /* it tries again and again */
    }
    if (mock_live() != live) {
        return 4;
    }
    close_memory();
    return mock_faults() == 0 ? 0 : 5;
}

static void
test_without(const char *failures, const char *fact)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        _exit(look_without(failures));
    }
    if (child < 0 || waitpid(child, &status, 0) != child
        || !WIFEXITED(status)) {
        tap_bail("no child");
    }
    tap_is_int(WEXITSTATUS(status), 0, "%s", fact);
}

/* One device may have it and another not. */
static void
test_with(void)
{
    int rc;

    open_memory();
    mock_fail("cuLaunchKernel", 1, 209);
    tap_ok(!paulimpi__has_kernel(1), "a device that the kernel is not for");
    tap_ok(paulimpi__has_kernel(0), "and one that it is for");
    tap_ok(!paulimpi__has_kernel(1), "the first is not asked again");
    tap_ok(!paulimpi__has_kernel(-1) && !paulimpi__has_kernel(2),
           "no others have it");
    tap_is_int(ask(&rc), 1, "a kernel copies what it can");
    tap_is_int(rc, PAULIMPI_SUCCESS, "and that is asked");
    paulimpi_stream_wait(stream);
    packed += 1;
    tap_is_int(ask(&rc), 1, "it is asked past the end of memory");
    paulimpi_stream_wait(stream);
    packed -= 1;
    tap_is_int(mock_faults(), 1, "which the mock would tell");
    close_memory();
}

int
main(void)
{
    int count = 0;

#ifndef HAVE_CUDA_KERNELS
    tap_skip_all("there is no kernel in this build");
#endif
    if (!mock_is_here()) {
        tap_skip_all("there is no mock of CUDA");
    }
    setenv("PAULIMPI_MOCK_ORDER", "eager", 1);
    test_without("cuLibraryLoadData:1:200", "the driver refuses the image");
    test_without("cuLibraryGetKernel:1:500", "the kernel is not in it");
    test_without("cuLaunchKernel:1:209", "it is not for this device");
    test_without("cudaStreamCreateWithFlags:2:2", "there is no stream to try");
    test_without("cudaStreamSynchronize:1:700", "the first launch fails");
    paulimpi_device_count(&count);
    test_with();
    return tap_done();
}
