#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The examples in C print what they should.
# shellcheck source-path=SCRIPTDIR source=tap.subr
. "${top_srcdir:-.}/tests/tools/tap.subr"

examples=$top_builddir/examples

# on_ranks EXAMPLE TEXT ARGUMENT...: it prints TEXT, and nothing else, on several
# ranks, as it does on one without a launcher.
on_ranks () {
    example=$1
    text=$2
    shift 2
    test -f "$top_builddir/tests/mpi-run" || return 0
    for n in 2 3; do
        run sh "$top_builddir/tests/mpi-run" -n $n "$examples/$example" "$@"
        if grep -q '# SKIP' "$work/out"; then
            skip "$example: no launcher for $n ranks"
            continue
        fi
        ends "$example, ranks: $n" 0
        is 'prints the same' "$(cat "$work/out")" "$text"
    done
}

circuit=$top_srcdir/examples/data/kicked_ising_127.qasm
ising='<Z62> = 0.2401921352, 8742 terms'
run "$examples/01_kicked_ising" "$circuit"
ends '01_kicked_ising' 0
is 'its value and terms' "$(cat "$work/out")" "$ising"
on_ranks 01_kicked_ising "$ising" "$circuit"
run "$examples/01_kicked_ising" nosuch.qasm
ends '01_kicked_ising without its circuit' 1
says 'says why' err 'nosuch.qasm: No such file'

run "$examples/03_build_a_circuit"
ends '03_build_a_circuit' 0
says 'its value without truncation' out '^eps 0 .* = 0.7729458955, '
is 'its lines' "$(($(wc -l <"$work/out")))" 4
on_ranks 03_build_a_circuit "$(cat "$work/out")"

# (1 - 4 p / 3)^5 and (1 - 4 p / 3)^2.
run "$examples/04_noise"
ends '04_noise' 0
is 'its values' "$(tr '\n' '/' <"$work/out")" "\
p = 0.00  <XXXXX> = 1.000000  <Z0 Z4> = 1.000000/\
p = 0.25  <XXXXX> = 0.131687  <Z0 Z4> = 0.444444/\
p = 0.50  <XXXXX> = 0.004115  <Z0 Z4> = 0.111111/\
p = 0.75  <XXXXX> = 0.000000  <Z0 Z4> = 0.000000/"
on_ranks 04_noise "$(cat "$work/out")"

heat='after 50 steps 10.7732946941 is left in the middle'
run "$examples/06_halo"
ends '06_halo' 0
is 'its value' "$(cat "$work/out")" "$heat"
on_ranks 06_halo "$heat"

# 1 - cos 10 up to the step, whoever computes what.
sum='sum 1.839099'
run "$examples/08_segment"
ends '08_segment' 0
is 'its sum' "$(cat "$work/out")" "$sum"
on_ranks 08_segment "$sum"
finish
