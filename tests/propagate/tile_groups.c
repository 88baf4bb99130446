/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Groups of gates for tiles: what joins them, and the functions that vanish on
 * them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "propagate/group.h"
#include "propagate/support.h"

enum { MOST_WORDS = 5, MOST_RANK = 12 };

static int
product(const uint64_t *a, const uint64_t *b, int64_t n)
{
    uint64_t odd = 0;
    int64_t w;

    for (w = 0; w < n; w++) {
        odd ^= a[w] & b[w];
    }
    return paulimpi__parity(odd);
}

/* A run of a script, ready for groups. */
typedef struct {
    paulimpi__store store;
    paulimpi_circuit *circuit;
    paulimpi_truncation truncation;
    paulimpi__run run;
    paulimpi__group group;
} group_case;

static void
begin_group(group_case *c, const script *s)
{
    memset(c, 0, sizeof *c);
    check(paulimpi__store_init(&c->store, s->n_qubits));
    c->circuit = make_circuit(s);
    c->truncation = (paulimpi_truncation)PAULIMPI_TRUNCATION_INIT;
    c->run = (paulimpi__run){ .store = &c->store,
                              .circuit = c->circuit,
                              .truncation = &c->truncation,
                              .is_schroedinger = 1,
                              .n_threads = 1 };
    check(paulimpi__run_prepare(&c->run));
    check(paulimpi__group_init(&c->group, &c->run));
}

static void
end_group(group_case *c)
{
    paulimpi__group_free(&c->group);
    paulimpi__run_free(&c->run);
    paulimpi_circuit_destroy(&c->circuit);
    paulimpi__store_free(&c->store);
}

/* The key of a label. */
static void
key_of(const char *label, int64_t n_words, uint64_t *key)
{
    int64_t q;

    memset(key, 0, (size_t)n_words * 2 * sizeof *key);
    for (q = 0; label[q] != '\0'; q++) {
        key[q / 64] |= (uint64_t)(label[q] == 'X' || label[q] == 'Y')
                       << q % 64;
        key[n_words + q / 64] |= (uint64_t)(label[q] == 'Z' || label[q] == 'Y')
                                 << q % 64;
    }
}

/* Whether two strings have an odd number of letters that anticommute. */
static int
anticommute(const uint64_t *a, const uint64_t *b, int64_t n_words)
{
    return product(a, b + n_words, n_words) ^ product(a + n_words, b, n_words);
}

/* Whether a rotation about g can change any string within a support: if there
 * is a letter that anticommutes with it. */
static int
can_act(const uint64_t *g, const uint64_t *support, int64_t n_words)
{
    int64_t w;

    for (w = 0; w < n_words; w++) {
        if ((g[w] & support[n_words + w]) != 0
            || (g[n_words + w] & support[w]) != 0) {
            return 1;
        }
    }
    return 0;
}

/* The rank of the first n generators of a group, the slow way. */
static int64_t
rank_of(const paulimpi__group *group, int64_t n)
{
    paulimpi__span span;
    int64_t rank, k;

    check(paulimpi__span_init(&span, group->span.n_qubits, n + 1));
    for (k = 0; k < n; k++) {
        paulimpi__span_add(&span, paulimpi__group_key(group, k));
    }
    rank = span.n_rows;
    paulimpi__span_free(&span);
    return rank;
}

static int
all_commute(const paulimpi__group *group)
{
    int64_t i, k;

    for (i = 0; i < group->n_gates; i++) {
        for (k = 0; k < i; k++) {
            if (anticommute(paulimpi__group_key(group, i),
                            paulimpi__group_key(group, k),
                            group->span.n_words)) {
                return 0;
            }
        }
    }
    return 1;
}

/* What a string was before the quarter turns among the first k gates of a
 * group. Those that were passed over have changed nothing. */
static void
take_back(const group_case *c, const script *s, int64_t k, uint64_t *key)
{
    int64_t n_words = c->store.n_words;
    uint64_t g[2 * MOST_WORDS];
    int64_t w;

    while (k-- > 0) {
        int64_t i = c->group.op[k];
        const paulimpi__op *op = c->run.ops[i].op;
        int odd;

        key_of(s->gate[i].label, n_words, g);
        odd = op->kind == PAULIMPI__OP_TURN && op->quarters % 2 == 1
              && anticommute(key, g, n_words);
        for (w = 0; w < 2 * n_words && odd; w++) {
            key[w] ^= g[w];
        }
    }
}

