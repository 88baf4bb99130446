/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How much memory the node can still give, as Linux tells it: by
 * /proc/meminfo, and by the limits of the control groups of this process,
 * under which a job or a container runs.
 */
#include "base/base.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_ROOM = 4096, LINE_ROOM = 4096 };

/* Where one kind of control groups keeps its numbers. */
typedef struct {
    const char *mount;
    const char *limit;
    const char *usage;
    const char *reclaimable; /* a line of memory.stat */
} hierarchy;

static const hierarchy version_1 = { "/sys/fs/cgroup/memory",
                                     "memory.limit_in_bytes",
                                     "memory.usage_in_bytes",
                                     "total_inactive_file " };
static const hierarchy version_2 = { "/sys/fs/cgroup", "memory.max",
                                     "memory.current", "inactive_file " };

/* Read the number behind name at the start of a line of a file; fallback where
 * there is no such file, line or number ("max" is none). */
static int64_t
number_in(const char *path, const char *name, int64_t fallback)
{
    FILE *file = fopen(path, "r");
    char line[LINE_ROOM];
    int64_t value = fallback;

    if (file == NULL) {
        return fallback;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0) {
            const char *text = line + strlen(name);
            char *end;
            int64_t found = strtoimax(text, &end, 10);

            value = end != text ? found : fallback;
            break;
        }
    }
    fclose(file);
    return value;
}

/* What one group leaves. File pages that nobody has used for a while count as
 * usage, but are given back on demand. */
static int64_t
left_in_group(const hierarchy *kind, const char *folder)
{
    char path[2 * PATH_ROOM];
    int64_t limit, usage, reclaimable;

    snprintf(path, sizeof path, "%s/%s", folder, kind->limit);
    limit = number_in(path, "", INT64_MAX);
    if (limit == INT64_MAX || limit < 0) {
        return INT64_MAX;
    }
    snprintf(path, sizeof path, "%s/%s", folder, kind->usage);
    usage = number_in(path, "", 0);
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    reclaimable = number_in(path, kind->reclaimable, 0);
    usage -= reclaimable < usage ? reclaimable : usage;
    return usage < limit ? limit - usage : 0;
}

/* The least that a group and those above it leave. In a container the path may
 * be the host's and not be there; then the mount itself is the group. */
static int64_t
left_in_path(const hierarchy *kind, const char *root, const char *group)
{
    char folder[PATH_ROOM];
    int64_t least = INT64_MAX;
    size_t base, end;

    if (snprintf(folder, sizeof folder, "%s%s%s", root, kind->mount, group)
        >= PATH_ROOM) {
        return INT64_MAX;
    }
    base = strlen(root) + strlen(kind->mount);
    for (;;) {
        int64_t left = left_in_group(kind, folder);

        least = left < least ? left : least;
        for (end = strlen(folder); end > base && folder[end] != '/'; end--) {
        }
        if (folder[base] == '\0') {
            return least;
        }
        folder[end] = '\0';
    }
}

/* What one line of /proc/self/cgroup, "NUMBER:CONTROLLERS:PATH", allows. */
static int64_t
left_by_line(const char *root, char *line)
{
    char *controllers = strchr(line, ':');
    char *group = controllers == NULL ? NULL : strchr(controllers + 1, ':');

    if (group == NULL) {
        return INT64_MAX;
    }
    line[strcspn(line, "\n")] = '\0';
    *group = '\0';
    group++;
    if (strcmp(line, "0:") == 0) {
        return left_in_path(&version_2, root, group);
    }
    if (strcmp(controllers, ":memory") == 0) {
        return left_in_path(&version_1, root, group);
    }
    return INT64_MAX;
}

static int64_t
left_in_groups(const char *root)
{
    char path[PATH_ROOM], line[LINE_ROOM];
    int64_t least = INT64_MAX;
    FILE *file;

    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    file = fopen(path, "r");
    if (file == NULL) {
        return INT64_MAX;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        int64_t left = left_by_line(root, line);

        least = left < least ? left : least;
    }
    fclose(file);
    return least;
}

int64_t
paulimpi__available_memory_under(const char *root)
{
    char path[PATH_ROOM];
    int64_t kilobytes, available, left;

    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    kilobytes = number_in(path, "MemAvailable:", -1);
    available = kilobytes < 0 || kilobytes > INT64_MAX / 1024
                    ? INT64_MAX
                    : kilobytes * 1024;
    left = left_in_groups(root);
    return left < available ? left : available;
}

int64_t
paulimpi__available_memory(void)
{
    return paulimpi__available_memory_under("");
}
