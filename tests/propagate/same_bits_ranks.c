/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The same bits and the same report on several ranks as on one: random
 * problems, with any number of threads and engine, whether terms travel or are
 * so few that all ranks have them.
 *
 * There are more problems if PAULIMPI_SAME_BITS_ROUNDS is set, which may then
 * be on any number of ranks.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "propagate/together.h"
#include "tap/tap_mpi.h"

enum { MOST_RANKS = 64, ROW_WORDS = 20 };

static paulimpi_context *alone;
static paulimpi_context *together;
static int64_t rounds;
static int64_t n_runs;
static dice choice = { 7 };

/* How a problem is run. */
typedef struct {
    int engine;
    int threads;
    const char *copied_terms; /* that all ranks have, at most */
    const char *tile_terms;
    int is_local; /* each rank adds some of the terms */
    int rows;     /* where they are */
    int64_t seed; /* of what is drawn for that */
    int is_weighted;
    int transport; /* by which they move */
} way;

static way
draw_way(void)
{
    static const char *const copied[] = { "0", "0", "100", "4096" };
    static const char *const tiles[] = { "16", "256", "2048" };
    way how = { PAULIMPI_ENGINE_AUTOMATIC, 1, NULL, NULL, 0, 0, 0, 0, 0 };

    how.engine = (int)dice_below(&choice, 4);
    how.threads = 1 + (int)dice_below(&choice, 2);
    how.copied_terms = copied[dice_below(&choice, 4)];
    how.tile_terms = tiles[dice_below(&choice, 3)];
    how.is_local = (int)dice_below(&choice, 2);
    how.rows = (int)dice_below(&choice, PAULIMPI_ROWS_GIVEN + 1);
    how.seed = dice_below(&choice, 1000);
    how.is_weighted = dice_below(&choice, 4) == 0;
    how.transport = (int)dice_below(&choice, PAULIMPI_TRANSPORT_MPI + 1);
    return how;
}

/* What the choice of rows needs beside the options. */
typedef struct {
    uint64_t bits[2][2 * ROW_WORDS];
    int64_t block[ROW_WORDS * 64];
    double weight[MOST_RANKS];
} wanted;

/* Random rows, blocks and weights, the same ones on all ranks. */
static void
want(paulimpi_propagation_options *options, const way *how, int64_t n_qubits,
     wanted *w)
{
    int64_t n_words = paulimpi_pauli_words(n_qubits);
    dice d = { (uint64_t)how->seed };
    int64_t i;

    options->rows = how->rows;
    options->rows_seed = how->seed;
    memset(w, 0, sizeof *w);
    for (i = 0; i < 2 * n_qubits; i++) {
        int64_t q = i % n_qubits;
        int64_t row = dice_below(&d, 4);

        w->block[q] = dice_below(&d, 7) - 1;
        w->bits[i < n_qubits ? 0 : 1][row % 2 * n_words + q / 64] |=
            (uint64_t)(row < 2) << q % 64;
        w->bits[i < n_qubits ? 0 : 1][q / 64] |= q < 2 ? (uint64_t)1 << q : 0;
    }
    for (i = 0; i < MOST_RANKS; i++) {
        w->weight[i] = dice_uniform(&d, 0.5, 4.0);
    }
    if (how->rows == PAULIMPI_ROWS_GIVEN
        || how->rows == PAULIMPI_ROWS_EXCLUDE) {
        options->n_rows = how->rows == PAULIMPI_ROWS_GIVEN ? 2 : 1;
        options->rows_x = w->bits[0];
        options->rows_z = w->bits[1];
    }
    if (how->rows == PAULIMPI_ROWS_BLOCKS && how->seed % 2 == 1) {
        options->n_blocks = n_qubits;
        options->blocks = w->block;
    }
    if (how->is_weighted) {
        options->n_weights = paulimpi_context_size(together);
        options->weights = w->weight;
    }
}

static outcome
run_together(const problem *p, const way *how)
{
    paulimpi_propagation_options options = p->options;
    wanted rows;

    setenv("PAULIMPI_TEST_COPIED_TERMS", how->copied_terms, 1);
    setenv("PAULIMPI_TEST_TILE_TERMS", how->tile_terms, 1);
    options.engine = how->engine;
    options.transport = how->transport;
    want(&options, how, paulimpi_sum_qubits(p->sum), &rows);
    check(paulimpi_context_set_threads(together, how->threads));
    n_runs++;
    return solve_together(together, p, &options, how->is_local);
}

