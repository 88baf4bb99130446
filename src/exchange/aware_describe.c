/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is known of devices and MPI, as text.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "device/device.h"
#include "exchange/awareness.h"
#include "exchange/transport.h"

#define FUNCTION "paulimpi_aware_describe"

extern char **environ;

static const char *
name_of(int state)
{
    return state == PAULIMPI_AWARE_YES  ? "yes"
           : state == PAULIMPI_AWARE_NO ? "no"
                                        : "unknown";
}

static int
describe_devices(paulimpi__text *text)
{
    char *devices;
    int rc = paulimpi_device_describe(&devices);

    if (rc == PAULIMPI_SUCCESS) {
        paulimpi__text_append(text, "GPU: %s\n", devices);
        paulimpi_text_destroy(&devices);
    }
    return rc;
}

/* What MPI said where the library was built and what it says here may be of
 * two installations. */
static void
describe_hints(paulimpi__text *text, const paulimpi__hints *hints)
{
    char reason[PAULIMPI__REASON_TEXT];
    int state = paulimpi__hints_decide(hints, reason);

    paulimpi__text_append(text, "GPU aware MPI by configure: %s\n",
                          PAULIMPI_MPI_GPU_WHY);
    paulimpi__text_append(text, "GPU aware MPI here: %s, %s\n", name_of(state),
                          reason);
    if (PAULIMPI_MPI_GPU_MACRO >= 0 && hints->query >= 0
        && PAULIMPI_MPI_GPU_MACRO != hints->query) {
        paulimpi__text_append(
            text,
            "GPU aware MPI differs: the MPI that the library was built with "
            "says %s, the one that it runs with says %s\n",
            name_of(PAULIMPI_MPI_GPU_MACRO), name_of(hints->query));
    }
    paulimpi__text_append(text, "MPI memory kinds: %s\n",
                          hints->kinds[0] == '\0' ? "not told" : hints->kinds);
}

static void
describe_ucx(paulimpi__text *text)
{
    char **entry;
    int n = 0;

    paulimpi__text_append(text, "UCX variables:");
    for (entry = environ; entry != NULL && *entry != NULL; entry++) {
        if (strncmp(*entry, "UCX_", 4) == 0) {
            paulimpi__text_append(text, " %s", *entry);
            n++;
        }
    }
    paulimpi__text_append(text, "%s\n", n == 0 ? " none" : "");
}

/* Append what is answered of a kind and an operation; note whether it is
 * something else than of the first. */
static int
describe_answer(paulimpi__text *text, paulimpi_context *ctx, int kind,
                int operation, char first[PAULIMPI__REASON_TEXT],
                int *differs_p)
{
    static const char *const name[PAULIMPI_OPERATIONS] = {
        "messages", "collectives", "nonblocking collectives",
        "one sided operations"
    };
    char line[PAULIMPI__REASON_TEXT];
    char *reason;
    int state;
    int rc = paulimpi_aware(ctx, kind, operation, &state, &reason);

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    snprintf(line, sizeof line, "%s, %s", name_of(state), reason);
    paulimpi_text_destroy(&reason);
    if (first[0] == '\0') {
        memcpy(first, line, sizeof line);
    }
    *differs_p |= strcmp(first, line) != 0;
    paulimpi__text_append(text, "MPI takes %s memory in %s: %s\n",
                          paulimpi__memory_name(kind), name[operation], line);
    return PAULIMPI_SUCCESS;
}

/* Where all answers are the same there is one line. */
static int
describe_answers(paulimpi__text *text, paulimpi_context *ctx)
{
    paulimpi__text lines = PAULIMPI__TEXT_INIT;
    char first[PAULIMPI__REASON_TEXT] = "";
    int differs = 0;
    int rc = PAULIMPI_SUCCESS;
    int kind, i;
    char *all;

    for (kind = PAULIMPI_MEMORY_MANAGED;
         rc == PAULIMPI_SUCCESS && kind < PAULIMPI_MEMORY_IMPORTED; kind++) {
        for (i = 0; rc == PAULIMPI_SUCCESS && i < PAULIMPI_OPERATIONS; i++) {
            rc = describe_answer(&lines, ctx, kind, i, first, &differs);
        }
    }
    all = paulimpi__text_take(&lines);
    if (rc == PAULIMPI_SUCCESS && all == NULL) {
        rc = paulimpi__no_memory(FUNCTION, PAULIMPI__REASON_TEXT);
    }
    if (rc == PAULIMPI_SUCCESS && differs) {
        paulimpi__text_append(text, "%s", all);
    } else if (rc == PAULIMPI_SUCCESS) {
        paulimpi__text_append(text, "MPI takes memory of devices: %s\n",
                              first);
    }
    paulimpi_text_destroy(&all);
    return rc;
}

int
paulimpi_aware_describe(paulimpi_context *ctx, char **text_p)
{
    paulimpi__text text = PAULIMPI__TEXT_INIT;
    paulimpi__hints hints;
    int rc;

    if (text_p == NULL) {
        return paulimpi__null(FUNCTION, "text_p");
    }
    *text_p = NULL;
    rc = ctx == NULL ? PAULIMPI_SUCCESS
                     : paulimpi__handle_check(ctx, PAULIMPI__HANDLE_CONTEXT,
                                              FUNCTION, "ctx");
    if (rc == PAULIMPI_SUCCESS) {
        rc = describe_devices(&text);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__hints_collect(
            ctx == NULL ? MPI_COMM_NULL : paulimpi__context_comm(ctx), &hints);
    }
    if (rc == PAULIMPI_SUCCESS) {
        describe_hints(&text, &hints);
        paulimpi__transport_describe(&text);
        describe_ucx(&text);
        rc = ctx == NULL ? PAULIMPI_SUCCESS : describe_answers(&text, ctx);
    }
    *text_p = paulimpi__text_take(&text);
    if (rc == PAULIMPI_SUCCESS && *text_p == NULL) {
        return paulimpi__no_memory(FUNCTION, PAULIMPI__REASON_TEXT);
    }
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi_text_destroy(text_p);
    }
    return rc;
}
