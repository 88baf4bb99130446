# SPDX-License-Identifier: BSD-3-Clause
# serial 1
#
# GPUs by CUDA: off unless asked for. The driver is never linked, so that the
# library loads on machines without one, and nothing of CUDA is run here.

# PAULIMPI_CUDA_ARGUMENTS
# -----------------------
# What the user wants, refused early where it cannot be.
AC_DEFUN([PAULIMPI_CUDA_ARGUMENTS],
[AC_ARG_WITH([cuda],
  [AS_HELP_STRING([--with-cuda@<:@=DIR@:>@],
    [GPUs by CUDA 12 or newer, in DIR (default: no)])],
  [], [with_cuda=no])
AC_ARG_WITH([cudart],
  [AS_HELP_STRING([--with-cudart=KIND],
    [which runtime of CUDA to link: shared or static @<:@shared@:>@])],
  [paulimpi_cuda_detail=--with-cudart], [with_cudart=shared])
AC_ARG_WITH([cuda-arch],
  [AS_HELP_STRING([--with-cuda-arch=LIST],
    [devices that kernels are compiled for: 80,90; native; all-major; no: there
     are no kernels @<:@all-major@:>@])],
  [paulimpi_cuda_detail=--with-cuda-arch], [with_cuda_arch=default])
AC_ARG_VAR([NVCC], [compiler of CUDA, for kernels])
AC_ARG_VAR([NVCCFLAGS], [flags for NVCC])
AS_IF([test "x$with_cuda" = xno && test -n "$paulimpi_cuda_detail"],
  [AC_MSG_ERROR([$paulimpi_cuda_detail was given, but not --with-cuda.
Add --with-cuda, or --with-cuda=DIR, or leave $paulimpi_cuda_detail out.])])
AS_CASE([$with_cudart], [shared|static], [],
  [AC_MSG_ERROR([--with-cudart=$with_cudart: say shared or static])])
])

# PAULIMPI_LIB_CUDA
# -----------------
# Sets have_cuda, why_cuda, CUDA_CFLAGS, CUDA_LIBS, CUDA_LDFLAGS, for
# Libs.private CUDA_PRIVATE_LIBS, and CUDA_RUNTIME, the name of the shared
# runtime, in whose place tests put a mock (empty: they cannot). Defines
# HAVE_CUDA. Of the kernels: have_kernels, why_kernels, NVCC, NVCC_ARCH; defines
# HAVE_CUDA_KERNELS.
AC_DEFUN([PAULIMPI_LIB_CUDA],
[have_cuda=no
have_kernels=no
why_kernels='they need --with-cuda'
NVCC_ARCH=
CUDA_CFLAGS=
CUDA_LIBS=
CUDA_LDFLAGS=
CUDA_PRIVATE_LIBS=
CUDA_RUNTIME=
_PAULIMPI_FIND_CUDA
AS_IF([test "x$with_cuda" != xno],
  [_PAULIMPI_TRY_CUDA
   _PAULIMPI_CUDA_RUNTIME
   _PAULIMPI_CUDA_KERNELS],
  [test "x$cuda_dir" != x],
  [why_cuda="not asked for: --with-cuda takes the one in $cuda_dir"],
  [why_cuda='not asked for'])
AC_SUBST([CUDA_CFLAGS])
AC_SUBST([CUDA_LIBS])
AC_SUBST([CUDA_LDFLAGS])
AC_SUBST([CUDA_PRIVATE_LIBS])
AC_SUBST([CUDA_RUNTIME])
AC_SUBST([NVCC_ARCH])
AM_CONDITIONAL([HAVE_CUDA_KERNELS], [test "x$have_kernels" = xyes])
AM_CONDITIONAL([HAVE_CUDA], [test "x$have_cuda" = xyes])
AM_CONDITIONAL([HAVE_CUDA_MOCK], [test "x$CUDA_RUNTIME" != x])
])

