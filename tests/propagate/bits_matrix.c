/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random circuits, each on all ranks with every number of threads and choice of
 * rows in turn: the bits and the report of one rank. It is run on each number
 * of ranks by bits_matrix_ranks.sh; PAULIMPI_MATRIX_CIRCUITS and
 * PAULIMPI_MATRIX_SEED say how many circuits, and which.
 */
#include <stdlib.h>

#include <mpi.h>

#include "propagate/together.h"
#include "tap/tap_mpi.h"

static const int choices[] = { PAULIMPI_ROWS_RANDOM, PAULIMPI_ROWS_BLOCKS,
                               PAULIMPI_ROWS_PLANNED };
enum { N_CHOICES = sizeof choices / sizeof choices[0], MOST_THREADS = 2 };

static paulimpi_context *together;
static int64_t n_combinations;

static int64_t
number(const char *name, int64_t otherwise)
{
    const char *text = getenv(name);
    int64_t value = text == NULL ? 0 : strtoll(text, NULL, 10);

    return value > 0 ? value : otherwise;
}

/* Solve a problem in all ways. How many of them are wrong. */
static int
count_wrong(const problem *p)
{
    outcome want = solve_alone(p);
    int n_wrong = 0;
    int threads, i;

    for (threads = 1; threads <= MOST_THREADS; threads++) {
        check(paulimpi_context_set_threads(together, threads));
        for (i = 0; i < N_CHOICES; i++) {
            paulimpi_propagation_options options = p->options;
            outcome got;

            options.rows = choices[i];
            options.rows_seed = (int64_t)p->seed;
            got = solve_together(together, p, &options, i % 2);
            n_combinations++;
            if (!same_outcome(&want, &got)) {
                tap_note("circuit %d: %d threads, rows %d: %s differs",
                         (int)p->seed, threads, choices[i],
                         same_terms(&want, &got) ? "the report" : "the sum");
                n_wrong++;
            }
        }
    }
    return n_wrong;
}

int
main(int argc, char **argv)
{
    static const int64_t widths[] = { 20, 70, 150 };
    int64_t n_circuits, seed, k;
    paulimpi_context *alone;
    int n_wrong = 0;
    int provided, status;

    n_circuits = number("PAULIMPI_MATRIX_CIRCUITS", 2);
    seed = number("PAULIMPI_MATRIX_SEED", 1);
    (void)argv;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    tap_mpi_begin("on any number of ranks");
    alone = make_context(1);
    check(paulimpi_context_create(MPI_COMM_WORLD, NULL, &together));
    for (k = seed; k < seed + n_circuits; k++) {
        int kind = (int)(k % N_SUMS);
        problem p =
            draw_problem(alone, widths[k / N_SUMS % 3], kind, (uint64_t)k);

        choose_min_abs(&p, exponent_of(kind));
        n_wrong += count_wrong(&p);
        problem_destroy(&p);
    }
    tap_mpi_ok(n_wrong == 0 && n_combinations > 0,
               "%d circuits have the bits of one rank", (int)n_circuits);
    tap_note("%d combinations", (int)n_combinations);
    paulimpi_context_destroy(&alone);
    paulimpi_context_destroy(&together);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
