/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether two layouts have a byte in common: an equation in integers.
 *
 * The bytes of a layout are low + (sum of stride x index) + (byte of the run).
 * Two layouts meet if the difference of two such sums can be 0, that is, if a
 * sum of at most eight terms weight x count, each count from 0 to a limit, can
 * be in an interval as long as the two runs. In real programs few terms are
 * left after the first rules below: strides are equal or multiples of each
 * other, and rows end before the next one begins.
 */
#include "exchange/layout.h"

enum {
    MOST_TERMS = 2 * PAULIMPI_REGION_DIMENSIONS,
    /* Sums that are looked at before the question is given up: some
     * milliseconds. */
    MOST_STEPS = 20000
};

__extension__ typedef __int128 wide;

/* Can the sum of the terms be in [low, high]? */
typedef struct {
    int n;
    int64_t weight[MOST_TERMS]; /* above 0 */
    int64_t most[MOST_TERMS];   /* of the count, above 0 */
    int64_t low;
    int64_t high;
} question;

static int64_t
floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static int64_t
ceil_divide(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

static int64_t
greatest_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

static void
add_term(question *q, int64_t weight, int64_t most)
{
    int i;

    if (weight == 0 || most == 0) {
        return;
    }
    for (i = 0; i < q->n; i++) {
        if (q->weight[i] == weight) {
            q->most[i] += most;
            return;
        }
    }
    q->weight[q->n] = weight;
    q->most[q->n] = most;
    q->n++;
}

static void
drop_term(question *q, int i)
{
    q->n--;
    q->weight[i] = q->weight[q->n];
    q->most[i] = q->most[q->n];
}

static int64_t
greatest_sum(const question *q)
{
    int64_t sum = 0;
    int i;

    for (i = 0; i < q->n; i++) {
        sum += q->weight[i] * q->most[i];
    }
    return sum;
}

/* Divide by what all weights are multiples of. */
static void
divide(question *q)
{
    int64_t divisor = 0;
    int i;

    for (i = 0; i < q->n; i++) {
        divisor = greatest_divisor(q->weight[i], divisor);
    }
    for (i = 0; i < q->n; i++) {
        q->weight[i] /= divisor;
    }
    q->low = ceil_divide(q->low, divisor);
    q->high = floor_divide(q->high, divisor);
}

/* Find a term whose steps are not longer than the interval: instead of it, the
 * interval may be longer, which leaves no gaps. */
static int
absorb_term(question *q)
{
    int i;

    for (i = 0; i < q->n; i++) {
        if (q->weight[i] <= q->high - q->low + 1) {
            q->low -= q->weight[i] * q->most[i];
            drop_term(q, i);
            return 1;
        }
    }
    return 0;
}

/* Make a question as small as it gets: 1 or 0 if that answers it, else -1. */
static int
simplify(question *q)
{
    do {
        int64_t greatest = greatest_sum(q);

        if (q->low < 0) {
            q->low = 0;
        }
        if (q->high > greatest) {
            q->high = greatest;
        }
        if (q->low > q->high) {
            return 0;
        }
        if (q->low == 0 || q->high == greatest) {
            return 1;
        }
        divide(q);
        if (q->low > q->high) {
            return 0;
        }
    } while (absorb_term(q));
    return -1;
}

/* The least x from 0 up with a x modulo m in [low, high], or -1; a < m and
 * 0 <= low <= high < m. As Euclid: either there is a multiple of a in the
 * interval, or the question is the same one for m modulo a. */
static int64_t
least_factor(int64_t a, int64_t m, int64_t low, int64_t high)
{
    int64_t x, y;

    if (low == 0) {
        return 0;
    }
    if (a > m - a) {
        /* Count downwards, so that the numbers are at most half as large in
         * the next step. */
        int64_t down = m - high;

        high = m - low;
        low = down;
        a = m - a;
    }
    if (a == 0) {
        return -1;
    }
    x = ceil_divide(low, a);
    if (x <= high / a) {
        return x;
    }
    y = least_factor((a - m % a) % a, a, low % a, high % a);
    if (y < 0) {
        return -1;
    }
    return (int64_t)(((wide)m * y + low + a - 1) / a);
}

/* Two terms. For each count of the first, the best count of the second is the
 * greatest that does not pass the interval. */
static int
answer_two(const question *q)
{
    int64_t a = q->weight[0], b = q->weight[1];
    int64_t most_b = b * q->most[1];
    int64_t first, last, start, from, to, x;

    /* Where the second is at its limit. */
    first = ceil_divide(q->low - most_b, a);
    last = floor_divide(q->high - most_b, a);
    if (first < 0) {
        first = 0;
    }
    if (first <= last && first <= q->most[0]) {
        return 1;
    }

    /* Where it is not: what is left of high by then is, modulo b, not longer
     * than the interval. */
    first = last + 1 < 0 ? 0 : last + 1;
    last = q->high / a;
    if (last > q->most[0]) {
        last = q->most[0];
    }
    if (first > last) {
        return 0;
    }
    start = (q->high - a * first) % b;
    to = start;
    from = start - (q->high - q->low);
    if (from <= 0) {
        return 1;
    }
    x = least_factor(a % b, b, from, to);
    return x >= 0 && x <= last - first;
}

/* The counts of a term that leave a sum which the others can make. */
static void
count_range(const question *q, int i, int64_t greatest, int64_t *first_p,
            int64_t *last_p)
{
    int64_t others = greatest - q->weight[i] * q->most[i];

    *first_p = ceil_divide(q->low - others, q->weight[i]);
    *last_p = floor_divide(q->high, q->weight[i]);
    if (*first_p < 0) {
        *first_p = 0;
    }
    if (*last_p > q->most[i]) {
        *last_p = q->most[i];
    }
}

/* 1, 0, or -1 if the steps run out. */
static int
answer(question q, int *steps_left)
{
    int64_t greatest, first = 0, last = 0;
    int chosen = -1;
    int found = simplify(&q);
    int i;

    if (found >= 0) {
        return found;
    }
    if (q.n == 2) {
        return answer_two(&q);
    }

    /* Try all counts of the term that has the fewest. */
    greatest = greatest_sum(&q);
    for (i = 0; i < q.n; i++) {
        int64_t from, to;

        count_range(&q, i, greatest, &from, &to);
        if (chosen < 0 || to - from < last - first) {
            chosen = i;
            first = from;
            last = to;
        }
    }
    found = 0;
    for (; first <= last && found == 0; first++) {
        question rest = q;

        if (--*steps_left < 0) {
            return -1;
        }
        drop_term(&rest, chosen);
        rest.low -= q.weight[chosen] * first;
        rest.high -= q.weight[chosen] * first;
        found = answer(rest, steps_left);
    }
    return found;
}

static int64_t
magnitude(int64_t a)
{
    return a < 0 ? -a : a;
}

/* Add the terms of a layout; the sum of their greatest values. */
static int64_t
add_layout(question *q, const paulimpi__layout *layout)
{
    int64_t sum = 0;
    int i;

    for (i = 0; i < layout->dimensions; i++) {
        int64_t weight = magnitude(layout->stride[i]);

        add_term(q, weight, layout->extent[i] - 1);
        sum += weight * (layout->extent[i] - 1);
    }
    return sum;
}

int
paulimpi__layouts_meet(const paulimpi__layout *a, const paulimpi__layout *b)
{
    question q = { 0 };
    int steps = MOST_STEPS;
    int64_t span;

    if (a->bytes == 0 || b->bytes == 0
        || (uintptr_t)a->low >= (uintptr_t)b->high
        || (uintptr_t)b->low >= (uintptr_t)a->high) {
        return 0;
    }

    /* The indices of a are counted from its other end, so that no term is
     * negative. */
    span = add_layout(&q, a);
    add_layout(&q, b);
    q.low =
        (int64_t)((uintptr_t)a->low - (uintptr_t)b->low) + span - (b->run - 1);
    q.high = q.low + (a->run - 1) + (b->run - 1);
    return answer(q, &steps);
}

/* The dimensions by the magnitudes of their strides, the least first. */
static void
sort_dimensions(const paulimpi__layout *layout,
                int order[PAULIMPI_REGION_DIMENSIONS])
{
    int i, j;

    for (i = 0; i < layout->dimensions; i++) {
        for (j = i; j > 0
                    && magnitude(layout->stride[order[j - 1]])
                           > magnitude(layout->stride[i]);
             j--) {
            order[j] = order[j - 1];
        }
        order[j] = i;
    }
}

int
paulimpi__layout_repeats(const paulimpi__layout *layout)
{
    int order[PAULIMPI_REGION_DIMENSIONS];
    int steps = MOST_STEPS;
    int found = 0;
    int64_t below = 0;
    int i, j;

    /* Two different elements differ, in the greatest stride in which they do,
     * by at least 1, and below that by any number of either sign. */
    sort_dimensions(layout, order);
    for (i = 0; i < layout->dimensions && found == 0; i++) {
        int64_t weight = magnitude(layout->stride[order[i]]);
        int64_t most = layout->extent[order[i]] - 1;
        question q = { .low = below - weight - (layout->run - 1),
                       .high = below - weight + (layout->run - 1) };

        if (weight < below + layout->run) {
            add_term(&q, weight, most - 1);
            for (j = 0; j < i; j++) {
                add_term(&q, magnitude(layout->stride[order[j]]),
                         2 * (layout->extent[order[j]] - 1));
            }
            found = answer(q, &steps);
        }
        below += weight * most;
    }
    return found;
}
