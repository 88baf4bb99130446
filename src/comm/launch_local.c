/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The number of this process on its node, from what launchers leave in the
 * environment.
 */
#include "paulimpi/launch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "comm/state.h"

/* A number without sign, blanks or anything behind it; -1 for all else. */
static int
parse(const char *text, const char **end_p)
{
    int64_t value = 0;

    if (*text < '0' || *text > '9') {
        return -1;
    }
    for (; *text >= '0' && *text <= '9'; text++) {
        value = 10 * value + (*text - '0');
        if (value > INT_MAX) {
            return -1;
        }
    }
    *end_p = text;
    return (int)value;
}

int
paulimpi__launch_number(const char *variable)
{
    const char *text = getenv(variable);
    const char *end = NULL;
    int value;

    if (text == NULL) {
        return -1;
    }
    value = parse(text, &end);
    return value >= 0 && *end == '\0' ? value : -1;
}

/* Slurm tells the tasks of all nodes of the step in one text: "4(x2),3" is 4
 * on nodes 0 and 1, and 3 on node 2. */
static int
slurm_size(void)
{
    const char *text = getenv("SLURM_STEP_TASKS_PER_NODE");
    int node = paulimpi__launch_number("SLURM_NODEID");

    while (text != NULL && node >= 0) {
        int tasks = parse(text, &text);
        int nodes = 1;

        if (tasks >= 0 && strncmp(text, "(x", 2) == 0) {
            nodes = parse(text + 2, &text);
            nodes = *text == ')' ? nodes : -1;
            text++;
        }
        if (tasks < 0 || nodes < 0) {
            return -1;
        }
        if (node < nodes) {
            return tasks;
        }
        node -= nodes;
        text = *text == ',' ? text + 1 : NULL;
    }
    return -1;
}

/* First what people set by hand, then what a launcher of MPI sets, then what
 * its surroundings may have set. */
static const struct {
    const char *rank;
    const char *size;   /* or NULL */
    int (*count)(void); /* in place of size, or NULL */
} places[] = {
    { "PAULIMPI_LOCAL_RANK", "PAULIMPI_LOCAL_SIZE", NULL },
    { "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", NULL },
    { "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE", NULL },
    { "MPI_LOCALRANKID", "MPI_LOCALNRANKS", NULL },
    { "PMI_LOCAL_RANK", "PMI_LOCAL_SIZE", NULL },
    { "PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE", NULL },
    { "FLUX_TASK_LOCAL_ID", NULL, NULL },
    { "JSM_NAMESPACE_LOCAL_RANK", "JSM_NAMESPACE_LOCAL_SIZE", NULL },
    { "MPT_LRANK", NULL, NULL },
    { "LOCAL_RANK", "LOCAL_WORLD_SIZE", NULL },
    { "SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE", slurm_size },
};

enum { N_PLACES = sizeof places / sizeof places[0] };

/* The number of processes of a row, 0 if it is not told. */
static int
size_of(int i)
{
    int size = -1;

    if (places[i].count != NULL) {
        size = places[i].count();
    } else if (places[i].size != NULL) {
        size = paulimpi__launch_number(places[i].size);
    }
    return size > 0 ? size : 0;
}

/* Whether a row holds a number that a process can have. */
static int
holds(int i)
{
    int rank = paulimpi__launch_number(places[i].rank);
    int size = size_of(i);

    return rank >= 0 && (size == 0 || rank < size);
}

static int
is_set(const char *variable)
{
    const char *text = variable == NULL ? NULL : getenv(variable);

    return text != NULL && text[0] != '\0';
}

/* What people set by hand is not passed over. */
static int
check_override(const char *function)
{
    const char *rank = getenv(places[0].rank);
    const char *size = getenv(places[0].size);

    if ((is_set(places[0].rank) && !holds(0))
        || (is_set(places[0].size) && size_of(0) == 0)) {
        return paulimpi__error(
            PAULIMPI_ERR_ARGUMENT,
            "%s: PAULIMPI_LOCAL_RANK is \"%s\" and PAULIMPI_LOCAL_SIZE "
            "\"%s\", "
            "but they must be integers, from 0 to the size - 1 and from 1 up",
            function, rank == NULL ? "" : rank, size == NULL ? "" : size);
    }
    return PAULIMPI_SUCCESS;
}

/* The row that tells, or N_PLACES. */
static int
find_place(void)
{
    int i;

    for (i = 0; i < N_PLACES && !holds(i); i++) {
        if (is_set(places[i].rank)) {
            paulimpi__log(PAULIMPI__LOG_WARN,
                          "%s is \"%s\", which is no number of a process on "
                          "this node%s: it is passed over",
                          places[i].rank, getenv(places[i].rank),
                          size_of(i) > 0 ? " of as many as the launcher says"
                                         : "");
        }
    }
    return i;
}

int
paulimpi_local_rank(int *rank_p, const char **source_p)
{
    int rc;
    int i;

    if (rank_p == NULL) {
        return paulimpi__null("paulimpi_local_rank", "rank_p");
    }
    rc = check_override("paulimpi_local_rank");
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    i = find_place();
    *rank_p = i < N_PLACES ? paulimpi__launch_number(places[i].rank) : 0;
    if (source_p != NULL) {
        *source_p = i < N_PLACES ? places[i].rank : NULL;
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi_local_size(int *size_p, const char **source_p)
{
    int rc;
    int i;

    if (size_p == NULL) {
        return paulimpi__null("paulimpi_local_size", "size_p");
    }
    rc = check_override("paulimpi_local_size");
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    i = find_place();
    *size_p = i < N_PLACES ? size_of(i) : 0;
    if (source_p != NULL) {
        *source_p = *size_p > 0 ? places[i].size : NULL;
    }
    return PAULIMPI_SUCCESS;
}
