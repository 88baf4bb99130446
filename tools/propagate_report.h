/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The result of paulimpi-propagate, as text and as JSON.
 */
#ifndef TOOLS_PROPAGATE_REPORT_H
#define TOOLS_PROPAGATE_REPORT_H

#include <paulimpi.h>

#include "propagate_settings.h"

/** All there is to tell about a run that ended, or was ended by a signal. */
typedef struct {
    paulimpi_input input; /* of a scan; its name is NULL without one */
    int64_t qubits;
    int64_t gates;       /* of the circuit */
    int64_t input_terms; /* of the observable */
    double input_norm1;
    double value;      /* not a number after a signal */
    int signal_number; /* 0: the run went to its end */
    paulimpi_propagation_report report;
} propagate_result;

/** Print "FILE: 127 qubits, 1355 gates; 1 rank x 2 threads" on standard error,
 * where the progress goes. */
void propagate_print_heading(const propagate_settings *settings,
                             const propagate_result *result);

/** Print the result on standard output in the form that was asked for. */
void propagate_print_result(const propagate_settings *settings,
                            const propagate_result *result);

#endif /* TOOLS_PROPAGATE_REPORT_H */
