/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Resident memory of this process. Linux tells it and its peak, and can forget
 * the peak, so that only what comes after counts; elsewhere the peak since the
 * start of the process has to serve for both.
 */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

#include <stdint.h>

/* Bytes: what is resident ("VmRSS:"), or was at most ("VmHWM:"). */
int64_t memory_resident(const char *field);
void memory_forget_peak(void);

#endif /* BENCH_MEMORY_H */
