/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Carrying terms to other ranks.
 */
#include "propagate/carry.h"

#include <string.h>

#include "comm/comm.h"
#include "exchange/exchange.h"

enum {
    BLOCK = PAULIMPI__BLOCK_TERMS,
    ROUND_BYTES = 8 << 20 /* of a rank to all others, and back */
};

int
paulimpi__carrier_init(paulimpi__carrier *carrier, paulimpi_context *ctx,
                       const char *function, paulimpi__store *store)
{
    size_t n = (size_t)paulimpi_context_size(ctx);

    *carrier = (paulimpi__carrier){ .ctx = ctx,
                                    .function = function,
                                    .store = store,
                                    .n_ranks = (int)n,
                                    .rank = paulimpi_context_rank(ctx) };
    carrier->out = paulimpi__alloc_zero(n, sizeof *carrier->out);
    carrier->n_in = paulimpi__alloc_zero(n, sizeof *carrier->n_in);
    carrier->n_out = paulimpi__alloc_zero(n, sizeof *carrier->n_out);
    carrier->words_out = paulimpi__alloc(n, sizeof *carrier->words_out);
    carrier->words_in = paulimpi__alloc(n, sizeof *carrier->words_in);
    return carrier->out == NULL || carrier->n_in == NULL
                   || carrier->n_out == NULL || carrier->words_out == NULL
                   || carrier->words_in == NULL
               ? PAULIMPI_ERR_MEMORY
               : PAULIMPI_SUCCESS;
}

void
paulimpi__carrier_free(paulimpi__carrier *carrier)
{
    paulimpi__free(carrier->out);
    paulimpi__free(carrier->n_in);
    paulimpi__free(carrier->buffer);
    paulimpi__free(carrier->n_out);
    paulimpi__free(carrier->words_out);
    paulimpi__free(carrier->words_in);
    carrier->out = NULL;
    carrier->n_in = NULL;
    carrier->buffer = NULL;
    carrier->n_out = NULL;
    carrier->words_out = NULL;
    carrier->words_in = NULL;
}

/* What travels of a block: the coefficients and the key. */
static size_t
image_words(const paulimpi__carrier *carrier)
{
    return (size_t)(1 + 2 * carrier->store->n_words) * BLOCK;
}

/* Blocks for n terms. */
static int64_t
blocks_of(int64_t n)
{
    return (n + BLOCK - 1) / BLOCK;
}

int
paulimpi__carry_counts(paulimpi__carrier *carrier, const int64_t *n_out)
{
    size_t bytes = (size_t)carrier->n_ranks * sizeof *n_out;
    int rc, r;

    memcpy(carrier->n_out, n_out, bytes);
    carrier->n_out[carrier->rank] = 0;
    carrier->n_terms_out = 0;
    carrier->n_terms_in = 0;
    rc = paulimpi_alltoall(carrier->ctx, carrier->n_out, 1, PAULIMPI_INT64,
                           carrier->n_in, NULL);
    for (r = 0; r < carrier->n_ranks && rc == PAULIMPI_SUCCESS; r++) {
        carrier->n_terms_out += carrier->n_out[r];
        carrier->n_terms_in += carrier->n_in[r];
    }
    return rc;
}

/* A round: from block `first` on, at most n_blocks blocks for each rank. */
typedef struct {
    int64_t first;
    int64_t n_blocks;
} stage;

/* The blocks of a rank's terms that travel in a round. */
static int64_t
blocks_in(const stage *round, int64_t n_terms)
{
    int64_t left = blocks_of(n_terms) - round->first;

    left = left < round->n_blocks ? left : round->n_blocks;
    return left > 0 ? left : 0;
}

/* Copy n blocks out of a chain, and give them back. Returns where the next ones
 * go. */
static uint64_t *
unload(paulimpi__carrier *carrier, paulimpi__purse *purse, int to, int64_t n,
       uint64_t *buffer)
{
    paulimpi__chain *chain = &carrier->out[to];
    size_t words = image_words(carrier);

    for (; n > 0; n--) {
        paulimpi__block *block = chain->head;

        memcpy(buffer, block->coefficient, words * sizeof *buffer);
        buffer += words;
        chain->head = block->next;
        paulimpi__block_give(carrier->store, purse, block);
    }
    return buffer;
}

/* Hand on n blocks that have come from a rank. Returns where the next ones
 * are. */
