/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --rows and --weights of paulimpi-propagate.
 */
#include "propagate_rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

enum { ITEM_MOST = 4096 };

static const struct {
    const char *name;
    int rows;
    int has_list; /* 0: none, 1: or none, 2: always */
} choices[] = {
    { "planned", PAULIMPI_ROWS_PLANNED, 0 },
    { "random", PAULIMPI_ROWS_RANDOM, 0 },
    { "blocks", PAULIMPI_ROWS_BLOCKS, 1 },
    { "exclude", PAULIMPI_ROWS_EXCLUDE, 2 },
    { "given", PAULIMPI_ROWS_GIVEN, 2 },
};
enum { N_CHOICES = sizeof choices / sizeof choices[0] };

const char *
propagate_rows_name(int rows)
{
    int i = 0;

    while (i < N_CHOICES - 1 && choices[i].rows != rows) {
        i++;
    }
    return choices[i].name;
}

/* Take the next item of a list with commas. Whether there is one that is not
 * too long; *list_p is NULL after the last. */
static int
next_item(const char **list_p, char item[ITEM_MOST])
{
    size_t length = strcspn(*list_p, ",");

    if (length >= ITEM_MOST) {
        return 0;
    }
    memcpy(item, *list_p, length);
    item[length] = '\0';
    *list_p = (*list_p)[length] == ',' ? *list_p + length + 1 : NULL;
    return 1;
}

static int64_t
count_items(const char *list)
{
    int64_t n = 1;

    for (; *list != '\0'; list++) {
        n += *list == ',';
    }
    return n;
}

/* Read a list of numbers, into an array or for nothing. Whether all are. */
static int
read_blocks(const char *list, int64_t *blocks)
{
    char item[ITEM_MOST];
    int64_t block;

    while (list != NULL) {
        if (!next_item(&list, item)
            || !tool_read_integer(item, -1, INT64_MAX, &block)) {
            return 0;
        }
        if (blocks != NULL) {
            *blocks++ = block;
        }
    }
    return 1;
}

static int
read_weights(const char *list, double *weights)
{
    char item[ITEM_MOST];
    double weight;

    while (list != NULL) {
        if (!next_item(&list, item) || !tool_read_real(item, &weight)
            || weight <= 0.0) {
            return 0;
        }
        if (weights != NULL) {
            *weights++ = weight;
        }
    }
    return 1;
}

static int
has_list(int i, const char *list)
{
    return choices[i].has_list != (list == NULL ? 2 : 0);
}

int
propagate_rows_set(propagate_rows_text *text, const char *value, int *rows_p)
{
    size_t length = strcspn(value, "=");
    const char *list = value[length] == '=' ? value + length + 1 : NULL;
    int i = 0;

    while (i < N_CHOICES
           && (strlen(choices[i].name) != length
               || strncmp(value, choices[i].name, length) != 0)) {
        i++;
    }
    if (i == N_CHOICES || !has_list(i, list)
        || (choices[i].rows == PAULIMPI_ROWS_BLOCKS && list != NULL
            && !read_blocks(list, NULL))) {
        return tool_fail(TOOL_USAGE,
                         "--rows %.100s: expected planned, random, blocks, "
                         "blocks=N,N,..., exclude=STRING,... or "
                         "given=STRING,...",
                         value);
    }
    *rows_p = choices[i].rows;
    text->list = list;
    return TOOL_SUCCESS;
}

int
propagate_rows_set_weights(propagate_rows_text *text, const char *value)
{
    if (!read_weights(value, NULL)) {
        return tool_fail(TOOL_USAGE,
                         "--weights %.100s: expected a positive number for "
                         "each rank, such as 1,1,2.5",
                         value);
    }
    text->weights = value;
    return TOOL_SUCCESS;
}

static int
no_memory(void)
{
    return tool_fail(TOOL_FAILURE, "--rows: %s", strerror(errno));
}

/* The letters of each string are coordinates. */
static int
take_strings(propagate_rows *rows, const char *list, int64_t n_qubits,
             paulimpi_propagation_options *options)
{
    size_t n_words = (size_t)paulimpi_pauli_words(n_qubits);
    size_t n = (size_t)count_items(list);
    size_t i;

    rows->x = calloc(n * n_words, sizeof *rows->x);
    rows->z = calloc(n * n_words, sizeof *rows->z);
    if (rows->x == NULL || rows->z == NULL) {
        return no_memory();
    }
    for (i = 0; i < n; i++) {
        char item[ITEM_MOST] = "";
        paulimpi_pauli *string = NULL;
        int rc;

        next_item(&list, item);
        rc = paulimpi_pauli_create(n_qubits, item, &string);
        if (rc == PAULIMPI_SUCCESS) {
            paulimpi_pauli_bits(string, rows->x + i * n_words,
                                rows->z + i * n_words);
        }
        paulimpi_pauli_destroy(&string);
        if (rc != PAULIMPI_SUCCESS) {
            return tool_fail_library(TOOL_FAILURE, "--rows");
        }
    }
    options->n_rows = (int64_t)n;
    options->rows_x = rows->x;
    options->rows_z = rows->z;
    return TOOL_SUCCESS;
}

static int
take_blocks(propagate_rows *rows, const char *list,
            paulimpi_propagation_options *options)
{
    int64_t n = count_items(list);

    rows->blocks = calloc((size_t)n, sizeof *rows->blocks);
    if (rows->blocks == NULL) {
        return no_memory();
    }
    read_blocks(list, rows->blocks);
    options->n_blocks = n;
    options->blocks = rows->blocks;
    return TOOL_SUCCESS;
}

static int
take_weights(propagate_rows *rows, const char *list,
             paulimpi_propagation_options *options)
{
    int64_t n = count_items(list);

    rows->weights = calloc((size_t)n, sizeof *rows->weights);
    if (rows->weights == NULL) {
        return no_memory();
    }
    read_weights(list, rows->weights);
    options->n_weights = n;
    options->weights = rows->weights;
    return TOOL_SUCCESS;
}

int
propagate_rows_take(propagate_rows *rows, const propagate_rows_text *text,
                    int64_t n_qubits, paulimpi_propagation_options *options)
{
    int status = TOOL_SUCCESS;

    *rows = (propagate_rows){ NULL, NULL, NULL, NULL };
    if (text->list != NULL) {
        status = options->rows == PAULIMPI_ROWS_BLOCKS
                     ? take_blocks(rows, text->list, options)
                     : take_strings(rows, text->list, n_qubits, options);
    }
    if (status == TOOL_SUCCESS && text->weights != NULL) {
        status = take_weights(rows, text->weights, options);
    }
    return status;
}

void
propagate_rows_free(propagate_rows *rows)
{
    free(rows->weights);
    free(rows->blocks);
    free(rows->z);
    free(rows->x);
    *rows = (propagate_rows){ NULL, NULL, NULL, NULL };
}
