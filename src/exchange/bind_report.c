/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which rank works with which device, and what is wrong with that.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "exchange/bind.h"

#define REPORT "paulimpi_device_report"

static int
is_same(const paulimpi__bound *a, const paulimpi__bound *b)
{
    return a->node == b->node && a->device >= 0 && b->device >= 0
           && memcmp(&a->uuid, &b->uuid, sizeof a->uuid) == 0;
}

static void
append_uuid(paulimpi__text *text, const paulimpi_device_uuid *uuid)
{
    size_t i;

    paulimpi__text_append(text, "GPU-");
    for (i = 0; i < sizeof uuid->byte; i++) {
        paulimpi__text_append(text, "%s%02x",
                              i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                              uuid->byte[i]);
    }
}

static void
append_rank(paulimpi__text *text, int rank, const paulimpi__bound *bound)
{
    paulimpi__text_append(text, "rank %d: node %d (%s), local rank %d by %s, ",
                          rank, bound->node, bound->host, bound->local_rank,
                          bound->source[0] == '\0' ? "no variable"
                                                   : bound->source);
    if (bound->device < 0) {
        paulimpi__text_append(text, "%s\n", bound->missing);
        return;
    }
    paulimpi__text_append(text, "device %d of %d, ", bound->device,
                          bound->n_devices);
    append_uuid(text, &bound->uuid);
    paulimpi__text_append(text, ", PCI %s, %s\n",
                          bound->pci[0] == '\0' ? "unknown" : bound->pci,
                          !bound->is_bound       ? "not bound"
                          : bound->is_bound_late ? "bound after MPI_Init"
                                                 : "bound before MPI_Init");
}

/* Why the ranks of a node that have the same device as this one do. */
static const char *
blame(int n, const paulimpi__bound *bound, const paulimpi__bound *first)
{
    int n_ranks = 0;
    int n_unbound = 0;
    int i;

    for (i = 0; i < n; i++) {
        n_ranks += bound[i].node == first->node;
        n_unbound += is_same(&bound[i], first) && !bound[i].is_bound;
    }
    if (n_unbound > 0) {
        return "no binding: call paulimpi_device_bind() before MPI_Init";
    }
    if (n_ranks > first->n_devices) {
        return "there are more ranks than devices on the node";
    }
    return "two launchers, or PAULIMPI_LOCAL_RANK, gave them the same number";
}

/* Whether a rank is the first of its node with its device. */
static int
is_first(const paulimpi__bound *bound, int rank)
{
    int i;

    for (i = 0; i < rank; i++) {
        if (is_same(&bound[i], &bound[rank])) {
            return 0;
        }
    }
    return bound[rank].device >= 0;
}

static int
append_collisions(paulimpi__text *text, int n, const paulimpi__bound *bound)
{
    int n_found = 0;
    int i, j;

    for (i = 0; i < n; i++) {
        int is_new = is_first(bound, i);
        int n_same = 1;

        for (j = i + 1; is_new && j < n; j++) {
            if (is_same(&bound[i], &bound[j])) {
                if (n_same++ == 1) {
                    paulimpi__text_append(text, "collision: ranks %d", i);
                }
                paulimpi__text_append(text, ", %d", j);
            }
        }
        if (n_same > 1) {
            paulimpi__text_append(text, " of node %d use the same device, ",
                                  bound[i].node);
            append_uuid(text, &bound[i].uuid);
            paulimpi__text_append(text, ": %s\n", blame(n, bound, &bound[i]));
            n_found++;
        }
    }
    return n_found;
}

/* What holds for some ranks: the first is named, the others are counted. */
static int
append_warning(paulimpi__text *text, int n, const paulimpi__bound *bound,
               int (*is_so)(const paulimpi__bound *), const char *what)
{
    int n_found = 0;
    int first = 0;
    int i;

    for (i = n - 1; i >= 0; i--) {
        if (is_so(&bound[i])) {
            n_found++;
            first = i;
        }
    }
    if (n_found > 1) {
        paulimpi__text_append(text, "warning: rank %d and %d more: %s\n",
                              first, n_found - 1, what);
    } else if (n_found == 1) {
        paulimpi__text_append(text, "warning: rank %d: %s\n", first, what);
    }
    return n_found;
}

static int
is_late(const paulimpi__bound *bound)
{
    return bound->device >= 0 && bound->is_bound_late;
}

static int
is_unbound(const paulimpi__bound *bound)
{
    return bound->device >= 0 && !bound->is_bound;
}

static int
is_misplaced(const paulimpi__bound *bound)
{
    return bound->source[0] != '\0' && bound->local_rank != bound->node_rank;
}

