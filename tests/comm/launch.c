/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Launchers, and the number of a process on its node, by the environment.
 */
#include "paulimpi/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/capture.h"
#include "comm/state.h"
#include "tap/tap.h"

/* Everything that may decide. */
static const char *const known[] = {
    "PAULIMPI_MPI",
    "OMPI_COMM_WORLD_RANK",
    "OMPI_COMM_WORLD_SIZE",
    "MV2_COMM_WORLD_RANK",
    "PMI_RANK",
    "PMI_SIZE",
    "PALS_RANKID",
    "ALPS_APP_PE",
    "FLUX_TASK_RANK",
    "JSM_NAMESPACE_RANK",
    "PMIX_RANK",
    "PMIX_NAMESPACE",
    "OMPI_MCA_ess",
    "SLURM_PROCID",
    "SLURM_STEP_ID",
    "PAULIMPI_LOCAL_RANK",
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "MV2_COMM_WORLD_LOCAL_RANK",
    "MPI_LOCALRANKID",
    "PMI_LOCAL_RANK",
    "PALS_LOCAL_RANKID",
    "FLUX_TASK_LOCAL_ID",
    "JSM_NAMESPACE_LOCAL_RANK",
    "MPT_LRANK",
    "LOCAL_RANK",
    "SLURM_LOCALID",
    "PAULIMPI_LOCAL_SIZE",
    "OMPI_COMM_WORLD_LOCAL_SIZE",
    "MV2_COMM_WORLD_LOCAL_SIZE",
    "MPI_LOCALNRANKS",
    "PMI_LOCAL_SIZE",
    "PALS_LOCAL_SIZE",
    "JSM_NAMESPACE_LOCAL_SIZE",
    "LOCAL_WORLD_SIZE",
    "SLURM_STEP_TASKS_PER_NODE",
    "SLURM_NODEID",
    "PBS_JOBID",
    "PBS_NODENUM",
    "PBS_TASKNUM",
    "PBS_VNODENUM",
};

/* Each is set beside all that stand below it and wins. */
static const struct {
    const char *rank;
    const char *size; /* or NULL */
} local[] = {
    { "PAULIMPI_LOCAL_RANK", "PAULIMPI_LOCAL_SIZE" },
    { "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE" },
    { "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE" },
    { "MPI_LOCALRANKID", "MPI_LOCALNRANKS" },
    { "PMI_LOCAL_RANK", "PMI_LOCAL_SIZE" },
    { "PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE" },
    { "FLUX_TASK_LOCAL_ID", NULL },
    { "JSM_NAMESPACE_LOCAL_RANK", "JSM_NAMESPACE_LOCAL_SIZE" },
    { "MPT_LRANK", NULL },
    { "LOCAL_RANK", "LOCAL_WORLD_SIZE" },
    { "SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE" },
};

static const struct {
    const char *variable;
    const char *name;
} launchers[] = {
    { "OMPI_COMM_WORLD_RANK", "Open MPI" },
    { "MV2_COMM_WORLD_RANK", "MVAPICH" },
    { "PMI_RANK", "Hydra (MPICH, Intel MPI)" },
    { "MPT_LRANK", "HPE MPT" },
    { "PALS_RANKID", "PALS" },
    { "ALPS_APP_PE", "ALPS" },
    { "FLUX_TASK_RANK", "Flux" },
    { "JSM_NAMESPACE_RANK", "JSM" },
};

enum {
    N_KNOWN = sizeof known / sizeof known[0],
    N_LOCAL = sizeof local / sizeof local[0],
    N_LAUNCHERS = sizeof launchers / sizeof launchers[0]
};

static void
unset_all(void)
{
    int i;

    for (i = 0; i < N_KNOWN; i++) {
        unsetenv(known[i]);
    }
}

static int
rank_by(const char **source_p)
{
    int rank = -1;
    int rc = paulimpi_local_rank(&rank, source_p);

    return rc == PAULIMPI_SUCCESS ? rank : rc;
}

static int
size_by(const char **source_p)
{
    int size = -1;
    int rc = paulimpi_local_size(&size, source_p);

    return rc == PAULIMPI_SUCCESS ? size : rc;
}

static void
test_launchers(void)
{
    const char *variable = "";
    int i;

    unset_all();
    tap_ok(paulimpi_launcher(&variable) == NULL && variable == NULL,
           "no variable, no launcher");
    for (i = N_LAUNCHERS - 1; i >= 0; i--) {
        setenv(launchers[i].variable, "3", 1);
        tap_is_text(paulimpi_launcher(&variable), launchers[i].name,
                    "%s, before those below it", launchers[i].variable);
        tap_is_text(variable, launchers[i].variable, "which is named");
    }
    setenv("OMPI_COMM_WORLD_RANK", "", 1);
    tap_is_text(paulimpi_launcher(NULL), "MVAPICH",
                "an empty one is not set; nobody has to ask for the name");
}

