/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Problems that are solved by all ranks together, and by one alone.
 */
#ifndef TESTS_PROPAGATE_TOGETHER_H
#define TESTS_PROPAGATE_TOGETHER_H

#include "propagate/problems.h"

/* The checksum of the terms of all ranks of the world. */
void checksum_add_ranks(const uint64_t mine[2], uint64_t all[2]);

/* What a run leaves. */
typedef struct {
    uint64_t checksum[2]; /* of the terms of all ranks */
    paulimpi_propagation_report report;
} outcome;

/* On the context of the problem, which is of one rank. */
outcome solve_alone(const problem *p);

/* On the context of all ranks of the world, with other options than those of
 * the problem, and with terms that all ranks add or, local, each some of. */
outcome solve_together(paulimpi_context *together, const problem *p,
                       const paulimpi_propagation_options *options,
                       int is_local);

int same_terms(const outcome *a, const outcome *b);
int same_outcome(const outcome *a, const outcome *b);

#endif /* TESTS_PROPAGATE_TOGETHER_H */
