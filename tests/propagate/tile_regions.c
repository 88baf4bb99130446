/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tiles of terms of one region: how regions are chosen, and that sums have the
 * same bits with them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "propagate/support.h"
#include "propagate/tile_pass.h"

enum { N_QUBITS = 200, N_WORDS = 4, N_KEY = 2 * N_WORDS, LOG2_BUCKETS = 6 };

/* Rotations of neighbours and single qubits, on all qubits from `first` on. */
static void
add_layer(script *s, int64_t first, const char *single)
{
    int64_t q;

    for (q = first; q + 1 < s->n_qubits; q++) {
        script_two(s, "rzz", q, q + 1, 0.3);
    }
    for (q = first; q < s->n_qubits; q++) {
        script_one(s, single, q, 0.3);
    }
}

/* A store, and a group on it. */
typedef struct {
    paulimpi__store store;
    paulimpi_circuit *circuit;
    paulimpi_truncation truncation;
    paulimpi__run run;
    paulimpi__group group;
    paulimpi__regions regions;
} region_case;

static void
set_letter(uint64_t *key, int64_t q, int is_x, int is_z)
{
    key[q / 64] |= (uint64_t)is_x << q % 64;
    key[N_WORDS + q / 64] |= (uint64_t)is_z << q % 64;
}

/* Begin with terms of up to `length` letters from anywhere on. */
static void
begin_case(region_case *c, const script *s, int64_t n_terms, int64_t length)
{
    uint64_t support[N_KEY];
    dice d = { 7 };
    int64_t i, q;

    memset(c, 0, sizeof *c);
    check(paulimpi__store_init(&c->store, s->n_qubits));
    for (i = 0; i < n_terms; i++) {
        int64_t first = dice_below(&d, s->n_qubits - length);
        uint64_t key[N_KEY] = { 0 };
        double value = 1.0;

        for (q = first; q < first + length; q++) {
            set_letter(key, q, (int)dice_below(&d, 2), (int)dice_below(&d, 2));
        }
        check(paulimpi__store_add(&c->store, 1, key, key + N_WORDS, &value));
    }
    c->circuit = make_circuit(s);
    c->truncation = (paulimpi_truncation)PAULIMPI_TRUNCATION_INIT;
    c->run = (paulimpi__run){ .store = &c->store,
                              .circuit = c->circuit,
                              .truncation = &c->truncation,
                              .is_schroedinger = 1,
                              .n_threads = 1 };
    check(paulimpi__run_prepare(&c->run));
    check(paulimpi__group_init(&c->group, &c->run));
    check(paulimpi__regions_init(&c->regions, &c->store));
    memset(support, 0xff, sizeof support);
    paulimpi__group_gather(&c->group, &c->run, 0, support, LOG2_BUCKETS, 0);
    paulimpi__regions_choose(&c->regions, &c->store, &c->group, LOG2_BUCKETS);
}

static void
end_case(region_case *c)
{
    paulimpi__regions_free(&c->regions);
    paulimpi__group_free(&c->group);
    paulimpi__run_free(&c->run);
    paulimpi_circuit_destroy(&c->circuit);
    paulimpi__store_free(&c->store);
}

static void
test_choice(const char *what, script *s, int64_t n_terms, int64_t length,
            int want)
{
    region_case c;

    begin_case(&c, s, n_terms, length);
    tap_is_int(c.regions.log2_next, want, "regions, as a power of 2: %s",
               what);
    end_case(&c);
    script_destroy(s);
}

static script *
one_layer(void)
{
    script *s = script_create(N_QUBITS);

    add_layer(s, 0, "rx");
    return s;
}

static script *
narrow_layer(void)
{
    script *s = script_create(100);

    add_layer(s, 0, "rx");
    return s;
}

/* Gates with both kinds of letters on every qubit change all bits. */
static script *
mixed_layer(void)
{
    script *s = script_create(N_QUBITS);
    int64_t q;

    for (q = 0; q + 1 < N_QUBITS; q += 2) {
        script_two(s, "rxx", q, q + 1, 0.3);
        script_two(s, "rzz", q, q + 1, 0.3);
    }
    return s;
}

static script *
short_layer(void)
{
    script *s = script_create(N_QUBITS);

    add_layer(s, N_QUBITS - 8, "rx");
    return s;
}

static script *
layer_with_turn(void)
{
    script *s = script_create(N_QUBITS);

    script_one(s, "s", 5, 0);
    add_layer(s, 0, "rx");
    return s;
}

static void
test_choices(void)
{
    test_choice("short terms", one_layer(), 3000, 6, 4);
    test_choice("terms half as long as the chain", one_layer(), 3000, 100, 0);
    test_choice("no terms", one_layer(), 0, 6, 0);
    test_choice("fewer qubits", narrow_layer(), 3000, 6, 4);
    test_choice("gates that change all bits", mixed_layer(), 3000, 6, 0);
    test_choice("few gates", short_layer(), 3000, 6, 0);
    test_choice("a turn", layer_with_turn(), 3000, 6, 0);
}

/* The region of a term is that of its products with generators, whatever the
 * support says beyond its letters. */
