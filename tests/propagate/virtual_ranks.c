/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What one rank counts for others is what they do.
 *
 * PAULIMPI_VIRTUAL_BIG is set: larger workloads.
 */
#include <stdlib.h>

#include <mpi.h>

#include "../bench/virtual_ranks.h"
#include "../bench/workloads.h"
#include "propagate/support.h"
#include "tap/tap_mpi.h"

static void
test_workload(paulimpi_context *alone, paulimpi_context *together,
              const char *name, const char *copied)
{
    paulimpi_propagation_options how = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    workload_problem here, there;
    char why[WORKLOAD_TEXT];
    virtual_run run = { 0 };
    workload w;

    setenv("PAULIMPI_TEST_COPIED_TERMS", copied, 1);
    if (!workload_parse(name, &w, why)) {
        tap_mpi_ok(0, "%s", why);
        return;
    }
    check(workload_build(&w, alone, &here));
    check(workload_build(&w, together, &there));
    how.truncation.min_abs = here.eps;
    how.truncation.max_weight = here.max_weight;
    check(paulimpi_propagate(there.observable, there.circuit, &how, &report));
    check(virtual_ranks_run(here.observable, here.circuit, &how,
                            paulimpi_context_size(together), NULL, &run));
    tap_mpi_ok(run.terms_moved > 0, "%s, copied up to %s: terms move", name,
               copied);
    tap_mpi_is_int(run.terms_moved, report.terms_moved, "as many are counted");
    tap_mpi_is_int(run.terms_moved * virtual_term_bytes(run.n_words),
                   report.bytes_moved, "and bytes");
    tap_mpi_is_int(run.moves, report.moves, "in as many moves");
    tap_mpi_is_int(run.stretches, report.stretches, "of as many stretches");
    tap_mpi_ok(run.imbalance == report.imbalance, "with this imbalance");
    tap_mpi_ok(run.terms == report.terms && run.peak_terms == report.peak_terms
                   && run.term_gates == report.term_gates,
               "and as many terms");
    virtual_run_free(&run);
    workload_problem_destroy(&here);
    workload_problem_destroy(&there);
}

int
main(int argc, char **argv)
{
    paulimpi_context *alone, *together;
    int status;

    MPI_Init(&argc, &argv);
    tap_mpi_begin(argv[0]);
    alone = make_context(1);
    check(paulimpi_context_create(MPI_COMM_WORLD, NULL, &together));
    check(paulimpi_context_set_threads(together, 1));
    if (getenv("PAULIMPI_VIRTUAL_BIG") == NULL) {
        /* Small tiles, so that small sums are dealt out over several. */
        setenv("PAULIMPI_TEST_TILE_TERMS", "64", 1);
    }
    test_workload(alone, together, "kicked-ising:log2eps=-8", "0");
    test_workload(alone, together, "kicked-ising:steps=6,log2eps=-9", "100");
    test_workload(alone, together, "lattice-b:steps=6", "10");
    test_workload(alone, together, "su4:n=12,depth=3", "0");
    if (getenv("PAULIMPI_VIRTUAL_BIG") != NULL) {
        test_workload(alone, together, "kicked-ising:steps=8,log2eps=-11",
                      "4096");
        test_workload(alone, together, "lattice-b:steps=10", "4096");
        test_workload(alone, together, "noisy:layers=7", "4096");
        test_workload(alone, together, "dense:terms=200000", "4096");
    }
    paulimpi_context_destroy(&together);
    paulimpi_context_destroy(&alone);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
