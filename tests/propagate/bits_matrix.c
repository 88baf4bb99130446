/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random circuits, each on all ranks with every number of threads and choice of
 * rows in turn: the bits and the report of one rank. It is run on each number
 * of ranks by bits_matrix_ranks.sh.
 *
 *   PAULIMPI_MATRIX_CIRCUITS  how many (2)
 *   PAULIMPI_MATRIX_SEED      the number of the first one (1)
 *   PAULIMPI_MATRIX_TRANSPORT how terms move inside a node: auto, segment, mpi
 *                             (auto)
 *   PAULIMPI_MATRIX_ANSWERS   a file that a run on one rank writes, with what
 *                             comes out there, and other runs read; without it
 *                             each rank works that out for itself
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "propagate/together.h"
#include "tap/tap_mpi.h"

static const int choices[] = { PAULIMPI_ROWS_RANDOM, PAULIMPI_ROWS_BLOCKS,
                               PAULIMPI_ROWS_PLANNED };
enum { N_CHOICES = sizeof choices / sizeof choices[0], MOST_THREADS = 2 };

/* What comes of a circuit on one rank, and the limit that was found for it. */
typedef struct {
    uint64_t circuit;
    double min_abs;
    outcome outcome;
} answer;

/* How many combinations were compared, and in how many terms moved. */
typedef struct {
    int64_t combinations;
    int64_t with_moves;
    int64_t moves;
    int64_t terms_moved;
    int64_t bytes_moved;
    int64_t bytes_segment;  /* of them, through segments */
    int64_t still_circuits; /* in none of whose combinations terms moved */
} tally;

static paulimpi_context *alone;
static paulimpi_context *together;
static tally total;
static int transport;

static int64_t
number(const char *name, int64_t otherwise)
{
    const char *text = getenv(name);
    int64_t value = text == NULL ? 0 : strtoll(text, NULL, 10);

    return value > 0 ? value : otherwise;
}

static int
kind_of(uint64_t circuit)
{
    return (int)(circuit % N_SUMS);
}

/* The others are small, so that there can be many of them. */
static int
is_large(uint64_t circuit)
{
    return circuit / N_SUMS % 8 == 0;
}

/* Whether there is such a transport. */
static int
choose_transport(const char *name)
{
    static const char *const names[] = {
        [PAULIMPI_TRANSPORT_AUTOMATIC] = "auto",
        [PAULIMPI_TRANSPORT_SEGMENT] = "segment",
        [PAULIMPI_TRANSPORT_MPI] = "mpi",
    };
    int n = sizeof names / sizeof names[0];
    int i = 0;

    while (name != NULL && i < n && strcmp(name, names[i]) != 0) {
        i++;
    }
    transport = name == NULL ? PAULIMPI_TRANSPORT_AUTOMATIC : i;
    return i < n;
}

static problem
draw(uint64_t circuit)
{
    static const int64_t widths[] = { 20, 70, 150 };
    int64_t n = widths[circuit / N_SUMS % 3];

    return is_large(circuit)
               ? draw_problem(alone, n, kind_of(circuit), circuit)
               : draw_small_problem(alone, n, kind_of(circuit), circuit);
}

/* From how many terms on these are on several ranks, and how many a tile has:
 * few, so that those of small sums move as well; in large circuits that begin
 * with many terms as many as users have. */
static void
choose_sizes(uint64_t circuit)
{
    if (is_large(circuit) && kind_of(circuit) >= SUM_MANY) {
        unsetenv("PAULIMPI_TEST_COPIED_TERMS");
        unsetenv("PAULIMPI_TEST_TILE_TERMS");
    } else {
        setenv("PAULIMPI_TEST_COPIED_TERMS", "16", 1);
        setenv("PAULIMPI_TEST_TILE_TERMS", "256", 1);
    }
}

static answer
find_answer(uint64_t circuit)
{
    problem p = draw(circuit);
    answer a;

    memset(&a, 0, sizeof a);
    choose_sizes(circuit);
    choose_min_abs(&p, exponent_of(kind_of(circuit)));
    a.circuit = circuit;
    a.min_abs = p.options.truncation.min_abs;
    a.outcome = solve_alone(&p);
    problem_destroy(&p);
    return a;
}

/* Read the answers to circuits from `first` on from a file; whether it has
 * them. */
static int
read_answers(const char *name, uint64_t first, int64_t n, answer *answers)
{
    FILE *file = fopen(name, "rb");
    int is_read =
        file != NULL
        && fread(answers, sizeof *answers, (size_t)n, file) == (size_t)n;
    int64_t i;

    if (file != NULL) {
        fclose(file);
    }
    for (i = 0; i < n && is_read; i++) {
        is_read = answers[i].circuit == first + (uint64_t)i;
    }
    return is_read;
}

