/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What only hwloc knows about the node.
 */
#include "config.h"

#include "comm/state.h"

#ifdef HAVE_HWLOC

#include <hwloc.h>

int
paulimpi__numa_domains(void)
{
    hwloc_topology_t topology;
    int n = 0;

    if (hwloc_topology_init(&topology) != 0) {
        return 0;
    }
    if (hwloc_topology_load(topology) == 0) {
        n = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
    }
    hwloc_topology_destroy(topology);
    return n > 0 ? n : 0;
}

void
paulimpi__hwloc_describe(paulimpi__text *text)
{
    unsigned version = hwloc_get_api_version();

    paulimpi__text_append(text, "hwloc: API %u.%u.%u\n", version >> 16,
                          version >> 8 & 0xff, version & 0xff);
}

#else

int
paulimpi__numa_domains(void)
{
    return 0;
}

void
paulimpi__hwloc_describe(paulimpi__text *text)
{
    paulimpi__text_append(text, "hwloc: no\n");
}

#endif
