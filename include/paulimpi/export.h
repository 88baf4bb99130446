/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Visibility of the public functions.
 */
#ifndef PAULIMPI_EXPORT_H
#define PAULIMPI_EXPORT_H

#if defined(__GNUC__)
#define PAULIMPI_API __attribute__((visibility("default")))
#else
#define PAULIMPI_API
#endif

#endif /* PAULIMPI_EXPORT_H */
