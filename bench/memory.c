/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Resident memory of this process.
 */
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

int64_t
memory_resident(const char *field)
{
    FILE *file = fopen("/proc/self/status", "r");
    size_t length = strlen(field);
    int64_t kibibytes = -1;
    char line[256];
    struct rusage usage;

    if (file != NULL) {
        while (kibibytes < 0 && fgets(line, sizeof line, file) != NULL) {
            if (strncmp(line, field, length) == 0) {
                kibibytes = strtoll(line + length, NULL, 10);
            }
        }
        fclose(file);
    }
    if (kibibytes < 0) {
        getrusage(RUSAGE_SELF, &usage);
        kibibytes = usage.ru_maxrss;
    }
    return 1024 * kibibytes;
}

void
memory_forget_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");

    if (file != NULL) {
        fputs("5", file);
        fclose(file);
    }
}
