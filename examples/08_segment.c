/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A table that every rank of a node reads, but that is there only once: each
 * rank computes its share of the sines and puts them into its part.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <paulimpi.h>

enum { ENTRIES = 100000 };

static void
check(int rc)
{
    if (rc != PAULIMPI_SUCCESS) {
        fprintf(stderr, "%s\n", paulimpi_last_error());
        exit(1);
    }
}

/* The first entry of a part; ENTRIES for the one behind the last. */
static int64_t
first_of(const paulimpi_placement *place, int node_rank)
{
    return (int64_t)ENTRIES * node_rank / place->node_ranks;
}

/* Add up the whole table, whoever made its entries. */
static double
sum_up(const paulimpi_segment *segment, const paulimpi_placement *place)
{
    double sum = 0.0;
    int owner;

    for (owner = 0; owner < place->node_ranks; owner++) {
        void *part;
        int64_t bytes, i;

        check(paulimpi_segment_part(segment, owner, &part, &bytes));
        for (i = 0; i < bytes / (int64_t)sizeof(double); i++) {
            sum += ((double *)part)[i];
        }
    }
    return sum;
}

int
main(int argc, char **argv)
{
    paulimpi_placement place = PAULIMPI_PLACEMENT_INIT;
    paulimpi_context *ctx;
    paulimpi_segment *segment;
    int64_t i, first, end;
    void *part;
    double sum;

    check(paulimpi_context_create_launched(&argc, &argv, &ctx));
    check(paulimpi_context_placement(ctx, &place));
    first = first_of(&place, place.node_rank);
    end = first_of(&place, place.node_rank + 1);
    check(paulimpi_segment_create(ctx, (end - first) * sizeof(double), NULL,
                                  &segment));
    check(paulimpi_segment_part(segment, place.node_rank, &part, NULL));
    for (i = first; i < end; i++) {
        ((double *)part)[i - first] = sin(1e-4 * (double)i);
    }
    check(paulimpi_segment_sync(segment));

    sum = sum_up(segment, &place);
    if (paulimpi_context_rank(ctx) == 0) {
        printf("sum %.6f\n", 1e-4 * sum);
    }
    paulimpi_segment_destroy(&segment);
    paulimpi_context_destroy(&ctx);
    return 0;
}
