/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether all ranks of a propagation were given the same.
 */
#include <string.h>

#include "comm/comm.h"
#include "propagate/ranks.h"

static uint64_t
print(uint64_t so_far, uint64_t number)
{
    return paulimpi__print_add(so_far, &number, 1, 1);
}

static uint64_t
print_double(uint64_t so_far, double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof bits);
    return print(so_far, bits);
}

static uint64_t
print_op(const paulimpi_circuit *circuit, const paulimpi__op *op,
         uint64_t so_far)
{
    int64_t i;

    so_far = print(so_far, (uint64_t)op->kind << 32 | (uint64_t)op->flags << 8
                               | (uint64_t)op->quarters);
    for (i = 0; i < op->n_sites; i++) {
        so_far =
            print(so_far, (uint64_t)circuit->sites[op->first_site + i] + 1);
    }
    for (i = 0; i < 3; i++) {
        so_far = print_double(so_far, op->value[i]);
    }
    return print(so_far, (uint64_t)op->first_matrix);
}

static uint64_t
print_circuit(const paulimpi_circuit *circuit)
{
    const double *entry = (const double *)circuit->matrices;
    size_t n = (size_t)circuit->n_matrices * sizeof *circuit->matrices
               / sizeof *entry;
    uint64_t so_far = print(1, (uint64_t)circuit->n_qubits);
    size_t k;
    int64_t i;

    for (i = 0; i < circuit->n_ops; i++) {
        so_far = print_op(circuit, &circuit->ops[i], so_far);
    }
    for (k = 0; k < n; k++) {
        so_far = print_double(so_far, entry[k]);
    }
    return so_far;
}

static uint64_t
print_truncation(const paulimpi_truncation *truncation)
{
    uint64_t so_far = print_double(1, truncation->min_abs);

    so_far = print(so_far, (uint64_t)truncation->max_weight);
    so_far = print(so_far, (uint64_t)truncation->max_xy_weight);
    so_far = print(so_far, (uint64_t)truncation->max_terms);
    so_far = print(so_far, (uint64_t)truncation->choice);
    return print(so_far, (uint64_t)truncation->seed);
}

static uint64_t
print_options(const paulimpi_propagation_options *options)
{
    uint64_t so_far = print(1, (uint64_t)options->picture);

    so_far = print(so_far, (uint64_t)options->n_layers);
    so_far = print(so_far, (uint64_t)options->checkpoint_gates);
    so_far = print_double(so_far, options->checkpoint_seconds);
    so_far = print(so_far, options->checkpoint_path != NULL);
    so_far = print(so_far, options->restart_path != NULL);
    return print(so_far, (uint64_t)options->rows_seed);
}

int
paulimpi__ranks_check(const paulimpi__job *job)
{
    paulimpi_context *ctx = job->sum->ctx;
    int rc = paulimpi__agree_same(ctx, job->function, "the circuit",
                                  print_circuit(job->run->circuit));

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__agree_same(ctx, job->function, "the truncation",
                                  print_truncation(job->run->truncation));
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__agree_same(
            ctx, job->function,
            "the picture, n_layers, rows_seed or checkpoints",
            print_options(job->options));
    }
    return rc;
}
