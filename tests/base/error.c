/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Status codes and the last error.
 */
#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "base/base.h"
#include "tap/tap.h"

static void
test_codes(void)
{
    const char *text;
    int n_named = 0;
    int code;

    tap_is_text(paulimpi_last_error(), "", "no error yet: an empty text");
    for (code = 0; code >= PAULIMPI_ERR_TIMEOUT; code--) {
        text = paulimpi_error_name(code);
        n_named +=
            strcmp(text, "PAULIMPI_ERR_?") != 0
            && strcmp(paulimpi_strerror(code), "unknown status code") != 0;
    }
    tap_is_int(n_named, 17, "all 17 codes have a name and a text");
    tap_is_text(paulimpi_error_name(PAULIMPI_ERR_MEMORY),
                "PAULIMPI_ERR_MEMORY", "a name is the code as it is spelt");
    tap_is_text(paulimpi_error_name(PAULIMPI_SUCCESS), "PAULIMPI_SUCCESS",
                "success has a name");
    tap_is_text(paulimpi_error_name(-99), "PAULIMPI_ERR_?",
                "an unknown code has a name too");
    tap_is_text(paulimpi_strerror(1), "unknown status code", "and a text");
}

static void
test_sentences(void)
{
    char text[2 * PAULIMPI__ERROR_TEXT];
    const char *last;

    tap_is_status(paulimpi__error(PAULIMPI_ERR_RANGE, "f: %d is odd", 3),
                  PAULIMPI_ERR_RANGE, "paulimpi__error returns its code");
    tap_is_text(paulimpi_last_error(), "f: 3 is odd",
                "and keeps the sentence");
    paulimpi__error(PAULIMPI_ERR_RANGE, "g: %s", paulimpi_last_error());
    tap_is_text(paulimpi_last_error(), "g: f: 3 is odd",
                "the last error can be the cause of the next");
    tap_is_status(paulimpi__null("f", "x_p"), PAULIMPI_ERR_ARGUMENT,
                  "a NULL argument has a code");
    tap_is_text(paulimpi_last_error(), "f: x_p is NULL", "and a sentence");
    tap_is_status(paulimpi__no_memory("f", 17), PAULIMPI_ERR_MEMORY,
                  "a failed allocation has a code");
    tap_is_text(paulimpi_last_error(), "f: no memory for 17 bytes more",
                "and a sentence");
    tap_is_status(paulimpi__no_memory("f", SIZE_MAX), PAULIMPI_ERR_MEMORY,
                  "a size that overflowed as well");
    tap_is_text(paulimpi_last_error(),
                "f: the memory needed is more than can be addressed",
                "with a sentence of its own");
    paulimpi__error_set_text("rank 2: h");
    tap_is_text(paulimpi_last_error(), "rank 2: h",
                "a sentence from elsewhere can take the place");

    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    paulimpi__error(PAULIMPI_ERR_IO, "%s", text);
    last = paulimpi_last_error();
    tap_is_int((int64_t)strlen(last), PAULIMPI__ERROR_TEXT - 1,
               "a sentence that is too long is cut");
    tap_is_text(last + PAULIMPI__ERROR_TEXT - 5, "a...", "and marked");
    paulimpi__error_set_text(text);
    tap_is_text(paulimpi_last_error() + PAULIMPI__ERROR_TEXT - 5, "a...",
                "also one from elsewhere");
}

static void *
fail_elsewhere(void *saw_nothing)
{
    *(int *)saw_nothing = strcmp(paulimpi_last_error(), "") == 0;
    paulimpi__error(PAULIMPI_ERR_STATE, "in the other thread");
    return NULL;
}

static void
test_threads(void)
{
    int saw_nothing = 0;
    pthread_t thread;

    paulimpi__error(PAULIMPI_ERR_STATE, "in this thread");
    pthread_create(&thread, NULL, fail_elsewhere, &saw_nothing);
    pthread_join(thread, NULL);
    tap_ok(saw_nothing, "a new thread has had no error");
    tap_is_text(paulimpi_last_error(), "in this thread",
                "its errors are not this thread's");
}

int
main(void)
{
    test_codes();
    test_sentences();
    test_threads();
    return tap_done();
}
