/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Segments: making, asking and destroying them.
 */
#include "paulimpi/segment.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm/call.h"
#include "comm/segment.h"

#define CREATE PAULIMPI__SEGMENT_CREATE

/* Offsets and sums of them stay far from the end of int64_t. */
#define MOST_BYTES (INT64_C(1) << 62)

static const char *const way_name[] = {
    [PAULIMPI__WAY_AUTOMATIC] = "automatic",
    [PAULIMPI__WAY_PRIVATE] = "private memory",
    [PAULIMPI__WAY_MAPPING] = "mapping",
    [PAULIMPI__WAY_WINDOW] = "window",
};

static int
read_options(const paulimpi_segment_options *options,
             paulimpi_segment_options *known)
{
    if (options == NULL) {
        return PAULIMPI_SUCCESS;
    }
    if (options->size == 0) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               CREATE ": the size of options is 0: start "
                                      "from PAULIMPI_SEGMENT_OPTIONS_INIT");
    }
    memcpy(known, options,
           options->size < sizeof *known ? options->size : sizeof *known);
    if (known->touch != PAULIMPI_TOUCH_OWNER
        && known->touch != PAULIMPI_TOUCH_USER) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               CREATE ": touch is %d, but must be "
                                      "PAULIMPI_TOUCH_OWNER or "
                                      "PAULIMPI_TOUCH_USER",
                               known->touch);
    }
    if (known->huge_pages != 0 && known->huge_pages != 1) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               CREATE ": huge_pages is %d, but must be 0 or 1",
                               known->huge_pages);
    }
    return PAULIMPI_SUCCESS;
}

static int
read_way(int64_t *way_p)
{
    const char *name = getenv("PAULIMPI_SEGMENT");
    int way;

    *way_p = PAULIMPI__WAY_AUTOMATIC;
    if (name == NULL || name[0] == '\0') {
        return PAULIMPI_SUCCESS;
    }
    for (way = PAULIMPI__WAY_MAPPING; way <= PAULIMPI__WAY_WINDOW; way++) {
        if (strcmp(name, way_name[way]) == 0) {
            *way_p = way;
            return PAULIMPI_SUCCESS;
        }
    }
    return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                           "environment variable PAULIMPI_SEGMENT is \"%s\", "
                           "but must be mapping or window",
                           name);
}

static void
free_local(paulimpi_segment *segment)
{
    if (segment != NULL) {
        paulimpi__handle_leave(segment);
        paulimpi__free(segment->offset);
        paulimpi__free(segment->claim);
        paulimpi__free(segment);
    }
}

static int
make_local(paulimpi_context *ctx, paulimpi_segment **segment_p)
{
    size_t n = (size_t)ctx->placement.node_ranks;
    paulimpi_segment *segment = paulimpi__alloc_zero(1, sizeof *segment);
    size_t bytes = sizeof *segment
                   + n * (sizeof *segment->claim + sizeof *segment->offset);
    int rc;

    if (segment == NULL) {
        return paulimpi__no_memory(CREATE, bytes);
    }
    segment->ctx = ctx;
    segment->window = MPI_WIN_NULL;
    segment->claim = paulimpi__alloc_zero(n, sizeof *segment->claim);
    segment->offset = paulimpi__alloc_zero(n, sizeof *segment->offset);
    if (segment->claim == NULL || segment->offset == NULL) {
        rc = paulimpi__no_memory(CREATE, bytes);
    } else {
        rc = paulimpi__handle_enter(segment, PAULIMPI__HANDLE_SEGMENT);
    }
    if (rc != PAULIMPI_SUCCESS) {
        free_local(segment);
        return rc;
    }
    *segment_p = segment;
    return PAULIMPI_SUCCESS;
}

