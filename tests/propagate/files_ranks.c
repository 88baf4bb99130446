/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files of terms that some ranks write and others read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include "propagate/file.h"
#include "propagate/problems.h"
#include "tap/tap_mpi.h"

enum { MOST_RANKS = 4, FORMATS = 4 };

static paulimpi_context *alone;
static paulimpi_context *with[MOST_RANKS + 1]; /* the first ranks; or NULL */
static int rank, size;

static struct {
    const char *name;
    const char *ending;
    int is_plain;
    const char *by_root;
    char path[64];
} formats[FORMATS] = {
    { "text", ".txt", 0, "0", "" },
    { "plain", ".plain", 1, "0", "" },
    { "HDF5, written by all", ".h5", 0, "0", "" },
    { "HDF5, written by rank 0", "_root.h5", 0, "1", "" },
};

/* This test runs on several numbers of ranks at once. */
static void
name_files(void)
{
    int f;

    for (f = 0; f < FORMATS; f++) {
        snprintf(formats[f].path, sizeof formats[f].path, "files_ranks_np%d%s",
                 size, formats[f].ending);
    }
}

static void
make_contexts(void)
{
    int n;

    for (n = 1; n <= size; n++) {
        MPI_Comm comm;

        MPI_Comm_split(MPI_COMM_WORLD, rank < n ? 0 : MPI_UNDEFINED, rank,
                       &comm);
        if (comm != MPI_COMM_NULL) {
            check(paulimpi_context_create(comm, NULL, &with[n]));
            MPI_Comm_free(&comm);
        }
    }
}

/* All terms of a sum that is on one rank, on several. */
static paulimpi_sum *
spread(paulimpi_context *ctx, const paulimpi_sum *sum)
{
    term_list all = terms_of(sum);
    paulimpi_sum *copy;

    check(paulimpi_sum_create(ctx, paulimpi_sum_qubits(sum), &copy));
    check(paulimpi_sum_add_terms(copy, all.n, all.x, all.z, all.coefficient));
    term_list_free(&all);
    return copy;
}

static int
write_it(paulimpi_context *ctx, const paulimpi_sum *sum, int f)
{
    paulimpi__file file = { .function = "test", .path = formats[f].path };
    paulimpi_sum *copy = spread(ctx, sum);
    int rc;

    setenv("PAULIMPI_TEST_FILES_BY_ROOT", formats[f].by_root, 1);
    rc = formats[f].is_plain ? paulimpi__file_write(&file, copy)
                             : paulimpi_sum_write(copy, formats[f].path);
    unsetenv("PAULIMPI_TEST_FILES_BY_ROOT");
    paulimpi_sum_destroy(&copy);
    return rc;
}

/* Whether a file is a sum, which get_terms gives all ranks alike. */
static int
comes_back(paulimpi_context *ctx, const paulimpi_sum *sum, int f)
{
    paulimpi_sum *copy;
    term_list got, want;
    int is_same;

    check(paulimpi_sum_create(ctx, paulimpi_sum_qubits(sum), &copy));
    if (paulimpi_sum_read(copy, formats[f].path) != PAULIMPI_SUCCESS) {
        tap_note("%s", paulimpi_last_error());
    }
    got = terms_of(copy);
    want = terms_of(sum);
    is_same =
        got.n == want.n
        && memcmp(got.x, want.x, 8 * (size_t)(got.n * got.words)) == 0
        && memcmp(got.z, want.z, 8 * (size_t)(got.n * got.words)) == 0
        && memcmp(got.coefficient, want.coefficient, 8 * (size_t)got.n) == 0;
    term_list_free(&got);
    term_list_free(&want);
    paulimpi_sum_destroy(&copy);
    return is_same;
}

/* Written on any number of ranks, read on any. */
static void
test_numbers(const paulimpi_sum *sum, int f)
{
    int from, to;

    for (from = 1; from <= size; from++) {
        int rc = PAULIMPI_SUCCESS;

        if (with[from] != NULL) {
            rc = write_it(with[from], sum, f);
        }
        tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "%s: %d terms from %d ranks",
                          formats[f].name, (int)paulimpi_sum_terms(sum), from);
        MPI_Barrier(MPI_COMM_WORLD);
        for (to = 1; to <= size; to++) {
            tap_mpi_ok(with[to] == NULL || comes_back(with[to], sum, f),
                       "come back on %d", to);
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
}

/* An error of rank 0 is one of all, and nobody waits. */
static void
test_errors(int f)
{
    paulimpi_sum *sum;
    int rc;

    check(paulimpi_sum_create(with[size], 70, &sum));
    check(paulimpi_sum_add_text(sum, "2 X0 - Z69", 1.0));
    rc = paulimpi_sum_write(sum, f < 2 ? "missing/folder/x" : "missing/x.h5");
    tap_mpi_ok(rc == (rank == 0 ? PAULIMPI_ERR_IO : PAULIMPI_ERR_REMOTE),
               "%s: a folder that is missing is an error on all ranks",
               formats[f].name);
    if (rank == 0) {
        truncate(formats[f].path, 700);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    rc = paulimpi_sum_read(sum, formats[f].path);
    tap_mpi_ok(rc != PAULIMPI_SUCCESS, "so is a file that was cut off");
    tap_mpi_ok(paulimpi_sum_terms(sum) == 2, "and the sum is as it was");
    paulimpi_sum_destroy(&sum);
}

int
main(int argc, char **argv)
{
    dice d = { 5 };
    paulimpi_sum *sums[3];
    int f, i, status;

    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    alone = make_context(1);
    name_files();
    make_contexts();
    sums[0] = make_sum(alone, 70, "0");
    sums[1] = make_sum(alone, 70, "0.5 Z0 - 3 X69");
    sums[2] = make_random_sum(alone, 570, 30000, 0, 570, 5, &d, NULL);
    for (f = 0; f < FORMATS; f++) {
        if (f >= 2 && paulimpi__format_hdf5 == NULL) {
            break;
        }
        /* The last one has several pieces a rank, which text has not. */
        for (i = 0; i < (f == 0 ? 2 : 3); i++) {
            test_numbers(sums[i], f);
        }
        test_errors(f);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            unlink(formats[f].path);
        }
    }
    for (i = 0; i < 3; i++) {
        paulimpi_sum_destroy(&sums[i]);
    }
    for (i = 1; i <= size; i++) {
        paulimpi_context_destroy(&with[i]);
    }
    paulimpi_context_destroy(&alone);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
