/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The list of ranges of addresses.
 */
#include "device/ranges.h"

#include "base/base.h"
#include "tap/tap.h"

static paulimpi__ranges ranges;

static void *
at(uintptr_t address)
{
    return (void *)address;
}

static void
insert(uintptr_t base, size_t bytes)
{
    paulimpi__range range = { base, bytes, 0, NULL };

    if (!paulimpi__ranges_reserve(&ranges)) {
        tap_bail("no memory");
    }
    paulimpi__ranges_insert(&ranges, range);
}

static uintptr_t
base_at(uintptr_t address)
{
    const paulimpi__range *range = paulimpi__ranges_find(&ranges, at(address));

    return range == NULL ? 0 : range->base;
}

static uintptr_t
overlap(uintptr_t base, size_t bytes)
{
    const paulimpi__range *range =
        paulimpi__ranges_overlap(&ranges, at(base), bytes);

    return range == NULL ? 0 : range->base;
}

static void
check_find(void)
{
    tap_is_int(base_at(100), 0, "an empty list holds no address");
    insert(200, 50);
    insert(100, 10);
    insert(300, 1);
    tap_is_int(base_at(99), 0, "the byte before a range is not in it");
    tap_is_int(base_at(100), 100, "its first byte is");
    tap_is_int(base_at(109), 100, "its last byte is");
    tap_is_int(base_at(110), 0, "the byte behind it is not");
    tap_is_int(base_at(249), 200, "ranges may come in any order");
    tap_is_int(base_at(300), 300, "a range may have one byte");
    tap_is_int(base_at(UINTPTR_MAX), 0, "the last address is in none");
}

static void
check_overlap(void)
{
    tap_is_int(overlap(110, 90), 0, "what lies between two overlaps none");
    tap_is_int(overlap(110, 91), 200, "a byte more does");
    tap_is_int(overlap(109, 5), 100, "so does a byte less");
    tap_is_int(overlap(0, 1000), 100, "of several the first is found");
    tap_is_int(overlap(301, UINTPTR_MAX - 301), 0, "nothing lies behind");
}

static void
check_remove(void)
{
    int i;

    paulimpi__ranges_remove(&ranges, paulimpi__ranges_find(&ranges, at(210)));
    tap_is_int(base_at(210), 0, "a range that was removed is not found");
    tap_is_int(base_at(105), 100, "the one before it is");
    tap_is_int(base_at(300), 300, "the one behind it is");
    for (i = 0; i < 1000; i++) {
        insert(1000 + (uintptr_t)(i * 7919 % 1000) * 10, 10);
    }
    tap_is_int(base_at(1000), 1000, "of many the first is found");
    tap_is_int(base_at(6789), 6780, "of many one in the middle is");
    tap_is_int(base_at(10999), 10990, "of many the last is");
    while (ranges.n > 0) {
        paulimpi__ranges_remove(&ranges, &ranges.range[ranges.n / 2]);
    }
    tap_ok(ranges.range == NULL, "the last one takes the memory along");
}

static void
check_no_memory(void)
{
    paulimpi__alloc_fail_at(1);
    tap_ok(!paulimpi__ranges_reserve(&ranges), "no memory is a 0");
    paulimpi__alloc_fail_at(0);
    tap_is_int((int64_t)ranges.n, 0, "and changes nothing");
}

int
main(void)
{
    check_find();
    check_overlap();
    check_remove();
    check_no_memory();
    return tap_done();
}
