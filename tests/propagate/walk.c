/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every function that allocates, with every one of its allocations failing in
 * turn: a code, no handle, and the objects as they were.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "propagate/support.h"

enum { N = 70, TERMS = 100, GATES = 24 };

static const char file_name[] = "walk.tmp";

/* What the functions work on, made anew for every failure. */
typedef struct {
    paulimpi_sum *sum;
    paulimpi_sum *other;
    paulimpi_circuit *circuit;
    paulimpi_pauli *pauli;
    /* Whatever a function makes, of which a failure must leave NULL. */
    paulimpi_sum *new_sum;
    paulimpi_circuit *new_circuit;
    paulimpi_pauli *new_pauli;
    paulimpi_context *new_ctx;
    char *text;
    paulimpi_propagation_report report;
} bench;

static paulimpi_context *ctx;
static script *gates; /* of the circuit */

static void
set_up(bench *b)
{
    dice d = { 41 };

    memset(b, 0, sizeof *b);
    b->sum = make_random_sum(ctx, N, TERMS, 60, 10, 10, &d, NULL);
    b->other = make_random_sum(ctx, N, TERMS, 60, 10, 10, &d, NULL);
    b->circuit = make_circuit(gates);
    check(paulimpi_pauli_create(N, "X0 Y69", &b->pauli));
    b->report = (paulimpi_propagation_report)PAULIMPI_PROPAGATION_REPORT_INIT;
}

static void
tear_down(bench *b)
{
    paulimpi_sum_destroy(&b->sum);
    paulimpi_sum_destroy(&b->other);
    paulimpi_sum_destroy(&b->new_sum);
    paulimpi_circuit_destroy(&b->circuit);
    paulimpi_circuit_destroy(&b->new_circuit);
    paulimpi_pauli_destroy(&b->pauli);
    paulimpi_pauli_destroy(&b->new_pauli);
    paulimpi_context_destroy(&b->new_ctx);
    paulimpi_text_destroy(&b->text);
}

/* The functions. */

static int
context_create_serial(bench *b)
{
    return paulimpi_context_create_serial(NULL, &b->new_ctx);
}

static int
pauli_create(bench *b)
{
    return paulimpi_pauli_create(N, "X0 Z64", &b->new_pauli);
}

static int
pauli_create_bits(bench *b)
{
    static const uint64_t x[2] = { 5, 1 };
    static const uint64_t z[2] = { 1, 2 };

    return paulimpi_pauli_create_bits(N, x, z, &b->new_pauli);
}

static int
pauli_label(bench *b)
{
    return paulimpi_pauli_label(b->pauli, PAULIMPI_LABEL_DENSE, &b->text);
}

static int
pauli_multiply(bench *b)
{
    int phase;

    return paulimpi_pauli_multiply(b->pauli, b->pauli, &b->new_pauli, &phase);
}

static int
sum_create(bench *b)
{
    return paulimpi_sum_create(ctx, N, &b->new_sum);
}

static int
sum_copy(bench *b)
{
    return paulimpi_sum_copy(b->sum, &b->new_sum);
}

static int
sum_add_text(bench *b)
{
    return paulimpi_sum_add_text(b->sum, "X0 + 2 Z69 - 0.5 Y1 Y2 + 3", 0.5);
}

static int
sum_add_pauli(bench *b)
{
    return paulimpi_sum_add_pauli(b->sum, b->pauli, 0.5);
}

static int
sum_add(bench *b)
{
    return paulimpi_sum_add(b->sum, b->other, 0.5);
}

static int
sum_add_itself(bench *b)
{
    return paulimpi_sum_add(b->sum, b->sum, 0.5);
}

static int
sum_add_terms(bench *b)
{
    static uint64_t x[1000];
    static uint64_t z[1000];
    static double coefficient[500];
    int i;

    for (i = 0; i < 500; i++) {
        x[2 * i] = (uint64_t)i;
        z[2 * i + 1] = (uint64_t)i % 64;
        coefficient[i] = i + 1;
    }
    return paulimpi_sum_add_terms(b->sum, 500, x, z, coefficient);
}

static int
sum_truncate(bench *b)
{
    paulimpi_truncation t = PAULIMPI_TRUNCATION_INIT;

    t.min_abs = 0.1;
    t.max_weight = 9;
    t.max_terms = 100;
    return paulimpi_sum_truncate(b->sum, &t);
}

static int
sum_coefficient(bench *b)
{
    double value;

    return paulimpi_sum_coefficient(b->sum, "X60 Z61", &value);
}

static int
sum_get_terms(bench *b)
{
    static uint64_t x[2 * TERMS];
    static uint64_t z[2 * TERMS];
    static double coefficient[TERMS];

    return paulimpi_sum_get_terms(b->sum, TERMS, x, z, coefficient);
}

static int
sum_expectation_product(bench *b)
{
    double value;

    return paulimpi_sum_expectation_product(b->sum, "+", &value);
}

static int
sum_overlap(bench *b)
{
    double value;

    return paulimpi_sum_overlap(b->sum, b->other, &value);
}

