# SPDX-License-Identifier: BSD-3-Clause
# serial 1
#
# PAULIMPI_FORTRAN_ARGUMENTS
# --------------------------
# Where the user does not want Fortran, its compiler is not looked for.
AC_DEFUN([PAULIMPI_FORTRAN_ARGUMENTS],
[AC_ARG_ENABLE([fortran],
  [AS_HELP_STRING([--disable-fortran],
    [no Fortran library (default: where FC compiles "use mpi_f08")])],
  [], [enable_fortran=check])
AC_ARG_WITH([fmoddir],
  [AS_HELP_STRING([--with-fmoddir=DIR],
    [where Fortran modules are installed @<:@INCLUDEDIR@:>@])],
  [fmoddir=$withval], [fmoddir='${includedir}'])
AS_IF([test "x$fmoddir" = xyes || test "x$fmoddir" = xno],
  [AC_MSG_ERROR([--with-fmoddir needs a folder])])
AC_SUBST([fmoddir])
])

# PAULIMPI_FORTRAN
# ----------------
# Ask what the binding needs of FC. Sets have_fortran and why_fortran. No
# compiler at all is a "no"; a compiler whose mpi_f08 cannot be used is an
# error, because it is nearly always an installation that its owner would
# like to repair.
AC_DEFUN([PAULIMPI_FORTRAN],
[have_fortran=no
why_fortran='switched off'
AS_IF([test "x$enable_fortran" != xno],
  [AC_LANG_PUSH([Fortran])
   AC_FC_SRCEXT([f90], [have_fortran=yes],
     [why_fortran="${FC:-no MPI Fortran compiler} does not compile Fortran"])
   AS_IF([test "x$have_fortran" = xyes], [_PAULIMPI_FORTRAN_FEATURES])
   AC_LANG_POP([Fortran])
   AS_IF([test "x$enable_fortran" = xyes && test "x$have_fortran" = xno],
     [AC_MSG_ERROR([--enable-fortran was given, but $why_fortran.
Install one (Debian: gfortran libopenmpi-dev; Fedora: gcc-gfortran
openmpi-devel) and name it with FC, or leave --enable-fortran out.])])])
AM_CONDITIONAL([HAVE_FORTRAN], [test "x$have_fortran" = xyes])
AM_CONDITIONAL([HAVE_FORTRAN_ARRAYS],
  [test "x$have_fortran" = xyes && test "x$paulimpi_cv_fc_arrays" = xyes])
])

# _PAULIMPI_FORTRAN_ARRAYS
# ------------------------
# Whether an array of any type and rank reaches C with its strides.
AC_DEFUN([_PAULIMPI_FORTRAN_ARRAYS],
[AC_CACHE_CHECK([whether $FC hands arrays of any kind to $CC],
  [paulimpi_cv_fc_arrays],
  [paulimpi_cv_fc_arrays=no
   AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
subroutine try(array)
    type(*), target :: array(..)
    interface
        subroutine take(array) bind(c)
            type(*), intent(in) :: array(..)
        end subroutine take
    end interface
    call take(array)
end subroutine try]])],
     [AC_LANG_PUSH([C])
      AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <ISO_Fortran_binding.h>]],
        [[CFI_cdesc_t array; array.rank = 0; return array.rank;]])],
        [paulimpi_cv_fc_arrays=yes])
      AC_LANG_POP([C])])])
])

# _PAULIMPI_FORTRAN_CHECKS
# ------------------------
# The option that makes FC check bounds, and copies of arrays, in tests.
AC_DEFUN([_PAULIMPI_FORTRAN_CHECKS],
[AC_CACHE_CHECK([whether $FC takes -fcheck=all], [paulimpi_cv_fc_fcheck],
  [paulimpi_save_FCFLAGS=$FCFLAGS
   FCFLAGS="$FCFLAGS -fcheck=all"
   AC_COMPILE_IFELSE([AC_LANG_PROGRAM], [paulimpi_cv_fc_fcheck=yes],
     [paulimpi_cv_fc_fcheck=no])
   FCFLAGS=$paulimpi_save_FCFLAGS])
AS_IF([test "x$paulimpi_cv_fc_fcheck" = xyes],
  [FC_CHECKS=-fcheck=all], [FC_CHECKS=])
AC_SUBST([FC_CHECKS])
])

# _PAULIMPI_FORTRAN_FEATURES
# --------------------------
AC_DEFUN([_PAULIMPI_FORTRAN_FEATURES],
[AC_FC_MODULE_EXTENSION
AC_FC_MODULE_FLAG
AC_FC_MODULE_OUTPUT_FLAG
AC_CACHE_CHECK([whether $FC compiles "use mpi_f08"], [paulimpi_cv_fc_mpi_f08],
  [AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
program try
    use mpi_f08, only: MPI_Comm, MPI_COMM_WORLD
    type(MPI_Comm) :: comm
    comm = MPI_COMM_WORLD
end program try]])], [paulimpi_cv_fc_mpi_f08=yes], [paulimpi_cv_fc_mpi_f08=no])])
AS_IF([test "x$paulimpi_cv_fc_mpi_f08" = xno],
  [paulimpi_behind=`$FC -show 2>/dev/null | sed 's/ .*//;q'`
   AC_MSG_ERROR([FC=$FC (which runs ${paulimpi_behind:-itself}) cannot use the module mpi_f08 of its MPI.
The module was most likely made by another compiler, or FCFLAGS points to
another one; config.log has the words of the compiler. Set FC to the Fortran
compiler of the MPI of CC=$CC, or configure with --disable-fortran.])])
AC_CACHE_CHECK([whether $FC belongs to the MPI of $CC], [paulimpi_cv_fc_family],
  [AS_CASE([$PAULIMPI_MPI_FAMILY],
     [OPENMPI], [paulimpi_symbol=OMPI_C_MPI_DUP_FN],
     [MPICH], [paulimpi_symbol=MPIR_Dup_fn],
     [paulimpi_symbol=MPI_Comm_dup])
   AC_LINK_IFELSE([AC_LANG_SOURCE([[
program try
    use mpi_f08, only: MPI_Finalize
    interface
        subroutine duplicate() bind(C, name="$paulimpi_symbol")
        end subroutine duplicate
    end interface
    call duplicate()
    call MPI_Finalize()
end program try]])], [paulimpi_cv_fc_family=yes], [paulimpi_cv_fc_family=no])])
AS_IF([test "x$paulimpi_cv_fc_family" = xno],
  [AC_MSG_ERROR([FC=$FC does not link the MPI of CC=$CC ($PAULIMPI_MPI_FAMILY_TEXT).
Set FC to the Fortran compiler of that MPI, or configure with --disable-fortran.])])
_PAULIMPI_FORTRAN_ARRAYS
_PAULIMPI_FORTRAN_CHECKS
])
