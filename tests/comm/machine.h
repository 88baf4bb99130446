/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A machine that hwloc reads from a file.
 */
#ifndef TESTS_COMM_MACHINE_H
#define TESTS_COMM_MACHINE_H

/* Write a topology for HWLOC_XMLFILE: two domains of NUMA, with processor 0 and
 * the GPU at 0000:10:00.0, and with processor 1 and the one at 0000:20:00.0.
 * Returns 0 if it cannot be written. */
int machine_write(const char *path);

#endif /* TESTS_COMM_MACHINE_H */
