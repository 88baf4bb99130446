#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Random circuits with the same bits everywhere: on many numbers of ranks, with
# 1 and 2 threads, random rows, blocks and planned rows, where ranks of a node
# share memory and where each counts as a node of its own, whose messages go
# through MPI. Tells how many combinations were compared.
#
#   PAULIMPI_MATRIX_RANKS     numbers of ranks (2 3)
#   PAULIMPI_MATRIX_CIRCUITS  circuits for each (2; 0: likewise)
#   PAULIMPI_MATRIX_SEED      the number of the first one (1)
# shellcheck disable=SC2154
. "${top_srcdir=.}/tests/package/tap.sh"

if test ! -f tests/mpi-run; then
    echo '1..0 # SKIP tests/mpi-run is missing'
    exit 0
fi
PAULIMPI_TEST_COPIED_TERMS=16
PAULIMPI_TEST_TILE_TERMS=256
export PAULIMPI_TEST_COPIED_TERMS PAULIMPI_TEST_TILE_TERMS

# on RANKS: every circuit comes out as on one rank.
on () {
    sh tests/mpi-run -n "$1" tests/propagate/bits_matrix.t >"$scratch/out"
    status=$?
    cat "$scratch/out"
    sed -n 's/^# \([0-9]*\) combinations$/\1/p' "$scratch/out" |
        head -n 1 >>"$scratch/combinations"
    return $status
}

: >"$scratch/combinations"
for n in ${PAULIMPI_MATRIX_RANKS:-2 3}; do
    if sh tests/mpi-run -n "$n" true | grep -q '^1\.\.0 # SKIP'; then
        skip_check "$n ranks are not to be had"
        continue
    fi
    check "$n ranks, shared memory" on "$n"
    PAULIMPI_TEST_NODE_SIZE=1
    export PAULIMPI_TEST_NODE_SIZE
    check "$n ranks, messages" on "$n"
    unset PAULIMPI_TEST_NODE_SIZE
done
awk '{ n += $1 } END { print "# " n + 0 " combinations" }' \
    "$scratch/combinations"
finish
