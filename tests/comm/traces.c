/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a process holds of the system, to be compared before and after.
 */
#include "comm/traces.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

static int
count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int n = 0;

    while (folder != NULL && readdir(folder) != NULL) {
        n++;
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return n;
}

/* Lines of /proc/self/maps such as "7f00-7f01 rw-s ... /dev/shm/name". Private
 * ones come and go with every malloc(). */
static void
count_mappings(traces *now)
{
    FILE *file = fopen("/proc/self/maps", "r");
    char line[4096];

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *rights = strchr(line, ' ');

        if (rights != NULL && strlen(rights) > 5 && rights[4] == 's') {
            now->mappings++;
            now->names += strchr(rights, '/') != NULL
                          && strstr(rights, "(deleted)") == NULL;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

traces
traces_now(void)
{
    traces now = { count_descriptors(), 0, 0 };

    count_mappings(&now);
    return now;
}

int
traces_same(traces a, traces b)
{
    return a.descriptors == b.descriptors && a.mappings == b.mappings
           && a.names == b.names;
}
