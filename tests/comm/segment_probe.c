/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program for segment.sh: make a segment, touch all of it, and tell how that
 * went, a line a rank.
 *
 *     segment_probe_np2.t BYTES [FILE]
 *
 * With FILE each rank puts its process number into FILE.RANK and waits to be
 * killed, rank 0 for the others.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <paulimpi.h>

static void
touch(const paulimpi_segment *segment, const paulimpi_placement *place)
{
    int i;

    for (i = 0; i < place->node_ranks; i++) {
        int owner = (place->node_rank + i) % place->node_ranks;
        void *part;
        int64_t bytes;

        paulimpi_segment_part(segment, owner, &part, &bytes);
        memset(part, 1 + place->node_rank, (size_t)bytes);
    }
}

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

static void
use(paulimpi_context *ctx, paulimpi_segment *segment, const char *file)
{
    paulimpi_placement place = PAULIMPI_PLACEMENT_INIT;
    char *text;

    paulimpi_context_placement(ctx, &place);
    touch(segment, &place);
    paulimpi_segment_explain(segment, &text);
    printf("rank %d: %s", paulimpi_context_rank(ctx), text);
    fflush(stdout);
    paulimpi_text_destroy(&text);
    if (file != NULL) {
        write_process(file, paulimpi_context_rank(ctx));
        while (paulimpi_context_rank(ctx) != 0) {
            pause();
        }
    }
    paulimpi_segment_sync(segment);
}

int
main(int argc, char **argv)
{
    int64_t bytes = argc > 1 ? strtoimax(argv[1], NULL, 10) : 0;
    const char *file = argc > 2 ? argv[2] : NULL;
    paulimpi_context *ctx;
    paulimpi_segment *segment;
    int rc;

    if (paulimpi_context_create_launched(&argc, &argv, &ctx)
        != PAULIMPI_SUCCESS) {
        fprintf(stderr, "%s\n", paulimpi_last_error());
        return 1;
    }
    rc = paulimpi_segment_create(ctx, bytes, NULL, &segment);
    if (rc == PAULIMPI_SUCCESS) {
        use(ctx, segment, file);
    } else {
        printf("rank %d: %s: %s\n", paulimpi_context_rank(ctx),
               paulimpi_error_name(rc), paulimpi_last_error());
        fflush(stdout);
    }
    paulimpi_segment_destroy(&segment);
    paulimpi_context_destroy(&ctx);
    return 0;
}
