# SPDX-License-Identifier: BSD-3-Clause
#
# A recipe for Spack, to be copied into a repository of recipes when there is a
# released tarball; then url and the checksum of the version are added.

from spack.package import *


class Libpaulimpi(AutotoolsPackage):
    """Pauli propagation of quantum circuits. A library in C and Fortran, and
    a command, that work with threads and with MPI."""

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("fortran", default=True, description="Build the Fortran library")
    variant("hdf5", default=False, description="Files in HDF5")
    variant("hwloc", default=True, description="Use hwloc for node topology")
    variant("openmp", default=True, description="Use threads within a rank")
    variant("shared", default=True, description="Build shared libraries")

    depends_on("c", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("pkgconfig", type="build")
    with when("@main"):
        depends_on("autoconf@2.71:", type="build")
        depends_on("automake@1.16:", type="build")
        depends_on("libtool", type="build")
        depends_on("m4", type="build")
    depends_on("mpi@3:", type=("build", "link", "run"))
    depends_on("hdf5+mpi", type=("build", "link"), when="+hdf5")
    depends_on("hwloc@2:", type=("build", "link"), when="+hwloc")

    build_directory = "spack-build"

    def configure_args(self):
        args = ["CC=" + self.spec["mpi"].mpicc]
        if self.spec.satisfies("+fortran"):
            args.append("FC=" + self.spec["mpi"].mpifc)
        args += self.enable_or_disable("fortran")
        args += self.enable_or_disable("openmp")
        args += self.enable_or_disable("shared")
        args.append(
            "--enable-static"
            if self.spec.satisfies("~shared")
            else "--disable-static"
        )
        args += self.with_or_without("hdf5", activation_value="prefix")
        args += self.with_or_without("hwloc", activation_value="prefix")
        # Build machines have no launcher; tests on one rank still run.
        args.append("MPIEXEC=")
        return args
