/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What follows from what an MPI says of itself, row by row.
 */
#include <stdlib.h>
#include <string.h>

#include "exchange/awareness.h"
#include "tap/tap.h"

static const struct {
    const char *fact;
    paulimpi__hints hints;
    int state;
    const char *reason;
} rows[] = {
    { "Open MPI says yes",
      { .family = PAULIMPI__MPI_OPENMPI, .query = 1, .query_by = "Q()" },
      PAULIMPI_AWARE_YES,
      "Q() says yes" },
    { "Open MPI says no",
      { .family = PAULIMPI__MPI_OPENMPI, .query = 0, .query_by = "Q()" },
      PAULIMPI_AWARE_NO,
      "Q() says no" },
    { "an MPI did not answer",
      { .family = PAULIMPI__MPI_OPENMPI,
        .is_active = 1,
        .query = -1,
        .query_by = "Q()" },
      PAULIMPI_AWARE_UNKNOWN,
      "did not answer" },
    { "an MPI is not there yet",
      { .family = PAULIMPI__MPI_OPENMPI, .query = -1 },
      PAULIMPI_AWARE_UNKNOWN,
      "not initialised" },
    { "an MPI cannot be asked",
      { .family = PAULIMPI__MPI_OTHER, .is_active = 1, .query = -1 },
      PAULIMPI_AWARE_UNKNOWN,
      "no function that tells" },
    { "UCX is told to leave CUDA out",
      { .family = PAULIMPI__MPI_OPENMPI,
        .query = 1,
        .query_by = "Q()",
        .ucx_tls = "rc,sm" },
      PAULIMPI_AWARE_NO,
      "UCX_TLS is rc,sm" },
    { "in other words",
      { .family = PAULIMPI__MPI_MPICH,
        .query = 1,
        .query_by = "Q()",
        .ucx_tls = "^cuda_ipc" },
      PAULIMPI_AWARE_NO,
      "UCX_TLS is ^cuda_ipc" },
    { "UCX is told to use CUDA",
      { .family = PAULIMPI__MPI_OPENMPI,
        .query = 1,
        .query_by = "Q()",
        .ucx_tls = "rc,cuda_copy" },
      PAULIMPI_AWARE_YES,
      "says yes" },
    { "UCX may use all it has",
      { .family = PAULIMPI__MPI_OPENMPI,
        .query = 1,
        .query_by = "Q()",
        .ucx_tls = "all" },
      PAULIMPI_AWARE_YES,
      "says yes" },
    { "UCX is told to leave something else out",
      { .family = PAULIMPI__MPI_OPENMPI,
        .query = 1,
        .query_by = "Q()",
        .ucx_tls = "^rc" },
      PAULIMPI_AWARE_YES,
      "says yes" },
    { "MPICH says yes",
      { .family = PAULIMPI__MPI_MPICH,
        .query = 1,
        .query_by = "Q()",
        .enable_gpu = "1" },
      PAULIMPI_AWARE_YES,
      "Q() says yes" },
    { "MPICH is told to leave GPUs alone",
      { .family = PAULIMPI__MPI_MPICH,
        .query = 1,
        .query_by = "Q()",
        .enable_gpu = "0" },
      PAULIMPI_AWARE_NO,
      "MPIR_CVAR_ENABLE_GPU is 0" },
    { "Cray's switch is on and its library there",
      { .family = PAULIMPI__MPI_CRAY,
        .gpu_support_enabled = "1",
        .has_gtl = 1 },
      PAULIMPI_AWARE_YES,
      "is 1 and the GTL library is loaded" },
    { "the switch is on without the library",
      { .family = PAULIMPI__MPI_CRAY, .gpu_support_enabled = "1" },
      PAULIMPI_AWARE_NO,
      "the GTL library is not loaded" },
    { "the library is there without the switch",
      { .family = PAULIMPI__MPI_CRAY, .has_gtl = 1 },
      PAULIMPI_AWARE_NO,
      "MPICH_GPU_SUPPORT_ENABLED is not set" },
    { "the switch is off",
      { .family = PAULIMPI__MPI_CRAY,
        .gpu_support_enabled = "0",
        .has_gtl = 1 },
      PAULIMPI_AWARE_NO,
      "MPICH_GPU_SUPPORT_ENABLED is 0" },
    { "Intel's switch is on",
      { .family = PAULIMPI__MPI_INTEL, .offload = "1" },
      PAULIMPI_AWARE_YES,
      "I_MPI_OFFLOAD is 1" },
    { "Intel's switch is not set",
      { .family = PAULIMPI__MPI_INTEL },
      PAULIMPI_AWARE_NO,
      "I_MPI_OFFLOAD is not set" },
    { "MVAPICH's switch is on",
      { .family = PAULIMPI__MPI_MVAPICH, .use_cuda = "1" },
      PAULIMPI_AWARE_YES,
      "MV2_USE_CUDA is 1" },
    { "MVAPICH's switch is off",
      { .family = PAULIMPI__MPI_MVAPICH, .use_cuda = "0" },
      PAULIMPI_AWARE_NO,
      "MV2_USE_CUDA is 0" },
    { "Spectrum is asked as Open MPI is",
      { .family = PAULIMPI__MPI_SPECTRUM, .query = 1, .query_by = "Q()" },
      PAULIMPI_AWARE_YES,
      "Q() says yes" },
    { "a promise of the standard's wins",
      { .family = PAULIMPI__MPI_OPENMPI,
        .query = 0,
        .kinds = "system,mpi,cuda:device" },
      PAULIMPI_AWARE_YES,
      "mpi_memory_alloc_kinds is system,mpi,cuda:device" },
    { "one of all kinds, too",
      { .family = PAULIMPI__MPI_MPICH,
        .query = 0,
        .kinds = "system,cuda,mpi" },
      PAULIMPI_AWARE_YES,
      "promises" },
    { "one with several restrictions, too",
      { .family = PAULIMPI__MPI_MPICH,
        .query = 0,
        .kinds = "cuda:host:device" },
      PAULIMPI_AWARE_YES,
      "promises" },
    { "one of other memory does not",
      { .family = PAULIMPI__MPI_OPENMPI,
        .query = 0,
        .query_by = "Q()",
        .kinds = "system,cuda:host:managed,rocm:device,cudax" },
      PAULIMPI_AWARE_NO,
      "Q() says no" },
};

