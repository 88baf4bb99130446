/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Segments of one rank, without MPI.
 */
#include "paulimpi/segment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "comm/traces.h"
#include "tap/tap.h"

enum { HUGE_PAGE = 1 << 21 };

static void
test_trivial_contract(void)
{
    paulimpi_segment *segment = (paulimpi_segment *)&segment;
    char *text = NULL;

    paulimpi_segment_destroy(NULL);
    tap_is_status(paulimpi_segment_create(NULL, 8, NULL, &segment),
                  PAULIMPI_ERR_ARGUMENT, "create needs a context");
    tap_ok(segment == NULL, "and gives no handle");
    tap_is_text(paulimpi_last_error(), "paulimpi_segment_create: ctx is NULL",
                "but a sentence");
    paulimpi_segment_destroy(&segment);
    tap_ok(1, "destroying nothing is fine");
    tap_is_status(paulimpi_segment_part(NULL, 0, NULL, NULL),
                  PAULIMPI_ERR_ARGUMENT, "no segment has no part");
    tap_is_status(paulimpi_segment_sync(NULL), PAULIMPI_ERR_ARGUMENT,
                  "no sync");
    tap_is_status(paulimpi_segment_explain(NULL, &text), PAULIMPI_ERR_ARGUMENT,
                  "and no explanation");
}

static void
test_segment(paulimpi_context *ctx)
{
    paulimpi_segment *segment;
    char *text = NULL;
    unsigned char *part = NULL;
    int64_t bytes = 0;
    int64_t i;
    int sum = 0;

    tap_is_status(paulimpi_segment_create(ctx, 10001, NULL, &segment),
                  PAULIMPI_SUCCESS, "a segment");
    tap_is_status(paulimpi_segment_part(segment, 0, (void **)&part, &bytes),
                  PAULIMPI_SUCCESS, "has a part");
    tap_is_int(bytes, 10001, "of the size asked for");
    tap_is_int((int64_t)((uintptr_t)part % (uintptr_t)sysconf(_SC_PAGESIZE)),
               0, "that begins on a page");
    for (i = 0; i < bytes; i++) {
        sum += part[i];
        part[i] = 1;
    }
    tap_is_int(sum, 0, "and is 0");
    tap_is_status(paulimpi_segment_sync(segment), PAULIMPI_SUCCESS,
                  "there is nobody to wait for");
    for (i = 0; i < bytes; i++) {
        sum += part[i];
    }
    tap_is_int(sum, bytes, "it can be written and read");
    tap_is_status(paulimpi_segment_part(segment, 0, NULL, NULL),
                  PAULIMPI_SUCCESS, "nobody has to ask for all of it");
    tap_is_status(paulimpi_segment_part(segment, 1, (void **)&part, &bytes),
                  PAULIMPI_ERR_ARGUMENT, "there is no part 1");
    tap_contains(paulimpi_last_error(), "node_rank is 1, but must be from 0 ",
                 "says a sentence");
    tap_is_status(paulimpi_segment_part(segment, -1, (void **)&part, &bytes),
                  PAULIMPI_ERR_ARGUMENT, "nor -1");
    tap_ok(part != NULL && bytes == 10001, "and nothing is written");
    tap_is_status(paulimpi_segment_explain(segment, NULL),
                  PAULIMPI_ERR_ARGUMENT, "a text needs a place");
    tap_is_status(paulimpi_segment_explain(segment, &text), PAULIMPI_SUCCESS,
                  "the segment describes itself");
    tap_contains(text, "node 0: 1 ranks, ", "by its node");
    tap_contains(text, " bytes, private memory (one rank)\n", "and its way");
    paulimpi_text_destroy(&text);
    paulimpi_segment_destroy(&segment);
    tap_ok(segment == NULL, "destroy forgets the handle");
}

static void
test_options(paulimpi_context *ctx)
{
    paulimpi_segment_options options = PAULIMPI_SEGMENT_OPTIONS_INIT;
    paulimpi_segment *segment = (paulimpi_segment *)&options;
    void *part;

    options.size = 0;
    tap_is_status(paulimpi_segment_create(ctx, 8, &options, &segment),
                  PAULIMPI_ERR_ARGUMENT, "options of no size are refused");
    tap_ok(segment == NULL, "and give no handle");
    options.size = sizeof options.size;
    options.touch = 17;
    tap_is_status(paulimpi_segment_create(ctx, 8, &options, &segment),
                  PAULIMPI_SUCCESS, "nothing is read beyond their size");
    paulimpi_segment_destroy(&segment);

    options = (paulimpi_segment_options)PAULIMPI_SEGMENT_OPTIONS_INIT;
    options.huge_pages = 1;
    paulimpi_segment_create(ctx, 3 * HUGE_PAGE, &options, &segment);
    paulimpi_segment_part(segment, 0, &part, NULL);
    tap_is_int((int64_t)((uintptr_t)part % HUGE_PAGE), 0,
               "a part for large pages begins on one");
    memset(part, 1, 3 * HUGE_PAGE);
    paulimpi_segment_destroy(&segment);
}

/* Bytes of this process that are in memory, by /proc/self/statm. */
static int64_t
resident(void)
{
    char line[256] = "";
    FILE *file = fopen("/proc/self/statm", "r");
    long long pages = -1;

    if (file != NULL) {
        if (fgets(line, sizeof line, file) == NULL
            || sscanf(line, "%*d %lld", &pages) != 1) {
            pages = -1;
        }
        fclose(file);
    }
    return pages < 0 ? -1 : pages * sysconf(_SC_PAGESIZE);
}