/* Whether a problem comes out the same; how many ways are drawn. */
static int
is_same_everywhere(const problem *p, int n_ways)
{
    outcome first = solve_alone(p);
    int same = 1;
    int i;

    for (i = 0; i < n_ways; i++) {
        way how = draw_way();
        outcome o = run_together(p, &how);

        if (!same_outcome(&first, &o)) {
            tap_note("seed %d: %s differs: engine %d, %d threads, copied up "
                     "to %s, tiles of %s, %s terms, rows %d by %d, transport "
                     "%d",
                     (int)p->seed,
                     same_terms(&first, &o) ? "the report" : "the sum",
                     how.engine, how.threads, how.copied_terms, how.tile_terms,
                     how.is_local ? "local" : "replicated", how.rows,
                     (int)how.seed, how.transport);
            same = 0;
        }
    }
    return same;
}

static void
test_random(void)
{
    static const int64_t widths[] = { 20, 150, 570 };
    int64_t n_problems = rounds == 0 ? 2 : rounds * 10;
    int64_t i, k;

    for (i = 0; i < (int64_t)(sizeof widths / sizeof widths[0]); i++) {
        int n_wrong = 0;

        for (k = 0; k < n_problems; k++) {
            problem p = draw_problem(alone, widths[i], (int)((k + i) % N_SUMS),
                                     (uint64_t)(1000 * i + k));

            choose_min_abs(&p, exponent_of((int)((k + i) % N_SUMS)));
            n_wrong += !is_same_everywhere(&p, 3);
            problem_destroy(&p);
        }
        tap_mpi_ok(n_wrong == 0, "%d qubits: random circuits and sums",
                   (int)widths[i]);
    }
}

/* Letters on a qubit that no term has had a letter on before: they come from a
 * map, when the terms are on several ranks already, and move in groups of gates
 * that were planned before. */
static void
test_new_letters(void)
{
    static const way how = { PAULIMPI_ENGINE_TILE,
                             1,
                             "100",
                             "16",
                             0,
                             PAULIMPI_ROWS_PLANNED,
                             0,
                             0,
                             PAULIMPI_TRANSPORT_SEGMENT };
    script *s = script_create(20);
    problem p = { .name = "new letters",
                  .options = PAULIMPI_PROPAGATION_OPTIONS_INIT };
    outcome one, all;
    int64_t k, q;

    for (k = 0; k < 6; k++) {
        if (k >= 2) {
            script_one(s, "amplitude_damping", 9 + k, 0.3);
        }
        for (q = 0; q < 9; q++) {
            script_two(s, "rzz", q, q + 1, 0.3);
        }
        for (q = 0; q < 10; q++) {
            script_one(s, "rx", q, 0.4);
        }
        if (k >= 2) {
            script_one(s, "rx", 9 + k, 0.5);
        }
    }
    p.circuit = make_circuit(s);
    p.sum = make_sum(alone, 20, "Z3 + 0.5 X7 - 0.25 Y5 Z6");
    p.options.picture = PAULIMPI_SCHROEDINGER;
    p.options.truncation.min_abs = 1e-4;
    one = solve_alone(&p);
    all = run_together(&p, &how);
    tap_mpi_ok(same_outcome(&one, &all), "letters that a map brings: %d terms",
               (int)one.report.terms);
    problem_destroy(&p);
    script_destroy(s);
}

int
main(int argc, char **argv)
{
    const char *wish = getenv("PAULIMPI_SAME_BITS_ROUNDS");
    int provided, status;

    rounds = wish == NULL ? 0 : strtoll(wish, NULL, 10);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    tap_mpi_begin(wish == NULL ? argv[0] : "on any number of ranks");
    alone = make_context(1);
    check(paulimpi_context_create(MPI_COMM_WORLD, NULL, &together));
    test_random();
    test_new_letters();
    tap_note("%d runs on %d ranks", (int)n_runs,
             paulimpi_context_size(together));
    paulimpi_context_destroy(&alone);
    paulimpi_context_destroy(&together);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
