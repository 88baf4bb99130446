#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The libraries export what src/libpaulimpi.sym lists, and nothing else.
. "${top_srcdir=.}/tests/package/tap.sh"

library=src/.libs/libpaulimpi.so
fortran=fortran/.libs/libpaulimpi_fortran.so
test -f $library || skip_all 'no shared library'

exports () {
    ${NM:-nm} -D --defined-only "$1" | awk 'NF == 3 { print $3 }' |
        LC_ALL=C sort
}

compare () {
    exports $library >"$scratch/exports"
    diff -u "$top_srcdir/src/libpaulimpi.sym" "$scratch/exports"
}

# What cuda.h has is inline and in no library.
declared () {
    find "$top_srcdir/include/paulimpi" include/paulimpi -name '*.h' \
        ! -name cuda.h -exec sed -n '
            s/^PAULIMPI_API.*[ *]\(paulimpi_[a-z0-9_]*\)(.*/\1/p
            s/^\(paulimpi_[a-z0-9_]*\)(.*/\1/p' {} + |
        LC_ALL=C sort -u
}

compare_headers () {
    declared >"$scratch/declared"
    diff -u "$scratch/declared" "$top_srcdir/src/libpaulimpi.sym"
}

foreign () {
    exports $fortran | grep -Ev '^_?_?paulimpi_'
}

check 'the exports are those of src/libpaulimpi.sym' compare
check 'they are what the public headers declare' compare_headers
if test -f $fortran; then
    check 'the Fortran library exports only names of ours' silent foreign
fi
finish
