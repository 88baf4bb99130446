/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the processor can do.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "tap/tap.h"

static void
test_names(void)
{
    char want[PAULIMPI__SIMD_TEXT] = "";
    char known[PAULIMPI__SIMD_TEXT];
    int best = paulimpi__simd_best();
    int level;

    tap_ok(best >= 0 && best < PAULIMPI__SIMD_LEVELS,
           "the best level is one of them: %s", paulimpi__simd_name(best));
    for (level = best; level >= 0; level--) {
        strcat(want, paulimpi__simd_name(level));
        strcat(want, level > 0 ? ", " : "");
    }
    paulimpi__simd_list(known);
    tap_is_text(known, want, "all are listed, the best one first");
    tap_is_text(paulimpi__simd_name(PAULIMPI__SIMD_AVX512), "avx512",
                "levels have names");
}

static void
test_choice(void)
{
    int best = paulimpi__simd_best();
    int level, chosen;

    unsetenv("PAULIMPI_SIMD");
    tap_is_int(paulimpi__simd_wanted(), best, "without a wish: the best");
    setenv("PAULIMPI_SIMD", "", 1);
    tap_is_int(paulimpi__simd_wanted(), best, "likewise with an empty one");
    for (level = 0; level < PAULIMPI__SIMD_LEVELS; level++) {
        const char *name = paulimpi__simd_name(level);
        int want = level <= best ? level : -1;

        setenv("PAULIMPI_SIMD", name, 1);
        tap_is_int(paulimpi__simd_wanted(), want, "%s is %s", name,
                   want < 0 ? "not there" : "there");
        chosen = -1;
        tap_is_status(paulimpi__simd_choose(&chosen),
                      want < 0 ? PAULIMPI_ERR_ARGUMENT : PAULIMPI_SUCCESS,
                      "and chosen if it is there");
        tap_is_int(chosen, want, "or nothing is");
    }
}

static void
test_error(void)
{
    char want[256];
    char known[PAULIMPI__SIMD_TEXT];
    int level = 7;

    paulimpi__simd_list(known);
    snprintf(want, sizeof want,
             "the environment variable PAULIMPI_SIMD is \"AVX2\", but this "
             "processor can do: %s",
             known);
    setenv("PAULIMPI_SIMD", "AVX2", 1);
    tap_is_status(paulimpi__simd_choose(&level), PAULIMPI_ERR_ARGUMENT,
                  "another name is refused");
    tap_is_int(level, 7, "without a level");
    tap_is_text(paulimpi_last_error(), want, "the sentence lists all levels");
}

int
main(void)
{
    test_names();
    test_choice();
    test_error();
    return tap_done();
}
