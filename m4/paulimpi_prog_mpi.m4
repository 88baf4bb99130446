# SPDX-License-Identifier: BSD-3-Clause
# serial 1
#
# The MPI: its C compiler, and which family it is of.

# PAULIMPI_PROG_MPI_COMPILERS
# ---------------------------
# Choose CC and FC before anything looks at them: libtool must know the
# compiler that the libraries are linked with. What the user gave is kept.
# FC is looked for under the name that belongs to CC: mpifort.mpich for
# mpicc.mpich, /opt/mpi/bin/mpifort for /opt/mpi/bin/mpicc, ftn for cc.
# Sets FC_CANDIDATES.
AC_DEFUN([PAULIMPI_PROG_MPI_COMPILERS],
[AC_ARG_VAR([MPICC], [MPI C compiler, where CC is not given])
AC_ARG_VAR([MPIFC], [MPI Fortran compiler, where FC is not given])
AC_ARG_VAR([MPI_CFLAGS], [compiler flags for an MPI that CC does not know])
AC_ARG_VAR([MPI_LIBS], [libraries of an MPI that CC does not know])
: "${CC=$MPICC}" "${FC=$MPIFC}"
AC_CHECK_PROGS([CC], [mpicc cc gcc])
paulimpi_cc=`AS_ECHO(["$CC"]) | sed 's/^ *//; s/ .*//'`
AS_CASE([$paulimpi_cc],
  [*mpicc*],
    [FC_CANDIDATES=`AS_ECHO(["$paulimpi_cc"]) | sed 's/mpicc/mpifort/'`
     FC_CANDIDATES="$FC_CANDIDATES `
       AS_ECHO(["$paulimpi_cc"]) | sed 's/mpicc/mpif90/'`"],
  [FC_CANDIDATES='mpifort mpif90 ftn'])
])

# PAULIMPI_LIB_MPI
# ----------------
# Ask that CC links MPI >= 3.0 and set
#   PAULIMPI_MPI_FAMILY       OPENMPI, MPICH or OTHER
#   PAULIMPI_MPI_FAMILY_TEXT  the same for people
#   PAULIMPI_MPI_MODULE       its pkg-config module, or empty
AC_DEFUN([PAULIMPI_LIB_MPI],
[CPPFLAGS="$MPI_CFLAGS $CPPFLAGS"
LIBS="$MPI_LIBS $LIBS"
AC_CACHE_CHECK([whether $CC links MPI 3.0], [paulimpi_cv_mpi],
  [AC_LINK_IFELSE(
    [AC_LANG_PROGRAM([[#include <mpi.h>
#if MPI_VERSION < 3
#error "older than MPI 3.0"
#endif]],
      [[MPI_Win window;
void *memory;
MPI_Win_allocate_shared(1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                        &window)]])],
    [paulimpi_cv_mpi=yes], [paulimpi_cv_mpi=no])])
AS_IF([test "x$paulimpi_cv_mpi" = xno],
  [AC_MSG_ERROR([CC=$CC cannot compile and link a program with MPI 3.0 or newer.
Install an MPI (Debian: libopenmpi-dev openmpi-bin; Fedora: openmpi-devel),
name its compiler (CC=mpicc), or set MPI_CFLAGS and MPI_LIBS.])])
PAULIMPI_MPI_FAMILY=OTHER
PAULIMPI_MPI_FAMILY_TEXT='another MPI'
AC_CACHE_CHECK([for the family of MPI], [paulimpi_cv_mpi_family],
  [paulimpi_cv_mpi_family='another MPI'
   AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#ifndef OPEN_MPI
#error "not Open MPI"
#endif]])], [paulimpi_cv_mpi_family='Open MPI'])
   AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#ifndef MPICH_VERSION
#error "not MPICH"
#endif]])], [paulimpi_cv_mpi_family=MPICH])])
PAULIMPI_MPI_FAMILY_TEXT=$paulimpi_cv_mpi_family
AS_CASE([$PAULIMPI_MPI_FAMILY_TEXT],
  ['Open MPI'], [PAULIMPI_MPI_FAMILY=OPENMPI],
  [MPICH], [PAULIMPI_MPI_FAMILY=MPICH])
_PAULIMPI_MPI_MODULE
AC_SUBST([PAULIMPI_MPI_FAMILY])
AC_SUBST([PAULIMPI_MPI_FAMILY_TEXT])
AC_SUBST([PAULIMPI_MPI_MODULE])
])

# _PAULIMPI_MPI_MODULE
# --------------------
# The pkg-config module of the MPI of CC. Several MPIs may be installed, so a
# module counts only if its version is that of the mpi.h that CC reads.
AC_DEFUN([_PAULIMPI_MPI_MODULE],
[AC_CACHE_CHECK([for the pkg-config module of MPI], [paulimpi_cv_mpi_module],
  [paulimpi_cv_mpi_module=none
   AS_CASE([$PAULIMPI_MPI_FAMILY],
     [OPENMPI], [paulimpi_module=ompi-c],
     [MPICH], [paulimpi_module=mpich],
     [paulimpi_module=])
   paulimpi_version=
   AS_IF([test -n "$PKG_CONFIG" && test -n "$paulimpi_module"],
     [paulimpi_version=`"$PKG_CONFIG" --modversion $paulimpi_module 2>&AS_MESSAGE_LOG_FD`])
   AS_IF([test -n "$paulimpi_version"],
     [paulimpi_numbers=`AS_ECHO(["$paulimpi_version"]) |
        sed 's/[[^0-9.]].*//; s/\./,/g'`
      AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#define FIRST(a, b, ...) a
#define SECOND(a, b, ...) b
#define THIRD(a, b, c, ...) c
#define OF(which, ...) which(__VA_ARGS__, 0, 0)]],
[[#ifdef OPEN_MPI
_Static_assert(OMPI_MAJOR_VERSION == OF(FIRST, $paulimpi_numbers)
               && OMPI_MINOR_VERSION == OF(SECOND, $paulimpi_numbers)
               && OMPI_RELEASE_VERSION == OF(THIRD, $paulimpi_numbers), "");
#else
_Static_assert(MPICH_NUMVERSION / 1000
               == OF(FIRST, $paulimpi_numbers) * 10000
                  + OF(SECOND, $paulimpi_numbers) * 100
                  + OF(THIRD, $paulimpi_numbers), "");
#endif]])], [paulimpi_cv_mpi_module=$paulimpi_module])])])
PAULIMPI_MPI_MODULE=
AS_IF([test "x$paulimpi_cv_mpi_module" != xnone],
  [PAULIMPI_MPI_MODULE=$paulimpi_cv_mpi_module])
])
