/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What can be known of MPI and memory of devices without trying it.
 */
#include "config.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>
#ifdef HAVE_MPI_EXT_H
#include <mpi-ext.h>
#endif

#include "exchange/awareness.h"

/* Cray's, Intel's and MVAPICH are made of MPICH and may name it, too. */
static const struct {
    const char *text;
    int family;
} families[] = {
    { "Spectrum", PAULIMPI__MPI_SPECTRUM },
    { "CRAY MPICH", PAULIMPI__MPI_CRAY },
    { "Intel(R) MPI", PAULIMPI__MPI_INTEL },
    { "MVAPICH", PAULIMPI__MPI_MVAPICH },
    { "Open MPI", PAULIMPI__MPI_OPENMPI },
    { "MPICH", PAULIMPI__MPI_MPICH },
};

enum { N_FAMILIES = sizeof families / sizeof families[0] };

int
paulimpi__mpi_family(const char *version)
{
    int i;

    for (i = 0; i < N_FAMILIES; i++) {
        if (strstr(version, families[i].text) != NULL) {
            return families[i].family;
        }
    }
    return PAULIMPI__MPI_OTHER;
}

const char *
paulimpi__mpi_advice(int family)
{
    switch (family) {
    case PAULIMPI__MPI_OPENMPI:
        return "configure Open MPI with --with-cuda, or run it over a UCX "
               "that has CUDA (mpirun --mca pml ucx; ucx_info -d shows cuda) "
               "and set PAULIMPI_GPU_AWARE=probe";
    case PAULIMPI__MPI_SPECTRUM:
        return "start the program with mpirun -gpu";
    case PAULIMPI__MPI_MPICH:
        return "configure MPICH with --with-cuda, and leave "
               "MPIR_CVAR_ENABLE_GPU at 1";
    case PAULIMPI__MPI_CRAY:
        return "link the program with the GTL library (load the module "
               "craype-accel-... before compiling) and set "
               "MPICH_GPU_SUPPORT_ENABLED=1";
    case PAULIMPI__MPI_INTEL:
        return "set I_MPI_OFFLOAD=1";
    case PAULIMPI__MPI_MVAPICH:
        return "use a build with CUDA and set MV2_USE_CUDA=1 (MVAPICH 3: "
               "MVP_USE_CUDA=1)";
    default:
        return "see its manual, and set PAULIMPI_GPU_AWARE=probe";
    }
}

static int
read_wish(int *wish_p)
{
    static const char *const name[] = { "auto", "yes", "no", "probe" };
    const char *text = getenv("PAULIMPI_GPU_AWARE");
    int i;

    *wish_p = PAULIMPI__WISH_AUTO;
    if (text == NULL || text[0] == '\0') {
        return PAULIMPI_SUCCESS;
    }
    for (i = 0; i < (int)(sizeof name / sizeof name[0]); i++) {
        if (strcmp(text, name[i]) == 0) {
            *wish_p = i;
            return PAULIMPI_SUCCESS;
        }
    }
    return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                           "the environment variable PAULIMPI_GPU_AWARE is "
                           "\"%s\", but must be auto, yes, no or probe",
                           text);
}

/* Ask MPI itself, each family by the function that is safe with it: that of
 * Open MPI made MPICHs without GPUs stop. */
static void
ask_mpi(paulimpi__hints *hints)
{
    (void)hints;
#ifdef HAVE_MPIX_GPU_QUERY_SUPPORT
    int answer = 0;

    hints->query_by = "MPIX_GPU_query_support()";
    if (MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &answer)
        == MPI_SUCCESS) {
        hints->query = answer != 0;
    }
#elif defined(HAVE_MPIX_QUERY_CUDA_SUPPORT)
    hints->query_by = "MPIX_Query_cuda_support()";
    hints->query = MPIX_Query_cuda_support() != 0;
#endif
}

static void
ask_kinds(MPI_Comm comm, paulimpi__hints *hints)
{
    MPI_Info info = MPI_INFO_NULL;
    int is_there = 0;

    if (comm == MPI_COMM_NULL
        || MPI_Comm_get_info(comm, &info) != MPI_SUCCESS) {
        return;
    }
    MPI_Info_get(info, "mpi_memory_alloc_kinds", sizeof hints->kinds - 1,
                 hints->kinds, &is_there);
    if (!is_there) {
        hints->kinds[0] = '\0';
    }
    MPI_Info_free(&info);
}

static int
is_gtl(struct dl_phdr_info *library, size_t size, void *found)
{
    (void)size;
    if (library->dlpi_name != NULL
        && strstr(library->dlpi_name, "libmpi_gtl") != NULL) {
        *(int *)found = 1;
    }
    return *(int *)found;
}

int
paulimpi__hints_collect(MPI_Comm comm, paulimpi__hints *hints)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
    int is_initialised = 0;
    int is_finalised = 0;
    int length = 0;

    memset(hints, 0, sizeof *hints);
    hints->query = -1;
    paulimpi_device_count(&hints->n_devices);
    MPI_Get_library_version(version, &length);
    version[strcspn(version, "\n")] = '\0';
    snprintf(hints->version, sizeof hints->version, "%s", version);
    hints->family = paulimpi__mpi_family(version);
    MPI_Initialized(&is_initialised);
    MPI_Finalized(&is_finalised);
    hints->is_active = is_initialised && !is_finalised;
    if (hints->is_active) {
        ask_mpi(hints);
        ask_kinds(comm, hints);
    }
    dl_iterate_phdr(is_gtl, &hints->has_gtl);
    hints->gpu_support_enabled = getenv("MPICH_GPU_SUPPORT_ENABLED");
    hints->enable_gpu = getenv("MPIR_CVAR_ENABLE_GPU");
    hints->use_cuda = getenv("MV2_USE_CUDA");
    if (hints->use_cuda == NULL) {
        hints->use_cuda = getenv("MVP_USE_CUDA");
    }
    hints->offload = getenv("I_MPI_OFFLOAD");
    hints->ucx_tls = getenv("UCX_TLS");
    return read_wish(&hints->wish);
}

