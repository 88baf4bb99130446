#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Every public C function has a Fortran counterpart, every name of a
# type-bound procedure is used by a test.
. "${top_srcdir=.}/tests/package/tap.sh"


public () {
    sed -n 's/^PAULIMPI_API.*[ *]\(paulimpi_[a-z0-9_]*\)(.*/\1/p
            s/^\(paulimpi_[a-z0-9_]*\)(.*/\1/p' \
        "$top_srcdir"/include/paulimpi/*.h include/paulimpi/version.h |
        LC_ALL=C sort -u
}

# Functions that a module calls: paulimpi_x by its raw interface c_x.
bound () {
    sed -n 's/.*name="paulimpi_\([a-z0-9_]*\)".*/\1/p' \
        "$top_srcdir"/fortran/paulimpi_c.f90 \
        "$top_srcdir"/fortran/paulimpi_c_*.f90 |
        while read -r name; do
            if grep -lw "c_$name" "$top_srcdir"/fortran/*.f90 |
                grep -Eqv 'paulimpi_c(_[a-z]*)?\.f90$'; then
                echo "paulimpi_$name"
            fi
        done
    sed -n 's/^ .*[ (]\(paulimpi_[a-z0-9_]*\)(.*/\1/p' \
        "$top_srcdir/fortran/fshim.c"
}

c_only () {
    sed 's/[ #].*//' "$top_srcdir/fortran/C_ONLY"
}

unbound () {
    { bound; c_only; } | LC_ALL=C sort -u >"$scratch/known"
    LC_ALL=C comm -23 "$scratch/public" "$scratch/known"
}

stale () {
    c_only | LC_ALL=C sort -u | LC_ALL=C comm -13 "$scratch/public" -
}

unreasoned () {
    grep -Ev '^paulimpi_[a-z0-9_]+ +# ..' "$top_srcdir/fortran/C_ONLY"
}

untested () {
    sed -n 's/^        procedure :: \([a-z0-9_]*\).*/\1/p
            s/^        generic :: \([a-z0-9_]*\) =>.*/\1/p' \
        "$top_srcdir"/fortran/*.f90 | sort -u | while read -r name; do
        grep -qs "%$name(" "$top_srcdir"/tests/fortran/*.f90 || echo "$name"
    done
}

public >"$scratch/public"
check 'there are public functions' test -s "$scratch/public"
check 'each has a Fortran counterpart or stands in C_ONLY' silent unbound
check 'what stands in C_ONLY is public' silent stale
check 'and has a reason' silent unreasoned
check 'the tests call every type-bound procedure' silent untested
finish
