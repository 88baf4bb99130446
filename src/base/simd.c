/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the processor can do.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"

const char *
paulimpi__simd_name(int level)
{
    static const char *const name[PAULIMPI__SIMD_LEVELS] = {
#if defined(__ARM_NEON)
        "neon",
#else
        "portable",
#endif
        "avx2",
        "avx512"
    };

    return name[level];
}

int
paulimpi__simd_best(void)
{
#if defined(HAVE_X86_TARGETS)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi")
        || !__builtin_cpu_supports("bmi2")
        || !__builtin_cpu_supports("popcnt")) {
        return PAULIMPI__SIMD_PORTABLE;
    }
    return __builtin_cpu_supports("avx512f")
                   && __builtin_cpu_supports("avx512bw")
                   && __builtin_cpu_supports("avx512dq")
                   && __builtin_cpu_supports("avx512vl")
               ? PAULIMPI__SIMD_AVX512
               : PAULIMPI__SIMD_AVX2;
#else
    return PAULIMPI__SIMD_PORTABLE;
#endif
}

void
paulimpi__simd_list(char text[PAULIMPI__SIMD_TEXT])
{
    int level = paulimpi__simd_best();

    strcpy(text, paulimpi__simd_name(level));
    while (level-- > 0) {
        strcat(strcat(text, ", "), paulimpi__simd_name(level));
    }
}

int
paulimpi__simd_wanted(void)
{
    const char *wanted = getenv("PAULIMPI_SIMD");
    int level = paulimpi__simd_best();

    if (wanted == NULL || wanted[0] == '\0') {
        return level;
    }
    while (level >= 0 && strcmp(wanted, paulimpi__simd_name(level)) != 0) {
        level--;
    }
    return level;
}

int
paulimpi__simd_choose(int *level_p)
{
    char known[PAULIMPI__SIMD_TEXT];
    int level = paulimpi__simd_wanted();

    if (level < 0) {
        paulimpi__simd_list(known);
        return paulimpi__error(
            PAULIMPI_ERR_ARGUMENT,
            "the environment variable PAULIMPI_SIMD is \"%s\", but this "
            "processor can do: %s",
            getenv("PAULIMPI_SIMD"), known);
    }
    *level_p = level;
    return PAULIMPI_SUCCESS;
}
