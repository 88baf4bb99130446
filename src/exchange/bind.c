/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Choosing the device of a process before MPI is there.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/bind.h"

#define BIND "paulimpi_device_bind"

/* The choice is made once: what was claimed cannot be given back, and MPI may
 * have settled on the device since. */
static struct {
    int is_made;
    int device;
    int is_late;
} made;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int
read_policy(int *policy_p)
{
    static const struct {
        const char *name;
        int policy;
    } names[] = { { "nearest", PAULIMPI_BIND_NEAREST },
                  { "round-robin", PAULIMPI_BIND_ROUND_ROBIN },
                  { "block", PAULIMPI_BIND_BLOCK },
                  { "none", PAULIMPI_BIND_NONE } };
    const char *text = getenv("PAULIMPI_BIND");
    size_t i;

    *policy_p = PAULIMPI_BIND_NEAREST;
    if (text == NULL || text[0] == '\0') {
        return PAULIMPI_SUCCESS;
    }
    for (i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i].name) == 0) {
            *policy_p = names[i].policy;
            return PAULIMPI_SUCCESS;
        }
    }
    return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                           BIND ": the environment variable PAULIMPI_BIND is "
                                "\"%s\", but must be nearest, round-robin, "
                                "block or none",
                           text);
}

/* A name for one of the places that processes may have on a device. */
static int
claim(int device, int place)
{
    paulimpi_device_uuid uuid;
    char name[64];
    size_t i;

    if (paulimpi_device_identify(device, &uuid) != PAULIMPI_SUCCESS) {
        return 1;
    }
    for (i = 0; i < sizeof uuid.byte; i++) {
        snprintf(name + 2 * i, sizeof name - 2 * i, "%02x", uuid.byte[i]);
    }
    snprintf(name + 2 * i, sizeof name - 2 * i, "/%d", place);
    return paulimpi__claim(name);
}

/* The first of some devices with a place left; -1 if there is none. */
static int
claim_one(const int *order, int n, int n_places)
{
    int place, i;

    for (place = 0; place < n_places; place++) {
        for (i = 0; i < n; i++) {
            if (claim(order[i], place)) {
                return order[i];
            }
        }
    }
    return -1;
}

/* Ranks that the launcher placed in another way than most do may want the same
 * device: the first one gets it. Where that is over, wishes decide. */
static int
settle(const paulimpi__choice *choice)
{
    int order[PAULIMPI__MOST_DEVICES];
    int n_near, n_places, device;

    paulimpi__bind_order(choice, order, &n_near);
    if (choice->policy != PAULIMPI_BIND_NEAREST) {
        return order[0];
    }
    n_places = paulimpi__bind_share(choice);
    device = claim_one(order, n_near, n_places);
    if (device < 0) {
        device = claim_one(order + n_near, choice->n - n_near, n_places);
    }
    return device < 0 ? order[0] : device;
}

static int
choose(int policy, int n, int *device_p)
{
    char pci[PAULIMPI__MOST_DEVICES][PAULIMPI__PCI_ADDRESS];
    int domain[PAULIMPI__MOST_DEVICES];
    paulimpi__choice choice = { .policy = policy, .domain = domain };
    int i;
    int rc = paulimpi_local_rank(&choice.rank, NULL);

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_local_size(&choice.size, NULL);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    choice.n = n < PAULIMPI__MOST_DEVICES ? n : PAULIMPI__MOST_DEVICES;
    for (i = 0; i < choice.n; i++) {
        paulimpi__device_pci(i, pci[i]);
    }
    paulimpi__numa_of_devices(choice.n, pci, domain, &choice.own);
    *device_p = settle(&choice);
    return PAULIMPI_SUCCESS;
}

/* Make it the current device, and its context that of this process: an MPI
 * that looks for one later finds it. */
static int
take(int device)
{
    int rc = paulimpi_device_select(device);

    return rc == PAULIMPI_SUCCESS ? paulimpi__device_wait(BIND, device) : rc;
}

/* With the lock held. */
static int
bind_once(int policy, int *device_p)
{
    int is_initialised = 0;
    int n = 0;
    int rc;

    if (policy == PAULIMPI_BIND_AUTOMATIC) {
        rc = read_policy(&policy);
        if (rc != PAULIMPI_SUCCESS) {
            return rc;
        }
    }
    paulimpi_device_count(&n);
    *device_p = -1;
    if (n == 0 || policy == PAULIMPI_BIND_NONE) {
        return PAULIMPI_SUCCESS;
    }
    rc = made.is_made ? PAULIMPI_SUCCESS : choose(policy, n, &made.device);
    if (rc == PAULIMPI_SUCCESS) {
        rc = take(made.device);
    }
    if (rc == PAULIMPI_SUCCESS && !made.is_made) {
        MPI_Initialized(&is_initialised);
        made.is_made = 1;
        made.is_late = is_initialised;
        if (is_initialised) {
            paulimpi__log(PAULIMPI__LOG_WARN,
                          BIND ": MPI is initialised already and may have "
                               "chosen another device: call this function "
                               "before MPI_Init");
        }
    }
    *device_p = rc == PAULIMPI_SUCCESS ? made.device : -1;
    return rc;
}

int
paulimpi_device_bind_by(int policy, int *device_p)
{
    int device = -1;
    int rc;

    if (policy < PAULIMPI_BIND_AUTOMATIC || policy > PAULIMPI_BIND_NONE) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               BIND "_by: policy is %d, but must be one of "
                                    "PAULIMPI_BIND_...",
                               policy);
    }
    pthread_mutex_lock(&lock);
    rc = bind_once(policy, &device);
    pthread_mutex_unlock(&lock);
    if (device_p != NULL) {
        *device_p = device;
    }
    return rc;
}

int
paulimpi_device_bind(int *device_p)
{
    return paulimpi_device_bind_by(PAULIMPI_BIND_AUTOMATIC, device_p);
}

int
paulimpi__bind_tell(paulimpi__bound *bound)
{
    char *text = NULL;
    int rc;

    paulimpi_device_count(&bound->n_devices);
    bound->device = paulimpi_device_current();
    pthread_mutex_lock(&lock);
    bound->is_bound = made.is_made && made.device == bound->device;
    bound->is_bound_late = bound->is_bound && made.is_late;
    pthread_mutex_unlock(&lock);
    if (bound->device >= 0) {
        paulimpi__device_pci(bound->device, bound->pci);
        return paulimpi_device_identify(bound->device, &bound->uuid);
    }
    rc = paulimpi_device_describe(&text);
    if (rc == PAULIMPI_SUCCESS) {
        snprintf(bound->missing, sizeof bound->missing, "%s", text);
        paulimpi_text_destroy(&text);
    }
    return rc;
}
