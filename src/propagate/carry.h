/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Carrying terms to other ranks, block by block, through buffers of bounded
 * size.
 *
 * Each rank has put the terms for each other rank into a chain of blocks. In
 * rounds, some blocks for every rank travel as one message each; every block is
 * given back to the store's pool when it is on its way, so that those that come
 * find room there.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_CARRY_H
#define PAULIMPI_SRC_PROPAGATE_CARRY_H

#include "propagate/deal.h"
#include "propagate/sum.h"

/** What to do with a block of terms that has come from a rank; those of each
 * rank come in the order of its chain. */
typedef void (*paulimpi__arrive)(void *data, int from,
                                 const paulimpi__block *block, int n_terms);

typedef struct {
    paulimpi_context *ctx;
    const char *function;   /* that carries, for sentences */
    paulimpi__store *store; /* to whose pool the blocks belong */
    int n_ranks;
    int rank;
    paulimpi__chain *out; /* terms for each rank; none for this one */
    int64_t *n_out;       /* how many */
    int64_t *n_in;        /* terms from each rank */
    int64_t n_terms_out;  /* in all */
    int64_t n_terms_in;
    int64_t *words_out; /* of a round */
    int64_t *words_in;
    uint64_t *buffer; /* kept from call to call: what goes, and what comes */
    size_t buffer_words;
} paulimpi__carrier;

/** Make a carrier with empty chains. 0 or PAULIMPI_ERR_MEMORY; free it in
 * either case. */
int paulimpi__carrier_init(paulimpi__carrier *carrier, paulimpi_context *ctx,
                           const char *function, paulimpi__store *store);
void paulimpi__carrier_free(paulimpi__carrier *carrier);

/** Tell each rank how many terms it will get: n_out of each rank, which sets
 * n_in and the totals. Collective. */
int paulimpi__carry_counts(paulimpi__carrier *carrier, const int64_t *n_out);

/** Carry what is in the chains, as many terms as were announced; they are empty
 * afterwards. Collective. */
int paulimpi__carry(paulimpi__carrier *carrier, paulimpi__arrive arrive,
                    void *data);

#endif /* PAULIMPI_SRC_PROPAGATE_CARRY_H */
