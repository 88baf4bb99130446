#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# paulimpi-propagate: what is wrong, one sentence and an exit status each.
# shellcheck source-path=SCRIPTDIR source=tap.subr
. "${top_srcdir:-.}/tests/tools/tap.subr"

propagate=$tools/paulimpi-propagate
kicked=$top_srcdir/examples/data/kicked_ising_127.qasm

# wrong FACT STATUS PATTERN ARGUMENT...
wrong () {
    fact=$1
    want=$2
    pattern=$3
    shift 3
    run "$propagate" "$@"
    refused "$fact" "$want" "^paulimpi-propagate: $pattern"
}

# What only the files tell.
: >"$work/empty.qasm"
printf 'OPENQASM 2.0;\nqreg q[1];\nfoo q[0];\n' >"$work/unknown.qasm"
printf 'Z0 + Q3\n' >"$work/sum"
wrong 'a missing file' 1 'nosuch.qasm: No such file' \
    nosuch.qasm --observable Z0
wrong 'a folder' 1 ".*$work.*irectory" "$work" --observable Z0
wrong 'an empty file' 1 '.*empty.qasm' "$work/empty.qasm" --observable Z0
wrong 'an unknown gate' 1 '.*unknown.qasm:3:1: .*foo' \
    "$work/unknown.qasm" --observable Z0
wrong 'a qubit that is not there' 1 '--observable Z500: ' \
    "$kicked" --observable Z500
wrong 'a dense label that is too short' 1 '--observable XYZ: ' \
    "$kicked" --observable XYZ
wrong 'a missing observable file' 1 '.*nosuch: No such file' \
    "$kicked" --observable @nosuch
wrong 'a bad observable file' 1 '--observable @.*sum: ' \
    "$kicked" --observable "@$work/sum"
wrong 'a state of another length' 1 '--state 01: ' \
    "$kicked" --observable Z0 --state 01
wrong 'a memory limit that is too low' 1 '.*memory' \
    "$kicked" --observable Z62 --memory-limit 1

# What is wrong for any circuit: the circuit is not even looked at.
for value in Q3 z3 '' ' ' 'Z0 Z0' '2i Z0' 'Z0 +' 'nan Z0' 'inf Z0'; do
    wrong "--observable '$value'" 2 "--observable $value: " \
        nosuch.qasm --observable "$value"
done
for value in nan -1 inf 2^ ^2 2^x 0x1p-3 '' 1e999; do
    wrong "--eps '$value'" 2 "--eps $value: expected" \
        nosuch.qasm --observable Z0 --eps "$value"
done
for option in max-weight max-xy-weight max-terms threads memory-limit state \
    picture engine progress choice seed rows rows-seed weights transport \
    scan; do
    wrong "--$option ?" 2 "--$option ?: expected" \
        nosuch.qasm --observable Z0 "--$option" '?'
done
for option in max-weight max-xy-weight max-terms threads memory-limit; do
    wrong "--$option -1" 2 "--$option -1: expected" \
        nosuch.qasm --observable Z0 "--$option" -1
done
wrong '--threads 0' 2 '--threads 0: expected' \
    nosuch.qasm --observable Z0 --threads 0
wrong 'an unknown option' 2 '--foo: unknown option' nosuch.qasm --foo
wrong 'an unknown letter' 2 '-x: unknown option' -x
wrong 'an option without its value' 2 '--eps needs a value' x --eps
wrong 'a value for an option that has none' 2 '--json=1: ' x --json=1
wrong 'no circuit' 2 'no circuit' --observable Z0
wrong 'two circuits' 2 'b: one circuit' a b --observable Z0
wrong 'no observable' 2 '--observable is missing' "$kicked"
wrong 'standard input twice' 2 'standard input' - --observable @-

# Output that cannot be written.
if test -w /dev/full; then
    for option in --json --help --version; do
        status=0
        "$propagate" "$kicked" --observable Z62 --eps 2^-3 $option \
            >/dev/full 2>"$work/err" || status=$?
        ends "$option into a full device fails" 1
        says "$option: the reason" err 'cannot write to standard output: '
    done
fi

# --help and --version.
run "$propagate" --help
ends '--help' 0
silent '--help writes no error' err
sed -n 's/^  --\([a-z-]*\).*/\1/p' "$work/out" >"$work/options"
is '--help lists all options' "$(($(wc -l <"$work/options")))" 27
while read -r option; do
    run "$propagate" "--$option"
    ok "--$option of --help exists" \
        test "$(grep -c 'unknown option' "$work/err")" -eq 0
done <"$work/options"
run "$propagate" --version
ends '--version' 0
says 'the version' out '^paulimpi-propagate [0-9]*\.[0-9]*\.[0-9]*$'
finish
