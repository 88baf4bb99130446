/* SPDX-License-Identifier: BSD-3-Clause
 *
 * create_launched() in a process that no launcher started, and what counts as
 * one.
 */
#include <stdlib.h>

#include "base/base.h"
#include "comm/state.h"
#include "paulimpi/launch.h"
#include "tap/tap.h"

static const char *const variable[] = { "OMPI_COMM_WORLD_RANK",
                                        "MV2_COMM_WORLD_RANK",
                                        "PMI_RANK",
                                        "PALS_RANKID",
                                        "FLUX_TASK_RANK",
                                        "JSM_NAMESPACE_RANK",
                                        "PMIX_RANK",
                                        "SLURM_PROCID",
                                        "SLURM_STEP_ID",
                                        "PMIX_NAMESPACE",
                                        "OMPI_MCA_ess",
                                        "MPT_LRANK",
                                        "ALPS_APP_PE",
                                        "PAULIMPI_MPI" };

enum { N_VARIABLES = sizeof variable / sizeof variable[0] };

/* Stands before that of MPI: in this program MPI cannot be begun. */
int
MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    (void)argc;
    (void)argv;
    *provided = required;
    return MPI_ERR_OTHER;
}

/* The launcher that one variable makes us believe in. */
static const char *
launcher_with(const char *name)
{
    const char *found;

    setenv(name, "0", 1);
    found = paulimpi_launcher(NULL);
    unsetenv(name);
    return found;
}

static void
test_detection(void)
{
    tap_ok(paulimpi_launcher(NULL) == NULL, "no variable, no launcher");
    tap_is_text(launcher_with("OMPI_COMM_WORLD_RANK"), "Open MPI",
                "Open MPI's mpirun");
    tap_is_text(launcher_with("PMI_RANK"), "Hydra (MPICH, Intel MPI)",
                "mpiexec.hydra");
    tap_is_text(launcher_with("MV2_COMM_WORLD_RANK"), "MVAPICH", "MVAPICH");
    tap_ok(launcher_with("PMIX_RANK") == NULL, "PMIX_RANK alone is none");
    setenv("PMIX_NAMESPACE", "slurm.pmix.1.0", 1);
    tap_is_text(launcher_with("PMIX_RANK"), "PMIx", "with a name it is PMIx");
    setenv("OMPI_MCA_ess", "singleton", 1);
    tap_ok(launcher_with("PMIX_RANK") == NULL,
           "but not below a process of Open MPI without launcher");
    unsetenv("OMPI_MCA_ess");
    unsetenv("PMIX_NAMESPACE");
    tap_is_text(launcher_with("FLUX_TASK_RANK"), "Flux", "Flux");
    tap_is_text(launcher_with("JSM_NAMESPACE_RANK"), "JSM", "jsrun");
    tap_is_text(launcher_with("PALS_RANKID"), "PALS", "PALS");
}

static void
test_slurm(void)
{
    tap_ok(launcher_with("SLURM_PROCID") == NULL,
           "SLURM_PROCID alone is no launcher");
    tap_ok(launcher_with("SLURM_STEP_ID") == NULL,
           "nor is SLURM_STEP_ID alone");
    setenv("SLURM_STEP_ID", "0", 1);
    tap_is_text(launcher_with("SLURM_PROCID"), "Slurm", "both are srun");
    setenv("SLURM_STEP_ID", "4294967290", 1);
    tap_ok(launcher_with("SLURM_PROCID") == NULL,
           "the shell of salloc is no launcher");
    setenv("SLURM_STEP_ID", "", 1);
    tap_ok(launcher_with("SLURM_PROCID") == NULL, "nor an empty step");
    setenv("SLURM_STEP_ID", "batch", 1);
    tap_ok(launcher_with("SLURM_PROCID") == NULL, "nor one with a name");
    unsetenv("SLURM_STEP_ID");
}

static void
test_serial(int *argc, char ***argv)
{
    paulimpi_context *ctx;
    int is_initialised = -1;

    tap_is_status(paulimpi_context_create_launched(argc, argv, NULL),
                  PAULIMPI_ERR_ARGUMENT, "create needs a place");
    tap_is_status(paulimpi_context_create_launched(argc, argv, &ctx),
                  PAULIMPI_SUCCESS, "without a launcher it is made");
    tap_is_int(paulimpi_context_size(ctx), 1, "of one rank");
    paulimpi_context_destroy(&ctx);
    tap_is_status(paulimpi_context_create_launched(NULL, NULL, &ctx),
                  PAULIMPI_SUCCESS, "argc and argv may be NULL");
    paulimpi_context_destroy(&ctx);

    paulimpi__alloc_fail_at(1);
    tap_is_status(paulimpi_context_create_launched(argc, argv, &ctx),
                  PAULIMPI_ERR_MEMORY, "without memory it is not");
    tap_ok(ctx == NULL, "and there is no handle");
    setenv("PAULIMPI_THREADS", "none", 1);
    tap_is_status(paulimpi_context_create_launched(argc, argv, &ctx),
                  PAULIMPI_ERR_ARGUMENT, "nor with a bad PAULIMPI_THREADS");
    unsetenv("PAULIMPI_THREADS");
    setenv("PAULIMPI_MPI", "perhaps", 1);
    tap_is_status(paulimpi_context_create_launched(argc, argv, &ctx),
                  PAULIMPI_ERR_ARGUMENT, "nor with a bad PAULIMPI_MPI");
    setenv("PMI_RANK", "0", 1);
    setenv("PAULIMPI_MPI", "no", 1);
    tap_is_status(paulimpi_context_create_launched(argc, argv, &ctx),
                  PAULIMPI_SUCCESS, "PAULIMPI_MPI=no hides a launcher");
    paulimpi_context_destroy(&ctx);
    unsetenv("PMI_RANK");
    unsetenv("PAULIMPI_MPI");

    MPI_Initialized(&is_initialised);
    tap_is_int(is_initialised, 0, "MPI was left alone");

    tap_is_status(paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx),
                  PAULIMPI_ERR_STATE,
                  "a communicator is of no use before MPI_Init");
}

static void
test_no_init(int *argc, char ***argv)
{
    paulimpi_context *ctx = (paulimpi_context *)argc;

    setenv("PMI_RANK", "0", 1);
    tap_is_status(paulimpi_context_create_launched(argc, argv, &ctx),
                  PAULIMPI_ERR_MPI, "where MPI cannot begin, nothing can");
    tap_ok(ctx == NULL, "and there is no handle");
    tap_contains(paulimpi_last_error(), "MPI_Init_thread: error code",
                 "but a sentence");
    unsetenv("PMI_RANK");
    setenv("PAULIMPI_MPI", "yes", 1);
    tap_is_status(paulimpi_context_create_launched(argc, argv, &ctx),
                  PAULIMPI_ERR_MPI, "PAULIMPI_MPI=yes begins it as well");
    unsetenv("PAULIMPI_MPI");
}

int
main(int argc, char **argv)
{
    int i;

    /* The tests themselves may run under a launcher. */
    for (i = 0; i < N_VARIABLES; i++) {
        unsetenv(variable[i]);
    }
    test_detection();
    test_slurm();
    test_serial(&argc, &argv);
    test_no_init(&argc, &argv);
    return tap_done();
}
