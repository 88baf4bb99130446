#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# paulimpi-propagate: a signal ends it between two gates, with a report.
# shellcheck source-path=SCRIPTDIR source=tap.subr
. "${top_srcdir:-.}/tests/tools/tap.subr"

propagate=$tools/paulimpi-propagate
# stop_it ARGUMENT...: send SIGTERM once the first progress line is there.
# The circuit would take far longer than a line takes to come.
stop_it () {
    : >"$work/err"
    "$propagate" "$work/long.qasm" --observable Z5 \
        --progress always "$@" >"$work/out" 2>"$work/err" </dev/null &
    pid=$!
    while ! grep -q '^  layer' "$work/err" && kill -0 $pid 2>/dev/null; do
        sleep 0.02
    done
    kill -TERM $pid
    status=0
    wait $pid || status=$?
}

# Nothing is dropped: soon all 4^10 strings of 10 qubits take part.
awk 'BEGIN {
    print "OPENQASM 2.0;\ninclude \"qelib1.inc\";\nqreg q[10];"
    for (step = 0; step < 300; step++) {
        print "rx(0.3) q;"
        for (q = 0; q < 9; q++) {
            printf "rzz(0.4) q[%d],q[%d];\n", q, q + 1
        }
    }
}' >"$work/long.qasm"

stop_it
ends 'SIGTERM: the exit status is 128 + 15' 143
says 'the partial report' out \
    '^stopped by signal 15 after [0-9]* of 5700 gates    [0-9,]* terms*, '
says 'there is no value' out 'there is no value$'
says 'the sentence' err '^paulimpi-propagate: stopped by signal 15'

stop_it --json
ends 'the same with --json' 143
is 'the value is null' "$(json value)" null
is 'the bound is null' "$(json error_bound)" null
is 'the gates of the circuit' "$(json gates)" 5700
finish
