/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which device a process wants, and what a report says of what all have.
 */
#include "exchange/bind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap/tap.h"

enum { MOST = 16 };

/* How a launcher places the ranks of a node over its domains. */
enum { IN_BLOCKS, IN_TURN, N_PLACEMENTS };

static int
domain_of_rank(int placement, int rank, int n_ranks, int n_domains)
{
    return placement == IN_TURN ? rank % n_domains
                                : rank * n_domains / n_ranks;
}

/* The device that each rank wants most: whether all are near and no two the
 * same. */
static int
are_distinct(int placement, const int *domain, int n, int n_domains)
{
    int taken[MOST] = { 0 };
    int n_wrong = 0;
    int rank;

    for (rank = 0; rank < n; rank++) {
        paulimpi__choice choice = { PAULIMPI_BIND_NEAREST,
                                    n,
                                    domain,
                                    domain_of_rank(placement, rank, n,
                                                   n_domains),
                                    rank,
                                    n };
        int order[MOST];
        int n_near;

        paulimpi__bind_order(&choice, order, &n_near);
        n_wrong += n_near != n / n_domains;
        n_wrong += domain[order[0]] != choice.own;
        n_wrong += taken[order[0]]++;
    }
    return n_wrong == 0;
}

/* Devices whose domains are in order, or in turn. */
static void
place_devices(int *domain, int n, int n_domains, int is_in_turn)
{
    int i;

    for (i = 0; i < n; i++) {
        domain[i] = is_in_turn ? i % n_domains : i * n_domains / n;
    }
}

static void
test_distinct(void)
{
    static const struct {
        int n;
        int n_domains;
    } nodes[] = { { 1, 1 }, { 2, 1 },  { 2, 2 },  { 4, 1 },  { 4, 2 },
                  { 4, 4 }, { 6, 2 },  { 8, 2 },  { 8, 4 },  { 8, 8 },
                  { 8, 1 }, { 12, 2 }, { 16, 2 }, { 16, 4 }, { 16, 8 } };
    int domain[MOST];
    size_t i;
    int j;

    for (i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        for (j = 0; j < 2; j++) {
            place_devices(domain, nodes[i].n, nodes[i].n_domains, j);
            tap_ok(are_distinct(IN_BLOCKS, domain, nodes[i].n,
                                nodes[i].n_domains),
                   "%d devices in %d domains, ranks in blocks", nodes[i].n,
                   nodes[i].n_domains);
            tap_ok(
                are_distinct(IN_TURN, domain, nodes[i].n, nodes[i].n_domains),
                "ranks in turn");
        }
    }
}

/* The whole order of wishes as text, near ones before the bar. */
static const char *
wishes(int policy, int own, int rank, int size)
{
    static const int domain[] = { 0, 0, 1, 1 };
    static char text[64];
    paulimpi__choice choice = { policy, 4, domain, own, rank, size };
    int order[4];
    size_t length = 0;
    int n_near, i;

    paulimpi__bind_order(&choice, order, &n_near);
    for (i = 0; i < 4; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%d",
                                   i == n_near ? "|" : "", order[i]);
    }
    return text;
}

static const struct {
    int policy;
    int own;
    int rank;
    int size;
    const char *wishes;
} rows[] = {
    { PAULIMPI_BIND_NEAREST, 0, 0, 4, "01|23" },
    { PAULIMPI_BIND_NEAREST, 0, 1, 4, "10|32" },
    { PAULIMPI_BIND_NEAREST, 1, 1, 4, "32|10" },
    { PAULIMPI_BIND_NEAREST, 1, 2, 4, "32|01" },
    { PAULIMPI_BIND_NEAREST, 1, 3, 4, "23|10" },
    { PAULIMPI_BIND_NEAREST, -1, 0, 4, "0123" },
    { PAULIMPI_BIND_NEAREST, -1, 2, 4, "2301" },
    { PAULIMPI_BIND_NEAREST, 7, 5, 8, "1230" }, /* no device is there */
    { PAULIMPI_BIND_NEAREST, -1, 0, 0, "0123" },
    { PAULIMPI_BIND_ROUND_ROBIN, 1, 0, 4, "0123" },
    { PAULIMPI_BIND_ROUND_ROBIN, 1, 3, 4, "3012" },
    { PAULIMPI_BIND_ROUND_ROBIN, 1, 5, 8, "1230" },
    { PAULIMPI_BIND_BLOCK, 1, 0, 8, "0123" },
    { PAULIMPI_BIND_BLOCK, 1, 1, 8, "0123" },
    { PAULIMPI_BIND_BLOCK, 1, 2, 8, "1230" },
    { PAULIMPI_BIND_BLOCK, 1, 7, 8, "3012" },
    { PAULIMPI_BIND_BLOCK, 1, 1, 2, "2301" },
    { PAULIMPI_BIND_BLOCK, 1, 6, 0, "2301" },
};

