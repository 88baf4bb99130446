/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading back what a process writes to standard error.
 */
#ifndef TESTS_COMM_CAPTURE_H
#define TESTS_COMM_CAPTURE_H

enum { CAPTURE_ROOM = 4096 };

void capture_begin(void);
/* What was written since; the text lives until the next call. */
const char *capture_end(void);

#endif /* TESTS_COMM_CAPTURE_H */
