#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Ranks that are counted against ranks that are there: up to eight of them, and
# larger workloads.
PAULIMPI_VIRTUAL_BIG=1
PAULIMPI_TEST_MAX_NP=8
PAULIMPI_TEST_TIMEOUT=${PAULIMPI_TEST_TIMEOUT:-600}
export PAULIMPI_VIRTUAL_BIG PAULIMPI_TEST_MAX_NP PAULIMPI_TEST_TIMEOUT
status=0
n=0
for ranks in 2 3 5 8; do
    # Its name says to mpi-run how many.
    program=tests/propagate/virtual_ranks_big_np$ranks.t
    ln -sf virtual_ranks_np2.t "$program"
    n=$((n + 1))
    if sh tests/mpi-run "$program" >"$program.out" 2>&1; then
        echo "ok $n - $ranks ranks"
    else
        sed 's/^/# /' "$program.out"
        echo "not ok $n - $ranks ranks"
        status=1
    fi
    rm -f "$program" "$program.out"
done
echo "1..$n"
exit $status
