/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The circuit that a tool reads, on all ranks.
 */
#include "circuit_input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

enum { PIECE = 1 << 16 };

/* Read all that comes. */
static int
read_input(char **text_p, int64_t *length_p)
{
    size_t room = 0;
    size_t length = 0;
    size_t n = 0;

    do {
        char *longer = realloc(*text_p, room = 2 * room + PIECE);

        if (longer == NULL) {
            return tool_fail(TOOL_FAILURE, "standard input: %s",
                             strerror(errno));
        }
        *text_p = longer;
        n = fread(*text_p + length, 1, room - length, stdin);
        length += n;
    } while (n > 0);
    *length_p = (int64_t)length;
    return ferror(stdin)
               ? tool_fail(TOOL_FAILURE, "standard input: cannot be read")
               : TOOL_SUCCESS;
}

/* The text that rank 0 reads, on all of them. */
static int
share_input(paulimpi_context *ctx, char **text_p)
{
    int is_root = paulimpi_context_rank(ctx) == 0;
    int64_t length = 0;
    int status =
        tool_agree(ctx, is_root ? read_input(text_p, &length) : TOOL_SUCCESS);

    if (status != TOOL_SUCCESS) {
        return status;
    }
    if (paulimpi_broadcast(ctx, &length, 1, PAULIMPI_INT64, 0, NULL)
        != PAULIMPI_SUCCESS) {
        return tool_fail_library(TOOL_FAILURE, NULL);
    }
    if (!is_root) {
        *text_p = malloc((size_t)length + 1);
    }
    status = tool_agree(ctx, *text_p == NULL ? tool_fail(TOOL_FAILURE,
                                                         "standard input: %s",
                                                         strerror(errno))
                                             : TOOL_SUCCESS);
    if (status != TOOL_SUCCESS) {
        return status;
    }
    (*text_p)[length] = '\0';
    return paulimpi_broadcast(ctx, *text_p, length, PAULIMPI_BYTE, 0, NULL)
                   == PAULIMPI_SUCCESS
               ? TOOL_SUCCESS
               : tool_fail_library(TOOL_FAILURE, NULL);
}

int
circuit_input_read(paulimpi_context *ctx, const char *path, int64_t n_inputs,
                   const paulimpi_input *inputs, paulimpi_circuit **circuit_p)
{
    int is_shared = strcmp(path, "-") == 0 && paulimpi_context_size(ctx) > 1;
    char *text = NULL;
    int status = is_shared ? share_input(ctx, &text) : TOOL_SUCCESS;
    int rc;

    *circuit_p = NULL;
    if (status == TOOL_SUCCESS) {
        rc = is_shared
                 ? paulimpi_circuit_parse(text, "standard input", circuit_p)
                 : paulimpi_circuit_read_with(path, n_inputs, inputs,
                                              circuit_p);
        status = tool_agree(ctx, rc == PAULIMPI_SUCCESS
                                     ? TOOL_SUCCESS
                                     : tool_fail_library(TOOL_FAILURE, NULL));
    }
    free(text);
    return status;
}
