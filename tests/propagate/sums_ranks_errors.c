/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is wrong on one rank only fails on all of them, and the sum is as it
 * was.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "base/base.h"
#include "propagate/support.h"
#include "tap/tap_mpi.h"

enum { QUBITS = 70, WORDS = 2 };

static const char text[] = "0.5 Z0 Z69 + X64 - 1e-3 Y0 + 3";

static paulimpi_context *ctx;
static paulimpi_sum *sum;
static int rank, size;

/* The arguments of the calls, right or wrong. */
static uint64_t x[2 * WORDS], z[2 * WORDS];
static double coefficient[2];

/* A call that one rank makes in a wrong way. */
typedef int call(int is_wrong);

static int
add_null(int is_wrong)
{
    return paulimpi_sum_add_terms(sum, 2, is_wrong ? NULL : x, z, coefficient);
}

static int
add_negative(int is_wrong)
{
    return paulimpi_sum_add_local_terms(sum, is_wrong ? -1 : 2, x, z,
                                        coefficient);
}

static int
add_stray(int is_wrong)
{
    uint64_t stray[2 * WORDS] = { 0, 0, 0, UINT64_C(1) << (QUBITS - 64) };

    return paulimpi_sum_add_local_terms(sum, 2, x, is_wrong ? stray : z,
                                        coefficient);
}

static int
add_infinite(int is_wrong)
{
    double c[2] = { 1, INFINITY };

    return paulimpi_sum_add_local_terms(sum, 2, x, z,
                                        is_wrong ? c : coefficient);
}

static int
add_factor(int is_wrong)
{
    return paulimpi_sum_add(sum, sum, is_wrong ? (double)NAN : 0.5);
}

static int
add_no_sum(int is_wrong)
{
    return paulimpi_sum_add(sum, is_wrong ? NULL : sum, 0.5);
}

static int
add_no_pauli(int is_wrong)
{
    paulimpi_pauli *pauli = NULL;
    int rc;

    check(paulimpi_pauli_create(QUBITS, "X0", &pauli));
    rc = paulimpi_sum_add_pauli(sum, is_wrong ? NULL : pauli, 1);
    paulimpi_pauli_destroy(&pauli);
    return rc;
}

static int
scale_nan(int is_wrong)
{
    return paulimpi_sum_scale(sum, is_wrong ? (double)NAN : 2);
}

static int
truncate_nothing(int is_wrong)
{
    paulimpi_truncation t = PAULIMPI_TRUNCATION_INIT;

    t.min_abs = 1;
    return paulimpi_sum_truncate(sum, is_wrong ? NULL : &t);
}

static int
truncate_negative(int is_wrong)
{
    paulimpi_truncation t = PAULIMPI_TRUNCATION_INIT;

    t.max_terms = is_wrong ? -1 : 1;
    return paulimpi_sum_truncate(sum, &t);
}

static int
norm_nowhere(int is_wrong)
{
    double value;

    return paulimpi_sum_norm2(sum, is_wrong ? NULL : &value);
}

static int
basis_stray(int is_wrong)
{
    uint64_t ones[WORDS] = { 1, is_wrong ? 64 : 0 };
    double value;

    return paulimpi_sum_expectation_basis(sum, ones, &value);
}

static int
overlap_nothing(int is_wrong)
{
    double value;

    return paulimpi_sum_overlap(sum, is_wrong ? NULL : sum, &value);
}

static int
histogram_short(int is_wrong)
{
    int64_t count[QUBITS + 1];

    return paulimpi_sum_weight_histogram(sum, QUBITS + !is_wrong, count, NULL);
}

static int
get_few(int is_wrong)
{
    uint64_t xs[4 * WORDS], zs[4 * WORDS];
    double c[4];

    return paulimpi_sum_get_terms(sum, is_wrong ? 3 : 4, xs, zs, c);
}

static int
copy_nowhere(int is_wrong)
{
    paulimpi_sum *copy = NULL;
    int rc = paulimpi_sum_copy(sum, is_wrong ? NULL : &copy);

    paulimpi_sum_destroy(&copy);
    return rc;
}

/* The same with texts, whose errors are of another kind. */
static int
look_up_nonsense(int is_wrong)
{
    double value;

    return paulimpi_sum_coefficient(sum, is_wrong ? "Q" : "X0", &value);
}

static int
expect_nonsense(int is_wrong)
{
    double value;

    return paulimpi_sum_expectation_product(sum, is_wrong ? "2" : "0", &value);
}

static int
add_nonsense(int is_wrong)
{
    return paulimpi_sum_add_text(sum, is_wrong ? "0.5 Z0 +" : "0.5 Z0", 1);
}

static int
spread_terms(int is_wrong)
{
    uint64_t mine[2 * WORDS] = { (uint64_t)rank * 2 + 1, 1, 7, 0 };

    (void)is_wrong;
    return paulimpi_sum_add_local_terms(sum, 2, mine, z, coefficient);
}