static int
sum_weight_histogram(bench *b)
{
    int64_t count[N + 1];
    double square[N + 1];

    return paulimpi_sum_weight_histogram(b->sum, N + 1, count, square);
}

static int
sum_text(bench *b)
{
    return paulimpi_sum_text(b->sum, &b->text);
}

static int
sum_write(bench *b)
{
    return paulimpi_sum_write(b->sum, file_name);
}

static int
sum_read(bench *b)
{
    return paulimpi_sum_read(b->sum, file_name);
}

static int
circuit_create(bench *b)
{
    return paulimpi_circuit_create(N, &b->new_circuit);
}

static int
circuit_copy(bench *b)
{
    return paulimpi_circuit_copy(b->circuit, &b->new_circuit);
}

static int
circuit_append(bench *b)
{
    return paulimpi_circuit_append(b->circuit, b->circuit);
}

static int
circuit_rotation(bench *b)
{
    return paulimpi_circuit_rotation(b->circuit, "X0 Y3 Z69", 0.3);
}

static int
circuit_kicked_ising(bench *b)
{
    static const int64_t edges[4] = { 0, 1, 68, 69 };

    return paulimpi_circuit_kicked_ising(b->circuit, 2, edges, 3, 0.1, 0.2);
}

static int
circuit_trotter(bench *b)
{
    return paulimpi_circuit_trotter(b->circuit, b->other, 0.1, 2, 2);
}

/* Enough gates to make the arrays of a circuit grow; all of them or none. */
static int
circuit_gates(bench *b)
{
    paulimpi_circuit *c;
    int rc = PAULIMPI_SUCCESS;
    int64_t i;

    rc = paulimpi_circuit_create(N, &c);
    for (i = 0; i < 60 && rc == PAULIMPI_SUCCESS; i += 5) {
        rc = paulimpi_circuit_u3(c, i, 0.1, 0.2, 0.3);
        rc = rc == 0 ? paulimpi_circuit_cx(c, i, i + 1) : rc;
        rc = rc == 0 ? paulimpi_circuit_amplitude_damping(c, i, 0.1) : rc;
        rc = rc == 0 ? paulimpi_circuit_rzz(c, i, 68, 0.1) : rc;
        rc = rc == 0 ? paulimpi_circuit_depolarizing(c, i, 0.1) : rc;
        rc = rc == 0 ? paulimpi_circuit_barrier(c) : rc;
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_circuit_append(b->circuit, c);
    }
    paulimpi_circuit_destroy(&c);
    return rc;
}

/* A failing gate leaves those before it and is not there itself. */
static int
circuit_last_gate(bench *b)
{
    return paulimpi_circuit_u3(b->circuit, 1, 0.1, 0.2, 0.3);
}

static const char qasm[] =
    "OPENQASM 2.0;\ninclude \"qelib1.inc\";\nqreg a[2]; qreg b[3]; creg "
    "c[2];\n"
    "gate mine(x) p, q { u3(x, x/2, -x) p; cx p, q; rz(sin(x)) q; }\n"
    "h a; mine(pi/3) a[0], b[1]; barrier a, b; cx a[1], b[2];\n"
    "measure a -> c;\n";

static int
circuit_parse(bench *b)
{
    return paulimpi_circuit_parse(qasm, NULL, &b->new_circuit);
}

static int
circuit_read(bench *b)
{
    return paulimpi_circuit_read(file_name, &b->new_circuit);
}

/* The walk. */

/* Failures that a function can do without look like success; it is taken to
 * have no more allocations after so many successes in a row. */
enum { SUCCESSES = 12 };

/* What a circuit makes of one string. */
static paulimpi_sum *
image_of_string(bench *b)
{
    paulimpi_propagation_options options = options_eps(0.05);
    paulimpi_sum *image = make_sum(ctx, N, "X62 Z63 Y66");

    propagate(image, b->circuit, &options, NULL);
    return image;
}

static int
same_circuits(bench *a, bench *b)
{
    paulimpi_sum *s = image_of_string(a);
    paulimpi_sum *t = image_of_string(b);
    int same = same_bits(s, t)
               && paulimpi_circuit_gates(a->circuit)
                      == paulimpi_circuit_gates(b->circuit);

    paulimpi_sum_destroy(&s);
    paulimpi_sum_destroy(&t);
    return same;
}

static int
same_objects(bench *a, bench *b)
{
    return same_bits(a->sum, b->sum) && same_bits(a->other, b->other)
           && same_circuits(a, b);
}

static int
has_made_nothing(const bench *b)
{
    return b->new_sum == NULL && b->new_circuit == NULL && b->new_pauli == NULL
           && b->new_ctx == NULL && b->text == NULL;
}

/* One call with the n-th allocation failing: its code, and whether that left
 * the objects as they were, or as a call without failure leaves them. */
static int
step(int64_t n, int (*call)(bench *), bench *before, bench *after,
     int *is_clean)
{
    bench b;
    int rc;

    set_up(&b);
    paulimpi__alloc_fail_at(n);
    rc = call(&b);
    paulimpi__alloc_fail_at(0);
    if (rc == PAULIMPI_SUCCESS) {
        *is_clean &= same_objects(&b, after);
    } else {
        *is_clean &= rc == PAULIMPI_ERR_MEMORY
                     && paulimpi_last_error()[0] != '\0'
                     && has_made_nothing(&b) && same_objects(&b, before);
    }
    tear_down(&b);
    return rc;
}

