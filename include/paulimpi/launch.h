/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a process knows of its place before MPI_Init, and which device it
 * chooses by it.
 */
#ifndef PAULIMPI_LAUNCH_H
#define PAULIMPI_LAUNCH_H

#include "paulimpi/context.h"
#include "paulimpi/export.h"
#include "paulimpi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Launch
 *
 * Launchers tell the processes that they start where they are by environment
 * variables. They are read here without any MPI call, so that a GPU can be
 * chosen before MPI_Init, which may bind itself to the first one it sees. All
 * functions are local, and may be called at any time.
 *
 * When a context is made on all processes of the job, what the variables say
 * is compared with what MPI found; PAULIMPI_LOG=warn shows what does not fit.
 */

/**
 * Tell which launcher started this process.
 *
 * Known are those of Open MPI, MVAPICH, MPICH and Intel MPI (Hydra), HPE MPT,
 * PALS, ALPS, Flux, JSM, PMIx and Slurm. One that is not known can be made up
 * for by PAULIMPI_MPI=yes, which stands for "started by a launcher";
 * PAULIMPI_MPI=no stands for the reverse. An allocation in which nothing was
 * launched yet (the script of sbatch, the shell of salloc) is no launcher, and
 * neither is what a process of Open MPI without launcher sets for itself and
 * its children in MPI_Init. Under Torque and other PBS the launcher is that of
 * the MPI, whose variables count: PBS_TASKNUM and PBS_VNODENUM, which a job's
 * script has, too, tell nothing.
 *
 * @param variable_p  NULL, or set to the name of the environment variable that
 *                    decided, or to NULL if there is none; never freed
 * @return its name, never freed; NULL if no launcher started this process
 */
PAULIMPI_API const char *paulimpi_launcher(const char **variable_p);

/**
 * Tell the number of this process among those of the job on its node, from 0.
 * Read from the first of these variables that holds a number from 0 up, below
 * the number of processes where the launcher tells that, too:
 *
 *     PAULIMPI_LOCAL_RANK (with PAULIMPI_LOCAL_SIZE)
 *     OMPI_COMM_WORLD_LOCAL_RANK, MV2_COMM_WORLD_LOCAL_RANK, MPI_LOCALRANKID,
 *     PMI_LOCAL_RANK, PALS_LOCAL_RANKID, FLUX_TASK_LOCAL_ID,
 *     JSM_NAMESPACE_LOCAL_RANK, MPT_LRANK, LOCAL_RANK, SLURM_LOCALID
 *
 * Slurm's is the last because an mpirun within a step of one process hands
 * that process's number on to all of its own. What is no such number is passed
 * over with a sentence in the log.
 *
 * @param rank_p    set to the number; 0 if none of the variables is set
 * @param source_p  NULL, or set to the name of the variable, or to NULL if
 *                  there is none; never freed
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT for NULL, or if
 *         PAULIMPI_LOCAL_RANK or PAULIMPI_LOCAL_SIZE is no such number
 */
PAULIMPI_API int paulimpi_local_rank(int *rank_p, const char **source_p);

/**
 * Count the processes of the job on this node, as told by the launcher whose
 * variable paulimpi_local_rank() reads.
 *
 * @param size_p    set to the number, or to 0 if that launcher does not tell
 * @param source_p  as for paulimpi_local_rank()
 * @return as paulimpi_local_rank()
 */
PAULIMPI_API int paulimpi_local_size(int *size_p, const char **source_p);

/**
 * Choice of a device
 *
 * Where a node has several GPUs, each rank should take one of its own, near
 * its processors, before MPI_Init: many an MPI settles then on the device that
 * is current, and that is the first one in every process that did not choose.
 *
 *     int device;
 *
 *     paulimpi_device_bind(&device);
 *     MPI_Init(&argc, &argv);
 *     paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx);
 *     paulimpi_device_report(ctx, &text);
 */

/** How a device is chosen. */
enum {
    /** As the environment variable PAULIMPI_BIND says: nearest, round-robin,
     * block or none; nearest if it is not set. */
    PAULIMPI_BIND_AUTOMATIC = 0,
    /** One in the NUMA domain of the processors that the launcher gave this
     * process, if hwloc knows it and it is one; another one if those are taken
     * by other ranks of the job. No two ranks of a node have the same device
     * while there are enough, and with more ranks each device has as many of
     * them, to within one. */
    PAULIMPI_BIND_NEAREST = 1,
    /** Devices in turn: local rank modulo their number. */
    PAULIMPI_BIND_ROUND_ROBIN = 2,
    /** Devices in blocks: the first ranks have the first device, or, with
     * fewer ranks than devices, some are left out in between. In turn where
     * the number of ranks on the node is not known. */
    PAULIMPI_BIND_BLOCK = 3,
    /** None: the current device stays what it is. */
    PAULIMPI_BIND_NONE = 4
};

/**
 * Choose a device for this process and make it the calling thread's current
 * one, before MPI_Init. Local. Of the devices that CUDA shows the process, so
 * that CUDA_VISIBLE_DEVICES is respected; other devices are not touched. The
 * choice is made once in a process: later calls give the same device. After
 * MPI_Init it is made as well, and the log says that it is late.
 *
 * Ranks of a job find out which devices are taken by names of sockets that go
 * with the process, not by files. Ranks that are in containers with networks
 * of their own do not see each other's, and neither do those that were started
 * by a script each, with a launcher that does not name its jobs:
 * paulimpi_device_report() shows whether two have the same.
 *
 * @param device_p  NULL, or set to the device; to -1 if there is none, which
 *                  is no failure, or with PAULIMPI_BIND=none
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT for a variable PAULIMPI_BIND,
 *         PAULIMPI_LOCAL_RANK or PAULIMPI_LOCAL_SIZE that cannot be;
 *         PAULIMPI_ERR_DEVICE
 */
PAULIMPI_API int paulimpi_device_bind(int *device_p);

/**
 * The same, in a given way.
 *
 * @param policy  PAULIMPI_BIND_...
 * @return as paulimpi_device_bind(); PAULIMPI_ERR_ARGUMENT for another policy
 */
PAULIMPI_API int paulimpi_device_bind_by(int policy, int *device_p);

/**
 * Tell which rank works with which device: a line for each rank (node, local
 * rank and the variable that told it, device, UUID, PCI address, bound before
 * or after MPI_Init), then a line for everything that is wrong: ranks that use
 * the same device and why, ranks that did not choose or chose too late, a
 * launcher that gave other numbers than MPI. Collective.
 *
 * @param text_p  set to the text on rank 0 and to "" on the others, for
 *                paulimpi_text_destroy()
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT, also for a variable
 *         PAULIMPI_LOCAL_RANK that cannot be; PAULIMPI_ERR_MEMORY;
 *         PAULIMPI_ERR_MPI; PAULIMPI_ERR_REMOTE
 */
PAULIMPI_API int paulimpi_device_report(paulimpi_context *ctx, char **text_p);

#ifdef __cplusplus
}
#endif

#endif /* PAULIMPI_LAUNCH_H */
