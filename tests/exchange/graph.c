/* SPDX-License-Identifier: BSD-3-Clause
 */
#include "exchange/graph.h"

#include <stdlib.h>
#include <string.h>

enum { UNTOUCHED = 0xa5 };

uint64_t
dice_roll(dice *d, uint64_t below)
{
    uint64_t z = d->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (z ^ z >> 31) % below;
}

static void
copy(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

const store host_store = { malloc, free, copy, copy };

/* Byte i of the message of an edge. */
static unsigned char
byte_of(int number, int round, int64_t i)
{
    return (unsigned char)(number * 37 + round * 101 + i * 7 + (i >> 8) * 13);
}

/* A region of some bytes in memory of its own: contiguous, or rows, or a grid
 * of elements, some of which run backwards. */
static void
make_place(place *p, const store *s, int64_t bytes, dice *d)
{
    int64_t element = (int64_t)1 << dice_roll(d, 4);
    int64_t extent[2], stride[2];
    int shape = (int)dice_roll(d, 4);

    while (bytes % element != 0) {
        element /= 2;
    }
    extent[0] = bytes / element;
    extent[1] = 1;
    while (extent[1] < 64 && extent[0] % 2 == 0 && extent[0] > 0
           && dice_roll(d, 4) > 0) {
        extent[0] /= 2;
        extent[1] *= 2;
    }
    stride[0] = shape < 2 ? element : 2 * element;
    stride[1] = stride[0] * extent[0] + (shape == 0 ? 0 : 16);
    p->bytes = (size_t)(stride[1] * extent[1] + 32);
    p->memory = s->create(p->bytes);
    if (shape == 3) {
        paulimpi_region_strided(
            p->memory + 16 + (extent[1] - 1) * stride[1], (size_t)element, 2,
            extent, (int64_t[]){ stride[0], -stride[1] }, &p->region);
    } else {
        paulimpi_region_strided(p->memory + 16, (size_t)element, 2, extent,
                                stride, &p->region);
    }
}

static void
add_nobody(graph *g, dice *d)
{
    if (dice_roll(d, 2)) {
        g->sends[g->n_sends].peer = PAULIMPI_PEER_NONE;
        g->n_sends++;
    } else {
        g->receive_edge[g->n_receives] = -1;
        g->receives[g->n_receives].peer = MPI_PROC_NULL;
        g->n_receives++;
    }
}

/* Put the ends of an edge that are on this rank into the lists. */
static void
add_edge(graph *g, const store *s, edge *e, dice *sender, dice *receiver)
{
    place *receiving = e->from == e->to ? &e->other : &e->place;

    if (e->from == g->rank) {
        make_place(&e->place, s, e->bytes, sender);
        g->sends[g->n_sends++] =
            (paulimpi_message){ e->place.region, e->to, e->tag };
    }
    if (e->to == g->rank) {
        make_place(receiving, s, e->bytes, receiver);
        g->receive_edge[g->n_receives] = (int)(e - g->edge);
        g->receives[g->n_receives++] = (paulimpi_message){
            receiving->region, e->is_any ? PAULIMPI_PEER_ANY : e->from, e->tag
        };
    }
}

void
graph_make(graph *g, const store *s, int rank, int size, int n_edges,
           int64_t largest, int64_t largest_any, dice *d)
{
    dice own = { d->state + (uint64_t)rank + 1 };
    int i;

    memset(g, 0, sizeof *g);
    g->rank = rank;
    g->n_edges = n_edges;
    for (i = 0; i < n_edges; i++) {
        edge *e = &g->edge[i];

        e->from = (int)dice_roll(d, (uint64_t)size);
        e->to = (int)dice_roll(d, (uint64_t)size);
        e->is_any = dice_roll(d, 8) == 0 && largest_any >= 0;
        e->tag = e->is_any ? 100 + i : (int)dice_roll(d, 3);
        e->bytes =
            (int64_t)dice_roll(d, (uint64_t)largest >> dice_roll(d, 12) | 1);
        if (e->is_any && e->bytes > largest_any) {
            e->bytes = largest_any;
        }
        add_edge(g, s, e, &own, &own);
        if (dice_roll(&own, 10) == 0) {
            add_nobody(g, &own);
        }
    }
}

/* Go through the bytes of a place: write those of an edge, or count those that
 * differ. image is a copy of its memory. */
static int64_t
walk(const place *p, int number, int round, unsigned char *image, int writes)
{
    const paulimpi_region *r = &p->region;
    int64_t element = (int64_t)r->element;
    unsigned char *base = image + ((char *)r->base - p->memory);
    int64_t i, j, k;
    int64_t n = 0;
    int64_t n_wrong = 0;

    for (j = 0; j < r->extent[1]; j++) {
        for (i = 0; i < r->extent[0]; i++) {
            for (k = 0; k < element; k++) {
                unsigned char *at =
                    base + j * r->stride[1] + i * r->stride[0] + k;

                if (writes) {
                    *at = byte_of(number, round, n);
                }
                n_wrong += *at != byte_of(number, round, n++);
            }
        }
    }
    return n_wrong;
}

static void
fill_place(const place *p, const store *s, int number, int round, int writes)
{
    unsigned char *image = malloc(p->bytes);

    memset(image, UNTOUCHED, p->bytes);
    if (writes) {
        walk(p, number, round, image, 1);
    }
    s->write(p->memory, image, p->bytes);
    free(image);
}

/* What came must be right, and the rest untouched. */
static int64_t
check_place(const place *p, const store *s, int number, int round)
{
    unsigned char *image = malloc(p->bytes);
    unsigned char *want = malloc(p->bytes);
    int64_t n_wrong = 0;
    size_t i;

    s->read(image, p->memory, p->bytes);
    memset(want, UNTOUCHED, p->bytes);
    walk(p, number, round, want, 1);
    for (i = 0; i < p->bytes; i++) {
        n_wrong += image[i] != want[i];
    }
    free(image);
    free(want);
    return n_wrong;
}

static const place *
receiving_place(const edge *e)
{
    return e->from == e->to ? &e->other : &e->place;
}

void
graph_fill(const graph *g, const store *s, int round)
{
    int i;

    for (i = 0; i < g->n_edges; i++) {
        const edge *e = &g->edge[i];

        if (e->from == g->rank) {
            fill_place(&e->place, s, i, round, 1);
        }
        if (e->to == g->rank) {
            fill_place(receiving_place(e), s, i, round, 0);
        }
    }
}

int64_t
graph_check(const graph *g, const store *s, int round)
{
    int64_t n_wrong = 0;
    int i;

    for (i = 0; i < g->n_edges; i++) {
        const edge *e = &g->edge[i];

        if (e->to == g->rank) {
            n_wrong += check_place(receiving_place(e), s, i, round);
        }
    }
    return n_wrong;
}

void
graph_free(graph *g, const store *s)
{
    int i;

    for (i = 0; i < g->n_edges; i++) {
        if (g->edge[i].place.memory != NULL) {
            s->destroy(g->edge[i].place.memory);
        }
        if (g->edge[i].other.memory != NULL) {
            s->destroy(g->edge[i].other.memory);
        }
    }
}
