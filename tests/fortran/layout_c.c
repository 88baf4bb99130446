/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The C side of layout.f90: structs with known members, constants by name.
 */
#include <string.h>

#include <paulimpi.h>

size_t layout_context_options(paulimpi_context_options *options);
size_t layout_placement(paulimpi_placement *placement);
size_t layout_segment_options(paulimpi_segment_options *options);
size_t layout_initial_segment(paulimpi_segment_options *options);
size_t layout_truncation(paulimpi_truncation *truncation);
size_t layout_position(paulimpi_sum_position *position);
size_t layout_progress(paulimpi_propagation_progress *progress);
size_t layout_layer(paulimpi_propagation_layer *layer);
size_t layout_options(paulimpi_propagation_options *options);
size_t layout_report(paulimpi_propagation_report *report);
size_t layout_initial(paulimpi_context_options *context,
                      paulimpi_propagation_options *options);
int layout_constant(const char *name, int64_t *value_p);
int layout_edge(int64_t which, int64_t *a_p, int64_t *b_p);

/* Each function numbers the members of a struct from 1 and returns its
 * size. */
size_t
layout_context_options(paulimpi_context_options *options)
{
    *options = (paulimpi_context_options){ 1, 2 };
    return sizeof *options;
}

size_t
layout_placement(paulimpi_placement *placement)
{
    *placement = (paulimpi_placement){ 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    return sizeof *placement;
}

size_t
layout_segment_options(paulimpi_segment_options *options)
{
    *options = (paulimpi_segment_options){ 1, 2, 3 };
    return sizeof *options;
}

size_t
layout_truncation(paulimpi_truncation *truncation)
{
    *truncation = (paulimpi_truncation){ 1, 2, 3, 4, 5, 6, 7 };
    return sizeof *truncation;
}

size_t
layout_position(paulimpi_sum_position *position)
{
    *position = (paulimpi_sum_position){ 1, 2 };
    return sizeof *position;
}

size_t
layout_progress(paulimpi_propagation_progress *progress)
{
    *progress = (paulimpi_propagation_progress){ 1, 2, 3, 4, 5, 6, 7 };
    return sizeof *progress;
}

size_t
layout_layer(paulimpi_propagation_layer *layer)
{
    *layer = (paulimpi_propagation_layer){ 1, 2, 3, 4, 5, 6, 7 };
    return sizeof *layer;
}

static int
no_progress(const paulimpi_propagation_progress *progress, void *data)
{
    (void)progress;
    (void)data;
    return 0;
}

size_t
layout_options(paulimpi_propagation_options *options)
{
    static paulimpi_propagation_layer layer;
    static const uint64_t bits;
    static const int64_t block;
    static const double weight;
    static int data;

    *options =
        (paulimpi_propagation_options){ 1,        { 2, 3, 4, 5, 6, 7, 8 },
                                        9,        10,
                                        11,       no_progress,
                                        &data,    &layer,
                                        12,       13,
                                        14,       15,
                                        &bits,    &bits,
                                        16,       &block,
                                        17,       &weight,
                                        18,       "checkpoint",
                                        19,       20,
                                        "restart" };
    return sizeof *options;
}

size_t
layout_report(paulimpi_propagation_report *report)
{
    *report = (paulimpi_propagation_report){ 1,  2,  3,  4,  5,  6,  7,
                                             8,  9,  10, 11, 12, 13, 14,
                                             15, 16, 17, 18, 19, 20 };
    return sizeof *report;
}

/* The initial values of what users fill in. */
size_t
layout_initial(paulimpi_context_options *context,
               paulimpi_propagation_options *options)
{
    const paulimpi_context_options initial_context =
        PAULIMPI_CONTEXT_OPTIONS_INIT;
    const paulimpi_propagation_options initial =
        PAULIMPI_PROPAGATION_OPTIONS_INIT;

    *context = initial_context;
    *options = initial;
    return sizeof *options;
}

size_t
layout_initial_segment(paulimpi_segment_options *options)
{
    const paulimpi_segment_options initial = PAULIMPI_SEGMENT_OPTIONS_INIT;

    *options = initial;
    return sizeof *options;
}

static const struct {
    const char *name;
    int64_t value;
} constants[] = {
    { "SUCCESS", PAULIMPI_SUCCESS },
    { "ERR_ARGUMENT", PAULIMPI_ERR_ARGUMENT },
    { "ERR_STATE", PAULIMPI_ERR_STATE },
    { "ERR_MEMORY", PAULIMPI_ERR_MEMORY },
    { "ERR_RANGE", PAULIMPI_ERR_RANGE },
    { "ERR_MISMATCH", PAULIMPI_ERR_MISMATCH },
    { "ERR_UNSUPPORTED", PAULIMPI_ERR_UNSUPPORTED },
    { "ERR_SYNTAX", PAULIMPI_ERR_SYNTAX },
    { "ERR_IO", PAULIMPI_ERR_IO },
    { "ERR_MPI", PAULIMPI_ERR_MPI },
    { "ERR_REMOTE", PAULIMPI_ERR_REMOTE },
    { "ERR_CANCELLED", PAULIMPI_ERR_CANCELLED },
    { "ERR_VERSION", PAULIMPI_ERR_VERSION },
    { "ERR_INTERNAL", PAULIMPI_ERR_INTERNAL },
    { "ERR_DEVICE", PAULIMPI_ERR_DEVICE },
    { "ERR_OVERLAP", PAULIMPI_ERR_OVERLAP },
    { "ERR_TIMEOUT", PAULIMPI_ERR_TIMEOUT },
    { "UNLIMITED", PAULIMPI_UNLIMITED },
    { "AUTOMATIC", PAULIMPI_AUTOMATIC },
    { "TOUCH_OWNER", PAULIMPI_TOUCH_OWNER },
    { "TOUCH_USER", PAULIMPI_TOUCH_USER },
    { "LABEL_DENSE", PAULIMPI_LABEL_DENSE },
    { "LABEL_SPARSE", PAULIMPI_LABEL_SPARSE },
    { "HEISENBERG", PAULIMPI_HEISENBERG },
    { "SCHROEDINGER", PAULIMPI_SCHROEDINGER },
    { "ENGINE_AUTOMATIC", PAULIMPI_ENGINE_AUTOMATIC },
    { "ENGINE_IN_PLACE", PAULIMPI_ENGINE_IN_PLACE },
    { "ENGINE_TILE", PAULIMPI_ENGINE_TILE },
    { "ENGINE_ORBIT", PAULIMPI_ENGINE_ORBIT },
    { "ROWS_PLANNED", PAULIMPI_ROWS_PLANNED },
    { "ROWS_RANDOM", PAULIMPI_ROWS_RANDOM },
    { "ROWS_BLOCKS", PAULIMPI_ROWS_BLOCKS },
    { "ROWS_EXCLUDE", PAULIMPI_ROWS_EXCLUDE },
    { "ROWS_GIVEN", PAULIMPI_ROWS_GIVEN },
    { "TRANSPORT_AUTOMATIC", PAULIMPI_TRANSPORT_AUTOMATIC },
    { "TRANSPORT_SEGMENT", PAULIMPI_TRANSPORT_SEGMENT },
    { "TRANSPORT_MPI", PAULIMPI_TRANSPORT_MPI },
    { "HEAVY_HEX_127_QUBITS", PAULIMPI_HEAVY_HEX_127_QUBITS },
    { "HEAVY_HEX_127_EDGES", PAULIMPI_HEAVY_HEX_127_EDGES },
};

/* Look a constant up; 0 if there is none of that name. */
int
layout_constant(const char *name, int64_t *value_p)
{
    size_t i;

    for (i = 0; i < sizeof constants / sizeof constants[0]; i++) {
        if (strcmp(name, constants[i].name) == 0) {
            *value_p = constants[i].value;
            return 1;
        }
    }
    return 0;
}

/* An edge of the heavy-hex lattice; which counts from 0. */
int
layout_edge(int64_t which, int64_t *a_p, int64_t *b_p)
{
    int64_t edges[2 * PAULIMPI_HEAVY_HEX_127_EDGES];
    int rc = paulimpi_heavy_hex_127(edges);

    *a_p = edges[2 * which];
    *b_p = edges[2 * which + 1];
    return rc;
}
