/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --plan of paulimpi-propagate.
 */
#include "propagate_plan.h"

#include <stdio.h>

#include "tool.h"

int
propagate_plan(const propagate_settings *settings)
{
    paulimpi_circuit *circuit;
    char *text = NULL;
    int rc = paulimpi_circuit_read(settings->input, &circuit);

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_propagation_plan(circuit, &settings->propagation,
                                       (int)settings->plan_ranks, &text);
    }
    if (rc == PAULIMPI_SUCCESS) {
        fputs(text, stdout);
    }
    paulimpi_text_destroy(&text);
    paulimpi_circuit_destroy(&circuit);
    return rc == PAULIMPI_SUCCESS ? tool_flush()
                                  : tool_fail_library(TOOL_FAILURE, NULL);
}