static void
test_wishes(void)
{
    size_t i;

    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tap_is_text(
            wishes(rows[i].policy, rows[i].own, rows[i].rank, rows[i].size),
            rows[i].wishes, "policy %d, domain %d, rank %d of %d",
            rows[i].policy, rows[i].own, rows[i].rank, rows[i].size);
    }
}

static int
share(int n, int size)
{
    paulimpi__choice choice = { .n = n, .size = size };

    return paulimpi__bind_share(&choice);
}

static void
test_share(void)
{
    tap_is_int(share(4, 0), 1, "an unknown number of ranks: one a device");
    tap_is_int(share(4, 3), 1, "three ranks on four devices: one");
    tap_is_int(share(4, 4), 1, "four: one");
    tap_is_int(share(4, 5), 2, "five: two");
    tap_is_int(share(1, 7), 7, "seven on one: seven");
}

/* The report. */

static paulimpi__bound
bound_to(int node, int device)
{
    paulimpi__bound bound = { .node = node,
                              .n_devices = 2,
                              .device = device,
                              .is_bound = 1,
                              .host = "n0",
                              .source = "MPI_LOCALRANKID",
                              .pci = "0000:10:00.0",
                              .missing = "no GPU: none" };

    bound.uuid.byte[0] = 0xab;
    bound.uuid.byte[15] = (unsigned char)(16 * node + device);
    return bound;
}

/* Of n ranks, whose local ranks are their numbers. */
static const char *
report(int n, paulimpi__bound *bound)
{
    static char kept[4096];
    paulimpi__text text = PAULIMPI__TEXT_INIT;
    char *taken;

    paulimpi__bind_describe(&text, n, bound);
    taken = paulimpi__text_take(&text);
    snprintf(kept, sizeof kept, "%s", taken);
    paulimpi_text_destroy(&taken);
    return kept;
}

static void
test_good(void)
{
    paulimpi__bound bound[3] = { bound_to(0, 0), bound_to(0, 1),
                                 bound_to(1, 0) };
    const char *text;

    bound[1].local_rank = bound[1].node_rank = 1;
    text = report(3, bound);
    tap_contains(text,
                 "rank 1: node 0 (n0), local rank 1 by MPI_LOCALRANKID, "
                 "device 1 of 2, GPU-ab000000-0000-0000-0000-000000000001, "
                 "PCI 0000:10:00.0, bound before MPI_Init\n",
                 "each rank has a line");
    tap_contains(text, "\ngood: every rank has a device of its own\n",
                 "where nothing is wrong that is said");
}

static void
test_collisions(void)
{
    paulimpi__bound bound[4] = { bound_to(0, 1), bound_to(1, 1),
                                 bound_to(0, 1), bound_to(0, 0) };
    const char *text;
    int i;

    text = report(4, bound);
    tap_contains(text,
                 "collision: ranks 0, 2 of node 0 use the same device, "
                 "GPU-ab",
                 "two ranks with one device");
    tap_contains(text, "there are more ranks than devices on the node",
                 "because there are not enough");
    tap_ok(strstr(text, "of its own") == NULL
               && strstr(text, "ranks 1") == NULL,
           "the same on two nodes are two");

    for (i = 0; i < 4; i++) {
        bound[i].n_devices = 4;
    }
    tap_contains(report(4, bound), "gave them the same number",
                 "because of a wrong number");
    bound[2].is_bound = 0;
    text = report(4, bound);
    tap_contains(text, "no binding: call paulimpi_device_bind() before",
                 "because of no binding");
    tap_contains(text, "warning: rank 2: no device was bound",
                 "which is a warning by itself");
    bound[0].is_bound = bound[1].is_bound = 0;
    bound[3] = bound_to(0, 1);
    text = report(4, bound);
    tap_contains(text, "ranks 0, 2, 3 of node 0", "three of them");
    tap_contains(text, "warning: rank 0 and 2 more: no device was bound",
                 "are counted");
}

