# SPDX-License-Identifier: BSD-3-Clause
# serial 1
#
# PAULIMPI_LIB_HDF5
# -----------------
# Files in HDF5: off unless asked for. A parallel HDF5 must be one for the MPI
# of CC; a serial one is fine. Sets have_hdf5, why_hdf5, HDF5_CFLAGS,
# HDF5_LIBS, for the .pc file HDF5_MODULE or HDF5_PRIVATE_LIBS, and defines
# HAVE_HDF5.
AC_DEFUN([PAULIMPI_LIB_HDF5],
[AC_ARG_WITH([hdf5],
  [AS_HELP_STRING([--with-hdf5@<:@=DIR@:>@],
    [files in HDF5, in DIR (default: no)])],
  [], [with_hdf5=no])
HDF5_CFLAGS=
HDF5_LIBS=
HDF5_MODULE=
HDF5_PRIVATE_LIBS=
have_hdf5=no
why_hdf5='not asked for'
AS_IF([test "x$with_hdf5" != xno],
  [_PAULIMPI_HDF5_PACKAGES
   _PAULIMPI_FIND_HDF5
   AS_IF([test "x$have_hdf5" = xno],
     [AC_MSG_ERROR([--with-hdf5 was given, but no HDF5 for this MPI was found: $why_hdf5.
Install one ($paulimpi_packages), say where it is,
--with-hdf5=DIR, or leave --with-hdf5 out.])])
   AC_DEFINE([HAVE_HDF5], [1], [Define to 1 if HDF5 is used.])])
AC_SUBST([HDF5_CFLAGS])
AC_SUBST([HDF5_LIBS])
AC_SUBST([HDF5_MODULE])
AC_SUBST([HDF5_PRIVATE_LIBS])
AM_CONDITIONAL([HAVE_HDF5], [test "x$have_hdf5" = xyes])
])

AC_DEFUN([_PAULIMPI_HDF5_PACKAGES],
[AS_CASE([$PAULIMPI_MPI_FAMILY],
  [OPENMPI], [paulimpi_packages='Debian: libhdf5-openmpi-dev; Fedora: hdf5-openmpi-devel'
              paulimpi_modules='hdf5-openmpi hdf5'],
  [MPICH], [paulimpi_packages='Debian: libhdf5-mpich-dev; Fedora: hdf5-mpich-devel'
            paulimpi_modules='hdf5-mpich hdf5'],
  [paulimpi_packages='Debian: libhdf5-dev; Fedora: hdf5-devel'
   paulimpi_modules=hdf5])
])

# _PAULIMPI_FIND_HDF5
# -------------------
# In the folder that was named; else by the modules of pkg-config, that of the
# MPI first, and then where the compiler looks.
AC_DEFUN([_PAULIMPI_FIND_HDF5],
[why_hdf5='not found'
AS_CASE([$with_hdf5],
  [yes],
    [for paulimpi_module in $paulimpi_modules; do
       AS_IF([test "x$have_hdf5" = xno && test -n "$PKG_CONFIG" &&
              "$PKG_CONFIG" --exists $paulimpi_module 2>/dev/null],
         [HDF5_CFLAGS=`"$PKG_CONFIG" --cflags $paulimpi_module`
          HDF5_LIBS=`"$PKG_CONFIG" --libs-only-L $paulimpi_module`" -lhdf5"
          _PAULIMPI_TRY_HDF5([of pkg-config's $paulimpi_module])
          AS_IF([test "x$have_hdf5" = xyes], [HDF5_MODULE=$paulimpi_module])])
     done
     AS_IF([test "x$have_hdf5" = xno],
       [HDF5_CFLAGS=
        HDF5_LIBS=-lhdf5
        _PAULIMPI_TRY_HDF5([that the compiler finds])])],
  [AS_IF([test -f "$with_hdf5/include/hdf5.h"], [],
     [AC_MSG_ERROR([--with-hdf5=$with_hdf5: there is no include/hdf5.h.
Name the folder that HDF5 was installed in, or install it
($paulimpi_packages)
and give --with-hdf5 alone.])])
   HDF5_CFLAGS="-I$with_hdf5/include"
   HDF5_LIBS="-L$with_hdf5/lib -lhdf5"
   AS_IF([test -d "$with_hdf5/lib64"],
     [HDF5_LIBS="-L$with_hdf5/lib64 $HDF5_LIBS"])
   _PAULIMPI_TRY_HDF5([in $with_hdf5])])
AS_IF([test -z "$HDF5_MODULE" && test "x$have_hdf5" = xyes],
  [HDF5_PRIVATE_LIBS=$HDF5_LIBS])
])

# _PAULIMPI_TRY_HDF5(WHICH)
# -------------------------
# Whether HDF5_CFLAGS and HDF5_LIBS make a program. A failure is the reason
# that is told if nothing works, unless a better one is known.
AC_DEFUN([_PAULIMPI_TRY_HDF5],
[paulimpi_save_CPPFLAGS=$CPPFLAGS
paulimpi_save_LDFLAGS=$LDFLAGS
paulimpi_save_LIBS=$LIBS
CPPFLAGS="$CPPFLAGS $HDF5_CFLAGS"
LIBS="$HDF5_LIBS $LIBS"
LDFLAGS="$LDFLAGS -Wl,-t"
AC_MSG_CHECKING([whether the HDF5 $1 links])
paulimpi_hdf5=no
paulimpi_kind=serial
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <hdf5.h>
#if !H5_VERSION_GE(1, 8, 12)
#error "older than HDF5 1.8.12"
#endif]], [[unsigned a, b, c;
return H5get_libversion(&a, &b, &c);]])],
  [paulimpi_hdf5=yes
   _PAULIMPI_HDF5_FAMILY])
