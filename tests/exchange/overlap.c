/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Overlap of regions against a map of their bytes, and what is refused.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "exchange/regions.h"
#include "tap/tap.h"

/* Any place that nothing is read from or written to. */
#define PLACE ((uintptr_t)1 << 44)

static unsigned char *address[REGIONS_MOST_BYTES];
static unsigned char map[REGIONS_ARENA];

/* Mark the bytes of a region with a number. Whether one was marked before. */
static int
mark(const paulimpi_region *region, unsigned char number, int *has_twice_p)
{
    int n = regions_list(region, address);
    int is_marked = 0;
    int i;

    *has_twice_p = 0;
    for (i = 0; i < n; i++) {
        unsigned char *byte = &map[address[i] - regions_arena];

        is_marked |= *byte != 0 && *byte != number;
        *has_twice_p |= *byte == number;
        *byte = number;
    }
    return is_marked;
}

/* Two regions in turns, so that half of them begin as a shift of the other. */
static paulimpi_region
near_to(const paulimpi_region *other)
{
    paulimpi_region region = *other;
    paulimpi__layout layout = regions_layout(other);
    int64_t shift = (int64_t)regions_draw(64) - 32;

    if (regions_draw(2) == 0 || layout.bytes == 0
        || layout.low + shift < (char *)regions_arena
        || layout.high + shift > (char *)regions_arena + REGIONS_ARENA) {
        return regions_random();
    }
    region.base = (char *)region.base + shift;
    return region;
}

static void
test_random(void)
{
    int n_wrong = 0, n_unsure = 0, n_meet = 0, n_apart = 0, n_twice = 0;
    int i;

    regions_seed(3);
    for (i = 0; i < 10000; i++) {
        paulimpi_region a = regions_random();
        paulimpi_region b = near_to(&a);
        paulimpi__layout first = regions_layout(&a);
        paulimpi__layout second = regions_layout(&b);
        int got = paulimpi__layouts_meet(&first, &second);
        int want, has_twice;

        memset(map, 0, sizeof map);
        mark(&a, 1, &has_twice);
        n_wrong += paulimpi__layout_repeats(&first) != has_twice;
        n_twice += has_twice;
        want = mark(&b, 2, &has_twice);
        n_unsure += got < 0;
        n_wrong += got >= 0 && got != want;
        n_wrong += got != paulimpi__layouts_meet(&second, &first);
        n_meet += want;
        n_apart += !want && first.low < second.high && second.low < first.high;
    }
    tap_is_int(n_wrong, 0, "10000 random pairs: %d meet, %d interleave",
               n_meet, n_apart);
    tap_is_int(n_unsure, 0, "none is too dear");
    tap_note("%d with a byte twice", n_twice);
    tap_ok(n_meet > 1000 && n_apart > 300 && n_twice > 100,
           "all cases are there");
}

static paulimpi__layout
far_layout(int64_t offset, size_t element, int dimensions,
           const int64_t *extent, const int64_t *stride)
{
    paulimpi_region region = { .base = (void *)(PLACE + (uintptr_t)offset),
                               .element = element,
                               .dimensions = dimensions };
    int i;

    for (i = 0; i < dimensions; i++) {
        region.extent[i] = extent[i];
        region.stride[i] = stride[i];
    }
    return regions_layout(&region);
}

/* Arrays of many terabytes, whose bytes cannot be listed. */
static void
test_large(void)
{
    const int64_t tera = (int64_t)1 << 40;
    paulimpi__layout a, b;
    int64_t x;
    int n_wrong = 0;

    /* x * 1000003 and y * 999983 (both prime): equal at their product. */
    a = far_layout(0, 1, 1, (int64_t[]){ 999984 }, (int64_t[]){ 1000003 });
    b = far_layout(1000003, 1, 1, (int64_t[]){ 1000003 },
                   (int64_t[]){ 999983 });
    tap_is_int(paulimpi__layouts_meet(&a, &b), 1, "two combs meet");
    for (x = 1; x < 1000; x++) {
        /* Where both have gone x steps they are 20 x nearer; 20 x + 1 they
         * are after 650002 + x steps, which are not there. */
        b = far_layout(1000003 + 20 * x, 1, 1, (int64_t[]){ 1000 },
                       (int64_t[]){ 999983 });
        n_wrong += paulimpi__layouts_meet(&a, &b) != 1;
        b = far_layout(1000003 + 20 * x + 1, 1, 1, (int64_t[]){ 1000 },
                       (int64_t[]){ 999983 });
        n_wrong += paulimpi__layouts_meet(&a, &b) != 0;
    }
    tap_is_int(n_wrong, 0, "or miss each other by a byte");

    a = far_layout(0, 8, 3, (int64_t[]){ 1000, 1000, 1000 },
                   (int64_t[]){ 16, 32000, tera });
    b = far_layout(8, 8, 3, (int64_t[]){ 1000, 1000, 1000 },
                   (int64_t[]){ 16, 32000, tera });
    tap_is_int(paulimpi__layouts_meet(&a, &b), 0,
               "even and odd elements of a petabyte are apart");
    b = far_layout(7, 8, 3, (int64_t[]){ 1000, 1000, 1000 },
                   (int64_t[]){ 16, 32000, tera });
    tap_is_int(paulimpi__layouts_meet(&a, &b), 1, "a byte nearer they meet");
    tap_is_int(paulimpi__layout_repeats(&a), 0, "no element is there twice");
    a = far_layout(0, 8, 2, (int64_t[]){ tera / 8, 2 },
                   (int64_t[]){ 16, 2 * tera - 16 });
    tap_is_int(paulimpi__layout_repeats(&a), 1,
               "the last of a row is the first of the next");
    a = far_layout(0, 8, 2, (int64_t[]){ tera / 8, 2 },
                   (int64_t[]){ 16, 2 * tera - 24 });
    tap_is_int(paulimpi__layout_repeats(&a), 0, "or lies before it");
}

