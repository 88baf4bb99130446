/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which devices there are. Holds with any number of them, 0 too.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "device/device.h"
#include "tap/tap.h"

static int n;

static void
check_count(void)
{
    const char *required = getenv("PAULIMPI_REQUIRE_GPU");

    tap_is_status(paulimpi_device_count(NULL), PAULIMPI_ERR_ARGUMENT,
                  "the count needs a place");
    n = -7;
    tap_is_status(paulimpi_device_count(&n), PAULIMPI_SUCCESS,
                  "devices are counted");
    tap_ok(n >= 0, "there are 0 or more");
    if (required != NULL && strcmp(required, "1") == 0) {
        tap_ok(n > 0, "PAULIMPI_REQUIRE_GPU=1: there is one");
    }
}

static void
check_describe(void)
{
    char *text = NULL;

    tap_is_status(paulimpi_device_describe(NULL), PAULIMPI_ERR_ARGUMENT,
                  "the text needs a place");
    tap_is_status(paulimpi_device_describe(&text), PAULIMPI_SUCCESS,
                  "the devices are described");
    tap_note("%s", text);
    if (n == 0) {
        tap_ok(strncmp(text, "no GPU: ", 8) == 0 && text[8] != '\0',
               "without one the reason is told");
    } else {
        tap_ok(text[0] == '0' + n && strstr(text, " device") == text + 1,
               "the text begins with the number");
    }
    tap_ok(strchr(text, '\n') == NULL, "it is one line");
    paulimpi_text_destroy(&text);
    paulimpi__alloc_fail_at(1);
    tap_is_status(paulimpi_device_describe(&text), PAULIMPI_ERR_MEMORY,
                  "without memory there is no text");
    paulimpi__alloc_fail_at(0);
    tap_ok(text == NULL, "and no pointer to one");
}

static void
check_select(void)
{
    int before = paulimpi_device_current();

    tap_is_status(paulimpi_device_select(-1), PAULIMPI_ERR_ARGUMENT,
                  "there is no device -1");
    tap_contains(paulimpi_last_error(), "device is -1", "it is named");
    tap_is_status(paulimpi_device_select(n), PAULIMPI_ERR_ARGUMENT,
                  "there is no device behind the last one");
    tap_contains(paulimpi_last_error(), n == 0 ? "no GPU: " : "from 0 to",
                 "the reason or the numbers are told");
    tap_is_int(paulimpi_device_current(), before,
               "the current device is what it was");
    if (n == 0) {
        tap_is_int(before, -1, "without a device the current one is -1");
        return;
    }
    tap_is_status(paulimpi_device_select(n - 1), PAULIMPI_SUCCESS,
                  "the last device is selected");
    tap_is_int(paulimpi_device_current(), n - 1, "it is the current one");
    tap_is_status(paulimpi_device_select(0), PAULIMPI_SUCCESS,
                  "and the first again");
}

static void
check_identify(void)
{
    static const paulimpi_device_uuid nobody;
    paulimpi_device_uuid first, other;
    int i;

    tap_is_status(paulimpi_device_identify(n, &first), PAULIMPI_ERR_ARGUMENT,
                  "no device, no identity");
    tap_is_status(paulimpi_device_identify(0, NULL), PAULIMPI_ERR_ARGUMENT,
                  "an identity needs a place");
    for (i = 0; i < n; i++) {
        tap_is_status(paulimpi_device_identify(i, &other), PAULIMPI_SUCCESS,
                      "device %d has an identity", i);
        tap_ok(memcmp(&other, &nobody, sizeof other) != 0,
               "which is not all 0");
        if (i > 0) {
            tap_ok(memcmp(&other, &first, sizeof other) != 0,
                   "and not that of device 0");
        } else {
            first = other;
        }
    }
}

static void
check_wait(void)
{
    tap_is_status(paulimpi_device_wait(n), PAULIMPI_ERR_ARGUMENT,
                  "there is no device to wait for");
    tap_contains(paulimpi_last_error(), "paulimpi_device_wait: device is",
                 "its number is told");
    tap_is_status(paulimpi_device_wait(-2), PAULIMPI_ERR_ARGUMENT,
                  "nor are there others");
    tap_is_status(paulimpi_device_wait(paulimpi_device_current()),
                  PAULIMPI_SUCCESS, "the current one, if any, is waited for");
}

static void
check_memory(void)
{
    int64_t n_free = -5, n_total = -5;

    tap_is_status(paulimpi_device_memory(n, &n_free, &n_total),
                  PAULIMPI_ERR_ARGUMENT, "no device, no memory");
    tap_is_int(n_free, -5, "nothing is written then");
    if (n > 0) {
        tap_is_status(paulimpi_device_memory(n - 1, &n_free, &n_total),
                      PAULIMPI_SUCCESS, "the memory of a device is told");
        tap_ok(0 <= n_free && n_free <= n_total && n_total > 0,
               "what is free is not more than all");
        tap_is_status(paulimpi_device_memory(0, NULL, NULL), PAULIMPI_SUCCESS,
                      "both places may be left out");
    }
}

static void
check_inside(void)
{
    char text[PAULIMPI__PCI_TEXT] = "untouched";

    tap_is_status(paulimpi__device_wait("test", -1), PAULIMPI_SUCCESS,
                  "to wait for the host is nothing");
    tap_is_status(paulimpi__device_wait("test", n == 0 ? 0 : n - 1),
                  PAULIMPI_SUCCESS, "a device is waited for, and none too");
    paulimpi__device_pci(n - 1, text);
    tap_ok((n == 0) == (text[0] == '\0'), "a device has an address: \"%s\"",
           text);
}

int
main(void)
{
    check_count();
    check_describe();
    check_select();
    check_identify();
    check_wait();
    check_memory();
    check_inside();
    return tap_done();
}
