/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows and weights on several ranks: where terms are, and ranks that do not
 * wish for the same.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "propagate/support.h"
#include "tap/tap_mpi.h"

enum { N_QUBITS = 40 };

static paulimpi_context *ctx;
static int rank;

/* Rotations about X, which make 2^12 terms of strings with letters Z on the
 * first 12 qubits. */
static paulimpi_circuit *
make_rotations(void)
{
    paulimpi_circuit *circuit;
    int q;

    check(paulimpi_circuit_create(N_QUBITS, &circuit));
    for (q = 0; q < 12; q++) {
        check(paulimpi_circuit_rx(circuit, q, 0.6));
    }
    return circuit;
}

/* Two strings with other letters on the qubits that nothing acts on. */
static paulimpi_sum *
propagate_with(const paulimpi_propagation_options *options,
               paulimpi_propagation_report *report)
{
    paulimpi_circuit *circuit = make_rotations();
    paulimpi_sum *sum =
        make_sum(ctx, N_QUBITS,
                 "Z0 Z1 Z2 Z3 Z4 Z5 Z6 Z7 Z8 Z9 Z10 Z11 + Z0 Z1 Z2 Z3 Z4 Z5 "
                 "Z6 Z7 Z8 Z9 Z10 Z11 Z30");

    check(paulimpi_propagate(sum, circuit, options, report));
    paulimpi_circuit_destroy(&circuit);
    return sum;
}

/* Terms on this rank whose bits z have an odd number in common with others. */
static int64_t
count_odd(const paulimpi_sum *sum, uint64_t z_row)
{
    paulimpi_sum_position position = { 0, 0 };
    int64_t n_odd = 0;
    uint64_t x, z;
    double c;

    while (paulimpi_sum_next(sum, &position, &x, &z, &c) == 1) {
        n_odd += __builtin_popcountll(z & z_row) % 2;
    }
    return n_odd;
}

/* The row is 0 on the generators, and half of the terms have the value 1: each
 * of two ranks has those of one value. */
static void
test_given(void)
{
    static const uint64_t z = UINT64_C(1) << 30;
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_sum *sum;
    int64_t n, n_odd;

    options.rows = PAULIMPI_ROWS_GIVEN;
    options.n_rows = 1;
    options.rows_z = &z;
    sum = propagate_with(&options, &report);
    n = paulimpi_sum_local_terms(sum);
    n_odd = count_odd(sum, z);
    tap_mpi_ok(report.terms == 8192 && n == 4096, "terms are shared out");
    tap_mpi_ok(n_odd == 0 || n_odd == n, "by the row that was given");
    paulimpi_sum_destroy(&sum);
}

static void
test_weights(void)
{
    static const double weights[] = { 3.0, 1.0 };
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    int rows;

    options.n_weights = 2;
    options.weights = weights;
    for (rows = PAULIMPI_ROWS_PLANNED; rows <= PAULIMPI_ROWS_BLOCKS; rows++) {
        paulimpi_sum *sum;
        double part;

        options.rows = rows;
        sum = propagate_with(&options, &report);
        part = (double)paulimpi_sum_local_terms(sum) / (double)report.terms;
        tap_mpi_ok(fabs(part - weights[rank] / 4) < 0.07,
                   "rows %d: each rank has its part", rows);
        paulimpi_sum_destroy(&sum);
    }
}

/* What rank 1 wishes for is other than what rank 0 does. */
static void
is_mismatch(const paulimpi_propagation_options *options, const char *fact)
{
    paulimpi_circuit *circuit = make_rotations();
    paulimpi_sum *sum = make_sum(ctx, N_QUBITS, "Z0");
    int rc = paulimpi_propagate(sum, circuit, options, NULL);

    tap_mpi_ok(rc == PAULIMPI_ERR_MISMATCH
                   && strstr(paulimpi_last_error(),
                             "the rows, their seed or the weights of rank 1")
                          != NULL,
               "%s", fact);
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
}

static void
test_mismatch(void)
{
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    int64_t blocks[N_QUBITS] = { 0 };
    double weights[2] = { 1.0, 1.0 };
    uint64_t bits = 1 + (uint64_t)rank;

    options.rows_seed = rank;
    is_mismatch(&options, "another seed on each rank");
    options.rows_seed = 0;
    options.rows = rank == 0 ? PAULIMPI_ROWS_PLANNED : PAULIMPI_ROWS_RANDOM;
    is_mismatch(&options, "another choice");
    options.rows = PAULIMPI_ROWS_BLOCKS;
    options.n_blocks = N_QUBITS;
    options.blocks = blocks;
    blocks[7] = rank;
    is_mismatch(&options, "other blocks");
    options.n_blocks = 0;
    options.blocks = NULL;
    options.rows = PAULIMPI_ROWS_EXCLUDE;
    options.n_rows = 1;
    options.rows_x = &bits;
    is_mismatch(&options, "other coordinates");
    options.rows = PAULIMPI_ROWS_PLANNED;
    options.n_rows = 0;
    options.rows_x = NULL;
    options.n_weights = 2;
    options.weights = weights;
    weights[0] += rank;
    is_mismatch(&options, "other weights");
}

/* What is wrong on one rank is an error on both. */
static void
test_one_fails(void)
{
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    paulimpi_circuit *circuit = make_rotations();
    paulimpi_sum *sum = make_sum(ctx, N_QUBITS, "Z0");

    options.rows = rank == 0 ? PAULIMPI_ROWS_PLANNED : 7;
    tap_mpi_ok(
        paulimpi_propagate(sum, circuit, &options, NULL)
            == (rank == 0 ? PAULIMPI_ERR_REMOTE : PAULIMPI_ERR_ARGUMENT),
        "a wrong choice on one rank");
    paulimpi_sum_destroy(&sum);
    paulimpi_circuit_destroy(&circuit);
}

int
main(int argc, char **argv)
{
    int provided, status;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    tap_mpi_begin(argv[0]);
    setenv("PAULIMPI_TEST_COPIED_TERMS", "100", 1);
    check(paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx));
    rank = paulimpi_context_rank(ctx);
    test_given();
    test_weights();
    test_mismatch();
    test_one_fails();
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
