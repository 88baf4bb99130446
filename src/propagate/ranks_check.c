/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether all ranks of a propagation were given the same.
 */
#include <string.h>

#include "comm/comm.h"
#include "propagate/checkpoint.h"
#include "propagate/file.h"
#include "propagate/ranks.h"
#include "propagate/wish.h"

static uint64_t
options_print(const paulimpi_propagation_options *options)
{
    uint64_t words[5] = { (uint64_t)options->picture,
                          (uint64_t)options->n_layers,
                          (uint64_t)options->checkpoint_gates,
                          (uint64_t)(options->checkpoint_path != NULL) << 1
                              | (options->restart_path != NULL) };

    memcpy(&words[4], &options->checkpoint_seconds, sizeof words[4]);
    return paulimpi__checksum(0, words, 5);
}

int
paulimpi__ranks_check(const paulimpi__job *job)
{
    paulimpi_context *ctx = job->sum->ctx;
    int rc = paulimpi__agree_same(ctx, job->function, "the circuit",
                                  paulimpi__circuit_print(job->run->circuit));

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__agree_same(
            ctx, job->function, "the truncation",
            paulimpi__truncation_print(job->run->truncation));
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__agree_same(ctx, job->function,
                                  "the picture, n_layers or checkpoints",
                                  options_print(job->options));
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__agree_same(
            ctx, job->function, "the rows, their seed or the weights",
            paulimpi__wish_print(job->options, job->run->circuit->n_qubits));
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__agree_same(ctx, job->function, "the transport",
                                  (uint64_t)job->options->transport);
    }
    return rc;
}
