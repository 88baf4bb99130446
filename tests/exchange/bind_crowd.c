/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks that the launcher put on the processors of one domain, which has one
 * of the mock's two devices.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "comm/machine.h"
#include "exchange/bind.h"
#include "mock/mock.h"
#include "tap/tap_mpi.h"

/* Choose, on the first processor of a machine of two domains. */
static int
bind_crowded(int *device_p)
{
    char path[] = "/tmp/machine-XXXXXX";
    int file = mkstemp(path);
    cpu_set_t original, first;
    int rc;

    if (file < 0 || !machine_write(path)) {
        tap_bail("no file for a topology");
    }
    setenv("HWLOC_XMLFILE", path, 1);
    sched_getaffinity(0, sizeof original, &original);
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    sched_setaffinity(0, sizeof first, &first);
    rc = paulimpi_device_bind(device_p);
    sched_setaffinity(0, sizeof original, &original);
    unsetenv("HWLOC_XMLFILE");
    close(file);
    unlink(path);
    return rc;
}

int
main(int argc, char **argv)
{
    int device = -9;
    int rank, provided, status, rc;
    int of[2] = { -1, -1 };

    unsetenv("PAULIMPI_BIND");
    rc = bind_crowded(&device);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    tap_mpi_begin(argv[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!mock_is_here()) {
        tap_mpi_skip_all("there is no mock of CUDA");
    }
    tap_mpi_is_status(rc, PAULIMPI_SUCCESS, "a device is chosen");
    MPI_Allgather(&device, 1, MPI_INT, of, 1, MPI_INT, MPI_COMM_WORLD);
    tap_mpi_ok(of[0] + of[1] == 1 && of[0] * of[1] == 0,
               "two ranks near the same device take one each (%d, %d)", of[0],
               of[1]);
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
