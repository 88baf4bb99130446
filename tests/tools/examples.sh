#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The examples in C print what they should.
# shellcheck source-path=SCRIPTDIR source=tap.subr
. "${top_srcdir:-.}/tests/tools/tap.subr"

examples=$top_builddir/examples

run "$examples/01_kicked_ising" \
    "$top_srcdir/examples/data/kicked_ising_127.qasm"
ends '01_kicked_ising' 0
is 'its value and terms' "$(cat "$work/out")" \
    '<Z62> = 0.2401921352, 8742 terms'
run "$examples/01_kicked_ising" nosuch.qasm
ends '01_kicked_ising without its circuit' 1
says 'says why' err 'nosuch.qasm: No such file'

run "$examples/03_build_a_circuit"
ends '03_build_a_circuit' 0
says 'its value without truncation' out '^eps 0 .* = 0.7729458955, '
is 'its lines' "$(($(wc -l <"$work/out")))" 4

# (1 - 4 p / 3)^5 and (1 - 4 p / 3)^2.
run "$examples/04_noise"
ends '04_noise' 0
is 'its values' "$(tr '\n' '/' <"$work/out")" "\
p = 0.00  <XXXXX> = 1.000000  <Z0 Z4> = 1.000000/\
p = 0.25  <XXXXX> = 0.131687  <Z0 Z4> = 0.444444/\
p = 0.50  <XXXXX> = 0.004115  <Z0 Z4> = 0.111111/\
p = 0.75  <XXXXX> = 0.000000  <Z0 Z4> = 0.000000/"

# The same value on any number of ranks, and without a launcher.
run "$examples/06_halo"
ends '06_halo' 0
heat='after 50 steps 10.7732946941 is left in the middle'
is 'its value' "$(cat "$work/out")" "$heat"
for n in 1 2 3; do
    test -f "$top_builddir/tests/mpi-run" || break
    ln -s "$(cd "$examples" && pwd)/06_halo" "$work/halo_np$n.t"
    run sh "$top_builddir/tests/mpi-run" "$work/halo_np$n.t"
    grep -q '# SKIP' "$work/out" && continue
    ends "06_halo, ranks: $n" 0
    is 'its value' "$(cat "$work/out")" "$heat"
done

# 1 - cos 10 up to the step, whoever computes what.
sum='sum 1.839099'
run "$examples/08_segment"
ends '08_segment' 0
is 'its sum' "$(cat "$work/out")" "$sum"
if test -f "$top_builddir/tests/mpi-run"; then
    ln -s "$(cd "$examples" && pwd)/08_segment" "$work/segment_np2.t"
    run sh "$top_builddir/tests/mpi-run" "$work/segment_np2.t"
    if ! grep -q '# SKIP' "$work/out"; then
        ends '08_segment on two ranks' 0
        is 'its sum' "$(cat "$work/out")" "$sum"
    fi
fi
finish
