#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Every exported function stands in a manual page, and has a Fortran
# counterpart or is on the list fortran/C_ONLY.
. "${top_srcdir=.}/tests/package/tap.sh"
cd "$top_srcdir" || exit 99

undocumented () {
    cat doc/man/*.3 | sed 's/\\-/-/g' >"$scratch/pages"
    while read -r name; do
        grep -qw "$name" "$scratch/pages" || echo "$name"
    done <src/libpaulimpi.sym
}

# Bound as it is, or through the shim, which takes Fortran's communicators.
unbound () {
    while read -r name; do
        through_shim=paulimpi_f_${name#paulimpi_}
        grep -qiE "name *= *[\"']($name|$through_shim)[\"']" \
            fortran/paulimpi_c.f90 fortran/paulimpi_c_*.f90 ||
            grep -qx "$name" "$scratch/c_only" || echo "$name"
    done <src/libpaulimpi.sym
}

# A function of the library, or one that a header defines.
stale () {
    while read -r name; do
        grep -qx "$name" src/libpaulimpi.sym ||
            grep -q "^$name(" include/paulimpi/*.h ||
            echo "$name: no such function"
    done <"$scratch/c_only"
}

sed 's/ *#.*//; /^$/d' fortran/C_ONLY >"$scratch/c_only"
check 'every function stands in a manual page' silent undocumented
check 'every function has a Fortran counterpart or is C only' silent unbound
check 'the list C_ONLY holds' silent stale
finish