/* Check what this rank is given; *own_p becomes what it tells the others. */
static int
validate(paulimpi_context *ctx, int64_t bytes,
         const paulimpi_segment_options *options, paulimpi_segment **segment_p,
         paulimpi_segment **made_p, paulimpi__segment_claim *own_p)
{
    paulimpi_segment_options known = PAULIMPI_SEGMENT_OPTIONS_INIT;
    int rc;

    if (segment_p == NULL) {
        return paulimpi__null(CREATE, "segment_p");
    }
    if (bytes < 0) {
        return paulimpi__error(
            PAULIMPI_ERR_ARGUMENT,
            CREATE ": bytes is %" PRId64 ", but must be at least 0", bytes);
    }
    rc = read_options(options, &known);
    if (rc == PAULIMPI_SUCCESS) {
        rc = read_way(&own_p->way);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = make_local(ctx, made_p);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    (*made_p)->options = known;
    own_p->bytes = bytes;
    own_p->alignment = sysconf(_SC_PAGESIZE);
    if (known.huge_pages && own_p->alignment < PAULIMPI__HUGE_PAGE) {
        own_p->alignment = PAULIMPI__HUGE_PAGE;
    }
    own_p->memory = paulimpi__available_memory();
    own_p->process = getpid();
    return PAULIMPI_SUCCESS;
}

/* The way that the ranks of the node were told to take. */
static int
choose_way(paulimpi_segment *segment)
{
    const paulimpi__segment_claim *claim = segment->claim;
    int n = segment->ctx->placement.node_ranks;
    int first = -1;
    int i;

    segment->way = n == 1 ? PAULIMPI__WAY_PRIVATE : PAULIMPI__WAY_AUTOMATIC;
    for (i = 0; i < n && n > 1; i++) {
        if (claim[i].way == PAULIMPI__WAY_AUTOMATIC) {
            continue;
        }
        if (first >= 0 && claim[i].way != claim[first].way) {
            return paulimpi__error(
                PAULIMPI_ERR_ARGUMENT,
                CREATE ": PAULIMPI_SEGMENT is %s on rank %d of node %d, but "
                       "%s on rank %d of it",
                way_name[claim[first].way], first,
                segment->ctx->placement.node, way_name[claim[i].way], i);
        }
        first = first < 0 ? i : first;
        segment->way = (int)claim[i].way;
    }
    snprintf(segment->reason, sizeof segment->reason, "%s",
             n == 1      ? "one rank"
             : first < 0 ? "the default"
                         : "PAULIMPI_SEGMENT");
    return PAULIMPI_SUCCESS;
}

/* Lay the parts one behind the other. */
static int
place_parts(paulimpi_segment *segment)
{
    int64_t alignment = 1;
    int64_t total = 0;
    int i;

    for (i = 0; i < segment->ctx->placement.node_ranks; i++) {
        if (segment->claim[i].alignment > alignment) {
            alignment = segment->claim[i].alignment;
        }
    }
    for (i = 0; i < segment->ctx->placement.node_ranks; i++) {
        int64_t bytes = segment->claim[i].bytes;

        if (bytes > MOST_BYTES - alignment
            || bytes > MOST_BYTES - alignment - total) {
            return paulimpi__error(PAULIMPI_ERR_RANGE,
                                   CREATE ": the parts of node %d have 2^62 "
                                          "bytes or more together",
                                   segment->ctx->placement.node);
        }
        segment->offset[i] = total;
        total += (bytes + alignment - 1) / alignment * alignment;
    }
    segment->alignment = alignment;
    segment->total = total;
    return PAULIMPI_SUCCESS;
}

/* Tell the ranks of the node what each wants, and plan from that, which has
 * the same outcome on all of them. Collective over the context. */
static int
plan(paulimpi_segment *segment, const paulimpi__segment_claim *own)
{
    paulimpi__call call = { segment->ctx, 1, CREATE, PAULIMPI__CALL_GATHER,
                            sizeof *own,  0, 0 };
    int rc = paulimpi__call_gather(&call, own, segment->claim);

    if (rc == PAULIMPI_SUCCESS) {
        rc = choose_way(segment);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = place_parts(segment);
    }
    return paulimpi__agree_in(segment->ctx, CREATE, rc);
}

/* Try the ways that need no window; where the file is refused, and nobody has
 * asked for it by name, the way is a window. Collective over the node. */
static int
map(paulimpi_segment *segment)
{
    int is_refused;
    int rc;

    if (segment->way == PAULIMPI__WAY_PRIVATE) {
        return paulimpi__segment_map_private(segment);
    }
    if (segment->way == PAULIMPI__WAY_WINDOW) {
        return PAULIMPI_SUCCESS;
    }
    rc = paulimpi__segment_map_shared(segment, &is_refused);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (is_refused && segment->way == PAULIMPI__WAY_MAPPING) {
        return paulimpi__error(PAULIMPI_ERR_UNSUPPORTED,
                               CREATE ": PAULIMPI_SEGMENT is mapping, but on "
                                      "node %d there is %s",
                               segment->ctx->placement.node, segment->reason);
    }
    segment->way = is_refused ? PAULIMPI__WAY_WINDOW : PAULIMPI__WAY_MAPPING;
    return PAULIMPI_SUCCESS;
}

/* Collective over the context. */
static int
obtain(paulimpi_segment *segment)
{
    int rc = paulimpi__segment_room(segment);

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__agree_in(segment->ctx, CREATE, map(segment));
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__segment_window_room(segment);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (segment->way == PAULIMPI__WAY_WINDOW) {
        rc = paulimpi__segment_window_make(segment);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__segment_touch(segment);
    }
    return paulimpi__agree_in(segment->ctx, CREATE, rc);
}

/* Give the memory up. */
static void
give_up(paulimpi_segment *segment)
{
    if (segment->way == PAULIMPI__WAY_WINDOW) {
        paulimpi__segment_window_free(segment);
    } else {
        paulimpi__segment_unmap(segment);
    }
}

int
paulimpi_segment_create(paulimpi_context *ctx, int64_t bytes,
                        const paulimpi_segment_options *options,
                        paulimpi_segment **segment_p)
{
    paulimpi__segment_claim own = { 0, 0, 0, 0, 0 };
    paulimpi_segment *segment = NULL;
    int rc;

    if (segment_p != NULL) {
        *segment_p = NULL;
    }
    rc = paulimpi__handle_check(ctx, PAULIMPI__HANDLE_CONTEXT, CREATE, "ctx");
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = validate(ctx, bytes, options, segment_p, &segment, &own);
    rc = paulimpi__agree_in(ctx, CREATE, rc);
    if (rc == PAULIMPI_SUCCESS) {
        rc = plan(segment, &own);
    }
    if (rc != PAULIMPI_SUCCESS) {
        goto err_free_local;
    }
    rc = obtain(segment);
    if (rc != PAULIMPI_SUCCESS) {
        goto err_give_up;
    }
    paulimpi__context_retain(ctx);
    *segment_p = segment;
    return PAULIMPI_SUCCESS;

err_give_up:
    give_up(segment);
err_free_local:
    free_local(segment);
    return rc;
}

static int
check(const paulimpi_segment *segment, const char *function)
{
    return paulimpi__handle_check(segment, PAULIMPI__HANDLE_SEGMENT, function,
                                  "segment");
}

int
paulimpi_segment_part(const paulimpi_segment *segment, int node_rank,
                      void **address_p, int64_t *bytes_p)
{
    int rc = check(segment, "paulimpi_segment_part");
    int64_t bytes;

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (node_rank < 0 || node_rank >= segment->ctx->placement.node_ranks) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "paulimpi_segment_part: node_rank is %d, but "
                               "must be from 0 to %d",
                               node_rank,
                               segment->ctx->placement.node_ranks - 1);
    }
    bytes = segment->claim[node_rank].bytes;
    if (address_p != NULL) {
        *address_p =
            bytes == 0 ? NULL : segment->base + segment->offset[node_rank];
    }
    if (bytes_p != NULL) {
        *bytes_p = bytes;
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi_segment_sync(paulimpi_segment *segment)
{
    static const char function[] = "paulimpi_segment_sync";
    paulimpi__call call = { NULL, 1, function, PAULIMPI__CALL_MEET, 0, 0, 0 };
    int rc = check(segment, function);
    int before, barrier, after;

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    call.ctx = segment->ctx;
    atomic_thread_fence(memory_order_seq_cst);
    if (segment->ctx->placement.node_ranks == 1) {
        return PAULIMPI_SUCCESS;
    }
    if (!paulimpi__mpi_is_active()) {
        return paulimpi__error(PAULIMPI_ERR_STATE,
                               "paulimpi_segment_sync: MPI is finalised");
    }

    /* A failure on one rank must not leave the others in the barrier. */
    before = paulimpi__segment_window_sync(segment);
    barrier = paulimpi__call_meet(&call);
    after = paulimpi__segment_window_sync(segment);
    atomic_thread_fence(memory_order_seq_cst);
    rc = paulimpi__mpi_error(before != MPI_SUCCESS ? before : after,
                             "paulimpi_segment_sync", "MPI_Win_sync");
    return rc != PAULIMPI_SUCCESS ? rc : barrier;
}

int
paulimpi_segment_explain(const paulimpi_segment *segment, char **text_p)
{
    int rc = check(segment, "paulimpi_segment_explain");
    paulimpi__text text = PAULIMPI__TEXT_INIT;

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (text_p == NULL) {
        return paulimpi__null("paulimpi_segment_explain", "text_p");
    }
    paulimpi__text_append(
        &text, "node %d: %d ranks, %" PRId64 " bytes, %s (%s)\n",
        segment->ctx->placement.node, segment->ctx->placement.node_ranks,
        segment->total, way_name[segment->way], segment->reason);
    *text_p = paulimpi__text_take(&text);
    return *text_p != NULL ? PAULIMPI_SUCCESS
                           : paulimpi__no_memory("paulimpi_segment_explain",
                                                 PAULIMPI__SEGMENT_REASON);
}

void
paulimpi_segment_destroy(paulimpi_segment **segment_p)
{
    paulimpi_segment *segment = segment_p == NULL ? NULL : *segment_p;
    paulimpi_context *ctx;

    if (segment == NULL) {
        return;
    }
    *segment_p = NULL;
    if (check(segment, "paulimpi_segment_destroy") == PAULIMPI_SUCCESS) {
        ctx = segment->ctx;
        give_up(segment);
        free_local(segment);
        paulimpi__context_release(ctx);
    }
}
