# SPDX-License-Identifier: BSD-3-Clause
# serial 1
#
# PAULIMPI_SUMMARY
# ----------------
# Say what was found and why, and what to type next.
AC_DEFUN([PAULIMPI_SUMMARY],
[AS_IF([test "x$have_fortran" = xyes], [why_fortran=$FC])
AS_IF([test "x$have_fortran" = xyes && test "x$paulimpi_cv_fc_arrays" = xno],
  [why_fortran="$FC; without message(array)"])
AS_IF([test -n "$MPIEXEC"],
  [paulimpi_launcher=$MPIEXEC],
  [paulimpi_launcher='none: tests on several ranks will skip'])
AS_ECHO(["
$PACKAGE_NAME $PACKAGE_VERSION

  installs to        $prefix
  C compiler         $CC $CFLAGS
  MPI                $PAULIMPI_MPI_FAMILY_TEXT
  GPU-aware MPI      $mpi_gpu ($why_mpi_gpu)
  launcher           $paulimpi_launcher
  libraries          shared: $enable_shared, static: $enable_static

  Fortran            $have_fortran ($why_fortran)
  OpenMP             $have_openmp ($why_openmp)
  hwloc              $have_hwloc ($why_hwloc)
  HDF5               $have_hdf5 ($why_hdf5)
  CUDA               $have_cuda ($why_cuda)
  CUDA kernels       $have_kernels ($why_kernels)
  NCCL               $have_nccl ($why_nccl)
  SIMD               $have_simd ($why_simd)
  debug              $enable_debug

Now type: make && make check && make install
"])
])
