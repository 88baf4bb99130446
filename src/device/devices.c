/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which devices there are.
 */
#include "config.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

#include "device/table.h"

static struct {
    const paulimpi__device_table *table;
    int n;
    char reason[PAULIMPI__REASON];
} chosen;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
choose(void)
{
#ifdef HAVE_CUDA
    chosen.n = paulimpi__cuda_count(chosen.reason);
    chosen.table =
        chosen.n > 0 ? &paulimpi__device_cuda : &paulimpi__device_host;
#else
    chosen.table = &paulimpi__device_host;
    snprintf(chosen.reason, sizeof chosen.reason, "%s",
             "no GPU: built without CUDA");
#endif
    paulimpi__log(PAULIMPI__LOG_INFO, "devices: %d%s%s", chosen.n,
                  chosen.n > 0 ? "" : ", ", chosen.reason);
}

const paulimpi__device_table *
paulimpi__device(void)
{
    pthread_once(&once, choose);
    return chosen.table;
}

int
paulimpi__n_devices(void)
{
    pthread_once(&once, choose);
    return chosen.n;
}

const char *
paulimpi__no_device(void)
{
    pthread_once(&once, choose);
    return chosen.reason;
}

int
paulimpi_device_count(int *count_p)
{
    if (count_p == NULL) {
        return paulimpi__null("paulimpi_device_count", "count_p");
    }
    *count_p = paulimpi__n_devices();
    return PAULIMPI_SUCCESS;
}

int
paulimpi_device_describe(char **text_p)
{
    paulimpi__text text = PAULIMPI__TEXT_INIT;
    int n = paulimpi__n_devices();

    if (text_p == NULL) {
        return paulimpi__null("paulimpi_device_describe", "text_p");
    }
    *text_p = NULL;
    if (n == 0) {
        paulimpi__text_append(&text, "%s", paulimpi__no_device());
    } else {
        paulimpi__text_append(&text, "%d device%s: ", n, n == 1 ? "" : "s");
        paulimpi__device()->append_names(&text);
    }
    *text_p = paulimpi__text_take(&text);
    return *text_p == NULL ? paulimpi__no_memory("paulimpi_device_describe", 1)
                           : PAULIMPI_SUCCESS;
}

/* The sentence for a number that no device has. */
static int
check_device(const char *function, int device)
{
    int n = paulimpi__n_devices();

    if (device >= 0 && device < n) {
        return PAULIMPI_SUCCESS;
    }
    if (n == 0) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: device is %d, but there are 0 devices: %s",
                               function, device, paulimpi__no_device());
    }
    return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                           "%s: device is %d, but the devices are those from "
                           "0 to %d",
                           function, device, n - 1);
}

int
paulimpi_device_select(int device)
{
    static const char function[] = "paulimpi_device_select";
    int rc = check_device(function, device);

    return rc != PAULIMPI_SUCCESS
               ? rc
               : paulimpi__device()->select(function, device);
}

int
paulimpi_device_current(void)
{
    return paulimpi__device()->current();
}

int
paulimpi_device_identify(int device, paulimpi_device_uuid *uuid)
{
    static const char function[] = "paulimpi_device_identify";
    int rc;

    if (uuid == NULL) {
        return paulimpi__null(function, "uuid");
    }
    rc = check_device(function, device);
    return rc != PAULIMPI_SUCCESS
               ? rc
               : paulimpi__device()->identify(function, device, uuid);
}

int
paulimpi_device_memory(int device, int64_t *free_p, int64_t *total_p)
{
    static const char function[] = "paulimpi_device_memory";
    int64_t n_free, n_total;
    int rc = check_device(function, device);

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__device()->memory(function, device, &n_free, &n_total);
    }
    if (rc == PAULIMPI_SUCCESS && free_p != NULL) {
        *free_p = n_free;
    }
    if (rc == PAULIMPI_SUCCESS && total_p != NULL) {
        *total_p = n_total;
    }
    return rc;
}

int
paulimpi__device_wait(const char *function, int device)
{
    return device < 0 || paulimpi__n_devices() == 0
               ? PAULIMPI_SUCCESS
               : paulimpi__device()->wait(function, device);
}

int
paulimpi_device_wait(int device)
{
    static const char function[] = "paulimpi_device_wait";
    int rc = device == -1 ? PAULIMPI_SUCCESS : check_device(function, device);

    return rc == PAULIMPI_SUCCESS ? paulimpi__device_wait(function, device)
                                  : rc;
}

void
paulimpi__device_pci(int device, char text[PAULIMPI__PCI_TEXT])
{
    paulimpi__device()->pci(device, text);
}
