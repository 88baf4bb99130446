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
finish
