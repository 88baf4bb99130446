#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Every source says its licence in the first lines.
. "${top_srcdir=.}/tests/package/tap.sh"
cd "$top_srcdir" || exit 99

sources () {
    find include src fortran tools tests examples bench packaging \
        -name '*.[ch]' -o -name '*.cu' -o -name '*.h.in' -o -name '*.f90' -o -name '*.sh' \
        -o -name '*.py' -o -name Makefile.inc -o -name second-build \
        -o -name mpi-run.in
    find m4 -name 'paulimpi_*.m4'
    echo configure.ac Makefile.am autogen.sh quickstart | tr ' ' '\n'
    find doc -name '*.[137]'
}

without () {
    sources | while read -r file; do
        head -n 3 "$file" |
            grep -q 'SPDX-License-Identifier: BSD-3-Clause' || echo "$file"
    done
}

check 'every source names its licence' silent without
finish