/* Whether a group of rotations and turns of a script holds those of its
 * operations that can act, with the generators of rotations as they were before
 * the turns; and brings the support up to date. */
static int
holds_what_acts(const group_case *c, const script *s, uint64_t *support)
{
    const paulimpi__group *group = &c->group;
    int64_t n_words = c->store.n_words;
    size_t key_bytes = (size_t)n_words * 2 * sizeof(uint64_t);
    uint64_t key[2 * MOST_WORDS];
    int64_t n_turns = 0;
    int64_t k = 0;
    int64_t i, w;

    for (i = group->first; i < group->end; i++) {
        key_of(s->gate[i].label, n_words, key);
        if (!can_act(key, support, n_words)) {
            continue;
        }
        for (w = 0; w < 2 * n_words; w++) {
            support[w] |= key[w];
        }
        if (c->run.ops[i].op->kind == PAULIMPI__OP_TURN) {
            memset(key, 0, sizeof key);
            n_turns++;
        } else {
            take_back(c, s, k, key);
        }
        if (k == group->n_gates || group->op[k] != i
            || memcmp(paulimpi__group_key(group, k), key, key_bytes) != 0) {
            return 0;
        }
        k++;
    }
    return k == group->n_gates && group->n_rotations == k - n_turns
           && memcmp(support, group->support, key_bytes) == 0;
}

/* Whether the hash of a group has its low bits 0 on all generators, its other
 * bits are those of the store but for the functions, and every function and
 * split vanishes. */
static int
vanishes(group_case *c)
{
    const paulimpi__group *group = &c->group;
    int64_t n = 2 * c->store.n_words;
    size_t bytes = (size_t)c->store.n_qubits * 2 * sizeof *c->store.hash_of;
    uint32_t low = ((uint32_t)1 << group->log2_buckets) - 1;
    uint32_t drawn = ((uint32_t)1 << group->n_functions) - 1;
    int is_right = 1;
    int64_t k, q;
    int f;

    for (q = 0; q < 2 * c->store.n_qubits; q++) {
        is_right &= ((group->hash_of[q] ^ c->store.hash_of[q]) & ~drawn) == 0;
    }
    memcpy(c->store.hash_of, group->hash_of, bytes);
    for (k = 0; k < group->n_gates; k++) {
        const uint64_t *key = paulimpi__group_key(group, k);
        uint32_t hash =
            paulimpi__store_hash(&c->store, key, key + c->store.n_words);

        is_right &= (hash & low) == 0;
        for (f = 0; f < group->n_functions; f++) {
            is_right &= product(group->function + f * n, key, n)
                        == (int)(hash >> f & 1);
        }
        for (f = 0; f < PAULIMPI__GROUP_SPLITS; f++) {
            is_right &= !product(group->split + f * n, key, n);
        }
    }
    return is_right;
}

/* Cut a script of rotations into groups; the sum has letters on the first
 * n_support qubits before. */
static void
test_groups(const char *what, const script *s, int64_t n_support,
            int log2_buckets, int want_commuting)
{
    group_case c;
    uint64_t support[2 * MOST_WORDS] = { 0 };
    uint64_t draw = 0;
    int64_t first = 0;
    int64_t n_groups = 0;
    int is_right = 1;
    int64_t q;

    begin_group(&c, s);
    for (q = 0; q < n_support; q++) {
        support[q / 64] |= (uint64_t)1 << q % 64;
        support[c.store.n_words + q / 64] |= (uint64_t)1 << q % 64;
    }
    while (first < c.run.n_ops && is_right) {
        int64_t rank;

        paulimpi__group_gather(&c.group, &c.run, first, support, log2_buckets,
                               0);
        rank = rank_of(&c.group, c.group.n_gates);
        paulimpi__group_draw(&c.group, &c.store, &draw);
        is_right = c.group.first == first && c.group.end > first
                   && c.group.n_gates <= c.group.most_gates
                   && rank + log2_buckets <= 2 * s->n_qubits
                   && (rank <= MOST_RANK || all_commute(&c.group))
                   && (!want_commuting || all_commute(&c.group))
                   && holds_what_acts(&c, s, support) && vanishes(&c);
        first = c.group.end;
        n_groups++;
    }
    tap_ok(is_right, "%d qubits, %d in use, 2^%d buckets, %s: %d groups",
           (int)s->n_qubits, (int)n_support, log2_buckets, what,
           (int)n_groups);
    end_group(&c);
}

