/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Heat spreads over a plate. Each rank has some of its rows and one more at
 * each end, which it receives before every step. The field may as well be in
 * the memory of a GPU: nothing here would change.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <paulimpi.h>

enum { NX = 24, ROWS = 24, STEPS = 50, TAG_UP = 1, TAG_DOWN = 2 };

static void
check(int rc)
{
    if (rc != PAULIMPI_SUCCESS) {
        fprintf(stderr, "%s\n", paulimpi_last_error());
        exit(1);
    }
}

/* Rows 1 to ny, from the rows beside them; the edge of the plate is cold. */
static void
step(int ny, double (*field)[NX], double (*next)[NX])
{
    int x, y;

    for (y = 1; y <= ny; y++) {
        for (x = 1; x < NX - 1; x++) {
            double beside = field[y][x - 1] + field[y][x + 1];

            next[y][x] = (beside + field[y - 1][x] + field[y + 1][x]) / 4;
        }
    }
    memcpy(field[1], next[1], ny * sizeof field[0]);
}

int
main(int argc, char **argv)
{
    static double field[ROWS + 2][NX], next[ROWS + 2][NX];
    const size_t row = sizeof field[0];
    paulimpi_context *ctx;
    int rank, size, first, ny, up, down, i;

    check(paulimpi_context_create_launched(&argc, &argv, &ctx));
    rank = paulimpi_context_rank(ctx);
    size = paulimpi_context_size(ctx);
    first = ROWS * rank / size;
    ny = ROWS * (rank + 1) / size - first;
    up = rank + 1 < size ? rank + 1 : PAULIMPI_PEER_NONE;
    down = rank > 0 ? rank - 1 : PAULIMPI_PEER_NONE;
    if (first <= 10 && 10 < first + ny) {
        field[10 - first + 1][10] = 1000.0;
    }

    for (i = 0; i < STEPS; i++) {
        paulimpi_message send[2] = {
            { paulimpi_region_1d(field[ny], row), up, TAG_UP },
            { paulimpi_region_1d(field[1], row), down, TAG_DOWN },
        };
        paulimpi_message receive[2] = {
            { paulimpi_region_1d(field[0], row), down, TAG_UP },
            { paulimpi_region_1d(field[ny + 1], row), up, TAG_DOWN },
        };

        check(paulimpi_exchange(ctx, 2, send, 2, receive, NULL));
        step(ny, field, next);
    }
    if (first <= 12 && 12 < first + ny) {
        printf("after %d steps %.10f is left in the middle\n", STEPS,
               field[12 - first + 1][12]);
    }
    paulimpi_context_destroy(&ctx);
    return 0;
}