static void
walk(const char *name, int (*call)(bench *))
{
    bench before, after;
    int is_clean = 1;
    int n_failures = 0;
    int n_successes = 0;
    int64_t n;

    set_up(&before);
    set_up(&after);
    check(call(&after));
    for (n = 1; n_successes < SUCCESSES && is_clean; n++) {
        if (step(n, call, &before, &after, &is_clean) == PAULIMPI_SUCCESS) {
            n_successes++;
        } else {
            n_successes = 0;
            n_failures++;
        }
    }
    tap_ok(is_clean, "%s: each of its %d failures is a clean one", name,
           n_failures);
    tear_down(&before);
    tear_down(&after);
}

/* Propagation may have done some gates: it stands before the next one, and
 * going on gives what an uninterrupted run gives. */
static int
goes_on(bench *b, const paulimpi_propagation_options *options,
        const paulimpi_sum *whole)
{
    script *rest = script_create(N);
    int same;

    script_append(rest, gates, 0, GATES - b->report.gates);
    propagate_script(b->sum, rest, options, NULL);
    same = same_bits(b->sum, whole);
    script_destroy(rest);
    return same;
}

static void
walk_propagate(int engine, int64_t max_terms)
{
    paulimpi_propagation_options options = options_eps(1e-3);
    bench whole;
    int is_clean = 1;
    int n_failures = 0;
    int n_successes = 0;
    int64_t n;

    options.engine = engine;
    options.truncation.max_terms = max_terms;
    set_up(&whole);
    propagate(whole.sum, whole.circuit, &options, NULL);
    for (n = 1; n_successes < SUCCESSES && is_clean; n++) {
        bench b;
        int rc;

        set_up(&b);
        paulimpi__alloc_fail_at(n);
        rc = paulimpi_propagate(b.sum, b.circuit, &options, &b.report);
        paulimpi__alloc_fail_at(0);
        n_successes = rc == PAULIMPI_SUCCESS ? n_successes + 1 : 0;
        n_failures += rc != PAULIMPI_SUCCESS;
        is_clean &= (rc == PAULIMPI_SUCCESS || rc == PAULIMPI_ERR_MEMORY)
                    && goes_on(&b, &options, whole.sum);
        tear_down(&b);
    }
    tap_ok(is_clean,
           "propagation: each of its %d failures stops it between gates",
           n_failures);
    tear_down(&whole);
}

static void
write_qasm(void)
{
    FILE *file = fopen(file_name, "w");

    if (file == NULL || fputs(qasm, file) < 0 || fclose(file) != 0) {
        tap_bail("cannot write %s", file_name);
    }
}

int
main(void)
{
    ctx = make_context(1);
    gates = script_create(N);
    script_draw(gates, &(dice){ 42 }, GATES, DRAW_ALL, 60, 10);
    walk("context_create_serial", context_create_serial);
    walk("pauli_create", pauli_create);
    walk("pauli_create_bits", pauli_create_bits);
    walk("pauli_label", pauli_label);
    walk("pauli_multiply", pauli_multiply);
    walk("sum_create", sum_create);
    walk("sum_copy", sum_copy);
    walk("sum_add_text", sum_add_text);
    walk("sum_add_pauli", sum_add_pauli);
    walk("sum_add_terms", sum_add_terms);
    walk("sum_add", sum_add);
    walk("sum_add of itself", sum_add_itself);
    walk("sum_truncate", sum_truncate);
    walk("sum_coefficient", sum_coefficient);
    walk("sum_get_terms", sum_get_terms);
    walk("sum_expectation_product", sum_expectation_product);
    walk("sum_overlap", sum_overlap);
    walk("sum_weight_histogram", sum_weight_histogram);
    walk("sum_text", sum_text);
    walk("sum_write", sum_write);
    walk("sum_read", sum_read);
    unlink(file_name);
    walk("circuit_create", circuit_create);
    walk("circuit_copy", circuit_copy);
    walk("circuit_append", circuit_append);
    walk("many gates", circuit_gates);
    walk("one gate", circuit_last_gate);
    walk("circuit_rotation", circuit_rotation);
    walk("circuit_kicked_ising", circuit_kicked_ising);
    walk("circuit_trotter", circuit_trotter);
    walk("circuit_parse", circuit_parse);
    write_qasm();
    walk("circuit_read", circuit_read);
    unlink(file_name);
    walk_propagate(PAULIMPI_ENGINE_IN_PLACE, PAULIMPI_UNLIMITED);
    walk_propagate(PAULIMPI_ENGINE_IN_PLACE, 200);
    walk_propagate(PAULIMPI_ENGINE_TILE, PAULIMPI_UNLIMITED);
    walk_propagate(PAULIMPI_ENGINE_ORBIT, PAULIMPI_UNLIMITED);
    script_destroy(gates);
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
