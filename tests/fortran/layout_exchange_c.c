/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The C side of layout_exchange.f90: structs with known members, constants by
 * name.
 */
#include <string.h>

#include <paulimpi.h>

size_t layout_uuid(paulimpi_device_uuid *uuid);
size_t layout_ipc(paulimpi_ipc_handle *handle);
size_t layout_memory(paulimpi_memory *memory);
size_t layout_message(paulimpi_message *message);
size_t layout_arrival(paulimpi_arrival *arrival);
size_t layout_options(paulimpi_exchange_options *options);
size_t layout_ranks(paulimpi_count_of_ranks *ranks);
int layout_constant(const char *name, int64_t *value_p);

/* Each function numbers the members of a struct from 1 and returns its
 * size. */
size_t
layout_uuid(paulimpi_device_uuid *uuid)
{
    *uuid = (paulimpi_device_uuid){ { 1, 2 } };
    return sizeof *uuid;
}

size_t
layout_ipc(paulimpi_ipc_handle *handle)
{
    *handle = (paulimpi_ipc_handle){ { 1, 2 } };
    return sizeof *handle;
}

size_t
layout_memory(paulimpi_memory *memory)
{
    *memory = (paulimpi_memory){ 1, 2, 3, (void *)4, 5, 6 };
    return sizeof *memory;
}

size_t
layout_message(paulimpi_message *message)
{
    *message = (paulimpi_message){
        { (void *)1, 2, 3, { 4, 5, 6, 7 }, { 8, 9, 10, 11 } }, 12, 13
    };
    return sizeof *message;
}

size_t
layout_arrival(paulimpi_arrival *arrival)
{
    *arrival = (paulimpi_arrival){ 1, 2, 3 };
    return sizeof *arrival;
}

size_t
layout_options(paulimpi_exchange_options *options)
{
    *options =
        (paulimpi_exchange_options){ 1,         (void *)2, (void *)3, 4,
                                     (void *)5, (void *)6, 7,         8 };
    return sizeof *options;
}

size_t
layout_ranks(paulimpi_count_of_ranks *ranks)
{
    *ranks = (paulimpi_count_of_ranks){ 1, 2, 3, 4, 5, 6, 7 };
    return sizeof *ranks;
}

static const struct {
    const char *name;
    int64_t value;
} constants[] = {
    { "MEMORY_HOST", PAULIMPI_MEMORY_HOST },
    { "MEMORY_PINNED", PAULIMPI_MEMORY_PINNED },
    { "MEMORY_MANAGED", PAULIMPI_MEMORY_MANAGED },
    { "MEMORY_DEVICE", PAULIMPI_MEMORY_DEVICE },
    { "MEMORY_POOL", PAULIMPI_MEMORY_POOL },
    { "MEMORY_VIRTUAL", PAULIMPI_MEMORY_VIRTUAL },
    { "MEMORY_IMPORTED", PAULIMPI_MEMORY_IMPORTED },
    { "BIND_AUTOMATIC", PAULIMPI_BIND_AUTOMATIC },
    { "BIND_NEAREST", PAULIMPI_BIND_NEAREST },
    { "BIND_ROUND_ROBIN", PAULIMPI_BIND_ROUND_ROBIN },
    { "BIND_BLOCK", PAULIMPI_BIND_BLOCK },
    { "BIND_NONE", PAULIMPI_BIND_NONE },
    { "AWARE_UNKNOWN", PAULIMPI_AWARE_UNKNOWN },
    { "AWARE_NO", PAULIMPI_AWARE_NO },
    { "AWARE_YES", PAULIMPI_AWARE_YES },
    { "AWARE_ALL", PAULIMPI_AWARE_ALL },
    { "OPERATION_MESSAGE", PAULIMPI_OPERATION_MESSAGE },
    { "OPERATION_COLLECTIVE", PAULIMPI_OPERATION_COLLECTIVE },
    { "OPERATION_NONBLOCKING_COLLECTIVE",
      PAULIMPI_OPERATION_NONBLOCKING_COLLECTIVE },
    { "OPERATION_ONE_SIDED", PAULIMPI_OPERATION_ONE_SIDED },
    { "PEER_NONE", PAULIMPI_PEER_NONE },
    { "PEER_ANY", PAULIMPI_PEER_ANY },
    { "MOST_TAG", PAULIMPI_MOST_TAG },
    { "BUFFER_SEND", PAULIMPI_BUFFER_SEND },
    { "BUFFER_RECEIVE", PAULIMPI_BUFFER_RECEIVE },
    { "COUNT_ANY", PAULIMPI_COUNT_ANY },
    { "COUNT_TO_HOST", PAULIMPI_COUNT_TO_HOST },
    { "COUNT_TO_DEVICE", PAULIMPI_COUNT_TO_DEVICE },
    { "COUNT_ON_DEVICE", PAULIMPI_COUNT_ON_DEVICE },
    { "COUNT_PACK", PAULIMPI_COUNT_PACK },
    { "COUNT_SELF", PAULIMPI_COUNT_SELF },
    { "COUNT_MPI_HOST", PAULIMPI_COUNT_MPI_HOST },
    { "COUNT_MPI_DEVICE", PAULIMPI_COUNT_MPI_DEVICE },
    { "COUNT_BOUNCE", PAULIMPI_COUNT_BOUNCE },
    { "COUNT_WAIT", PAULIMPI_COUNT_WAIT },
    { "COUNT_PROBE", PAULIMPI_COUNT_PROBE },
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
