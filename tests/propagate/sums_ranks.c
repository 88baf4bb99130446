/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums on contexts of 1 rank up to all: the same bits as on a serial context
 * that every rank has beside it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "propagate/sum.h"
#include "propagate/support.h"
#include "tap/tap_mpi.h"

static const int64_t qubits[] = { 1, 5, 64, 65, 130, 257 };
enum { N_QUBITS = sizeof qubits / sizeof qubits[0] };

/* The ranks of a context, and this one. */
typedef struct {
    paulimpi_context *ctx;
    paulimpi_context *alone;
    MPI_Comm comm;
    int rank;
    int size;
} ranks;

/* A random sum of up to n_terms terms; those of few values tie. */
static paulimpi_sum *
draw(const ranks *r, int64_t n, int64_t n_terms, uint64_t seed, int few_values)
{
    dice d = { seed };
    paulimpi_sum *sum =
        make_random_sum(r->alone, n, n_terms, 0, n, n < 8 ? n : 8, &d, NULL);
    term_list terms = terms_of(sum);
    int64_t i;

    if (few_values) {
        for (i = 0; i < terms.n; i++) {
            terms.coefficient[i] = (double)(dice_below(&d, 9) - 4) / 4;
        }
        check(paulimpi_sum_scale(sum, 0));
        check(paulimpi_sum_add_terms(sum, terms.n, terms.x, terms.z,
                                     terms.coefficient));
    }
    term_list_free(&terms);
    return sum;
}

/* The same sum on all ranks, by terms that all of them give. */
static paulimpi_sum *
spread(const ranks *r, const paulimpi_sum *alone)
{
    term_list terms = terms_of(alone);
    paulimpi_sum *sum;

    check(paulimpi_sum_create(r->ctx, paulimpi_sum_qubits(alone), &sum));
    check(paulimpi_sum_add_terms(sum, terms.n, terms.x, terms.z,
                                 terms.coefficient));
    term_list_free(&terms);
    return sum;
}

/* Whether the numbers of terms are right, and each string is on one rank. */
static int
is_counted(const ranks *r, const paulimpi_sum *sum)
{
    paulimpi_sum_position place = { 0, 0 };
    int64_t local = paulimpi_sum_local_terms(sum);
    int64_t walked = 0;
    int64_t all;
    double c;

    while (paulimpi_sum_next(sum, &place, NULL, NULL, &c) == 1) {
        walked++;
    }
    MPI_Allreduce(&local, &all, 1, MPI_INT64_T, MPI_SUM, r->comm);
    return walked == local && all == paulimpi_sum_terms(sum);
}

/* Whether the sum on all ranks has the bits of one on this rank; both go. */
static int
end_same(const ranks *r, paulimpi_sum *sum, paulimpi_sum *alone)
{
    int same = same_bits(sum, alone) && is_counted(r, sum);

    paulimpi_sum_destroy(&sum);
    paulimpi_sum_destroy(&alone);
    return same;
}

static int
adds_replicated(const ranks *r)
{
    static const int64_t n_terms[] = { 0, 1, 2, 700 };
    int same = 1;
    int i, k;

    for (i = 0; i < N_QUBITS; i++) {
        for (k = 0; k < 4; k++) {
            paulimpi_sum *alone =
                draw(r, qubits[i], n_terms[k], 11 + (uint64_t)k, 0);
            paulimpi_sum *sum = spread(r, alone);
            term_list terms = terms_of(alone);

            check(paulimpi_sum_add_terms(alone, terms.n / 2, terms.x, terms.z,
                                         terms.coefficient));
            check(paulimpi_sum_add_terms(sum, terms.n / 2, terms.x, terms.z,
                                         terms.coefficient));
            term_list_free(&terms);
            same &= end_same(r, sum, alone);
        }
    }
    return same;
}

/* Each rank brings its own terms, the first one none if there are others: many
 * strings come from several ranks, with coefficients that do not add up alike
 * in another order. */
