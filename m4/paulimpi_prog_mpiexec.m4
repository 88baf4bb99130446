# SPDX-License-Identifier: BSD-3-Clause
# serial 1
#
# PAULIMPI_PROG_MPIEXEC
# ---------------------
# Find the launcher that belongs to the MPI of CC, without running it: the
# machine that configures may be one on which nothing may be launched. What
# the user gave is kept, also where it is empty: then tests on more than one
# rank skip.
AC_DEFUN([PAULIMPI_PROG_MPIEXEC],
[AC_ARG_VAR([MPIEXEC], [MPI launcher for the tests, may be several words;
  empty: tests on several ranks skip])
AC_MSG_CHECKING([for the launcher of $PAULIMPI_MPI_FAMILY_TEXT])
AS_IF([test "x${MPIEXEC+set}" != xset], [_PAULIMPI_FIND_MPIEXEC])
AC_MSG_RESULT([${MPIEXEC:-none}])
])

# _PAULIMPI_FIND_MPIEXEC
# ----------------------
# First the names beside CC, then those that Debian gives to the family, then
# the plain ones. A link such as Debian's alternatives may lead to another
# family: where the name behind it says so, it is passed over.
AC_DEFUN([_PAULIMPI_FIND_MPIEXEC],
[paulimpi_path=`command -v "$paulimpi_cc"`
paulimpi_tries=
AS_CASE([$paulimpi_path],
  [*mpicc*],
    [paulimpi_tries="`AS_ECHO(["$paulimpi_path"]) | sed 's/\(.*\)mpicc/\1mpiexec/'`
       `AS_ECHO(["$paulimpi_path"]) | sed 's/\(.*\)mpicc/\1mpirun/'`"])
AS_CASE([$PAULIMPI_MPI_FAMILY],
  [OPENMPI],
    [paulimpi_tries="$paulimpi_tries mpiexec.openmpi mpirun.openmpi"
     paulimpi_foreign='mpich|hydra'],
  [MPICH],
    [paulimpi_tries="$paulimpi_tries mpiexec.mpich mpiexec.hydra mpirun.mpich"
     paulimpi_foreign='openmpi|orterun|prterun'],
  [paulimpi_foreign='mpich|hydra|openmpi|orterun|prterun'])
for paulimpi_try in $paulimpi_tries mpiexec mpirun; do
  paulimpi_found=`command -v "$paulimpi_try"` || continue
  paulimpi_behind=`readlink -f "$paulimpi_found" || :`
  AS_IF([AS_ECHO(["$paulimpi_behind"]) |
         $EGREP "/@<:@^/@:>@*($paulimpi_foreign)@<:@^/@:>@*\$" >/dev/null],
    [continue])
  MPIEXEC=$paulimpi_found
  break
done])
