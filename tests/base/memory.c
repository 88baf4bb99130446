/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The memory that is left, read from pretended trees of /proc and /sys.
 */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "tap/tap.h"

static char root[] = "/tmp/paulimpi-memory-XXXXXX";

/* Write a file below the root, with its folders. */
static void
put(const char *name, const char *text)
{
    char path[300];
    char *slash;
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", root, name);
    for (slash = strchr(path + sizeof root, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
        tap_bail("%s cannot be written", path);
    }
}

static void
check(int64_t want, const char *fact)
{
    tap_is_int(paulimpi__available_memory_under(root), want, "%s", fact);
}

static void
test_meminfo(void)
{
    check(INT64_MAX, "no files: it cannot be told");
    put("proc/meminfo", "MemTotal: 9000 kB\nMemFree: 10 kB\n");
    check(INT64_MAX, "an old kernel does not tell either");
    put("proc/meminfo", "MemAvailable: much\n");
    check(INT64_MAX, "nor does a line without a number");
    put("proc/meminfo", "MemAvailable: 99999999999999999999 kB\n");
    check(INT64_MAX, "a number that overflows is no limit");
    put("proc/meminfo",
        "MemTotal: 9000 kB\nMemFree: 10 kB\nMemAvailable:    1000 kB\n");
    check(1024000, "MemAvailable is what counts");
}

static void
test_version_2(void)
{
    put("proc/self/cgroup", "0::/job/step\n");
    check(1024000, "a control group without files sets no limit");
    put("sys/fs/cgroup/job/step/memory.max", "max\n");
    put("sys/fs/cgroup/job/step/memory.current", "5000\n");
    check(1024000, "\"max\" is none");
    put("sys/fs/cgroup/job/step/memory.max", "300000\n");
    check(295000, "a limit less the usage");
    put("sys/fs/cgroup/job/step/memory.stat",
        "anon 1000\ninactive_file 4000\nactive_file 7\n");
    check(299000, "file pages out of use can be had");
    put("sys/fs/cgroup/job/step/memory.stat", "inactive_file 99999\n");
    check(300000, "but not more than is used");
    put("sys/fs/cgroup/job/memory.max", "100000\n");
    put("sys/fs/cgroup/job/memory.current", "40000\n");
    check(60000, "the group above may leave less");
    put("sys/fs/cgroup/memory.max", "50000\n");
    check(50000, "in a container the mount itself too");
    put("sys/fs/cgroup/job/memory.current", "100001\n");
    check(0, "more used than allowed leaves nothing");
    put("proc/self/cgroup", "0::/\n");
    check(50000, "the path may be the root");
    put("proc/self/cgroup", "0::/elsewhere\n");
    check(50000, "or one that is not there");
    put("proc/self/cgroup", "garbage\n\n0:\n");
    check(1024000, "lines that are none are passed over");
}

static void
test_version_1(void)
{
    put("proc/self/cgroup", "7:cpu,cpuacct:/job\n5:memory:/job\n0::/none\n");
    put("sys/fs/cgroup/memory.max", "max\n");
    check(1024000, "version 1: no files, no limit");
    put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "70000\n");
    put("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "20000\n");
    put("sys/fs/cgroup/memory/job/memory.stat",
        "inactive_file 1\ntotal_inactive_file 5000\n");
    check(55000, "version 1: limit, usage, and what can be had back");
    put("sys/fs/cgroup/memory/job/memory.limit_in_bytes",
        "9223372036854771712\n");
    check(1024000, "version 1 writes \"no limit\" as a large number");
}

static int
remove_entry(const char *path, const struct stat *info, int kind,
             struct FTW *place)
{
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

int
main(void)
{
    if (mkdtemp(root) == NULL) {
        tap_bail("no temporary folder");
    }
    test_meminfo();
    test_version_2();
    test_version_1();
    tap_ok(paulimpi__available_memory() > 0, "this machine has some memory");
    tap_ok(paulimpi__seconds() <= paulimpi__seconds(),
           "time does not run backwards");
    nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return tap_done();
}
