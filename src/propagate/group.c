/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Groups of gates.
 */
#include "propagate/group.h"

#include <string.h>

enum {
    MOST_OPS = 4096, /* of a group without functions, so that a callback is
                        heard */
    MOST_RANK = 12,  /* of a group whose gates do not all commute */
    SPARE_ROWS = 4   /* more functions than are used, for a good draw */
};

int
paulimpi__group_init(paulimpi__group *group, const paulimpi__run *run)
{
    int64_t n = run->store->n_qubits;
    size_t n_key = (size_t)run->store->n_words * 2;
    int rc;

    group->most_gates = PAULIMPI__GROUP_GATES;
    rc = paulimpi__env_int64("PAULIMPI_TEST_GROUP_GATES", 1,
                             PAULIMPI__GROUP_GATES, &group->most_gates);
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    group->key =
        paulimpi__alloc(PAULIMPI__GROUP_GATES, n_key * sizeof *group->key);
    group->used = paulimpi__alloc(n_key, sizeof *group->used);
    group->support = paulimpi__alloc_zero(n_key, sizeof *group->support);
    group->hash_of = paulimpi__alloc((size_t)n, 2 * sizeof *group->hash_of);
    group->function =
        paulimpi__alloc(PAULIMPI__GROUP_ROWS, n_key * sizeof *group->function);
    group->split = paulimpi__alloc(PAULIMPI__GROUP_SPLIT_ROWS,
                                   n_key * sizeof *group->split);
    return paulimpi__span_init(&group->span, n, PAULIMPI__GROUP_GATES)
                       != PAULIMPI_SUCCESS
                   || group->key == NULL || group->support == NULL
                   || group->hash_of == NULL || group->function == NULL
                   || group->split == NULL || group->used == NULL
               ? PAULIMPI_ERR_MEMORY
               : PAULIMPI_SUCCESS;
}

void
paulimpi__group_free(paulimpi__group *group)
{
    paulimpi__span_free(&group->span);
    paulimpi__free(group->split);
    paulimpi__free(group->function);
    paulimpi__free(group->hash_of);
    paulimpi__free(group->support);
    paulimpi__free(group->used);
    paulimpi__free(group->key);
    memset(group, 0, sizeof *group);
}

/* A rotation, a channel that multiplies, or a turn, which is a truncation unit
 * of its own. A turn changes weights, so that terms may have to be dropped. */
static int
can_join(const paulimpi__run *run, int64_t i)
{
    const paulimpi__op *op = run->ops[i].op;
    int alone = PAULIMPI__UNIT_FIRST | PAULIMPI__UNIT_LAST;

    return (op->flags & alone) == alone
           && (op->kind == PAULIMPI__OP_SCALE
               || op->kind == PAULIMPI__OP_ROTATION
               || (op->kind == PAULIMPI__OP_TURN
                   && !paulimpi__limits_of(run).has_weights));
}

/* Whether a generator has the letter on each of its qubits that all others
 * have there; then it commutes with them. */
static int
has_letters_in_use(const paulimpi__group *group, const uint64_t *key)
{
    int64_t n_words = group->span.n_words;
    uint64_t other = 0;
    int64_t w;

    for (w = 0; w < n_words; w++) {
        uint64_t x = group->used[w], z = group->used[n_words + w];

        other |= ((x ^ key[w]) | (z ^ key[n_words + w])) & (x | z)
                 & (key[w] | key[n_words + w]);
    }
    return other == 0;
}

/* Whether generator k of the group commutes with those before it. */
static int
commutes(const paulimpi__group *group, int64_t k)
{
    int64_t n_words = group->span.n_words;
    const uint64_t *b = paulimpi__group_key(group, k);
    int64_t i;

    if (!group->has_mixed_letters && has_letters_in_use(group, b)) {
        return 1;
    }
    for (i = 0; i < k; i++) {
        if (paulimpi__anticommute(paulimpi__group_key(group, i), b, n_words)) {
            return 0;
        }
    }
    return 1;
}

int
paulimpi__support_is_met(const uint64_t *support, int64_t n_words,
                         const paulimpi__ready_op *op)
{
    int64_t k;

    for (k = 0; k < op->n_parts; k++) {
        const paulimpi__part *g = &op->parts[k];
        uint64_t x = support[g->word];
        uint64_t z = support[n_words + g->word];

        if (op->op->kind == PAULIMPI__OP_SCALE
                ? ((x | z) >> op->pivot.shift & 1) != 0
                : ((x & g->z) | (z & g->x)) != 0) {
            return 1;
        }
    }
    return 0;
}

