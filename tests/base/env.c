/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Environment variables.
 */
#include <stdlib.h>

#include "base/base.h"
#include "tap/tap.h"

static void
check(const char *text, int want_rc, int64_t want)
{
    int64_t value = -1;
    int rc;

    setenv("PAULIMPI_TEST_VALUE", text, 1);
    rc = paulimpi__env_int64("PAULIMPI_TEST_VALUE", -5, 4096, &value);
    tap_ok(rc == want_rc && value == want, "\"%s\": %s, %lld", text,
           paulimpi_error_name(rc), (long long)value);
}

int
main(void)
{
    int64_t value = 3;

    unsetenv("PAULIMPI_TEST_VALUE");
    tap_ok(paulimpi__env_int64("PAULIMPI_TEST_VALUE", 1, 2, &value) == 0
               && value == 3,
           "a variable that is not set changes nothing");
    check("", PAULIMPI_SUCCESS, -1);
    check("1", PAULIMPI_SUCCESS, 1);
    check("+7", PAULIMPI_SUCCESS, 7);
    check("4096", PAULIMPI_SUCCESS, 4096);
    check("-5", PAULIMPI_SUCCESS, -5);
    check("4097", PAULIMPI_ERR_ARGUMENT, -1);
    check("-6", PAULIMPI_ERR_ARGUMENT, -1);
    check("two", PAULIMPI_ERR_ARGUMENT, -1);
    check("2x", PAULIMPI_ERR_ARGUMENT, -1);
    check("2 ", PAULIMPI_ERR_ARGUMENT, -1);
    check(" 2", PAULIMPI_ERR_ARGUMENT, -1);
    check("2.0", PAULIMPI_ERR_ARGUMENT, -1);
    check("0x2", PAULIMPI_ERR_ARGUMENT, -1);
    check("18446744073709551617", PAULIMPI_ERR_ARGUMENT, -1);
    tap_is_text(paulimpi_last_error(),
                "the environment variable PAULIMPI_TEST_VALUE is "
                "\"18446744073709551617\", but must be an integer from -5 to "
                "4096",
                "the sentence names the variable, the value and the limits");
    return tap_done();
}