static void
test_partners(void)
{
    uint64_t row[2][N_KEY], support[N_KEY] = { 0 };
    uint32_t next_hash[2] = { 3, 6 }, to[2], all[2];
    int64_t word[N_WORDS], column[N_WORDS];
    paulimpi__tile_plan plan = { .n_store_words = N_WORDS,
                                 .n_words = N_WORDS,
                                 .word = word,
                                 .column = column };
    paulimpi__tile tile = { .n = 2, .key = row[0], .next_hash = next_hash };
    script *s = one_layer();
    int are_together = 1;
    uint32_t seen = 0;
    region_case c;
    dice d = { 3 };
    int64_t i, k, w;

    begin_case(&c, s, 3000, 6);
    for (w = 0; w < N_WORDS; w++) {
        word[w] = w;
        column[w] = w;
    }
    for (i = 0; i < 500; i++) {
        const uint64_t *generator =
            paulimpi__group_key(&c.group, dice_below(&d, c.group.n_gates));
        int64_t q = dice_below(&d, N_QUBITS - 2);

        memset(row, 0, sizeof row);
        memset(support, 0, sizeof support);
        for (k = 0; k < 3; k++) {
            set_letter(row[0], q + k, (int)dice_below(&d, 2),
                       (int)dice_below(&d, 2));
        }
        for (w = 0; w < N_KEY; w++) {
            row[1][w] = row[0][w] ^ generator[w];
            support[w] = row[0][w] | generator[w];
        }
        paulimpi__regions_find(&c.regions, &plan, &tile, support, 2, to);
        paulimpi__regions_find(&c.regions, &plan, &tile, NULL, 2, all);
        are_together &= to[0] >> 2 == to[1] >> 2 && to[0] == all[0]
                        && to[1] == all[1] && (to[0] & 3) == 3
                        && (to[1] & 3) == 2;
        seen |= (uint32_t)1 << (to[0] >> 2);
    }
    tap_ok(are_together, "partners are in one region, by their hash");
    tap_ok(seen == 0xffff, "each of the 16 regions has terms");
    end_case(&c);
    script_destroy(s);
}

/* Gates that can act on a tile are those that anticommute with a letter that
 * may be there; then their letters may be there. */
static void
test_touch(void)
{
    uint64_t support[N_KEY] = { 0 };
    int64_t column[N_WORDS] = { 0, 1, 2, 3 };
    paulimpi__tile_plan plan = { .n_store_words = N_WORDS,
                                 .n_words = N_WORDS,
                                 .column = column };
    paulimpi__tile tile = { .support = support };
    paulimpi__tile_gate gate = { 0 };
    script *s = script_create(N_QUBITS);
    region_case c;
    int acts[5];
    int i;

    script_two(s, "rzz", 63, 64, 0.3);
    script_two(s, "rxx", 130, 131, 0.3);
    script_one(s, "rx", 63, 0.3);
    script_one(s, "rz", 64, 0.3);
    script_one(s, "depolarizing", 150, 0.1);
    begin_case(&c, s, 0, 1);
    set_letter(support, 64, 1, 0);
    for (i = 0; i < 5; i++) {
        gate.op = &c.run.ops[i];
        acts[i] = paulimpi__regions_touch(&plan, &gate, &tile);
    }
    tap_ok(acts[0] && !acts[1] && acts[2] && acts[3] && acts[4],
           "gates that anticommute with a letter act, and channels");
    tap_ok(support[0] == UINT64_C(1) << 63 && support[1] == 1
               && support[N_WORDS] == UINT64_C(1) << 63
               && support[N_WORDS + 1] == 1
               && (support[2] | support[N_WORDS + 2]) == 0,
           "what acts leaves its letters");
    end_case(&c);
    script_destroy(s);
}

/* Whole propagations. */

static int
stop_after(const paulimpi_propagation_progress *progress, void *data)
{
    const int64_t *n = data;

    return progress->gates_done >= *n;
}

/* What a run leaves, by one engine, without memory from an allocation on. */
typedef struct {
    paulimpi_sum *sum;
    paulimpi_propagation_report report;
    int rc;
} result;

static result
run_by(int engine, int threads, const script *s,
       const paulimpi_propagation_options *given, int64_t fail_at)
{
    paulimpi_propagation_options options = *given;
    paulimpi_context *ctx = make_context(threads);
    paulimpi_circuit *circuit = make_circuit(s);
    result r = { NULL, PAULIMPI_PROPAGATION_REPORT_INIT, 0 };

    r.sum = make_letters(ctx, s->n_qubits, 'Z');
    options.engine = engine;
    paulimpi__alloc_fail_at(fail_at);
    r.rc = paulimpi_propagate(r.sum, circuit, &options, &r.report);
    paulimpi__alloc_fail_at(0);
    paulimpi_circuit_destroy(&circuit);
    paulimpi_context_destroy(&ctx);
    return r;
}

static int
same_report(const paulimpi_propagation_report *a,
            const paulimpi_propagation_report *b)
{
    return a->gates == b->gates && a->terms == b->terms
           && a->peak_terms == b->peak_terms && a->term_gates == b->term_gates
           && a->active_gates == b->active_gates
           && a->dropped_norm1 == b->dropped_norm1
           && a->dropped_norm2 == b->dropped_norm2;
}

