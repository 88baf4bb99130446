# SPDX-License-Identifier: BSD-3-Clause
# serial 1
#
# PAULIMPI_CHECK_MPI_GPU
# ----------------------
# What the MPI says of memory of GPUs where it is compiled against. Nothing is
# run, and nothing is decided: these are hints, of this machine, for the
# library to ask again where it runs. Defines HAVE_MPI_EXT_H,
# HAVE_MPIX_QUERY_CUDA_SUPPORT, HAVE_MPIX_GPU_QUERY_SUPPORT,
# PAULIMPI_MPI_GPU_MACRO (-1 if there is no macro, else its value) and
# PAULIMPI_MPI_GPU_WHY. Sets mpi_gpu and why_mpi_gpu for the summary.
#
# The header and the extension are there in builds of Open MPI without CUDA,
# too, and the macro may be defined as 0: only its value counts.
AC_DEFUN([PAULIMPI_CHECK_MPI_GPU],
[AC_CACHE_CHECK([for mpi-ext.h], [paulimpi_cv_mpi_ext],
  [AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#include <mpi-ext.h>]])],
     [paulimpi_cv_mpi_ext=yes], [paulimpi_cv_mpi_ext=no])])
paulimpi_mpi_ext=
AS_IF([test "x$paulimpi_cv_mpi_ext" = xyes],
  [paulimpi_mpi_ext='#include <mpi-ext.h>'
   AC_DEFINE([HAVE_MPI_EXT_H], [1],
     [Define to 1 if MPI has the header mpi-ext.h.])])
AC_CACHE_CHECK([for the value of MPIX_CUDA_AWARE_SUPPORT],
  [paulimpi_cv_mpi_gpu_macro],
  [paulimpi_cv_mpi_gpu_macro=none
   for paulimpi_value in 0 1; do
     AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
$paulimpi_mpi_ext
#ifndef MPIX_CUDA_AWARE_SUPPORT
#error "not defined"
#endif
_Static_assert((MPIX_CUDA_AWARE_SUPPORT != 0) == $paulimpi_value, "");]])],
       [paulimpi_cv_mpi_gpu_macro=$paulimpi_value])
   done])
AC_CACHE_CHECK([for MPIX_Query_cuda_support], [paulimpi_cv_mpi_query_cuda],
  [AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
$paulimpi_mpi_ext]], [[return MPIX_Query_cuda_support();]])],
     [paulimpi_cv_mpi_query_cuda=yes], [paulimpi_cv_mpi_query_cuda=no])])
AC_CACHE_CHECK([for MPIX_GPU_query_support], [paulimpi_cv_mpi_query_gpu],
  [AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
$paulimpi_mpi_ext]], [[int answer;
return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &answer);]])],
     [paulimpi_cv_mpi_query_gpu=yes], [paulimpi_cv_mpi_query_gpu=no])])
AS_IF([test "x$paulimpi_cv_mpi_query_cuda" = xyes],
  [AC_DEFINE([HAVE_MPIX_QUERY_CUDA_SUPPORT], [1],
     [Define to 1 if MPI has MPIX_Query_cuda_support().])])
AS_IF([test "x$paulimpi_cv_mpi_query_gpu" = xyes],
  [AC_DEFINE([HAVE_MPIX_GPU_QUERY_SUPPORT], [1],
     [Define to 1 if MPI has MPIX_GPU_query_support().])])

AS_CASE([$paulimpi_cv_mpi_gpu_macro],
  [0|1],
    [paulimpi_value=$paulimpi_cv_mpi_gpu_macro
     why_mpi_gpu="MPIX_CUDA_AWARE_SUPPORT is $paulimpi_value"],
  [paulimpi_value=-1
   why_mpi_gpu='there is no MPIX_CUDA_AWARE_SUPPORT'])
AS_CASE([$paulimpi_value],
  [0], [mpi_gpu=no],
  [1], [mpi_gpu=yes],
  [mpi_gpu=unknown])
AS_CASE([$paulimpi_cv_mpi_query_cuda$paulimpi_cv_mpi_query_gpu],
  [nono], [why_mpi_gpu="$why_mpi_gpu, and no function to ask"],
  [yesno], [why_mpi_gpu="$why_mpi_gpu, asked again at run time"],
  [why_mpi_gpu="$why_mpi_gpu, asked at run time"])
AC_DEFINE_UNQUOTED([PAULIMPI_MPI_GPU_MACRO], [($paulimpi_value)],
  [Define to the value of MPIX_CUDA_AWARE_SUPPORT, or to -1.])
AC_DEFINE_UNQUOTED([PAULIMPI_MPI_GPU_WHY], ["$mpi_gpu, $why_mpi_gpu"],
  [Define to what configure found of MPI and memory of GPUs.])
])