static int
adds_local(const ranks *r)
{
    int same = 1;
    int i, from;

    for (i = 0; i < N_QUBITS; i++) {
        paulimpi_sum *alone = draw(r, qubits[i], 40, 5, 0);
        paulimpi_sum *sum = spread(r, alone);

        for (from = 0; from < r->size; from++) {
            int64_t n = from == 0 && r->size > 1 ? 0 : 150;
            paulimpi_sum *part = draw(r, qubits[i], 300, 6, 0);
            term_list terms = terms_of(part);
            int64_t k;

            n = n < terms.n ? n : terms.n;
            for (k = 0; k < n; k++) {
                terms.coefficient[k] *= 1 / (3.0 + from);
            }
            check(paulimpi_sum_add_terms(alone, n, terms.x, terms.z,
                                         terms.coefficient));
            if (from == r->rank) {
                check(paulimpi_sum_add_local_terms(
                    sum, n, n == 0 ? NULL : terms.x, n == 0 ? NULL : terms.z,
                    n == 0 ? NULL : terms.coefficient));
            }
            term_list_free(&terms);
            paulimpi_sum_destroy(&part);
        }
        same &= end_same(r, sum, alone);
    }
    return same;
}

static int
adds_strings_and_texts(const ranks *r)
{
    static const char text[] = "0.5 Z0 Z129 + X64 - 1e-3 Y0 + 3";
    paulimpi_sum *alone = draw(r, 130, 50, 8, 0);
    paulimpi_sum *sum = spread(r, alone);
    paulimpi_pauli *pauli;
    char *texts[2];
    int same;

    check(paulimpi_pauli_create(130, "X3 Y100", &pauli));
    check(paulimpi_sum_add_pauli(sum, pauli, 0.25));
    check(paulimpi_sum_add_pauli(alone, pauli, 0.25));
    paulimpi_pauli_destroy(&pauli);
    check(paulimpi_sum_add_text(sum, text, 1.0 / 3));
    check(paulimpi_sum_add_text(alone, text, 1.0 / 3));
    check(paulimpi_sum_text(sum, &texts[0]));
    check(paulimpi_sum_text(alone, &texts[1]));
    same = strcmp(texts[0], texts[1]) == 0;
    paulimpi_text_destroy(&texts[0]);
    paulimpi_text_destroy(&texts[1]);
    return end_same(r, sum, alone) && same;
}

/* Terms go that become 0, also by underflow. */
static int
copies_and_scales(const ranks *r)
{
    static const double factor[] = { 0.3, 1e-323, 0.5, 0 };
    paulimpi_sum *alone = draw(r, 70, 500, 9, 0);
    paulimpi_sum *sum = spread(r, alone);
    int same = 1;
    int i;

    for (i = 0; i < 4; i++) {
        paulimpi_sum *copy, *copy_alone;

        check(paulimpi_sum_copy(sum, &copy));
        check(paulimpi_sum_copy(alone, &copy_alone));
        check(paulimpi_sum_scale(copy, factor[i]));
        check(paulimpi_sum_scale(copy_alone, factor[i]));
        same &= end_same(r, copy, copy_alone);
    }
    return end_same(r, sum, alone) && same;
}

/* A sum whose terms are on other ranks than those of a new one. */
static paulimpi_sum *
spread_otherwise(const ranks *r, const paulimpi_sum *alone)
{
    paulimpi_sum *sum = spread(r, alone);
    paulimpi__shares shares;
    paulimpi_sum *moved;
    int bit;

    check(paulimpi__shares_copy(&shares, &sum->shares));
    for (bit = 0; bit < shares.log2_shards; bit++) {
        paulimpi__shares_draw(&shares, bit, 1000 + (uint64_t)bit);
    }
    check(paulimpi__sum_copy_as(sum, "test", &shares, &moved));
    paulimpi__shares_free(&shares);
    paulimpi_sum_destroy(&sum);
    return moved;
}

static int
adds_sums(const ranks *r)
{
    int same = 1;
    int i;

    for (i = 0; i < N_QUBITS; i++) {
        paulimpi_sum *alone = draw(r, qubits[i], 300, 12, 0);
        paulimpi_sum *other = draw(r, qubits[i], 500, 13, 0);
        paulimpi_sum *sum = spread(r, alone);
        paulimpi_sum *moved = spread_otherwise(r, other);

        check(paulimpi_sum_add(sum, moved, -1.0 / 3));
        check(paulimpi_sum_add(alone, other, -1.0 / 3));
        check(paulimpi_sum_add(sum, sum, 0.7));
        check(paulimpi_sum_add(alone, alone, 0.7));
        same &= end_same(r, moved, other);
        same &= end_same(r, sum, alone);
    }
    return same;
}

