/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Contexts in a process whose OpenMP binds its threads. It reads its variables
 * before main(), so the test starts itself anew.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "paulimpi/context.h"
#include "tap/tap.h"

static int
processors(void)
{
    paulimpi_placement place = PAULIMPI_PLACEMENT_INIT;
    paulimpi_context *ctx;

    paulimpi_context_create_serial(NULL, &ctx);
    paulimpi_context_placement(ctx, &place);
    paulimpi_context_destroy(&ctx);
    return place.processors;
}

/* Go on as a new process with its answer to expect. */
static void
start_anew(const char *program)
{
    char text[16];

    snprintf(text, sizeof text, "%d", processors());
    setenv("OMP_PROC_BIND", "true", 1);
    setenv("OMP_PLACES", "threads", 1);
    execl("/proc/self/exe", program, text, (char *)NULL);
    tap_bail("the program cannot start itself");
}

int
main(int argc, char **argv)
{
    if (argc == 1) {
        unsetenv("OMP_PROC_BIND");
        unsetenv("OMP_PLACES");
        start_anew(argv[0]);
    }
    tap_is_int(processors(), atoi(argv[1]),
               "with OMP_PROC_BIND all processors still count");
    return tap_done();
}
