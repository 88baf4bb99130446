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
    ROUND_BYTES = 8 << 20,   /* of a rank to all others, and back; */
    PAIR_BYTES = 512 << 10,  /* to each, so that they stay in the cache */
    LEAST_BLOCKS = 128,      /* to any rank, that are worth a segment */
    MOST_NUMBERS = INT32_MAX /* at once, as MPI counts in int */
};

/* Set the first part of each rank; NULL: it has one. */
static void
set_parts(paulimpi__carrier *carrier, const int64_t *first)
{
    int r;

    for (r = 0; r <= carrier->n_ranks; r++) {
        carrier->first[r] = first == NULL ? r : first[r];
    }
}

int
paulimpi__carrier_init(paulimpi__carrier *carrier, paulimpi_context *ctx,
                       const char *function, paulimpi__store *store)
{
    size_t n = (size_t)paulimpi_context_size(ctx);

    *carrier = (paulimpi__carrier){ .ctx = ctx,
                                    .function = function,
                                    .store = store,
                                    .n_ranks = (int)n,
                                    .rank = paulimpi_context_rank(ctx),
                                    .transport = PAULIMPI_TRANSPORT_MPI };
    carrier->first = paulimpi__alloc(n + 1, sizeof *carrier->first);
    carrier->out = paulimpi__alloc_zero(n, sizeof *carrier->out);
    carrier->n_in = paulimpi__alloc_zero(n, sizeof *carrier->n_in);
    carrier->n_out = paulimpi__alloc_zero(n, sizeof *carrier->n_out);
    carrier->blocks_out = paulimpi__alloc(n, sizeof *carrier->blocks_out);
    carrier->blocks_in = paulimpi__alloc(n, sizeof *carrier->blocks_in);
    carrier->give.count = paulimpi__alloc(n, sizeof *carrier->give.count);
    carrier->give.first = paulimpi__alloc(n, sizeof *carrier->give.first);
    carrier->take.count = paulimpi__alloc(n, sizeof *carrier->take.count);
    carrier->take.first = paulimpi__alloc(n, sizeof *carrier->take.first);
    carrier->place_out = paulimpi__alloc(n, sizeof *carrier->place_out);
    carrier->place_in = paulimpi__alloc(n, sizeof *carrier->place_in);
    if (carrier->first != NULL) {
        set_parts(carrier, NULL);
    }
    return carrier->first == NULL || carrier->out == NULL
                   || carrier->n_in == NULL || carrier->n_out == NULL
                   || carrier->blocks_out == NULL || carrier->blocks_in == NULL
                   || carrier->give.count == NULL
                   || carrier->give.first == NULL
                   || carrier->take.count == NULL
                   || carrier->take.first == NULL || carrier->place_out == NULL
                   || carrier->place_in == NULL
               ? PAULIMPI_ERR_MEMORY
               : PAULIMPI_SUCCESS;
}

/* Free what MPI has been given. */
static void
free_given(paulimpi__carrier *carrier)
{
    paulimpi__free(carrier->n_in);
    paulimpi__free(carrier->n_out);
    paulimpi__free(carrier->give.count);
    paulimpi__free(carrier->give.first);
    paulimpi__free(carrier->take.count);
    paulimpi__free(carrier->take.first);
    paulimpi__free(carrier->buffer);
}

void
paulimpi__carrier_free(paulimpi__carrier *carrier)
{
    if (carrier->ctx != NULL && !paulimpi__context_is_lost(carrier->ctx)) {
        free_given(carrier);
    }
    paulimpi__free(carrier->first);
    paulimpi__free(carrier->out);
    paulimpi__free(carrier->blocks_out);
    paulimpi__free(carrier->blocks_in);
    paulimpi__free(carrier->place_out);
    paulimpi__free(carrier->place_in);
    paulimpi__lanes_close(&carrier->lanes);
    *carrier = (paulimpi__carrier){ .n_ranks = carrier->n_ranks };
}

static int64_t
parts_of(const paulimpi__carrier *carrier, int rank)
{
    return carrier->first[rank + 1] - carrier->first[rank];
}

