/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks of handles.
 */
#include "base/base.h"
#include "tap/tap.h"

static int
check(const void *handle, paulimpi__handle_kind kind)
{
    return paulimpi__handle_check(handle, kind, "f", "x");
}

static void
test_null(void)
{
    tap_is_status(check(NULL, PAULIMPI__HANDLE_SUM), PAULIMPI_ERR_ARGUMENT,
                  "NULL is refused");
    tap_is_text(paulimpi_last_error(), "f: x is NULL", "with a sentence");
}

static void
test_live(void)
{
    int thing;

    tap_is_status(paulimpi__handle_enter(&thing, PAULIMPI__HANDLE_SUM),
                  PAULIMPI_SUCCESS, "a handle can be entered");
    tap_is_status(check(&thing, PAULIMPI__HANDLE_SUM), PAULIMPI_SUCCESS,
                  "and is live");
    paulimpi__handle_leave(&thing);
}

#ifdef PAULIMPI_DEBUG

enum { MANY = 5000 };

static void
test_dead(void)
{
    static int things[MANY];
    int n_wrong = 0;
    int thing, i;

    tap_is_status(check(&thing, PAULIMPI__HANDLE_CIRCUIT), PAULIMPI_ERR_STATE,
                  "a foreign pointer is found out");
    tap_is_text(paulimpi_last_error(), "f: x is not a live circuit",
                "with a sentence");
    paulimpi__handle_enter(&thing, PAULIMPI__HANDLE_PAULI);
    tap_is_status(check(&thing, PAULIMPI__HANDLE_CONTEXT), PAULIMPI_ERR_STATE,
                  "and an object of another kind");
    paulimpi__handle_leave(&thing);
    tap_is_status(check(&thing, PAULIMPI__HANDLE_PAULI), PAULIMPI_ERR_STATE,
                  "and a dead one");
    tap_is_text(paulimpi_last_error(), "f: x is not a live Pauli string",
                "with its sentence");
    paulimpi__handle_leave(&thing);
    tap_ok(1, "to leave twice is fine");

    for (i = 0; i < MANY; i++) {
        paulimpi__handle_enter(&things[i], PAULIMPI__HANDLE_SUM);
    }
    for (i = 0; i < MANY; i += 2) {
        paulimpi__handle_leave(&things[i]);
    }
    for (i = 0; i < MANY; i++) {
        n_wrong += check(&things[i], PAULIMPI__HANDLE_SUM)
                   != (i % 2 == 1 ? PAULIMPI_SUCCESS : PAULIMPI_ERR_STATE);
    }
    tap_is_int(n_wrong, 0, "of 5000 handles the odd ones live");
    for (i = 1; i < MANY; i += 2) {
        paulimpi__handle_leave(&things[i]);
    }

    paulimpi__alloc_fail_at(1);
    tap_is_status(paulimpi__handle_enter(&thing, PAULIMPI__HANDLE_SUM),
                  PAULIMPI_ERR_MEMORY, "the table needs memory");
}

#else

static void
test_dead(void)
{
    int thing;

    tap_is_status(check(&thing, PAULIMPI__HANDLE_CIRCUIT), PAULIMPI_SUCCESS,
                  "without debugging there is no table");
}

#endif

int
main(void)
{
    test_null();
    test_live();
    test_dead();
    return tap_done();
}