static void
test_wish(void)
{
    const char *variable = NULL;

    unset_all();
    setenv("PAULIMPI_MPI", "yes", 1);
    tap_is_text(paulimpi_launcher(&variable), "one that is not known",
                "PAULIMPI_MPI=yes makes one up");
    tap_is_text(variable, "PAULIMPI_MPI", "and is named");
    setenv("PMI_RANK", "0", 1);
    tap_is_text(paulimpi_launcher(&variable), "Hydra (MPICH, Intel MPI)",
                "if there is none");
    setenv("PAULIMPI_MPI", "no", 1);
    tap_ok(paulimpi_launcher(&variable) == NULL
               && strcmp(variable, "PAULIMPI_MPI") == 0,
           "PAULIMPI_MPI=no hides it");
    setenv("PAULIMPI_MPI", "auto", 1);
    tap_is_text(paulimpi_launcher(&variable), "Hydra (MPICH, Intel MPI)",
                "PAULIMPI_MPI=auto leaves it");
    setenv("PAULIMPI_MPI", "maybe", 1);
    tap_ok(paulimpi_launcher(NULL) != NULL, "and so does what it must not be");
}

/* From the last row up, so that each one has all others below it. */
static void
test_places(void)
{
    char text[16];
    const char *source = "";
    int i;

    unset_all();
    tap_ok(rank_by(&source) == 0 && source == NULL,
           "no variable: 0, by none of them");
    tap_ok(size_by(&source) == 0 && source == NULL,
           "of nobody knows how many");
    for (i = N_LOCAL - 1; i >= 0; i--) {
        snprintf(text, sizeof text, "%d", i + 1);
        setenv(local[i].rank, text, 1);
        tap_ok(rank_by(&source) == i + 1 && strcmp(source, local[i].rank) == 0,
               "%s, before those below it", local[i].rank);
        tap_is_int(size_by(NULL), 0, "without a size");
    }
    tap_is_int(rank_by(NULL), 1, "nobody has to ask for the name");
}

static void
test_sizes(void)
{
    const char *source = NULL;
    int i;

    for (i = 0; i < N_LOCAL; i++) {
        if (local[i].size == NULL) {
            continue;
        }
        unset_all();
        setenv("SLURM_NODEID", "0", 1);
        setenv(local[i].rank, "3", 1);
        setenv(local[i].size, "4", 1);
        tap_ok(rank_by(NULL) == 3 && size_by(&source) == 4
                   && strcmp(source, local[i].size) == 0,
               "%s, 3 of 4", local[i].size);
        setenv(local[i].size, "3", 1);
        if (i > 0) {
            setenv("SLURM_STEP_TASKS_PER_NODE", "3", 1);
            setenv("SLURM_LOCALID", "2", 1);
            setenv(local[i].rank, i == N_LOCAL - 1 ? "3" : "4", 1);
            tap_ok(rank_by(&source) == (i == N_LOCAL - 1 ? 0 : 2),
                   "not 4 of 3");
        }
    }
}

static void
test_garbage(void)
{
    static const char *const bad[] = { "",    " ",   "-1",
                                       "+1",  "1 ",  " 1",
                                       "1_0", "0x1", "2147483648",
                                       "1.0", "one", "99999999999999999999" };
    const char *source = "";
    size_t i;

    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        unset_all();
        setenv("MPI_LOCALRANKID", bad[i], 1);
        tap_ok(rank_by(&source) == 0 && source == NULL, "\"%s\" is no number",
               bad[i]);
        setenv("SLURM_LOCALID", "2", 1);
        tap_ok(rank_by(&source) == 2 && strcmp(source, "SLURM_LOCALID") == 0,
               "and the next variable counts");
        unset_all();
        setenv("PAULIMPI_LOCAL_RANK", bad[i], 1);
        tap_is_int(rank_by(NULL), i == 0 ? 0 : PAULIMPI_ERR_ARGUMENT,
                   "set by hand it is %s", i == 0 ? "not set" : "an error");
        tap_is_int(size_by(NULL), i == 0 ? 0 : PAULIMPI_ERR_ARGUMENT,
                   "for both");
    }
    tap_contains(paulimpi_last_error(), "99999999999999999999",
                 "which is named");
    unset_all();
    setenv("MPI_LOCALRANKID", "2147483647", 1);
    tap_is_int(rank_by(NULL), 2147483647, "the largest number is one");
}