static int
keep_three(int is_wrong)
{
    paulimpi_truncation t = PAULIMPI_TRUNCATION_INIT;

    (void)is_wrong;
    t.max_terms = 3;
    t.choice = PAULIMPI_KEEP_FIRST;
    return paulimpi_sum_truncate(sum, &t);
}

static int
write_text(int is_wrong)
{
    char *written = NULL;
    int rc = paulimpi_sum_text(sum, is_wrong ? NULL : &written);

    paulimpi_text_destroy(&written);
    return rc;
}

static int
count_squares(int is_wrong)
{
    int64_t count[QUBITS + 1];
    double square[QUBITS + 1];

    return paulimpi_sum_weight_histogram(sum, QUBITS + !is_wrong, count,
                                         square);
}

static int
make_another(int is_wrong)
{
    paulimpi_sum *made = NULL;
    int rc = paulimpi_sum_create(ctx, 3, is_wrong ? NULL : &made);

    paulimpi_sum_destroy(&made);
    return rc;
}

static void
test_one_rank(void)
{
    static const struct {
        call *make;
        int code;
        const char *fact;
    } calls[] = {
        { add_null, PAULIMPI_ERR_ARGUMENT, "no array" },
        { add_negative, PAULIMPI_ERR_ARGUMENT, "fewer terms than none" },
        { add_stray, PAULIMPI_ERR_ARGUMENT, "a bit too high" },
        { add_infinite, PAULIMPI_ERR_ARGUMENT, "an infinite coefficient" },
        { add_factor, PAULIMPI_ERR_ARGUMENT, "a factor that is no number" },
        { add_no_sum, PAULIMPI_ERR_ARGUMENT, "no other sum" },
        { add_no_pauli, PAULIMPI_ERR_ARGUMENT, "no string" },
        { scale_nan, PAULIMPI_ERR_ARGUMENT, "scaling by no number" },
        { truncate_nothing, PAULIMPI_ERR_ARGUMENT, "no truncation" },
        { truncate_negative, PAULIMPI_ERR_ARGUMENT, "-1 terms to keep" },
        { norm_nowhere, PAULIMPI_ERR_ARGUMENT, "no place for a norm" },
        { basis_stray, PAULIMPI_ERR_ARGUMENT, "a qubit too many" },
        { overlap_nothing, PAULIMPI_ERR_ARGUMENT, "no sum to overlap with" },
        { histogram_short, PAULIMPI_ERR_ARGUMENT, "a short histogram" },
        { get_few, PAULIMPI_ERR_ARGUMENT, "little room for terms" },
        { write_text, PAULIMPI_ERR_ARGUMENT, "no place for a text" },
        { make_another, PAULIMPI_ERR_ARGUMENT, "no place for a sum" },
        { copy_nowhere, PAULIMPI_ERR_ARGUMENT, "no place for a copy" },
        { look_up_nonsense, PAULIMPI_ERR_SYNTAX, "a label that is none" },
        { expect_nonsense, PAULIMPI_ERR_SYNTAX, "a state that is none" },
        { add_nonsense, PAULIMPI_ERR_SYNTAX, "a text that is none" },
    };
    int wrong = 0;
    size_t i;

    for (i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        int rc = calls[i].make(rank == wrong);
        char name[32];

        snprintf(name, sizeof name, "rank %d: ", wrong);
        tap_mpi_is_status(rc,
                          rank == wrong ? calls[i].code : PAULIMPI_ERR_REMOTE,
                          "%s on rank %d fails on all", calls[i].fact, wrong);
        tap_mpi_ok(rank == wrong
                       || strncmp(paulimpi_last_error(), name, strlen(name))
                              == 0,
                   "and all know where");
        wrong = (wrong + 1) % size;
    }
    tap_mpi_ok(is_sum(sum, text), "the sum is as it was");
}

/* Let the n-th allocation of a rank fail in a call on a copy of the sum, for
 * all n up to the one that the call does not come to. Whether all ranks say
 * so, and the sum is as it was. */
static int
survives(call *make, int poor)
{
    paulimpi_sum *kept = sum;
    int64_t n;
    int is_over = 0;
    int is_right = 1;

    for (n = 1; !is_over && is_right && n < 1000; n++) {
        int want, rc;

        check(paulimpi_sum_copy(kept, &sum));
        paulimpi__alloc_fail_at(rank == poor ? n : 0);
        rc = make(0);
        paulimpi__alloc_fail_at(0);
        is_over = rc == PAULIMPI_SUCCESS;
        want = rank == poor ? PAULIMPI_ERR_MEMORY : PAULIMPI_ERR_REMOTE;
        is_right = is_over || rc == want;
        MPI_Allreduce(MPI_IN_PLACE, &is_over, 1, MPI_INT, MPI_MIN,
                      MPI_COMM_WORLD);
        is_right &= is_over || is_sum(sum, text);
        paulimpi_sum_destroy(&sum);
        MPI_Allreduce(MPI_IN_PLACE, &is_right, 1, MPI_INT, MPI_MIN,
                      MPI_COMM_WORLD);
    }
    sum = kept;
    return is_over && is_right;
}

