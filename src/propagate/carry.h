/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Carrying terms to other ranks, block by block, through buffers of bounded
 * size.
 *
 * Each rank has put the terms for each other rank into chains of blocks: one,
 * or several parts of which the other knows what they are. In rounds, some
 * blocks for every rank travel as one message each; every block is given back
 * to the store's pool when it is on its way, so that those that come find room
 * there. Between ranks of a node, pieces of some blocks go through lanes
 * instead, where that is wanted and possible.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_CARRY_H
#define PAULIMPI_SRC_PROPAGATE_CARRY_H

#include "comm/comm.h"
#include "propagate/deal.h"
#include "propagate/lanes.h"
#include "propagate/sum.h"

/* A block of terms that has come from a rank; those of each rank come part by
 * part, in the order of their chains. */
typedef struct {
    int from;
    int64_t part; /* of this rank's parts */
    int n_terms;
    paulimpi__block *block;
} paulimpi__arrival;

/** What to do with it. Whether the block was kept; if not, it is used again. */
typedef int (*paulimpi__arrive)(void *data, const paulimpi__arrival *arrival);

/* A place in the parts of a rank. */
typedef struct {
    int64_t part;
    int64_t n_terms; /* of it that have been passed */
} paulimpi__carry_place;

typedef struct {
    paulimpi_context *ctx;
    const char *function;   /* that carries, for sentences */
    paulimpi__store *store; /* to whose pool the blocks belong */
    int n_ranks;
    int rank;
    int64_t *first;       /* part of each rank, and the end of them; most often
                             each has one */
    paulimpi__chain *out; /* terms of each part; none for this rank */
    int64_t *n_out;       /* how many */
    int64_t *n_in;        /* terms from each rank, for each of this rank's
                             parts */
    int64_t n_terms_out;  /* in all */
    int64_t n_terms_in;
    int64_t n_terms_shared; /* of n_terms_out, those that go through lanes */
    int transport;          /* PAULIMPI_TRANSPORT_..., at first MPI */
    int has_tried;          /* to open the lanes */
    paulimpi__lanes lanes;
    int64_t piece_blocks; /* of what goes through a lane at once, at most */
    int64_t round_blocks; /* for each rank in a round, at most */
    int64_t n_rounds;     /* of messages, on all ranks */
    int64_t *blocks_out;  /* to each rank, in all */
    int64_t *blocks_in;   /* from each rank */
    paulimpi__lists give; /* to all ranks at once: counts, or a round */
    paulimpi__lists take;
    paulimpi__carry_place *place_out; /* to each rank */
    paulimpi__carry_place *place_in;  /* from each rank */
    uint64_t *buffer; /* kept from call to call: what goes, and what comes */
    size_t buffer_words;
} paulimpi__carrier;

/** Make a carrier with empty chains, one for each rank. 0 or
 * PAULIMPI_ERR_MEMORY; free it in either case. */
int paulimpi__carrier_init(paulimpi__carrier *carrier, paulimpi_context *ctx,
                           const char *function, paulimpi__store *store);
/** Collective where there are lanes. */
void paulimpi__carrier_free(paulimpi__carrier *carrier);

/** Make chains for other parts: those of rank r are first[r] to
 * first[r + 1] - 1, on all ranks; NULL: one each, as at first. 0 or
 * PAULIMPI_ERR_MEMORY with the carrier as it was. Local. */
int paulimpi__carrier_divide(paulimpi__carrier *carrier, const int64_t *first);

/** Tell each rank how many terms it will get: n_out of each part, which sets
 * n_in and the totals. code is a failure of this rank before, with its
 * sentence, after which n_out is not read; then all ranks fail. Opens the lanes
 * when they are wanted for the first time; only where they are asked for by
 * name is it an error if they cannot be had. Collective. */
int paulimpi__carry_counts(paulimpi__carrier *carrier, int code,
                           const int64_t *n_out);

/** The blocks that this rank has to have beside those that it will give back in
 * time, for what was announced. Local. */
int64_t paulimpi__carry_room(const paulimpi__carrier *carrier);

/** Make sure of the buffers for what was announced: 0 or PAULIMPI_ERR_MEMORY
 * with a sentence, on which the ranks have to agree before they carry. Local.
 */
int paulimpi__carry_reserve(paulimpi__carrier *carrier);

/** Carry what is in the chains, as many terms as were announced; they are empty
 * afterwards. Collective. */
int paulimpi__carry(paulimpi__carrier *carrier, paulimpi__arrive arrive,
                    void *data);

#endif /* PAULIMPI_SRC_PROPAGATE_CARRY_H */
