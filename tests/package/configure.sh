#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# What configure says where it cannot go on, and what it does not look at.
. "${top_srcdir=.}/tests/package/tap.sh"
. "$top_srcdir/tests/package/tree.sh"

# refuses WORDS OPTION...: configure fails, and its sentence has the words.
refuses () {
    words=$1
    shift
    fails configure_in "refused$n_checks" "$@" >"$scratch/refusal" 2>&1
    status=$?
    cat "$scratch/refusal"
    test $status -eq 0 && grep -qF -e "$words" "$scratch/refusal"
}

has () {
    grep -q "$2" "$scratch/$1/config.h"
}

check 'a folder without hwloc is refused, with the package to install' \
    refuses libhwloc-dev --with-hwloc=/nonexistent
check 'hwloc that is asked for and missing is refused' \
    refuses libhwloc-dev --with-hwloc PKG_CONFIG_LIBDIR=/nonexistent
check 'Fortran that is asked for and missing is refused' \
    refuses gfortran --enable-fortran FC=/nonexistent/mpifort
check 'a compiler without MPI is refused, with the package to install' \
    refuses libopenmpi-dev CC=gcc MPI_CFLAGS= MPI_LIBS=
printf '#!/bin/sh\ncase "$*" in *-fopenmp*) exit 1;; esac\nexec %s "$@"\n' \
    "$CC" >"$scratch/mpicc-without"
chmod +x "$scratch/mpicc-without"
check 'OpenMP that is asked for and missing is refused' \
    refuses libomp-dev --enable-openmp CC="$scratch/mpicc-without"

# A module for mpi_f08 that another compiler made.
if test -f fortran/libpaulimpi_fortran.la; then
    mkdir "$scratch/modules"
    echo "GFORTRAN module version '14' created from x" | gzip \
        >"$scratch/modules/mpi_f08.mod"
    check 'a module mpi_f08 of another compiler is refused' \
        refuses 'cannot use the module mpi_f08' \
        FCFLAGS="-I$scratch/modules"
fi

check 'configure needs no launcher' configure_in alone MPIEXEC= \
    --disable-fortran --without-hwloc --disable-openmp --disable-simd
check 'what is switched off is not used' \
    fails has alone 'define HAVE_\(HWLOC\|OPENMP\|TARGET_CLONES\)'
check 'and not looked for' \
    fails grep -E 'hwloc >=|OpenMP flag|Fortran' "$scratch/alone/config.log"
if command -v dash >/dev/null; then
    check 'configure is POSIX shell' dash -n "$scratch/source/configure"
fi
finish