int
paulimpi__carrier_divide(paulimpi__carrier *carrier, const int64_t *first)
{
    size_t n_ranks = (size_t)carrier->n_ranks;
    size_t n = first == NULL ? n_ranks : (size_t)first[n_ranks];
    size_t n_mine =
        first == NULL
            ? 1
            : (size_t)(first[carrier->rank + 1] - first[carrier->rank]);
    int fits = n <= MOST_NUMBERS && n_mine <= MOST_NUMBERS / n_ranks;
    paulimpi__chain *out = paulimpi__alloc_zero(n + 1, sizeof *out);
    int64_t *n_out = paulimpi__alloc_zero(n + 1, sizeof *n_out);
    int64_t *n_in = paulimpi__alloc_zero(n_ranks * n_mine + 1, sizeof *n_in);

    if (!fits || out == NULL || n_out == NULL || n_in == NULL) {
        paulimpi__free(out);
        paulimpi__free(n_out);
        paulimpi__free(n_in);
        return PAULIMPI_ERR_MEMORY;
    }
    paulimpi__free(carrier->out);
    paulimpi__free(carrier->n_out);
    paulimpi__free(carrier->n_in);
    carrier->out = out;
    carrier->n_out = n_out;
    carrier->n_in = n_in;
    set_parts(carrier, first);
    return PAULIMPI_SUCCESS;
}

/* What travels of n terms: the coefficients and the keys. */
static int64_t
words_of(const paulimpi__carrier *carrier, int64_t n)
{
    return (1 + 2 * carrier->store->n_words) * n;
}

/* The terms of the parts of a rank, to it or from it. */
static const int64_t *
terms_out(const paulimpi__carrier *carrier, int rank)
{
    return carrier->n_out + carrier->first[rank];
}

static const int64_t *
terms_in(const paulimpi__carrier *carrier, int rank)
{
    return carrier->n_in + rank * parts_of(carrier, carrier->rank);
}

/* Go on to the next block of some parts, past those that are empty. Returns its
 * terms, or 0 at the end. */
static int
next_block(paulimpi__carry_place *place, const int64_t *n_terms,
           int64_t n_parts)
{
    int64_t n;

    while (place->part < n_parts && place->n_terms == n_terms[place->part]) {
        place->part++;
        place->n_terms = 0;
    }
    if (place->part == n_parts) {
        return 0;
    }
    n = n_terms[place->part] - place->n_terms;
    n = n < BLOCK ? n : BLOCK;
    place->n_terms += n;
    return (int)n;
}

/* Add up the terms of some parts. Returns the number of their blocks. */
static int64_t
count_parts(const int64_t *n_terms, int64_t n_parts, int64_t *total)
{
    int64_t n_blocks = 0;
    int64_t i;

    for (i = 0; i < n_parts; i++) {
        n_blocks += (n_terms[i] + BLOCK - 1) / BLOCK;
        *total += n_terms[i];
    }
    return n_blocks;
}

/* Blocks for each of the others that stay in the cache. */
static int64_t
blocks_at_once(const paulimpi__carrier *carrier)
{
    int64_t others = carrier->n_ranks > 1 ? carrier->n_ranks - 1 : 1;
    int64_t bytes = words_of(carrier, BLOCK) * (int64_t)sizeof(uint64_t);
    int64_t most_bytes =
        ROUND_BYTES / others < PAIR_BYTES ? ROUND_BYTES / others : PAIR_BYTES;

    return most_bytes > bytes ? most_bytes / bytes : 1;
}

/* The most blocks that this rank has for any other that no lane leads to. */
static int64_t
most_blocks(const paulimpi__carrier *carrier)
{
    int64_t most = 0;
    int r;

    for (r = 0; r < carrier->n_ranks; r++) {
        if (!paulimpi__lanes_reach(&carrier->lanes, r)
            && carrier->blocks_out[r] > most) {
            most = carrier->blocks_out[r];
        }
    }
    return most;
}

/* The same of all ranks; code is a failure of this one, of which all hear. */
static int
find_most(const paulimpi__carrier *carrier, int code, int64_t *most)
{
    int64_t worst[2] = { code != PAULIMPI_SUCCESS, 0 };
    int rc;

    if (code == PAULIMPI_SUCCESS) {
        worst[1] = most_blocks(carrier);
    }
    rc = paulimpi__reduce_int64(carrier->ctx, carrier->function, PAULIMPI__MAX,
                                2, worst);
    *most = worst[1];
    if (rc != PAULIMPI_SUCCESS) {
        return code != PAULIMPI_SUCCESS ? code : rc;
    }
    return worst[0] ? paulimpi__agree_in(carrier->ctx, carrier->function, code)
                    : PAULIMPI_SUCCESS;
}

