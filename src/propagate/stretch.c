/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stretches of operations that take no term to another rank.
 */
#include "propagate/stretch.h"

#include <string.h>

#include "propagate/in_place.h"

enum {
    MOST_GENERATORS = 1024,
    MOST_TURNS = 4096,
    MOST_OPS = 8192,
    MOST_RANK = 12, /* of generators that do not all commute */
    SPARE = 4,      /* more functions than are used, for a good draw */
    FEW_PARTS = 3   /* see leave_next_layer() */
};

/* The operations of the largest unit. */
static int64_t
largest_unit(const paulimpi__run *run)
{
    int64_t most = 0;
    int64_t i = 0;

    while (i < run->n_ops) {
        int64_t end = paulimpi__end_of_unit(run, i);

        most = end - i > most ? end - i : most;
        i = end;
    }
    return most;
}

int
paulimpi__stretch_init(paulimpi__stretch *stretch, const paulimpi__run *run)
{
    int64_t n_qubits = run->store->n_qubits;
    int64_t n_words = run->store->n_words;
    size_t key_bytes = (size_t)n_words * 2 * sizeof(uint64_t);
    int64_t n_unit = largest_unit(run);
    int64_t n_rows = MOST_GENERATORS + 2 * n_unit;
    int rc;

    *stretch = (paulimpi__stretch){ .n_words = n_words };
    stretch->generator = paulimpi__alloc((size_t)n_rows, key_bytes);
    stretch->turn = paulimpi__alloc((size_t)(MOST_TURNS + n_unit), key_bytes);
    stretch->turn_op = paulimpi__alloc((size_t)(MOST_TURNS + n_unit),
                                       sizeof *stretch->turn_op);
    rc = paulimpi__span_init(&stretch->span, n_qubits,
                             n_rows < 2 * n_qubits ? n_rows : 2 * n_qubits);
    return rc != PAULIMPI_SUCCESS || stretch->generator == NULL
                   || stretch->turn == NULL || stretch->turn_op == NULL
               ? PAULIMPI_ERR_MEMORY
               : PAULIMPI_SUCCESS;
}

void
paulimpi__stretch_free(paulimpi__stretch *stretch)
{
    paulimpi__span_free(&stretch->span);
    paulimpi__free(stretch->generator);
    paulimpi__free(stretch->turn);
    paulimpi__free(stretch->turn_op);
}

static uint64_t *
generator(const paulimpi__stretch *stretch, int64_t k)
{
    return stretch->generator + k * 2 * stretch->n_words;
}

static uint64_t *
turn(const paulimpi__stretch *stretch, int64_t k)
{
    return stretch->turn + k * 2 * stretch->n_words;
}

/* Make a string what it is before the turns. */
static void
turn_back(const paulimpi__stretch *stretch, uint64_t *key)
{
    int64_t n = stretch->n_words;
    int64_t k, w;

    for (k = stretch->n_turns - 1; k >= 0; k--) {
        const uint64_t *by = turn(stretch, k);

        if (paulimpi__anticommute(by, key, n)) {
            for (w = 0; w < 2 * n; w++) {
                key[w] ^= by[w];
            }
        }
    }
}

static int
commutes_with_all(const paulimpi__stretch *stretch, const uint64_t *key)
{
    int64_t k;

    for (k = 0; k < stretch->n_generators; k++) {
        if (paulimpi__anticommute(generator(stretch, k), key,
                                  stretch->n_words)) {
            return 0;
        }
    }
    return 1;
}

/* Add a string that terms may be multiplied by, as it is after the turns.
 * Whether it fits. */
static int
add_generator(paulimpi__stretch *stretch, int64_t most_rank, uint64_t *key)
{
    int64_t rank;

    turn_back(stretch, key);
    rank = stretch->span.n_rows + paulimpi__span_is_new(&stretch->span, key);
    stretch->is_mixed |= !commutes_with_all(stretch, key);
    paulimpi__span_add(&stretch->span, key);
    stretch->n_generators++;
    return rank <= most_rank
           && (!stretch->is_mixed
               || rank - stretch->n_excluded <= stretch->most_mixed);
}

