/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Propagations on several ranks that one rank stops: all stop after the same
 * gate, and the sum has the bits that it has on one rank there. And the layers
 * of the report.
 */
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "propagate/together.h"
#include "tap/tap_mpi.h"

enum { QUBITS = 20, GATES = 300 };

static int rank;
static paulimpi_context *alone;
static paulimpi_context *together;

static script *
draw_circuit(void)
{
    script *s = script_create(QUBITS);
    dice d = { 11 };

    script_draw(s, &d, GATES, DRAW_ROTATIONS | DRAW_SCALES, 0, QUBITS);
    return s;
}

static paulimpi_sum *
make_input(paulimpi_context *ctx)
{
    return make_sum(ctx, QUBITS, "Z3 + 0.5 X7 Y9 - 0.25 Y11");
}

static paulimpi_propagation_options
options_of_test(void)
{
    paulimpi_propagation_options options = options_eps(1e-4);

    options.picture = PAULIMPI_SCHROEDINGER;
    return options;
}

/* Whether the sum on all ranks is what the first gates make on one. */
static int
is_after(const paulimpi_sum *sum, const script *s, int64_t n_gates)
{
    paulimpi_propagation_options options = options_of_test();
    paulimpi_sum *want = make_input(alone);
    script *part = script_create(QUBITS);
    uint64_t mine[2] = { 0, 0 }, all[2], first[2] = { 0, 0 };

    script_append(part, s, 0, n_gates);
    propagate_script(want, part, &options, NULL);
    checksum_add(want, first);
    checksum_add(sum, mine);
    checksum_add_ranks(mine, all);
    paulimpi_sum_destroy(&want);
    script_destroy(part);
    return memcmp(all, first, sizeof all) == 0;
}

/* Run with options that differ on one rank, which makes all of them stop. */
static void
check_stop(const char *what, const paulimpi_propagation_options *options,
           int code)
{
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    script *s = draw_circuit();
    paulimpi_circuit *circuit = make_circuit(s);
    paulimpi_sum *sum = make_input(together);
    int rc = paulimpi_propagate(sum, circuit, options, &report);
    int64_t least, most;

    MPI_Allreduce(&report.gates, &least, 1, MPI_INT64_T, MPI_MIN,
                  MPI_COMM_WORLD);
    MPI_Allreduce(&report.gates, &most, 1, MPI_INT64_T, MPI_MAX,
                  MPI_COMM_WORLD);
    tap_mpi_ok(rc == (rank == 1 ? code : PAULIMPI_ERR_REMOTE),
               "%s: an error on all ranks", what);
    tap_mpi_ok(rank == 1 || strstr(paulimpi_last_error(), "rank 1") != NULL,
               "that names the rank");
    tap_mpi_ok(least == most && most > 0 && most < GATES,
               "all have stopped after the same gate, %d", (int)most);
    tap_mpi_ok(least == most && is_after(sum, s, most),
               "and the sum is as it was there");
    tap_mpi_ok(report.terms == paulimpi_sum_terms(sum), "of as many terms");
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
    script_destroy(s);
}

static void
test_memory(void)
{
    paulimpi_propagation_options options = options_of_test();

    if (rank == 1) {
        options.memory_limit = 300000;
    }
    check_stop("a rank without memory", &options, PAULIMPI_ERR_MEMORY);
}

static int
stop_late(const paulimpi_propagation_progress *progress, void *data)
{
    (void)data;
    return rank == 1 && progress->terms > 1500;
}

static void
test_cancel(void)
{
    paulimpi_propagation_options options = options_of_test();

    options.progress = stop_late;
    check_stop("a callback that stops", &options, PAULIMPI_ERR_CANCELLED);
}

/* Whether the layers tell the same, but for time. */
static int
same_layers(const paulimpi_propagation_layer *a,
            const paulimpi_propagation_layer *b, int64_t n)
{
    int64_t i;

    for (i = 0; i < n; i++) {
        if (a[i].gate != b[i].gate || a[i].terms_before != b[i].terms_before
            || a[i].terms_after != b[i].terms_after
            || a[i].active != b[i].active
            || memcmp(&a[i].dropped_norm1, &b[i].dropped_norm1, sizeof(double))
                   != 0
            || memcmp(&a[i].dropped_norm2, &b[i].dropped_norm2, sizeof(double))
                   != 0) {
            tap_note("layer %d differs", (int)i);
            return 0;
        }
    }
    return 1;
}

static void
test_layers(int64_t max_terms)
{
    static paulimpi_propagation_layer on_one[GATES], on_all[GATES];
    paulimpi_propagation_report one = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_propagation_report all = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_propagation_options options = options_of_test();
    script *s = draw_circuit();
    paulimpi_sum *a = make_input(alone);
    paulimpi_sum *b = make_input(together);

    options.truncation.max_terms = max_terms;
    options.layers = on_one;
    options.n_layers = GATES;
    propagate_script(a, s, &options, &one);
    options.layers = on_all;
    propagate_script(b, s, &options, &all);
    tap_mpi_ok(same_report(&one, &all), "a run with layers: the same report");
    tap_mpi_ok(same_layers(on_one, on_all, GATES), "and the same layers");
    paulimpi_sum_destroy(&a);
    paulimpi_sum_destroy(&b);
    script_destroy(s);
}

int
main(int argc, char **argv)
{
    static const char *const copied[] = { "0", "200", "4096" };
    size_t i;
    int status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    tap_mpi_begin(argv[0]);
    alone = make_context(1);
    check(paulimpi_context_create(MPI_COMM_WORLD, NULL, &together));
    for (i = 0; i < sizeof copied / sizeof copied[0]; i++) {
        setenv("PAULIMPI_TEST_COPIED_TERMS", copied[i], 1);
        test_memory();
        test_cancel();
        test_layers(PAULIMPI_UNLIMITED);
        test_layers(700);
    }
    paulimpi_context_destroy(&alone);
    paulimpi_context_destroy(&together);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