void
paulimpi__support_widen(uint64_t *support, int64_t n_words,
                        const paulimpi__ready_op *op)
{
    int64_t k;

    for (k = 0; k < op->n_parts && op->op->kind != PAULIMPI__OP_SCALE; k++) {
        const paulimpi__part *g = &op->parts[k];

        support[g->word] |= g->x;
        support[n_words + g->word] |= g->z;
    }
}

/* What a string was before a turn that has made it what it is; but for its
 * sign. */
static void
turn_back(const paulimpi__ready_op *op, int64_t n_words, uint64_t *key)
{
    uint64_t odd = 0;
    int64_t k;

    for (k = 0; k < op->n_parts; k++) {
        const paulimpi__part *g = &op->parts[k];

        odd ^= (key[g->word] & g->z) ^ (key[n_words + g->word] & g->x);
    }
    for (k = 0; k < op->n_parts && paulimpi__parity(odd); k++) {
        const paulimpi__part *g = &op->parts[k];

        key[g->word] ^= g->x;
        key[n_words + g->word] ^= g->z;
    }
}

/* Write the generator of a rotation as what it is before the turns of the
 * group, which is what the terms in the store are. */
static void
write_key_before(const paulimpi__group *group, const paulimpi__run *run,
                 const paulimpi__ready_op *op, uint64_t *key)
{
    int64_t k;

    paulimpi__write_key(run, op, key);
    for (k = group->n_gates - 1; k >= group->first_turn; k--) {
        const paulimpi__ready_op *turn = &run->ops[group->op[k]];

        if (turn->op->kind == PAULIMPI__OP_TURN
            && turn->op->quarters % 2 == 1) {
            turn_back(turn, group->span.n_words, key);
        }
    }
}

/* Whether the rotations of the group would follow each other with nothing else
 * between them, with one more. */
static int
is_next_rotation(const paulimpi__group *group, const paulimpi__run *run)
{
    const paulimpi__ready_op *last;

    if (group->n_rotations == 0) {
        return 1;
    }
    last = &run->ops[group->op[group->n_gates - 1]];
    return last->op->kind == PAULIMPI__OP_ROTATION;
}

/* Whether the group has functions left with a rotation more, whose key is
 * written at the end of the list. */
static int
has_rank_for(paulimpi__group *group, int64_t most_rank)
{
    const uint64_t *key = paulimpi__group_key(group, group->n_gates);
    int64_t rank =
        group->span.n_rows + paulimpi__span_is_new(&group->span, key);

    int is_mixed = group->is_mixed || !commutes(group, group->n_gates);

    if (rank > most_rank
        || (is_mixed && (rank > MOST_RANK || group->is_plain))) {
        return 0;
    }
    group->is_mixed = is_mixed;
    return 1;
}

/* Try to add operation i to the group. Whether there is room for it. */
static int
add(paulimpi__group *group, const paulimpi__run *run, int64_t i,
    int64_t most_rank)
{
    const paulimpi__ready_op *op = &run->ops[i];
    int64_t n_key = 2 * group->span.n_words;
    int64_t k = group->n_gates;
    uint64_t *key = paulimpi__group_key(group, k);
    int64_t w;

    if (k == group->most_gates) {
        return 0;
    }
    memset(key, 0, (size_t)n_key * sizeof *key);
    if (op->op->kind == PAULIMPI__OP_ROTATION) {
        if (group->is_plain && !is_next_rotation(group, run)) {
            return 0;
        }
        write_key_before(group, run, op, key);
        if (!has_rank_for(group, most_rank)) {
            return 0;
        }
        paulimpi__span_add(&group->span, key);
        group->n_rotations++;
        group->has_mixed_letters |= !has_letters_in_use(group, key);
        for (w = 0; w < n_key; w++) {
            group->used[w] |= key[w];
        }
    } else if (op->op->kind == PAULIMPI__OP_TURN && k < group->first_turn) {
        group->first_turn = k;
    }
    paulimpi__support_widen(group->support, group->span.n_words, op);
    group->op[group->n_gates++] = i;
    return 1;
}

