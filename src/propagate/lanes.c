/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lanes between the ranks of a node.
 *
 * The part of a rank in the segment begins with its number in the context; then
 * come its lanes to the others, in the order of the node's ranks.
 */
#include "propagate/lanes.h"

#include <stdatomic.h>

#include "comm/comm.h"

enum { LINE = 128 /* bytes that processors fetch together */ };

/* A count that one side writes and the other reads. */
typedef struct {
    _Alignas(LINE) atomic_uint_least64_t n;
} count;

struct paulimpi__lane {
    count sent;
    count taken;
    _Alignas(LINE) uint64_t word[]; /* of the slots */
};

/* What a part begins with. */
typedef struct {
    _Alignas(LINE) int64_t rank;
} head;

int
paulimpi__lanes_are_possible(const paulimpi_context *ctx)
{
    paulimpi_placement place = PAULIMPI_PLACEMENT_INIT;

    return paulimpi_context_placement(ctx, &place) == PAULIMPI_SUCCESS
           && place.nodes < paulimpi_context_size(ctx);
}

/* Bytes of a lane, a multiple of LINE. */
static size_t
lane_bytes(int64_t slot_words)
{
    size_t words = (size_t)slot_words * PAULIMPI__LANE_SLOTS;

    return sizeof(paulimpi__lane)
           + (words * sizeof(uint64_t) + LINE - 1) / LINE * LINE;
}

static int
allocate(paulimpi__lanes *lanes, const paulimpi_context *ctx,
         const char *function, int node_ranks)
{
    size_t n_ranks = (size_t)paulimpi_context_size(ctx);
    size_t n = (size_t)node_ranks;
    size_t r;

    lanes->n_mates = node_ranks - 1;
    lanes->mate = paulimpi__alloc_zero(n, sizeof *lanes->mate);
    lanes->mate_of = paulimpi__alloc(n_ranks, sizeof *lanes->mate_of);
    if (lanes->mate == NULL || lanes->mate_of == NULL) {
        return paulimpi__no_memory(function, n_ranks * sizeof *lanes->mate_of);
    }
    for (r = 0; r < n_ranks; r++) {
        lanes->mate_of[r] = -1;
    }
    return PAULIMPI_SUCCESS;
}

static char *
part_of(const paulimpi__lanes *lanes, int node_rank)
{
    void *part = NULL;

    paulimpi_segment_part(lanes->segment, node_rank, &part, NULL);
    return part;
}

/* The lane from one rank of the node to another. */
static paulimpi__lane *
lane_between(const paulimpi__lanes *lanes, int from, int to)
{
    size_t i = (size_t)(to < from ? to : to - 1);

    return (void *)(part_of(lanes, from) + sizeof(head)
                    + i * lane_bytes(lanes->slot_words));
}

/* Find out which ranks the mates are, and where their lanes begin. */
static int
meet(paulimpi__lanes *lanes, const paulimpi_context *ctx, int me)
{
    int rc, i;

    if (lanes->n_mates > 0) {
        ((head *)(void *)part_of(lanes, me))->rank =
            paulimpi_context_rank(ctx);
    }
    rc = paulimpi_segment_sync(lanes->segment);
    for (i = 0; i < lanes->n_mates && rc == PAULIMPI_SUCCESS; i++) {
        int other = i < me ? i : i + 1;
        paulimpi__mate *mate = &lanes->mate[i];

        mate->rank = (int)((head *)(void *)part_of(lanes, other))->rank;
        mate->out = lane_between(lanes, me, other);
        mate->in = lane_between(lanes, other, me);
        lanes->mate_of[mate->rank] = i;
    }
    return rc;
}

int
paulimpi__lanes_open(paulimpi__lanes *lanes, paulimpi_context *ctx,
                     const char *function, int64_t slot_words)
{
    paulimpi_placement place = PAULIMPI_PLACEMENT_INIT;
    int64_t bytes;
    int rc = paulimpi_context_placement(ctx, &place);

    *lanes = (paulimpi__lanes){ .slot_words = slot_words };
    if (rc == PAULIMPI_SUCCESS) {
        rc = allocate(lanes, ctx, function, place.node_ranks);
    }
    rc = paulimpi__agree_in(ctx, function, rc);
    if (rc == PAULIMPI_SUCCESS) {
        bytes = (int64_t)sizeof(head)
                + lanes->n_mates * (int64_t)lane_bytes(slot_words);
        rc = paulimpi_segment_create(ctx, lanes->n_mates > 0 ? bytes : 0, NULL,
                                     &lanes->segment);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__agree_in(ctx, function,
                                meet(lanes, ctx, place.node_rank));
    }
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi__lanes_close(lanes);
    }
    return rc;
}

void
paulimpi__lanes_close(paulimpi__lanes *lanes)
{
    paulimpi_segment_destroy(&lanes->segment);
    paulimpi__free(lanes->mate);
    paulimpi__free(lanes->mate_of);
    *lanes = (paulimpi__lanes){ .segment = NULL };
}

static uint64_t *
slot_of(const paulimpi__lanes *lanes, paulimpi__lane *lane, uint64_t piece)
{
    return lane->word
           + (int64_t)(piece % PAULIMPI__LANE_SLOTS) * lanes->slot_words;
}

uint64_t *
paulimpi__lane_room(const paulimpi__lanes *lanes, const paulimpi__mate *mate)
{
    uint64_t n_gone =
        atomic_load_explicit(&mate->out->taken.n, memory_order_acquire);

    return mate->n_sent - n_gone == PAULIMPI__LANE_SLOTS
               ? NULL
               : slot_of(lanes, mate->out, mate->n_sent);
}

void
paulimpi__lane_send(paulimpi__mate *mate)
{
    atomic_store_explicit(&mate->out->sent.n, ++mate->n_sent,
                          memory_order_release);
}

const uint64_t *
paulimpi__lane_piece(const paulimpi__lanes *lanes, const paulimpi__mate *mate)
{
    uint64_t n_there =
        atomic_load_explicit(&mate->in->sent.n, memory_order_acquire);

    return n_there == mate->n_taken ? NULL
                                    : slot_of(lanes, mate->in, mate->n_taken);
}

void
paulimpi__lane_take(paulimpi__mate *mate)
{
    atomic_store_explicit(&mate->in->taken.n, ++mate->n_taken,
                          memory_order_release);
}
