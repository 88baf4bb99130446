/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the library is and what it found.
 */
#include "config.h"

#include "paulimpi/version.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#ifdef HAVE_OPENMP
#include <omp.h>
#endif

#include "base/base.h"
#include "comm/segment.h"
#include "comm/state.h"
#include "paulimpi/launch.h"

extern char **environ;

enum { LINE_ROOM = 1024 };

void
paulimpi_version(int *major_p, int *minor_p, int *patch_p)
{
    if (major_p != NULL) {
        *major_p = PAULIMPI_VERSION_MAJOR;
    }
    if (minor_p != NULL) {
        *minor_p = PAULIMPI_VERSION_MINOR;
    }
    if (patch_p != NULL) {
        *patch_p = PAULIMPI_VERSION_PATCH;
    }
}

/* These calls are allowed before MPI_Init and after MPI_Finalize. */
static void
describe_mpi(paulimpi__text *text)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
    int version = 0, subversion = 0, length = 0;

    MPI_Get_library_version(library, &length);
    MPI_Get_version(&version, &subversion);
    library[strcspn(library, "\n")] = '\0';
    paulimpi__text_append(text, "MPI: %s\n", library);
    paulimpi__text_append(text, "MPI standard: %d.%d\n", version, subversion);
    paulimpi__text_append(text, "built for: %s\n", PAULIMPI_MPI_FAMILY);
}

static void
describe_launch(paulimpi__text *text)
{
    const char *variable;
    const char *launcher = paulimpi_launcher(&variable);
    int rank;

    paulimpi__text_append(
        text, "launcher: %s%s%s\n", launcher == NULL ? "none" : launcher,
        variable == NULL ? "" : ", by ", variable == NULL ? "" : variable);
    if (paulimpi_local_rank(&rank, &variable) != PAULIMPI_SUCCESS) {
        paulimpi__text_append(text, "local rank: %s\n", paulimpi_last_error());
    } else if (variable == NULL) {
        paulimpi__text_append(text, "local rank: 0, by no variable\n");
    } else {
        paulimpi__text_append(text, "local rank: %d, by %s\n", rank, variable);
    }
}

static void
describe_openmp(paulimpi__text *text)
{
#ifdef HAVE_OPENMP
    paulimpi__text_append(text, "OpenMP: yes, up to %d threads\n",
                          omp_get_max_threads());
#else
    paulimpi__text_append(text, "OpenMP: no\n");
#endif
}

static void
describe_hdf5(paulimpi__text *text)
{
#ifdef HAVE_HDF5
    paulimpi__text_append(text, "HDF5: yes\n");
#else
    paulimpi__text_append(text, "HDF5: no\n");
#endif
}

/* The first "model name" of /proc/cpuinfo; not every architecture has one. */
static void
describe_processor(paulimpi__text *text)
{
    static const char key[] = "model name";
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[LINE_ROOM];
    const char *model = "unknown";

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, key, sizeof key - 1) == 0
            && strchr(line, ':') != NULL) {
            line[strcspn(line, "\n")] = '\0';
            model = strchr(line, ':') + 1;
            model += strspn(model, " ");
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    paulimpi__text_append(text, "processor: %s\n", model);
}

static void
describe_simd(paulimpi__text *text)
{
    char known[PAULIMPI__SIMD_TEXT];
    int level = paulimpi__simd_wanted();

    paulimpi__simd_list(known);
    paulimpi__text_append(text, "SIMD: %s (of %s; PAULIMPI_SIMD overrides)\n",
                          level < 0 ? "none" : paulimpi__simd_name(level),
                          known);
}

static void
describe_node(paulimpi__text *text)
{
    paulimpi_context place;
    int64_t memory;

    paulimpi__topology_local(&place);
    memory = place.placement.node_memory;
    paulimpi__text_append(text, "processors: %d\n",
                          place.placement.processors);
    paulimpi__text_append(text, "NUMA domains: %d\n",
                          paulimpi__numa_domains());
    if (memory == INT64_MAX) {
        paulimpi__text_append(text, "memory available: unknown\n");
    } else {
        paulimpi__text_append(text, "memory available: %" PRId64 " MB\n",
                              memory / 1000000);
    }
}

static void
describe_environment(paulimpi__text *text)
{
    static const char prefix[] = "PAULIMPI_";
    int n = 0;
    char **entry;

    paulimpi__text_append(text, "environment:");
    for (entry = environ; entry != NULL && *entry != NULL; entry++) {
        if (strncmp(*entry, prefix, sizeof prefix - 1) == 0) {
            paulimpi__text_append(text, " %s", *entry);
            n++;
        }
    }
    paulimpi__text_append(text, "%s\n", n == 0 ? " none" : "");
}

int
paulimpi_info(char **text_p)
{
    paulimpi__text text = PAULIMPI__TEXT_INIT;

    if (text_p == NULL) {
        return paulimpi__null("paulimpi_info", "text_p");
    }
    paulimpi__text_append(&text, "libpaulimpi: %s\n", PAULIMPI_VERSION_STRING);
    describe_mpi(&text);
    describe_launch(&text);
    paulimpi__hwloc_describe(&text);
    describe_openmp(&text);
    describe_hdf5(&text);
    describe_processor(&text);
    describe_simd(&text);
    describe_node(&text);
    paulimpi__segment_describe(&text);
    describe_environment(&text);
    *text_p = paulimpi__text_take(&text);
    if (*text_p == NULL) {
        return paulimpi__no_memory("paulimpi_info", LINE_ROOM);
    }
    return PAULIMPI_SUCCESS;
}