static void
clear(paulimpi__group *group, int64_t first, const uint64_t *support)
{
    size_t n_key = (size_t)group->span.n_words * 2;

    memmove(group->support, support, n_key * sizeof *support);
    group->first = first;
    group->n_gates = 0;
    group->n_rotations = 0;
    group->has_mixed_letters = 0;
    group->is_mixed = 0;
    group->first_turn = PAULIMPI__GROUP_GATES;
    memset(group->used, 0, n_key * sizeof *group->used);
    paulimpi__span_clear(&group->span);
}

void
paulimpi__group_gather(paulimpi__group *group, const paulimpi__run *run,
                       int64_t first, const uint64_t *support,
                       int log2_buckets, int is_plain)
{
    int64_t most_rank = 2 * run->store->n_qubits - log2_buckets - SPARE_ROWS;
    int64_t i;

    clear(group, first, support);
    group->log2_buckets = log2_buckets;
    group->is_plain = is_plain;
    for (i = first; i < run->end && can_join(run, i); i++) {
        if (paulimpi__support_is_met(group->support, group->span.n_words,
                                     &run->ops[i])
            && !add(group, run, i, most_rank)) {
            break;
        }
    }
    group->end = i;
}

void
paulimpi__group_gather_all(paulimpi__group *group, const paulimpi__run *run,
                           int64_t first, const uint64_t *support)
{
    int64_t end = run->end - first < MOST_OPS ? run->end : first + MOST_OPS;
    int64_t n_words = group->span.n_words;
    int64_t i;

    clear(group, first, support);
    group->log2_buckets = 0;
    group->is_mixed = 1;
    for (i = first; i < end && can_join(run, i); i++) {
        const paulimpi__ready_op *op = &run->ops[i];

        if (!paulimpi__support_is_met(group->support, n_words, op)) {
            continue;
        }
        if (group->n_gates == group->most_gates) {
            break;
        }
        group->n_rotations += op->op->kind == PAULIMPI__OP_ROTATION;
        paulimpi__support_widen(group->support, n_words, op);
        group->op[group->n_gates++] = i;
    }
    group->end = i;
}

/* Set bit number `bit` of the hash by a function. */
static void
set_bit(paulimpi__group *group, const uint64_t *function, int bit)
{
    int64_t n_words = group->span.n_words;
    uint32_t mask = ~((uint32_t)1 << bit);
    int64_t q;

    for (q = 0; q < group->span.n_qubits; q++) {
        uint64_t x = function[q / 64] >> q % 64 & 1;
        uint64_t z = function[n_words + q / 64] >> q % 64 & 1;
        uint32_t *hash_of = &group->hash_of[2 * q];

        hash_of[0] = (hash_of[0] & mask) | (uint32_t)x << bit;
        hash_of[1] = (hash_of[1] & mask) | (uint32_t)z << bit;
    }
}

/* The functions of buckets are those that are given, or drawn if that is NULL.
 */
static void
draw_hash(paulimpi__group *group, const paulimpi__store *store,
          const uint64_t *given, uint64_t *draw)
{
    int64_t n_key = 2 * store->n_words;
    int64_t n_rows = group->span.n_rows;
    int bit;

    for (bit = 0; bit < PAULIMPI__GROUP_SPLIT_ROWS; bit++) {
        paulimpi__span_draw(&group->span, (*draw)++,
                            group->split + bit * n_key);
    }
    /* Bits that have named the bucket until now are drawn anew, too, to tell
     * terms of a tile apart. */
    group->n_functions = group->log2_buckets > store->log2_buckets
                             ? group->log2_buckets
                             : store->log2_buckets;
    memcpy(group->hash_of, store->hash_of,
           (size_t)store->n_qubits * 2 * sizeof *group->hash_of);
    for (bit = 0; bit < group->n_functions; bit++) {
        uint64_t *function = group->function + bit * n_key;

        if (bit == group->log2_buckets) {
            group->span.n_rows = 0;
        }
        if (given != NULL && bit < group->log2_buckets) {
            memcpy(function, given + bit * n_key,
                   (size_t)n_key * sizeof *function);
        } else {
            paulimpi__span_draw(&group->span, (*draw)++, function);
        }
        set_bit(group, function, bit);
    }
    group->span.n_rows = n_rows;
}

void
paulimpi__group_draw(paulimpi__group *group, const paulimpi__store *store,
                     uint64_t *draw)
{
    draw_hash(group, store, NULL, draw);
}

void
paulimpi__group_draw_given(paulimpi__group *group,
                           const paulimpi__store *store,
                           const uint64_t *function, int n_functions,
                           uint64_t *draw)
{
    group->log2_buckets = n_functions;
    draw_hash(group, store, function, draw);
}
