/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A machine that hwloc reads from a file.
 */
#include "comm/machine.h"

#include <stdio.h>

static const char topology[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
    "<topology version=\"2.0\">\n"
    "<object type=\"Machine\" os_index=\"0\" cpuset=\"0x3\""
    " complete_cpuset=\"0x3\" allowed_cpuset=\"0x3\" nodeset=\"0x3\""
    " complete_nodeset=\"0x3\" allowed_nodeset=\"0x3\" gp_index=\"1\">\n"
    "%s%s</object>\n</topology>\n";

static const char package[] =
    "<object type=\"Package\" os_index=\"%d\" cpuset=\"0x%d\""
    " complete_cpuset=\"0x%d\" nodeset=\"0x%d\" complete_nodeset=\"0x%d\""
    " gp_index=\"%d2\">\n"
    "<object type=\"NUMANode\" os_index=\"%d\" cpuset=\"0x%d\""
    " complete_cpuset=\"0x%d\" nodeset=\"0x%d\" complete_nodeset=\"0x%d\""
    " gp_index=\"%d3\" local_memory=\"8589934592\"/>\n"
    "<object type=\"PU\" os_index=\"%d\" cpuset=\"0x%d\""
    " complete_cpuset=\"0x%d\" nodeset=\"0x%d\" complete_nodeset=\"0x%d\""
    " gp_index=\"%d4\"/>\n"
    "<object type=\"Bridge\" gp_index=\"%d5\" bridge_type=\"0-1\" depth=\"0\""
    " bridge_pci=\"0000:[%d0-%df]\">\n"
    "<object type=\"PCIDev\" gp_index=\"%d6\" pci_busid=\"0000:%d0:00.0\""
    " pci_type=\"0302 [10de:20b2] [10de:1450] a1\""
    " pci_link_speed=\"31.5\"/>\n"
    "</object>\n</object>\n";

enum { PACKAGE_ROOM = 2048, TOPOLOGY_ROOM = 8192 };

static void
write_package(char text[PACKAGE_ROOM], int i)
{
    int set = 1 << i;
    int id = i + 1;
    int bus = id;

    snprintf(text, PACKAGE_ROOM, package, i, set, set, set, set, id, i, set,
             set, set, set, id, i, set, set, set, set, id, id, bus, bus, id,
             bus);
}

int
machine_write(const char *path)
{
    char first[PACKAGE_ROOM], second[PACKAGE_ROOM];
    FILE *file = fopen(path, "w");

    if (file == NULL) {
        return 0;
    }
    write_package(first, 0);
    write_package(second, 1);
    fprintf(file, topology, first, second);
    return fclose(file) == 0;
}
