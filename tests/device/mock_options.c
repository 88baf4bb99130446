/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The library on machines of many kinds, as the mock plays them. What machine
 * it is is found out once, so every case is a process of its own.
 */
#include "mock/mock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/device.h"
#include "tap/tap.h"

static int
count(void)
{
    int n = -1;

    paulimpi_device_count(&n);
    return n;
}

static int
is_described(const char *part)
{
    char *text = NULL;
    int answer;

    paulimpi_device_describe(&text);
    answer = strstr(text, part) != NULL;
    paulimpi_text_destroy(&text);
    return answer;
}

static int
kind_of(const void *pointer)
{
    paulimpi_memory about = PAULIMPI_MEMORY_INIT;

    paulimpi_memory_describe(pointer, &about);
    return about.kind;
}

/* The kind of memory that is got, -1 for none. */
static int
kind_got(int kind)
{
    void *memory;
    int got = -1;

    if (paulimpi_memory_create(kind, 100, &memory) == PAULIMPI_SUCCESS) {
        got = kind_of(memory);
        paulimpi_memory_destroy(&memory);
    }
    return got;
}

static int
no_driver(void)
{
    return count() == 0 && is_described("there is no NVIDIA driver")
           && kind_got(PAULIMPI_MEMORY_DEVICE) == PAULIMPI_MEMORY_HOST
           && paulimpi_device_current() == -1;
}

static int
old_driver(void)
{
    return count() == 0 && is_described("driver is for CUDA 11.8")
           && is_described("built with CUDA");
}

static int
none_visible(void)
{
    return count() == 0 && is_described("CUDA_VISIBLE_DEVICES is \"\"");
}

static int
one_visible(void)
{
    paulimpi_device_uuid uuid;
    char text[PAULIMPI__PCI_TEXT];

    paulimpi__device_pci(0, text);
    return count() == 1
           && paulimpi_device_identify(0, &uuid) == PAULIMPI_SUCCESS
           && uuid.byte[15] == 1 && strcmp(text, "0000:20:00.0") == 0;
}

static int
no_device(void)
{
    return count() == 0 && is_described("finds none");
}

static int
broken(void)
{
    return count() == 0 && is_described("cudaGetDeviceCount failed");
}

static int
five(void)
{
    return count() == 5 && is_described("5 devices: mock 0, mock 1")
           && paulimpi_device_select(4) == PAULIMPI_SUCCESS;
}

static int
little_memory(void)
{
    int64_t n_free = -1, n_total = -1;
    void *all, *more;
    int good = paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, 8192, &all)
               == PAULIMPI_SUCCESS;

    paulimpi_device_memory(0, &n_free, &n_total);
    good &= n_free == 0 && n_total == 8192;
    good &= paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, 1, &more)
            == PAULIMPI_ERR_MEMORY;
    good &= strstr(paulimpi_last_error(), "8192 bytes 0 are free") != NULL;
    paulimpi_device_select(1);
    good &= kind_got(PAULIMPI_MEMORY_DEVICE) == PAULIMPI_MEMORY_DEVICE;
    paulimpi_device_select(0);
    paulimpi_memory_destroy(&all);
    return good && kind_got(PAULIMPI_MEMORY_DEVICE) == PAULIMPI_MEMORY_DEVICE;
}

static int
little_pinned(void)
{
    void *first = paulimpi__staging_take(4096);
    void *second = paulimpi__staging_take(4096);

    return kind_of(first) == PAULIMPI_MEMORY_PINNED
           && kind_of(second) == PAULIMPI_MEMORY_HOST;
}

static int
no_pool(void)
{
    return kind_got(PAULIMPI_MEMORY_POOL) == PAULIMPI_MEMORY_DEVICE;
}

/* Where nothing can be exported, that says nothing of whose memory it is. */
static int
no_ipc(void)
{
    paulimpi_ipc_handle handle;
    void *memory;

    paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, 8, &memory);
    return paulimpi_ipc_export(memory, &handle) == PAULIMPI_ERR_DEVICE
           && kind_of(memory) == PAULIMPI_MEMORY_DEVICE;
}