/* A map takes a string to any other on its qubit. */
static int
add_map(paulimpi__stretch *stretch, const paulimpi__run *run,
        const paulimpi__ready_op *op, int64_t most_rank)
{
    int64_t qubit =
        paulimpi__site_qubit(run->circuit->sites[op->op->first_site]);
    int64_t n = stretch->n_words;
    int fits = 1;
    int is_z;

    for (is_z = 0; is_z < 2; is_z++) {
        uint64_t *key = generator(stretch, stretch->n_generators);

        memset(key, 0, (size_t)(2 * n) * sizeof *key);
        key[is_z * n + qubit / 64] = (uint64_t)1 << qubit % 64;
        fits = add_generator(stretch, most_rank, key) && fits;
    }
    return fits;
}

/* Add an operation. Whether it fits; if not, it is there none the less. */
static int
add_op(paulimpi__stretch *stretch, const paulimpi__run *run,
       const paulimpi__ready_op *op, int64_t most_rank)
{
    uint64_t *key;

    switch (op->op->kind) {
    case PAULIMPI__OP_ROTATION:
        key = generator(stretch, stretch->n_generators);
        paulimpi__write_key(run, op, key);
        return add_generator(stretch, most_rank, key);
    case PAULIMPI__OP_MAP:
        return add_map(stretch, run, op, most_rank);
    case PAULIMPI__OP_TURN:
        if (op->op->quarters % 2 == 1) {
            stretch->turn_op[stretch->n_turns] = op - run->ops;
            paulimpi__write_key(run, op, turn(stretch, stretch->n_turns++));
        }
        return 1;
    default:
        return 1;
    }
}

static int
n_generators_of(const paulimpi__op *op)
{
    return op->kind == PAULIMPI__OP_MAP ? 2
                                        : op->kind == PAULIMPI__OP_ROTATION;
}

/* Whether there is memory for one more unit, whatever it is. */
static int
has_room(const paulimpi__stretch *stretch)
{
    return stretch->n_generators <= MOST_GENERATORS
           && stretch->n_turns <= MOST_TURNS;
}

/* Add a unit. Whether it fits; if not, it is forgotten, but for functions that
 * are 0 on it, too. */
static int
add_unit(paulimpi__stretch *stretch, const paulimpi__run *run, int64_t end,
         int64_t most_rank)
{
    paulimpi__stretch before = *stretch;
    int64_t i;

    for (i = stretch->end; i < end; i++) {
        if (!add_op(stretch, run, &run->ops[i], most_rank)
            && stretch->first < stretch->end) {
            stretch->n_generators = before.n_generators;
            stretch->n_turns = before.n_turns;
            stretch->is_mixed = before.is_mixed;
            return 0;
        }
    }
    stretch->end = end;
    return 1;
}

static int
is_excluded(const paulimpi__stretch *stretch, int64_t coordinate)
{
    return (int)(stretch->excluded[coordinate / 64] >> coordinate % 64 & 1);
}

int
paulimpi__stretch_exclude(paulimpi__stretch *stretch,
                          const uint64_t *coordinates)
{
    int64_t n_qubits = stretch->span.n_qubits;
    int64_t most = stretch->span.most_rows;
    int64_t i;

    stretch->excluded = coordinates;
    for (i = 0; i < stretch->n_words * 128; i++) {
        stretch->n_excluded += is_excluded(stretch, i);
    }
    most += stretch->n_excluded;
    paulimpi__span_free(&stretch->span);
    return paulimpi__span_init(&stretch->span, n_qubits,
                               most < 2 * n_qubits ? most : 2 * n_qubits);
}

/* A function that is 0 on the string of one coordinate does not look at it. */
static void
add_excluded(paulimpi__stretch *stretch)
{
    size_t bytes = (size_t)stretch->n_words * 16;
    uint64_t *key = generator(stretch, 0);
    int64_t i;

    for (i = 0; stretch->n_excluded > 0 && i < stretch->n_words * 128; i++) {
        if (is_excluded(stretch, i)) {
            memset(key, 0, bytes);
            key[i / 64] = (uint64_t)1 << i % 64;
            paulimpi__span_add(&stretch->span, key);
        }
    }
}

