#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Two ranks in the middle of exchanges, of which one stops or is killed.
# shellcheck disable=SC2154
. "${top_srcdir=.}/tests/package/tap.sh"

probe=tests/exchange/lost_probe_np2.t
PAULIMPI_TIMEOUT=1
PAULIMPI_TEST_PIECE_BYTES=10000
export PAULIMPI_TIMEOUT PAULIMPI_TEST_PIECE_BYTES
unset PAULIMPI_CHECK

# gone: soon after none of the processes is there.
gone () {
    tries=100
    while kill -0 "$(cat "$scratch/pid.0")" 2>/dev/null ||
        kill -0 "$(cat "$scratch/pid.1")" 2>/dev/null; do
        tries=$((tries - 1))
        test $tries -gt 0 || return 1
        sleep 0.05
    done
}

# lose SIGNAL RANK: what the other says is in the log. The job must end by
# itself, not with success, and leave no process.
lose () {
    rm -f "$scratch"/pid.*
    timeout 60 sh tests/mpi-run $probe "$scratch/pid" >"$scratch/log" 2>&1 &
    job=$!
    wait_for "$scratch/pid.0" && wait_for "$scratch/pid.1" || return 1
    kill "-$1" "$(cat "$scratch/pid.$2")"
    wait $job
    status=$?
    cat "$scratch/log"
    echo "status $status"
    test $status -ne 0 && test $status -ne 124 && gone
}

test -x $probe || skip_all "$probe is missing"
if sh tests/mpi-run -n 2 true 2>/dev/null | grep -q '^1\.\.0 # SKIP'; then
    skip_all 'no launcher for two ranks'
fi

check 'rank 1 is killed: the job ends' lose KILL 1
check 'so does it without rank 0' lose KILL 0
check 'rank 1 stops: rank 0 does not wait for it' lose STOP 1
check 'but tells who is missing' grep -q \
    '^PAULIMPI_ERR_TIMEOUT: paulimpi_plan_wait: .*for 1 second.*rank 1, tag 1' \
    "$scratch/log"
finish