static int
wants_lanes(const paulimpi__carrier *carrier, int64_t most)
{
    return carrier->transport != PAULIMPI_TRANSPORT_MPI && !carrier->has_tried
           && most >= (carrier->transport == PAULIMPI_TRANSPORT_SEGMENT
                           ? 1
                           : LEAST_BLOCKS)
           && paulimpi__lanes_are_possible(carrier->ctx);
}

/* Where it is for the library to choose, MPI does without a segment, but a
 * variable that cannot be remains an error. */
static int
open_lanes(paulimpi__carrier *carrier)
{
    int64_t n_blocks =
        (blocks_at_once(carrier) - 1) / PAULIMPI__LANE_SLOTS + 1;
    int64_t is_bad;
    int rc, heard;

    carrier->has_tried = 1;
    carrier->piece_blocks = n_blocks;
    rc = paulimpi__lanes_open(&carrier->lanes, carrier->ctx, carrier->function,
                              words_of(carrier, BLOCK) * n_blocks);
    if (rc == PAULIMPI_SUCCESS
        || carrier->transport == PAULIMPI_TRANSPORT_SEGMENT) {
        return rc;
    }
    is_bad = rc == PAULIMPI_ERR_ARGUMENT;
    heard = paulimpi__reduce_int64(carrier->ctx, carrier->function,
                                   PAULIMPI__MAX, 1, &is_bad);
    return heard != PAULIMPI_SUCCESS || is_bad ? rc : PAULIMPI_SUCCESS;
}

/* Find out which way each rank is reached, and how many rounds of messages
 * there will be. */
static int
plan_rounds(paulimpi__carrier *carrier, int code)
{
    int64_t n = blocks_at_once(carrier);
    int64_t most;
    int rc = find_most(carrier, code, &most);

    if (rc == PAULIMPI_SUCCESS && wants_lanes(carrier, most)) {
        rc = open_lanes(carrier);
        if (rc == PAULIMPI_SUCCESS) {
            rc = find_most(carrier, rc, &most);
        }
    }
    carrier->round_blocks = most < n ? most : n;
    carrier->n_rounds = most == 0 ? 0 : (most - 1) / carrier->round_blocks + 1;
    return rc;
}

/* Add up what will go through lanes. */
static void
count_shared(paulimpi__carrier *carrier)
{
    int64_t p;
    int i;

    carrier->n_terms_shared = 0;
    for (i = 0; i < carrier->lanes.n_mates; i++) {
        int to = carrier->lanes.mate[i].rank;

        for (p = 0; p < parts_of(carrier, to); p++) {
            carrier->n_terms_shared += terms_out(carrier, to)[p];
        }
    }
}

/* Say how many numbers there are for a rank, or from it, after those of the
 * ranks before. */
static void
list(paulimpi__lists *lists, int rank, int64_t n)
{
    lists->count[rank] = (int)n;
    lists->first[rank] =
        rank == 0 ? 0 : lists->first[rank - 1] + lists->count[rank - 1];
}

/* Note what goes. */
static void
note_out(paulimpi__carrier *carrier, const int64_t *n_out)
{
    int64_t n_mine = parts_of(carrier, carrier->rank);
    int r;

    memcpy(carrier->n_out, n_out,
           (size_t)carrier->first[carrier->n_ranks] * sizeof *n_out);
    memset(carrier->n_out + carrier->first[carrier->rank], 0,
           (size_t)n_mine * sizeof *n_out);
    carrier->n_terms_out = 0;
    for (r = 0; r < carrier->n_ranks; r++) {
        carrier->blocks_out[r] =
            count_parts(terms_out(carrier, r), parts_of(carrier, r),
                        &carrier->n_terms_out);
    }
}

/* Tell the others, and note what comes. */
static int
trade_counts(paulimpi__carrier *carrier)
{
    int64_t n_mine = parts_of(carrier, carrier->rank);
    int rc, r;

    for (r = 0; r < carrier->n_ranks; r++) {
        list(&carrier->give, r, parts_of(carrier, r));
        list(&carrier->take, r, n_mine);
    }
    carrier->give.number = carrier->n_out;
    carrier->take.number = carrier->n_in;
    rc = paulimpi__trade(carrier->ctx, carrier->function, &carrier->give,
                         &carrier->take);
    carrier->n_terms_in = 0;
    for (r = 0; r < carrier->n_ranks && rc == PAULIMPI_SUCCESS; r++) {
        carrier->blocks_in[r] =
            count_parts(terms_in(carrier, r), n_mine, &carrier->n_terms_in);
    }
    return rc;
}