static void
test_memory(void)
{
    static const struct {
        call *make;
        const char *fact;
    } calls[] = {
        { make_another, "a sum is made" },
        { copy_nowhere, "a copy is made" },
        { add_null, "terms are added" },
        { spread_terms, "terms of each rank are added" },
        { add_no_sum, "a sum is added" },
        { add_nonsense, "a text is added" },
        { keep_three, "terms are dropped" },
        { get_few, "terms are copied out" },
        { write_text, "a text is written" },
        { look_up_nonsense, "a label is looked up" },
        { expect_nonsense, "a state is read" },
        { overlap_nothing, "sums overlap" },
        { count_squares, "weights are counted" },
    };
    size_t i;

    for (i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        tap_mpi_ok(survives(calls[i].make, (int)i % size),
                   "%s, or not, if memory is missing on a rank",
                   calls[i].fact);
    }
}

/* Rank 1 does something else than the others. */
static void
is_found_out(int rc, const char *what)
{
    tap_mpi_is_status(rc, PAULIMPI_ERR_MISMATCH, "%s is found out", what);
    tap_mpi_ok(strstr(paulimpi_last_error(), "rank 1 ") != NULL,
               "with the rank");
}

static void
test_differences(void)
{
    int is_other = rank == 1;
    paulimpi_truncation t = PAULIMPI_TRUNCATION_INIT;
    double swapped[2] = { coefficient[1], coefficient[0] };
    paulimpi_sum *made;

    is_found_out(paulimpi_sum_add_terms(sum, 2 - is_other, x, z, coefficient),
                 "a number of terms");
    is_found_out(
        paulimpi_sum_add_terms(sum, 2, x, z, is_other ? swapped : coefficient),
        "two coefficients that are exchanged");
    is_found_out(paulimpi_sum_add_text(sum, is_other ? "X0" : "Y0", 1),
                 "another text");
    is_found_out(paulimpi_sum_add_text(sum, "X0", 1 + is_other),
                 "another factor of a text");
    is_found_out(paulimpi_sum_scale(sum, 1 + is_other), "another factor");
    is_found_out(paulimpi_sum_add(sum, sum, 1 + is_other),
                 "another factor of a sum");
    t.max_terms = 2 + is_other;
    is_found_out(paulimpi_sum_truncate(sum, &t), "another truncation");
    is_found_out(paulimpi_sum_create(ctx, 3 + is_other, &made),
                 "another number of qubits");
    tap_mpi_ok(made == NULL, "no sum is made");
    tap_mpi_ok(is_sum(sum, text), "the sum is as it was");
}

/* What is only read is compared where that is asked for. */
static void
test_checking(void)
{
    int is_other = rank == 1;
    uint64_t ones[WORDS] = { (uint64_t)is_other, 0 };
    double value;

    setenv("PAULIMPI_CHECK", "collective", 1);
    is_found_out(paulimpi_sum_coefficient(sum, is_other ? "X0" : "Y0", &value),
                 "another label");
    is_found_out(
        paulimpi_sum_expectation_product(sum, is_other ? "1" : "0", &value),
        "another state");
    is_found_out(paulimpi_sum_expectation_basis(sum, ones, &value),
                 "another basis state");
    tap_mpi_is_status(paulimpi_sum_expectation_product(sum, "r", &value),
                      PAULIMPI_SUCCESS, "the same state is none of it");
    unsetenv("PAULIMPI_CHECK");
    tap_mpi_ok(is_sum(sum, text), "the sum is as it was");
}

/* A coefficient on one rank overflows. */
static void
test_overflow(void)
{
    paulimpi_sum *large = make_sum(ctx, 3, "1e300 X0 + Y0 + Z1 + X2");
    int here = paulimpi_sum_local_terms(large) > 0;
    int rc = paulimpi_sum_scale(large, 1e10);

    tap_mpi_ok(rc == PAULIMPI_ERR_RANGE || rc == PAULIMPI_ERR_REMOTE,
               "a scaled coefficient that overflows fails on all ranks");
    tap_mpi_ok(here || rc == PAULIMPI_ERR_REMOTE,
               "those that have none hear of it");
    tap_mpi_ok(is_sum(large, "1e300 X0 + Y0 + Z1 + X2"),
               "nothing has been scaled");
    paulimpi_sum_destroy(&large);
}

int
main(int argc, char **argv)
{
    int status;

    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check(paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx));
    sum = make_sum(ctx, QUBITS, text);
    x[0] = 5;
    z[3] = 2;
    coefficient[0] = 0.5;
    coefficient[1] = -2;
    test_one_rank();
    test_memory();
    test_differences();
    test_checking();
    test_overflow();
    paulimpi_sum_destroy(&sum);
    paulimpi_context_destroy(&ctx);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
