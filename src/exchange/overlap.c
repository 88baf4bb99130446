/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether the messages of an exchange use memory twice.
 *
 * Uses are sorted by where they begin, and only those are compared whose
 * ranges intersect. Those of columns of one array all do; so after some
 * comparisons too many, ranges are taken modulo the distance of columns.
 */
#include "exchange/layout.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

/* The range of a use, in addresses or modulo a distance. */
typedef struct {
    uint64_t low;
    uint64_t high; /* behind it */
    const paulimpi__use *use;
} span;

typedef struct {
    const char *function;
    int64_t comparisons_left;
} judge;

/* What a comparison that is one too many gives. */
enum { TOO_MANY = 1 };

enum { NAME = 32 };

static const char *
name(const paulimpi__use *use, char text[NAME])
{
    snprintf(text, NAME, "%s[%d]", use->is_receive ? "receives" : "sends",
             use->index);
    return text;
}

static int
check_alone(const char *function, const paulimpi__use *use)
{
    char text[NAME];
    int found = paulimpi__layout_repeats(use->layout);

    if (found == 0) {
        return PAULIMPI_SUCCESS;
    }
    return paulimpi__error(
        PAULIMPI_ERR_OVERLAP,
        found > 0 ? "%s: %s would be written twice at the same address: its "
                    "strides let elements overlap"
                  : "%s: %s has strides of which it would take too long to "
                    "find out whether elements overlap",
        function, name(use, text));
}

static int
compare_uses(judge *court, const span *a, const span *b)
{
    char first[NAME], second[NAME];
    int found;

    if (court->comparisons_left-- == 0) {
        return TOO_MANY;
    }
    found = paulimpi__layouts_meet(a->use->layout, b->use->layout);
    if (found == 0) {
        return PAULIMPI_SUCCESS;
    }
    return paulimpi__error(
        PAULIMPI_ERR_OVERLAP,
        found > 0 ? "%s: %s and %s use the same memory: a message must not "
                    "be received where another one is received or sent from"
                  : "%s: %s and %s interleave, with strides of which it would "
                    "take too long to find out whether they overlap",
        court->function, name(a->use, first), name(b->use, second));
}

static int
by_low(const void *a, const void *b)
{
    const span *first = a;
    const span *second = b;

    if (first->low != second->low) {
        return first->low < second->low ? -1 : 1;
    }
    if (first->use->is_receive != second->use->is_receive) {
        return first->use->is_receive ? -1 : 1;
    }
    return (first->use->index > second->use->index)
           - (first->use->index < second->use->index);
}

/* Compare what begins in the range of a span, from *others up. */
static int
compare_with(judge *court, const span *one, const span *others,
             const span *end)
{
    int rc = PAULIMPI_SUCCESS;

    for (; others < end && others->low < one->high && rc == PAULIMPI_SUCCESS;
         others++) {
        rc = compare_uses(court, one, others);
    }
    return rc;
}

/* Compare receives with each other and with sends; both are sorted. */
static int
compare_spans(judge *court, const span *receive, int n_receives,
              const span *send, int n_sends)
{
    const span *end_receives = receive + n_receives;
    const span *end_sends = send + n_sends;
    int rc = PAULIMPI_SUCCESS;

    while (receive < end_receives && rc == PAULIMPI_SUCCESS) {
        if (send < end_sends && send->low < receive->low) {
            rc = compare_with(court, send, receive, end_receives);
            send++;
        } else {
            rc = compare_with(court, receive, receive + 1, end_receives);
            if (rc == PAULIMPI_SUCCESS) {
                rc = compare_with(court, receive, send, end_sends);
            }
            receive++;
        }
    }
    return rc;
}

/* The range of a use modulo a distance: all of it, or one that may go on at 0
 * behind its end. Returns the number of spans. */
static int
fold(const paulimpi__use *use, uint64_t distance, span *to)
{
    const paulimpi__layout *layout = use->layout;
    uint64_t low = (uintptr_t)layout->low % distance;
    uint64_t length = (uint64_t)layout->run;
    int i;

    for (i = 0; i < layout->dimensions; i++) {
        uint64_t stride =
            (uint64_t)(layout->stride[i] < 0 ? -layout->stride[i]
                                             : layout->stride[i]);

        if (stride % distance != 0) {
            length += stride * (uint64_t)(layout->extent[i] - 1);
        }
    }
    if (length >= distance) {
        *to = (span){ 0, distance, use };
        return 1;
    }
    to[0] = (span){ low, low + length, use };
    if (low + length <= distance) {
        return 1;
    }
    to[0].high = distance;
    to[1] = (span){ 0, low + length - distance, use };
    return 2;
}

/* The spans of the sends or receives: by address if the distance is 0. Empty
 * ones have none. Returns the number. */
static int
collect(int n_uses, const paulimpi__use *uses, int is_receive,
        uint64_t distance, span *to)
{
    int n = 0;
    int i;

    for (i = 0; i < n_uses; i++) {
        const paulimpi__layout *layout = uses[i].layout;

        if (layout->bytes == 0 || !uses[i].is_receive != !is_receive) {
            continue;
        }
        if (distance == 0) {
            to[n++] = (span){ (uintptr_t)layout->low, (uintptr_t)layout->high,
                              &uses[i] };
        } else {
            n += fold(&uses[i], distance, &to[n]);
        }
    }
    qsort(to, (size_t)n, sizeof *to, by_low);
    return n;
}

static int
compare_all(judge *court, int n_uses, const paulimpi__use *uses,
            uint64_t distance, span *room)
{
    int n_receives = collect(n_uses, uses, 1, distance, room);
    int n_sends = collect(n_uses, uses, 0, distance, room + n_receives);

    return compare_spans(court, room, n_receives, room + n_receives, n_sends);
}

static uint64_t
greatest_stride(const paulimpi__layout *layout)
{
    int64_t greatest = 0;
    int i;

    for (i = 0; i < layout->dimensions; i++) {
        int64_t stride =
            layout->stride[i] < 0 ? -layout->stride[i] : layout->stride[i];

        greatest = stride > greatest ? stride : greatest;
    }
    return (uint64_t)greatest;
}

/* The greatest stride of the first use that has any. There is one: ranges
 * without gaps that intersect overlap. */
static uint64_t
find_distance(int n_uses, const paulimpi__use *uses)
{
    uint64_t distance = 0;
    int i;

    for (i = 0; i < n_uses && distance == 0; i++) {
        distance = greatest_stride(uses[i].layout);
    }
    return distance;
}

int
paulimpi__check_overlap(const char *function, int n_uses,
                        const paulimpi__use *uses)
{
    judge court = { function, 8 * (int64_t)n_uses };
    int rc = PAULIMPI_SUCCESS;
    span *room;
    int i;

    for (i = 0; i < n_uses && rc == PAULIMPI_SUCCESS; i++) {
        if (uses[i].is_receive) {
            rc = check_alone(function, &uses[i]);
        }
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    room = paulimpi__alloc(2 * (size_t)n_uses, sizeof *room);
    if (room == NULL) {
        return paulimpi__no_memory(function,
                                   2 * (size_t)n_uses * sizeof *room);
    }
    rc = compare_all(&court, n_uses, uses, 0, room);
    if (rc == TOO_MANY) {
        court.comparisons_left = -1;
        rc = compare_all(&court, n_uses, uses, find_distance(n_uses, uses),
                         room);
    }
    paulimpi__free(room);
    return rc;
}
