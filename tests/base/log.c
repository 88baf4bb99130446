/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Logging. The level is read once, so every case is a process of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "tap/tap.h"

/* Log at every level, fail once, and leave. */
static void
speak(const char *level, int out)
{
    dup2(out, STDERR_FILENO);
    if (level == NULL) {
        unsetenv("PAULIMPI_LOG");
    } else {
        setenv("PAULIMPI_LOG", level, 1);
    }
    paulimpi__log(PAULIMPI__LOG_ERROR, "number %d", 1);
    paulimpi__log(PAULIMPI__LOG_WARN, "number %d", 2);
    paulimpi__log(PAULIMPI__LOG_INFO, "number %d", 3);
    paulimpi__log(PAULIMPI__LOG_DEBUG, "number %d", 4);
    paulimpi__error(PAULIMPI_ERR_IO, "f: sorry");
    _exit(paulimpi__log_level());
}

static void
check(const char *level, int want_level, const char *want)
{
    char got[1000] = "";
    size_t length = 0;
    ssize_t n;
    int ends[2];
    int status = -1;
    pid_t child;

    if (pipe(ends) != 0) {
        tap_bail("no pipe");
    }
    child = fork();
    if (child < 0) {
        tap_bail("no process");
    }
    if (child == 0) {
        speak(level, ends[1]);
    }
    close(ends[1]);
    while ((n = read(ends[0], got + length, sizeof got - 1 - length)) > 0) {
        length += (size_t)n;
    }
    close(ends[0]);
    waitpid(child, &status, 0);
    tap_is_text(got, want, "PAULIMPI_LOG %s",
                level == NULL ? "not set" : level);
    tap_is_int(WEXITSTATUS(status), want_level, "is level %d", want_level);
}

#define E "libpaulimpi: error: number 1\n"
#define W "libpaulimpi: warn: number 2\n"
#define I "libpaulimpi: info: number 3\n"
#define D "libpaulimpi: debug: number 4\n"
#define F "libpaulimpi: info: PAULIMPI_ERR_IO: f: sorry\n"

int
main(void)
{
    check(NULL, PAULIMPI__LOG_NONE, "");
    check("", PAULIMPI__LOG_NONE, "");
    check("none", PAULIMPI__LOG_NONE, "");
    check("error", PAULIMPI__LOG_ERROR, E);
    check("warn", PAULIMPI__LOG_WARN, E W);
    check("info", PAULIMPI__LOG_INFO, E W I F);
    check("debug", PAULIMPI__LOG_DEBUG, E W I D F);
    check("loud", PAULIMPI__LOG_WARN,
          "libpaulimpi: warn: PAULIMPI_LOG is \"loud\", but must be none, "
          "error, warn, info or debug; warn is used\n" E W);
    return tap_done();
}