# _PAULIMPI_FIND_CUDA
# -------------------
# Set cuda_dir to the folder of the toolkit: the one that was named, else those
# of CUDA_HOME, CUDA_PATH and nvcc, else the usual one.
AC_DEFUN([_PAULIMPI_FIND_CUDA],
[cuda_dir=
paulimpi_nvcc=`command -v nvcc`
AS_IF([test -n "$paulimpi_nvcc"],
  [paulimpi_nvcc=`readlink -f "$paulimpi_nvcc"`
   paulimpi_nvcc=`AS_ECHO(["$paulimpi_nvcc"]) | sed 's,/bin/nvcc$,,'`])
AS_CASE([$with_cuda],
  [yes|no],
    [for paulimpi_dir in "$CUDA_HOME" "$CUDA_PATH" "$paulimpi_nvcc" \
       /usr/local/cuda; do
       AS_IF([test -f "$paulimpi_dir/include/cuda_runtime_api.h"],
         [cuda_dir=$paulimpi_dir
          break])
     done],
  [cuda_dir=$with_cuda
   AS_IF([test -f "$cuda_dir/include/cuda_runtime_api.h"], [],
     [AC_MSG_ERROR([--with-cuda=$with_cuda: there is no include/cuda_runtime_api.h.
Name the folder that CUDA 12 or newer was installed in, or install it (Debian:
nvidia-cuda-toolkit; others: the package of NVIDIA).])])])
])

# _PAULIMPI_TRY_CUDA
# ------------------
AC_DEFUN([_PAULIMPI_TRY_CUDA],
[AS_IF([test "x$with_cudart" = xstatic],
  [paulimpi_library=libcudart_static.a
   CUDA_PRIVATE_LIBS='-lcudart_static -lrt -lpthread -ldl'],
  [paulimpi_library=libcudart.so
   CUDA_PRIVATE_LIBS=-lcudart])
CUDA_LIBS=$CUDA_PRIVATE_LIBS
AS_CASE([$cuda_dir],
  [''|/usr], [],
  [CUDA_CFLAGS="-isystem $cuda_dir/include"
   for paulimpi_dir in lib64 lib targets/$host_cpu-linux/lib; do
     AS_IF([test -f "$cuda_dir/$paulimpi_dir/$paulimpi_library"],
       [CUDA_LIBS="-L$cuda_dir/$paulimpi_dir $CUDA_LIBS"
        AS_IF([test "x$with_cudart" = xshared],
          [CUDA_LDFLAGS="-Wl,-rpath,$cuda_dir/$paulimpi_dir"])
        break])
   done])
paulimpi_save_CPPFLAGS=$CPPFLAGS
paulimpi_save_LIBS=$LIBS
CPPFLAGS="$CUDA_CFLAGS $CPPFLAGS"
LIBS="$CUDA_LIBS $LIBS"
AC_CACHE_CHECK([whether the $with_cudart runtime of CUDA 12 links],
  [paulimpi_cv_cuda],
  [AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <cuda.h>
#include <cuda_runtime_api.h>
#if CUDART_VERSION < 12000
#error "older than CUDA 12"
#endif]], [[int n = 0;
return cudaGetDeviceCount(&n) == cudaSuccess;]])],
    [paulimpi_cv_cuda=yes], [paulimpi_cv_cuda=no])])