/* Whether the next word of a list, length characters long, is a word. */
static int
is_word(const char *list, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(list, word, length) == 0;
}

/* Whether "system,mpi,cuda:device:managed" promises memory of devices: it
 * names cuda without restriction, or with this one. */
static int
promises_device(const char *kinds)
{
    while (*kinds != '\0') {
        size_t length = strcspn(kinds, ",");
        size_t name = strcspn(kinds, ",:");

        if (is_word(kinds, name, "cuda")) {
            const char *next = kinds + name;

            if (name == length) {
                return 1;
            }
            while (*next == ':') {
                size_t word = strcspn(++next, ",:");

                if (is_word(next, word, "device")) {
                    return 1;
                }
                next += word;
            }
        }
        kinds += length + (kinds[length] == ',');
    }
    return 0;
}

/* Whether UCX is told to leave CUDA alone: "self,sm" does not name it, and
 * "^cuda" does. */
static int
leaves_out_cuda(const char *transports)
{
    int excludes = transports[0] == '^';
    int is_named = 0;

    transports += excludes;
    while (*transports != '\0') {
        size_t length = strcspn(transports, ",");

        is_named |= strncmp(transports, "cuda", 4) == 0
                    || (!excludes && is_word(transports, length, "all"));
        transports += length + (transports[length] == ',');
    }
    return excludes ? is_named : !is_named;
}

static int
is_on(const char *text)
{
    return text != NULL && text[0] != '\0' && strcmp(text, "0") != 0;
}

static int
is_off(const char *text)
{
    return text != NULL && strcmp(text, "0") == 0;
}

static const char *
shown(const char *text)
{
    return text == NULL ? "not set" : text;
}

/* By the switch of an MPI that cannot be asked. */
static int
decide_switch(const char *variable, const char *value,
              char reason[PAULIMPI__REASON_TEXT])
{
    snprintf(reason, PAULIMPI__REASON_TEXT, "%s is %s", variable,
             shown(value));
    return is_on(value) ? PAULIMPI_AWARE_YES : PAULIMPI_AWARE_NO;
}

/* Cray's MPI needs both its switch and a library, which only the last link can
 * bring in. */
static int
decide_cray(const paulimpi__hints *hints, char reason[PAULIMPI__REASON_TEXT])
{
    int is_enabled = is_on(hints->gpu_support_enabled);

    snprintf(reason, PAULIMPI__REASON_TEXT,
             "MPICH_GPU_SUPPORT_ENABLED is %s and the GTL library is %s",
             shown(hints->gpu_support_enabled),
             hints->has_gtl ? "loaded" : "not loaded");
    return is_enabled && hints->has_gtl ? PAULIMPI_AWARE_YES
                                        : PAULIMPI_AWARE_NO;
}

static int
decide_query(const paulimpi__hints *hints, char reason[PAULIMPI__REASON_TEXT])
{
    if (is_off(hints->enable_gpu) && hints->family == PAULIMPI__MPI_MPICH) {
        snprintf(reason, PAULIMPI__REASON_TEXT, "MPIR_CVAR_ENABLE_GPU is 0");
        return PAULIMPI_AWARE_NO;
    }
    if (hints->query < 0) {
        snprintf(reason, PAULIMPI__REASON_TEXT, "%s",
                 !hints->is_active ? "MPI is not initialised, and not asked"
                 : hints->query_by == NULL
                     ? "this MPI has no function that tells"
                     : "MPI did not answer when it was asked");
        return PAULIMPI_AWARE_UNKNOWN;
    }
    snprintf(reason, PAULIMPI__REASON_TEXT, "%s says %s", hints->query_by,
             hints->query ? "yes" : "no");
    return hints->query ? PAULIMPI_AWARE_YES : PAULIMPI_AWARE_NO;
}

static int
decide_family(const paulimpi__hints *hints, char reason[PAULIMPI__REASON_TEXT])
{
    switch (hints->family) {
    case PAULIMPI__MPI_CRAY:
        return decide_cray(hints, reason);
    case PAULIMPI__MPI_INTEL:
        return decide_switch("I_MPI_OFFLOAD", hints->offload, reason);
    case PAULIMPI__MPI_MVAPICH:
        return decide_switch("MV2_USE_CUDA", hints->use_cuda, reason);
    default:
        return decide_query(hints, reason);
    }
}

int
paulimpi__hints_decide(const paulimpi__hints *hints,
                       char reason[PAULIMPI__REASON_TEXT])
{
    int state;

    if (promises_device(hints->kinds)) {
        snprintf(reason, PAULIMPI__REASON_TEXT,
                 "MPI promises it: mpi_memory_alloc_kinds is %s",
                 hints->kinds);
        return PAULIMPI_AWARE_YES;
    }
    state = decide_family(hints, reason);

    /* Those of UCX count only where it would be used. */
    if (state == PAULIMPI_AWARE_YES && hints->ucx_tls != NULL
        && (hints->family == PAULIMPI__MPI_OPENMPI
            || hints->family == PAULIMPI__MPI_MPICH)
        && leaves_out_cuda(hints->ucx_tls)) {
        snprintf(reason, PAULIMPI__REASON_TEXT,
                 "%s says yes, but UCX_TLS is %s, which leaves out CUDA",
                 hints->query_by, hints->ucx_tls);
        state = PAULIMPI_AWARE_NO;
    }
    return state;
}
