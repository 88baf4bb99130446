/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether an MPI launcher started this process; and the one place where the
 * library may begin and end MPI.
 */
#include "paulimpi/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "comm/state.h"

#define WISH "PAULIMPI_MPI"

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

/* Whether the environment that this process was started with had a variable,
 * whatever it has set since. */
static int
was_given(const char *variable)
{
    FILE *file = fopen("/proc/self/environ", "r");
    size_t length = strlen(variable);
    char *entry = NULL;
    size_t room = 0;
    int is_there = 0;

    while (file != NULL && !is_there && getdelim(&entry, &room, 0, file) > 0) {
        is_there =
            strncmp(entry, variable, length) == 0 && entry[length] == '=';
    }
    free(entry);
    if (file != NULL) {
        fclose(file);
    }
    return is_there;
}

/* A process of Open MPI without launcher takes itself for one of PMIx's from
 * MPI_Init on, in its own environment and that of its children. Those that
 * Open MPI 4 marks so are known; of others only what was there from the start
 * counts once MPI is initialised. */
static int
is_pmix(void)
{
    const char *kind = getenv("OMPI_MCA_ess");
    int is_initialised = 0;

    if (getenv("PMIX_NAMESPACE") == NULL
        || (kind != NULL && strcmp(kind, "singleton") == 0)) {
        return 0;
    }
    MPI_Initialized(&is_initialised);
    return !is_initialised || was_given("PMIX_RANK");
}

/* What launchers leave in the environment of the processes that they start.
 * Open MPI and MVAPICH stand before the process managers that they may run
 * under. */
typedef struct {
    const char *name;
    const char *variable;    /* is set in every process, to its number */
    const char *size;        /* holds the number of processes, or NULL */
    int (*is_certain)(void); /* for a variable that is not enough, or NULL */
} starter;

static const starter launchers[] = {
    { "Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL },
    { "MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", NULL },
    { "Hydra (MPICH, Intel MPI)", "PMI_RANK", "PMI_SIZE", NULL },
    { "HPE MPT", "MPT_LRANK", NULL, NULL },
    { "PALS", "PALS_RANKID", NULL, NULL },
    { "ALPS", "ALPS_APP_PE", NULL, NULL },
    { "Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", NULL },
    { "JSM", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", NULL },
    { "PMIx", "PMIX_RANK", "SLURM_STEP_NUM_TASKS", is_pmix },
    { "Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", is_slurm_step },
};

/* What PAULIMPI_MPI=yes stands for. */
static const starter unknown = { "one that is not known", WISH, NULL, NULL };

enum { N_LAUNCHERS = sizeof launchers / sizeof launchers[0] };

/* Contexts that use MPI, and whether the library began it. */
static atomic_int n_contexts;
static atomic_int has_begun;

/* Whether people said that a launcher started this process (1) or not (0); -1
 * if they left it open. */
static int
read_wish(int *wish_p)
{
    const char *text = getenv(WISH);

    *wish_p = -1;
    if (text == NULL || text[0] == '\0' || strcmp(text, "auto") == 0) {
        return PAULIMPI_SUCCESS;
    }
    if (strcmp(text, "yes") != 0 && strcmp(text, "no") != 0) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "the environment variable " WISH " is \"%s\", "
                               "but must be auto, yes or no",
                               text);
    }
    *wish_p = strcmp(text, "yes") == 0;
    return PAULIMPI_SUCCESS;
}

/* The launcher that started this process, or NULL. */
static const starter *
find_launcher(int wish)
{
    int i;

    for (i = 0; wish != 0 && i < N_LAUNCHERS; i++) {
        if (paulimpi__launch_number(launchers[i].variable) >= 0
            && (launchers[i].is_certain == NULL
                || launchers[i].is_certain())) {
            return &launchers[i];
        }
    }
    return wish == 1 ? &unknown : NULL;
}

const char *
paulimpi_launcher(const char **variable_p)
{
    const starter *launcher;
    int wish;

    read_wish(&wish);
    launcher = find_launcher(wish);
    if (variable_p != NULL) {
        *variable_p = launcher != NULL ? launcher->variable
                      : wish == 0      ? WISH
                                       : NULL;
    }
    return launcher == NULL ? NULL : launcher->name;
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

/* How many processes the launcher started while MPI finds this one only; 1 if
 * that is as it should be. */
static int
count_lost(const starter *launcher)
{
    int size = 0;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (launcher == NULL || launcher->size == NULL || size != 1) {
        return 1;
    }
    size = paulimpi__launch_number(launcher->size);
    return size > 1 ? size : 1;
}

/* A launcher of another MPI starts processes that do not find each other: each
 * would do the whole work alone and believe that it is right. */
#define LOST                                                                  \
    "the launcher (%s) started %d processes, but MPI finds only this one: "   \
    "use the launcher of " PAULIMPI_MPI_FAMILY                                \
    ", with which the library was built%s"

/* Slurm starts those of any MPI, but must be told how. */
static const char *
advice(void)
{
    return is_slurm_step() ? ", or tell srun which way it finds its processes "
                             "(srun --mpi=pmix, or --mpi=pmi2)"
                           : "";
}

void
paulimpi__launch_verify(const paulimpi_context *ctx)
{
    const starter *launcher;
    const char *source = NULL;
    int wish, local, n_lost;
    int relation = MPI_UNEQUAL;

    MPI_Comm_compare(ctx->comm, MPI_COMM_WORLD, &relation);
    if (relation != MPI_CONGRUENT || ctx->test_node_size != 0) {
        return;
    }
    read_wish(&wish);
    launcher = find_launcher(wish);
    n_lost = count_lost(launcher);
    if (n_lost > 1) {
        paulimpi__log(PAULIMPI__LOG_WARN, LOST, launcher->name, n_lost,
                      advice());
    }
    if (paulimpi_local_rank(&local, &source) != PAULIMPI_SUCCESS
        || local == ctx->placement.node_rank) {
        return;
    }
    if (source == NULL) {
        paulimpi__log(PAULIMPI__LOG_INFO,
                      "no variable told the local rank, which MPI finds is "
                      "%d: where a GPU is chosen by it, set "
                      "PAULIMPI_LOCAL_RANK from what the launcher sets",
                      ctx->placement.node_rank);
    } else {
        paulimpi__log(PAULIMPI__LOG_WARN,
                      "%s says that this is process %d of its node, but MPI "
                      "finds that it is %d: a GPU that was chosen by the "
                      "variable may be another process's; "
                      "PAULIMPI_LOCAL_RANK overrides it",
                      source, local, ctx->placement.node_rank);
    }
}

/* Initialise MPI under a launcher; the context goes over all its processes. */
static int
begin(const starter *launcher, int *argc, char ***argv)
{
    int provided, n_lost;
    int rc;

    rc = paulimpi__mpi_error(
        MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided),
        "paulimpi_context_create_launched", "MPI_Init_thread");
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    atomic_store(&has_begun, 1);
    n_lost = count_lost(launcher);
    if (n_lost > 1) {
        return paulimpi__error(PAULIMPI_ERR_STATE,
                               "paulimpi_context_create_launched: " LOST,
                               launcher->name, n_lost, advice());
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi_context_create_launched(int *argc, char ***argv,
                                 paulimpi_context **ctx_p)
{
    const starter *launcher;
    int is_initialised = 0;
    int wish;
    int rc = read_wish(&wish);

    if (ctx_p != NULL) {
        *ctx_p = NULL;
    }
    MPI_Initialized(&is_initialised);
    if (rc == PAULIMPI_SUCCESS && !is_initialised) {
        launcher = find_launcher(wish);
        if (launcher == NULL) {
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
