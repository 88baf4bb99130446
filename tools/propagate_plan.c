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
    paulimpi_propagation_options options = settings->propagation;
    propagate_rows rows = { NULL, NULL, NULL, NULL };
    paulimpi_circuit *circuit;
    char *text = NULL;
    paulimpi_input input = propagate_scan_input(&settings->scan, 0);
    int rc = paulimpi_circuit_read_with(settings->input, input.name != NULL,
                                        &input, &circuit);
    int status = TOOL_SUCCESS;

    if (rc == PAULIMPI_SUCCESS) {
        status =
            propagate_rows_take(&rows, &settings->rows,
                                paulimpi_circuit_qubits(circuit), &options);
    }
    if (rc == PAULIMPI_SUCCESS && status == TOOL_SUCCESS) {
        rc = paulimpi_propagation_plan(circuit, &options,
                                       (int)settings->plan_ranks, &text);
    }
    if (rc != PAULIMPI_SUCCESS) {
        status = tool_fail_library(TOOL_FAILURE, NULL);
    }
    if (status == TOOL_SUCCESS) {
        fputs(text, stdout);
        status = tool_flush();
    }
    propagate_rows_free(&rows);
    paulimpi_text_destroy(&text);
    paulimpi_circuit_destroy(&circuit);
    return status;
}
