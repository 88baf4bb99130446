/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The arithmetic of reductions, for each type and operation.
 */
#include "exchange/collective.h"

int
paulimpi__reduces(int type, int op)
{
    int is_float = type == PAULIMPI_FLOAT32 || type == PAULIMPI_FLOAT64;
    int is_complex = type == PAULIMPI_COMPLEX64 || type == PAULIMPI_COMPLEX128;

    switch (op) {
    case PAULIMPI_REDUCE_SUM:
    case PAULIMPI_REDUCE_PRODUCT:
        return type != PAULIMPI_BYTE;
    case PAULIMPI_REDUCE_MIN:
    case PAULIMPI_REDUCE_MAX:
        return type != PAULIMPI_BYTE && !is_complex;
    case PAULIMPI_REDUCE_AND:
    case PAULIMPI_REDUCE_OR:
    case PAULIMPI_REDUCE_XOR:
        return !is_float && !is_complex;
    default:
        return 0;
    }
}

/* A loop over the elements x of into and y of from. */
#define LOOP(name, type, expression)                                          \
    static void name(int64_t n, void *into, const void *from)                 \
    {                                                                         \
        type *restrict a = into;                                              \
        const type *restrict b = from;                                        \
        int64_t i;                                                            \
                                                                              \
        for (i = 0; i < n; i++) {                                             \
            const type x = a[i];                                              \
            const type y = b[i];                                              \
                                                                              \
            a[i] = (type)(expression);                                        \
        }                                                                     \
    }

/* Signed sums and products are those of the unsigned type, which wrap. */
LOOP(sum_int32, uint32_t, x + y)
LOOP(sum_int64, uint64_t, x + y)
LOOP(sum_float32, float, x + y)
LOOP(sum_float64, double, x + y)
LOOP(product_int32, uint32_t, x *y)
LOOP(product_int64, uint64_t, x *y)
LOOP(product_float32, float, x *y)
LOOP(product_float64, double, x *y)
LOOP(min_int32, int32_t, y < x ? y : x)
LOOP(min_int64, int64_t, y < x ? y : x)
LOOP(min_uint64, uint64_t, y < x ? y : x)
LOOP(max_int32, int32_t, y > x ? y : x)
LOOP(max_int64, int64_t, y > x ? y : x)
LOOP(max_uint64, uint64_t, y > x ? y : x)

/* What is not a number differs from itself, and stays. */
LOOP(min_float32, float, y < x || y != y ? y : x)
LOOP(min_float64, double, y < x || y != y ? y : x)
LOOP(max_float32, float, y > x || y != y ? y : x)
LOOP(max_float64, double, y > x || y != y ? y : x)
LOOP(and_bytes, unsigned char, x &y)
LOOP(or_bytes, unsigned char, x | y)
LOOP(xor_bytes, unsigned char, x ^ y)

/* Parts are one after the other. */
#define PRODUCT(name, type)                                                   \
    static void name(int64_t n, void *into, const void *from)                 \
    {                                                                         \
        type *restrict a = into;                                              \
        const type *restrict b = from;                                        \
        int64_t i;                                                            \
                                                                              \
        for (i = 0; i < 2 * n; i += 2) {                                      \
            const type re = a[i] * b[i] - a[i + 1] * b[i + 1];                \
            const type im = a[i] * b[i + 1] + a[i + 1] * b[i];                \
                                                                              \
            a[i] = re;                                                        \
            a[i + 1] = im;                                                    \
        }                                                                     \
    }
PRODUCT(product_complex64, float)
PRODUCT(product_complex128, double)

typedef void loop(int64_t n, void *into, const void *from);

/* For each type the loops of the operations, and how many of its elements one
 * of ours is. */
enum { TYPES = PAULIMPI_COMPLEX128 + 1, OPS = PAULIMPI_REDUCE_XOR + 1 };
static const struct {
    loop *of[OPS];
    int per_element[OPS];
} table[TYPES] = {
    [PAULIMPI_BYTE] = { { NULL, NULL, NULL, NULL, NULL, and_bytes, or_bytes,
                          xor_bytes },
                        { 1, 1, 1, 1, 1, 1, 1, 1 } },
    [PAULIMPI_INT32] = { { NULL, sum_int32, product_int32, min_int32,
                           max_int32, and_bytes, or_bytes, xor_bytes },
                         { 1, 1, 1, 1, 1, 4, 4, 4 } },
    [PAULIMPI_INT64] = { { NULL, sum_int64, product_int64, min_int64,
                           max_int64, and_bytes, or_bytes, xor_bytes },
                         { 1, 1, 1, 1, 1, 8, 8, 8 } },
    [PAULIMPI_UINT64] = { { NULL, sum_int64, product_int64, min_uint64,
                            max_uint64, and_bytes, or_bytes, xor_bytes },
                          { 1, 1, 1, 1, 1, 8, 8, 8 } },
    [PAULIMPI_FLOAT32] = { { NULL, sum_float32, product_float32, min_float32,
                             max_float32 },
                           { 1, 1, 1, 1, 1 } },
    [PAULIMPI_FLOAT64] = { { NULL, sum_float64, product_float64, min_float64,
                             max_float64 },
                           { 1, 1, 1, 1, 1 } },
    [PAULIMPI_COMPLEX64] = { { NULL, sum_float32, product_complex64 },
                             { 1, 2, 1 } },
    [PAULIMPI_COMPLEX128] = { { NULL, sum_float64, product_complex128 },
                              { 1, 2, 1 } },
};

void
paulimpi__reduce_into(int type, int op, int64_t count, void *into,
                      const void *from)
{
    table[type].of[op](count * table[type].per_element[op], into, from);
}
