/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --scan of paulimpi-propagate.
 */
#ifndef TOOLS_PROPAGATE_SCAN_H
#define TOOLS_PROPAGATE_SCAN_H

#include <paulimpi.h>

enum { PROPAGATE_SCAN_NAME = 64 };

/* Values of an input of the circuit. Start from PROPAGATE_SCAN_INIT. */
typedef struct {
    char name[PROPAGATE_SCAN_NAME]; /* empty: there is no scan */
    double first;
    double last;
    int64_t n_points;
} propagate_scan;

#define PROPAGATE_SCAN_INIT                                                   \
    {                                                                         \
        "", 0.0, 0.0, 1                                                       \
    }

/** Read NAME=A:B:N. @return an exit status */
int propagate_scan_set(propagate_scan *scan, const char *value);

/** The input at a point, from 0; its name is NULL without a scan. */
paulimpi_input propagate_scan_input(const propagate_scan *scan, int64_t point);

#endif /* TOOLS_PROPAGATE_SCAN_H */
