/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program for lost.sh: two ranks exchange, again and again, by a plan.
 *
 *     lost_probe_np2.t FILE
 *
 * When it is under way each rank puts its process number into FILE.RANK. A rank
 * whose exchange fails tells why in a line and ends with 3.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <paulimpi.h>

enum { ROWS = 30000, PITCH = 16 };

/* The file appears with its contents. */
static void
write_process(const char *name, int rank)
{
    char path[1024], other[1024];
    FILE *file;

    snprintf(path, sizeof path, "%s.%d", name, rank);
    snprintf(other, sizeof other, "%s.%d.new", name, rank);
    file = fopen(other, "w");
    if (file != NULL) {
        fprintf(file, "%ld\n", (long)getpid());
        fclose(file);
        rename(other, path);
    }
}

int
main(int argc, char **argv)
{
    static char from[ROWS * PITCH], to[ROWS * PITCH];
    const char *file = argc > 1 ? argv[1] : "pid";
    paulimpi_message send = { paulimpi_region_2d(from, 8, ROWS, PITCH), 0, 1 };
    paulimpi_message receive = { paulimpi_region_2d(to, 8, ROWS, PITCH), 0,
                                 1 };
    paulimpi_context *ctx;
    paulimpi_plan *plan;
    int rank;
    int64_t round = 0;
    int rc = paulimpi_context_create_launched(&argc, &argv, &ctx);

    if (rc == PAULIMPI_SUCCESS) {
        rank = paulimpi_context_rank(ctx);
        send.peer = receive.peer = 1 - rank;
        rc = paulimpi_plan_create(ctx, 1, &send, 1, &receive, NULL, &plan);
    }
    while (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_plan_start(plan, NULL);
        rc = rc == PAULIMPI_SUCCESS ? paulimpi_plan_wait(plan) : rc;
        if (rc == PAULIMPI_SUCCESS && round++ == 10) {
            write_process(file, rank);
        }
    }
    printf("%s: %s\n", paulimpi_error_name(rc), paulimpi_last_error());
    fflush(stdout);
    _exit(3);
}
