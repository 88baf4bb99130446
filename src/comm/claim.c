/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who has what among the processes of a job on a node, without any call of
 * MPI.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "comm/state.h"

/* What launchers call the job, or the step of it, that they started; the same
 * in all its processes. */
static const char *const job_names[] = {
    "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid",
    "PALS_APID",      "FLUX_JOB_ID",
    "SLURM_JOB_ID",   "LSB_JOBID"
};

enum { N_JOB_NAMES = sizeof job_names / sizeof job_names[0] };

static uint64_t
mix(uint64_t hash, const char *text)
{
    for (; text != NULL && *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* A number for the job: that of the process that started this one where the
 * launcher gives it no name. */
static uint64_t
job_number(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    int i;

    for (i = 0; i < N_JOB_NAMES; i++) {
        if (getenv(job_names[i]) != NULL) {
            hash = mix(hash, job_names[i]);
            hash = mix(hash, getenv(job_names[i]));
            return mix(hash, getenv("SLURM_STEP_ID"));
        }
    }
    return hash ^ (uint64_t)getppid();
}

/* A socket whose name is not in any file system belongs to one process, and
 * goes with it, however that ends. */
int
paulimpi__claim(const char *name)
{
    struct sockaddr_un address;
    size_t room = sizeof address.sun_path - 1;
    int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int is_taken, length;

    if (file < 0) {
        return 1;
    }
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    length = snprintf(address.sun_path + 1, room, "libpaulimpi/%" PRIx64 "/%s",
                      job_number(), name);
    is_taken = length < (int)room
               && bind(file, (struct sockaddr *)&address,
                       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1
                                   + (size_t)length))
                      != 0
               && errno == EADDRINUSE;
    if (is_taken) {
        close(file);
    }
    return !is_taken;
}
