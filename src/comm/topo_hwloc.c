/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What only hwloc knows about the node.
 */
#include "config.h"

#include <stdint.h>

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

/* Load the topology with what hangs on the PCI bus. */
static int
load_devices(hwloc_topology_t *topology_p)
{
    if (hwloc_topology_init(topology_p) != 0) {
        return 0;
    }
    hwloc_topology_set_io_types_filter(*topology_p,
                                       HWLOC_TYPE_FILTER_KEEP_ALL);
    if (hwloc_topology_load(*topology_p) != 0) {
        hwloc_topology_destroy(*topology_p);
        return 0;
    }
    return 1;
}

static int
domain_of_device(hwloc_topology_t topology, const char *pci)
{
    hwloc_obj_t object = hwloc_get_pcidev_by_busidstring(topology, pci);

    if (object == NULL) {
        return -1;
    }
    object = hwloc_get_non_io_ancestor_obj(topology, object);
    return object != NULL && object->nodeset != NULL
                   && hwloc_bitmap_weight(object->nodeset) == 1
               ? hwloc_bitmap_first(object->nodeset)
               : -1;
}

/* The domain whose processors a mask has, if all are of one. */
static int
domain_of_mask(hwloc_topology_t topology, const paulimpi__mask *mask)
{
    int n = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
    int domain = -1;
    int i;

    for (i = 0; i < n; i++) {
        hwloc_obj_t node =
            hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, (unsigned)i);
        int processor;

        for (processor = hwloc_bitmap_first(node->cpuset); processor >= 0;
             processor = hwloc_bitmap_next(node->cpuset, processor)) {
            if (processor < 64 * PAULIMPI__MASK_WORDS
                && (mask->word[processor / 64] >> processor % 64 & 1) != 0) {
                break;
            }
        }
        if (processor >= 0 && domain >= 0) {
            return -1;
        }
        domain = processor >= 0 ? (int)node->os_index : domain;
    }
    return domain;
}

void
paulimpi__numa_of_devices(int n, char (*pci)[PAULIMPI__PCI_ADDRESS],
                          int *domain, int *own_p)
{
    hwloc_topology_t topology;
    paulimpi_context place;
    int i;

    *own_p = -1;
    for (i = 0; i < n; i++) {
        domain[i] = -1;
    }
    if (!load_devices(&topology)) {
        return;
    }
    for (i = 0; i < n; i++) {
        domain[i] = domain_of_device(topology, pci[i]);
    }
    paulimpi__topology_local(&place);
    *own_p = domain_of_mask(topology, &place.mask);
    hwloc_topology_destroy(topology);
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
paulimpi__numa_of_devices(int n, char (*pci)[PAULIMPI__PCI_ADDRESS],
                          int *domain, int *own_p)
{
    int i;

    (void)pci;
    for (i = 0; i < n; i++) {
        domain[i] = -1;
    }
    *own_p = -1;
}

void
paulimpi__hwloc_describe(paulimpi__text *text)
{
    paulimpi__text_append(text, "hwloc: no\n");
}

#endif