enum { LABEL_COMMUTING, LABEL_FEW, LABEL_SHORT, LABEL_TURNS, LABEL_LONG };

/* Random rotations on qubits 0 to span - 1. */
static script *
draw_rotations(int kind, int64_t n_qubits, int64_t span, int64_t n_gates)
{
    dice d = { (uint64_t)(n_qubits + kind) };
    script *s = script_create(n_qubits);
    char *basis = dice_label(&d, span, span);
    int64_t i, q;

    for (i = 0; i < n_gates; i++) {
        int64_t weight = kind == LABEL_LONG ? span : 1 + dice_below(&d, 3);
        char *part = dice_label(&d, span, weight);
        char *label = dice_label(&d, n_qubits, 0);
        double angle = 0.3;

        for (q = 0; q < span; q++) {
            label[q] =
                kind == LABEL_COMMUTING && part[q] != 'I' ? basis[q] : part[q];
        }
        if (kind == LABEL_TURNS && i % 3 != 0) {
            angle = (double)(1 + dice_below(&d, 3)) * acos(0);
        }
        script_rotation(
            s, kind == LABEL_FEW && i >= 5 ? s->gate[i % 5].label : label,
            angle);
        free(part);
        free(label);
    }
    free(basis);
    return s;
}

static void
test_kinds_of_groups(int64_t n, int64_t n_support, int log2_buckets)
{
    static const char *const what[] = { "gates that commute", "few strings",
                                        "short strings",
                                        "short strings and turns",
                                        "long strings" };
    int kind;

    for (kind = LABEL_COMMUTING; kind <= LABEL_LONG; kind++) {
        script *s = draw_rotations(kind, n, n, 500);

        test_groups(what[kind], s, n_support, log2_buckets,
                    kind == LABEL_COMMUTING);
        script_destroy(s);
    }
}

static void
test_turns_and_weights(void)
{
    script *s = script_create(20);
    group_case c;
    uint64_t support[2] = { 1, 1 };

    script_one(s, "rx", 0, 0.3);
    script_one(s, "s", 0, 0);
    script_one(s, "rx", 0, 0.3);
    begin_group(&c, s);
    c.truncation.max_weight = 3;
    paulimpi__group_gather(&c.group, &c.run, 0, support, 2, 0);
    tap_is_int(c.group.end, 1, "turns end a group if weights are limited");
    end_group(&c);
    script_destroy(s);
}

/* How far a group of a script goes from its first operation; all qubits are in
 * use but the last one. */
static void
check_end(const char *what, script *s, int64_t want_gates, int64_t want_end)
{
    group_case c;
    uint64_t support[2 * MOST_WORDS];

    memset(support, 0xff, sizeof support);
    begin_group(&c, s);
    support[0] = support[1] = ((uint64_t)1 << (s->n_qubits - 1)) - 1;
    paulimpi__group_gather(&c.group, &c.run, 0, support, 2, 0);
    tap_ok(c.group.n_gates == want_gates && c.group.end == want_end,
           "%s: %d gates up to operation %d", what, (int)c.group.n_gates,
           (int)c.group.end);
    end_group(&c);
    script_destroy(s);
}

/* The same for a plain group. */
static void
check_plain_end(const char *what, script *s, int64_t want_end)
{
    group_case c;
    uint64_t support[2 * MOST_WORDS];

    memset(support, 0xff, sizeof support);
    begin_group(&c, s);
    paulimpi__group_gather(&c.group, &c.run, 0, support, 2, 1);
    tap_is_int(c.group.end, want_end, "a plain group: %s", what);
    end_group(&c);
    script_destroy(s);
}

static script *
three_rotations(void)
{
    script *s = script_create(20);

    script_one(s, "rx", 0, 0.3);
    script_one(s, "ry", 1, 0.3);
    script_one(s, "rz", 2, 0.3);
    return s;
}

