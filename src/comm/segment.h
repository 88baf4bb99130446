/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The segment, and what its files share: the ways to come by the memory, and
 * the room there is for it.
 */
#ifndef PAULIMPI_SRC_COMM_SEGMENT_H
#define PAULIMPI_SRC_COMM_SEGMENT_H

#include "comm/state.h"
#include "paulimpi/segment.h"

#define PAULIMPI__SEGMENT_CREATE "paulimpi_segment_create"

enum {
    PAULIMPI__SEGMENT_REASON = 128, /* room for it */
    PAULIMPI__HUGE_PAGE = 1 << 21
};

typedef enum {
    PAULIMPI__WAY_AUTOMATIC, /* not known yet */
    PAULIMPI__WAY_PRIVATE,   /* the rank is alone on its node */
    PAULIMPI__WAY_MAPPING,
    PAULIMPI__WAY_WINDOW
} paulimpi__segment_way;

/* What a rank tells those of its node before any memory is made. */
typedef struct {
    int64_t bytes;     /* of its part */
    int64_t way;       /* that PAULIMPI_SEGMENT names */
    int64_t alignment; /* of all parts, at least */
    int64_t memory;    /* that it finds available */
    int64_t process;   /* its number */
} paulimpi__segment_claim;

struct paulimpi_segment {
    paulimpi_context *ctx;
    paulimpi_segment_options options;
    int way;
    char reason[PAULIMPI__SEGMENT_REASON]; /* for that way */
    paulimpi__segment_claim *claim;        /* of each rank of the node */
    int64_t *offset;                       /* of each part from base */
    int64_t total;                         /* bytes, with what lies between */
    int64_t alignment;                     /* of base and all offsets */
    char *base;                            /* NULL if total is 0 */
    MPI_Win window;
};

/* segment_map.c: private memory, local; or a file that all ranks of the node
 * map, collective over them. Where the system forbids the file on any of them
 * *is_refused_p is 1 on all, with the reason, and nothing is mapped. */
int paulimpi__segment_map_private(paulimpi_segment *segment);
int paulimpi__segment_map_shared(paulimpi_segment *segment, int *is_refused_p);
void paulimpi__segment_unmap(paulimpi_segment *segment);
/* Whether this process can make such a file. */
int paulimpi__segment_can_map(void);

/* segment_window.c: an MPI window, collective over the ranks of the node. */
int paulimpi__segment_window_make(paulimpi_segment *segment);
void paulimpi__segment_window_free(paulimpi_segment *segment);
/* MPI_Win_sync; 0 for other segments. */
int paulimpi__segment_window_sync(paulimpi_segment *segment);

/* segment_room.c: whether the memory, and the folder that the window needs,
 * have room. Both are collective over the context, fail on all its ranks with
 * PAULIMPI_ERR_MEMORY, and touch nothing. */
int paulimpi__segment_room(paulimpi_segment *segment);
int paulimpi__segment_window_room(paulimpi_segment *segment);
/* Touch this rank's part, if it should be, without a signal where there is no
 * memory for it. */
int paulimpi__segment_touch(const paulimpi_segment *segment);
/* A line for paulimpi_info(). */
void paulimpi__segment_describe(paulimpi__text *text);

#endif /* PAULIMPI_SRC_COMM_SEGMENT_H */
