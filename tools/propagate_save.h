/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether a file for the sum can be written, before there is one.
 */
#ifndef TOOLS_PROPAGATE_SAVE_H
#define TOOLS_PROPAGATE_SAVE_H

/** Find out what will fail for sure: a folder that cannot be written to, HDF5
 * with a library without it. @return an exit status */
int propagate_save_check(const char *path);

#endif /* TOOLS_PROPAGATE_SAVE_H */