AS_IF([test "x$paulimpi_cv_cuda" = xyes],
  [AC_CACHE_CHECK([for the version of CUDA], [paulimpi_cv_cuda_version],
     [AC_COMPUTE_INT([paulimpi_cv_cuda_version], [CUDART_VERSION],
        [[#include <cuda_runtime_api.h>]], [paulimpi_cv_cuda_version=0])])])
CPPFLAGS=$paulimpi_save_CPPFLAGS
LIBS=$paulimpi_save_LIBS
AS_IF([test "x$paulimpi_cv_cuda" = xno],
  [AC_MSG_ERROR([--with-cuda was given, but the $with_cudart runtime of CUDA 12 or newer does not
compile and link${cuda_dir:+ from $cuda_dir}, see config.log. Install it (Debian: nvidia-cuda-toolkit;
others: the package of NVIDIA), or say where it is: --with-cuda=DIR.])])
])

# _PAULIMPI_CUDA_RUNTIME
# ----------------------
# Use what was found. A folder named in LD_LIBRARY_PATH must win over the one
# that is remembered: tests put a mock there.
AC_DEFUN([_PAULIMPI_CUDA_RUNTIME],
[have_cuda=yes
AS_IF([test -n "$CUDA_LDFLAGS"],
  [PAULIMPI_CHECK_LDFLAG([-Wl,--enable-new-dtags], [CUDA_LDFLAGS])])
paulimpi_major=`expr $paulimpi_cv_cuda_version / 1000`
paulimpi_minor=`expr $paulimpi_cv_cuda_version % 1000 / 10`
AS_IF([test "x$with_cudart" = xshared],
  [CUDA_RUNTIME=libcudart.so.$paulimpi_major])
why_cuda="$paulimpi_major.$paulimpi_minor${cuda_dir:+ in $cuda_dir}, runtime $with_cudart"
AC_DEFINE([HAVE_CUDA], [1], [Define to 1 if CUDA is used.])
])

# _PAULIMPI_CUDA_KERNELS
# ----------------------
# Kernels need the compiler of CUDA, and work without it is what the library
# does, only slower: so it must be there only for who names devices.
AC_DEFUN([_PAULIMPI_CUDA_KERNELS],
[AS_CASE([$with_cuda_arch],
  [no], [why_kernels='switched off: --without-cuda-arch'],
  [_PAULIMPI_FIND_NVCC
   _PAULIMPI_CUDA_ARCH
   _PAULIMPI_TRY_NVCC])
AS_IF([test "x$have_kernels" = xyes],
  [AC_DEFINE([HAVE_CUDA_KERNELS], [1],
     [Define to 1 if kernels for devices are compiled.])],
  [test "x$with_cuda_arch" != xno && test "x$with_cuda_arch" != xdefault],
  [AC_MSG_ERROR([--with-cuda-arch=$with_cuda_arch was given, but $why_kernels.
Install nvcc (Debian: nvidia-cuda-toolkit; others: the package of NVIDIA), say
where it is (NVCC=...), name other devices, or leave --with-cuda-arch out.])])
])

# _PAULIMPI_FIND_NVCC
# -------------------
# The user's NVCC, else that of the toolkit.
AC_DEFUN([_PAULIMPI_FIND_NVCC],
[AS_IF([test -z "$NVCC"],
  [AS_IF([test -x "$cuda_dir/bin/nvcc"], [NVCC=$cuda_dir/bin/nvcc],
     [NVCC=`command -v nvcc`])])
])

# _PAULIMPI_CUDA_ARCH
# -------------------
# Set NVCC_ARCH to options for the list. The code for the last one comes in the
# form, too, that drivers compile for younger devices.
AC_DEFUN([_PAULIMPI_CUDA_ARCH],
[AS_CASE([$with_cuda_arch],
  [default|yes|all-major], [NVCC_ARCH=-arch=all-major],
  [all|native], [NVCC_ARCH=-arch=$with_cuda_arch],
  [*@<:@!0-9a-z,@:>@*|''|,*|*,|*,,*|@<:@!0-9@:>@*],
    [AC_MSG_ERROR([--with-cuda-arch=$with_cuda_arch: say which devices, such as
80,90 for compute capability 8.0 and 9.0; or native, all-major, all or no])],
  [for paulimpi_arch in `AS_ECHO(["$with_cuda_arch"]) | tr , ' '`; do
     NVCC_ARCH="$NVCC_ARCH -gencode arch=compute_$paulimpi_arch,code=sm_$paulimpi_arch"
   done
   NVCC_ARCH="$NVCC_ARCH -gencode arch=compute_$paulimpi_arch,code=compute_$paulimpi_arch"])
NVCC_ARCH="$NVCC_ARCH -Wno-deprecated-gpu-targets -Xfatbin -compress-all"
])

# _PAULIMPI_TRY_NVCC
# ------------------
# It is compiled for devices alone, but nvcc wants a C++ compiler for that, too.
AC_DEFUN([_PAULIMPI_TRY_NVCC],
[AS_IF([test -n "$NVCC"],
  [AC_CACHE_CHECK([whether $NVCC makes kernels], [paulimpi_cv_nvcc],
     [AS_ECHO(['extern "C" __global__ void k(int *p) { *p = 1; }']) >conftest.cu
      AS_IF([$NVCC $NVCC_ARCH $NVCCFLAGS -fatbin -o conftest.fatbin conftest.cu \
               >&AS_MESSAGE_LOG_FD 2>&1],
        [paulimpi_cv_nvcc=yes], [paulimpi_cv_nvcc=no])
      rm -f conftest.cu conftest.fatbin])
   have_kernels=$paulimpi_cv_nvcc
   AS_IF([test "x$have_kernels" = xyes],
     [AS_CASE([$with_cuda_arch],
        [default|yes], [why_kernels=all-major],
        [why_kernels=$with_cuda_arch])],
     [why_kernels="$NVCC does not compile them, see config.log"])],
  [why_kernels="there is no nvcc${cuda_dir:+ in $cuda_dir/bin or the path}"])
])
