#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Files and functions are short, and the library neither prints nor ends the
# process.
. "${top_srcdir=.}/tests/package/tap.sh"
cd "$top_srcdir" || exit 99

long_files () {
    find include src fortran tools tests examples bench \
        \( -name '*.[ch]' -o -name '*.f90' -o -name '*.sh' -o -name '*.inc' \) \
        -exec wc -l {} + | awk '$2 != "total" && $1 > 800'
}

long_functions () {
    find src fortran tools examples -name '*.c' -exec awk '
        /^\{/ { start = FNR }
        /^\}/ {
            if (start && FNR - start > 80) {
                print FILENAME ":" start ": " FNR - start " lines"
            }
            start = 0
        }' {} +
}

# wider THAN NAME
wider () {
    find include src fortran tools tests examples bench -name "$2" \
        -exec awk -v than="$1" '
            length > than { print FILENAME ":" FNR ": " length }' {} +
}

wide_lines () {
    wider 80 '*.[ch]'
    wider 100 '*.f90'
}

tabs () {
    find include src fortran tools tests examples bench \
        \( -name '*.[ch]' -o -name '*.f90' \) \
        -exec grep -n "$(printf '\t')" {} +
}

loud_library () {
    grep -nE '(^|[^a-z_])(printf|puts|putchar|perror|exit|_exit|abort|MPI_Abort) *\(' \
        src/*/*.[ch] | grep -v '^src/base/log\.c:'
}

check 'no file is longer than 800 lines' silent long_files
check 'no function is longer than 80 lines' silent long_functions
check 'no line is wider than 80 columns, 100 in Fortran' silent wide_lines
check 'no tabs in sources' silent tabs
check 'the library neither prints nor ends the process' silent loud_library
finish