static int
write_answers(const char *name, int64_t n, const answer *answers)
{
    FILE *file = fopen(name, "wb");
    int is_written =
        file != NULL
        && fwrite(answers, sizeof *answers, (size_t)n, file) == (size_t)n;

    return (file == NULL || fclose(file) == 0) && is_written;
}

static answer *
get_answers(uint64_t first, int64_t n)
{
    const char *name = getenv("PAULIMPI_MATRIX_ANSWERS");
    int is_one = paulimpi_context_size(together) == 1;
    answer *answers = calloc((size_t)n, sizeof *answers);
    int64_t i;

    if (name != NULL && !is_one) {
        if (!read_answers(name, first, n, answers)) {
            tap_mpi_bail("%s has not the answers of one rank", name);
        }
        return answers;
    }
    for (i = 0; i < n; i++) {
        answers[i] = find_answer(first + (uint64_t)i);
    }
    if (name != NULL && !write_answers(name, n, answers)) {
        tap_mpi_bail("%s cannot be written", name);
    }
    return answers;
}

/* Solve a problem in one way; whether it comes out as on one rank. */
static int
is_same(const problem *p, const outcome *want, int threads, int choice)
{
    paulimpi_propagation_options options = p->options;
    outcome got;

    check(paulimpi_context_set_threads(together, threads));
    options.rows = choices[choice];
    options.rows_seed = (int64_t)p->seed;
    options.transport = transport;
    got = solve_together(together, p, &options, choice % 2);
    total.combinations++;
    total.with_moves += got.report.terms_moved > 0;
    total.moves += got.report.moves;
    total.terms_moved += got.report.terms_moved;
    total.bytes_moved += got.report.bytes_moved;
    total.bytes_segment += got.report.bytes_segment;
    if (same_outcome(want, &got)) {
        return 1;
    }
    tap_note("circuit %d: %d threads, rows %d: %s differs", (int)p->seed,
             threads, options.rows,
             same_terms(want, &got) ? "the report" : "the sum");
    return 0;
}

/* Solve a problem in all ways. How many of them are wrong. */
static int
count_wrong(const answer *a)
{
    int64_t moves_before = total.with_moves;
    problem p = draw(a->circuit);
    int n_wrong = 0;
    int threads, i;

    choose_sizes(a->circuit);
    p.options.truncation.min_abs = a->min_abs;
    for (threads = 1; threads <= MOST_THREADS; threads++) {
        for (i = 0; i < N_CHOICES; i++) {
            n_wrong += !is_same(&p, &a->outcome, threads, i);
        }
    }
    total.still_circuits += total.with_moves == moves_before;
    problem_destroy(&p);
    return n_wrong;
}

static void
tell_total(void)
{
    if (paulimpi_context_rank(together) == 0) {
        tap_note("%lld combinations, %lld of them with moves",
                 (long long)total.combinations, (long long)total.with_moves);
        tap_note("%lld terms in %lld moves; no moves in %lld circuits",
                 (long long)total.terms_moved, (long long)total.moves,
                 (long long)total.still_circuits);
        tap_note("%lld of %lld bytes through segments",
                 (long long)total.bytes_segment, (long long)total.bytes_moved);
    }
}

int
main(int argc, char **argv)
{
    int64_t n_circuits, first, i;
    answer *answers;
    int n_wrong = 0;
    int provided, status;

    n_circuits = number("PAULIMPI_MATRIX_CIRCUITS", 2);
    first = number("PAULIMPI_MATRIX_SEED", 1);
    (void)argv;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    tap_mpi_begin("on any number of ranks");
    if (!choose_transport(getenv("PAULIMPI_MATRIX_TRANSPORT"))) {
        tap_mpi_bail("PAULIMPI_MATRIX_TRANSPORT is not auto, segment or mpi");
    }
    alone = make_context(1);
    check(paulimpi_context_create(MPI_COMM_WORLD, NULL, &together));
    answers = get_answers((uint64_t)first, n_circuits);
    for (i = 0; i < n_circuits; i++) {
        n_wrong += count_wrong(&answers[i]);
    }
    tap_mpi_ok(n_wrong == 0 && total.combinations > 0,
               "%d circuits have the bits of one rank", (int)n_circuits);
    tell_total();
    free(answers);
    paulimpi_context_destroy(&alone);
    paulimpi_context_destroy(&together);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
