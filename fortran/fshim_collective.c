/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arrays as collective operations take them: contiguous, and of a type.
 */
#include "fshim_collective.h"

#include "fshim.h"
#include "fshim_array.h"
#include "paulimpi/type.h"

static int
type_of(CFI_type_t type)
{
    static const struct {
        CFI_type_t fortran;
        int type;
    } known[] = {
        { CFI_type_int8_t, PAULIMPI_BYTE },
        { CFI_type_int32_t, PAULIMPI_INT32 },
        { CFI_type_int64_t, PAULIMPI_INT64 },
        { CFI_type_float, PAULIMPI_FLOAT32 },
        { CFI_type_double, PAULIMPI_FLOAT64 },
        { CFI_type_float_Complex, PAULIMPI_COMPLEX64 },
        { CFI_type_double_Complex, PAULIMPI_COMPLEX128 },
    };
    size_t i;

    for (i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].fortran == type) {
            return known[i].type;
        }
    }
    return 0;
}

/* The elements of an array, -1 for one of unknown size, a(*). */
static int64_t
count(const CFI_cdesc_t *array)
{
    int64_t n = 1;
    int i;

    for (i = 0; i < array->rank; i++) {
        if (array->dim[i].extent < 0) {
            return -1;
        }
        n *= array->dim[i].extent;
    }
    return n;
}

static int
is_contiguous(const paulimpi_region *region)
{
    return region->dimensions == 0
           || (region->dimensions == 1
               && (region->extent[0] <= 0
                   || region->stride[0] == (int64_t)region->element));
}

void
paulimpi_f_spoil(paulimpi_f_loan *loan, const char *sentence)
{
    (void)paulimpi_f_give_back(loan, 0);
    loan->address = NULL;
    loan->code = PAULIMPI_ERR_ARGUMENT;
    paulimpi_f_refuse(sentence);
}

int
paulimpi_f_describes_target(const CFI_cdesc_t *nowhere)
{
    return nowhere->base_addr == NULL;
}

/* Lend what an address points to. */
static void
lend_address(const CFI_cdesc_t *array, paulimpi_f_loan *loan)
{
    loan->elements = -1;
    loan->bytes = -1;
    if (array->rank > 0) {
        paulimpi_f_spoil(loan, "an array of addresses cannot be sent or "
                               "received");
    } else if (!loan->describes_target) {
        loan->address = *(void **)array->base_addr;
    }
}

void
paulimpi_f_lend(const CFI_cdesc_t *array, paulimpi_context *ctx,
                const paulimpi_exchange_options *options,
                paulimpi_f_loan *loan)
{
    paulimpi_region region;

    loan->address = array->base_addr;
    loan->elements = count(array);
    loan->bytes =
        loan->elements < 0 ? -1 : loan->elements * (int64_t)array->elem_len;
    loan->type = type_of(array->type);
    if (array->type == CFI_type_cptr) {
        lend_address(array, loan);
        return;
    }
    paulimpi_f_region_of(array, &region);
    if (loan->elements < 0 || is_contiguous(&region)) {
        return;
    }
    loan->code = paulimpi_buffer_acquire(ctx, &region, loan->use, options,
                                         &loan->copy, &loan->address);
    if (loan->code != PAULIMPI_SUCCESS) {
        loan->address = NULL;
        paulimpi_f_refuse(paulimpi_last_error());
    }
}

int
paulimpi_f_give_back(paulimpi_f_loan *loan, int commit)
{
    return paulimpi_buffer_release(&loan->copy, commit);
}