static const struct {
    const char *version;
    int family;
} families[] = {
    { "Open MPI v4.1.4, package: Debian OpenMPI", PAULIMPI__MPI_OPENMPI },
    { "MPICH Version:      4.0.2", PAULIMPI__MPI_MPICH },
    { "MPI VERSION    : CRAY MPICH version 8.1.25.17 (ANL base 3.4a2)",
      PAULIMPI__MPI_CRAY },
    { "Intel(R) MPI Library 2021.10 for Linux* OS", PAULIMPI__MPI_INTEL },
    { "MVAPICH2 Version      :       2.3.7", PAULIMPI__MPI_MVAPICH },
    { "MVAPICH Version: 3.0, MPICH Version: 3.4", PAULIMPI__MPI_MVAPICH },
    { "IBM Spectrum MPI 10.4, Open MPI 4", PAULIMPI__MPI_SPECTRUM },
    { "MPItrampoline 5.0", PAULIMPI__MPI_OTHER },
};

static void
test_rows(void)
{
    char reason[PAULIMPI__REASON_TEXT];
    size_t i;

    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tap_is_int(paulimpi__hints_decide(&rows[i].hints, reason),
                   rows[i].state, "%s", rows[i].fact);
        tap_contains(reason, rows[i].reason, "as the reason says");
    }
}

static void
test_families(void)
{
    size_t i;

    for (i = 0; i < sizeof families / sizeof families[0]; i++) {
        tap_is_int(paulimpi__mpi_family(families[i].version),
                   families[i].family, "%s", families[i].version);
        tap_ok(strlen(paulimpi__mpi_advice(families[i].family)) > 0,
               "for which there is advice");
    }
}

/* What is collected in this process. */
static void
test_collect(void)
{
    paulimpi__hints hints;

    setenv("PAULIMPI_GPU_AWARE", "probe", 1);
    setenv("MVP_USE_CUDA", "1", 1);
    unsetenv("MV2_USE_CUDA");
    tap_is_status(paulimpi__hints_collect(MPI_COMM_NULL, &hints),
                  PAULIMPI_SUCCESS, "hints are collected before MPI_Init");
    tap_ok(hints.wish == PAULIMPI__WISH_PROBE && hints.query == -1
               && hints.kinds[0] == '\0' && hints.has_gtl == 0
               && strcmp(hints.use_cuda, "1") == 0,
           "of the environment, not of MPI");
    tap_ok(hints.version[0] != '\0' && strchr(hints.version, '\n') == NULL,
           "with its version in a line");
    setenv("PAULIMPI_GPU_AWARE", "", 1);
    paulimpi__hints_collect(MPI_COMM_NULL, &hints);
    tap_is_int(hints.wish, PAULIMPI__WISH_AUTO, "empty means auto");
    setenv("PAULIMPI_GPU_AWARE", "Yes", 1);
    tap_is_status(paulimpi__hints_collect(MPI_COMM_NULL, &hints),
                  PAULIMPI_ERR_ARGUMENT, "\"Yes\" is none of the words");
    tap_contains(paulimpi_last_error(), "auto, yes, no or probe",
                 "which the sentence tells");
}

int
main(void)
{
    test_rows();
    test_families();
    test_collect();
    return tap_done();
}
