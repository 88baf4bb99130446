#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Random graphs of messages and collective operations on 5, 7 and 8 ranks, more
# than the cores of most machines that test.
# shellcheck disable=SC2154
. "${top_srcdir=.}/tests/package/tap.sh"

PAULIMPI_TEST_MAX_NP=8
PAULIMPI_TEST_TIMEOUT=${PAULIMPI_TEST_TIMEOUT:-600}
export PAULIMPI_TEST_MAX_NP PAULIMPI_TEST_TIMEOUT

# on N PROGRAM: programs ask for as many ranks as their name says.
on () {
    ln -s "$PWD/tests/exchange/$2_np4.t" "$scratch/$2_np$1.t"
    sh tests/mpi-run "$scratch/$2_np$1.t" >"$scratch/out" 2>&1 || {
        cat "$scratch/out"
        return 1
    }
    count=$((count + $(grep -c '^ok' "$scratch/out")))
}

count=0
for program in graphs collective device_graphs; do
    for n in 5 7 8; do
        check "$program on $n ranks" on $n $program
    done
done
echo "# $count facts hold"
check 'there were some' test $count -gt 500
finish
