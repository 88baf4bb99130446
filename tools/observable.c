/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The value of --observable: a sum as text, or @ and the name of its file.
 */
#include "observable.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

enum { ABOUT_MOST = 160, TRIAL_QUBITS_MOST = 1 << 20 };

static const char letters[] = "IXYZ";

/* The number of qubits on which a text could be right: the length of its
 * first dense label, or one more than the largest qubit of its sparse ones. */
static int64_t
fitting_qubits(const char *text)
{
    int64_t n_qubits = 1;

    while (*(text += strcspn(text, letters)) != '\0') {
        size_t length = strspn(text, letters);

        if (length == 1 && isdigit((unsigned char)text[1])) {
            long long qubit = strtoll(text + 1, NULL, 10);

            if (qubit >= TRIAL_QUBITS_MOST) {
                return TRIAL_QUBITS_MOST;
            }
            if (qubit >= n_qubits) {
                n_qubits = qubit + 1;
            }
        } else if (length > 1) {
            return (int64_t)length;
        }
        text += length;
    }
    return n_qubits;
}

/* Say which option it was, at a length that leaves room for the reason. */
static int
fail_observable(int status, const char *observable)
{
    char about[ABOUT_MOST];

    snprintf(about, sizeof about, "--observable %.80s%s", observable,
             strlen(observable) > 80 ? "..." : "");
    return tool_fail_library(status, about);
}

int
observable_check(const char *observable)
{
    paulimpi_context *ctx;
    paulimpi_sum *trial = NULL;
    int64_t n_qubits;
    int rc;

    /* What only a circuit can judge, or a file, is left for later. */
    if (observable[0] == '@') {
        return TOOL_SUCCESS;
    }
    n_qubits = fitting_qubits(observable);
    if (n_qubits >= TRIAL_QUBITS_MOST) {
        return TOOL_SUCCESS;
    }

    rc = paulimpi_context_create_serial(NULL, &ctx);
    if (rc != PAULIMPI_SUCCESS) {
        return tool_fail_library(TOOL_FAILURE, NULL);
    }
    rc = paulimpi_sum_create(ctx, n_qubits, &trial);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_sum_add_text(trial, observable, 1.0);
    }
    paulimpi_sum_destroy(&trial);
    paulimpi_context_destroy(&ctx);

    if (rc == PAULIMPI_SUCCESS) {
        return TOOL_SUCCESS;
    }
    return fail_observable(
        rc == PAULIMPI_ERR_MEMORY ? TOOL_FAILURE : TOOL_USAGE, observable);
}

int
observable_add(paulimpi_sum *sum, const char *observable)
{
    int rc = observable[0] == '@'
                 ? paulimpi_sum_read(sum, observable + 1)
                 : paulimpi_sum_add_text(sum, observable, 1.0);

    if (rc != PAULIMPI_SUCCESS) {
        return fail_observable(TOOL_FAILURE, observable);
    }
    return TOOL_SUCCESS;
}
