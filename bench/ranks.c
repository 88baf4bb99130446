/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A workload on the ranks that there are: time, bytes that moved, memory of the
 * rank that needed most, and what MPI alone needs for as many bytes.
 *
 *     mpirun -n 2 bench/ranks WORKLOAD THREADS REPEATS
 *
 * prints a line of JSON.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "memory.h"
#include "workloads.h"

enum {
    ROUND_BYTES = 512 * 1024, /* of a message for each other rank */
    TRIES = 5
};

typedef struct {
    paulimpi_propagation_report report; /* of the quickest repeat */
    double first;                       /* seconds of the first repeat, */
    double best;                        /* and of the quickest, on all ranks */
    double raw;                         /* seconds of MPI for the bytes */
    int64_t growth;                     /* of memory in the first repeat */
    int64_t payload;                    /* of a rank, at the fullest */
} findings;

/* Seconds in which every rank sends each other one its part of so many bytes,
 * message by message: the best of several tries. */
static double
time_raw(int64_t bytes)
{
    int64_t n_rounds, i;
    double best = 0.0;
    char *send, *receive;
    int size, try;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size == 1 || bytes == 0) {
        return 0.0;
    }
    n_rounds = bytes / size / (size - 1) / ROUND_BYTES + 1;
    send = calloc((size_t)size, ROUND_BYTES);
    receive = calloc((size_t)size, ROUND_BYTES);
    for (try = 0; try < TRIES; try++) {
        double seconds = 0.0;

        MPI_Barrier(MPI_COMM_WORLD);
        seconds = -MPI_Wtime();
        for (i = 0; i < n_rounds; i++) {
            MPI_Alltoall(send, ROUND_BYTES, MPI_BYTE, receive, ROUND_BYTES,
                         MPI_BYTE, MPI_COMM_WORLD);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        seconds += MPI_Wtime();
        best = try == 0 || seconds < best ? seconds : best;
    }
    free(send);
    free(receive);
    return best * (double)bytes
           / ((double)n_rounds * ROUND_BYTES * size * (size - 1));
}

/* Propagate a fresh copy of the observable once; seconds on all ranks. */
static int
propagate(const workload_problem *problem, findings *found, double *seconds)
{
    paulimpi_propagation_options how = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    paulimpi_sum *sum;
    int rc = paulimpi_sum_copy(problem->observable, &sum);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    how.truncation.min_abs = problem->eps;
    how.truncation.max_weight = problem->max_weight;
    MPI_Barrier(MPI_COMM_WORLD);
    *seconds = -MPI_Wtime();
    rc = paulimpi_propagate(sum, problem->circuit, &how, &found->report);
    MPI_Barrier(MPI_COMM_WORLD);
    *seconds += MPI_Wtime();
    paulimpi_sum_destroy(&sum);
    return rc;
}

static int
measure(const workload_problem *problem, int repeats, findings *found)
{
    int64_t n_qubits = paulimpi_sum_qubits(problem->observable);
    int64_t term_bytes = 8 * (2 * paulimpi_pauli_words(n_qubits) + 1);
    int64_t before, growth;
    int rc = PAULIMPI_SUCCESS;
    int size, i;

    memory_forget_peak();
    before = memory_resident("VmRSS:");
    for (i = 0; i < repeats && rc == PAULIMPI_SUCCESS; i++) {
        double seconds = 0.0;

        rc = propagate(problem, found, &seconds);
        if (i == 0) {
            growth = memory_resident("VmHWM:") - before;
            MPI_Allreduce(&growth, &found->growth, 1, MPI_INT64_T, MPI_MAX,
                          MPI_COMM_WORLD);
            found->first = seconds;
        }
        found->best = i == 0 || seconds < found->best ? seconds : found->best;
    }
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    found->payload = found->report.peak_terms * term_bytes / size;
    found->raw = time_raw(found->report.bytes_moved);
    return rc;
}

static void
print_findings(const workload *w, const findings *found)
{
    const paulimpi_propagation_report *report = &found->report;
    char text[WORKLOAD_TEXT];

    workload_full_name(w, text);
    printf("{\"workload\": \"%s\", \"ranks\": %d, \"threads\": %d, ", text,
           report->ranks, report->threads);
    printf("\"seconds\": %.6f, \"first_seconds\": %.6f, ", found->best,
           found->first);
    printf("\"moves\": %" PRId64 ", \"bytes_moved\": %" PRId64
           ", \"raw_seconds\": %.6f, \"imbalance\": %.4f, ",
           report->moves, report->bytes_moved, found->raw, report->imbalance);
    printf("\"terms\": %" PRId64 ", \"peak_terms\": %" PRId64
           ", \"payload_bytes\": %" PRId64 ", \"growth_bytes\": %" PRId64
           ", \"peak_bytes\": %" PRId64 "}\n",
           report->terms, report->peak_terms, found->payload, found->growth,
           report->peak_bytes);
}

/* Run the workload on a context; 0 or what paulimpi_last_error() tells. */
static int
run(const workload *w, int threads, int repeats, findings *found)
{
    paulimpi_context *ctx;
    workload_problem problem;
    int rc = paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_context_set_threads(ctx, threads);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = workload_build(w, ctx, &problem);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = measure(&problem, repeats, found);
        workload_problem_destroy(&problem);
    }
    paulimpi_context_destroy(&ctx);
    return rc;
}

int
main(int argc, char **argv)
{
    findings found = { .report = PAULIMPI_PROPAGATION_REPORT_INIT };
    char why[WORKLOAD_TEXT] = "WORKLOAD THREADS REPEATS";
    int provided, rank;
    int status = 2;
    workload w;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc == 4 && workload_parse(argv[1], &w, why)) {
        int rc = run(&w, atoi(argv[2]), atoi(argv[3]), &found);

        status = rc != PAULIMPI_SUCCESS;
        snprintf(why, sizeof why, "%s", paulimpi_last_error());
    }
    if (status != 0) {
        fprintf(stderr, "ranks: %s\n", why);
    } else if (rank == 0) {
        print_findings(&w, &found);
    }
    MPI_Finalize();
    return status;
}
