/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A process that no launcher started, after MPI_Init, and its children: some
 * MPIs take them for launched. The test starts itself without the variables of
 * the launcher that started it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "comm/capture.h"
#include "comm/state.h"
#include "paulimpi/launch.h"
#include "tap/tap.h"

extern char **environ;

enum { NAME_ROOM = 256 };

static int
is_of_a_launcher(const char *entry)
{
    static const char *const prefix[] = { "OMPI_", "ORTE_",    "OPAL_",
                                          "PMI_",  "PMIX_",    "PRTE_",
                                          "MPI_",  "PAULIMPI_" };
    size_t i;

    /* These let Open MPI begin at all. */
    if (strncmp(entry, "OMPI_ALLOW", 10) == 0
        || strstr(entry, "rsh_agent") != NULL) {
        return 0;
    }
    for (i = 0; i < sizeof prefix / sizeof prefix[0]; i++) {
        if (strncmp(entry, prefix[i], strlen(prefix[i])) == 0) {
            return 1;
        }
    }
    return 0;
}

static void
forget_launcher(void)
{
    char name[NAME_ROOM];
    size_t i = 0;

    while (environ[i] != NULL) {
        size_t length = strcspn(environ[i], "=");

        if (is_of_a_launcher(environ[i]) && length < sizeof name) {
            memcpy(name, environ[i], length);
            name[length] = '\0';
            unsetenv(name); /* the next entry takes its place */
        } else {
            i++;
        }
    }
}

/* What a child of this process answers: 0 if it finds no launcher. */
static int
ask_child(void)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        execl("/proc/self/exe", "child", "child", (char *)NULL);
        _exit(99);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* What a context on the world writes to the log. */
static const char *
log_of_context(void)
{
    paulimpi_context *ctx;

    capture_begin();
    if (paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx)
        != PAULIMPI_SUCCESS) {
        tap_bail("no context: %s", paulimpi_last_error());
    }
    paulimpi_context_destroy(&ctx);
    return capture_end();
}

static void
test_alone(void)
{
    const char *variable = NULL;
    int provided;

    tap_ok(paulimpi_launcher(NULL) == NULL, "no launcher before MPI_Init");
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    tap_ok(paulimpi_launcher(&variable) == NULL && variable == NULL,
           "nor after it");
    if (variable != NULL) {
        tap_note("%s was believed", variable);
    }
    tap_is_int(ask_child(), 0, "nor in a child");
    setenv("PMIX_RANK", "0", 1);
    setenv("PMIX_NAMESPACE", "any", 1);
    unsetenv("OMPI_MCA_ess");
    tap_ok(paulimpi_launcher(NULL) == NULL,
           "what was set after the start is not believed any more");
    unsetenv("PMIX_RANK");
    unsetenv("PMIX_NAMESPACE");
}

/* srun without a way to find each other. */
static void
test_lost(void)
{
    const char *log;

    tap_is_text(log_of_context(), "", "a process alone is fine");
    setenv("SLURM_PROCID", "1", 1);
    setenv("SLURM_STEP_ID", "0", 1);
    setenv("SLURM_STEP_NUM_TASKS", "4", 1);
    log = log_of_context();
    tap_contains(log, "(Slurm) started 4 processes, but MPI finds only this",
                 "four of them alone are not");
    tap_contains(log, "srun --mpi=", "and there is advice");
    setenv("SLURM_STEP_NUM_TASKS", "1", 1);
    tap_is_text(log_of_context(), "", "a step of one is fine");
}

static void
test_mismatch(void)
{
    setenv("SLURM_LOCALID", "0", 1);
    tap_is_text(log_of_context(), "", "the right number on the node is fine");
    setenv("SLURM_LOCALID", "1", 1);
    tap_contains(log_of_context(),
                 "SLURM_LOCALID says that this is process 1 of its node, but "
                 "MPI finds that it is 0",
                 "another one is told");
}

int
main(int argc, char **argv)
{
    if (argc == 1) {
        forget_launcher();
        setenv("PAULIMPI_LOG", "warn", 1);
        execl("/proc/self/exe", argv[0], "alone", (char *)NULL);
        tap_bail("the program cannot start itself");
    }
    if (strcmp(argv[1], "child") == 0) {
        return paulimpi_launcher(NULL) != NULL;
    }
    test_alone();
    test_lost();
    test_mismatch();
    MPI_Finalize();
    return tap_done();
}
