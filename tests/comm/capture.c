/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading back what a process writes to standard error.
 */
#include "comm/capture.h"

#include <stdio.h>
#include <unistd.h>

#include "tap/tap.h"

static FILE *file;
static int kept;

void
capture_begin(void)
{
    file = tmpfile();
    kept = dup(STDERR_FILENO);
    if (file == NULL || kept < 0 || dup2(fileno(file), STDERR_FILENO) < 0) {
        tap_bail("standard error cannot be replaced");
    }
}

const char *
capture_end(void)
{
    static char text[CAPTURE_ROOM];
    size_t length;

    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}
