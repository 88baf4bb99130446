#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# A failure that nobody asked the code of ends the program with a sentence.
. "${top_srcdir=.}/tests/package/tap.sh"

program=tests/fortran/stops_np2.t
test -x $program || skip_all 'no Fortran'

serial () {
    $program </dev/null
}

parallel () {
    sh tests/mpi-run $program mpi
}

quiet () {
    ! "$@" 2>&1 | grep 'still here'
}

check 'a program without MPI fails' fails serial
check 'with the sentence of the library' says 'paulimpi_sum_add_text' serial
check 'and goes no further' quiet serial
if parallel 2>/dev/null | grep -q '^1\.\.0 # SKIP'; then
    skip_check 'no launcher for two ranks'
else
    check 'a job fails' fails parallel
    check 'with the sentence of its rank' says 'paulimpi_sum_add_text' parallel
    check 'and no rank goes further' quiet parallel
fi
finish
