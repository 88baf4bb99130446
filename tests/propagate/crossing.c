/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages of a propagation and their bytes, counted where they are handed to
 * MPI, are those of a model, on each rank. Before a move every rank tells each
 * other one how many terms come. If any rank has terms for another, each sends
 * each other one its terms, or none, in a message.
 *
 * The model knows sums that are too small to be dealt out by buckets, of ranks
 * that share no memory.
 */
#include <stdlib.h>

#include <mpi.h>

#include "../bench/virtual_ranks.h"
#include "../bench/workloads.h"
#include "propagate/support.h"
#include "tap/tap_mpi.h"

enum {
    NUMBER_BYTES = 8 /* of a number of terms */
};

/* What a rank sends. */
typedef struct {
    int64_t messages;
    int64_t bytes;
} traffic;

static paulimpi_context *alone;
static paulimpi_context *together;

/* Propagate on all ranks; what this one sends. */
static traffic
count_sent(const workload_problem *problem,
           const paulimpi_propagation_options *options,
           paulimpi_propagation_report *report)
{
    paulimpi_counter *counter;
    traffic sent;

    check(paulimpi_counter_create(NULL, &counter));
    check(paulimpi_counter_begin(counter));
    check(paulimpi_propagate(problem->observable, problem->circuit, options,
                             report));
    check(paulimpi_counter_end(counter));
    check(paulimpi_counter_get(counter, NULL, PAULIMPI_COUNT_MPI_HOST,
                               &sent.messages, &sent.bytes));
    paulimpi_counter_destroy(&counter);
    return sent;
}

/* What this rank sends, by the model. */
static traffic
predict_sent(const virtual_run *run)
{
    const int64_t *pair =
        run->pair + paulimpi_context_rank(together) * run->n_ranks;
    int64_t others = run->n_ranks - 1;
    int64_t rounds = run->moves; /* of all ranks to all others */
    int64_t terms = 0;
    int64_t i;

    for (i = 0; i < run->n_stretches; i++) {
        rounds += run->stretch[i].moved > 0;
    }
    for (i = 0; i < run->n_ranks; i++) {
        terms += pair[i];
    }
    return (traffic){ rounds * others,
                      terms * virtual_term_bytes(run->n_words)
                          + run->moves * others * NUMBER_BYTES };
}

static void
test_workload(const char *name)
{
    paulimpi_propagation_options how = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    workload_problem here, there;
    char why[WORKLOAD_TEXT];
    virtual_run run = { 0 };
    traffic sent, predicted;
    workload w;

    if (!workload_parse(name, &w, why)) {
        tap_mpi_ok(0, "%s", why);
        return;
    }
    check(workload_build(&w, alone, &here));
    check(workload_build(&w, together, &there));
    how.truncation.min_abs = here.eps;
    how.truncation.max_weight = here.max_weight;
    sent = count_sent(&there, &how, &report);
    check(virtual_ranks_run(here.observable, here.circuit, &how,
                            paulimpi_context_size(together), NULL, &run));
    predicted = predict_sent(&run);
    tap_mpi_ok(run.terms_moved > 0, "%s: terms move", name);
    tap_mpi_is_int(sent.messages, predicted.messages,
                   "each rank sends the messages of the model");
    tap_mpi_is_int(sent.bytes, predicted.bytes, "and their bytes");
    tap_mpi_is_int(report.bytes_moved,
                   run.terms_moved * virtual_term_bytes(run.n_words),
                   "the report has the bytes of the terms");
    virtual_run_free(&run);
    workload_problem_destroy(&here);
    workload_problem_destroy(&there);
}

int
main(int argc, char **argv)
{
    int status;

    setenv("PAULIMPI_TEST_NODE_SIZE", "1", 1);
    setenv("PAULIMPI_TEST_COPIED_TERMS", "0", 1);
    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    alone = make_context(1);
    check(paulimpi_context_create(MPI_COMM_WORLD, NULL, &together));
    test_workload("kicked-ising:log2eps=-6");
    test_workload("lattice-b:steps=3");
    test_workload("su4:n=8,depth=2");
    test_workload("xxz:n=12,steps=2,eps=1e-3");
    paulimpi_context_destroy(&together);
    paulimpi_context_destroy(&alone);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
