/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether the list of imported ranges knows an address.
 */
#ifndef TESTS_DEVICE_IMPORTED_H
#define TESTS_DEVICE_IMPORTED_H

#include "device/table.h"

static inline int
is_imported(const void *pointer)
{
    paulimpi_memory about = PAULIMPI_MEMORY_INIT;

    return paulimpi__import_describe(pointer, &about);
}

#endif /* TESTS_DEVICE_IMPORTED_H */