static void
test_same(const char *what, script *s,
          const paulimpi_propagation_options *options)
{
    result want = run_by(PAULIMPI_ENGINE_IN_PLACE, 1, s, options, 0);
    int threads;

    for (threads = 1; threads <= 2; threads++) {
        result got = run_by(PAULIMPI_ENGINE_TILE, threads, s, options, 0);

        tap_ok(want.rc == 0 && got.rc == 0 && same_bits(want.sum, got.sum)
                   && same_report(&want.report, &got.report),
               "%s, %d threads: %d terms, the same bits", what, threads,
               (int)got.report.terms);
        paulimpi_sum_destroy(&got.sum);
    }
    paulimpi_sum_destroy(&want.sum);
    script_destroy(s);
}

static script *
layers(int n)
{
    script *s = script_create(N_QUBITS);

    while (n-- > 0) {
        add_layer(s, 0, "rx");
    }
    return s;
}

/* Noise in each layer, then what goes in place, then layers again. */
static script *
all_kinds(void)
{
    script *s = layers(1);
    int64_t q;

    for (q = 0; q < N_QUBITS; q += 3) {
        script_one(s, "depolarizing", q, 0.01);
    }
    add_layer(s, 0, "rx");
    script_one(s, "amplitude_damping", 90, 0.1);
    add_layer(s, 20, "rx");
    add_layer(s, 0, "ry");
    script_two(s, "cx", 70, 10, 0);
    add_layer(s, 0, "rx");
    return s;
}

static void
test_runs(void)
{
    paulimpi_propagation_options options = options_eps(3e-4);

    test_same("a chain", layers(4), &options);
    test_same("all kinds of gates", all_kinds(), &options);
    options.truncation.max_weight = 4;
    test_same("with a limit of weight", layers(3), &options);
    setenv("PAULIMPI_TEST_GROUP_GATES", "50", 1);
    test_same("short groups", layers(3), &options);
    unsetenv("PAULIMPI_TEST_GROUP_GATES");
}

/* A run that is stopped leaves a sum like any other. */
static void
test_stop(void)
{
    paulimpi_propagation_options options = options_eps(3e-4);
    script *s = layers(3);
    int is_right = 1;
    int64_t n, i;

    options.progress = stop_after;
    options.progress_data = &n;
    for (n = 300; n < s->n_gates; n += 250) {
        result got = run_by(PAULIMPI_ENGINE_TILE, 1, s, &options, 0);
        script *part = script_create(N_QUBITS);
        paulimpi_propagation_options none = options_eps(3e-4);
        term_list list = terms_of(got.sum);
        result want;

        /* The circuit acts from its end. */
        script_append(part, s, s->n_gates - got.report.gates,
                      got.report.gates);
        want = run_by(PAULIMPI_ENGINE_IN_PLACE, 1, part, &none, 0);
        is_right &=
            got.rc == PAULIMPI_ERR_CANCELLED && same_bits(want.sum, got.sum);
        for (i = 0; i < list.n; i += 7) {
            is_right &= coefficient_of(got.sum, term_label(&list, N_QUBITS, i))
                        == list.coefficient[i];
        }
        term_list_free(&list);
        paulimpi_sum_destroy(&want.sum);
        paulimpi_sum_destroy(&got.sum);
        script_destroy(part);
    }
    tap_ok(is_right, "terms of a sum are found after a run was stopped");
    script_destroy(s);
}

/* Where memory is missing, the run goes on in place, or ends. */
static void
test_memory(void)
{
    paulimpi_propagation_options options = options_eps(1e-3);
    script *s = layers(2);
    result want = run_by(PAULIMPI_ENGINE_IN_PLACE, 1, s, &options, 0);
    int is_right = want.rc == 0;
    int n_failed = 0;
    int64_t n;

    for (n = 1; n < 400; n += 11) {
        result got = run_by(PAULIMPI_ENGINE_TILE, 1, s, &options, n);

        is_right &= got.rc == PAULIMPI_ERR_MEMORY
                    || (got.rc == 0 && same_bits(want.sum, got.sum));
        n_failed += got.rc != 0;
        paulimpi_sum_destroy(&got.sum);
    }
    for (n = 1; n <= 8; n++) {
        result got;

        options.memory_limit = n * want.report.peak_bytes / 4;
        got = run_by(PAULIMPI_ENGINE_TILE, 1, s, &options, 0);
        is_right &= got.rc == PAULIMPI_ERR_MEMORY
                    || (got.rc == 0 && same_bits(want.sum, got.sum));
        n_failed += got.rc != 0;
        paulimpi_sum_destroy(&got.sum);
    }
    tap_ok(is_right, "without memory: an error (%d), or the same bits",
           n_failed);
    paulimpi_sum_destroy(&want.sum);
    script_destroy(s);
}

int
main(void)
{
    test_choices();
    test_partners();
    test_touch();
    setenv("PAULIMPI_TEST_TILE_TERMS", "64", 1);
    test_runs();
    test_stop();
    test_memory();
    return tap_done();
}
