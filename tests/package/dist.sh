#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Build and install the tarball in the ways of distributions: out of a source
# that may not be written to, into DESTDIR, into system folders, static, with
# --as-needed, with many jobs, for another host.
. "${top_srcdir=.}/tests/package/tap.sh"
. "$top_srcdir/tests/package/tree.sh"

fast=CFLAGS=-O1
tests=$(echo tests/base/*.t tests/package/env.sh)

files () {
    (cd "$scratch/$1" && find . ! -type d | sort)
}

no_runpath () {
    for library in "$1"/libpaulimpi*.so; do
        readelf -d "$library"
    done | grep -iE 'rpath|runpath'
}

built_paths () {
    grep -rlF "$scratch" "$@"
}

# A program with the static library, which needs what pkg-config adds.
link_static () {
    # shellcheck disable=SC2046
    PKG_CONFIG_PATH=$scratch/opt/lib/pkgconfig \
        $CC -I"$scratch/opt/include" -o "$scratch/static" \
        "$top_srcdir/examples/downstream/propagate.c" \
        "$scratch/opt/lib/libpaulimpi.a" \
        $(PKG_CONFIG_PATH=$scratch/opt/lib/pkgconfig \
            $PKG_CONFIG --static --libs paulimpi)
}

knows_cross () {
    awk '/whether we are cross compiling/ { getline; found = /yes/ }
         END { exit !found }' "$1"
}

# A system installation, in one step from nothing, with many jobs.
triplet=lib/x86_64-linux-gnu
check 'configure as a distribution does' configure_in system $fast \
    --prefix=/usr --libdir=/usr/$triplet \
    --with-fmoddir=/usr/$triplet/fortran/gfortran-mod-15
check 'make -j16 install with DESTDIR from nothing' \
    make_in system -j16 install DESTDIR="$scratch/image"
check 'no rpath in libraries of the system' \
    silent no_runpath "$scratch/image/usr/$triplet"
check 'no path of the build in what users read' silent built_paths \
    "$scratch/image/usr/include" "$scratch/image/usr/$triplet/pkgconfig"
if test -f fortran/libpaulimpi_fortran.la; then
    check 'modules are where --with-fmoddir says' test -f \
        "$scratch/image/usr/$triplet/fortran/gfortran-mod-15/paulimpi.mod"
fi
check 'programs build against DESTDIR' \
    make_in system installcheck DESTDIR="$scratch/image"
check 'uninstall' make_in system uninstall DESTDIR="$scratch/image"
check 'nothing is left' silent files image
check 'distclean' make_in system distclean
check 'nothing is left' silent files system

# An old library in the prefix is not linked.
check 'configure for a prefix' configure_in own $fast \
    --prefix="$scratch/opt" --enable-static LDFLAGS=-Wl,--as-needed
mkdir -p "$scratch/opt/lib"
: >"$scratch/opt/lib/libpaulimpi.so"
check 'make -j16 install over an old library' make_in own -j16 install
check 'programs build against the prefix' make_in own installcheck
check 'tests with --as-needed' make_in own check TESTS="$tests"
# Some distributions do not install what their own static libraries need.
echo 'int main(void) { return 0; }' >"$scratch/empty.c"
# shellcheck disable=SC2046
if $CC -o "$scratch/empty" "$scratch/empty.c" \
    $($PKG_CONFIG --static --libs \
        $(sed -n 's/^Requires.private: //p' packaging/paulimpi.pc)) 2>&1; then
    check 'a program links the static library' link_static
    check 'and runs' sh tests/mpi-run "$scratch/static"
else
    skip_check 'a static library that ours needs is missing'
fi

# A cross build runs nothing of what it compiles.
check 'configure for another host' configure_in cross $fast \
    --build=i686-pc-linux-gnu --host=x86_64-pc-linux-gnu
check 'it knows that it is one' knows_cross "$scratch/cross/config.log"
check 'it builds' make_in cross -j2
finish