static void
test_touch(paulimpi_context *ctx)
{
    enum { BYTES = 64 << 20 };
    paulimpi_segment_options options = PAULIMPI_SEGMENT_OPTIONS_INIT;
    paulimpi_segment *segment;
    int64_t before = resident();
    int64_t grown;

    if (before < 0) {
        tap_note("no /proc/self/statm: touching is not tested");
        return;
    }
    options.touch = PAULIMPI_TOUCH_USER;
    paulimpi_segment_create(ctx, BYTES, &options, &segment);
    grown = resident() - before;
    tap_ok(grown < BYTES / 2, "what the user will touch is not touched");
    paulimpi_segment_destroy(&segment);

    before = resident();
    options.touch = PAULIMPI_TOUCH_OWNER;
    paulimpi_segment_create(ctx, BYTES, &options, &segment);
    grown = resident() - before;
    tap_ok(grown > BYTES / 2, "what the owner touches is");
    paulimpi_segment_destroy(&segment);
}

static void
test_refused(paulimpi_context *ctx)
{
    paulimpi_segment *segment = (paulimpi_segment *)&ctx;

    tap_is_status(paulimpi_segment_create(ctx, 8, NULL, NULL),
                  PAULIMPI_ERR_ARGUMENT, "create needs a place");
    tap_is_status(paulimpi_segment_create(ctx, -8, NULL, &segment),
                  PAULIMPI_ERR_ARGUMENT, "a negative size is refused");
    tap_ok(segment == NULL, "and gives no handle");
    tap_is_status(
        paulimpi_segment_create(ctx, INT64_C(1) << 55, NULL, &segment),
        PAULIMPI_ERR_MEMORY, "more than there is, too");
    tap_contains(paulimpi_last_error(), "need 36028797018963968 bytes",
                 "with what was asked for");
    tap_contains(paulimpi_last_error(), " bytes of memory available",
                 "and what there is");
    tap_is_status(paulimpi_segment_create(ctx, INT64_MAX, NULL, &segment),
                  PAULIMPI_ERR_RANGE, "more than can be counted, too");
    setenv("PAULIMPI_SEGMENT", "shm", 1);
    tap_is_status(paulimpi_segment_create(ctx, 8, NULL, &segment),
                  PAULIMPI_ERR_ARGUMENT, "PAULIMPI_SEGMENT=shm, too");
    tap_contains(paulimpi_last_error(), "must be mapping or window",
                 "with what it may be");
    unsetenv("PAULIMPI_SEGMENT");
}

static void
test_empty(paulimpi_context *ctx)
{
    paulimpi_segment *segment;
    void *part = &part;
    int64_t bytes = -1;

    tap_is_status(paulimpi_segment_create(ctx, 0, NULL, &segment),
                  PAULIMPI_SUCCESS, "a segment of no bytes");
    paulimpi_segment_part(segment, 0, &part, &bytes);
    tap_ok(part == NULL && bytes == 0, "has a part of no bytes");
    paulimpi_segment_destroy(&segment);
}

static void
test_no_memory(paulimpi_context *ctx)
{
    paulimpi_segment *segment;
    char *text = NULL;
    traces before = traces_now();
    int n_wrong = 0;
    int64_t n = 0;
    int rc;

    do {
        paulimpi__alloc_fail_at(++n);
        segment = (paulimpi_segment *)&n;
        rc = paulimpi_segment_create(ctx, 8, NULL, &segment);
        n_wrong += rc != PAULIMPI_SUCCESS
                   && (rc != PAULIMPI_ERR_MEMORY || segment != NULL);
    } while (rc != PAULIMPI_SUCCESS && n < 100);
    tap_ok(n > 3 && n_wrong == 0, "wherever memory runs out: a code");
    paulimpi__alloc_fail_at(1);
    tap_is_status(paulimpi_segment_explain(segment, &text),
                  PAULIMPI_ERR_MEMORY, "also for an explanation");
    paulimpi__alloc_fail_at(0);
    tap_ok(text == NULL, "of which there is none");
    paulimpi_segment_destroy(&segment);
    tap_ok(traces_same(before, traces_now()), "nothing is left");
}

static void
test_lifetime(void)
{
    paulimpi_segment *segment;
    paulimpi_context *ctx;
    unsigned char *part;

    paulimpi_context_create_serial(NULL, &ctx);
    paulimpi_segment_create(ctx, 8, NULL, &segment);
    paulimpi_context_destroy(&ctx);
    paulimpi_segment_part(segment, 0, (void **)&part, NULL);
    part[7] = 1;
    tap_is_status(paulimpi_segment_sync(segment), PAULIMPI_SUCCESS,
                  "a segment keeps its context alive");
    paulimpi_segment_destroy(&segment);
}

int
main(void)
{
    paulimpi_context *ctx;

    unsetenv("PAULIMPI_SEGMENT");
    test_trivial_contract();
    if (paulimpi_context_create_serial(NULL, &ctx) != PAULIMPI_SUCCESS) {
        tap_bail("no context: %s", paulimpi_last_error());
    }
    test_segment(ctx);
    test_options(ctx);
    test_touch(ctx);
    test_refused(ctx);
    test_empty(ctx);
    test_no_memory(ctx);
    paulimpi_context_destroy(&ctx);
    test_lifetime();
    return tap_done();
}
