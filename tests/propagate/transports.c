/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The ways by which terms move: the same bits, and bytes as a model counts
 * them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>
#include <sys/resource.h>

#include "../bench/virtual_ranks.h"
#include "../bench/workloads.h"
#include "propagate/together.h"
#include "tap/tap_mpi.h"

enum { N_TRANSPORTS = 3 };

static const char *const names[N_TRANSPORTS] = {
    [PAULIMPI_TRANSPORT_AUTOMATIC] = "automatic",
    [PAULIMPI_TRANSPORT_SEGMENT] = "segment",
    [PAULIMPI_TRANSPORT_MPI] = "mpi",
};

static int rank;
static int size;
static paulimpi_context *alone;

/* A context on nodes of so many ranks. */
static paulimpi_context *
make_nodes(int node_size)
{
    paulimpi_context *ctx;
    char text[16];

    snprintf(text, sizeof text, "%d", node_size);
    setenv("PAULIMPI_TEST_NODE_SIZE", text, 1);
    check(paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx));
    check(paulimpi_context_set_threads(ctx, 1));
    unsetenv("PAULIMPI_TEST_NODE_SIZE");
    return ctx;
}

static workload_problem
build(const char *name, paulimpi_context *ctx,
      paulimpi_propagation_options *how)
{
    const paulimpi_propagation_options initial =
        PAULIMPI_PROPAGATION_OPTIONS_INIT;
    workload_problem p;
    char why[WORKLOAD_TEXT];
    workload w;

    if (!workload_parse(name, &w, why)) {
        tap_mpi_bail("%s", why);
    }
    check(workload_build(&w, ctx, &p));
    *how = initial;
    how->truncation.min_abs = p.eps;
    how->truncation.max_weight = p.max_weight;
    return p;
}

/* What one rank finds, and what it counts for so many. */
typedef struct {
    uint64_t checksum[2];
    virtual_run run;
} model;

static model
make_model(const char *name)
{
    paulimpi_propagation_options how;
    workload_problem p = build(name, alone, &how);
    model m = { { 0, 0 }, { 0 } };

    check(
        virtual_ranks_run(p.observable, p.circuit, &how, size, NULL, &m.run));
    check(paulimpi_propagate(p.observable, p.circuit, &how, NULL));
    checksum_add(p.observable, m.checksum);
    workload_problem_destroy(&p);
    return m;
}

/* The terms that go between two ranks of a node. */
static int64_t
count_inside(const model *m, int node_size)
{
    int64_t n = 0;
    int i, k;

    for (i = 0; i < size; i++) {
        for (k = 0; k < size; k++) {
            n += i != k && i / node_size == k / node_size
                     ? m->run.pair[i * size + k]
                     : 0;
        }
    }
    return n;
}

/* Bytes that are right for a transport. */
static int
are_right(int transport, int64_t bytes, int64_t inside)
{
    switch (transport) {
    case PAULIMPI_TRANSPORT_SEGMENT:
        return bytes == inside;
    case PAULIMPI_TRANSPORT_MPI:
        return bytes == 0;
    default: /* at first there may have been too few terms */
        return bytes >= 0 && bytes <= inside;
    }
}

static void
try_transport(const char *name, const model *m, int node_size, int transport)
{
    paulimpi_context *ctx = make_nodes(node_size);
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
    paulimpi_propagation_options how;
    workload_problem p = build(name, ctx, &how);
    int64_t term_bytes = virtual_term_bytes(m->run.n_words);
    int64_t inside = count_inside(m, node_size) * term_bytes;
    uint64_t mine[2] = { 0, 0 };
    uint64_t all[2];

    how.transport = transport;
    tap_mpi_is_status(
        paulimpi_propagate(p.observable, p.circuit, &how, &report),
        PAULIMPI_SUCCESS, "%s, nodes of %d, %s", name, node_size,
        names[transport]);
    checksum_add(p.observable, mine);
    checksum_add_ranks(mine, all);
    tap_mpi_ok(memcmp(all, m->checksum, sizeof all) == 0,
               "the bits of one rank");
    tap_mpi_is_int(report.bytes_moved, m->run.terms_moved * term_bytes,
                   "as many bytes as one rank counts");
    tap_mpi_ok(are_right(transport, report.bytes_segment, inside),
               "of them %d of %d through segments", (int)report.bytes_segment,
               (int)inside);
    workload_problem_destroy(&p);
    paulimpi_context_destroy(&ctx);
}

static void
test_ways(const char *name)
{
    model m = make_model(name);
    int node_size, transport;

    tap_mpi_ok(m.run.terms_moved > 0, "%s: terms move", name);
    for (node_size = 1; node_size <= size; node_size *= 2) {
        for (transport = 0; transport < N_TRANSPORTS; transport++) {
            try_transport(name, &m, node_size, transport);
        }
    }
    virtual_run_free(&m.run);
}

