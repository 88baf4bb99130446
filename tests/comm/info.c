/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the library tells about itself.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "paulimpi/context.h"
#include "tap/tap.h"

extern char **environ;

static void
test_version(void)
{
    int major = -1, minor = -1, patch = -1;

    paulimpi_version(&major, &minor, &patch);
    tap_is_int(major << 16 | minor << 8 | patch, PAULIMPI_VERSION,
               "the library has the version of its header");
    paulimpi_version(NULL, NULL, NULL);
    tap_ok(1, "nobody has to ask for all of it");
}

/* Whether each line is "name: value". */
static int
has_pairs(const char *text)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        size_t name = strcspn(text, ":");

        if (name == 0 || name + 2 >= length || text[name + 1] != ' '
            || text[length] != '\n') {
            return 0;
        }
        text += length + 1;
    }
    return 1;
}

/* Take every variable of the library out of the environment, also those that
 * came from outside. */
static void
unset_all(void)
{
    char name[256];
    size_t i = 0;

    while (environ[i] != NULL) {
        size_t length = strcspn(environ[i], "=");

        if (strncmp(environ[i], "PAULIMPI_", 9) == 0 && length < sizeof name) {
            memcpy(name, environ[i], length);
            name[length] = '\0';
            unsetenv(name); /* the next entry takes its place */
        } else {
            i++;
        }
    }
}

static void
test_lines(void)
{
    static const char *const name[] = {
        "libpaulimpi: " PAULIMPI_VERSION_STRING "\n",
        "\nMPI: ",
        "\nMPI standard: ",
        "\nbuilt for: " PAULIMPI_MPI_FAMILY "\n",
        "\nlauncher: ",
        "\nhwloc: ",
        "\nOpenMP: ",
        "\nprocessor: ",
        "\nSIMD: ",
        "\nprocessors: ",
        "\nNUMA domains: ",
        "\nmemory available: ",
        "\nshared memory: ",
        "PAULIMPI_THREADS=2",
    };
    char *text;
    size_t i;

    setenv("PAULIMPI_THREADS", "2", 1);
    tap_is_status(paulimpi_info(&text), PAULIMPI_SUCCESS,
                  "the library describes itself");
    for (i = 0; i < sizeof name / sizeof name[0]; i++) {
        tap_contains(text, name[i], "line %zu", i + 1);
    }
    tap_ok(has_pairs(text), "each line is \"name: value\"");
    paulimpi_text_destroy(&text);

    unset_all();
    paulimpi_info(&text);
    tap_contains(text, "\nenvironment: none\n", "no variables: none");
    paulimpi_text_destroy(&text);
}

static void
test_failures(void)
{
    char *text = NULL;
    int64_t n = 0;
    int n_wrong = 0;
    int rc;

    tap_is_status(paulimpi_info(NULL), PAULIMPI_ERR_ARGUMENT,
                  "a text needs a place");
    do {
        paulimpi__alloc_fail_at(++n);
        rc = paulimpi_info(&text);
        n_wrong += rc != PAULIMPI_SUCCESS
                   && (rc != PAULIMPI_ERR_MEMORY || text != NULL);
    } while (rc != PAULIMPI_SUCCESS && n < 100);
    paulimpi__alloc_fail_at(0);
    tap_ok(n > 1 && n_wrong == 0, "wherever memory runs out: a code");
    paulimpi_text_destroy(&text);
}

int
main(void)
{
    test_version();
    test_lines();
    test_failures();
    return tap_done();
}