int
paulimpi__carry_counts(paulimpi__carrier *carrier, int code,
                       const int64_t *n_out)
{
    int rc;

    if (code == PAULIMPI_SUCCESS) {
        note_out(carrier, n_out);
    }
    rc = plan_rounds(carrier, code);
    if (rc == PAULIMPI_SUCCESS) {
        rc = trade_counts(carrier);
    }
    if (rc == PAULIMPI_SUCCESS) {
        count_shared(carrier);
    }
    return rc;
}

/* Of n blocks, those that travel in a round of at most so many. */
static int64_t
part_of(int64_t n, int64_t round, int64_t most)
{
    int64_t left = n - round * most;

    left = left < most ? left : most;
    return left > 0 ? left : 0;
}

/* Of so many blocks of a rank, those that travel in a round of messages. */
static int64_t
blocks_in_round(const paulimpi__carrier *carrier, int rank,
                const int64_t *n_blocks, int64_t round)
{
    return paulimpi__lanes_reach(&carrier->lanes, rank)
               ? 0
               : part_of(n_blocks[rank], round, carrier->round_blocks);
}

/* The blocks that come less those that go. */
static int64_t
gain_of_round(const paulimpi__carrier *carrier, int64_t round)
{
    int64_t n = 0;
    int r;

    for (r = 0; r < carrier->n_ranks; r++) {
        n += blocks_in_round(carrier, r, carrier->blocks_in, round)
             - blocks_in_round(carrier, r, carrier->blocks_out, round);
    }
    return n;
}

/* The same of one piece for each mate and one of each. Whether there are more
 * pieces. */
static int
gain_of_pieces(const paulimpi__carrier *carrier, int64_t piece, int64_t *n)
{
    int64_t each = carrier->piece_blocks;
    int has_more = 0;
    int i;

    for (i = 0; i < carrier->lanes.n_mates; i++) {
        int r = carrier->lanes.mate[i].rank;
        int64_t n_in = carrier->blocks_in[r];
        int64_t n_out = carrier->blocks_out[r];

        *n += part_of(n_in, piece, each) - part_of(n_out, piece, each);
        has_more |= (n_in > n_out ? n_in : n_out) > (piece + 1) * each;
    }
    return has_more;
}

int64_t
paulimpi__carry_room(const paulimpi__carrier *carrier)
{
    int64_t most = 0;
    int64_t n = 0;
    int64_t i;
    int has_more = 1;

    for (i = 0; i < carrier->n_rounds; i++) {
        n += gain_of_round(carrier, i);
        most = n > most ? n : most;
    }
    for (i = 0; has_more; i++) {
        has_more = gain_of_pieces(carrier, i, &n);
        most = n > most ? n : most;
    }
    return most + 1;
}

/* Write n terms of a block without gaps, or read them. */
static void
pack(const paulimpi__carrier *carrier, const paulimpi__block *block, int n,
     uint64_t *buffer)
{
    int64_t n_key = 2 * carrier->store->n_words;
    size_t bytes = (size_t)n * sizeof *buffer;
    int64_t w;

    memcpy(buffer, block->coefficient, bytes);
    for (w = 0; w < n_key; w++) {
        memcpy(buffer + (w + 1) * n, block->word + w * BLOCK, bytes);
    }
}

static void
unpack(const paulimpi__carrier *carrier, const uint64_t *buffer, int n,
       paulimpi__block *block)
{
    int64_t n_key = 2 * carrier->store->n_words;
    size_t bytes = (size_t)n * sizeof *buffer;
    int64_t w;

    memcpy(block->coefficient, buffer, bytes);
    for (w = 0; w < n_key; w++) {
        memcpy(block->word + w * BLOCK, buffer + (w + 1) * n, bytes);
    }
}

/* Write the next n_blocks blocks for a rank, and give them back. Returns how
 * many words they are. */
