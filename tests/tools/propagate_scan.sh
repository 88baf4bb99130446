#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# paulimpi-propagate --scan: an input of the circuit takes several values.
# shellcheck source-path=SCRIPTDIR source=tap.subr
# shellcheck disable=SC2154
. "${top_srcdir:-.}/tests/tools/tap.subr"

propagate=$tools/paulimpi-propagate
circuit=$work/turn.qasm
cat >"$circuit" <<'END'
OPENQASM 2.0;
include "qelib1.inc";
input angle theta_1;
qreg q[2];
rx(theta_1) q[0];
END

# scan VALUES WANT: the values of Z0, cos(theta_1).
scan () {
    run "$propagate" "$circuit" --observable Z0 --scan "theta_1=$1" --json
    ends "--scan theta_1=$1" 0
    is 'its values' "$(json value | xargs printf '%.4f ')" "$2"
}

scan 0:pi:3 '1.0000 0.0000 -1.0000 '
scan 0.5:-0.5:2 '0.8776 0.8776 '
scan -pi/3:2*pi/3:2 '0.5000 -0.5000 '
scan 1:9:1 '0.5403 '
scan 0:pi/2:5 '1.0000 0.9239 0.7071 0.3827 0.0000 '
is 'the points are told' "$(json scan | uniq) $(json scan_value | tail -n 1)" \
    '"theta_1" 1.5707963267948966'
run "$propagate" "$circuit" --observable Z0 --scan theta_1=0:pi/2:3
says 'a point in text' out '^theta_1 = 0.785398163397    <Z0> = 0.70710678'
run "$propagate" "$circuit" --plan 2 --scan theta_1=0.3:1:3
says 'a plan of a circuit with an input' out '^2 ranks, .* 1 gates'

run "$propagate" "$circuit" --observable Z0
refused 'no value' 1 'turn.qasm:3:13: "theta_1" is an input, to which no'
run "$propagate" "$circuit" --observable Z0 --scan x=0:1:2
refused 'a value for another input' 1 'is an input, to which no value'
for value in '' x =0:1:2 1x=0:1:2 x=0:1 x=0:1:0 x=0:1:x x=a:1:2 x=0:pi/0:2 \
    x=0:2pi:2 x=0:pi/x:2; do
    run "$propagate" "$circuit" --observable Z0 --scan "$value"
    refused "--scan '$value'" 2 "--scan $value: expected NAME=A:B:N"
done
for option in save stats checkpoint restart; do
    run "$propagate" "$circuit" --observable Z0 --scan x=0:1:2 \
        --$option "$work/file"
    refused "--scan with --$option" 2 'several propagations cannot share'
done
run "$propagate" - --observable Z0 --scan x=0:1:2
refused '--scan of standard input' 2 'standard input can be read only once'
finish