static void
test_warnings(void)
{
    paulimpi__bound bound[2] = { bound_to(0, 0), bound_to(0, 1) };
    const char *text;

    bound[1].local_rank = bound[1].node_rank = 1;
    bound[1].is_bound_late = 1;
    text = report(2, bound);
    tap_contains(text, ", bound after MPI_Init\n", "a late choice");
    tap_contains(text, "warning: rank 1: the device was bound after MPI_Init",
                 "is a warning");
    bound[1] = bound_to(0, 1);
    bound[1].node_rank = 1;
    tap_contains(report(2, bound), "warning: rank 1: the launcher's local",
                 "a wrong number too");
    bound[1].source[0] = '\0';
    text = report(2, bound);
    tap_contains(text, "local rank 0 by no variable", "no number");
    tap_ok(strstr(text, "launcher's") == NULL
               && strstr(text, "warning: rank 1: no variable told the local "
                               "rank")
                      != NULL,
           "is told where it was another one");
    bound[0].n_devices = bound[1].n_devices = 1;
    tap_contains(report(2, bound), "note: each rank sees one device",
                 "ranks that do not see each other's devices");
    bound[0].device = -1;
    text = report(2, bound);
    tap_contains(text,
                 "rank 0: node 0 (n0), local rank 0 by MPI_LOCALRANKID, "
                 "no GPU: none\n",
                 "a rank without a device says why");
    tap_contains(text, "warning: rank 0: there is no device, unlike",
                 "which is a warning where others have one");
    bound[1] = bound[0];
    text = report(2, bound);
    tap_ok(strstr(text, "warning") == NULL && strstr(text, "own") == NULL,
           "and nothing where nobody has");
}

static void
test_bind(void)
{
    int device = 9;
    int n = 0;

    tap_is_status(paulimpi_device_bind_by(PAULIMPI_BIND_NONE, &device),
                  PAULIMPI_SUCCESS, "none is chosen");
    tap_is_int(device, -1, "if none is wanted");
    device = 9;
    setenv("PAULIMPI_BIND", "none", 1);
    tap_is_status(paulimpi_device_bind(&device), PAULIMPI_SUCCESS,
                  "PAULIMPI_BIND=none");
    tap_is_int(device, -1, "says so, too");
    setenv("PAULIMPI_BIND", "far", 1);
    device = 9;
    tap_is_status(paulimpi_device_bind(&device), PAULIMPI_ERR_ARGUMENT,
                  "PAULIMPI_BIND=far is refused");
    tap_contains(paulimpi_last_error(), "nearest, round-robin, block or none",
                 "with the words that it may be");
    tap_is_status(paulimpi_device_bind_by(5, &device), PAULIMPI_ERR_ARGUMENT,
                  "and so is another policy");
    tap_is_status(paulimpi_device_bind_by(-1, NULL), PAULIMPI_ERR_ARGUMENT,
                  "of any sign");
    unsetenv("PAULIMPI_BIND");
    paulimpi_device_count(&n);
    tap_is_status(paulimpi_device_bind(NULL), PAULIMPI_SUCCESS,
                  "nobody has to ask which");
    tap_is_status(paulimpi_device_bind(&device), PAULIMPI_SUCCESS,
                  "a device is chosen");
    tap_ok(n == 0 ? device == -1 : device >= 0 && device < n,
           "if there is one");
}

int
main(void)
{
    test_distinct();
    test_wishes();
    test_share();
    test_good();
    test_collisions();
    test_warnings();
    test_bind();
    return tap_done();
}
