# SPDX-License-Identifier: BSD-3-Clause
# serial 1
#
# PAULIMPI_LIB_HWLOC
# ------------------
# The shape of the node. Sets have_hwloc, why_hwloc, HWLOC_CFLAGS, HWLOC_LIBS,
# HWLOC_MODULE (for Requires.private) and defines HAVE_HWLOC.
AC_DEFUN([PAULIMPI_LIB_HWLOC],
[AC_ARG_WITH([hwloc],
  [AS_HELP_STRING([--with-hwloc@<:@=DIR@:>@],
    [hwloc 2 for the node topology, in DIR (default: where it is found)])],
  [], [with_hwloc=check])
HWLOC_MODULE=
have_hwloc=no
why_hwloc='switched off'
AS_IF([test "x$with_hwloc" != xno],
  [AS_CASE([$with_hwloc],
     [yes|check], [],
     [PKG_CONFIG_PATH="$with_hwloc/lib/pkgconfig:$with_hwloc/lib64/pkgconfig:$PKG_CONFIG_PATH"
      export PKG_CONFIG_PATH
      AS_IF([test -f "$with_hwloc/lib/pkgconfig/hwloc.pc" ||
             test -f "$with_hwloc/lib64/pkgconfig/hwloc.pc"], [],
        [AC_MSG_ERROR([--with-hwloc=$with_hwloc: there is no lib/pkgconfig/hwloc.pc.
Name the folder that hwloc 2 was installed in, or install it (Debian:
libhwloc-dev; Fedora: hwloc-devel) and give --with-hwloc alone.])])])
   PKG_CHECK_MODULES([HWLOC], [hwloc >= 2.0], [_PAULIMPI_TRY_HWLOC],
     [why_hwloc=${HWLOC_PKG_ERRORS:-not found}
      why_hwloc=`AS_ECHO(["$why_hwloc"]) | sed q`])
   AS_IF([test "x$with_hwloc" != xcheck && test "x$have_hwloc" = xno],
     [AC_MSG_ERROR([--with-hwloc was given, but hwloc 2 was not found: $why_hwloc.
Install it (Debian: libhwloc-dev; Fedora: hwloc-devel), or say where it is:
--with-hwloc=DIR.])])])
AS_IF([test "x$have_hwloc" = xyes],
  [HWLOC_MODULE=hwloc
   AC_DEFINE([HAVE_HWLOC], [1], [Define to 1 if hwloc is used.])],
  [HWLOC_CFLAGS=
   HWLOC_LIBS=])
AC_SUBST([HWLOC_MODULE])
])

# _PAULIMPI_TRY_HWLOC
# -------------------
AC_DEFUN([_PAULIMPI_TRY_HWLOC],
[paulimpi_save_CFLAGS=$CFLAGS
paulimpi_save_LIBS=$LIBS
CFLAGS="$CFLAGS $HWLOC_CFLAGS"
LIBS="$HWLOC_LIBS $LIBS"
AC_CACHE_CHECK([whether hwloc links], [paulimpi_cv_hwloc],
  [AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <hwloc.h>]],
     [[hwloc_topology_t topology;
return hwloc_topology_init(&topology);]])],
     [paulimpi_cv_hwloc=yes], [paulimpi_cv_hwloc=no])])
CFLAGS=$paulimpi_save_CFLAGS
LIBS=$paulimpi_save_LIBS
have_hwloc=$paulimpi_cv_hwloc
AS_IF([test "x$have_hwloc" = xyes],
  [why_hwloc="version `"$PKG_CONFIG" --modversion hwloc 2>/dev/null`"],
  [why_hwloc='it does not link, see config.log'])
])
