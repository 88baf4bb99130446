/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --rows and --weights of paulimpi-propagate.
 */
#ifndef TOOLS_PROPAGATE_ROWS_H
#define TOOLS_PROPAGATE_ROWS_H

#include <paulimpi.h>

/* What the command line says. Start from NULL. */
typedef struct {
    const char *list;    /* after the = of --rows, or NULL */
    const char *weights; /* a list, or NULL */
} propagate_rows_text;

/* The same for a circuit; to be freed. */
typedef struct {
    uint64_t *x;
    uint64_t *z;
    int64_t *blocks;
    double *weights;
} propagate_rows;

/** Read what needs no circuit. @return an exit status */
int propagate_rows_set(propagate_rows_text *text, const char *value,
                       int *rows_p);
int propagate_rows_set_weights(propagate_rows_text *text, const char *value);

/** Put all of it into the options, for so many qubits. @return an exit status;
 * free rows in either case */
int propagate_rows_take(propagate_rows *rows, const propagate_rows_text *text,
                        int64_t n_qubits,
                        paulimpi_propagation_options *options);
void propagate_rows_free(propagate_rows *rows);

/** The name of a PAULIMPI_ROWS_... choice. */
const char *propagate_rows_name(int rows);

#endif /* TOOLS_PROPAGATE_ROWS_H */
