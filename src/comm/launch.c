/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether an MPI launcher started this process; and the one place where the
 * library may begin and end MPI.
 */
#include "paulimpi/context.h"

#include <limits.h>
#include <stdlib.h>

#include "base/base.h"
#include "comm/state.h"

/* Slurm numbers the steps that are no launch of ours, such as the shell of
 * salloc and the script of sbatch, from here up. */
#define FIRST_SLURM_PSEUDO_STEP INT64_C(0xfffffff0)

/* SLURM_PROCID is also set in the shell and the script from which srun has yet
 * to be called: only a step of its own counts. */
static int
is_slurm_step(void)
{
    const char *text = getenv("SLURM_STEP_ID");
    char *end;
    long long step;

    if (text == NULL || text[0] == '\0') {
        return 0;
    }
    step = strtoll(text, &end, 10);
    return *end == '\0' && step >= 0 && step < FIRST_SLURM_PSEUDO_STEP;
}

/* What launchers leave in the environment of the processes that they start.
 * Open MPI and MVAPICH stand before the process managers that they may run
 * under. */
static const struct {
    const char *name;
    const char *variable;    /* is set in every process */
    const char *size;        /* holds the number of processes, or NULL */
    int (*is_certain)(void); /* for a variable that is not enough, or NULL */
} launchers[] = {
    { "Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL },
    { "MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", NULL },
    { "Hydra (MPICH, Intel MPI)", "PMI_RANK", "PMI_SIZE", NULL },
    { "PALS", "PALS_RANKID", NULL, NULL },
    { "Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", NULL },
    { "JSM", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", NULL },
    { "PMIx", "PMIX_RANK", NULL, NULL },
    { "Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", is_slurm_step },
};

enum { N_LAUNCHERS = sizeof launchers / sizeof launchers[0] };

/* Contexts that use MPI, and whether the library began it. */
static atomic_int n_contexts;
static atomic_int has_begun;

/* The row of the launcher that started this process, or N_LAUNCHERS. */
static int
find_launcher(void)
{
    int i;

    for (i = 0; i < N_LAUNCHERS; i++) {
        if (getenv(launchers[i].variable) != NULL
            && (launchers[i].is_certain == NULL
                || launchers[i].is_certain())) {
            break;
        }
    }
    return i;
}

const char *
paulimpi__launcher(void)
{
    int i = find_launcher();

    return i == N_LAUNCHERS ? NULL : launchers[i].name;
}

int
paulimpi__mpi_is_active(void)
{
    int is_initialised = 0;
    int is_finalised = 0;

    MPI_Initialized(&is_initialised);
    MPI_Finalized(&is_finalised);
    return is_initialised && !is_finalised;
}

/* End MPI if the library began it and nobody else has ended it. */
static void
end_mpi(void)
{
    if (atomic_exchange(&has_begun, 0) && paulimpi__mpi_is_active()) {
        MPI_Finalize();
    }
}

void
paulimpi__mpi_enter(void)
{
    atomic_fetch_add(&n_contexts, 1);
}

void
paulimpi__mpi_leave(void)
{
    if (atomic_fetch_sub(&n_contexts, 1) == 1) {
        end_mpi();
    }
}

/* A launcher of another MPI starts processes that do not find each other: each
 * would do the whole work alone and believe that it is right. */
static int
check_world(int launcher)
{
    const char *variable = launchers[launcher].size;
    int64_t started = 1;
    int size = 0;
    int rc;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (variable == NULL || size != 1) {
        return PAULIMPI_SUCCESS;
    }
    rc = paulimpi__env_int64(variable, 1, INT_MAX, &started);
    if (rc == PAULIMPI_SUCCESS && started > 1) {
        rc = paulimpi__error(
            PAULIMPI_ERR_STATE,
            "paulimpi_context_create_launched: the launcher "
            "(%s) started %d processes, but MPI finds only "
            "this one: use the launcher of " PAULIMPI_MPI_FAMILY
            ", with which the library was built",
            launchers[launcher].name, (int)started);
    }
    return rc;
}

/* Initialise MPI under a launcher; the context goes over all its processes. */
static int
begin(int launcher, int *argc, char ***argv)
{
    int provided;
    int rc;

    rc = paulimpi__mpi_error(
        MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided),
        "paulimpi_context_create_launched", "MPI_Init_thread");
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    atomic_store(&has_begun, 1);
    return check_world(launcher);
}

int
paulimpi_context_create_launched(int *argc, char ***argv,
                                 paulimpi_context **ctx_p)
{
    int launcher = find_launcher();
    int is_initialised = 0;
    int rc = PAULIMPI_SUCCESS;

    if (ctx_p != NULL) {
        *ctx_p = NULL;
    }
    MPI_Initialized(&is_initialised);
    if (!is_initialised) {
        if (launcher == N_LAUNCHERS) {
            return paulimpi_context_create_serial(NULL, ctx_p);
        }
        rc = begin(launcher, argc, argv);
    }

    /* The world is what "launched" means; everywhere else the library works
     * on the communicator that it is given. */
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_context_create(MPI_COMM_WORLD, NULL, ctx_p);
    }
    if (rc != PAULIMPI_SUCCESS && atomic_load(&n_contexts) == 0) {
        end_mpi();
    }
    return rc;
}