/* Where the rotations of the next layer begin after the last turn, a few of
 * them may fit. They are better off with the others: an engine would take them
 * in a pass of their own. */
static void
leave_next_layer(paulimpi__stretch *stretch, const paulimpi__run *run)
{
    int64_t n_after = 0;
    int64_t end, i;

    if (stretch->n_turns == 0 || stretch->end == run->n_ops) {
        return;
    }
    end = paulimpi__end_of_unit(run, stretch->turn_op[stretch->n_turns - 1]);
    for (i = end; i < stretch->end; i++) {
        n_after += n_generators_of(run->ops[i].op);
    }
    if (n_after <= stretch->n_generators / FEW_PARTS) {
        stretch->end = end;
        stretch->n_generators -= n_after;
    }
}

void
paulimpi__stretch_gather(paulimpi__stretch *stretch, const paulimpi__run *run,
                         int64_t first, int n_functions)
{
    paulimpi__stretch_gather_far(stretch, run, first, n_functions, MOST_RANK);
    leave_next_layer(stretch, run);
}

void
paulimpi__stretch_gather_far(paulimpi__stretch *stretch,
                             const paulimpi__run *run, int64_t first,
                             int n_functions, int64_t most_mixed)
{
    int64_t most_rank = 2 * run->store->n_qubits - n_functions - SPARE;

    stretch->first = first;
    stretch->end = first;
    stretch->is_mixed = 0;
    stretch->most_mixed = most_mixed;
    stretch->n_generators = 0;
    stretch->n_turns = 0;
    paulimpi__span_clear(&stretch->span);
    add_excluded(stretch);
    while (stretch->end < run->n_ops && stretch->end - first < MOST_OPS) {
        int64_t end = paulimpi__end_of_unit(run, stretch->end);

        if (!has_room(stretch) || !add_unit(stretch, run, end, most_rank)) {
            break;
        }
    }
}

int
paulimpi__stretch_vanishes(const paulimpi__stretch *stretch,
                           const uint64_t *function)
{
    int64_t n = 2 * stretch->n_words;
    int64_t i;

    for (i = 0; i < stretch->span.n_rows; i++) {
        if (paulimpi__product(stretch->span.rows + i * n, function, n)) {
            return 0;
        }
    }
    return 1;
}

int
paulimpi__stretch_allows(const paulimpi__stretch *stretch,
                         const paulimpi__shares *shares)
{
    int bit;

    for (bit = 0; bit < shares->log2_shards; bit++) {
        if (!paulimpi__stretch_vanishes(
                stretch, shares->function + bit * 2 * shares->n_words)) {
            return 0;
        }
    }
    return 1;
}

int
paulimpi__stretch_draw(const paulimpi__stretch *stretch,
                       paulimpi__shares *shares, uint64_t *draw)
{
    int n_drawn = 0;
    int bit;

    for (bit = 0; bit < shares->log2_shards; bit++) {
        uint64_t *function = shares->function + bit * 2 * shares->n_words;

        if (!paulimpi__stretch_vanishes(stretch, function)) {
            paulimpi__span_draw(&stretch->span, (*draw)++, function);
            n_drawn++;
        }
    }
    return n_drawn;
}

void
paulimpi__stretch_follow(const paulimpi__stretch *stretch, int64_t end,
                         paulimpi__shares *shares)
{
    int64_t k;

    for (k = 0; k < stretch->n_turns && stretch->turn_op[k] < end; k++) {
        paulimpi__shares_follow(shares, turn(stretch, k));
    }
}

/* A turn by a quarter, done twice, changes no more than signs. */
void
paulimpi__stretch_go_before(const paulimpi__stretch *stretch,
                            paulimpi__shares *shares)
{
    int64_t k;

    for (k = stretch->n_turns - 1; k >= 0; k--) {
        paulimpi__shares_follow(shares, turn(stretch, k));
    }
}
