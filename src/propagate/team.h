/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads that share the passes of a propagation.
 *
 * OpenMP makes the threads, once for many passes; between passes they wait
 * here. The end of an OpenMP region would do as well, but its threads spin: on
 * a machine with other work, a thread that spins keeps its processor from the
 * one that it waits for, and a propagation on two threads was seen to take 14
 * times as long as on one. Here they spin for some microseconds, then sleep.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_TEAM_H
#define PAULIMPI_SRC_PROPAGATE_TEAM_H

#include <stdint.h>

typedef struct paulimpi__team paulimpi__team;

/** Call main with a team of up to n_threads threads, of which the calling one
 * is number 0, or with NULL where there can be no other thread. */
void paulimpi__team_run(int n_threads,
                        void (*main)(paulimpi__team *team, void *data),
                        void *data);

/** Call task for the items 0 to n_items - 1, each once, in any order and on
 * any thread of the team; NULL is a team of one. To be called by thread 0;
 * returns when all are done. */
void paulimpi__team_share(paulimpi__team *team, int64_t n_items,
                          void (*task)(void *shared, int thread, int64_t item),
                          void *shared);

#endif /* PAULIMPI_SRC_PROPAGATE_TEAM_H */