static int
try_truncation(const ranks *r, const paulimpi_sum *alone,
               const paulimpi_truncation *truncation)
{
    paulimpi_sum *copy;
    paulimpi_sum *sum = spread_otherwise(r, alone);

    check(paulimpi_sum_copy(alone, &copy));
    check(paulimpi_sum_truncate(copy, truncation));
    check(paulimpi_sum_truncate(sum, truncation));
    return end_same(r, sum, copy);
}

static int
truncates(const ranks *r)
{
    int same = 1;
    int ties;

    for (ties = 0; ties < 2; ties++) {
        paulimpi_sum *alone = draw(r, 66, 400, 14, ties);
        int64_t keep;

        for (keep = 0; keep < 440; keep += 29) {
            paulimpi_truncation t = PAULIMPI_TRUNCATION_INIT;

            t.max_terms = keep;
            t.choice = (int)(keep % 4);
            t.seed = keep << 33;
            same &= try_truncation(r, alone, &t);
            t.min_abs = 0.3;
            t.max_weight = keep % 8;
            same &= try_truncation(r, alone, &t);
        }
        paulimpi_sum_destroy(&alone);
    }
    return same;
}

/* A truncation of each kind after each gate. */
static int
propagates(const ranks *r)
{
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    paulimpi_circuit *circuit;
    int same = 1;
    int64_t q;

    check(paulimpi_circuit_create(66, &circuit));
    for (q = 0; q < 65; q += 4) {
        check(paulimpi_circuit_rxx(circuit, q, q + 1, 0.5));
        check(paulimpi_circuit_rz(circuit, q, 0.25));
    }
    options.truncation.max_terms = 300;
    setenv("PAULIMPI_TEST_COPIED_TERMS", "100", 1);
    for (options.truncation.choice = PAULIMPI_KEEP_LARGEST;
         options.truncation.choice <= PAULIMPI_KEEP_RANDOM;
         options.truncation.choice++) {
        paulimpi_sum *alone = draw(r, 66, 330, 19, 1);
        paulimpi_sum *sum = spread(r, alone);

        check(paulimpi_propagate(sum, circuit, &options, NULL));
        check(paulimpi_propagate(alone, circuit, &options, NULL));
        same &= end_same(r, sum, alone);
    }
    unsetenv("PAULIMPI_TEST_COPIED_TERMS");
    paulimpi_circuit_destroy(&circuit);
    return same;
}

/* Every number that is read out of a sum. */
typedef struct {
    double norm[2];
    double product;
    double uniform;
    double basis;
    double overlap[2];
    double coefficient[3];
    int64_t count[300];
    double square[300];
} numbers;

static void
read_out(const paulimpi_sum *sum, const paulimpi_sum *other, numbers *all)
{
    static const char letters[] = "01+-rl";
    int64_t n = paulimpi_sum_qubits(sum);
    uint64_t ones[8] = { 0x5555, 0x33, 0, 0, 0 };
    char state[300] = "";
    char label[32];
    int64_t q;

    for (q = 0; q < n; q++) {
        state[q] = letters[(q * q + q / 7) % 6];
    }
    ones[(n - 1) / 64] &=
        n % 64 == 0 ? UINT64_MAX : (UINT64_C(1) << n % 64) - 1;
    for (q = (n - 1) / 64 + 1; q < 8; q++) {
        ones[q] = 0;
    }
    snprintf(label, sizeof label, "Z%d", (int)(n - 1));
    memset(all, 0, sizeof *all);
    check(paulimpi_sum_norm1(sum, &all->norm[0]));
    check(paulimpi_sum_norm2(sum, &all->norm[1]));
    check(paulimpi_sum_expectation_product(sum, state, &all->product));
    check(paulimpi_sum_expectation_product(sum, "0", &all->uniform));
    check(paulimpi_sum_expectation_basis(sum, ones, &all->basis));
    check(paulimpi_sum_overlap(sum, other, &all->overlap[0]));
    check(paulimpi_sum_overlap(other, sum, &all->overlap[1]));
    check(paulimpi_sum_identity(sum, &all->coefficient[0]));
    check(paulimpi_sum_coefficient(sum, label, &all->coefficient[1]));
    check(paulimpi_sum_coefficient(sum, "X0", &all->coefficient[2]));
    check(paulimpi_sum_weight_histogram(sum, 300, all->count, all->square));
}

