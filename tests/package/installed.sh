#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Build examples/downstream against an installed copy, by pkg-config alone, and
# run it:
#
#     installed.sh SRCDIR DESTDIR LIBDIR PKGCONFIGDIR CC FC MAKE
#
# An empty FC leaves the Fortran program out.
set -e
example=$1/examples/downstream
destdir=$2
libdir=$3
pkgconfigdir=$4
CC=$5
FC=$6
make=$7

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$example"/Makefile "$example"/*.c "$example"/*.f90 "$folder"
PKG_CONFIG_PATH=$destdir$pkgconfigdir${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
LD_LIBRARY_PATH=$destdir$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PKG_CONFIG_PATH LD_LIBRARY_PATH
if test -n "$destdir"; then
    # Folders that are the system's in the end are not yet.
    PKG_CONFIG_SYSROOT_DIR=$destdir
    PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1
    PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
    export PKG_CONFIG_SYSROOT_DIR
    export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS PKG_CONFIG_ALLOW_SYSTEM_LIBS
fi

for program in propagate ${FC:+magnetisation}; do
    $make -C "$folder" $program CC="$CC" FC="$FC"
    ${SHELL-/bin/sh} tests/mpi-run "$folder/$program"
done
