/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How long ranks of a machine that is only described would take.
 */
#ifndef BENCH_SCALING_MODEL_H
#define BENCH_SCALING_MODEL_H

#include "crossing.h"
#include "scaling.h"
#include "virtual_ranks.h"

/** What a machine is that was not said to be otherwise. */
extern const scaling_machine scaling_usual_machine;

/** Print, besides what rows that stay might gain, the time of a counted run on
 * its own number of ranks, and of larger runs of its kind, of as many terms a
 * rank, on 2 to 131072 ranks. */
void scaling_predict(const virtual_run *run, const crossing *stay,
                     const scaling_machine *machine, int as_json);

#endif /* BENCH_SCALING_MODEL_H */