/* Strides that fit nothing, in all dimensions: found out or given up, never
 * wrong. */
static void
test_nasty(void)
{
    const int64_t extent[4] = { 1000, 1000, 1000, 1000 };
    const int64_t first[4] = { 100000007, 100000037, 100000039, 100000049 };
    const int64_t second[4] = { 100000073, 100000081, 100000123, 100000127 };
    paulimpi__layout a = far_layout(0, 1, 4, extent, first);
    paulimpi__layout b = far_layout(1, 1, 4, extent, second);
    paulimpi__use use[2] = { { &a, 1, 4 }, { &b, 0, 2 } };
    int found = paulimpi__layouts_meet(&a, &b);
    int rc = paulimpi__check_overlap("paulimpi_x", 2, use);

    tap_note("the answer is %d", found);
    tap_ok(found != 0, "8 primes as strides: not said to be apart");
    tap_is_status(rc, PAULIMPI_ERR_OVERLAP, "and refused");
    a = far_layout(0, 1, 4, extent, first);
    tap_note("and %d for one of them", paulimpi__layout_repeats(&a));
}

static void
check(int n, const paulimpi__use *use, int code, const char *part,
      const char *fact)
{
    tap_is_status(paulimpi__check_overlap("paulimpi_x", n, use), code, "%s",
                  fact);
    if (code != PAULIMPI_SUCCESS) {
        tap_contains(paulimpi_last_error(), part, "with a sentence");
    }
}

/* Messages of an array of 10 rows and 6 columns of doubles. */
static void
test_messages(void)
{
    static double a[10][6];
    paulimpi_region region[] = {
        paulimpi_region_2d(&a[0][0], 8, 10, 48), /* the first column */
        paulimpi_region_2d(&a[0][1], 8, 10, 48), /* the second */
        paulimpi_region_1d(&a[3][2], 32),        /* in the gap of both */
        paulimpi_region_1d(&a[3][0], 32),
        paulimpi_region_1d(a, 0),
        paulimpi_region_2d(&a[9][0], 8, 10, -48),
        paulimpi_region_2d(&a[0][3], 12, 3, 8),
    };
    paulimpi__layout l[7];
    int i;

    for (i = 0; i < 7; i++) {
        l[i] = regions_layout(&region[i]);
    }
    check(0, NULL, PAULIMPI_SUCCESS, "", "no messages");
    check(2, (paulimpi__use[]){ { &l[0], 1, 0 }, { &l[1], 1, 1 } },
          PAULIMPI_SUCCESS, "", "two columns side by side");
    check(
        3,
        (paulimpi__use[]){ { &l[0], 1, 0 }, { &l[1], 0, 0 }, { &l[2], 1, 1 } },
        PAULIMPI_SUCCESS, "", "and what is in their gaps");
    check(
        3,
        (paulimpi__use[]){ { &l[0], 1, 0 }, { &l[1], 0, 0 }, { &l[3], 1, 1 } },
        PAULIMPI_ERR_OVERLAP,
        "paulimpi_x: receives[0] and receives[1] use the same memory",
        "a row through both");
    check(2, (paulimpi__use[]){ { &l[3], 0, 7 }, { &l[1], 1, 5 } },
          PAULIMPI_ERR_OVERLAP, "receives[5] and sends[7]",
          "sent from where one is received");
    check(2, (paulimpi__use[]){ { &l[3], 0, 0 }, { &l[0], 0, 1 } },
          PAULIMPI_SUCCESS, "", "two sends from the same memory");
    check(2, (paulimpi__use[]){ { &l[0], 1, 0 }, { &l[5], 1, 1 } },
          PAULIMPI_ERR_OVERLAP, "receives[0] and receives[1]",
          "a column from both ends");
    check(2, (paulimpi__use[]){ { &l[4], 1, 0 }, { &l[3], 1, 1 } },
          PAULIMPI_SUCCESS, "", "nothing where something is");
    check(1, (paulimpi__use[]){ { &l[6], 1, 3 } }, PAULIMPI_ERR_OVERLAP,
          "receives[3] would be written twice", "elements that overlap");
    check(1, (paulimpi__use[]){ { &l[6], 0, 3 } }, PAULIMPI_SUCCESS, "",
          "which may be sent");
}

