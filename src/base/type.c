/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Types of elements.
 */
#include "paulimpi/type.h"

#include <stdint.h>

static const struct {
    const char *name;
    size_t bytes;
} types[] = {
    [PAULIMPI_BYTE] = { "byte", 1 },
    [PAULIMPI_INT32] = { "int32", sizeof(int32_t) },
    [PAULIMPI_INT64] = { "int64", sizeof(int64_t) },
    [PAULIMPI_UINT64] = { "uint64", sizeof(uint64_t) },
    [PAULIMPI_FLOAT32] = { "float32", sizeof(float) },
    [PAULIMPI_FLOAT64] = { "float64", sizeof(double) },
    [PAULIMPI_COMPLEX64] = { "complex64", 2 * sizeof(float) },
    [PAULIMPI_COMPLEX128] = { "complex128", 2 * sizeof(double) },
};

static int
is_type(int type)
{
    return type >= PAULIMPI_BYTE && type <= PAULIMPI_COMPLEX128;
}

size_t
paulimpi_type_bytes(int type)
{
    return is_type(type) ? types[type].bytes : 0;
}

const char *
paulimpi_type_name(int type)
{
    return is_type(type) ? types[type].name : "?";
}