AS_IF([test "x$paulimpi_hdf5" = xyes],
  [AC_PREPROC_IFELSE([AC_LANG_SOURCE([[#include <H5pubconf.h>
#ifndef H5_HAVE_PARALLEL
#error "serial"
#endif]])], [paulimpi_kind=parallel])])
CPPFLAGS=$paulimpi_save_CPPFLAGS
LDFLAGS=$paulimpi_save_LDFLAGS
LIBS=$paulimpi_save_LIBS
AS_CASE([$paulimpi_hdf5],
  [yes],
    [AC_MSG_RESULT([yes, $paulimpi_kind])
     have_hdf5=yes
     why_hdf5="$paulimpi_kind, $1"],
  [no],
    [AC_MSG_RESULT([no])
     AS_IF([test "x$why_hdf5" = 'xnot found'],
       [why_hdf5='none compiles and links, see config.log'])],
  [AC_MSG_RESULT([no, it was built for $paulimpi_hdf5])
   why_hdf5="$paulimpi_file was built for $paulimpi_hdf5, but CC=$CC is of $PAULIMPI_MPI_FAMILY_TEXT"])
])

# _PAULIMPI_HDF5_FAMILY
# ---------------------
# Set paulimpi_hdf5 to the MPI that the library was built for if that is not
# CC's. Nothing is run: the linker tells which file it took, and that names
# what it wants of Open MPI, or of MPI at all.
AC_DEFUN([_PAULIMPI_HDF5_FAMILY],
[$CC $CFLAGS $CPPFLAGS conftest.$ac_ext $LDFLAGS $LIBS -o conftest.traced >conftest.trace 2>&1
paulimpi_file=`$SED -n 's,^[[^/]]*\(/.*libhdf5[[^/]]*\.\(so\|a\)[[^/ )]]*\).*,\1,p' conftest.trace | $SED 1q`
AS_IF([test -f "$paulimpi_file"],
  [{ $NM -D "$paulimpi_file"; $NM "$paulimpi_file"; } >conftest.names 2>/dev/null
   paulimpi_is_ompi=no
   paulimpi_is_mpi=no
   AS_IF([grep 'U ompi_mpi_' conftest.names >/dev/null], [paulimpi_is_ompi=yes])
   AS_IF([grep 'U MPI_Comm_dup' conftest.names >/dev/null], [paulimpi_is_mpi=yes])
   AS_CASE([$PAULIMPI_MPI_FAMILY:$paulimpi_is_mpi:$paulimpi_is_ompi],
     [OPENMPI:yes:no], [paulimpi_hdf5='an MPI that is not Open MPI'],
     [OPENMPI:*], [],
     [*:*:yes], [paulimpi_hdf5='Open MPI'])])
rm -f conftest.trace conftest.traced conftest.names
])
