/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lanes between the ranks of a node: from each of them to each other one, some
 * slots in a segment, through which pieces of bounded size go in their order.
 *
 * Who sends counts the pieces that are there, who takes them counts those that
 * are gone, and each looks at the other's count. Nobody waits here: there is
 * room or not, a piece or not.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_LANES_H
#define PAULIMPI_SRC_PROPAGATE_LANES_H

#include <stdint.h>

#include "paulimpi/context.h"
#include "paulimpi/segment.h"

enum { PAULIMPI__LANE_SLOTS = 4 };

typedef struct paulimpi__lane paulimpi__lane;

/* Another rank of the node. */
typedef struct {
    int rank; /* of the context */
    paulimpi__lane *out;
    paulimpi__lane *in;
    uint64_t n_sent; /* pieces, since the lanes were opened */
    uint64_t n_taken;

    /* Of the carry under way. */
    int64_t blocks_out; /* still to be sent */
    int64_t blocks_in;
    int64_t n_out; /* pieces that have been */
    int64_t n_in;
} paulimpi__mate;

/* Start from { .segment = NULL }. */
typedef struct {
    paulimpi_segment *segment; /* NULL: there are no lanes */
    int64_t slot_words;
    int n_mates;
    paulimpi__mate *mate;
    int *mate_of; /* of each rank of the context; -1 on other nodes */
} paulimpi__lanes;

/** Whether ranks of a context share nodes: the same on all of them. Local. */
int paulimpi__lanes_are_possible(const paulimpi_context *ctx);

/** Make lanes for pieces of so many words, for the public function that is
 * named. Collective; on failure, which is one of all ranks, there are none. */
int paulimpi__lanes_open(paulimpi__lanes *lanes, paulimpi_context *ctx,
                         const char *function, int64_t slot_words);
/** Give them up, when all that was sent has been taken. Collective. */
void paulimpi__lanes_close(paulimpi__lanes *lanes);

/** Where the next piece for a mate may be written, or NULL: all slots are full;
 * then say that it is there. */
uint64_t *paulimpi__lane_room(const paulimpi__lanes *lanes,
                              const paulimpi__mate *mate);
void paulimpi__lane_send(paulimpi__mate *mate);

/** The next piece from a mate, or NULL: it is not there; then say that it has
 * been read. */
const uint64_t *paulimpi__lane_piece(const paulimpi__lanes *lanes,
                                     const paulimpi__mate *mate);
void paulimpi__lane_take(paulimpi__mate *mate);

/** Whether there is a lane to a rank. */
static inline int
paulimpi__lanes_reach(const paulimpi__lanes *lanes, int rank)
{
    return lanes->segment != NULL && lanes->mate_of[rank] >= 0;
}

#endif /* PAULIMPI_SRC_PROPAGATE_LANES_H */