static void
test_ends(void)
{
    script *s = three_rotations();

    check_end("the end of the circuit", s, 3, 3);
    s = three_rotations();
    script_one(s, "depolarizing", 3, 0.1);
    script_one(s, "rx", 0, 0.3);
    check_end("a channel that multiplies goes along", s, 5, 5);
    s = three_rotations();
    script_one(s, "depolarizing", 19, 0.1);
    script_one(s, "rx", 19, 0.3);
    check_end("where the sum has no letter, nothing acts", s, 3, 5);
    s = three_rotations();
    script_one(s, "s", 0, 0);
    script_one(s, "x", 0, 0);
    script_one(s, "rx", 0, 0.3);
    check_end("turns go along", s, 6, 6);
    s = three_rotations();
    script_one(s, "h", 0, 0);
    script_one(s, "rx", 0, 0.3);
    check_end("a gate of several turns ends the group", s, 3, 3);
    s = three_rotations();
    script_one(s, "t", 0, 0);
    check_end("a T gate is a rotation", s, 4, 4);
    s = three_rotations();
    script_one(s, "amplitude_damping", 0, 0.1);
    check_end("another map ends the group", s, 3, 3);
    s = three_rotations();
    script_mark(s, "group_begin");
    script_one(s, "rx", 0, 0.3);
    script_one(s, "rx", 1, 0.3);
    script_mark(s, "group_end");
    check_end("a truncation group ends the group", s, 3, 3);
    s = three_rotations();
    script_mark(s, "barrier");
    script_rotation(s, "IIIIIIIIIIIIIIIIIIII", 0.3);
    script_one(s, "rx", 0, 0.3);
    check_end("the identity is passed over", s, 4, 5);
}

static void
test_plain_ends(void)
{
    script *s = three_rotations();

    script_one(s, "rx", 0, 0.3);
    check_plain_end("the same rotation again", s, 4);
    s = three_rotations();
    script_one(s, "ry", 0, 0.3);
    check_plain_end("ends at a rotation that does not commute", s, 3);
    s = three_rotations();
    script_one(s, "s", 0, 0);
    script_one(s, "depolarizing", 3, 0.1);
    script_one(s, "rx", 5, 0.3);
    check_plain_end("ends at a rotation behind other gates", s, 5);
    s = script_create(20);
    script_one(s, "s", 0, 0);
    script_one(s, "depolarizing", 3, 0.1);
    script_one(s, "rx", 5, 0.3);
    check_plain_end("other gates come first", s, 3);
}

static void
test_group_environment(void)
{
    static const char *const wrong[] = { "0", "1000000", "many" };
    script *s = draw_rotations(LABEL_COMMUTING, 40, 40, 100);
    group_case c;
    size_t i;

    setenv("PAULIMPI_TEST_GROUP_GATES", "7", 1);
    begin_group(&c, s);
    tap_is_int(c.group.most_gates, 7, "a group can be asked to be small");
    end_group(&c);
    test_groups("up to 7 gates", s, 40, 3, 1);
    for (i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        paulimpi__group group = { 0 };

        setenv("PAULIMPI_TEST_GROUP_GATES", wrong[i], 1);
        tap_is_status(paulimpi__group_init(&group, &c.run),
                      PAULIMPI_ERR_ARGUMENT, "but not to be of %s gates",
                      wrong[i]);
        paulimpi__group_free(&group);
    }
    unsetenv("PAULIMPI_TEST_GROUP_GATES");
    script_destroy(s);
}

static void
test_group_without_memory(void)
{
    script *s = three_rotations();
    group_case c;
    int n_wrong = 0;
    int64_t n;
    int rc;

    begin_group(&c, s);
    for (n = 1; n < 100; n++) {
        paulimpi__group group = { 0 };

        paulimpi__alloc_fail_at(n);
        rc = paulimpi__group_init(&group, &c.run);
        paulimpi__group_free(&group);
        if (rc == PAULIMPI_SUCCESS) {
            break;
        }
        n_wrong += rc != PAULIMPI_ERR_MEMORY;
    }
    paulimpi__alloc_fail_at(0);
    tap_ok(n > 5 && n < 100 && n_wrong == 0,
           "wherever memory runs out for a group: a code");
    end_group(&c);
    script_destroy(s);
}

int
main(void)
{
    static const int64_t sizes[] = { 20, 64, 65, 127, 300 };
    size_t i;

    test_kinds_of_groups(6, 6, 2);
    for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        test_kinds_of_groups(sizes[i], 5, (int)i);
        test_kinds_of_groups(sizes[i], sizes[i], 3 * (int)i);
    }
    test_ends();
    test_plain_ends();
    test_turns_and_weights();
    test_group_environment();
    test_group_without_memory();
    return tap_done();
}
