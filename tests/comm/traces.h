/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a process holds of the system, to be compared before and after.
 */
#ifndef TESTS_COMM_TRACES_H
#define TESTS_COMM_TRACES_H

typedef struct {
    int descriptors; /* that are open */
    int mappings;    /* that are shared */
    int names;       /* of these, those of files that still have a name */
} traces;

traces traces_now(void);
int traces_same(traces a, traces b);

#endif /* TESTS_COMM_TRACES_H */
