/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counting, from inside.
 */
#ifndef PAULIMPI_SRC_EXCHANGE_ACCOUNT_H
#define PAULIMPI_SRC_EXCHANGE_ACCOUNT_H

#include <stdint.h>

#include "paulimpi/account.h"

/* Count one event of a kind, PAULIMPI_COUNT_..., when it has succeeded;
 * nothing if no counter of this process is running, which costs a load. From
 * any thread. Nothing is allocated. */
void paulimpi__count(int kind, int64_t bytes);

/* A line of the program; file is NULL if it is not known. */
typedef struct {
    const char *file;
    int line;
} paulimpi__place;

/* What paulimpi_called_from() said of the call that is being made, once. */
paulimpi__place paulimpi__place_take(void);
/* What this thread counts from here on is for a place, which stays valid until
 * another comes; NULL: none. */
void paulimpi__place_enter(const paulimpi__place *place);

/* Whether a counter is running: for what would be counted in a loop. */
int paulimpi__is_counting(void);

/* Count a copy between two kinds of memory, PAULIMPI_MEMORY_...: a bounce if
 * one is another process's, else by where they are; managed memory counts as a
 * device's. None between two of the host. */
void paulimpi__count_copy(int to_kind, int from_kind, int64_t bytes);

/* What a counter has of a kind in a phase. */
typedef struct {
    int64_t events;
    int64_t bytes;
    int64_t most; /* bytes of an event */
} paulimpi__tally;

/* As paulimpi_counter_get(); all arguments are valid. */
int paulimpi__counter_tally(const paulimpi_counter *counter,
                            const char *function, const char *phase, int kind,
                            paulimpi__tally *tally);

#endif /* PAULIMPI_SRC_EXCHANGE_ACCOUNT_H */
