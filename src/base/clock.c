/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The wall clock.
 */
#include "base/base.h"

#include <time.h>

double
paulimpi__seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