static int64_t
unload(paulimpi__carrier *carrier, paulimpi__purse *purse, int to,
       int64_t n_blocks, uint64_t *buffer)
{
    paulimpi__chain *chains = carrier->out + carrier->first[to];
    paulimpi__carry_place *place = &carrier->place_out[to];
    int64_t n_words = 0;

    for (; n_blocks > 0; n_blocks--) {
        int n =
            next_block(place, terms_out(carrier, to), parts_of(carrier, to));
        paulimpi__chain *chain = &chains[place->part];
        paulimpi__block *block = chain->head;

        paulimpi__block_fetch(block->next, carrier->store->n_words);
        pack(carrier, block, n, buffer + n_words);
        n_words += words_of(carrier, n);
        chain->head = block->next;
        paulimpi__block_give(carrier->store, purse, block);
    }
    return n_words;
}

/* How many words the next n_blocks blocks from a rank are. */
static int64_t
words_to_come(const paulimpi__carrier *carrier, int from, int64_t n_blocks)
{
    int64_t n_parts = parts_of(carrier, carrier->rank);
    paulimpi__carry_place place = carrier->place_in[from];
    int64_t n_words = 0;

    for (; n_blocks > 0; n_blocks--) {
        n_words += words_of(
            carrier, next_block(&place, terms_in(carrier, from), n_parts));
    }
    return n_words;
}

/* Where blocks that have come go. */
typedef struct {
    paulimpi__arrive arrive;
    void *data;
    paulimpi__purse purse;
    paulimpi__block *room; /* for the next one, or NULL */
} landing;

/* Hand on the next n_blocks blocks from a rank. */
static void
hand_on(paulimpi__carrier *carrier, landing *to, int from, int64_t n_blocks,
        const uint64_t *buffer)
{
    int64_t n_parts = parts_of(carrier, carrier->rank);
    paulimpi__carry_place *place = &carrier->place_in[from];

    for (; n_blocks > 0; n_blocks--) {
        int n = next_block(place, terms_in(carrier, from), n_parts);
        paulimpi__arrival arrival = { from, place->part, n, to->room };

        if (arrival.block == NULL) {
            arrival.block = paulimpi__block_take(carrier->store, &to->purse);
        }
        unpack(carrier, buffer, n, arrival.block);
        buffer += words_of(carrier, n);
        to->room = to->arrive(to->data, &arrival) ? NULL : arrival.block;
    }
}

/* Write what goes in a round, and say how much comes. */
static void
fill_round(paulimpi__carrier *carrier, int64_t round, landing *to)
{
    uint64_t *out = carrier->buffer;
    int r;

    for (r = 0; r < carrier->n_ranks; r++) {
        int64_t n_out =
            blocks_in_round(carrier, r, carrier->blocks_out, round);
        int64_t n_in = blocks_in_round(carrier, r, carrier->blocks_in, round);
        int64_t n_words = unload(carrier, &to->purse, r, n_out, out);

        list(&carrier->give, r, n_words);
        list(&carrier->take, r, words_to_come(carrier, r, n_in));
        out += n_words;
    }
    paulimpi__purse_empty(carrier->store, &to->purse);
}

static int
do_round(paulimpi__carrier *carrier, int64_t round, landing *to)
{
    uint64_t *in = carrier->buffer + carrier->buffer_words / 2;
    int rc, r;

    fill_round(carrier, round, to);
    carrier->give.number = (int64_t *)carrier->buffer;
    carrier->take.number = (int64_t *)in;
    rc = paulimpi__trade(carrier->ctx, carrier->function, &carrier->give,
                         &carrier->take);
    for (r = 0; r < carrier->n_ranks && rc == PAULIMPI_SUCCESS; r++) {
        hand_on(carrier, to, r,
                blocks_in_round(carrier, r, carrier->blocks_in, round),
                in + carrier->take.first[r]);
    }
    return rc;
}

/* What is on its way through the lanes. */
typedef struct {
    paulimpi__carrier *carrier;
    landing *to;
    int64_t n_events; /* pieces that were sent or taken */
} passage;

/* Send a mate the next piece, if there is one and room for it. */
static void
send_piece(passage *p, paulimpi__mate *mate)
{
    int64_t n = part_of(mate->blocks_out, 0, p->carrier->piece_blocks);
    uint64_t *room =
        n == 0 ? NULL : paulimpi__lane_room(&p->carrier->lanes, mate);

    if (room != NULL) {
        (void)unload(p->carrier, &p->to->purse, mate->rank, n, room);
        paulimpi__lane_send(mate);
        mate->blocks_out -= n;
        mate->n_out++;
        p->n_events++;
    }
}

