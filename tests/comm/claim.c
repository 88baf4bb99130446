/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names that one process of a job has at a time; and which domain devices and
 * processors are in.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config.h"

#include "base/base.h"
#include "comm/comm.h"
#include "comm/machine.h"
#include "tap/tap.h"

static int
run_on(int processor)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

static void
test_domains(void)
{
    char pci[4][PAULIMPI__PCI_ADDRESS] = { "0000:10:00.0", "0000:20:00.0",
                                           "0000:77:00.0", "" };
    char path[] = "/tmp/topology-XXXXXX";
    int domain[4] = { 9, 9, 9, 9 };
    cpu_set_t original;
    int own = 9;
    int file = mkstemp(path);

    if (file < 0 || !machine_write(path)) {
        tap_bail("no file for a topology");
    }
    setenv("HWLOC_XMLFILE", path, 1);
    sched_getaffinity(0, sizeof original, &original);
    paulimpi__numa_of_devices(4, pci, domain, &own);
#ifdef HAVE_HWLOC
    tap_ok(domain[0] == 0 && domain[1] == 1,
           "devices are in the domains of their buses (%d, %d)", domain[0],
           domain[1]);
    if (CPU_COUNT(&original) == CPU_SETSIZE
        || (CPU_ISSET(0, &original) && CPU_ISSET(1, &original))) {
        tap_is_int(own, -1, "a process on two domains is in none");
        if (getenv("OMP_PROC_BIND") == NULL && getenv("OMP_PLACES") == NULL) {
            run_on(1);
            paulimpi__numa_of_devices(4, pci, domain, &own);
            tap_is_int(own, 1, "one that is bound is in its own");
            run_on(0);
            paulimpi__numa_of_devices(4, pci, domain, &own);
            tap_is_int(own, 0, "or the other");
        }
    }
#else
    tap_ok(domain[0] == -1 && domain[1] == -1 && own == -1,
           "without hwloc nothing is known");
#endif
    tap_ok(domain[2] == -1 && domain[3] == -1,
           "a device that is not there, or has no address, is in none");
    unsetenv("HWLOC_XMLFILE");
    sched_setaffinity(0, sizeof original, &original);
    close(file);
    unlink(path);
}

/* What a child gets, and the parent afterwards. */
static int
claim_in_child(const char *name)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        _exit(paulimpi__claim(name));
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
test_claims(void)
{
    char name[64];

    /* Whatever a launcher calls its job, this is one of ours. */
    snprintf(name, sizeof name, "test-%ld", (long)getpid());
    setenv("PMIX_NAMESPACE", name, 1);
    tap_is_int(claim_in_child("a"), 1, "a process may claim a name");
    tap_is_int(paulimpi__claim("a"), 1, "which is free once it has ended");
    tap_is_int(paulimpi__claim("a"), 0, "and then is not");
    tap_is_int(claim_in_child("a"), 0, "also for others");
    tap_is_int(claim_in_child("b"), 1, "another name is");
    setenv("PMIX_NAMESPACE", "another", 1);
    tap_is_int(claim_in_child(name), 1, "and in another job all are");
}

int
main(void)
{
    test_claims();
    test_domains();
    return tap_done();
}
