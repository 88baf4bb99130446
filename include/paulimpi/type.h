/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Types of elements.
 */
#ifndef PAULIMPI_TYPE_H
#define PAULIMPI_TYPE_H

#include <stddef.h>

#include "paulimpi/export.h"
#include "paulimpi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What the elements of a buffer are. Numbers are never reused. */
enum {
    PAULIMPI_BYTE = 1,
    PAULIMPI_INT32 = 2,
    PAULIMPI_INT64 = 3,
    PAULIMPI_UINT64 = 4,
    PAULIMPI_FLOAT32 = 5,
    PAULIMPI_FLOAT64 = 6,
    PAULIMPI_COMPLEX64 = 7, /**< two of FLOAT32: real and imaginary part */
    PAULIMPI_COMPLEX128 = 8 /**< two of FLOAT64 */
};

/** Bytes of an element, 0 for what is no type. Local. */
PAULIMPI_API size_t paulimpi_type_bytes(int type);

/** Name a type: "float64". Local.
 * @return constant text; "?" for what is no type; never NULL */
PAULIMPI_API const char *paulimpi_type_name(int type);

#ifdef __cplusplus
}
#endif

#endif /* PAULIMPI_TYPE_H */
