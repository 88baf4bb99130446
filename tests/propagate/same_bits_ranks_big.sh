#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Random problems on many numbers of ranks, more than the cores of the machine,
# against one; with PAULIMPI_SAME_BITS_ROUNDS=0 as few of them as in make check.
# shellcheck disable=SC2154
. "${top_srcdir=.}/tests/package/tap.sh"

PAULIMPI_SAME_BITS_ROUNDS=${PAULIMPI_SAME_BITS_ROUNDS:-1}
PAULIMPI_TEST_MAX_NP=8
PAULIMPI_TEST_TIMEOUT=1200
export PAULIMPI_SAME_BITS_ROUNDS PAULIMPI_TEST_MAX_NP PAULIMPI_TEST_TIMEOUT

# on N: every problem comes out as on one rank.
on () {
    sh tests/mpi-run -n "$1" tests/propagate/same_bits_ranks_np2.t \
        >"$scratch/out" || {
        cat "$scratch/out"
        return 1
    }
    grep ' runs on ' "$scratch/out" | head -n 1 >>"$scratch/runs"
}

for n in 2 3 4 5 7 8; do
    check "on $n ranks" on $n
done
cat "$scratch/runs"
finish