static int
propagate_much(paulimpi_context *ctx, int transport,
               paulimpi_propagation_report *report)
{
    paulimpi_propagation_options how;
    workload_problem p = build("kicked-ising:steps=8,log2eps=-10", ctx, &how);
    int rc;

    how.transport = transport;
    rc = paulimpi_propagate(p.observable, p.circuit, &how, report);
    workload_problem_destroy(&p);
    return rc;
}

/* The last rank may not make files of the size of a segment. */
static int
propagate_without_room(paulimpi_context *ctx, int transport,
                       paulimpi_propagation_report *report)
{
    struct rlimit old, low;
    int rc;

    getrlimit(RLIMIT_FSIZE, &old);
    low = old;
    low.rlim_cur = 1 << 18;
    if (rank == size - 1) {
        setrlimit(RLIMIT_FSIZE, &low);
    }
    rc = propagate_much(ctx, transport, report);
    setrlimit(RLIMIT_FSIZE, &old);
    return rc;
}

static void
test_no_room(void)
{
    static const int automatic = PAULIMPI_TRANSPORT_AUTOMATIC;
    paulimpi_context *ctx = make_nodes(size);
    paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;

    check(propagate_much(ctx, automatic, &report));
    tap_mpi_ok(report.bytes_segment > report.bytes_moved / 2,
               "with room most of %d bytes go through a segment",
               (int)report.bytes_moved);
    tap_mpi_is_status(propagate_without_room(ctx, automatic, &report),
                      PAULIMPI_SUCCESS, "no room for it: MPI does");
    tap_mpi_ok(report.bytes_moved > 0 && report.bytes_segment == 0,
               "for all bytes");
    tap_mpi_is_status(
        propagate_without_room(ctx, PAULIMPI_TRANSPORT_SEGMENT, &report),
        PAULIMPI_ERR_MEMORY, "unless the segment is asked for by name");
    tap_mpi_ok(strstr(paulimpi_last_error(), "(ulimit -f)") != NULL
                   || rank != size - 1,
               "with a sentence");
    paulimpi_context_destroy(&ctx);
}

static int
propagate_by(paulimpi_context *ctx, int transport)
{
    paulimpi_propagation_options how;
    workload_problem p = build("kicked-ising:log2eps=-6", ctx, &how);
    int rc;

    how.transport = transport;
    rc = paulimpi_propagate(p.observable, p.circuit, &how, NULL);
    workload_problem_destroy(&p);
    return rc;
}

static void
test_errors(void)
{
    paulimpi_context *ctx = make_nodes(size);
    int rc = propagate_by(ctx, rank == 1 ? PAULIMPI_TRANSPORT_MPI
                                         : PAULIMPI_TRANSPORT_SEGMENT);

    tap_mpi_is_status(rc, PAULIMPI_ERR_MISMATCH,
                      "ranks with different transports: an error on all");
    tap_mpi_ok(strstr(paulimpi_last_error(), "the transport of rank 1 differs")
                   != NULL,
               "which says so");
    rc = propagate_by(ctx, rank == 1 ? N_TRANSPORTS : 0);
    tap_mpi_is_status(rc,
                      rank == 1 ? PAULIMPI_ERR_ARGUMENT : PAULIMPI_ERR_REMOTE,
                      "one that there is not");
    rc = propagate_by(ctx, rank == 1 ? -1 : 0);
    tap_mpi_is_status(rc,
                      rank == 1 ? PAULIMPI_ERR_ARGUMENT : PAULIMPI_ERR_REMOTE,
                      "and a negative one");
    tap_mpi_ok(strstr(paulimpi_last_error(), "transport is -1, but") != NULL,
               "which is named");
    setenv("PAULIMPI_SEGMENT", "fish", 1);
    rc = propagate_by(ctx, PAULIMPI_TRANSPORT_SEGMENT);
    tap_mpi_is_status(rc, PAULIMPI_ERR_ARGUMENT,
                      "a segment of a way that there is not");
    unsetenv("PAULIMPI_SEGMENT");
    paulimpi_context_destroy(&ctx);
}

int
main(int argc, char **argv)
{
    int status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    tap_mpi_begin(argv[0]);
    setenv("PAULIMPI_TEST_COPIED_TERMS", "0", 1);
    setenv("PAULIMPI_TEST_TILE_TERMS", "64", 1);
    alone = make_context(1);
    test_ways("kicked-ising:log2eps=-8");
    test_ways("su4:n=12,depth=3");
    test_no_room();
    test_errors();
    paulimpi_context_destroy(&alone);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
