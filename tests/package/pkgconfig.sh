#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# What pkg-config says of an installed copy; the files are those of this build.
. "${top_srcdir=.}/tests/package/tap.sh"

$PKG_CONFIG --version >/dev/null 2>&1 || skip_all 'no pkg-config'
PKG_CONFIG_PATH="$PWD/packaging${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
export PKG_CONFIG_PATH

ask () {
    $PKG_CONFIG "$@"
}

# The folders of an installation may be moved as a whole.
moved () {
    ask --define-variable=prefix=/elsewhere "$@" | grep -q -e "$text"
}
moves_to () {
    text=$1
    shift
    moved "$@"
}

# Every path in the files is said through prefix.
absolute_paths () {
    grep -n '/' packaging/paulimpi*.pc | grep -vE ':(prefix=|.*\$\{)' |
        grep -v ':Description'
}

no_private_library () {
    ask --libs paulimpi | grep -E 'hwloc|lmpi'
}

required_modules_exist () {
    for module in $(ask --print-requires-private paulimpi | sed 's/ .*//'); do
        ask --exists --print-errors "$module" || return 1
    done
}

check 'paulimpi.pc is valid' ask --validate paulimpi
check 'it tells the version' says "$VERSION" ask --modversion paulimpi
check 'its modules exist' required_modules_exist
check 'it links -lpaulimpi' says '-lpaulimpi' ask --libs paulimpi
check 'it names no library that users do not call' silent no_private_library
check 'static linking is told of the mathematics library' \
    says '-lm' ask --static --libs paulimpi
if grep -q 'HAVE_HWLOC 1' config.h; then
    check 'static linking is told of hwloc' \
        says '-lhwloc' ask --static --libs paulimpi
fi
if grep -q 'HAVE_CUDA 1' config.h; then
    check 'static linking is told of the runtime of CUDA' \
        says '-lcudart' ask --static --libs paulimpi
fi
check 'it can be moved' moves_to '-I/elsewhere/include' --cflags paulimpi
check 'it has no path of the build' silent absolute_paths
if test -f fortran/libpaulimpi_fortran.la; then
    check 'paulimpi-fortran.pc is valid' ask --validate paulimpi-fortran
    check 'it links both libraries' \
        says '-lpaulimpi_fortran -lpaulimpi' ask --libs paulimpi-fortran
    check 'it tells where the modules are' \
        says '/' ask --variable=fmoddir paulimpi-fortran
fi
finish