/* Take the next piece of a mate, if it is there. */
static void
take_piece(passage *p, paulimpi__mate *mate)
{
    int64_t n = part_of(mate->blocks_in, 0, p->carrier->piece_blocks);
    const uint64_t *piece = paulimpi__lane_piece(&p->carrier->lanes, mate);

    if (piece != NULL) {
        hand_on(p->carrier, p->to, mate->rank, n, piece);
        paulimpi__lane_take(mate);
        mate->blocks_in -= n;
        mate->n_in++;
        p->n_events++;
    }
}

/* Send and take what can be. No piece is taken before as many have been sent to
 * every mate, or all: so there is room for it, and nobody waits for one who
 * waits for him. Whether that was all. */
static int
pass(void *what)
{
    passage *p = what;
    paulimpi__lanes *lanes = &p->carrier->lanes;
    int64_t n_sent = INT64_MAX;
    int64_t n_left = 0;
    int i;

    for (i = 0; i < lanes->n_mates; i++) {
        paulimpi__mate *mate = &lanes->mate[i];

        send_piece(p, mate);
        n_left += mate->blocks_out;
        if (mate->blocks_out > 0 && mate->n_out < n_sent) {
            n_sent = mate->n_out;
        }
    }
    for (i = 0; i < lanes->n_mates; i++) {
        paulimpi__mate *mate = &lanes->mate[i];

        if (mate->blocks_in > 0 && mate->n_in < n_sent) {
            take_piece(p, mate);
        }
        n_left += mate->blocks_in;
    }
    return n_left == 0;
}

/* Carry what goes through the lanes. */
static int
use_lanes(paulimpi__carrier *carrier, landing *to)
{
    passage p = { carrier, to, 0 };
    double limit = 0.0;
    int rc = paulimpi__timeout_read(carrier->function, &limit);
    int i;

    for (i = 0; i < carrier->lanes.n_mates; i++) {
        paulimpi__mate *mate = &carrier->lanes.mate[i];

        mate->blocks_out = carrier->blocks_out[mate->rank];
        mate->blocks_in = carrier->blocks_in[mate->rank];
        mate->n_out = 0;
        mate->n_in = 0;
    }
    return rc == PAULIMPI_SUCCESS ? paulimpi__wait_together(
               carrier->ctx, carrier->function, limit, &p.n_events, pass, &p)
                                  : rc;
}

/* For a round. */
int
paulimpi__carry_reserve(paulimpi__carrier *carrier)
{
    size_t words = (size_t)(2 * words_of(carrier, BLOCK)
                            * carrier->round_blocks * (carrier->n_ranks - 1));

    if (words <= carrier->buffer_words) {
        return PAULIMPI_SUCCESS;
    }
    paulimpi__free(carrier->buffer);
    carrier->buffer = words > MOST_NUMBERS
                          ? NULL
                          : paulimpi__alloc(words, sizeof *carrier->buffer);
    carrier->buffer_words = carrier->buffer == NULL ? 0 : words;
    return carrier->buffer == NULL ? paulimpi__no_memory(
               carrier->function, words * sizeof *carrier->buffer)
                                   : PAULIMPI_SUCCESS;
}

int
paulimpi__carry(paulimpi__carrier *carrier, paulimpi__arrive arrive,
                void *data)
{
    size_t n_ranks = (size_t)carrier->n_ranks;
    landing to = { arrive, data, { NULL, 0 }, NULL };
    int rc = PAULIMPI_SUCCESS;
    int64_t round;

    memset(carrier->place_out, 0, n_ranks * sizeof *carrier->place_out);
    memset(carrier->place_in, 0, n_ranks * sizeof *carrier->place_in);
    for (round = 0; rc == PAULIMPI_SUCCESS && round < carrier->n_rounds;
         round++) {
        rc = do_round(carrier, round, &to);
    }
    if (rc == PAULIMPI_SUCCESS && carrier->lanes.segment != NULL) {
        rc = use_lanes(carrier, &to);
    }
    if (to.room != NULL) {
        paulimpi__block_give(carrier->store, &to.purse, to.room);
    }
    paulimpi__purse_empty(carrier->store, &to.purse);
    if (rc == PAULIMPI_SUCCESS) {
        memset(carrier->out, 0,
               (size_t)carrier->first[n_ranks] * sizeof *carrier->out);
    }
    return rc;
}