static int
is_unknown(const paulimpi__bound *bound)
{
    return bound->source[0] == '\0' && bound->node_rank > 0;
}

static int
is_bare(const paulimpi__bound *bound)
{
    return bound->device < 0;
}

/* Each process that sees one device cannot name those of the others. */
static int
sees_one(int n, const paulimpi__bound *bound)
{
    int i, j;

    for (i = 0; i < n; i++) {
        for (j = 0; j < i; j++) {
            if (bound[i].node == bound[j].node && bound[i].n_devices == 1
                && bound[j].n_devices == 1 && !is_same(&bound[i], &bound[j])) {
                return 1;
            }
        }
    }
    return 0;
}

void
paulimpi__bind_describe(paulimpi__text *text, int n,
                        const paulimpi__bound *bound)
{
    int n_bare = 0;
    int n_wrong;
    int i;

    for (i = 0; i < n; i++) {
        append_rank(text, i, &bound[i]);
        n_bare += is_bare(&bound[i]);
    }
    n_wrong = append_collisions(text, n, bound);
    n_wrong += append_warning(text, n, bound, is_late,
                              "the device was bound after MPI_Init, which may "
                              "have chosen another one");
    n_wrong += append_warning(text, n, bound, is_unbound,
                              "no device was bound: it is the one that CUDA "
                              "begins with; paulimpi_device_bind() chooses");
    n_wrong += append_warning(text, n, bound, is_misplaced,
                              "the launcher's local rank is not the one that "
                              "MPI finds: PAULIMPI_LOCAL_RANK overrides it");
    n_wrong += append_warning(text, n, bound, is_unknown,
                              "no variable told the local rank, so that it "
                              "counted as 0: set PAULIMPI_LOCAL_RANK from "
                              "what the launcher sets");
    if (n_bare < n) {
        n_wrong += append_warning(text, n, bound, is_bare,
                                  "there is no device, unlike on others");
    }
    if (sees_one(n, bound)) {
        paulimpi__text_append(text,
                              "note: each rank sees one device: MPI may not "
                              "reach that of another rank of the node "
                              "directly, and sends by the host\n");
    }
    if (n_wrong == 0 && n_bare == 0) {
        paulimpi__text_append(text,
                              "good: every rank has a device of its own\n");
    }
}

/* What this rank tells. */
static int
tell(const paulimpi_context *ctx, paulimpi__bound *own)
{
    paulimpi_placement place = PAULIMPI_PLACEMENT_INIT;
    const char *source = NULL;
    int rc = paulimpi_local_rank(&own->local_rank, &source);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    paulimpi_context_placement(ctx, &place);
    own->node = place.node;
    own->node_rank = place.node_rank;
    snprintf(own->source, sizeof own->source, "%s",
             source == NULL ? "" : source);
    if (gethostname(own->host, sizeof own->host - 1) != 0) {
        snprintf(own->host, sizeof own->host, "?");
    }
    return paulimpi__bind_tell(own);
}

int
paulimpi_device_report(paulimpi_context *ctx, char **text_p)
{
    paulimpi__text text = PAULIMPI__TEXT_INIT;
    paulimpi__bound own = { .device = -1 };
    paulimpi__bound *all = NULL;
    size_t n;
    int rc;

    if (text_p != NULL) {
        *text_p = NULL;
    }
    rc = paulimpi__handle_check(ctx, PAULIMPI__HANDLE_CONTEXT, REPORT, "ctx");
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = text_p == NULL ? paulimpi__null(REPORT, "text_p") : tell(ctx, &own);
    n = (size_t)paulimpi_context_size(ctx);
    if (rc == PAULIMPI_SUCCESS) {
        all = paulimpi__alloc(n, sizeof *all);
        rc = all == NULL ? paulimpi__no_memory(REPORT, n * sizeof *all) : rc;
    }
    rc = paulimpi__agree(ctx, rc);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__gather_bytes(ctx, REPORT, &own, sizeof own, all);
    }
    if (rc == PAULIMPI_SUCCESS) {
        if (paulimpi_context_rank(ctx) == 0) {
            paulimpi__bind_describe(&text, (int)n, all);
        }
        *text_p = paulimpi__text_take(&text);
        rc = *text_p == NULL ? paulimpi__no_memory(REPORT, n * sizeof *all)
                             : rc;
    }
    paulimpi__free(all);
    rc = paulimpi__agree(ctx, rc);
    if (rc != PAULIMPI_SUCCESS && text_p != NULL) {
        paulimpi_text_destroy(text_p);
    }
    return rc;
}
