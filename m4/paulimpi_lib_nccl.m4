# SPDX-License-Identifier: BSD-3-Clause
# serial 1
#
# Messages between GPUs by NCCL: off unless asked for, and only with CUDA.

# PAULIMPI_NCCL_ARGUMENTS
# -----------------------
# After PAULIMPI_CUDA_ARGUMENTS: what the user wants, refused early where it
# cannot be.
AC_DEFUN([PAULIMPI_NCCL_ARGUMENTS],
[AC_ARG_WITH([nccl],
  [AS_HELP_STRING([--with-nccl@<:@=DIR@:>@],
    [messages between GPUs by NCCL 2.14 or newer, in DIR, with --with-cuda
     (default: no)])],
  [], [with_nccl=no])
AS_IF([test "x$with_nccl" != xno && test "x$with_cuda" = xno],
  [AC_MSG_ERROR([--with-nccl was given, but not --with-cuda, which it needs.
Add --with-cuda, or --with-cuda=DIR, or leave --with-nccl out.])])
AS_CASE([$with_nccl],
  [yes|no], [],
  [AS_IF([test -f "$with_nccl/include/nccl.h"], [],
     [AC_MSG_ERROR([--with-nccl=$with_nccl: there is no include/nccl.h.
Name the folder that NCCL was installed in, or install it (the package
libnccl-dev, or libnccl-devel, of NVIDIA) and give --with-nccl alone.])])])
])

# PAULIMPI_LIB_NCCL
# -----------------
# After PAULIMPI_LIB_CUDA. Sets have_nccl, why_nccl, NCCL_CFLAGS, NCCL_LIBS,
# NCCL_LDFLAGS and, for Libs.private, NCCL_PRIVATE_LIBS. Defines HAVE_NCCL.
AC_DEFUN([PAULIMPI_LIB_NCCL],
[have_nccl=no
why_nccl='not asked for'
NCCL_CFLAGS=
NCCL_LIBS=
NCCL_LDFLAGS=
NCCL_PRIVATE_LIBS=
AS_IF([test "x$with_nccl" != xno], [_PAULIMPI_TRY_NCCL])
AC_SUBST([NCCL_CFLAGS])
AC_SUBST([NCCL_LIBS])
AC_SUBST([NCCL_LDFLAGS])
AC_SUBST([NCCL_PRIVATE_LIBS])
AM_CONDITIONAL([HAVE_NCCL], [test "x$have_nccl" = xyes])
])

# _PAULIMPI_TRY_NCCL
# ------------------
# Version 2.14 is the first whose communicators need not block.
AC_DEFUN([_PAULIMPI_TRY_NCCL],
[NCCL_PRIVATE_LIBS=-lnccl
NCCL_LIBS=-lnccl
AS_CASE([$with_nccl],
  [yes|/usr], [],
  [NCCL_CFLAGS="-isystem $with_nccl/include"
   for paulimpi_dir in lib64 lib; do
     AS_IF([test -f "$with_nccl/$paulimpi_dir/libnccl.so"],
       [NCCL_LIBS="-L$with_nccl/$paulimpi_dir -lnccl"
        NCCL_LDFLAGS="-Wl,-rpath,$with_nccl/$paulimpi_dir"
        break])
   done])
paulimpi_save_CPPFLAGS=$CPPFLAGS
paulimpi_save_LIBS=$LIBS
CPPFLAGS="$NCCL_CFLAGS $CUDA_CFLAGS $CPPFLAGS"
LIBS="$NCCL_LIBS $CUDA_LIBS $LIBS"
AC_CACHE_CHECK([whether NCCL 2.14 links], [paulimpi_cv_nccl],
  [AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <nccl.h>
#if NCCL_VERSION_CODE < NCCL_VERSION(2, 14, 0)
#error "older than NCCL 2.14"
#endif]], [[ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
ncclUniqueId id = { { 0 } };
ncclComm_t comm;
config.blocking = 0;
return ncclCommInitRankConfig(&comm, 1, id, 0, &config) == ncclSuccess;]])],
    [paulimpi_cv_nccl=yes], [paulimpi_cv_nccl=no])])
AS_IF([test "x$paulimpi_cv_nccl" = xyes],
  [AC_CACHE_CHECK([for the version of NCCL], [paulimpi_cv_nccl_version],
     [AC_COMPUTE_INT([paulimpi_cv_nccl_version], [NCCL_VERSION_CODE],
        [[#include <nccl.h>]], [paulimpi_cv_nccl_version=0])])])
CPPFLAGS=$paulimpi_save_CPPFLAGS
LIBS=$paulimpi_save_LIBS
AS_IF([test "x$paulimpi_cv_nccl" = xno],
  [AC_MSG_ERROR([--with-nccl was given, but NCCL 2.14 or newer does not compile and link,
see config.log. Install it (the package libnccl-dev, or libnccl-devel, of
NVIDIA), or say where it is: --with-nccl=DIR.])])
have_nccl=yes
paulimpi_major=`expr $paulimpi_cv_nccl_version / 10000`
paulimpi_minor=`expr $paulimpi_cv_nccl_version % 10000 / 100`
why_nccl="$paulimpi_major.$paulimpi_minor"
AS_CASE([$with_nccl], [yes], [], [why_nccl="$why_nccl in $with_nccl"])
AC_DEFINE([HAVE_NCCL], [1], [Define to 1 if NCCL is used.])
])
