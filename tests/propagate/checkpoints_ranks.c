/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A propagation that was stopped on some ranks and goes on from a checkpoint on
 * others gives the bits of one on one rank that was not.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include "propagate/together.h"
#include "tap/tap_mpi.h"

enum { MOST_RANKS = 4 };

static paulimpi_context *alone;
static paulimpi_context *with[MOST_RANKS + 1]; /* the first ranks; or NULL */
static int rank, size;
static dice choice = { 11 };
static const char *paths[] = { "checkpoints_ranks.plain",
                               "checkpoints_ranks.h5" };
static int n_paths = 1;

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

static int
stop_at(const paulimpi_propagation_progress *progress, void *data)
{
    return progress->gates_done >= *(const int64_t *)data;
}

/* A part of the run on n ranks, the first one or one that goes on: what it
 * leaves on rank 0, and its code. */
static outcome
run_part(const problem *p, const char *path, int n, int64_t goal, int is_first,
         int *rc_p)
{
    outcome o = { { 0, 0 }, PAULIMPI_PROPAGATION_REPORT_INIT };
    paulimpi_propagation_options options = p->options;
    uint64_t mine[2] = { 0, 0 };
    paulimpi_sum *sum;

    options.engine = (int)dice_below(&choice, 4);
    options.checkpoint_path = path;
    options.checkpoint_gates = 5 + dice_below(&choice, 40);
    options.restart_path = is_first ? NULL : path;
    options.progress = stop_at;
    options.progress_data = &goal;
    if (with[n] != NULL) {
        term_list all = terms_of(p->sum);

        check(paulimpi_sum_create(with[n], paulimpi_sum_qubits(p->sum), &sum));
        check(
            paulimpi_sum_add_terms(sum, all.n, all.x, all.z, all.coefficient));
        term_list_free(&all);
        *rc_p = paulimpi_propagate(sum, p->circuit, &options, &o.report);
        if (*rc_p != PAULIMPI_ERR_CANCELLED && *rc_p != PAULIMPI_ERR_REMOTE) {
            check(*rc_p);
        }
        checksum_add(sum, mine);
        paulimpi_sum_destroy(&sum);
    }
    checksum_add_ranks(mine, o.checksum);
    MPI_Bcast(rc_p, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return o;
}

/* Whether a run comes out the same if it is stopped now and then. */
static int
is_same(const problem *p, const char *path)
{
    outcome want = solve_alone(p);
    int64_t gates = paulimpi_circuit_gates(p->circuit);
    int64_t goal = gates / 4 + 1;
    int is_first = 1;
    int rc = PAULIMPI_SUCCESS;
    outcome got;

    do {
        int n = 1 + (int)dice_below(&choice, size);

        got = run_part(p, path, n, goal, is_first, &rc);
        goal += gates / 4 + 1;
        is_first = 0;
    } while (rc != PAULIMPI_SUCCESS && goal < 4 * gates + 100);
    if (rank != 0) {
        return 1;
    }
    unlink(path);
    if (!same_terms(&got, &want)) {
        tap_note("seed %d: the sum differs", (int)p->seed);
        return 0;
    }
    if (!same_report(&got.report, &want.report)) {
        tap_note("seed %d: the report differs", (int)p->seed);
        return 0;
    }
    return 1;
}

static void
test_random(const char *copied)
{
    static const int64_t widths[] = { 20, 100, 150 };
    int64_t i, k;

    setenv("PAULIMPI_TEST_COPIED_TERMS", copied, 1);
    for (i = 0; i < (int64_t)(sizeof widths / sizeof widths[0]); i++) {
        int n_wrong = 0;

        for (k = 0; k < 2; k++) {
            int kind = (int)((k + 2 * i) % N_SUMS);
            problem p =
                draw_problem(alone, widths[i], kind, (uint64_t)(50 * i + k));

            choose_min_abs(&p, exponent_of(kind));
            n_wrong += !is_same(&p, paths[k % n_paths]);
            problem_destroy(&p);
        }
        tap_mpi_ok(n_wrong == 0,
                   "%d qubits, up to %s terms on all ranks: in parts on any "
                   "ranks as in one go on one",
                   (int)widths[i], copied);
    }
}

/* What differs between ranks is an error of all. */
static void
test_refusal(void)
{
    problem p = draw_problem(alone, 20, SUM_FEW, 1);
    paulimpi_propagation_options options = p.options;
    paulimpi_sum *sum;
    int rc;

    check(paulimpi_sum_create(with[size], 20, &sum));
    options.restart_path = "checkpoints_ranks.missing";
    rc = paulimpi_propagate(sum, p.circuit, &options, NULL);
    tap_mpi_ok(rc == PAULIMPI_ERR_IO || rc == PAULIMPI_ERR_REMOTE,
               "a checkpoint that is missing is an error on all ranks");
    options.restart_path = NULL;
    options.checkpoint_path = "missing/checkpoint";
    rc = paulimpi_propagate(sum, p.circuit, &options, NULL);
    tap_mpi_ok(rc == (rank == 0 ? PAULIMPI_ERR_IO : PAULIMPI_ERR_REMOTE),
               "so is a name that rank 0 cannot write to");
    options.checkpoint_path = rank == 1 ? NULL : paths[0];
    rc = paulimpi_propagate(sum, p.circuit, &options, NULL);
    tap_mpi_ok(rc == PAULIMPI_ERR_MISMATCH,
               "and a checkpoint that not all ranks want");
    paulimpi_sum_destroy(&sum);
    problem_destroy(&p);
}

int
main(int argc, char **argv)
{
    int provided, status, i;
    char *info;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    tap_mpi_begin(argv[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check(paulimpi_info(&info));
    n_paths = strstr(info, "\nHDF5: yes\n") != NULL ? 2 : 1;
    paulimpi_text_destroy(&info);
    alone = make_context(1);
    make_contexts();
    test_random("0");
    test_random("500");
    test_refusal();
    for (i = 1; i <= size; i++) {
        paulimpi_context_destroy(&with[i]);
    }
    paulimpi_context_destroy(&alone);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