/* All columns of an array, in any order, and the one that is there twice. */
static void
test_many(void)
{
    enum { N = 3000 };
    static paulimpi__layout layout[N + 1];
    static paulimpi__use use[N + 1];
    int i, at;

    for (i = 0; i < N; i++) {
        layout[i] =
            far_layout(8 * i, 8, 1, (int64_t[]){ 500 }, (int64_t[]){ 8 * N });
        use[(i * 1001) % N] = (paulimpi__use){ &layout[i], i % 3 > 0, i };
    }
    check(N, use, PAULIMPI_SUCCESS, "", "3000 columns of an array");
    layout[N] =
        far_layout(8 * 700 + 4, 8, 1, (int64_t[]){ 3 }, (int64_t[]){ 80 * N });
    use[N] = (paulimpi__use){ &layout[N], 1, N };
    check(N + 1, use, PAULIMPI_ERR_OVERLAP, "receives[700] and receives[3000]",
          "and one that begins in another");

    /* Not in the array, but modulo its rows in the same place. */
    layout[N] = far_layout((int64_t)500 * 8 * N, 8, 1, (int64_t[]){ 3 },
                           (int64_t[]){ 80 * N });
    check(N + 1, use, PAULIMPI_SUCCESS, "", "or below the last row");

    /* Over the end of a row. */
    layout[N] = far_layout(8 * N * 10 - 4, 8, 1, (int64_t[]){ 3 },
                           (int64_t[]){ 8 * N });
    check(N + 1, use, PAULIMPI_ERR_OVERLAP, "receives[3000]",
          "or over the ends of rows");

    for (at = 0; at < N; at++) {
        use[at].is_receive = 0;
    }
    use[N].is_receive = 0;
    check(N + 1, use, PAULIMPI_SUCCESS, "", "all of which may be sent");
}

/* Random groups of messages against the map. */
static void
test_groups(void)
{
    int n_wrong = 0, n_refused = 0;
    int i;

    regions_seed(4);
    for (i = 0; i < 3000; i++) {
        paulimpi_region region[8];
        paulimpi__layout layout[8];
        paulimpi__use use[8];
        int n = 2 + (int)regions_draw(7);
        int want = PAULIMPI_SUCCESS;
        int a, b, has_twice;

        for (a = 0; a < n; a++) {
            region[a] = a == 0 ? regions_random() : near_to(&region[a - 1]);
            layout[a] = regions_layout(&region[a]);
            use[a] = (paulimpi__use){ &layout[a], (int)regions_draw(2), a };
        }
        for (a = 0; a < n; a++) {
            memset(map, 0, sizeof map);
            mark(&region[a], 1, &has_twice);
            want |= use[a].is_receive && has_twice;
            for (b = 0; b < a; b++) {
                memset(map, 0, sizeof map);
                mark(&region[a], 1, &has_twice);
                want |= mark(&region[b], 2, &has_twice)
                        && (use[a].is_receive || use[b].is_receive);
            }
        }
        n_refused += want != 0;
        n_wrong += paulimpi__check_overlap("paulimpi_x", n, use)
                   != (want ? PAULIMPI_ERR_OVERLAP : PAULIMPI_SUCCESS);
    }
    tap_is_int(n_wrong, 0, "3000 random groups, of which %d are refused",
               n_refused);
    tap_ok(n_refused > 300 && n_refused < 2700, "both cases are there");
}

static void
test_no_memory(void)
{
    paulimpi__layout layout =
        far_layout(0, 8, 0, (int64_t[]){ 0 }, (int64_t[]){ 0 });
    paulimpi__use use = { &layout, 1, 0 };

    paulimpi__alloc_fail_at(1);
    check(1, &use, PAULIMPI_ERR_MEMORY, "paulimpi_x", "no memory");
    paulimpi__alloc_fail_at(0);
    check(1, &use, PAULIMPI_SUCCESS, "", "is forgotten");
}

int
main(void)
{
    test_random();
    test_large();
    test_nasty();
    test_messages();
    test_many();
    test_groups();
    test_no_memory();
    return tap_done();
}
