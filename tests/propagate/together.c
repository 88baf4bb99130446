/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Problems that are solved by all ranks together, and by one alone.
 */
#include "propagate/together.h"

#include <string.h>

#include <mpi.h>

void
checksum_add_ranks(const uint64_t mine[2], uint64_t all[2])
{
    MPI_Allreduce(&mine[0], &all[0], 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&mine[1], &all[1], 1, MPI_UINT64_T, MPI_BXOR,
                  MPI_COMM_WORLD);
}

outcome
solve_alone(const problem *p)
{
    outcome o = { { 0, 0 }, PAULIMPI_PROPAGATION_REPORT_INIT };
    paulimpi_sum *sum;

    check(paulimpi_sum_copy(p->sum, &sum));
    check(paulimpi_propagate(sum, p->circuit, &p->options, &o.report));
    checksum_add(sum, o.checksum);
    paulimpi_sum_destroy(&sum);
    return o;
}

/* The sum of the problem on all ranks. */
static paulimpi_sum *
distribute(paulimpi_context *together, const problem *p, int is_local)
{
    term_list all = terms_of(p->sum);
    int rank = paulimpi_context_rank(together);
    int size = paulimpi_context_size(together);
    int64_t first = all.n * rank / size;
    int64_t n = all.n * (rank + 1) / size - first;
    paulimpi_sum *sum;

    check(paulimpi_sum_create(together, paulimpi_sum_qubits(p->sum), &sum));
    if (is_local) {
        check(paulimpi_sum_add_local_terms(sum, n, all.x + first * all.words,
                                           all.z + first * all.words,
                                           all.coefficient + first));
    } else {
        check(
            paulimpi_sum_add_terms(sum, all.n, all.x, all.z, all.coefficient));
    }
    term_list_free(&all);
    return sum;
}

outcome
solve_together(paulimpi_context *together, const problem *p,
               const paulimpi_propagation_options *options, int is_local)
{
    outcome o = { { 0, 0 }, PAULIMPI_PROPAGATION_REPORT_INIT };
    paulimpi_sum *sum = distribute(together, p, is_local);
    uint64_t mine[2] = { 0, 0 };

    check(paulimpi_propagate(sum, p->circuit, options, &o.report));
    checksum_add(sum, mine);
    checksum_add_ranks(mine, o.checksum);
    paulimpi_sum_destroy(&sum);
    return o;
}

int
same_terms(const outcome *a, const outcome *b)
{
    return memcmp(a->checksum, b->checksum, sizeof a->checksum) == 0;
}

int
same_outcome(const outcome *a, const outcome *b)
{
    return same_terms(a, b) && same_report(&a->report, &b->report);
}