static const uint64_t *
hand_on(const paulimpi__carrier *carrier, const stage *round, int from,
        int64_t n, const uint64_t *buffer, paulimpi__block *room,
        paulimpi__arrive arrive, void *data)
{
    size_t words = image_words(carrier);
    int64_t left = carrier->n_in[from] - round->first * BLOCK;

    for (; n > 0; n--, left -= BLOCK) {
        memcpy(room->coefficient, buffer, words * sizeof *buffer);
        buffer += words;
        arrive(data, from, room, left < BLOCK ? (int)left : BLOCK);
    }
    return buffer;
}

static int
do_round(paulimpi__carrier *carrier, const stage *round,
         paulimpi__arrive arrive, void *data)
{
    uint64_t *out = carrier->buffer;
    uint64_t *in = carrier->buffer + carrier->buffer_words / 2;
    const uint64_t *came = in;
    int64_t words = (int64_t)image_words(carrier);
    paulimpi__purse purse = { NULL, 0 };
    paulimpi__block *room;
    int rc, r;

    for (r = 0; r < carrier->n_ranks; r++) {
        int64_t n = blocks_in(round, carrier->n_out[r]);

        carrier->words_out[r] = n * words;
        carrier->words_in[r] = blocks_in(round, carrier->n_in[r]) * words;
        out = unload(carrier, &purse, r, n, out);
    }
    paulimpi__purse_empty(carrier->store, &purse);
    rc = paulimpi_alltoallv(carrier->ctx, carrier->buffer, carrier->words_out,
                            NULL, PAULIMPI_UINT64, in, carrier->words_in, NULL,
                            NULL);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    room = paulimpi__block_take(carrier->store, &purse);
    for (r = 0; r < carrier->n_ranks; r++) {
        came = hand_on(carrier, round, r, blocks_in(round, carrier->n_in[r]),
                       came, room, arrive, data);
    }
    paulimpi__block_give(carrier->store, &purse, room);
    paulimpi__purse_empty(carrier->store, &purse);
    return PAULIMPI_SUCCESS;
}

/* Buffers for so many blocks for and from each other rank. */
static int
reserve_buffers(paulimpi__carrier *carrier, int64_t n_blocks)
{
    size_t words = 2 * image_words(carrier) * (size_t)n_blocks
                   * (size_t)(carrier->n_ranks - 1);

    if (words <= carrier->buffer_words) {
        return PAULIMPI_SUCCESS;
    }
    paulimpi__free(carrier->buffer);
    carrier->buffer = paulimpi__alloc(words, sizeof *carrier->buffer);
    carrier->buffer_words = carrier->buffer == NULL ? 0 : words;
    return carrier->buffer == NULL ? paulimpi__no_memory(
               carrier->function, words * sizeof *carrier->buffer)
                                   : PAULIMPI_SUCCESS;
}

/* The most blocks that any rank has for any other. */
static int
find_most(paulimpi__carrier *carrier, int64_t *most)
{
    int r;

    *most = 0;
    for (r = 0; r < carrier->n_ranks; r++) {
        int64_t n = blocks_of(carrier->n_out[r]);

        *most = n > *most ? n : *most;
    }
    return paulimpi__reduce_int64(carrier->ctx, carrier->function,
                                  PAULIMPI__MAX, 1, most);
}

int
paulimpi__carry(paulimpi__carrier *carrier, paulimpi__arrive arrive,
                void *data)
{
    int64_t others = carrier->n_ranks > 1 ? carrier->n_ranks - 1 : 1;
    int64_t bytes = (int64_t)(image_words(carrier) * sizeof(uint64_t));
    stage round = { 0, ROUND_BYTES / bytes / others };
    int64_t most;
    int rc = find_most(carrier, &most);

    if (rc == PAULIMPI_SUCCESS) {
        round.n_blocks = round.n_blocks > 0 ? round.n_blocks : 1;
        round.n_blocks = most < round.n_blocks ? most : round.n_blocks;
        rc = paulimpi__agree(carrier->ctx,
                             reserve_buffers(carrier, round.n_blocks));
    }
    for (; rc == PAULIMPI_SUCCESS && round.first < most;
         round.first += round.n_blocks) {
        rc = do_round(carrier, &round, arrive, data);
    }
    if (rc == PAULIMPI_SUCCESS) {
        memset(carrier->out, 0,
               (size_t)carrier->n_ranks * sizeof *carrier->out);
    }
    return rc;
}