static void
test_override(void)
{
    unset_all();
    setenv("PAULIMPI_LOCAL_RANK", "4", 1);
    setenv("PAULIMPI_LOCAL_SIZE", "4", 1);
    tap_is_int(rank_by(NULL), PAULIMPI_ERR_ARGUMENT, "4 of 4 is an error");
    tap_contains(paulimpi_last_error(), "PAULIMPI_LOCAL_SIZE \"4\"",
                 "with a sentence");
    setenv("PAULIMPI_LOCAL_SIZE", "many", 1);
    tap_is_int(size_by(NULL), PAULIMPI_ERR_ARGUMENT, "\"many\" too");
    tap_is_status(paulimpi_local_rank(NULL, NULL), PAULIMPI_ERR_ARGUMENT,
                  "a number needs a place");
    tap_is_status(paulimpi_local_size(NULL, NULL), PAULIMPI_ERR_ARGUMENT,
                  "and so does a size");
}

/* The tasks of a node as Slurm writes them. */
static int
slurm(const char *text, const char *node)
{
    unset_all();
    setenv("SLURM_LOCALID", "0", 1);
    setenv("SLURM_STEP_TASKS_PER_NODE", text, 1);
    setenv("SLURM_NODEID", node, 1);
    return size_by(NULL);
}

static void
test_slurm(void)
{
    tap_is_int(slurm("8", "0"), 8, "Slurm's 8 on node 0");
    tap_is_int(slurm("4(x2),3", "0"), 4, "4(x2),3 on node 0");
    tap_is_int(slurm("4(x2),3", "1"), 4, "on node 1");
    tap_is_int(slurm("4(x2),3", "2"), 3, "on node 2");
    tap_is_int(slurm("4(x2),3", "3"), 0, "on node 3, which is none");
    tap_is_int(slurm("1,2(x3),5", "4"), 5, "1,2(x3),5 on node 4");
    tap_is_int(slurm("4(x2", "0"), 0, "a text that is cut");
    tap_is_int(slurm("4(x", "0"), 0, "even earlier");
    tap_is_int(slurm("4;3", "1"), 0, "or is another");
    tap_is_int(slurm("x", "0"), 0, "or none");
    tap_is_int(slurm("", "0"), 0, "or empty");
    tap_is_int(slurm("4", "-1"), 0, "a node that is none");
    unset_all();
    setenv("SLURM_LOCALID", "0", 1);
    setenv("MPI_LOCALRANKID", "2", 1);
    tap_is_int(rank_by(NULL), 2,
               "mpirun within a step of one task: the launcher of MPI counts");
}

/* What Torque sets in a job's script, and in processes of pbsdsh, which MPI
 * does not join; and a launcher of MPI within its job. */
static void
test_torque(void)
{
    const char *source = "";

    unset_all();
    setenv("PBS_JOBID", "17.server", 1);
    setenv("PBS_NODENUM", "1", 1);
    setenv("PBS_TASKNUM", "3", 1);
    setenv("PBS_VNODENUM", "2", 1);
    tap_ok(paulimpi_launcher(NULL) == NULL, "Torque starts no ranks itself");
    tap_ok(rank_by(&source) == 0 && source == NULL, "nor does it number them");
    setenv("OMPI_COMM_WORLD_RANK", "2", 1);
    setenv("OMPI_COMM_WORLD_LOCAL_RANK", "1", 1);
    tap_is_text(paulimpi_launcher(NULL), "Open MPI", "mpirun in its job does");
    tap_is_int(rank_by(NULL), 1, "and numbers them");
}

/* After unset_all(), because the level is read only once. */
static void
test_log(void)
{
    const char *log;

    unset_all();
    setenv("PAULIMPI_LOG", "warn", 1);
    setenv("PMI_LOCAL_RANK", "5", 1);
    setenv("PMI_LOCAL_SIZE", "4", 1);
    capture_begin();
    rank_by(NULL);
    log = capture_end();
    tap_contains(log, "PMI_LOCAL_RANK is \"5\"",
                 "what is passed over is told in the log");
    unset_all();
    capture_begin();
    rank_by(NULL);
    log = capture_end();
    tap_is_text(log, "", "what is not set is not");
}

int
main(void)
{
    test_log();
    test_launchers();
    test_wish();
    test_places();
    test_sizes();
    test_garbage();
    test_override();
    test_slurm();
    test_torque();
    return tap_done();
}