static int
reads_out(const ranks *r)
{
    int same = 1;
    int i, k;

    for (i = 0; i < N_QUBITS; i++) {
        paulimpi_sum *alone = draw(r, qubits[i], 600, 15, 0);
        paulimpi_sum *other_alone = draw(r, qubits[i], 200, 16, 0);
        paulimpi_sum *sum, *other;
        numbers got, want;

        check(paulimpi_sum_add(other_alone, alone, 0.1));
        check(paulimpi_sum_add_text(alone, "0.3 I - 0.1 Z0", 1));
        sum = spread(r, alone);
        for (k = 0; k < 2; k++) {
            other = k == 0 ? spread(r, other_alone)
                           : spread_otherwise(r, other_alone);
            read_out(sum, other, &got);
            read_out(alone, other_alone, &want);
            same &= memcmp(&got, &want, sizeof got) == 0;
            paulimpi_sum_destroy(&other);
        }
        same &= got.norm[0] > 0 && got.overlap[0] != 0;
        paulimpi_sum_destroy(&other_alone);
        same &= end_same(r, sum, alone);
    }
    return same;
}

/* A histogram may leave the squares out on some ranks. */
static int
counts_weights_unevenly(const ranks *r)
{
    paulimpi_sum *alone = draw(r, 9, 60, 17, 0);
    paulimpi_sum *sum = spread(r, alone);
    int64_t count[10], want_count[10];
    double square[12], want[12];
    int last = r->rank == r->size - 1;
    int same;

    check(paulimpi_sum_weight_histogram(alone, 10, want_count, want));
    check(paulimpi_sum_weight_histogram(sum, 10, count, last ? square : NULL));
    same = memcmp(count, want_count, sizeof count) == 0
           && (!last || memcmp(square, want, 10 * sizeof *square) == 0);
    return end_same(r, sum, alone) && same;
}

/* Two sums on two contexts at once, one of them with the ranks the other way
 * round. */
static int
works_on_two_contexts(const ranks *r)
{
    paulimpi_sum *alone = draw(r, 40, 200, 18, 0);
    ranks back = *r;
    paulimpi_sum *sums[2];
    double value;
    int refused, same;

    MPI_Comm_split(r->comm, 0, -r->rank, &back.comm);
    check(paulimpi_context_create(back.comm, NULL, &back.ctx));
    sums[0] = spread(r, alone);
    sums[1] = spread(&back, alone);
    check(paulimpi_sum_scale(sums[1], 3));
    check(paulimpi_sum_scale(sums[0], 3));
    check(paulimpi_sum_scale(alone, 3));
    refused =
        r->size == 1
        || (paulimpi_sum_overlap(sums[0], sums[1], &value)
                == PAULIMPI_ERR_MISMATCH
            && paulimpi_sum_add(sums[0], sums[1], 1) == PAULIMPI_ERR_MISMATCH);
    same = same_bits(sums[0], sums[1]);
    paulimpi_sum_destroy(&sums[1]);
    paulimpi_context_destroy(&back.ctx);
    MPI_Comm_free(&back.comm);
    return end_same(r, sums[0], alone) && same && refused;
}

static void
test_size(MPI_Comm comm, int size, int inside)
{
    static const struct {
        int (*holds)(const ranks *r);
        const char *fact;
    } facts[] = {
        { adds_replicated, "terms that all ranks give are added once" },
        { adds_local, "terms of each rank add up in the order of ranks" },
        { adds_strings_and_texts, "strings and texts are added and written" },
        { copies_and_scales, "copies are scaled" },
        { adds_sums, "sums are added, wherever their terms are" },
        { truncates, "the same terms are kept" },
        { propagates, "also after each gate" },
        { reads_out, "the same numbers are read out" },
        { counts_weights_unevenly, "some ranks may want no squares" },
        { works_on_two_contexts, "two contexts do not disturb each other" },
    };
    ranks r = { .comm = comm, .alone = make_context(1), .size = size };
    size_t i;

    if (inside) {
        check(paulimpi_context_create(comm, NULL, &r.ctx));
        MPI_Comm_rank(comm, &r.rank);
    }
    for (i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        tap_mpi_ok(!inside || facts[i].holds(&r), "%d ranks: %s", size,
                   facts[i].fact);
    }
    paulimpi_context_destroy(&r.ctx);
    paulimpi_context_destroy(&r.alone);
}

int
main(int argc, char **argv)
{
    int status;

    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    tap_mpi_each_size(test_size);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
