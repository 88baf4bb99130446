# SPDX-License-Identifier: BSD-3-Clause
# serial 1
#
# PAULIMPI_OPENMP
# ---------------
# Threads within a rank. Sets have_openmp, why_openmp, OPENMP_CFLAGS and
# defines HAVE_OPENMP.
AC_DEFUN([PAULIMPI_OPENMP],
[AC_ARG_ENABLE([openmp],
  [AS_HELP_STRING([--disable-openmp],
    [one thread a rank (default: OpenMP where CC has it)])],
  [], [enable_openmp=check])
OPENMP_CFLAGS=
have_openmp=no
why_openmp='switched off'
AS_IF([test "x$enable_openmp" != xno],
  [AC_CACHE_CHECK([for the OpenMP flag of $CC], [paulimpi_cv_openmp],
     [paulimpi_cv_openmp=none
      paulimpi_save_CFLAGS=$CFLAGS
      for paulimpi_flag in -fopenmp -qopenmp -mp; do
        CFLAGS="$paulimpi_save_CFLAGS $paulimpi_flag"
        AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <omp.h>
#ifndef _OPENMP
#error "no OpenMP"
#endif]], [[return omp_get_max_threads();]])],
          [paulimpi_cv_openmp=$paulimpi_flag
           break])
      done
      CFLAGS=$paulimpi_save_CFLAGS])
   AS_IF([test "x$paulimpi_cv_openmp" = xnone],
     [why_openmp="$CC has none"],
     [have_openmp=yes
      why_openmp=$paulimpi_cv_openmp
      OPENMP_CFLAGS=$paulimpi_cv_openmp
      AC_DEFINE([HAVE_OPENMP], [1], [Define to 1 if OpenMP is used.])])
   AS_IF([test "x$enable_openmp" = xyes && test "x$have_openmp" = xno],
     [AC_MSG_ERROR([--enable-openmp was given, but CC=$CC does not link OpenMP.
With GCC it comes with the compiler (Debian: gcc; Fedora: gcc libgomp), with
Clang in a package of its own (Debian: libomp-dev; Fedora: libomp-devel).])])])
AC_SUBST([OPENMP_CFLAGS])
])