/* An address that is used again is other memory: for who looks at the number,
 * and for who opens it in the process that exported it. */
static int
reuse(void)
{
    paulimpi_memory before = PAULIMPI_MEMORY_INIT;
    paulimpi_memory after = PAULIMPI_MEMORY_INIT;
    paulimpi_ipc_handle old, new;
    void *first, *second, *opened, *again;
    int good;

    paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, 8, &first);
    paulimpi_memory_describe(first, &before);
    good = paulimpi_ipc_export(first, &old) == PAULIMPI_SUCCESS
           && paulimpi_ipc_open(&old, &opened) == PAULIMPI_SUCCESS;
    paulimpi_memory_destroy(&first);
    paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, 8, &second);
    paulimpi_memory_describe(second, &after);
    good &= before.base == after.base && before.number != after.number;
    good &= paulimpi_ipc_open(&old, &again) == PAULIMPI_ERR_STATE;
    good &= paulimpi_ipc_export(second, &new) == PAULIMPI_SUCCESS
            && paulimpi_ipc_open(&new, &again) == PAULIMPI_SUCCESS;
    good &= paulimpi_ipc_close(&again) == PAULIMPI_SUCCESS;
    return good && paulimpi_ipc_close(&opened) == PAULIMPI_ERR_ARGUMENT;
}

static int
eager(void)
{
    char from[8] = "abcdefg", to[8] = "";
    char *memory;

    paulimpi_memory_create(PAULIMPI_MEMORY_DEVICE, 16, (void **)&memory);
    paulimpi_memory_copy(to, memory + 8, 8, NULL);
    if (to[0] == 0) {
        return 0; /* fresh memory is never zeros */
    }
    paulimpi_memory_copy(memory, from, 8, NULL);
    paulimpi_memory_copy(to, memory, 8, NULL);
    return strcmp(to, from) == 0;
}

static const struct {
    const char *variable, *value, *fact;
    int (*holds)(void);
} machine[] = {
    { "PAULIMPI_MOCK_NO_DRIVER", "1", "without a driver", no_driver },
    { "PAULIMPI_MOCK_NO_DRIVER", "11080", "with an old driver", old_driver },
    { "CUDA_VISIBLE_DEVICES", "", "without a visible device", none_visible },
    { "CUDA_VISIBLE_DEVICES", "1", "with the second device only",
      one_visible },
    { "PAULIMPI_MOCK_DEVICES", "0", "without a device", no_device },
    { "PAULIMPI_MOCK_FAIL", "cudaGetDeviceCount:1:999", "with a broken driver",
      broken },
    { "PAULIMPI_MOCK_DEVICES", "5", "with five devices", five },
    { "PAULIMPI_MOCK_MEMORY", "8192", "with little memory", little_memory },
    { "PAULIMPI_MOCK_PINNED", "4096", "with little memory to page-lock",
      little_pinned },
    { "PAULIMPI_MOCK_NO_POOL", "1", "without pools", no_pool },
    { "PAULIMPI_MOCK_NO_IPC", "1", "without exports", no_ipc },
    { "PAULIMPI_MOCK_REUSE", "1", "where addresses are used again", reuse },
    { "PAULIMPI_MOCK_ORDER", "eager", "where all is done at once", eager },
};
enum { N_MACHINES = sizeof machine / sizeof machine[0] };

static void
check(int i)
{
    int status = -1;
    pid_t child = fork();

    if (child < 0) {
        tap_bail("no process");
    }
    if (child == 0) {
        setenv(machine[i].variable, machine[i].value, 1);
        _exit(machine[i].holds() ? 0 : 1);
    }
    waitpid(child, &status, 0);
    tap_is_int(status, 0, "%s", machine[i].fact);
}

int
main(void)
{
    int i;

    if (!mock_is_here()) {
        tap_skip_all("not on the mock");
    }
    unsetenv("CUDA_VISIBLE_DEVICES");
    for (i = 0; i < N_MACHINES; i++) {
        check(i);
    }
    return tap_done();
}
