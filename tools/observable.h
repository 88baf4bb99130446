/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The value of --observable: a sum as text, or @ and the name of its file.
 */
#ifndef TOOLS_OBSERVABLE_H
#define TOOLS_OBSERVABLE_H

#include <paulimpi.h>

/** Find what is wrong with an observable on any number of qubits; files are
 * left alone. @return an exit status */
int observable_check(const char *observable);

/** Add an observable to a sum. @return an exit status */
int observable_add(paulimpi_sum *sum, const char *observable);

#endif /* TOOLS_OBSERVABLE_H */
