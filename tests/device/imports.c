/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranges of other processes that the program tells of, and handles that are
 * none. Holds with any number of devices, 0 too.
 */
#include <string.h>

#include "base/base.h"
#include "device/device.h"
#include "device/imported.h"
#include "tap/tap.h"

static char field[1000];

static int
kind_of(const void *pointer)
{
    paulimpi_memory about = PAULIMPI_MEMORY_INIT;

    paulimpi_memory_describe(pointer, &about);
    return about.kind;
}

static void
check_remember(void)
{
    paulimpi_memory about = PAULIMPI_MEMORY_INIT;

    tap_ok(!is_imported(field), "nothing is imported at first");
    tap_is_status(paulimpi_ipc_remember(field + 100, 50), PAULIMPI_SUCCESS,
                  "a range is told of");
    tap_ok(!is_imported(field + 99) && is_imported(field + 100)
               && is_imported(field + 149) && !is_imported(field + 150),
           "its addresses are imported, others are not");
    tap_is_status(paulimpi_memory_describe(field + 120, &about),
                  PAULIMPI_SUCCESS, "an address is described");
    tap_is_int(about.kind, PAULIMPI_MEMORY_IMPORTED, "it is imported");
    tap_ok(about.base == field + 100 && about.bytes == 50,
           "its range is known");
    tap_is_int(kind_of(field), PAULIMPI_MEMORY_HOST, "another one is not");
    tap_is_status(paulimpi_ipc_remember(field + 149, 2), PAULIMPI_ERR_ARGUMENT,
                  "ranges may not overlap");
    tap_is_status(paulimpi_ipc_remember(field + 100, 50),
                  PAULIMPI_ERR_ARGUMENT, "nor be told of twice");
    tap_is_status(paulimpi_ipc_remember(field + 150, 2), PAULIMPI_SUCCESS,
                  "but be side by side");
    tap_is_status(paulimpi_ipc_forget(field + 101), PAULIMPI_ERR_ARGUMENT,
                  "a range is forgotten by its base");
    tap_is_status(paulimpi_ipc_forget(field + 100), PAULIMPI_SUCCESS,
                  "then it is");
    tap_ok(!is_imported(field + 120), "its addresses are not more");
    tap_ok(is_imported(field + 151), "those of the other one are");
    tap_is_status(paulimpi_ipc_forget(field + 100), PAULIMPI_ERR_ARGUMENT,
                  "it is forgotten once only");
    tap_is_status(paulimpi_ipc_forget(field + 150), PAULIMPI_SUCCESS,
                  "the last one may go, too");
}

static void
check_bad_ranges(void)
{
    tap_is_status(paulimpi_ipc_remember(NULL, 8), PAULIMPI_ERR_ARGUMENT,
                  "NULL is no base");
    tap_is_status(paulimpi_ipc_remember(field, 0), PAULIMPI_ERR_ARGUMENT,
                  "a range has bytes");
    tap_is_status(paulimpi_ipc_remember(field, SIZE_MAX),
                  PAULIMPI_ERR_ARGUMENT, "which end somewhere");
    tap_is_status(paulimpi_ipc_forget(NULL), PAULIMPI_ERR_ARGUMENT,
                  "NULL was not told of");
    paulimpi__alloc_fail_at(1);
    tap_is_status(paulimpi_ipc_remember(field, 8), PAULIMPI_ERR_MEMORY,
                  "the first allocation may fail");
    paulimpi__alloc_fail_at(2);
    tap_is_status(paulimpi_ipc_remember(field, 8), PAULIMPI_ERR_MEMORY,
                  "so may the second");
    paulimpi__alloc_fail_at(0);
    tap_ok(!is_imported(field), "nothing was remembered");
}

/* A range that the program told of is not the library's to close. */
static void
check_close(void)
{
    void *pointer = field, *nothing = NULL;

    tap_is_status(paulimpi_ipc_close(NULL), PAULIMPI_ERR_ARGUMENT,
                  "closing needs the pointer");
    tap_is_status(paulimpi_ipc_close(&nothing), PAULIMPI_SUCCESS,
                  "which may be NULL");
    tap_is_status(paulimpi_ipc_close(&pointer), PAULIMPI_ERR_ARGUMENT,
                  "what was not opened is not closed");
    paulimpi_ipc_remember(field, 8);
    tap_is_status(paulimpi_ipc_close(&pointer), PAULIMPI_ERR_ARGUMENT,
                  "nor is what the program opened");
    tap_ok(pointer == field, "the pointer stays");
    paulimpi__import_hold(field);
    paulimpi__import_hold(field + 500);
    tap_is_status(paulimpi_ipc_forget(field), PAULIMPI_SUCCESS,
                  "it is forgotten although an exchange uses it");
    paulimpi__import_release(field);
    paulimpi_ipc_remember(field, 8);
    paulimpi__import_release(field);
    tap_is_status(paulimpi_ipc_forget(field), PAULIMPI_SUCCESS,
                  "letting go of it late does no harm");
}

static void
check_handles(void)
{
    paulimpi_ipc_handle handle;
    void *pointer = field;

    memset(&handle, 0, sizeof handle);
    tap_is_status(paulimpi_ipc_open(NULL, &pointer), PAULIMPI_ERR_ARGUMENT,
                  "opening needs a handle");
    tap_is_status(paulimpi_ipc_open(&handle, NULL), PAULIMPI_ERR_ARGUMENT,
                  "and a place");
    tap_is_status(paulimpi_ipc_open(&handle, &pointer), PAULIMPI_ERR_ARGUMENT,
                  "zeros are no handle");
    tap_ok(pointer == NULL, "and give NULL");
    tap_is_status(paulimpi_ipc_export(NULL, &handle), PAULIMPI_ERR_ARGUMENT,
                  "NULL cannot be exported");
    tap_is_status(paulimpi_ipc_export(field, NULL), PAULIMPI_ERR_ARGUMENT,
                  "nor to nowhere");
}

static void
check_export(void)
{
    paulimpi_ipc_handle handle;
    int n_devices;

    paulimpi_device_count(&n_devices);
    tap_is_status(paulimpi_ipc_export(field, &handle),
                  n_devices == 0 ? PAULIMPI_ERR_UNSUPPORTED
                                 : PAULIMPI_ERR_ARGUMENT,
                  "memory of the host is not exported");
    tap_contains(paulimpi_last_error(), n_devices == 0 ? "no GPU" : "host",
                 "the sentence says why");
}

int
main(void)
{
    check_remember();
    check_bad_ranges();
    check_close();
    check_handles();
    check_export();
    return tap_done();
}
