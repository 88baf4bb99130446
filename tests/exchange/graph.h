/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random graphs of messages, the same on all ranks, and what must come of
 * them.
 */
#ifndef TESTS_EXCHANGE_GRAPH_H
#define TESTS_EXCHANGE_GRAPH_H

#include <stdint.h>

#include "paulimpi/exchange.h"

/* Numbers that any rank can repeat. */
typedef struct {
    uint64_t state;
} dice;
uint64_t dice_roll(dice *d, uint64_t below);

/* Memory of a message: a region in an allocation, the rest of which must stay
 * as it is. */
typedef struct {
    char *memory;
    size_t bytes;
    paulimpi_region region;
} place;

/* A message of the graph. */
typedef struct {
    int from;
    int to;
    int tag;
    int is_any;
    int64_t bytes;
    place place; /* of the end that is on this rank */
    place other; /* of the receiving end of a message to this rank itself */
} edge;

enum { MOST_EDGES = 200 };
typedef struct {
    int rank;
    int n_edges;
    edge edge[MOST_EDGES];
    int n_sends;
    int n_receives;
    paulimpi_message sends[2 * MOST_EDGES];
    paulimpi_message receives[2 * MOST_EDGES];
    int receive_edge[2 * MOST_EDGES]; /* -1: nobody sends */
} graph;

/* Where places are. */
typedef struct {
    void *(*create)(size_t bytes);
    void (*destroy)(void *memory);
    void (*write)(void *to, const void *from, size_t bytes);
    void (*read)(void *to, const void *from, size_t bytes);
} store;
extern const store host_store;

/* Draw a graph of n_edges messages of at most largest bytes, some of which, of
 * at most largest_any bytes, are received from any rank. */
void graph_make(graph *g, const store *s, int rank, int size, int n_edges,
                int64_t largest, int64_t largest_any, dice *d);
/* Set what is sent, which differs from round to round, and clear what is
 * received. */
void graph_fill(const graph *g, const store *s, int round);
/* Count the bytes that are wrong. */
int64_t graph_check(const graph *g, const store *s, int round);
void graph_free(graph *g, const store *s);

#endif /* TESTS_EXCHANGE_GRAPH_H */
